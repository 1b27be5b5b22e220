//! How the pile of what is not near is put in the order of its buckets: by multisplit, or by the
//! radix sort of the original.

use multisplit_graph::{Buffer, Graph, Groups};
use multisplit_shaders::builtin;

use super::buffers::Imports;
use super::passes::{GROUP_WORDS, Search};
use super::shape::SsspMethod;
use super::statistics::KEPT_WORD;
use crate::error::Result;
use crate::primitives::Count;
use crate::primitives::multisplit::{self, Bucket, KeyType, Split, SplitBuffers, SplitOutput};

/// Bytes of an entry: a vertex and its distance.
const ENTRY_BYTES: u32 = 8;
/// Bits of a digit of the sort, and how many digits: an odd number of rounds ends in the pile.
const DIGIT_BITS: u32 = 8;
const DIGITS: u32 = 3;

impl Search<'_> {
    /// Drops what is stale from the pile, splits it, and has the next round take its first
    /// bucket. All of it does nothing unless the round before left no near set.
    pub fn split_pile(&self, graph: &mut Graph, at: &Imports, next_groups: Buffer) -> Result<()> {
        let entries = self.shape.pile_entries();
        let sorted = self.shape.method == SsspMethod::Bucketing;
        let buckets = if sorted { 1 << DIGIT_BITS } else { self.shape.last_id + 1 };
        let ids = graph.transient::<u32>("sssp.ids", entries);
        let ids_split = graph.transient::<u32>("sssp.ids.split", entries);
        let kept = graph.transient::<[u32; 2]>("sssp.kept", entries);
        let offsets = graph.transient::<u32>("sssp.offsets", u64::from(buckets) + 1);

        self.pass(graph, "sssp.filter", &builtin::SSSP_FILTER, at)?
            .bind("pile", at.pile)
            .bind("ids", ids)
            .bind("kept", kept)
            .dispatch_indirect(next_groups.elements::<u32>(GROUP_WORDS, GROUP_WORDS));

        // From the first pair to the second, and back again.
        let pairs = [(ids, kept), (ids_split, at.pile)];
        let n = Count::Device { buffer: at.control, index: KEPT_WORD, most: entries };
        for digit in 0..if sorted { DIGITS } else { 1 } {
            let (from, to) = (pairs[digit as usize % 2], pairs[(digit as usize + 1) % 2]);
            let bucket = match sorted {
                true => Bucket::Digit { shift: digit * DIGIT_BITS, bits: DIGIT_BITS },
                false => Bucket::Identity,
            };
            let output = SplitOutput::Pairs {
                keys: to.0,
                values_in: from.1,
                values: to.1,
                value_bytes: ENTRY_BYTES,
            };
            let buffers = SplitBuffers { n, keys: from.0, output, offsets, outside: None };
            let split = Split::new(KeyType::U32, buckets, bucket);
            multisplit::add(graph, self.policy, &split, &buffers)?;
        }

        self.pass(graph, "sssp.take", &builtin::SSSP_TAKE, at)?
            .bind("groups", next_groups)
            .bind("history", at.history)
            .bind("ids", ids_split)
            .bind("offsets", offsets)
            .specialize("SORTED", u32::from(sorted))
            .dispatch(Groups::linear(1));
        Ok(())
    }
}
