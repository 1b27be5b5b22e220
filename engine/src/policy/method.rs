//! Methods that a policy selects from.

/// Method of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanMethod {
    /// Three passes: the sum of each tile, a scan of the sums, and a scan of each tile. Requires only barriers.
    ReduceThenScan,
    /// One pass with decoupled look-back: reads and writes each element once.
    LookBack,
    /// Look-back for arrays of at most this many elements, reduce-then-scan for longer ones.
    LookBackUpTo(u64),
}

impl ScanMethod {
    /// Returns the method for `n` elements: `ReduceThenScan` or `LookBack`.
    pub(crate) fn for_length(self, n: u64) -> Self {
        match self {
            Self::LookBackUpTo(max) if n <= max => Self::LookBack,
            Self::LookBackUpTo(_) => Self::ReduceThenScan,
            method => method,
        }
    }
}

/// Method of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// A method that suits the device, the number of buckets and the data.
    Auto,
    /// Direct multisplit: one subproblem per subgroup, no reordering (DMS in the paper).
    Direct,
    /// Warp-level multisplit: reorders tiles within a subgroup (WMS in the paper).
    Warp,
    /// Block-level multisplit: reorders tiles across a workgroup (BMS in the paper).
    Block,
    /// A histogram, then a single pass with decoupled look-back.
    OneSweep,
    /// ceil(log2 m) rounds, each splitting in two by a scan of flags. A baseline of the paper.
    ScanSplit,
    /// Sorts labels by ceil(log2 m) bits, together with the elements. A baseline of the paper. Evaluates the
    /// bucket function once per key.
    ReducedBitSort,
    /// A radix sort by the whole key, for buckets in key order: `Delta`, `Range`, `OrderedDigit` of the top
    /// bits, and for unsigned keys `Digit` of the top bits and `Identity`. The result is sorted within each
    /// bucket, so only equal keys keep their input order. Requires a host count.
    FullSort,
}

impl Method {
    /// All methods that are stable within buckets: every method except `FullSort` and `Auto`.
    pub const ALL: [Self; 6] = [
        Self::Direct,
        Self::Warp,
        Self::Block,
        Self::OneSweep,
        Self::ScanSplit,
        Self::ReducedBitSort,
    ];
}

/// Method of a sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SortMethod {
    /// A method that suits the device and the number of elements.
    #[default]
    Auto,
    /// The method of the paper: each round is a multisplit in three stages, block-level on GPUs and direct on
    /// software drivers (`SortTuning::rounds`).
    Multisplit {
        /// Bits per digit: 4 to 8.
        radix_bits: u32,
    },
    /// One pass computes the histograms of all digits, then there is one pass per digit. Skips passes that
    /// would not change the order.
    OneSweep,
    /// A single workgroup, for arrays that fit in one tile.
    Small,
    /// Counts the keys and writes each value as often as it occurs. Requires whole keys of 8 or 16 bits without
    /// values.
    Counting,
}

/// Method of ranking the keys of a tile by bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(clippy::manual_non_exhaustive, reason = "the hidden one is for tests")]
pub enum Ranking {
    /// By ballots. Relies only on Vulkan's guarantees.
    Ballots,
    /// By lane order: an atomic add returns the rank. Relies on two properties that Vulkan does not guarantee.
    /// Atomics on shared memory must execute in program order, and atomics of one instruction to the same
    /// address in lane order.
    LaneOrder,
    /// Like `LaneOrder` with the lanes reversed, as on a device that does not keep lane order. For tests of the
    /// check that detects such devices.
    #[cfg(feature = "broken-plans")]
    #[doc(hidden)]
    ReversedLanes,
}

impl Ranking {
    /// Whether it relies on lane order.
    pub(crate) fn is_by_lane_order(self) -> bool {
        self != Self::Ballots
    }

    /// Whether lanes are reversed on purpose.
    pub(crate) fn is_reversed(self) -> bool {
        #[cfg(feature = "broken-plans")]
        return self == Self::ReversedLanes;
        #[cfg(not(feature = "broken-plans"))]
        false
    }
}

/// Point at which the values of a tile are loaded. Loading them earlier hides more latency, but occupies
/// registers for longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValuesAfter {
    /// Together with the keys.
    Loading,
    /// After the keys are ranked.
    Ranking,
    /// After the first keys are in order in shared memory.
    Ordering,
}
