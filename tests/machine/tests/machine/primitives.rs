//! All primitives on the machine: at each subgroup width and under each schedule, results equal
//! those of the CPU, and there are no findings.
//!
//! A plain run executes a sample. `MULTISPLIT_FULL=1` runs all cases and prints progress; with
//! `MULTISPLIT_PART=K/N`, it runs part K of N. In a full run, each case runs under two schedules,
//! so that each method runs under each schedule, at each width and with each size in some case.
//! `MULTISPLIT_KERNELS` restricts the run to cases that execute one of the listed kernels.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::common::all::{WIDTHS, all, kernels, large_tiles};
use crate::common::case::{Case, check};
use crate::common::edges::edges;
use crate::common::few_threads::few_threads;
use crate::common::primitives::Device;
use crate::common::progress::{
    for_each, full, is_kernel_selected, lock, part, say, selected, timed, write_report,
};
use crate::common::sampling::{Seen, Size, sample};
use crate::common::setup::Maker;
use anyhow::{Result, ensure};
use multisplit::shaders::manifest;
use multisplit_machine::{AtomicOrder, Coverage, Options, Rng, Schedule, SubgroupBarriers};

/// Size of the sample for each width and ranking. At each width, one ranking runs one half of the kernels and the
/// other ranking the other half.
const SAMPLE: Size = Size { each: 1, one_in: 2, count: 5 };
/// At this width, the sample contains all cases with large tiles. They rank by ballots.
const LARGE_TILES_AT: u32 = 32;
/// At this width, the sample contains all cases with small workgroups. They rank by lane order, and
/// their dispatches have several rows.
const NARROW_AT: u32 = 4;
/// At this width, the sample executes subgroup barriers as workgroup barriers.
const BARRIERS_OF_WORKGROUP_AT: u32 = 8;
/// Minimum percentage of reachable blocks that must be executed, by the sample and by a full run.
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

/// A case and the options of its runs: two schedules in a full run, otherwise one.
struct Trial {
    device: Device,
    /// Creates the case. A full run does so just before running it, since all cases together take
    /// too much memory.
    make: Maker,
    ways: Vec<Options>,
}

/// The trials of a device.
fn trials(device: Device, seen: &mut Seen, number: usize) -> Result<Vec<Trial>> {
    let makers: Vec<Maker> = if full() || selected() {
        all(device).into_iter().chain(edges(device)).collect()
    } else {
        let cases = sample(device, seen, number * 13 + number / 2, SAMPLE)?;
        let made = cases.into_iter().map(|case| -> Maker { Box::new(move || Ok(case.clone())) });
        let mut makers: Vec<Maker> = made.collect();
        if device.width == LARGE_TILES_AT && !device.lane_order {
            makers.extend(large_tiles(device));
        }
        if device.width == NARROW_AT && device.lane_order {
            makers.extend(few_threads(device));
        }
        makers
    };
    let (part, parts) = part();
    let mine = makers.into_iter().enumerate().filter(|(k, _)| k % parts == part);
    let trial = |(k, make): (usize, Maker)| {
        let width = device.width;
        let ways = schedules((k * 7 + number) as u64).map(|way| Options { width, ..way });
        let one = (k + number) % ways.len();
        // A full run picks the first schedule at random, so that it does not correlate with other
        // properties of the cases.
        let first =
            Rng::new((k * WIDTHS.len() * 2 + number) as u64).below(ways.len() as u64) as usize;
        let other = (first + 1 + (k + number) % (ways.len() - 1)) % ways.len();
        let mut ways = if full() { vec![ways[first], ways[other]] } else { vec![ways[one]] };
        let of_workgroup = match full() {
            true => (k + number).is_multiple_of(2),
            false => width == BARRIERS_OF_WORKGROUP_AT,
        };
        if let Some(last) = ways.last_mut().filter(|_| of_workgroup) {
            last.subgroup_barriers = SubgroupBarriers::OfWorkgroup { replaced: true };
        }
        Trial { device, make, ways }
    };
    Ok(mine.map(trial).collect())
}

/// Totals over the cases of one kind.
#[derive(Default)]
struct Took {
    runs: usize,
    steps: u64,
    time: Duration,
    wrong: usize,
}

/// Results of all runs.
#[derive(Default)]
struct Found {
    /// Coverage by width.
    covered: BTreeMap<u32, Coverage>,
    /// Kernels that ran on a device whose subgroup barriers act as workgroup barriers.
    of_workgroup: BTreeSet<String>,
    /// Messages of the runs that failed.
    wrong: Vec<String>,
    by_kind: BTreeMap<String, Took>,
    /// The slowest runs, with the names of their cases.
    longest: Vec<(Duration, String)>,
}

/// Number of slowest runs in the report.
const LONGEST: usize = 10;

