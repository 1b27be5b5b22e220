//! Scans: prefix sums, minima or maxima.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use multisplit::operations::{self, ScanBuffers};
use multisplit::{Context, KeyType, Scan};

use crate::context::MultisplitContext;
use crate::declare::{Declaration, operation_info};
use crate::glsl;
use crate::operation::{self, MultisplitOperation};
use crate::read;
use crate::result::{MultisplitResult, Outcome};
use crate::types::{MultisplitCommonInfo, MultisplitKeyType, MultisplitOperator, MultisplitRole};
use crate::vulkan::VkBool32;

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
    /// Whether a result includes its own element. Otherwise it combines only the elements before it, and
    /// the first result is the identity element: 0 for a sum, the last value in order for a minimum, the
    /// first for a maximum.
    pub inclusive: VkBool32,
    /// GLSL source of the function for `MULTISPLIT_OPERATOR_GLSL`. Copied.
    pub glsl: *const c_char,
    /// The identity element of that function, as bits; 32-bit types use the low half.
    pub identity: u64,
    /// The element count, and the caller's buffer accesses around the scan.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitScanInfo, declare);

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
unsafe fn declare(context: &Context, info: &MultisplitScanInfo) -> Outcome<Declaration> {
    let key = KeyType::from(read::choice(info.key_type)?);
    // SAFETY: by the caller's contract.
    let operator = unsafe { glsl::operator(info.op, key, (info.glsl, info.identity))? };
    let scan = match info.inclusive {
        0 => Scan::exclusive(operator),
        _ => Scan::inclusive(operator),
    };
    let mut declaration = Declaration::new(context, "scan");
    let n = declaration.count(&info.common)?;
    let src = declaration.import(MultisplitRole::Input, key.into(), n.max());
    let dst = declaration.import(MultisplitRole::Output, key.into(), n.max());
    declaration.add(|graph, policy| {
        operations::scan(graph, policy, &scan, &ScanBuffers::new(src, dst).count(n))
    })
}
