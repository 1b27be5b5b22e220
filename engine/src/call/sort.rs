//! One-call sorts of host or device arrays.

use std::ops::Range;

use bytemuck::Pod;

use super::large::{Records, narrow_array, number, sort_large, widen_array};
use super::sort_groups::{SortGroup, sort_groups};
use super::{Caller, Results, check_numbers, redo_by_ballots};
use crate::device::context::Context;
use crate::elements::key::{Key, Value};
use crate::error::Result;
use crate::memory::{Array, Elements, Host, Place, check_lengths};
use crate::operations::shared::widening::Form;
use crate::operations::sort::{Sort, SortMethod, check_bits};
use crate::policy::Policy;

/// Result of a pair sort: keys and values, in the memory of the inputs.
pub type Pairs<A, B> = (
    <<A as Elements>::Place as Place>::Array<<A as Elements>::Item>,
    <<B as Elements>::Place as Place>::Array<<B as Elements>::Item>,
);

/// Keys and values on the device.
type Both<A, B> = (Array<<A as Elements>::Item>, Array<<B as Elements>::Item>);

impl Context {
    /// Sorts `keys` in ascending order. Floats are ordered like `total_cmp`: -NaN first, -0 before
    /// 0, NaN last.
    ///
    /// The device's memory must have room for the keys twice. Arrays of 8-bit and 16-bit keys that
    /// exceed one plan (more than 2^30 - 1 keys, or words that exceed a storage binding) are sorted
    /// as 32-bit words, and the words must fit twice.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.sort(&[3.0f32, -1.0, 2.5, -7.0])?, [-7.0, -1.0, 2.5, 3.0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// Types that are not keys do not compile:
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

    /// Sorts `keys` with the order and options of `sort`.
    pub fn sort_with<A>(&self, keys: &A, sort: &Sort) -> Result<<A::Place as Place>::Array<A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        if let Some((keys, groups)) = self.groups_of(keys, size_of::<A::Item>(), sort) {
            return self.in_groups::<A::Place, Array<A::Item>>(groups, |range, sort| {
                self.sort_with(&keys[range], sort)
            });
        }
        A::Place::take(self, self.sorted(keys, None, None, sort)?)
    }

    /// Sorts `keys` into `out`, which must have the same length.
    pub fn sort_into<K: Key>(&self, keys: &[K], sort: &Sort, out: &mut [K]) -> Result<()> {
        check_lengths("out", out.len() as u64, "keys", keys.len() as u64)?;
        if let Some((_, groups)) = self.groups_of(keys, size_of::<K>(), sort) {
            let mut sorted = groups.into_iter();
            return sorted.try_for_each(|(range, sort)| {
                self.sort_into(&keys[range.clone()], &sort, &mut out[range])
            });
        }
        self.download_into(&self.sorted(keys, None, None, sort)?, out)
    }

    /// Sorts a device array in place. Sorts by some of the bits, and segmented sorts, always rank by
    /// ballots: if the device failed the lane-order check, sorting again could not fix the result.
    pub fn sort_in_place<K: Key>(&self, keys: &mut Array<K>, sort: &Sort) -> Result<()> {
        // Equal keys are identical, so their original order does not matter and a failed sort can
        // be retried.
        let arrays = SortArrays::<_, u32> { keys, payload: Payload::Nothing, offsets: None };
        if sort.is_by_whole_keys(K::TYPE.bits()) {
            return redo_by_ballots(|| arrays.sort(self, &self.policy(), sort));
        }
        arrays.sort(self, &self.promised_policy(), sort)
    }

    /// Sorts pairs by key in ascending order. Equal keys keep their order.
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

    /// Sorts pairs by key with the order and options of `sort`.
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
            return self
                .in_groups::<A::Place, (Array<A::Item>, Array<B::Item>)>(groups, |range, sort| {
                    self.sort_pairs_with(&keys[range.clone()], &values[range], sort)
                });
        }
        self.sorted_pairs(keys, values, None, sort)?.take::<A::Place>(self)
    }

    /// Sorts `keys` and `values` into `keys_out` and `values_out`, which must have the same length.
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
        let (keys, values) = self.sorted_pairs(keys, values, None, sort)?;
        self.download_into(&keys, keys_out)?;
        self.download_into(&values, values_out)
    }

    /// Returns the permutation that sorts `keys`: for each position of the sorted array, the index
    /// of its key in `keys`. There can be at most 2^32 - 1 keys.
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

    /// Returns the permutation that sorts `keys` with the order and options of `sort`.
    pub fn argsort_with<A>(&self, keys: &A, sort: &Sort) -> Result<<A::Place as Place>::Array<u32>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        check_numbers("number of keys of an argsort (indices have 32 bits)", keys.count())?;
        if let Some((keys, groups)) = self.groups_of(keys, size_of::<A::Item>(), sort) {
            return self.in_groups::<A::Place, Array<u32>>(groups, |range, sort| {
                self.argsort_with(&keys[range], sort)
            });
        }
        let order = Array::uninit(self, "order", keys.count())?;
        self.sorted(keys, Some(&order), None, sort)?;
        A::Place::take(self, order)
    }

    /// If segmented keys on the host exceed one plan: the keys, and the groups of segments to sort
    /// separately.
    fn groups_of<'k, A: Elements + ?Sized>(
        &self,
        keys: &'k A,
        widest: usize,
        sort: &Sort,
    ) -> Option<(&'k [A::Item], Vec<SortGroup>)> {
        let keys = keys.on_host()?;
        Some((keys, sort_groups(&self.policy(), sort, keys.len(), widest)?))
    }

    /// Sorts the groups one after another.
    fn in_groups<P: Place, R: Results>(
        &self,
        groups: Vec<SortGroup>,
        sort: impl Fn(Range<usize>, &Sort) -> Result<R::At<Host>>,
    ) -> Result<R::At<P>> {
        let mut all = R::none();
        for (range, how) in groups {
            R::append(&mut all, sort(range, &how)?);
        }
        R::put(self, all)
    }

    /// Returns a sorted copy of `keys`. Writes the permutation to `order`, if given.
    fn sorted<A>(
        &self,
        keys: &A,
        order: Option<&Array<u32>>,
        offsets: Option<&Array<u32>>,
        sort: &Sort,
    ) -> Result<Array<A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let payload = order.map_or(Payload::<u32>::Nothing, Payload::Indices);
        redo_by_ballots(|| {
            let keys = self.own(keys, "keys")?;
            SortArrays { keys: &keys, payload, offsets }.sort(self, &self.policy(), sort)?;
            Ok(keys)
        })
    }

    /// Returns sorted copies of `keys` and `values`.
    fn sorted_pairs<A, B>(
        &self,
        keys: &A,
        values: &B,
        offsets: Option<&Array<u32>>,
        sort: &Sort,
    ) -> Result<Both<A, B>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Value> + ?Sized,
    {
        redo_by_ballots(|| {
            let (keys, values) = (self.own(keys, "keys")?, self.own(values, "values")?);
            let payload = Payload::Values(&values);
            SortArrays { keys: &keys, payload, offsets }.sort(self, &self.policy(), sort)?;
            Ok((keys, values))
        })
    }

    /// Sorts each segment of `keys` independently, with the order and options of `sort`. `offsets`,
    /// on the device, contains the start of each segment, followed by the end of the last segment.
    /// Offsets past the end of the keys are clamped to the end, and offsets below an earlier offset
    /// are raised to it. Keys outside of all segments do not move. For offsets on the host, use
    /// [`Sort::segments`].
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
        A::Place::take(self, self.sorted(keys, None, Some(offsets), sort)?)
    }

    /// Sorts the pairs of each segment by key, like [`sort_segments`](Self::sort_segments).
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
        self.sorted_pairs(keys, values, Some(offsets), sort)?.take::<A::Place>(self)
    }

    /// Returns the permutation that sorts each segment: for each position, the index of its key
    /// within the segment. Positions outside of all segments are 0.
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
        self.sorted(keys, Some(&order), Some(offsets), sort)?;
        A::Place::take(self, order)
    }
}

