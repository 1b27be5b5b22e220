//! Parameters and result of a sort, and the number of elements that fit in device memory.

use std::borrow::Cow;

use anyhow::{Context as _, Result};
use multisplit::operations::sort::SortMethod;
use multisplit::{Key, Sort};
use multisplit_bench::key_order::rank;

use crate::formats::Data;
use crate::parts::Resources;

/// Sort parameters.
#[derive(Clone, Copy, Debug, Default)]
pub struct SortRequest {
    pub descending: bool,
    pub method: SortMethod,
    /// Row length, if each row is sorted separately. The number of keys must be a multiple of it.
    pub rows: Option<u64>,
}

impl SortRequest {
    /// Converts the parameters to the engine's type.
    pub fn sort(self) -> Sort {
        let sort = if self.descending { Sort::descending() } else { Sort::ascending() };
        let sort = sort.method(self.method);
        self.rows.map_or(sort.clone(), |length| sort.rows(length))
    }

    /// Converts row-relative indices of an order to indices of the whole array.
    pub fn in_whole(self, order: &[u32]) -> Cow<'_, [u32]> {
        let Some(length) = self.rows else { return order.into() };
        let begin = |place: usize| (place as u64 / length * length) as u32;
        order.iter().enumerate().map(|(place, &index)| begin(place) + index).collect()
    }

    /// Maps a key to an unsigned number, so that sorted keys have ascending numbers.
    pub fn rank<K: Key>(self, key: K) -> u64 {
        if self.descending { !rank(key) } else { rank(key) }
    }
}

/// Result of a sort.
pub struct Sorted<K> {
    pub keys: Vec<K>,
    pub values: Option<Data>,
    /// Original index of each element, relative to its row if there are rows. `None` unless requested.
    pub order: Option<Vec<u32>>,
    /// Whether the array was sorted at once, not in parts.
    pub whole: bool,
}

/// Maximum number of keys with values of `value_bytes` bytes that can be sorted at once.
pub fn max_elements<K>(resources: &Resources<'_>, value_bytes: usize) -> usize {
    let (key_bytes, narrow) = key_bytes::<K>();
    // Sort rounds alternate between two buffers.
    let bytes = 2 * (key_bytes + value_bytes) + narrow;
    resources.max_elements(bytes as u64, key_bytes.max(value_bytes) as u64)
}

/// Returns the bytes per key in a sort buffer, and those in the original array if it is kept during the sort,
/// otherwise 0. Keys of less than 32 bits are kept, because they are sorted as a copy in 32-bit words.
pub fn key_bytes<K>() -> (usize, usize) {
    let (bytes, word) = (size_of::<K>(), size_of::<u32>());
    (bytes.max(word), if bytes < word { bytes } else { 0 })
}

/// The numbers from 0 to n - 1.
pub fn indices(n: usize) -> Result<Vec<u32>> {
    let max =
        || format!("32-bit indices support at most 4,294,967,295 elements, but there are {n}");
    Ok((0..u32::try_from(n).with_context(max)?).collect())
}
