//! How a run is timed and told to the context's observer.

use std::time::Instant;

use crate::device::context::Context;
use crate::device::observer::Run;
use crate::error::{Error, Result};
use crate::execute::executable::Executable;
use crate::execute::import::Bound;
use crate::execute::profiler::{Profiler, Timing};

impl Context {
    /// Runs `executable` once and tells the observer. Says false, and has not run it, where there
    /// is none, or no timestamps.
    pub(crate) fn run_observed<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
    ) -> Result<bool> {
        let Some(observer) = &self.device.observer else { return Ok(false) };
        let _span = tracing::debug_span!("run", plan = %executable.plan().name()).entered();
        let profiler = match Profiler::new(executable) {
            Err(Error::NoTimestamps { .. }) => return Ok(false),
            other => other?,
        };
        let mut before = Instant::now();
        self.run_prepared(executable, buffers, |raw, prepared| {
            // SAFETY: recording; what it refers to is kept until it has run.
            unsafe { prepared.record(raw, Timing::Profiler(&profiler)) };
            before = Instant::now();
        })?;
        let after = Instant::now();
        // SAFETY: the recording has run.
        let (begin_ticks, passes) = unsafe { profiler.read_with_begin() }?;
        let tick_nanoseconds = f64::from(self.device.properties.limits.timestamp_period);
        let plan = executable.plan().name().to_owned();
        observer.tell(Run { plan, before, after, begin_ticks, tick_nanoseconds, passes });
        Ok(true)
    }
}
