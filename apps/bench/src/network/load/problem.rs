//! Errors of parsing, without the file name.

use std::path::Path;

use crate::network::InputError;

/// A malformed line and its number, or a failure to read.
pub enum Problem {
    Line(u64, String),
    Io(std::io::Error),
    Memory(String),
}

impl Problem {
    /// Adds the path of the file.
    pub fn at(self, path: &Path) -> InputError {
        let path = path.to_owned();
        match self {
            Self::Line(line, problem) => InputError::Malformed { path, line, problem },
            Self::Io(error) => InputError::Io { path, error },
            Self::Memory(problem) => InputError::Memory(format!("{}: {problem}", path.display())),
        }
    }
}
