//! Input and output of values that are moved with keys.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use multisplit_bench::progress::Bars;
use multisplit_bench::size;

use crate::formats::Place;
use crate::inputs::{Values, open_values};
use crate::outputs::{OutputId, Outputs};

/// Options about values, the same wherever there are keys.
#[derive(Debug, Default, Args)]
pub struct ValueOptions {
    /// File with one value per key, of 1 to 16 bytes, to move with the keys
    #[arg(long, value_name = "FILE", requires = "values_out", conflicts_with = "column")]
    values: Option<PathBuf>,
    /// Write the moved values to this file
    #[arg(long, value_name = "FILE", requires = "values")]
    values_out: Option<PathBuf>,
    /// Bytes per value, 1 to 16, if the file does not specify it [default: 4]
    #[arg(long, value_name = "BYTES", requires = "values", value_parser = value_bytes)]
    value_bytes: Option<usize>,
}

fn value_bytes(text: &str) -> Result<usize, String> {
    let bytes = size::parse_bytes(text)?;
    usize::try_from(bytes).ok().filter(|bytes| *bytes <= 16).ok_or("1 to 16".to_owned())
}

impl ValueOptions {
    pub fn has_output(&self) -> bool {
        self.values_out.is_some()
    }

    pub fn begin(&self, outputs: &mut Outputs) -> Result<Option<OutputId>> {
        Ok(outputs.begin_if(self.values_out.as_deref())?)
    }

    /// Opens the values and checks that there is one for each of `n` keys.
    pub fn open(&self, n: usize, bars: Bars) -> Result<Option<Values>> {
        let Some(path) = &self.values else { return Ok(None) };
        let place = Place::new(path);
        let values = open_values(&place, self.value_bytes, bars)?;
        let bytes = values.form.bytes;
        if let Some(asked) = self.value_bytes
            && asked != bytes
        {
            bail!("{place} has values of {bytes} bytes, but --value-bytes is {asked}");
        }
        if values.elements.len() != n {
            bail!(
                "{place} has {} values, but there are {n} keys; give one value per key",
                values.elements.len()
            );
        }
        Ok(Some(values))
    }
}
