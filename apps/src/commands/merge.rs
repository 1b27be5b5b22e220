//! `multisplit merge`: merges two sorted arrays from files.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use multisplit::operations::Merge;
use multisplit_bench::size;

use crate::device::Devices;
use crate::formats::{Array, Data, Format, Place, with_type};
use crate::inputs::{InputOptions, read_two};
use crate::job::Job;
use crate::number::Number;
use crate::wide_keys::{narrowed, widened};
use crate::{phase, report, sorted};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    input: InputOptions,
    /// Second input file, or - for standard input
    second: PathBuf,
    /// Write the merged numbers to this file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Format of the output [default: by its name; for - the format of the first input]
    #[arg(long, value_enum)]
    output_format: Option<Format>,
    /// Merge inputs that are sorted from the largest to the smallest
    #[arg(long)]
    descending: bool,
}

const EXAMPLES: &str = "\
Examples:
  multisplit merge old.npy new.npy -o all.npy
  multisplit merge monday.bin tuesday.bin -o both.bin --type f32 --descending
  multisplit sort new.txt -o - --type u32 | multisplit merge all.txt - -o more.txt --type u32

Both inputs must be sorted, as `multisplit sort` leaves them, and have the same type; an unsorted \
input is an error. If numbers are equal, those of the first input come first. Empty cells of a table \
are left out. Input that does not fit in device memory, or in --memory-limit, is merged in parts.";

/// Estimated host memory, as a multiple of the input size: inputs, result, and copies of parts.
const COPIES: usize = 4;

pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let mut outputs = devices.outputs();
    let id = outputs.begin_as(&options.output, options.output_format)?;
    let opening = devices.begin_opening();
    let inputs = options.input.open_two(&options.second, devices.bars())?;
    let (element, format) = (inputs[0].numbers.element, inputs[0].format);
    let n: usize = inputs.iter().map(|input| input.numbers.len()).sum();
    let arrays = read_two(inputs, COPIES * n * element.bytes())?;
    let job = Job::new(devices, opening)?;
    let merged = with_type!(wide element, K => merge::<K>(&job, options, &arrays))?;
    outputs.write_array(id, &merged, format)?;
    outputs.finish()?;
    let [a, b] = arrays.each_ref().map(|array| size::grouped(array.len() as u64));
    report::done(job.summary(format_args!("merged {a} and {b} {element}"), "merging"));
    Ok(())
}

fn merge<K: Number>(job: &Job<'_>, options: &Options, arrays: &[Array; 2]) -> Result<Array> {
    let how = if options.descending { Merge::Descending } else { Merge::Ascending };
    let wide = arrays.each_ref().map(widened);
    let (first, second) = (K::from_data(&wide[0])?, K::from_data(&wide[1])?);
    sorted::check(&options.input.place(), how, first)?;
    sorted::check(&Place::new(&options.second), how, second)?;
    let merged = phase::timed("merging", || {
        let n = (first.len() + second.len()) as u64;
        let _span = tracing::info_span!("merge", n).entered();
        job.context.merge_with(first, second, how)
    })?;
    job.verify_by(|| sorted::verify_merge(how, first, second, &merged))?;
    narrowed(arrays[0].element(), Data::of(merged))
}
