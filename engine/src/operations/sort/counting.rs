//! Counting sort of 8-bit and 16-bit keys without values. Equal keys are indistinguishable, so counting each value is
//! sufficient. Keys are read and written once; 16-bit keys may be read a few more times, mostly from a cache.

use multisplit_graph::Graph;
use multisplit_shaders::builtin::{SORT_COUNT, SORT_RUNS};

use super::description::{AddedSort, KeyedSort, SortBuffers};
use crate::error::{Error, Result};
use crate::operations::scan::exclusive_sum;
use crate::operations::shared::{
    ELEMENTS_PER_THREAD, Lengths, builtin_pass, fill, push_words, single,
};
use crate::policy::Policy;
use crate::policy::method::SortMethod;
use crate::policy::tile::TileShape;

/// Number of bytes per load or store of a thread, in both kernels.
const VECTOR_BYTES: u64 = 16;
/// Number of loads in flight per thread. Must match the kernel.
const LOADS: u64 = 4;
/// Maximum workgroup size. A workgroup of this size adds at most 2^15 to a 16-bit counter at a time, so the kernel
/// can empty nearly full counters before they overflow.
const MAX_THREADS: u32 = 1024;
/// Shared memory for variables other than the counters, in bytes.
const OTHER_SHARED: u32 = 256;
/// Maximum number of separate histograms of 8-bit keys. Every workgroup of the last pass adds all of them up.
const MAX_SEPARATE: u64 = 16;
/// Minimum workgroup size of the counting kernel with separate histograms, unless that of the histogram pass is
/// smaller. A multiple of all subgroup sizes.
const MIN_SEPARATE_THREADS: u32 = 256;

/// Whether a sort uses this method. Returns an error if the method was requested for keys of 32 or 64 bits, for a
/// range of bits, or with values.
pub(super) fn is_chosen(policy: &Policy, sort: &KeyedSort, buffers: &SortBuffers) -> Result<bool> {
    let possible = sort.key.is_narrow() && sort.by_all_bits() && buffers.values.is_none();
    match sort.method {
        SortMethod::Counting if !possible => Err(Error::Method {
            problem: "SortMethod::Counting supports only 8- and 16-bit keys, sorted by all bits and without values; use Auto",
        }),
        SortMethod::Counting => Ok(true),
        // For small arrays of 16-bit keys, two radix rounds are faster than processing 65,536 counters.
        SortMethod::Auto => {
            let min_keys = if sort.key.bits() == 8 { 0 } else { policy.sort.min_counting };
            Ok(possible && buffers.n.max() >= min_keys)
        }
        _ => Ok(false),
    }
}

/// Adds the passes of a counting sort: count each value, scan the counts, and write each value as often as it occurs.
/// For 8-bit keys, the last pass also scans the counts.
pub(super) fn add(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
) -> Result<AddedSort> {
    let shape = shape(policy);
    let added = AddedSort { method: SortMethod::Counting, rounds: 0, shape };
    tracing::debug!(?added, n = ?buffers.n, "sort");
    if let Some(other) = buffers.other {
        fill(graph, policy, "sort.half", other.half.elements::<u32>(0, 1), 0)?;
    }
    if buffers.n.max() == 0 {
        return Ok(added);
    }
    let values = 1u64 << sort.key.bits();
    let sizes = Sizes::new(policy, sort, buffers.n.max(), shape);
    let (mut lengths, n) = Lengths::new(buffers.n)?;
    let parts = lengths.parts(n, sizes.part)?;
    let count_groups = lengths.scaled(parts, sizes.slices, 0)?;
    let keys_of_group = ELEMENTS_PER_THREAD * u64::from(policy.threads) * sizes.vector_keys;
    let run_groups = lengths.parts(n, keys_of_group)?;
    let prepared = lengths.prepare(graph, policy, "sort.prepare")?;
    let histograms = if sizes.is_separate { parts.max } else { 1 };
    let histogram = graph.transient::<u32>("sort.histogram", histograms * values);
    if !sizes.is_separate {
        fill(graph, policy, "sort.clear", histogram, 0)?;
    }
    let keys = single(buffers.keys.range(0, sort.key.array_bytes(n.max)), policy)?;
    let push = push_words! {
        count: prepared.pushed(n),
        parts: prepared.pushed(parts),
        part: sizes.part as u32,
        slices: sizes.slices as u32,
        descending: sort.descending.into(),
    };
    let constants = |threads: u32| {
        [
            ("local_size_x", threads),
            ("NARROW_BITS", sort.key.bits()),
            ("NARROW_KIND", sort.key.kind()),
            ("ROOM", sizes.slice_values),
            ("SEPARATE_HISTOGRAMS", sizes.is_separate.into()),
        ]
    };
    let pass = builtin_pass(graph, &SORT_COUNT, &constants(sizes.threads))?;
    let pass = pass.bind("keys", keys).push(&push);
    // The counting kernel adds to one histogram for all parts, but only writes separate ones.
    let pass = match sizes.is_separate {
        true => pass.scratch("histogram", histogram),
        false => pass.bind("histogram", histogram),
    };
    prepared.dispatch(prepared.bind(pass, keys), count_groups);
    let begins = match sort.key.bits() {
        8 => histogram,
        _ => {
            let begins = graph.transient::<u32>("sort.begins", values);
            exclusive_sum(graph, policy, histogram, begins, values)?;
            begins
        }
    };
    let push = push_words! {
        count: prepared.pushed(n),
        descending: sort.descending.into(),
        parts: prepared.pushed(parts),
    };
    let pass = builtin_pass(graph, &SORT_RUNS, &constants(policy.threads))?;
    let pass = pass.bind("keys", keys).bind("begins", begins).push(&push);
    prepared.dispatch(prepared.bind(pass, begins.into()), run_groups);
    Ok(added)
}

