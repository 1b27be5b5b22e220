//! Fills and copies arrays on the device.

use bytemuck::Pod;
use multisplit_graph::ElementType;

use crate::device::Context;
use crate::error::Result;
use crate::memory::{AnyArray, Array, Input};
use crate::operations::{copy, fill};

impl Context {
    /// Creates an array of `len` zeros.
    pub fn zeroed<T: Pod>(&self, len: u64) -> Result<Array<T>> {
        self.zeros(ElementType::of::<T>(), len).map(Array::of)
    }

    pub(super) fn zeros(&self, element: ElementType, len: u64) -> Result<AnyArray> {
        let made = AnyArray::uninit(self, "array", element, len)?;
        self.call("fill", |work| {
            let words = work.words(&made);
            let (graph, policy) = work.parts();
            fill(graph, policy, "memory.fill", words, 0)
        })?;
        Ok(made)
    }

    /// Copies an array to another of the same length.
    pub(super) fn copy_into(&self, array: &AnyArray, to: &AnyArray) -> Result<()> {
        if array.len() == 0 {
            return Ok(());
        }
        self.call("copy", |work| {
            let (src, dst) = (work.words(array), work.words(to));
            let (graph, policy) = work.parts();
            copy(graph, policy, "memory.copy", src, dst)
        })
    }

    /// Returns the elements as a device array that may be modified. An array that belongs to the
    /// caller is copied.
    pub(super) fn owned_array(&self, elements: Input<'_>, name: &str) -> Result<AnyArray> {
        let array = elements.on_device(self, name)?;
        if !elements.is_borrowed() {
            return Ok(array);
        }
        let made = AnyArray::uninit(self, "copy", array.element(), array.len())?;
        self.copy_into(&array, &made)?;
        Ok(made)
    }
}
