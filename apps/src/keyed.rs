//! Files of commands that move keys (sort, split, topk). Input: keys and values, or a table. Output: keys, values or
//! rows, and an array of u32: a permutation, or bucket offsets.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use multisplit_bench::progress::Bars;
use multisplit_bench::{host_memory, size};

use crate::device::Devices;
use crate::formats::{Array, Data, Format, Place, Stated, npy};
use crate::inputs::{
    Elements, Input, InputOptions, Numbers, Shape, TableInput, Values, open_values,
};
use crate::on_device::{Moved, MovedPairs};
use crate::opening::Opening;
use crate::outputs::{OutputId, Outputs, RangeWriter};
use crate::phase;
use crate::wide_keys::narrowed;

/// Output options of commands that move keys.
#[derive(Debug, Args)]
pub struct OutputOptions {
    /// Write the keys, or the rows of a table, to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Format of the output [default: by its name; for - the format of the input]
    #[arg(long, value_enum)]
    pub output_format: Option<Format>,
    /// For a table, write only the keys instead of whole rows
    #[arg(long, requires = "column")]
    pub keys_only: bool,
}

/// Options for values that move with their keys, for `sort` and `split`.
#[derive(Debug, Default, Args)]
pub struct ValueOptions {
    /// File with one value per key, of 1 to 16 bytes, to move with the keys
    #[arg(long, value_name = "FILE", requires = "values_out", conflicts_with = "column")]
    values: Option<PathBuf>,
    /// Write the moved values to this file
    #[arg(long, value_name = "FILE", requires = "values")]
    pub values_out: Option<PathBuf>,
    /// Bytes per value, 1 to 16, if the file does not specify it [default: 4]
    #[arg(long, value_name = "BYTES", requires = "values", value_parser = value_bytes)]
    value_bytes: Option<usize>,
}

fn value_bytes(text: &str) -> Result<usize, String> {
    let bytes = size::parse_bytes(text)?;
    usize::try_from(bytes)
        .ok()
        .filter(|bytes| *bytes <= 16)
        .ok_or("a value has 1 to 16 bytes".to_owned())
}

impl ValueOptions {
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
        let found = values.elements.len();
        if found != n {
            bail!("{place} has {found} values, but there are {n} keys; give one value per key");
        }
        Ok(Some(values))
    }
}

/// Options of a command that moves keys.
pub struct KeyedOptions<'p> {
    pub input: &'p InputOptions,
    pub output: &'p OutputOptions,
    pub values: &'p ValueOptions,
    /// Output file for the u32 array: a permutation, or bucket offsets.
    pub words: Option<&'p Path>,
    /// Accepted shapes of the keys.
    pub shape: Shape,
    /// Whether the output has as many elements as the input.
    pub keeps_length: bool,
}

/// Opened inputs and outputs of a command that moves keys.
pub struct KeyedFiles {
    pub input: Input,
    pub values: Option<Values>,
    pub outputs: Outputs,
    keys_only: bool,
    keys_out: Option<OutputId>,
    values_out: Option<OutputId>,
    words_out: Option<OutputId>,
    /// One file per bucket.
    each_out: Vec<OutputId>,
    output_format: Option<Format>,
}

/// Maximum number of bucket files. All are open at once, and systems limit open files to about a thousand.
const MAX_EACH: usize = 512;

impl KeyedFiles {
    /// Opens the outputs, then the inputs, so that an unwritable output fails early. The device is opened in
    /// the background.
    pub fn open(options: &KeyedOptions<'_>, devices: &Devices) -> Result<(Self, Opening)> {
        let mut outputs = devices.outputs();
        let output_format = options.output.output_format;
        let place = |path: &PathBuf| Place::new(path).with_format(output_format);
        let keys_place = options.output.output.as_ref().map(place);
        let keys_out = keys_place.as_ref().map(|place| outputs.begin(place)).transpose()?;
        let values_out = outputs.begin_if(options.values.values_out.as_deref())?;
        let words_out = outputs.begin_if(options.words)?;
        let opening = devices.begin_opening();
        let input = options.input.open(options.shape, devices.bars())?;
        let values = match &input {
            Input::Numbers(keys, _) => options.values.open(keys.len(), devices.bars())?,
            Input::Table(_) => None,
        };
        let keys_only = options.output.keys_only;
        if let (Input::Table(_), Some(place), false) = (&input, &keys_place, keys_only) {
            check_row_format(place)?;
        }
        let each_out = Vec::new();
        let mut files = Self {
            input,
            values,
            outputs,
            keys_only,
            keys_out,
            values_out,
            words_out,
            each_out,
            output_format,
        };
        if options.keeps_length {
            files.reserve()?;
        }
        Ok((files, opening))
    }

