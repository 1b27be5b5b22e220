//! One-call searches in host or device arrays.

use super::check_numbers;
use super::parts::{Footprint, append, in_parts};
use crate::device::context::Context;
use crate::elements::key::Key;
use crate::error::Result;
use crate::memory::{Array, Elements, Place};
use crate::operations::Search;

/// Array of positions, in the same memory as `A`.
type Positions<A> = <<A as Elements>::Place as Place>::Array<u32>;

impl Context {
    /// For each needle, the number of elements of `sorted` that are less than it: the first
    /// position where the needle can be inserted without breaking the order. `sorted` must be in
    /// ascending order, as produced by [`sort`](Self::sort).
    ///
    /// Arrays that exceed a storage binding, and host arrays that exceed the device's memory, are
    /// searched in parts. This does not change the result.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.lower_bound(&[1u32, 3, 3, 7], &[0u32, 3, 4, 9])?, [0, 1, 3, 4]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn lower_bound<A, B>(&self, sorted: &A, needles: &B) -> Result<Positions<B>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = A::Item> + ?Sized,
    {
        self.search_arrays(Search::LowerBound, sorted, needles)
    }

    /// For each needle, the number of elements of `sorted` that are less than or equal to it: the
    /// last position where the needle can be inserted without breaking the order.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.upper_bound(&[1u32, 3, 3, 7], &[0u32, 3, 4, 9])?, [0, 3, 3, 4]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn upper_bound<A, B>(&self, sorted: &A, needles: &B) -> Result<Positions<B>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = A::Item> + ?Sized,
    {
        self.search_arrays(Search::UpperBound, sorted, needles)
    }

    fn search_arrays<A, B>(&self, how: Search, sorted: &A, needles: &B) -> Result<Positions<B>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = A::Item> + ?Sized,
    {
        let (elements, n) = (sorted.count(), needles.count());
        check_numbers("number of elements of a search (positions have 32 bits)", elements.max(n))?;
        let bytes = size_of::<A::Item>() as u64;
        // Each array gets half of the memory.
        let of_sorted = Footprint { total: 2 * bytes, widest: Some(bytes) };
        let of_needles = Footprint { total: 2 * (bytes + 4), widest: Some(bytes.max(4)) };
        let search = |sorted: &Array<A::Item>, needles: Array<A::Item>| {
            self.call_into("search", needles.len(), |work, positions| {
                work.search(how, sorted, &needles, positions)
            })
        };
        let (max_sorted, max_needles) = (of_sorted.max_part(self), of_needles.max_part(self));
        if of_sorted.is_one_plan::<B::Place>(self, elements)
            && of_needles.is_one_plan::<B::Place>(self, n)
        {
            let sorted = sorted.on_device(self, "sorted")?;
            return B::Place::take(self, search(&sorted, needles.on_device(self, "needles")?)?);
        }
        let mut positions: Vec<u32> = Vec::new();
        in_parts(elements, max_sorted, |part| {
            let sorted = sorted.part(self, "sorted", part)?;
            let mut found = Vec::new();
            in_parts(n, max_needles, |part| {
                let positions = search(&sorted, needles.part(self, "needles", part)?)?;
                append(&mut found, self.download(&positions)?);
                Ok(())
            })?;
            // A position is the sum of the positions in all parts.
            if positions.is_empty() {
                positions = found;
            } else {
                positions.iter_mut().zip(found).for_each(|(sum, part)| *sum += part);
            }
            Ok(())
        })?;
        B::Place::put(self, positions)
    }
}
