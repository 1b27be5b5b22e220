//! Reads and writes the headers of NumPy's `.npy` files.
//!
//! Versions 1 to 3 differ in the size of the length field before the header, and in the header's text encoding. The
//! header is a Python dictionary with `descr`, `fortran_order` and `shape`.

use std::io::{self, Read};

use clap::ValueEnum as _;

use super::element::TimeType;
use super::literal::{self, Literal};
use super::{Element, FileError, Result};

/// Magic bytes at the beginning of every `.npy` file.
pub const MAGIC: &[u8] = b"\x93NUMPY";
/// Maximum header size. NumPy writes about a hundred bytes, and more for structured types.
const MAX_HEADER_BYTES: usize = 1 << 16;
/// NumPy pads headers to a multiple of this, so that the data can be mapped aligned.
const ALIGNMENT: usize = 64;

/// Contents of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Size of the header in bytes, which is the offset of the elements.
    pub bytes: u64,
    /// The type as written in the header.
    pub descr: String,
    /// Element type and byte order; `None` if the type is none of [`Element`].
    pub element: Option<(Element, ByteOrder)>,
    /// Size of an element in bytes, for any element type.
    pub element_bytes: u64,
    pub shape: Vec<u64>,
    /// Whether the first index varies fastest (column-major order).
    pub fortran: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// The byte order in memory.
    Native,
    Swapped,
}

/// Reads the header of the file `place`; the elements follow it.
pub fn read_header(place: &str, reader: &mut impl Read) -> Result<Header> {
    let npy = |problem: String| FileError::Npy { place: place.to_owned(), problem };
    let other = |problem: &str| npy(problem.to_owned());
    let unread = |source: io::Error| match source.kind() {
        io::ErrorKind::UnexpectedEof => other("it ends within its header"),
        _ => FileError::Read { place: place.to_owned(), source },
    };
    let mut start = [0; 8];
    reader.read_exact(&mut start).map_err(unread)?;
    if !start.starts_with(MAGIC) {
        return Err(other("it does not begin with NumPy's magic bytes"));
    }
    let length_bytes = match start[MAGIC.len()] {
        1 => 2,
        2 | 3 => 4,
        version => {
            return Err(npy(format!("version {version} is not supported; versions 1 to 3 are")));
        }
    };
    let mut length = [0; 4];
    reader.read_exact(&mut length[..length_bytes]).map_err(unread)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_HEADER_BYTES {
        return Err(npy(format!("its header is too long ({length} bytes)")));
    }
    let mut text = vec![0; length];
    reader.read_exact(&mut text).map_err(unread)?;
    let text = String::from_utf8(text).map_err(|_| other("its header is not UTF-8 text"))?;
    Ok(Header { bytes: (start.len() + length_bytes + length) as u64, ..parse(&text).map_err(npy)? })
}

/// The header, including the magic bytes, for an array of this type and shape. `descr` is a Python literal.
pub fn header(descr: &str, shape: &[u64]) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let shape = format!("({}{comma})", sizes.join(", "));
    let mut text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
    // Version 1 has a 16-bit header length, which is enough except for very long types.
    let long = text.len() > usize::from(u16::MAX) - ALIGNMENT;
    let before = MAGIC.len() + if long { 6 } else { 4 };
    let whole = (before + text.len() + 1).next_multiple_of(ALIGNMENT);
    text += &" ".repeat(whole - before - text.len() - 1);
    text.push('\n');
    let (version, length) = match long {
        true => (2, (text.len() as u32).to_le_bytes().to_vec()),
        false => (1, (text.len() as u16).to_le_bytes().to_vec()),
    };
    [MAGIC, &[version, 0], &length, text.as_bytes()].concat()
}

/// The header of a one-dimensional array of numbers.
pub fn header_of(element: Element, len: usize) -> Vec<u8> {
    header(&format!("'{}'", element.descr()), &[len as u64])
}

/// Parses the dictionary of a header. The error describes the problem of the header.
fn parse(text: &str) -> Result<Header, String> {
    let Some(Literal::Dictionary(items)) = literal::parse(text) else {
        return Err("its header is not a Python dictionary".to_owned());
    };
    let value = |key: &str| {
        let mut found = items.iter().filter(|(name, ..)| *name == Literal::Text(key));
        match (found.next(), found.next()) {
            (Some((_, value, text)), None) => Ok((value, *text)),
            (None, _) => Err(format!("its header has no {key}")),
            _ => Err(format!("its header has {key} twice")),
        }
    };
    let (descr, descr_text) = value("descr")?;
    let fortran = match value("fortran_order")? {
        (Literal::Bool(fortran), _) => *fortran,
        _ => return Err("its fortran_order is neither True nor False".to_owned()),
    };
    let shape = shape(value("shape")?.0).ok_or("its shape is not a tuple of sizes")?;
    let element = match descr {
        Literal::Text(descr) => number(descr),
        _ => None,
    };
    let problem = || format!("elements of type {descr_text} are not supported");
    let element_bytes = bytes_of(descr).ok_or_else(problem)?;
    Ok(Header { bytes: 0, descr: descr_text.to_owned(), element, element_bytes, shape, fortran })
}

