//! Numbers as text, one per line.

use std::fmt::Debug;
use std::io::{self, BufRead, Read as _, Write};
use std::str::FromStr;

use multisplit::Key as _;
use multisplit::half::bf16;
use multisplit_bench::first_bytes::BYTE_ORDER_MARK;
use rayon::prelude::*;

use super::error::MAX_LINE_BYTES;
use super::{Array, Data, Element, half, with_type};

/// Reason for rejecting a text.
#[derive(Debug)]
pub enum Problem {
    Io(io::Error),
    /// This line, counted from 1, is not a number of the requested type.
    Line(u64, String),
    /// This line, counted from 1, is too long for a number.
    LongLine(u64),
    /// Memory was insufficient after about this many numbers.
    NoMemory(usize),
}

/// Maximum number of characters of a rejected line that are shown.
const SHOWN: usize = 40;

/// Reads numbers of type `element`. Skips empty lines and lines that begin with `#`, like NumPy.
pub fn read(reader: &mut impl BufRead, element: Element) -> Result<Data, Problem> {
    Ok(match element {
        // Parse 64 bits and round once; the parsers of these types would round twice, to 32 bits first.
        Element::F16 => Data::Bytes2(numbers(reader, half::from_f64)?),
        Element::Bf16 => Data::Bytes2(numbers(reader, |n: f64| bf16::from_f64(n).to_bits())?),
        other => with_type!(other, T => Data::of(numbers(reader, |n: T| n)?)),
    })
}

/// Bytes to read before parsing them on all cores.
const BLOCK_BYTES: usize = 16 << 20;
/// Bytes that one thread parses at a time.
const PIECE_BYTES: usize = 256 << 10;
/// Numbers that one thread formats at a time.
const PRINTED: usize = 32 << 10;

/// Parses numbers, and converts each with `word`.
fn numbers<N: FromStr, W: Send>(
    reader: &mut impl BufRead,
    word: impl Fn(N) -> W + Sync,
) -> Result<Vec<W>, Problem> {
    let mut words = Vec::new();
    let (mut block, mut lines) = (Vec::new(), 0);
    loop {
        let available = (BLOCK_BYTES - block.len()) as u64;
        let read = reader.by_ref().take(available).read_to_end(&mut block).map_err(Problem::Io)?;
        let end = match block.iter().rposition(|&byte| byte == b'\n') {
            // End of input: the last line may lack a newline.
            _ if read == 0 => block.len(),
            Some(last) => last + 1,
            None if block.len() as u64 > MAX_LINE_BYTES => {
                return Err(Problem::LongLine(lines + 1));
            }
            None => continue,
        };
        let mark = if lines == 0 { BYTE_ORDER_MARK } else { b"" };
        let whole = block[..end].strip_prefix(mark).unwrap_or(&block[..end]);
        let pieces: Vec<_> = pieces(whole).collect();
        let parsed: Vec<_> = pieces.into_par_iter().map(|piece| parse(piece, &word)).collect();
        for piece in parsed {
            let piece = piece.map_err(|problem| problem.after(lines))?;
            let len = words.len() + piece.words.len();
            words.try_reserve(piece.words.len()).map_err(|_| Problem::NoMemory(len))?;
            words.extend(piece.words);
            lines += piece.lines;
        }
        block.drain(..end);
        if read == 0 {
            return Ok(words);
        }
    }
}

/// Splits text into pieces of whole lines.
fn pieces(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let from = text.len().min(PIECE_BYTES).checked_sub(1)?;
        let end = text[from..].iter().position(|&byte| byte == b'\n');
        let (piece, rest) = text.split_at(end.map_or(text.len(), |end| from + end + 1));
        text = rest;
        Some(piece)
    })
}

/// Numbers parsed from a piece.
struct Parsed<W> {
    words: Vec<W>,
    /// Number of lines of the piece, including those without a number.
    lines: u64,
}

fn parse<N: FromStr, W>(piece: &[u8], word: &impl Fn(N) -> W) -> Result<Parsed<W>, Problem> {
    let mut parsed = Parsed { words: Vec::new(), lines: 0 };
    for line in piece.split_inclusive(|&byte| byte == b'\n') {
        parsed.lines += 1;
        if line.len() as u64 > MAX_LINE_BYTES {
            return Err(Problem::LongLine(parsed.lines));
        }
        // Lossy conversion, so that invalid UTF-8 is reported with its line number.
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let problem = |_| Problem::Line(parsed.lines, excerpt(text));
        let value = text.parse().map_err(problem)?;
        parsed.words.try_reserve(1).map_err(|_| Problem::NoMemory(parsed.words.len()))?;
        parsed.words.push(word(value));
    }
    Ok(parsed)
}

