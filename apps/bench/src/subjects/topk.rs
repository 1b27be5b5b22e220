//! `multisplit bench topk`: the k largest floats of one array, or of each row of a matrix.

use anyhow::{Context as _, Result, ensure};
use clap::{Args, value_parser};
use multisplit::operations::topk::TopKMethod;
use multisplit::operations::{TopKBuffers, topk};
use multisplit::{Array, TopK};

use crate::choice::{Choice, Named, choice, name, or_default};
use crate::key_order::rank;
use crate::measure::{Bench, Case};
use crate::plans::BoundGraph;
use crate::{console, data, size};

/// Arguments for the subject `topk`.
#[derive(Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Options of topk")]
pub struct TopKOptions {
    /// Numbers of largest elements to find, separated by commas [default: 32,1024]
    #[arg(long, value_name = "LIST", value_parser = size::parse, value_delimiter = ',')]
    k: Vec<u64>,
    /// Divide the n elements into this many rows, and find k elements in each row [default: 1]
    #[arg(long, value_name = "ROWS", value_parser = value_parser!(u64).range(1..))]
    topk_rows: Option<u64>,
    /// Methods, separated by commas [default: auto]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    topk_by: Vec<Choice<TopKMethod>>,
}

impl Named for TopKMethod {
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Auto, "auto").help("Best method for the device"),
        choice(Self::Rows, "rows").help("One workgroup per row, or per part of a long row"),
        choice(Self::Filter, "filter")
            .help("One pass that keeps the elements above an estimated bound"),
        choice(Self::Select, "select").help("Radix selection, digit by digit"),
    ];
}

const DEFAULT_K: [u64; 2] = [32, 1024];

impl TopKOptions {
    /// Measures each k of `n` elements, by each method.
    pub fn measure(&self, bench: &Bench<'_>, n: u64) -> Result<()> {
        let (rows, shown) = (self.topk_rows.unwrap_or(1), size::show(n));
        if n == 0 || !n.is_multiple_of(rows) {
            console::note(format_args!(
                "n = {shown} skipped: it is not a multiple of --topk-rows {rows}"
            ));
            return Ok(());
        }
        let keys = bench.context.zeroed::<f32>(n)?;
        let host_keys = data::random_keys::<f32>(n, data::SEED)?;
        bench.context.write(&keys, 0, &host_keys)?;
        for &k in or_default(&self.k, &DEFAULT_K) {
            if k > n / rows {
                console::note(format_args!(
                    "k = {k}, n = {shown} skipped: a row has fewer than k elements"
                ));
                continue;
            }
            for method in or_default(&self.topk_by, &TopKMethod::CHOICES[..1]) {
                let how = TopK::largest(k).rows(n / rows).method(method.value);
                measure(bench, &how, rows, &keys, &host_keys)
                    .with_context(|| format!("topk, k = {k}, n = {shown}"))?;
            }
        }
        Ok(())
    }
}

fn measure(
    bench: &Bench<'_>,
    how: &TopK,
    rows: u64,
    keys: &Array<f32>,
    host_keys: &[f32],
) -> Result<()> {
    let (context, target) = (bench.context, &bench.target);
    let (n, found) = (keys.len(), rows * how.k());
    let (out, indices) = (context.zeroed::<f32>(found)?, context.zeroed::<u32>(found)?);
    let mut run = BoundGraph::new("topk");
    let (input, keys_out) = (run.import("keys", keys), run.import("keys_out", &out));
    let buffers = TopKBuffers::new(input, keys_out, run.import("indices_out", &indices));
    let added = topk(&mut run.graph, &target.policy, how, &buffers)?;
    let op = if rows == 1 { "topk_f32" } else { "topk_rows_f32" };
    let case = Case { m: how.k(), ..Case::new(op, name(added.method), n, run.bound) };
    bench.measure(&case, &target.plan(run.graph)?, || {
        check(host_keys, rows, how.k() as usize, &context.download(&indices)?)
    })
}

/// Compares every index with the CPU's.
fn check(keys: &[f32], rows: u64, k: usize, indices: &[u32]) -> Result<()> {
    let length = keys.len() / rows as usize;
    for (row, found) in keys.chunks(length).zip(indices.chunks(k)) {
        // The ascending order of these numbers is that of the keys from large to small; equal keys are in index order.
        let number = |(index, &key): (usize, &f32)| !rank(key) << 32 | index as u64;
        let mut numbers: Vec<u64> = row.iter().enumerate().map(number).collect();
        let (largest, last, _) = numbers.select_nth_unstable(k - 1);
        largest.sort_unstable();
        let expected = largest.iter().chain(std::iter::once(&*last)).map(|&number| number as u32);
        ensure!(
            expected.eq(found.iter().copied()),
            "the top-k is wrong: the indices differ from the CPU's result"
        );
    }
    Ok(())
}
