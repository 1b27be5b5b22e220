//! The enumerations and small structures that several calls have in common.
//!
//! A member that C fills with an enumeration is `MaybeUninit` here: C may write any number there,
//! and Rust must not take it for a value before it has been looked at. The header shows the
//! enumeration itself.

use std::mem::MaybeUninit;

use multisplit::ash::vk;
use multisplit::graph::Scope;
use multisplit::{ExecutableOptions, KeyType, SampleType, embed};

use crate::read;
use crate::result::Outcome;
use crate::vulkan::{VkBool32, VkBuffer, VkDeviceAddress, VkDeviceSize};

/// Says of an enumeration which values it has, from zero on.
macro_rules! choice {
    ($name:ident: $($value:ident),* $(,)?) => {
        const _: () = {
            let mut next = 0;
            $(assert!($name::$value as i32 == next); next += 1;)*
            assert!(next > 0);
        };
        // SAFETY: as asserted above; it is declared `repr(C)`.
        unsafe impl $crate::read::Choice for $name {
            const NAME: &'static str = stringify!($name);
            const ALL: &'static [Self] = &[$(Self::$value),*];
        }
    };
}
pub(crate) use choice;

/// What a key is. Floats are in their total order: -NaN first, -0 before 0, NaN last.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitKeyType {
    /// `uint32_t`.
    U32 = 0,
    /// `int32_t`.
    I32 = 1,
    /// `float`.
    F32 = 2,
    /// `uint64_t`; needs `shaderInt64`.
    U64 = 3,
    /// `int64_t`; needs `shaderInt64`.
    I64 = 4,
    /// `double`; needs `shaderInt64`.
    F64 = 5,
    /// `uint8_t`. Keys of 8 and 16 bits can be sorted, split and searched for the largest, and lie in whole
    /// words: the buffer of a role has a multiple of 4 bytes, of which those past the last key stay as they are.
    U8 = 6,
    /// `int8_t`.
    I8 = 7,
    /// `uint16_t`.
    U16 = 8,
    /// `int16_t`.
    I16 = 9,
    /// A float of 16 bits as in IEEE 754: `_Float16`.
    F16 = 10,
    /// The upper half of a `float`: bfloat16.
    Bf16 = 11,
}
choice!(MultisplitKeyType: U32, I32, F32, U64, I64, F64, U8, I8, U16, I16, F16, Bf16);

impl From<MultisplitKeyType> for KeyType {
    fn from(key: MultisplitKeyType) -> Self {
        match key {
            MultisplitKeyType::U32 => Self::U32,
            MultisplitKeyType::I32 => Self::I32,
            MultisplitKeyType::F32 => Self::F32,
            MultisplitKeyType::U64 => Self::U64,
            MultisplitKeyType::I64 => Self::I64,
            MultisplitKeyType::F64 => Self::F64,
            MultisplitKeyType::U8 => Self::U8,
            MultisplitKeyType::I8 => Self::I8,
            MultisplitKeyType::U16 => Self::U16,
            MultisplitKeyType::I16 => Self::I16,
            MultisplitKeyType::F16 => Self::F16,
            MultisplitKeyType::Bf16 => Self::Bf16,
        }
    }
}

/// How two elements of a scan or of a reduction are combined.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitOperator {
    /// Their sum. Integers wrap around. Floats are added in an order that depends on the device and the
    /// count, and is the same from run to run.
    Sum = 0,
    /// The least. Floats are in the order of a sort: -NaN first, -0 before 0, NaN last.
    Min = 1,
    /// The greatest, in the same order.
    Max = 2,
    /// By a function in GLSL, `K combined(K a, K b)`, which is associative. It need not be commutative:
    /// elements are combined in their order.
    Glsl = 3,
}
choice!(MultisplitOperator: Sum, Min, Max, Glsl);

