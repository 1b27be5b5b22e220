//! Radix sort.

use std::mem::{MaybeUninit, offset_of};

use multisplit::graph::ElementType;
use multisplit::primitives::{self, SortBuffers};
use multisplit::{Context, KeyType, Sort};

use crate::context::MultisplitContext;
use crate::declare::Declaration;
use crate::operation::{self, MultisplitOperation};
use crate::read::{self, Sized32};
use crate::result::{Failure, MultisplitResult, Outcome};
use crate::types::{
    COUNT_END, MultisplitCommonInfo, MultisplitCount, MultisplitKeyType, MultisplitOtherCount,
    MultisplitRole, choice, value_bytes,
};
use crate::vulkan::VkBool32;

/// What moves along with the keys of a sort.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitSortValues {
    /// Nothing.
    None = 0,
    /// One value of `value_bytes` bytes for each key.
    Values = 1,
    /// Their number, as a `uint32_t`: the order that sorts the input.
    Indices = 2,
}
choice!(MultisplitSortValues: None, Values, Indices);

/// What of an array is sorted on its own.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitSegments {
    /// All of it, as one.
    Whole = 0,
    /// Each row of a matrix: `row_length` elements.
    Rows = 1,
    /// Each segment between offsets on the host, which are known when the sort is planned.
    HostOffsets = 2,
    /// Each segment between offsets on the device: the words of `OFFSETS`, read when the commands run. One past
    /// the elements counts as their number, one below an earlier one as that.
    DeviceOffsets = 3,
}
choice!(MultisplitSegments: Whole, Rows, HostOffsets, DeviceOffsets);

/// A radix sort of up to 2^30 - 1 elements, in arrays of at most `maxStorageBufferRange` bytes each: of the
/// whole array, or of each of its segments. It is stable in either direction. Indices count from where their
/// segment begins.
///
/// Roles: `KEYS`; `VALUES` or `INDICES`. Between two buffers also `KEYS_OTHER`, `VALUES_OTHER` where
/// there are values or indices, and `HALF`. `OFFSETS` where segments have offsets on the device.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitSortInfo {
    /// `sizeof(MultisplitSortInfo)`.
    pub struct_size: u32,
    /// What a key is; 0: `uint32_t`.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// What moves along with the keys; 0: nothing.
    pub values: MaybeUninit<MultisplitSortValues>,
    /// Bytes of a value: 4, 8 or 16; 0: 4.
    pub value_bytes: u32,
    /// Whether the largest key comes first.
    pub descending: VkBool32,
    /// The lowest bit that is sorted by, of the number that compares like the key.
    pub first_bit: u32,
    /// How many bits are sorted by; 0: all from `first_bit` on. Fewer bits take fewer rounds.
    pub bit_count: u32,
    /// Whether it sorts between two buffers of each kind, which makes the scratch memory smaller: the
    /// result is then in one of the two, and the word of `HALF` says in which. Otherwise the result is
    /// where the input was.
    pub two_buffers: VkBool32,
    /// What is sorted on its own; 0: the whole array. Segments are sorted where they are.
    pub segments: MaybeUninit<MultisplitSegments>,
    /// Must be 0.
    pub reserved: u32,
    /// The length of a row, of which there is a whole number, for `ROWS`. Only for a fixed count.
    pub row_length: u64,
    /// For `HOST_OFFSETS`: where each segment begins, the first at 0, and where the last one ends, which is at
    /// n: one more than there are segments. They do not fall. Copied. Only for a fixed count.
    pub offsets: *const u32,
    /// How many segments there are between offsets; a fixed number of them on the host.
    pub segment_count: MultisplitOtherCount,
    /// How many elements, and what the caller does around the sort.
    pub common: MultisplitCommonInfo,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitSortInfo {
    const NAME: &'static str = "MultisplitSortInfo";
    const REQUIRED: usize = offset_of!(Self, common) + COUNT_END;
}

/// Plans a sort. Nothing is compiled yet: see `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitSortInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_sort_create(
    context: *const MultisplitContext,
    info: *const MultisplitSortInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe {
        let declare = |context: &Context, info: &_| declare(context, info);
        operation::create(context, info, operation, |info| &info.common, declare)
    }
}

