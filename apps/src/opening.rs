//! Opens a device in the background while the input is read, because drivers take a while to start.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use anyhow::Result;
use multisplit::{Config, Context, Error};

use crate::{leaving, phase};

/// A device that is being opened.
pub struct Opening {
    thread: Option<JoinHandle<()>>,
    /// A channel, because a driver may take milliseconds to leave the thread after opening the device.
    opened: Receiver<Result<Context, Error>>,
    keep_open: bool,
}

impl Opening {
    /// Starts opening the device that `config` selects. `keep_open` keeps it open until the process ends.
    pub fn begin(config: Config, keep_open: bool) -> Self {
        let span = tracing::Span::current();
        let (sender, opened) = sync_channel(1);
        let thread = std::thread::spawn(move || {
            // The receiver is gone if the command failed in the meantime.
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
            leaving::keep_open(&context);
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
