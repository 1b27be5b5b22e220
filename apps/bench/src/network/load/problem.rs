//! Why a file is refused, before its name is known.

use std::path::Path;

use crate::network::InputError;

/// What is wrong, and in which line; or that reading failed.
pub enum Problem {
    Line(u64, String),
    Io(std::io::Error),
    Memory(String),
}

impl Problem {
    /// The error of the file at `path`.
    pub fn at(self, path: &Path) -> InputError {
        let path = path.to_owned();
        match self {
            Self::Line(line, problem) => InputError::Malformed { path, line, problem },
            Self::Io(error) => InputError::Io { path, error },
            Self::Memory(problem) => InputError::Memory(format!("{}: {problem}", path.display())),
        }
    }
}
