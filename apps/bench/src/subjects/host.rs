//! `multisplit bench host`: transfers and sorts of host arrays. Unlike all other figures, these are times of the host
//! clock, and those of sorts include the transfers.

use std::time::Instant;

use anyhow::{Result, ensure};
use multisplit::Sort;

use crate::data;
use crate::figures::median;
use crate::measure::Bench;
use crate::output::{Figure, Timed};

/// Measures transfers and sorts of `n` host words.
pub fn measure(bench: &Bench<'_>, n: u64) -> Result<()> {
    let context = bench.context;
    let keys = data::random_keys::<u32>(n, data::SEED)?;
    let mut out = keys.clone();
    context.sort_into(&keys, &Sort::ascending(), &mut out)?;
    ensure!(out.is_sorted(), "the sort is wrong: the keys are not sorted");

    let sort = time(bench, || Ok(context.sort_into(&keys, &Sort::ascending(), &mut out)?))?;
    let array = context.upload(&keys)?;
    let upload = time(bench, || Ok(context.write(&array, 0, &keys)?))?;
    let download = time(bench, || Ok(context.download_into(&array, &mut out)?))?;
    ensure!(out == keys, "the downloaded words differ from the uploaded ones");
    for (op, nanoseconds) in
        [("host_upload_u32", upload), ("host_download_u32", download), ("host_sort_u32", sort)]
    {
        let time = Timed { nanoseconds, settled: true, samples: Vec::new() };
        bench.output().figure(Figure::new(op, "staging", n, time))?;
    }
    Ok(())
}

/// Median time of a run in nanoseconds.
fn time(bench: &Bench<'_>, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let times = (0..bench.timing.runs).map(|_| {
        let start = Instant::now();
        run()?;
        Ok(start.elapsed().as_secs_f64() * 1e9)
    });
    Ok(median(times.collect::<Result<_>>()?))
}
