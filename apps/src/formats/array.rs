//! An array in memory whose element type is only known at run time.

use std::ops::Range;

use bytemuck::Pod;

use super::{Element, FileError, Result};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    element: Element,
    data: Data,
}

/// Elements, by size. Floats and signed integers are stored as unsigned integers with the same bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    Bytes1(Vec<u8>),
    Bytes2(Vec<u16>),
    Bytes4(Vec<u32>),
    Bytes8(Vec<u64>),
    Bytes16(Vec<[u32; 4]>),
}

/// Evaluates `$body` with `$words` bound to the vector in `$data`, whatever its variant.
macro_rules! each {
    ($data:expr, $words:ident => $body:expr) => {
        match $data {
            Data::Bytes1($words) => $body,
            Data::Bytes2($words) => $body,
            Data::Bytes4($words) => $body,
            Data::Bytes8($words) => $body,
            Data::Bytes16($words) => $body,
        }
    };
}

impl Data {
    /// An empty array with elements of `bytes` bytes: 1, 2, 4 or 8; any other size means 16.
    pub fn empty(bytes: usize) -> Self {
        match bytes {
            1 => Self::Bytes1(Vec::new()),
            2 => Self::Bytes2(Vec::new()),
            4 => Self::Bytes4(Vec::new()),
            8 => Self::Bytes8(Vec::new()),
            _ => Self::Bytes16(Vec::new()),
        }
    }

    /// The bits of `elements`, which have 1, 2, 4, 8 or 16 bytes.
    pub fn of<T: Pod>(elements: Vec<T>) -> Self {
        fn words<T: Pod, W: Pod>(elements: Vec<T>) -> Vec<W> {
            use bytemuck::allocation::try_cast_vec;
            // Copies the elements only if their alignment differs from that of the words.
            try_cast_vec(elements)
                .unwrap_or_else(|(_, elements)| bytemuck::pod_collect_to_vec(&elements))
        }
        match size_of::<T>() {
            1 => Self::Bytes1(words(elements)),
            2 => Self::Bytes2(words(elements)),
            4 => Self::Bytes4(words(elements)),
            8 => Self::Bytes8(words(elements)),
            _ => Self::Bytes16(words(elements)),
        }
    }

    /// `len` zeroed elements of `bytes` bytes each. `None` if memory is insufficient.
    ///
    /// The system allocates such memory when it is first touched, so this call itself is cheap.
    pub fn zeroed(bytes: usize, len: usize) -> Option<Self> {
        use bytemuck::allocation::try_zeroed_vec as zeroed;
        Some(match bytes {
            1 => Self::Bytes1(zeroed(len).ok()?),
            2 => Self::Bytes2(zeroed(len).ok()?),
            4 => Self::Bytes4(zeroed(len).ok()?),
            8 => Self::Bytes8(zeroed(len).ok()?),
            _ => Self::Bytes16(zeroed(len).ok()?),
        })
    }

    pub fn element_bytes(&self) -> usize {
        each!(self, words => size_of_words(words))
    }

    pub fn len(&self) -> usize {
        each!(self, words => words.len())
    }

    pub fn bytes(&self) -> &[u8] {
        each!(self, words => bytemuck::cast_slice(words))
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        each!(self, words => bytemuck::cast_slice_mut(words))
    }

    /// Resizes to `len` elements, filling with zeros. Returns false if memory is insufficient.
    pub fn resize(&mut self, len: usize) -> bool {
        each!(self, words => resize(words, len))
    }

    /// Copies a range of the elements. `None` if memory is insufficient.
    pub fn part(&self, range: Range<usize>) -> Option<Self> {
        let (each, mut part) = (self.element_bytes(), Self::empty(self.element_bytes()));
        part.resize(range.len()).then_some(())?;
        part.bytes_mut().copy_from_slice(&self.bytes()[range.start * each..range.end * each]);
        Some(part)
    }

    /// Gathers the elements at these indices. `None` if memory is insufficient.
    pub fn gathered(&self, indices: &[u32]) -> Option<Self> {
        each!(self, words => {
            let mut gathered = Vec::new();
            gathered.try_reserve_exact(indices.len()).ok()?;
            gathered.extend(indices.iter().map(|&index| words[index as usize]));
            Some(Self::of(gathered))
        })
    }

    /// Appends elements of the same size. Returns false if memory is insufficient.
    pub fn append(&mut self, more: &Self) -> bool {
        let end = self.bytes().len();
        let resized = self.resize(self.len() + more.len());
        if resized {
            self.bytes_mut()[end..].copy_from_slice(more.bytes());
        }
        resized
    }

    pub fn swap_bytes(&mut self) {
        let bytes = self.element_bytes();
        self.bytes_mut().chunks_exact_mut(bytes).for_each(<[u8]>::reverse);
    }
}

fn size_of_words<T>(_: &[T]) -> usize {
    size_of::<T>()
}

fn resize<T: Pod>(words: &mut Vec<T>, len: usize) -> bool {
    let reserved = words.try_reserve(len.saturating_sub(words.len())).is_ok();
    if reserved {
        words.resize(len, T::zeroed());
    }
    reserved
}

impl Array {
    /// Creates an array of `data`. `None` if the element sizes differ.
    pub fn new(element: Element, data: Data) -> Option<Self> {
        (element.bytes() == data.element_bytes()).then_some(Self { element, data })
    }

    /// Truncates each element of `wide` to the size of `element`, keeping its low bytes. `None` if the elements of
    /// `wide` are smaller, or if memory is insufficient.
    pub fn narrow(element: Element, wide: &Data) -> Option<Self> {
        let (from, to) = (wide.element_bytes(), element.bytes());
        let mut data = Data::empty(to);
        if to > from || !data.resize(wide.len()) {
            return None;
        }
        let rows = wide.bytes().chunks_exact(from).zip(data.bytes_mut().chunks_exact_mut(to));
        rows.for_each(|(wide, narrow)| narrow.copy_from_slice(&wide[..to]));
        Self::new(element, data)
    }

    /// An array of u32.
    pub fn words(words: Vec<u32>) -> Self {
        Self { element: Element::U32, data: Data::Bytes4(words) }
    }

    pub fn element(&self) -> Element {
        self.element
    }

    pub fn data(&self) -> &Data {
        &self.data
    }

    pub fn data_mut(&mut self) -> &mut Data {
        &mut self.data
    }

    /// The elements, without their type.
    pub fn into_data(self) -> Data {
        self.data
    }

    pub fn len(&self) -> usize {
        self.data.len()
    }

    pub fn part(&self, range: Range<usize>) -> Result<Self> {
        let elements = range.len();
        let no_memory = || FileError::NoMemory { place: "a bucket".to_owned(), elements };
        let data = self.data.part(range).ok_or_else(no_memory)?;
        Ok(Self { element: self.element, data })
    }
}
