//! Which device the machine plays: how wide its subgroups are, in which order it runs what, and
//! how little it promises.

/// In which order workgroups, subgroups and diverged lanes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// The first that can run, as far as it gets.
    InOrder,
    /// The last that can run, as far as it gets; workgroups are started from the last one on.
    Reversed,
    /// Any that can run, for a few accesses to memory.
    Random,
    /// As `Random`, but some workgroups are stopped after so many accesses to memory, and go on when
    /// all others have ended. They are fewer than can be on the device at a time.
    HeldBack {
        /// The first of them, counted in the order in which they are started.
        first: u64,
        /// How many follow each other.
        count: u64,
        /// Accesses and barriers that each gets before.
        after: u64,
    },
    /// As `Random`, but now and then a workgroup that has just read a volatile word stands still for
    /// a while. Whoever then writes what it made of the word overwrites what others did to it.
    Stalls,
}

/// Where lanes that diverged come together again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reconvergence {
    /// At the end of every construct: `SPV_KHR_maximal_reconvergence`.
    Maximal,
    /// At the end of constructs that the whole subgroup entered together:
    /// `SPV_KHR_subgroup_uniform_control_flow`.
    SubgroupUniform,
    /// At the end of constructs that the whole workgroup entered: what SPIR-V promises without an
    /// extension. Whether other subgroups take another way is known only when they get there;
    /// `Schedule::Reversed` and seeds find more.
    WorkgroupUniform,
}

/// In which order the lanes of one atomic instruction are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicOrder {
    /// From the first lane to the last: what ranking by lane order relies on.
    Lane,
    /// From the last to the first.
    Reversed,
    /// In any order.
    Any,
}

/// How a control barrier of subgroup scope is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubgroupBarriers {
    /// As Vulkan specifies.
    Kept,
    /// As llvmpipe of Mesa 25 does: as a barrier of the workgroup. The n-th barrier of a subgroup, whatever its scope,
    /// meets the n-th barrier of every other subgroup, and if one of them has ended, the others do not go on. The lanes of a subgroup run in lockstep, so
    /// a memory barrier of subgroup scope orders the accesses of the lanes that execute it together.
    OfWorkgroup {
        /// Whether kernels are run as the engine gives them to such a device: with a memory barrier in place of each
        /// subgroup barrier.
        replaced: bool,
    },
}

/// Which device the machine plays.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Lanes of a subgroup: 1 to 128.
    pub width: u32,
    /// The order of everything.
    pub schedule: Schedule,
    /// Where lanes come together.
    pub reconvergence: Reconvergence,
    /// The order within an atomic instruction.
    pub atomics: AtomicOrder,
    /// How subgroup barriers are executed.
    pub subgroup_barriers: SubgroupBarriers,
    /// Whether an atomic or volatile load may see what a word held before the last write, where
    /// nothing makes that write come before the load.
    pub old_values: bool,
    /// Workgroups that are on the device at a time.
    pub resident: usize,
    /// Instructions, each counted once for each lane, after which a dispatch is stopped.
    pub budget: u64,
    /// Whether a run ends with the first finding: to know that there is one.
    pub first_only: bool,
    /// For whatever is chosen at random.
    pub seed: u64,
}

impl Options {
    /// A usual device with subgroups of `width` lanes, which runs everything in order.
    pub fn new(width: u32) -> Self {
        Self {
            width,
            schedule: Schedule::InOrder,
            reconvergence: Reconvergence::Maximal,
            atomics: AtomicOrder::Any,
            subgroup_barriers: SubgroupBarriers::Kept,
            old_values: true,
            resident: 4,
            budget: 4_000_000_000,
            first_only: false,
            seed: 1,
        }
    }
}
