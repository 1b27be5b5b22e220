//! Number of elements that an operation processes: a host count or a device count.
//!
//! For a device count, one small pass reads the count and computes all lengths that are derived from it (tiles,
//! subproblems, words to clear). It writes a record for the count and for each length: the number, and the arguments
//! of an indirect dispatch. The other passes read these records. A single barrier thus makes all arguments of indirect
//! dispatches available.

use multisplit_graph::{Buffer, Graph, Groups, PassBuilder, PassId, View};
use multisplit_shaders::{builtin, push_constants};

use crate::error::{Error, Result};
use crate::execute::own_pass::OwnPasses;
use crate::operations::shared::{ALIGNMENT, WORD, check_size};
use crate::policy::Policy;

/// Number of elements that an operation processes.
///
/// ```
/// use multisplit::graph::Graph;
/// use multisplit::Scan;
/// use multisplit::operations::{Count, ScanBuffers, scan};
///
/// # let gpu = multisplit::Context::new()?;
/// let mut graph = Graph::new("some sums");
/// let (src, dst) = (graph.import::<u32>("src", 1000), graph.import::<u32>("dst", 1000));
/// let state = graph.import::<u32>("state", 8); // word 3 is the count
/// let n = Count::Device { buffer: state, index: 3, max: 1000 };
/// scan(&mut graph, &gpu.policy(), &Scan::default(), &ScanBuffers::new(src, dst).count(n))?;
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// A number that is known when the graph is built.
    Host(u64),
    /// A `u32` in device memory, read when the passes run.
    Device {
        /// Buffer that contains the word.
        buffer: Buffer,
        /// Index of the word in the buffer.
        index: u64,
        /// Upper bound. Larger counts are clamped to it, and buffers are sized for it.
        max: u64,
    },
}

impl Count {
    /// The count, or its upper bound.
    pub fn max(self) -> u64 {
        match self {
            Self::Host(max) | Self::Device { max, .. } => max,
        }
    }
}

impl From<u64> for Count {
    fn from(count: u64) -> Self {
        Self::Host(count)
    }
}

/// Size of a record in bytes: the three words of an indirect dispatch, and the number.
const RECORD_BYTES: u64 = 16;
/// Maximum number of lengths that an operation derives from its count. The push constants of every device have room
/// for this many, next to two buffer addresses. Only scans with many levels of tile sums would need more; these do
/// not occur with workgroups of reasonable size.
const STEPS: usize = 6;
/// Flag in the first word of a step: the length is at least one. Must match `prepare.comp`.
const AT_LEAST_ONE: u32 = 1 << 31;

push_constants! {
    struct PreparePush {
        index: u32,
        max_count: u32,
        max_groups: u32,
        used: u32,
        steps: [[u32; 4]; STEPS],
    }
}

/// A number of elements, tiles, words or workgroups. Either the host knows it, or a record contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// The number, or its upper bound.
    pub max: u64,
    /// Index of the record; `None` if the host knows the number.
    record: Option<u32>,
}

impl Length {
    pub fn known(number: u64) -> Self {
        Self { max: number, record: None }
    }

    pub fn is_known(self) -> bool {
        self.record.is_none()
    }
}

/// Derives the lengths of one operation from its count. Either the host knows all of them, or records contain all of
/// them.
#[derive(Debug)]
pub struct Lengths {
    /// Buffer and index of the device count, and its upper bound. `None` for a host count.
    source: Option<(Buffer, u64, u32)>,
    /// For each derived length: the record that it is derived from (and a flag), the divisor, the factor, the summand.
    steps: Vec<[u32; 4]>,
}

impl Lengths {
    /// Creates the lengths of an operation. Also returns the count of its elements as a length.
    pub fn new(count: Count) -> Result<(Self, Length)> {
        let max = count.max();
        let none = Self { source: None, steps: Vec::new() };
        let Count::Device { buffer, index, .. } = count else {
            return Ok((none, Length::known(max)));
        };
        check_word(buffer, index)?;
        let source = Some((buffer, index, word(max)?));
        Ok((Self { source, ..none }, Length { max, record: Some(0) }))
    }

    /// Number of parts of `size` elements that cover the length.
    pub fn parts(&mut self, of: Length, size: u64) -> Result<Length> {
        self.step(of, of.max.div_ceil(size), 0, [size, 1, 0])
    }

    /// Like [`parts`](Self::parts), but at least one. If the length is 0, the only part is empty.
    pub fn at_least_one_part(&mut self, of: Length, size: u64) -> Result<Length> {
        self.step(of, of.max.div_ceil(size).max(1), AT_LEAST_ONE, [size, 1, 0])
    }

