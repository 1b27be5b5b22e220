//! Searches: where in a sorted array each of many needles could be put.

use std::mem::{MaybeUninit, offset_of};

use multisplit::graph::ElementType;
use multisplit::primitives::{self, Search, SearchBuffers};
use multisplit::{Context, KeyType};

use crate::context::MultisplitContext;
use crate::declare::Declaration;
use crate::operation::{self, MultisplitOperation};
use crate::read::{self, Sized32};
use crate::result::{MultisplitResult, Outcome};
use crate::types::{
    COUNT_END, MultisplitCommonInfo, MultisplitKeyType, MultisplitOtherCount, MultisplitRole,
    choice,
};

/// What a search finds of each needle, in the order of a sort.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitSearch {
    /// How many elements are less than the needle: before which element it could be put, at the earliest.
    LowerBound = 0,
    /// How many elements are less than or equal to the needle: before which element it could be put, at the
    /// latest.
    UpperBound = 1,
}
choice!(MultisplitSearch: LowerBound, UpperBound);

/// A search in a sorted array for many needles.
///
/// Roles: `SORTED`, in ascending order, and `NEEDLES`, only read; `POSITIONS`, a word for each needle. Of an
/// array that is not sorted, positions are some from 0 to its count.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitSearchInfo {
    /// `sizeof(MultisplitSearchInfo)`.
    pub struct_size: u32,
    /// What an element is, and a needle.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// What is found; 0: the lower bound.
    pub search: MaybeUninit<MultisplitSearch>,
    /// Must be 0.
    pub reserved: u32,
    /// How many elements the sorted array has.
    pub sorted: MultisplitOtherCount,
    /// How many needles, and what the caller does around the search.
    pub common: MultisplitCommonInfo,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitSearchInfo {
    const NAME: &'static str = "MultisplitSearchInfo";
    const REQUIRED: usize = offset_of!(Self, common) + COUNT_END;
}

/// Plans a search. Nothing is compiled yet: see `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitSearchInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_search_create(
    context: *const MultisplitContext,
    info: *const MultisplitSearchInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation, |info| &info.common, declare) }
}

fn declare(context: &Context, info: &MultisplitSearchInfo) -> Outcome<Declaration> {
    read::reserved("MultisplitSearchInfo", info.reserved)?;
    let key = KeyType::from(read::choice(info.key_type)?);
    let how = match read::choice(info.search)? {
        MultisplitSearch::LowerBound => Search::LowerBound,
        MultisplitSearch::UpperBound => Search::UpperBound,
    };
    let mut declaration = Declaration::new(context, "search");
    let (n, elements) = (declaration.count(&info.common)?, declaration.other_count(&info.sorted)?);
    let sorted = declaration.import(MultisplitRole::Sorted, key.into(), elements.max());
    let needles = declaration.import(MultisplitRole::Needles, key.into(), n.max());
    let positions = declaration.import(MultisplitRole::Positions, ElementType::U32, n.max());
    let buffers = SearchBuffers::new(sorted, needles, positions).count(n).sorted_count(elements);
    let (graph, policy) = declaration.parts();
    primitives::search(graph, policy, how, &buffers)?;
    Ok(declaration)
}
