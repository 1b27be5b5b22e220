//! Binary searches: the position of each needle in a sorted array.
//!
//! [`search`] adds the pass to a graph: [`Search`] selects lower or upper bounds, [`SearchBuffers`]
//! the arrays. [`Context::lower_bound`](crate::Context::lower_bound) and
//! [`Context::upper_bound`](crate::Context::upper_bound) run a search in one call.

use multisplit_graph::{Buffer, ElementType, Graph};
use multisplit_shaders::builtin::variants::SEARCH_BOUNDS;
use multisplit_shaders::push_constants;

use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::execute::own_pass::OwnPasses;
use crate::operations::Count;
use crate::operations::shared::checks::{check_element, check_size};
use crate::operations::shared::count::{Lengths, OtherCount};
use crate::operations::shared::pieces::single;
use crate::operations::shared::specialize::specialize;
use crate::policy::Policy;

/// Position to find for each needle. Elements are compared in sort order; floats are ordered like
/// `total_cmp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Search {
    /// Number of elements less than the needle: the first position where the needle can be inserted
    /// without breaking the order.
    LowerBound,
    /// Number of elements less than or equal to the needle: the last position where the needle can
    /// be inserted without breaking the order.
    UpperBound,
}

/// Arrays of a search in a graph.
#[derive(Clone, Copy, Debug)]
pub struct SearchBuffers {
    sorted_count: Count,
    n: Count,
    sorted: Buffer,
    needles: Buffer,
    positions: Buffer,
}

impl SearchBuffers {
    /// Finds the position of each of `needles` in `sorted` and writes it to `positions`, an array
    /// of `u32`. Needles must have the same type as `sorted`. `sorted` must be in ascending order;
    /// otherwise positions are arbitrary, but at most the number of elements.
    pub fn new(sorted: Buffer, needles: Buffer, positions: Buffer) -> Self {
        let (sorted_count, n) = (Count::Host(sorted.len()), Count::Host(needles.len()));
        Self { sorted_count, n, sorted, needles, positions }
    }

    /// Searches for only the first `n` needles. `n` is a host count or a device count.
    #[must_use]
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// Searches only the first `n` elements of the sorted array. `n` is a host count or a device
    /// count.
    #[must_use]
    pub fn sorted_count(self, n: impl Into<Count>) -> Self {
        Self { sorted_count: n.into(), ..self }
    }

    fn check(&self) -> Result<KeyType> {
        let key = KeyType::wide_of("sorted", self.sorted)?;
        check_element("needles", self.needles, key.into())?;
        check_element("positions", self.positions, ElementType::U32)?;
        let (elements, needles) = (self.sorted_count.max(), self.n.max());
        let limit = u64::from(u32::MAX);
        for asked in [elements, needles] {
            if asked > limit {
                let what = "number of elements of a search (positions have 32 bits)";
                return Err(Error::TooLarge { what, asked, limit });
            }
        }
        let bytes = u64::from(key.bytes());
        check_size("search.sorted", self.sorted, elements * bytes)?;
        check_size("search.needles", self.needles, needles * bytes)?;
        check_size("search.positions", self.positions, needles * WORD)?;
        Ok(key)
    }
}

const WORD: u64 = 4;
/// Needles that a thread searches for concurrently. Must match `search/bounds.comp`.
const NEEDLES: u64 = 4;
/// Batches of needles per workgroup. The workgroup loads the top of the search tree into shared
/// memory once for all batches: at most one read per needle, instead of about ten.
const ROUNDS: u32 = 4;
/// Maximum workgroup size. Each workgroup has the top of the search tree in shared memory.
const MAX_THREADS: u32 = 256;

push_constants! {
    struct SearchPush {
        count: u32,
        sorted_count: u32,
        sorted_index: u32,
        upper: u32,
    }
}

/// Adds the pass of a search to the graph. Each array must fit one storage binding.
pub fn search(
    graph: &mut Graph,
    policy: &Policy,
    search: Search,
    buffers: &SearchBuffers,
) -> Result<()> {
    policy.check()?;
    graph.sized_for_subgroups(policy.facts.subgroup_size);
    let key = buffers.check()?;
    if buffers.n.max() == 0 {
        return Ok(());
    }
    let (mut lengths, n) = Lengths::new(buffers.n)?;
    let threads = policy.threads.min(MAX_THREADS).max(policy.facts.subgroup_size);
    let groups = lengths.parts(n, u64::from(threads * ROUNDS) * NEEDLES)?;
    let prepared = lengths.prepare(graph, policy, "search.prepare")?;
    let sorted_count = OtherCount::new(buffers.sorted_count)?;
    let bytes = u64::from(key.bytes());
    // Bindings cannot be empty. Kernels do not read past the count.
    let view = |buffer: Buffer, count: u64, bytes: u64| {
        single(buffer.range(0, (count * bytes).max(bytes)), policy)
    };
    let needles = view(buffers.needles, n.max, bytes)?;
    let kernel = SEARCH_BOUNDS[usize::from(key.bits() == 64)].kernel()?;
    let push = SearchPush {
        count: prepared.pushed(n),
        sorted_count: sorted_count.max,
        sorted_index: sorted_count.index,
        upper: u32::from(search == Search::UpperBound),
    };
    let pass = graph
        .own_pass("search.bounds", &kernel)
        .bind("sorted", view(buffers.sorted, buffers.sorted_count.max(), bytes)?)
        .bind("needles", needles)
        .bind("positions", view(buffers.positions, n.max, WORD)?)
        .push(&push);
    let constants = [("local_size_x", threads), ("KEY_KIND", key.kind()), ("ROUNDS", ROUNDS)];
    let pass = specialize(sorted_count.bind(pass, needles), &kernel, &constants);
    prepared.dispatch(prepared.bind(pass, needles), groups);
    Ok(())
}
