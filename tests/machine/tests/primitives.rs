//! The primitives on the machine: at every subgroup width and under every schedule they give the
//! CPU's bytes, and nothing is found wrong with them.
//!
//! The plain run takes a sample; `MULTISPLIT_FULL=1` runs every case under every schedule.

mod common;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::{Result, ensure};
use common::all::{Seen, WIDTHS, all, full, large_tiles, part, sample, threads};
use common::case::{Case, check};
use common::edges::edges;
use common::primitives::Device;
use multisplit::shaders::manifest;
use multisplit_machine::{AtomicOrder, Coverage, Options, Schedule};

/// Cases of the sample for each width and ranking.
const SAMPLE: usize = 30;
/// The width at which the sample has all large tiles, ranked by ballots.
const LARGE_TILES_AT: u32 = 32;
/// Of the blocks that a specialization which is run can get to, so many percent are executed, by the
/// sample and by all cases.
const COVERED: usize = 95;

fn schedules(seed: u64) -> [Options; 6] {
    let base = Options { seed, ..Options::new(32) };
    [
        base,
        Options { schedule: Schedule::Reversed, atomics: AtomicOrder::Reversed, ..base },
        Options { schedule: Schedule::Random, ..base },
        Options { schedule: Schedule::Random, resident: 2, ..base },
        Options {
            schedule: Schedule::HeldBack { first: 0, count: 1, after: 20 + seed % 60 },
            ..base
        },
        Options {
            schedule: Schedule::HeldBack { first: 1, count: 1, after: seed % 90 },
            resident: 3,
            ..base
        },
    ]
}

/// The cases for a device, each with how it is run.
fn jobs(device: Device, seen: &mut Seen, number: usize) -> Result<Vec<(Arc<Case>, Options)>> {
    let cases = if full() {
        let every = all(device).into_iter().chain(edges(device));
        every.map(|maker| maker()).collect::<Result<Vec<_>>>()?
    } else {
        let mut cases = sample(device, seen, number * 13, SAMPLE)?;
        if device.width == LARGE_TILES_AT && !device.lane_order {
            let large = large_tiles(device);
            cases.extend(large.iter().map(|maker| maker()).collect::<Result<Vec<_>>>()?);
        }
        cases
    };
    let mut jobs = Vec::new();
    for (k, case) in cases.into_iter().map(Arc::new).enumerate() {
        let ways = schedules((k * 7 + number) as u64);
        let width = device.width;
        if full() {
            for way in ways {
                jobs.push((case.clone(), Options { width, ..way }));
            }
        } else {
            jobs.push((case, Options { width, ..ways[(k + number) % ways.len()] }));
        }
    }
    let (part, parts) = part();
    Ok(jobs.into_iter().skip(part).step_by(parts).collect())
}

/// Runs the jobs of a device; gives what was executed.
fn run_all(jobs: &[(Arc<Case>, Options)]) -> (Coverage, Vec<String>, u64) {
    let next = AtomicUsize::new(0);
    let found = Mutex::new((Coverage::default(), Vec::new(), 0));
    std::thread::scope(|scope| {
        for _ in 0..threads() {
            scope.spawn(|| {
                while let Some((case, options)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = check(case, options);
                    let mut found = found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    match outcome {
                        Ok(outcome) => {
                            found.0.join(&outcome.coverage);
                            found.2 += outcome.steps;
                        }
                        Err(error) => found.1.push(format!("{error:#}")),
                    }
                }
            });
        }
    });
    found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[test]
fn every_width_and_schedule() -> Result<()> {
    let mut covered = Coverage::default();
    let mut seen = Seen::default();
    let mut wrong = Vec::new();
    let (mut runs, mut steps) = (0, 0);
    let mut missing: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (number, width) in WIDTHS.into_iter().enumerate() {
        let mut here = Coverage::default();
        for lane_order in [false, true] {
            let jobs = jobs(
                Device { width, lane_order },
                &mut seen,
                2 * number + usize::from(lane_order),
            )?;
            let (coverage, problems, count) = run_all(&jobs);
            here.join(&coverage);
            wrong.extend(problems);
            runs += jobs.len();
            steps += count;
        }
        let built_in = manifest::entries().into_iter().map(|entry| entry.label);
        let absent = built_in.filter(|label| !here.kernels.contains_key(label));
        missing.insert(width, absent.collect());
        covered.join(&here);
    }
    println!("{runs} runs, {steps} instructions of lanes");
    let report = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("coverage.txt");
    std::fs::write(&report, covered.to_string())?;
    let (hit, total, dead) = covered.totals();
    println!(
        "{hit} of {total} blocks, {dead} that no specialization can get to, {}",
        report.display()
    );
    let contradicts = covered.kernels.iter().filter(|(_, kernel)| kernel.contradicts());
    let contradicts: Vec<_> = contradicts.map(|(label, _)| label).collect();
    ensure!(contradicts.is_empty(), "blocks that cannot be executed were: {contradicts:?}");
    ensure!(wrong.is_empty(), "{} of {runs} runs:\n{}", wrong.len(), wrong.join("\n"));
    for (width, labels) in missing {
        ensure!(part().1 > 1 || labels.is_empty(), "not run at width {width}: {labels:?}");
    }
    ensure!(part().1 > 1 || hit * 100 >= total * COVERED, "{hit} of {total} blocks are executed");
    Ok(())
}