    /// Reserves disk space for the keys and the values of an array.
    fn reserve(&mut self) -> Result<()> {
        let Input::Numbers(keys, _) = &self.input else { return Ok(()) };
        let (len, otherwise) = (keys.len() as u64, self.otherwise());
        let key_bytes = keys.element.bytes() as u64;
        if let Some(id) = self.keys_out {
            self.outputs.reserve(id, len * key_bytes, otherwise)?;
        }
        if let (Some(id), Some(values)) = (self.values_out, &self.values) {
            self.outputs.reserve(id, len * values.form.bytes as u64, otherwise)?;
        }
        Ok(())
    }

    /// Opens one file for each of `count` buckets. The bucket number replaces `{}`.
    pub fn begin_each(&mut self, pattern: &str, count: usize) -> Result<()> {
        if count > MAX_EACH {
            bail!(
                "--each would write {count} files, but at most {MAX_EACH} are allowed; use fewer buckets"
            );
        }
        // Pad bucket numbers with zeros, so that file names sort in the order of the buckets.
        let width = count.saturating_sub(1).to_string().len();
        for bucket in 0..count {
            let name = pattern.replace("{}", &format!("{bucket:0width$}"));
            let place = Place::new(Path::new(&name)).with_format(self.output_format);
            if let (Input::Table(_), false) = (&self.input, self.keys_only) {
                check_row_format(&place)?;
            }
            self.each_out.push(self.outputs.begin(&place)?);
        }
        Ok(())
    }

    /// Whether the u32 array is requested.
    pub fn wants_words(&self) -> bool {
        self.words_out.is_some()
    }

    /// The keys, in memory or in a file. Fails for a table.
    pub fn key_elements(&self) -> Result<&Elements> {
        match &self.input {
            Input::Numbers(keys, _) => Ok(&keys.elements),
            Input::Table(_) => bail!("internal error: the input is a table, not an array"),
        }
    }

    /// The values, in memory or in a file.
    pub fn value_elements(&self) -> Option<&Elements> {
        self.values.as_ref().map(|values| &values.elements)
    }

    /// Loads keys and values into memory and takes them out of `self`. `None` for a table.
    pub fn take(&mut self) -> Result<Option<(Array, Option<Data>)>> {
        check_host_memory(&self.input, self.values.as_ref())?;
        let _span = tracing::info_span!("read").entered();
        let empty = || Elements::Memory(Data::empty(1));
        let Input::Numbers(keys, _) = &mut self.input else { return Ok(None) };
        let elements = std::mem::replace(&mut keys.elements, empty());
        let keys = Numbers { element: keys.element, elements };
        let values = self.values.as_mut();
        let values = values.map(|values| std::mem::replace(&mut values.elements, empty()));
        phase::timed("reading", || {
            Ok(Some((keys.load()?, values.map(Elements::load).transpose()?)))
        })
    }

    /// Returns writers for outputs whose elements may arrive in any order, in the device's representation.
    /// `None` if the output must be written sequentially or needs conversion.
    pub fn range_target(&mut self) -> Result<Option<RangeTarget>> {
        let otherwise = self.otherwise();
        let Input::Numbers(keys, _) = &self.input else { return Ok(None) };
        let (element, len) = (keys.element, keys.len());
        let mut writer = |id, header, each| match self.outputs.format(id, otherwise)? {
            format if format.is_text() => Ok(None),
            format => self.outputs.range_writer(id, &format.header(|| header), each),
        };
        let mut target = RangeTarget { keys: None, values: None };
        if let Some(id) = self.keys_out {
            target.keys = writer(id, npy::header_of(element, len), element.bytes())?;
            if target.keys.is_none() {
                return Ok(None);
            }
        }
        if let (Some(id), Some(values)) = (self.values_out, &self.values) {
            let form = &values.form;
            if form.bytes == values.elements.element_bytes() {
                target.values = writer(id, form.header(len as u64), form.bytes)?;
            }
            if target.values.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(target))
    }

    /// Renames all outputs to their final names.
    pub fn finish(self) -> Result<()> {
        Ok(self.outputs.finish()?)
    }

    /// Format of standard output if no option specifies one.
    fn otherwise(&self) -> Format {
        match &self.input {
            Input::Numbers(_, format) => *format,
            Input::Table(_) => Format::Csv,
        }
    }

    /// Writes the moved keys and values, and renames all outputs to their final names.
    pub fn write(self, moved: MovedPairs, words: Option<Vec<u32>>) -> Result<()> {
        self.finish_with(|files| phase::timed("writing", || files.write_all(moved, words)))
    }

    /// Calls `write`, and renames all outputs to their final names.
    fn finish_with(mut self, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        // The span is closed before `finish` writes the trace, so that the trace includes it.
        tracing::info_span!("write").in_scope(|| write(&mut self))?;
        self.finish()
    }

