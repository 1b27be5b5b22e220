//! Input options of all commands that read numbers.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use multisplit_bench::progress::Bars;

use super::{Numbers, Shape, Stream, open_array};
use crate::formats::{Element, Format, Place};
use crate::tables::{Column, Dialect, Table, separator};

/// An input: where it is, in which form, and what of it is meant.
#[derive(Clone, Debug, Args)]
pub struct InputOptions {
    /// Input file, or - for standard input
    pub input: PathBuf,
    /// Type of the numbers, if the file does not specify it
    #[arg(long = "type", value_name = "TYPE", value_parser = Element::parser())]
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
    /// Treat the first row of a table as data [default: if it has a number in the chosen column]
    #[arg(long, requires = "column")]
    pub no_header: bool,
}

/// An opened input.
pub enum Input {
    Numbers(Numbers, Format),
    Table(Box<TableInput>),
}

/// A table and its requested columns.
pub struct TableInput {
    pub table: Table,
    pub columns: Vec<Column>,
}

impl InputOptions {
    /// Location and format of the input.
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
}
