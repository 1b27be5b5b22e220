//! Plans of segmented scans and reductions.

use std::sync::Arc;

use anyhow::Result;
use multisplit::graph::Buffer;
use multisplit::operations::{
    Count, ReduceByKeyBuffers, ScanBuffers, SegmentedReduceBuffers, reduce_by_key, reduce_segments,
    scan,
};
use multisplit::{KeyType, Operator, PlanForm, Policy};
use multisplit_machine::Rng;

use super::case::{Case, Verify};
use super::moves::words_of;
use super::primitives::{Device, policy_of};
use super::setup::{Parameters, Setup};
use super::terms::{ElementOrder, TERMS, TermCase, is_rounded, scan_method, scan_of};

/// Parameters of a segmented scan or reduction.
#[derive(Clone, Copy, Debug)]
pub struct SegmentsCase {
    pub key: KeyType,
    pub operator: Operator,
    pub way: Way,
    pub by: By,
    /// Average segment length.
    pub length: u64,
    pub on_device: bool,
    pub n: u64,
    /// Order of the elements, as in [`TermCase`].
    pub order: ElementOrder,
    /// Number of subgroups per workgroup; `None` for the usual size.
    pub subgroups: Option<u32>,
    /// Whether another pass combines the totals of chunks, as in plans in three stages and on
    /// devices whose loops are limited.
    pub joined: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum Way {
    Scan { inclusive: bool, look_back: bool },
    Reduce { look_back: bool },
}

/// Input that defines the segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Flags,
    Keys,
    WideKeys,
    Offsets,
    /// Offsets with so many consecutive empty segments that kernels search instead of visiting them
    /// one by one.
    ManyOffsets,
    /// Offsets of segments with one subgroup or workgroup each. Some segments are longer than a
    /// chunk.
    WorkerOffsets {
        by_subgroups: bool,
    },
    /// Offsets of equally long segments with one subgroup each, all longer than a chunk.
    EvenOffsets,
    /// Rows of equal length, without offsets.
    Rows {
        /// Whether one subgroup or workgroup reduces each row or chunk. Otherwise subgroups reduce
        /// several rows each, or workgroups reduce tiles.
        by_workers: bool,
    },
    /// Unsorted offsets: each result must be written, and empty segments give the identity.
    UnsortedOffsets(UnsortedMethod),
}

/// Method for segments with unsorted offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsortedMethod {
    /// By tiles that visit their offsets one by one.
    Walked,
    /// By tiles that search for the segment of each element, because they have many offsets.
    Searched,
    /// By one subgroup per segment and per chunk.
    Workers,
}

/// Elements per chunk of segments with one worker each.
pub const CHUNK: u64 = 32;
/// Length of each segment for `EvenOffsets`.
pub const EVEN_LENGTH: u64 = 40;

impl SegmentsCase {
    /// A reduction of no elements.
    pub fn new((key, operator): (KeyType, Operator), by: By) -> Self {
        let way = Way::Reduce { look_back: false };
        let (length, on_device, n, order, subgroups) = (1, false, 0, ElementOrder::Any, None);
        Self { key, operator, way, by, length, on_device, n, order, subgroups, joined: false }
    }

    fn terms(&self) -> TermCase {
        TermCase { n: self.n, order: self.order, ..TermCase::new(self.key, self.operator) }
    }

    /// A flag for each element: whether a segment begins there.
    fn heads(&self, max: u64) -> Vec<bool> {
        if self.by == By::EvenOffsets {
            return (0..max).map(|at| at % EVEN_LENGTH == 0).collect();
        }
        let mut rng = Rng::new(self.n + self.length);
        // Some short segments begin at a tile boundary. Some long segments begin slightly after a
        // multiple of their length, which may be a tile boundary.
        let heads = (0..max).map(|at| {
            let placed = if self.length < 100 { at % 256 == 0 } else { at % self.length == 5 };
            at == 0 || placed || rng.next_u64().is_multiple_of(self.length)
        });
        let mut heads: Vec<bool> = heads.collect();
        if let By::WorkerOffsets { .. } = self.by {
            // Two segments are exactly one chunk long. The second one begins at a multiple of the
            // chunk length.
            for begin in [70, 128] {
                heads[begin..=begin + CHUNK as usize].fill(false);
                heads[begin] = true;
                heads[begin + CHUNK as usize] = true;
            }
        }
        heads
    }