fn shape(literal: &Literal<'_>) -> Option<Vec<u64>> {
    let Literal::Sequence(sizes) = literal else { return None };
    let size = |size: &Literal<'_>| match size {
        Literal::Number(size) => Some(*size),
        _ => None,
    };
    sizes.iter().map(size).collect()
}

/// Splits a type such as `<f4` into byte order, kind, size and suffix.
fn parts(descr: &str) -> Option<(ByteOrder, char, u64, &str)> {
    let mut letters = descr.chars();
    let order = match letters.next()? {
        '<' | '|' | '=' => ByteOrder::Native,
        '>' => ByteOrder::Swapped,
        _ => return None,
    };
    let kind = letters.next()?;
    let rest = letters.as_str();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    Some((order, kind, rest[..digits].parse().ok()?, &rest[digits..]))
}

/// Parses the type of an [`Element`], such as `<f4`. `None` for other types.
fn number(descr: &str) -> Option<(Element, ByteOrder)> {
    let (order, kind, bytes, unit) = parts(descr)?;
    let element = match (kind, bytes) {
        ('m' | 'M', 8) => Element::Time(TimeType::new(kind == 'm', unit)?),
        _ if !unit.is_empty() => return None,
        _ => {
            let name = format!("{kind}{bytes}");
            let named = |element: &&Element| element.descr()[1..] == name;
            *Element::value_variants().iter().find(named)?
        }
    };
    Some((element, order))
}

/// Element size in bytes. `None` for Python objects and unknown types.
fn bytes_of(descr: &Literal<'_>) -> Option<u64> {
    match descr {
        Literal::Text(descr) => match parts(descr)? {
            (_, 'b' | 'i' | 'u' | 'f' | 'c' | 'm' | 'M' | 'V' | 'S' | 'a', bytes, _) => Some(bytes),
            // Characters have four bytes each.
            (_, 'U', letters, _) => letters.checked_mul(4),
            _ => None,
        },
        Literal::Sequence(fields) => {
            let mut sum = 0u64;
            for field in fields {
                let Literal::Sequence(parts) = field else { return None };
                let count = match parts.get(2) {
                    Some(count) => shape(count)?.iter().try_fold(1u64, |a, &b| a.checked_mul(b))?,
                    None => 1,
                };
                sum = sum.checked_add(bytes_of(parts.get(1)?)?.checked_mul(count)?)?;
            }
            Some(sum)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_headers_are_read_back() {
        for (element, len) in [(Element::U32, 0), (Element::F64, 7), (Element::U8, 1 << 40)] {
            let bytes = header_of(element, len);
            assert_eq!(bytes.len() % 64, 0);
            assert!(bytes.ends_with(b"\n"));
            let read = read_header("a.npy", &mut &bytes[..]).expect("the header is valid");
            assert_eq!(read.element, Some((element, ByteOrder::Native)));
            assert_eq!(read.shape, [len as u64]);
        }
        let long = format!("[{}]", "('a', '<f4'), ".repeat(4700));
        assert!(header(&long, &[2, 3]).starts_with(b"\x93NUMPY\x02"));
    }

    #[test]
    fn numpy_headers_are_read() {
        let read = |text: &str| parse(text).unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
        let text = "{'descr': '<i8', 'fortran_order': True, 'shape': (12,), }   \n";
        let header = read(text);
        assert_eq!(header.element, Some((Element::I64, ByteOrder::Native)));
        assert_eq!((header.shape, header.fortran), (vec![12], true));
        let text = r#"{"shape": (3L,), "fortran_order": False, "descr": ">f4"}"#;
        assert_eq!(read(text).element, Some((Element::F32, ByteOrder::Swapped)));
        // A field may have the same name as a key of the header.
        let text = "{'descr': [('shape', '<u4'), ('descr', '<f8', (2,))], 'fortran_order': False, \
                    'shape': (2, 3), }";
        let expected = Header {
            bytes: 0,
            descr: "[('shape', '<u4'), ('descr', '<f8', (2,))]".to_owned(),
            element: None,
            element_bytes: 20,
            shape: vec![2, 3],
            fortran: false,
        };
        assert_eq!(Header { bytes: 0, ..read(text) }, expected);
    }

    #[test]
    fn invalid_headers_are_rejected() {
        for descr in ["'|O'", "'f4'", "'<'", "[('a',)]", "[['a', '<f4', (x)]]", "3"] {
            let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (3,), }}");
            assert!(parse(&text).is_err(), "accepted: {text}");
        }
        for shape in ["3", "(x,)", "(-1,)", "(3", "'(3,)'"] {
            let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
            assert!(parse(&text).is_err(), "accepted: {text}");
        }
        let twice = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'shape': (4,)}";
        for text in ["", "{}", "{'descr': '<f4'}", "{'descr' '<f4'}", twice] {
            assert!(parse(text).is_err(), "accepted: {text}");
        }
        let mut bytes = header_of(Element::U32, 3);
        assert!(
            read_header("a.npy", &mut &bytes[..20]).is_err(),
            "a truncated header was accepted"
        );
        bytes[6] = 9;
        assert!(read_header("a.npy", &mut &bytes[..]).is_err(), "version 9 was accepted");
        assert!(read_header("a.npy", &mut &b"not an array"[..]).is_err());
    }
}
