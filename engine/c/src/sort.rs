//! Radix sort.

use std::mem::MaybeUninit;

use multisplit::embed::{Along, SortTask};
use multisplit::primitives::multisplit::KeyType;
use multisplit::primitives::sort::Sort;

use crate::context::{CONTEXTS, MultisplitContext};
use crate::operation::{self, MultisplitOperation};
use crate::read::{self, Out, Sized32};
use crate::result::{MultisplitResult, Outcome, guard};
use crate::types::{MultisplitCommonInfo, MultisplitKeyType, choice};
use crate::vulkan::VkBool32;

/// What the keys of a sort take along.
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

/// A radix sort of up to 2^30 - 1 elements. It is stable in either direction.
///
/// Roles: `KEYS`; `VALUES` or `INDICES`. Between two buffers also `KEYS_OTHER`, `VALUES_OTHER` where
/// there are values or indices, and `HALF`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitSortInfo {
    /// `sizeof(MultisplitSortInfo)`.
    pub struct_size: u32,
    /// What a key is.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// What the keys take along.
    pub values: MaybeUninit<MultisplitSortValues>,
    /// Bytes of a value: 4, 8 or 16.
    pub value_bytes: u32,
    /// Whether the largest key comes first.
    pub descending: VkBool32,
    /// The lowest bit that is sorted by, of the number that compares like the key.
    pub first_bit: u32,
    /// How many bits are sorted by; 0: all from `first_bit` on. Fewer bits take fewer rounds.
    pub bit_count: u32,
    /// Whether it sorts between two buffers of each kind, which spares the scratch memory the second
    /// one: the result is then in either, and the word of `HALF` says in which. Otherwise the result is
    /// where the input was.
    pub two_buffers: VkBool32,
    /// How many elements, and what the caller does around the sort.
    pub common: MultisplitCommonInfo,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitSortInfo {
    const NAME: &'static str = "MultisplitSortInfo";
}

/// Plans a sort. Nothing is compiled yet: see `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitSortInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_sort_create(
    context: *const MultisplitContext,
    info: *const MultisplitSortInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    guard(|| {
        // SAFETY: by the caller's contract.
        unsafe {
            let out = Out::handle("operation", operation)?;
            let (context, info) = (CONTEXTS.get(context)?, read::info(info)?);
            out.set(operation::create(&context, &info.common, task(info)?)?);
        }
        Ok(())
    })
}

fn task(info: &MultisplitSortInfo) -> Outcome<SortTask> {
    let key = KeyType::from(read::choice(info.key_type)?);
    let end = match info.bit_count {
        0 => key.bits(),
        count => info.first_bit.saturating_add(count),
    };
    let sort = Sort::new(key).by_bits(info.first_bit..end);
    Ok(SortTask {
        sort: if info.descending != 0 { sort.descending() } else { sort },
        n: info.common.elements()?,
        along: match read::choice(info.values)? {
            MultisplitSortValues::None => Along::Nothing,
            MultisplitSortValues::Values => Along::Values { bytes: info.value_bytes },
            MultisplitSortValues::Indices => Along::Indices,
        },
        double_buffered: info.two_buffers != 0,
    })
}
