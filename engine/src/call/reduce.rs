//! One-call reductions of host or device arrays.

use std::ops::Range;

use bytemuck::pod_read_unaligned;

use super::parts::{Footprint, in_parts};
use super::{Like, bits_of, check_count, continues};
use crate::device::Context;
use crate::elements::key::{Key, KeyType};
use crate::error::Result;
use crate::memory::{AnyArray, AnyOutput, Elements, Input, check_lengths};
use crate::operations::shared::operator::{AnyOperator, Operator};
use crate::operations::{ReduceBuffers, ReduceByKeyBuffers, reduce, reduce_by_key};

impl Context {
    /// Reduces `input` with `operator`. The result of an empty input is the identity of the
    /// operator: 0 for a sum, the last value in sort order for a minimum, the first for a maximum.
    ///
    /// Host arrays that exceed the device's memory are reduced in parts. This does not change the
    /// result, except that sums of floats, and results of GLSL operators that round, may round
    /// differently.
    ///
    /// ```
    /// use multisplit::Operator;
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.reduce(&[3.0f32, 1.0, 4.0], Operator::Sum)?, 8.0);
    /// assert_eq!(gpu.reduce(&[3i64, -1, 4], Operator::Min)?, -1);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn reduce<A>(&self, input: &A, operator: impl Into<AnyOperator>) -> Result<A::Item>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let total = self.reduce_elements(input.input(), &operator.into())?;
        Ok(pod_read_unaligned(&total))
    }

    /// Returns the reduction of `input`, as bytes.
    pub(super) fn reduce_elements(
        &self,
        input: Input<'_>,
        operator: &AnyOperator,
    ) -> Result<Vec<u8>> {
        let (element, mut totals) = (input.element(), Vec::new());
        in_parts(input.len(), self.part_of_reduction(input), &mut |part| {
            let input = input.part(self, "input", part)?;
            let total = self.call_into("reduce", (element, 1), |work, output| {
                let (src, dst) = (work.array(&input), work.array(output));
                let buffers = ReduceBuffers::new(src, dst).count(input.len());
                let (graph, policy) = work.parts();
                reduce(graph, policy, operator.clone(), &buffers)
            })?;
            totals.extend(self.read_range(&total, 0..1)?);
            Ok(())
        })?;
        match totals.len() as u64 / input.element_bytes() {
            1 => Ok(totals),
            len => self.reduce_elements(Input::Host { element, len, bytes: &totals }, operator),
        }
    }

    /// Returns the index and value of the smallest element, or `None` if `input` is empty. Among
    /// equal elements, returns the lowest index. Floats are ordered like `total_cmp`. There can be
    /// at most 2^32 - 1 elements.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.argmin(&[3u32, 1, 4, 1])?, Some((1, 1)));
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn argmin<A>(&self, input: &A) -> Result<Option<(u32, A::Item)>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let found = self.find(<A::Item as Key>::TYPE, input.input(), Operator::Min)?;
        Ok(found.map(|(index, least)| (index, pod_read_unaligned(&least))))
    }

    /// Returns the index and value of the largest element, or `None` if `input` is empty. Among
    /// equal elements, returns the lowest index, like [`argmin`](Self::argmin).
    pub fn argmax<A>(&self, input: &A) -> Result<Option<(u32, A::Item)>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let found = self.find(<A::Item as Key>::TYPE, input.input(), Operator::Max)?;
        Ok(found.map(|(index, greatest)| (index, pod_read_unaligned(&greatest))))
    }

    /// Returns the index and bytes of the smallest or largest element.
    fn find(
        &self,
        key: KeyType,
        input: Input<'_>,
        operator: Operator,
    ) -> Result<Option<(u32, Vec<u8>)>> {
        let n = input.len();
        check_count("number of elements of a reduction that returns an index", n)?;
        let rank = |found: &[u8]| key.ordered(bits_of(found));
        let mut best: Option<(u32, Vec<u8>)> = None;
        in_parts(n, self.part_of_reduction(input), &mut |part| {
            let begin = part.start as u32;
            let input = input.part(self, "input", part)?;
            let output = AnyArray::uninit(self, "output", input.element(), 1)?;
            let index = self.call_count("reduce", |work, index| {
                let (src, dst) = (work.array(&input), work.array(&output));
                let buffers = ReduceBuffers::new(src, dst).count(input.len());
                let buffers = buffers.index(work.array(index));
                let (graph, policy) = work.parts();
                reduce(graph, policy, operator, &buffers)
            })?;
            let found = self.read_range(&output, 0..1)?;
            let better = best.as_ref().is_none_or(|(_, best)| match operator {
                Operator::Max => rank(&found) > rank(best),
                _ => rank(&found) < rank(best),
            });
            if better && input.len() > 0 {
                best = Some((begin + index as u32, found));
            }
            Ok(())
        })?;
        Ok(best)
    }

    /// Reduces the `values` of each run of equal consecutive `keys`. Returns the key and the result
    /// of each run.
    ///
    /// Arrays that exceed a storage binding, and host arrays that exceed the device's memory, are
    /// reduced in parts. This does not change the result, except that sums of floats, and results
    /// of GLSL operators that round, may round differently.
    ///
    /// ```
    /// use multisplit::Operator;
    /// # let gpu = multisplit::Context::new()?;
    /// let (keys, sums) = gpu.reduce_by_key(&[7u32, 7, 2], &[1.5f32, 1.0, 4.0], Operator::Sum)?;
    /// assert_eq!((keys, sums), (vec![7, 2], vec![2.5, 4.0]));
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    #[allow(clippy::type_complexity, reason = "the results are in the same memory as the inputs")]
    pub fn reduce_by_key<A, B>(
        &self,
        keys: &A,
        values: &B,
        operator: impl Into<AnyOperator>,
    ) -> Result<(Like<B, A::Item>, Like<B, B::Item>)>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Key> + ?Sized,
    {
        let (from, operator) = ((keys.input(), values.input()), operator.into());
        self.two_outputs::<B::Place, _, _>(|outputs| self.reduce_runs(from, &operator, outputs))
    }

    fn reduce_runs(
        &self,
        (keys, values): (Input<'_>, Input<'_>),
        operator: &AnyOperator,
        outputs: &mut [&mut dyn AnyOutput],
    ) -> Result<()> {
        let n = values.len();
        check_lengths("keys", keys.len(), "values", n)?;
        check_count("number of elements of a reduction by key", n)?;
        let bytes = [keys.element_bytes(), values.element_bytes()];
        let footprint = Footprint::new(values, &[bytes, bytes].concat());
        let part = |part: Range<u64>| {
            let keys = keys.part(self, "keys", part.clone())?;
            let values = values.part(self, "values", part)?;
            let keys_out = AnyArray::uninit(self, "keys_out", keys.element(), keys.len())?;
            let values_out = AnyArray::uninit(self, "values_out", values.element(), keys.len())?;
            let runs = self.call_count("reduce by key", |work, runs| {
                let from = (work.array(&keys), work.array(&values));
                let to = (work.array(&keys_out), work.array(&values_out));
                let buffers = ReduceByKeyBuffers::new(from, to, work.array(runs));
                let (graph, policy) = work.parts();
                reduce_by_key(graph, policy, operator.clone(), &buffers.count(keys.len()))
            })?;
            Ok(vec![keys_out.truncated(runs), values_out.truncated(runs)])
        };
        self.in_parts(footprint, outputs, &part, &|outputs, ends| {
            // The first run of a part may continue the last run of the previous part.
            if let [keys, totals] = outputs
                && continues(*keys, ends[0])
            {
                keys.remove(ends[0]);
                let more = totals.remove(ends[1]);
                let last = totals.element(ends[1] - 1);
                let bytes = &[&*last, &more].concat();
                let both = Input::Host { element: values.element(), len: 2, bytes };
                last.copy_from_slice(&self.reduce_elements(both, operator)?);
            }
            Ok(())
        })
    }

    /// Maximum number of elements per part. Arrays that are already on the device are not divided.
    fn part_of_reduction(&self, input: Input<'_>) -> u64 {
        let footprint = Footprint::new(input, &[input.element_bytes()]);
        match input.is_borrowed() {
            true => input.len(),
            false => Footprint { max_element_bytes: None, ..footprint }.max_part(self),
        }
    }
}
