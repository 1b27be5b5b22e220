//! Splits a text stream into blocks of whole lines.

use std::io::Read;
use std::path::Path;

use crate::host_memory;
use crate::network::error::{InputError, Result};

/// Some consecutive whole lines of a file.
pub(super) struct Block {
    pub text: Vec<u8>,
    /// Line number of the first line, counted from 1.
    pub first_line: u64,
}

/// Block size in bytes: large enough that passing a block to a thread takes negligible time.
const BLOCK: usize = 1 << 21;
/// Maximum length of an incomplete line at the end of a block. Files with longer lines are not edge lists.
const LONGEST_LINE: usize = 1 << 16;

/// Iterates over the blocks of a file.
pub(super) struct Blocks<'r> {
    path: &'r Path,
    reader: &'r mut dyn Read,
    /// Called after each block, to report progress.
    report: &'r dyn Fn(),
    /// Start of a line whose end has not been read yet.
    rest: Vec<u8>,
    next_line: u64,
    ended: bool,
}

impl<'r> Blocks<'r> {
    /// The blocks of `reader`. `path` is used in error messages.
    pub fn new(path: &'r Path, reader: &'r mut dyn Read, report: &'r dyn Fn()) -> Self {
        Self { path, reader, report, rest: Vec::new(), next_line: 1, ended: false }
    }

    /// The error of a malformed line.
    pub fn malformed(&self, line: u64, problem: impl Into<String>) -> InputError {
        InputError::Malformed { path: self.path.to_owned(), line, problem: problem.into() }
    }

    /// Checks that `bytes` bytes of host memory are available. The error names the file, and `what`
    /// as the reason.
    pub fn check_memory(&self, what: &str, bytes: usize) -> Result<()> {
        let what = format!("{}: {what}", self.path.display());
        Ok(host_memory::check(&what, bytes as u64)?)
    }

    /// The next block; `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<Block>> {
        if self.ended && self.rest.is_empty() {
            return Ok(None);
        }
        // Memory for the text, its edges, and the joined edge list.
        self.check_memory("reading the next lines", 8 * BLOCK)?;
        let mut text = std::mem::take(&mut self.rest);
        text.reserve_exact(BLOCK);
        if !self.ended {
            let missing = BLOCK.saturating_sub(text.len()) as u64;
            let read = Read::take(&mut *self.reader, missing).read_to_end(&mut text);
            read.map_err(|error| InputError::Io { path: self.path.to_owned(), error })?;
            self.ended = text.len() < BLOCK;
        }
        if !self.ended {
            let end = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            if end == 0 || text.len() - end > LONGEST_LINE {
                let line = self.next_line + newlines(&text[..end]);
                return Err(self.malformed(line, "the line is too long"));
            }
            self.rest = text.split_off(end);
        }
        (self.report)();
        let first_line = self.next_line;
        self.next_line += newlines(&text);
        Ok(Some(Block { text, first_line }))
    }

    /// Puts the part of `block` after its first `used` bytes back, so that [`next`](Self::next) returns it again.
    pub fn push_back(&mut self, block: &Block, used: usize) {
        let mut text = block.text[used..].to_vec();
        text.append(&mut self.rest);
        self.rest = text;
        self.next_line = block.first_line + newlines(&block.text[..used]);
    }
}

fn newlines(text: &[u8]) -> u64 {
    text.iter().filter(|&&byte| byte == b'\n').count() as u64
}
