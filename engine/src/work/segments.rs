//! Work on segments: scans and reductions by key, and segmented reductions by offset or row.

use super::operand::check_beside;
use super::{Operand, Work};
use crate::elements::key::Key;
use crate::error::Result;
use crate::operations::scan::Scan;
use crate::operations::shared::operator::AnyOperator;
use crate::operations::{self, ReduceByKeyBuffers, ScanBuffers, SegmentedReduceBuffers};

impl Work {
    /// Scans each run of `src` with equal consecutive `keys` independently, and writes the result
    /// to `dst`.
    pub fn scan_by_key<A, B, C>(&mut self, keys: A, src: B, dst: C, scan: &Scan) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item: Key>,
        C: Operand<Item = B::Item>,
    {
        let (from, to) = (src.declare(self), dst.declare(self));
        let n = src.count(from);
        check_beside(("keys", &keys), ("src", n))?;
        let buffers = ScanBuffers::new(from, to).count(n).keys(keys.declare(self));
        operations::scan(&mut self.graph, &self.policy, scan, &buffers)
    }

    /// Scans each segment of `src` independently. A segment begins at each nonzero word of `heads`,
    /// and at the first element.
    pub fn scan_by_heads<A, B, C>(&mut self, heads: A, src: B, dst: C, scan: &Scan) -> Result<()>
    where
        A: Operand<Item = u32>,
        B: Operand<Item: Key>,
        C: Operand<Item = B::Item>,
    {
        let (from, to) = (src.declare(self), dst.declare(self));
        let n = src.count(from);
        check_beside(("heads", &heads), ("src", n))?;
        let buffers = ScanBuffers::new(from, to).count(n).heads(heads.declare(self));
        operations::scan(&mut self.graph, &self.policy, scan, &buffers)
    }

    /// Reduces the `values` of each run of equal consecutive `keys`. Writes the key of each run to
    /// `keys_out`, its result to `values_out`, and the number of runs to the first word of `found`.
    pub fn reduce_by_key<A, B>(
        &mut self,
        (keys, values): (A, B),
        (keys_out, values_out): (impl Operand<Item = A::Item>, impl Operand<Item = B::Item>),
        found: impl Operand<Item = u32>,
        operator: impl Into<AnyOperator>,
    ) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item: Key>,
    {
        let from = (keys.declare(self), values.declare(self));
        let to = (keys_out.declare(self), values_out.declare(self));
        let (n, found) = (values.count(from.1), found.declare(self));
        check_beside(("keys", &keys), ("values", n))?;
        let buffers = ReduceByKeyBuffers::new(from, to, found).count(n);
        operations::reduce_by_key(&mut self.graph, &self.policy, operator, &buffers)
    }

    /// Reduces each segment of `src`. Segment s begins at `offsets[s]` and ends before `offsets[s +
    /// 1]`; its result is written to `dst[s]`. The number of segments is the length or count of
    /// `dst`.
    pub fn reduce_segments<A, B, C>(
        &mut self,
        src: A,
        offsets: B,
        dst: C,
        operator: impl Into<AnyOperator>,
    ) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = u32>,
        C: Operand<Item = A::Item>,
    {
        let (from, cuts, to) = (src.declare(self), offsets.declare(self), dst.declare(self));
        let buffers = SegmentedReduceBuffers::new(from, cuts, to)
            .elements(src.count(from))
            .count(dst.count(to));
        operations::reduce_segments(&mut self.graph, &self.policy, operator, &buffers)
    }

    /// Reduces each row of `src`, a matrix with rows of `length` elements. The result of row r is
    /// written to `dst[r]`. `length` must divide the number of elements, or the maximum of a device
    /// count. The number of rows is the length or count of `dst`.
    pub fn reduce_rows<A, B>(
        &mut self,
        src: A,
        length: u64,
        dst: B,
        operator: impl Into<AnyOperator>,
    ) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
    {
        let (from, to) = (src.declare(self), dst.declare(self));
        let buffers = SegmentedReduceBuffers::rows(from, length, to)
            .elements(src.count(from))
            .count(dst.count(to));
        operations::reduce_segments(&mut self.graph, &self.policy, operator, &buffers)
    }
}
