//! A device that is opened while the input is read: a driver takes a while to start.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use anyhow::Result;
use multisplit::{Config, Context, Error};

use crate::{leaving, phase};

/// A device that is being opened.
pub struct Opening {
    thread: Option<JoinHandle<()>>,
    /// A driver may take milliseconds to leave a thread, which nobody has to wait for.
    opened: Receiver<Result<Context, Error>>,
    keep_open: bool,
}

impl Opening {
    /// Begins to open the device that `config` chooses; it may stay open to the end of the process.
    pub fn begin(config: Config, keep_open: bool) -> Self {
        let span = tracing::Span::current();
        let (sender, opened) = sync_channel(1);
        let thread = std::thread::spawn(move || {
            // Nobody may be there to take it: a command that failed meanwhile.
            let _ = sender.send(span.in_scope(|| Context::open(&config)));
        });
        Self { thread: Some(thread), opened, keep_open }
    }

    /// Waits for it.
    pub fn finish(mut self) -> Result<Context> {
        let context = match phase::timed("waiting for the device", || self.opened.recv()) {
            Ok(opened) => opened?,
            // Nothing was sent: the thread panicked.
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
        // A program that ends while a driver starts may crash in it.
        if let Some(opening) = self.thread.take() {
            let _ = opening.join();
        }
    }
}
