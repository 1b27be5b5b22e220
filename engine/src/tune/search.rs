//! Search for the best sizes of one ranking: a greedy local search, most valuable parameters first, until the time is
//! up.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use super::knob::{self, Candidates, Knob, SMALL};
use super::lab::{Lab, Timer};
use super::subject::{Operation, Subject};
use crate::error::Result;
use crate::policy::Policy;

/// A candidate is accepted if its mean time ratio is below this; a smaller gain may be noise.
const GAIN: f64 = 0.985;
/// A candidate is rejected if any subject is slower by this factor.
const LOSS: f64 = 1.02;
/// Tolerance for measurement noise when comparing with the built-in sizes.
const NOISE: f64 = 1.01;
/// Maximum number of local search steps per visit of a parameter.
const STEPS: usize = 6;
/// Time reserved for the final table: a multiple of the expected time of each row, and a fraction of the budget as
/// margin.
const ROW_SHARE: f64 = 1.5;
const MARGIN: f64 = 0.05;

/// Progress of tuning.
#[derive(Clone, Debug)]
pub struct TuneProgress {
    /// Time elapsed so far.
    pub elapsed: Duration,
    /// Time limit.
    pub budget: Duration,
    /// Benchmark that is being measured.
    pub subject: String,
    /// Number of candidates tried so far.
    pub candidates: u32,
}

/// Comparison of built-in and tuned sizes for one benchmark, measured side by side.
#[derive(Clone, Debug)]
pub struct Won {
    /// Name of the benchmark.
    pub subject: String,
    /// Number of elements.
    pub n: u64,
    /// GPU time with the built-in sizes in nanoseconds.
    pub built_in: f64,
    /// GPU time with the tuned sizes in nanoseconds.
    pub tuned: f64,
}

/// Callback that reports progress.
pub(super) type OnProgress<'p> = &'p mut dyn FnMut(&TuneProgress);

/// A search for the sizes of one ranking.
pub(super) struct Search<'l, 'c, 'p> {
    pub lab: &'l mut Lab<'c>,
    pub on_progress: OnProgress<'p>,
    /// The best sizes so far.
    pub best: Policy,
    /// Subjects measured so far, in order.
    pub visited: Vec<Subject>,
    /// Subjects for which the initial sizes gave the right result.
    checked: Vec<Subject>,
    timers: HashMap<Subject, Timer<'c>>,
    knobs: Vec<Knob>,
}

impl<'l, 'c, 'p> Search<'l, 'c, 'p> {
    pub fn new(lab: &'l mut Lab<'c>, on_progress: OnProgress<'p>, start: Policy) -> Self {
        let (timers, knobs) = (HashMap::new(), Vec::new());
        let (visited, checked) = (Vec::new(), Vec::new());
        Self { lab, on_progress, best: start, visited, checked, timers, knobs }
    }

    /// Runs the search, with at most `largest` elements. With `shared`, also tunes the sizes that both rankings share.
    pub fn run(&mut self, largest: u64, shared: bool) -> Result<()> {
        let software = self.lab.software;
        let mut first = tiles(&self.best, largest, true);
        let mut rest = tiles(&self.best, largest, false);
        let mut other_knobs = knob::other_knobs(&self.best, largest, software);
        other_knobs.retain(|knob| shared || knob.of_ranking);
        if software {
            self.visit_all(&mut other_knobs, false)?;
            self.visit_all(&mut first, true)?;
        } else {
            self.visit_all(&mut first, true)?;
            self.visit_all(&mut first, false)?;
            self.visit_all(&mut other_knobs, false)?;
            self.visit_all(&mut rest, false)?;
            self.visit_all(&mut rest, true)?;
            self.visit_all(&mut first, false)?;
            self.visit_all(&mut rest, false)?;
        }
        self.knobs.extend(first.into_iter().chain(rest).chain(other_knobs));
        Ok(())
    }

    fn visit_all(&mut self, knobs: &mut [Knob], wide: bool) -> Result<()> {
        knobs.iter_mut().try_for_each(|knob| self.visit(knob, wide))
    }

