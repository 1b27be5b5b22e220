//! Runs a plan with arbitrary values in device memory and checks every word. The arrays of the plan
//! lie in one device array, with guard words between them. Words that a test does not set contain a
//! poison pattern, and so does the memory of the plan's workspace.

use multisplit::Bound;
use multisplit_tests::prelude::*;

/// Minimum number of words between two arrays: the largest offset alignment that Vulkan allows.
const GUARD: usize = 64;
/// Number of cases per operation in a plain run.
const CASES: usize = 36;
/// Number of cases per operation in a full run.
const FULL_CASES: usize = 10_000;
/// After this many cases, the plan gets a new workspace whose memory contains poison.
const WORKSPACE_CASES: usize = 20;
/// Number of words that plans can use as device counts.
const COUNTS: usize = 4;
/// Elements are below this bound, so that no sum of elements looks like poison.
pub const BOUND: u64 = 1 << 12;
/// Capacities for which fills, copies and selections are declared.
pub const SIZES: [usize; 3] = [40, 700, 6_000];

/// Returns all plans of an operation in a full run, and every second one in a plain run.
pub fn sample<T>(gpu: &Gpu, plans: impl IntoIterator<Item = T>) -> Vec<T> {
    plans.into_iter().step_by(if gpu.full { 1 } else { 2 }).collect()
}

/// A policy with small workgroups, so that a few thousand elements span several tiles.
pub fn narrow(gpu: &Gpu) -> Policy {
    let policy = gpu.policy();
    let threads = 2 * policy.facts.subgroup_size;
    Policy { threads, spine_threads: threads, by_key_threads: threads, ..policy }
}

fn poison(words: usize) -> Vec<u32> {
    (0..words as u32).map(|at| 0xDEAD_0000 | (at.wrapping_mul(0x9E37) & 0xFFFF)).collect()
}

fn is_poison(word: u32) -> bool {
    word >> 16 == 0xDEAD
}

/// Fills the context's free memory with poison by uploading and dropping arrays of many sizes.
pub fn poison_pools(context: &Context) -> Result<()> {
    let sizes = (2..16).flat_map(|log| [1usize << log, 3 << log]);
    let arrays: Result<Vec<_>, _> = sizes.map(|len| context.upload(&poison(len))).collect();
    drop(arrays?);
    Ok(())
}

pub fn expect_no_poison(found: &[u32]) -> Result<()> {
    let foreign = found.iter().filter(|word| is_poison(**word)).count();
    ensure!(foreign == 0, "{foreign} of {} words contain poison", found.len());
    Ok(())
}

/// An array of the plan.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    pub import: Buffer,
    at: usize,
    len: usize,
}

/// Contents of all arrays before a run.
pub struct Memory {
    words: Vec<u32>,
    counts: Words,
}

impl Memory {
    /// Sets the first words of an array.
    pub fn set(&mut self, array: Words, words: &[u32]) {
        assert!(words.len() <= array.len, "{} words do not fit in {array:?}", words.len());
        self.words[array.at..][..words.len()].copy_from_slice(words);
    }

    /// Sets word `index` of the array of device counts to an arbitrary value. Returns the value,
    /// clamped to `max`.
    pub fn set_count(&mut self, rng: &mut Rng, index: usize, max: usize) -> usize {
        let value = hostile_count(rng, max as u32);
        self.words[self.counts.at + index] = value;
        max.min(value as usize)
    }
}

/// A check of the first words of an output.
pub type Check = Box<dyn Fn(&[u32]) -> Result<()>>;

/// Expected first words of an array. Its other words must not change.
pub enum Expected {
    /// The array begins with exactly these words.
    Exactly(Words, Vec<u32>),
    /// The array begins with this many words that are not poison and that pass the check.
    Any(Words, usize, Check),
}

/// The plan of one operation.
pub struct Rig<'g> {
    gpu: &'g Gpu,
    pub graph: Graph,
    arrays: Vec<Words>,
    words: usize,
}

impl<'g> Rig<'g> {
    pub fn new(gpu: &'g Gpu) -> Self {
        let mut rig = Self { gpu, graph: Graph::new("hostile"), arrays: Vec::new(), words: GUARD };
        rig.array("counts", COUNTS);
        rig
    }

    /// Adds an array of `len` words.
    pub fn array(&mut self, name: &str, len: usize) -> Words {
        let import = self.graph.import::<u32>(name, len as u64);
        let array = Words { import, at: self.words, len };
        self.words = (self.words + len).next_multiple_of(GUARD) + GUARD;
        self.arrays.push(array);
        array
    }

    /// The count in word `index` of the array of device counts; [`Memory::set_count`] sets it.
    pub fn count(&self, index: u64, max: usize) -> Count {
        Count::Device { buffer: self.arrays[0].import, index, max: max as u64 }
    }

