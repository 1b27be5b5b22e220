//! Are the arrays of a graph what a primitive was promised: of the right type, and long enough?

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

/// The array has so many bytes. `name` is the primitive's and the array's, as in `scan.src`.
pub(in crate::primitives) fn check_room(name: &str, buffer: Buffer, needed: u64) -> Result<()> {
    let size = buffer.size();
    if size >= needed {
        return Ok(());
    }
    Err(Error::BufferTooSmall { name: name.to_owned(), size, needed })
}
