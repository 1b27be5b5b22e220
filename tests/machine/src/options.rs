//! Options of the simulated device: subgroup width, scheduling order, and guarantees.

/// Scheduling order of workgroups, subgroups and tangles (sets of lanes that execute together).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Runs the first workgroup, subgroup or tangle that can run, until it must wait.
    InOrder,
    /// Runs the last workgroup, subgroup or tangle that can run, until it must wait. Workgroups
    /// start in reverse order.
    Reversed,
    /// Runs a random workgroup, subgroup and tangle for a few memory accesses, then picks again.
    Random,
    /// Like `Random`, but some workgroups stop after a number of accesses and continue only when
    /// all others have ended. The number of stopped workgroups must be less than
    /// `Options::resident`.
    HeldBack {
        /// Index of the first stopped workgroup, in starting order.
        first: u64,
        /// Number of stopped workgroups; their indices are consecutive.
        count: u64,
        /// Number of accesses and barriers after which these workgroups stop.
        after: u64,
    },
    /// Like `Random`, but sometimes a workgroup stalls right after it has read a volatile word. If
    /// it then writes a value computed from that word, it overwrites the updates of other
    /// workgroups.
    Stalls,
}

/// Points at which diverged lanes reconverge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reconvergence {
    /// At the end of every construct: `SPV_KHR_maximal_reconvergence`.
    Maximal,
    /// At the end of constructs that the whole subgroup entered together:
    /// `SPV_KHR_subgroup_uniform_control_flow`.
    SubgroupUniform,
    /// At the end of constructs that the whole workgroup entered, as SPIR-V guarantees without
    /// extensions. A path counts as taken by the whole workgroup until another subgroup takes a
    /// different one, so some defects are found only with `Schedule::Reversed` or other seeds.
    WorkgroupUniform,
}

/// Execution order of the lanes of one atomic instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicOrder {
    /// From the first lane to the last, as ranking by lane order requires.
    Lane,
    /// From the last lane to the first.
    Reversed,
    /// In random order.
    Any,
}

/// Execution of control barriers with subgroup scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubgroupBarriers {
    /// As Vulkan specifies.
    Kept,
    /// As a workgroup barrier, like llvmpipe of Mesa 25. The n-th barrier of a subgroup, regardless
    /// of its scope, waits for the n-th barrier of every other subgroup. If one subgroup has ended,
    /// the others do not continue after a subgroup barrier. The lanes of a subgroup run in
    /// lockstep, so a memory barrier of subgroup scope orders the accesses of the lanes that
    /// execute it together.
    OfWorkgroup {
        /// Whether to apply the engine's workaround for such devices, which replaces each subgroup
        /// barrier by a memory barrier.
        replaced: bool,
    },
}

/// Behaviour of the device that deviates from Vulkan or from the properties that it reports. By
/// default, there are no deviations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The value of `gl_SubgroupSize`, if it differs from the actual width.
    pub subgroup_size: Option<u32>,
    /// Subgroup arithmetic combines the lanes of each half of a subgroup separately.
    pub halved_arithmetic: bool,
    /// If several lanes of an atomic instruction access the same word of shared memory, only one
    /// of them updates the word. All of them return the old value.
    pub lost_atomics: bool,
    /// `barrier()` does not wait in workgroups with at most this many threads.
    pub ignored_barriers_up_to: u32,
}

/// The simulated device.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Subgroup width: 1 to 128 lanes.
    pub width: u32,
    /// Scheduling order.
    pub schedule: Schedule,
    /// Points at which diverged lanes reconverge.
    pub reconvergence: Reconvergence,
    /// Execution order of lanes within an atomic instruction.
    pub atomics: AtomicOrder,
    /// Execution of subgroup barriers.
    pub subgroup_barriers: SubgroupBarriers,
    /// Faults of the device.
    pub faults: Faults,
    /// Whether an atomic or volatile load may return the old value of a word if the last write is
    /// not ordered before the load.
    pub old_values: bool,
    /// Maximum number of workgroups on the device at a time.
    pub resident: usize,
    /// Maximum number of instructions of a dispatch, counted per lane.
    pub budget: u64,
    /// Whether a run stops at the first finding.
    pub first_only: bool,
    /// Seed of all random choices.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self::new(32)
    }
}

impl Options {
    /// A device with subgroups of `width` lanes, in-order scheduling, and no faults.
    pub fn new(width: u32) -> Self {
        Self {
            width,
            schedule: Schedule::InOrder,
            reconvergence: Reconvergence::Maximal,
            atomics: AtomicOrder::Any,
            subgroup_barriers: SubgroupBarriers::Kept,
            faults: Faults::default(),
            old_values: true,
            resident: 4,
            budget: 4_000_000_000,
            first_only: false,
            seed: 1,
        }
    }
}