/// Shape of the histogram pass, with a workgroup size that the counting kernel supports.
fn shape(policy: &Policy) -> TileShape {
    let tuned = policy.sort.histogram(&policy.facts);
    let max_threads = MAX_THREADS / policy.facts.subgroup_size * policy.facts.subgroup_size;
    TileShape { threads: tuned.threads.min(max_threads), ..tuned }
}

/// Division of keys and values among workgroups.
struct Sizes {
    threads: u32,
    /// Number of keys per 16-byte load.
    vector_keys: u64,
    /// Number of keys that a workgroup counts (a part). A multiple of `vector_keys`.
    part: u64,
    /// Number of slices of the value range. Each slice has `slice_values` values.
    slices: u64,
    slice_values: u32,
    /// Whether each part has its own histogram.
    is_separate: bool,
}

impl Sizes {
    fn new(policy: &Policy, sort: &KeyedSort, n: u64, shape: TileShape) -> Self {
        Self::separate(sort, n, shape.threads)
            .unwrap_or_else(|| Self::shared(policy, sort, n, shape))
    }

    /// Sizes with separate histograms. `None` if keys have 16 bits, or if there are too many keys.
    fn separate(sort: &KeyedSort, n: u64, max_threads: u32) -> Option<Self> {
        let min_part = VECTOR_BYTES * u64::from(MIN_SEPARATE_THREADS);
        let part = n.div_ceil(MAX_SEPARATE).next_multiple_of(min_part);
        let max_part = LOADS * VECTOR_BYTES * u64::from(max_threads);
        (sort.key.bits() == 8 && part <= max_part).then_some(Self {
            // At most one vector per thread and load.
            threads: max_threads.min((part / VECTOR_BYTES) as u32),
            vector_keys: VECTOR_BYTES,
            part,
            slices: 1,
            slice_values: 256,
            is_separate: true,
        })
    }

    /// Sizes with one histogram for all parts.
    fn shared(policy: &Policy, sort: &KeyedSort, n: u64, shape: TileShape) -> Self {
        let vector_keys = VECTOR_BYTES / u64::from(sort.key.bytes());
        let values = 1u32 << sort.key.bits();
        // Number of 16-bit counters that fit in shared memory.
        let fit = policy.facts.shared_memory.saturating_sub(OTHER_SHARED) / 2;
        let slices = match sort.key.bits() {
            8 => 1,
            _ => values.div_ceil(fit.clamp(2, values)),
        };
        let slice_values = values.div_ceil(slices).next_multiple_of(2);
        let batch = LOADS * vector_keys * u64::from(shape.threads);
        // The batches of a part take at most a quarter of the loop limit, because the loops over all counters need
        // iterations too.
        let max_part = batch * u64::from(policy.facts.max_loop_rounds / 4).max(1);
        let groups = (policy.sort.histogram_groups / u64::from(slices)).max(1);
        let part = n.div_ceil(groups).next_multiple_of(batch).min(max_part);
        Self {
            threads: shape.threads,
            vector_keys,
            part,
            slices: slices.into(),
            slice_values,
            is_separate: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elements::key::KeyType;
    use crate::policy::test_policy;

    #[test]
    fn slices_cover_all_values_and_fit_in_shared_memory() {
        for shared_memory in [16 << 10, 32 << 10, 48 << 10, 228 << 10] {
            let policy =
                test_policy(32, 256).with_facts(|facts| facts.shared_memory = shared_memory);
            for key in [KeyType::U8, KeyType::I16] {
                for n in [1, 1000, 1 << 20, (1 << 30) - 1] {
                    let sort = KeyedSort::new(key);
                    let sizes = Sizes::new(&policy, &sort, n, shape(&policy));
                    assert!(sizes.slices * u64::from(sizes.slice_values) >= 1 << key.bits());
                    let word = if key.bits() == 8 { 4 } else { 2 };
                    assert!(sizes.slice_values * word + OTHER_SHARED <= shared_memory);
                    assert!(sizes.part.is_multiple_of(sizes.vector_keys) && sizes.part > 0);
                }
            }
        }
    }
}
