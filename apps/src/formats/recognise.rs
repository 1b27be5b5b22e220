//! Detects the content of a file from its first bytes.

use multisplit_bench::first_bytes::{BYTE_ORDER_MARK, PEEKED_BYTES};

use super::npy;

/// Content of a file, as detected from its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    Npy,
    /// Text without a comma, semicolon or tab in its first line, not counting comments and empty lines.
    Lines,
    /// Text with a comma, semicolon or tab in its first line, not counting comments and empty lines.
    Columns,
    /// A zip archive, such as an `.npz` file.
    Zip,
    /// Text in UTF-16, which some spreadsheets write.
    Utf16,
    Other,
}

/// Detects the content from the first bytes of a file.
pub fn content(bytes: &[u8]) -> Content {
    if bytes.starts_with(npy::MAGIC) {
        return Content::Npy;
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return Content::Zip;
    }
    if is_utf16(bytes) {
        return Content::Utf16;
    }
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    if text.is_empty() || !is_text(text) {
        return Content::Other;
    }
    let line = text.split(|&byte| byte == b'\n').find(|line| !is_comment(line));
    let separated = |byte: &u8| matches!(byte, b',' | b';' | b'\t');
    match line.unwrap_or_default().trim_ascii().iter().any(separated) {
        true => Content::Columns,
        false => Content::Lines,
    }
}

/// Whether the bytes look like UTF-16: a byte order mark, followed by characters that each have one zero byte.
fn is_utf16(bytes: &[u8]) -> bool {
    let zeros = |at: usize| {
        let halves = bytes.chunks_exact(2).skip(1);
        halves.len() > 0 && halves.map(|pair| pair[at]).all(|half| half == 0)
    };
    bytes.starts_with(&[0xff, 0xfe]) && zeros(1) || bytes.starts_with(&[0xfe, 0xff]) && zeros(0)
}

fn is_comment(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    line.is_empty() || line.starts_with(b"#")
}

/// Whether the bytes are printable text. The last character may be incomplete if more bytes may follow.
fn is_text(bytes: &[u8]) -> bool {
    let readable =
        |byte: &u8| *byte >= b' ' && *byte != 0x7f || matches!(byte, b'\t' | b'\n' | b'\r');
    let whole = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && bytes.len() >= PEEKED_BYTES,
    };
    whole && bytes.iter().all(readable)
}

#[cfg(test)]
mod tests {
    use super::{Content, PEEKED_BYTES, content};

    #[test]
    fn content_is_detected_by_first_bytes() {
        assert_eq!(content(b"\x93NUMPY\x01\x00"), Content::Npy);
        assert_eq!(content(b"1\n2\n"), Content::Lines);
        assert_eq!(content(b"# a, b\r\n\n 1.5e3 \r\n"), Content::Lines);
        assert_eq!(content(b"\xef\xbb\xbfa,b\n1,2\n"), Content::Columns);
        assert_eq!(content("größe\t2\n".as_bytes()), Content::Columns);
        assert_eq!(content(b""), Content::Other);
        assert_eq!(content(&[1, 0, 0, 0]), Content::Other);
        assert_eq!(content(b"\x1b[31mred"), Content::Other);
        assert_eq!(content(b"\xff\xfe1\0\n\0"), Content::Utf16);
        assert_eq!(content(b"\xff\xfe\x01\x02"), Content::Other);
        assert_eq!(content(b"PK\x03\x04\x14"), Content::Zip);
        let mut cut = vec![b'a'; PEEKED_BYTES - 1];
        cut.push("é".as_bytes()[0]);
        assert_eq!(content(&cut), Content::Lines);
        assert_eq!(content(&cut[10..]), Content::Other);
    }
}
