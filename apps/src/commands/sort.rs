//! `multisplit sort`: an array from a file, sorted.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::error::ErrorKind;
use clap::{Args, ValueEnum, value_parser};
use multisplit::primitives::sort::{Sort, SortMethod};

use crate::device::Devices;
use crate::files::{Array, Data, Element, OutputId, Outputs, Place, read};
use crate::sort::{self, Sorted};
use crate::values::ValueOptions;
use crate::word::{Word, key_type};
use crate::{figures, report, size};

/// Arguments of `multisplit sort`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The keys
    input: PathBuf,
    /// Where the sorted keys go
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// What the keys are, where the file does not say it
    #[arg(long = "type", value_name = "TYPE", value_parser = Element::key_parser())]
    element: Option<Element>,
    /// From the greatest to the least
    #[arg(long)]
    descending: bool,
    #[command(flatten)]
    values: ValueOptions,
    /// Where the indices go that each sorted key came from (u32)
    #[arg(long, value_name = "FILE")]
    argsort: Option<PathBuf>,
    /// How it goes about it
    #[arg(long, value_enum, default_value_t)]
    method: Method,
    /// Bits of a digit, 4 to 8, of the multisplit method
    #[arg(long, value_name = "BITS", value_parser = value_parser!(u32).range(4..=8))]
    radix_bits: Option<u32>,
}

/// How a sort is to be carried out, on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Method {
    /// What suits the device
    #[default]
    Auto,
    /// Rounds of a single pass with decoupled look-back
    Onesweep,
    /// Rounds of multisplits (the paper's)
    Multisplit,
}

const EXAMPLES: &str = "\
Examples:
  multisplit sort keys.npy -o sorted.npy
  multisplit sort keys.bin -o sorted.bin --type u32 --descending
  multisplit sort keys.npy -o sorted.npy --values rows.npy --values-out rows-sorted.npy
  multisplit sort keys.npy -o sorted.npy --argsort order.npy --verify
  zcat numbers.txt.gz | multisplit sort /dev/stdin -o sorted.npy --type f64
  multisplit sort huge.bin.zst -o sorted.bin.zst --type u64 --memory-limit 64MiB

Sorts are stable. Floats are in the order of IEEE 754's totalOrder: -NaN, -inf, ..., -0, +0, ...,
+inf, NaN. What does not fit the device's memory, or --memory-limit, is split by sampled splitters
and sorted bucket by bucket, to the same bytes.";

/// Reads, sorts, writes.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let method = options.method();
    let mut outputs = devices.outputs();
    let ids = OutputIds::begin(options, &mut outputs)?;
    let keys = {
        let _span = tracing::info_span!("read").entered();
        read(&Place::new(&options.input), options.element, devices.bars())?
    };
    let values = options.values.read(keys.len(), devices.bars())?;
    let sort =
        Sort { key: key_type(keys.element())?, descending: options.descending, bits: None, method };
    let job = Job { devices, sort, element: keys.element(), values: values.as_ref(), ids };
    match keys.data() {
        Data::Bytes4(words) => job.run(words, Data::Bytes4, &mut outputs)?,
        Data::Bytes8(words) => job.run(words, Data::Bytes8, &mut outputs)?,
        _ => bail!("keys have 4 or 8 bytes"),
    }
    Ok(outputs.finish()?)
}

struct OutputIds {
    keys: OutputId,
    values: Option<OutputId>,
    order: Option<OutputId>,
}

impl OutputIds {
    fn begin(options: &Options, outputs: &mut Outputs) -> Result<Self> {
        let keys = outputs.begin(&Place::new(&options.output))?;
        let values = options.values.begin(outputs)?;
        let order = options.argsort.as_deref().map(|path| outputs.begin(&Place::new(path)));
        Ok(Self { keys, values, order: order.transpose()? })
    }
}

impl Options {
    /// Ends the program, with the status of wrong usage, where an option means nothing.
    fn method(&self) -> SortMethod {
        match (self.method, self.radix_bits) {
            (Method::Onesweep, Some(_)) => {
                let text = "--radix-bits is for --method multisplit\n";
                clap::Error::raw(ErrorKind::ArgumentConflict, text).exit()
            }
            (Method::Onesweep, None) => SortMethod::OneSweep,
            (Method::Auto, None) => SortMethod::Auto,
            (_, bits) => SortMethod::Multisplit { radix_bits: bits.unwrap_or(8) },
        }
    }
}

/// A sort whose keys have been read.
struct Job<'j> {
    devices: &'j Devices,
    sort: Sort,
    element: Element,
    values: Option<&'j Array>,
    ids: OutputIds,
}

impl Job<'_> {
    fn run<K: Word>(
        &self,
        keys: &[K],
        wrap: impl FnOnce(Vec<K>) -> Data,
        outputs: &mut Outputs,
    ) -> Result<()> {
        let context = self.devices.open()?;
        let values = self.values.map(Array::data);
        let room = self.devices.room(&context);
        let start = Instant::now();
        let sorted = {
            let _span = tracing::info_span!("sort", n = keys.len() as u64).entered();
            sort::sort(&room, &self.sort, keys, values, self.ids.order.is_some())?
        };
        let time = figures::time(start.elapsed().as_secs_f64() * 1e9);
        if self.devices.verify() {
            let _span = tracing::info_span!("verify").entered();
            sort::verify(&self.sort, keys, values, &sorted)?;
        }
        let (n, element) = (size::grouped(keys.len() as u64), self.element);
        let parts = if sorted.whole { "" } else { " part by part" };
        let checked = if self.devices.verify() { ", as the CPU does" } else { "" };
        let device = &context.properties().name;
        report::summary(format_args!("sorted {n} {element}{parts} in {time} on {device}{checked}"));
        let _span = tracing::info_span!("write").entered();
        self.write(sorted, wrap, outputs)
    }

    fn write<K>(
        &self,
        sorted: Sorted<K>,
        wrap: impl FnOnce(Vec<K>) -> Data,
        outputs: &mut Outputs,
    ) -> Result<()> {
        let array = |element, data| Array::new(element, data).context("elements of another size");
        if let (Some(id), Some(order)) = (self.ids.order, sorted.order) {
            outputs.array(id, &Array::words(order))?;
        }
        if let (Some(id), Some(values), Some(input)) = (self.ids.values, sorted.values, self.values)
        {
            outputs.array(id, &array(input.element(), values)?)?;
        }
        Ok(outputs.array(self.ids.keys, &array(self.element, wrap(sorted.keys))?)?)
    }
}
