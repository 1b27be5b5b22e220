//! Passes on segments: scans and reductions by key, and segmented reductions by offset or row.

use super::{Operand, Work};
use crate::elements::key::Key;
use crate::error::Result;
use crate::operations::shared::cut::Cut;
use crate::operations::{self, Count, ReduceByKeyBuffers, ScanBuffers, SegmentedReduceBuffers};
use crate::{AnyOperator, Scan};

impl Work {
    /// Scans `src` in segments, and writes the result to `dst`. Each run of equal consecutive `keys`
    /// forms a segment, which is scanned independently.
    pub fn scan_by_key<A, B, C>(&mut self, keys: A, src: B, dst: C, scan: &Scan) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item: Key>,
        C: Operand<Item = B::Item>,
    {
        let (src, dst, keys) = (self.declare(src), self.declare(dst), self.declare(keys));
        keys.check_beside("keys", ("src", src.n))?;
        let buffers = ScanBuffers::new(src.buffer, dst.buffer).count(src.n).keys(keys.buffer);
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
        let (src, dst, heads) = (self.declare(src), self.declare(dst), self.declare(heads));
        heads.check_beside("heads", ("src", src.n))?;
        let buffers = ScanBuffers::new(src.buffer, dst.buffer).count(src.n).heads(heads.buffer);
        operations::scan(&mut self.graph, &self.policy, scan, &buffers)
    }

    /// Scans each segment of `src` independently, and writes the result to `dst`. `offsets` contains
    /// the start of each of `segments` segments, followed by the end of the last segment.
    /// [`ScanBuffers::segments`](crate::operations::ScanBuffers::segments) describes the handling of
    /// offsets that decrease or exceed the array.
    pub fn scan_segments<A, B, C>(
        &mut self,
        src: A,
        (offsets, segments): (B, impl Into<Count>),
        dst: C,
        scan: &Scan,
    ) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = u32>,
        C: Operand<Item = A::Item>,
    {
        let (src, dst) = (self.declare(src), self.declare(dst));
        let offsets = self.declare(offsets).buffer;
        let buffers = ScanBuffers::new(src.buffer, dst.buffer).count(src.n);
        let buffers = buffers.segments(offsets, segments);
        operations::scan(&mut self.graph, &self.policy, scan, &buffers)
    }

    /// Scans each row of `src`, a matrix whose rows have `length` elements, as [`Scan::rows`] does.
    pub fn scan_rows<A, B>(&mut self, src: A, length: u64, dst: B, scan: &Scan) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
    {
        self.scan(src, dst, &scan.divided(Cut::Rows(length))?)
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
        let (keys, values) = (self.declare(keys), self.declare(values));
        let to = (self.declare(keys_out).buffer, self.declare(values_out).buffer);
        let found = self.declare(found).buffer;
        keys.check_beside("keys", ("values", values.n))?;
        let from = (keys.buffer, values.buffer);
        let buffers = ReduceByKeyBuffers::new(from, to, found).count(values.n);
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
        let (src, offsets) = (self.declare(src), self.declare(offsets).buffer);
        let dst = self.declare(dst);
        let buffers = SegmentedReduceBuffers::new(src.buffer, offsets, dst.buffer);
        let buffers = buffers.elements(src.n).count(dst.n);
        operations::reduce_segments(&mut self.graph, &self.policy, operator, &buffers)
    }

    /// Reduces each row of `src`, a matrix whose rows have `length` elements. The result of row r
    /// is written to `dst[r]`. `length` must divide the number of elements; for a device count, it
    /// must divide the upper bound. The number of rows is the length or count of `dst`.
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
        let (src, dst) = (self.declare(src), self.declare(dst));
        let buffers = SegmentedReduceBuffers::rows(src.buffer, length, dst.buffer);
        let buffers = buffers.elements(src.n).count(dst.n);
        operations::reduce_segments(&mut self.graph, &self.policy, operator, &buffers)
    }
}
