//! NumPy's `.npy` files: the header, read and written.
//!
//! Versions 1 to 3 differ in the width of the header's length and in its text encoding. The header
//! is a Python dictionary with `descr`, `fortran_order` and `shape`. One-dimensional arrays only:
//! for them C order and Fortran order are the same.

use std::io::{self, Read};

use super::Element;

/// The first bytes of every such file.
pub const MAGIC: &[u8] = b"\x93NUMPY";
/// NumPy's own writes a hundred bytes or so; a longer one is no array of plain numbers.
const MAX_HEADER_BYTES: usize = 1 << 16;
/// NumPy pads headers to a multiple of this, so that the data can be mapped aligned.
const ALIGNMENT: usize = 64;

/// What a header says.
#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    pub element: Element,
    pub len: u64,
}

/// Why a header is refused.
#[derive(Debug)]
pub enum Problem {
    Io(io::Error),
    /// An element type that is not read.
    Type(String),
    Other(String),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Other("it ends within its header".to_owned()),
            _ => Self::Io(error),
        }
    }
}

/// Reads the header, after which the elements follow.
pub fn read_header(reader: &mut impl Read) -> Result<Header, Problem> {
    let other = |text: &str| Problem::Other(text.to_owned());
    let mut start = [0; 8];
    reader.read_exact(&mut start)?;
    if !start.starts_with(MAGIC) {
        return Err(other("it does not begin with NumPy's magic bytes"));
    }
    let length = match start[MAGIC.len()] {
        1 => {
            let mut length = [0; 2];
            reader.read_exact(&mut length)?;
            usize::from(u16::from_le_bytes(length))
        }
        2 | 3 => {
            let mut length = [0; 4];
            reader.read_exact(&mut length)?;
            u32::from_le_bytes(length) as usize
        }
        version => return Err(Problem::Other(format!("version {version} is not known"))),
    };
    if length > MAX_HEADER_BYTES {
        return Err(Problem::Other(format!("a header of {length} bytes")));
    }
    let mut text = vec![0; length];
    reader.read_exact(&mut text)?;
    let text = String::from_utf8(text).map_err(|_| other("its header is not text"))?;
    parse(&text)
}

/// The header of an array of `len` elements, magic bytes included.
pub fn header(element: Element, len: usize) -> Vec<u8> {
    let mut text =
        format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({len},), }}", element.descr());
    let before = MAGIC.len() + 4;
    let whole = (before + text.len() + 1).next_multiple_of(ALIGNMENT);
    text += &" ".repeat(whole - before - text.len() - 1);
    text.push('\n');
    // At most two lines of ALIGNMENT bytes.
    let length = (text.len() as u16).to_le_bytes();
    [MAGIC, &[1, 0], &length, text.as_bytes()].concat()
}

fn parse(text: &str) -> Result<Header, Problem> {
    let other = |text: &str| Problem::Other(text.to_owned());
    let descr = value(text, "descr").ok_or_else(|| other("its header has no descr"))?;
    let shape = value(text, "shape").ok_or_else(|| other("its header has no shape"))?;
    let plain = quoted(descr).ok_or_else(|| Problem::Type(shown(descr)))?;
    let element = Element::from_descr(plain).ok_or_else(|| Problem::Type(plain.to_owned()))?;
    let inside = shape.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let Some((inside, _)) = inside else {
        return Err(other("its shape is not a tuple"));
    };
    let lengths: Vec<_> =
        inside.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    let [length] = lengths[..] else {
        let dimensions = lengths.len();
        return Err(Problem::Other(format!("the array has {dimensions} dimensions, not one")));
    };
    // Python 2 wrote long numbers with an L.
    let len = length.trim_end_matches('L').parse();
    Ok(Header { element, len: len.map_err(|_| other("its shape is not a number"))? })
}

/// What follows `'key':` in a Python dictionary whose keys are the three known ones.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let quotes = [format!("'{key}'"), format!("\"{key}\"")];
    let rest = quotes.iter().find_map(|quoted| text.split_once(quoted.as_str()))?.1;
    rest.trim_start().strip_prefix(':').map(str::trim_start)
}

fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|quote| ['\'', '"'].contains(quote))?;
    text[1..].split_once(quote).map(|(inside, _)| inside)
}

/// A structured type, cut to a length that fits a message.
fn shown(descr: &str) -> String {
    let end = descr.find(']').map_or(descr.len(), |end| end + 1);
    descr[..end].chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::{Header, Problem, header, parse, read_header};
    use crate::files::Element;

    #[test]
    fn what_is_written_is_read_back() {
        for (element, len) in [(Element::U32, 0), (Element::F64, 7), (Element::U8, 1 << 40)] {
            let bytes = header(element, len);
            assert_eq!(bytes.len() % 64, 0);
            assert!(bytes.ends_with(b"\n"));
            let read = read_header(&mut &bytes[..]).expect("a header");
            assert_eq!(read, Header { element, len: len as u64 });
        }
    }

    #[test]
    fn headers_of_numpy_are_read() {
        let text = "{'descr': '<i8', 'fortran_order': True, 'shape': (12,), }   \n";
        assert_eq!(parse(text).expect("a header"), Header { element: Element::I64, len: 12 });
        let text = r#"{"shape": (3L,), "fortran_order": False, "descr": "<f4"}"#;
        assert_eq!(parse(text).expect("a header"), Header { element: Element::F32, len: 3 });
    }

    #[test]
    fn others_are_refused() {
        let types = ["'>f4'", "'<c16'", "[('a', '<f4'), ('b', '<i4')]", "'|O'", "'<f2'"];
        for descr in types {
            let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (3,), }}");
            assert!(matches!(parse(&text), Err(Problem::Type(_))), "{text}");
        }
        for shape in ["()", "(3, 4)", "3", "(x,)", "(-1,)", "(3"] {
            let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
            assert!(matches!(parse(&text), Err(Problem::Other(_))), "{text}");
        }
        for text in ["", "{}", "{'descr': '<f4'}", "{'descr' '<f4'}"] {
            assert!(parse(text).is_err(), "{text}");
        }
        let mut bytes = header(Element::U32, 3);
        assert!(read_header(&mut &bytes[..20]).is_err(), "cut short");
        bytes[6] = 9;
        assert!(read_header(&mut &bytes[..]).is_err(), "version 9");
        assert!(read_header(&mut &b"not an array"[..]).is_err());
    }
}
