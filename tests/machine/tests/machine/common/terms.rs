//! Plans of scans and reductions of every type and operator.

use anyhow::Result;
use multisplit::Policy;
use multisplit::graph::{ElementType, Graph};
use multisplit::operations::{ReduceBuffers, ScanBuffers, ScanMethod, reduce, scan};
use multisplit::{KeyType, Operator, Scan};
use multisplit_machine::Rng;

use super::case::{Case, Output};
use super::primitives::{Device, count_words, counted, limits, policy_of};

/// Parameters of a scan or reduction.
#[derive(Clone, Copy, Debug)]
pub struct TermCase {
    pub key: KeyType,
    pub operator: Operator,
    pub how: How,
    pub on_device: bool,
    pub n: u64,
    pub course: Course,
    /// Number of subgroups per workgroup; `None` for the usual size.
    pub subgroups: Option<u32>,
    /// Whether one workgroup loops over several tiles.
    pub single_group: bool,
}

/// Order of the elements for operators that select one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    Any,
    /// Each element replaces the result of those before it.
    Rising,
    /// Each element would replace the result of those after it.
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
        let (on_device, n, course, subgroups, single_group) = (false, 0, Course::Any, None, false);
        Self { key, operator, how: How::Reduce, on_device, n, course, subgroups, single_group }
    }

    /// An element that replaces the result of those before it.
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
        if self.course != Course::Any && self.operator != Operator::Sum {
            let mut all: Vec<u64> = (0..n).map(|at| self.rising_element(at)).collect();
            if self.course == Course::Falling {
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

    /// An integer that compares like the element.
    fn rank(self, bits: u64) -> i128 {
        if self.key.is_float() {
            let top = 1 << (self.key.bits() - 1);
            let magnitude = i128::from(bits & (top - 1));
            return if bits & top == 0 { magnitude } else { -1 - magnitude };
        }
        match self.key {
            KeyType::I32 => (bits as i32).into(),
            KeyType::I64 => (bits as i64).into(),
            _ => bits.into(),
        }
    }

    pub fn combine(self, a: u64, b: u64) -> u64 {
        match (self.operator, self.key) {
            (Operator::Sum, KeyType::F32) => {
                let sum = f32::from_bits(a as u32) + f32::from_bits(b as u32);
                sum.to_bits().into()
            }
            (Operator::Sum, KeyType::F64) => (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
            (Operator::Sum, _) => a.wrapping_add(b) & (u64::MAX >> (64 - self.key.bits())),
            (Operator::Min, _) if self.rank(b) < self.rank(a) => b,
            (Operator::Max, _) if self.rank(b) > self.rank(a) => b,
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

    pub fn words(self, elements: &[u64]) -> Vec<u32> {
        let words = |&x: &u64| match self.key.bits() {
            32 => vec![x as u32],
            _ => vec![x as u32, (x >> 32) as u32],
        };
        elements.iter().flat_map(words).collect()
    }
}

pub fn term_case(device: Device, of: TermCase) -> Result<Case> {
    let (single_group_tiles, spine_tiles) = if of.single_group { (4, 4) } else { (0, 1) };
    let base = Policy { single_group_tiles, spine_tiles, ..policy_of(device, of.subgroups) };
    let mut graph = Graph::new("terms");
    let (max, count) = counted(&mut graph, of.n, of.on_device);
    let element = ElementType::from(of.key);
    let src = graph.import_array("src", element, max);
    let input = of.elements(max);
    let mut through = of.identity();
    let mut scanned = Vec::new();
    for &x in &input[..of.n as usize] {
        let before = through;
        through = of.combine(through, x);
        let inclusive = matches!(of.how, How::Scan { inclusive: true, .. });
        scanned.push(if inclusive { through } else { before });
    }
    let mut outputs = Vec::new();
    if let How::Scan { inclusive, look_back } = of.how {
        let dst = graph.import_array("dst", element, max);
        let how =
            if inclusive { Scan::inclusive(of.operator) } else { Scan::exclusive(of.operator) };
        let method = if look_back { ScanMethod::LookBack } else { ScanMethod::ReduceThenScan };
        let policy = Policy { scan: method, ..base };
        scan(&mut graph, &policy, &how, &ScanBuffers::new(src, dst).count(count))?;
        outputs.push(Output { name: "dst", expected: of.words(&scanned) });
    } else {
        let dst = graph.import_array("dst", element, 1);
        let mut buffers = ReduceBuffers::new(src, dst).count(count);
        if let How::ReduceWithIndex = of.how {
            buffers = buffers.index(graph.import::<u32>("index", 1));
            let index = input.iter().position(|&x| x == through).unwrap_or(usize::MAX);
            outputs.push(Output { name: "index", expected: vec![index as u32] });
        }
        reduce(&mut graph, &base, of.operator, &buffers)?;
        outputs.push(Output { name: "dst", expected: of.words(&[through]) });
    }
    Ok(Case {
        name: format!("{of:?}, for {device:?}"),
        plan: graph.compile(&limits(device))?,
        outputs,
        inputs: vec![("src", of.words(&input)), count_words(of.n)],
        lane_order: false,
        may_give_up: None,
        verify: None,
        steady: Vec::new(),
    })
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
                all.push(TermCase { how, on_device, n, ..TermCase::new(key, operator) });
            }
        }
    }
    all
}
