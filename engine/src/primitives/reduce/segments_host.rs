//! Segmented reductions in one call, of arrays on the host or on the device.

use multisplit_graph::Graph;

use super::segments::{SegmentedReduceBuffers, reduce_segments};
use crate::device::context::Context;
use crate::error::{Error, Result};
use crate::execute::import::Bound;
use crate::memory::{Array, Elements, Place};
use crate::primitives::arrays::check_rows;
use crate::primitives::key::Key;
use crate::primitives::operator::AnyOperator;

impl Context {
    /// What the elements of each segment of `values` combine to; segment s begins at `offsets[s]` and ends
    /// before `offsets[s + 1]`. Of no elements: 0 of a sum, the last value in order of a minimum, the
    /// first of a maximum. Offsets on the host are refused where they fall or pass the end; on the
    /// device, [`SegmentedReduceBuffers`] says what they count as.
    ///
    /// ```
    /// use multisplit::Operator;
    /// # let gpu = multisplit::Context::new()?;
    /// let sums = gpu.reduce_segments(&[3u32, 1, 4, 1], &[0, 3, 3, 4], Operator::Sum)?;
    /// assert_eq!(sums, [8, 0, 1]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn reduce_segments<A, B>(
        &self,
        values: &A,
        offsets: &B,
        operator: impl Into<AnyOperator>,
    ) -> Result<<A::Place as Place>::Array<A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = u32> + ?Sized,
    {
        let (n, bounds) = (values.count(), offsets.count());
        if let Some(offsets) = offsets.on_host() {
            check_offsets(offsets, n)?;
        }
        let segments = bounds.saturating_sub(1);
        let output = Array::<A::Item>::uninit(self, "dst", segments)?;
        if segments > 0 {
            let (values, offsets) =
                (values.on_device(self, "src")?, offsets.on_device(self, "offsets")?);
            let mut graph = Graph::new("reduce segments");
            // Graphs have no empty buffers.
            let src = graph.import::<A::Item>("src", n.max(1));
            let cuts = graph.import::<u32>("offsets", bounds);
            let dst = graph.import::<A::Item>("dst", segments);
            let buffers = SegmentedReduceBuffers::new(src, cuts, dst).elements(n);
            reduce_segments(&mut graph, &self.policy(), operator, &buffers)?;
            let executable = self.instantiate(graph.compile(&self.limits())?)?;
            let bound: [Bound<'_>; 3] =
                [(src, &values).into(), (cuts, &offsets).into(), (dst, &output).into()];
            self.run(&executable, &bound)?;
        }
        A::Place::take(self, output)
    }

    /// What each row of a matrix combines to: `values` are cut into rows of `length`, which has to divide their
    /// number.
    ///
    /// ```
    /// use multisplit::Operator;
    /// # let gpu = multisplit::Context::new()?;
    /// let largest = gpu.reduce_rows(&[3.0f32, 1.0, 4.0, 1.0, 5.0, 9.0], 3, Operator::Max)?;
    /// assert_eq!(largest, [4.0, 9.0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn reduce_rows<A>(
        &self,
        values: &A,
        length: u64,
        operator: impl Into<AnyOperator>,
    ) -> Result<<A::Place as Place>::Array<A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let n = values.count();
        check_rows(n, length)?;
        let rows = n / length.max(1);
        let output = Array::<A::Item>::uninit(self, "dst", rows)?;
        if rows > 0 {
            let values = values.on_device(self, "src")?;
            let mut graph = Graph::new("reduce rows");
            let src = graph.import::<A::Item>("src", n);
            let dst = graph.import::<A::Item>("dst", rows);
            let buffers = SegmentedReduceBuffers::rows(src, length, dst);
            reduce_segments(&mut graph, &self.policy(), operator, &buffers)?;
            let executable = self.instantiate(graph.compile(&self.limits())?)?;
            let bound: [Bound<'_>; 2] = [(src, &values).into(), (dst, &output).into()];
            self.run(&executable, &bound)?;
        }
        A::Place::take(self, output)
    }
}

fn check_offsets(offsets: &[u32], n: u64) -> Result<()> {
    if offsets.windows(2).any(|pair| pair[1] < pair[0]) {
        return Err(Error::Segments { problem: "an offset is below the one before it" });
    }
    if offsets.last().is_some_and(|&last| u64::from(last) > n) {
        return Err(Error::Segments { problem: "an offset is past the end of the elements" });
    }
    Ok(())
}