    /// Segments by keys or flags.
    fn by_key(&self, device: Device) -> Result<Case> {
        let mut setup = Setup::new(device, "by key");
        let (max, count) = setup.count(self.n, self.on_device);
        let terms = self.terms();
        let (input, heads) = (terms.elements(max), self.heads(max));
        let key = if self.by == By::WideKeys { KeyType::I64 } else { KeyType::U32 };
        let [src, dst] = ["src", "dst"].map(|name| setup.buffer(name, self.key, max));
        let keys = setup.buffer("keys", key, max);
        let mut held = 7u64;
        let each_key = heads.iter().enumerate().map(|(at, &head)| {
            // Keys of adjacent segments differ in a single bit, so 64-bit keys differ in one word.
            held ^= if head { 1 << (at * 5 % 64) } else { 0 };
            match self.by {
                By::WideKeys => held,
                By::Keys => u64::from(held as u32 ^ (held >> 32) as u32),
                _ => head.into(),
            }
        });
        let each_key: Vec<u64> = each_key.collect();
        let begins: Vec<usize> = (0..self.n as usize).filter(|&at| heads[at]).collect();
        let ends = begins.iter().skip(1).copied().chain([self.n as usize]);
        let segments = begins.iter().zip(ends).map(|(&begin, end)| &input[begin..end]);
        let (Way::Scan { look_back, .. } | Way::Reduce { look_back }) = self.way;
        let scan_method = scan_method(look_back);
        let policy = Policy { scan: scan_method, ..policy_of(device, self.subgroups) };
        match self.way {
            Way::Scan { inclusive, .. } => {
                let buffers = ScanBuffers::new(src, dst).count(count);
                let flags = self.by == By::Flags;
                let buffers = if flags { buffers.heads(keys) } else { buffers.keys(keys) };
                scan(&mut setup.graph, &policy, &scan_of(self.operator, inclusive), &buffers)?;
                let scanned = segments.flat_map(|segment| terms.scanned(segment, inclusive));
                setup.expect("dst", terms.words(&scanned.collect::<Vec<_>>()));
            }
            Way::Reduce { .. } => {
                let out = setup.buffer("keys_out", key, max);
                let found = setup.result("found", vec![begins.len() as u32]);
                let buffers = ReduceByKeyBuffers::new((keys, src), (out, dst), found).count(count);
                reduce_by_key(&mut setup.graph, &policy, self.operator, &buffers)?;
                setup.expect("keys_out", words_of(key, begins.iter().map(|&at| each_key[at])));
                let reduced: Vec<u64> = segments.map(|segment| terms.reduced(segment)).collect();
                setup.expect("dst", terms.words(&reduced));
            }
        }
        setup.set("src", terms.words(&input));
        setup.set("keys", words_of(key, each_key));
        setup.finish(self)
    }

    fn policy(&self, device: Device) -> Policy {
        let policy = policy_of(device, self.subgroups);
        // With chunks of this size, no segment is divided.
        let undivided = 1 << 31;
        let chunk = CHUNK as u32;
        let (segment_chunk, min_subgroup_workers) = match self.by {
            By::WorkerOffsets { by_subgroups: false } => (chunk, u32::MAX),
            By::Rows { by_workers: true } => (chunk, ROW_WORKERS),
            By::WorkerOffsets { .. }
            | By::EvenOffsets
            | By::UnsortedOffsets(UnsortedMethod::Workers) => (chunk, 1),
            _ => (undivided, policy.min_subgroup_workers),
        };
        let policy = Policy { segment_chunk, min_subgroup_workers, ..policy };
        match self.joined {
            true => policy.lowered(|facts| facts.form = PlanForm::Staged),
            false => policy,
        }
    }

