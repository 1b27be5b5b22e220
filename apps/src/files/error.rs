//! What is wrong with a file.

use std::io;

use super::Element;

/// What is wrong with a file, which is named as on the command line.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("cannot read {place}")]
    Read { place: String, source: io::Error },
    #[error("cannot write {place}")]
    Write { place: String, source: io::Error },
    #[error("{place}: no memory for {elements} elements")]
    NoMemory { place: String, elements: u64 },
    #[error(
        "{place} has {bytes} bytes, which is no whole number of {element} ({} bytes each)",
        .element.bytes()
    )]
    Partial { place: String, bytes: u64, element: Element },
    #[error("{place} ends after {found} of the {promised} bytes that its header promises")]
    Short { place: String, found: u64, promised: u64 },
    #[error("{place} goes on after the {promised} bytes that its header promises")]
    Long { place: String, promised: u64 },
    #[error("{place} is no .npy file that can be read: {problem}")]
    Npy { place: String, problem: String },
    #[error(
        "{place} holds elements of NumPy type {descr}; little-endian u8, u16, u32, i32, f32, \
         u64, i64 and f64 can be read"
    )]
    NpyType { place: String, descr: String },
    #[error("{place}, line {line}: `{text}` is no {element}")]
    Number { place: String, line: u64, text: String, element: Element },
    #[error("{place} holds {found}, not the {asked} that --type asks for")]
    OtherType { place: String, found: Element, asked: Element },
    #[error("{place} does not say what its elements are; give --type")]
    NoType { place: String },
    #[error("{element} cannot be written as text, to {place}")]
    NoText { place: String, element: Element },
    #[error("{place} exists; --force overwrites it")]
    Exists { place: String },
    #[error("{place} is named as an output twice")]
    Twice { place: String },
    #[error("raw numbers do not go to a terminal; name a file, or send them to a program")]
    Terminal,
}
