//! Merges in one call, of arrays on the host or on the device.

use multisplit_graph::Graph;

use super::{Merge, MergeBuffers, merge};
use crate::device::context::Context;
use crate::error::Result;
use crate::execute::import::Bound;
use crate::memory::{Array, Elements, Place, check_lengths};
use crate::primitives::key::{Key, Value};

/// An array of results where those of `A` are.
type Results<A> = <<A as Elements>::Place as Place>::Array<<A as Elements>::Item>;

impl Context {
    /// Merges two arrays that are sorted from small to large. Of equal elements those of `first` come first.
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
        let keys = [first.on_device(self, "first")?, second.on_device(self, "second")?];
        let values = [
            first_values.on_device(self, "first_values")?,
            second_values.on_device(self, "second_values")?,
        ];
        let (keys, values) = self.merge_arrays(&keys, Some(&values), how)?;
        Ok((A::Place::take(self, keys)?, B::Place::take(self, values)?))
    }

    /// The values are empty where there are none.
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
