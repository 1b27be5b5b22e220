//! Functions of the caller's in GLSL, where the library was built with a compiler for it.

use std::ffi::c_char;

use multisplit::primitives::histogram::Bins;
use multisplit::primitives::multisplit::Bucket;

use crate::result::Outcome;

/// A bucket function of a split.
///
/// # Safety
/// `source` is null or a C string.
pub(crate) unsafe fn bucket(source: *const c_char, parameters: [u32; 3]) -> Outcome<Bucket> {
    #[cfg(feature = "glsl")]
    // SAFETY: by the caller's contract.
    return unsafe { function(source, parameters) }.map(Bucket::Glsl);
    #[cfg(not(feature = "glsl"))]
    absent(source, parameters)
}

/// A bin function of a histogram.
///
/// # Safety
/// `source` is null or a C string.
pub(crate) unsafe fn bins(source: *const c_char, parameters: [u32; 3]) -> Outcome<Bins> {
    #[cfg(feature = "glsl")]
    // SAFETY: by the caller's contract.
    return unsafe { function(source, parameters) }.map(Bins::Glsl);
    #[cfg(not(feature = "glsl"))]
    absent(source, parameters)
}

/// # Safety
/// `source` is null or a C string.
#[cfg(feature = "glsl")]
unsafe fn function(
    source: *const c_char,
    parameters: [u32; 3],
) -> Outcome<multisplit::primitives::multisplit::UserBucket> {
    // SAFETY: by the caller's contract.
    let source = unsafe { crate::read::text("glsl", source)? };
    let source = source.ok_or_else(|| crate::result::Failure::null("glsl"))?;
    Ok(multisplit::primitives::multisplit::UserBucket::new(source).with_parameters(parameters))
}

#[cfg(not(feature = "glsl"))]
fn absent<T>(_: *const c_char, _: [u32; 3]) -> Outcome<T> {
    let text = "the library was built without GLSL (feature `glsl`)";
    let code = crate::result::MultisplitResult::MultisplitErrorUnsupported;
    Err(crate::result::Failure::new(code, text))
}
