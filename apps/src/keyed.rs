//! The files of a command that moves keys: keys and values in, or a table; keys, values or rows, and
//! an array of u32 out.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use multisplit_bench::host_memory;

use crate::device::Devices;
use crate::formats::{Array, Data, Format, Place, npy};
use crate::inputs::{Elements, Input, InputOptions, Numbers, Shape, TableInput, Values};
use crate::on_device::Moved;
use crate::opening::Opening;
use crate::outputs::{OutputId, Outputs, RangeWriter};
use crate::phase;
use crate::sort::Target;
use crate::values::ValueOptions;
use crate::wide_keys::narrowed;

/// What the command line says about where moved keys go.
#[derive(Debug, Args)]
pub struct OutputOptions {
    /// Write the keys, or the rows of a table, to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The format of the output [default: by its name; for - that of the input]
    #[arg(long, value_enum)]
    pub output_format: Option<Format>,
    /// For a table, write only the keys instead of whole rows
    #[arg(long, requires = "column")]
    pub keys_only: bool,
}

/// What such a command is told.
pub struct KeyedOptions<'p> {
    pub input: &'p InputOptions,
    pub output: &'p OutputOptions,
    pub values: &'p ValueOptions,
    /// Where the array of u32 goes: an order, or beginnings of buckets.
    pub words: Option<&'p Path>,
    /// Which shapes the keys may have.
    pub shape: Shape,
    /// Whether as many elements come out as go in.
    pub keeps_length: bool,
}

/// What was opened, and outputs that have been begun.
pub struct KeyedFiles {
    pub input: Input,
    pub values: Option<Values>,
    pub outputs: Outputs,
    keys_only: bool,
    keys_out: Option<OutputId>,
    values_out: Option<OutputId>,
    words_out: Option<OutputId>,
    /// A file for each bucket.
    each_out: Vec<OutputId>,
    output_format: Option<Format>,
}

/// Files that are written at the same time: each is open, and systems allow some thousand.
const MAX_EACH: usize = 512;

