//! Checks of limits, and of the types and sizes of arrays.

use multisplit_graph::{Buffer, ElementType};

use crate::error::{Error, Result};

/// Returns an error if the requested number exceeds the limit.
pub fn check_limit(what: &'static str, asked: u64, limit: impl Into<u64>) -> Result<()> {
    let limit = limit.into();
    if asked > limit { Err(Error::TooLarge { what, asked, limit }) } else { Ok(()) }
}

/// Checks the element type of an array.
pub fn check_element(name: &'static str, buffer: Buffer, expected: ElementType) -> Result<()> {
    if buffer.element() == expected {
        return Ok(());
    }
    let (found, expected) = (buffer.element().to_string(), expected.to_string());
    Err(Error::KeyTypeMismatch { name, found, expected })
}

/// Checks that `n` is a multiple of the row length.
pub fn check_rows(n: u64, length: u64) -> Result<()> {
    if n == 0 || length > 0 && n.is_multiple_of(length) {
        return Ok(());
    }
    Err(Error::Rows { n, length })
}

/// Checks that an array has at least `needed` bytes. `name` is its name in the error, such as `scan.src`.
pub fn check_size(name: &str, buffer: Buffer, needed: u64) -> Result<()> {
    let size = buffer.size();
    if size >= needed {
        return Ok(());
    }
    Err(Error::BufferTooSmall { name: name.to_owned(), size, needed })
}
