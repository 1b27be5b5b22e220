//! One-sweep radix sort: one pass computes the histograms of all digits, then one pass per digit moves the elements.
//!
//! Before these, another pass clears the histograms (to which workgroups add with atomics) and the look-back status of
//! all rounds. Small sorts do not need it: each workgroup of their histogram pass writes a histogram of its own and
//! clears part of the status, and the rounds add up the histograms.

use multisplit_graph::View;
use multisplit_shaders::builtin::variants::{SORT_HISTOGRAM, SORT_ROUND, SORT_ROUND_PACKING};

use super::description::{DIGIT_BITS, SortBuffers};
use super::parameters::{BUCKETS, Halves, Packed, SortPasses, Work, variant};
use crate::error::Result;
use crate::operations::shared::{ALIGNMENT, Length, LookBack, LookBackCost, WORD, fill};
use crate::operations::split::{BucketWords, SplitBy};
use crate::policy::Policy;
use crate::policy::tile::TileShape;

/// Number of words that precede the tile states of a round: the ticket counter and its padding.
const STATUS_HEAD: u64 = 4;
/// Alignment of views, in words.
const ALIGNED_WORDS: u64 = ALIGNMENT / WORD;
/// Number of words per store of the kernel that clears the status.
const VECTOR: u64 = 4;
/// Number of keys that a thread of the histogram pass reads at a time in a small sort.
const SMALL_SORT_ITEMS: u32 = 4;
/// Index of a round that does not exist. It is never a no-op, so a real round that is paired with it is never skipped.
const NEVER_SKIPPED: u32 = 31;

pub(super) fn add(passes: &mut SortPasses<'_>, rounds: u32, packed: Option<Packed>) -> Result<()> {
    let (policy, buffers) = (passes.policy, passes.buffers);
    let (tiles, small, parts, part) = passes.prepare(|passes, lengths, n| {
        let tiles = lengths.at_least_one_part(n, u64::from(passes.shape.tile()))?;
        let small = small_sort(policy, n.max, (tiles.max, passes.shape), rounds.into());
        let part = small.map_or_else(|| part(policy, n.max), |small| small.part);
        let parts = match small {
            None => lengths.parts(n, part)?,
            Some(small) => Length::known(small.parts.into()),
        };
        Ok((tiles, small, parts, part))
    })?;
    // All words that must be cleared are in one buffer.
    let layout = Layout::new(small, tiles.max, rounds.into());
    let scratch = passes.graph.transient::<u32>("sort.status", layout.words());
    if small.is_none() {
        fill(passes.graph, policy, "sort.clear", scratch, 0)?;
    }
    let words = |(begin, count): (u64, u64)| scratch.elements::<u32>(begin, count);
    let noop_flags = words((0, layout.noop_words));
    let histograms = words((layout.histograms_begin, layout.histograms));
    let all_status = words(layout.cleared_by_histogram(small));
    let first = Histogram { parts, part, small, rounds, packed };
    first.add(passes, [histograms, noop_flags, all_status])?;
    let mut halves = passes.halves();
    halves.packed = packed;
    halves.packing = packed.filter(|keys| keys.packs_last(rounds)).map(|_| rounds - 1);
    let copies_back = needs_copy_back(buffers, rounds);
    let noop_rounds = if copies_back { 1 << rounds } else { 0 };
    for (index, (shift, bits)) in (0..).zip(passes.sort.digits(DIGIT_BITS)) {
        let begin = layout.status_begin + u64::from(index) * layout.status;
        let (kind, digit) = passes.digit(shift, bits)?;
        let pair = round_pair(&halves, buffers, rounds, index);
        let by = SplitBy::Round { digit, pair, noop_rounds };
        let status = words((begin, status_words(tiles.max)));
        let round = Round { index, kind, by, tiles, small };
        round.add(passes, [histograms, noop_flags, status], &halves)?;
    }
    if copies_back {
        let status = words((layout.copy_back_begin(), STATUS_HEAD + 1));
        let by = copy_round(round_pair(&halves, buffers, rounds, rounds), rounds);
        let round = Round { index: rounds, kind: 0, by, tiles, small };
        round.add(passes, [histograms, noop_flags, status], &halves)?;
    }
    Ok(())
}

/// Parameters of a small sort.
#[derive(Clone, Copy)]
struct SmallSort {
    /// Number of workgroups of the histogram pass.
    parts: u32,
    /// Maximum number of keys per workgroup of the histogram pass.
    part: u64,
    /// Number of tile states that a look-back reads at a time.
    look_back: u32,
    settings: LookBack,
}

