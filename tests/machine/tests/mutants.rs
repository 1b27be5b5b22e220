//! Can it fail? Kernels that are changed in one place are noticed, by a finding or a wrong result,
//! at some width and under some schedule.
//!
//! The plain run takes a sample of kernels and mutants; `MULTISPLIT_FULL=1` all of them, in parts with
//! `MULTISPLIT_PART=K/N`. Those that nothing notices are listed in `mutants.txt` of the target folder.
//! Places where a mutant means the same as the kernel are in `equivalent.txt`, each with the reason; an
//! entry that no mutant of a full run fits is an error.
//!
//! To look at some: `MULTISPLIT_KERNELS=sort.small.keys,scan` takes all mutants of these kernels alone, by
//! their labels (`scan` stands for all that begin with `scan.`), and `MULTISPLIT_PLACES=held;ROW` those whose
//! place has one of these texts in it.

mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail, ensure};
use common::all::{Seen, full, kernels, part, sample, threads};
use common::case::{Case, run};
use common::edges::edges;
use common::primitives::Device;
use multisplit::shaders::{builtin, manifest};
use multisplit_machine::mutate::{Mutant, MutantKind, mutants};
use multisplit_machine::{AtomicOrder, Options, PlanOptions, Rng, Schedule};

/// Of the mutants that are executed and change the meaning, so many percent are noticed.
const CAUGHT_PERCENT: usize = 95;
/// Mutants of each kernel in a sample, and one kernel in so many.
const MUTANTS: usize = 8;
const KERNELS: usize = 6;
/// Cases that a mutant is tried on, and more of them for one that none of these notices.
const CASES: usize = 12;
const MORE_CASES: usize = 40;
/// The same of a full run.
const ALL_CASES: usize = 40;
const ALL_MORE_CASES: usize = 160;

/// The kernels and places that are asked for, if not all of them.
fn asked(label: &str, place: Option<&str>) -> bool {
    let kernels = std::env::var("MULTISPLIT_KERNELS").unwrap_or_default();
    let kernel = |k: &str| label == k || label.strip_prefix(k).is_some_and(|l| l.starts_with('.'));
    let text = std::env::var("MULTISPLIT_PLACES").unwrap_or_default();
    (kernels.is_empty() || kernels.split(',').any(kernel))
        && place.is_none_or(|place| text.split(';').any(|text| place.contains(text)))
}

/// Whether some are asked for.
fn selected() -> bool {
    ["MULTISPLIT_KERNELS", "MULTISPLIT_PLACES"].iter().any(|name| std::env::var(name).is_ok())
}

/// Whether every mutant of a kernel is tried.
fn all_mutants() -> bool {
    full() || selected()
}

/// Places where a change means the same, a line each: kind, kernels (a prefix, or `*` for all), place,
/// reason.
const EQUIVALENT: &str = include_str!("equivalent.txt");

struct Equivalent {
    kind: &'static str,
    kernels: &'static str,
    place: &'static str,
}

impl Equivalent {
    fn all() -> Result<Vec<Self>> {
        let lines = EQUIVALENT.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let parsed = lines.map(|line| match line.split(" | ").collect::<Vec<_>>()[..] {
            [kind, kernels, place, _reason] => Ok(Self { kind, kernels, place }),
            _ => bail!("not kind, kernels, place and reason: {line}"),
        });
        parsed.collect()
    }

    fn is(&self, label: &str, mutant: &Mutant) -> bool {
        format!("{:?}", mutant.kind) == self.kind
            && (self.kernels == "*" || label.starts_with(self.kernels))
            && mutant.place == self.place
    }
}

/// A case with how it is run, and the blocks of the kernel that it executes.
struct Trial<'c> {
    case: &'c Case,
    options: Options,
    executed: Vec<bool>,
    steps: u64,
    /// What the kernel leaves in words that are the same under every schedule.
    steady: Vec<u32>,
}

/// How a case is run, the `k`th of a kernel.
fn way(k: usize, width: u32, case: &Case) -> Options {
    let base = Options { seed: k as u64, ..Options::new(width) };
    let random = Options { schedule: Schedule::Random, ..base };
    let stalls = Options { schedule: Schedule::Stalls, ..base };
    let reversed = Schedule::Reversed;
    let held = |count| Schedule::HeldBack { first: 0, count, after: 40 };
    if case.may_give_up.is_some() && k % 6 != 1 {
        // Where others do not get on it gives up, which is right.
        return if k.is_multiple_of(2) { random } else { stalls };
    }
    match k % 6 {
        0 => random,
        1 => Options { schedule: reversed, atomics: AtomicOrder::Reversed, ..base },
        2 => Options { schedule: held(1), ..base },
        3 => Options { resident: 2, ..random },
        4 => Options { schedule: held(2), ..base },
        _ => stalls,
    }
}

