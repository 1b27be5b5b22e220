//! Elements of an input: in memory, or in a plain file that can be read by ranges.

use multisplit_bench::host_memory;

use super::plain::PlainFile;
use crate::formats::{Array, Data, Element, FileError, Result};
use crate::phase;

pub enum Elements {
    Memory(Data),
    File(PlainFile),
}

pub struct Numbers {
    pub element: Element,
    pub elements: Elements,
}

impl Elements {
    pub fn len(&self) -> usize {
        match self {
            Self::Memory(data) => data.len(),
            Self::File(file) => file.len(),
        }
    }

    pub fn element_bytes(&self) -> usize {
        match self {
            Self::Memory(data) => data.element_bytes(),
            Self::File(file) => file.element_bytes(),
        }
    }

    /// Fills `bytes` with elements, starting with element `first`.
    pub fn read(&self, first: u64, bytes: &mut [u8]) -> Result<()> {
        match self {
            Self::Memory(data) => {
                let begin = first as usize * data.element_bytes();
                bytes.copy_from_slice(&data.bytes()[begin..begin + bytes.len()]);
                Ok(())
            }
            Self::File(file) => file.read(first, bytes),
        }
    }

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
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Loads the numbers into memory, and adds the time to the phase "reading". Returns an error if less than `copies`
    /// times their size of memory is available; its message names `what` as the reason.
    pub fn read(self, what: &str, copies: usize) -> anyhow::Result<Array> {
        host_memory::check(what, (copies * self.len() * self.element.bytes()) as u64)?;
        Ok(phase::timed("reading", || self.load())?)
    }

    pub fn load(self) -> Result<Array> {
        let elements = self.elements.len();
        let no_memory = || FileError::NoMemory { place: "the input".to_owned(), elements };
        Array::new(self.element, self.elements.load()?).ok_or_else(no_memory)
    }
}
