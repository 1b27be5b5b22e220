//! Plans of scans and reductions of every type and operator.

use anyhow::Result;
use multisplit::operations::{ReduceBuffers, ScanBuffers, ScanMethod, reduce, scan};
use multisplit::{KeyType, Operator, Policy, Scan};
use multisplit_machine::Rng;

use super::case::Case;
use super::moves::{image, words_of};
use super::primitives::{Device, policy_of};
use super::setup::{Parameters, Setup};

/// Parameters of a scan or reduction.
#[derive(Clone, Copy, Debug)]
pub struct TermCase {
    pub key: KeyType,
    pub operator: Operator,
    pub how: How,
    pub on_device: bool,
    pub n: u64,
    pub order: ElementOrder,
    /// Number of subgroups per workgroup; `None` for the usual size.
    pub subgroups: Option<u32>,
    /// Whether one workgroup loops over several tiles.
    pub single_group: bool,
    /// Whether the tiles of a look-back are small.
    pub small: bool,
}

/// One type and operator for each variant of the scan and reduction kernels.
pub const TERMS: [(KeyType, Operator); 6] = [
    (KeyType::U32, Operator::Sum),
    (KeyType::I32, Operator::Max),
    (KeyType::I64, Operator::Sum),
    (KeyType::F64, Operator::Min),
    (KeyType::F32, Operator::Sum),
    (KeyType::F64, Operator::Sum),
];

/// Whether an operation rounds its results. Segmented scans and reductions then use no look-back.
pub fn is_rounded((key, operator): (KeyType, Operator)) -> bool {
    key.is_float() && operator == Operator::Sum
}

/// Order of the elements for operators that select one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementOrder {
    Any,
    /// The result of all elements up to any element is that element, as in a maximum of ascending
    /// elements.
    Rising,
    /// The result of all elements from any element on is that element.
    Falling,
}

#[derive(Clone, Copy, Debug)]
pub enum How {
    Scan { inclusive: bool, look_back: bool },
    Reduce,
    ReduceWithIndex,
}

impl TermCase {
    /// An empty reduction with a host count.
    pub fn new(key: KeyType, operator: Operator) -> Self {
        let (on_device, n, order, subgroups, single_group) =
            (false, 0, ElementOrder::Any, None, false);
        let (how, small) = (How::Reduce, false);
        Self { key, operator, how, on_device, n, order, subgroups, single_group, small }
    }

    /// The element at index `at` for [`ElementOrder::Rising`].
    fn rising_element(self, at: u64) -> u64 {
        let least = self.operator == Operator::Min;
        let sign = if least { -1 } else { 1 };
        match self.key {
            KeyType::F32 => ((sign * at as i64) as f32).to_bits().into(),
            KeyType::F64 => ((sign * at as i64) as f64).to_bits(),
            KeyType::U32 | KeyType::U64 if least => self.identity() - 1 - at,
            KeyType::U32 | KeyType::U64 => at + 1,
            _ => (sign * at as i64) as u64 & (u64::MAX >> (64 - self.key.bits())),
        }
    }

    /// Elements as bits. Sums of these floats are exact.
    pub fn elements(self, n: u64) -> Vec<u64> {
        if self.order != ElementOrder::Any && self.operator != Operator::Sum {
            let mut all: Vec<u64> = (0..n).map(|at| self.rising_element(at)).collect();
            if self.order == ElementOrder::Falling {
                all.reverse();
            }
            return all;
        }
        let mut rng = Rng::new(n);
        let element = |_| match (self.operator, self.key) {
            (Operator::Sum, KeyType::F32) => {
                u64::from(((rng.next_u64() % 16) as f32 - 7.0).to_bits())
            }
            (Operator::Sum, KeyType::F64) => ((rng.next_u64() % 16) as f64 - 7.0).to_bits(),
            // Some elements are equal.
            _ if rng.next_u64().is_multiple_of(2) => 0x1234 + rng.next_u64() % 3,
            _ => rng.next_u64() >> (64 - self.key.bits()),
        };
        (0..n).map(element).collect()
    }

