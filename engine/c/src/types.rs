//! Enumerations and small structures shared by several functions.
//!
//! Enumeration members that C fills in are `MaybeUninit` here: C may store any number in them, which must be
//! validated before Rust treats it as an enumeration value. The header shows the enumeration itself.

use std::mem::MaybeUninit;

use multisplit::ash::vk;
use multisplit::graph::Scope;
use multisplit::{ExecutableOptions, KeyType, embed};

use crate::read;
use crate::result::{Failure, Outcome};
use crate::vulkan::{VkBool32, VkBuffer, VkDeviceAddress, VkDeviceSize};

/// Implements `Choice` for an enumeration whose values are numbered from zero. With `=> Type`, also implements
/// the conversion to an enumeration of the engine whose values have the same names.
macro_rules! choice {
    ($name:ident => $type:ty: $($value:ident),* $(,)?) => {
        $crate::types::choice!($name: $($value),*);
        impl From<$name> for $type {
            fn from(value: $name) -> Self {
                match value {
                    $($name::$value => Self::$value,)*
                }
            }
        }
    };
    ($name:ident: $($value:ident),* $(,)?) => {
        const _: () = {
            let mut next = 0;
            $(assert!($name::$value as i32 == next); next += 1;)*
            assert!(next > 0);
        };
        // SAFETY: the enumeration is `repr(C)`; its values are asserted above.
        unsafe impl $crate::read::Choice for $name {
            const NAME: &'static str = stringify!($name);
            const ALL: &'static [Self] = &[$(Self::$value),*];
        }
    };
}
pub(crate) use choice;

/// Key type. Floats use a total order: -NaN first, -0 before 0, NaN last.
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
    /// `double`; needs `shaderInt64`, and for sums and GLSL functions also `shaderFloat64`.
    F64 = 5,
    /// `uint8_t`. Keys of 8 and 16 bits are supported by sorts, splits and top-k. Their buffers have a
    /// multiple of 4 bytes; the padding bytes after the last key are left unchanged.
    U8 = 6,
    /// `int8_t`.
    I8 = 7,
    /// `uint16_t`.
    U16 = 8,
    /// `int16_t`.
    I16 = 9,
    /// IEEE 754 half-precision float: `_Float16`.
    F16 = 10,
    /// bfloat16: the upper half of a `float`.
    Bf16 = 11,
}
choice!(MultisplitKeyType => KeyType: U32, I32, F32, U64, I64, F64, U8, I8, U16, I16, F16, Bf16);

/// A number of a key type, made by `multisplit_u32(7)`, `multisplit_f32(0.5f)` and so on, or by
/// `multisplit::number` in C++. Calls reject numbers that do not have the required type. A structure of zeros is
/// accepted as the number 0 of any type.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitNumber {
    /// Its type.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// Must be 0.
    pub reserved: u32,
    /// Its bits, zero-extended to 64.
    pub bits: u64,
}

impl MultisplitNumber {
    /// The bits. Fails unless the number has the required type. `what` is the name of the number in messages.
    pub(crate) fn of_type(self, what: &str, needed: KeyType) -> Outcome<u64> {
        read::reserved("MultisplitNumber", self.reserved)?;
        let given = KeyType::from(read::choice(self.key_type)?);
        let is_zero = given == KeyType::U32 && self.bits == 0;
        if given != needed && !is_zero {
            return Err(Failure::invalid(format!(
                "{what} is a number of type {given}, but the elements have type {needed}; use multisplit_{needed}"
            )));
        }
        if needed.bits() < u64::BITS && self.bits >> needed.bits() != 0 {
            let bits = self.bits;
            let text = format!(
                "the bits {bits:#x} of {what} do not fit in a number of type {needed}; use multisplit_{needed}"
            );
            return Err(Failure::invalid(text));
        }
        Ok(self.bits)
    }
}

/// Operator that combines two elements in a scan or a reduction.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitOperator {
    /// Sum. Integers wrap around. The order in which floats are added depends on the device and the count,
    /// and is the same in every run.
    Sum = 0,
    /// Minimum. Floats are ordered as in a sort: -NaN first, -0 before 0, NaN last.
    Min = 1,
    /// Maximum, in the same order.
    Max = 2,
    /// An associative GLSL function, `K combined(K a, K b)`. It need not be commutative: elements are
    /// combined in array order.
    Glsl = 3,
}
choice!(MultisplitOperator: Sum, Min, Max, Glsl);

/// Sample type of a histogram.
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
choice!(MultisplitSampleType => KeyType: U8, U16, U32, I32, U64, F32, F64, I64);

