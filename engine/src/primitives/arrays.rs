//! Are the arrays of a graph what a primitive was promised: of the right type, long enough, whole rows?

use multisplit_graph::{Buffer, ElementType};

use crate::error::{Error, Result};

/// The array is one of `expected`.
pub(in crate::primitives) fn check_element(
    name: &'static str,
    buffer: Buffer,
    expected: ElementType,
) -> Result<()> {
    if buffer.element() == expected {
        return Ok(());
    }
    let (found, expected) = (buffer.element().to_string(), expected.to_string());
    Err(Error::KeyTypeMismatch { name, found, expected })
}

/// The elements are a whole number of rows.
pub(crate) fn check_rows(n: u64, length: u64) -> Result<()> {
    if n == 0 || length > 0 && n.is_multiple_of(length) {
        return Ok(());
    }
    Err(Error::Rows { n, length })
}

/// The array has so many bytes. `name` is the primitive's and the array's, as in `scan.src`.
pub(crate) fn check_room(name: &str, buffer: Buffer, needed: u64) -> Result<()> {
    let size = buffer.size();
    if size >= needed {
        return Ok(());
    }
    Err(Error::BufferTooSmall { name: name.to_owned(), size, needed })
}
