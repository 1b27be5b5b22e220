//! Buffers of a graph: handles, views, ping-pong pairs, element types and declarations.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use crate::access::Scope;

/// The element type of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "number types with their Rust names")]
#[non_exhaustive]
pub enum ElementType {
    U8,
    I8,
    U16,
    I16,
    /// IEEE 754, 16 bits: `half::f16`.
    F16,
    /// The upper 16 bits of an IEEE 754 32-bit float: `half::bf16`.
    Bf16,
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
    /// Any other type, such as a vector or a struct, with its size in bytes.
    Other(u32),
    /// Untyped bytes.
    Untyped,
}

impl ElementType {
    /// The element type of `T`.
    pub fn of<T: Element>() -> Self {
        let id = TypeId::of::<T>();
        let known = [
            (TypeId::of::<u8>(), Self::U8),
            (TypeId::of::<i8>(), Self::I8),
            (TypeId::of::<u16>(), Self::U16),
            (TypeId::of::<i16>(), Self::I16),
            (TypeId::of::<half::f16>(), Self::F16),
            (TypeId::of::<half::bf16>(), Self::Bf16),
            (TypeId::of::<u32>(), Self::U32),
            (TypeId::of::<i32>(), Self::I32),
            (TypeId::of::<f32>(), Self::F32),
            (TypeId::of::<u64>(), Self::U64),
            (TypeId::of::<i64>(), Self::I64),
            (TypeId::of::<f64>(), Self::F64),
        ];
        let found = known.into_iter().find(|(other, _)| *other == id);
        found.map_or(Self::Other(u32::try_from(T::SIZE).unwrap_or(u32::MAX)), |(_, kind)| kind)
    }

    /// Bytes per element; `None` for untyped bytes.
    pub fn bytes(self) -> Option<u32> {
        match self {
            Self::U8 | Self::I8 => Some(1),
            Self::U16 | Self::I16 | Self::F16 | Self::Bf16 => Some(2),
            Self::U32 | Self::I32 | Self::F32 => Some(4),
            Self::U64 | Self::I64 | Self::F64 => Some(8),
            Self::Other(bytes) => Some(bytes),
            Self::Untyped => None,
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(bytes) => write!(f, "{bytes}-byte elements"),
            Self::Untyped => f.write_str("untyped bytes"),
            number => f.write_str(&format!("{number:?}").to_ascii_lowercase()),
        }
    }
}

/// A type of buffer elements: any [`bytemuck::Pod`] type.
pub trait Element: 'static {
    /// Bytes per element.
    const SIZE: u64;
}

impl<T: bytemuck::Pod> Element for T {
    const SIZE: u64 = size_of::<T>() as u64;
}

/// Handle to a buffer of a graph. The memory of the buffer is provided by the caller
/// ([`Graph::import`](crate::Graph::import)), is part of the plan's workspace, or is allocated by
/// the executor ([`Graph::state`](crate::Graph::state),
/// [`Graph::constant`](crate::Graph::constant),
/// [`Graph::status_word`](crate::Graph::status_word)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buffer {
    pub(crate) graph: u64,
    pub(crate) index: usize,
    pub(crate) size: u64,
    pub(crate) element: ElementType,
}

impl Buffer {
    /// Size in bytes.
    pub fn size(self) -> u64 {
        self.size
    }

    /// The element type.
    pub fn element(self) -> ElementType {
        self.element
    }

    /// The same buffer with another element type, for callers that know the type of the bytes.
    #[must_use]
    pub fn reinterpret(self, element: ElementType) -> Self {
        Self { element, ..self }
    }

    /// Number of elements, or of bytes if the buffer is untyped.
    pub fn len(self) -> u64 {
        self.size / u64::from(self.element.bytes().unwrap_or(1).max(1))
    }

    /// Whether the buffer contains zero elements.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The index into [`Plan::buffers`](crate::Plan::buffers): the position in the graph, in order
    /// of declaration. [`Plan::index_of`](crate::Plan::index_of) also checks that the buffer
    /// belongs to the plan's graph.
    pub fn index(self) -> usize {
        self.index
    }

    /// A view of `size` bytes starting at byte `offset`. Bounds are checked when the graph is
    /// compiled.
    pub fn range(self, offset: u64, size: u64) -> View {
        View { buffer: self, offset, size }
    }

    /// A view of `len` elements of type `T` starting at element `first`. Bounds are checked when
    /// the graph is compiled.
    pub fn elements<T: Element>(self, first: u64, len: u64) -> View {
        self.range(first.saturating_mul(T::SIZE), len.saturating_mul(T::SIZE))
    }
}

/// A byte range of a buffer. A [`Buffer`] converts into a view of all its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// The buffer.
    pub buffer: Buffer,
    /// Byte offset in the buffer.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
}

impl From<Buffer> for View {
    fn from(buffer: Buffer) -> Self {
        buffer.range(0, buffer.size)
    }
}

/// A pair of buffers with alternating roles. Each round reads [`front`](Self::front), writes
/// [`back`](Self::back), and swaps them, so that data is never copied. The final result is in the
/// front buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PingPong {
    buffers: [Buffer; 2],
    odd: bool,
}

impl PingPong {
    /// Creates a pair in which `front` holds the data and the first round writes `back`.
    pub fn new(front: Buffer, back: Buffer) -> Self {
        Self { buffers: [front, back], odd: false }
    }

    /// The buffer that holds the data.
    pub fn front(&self) -> Buffer {
        self.buffers[usize::from(self.odd)]
    }

    /// The buffer that the next round writes.
    pub fn back(&self) -> Buffer {
        self.buffers[usize::from(!self.odd)]
    }

    /// Ends a round: the back buffer becomes the front buffer.
    pub fn swap(&mut self) {
        self.odd = !self.odd;
    }

    /// Whether the number of swaps is odd, so that the data is in the buffer that started as the
    /// back buffer.
    pub fn parity(&self) -> bool {
        self.odd
    }
}

/// Owner of a buffer's memory, and lifetime of its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Import,
    Transient,
    Persistent,
    State,
    Constant,
    StatusWord,
}

#[derive(Clone, Debug)]
pub(crate) struct BufferDecl {
    pub name: String,
    pub kind: Kind,
    pub size: u64,
    /// The element type. Untyped buffers are compatible with any element stride.
    pub element: ElementType,
    /// The bytes of a constant; `None` for other buffers.
    pub contents: Option<Arc<[u8]>>,
    pub entry: Option<Scope>,
    pub exit: Option<Scope>,
}
