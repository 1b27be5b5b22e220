//! Merges two sorted arrays of keys or key-value pairs into one sorted array.
//!
//! [`merge`] adds the passes to a graph: [`Merge`] specifies the order, [`MergeBuffers`] the
//! arrays. [`Context::merge`](crate::Context::merge) and
//! [`Context::merge_pairs`](crate::Context::merge_pairs) run a merge in one call. The merge is
//! stable: if elements are equal, those of the first array come first, and each array keeps its
//! order.

use multisplit_graph::{Buffer, Graph, Groups, View};
use multisplit_shaders::builtin::variants::{MERGE_CUT, MERGE_TILES};
use multisplit_shaders::push_constants;

use crate::elements::key::{KeyType, value_bytes};
use crate::error::{Error, Result};
use crate::execute::own_pass::OwnPasses;
use crate::operations::Count;
use crate::operations::shared::checks::{check_element, check_size};
use crate::operations::shared::count::{Lengths, OtherCount};
use crate::operations::shared::pieces::single;
use crate::operations::shared::specialize::specialize;
use crate::policy::Policy;

/// Order of both inputs and of the output. Floats are ordered like `total_cmp`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Merge {
    /// Smallest first.
    #[default]
    Ascending,
    /// Largest first.
    Descending,
}

/// Arrays of a merge in a graph. The output must not overlap an input.
#[derive(Clone, Copy, Debug)]
pub struct MergeBuffers {
    counts: [Count; 2],
    keys: [Buffer; 2],
    keys_out: Buffer,
    values: Option<[Buffer; 3]>,
}

impl MergeBuffers {
    /// Merges the keys of `first` and `second` into `out`, which must have room for both. If an
    /// input is not sorted, each element of the output is still a key of an input, but some keys
    /// may be duplicated and others missing.
    pub fn keys(first: Buffer, second: Buffer, out: Buffer) -> Self {
        let counts = [Count::Host(first.len()), Count::Host(second.len())];
        Self { counts, keys: [first, second], keys_out: out, values: None }
    }

    /// Adds a value to each key.
    #[must_use]
    pub fn values(self, first: Buffer, second: Buffer, out: Buffer) -> Self {
        Self { values: Some([first, second, out]), ..self }
    }

    /// Merges only the first elements of each array. The counts are host counts or device counts.
    #[must_use]
    pub fn counts(self, first: impl Into<Count>, second: impl Into<Count>) -> Self {
        Self { counts: [first.into(), second.into()], ..self }
    }

    /// Maximum number of elements in each array, and in total.
    fn max_counts(&self) -> [u64; 3] {
        let [a, b] = self.counts.map(Count::max);
        [a, b, a.saturating_add(b)]
    }

    fn check(&self) -> Result<KeyType> {
        let key = KeyType::wide_of("first", self.keys[0])?;
        check_element("second", self.keys[1], key.into())?;
        check_element("out", self.keys_out, key.into())?;
        let (max_counts, limit) = (self.max_counts(), u64::from(u32::MAX));
        if max_counts[2] > limit {
            let what = "number of elements of a merge (positions have 32 bits)";
            return Err(Error::TooLarge { what, asked: max_counts[2], limit });
        }
        let [first, second] = self.keys;
        let bytes = u64::from(key.bytes());
        let names = ["merge.first", "merge.second", "merge.out"];
        for ((name, buffer), n) in
            names.into_iter().zip([first, second, self.keys_out]).zip(max_counts)
        {
            check_size(name, buffer, n * bytes)?;
        }
        let Some(values) = self.values else { return Ok(key) };
        let bytes = u64::from(value_bytes(values[0])?);
        check_element("second_values", values[1], values[0].element())?;
        check_element("values_out", values[2], values[0].element())?;
        let names = ["merge.first.values", "merge.second.values", "merge.values_out"];
        for ((name, buffer), n) in names.into_iter().zip(values).zip(max_counts) {
            check_size(name, buffer, n * bytes)?;
        }
        Ok(key)
    }
}

