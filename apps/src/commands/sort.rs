//! `multisplit sort`: an array from a file, sorted.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::error::ErrorKind;
use clap::{Args, ValueEnum, value_parser};
use multisplit::primitives::sort::SortMethod;

use crate::device::Devices;
use crate::file_key::{FileKey, with_key_type};
use crate::files::{Data, Element};
use crate::keyed::{KeyedFiles, KeyedPaths};
use crate::sort::{self, SortRequest};
use crate::values::ValueOptions;
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
    /// From the largest to the smallest
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
    let request = SortRequest { descending: options.descending, method: options.method() };
    let paths = KeyedPaths {
        input: &options.input,
        output: &options.output,
        element: options.element,
        values: &options.values,
        words: options.argsort.as_deref(),
    };
    let files = KeyedFiles::open(&paths, devices)?;
    let sort = FileSort { devices, request, files: &files };
    let (keys, values, order) = with_key_type!(files.keys.element(), sort.run())?;
    files.write(keys, values, order)
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
struct FileSort<'f> {
    devices: &'f Devices,
    request: SortRequest,
    files: &'f KeyedFiles,
}

impl FileSort<'_> {
    /// Keys, values and order.
    fn run<K: FileKey>(&self) -> Result<(Data, Option<Data>, Option<Vec<u32>>)> {
        let keys = K::from_data(self.files.keys.data()).context("keys of another size")?;
        let context = self.devices.open()?;
        let values = self.files.value_data();
        let room = self.devices.room(&context);
        let start = Instant::now();
        let sorted = {
            let _span = tracing::info_span!("sort", n = keys.len() as u64).entered();
            sort::sort(&room, self.request, keys, values, self.files.wants_words())?
        };
        let time = figures::time(start.elapsed().as_secs_f64() * 1e9);
        if self.devices.verify() {
            let _span = tracing::info_span!("verify").entered();
            sort::verify(self.request, keys, values, &sorted)?;
        }
        let (n, element) = (size::grouped(keys.len() as u64), self.files.keys.element());
        let parts = if sorted.whole { "" } else { " part by part" };
        let checked = if self.devices.verify() { ", verified against the CPU" } else { "" };
        let device = &context.properties().name;
        report::summary(format_args!("sorted {n} {element}{parts} in {time} on {device}{checked}"));
        Ok((K::into_data(sorted.keys), sorted.values, sorted.order))
    }
}
