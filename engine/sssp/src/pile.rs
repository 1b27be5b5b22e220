//! Adds the passes that order the pile (the queue entries beyond the near set) by bucket. They use
//! a multisplit, or a radix sort as in the original bucketing method.

use multisplit::graph::{Buffer, Graph, Groups};
use multisplit::operations::{Count, SortBuffers, SplitBuffers, copy_first, sort, split};
use multisplit::shaders::builtin;
use multisplit::{Buckets, Sort};

use crate::buffers::Imports;
use crate::error::Result;
use crate::passes::{GROUP_WORDS, Search};
use crate::shape::Method;
use crate::statistics::{KEPT_WORD, KEPT_WORDS_WORD};

/// Buffers that are used while a pile is split.
struct Pile {
    /// Number of kept entries: neither expanded yet nor stale. An entry is stale if a shorter
    /// distance of its vertex has been found since.
    n: Count,
    /// Bucket of each entry in `entries`.
    ids: Buffer,
    /// The kept entries.
    entries: Buffer,
}

impl Search {
    /// Removes stale and expanded entries from the pile, splits the rest by bucket, and makes the
    /// first bucket the near set of the next round. These passes have no effect unless the near set
    /// is empty.
    pub fn split_pile(&self, graph: &mut Graph, at: &Imports, next_groups: Buffer) -> Result<()> {
        let capacity = self.shape.pile_entries();
        let pile = Pile {
            n: Count::Device { buffer: at.control, index: KEPT_WORD, max: capacity },
            ids: graph.transient::<u32>("sssp.ids", capacity),
            entries: graph.transient::<[u32; 2]>("sssp.kept", capacity),
        };
        self.pass(graph, "sssp.filter", &builtin::SSSP_FILTER, at)?
            .bind("ids", pile.ids)
            .bind("kept", pile.entries)
            .dispatch_indirect(next_groups.elements::<u32>(GROUP_WORDS, GROUP_WORDS));
        let sorted = self.shape.method == Method::Bucketing;
        let (ids, offsets) = match sorted {
            true => self.sort(graph, at, &pile)?,
            false => self.multisplit(graph, at, &pile)?,
        };
        self.pass(graph, "sssp.take", &builtin::SSSP_TAKE, at)?
            .bind("groups", next_groups)
            .bind("ids", ids)
            .bind("offsets", offsets)
            .specialize("SORTED", u32::from(sorted))
            .dispatch(Groups::linear(1));
        Ok(())
    }

    /// Sorts the pile by all bits of the bucket index. Returns the sorted bucket indices and a
    /// placeholder for the bucket offsets: the next kernel has that binding, but does not read it
    /// after a sort.
    fn sort(&self, graph: &mut Graph, at: &Imports, pile: &Pile) -> Result<(Buffer, Buffer)> {
        let buffers = SortBuffers::keys(pile.ids).values(pile.entries).count(pile.n);
        sort(graph, &self.policy, &Sort::ascending(), &buffers)?;
        let (buffer, index) = (at.control, KEPT_WORDS_WORD);
        let words = Count::Device { buffer, index, max: 2 * self.shape.pile_entries() };
        copy_first(graph, &self.policy, "sssp.pile", pile.entries, at.pile, words)?;
        Ok((pile.ids, at.request))
    }

    /// Splits the pile. Returns the bucket indices in order, and the offset of each bucket.
    fn multisplit(&self, graph: &mut Graph, at: &Imports, pile: &Pile) -> Result<(Buffer, Buffer)> {
        let buckets = self.shape.last_id + 1;
        let ids = graph.transient::<u32>("sssp.ids.split", self.shape.pile_entries());
        let offsets = graph.transient::<u32>("sssp.offsets", u64::from(buckets) + 1);
        let buffers = SplitBuffers::pairs((pile.ids, pile.entries), (ids, at.pile), offsets);
        split(graph, &self.policy, &Buckets::<u32>::identity(buckets), &buffers.count(pile.n))?;
        Ok((ids, offsets))
    }
}
