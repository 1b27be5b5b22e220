//! What ran on the device when, told to whoever wants to draw it beside what the host did.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

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
    /// Nanoseconds of GPU time from the first pass to the last.
    pub nanoseconds: f64,
    /// The passes, one after another; empty for [`Observer::of_runs`].
    pub passes: Vec<PassTime>,
}

/// Receives the GPU times of every [`Context::run`](crate::Context::run).
#[derive(Clone)]
pub struct Observer {
    tell: Arc<dyn Fn(Run) + Send + Sync>,
    pub(crate) each_pass: bool,
}

impl Observer {
    /// Calls `tell` after every run, with the time of each pass. Timing passes keeps them from overlapping.
    pub fn new(tell: impl Fn(Run) + Send + Sync + 'static) -> Self {
        Self { tell: Arc::new(tell), each_pass: true }
    }

    /// Calls `tell` after every run, with the time of the whole run only, which costs two timestamps.
    pub fn of_runs(tell: impl Fn(Run) + Send + Sync + 'static) -> Self {
        Self { tell: Arc::new(tell), each_pass: false }
    }

    pub(crate) fn tell(&self, run: Run) {
        (self.tell)(run);
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
    /// The pass's label.
    pub label: String,
    /// Nanoseconds of GPU time.
    pub nanoseconds: f64,
}