    /// Number of cases for each plan if the operation has `plans` plans.
    fn cases(&self, plans: usize) -> usize {
        let cases = if self.gpu.full { FULL_CASES } else { CASES };
        cases.div_ceil(plans)
    }

    /// Runs this plan on the inputs that `case` creates. The cases of an operation are divided
    /// among its plans, of which there are `plans`.
    pub fn run(
        &self,
        plans: usize,
        case: impl Fn(&mut Rng, &mut Memory) -> Vec<Expected>,
    ) -> Result<()> {
        let context = &self.gpu.context;
        let plan = self.graph.compile(&context.limits())?;
        let device = context.zeroed::<u32>(self.words as u64)?;
        let bound: Vec<Bound<'_>> =
            self.arrays.iter().map(|a| (a.import, &device, 4 * a.at as u64).into()).collect();
        for first in (0..self.cases(plans)).step_by(WORKSPACE_CASES) {
            poison_pools(context)?;
            let executable = context.instantiate(plan.clone())?;
            for number in first..self.cases(plans).min(first + WORKSPACE_CASES) {
                let mut memory = Memory { words: poison(self.words), counts: self.arrays[0] };
                let expected = case(&mut Rng::new(number as u64), &mut memory);
                context.write(&device, 0, &memory.words)?;
                context.run(&executable, &bound)?;
                check(memory, &expected, &context.download(&device)?)
                    .with_context(|| format!("case {number}"))?;
            }
        }
        Ok(())
    }
}

fn check(memory: Memory, expected: &[Expected], found: &[u32]) -> Result<()> {
    let mut all = memory.words;
    for expected in expected {
        match expected {
            Expected::Exactly(array, words) => {
                all[array.at..][..words.len()].copy_from_slice(words);
            }
            Expected::Any(array, len, check) => {
                let words = &found[array.at..][..*len];
                expect_no_poison(words)?;
                check(words)?;
                all[array.at..][..*len].copy_from_slice(words);
            }
        }
    }
    let Some(at) = all.iter().zip(found).position(|(word, found)| word != found) else {
        return Ok(());
    };
    let names = expected.iter().map(|expected| match expected {
        Expected::Exactly(array, _) | Expected::Any(array, ..) => array,
    });
    let place = names.filter(|array| (array.at..array.at + array.len).contains(&at));
    let place: Vec<_> = place.map(|array| at - array.at).collect();
    let (found, expected) = (found[at], all[at]);
    bail!("word {at} (at index {place:?} of an output) is {found:#x}, expected {expected:#x}")
}

/// An arbitrary count: near 0, near `max`, near a power of two, or random.
fn hostile_count(rng: &mut Rng, max: u32) -> u32 {
    let some = rng.below(u64::from(max) + 1) as u32;
    let values =
        [0, 1, 2, max / 2, max - 1, max, max + 1, 1 << 31, u32::MAX - 1, u32::MAX, some, some];
    match rng.below(values.len() as u64 + 1) as usize {
        at if at < values.len() => values[at],
        _ => rng.next_u32(),
    }
}

/// `len` arbitrary offsets into `n` elements: ascending, descending, equal, beyond the end, or
/// mixed.
pub fn hostile_offsets(rng: &mut Rng, n: usize, len: usize) -> Vec<u32> {
    let n = n as u32;
    let up_to = |rng: &mut Rng, max: u32| rng.below(u64::from(max) + 1) as u32;
    let kind = rng.below(12);
    let mut all: Vec<u32> = (0..len as u32)
        .map(|k| match kind {
            0 => n,
            1 if k % 2 == 1 => 0,
            1 => n.saturating_sub(k),
            2 => n.saturating_sub(k),
            3 => [0, u32::MAX][k as usize % 2],
            4 => rng.next_u32(),
            5 => k % 97 * (n / 97 + 1),
            _ => up_to(rng, if kind < 8 { n } else { n + n / 8 + 1 }),
        })
        .collect();
    if kind >= 7 {
        all.sort_unstable();
    }
    // A few offsets out of order among ascending ones.
    for _ in 0..if kind >= 10 { 1 + rng.below(4) } else { 0 } {
        let at = rng.below(len as u64) as usize;
        all[at] = up_to(rng, n + 1);
    }
    all
}

/// Random elements below [`BOUND`].
pub fn elements(n: usize, rng: &mut Rng) -> Vec<u32> {
    (0..n).map(|_| rng.below(BOUND) as u32).collect()
}

/// Random elements with many equal neighbours.
pub fn runs(n: usize, rng: &mut Rng) -> Vec<u32> {
    let mut key = 0;
    let mut next = || {
        if rng.below(3) == 0 {
            key = rng.below(BOUND) as u32;
        }
        key
    };
    (0..n).map(|_| next()).collect()
}
