//! Merges of two sorted arrays into one.

use multisplit::operations::{Merge, MergeBuffers};

use crate::prelude::*;

/// A stable merge of two sorted arrays: equal keys of the first array come before those of the second, and
/// keys from the same array keep their order.
///
/// Roles: `KEYS` and `KEYS_OTHER`, the two arrays, read-only; `KEYS_OUT`, with room for both. With values
/// also `VALUES`, `VALUES_OTHER` and `VALUES_OUT`. If an array is not sorted, the order of the output is
/// undefined, and elements may be duplicated or missing.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitMergeInfo {
    /// `sizeof(MultisplitMergeInfo)`.
    pub struct_size: u32,
    /// Key type; 0: `uint32_t`.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// Whether each key has a value of `value_bytes` bytes.
    pub values: VkBool32,
    /// Bytes per value: 4, 8 or 16; 0: 4.
    pub value_bytes: u32,
    /// Whether both arrays and the result are in descending order.
    pub descending: VkBool32,
    /// Must be 0.
    pub reserved: u32,
    /// Length of the second array.
    pub other: MultisplitOtherCount,
    /// Members shared by all operations; `n` is the length of the first array.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitMergeInfo, declare);

/// Plans a merge. Pipelines are compiled later, by `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitMergeInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_merge_create(
    context: *const MultisplitContext,
    info: *const MultisplitMergeInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation) }
}

fn declare(context: &Context, info: &MultisplitMergeInfo) -> Outcome<Declaration> {
    read::reserved("MultisplitMergeInfo", info.reserved)?;
    let key = ElementType::from(KeyType::from(read::choice(info.key_type)?));
    let how = if info.descending != 0 { Merge::Descending } else { Merge::Ascending };
    let mut declaration = Declaration::new(context, "merge");
    let (first, second) = (declaration.count(&info.common)?, declaration.other_count(&info.other)?);
    let lengths = [first.max(), second.max(), first.max().saturating_add(second.max())];
    let mut arrays = |[one, other, out]: [MultisplitRole; 3], element| {
        let one = declaration.import(one, element, lengths[0]);
        let other = declaration.import(other, element, lengths[1]);
        [one, other, declaration.import(out, element, lengths[2])]
    };
    let keys = [MultisplitRole::Keys, MultisplitRole::KeysOther, MultisplitRole::KeysOut];
    let [one, other, out] = arrays(keys, key);
    let mut buffers = MergeBuffers::keys(one, other, out).counts(first, second);
    if info.values != 0 {
        let value = ElementType::Other(value_bytes(info.value_bytes));
        let values =
            [MultisplitRole::Values, MultisplitRole::ValuesOther, MultisplitRole::ValuesOut];
        let [one, other, out] = arrays(values, value);
        buffers = buffers.values(one, other, out);
    }
    declaration.add(|graph, policy| operations::merge(graph, policy, how, &buffers))
}
