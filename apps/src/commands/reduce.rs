//! `multisplit reduce`: computes the sum, minimum or maximum of a file, or the index of an extremum.

use std::io::{self, Write as _};

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use multisplit::{Context, Operator};
use multisplit_bench::{host_memory, size};
use serde::Serialize;

use crate::device::Devices;
use crate::file_key::with_wide_key_type;
use crate::formats::{Array, Data, Element, half, text};
use crate::inputs::{InputOptions, Shape};
use crate::terms::{Term, find, verify_index, verify_reduction};
use crate::wide_keys::{narrowed, wide_element, widened};
use crate::{phase, report};

/// Arguments of `multisplit reduce`.
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

/// Command-line name of a reduction.
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
floats have the type of the input; the order of the additions depends on the device and on the \
count, and is the same in every run. Floats are compared in the total order of IEEE 754: NaN is the \
largest. In a table the index is the row, not counting the header; empty cells are left out.";

impl Op {
    fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::Argmin => "argmin",
            Self::Argmax => "argmax",
        }
    }

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
struct Object<'o> {
    op: &'static str,
    value: serde_json::Value,
    index: Option<usize>,
    n: usize,
    r#type: &'o str,
}

/// Context of one reduction.
struct ReduceJob<'j> {
    devices: &'j Devices,
    context: &'j Context,
    op: Op,
}

/// Copies of the data in host memory: the input and a widened copy.
const COPIES: u64 = 3;

/// Reads the input, reduces it, and prints the result.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let opening = devices.begin_opening();
    // Indices refer to the storage order of the elements.
    let shape = if options.op.is_index() { Shape::Rows } else { Shape::Any };
    let input = options.input.open_one(shape, devices.bars())?;
    let (element, n, op) = (input.numbers.element, input.numbers.len(), options.op);
    if matches!(element, Element::Time(_)) && op == Op::Sum {
        bail!("cannot add numbers of type {element}; use another --op");
    }
    if n == 0 && op != Op::Sum {
        bail!("{} has no numbers, so it has no {}", options.input.place(), op.name());
    }
    host_memory::check("the reduction", COPIES * (n * element.bytes()) as u64)?;
    let rows = input.rows;
    let array = phase::timed("reading", || input.numbers.load())?;
    let context = opening.finish()?;
    let job = ReduceJob { devices, context: &context, op };
    let array = if op == Op::Sum { for_sums(array)? } else { array };
    let (index, value) = with_wide_key_type!(wide_element(array.element()), job.reduce(&array))?;
    let index = index.map(|index| rows.map_or(index, |rows| rows[index] as usize));
    let value = narrowed(array.element(), value);
    let value =
        formatted(&Array::new(array.element(), value).context("elements of another size")?)?;
    print(options, &value, index, (n, element))?;
    let n = size::grouped(n as u64);
    let time = phase::of_kernels("reducing");
    let checked = devices.verified();
    let device = &context.properties().name;
    report::done(format_args!("reduced {n} {element} in {time} on {device}{checked}"));
    Ok(())
}

impl ReduceJob<'_> {
    /// Returns the index, if requested, and the value as an array with one element.
    fn reduce<T: Term>(&self, array: &Array) -> Result<(Option<usize>, Data)> {
        let wide = widened(array);
        let input = T::from_data(&wide).context("elements of another size")?;
        let (resources, operator) = (self.devices.resources(self.context), self.op.operator());
        let _span = tracing::info_span!("reduce", n = input.len() as u64).entered();
        let (index, value) = if self.op.is_index() {
            let found = phase::timed("reducing", || find(&resources, operator, input))?;
            self.devices.verify_by(|| verify_index(operator, input, found))?;
            found.unzip()
        } else {
            // An empty input has no minimum or maximum.
            let reduce = || match input {
                [] => Ok(None),
                _ => self.context.reduce(input, operator).map(Some),
            };
            let found = phase::timed("reducing", reduce)?;
            self.devices.verify_by(|| verify_reduction(operator, input, found))?;
            (None, found)
        };
        // The sum of an empty input is zero.
        Ok((index, T::into_data(vec![value.unwrap_or(T::zeroed())])))
    }
}

/// Widens integers to 64 bits and 16-bit floats to 32 bits, which are the types of the sums.
fn for_sums(array: Array) -> Result<Array> {
    fn wide<T: Copy>(words: &[T], wide: impl Fn(T) -> u64) -> Data {
        Data::Bytes8(words.iter().map(|&word| wide(word)).collect())
    }
    let signed = |x: i64| x.cast_unsigned();
    let (element, data) = match (array.element(), array.data()) {
        (Element::U8, Data::Bytes1(x)) => (Element::U64, wide(x, u64::from)),
        (Element::U16, Data::Bytes2(x)) => (Element::U64, wide(x, u64::from)),
        (Element::U32, Data::Bytes4(x)) => (Element::U64, wide(x, u64::from)),
        (Element::I8, Data::Bytes1(x)) => {
            (Element::I64, wide(x, |x| signed(x.cast_signed().into())))
        }
        (Element::I16, Data::Bytes2(x)) => {
            (Element::I64, wide(x, |x| signed(x.cast_signed().into())))
        }
        (Element::I32, Data::Bytes4(x)) => {
            (Element::I64, wide(x, |x| signed(x.cast_signed().into())))
        }
        (Element::F16, Data::Bytes2(x)) => {
            let floats = x.iter().map(|&x| half::to_f32(x).to_bits()).collect();
            (Element::F32, Data::Bytes4(floats))
        }
        (Element::Bf16, Data::Bytes2(x)) => {
            (Element::F32, Data::Bytes4(x.iter().map(|&x| u32::from(x) << 16).collect()))
        }
        _ => return Ok(array),
    };
    Array::new(element, data).context("elements of another size")
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
        let (op, r#type) = (options.op.name(), element.name());
        let object = Object { op, value: number, index, n, r#type };
        writeln!(out, "{}", serde_json::to_string(&object)?)?;
    } else if let Some(index) = index {
        writeln!(out, "{index} {value}")?;
    } else {
        writeln!(out, "{value}")?;
    }
    Ok(())
}
