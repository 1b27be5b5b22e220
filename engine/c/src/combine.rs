//! Scans and reductions: sums, minima, maxima or GLSL functions of whole arrays and of runs of equal keys.

use multisplit::operations::{ReduceBuffers, ReduceByKeyBuffers, ScanBuffers};
use multisplit::{AnyOperator, Scan};

use crate::prelude::*;

/// A scan of a whole array: each result combines all elements before it, and with `inclusive` also the
/// element itself. With all members except `common` zero: exclusive prefix sums of `uint32_t`, modulo 2^32.
///
/// Roles: `INPUT` and `OUTPUT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitScanInfo {
    /// `sizeof(MultisplitScanInfo)`.
    pub struct_size: u32,
    /// Element type.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// Operator that combines elements.
    pub op: MaybeUninit<MultisplitOperator>,
    /// Whether a result includes its own element. Otherwise it combines only the elements before it, and the
    /// first result is the identity element: 0 for a sum, the last value in sort order for a minimum, the
    /// first one for a maximum.
    pub inclusive: VkBool32,
    /// GLSL source of the function for `MULTISPLIT_OPERATOR_GLSL`. Copied.
    pub glsl: *const c_char,
    /// The identity element of the function in `glsl`: a number of the type that the function combines.
    pub identity: MultisplitNumber,
    /// Members shared by all operations; `n` is the element count.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitScanInfo, declare_scan);

/// Plans a scan. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitScanInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_scan_create(
    context: *const MultisplitContext,
    info: *const MultisplitScanInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation) }
}

/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn declare_scan(context: &Context, info: &MultisplitScanInfo) -> Outcome<Declaration> {
    let key = KeyType::from(read::choice(info.key_type)?);
    // SAFETY: by the caller's contract.
    let operator = unsafe { glsl::operator(info.op, key, (info.glsl, info.identity))? };
    let scan = kind(operator, info.inclusive);
    let mut declaration = Declaration::new(context, "scan");
    let n = declaration.count(&info.common)?;
    let src = declaration.import(MultisplitRole::Input, key.into(), n.max());
    let dst = declaration.import(MultisplitRole::Output, key.into(), n.max());
    declaration.add(|graph, policy| {
        operations::scan(graph, policy, &scan, &ScanBuffers::new(src, dst).count(n))
    })
}

/// The description of a scan with this operator.
pub(crate) fn kind(operator: AnyOperator, inclusive: VkBool32) -> Scan {
    if inclusive != 0 { Scan::inclusive(operator) } else { Scan::exclusive(operator) }
}

/// A reduction of a whole array to one element. The result for an empty array is the identity element: 0 for
/// a sum, the last value in sort order for a minimum, the first one for a maximum.
///
/// Roles: `INPUT`; `OUTPUT`, one element; `INDICES`, one word, if `index` is set.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitReduceInfo {
    /// `sizeof(MultisplitReduceInfo)`.
    pub struct_size: u32,
    /// Element type.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// Operator that combines elements.
    pub op: MaybeUninit<MultisplitOperator>,
    /// Whether to write the index of the minimum or maximum to `INDICES`: the lowest index among equal
    /// elements, or 2^32 - 1 for an empty array. An error for sums and GLSL functions.
    pub index: VkBool32,
    /// GLSL source of the function for `MULTISPLIT_OPERATOR_GLSL`. Copied.
    pub glsl: *const c_char,
    /// The identity element of the function in `glsl`: a number of the type that the function combines.
    pub identity: MultisplitNumber,
    /// Members shared by all operations; `n` is the element count.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitReduceInfo, declare_reduce);

/// Plans a reduction. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitReduceInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_reduce_create(
    context: *const MultisplitContext,
    info: *const MultisplitReduceInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation) }
}

/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn declare_reduce(context: &Context, info: &MultisplitReduceInfo) -> Outcome<Declaration> {
    let key = KeyType::from(read::choice(info.key_type)?);
    // SAFETY: by the caller's contract.
    let operator = unsafe { glsl::operator(info.op, key, (info.glsl, info.identity))? };
    let mut declaration = Declaration::new(context, "reduce");
    let n = declaration.count(&info.common)?;
    let src = declaration.import(MultisplitRole::Input, key.into(), n.max());
    let dst = declaration.import(MultisplitRole::Output, key.into(), 1);
    let mut buffers = ReduceBuffers::new(src, dst).count(n);
    if info.index != 0 {
        buffers = buffers.index(declaration.import(MultisplitRole::Indices, ElementType::U32, 1));
    }
    declaration.add(|graph, policy| operations::reduce(graph, policy, operator, &buffers))
}

