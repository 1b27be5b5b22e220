//! Passes on sorted arrays (searches and merges), and segmented sorts.

use super::{Operand, Work};
use crate::elements::key::{Key, Value};
use crate::error::Result;
use crate::operations::sort::Sort;
use crate::operations::{self, Count, Merge, MergeBuffers, Search, SearchBuffers, SortBuffers};

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
        let (offsets, keys) = (self.declare(offsets).buffer, self.declare(keys));
        let buffers = SortBuffers::keys(keys.buffer).count(keys.n).segments(offsets, segments);
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
        let buffers = self.pair_buffers(keys, values)?;
        let buffers = buffers.segments(self.declare(offsets).buffer, segments);
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
        let offsets = self.declare(offsets).buffer;
        let buffers = self.argsort_buffers(keys, order)?.segments(offsets, segments);
        self.add_sort(sort, &buffers)
    }

    /// Writes to `positions`, for each needle, the number of elements of `sorted` that are less
    /// than the needle. `sorted` must be in ascending order.
    pub fn lower_bound<A, B, C>(&mut self, sorted: A, needles: B, positions: C) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
        C: Operand<Item = u32>,
    {
        self.search(Search::LowerBound, sorted, needles, positions)
    }

    /// Writes to `positions`, for each needle, the number of elements of `sorted` that are less
    /// than or equal to the needle. `sorted` must be in ascending order.
    pub fn upper_bound<A, B, C>(&mut self, sorted: A, needles: B, positions: C) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
        C: Operand<Item = u32>,
    {
        self.search(Search::UpperBound, sorted, needles, positions)
    }

    fn search(
        &mut self,
        how: Search,
        sorted: impl Operand,
        needles: impl Operand,
        positions: impl Operand,
    ) -> Result<()> {
        let (sorted, needles) = (self.declare(sorted), self.declare(needles));
        let positions = self.declare(positions).buffer;
        let buffers = SearchBuffers::new(sorted.buffer, needles.buffer, positions);
        let buffers = buffers.count(needles.n).sorted_count(sorted.n);
        operations::search(&mut self.graph, &self.policy, how, &buffers)
    }

    /// Merges two sorted arrays into `out`. If elements are equal, those of `first` come first.
    pub fn merge<A, B, C>(&mut self, first: A, second: B, out: C, how: Merge) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
        C: Operand<Item = A::Item>,
    {
        let (first, second) = (self.declare(first), self.declare(second));
        let buffers = MergeBuffers::keys(first.buffer, second.buffer, self.declare(out).buffer);
        let buffers = buffers.counts(first.n, second.n);
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
        let (first, second) = (self.declare(first), self.declare(second));
        let values = [self.declare(first_values), self.declare(second_values)];
        values[0].check_beside("first_values", ("first", first.n))?;
        values[1].check_beside("second_values", ("second", second.n))?;
        let (out, values_out) = (self.declare(out).buffer, self.declare(values_out).buffer);
        let buffers = MergeBuffers::keys(first.buffer, second.buffer, out)
            .counts(first.n, second.n)
            .values(values[0].buffer, values[1].buffer, values_out);
        operations::merge(&mut self.graph, &self.policy, how, &buffers)
    }
}
