//! Evaluates candidate policies. First checks the results of a candidate, and then compares its GPU time with that of
//! the best policy so far.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use ash::vk;

use super::benchmark::{Benchmark, Operation, Purpose, Runner};
use super::data::Data;
use super::reference::References;
use crate::error::{Error, Result};
use crate::policy::Policy;

/// Approximate GPU time of a batch of runs, in nanoseconds. Writing a timestamp takes much less time.
const BATCH_NANOSECONDS: f64 = 2e6;
/// Allowed numbers of runs per batch.
const RUNS: std::ops::RangeInclusive<u32> = 3..=40;
/// Number of batches per timer in a comparison. The batches of the two timers alternate, so that changes of the
/// device's clocks affect both.
const ROUNDS: usize = 4;
/// A comparison stops, and the candidate is discarded, if the candidate is slower by more than this factor.
const MAX_SLOWDOWN: f64 = 1.2;
/// Lower bound of the estimated time of a comparison.
const MIN_ROW: Duration = Duration::from_millis(10);
/// Number of runs of a large sort that keep the device busy for a few milliseconds.
const WARM_UP_RUNS: u32 = 4;
/// Maximum number of threads that create pipelines concurrently.
const MAX_THREADS: usize = 8;
/// Number of elements for checking results: at least two tiles of every allowed size.
const CHECKED: u64 = 1 << 17;
/// Number of elements for checking results on software drivers, which are slow.
const CHECKED_IN_SOFTWARE: u64 = 1 << 13;

/// Time limit of tuning. Part of it is reserved for the final table, the comparison with the built-in sizes.
pub(super) struct Clock {
    begin: Instant,
    pub budget: Duration,
    /// Estimated duration of a step: the maximum over recent steps. The weight of older steps decays.
    step: Duration,
    /// Time reserved for the final table.
    pub reserve: Duration,
}

impl Clock {
    pub fn new(budget: Duration) -> Self {
        Self { begin: Instant::now(), budget, step: Duration::ZERO, reserve: Duration::ZERO }
    }

    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Whether there is time for another step.
    pub fn has_time(&self) -> bool {
        self.elapsed() + self.reserve + self.step < self.budget
    }

    /// Whether the time limit has been reached.
    pub fn is_over(&self) -> bool {
        self.elapsed() >= self.budget
    }

    pub fn record_step(&mut self, step: Duration) {
        self.step = step.max(self.step.mul_f64(0.75));
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub tried: u32,
    pub rejected: u32,
    pub wrong: u32,
}

pub(super) struct Evaluator<'c> {
    pub data: &'c Data,
    pub clock: Clock,
    pub counts: Counts,
    pub software: bool,
    references: References,
    /// GPU time of the copies at the start of a sort, which timers subtract.
    overheads: HashMap<Benchmark, f64>,
    threads: usize,
    /// A sort that keeps the device busy while pipelines are created.
    warm_up_runner: OnceLock<Option<Runner<'c>>>,
    /// Total time of all comparisons.
    compared: Duration,
    comparisons: u32,
}

