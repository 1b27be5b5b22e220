//! Times runs and reports them to the context's observer.

use std::time::Instant;

use ash::vk;

use crate::device::context::Context;
use crate::device::observer::{PassTime, Run};
use crate::error::{Error, Result};
use crate::execute::executable::Executable;
use crate::execute::import::Bound;
use crate::execute::profiler::{Profiler, Timestamps, Timing};
use crate::execute::recorder::Prepared;

impl Context {
    /// Runs `executable` once and reports its times to the observer. Returns false without running it if there is no
    /// observer or the device does not support timestamps.
    pub(crate) fn run_observed<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
    ) -> Result<bool> {
        let Some(observer) = &self.device.observer else { return Ok(false) };
        let _span = tracing::debug_span!("run", plan = %executable.plan().name()).entered();
        let times = match RunTimes::new(executable, observer.each_pass) {
            Err(Error::NoTimestamps { .. }) => return Ok(false),
            other => other?,
        };
        let mut before = Instant::now();
        self.run_prepared(executable, buffers, |raw, prepared| {
            // SAFETY: recording; the referenced objects are kept alive until it has run.
            unsafe { times.record(raw, prepared) };
            before = Instant::now();
        })?;
        let after = Instant::now();
        // SAFETY: the recording has run.
        let (begin_ticks, nanoseconds, passes) = unsafe { times.read() }?;
        let tick_nanoseconds = f64::from(self.device.properties.limits.timestamp_period);
        let plan = executable.plan().name().to_owned();
        let run = Run { plan, before, after, begin_ticks, tick_nanoseconds, nanoseconds, passes };
        observer.tell(run);
        Ok(true)
    }
}

/// Timestamps around a run or around each of its passes.
enum RunTimes {
    Passes(Profiler),
    Whole(Timestamps),
}

impl RunTimes {
    fn new(executable: &Executable, each_pass: bool) -> Result<Self> {
        match each_pass {
            true => Profiler::new(executable).map(Self::Passes),
            false => Timestamps::new(executable.device(), 2).map(Self::Whole),
        }
    }

    /// # Safety
    /// The requirements of [`Prepared::record`].
    unsafe fn record(&self, commands: vk::CommandBuffer, prepared: &Prepared<'_>) {
        match self {
            // SAFETY: by the caller's contract.
            Self::Passes(profiler) => unsafe {
                prepared.record(commands, Timing::Profiler(profiler));
            },
            // SAFETY: by the caller's contract.
            Self::Whole(timestamps) => unsafe {
                timestamps.reset(commands);
                timestamps.write(commands, 0);
                prepared.record(commands, Timing::None);
                timestamps.write(commands, 1);
            },
        }
    }

    /// The first timestamp, the total time in nanoseconds, and the times of the passes.
    ///
    /// # Safety
    /// The recording has run.
    unsafe fn read(&self) -> Result<(u64, f64, Vec<PassTime>)> {
        match self {
            Self::Passes(profiler) => {
                // SAFETY: by the caller's contract.
                let (begin, passes) = unsafe { profiler.read_with_begin() }?;
                let nanoseconds = passes.iter().map(|pass| pass.nanoseconds).sum();
                Ok((begin, nanoseconds, passes))
            }
            Self::Whole(timestamps) => {
                // SAFETY: by the caller's contract.
                let ticks = unsafe { timestamps.ticks() }?;
                let nanoseconds = timestamps.intervals(&ticks).into_iter().sum();
                Ok((ticks.first().copied().unwrap_or(0), nanoseconds, Vec::new()))
            }
        }
    }
}
