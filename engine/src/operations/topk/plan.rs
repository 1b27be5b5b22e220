//! Selects the method of a top-k and the sizes of its passes.

use super::description::{TopK, TopKMethod};
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::shared::check_limit;
use crate::policy::Policy;

/// The input of a top-k: key type, rows, row length, and k.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub key: KeyType,
    pub rows: u64,
    pub length: u64,
    pub k: u64,
}

/// Shared memory for variables other than the elements that a workgroup sorts, in bytes: histogram bins and subgroup
/// sums.
const OTHER_SHARED: u64 = 3 << 10;
/// Number of bytes that a thread loads at a time in passes over the whole array. Must match `topk_visit.glsl`.
const THREAD_BYTES: u64 = 64;
/// Number of samples per thread. Must match the kernel.
const SAMPLES_OF_THREAD: u64 = 16;
/// One in this many elements is a sample, up to the maximum number of samples.
const SAMPLE_INTERVAL: u64 = 16;
/// Target number of elements per thread, if one workgroup processes a row. With more elements, the workgroup gets
/// more threads.
const ROW_ROUNDS: u64 = 8;
const MIN_THREADS: u64 = 64;
/// Approximate minimum number of elements of a part of a row.
const MIN_PART: u64 = 1024;

impl Shape {
    /// Maximum number of elements that one workgroup sorts: a power of two.
    pub fn max_sorted(&self, policy: &Policy) -> u64 {
        let element = u64::from(self.key.bytes()) + 4;
        let fit = u64::from(policy.facts.shared_memory).saturating_sub(OTHER_SHARED) / element;
        (fit / 2 + 1).next_power_of_two()
    }

    /// Size of a workgroup that makes several passes over `items` elements.
    pub fn group_threads(&self, policy: &Policy, items: u64) -> u32 {
        let size = policy.facts.subgroup_size;
        let threads = items.div_ceil(ROW_ROUNDS).max(MIN_THREADS).next_power_of_two();
        let threads = threads.next_multiple_of(u64::from(size));
        threads.min(u64::from(policy.spine_threads)) as u32
    }

    /// Elements per tile in passes over the whole array.
    fn tile(&self, policy: &Policy) -> u64 {
        THREAD_BYTES / u64::from(self.key.bytes()) * u64::from(policy.threads)
    }

    fn tiles(&self, policy: &Policy) -> u64 {
        self.length.div_ceil(self.tile(policy)).max(1)
    }

    /// Divides a row into parts. The parts are about as large as the total number of candidates of all parts, because
    /// one workgroup processes these too. The row is not divided if it is short, if there are many rows, or if more
    /// than half of its elements would become candidates.
    pub fn cut(&self, policy: &Policy) -> Cut {
        let max_part = policy.topk.part_elements;
        let undivided = Cut { parts: 1, part_len: self.length, candidates: self.k };
        if self.has_undivided_rows(policy) || max_part == 0 {
            return undivided;
        }
        let balanced = self.length.saturating_mul(self.k).isqrt().next_power_of_two();
        // All parts except the last have the same size, as in the kernel.
        let parts = self.length.div_ceil(balanced.clamp(MIN_PART.min(max_part), max_part));
        let part_len = self.length.div_ceil(parts);
        let candidates = parts * part_len.min(self.k);
        if candidates > self.length / 2 { undivided } else { Cut { parts, part_len, candidates } }
    }

    /// Whether each row is processed by a single workgroup, because the rows are short or because there are many.
    fn has_undivided_rows(&self, policy: &Policy) -> bool {
        let preferred =
            self.length <= policy.topk.row_elements || self.rows >= policy.topk.many_rows;
        preferred && self.length <= max_group_elements(policy)
    }

    /// Whether [`TopKMethod::Rows`] is suitable: each workgroup has few enough elements, whether it processes a row,
    /// a part, or the candidates of all parts.
    fn suits_rows(&self, policy: &Policy) -> bool {
        let Cut { parts, part_len, candidates } = self.cut(policy);
        let max_elements = policy.topk.part_elements.min(max_group_elements(policy));
        self.has_undivided_rows(policy) || parts > 1 && part_len.max(candidates) <= max_elements
    }

    /// Number of workgroups per row of the filter.
    pub fn filter_parts(&self, policy: &Policy) -> u64 {
        let tuning = &policy.topk;
        let tiles = self.tiles(policy);
        let each = (tiles.saturating_mul(self.rows) / tuning.groups).clamp(1, tuning.filter_tiles);
        tiles.div_ceil(each.min(max_pass_rounds(policy)))
    }

    /// Number of workgroups per row of the exact passes. Each workgroup loops over all histogram bins at its start
    /// and at its end.
    pub fn select_parts(&self, policy: &Policy) -> u64 {
        self.parts_of_row(policy, policy.topk.groups)
    }

