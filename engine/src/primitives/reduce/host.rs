//! Reductions in one call, of arrays on the host or on the device.

use multisplit_graph::Graph;

use super::{ReduceBuffers, reduce};
use crate::device::context::Context;
use crate::error::Result;
use crate::execute::import::Bound;
use crate::memory::{Array, Elements, Place};
use crate::primitives::key::Key;
use crate::primitives::large::check_numbers;
use crate::primitives::operator::AnyOperator;
use crate::primitives::parts::{Footprint, in_parts};
use crate::primitives::term::Operator;

impl Context {
    /// What the elements of `input` combine to. Of none: 0 of a sum, the last value in order of a
    /// minimum, the first of a maximum.
    ///
    /// Arrays on the host that exceed the device's memory are reduced in parts. The result is the same, except
    /// that sums of floats may round differently.
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
        let operator = operator.into();
        let n = input.count();
        let mut totals = Vec::new();
        in_parts(n, self.part_of_reduction::<A>(n), |part| {
            let input = input.part(self, "input", part)?;
            totals.push(self.reduce_array(&input, operator.clone(), None)?);
            Ok(())
        })?;
        match totals[..] {
            [total] => Ok(total),
            _ => self.reduce(&totals, operator),
        }
    }

    /// The index of the least element and the element, the first of equals; nothing of nothing.
    /// Floats are in the order of `total_cmp`. There are at most 2^32 - 1 elements.
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
        self.find(input, Operator::Min)
    }

    /// The index of the greatest element and the element, as [`argmin`](Self::argmin) of the least.
    pub fn argmax<A>(&self, input: &A) -> Result<Option<(u32, A::Item)>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        self.find(input, Operator::Max)
    }

    fn find<A>(&self, input: &A, operator: Operator) -> Result<Option<(u32, A::Item)>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let n = input.count();
        check_numbers("number of elements of a reduction with an index (indices have 32 bits)", n)?;
        let rank = |key: A::Item| A::Item::TYPE.ordered(key.key_bits());
        let mut best: Option<(u32, A::Item)> = None;
        in_parts(n, self.part_of_reduction::<A>(n), |part| {
            let begin = part.start as u32;
            let index = Array::uninit(self, "index", 1)?;
            let input = input.part(self, "input", part)?;
            let found = self.reduce_array(&input, operator.into(), Some(&index))?;
            let index = self.download(&index)?.first().filter(|_| !input.is_empty()).copied();
            let better = best.is_none_or(|(_, best)| match operator {
                Operator::Max => rank(found) > rank(best),
                _ => rank(found) < rank(best),
            });
            if let (Some(index), true) = (index, better) {
                best = Some((begin + index, found));
            }
            Ok(())
        })?;
        Ok(best)
    }

    /// Maximum elements of a part: all, if the array is on the device already.
    fn part_of_reduction<A: Elements + ?Sized>(&self, n: u64) -> u64 {
        let footprint = Footprint { total: size_of::<A::Item>() as u64, widest: None };
        if A::Place::BORROWED { n } else { footprint.max_part(self) }
    }

    fn reduce_array<K: Key>(
        &self,
        input: &Array<K>,
        operator: AnyOperator,
        index: Option<&Array<u32>>,
    ) -> Result<K> {
        let n = input.len();
        let output = Array::<K>::uninit(self, "output", 1)?;
        let mut graph = Graph::new("reduce");
        // Graphs have no empty buffers.
        let src = graph.import::<K>("src", n.max(1));
        let dst = graph.import::<K>("dst", 1);
        let mut buffers = ReduceBuffers::new(src, dst).count(n);
        let mut bound: Vec<Bound<'_>> = vec![(src, input).into(), (dst, &output).into()];
        if let Some(array) = index {
            let index = graph.import::<u32>("index", 1);
            bound.push((index, array).into());
            buffers = buffers.index(index);
        }
        reduce(&mut graph, &self.policy(), operator, &buffers)?;
        let executable = self.instantiate(graph.compile(&self.limits())?)?;
        self.run(&executable, &bound)?;
        let mut result = [bytemuck::Zeroable::zeroed()];
        self.download_into(&output, &mut result)?;
        let [result] = result;
        Ok(result)
    }
}
