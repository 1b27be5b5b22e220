//! `multisplit topk`: finds the k largest or smallest elements of an array, of each of its rows, or rows of a
//! table.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use multisplit::TopK;
use multisplit_bench::key_order::rank;
use multisplit_bench::size;
use rayon::prelude::*;

use crate::device::Devices;
use crate::formats::{Array, with_type};
use crate::inputs::{Input, InputOptions, Shape, TableInput};
use crate::job::Job;
use crate::keyed::{KeyedFiles, KeyedOptions, OutputOptions, ValueOptions, check_rows};
use crate::number::Number;
use crate::on_device::MovedPairs;
use crate::wide_keys::keys_of;
use crate::{phase, report};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    input: InputOptions,
    #[command(flatten)]
    output: OutputOptions,
    /// Number of elements to find; with --rows, in each row
    #[arg(short, value_name = "K", value_parser = size::parse)]
    k: u64,
    /// Find the smallest elements, from small to large [default: the largest, from large to small]
    #[arg(long)]
    smallest: bool,
    /// Write the input index of each result (u32); with --rows, the index within its row
    #[arg(long, value_name = "FILE")]
    indices: Option<PathBuf>,
    /// Treat the array as rows of LENGTH elements, and find k elements in each row
    #[arg(long, value_name = "LENGTH", value_parser = size::parse, conflicts_with = "column")]
    rows: Option<u64>,
}

const EXAMPLES: &str = "\
Examples:
  multisplit topk scores.npy -k 10 -o best.npy --indices where.npy
  multisplit topk sales.csv --column price -k 20 -o dearest.csv
  multisplit topk distances.npy -k 5 --smallest --rows 1000 -o near.npy --indices neighbours.npy
  multisplit topk samples.bin --type f32 -k 1000 -o - --output-format text

If elements are equal, those that come first in the input are taken, and come first in the output, \
so that the result is the same on every device. Floats are in the order in which they are sorted: \
NaN is the largest, -NaN the smallest. A table keeps its header; its rows are written whole, and \
rows with an empty cell come last. With --rows, k results are written for each row, row after row. \
k is at most the number of elements, or with --rows the length of a row. Input that does not fit in \
device memory, or in --memory-limit, is processed in parts.";

pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    options.check();
    let values = ValueOptions::default();
    let keyed = KeyedOptions {
        input: &options.input,
        output: &options.output,
        values: &values,
        words: options.indices.as_deref(),
        shape: if options.rows.is_some() { Shape::Rows } else { Shape::Line },
        keeps_length: false,
    };
    let (mut files, opening) = KeyedFiles::open(&keyed, devices)?;
    let name = options.input.place();
    let read = files.take()?;
    let job = TopKJob { job: Job::new(devices, opening)?, options };
    match (&files.input, read) {
        (Input::Table(input), _) => {
            let within = || format!("{name} has {} rows", input.table.len());
            options.check_k(input.table.len() as u64, within)?;
            let (order, summary) = job.table(input)?;
            let words = files.wants_words().then(|| order.clone());
            files.write_rows(&order, words)?;
            report::done(summary);
        }
        (Input::Numbers(..), read) => {
            let (keys, _) = read.context("internal error: the input was not loaded")?;
            let n = keys.len() as u64;
            if let Some(length) = options.rows {
                check_rows(&options.input, keys.len(), length)?;
            }
            let within = || match options.rows {
                Some(length) => format!("a row has {length} elements"),
                None => format!("{name} has {} elements", size::grouped(n)),
            };
            options.check_k(options.rows.unwrap_or(n), within)?;
            let (moved, indices) = job.found(&keys, options.k)?;
            let summary = job.summary(&format!("{} {}", size::grouped(n), keys.element()));
            files.write(moved, Some(indices))?;
            report::done(summary);
        }
    }
    Ok(())
}

impl Options {
    /// Exits with the usage-error status if options conflict.
    fn check(&self) {
        if self.output.output.is_none() && self.indices.is_none() {
            report::usage_error("give -o FILE, or --indices FILE");
        }
        if self.input.column.len() > 1 {
            report::usage_error("topk takes one --column; sort takes several");
        }
    }

    /// Returns an error if fewer than k elements are available. `within` formats the available count for the message.
    fn check_k(&self, available: u64, within: impl FnOnce() -> String) -> Result<()> {
        if self.k > available {
            bail!("-k {} is too large: {}", self.k, within());
        }
        Ok(())
    }

