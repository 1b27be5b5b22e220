//! One-call splits of host or device arrays.

use multisplit_graph::ElementType;

use super::large::{Destination, Records, split_large, split_plan};
use super::{Caller, check_count, retry_with_ballots};
use crate::device::Context;
use crate::elements::key::{Key, Value};
use crate::error::{Error, Result};
use crate::memory::{AnyArray, Elements, Input, Output, Place, check_lengths};
use crate::operations::split::{Buckets, Method, SplitKeys, SplitPairs, SplitPermutation};

/// Subject of the error for more than 2^32 - 1 keys.
const COUNTED: &str = "number of keys of a split";

impl Context {
    /// Splits `keys` into contiguous buckets. Keys keep their order within a bucket, except with
    /// [`Method::FullSort`]. There can be at most 2^32 - 1 keys.
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
        let split = self.split_elements(keys.input(), None, &buckets.untyped())?;
        let keys = A::Place::take(self, split.out)?;
        let offsets = A::Place::take(self, split.offsets)?;
        Ok(SplitKeys { keys, offsets, method: split.method })
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
        let (keys, values) = (keys.input(), values.input());
        check_lengths("values", values.len(), "keys", keys.len())?;
        let split = self.split_elements(keys, Some(values), &buckets.untyped())?;
        let keys = A::Place::take(self, split.out)?;
        let values = A::Place::take(self, Output::from(split.values_out))?;
        let offsets = A::Place::take(self, split.offsets)?;
        Ok(SplitPairs { keys, values, offsets, method: split.method })
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
        let split = self.split_indices(keys.input(), &buckets.untyped())?;
        let permutation = A::Place::take(self, split.out)?;
        let offsets = A::Place::take(self, split.offsets)?;
        Ok(SplitPermutation { permutation, offsets, method: split.method })
    }

    fn split_elements(
        &self,
        keys: Input<'_>,
        values: Option<Input<'_>>,
        buckets: &Buckets,
    ) -> Result<Split> {
        check_count(COUNTED, keys.len())?;
        let is_borrowed = keys.is_borrowed();
        let keys = keys.on_device(self, "keys")?;
        let values = values.map(|values| values.on_device(self, "values")).transpose()?;
        let from = Records::new(buckets.key(), &keys, values.as_ref());
        // If the split exceeds one plan, the input arrays are also used for the output. This
        // requires that the call itself uploaded them, and that it does not read the input again
        // after elements have moved.
        let moved = buckets.split().method != Method::FullSort;
        let in_place = !is_borrowed && moved && !from.fit_one_plan(&self.policy());
        let output = |input: &AnyArray, name| match in_place {
            true => Ok(input.clone()),
            false => AnyArray::uninit(self, name, input.element(), input.len()),
        };
        let out = output(&keys, "keys_out")?;
        let values_out = values.as_ref().map(|values| output(values, "values_out")).transpose()?;
        let to = Destination::Elements(Records { keys: &out, values: values_out.as_ref(), ..from });
        let (offsets, method) = self.split_arrays(from, to, buckets)?;
        Ok(Split { out, values_out, offsets, method })
    }

    fn split_indices(&self, keys: Input<'_>, buckets: &Buckets) -> Result<Split> {
        check_count(COUNTED, keys.len())?;
        let keys = keys.on_device(self, "keys")?;
        let out = AnyArray::uninit(self, "permutation", ElementType::U32, keys.len())?;
        let from = Records::new(buckets.key(), &keys, None);
        let to = Destination::Permutation(&out);
        let (offsets, method) = self.split_arrays(from, to, buckets)?;
        Ok(Split { out, values_out: None, offsets, method })
    }

    /// Splits arrays of any size. If a kernel finds that the device does not keep lane order,
    /// repeats the split with ranking by ballots. The input is still intact then.
    fn split_arrays(
        &self,
        from: Records<'_>,
        to: Destination<'_>,
        buckets: &Buckets,
    ) -> Result<(AnyArray, Method)> {
        retry_with_ballots(|| {
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

/// Output arrays of a split, in device memory.
struct Split {
    /// The keys, or the permutation.
    out: AnyArray,
    values_out: Option<AnyArray>,
    offsets: AnyArray,
    method: Method,
}
