//! `multisplit split`: splits an array from a file, or the rows of a table, into buckets.

mod options;
mod summary;

pub use options::Options;

use std::borrow::Cow;

use anyhow::{Context as _, Result, bail};
use multisplit_bench::size;

use crate::device::Devices;
use crate::formats::{Array, Data, with_type};
use crate::inputs::{Elements, Input, Numbers, Shape, TableInput};
use crate::job::Job;
use crate::keyed::{KeyedFiles, KeyedOptions};
use crate::number::Number;
use crate::on_device::{Moved, MovedPairs};
use crate::phase;
use crate::split::{self, Split, Whole};
use crate::wide_keys::keys_of;

pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    options.check();
    let keyed = KeyedOptions {
        input: &options.input,
        output: &options.output,
        values: &options.values,
        words: options.offsets.as_deref(),
        shape: Shape::Line,
        keeps_length: true,
    };
    let (mut files, opening) = KeyedFiles::open(&keyed, devices)?;
    let direct = match &files.input {
        Input::Numbers(keys, _) => !keys.element.is_time() && !devices.common.verify,
        Input::Table(_) => false,
    };
    let read = if direct { None } else { files.take()? };
    let job = SplitJob { options, job: Job::new(devices, opening)? };
    let mut split = match (&files.input, &read) {
        (Input::Table(input), _) => Some(job.rows(input)?),
        (Input::Numbers(..), Some((keys, values))) => Some(job.split(keys, values.as_ref())?),
        (Input::Numbers(keys, _), None) => {
            let values = files.value_elements();
            with_type!(keys.element, K => job.direct::<K>(keys, values))?
        }
    };
    if split.is_none()
        && let Some((keys, values)) = files.take()?
    {
        // The data does not fit in device memory, so read it into host memory and split it in
        // parts.
        split = Some(job.split(&keys, values.as_ref())?);
    }
    let (split, summary) = split.context("internal error: there is no input to split")?;
    if let Some(pattern) = &options.each {
        files.begin_each(pattern, split.offsets.len() - 1)?;
    }
    let narrow = split.offsets.iter().map(|&offset| u32::try_from(offset));
    let offsets: Vec<u32> = narrow
        .collect::<Result<_, _>>()
        .context("the input is too large: bucket offsets are 32-bit, so at most 4,294,967,295 elements are supported")?;
    match (&files.input, split.moved.values) {
        (Input::Table(_), Some(Moved::Host(Data::Bytes4(order)))) => {
            files.write_rows(&order, Some(offsets))?;
        }
        (Input::Table(_), _) => bail!("internal error: the split returned no order"),
        (_, values) => {
            files.write(MovedPairs { values, ..split.moved }, Some(offsets))?;
        }
    }
    if devices.common.quiet {
        return Ok(());
    }
    summary::print(options, &split.offsets, &summary)
}

struct SplitJob<'j> {
    options: &'j Options,
    job: Job<'j>,
}

impl SplitJob<'_> {
    /// Splits directly from the input files. `None` if the data does not fit in device memory.
    fn direct<K: Number>(
        &self,
        keys: &Numbers,
        values: Option<&Elements>,
    ) -> Result<Option<(Split, String)>> {
        let rule = self.options.rule::<K>(keys.element, self.job.devices)?;
        let buckets = rule.device_buckets(self.options.method)?;
        let split = split::split_direct(&self.job.resources(), &buckets, &keys.elements, values);
        let split = split.map_err(|error| rule.named(error))?;
        Ok(split.map(|split| {
            let what = format!("{} {}", size::grouped(keys.len() as u64), keys.element);
            let summary = summary::text(&self.job, &what, &rule, &split);
            (split, summary)
        }))
    }

    /// Splits an array in host memory.
    fn split(&self, array: &Array, values: Option<&Data>) -> Result<(Split, String)> {
        with_type!(array.element(), K => self.split_keys::<K>(array, values))
    }

    fn split_keys<K: Number>(
        &self,
        array: &Array,
        values: Option<&Data>,
    ) -> Result<(Split, String)> {
        // Dates are shifted so that "not a time" sorts last, unless the bucket function uses their value.
        let by_value = array.element().is_time() && self.options.is_by_value();
        let wide = if by_value { Cow::Borrowed(array.data()) } else { keys_of(array) };
        let keys = K::from_data(&wide)?;
        let rule = self.options.rule::<K>(array.element(), self.job.devices)?;
        let buckets = rule.device_buckets(self.options.method)?;
        let whole: Whole<K> = phase::timed("splitting", || {
            let _span = tracing::info_span!("split", n = keys.len() as u64).entered();
            let split = split::split(&self.job.resources(), &buckets, keys, values);
            split.map_err(|error| rule.named(error))
        })?;
        self.job.verify_by(|| split::verify(&rule, keys, values, &whole))?;
        let mut split = Split::from(whole);
        let what = format!("{} {}", size::grouped(keys.len() as u64), array.element());
        let summary = summary::text(&self.job, &what, &rule, &split);
        if by_value {
            // Shift dates now, because writers expect them shifted, as sorted keys are.
            let keys = Array::new(array.element(), split.moved.keys.load()?);
            let keys =
                keys.context("internal error: the element size does not match the element type")?;
            split.moved.keys = Moved::Host(keys_of(&keys).into_owned());
        }
        Ok((split, summary))
    }

    /// Splits the rows of a table: row indices are the values.
    fn rows(&self, input: &TableInput) -> Result<(Split, String)> {
        let TableInput { table, columns } = input;
        let [column] = &columns[..] else {
            bail!("split takes one --column, but {} are given", columns.len());
        };
        if let Some(&row) = column.missing.first() {
            let line = table.line_of(row);
            let (place, name) = (self.options.input.place(), &column.name);
            bail!(
                "{place}, line {line}: the cell of column `{name}` is empty, so the row has no bucket"
            );
        }
        let rows = Data::Bytes4((0..table.len() as u32).collect());
        self.split(&column.keys, Some(&rows))
    }
}
