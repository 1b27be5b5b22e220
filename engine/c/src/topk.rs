//! The k largest or smallest elements.

use multisplit::TopK;
use multisplit::operations::TopKBuffers;

use crate::prelude::*;

/// A top-k of up to 2^30 - 1 elements, in an array of at most `maxStorageBufferRange` bytes: the k largest or
/// smallest elements with their indices, of the whole array or of each row. Among equal
/// elements, those with lower indices are selected, and come first unless `unsorted` is set.
///
/// Roles: `KEYS`, read-only; `KEYS_OUT` and `INDICES`, k elements per row, row after row.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitTopKInfo {
    /// `sizeof(MultisplitTopKInfo)`.
    pub struct_size: u32,
    /// Key type; 0: `uint32_t`.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// Number of elements to find per row: at most the row length. If the element count is less than k, only
    /// as many elements as the count are written.
    pub k: u64,
    /// Row length, a divisor of the count; 0: the whole array is one row. Only for a fixed count.
    pub row_length: u64,
    /// Whether to find the smallest elements, in ascending order; otherwise the largest, in descending order.
    pub smallest: VkBool32,
    /// Whether the output may be in any order, which is faster.
    pub unsorted: VkBool32,
    /// Members shared by all operations; `n` is the element count.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitTopKInfo, declare);

/// Plans a top-k. Pipelines are compiled later, by `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitTopKInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_topk_create(
    context: *const MultisplitContext,
    info: *const MultisplitTopKInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation) }
}

fn declare(context: &Context, info: &MultisplitTopKInfo) -> Outcome<Declaration> {
    let key = KeyType::from(read::choice(info.key_type)?);
    let mut declaration = Declaration::new(context, "topk");
    let n = declaration.count(&info.common)?;
    let mut how = if info.smallest != 0 { TopK::smallest(info.k) } else { TopK::largest(info.k) };
    if info.row_length != 0 {
        how = how.rows(info.row_length);
    }
    if info.unsorted != 0 {
        how = how.unsorted();
    }
    // The engine rejects row lengths that do not divide the count, before it allocates memory.
    let rows = n.max().checked_div(info.row_length).unwrap_or(1);
    let found = rows.saturating_mul(info.k).min(n.max());
    let keys = declaration.import(MultisplitRole::Keys, key.into(), n.max());
    let keys_out = declaration.import(MultisplitRole::KeysOut, key.into(), found);
    let indices = declaration.import(MultisplitRole::Indices, ElementType::U32, found);
    let buffers = TopKBuffers::new(keys, keys_out, indices).count(n);
    declaration.add(|graph, policy| operations::topk(graph, policy, &how, &buffers))
}
