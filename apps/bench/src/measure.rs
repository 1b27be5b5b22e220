//! Measures figures: checks the result once, warms up, then takes the median of consecutive runs at full
//! clock.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use multisplit::graph::Graph;
use multisplit::{Array, Bound, Context, Executable, Key, operations};

use crate::clock::Clock;
use crate::figures::{self, median};
use crate::output::{Figure, Output, Timed};
use crate::plans::{Target, WordPlan, bytes_of};
use crate::subjects::cases::{Case, POISON, Subject};
use crate::{data, passes, size};

/// Measurement parameters.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    pub runs: u32,
    pub warmup_ms: u64,
    /// Whether to time each pass as well.
    pub passes: bool,
}

/// Runs benchmarks on one device.
pub struct Bench<'c> {
    pub context: &'c Context,
    pub timing: Timing,
    /// Whether the device is a software driver, for which the defaults are smaller.
    pub software: bool,
    /// One tile in this many checks its own lane order, if given.
    pub canary: Option<u32>,
    /// Clock control; `None` for a software driver.
    pub clock: Option<Clock>,
}

/// Arrays shared by all cases of one size.
struct Arrays {
    input: Vec<u32>,
    src: Array<u32>,
    dst: Array<u32>,
    poison: WordPlan,
}

impl Bench<'_> {
    /// The target for plans.
    pub fn target(&self) -> Target {
        let mut target = Target::context(self.context);
        if let Some(period) = self.canary {
            target.policy.split.canary_period = period;
        }
        target
    }

    /// Measures `subject` on `n` elements. Generates and uploads the input once.
    pub fn measure(&self, subject: Subject, n: u64, output: &mut Output) -> Result<()> {
        let target = Target::context(self.context);
        let cases = subject.cases(&target, n)?;
        // Allocate device memory first, so that a size that does not fit fails before generating the input.
        let src = self.context.zeroed::<u32>(n)?;
        let dst = self.context.zeroed::<u32>(n)?;
        let input = data::random_words(n, data::SEED)?;
        self.context.write(&src, 0, &input)?;
        let arrays = Arrays { input, src, dst, poison: target.fill(n, POISON)? };
        for case in &cases {
            self.measure_case(case, n, &arrays, output)
                .with_context(|| format!("{} ({}), n = {}", case.op, case.method, size::show(n)))?;
        }
        Ok(())
    }

    fn measure_case(
        &self,
        case: &Case,
        n: u64,
        arrays: &Arrays,
        output: &mut Output,
    ) -> Result<()> {
        let context = self.context;
        let executable = context.instantiate(case.planned.plan.clone())?;
        let bound = case.planned.bind(&arrays.src, &arrays.dst);

        let poison = context.instantiate(arrays.poison.plan.clone())?;
        context.run(&poison, &arrays.poison.bind(&arrays.src, &arrays.dst))?;
        context.run(&executable, &bound)?;
        (case.check)(&arrays.input, &context.download(&arrays.dst)?)?;

        self.figure((case.op, case.method), (n, 0), &executable, &bound, output)
    }

    /// Measures `executable`, on `n` elements and `m` buckets (or 0).
    pub fn figure(
        &self,
        names: (&'static str, &'static str),
        (n, m): (u64, u64),
        executable: &Executable,
        bound: &[Bound<'_>],
        output: &mut Output,
    ) -> Result<()> {
        output.figure(Figure::new(names, n, m, self.time(executable, bound)?))?;
        self.passes(executable, bound, output)
    }

    /// Like [`figure`](Self::figure), but calls `restore` before each run. Needed for in-place operations
    /// such as sorts, because sorting sorted data is slightly faster.
    pub fn figure_restoring(
        &self,
        names: (&'static str, &'static str),
        (n, m): (u64, u64),
        (executable, bound): (&Executable, &[Bound<'_>]),
        restore: impl Fn() -> Result<()>,
        output: &mut Output,
    ) -> Result<()> {
        let time = self.settled(|| {
            let mut times = Vec::new();
            for _ in 0..self.timing.runs {
                restore()?;
                self.keep_busy()?;
                times.extend(self.context.time_runs(executable, bound, 1)?);
            }
            Ok(times)
        })?;
        output.figure(Figure::new(names, n, m, time))?;
        if self.timing.passes {
            restore()?;
        }
        self.passes(executable, bound, output)
    }

    /// Returns a function that copies `from` to `to`.
    pub fn restoring<K: Key>(
        &self,
        from: &Array<K>,
        to: &Array<K>,
    ) -> Result<impl Fn() -> Result<()>> {
        let target = self.target();
        let mut graph = Graph::new("restore");
        let length = K::TYPE.array_len(from.len());
        let [src, dst] = ["from", "to"].map(|name| graph.import::<K>(name, length));
        operations::copy(&mut graph, &target.policy, "memory.copy", src, dst)?;
        let executable = self.context.instantiate(graph.compile(&target.limits)?)?;
        Ok(move || Ok(self.context.run(&executable, &[(src, from), (dst, to)])?))
    }

    /// Prints the time of each pass, if requested.
    fn passes(
        &self,
        executable: &Executable,
        bound: &[Bound<'_>],
        output: &mut Output,
    ) -> Result<()> {
        if self.timing.passes {
            output.passes(&passes::times(self.context, executable, bound, self.timing.runs)?);
        }
        Ok(())
    }

    /// Time of one run at full clock.
    pub fn time(&self, executable: &Executable, bound: &[Bound<'_>]) -> Result<Timed> {
        self.settled(|| Ok(self.context.time_runs(executable, bound, self.timing.runs)?))
    }

    /// Keeps the device busy while the host prepares the next measurement.
    pub fn keep_busy(&self) -> Result<()> {
        self.clock.as_ref().map_or(Ok(()), Clock::keep_busy)
    }

    /// Time of one run: the median of a batch of runs, after the warm-up time and after two consecutive
    /// batches agree, with the clock up before and after.
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
            let (nanoseconds, agreed) = agreed(batches, || Ok(median(batch()?)))?;
            let up = self.clock.as_ref().map_or(Ok(true), |clock| clock.is_up(self.context))?;
            attempts += 1;
            if up && agreed || attempts == ATTEMPTS {
                return Ok(Timed { nanoseconds, settled: up && agreed });
            }
        }
    }
}

/// Maximum relative difference of two medians that agree.
const AGREEMENT: f64 = 0.03;
/// Limits the number of batches: one per this many milliseconds of warm-up time.
const MS_OF_BATCH: u64 = 50;
/// Maximum number of measurements before a figure is reported as unstable.
const ATTEMPTS: u32 = 4;

/// Repeats `time` until two consecutive results agree, at most `max` times after the first. Returns the last
/// result and whether it agreed. With `max` of 0, the first result counts as agreed.
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

/// Reason why `arrays` arrays of `n` words do not fit the device, if they do not.
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
        let memory = figures::bytes(properties.device_memory);
        format!("input and output need {}, but the device has {memory}", figures::bytes(all))
    })
}

#[cfg(test)]
mod tests {
    use super::agreed;

    #[test]
    fn measurement_repeats_until_two_batches_agree() {
        let of = |max| {
            let mut times = [9.0, 5.0, 4.0, 3.9, 1.0].into_iter();
            agreed(max, || Ok(times.next().expect("no more than these"))).expect("a time")
        };
        let not_yet = [(5.0, false), (4.0, false)];
        assert_eq!(of(0), (9.0, true));
        assert_eq!([of(1), of(2)], not_yet);
        assert_eq!([of(3), of(100)], [(3.9, true), (3.9, true)]);
    }
}
