//! Measures operations: checks the result once, warms up, and then takes the median of consecutive runs while the
//! device clock is at its maximum.

use std::cell::{RefCell, RefMut};
use std::time::{Duration, Instant};

use anyhow::Result;
use multisplit::graph::{Graph, Plan};
use multisplit::{Array, Bound, Context, Key, operations};

use crate::clock::Clock;
use crate::figures::{self, median};
use crate::output::{Figure, Output, Timed};
use crate::passes;
use crate::plans::{Target, bytes_of};
use crate::stages::SplitFigure;

/// Measurement parameters.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    pub runs: u32,
    pub warmup_ms: u64,
    /// Whether to time each pass as well.
    pub passes: bool,
}

/// Runs benchmarks on one device, and outputs their figures.
pub struct Bench<'c> {
    pub context: &'c Context,
    pub target: Target,
    pub timing: Timing,
    /// Clock control; `None` for a software driver.
    pub clock: Option<Clock>,
    pub output: RefCell<&'c mut Output>,
}

/// An operation to be measured.
pub struct Case<'c> {
    /// The name in figures. Other benchmark programs use the same names.
    pub op: &'static str,
    pub method: &'static str,
    /// Element count.
    pub n: u64,
    /// Bucket count, bin count, row length or k, depending on the operation; 0 if it has none.
    pub m: u64,
    pub bound: Vec<Bound<'c>>,
    /// Restores the input before each run. Needed for in-place operations such as sorts, because sorting sorted
    /// data is slightly faster.
    pub restore: Option<&'c dyn Fn() -> Result<()>>,
    /// Key distribution of a split; `None` for other operations. If it is set, the figure includes stage times.
    pub distribution: Option<&'static str>,
}

impl<'c> Case<'c> {
    /// An operation on `n` elements without buckets.
    pub fn new(op: &'static str, method: &'static str, n: u64, bound: Vec<Bound<'c>>) -> Self {
        Self { op, method, n, m: 0, bound, restore: None, distribution: None }
    }

    fn restore(&self) -> Result<()> {
        self.restore.map_or(Ok(()), |restore| restore())
    }
}

impl<'c> Bench<'c> {
    /// Whether the device is a software driver.
    pub fn is_software(&self) -> bool {
        self.clock.is_none()
    }

    pub fn output(&self) -> RefMut<'_, &'c mut Output> {
        self.output.borrow_mut()
    }

    /// Runs the plan of `case` once, checks its result with `check`, and measures it.
    pub fn measure(
        &self,
        case: &Case<'_>,
        plan: &Plan,
        check: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let (context, runs) = (self.context, self.timing.runs);
        let (executable, bound) = (context.instantiate(plan.clone())?, &case.bound[..]);
        case.restore()?;
        context.run(&executable, bound)?;
        check()?;

        let time = match case.restore {
            None => {
                let batch = runs_per_batch(&context.time_runs(&executable, bound, ROUGH_RUNS)?);
                self.settled(|| {
                    let times = context.time_batches(&executable, bound, runs, batch)?;
                    Ok(times.into_iter().map(|time| time / f64::from(batch)).collect())
                })?
            }
            Some(restore) => self.settled(|| {
                let mut times = Vec::new();
                for _ in 0..runs {
                    restore()?;
                    self.keep_busy()?;
                    times.extend(context.time_runs(&executable, bound, 1)?);
                }
                Ok(times)
            })?,
        };
        let mut passes = Vec::new();
        if self.timing.passes || case.distribution.is_some() {
            case.restore()?;
            passes = passes::times(context, &executable, bound, runs)?;
        }
        let mut figure = Figure::new(case.op, case.method, case.n, time);
        figure.m = case.m;
        figure.split = case.distribution.map(|name| SplitFigure::new(name, &passes));
        self.output().figure(figure)?;
        if self.timing.passes {
            self.output().passes(&passes);
        }
        Ok(())
    }

    /// Returns a function that copies `from` to `to`.
    pub fn restoring<K: Key>(
        &self,
        from: &Array<K>,
        to: &Array<K>,
    ) -> Result<impl Fn() -> Result<()>> {
        let mut graph = Graph::new("restore");
        let length = K::TYPE.array_len(from.len());
        let [src, dst] = ["from", "to"].map(|name| graph.import::<K>(name, length));
        operations::copy(&mut graph, &self.target.policy, "memory.copy", src, dst)?;
        let executable = self.context.instantiate(graph.compile(&self.target.limits)?)?;
        Ok(move || Ok(self.context.run(&executable, &[(src, from), (dst, to)])?))
    }

