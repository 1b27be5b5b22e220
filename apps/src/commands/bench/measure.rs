//! How a figure is measured: checked once, warmed up, then the median of runs in a row.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use multisplit::{Array, Bound, Context, Executable};

use super::output::{Figure, Output};
use super::subjects::{Case, POISON, Subject};
use crate::figures::{elements_per_nanosecond, median};
use crate::plans::{Target, WordPlan};
use crate::{data, passes, size};

/// How long and how often.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    pub runs: u32,
    pub warmup_ms: u64,
    /// Whether each pass is timed too.
    pub passes: bool,
}

/// Measures on one device.
pub struct Bench<'c> {
    pub context: &'c Context,
    pub timing: Timing,
    /// Whether the device is a software driver, which gets less to do where nothing is said.
    pub software: bool,
    /// One tile in so many checks itself, where that is said.
    pub canary: Option<u32>,
}

/// What the cases of one size share.
struct Arrays {
    input: Vec<u32>,
    src: Array<u32>,
    dst: Array<u32>,
    poison: WordPlan,
}

impl Bench<'_> {
    /// What plans are made for.
    pub fn target(&self) -> Target {
        let mut target = Target::context(self.context);
        if let Some(period) = self.canary {
            target.policy.split.canary_period = period;
        }
        target
    }

    /// Measures `subject` on `n` elements; the input is made and uploaded once.
    pub fn measure(&self, subject: Subject, n: u64, output: &mut Output) -> Result<()> {
        let target = Target::context(self.context);
        let cases = subject.cases(&target, n)?;
        // Device memory first: what does not fit there need not be made on the host.
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
        let (context, runs) = (self.context, self.timing.runs);
        let executable = context.instantiate(case.planned.plan.clone())?;
        let bound = case.planned.bind(&arrays.src, &arrays.dst);

        let poison = context.instantiate(arrays.poison.plan.clone())?;
        context.run(&poison, &arrays.poison.bind(&arrays.src, &arrays.dst))?;
        context.run(&executable, &bound)?;
        (case.check)(&arrays.input, &context.download(&arrays.dst)?)?;

        let nanoseconds = self.time(&executable, &bound)?;
        output.figure(Figure {
            op: case.op,
            n,
            // No buckets: the key is there for the figures that have them.
            m: 0,
            ms: nanoseconds / 1e6,
            gps: elements_per_nanosecond(n, nanoseconds),
            method: case.method,
            split: None,
        })?;
        if self.timing.passes {
            output.passes(&passes::times(context, &executable, &bound, runs)?);
        }
        Ok(())
    }

    /// Nanoseconds of one run, once the clocks are up.
    pub fn time(&self, executable: &Executable, bound: &[Bound<'_>]) -> Result<f64> {
        let batch = || Ok(self.context.time_runs(executable, bound, self.timing.runs)?);
        settled(&self.timing, batch)
    }
}

/// Two medians this close are the same: by a share of one of them.
const AGREEMENT: f64 = 0.03;
/// More batches than this many milliseconds of warming up each are not waited for.
const MS_OF_BATCH: u64 = 50;

/// Nanoseconds of one run: the median of a batch of runs, once the time to warm up has passed and
/// two batches in a row agree. Clocks that went down while the CPU checked a result come up in
/// their own time.
pub fn settled(timing: &Timing, mut batch: impl FnMut() -> Result<Vec<f64>>) -> Result<f64> {
    let (start, warmup) = (Instant::now(), Duration::from_millis(timing.warmup_ms));
    while start.elapsed() < warmup {
        batch()?;
    }
    agreed(timing.warmup_ms / MS_OF_BATCH, || Ok(median(batch()?)))
}

/// The first time that agrees with the one before it, of at most `max` more than one.
fn agreed(max: u64, mut time: impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut last = time()?;
    for _ in 0..max {
        let next = time()?;
        let agree = (next - last).abs() <= AGREEMENT * last;
        last = next;
        if agree {
            break;
        }
    }
    Ok(last)
}

#[cfg(test)]
mod tests {
    use super::agreed;

    #[test]
    fn a_figure_is_one_that_two_batches_agree_on() {
        let of = |max| {
            let mut times = [9.0, 5.0, 4.0, 3.9, 1.0].into_iter();
            agreed(max, || Ok(times.next().expect("no more than these"))).expect("a time")
        };
        assert_eq!([of(0), of(1), of(2), of(3), of(100)], [9.0, 5.0, 4.0, 3.9, 3.9]);
    }
}
