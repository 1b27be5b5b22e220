//! How the pieces of an array are split: one plan, run for each piece of a length.

use bytemuck::Pod;
use multisplit_graph::{Buffer, Graph};

use super::Records;
use crate::device::context::Context;
use crate::error::Result;
use crate::execute::executable::Executable;
use crate::execute::import::Bound;
use crate::memory::Array;
use crate::primitives::key::Key;
use crate::primitives::multisplit::{Buckets, Method, SplitBuffers};
use crate::primitives::{Policy, split};

/// A piece that was split into buckets.
pub(in crate::primitives) struct SplitPiece<'a, K, V> {
    /// Where its elements are now; of a permutation, where they were.
    pub elements: Records<'a, K, V>,
    pub len: u64,
    /// Where each bucket begins, counted from the first element of the piece, and its length.
    pub offsets: Vec<u32>,
}

impl<K, V> SplitPiece<'_, K, V> {
    pub fn buckets(&self) -> u32 {
        self.offsets.len().saturating_sub(1) as u32
    }
}

/// What the split of a piece writes.
pub(in crate::primitives) enum PieceOutput<'a, K, V> {
    Elements(Records<'a, K, V>),
    /// Where each element would go in its piece, from the word of the piece's first element on.
    Permutation(&'a Array<u32>),
}

impl<K, V> Clone for PieceOutput<'_, K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for PieceOutput<'_, K, V> {}

/// Splits pieces by one function.
pub(in crate::primitives) struct PieceSplitter<'a, K> {
    context: &'a Context,
    policy: &'a Policy,
    buckets: &'a Buckets<K>,
    offsets: Array<u32>,
    out_of_range: Array<u32>,
    /// The plan of the last piece: most have the same length.
    last: Option<PiecePlan>,
    /// Keys so far whose bucket does not exist.
    pub keys_out_of_range: u64,
    /// How the last piece was split.
    pub method: Method,
}

/// A plan that splits a piece of a length.
struct PiecePlan {
    len: u64,
    executable: Executable,
    keys: Buffer,
    values: Option<Buffer>,
    output: Buffer,
    values_output: Option<Buffer>,
    offsets: Buffer,
    out_of_range: Buffer,
}

impl<'a, K: Key> PieceSplitter<'a, K> {
    pub fn new(
        (context, policy): (&'a Context, &'a Policy),
        buckets: &'a Buckets<K>,
    ) -> Result<Self> {
        let ends = u64::from(buckets.count()).saturating_add(1);
        Ok(Self {
            context,
            policy,
            buckets,
            offsets: Array::uninit(context, "pieces.offsets", ends)?,
            out_of_range: Array::uninit(context, "pieces.out_of_range", 1)?,
            last: None,
            keys_out_of_range: 0,
            method: Method::Auto,
        })
    }

    /// Splits `len` elements.
    pub fn split<'r, V: Pod>(
        &mut self,
        from: Records<'r, K, V>,
        to: PieceOutput<'r, K, V>,
        len: u64,
    ) -> Result<SplitPiece<'r, K, V>> {
        if self.last.as_ref().is_none_or(|plan| plan.len != len) {
            // What the last one has in device memory goes first.
            self.last = None;
            let (plan, method) = self.plan(from, to, len)?;
            self.method = method;
            self.last = Some(plan);
        }
        if let Some(plan) = &self.last {
            let bound = self.bound(plan, from, to);
            self.context.run(&plan.executable, &bound)?;
        }
        let out_of_range = self.context.download(&self.out_of_range)?;
        self.keys_out_of_range += out_of_range.iter().map(|&keys| u64::from(keys)).sum::<u64>();
        let offsets = within(self.context.download(&self.offsets)?, len);
        let elements = match to {
            PieceOutput::Elements(records) => records,
            PieceOutput::Permutation(_) => from,
        };
        Ok(SplitPiece { elements, len, offsets })
    }

    fn plan<V: Pod>(
        &self,
        from: Records<'_, K, V>,
        to: PieceOutput<'_, K, V>,
        len: u64,
    ) -> Result<(PiecePlan, Method)> {
        let mut graph = Graph::new("split.piece");
        let keys = graph.import::<K>("keys", len);
        let offsets = graph.import::<u32>("offsets", self.offsets.len());
        let out_of_range = graph.import::<u32>("out_of_range", 1);
        let (mut values, mut values_output) = (None, None);
        let (output, buffers) = match to {
            PieceOutput::Permutation(_) => {
                let output = graph.import::<u32>("permutation", len);
                (output, SplitBuffers::permutation(keys, output, offsets))
            }
            PieceOutput::Elements(_) => {
                let output = graph.import::<K>("keys.out", len);
                let buffers = match from.values {
                    None => SplitBuffers::keys(keys, output, offsets),
                    Some(_) => {
                        let from = graph.import::<V>("values", len);
                        let to = graph.import::<V>("values.out", len);
                        (values, values_output) = (Some(from), Some(to));
                        SplitBuffers::pairs((keys, from), (output, to), offsets)
                    }
                };
                (output, buffers)
            }
        };
        let buffers = buffers.out_of_range(out_of_range);
        let added = split(&mut graph, self.policy, self.buckets, &buffers)?;
        let executable = self.context.instantiate(graph.compile(&self.context.limits())?)?;
        let plan = PiecePlan {
            len,
            executable,
            keys,
            values,
            output,
            values_output,
            offsets,
            out_of_range,
        };
        Ok((plan, added.method))
    }

    fn bound<'r, V: Pod>(
        &'r self,
        plan: &PiecePlan,
        from: Records<'r, K, V>,
        to: PieceOutput<'r, K, V>,
    ) -> Vec<Bound<'r>> {
        let at = |begin: u64, bytes: usize| begin * bytes as u64;
        let mut bound: Vec<Bound<'r>> = vec![
            (plan.keys, from.keys, at(from.begin, size_of::<K>())).into(),
            (plan.offsets, &self.offsets).into(),
            (plan.out_of_range, &self.out_of_range).into(),
        ];
        if let (Some(import), Some(values)) = (plan.values, from.values) {
            bound.push((import, values, at(from.begin, size_of::<V>())).into());
        }
        match to {
            PieceOutput::Permutation(words) => {
                bound.push((plan.output, words, at(from.begin, size_of::<u32>())).into());
            }
            PieceOutput::Elements(to) => {
                bound.push((plan.output, to.keys, at(to.begin, size_of::<K>())).into());
                if let (Some(import), Some(values)) = (plan.values_output, to.values) {
                    bound.push((import, values, at(to.begin, size_of::<V>())).into());
                }
            }
        }
        bound
    }
}

/// Offsets of `len` elements, whatever a device has written: what follows from them stays within the
/// arrays.
fn within(mut offsets: Vec<u32>, len: u64) -> Vec<u32> {
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
        assert_eq!(within(vec![0, 2, 2, 7], 7), [0, 2, 2, 7]);
        assert_eq!(within(vec![3, 9, 2, 4], 7), [0, 7, 7, 7]);
        assert_eq!(within(vec![0, 1, 1, 1], 7), [0, 1, 1, 7]);
    }
}
