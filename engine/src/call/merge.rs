//! One-call merges of host or device arrays.

use std::ops::Range;

use super::parts::Footprint;
use super::{Like, Pairs, bits_of};
use crate::device::Context;
use crate::elements::key::{Key, KeyType, Value};
use crate::error::Result;
use crate::memory::{AnyArray, AnyOutput, Elements, Input, check_lengths};
use crate::operations::{Merge, MergeBuffers, merge};

impl Context {
    /// Merges two arrays that are sorted in ascending order. If elements are equal, those of `first`
    /// come first.
    ///
    /// Host arrays that exceed a storage binding or the device's memory are merged in parts. This
    /// does not change the result. The same applies to the other merge functions.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.merge(&[1.0f32, 4.0, 5.0], &[2.0, 4.0])?, [1.0, 2.0, 4.0, 4.0, 5.0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn merge<A, B>(&self, first: &A, second: &B) -> Result<Like<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = A::Item, Place = A::Place> + ?Sized,
    {
        self.merge_with(first, second, Merge::Ascending)
    }

    /// Merges two arrays that are both sorted in the order that `how` specifies.
    ///
    /// ```
    /// use multisplit::operations::Merge;
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.merge_with(&[5u32, 1], &[4u32, 2], Merge::Descending)?, [5, 4, 2, 1]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn merge_with<A, B>(&self, first: &A, second: &B, how: Merge) -> Result<Like<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = A::Item, Place = A::Place> + ?Sized,
    {
        let (key, keys) = (<A::Item as Key>::TYPE, [first.input(), second.input()]);
        let call = MergeCall { key, keys, values: None, how };
        self.one_output::<A::Place, _>(|output| call.run(self, &mut [output]))
    }

    /// Merges two arrays of pairs that are sorted by key in ascending order.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// let (keys, values) = gpu.merge_pairs((&[1u32, 4], &[10u32, 11]), (&[1u32, 2], &[20u32, 21]))?;
    /// assert_eq!((keys, values), (vec![1, 1, 2, 4], vec![10, 20, 21, 11]));
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn merge_pairs<A, B, C, D>(&self, first: (&A, &B), second: (&C, &D)) -> Result<Pairs<A, B>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Value, Place = A::Place> + ?Sized,
        C: Elements<Item = A::Item, Place = A::Place> + ?Sized,
        D: Elements<Item = B::Item, Place = A::Place> + ?Sized,
    {
        self.merge_pairs_with(first, second, Merge::Ascending)
    }

    /// Merges two arrays of pairs that are both sorted by key in the order that `how` specifies.
    pub fn merge_pairs_with<A, B, C, D>(
        &self,
        (first, first_values): (&A, &B),
        (second, second_values): (&C, &D),
        how: Merge,
    ) -> Result<Pairs<A, B>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Value, Place = A::Place> + ?Sized,
        C: Elements<Item = A::Item, Place = A::Place> + ?Sized,
        D: Elements<Item = B::Item, Place = A::Place> + ?Sized,
    {
        let () = <B::Item as Value>::CHECKED;
        let (key, keys) = (<A::Item as Key>::TYPE, [first.input(), second.input()]);
        let values = [first_values.input(), second_values.input()];
        check_lengths("first_values", values[0].len(), "first", keys[0].len())?;
        check_lengths("second_values", values[1].len(), "second", keys[1].len())?;
        let call = MergeCall { key, keys, values: Some(values), how };
        self.two_outputs::<A::Place, _, _>(|outputs| call.run(self, outputs))
    }
}

