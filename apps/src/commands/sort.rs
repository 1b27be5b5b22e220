//! `multisplit sort`: sorts an array from a file, or the rows of a table.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum, value_parser};
use multisplit::operations::sort::SortMethod;
use multisplit_bench::{console, size};

use crate::device::Devices;
use crate::formats::{Array, Data, Element, with_type};
use crate::inputs::{Input, InputOptions, Shape, TableInput};
use crate::job::Job;
use crate::keyed::{KeyedFiles, KeyedOptions, OutputOptions, ValueOptions, check_rows};
use crate::number::Number;
use crate::on_device::MovedPairs;
use crate::sort::{self, SortRequest, Target};
use crate::wide_keys::keys_of;
use crate::{phase, report};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    input: InputOptions,
    #[command(flatten)]
    output: OutputOptions,
    /// Sort from the largest to the smallest
    #[arg(long)]
    descending: bool,
    #[command(flatten)]
    values: ValueOptions,
    /// Write the input index of each sorted key (u32); with --rows, the index within its row
    #[arg(long, value_name = "FILE")]
    argsort: Option<PathBuf>,
    /// Treat the array as rows of LENGTH elements, and sort each row
    #[arg(long, value_name = "LENGTH", value_parser = size::parse,
          conflicts_with_all = ["column", "method", "radix_bits"])]
    rows: Option<u64>,
    /// Algorithm
    #[arg(long, value_enum, default_value_t)]
    method: Method,
    /// Bits per digit for the multisplit method, 4 to 8
    #[arg(long, value_name = "BITS", value_parser = value_parser!(u32).range(4..=8))]
    radix_bits: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Best algorithm for the device
    #[default]
    Auto,
    /// One pass per digit, with decoupled look-back
    Onesweep,
    /// One multisplit per digit, as in the GPU Multisplit paper
    Multisplit,
}

const EXAMPLES: &str = "\
Examples:
  multisplit sort keys.npy -o sorted.npy
  multisplit sort sales.csv --column price -o sorted.csv
  multisplit sort sales.csv --column region --column price -o sorted.csv
  multisplit sort keys.bin -o sorted.bin --type u32 --descending
  multisplit sort keys.npy -o sorted.npy --values rows.npy --values-out rows-sorted.npy
  multisplit sort keys.npy --argsort order.npy --verify
  multisplit sort distances.npy --rows 1000 -o each.npy --argsort neighbours.npy
  zcat numbers.txt.gz | multisplit sort - -o sorted.npy --type f64
  multisplit sort huge.bin.zst -o sorted.bin.zst --type u64 --memory-limit 64MiB

Sorts are stable. Floats are in the total order of IEEE 754: -NaN, -inf, ..., -0, +0, ..., +inf, \
NaN. Dates that are \"not a time\" count as the largest.

A table keeps its header; its rows are moved whole, and rows with an empty cell come last. Columns \
are read as 64-bit integers or floats, unless --type gives another type. With several --column, \
--descending applies to all of them.

Input that does not fit in device memory, or in --memory-limit, is sorted in parts; the result is \
the same. --argsort and --column support at most 2^32 - 1 \
elements.";

pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    options.check();
    let request = SortRequest {
        descending: options.descending,
        method: options.method(),
        rows: options.rows,
    };
    let keyed = KeyedOptions {
        input: &options.input,
        output: &options.output,
        values: &options.values,
        words: options.argsort.as_deref(),
        shape: if options.rows.is_some() { Shape::Rows } else { Shape::Line },
        keeps_length: true,
    };
    let (mut files, opening) = KeyedFiles::open(&keyed, devices)?;
    if let (Some(length), Input::Numbers(keys, _)) = (options.rows, &files.input) {
        check_rows(&options.input, keys.len(), length)?;
    }
    let read = match &files.input {
        Input::Numbers(..) if files.wants_words() || devices.common.verify => files.take()?,
        _ => None,
    };
    let job = SortJob { job: Job::new(devices, opening)?, request };
    match (&files.input, read) {
        (Input::Numbers(..), Some(arrays)) => job.sort_on_host(files, arrays),
        (Input::Numbers(..), None) => job.sort_files(files),
        (Input::Table(input), _) => {
            let (order, summary) = job.rows(input)?;
            let missing: usize = input.columns.iter().map(|column| column.missing.len()).sum();
            let words = files.wants_words().then(|| order.clone());
            files.write_rows(&order, words)?;
            report::done(summary);
            if missing > 0 {
                let cells = if missing == 1 { "cell" } else { "cells" };
                console::note(format_args!("{missing} empty {cells}; these rows come last"));
            }
            Ok(())
        }
    }
}

impl Options {
    /// Exits with the usage-error status if no output is given.
    fn check(&self) {
        if self.output.output.is_none()
            && self.argsort.is_none()
            && self.values.values_out.is_none()
        {
            report::usage_error("give -o FILE, --values-out FILE or --argsort FILE");
        }
    }