/// The trials of a kernel, made as they are needed.
struct Trials<'c> {
    label: &'c str,
    cases: Vec<&'c (u32, Case)>,
    first: Vec<Trial<'c>>,
    more: Option<Vec<Trial<'c>>>,
}

impl<'c> Trials<'c> {
    fn new(label: &'c str, cases: &'c [(u32, Case)]) -> Result<Self> {
        let has_it = |case: &Case| kernels(case).iter().any(|k| k == label);
        let cases: Vec<_> = cases.iter().filter(|(_, case)| has_it(case)).collect();
        ensure!(!cases.is_empty(), "no case runs it");
        let mut trials = Self { label, cases, first: Vec::new(), more: None };
        trials.first = trials.run(0, if full() { ALL_CASES } else { CASES })?;
        Ok(trials)
    }

    /// Runs the kernel as it is; gives the trials, the shortest first.
    fn run(&self, first: usize, count: usize) -> Result<Vec<Trial<'c>>> {
        let mut trials = Vec::new();
        for (k, (width, case)) in self.cases.iter().enumerate().skip(first).take(count) {
            let mut options = way(k, *width, case);
            let outcome = run(case, &options, PlanOptions::default(), &[])?;
            if let Some(problem) = outcome.problem {
                bail!("{} with {options:?}, unchanged: {problem}", case.name);
            }
            if !case.steady.is_empty() {
                let random = Schedule::Random;
                let another = Options { schedule: random, seed: 99, ..Options::new(*width) };
                let other = run(case, &another, PlanOptions::default(), &[])?;
                let same = other.steady == outcome.steady;
                ensure!(same, "{} with {options:?}: depends on the schedule", case.name);
            }
            // A loop that never ends is stopped, and one finding is enough.
            options.budget = 3 * outcome.steps + 1_000_000;
            options.first_only = true;
            let executed = outcome.coverage.kernels.get(self.label).map(|c| c.executed.clone());
            let (executed, steps) = (executed.unwrap_or_default(), outcome.steps);
            trials.push(Trial { case, options, executed, steps, steady: outcome.steady });
        }
        trials.sort_by_key(|trial| trial.steps);
        Ok(trials)
    }

    /// Whether a mutant is noticed; none where no trial executes it.
    fn notice(&mut self, mutant: &Mutant) -> Result<Option<bool>> {
        let noticed = self.notice_in(mutant, &self.first);
        if noticed == Some(true) {
            return Ok(noticed);
        }
        if self.more.is_none() {
            let count = if full() { ALL_MORE_CASES } else { MORE_CASES };
            self.more = Some(self.run(self.first.len(), count)?);
        }
        let more = self.notice_in(mutant, self.more.as_deref().unwrap_or_default());
        Ok(more.or(noticed))
    }

    fn notice_in(&self, mutant: &Mutant, trials: &[Trial<'_>]) -> Option<bool> {
        let mut executed = None;
        for trial in trials {
            let runs = |block: usize| trial.executed.get(block).copied().unwrap_or(false);
            if !mutant.block.is_none_or(runs) {
                continue;
            }
            executed = Some(false);
            let replace: [(&str, &[u32]); 1] = [(self.label, &mutant.words)];
            match run(trial.case, &trial.options, PlanOptions::default(), &replace) {
                Ok(outcome) if outcome.problem.is_none() && outcome.steady == trial.steady => {}
                _ => return Some(true),
            }
        }
        executed
    }
}

/// Subgroups of fewer lanes than 32, and of more; ranking by ballots, and by lane order.
const DEVICES: [Device; 3] = [
    Device { width: 64, lane_order: false },
    Device { width: 8, lane_order: false },
    Device { width: 16, lane_order: true },
];

fn shuffle<T>(all: &mut [T], seed: u64) {
    let mut rng = Rng::new(seed);
    for k in (1..all.len()).rev() {
        all.swap(k, rng.below(k as u64 + 1) as usize);
    }
}

/// Every kernel's cases, at widths below 32 and above.
fn cases() -> Result<Vec<(u32, Case)>> {
    let mut cases = Vec::new();
    for (number, device) in [3, 5, 7].into_iter().zip(DEVICES) {
        let mut seen = Seen::default();
        let count = if full() { 600 } else { 300 };
        let sample = sample(device, &mut seen, number, count)?;
        cases.extend(sample.into_iter().map(|case| (device.width, case)));
    }
    // In an order of their own, so that each kernel has cases of all widths and sizes; those that were
    // made for what others miss come first.
    shuffle(&mut cases, 8);
    let mut first = Vec::new();
    for device in DEVICES {
        for maker in edges(device) {
            first.push((device.width, maker()?));
        }
    }
    shuffle(&mut first, 9);
    first.extend(cases);
    Ok(first)
}

#[derive(Default)]
struct Tally {
    caught: BTreeMap<MutantKind, usize>,
    /// By kind and place: the kernels.
    missed: BTreeMap<(MutantKind, String), Vec<String>>,
    equivalent: usize,
    not_executed: usize,
}

