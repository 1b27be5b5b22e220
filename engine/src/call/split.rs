//! One-call splits of host or device arrays.

#![expect(
    clippy::needless_pass_by_value,
    reason = "descriptions are made where they are given: `gpu.split(&keys, Buckets::even(..))`"
)]

use bytemuck::Pod;

use super::large::{Records, split_large};
use super::{Caller, check_numbers, redo_by_ballots};
use crate::device::context::Context;
use crate::elements::key::{Key, Value};
use crate::error::{Error, Result};
use crate::memory::{Array, Elements, Place, check_lengths};
use crate::operations::split;
use crate::operations::split::{Buckets, Method, SplitBuffers};
use crate::operations::split::{SplitKeys, SplitPairs, SplitPermutation};

/// The quantity that is limited to 2^32 - 1, for error messages.
const COUNTED: &str = "number of keys of a split (offsets have 32 bits)";

impl Context {
    /// Splits `keys` into contiguous buckets. Keys keep their order within a bucket. There can be
    /// at most 2^32 - 1 keys.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// let split = gpu.split(&[0.9f32, 0.1, 0.6, 0.2], multisplit::Buckets::even(0.0..1.0, 2))?;
    /// assert_eq!(split.keys, [0.1, 0.2, 0.9, 0.6]);
    /// assert_eq!(split.offsets, [0, 2, 4]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn split<A>(
        &self,
        keys: &A,
        buckets: Buckets<A::Item>,
    ) -> Result<SplitKeys<A::Place, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        check_numbers(COUNTED, keys.count())?;
        let keys = keys.on_device(self, "keys")?;
        let from = Records::<A::Item, u32>::new(&keys, None);
        let out = self.split_output::<A, _>(&keys, "keys.out", from, &buckets)?;
        let to = Output::Elements(Records::new(&out, None));
        let (offsets, method) = self.split_arrays(from, to, &buckets)?;
        Ok(SplitKeys {
            keys: A::Place::take(self, out)?,
            offsets: A::Place::take(self, offsets)?,
            method,
        })
    }

    /// Splits pairs into contiguous buckets by key, like [`split`](Self::split).
    pub fn split_pairs<A, B>(
        &self,
        keys: &A,
        values: &B,
        buckets: Buckets<A::Item>,
    ) -> Result<SplitPairs<A::Place, A::Item, B::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Value, Place = A::Place> + ?Sized,
    {
        let () = <B::Item as Value>::CHECKED;
        check_lengths("values", values.count(), "keys", keys.count())?;
        check_numbers(COUNTED, keys.count())?;
        let keys = keys.on_device(self, "keys")?;
        let values = values.on_device(self, "values")?;
        let from = Records::new(&keys, Some(&values));
        let out = self.split_output::<A, _>(&keys, "keys.out", from, &buckets)?;
        let values_out = self.split_output::<A, _>(&values, "values.out", from, &buckets)?;
        let to = Output::Elements(Records::new(&out, Some(&values_out)));
        let (offsets, method) = self.split_arrays(from, to, &buckets)?;
        Ok(SplitPairs {
            keys: A::Place::take(self, out)?,
            values: A::Place::take(self, values_out)?,
            offsets: A::Place::take(self, offsets)?,
            method,
        })
    }

    /// Computes the destination of each key in a split, without moving the keys.
    pub fn split_permutation<A>(
        &self,
        keys: &A,
        buckets: Buckets<A::Item>,
    ) -> Result<SplitPermutation<A::Place>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        check_numbers(COUNTED, keys.count())?;
        let keys = keys.on_device(self, "keys")?;
        let out = Array::uninit(self, "permutation", keys.len())?;
        let from = Records::<A::Item, u32>::new(&keys, None);
        let (offsets, method) = self.split_arrays(from, Output::Permutation(&out), &buckets)?;
        Ok(SplitPermutation {
            permutation: A::Place::take(self, out)?,
            offsets: A::Place::take(self, offsets)?,
            method,
        })
    }

    /// Creates the output array of a split. If the split exceeds one plan, this is the input array
    /// itself, provided that the call uploaded it and does not read it again once elements are
    /// moved.
    fn split_output<A: Elements<Item: Key> + ?Sized, T: Pod>(
        &self,
        input: &Array<T>,
        name: &str,
        from: Records<'_, A::Item, impl Pod>,
        buckets: &Buckets<A::Item>,
    ) -> Result<Array<T>> {
        let moved = buckets.split().method != Method::FullSort;
        if !A::Place::BORROWED && moved && !from.fit_one_plan(&self.policy()) {
            return Ok(input.clone());
        }
        Array::uninit(self, name, input.len())
    }

    /// Splits arrays of any size. If the device fails the lane-order check, the context switches to
    /// ballots and the split is repeated; its input is still intact then.
    fn split_arrays<K: Key, V: Pod>(
        &self,
        from: Records<'_, K, V>,
        to: Output<'_, K, V>,
        buckets: &Buckets<K>,
    ) -> Result<(Array<u32>, Method)> {
        redo_by_ballots(|| {
            let policy = self.policy();
            let caller = Caller { context: self, policy: &policy };
            if !from.fit_one_plan(&policy) {
                return split_large(caller, from, to, buckets);
            }
            let split = split_plan(caller, "split", (from, to, from.keys.len()), buckets)?;
            match split.keys_out_of_range {
                0 => Ok((split.offsets, split.method)),
                keys => Err(Error::BucketOutOfRange { keys, buckets: buckets.count() }),
            }
        })
    }
}

/// Output of a split.
pub(super) enum Output<'a, K, V> {
    Elements(Records<'a, K, V>),
    /// Destination of each element, stored at the index of the element in the whole input.
    Permutation(&'a Array<u32>),
}

// Not derived, because derived impls would require `K` and `V` to be `Clone` and `Copy`.
impl<K, V> Clone for Output<'_, K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Output<'_, K, V> {}

/// Result of a split by one plan.
pub(super) struct PlanSplit {
    pub offsets: Array<u32>,
    /// Number of keys whose bucket index is out of range.
    pub keys_out_of_range: u64,
    pub method: Method,
}

/// Splits `len` elements with one plan.
pub(super) fn split_plan<K: Key, V: Pod>(
    caller: Caller<'_>,
    name: &str,
    (from, to, len): (Records<'_, K, V>, Output<'_, K, V>, u64),
    buckets: &Buckets<K>,
) -> Result<PlanSplit> {
    let ends = u64::from(buckets.count()).saturating_add(1);
    let offsets = Array::uninit(caller.context, "offsets", ends)?;
    let mut method = Method::Auto;
    let keys_out_of_range = caller.count(name, |work, out_of_range| {
        let (keys, ends) = (work.slice(from.keys, from.begin, len), work.array(&offsets));
        let buffers = match to {
            Output::Permutation(words) => {
                SplitBuffers::permutation(keys, work.slice(words, from.begin, len), ends)
            }
            Output::Elements(to) => {
                let out = work.slice(to.keys, to.begin, len);
                match (from.values, to.values) {
                    (Some(values), Some(values_out)) => {
                        let values = work.slice(values, from.begin, len);
                        let values_out = work.slice(values_out, to.begin, len);
                        SplitBuffers::pairs((keys, values), (out, values_out), ends)
                    }
                    _ => SplitBuffers::keys(keys, out, ends),
                }
            }
        };
        let buffers = buffers.count(len).out_of_range(work.array(out_of_range));
        let (graph, policy) = work.parts();
        method = split(graph, policy, buckets, &buffers)?.method;
        Ok(())
    })?;
    Ok(PlanSplit { offsets, keys_out_of_range, method })
}
