//! `multisplit unique`: writes each number of a file once, with its count if requested.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use multisplit::Context;
use multisplit::operations::sort::SortMethod;
use multisplit_bench::key_order::rank;
use multisplit_bench::{console, host_memory, size};

use crate::device::Devices;
use crate::file_key::{FileKey, with_wide_key_type};
use crate::formats::{Array, Data, Format, Place};
use crate::inputs::{InputOptions, Shape};
use crate::runs::{self, Runs};
use crate::sort::{self, SortRequest};
use crate::wide_keys::{narrowed, wide_element, widened};
use crate::{phase, report};

/// Arguments of `multisplit unique`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    input: InputOptions,
    /// Write the first number of each run of equal numbers to this file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Format of the output [default: by its name; for - the format of the input]
    #[arg(long, value_enum)]
    output_format: Option<Format>,
    /// Write the length of each run to this file (u32)
    #[arg(long, value_name = "FILE")]
    counts: Option<PathBuf>,
    /// Sort the numbers first, so that each is written once
    #[arg(long)]
    sort: bool,
}

const EXAMPLES: &str = "\
Examples:
  multisplit unique sorted.npy -o keys.npy --counts counts.npy
  multisplit unique keys.npy -o distinct.npy --sort
  multisplit unique sales.csv --column region -o regions.csv --sort --counts sales-per-region.csv

A run is a sequence of equal neighbours. In a sorted input, or with --sort, all equal numbers are \
one run. In an input that is not sorted, a number may appear in several runs; then each run is \
kept, with a note. Floats are equal if their bits are: -0 and +0 are two numbers, and so are NaNs \
with different bits. Empty cells of a table are left out. There may be at most 2^32 - 1 numbers. \
Input that does not fit in device memory, or in --memory-limit, is processed in parts.";

/// Context of one job.
struct UniqueJob<'j> {
    devices: &'j Devices,
    context: &'j Context,
    sort: bool,
}

/// First element and length of each run, and whether the elements are sorted.
struct Found {
    keys: Data,
    counts: Vec<u32>,
    sorted: bool,
}

/// Copies of the data in host memory: input, sorted input, and results.
const COPIES: u64 = 5;

/// Reads the input, sorts it if requested, finds runs, and writes them.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let mut outputs = devices.outputs();
    let place = Place::new(&options.output).with_format(options.output_format);
    let keys_out = outputs.begin(&place)?;
    let counts_out = outputs.begin_if(options.counts.as_deref())?;
    let opening = devices.begin_opening();
    let input = options.input.open_one(Shape::Line, devices.bars())?;
    let (element, format) = (input.numbers.element, input.format);
    host_memory::check("the result", COPIES * (input.numbers.len() * element.bytes()) as u64)?;
    let array = phase::timed("reading", || input.numbers.load())?;
    let context = opening.finish()?;
    let job = UniqueJob { devices, context: &context, sort: options.sort };
    let Found { keys, counts, sorted } =
        with_wide_key_type!(wide_element(element), job.find(&array))?;
    let found = size::grouped(counts.len() as u64);
    let keys = Array::new(element, narrowed(element, keys)).context("elements of another size")?;
    phase::timed("writing", || -> Result<()> {
        outputs.array(keys_out, &keys, format)?;
        if let Some(id) = counts_out {
            outputs.array(id, &Array::words(counts), Format::Text)?;
        }
        Ok(())
    })?;
    outputs.finish()?;
    let n = size::grouped(array.len() as u64);
    let time = phase::of_kernels("finding runs");
    let checked = devices.verified();
    let device = &context.properties().name;
    report::done(format_args!("{found} of {n} {element} kept in {time} on {device}{checked}"));
    if !sorted {
        console::note(
            "the numbers are not sorted, so equal numbers that are not adjacent are kept; --sort removes them",
        );
    }
    Ok(())
}

impl UniqueJob<'_> {
    fn find<K: FileKey>(&self, array: &Array) -> Result<Found> {
        let wide = widened(array);
        let keys = K::from_data(&wide).context("elements of another size")?;
        let resources = self.devices.resources(self.context);
        let request = SortRequest { descending: false, method: SortMethod::Auto, rows: None };
        let sorted = match self.sort {
            true => {
                let sorted =
                    phase::timed("sorting", || sort::sort(&resources, request, keys, None, false))?;
                self.devices.verify_by(|| sort::verify(request, keys, None, &sorted))?;
                Some(sorted.keys)
            }
            false => None,
        };
        let keys = sorted.as_deref().unwrap_or(keys);
        let _span = tracing::info_span!("unique", n = keys.len() as u64).entered();
        let found = phase::timed("finding runs", || runs::runs(self.context, keys))?;
        self.devices.verify_by(|| runs::verify(keys, &found))?;
        let Runs { keys, counts } = found;
        // Ascending or descending.
        let sorted = keys.is_sorted_by(|&a, &b| rank(a) < rank(b))
            || keys.is_sorted_by(|&a, &b| rank(a) > rank(b));
        Ok(Found { keys: K::into_data(keys), counts, sorted })
    }
}
