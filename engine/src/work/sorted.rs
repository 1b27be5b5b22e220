//! Work on sorted arrays (searches and merges), and segmented sorts.

use super::operand::check_beside;
use super::{Operand, Work};
use crate::elements::key::{Key, Value};
use crate::error::Result;
use crate::operations::sort::Sort;
use crate::operations::{self, Count, Merge, MergeBuffers, Search, SearchBuffers};

impl Work {
    /// Sorts each segment of `keys` independently, in place. `offsets` contains the start of each
    /// segment, followed by the end of the last segment.
    /// [`SortBuffers::segments`](crate::operations::SortBuffers::segments) describes the handling
    /// of invalid offsets.
    pub fn sort_segments<A, B>(
        &mut self,
        keys: A,
        (offsets, segments): (B, impl Into<Count>),
        sort: &Sort,
    ) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = u32>,
    {
        let offsets = offsets.declare(self);
        let buffers = self.sort_buffers(&keys).segments(offsets, segments);
        self.add_sort(sort, &buffers)
    }

    /// Sorts the pairs of each segment by key, like [`sort_segments`](Self::sort_segments).
    pub fn sort_segments_pairs<A, B, C>(
        &mut self,
        keys: A,
        values: B,
        (offsets, segments): (C, impl Into<Count>),
        sort: &Sort,
    ) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item: Value>,
        C: Operand<Item = u32>,
    {
        let () = <B::Item as Value>::CHECKED;
        let n = keys.count(keys.declare(self));
        check_beside(("values", &values), ("keys", n))?;
        let (values, offsets) = (values.declare(self), offsets.declare(self));
        let buffers = self.sort_buffers(&keys).values(values).segments(offsets, segments);
        self.add_sort(sort, &buffers)
    }

    /// Writes the permutation that sorts each segment to `order`: for each position, the index of
    /// its key within the segment. Does not modify `keys`.
    pub fn argsort_segments<A, B, C>(
        &mut self,
        keys: A,
        order: B,
        (offsets, segments): (C, impl Into<Count>),
        sort: &Sort,
    ) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = u32>,
        C: Operand<Item = u32>,
    {
        let offsets = offsets.declare(self);
        let buffers = self.argsort_buffers(&keys, order)?.segments(offsets, segments);
        self.add_sort(sort, &buffers)
    }

    /// Writes to `positions`, for each needle, the number of elements of `sorted` that are less
    /// than it. `sorted` must be in ascending order.
    pub fn lower_bound<A, B, C>(&mut self, sorted: A, needles: B, positions: C) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
        C: Operand<Item = u32>,
    {
        self.search(Search::LowerBound, sorted, needles, positions)
    }

    /// Writes to `positions`, for each needle, the number of elements of `sorted` that are less
    /// than or equal to it. `sorted` must be in ascending order.
    pub fn upper_bound<A, B, C>(&mut self, sorted: A, needles: B, positions: C) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
        C: Operand<Item = u32>,
    {
        self.search(Search::UpperBound, sorted, needles, positions)
    }

    pub(crate) fn search<A, B, C>(
        &mut self,
        how: Search,
        sorted: A,
        needles: B,
        positions: C,
    ) -> Result<()>
    where
        A: Operand,
        B: Operand,
        C: Operand,
    {
        let (within, of) = (sorted.declare(self), needles.declare(self));
        let buffers = SearchBuffers::new(within, of, positions.declare(self))
            .count(needles.count(of))
            .sorted_count(sorted.count(within));
        operations::search(&mut self.graph, &self.policy, how, &buffers)
    }

    /// Merges two sorted arrays into `out`. If elements are equal, those of `first` come first.
    pub fn merge<A, B, C>(&mut self, first: A, second: B, out: C, how: Merge) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
        C: Operand<Item = A::Item>,
    {
        let (a, b) = (first.declare(self), second.declare(self));
        let counts = (first.count(a), second.count(b));
        let buffers = MergeBuffers::keys(a, b, out.declare(self)).counts(counts.0, counts.1);
        operations::merge(&mut self.graph, &self.policy, how, &buffers)
    }

    /// Merges pairs by key, like [`merge`](Self::merge).
    pub fn merge_pairs<A, B, V>(
        &mut self,
        (first, first_values): (A, V),
        (second, second_values): (B, impl Operand<Item = V::Item>),
        (out, values_out): (impl Operand<Item = A::Item>, impl Operand<Item = V::Item>),
        how: Merge,
    ) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
        V: Operand<Item: Value>,
    {
        let () = <V::Item as Value>::CHECKED;
        let (a, b) = (first.declare(self), second.declare(self));
        let counts = (first.count(a), second.count(b));
        check_beside(("first_values", &first_values), ("first", counts.0))?;
        check_beside(("second_values", &second_values), ("second", counts.1))?;
        let values = (first_values.declare(self), second_values.declare(self));
        let buffers = MergeBuffers::keys(a, b, out.declare(self))
            .counts(counts.0, counts.1)
            .values(values.0, values.1, values_out.declare(self));
        operations::merge(&mut self.graph, &self.policy, how, &buffers)
    }
}
