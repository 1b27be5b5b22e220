//! `multisplit search`: finds the insertion position of each number in a sorted array.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use multisplit::Context;
use multisplit::operations::{Merge, Search};
use multisplit_bench::{host_memory, size};

use crate::device::Devices;
use crate::file_key::{FileKey, with_wide_key_type};
use crate::formats::{Array, Format, Place};
use crate::inputs::InputOptions;
use crate::wide_keys::{wide_element, widened};
use crate::{phase, report, sorted};

/// Arguments of `multisplit search`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    input: InputOptions,
    /// File of the numbers to search for, or - for standard input
    needles: PathBuf,
    /// Write the positions to this file (u32), one per number to search for
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Format of the output [default: by its name; for - text]
    #[arg(long, value_enum)]
    output_format: Option<Format>,
    /// Whether positions are before or after equal numbers
    #[arg(long, value_enum, default_value_t)]
    side: Side,
}

/// Insertion point of a number that equals elements of the array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Side {
    /// Before equal numbers: the number of smaller elements
    #[default]
    Left,
    /// After equal numbers: the number of smaller or equal elements
    Right,
}

const EXAMPLES: &str = "\
Examples:
  multisplit search sorted.npy queries.npy -o places.npy
  multisplit search edges.txt samples.txt -o bins.npy --type f32 --side right
  printf '7\\n' | multisplit search sorted.npy - -o - --type u32

The first input must be sorted, as `multisplit sort` leaves it, and have the type of the second; an \
unsorted input is an error. A position is the count of sorted numbers that are less than the \
searched number, or with --side right less or equal. Floats are compared in the total order of IEEE \
754. Empty cells of a table are left out. The first input may have at most 2^32 - 1 numbers. Input \
that does not fit in device memory, or in --memory-limit, is searched in parts.";

/// Copies of the data in host memory: inputs, positions, and one part of them.
const COPIES: u64 = 3;

/// A search whose inputs have been opened.
struct SearchJob<'j> {
    devices: &'j Devices,
    context: &'j Context,
    how: Search,
    place: Place,
}

/// Reads both arrays, searches, and writes the positions.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let mut outputs = devices.outputs();
    let id = outputs.begin(&Place::new(&options.output).with_format(options.output_format))?;
    let opening = devices.begin_opening();
    let [within, needles] = options.input.open_two(&options.needles, devices.bars())?;
    let element = within.numbers.element;
    let bytes = within.numbers.len() * element.bytes()
        + needles.numbers.len() * (element.bytes() + size_of::<u32>());
    host_memory::check("the result", COPIES * bytes as u64)?;
    let read = || Ok::<_, anyhow::Error>([within.numbers.load()?, needles.numbers.load()?]);
    let arrays = phase::timed("reading", read)?;
    let context = opening.finish()?;
    let how = match options.side {
        Side::Left => Search::LowerBound,
        Side::Right => Search::UpperBound,
    };
    let job = SearchJob { devices, context: &context, how, place: options.input.place() };
    let positions = with_wide_key_type!(wide_element(element), job.search(&arrays))?;
    phase::timed("writing", || outputs.array(id, &Array::words(positions), Format::Text))?;
    outputs.finish()?;
    let [a, b] = arrays.each_ref().map(|array| size::grouped(array.len() as u64));
    let time = phase::of_kernels("searching");
    let (device, checked) = (&context.properties().name, devices.verified());
    report::done(format_args!("found {b} {element} among {a} in {time} on {device}{checked}"));
    Ok(())
}

impl SearchJob<'_> {
    fn search<K: FileKey>(&self, arrays: &[Array; 2]) -> Result<Vec<u32>> {
        let wide = arrays.each_ref().map(widened);
        let within = K::from_data(&wide[0]).context("keys of another size")?;
        let needles = K::from_data(&wide[1]).context("keys of another size")?;
        sorted::check(&self.place, Merge::Ascending, within)?;
        let positions = phase::timed("searching", || {
            let _span = tracing::info_span!("search", n = needles.len() as u64).entered();
            sorted::search(self.context, self.how, within, needles)
        })?;
        let how = self.how;
        self.devices.verify_by(|| sorted::verify_search(how, within, needles, &positions))?;
        Ok(positions)
    }
}