const WORD: u64 = 4;
/// Elements per thread. Must match ITEMS of the kernel.
const ITEMS: u32 = 8;
/// Maximum workgroup size. Larger workgroups would leave too little shared memory for several
/// workgroups per multiprocessor.
const MAX_THREADS: u32 = 256;
/// Workgroup size of the pass that computes the tile boundaries.
const CUT_THREADS: u32 = 64;

push_constants! {
    struct MergePush {
        count: u32,
        second_count: u32,
        second_index: u32,
        descending: u32,
        tile: u32,
        tiles: u32,
    }
}

/// Adds the passes of a merge to the graph: one computes the input ranges of each output tile, and
/// one merges the tiles. Each array must fit one storage binding.
pub fn merge(
    graph: &mut Graph,
    policy: &Policy,
    merge: Merge,
    buffers: &MergeBuffers,
) -> Result<()> {
    policy.check()?;
    graph.sized_for_subgroups(policy.facts.subgroup_size);
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
    let push = MergePush {
        count: prepared.pushed(n),
        second_count: second.max,
        second_index: second.index,
        descending: u32::from(merge == Merge::Descending),
        tile: threads * ITEMS,
        tiles: tiles as u32,
    };
    let cuts = graph.transient::<u32>("merge.cuts", tiles + 1);
    // Bindings cannot be empty. Kernels do not read past the counts.
    let view = |buffer: Buffer, n: u64, bytes: u64| -> Result<View> {
        single(buffer.range(0, (n * bytes).max(bytes)), policy)
    };
    let (wide, bytes) = (usize::from(key.bits() == 64), u64::from(key.bytes()));
    let first_keys = view(buffers.keys[0], max_counts[0], bytes)?;
    let second_keys = view(buffers.keys[1], max_counts[1], bytes)?;
    let value_bytes = buffers.values.map_or(4, |values| values[0].element().bytes().unwrap_or(4));
    let constants = |threads| {
        [("local_size_x", threads), ("KEY_KIND", key.kind()), ("VALUE_WORDS", value_bytes / 4)]
    };

    let kernel = MERGE_CUT[wide].kernel()?;
    let pass = graph
        .own_pass("merge.cut", &kernel)
        .push(&push)
        .bind("first_keys", first_keys)
        .bind("second_keys", second_keys)
        .bind("cuts", cuts);
    let cutters = CUT_THREADS.max(policy.facts.subgroup_size);
    let pass = specialize(second.bind(pass, first_keys), &kernel, &constants(cutters));
    let groups = Groups::linear((tiles + 1).div_ceil(cutters.into()));
    prepared.bind(pass, first_keys).dispatch(groups);

    let kernel = MERGE_TILES[usize::from(buffers.values.is_some())][wide].kernel()?;
    let mut pass = graph
        .own_pass("merge.tiles", &kernel)
        .push(&push)
        .bind("first_keys", first_keys)
        .bind("second_keys", second_keys)
        .bind("cuts", cuts)
        .bind("keys_out", view(buffers.keys_out, max_counts[2], bytes)?);
    if let Some([first, second, out]) = buffers.values {
        let bytes = u64::from(value_bytes);
        pass = pass
            .bind("first_values", view(first, max_counts[0], bytes)?)
            .bind("second_values", view(second, max_counts[1], bytes)?)
            .bind("values_out", view(out, max_counts[2], bytes)?);
    }
    let pass = specialize(second.bind(pass, first_keys), &kernel, &constants(threads));
    prepared.bind(pass, first_keys).dispatch(Groups::linear(tiles));
    Ok(())
}

/// Largest workgroup size whose tile fits in shared memory.
fn threads(policy: &Policy, key: KeyType, pairs: bool) -> u32 {
    let element = u64::from(key.bytes()) + if pairs { WORD } else { 0 };
    // Rows of 32 elements are padded by one element.
    let needed = |threads: u32| (u64::from(threads * ITEMS) * element).div_ceil(32) * 33;
    let mut threads = policy.threads.min(MAX_THREADS).max(policy.facts.subgroup_size);
    while threads.is_multiple_of(2 * policy.facts.subgroup_size)
        && needed(threads) > u64::from(policy.facts.shared_memory)
    {
        threads /= 2;
    }
    threads
}
