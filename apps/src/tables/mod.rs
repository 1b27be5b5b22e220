//! Tables: rows of cells, separated by commas, semicolons, tabs or vertical bars, as written by
//! spreadsheets and pandas. A table is kept as text, so that rows are written as they were read,
//! including quotes, unless the separator changes.

mod column;

pub use column::Column;

use std::io::{self, Write};
use std::ops::Range;

use csv::{ByteRecord, ReaderBuilder, WriterBuilder};
use multisplit_bench::first_bytes::BYTE_ORDER_MARK;

use crate::formats::text;

#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error("{place} has no column `{column}`; it has {names}")]
    NoColumn { place: String, column: String, names: String },
    #[error("{place} has several columns `{column}`; choose one by its number")]
    TwoColumns { place: String, column: String },
    #[error("{place}, line {line}: `{cell}` in column `{column}` is not {wanted}")]
    Cell { place: String, line: u64, column: String, cell: String, wanted: String },
    #[error(
        "{place}, line {line}: `{cell}` in column `{column}` does not fit in a 64-bit float exactly, but no integer \
         type fits the whole column; give --type f64 to round it"
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

type Result<T, E = TableError> = std::result::Result<T, E>;

/// Table options from the command line, or for the separator from the file name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dialect {
    pub separator: Option<u8>,
    pub no_header: bool,
}

#[derive(Debug)]
pub struct Table {
    /// Name of the file on the command line.
    place: String,
    text: Vec<u8>,
    separator: u8,
    /// The cells of the first row, if it is a header.
    names: Option<Vec<String>>,
    /// Byte ranges of the rows after the header, without line endings.
    rows: Vec<Range<usize>>,
    header: Option<Range<usize>>,
    /// Number of cells of the first row.
    width: usize,
    /// Ending of the first line.
    line_end: &'static [u8],
}

/// Separators, in order of preference.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// The device uses 32-bit row indices.
const MAX_ROWS: usize = u32::MAX as usize;

/// Parses `--separator`.
pub fn separator(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        _ => Err("a separator must be one ASCII character (no quote) or the word `tab`".to_owned()),
    }
}

/// Whether the row ends within a quoted cell. Only a quote at the beginning of a cell opens a quoted cell.
fn ends_in_quotes(row: &[u8], separator: u8) -> bool {
    let mut bytes = row.iter().copied().peekable();
    let (mut begins, mut inside) = (true, false);
    while let Some(byte) = bytes.next() {
        match (inside, byte) {
            (true, b'"') if bytes.peek() == Some(&b'"') => drop(bytes.next()),
            (true, b'"') => inside = false,
            (true, _) => {}
            (false, b'"') if begins => inside = true,
            (false, _) => {}
        }
        begins = !inside && (byte == separator || byte == b'\n' || byte == b'\r');
    }
    inside
}

impl Table {
    /// Parses the table in `text`. The requested `columns` determine whether the first row is a header.
    pub fn new(place: String, text: Vec<u8>, dialect: Dialect, columns: &[String]) -> Result<Self> {
        let separator = dialect.separator.unwrap_or_else(|| separator_of(&text));
        let first_line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let line_end: &[u8] = if first_line.ends_with(b"\r") { b"\r\n" } else { b"\n" };
        let (names, rows, header) = (None, Vec::new(), None);
        let mut table = Self { place, text, separator, names, rows, header, width: 0, line_end };
        let first = table.find_rows()?;
        table.width = first.as_ref().map_or(0, Vec::len);
        // Without --no-header, the first row is data only if all columns are given by number and have numbers in it.
        let is_data = |cells: &Vec<String>, column: &String| match numbered(column, cells.len()) {
            Some(index) => cells[index].trim().parse::<f64>().is_ok(),
            None => false,
        };
        let is_header = |cells: &Vec<String>| {
            !dialect.no_header && !columns.iter().all(|column| is_data(cells, column))
        };
        if let Some(cells) = first
            && is_header(&cells)
        {
            table.names = Some(cells);
            table.header = Some(table.rows.remove(0));
        }
        Ok(table)
    }

    /// The cells of the first row, for a message.
    pub fn first_cells(text: &[u8], separator: Option<u8>) -> Vec<String> {
        let separator = separator.unwrap_or_else(|| separator_of(text));
        let mut record = ByteRecord::new();
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        // If the row cannot be read, the record remains empty.
        let _ = reader(text, separator).read_byte_record(&mut record);
        cells(&record).iter().map(|cell| text::excerpt(cell)).collect()
    }

