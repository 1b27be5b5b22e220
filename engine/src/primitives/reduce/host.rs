//! Reductions in one call, of arrays on the host or on the device.

use multisplit_graph::Graph;

use super::{ReduceBuffers, reduce};
use crate::device::context::Context;
use crate::error::Result;
use crate::execute::import::Bound;
use crate::memory::{Array, Elements};
use crate::primitives::key::Key;
use crate::primitives::operator::AnyOperator;
use crate::primitives::term::Operator;

impl Context {
    /// What the elements of `input` combine to. Of none: 0 of a sum, the last value in order of a
    /// minimum, the first of a maximum.
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
        self.reduce_any(input, operator.into(), None)
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
        let index = Array::uninit(self, "index", 1)?;
        let found = self.reduce_any(input, operator.into(), Some(&index))?;
        let index = self.download(&index)?;
        Ok(index.first().filter(|_| input.count() > 0).map(|&index| (index, found)))
    }

    fn reduce_any<A>(
        &self,
        input: &A,
        operator: AnyOperator,
        index: Option<&Array<u32>>,
    ) -> Result<A::Item>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let n = input.count();
        let input = input.on_device(self, "src")?;
        let output = Array::<A::Item>::uninit(self, "dst", 1)?;
        let mut graph = Graph::new("reduce");
        // Graphs have no empty buffers.
        let src = graph.import::<A::Item>("src", n.max(1));
        let dst = graph.import::<A::Item>("dst", 1);
        let mut buffers = ReduceBuffers::new(src, dst).count(n);
        let mut bound: Vec<Bound<'_>> = vec![(src, &input).into(), (dst, &output).into()];
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
