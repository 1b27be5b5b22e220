//! One-call sorts of host or device arrays.

use std::ops::Range;

use bytemuck::cast_slice_mut;
use multisplit_graph::ElementType;

use super::large::{Records, fill_with_indices, narrow_array, sort_large, widen_array};
use super::sort_groups::sort_groups;
use super::{Caller, Like, Pairs, check_count, retry_with_ballots};
use crate::device::Context;
use crate::elements::key::{Key, KeyType, Value};
use crate::error::Result;
use crate::memory::{AnyArray, AnyOutput, Array, Elements, Input, check_lengths};
use crate::operations::SortBuffers;
use crate::operations::shared::widening::Form;
use crate::operations::sort::{Sort, SortMethod, check_bits, sort};
use crate::policy::Policy;

impl Context {
    /// Sorts `keys` in ascending order. Floats are ordered like `total_cmp`: -NaN first, -0 before
    /// 0, NaN last.
    ///
    /// The device needs memory for two copies of the keys. For keys of 8 and 16 bits, it may need memory for the keys and
    /// for two copies of them as 32-bit words.
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
    pub fn sort<A>(&self, keys: &A) -> Result<Like<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        self.sort_with(keys, &Sort::ascending())
    }

    /// Sorts `keys` with the order and options of `sort`.
    pub fn sort_with<A>(&self, keys: &A, sort: &Sort) -> Result<Like<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        self.one_output::<A::Place, _>(|output| SortCall::new(keys).run(self, sort, &mut [output]))
    }

    /// Sorts `keys` into `out`, which must have the same length.
    pub fn sort_into<K: Key>(&self, keys: &[K], sort: &Sort, out: &mut [K]) -> Result<()> {
        check_lengths("out", out.len() as u64, "keys", keys.len() as u64)?;
        SortCall::new(keys).run_into(self, sort, &mut [cast_slice_mut(out)])
    }

    /// Sorts a device array in place. Sorts by a range of bits and sorts of segments rely only on Vulkan's guarantees
    /// ([`RankingChoice::Promised`](crate::RankingChoice::Promised)). If they relied on lane order and failed its
    /// check, the keys would already have moved, and the sort could not be repeated.
    pub fn sort_in_place<K: Key>(&self, keys: &mut Array<K>, sort: &Sort) -> Result<()> {
        // Equal keys are indistinguishable, so their original order does not matter, and a sort that failed the
        // lane-order check can be repeated.
        let (key, keys) = (K::TYPE, keys.any());
        let arrays = SortArrays { key, keys, values: None, indices: None, offsets: None };
        if sort.is_by_whole_keys(key.bits()) {
            return retry_with_ballots(|| arrays.sort(self, &self.policy(), sort));
        }
        arrays.sort(self, &self.promised_policy(), sort)
    }

    /// Sorts pairs by key in ascending order. Pairs with equal keys keep their order.
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
        let call = SortCall::new(keys).values(values)?;
        self.two_outputs::<A::Place, _, _>(|outputs| call.run(self, sort, outputs))
    }

    /// Sorts `keys` and `values` into `keys_out` and `values_out`, which must have the same length.
    pub fn sort_pairs_into<K: Key, V: Value>(
        &self,
        (keys, values): (&[K], &[V]),
        sort: &Sort,
        (keys_out, values_out): (&mut [K], &mut [V]),
    ) -> Result<()> {
        let (n, call) = (keys.len() as u64, SortCall::new(keys).values(values)?);
        check_lengths("keys_out", keys_out.len() as u64, "keys", n)?;
        check_lengths("values_out", values_out.len() as u64, "keys", n)?;
        call.run_into(self, sort, &mut [cast_slice_mut(keys_out), cast_slice_mut(values_out)])
    }

    /// Returns the permutation that sorts `keys`: for each position of the sorted array, the index
    /// of its key in `keys`. There can be at most 2^32 - 1 keys.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.argsort(&[0.5f32, 2.0, 1.0])?, [0, 2, 1]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn argsort<A>(&self, keys: &A) -> Result<Like<A, u32>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        self.argsort_with(keys, &Sort::ascending())
    }

    /// Returns the permutation that sorts `keys` with the order and options of `sort`.
    pub fn argsort_with<A>(&self, keys: &A, sort: &Sort) -> Result<Like<A, u32>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let call = SortCall { indices: true, ..SortCall::new(keys) };
        let what = "number of keys of an argsort";
        check_count(what, call.keys.len())?;
        self.one_output::<A::Place, _>(|output| call.run(self, sort, &mut [output]))
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
    ) -> Result<Like<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let call = SortCall { offsets: Some(offsets.any()), ..SortCall::new(keys) };
        self.one_output::<A::Place, _>(|output| call.run(self, sort, &mut [output]))
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
        let call = SortCall { offsets: Some(offsets.any()), ..SortCall::new(keys).values(values)? };
        self.two_outputs::<A::Place, _, _>(|outputs| call.run(self, sort, outputs))
    }

    /// Returns the permutation that sorts each segment: for each position, the index of its key
    /// within the segment. Positions outside of all segments are 0.
    pub fn argsort_segments<A>(
        &self,
        keys: &A,
        offsets: &Array<u32>,
        sort: &Sort,
    ) -> Result<Like<A, u32>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let offsets = Some(offsets.any());
        let call = SortCall { indices: true, offsets, ..SortCall::new(keys) };
        self.one_output::<A::Place, _>(|output| call.run(self, sort, &mut [output]))
    }
}

