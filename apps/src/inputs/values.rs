//! Reads values that are moved with keys. A value has 1 to 16 bytes, whose content is not interpreted.
//!
//! The device moves 4, 8 or 16 bytes. Values of other sizes are padded here; writing removes the padding.

use multisplit_bench::progress::Bars;

use super::{Elements, Stream, open_array};
use crate::formats::npy::{self, ByteOrder};
use crate::formats::{Data, Element, FileError, Format, Place, Result};
use crate::inputs::Shape;

/// One value per key.
pub struct Values {
    /// Elements of 4, 8 or 16 bytes each.
    pub elements: Elements,
    pub form: ValueForm,
}

/// Type and size of a value, for writing.
#[derive(Clone, Debug)]
pub struct ValueForm {
    /// Size of a value in bytes, without padding.
    pub bytes: usize,
    /// The type as a Python literal, for a `.npy` file.
    pub descr: String,
    /// Shape of a value in elements of that type.
    pub shape: Vec<u64>,
    /// Element type, if the value is one number.
    pub element: Option<Element>,
}

impl ValueForm {
    /// The form of a value that is one number.
    fn of(element: Element) -> Self {
        let (bytes, descr) = (element.bytes(), format!("'{}'", element.descr()));
        Self { bytes, descr, shape: Vec::new(), element: Some(element) }
    }

    /// The header of a `.npy` file with `len` values.
    pub fn header(&self, len: u64) -> Vec<u8> {
        npy::header(&self.descr, &[&[len], &self.shape[..]].concat())
    }
}

/// Maximum size of a value on the device, in bytes.
const MAX_BYTES: u64 = 16;

/// Opens values. `stated_bytes` is the value size for files that do not store it, by default 4.
pub fn open_values(place: &Place, stated_bytes: Option<usize>, bars: Bars) -> Result<Values> {
    let mut stream = Stream::open(place, bars)?;
    match stream.format()? {
        Format::Npy => npy(&mut stream),
        Format::Raw => raw(&mut stream, stated_bytes.unwrap_or(4)),
        format => {
            let element = if stated_bytes == Some(8) { Element::U64 } else { Element::U32 };
            let numbers = open_array(&mut stream, format, Some(element), Shape::Line)?;
            Ok(Values { elements: numbers.elements, form: ValueForm::of(element) })
        }
    }
}

fn raw(stream: &mut Stream, bytes: usize) -> Result<Values> {
    let (elements, found) = stream.rows(0, bytes, u64::MAX)?;
    if !found.is_multiple_of(bytes as u64) {
        return Err(FileError::PartialValue { place: stream.name(), bytes: found, each: bytes });
    }
    let form = match bytes {
        4 => ValueForm::of(Element::U32),
        8 => ValueForm::of(Element::U64),
        _ => ValueForm { bytes, descr: format!("'|V{bytes}'"), shape: Vec::new(), element: None },
    };
    Ok(Values { elements, form })
}

fn npy(stream: &mut Stream) -> Result<Values> {
    let header = stream.npy_header()?;
    let place = stream.name();
    let Some((&rows, inner)) = header.shape.split_first() else {
        let wanted = "there must be one value per key";
        return Err(FileError::Dimensions { place, dimensions: 0, wanted });
    };
    let row = inner.iter().try_fold(header.element_bytes, |all, &one| all.checked_mul(one));
    let Some(bytes) = row.filter(|row| (1..=MAX_BYTES).contains(row)) else {
        let descr = header.descr;
        return Err(FileError::ValueSize { place, descr, shape: inner.to_vec() });
    };
    let bytes = bytes as usize;
    let promised = rows.saturating_mul(bytes as u64);
    let (mut elements, found) = stream.rows(header.bytes, bytes, promised)?;
    if found < promised {
        return Err(FileError::Short { place, found, promised });
    }
    stream.expect_end(header.bytes, promised)?;
    if header.fortran && !inner.is_empty() {
        let each = header.element_bytes as usize;
        let data = elements.load()?;
        let no_memory = || FileError::NoMemory { place, elements: data.len() };
        let rows = transposed(&data, bytes, each, inner).ok_or_else(no_memory)?;
        elements = Elements::Memory(rows);
    }
    // Values with swapped byte order or several numbers cannot be written as text.
    let element = match header.element {
        Some((element, ByteOrder::Native)) if inner.is_empty() => Some(element),
        _ => None,
    };
    Ok(Values {
        elements,
        form: ValueForm { bytes, descr: header.descr, shape: inner.to_vec(), element },
    })
}

