//! Kind and arrays of a search.

use multisplit_graph::{Buffer, ElementType};

use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::shared::{Count, check_arrays, check_limit};

/// Position to find for each needle. Elements are compared in sort order; floats are ordered like `total_cmp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Search {
    /// Number of elements less than the needle: the first position where the needle can be inserted
    /// without breaking the order.
    LowerBound,
    /// Number of elements less than or equal to the needle: the last position where the needle can
    /// be inserted without breaking the order.
    UpperBound,
}

/// Arrays of a search in a graph.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct SearchBuffers {
    pub(super) sorted_count: Count,
    pub(super) n: Count,
    pub(super) sorted: Buffer,
    pub(super) needles: Buffer,
    pub(super) positions: Buffer,
}

impl SearchBuffers {
    /// Finds the position of each of `needles` in `sorted` and writes it to `positions`, an array
    /// of `u32`. Needles must have the same type as `sorted`. `sorted` must be in ascending order;
    /// otherwise positions are arbitrary, but at most the number of elements.
    pub fn new(sorted: Buffer, needles: Buffer, positions: Buffer) -> Self {
        let (sorted_count, n) = (Count::Host(sorted.len()), Count::Host(needles.len()));
        Self { sorted_count, n, sorted, needles, positions }
    }

    /// Searches for only the first `n` needles. `n` is a host count or a device count.
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// Searches only the first `n` elements of the sorted array. `n` is a host count or a device count.
    pub fn sorted_count(self, n: impl Into<Count>) -> Self {
        Self { sorted_count: n.into(), ..self }
    }

    pub(super) fn check(&self) -> Result<KeyType> {
        let key = KeyType::wide_of("sorted", self.sorted)?;
        let (elements, needles) = (self.sorted_count.max(), self.n.max());
        let what = "number of elements of a search";
        check_limit(what, elements, u32::MAX)?;
        check_limit(what, needles, u32::MAX)?;
        let arrays = [
            ("sorted", Some(self.sorted), key.into(), elements),
            ("needles", Some(self.needles), key.into(), needles),
            ("positions", Some(self.positions), ElementType::U32, needles),
        ];
        check_arrays("search", &arrays)?;
        Ok(key)
    }
}
