//! Merges: two sorted arrays into one.

use std::mem::{MaybeUninit, offset_of};

use multisplit::graph::ElementType;
use multisplit::primitives::{self, Merge, MergeBuffers};
use multisplit::{Context, KeyType};

use crate::context::MultisplitContext;
use crate::declare::Declaration;
use crate::operation::{self, MultisplitOperation};
use crate::read::{self, Sized32};
use crate::result::{MultisplitResult, Outcome};
use crate::types::{
    COUNT_END, MultisplitCommonInfo, MultisplitKeyType, MultisplitOtherCount, MultisplitRole,
    value_bytes,
};
use crate::vulkan::VkBool32;

/// A merge of two sorted arrays into one. Of equal keys those of the first array come first, and each array's
/// keep their order.
///
/// Roles: `KEYS` and `KEYS_OTHER`, the two arrays, only read; `KEYS_OUT`, with room for both. With values also
/// `VALUES`, `VALUES_OTHER` and `VALUES_OUT`. Of arrays that are not sorted, the output has all elements or
/// some twice, in some order.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitMergeInfo {
    /// `sizeof(MultisplitMergeInfo)`.
    pub struct_size: u32,
    /// What a key is; 0: `uint32_t`.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// Whether each key takes a value of `value_bytes` bytes along.
    pub values: VkBool32,
    /// Bytes of a value: 4, 8 or 16; 0: 4.
    pub value_bytes: u32,
    /// Whether both arrays are in descending order, and the result is.
    pub descending: VkBool32,
    /// Must be 0.
    pub reserved: u32,
    /// How many elements the second array has.
    pub other: MultisplitOtherCount,
    /// How many elements the first array has, and what the caller does around the merge.
    pub common: MultisplitCommonInfo,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitMergeInfo {
    const NAME: &'static str = "MultisplitMergeInfo";
    const REQUIRED: usize = offset_of!(Self, common) + COUNT_END;
}

/// Plans a merge. Nothing is compiled yet: see `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitMergeInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_merge_create(
    context: *const MultisplitContext,
    info: *const MultisplitMergeInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation, |info| &info.common, declare) }
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
    let (graph, policy) = declaration.parts();
    primitives::merge(graph, policy, how, &buffers)?;
    Ok(declaration)
}