/// Parameters of a merge whose element types are known only at run time.
struct MergeCall<'a> {
    key: KeyType,
    keys: [Input<'a>; 2],
    values: Option<[Input<'a>; 2]>,
    how: Merge,
}

impl MergeCall<'_> {
    /// Merges the arrays. For large host arrays, the output is divided into parts.
    fn run(&self, context: &Context, outputs: &mut [&mut dyn AnyOutput]) -> Result<()> {
        let [first, second] = self.keys;
        let (Some(one), Some(other)) = (first.on_host(), second.on_host()) else {
            let merged = self.merge(context, &[0..first.len(), 0..second.len()])?;
            outputs.iter_mut().zip(merged).for_each(|(output, found)| output.set(found));
            return Ok(());
        };
        let key = first.element_bytes();
        let value = self.values.map_or(0, |[values, _]| values.element_bytes());
        let footprint = Footprint::new(first, &[key, key, value, value]);
        let footprint = Footprint { elements: first.len() + second.len(), ..footprint };
        let part = |part: Range<u64>| {
            let of_first = |end: u64| {
                elements_of_first((self.key, self.how), [one, other], end as usize) as u64
            };
            let [begin, end] = [part.start, part.end].map(of_first);
            self.merge(context, &[begin..end, part.start - begin..part.end - end])
        };
        context.in_parts(footprint, outputs, &part, &|_, _| Ok(()))
    }

    /// Merges a range of each array, with one plan.
    fn merge(&self, context: &Context, ranges: &[Range<u64>; 2]) -> Result<Vec<AnyArray>> {
        let inputs = self.keys.into_iter().chain(self.values.into_iter().flatten());
        let names = ["first", "second", "first_values", "second_values"];
        let parts = inputs.zip(names).zip(ranges.iter().cycle());
        let parts = parts.map(|((input, name), range)| input.part(context, name, range.clone()));
        let parts: Vec<_> = parts.collect::<Result<_>>()?;
        let counts = [parts[0].len(), parts[1].len()];
        let names = if self.values.is_some() { ["out", "values_out"] } else { ["output", ""] };
        let merged = parts.iter().step_by(2).zip(names).map(|(part, name)| {
            AnyArray::uninit(context, name, part.element(), counts[0] + counts[1])
        });
        let merged: Vec<_> = merged.collect::<Result<_>>()?;
        context.call("merge", |work| {
            let from: Vec<_> = parts.iter().map(|part| work.array(part)).collect();
            let to: Vec<_> = merged.iter().map(|merged| work.array(merged)).collect();
            let buffers = MergeBuffers::keys(from[0], from[1], to[0]).counts(counts[0], counts[1]);
            let buffers = match from[..] {
                [_, _, first, second] => buffers.values(first, second, to[1]),
                _ => buffers,
            };
            let (graph, policy) = work.parts();
            merge(graph, policy, self.how, &buffers)
        })?;
        Ok(merged)
    }
}

/// Number of elements of the first array among the first `count` elements of the output, found by a
/// merge-path search. Elements of the first array precede equal elements of the second.
fn elements_of_first(
    (key, how): (KeyType, Merge),
    [first, second]: [&[u8]; 2],
    count: usize,
) -> usize {
    let flip = if how == Merge::Descending { u64::MAX } else { 0 };
    let each = key.bytes() as usize;
    let rank =
        |keys: &[u8], index: usize| key.ordered(bits_of(&keys[index * each..][..each])) ^ flip;
    let mut low = count.saturating_sub(second.len() / each);
    let mut high = count.min(first.len() / each);
    while low < high {
        let middle = low + (high - low) / 2;
        if rank(first, middle) <= rank(second, count - middle - 1) {
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
        let arrays = [&[1u32, 3, 3, 9][..], &[0, 3, 3, 4, 10]].map(bytemuck::cast_slice);
        let how = (KeyType::U32, Merge::Ascending);
        let found: Vec<usize> =
            (0..=9).map(|count| elements_of_first(how, arrays, count)).collect();
        assert_eq!(found, [0, 0, 1, 2, 3, 3, 3, 3, 4, 4]);
        let arrays = [&[5i32, 1][..], &[4, 4, 2]].map(bytemuck::cast_slice);
        assert_eq!(elements_of_first((KeyType::I32, Merge::Descending), arrays, 3), 1);
    }
}
