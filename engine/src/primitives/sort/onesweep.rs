//! The one-sweep radix sort: the histograms of all digits in one read, then one pass a digit.

use multisplit_graph::{Graph, View};
use multisplit_shaders::builtin::variants::{SORT_HISTOGRAM, SORT_ROUND};

use super::pass::{BUCKETS, Halves, Packed, SortPasses, Work, bind_halves, variant};
use super::{AddedSort, KeyedSort, SortBuffers, SortPlace, SortValues};
use crate::error::Result;
use crate::primitives::count::{Length, Lengths, Prepared};
use crate::primitives::memory::Filling;
use crate::primitives::multisplit::{BucketWords, SplitBy};
use crate::primitives::{Policy, fill};

/// Words before the tiles' in the status of a round: the ticket and its padding.
const STATUS_HEAD: u64 = 4;
/// Words of the largest offset alignment that Vulkan lets a device ask for.
const ALIGNMENT: u64 = 64;
/// A round that no sort has, and that is therefore never idle.
const NEVER_IDLE: u32 = 31;

pub(super) fn add(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
    added: AddedSort,
    packed: Option<Packed>,
) -> Result<()> {
    let (mut lengths, n) = Lengths::new(buffers.n)?;
    let rounds = u64::from(added.rounds);
    let tiles = lengths.some_parts(n, u64::from(added.shape.tile()))?;
    let part = part(policy, n.most);
    let parts = lengths.parts(n, part)?;
    // Which rounds are idle, the histograms, and the status of all rounds lie together, so that
    // one pass clears them.
    let row = u64::from(BUCKETS);
    let status_words = (STATUS_HEAD + tiles.most * row).next_multiple_of(ALIGNMENT);
    let home = ALIGNMENT + rounds * (row + status_words);
    let words = Length::known(home + ALIGNMENT);
    let clear = Filling::plan(policy, &mut lengths, words)?;
    let prepared = lengths.prepare(graph, policy, "sort.prepare")?;

    let scratch = graph.transient::<u32>("sort.status", words.most);
    clear.add(graph, policy, Prepared::default(), "sort.clear", scratch, 0)?;
    let idle = scratch.elements::<u32>(0, 1);
    let histograms = scratch.elements::<u32>(ALIGNMENT, rounds * row);
    let shape = added.shape;
    let mut job = SortPasses { graph, policy, sort, buffers, shape, n, prepared };
    histogram(&mut job, [histograms, idle], (parts, part), added.rounds, packed)?;
    let halves = Halves { packed, ..job.halves() };
    for (index, (shift, bits)) in sort.digits(super::DIGIT_BITS).enumerate() {
        let begin = ALIGNMENT + rounds * row + index as u64 * status_words;
        let status = scratch.elements::<u32>(begin, STATUS_HEAD + tiles.most * row);
        let (kind, digit) = job.digit(shift, bits)?;
        let idle_by_definition =
            if needs_copy_back(buffers, added.rounds) { added.rounds } else { 32 };
        let pair = with_other_round(&halves, buffers, added.rounds, index as u32);
        let always_idle = 1u32.checked_shl(idle_by_definition).unwrap_or(0);
        let by = SplitBy::Round { digit, pair, idle: always_idle };
        let round = Round { index: index as u32, kind, by, tiles };
        round.add(&mut job, [histograms, idle, status], &halves)?;
    }
    if needs_copy_back(buffers, added.rounds) {
        let status = scratch.elements::<u32>(home, STATUS_HEAD + 1);
        let pair = with_other_round(&halves, buffers, added.rounds, added.rounds);
        let round =
            Round { index: added.rounds, kind: 0, by: idle_round(pair, added.rounds), tiles };
        round.add(&mut job, [histograms, idle, status], &halves)?;
    }
    Ok(())
}

/// After an odd number of rounds the result is in the second half. One more, which is idle by
/// definition, brings it to the first.
fn needs_copy_back(buffers: &SortBuffers, rounds: u32) -> bool {
    matches!(buffers.place, SortPlace::InPlace) && rounds % 2 == 1
}

/// The bits of a round and of the one that undoes what it does to the place of the data: if both
/// are idle, neither does anything.
fn with_other_round(halves: &Halves, buffers: &SortBuffers, rounds: u32, round: u32) -> u32 {
    let other = round ^ 1;
    let exists = other < rounds || (other == rounds && needs_copy_back(buffers, rounds));
    // Somebody has to write the numbers of the elements, and words of narrow keys, though all are where
    // they belong.
    let made = matches!(buffers.values, SortValues::Indices(_)) || halves.packed.is_some();
    let counts = round < 2 && made;
    let other = if exists && !counts { other } else { NEVER_IDLE };
    1 << round | 1 << other
}

