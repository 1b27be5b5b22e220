//! Adds the pass of a search.

use multisplit_graph::Graph;
use multisplit_shaders::builtin::variants::SEARCH_BOUNDS;

use super::description::{Search, SearchBuffers};
use crate::error::Result;
use crate::operations::shared::{
    Lengths, OtherCount, WORD, begin, first_elements, keyed_pass, push_words,
};
use crate::policy::Policy;

/// Number of needles that a thread searches for at the same time. Must match `search/bounds.comp`.
const NEEDLES: u64 = 4;
/// Number of batches of needles per workgroup. A workgroup loads the top of the search tree into
/// shared memory once for all its batches. With at least 64 threads and full batches, this costs at
/// most one read per needle. It saves about ten.
const ROUNDS: u32 = 4;
/// Maximum workgroup size. Each workgroup keeps its own copy of the top of the search tree.
const MAX_THREADS: u32 = 256;

/// Adds the pass of a search to the graph. Each array must fit one storage binding.
pub fn search(
    graph: &mut Graph,
    policy: &Policy,
    search: Search,
    buffers: &SearchBuffers,
) -> Result<()> {
    begin(graph, policy)?;
    let key = buffers.check()?;
    if buffers.n.max() == 0 {
        return Ok(());
    }
    let (mut lengths, n) = Lengths::new(buffers.n)?;
    let threads = policy.threads.min(MAX_THREADS).max(policy.facts.subgroup_size);
    let groups = lengths.parts(n, u64::from(threads * ROUNDS) * NEEDLES)?;
    let prepared = lengths.prepare(graph, policy, "search.prepare")?;
    let sorted_count = OtherCount::new(buffers.sorted_count)?;
    let bytes = key.bytes().into();
    let needles = first_elements(buffers.needles, n.max, bytes, policy)?;
    let sorted = first_elements(buffers.sorted, sorted_count.max.into(), bytes, policy)?;
    let constants = [("local_size_x", threads), ("ROUNDS", ROUNDS)];
    let pass = keyed_pass(graph, "search.bounds", SEARCH_BOUNDS, key, &constants)?
        .bind("sorted", sorted)
        .bind("needles", needles)
        .bind("positions", first_elements(buffers.positions, n.max, WORD, policy)?)
        .push(&push_words! {
            count: prepared.pushed(n),
            sorted_count: sorted_count.max,
            sorted_index: sorted_count.index,
            upper: u32::from(search == Search::UpperBound),
        });
    prepared.dispatch(prepared.bind(sorted_count.bind(pass, needles), needles), groups);
    Ok(())
}
