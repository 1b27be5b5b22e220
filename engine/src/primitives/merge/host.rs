//! Merges in one call, of arrays on the host or on the device.

use multisplit_graph::Graph;

use super::{Merge, MergeBuffers, merge};
use crate::device::context::Context;
use crate::error::Result;
use crate::execute::import::Bound;
use crate::memory::{Array, Elements, Place, check_lengths};
use crate::primitives::key::{Key, Value};
use crate::primitives::parts::{Footprint, append, in_parts};

/// An array of results where those of `A` are.
type Results<A> = <<A as Elements>::Place as Place>::Array<<A as Elements>::Item>;

impl Context {
    /// Merges two arrays that are sorted from small to large. Of equal elements those of `first` come first.
    ///
    /// Arrays on the host that exceed a storage binding or the device's memory are merged in parts, by all
    /// merges. The result is the same.
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

    /// Merges two arrays that are sorted as `how` says.
    ///
    /// ```
    /// use multisplit::primitives::Merge;
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.merge_with(&[5u32, 1], &[4u32, 2], Merge::Descending)?, [5, 4, 2, 1]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn merge_with<A, B>(&self, first: &A, second: &B, how: Merge) -> Result<Results<A>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = A::Item, Place = A::Place> + ?Sized,
    {
        if let (Some(first), Some(second)) = (first.on_host(), second.on_host()) {
            let (merged, _) = self.merge_in_parts::<_, u32>([first, second], None, how)?;
            return A::Place::put(self, merged);
        }
        let keys = [first.on_device(self, "first")?, second.on_device(self, "second")?];
        let (merged, _) = self.merge_arrays::<A::Item, u32>(&keys, None, how)?;
        A::Place::take(self, merged)
    }

    /// Merges the keys of two sorted arrays, each of which takes its value along.
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

    /// The same, of arrays that are sorted as `how` says.
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
        check_lengths("first values", first_values.count(), "first keys", first.count())?;
        check_lengths("second values", second_values.count(), "second keys", second.count())?;
        if let (Some(first), Some(second)) = (first.on_host(), second.on_host())
            && let (Some(one), Some(other)) = (first_values.on_host(), second_values.on_host())
        {
            let values = Some([one, other]);
            let (keys, values) = self.merge_in_parts([first, second], values, how)?;
            return Ok((A::Place::put(self, keys)?, B::Place::put(self, values)?));
        }
        let keys = [first.on_device(self, "first")?, second.on_device(self, "second")?];
        let values = [
            first_values.on_device(self, "first_values")?,
            second_values.on_device(self, "second_values")?,
        ];
        let (keys, values) = self.merge_arrays(&keys, Some(&values), how)?;
        Ok((A::Place::take(self, keys)?, B::Place::take(self, values)?))
    }

    /// Merges host arrays by parts of the output. The values are empty if there are none.
    fn merge_in_parts<K: Key, V: Value>(
        &self,
        keys: [&[K]; 2],
        values: Option<[&[V]; 2]>,
        how: Merge,
    ) -> Result<(Vec<K>, Vec<V>)> {
        let n = keys.iter().map(|keys| keys.len() as u64).sum();
        let key = size_of::<K>() as u64;
        let value = values.map_or(0, |_| size_of::<V>() as u64);
        let footprint = Footprint { total: 2 * (key + value), widest: Some(key.max(value)) };
        let max = footprint.max_part(self);
        let (mut keys_out, mut values_out) = (Vec::new(), Vec::new());
        in_parts(n, max, |part| {
            let ends = [part.start as usize, part.end as usize];
            let [begin, end] = ends.map(|at| elements_of_first(how, keys, at));
            let ranges = [begin..end, ends[0] - begin..ends[1] - end];
            let part_keys = [
                keys[0][ranges[0].clone()].on_device(self, "first")?,
                keys[1][ranges[1].clone()].on_device(self, "second")?,
            ];
            let part_values = match values {
                None => None,
                Some([first, second]) => Some([
                    first[ranges[0].clone()].on_device(self, "first_values")?,
                    second[ranges[1].clone()].on_device(self, "second_values")?,
                ]),
            };
            let (keys, values) = self.merge_arrays(&part_keys, part_values.as_ref(), how)?;
            let (keys, values) = (self.download(&keys)?, self.download(&values)?);
            append(&mut keys_out, keys);
            append(&mut values_out, values);
            Ok(())
        })?;
        Ok((keys_out, values_out))
    }

    /// The values are empty if there are none.
    fn merge_arrays<K: Key, V: Value>(
        &self,
        keys: &[Array<K>; 2],
        values: Option<&[Array<V>; 2]>,
        how: Merge,
    ) -> Result<(Array<K>, Array<V>)> {
        let [a, b] = [keys[0].len(), keys[1].len()];
        let mut graph = Graph::new("merge");
        // Graphs have no empty buffers.
        let first = graph.import::<K>("first", a.max(1));
        let second = graph.import::<K>("second", b.max(1));
        let out = graph.import::<K>("out", (a + b).max(1));
        let mut buffers = MergeBuffers::keys(first, second, out).counts(a, b);
        let imports = values.map(|_| {
            let first = graph.import::<V>("first_values", a.max(1));
            let second = graph.import::<V>("second_values", b.max(1));
            [first, second, graph.import::<V>("values_out", (a + b).max(1))]
        });
        if let Some([first, second, out]) = imports {
            buffers = buffers.values(first, second, out);
        }
        merge(&mut graph, &self.policy(), how, &buffers)?;
        let keys_out = Array::<K>::uninit(self, "out", a + b)?;
        let values_out = Array::<V>::uninit(self, "values_out", values.map_or(0, |_| a + b))?;
        if a + b > 0 {
            let mut bound: Vec<Bound<'_>> =
                vec![(first, &keys[0]).into(), (second, &keys[1]).into(), (out, &keys_out).into()];
            if let (Some([first, second, out]), Some(values)) = (imports, values) {
                bound.push((first, &values[0]).into());
                bound.push((second, &values[1]).into());
                bound.push((out, &values_out).into());
            }
            let executable = self.instantiate(graph.compile(&self.limits())?)?;
            self.run(&executable, &bound)?;
        }
        Ok((keys_out, values_out))
    }
}

/// How many of the first `count` merged elements are of the first array, whose elements come before equal ones
/// of the second: the merge path.
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
    fn parts_of_a_merge_begin_where_those_before_end() {
        let arrays = [&[1u32, 3, 3, 9][..], &[0, 3, 3, 4, 10]];
        let found: Vec<usize> =
            (0..=9).map(|count| elements_of_first(Merge::Ascending, arrays, count)).collect();
        assert_eq!(found, [0, 0, 1, 2, 3, 3, 3, 3, 4, 4]);
        let arrays = [&[5i32, 1][..], &[4, 4, 2]];
        assert_eq!(elements_of_first(Merge::Descending, arrays, 3), 1);
    }
}
