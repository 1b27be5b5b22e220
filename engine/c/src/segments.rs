//! Scans and reductions of the segments between offsets, and of the rows of a matrix.

use multisplit::operations::{Count, ScanBuffers, SegmentedReduceBuffers};

use crate::combine::kind;
use crate::prelude::*;

/// A scan of each segment of an array, or of each row of a matrix. Segment s has the elements from
/// `OFFSETS[s]` up to, but not including, `OFFSETS[s + 1]`. The result of an element combines the elements of
/// its segment before it, and with `inclusive` also the element itself.
///
/// Roles: `INPUT` and, unless segments are rows, `OFFSETS`, read-only; `OUTPUT`, one element per element of
/// `INPUT`. Offsets may have any value: a segment begins at each offset, in whatever order they are, and
/// offsets at or beyond the element count have no effect. Elements before the first segment, and elements
/// after the last one, are scanned as segments of their own. Accesses never leave the buffers.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitScanSegmentsInfo {
    /// `sizeof(MultisplitScanSegmentsInfo)`.
    pub struct_size: u32,
    /// Element type.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// Operator that combines elements.
    pub op: MaybeUninit<MultisplitOperator>,
    /// Whether a result includes its own element. Otherwise it combines only the elements before it, and the
    /// first result of a segment is the identity element.
    pub inclusive: VkBool32,
    /// For rows of a matrix: elements per row, a divisor of `common.n`. 0: segments have offsets.
    pub row_length: u64,
    /// Number of segments with offsets. Must be 0 for rows.
    pub segments: MultisplitOtherCount,
    /// GLSL source of the function for `MULTISPLIT_OPERATOR_GLSL`. Copied.
    pub glsl: *const c_char,
    /// The identity element of the function in `glsl`: a number of the type that the function combines.
    pub identity: MultisplitNumber,
    /// Members shared by all operations; `n` is the element count.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitScanSegmentsInfo, declare_scan_segments);

/// Plans a scan of segments or rows. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitScanSegmentsInfo` whose pointers are `NULL` or valid.
/// `operation` is `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its
/// queue is not used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_scan_segments_create(
    context: *const MultisplitContext,
    info: *const MultisplitScanSegmentsInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation) }
}

/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn declare_scan_segments(
    context: &Context,
    info: &MultisplitScanSegmentsInfo,
) -> Outcome<Declaration> {
    let key = KeyType::from(read::choice(info.key_type)?);
    // SAFETY: by the caller's contract.
    let operator = unsafe { glsl::operator(info.op, key, (info.glsl, info.identity))? };
    let mut scan = kind(operator, info.inclusive);
    let mut declaration = Declaration::new(context, "scan segments");
    let n = declaration.count(&info.common)?;
    let segments = declaration.other_count(&info.segments)?;
    let src = declaration.import(MultisplitRole::Input, key.into(), n.max());
    let dst = declaration.import(MultisplitRole::Output, key.into(), n.max());
    let mut buffers = ScanBuffers::new(src, dst).count(n);
    if info.row_length == 0 {
        buffers = buffers.segments(declaration.offsets(segments), segments);
    } else if segments == Count::Host(0) {
        scan = scan.rows(info.row_length);
    } else {
        return Err(Failure::invalid("rows have no segments; set segments or row_length to 0"));
    }
    declaration.add(|graph, policy| operations::scan(graph, policy, &scan, &buffers))
}

/// A reduction of each segment of an array. Segment s has the elements from `OFFSETS[s]` up to, but not
/// including, `OFFSETS[s + 1]`; or it is row s of a matrix. The result for an empty segment is the identity
/// element: 0 for a sum, the last value in sort order for a minimum, the first one for a maximum.
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
    /// The identity element of the function in `glsl`: a number of the type that the function combines.
    pub identity: MultisplitNumber,
    /// Members shared by all operations; `n` is the element count.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitReduceSegmentsInfo, declare_reduce_segments);

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
unsafe fn declare_reduce_segments(
    context: &Context,
    info: &MultisplitReduceSegmentsInfo,
) -> Outcome<Declaration> {
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