    /// Number of workgroups per row of the exact passes after a filter: just enough to reach the memory bandwidth.
    /// Usually the filter has finished all rows, so launching the workgroups takes most of the time.
    pub fn fallback_parts(&self, policy: &Policy) -> u64 {
        self.parts_of_row(policy, policy.topk.groups / 4)
    }

    /// Number of workgroups per row, for a target of `groups` workgroups in total.
    fn parts_of_row(&self, policy: &Policy, groups: u64) -> u64 {
        let tiles = self.tiles(policy);
        (groups / self.rows).clamp(tiles.div_ceil(max_pass_rounds(policy)), tiles)
    }
}

/// Maximum number of loop iterations that a workgroup may take for one pass over its elements; also the maximum
/// number of tiles per workgroup. A kernel takes at most 18 such passes, mainly one for each digit of keys and indices.
fn max_pass_rounds(policy: &Policy) -> u64 {
    u64::from(policy.facts.max_loop_rounds) / 32
}

/// Maximum number of elements from which one workgroup may select on its own.
fn max_group_elements(policy: &Policy) -> u64 {
    max_pass_rounds(policy) * ROW_ROUNDS * u64::from(policy.spine_threads)
}

/// Division of a row into parts. One workgroup per part selects the k largest elements as candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub parts: u64,
    /// Elements per part.
    pub part_len: u64,
    /// Maximum number of candidates per row.
    pub candidates: u64,
}

/// Sizes of the passes that estimate a threshold and apply it, for each row.
#[derive(Clone, Copy, Debug)]
pub(super) struct FilterSizes {
    /// Number of workgroups that read samples.
    pub parts: u64,
    pub samples: u64,
    /// Number of samples per group. The estimate uses only the maximum of each group.
    pub group_elements: u64,
    /// Number of groups of samples.
    pub maxima: u64,
    /// Maximum number of candidates.
    pub capacity: u64,
}

impl FilterSizes {
    pub fn new(policy: &Policy, shape: &Shape) -> Self {
        let tuning = &policy.topk;
        let part = SAMPLES_OF_THREAD * u64::from(policy.threads);
        let parts = ((shape.length / SAMPLE_INTERVAL).min(tuning.samples) / part).max(1);
        let samples = parts * part;
        let maxima = tuning.maxima.min(max_group_elements(policy));
        let mut group_elements = 1;
        while samples / group_elements > maxima && part.is_multiple_of(2 * group_elements) {
            group_elements *= 2;
        }
        // The expression in parentheses is the rank of the threshold among the samples, as in `threshold.comp`. The
        // capacity is about twice the expected number of candidates.
        let sampled = samples as f64 / shape.length.max(1) as f64;
        let expected = shape.k as f64 * sampled;
        let candidates = (expected + 6.0 * expected.sqrt() + 16.0) / sampled;
        let max_capacity = shape.length.max(shape.k);
        let capacity = (2 * candidates as u64).next_multiple_of(256).clamp(shape.k, max_capacity);
        Self { parts, samples, group_elements, maxima: samples / group_elements, capacity }
    }

    /// Whether the device's loop limit allows one workgroup to process all maxima of a row in the threshold pass, and
    /// one workgroup to process all candidates of a row in the last pass.
    fn fits(&self, policy: &Policy) -> bool {
        self.maxima.max(self.capacity) <= max_group_elements(policy)
    }
}

/// Selects the method. If the device's loop limit is too low for the preferred method, selects `Select`.
pub(super) fn choose(policy: &Policy, topk: &TopK, shape: &Shape) -> Result<TopKMethod> {
    let method = preferred(policy, topk, shape)?;
    let cut = shape.cut(policy);
    let fits = match method {
        TopKMethod::Rows => cut.part_len.max(cut.candidates) <= max_group_elements(policy),
        TopKMethod::Filter => FilterSizes::new(policy, shape).fits(policy),
        _ => return Ok(method),
    };
    // Approximate number of loop iterations of a bitonic sort by one workgroup.
    let size = shape.k.max(1).next_power_of_two();
    let steps = u64::from(size.ilog2()).pow(2);
    let sorts = (size / u64::from(policy.spine_threads)).saturating_mul(steps);
    let fits = fits && (!topk.sorted || sorts <= policy.facts.max_loop_rounds.into());
    Ok(if fits { method } else { TopKMethod::Select })
}

