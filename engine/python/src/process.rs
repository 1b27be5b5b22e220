//! Ownership by process: devices do not survive a fork.

use std::mem::ManuallyDrop;

use pyo3::prelude::*;

use crate::error;

/// An object of a device, which only the process that opened the device may use or free. A forked child lacks
/// the driver's threads, so waiting for them would hang.
pub(crate) struct OfProcess<T> {
    inner: ManuallyDrop<T>,
    process: u32,
}

impl<T> OfProcess<T> {
    /// Wraps an object owned by the current process.
    pub fn new(inner: T) -> Self {
        Self { inner: ManuallyDrop::new(inner), process: std::process::id() }
    }

    /// Returns the object. Fails in other processes.
    pub fn get(&self) -> PyResult<&T> {
        if self.is_ours() { Ok(&self.inner) } else { Err(error::forked(self.process)) }
    }

    fn is_ours(&self) -> bool {
        std::process::id() == self.process
    }
}

impl<T> Drop for OfProcess<T> {
    fn drop(&mut self) {
        if self.is_ours() {
            // SAFETY: it is not used after this.
            unsafe { ManuallyDrop::drop(&mut self.inner) };
        }
    }
}