    fn top_k(&self, k: u64) -> TopK {
        let how = if self.smallest { TopK::smallest(k) } else { TopK::largest(k) };
        self.rows.map_or(how, |length| how.rows(length))
    }
}

/// Indices of the `k` elements of `row` with the lowest ranks, ordered by rank. Ties go to the lower index.
fn first_indices<K: Number>(row: &[K], k: usize, rank: impl Fn(K) -> u64 + Sync) -> Vec<u32> {
    const CHUNK: usize = 1 << 16;
    let mut candidates: Vec<(u64, u32)> = row
        .par_chunks(CHUNK.max(2 * k))
        .enumerate()
        .flat_map_iter(|(chunk, keys)| {
            let begin = chunk * CHUNK.max(2 * k);
            let ranked = (begin..).zip(keys).map(|(index, &key)| (rank(key), index as u32));
            let mut ranked: Vec<_> = ranked.collect();
            if k < ranked.len() {
                ranked.select_nth_unstable(k);
                ranked.truncate(k);
            }
            ranked
        })
        .collect();
    candidates.par_sort_unstable();
    candidates.iter().take(k).map(|&(_, index)| index).collect()
}

struct TopKJob<'j> {
    job: Job<'j>,
    options: &'j Options,
}

impl TopKJob<'_> {
    /// Returns the selected keys and their indices.
    fn found(&self, keys: &Array, k: u64) -> Result<(MovedPairs, Vec<u32>)> {
        with_type!(keys.element(), K => self.select::<K>(keys, k))
    }

    fn select<K: Number>(&self, keys: &Array, k: u64) -> Result<(MovedPairs, Vec<u32>)> {
        let wide = keys_of(keys);
        let keys = K::from_data(&wide)?;
        let found = phase::timed("selecting", || {
            let _span = tracing::info_span!("topk", n = keys.len() as u64).entered();
            self.job.context.topk(keys, &self.options.top_k(k))
        })?;
        self.job.verify_by(|| self.verify(keys, k as usize, &found.keys, &found.indices))?;
        Ok((MovedPairs::host(found.keys, None), found.indices))
    }

    /// Compares every element with the CPU's result.
    fn verify<K: Number>(&self, keys: &[K], k: usize, found: &[K], indices: &[u32]) -> Result<()> {
        let length = self.options.rows.map_or(keys.len(), |length| length as usize).max(1);
        let flip = if self.options.smallest { 0 } else { u64::MAX };
        let expected: Vec<u32> = keys
            .par_chunks(length)
            .flat_map_iter(|row| first_indices(row, k, |key| rank(key) ^ flip))
            .collect();
        let (n, elements, places) = (expected.len(), found.len(), indices.len());
        if (elements, places) != (n, n) {
            bail!(
                "the top-k is wrong: it has {elements} elements and {places} indices, but must have {n} of each"
            );
        }
        for (place, &index) in expected.iter().enumerate() {
            let key = keys[place / k * length + index as usize];
            // Compare bits, because NaN is not equal to itself.
            if indices[place] != index || found[place].key_bits() != key.key_bits() {
                bail!("the top-k is wrong: element {place} differs from the CPU's result");
            }
        }
        Ok(())
    }

    /// Selects rows of a table by one column; rows without a key come last.
    fn table(&self, input: &TableInput) -> Result<(Vec<u32>, String)> {
        let column = input.columns.first().context("internal error: there is no column")?;
        let k = self.options.k.min(column.keys.len() as u64);
        let (_, indices) = self.found(&column.keys, k)?;
        let row = |&index: &u32| match &column.present {
            None => index,
            Some(present) => present[index as usize],
        };
        let order = indices.iter().map(row).chain(column.missing.iter().copied());
        let order = order.take(self.options.k as usize).collect();
        let what = format!("{} rows by {}", size::grouped(input.table.len() as u64), column.name);
        Ok((order, self.summary(&what)))
    }

    fn summary(&self, what: &str) -> String {
        let k = self.options.k;
        let side = if self.options.smallest { "smallest" } else { "largest" };
        let each = if self.options.rows.is_some() { " of each row" } else { "" };
        self.job.summary(format_args!("found the {k} {side}{each} of {what}"), "selecting")
    }
}
