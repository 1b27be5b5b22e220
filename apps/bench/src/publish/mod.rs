//! `multisplit bench publish`: measures the operations of the published tables. The output includes raw samples.

mod compare;
mod results;
mod tables;

pub use compare::Comparison;
pub use results::Results;
pub use tables::{filled, tables};

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use multisplit::Context;

use crate::options::{Line, Options};
use crate::output::{Origin, Output};
use crate::progress::Bars;
use crate::{console, html, size};

/// Environment variable with the commit that the program was built from; `./x bench` sets it.
const COMMIT: &str = "MULTISPLIT_COMMIT";
const MINUTES: u64 = 10;

const SIZES: [u64; 6] = [1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 25, 1 << 28];
const SORT_SIZES: [u64; 7] = [1 << 12, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 25, 1 << 28];
const SEGMENT_SIZES: [u64; 2] = [1 << 22, 1 << 26];
const SPLIT_SIZES: [u64; 2] = [1 << 25, 1 << 28];
/// Small sizes, so that a software driver finishes within minutes.
const SOFTWARE_SIZES: [u64; 2] = [1 << 13, 1 << 16];

const FAMILY: &str = "family --family reduce_sum_u32,reduce_max_f32,scan_inclusive_u32,scan_inclusive_f32,\
                      scan_inclusive_u64,select_if_u32,unique_u32,run_length_encode_u32,reduce_by_key_u32";
const SEGMENTED: &str = "family --family segmented_reduce_sum_f32,segmented_reduce_sum_f32_offsets,\
                         segmented_sort_keys_f32,segmented_argsort_f32";
/// Bucket counts of splits by identity, bucket counts of all other splits, and bin counts of histograms.
const COUNTS: [&str; 3] = [
    "2,4,8,16,32,64,128,256",
    "2,4,8,16,32,64,128,256,1024,4096,65536",
    "2,4,8,16,32,64,128,256,1024,65536,1048576",
];
/// Only a few counts, because a software driver compiles kernels for each count.
const SOFTWARE_COUNTS: [&str; 3] = ["8,256"; 3];

/// Argument lines of benchmarks, and the sizes for each; together they measure every cell once. With the first ranking,
/// all operations are measured; with any other ranking, only the most important sorts and splits.
fn runs(is_first: bool, counts: [&str; 3]) -> Vec<(String, &'static [u64])> {
    let [one_round, buckets, bins] = counts;
    let split = |ops: &str, m: &str| format!("split --method auto --m {m} --op {ops}");
    let delta = "split_delta_keys,split_delta_pairs";
    if !is_first {
        let sorts = "sort --sorts sort_keys_u32,sort_pairs_u32_u32,sort_keys_u64";
        return vec![
            (sorts.to_owned(), &SORT_SIZES[..]),
            (split(delta, buckets), &SPLIT_SIZES[..]),
        ];
    }
    vec![
        (format!("copy fill topk {FAMILY}"), &SIZES[..]),
        ("sort".to_owned(), &SORT_SIZES[..]),
        (SEGMENTED.to_owned(), &SEGMENT_SIZES[..]),
        (split(&format!("{delta},split_range_keys"), buckets), &SPLIT_SIZES[..]),
        (split("split_identity_keys,split_identity_pairs", one_round), &SPLIT_SIZES[..1]),
        (format!("histogram --bins {bins}"), &SPLIT_SIZES[..]),
    ]
}

/// A run of `multisplit bench publish`, which measures one ranking after the other.
pub struct Publisher {
    start: Instant,
    is_first: bool,
}

impl Default for Publisher {
    fn default() -> Self {
        Self { start: Instant::now(), is_first: true }
    }
}

impl Publisher {
    /// Measures the published cells with the ranking of `context`. Only the first call measures operations that do not
    /// rank keys.
    pub fn measure(
        &mut self,
        options: &Options,
        context: &Context,
        bars: Bars,
        output: &mut Output,
    ) -> Result<()> {
        let bench = options.bench(context, output)?;
        if self.is_first {
            let clocks = bench.clock.as_ref().and_then(|clock| clock.reported(context));
            let commit = std::env::var(COMMIT).ok().filter(|commit| !commit.is_empty());
            let origin = Origin { commit, date: html::now(), clocks };
            bench.output().device(context, Some(origin))?;
        }
        let given = options.m.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let counts = match bench.is_software() {
            _ if !given.is_empty() => [&*given; 3],
            true => SOFTWARE_COUNTS,
            false => COUNTS,
        };
        // Start with small sizes, so that only the largest are missing if time runs out.
        let mut all: Vec<(u64, String)> = Vec::new();
        for (run, sizes) in runs(self.is_first, counts) {
            let sizes = match bench.is_software() {
                _ if !options.n.is_empty() => &options.n[..],
                true => &SOFTWARE_SIZES,
                false => sizes,
            };
            all.extend(sizes.iter().map(|&n| (n, format!("{run} --n {n}"))));
        }
        all.sort_by_key(|(n, _)| *n);
        self.is_first = false;

        let minutes = options.publish.minutes.unwrap_or(MINUTES);
        let bar = bars.elements("measuring", all.len() as u64);
        for (n, run) in &all {
            if self.start.elapsed() > Duration::from_secs(60 * minutes) {
                let (rest, n) = (all.len() as u64 - bar.position(), size::show(*n));
                console::note(format_args!(
                    "{minutes} minutes are over: {rest} of {} runs are missing, from n = {n} on; raise --minutes",
                    all.len()
                ));
                break;
            }
            let started = Instant::now();
            Line::parse(run)?.measure_by(&bench, false).with_context(|| format!("bench {run}"))?;
            tracing::info!(run, seconds = started.elapsed().as_secs_f64(), "measured");
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{COUNTS, SOFTWARE_COUNTS, runs};
    use crate::options::tests::parses;

    #[test]
    fn published_runs_have_valid_arguments() {
        for counts in [COUNTS, SOFTWARE_COUNTS] {
            for (run, sizes) in [runs(true, counts), runs(false, counts)].concat() {
                assert!(parses(&run) && !sizes.is_empty(), "invalid arguments or no sizes: {run}");
            }
        }
    }
}
