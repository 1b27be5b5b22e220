//! The machine's instructions: a module is decoded into a flat list of instructions over numbered
//! registers.
//!
//! A register holds one scalar per lane, so diverged lanes can use the same register independently.
//! Each function has a fixed set of registers, which suffices because GLSL has no recursion.

use std::ops::Range;

use rspirv::spirv::{BuiltIn, Op};

use crate::alu::Alu;
use crate::types::{Leaf, Qualifiers};

/// Index of a register. A register holds one scalar per lane.
pub(crate) type Reg = u32;

/// An address: a constant plus an optional register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub base: u64,
    pub reg: Option<Reg>,
}

/// The memory that an address refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// Registers: private and function variables, and built-in inputs.
    Private,
    Shared,
    /// Bound ranges. The bits from `OFFSET_BITS` up hold the index of the range, and the lower bits
    /// hold the byte offset in the range.
    Buffer,
    Push,
}

/// Number of low address bits that hold the byte offset in a bound range.
pub(crate) const OFFSET_BITS: u32 = 40;
/// Bit that marks an address outside of an array's bounds. The low bits hold the array index.
pub(crate) const BAD_ADDRESS: u64 = 1 << 63;

/// One index of an access chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    pub index: Reg,
    pub stride: u32,
    /// The length of the array or vector; `None` for a runtime array.
    pub len: Option<u32>,
}

/// The target of a branch, and the register copies for the phis of the target block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edge {
    pub block: u32,
    /// Destination, source and number of registers of each copy.
    pub copies: Box<[(Reg, Reg, u32)]>,
}

/// The lanes that a subgroup operation combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    Reduce,
    Inclusive,
    Exclusive,
    /// Clusters of this many lanes.
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
    // Takes the value of the lane whose index is the second operand.
    Broadcast,
    BroadcastFirst,
    Shuffle,
    ShuffleXor,
    ShuffleUp,
    ShuffleDown,
    // Combines lanes with an operation that has this identity.
    Combine { op: Alu, identity: u64, reach: Reach },
}

/// The scope of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    Invocation,
    Subgroup,
    Workgroup,
    Device,
}

/// The scope of a barrier and the memory that it orders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Semantics {
    pub scope: Scope,
    pub shared: bool,
    pub buffer: bool,
}

/// An instruction. `n` is the number of consecutive registers that it processes.
#[derive(Clone, Debug)]
pub(crate) enum Code {
    Copy { dst: Reg, src: Reg, n: u32 },
    // Computes `n` components. `steps` are the distances between the components of each operand: 1,
    // or 0 for a scalar that applies to all components.
    Alu { op: Alu, dst: Reg, args: [Reg; 3], steps: [u32; 3], n: u32 },
    // Selects one of `n` components by the index in a register.
    Pick { dst: Reg, vector: Reg, index: Reg, n: u32 },
    Insert { dst: Reg, vector: Reg, scalar: Reg, index: Reg, n: u32 },
    Chain { dst: Reg, base: Address, terms: Box<[Term]> },
    // Converts a 64-bit device address to an address in a bound range. The device address is in
    // one register, or in two if `high` is given.
    Locate { dst: Reg, low: Reg, high: Option<Reg> },
    LoadPrivate { dst: Reg, at: Address, n: u32 },
    StorePrivate { at: Address, src: Reg, n: u32 },
    Load { space: Space, dst: Reg, at: Address, leaves: Box<[Leaf]>, how: Qualifiers },
    Store { space: Space, at: Address, src: Reg, leaves: Box<[Leaf]>, how: Qualifiers },
    // `dst` receives the previous value; it is `None` if the result is not used. `args` are the
    // value and the comparator.
    Atomic { op: Op, space: Space, dst: Option<Reg>, at: Address, args: [Reg; 2], wide: bool },
    ArrayLength { dst: Reg, range: u32, offset: u32, stride: u32 },
    Group { op: GroupOp, dst: Reg, value: Reg, other: Reg, n: u32 },
    ControlBarrier { execution: Scope, memory: Semantics },
    MemoryBarrier(Semantics),
    // Marks registers as undefined: uninitialized local variables, and results of `OpUndef`.
    Forget { first: Reg, n: u32 },
    // Begins a selection whose merge block is `merge`.
    Selection { merge: u32 },
    // Begins a loop or its next iteration: `merge` is the merge block, `next` the continue target.
    Loop { merge: u32, next: u32 },
    Jump(Edge),
    Branch { condition: Reg, yes: Edge, no: Edge },
    Switch { selector: Reg, cases: Box<[(u64, Edge)]>, other: Edge },
    Call { block: u32 },
    Return,
    Unreachable,
}

/// A basic block of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// Index of its first instruction.
    pub pc: u32,
    pub function: u32,
    /// Whether the block is a merge block, a continue target or a loop header.
    pub joins: bool,
}

/// Built-in inputs that the machine writes to registers before a lane starts.
pub(crate) const INPUTS: [BuiltIn; 15] = [
    BuiltIn::WorkgroupId,
    BuiltIn::NumWorkgroups,
    BuiltIn::WorkgroupSize,
    BuiltIn::LocalInvocationId,
    BuiltIn::LocalInvocationIndex,
    BuiltIn::GlobalInvocationId,
    BuiltIn::SubgroupSize,
    BuiltIn::NumSubgroups,
    BuiltIn::SubgroupId,
    BuiltIn::SubgroupLocalInvocationId,
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
];

/// The SPIR-V instruction that a machine instruction was decoded from, for messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub function: u32,
    /// Index of the block in the module.
    pub block: u32,
    pub opcode: Op,
    pub line: u32,
}

impl Default for Origin {
    fn default() -> Self {
        Self { function: 0, block: 0, opcode: Op::Nop, line: 0 }
    }
}

/// A descriptor that the module uses.
#[derive(Clone, Debug)]
pub(crate) struct Descriptor {
    pub set: u32,
    pub binding: u32,
}

/// A decoded module, with its specialization constants resolved.
#[derive(Default)]
pub(crate) struct Program {
    pub label: String,
    pub code: Vec<Code>,
    pub origins: Vec<Origin>,
    pub blocks: Vec<Block>,
    pub functions: Vec<String>,
    pub entry: u32,
    pub registers: u32,
    /// Registers that have the same initial value in each lane: constants, and variables of module
    /// scope with initializers.
    pub constants: Vec<(Reg, u64)>,
    /// Built-in inputs and their registers.
    pub inputs: Vec<(BuiltIn, Range<Reg>)>,
    pub shared_bytes: u32,
    /// Shared variables: name, byte offset, size in bytes.
    pub shared: Vec<(String, u32, u32)>,
    pub descriptors: Vec<Descriptor>,
    pub local_size: [u32; 3],
    /// Whether each block is reachable under this specialization.
    pub live: Vec<bool>,
}
