//! Operands of passes: device arrays, transients and imports. Each may be limited to its first elements.

use std::marker::PhantomData;

use bytemuck::Pod;
use multisplit_graph::{self as graph, View};

use crate::error::{Error, Result};
use crate::execute::{BufferAt, Import};
use crate::memory::{AnyArray, Array};
use crate::operations::Count;

/// An array of `T` that belongs to a [`Work`](crate::Work): a transient, or an import that is bound when the work is
/// recorded. It is a small handle that can be copied.
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
    /// The buffer in the graph of the work.
    pub fn buffer(self) -> graph::Buffer {
        self.buffer
    }

    /// Number of elements.
    pub fn len(self) -> u64 {
        self.buffer.len()
    }

    /// Whether the array is empty.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Limits the array to its first `n` elements. `n` is a host count or a device count.
    pub fn first(self, n: impl Into<Count>) -> First<Self> {
        First { array: self, n: n.into() }
    }

    /// Binds memory to this import, for a recording.
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
    /// Limits the array to its first `n` elements. `n` is a host count or a device count.
    pub fn first(&self, n: impl Into<Count>) -> First<&Self> {
        First { array: self, n: n.into() }
    }
}

/// The first elements of an array, returned by [`Array::first`] and [`WorkArray::first`].
#[derive(Clone, Copy, Debug)]
pub struct First<A> {
    array: A,
    n: Count,
}

/// An array operand of a pass: `&Array<T>`, [`WorkArray`], or the first elements of either.
pub trait Operand: Copy + sealed::Sealed {
    /// Element type.
    type Item: Pod;

    #[doc(hidden)]
    fn given(&self) -> Given<'_>;
}

/// An operand without its static element type.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    pub(super) source: Source<'a>,
    /// Number of elements, if the operand is limited to its first elements.
    pub(super) limit: Option<Count>,
}

#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Array(&'a AnyArray),
    Buffer(graph::Buffer),
}

/// An operand that has been added to a graph.
#[derive(Clone, Copy)]
pub(super) struct Declared {
    pub buffer: graph::Buffer,
    /// Number of elements.
    pub n: Count,
    /// Number of elements, if the operand is limited to its first elements.
    pub limit: Option<Count>,
}

impl Declared {
    /// Number of 32-bit words in the first `n` elements. Errors contain `call`, the name of the
    /// operation.
    pub fn words(self, call: &'static str, n: Count) -> Result<Count> {
        let bytes = u64::from(self.buffer.element().bytes().unwrap_or(1));
        let problem = match n {
            Count::Host(n) if n.saturating_mul(bytes) % 4 == 0 => {
                return Ok(Count::Host(n.saturating_mul(bytes) / 4));
            }
            Count::Device { .. } if bytes == 4 => return Ok(n),
            Count::Host(_) => "the total size of the first elements must be a multiple of 4 bytes",
            Count::Device { .. } => "device counts are supported only for elements of 4 bytes",
        };
        Err(Error::Operand { call, problem })
    }

    /// Checks that the operand has the same count as `other`, if it is limited to its first elements.
    pub fn check_beside(self, name: &'static str, other: (&'static str, Count)) -> Result<()> {
        self.limit.map_or(Ok(()), |limit| check_same((name, limit), other))
    }
}

/// Checks that two operands have the same count.
pub(super) fn check_same(
    (name, count): (&'static str, Count),
    (other, n): (&'static str, Count),
) -> Result<()> {
    match (count, n) {
        _ if count == n => Ok(()),
        (Count::Host(len), Count::Host(other_len)) => {
            Err(Error::LengthMismatch { name, len, other, other_len })
        }
        _ => Err(Error::Operand {
            call: name,
            problem: "its count must be the same as that of the other arrays",
        }),
    }
}

mod sealed {
    pub trait Sealed {}
}

impl<T> sealed::Sealed for &Array<T> {}

impl<T: Pod> Operand for &Array<T> {
    type Item = T;

    fn given(&self) -> Given<'_> {
        Given { source: Source::Array(self.any()), limit: None }
    }
}

impl<T> sealed::Sealed for WorkArray<T> {}

impl<T: Pod> Operand for WorkArray<T> {
    type Item = T;

    fn given(&self) -> Given<'_> {
        Given { source: Source::Buffer(self.buffer), limit: None }
    }
}

impl<A> sealed::Sealed for First<A> {}

impl<A: Operand> Operand for First<A> {
    type Item = A::Item;

    fn given(&self) -> Given<'_> {
        Given { limit: Some(self.n), ..self.array.given() }
    }
}
