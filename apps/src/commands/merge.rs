//! `multisplit merge`: merges two sorted arrays from files.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use multisplit::Context;
use multisplit::operations::Merge;
use multisplit_bench::{host_memory, size};

use crate::device::Devices;
use crate::file_key::{FileKey, with_wide_key_type};
use crate::formats::{Array, Data, Format, Place};
use crate::inputs::InputOptions;
use crate::wide_keys::{narrowed, wide_element, widened};
use crate::{phase, report, sorted};

/// Arguments of `multisplit merge`.
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

/// Copies of the data in host memory: inputs, result, and one part of the result.
const COPIES: u64 = 4;

/// A merge whose inputs have been opened.
struct MergeJob<'j> {
    devices: &'j Devices,
    context: &'j Context,
    how: Merge,
    places: [Place; 2],
}

/// Opens the inputs, merges them, and writes the result.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let mut outputs = devices.outputs();
    let id = outputs.begin(&Place::new(&options.output).with_format(options.output_format))?;
    let opening = devices.begin_opening();
    let [first, second] = options.input.open_two(&options.second, devices.bars())?;
    let (element, format) = (first.numbers.element, first.format);
    let bytes = (first.numbers.len() + second.numbers.len()) * element.bytes();
    host_memory::check("the result", COPIES * bytes as u64)?;
    let read = || Ok::<_, anyhow::Error>([first.numbers.load()?, second.numbers.load()?]);
    let arrays = phase::timed("reading", read)?;
    let context = opening.finish()?;
    let how = if options.descending { Merge::Descending } else { Merge::Ascending };
    let places = [options.input.place(), Place::new(&options.second)];
    let job = MergeJob { devices, context: &context, how, places };
    let merged = with_wide_key_type!(wide_element(element), job.merge(&arrays))?;
    let merged = Array::new(element, narrowed(element, merged)).context("keys of another size")?;
    phase::timed("writing", || outputs.array(id, &merged, format))?;
    outputs.finish()?;
    let [a, b] = arrays.each_ref().map(|array| size::grouped(array.len() as u64));
    let time = phase::of_kernels("merging");
    let (device, checked) = (&context.properties().name, devices.verified());
    report::done(format_args!("merged {a} and {b} {element} in {time} on {device}{checked}"));
    Ok(())
}

impl MergeJob<'_> {
    fn merge<K: FileKey>(&self, arrays: &[Array; 2]) -> Result<Data> {
        let wide = arrays.each_ref().map(widened);
        let first = K::from_data(&wide[0]).context("keys of another size")?;
        let second = K::from_data(&wide[1]).context("keys of another size")?;
        sorted::check(&self.places[0], self.how, first)?;
        sorted::check(&self.places[1], self.how, second)?;
        let merged = phase::timed("merging", || {
            let n = (first.len() + second.len()) as u64;
            let _span = tracing::info_span!("merge", n).entered();
            self.context.merge_with(first, second, self.how)
        })?;
        self.devices.verify_by(|| sorted::verify_merge(self.how, first, second, &merged))?;
        Ok(K::into_data(merged))
    }
}
