//! What an operation is to do, on how many elements: everything but the buffers.

use multisplit_graph::{Buffer, Graph};

use super::Role;
use crate::error::Result;
use crate::primitives::histogram::{self, Histogram, HistogramBuffers, Weight};
use crate::primitives::multisplit::{self, Split, SplitBuffers, SplitOutput};
use crate::primitives::sort::{self, Sort, SortBuffers, SortPlace, SortValues};
use crate::primitives::{Count, Policy, scan};

/// How many elements an operation works on, and who knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// Always as many.
    Fixed(u64),
    /// As many as each recording says ([`Recording::count`](super::Recording::count)).
    Recorded {
        /// The most there can be. Buffers are sized by it.
        most: u64,
    },
    /// As many as a word on the device says when the commands run ([`Role::Count`]).
    Device {
        /// The most there can be; a larger number counts as this. Buffers are sized by it.
        most: u64,
        /// Which word it is of the buffer that is given.
        index: u64,
    },
}

impl Elements {
    /// The most there can be.
    pub fn most(self) -> u64 {
        match self {
            Self::Fixed(most) | Self::Recorded { most } | Self::Device { most, .. } => most,
        }
    }
}

impl From<u64> for Elements {
    fn from(count: u64) -> Self {
        Self::Fixed(count)
    }
}

/// What an operation is to do.
#[derive(Clone, Debug)]
pub enum Task {
    /// Radix sort.
    Sort(SortTask),
    /// Multisplit.
    Split(SplitTask),
    /// Histogram.
    Histogram(HistogramTask),
    /// Exclusive scan of u32.
    Scan(ScanTask),
}

/// A sort. Roles: [`Role::Keys`]; [`Role::Values`] or [`Role::Indices`]; between two buffers
/// also [`Role::KeysOther`], [`Role::ValuesOther`] and [`Role::Half`].
#[derive(Clone, Debug)]
pub struct SortTask {
    /// What is sorted, and how.
    pub sort: Sort,
    /// How many.
    pub n: Elements,
    /// What keys take along.
    pub along: Along,
    /// Sorts between two buffers of each kind instead of in place, which spares the workspace the
    /// second one: the result is then in either.
    pub double_buffered: bool,
}

/// What keys take along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// Nothing.
    Nothing,
    /// A value each, of 4, 8 or 16 bytes.
    Values {
        /// Bytes of a value.
        bytes: u32,
    },
    /// Their number.
    Indices,
}

impl SortTask {
    /// A sort of keys alone, in place.
    pub fn new(sort: Sort, n: impl Into<Elements>) -> Self {
        Self { sort, n: n.into(), along: Along::Nothing, double_buffered: false }
    }
}

/// A split. Roles: [`Role::Keys`], [`Role::Offsets`], [`Role::Outside`] where wanted, and those of
/// the [`SplitOutputs`].
#[derive(Clone, Debug)]
pub struct SplitTask {
    /// What is split, and how.
    pub split: Split,
    /// How many.
    pub n: Elements,
    /// What comes out.
    pub outputs: SplitOutputs,
    /// Whether keys with ids past the last bucket are counted.
    pub outside: bool,
    /// Words of [`Role::Table`], for a function of the user's that reads one; 0 for none.
    pub table_words: u64,
}

/// What comes out of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitOutputs {
    /// [`Role::KeysOut`].
    Keys,
    /// [`Role::KeysOut`], and [`Role::Values`] as [`Role::ValuesOut`].
    Pairs {
        /// Bytes of a value: 4, 8 or 16.
        value_bytes: u32,
    },
    /// [`Role::Permutation`].
    Permutation,
}

impl SplitTask {
    /// A split of keys alone.
    pub fn new(split: Split, n: impl Into<Elements>) -> Self {
        let outputs = SplitOutputs::Keys;
        Self { split, n: n.into(), outputs, outside: false, table_words: 0 }
    }
}

