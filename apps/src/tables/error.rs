//! Errors in tables.

use crate::formats::Element;

/// An error in a table, which is named as on the command line.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error("{place} has no column `{column}`; it has {names}")]
    NoColumn { place: String, column: String, names: String },
    #[error("{place} has two columns `{column}`; choose one by its number")]
    TwoColumns { place: String, column: String },
    #[error("{place}, line {line}: `{cell}` in column `{column}` is not {wanted}")]
    Cell { place: String, line: u64, column: String, cell: String, wanted: String },
    #[error(
        "{place}, line {line}: `{cell}` in column `{column}` does not fit a 64-bit float exactly, but other cells \
         of the column need floats; give --type f64 to round it"
    )]
    Digits { place: String, line: u64, column: String, cell: String },
    #[error("{place}, line {line}: a quote is not closed")]
    OpenQuote { place: String, line: u64 },
    #[error("{place}, line {line}: the row has {found} cells, but the first row has {expected}")]
    Length { place: String, line: u64, expected: u64, found: u64 },
    #[error("{place} has more than 4,294,967,295 rows, the maximum")]
    TooManyRows { place: String },
    #[error("{place}: not enough memory for its rows")]
    NoMemory { place: String },
    #[error("{place} cannot be read as a table: {problem}")]
    Other { place: String, problem: String },
}

/// Describes the cells that a column must have.
pub fn wanted(asked: Option<Element>) -> String {
    asked.map_or("a number".to_owned(), |element| format!("a number of type {element}"))
}
