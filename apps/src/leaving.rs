//! Ends the process without destroying devices. Destroying them takes drivers longer than most jobs, and the
//! system frees all resources of a process anyway.

use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};

use multisplit::Context;

static OPEN_CONTEXTS: Mutex<Vec<Context>> = Mutex::new(Vec::new());

fn open_contexts() -> MutexGuard<'static, Vec<Context>> {
    OPEN_CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a device open until the process ends.
pub fn keep_open(context: &Context) {
    open_contexts().push(context.clone());
}

/// Writes the pipeline caches of the devices that are kept open.
pub fn save_pipelines() {
    open_contexts().iter().for_each(Context::save_pipelines);
}

/// Exits immediately if a device was kept open; otherwise returns the exit status. The caller must have
/// flushed all output and called [`save_pipelines`].
pub fn exit(status: u8) -> ExitCode {
    if open_contexts().is_empty() {
        return ExitCode::from(status);
    }
    // Not `std::process::exit`, because drivers run their teardown in its exit handlers.
    signal_hook::low_level::exit(status.into())
}
