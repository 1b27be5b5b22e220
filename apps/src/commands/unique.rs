//! `multisplit unique`: writes each number of a sorted file once, with its count if requested.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use multisplit::Context;
use multisplit_bench::key_order::rank;
use multisplit_bench::{console, size};

use crate::device::Devices;
use crate::formats::{Array, Data, Format, with_type};
use crate::inputs::{InputOptions, Shape};
use crate::job::Job;
use crate::number::Number;
use crate::sort::{self, SortRequest};
use crate::wide_keys::{narrowed, widened};
use crate::{phase, report};

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

/// The runs, independent of the element type, and whether their elements are sorted in either direction.
struct Found {
    keys: Array,
    counts: Vec<u32>,
    sorted: bool,
}

/// Estimated host memory, as a multiple of the input size: input, sorted input, and results.
const COPIES: usize = 5;

pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let mut outputs = devices.outputs();
    let keys_out = outputs.begin_as(&options.output, options.output_format)?;
    let counts_out = outputs.begin_if(options.counts.as_deref())?;
    let opening = devices.begin_opening();
    let input = options.input.open_one(Shape::Line, devices.bars())?;
    let (element, format) = (input.numbers.element, input.format);
    let array = input.numbers.read("the result", COPIES)?;
    let job = Job::new(devices, opening)?;
    let Found { keys, counts, sorted } =
        with_type!(wide element, K => find::<K>(&job, options.sort, &array))?;
    let (found, n) = (size::grouped(counts.len() as u64), size::grouped(array.len() as u64));
    outputs.write_array(keys_out, &keys, format)?;
    if let Some(id) = counts_out {
        outputs.write_array(id, &Array::words(counts), Format::Text)?;
    }
    outputs.finish()?;
    report::done(job.summary(format_args!("{found} of {n} {element} kept"), "finding runs"));
    if !sorted {
        console::note(
            "the numbers are not sorted, so equal numbers that are not adjacent are kept; --sort removes them",
        );
    }
    Ok(())
}

fn find<K: Number>(job: &Job<'_>, sort: bool, array: &Array) -> Result<Found> {
    let wide = widened(array);
    let keys = K::from_data(&wide)?;
    let sorted;
    let keys = if sort {
        let request = SortRequest::default();
        let sort = || sort::sort(&job.resources(), request, keys, None, false);
        sorted = phase::timed("sorting", sort)?;
        job.verify_by(|| sort::verify(request, keys, None, &sorted))?;
        &sorted.keys[..]
    } else {
        keys
    };
    let _span = tracing::info_span!("unique", n = keys.len() as u64).entered();
    let found = phase::timed("finding runs", || runs(&job.context, keys))?;
    job.verify_by(|| verify(keys, &found))?;
    let (keys, counts) = found;
    // In a sorted array, the numbers of consecutive runs strictly ascend or strictly descend.
    let sorted = keys.is_sorted_by(|&a, &b| rank(a) < rank(b))
        || keys.is_sorted_by(|&a, &b| rank(a) > rank(b));
    Ok(Found { keys: narrowed(array.element(), Data::of(keys))?, counts, sorted })
}

/// Finds the first key and the length of each run of at most 2^32 - 1 keys.
fn runs<K: Number>(context: &Context, keys: &[K]) -> Result<(Vec<K>, Vec<u32>)> {
    let n = keys.len();
    if u32::try_from(n).is_err() {
        bail!(
            "the input has {n} elements, but at most 4,294,967,295 are supported (run lengths are 32-bit)"
        );
    }
    Ok(context.run_lengths(keys)?)
}

/// Compares runs with those found on the CPU.
fn verify<K: Number>(keys: &[K], (found, counts): &(Vec<K>, Vec<u32>)) -> Result<()> {
    let expected = keys.chunk_by(|&a, &b| rank(a) == rank(b));
    let found = found.iter().zip(counts).map(|(&key, &count)| (rank(key), count));
    match expected.map(|run| (rank(run[0]), run.len() as u32)).eq(found) {
        true => Ok(()),
        false => bail!("the runs are wrong: they differ from the CPU's result"),
    }
}
