//! Methods for scans, splits, sorts and ranking, selected by a policy or by the caller.

/// Method of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanMethod {
    /// Three stages: the sum of each tile, a scan of the sums, and a scan of each tile. Requires only barriers.
    ReduceThenScan,
    /// One pass with decoupled look-back: reads and writes each element once.
    LookBack,
    /// Look-back for arrays of at most this many elements, reduce-then-scan for longer ones.
    LookBackUpTo(u64),
}

impl ScanMethod {
    /// Returns the method for `n` elements, which is `ReduceThenScan` or `LookBack`.
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
    /// Chosen by the policy, from the number of buckets and from whether the bucket function is user-defined.
    Auto,
    /// Direct multisplit (DMS in the paper): each subgroup processes one subproblem and writes the keys without
    /// reordering them first.
    Direct,
    /// Warp-level multisplit (WMS in the paper): each subgroup reorders its keys by bucket before it writes them.
    Warp,
    /// Block-level multisplit (BMS in the paper): each workgroup reorders its keys by bucket before it writes them.
    Block,
    /// One pass that computes a histogram, then one pass with decoupled look-back that moves the keys.
    OneSweep,
    /// ceil(log2 m) rounds. Each round splits by one bit of the bucket id, with a scan of flags. A baseline of the
    /// paper.
    ScanSplit,
    /// Computes the bucket id (label) of each key once, and radix-sorts the elements by the ceil(log2 m) bits of
    /// their labels. A baseline of the paper.
    ReducedBitSort,
    /// A radix sort by the whole key. Requires buckets in key order: `Delta`, `Range`, `OrderedDigit` of the top
    /// bits, and for unsigned keys `Digit` of the top bits and `Identity`. The result is sorted within each bucket,
    /// so only equal keys keep their input order. Requires a host count.
    FullSort,
}

impl Method {
    /// All methods that keep the input order within each bucket: every method except `FullSort` and `Auto`.
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
    /// Chosen by the policy, from the keys and their number, the bits to sort by, and whether there are values.
    #[default]
    Auto,
    /// The method of the paper: each round is a multisplit by one digit, in three stages. By default, the multisplit
    /// is block-level on GPUs and direct on software drivers (`SortTuning::rounds`).
    Multisplit {
        /// Bits per digit: 4 to 8.
        radix_bits: u32,
    },
    /// One pass that computes the histograms of all digits, then one pass per digit. A pass is skipped if it would
    /// not change the order.
    OneSweep,
    /// One workgroup sorts the whole array, which must fit in one tile.
    Small,
    /// Counting sort: counts each value and writes it that many times. Requires whole keys of 8 or 16 bits, without
    /// values.
    Counting,
}

/// Method that computes the rank of each key of a tile among the keys with the same bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(clippy::manual_non_exhaustive, reason = "the hidden variant is for tests")]
pub enum Ranking {
    /// Subgroup ballots. Relies only on Vulkan's guarantees.
    Ballots,
    /// Lane order: an atomic add on a shared counter returns the rank. Relies on two properties that Vulkan does not
    /// guarantee: atomics on shared memory execute in program order, and atomics of one instruction to the same
    /// address execute in lane order.
    LaneOrder,
    /// Like `LaneOrder`, but with the lanes reversed. Simulates a device that does not keep lane order, to test that
    /// kernels detect this.
    #[cfg(feature = "broken-plans")]
    #[doc(hidden)]
    ReversedLanes,
}

impl Ranking {
    /// Whether this method relies on lane order.
    pub(crate) fn is_by_lane_order(self) -> bool {
        self != Self::Ballots
    }

    /// Whether this is `ReversedLanes`, which only tests use.
    pub(crate) fn is_reversed(self) -> bool {
        #[cfg(feature = "broken-plans")]
        return self == Self::ReversedLanes;
        #[cfg(not(feature = "broken-plans"))]
        false
    }
}

/// Stage of a kernel at which it loads the values of a tile. Loading early hides more latency, but occupies registers
/// for longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValuesAfter {
    /// Together with the keys.
    Loading,
    /// After the keys are ranked.
    Ranking,
    /// After the keys of the tile's first turn ([`TileShape::turns`](crate::operations::split::TileShape::turns)) are in
    /// order in shared memory.
    Ordering,
}