/// Role of a buffer in an operation. Each `Multisplit*Info` lists the roles of its operation;
/// `multisplit_operation_contract` returns the required size and the use of each buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitRole {
    /// Sort: the keys, read and written. Split, top-k, reduction by key, scan by key: the keys, read-only.
    /// Merge: the keys of the first array, read-only.
    Keys = 0,
    /// Split: the keys in bucket order. Top-k: the keys found. Reduction by key: the key of each run. Merge:
    /// the merged keys.
    KeysOut = 1,
    /// Sort between two buffers: the second key buffer. Merge: the keys of the second array, read-only.
    KeysOther = 2,
    /// Sort: the values, moved with their keys. Split, reduction by key, scan by key: the values, read-only.
    /// Merge: the values of the first array, read-only.
    Values = 3,
    /// Split, merge: the values in the order of the output keys. Reduction by key: the result of each run.
    /// Scan by key: the results.
    ValuesOut = 4,
    /// Sort between two buffers: the second value or index buffer. Merge: the values of the second array,
    /// read-only.
    ValuesOther = 5,
    /// Output, `uint32_t`. Sort: the input index of the element at each output position. Top-k: the index
    /// within its row of each element found. Reduction: the index of the minimum or maximum.
    Indices = 6,
    /// Output of a sort between two buffers, one word: 0 if the result is in the input buffers, 1 if it is in
    /// `KEYS_OTHER` and `VALUES_OTHER`.
    Half = 7,
    /// Split: the output position of each element, `uint32_t`.
    Permutation = 8,
    /// Split: m + 1 words, the start of each bucket, followed by the element count. Sort, scan or reduction of
    /// segments: one word per segment plus one, read-only; the start of each segment, and the end of the last one.
    Offsets = 9,
    /// Split: one word, the number of keys whose bucket id was m or more. Histogram: one count per counted
    /// channel, the number of samples outside all bins.
    OutOfRange = 10,
    /// The words that a GLSL function reads as `table.at[]`.
    Table = 11,
    /// The samples of a histogram, read-only.
    Samples = 12,
    /// One weight per element of a histogram, read-only.
    Weights = 13,
    /// The counts of a histogram: m per counted channel.
    Counts = 14,
    /// m words: the exclusive prefix sums of the counts of a histogram.
    Cumulative = 15,
    /// The elements of a scan, a reduction or a selection, read-only.
    Input = 16,
    /// Scan: the results. Reduction: the result, or one result per segment. Selection: the selected elements.
    Output = 17,
    /// Words that contain the device count.
    Count = 18,
    /// Selection: one word per element. Scan by key: one word per element; a segment starts where it is not zero.
    /// Read-only.
    Flags = 19,
    /// One word. Selection: the number of selected elements. Reduction by key: the number of runs.
    Found = 20,
    /// The elements that were not selected.
    Rejected = 21,
    /// The lengths of runs: one word per selected element.
    RunLengths = 22,
    /// The sorted array of a search, read-only.
    Sorted = 23,
    /// The values that a search looks up, read-only.
    Needles = 24,
    /// The insertion position of each needle of a search, `uint32_t`.
    Positions = 25,
    /// Words that contain the device count of a second array or of segments.
    OtherCount = 26,
    /// Output, eight words: arguments of indirect dispatches over the elements or runs found. Words 0 to 2 are
    /// the `VkDispatchIndirectCommand` of one workgroup per element, and word 3 is the number of elements. Words
    /// 4 to 6, from byte 16, are the `VkDispatchIndirectCommand` of one workgroup per `dispatch_threads` elements,
    /// and word 7 is the number of these workgroups. A dispatch of more than `maxComputeWorkGroupCount[0]`
    /// workgroups extends in y, with up to y - 1 surplus workgroups.
    Dispatch = 27,
}
choice!(MultisplitRole:
    Keys, KeysOut, KeysOther, Values, ValuesOut, ValuesOther, Indices, Half, Permutation, Offsets, OutOfRange, Table, Samples, Weights, Counts, Cumulative, Input, Output, Count, Flags, Found, Rejected, RunLengths, Sorted, Needles, Positions, OtherCount, Dispatch,
);

impl MultisplitRole {
    /// The buffer's name in plans and messages.
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
            Self::Dispatch => "dispatch",
        }
    }
}

/// Who records the barriers between an operation and the caller's commands before and after it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitBarriers {
    /// The caller. If a buffer has a `before` or `after` scope in `scopes`, the operation records that
    /// barrier instead.
    Caller = 0,
    /// The operation, for all buffers. Buffers with a scope in `scopes` get a barrier with that scope, and all
    /// others a barrier with all earlier or later commands. Simple, but a few microseconds slower on some
    /// devices.
    Full = 1,
}
choice!(MultisplitBarriers: Caller, Full);

/// Source of the element count.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitCount {
    /// The count is always n.
    Fixed = 0,
    /// Host count: `count` of each recording. It is an error if it exceeds n.
    Recorded = 1,
    /// Device count: a word of the `MULTISPLIT_ROLE_COUNT` buffer, read when the commands execute. Values
    /// above n are clamped to n.
    Device = 2,
}
choice!(MultisplitCount: Fixed, Recorded, Device);

/// Length of a second array, or number of segments.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitOtherCount {
    /// The count, or its maximum. Determines buffer sizes.
    pub n: u64,
    /// Source of the count; 0: always n. A host count is `other_count` of each recording; a device count is a
    /// word of the `MULTISPLIT_ROLE_OTHER_COUNT` buffer.
    pub count: MaybeUninit<MultisplitCount>,
    /// For a device count: its word index in that buffer.
    pub count_index: u32,
}

