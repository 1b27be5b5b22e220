//! Plans of segmented scans and reductions.

use std::sync::Arc;

use anyhow::Result;
use multisplit::Policy;
use multisplit::graph::{ElementType, Graph};
use multisplit::operations::{
    Count, ReduceByKeyBuffers, ScanBuffers, ScanMethod, SegmentedReduceBuffers, reduce_by_key,
    reduce_segments, scan,
};
use multisplit::{KeyType, Operator, Scan};
use multisplit_machine::Rng;

use super::case::{Case, Output, Verify};
use super::few_threads::TERMS;
use super::primitives::{Device, count_words, counted, limits, policy_of};
use super::terms::{Course, TermCase};

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
    /// Order of the elements, as in `TermCase`.
    pub course: Course,
    pub subgroups: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
pub enum Way {
    Scan { inclusive: bool, look_back: bool },
    Reduce { look_back: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Flags,
    Keys,
    WideKeys,
    Offsets,
    /// Offsets with more consecutive empty segments than kernels step over one by one.
    ManyOffsets,
    /// Offsets of segments with one subgroup or one workgroup each; some are longer than a chunk,
    /// others shorter.
    TakenOffsets {
        by_subgroups: bool,
    },
    /// Offsets of equally long segments with one subgroup each, all longer than a chunk.
    EvenOffsets,
    /// Rows of equal length without offsets: several per subgroup, in tiles, or with one worker
    /// each.
    Rows {
        taken: bool,
    },
    /// Unsorted offsets: every result must be written, and empty segments give the identity.
    FallingOffsets(Falling),
}

/// Method for segments with unsorted offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Falling {
    /// By tiles that step over their offsets one by one.
    Walked,
    /// By tiles with so many offsets that they search the segment of each element.
    Searched,
    /// By one subgroup per segment and per chunk.
    Taken,
}

/// Elements per chunk, for segments with one worker each.
const CHUNK: u32 = 32;
/// Length of each segment for `EvenOffsets`.
pub const EVEN_LENGTH: u64 = 40;

/// The elements and segment heads of a case, with reference results.
struct Prepared {
    terms: TermCase,
    input: Vec<u64>,
    heads: Vec<bool>,
}

impl Prepared {
    fn new(of: SegmentsCase, max: u64) -> Self {
        let SegmentsCase { course, n, .. } = of;
        let terms = TermCase { n, course, ..TermCase::new(of.key, of.operator) };
        let mut rng = Rng::new(n + of.length);
        // Some short segments begin at a tile boundary; long ones begin at equal distances,
        // slightly after it.
        let heads = (0..max).map(|at| {
            let placed = if of.length < 100 { at % 256 == 0 } else { at % of.length == 5 };
            at == 0 || placed || rng.next_u64().is_multiple_of(of.length)
        });
        let mut heads: Vec<bool> = heads.collect();
        if let By::TakenOffsets { .. } = of.by {
            // Two segments of exactly one chunk; one of them begins at a chunk boundary of the
            // array.
            for begin in [70, 128] {
                heads[begin..=begin + CHUNK as usize].fill(false);
                heads[begin] = true;
                heads[begin + CHUNK as usize] = true;
            }
        }
        if of.by == By::EvenOffsets {
            heads = (0..max).map(|at| at % EVEN_LENGTH == 0).collect();
        }
        Self { terms, input: terms.elements(max), heads }
    }

    /// The scan and the reduction of each segment.
    fn results(&self, inclusive: bool) -> (Vec<u64>, Vec<u64>) {
        let (mut scanned, mut reduced) = (Vec::new(), Vec::new());
        let mut through = self.terms.identity();
        for at in 0..self.terms.n as usize {
            if self.heads[at] {
                through = self.terms.identity();
                reduced.push(through);
            }
            let before = through;
            through = self.terms.combine(through, self.input[at]);
            scanned.push(if inclusive { through } else { before });
            if let Some(last) = reduced.last_mut() {
                *last = through;
            }
        }
        (scanned, reduced)
    }

    /// A key or a flag for each element, in words, and the first key of each segment.
    fn keys(&self, by: By) -> (Vec<u32>, Vec<u32>) {
        let (mut all, mut first) = (Vec::new(), Vec::new());
        let mut key = 7u64;
        for (at, &head) in self.heads.iter().enumerate() {
            // Two-word keys differ in only one of the words.
            key ^= if head { 1 << (at * 5 % 64) } else { 0 };
            let words = match by {
                By::WideKeys => vec![key as u32, (key >> 32) as u32],
                By::Keys => vec![key as u32 ^ (key >> 32) as u32],
                _ => vec![head.into()],
            };
            if head && at < self.terms.n as usize {
                first.extend(&words);
            }
            all.extend(words);
        }
        (all, first)
    }
}

