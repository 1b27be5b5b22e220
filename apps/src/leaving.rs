//! How the process ends once its results are written: without taking devices apart. Drivers take
//! longer for that than for most jobs, and the system frees all that a process has.

use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use multisplit::Context;

static KEPT: Mutex<Vec<Context>> = Mutex::new(Vec::new());

/// Keeps a device open to the end of the process.
pub fn keep_open(context: &Context) {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).push(context.clone());
}

/// Writes the pipeline caches of the devices that are kept open.
pub fn save_pipelines() {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(Context::save_pipelines);
}

/// Ends the process at once where a device was kept open; else gives its exit status. Output has been
/// flushed, and [`save_pipelines`] called.
pub fn leave(status: u8) -> ExitCode {
    if KEPT.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
        return ExitCode::from(status);
    }
    // Not `std::process::exit`: drivers take themselves apart in what that calls.
    signal_hook::low_level::exit(status.into())
}
