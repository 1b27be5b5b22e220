//! Filling and copying arrays on the device.

use bytemuck::Pod;

use crate::device::context::Context;
use crate::error::Result;
use crate::memory::{Array, Elements, Place};
use crate::operations::{copy, fill};

impl Context {
    /// Creates an array of `len` zeros.
    pub fn zeroed<T: Pod>(&self, len: u64) -> Result<Array<T>> {
        let made = Array::uninit(self, "array", len)?;
        self.call("fill", |work| {
            let words = work.words(&made);
            let (graph, policy) = work.parts();
            fill(graph, policy, "memory.fill", words, 0)
        })?;
        Ok(made)
    }

    /// Copies an array to another of the same length.
    pub(super) fn copy_into<T: Pod>(&self, array: &Array<T>, to: &Array<T>) -> Result<()> {
        if array.is_empty() {
            return Ok(());
        }
        self.call("copy", |work| {
            let (src, dst) = (work.words(array), work.words(to));
            let (graph, policy) = work.parts();
            copy(graph, policy, "memory.copy", src, dst)
        })
    }

    /// Returns the elements in an array that may be modified: a copy, if they are borrowed.
    pub(super) fn own<A: Elements + ?Sized>(
        &self,
        elements: &A,
        name: &str,
    ) -> Result<Array<A::Item>> {
        let array = elements.on_device(self, name)?;
        if !A::Place::BORROWED {
            return Ok(array);
        }
        let made = Array::uninit(self, "copy", array.len())?;
        self.copy_into(&array, &made)?;
        Ok(made)
    }
}
