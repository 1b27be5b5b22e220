//! Can it fail? Kernels that are changed in one place are noticed, by a finding or a wrong result,
//! at some width and under some schedule.
//!
//! The plain run takes a sample of kernels and mutants; `MULTISPLIT_FULL=1` all of them, in parts with
//! `MULTISPLIT_PART=K/N`. Those that nothing notices are listed in `mutants.txt` of the target folder.
//! Places where a mutant means the same as the kernel are in `equivalent.txt`, each with the reason.

mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail, ensure};
use common::all::{Seen, full, kernels, part, sample, threads};
use common::case::{Case, run};
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
const ALL_MORE_CASES: usize = 120;

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
            let base = Options { seed: k as u64, ..Options::new(*width) };
            let reversed = Schedule::Reversed;
            let mut options = match k % 4 {
                0 => Options { schedule: Schedule::Random, ..base },
                1 => Options { schedule: reversed, atomics: AtomicOrder::Reversed, ..base },
                2 => Options { schedule: Schedule::HeldBack { group: 0, after: 40 }, ..base },
                _ => Options { schedule: Schedule::Random, resident: 2, ..base },
            };
            let outcome = run(case, &options, PlanOptions::default(), &[])?;
            // A loop that never ends is stopped, and one finding is enough.
            options.budget = 3 * outcome.steps + 1_000_000;
            options.first_only = true;
            let executed = outcome.coverage.kernels.get(self.label).map(|c| c.executed.clone());
            let (executed, steps) = (executed.unwrap_or_default(), outcome.steps);
            trials.push(Trial { case, options, executed, steps });
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
                Ok(outcome) if outcome.problem.is_none() => {}
                _ => return Some(true),
            }
        }
        executed
    }
}

/// Every kernel's cases, at widths below 32 and above.
fn cases() -> Result<Vec<(u32, Case)>> {
    let mut cases = Vec::new();
    for (number, lane_order, width) in [(3, false, 64), (5, false, 8), (7, true, 16)] {
        let mut seen = Seen::default();
        let count = if full() { 600 } else { 300 };
        let sample = sample(Device { width, lane_order }, &mut seen, number, count)?;
        cases.extend(sample.into_iter().map(|case| (width, case)));
    }
    // In an order of their own, so that each kernel has cases of all widths and sizes.
    let mut rng = Rng::new(8);
    for k in (1..cases.len()).rev() {
        cases.swap(k, rng.below(k as u64 + 1) as usize);
    }
    Ok(cases)
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
        if !full() && number % KERNELS != 2 || number % parts != part {
            continue;
        }
        let Some(words) = spirv(&entry.label) else { continue };
        let mut all = mutants(&entry.label, &words)?;
        if !full() {
            // One of each kind, then any.
            let mut rng = Rng::new(number as u64);
            for k in (1..all.len()).rev() {
                all.swap(k, rng.below(k as u64 + 1) as usize);
            }
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

fn try_all(label: &str, all: &[Mutant], cases: &[(u32, Case)], tally: &Mutex<Tally>) -> Result<()> {
    let equivalent = Equivalent::all()?;
    if full() {
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
