//! One-call segmented reductions of host or device arrays.

use std::ops::Range;

use super::parts::{Footprint, append, group_end, in_parts_of, is_out_of_memory};
use crate::device::context::Context;
use crate::elements::key::Key;
use crate::error::{Error, Result};
use crate::memory::{Array, Elements, Place};
use crate::operations::shared::checks::check_rows;
use crate::operations::shared::operator::AnyOperator;

impl Context {
    /// Reduces each segment of `values`. Segment s begins at `offsets[s]` and ends before
    /// `offsets[s + 1]`. The result of an empty segment is the identity of the operator: 0 for a
    /// sum, the last value in sort order for a minimum, the first for a maximum. Host offsets are
    /// rejected if they decrease or exceed the number of values. For invalid device offsets, see
    /// [`SegmentedReduceBuffers`](crate::operations::SegmentedReduceBuffers).
    ///
    /// Host arrays that exceed a storage binding or the device's memory are reduced in parts. This
    /// does not change the result, except that sums of floats may round differently.
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
        let reduce = |values: Array<A::Item>, offsets: Array<u32>| {
            let segments = offsets.len().saturating_sub(1);
            self.call_into("reduce segments", segments, |work, output| {
                work.reduce_segments(&values, &offsets, output, operator.clone())
            })
        };
        let (Some(elements), Some(bounds)) = (values.on_host(), offsets.on_host()) else {
            let values = values.on_device(self, "values")?;
            return A::Place::take(self, reduce(values, offsets.on_device(self, "offsets")?)?);
        };
        let segments = bounds.len().saturating_sub(1);
        let bound = |segment: usize| bounds[segment] as usize;
        let reduced = self.reduce_groups(elements, segments, bound, &operator, |group, max| {
            // If one group contains everything, reduce it in the same way as device arrays.
            let (first, elements) = match group.len() == segments && elements.len() <= max {
                true => (0, elements),
                false => (bounds[group.start], &elements[bound(group.start)..bound(group.end)]),
            };
            let offsets: Vec<u32> =
                bounds[group.start..=group.end].iter().map(|&offset| offset - first).collect();
            let values = elements.on_device(self, "values")?;
            self.download(&reduce(values, offsets.on_device(self, "offsets")?)?)
        })?;
        A::Place::put(self, reduced)
    }

    /// Reduces each row of a matrix. `length` is the length of a row and must divide the number of
    /// `values`.
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
        let reduce = |values: Array<A::Item>| {
            let rows = values.len() / length.max(1);
            self.call_into("reduce segments", rows, |work, output| {
                work.reduce_rows(&values, length, output, operator.clone())
            })
        };
        let Some(elements) = values.on_host() else {
            return A::Place::take(self, reduce(values.on_device(self, "values")?)?);
        };
        let rows = (n / length.max(1)) as usize;
        let bound = |row: usize| row * length as usize;
        let reduced = self.reduce_groups(elements, rows, bound, &operator, |group, _| {
            let values = &elements[bound(group.start)..bound(group.end)];
            self.download(&reduce(values.on_device(self, "values")?)?)
        })?;
        A::Place::put(self, reduced)
    }

    /// Reduces segments in groups that fit one plan and the device's memory. Segment s begins at
    /// `bound(s)`. `group` is called with a range of segments and the maximum number of elements of
    /// a part. Segments that exceed this maximum are reduced in parts.
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
        // There is one more offset than segments.
        let footprint = Footprint { total: 2 * (bytes + 4), widest: Some(bytes.max(4)) };
        let max_segments = footprint.max_part(self) - 1;
        let mut all = Vec::new();
        in_parts_of(segments as u64, (1, max_segments), |part| {
            let (mut begin, end) = (part.start as usize, part.end as usize);
            let mut reduced = Vec::new();
            while begin < end {
                let (first, more) = (bound(begin), group_end(begin..end, max, &bound));
                // A segment that exceeds a part or the memory is itself reduced in parts.
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
}

fn check_offsets(offsets: &[u32], n: u64) -> Result<()> {
    if offsets.windows(2).any(|pair| pair[1] < pair[0]) {
        return Err(Error::Segments {
            problem: "an offset is less than the previous one; sort the offsets",
        });
    }
    if offsets.last().is_some_and(|&last| u64::from(last) > n) {
        return Err(Error::Segments { problem: "an offset exceeds the number of elements" });
    }
    Ok(())
}