impl Problem {
    /// Adds the number of lines before the piece to the line number.
    fn after(self, lines: u64) -> Self {
        match self {
            Self::Line(line, text) => Self::Line(lines + line, text),
            Self::LongLine(line) => Self::LongLine(lines + line),
            other => other,
        }
    }
}

/// Parses a number of type `element` and returns its bits.
pub fn number(text: &str, element: Element) -> Option<u64> {
    match element {
        Element::F16 => text.parse().ok().map(|n| half::from_f64(n).into()),
        Element::Bf16 => text.parse().ok().map(|n| bf16::from_f64(n).to_bits().into()),
        other => with_type!(other, T => text.parse().ok().map(|n: T| n.key_bits())),
    }
}

/// Truncates a text that is too long for a message.
pub fn excerpt(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Writes one line per element. Floats are written with enough digits to be read back as the same number, except that
/// every NaN becomes `NaN`.
pub fn write(writer: &mut dyn Write, array: &Array) -> io::Result<()> {
    with_type!(array.element(), T => lines::<T>(writer, bytemuck::cast_slice(array.data().bytes())))
}

fn lines<N: Debug + Sync>(writer: &mut dyn Write, numbers: &[N]) -> io::Result<()> {
    let print = |numbers: &[N]| {
        let mut text = Vec::with_capacity(12 * numbers.len());
        // `Debug` is compact even for very large and very small floats.
        numbers.iter().try_for_each(|number| writeln!(text, "{number:?}")).map(|()| text)
    };
    // Format enough chunks at a time to use all cores, without keeping the whole text in memory.
    for some in numbers.chunks(PRINTED * 4 * rayon::current_num_threads()) {
        let texts: Vec<_> = some.par_chunks(PRINTED).map(print).collect();
        for text in texts {
            writer.write_all(&text?)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_written() {
        let text = "\u{feff}# header\n1\r\n\n  -2 \n3";
        let data =
            read(&mut text.as_bytes(), Element::I32).expect("the text contains only numbers");
        assert_eq!(data, Data::Bytes4(vec![1, u32::MAX - 1, 3]));
        let mut out = Vec::new();
        let array = Array::new(Element::I32, data).expect("the element sizes match");
        write(&mut out, &array).expect("the array can be written");
        assert_eq!(out, b"1\n-2\n3\n");
    }

    #[test]
    fn floats_round_trip() {
        let check = |element, data: Data| {
            let array = Array::new(element, data.clone()).expect("the element sizes match");
            let mut out = Vec::new();
            write(&mut out, &array).expect("the array can be written");
            let found = read(&mut &out[..], element).expect("the text contains only numbers");
            assert_eq!(found, data);
        };
        let numbers = [0.1, -0.0, f64::MAX, f64::MIN_POSITIVE, 1.0, f64::INFINITY, 5e-324];
        check(Element::F64, Data::Bytes8(numbers.map(f64::to_bits).to_vec()));
        check(Element::F16, Data::Bytes2((0..0x7c00).step_by(37).collect()));
    }

    #[test]
    fn invalid_numbers_are_reported_with_their_line() {
        for (text, line) in [("1\n2.5\n", 2), ("-1\n", 1), ("1\n\n4294967296\n", 3), ("\u{1}", 1)] {
            let problem = read(&mut text.as_bytes(), Element::U32).expect_err(text);
            assert!(matches!(problem, Problem::Line(found, _) if found == line), "{problem:?}");
        }
        assert!(read(&mut &b"\xff\xfe\n"[..], Element::U32).is_err());
        assert_eq!(excerpt("1234"), "1234");
        assert_eq!(excerpt(&"é".repeat(50)), "é".repeat(40) + "...");
    }

    #[test]
    fn overlong_line_is_rejected_before_it_is_complete() {
        let mut endless = io::BufReader::new(io::repeat(b'7'));
        assert!(matches!(read(&mut endless, Element::U32), Err(Problem::LongLine(1))));
    }

    #[test]
    fn longest_line_may_be_the_last() {
        let spaces = |count: u64| " ".repeat(count as usize);
        for (text, numbers) in [
            (spaces(MAX_LINE_BYTES - 2) + "1\n2\n", Some(vec![1, 2])),
            (spaces(MAX_LINE_BYTES - 1) + "1\n2\n", None),
            (spaces(MAX_LINE_BYTES - 1) + "1", Some(vec![1])),
            (spaces(MAX_LINE_BYTES) + "1", None),
        ] {
            let read = read(&mut text.as_bytes(), Element::U8);
            assert_eq!(read.ok(), numbers.map(Data::Bytes1), "{} bytes", text.len());
        }
    }
}
