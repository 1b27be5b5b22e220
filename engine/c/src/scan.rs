//! Scans: sums, minima or maxima of what comes before each element.

use std::ffi::c_char;
use std::mem::{MaybeUninit, offset_of};

use multisplit::primitives::{self, ScanBuffers};
use multisplit::{Context, KeyType, Scan};

use crate::context::MultisplitContext;
use crate::declare::Declaration;
use crate::glsl;
use crate::operation::{self, MultisplitOperation};
use crate::read::{self, Sized32};
use crate::result::{MultisplitResult, Outcome};
use crate::types::{
    COUNT_END, MultisplitCommonInfo, MultisplitKeyType, MultisplitOperator, MultisplitRole,
};
use crate::vulkan::VkBool32;

/// A scan of a whole array: of each element, what those before it combine to, and with `inclusive` the
/// element itself as well. All zero but `common`: exclusive prefix sums of `uint32_t`, modulo 2^32.
///
/// Roles: `INPUT` and `OUTPUT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitScanInfo {
    /// `sizeof(MultisplitScanInfo)`.
    pub struct_size: u32,
    /// What an element is.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// How elements are combined.
    pub op: MaybeUninit<MultisplitOperator>,
    /// Whether an element is combined with those before it; otherwise they are alone, and the first result is
    /// what changes nothing: 0 of a sum, the last value in order of a minimum, the first of a maximum.
    pub inclusive: VkBool32,
    /// The function for `MULTISPLIT_OPERATOR_GLSL`: a C string. Copied.
    pub glsl: *const c_char,
    /// The element that changes nothing on either side of another, for that function: the bits of an element,
    /// the low ones of 32-bit types.
    pub identity: u64,
    /// How many elements, and what the caller does around the scan.
    pub common: MultisplitCommonInfo,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitScanInfo {
    const NAME: &'static str = "MultisplitScanInfo";
    const REQUIRED: usize = offset_of!(Self, common) + COUNT_END;
}

/// Plans a scan. Nothing is compiled yet, a function in GLSL excepted: see `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitScanInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_scan_create(
    context: *const MultisplitContext,
    info: *const MultisplitScanInfo,
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
unsafe fn declare(context: &Context, info: &MultisplitScanInfo) -> Outcome<Declaration> {
    let key = KeyType::from(read::choice(info.key_type)?);
    let op = read::choice(info.op)?;
    // SAFETY: by the caller's contract.
    let operator = unsafe { glsl::operator(op, key, (info.glsl, info.identity))? };
    let scan = match info.inclusive {
        0 => Scan::exclusive(operator),
        _ => Scan::inclusive(operator),
    };
    let mut declaration = Declaration::new(context, "scan");
    let n = declaration.count(&info.common)?;
    let src = declaration.import(MultisplitRole::Input, key.into(), n.max());
    let dst = declaration.import(MultisplitRole::Output, key.into(), n.max());
    let (graph, policy) = declaration.parts();
    primitives::scan(graph, policy, &scan, &ScanBuffers::new(src, dst).count(n))?;
    Ok(declaration)
}
