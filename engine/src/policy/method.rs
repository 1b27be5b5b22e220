//! The methods that sizes choose among.

/// How a scan is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanMethod {
    /// The sum of each tile, a scan of the sums, a scan of each tile: three passes that need
    /// nothing of the device beyond barriers.
    ReduceThenScan,
    /// One pass with decoupled look-back: each element is read once and written once.
    LookBack,
    /// Look-back for arrays of up to so many elements, reduce-then-scan for longer ones.
    LookBackUpTo(u64),
}

impl ScanMethod {
    /// The method for `n` elements: one of the first two.
    pub(crate) fn for_length(self, n: u64) -> Self {
        match self {
            Self::LookBackUpTo(most) if n <= most => Self::LookBack,
            Self::LookBackUpTo(_) => Self::ReduceThenScan,
            method => method,
        }
    }
}

/// How a split is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// What suits the device, the number of buckets and the data.
    Auto,
    /// Direct multisplit: a subproblem a subgroup, no reordering (the paper's DMS).
    Direct,
    /// Warp-level multisplit: tiles are reordered within a subgroup (the paper's WMS).
    Warp,
    /// Block-level multisplit: tiles are reordered across a workgroup (the paper's BMS).
    Block,
    /// One histogram, then a single pass with decoupled look-back.
    OneSweep,
    /// ceil(log2 m) rounds, each of which splits in two by a scan of flags: what the paper
    /// compares with.
    ScanSplit,
    /// Labels, sorted on ceil(log2 m) bits, that take the elements along: what the paper compares
    /// with. The bucket function is evaluated once a key.
    ReducedBitSort,
    /// A radix sort by the whole key, for buckets that are in the order of the keys: `Delta` and
    /// `Range`, the top bits by `OrderedDigit`, and of unsigned keys `Digit` and `Identity`. Within
    /// a bucket the result is in the order of the keys, and only equal keys stay in input order. n
    /// must be known to the host.
    FullSort,
}

impl Method {
    /// Every method whose result is stable within buckets, which leaves out `FullSort`; and not
    /// `Auto`.
    pub const ALL: [Self; 6] = [
        Self::Direct,
        Self::Warp,
        Self::Block,
        Self::OneSweep,
        Self::ScanSplit,
        Self::ReducedBitSort,
    ];
}

/// How a sort is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SortMethod {
    /// What suits the device and the number of elements.
    #[default]
    Auto,
    /// The paper's: each round is a multisplit in three stages, block-level on GPUs and direct on
    /// software drivers (`SortTuning::rounds`).
    Multisplit {
        /// Bits of a digit: 4 to 8.
        radix_bits: u32,
    },
    /// The histograms of all digits in one read, then one pass a digit; passes that would change
    /// nothing are left out.
    OneSweep,
    /// All in one workgroup, for what fits a tile.
    Small,
    /// Keys are counted, and each value is written as often as it was there: for whole keys of 8 or 16 bits,
    /// without values.
    Counting,
}

/// How the keys of a tile find their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(clippy::manual_non_exhaustive, reason = "the hidden one is for tests")]
pub enum Ranking {
    /// By ballots, which rely on nothing that Vulkan does not promise.
    Ballots,
    /// By lane order: what an atomic add returns is the rank. It relies on atomics on shared memory
    /// being performed in the order of the program, and those of one instruction, where they meet,
    /// in lane order. Vulkan does not promise it.
    LaneOrder,
    /// The same with lane order reversed on purpose, as on a device that does not keep it: for tests of
    /// the check that tiles make of themselves.
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

/// When the values of a tile are loaded. The earlier, the less is waited for, and the longer they
/// take up registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValuesAfter {
    /// Together with the keys.
    Loading,
    /// When the keys are ranked.
    Ranking,
    /// When the first keys are in order in shared memory.
    Ordering,
}
