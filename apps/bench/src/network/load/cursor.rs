//! Parses numbers from bytes.

/// A position in a text.
pub(super) struct Cursor<'t> {
    text: &'t [u8],
    pub at: usize,
}

/// Error message that names the expected and the found text.
pub(super) type ParseError = String;

impl<'t> Cursor<'t> {
    pub fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0 }
    }

    pub fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(b'\n')
    }

    /// Skips blanks, and returns the next byte without consuming it. Returns a line feed at the end of the text.
    pub fn first(&mut self) -> u8 {
        while matches!(self.peek(), b' ' | b'\t' | b'\r') && !self.at_end() {
            self.at += 1;
        }
        self.peek()
    }

    /// Skips one byte.
    pub fn skip(&mut self) {
        self.at += 1;
    }

    /// Skips the rest of the line.
    pub fn skip_line(&mut self) {
        while !self.at_end() && self.text[self.at] != b'\n' {
            self.at += 1;
        }
        self.at = (self.at + 1).min(self.text.len());
    }

    /// The next word of this line; empty at its end.
    pub fn word(&mut self) -> &'t [u8] {
        self.first();
        let begin = self.at;
        while !is_blank(self.peek()) {
            self.at += 1;
        }
        &self.text[begin..self.at]
    }

    /// Parses the next word as an integer.
    pub fn integer(&mut self) -> Result<u64, ParseError> {
        self.first();
        let begin = self.at;
        let mut value = 0u64;
        let mut byte = self.peek();
        while byte.is_ascii_digit() {
            // Overflow is harmless: it needs at least 20 digits, which are rejected below.
            value = value.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
            self.at += 1;
            byte = self.peek();
        }
        let digits = self.at - begin;
        if digits == 0 || digits > 19 || !is_blank(byte) {
            self.at = begin;
            return Err(parse_error(self.word(), "a whole number"));
        }
        Ok(value)
    }

    /// Parses the next word as a number.
    pub fn real(&mut self) -> Result<f64, ParseError> {
        let word = self.word();
        let number = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
        number.ok_or_else(|| parse_error(word, "a number"))
    }

    /// Expects the end of the line and skips it.
    pub fn end_of_line(&mut self) -> Result<(), ParseError> {
        if self.first() != b'\n' {
            return Err(parse_error(self.word(), "the end of the line"));
        }
        self.skip_line();
        Ok(())
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Maximum number of bytes of a word to show.
const SHOWN: usize = 24;

pub(super) fn parse_error(word: &[u8], expected: &str) -> ParseError {
    if word.is_empty() {
        return format!("expected {expected}, but the line ends");
    }
    let shown = String::from_utf8_lossy(&word[..word.len().min(SHOWN)]);
    format!("expected {expected}, found `{shown}`")
}
