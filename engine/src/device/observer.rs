//! Reports GPU timings to an observer, for traces that combine host and device work.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// Times of one run of a plan.
#[derive(Clone, Debug)]
pub struct Run {
    /// The plan's name.
    pub plan: String,
    /// Host time shortly before the run was submitted.
    pub before: Instant,
    /// Host time after the run completed.
    pub after: Instant,
    /// Device timestamp at the start of the first pass. Its origin is arbitrary.
    pub begin_ticks: u64,
    /// Duration of one device tick in nanoseconds.
    pub tick_nanoseconds: f64,
    /// GPU time from the start of the first pass to the end of the last, in nanoseconds.
    pub nanoseconds: f64,
    /// The passes in execution order; empty for [`Observer::of_runs`].
    pub passes: Vec<PassTime>,
}

/// Receives the GPU times of every [`Context::run`](crate::Context::run), including those of one-call functions, if the
/// device supports timestamps.
#[derive(Clone)]
pub struct Observer {
    report: Arc<dyn Fn(Run) + Send + Sync>,
    pub(crate) each_pass: bool,
}

impl Observer {
    /// Calls `report` after every run, with the time of each pass. The timestamps between passes may keep passes from
    /// overlapping on the device.
    pub fn new(report: impl Fn(Run) + Send + Sync + 'static) -> Self {
        Self { report: Arc::new(report), each_pass: true }
    }

    /// Calls `report` after every run, with only the time of the whole run. This adds two timestamps to a run.
    pub fn of_runs(report: impl Fn(Run) + Send + Sync + 'static) -> Self {
        Self { report: Arc::new(report), each_pass: false }
    }

    pub(crate) fn report(&self, run: Run) {
        (self.report)(run);
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

/// The time of one pass.
#[derive(Clone, Debug, PartialEq)]
pub struct PassTime {
    /// Label of the pass.
    pub label: String,
    /// GPU time in nanoseconds.
    pub nanoseconds: f64,
}
