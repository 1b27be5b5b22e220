//! Top-k in one call, of arrays on the host or on the device.

use std::ops::Range;

use bytemuck::Pod;
use multisplit_graph::Graph;

use super::{TopK, TopKBuffers, TopKMethod, check_k, topk};
use crate::device::context::Context;
use crate::error::Result;
use crate::execute::import::Bound;
use crate::memory::{Array, Device, Elements, Host, Place};
use crate::primitives::key::Key;
use crate::primitives::large::check_numbers;
use crate::primitives::parts::{Footprint, append, in_parts, in_parts_of};

/// What a top-k gives: `Vec`s of elements on the host, arrays of elements on the device.
#[derive(Debug)]
pub struct TopElements<P: Place, K: Pod> {
    /// The k elements of each row, row after row.
    pub keys: P::Array<K>,
    /// Which elements of their row they are.
    pub indices: P::Array<u32>,
    /// How it was done.
    pub method: TopKMethod,
}

impl Context {
    /// The k largest or smallest of `keys`, of which there are at most 2^32 - 1, or of each row of them.
    /// Of equal elements those with lower indices come first.
    ///
    /// Arrays that exceed a storage binding, or on the host the device's memory, are processed in parts.
    /// The result is the same.
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
        // Narrow keys are selected from as words.
        let bytes = size_of::<A::Item>().max(size_of::<u32>()) as u64;
        let footprint = Footprint { total: 2 * bytes, widest: Some(bytes) };
        if n == 0 || footprint.is_one_plan::<A::Place>(self, n) {
            let TopElements { keys, indices, method } = self.topk_part(keys, 0..n, how)?;
            let (keys, indices) = (A::Place::take(self, keys)?, A::Place::take(self, indices)?);
            return Ok(TopElements { keys, indices, method });
        }
        let max = footprint.max_part(self);
        let mut all = TopElements::<Host, A::Item>::empty();
        in_parts_of(rows, (1, max / length), |part| {
            let elements = part.start * length..part.end * length;
            let found = match part.end - part.start {
                1 => self.topk_row(keys, elements, how, max)?,
                _ => self.topk_part(keys, elements, how)?.download(self)?,
            };
            append(&mut all.keys, found.keys);
            append(&mut all.indices, found.indices);
            all.method = found.method;
            Ok(())
        })?;
        Ok(TopElements {
            keys: A::Place::put(self, all.keys)?,
            indices: A::Place::put(self, all.indices)?,
            method: all.method,
        })
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
        let mut best = TopElements::empty();
        in_parts(length, max, |part| {
            let len = part.end - part.start;
            let k = how.k.min(len);
            // Only sorted results can be merged.
            let how = TopK { k, row_length: None, sorted: how.sorted || len < length, ..*how };
            let elements = row.start + part.start..row.start + part.end;
            let mut found = self.topk_part(keys, elements, &how)?.download(self)?;
            // At most 2^32 - 1: larger arrays are refused.
            found.indices.iter_mut().for_each(|index| *index += part.start as u32);
            best.merge(found, wanted, how.smallest);
            Ok(())
        })?;
        Ok(best)
    }

    /// The top-k of a range of elements by one plan.
    fn topk_part<A>(
        &self,
        keys: &A,
        part: Range<u64>,
        how: &TopK,
    ) -> Result<TopElements<Device, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let n = part.end - part.start;
        let (rows, _) = how.cut(n)?;
        let mut graph = Graph::new("topk");
        // Graphs have no empty buffers.
        let found = rows.saturating_mul(how.k);
        let keys_buffer = graph.import::<A::Item>("keys", A::Item::TYPE.array_len(n.max(1)));
        let keys_out = graph.import::<A::Item>("keys_out", A::Item::TYPE.array_len(found.max(1)));
        let indices_out = graph.import::<u32>("indices_out", found.max(1));
        let buffers = TopKBuffers::new(keys_buffer, keys_out, indices_out).count(n);
        // What is wrong with the description is said before anything is allocated or uploaded.
        let added = topk(&mut graph, &self.policy(), how, &buffers)?;
        let out = Array::<A::Item>::uninit(self, "keys_out", found)?;
        let indices = Array::<u32>::uninit(self, "indices_out", found)?;
        if found > 0 {
            let keys = keys.part(self, "keys", part)?;
            let executable = self.instantiate(graph.compile(&self.limits())?)?;
            let bound: [Bound<'_>; 3] = [
                (keys_buffer, &keys).into(),
                (keys_out, &out).into(),
                (indices_out, &indices).into(),
            ];
            self.run(&executable, &bound)?;
        }
        Ok(TopElements { keys: out, indices, method: added.method })
    }
}

impl<K: Key> TopElements<Device, K> {
    fn download(&self, context: &Context) -> Result<TopElements<Host, K>> {
        Ok(TopElements {
            keys: context.download(&self.keys)?,
            indices: context.download(&self.indices)?,
            method: self.method,
        })
    }
}

impl<K: Key> TopElements<Host, K> {
    fn empty() -> Self {
        Self { keys: Vec::new(), indices: Vec::new(), method: TopKMethod::Auto }
    }

    /// The first `k` of these and the sorted elements of a later part. Of equal elements these come first.
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
            let of_these = match (self.keys.get(i), later.keys.get(j)) {
                (Some(one), Some(other)) => rank(one) <= rank(other),
                (one, _) => one.is_some(),
            };
            let (from, at) = if of_these { (&*self, &mut i) } else { (&later, &mut j) };
            keys.push(from.keys[*at]);
            indices.push(from.indices[*at]);
            *at += 1;
        }
        (self.keys, self.indices) = (keys, indices);
    }
}