/// # Safety
/// The pointers of `info` are null or what they say they are.
pub(crate) unsafe fn declare(context: &Context, info: &MultisplitSortInfo) -> Outcome<Declaration> {
    let key = KeyType::from(read::choice(info.key_type)?);
    let mut declaration = Declaration::new(context, "sort");
    let n = declaration.count(&info.common)?;
    let keys = declaration.import(MultisplitRole::Keys, key.into(), n.max());
    let mut buffers = SortBuffers::keys(keys).count(n);
    let value = match read::choice(info.values)? {
        MultisplitSortValues::None => None,
        MultisplitSortValues::Values => {
            let value = ElementType::Other(value_bytes(info.value_bytes));
            buffers = buffers.values(declaration.import(MultisplitRole::Values, value, n.max()));
            Some(value)
        }
        MultisplitSortValues::Indices => {
            let index = ElementType::U32;
            buffers = buffers.indices(declaration.import(MultisplitRole::Indices, index, n.max()));
            Some(index)
        }
    };
    if info.two_buffers != 0 {
        let mut other = |role, element| declaration.import(role, element, n.max());
        let keys = other(MultisplitRole::KeysOther, key.into());
        let values = value.map(|value| other(MultisplitRole::ValuesOther, value));
        let half = declaration.import(MultisplitRole::Half, ElementType::U32, 1);
        buffers = buffers.between(keys, values, half);
    }
    // SAFETY: by the caller's contract.
    let sort = unsafe { segmented(description(info, key)?, info)? };
    if read::choice(info.segments)? == MultisplitSegments::DeviceOffsets {
        let count = declaration.other_count(&info.segment_count)?;
        buffers = buffers.segments(declaration.offsets(count), count);
    }
    let (graph, policy) = declaration.parts();
    primitives::sort(graph, policy, &sort, &buffers)?;
    Ok(declaration)
}

/// The sort with the segments that the host knows. Members that mean nothing for the choice are refused:
/// whoever sets them expects something else.
///
/// # Safety
/// The pointers of `info` are null or what they say they are.
unsafe fn segmented(sort: Sort, info: &MultisplitSortInfo) -> Outcome<Sort> {
    use MultisplitSegments::{DeviceOffsets, HostOffsets, Rows, Whole};
    read::reserved("MultisplitSortInfo", info.reserved)?;
    let segments = read::choice(info.segments)?;
    let (count, fixed) =
        (info.segment_count.n, read::choice(info.segment_count.count)? == MultisplitCount::Fixed);
    let refuse = |text: &str| Err(Failure::invalid(text));
    if info.row_length != 0 && segments != Rows {
        return refuse("row_length is for MULTISPLIT_SEGMENTS_ROWS; set it to 0");
    }
    if !info.offsets.is_null() && segments != HostOffsets {
        return refuse("offsets are for MULTISPLIT_SEGMENTS_HOST_OFFSETS; set them to NULL");
    }
    if (count != 0 || !fixed) && matches!(segments, Whole | Rows) {
        return refuse("segment_count is for segments with offsets; set it to 0");
    }
    match segments {
        Whole | DeviceOffsets => Ok(sort),
        Rows => Ok(sort.rows(info.row_length)),
        HostOffsets if !fixed => {
            refuse("segment_count of MULTISPLIT_SEGMENTS_HOST_OFFSETS is MULTISPLIT_COUNT_FIXED")
        }
        HostOffsets => {
            // SAFETY: by the caller's contract.
            let offsets = unsafe { read::slice("offsets", info.offsets, count.saturating_add(1))? };
            Ok(sort.segments(offsets))
        }
    }
}

fn description(info: &MultisplitSortInfo, key: KeyType) -> Outcome<Sort> {
    if info.first_bit >= key.bits() {
        let (first, last) = (info.first_bit, key.bits() - 1);
        let text = format!("first_bit is {first}; the bits of a {key} key are 0 to {last}");
        return Err(Failure::new(MultisplitResult::MultisplitErrorSortBits, text));
    }
    let sort = if info.descending != 0 { Sort::descending() } else { Sort::ascending() };
    let end = match info.bit_count {
        0 => key.bits(),
        count => info.first_bit.saturating_add(count),
    };
    Ok(sort.bits(info.first_bit..end))
}
