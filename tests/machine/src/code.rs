//! What the machine executes: a module decoded once into a flat list of instructions over
//! numbered registers.
//!
//! A register holds one scalar of each lane. Functions have registers of their own, since GLSL
//! knows no recursion; a lane is in one place at a time, so that lanes in different places never
//! meet in them.

use crate::alu::Alu;
use crate::types::{Leaf, Qualifiers};

/// A register: one scalar a lane.
pub(crate) type Reg = u32;

/// An address: a constant, and what a register adds to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub base: u64,
    pub reg: Option<Reg>,
}

/// Which memory an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// Registers: private and function variables, and built-in inputs.
    Private,
    Shared,
    /// Bound ranges: the number of the range from bit 40 on, and a byte in it.
    Buffer,
    Push,
}

/// Bits of an address that say which byte of a bound range.
pub(crate) const OFFSET_BITS: u32 = 40;
/// An address that is out of an array's bounds, with the index in the low bits.
pub(crate) const BAD_ADDRESS: u64 = 1 << 63;

/// One index of an access chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    pub index: Reg,
    pub stride: u32,
    /// The length of the array; none for one that ends with its buffer.
    pub len: Option<u32>,
}

/// Where a branch goes, and what the phis there take.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edge {
    pub block: u32,
    pub copies: Box<[(Reg, Reg, u32)]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicOp {
    Load,
    Store,
    Exchange,
    CompareExchange,
    Add,
    Sub,
    SMin,
    UMin,
    SMax,
    UMax,
    And,
    Or,
    Xor,
    Increment,
    Decrement,
}

/// Over which lanes a subgroup's operation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    Reduce,
    Inclusive,
    Exclusive,
    /// In clusters of so many lanes.
    Clustered(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum GroupOp {
    Elect,
    All,
    Any,
    AllEqual,
    Ballot,
    InverseBallot,
    BallotBitExtract,
    BallotBitCount(Reach),
    BallotFindLsb,
    BallotFindMsb,
    /// From the lane in the second operand.
    Broadcast,
    BroadcastFirst,
    Shuffle,
    ShuffleXor,
    ShuffleUp,
    ShuffleDown,
    /// Combines by an operation that has this identity.
    Combine {
        op: Alu,
        identity: u64,
        reach: Reach,
    },
}

/// How far a barrier reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    Invocation,
    Subgroup,
    Workgroup,
    Device,
}

/// Of a barrier: how far, and which memory it orders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Semantics {
    pub scope: Scope,
    pub shared: bool,
    pub buffer: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Code {
    Copy {
        dst: Reg,
        src: Reg,
        n: u32,
    },
    /// `n` components; an operand whose bit is set in `same` is one scalar for all of them.
    Alu {
        op: Alu,
        dst: Reg,
        args: [Reg; 3],
        n: u32,
        same: u8,
    },
    /// The component that a register says, of `n`.
    Pick {
        dst: Reg,
        vector: Reg,
        index: Reg,
        n: u32,
    },
    Insert {
        dst: Reg,
        vector: Reg,
        scalar: Reg,
        index: Reg,
        n: u32,
    },
    Chain {
        dst: Reg,
        base: Address,
        terms: Box<[Term]>,
    },
    /// The address of memory whose 64-bit address two registers hold, or one wide one.
    Locate {
        dst: Reg,
        low: Reg,
        high: Option<Reg>,
    },
    LoadPrivate {
        dst: Reg,
        at: Address,
        n: u32,
    },
    StorePrivate {
        at: Address,
        src: Reg,
        n: u32,
    },
    Load {
        space: Space,
        dst: Reg,
        at: Address,
        leaves: Box<[Leaf]>,
        how: Qualifiers,
    },
    Store {
        space: Space,
        at: Address,
        src: Reg,
        leaves: Box<[Leaf]>,
        how: Qualifiers,
    },
    Atomic {
        op: AtomicOp,
        space: Space,
        dst: Reg,
        at: Address,
        value: Reg,
        compare: Reg,
        wide: bool,
        /// Whether anybody asks what was there before.
        used: bool,
    },
    ArrayLength {
        dst: Reg,
        range: u32,
        offset: u32,
        stride: u32,
    },
    Group {
        op: GroupOp,
        dst: Reg,
        value: Reg,
        other: Reg,
        n: u32,
    },
    ControlBarrier {
        execution: Scope,
        memory: Semantics,
    },
    MemoryBarrier(Semantics),
    /// Variables that a function begins with, and that nobody has set.
    Forget {
        first: Reg,
        n: u32,
    },
    /// A selection begins that ends with block `merge`.
    Selection {
        merge: u32,
    },
    /// A loop begins, or goes on: `merge` follows it, `next` leads to the next iteration.
    Loop {
        merge: u32,
        next: u32,
    },
    Jump(Edge),
    Branch {
        condition: Reg,
        yes: Edge,
        no: Edge,
    },
    Switch {
        selector: Reg,
        cases: Box<[(u64, Edge)]>,
        other: Edge,
    },
    Call {
        block: u32,
    },
    Return,
    Unreachable,
}