/// Parameters of a sort that copies its inputs. The element types are known only at run time.
#[derive(Clone, Copy)]
struct SortCall<'a> {
    key: KeyType,
    keys: Input<'a>,
    values: Option<Input<'a>>,
    /// Whether the result is the permutation instead of keys and values.
    indices: bool,
    offsets: Option<&'a AnyArray>,
}

impl<'a> SortCall<'a> {
    fn new<A: Elements<Item: Key> + ?Sized>(keys: &'a A) -> Self {
        let (key, keys) = (<A::Item as Key>::TYPE, keys.input());
        Self { key, keys, values: None, indices: false, offsets: None }
    }

    fn values<B: Elements<Item: Value> + ?Sized>(self, values: &'a B) -> Result<Self> {
        let () = <B::Item as Value>::CHECKED;
        let values = values.input();
        check_lengths("values", values.len(), "keys", self.keys.len())?;
        Ok(Self { values: Some(values), ..self })
    }

    /// Writes the sorted keys and values, or the permutation, to `outputs`.
    fn run(self, context: &Context, sort: &Sort, outputs: &mut [&mut dyn AnyOutput]) -> Result<()> {
        let groups = self.groups(context, sort);
        for (range, sort) in &groups {
            let sorted = self.slice(range).sorted(context, sort)?;
            for (output, sorted) in outputs.iter_mut().zip(sorted) {
                match groups[..] {
                    [_] => output.set(sorted),
                    _ => context.append(&sorted, *output)?,
                }
            }
        }
        Ok(())
    }

    /// Like [`run`](Self::run), into existing arrays on the host.
    fn run_into(self, context: &Context, sort: &Sort, outputs: &mut [&mut [u8]]) -> Result<()> {
        for (range, sort) in self.groups(context, sort) {
            let sorted = self.slice(&range).sorted(context, &sort)?;
            for (output, sorted) in outputs.iter_mut().zip(sorted) {
                let [begin, end] =
                    [range.start, range.end].map(|at| (at * sorted.element_bytes()) as usize);
                context.read_bytes(sorted.buffer(), 0, &mut output[begin..end])?;
            }
        }
        Ok(())
    }

