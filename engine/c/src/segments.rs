//! Segmented reductions.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use multisplit::operations::{self, SegmentedReduceBuffers};
use multisplit::{Context, KeyType};

use crate::context::MultisplitContext;
use crate::declare::{Declaration, operation_info};
use crate::glsl;
use crate::operation::{self, MultisplitOperation};
use crate::read;
use crate::result::{MultisplitResult, Outcome};
use crate::types::{
    MultisplitCommonInfo, MultisplitKeyType, MultisplitOperator, MultisplitOtherCount,
    MultisplitRole,
};

/// A reduction of each segment of an array. Segment s has the elements from `OFFSETS[s]` up to, but not
/// including, `OFFSETS[s + 1]`; or it is row s of a matrix. The result for an empty segment is the identity
/// element: 0 for a sum, the last value in order for a minimum, the first for a maximum.
///
/// Roles: `INPUT` and, unless segments are rows, `OFFSETS`, read-only; `OUTPUT`, one element per segment.
/// Every result is written. Offsets beyond the element count are clamped to it, and a segment that ends at or
/// before its start is empty. If offsets decrease anywhere, the results of non-empty segments are
/// unspecified: a combination of some elements, or the identity element. Accesses never leave the buffers.
/// With rows, rows beyond the element count are empty, and a row that contains the end of the elements has
/// only those before it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitReduceSegmentsInfo {
    /// `sizeof(MultisplitReduceSegmentsInfo)`.
    pub struct_size: u32,
    /// Element type.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// Operator that combines elements.
    pub op: MaybeUninit<MultisplitOperator>,
    /// For rows of a matrix: elements per row, a divisor of `common.n`. 0: segments have offsets.
    pub row_length: u32,
    /// Number of segments.
    pub segments: MultisplitOtherCount,
    /// GLSL source of the function for `MULTISPLIT_OPERATOR_GLSL`. Copied.
    pub glsl: *const c_char,
    /// The identity element of that function, as bits; 32-bit types use the low half.
    pub identity: u64,
    /// The element count, and the caller's buffer accesses around the reduction.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitReduceSegmentsInfo, declare);

/// Plans a reduction of segments. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitReduceSegmentsInfo` whose pointers are `NULL` or valid.
/// `operation` is `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its
/// queue is not used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_reduce_segments_create(
    context: *const MultisplitContext,
    info: *const MultisplitReduceSegmentsInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation) }
}

/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn declare(context: &Context, info: &MultisplitReduceSegmentsInfo) -> Outcome<Declaration> {
    let key = KeyType::from(read::choice(info.key_type)?);
    // SAFETY: by the caller's contract.
    let operator = unsafe { glsl::operator(info.op, key, (info.glsl, info.identity))? };
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
    declaration.add(|graph, policy| operations::reduce_segments(graph, policy, operator, &buffers))
}
