//! The C interface of sorts.

use multisplit::Sort;
use multisplit::operations::SortBuffers;

use crate::prelude::*;

/// Payload of the keys in a sort.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitSortValues {
    /// Keys only.
    None = 0,
    /// One value of `value_bytes` bytes per key.
    Values = 1,
    /// The input index of each key, as `uint32_t`: the permutation that sorts the input.
    Indices = 2,
}
choice!(MultisplitSortValues: None, Values, Indices);

/// Parts of an array that are sorted separately.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitSegments {
    /// The whole array as one segment.
    Whole = 0,
    /// The rows of a matrix, with `row_length` elements each.
    Rows = 1,
    /// Segments given by host offsets, which are known when the sort is planned.
    HostOffsets = 2,
    /// Segments given by device offsets: the words of `OFFSETS`, read when the commands execute. Offsets
    /// beyond the element count are clamped to it, and an offset that is less than an earlier offset is
    /// replaced by the largest earlier offset.
    DeviceOffsets = 3,
}
choice!(MultisplitSegments: Whole, Rows, HostOffsets, DeviceOffsets);

/// A stable radix sort, ascending or descending, of up to 2^30 - 1 elements in arrays of at most
/// `maxStorageBufferRange` bytes each: of the whole array or of each segment. Indices are relative to the
/// start of their segment.
///
/// Roles: `KEYS`; `VALUES` or `INDICES`; `OFFSETS` for device offsets. With `two_buffers`, also `KEYS_OTHER`,
/// `HALF`, and `VALUES_OTHER` if there are values or indices.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitSortInfo {
    /// `sizeof(MultisplitSortInfo)`.
    pub struct_size: u32,
    /// Key type; 0: `uint32_t`.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// Payload of the keys; 0: none.
    pub values: MaybeUninit<MultisplitSortValues>,
    /// Bytes per value: 4, 8 or 16; 0: 4.
    pub value_bytes: u32,
    /// Whether to sort in descending order.
    pub descending: VkBool32,
    /// The lowest bit to sort by. Bits are numbered in the order-preserving unsigned representation of the
    /// key.
    pub first_bit: u32,
    /// Number of bits to sort by; 0: all from `first_bit` up. Fewer bits need fewer passes.
    pub bit_count: u32,
    /// Whether to sort between two buffers of each kind, which needs less scratch memory. The word of `HALF`
    /// then reports which of the two contains the result. Otherwise the result replaces the input.
    pub two_buffers: VkBool32,
    /// Parts of the array that are sorted separately; 0: the whole array. Segments are sorted in place.
    pub segments: MaybeUninit<MultisplitSegments>,
    /// Must be 0.
    pub reserved: u32,
    /// For `ROWS`: the row length, a divisor of the count. Only for a fixed count.
    pub row_length: u64,
    /// For `HOST_OFFSETS`: the start of each segment, followed by the end of the last segment. The first
    /// offset is 0, the last is n, and offsets must not decrease. Copied. Only for a fixed count.
    pub offsets: *const u32,
    /// Number of segments given by offsets; must be fixed for host offsets.
    pub segment_count: MultisplitOtherCount,
    /// Members shared by all operations; `n` is the element count.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitSortInfo, declare);

/// Plans a sort. Pipelines are compiled later, by `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitSortInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_sort_create(
    context: *const MultisplitContext,
    info: *const MultisplitSortInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation) }
}

/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn declare(context: &Context, info: &MultisplitSortInfo) -> Outcome<Declaration> {
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
    declaration.add(|graph, policy| operations::sort(graph, policy, &sort, &buffers))
}

/// Adds the segments known to the host. Members that do not apply to the kind of segments are rejected,
/// because a caller that sets them expects them to have an effect.
///
/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn segmented(sort: Sort, info: &MultisplitSortInfo) -> Outcome<Sort> {
    use MultisplitSegments::{DeviceOffsets, HostOffsets, Rows, Whole};
    read::reserved("MultisplitSortInfo", info.reserved)?;
    let segments = read::choice(info.segments)?;
    let (count, fixed) =
        (info.segment_count.n, read::choice(info.segment_count.count)? == MultisplitCount::Fixed);
    let refuse = |text: &str| Err(Failure::invalid(text));
    if info.row_length != 0 && segments != Rows {
        return refuse("row_length needs MULTISPLIT_SEGMENTS_ROWS; otherwise set it to 0");
    }
    if !info.offsets.is_null() && segments != HostOffsets {
        return refuse("offsets need MULTISPLIT_SEGMENTS_HOST_OFFSETS; otherwise set them to NULL");
    }
    if (count != 0 || !fixed) && matches!(segments, Whole | Rows) {
        return refuse("segment_count needs segments with offsets; otherwise set it to 0");
    }
    match segments {
        Whole | DeviceOffsets => Ok(sort),
        Rows => Ok(sort.rows(info.row_length)),
        HostOffsets if !fixed => refuse(
            "MULTISPLIT_SEGMENTS_HOST_OFFSETS needs a segment_count of MULTISPLIT_COUNT_FIXED",
        ),
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