    /// The length multiplied by `times`, plus `plus`.
    pub fn scaled(&mut self, of: Length, times: u64, plus: u64) -> Result<Length> {
        let max = of.max.saturating_mul(times).saturating_add(plus);
        self.step(of, max, 0, [1, times, plus])
    }

    fn step(&mut self, of: Length, max: u64, flags: u32, terms: [u64; 3]) -> Result<Length> {
        let Some(from) = of.record else { return Ok(Length::known(max)) };
        // The device computes the number with 32 bits, so its upper bound must fit.
        word(max)?;
        if self.steps.len() == STEPS {
            let problem = "the workgroup sizes (`threads`, `spine_threads`) are too small for a device count; increase them".to_owned();
            return Err(Error::Policy { problem });
        }
        let [divide, times, plus] = terms;
        self.steps.push([from | flags, word(divide)?, word(times)?, word(plus)?]);
        Ok(Length { max, record: Some(self.steps.len() as u32) })
    }

    /// Adds the pass that computes the lengths on the device, unless the host knows them.
    pub fn prepare(self, graph: &mut Graph, policy: &Policy, label: &str) -> Result<Prepared> {
        if self.source.is_none() {
            return Ok(Prepared::default());
        }
        let records = 1 + self.steps.len() as u64;
        let records = graph.transient_bytes("count.records", records * RECORD_BYTES);
        self.write_to(records, graph, policy, label)?;
        Ok(Prepared { records: Some(records) })
    }

    /// Adds the pass that writes the lengths to `records`, unless the host knows them.
    fn write_to(
        self,
        records: Buffer,
        graph: &mut Graph,
        policy: &Policy,
        label: &str,
    ) -> Result<()> {
        let Some((buffer, index, max)) = self.source else { return Ok(()) };
        let (source, index) = around(buffer, index);
        let mut steps = [[0; 4]; STEPS];
        steps.iter_mut().zip(&self.steps).for_each(|(to, from)| *to = *from);
        let push = PreparePush {
            index,
            max_count: max,
            max_groups: policy.facts.max_groups.max(1),
            used: self.steps.len() as u32,
            steps,
        };
        graph
            .own_pass(label, &builtin::COUNT_PREPARE.kernel()?)
            .bind("source", source)
            .scratch("counts", records)
            .push(&push)
            .dispatch(Groups::linear(1));
        Ok(())
    }
}

/// Words that [`dispatch_arguments`] writes.
pub const DISPATCH_WORDS: u64 = 2 * RECORD_BYTES / WORD;

/// Adds a pass that writes arguments of indirect dispatches for a device count to the first [`DISPATCH_WORDS`] words
/// of `arguments`: a `VkDispatchIndirectCommand` of one workgroup per element, the count, a
/// `VkDispatchIndirectCommand` of one workgroup per `threads` elements, and the number of these workgroups. Workgroup
/// counts that exceed the device limit in x extend in y, as in [`Groups::Linear`]. A host count adds no pass.
pub fn dispatch_arguments(
    graph: &mut Graph,
    policy: &Policy,
    count: Count,
    threads: u32,
    arguments: Buffer,
) -> Result<()> {
    check_size("arguments", arguments, DISPATCH_WORDS * WORD)?;
    let (mut lengths, n) = Lengths::new(count)?;
    lengths.parts(n, threads.max(1).into())?;
    lengths.write_to(arguments, graph, policy, "count.dispatch")
}

/// Count of a second array. For kernels that include `count_word.glsl`.
#[derive(Clone, Copy, Debug)]
pub struct OtherCount {
    /// The number, or its upper bound.
    pub max: u32,
    /// Index of the count within the bound view.
    pub index: u32,
    /// View that contains the count; `None` for a host count.
    word: Option<View>,
}

impl OtherCount {
    pub fn new(count: Count) -> Result<Self> {
        let max = word(count.max())?;
        let Count::Device { buffer, index, .. } = count else {
            return Ok(Self { max, index: 0, word: None });
        };
        check_word(buffer, index)?;
        let (view, index) = around(buffer, index);
        Ok(Self { max, index, word: Some(view) })
    }

    /// Binds the view that contains the count. For a host count, the kernel does not read this binding, and `any` is
    /// bound instead: any view that the pass does not write.
    pub fn bind<'g>(self, pass: PassBuilder<'g>, any: View) -> PassBuilder<'g> {
        pass.bind("other_count", self.word.unwrap_or(any))
            .specialize("OTHER_ON_DEVICE", u32::from(self.word.is_some()))
    }
}

