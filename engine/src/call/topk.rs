//! One-call top-k selections from host or device arrays.

use std::ops::Range;

use super::parts::{Footprint, append, in_parts, in_parts_of};
use super::{Results, check_numbers};
use crate::device::context::Context;
use crate::elements::key::Key;
use crate::error::Result;
use crate::memory::{Array, Device, Elements, Host, Place};
use crate::operations::topk::{TopElements, TopK, TopKMethod, check_k};

impl Context {
    /// Returns the k largest or smallest of `keys`, or of each row of `keys`. Among equal elements,
    /// those with lower indices come first. There can be at most 2^32 - 1 keys.
    ///
    /// Arrays that exceed a storage binding, and host arrays that exceed the device's memory, are
    /// processed in parts. This does not change the result.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// use multisplit::TopK;
    /// let scores = [0.5f32, 0.125, 0.75, 0.5, 0.25, 0.5];
    /// let best = gpu.topk(&scores, &TopK::largest(3))?;
    /// assert_eq!(best.keys, [0.75, 0.5, 0.5]);
    /// assert_eq!(best.indices, [2, 0, 3]);
    /// let of_rows = gpu.topk(&scores, &TopK::smallest(1).rows(3))?;
    /// assert_eq!(of_rows.keys, [0.125, 0.25]);
    /// assert_eq!(of_rows.indices, [1, 1]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn topk<A>(&self, keys: &A, how: &TopK) -> Result<TopElements<A::Place, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let n = keys.count();
        let (rows, length) = how.cut(n)?;
        check_k(how.k, length)?;
        check_numbers("number of elements of a top-k (indices have 32 bits)", n)?;
        // Narrow keys are processed as words.
        let bytes = size_of::<A::Item>().max(size_of::<u32>()) as u64;
        let footprint = Footprint { total: 2 * bytes, widest: Some(bytes) };
        if n == 0 || footprint.is_one_plan::<A::Place>(self, n) {
            return self.topk_part(keys, 0..n, how)?.take(self);
        }
        let max = footprint.max_part(self);
        let mut all = TopElements::none();
        in_parts_of(rows, (1, max / length), |part| {
            let elements = part.start * length..part.end * length;
            let found = match part.end - part.start {
                1 => self.topk_row(keys, elements, how, max)?,
                _ => self.topk_part(keys, elements, how)?.take(self)?,
            };
            TopElements::append(&mut all, found);
            Ok(())
        })?;
        TopElements::put(self, all)
    }

    /// The top-k of one row, in parts of at most `max` elements.
    fn topk_row<A>(
        &self,
        keys: &A,
        row: Range<u64>,
        how: &TopK,
        max: u64,
    ) -> Result<TopElements<Host, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let (length, wanted) = (row.end - row.start, how.k as usize);
        let mut best = TopElements::none();
        in_parts(length, max, |part| {
            let len = part.end - part.start;
            let k = how.k.min(len);
            // Only sorted results can be merged.
            let how = TopK { k, row_length: None, sorted: how.sorted || len < length, ..*how };
            let elements = row.start + part.start..row.start + part.end;
            let mut found = self.topk_part(keys, elements, &how)?.take::<Host>(self)?;
            // The sum is at most 2^32 - 1, because larger arrays are rejected.
            found.indices.iter_mut().for_each(|index| *index += part.start as u32);
            best.merge(found, wanted, how.smallest);
            Ok(())
        })?;
        Ok(best)
    }

    /// Returns the top-k of a range of elements, with one plan.
    fn topk_part<A>(
        &self,
        keys: &A,
        part: Range<u64>,
        how: &TopK,
    ) -> Result<TopElements<Device, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let (rows, _) = how.cut(part.end - part.start)?;
        let found = rows.saturating_mul(how.k);
        let keys = keys.part(self, "keys", part)?;
        let keys_out = Array::uninit(self, "keys_out", found)?;
        let indices = Array::uninit(self, "indices_out", found)?;
        let added = self.call("topk", |work| work.add_topk(&keys, &keys_out, &indices, how))?;
        Ok(TopElements { keys: keys_out, indices, method: added.method })
    }
}

impl<K: Key> Results for TopElements<Device, K> {
    type At<P: Place> = TopElements<P, K>;

    fn none() -> TopElements<Host, K> {
        TopElements { keys: Vec::new(), indices: Vec::new(), method: TopKMethod::Auto }
    }

    fn append(all: &mut TopElements<Host, K>, part: TopElements<Host, K>) {
        append(&mut all.keys, part.keys);
        append(&mut all.indices, part.indices);
        all.method = part.method;
    }

    fn take<P: Place>(self, context: &Context) -> Result<TopElements<P, K>> {
        let (keys, indices) = (self.keys, self.indices).take::<P>(context)?;
        Ok(TopElements { keys, indices, method: self.method })
    }

    fn put<P: Place>(context: &Context, all: TopElements<Host, K>) -> Result<TopElements<P, K>> {
        let (keys, indices) = <(Array<K>, Array<u32>)>::put::<P>(context, (all.keys, all.indices))?;
        Ok(TopElements { keys, indices, method: all.method })
    }
}

impl<K: Key> TopElements<Host, K> {
    /// Merges the sorted elements of a later part and keeps the first `k`. Elements of `self`
    /// precede equal elements of `later`.
    fn merge(&mut self, later: Self, k: usize, smallest: bool) {
        if self.keys.is_empty() {
            *self = later;
            return;
        }
        let flip = if smallest { 0 } else { u64::MAX };
        let rank = |key: &K| K::TYPE.ordered(key.key_bits()) ^ flip;
        let n = k.min(self.keys.len() + later.keys.len());
        let (mut keys, mut indices) = (Vec::with_capacity(n), Vec::with_capacity(n));
        let (mut i, mut j) = (0, 0);
        while keys.len() < n {
            let take_first = match (self.keys.get(i), later.keys.get(j)) {
                (Some(one), Some(other)) => rank(one) <= rank(other),
                (one, _) => one.is_some(),
            };
            let (from, at) = if take_first { (&*self, &mut i) } else { (&later, &mut j) };
            keys.push(from.keys[*at]);
            indices.push(from.indices[*at]);
            *at += 1;
        }
        (self.keys, self.indices) = (keys, indices);
    }
}