pub fn segments_case(device: Device, of: SegmentsCase) -> Result<Case> {
    if !matches!(of.by, By::Flags | By::Keys | By::WideKeys) {
        return match of.by {
            By::Rows { .. } => rows_case(device, of),
            _ => offsets_case(device, of),
        };
    }
    let mut graph = Graph::new("by key");
    let (max, count) = counted(&mut graph, of.n, of.on_device);
    let job = Prepared::new(of, max);
    let (element, key) = (
        ElementType::from(of.key),
        ElementType::from(if of.by == By::WideKeys { KeyType::I64 } else { KeyType::U32 }),
    );
    let [src, dst] = ["src", "dst"].map(|name| graph.import_array(name, element, max));
    let keys = graph.import_array("keys", key, max);
    let (Way::Scan { look_back, .. } | Way::Reduce { look_back }) = of.way;
    let method = if look_back { ScanMethod::LookBack } else { ScanMethod::ReduceThenScan };
    let policy = Policy { scan: method, ..policy_of(device, of.subgroups) };
    let (words, first) = job.keys(of.by);
    let mut outputs = Vec::new();
    match of.way {
        Way::Scan { inclusive, .. } => {
            let how =
                if inclusive { Scan::inclusive(of.operator) } else { Scan::exclusive(of.operator) };
            let buffers = ScanBuffers::new(src, dst).count(count);
            let buffers = if of.by == By::Flags { buffers.heads(keys) } else { buffers.keys(keys) };
            scan(&mut graph, &policy, &how, &buffers)?;
            let expected = job.terms.words(&job.results(inclusive).0);
            outputs.push(Output { name: "dst", expected });
        }
        Way::Reduce { .. } => {
            let out = graph.import_array("keys_out", key, max);
            let found = graph.import::<u32>("found", 1);
            let buffers = ReduceByKeyBuffers::new((keys, src), (out, dst), found).count(count);
            reduce_by_key(&mut graph, &policy, of.operator, &buffers)?;
            let reduced = job.results(false).1;
            outputs.push(Output { name: "found", expected: vec![reduced.len() as u32] });
            outputs.push(Output { name: "keys_out", expected: first });
            outputs.push(Output { name: "dst", expected: job.terms.words(&reduced) });
        }
    }
    Ok(Case {
        name: format!("{of:?}, for {device:?}"),
        plan: graph.compile(&limits(device))?,
        outputs,
        inputs: vec![("src", job.terms.words(&job.input)), ("keys", words), count_words(of.n)],
        lane_order: false,
        may_give_up: None,
        verify: None,
        steady: Vec::new(),
    })
}

/// A value that no result has.
const UNTOUCHED: u32 = 0xDEAD_BEEF;
/// Number of elements beyond a device count.
const PAST: usize = 40;

fn segments_policy(device: Device, of: SegmentsCase) -> Policy {
    let policy = policy_of(device, of.subgroups);
    match of.by {
        By::TakenOffsets { by_subgroups: false } => {
            Policy { segment_chunk: CHUNK, subgroup_takers: u32::MAX, ..policy }
        }
        By::TakenOffsets { .. } | By::EvenOffsets | By::FallingOffsets(Falling::Taken) => {
            Policy { segment_chunk: CHUNK, subgroup_takers: 1, ..policy }
        }
        // Chunks so large that no segment is divided.
        _ => Policy { segment_chunk: 1 << 31, ..policy },
    }
}

