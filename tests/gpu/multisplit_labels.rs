//! Splits by labels: the bucket of each key is stored as a label, so that an expensive bucket
//! function is evaluated once per key. The default policy of software drivers uses no labels.

use multisplit::operations::split::{Method, Ranking, ValuesAfter};
use multisplit_tests::prelude::*;

use crate::multisplit_cases::{KINDS, Kind, check};

tests!(multisplit:
    labelled_range_splits_match_the_cpu;
    in turn: labelled_splits_with_random_tile_sizes_match_the_cpu,
    labelled_glsl_functions_match_the_cpu, labelled_splits_of_64_bit_keys_match_the_cpu,
    labelled_splits_of_several_rounds_match_the_cpu, labelled_out_of_range_ids_are_counted_once,
    labels_take_one_byte_per_key
);

const BUCKETS: [u32; 12] = [1, 2, 3, 8, 31, 32, 33, 64, 65, 128, 255, 256];

/// A policy with small tiles that uses labels for any number of buckets.
fn labelling(base: &Policy, shape: TileShape) -> Policy {
    let mut policy = *base;
    policy.split = policy.split.with_shape(shape);
    policy.split.min_buckets_labelled = 1;
    policy.split.min_keys = 2 * shape.tile();
    policy.split.labelled_strips = [0; 8];
    policy
}

/// `m - 1` sorted splitters; some are equal to keys, and some to each other.
fn splitters(keys: &[u32], m: u32) -> Vec<u32> {
    let mut splitters: Vec<u32> =
        (1..m as usize).map(|k| keys.get(k - k % 5 / 4).copied().unwrap_or(k as u32)).collect();
    splitters.sort_unstable();
    splitters
}

fn range_case(gpu: &Gpu, policy: &Policy, kind: Kind, m: u32, keys: &[u32]) -> Result<()> {
    let splitters = splitters(keys, m);
    let buckets = Buckets::range(&splitters).method(Method::Block);
    check(gpu, policy, &buckets, kind, keys, |key| splitters.partition_point(|&s| s <= key) as u32)
        .with_context(|| format!("{kind:?}, m = {m}, n = {}, {:?}", keys.len(), policy.split))
}

/// Keys in seven clusters, so that most buckets are empty.
fn crowded(n: usize, seed: u64) -> Vec<u32> {
    uniform(n, seed).into_iter().map(|key| (key % 7) << 29 | key & 3).collect()
}

fn labelled_range_splits_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let base = gpu.probed_policy()?;
    // A word holds several labels. The keys per thread fill whole words of labels for only some of
    // these tile shapes.
    let shapes = [(2, 4, 1), (3, 6, 2), (4, 5, 1), (1, 9, 3)];
    for (number, m) in BUCKETS.into_iter().enumerate() {
        let kinds = if gpu.full { &KINDS[..] } else { &KINDS[number % 3..][..1] };
        for (turn, &kind) in kinds.iter().enumerate() {
            let (subgroups, items, turns) = shapes[(number + turn) % 4];
            let shape = TileShape::new(subgroups * base.facts.subgroup_size, items).in_turns(turns);
            let mut policy = labelling(&base, shape);
            let rankings = [Ranking::Ballots, base.split.ranking];
            policy.split.ranking = rankings[number % 2];
            let tile = shape.tile() as usize;
            for n in [1, tile - 1, tile, 2 * tile + 1, 9 * tile + 5] {
                gpu.case(|| range_case(gpu, &policy, kind, m, &uniform(n, u64::from(m))))?;
            }
            gpu.case(|| range_case(gpu, &policy, kind, m, &crowded(9 * tile + 5, 3)))?;
        }
    }
    Ok(())
}