impl KeyedFiles {
    /// Begins the outputs, then opens the inputs: what cannot be written costs no waiting. The
    /// device is opened meanwhile.
    pub fn open(options: &KeyedOptions<'_>, devices: &Devices) -> Result<(Self, Opening)> {
        let mut outputs = devices.outputs();
        let place = |path: &PathBuf| Place::new(path).with_format(options.output.output_format);
        let keys_out = options.output.output.as_ref().map(place);
        let keys_out = keys_out.map(|place| outputs.begin(&place)).transpose()?;
        let values_out = options.values.begin(&mut outputs)?;
        let words_out = outputs.begin_if(options.words)?;
        let opening = devices.begin_opening();
        let input = options.input.open(options.shape, devices.bars())?;
        let values = match &input {
            Input::Numbers(keys, _) => options.values.open(keys.len(), devices.bars())?,
            Input::Table(_) => None,
        };
        let keys_only = options.output.keys_only;
        if let (Input::Table(_), Some(id), false) = (&input, keys_out, keys_only)
            && matches!(outputs.format(id, Format::Csv)?, Format::Npy | Format::Raw)
            && !options.output.output.as_deref().is_some_and(is_plain_name)
        {
            let place = options.output.output.as_deref().unwrap_or(Path::new("-")).display();
            bail!(
                "rows of a table are text, and {place} is not; --keys-only writes the keys alone"
            );
        }
        let output_format = options.output.output_format;
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

    /// What comes out is as long as what goes in.
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

    /// Begins a file for each of `count` buckets, whose number takes the place of `{}`.
    pub fn begin_each(&mut self, pattern: &str, count: usize) -> Result<()> {
        if count > MAX_EACH {
            bail!("--each makes {count} files, and {MAX_EACH} are the most; use fewer buckets");
        }
        // As wide as the last one, so that names are in order.
        let width = count.saturating_sub(1).to_string().len();
        for bucket in 0..count {
            let name = pattern.replace("{}", &format!("{bucket:0width$}"));
            let place = Place::new(Path::new(&name)).with_format(self.output_format);
            self.each_out.push(self.outputs.begin(&place)?);
        }
        Ok(())
    }

    /// Whether the array of u32 was asked for.
    pub fn wants_words(&self) -> bool {
        self.words_out.is_some()
    }

    /// The values, wherever they are.
    pub fn value_elements(&self) -> Option<&Elements> {
        self.values.as_ref().map(|values| &values.elements)
    }

    /// Reads what has not been read yet, and takes keys and values out, for work on the host. None
    /// of a table.
    pub fn take(&mut self) -> Result<Option<(Array, Option<Data>)>> {
        check_host_memory(&self.input, self.values.as_ref())?;
        let _span = tracing::info_span!("read").entered();
        let nothing = || Elements::Memory(Data::empty(1));
        let Input::Numbers(keys, _) = &mut self.input else { return Ok(None) };
        let elements = std::mem::replace(&mut keys.elements, nothing());
        let keys = Numbers { element: keys.element, elements };
        let values = self.values.as_mut();
        let values = values.map(|values| std::mem::replace(&mut values.elements, nothing()));
        phase::timed("reading", || {
            Ok(Some((keys.load()?, values.map(Elements::load).transpose()?)))
        })
    }

    /// The outputs for elements that come in any order, as the device has them; None where they have
    /// to be written from their beginning to their end, or in another form.
    pub fn range_target(&mut self) -> Result<Option<RangeTarget>> {
        let otherwise = self.otherwise();
        let Input::Numbers(keys, _) = &self.input else { return Ok(None) };
        let (element, len) = (keys.element, keys.len());
        let binary = |outputs: &Outputs, id| outputs.format(id, otherwise).map(|f| !f.is_text());
        let mut target = RangeTarget { keys: None, values: None };
        if let Some(id) = self.keys_out {
            if !binary(&self.outputs, id)? {
                return Ok(None);
            }
            let header = match self.outputs.format(id, otherwise)? {
                Format::Npy => npy::header_of(element, len),
                _ => Vec::new(),
            };
            let writer = self.outputs.range_writer(id, &header, element.bytes())?;
            let Some(writer) = writer else { return Ok(None) };
            target.keys = Some(writer);
        }
        if let (Some(id), Some(values)) = (self.values_out, &self.values) {
            let form = &values.form;
            if !binary(&self.outputs, id)? || form.bytes != values.elements.element_bytes() {
                return Ok(None);
            }
            let header = match self.outputs.format(id, otherwise)? {
                Format::Npy => form.header(len as u64),
                _ => Vec::new(),
            };
            let writer = self.outputs.range_writer(id, &header, form.bytes)?;
            let Some(writer) = writer else { return Ok(None) };
            target.values = Some(writer);
        }
        Ok(Some(target))
    }

    /// Every output takes its name.
    pub fn finish(self) -> Result<()> {
        Ok(self.outputs.finish()?)
    }

    /// In which form outputs are whose names do not say it.
    fn otherwise(&self) -> Format {
        match &self.input {
            Input::Numbers(_, format) => *format,
            Input::Table(_) => Format::Csv,
        }
    }

    /// Writes moved keys, as the device has them, and values; every output takes its name.
    pub fn write(
        mut self,
        keys: Moved,
        values: Option<Moved>,
        words: Option<Vec<u32>>,
    ) -> Result<()> {
        let span = tracing::info_span!("write").entered();
        phase::timed("writing", || self.write_all(keys, values, words))?;
        // The trace, which is written now, is to have it.
        drop(span);
        Ok(self.outputs.finish()?)
    }

    fn write_all(
        &mut self,
        keys: Moved,
        values: Option<Moved>,
        words: Option<Vec<u32>>,
    ) -> Result<()> {
        let otherwise = self.otherwise();
        let buckets = self.buckets(words.as_deref());
        self.write_words(words)?;
        if let (Some(id), Some(moved), Some(values)) = (self.values_out, values, &self.values) {
            self.outputs.values(id, moved, &values.form, otherwise)?;
        }
        if let Input::Numbers(Numbers { element, .. }, _) = &self.input {
            let element = *element;
            // What files have as the device has it goes straight there.
            if let (Some(id), [], Moved::Device(context, array)) =
                (self.keys_out, &buckets[..], &keys)
                && array.element_bytes() == element.bytes()
            {
                self.outputs.device_array(id, (context, &**array), element, otherwise)?;
            } else {
                let keys = Array::new(element, narrowed(element, keys.load()?));
                let keys = keys.context("elements of another size")?;
                for (id, bucket) in buckets {
                    self.outputs.array(id, &keys.part(bucket)?, otherwise)?;
                }
                if let Some(id) = self.keys_out {
                    self.outputs.array(id, &keys, otherwise)?;
                }
            }
        }
        Ok(())
    }

    /// Writes rows of a table in this order, or their keys alone; every output takes its name.
    pub fn write_rows(mut self, order: &[u32], words: Option<Vec<u32>>) -> Result<()> {
        let span = tracing::info_span!("write").entered();
        let buckets = self.buckets(words.as_deref());
        self.write_words(words)?;
        for (id, bucket) in buckets {
            self.write_some_rows(id, &order[bucket])?;
        }
        if let Some(id) = self.keys_out {
            self.write_some_rows(id, order)?;
        }
        // The trace, which is written now, is to have it.
        drop(span);
        Ok(self.outputs.finish()?)
    }

    fn write_some_rows(&mut self, id: OutputId, order: &[u32]) -> Result<()> {
        let Input::Table(input) = &self.input else { return Ok(()) };
        let TableInput { table, columns } = &**input;
        if self.keys_only {
            let keys = columns.first().context("no column")?;
            return Ok(self.outputs.array(id, &keys.in_order(order)?, Format::Csv)?);
        }
        let rows = order.iter().copied();
        Ok(self.outputs.rows(id, table.separator(), |writer, separator| {
            table.write(writer, separator, rows)
        })?)
    }

    /// The file of each bucket, and what goes there.
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

/// Outputs that are written by ranges.
pub struct RangeTarget {
    keys: Option<RangeWriter>,
    values: Option<RangeWriter>,
}

impl Target for RangeTarget {
    fn keys(&self, first: u64, bytes: &[u8]) -> Result<()> {
        Ok(self.keys.as_ref().map_or(Ok(()), |writer| writer.put(first, bytes))?)
    }

    fn values(&self, first: u64, bytes: &[u8]) -> Result<()> {
        Ok(self.values.as_ref().map_or(Ok(()), |writer| writer.put(first, bytes))?)
    }
}

/// Results, and what they are gathered from, take some copies of what was read.
fn check_host_memory(input: &Input, values: Option<&Values>) -> Result<()> {
    let keys = match input {
        Input::Numbers(keys, _) => keys.len() * keys.element.bytes(),
        // Rows and their order.
        Input::Table(input) => 16 * input.table.len(),
    };
    let values = values.map_or(0, |v| v.elements.len() * v.elements.element_bytes());
    Ok(host_memory::check("the result", COPIES * (keys + values) as u64)?)
}

/// The result, its form in the file, and one in between.
const COPIES: u64 = 3;

/// A name without an extension that says anything: rows are written to it as to a `.csv` file.
fn is_plain_name(path: &Path) -> bool {
    Place::new(path).format == crate::formats::Stated::Nothing
}
