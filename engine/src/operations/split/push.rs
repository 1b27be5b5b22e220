//! Push constants of the split and sort kernels, as declared in `multisplit.glsl`, `sort_round.glsl` and `digits.glsl`.
//! All kernels receive the words of [`SplitPush`]; further words depend on [`SplitBy`].

use bytemuck::{Pod, Zeroable};
use multisplit_graph::PassBuilder;

use crate::operations::shared::push_words;

/// Push constants that all of these kernels share.
#[derive(Clone, Copy)]
pub(in crate::operations) struct SplitPush {
    pub count: u32,
    pub buckets: u32,
    pub ids: u32,
    pub part_shift: u32,
    pub subproblems: u32,
    pub parts: u32,
    pub round: u32,
}

/// Parameters of a built-in bucket function, in the order of the push constants. Each function uses the words
/// differently; see the table in `bucket.glsl`.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(in crate::operations) struct BucketWords {
    pub shift_or_min: u32,
    pub min_high: u32,
    pub width_or_scale: u32,
    pub mask_or_width_high: u32,
    pub flip_or_reciprocal: u32,
}

/// Function that determines the bucket of a key.
#[derive(Clone, Copy)]
pub(in crate::operations) enum SplitBy {
    /// A built-in bucket function. Ignored by kernels that only move elements.
    Bucket(BucketWords),
    /// A user's function, with its parameters.
    #[cfg(feature = "glsl")]
    Function([u32; 3]),
    /// One digit, for a round of a sort. The round is a no-op if all keys have the same digit. `pair` is the bit mask
    /// of this round and of the round that moves the elements back; except in small sorts, both are skipped if both are
    /// no-ops. `noop_rounds` is the bit mask of rounds that are always no-ops.
    Round { digit: BucketWords, pair: u32, noop_rounds: u32 },
    /// All digits of a sort.
    Digits { first_bit: u32, bit_count: u32, descending: bool },
}

impl SplitPush {
    /// Adds the push constants for `by` to the pass.
    pub fn push(self, pass: PassBuilder<'_>, by: SplitBy) -> PassBuilder<'_> {
        let Self { count, buckets, ids, part_shift, subproblems, parts, round } = self;
        match by {
            SplitBy::Bucket(words) => pass.push(&push_words! {
                count, buckets, ids, part_shift, subproblems, parts,
                shift_or_min: words.shift_or_min,
                min_high: words.min_high,
                width_or_scale: words.width_or_scale,
                mask_or_width_high: words.mask_or_width_high,
                flip_or_reciprocal: words.flip_or_reciprocal,
                round,
            }),
            #[cfg(feature = "glsl")]
            SplitBy::Function([parameter_0, parameter_1, parameter_2]) => pass.push(&push_words! {
                count, buckets, ids, part_shift, subproblems, parts,
                parameter_0, parameter_1, parameter_2,
                round,
            }),
            SplitBy::Round { digit, pair, noop_rounds } => pass.push(&push_words! {
                count, buckets, ids, part_shift, subproblems, parts,
                shift_or_min: digit.shift_or_min,
                min_high: 0,
                width_or_scale: 0,
                mask_or_width_high: digit.mask_or_width_high,
                flip_or_reciprocal: digit.flip_or_reciprocal,
                round,
                round_pair: pair,
                noop_rounds,
            }),
            SplitBy::Digits { first_bit, bit_count, descending } => pass.push(&push_words! {
                count, buckets, ids, part_shift, subproblems, parts,
                first_bit,
                bit_count,
                descending: u32::from(descending),
                round,
            }),
        }
    }
}
