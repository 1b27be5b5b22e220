//! A device that is opened while the input is read: a driver takes a while to start.

use std::thread::JoinHandle;

use anyhow::Result;
use multisplit::{Config, Context, Error};

use crate::phase;

/// A device that is being opened.
pub struct Opening(Option<JoinHandle<Result<Context, Error>>>);

impl Opening {
    /// Begins to open the device that `config` chooses.
    pub fn begin(config: Config) -> Self {
        let span = tracing::Span::current();
        Self(Some(std::thread::spawn(move || span.in_scope(|| Context::open(&config)))))
    }

    /// Waits for it.
    pub fn finish(mut self) -> Result<Context> {
        match phase::timed("waiting for the device", || self.0.take().map(JoinHandle::join)) {
            Some(Ok(opened)) => Ok(opened?),
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Ok(Context::new()?),
        }
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        // A program that ends while a driver starts may crash in it.
        if let Some(opening) = self.0.take() {
            let _ = opening.join();
        }
    }
}