/// A block of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// Its first instruction.
    pub pc: u32,
    pub function: u32,
    /// A construct may end, or a loop go on, here.
    pub joins: bool,
}

/// A value that the machine puts into registers before a lane begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    WorkgroupId,
    NumWorkgroups,
    WorkgroupSize,
    LocalInvocationId,
    LocalInvocationIndex,
    GlobalInvocationId,
    SubgroupSize,
    NumSubgroups,
    SubgroupId,
    SubgroupInvocation,
    SubgroupEqMask,
    SubgroupGeMask,
    SubgroupGtMask,
    SubgroupLeMask,
    SubgroupLtMask,
}

impl Input {
    /// How many registers it takes.
    pub fn scalars(self) -> usize {
        match self {
            Self::WorkgroupId
            | Self::NumWorkgroups
            | Self::WorkgroupSize
            | Self::LocalInvocationId
            | Self::GlobalInvocationId => 3,
            Self::LocalInvocationIndex
            | Self::SubgroupSize
            | Self::NumSubgroups
            | Self::SubgroupId
            | Self::SubgroupInvocation => 1,
            Self::SubgroupEqMask
            | Self::SubgroupGeMask
            | Self::SubgroupGtMask
            | Self::SubgroupLeMask
            | Self::SubgroupLtMask => 4,
        }
    }
}

/// Where an instruction comes from, for messages.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub function: u32,
    /// The block, counted through the module.
    pub block: u32,
    pub opcode: rspirv::spirv::Op,
    pub line: u32,
}

/// A descriptor that the module uses.
#[derive(Clone, Debug)]
pub(crate) struct Descriptor {
    pub set: u32,
    pub binding: u32,
}

/// A decoded module, with its specialization constants resolved.
pub struct Program {
    pub(crate) label: String,
    pub(crate) code: Vec<Code>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) functions: Vec<String>,
    pub(crate) entry: u32,
    pub(crate) registers: u32,
    /// Registers that hold the same in every lane: constants, and variables with initializers.
    pub(crate) constants: Vec<(Reg, u64)>,
    pub(crate) inputs: Vec<(Input, Reg)>,
    pub(crate) shared_bytes: u32,
    /// Shared variables: name, first byte, bytes.
    pub(crate) shared: Vec<(String, u32, u32)>,
    pub(crate) descriptors: Vec<Descriptor>,
    pub(crate) local_size: [u32; 3],
    /// Blocks that can be executed under this specialization.
    pub(crate) live: Vec<bool>,
}

impl Program {
    /// The kernel's label.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The size of a workgroup.
    pub fn local_size(&self) -> [u32; 3] {
        self.local_size
    }
}
