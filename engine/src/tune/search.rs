//! Searches for the best sizes for one ranking method. The search is greedy and local. On GPUs, it visits the parameters
//! with the largest effect first. On software drivers, it skips tiles with a small effect. It stops if the time is up.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use super::benchmark::{Benchmark, Operation};
use super::evaluator::{Evaluator, Timer};
use super::parameter::{self, Candidates, Parameter, SMALL};
use crate::error::Result;
use crate::policy::Policy;

/// A candidate is accepted if its mean time, relative to the best policy so far, is below this. A smaller improvement
/// may be noise.
const GAIN: f64 = 0.985;
/// A candidate is rejected if any benchmark is slower by more than this factor.
const LOSS: f64 = 1.02;
/// Tuned sizes are kept if they are slower than the built-in sizes by at most this factor, which may be noise.
const NOISE: f64 = 1.01;
/// Maximum number of steps of the local search each time a parameter is visited.
const STEPS: usize = 6;
/// Time reserved for the final table: a multiple of the estimated time of each row, and a fraction of the time limit
/// as margin.
const ROW_SHARE: f64 = 1.5;
const MARGIN: f64 = 0.05;

/// Progress of [`Context::tune`](crate::Context::tune).
#[derive(Clone, Debug)]
pub struct TuneProgress {
    /// Time elapsed so far.
    pub elapsed: Duration,
    /// Elapsed time at which the tuning for the current ranking method ends.
    pub budget: Duration,
    /// Size that is being tuned, and its first benchmark.
    pub benchmark: String,
    /// Number of candidates tried so far.
    pub candidates: u32,
}

/// GPU times of one benchmark with built-in and with tuned sizes. The runs of the two alternate.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Name of the benchmark.
    pub benchmark: String,
    /// Number of elements.
    pub n: u64,
    /// GPU time with the built-in sizes in nanoseconds.
    pub built_in: f64,
    /// GPU time with the tuned sizes in nanoseconds.
    pub tuned: f64,
}

pub(super) type OnProgress<'p> = &'p mut dyn FnMut(&TuneProgress);

pub(super) struct Search<'l, 'c, 'p> {
    pub evaluator: &'l mut Evaluator<'c>,
    pub on_progress: OnProgress<'p>,
    /// The best sizes so far.
    pub best: Policy,
    /// Benchmarks measured so far, in order.
    pub visited: Vec<Benchmark>,
    /// Benchmarks that were checked: the best sizes at that time gave the right result.
    checked: Vec<Benchmark>,
    timers: HashMap<Benchmark, Timer<'c>>,
    parameters: Vec<Parameter>,
}

impl<'l, 'c, 'p> Search<'l, 'c, 'p> {
    pub fn new(
        evaluator: &'l mut Evaluator<'c>,
        on_progress: OnProgress<'p>,
        best: Policy,
    ) -> Self {
        let (timers, parameters) = (HashMap::new(), Vec::new());
        let (visited, checked) = (Vec::new(), Vec::new());
        Self { evaluator, on_progress, best, visited, checked, timers, parameters }
    }

    /// Runs the search with at most `largest` elements. If `shared`, also tunes the sizes that do not depend on the
    /// ranking method.
    pub fn run(&mut self, largest: u64, shared: bool) -> Result<()> {
        let software = self.evaluator.software;
        let mut first = tiles(&self.best, largest, true);
        let mut rest = tiles(&self.best, largest, false);
        let mut other_parameters = parameter::other_parameters(&self.best, largest, software);
        other_parameters.retain(|parameter| shared || parameter.per_ranking);
        if software {
            self.visit_all(&mut other_parameters, false)?;
            self.visit_all(&mut first, true)?;
        } else {
            self.visit_all(&mut first, true)?;
            self.visit_all(&mut first, false)?;
            self.visit_all(&mut other_parameters, false)?;
            self.visit_all(&mut rest, false)?;
            self.visit_all(&mut rest, true)?;
            self.visit_all(&mut first, false)?;
            self.visit_all(&mut rest, false)?;
        }
        self.parameters.extend(first.into_iter().chain(rest).chain(other_parameters));
        Ok(())
    }