    /// Returns the ranges of elements that are sorted separately, with the options of each. This is a single range,
    /// unless the array has segments, is on the host, and exceeds one plan.
    fn groups(&self, context: &Context, sort: &Sort) -> Vec<(Range<u64>, Sort)> {
        let (n, on_host) = (self.keys.len(), !self.keys.is_borrowed() && self.offsets.is_none());
        let max_element_bytes =
            self.values.map_or(0, Input::element_bytes).max(self.keys.element_bytes());
        let groups =
            on_host.then(|| sort_groups(&context.policy(), sort, n, max_element_bytes)).flatten();
        groups.unwrap_or_else(|| vec![(0..n, sort.clone())])
    }

    fn slice(self, range: &Range<u64>) -> Self {
        let slice = |input: Input<'a>| input.slice(range.clone()).unwrap_or(input);
        Self { keys: slice(self.keys), values: self.values.map(slice), ..self }
    }

    /// Returns the sorted keys and values, or the permutation.
    fn sorted(self, context: &Context, sort: &Sort) -> Result<Vec<AnyArray>> {
        retry_with_ballots(|| {
            let Self { key, offsets, .. } = self;
            let keys = context.owned_array(self.keys, "keys")?;
            let values =
                self.values.map(|values| context.owned_array(values, "values")).transpose()?;
            let indices = match offsets {
                _ if !self.indices => None,
                // The sort does not write positions outside of all segments; they must be 0.
                Some(_) => Some(context.zeros(ElementType::U32, keys.len())?),
                None => Some(AnyArray::uninit(context, "order", ElementType::U32, keys.len())?),
            };
            let (with, order) = (values.as_ref(), indices.as_ref());
            let arrays = SortArrays { key, keys: &keys, values: with, indices: order, offsets };
            arrays.sort(context, &context.policy(), sort)?;
            Ok(match indices {
                Some(indices) => vec![indices],
                None => [keys].into_iter().chain(values).collect(),
            })
        })
    }
}

/// The arrays of an in-place sort.
#[derive(Clone, Copy)]
struct SortArrays<'a> {
    key: KeyType,
    keys: &'a AnyArray,
    values: Option<&'a AnyArray>,
    /// Receives the permutation.
    indices: Option<&'a AnyArray>,
    offsets: Option<&'a AnyArray>,
}

impl SortArrays<'_> {
    fn sort(self, context: &Context, policy: &Policy, how: &Sort) -> Result<()> {
        let caller = Caller { context, policy };
        let records = Records::new(self.key, self.keys, self.values);
        // Segmented sorts and single-workgroup sorts always use one plan, which rejects arrays that
        // are too large.
        let one_plan = self.offsets.is_some() || !how.is_whole() || how.method == SortMethod::Small;
        if !one_plan && !records.fit_one_plan(policy) {
            return self.sort_large(caller, how);
        }
        caller.call("sort", |work| {
            let mut buffers = SortBuffers::keys(work.array(self.keys)).count(self.keys.len());
            if let Some(values) = self.values {
                buffers = buffers.values(work.array(values));
            }
            if let Some(indices) = self.indices {
                buffers = buffers.indices(work.array(indices));
            }
            if let Some(offsets) = self.offsets {
                // An empty offset array means no segments.
                let segments = offsets.len().saturating_sub(1);
                buffers = buffers.segments(work.array(offsets), segments);
            }
            let (graph, policy) = work.parts();
            sort(graph, policy, how, &buffers).map(|_| ())
        })
    }

    fn sort_large(self, caller: Caller<'_>, how: &Sort) -> Result<()> {
        let Self { key, keys, .. } = self;
        if key.is_narrow() {
            let form = (key, Form::Ordered);
            let words = widen_array(caller, form, keys)?;
            let bits = how.bits.clone().unwrap_or(0..key.bits());
            check_bits(&how.keyed(key))?;
            let wide = SortArrays { key: KeyType::U32, keys: &words, ..self };
            wide.sort_large(caller, &how.clone().bits(bits))?;
            return narrow_array(caller, form, &words, keys);
        }
        if let Some(indices) = self.indices {
            fill_with_indices(caller, indices)?;
        }
        sort_large(caller, Records::new(key, keys, self.values.or(self.indices)), how)
    }
}