    /// Adds the reduction of segments or rows of `input`. With a device count, the `past` elements
    /// after the count must be ignored.
    fn add_reduction(
        &self,
        setup: &mut Setup,
        input: &[u64],
        past: usize,
        expected: &[u64],
        buffers: impl FnOnce(&mut Setup, Buffer, Buffer, u64) -> SegmentedReduceBuffers,
    ) -> Result<()> {
        let (terms, segments) = (self.terms(), expected.len());
        let (max, count) = setup.count(segments as u64, self.on_device);
        let mut elements = input.to_vec();
        let mut number = Count::Host(input.len() as u64);
        if self.on_device {
            elements.resize(input.len() + past, 1);
            let buffer = setup.words("elements", vec![input.len() as u32]);
            number = Count::Device { buffer, index: 0, max: elements.len() as u64 };
        }
        let src = setup.buffer("src", self.key, elements.len() as u64);
        let dst = setup.buffer("dst", self.key, max);
        let buffers = buffers(setup, src, dst, max).count(count).elements(number);
        reduce_segments(&mut setup.graph, &self.policy(setup.device), self.operator, &buffers)?;
        setup.set("src", terms.words(&elements));
        let mut expected = terms.words(expected);
        // Results after the counted segments must not change. With unsorted offsets, the initial
        // value shows which results were not written.
        if self.on_device || matches!(self.by, By::UnsortedOffsets(_)) {
            let words = max as usize * expected.len() / segments;
            setup.set("dst", vec![UNTOUCHED; words]);
            expected.resize(words, UNTOUCHED);
        }
        setup.expect("dst", expected);
        Ok(())
    }

    /// The offsets of the segments.
    fn offsets(&self, device: Device) -> Vec<u32> {
        let n = self.n as u32;
        // Some segments are empty, and the elements before the first offset belong to no segment.
        let mut offsets = Vec::new();
        let even = self.by == By::EvenOffsets;
        let heads = self.heads(self.n);
        let begins = heads.iter().enumerate().filter(|(_, head)| **head);
        for (at, _) in begins.skip(usize::from(!even)) {
            offsets.extend(vec![at as u32; 1 + usize::from(!even && at % 3 == 0)]);
        }
        let many = 70 * device.threads() as usize;
        if self.by == By::ManyOffsets {
            offsets.extend(vec![offsets[offsets.len() / 2]; many]);
            offsets.sort_unstable();
        }
        // Ensure that there is at least one segment. An offset beyond the elements, which is added
        // below, counts as their number.
        if offsets.is_empty() {
            offsets.push(0);
        }
        // Some cases have elements after the last segment, which must be ignored. With one subgroup
        // per segment, there are so many that a kernel that wrongly adds them to the last segment
        // divides it into more chunks.
        let behind = match self.by {
            By::ManyOffsets if self.subgroups.is_some() => 1,
            By::WorkerOffsets { by_subgroups } if self.on_device => {
                9 + CHUNK as u32 * u32::from(by_subgroups)
            }
            _ => 0,
        };
        offsets.retain(|&at| at <= n - behind);
        offsets.push(if behind > 0 { n - behind } else { n + 5 });
        offsets.sort_unstable();
        // Add offsets until their number is a multiple of `lanes + 1`. A subgroup that searches the
        // offsets then divides them into parts of equal length.
        while self.subgroups.is_some() && offsets.len() % (device.width as usize + 1) != 0 {
            offsets.insert(0, offsets[0]);
        }
        if let By::UnsortedOffsets(how) = self.by {
            let mut rng = Rng::new(self.n);
            if how == UnsortedMethod::Searched {
                offsets.resize(many, 0);
            }
            // Multiples of 64 are often equal or at the edge of a tile. A search needs others, too.
            let any = how == UnsortedMethod::Searched && !self.n.is_multiple_of(2);
            let step = if any { 1 } else { 64 };
            offsets.fill_with(|| (rng.below(self.n / step + 1) * step) as u32);
        }
        offsets
    }

    fn by_offsets(&self, device: Device) -> Result<Case> {
        let terms = self.terms();
        let input = terms.elements(self.n);
        let mut offsets = self.offsets(device);
        let segment = |pair: &[u32]| {
            let end = pair[1].min(self.n as u32).max(pair[0]);
            terms.reduced(&input[pair[0] as usize..end as usize])
        };
        let expected: Vec<u64> = offsets.windows(2).map(segment).collect();
        let empty: Vec<bool> = offsets.windows(2).map(|pair| pair[1] <= pair[0]).collect();
        let mut setup = Setup::new(device, "segments");
        self.add_reduction(&mut setup, &input, PAST, &expected, |setup, src, dst, max| {
            offsets.resize(max as usize + 1, self.n as u32);
            SegmentedReduceBuffers::new(src, setup.words("offsets", offsets), dst)
        })?;
        let mut verify = None;
        if let By::UnsortedOffsets(_) = self.by {
            let (_, expected) = setup.outputs.remove(0);
            verify = Some(defined_results(expected, empty));
        }
        Ok(Case { verify, ..setup.finish(self)? })
    }

