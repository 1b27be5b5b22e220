//! Passes of a merge.

use multisplit_graph::{Graph, Groups};
use multisplit_shaders::builtin::variants::{MERGE_CUT, MERGE_TILES};

use super::description::{Merge, MergeBuffers};
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::shared::{
    Lengths, OtherCount, begin, first_elements, halved_while, keyed_pass, push_words,
};
use crate::policy::Policy;

const WORD: u32 = 4;
/// Number of elements that each thread merges. Must match ITEMS of the kernel.
const ITEMS: u32 = 8;
/// Maximum workgroup size. Larger workgroups would leave too little shared memory for several
/// workgroups per multiprocessor.
const MAX_THREADS: u32 = 256;
/// Minimum workgroup size of the pass that computes the tile boundaries.
const CUT_THREADS: u32 = 64;

/// Adds the passes of a merge to the graph. The first pass finds the input ranges of each output
/// tile; the second merges each tile. Each array must fit one storage binding.
pub fn merge(
    graph: &mut Graph,
    policy: &Policy,
    merge: Merge,
    buffers: &MergeBuffers,
) -> Result<()> {
    begin(graph, policy)?;
    let key = buffers.check()?;
    let max_counts = buffers.max_counts();
    if max_counts[2] == 0 {
        return Ok(());
    }
    let threads = threads(policy, key, buffers.values.is_some());
    let tiles = max_counts[2].div_ceil(u64::from(threads * ITEMS));
    let (lengths, n) = Lengths::new(buffers.counts[0])?;
    let prepared = lengths.prepare(graph, policy, "merge.prepare")?;
    let second = OtherCount::new(buffers.counts[1])?;
    let push = push_words! {
        count: prepared.pushed(n),
        second_count: second.max,
        second_index: second.index,
        descending: u32::from(merge == Merge::Descending),
        tile: threads * ITEMS,
        tiles: tiles as u32,
    };
    let cuts = graph.transient::<u32>("merge.cuts", tiles + 1);
    let bytes = key.bytes().into();
    let first_keys = first_elements(buffers.keys[0], max_counts[0], bytes, policy)?;
    let second_keys = first_elements(buffers.keys[1], max_counts[1], bytes, policy)?;

    let cutters = CUT_THREADS.max(policy.facts.subgroup_size);
    let pass = keyed_pass(graph, "merge.cut", MERGE_CUT, key, &[("local_size_x", cutters)])?
        .push(&push)
        .bind("first_keys", first_keys)
        .bind("second_keys", second_keys)
        .bind("cuts", cuts);
    let pass = prepared.bind(second.bind(pass, first_keys), first_keys);
    pass.dispatch(Groups::linear((tiles + 1).div_ceil(cutters.into())));

    let kernels = MERGE_TILES[usize::from(buffers.values.is_some())];
    let value_bytes =
        buffers.values.map_or(WORD, |[first, ..]| first.element().bytes().unwrap_or(WORD));
    let constants = [("local_size_x", threads), ("VALUE_WORDS", value_bytes / WORD)];
    let mut pass = keyed_pass(graph, "merge.tiles", kernels, key, &constants)?
        .push(&push)
        .bind("first_keys", first_keys)
        .bind("second_keys", second_keys)
        .bind("cuts", cuts)
        .bind("keys_out", first_elements(buffers.keys[2], max_counts[2], bytes, policy)?);
    let names = ["first_values", "second_values", "values_out"];
    for ((name, values), n) in
        names.into_iter().zip(buffers.values.into_iter().flatten()).zip(max_counts)
    {
        pass = pass.bind(name, first_elements(values, n, value_bytes.into(), policy)?);
    }
    let pass = prepared.bind(second.bind(pass, first_keys), first_keys);
    pass.dispatch(Groups::linear(tiles));
    Ok(())
}

/// Workgroup size, halved until a tile fits in shared memory.
fn threads(policy: &Policy, key: KeyType, pairs: bool) -> u32 {
    let element = u64::from(key.bytes() + if pairs { WORD } else { 0 });
    // In shared memory, every 32 elements are padded by one, to avoid bank conflicts.
    let needed = |threads: u32| (u64::from(threads * ITEMS) * element).div_ceil(32) * 33;
    let max_threads = policy.threads.min(MAX_THREADS).max(policy.facts.subgroup_size);
    halved_while(policy, max_threads, |threads| needed(threads) > policy.facts.shared_memory.into())
}