    fn write_all(&mut self, moved: MovedPairs, words: Option<Vec<u32>>) -> Result<()> {
        let MovedPairs { keys, values } = moved;
        let otherwise = self.otherwise();
        let buckets = self.buckets(words.as_deref());
        self.write_words(words)?;
        if let (Some(id), Some(moved), Some(values)) = (self.values_out, values, &self.values) {
            self.outputs.values(id, moved, &values.form, otherwise)?;
        }
        let Input::Numbers(Numbers { element, .. }, _) = self.input else { return Ok(()) };
        // Write directly from the device if the file has the same representation.
        if let (Some(id), [], Moved::Device(context, array)) = (self.keys_out, &buckets[..], &keys)
            && array.element_bytes() == element.bytes()
        {
            return self.outputs.device_array(id, (context, &**array), element, otherwise);
        }
        let keys = narrowed(element, keys.load()?)?;
        for (id, bucket) in buckets {
            self.outputs.array(id, &keys.part(bucket)?, otherwise)?;
        }
        if let Some(id) = self.keys_out {
            self.outputs.array(id, &keys, otherwise)?;
        }
        Ok(())
    }

    /// Writes the table rows, or only their keys, in this order, and renames all outputs to their final
    /// names.
    pub fn write_rows(self, order: &[u32], words: Option<Vec<u32>>) -> Result<()> {
        self.finish_with(|files| {
            let buckets = files.buckets(words.as_deref());
            files.write_words(words)?;
            for (id, bucket) in buckets {
                files.write_some_rows(id, &order[bucket])?;
            }
            files.keys_out.map_or(Ok(()), |id| files.write_some_rows(id, order))
        })
    }

    fn write_some_rows(&mut self, id: OutputId, order: &[u32]) -> Result<()> {
        let Input::Table(input) = &self.input else { return Ok(()) };
        let TableInput { table, columns } = &**input;
        if self.keys_only {
            let keys = columns.first().context("internal error: there is no column")?;
            return Ok(self.outputs.array(id, &keys.in_order(order)?, Format::Csv)?);
        }
        let rows = order.iter().copied();
        Ok(self.outputs.rows(id, table.separator(), |writer, separator| {
            table.write(writer, separator, rows)
        })?)
    }

    /// The output file and the range of elements of each bucket.
    fn buckets(&self, offsets: Option<&[u32]>) -> Vec<(OutputId, Range<usize>)> {
        let pairs = offsets.unwrap_or_default().windows(2);
        let ranges = pairs.map(|ends| ends[0] as usize..ends[1] as usize);
        self.each_out.iter().copied().zip(ranges).collect()
    }

    fn write_words(&mut self, words: Option<Vec<u32>>) -> Result<()> {
        if let (Some(id), Some(words)) = (self.words_out, words) {
            self.outputs.array(id, &Array::words(words), Format::Text)?;
        }
        Ok(())
    }
}

pub struct RangeTarget {
    keys: Option<RangeWriter>,
    values: Option<RangeWriter>,
}

impl RangeTarget {
    /// Writes the bytes of keys, starting at key `first`.
    pub fn keys(&self, first: u64, bytes: &[u8]) -> Result<()> {
        Ok(self.keys.as_ref().map_or(Ok(()), |writer| writer.put(first, bytes))?)
    }

    /// Writes the bytes of values, starting at value `first`.
    pub fn values(&self, first: u64, bytes: &[u8]) -> Result<()> {
        Ok(self.values.as_ref().map_or(Ok(()), |writer| writer.put(first, bytes))?)
    }
}

/// Checks that the number of elements is a multiple of the row length.
pub fn check_rows(input: &InputOptions, n: usize, length: u64) -> Result<()> {
    if length == 0 || !(n as u64).is_multiple_of(length) {
        let (name, n) = (input.place(), size::grouped(n as u64));
        bail!("{name} has {n} elements, which is not a multiple of --rows {length}");
    }
    Ok(())
}

/// Checks that host memory suffices for the result and the intermediate copies.
fn check_host_memory(input: &Input, values: Option<&Values>) -> Result<()> {
    let keys = match input {
        Input::Numbers(keys, _) => keys.len() * keys.element.bytes(),
        // The byte range of each row.
        Input::Table(input) => 16 * input.table.len(),
    };
    let values = values.map_or(0, |v| v.elements.len() * v.elements.element_bytes());
    Ok(host_memory::check("the result", COPIES * (keys + values) as u64)?)
}

/// Estimated host memory, as a multiple of the input size: the result, an intermediate copy, and the content of the
/// output file.
const COPIES: u64 = 3;

/// Checks that rows of a table can be written to `place`. Without a stated format, they are written as CSV.
fn check_row_format(place: &Place) -> Result<()> {
    if place.format != Stated::Nothing && !place.output_format(Format::Csv).is_text() {
        bail!(
            "rows of a table can only be written as text, but {place} has a binary format; use .csv or .tsv, or \
             --keys-only to write only the keys"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_rejected_by_binary_formats() {
        for (name, format, accepted) in [
            ("-", None, true),
            ("-", Some(Format::Raw), false),
            ("out", None, true),
            ("out", Some(Format::Npy), false),
            ("out.npy", None, false),
            ("out.npy", Some(Format::Csv), true),
            ("out.bin", None, false),
            ("out.tsv", None, true),
        ] {
            let place = Place::new(Path::new(name)).with_format(format);
            assert_eq!(check_row_format(&place).is_ok(), accepted, "{name}, {format:?}");
        }
    }
}