    fn visit_all(&mut self, parameters: &mut [Parameter], wide: bool) -> Result<()> {
        parameters.iter_mut().try_for_each(|parameter| self.visit(parameter, wide))
    }

    fn visit(&mut self, parameter: &mut Parameter, wide: bool) -> Result<()> {
        let tile = matches!(parameter.candidates, Candidates::Tile { .. });
        let steps = if tile && !wide { STEPS } else { 1 };
        for _ in 0..steps {
            if !(parameter.has_effect)(&self.best) || !self.evaluator.clock.has_time() {
                return Ok(());
            }
            let candidates = parameter.around(&self.best, wide, self.evaluator.software);
            if candidates.is_empty() || !self.try_all(parameter, &candidates)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Tries the candidates. Accepts each candidate that is better than the best policy so far. Returns whether any
    /// was accepted.
    fn try_all(&mut self, parameter: &Parameter, candidates: &[Policy]) -> Result<bool> {
        let mut better = false;
        self.time_best(parameter)?;
        // Candidates are compared with the best sizes so far, so these must also give the right result.
        for &benchmark in &parameter.benchmarks {
            if !self.checked.contains(&benchmark) {
                if !self.evaluator.check(benchmark, &self.best)? {
                    return Ok(false);
                }
                self.checked.push(benchmark);
            }
        }
        let best = timers_of(&self.timers, parameter);
        let differs =
            |candidate: &&Policy| self.evaluator.differs(candidate, &parameter.benchmarks, &best);
        let candidates: Vec<Policy> = candidates.iter().filter(differs).copied().collect();
        for batch in candidates.chunks(self.evaluator.batch()) {
            if !self.evaluator.clock.has_time() {
                break;
            }
            let begin = Instant::now();
            let ready = self.evaluator.prepare_all(batch, &parameter.benchmarks);
            self.evaluator.clock.record_step(begin.elapsed());
            for (candidate, ready) in batch.iter().zip(ready) {
                if !self.evaluator.clock.has_time() {
                    break;
                }
                self.report_progress(parameter);
                self.time_best(parameter)?;
                let best = timers_of(&self.timers, parameter);
                let judged =
                    self.evaluator.judge(candidate, ready, &parameter.benchmarks, &best)?;
                let faster = judged.is_some_and(|j| j.mean < GAIN && j.worst < LOSS);
                if faster {
                    tracing::debug!(parameter = parameter.name, ?judged, "candidate accepted");
                    self.best = *candidate;
                    self.timers.clear();
                    better = true;
                }
            }
        }
        Ok(better)
    }

    /// Creates timers for the best policy so far.
    fn time_best(&mut self, parameter: &Parameter) -> Result<()> {
        // Drop the timers of other benchmarks to free memory.
        self.timers.retain(|benchmark, _| parameter.benchmarks.contains(benchmark));
        for &benchmark in &parameter.benchmarks {
            if !self.timers.contains_key(&benchmark) {
                self.timers.insert(benchmark, self.evaluator.timer(benchmark, &self.best)?);
            }
            if !self.visited.contains(&benchmark) {
                self.visited.push(benchmark);
            }
        }
        // Reserve time for one row per benchmark, and for measuring some rows again after sizes were reverted.
        let rows = self.evaluator.row_time().mul_f64(ROW_SHARE * self.visited.len() as f64);
        self.evaluator.clock.reserve = rows + self.evaluator.clock.budget.mul_f64(MARGIN);
        Ok(())
    }

    fn report_progress(&mut self, parameter: &Parameter) {
        let benchmark = parameter.benchmarks.first().map(Benchmark::name).unwrap_or_default();
        (self.on_progress)(&TuneProgress {
            elapsed: self.evaluator.clock.elapsed(),
            budget: self.evaluator.clock.budget,
            benchmark: format!("{}: {benchmark}", parameter.name),
            candidates: self.evaluator.counts.tried,
        });
    }

    /// Measures each benchmark with the tuned sizes and with the built-in sizes. If `revert_slower`, restores the
    /// built-in sizes for benchmarks that are slower with the tuned sizes, or that could not be measured in time.
    pub fn compare_with_built_in(
        &mut self,
        built_in: &Policy,
        revert_slower: bool,
    ) -> Result<Vec<Comparison>> {
        // Drop the timers to free memory.
        self.timers.clear();
        let mut rows = Vec::new();
        for benchmark in self.visited.clone() {
            rows.push((benchmark, self.row(benchmark, built_in)?));
        }
        let mut changed = HashSet::new();
        let is_slower = |row: &Comparison| row.tuned > NOISE * row.built_in;
        let slower = rows.iter().filter(|(_, row)| row.as_ref().is_none_or(is_slower));
        for (benchmark, _) in slower.filter(|_| revert_slower) {
            let measured = |parameter: &&Parameter| parameter.benchmarks.contains(benchmark);
            for parameter in self.parameters.iter().filter(measured) {
                (parameter.revert)(&mut self.best, built_in);
                changed.extend(parameter.benchmarks.iter().copied());
            }
        }
        for (benchmark, row) in rows.iter_mut().filter(|(benchmark, _)| changed.contains(benchmark))
        {
            *row = self.row(*benchmark, built_in)?;
        }
        Ok(rows.into_iter().filter_map(|(_, row)| row).collect())
    }

    /// One row of the comparison; `None` if the time is up.
    fn row(&mut self, benchmark: Benchmark, built_in: &Policy) -> Result<Option<Comparison>> {
        if self.evaluator.clock.is_over() {
            return Ok(None);
        }
        let [tuned, built_in] = self.evaluator.time_both(benchmark, [&self.best, built_in])?;
        Ok(Some(Comparison { benchmark: benchmark.name(), n: benchmark.n, built_in, tuned }))
    }
}

fn timers_of<'t, 'c>(
    timers: &'t HashMap<Benchmark, Timer<'c>>,
    parameter: &Parameter,
) -> Vec<&'t Timer<'c>> {
    parameter.benchmarks.iter().filter_map(|benchmark| timers.get(benchmark)).collect()
}

/// Geometric mean of the time ratio of two policies over three important benchmarks.
pub(super) fn ratio(evaluator: &mut Evaluator<'_>, [a, b]: [&Policy; 2], n: u64) -> Result<f64> {
    let operations = [Operation::SortKeys, Operation::SortPairs, Operation::SplitKeys(256)];
    let mut mean = 0.0;
    for operation in operations {
        let [a, b] = evaluator.time_both(Benchmark { operation, n }, [a, b])?;
        mean += (a / b).ln() / 3.0;
    }
    Ok(mean.exp())
}

/// Tile parameters of sorts and splits: those with the largest effect if `first`, or otherwise all others.
fn tiles(policy: &Policy, largest: u64, first: bool) -> Vec<Parameter> {
    let has_large_effect = |parameter: &Parameter| {
        parameter.benchmarks.iter().any(|benchmark| benchmark.n == largest || benchmark.n == SMALL)
    };
    let sorts = [Operation::SortKeys, Operation::SortPairs].into_iter();
    let sorts = sorts.flat_map(|operation| parameter::sort_tiles(operation, policy, largest));
    let mut parameters: Vec<Parameter> =
        sorts.filter(|parameter| has_large_effect(parameter) == first).collect();
    // The tiles for 256 and for 8 buckets come first.
    let classes: &[usize] = if first { &[7, 2] } else { &[4, 0, 1, 3, 5, 6] };
    for of in [Operation::SplitKeys, Operation::SplitPairs, Operation::SplitRange] {
        parameters.extend(classes.iter().flat_map(|&class| parameter::split(of, class, largest)));
    }
    if !first {
        parameters.extend(parameter::sort_tiles(Operation::SortWideKeys, policy, largest));
    }
    parameters
}
