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
        "{place} has {bytes} bytes, which is not a multiple of {} ({element})",
        .element.bytes()
    )]
    Partial { place: String, bytes: u64, element: Element },
    #[error("{place} ends after {found} of the {promised} bytes that its header says it has")]
    Short { place: String, found: u64, promised: u64 },
    #[error("{place} has more than the {promised} bytes that its header says it has")]
    Long { place: String, promised: u64 },
    #[error("{place} is not a .npy file that can be read: {problem}")]
    Npy { place: String, problem: String },
    #[error(
        "{place} holds elements of NumPy type {descr}; little-endian u8, u16, u32, i32, f32, \
         u64, i64 and f64 can be read"
    )]
    NpyType { place: String, descr: String },
    #[error("{place}, line {line}: `{text}` is not a number of type {element}")]
    Number { place: String, line: u64, text: String, element: Element },
    #[error("{place} holds {found}, but --type says {asked}")]
    OtherType { place: String, found: Element, asked: Element },
    #[error("{place} does not say what its elements are; give --type")]
    NoType { place: String },
    #[error("{element} cannot be written as text, to {place}")]
    NoText { place: String, element: Element },
    #[error("{place} exists; --force overwrites it")]
    Exists { place: String },
    #[error("{place} is named as an output twice")]
    Twice { place: String },
    #[error(
        "binary output is not written to a terminal; give a file name, or pipe it into a program"
    )]
    Terminal,
}
