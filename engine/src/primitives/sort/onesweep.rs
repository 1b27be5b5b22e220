//! The one-sweep radix sort: the histograms of all digits in one read, then one pass a digit.

use multisplit_graph::{Graph, Groups, View};
use multisplit_shaders::builtin as kernels;

use super::pass::{BUCKETS, Halves, Job, Kernels, Work, bind_halves, variant};
use super::{AddedSort, Sort, SortBuffers, SortPlace};
use crate::error::Result;
use crate::primitives::count::{Length, Lengths, Prepared};
use crate::primitives::memory::Filling;
use crate::primitives::{Policy, fill};

const HISTOGRAM: Kernels = [&kernels::SORT_HISTOGRAM, &kernels::SORT_HISTOGRAM_KEY64];
const ROUND: [Kernels; 2] = [
    [&kernels::SORT_ROUND_KEYS, &kernels::SORT_ROUND_KEYS_KEY64],
    [&kernels::SORT_ROUND_PAIRS, &kernels::SORT_ROUND_PAIRS_KEY64],
];
const SETTLE: [Kernels; 2] = [
    [&kernels::SORT_SETTLE_KEYS, &kernels::SORT_SETTLE_KEYS_KEY64],
    [&kernels::SORT_SETTLE_PAIRS, &kernels::SORT_SETTLE_PAIRS_KEY64],
];

/// Words before the strips' in the status of a round: the ticket and its padding.
const STATUS_HEAD: u64 = 4;
/// Words of the largest offset alignment that Vulkan lets a device ask for.
const ALIGNMENT: u64 = 64;
/// Workgroups that bring the result home where it is in the wrong half.
const SETTLERS: u64 = 1024;

pub(super) fn add(
    graph: &mut Graph,
    policy: &Policy,
    sort: &Sort,
    buffers: &SortBuffers,
    added: AddedSort,
) -> Result<()> {
    let (mut lengths, n) = Lengths::new(buffers.n)?;
    let rounds = u64::from(added.rounds);
    let strip = u64::from(added.shape.tile() * added.shape.strip);
    let strips = lengths.some_parts(n, strip)?;
    let part = part(policy, n.most);
    let parts = lengths.parts(n, part)?;
    // The histograms and the status of all rounds lie together, so that one pass clears them.
    let row = u64::from(BUCKETS);
    let status_words = (STATUS_HEAD + strips.most * row).next_multiple_of(ALIGNMENT);
    // A sort by no bits has none of them, and still a binding for them.
    let words = Length::known((rounds * (row + status_words)).max(row));
    let clear = Filling::plan(policy, &mut lengths, words)?;
    let prepared = lengths.prepare(graph, policy, "sort.prepare")?;

    let scratch = graph.transient::<u32>("sort.status", words.most);
    clear.add(graph, policy, Prepared::default(), "sort.clear", scratch, 0)?;
    let histograms = scratch.elements::<u32>(0, (rounds * row).max(row));
    let shape = added.shape;
    let mut job = Job { graph, policy, sort, buffers, shape, n, prepared };
    if rounds > 0 {
        histogram(&mut job, histograms, parts, part, added.rounds)?;
    }
    let halves = job.halves();
    for (index, (shift, bits)) in sort.digits(super::DIGIT_BITS).enumerate() {
        let begin = rounds * row + index as u64 * status_words;
        let status = scratch.elements::<u32>(begin, STATUS_HEAD + strips.most * row);
        let (kind, parameters) = job.digit(shift, bits)?;
        let work =
            Work { subproblems: strips, parts: shape.strip, round: index as u32, parameters };
        let round = variant(buffers.values, ROUND);
        let pass = job.pass("sort.round", round, &work, &[("BUCKET_KIND", kind)])?;
        let pass = pass.bind("histogram", histograms).bind("status", status);
        let pass = pass.bind("table", histograms);
        let all = (sort, buffers.values, n.most);
        let pass = prepared.bind(bind_halves(pass, all, &halves, index > 0), histograms);
        prepared.dispatch(pass, strips);
    }
    settle(&mut job, histograms, &halves, added.rounds)
}

/// Keys of one workgroup of the histogram.
fn part(policy: &Policy, n: u64) -> u64 {
    let least = u64::from(policy.sort.histogram.threads * policy.sort.histogram.items);
    n.div_ceil(policy.sort.histogram_groups).next_multiple_of(least)
}

fn histogram(
    job: &mut Job<'_>,
    histograms: View,
    parts: Length,
    part: u64,
    rounds: u32,
) -> Result<()> {
    let tuned = job.policy.sort.histogram;
    let keys = job.buffers.keys.range(0, job.n.most * u64::from(job.sort.key.bytes()));
    let parameters = job.all_digits();
    let tiles = (part / u64::from(tuned.threads * tuned.items)) as u32;
    let work = Work { subproblems: parts, parts: tiles, round: 0, parameters };
    let sizes = [("local_size_x", tuned.threads), ("ITEMS", tuned.items), ("ROUNDS", rounds)];
    let prepared = job.prepared;
    let pass = job.pass("sort.histogram", HISTOGRAM, &work, &sizes)?;
    let pass = pass.bind("keys", keys).bind("histogram", histograms);
    prepared.dispatch(prepared.bind(pass, keys), parts);
    Ok(())
}

/// Where rounds were left out, the result may be in the wrong half.
fn settle(job: &mut Job<'_>, histograms: View, halves: &Halves, rounds: u32) -> Result<()> {
    let (sort, values, n, prepared) = (job.sort, job.buffers.values, job.n, job.prepared);
    let (home, half) = match job.buffers.place {
        SortPlace::InPlace => (1, None),
        SortPlace::DoubleBuffer { half, .. } => (0, Some(half.elements::<u32>(0, 1))),
    };
    let half = half.unwrap_or_else(|| job.graph.transient::<u32>("sort.half", 1).into());
    let threads = job.policy.threads;
    let groups = n.most.div_ceil(u64::from(threads)).clamp(1, SETTLERS);
    let work = Work { subproblems: n, parts: 1, round: rounds, parameters: [0; 5] };
    let sizes = [("local_size_x", threads), ("BRING_HOME", home)];
    let pass = job.pass("sort.settle", variant(values, SETTLE), &work, &sizes)?;
    let pass = pass.bind("histogram", histograms).bind("half_of_result", half);
    let pass = bind_halves(pass, (sort, values, n.most), halves, rounds > 0);
    prepared.bind(pass, histograms).dispatch(Groups::linear(groups));
    Ok(())
}

/// Brings a result from the second half to the first, for rounds that were never left out.
pub(super) fn bring_home(
    graph: &mut Graph,
    policy: &Policy,
    sort: &Sort,
    buffers: &SortBuffers,
    halves: &Halves,
) -> Result<()> {
    // Of one round, none of whose digits has all elements, unless there are none.
    let row = u64::from(BUCKETS);
    let histogram = graph.transient::<u32>("sort.histogram", row);
    fill(graph, policy, "sort.clear", histogram, 0)?;
    let (lengths, n) = Lengths::new(buffers.n)?;
    let prepared = lengths.prepare(graph, policy, "sort.prepare")?;
    let shape = super::SortShape::new(policy.threads, 1, 1);
    let mut job = Job { graph, policy, sort, buffers, shape, n, prepared };
    settle(&mut job, histogram.into(), halves, 1)
}
