//! Sorts in one call, of arrays on the host or on the device.

use bytemuck::Pod;
use multisplit_graph::Graph;

use super::large::sort_large;
use super::segment_groups::{SortGroup, sort_groups};
use super::{Sort, SortBuffers, SortMethod, check_bits, sort};
use crate::device::context::Context;
use crate::error::Result;
use crate::execute::import::Bound;
use crate::memory::{Array, Elements, Place, check_lengths};
use crate::primitives::key::{Key, Value};
use crate::primitives::large::{Extent, Records, check_numbers, number};
use crate::primitives::narrow::{Form, narrow_array, widen_array};
use crate::primitives::probe::redo_by_ballots;
use crate::primitives::{Policy, copy_array};

/// What a sort of pairs returns: the keys and the values, where the input was.
pub type Pairs<A, B> = (
    <<A as Elements>::Place as Place>::Array<<A as Elements>::Item>,
    <<B as Elements>::Place as Place>::Array<<B as Elements>::Item>,
);

/// Keys and values on the device.
type Both<A, B> = (Array<<A as Elements>::Item>, Array<<B as Elements>::Item>);

impl Context {
    /// Sorts `keys` from small to large. Floats are in the order of `total_cmp`: -NaN first, -0
    /// before 0, NaN last. There may be as many as fit the device's memory twice; of keys of 8 and 16 bits past
    /// 2^30 - 1, or past 2^32 - 1 bytes of words, as many as fit it twice as words.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.sort(&[3.0f32, -1.0, 2.5, -7.0])?, [-7.0, -1.0, 2.5, 3.0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// What is not a key does not compile:
    /// ```compile_fail,E0271
    /// # let gpu = multisplit::Context::new()?;
    /// gpu.sort(&["two", "one"])?;
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn sort<A>(&self, keys: &A) -> Result<<A::Place as Place>::Array<A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        self.sort_with(keys, &Sort::ascending())
    }

    /// Sorts `keys` as `sort` says.
    pub fn sort_with<A>(&self, keys: &A, sort: &Sort) -> Result<<A::Place as Place>::Array<A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        if let Some((keys, groups)) = self.groups_of(keys, size_of::<A::Item>(), sort) {
            let mut all = Vec::with_capacity(keys.len());
            for (range, sort) in groups {
                all.append(&mut self.sort_with(&keys[range], &sort)?);
            }
            return A::Place::put(self, all);
        }
        let sorted = redo_by_ballots(|| {
            let keys = self.own(keys, "keys")?;
            self.sort_arrays::<A::Item, u32>(&keys, None, sort).map(|()| keys)
        })?;
        A::Place::take(self, sorted)
    }

    /// Sorts `keys` into `out`, which has as many elements.
    pub fn sort_into<K: Key>(&self, keys: &[K], sort: &Sort, out: &mut [K]) -> Result<()> {
        check_lengths("out", out.len() as u64, "keys", keys.len() as u64)?;
        if let Some((_, groups)) = self.groups_of(keys, size_of::<K>(), sort) {
            let mut sorted = groups.into_iter();
            return sorted.try_for_each(|(range, sort)| {
                self.sort_into(&keys[range.clone()], &sort, &mut out[range])
            });
        }
        let sorted = redo_by_ballots(|| {
            let keys = self.own(keys, "keys")?;
            self.sort_arrays::<K, u32>(&keys, None, sort).map(|()| keys)
        })?;
        self.download_into(&sorted, out)
    }

    /// Sorts an array on the device where it is. By some bits only, and in segments, it ranks by
    /// ballots whatever the device keeps: what was in the wrong order could not be sorted again.
    pub fn sort_in_place<K: Key>(&self, keys: &mut Array<K>, sort: &Sort) -> Result<()> {
        // Equal keys are the same, so that the order they came in does not matter.
        if sort.is_by_whole_keys(K::TYPE.bits()) {
            return redo_by_ballots(|| self.sort_arrays::<K, u32>(keys, None, sort));
        }
        self.sort_arrays_by::<K, u32>(keys, None, sort, (None, &self.promised_policy()))
    }

    /// Sorts `keys` from small to large; each takes its value along. Equal keys keep their order.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// let (keys, values) = gpu.sort_pairs(&[3u32, 1, 2], &["c", "a", "b"].map(|s| s.as_bytes()[0] as u32))?;
    /// assert_eq!(keys, [1, 2, 3]);
    /// assert_eq!(values, [97, 98, 99]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn sort_pairs<A, B>(&self, keys: &A, values: &B) -> Result<Pairs<A, B>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Value, Place = A::Place> + ?Sized,
    {
        self.sort_pairs_with(keys, values, &Sort::ascending())
    }

    /// Sorts `keys` as `sort` says; each takes its value along.
    pub fn sort_pairs_with<A, B>(&self, keys: &A, values: &B, sort: &Sort) -> Result<Pairs<A, B>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Value, Place = A::Place> + ?Sized,
    {
        let () = <B::Item as Value>::CHECKED;
        check_lengths("values", values.count(), "keys", keys.count())?;
        let widest = size_of::<A::Item>().max(size_of::<B::Item>());
        if let (Some((keys, groups)), Some(values)) =
            (self.groups_of(keys, widest, sort), values.on_host())
        {
            let (mut all_keys, mut all_values) = (Vec::new(), Vec::new());
            for (range, sort) in groups {
                let pairs = (&keys[range.clone()], &values[range]);
                let (mut keys, mut values) = self.sort_pairs_with(pairs.0, pairs.1, &sort)?;
                all_keys.append(&mut keys);
                all_values.append(&mut values);
            }
            return Ok((A::Place::put(self, all_keys)?, B::Place::put(self, all_values)?));
        }
        let (keys, values) = self.sorted_pairs(keys, values, sort)?;
        Ok((A::Place::take(self, keys)?, B::Place::take(self, values)?))
    }

    /// Sorts `keys` and `values` into arrays of as many elements.
    pub fn sort_pairs_into<K: Key, V: Value>(
        &self,
        (keys, values): (&[K], &[V]),
        sort: &Sort,
        (keys_out, values_out): (&mut [K], &mut [V]),
    ) -> Result<()> {
        let () = V::CHECKED;
        let n = keys.len() as u64;
        check_lengths("values", values.len() as u64, "keys", n)?;
        check_lengths("keys_out", keys_out.len() as u64, "keys", n)?;
        check_lengths("values_out", values_out.len() as u64, "keys", n)?;
        let widest = size_of::<K>().max(size_of::<V>());
        if let Some((_, groups)) = self.groups_of(keys, widest, sort) {
            let mut sorted = groups.into_iter();
            return sorted.try_for_each(|(range, sort)| {
                let pairs = (&keys[range.clone()], &values[range.clone()]);
                let out = (&mut keys_out[range.clone()], &mut values_out[range]);
                self.sort_pairs_into(pairs, &sort, out)
            });
        }
        let (keys, values) = self.sorted_pairs(keys, values, sort)?;
        self.download_into(&keys, keys_out)?;
        self.download_into(&values, values_out)
    }

    /// The order that sorts `keys`, of which there are at most 2^32 - 1: for each place, which key comes
    /// there.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.argsort(&[0.5f32, 2.0, 1.0])?, [0, 2, 1]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn argsort<A>(&self, keys: &A) -> Result<<A::Place as Place>::Array<u32>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        self.argsort_with(keys, &Sort::ascending())
    }

    /// The order that sorts `keys` as `sort` says.
    pub fn argsort_with<A>(&self, keys: &A, sort: &Sort) -> Result<<A::Place as Place>::Array<u32>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        check_numbers("number of keys of an argsort (indices have 32 bits)", keys.count())?;
        if let Some((keys, groups)) = self.groups_of(keys, size_of::<A::Item>(), sort) {
            let mut all = Vec::with_capacity(keys.len());
            for (range, sort) in groups {
                all.append(&mut self.argsort_with(&keys[range], &sort)?);
            }
            return A::Place::put(self, all);
        }
        let order = Array::uninit(self, "order", keys.count())?;
        redo_by_ballots(|| {
            let keys = self.own(keys, "keys")?;
            self.sort_arrays(&keys, Some(Along::<u32>::Indices(&order)), sort)
        })?;
        A::Place::take(self, order)
    }

    /// Host keys whose segments one plan cannot hold, and the groups they are sorted in.
    fn groups_of<'k, A: Elements + ?Sized>(
        &self,
        keys: &'k A,
        widest: usize,
        sort: &Sort,
    ) -> Option<(&'k [A::Item], Vec<SortGroup>)> {
        let keys = keys.on_host()?;
        Some((keys, sort_groups(&self.policy(), sort, keys.len(), widest)?))
    }

    /// Sorted copies of `keys` and `values`.
    fn sorted_pairs<A, B>(&self, keys: &A, values: &B, sort: &Sort) -> Result<Both<A, B>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Value> + ?Sized,
    {
        redo_by_ballots(|| {
            let (keys, values) = (self.own(keys, "keys")?, self.own(values, "values")?);
            self.sort_arrays(&keys, Some(Along::Values(&values)), sort).map(|()| (keys, values))
        })
    }

    /// The elements in an array that may be changed.
    pub(in crate::primitives) fn own<A: Elements + ?Sized>(
        &self,
        elements: &A,
        name: &str,
    ) -> Result<Array<A::Item>> {
        let array = elements.on_device(self, name)?;
        if A::Place::BORROWED { copy_array(self, &array) } else { Ok(array) }
    }

    /// Sorts each segment of `keys` on its own, as `sort` says. `offsets`, on the device, has where each begins
    /// and, one more, where the last one ends: one past the end of the keys counts as the end, one below an
    /// earlier one as that, and what lies before the first and past the last stays as it is. Offsets on
    /// the host are those of [`Sort::segments`].
    ///
    /// ```
    /// use multisplit::Sort;
    /// # let gpu = multisplit::Context::new()?;
    /// let offsets = gpu.upload(&[0u32, 3, 3, 5])?;
    /// let sorted = gpu.sort_segments(&[3u32, 1, 2, 9, 8], &offsets, &Sort::ascending())?;
    /// assert_eq!(sorted, [1, 2, 3, 8, 9]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn sort_segments<A>(
        &self,
        keys: &A,
        offsets: &Array<u32>,
        sort: &Sort,
    ) -> Result<<A::Place as Place>::Array<A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let sorted = redo_by_ballots(|| {
            let keys = self.own(keys, "keys")?;
            let at = (Some(offsets), &self.policy());
            self.sort_arrays_by::<A::Item, u32>(&keys, None, sort, at).map(|()| keys)
        })?;
        A::Place::take(self, sorted)
    }

    /// The same; each key takes its value along.
    pub fn sort_segments_pairs<A, B>(
        &self,
        keys: &A,
        values: &B,
        offsets: &Array<u32>,
        sort: &Sort,
    ) -> Result<Pairs<A, B>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Value, Place = A::Place> + ?Sized,
    {
        let () = <B::Item as Value>::CHECKED;
        check_lengths("values", values.count(), "keys", keys.count())?;
        let (keys, values) = redo_by_ballots(|| {
            let (keys, values) = (self.own(keys, "keys")?, self.own(values, "values")?);
            let at = (Some(offsets), &self.policy());
            let along = Some(Along::Values(&values));
            self.sort_arrays_by(&keys, along, sort, at).map(|()| (keys, values))
        })?;
        Ok((A::Place::take(self, keys)?, B::Place::take(self, values)?))
    }

    /// The order that sorts each segment: for each place, which key of the segment comes there. Of places in
    /// no segment it is 0.
    pub fn argsort_segments<A>(
        &self,
        keys: &A,
        offsets: &Array<u32>,
        sort: &Sort,
    ) -> Result<<A::Place as Place>::Array<u32>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let order = self.zeroed(keys.count())?;
        redo_by_ballots(|| {
            let keys = self.own(keys, "keys")?;
            let along = Some(Along::<u32>::Indices(&order));
            self.sort_arrays_by(&keys, along, sort, (Some(offsets), &self.policy()))
        })?;
        A::Place::take(self, order)
    }

    fn sort_arrays<K: Key, V: Pod>(
        &self,
        keys: &Array<K>,
        along: Option<Along<'_, V>>,
        how: &Sort,
    ) -> Result<()> {
        self.sort_arrays_by(keys, along, how, (None, &self.policy()))
    }

    fn sort_arrays_by<K: Key, V: Pod>(
        &self,
        keys: &Array<K>,
        along: Option<Along<'_, V>>,
        how: &Sort,
        (offsets, policy): (Option<&Array<u32>>, &Policy),
    ) -> Result<()> {
        if offsets.is_none() && self.is_large(keys, along, how, policy) {
            return self.sort_large_arrays(keys, along, how, policy);
        }
        // Graphs have no empty buffers.
        let len = keys.len().max(1);
        let mut graph = Graph::new("sort");
        let keys_buffer = graph.import::<K>("keys", K::TYPE.array_len(len));
        let mut bound: Vec<Bound<'_>> = vec![(keys_buffer, keys).into()];
        let mut buffers = SortBuffers::keys(keys_buffer).count(keys.len());
        match along {
            None => {}
            Some(Along::Values(values)) => {
                let import = graph.import::<V>("values", len);
                bound.push((import, values).into());
                buffers = buffers.values(import);
            }
            Some(Along::Indices(indices)) => {
                let import = graph.import::<u32>("indices", len);
                bound.push((import, indices).into());
                buffers = buffers.indices(import);
            }
        }
        if let Some(offsets) = offsets {
            let import = graph.import::<u32>("offsets", offsets.len().max(1));
            bound.push((import, offsets).into());
            // Of no offset at all, there is no segment either.
            buffers = buffers.segments(import, offsets.len().saturating_sub(1));
        }
        sort(&mut graph, policy, how, &buffers)?;
        // What is wrong with the description is wrong for any number of keys.
        if keys.is_empty() {
            return Ok(());
        }
        let executable = self.instantiate(graph.compile(&self.limits())?)?;
        self.run(&executable, &bound)
    }

    /// Whether one plan cannot hold the arrays. One workgroup and segments are sorted by one plan in any
    /// case, which says what it can hold.
    fn is_large<K: Key, V: Pod>(
        &self,
        keys: &Array<K>,
        along: Option<Along<'_, V>>,
        how: &Sort,
        policy: &Policy,
    ) -> bool {
        let one_plan = !how.is_whole() || how.method == SortMethod::Small;
        // Narrow keys are sorted as words.
        let key = size_of::<K>().max(size_of::<u32>());
        let widest = match along {
            Some(Along::Values(_)) => key.max(size_of::<V>()),
            None | Some(Along::Indices(_)) => key,
        };
        !one_plan && !Extent::fits(policy, keys.len(), widest as u64)
    }

    fn sort_large_arrays<K: Key, V: Pod>(
        &self,
        keys: &Array<K>,
        along: Option<Along<'_, V>>,
        how: &Sort,
        policy: &Policy,
    ) -> Result<()> {
        let at = (self, policy);
        if K::TYPE.is_narrow() {
            let words = widen_array::<K, u32>(at, Form::Ordered, keys)?;
            let bits = how.bits.clone().unwrap_or(0..K::TYPE.bits());
            check_bits(&how.keyed(K::TYPE))?;
            self.sort_large_arrays(&words, along, &how.clone().bits(bits), policy)?;
            return narrow_array(at, Form::Ordered, &words, keys);
        }
        match along {
            None => sort_large::<K, u32>(at, Records::new(keys, None), how),
            Some(Along::Values(values)) => sort_large(at, Records::new(keys, Some(values)), how),
            Some(Along::Indices(indices)) => {
                number(self, policy, indices)?;
                sort_large(at, Records::new(keys, Some(indices)), how)
            }
        }
    }
}

/// What keys take along.
#[derive(Clone, Copy)]
enum Along<'a, V> {
    Values(&'a Array<V>),
    Indices(&'a Array<u32>),
}
