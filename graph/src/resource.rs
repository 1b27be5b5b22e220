//! What a buffer of a graph is: a handle, a view of it, and its declaration.

use crate::access::Scope;

/// Something a buffer can be an array of: any [`bytemuck::Pod`] type.
pub trait Element {
    /// Bytes per element.
    const SIZE: u64;
}

impl<T: bytemuck::Pod> Element for T {
    const SIZE: u64 = size_of::<T>() as u64;
}

/// A buffer of one graph. A small copyable handle: the memory behind it is the caller's
/// ([`Graph::import`](crate::Graph::import)) or comes out of the plan's workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buffer {
    pub(crate) graph: u64,
    pub(crate) index: usize,
    pub(crate) size: u64,
}

impl Buffer {
    /// Size in bytes.
    pub fn size(self) -> u64 {
        self.size
    }

    /// Its position among the buffers of its graph, in order of declaration: the index into
    /// [`Plan::buffers`](crate::Plan::buffers). [`Plan::index_of`](crate::Plan::index_of) also
    /// checks that the buffer belongs to the plan.
    pub fn index(self) -> usize {
        self.index
    }

    /// `size` bytes from byte `offset` on. Checked when the graph is compiled.
    pub fn range(self, offset: u64, size: u64) -> View {
        View { buffer: self, offset, size }
    }

    /// `len` elements from element `first` on. Checked when the graph is compiled.
    pub fn elements<T: Element>(self, first: u64, len: u64) -> View {
        self.range(first.saturating_mul(T::SIZE), len.saturating_mul(T::SIZE))
    }
}

/// A range of bytes of a buffer. A whole [`Buffer`] converts into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// The buffer.
    pub buffer: Buffer,
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub size: u64,
}

impl From<Buffer> for View {
    fn from(buffer: Buffer) -> Self {
        buffer.range(0, buffer.size)
    }
}

/// Who owns a buffer's memory, and how long its contents last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Import,
    Transient,
    Persistent,
}

/// A buffer as declared.
#[derive(Clone, Debug)]
pub(crate) struct BufferDecl {
    pub name: String,
    pub kind: Kind,
    pub size: u64,
    /// `None` where the buffer was declared in bytes: then any element stride fits it.
    pub element_size: Option<u64>,
    pub entry: Option<Scope>,
    pub exit: Option<Scope>,
}