impl<'c> Evaluator<'c> {
    pub fn new(data: &'c Data, clock: Clock) -> Self {
        let software = data.context.properties().device_type == vk::PhysicalDeviceType::CPU;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            data,
            clock,
            counts: Counts::default(),
            software,
            references: References::default(),
            overheads: HashMap::new(),
            // A software driver compiles a kernel on its first run, with all cores.
            threads: if software { 1 } else { cores.min(MAX_THREADS) },
            warm_up_runner: OnceLock::new(),
            compared: Duration::ZERO,
            comparisons: 0,
        }
    }

    /// Keeps the device busy for a few milliseconds. An idle device lowers its clocks, which would slow down the
    /// following measurements by varying factors.
    fn warm_up(&self) {
        let warm_up_runner = self.warm_up_runner.get_or_init(|| {
            let benchmark = Benchmark { operation: Operation::SortKeys, n: self.data.keys.len() };
            let policy = self.data.context.policy();
            benchmark.runner(self.data, &policy, Purpose::Timing).ok()
        });
        let warmed_up = warm_up_runner.as_ref().map(|runner| runner.run(WARM_UP_RUNS));
        // If the sort is not available or fails, sleep instead of spinning.
        if !matches!(warmed_up, Some(Ok(()))) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Estimated time for one row of the final table.
    pub fn row_time(&self) -> Duration {
        self.compared.checked_div(self.comparisons).unwrap_or_default().max(MIN_ROW)
    }

    /// Number of candidates to prepare at a time.
    pub fn batch(&self) -> usize {
        self.threads
    }

    /// Number of elements for checking results.
    fn checked(&self) -> u64 {
        if self.software { CHECKED_IN_SOFTWARE } else { CHECKED }
    }

    /// A smaller version of a benchmark, to check the results.
    fn small(&self, benchmark: Benchmark, policy: &Policy) -> (Benchmark, Policy) {
        let small = benchmark.up_to(self.checked());
        let mut policy = *policy;
        // Sorts use the tile that the table selects for the number of elements of the timed benchmark.
        if let Some((_, table)) = benchmark.operation.sort_table() {
            let table = table(&mut policy);
            if let Some((_, shape)) = table.iter().copied().find(|(max, _)| benchmark.n <= *max) {
                table.fill((u64::MAX, shape));
            }
        }
        (small, policy)
    }

    /// Creates the pipelines of a candidate. Returns one runner per benchmark, for a run whose result is checked.
    fn prepare(&self, policy: &Policy, benchmarks: &[Benchmark]) -> Result<Vec<Runner<'c>>> {
        let runner = |benchmark: &Benchmark| {
            let (small, policy) = self.small(*benchmark, policy);
            small.runner(self.data, &policy, Purpose::Check)
        };
        benchmarks.iter().map(runner).collect()
    }

    /// Like [`prepare`](Self::prepare), for several candidates on several threads.
    pub fn prepare_all(
        &self,
        candidates: &[Policy],
        benchmarks: &[Benchmark],
    ) -> Vec<Result<Vec<Runner<'c>>>> {
        if candidates.len() < 2 || self.threads < 2 {
            return candidates.iter().map(|policy| self.prepare(policy, benchmarks)).collect();
        }
        std::thread::scope(|scope| {
            let spawn = |policy| scope.spawn(move || self.prepare(policy, benchmarks));
            let running: Vec<_> = candidates.iter().map(spawn).collect();
            while running.iter().any(|thread| !thread.is_finished()) {
                self.warm_up();
            }
            let panicked = |_| {
                let problem = "a thread that compiled pipelines panicked".to_owned();
                Err(Error::Policy { problem })
            };
            running.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
        })
    }

    /// Checks whether a policy gives the right result for a benchmark. Counts wrong results.
    pub fn check(&mut self, benchmark: Benchmark, policy: &Policy) -> Result<bool> {
        let ready = self.prepare(policy, &[benchmark])?;
        let right = self.is_right(&ready, &[benchmark])?;
        if !right {
            tracing::warn!(?benchmark, "the best sizes so far give a wrong result");
            self.counts.wrong += 1;
        }
        Ok(right)
    }

    fn is_right(&mut self, ready: &[Runner<'_>], benchmarks: &[Benchmark]) -> Result<bool> {
        for (runner, benchmark) in ready.iter().zip(benchmarks) {
            runner.run(1)?;
            let small = benchmark.up_to(self.checked());
            if !self.references.is_right(self.data, small)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Creates a timer for a benchmark with a policy.
    pub fn timer(&mut self, benchmark: Benchmark, policy: &Policy) -> Result<Timer<'c>> {
        let runner = benchmark.runner(self.data, policy, Purpose::Timing)?;
        let overhead = match self.overheads.get(&benchmark) {
            Some(&known) => known,
            None => {
                let copies = benchmark.overhead(self.data, policy)?;
                let timed = copies.map(|runner| Timer { runner, overhead: 0.0 }.best_time());
                let overhead = timed.transpose()?.unwrap_or(0.0);
                self.overheads.insert(benchmark, overhead);
                overhead
            }
        };
        Ok(Timer { runner, overhead })
    }

    /// Whether a candidate changes the plan of any benchmark. Also true if planning fails, so that `judge` reports
    /// the error.
    pub fn differs(
        &self,
        candidate: &Policy,
        benchmarks: &[Benchmark],
        best: &[&Timer<'_>],
    ) -> bool {
        let mut pairs = benchmarks.iter().zip(best);
        pairs.any(|(benchmark, best)| !self.is_same(candidate, *benchmark, best))
    }

    fn is_same(&self, policy: &Policy, benchmark: Benchmark, timer: &Timer<'_>) -> bool {
        let plan = timer.runner.executable.plan();
        benchmark.is_planned_as(self.data, policy, plan).unwrap_or(false)
    }

    /// GPU times of a benchmark with two policies in nanoseconds. The runs of the two alternate. If both policies give
    /// the same plan, it is measured only once.
    pub fn time_both(&mut self, benchmark: Benchmark, [a, b]: [&Policy; 2]) -> Result<[f64; 2]> {
        let of_b = self.timer(benchmark, b)?;
        if self.is_same(a, benchmark, &of_b) {
            let time = of_b.best_time()?;
            return Ok([time, time]);
        }
        let of_a = self.timer(benchmark, a)?;
        compare([&of_a, &of_b], f64::MAX)
    }

    /// Compares the GPU time of a candidate with the best policy so far. Returns `None` if a result is wrong, if the
    /// device rejects the candidate, or if it is much slower.
    pub fn judge(
        &mut self,
        candidate: &Policy,
        ready: Result<Vec<Runner<'c>>>,
        benchmarks: &[Benchmark],
        best: &[&Timer<'c>],
    ) -> Result<Option<Judged>> {
        let begin = Instant::now();
        self.counts.tried += 1;
        let outcome = ready.and_then(|ready| {
            if !self.is_right(&ready, benchmarks)? {
                tracing::warn!(?candidate, "candidate skipped: it gives a wrong result");
                self.counts.wrong += 1;
                return Ok(None);
            }
            drop(ready);
            self.compare_all(candidate, benchmarks, best)
        });
        self.clock.record_step(begin.elapsed());
        match outcome {
            // After the device is lost, no other candidate can be measured.
            Err(error @ Error::Vulkan { result: vk::Result::ERROR_DEVICE_LOST, .. }) => Err(error),
            Err(error) => {
                tracing::debug!(%error, "candidate rejected");
                self.counts.rejected += 1;
                Ok(None)
            }
            Ok(judged) => Ok(judged),
        }
    }

    fn compare_all(
        &mut self,
        candidate: &Policy,
        benchmarks: &[Benchmark],
        best: &[&Timer<'c>],
    ) -> Result<Option<Judged>> {
        let mut judged = Judged { mean: 0.0, worst: 0.0 };
        for (benchmark, best) in benchmarks.iter().zip(best) {
            if self.is_same(candidate, *benchmark, best) {
                judged.worst = judged.worst.max(1.0);
                continue;
            }
            let timer = self.timer(*benchmark, candidate)?;
            // Some drivers compile a pipeline on its first run. This run keeps the compilation out of the measured
            // time.
            timer.time(1)?;
            let begin = Instant::now();
            let [candidate, best] = compare([&timer, best], MAX_SLOWDOWN)?;
            self.compared += begin.elapsed();
            self.comparisons += 1;
            let ratio = candidate / best;
            if ratio > MAX_SLOWDOWN {
                return Ok(None);
            }
            judged.mean += ratio.ln() / benchmarks.len() as f64;
            judged.worst = judged.worst.max(ratio);
        }
        judged.mean = judged.mean.exp();
        Ok(Some(judged))
    }
}

/// GPU time of a candidate relative to the best policy so far. Less than 1 is faster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    /// Geometric mean over all benchmarks.
    pub mean: f64,
    /// Maximum over all benchmarks.
    pub worst: f64,
}

/// Runs a benchmark repeatedly and measures its GPU time.
pub(super) struct Timer<'d> {
    runner: Runner<'d>,
    /// GPU time of the copies before each run of a sort, in nanoseconds. It is subtracted from the measured times.
    overhead: f64,
}

impl Timer<'_> {
    /// Median GPU time of `runs` consecutive runs in nanoseconds, without the copies before each run.
    fn time(&self, runs: u32) -> Result<f64> {
        let mut times = self.runner.time(runs)?;
        times.sort_by(f64::total_cmp);
        let median = times.get(times.len() / 2).copied().unwrap_or(0.0);
        // The result is at least 1, even if the device's timestamps are imprecise.
        Ok((median - self.overhead).max(1.0))
    }

    fn runs(&self) -> Result<u32> {
        let once = self.time(1)? + self.overhead;
        Ok((BATCH_NANOSECONDS / once).clamp(f64::from(*RUNS.start()), f64::from(*RUNS.end()))
            as u32)
    }

    /// Shortest of the median times of several batches, in nanoseconds.
    fn best_time(&self) -> Result<f64> {
        let runs = self.runs()?;
        let mut best = f64::MAX;
        for _ in 0..ROUNDS {
            best = best.min(self.time(runs)?);
        }
        Ok(best)
    }
}

/// Shortest of the median times of several batches, for both timers, in nanoseconds. The batches alternate between
/// the timers. Stops early if `a` is slower than `b` by more than the factor `max_slowdown`.
pub(super) fn compare([a, b]: [&Timer<'_>; 2], max_slowdown: f64) -> Result<[f64; 2]> {
    // The first run is not counted, because it may include compilation.
    a.time(1)?;
    let runs = b.runs()?;
    let mut quickest = [f64::MAX; 2];
    for round in 0..ROUNDS {
        // The order alternates, because the caches contain data of the timer that ran last.
        let times = match round % 2 {
            0 => [a.time(runs)?, b.time(runs)?],
            _ => {
                let b = b.time(runs)?;
                [a.time(runs)?, b]
            }
        };
        quickest = [quickest[0].min(times[0]), quickest[1].min(times[1])];
        if quickest[0] > max_slowdown * quickest[1] {
            break;
        }
    }
    Ok(quickest)
}
