//! Input options of all commands that read numbers.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use multisplit_bench::progress::Bars;
use multisplit_bench::{console, host_memory};

use super::{Numbers, Shape, Stream, open_array};
use crate::formats::{Array, Element, Format, Place};
use crate::phase;
use crate::tables::{Column, Dialect, Table, separator};

/// Location, format, element type and columns of an input.
#[derive(Clone, Debug, Args)]
pub struct InputOptions {
    /// Input file, or - for standard input
    pub input: PathBuf,
    /// Type of the numbers, if the file does not specify it
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    pub element: Option<Element>,
    /// Format of the input [default: by its name, else by its first bytes]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Column of a table to use: its name, or its number, counted from 1
    #[arg(long, value_name = "NAME|N")]
    pub column: Vec<String>,
    /// Column separator of a table [default: by the file name or the first line]
    #[arg(long, value_name = "CHARACTER", value_parser = separator, requires = "column")]
    pub separator: Option<u8>,
    /// Treat the first row of a table as data [default: if columns are chosen by number, and it has
    /// numbers there]
    #[arg(long, requires = "column")]
    pub no_header: bool,
}

pub enum Input {
    Numbers(Numbers, Format),
    Table(Box<TableInput>),
}

pub struct TableInput {
    pub table: Table,
    pub columns: Vec<Column>,
}

/// One array, from a file or from one column of a table.
pub struct OneArray {
    pub numbers: Numbers,
    /// Format of standard output if no option specifies one.
    pub format: Format,
    /// For a table with empty cells, the row of each number.
    pub rows: Option<Vec<u32>>,
    /// For a table, the number of empty cells.
    pub missing: Option<usize>,
}

/// Loads two arrays into memory. Returns an error without reading them if the host cannot provide `bytes` bytes.
pub fn read_two(inputs: [OneArray; 2], bytes: usize) -> Result<[Array; 2]> {
    host_memory::check("the result", bytes as u64)?;
    let [first, second] = inputs.map(|input| input.numbers);
    phase::timed("reading", || Ok([first.load()?, second.load()?]))
}

impl InputOptions {
    pub fn place(&self) -> Place {
        Place::new(&self.input).with_format(self.format)
    }

    /// Opens an array, or reads a table if `--column` is given.
    pub fn open(&self, shape: Shape, bars: Bars) -> Result<Input> {
        let _span = tracing::info_span!("read").entered();
        let place = self.place();
        let mut stream = Stream::open(&place, bars)?;
        let format = stream.format()?;
        if self.column.is_empty() {
            if stream.has_columns() && matches!(format, Format::Csv | Format::Text) {
                let text = stream.everything()?;
                let columns = Table::first_cells(&text, place.separator()).join(", ");
                bail!("{place} has several columns ({columns}); choose one with --column");
            }
            let numbers = open_array(&mut stream, format, self.element, shape)?;
            return Ok(Input::Numbers(numbers, format));
        }
        if !matches!(format, Format::Csv | Format::Text) {
            bail!(
                "{place} has format {format}, which has no columns; --column needs a table (.csv, .tsv)"
            );
        }
        let dialect =
            Dialect { separator: self.separator.or(place.separator()), no_header: self.no_header };
        let table = Table::new(place.to_string(), stream.everything()?, dialect, &self.column)?;
        let columns = self.column.iter().map(|which| table.column(which, self.element));
        let columns = columns.collect::<Result<_, _>>()?;
        Ok(Input::Table(Box::new(TableInput { table, columns })))
    }

    /// Opens an array, or reads one column of a table without its empty cells.
    pub fn open_one(&self, shape: Shape, bars: Bars) -> Result<OneArray> {
        self.open_one_for("this command", "skipped", shape, bars)
    }

    /// Like [`open_one`](Self::open_one), for messages that name the `command` and that describe what happens to empty
    /// cells, for example that they are "skipped" (`empty`).
    pub fn open_one_for(
        &self,
        command: &str,
        empty: &str,
        shape: Shape,
        bars: Bars,
    ) -> Result<OneArray> {
        if self.column.len() > 1 {
            bail!("{command} takes one --column, but {} are given", self.column.len());
        }
        match self.open(shape, bars)? {
            Input::Numbers(numbers, format) => {
                Ok(OneArray { numbers, format, rows: None, missing: None })
            }
            Input::Table(mut input) => {
                let column = input.columns.pop().context("internal error: there is no column")?;
                let missing = column.missing.len();
                if missing > 0 {
                    let cells = if missing == 1 { "cell is" } else { "cells are" };
                    console::note(format_args!("{missing} empty {cells} {empty}"));
                }
                let (numbers, rows) = (column.keys.into(), column.present);
                Ok(OneArray { numbers, format: Format::Csv, rows, missing: Some(missing) })
            }
        }
    }

    /// Opens this array and a second one of the same type. If neither the second file nor `--type` specifies
    /// the element type, it is that of the first array.
    pub fn open_two(&self, second: &Path, bars: Bars) -> Result<[OneArray; 2]> {
        let stdin = Path::new("-");
        if self.input == stdin && second == stdin {
            bail!("standard input can be only one of the two inputs");
        }
        let first = self.open_one(Shape::Line, bars)?;
        let element = first.numbers.element;
        let mut other = Self { input: second.to_owned(), ..self.clone() };
        // A .npy file stores its type; a mismatch is reported below.
        if second.extension().is_none_or(|extension| extension != "npy") {
            other.element = other.element.or(Some(element));
        }
        let other = other.open_one(Shape::Line, bars)?;
        if other.numbers.element != element {
            let (one, two) = (self.place(), Place::new(second));
            let found = other.numbers.element;
            bail!(
                "{one} has type {element} and {two} has type {found}; both must have the same type"
            );
        }
        Ok([first, other])
    }
}