fn spirv(label: &str) -> Option<Vec<u32>> {
    Some(builtin::ALL.iter().find(|b| b.label() == label)?.spirv())
}

#[test]
fn changed_kernels_are_noticed() -> Result<()> {
    let cases = cases()?;
    let mut jobs = Vec::new();
    for (number, entry) in manifest::entries().into_iter().enumerate() {
        let (part, parts) = part();
        if !all_mutants() && number % KERNELS != 2 || number % parts != part {
            continue;
        }
        let Some(words) = spirv(&entry.label).filter(|_| asked(&entry.label, None)) else {
            continue;
        };
        let mut all = mutants(&entry.label, &words)?;
        all.retain(|mutant| asked(&entry.label, Some(&mutant.place)));
        if !all_mutants() {
            // One of each kind, then any.
            shuffle(&mut all, number as u64);
            let mut of_kind = BTreeMap::<MutantKind, usize>::new();
            let rank = |m: &Mutant, of_kind: &mut BTreeMap<MutantKind, usize>| {
                let count = of_kind.entry(m.kind).or_default();
                *count += 1;
                *count
            };
            let mut ranked: Vec<_> = all.into_iter().map(|m| (rank(&m, &mut of_kind), m)).collect();
            ranked.sort_by_key(|(rank, _)| *rank);
            all = ranked.into_iter().map(|(_, m)| m).take(MUTANTS).collect();
        }
        jobs.push((entry.label, all));
    }
    if full() && part().1 == 1 && !selected() {
        find_stale(&jobs)?;
    }
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads() {
            scope.spawn(|| {
                while let Some((label, all)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = try_all(label, all, &cases, &tally) {
                        let mut failed = failed.lock().unwrap_or_else(|e| e.into_inner());
                        failed.push(format!("{label}: {error:#}"));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(|e| e.into_inner());
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    report(&tally.into_inner().unwrap_or_else(|e| e.into_inner()))
}

/// Entries of the list of those that mean the same which no mutant fits: their places have other names
/// now, or are gone.
fn find_stale(jobs: &[(String, Vec<Mutant>)]) -> Result<()> {
    let mutants = || jobs.iter().flat_map(|(label, all)| all.iter().map(move |m| (label, m)));
    let known = Equivalent::all()?;
    let stale = known.iter().filter(|e| !mutants().any(|(label, mutant)| e.is(label, mutant)));
    let stale: Vec<_> =
        stale.map(|e| format!("{} | {} | {}", e.kind, e.kernels, e.place)).collect();
    ensure!(stale.is_empty(), "equivalent.txt has what no mutant fits:\n{}", stale.join("\n"));
    Ok(())
}

fn try_all(label: &str, all: &[Mutant], cases: &[(u32, Case)], tally: &Mutex<Tally>) -> Result<()> {
    let equivalent = Equivalent::all()?;
    if all_mutants() {
        // So that a long run says how far it is.
        println!("{label}: {} mutants", all.len());
    }
    let mut trials = Trials::new(label, cases)?;
    for mutant in all {
        let same = equivalent.iter().any(|known| known.is(label, mutant));
        let caught = if same { None } else { trials.notice(mutant)? };
        let mut tally = tally.lock().unwrap_or_else(|e| e.into_inner());
        match caught {
            _ if same => tally.equivalent += 1,
            Some(true) => *tally.caught.entry(mutant.kind).or_default() += 1,
            Some(false) => {
                let place = (mutant.kind, mutant.place.clone());
                println!("{:?} | {label} | {}", mutant.kind, mutant.place);
                tally.missed.entry(place).or_default().push(label.to_owned());
            }
            None => tally.not_executed += 1,
        }
    }
    Ok(())
}

fn report(tally: &Tally) -> Result<()> {
    let mut text = String::new();
    let caught: usize = tally.caught.values().sum();
    let missed: usize = tally.missed.values().map(Vec::len).sum();
    for (kind, noticed) in &tally.caught {
        let of_kind = tally.missed.iter().filter(|((other, _), _)| other == kind);
        let not: usize = of_kind.map(|(_, kernels)| kernels.len()).sum();
        writeln!(text, "{kind:?}: {noticed} noticed, {not} not")?;
    }
    for ((kind, place), kernels) in &tally.missed {
        writeln!(text, "{kind:?} | {place} | {}", kernels.join(" "))?;
    }
    writeln!(text, "{} that mean the same", tally.equivalent)?;
    writeln!(text, "{} in code that the cases here do not execute", tally.not_executed)?;
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants.txt");
    std::fs::write(&path, &text)?;
    println!("{text}{caught} of {} mutants noticed, {}", caught + missed, path.display());
    ensure!(
        caught * 100 >= (caught + missed) * CAUGHT_PERCENT,
        "too many mutants are not noticed:\n{text}"
    );
    Ok(())
}