fn offsets_case(device: Device, of: SegmentsCase) -> Result<Case> {
    let job = Prepared::new(of, of.n);
    // Some segments are empty, and the elements before the first offset are not counted.
    let mut offsets = Vec::new();
    let even = of.by == By::EvenOffsets;
    let skipped = usize::from(!even);
    for (at, _) in job.heads.iter().enumerate().filter(|(_, head)| **head).skip(skipped) {
        offsets.extend(vec![at as u32; 1 + usize::from(!even && at % 3 == 0)]);
    }
    if of.by == By::ManyOffsets {
        let at = offsets[offsets.len() / 2];
        let many = vec![at; 70 * device.threads() as usize];
        offsets.extend(many);
        offsets.sort_unstable();
    }
    // At least one segment. An offset beyond the elements is clamped to their number.
    if offsets.is_empty() {
        offsets.push(0);
    }
    // In narrow workgroups, some elements lie beyond the last segment. For one worker per segment
    // and a device count, their number would make a segment shorter or longer than a chunk.
    let behind = match of.by {
        By::ManyOffsets if of.subgroups.is_some() => 1,
        By::TakenOffsets { by_subgroups } if of.on_device => 9 + CHUNK * u32::from(by_subgroups),
        _ => 0,
    };
    offsets.retain(|&at| at <= of.n as u32 - behind);
    offsets.push(if behind > 0 { of.n as u32 - behind } else { of.n as u32 + 5 });
    offsets.sort_unstable();
    // An offset count that the lanes divide evenly when they search for the last one.
    while of.subgroups.is_some() && offsets.len() % (device.width as usize + 1) != 0 {
        offsets.insert(0, offsets[0]);
    }
    if let By::FallingOffsets(how) = of.by {
        let mut rng = Rng::new(of.n);
        if how == Falling::Searched {
            offsets.resize(70 * device.threads() as usize, 0);
        }
        offsets.fill_with(|| rng.below(of.n / 64 + 1) as u32 * 64);
    }
    let segment = |pair: &[u32]| {
        let end = pair[1].min(of.n as u32).max(pair[0]);
        let elements = job.input[pair[0] as usize..end as usize].iter();
        elements.fold(job.terms.identity(), |so_far, &x| job.terms.combine(so_far, x))
    };
    let expected: Vec<u64> = offsets.windows(2).map(segment).collect();
    let empty: Vec<bool> = offsets.windows(2).map(|pair| pair[1] <= pair[0]).collect();
    let falls = matches!(of.by, By::FallingOffsets(_));
    let segments = expected.len() as u64;
    let mut graph = Graph::new("segments");
    let (max, count) = counted(&mut graph, segments, of.on_device);
    let element = ElementType::from(of.key);
    // With a device count of elements, the elements beyond it must be ignored.
    let mut elements = job.input.clone();
    let mut inputs = Vec::new();
    let mut number = Count::Host(of.n);
    if of.on_device {
        elements.resize(elements.len() + PAST, 1);
        let (buffer, max) = (graph.import::<u32>("elements", 1), elements.len() as u64);
        number = Count::Device { buffer, index: 0, max };
        inputs.push(("elements", vec![of.n as u32]));
    }
    let src = graph.import_array("src", element, elements.len() as u64);
    let dst = graph.import_array("dst", element, max);
    let cuts = graph.import::<u32>("offsets", max + 1);
    let buffers = SegmentedReduceBuffers::new(src, cuts, dst).count(count).elements(number);
    reduce_segments(&mut graph, &segments_policy(device, of), of.operator, &buffers)?;
    offsets.resize(max as usize + 1, of.n as u32);
    inputs.extend([
        ("src", job.terms.words(&elements)),
        ("offsets", offsets),
        count_words(segments),
    ]);
    let mut expected = job.terms.words(&expected);
    if of.on_device {
        // Nothing is written beyond the counted segments.
        let words = max as usize * expected.len() / segments as usize;
        inputs.push(("dst", vec![UNTOUCHED; words]));
        expected.resize(words, UNTOUCHED);
    } else if falls {
        inputs.push(("dst", vec![UNTOUCHED; expected.len()]));
    }
    let (outputs, verify) = match falls {
        true => (Vec::new(), Some(defined_results(expected, empty))),
        false => (vec![Output { name: "dst", expected }], None),
    };
    Ok(Case {
        name: format!("{of:?}, for {device:?}"),
        plan: graph.compile(&limits(device))?,
        outputs,
        inputs,
        lane_order: false,
        may_give_up: None,
        verify,
        steady: Vec::new(),
    })
}

/// Checks that every result is written, and that those of empty segments are as expected.
fn defined_results(expected: Vec<u32>, empty: Vec<bool>) -> Verify {
    Arc::new(move |words| {
        let (found, width) = (words("dst"), expected.len() / empty.len());
        let is_wrong = |at: &usize| match empty[at / width] {
            true => found[*at] != expected[*at],
            false => found[*at] == UNTOUCHED,
        };
        let wrong = (0..expected.len()).find(is_wrong)?;
        Some(format!("`dst` word {wrong} is {:#x}", found[wrong]))
    })
}

/// With fewer rows than an eighth of this, long rows are divided into chunks.
const ROW_WORKERS: u32 = 64;
/// Number of rows beyond the elements.
const EMPTY_ROWS: u64 = 3;