    /// Returns the sort method. Exits with the usage-error status if `--radix-bits` does not apply.
    fn method(&self) -> SortMethod {
        match (self.method, self.radix_bits) {
            (Method::Onesweep, Some(_)) => {
                report::usage_error("--radix-bits applies to --method multisplit, not to onesweep")
            }
            (Method::Onesweep, None) => SortMethod::OneSweep,
            (Method::Auto, None) => SortMethod::Auto,
            (_, bits) => SortMethod::Multisplit { radix_bits: bits.unwrap_or(8) },
        }
    }
}

struct SortJob<'j> {
    job: Job<'j>,
    request: SortRequest,
}

impl SortJob<'_> {
    /// Sorts without loading the input into host memory if it fits in device memory. Otherwise sorts
    /// bucket by bucket if the outputs can be written in any order.
    fn sort_files(&self, mut files: KeyedFiles) -> Result<()> {
        let (resources, request) = (self.job.resources(), self.request);
        if let Input::Numbers(keys, _) = &files.input
            && !keys.element.is_time()
        {
            let (n, element, values) = (keys.len(), keys.element, files.value_elements());
            let direct = with_type!(element, K => {
                sort::sort_direct::<K>(&resources, request, &keys.elements, values)
            })?;
            if let Some(sorted) = direct {
                let summary = self.summary(n, element, true);
                files.write(sorted, None)?;
                report::done(summary);
                return Ok(());
            }
            if request.rows.is_none()
                && let Some(target) = files.range_target()?
            {
                let (keys, values) = (files.key_elements()?, files.value_elements());
                let target = Target {
                    keys: &|first, bytes| target.keys(first, bytes),
                    values: &|first, bytes| target.values(first, bytes),
                };
                with_type!(element, K => {
                    sort::sort_streamed::<K>(&resources, request, keys, values, target)
                })?;
                let summary = self.summary(n, element, false);
                files.finish()?;
                report::done(summary);
                return Ok(());
            }
        }
        let read = files.take()?.context("internal error: the input is a table, not an array")?;
        self.sort_on_host(files, read)
    }

    /// Sorts keys and values that are in host memory, and writes them.
    fn sort_on_host(&self, files: KeyedFiles, (keys, values): (Array, Option<Data>)) -> Result<()> {
        let (element, wants_order) = (keys.element(), files.wants_words());
        let (moved, order, whole) = with_type!(element, K => {
            let sorted = self.sorted::<K>(&keys_of(&keys), values.as_ref(), wants_order)?;
            (MovedPairs::host(sorted.keys, sorted.values), sorted.order, sorted.whole)
        });
        let summary = self.summary(keys.len(), element, whole);
        files.write(moved, order)?;
        report::done(summary);
        Ok(())
    }

    fn sorted<K: Number>(
        &self,
        keys: &Data,
        values: Option<&Data>,
        wants_order: bool,
    ) -> Result<sort::Sorted<K>> {
        let keys = K::from_data(keys)?;
        let sorted = {
            let _span = tracing::info_span!("sort", n = keys.len() as u64).entered();
            phase::timed("sorting", || {
                sort::sort(&self.job.resources(), self.request, keys, values, wants_order)
            })?
        };
        self.job.verify_by(|| sort::verify(self.request, keys, values, &sorted))?;
        Ok(sorted)
    }

    /// Returns the sorted order of the rows of a table, and a summary. Sorts stably by the last column first,
    /// so that rows equal in one column are ordered by the columns after it.
    fn rows(&self, input: &TableInput) -> Result<(Vec<u32>, String)> {
        let TableInput { table, columns } = input;
        let mut order: Vec<u32> = (0..table.len() as u32).collect();
        for column in columns.iter().rev() {
            let keys = column.in_order(&order)?;
            let found = with_type!(keys.element(), K => {
                self.sorted::<K>(&keys_of(&keys), None, true)?.order
            });
            let found = found.context("internal error: the sort returned no order")?;
            let has_key = |row: &u32| column.missing.binary_search(row).is_err();
            let (present, missing): (Vec<u32>, Vec<u32>) =
                order.iter().partition(|row| has_key(row));
            order = found.iter().map(|&index| present[index as usize]).chain(missing).collect();
        }
        let n = size::grouped(table.len() as u64);
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let what = format!("sorted {n} rows by {}", names.join(", "));
        Ok((order, self.job.summary(what, "sorting")))
    }

    fn summary(&self, n: usize, element: Element, whole: bool) -> String {
        let parts = if whole || n == 0 { "" } else { " in parts" };
        let rows = self.request.rows.map(|length| n as u64 / length).map(size::grouped);
        let rows = rows.map_or(String::new(), |rows| format!(" in {rows} rows"));
        let n = size::grouped(n as u64);
        self.job.summary(format_args!("sorted {n} {element}{rows}{parts}"), "sorting")
    }
}
