//! Delivery of signals to Python during transfers.

use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::error::Stop;

/// Minimum time between two checks, which need the GIL.
const INTERVAL: Duration = Duration::from_millis(20);

/// Checks for signals between the chunks of a transfer. Without it, Ctrl-C would have no effect before the end of a
/// large transfer.
pub(crate) struct Signals {
    /// The thread that started the transfer. Python runs signal handlers in its main thread only.
    caller: ThreadId,
    last: Mutex<Instant>,
}

impl Signals {
    /// Starts watching for signals on behalf of the current thread.
    pub fn watch() -> Self {
        Self { caller: thread::current().id(), last: Mutex::new(Instant::now()) }
    }

    /// Runs the handlers of pending signals; fails if one of them raises an exception. Called with the GIL released.
    pub fn check(&self) -> Result<(), Stop> {
        if thread::current().id() != self.caller {
            return Ok(());
        }
        {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            if last.elapsed() < INTERVAL {
                return Ok(());
            }
            *last = Instant::now();
        }
        Python::attach(|py| py.check_signals()).map_err(Stop::Raised)
    }
}
