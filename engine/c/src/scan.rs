//! Exclusive prefix sums.

use multisplit::embed::ScanTask;

use crate::context::{CONTEXTS, MultisplitContext};
use crate::operation::{self, MultisplitOperation};
use crate::read::{self, Out, Sized32};
use crate::result::{MultisplitResult, guard};
use crate::types::MultisplitCommonInfo;

/// A device-wide exclusive scan: prefix sums of `uint32_t`, modulo 2^32.
///
/// Roles: `INPUT` and `OUTPUT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitScanInfo {
    /// `sizeof(MultisplitScanInfo)`.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// How many elements, and what the caller does around the scan.
    pub common: MultisplitCommonInfo,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitScanInfo {
    const NAME: &'static str = "MultisplitScanInfo";
}

/// Plans a scan. Nothing is compiled yet: see `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitScanInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_scan_create(
    context: *const MultisplitContext,
    info: *const MultisplitScanInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    guard(|| {
        // SAFETY: by the caller's contract.
        unsafe {
            let out = Out::handle("operation", operation)?;
            let (context, info) = (CONTEXTS.get(context)?, read::info(info)?);
            let task = ScanTask { n: info.common.elements()? };
            out.set(operation::create(&context, &info.common, task)?);
        }
        Ok(())
    })
}
