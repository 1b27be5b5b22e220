//! Passes that find elements of an array: selections, runs of equal elements, and the smallest and
//! largest element.

use super::{Operand, Work};
use crate::elements::key::Key;
use crate::error::Result;
use crate::operations::{self, ReduceBuffers, SelectBuffers};
use crate::{Operator, Select};

impl Work {
    /// Writes the elements of `src` that meet `condition` to `dst`, and their number to the first
    /// element of `selected`. Later passes can use this number as their element count
    /// ([`count_in`](Self::count_in)).
    pub fn select<A, B, C>(
        &mut self,
        src: A,
        dst: B,
        selected: C,
        condition: &Select<A::Item>,
    ) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
        C: Operand<Item = u32>,
    {
        let buffers = self.select_buffers(src, dst, selected);
        operations::select(&mut self.graph, &self.policy, condition, &buffers)
    }

    /// Selects the elements of `src` whose flag is not zero, like [`select`](Self::select).
    pub fn select_flagged<A, B, C, D>(
        &mut self,
        src: A,
        flags: B,
        dst: C,
        selected: D,
    ) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = u32>,
        C: Operand<Item = A::Item>,
        D: Operand<Item = u32>,
    {
        let n = self.declare(src).n;
        let flags = self.declare(flags);
        flags.check_beside("flags", ("src", n))?;
        let buffers = self.select_buffers(src, dst, selected).flags(flags.buffer);
        operations::select(&mut self.graph, &self.policy, &Select::<A::Item>::flagged(), &buffers)
    }

    /// Writes the elements of `src` that meet `condition` to `dst`, the remaining ones to
    /// `rejected`, and the number of selected elements to the first word of `selected`.
    pub fn partition<A, B, C>(
        &mut self,
        src: A,
        (dst, rejected): (B, impl Operand<Item = A::Item>),
        selected: C,
        condition: &Select<A::Item>,
    ) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
        C: Operand<Item = u32>,
    {
        let rejected = self.declare(rejected).buffer;
        let buffers = self.select_buffers(src, dst, selected).rejected(rejected);
        operations::select(&mut self.graph, &self.policy, condition, &buffers)
    }

    /// Writes the first element of each run of equal neighbours in `src` to `dst`, and the number
    /// of runs to the first word of `found`.
    pub fn unique<A, B, C>(&mut self, src: A, dst: B, found: C) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
        C: Operand<Item = u32>,
    {
        self.select(src, dst, found, &Select::first_of_runs())
    }

    /// Like [`unique`](Self::unique), and also writes the length of each run to `lengths`.
    pub fn run_lengths<A, B, C, D>(&mut self, src: A, dst: B, lengths: C, found: D) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
        C: Operand<Item = u32>,
        D: Operand<Item = u32>,
    {
        let lengths = self.declare(lengths).buffer;
        let buffers = self.select_buffers(src, dst, found).run_lengths(lengths);
        let runs = Select::<A::Item>::first_of_runs();
        operations::select(&mut self.graph, &self.policy, &runs, &buffers)
    }

    /// Writes the smallest element of `src` to the first element of `dst`, and its index to the
    /// first element of `index`. Among equal elements, this is the lowest index. If `src` is empty,
    /// the index is [`NO_INDEX`](crate::operations::reduce::NO_INDEX).
    pub fn argmin<A, B, C>(&mut self, src: A, dst: B, index: C) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
        C: Operand<Item = u32>,
    {
        self.find(src, dst, index, Operator::Min)
    }

    /// Writes the largest element of `src` and its index, like [`argmin`](Self::argmin).
    pub fn argmax<A, B, C>(&mut self, src: A, dst: B, index: C) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
        C: Operand<Item = u32>,
    {
        self.find(src, dst, index, Operator::Max)
    }

    fn find(
        &mut self,
        src: impl Operand,
        dst: impl Operand,
        index: impl Operand,
        operator: Operator,
    ) -> Result<()> {
        let (src, dst) = (self.declare(src), self.declare(dst));
        let buffers = ReduceBuffers::new(src.buffer, dst.buffer).count(src.n);
        let buffers = buffers.index(self.declare(index).buffer);
        operations::reduce(&mut self.graph, &self.policy, operator, &buffers)
    }

    fn select_buffers(
        &mut self,
        src: impl Operand,
        dst: impl Operand,
        found: impl Operand,
    ) -> SelectBuffers {
        let (src, dst) = (self.declare(src), self.declare(dst));
        SelectBuffers::new(src.buffer, dst.buffer, self.declare(found).buffer).count(src.n)
    }
}
