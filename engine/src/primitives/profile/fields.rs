//! Which sizes a profile holds, and under which names: those of the policy that cost time and nothing
//! else. What the device has, and what kernels may rely on, is not for a profile to say.

use super::value::Value;
use crate::primitives::Policy;

/// One size, or a list of them.
pub(super) struct Field {
    /// Its name in a profile: that of the policy's field.
    pub name: &'static str,
    /// Whether each ranking has one of its own.
    pub of_ranking: bool,
    pub text: fn(&Policy) -> String,
    pub read: fn(&mut Policy, &str) -> Result<(), String>,
    /// Takes it from another policy.
    #[cfg(feature = "tuning")]
    pub copy: fn(&mut Policy, &Policy),
}

macro_rules! fields {
    ($($name:literal, $of_ranking:literal, $($path:ident).+;)*) => {
        &[$(Field {
            name: $name,
            of_ranking: $of_ranking,
            text: |policy| policy.$($path).+.text(),
            read: |policy, text| {
                policy.$($path).+ = Value::read(text)?;
                Ok(())
            },
            #[cfg(feature = "tuning")]
            copy: |to, from| to.$($path).+ = from.$($path).+,
        }),*]
    };
}

/// Every one, in the order in which they are written.
pub(super) const FIELDS: &[Field] = fields! {
    "sort.keys", true, sort.keys;
    "sort.pairs", true, sort.pairs;
    "sort.wide_keys", true, sort.wide_keys;
    "sort.small", true, sort.small;
    "split.block_keys", true, split.block_keys;
    "split.labelled_keys", true, split.labelled_keys;
    "split.block_pairs", true, split.block_pairs;
    "split.onesweep", true, split.onesweep;
    "split.values_after", true, split.values_after;
    "split.block_strips", true, split.block_strips;
    "split.labelled_strips", true, split.labelled_strips;
    "sort.auto", false, sort.auto;
    "sort.rounds", false, sort.rounds;
    "sort.histogram", false, sort.histogram;
    "sort.histogram_groups", false, sort.histogram_groups;
    "sort.few_keys", false, sort.few_keys;
    "sort.few_keys_groups", false, sort.few_keys_groups;
    "sort.few_keys_look_back", false, sort.few_keys_look_back;
    "sort.min_counting", false, sort.min_counting;
    "split.warp", false, split.warp;
    "split.min_keys", false, split.min_keys;
    "split.side_by_side", false, split.side_by_side;
    "split.min_buckets_labelled", false, split.min_buckets_labelled;
    "split.histogram_parts", false, split.histogram_parts;
    "split.max_buckets_by_ballots", false, split.max_buckets_by_ballots;
    "split.counter_copies", false, split.counter_copies;
    "split.max_buckets_direct", false, split.max_buckets_direct;
    "split.label_user_buckets", false, split.label_user_buckets;
    "histogram.threads", false, histogram.threads;
    "histogram.loads", false, histogram.loads;
    "histogram.tiles", false, histogram.tiles;
    "histogram.min_groups", false, histogram.min_groups;
    "histogram.copies", false, histogram.copies;
    "histogram.copies_bytes", false, histogram.copies_bytes;
    "histogram.max_bins_by_ballots", false, histogram.max_bins_by_ballots;
    "histogram.max_passes", false, histogram.max_passes;
    "histogram.register_bins", false, histogram.register_bins;
    "histogram.cells_per_bin", false, histogram.cells_per_bin;
    "histogram.cells", false, histogram.cells;
    "histogram.lookup_threads", false, histogram.lookup_threads;
    "scan", false, scan;
    "threads", false, threads;
    "select_threads", false, select_threads;
    "by_key_threads", false, by_key_threads;
    "segment_chunk", false, segment_chunk;
    "subgroup_takers", false, subgroup_takers;
    "spine_threads", false, spine_threads;
    "spine_tiles", false, spine_tiles;
    "single_group_tiles", false, single_group_tiles;
    "spin_limit", false, spin_limit;
    "tickets", false, tickets;
    "look_back_tiles", false, look_back_tiles;
};