    pub fn combine(self, a: u64, b: u64) -> u64 {
        match (self.operator, self.key) {
            (Operator::Sum, KeyType::F32) => {
                let sum = f32::from_bits(a as u32) + f32::from_bits(b as u32);
                sum.to_bits().into()
            }
            (Operator::Sum, KeyType::F64) => (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
            (Operator::Sum, _) => a.wrapping_add(b) & (u64::MAX >> (64 - self.key.bits())),
            (Operator::Min, key) if image(key, b) < image(key, a) => b,
            (Operator::Max, key) if image(key, b) > image(key, a) => b,
            _ => a,
        }
    }

    pub fn identity(self) -> u64 {
        let all = u64::MAX >> (64 - self.key.bits());
        let top = 1 << (self.key.bits() - 1);
        let unsigned = matches!(self.key, KeyType::U32 | KeyType::U64);
        match self.operator {
            Operator::Sum => 0,
            Operator::Min if unsigned => all,
            Operator::Min => all ^ top,
            Operator::Max if unsigned => 0,
            Operator::Max if self.key.is_float() => all,
            Operator::Max => top,
        }
    }

    /// The combination of all elements.
    pub fn reduced(self, elements: &[u64]) -> u64 {
        elements.iter().fold(self.identity(), |so_far, &x| self.combine(so_far, x))
    }

    /// The scan of all elements.
    pub fn scanned(self, elements: &[u64], inclusive: bool) -> Vec<u64> {
        let mut through = self.identity();
        let step = |&x: &u64| {
            let before = through;
            through = self.combine(through, x);
            if inclusive { through } else { before }
        };
        elements.iter().map(step).collect()
    }

    pub fn words(self, elements: &[u64]) -> Vec<u32> {
        words_of(self.key, elements.iter().copied())
    }
}

/// The scan description for this operator.
pub fn scan_of(operator: Operator, inclusive: bool) -> Scan {
    if inclusive { Scan::inclusive(operator) } else { Scan::exclusive(operator) }
}

pub fn scan_method(look_back: bool) -> ScanMethod {
    if look_back { ScanMethod::LookBack } else { ScanMethod::ReduceThenScan }
}

impl Parameters for TermCase {
    fn case(&self, device: Device) -> Result<Case> {
        let (single_group_tiles, spine_tiles) = if self.single_group { (4, 4) } else { (0, 1) };
        let base = Policy { single_group_tiles, spine_tiles, ..policy_of(device, self.subgroups) };
        let mut setup = Setup::new(device, "terms");
        let (max, count) = setup.count(self.n, self.on_device);
        let src = setup.buffer("src", self.key, max);
        let input = self.elements(max);
        let counted = &input[..self.n as usize];
        if let How::Scan { inclusive, look_back } = self.how {
            let dst = setup.buffer("dst", self.key, max);
            let small_scans_up_to = if self.small { u32::MAX } else { 0 };
            let policy = Policy { scan: scan_method(look_back), small_scans_up_to, ..base };
            let buffers = ScanBuffers::new(src, dst).count(count);
            scan(&mut setup.graph, &policy, &scan_of(self.operator, inclusive), &buffers)?;
            setup.expect("dst", self.words(&self.scanned(counted, inclusive)));
        } else {
            let reduced = self.reduced(counted);
            let dst = setup.buffer("dst", self.key, 1);
            let mut buffers = ReduceBuffers::new(src, dst).count(count);
            if let How::ReduceWithIndex = self.how {
                let index = input.iter().position(|&x| x == reduced).unwrap_or(usize::MAX);
                buffers = buffers.index(setup.result("index", vec![index as u32]));
            }
            reduce(&mut setup.graph, &base, self.operator, &buffers)?;
            setup.expect("dst", self.words(&[reduced]));
        }
        setup.set("src", self.words(&input));
        setup.finish(self)
    }
}

/// An exclusive sum of `u32`.
pub fn sum_scan(look_back: bool, on_device: bool, n: u64) -> TermCase {
    let how = How::Scan { inclusive: false, look_back };
    TermCase { how, on_device, n, ..TermCase::new(KeyType::U32, Operator::Sum) }
}

/// Every type and operator, each with some of the methods.
pub fn term_cases(sizes: &[u64]) -> Vec<TermCase> {
    let mut all = Vec::new();
    for key in KeyType::WIDE {
        for operator in Operator::ALL {
            let mut ways = vec![How::Reduce];
            for look_back in [false, true] {
                let inclusive = look_back != (operator == Operator::Min);
                ways.push(How::Scan { inclusive, look_back });
            }
            if operator != Operator::Sum {
                ways.push(How::ReduceWithIndex);
            }
            for how in ways {
                let number = all.len();
                let n = sizes[number % sizes.len()];
                let on_device = number % 2 == 1;
                let case = TermCase { how, on_device, n, ..TermCase::new(key, operator) };
                all.push(case);
                if matches!(how, How::Scan { look_back: true, .. }) {
                    all.push(TermCase { small: true, on_device: !on_device, ..case });
                }
            }
        }
    }
    all
}