/// Pipeline stages and their accesses to a buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MultisplitScope {
    /// Bits of `VkPipelineStageFlagBits2`; 0, like `access`, for no scope.
    pub stages: u64,
    /// Bits of `VkAccessFlagBits2`. If `stages` is not 0, 0 means an execution dependency only, which is
    /// sufficient if the caller only reads the buffer in these stages.
    pub access: u64,
}

impl MultisplitScope {
    /// The planner's representation; `None` if both masks are zero.
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

/// The caller's use of a buffer before and after an operation. If a scope is given, the operation records the
/// barrier; otherwise the caller records it, using the scopes from `multisplit_operation_contract`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitRoleScope {
    /// The buffer's role.
    pub role: MaybeUninit<MultisplitRole>,
    /// Must be 0.
    pub reserved: u32,
    /// The caller's last use of the buffer before the operation. If it has no stages, the caller records that
    /// barrier.
    pub before: MultisplitScope,
    /// The caller's first use of the buffer after the operation. If it has no stages, the caller records that
    /// barrier.
    pub after: MultisplitScope,
}

/// Members shared by all operations. Every member except `n` may be 0, its default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitCommonInfo {
    /// The element count, or its maximum: for sorts, splits and top-k at most 2^30 - 1. Determines buffer sizes.
    /// Arrays have at most `maxStorageBufferRange` bytes. Histograms, and scans and reductions of a whole array
    /// with a host count, also support larger arrays.
    pub n: u64,
    /// Source of the element count; 0: always n.
    pub count: MaybeUninit<MultisplitCount>,
    /// For a device count: its word index in the `MULTISPLIT_ROLE_COUNT` buffer.
    pub count_index: u32,
    /// The caller's uses of buffers before and after the operation; may be `NULL` if `scope_count` is 0.
    /// Copied.
    pub scopes: *const MultisplitRoleScope,
    /// Number of scopes.
    pub scope_count: u32,
    /// Frames in flight: the maximum number of recordings of this operation that have not finished executing.
    /// Threads that record concurrently need separate frames. At most 1024; 0: 2.
    pub frames: u32,
    /// Whether the caller provides scratch memory for each recording (`workspace` of `MultisplitRecordInfo`).
    /// If 0, the operation allocates one workspace per frame.
    pub caller_workspace: VkBool32,
    /// Whether kernels use buffer addresses instead of descriptors, for engines that have no descriptors to
    /// spare. Buffers must then be created with `VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT`, and may be bound
    /// by address. Needs `MULTISPLIT_FEATURE_BUFFER_DEVICE_ADDRESS`. An address has no length, so table
    /// accesses are not clamped: a GLSL function must not read past the end of its table.
    pub by_address: VkBool32,
    /// Who records the barriers not covered by `scopes`; 0: the caller.
    pub barriers: MaybeUninit<MultisplitBarriers>,
    /// Must be 0.
    pub reserved: u32,
}

impl MultisplitCommonInfo {
    /// The caller's uses of buffers around the operation.
    ///
    /// # Safety
    /// `scopes` is null or points to `scope_count` scopes.
    pub(crate) unsafe fn scopes(&self) -> Outcome<&[MultisplitRoleScope]> {
        // SAFETY: by the caller's contract.
        unsafe { read::slice("common.scopes", self.scopes, self.scope_count.into()) }
    }

    /// Options for instantiating the plan.
    pub(crate) fn options(&self) -> ExecutableOptions {
        ExecutableOptions {
            own_workspace: self.caller_workspace == 0,
            frames: if self.frames == 0 { DEFAULT_FRAMES } else { self.frames as usize },
            by_address: self.by_address != 0,
        }
    }
}

/// Byte offset of the end of `n`, the only member without a default.
pub(crate) const COUNT_END: usize =
    std::mem::offset_of!(MultisplitCommonInfo, n) + size_of::<u64>();

/// Bytes per value; 0 selects the default, 4.
pub(crate) fn value_bytes(given: u32) -> u32 {
    if given == 0 { 4 } else { given }
}

/// Default number of frames in flight. Most applications use two.
const DEFAULT_FRAMES: usize = 2;

/// A range of one of the caller's buffers.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitBinding {
    /// The buffer's role; ignored in a workspace binding.
    pub role: MaybeUninit<MultisplitRole>,
    /// Must be 0.
    pub reserved: u32,
    /// The buffer; `VK_NULL_HANDLE` if an address is given.
    pub buffer: VkBuffer,
    /// Start of the range in the buffer: a multiple of the alignment required by the contract or the
    /// workspace.
    pub offset: VkDeviceSize,
    /// Bytes available from `offset`; `VK_WHOLE_SIZE`: the size is not checked.
    pub size: VkDeviceSize,
    /// For operations with `by_address`: the address of the range, a multiple of 16, instead of a buffer. Not
    /// allowed for a workspace.
    pub address: VkDeviceAddress,
}
