//! `multisplit search`: finds the insertion position of each number in a sorted array.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use multisplit::operations::{Merge, Search};
use multisplit_bench::size;

use crate::device::Devices;
use crate::formats::{Array, Format, with_type};
use crate::inputs::{InputOptions, read_two};
use crate::job::Job;
use crate::number::Number;
use crate::wide_keys::widened;
use crate::{phase, report, sorted};

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
    /// Whether a position is before or after equal numbers
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

/// Estimated host memory, as a multiple of the size of inputs and positions: both, and copies of parts.
const COPIES: usize = 3;

pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let mut outputs = devices.outputs();
    let id = outputs.begin_as(&options.output, options.output_format)?;
    let opening = devices.begin_opening();
    let inputs = options.input.open_two(&options.needles, devices.bars())?;
    let [within, needles] = inputs.each_ref().map(|input| input.numbers.len());
    let element = inputs[0].numbers.element;
    let bytes = within * element.bytes() + needles * (element.bytes() + size_of::<u32>());
    let arrays = read_two(inputs, COPIES * bytes)?;
    let job = Job::new(devices, opening)?;
    let positions = with_type!(wide element, K => search::<K>(&job, options, &arrays))?;
    outputs.write_array(id, &Array::words(positions), Format::Text)?;
    outputs.finish()?;
    let [a, b] = [within, needles].map(|n| size::grouped(n as u64));
    report::done(job.summary(format_args!("found {b} {element} among {a}"), "searching"));
    Ok(())
}

fn search<K: Number>(job: &Job<'_>, options: &Options, arrays: &[Array; 2]) -> Result<Vec<u32>> {
    let how = match options.side {
        Side::Left => Search::LowerBound,
        Side::Right => Search::UpperBound,
    };
    let wide = arrays.each_ref().map(widened);
    let (within, needles) = (K::from_data(&wide[0])?, K::from_data(&wide[1])?);
    sorted::check(&options.input.place(), Merge::Ascending, within)?;
    let positions = phase::timed("searching", || {
        let _span = tracing::info_span!("search", n = needles.len() as u64).entered();
        sorted::search(&job.context, how, within, needles)
    })?;
    job.verify_by(|| sorted::verify_search(how, within, needles, &positions))?;
    Ok(positions)
}