/// Returns the requested method, or the one that `Auto` prefers, regardless of the device's loop limit.
fn preferred(policy: &Policy, topk: &TopK, shape: &Shape) -> Result<TopKMethod> {
    let max_sorted = shape.max_sorted(policy);
    match topk.method {
        TopKMethod::Auto if shape.k > max_sorted => return Ok(TopKMethod::Select),
        TopKMethod::Auto if shape.suits_rows(policy) => return Ok(TopKMethod::Rows),
        TopKMethod::Auto => return Ok(TopKMethod::Filter),
        TopKMethod::Rows | TopKMethod::Filter => {
            check_limit(
                "k for TopKMethod::Rows or TopKMethod::Filter on this device",
                shape.k,
                max_sorted,
            )?;
        }
        TopKMethod::Select => {}
    }
    Ok(topk.method)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::test_policy;

    fn shape(length: u64, k: u64) -> Shape {
        Shape { key: KeyType::F32, rows: 1, length, k }
    }

    #[test]
    fn elements_sorted_by_a_workgroup_fit_in_shared_memory() {
        for shared_memory in [8 << 10, 16 << 10, 32 << 10, 48 << 10] {
            let policy =
                test_policy(32, 1024).with_facts(|facts| facts.shared_memory = shared_memory);
            for key in KeyType::WIDE {
                let max_sorted = Shape { key, ..shape(1, 1) }.max_sorted(&policy);
                assert!(max_sorted.is_power_of_two());
                let bytes = max_sorted * (u64::from(key.bytes()) + 4) + OTHER_SHARED;
                assert!(
                    bytes <= u64::from(shared_memory),
                    "{max_sorted} {key} keys need {bytes} of {shared_memory} bytes"
                );
            }
        }
    }

    #[test]
    fn long_rows_are_divided_into_parts_that_fit_workgroups() {
        let mut policy = test_policy(32, 1024);
        (policy.topk.row_elements, policy.topk.part_elements) = (1 << 14, 1 << 14);
        let cut = |length, k| shape(length, k).cut(&policy);
        assert_eq!(cut(1 << 16, 32), Cut { parts: 32, part_len: 2048, candidates: 1024 });
        assert_eq!(cut(1 << 16, 1024), Cut { parts: 8, part_len: 8192, candidates: 8192 });
        assert_eq!(cut((1 << 16) + 1, 1024).candidates, 9 * 1024);
        // Rows are not divided if one workgroup can process a whole row, or if most elements would become candidates.
        for (length, k) in [(1 << 14, 32), (20_000, 15_000)] {
            assert_eq!(cut(length, k), Cut { parts: 1, part_len: length, candidates: k });
        }
        // The parts cover the row, and no part is empty.
        for (length, k) in [(16_385, 1), (70_001, 250), (1 << 20, 100), ((1 << 24) - 1, 4000)] {
            let Cut { parts, part_len, candidates } = cut(length, k);
            assert!(parts > 1 && (parts - 1) * part_len < length && parts * part_len >= length);
            assert!(part_len <= 1 << 14 && candidates <= length / 2);
        }
        assert!(shape(1 << 18, 1024).suits_rows(&policy));
        assert!(!shape(1 << 20, 1024).suits_rows(&policy));
    }

    #[test]
    fn elements_per_workgroup_stay_within_the_loop_limit() {
        let policy = test_policy(4, 256).with_facts(|facts| facts.max_loop_rounds = 16_384);
        let mut policy = Policy { spine_threads: 4, threads: 4, ..policy };
        (policy.topk.row_elements, policy.topk.groups) = (u64::MAX, 1);
        let long = shape(3_000_000, 300);
        let auto = TopK::largest(300);
        assert_eq!(choose(&policy, &auto, &shape(16_000, 300)).ok(), Some(TopKMethod::Rows));
        assert_ne!(choose(&policy, &auto, &long).ok(), Some(TopKMethod::Rows));
        let rows = TopK::largest(300).method(TopKMethod::Rows);
        assert_eq!(choose(&policy, &rows, &long).ok(), Some(TopKMethod::Select));
        for parts in [long.filter_parts(&policy), long.select_parts(&policy)] {
            let tiles = long.tiles(&policy).div_ceil(parts);
            assert!(
                tiles <= 512,
                "{tiles} tiles per workgroup with {parts} parts, not at most 512"
            );
        }
        policy.topk.samples = 1;
        let filter = TopK::largest(300).method(TopKMethod::Filter);
        assert_eq!(choose(&policy, &filter, &long).ok(), Some(TopKMethod::Select));
    }

    #[test]
    fn filter_capacity_is_a_small_share_of_the_row() {
        let policy = test_policy(32, 1024);
        for (length, k, max_capacity) in [(1 << 28, 1024, 20_000), (200_000, 2048, 9_000)] {
            let sizes = FilterSizes::new(&policy, &shape(length, k));
            let expected = k..max_capacity;
            assert!(expected.contains(&sizes.capacity), "capacity not in {expected:?}: {sizes:?}");
            assert!(sizes.maxima <= 8192, "more than 8192 maxima: {sizes:?}");
            assert_eq!(sizes.maxima * sizes.group_elements, sizes.samples);
        }
    }

    #[test]
    fn rows_never_have_more_workgroups_than_tiles() {
        let policy = test_policy(32, 1024);
        for length in [1, 4095, 4096, 4097, 1 << 20, 1 << 29] {
            let shape = shape(length, 1);
            let tiles = shape.tiles(&policy);
            assert!((1..=tiles).contains(&shape.filter_parts(&policy)));
            assert!((1..=tiles).contains(&shape.select_parts(&policy)));
        }
    }
}
