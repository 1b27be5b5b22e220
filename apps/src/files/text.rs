//! Numbers as text, one a line.

use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::str::FromStr;

use super::{Array, Data, Element};

/// Why a text is refused.
#[derive(Debug)]
pub enum Problem {
    Io(io::Error),
    /// This line, counted from 1, is no number of the type.
    Line(u64, String),
    NoMemory(u64),
    /// Elements that have no text.
    Element,
}

/// Numbers of `element`. Empty lines, and those that begin with `#`, are passed over, as NumPy
/// does.
pub fn read(reader: &mut impl BufRead, element: Element) -> Result<Data, Problem> {
    Ok(match element {
        Element::U8 => Data::Bytes1(numbers(reader, |n: u8| n)?),
        Element::U16 => Data::Bytes2(numbers(reader, |n: u16| n)?),
        Element::U32 => Data::Bytes4(numbers(reader, |n: u32| n)?),
        Element::I32 => Data::Bytes4(numbers(reader, i32::cast_unsigned)?),
        Element::F32 => Data::Bytes4(numbers(reader, f32::to_bits)?),
        Element::U64 => Data::Bytes8(numbers(reader, |n: u64| n)?),
        Element::I64 => Data::Bytes8(numbers(reader, i64::cast_unsigned)?),
        Element::F64 => Data::Bytes8(numbers(reader, f64::to_bits)?),
        Element::Bytes16 => return Err(Problem::Element),
    })
}

fn numbers<N: FromStr, W>(
    reader: &mut impl BufRead,
    word: impl Fn(N) -> W,
) -> Result<Vec<W>, Problem> {
    let mut words = Vec::new();
    // Bytes, lest a line that is no text at all be anything but that line's problem.
    let (mut line, mut number) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line).map_err(Problem::Io)? > 0 {
        number += 1;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if !text.is_empty() && !text.starts_with('#') {
            // A line of another kind of file may be endless.
            let problem = |_| Problem::Line(number, text.chars().take(40).collect());
            let value = text.parse().map_err(problem)?;
            words.try_reserve(1).map_err(|_| Problem::NoMemory(number))?;
            words.push(word(value));
        }
        line.clear();
    }
    Ok(words)
}

/// A line for each element. Floats have as few digits as read back to the same number, except
/// that every NaN is `NaN`.
pub fn write(writer: &mut impl Write, array: &Array) -> Result<(), Problem> {
    let written = match (array.element(), array.data()) {
        (Element::I32, Data::Bytes4(words)) => lines(writer, words, |w| w.cast_signed()),
        (Element::F32, Data::Bytes4(words)) => lines(writer, words, |w| Float(f32::from_bits(*w))),
        (Element::I64, Data::Bytes8(words)) => lines(writer, words, |w| w.cast_signed()),
        (Element::F64, Data::Bytes8(words)) => lines(writer, words, |w| Float(f64::from_bits(*w))),
        (_, Data::Bytes1(words)) => lines(writer, words, |w| *w),
        (_, Data::Bytes2(words)) => lines(writer, words, |w| *w),
        (_, Data::Bytes4(words)) => lines(writer, words, |w| *w),
        (_, Data::Bytes8(words)) => lines(writer, words, |w| *w),
        (_, Data::Bytes16(_)) => return Err(Problem::Element),
    };
    written.map_err(Problem::Io)
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
    use super::{Problem, read, write};
    use crate::files::{Array, Data, Element};

    #[test]
    fn numbers_are_read_and_written() {
        let text = "# header\n1\r\n\n  -2 \n3";
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
    }

    #[test]
    fn what_is_no_number_is_named_with_its_line() {
        for (text, line) in [("1\n2.5\n", 2), ("-1\n", 1), ("1\n\n4294967296\n", 3), ("\u{1}", 1)] {
            let problem = read(&mut text.as_bytes(), Element::U32).expect_err(text);
            assert!(matches!(problem, Problem::Line(found, _) if found == line), "{problem:?}");
        }
        assert!(read(&mut &b"\xff\xfe\n"[..], Element::U32).is_err());
    }
}
