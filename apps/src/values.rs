//! Values that keys take along: where they come from, and where they go.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use crate::files::{Array, Element, FileError, OutputId, Outputs, Place, read};
use crate::progress::Bars;

/// Options about values, the same wherever there are keys.
#[derive(Debug, Args)]
pub struct ValueOptions {
    /// One value for each key, which goes where its key goes
    #[arg(long, value_name = "FILE", requires = "values_out")]
    values: Option<PathBuf>,
    /// Where the values go
    #[arg(long, value_name = "FILE", requires = "values")]
    values_out: Option<PathBuf>,
    /// Bytes of a value, where the file does not say it [default: 4]
    #[arg(long, value_name = "4|8|16", requires = "values", hide_possible_values = true,
          value_parser = PossibleValuesParser::new(["4", "8", "16"]).try_map(|text| text.parse::<usize>()))]
    value_bytes: Option<usize>,
}

impl ValueOptions {
    /// Begins the output.
    pub fn begin(&self, outputs: &mut Outputs) -> Result<Option<OutputId>> {
        Ok(outputs.begin_if(self.values_out.as_deref())?)
    }

    /// Reads a value for each of `n` keys.
    pub fn read(&self, n: usize, bars: Bars) -> Result<Option<Array>> {
        let Some(path) = &self.values else { return Ok(None) };
        let place = Place::new(path);
        let plain = match self.value_bytes {
            Some(8) => Element::U64,
            Some(16) => Element::Bytes16,
            _ => Element::U32,
        };
        // A file that says what its elements are is believed.
        let values = match read(&place, None, bars) {
            Err(FileError::NoType { .. }) => read(&place, Some(plain), bars)?,
            other => other?,
        };
        let bytes = values.element().bytes();
        if self.value_bytes.is_some_and(|asked| asked != bytes) || bytes < 4 {
            let wanted = self.value_bytes.map_or("4, 8 or 16".to_owned(), |b| b.to_string());
            bail!("{place} holds {}: {bytes} bytes each, not {wanted}", values.element());
        }
        if values.len() != n {
            bail!("{place} holds {} values, for {n} keys", values.len());
        }
        Ok(Some(values))
    }
}
