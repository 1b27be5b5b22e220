//! Searches: the insertion position of many needles in a sorted array.

use multisplit::operations::{Search, SearchBuffers};

use crate::prelude::*;

/// Result of a search for each needle. Elements are compared as in sorts.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitSearch {
    /// The number of elements less than the needle: its first possible insertion position.
    LowerBound = 0,
    /// The number of elements less than or equal to the needle: its last possible insertion position.
    UpperBound = 1,
}
choice!(MultisplitSearch => Search: LowerBound, UpperBound);

/// A search for many needles in a sorted array.
///
/// Roles: `SORTED`, in ascending order, and `NEEDLES`, read-only; `POSITIONS`, one word per needle. If the
/// array is not sorted, positions are arbitrary values from 0 to its length.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitSearchInfo {
    /// `sizeof(MultisplitSearchInfo)`.
    pub struct_size: u32,
    /// Type of elements and needles.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// The bound to find; 0: the lower bound.
    pub search: MaybeUninit<MultisplitSearch>,
    /// Must be 0.
    pub reserved: u32,
    /// Length of the sorted array.
    pub sorted: MultisplitOtherCount,
    /// Members shared by all operations; `n` is the number of needles.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitSearchInfo, declare);

/// Plans a search. Pipelines are compiled later, by `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitSearchInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_search_create(
    context: *const MultisplitContext,
    info: *const MultisplitSearchInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation) }
}

fn declare(context: &Context, info: &MultisplitSearchInfo) -> Outcome<Declaration> {
    read::reserved("MultisplitSearchInfo", info.reserved)?;
    let key = KeyType::from(read::choice(info.key_type)?);
    let how = Search::from(read::choice(info.search)?);
    let mut declaration = Declaration::new(context, "search");
    let (n, elements) = (declaration.count(&info.common)?, declaration.other_count(&info.sorted)?);
    let sorted = declaration.import(MultisplitRole::Sorted, key.into(), elements.max());
    let needles = declaration.import(MultisplitRole::Needles, key.into(), n.max());
    let positions = declaration.import(MultisplitRole::Positions, ElementType::U32, n.max());
    let buffers = SearchBuffers::new(sorted, needles, positions).count(n).sorted_count(elements);
    declaration.add(|graph, policy| operations::search(graph, policy, how, &buffers))
}