/// Arrays to sort in place.
#[derive(Clone, Copy)]
struct SortArrays<'a, K, V> {
    keys: &'a Array<K>,
    payload: Payload<'a, V>,
    offsets: Option<&'a Array<u32>>,
}

/// Values that move with the keys.
#[derive(Clone, Copy)]
enum Payload<'a, V> {
    Nothing,
    Values(&'a Array<V>),
    Indices(&'a Array<u32>),
}

impl<K: Key, V: Pod> SortArrays<'_, K, V> {
    fn sort(self, context: &Context, policy: &Policy, how: &Sort) -> Result<()> {
        let caller = Caller { context, policy };
        let values = if let Payload::Values(values) = self.payload { Some(values) } else { None };
        let records = Records::new(self.keys, values);
        // Segmented sorts and single-workgroup sorts always use one plan, which rejects arrays that
        // are too large.
        let one_plan = self.offsets.is_some() || !how.is_whole() || how.method == SortMethod::Small;
        if !one_plan && !records.fit_one_plan(policy) {
            return self.sort_large(caller, how);
        }
        caller.call("sort", |work| {
            let mut buffers = work.sort_buffers(&self.keys);
            match self.payload {
                Payload::Nothing => {}
                Payload::Values(values) => buffers = buffers.values(work.array(values)),
                Payload::Indices(indices) => buffers = buffers.indices(work.array(indices)),
            }
            if let Some(offsets) = self.offsets {
                // An empty offset array means no segments.
                let segments = offsets.len().saturating_sub(1);
                buffers = buffers.segments(work.array(offsets), segments);
            }
            work.add_sort(how, &buffers)
        })
    }

    fn sort_large(self, caller: Caller<'_>, how: &Sort) -> Result<()> {
        let keys = self.keys;
        if K::TYPE.is_narrow() {
            let words = widen_array::<K, u32>(caller, Form::Ordered, keys)?;
            let bits = how.bits.clone().unwrap_or(0..K::TYPE.bits());
            check_bits(&how.keyed(K::TYPE))?;
            let wide = SortArrays { keys: &words, payload: self.payload, offsets: None };
            wide.sort_large(caller, &how.clone().bits(bits))?;
            return narrow_array(caller, Form::Ordered, &words, keys);
        }
        match self.payload {
            Payload::Nothing => sort_large::<K, u32>(caller, Records::new(keys, None), how),
            Payload::Values(values) => sort_large(caller, Records::new(keys, Some(values)), how),
            Payload::Indices(indices) => {
                number(caller, indices)?;
                sort_large(caller, Records::new(keys, Some(indices)), how)
            }
        }
    }
}
