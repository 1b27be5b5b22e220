//! Splits a whole array, or a piece of it, with one plan.

use multisplit_graph::ElementType;

use super::Records;
use crate::call::{Caller, bits_of};
use crate::error::Result;
use crate::memory::{AnyArray, Array};
use crate::operations::split::{Buckets, Method, SplitBuffers, split};

#[derive(Clone, Copy)]
pub(in crate::call) enum Destination<'a> {
    /// Receives the keys, and the values if there are any, in bucket order.
    Elements(Records<'a>),
    /// Destination of each element, stored at the index of the element in the whole input.
    Permutation(&'a AnyArray),
}

/// Result of a split with one plan.
pub(in crate::call) struct PlanSplit {
    pub offsets: AnyArray,
    /// Number of keys whose bucket index is out of range.
    pub keys_out_of_range: u64,
    pub method: Method,
}

/// Splits `len` elements with one plan.
pub(in crate::call) fn split_plan(
    caller: Caller<'_>,
    name: &str,
    (from, to, len): (Records<'_>, Destination<'_>, u64),
    buckets: &Buckets,
) -> Result<PlanSplit> {
    let ends = u64::from(buckets.count()).saturating_add(1);
    let offsets = AnyArray::uninit(caller.context, "offsets", ElementType::U32, ends)?;
    let out_of_range = AnyArray::uninit(caller.context, "count", ElementType::U32, 1)?;
    let method = caller.call(name, |work| {
        let (keys, ends) = (work.slice(from.keys, from.begin, len), work.array(&offsets));
        let buffers = match to {
            Destination::Permutation(words) => {
                SplitBuffers::permutation(keys, work.slice(words, from.begin, len), ends)
            }
            Destination::Elements(to) => {
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
        let buffers = buffers.count(len).out_of_range(work.array(&out_of_range));
        let (graph, policy) = work.parts();
        Ok(split(graph, policy, buckets, &buffers)?.method)
    })?;
    let keys_out_of_range = bits_of(&caller.context.read_range(&out_of_range, 0..1)?);
    Ok(PlanSplit { offsets, keys_out_of_range, method })
}

/// A piece that has been split into buckets.
pub(super) struct SplitPiece<'a> {
    /// The elements of the piece, in bucket order. If the split only computed a permutation, they
    /// are still in input order.
    pub elements: Records<'a>,
    pub len: u64,
    /// Start of each bucket within the piece, followed by the length of the piece.
    pub offsets: Vec<u32>,
    /// Number of keys whose bucket index is out of range.
    pub keys_out_of_range: u64,
    pub method: Method,
}

impl<'a> SplitPiece<'a> {
    /// Splits a piece of `len` elements.
    pub fn new(
        caller: Caller<'_>,
        from: Records<'a>,
        to: Destination<'a>,
        len: u64,
        buckets: &Buckets,
    ) -> Result<Self> {
        let split = split_plan(caller, "split.piece", (from, to, len), buckets)?;
        let elements = match to {
            Destination::Elements(records) => records,
            Destination::Permutation(_) => from,
        };
        let offsets = clamped(caller.context.download(&Array::of(split.offsets))?, len);
        let (keys_out_of_range, method) = (split.keys_out_of_range, split.method);
        Ok(Self { elements, len, offsets, keys_out_of_range, method })
    }

    /// Creates a piece that is a single bucket.
    pub fn of_one_bucket(elements: Records<'a>, len: u64) -> Self {
        let (offsets, method) = (vec![0, len as u32], Method::Auto);
        Self { elements, len, offsets, keys_out_of_range: 0, method }
    }

    pub fn buckets(&self) -> u32 {
        self.offsets.len().saturating_sub(1) as u32
    }
}

/// Clamps offsets read from the device to a valid sequence for `len` elements, so that later steps
/// stay within the arrays even if the device wrote wrong values.
fn clamped(mut offsets: Vec<u32>, len: u64) -> Vec<u32> {
    let end = u32::try_from(len).unwrap_or(u32::MAX);
    let mut before = 0;
    for offset in &mut offsets {
        before = (*offset).clamp(before, end);
        *offset = before;
    }
    if let Some(last) = offsets.last_mut() {
        *last = end;
    }
    if let Some(first) = offsets.first_mut() {
        *first = 0;
    }
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_stay_within_the_piece() {
        assert_eq!(clamped(vec![0, 2, 2, 7], 7), [0, 2, 2, 7]);
        assert_eq!(clamped(vec![3, 9, 2, 4], 7), [0, 7, 7, 7]);
        assert_eq!(clamped(vec![0, 1, 1, 1], 7), [0, 1, 1, 7]);
    }
}
