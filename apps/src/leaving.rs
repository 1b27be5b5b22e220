//! Ends the process without destroying devices. Destroying them takes drivers longer than most jobs, and the
//! system frees all resources of a process anyway.

use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use multisplit::Context;

static OPEN_CONTEXTS: Mutex<Vec<Context>> = Mutex::new(Vec::new());

/// Keeps a device open until the process ends.
pub fn keep_open(context: &Context) {
    OPEN_CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner).push(context.clone());
}

/// Writes the pipeline caches of the devices that are kept open.
pub fn save_pipelines() {
    OPEN_CONTEXTS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .iter()
        .for_each(Context::save_pipelines);
}

/// Exits immediately if a device was kept open; otherwise returns the exit status. The caller must have
/// flushed all output and called [`save_pipelines`].
pub fn exit(status: u8) -> ExitCode {
    if OPEN_CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
        return ExitCode::from(status);
    }
    // Not `std::process::exit`, because drivers run their teardown in its exit handlers.
    signal_hook::low_level::exit(status.into())
}
