//! What the passes of some work are given: arrays on the device, transients and imports of the work,
//! and how many of their elements count.

use std::marker::PhantomData;

use bytemuck::Pod;
use multisplit_graph::{self as graph, View};

use super::Work;
use crate::execute::import::{BufferAt, Import};
use crate::memory::Array;
use crate::primitives::Count;

/// An array of `T` that belongs to some [`Work`]: a transient, or an import that is bound when the
/// work is recorded. A small copyable handle.
#[derive(Debug)]
pub struct WorkArray<T> {
    pub(super) buffer: graph::Buffer,
    pub(super) element: PhantomData<fn() -> T>,
}

impl<T> Clone for WorkArray<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for WorkArray<T> {}

impl<T> WorkArray<T> {
    /// The buffer of the work's graph.
    pub fn buffer(self) -> graph::Buffer {
        self.buffer
    }

    /// How many elements it has.
    pub fn len(self) -> u64 {
        self.buffer.len()
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Its first elements, by a host count or a device count.
    pub fn first(self, n: impl Into<Count>) -> First<Self> {
        First { array: self, n: n.into() }
    }

    /// Where its memory is, for a recording.
    pub fn at(self, at: BufferAt) -> Import {
        (self.buffer, at)
    }
}

impl<T> From<WorkArray<T>> for View {
    fn from(array: WorkArray<T>) -> Self {
        array.buffer.into()
    }
}

impl<T> Array<T> {
    /// Its first elements, by a host count or a device count.
    pub fn first(&self, n: impl Into<Count>) -> First<&Self> {
        First { array: self, n: n.into() }
    }
}

/// The first elements of an array.
#[derive(Clone, Copy, Debug)]
pub struct First<A> {
    array: A,
    n: Count,
}

/// What the passes of some work can be given for an array: `&Array<T>`, [`WorkArray`], or the first
/// elements of either.
pub trait Operand: Copy + sealed::Sealed {
    /// What it is an array of.
    type Item: Pod;

    #[doc(hidden)]
    fn declare(&self, work: &mut Work) -> graph::Buffer;

    #[doc(hidden)]
    fn count(&self, buffer: graph::Buffer) -> Count {
        Count::Host(buffer.len())
    }
}

mod sealed {
    pub trait Sealed {}
}

impl<T> sealed::Sealed for &Array<T> {}

impl<T: Pod> Operand for &Array<T> {
    type Item = T;

    fn declare(&self, work: &mut Work) -> graph::Buffer {
        work.array(self)
    }

    fn count(&self, _: graph::Buffer) -> Count {
        Count::Host(self.len())
    }
}

impl<T> sealed::Sealed for WorkArray<T> {}

impl<T: Pod> Operand for WorkArray<T> {
    type Item = T;

    fn declare(&self, _: &mut Work) -> graph::Buffer {
        self.buffer
    }
}

impl<A> sealed::Sealed for First<A> {}

impl<A: Operand> Operand for First<A> {
    type Item = A::Item;

    fn declare(&self, work: &mut Work) -> graph::Buffer {
        self.array.declare(work)
    }

    fn count(&self, _: graph::Buffer) -> Count {
        self.n
    }
}
