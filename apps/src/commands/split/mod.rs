//! `multisplit split`: splits an array from a file, or the rows of a table, into buckets.

mod options;
mod summary;

pub use options::Options;

use std::borrow::Cow;

use anyhow::{Context as _, Result, bail};
use multisplit::Context;

use crate::device::Devices;
use crate::file_key::{FileKey, with_key_type};
use crate::formats::{Array, Data, Element};
use crate::inputs::{Elements, Input, Numbers, Shape, TableInput};
use crate::keyed::{KeyedFiles, KeyedOptions};
use crate::on_device::Moved;
use crate::phase;
use crate::split::{self, Whole};
use crate::wide_keys::{key_element, keys_of};

/// Reads the input, splits it, and writes the outputs.
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
    let job = SplitJob { options, devices };
    let direct = match &files.input {
        Input::Numbers(keys, _) if key_element(keys.element) == keys.element => !devices.verify(),
        _ => false,
    };
    let read = if direct { None } else { files.take()? };
    let context = &opening.finish()?;
    let mut split = match (&files.input, &read) {
        (Input::Table(input), _) => Some(job.rows(context, input)?),
        (Input::Numbers(..), Some((keys, values))) => {
            let element = key_element(keys.element());
            Some(with_key_type!(element, job.split(context, keys, values.as_ref()))?)
        }
        (Input::Numbers(keys, _), None) => {
            let values = files.value_elements();
            with_key_type!(keys.element, job.direct(context, keys, values))?
        }
    };
    if split.is_none()
        && let Some((keys, values)) = files.take()?
    {
        // The data does not fit the device, so read it into host memory.
        let element = keys.element();
        split = Some(with_key_type!(element, job.split(context, &keys, values.as_ref()))?);
    }
    let split = split.context("nothing was split")?;
    if let Some(pattern) = &options.each {
        files.begin_each(pattern, split.offsets.len() - 1)?;
    }
    let narrow = split.offsets.iter().map(|&offset| u32::try_from(offset));
    let offsets: Vec<u32> =
        narrow.collect::<Result<_, _>>().context("an offset does not fit 32 bits")?;
    match (&files.input, split.order) {
        (Input::Table(_), Some(order)) => files.write_rows(&order, Some(offsets))?,
        _ => files.write(split.keys, split.values, Some(offsets))?,
    }
    if devices.quiet() {
        return Ok(());
    }
    summary::print(options, &split.offsets, &split.summary)
}

/// Result of a split, independent of the key type.
struct Split {
    keys: Moved,
    values: Option<Moved>,
    offsets: Vec<u64>,
    /// For a table: its row indices, bucket after bucket.
    order: Option<Vec<u32>>,
    /// Summary to print after writing.
    summary: String,
}

/// Context of one split.
struct SplitJob<'j> {
    options: &'j Options,
    devices: &'j Devices,
}

impl SplitJob<'_> {
    /// Splits directly from the input files. `None` if the data does not fit the device.
    fn direct<K: FileKey>(
        &self,
        context: &Context,
        keys: &Numbers,
        values: Option<&Elements>,
    ) -> Result<Option<Split>> {
        let rule = self.options.rule::<K>(keys.element, self.devices)?;
        let buckets = rule.device_buckets(self.options.method)?;
        let resources = self.devices.resources(context);
        let split = split::split_direct(&resources, &buckets, &keys.elements, values);
        let Some(split) = split.map_err(|error| rule.named(error))? else { return Ok(None) };
        let details = summary::Summary {
            n: keys.len(),
            element: keys.element,
            buckets: rule.buckets,
            device: &context.properties().name,
            is_glsl: rule.glsl().is_some(),
        };
        let summary = details.text(split.method, 1, self.devices.verify());
        let split::Direct { keys, values, offsets, .. } = split;
        Ok(Some(Split { keys, values, offsets, order: None, summary }))
    }

    fn split<K: FileKey>(
        &self,
        context: &Context,
        array: &Array,
        values: Option<&Data>,
    ) -> Result<Split> {
        // Dates are shifted so that "not a time" sorts last, unless the bucket function uses their value.
        let by_value = matches!(array.element(), Element::Time(_)) && self.options.is_by_value();
        let wide = if by_value { Cow::Borrowed(array.data()) } else { keys_of(array) };
        let keys = K::from_data(&wide).context("keys of another size")?;
        let rule = self.options.rule::<K>(array.element(), self.devices)?;
        let buckets = rule.device_buckets(self.options.method)?;
        let whole: Whole<K> = phase::timed("splitting", || {
            let _span = tracing::info_span!("split", n = keys.len() as u64).entered();
            let split = split::split(&self.devices.resources(context), &buckets, keys, values);
            split.map_err(|error| rule.named(error))
        })?;
        self.devices.verify_by(|| split::verify(&rule, keys, values, &whole))?;
        let details = summary::Summary {
            n: keys.len(),
            element: array.element(),
            buckets: rule.buckets,
            device: &context.properties().name,
            is_glsl: rule.glsl().is_some(),
        };
        let summary = details.text(whole.method, whole.parts, self.devices.verify());
        let (offsets, values) = (whole.offsets, whole.values.map(Moved::Host));
        let mut keys = K::into_data(whole.keys);
        if by_value {
            // Convert to the representation that writers expect.
            let split = Array::new(array.element(), keys).context("keys of another size")?;
            keys = keys_of(&split).into_owned();
        }
        let keys = Moved::Host(keys);
        Ok(Split { keys, values, offsets, order: None, summary })
    }

    /// Splits the rows of a table: row indices are the values.
    fn rows(&self, context: &Context, input: &TableInput) -> Result<Split> {
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
        let element = key_element(column.keys.element());
        let split = with_key_type!(element, self.split(context, &column.keys, Some(&rows)))?;
        let Some(Moved::Host(Data::Bytes4(order))) = &split.values else {
            bail!("the split gave no order")
        };
        Ok(Split { order: Some(order.clone()), ..split })
    }
}