/// Checks that the buffer contains word `index`.
pub fn check_word(buffer: Buffer, index: u64) -> Result<()> {
    check_size("count", buffer, index.saturating_add(1).saturating_mul(WORD))
}

/// Returns a view with a valid binding offset that contains the word, and the index of the word within the view.
pub fn around(buffer: Buffer, index: u64) -> (View, u32) {
    let begin = index * WORD / ALIGNMENT * ALIGNMENT;
    let view = buffer.range(begin, ALIGNMENT.min(buffer.size() - begin));
    (view, (index - begin / WORD) as u32)
}

/// Rejects numbers that exceed 32 bits.
fn word(number: u64) -> Result<u32> {
    let limit = u64::from(u32::MAX);
    let what = "number of elements, or a number computed from it";
    u32::try_from(number).map_err(|_| Error::TooLarge { what, asked: number, limit })
}

/// The records of an operation. Its passes bind them, and read their dispatch arguments from them. There are no records
/// for a host count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prepared {
    records: Option<Buffer>,
}

impl Prepared {
    /// Push-constant value for a length: the number, or the index of its record. For kernels that include `count.glsl`.
    pub fn pushed(self, length: Length) -> u32 {
        // Callers have checked that lengths known to the host fit in 32 bits.
        length.record.unwrap_or(length.max as u32)
    }

    /// Binds the records. For kernels that include `count.glsl`. For a host count, the kernel does not read this
    /// binding, and `any` is bound instead: any view that the pass does not write.
    pub fn bind<'g>(self, pass: PassBuilder<'g>, any: View) -> PassBuilder<'g> {
        let on_device = u32::from(self.records.is_some());
        pass.bind("counts", self.records.map_or(any, View::from))
            .specialize("COUNT_ON_DEVICE", on_device)
    }

    /// Dispatches the pass with `groups` workgroups, and adds it to the graph.
    pub fn dispatch(self, pass: PassBuilder<'_>, groups: Length) -> PassId {
        match (self.records, groups.record) {
            (Some(records), Some(record)) => {
                let at = u64::from(record) * RECORD_BYTES;
                pass.dispatch_indirect(records.range(at, RECORD_BYTES))
            }
            _ => pass.dispatch(Groups::linear(groups.max)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::test_policy;

    #[test]
    fn host_counts_do_not_add_a_pass() {
        let (mut lengths, n) = Lengths::new(Count::Host(1000)).expect("the count is valid");
        let valid = |length: Result<Length>| length.expect("the length fits in 32 bits");
        let tiles = valid(lengths.parts(n, 300));
        let words = valid(lengths.scaled(tiles, 3, 5));
        let one = valid(lengths.at_least_one_part(Length::known(0), 8));
        assert_eq!((tiles.max, words.max, one.max), (4, 17, 1));
        let mut graph = Graph::new("known");
        let policy = test_policy(32, 256);
        let prepared =
            lengths.prepare(&mut graph, &policy, "prepare").expect("a host count needs no pass");
        assert_eq!(prepared.pushed(words), 17);
        assert!(graph.compile(&Default::default()).expect("the graph is valid").steps().is_empty());
    }

    #[test]
    fn oversized_counts_out_of_bounds_indices_and_surplus_steps_are_rejected() {
        let mut graph = Graph::new("refused");
        let buffer = graph.import::<u32>("count", 4);
        let device = |index, max| Count::Device { buffer, index, max };
        assert!(Lengths::new(device(3, 100)).is_ok());
        assert!(matches!(Lengths::new(device(4, 1)), Err(Error::BufferTooSmall { .. })));
        assert!(matches!(Lengths::new(device(u64::MAX, 1)), Err(Error::BufferTooSmall { .. })));
        assert!(matches!(Lengths::new(device(0, 1 << 32)), Err(Error::TooLarge { .. })));
        let (mut lengths, n) = Lengths::new(device(0, 1 << 31)).expect("the count is valid");
        assert!(matches!(lengths.scaled(n, 3, 0), Err(Error::TooLarge { .. })));
        for _ in 0..STEPS {
            assert!(lengths.parts(n, 2).is_ok());
        }
        assert!(matches!(lengths.parts(n, 2), Err(Error::Policy { .. })));
    }

    #[test]
    fn step_count_matches_the_kernel() {
        assert_eq!(builtin::COUNT_PREPARE.define("STEPS"), Some(STEPS as u32));
    }
}
