//! One-call searches in host or device arrays.

use multisplit_graph::ElementType;

use super::parts::{Footprint, in_parts};
use super::{Like, check_count};
use crate::device::Context;
use crate::elements::key::Key;
use crate::error::Result;
use crate::memory::{AnyArray, AnyOutput, Elements, Input, Output};
use crate::operations::{Search, SearchBuffers, search};

impl Context {
    /// For each needle, returns the number of elements of `sorted` that are less than the needle.
    /// This is the first position where the needle can be inserted without breaking the order.
    /// `sorted` must be in ascending order, as produced by [`sort`](Self::sort).
    ///
    /// Arrays that exceed a storage binding, and host arrays that exceed the device's memory, are
    /// searched in parts. This does not change the result.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.lower_bound(&[1u32, 3, 3, 7], &[0u32, 3, 4, 9])?, [0, 1, 3, 4]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn lower_bound<A, B>(&self, sorted: &A, needles: &B) -> Result<Like<B, u32>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = A::Item> + ?Sized,
    {
        let (how, sorted, needles) = (Search::LowerBound, sorted.input(), needles.input());
        self.one_output::<B::Place, _>(|positions| self.search(how, sorted, needles, positions))
    }

    /// For each needle, returns the number of elements of `sorted` that are less than or equal to
    /// the needle. This is the last position where the needle can be inserted without breaking the
    /// order.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.upper_bound(&[1u32, 3, 3, 7], &[0u32, 3, 4, 9])?, [0, 3, 3, 4]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn upper_bound<A, B>(&self, sorted: &A, needles: &B) -> Result<Like<B, u32>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = A::Item> + ?Sized,
    {
        let (how, sorted, needles) = (Search::UpperBound, sorted.input(), needles.input());
        self.one_output::<B::Place, _>(|positions| self.search(how, sorted, needles, positions))
    }

    fn search(
        &self,
        how: Search,
        sorted: Input<'_>,
        needles: Input<'_>,
        positions: &mut dyn AnyOutput,
    ) -> Result<()> {
        let (elements, n) = (sorted.len(), needles.len());
        check_count("number of elements of a search", elements.max(n))?;
        let bytes = sorted.element_bytes();
        // Bytes are counted twice, so that `sorted` uses at most half of the memory, and the needles
        // with their positions the other half.
        let of_sorted = Footprint { elements, ..Footprint::new(needles, &[bytes, bytes]) };
        let of_needles = Footprint::new(needles, &[bytes, bytes, 4, 4]);
        let find = |sorted: &AnyArray, needles: &AnyArray| {
            self.call_into("search", (ElementType::U32, needles.len()), |work, positions| {
                let (within, of) = (work.array(sorted), work.array(needles));
                let buffers = SearchBuffers::new(within, of, work.array(positions))
                    .count(needles.len())
                    .sorted_count(sorted.len());
                let (graph, policy) = work.parts();
                search(graph, policy, how, &buffers)
            })
        };
        if of_sorted.is_one_plan(self) && of_needles.is_one_plan(self) {
            let sorted = sorted.on_device(self, "sorted")?;
            positions.set(find(&sorted, &needles.on_device(self, "needles")?)?);
            return Ok(());
        }
        in_parts(elements, of_sorted.max_part(self), &mut |part| {
            let sorted = sorted.part(self, "sorted", part)?;
            let (is_first, mut more) = (positions.bytes().is_empty(), Output::<u32>::default());
            let found = if is_first { &mut *positions } else { &mut more };
            let searched = in_parts(n, of_needles.max_part(self), &mut |part| {
                let positions = find(&sorted, &needles.part(self, "needles", part)?)?;
                self.append(&positions, found)
            });
            if is_first {
                return searched.inspect_err(|_| positions.truncate(0));
            }
            // The position in the whole array is the sum of the positions in its parts.
            let sums = bytemuck::cast_slice_mut::<u8, u32>(positions.bytes());
            let more = bytemuck::cast_slice::<u8, u32>(more.bytes());
            searched?;
            sums.iter_mut().zip(more).for_each(|(sum, part)| *sum += part);
            Ok(())
        })
    }
}
