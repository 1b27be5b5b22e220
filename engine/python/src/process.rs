//! What belongs to the process that made it: devices do not survive a fork.

use std::mem::ManuallyDrop;

use pyo3::prelude::*;

use crate::error;

/// Something of a device, which only the process that opened the device may use, or free: in a child of it, the
/// driver's threads are not there, and what waits for them waits for ever.
pub(crate) struct OfProcess<T> {
    inner: ManuallyDrop<T>,
    process: u32,
}

impl<T> OfProcess<T> {
    /// That of this process.
    pub fn new(inner: T) -> Self {
        Self { inner: ManuallyDrop::new(inner), process: std::process::id() }
    }

    /// It, in the process that it belongs to.
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
            // SAFETY: nothing uses it after this.
            unsafe { ManuallyDrop::drop(&mut self.inner) };
        }
    }
}