/// What a sample of a histogram is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitSampleType {
    /// `uint8_t`.
    U8 = 0,
    /// `uint16_t`.
    U16 = 1,
    /// `uint32_t`.
    U32 = 2,
    /// `int32_t`.
    I32 = 3,
    /// `uint64_t`; needs `shaderInt64`.
    U64 = 4,
    /// `float`.
    F32 = 5,
    /// `double`; needs `shaderInt64` and `shaderFloat64`.
    F64 = 6,
    /// `int64_t`; needs `shaderInt64`.
    I64 = 7,
}
choice!(MultisplitSampleType: U8, U16, U32, I32, U64, F32, F64, I64);

impl From<MultisplitSampleType> for SampleType {
    fn from(sample: MultisplitSampleType) -> Self {
        match sample {
            MultisplitSampleType::U8 => Self::U8,
            MultisplitSampleType::U16 => Self::U16,
            MultisplitSampleType::U32 => Self::U32,
            MultisplitSampleType::I32 => Self::I32,
            MultisplitSampleType::U64 => Self::U64,
            MultisplitSampleType::F32 => Self::F32,
            MultisplitSampleType::F64 => Self::F64,
            MultisplitSampleType::I64 => Self::I64,
        }
    }
}

/// What a buffer is to an operation. Each `Multisplit*Info` lists the roles of its operations;
/// `multisplit_operation_contract` gives the size of each buffer, and how it is used.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitRole {
    /// The keys of a sort, sorted in place; the keys of a split, a top-k, a reduction or a scan by key, only
    /// read; the first keys of a merge, only read.
    Keys = 0,
    /// The keys of a split, in the order of their buckets; those that a top-k found; those of the runs of a
    /// reduction by key; all keys of a merge.
    KeysOut = 1,
    /// The other keys of a sort between two buffers; the second keys of a merge, only read.
    KeysOther = 2,
    /// The values of a sort, moved along; the values of a split, a reduction or a scan by key, only read; those
    /// of the first keys of a merge, only read.
    Values = 3,
    /// The values of a split or a merge, in the order of the keys; what those of each run combine to in a
    /// reduction by key; the results of a scan by key.
    ValuesOut = 4,
    /// The other values, or the other indices, of a sort between two buffers; the values of the second keys of
    /// a merge, only read.
    ValuesOther = 5,
    /// Gets, for each place of a sort, which element of the input comes there; of a top-k, which elements
    /// of their row were found; of a reduction, where its result is: `uint32_t`.
    Indices = 6,
    /// One word: 0 where a sort between two buffers has left the result where the input was, else 1.
    Half = 7,
    /// Gets, for each element of a split, where it goes: `uint32_t`.
    Permutation = 8,
    /// Of a split m + 1 words: where each bucket begins, and n. Of a sort or a reduction of segments one word
    /// more than there are segments, only read: where each begins, and where the last one ends.
    Offsets = 9,
    /// What is out of range. Of a split one word: the number of keys whose function gave an id of m or
    /// more. Of a histogram one count for each channel that is counted: of the samples in no bin.
    OutOfRange = 10,
    /// The words that a function in GLSL reads as `table.at[]`.
    Table = 11,
    /// The samples of a histogram, only read.
    Samples = 12,
    /// A weight for each element of a histogram, only read.
    Weights = 13,
    /// The counts of a histogram: m for each channel that is counted.
    Counts = 14,
    /// m words: the exclusive prefix sums of the counts of a histogram.
    Cumulative = 15,
    /// The elements of a scan, a reduction or a selection, only read.
    Input = 16,
    /// The results of a scan; the result of a reduction, or of each of its segments; the elements that were
    /// selected.
    Output = 17,
    /// The words one of which is the device count.
    Count = 18,
    /// A word for each element of a selection, or of a scan in segments that begin where it is not zero; only
    /// read.
    Flags = 19,
    /// One word: how many elements were selected, or how many runs there are of a reduction by key.
    Found = 20,
    /// The elements that were not selected.
    Rejected = 21,
    /// The lengths of runs, a word for each element that was selected.
    RunLengths = 22,
    /// The sorted array of a search, only read.
    Sorted = 23,
    /// What a search looks for, only read.
    Needles = 24,
    /// Gets, for each needle of a search, where it could be put: `uint32_t`.
    Positions = 25,
    /// The words one of which is the device count of a second array, or of segments.
    OtherCount = 26,
}
choice!(MultisplitRole:
    Keys, KeysOut, KeysOther, Values, ValuesOut, ValuesOther, Indices, Half, Permutation, Offsets, OutOfRange, Table, Samples, Weights, Counts, Cumulative, Input, Output, Count, Flags, Found, Rejected, RunLengths, Sorted, Needles, Positions, OtherCount,
);