    /// Number of rows, excluding the header.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn separator(&self) -> u8 {
        self.separator
    }

    /// Offset of the text after the byte order mark, if any.
    fn body(&self) -> usize {
        if self.text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
    }

    /// Finds the byte ranges of the rows, and returns the cells of the first.
    fn find_rows(&mut self) -> Result<Option<Vec<String>>> {
        let body = self.body();
        let mut reader = reader(&self.text[body..], self.separator);
        let (mut record, mut first, mut line) = (ByteRecord::new(), None, 0);
        let mut starts = Vec::new();
        while reader.read_byte_record(&mut record).map_err(|error| self.problem(&error))? {
            let start = record.position().map_or(0, |at| at.byte() as usize);
            starts.try_reserve(1).map_err(|_| self.no_memory())?;
            starts.push(start);
            line = record.position().map_or(0, csv::Position::line);
            first.get_or_insert_with(|| cells(&record));
        }
        // Reject an unclosed quote in the last row: if rows were written in another order, the rows after it would
        // become part of the quoted cell.
        let last = starts.last().map_or(&[][..], |&start| &self.text[body + start..]);
        if ends_in_quotes(last, self.separator) {
            return Err(TableError::OpenQuote { place: self.place.clone(), line });
        }
        if starts.len() > MAX_ROWS {
            return Err(TableError::TooManyRows { place: self.place.clone() });
        }
        let mut rows = Vec::new();
        rows.try_reserve_exact(starts.len()).map_err(|_| self.no_memory())?;
        let text = &self.text[body..];
        for (index, &start) in starts.iter().enumerate() {
            let end = starts.get(index + 1).copied().unwrap_or(text.len());
            rows.push(trimmed(text, start..end, body));
        }
        self.rows = rows;
        Ok(first)
    }

    /// Writes the header, if any, and these rows, with this separator between cells.
    pub fn write(
        &self,
        writer: &mut dyn Write,
        separator: u8,
        order: impl Iterator<Item = u32>,
    ) -> io::Result<()> {
        let row = |row: u32| self.rows.get(row as usize).cloned();
        let rows = self.header.iter().cloned().chain(order.filter_map(row));
        if separator != self.separator {
            return self.rewrite(writer, separator, rows);
        }
        if self.body() > 0 {
            writer.write_all(BYTE_ORDER_MARK)?;
        }
        for row in rows {
            writer.write_all(&self.text[row])?;
            writer.write_all(self.line_end)?;
        }
        Ok(())
    }

    /// Rewrites rows with another separator, and quotes cells if necessary.
    fn rewrite(
        &self,
        writer: &mut dyn Write,
        separator: u8,
        rows: impl Iterator<Item = Range<usize>>,
    ) -> io::Result<()> {
        let mut writer = WriterBuilder::new().delimiter(separator).from_writer(writer);
        let mut record = ByteRecord::new();
        for row in rows {
            reader(&self.text[row], self.separator).read_byte_record(&mut record)?;
            writer.write_byte_record(&record)?;
        }
        writer.flush()
    }

    fn no_memory(&self) -> TableError {
        TableError::NoMemory { place: self.place.clone() }
    }

    fn problem(&self, error: &csv::Error) -> TableError {
        let place = self.place.clone();
        match error.kind() {
            csv::ErrorKind::UnequalLengths { pos, expected_len, len } => TableError::Length {
                place,
                line: pos.as_ref().map_or(0, csv::Position::line),
                expected: *expected_len,
                found: *len,
            },
            _ => TableError::Other { place, problem: error.to_string() },
        }
    }
}

/// Parses a column number and returns its index, if there is such a column.
fn numbered(column: &str, count: usize) -> Option<usize> {
    column.parse::<usize>().ok()?.checked_sub(1).filter(|&index| index < count)
}

fn reader(text: &[u8], separator: u8) -> csv::Reader<&[u8]> {
    ReaderBuilder::new().has_headers(false).delimiter(separator).from_reader(text)
}

fn cells(record: &ByteRecord) -> Vec<String> {
    record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect()
}

/// Trims line endings around a row. The CSV reader starts a row where the previous one ended, which may be
/// within `\r\n` or before an empty line.
fn trimmed(text: &[u8], row: Range<usize>, offset: usize) -> Range<usize> {
    let is_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
    let bytes = &text[row.clone()];
    let before = bytes.iter().take_while(is_end).count();
    let after = bytes[before..].iter().rev().take_while(is_end).count();
    offset + row.start + before..offset + row.end - after
}

/// The preferred separator of those in the first line that is not empty; a comma if there are none.
fn separator_of(text: &[u8]) -> u8 {
    let line = text.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    let line = line.unwrap_or_default();
    // Ignore separators within quotes.
    let mut quoted = false;
    let bare: Vec<u8> = line
        .iter()
        .copied()
        .filter(|&byte| {
            quoted ^= byte == b'"';
            !quoted
        })
        .collect();
    SEPARATORS.into_iter().find(|separator| bare.contains(separator)).unwrap_or(b',')
}

#[cfg(test)]
mod tests;