/// What a round goes by that is idle by definition, and only moves the data.
fn idle_round(pair: u32, round: u32) -> SplitBy {
    SplitBy::Round { digit: BucketWords::default(), pair, idle: 1 << round }
}

/// One round: a split by a digit, from one half to the other.
struct Round {
    index: u32,
    kind: u32,
    by: SplitBy,
    tiles: Length,
}

impl Round {
    fn add(
        self,
        job: &mut SortPasses<'_>,
        [histograms, idle, status]: [View; 3],
        halves: &Halves,
    ) -> Result<()> {
        let (sort, buffers, prepared) = (job.sort, job.buffers, job.prepared);
        let (n, tiles) = (job.n.most, self.tiles);
        let work = Work { subproblems: tiles, parts: 1, round: self.index, by: self.by };
        let counted = self.index == 0 && matches!(buffers.values, SortValues::Indices(_));
        let packed = Packed::constants(halves.packed.filter(|_| self.index == 0));
        let constants = [("BUCKET_KIND", self.kind), ("COUNTED_VALUES", u32::from(counted))];
        let constants = [&constants[..], &packed].concat();
        let pass =
            job.pass("sort.round", variant(buffers.values, SORT_ROUND), &work, &constants)?;
        let pass = pass.bind("histogram", histograms).bind("idle", idle).bind("status", status);
        let pass = bind_halves(pass, (sort, buffers.values, n), halves, self.index);
        prepared.dispatch(prepared.bind(pass, histograms), tiles);
        Ok(())
    }
}

/// Keys of one workgroup of the histogram: a thread takes no more of them than loops have rounds.
fn part(policy: &Policy, n: u64) -> u64 {
    let shape = policy.sort.histogram(policy);
    let least = u64::from(shape.threads * shape.items);
    let most = u64::from(policy.split.max_loop_rounds) * u64::from(shape.threads) / least * least;
    let share = n.div_ceil(policy.sort.histogram_groups).next_multiple_of(least);
    share.min(most.max(least))
}

fn histogram(
    job: &mut SortPasses<'_>,
    [histograms, idle]: [View; 2],
    (parts, part): (Length, u64),
    rounds: u32,
    packed: Option<Packed>,
) -> Result<()> {
    let tuned = job.policy.sort.histogram(job.policy);
    let keys = match packed {
        Some(packed) => packed.view(job.n.most),
        None => job.buffers.keys.range(0, job.n.most * u64::from(job.sort.key.bytes())),
    };
    let by = job.all_digits();
    let tiles = (part / u64::from(tuned.threads * tuned.items)) as u32;
    let work = Work { subproblems: parts, parts: tiles, round: 0, by };
    let sizes = [("local_size_x", tuned.threads), ("ITEMS", tuned.items), ("ROUNDS", rounds)];
    let sizes = [&sizes[..], &Packed::constants(packed)].concat();
    let prepared = job.prepared;
    let pass = job.pass("sort.histogram", SORT_HISTOGRAM, &work, &sizes)?;
    let pass = pass.bind("keys", keys).bind("histogram", histograms).bind("idle", idle);
    prepared.dispatch(prepared.bind(pass, keys), parts);
    Ok(())
}

/// Brings the result of an odd number of rounds of another method from the second half to the
/// first.
pub(super) fn copy_back(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
    halves: &Halves,
) -> Result<()> {
    let (mut lengths, n) = Lengths::new(buffers.n)?;
    let pairs = !matches!(buffers.values, SortValues::None);
    let shape = policy.sort.shape(policy, sort.key, pairs, n.most);
    let tiles = lengths.some_parts(n, u64::from(shape.tile()))?;
    let prepared = lengths.prepare(graph, policy, "sort.prepare")?;
    let words = graph.transient::<u32>("sort.status", 2 * ALIGNMENT);
    fill(graph, policy, "sort.clear", words, 0)?;
    let (idle, status) =
        (words.elements::<u32>(0, 4), words.elements::<u32>(ALIGNMENT, STATUS_HEAD + 1));
    let mut job = SortPasses { graph, policy, sort, buffers, shape, n, prepared };
    let round = Round { index: 1, kind: 0, by: idle_round(1 << 1 | 1 << NEVER_IDLE, 1), tiles };
    round.add(&mut job, [idle, idle, status], halves)
}