    /// Keeps the device busy while the host prepares the next measurement.
    pub fn keep_busy(&self) -> Result<()> {
        self.clock.as_ref().map_or(Ok(()), Clock::keep_busy)
    }

    /// Measures the time of one run: the median of a batch of runs. Warms up first, and repeats batches until two
    /// consecutive ones agree. Starts again if they do not agree, or if the device clock is not at its maximum
    /// afterwards; makes at most `ATTEMPTS` attempts.
    pub fn settled(&self, mut batch: impl FnMut() -> Result<Vec<f64>>) -> Result<Timed> {
        let warmup = Duration::from_millis(self.timing.warmup_ms);
        let mut attempts = 0;
        loop {
            if let Some(clock) = &self.clock {
                clock.wait(self.context)?;
            }
            let start = Instant::now();
            let mut batch = || {
                self.keep_busy()?;
                batch()
            };
            while start.elapsed() < warmup {
                batch()?;
            }
            let batches = self.timing.warmup_ms / MS_OF_BATCH;
            let mut samples = Vec::new();
            let (nanoseconds, agreed) = agreed(batches, || {
                samples = batch()?;
                Ok(median(samples.clone()))
            })?;
            let up =
                self.clock.as_ref().map_or(Ok(true), |clock| clock.is_at_maximum(self.context))?;
            attempts += 1;
            if up && agreed || attempts == ATTEMPTS {
                return Ok(Timed { nanoseconds, settled: up && agreed, samples });
            }
        }
    }
}

/// Number of runs between two timestamps, given the durations of single runs in nanoseconds. Several short runs share
/// two timestamps, because a timestamp takes longer than the pause between two runs.
fn runs_per_batch(times: &[f64]) -> u32 {
    let fitting = BATCH_NANOSECONDS / median(times.to_vec()).max(1.0);
    (fitting as u32).clamp(1, MAX_RUNS_PER_BATCH)
}

/// Number of runs that are timed first, to choose the number of runs per batch.
const ROUGH_RUNS: u32 = 3;
/// Approximate duration of the runs between two timestamps.
const BATCH_NANOSECONDS: f64 = 4e6;
const MAX_RUNS_PER_BATCH: u32 = 32;

/// Maximum relative difference between the medians of two batches that agree.
const AGREEMENT: f64 = 0.03;
/// The maximum number of additional batches is the warm-up time divided by this many milliseconds.
const MS_OF_BATCH: u64 = 50;
/// Maximum number of attempts before a figure is reported as unreliable.
const ATTEMPTS: u32 = 4;

/// Calls `time` once, and then at most `max` more times until two consecutive results agree. Returns the last
/// result and whether it agreed. If `max` is 0, the first result counts as agreed.
fn agreed(max: u64, mut time: impl FnMut() -> Result<f64>) -> Result<(f64, bool)> {
    let mut last = time()?;
    for _ in 0..max {
        let next = time()?;
        let agree = (next - last).abs() <= AGREEMENT * last;
        last = next;
        if agree {
            return Ok((last, true));
        }
    }
    Ok((last, max == 0))
}

/// Reason why `arrays` arrays of `n` words do not fit in device memory; `None` if they do.
pub fn too_large(context: &Context, n: u64, arrays: u64) -> Option<String> {
    let properties = context.properties();
    let array = bytes_of(n);
    if array > properties.max_allocation {
        let (array, max) = (figures::bytes(array), figures::bytes(properties.max_allocation));
        return Some(format!("an array needs {array}, but an allocation can have at most {max}"));
    }
    // Leave a tenth for workspace, staging, and other programs.
    let (all, available) = (array.saturating_mul(arrays), properties.device_memory / 10 * 9);
    (all > available).then(|| {
        let [needed, max] = [all, available].map(figures::bytes);
        format!("input and output need {needed}, but at most {max} of device memory may be used")
    })
}

#[cfg(test)]
mod tests {
    use super::agreed;

    #[test]
    fn measurement_repeats_until_two_batches_agree() {
        let of = |max| {
            let mut times = [9.0, 5.0, 4.0, 3.9, 1.0].into_iter();
            agreed(max, || Ok(times.next().expect("there are at most five calls")))
                .expect("the measurement succeeds")
        };
        let not_yet = [(5.0, false), (4.0, false)];
        assert_eq!(of(0), (9.0, true));
        assert_eq!([of(1), of(2)], not_yet);
        assert_eq!([of(3), of(100)], [(3.9, true), (3.9, true)]);
    }
}