/// A histogram. Roles: [`Role::Samples`], [`Role::Weights`] where it has any, [`Role::Counts`], and
/// [`Role::Dropped`] and [`Role::Cumulative`] where wanted.
#[derive(Clone, Debug)]
pub struct HistogramTask {
    /// What is counted, and how.
    pub histogram: Histogram,
    /// How many.
    pub n: Elements,
    /// Whether samples in no bin are counted.
    pub dropped: bool,
    /// Whether the prefix sums of the counts are wanted.
    pub cumulative: bool,
    /// Words of [`Role::Table`], for a function of the user's that reads one; 0 for none.
    pub table_words: u64,
}

impl HistogramTask {
    /// The counts alone.
    pub fn new(histogram: Histogram, n: impl Into<Elements>) -> Self {
        Self { histogram, n: n.into(), dropped: false, cumulative: false, table_words: 0 }
    }
}

/// An exclusive scan of u32. Roles: [`Role::Input`] and [`Role::Output`].
#[derive(Clone, Copy, Debug)]
pub struct ScanTask {
    /// How many.
    pub n: Elements,
}

macro_rules! into_task {
    ($($variant:ident: $task:ident),*) => {
        $(impl From<$task> for Task {
            fn from(task: $task) -> Self {
                Self::$variant(task)
            }
        })*
    };
}

into_task!(Sort: SortTask, Split: SplitTask, Histogram: HistogramTask, Scan: ScanTask);

/// The label of the pass that writes a number that is known when it is recorded.
pub(super) const COUNT_LABEL: &str = "embed.count";

/// A task on its way into a graph.
pub(super) struct Declaration<'g> {
    pub graph: &'g mut Graph,
    pub roles: Vec<(Role, Buffer)>,
}

impl Declaration<'_> {
    /// The engine's buffer for a role. Vulkan has no empty ones.
    fn import(&mut self, role: Role, len: u64, bytes: u32) -> Buffer {
        let size = len.saturating_mul(bytes.into()).max(4);
        let buffer = self.graph.import_bytes(role.name(), size);
        self.roles.push((role, buffer));
        buffer
    }

    fn count(&mut self, n: Elements) -> Count {
        match n {
            Elements::Fixed(n) => n.into(),
            Elements::Recorded { most } => {
                let buffer = self.graph.transient::<u32>(Role::Count.name(), 1);
                self.graph.update(COUNT_LABEL, buffer, &[0; 4]);
                Count::Device { buffer, index: 0, most }
            }
            Elements::Device { most, index } => {
                let buffer = self.import(Role::Count, index.saturating_add(1), WORD);
                Count::Device { buffer, index, most }
            }
        }
    }

    /// The table of a user's function, which only then has one.
    #[cfg(feature = "glsl")]
    fn table(&mut self, user: &mut multisplit::UserBucket, words: u64) {
        if words > 0 {
            *user = user.clone().with_table(self.import(Role::Table, words, WORD));
        }
    }
}

const WORD: u32 = 4;

impl Task {
    /// The name of the plan.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Sort(_) => "sort",
            Self::Split(_) => "split",
            Self::Histogram(_) => "histogram",
            Self::Scan(_) => "scan",
        }
    }

    pub(super) fn elements(&self) -> Elements {
        match self {
            Self::Sort(task) => task.n,
            Self::Split(task) => task.n,
            Self::Histogram(task) => task.n,
            Self::Scan(task) => task.n,
        }
    }

    pub(super) fn declare(&self, into: &mut Declaration<'_>, policy: &Policy) -> Result<()> {
        match self {
            Self::Sort(task) => task.declare(into, policy),
            Self::Split(task) => task.declare(into, policy),
            Self::Histogram(task) => task.declare(into, policy),
            Self::Scan(task) => {
                let n = into.count(task.n);
                let src = into.import(Role::Input, n.most(), WORD);
                let dst = into.import(Role::Output, n.most(), WORD);
                scan::exclusive(into.graph, policy, src, dst, n)
            }
        }
    }
}

