//! A device that is opened while the input is read: a driver takes a while to start.

use std::thread::JoinHandle;

use anyhow::Result;
use multisplit::{Config, Context, Error};

use crate::{leaving, phase};

/// A device that is being opened.
pub struct Opening {
    thread: Option<JoinHandle<Result<Context, Error>>>,
    keep_open: bool,
}

impl Opening {
    /// Begins to open the device that `config` chooses; it may stay open to the end of the process.
    pub fn begin(config: Config, keep_open: bool) -> Self {
        let span = tracing::Span::current();
        let thread = std::thread::spawn(move || span.in_scope(|| Context::open(&config)));
        Self { thread: Some(thread), keep_open }
    }

    /// Waits for it.
    pub fn finish(mut self) -> Result<Context> {
        let thread = self.thread.take();
        let context = match phase::timed("waiting for the device", || thread.map(JoinHandle::join))
        {
            Some(Ok(opened)) => opened?,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Context::new()?,
        };
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
