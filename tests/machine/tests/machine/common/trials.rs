//! The trials of a kernel's mutants: cases that execute the kernel, on devices with different
//! schedules and guarantees. A trial is created by the first thread that needs it.

use std::sync::OnceLock;

use anyhow::{Result, anyhow, bail, ensure};
use multisplit_machine::mutate::Mutant;
use multisplit_machine::{AtomicOrder, Options, PlanOptions, Schedule};

use super::all::kernels;
use super::case::{Case, run};
use super::progress::all_mutants;

/// Number of trials that are created together.
const BATCH: usize = 4;

/// A case with its options, and the blocks of the kernel that it executes.
struct Trial<'c> {
    case: &'c Case,
    options: Options,
    replays: PlanOptions,
    executed: Vec<bool>,
    steps: u64,
    /// The words that must not depend on the schedule, as written by the unchanged kernel.
    steady: Vec<u32>,
}

/// Options of the simulated device for case number `k` of a kernel.
fn options_of(k: usize, width: u32, case: &Case) -> Options {
    let base = Options { seed: k as u64, ..Options::new(width) };
    let random = Options { schedule: Schedule::Random, ..base };
    let stalls = Options { schedule: Schedule::Stalls, ..base };
    let reversed = Schedule::Reversed;
    let held = |count| Schedule::HeldBack { first: 0, count, after: 40 };
    if case.may_give_up.is_some() && k % 6 != 1 {
        // Under all other schedules, some workgroups may make no progress, so the kernel may time
        // out. One case in six tests that.
        return if k.is_multiple_of(2) { random } else { stalls };
    }
    match k % 6 {
        0 => random,
        1 => Options { schedule: reversed, atomics: AtomicOrder::Reversed, ..base },
        2 => Options { schedule: held(1), ..base },
        3 => Options { resident: 2, ..random },
        4 => Options { schedule: held(5), ..base },
        _ => stalls,
    }
}

/// Rough cost of a case: number of input words times number of passes.
fn cost(case: &Case) -> usize {
    let words: usize = case.inputs.iter().map(|(_, words)| words.len()).sum();
    words * case.plan.steps().len()
}

/// Whether the schedule-independent words of two runs are compatible. The list of a run whose
/// kernels timed out is empty, and is compatible with any other.
fn may_be_same(one: &[u32], other: &[u32]) -> bool {
    one.is_empty() || other.is_empty() || one == other
}

/// The trials of a kernel.
pub struct Trials<'c> {
    label: String,
    cases: Vec<&'c (u32, Case)>,
    /// Errors are kept as text, so that they can be returned more than once.
    batches: Vec<OnceLock<Result<Vec<Trial<'c>>, String>>>,
}

impl<'c> Trials<'c> {
    /// Chooses up to `count` cases that run the kernel with this label, sorted by cost.
    pub fn new(label: &str, cases: &'c [(u32, Case)], count: usize) -> Result<Self> {
        let has_it = |case: &Case| kernels(case).iter().any(|k| k == label);
        // A sample omits the most expensive of the candidates, up to a third.
        let considered = if all_mutants() { count } else { count * 3 / 2 };
        let mut cases: Vec<_> = cases.iter().filter(|(_, case)| has_it(case)).collect();
        ensure!(!cases.is_empty(), "{label}: no case runs this kernel");
        // A third of the candidates are the cases with the fewest passes, whose results depend most
        // on this kernel.
        let mut by_passes: Vec<usize> = (0..cases.len()).collect();
        by_passes.sort_by_key(|&k| cases[k].1.plan.steps().len());
        by_passes[(considered / 3).min(cases.len())..].sort_unstable();
        cases = by_passes.into_iter().take(considered).map(|k| cases[k]).collect();
        cases.sort_by_key(|(_, case)| cost(case));
        cases.truncate(count);
        let batches = (0..cases.len().div_ceil(BATCH)).map(|_| OnceLock::new()).collect();
        Ok(Self { label: label.to_owned(), cases, batches })
    }

    /// Runs the unchanged kernel on a batch of cases. Returns the trials, the shortest first.
    fn run(&self, batch: usize) -> Result<Vec<Trial<'c>>> {
        let mut trials = Vec::new();
        let cases = self.cases.iter().enumerate().skip(batch * BATCH).take(BATCH);
        for (k, (width, case)) in cases {
            let mut options = options_of(k, *width, case);
            // A sample saves the third run.
            let replays = case.replays(!all_mutants() || k.is_multiple_of(2));
            let outcome = run(case, &options, replays, &[])?;
            if let Some(problem) = outcome.problem {
                bail!("{} with {options:?}, with the unchanged kernel: {problem}", case.name);
            }
            if !case.steady.is_empty() {
                let random = Schedule::Random;
                let another = Options { schedule: random, seed: 99, ..Options::new(*width) };
                let other = run(case, &another, replays, &[])?;
                let same = may_be_same(&other.steady, &outcome.steady);
                ensure!(
                    same,
                    "{} with {options:?}: words that must not depend on the schedule have changed",
                    case.name
                );
            }
            // The budget stops endless loops. One finding is enough to detect a mutant.
            options.budget = 3 * outcome.steps + 1_000_000;
            options.first_only = true;
            let executed = outcome.coverage.kernels.get(&self.label).map(|c| c.executed.clone());
            let (executed, steps) = (executed.unwrap_or_default(), outcome.steps);
            trials.push(Trial { case, options, replays, executed, steps, steady: outcome.steady });
        }
        trials.sort_by_key(|trial| trial.steps);
        Ok(trials)
    }

    fn batch(&self, number: usize) -> Result<&[Trial<'c>]> {
        let made =
            self.batches[number].get_or_init(|| self.run(number).map_err(|e| format!("{e:#}")));
        made.as_deref().map_err(|problem| anyhow!("{problem}"))
    }

    /// Whether the first few trials execute the mutated block.
    pub fn executes(&self, mutant: &Mutant) -> Result<bool> {
        let Some(block) = mutant.block else { return Ok(true) };
        let mut trials = self.batch(0)?.iter();
        Ok(trials.any(|trial| trial.executed.get(block).copied().unwrap_or(false)))
    }

    /// Whether a mutant is detected; `None` if no trial executes it.
    pub fn detects(&self, mutant: &Mutant) -> Result<Option<bool>> {
        let mut executed = None;
        for number in 0..self.batches.len() {
            for trial in self.batch(number)? {
                let runs = |block: usize| trial.executed.get(block).copied().unwrap_or(false);
                if !mutant.block.is_none_or(runs) {
                    continue;
                }
                executed = Some(false);
                let replace: [(&str, &[u32]); 1] = [(&self.label, &mutant.words)];
                match run(trial.case, &trial.options, trial.replays, &replace) {
                    Ok(outcome)
                        if outcome.problem.is_none()
                            && may_be_same(&outcome.steady, &trial.steady) => {}
                    _ => return Ok(Some(true)),
                }
            }
        }
        Ok(executed)
    }
}