fn labelled_splits_with_random_tile_sizes_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let (base, mut rng) = (gpu.probed_policy()?, Rng::new(7));
    let after = [ValuesAfter::Loading, ValuesAfter::Ranking, ValuesAfter::Ordering];
    let (cases, max) = if gpu.full { (200, 8) } else { (6, 4) };
    for _ in 0..cases {
        let (turns, each) = (1 + rng.below(4) as u32, 1 + rng.below(max) as u32);
        let threads = base.facts.subgroup_size << rng.below(4);
        let shape = TileShape::new(threads, turns * each).in_turns(turns);
        let mut policy = labelling(&base, shape);
        policy.split.counter_copies = 1 + rng.below(3) as u32;
        policy.split.values_after = [after[rng.below(3) as usize]; 8];
        policy.split.ranking = [Ranking::Ballots, base.split.ranking][rng.below(2) as usize];
        let (kind, m) = (KINDS[rng.below(3) as usize], 1 + rng.below(256) as u32);
        let keys = uniform(1 + rng.below(20_000) as usize, rng.next_u64());
        gpu.case(|| range_case(gpu, &policy, kind, m, &keys))?;
    }
    Ok(())
}

fn labelled_glsl_functions_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let base = gpu.probed_policy()?;
    let shape = TileShape::new(2 * base.facts.subgroup_size, 6);
    let source = "uint bucket_of(uint key) { return table.at[key % 1000u] % push.parameter_0; }";
    let words = uniform(1000, 5);
    for (m, kind) in [2, 37, 256].into_iter().zip(KINDS).filter(|_| gpu.mine()) {
        let function = Glsl::new(source).table(&words).parameters([m, 0, 0]);
        let buckets = Buckets::glsl(m, function).method(Method::Block);
        let policy = labelling(&base, shape);
        let keys = uniform(5003, 6);
        check(gpu, &policy, &buckets, kind, &keys, |key| words[key as usize % 1000] % m)?;
    }
    Ok(())
}

/// The 64-bit keys have values of 8 or 16 bytes. Device counts include zero, one, the capacity, and
/// a number above it.
fn labelled_splits_of_64_bit_keys_match_the_cpu(gpu: &Gpu) -> Result<()> {
    for m in [20, 200, 3].into_iter().filter(|_| gpu.mine()) {
        gpu.run_or_refuse(|| wide_case::<2>(gpu, m))?;
    }
    for m in [200, 20].into_iter().filter(|_| gpu.mine()) {
        gpu.run_or_refuse(|| wide_case::<4>(gpu, m))?;
    }
    Ok(())
}

fn wide_case<const WORDS: usize>(gpu: &Gpu, m: u32) -> Result<()>
where
    [u32; WORDS]: multisplit::Value,
{
    const MAX: usize = 12_001;
    let (base, mut rng) = (gpu.policy(), Rng::new(m.into()));
    let policy = labelling(&base, TileShape::new(2 * base.facts.subgroup_size, 6).in_turns(2));
    let keys: Vec<u64> = (0..MAX).map(|_| rng.next_u64() >> rng.below(40)).collect();
    let values: Vec<[u32; WORDS]> = (0..MAX as u32).map(|i| [i; WORDS]).collect();
    let mut splitters = keys[..m as usize - 1].to_vec();
    splitters.sort_unstable();
    let mut setup = Setup::new(gpu, "wide");
    let from = (setup.input("keys", &keys), setup.input("values", &values));
    let keys_out = setup.output::<u64>("keys.out", MAX);
    let values_out = setup.output::<[u32; WORDS]>("values.out", MAX);
    let offsets = setup.output::<u32>("offsets", m as usize + 1);
    let count = setup.count(true, 0, MAX);
    let buffers = SplitBuffers::pairs(from, (keys_out, values_out), offsets).count(count);
    let buckets = Buckets::range(&splitters).method(Method::Block);
    let added = split(&mut setup.graph, &policy, &buckets, &buffers)?;
    ensure!(added.sizes.labels, "the split uses no labels: {added:?}");
    let executable = setup.executable()?;
    for number in [MAX as u32, 0, 1, 1234, u32::MAX] {
        setup.set_count(count, number)?;
        setup.run_on(&executable)?;
        let bucket_of = |i: usize| splitters.partition_point(|s| *s <= keys[i]) as u32;
        let (order, expected) = reference::split(MAX.min(number as usize), m, bucket_of);
        setup.expect(offsets, &expected)?;
        setup.expect(keys_out, &reference::pick(&keys, &order))?;
        setup.expect(values_out, &reference::pick(&values, &order))?;
    }
    Ok(())
}

