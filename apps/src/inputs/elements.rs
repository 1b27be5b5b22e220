//! Elements of an input: in memory, or still in a plain file from which they can be read by ranges.

use super::plain::PlainFile;
use crate::formats::{Array, Data, Element, FileError, Result};

/// Elements that have been read, or can be.
pub enum Elements {
    Memory(Data),
    File(PlainFile),
}

/// Elements and what each is.
pub struct Numbers {
    pub element: Element,
    pub elements: Elements,
}

impl Elements {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Memory(data) => data.len(),
            Self::File(file) => file.len(),
        }
    }

    /// Bytes of an element.
    pub fn element_bytes(&self) -> usize {
        match self {
            Self::Memory(data) => data.element_bytes(),
            Self::File(file) => file.element_bytes(),
        }
    }

    /// The elements in memory.
    pub fn load(self) -> Result<Data> {
        match self {
            Self::Memory(data) => Ok(data),
            Self::File(file) => file.load(),
        }
    }
}

impl From<Array> for Numbers {
    fn from(array: Array) -> Self {
        Self { element: array.element(), elements: Elements::Memory(array.into_data()) }
    }
}

impl Numbers {
    /// How many.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// The numbers in memory.
    pub fn load(self) -> Result<Array> {
        let elements = self.elements.len() as u64;
        let no_memory = || FileError::NoMemory { place: "the input".to_owned(), elements };
        Array::new(self.element, self.elements.load()?).ok_or_else(no_memory)
    }
}
