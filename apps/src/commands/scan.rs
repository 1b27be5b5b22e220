//! `multisplit scan`: computes prefix sums, minima or maxima of a file, of its rows or of its segments.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use multisplit::{Operator, Scan};
use multisplit_bench::size;

use crate::device::Devices;
use crate::formats::{Array, Data, Element, Format, with_type};
use crate::inputs::{InputOptions, Shape};
use crate::job::Job;
use crate::keyed::check_rows;
use crate::segments::Segments;
use crate::terms::{Term, verify_scan};
use crate::wide_keys::{narrowed, widened};
use crate::{phase, report};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    input: InputOptions,
    /// Write the results to this file, one per number, of the same type
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Format of the output [default: by its name; for - the format of the input]
    #[arg(long, value_enum)]
    output_format: Option<Format>,
    /// Operation
    #[arg(long, value_enum, default_value_t)]
    op: Op,
    /// Include each number in its own result, not only the numbers before it
    #[arg(long)]
    inclusive: bool,
    /// Treat the array as rows of LENGTH elements, and scan each row
    #[arg(long, value_name = "LENGTH", value_parser = size::parse, conflicts_with = "column")]
    rows: Option<u64>,
    /// Scan each segment; FILE contains the start of each segment, then the end of the last one (u32)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["column", "rows"])]
    segments: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Op {
    /// Sum
    #[default]
    Sum,
    /// Minimum
    Min,
    /// Maximum
    Max,
}

const EXAMPLES: &str = "\
Examples:
  multisplit scan counts.npy -o offsets.npy
  multisplit scan counts.npy -o totals.npy --inclusive
  multisplit scan sales.csv --column price -o highest.npy --op max --inclusive
  multisplit scan image.npy -o sums.npy --rows 1920
  multisplit scan split.npy -o totals.npy --segments begins.npy
  printf '3\\n1\\n4\\n' | multisplit scan - -o - --type u32

Without --inclusive, the first result, or that of each row or segment, is the identity of the \
operation: 0 for a sum, the largest number of the type for a minimum, the smallest for a maximum \
(for floats, NaN and -NaN). Results have the type of the input; sums of integers wrap around. The \
order in which floats are added depends on the device, the profile, --memory-limit and the number \
of elements, and is the same in every run. Floats are compared in the total order of IEEE 754. Empty cells of a table are \
left out. Input that does not fit in device memory, or in --memory-limit, is scanned in parts.";

/// Estimated host memory, as a multiple of the input size: input, results, and one part of each.
const COPIES: usize = 4;

pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let mut outputs = devices.outputs();
    let id = outputs.begin_as(&options.output, options.output_format)?;
    let opening = devices.begin_opening();
    let shape = if options.rows.is_some() { Shape::Rows } else { Shape::Line };
    let input = options.input.open_one(shape, devices.bars())?;
    let (element, format) = (input.numbers.element, input.format);
    let operator = match options.op {
        Op::Sum if element.is_time() => {
            bail!("--op sum does not support type {element}; use --op min or --op max")
        }
        Op::Sum => Operator::Sum,
        Op::Min => Operator::Min,
        Op::Max => Operator::Max,
    };
    let n = input.numbers.len();
    let segments = options.segments(n, devices)?;
    let array = input.numbers.read("the scan", COPIES)?;
    let job = Job::new(devices, opening)?;
    let scanned = with_type!(wide element, T => {
        scan::<T>(&job, (operator, options.inclusive), &segments, &array)
    })?;
    outputs.write_array(id, &scanned, format)?;
    outputs.finish()?;
    let (count, segments) = (size::grouped(n as u64), segments.summary(n));
    report::done(job.summary(format_args!("scanned {count} {element}{segments}"), "scanning"));
    Ok(())
}

impl Options {
    /// The rows or segments of an input of `n` elements.
    fn segments(&self, n: usize, devices: &Devices) -> Result<Segments> {
        if let Some(length) = self.rows {
            check_rows(&self.input, n, length)?;
            return Ok(Segments::Rows(length));
        }
        let Some(path) = &self.segments else { return Ok(Segments::Whole) };
        let stdin = Path::new("-");
        if self.input.input == stdin && path == stdin {
            bail!("standard input can be the input or --segments, but not both");
        }
        Segments::read(path, (&self.input.place(), n), devices.bars())
    }
}

fn scan<T: Term>(
    job: &Job<'_>,
    (operator, inclusive): (Operator, bool),
    segments: &Segments,
    array: &Array,
) -> Result<Array> {
    let wide = widened(array);
    let input = T::from_data(&wide)?;
    let how = if inclusive { Scan::inclusive(operator) } else { Scan::exclusive(operator) };
    let how = segments.of(how);
    let output = phase::timed("scanning", || {
        let _span = tracing::info_span!("scan", n = input.len() as u64).entered();
        job.context.scan_with(input, &how)
    })?;
    let ranges = segments.ranges(input.len());
    job.verify_by(|| verify_scan(operator, inclusive, ranges, input, &output))?;
    let mut scanned = narrowed(array.element(), Data::of(output))?;
    if !inclusive {
        set_first(&mut scanned, operator, segments);
    }
    Ok(scanned)
}

/// Sets the first result of each segment of an exclusive scan to the identity of the element type. The device scanned a
/// wider type, and narrowing the identity of that type does not always give the identity of the element type.
fn set_first(scanned: &mut Array, operator: Operator, segments: &Segments) {
    let bits = match (operator, scanned.element()) {
        (Operator::Min, Element::I8) => 0x7F,
        (Operator::Max, Element::I8) => 0x80,
        (Operator::Min, Element::I16 | Element::F16) => 0x7FFF,
        (Operator::Max, Element::I16) => 0x8000,
        (Operator::Max, Element::F16) => 0xFFFF,
        _ => return,
    };
    let ranges = segments.ranges(scanned.len()).filter(|range| !range.is_empty());
    match scanned.data_mut() {
        Data::Bytes1(bytes) => ranges.for_each(|range| bytes[range.start] = bits as u8),
        Data::Bytes2(words) => ranges.for_each(|range| words[range.start] = bits),
        _ => {}
    }
}
