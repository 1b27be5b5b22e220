//! Errors in input and output files.

use std::io;

use super::{Element, Format};

/// Maximum bytes of a line with one number and its newline. An exact decimal 64-bit float has fewer than 1,100 characters.
pub const MAX_LINE_BYTES: u64 = 4096;

/// An error in a file. Most messages name the file as on the command line.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("cannot read {place}")]
    Read { place: String, source: io::Error },
    #[error("cannot write {place}")]
    Write { place: String, source: io::Error },
    #[error("{place}: not enough memory for {elements} elements")]
    NoMemory { place: String, elements: usize },
    #[error("{place}: not enough memory for {bytes} bytes")]
    NoMemoryForBytes { place: String, bytes: u64 },
    #[error(
        "{place} has {bytes} bytes, which is not a multiple of {}, the size of {element}",
        .element.bytes()
    )]
    Partial { place: String, bytes: u64, element: Element },
    #[error("{place} has {bytes} bytes, which is not a multiple of the value size, {each}")]
    PartialValue { place: String, bytes: u64, each: usize },
    #[error("{place} ends after {found} of the {promised} bytes that its header declares")]
    Short { place: String, found: u64, promised: u64 },
    #[error("{place} was shortened while it was read: it has at most {at} bytes now")]
    Shortened { place: String, at: u64 },
    #[error("{place} has more than the {promised} bytes that its header declares")]
    Long { place: String, promised: u64 },
    #[error("cannot read {place} as a .npy file: {problem}")]
    Npy { place: String, problem: String },
    #[error(
        "{place} has elements of NumPy type {descr}; supported are integers and floats of at most 64 bits, \
         datetime64 and timedelta64"
    )]
    NpyType { place: String, descr: String },
    #[error("{place} is an array with {dimensions} dimensions; {wanted}")]
    Dimensions { place: String, dimensions: usize, wanted: &'static str },
    #[error(
        "{place} has values of type {descr} and shape {shape:?}, but a value must have 1 to 16 bytes"
    )]
    ValueSize { place: String, descr: String, shape: Vec<u64> },
    #[error("{place} has several columns, but must have one number per line")]
    Columns { place: String },
    #[error("{place} is text in UTF-16; save it as UTF-8")]
    Utf16 { place: String },
    #[error(
        "{place} is a zip archive, such as a .npz file; unpack it and give one of its .npy files"
    )]
    Zip { place: String },
    #[error("{place}, line {line}: `{text}` is not a number of type {element}")]
    Number { place: String, line: u64, text: String, element: Element },
    #[error(
        "{place}, line {line} has more than {MAX_LINE_BYTES} bytes, which is too long for a number"
    )]
    LongLine { place: String, line: u64 },
    #[error(
        "the splitters in {place} have type {found}, but the elements have type {divided}; convert the splitters to {divided}"
    )]
    SplittersType { place: String, found: Element, divided: Element },
    #[error("{place} has type {found}, but type {asked} is required")]
    OtherType { place: String, found: Element, asked: Element },
    #[error("{} does not contain the type of its elements; give --type", input(place))]
    NoType { place: String },
    #[error(
        "{place} looks like text, not raw numbers; give --format text (one number per line) or --format csv, or \
         --format raw to read it as raw numbers anyway"
    )]
    LooksLikeText { place: String },
    #[error(
        "{place}: values of {bytes} bytes cannot be written as {format}, because their type is not a single \
         little-endian number; use .npy or raw"
    )]
    NoText { place: String, bytes: usize, format: Format },
    #[error("{place} exists; --force overwrites it")]
    Exists { place: String },
    #[error(
        "{place} is a link to {target}, which does not exist; remove the link, or create its target"
    )]
    DanglingLink { place: String, target: String },
    #[error("{place} and {other} are the same file; each output needs its own file")]
    Twice { place: String, other: String },
    #[error(
        "refusing to write binary output to a terminal; give a file name, pipe it into a program, or give \
         --output-format text"
    )]
    Terminal,
}

/// Name of an input in messages: the file, or `standard input`.
fn input(place: &str) -> &str {
    if place == "-" { "standard input" } else { place }
}
