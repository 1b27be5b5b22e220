//! Numbers as text, one a line.

use std::fmt::Display;
use std::io::{self, BufRead, Read as _, Write};
use std::str::FromStr;

use super::{Array, Data, Element, half};

/// Why a text is refused.
#[derive(Debug)]
pub enum Problem {
    Io(io::Error),
    /// This line, counted from 1, is not a number of the type.
    Line(u64, String),
    /// This line is longer than any number.
    LongLine(u64),
    NoMemory(u64),
}

/// No number takes more: a float of 64 bits has at most 1,075 digits that matter.
pub const MAX_LINE_BYTES: u64 = 4096;
/// Of a line that is refused, so much is shown.
const SHOWN: usize = 40;
/// What some programs put before a text in UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Numbers of `element`. Empty lines, and those that begin with `#`, are passed over, as NumPy
/// does.
pub fn read(reader: &mut impl BufRead, element: Element) -> Result<Data, Problem> {
    Ok(match element {
        Element::U8 => Data::Bytes1(numbers(reader, |n: u8| n)?),
        Element::I8 => Data::Bytes1(numbers(reader, i8::cast_unsigned)?),
        Element::U16 => Data::Bytes2(numbers(reader, |n: u16| n)?),
        Element::I16 => Data::Bytes2(numbers(reader, i16::cast_unsigned)?),
        Element::F16 => Data::Bytes2(numbers(reader, half::from_f64)?),
        Element::U32 => Data::Bytes4(numbers(reader, |n: u32| n)?),
        Element::I32 => Data::Bytes4(numbers(reader, i32::cast_unsigned)?),
        Element::F32 => Data::Bytes4(numbers(reader, f32::to_bits)?),
        Element::U64 => Data::Bytes8(numbers(reader, |n: u64| n)?),
        Element::I64 | Element::Time(_) => Data::Bytes8(numbers(reader, i64::cast_unsigned)?),
        Element::F64 => Data::Bytes8(numbers(reader, f64::to_bits)?),
    })
}

fn numbers<N: FromStr, W>(
    reader: &mut impl BufRead,
    word: impl Fn(N) -> W,
) -> Result<Vec<W>, Problem> {
    let mut words = Vec::new();
    // Bytes: a line that is not valid text must be reported as that line, not fail the whole file.
    let (mut line, mut number) = (Vec::new(), 0);
    loop {
        line.clear();
        let mut rest = reader.by_ref().take(MAX_LINE_BYTES);
        if rest.read_until(b'\n', &mut line).map_err(Problem::Io)? == 0 {
            return Ok(words);
        }
        number += 1;
        if line.len() as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") {
            return Err(Problem::LongLine(number));
        }
        let mark = if number == 1 { BYTE_ORDER_MARK } else { b"" };
        let text = String::from_utf8_lossy(line.strip_prefix(mark).unwrap_or(&line));
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let problem = |_| Problem::Line(number, shown(text));
        let value = text.parse().map_err(problem)?;
        words.try_reserve(1).map_err(|_| Problem::NoMemory(number))?;
        words.push(word(value));
    }
}

/// The bits of the number of type `element` that a text is.
pub fn number(text: &str, element: Element) -> Option<u64> {
    fn bits<N: FromStr>(text: &str, bits: impl Fn(N) -> u64) -> Option<u64> {
        text.parse().ok().map(bits)
    }
    match element {
        Element::U8 => bits(text, |n: u8| n.into()),
        Element::I8 => bits(text, |n: i8| n.cast_unsigned().into()),
        Element::U16 => bits(text, |n: u16| n.into()),
        Element::I16 => bits(text, |n: i16| n.cast_unsigned().into()),
        Element::F16 => bits(text, |n: f64| half::from_f64(n).into()),
        Element::U32 => bits(text, |n: u32| n.into()),
        Element::I32 => bits(text, |n: i32| n.cast_unsigned().into()),
        Element::F32 => bits(text, |n: f32| n.to_bits().into()),
        Element::U64 => bits(text, |n: u64| n),
        Element::I64 | Element::Time(_) => bits(text, i64::cast_unsigned),
        Element::F64 => bits(text, f64::to_bits),
    }
}

