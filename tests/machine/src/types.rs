//! SPIR-V types: the number of scalars of a value, and their memory layout.
//!
//! Every value is a flat sequence of scalars with one register each, including values of nested
//! arrays and structures.

use std::collections::HashMap;

use rspirv::spirv::{StorageClass, Word};

/// Width and interpretation of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Bool,
    Int { wide: bool, signed: bool },
    Float { wide: bool },
}

impl Scalar {
    pub fn wide(self) -> bool {
        matches!(self, Self::Int { wide: true, .. } | Self::Float { wide: true })
    }

    pub fn bytes(self) -> u32 {
        if self.wide() { 8 } else { 4 }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Type {
    Void,
    Scalar(Scalar),
    Vector { element: Word, len: u32 },
    Array { element: Word, len: u32 },
    RuntimeArray { element: Word },
    Struct { members: Vec<Word> },
    Pointer { class: StorageClass, pointee: Word },
    Function,
}

/// A scalar in memory: its offset in the value, and whether it takes two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    pub offset: u32,
    pub wide: bool,
}

/// Memory layout of a type: by its layout decorations, or without gaps as in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    Decorated,
    Packed,
}

/// The `Coherent` and `Volatile` decorations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Qualifiers {
    pub coherent: bool,
    pub volatile: bool,
}

impl Qualifiers {
    pub fn union(self, other: Self) -> Self {
        Self {
            coherent: self.coherent || other.coherent,
            volatile: self.volatile || other.volatile,
        }
    }
}

/// The types of a module, with their decorations.
#[derive(Default)]
pub(crate) struct Types {
    pub all: HashMap<Word, Type>,
    pub strides: HashMap<Word, u32>,
    pub offsets: HashMap<(Word, u32), u32>,
    pub member_qualifiers: HashMap<(Word, u32), Qualifiers>,
}

impl Types {
    pub fn get(&self, id: Word) -> Option<&Type> {
        self.all.get(&id)
    }

    pub fn pointee(&self, pointer: Word) -> Option<(StorageClass, Word)> {
        match self.get(pointer) {
            Some(Type::Pointer { class, pointee }) => Some((*class, *pointee)),
            _ => None,
        }
    }

    /// The component type of a scalar or vector type. Pointers are treated as 64-bit integers.
    pub fn scalar(&self, id: Word) -> Option<Scalar> {
        match self.get(id)? {
            Type::Scalar(scalar) => Some(*scalar),
            Type::Vector { element, .. } => self.scalar(*element),
            Type::Pointer { .. } => Some(Scalar::Int { wide: true, signed: false }),
            _ => None,
        }
    }

    /// The number of scalars in a value.
    pub fn slots(&self, id: Word) -> u32 {
        match self.get(id) {
            Some(Type::Scalar(_) | Type::Pointer { .. }) => 1,
            Some(Type::Vector { element, len } | Type::Array { element, len }) => {
                self.slots(*element) * len
            }
            Some(Type::Struct { members }) => members.iter().map(|m| self.slots(*m)).sum(),
            _ => 0,
        }
    }

    /// Size of a value in memory, in bytes.
    pub fn bytes(&self, id: Word, layout: Layout) -> u32 {
        match self.get(id) {
            Some(Type::Scalar(scalar)) => scalar.bytes(),
            Some(Type::Pointer { .. }) => 8,
            Some(Type::Vector { element, len }) => self.bytes(*element, layout) * len,
            Some(Type::Array { len, .. }) => self.stride(id, layout) * len,
            Some(Type::Struct { members }) => {
                let last = members.len().saturating_sub(1);
                members
                    .last()
                    .map_or(0, |m| self.offset(id, last as u32, layout) + self.bytes(*m, layout))
            }
            _ => 0,
        }
    }

    /// Distance in bytes between elements of an array or vector.
    pub fn stride(&self, id: Word, layout: Layout) -> u32 {
        let element = match self.get(id) {
            Some(
                Type::Array { element, .. }
                | Type::RuntimeArray { element }
                | Type::Vector { element, .. },
            ) => *element,
            _ => return 0,
        };
        let packed = self.bytes(element, layout);
        match layout {
            Layout::Decorated => self.strides.get(&id).copied().unwrap_or(packed),
            Layout::Packed => packed,
        }
    }

    /// Byte offset of a member of a structure.
    pub fn offset(&self, id: Word, member: u32, layout: Layout) -> u32 {
        match (layout, self.get(id)) {
            (Layout::Decorated, _) => self.offsets.get(&(id, member)).copied().unwrap_or(0),
            (Layout::Packed, Some(Type::Struct { members })) => {
                members.iter().take(member as usize).map(|m| self.bytes(*m, layout)).sum()
            }
            _ => 0,
        }
    }

    /// Memory locations of the scalars of a value, in register order.
    pub fn leaves(&self, id: Word, layout: Layout) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        self.add_leaves(id, 0, layout, &mut leaves);
        leaves
    }

    fn add_leaves(&self, id: Word, at: u32, layout: Layout, into: &mut Vec<Leaf>) {
        match self.get(id) {
            Some(Type::Scalar(scalar)) => into.push(Leaf { offset: at, wide: scalar.wide() }),
            Some(Type::Pointer { .. }) => into.push(Leaf { offset: at, wide: true }),
            Some(Type::Vector { element, len } | Type::Array { element, len }) => {
                let stride = self.stride(id, layout);
                for k in 0..*len {
                    self.add_leaves(*element, at + k * stride, layout, into);
                }
            }
            Some(Type::Struct { members }) => {
                for (k, member) in (0..).zip(members) {
                    self.add_leaves(*member, at + self.offset(id, k, layout), layout, into);
                }
            }
            _ => {}
        }
    }
}
