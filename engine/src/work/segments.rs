//! Passes over elements in segments: scans and reductions by key, and of segments that offsets cut.

use super::operand::check_beside;
use super::{Operand, Work};
use crate::error::Result;
use crate::primitives::key::Key;
use crate::primitives::operator::AnyOperator;
use crate::primitives::scan::Scan;
use crate::primitives::{self, ReduceByKeyBuffers, ScanBuffers, SegmentedReduceBuffers};

impl Work {
    /// `dst` gets the scan of `src` in segments: each run of elements with equal `keys` is scanned on its
    /// own.
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
        primitives::scan(&mut self.graph, &self.policy, scan, &buffers)
    }

    /// The same; segments begin where a word of `heads` is not zero, and at the first element.
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
        primitives::scan(&mut self.graph, &self.policy, scan, &buffers)
    }

    /// Of each run of equal neighbours of `keys`, `keys_out` gets the key and `values_out` what its elements
    /// of `values` combine to; the first word of `found` gets how many runs there are.
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
        primitives::reduce_by_key(&mut self.graph, &self.policy, operator, &buffers)
    }

    /// Element s of `dst` gets what the elements of `src` from `offsets[s]` up to, but not including,
    /// `offsets[s + 1]` combine to. There are as many segments as `dst` has elements, or as its count says.
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
        primitives::reduce_segments(&mut self.graph, &self.policy, operator, &buffers)
    }

    /// Element r of `dst` gets what row r of `src` combines to, a matrix in rows of `length` elements, which has to
    /// divide their number, or the most there can be. There are as many rows as `dst` has elements, or as its count
    /// says.
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
        primitives::reduce_segments(&mut self.graph, &self.policy, operator, &buffers)
    }
}