/// There are more buckets than one round supports, so each round uses some bits of the label. With
/// so many buckets, the splitters are not kept in shared memory.
fn labelled_splits_of_several_rounds_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let base = gpu.policy();
    let policy = labelling(&base, TileShape::new(2 * base.facts.subgroup_size, 6));
    range_case(gpu, &policy, Kind::Pairs, 1000, &uniform(9001, 1))
}

/// Each out-of-range id is counted once, and padding is not counted.
fn labelled_out_of_range_ids_are_counted_once(gpu: &Gpu) -> Result<()> {
    let base = gpu.policy();
    let policy = labelling(&base, TileShape::new(2 * base.facts.subgroup_size, 5));
    let keys: Vec<u32> = (0..4001).collect();
    let wild = Buckets::<u32>::glsl(10, "uint bucket_of(uint key) { return key % 17u; }");
    let wild = wild.method(Method::Block);
    let mut setup = Setup::new(gpu, "out of range");
    let (keys_in, out) = (setup.input("keys", &keys), setup.output::<u32>("out", keys.len()));
    let [offsets, outside] =
        [("offsets", 11), ("outside", 1)].map(|(name, len)| setup.output::<u32>(name, len));
    let buffers = SplitBuffers::keys(keys_in, out, offsets).out_of_range(outside);
    split(&mut setup.graph, &policy, &wild, &buffers)?;
    setup.run()?;
    let expected = keys.iter().filter(|&&key| key % 17 >= 10).count() as u32;
    setup.expect(outside, &[expected])?;
    // Keys of out-of-range buckets are in the last bucket.
    check(gpu, &policy, &wild, Kind::Pairs, &keys, |key| key % 17)
}

/// Labels take one byte per key if the number of keys per thread fills whole words. Cheap bucket
/// functions use no labels.
fn labels_take_one_byte_per_key(gpu: &Gpu) -> Result<()> {
    let base = gpu.policy();
    let policy = labelling(&base, TileShape::new(4 * base.facts.subgroup_size, 8));
    let n = 1u64 << 22;
    let labels_of = |policy: &Policy, buckets: &Buckets<u32>| -> Result<Option<u64>> {
        let mut graph = Graph::new("split");
        let (keys, out) = (graph.import::<u32>("keys", n), graph.import::<u32>("out", n));
        let offsets = graph.import::<u32>("offsets", 257);
        split(&mut graph, policy, buckets, &SplitBuffers::keys(keys, out, offsets))?;
        let plan = graph.compile(&gpu.limits())?;
        let labels = plan.buffers().iter().find(|b| b.name == "multisplit.labels");
        Ok(labels.map(|labels| labels.size))
    };
    let splitters: Vec<u32> = (1..100).collect();
    let range = Buckets::range(&splitters).method(Method::Block);
    let bytes = labels_of(&policy, &range)?.context("the plan has no labels")?;
    ensure!(
        (n..n + n / 100).contains(&bytes),
        "the labels take {bytes} bytes for {n} keys, expected one byte per key and at most 1% more"
    );
    let delta = Buckets::delta_over_domain(100).method(Method::Block);
    ensure!(labels_of(&policy, &delta)?.is_none(), "delta buckets are stored as labels");
    let by_warps = range.clone().method(Method::Warp);
    ensure!(labels_of(&policy, &by_warps)?.is_none(), "the warp method uses labels");
    let mut none = policy;
    none.split.min_buckets_labelled = 101;
    ensure!(labels_of(&none, &range)?.is_none(), "labels are used below the minimum bucket count");
    Ok(())
}