fn rows_case(device: Device, of: SegmentsCase) -> Result<Case> {
    let terms = TermCase { course: of.course, ..TermCase::new(of.key, of.operator) };
    // With a device count, the elements end within a row.
    let n = of.n - if of.on_device { of.length / 2 } else { 0 };
    let input = terms.elements(n);
    let whole = |row: &[u64]| row.iter().fold(terms.identity(), |so, &x| terms.combine(so, x));
    let mut expected: Vec<u64> = input.chunks(of.length as usize).map(whole).collect();
    expected.extend([terms.identity(); EMPTY_ROWS as usize]);
    let rows = expected.len() as u64;
    let mut graph = Graph::new("rows");
    let (max, count) = counted(&mut graph, rows, of.on_device);
    let element = ElementType::from(of.key);
    let mut elements = input;
    let mut inputs = vec![count_words(rows)];
    let mut number = Count::Host(n);
    if of.on_device {
        elements.resize((of.n + of.length) as usize, 1);
        let (buffer, max) = (graph.import::<u32>("elements", 1), elements.len() as u64);
        number = Count::Device { buffer, index: 0, max };
        inputs.push(("elements", vec![n as u32]));
    }
    let src = graph.import_array("src", element, elements.len() as u64);
    let dst = graph.import_array("dst", element, max);
    let policy = policy_of(device, of.subgroups);
    let policy = match of.by {
        By::Rows { taken: true } => {
            Policy { segment_chunk: CHUNK, subgroup_takers: ROW_WORKERS, ..policy }
        }
        _ => Policy { segment_chunk: 1 << 31, ..policy },
    };
    let buffers = SegmentedReduceBuffers::rows(src, of.length, dst).count(count).elements(number);
    reduce_segments(&mut graph, &policy, of.operator, &buffers)?;
    let mut expected = terms.words(&expected);
    if of.on_device {
        // Nothing is written beyond the counted rows.
        let words = max as usize * expected.len() / rows as usize;
        inputs.push(("dst", vec![UNTOUCHED; words]));
        expected.resize(words, UNTOUCHED);
    }
    inputs.push(("src", terms.words(&elements)));
    Ok(Case {
        name: format!("{of:?}, for {device:?}"),
        plan: graph.compile(&limits(device))?,
        outputs: vec![Output { name: "dst", expected }],
        inputs,
        lane_order: false,
        may_give_up: None,
        verify: None,
        steady: Vec::new(),
    })
}

/// Every kind of term by every method; `tile` is the larger tile size of the kernels.
pub fn segments_cases(tile: u64) -> Vec<SegmentsCase> {
    let (mut all, course, subgroups) = (Vec::new(), Course::Any, None);
    for (key, operator) in TERMS {
        let rounded = key.is_float() && operator == Operator::Sum;
        for look_back in [true, false] {
            if look_back && rounded {
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
                all.push(SegmentsCase {
                    key,
                    operator,
                    way,
                    by,
                    length,
                    on_device,
                    n,
                    course,
                    subgroups,
                });
            }
        }
        let way = Way::Reduce { look_back: false };
        for (number, by) in [By::Offsets, By::Offsets, By::ManyOffsets].into_iter().enumerate() {
            let (n, length) = ([3 * tile + 5, 2 * tile, tile + 9][number], [2000, 5, 40][number]);
            // Cases that do not depend on the kind of term are run with one kind.
            if by == By::Offsets || key == KeyType::U32 {
                let on_device = number % 2 == 1;
                all.push(SegmentsCase {
                    key,
                    operator,
                    way,
                    by,
                    length,
                    on_device,
                    n,
                    course,
                    subgroups,
                });
            }
        }
    }
    let taken = [
        (false, false, Course::Any),
        (false, false, Course::Falling),
        (false, true, Course::Rising),
        (true, false, Course::Any),
        (true, true, Course::Any),
    ];
    for (key, operator) in TERMS {
        for (by_subgroups, on_device, course) in taken {
            let (way, by) = (Way::Reduce { look_back: false }, By::TakenOffsets { by_subgroups });
            // More than eight chunks of a segment are joined by a subgroup.
            let length = if by_subgroups { 25 } else { 350 };
            let n = tile + 11;
            all.push(SegmentsCase {
                key,
                operator,
                way,
                by,
                length,
                on_device,
                n,
                course,
                subgroups,
            });
        }
    }
    for (key, operator) in TERMS {
        let way = Way::Reduce { look_back: false };
        for (taken, length, rows) in [
            (false, 4, tile / 3),
            (false, 8, tile / 8),
            (false, 6, tile / 2),
            (true, 40, tile / 30),
            (true, tile / 2 + 3, 5),
        ] {
            let (by, n, on_device) = (By::Rows { taken }, rows * length, length % 4 != 0);
            let course = if on_device { Course::Rising } else { Course::Any };
            all.push(SegmentsCase {
                key,
                operator,
                way,
                by,
                length,
                on_device,
                n,
                course,
                subgroups,
            });
        }
    }
    // The count is written for empty inputs too.
    let (key, operator, way) = (KeyType::U32, Operator::Sum, Way::Reduce { look_back: true });
    let (by, length, on_device, n) = (By::Keys, 3, true, 0);
    all.push(SegmentsCase { key, operator, way, by, length, on_device, n, course, subgroups });
    all
}
