//! Segmented reductions in one call, of arrays on the host or on the device.

use std::ops::Range;

use multisplit_graph::Graph;

use super::segments::{SegmentedReduceBuffers, reduce_segments};
use crate::device::context::Context;
use crate::error::{Error, Result};
use crate::execute::import::Bound;
use crate::memory::{Array, Elements, Place};
use crate::primitives::arrays::check_rows;
use crate::primitives::key::Key;
use crate::primitives::operator::AnyOperator;
use crate::primitives::parts::{Footprint, append, group_end, in_parts_of, is_out_of_memory};

impl Context {
    /// What the elements of each segment of `values` combine to; segment s begins at `offsets[s]` and ends
    /// before `offsets[s + 1]`. Of no elements: 0 of a sum, the last value in order of a minimum, the
    /// first of a maximum. Offsets on the host are refused where they fall or pass the end; on the
    /// device, [`SegmentedReduceBuffers`] says what they count as.
    ///
    /// Arrays on the host that exceed a storage binding or the device's memory are reduced in parts. The result
    /// is the same, except that sums of floats may round differently.
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
        let operator = operator.into();
        if let Some(offsets) = offsets.on_host() {
            check_offsets(offsets, values.count())?;
        }
        let (Some(elements), Some(bounds)) = (values.on_host(), offsets.on_host()) else {
            let values = values.on_device(self, "values")?;
            let offsets = offsets.on_device(self, "offsets")?;
            let cut = Cut::Offsets(&offsets);
            return A::Place::take(self, self.reduce_segments_array(&values, &cut, operator)?);
        };
        let segments = bounds.len().saturating_sub(1);
        let bound = |segment: usize| bounds[segment] as usize;
        let reduced = self.reduce_groups(elements, segments, bound, &operator, |group, max| {
            // One group of everything is reduced as arrays on the device are.
            let (first, elements) = match group.len() == segments && elements.len() <= max {
                true => (0, elements),
                false => (bounds[group.start], &elements[bound(group.start)..bound(group.end)]),
            };
            let offsets: Vec<u32> =
                bounds[group.start..=group.end].iter().map(|&offset| offset - first).collect();
            let values = elements.on_device(self, "values")?;
            let offsets = offsets.on_device(self, "offsets")?;
            let cut = Cut::Offsets(&offsets);
            self.download(&self.reduce_segments_array(&values, &cut, operator.clone())?)
        })?;
        A::Place::put(self, reduced)
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
        let operator = operator.into();
        let Some(elements) = values.on_host() else {
            let values = values.on_device(self, "values")?;
            let cut = Cut::Rows(length);
            return A::Place::take(self, self.reduce_segments_array(&values, &cut, operator)?);
        };
        let rows = (n / length.max(1)) as usize;
        let bound = |row: usize| row * length as usize;
        let reduced = self.reduce_groups(elements, rows, bound, &operator, |group, _| {
            let values =
                elements[bound(group.start)..bound(group.end)].on_device(self, "values")?;
            let cut = Cut::Rows(length);
            self.download(&self.reduce_segments_array(&values, &cut, operator.clone())?)
        })?;
        A::Place::put(self, reduced)
    }

    /// Reduces segments by groups that one plan and the memory hold. Segment s begins at `bound(s)`; `group` is
    /// given some segments and the maximum elements of a part. A segment that exceeds it is reduced in parts.
    fn reduce_groups<T: Key>(
        &self,
        elements: &[T],
        segments: usize,
        bound: impl Fn(usize) -> usize,
        operator: &AnyOperator,
        group: impl Fn(Range<usize>, usize) -> Result<Vec<T>>,
    ) -> Result<Vec<T>> {
        let bytes = size_of::<T>() as u64;
        let max = Footprint { total: 2 * bytes, widest: Some(bytes) }.max_part(self) as usize;
        // There is one offset more than there are segments.
        let footprint = Footprint { total: 2 * (bytes + 4), widest: Some(bytes.max(4)) };
        let max_segments = footprint.max_part(self) - 1;
        let mut all = Vec::new();
        in_parts_of(segments as u64, (1, max_segments), |part| {
            let (mut begin, end) = (part.start as usize, part.end as usize);
            let mut reduced = Vec::new();
            while begin < end {
                let (first, more) = (bound(begin), group_end(begin..end, max, &bound));
                // A segment that exceeds a part or the memory is reduced in parts of its own.
                let mut is_long = bound(more) - first > max;
                if !is_long {
                    match group(begin..more, max) {
                        Err(error) if is_out_of_memory(&error) && part.end - part.start == 1 => {
                            is_long = true;
                        }
                        found => append(&mut reduced, found?),
                    }
                }
                if is_long {
                    let segment = &elements[first..bound(more)];
                    reduced.push(self.reduce(segment, operator.clone())?);
                }
                begin = more;
            }
            append(&mut all, reduced);
            Ok(())
        })?;
        Ok(all)
    }

    /// Reduces segments of an array that one plan can hold.
    fn reduce_segments_array<T: Key>(
        &self,
        values: &Array<T>,
        cut: &Cut<'_>,
        operator: AnyOperator,
    ) -> Result<Array<T>> {
        let n = values.len();
        let segments = match cut {
            Cut::Offsets(offsets) => offsets.len().saturating_sub(1),
            Cut::Rows(length) => n / (*length).max(1),
        };
        let output = Array::<T>::uninit(self, "output", segments)?;
        if segments == 0 {
            return Ok(output);
        }
        let mut graph = Graph::new("reduce segments");
        // Graphs have no empty buffers.
        let src = graph.import::<T>("src", n.max(1));
        let dst = graph.import::<T>("dst", segments);
        let mut bound: Vec<Bound<'_>> = vec![(src, values).into(), (dst, &output).into()];
        let buffers = match cut {
            Cut::Offsets(offsets) => {
                let import = graph.import::<u32>("offsets", offsets.len());
                bound.push((import, *offsets).into());
                SegmentedReduceBuffers::new(src, import, dst).elements(n)
            }
            Cut::Rows(length) => SegmentedReduceBuffers::rows(src, *length, dst),
        };
        reduce_segments(&mut graph, &self.policy(), operator, &buffers)?;
        let executable = self.instantiate(graph.compile(&self.limits())?)?;
        self.run(&executable, &bound)?;
        Ok(output)
    }
}

/// Where segments begin.
enum Cut<'a> {
    Offsets(&'a Array<u32>),
    Rows(u64),
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
