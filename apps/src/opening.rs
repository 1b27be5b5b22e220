//! Opens a device in the background while the input is read, because drivers take a while to start.
//! Ends the process without destroying devices: some drivers take longer to destroy a device than a
//! command takes to run, and the system frees all resources of a process anyway.

use std::process::ExitCode;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use anyhow::Result;
use multisplit::{Config, Context, Error};

use crate::phase;

pub struct Opening {
    thread: Option<JoinHandle<()>>,
    /// Receives the device. Joining the thread instead would also wait for the driver's cleanup at thread exit, which
    /// may take milliseconds.
    opened: Receiver<Result<Context, Error>>,
    keep_open: bool,
}

impl Opening {
    /// Starts opening the device that `config` selects. `keep_open` keeps it open until the process ends.
    pub fn begin(config: Config, keep_open: bool) -> Self {
        let span = tracing::Span::current();
        let (sender, opened) = sync_channel(1);
        let thread = std::thread::spawn(move || {
            // Does not fail, because `Opening` keeps the receiver until this thread has sent the device.
            let _ = sender.send(span.in_scope(|| Context::open(&config)));
        });
        Self { thread: Some(thread), opened, keep_open }
    }

    /// Waits until the device is open.
    pub fn finish(mut self) -> Result<Context> {
        let context = match phase::timed("waiting for the device", || self.opened.recv()) {
            Ok(opened) => opened?,
            // The sender was dropped because the thread panicked.
            Err(_) => match self.thread.take().map(JoinHandle::join) {
                Some(Err(panic)) => std::panic::resume_unwind(panic),
                _ => Context::new()?,
            },
        };
        self.thread = None;
        if self.keep_open {
            keep_open(&context);
        }
        Ok(context)
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        // Wait, because exiting while a driver starts may crash.
        if let Some(opening) = self.thread.take() {
            let _ = opening.join();
        }
    }
}

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