/// The beginning of a text that is too long for a message.
pub fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// A line for each element. Floats have as few digits as read back to the same number, except
/// that every NaN is `NaN`.
pub fn write(writer: &mut impl Write, array: &Array) -> io::Result<()> {
    match (array.element(), array.data()) {
        (Element::I8, Data::Bytes1(words)) => lines(writer, words, |w| w.cast_signed()),
        (Element::I16, Data::Bytes2(words)) => lines(writer, words, |w| w.cast_signed()),
        (Element::F16, Data::Bytes2(words)) => lines(writer, words, |w| Float(half::to_f32(*w))),
        (Element::I32, Data::Bytes4(words)) => lines(writer, words, |w| w.cast_signed()),
        (Element::F32, Data::Bytes4(words)) => lines(writer, words, |w| Float(f32::from_bits(*w))),
        (Element::I64 | Element::Time(_), Data::Bytes8(words)) => {
            lines(writer, words, |w| w.cast_signed())
        }
        (Element::F64, Data::Bytes8(words)) => lines(writer, words, |w| Float(f64::from_bits(*w))),
        (_, Data::Bytes1(words)) => lines(writer, words, |w| *w),
        (_, Data::Bytes2(words)) => lines(writer, words, |w| *w),
        (_, Data::Bytes4(words)) => lines(writer, words, |w| *w),
        (_, Data::Bytes8(words)) => lines(writer, words, |w| *w),
        // No number has as many bytes: an array is never of these.
        (_, Data::Bytes16(_)) => Err(io::ErrorKind::InvalidInput.into()),
    }
}

fn lines<W, N: Display>(
    writer: &mut impl Write,
    words: &[W],
    number: impl Fn(&W) -> N,
) -> io::Result<()> {
    words.iter().try_for_each(|word| writeln!(writer, "{}", number(word)))
}

/// A float whose text is short also where it is very large or very small.
struct Float<F>(F);

impl<F: std::fmt::Debug> Display for Float<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINE_BYTES, Problem, read, shown, write};
    use crate::formats::{Array, Data, Element};

    #[test]
    fn numbers_are_read_and_written() {
        let text = "\u{feff}# header\n1\r\n\n  -2 \n3";
        let data = read(&mut text.as_bytes(), Element::I32).expect("numbers");
        assert_eq!(data, Data::Bytes4(vec![1, u32::MAX - 1, 3]));
        let mut out = Vec::new();
        let array = Array::new(Element::I32, data).expect("an array");
        write(&mut out, &array).expect("text");
        assert_eq!(out, b"1\n-2\n3\n");
    }

    #[test]
    fn floats_read_back() {
        let numbers = [0.1, -0.0, f64::MAX, f64::MIN_POSITIVE, 1.0, f64::INFINITY, 5e-324];
        let words = numbers.map(f64::to_bits).to_vec();
        let array = Array::new(Element::F64, Data::Bytes8(words.clone())).expect("an array");
        let mut out = Vec::new();
        write(&mut out, &array).expect("text");
        assert_eq!(read(&mut &out[..], Element::F64).expect("numbers"), Data::Bytes8(words));
        let narrow: Vec<u16> = (0..0x7c00).step_by(37).collect();
        let array = Array::new(Element::F16, Data::Bytes2(narrow.clone())).expect("an array");
        let mut out = Vec::new();
        write(&mut out, &array).expect("text");
        assert_eq!(read(&mut &out[..], Element::F16).expect("numbers"), Data::Bytes2(narrow));
    }

    #[test]
    fn what_is_no_number_is_named_with_its_line() {
        for (text, line) in [("1\n2.5\n", 2), ("-1\n", 1), ("1\n\n4294967296\n", 3), ("\u{1}", 1)] {
            let problem = read(&mut text.as_bytes(), Element::U32).expect_err(text);
            assert!(matches!(problem, Problem::Line(found, _) if found == line), "{problem:?}");
        }
        assert!(read(&mut &b"\xff\xfe\n"[..], Element::U32).is_err());
        assert_eq!(shown("1234"), "1234");
        assert_eq!(shown(&"é".repeat(50)), "é".repeat(40) + "...");
    }

    #[test]
    fn a_line_without_end_is_refused_before_it_is_read() {
        let mut endless = std::io::BufReader::new(std::io::repeat(b'7'));
        assert!(matches!(read(&mut endless, Element::U32), Err(Problem::LongLine(1))));
        let long = " ".repeat(MAX_LINE_BYTES as usize - 2) + "1\n2\n";
        assert_eq!(read(&mut long.as_bytes(), Element::U8).expect("two"), Data::Bytes1(vec![1, 2]));
    }
}
