//! One-call top-k selections from host or device arrays.

use std::ops::Range;

use multisplit_graph::ElementType;

use super::parts::{Footprint, in_parts, in_parts_of};
use super::{bits_of, check_count};
use crate::device::Context;
use crate::elements::key::{Key, KeyType};
use crate::error::Result;
use crate::memory::{AnyArray, AnyOutput, Array, Elements, Input, Output, Place};
use crate::operations::topk::{TopElements, TopK, TopKMethod, check_k};
use crate::operations::{TopKBuffers, topk};

impl Context {
    /// Returns the k largest or smallest of `keys`, or of each row of `keys`. Among equal elements,
    /// those with lower indices are selected, and come first in a sorted result. There can be at
    /// most 2^32 - 1 keys.
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
        let (mut found, mut indices) = (Output::default(), Output::default());
        let (key, keys) = (<A::Item as Key>::TYPE, keys.input());
        let method = TopKCall { context: self, key, keys, how }.run(&mut found, &mut indices)?;
        let (keys, indices) = (A::Place::take(self, found)?, A::Place::take(self, indices)?);
        Ok(TopElements { keys, indices, method })
    }
}

/// Parameters of a top-k whose key type is known only at run time.
struct TopKCall<'a> {
    context: &'a Context,
    key: KeyType,
    keys: Input<'a>,
    how: &'a TopK,
}

/// Results of a top-k, in device memory.
struct Found {
    keys: AnyArray,
    indices: AnyArray,
    method: TopKMethod,
}

/// Results of a top-k, in host memory.
#[derive(Default)]
struct Best {
    keys: Vec<u8>,
    indices: Vec<u32>,
    method: TopKMethod,
}

impl TopKCall<'_> {
    fn run(&self, keys: &mut dyn AnyOutput, indices: &mut dyn AnyOutput) -> Result<TopKMethod> {
        let (context, n) = (self.context, self.keys.len());
        let (rows, length) = self.how.cut(n)?;
        check_k(self.how.k, length)?;
        check_count("number of elements of a top-k", n)?;
        // Keys of 8 and 16 bits are processed as 32-bit words.
        let bytes = self.keys.element_bytes().max(4);
        let footprint = Footprint::new(self.keys, &[bytes, bytes]);
        if n == 0 || footprint.is_one_plan(context) {
            let found = self.part(0..n, self.how)?;
            keys.set(found.keys);
            indices.set(found.indices);
            return Ok(found.method);
        }
        let max = footprint.max_part(context);
        let mut method = TopKMethod::Auto;
        in_parts_of(rows, (1, max / length), &mut |part| {
            let elements = part.start * length..part.end * length;
            let end = keys.bytes().len();
            let appended = if part.end - part.start == 1 {
                let best = self.row(elements, max)?;
                method = best.method;
                let best_indices = bytemuck::cast_slice(&best.indices);
                keys.extend(&best.keys).and_then(|()| indices.extend(best_indices))
            } else {
                let found = self.part(elements, self.how)?;
                method = found.method;
                let appended = context.append(&found.keys, keys);
                appended.and_then(|()| context.append(&found.indices, indices))
            };
            appended.inspect_err(|_| keys.truncate(end))
        })?;
        Ok(method)
    }

    /// Returns the top-k of one row. The row is processed in parts of at most `max` elements.
    fn row(&self, row: Range<u64>, max: u64) -> Result<Best> {
        let (length, how) = (row.end - row.start, self.how);
        let mut best = Best::default();
        in_parts(length, max, &mut |part| {
            let len = part.end - part.start;
            let k = how.k.min(len);
            // If there are several parts, their results must be sorted, so that they can be merged.
            let how = TopK { k, row_length: None, sorted: how.sorted || len < length, ..*how };
            let found = self.part(row.start + part.start..row.start + part.end, &how)?;
            let keys = self.context.read_range(&found.keys, 0..found.keys.len())?;
            let mut indices = self.context.download::<u32>(&Array::of(found.indices))?;
            // The cast and the sum are lossless, because there are at most 2^32 - 1 elements.
            indices.iter_mut().for_each(|index| *index += part.start as u32);
            best.merge(self, Best { keys, indices, method: found.method });
            Ok(())
        })?;
        Ok(best)
    }

    /// Returns the top-k of a range of elements, with one plan.
    fn part(&self, part: Range<u64>, how: &TopK) -> Result<Found> {
        let (rows, _) = how.cut(part.end - part.start)?;
        let found = rows.saturating_mul(how.k);
        let keys = self.keys.part(self.context, "keys", part)?;
        let keys_out = AnyArray::uninit(self.context, "keys_out", keys.element(), found)?;
        let indices = AnyArray::uninit(self.context, "indices_out", ElementType::U32, found)?;
        let added = self.context.call("topk", |work| {
            let (from, to) = (work.array(&keys), work.array(&keys_out));
            let buffers = TopKBuffers::new(from, to, work.array(&indices)).count(keys.len());
            let (graph, policy) = work.parts();
            topk(graph, policy, how, &buffers)
        })?;
        Ok(Found { keys: keys_out, indices, method: added.method })
    }
}

impl Best {
    /// Merges the sorted elements of a later part into `self`, and keeps the first k. Elements of
    /// `self` precede equal elements of `later`.
    fn merge(&mut self, call: &TopKCall<'_>, later: Self) {
        if self.indices.is_empty() {
            *self = later;
            return;
        }
        let flip = if call.how.smallest { 0 } else { u64::MAX };
        let each = call.key.bytes() as usize;
        let rank = |key: &[u8]| call.key.ordered(bits_of(key)) ^ flip;
        let n = (call.how.k as usize).min(self.indices.len() + later.indices.len());
        let (mut keys, mut indices) = (Vec::with_capacity(n * each), Vec::with_capacity(n));
        let mut firsts = self.keys.chunks_exact(each).zip(&self.indices).peekable();
        let mut others = later.keys.chunks_exact(each).zip(&later.indices).peekable();
        while indices.len() < n {
            let take_first = match (firsts.peek(), others.peek()) {
                (Some((one, _)), Some((other, _))) => rank(one) <= rank(other),
                (one, _) => one.is_some(),
            };
            let next = if take_first { firsts.next() } else { others.next() };
            let Some((key, index)) = next else { break };
            keys.extend_from_slice(key);
            indices.push(*index);
        }
        (self.keys, self.indices) = (keys, indices);
    }
}