/// Parameters of a small sort. `None` if there are too many keys, if the histogram pass would exceed the loop limit or
/// the maximum size of a binding, or if the look-back would exceed the loop limit.
fn small_sort(
    policy: &Policy,
    n: u64,
    (tiles, shape): (u64, TileShape),
    rounds: u64,
) -> Option<SmallSort> {
    let tuned = &policy.sort;
    let (parts, look_back) = (tuned.few_keys_groups, tuned.few_keys_look_back);
    let threads = u64::from(tuned.histogram(&policy.facts).threads);
    let batch = threads * u64::from(SMALL_SORT_ITEMS);
    let part = n.div_ceil(parts.into()).next_multiple_of(batch);
    let cost = LookBackCost::of_buckets(BUCKETS, shape, 1, parts.into());
    let small = SmallSort { parts, part, look_back, settings: policy.look_back(tiles, cost)? };
    let status = Layout::new(Some(small), tiles, rounds).cleared_by_histogram(Some(small)).1;
    let stores = (status / VECTOR).div_ceil(threads * u64::from(parts));
    let loops = u64::from(policy.facts.max_loop_rounds);
    let bounded = part / threads + stores <= loops && status * 4 <= policy.facts.max_storage_range;
    (n <= tuned.few_keys && bounded).then_some(small)
}

/// Number of status words of one round.
fn status_words(tiles: u64) -> u64 {
    STATUS_HEAD + tiles * u64::from(BUCKETS)
}

/// Layout of the words that the passes share: no-op flags (for rounds in which all keys have the same digit),
/// histograms, the look-back status of each round, and the status of the copy back.
struct Layout {
    noop_words: u64,
    histograms_begin: u64,
    histograms: u64,
    status_begin: u64,
    /// Status words of one round, including padding.
    status: u64,
    rounds: u64,
}

impl Layout {
    fn new(small: Option<SmallSort>, tiles: u64, rounds: u64) -> Self {
        let parts = small.map_or(0, |small| u64::from(small.parts));
        // One word with a bit per round. In a small sort, one word per round and workgroup of the histogram pass.
        let noop_words = if small.is_some() { rounds * parts } else { 1 };
        let histograms_begin = noop_words.next_multiple_of(ALIGNED_WORDS);
        let histograms = rounds * u64::from(BUCKETS) * parts.max(1);
        let status_begin = histograms_begin + histograms;
        let status = status_words(tiles).next_multiple_of(ALIGNED_WORDS);
        Self { noop_words, histograms_begin, histograms, status_begin, status, rounds }
    }

    /// Start of the status of the copy back.
    fn copy_back_begin(&self) -> u64 {
        self.status_begin + self.rounds * self.status
    }

    fn words(&self) -> u64 {
        self.copy_back_begin() + ALIGNED_WORDS
    }

    /// Start and length of the words that the histogram pass clears. If the sort is not small, the pass does not
    /// clear any words, and the range is a placeholder, because a binding cannot be empty.
    fn cleared_by_histogram(&self, small: Option<SmallSort>) -> (u64, u64) {
        let words = if small.is_some() { self.words() - self.status_begin } else { VECTOR };
        (self.status_begin, words)
    }
}

/// Whether an additional round must copy the result from the second half to the first. This is the case after an odd
/// number of rounds, unless the caller accepts the result in the other buffers.
pub(super) fn needs_copy_back(buffers: &SortBuffers, rounds: u32) -> bool {
    buffers.other.is_none() && rounds % 2 == 1
}

/// Bit mask of a round and of its partner, which moves the elements in the opposite direction. If all keys have the
/// same digit in both rounds, both are skipped and the elements stay in place, except in small sorts.
fn round_pair(halves: &Halves, buffers: &SortBuffers, rounds: u32, round: u32) -> u32 {
    let other = round ^ 1;
    let exists = other < rounds || (other == rounds && needs_copy_back(buffers, rounds));
    // If the first round generates indices, or words from packed keys, neither the first round nor its partner may be
    // skipped, even if no key moves.
    let generates = buffers.values.are_indices() || halves.packed.is_some();
    let other = if exists && !(round < 2 && generates) { other } else { NEVER_SKIPPED };
    1 << round | 1 << other
}

/// Parameters of a round that only copies the elements.
fn copy_round(pair: u32, round: u32) -> SplitBy {
    SplitBy::Round { digit: BucketWords::default(), pair, noop_rounds: 1 << round }
}

/// One round: a split by one digit, from one half to the other.
struct Round {
    index: u32,
    kind: u32,
    by: SplitBy,
    tiles: Length,
    small: Option<SmallSort>,
}