    fn visit(&mut self, knob: &mut Knob, wide: bool) -> Result<()> {
        let tile = matches!(knob.candidates, Candidates::Tile { .. });
        let steps = if tile && !wide { STEPS } else { 1 };
        for _ in 0..steps {
            if !(knob.matters)(&self.best) || !self.lab.clock.has_time() {
                return Ok(());
            }
            let candidates = knob.around(&self.best, wide, self.lab.software);
            if candidates.is_empty() || !self.try_all(knob, &candidates)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Tries the candidates and accepts each that is better than the best so far. Returns whether any was accepted.
    fn try_all(&mut self, knob: &Knob, candidates: &[Policy]) -> Result<bool> {
        let mut better = false;
        self.time_best(knob)?;
        // The initial sizes must also give the right result before candidates are compared with them.
        for &subject in &knob.subjects {
            if !self.checked.contains(&subject) {
                if !self.lab.check(subject, &self.best)? {
                    return Ok(false);
                }
                self.checked.push(subject);
            }
        }
        let best = timers_of(&self.timers, knob);
        let differs = |candidate: &&Policy| self.lab.differs(candidate, &knob.subjects, &best);
        let candidates: Vec<Policy> = candidates.iter().filter(differs).copied().collect();
        for batch in candidates.chunks(self.lab.batch()) {
            if !self.lab.clock.has_time() {
                break;
            }
            let begin = Instant::now();
            let ready = self.lab.make_ready(batch, &knob.subjects);
            self.lab.clock.record_step(begin.elapsed());
            for (candidate, ready) in batch.iter().zip(ready) {
                if !self.lab.clock.has_time() {
                    break;
                }
                self.report_progress(knob);
                self.time_best(knob)?;
                let best = timers_of(&self.timers, knob);
                let judged = self.lab.judge(candidate, ready, &knob.subjects, &best)?;
                let faster = judged.is_some_and(|j| j.mean < GAIN && j.worst < LOSS);
                if faster {
                    tracing::debug!(knob = knob.name, ?judged, "faster");
                    self.best = *candidate;
                    self.timers.clear();
                    better = true;
                }
            }
        }
        Ok(better)
    }

    /// Creates timers for the best sizes so far.
    fn time_best(&mut self, knob: &Knob) -> Result<()> {
        // Drop the timers of other subjects to free memory.
        self.timers.retain(|subject, _| knob.subjects.contains(subject));
        for &subject in &knob.subjects {
            if !self.timers.contains_key(&subject) {
                self.timers.insert(subject, self.lab.timer(subject, &self.best)?);
            }
            if !self.visited.contains(&subject) {
                self.visited.push(subject);
            }
        }
        // Reserve time for one row per subject, and for measuring some again after reverting sizes.
        let rows = self.lab.row_time().mul_f64(ROW_SHARE * self.visited.len() as f64);
        self.lab.clock.reserve = rows + self.lab.clock.budget.mul_f64(MARGIN);
        Ok(())
    }

    fn report_progress(&mut self, knob: &Knob) {
        let subject = knob.subjects.first().map(Subject::name).unwrap_or_default();
        (self.on_progress)(&TuneProgress {
            elapsed: self.lab.clock.elapsed(),
            budget: self.lab.clock.budget,
            subject: format!("{}: {subject}", knob.name),
            candidates: self.lab.counts.tried,
        });
    }

    /// Compares the tuned sizes with the built-in ones, side by side. With `take_back`, reverts sizes that are slower,
    /// or could not be measured in time.
    pub fn won(&mut self, built_in: &Policy, take_back: bool) -> Result<Vec<Won>> {
        // Drop the timers to free memory.
        self.timers.clear();
        let mut rows = Vec::new();
        for subject in self.visited.clone() {
            rows.push((subject, self.row(subject, built_in)?));
        }
        let mut changed = HashSet::new();
        for (subject, won) in rows.iter().filter(|_| take_back) {
            if won.as_ref().is_some_and(|won| won.tuned <= NOISE * won.built_in) {
                continue;
            }
            for knob in self.knobs.iter().filter(|knob| knob.subjects.contains(subject)) {
                (knob.revert)(&mut self.best, built_in);
                changed.extend(knob.subjects.iter().copied());
            }
        }
        for (subject, won) in rows.iter_mut().filter(|(subject, _)| changed.contains(subject)) {
            *won = self.row(*subject, built_in)?;
        }
        Ok(rows.into_iter().filter_map(|(_, won)| won).collect())
    }

    /// A row of the comparison; `None` if the time is up.
    fn row(&mut self, subject: Subject, built_in: &Policy) -> Result<Option<Won>> {
        if self.lab.clock.is_over() {
            return Ok(None);
        }
        let [tuned, built_in] = self.lab.both(subject, [&self.best, built_in])?;
        Ok(Some(Won { subject: subject.name(), n: subject.n, built_in, tuned }))
    }
}

fn timers_of<'t, 'c>(timers: &'t HashMap<Subject, Timer<'c>>, knob: &Knob) -> Vec<&'t Timer<'c>> {
    knob.subjects.iter().filter_map(|subject| timers.get(subject)).collect()
}

/// Mean time ratio of two policies over three important benchmarks.
pub(super) fn ratio(lab: &mut Lab<'_>, [a, b]: [&Policy; 2], largest: u64) -> Result<f64> {
    let operations = [Operation::SortKeys, Operation::SortPairs, Operation::SplitKeys(256)];
    let mut mean = 0.0;
    for operation in operations {
        let subject = Subject { operation, n: largest };
        let [a, b] = lab.both(subject, [a, b])?;
        mean += (a / b).ln() / 3.0;
    }
    Ok(mean.exp())
}

/// Tile parameters of sorts and splits: those with the largest effect (`first`), or all others.
fn tiles(policy: &Policy, largest: u64, first: bool) -> Vec<Knob> {
    let matters = |knob: &Knob| {
        knob.subjects.iter().any(|subject| subject.n == largest || subject.n == SMALL)
    };
    let sorts = [Operation::SortKeys, Operation::SortPairs].into_iter();
    let sorts = sorts.flat_map(|operation| knob::sort_tiles(operation, policy, largest));
    let mut knobs: Vec<Knob> = sorts.filter(|knob| matters(knob) == first).collect();
    // The classes for 256 and 8 buckets first, then the others.
    let classes: &[usize] = if first { &[7, 2] } else { &[4, 0, 1, 3, 5, 6] };
    for of in [Operation::SplitKeys, Operation::SplitPairs, Operation::SplitRange] {
        knobs.extend(classes.iter().flat_map(|&class| knob::split(of, class, largest)));
    }
    if !first {
        knobs.extend(knob::sort_tiles(Operation::SortWideKeys, policy, largest));
    }
    knobs
}