impl MultisplitRole {
    /// The name of its buffer in plans and messages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Keys => "keys",
            Self::KeysOut => "keys.out",
            Self::KeysOther => "keys.other",
            Self::Values => "values",
            Self::ValuesOut => "values.out",
            Self::ValuesOther => "values.other",
            Self::Indices => "indices",
            Self::Half => "half",
            Self::Permutation => "permutation",
            Self::Offsets => "offsets",
            Self::OutOfRange => "out_of_range",
            Self::Table => "table",
            Self::Samples => "samples",
            Self::Weights => "weights",
            Self::Counts => "counts",
            Self::Cumulative => "cumulative",
            Self::Input => "input",
            Self::Output => "output",
            Self::Count => "count",
            Self::Flags => "flags",
            Self::Found => "found",
            Self::Rejected => "rejected",
            Self::RunLengths => "run_lengths",
            Self::Sorted => "sorted",
            Self::Needles => "needles",
            Self::Positions => "positions",
            Self::OtherCount => "other_count",
        }
    }
}

/// Who records the barriers between an operation and what the caller does before and after.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitBarriers {
    /// The caller, but for the buffers and ends for which `scopes` name a scope.
    Caller = 0,
    /// The operation, for all buffers: against all commands before and after, but for those for which
    /// `scopes` name a narrower scope. Simple, and on some devices some microseconds slower.
    Full = 1,
}
choice!(MultisplitBarriers: Caller, Full);

/// Where the number of elements comes from.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitCount {
    /// It is always n.
    Fixed = 0,
    /// A host count: `count` of each recording. A larger one than n is an error.
    Recorded = 1,
    /// A device count: a word of the buffer of `MULTISPLIT_ROLE_COUNT`, read when the commands run. A
    /// larger number than n counts as n.
    Device = 2,
}
choice!(MultisplitCount: Fixed, Recorded, Device);

/// How many elements a second array has, or how many segments there are.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitOtherCount {
    /// The number, or its maximum. Buffers are sized by it.
    pub n: u64,
    /// Where the number comes from; 0: it is always n. Recordings have it as `other_count`, and a device
    /// count is a word of the buffer of `MULTISPLIT_ROLE_OTHER_COUNT`.
    pub count: MaybeUninit<MultisplitCount>,
    /// For a device count: which word of that buffer it is.
    pub count_index: u32,
}

/// Pipeline stages, and what they do with a buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MultisplitScope {
    /// Bits of `VkPipelineStageFlagBits2`; 0 for no scope.
    pub stages: u64,
    /// Bits of `VkAccessFlagBits2`; 0, with stages: an execution dependency, for a caller that has only
    /// read there.
    pub access: u64,
}

impl MultisplitScope {
    /// As the planner knows it; none where nothing is said.
    pub(crate) fn scope(self) -> Option<Scope> {
        let stages = vk::PipelineStageFlags2::from_raw(self.stages);
        let access = vk::AccessFlags2::from_raw(self.access);
        (self.stages != 0 || self.access != 0).then(|| embed::scope(stages, access))
    }
}

impl From<Option<Scope>> for MultisplitScope {
    fn from(scope: Option<Scope>) -> Self {
        let (stages, access) = embed::stages_and_access(scope.unwrap_or_default());
        Self { stages: stages.as_raw(), access: access.as_raw() }
    }
}

