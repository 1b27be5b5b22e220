//! `multisplit search`: where in a sorted array each number of another could be put.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use multisplit::Context;
use multisplit::primitives::{Merge, Search};

use crate::device::Devices;
use crate::file_key::{FileKey, with_wide_key_type};
use crate::formats::{Array, Format, Place};
use crate::inputs::InputOptions;
use crate::wide_keys::{wide_element, widened};
use crate::{figures, host_memory, phase, report, size, sorted};

/// Arguments of `multisplit search`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    input: InputOptions,
    /// What is looked for: a file, or - for standard input
    needles: PathBuf,
    /// Where the positions go (u32), one for each number that is looked for
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// In which form they are written [default: as the name says; to - as text]
    #[arg(long, value_enum)]
    output_format: Option<Format>,
    /// Before or behind equal numbers
    #[arg(long, value_enum, default_value_t)]
    side: Side,
}

/// Where a number could be put that is there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Side {
    /// Before the first: how many numbers are less
    #[default]
    Left,
    /// Behind the last: how many are less or equal
    Right,
}

const EXAMPLES: &str = "\
Examples:
  multisplit search sorted.npy queries.npy -o places.npy
  multisplit search edges.txt samples.txt -o bins.npy --type f32 --side right
  printf '7\\n' | multisplit search sorted.npy - -o - --type u32

The first input is sorted, as `multisplit sort` leaves it, and of the type of the second: one that is not in
order is an error. A position is a number from 0 to how many there are: the first place where what is looked
for could be put, or with --side right the last. Floats are in the order of IEEE 754's totalOrder. Empty
cells of a table are left out. There are at most 2^32 - 1 sorted numbers.";

/// Inputs, positions, and a part of them.
const COPIES: u64 = 3;

/// A search whose inputs have been read.
struct SearchJob<'j> {
    devices: &'j Devices,
    context: &'j Context,
    how: Search,
    place: Place,
}

/// Reads, searches, writes.
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
    let time = figures::time(phase::taken("searching").as_secs_f64() * 1e9);
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
        let room = self.devices.room(self.context);
        let positions = phase::timed("searching", || {
            let _span = tracing::info_span!("search", n = needles.len() as u64).entered();
            sorted::search(&room, self.how, within, needles)
        })?;
        if self.devices.verify() {
            let _span = tracing::info_span!("verify").entered();
            sorted::verify_search(self.how, within, needles, &positions)?;
        }
        Ok(positions)
    }
}
