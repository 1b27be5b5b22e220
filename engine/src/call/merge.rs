//! One-call merges of host or device arrays.

use std::ops::Range;

use super::parts::Footprint;
use crate::device::context::Context;
use crate::elements::key::{Key, Value};
use crate::error::Result;
use crate::memory::{Array, Elements, Place, check_lengths};
use crate::operations::Merge;

/// Array of the same type as `A`, in the same memory.
type Results<A> = <<A as Elements>::Place as Place>::Array<<A as Elements>::Item>;

impl Context {
    /// Merges two arrays that are sorted in ascending order. If elements are equal, those of `first`
    /// come first.
    ///
    /// Host arrays that exceed a storage binding or the device's memory are merged in parts. This
    /// does not change the result. It applies to all merge functions.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.merge(&[1.0f32, 4.0, 5.0], &[2.0, 4.0])?, [1.0, 2.0, 4.0, 4.0, 5.0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn merge<A, B>(&self, first: &A, second: &B) -> Result<Results<A>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = A::Item, Place = A::Place> + ?Sized,
    {
        self.merge_with(first, second, Merge::Ascending)
    }

    /// Merges two arrays that are both sorted in the order `how`.
    ///
    /// ```
    /// use multisplit::operations::Merge;
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.merge_with(&[5u32, 1], &[4u32, 2], Merge::Descending)?, [5, 4, 2, 1]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn merge_with<A, B>(&self, first: &A, second: &B, how: Merge) -> Result<Results<A>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = A::Item, Place = A::Place> + ?Sized,
    {
        self.merge_parts((first, second), 0, how, |[one, other]| {
            let first = first.part(self, "first", one)?;
            let second = second.part(self, "second", other)?;
            let n = first.len() + second.len();
            self.call_into("merge", n, |work, out| work.merge(&first, &second, out, how))
        })
    }

    /// Merges two arrays of pairs that are sorted by key in ascending order.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// let (keys, values) = gpu.merge_pairs((&[1u32, 4], &[10u32, 11]), (&[1u32, 2], &[20u32, 21]))?;
    /// assert_eq!((keys, values), (vec![1, 1, 2, 4], vec![10, 20, 21, 11]));
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    #[allow(clippy::type_complexity, reason = "two arrays where those of the input are")]
    pub fn merge_pairs<A, B, C, D>(
        &self,
        first: (&A, &B),
        second: (&C, &D),
    ) -> Result<(Results<A>, Results<B>)>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Value, Place = A::Place> + ?Sized,
        C: Elements<Item = A::Item, Place = A::Place> + ?Sized,
        D: Elements<Item = B::Item, Place = A::Place> + ?Sized,
    {
        self.merge_pairs_with(first, second, Merge::Ascending)
    }

    /// Merges two arrays of pairs that are both sorted by key in the order `how`.
    #[allow(clippy::type_complexity, reason = "two arrays where those of the input are")]
    pub fn merge_pairs_with<A, B, C, D>(
        &self,
        (first, first_values): (&A, &B),
        (second, second_values): (&C, &D),
        how: Merge,
    ) -> Result<(Results<A>, Results<B>)>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Value, Place = A::Place> + ?Sized,
        C: Elements<Item = A::Item, Place = A::Place> + ?Sized,
        D: Elements<Item = B::Item, Place = A::Place> + ?Sized,
    {
        let () = <B::Item as Value>::CHECKED;
        check_lengths("first_values", first_values.count(), "first", first.count())?;
        check_lengths("second_values", second_values.count(), "second", second.count())?;
        self.merge_parts((first, second), size_of::<B::Item>(), how, |[one, other]| {
            let first = first.part(self, "first", one.clone())?;
            let second = second.part(self, "second", other.clone())?;
            let first_values = first_values.part(self, "first_values", one)?;
            let second_values = second_values.part(self, "second_values", other)?;
            let n = first.len() + second.len();
            let out = Array::uninit(self, "out", n)?;
            let values_out = Array::uninit(self, "values_out", n)?;
            self.call("merge", |work| {
                let (one, other) = ((&first, &first_values), (&second, &second_values));
                work.merge_pairs(one, other, (&out, &values_out), how)
            })?;
            Ok((out, values_out))
        })
    }

    /// Merges host arrays by parts of the output. `merge` is called with a range of each array.
    fn merge_parts<A, B, R: super::Results>(
        &self,
        (first, second): (&A, &B),
        value_bytes: usize,
        how: Merge,
        merge: impl Fn([Range<u64>; 2]) -> Result<R>,
    ) -> Result<R::At<A::Place>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = A::Item, Place = A::Place> + ?Sized,
    {
        let (Some(one), Some(other)) = (first.on_host(), second.on_host()) else {
            return merge([0..first.count(), 0..second.count()])?.take(self);
        };
        let (key, value) = (size_of::<A::Item>() as u64, value_bytes as u64);
        let footprint = Footprint { total: 2 * (key + value), widest: Some(key.max(value)) };
        let part = |part: Range<u64>| {
            let of_first = |end: u64| elements_of_first(how, [one, other], end as usize) as u64;
            let [begin, end] = [part.start, part.end].map(of_first);
            merge([begin..end, part.start - begin..part.end - end])
        };
        let n = first.count() + second.count();
        self.in_parts::<A::Place, R>(n, footprint, part, |_, _| Ok(()))
    }
}

/// Number of elements of the first array among the first `count` merged elements: a merge-path
/// search. Elements of the first array precede equal elements of the second.
fn elements_of_first<K: Key>(how: Merge, [first, second]: [&[K]; 2], count: usize) -> usize {
    let flip = if how == Merge::Descending { u64::MAX } else { 0 };
    let rank = |key: K| K::TYPE.ordered(key.key_bits()) ^ flip;
    let mut low = count.saturating_sub(second.len());
    let mut high = count.min(first.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if rank(first[middle]) <= rank(second[count - middle - 1]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merge_path_counts_elements_of_the_first_array() {
        let arrays = [&[1u32, 3, 3, 9][..], &[0, 3, 3, 4, 10]];
        let found: Vec<usize> =
            (0..=9).map(|count| elements_of_first(Merge::Ascending, arrays, count)).collect();
        assert_eq!(found, [0, 0, 1, 2, 3, 3, 3, 3, 4, 4]);
        let arrays = [&[5i32, 1][..], &[4, 4, 2]];
        assert_eq!(elements_of_first(Merge::Descending, arrays, 3), 1);
    }
}