impl Round {
    fn add(
        self,
        passes: &mut SortPasses<'_>,
        [histograms, noop_flags, status]: [View; 3],
        halves: &Halves,
    ) -> Result<()> {
        let (values, prepared, tiles) = (passes.buffers.values, passes.prepared, self.tiles);
        let work = Work { subproblems: tiles, parts: 1, round: self.index, by: self.by };
        let counted = self.index == 0 && values.are_indices();
        let packs = halves.packing == Some(self.index);
        let packed = Packed::constants(halves.packed.filter(|_| self.index == 0 || packs));
        let constants = [("BUCKET_KIND", self.kind), ("COUNTED_VALUES", u32::from(counted))];
        let mut constants = [&constants[..], &packed].concat();
        if let Some(small) = self.small {
            constants
                .extend([("HISTOGRAM_PARTS", small.parts), ("TILES_AT_A_TIME", small.look_back)]);
            constants.extend(small.settings.constants());
        }
        let kernels = if packs { SORT_ROUND_PACKING.map(|kernel| [kernel; 2]) } else { SORT_ROUND };
        let pass = passes.pass("sort.round", variant(values, kernels), &work, &constants)?;
        let pass = pass
            .bind("histogram", histograms)
            .bind("noop_flags", noop_flags)
            .bind("status", status);
        prepared.dispatch(prepared.bind(halves.bind(pass, self.index), histograms), tiles);
        Ok(())
    }
}

/// Number of keys per workgroup of the histogram pass, within the loop limit of the device.
fn part(policy: &Policy, n: u64) -> u64 {
    let shape = policy.sort.histogram(&policy.facts);
    let tile = u64::from(shape.threads * shape.items);
    let max_part = u64::from(policy.facts.max_loop_rounds) * u64::from(shape.threads) / tile * tile;
    let part = n.div_ceil(policy.sort.histogram_groups).next_multiple_of(tile);
    part.min(max_part.max(tile))
}

/// Parameters of the histogram pass.
struct Histogram {
    parts: Length,
    /// Number of keys per workgroup.
    part: u64,
    small: Option<SmallSort>,
    rounds: u32,
    packed: Option<Packed>,
}

impl Histogram {
    /// Adds the pass. In a small sort, the pass also clears `status`.
    fn add(
        self,
        passes: &mut SortPasses<'_>,
        [histograms, noop_flags, status]: [View; 3],
    ) -> Result<()> {
        let tuned = passes.policy.sort.histogram(&passes.policy.facts);
        let keys = self.packed.map_or_else(|| passes.keys(), |packed| packed.view(passes.n.max));
        let by = passes.all_digits();
        let items = if self.small.is_some() { SMALL_SORT_ITEMS } else { tuned.items };
        let tiles = (self.part / u64::from(tuned.threads * items)) as u32;
        // The cast is lossless, because the status fits in one binding.
        let cleared = self.small.map_or(0, |_| (status.size / 4 / VECTOR) as u32);
        let work = Work { subproblems: self.parts, parts: tiles, round: cleared, by };
        let sizes = [
            ("local_size_x", tuned.threads),
            ("ITEMS", items),
            ("ROUNDS", self.rounds),
            ("HISTOGRAM_PARTS", self.small.map_or(0, |small| small.parts)),
        ];
        let sizes = [&sizes[..], &Packed::constants(self.packed)].concat();
        let prepared = passes.prepared;
        let pass = passes.pass("sort.histogram", SORT_HISTOGRAM, &work, &sizes)?;
        let mut pass = pass.bind("keys", keys);
        for (name, view) in
            [("histogram", histograms), ("noop_flags", noop_flags), ("status", status)]
        {
            pass = match self.small {
                None => pass.bind(name, view),
                Some(_) => pass.scratch(name, view),
            };
        }
        prepared.dispatch(prepared.bind(pass, keys), self.parts);
        Ok(())
    }
}

/// Adds a round that copies the result of another method from the second half to the first. Needed if that method had
/// an odd number of rounds.
pub(super) fn copy_back(passes: &mut SortPasses<'_>, halves: &Halves) -> Result<()> {
    let tile = u64::from(passes.shape.tile());
    let tiles = passes.prepare(|_, lengths, n| lengths.at_least_one_part(n, tile))?;
    let words = passes.graph.transient::<u32>("sort.status", 2 * ALIGNED_WORDS);
    fill(passes.graph, passes.policy, "sort.clear", words, 0)?;
    let (noop_flags, status) =
        (words.elements::<u32>(0, 4), words.elements::<u32>(ALIGNED_WORDS, STATUS_HEAD + 1));
    let by = copy_round(1 << 1 | 1 << NEVER_SKIPPED, 1);
    let round = Round { index: 1, kind: 0, by, tiles, small: None };
    round.add(passes, [noop_flags, noop_flags, status], halves)
}
