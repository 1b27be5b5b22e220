//! What ran on the device when, told to whoever wants to draw it beside what the host did.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::executor::Executable;
use crate::import::Bound;
use crate::profiler::{PassTime, Profiler, Timing};

/// One run of a plan.
#[derive(Clone, Debug)]
pub struct Run {
    /// The plan's name.
    pub plan: String,
    /// When, by the host's clock, it had not begun yet.
    pub before: Instant,
    /// When, by the host's clock, it was over.
    pub after: Instant,
    /// The device's clock when the first pass began. Its zero is arbitrary.
    pub begin_ticks: u64,
    /// Nanoseconds of a tick of that clock.
    pub tick_nanoseconds: f64,
    /// The passes, one after another.
    pub passes: Vec<PassTime>,
}

/// Is told of every [`Context::run`]. The passes of such runs are timed, which keeps them from
/// overlapping.
#[derive(Clone)]
pub struct Observer(Arc<dyn Fn(Run) + Send + Sync>);

impl Observer {
    /// Calls `tell` after every run.
    pub fn new(tell: impl Fn(Run) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

impl Context {
    /// Runs `executable` once and tells the observer. Says false, and has not run it, where there
    /// is none, or no timestamps.
    pub(crate) fn run_observed<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
    ) -> Result<bool> {
        let Some(Observer(tell)) = &self.device.observer else { return Ok(false) };
        let _span = tracing::debug_span!("run", plan = %executable.plan().name).entered();
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
        let plan = executable.plan().name.clone();
        tell(Run { plan, before, after, begin_ticks, tick_nanoseconds, passes });
        Ok(true)
    }
}