    /// A scan of rows, or of segments by offsets.
    fn scanned(&self, device: Device, inclusive: bool, look_back: bool) -> Result<Case> {
        let mut setup = Setup::new(device, "scan segments");
        let (terms, length) = (self.terms(), self.length as usize);
        // With a device count, the last row is partial.
        let n = self.n - if self.on_device { self.length / 2 } else { 0 };
        let spare = self.on_device.then_some(self.n + self.length - n);
        let (max, count) = setup.other_count("elements", n, spare);
        let [src, dst] = ["src", "dst"].map(|name| setup.buffer(name, self.key, max));
        let (input, buffers) = (terms.elements(max), ScanBuffers::new(src, dst).count(count));
        let how = scan_of(self.operator, inclusive);
        let mut heads = vec![false; n as usize + 1];
        let (how, buffers) = if let By::Rows { .. } = self.by {
            heads.iter_mut().step_by(length).for_each(|head| *head = true);
            (how.rows(self.length), buffers)
        } else {
            let mut offsets = self.offsets(device);
            let inside = offsets.iter().filter(|&&at| u64::from(at) < n);
            inside.for_each(|&at| heads[at as usize] = true);
            let spare = self.on_device.then_some(1);
            let (max, segments) = setup.other_count("segments", offsets.len() as u64 - 1, spare);
            // The count of segments does not include the last offset.
            offsets.resize(max as usize + 1, 1);
            (how, buffers.segments(setup.words("offsets", offsets), segments))
        };
        let policy = Policy { scan: scan_method(look_back), ..self.policy(device) };
        scan(&mut setup.graph, &policy, &how, &buffers)?;
        (heads[0], heads[n as usize]) = (true, true);
        let begins: Vec<usize> = (0..=n as usize).filter(|&at| heads[at]).collect();
        let segments = begins.windows(2).map(|both| &input[both[0]..both[1]]);
        let scanned = segments.flat_map(|segment| terms.scanned(segment, inclusive));
        setup.expect("dst", terms.words(&scanned.collect::<Vec<_>>()));
        setup.set("src", terms.words(&input));
        setup.finish(self)
    }

    fn by_rows(&self, device: Device) -> Result<Case> {
        let terms = self.terms();
        // With a device count, the last row is partial.
        let n = self.n - if self.on_device { self.length / 2 } else { 0 };
        let input = terms.elements(n);
        let rows = input.chunks(self.length as usize).map(|row| terms.reduced(row));
        let expected: Vec<u64> = rows.chain([terms.identity(); EMPTY_ROWS]).collect();
        let past = (self.n + self.length - n) as usize;
        let mut setup = Setup::new(device, "rows");
        self.add_reduction(&mut setup, &input, past, &expected, |_, src, dst, _| {
            SegmentedReduceBuffers::rows(src, self.length, dst)
        })?;
        setup.finish(self)
    }
}

impl Parameters for SegmentsCase {
    fn case(&self, device: Device) -> Result<Case> {
        match (self.by, self.way) {
            (By::Flags | By::Keys | By::WideKeys, _) => self.by_key(device),
            (_, Way::Scan { inclusive, look_back }) => self.scanned(device, inclusive, look_back),
            (By::Rows { .. }, _) => self.by_rows(device),
            _ => self.by_offsets(device),
        }
    }
}

/// A value that no result has.
const UNTOUCHED: u32 = 0xDEAD_BEEF;
/// Number of additional elements, which the device count excludes.
const PAST: usize = 40;
/// `min_subgroup_workers` of rows. With fewer than an eighth as many rows, long rows are divided
/// into chunks.
const ROW_WORKERS: u32 = 64;
/// Number of rows after the last row with elements.
const EMPTY_ROWS: usize = 3;

/// Checks that each result is written, and that empty segments have the expected result.
fn defined_results(expected: Vec<u32>, empty: Vec<bool>) -> Verify {
    Arc::new(move |words| {
        let (found, width) = (words("dst"), expected.len() / empty.len());
        let is_wrong = |at: &usize| match empty[at / width] {
            true => found[*at] != expected[*at],
            false => found[*at] == UNTOUCHED,
        };
        let wrong = (0..expected.len()).find(is_wrong)?;
        Some(format!(
            "`dst` word {wrong} is {:#x}, expected {:#x} if the segment is empty, or any new value",
            found[wrong], expected[wrong]
        ))
    })
}