impl SortTask {
    fn declare(&self, into: &mut Declaration<'_>, policy: &Policy) -> Result<()> {
        let n = into.count(self.n);
        let (most, key_bytes) = (n.most(), self.sort.key.bytes());
        let keys = into.import(Role::Keys, most, key_bytes);
        let values = match self.along {
            Along::Nothing => SortValues::None,
            Along::Values { bytes } => {
                SortValues::Values { buffer: into.import(Role::Values, most, bytes), bytes }
            }
            Along::Indices => SortValues::Indices(into.import(Role::Indices, most, WORD)),
        };
        let value_bytes = match self.along {
            Along::Nothing => None,
            Along::Values { bytes } => Some(bytes),
            Along::Indices => Some(WORD),
        };
        let place = if self.double_buffered {
            SortPlace::DoubleBuffer {
                keys: into.import(Role::KeysOther, most, key_bytes),
                values: value_bytes.map(|bytes| into.import(Role::ValuesOther, most, bytes)),
                half: into.import(Role::Half, 1, WORD),
            }
        } else {
            SortPlace::InPlace
        };
        let buffers = SortBuffers { n, keys, values, place };
        sort::add(into.graph, policy, &self.sort, &buffers).map(|_| ())
    }
}

impl SplitTask {
    fn declare(&self, into: &mut Declaration<'_>, policy: &Policy) -> Result<()> {
        let n = into.count(self.n);
        let (most, key_bytes) = (n.most(), self.split.key.bytes());
        let keys = into.import(Role::Keys, most, key_bytes);
        let output = match self.outputs {
            SplitOutputs::Keys => SplitOutput::Keys(into.import(Role::KeysOut, most, key_bytes)),
            SplitOutputs::Pairs { value_bytes } => SplitOutput::Pairs {
                keys: into.import(Role::KeysOut, most, key_bytes),
                values_in: into.import(Role::Values, most, value_bytes),
                values: into.import(Role::ValuesOut, most, value_bytes),
                value_bytes,
            },
            SplitOutputs::Permutation => {
                SplitOutput::Permutation(into.import(Role::Permutation, most, WORD))
            }
        };
        let offsets = into.import(Role::Offsets, u64::from(self.split.buckets) + 1, WORD);
        let outside = self.outside.then(|| into.import(Role::Outside, 1, WORD));
        #[cfg_attr(not(feature = "glsl"), expect(unused_mut))]
        let mut split = self.split.clone();
        #[cfg(feature = "glsl")]
        if let multisplit::Bucket::Glsl(user) = &mut split.bucket {
            into.table(user, self.table_words);
        }
        let buffers = SplitBuffers { n, keys, output, offsets, outside };
        multisplit::add(into.graph, policy, &split, &buffers).map(|_| ())
    }
}

impl HistogramTask {
    fn declare(&self, into: &mut Declaration<'_>, policy: &Policy) -> Result<()> {
        let n = into.count(self.n);
        #[cfg_attr(not(feature = "glsl"), expect(unused_mut))]
        let mut histogram = self.histogram.clone();
        let (bins, channels) =
            (u64::from(histogram.bins), u64::from(histogram.layout.active_channels()));
        let count_bytes = if histogram.wide { 2 * WORD } else { WORD };
        let sample_bytes = histogram.layout.bytes(histogram.sample, n.most());
        let samples = into.import(Role::Samples, sample_bytes, 1);
        let weighted = histogram.weight != Weight::None;
        let weights = weighted.then(|| into.import(Role::Weights, n.most(), WORD));
        let counts = into.import(Role::Counts, bins.saturating_mul(channels), count_bytes);
        let dropped = self.dropped.then(|| into.import(Role::Dropped, channels, count_bytes));
        let cumulative = self.cumulative.then(|| into.import(Role::Cumulative, bins, WORD));
        #[cfg(feature = "glsl")]
        if let histogram::Bins::Glsl(user) = &mut histogram.function {
            into.table(user, self.table_words);
        }
        let buffers = HistogramBuffers { n, samples, weights, counts, dropped, cumulative };
        histogram::add(into.graph, policy, &histogram, &buffers).map(|_| ())
    }
}
