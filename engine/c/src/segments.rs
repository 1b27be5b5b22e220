//! Segmented reductions: what the elements of each segment combine to.

use std::ffi::c_char;
use std::mem::{MaybeUninit, offset_of};

use multisplit::primitives::{self, SegmentedReduceBuffers};
use multisplit::{Context, KeyType};

use crate::context::MultisplitContext;
use crate::declare::Declaration;
use crate::glsl;
use crate::operation::{self, MultisplitOperation};
use crate::read::{self, Sized32};
use crate::result::{MultisplitResult, Outcome};
use crate::types::{
    COUNT_END, MultisplitCommonInfo, MultisplitKeyType, MultisplitOperator, MultisplitOtherCount,
    MultisplitRole,
};

/// A reduction of each segment of an array. Segment s has the elements from `OFFSETS[s]` up to, but not
/// including, `OFFSETS[s + 1]`; or it is row s of a matrix. Of no elements it is what changes nothing: 0 of a sum,
/// the last value in order of a minimum, the first of a maximum.
///
/// Roles: `INPUT` and, unless segments are rows, `OFFSETS`, only read; `OUTPUT`, an element for each segment. An
/// offset past the elements counts as their number, a segment that ends at or before its beginning is empty, and every
/// result is written. If an offset is below the one before it, a segment that is not empty gets a combination of some
/// elements, or what it would be without elements. Nothing else is read or written. Rows past the elements are empty; a row in which they end has those before.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitReduceSegmentsInfo {
    /// `sizeof(MultisplitReduceSegmentsInfo)`.
    pub struct_size: u32,
    /// What an element is.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// How elements are combined.
    pub op: MaybeUninit<MultisplitOperator>,
    /// Elements of each row, where segments are the rows of a matrix: a divisor of `common.n`. 0: segments have
    /// offsets.
    pub row_length: u32,
    /// How many segments there are.
    pub segments: MultisplitOtherCount,
    /// The function for `MULTISPLIT_OPERATOR_GLSL`: a C string. Copied.
    pub glsl: *const c_char,
    /// The element that changes nothing on either side of another, for that function: the bits of an element,
    /// the low ones of 32-bit types.
    pub identity: u64,
    /// How many elements, and what the caller does around the reduction.
    pub common: MultisplitCommonInfo,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitReduceSegmentsInfo {
    const NAME: &'static str = "MultisplitReduceSegmentsInfo";
    const REQUIRED: usize = offset_of!(Self, common) + COUNT_END;
}

/// Plans a reduction of segments. Nothing is compiled yet, a function in GLSL excepted: see
/// `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitReduceSegmentsInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_reduce_segments_create(
    context: *const MultisplitContext,
    info: *const MultisplitReduceSegmentsInfo,
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
unsafe fn declare(context: &Context, info: &MultisplitReduceSegmentsInfo) -> Outcome<Declaration> {
    let key = KeyType::from(read::choice(info.key_type)?);
    let op = read::choice(info.op)?;
    // SAFETY: by the caller's contract.
    let operator = unsafe { glsl::operator(op, key, (info.glsl, info.identity))? };
    let mut declaration = Declaration::new(context, "reduce segments");
    let n = declaration.count(&info.common)?;
    let segments = declaration.other_count(&info.segments)?;
    let src = declaration.import(MultisplitRole::Input, key.into(), n.max());
    let offsets = (info.row_length == 0).then(|| declaration.offsets(segments));
    let dst = declaration.import(MultisplitRole::Output, key.into(), segments.max());
    let buffers = match offsets {
        Some(offsets) => SegmentedReduceBuffers::new(src, offsets, dst),
        None => SegmentedReduceBuffers::rows(src, info.row_length.into(), dst),
    };
    let buffers = buffers.count(segments).elements(n);
    let (graph, policy) = declaration.parts();
    primitives::reduce_segments(graph, policy, operator, &buffers)?;
    Ok(declaration)
}
