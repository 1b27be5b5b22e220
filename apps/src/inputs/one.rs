//! One array as input: the numbers of a file or of one table column.

use anyhow::{Context as _, Result, bail};
use multisplit_bench::console;
use multisplit_bench::progress::Bars;

use super::{Input, InputOptions, Numbers, Shape};
use crate::formats::Format;

/// The numbers and their origin.
pub struct OneArray {
    pub numbers: Numbers,
    /// Format of outputs whose names do not specify one.
    pub format: Format,
    /// For a table with empty cells, the row of each number.
    pub rows: Option<Vec<u32>>,
}

impl InputOptions {
    /// Opens an array, or reads one column of a table without its empty cells.
    pub fn open_one(&self, shape: Shape, bars: Bars) -> Result<OneArray> {
        if self.column.len() > 1 {
            bail!("this command takes one --column, but {} are given", self.column.len());
        }
        match self.open(shape, bars)? {
            Input::Numbers(numbers, format) => Ok(OneArray { numbers, format, rows: None }),
            Input::Table(mut input) => {
                let column = input.columns.pop().context("no column")?;
                let missing = column.missing.len();
                if missing > 0 {
                    let cells = if missing == 1 { "cell is" } else { "cells are" };
                    console::note(format_args!("{missing} empty {cells} skipped"));
                }
                let (numbers, rows) = (column.keys.into(), column.present);
                Ok(OneArray { numbers, format: Format::Csv, rows })
            }
        }
    }
}