/// What the caller does with a buffer before and after an operation. Where it is given, the operation
/// records the barrier; otherwise the caller does, by the scopes of `multisplit_operation_contract`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitRoleScope {
    /// Which buffer.
    pub role: MaybeUninit<MultisplitRole>,
    /// Must be 0.
    pub reserved: u32,
    /// The caller's last use before; no stages: the caller records that barrier.
    pub before: MultisplitScope,
    /// The caller's first use after; no stages: the caller records that barrier.
    pub after: MultisplitScope,
}

/// What all operations have in common. Every member but `n` may be 0, which is its default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitCommonInfo {
    /// The number of elements, or its maximum: at most 2^30 - 1, in arrays of at most
    /// `maxStorageBufferRange` bytes each. Buffers are sized by it.
    pub n: u64,
    /// Where the number of elements comes from; 0: it is always n.
    pub count: MaybeUninit<MultisplitCount>,
    /// For a device count: which word of the buffer of `MULTISPLIT_ROLE_COUNT` it is.
    pub count_index: u32,
    /// What the caller does before and after; may be `NULL` if `scope_count` is 0. Copied.
    pub scopes: *const MultisplitRoleScope,
    /// Number of scopes.
    pub scope_count: u32,
    /// Frames in flight: how many recordings of the operation may be recorded and yet to run. Threads
    /// that record at the same time have frames of their own. At most 1024; 0: 2.
    pub frames: u32,
    /// Whether each recording is given scratch memory (`workspace` of `MultisplitRecordInfo`); otherwise
    /// the operation allocates its own, one piece for each frame.
    pub caller_workspace: VkBool32,
    /// Whether kernels take addresses instead of descriptors, for engines that have no descriptors to
    /// spare: buffers are then created with `VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT`, and may be bound
    /// by address. Needs `MULTISPLIT_FEATURE_BUFFER_DEVICE_ADDRESS`. An address has no length: a GLSL function
    /// of yours must not read past the end of its table then, which is clamped otherwise.
    pub by_address: VkBool32,
    /// Who records barriers that `scopes` do not ask for; 0: the caller.
    pub barriers: MaybeUninit<MultisplitBarriers>,
    /// Must be 0.
    pub reserved: u32,
}

impl MultisplitCommonInfo {
    /// What the caller does around the operation.
    ///
    /// # Safety
    /// `scopes` is null or what it says it is.
    pub(crate) unsafe fn scopes(&self) -> Outcome<&[MultisplitRoleScope]> {
        // SAFETY: by the caller's contract.
        unsafe { read::slice("common.scopes", self.scopes, self.scope_count.into()) }
    }

    /// How the operation is made.
    pub(crate) fn options(&self) -> ExecutableOptions {
        ExecutableOptions {
            own_workspace: self.caller_workspace == 0,
            frames: if self.frames == 0 { DEFAULT_FRAMES } else { self.frames as usize },
            by_address: self.by_address != 0,
        }
    }
}

/// The bytes of `n`, the one member that has no default.
pub(crate) const COUNT_END: usize = size_of::<u64>();
const _: () = assert!(std::mem::offset_of!(MultisplitCommonInfo, n) == 0);

/// The bytes of a value where the caller does not say how many.
pub(crate) fn value_bytes(given: u32) -> u32 {
    if given == 0 { 4 } else { given }
}

/// Frames in flight where the caller does not say how many: what most engines have.
const DEFAULT_FRAMES: usize = 2;

/// A piece of one of the caller's buffers.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitBinding {
    /// What it is to the operation; ignored in the binding of a workspace.
    pub role: MaybeUninit<MultisplitRole>,
    /// Must be 0.
    pub reserved: u32,
    /// The buffer; `VK_NULL_HANDLE` where an address is given.
    pub buffer: VkBuffer,
    /// Where in it the piece begins: a multiple of the alignment that the contract, or the
    /// workspace, asks for.
    pub offset: VkDeviceSize,
    /// Bytes from there on; `VK_WHOLE_SIZE`: not checked.
    pub size: VkDeviceSize,
    /// Instead of a buffer, for operations that take addresses: a multiple of 16. Not for a workspace.
    pub address: VkDeviceAddress,
}
