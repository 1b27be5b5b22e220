//! What a sort is asked for and what it gives, and how much of it fits the device.

use std::borrow::Cow;

use anyhow::{Context as _, Result};
use multisplit::primitives::sort::SortMethod;
use multisplit::{Key, Sort};
use multisplit_bench::key_order::rank;

use crate::formats::Data;
use crate::parts::Room;

/// How keys are to be sorted, as the command line says it.
#[derive(Clone, Copy, Debug)]
pub struct SortRequest {
    pub descending: bool,
    pub method: SortMethod,
    /// The length of a row, where each row is sorted on its own. It divides how many keys there are.
    pub rows: Option<u64>,
}

impl SortRequest {
    /// What the engine is asked for.
    pub fn sort(self) -> Sort {
        let sort = if self.descending { Sort::descending() } else { Sort::ascending() };
        let sort = sort.method(self.method);
        self.rows.map_or(sort.clone(), |length| sort.rows(length))
    }

    /// Which elements of the whole array an order takes, whose indices count from where rows begin.
    pub fn in_whole(self, order: &[u32]) -> Cow<'_, [u32]> {
        let Some(length) = self.rows else { return order.into() };
        let begin = |place: usize| (place as u64 / length * length) as u32;
        order.iter().enumerate().map(|(place, &index)| begin(place) + index).collect()
    }

    /// An unsigned number that compares as the keys are sorted.
    pub fn rank<K: Key>(self, key: K) -> u64 {
        if self.descending { !rank(key) } else { rank(key) }
    }
}

/// What comes out.
pub struct Sorted<K> {
    pub keys: Vec<K>,
    pub values: Option<Data>,
    /// Where each element came from, in its row where there are rows, if that was asked for.
    pub order: Option<Vec<u32>>,
    /// Whether it was done in one go.
    pub whole: bool,
}

/// How many keys with values of so many bytes fit.
pub fn max_elements<K>(room: &Room<'_>, value_bytes: usize) -> usize {
    let (key_bytes, narrow) = key_bytes::<K>();
    // Rounds go from one buffer to another.
    let bytes = 2 * (key_bytes + value_bytes) + narrow;
    room.max_elements(bytes as u64, key_bytes.max(value_bytes) as u64)
}

/// Bytes of a key while it is sorted; and, of narrow ones, which are sorted as words, of itself.
pub fn key_bytes<K>() -> (usize, usize) {
    let (bytes, word) = (size_of::<K>(), size_of::<u32>());
    (bytes.max(word), if bytes < word { bytes } else { 0 })
}

/// 0 to n - 1.
pub fn indices(n: usize) -> Result<Vec<u32>> {
    let n = u32::try_from(n).context("more elements than 32 bits can number")?;
    Ok((0..n).collect())
}
