//! `multisplit reduce`: computes the sum, minimum or maximum of a file, or the index of an extremum.

use std::io::{self, Write as _};

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use multisplit::Operator;
use multisplit_bench::size;
use serde::Serialize;

use crate::common::option_name;
use crate::device::Devices;
use crate::formats::{Array, Data, Element, text, with_type};
use crate::inputs::{InputOptions, Shape};
use crate::job::Job;
use crate::terms::{Term, find, verify_index, verify_reduction};
use crate::wide_keys::{narrowed, widened};
use crate::{phase, report};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    input: InputOptions,
    /// Operation
    #[arg(long, value_enum)]
    op: Op,
    /// Print one JSON object: op, value, index, n and type
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Op {
    /// Sum
    Sum,
    /// Minimum
    Min,
    /// Maximum
    Max,
    /// Index of the minimum, from 0, and the minimum
    Argmin,
    /// Index of the maximum, from 0, and the maximum
    Argmax,
}

const EXAMPLES: &str = "\
Examples:
  multisplit reduce samples.npy --op sum
  multisplit reduce samples.npy --op argmax
  multisplit reduce sales.csv --column price --op max --json | jq .value

The value is printed; argmin and argmax print the index, a space and the value. If several numbers \
are equal, the index is that of the first. Sums of integers have 64 bits and wrap around. Sums of \
floats have the type of the input, but those of f16 and bf16 are f32. The order of the additions \
depends on the device, the profile, --memory-limit and the number of elements, and is the same in \
every run. Floats are compared in the total order of IEEE 754: NaN is the \
largest. In a table the index is the row, not counting the header; empty cells are left out.";

impl Op {
    fn operator(self) -> Operator {
        match self {
            Self::Sum => Operator::Sum,
            Self::Min | Self::Argmin => Operator::Min,
            Self::Max | Self::Argmax => Operator::Max,
        }
    }

    fn is_index(self) -> bool {
        matches!(self, Self::Argmin | Self::Argmax)
    }
}

/// Output of `--json`.
#[derive(Serialize)]
struct Object {
    op: String,
    value: serde_json::Value,
    index: Option<usize>,
    n: usize,
    r#type: String,
}

/// Estimated host memory, as a multiple of the input size: the input, and for sums of 32-bit
/// integers a 64-bit copy.
const COPIES: usize = 3;

pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let opening = devices.begin_opening();
    // argmin and argmax return indices, so the elements must be in row order.
    let shape = if options.op.is_index() { Shape::Rows } else { Shape::Any };
    let input = options.input.open_one(shape, devices.bars())?;
    let (element, n, op) = (input.numbers.element, input.numbers.len(), options.op);
    if element.is_time() && op == Op::Sum {
        bail!("--op sum does not support type {element}; use min, max, argmin or argmax");
    }
    if n == 0 && op != Op::Sum {
        let (place, op) = (options.input.place(), option_name(&op));
        bail!("{place} has no numbers; --op {op} needs at least one");
    }
    let rows = input.rows;
    let array = input.numbers.read("the reduction", COPIES)?;
    let job = Job::new(devices, opening)?;
    let array = if op == Op::Sum { for_sums(array)? } else { array };
    let (index, value) = with_type!(wide array.element(), T => reduce::<T>(&job, op, &array))?;
    let index = index.map(|index| rows.map_or(index, |rows| rows[index] as usize));
    print(options, &formatted(&value)?, index, (n, element))?;
    let n = size::grouped(n as u64);
    report::done(job.summary(format_args!("reduced {n} {element}"), "reducing"));
    Ok(())
}

/// Returns the index, if requested, and the value as an array with one element.
fn reduce<T: Term>(job: &Job<'_>, op: Op, array: &Array) -> Result<(Option<usize>, Array)> {
    let wide = widened(array);
    let (input, operator) = (T::from_data(&wide)?, op.operator());
    let _span = tracing::info_span!("reduce", n = input.len() as u64).entered();
    let (index, value) = if op.is_index() {
        let found = phase::timed("reducing", || find(&job.resources(), operator, input))?;
        job.verify_by(|| verify_index(operator, input, found))?;
        found.unzip()
    } else {
        // Only a sum can have an empty input here.
        let reduce = || match input {
            [] => Ok(None),
            _ => job.context.reduce(input, operator).map(Some),
        };
        let found = phase::timed("reducing", reduce)?;
        job.verify_by(|| verify_reduction(operator, input, found))?;
        (None, found)
    };
    // The sum of an empty input is zero.
    let value = Data::of(vec![value.unwrap_or(T::zeroed())]);
    Ok((index, narrowed(array.element(), value)?))
}

/// Converts an array to the type of its sum: integers to 64 bits, 16-bit floats to 32 bits.
fn for_sums(array: Array) -> Result<Array> {
    if matches!(array.element(), Element::U64 | Element::I64 | Element::F32 | Element::F64) {
        return Ok(array);
    }
    let signed = |word: u32| i64::from(word.cast_signed()).cast_unsigned();
    let (element, data) = match (array.element(), &*widened(&array)) {
        (Element::U8 | Element::U16 | Element::U32, Data::Bytes4(words)) => {
            (Element::U64, Data::Bytes8(words.iter().map(|&word| word.into()).collect()))
        }
        (Element::I8 | Element::I16 | Element::I32, Data::Bytes4(words)) => {
            (Element::I64, Data::Bytes8(words.iter().map(|&word| signed(word)).collect()))
        }
        (_, data) => (Element::F32, data.clone()),
    };
    Array::new(element, data)
        .context("internal error: the element size does not match the element type")
}

/// Formats the single element as in a text file.
fn formatted(value: &Array) -> Result<String> {
    let mut line = Vec::new();
    text::write(&mut line, value)?;
    Ok(String::from_utf8_lossy(&line).trim().to_owned())
}

fn print(
    options: &Options,
    value: &str,
    index: Option<usize>,
    (n, element): (usize, Element),
) -> Result<()> {
    let mut out = io::stdout().lock();
    if options.json {
        // JSON has no infinities or NaNs, so they become strings.
        let number = serde_json::from_str(value).unwrap_or_else(|_| value.into());
        let (op, r#type) = (option_name(&options.op), element.to_string());
        let object = Object { op, value: number, index, n, r#type };
        writeln!(out, "{}", serde_json::to_string(&object)?)?;
    } else if let Some(index) = index {
        writeln!(out, "{index} {value}")?;
    } else {
        writeln!(out, "{value}")?;
    }
    Ok(())
}
