//! One-call segmented reductions of host or device arrays.

use std::ops::Range;

use super::Like;
use super::parts::{Footprint, group_end, in_parts_of, is_out_of_memory};
use crate::device::Context;
use crate::elements::key::Key;
use crate::error::{Error, Result};
use crate::memory::{AnyArray, AnyOutput, Elements, Input};
use crate::operations::shared::checks::check_rows;
use crate::operations::shared::operator::AnyOperator;
use crate::operations::{SegmentedReduceBuffers, reduce_segments};

impl Context {
    /// Reduces each segment of `values`. Segment s begins at `offsets[s]` and ends before
    /// `offsets[s + 1]`. The result of an empty segment is the identity of the operator: 0 for a
    /// sum, the last value in sort order for a minimum, the first for a maximum. Host offsets are
    /// rejected if they decrease or exceed the number of values. For invalid device offsets, see
    /// [`SegmentedReduceBuffers`](crate::operations::SegmentedReduceBuffers).
    ///
    /// Host arrays that exceed a storage binding or the device's memory are reduced in parts. This
    /// does not change the result, except that sums of floats, and results of GLSL operators that
    /// round, may round differently.
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
    ) -> Result<Like<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = u32> + ?Sized,
    {
        let (values, offsets) = (values.input(), offsets.input());
        if let Some(bytes) = offsets.on_host() {
            check_offsets(bytemuck::cast_slice(bytes), values.len())?;
        }
        let operator = &operator.into();
        let call = SegmentedReduce { values, offsets: Some(offsets), length: 0, operator };
        self.one_output::<A::Place, _>(|output| call.run(self, output))
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
    ) -> Result<Like<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let values = values.input();
        check_rows(values.len(), length)?;
        let call = SegmentedReduce { values, offsets: None, length, operator: &operator.into() };
        self.one_output::<A::Place, _>(|output| call.run(self, output))
    }
}

/// Parameters of a segmented reduction whose element type is known only at run time.
struct SegmentedReduce<'a> {
    values: Input<'a>,
    /// Start of each segment, and the end of the last one. `None` if segments are rows.
    offsets: Option<Input<'a>>,
    /// Length of a row.
    length: u64,
    operator: &'a AnyOperator,
}

impl SegmentedReduce<'_> {
    /// Reduces the segments. Host arrays are divided into groups of segments that fit in one plan and
    /// in the device's memory. A segment that does not fit is itself reduced in parts.
    fn run(&self, context: &Context, output: &mut dyn AnyOutput) -> Result<()> {
        let values = self.values;
        if values.is_borrowed() || self.offsets.is_some_and(Input::is_borrowed) {
            let values = values.on_device(context, "values")?;
            output.set(self.reduce(context, &values, self.offsets)?);
            return Ok(());
        }
        let bounds: Option<&[u32]> =
            self.offsets.and_then(Input::on_host).map(bytemuck::cast_slice);
        let bound = |segment: usize| match bounds {
            Some(bounds) => bounds[segment] as usize,
            None => segment * self.length as usize,
        };
        let segments = self.segments_of(values.len(), self.offsets);
        let bytes = values.element_bytes();
        let max = Footprint::new(values, &[bytes, bytes]).max_part(context) as usize;
        // Minus one, because a group has one more offset than segments.
        let max_segments = Footprint::new(values, &[bytes, bytes, 4, 4]).max_part(context) - 1;
        in_parts_of(segments, (1, max_segments), &mut |part| {
            let (mut begin, end) = (part.start as usize, part.end as usize);
            let before = output.bytes().len();
            while begin < end {
                let more = group_end(begin..end, max, bound);
                let mut range = bound(begin) as u64..bound(more) as u64;
                let mut reduced = Ok(());
                let mut is_long = range.end - range.start > max as u64;
                if !is_long {
                    // If a single group contains all segments, the whole array is uploaded if it fits,
                    // including elements outside of the segments, so that the plan is the same as for
                    // device arrays.
                    if (more - begin) as u64 == segments && values.len() <= max as u64 {
                        range = 0..values.len();
                    }
                    let bounds = bounds.map(|bounds| &bounds[begin..=more]);
                    let found = self.reduce_group(context, range.clone(), bounds);
                    reduced = found.and_then(|found| context.append(&found, output));
                    is_long =
                        part.end - part.start == 1 && reduced.as_ref().is_err_and(is_out_of_memory);
                }
                if is_long {
                    let range = bound(begin) as u64..bound(more) as u64;
                    let segment = values.slice(range).unwrap_or(values);
                    let total = context.reduce_elements(segment, self.operator);
                    reduced = total.and_then(|total| output.extend(&total));
                }
                reduced.inspect_err(|_| output.truncate(before))?;
                begin = more;
            }
            Ok(())
        })
    }

    /// Reduces the segments with these bounds. `range` contains their elements, which are on the
    /// host.
    fn reduce_group(
        &self,
        context: &Context,
        range: Range<u64>,
        bounds: Option<&[u32]>,
    ) -> Result<AnyArray> {
        let first = range.start as u32;
        let offsets = bounds.map(|bounds| bounds.iter().map(|&offset| offset - first).collect());
        let values = self.values.part(context, "values", range)?;
        self.reduce(context, &values, offsets.as_ref().map(|offsets: &Vec<u32>| offsets.input()))
    }

    /// Reduces an array on the device, with one plan. Returns the result of each segment.
    fn reduce(
        &self,
        context: &Context,
        values: &AnyArray,
        offsets: Option<Input<'_>>,
    ) -> Result<AnyArray> {
        let segments = self.segments_of(values.len(), offsets);
        let offsets = offsets.map(|offsets| offsets.on_device(context, "offsets")).transpose()?;
        context.call_into("reduce segments", (values.element(), segments), |work, output| {
            let src = work.array(values);
            let offsets = offsets.as_ref().map(|offsets| work.array(offsets));
            let dst = work.array(output);
            let buffers = match offsets {
                Some(offsets) => SegmentedReduceBuffers::new(src, offsets, dst),
                None => SegmentedReduceBuffers::rows(src, self.length, dst),
            };
            let buffers = buffers.elements(values.len()).count(segments);
            let (graph, policy) = work.parts();
            reduce_segments(graph, policy, self.operator.clone(), &buffers)
        })
    }

    fn segments_of(&self, n: u64, offsets: Option<Input<'_>>) -> u64 {
        offsets.map_or(n / self.length.max(1), |offsets| offsets.len().saturating_sub(1))
    }
}

fn check_offsets(offsets: &[u32], n: u64) -> Result<()> {
    let problem = if !offsets.is_sorted() {
        "an offset is less than the previous one; sort the offsets"
    } else if offsets.last().is_some_and(|&last| u64::from(last) > n) {
        "an offset exceeds the number of elements; use offsets up to the length of the array"
    } else {
        return Ok(());
    };
    Err(Error::Segments { problem })
}