/// Every type and operator of [`TERMS`] by every method. `tile` is the largest tile of the kernels.
pub fn segments_cases(tile: u64) -> Vec<SegmentsCase> {
    let mut all = Vec::new();
    for term in TERMS {
        for look_back in [true, false] {
            if look_back && is_rounded(term) {
                continue;
            }
            for reduce in [false, true] {
                let number = all.len();
                let way = match reduce {
                    false => Way::Scan { inclusive: number % 3 == 0, look_back },
                    true => Way::Reduce { look_back },
                };
                let by = match (number / 2 % 3, reduce) {
                    (0, false) => By::Flags,
                    (1, _) => By::WideKeys,
                    _ => By::Keys,
                };
                let length = [3, 900, 5000][number % 3];
                let n = [2 * tile + 5, tile + 1, 3 * tile - 2][number % 3];
                let on_device = number % 2 == 1;
                all.push(SegmentsCase { way, length, on_device, n, ..SegmentsCase::new(term, by) });
            }
        }
        for (by, n, length, on_device) in [
            (By::Offsets, 3 * tile + 5, 2000, false),
            (By::Offsets, 2 * tile, 5, true),
            (By::ManyOffsets, tile + 9, 40, false),
        ] {
            // Cases that do not depend on the type and operator run only with a single type.
            if by == By::Offsets || term.0 == KeyType::U32 {
                all.push(SegmentsCase { length, on_device, n, ..SegmentsCase::new(term, by) });
            }
        }
    }
    for term in TERMS {
        for (by_subgroups, on_device, order, joined) in [
            (false, false, ElementOrder::Any, false),
            (false, false, ElementOrder::Falling, true),
            (false, true, ElementOrder::Rising, false),
            (false, true, ElementOrder::Rising, true),
            (true, false, ElementOrder::Any, false),
            (true, false, ElementOrder::Any, true),
            (true, true, ElementOrder::Any, false),
        ] {
            // Segments of 350 elements have more than eight chunks, whose results a subgroup
            // combines.
            let length = if by_subgroups { 25 } else { 350 };
            let of = SegmentsCase::new(term, By::WorkerOffsets { by_subgroups });
            all.push(SegmentsCase { length, on_device, n: tile + 11, order, joined, ..of });
        }
    }
    for term in TERMS {
        for (by_workers, length, rows) in [
            (false, 4, tile / 3),
            (false, 8, tile / 8),
            (false, 6, tile / 2),
            (true, 40, tile / 30),
            (true, tile / 2 + 3, 5),
        ] {
            let on_device = length % 4 != 0;
            let order = if on_device { ElementOrder::Rising } else { ElementOrder::Any };
            let of = SegmentsCase::new(term, By::Rows { by_workers });
            all.push(SegmentsCase { length, on_device, n: rows * length, order, ..of });
        }
    }
    for (number, term) in TERMS.into_iter().enumerate() {
        for (k, (by, length, n)) in [
            (By::Rows { by_workers: false }, 3, 2 * tile / 3 * 3 + 9),
            (By::Rows { by_workers: false }, 8, 3 * tile),
            (By::Rows { by_workers: false }, tile + 70, 2 * (tile + 70)),
            (By::Offsets, 40, 2 * tile + 5),
            (By::Offsets, 3000, 3 * tile - 2),
            (By::UnsortedOffsets(UnsortedMethod::Walked), 700, 2 * tile + 64),
        ]
        .into_iter()
        .enumerate()
        {
            let look_back = (number + k) % 2 == 0 && !is_rounded(term);
            let way = Way::Scan { inclusive: k % 3 == 0, look_back };
            let on_device = (number / 2 + k) % 2 == 1;
            all.push(SegmentsCase { way, length, on_device, n, ..SegmentsCase::new(term, by) });
        }
    }
    // The number of segments is written for empty inputs, too.
    let of = SegmentsCase::new((KeyType::U32, Operator::Sum), By::Keys);
    let way = Way::Reduce { look_back: true };
    all.push(SegmentsCase { way, length: 3, on_device: true, ..of });
    all
}
