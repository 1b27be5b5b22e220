//! The caller's GLSL functions, if the library was built with a GLSL compiler.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use multisplit::graph::Buffer;
use multisplit::operations::histogram::Bin;
use multisplit::operations::split::Bucket;
use multisplit::{AnyOperator, KeyType, Operator};

use crate::read;
use crate::result::Outcome;
use crate::types::{MultisplitNumber, MultisplitOperator};

/// Reads a bucket function of a split.
///
/// # Safety
/// `source` is null or a C string.
pub(crate) unsafe fn bucket(
    source: *const c_char,
    parameters: [u32; 3],
    table: Option<Buffer>,
) -> Outcome<Bucket> {
    #[cfg(feature = "glsl")]
    // SAFETY: by the caller's contract.
    return unsafe { function(source, parameters, table) }.map(Bucket::Glsl);
    #[cfg(not(feature = "glsl"))]
    absent(source, parameters, table)
}

/// Reads a bin function of a histogram.
///
/// # Safety
/// `source` is null or a C string.
pub(crate) unsafe fn bin(
    source: *const c_char,
    parameters: [u32; 3],
    table: Option<Buffer>,
) -> Outcome<Bin> {
    #[cfg(feature = "glsl")]
    // SAFETY: by the caller's contract.
    return unsafe { function(source, parameters, table) }.map(Bin::Glsl);
    #[cfg(not(feature = "glsl"))]
    absent(source, parameters, table)
}

/// Reads the predicate of a selection.
///
/// # Safety
/// `source` is null or a C string.
pub(crate) unsafe fn predicate<K: multisplit::Key>(
    source: *const c_char,
    parameters: [u32; 3],
    table: Option<Buffer>,
) -> Outcome<multisplit::Select<K>> {
    #[cfg(feature = "glsl")]
    // SAFETY: by the caller's contract.
    return unsafe { function(source, parameters, table) }.map(multisplit::Select::glsl);
    #[cfg(not(feature = "glsl"))]
    absent(source, parameters, table)
}

/// Reads the operator that combines elements of a type: a built-in one, or a GLSL function and its identity
/// element.
///
/// # Safety
/// `source` is null or a C string.
pub(crate) unsafe fn operator(
    operator: MaybeUninit<MultisplitOperator>,
    key: KeyType,
    (source, identity): (*const c_char, MultisplitNumber),
) -> Outcome<AnyOperator> {
    Ok(match read::choice(operator)? {
        MultisplitOperator::Sum => Operator::Sum.into(),
        MultisplitOperator::Min => Operator::Min.into(),
        MultisplitOperator::Max => Operator::Max.into(),
        MultisplitOperator::Glsl => {
            #[cfg(feature = "glsl")]
            {
                // SAFETY: by the caller's contract.
                let source = unsafe { text(source)? };
                let identity = identity.of_type("identity", key)?;
                multisplit::GlslOperator::of_type(source, key, identity).into()
            }
            #[cfg(not(feature = "glsl"))]
            {
                let _ = (key, identity);
                absent(source, [0; 3], None)?
            }
        }
    })
}

/// # Safety
/// `source` is null or a C string.
#[cfg(feature = "glsl")]
unsafe fn text<'a>(source: *const c_char) -> Outcome<&'a str> {
    // SAFETY: by the caller's contract.
    let source = unsafe { read::text("glsl", source)? };
    source.ok_or_else(|| crate::result::Failure::null("glsl"))
}

/// # Safety
/// `source` is null or a C string.
#[cfg(feature = "glsl")]
unsafe fn function(
    source: *const c_char,
    parameters: [u32; 3],
    table: Option<Buffer>,
) -> Outcome<multisplit::Glsl> {
    // SAFETY: by the caller's contract.
    let source = unsafe { text(source)? };
    let function = multisplit::Glsl::new(source).parameters(parameters);
    Ok(match table {
        Some(table) => function.table_buffer(table),
        None => function,
    })
}

#[cfg(not(feature = "glsl"))]
fn absent<T>(_: *const c_char, _: [u32; 3], _: Option<Buffer>) -> Outcome<T> {
    let text = "this library was built without support for GLSL functions; install it with `./x install-c` and without --no-glsl";
    let code = crate::result::MultisplitResult::MultisplitErrorUnsupported;
    Err(crate::result::Failure::new(code, text))
}
