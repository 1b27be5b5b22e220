//! A table column as numbers: of the requested type, or of the first of i64, u64 and f64 that can represent all cells.

use csv::ByteRecord;

use super::{Result, Table, TableError, numbered, reader};
use crate::formats::text::{self, number};
use crate::formats::{Array, Data, Element};

#[derive(Debug)]
pub struct Column {
    pub name: String,
    /// Keys of the rows whose cell is not empty.
    pub keys: Array,
    /// Indices of the rows whose cell is not empty; `None` if no cell is empty.
    pub present: Option<Vec<u32>>,
    /// Indices of the rows with an empty cell.
    pub missing: Vec<u32>,
}

/// Types to try if none is requested, in this order. Each holds numbers that the previous ones
/// cannot represent.
const TRIED: [Element; 3] = [Element::I64, Element::U64, Element::F64];

/// Bits of the numbers of a column, and the rows whose cell is empty.
struct Cells {
    bits: Vec<u64>,
    missing: Vec<u32>,
    /// Line and text of the first integer that an f64 cannot represent exactly.
    rounded: Option<(u64, String)>,
}

impl Table {
    /// Parses the column with this name or number. Empty cells are listed in [`Column::missing`].
    pub fn column(&self, selector: &str, requested: Option<Element>) -> Result<Column> {
        let index = self.index_of(selector)?;
        let names = self.names.as_ref();
        let name = names.map_or_else(|| selector.to_owned(), |names| text::excerpt(&names[index]));
        let tried: &[Element] = requested.as_slice();
        let tried = if tried.is_empty() { &TRIED[..] } else { tried };
        let mut failure = None;
        for &element in tried {
            match self.cells(index, element)? {
                Ok(Cells { rounded: Some((line, cell)), .. }) if requested.is_none() => {
                    let (place, column) = (self.place.clone(), name);
                    return Err(TableError::Digits { place, line, column, cell });
                }
                Ok(cells) => return self.collected(name, element, cells),
                Err((line, cell)) => {
                    let wanted = match requested {
                        Some(element) => format!("a number of type {element}"),
                        None => "a number".to_owned(),
                    };
                    let (place, column) = (self.place.clone(), name.clone());
                    failure = Some(TableError::Cell { place, line, column, cell, wanted });
                }
            }
        }
        // At least one type was tried, so there is always a failure.
        Err(failure.unwrap_or_else(|| self.no_memory()))
    }

    fn index_of(&self, selector: &str) -> Result<usize> {
        let place = || self.place.clone();
        let count = self.width;
        if let Some(index) = numbered(selector, count) {
            return Ok(index);
        }
        let names = self.names.as_deref().unwrap_or_default();
        let mut named = (0..names.len()).filter(|&index| names[index] == selector);
        match (named.next(), named.next()) {
            (Some(index), None) => Ok(index),
            (Some(_), Some(_)) => {
                Err(TableError::TwoColumns { place: place(), column: selector.to_owned() })
            }
            (None, _) => {
                let names: Vec<String> = names.iter().map(|name| text::excerpt(name)).collect();
                let names = match names.is_empty() {
                    true => format!("{count} columns and no header"),
                    false => names.join(", "),
                };
                Err(TableError::NoColumn { place: place(), column: selector.to_owned(), names })
            }
        }
    }

    /// Parses the cells of a column as numbers of type `element`. The inner error is the line and text of the first
    /// cell that is not a number of that type.
    fn cells(&self, index: usize, element: Element) -> Result<Result<Cells, (u64, String)>> {
        let mut cells = Cells { bits: Vec::new(), missing: Vec::new(), rounded: None };
        let reserved = cells.bits.try_reserve_exact(self.len());
        reserved.map_err(|_| self.no_memory())?;
        let mut reader = reader(&self.text[self.body()..], self.separator);
        let mut record = ByteRecord::new();
        let mut header = self.header.is_some();
        let mut row = 0;
        while reader.read_byte_record(&mut record).map_err(|error| self.problem(&error))? {
            if std::mem::take(&mut header) {
                continue;
            }
            let cell = String::from_utf8_lossy(record.get(index).unwrap_or_default());
            match cell.trim() {
                "" => cells.missing.push(row),
                cell => match number(cell, element) {
                    Some(bits) => {
                        if cells.rounded.is_none() && is_rounded(cell, element, bits) {
                            let line = record.position().map_or(0, csv::Position::line);
                            cells.rounded = Some((line, text::excerpt(cell)));
                        }
                        cells.bits.push(bits);
                    }
                    None => {
                        let line = record.position().map_or(0, csv::Position::line);
                        return Ok(Err((line, text::excerpt(cell))));
                    }
                },
            }
            row += 1;
        }
        Ok(Ok(cells))
    }

    fn collected(&self, name: String, element: Element, cells: Cells) -> Result<Column> {
        let Cells { bits, missing, .. } = cells;
        let keys = match element.bytes() {
            8 => Array::new(element, Data::Bytes8(bits)),
            _ => Array::narrow(element, &Data::Bytes8(bits)),
        };
        let keys = keys.ok_or_else(|| self.no_memory())?;
        let mut gaps = missing.iter().copied().peekable();
        let present = (!missing.is_empty())
            .then(|| (0..self.len() as u32).filter(|row| gaps.next_if_eq(row).is_none()).collect());
        Ok(Column { name, keys, present, missing })
    }

    /// Line number of a row in the file.
    pub fn line_of(&self, row: u32) -> u64 {
        let start = self.rows.get(row as usize).map_or(0, |row| row.start);
        self.text[..start].iter().filter(|&&byte| byte == b'\n').count() as u64 + 1
    }
}

/// Whether `element` is f64, and the text is an integer that differs from the float with these bits.
fn is_rounded(text: &str, element: Element, bits: u64) -> bool {
    let float = f64::from_bits(bits);
    element == Element::F64 && text.parse::<i128>().is_ok_and(|whole| float as i128 != whole)
}

impl Column {
    /// The keys of these rows, in this order, skipping rows without a key.
    pub fn in_order(&self, order: &[u32]) -> Result<Array> {
        let place = |row: &u32| match &self.present {
            None => Some(*row),
            Some(present) => present.binary_search(row).ok().map(|place| place as u32),
        };
        let places: Vec<u32> = order.iter().filter_map(place).collect();
        let keys = self.keys.data().gathered(&places);
        let keys = keys.and_then(|keys| Array::new(self.keys.element(), keys));
        keys.ok_or_else(|| TableError::NoMemory { place: self.name.clone() })
    }
}