/// The kind of a case: the first word of its name.
fn kind(case: &Case) -> &str {
    case.name.split([' ', ',']).next().unwrap_or_default()
}

fn run_trial(trial: &Trial, found: &Mutex<Found>) {
    let case = &match (trial.make)() {
        Ok(case) => case,
        Err(error) => {
            lock(found)
                .wrong
                .push(format!("cannot create a case for {:?}: {error:#}", trial.device));
            return;
        }
    };
    if !kernels(case).iter().any(|label| is_kernel_selected(label)) {
        return;
    }
    for options in &trial.ways {
        let (outcome, time) = timed(|| check(case, options));
        let mut found = lock(found);
        let took = found.by_kind.entry(kind(case).to_owned()).or_default();
        took.runs += 1;
        took.time += time;
        match outcome {
            Ok(outcome) => {
                took.steps += outcome.steps;
                if options.subgroup_barriers != SubgroupBarriers::Kept {
                    found.of_workgroup.extend(outcome.coverage.kernels.keys().cloned());
                }
                found.covered.entry(options.width).or_default().join(&outcome.coverage);
            }
            Err(error) => {
                took.wrong += 1;
                say(&format!("{error:#}"));
                found.wrong.push(format!("{error:#}"));
            }
        }
        found.longest.push((time, case.name.clone()));
        found.longest.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
        found.longest.truncate(LONGEST);
    }
}

/// The table at the end of a run.
fn table(found: &Found) -> Result<String> {
    let mut text = String::new();
    writeln!(text, "{:16}{:>8}{:>8}{:>20}{:>10}", "", "runs", "wrong", "instructions", "seconds")?;
    let mut row = |name: &str, took: &Took| {
        let Took { runs, steps, time, wrong } = took;
        writeln!(text, "{name:16}{runs:8}{wrong:8}{steps:20}{:10.1}", time.as_secs_f64())
    };
    let mut all = Took::default();
    for (name, took) in &found.by_kind {
        row(name, took)?;
        all.runs += took.runs;
        all.steps += took.steps;
        all.time += took.time;
        all.wrong += took.wrong;
    }
    row("all", &all)?;
    writeln!(text, "Instructions are counted for each lane; the longest runs:")?;
    for (time, name) in &found.longest {
        writeln!(text, "{:8.2} s  {name}", time.as_secs_f64())?;
    }
    Ok(text)
}

#[test]
fn primitives_are_correct_at_every_width_and_schedule() -> Result<()> {
    let mut seen = Seen::default();
    let mut all_trials = Vec::new();
    for (number, width) in WIDTHS.into_iter().enumerate() {
        for lane_order in [false, true] {
            let device = Device { width, lane_order };
            all_trials.extend(trials(device, &mut seen, 2 * number + usize::from(lane_order))?);
        }
    }
    let found = Mutex::new(Found::default());
    for_each(&all_trials, "cases", |trial| run_trial(trial, &found));
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let text = table(&found)?;
    say(&text);
    println!("{text}");

    let mut covered = Coverage::default();
    found.covered.values().for_each(|here| covered.join(here));
    let report = write_report("coverage.txt", &covered.to_string())?;
    let (hit, total, dead) = covered.totals();
    let report = report.display();
    let blocks =
        format!("{hit} of {total} reachable blocks executed, {dead} unreachable; report: {report}");
    say(&blocks);
    println!("{blocks}");
    let contradicts = covered.kernels.iter().filter(|(_, kernel)| kernel.contradicts());
    let contradicts: Vec<_> = contradicts.map(|(label, _)| label).collect();
    ensure!(
        contradicts.is_empty(),
        "blocks that count as unreachable were executed in: {contradicts:?}"
    );
    let wrong = &found.wrong;
    ensure!(wrong.is_empty(), "{} runs failed:\n{}", wrong.len(), wrong.join("\n"));
    if part().1 > 1 || selected() {
        return Ok(());
    }
    for width in WIDTHS {
        let here = found.covered.get(&width);
        let is_run = |label: &String| here.is_some_and(|h| h.kernels.contains_key(label));
        let built_in = manifest::entries().into_iter().map(|entry| entry.label);
        let absent: Vec<_> = built_in.filter(|label| !is_run(label)).collect();
        ensure!(absent.is_empty(), "these kernels did not run at width {width}: {absent:?}");
    }
    let built_in = manifest::entries().into_iter().map(|entry| entry.label);
    let absent: Vec<_> = built_in.filter(|label| !found.of_workgroup.contains(label)).collect();
    ensure!(
        absent.is_empty(),
        "these kernels did not run with subgroup barriers as workgroup barriers: {absent:?}"
    );
    ensure!(
        hit * 100 >= total * COVERED,
        "{hit} of {total} reachable blocks were executed, expected at least {COVERED}%"
    );
    Ok(())
}