/// A reduction by key: for each run of equal adjacent keys, outputs the key and the combined values.
///
/// Roles: `KEYS` and `VALUES`, read-only; `KEYS_OUT` and `VALUES_OUT`, each with room for n elements,
/// unchanged past the number of runs; `FOUND`, one word, the number of runs; `DISPATCH`, eight words, if
/// `dispatch_threads` is not 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitReduceByKeyInfo {
    /// `sizeof(MultisplitReduceByKeyInfo)`.
    pub struct_size: u32,
    /// Key type. Keys are equal if their bits are equal.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// Value type.
    pub value_type: MaybeUninit<MultisplitKeyType>,
    /// Operator that combines values.
    pub op: MaybeUninit<MultisplitOperator>,
    /// GLSL source of the function for `MULTISPLIT_OPERATOR_GLSL`. Copied.
    pub glsl: *const c_char,
    /// The identity element of the function in `glsl`: a number of the type that the function combines.
    pub identity: MultisplitNumber,
    /// Number of runs per workgroup of an indirect dispatch over the runs, whose arguments are written to
    /// `DISPATCH`; 0: they are not written.
    pub dispatch_threads: u32,
    /// Must be 0.
    pub reserved: u32,
    /// Members shared by all operations; `n` is the element count.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitReduceByKeyInfo, declare_reduce_by_key);

/// Plans a reduction by key. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitReduceByKeyInfo` whose pointers are `NULL` or valid.
/// `operation` is `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its
/// queue is not used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_reduce_by_key_create(
    context: *const MultisplitContext,
    info: *const MultisplitReduceByKeyInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation) }
}

/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn declare_reduce_by_key(
    context: &Context,
    info: &MultisplitReduceByKeyInfo,
) -> Outcome<Declaration> {
    read::reserved("MultisplitReduceByKeyInfo", info.reserved)?;
    let key = ElementType::from(KeyType::from(read::choice(info.key_type)?));
    let value = KeyType::from(read::choice(info.value_type)?);
    // SAFETY: by the caller's contract.
    let operator = unsafe { glsl::operator(info.op, value, (info.glsl, info.identity))? };
    let value = ElementType::from(value);
    let mut declaration = Declaration::new(context, "reduce by key");
    let n = declaration.count(&info.common)?;
    let mut of = |role, element| declaration.import(role, element, n.max());
    let from = (of(MultisplitRole::Keys, key), of(MultisplitRole::Values, value));
    let to = (of(MultisplitRole::KeysOut, key), of(MultisplitRole::ValuesOut, value));
    let found = declaration.import(MultisplitRole::Found, ElementType::U32, 1);
    let buffers = ReduceByKeyBuffers::new(from, to, found).count(n);
    let mut declaration = declaration
        .add(|graph, policy| operations::reduce_by_key(graph, policy, operator, &buffers))?;
    declaration.dispatch(found, n.max(), info.dispatch_threads)?;
    Ok(declaration)
}

/// A segmented scan: each run of equal adjacent keys is scanned separately. With all members except `common`
/// zero: exclusive prefix sums of `uint32_t` with `uint32_t` keys.
///
/// Roles: `KEYS`, or `FLAGS` if `heads` is set, and `VALUES`, read-only; `VALUES_OUT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitScanByKeyInfo {
    /// `sizeof(MultisplitScanByKeyInfo)`.
    pub struct_size: u32,
    /// Key type. Keys are equal if their bits are equal. Ignored if `heads` is set.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// Value type.
    pub value_type: MaybeUninit<MultisplitKeyType>,
    /// Operator that combines values.
    pub op: MaybeUninit<MultisplitOperator>,
    /// Whether a result includes its own value. Otherwise it combines only the values before it, and the
    /// first result of a segment is the identity element.
    pub inclusive: VkBool32,
    /// Whether segments begin at the first element and at each non-zero word of `FLAGS`, instead of at each
    /// key that differs from the previous one.
    pub heads: VkBool32,
    /// GLSL source of the function for `MULTISPLIT_OPERATOR_GLSL`. Copied.
    pub glsl: *const c_char,
    /// The identity element of the function in `glsl`: a number of the type that the function combines.
    pub identity: MultisplitNumber,
    /// Members shared by all operations; `n` is the element count.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitScanByKeyInfo, declare_scan_by_key);

/// Plans a scan by key. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitScanByKeyInfo` whose pointers are `NULL` or valid. `operation`
/// is `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_scan_by_key_create(
    context: *const MultisplitContext,
    info: *const MultisplitScanByKeyInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation) }
}

/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn declare_scan_by_key(
    context: &Context,
    info: &MultisplitScanByKeyInfo,
) -> Outcome<Declaration> {
    let value = KeyType::from(read::choice(info.value_type)?);
    // SAFETY: by the caller's contract.
    let operator = unsafe { glsl::operator(info.op, value, (info.glsl, info.identity))? };
    let scan = kind(operator, info.inclusive);
    let key = KeyType::from(read::choice(info.key_type)?);
    let mut declaration = Declaration::new(context, "scan by key");
    let n = declaration.count(&info.common)?;
    let src = declaration.import(MultisplitRole::Values, value.into(), n.max());
    let dst = declaration.import(MultisplitRole::ValuesOut, value.into(), n.max());
    let buffers = ScanBuffers::new(src, dst).count(n);
    let buffers = match info.heads {
        0 => buffers.keys(declaration.import(MultisplitRole::Keys, key.into(), n.max())),
        _ => {
            let flags = declaration.import(MultisplitRole::Flags, ElementType::U32, n.max());
            buffers.heads(flags)
        }
    };
    declaration.add(|graph, policy| operations::scan(graph, policy, &scan, &buffers))
}