/// Converts column-major (Fortran) order to row-major order. In Fortran order, the first index varies
/// fastest. `None` if memory is insufficient.
fn transposed(data: &Data, row: usize, element: usize, inner: &[u64]) -> Option<Data> {
    let padded = data.element_bytes();
    let n = data.len();
    let mut columns = Vec::new();
    columns.try_reserve_exact(n.checked_mul(row)?).ok()?;
    columns.extend(data.bytes().chunks_exact(padded).flat_map(|padded| &padded[..row]));
    let mut moved = Data::empty(padded);
    if !moved.resize(n) {
        return None;
    }
    let bytes = moved.bytes_mut();
    let count = row / element;
    for column in 0..count {
        let place = place_in_c_order(column, inner);
        for index in 0..n {
            let from = (column * n + index) * element;
            let to = index * padded + place * element;
            bytes[to..to + element].copy_from_slice(&columns[from..from + element]);
        }
    }
    Some(moved)
}

/// Converts the index of an element in Fortran order to its index in C order.
fn place_in_c_order(index: usize, shape: &[u64]) -> usize {
    let mut rest = index;
    let indices: Vec<usize> = shape
        .iter()
        .map(|&size| {
            let one = rest % size as usize;
            rest /= size as usize;
            one
        })
        .collect();
    indices.iter().zip(shape).fold(0, |place, (one, &size)| place * size as usize + one)
}

impl Stream {
    /// Returns the values of `bytes` bytes from `offset` to the end of the input, but at most `max` bytes, each padded
    /// to 4, 8 or 16 bytes, and the number of bytes found.
    fn rows(&mut self, offset: u64, bytes: usize, max: u64) -> Result<(Elements, u64)> {
        let padded = [4, 8, 16].into_iter().find(|&size| size >= bytes).unwrap_or(16);
        if padded == bytes {
            return self.elements(offset, bytes, max);
        }
        let (plain, found) = self.elements(offset, 1, max)?;
        let plain = plain.load()?;
        let mut data = Data::empty(padded);
        let rows = plain.len() / bytes;
        if !data.resize(rows) {
            return Err(FileError::NoMemory { place: self.name(), elements: rows });
        }
        let to = data.bytes_mut().chunks_exact_mut(padded);
        for (from, to) in plain.bytes().chunks_exact(bytes).zip(to) {
            to[..bytes].copy_from_slice(from);
        }
        Ok((Elements::Memory(data), found))
    }
}

impl Values {
    /// The bytes of the values without padding.
    pub fn unpadded(data: &Data, bytes: usize) -> Vec<u8> {
        let padded = data.element_bytes();
        data.bytes().chunks_exact(padded).flat_map(|row| row[..bytes].iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fortran_indices_map_to_c_order() {
        // The elements of a 2 by 3 row in Fortran order: (0,0) (1,0) (0,1) (1,1) (0,2) (1,2).
        let places: Vec<usize> = (0..6).map(|index| place_in_c_order(index, &[2, 3])).collect();
        assert_eq!(places, [0, 3, 1, 4, 2, 5]);
    }

    #[test]
    fn values_are_padded_and_fortran_order_is_converted() {
        let folder = tempfile::tempdir().expect("a temporary folder can be created");
        let path = folder.path().join("rows.npy");
        let descr = "[('a', '<u2'), ('b', '|u1', (3,))]";
        let bytes = [npy::header(descr, &[2]), (1..=10).collect()].concat();
        std::fs::write(&path, bytes).expect("the file can be written");
        let values =
            open_values(&Place::new(&path), None, Bars::none()).expect("the values can be opened");
        let ValueForm { bytes, descr: found, shape, element } = &values.form;
        assert_eq!((*bytes, found.as_str(), shape.len(), *element), (5, descr, 0, None));
        let data = values.elements.load().expect("the elements can be loaded");
        assert_eq!(data.element_bytes(), 8);
        assert_eq!(Values::unpadded(&data, 5), (1..=10).collect::<Vec<u8>>());

        // Two columns, stored one after the other.
        let text = npy::header("'<u4'", &[3, 2]);
        let text = String::from_utf8_lossy(&text[10..]).replace("False", "True ");
        let mut bytes = npy::header("'<u4'", &[3, 2])[..10].to_vec();
        bytes.extend(text.as_bytes());
        bytes.extend([1u32, 2, 3, 10, 20, 30].iter().flat_map(|word| word.to_le_bytes()));
        std::fs::write(&path, bytes).expect("the file can be written");
        let values =
            open_values(&Place::new(&path), None, Bars::none()).expect("the values can be opened");
        let pair = |a: u64, b: u64| b << 32 | a;
        let data = values.elements.load().expect("the elements can be loaded");
        assert_eq!(data, Data::Bytes8(vec![pair(1, 10), pair(2, 20), pair(3, 30)]));
        assert_eq!(values.form.shape, [2]);
    }
}
