//! Multisplit, compared byte for byte with a stable split on the CPU. Outputs lie between guard
//! words. Cases combine method, outputs, number of buckets, input size and distribution.

use multisplit::operations::split::{Method, Ranking, SplitTuning, ValuesAfter};
use multisplit_tests::generate::Distribution;
use multisplit_tests::prelude::*;

tests!(multisplit:
    combinations_of_options_match_the_cpu, random_splits_match_the_cpu;
    in turn: two_buckets_match_the_cpu, look_back_without_polling_matches_the_cpu,
    split_histogram_takes_at_most_2_percent_of_the_input, empty_split_gives_zero_offsets,
    invalid_tile_shapes_are_rejected, wide_values_in_several_tiles_match_the_cpu
);

pub const METHODS: [Method; 6] = Method::ALL;
const BUCKETS: [u32; 13] = [1, 2, 3, 8, 10, 31, 32, 33, 64, 100, 128, 255, 256];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Keys,
    Pairs,
    Permutation,
}
pub const KINDS: [Kind; 3] = [Kind::Keys, Kind::Pairs, Kind::Permutation];

const VALUES_AFTER: [ValuesAfter; 3] =
    [ValuesAfter::Loading, ValuesAfter::Ranking, ValuesAfter::Ordering];

/// The arrays of a split of 32-bit keys with 32-bit values.
pub struct Arrays<'a> {
    given: [&'a [u32]; 2],
    keys: Buffer,
    values: Buffer,
    out: Buffer,
    values_out: Buffer,
    offsets: Buffer,
}

impl<'a> Arrays<'a> {
    /// Imports keys, values and outputs for `m` buckets.
    pub fn new(setup: &mut Setup<'_>, keys: &'a [u32], values: &'a [u32], m: u32) -> Self {
        Self {
            given: [keys, values],
            keys: setup.input("keys", keys),
            values: setup.input("values", values),
            out: setup.output::<u32>("out", keys.len()),
            values_out: setup.output::<u32>("values.out", keys.len()),
            offsets: setup.output::<u32>("offsets", m as usize + 1),
        }
    }

    pub fn buffers(&self, kind: Kind) -> SplitBuffers {
        let Self { keys, values, out, values_out, offsets, .. } = *self;
        match kind {
            Kind::Keys => SplitBuffers::keys(keys, out, offsets),
            Kind::Pairs => SplitBuffers::pairs((keys, values), (out, values_out), offsets),
            Kind::Permutation => SplitBuffers::permutation(keys, out, offsets),
        }
    }

    /// Compares the result of a split of the first `n` keys with the CPU reference.
    pub fn check(
        &self,
        setup: &Setup<'_>,
        kind: Kind,
        (n, m): (usize, u32),
        bucket_of: impl Fn(u32) -> u32,
    ) -> Result<()> {
        let [keys, values] = self.given;
        let (order, offsets) = reference::split(n, m, |i| bucket_of(keys[i]).min(m - 1));
        setup.expect(self.offsets, &offsets)?;
        let (moved, payload) = match kind {
            Kind::Keys => (reference::pick(keys, &order), Vec::new()),
            Kind::Pairs => (reference::pick(keys, &order), reference::pick(values, &order)),
            Kind::Permutation => (reference::places(&order), Vec::new()),
        };
        setup.expect(self.out, &moved)?;
        setup.expect(self.values_out, &payload)?;
        setup.expect_unchanged(self.keys).context("the input has changed")
    }
}

/// Splits 32-bit keys with 32-bit values and compares the result with the CPU reference.
pub fn check(
    gpu: &Gpu,
    policy: &Policy,
    buckets: &Buckets<u32>,
    kind: Kind,
    keys: &[u32],
    bucket_of: impl Fn(u32) -> u32,
) -> Result<()> {
    let (n, m) = (keys.len(), buckets.count());
    let value_of = |i: u32| i.wrapping_mul(0x9E37_79B9) ^ 0x55;
    let values: Vec<u32> = (0..n as u32).map(value_of).collect();
    let mut setup = Setup::new(gpu, "split");
    let arrays = Arrays::new(&mut setup, keys, &values, m);
    split(&mut setup.graph, policy, buckets, &arrays.buffers(kind).count(n as u64))?;
    setup.run()?;
    arrays.check(&setup, kind, (n, m), bucket_of)
}

/// Runs one case with delta buckets over the whole range of u32.
pub fn case(
    gpu: &Gpu,
    policy: &Policy,
    method: Method,
    kind: Kind,
    m: u32,
    n: usize,
    distribution: Distribution,
) -> Result<()> {
    let width = (1u64 << 32).div_ceil(u64::from(m));
    let keys = distribution.keys(n, m, (n as u64) << 9 | u64::from(m));
    let buckets = Buckets::delta_over_domain(m).method(method);
    check(gpu, policy, &buckets, kind, &keys, |key| (u64::from(key) / width) as u32)
        .with_context(|| format!("{method:?}, {kind:?}, m = {m}, n = {n}, {distribution:?}"))
}

/// Input sizes around the tile of a block-level split.
pub fn sizes(gpu: &Gpu, full: bool) -> Vec<usize> {
    let policy = gpu.policy();
    let shape = policy.split.block_keys[0];
    let tile = (shape.threads * shape.items) as usize;
    let subgroup = policy.facts.subgroup_size as usize;
    let mut sizes = vec![0, 1, subgroup - 1, tile - 1, tile, tile + 1, 3 * tile + 7];
    if full {
        sizes.push(gpu.large_length());
    }
    sizes
}

fn combinations_of_options_match_the_cpu(gpu: &Gpu) -> Result<()> {
    if gpu.full { all_combinations(gpu) } else { sampled_combinations(gpu) }
}

/// Takes the sample from at most one case for each bucket count and method; the other parameters
/// alternate.
fn sampled_combinations(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let sizes = sizes(gpu, false);
    let mut turn = 0usize;
    for (row, &m) in BUCKETS.iter().enumerate() {
        for (column, method) in METHODS.into_iter().enumerate() {
            // The passes of these methods hardly depend on the bucket count, so a third of the
            // counts suffices.
            if matches!(method, Method::ScanSplit | Method::ReducedBitSort)
                && (row + column) % 3 != 1
            {
                continue;
            }
            let n = sizes[(row + column * 2) % sizes.len()];
            let kind = KINDS[(row + column) % KINDS.len()];
            let distribution = Distribution::ALL[(turn + row) % Distribution::ALL.len()];
            gpu.case(|| case(gpu, &policy, method, kind, m, n, distribution))?;
            turn += 1;
        }
    }
    let large = [
        (Method::Block, Kind::Keys, 10, Distribution::Uniform),
        (Method::OneSweep, Kind::Pairs, 256, Distribution::Binomial),
    ];
    for (method, kind, m, distribution) in large.into_iter().filter(|_| gpu.mine()) {
        case(gpu, &policy, method, kind, m, (1 << 20) + 3, distribution)?;
    }
    Ok(())
}

fn all_combinations(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    for (m, (method, kind)) in pairs(&BUCKETS, &pairs(&METHODS, &KINDS)) {
        for (n, distribution) in pairs(&sizes(gpu, true), &Distribution::ALL) {
            gpu.case(|| case(gpu, &policy, method, kind, m, n, distribution))?;
        }
    }
    Ok(())
}

fn random_shape(rng: &mut Rng, threads: u32) -> TileShape {
    let turns = 1 + rng.below(3) as u32;
    TileShape::new(threads, turns * (1 + rng.below(9 / u64::from(turns)) as u32)).in_turns(turns)
}

fn random_splits_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut rng = Rng::new(99);
    let base = gpu.probed_policy()?;
    let ranking = [Ranking::Ballots, base.split.ranking];
    for _ in 0..if gpu.full { 400 } else { 16 } {
        let mut policy = base;
        let threads = base.facts.subgroup_size << rng.below(4);
        policy.split = policy.split.with_shape(random_shape(&mut rng, threads));
        policy.split.max_buckets_by_ballots = [0, 256][rng.below(2) as usize];
        policy.split.ranking = ranking[rng.below(2) as usize];
        policy.split.counter_copies = 1 + rng.below(3) as u32;
        policy.split.histogram_parts = 1 + rng.below(3) as u32;
        policy.split.side_by_side = 1 + rng.below(4) as u32;
        policy.spin_limit = rng.below(3) as u32;
        policy.look_back_tiles = 1 + rng.below(5) as u32;
        policy.split.values_after = [VALUES_AFTER[rng.below(3) as usize]; 8];
        let (method, kind) = (METHODS[rng.below(6) as usize], KINDS[rng.below(3) as usize]);
        let max_buckets = if rng.below(4) == 0 { 65_536 } else { 256 };
        let (m, n) = (1 + rng.below(max_buckets) as u32, rng.below(20_000) as usize);
        let distribution = Distribution::ALL[rng.below(6) as usize];
        gpu.case(|| {
            case(gpu, &policy, method, kind, m, n, distribution)
                .with_context(|| format!("{:?}", policy.split))
        })?;
    }
    Ok(())
}

fn invalid_tile_shapes_are_rejected(gpu: &Gpu) -> Result<()> {
    type Change = fn(&mut SplitTuning);
    let shapes = [
        TileShape::new(0, 4),
        TileShape::new(128, 0),
        TileShape::new(128, 8).in_turns(3),
        TileShape::new(128, 8).in_turns(0),
        TileShape::new(128, 8).in_turns(8),
        TileShape::new(256, 256),
    ];
    let with_invalid = |change: Change| {
        let mut policy = gpu.policy();
        change(&mut policy.split);
        case(gpu, &policy, Method::OneSweep, Kind::Keys, 8, 100, Distribution::Uniform)
    };
    let invalid: [(&str, Change); 3] = [
        ("0 histogram parts", |tuning| tuning.histogram_parts = 0),
        ("0 counter copies", |tuning| tuning.counter_copies = 0),
        ("a `min_keys` of u32::MAX", |tuning| tuning.min_keys = u32::MAX),
    ];
    for (what, change) in invalid {
        ensure!(with_invalid(change).is_err(), "accepted: {what}");
    }
    with_invalid(|tuning| tuning.min_keys = 1 << 24)?;
    for shape in shapes {
        let mut policy = gpu.policy();
        policy.split = policy.split.with_shape(shape);
        let result = case(gpu, &policy, Method::Block, Kind::Keys, 8, 100, Distribution::Uniform);
        let error = result.map_err(|error| format!("{error:#}"));
        expect_message(error, "`split.warp`").with_context(|| format!("{shape:?}"))?;
    }
    // Workgroups smaller than a subgroup, and larger than the device supports: both are clamped.
    for (threads, items) in [(1, 4), (3, 2), (5000, 4)] {
        let mut policy = gpu.policy();
        policy.split = policy.split.with_shape(TileShape::new(threads, items));
        for method in gpu.cases([Method::Block, Method::Warp, Method::Direct]) {
            case(gpu, &policy, method, Kind::Pairs, 8, 1000, Distribution::Uniform).with_context(
                || format!("{method:?}, {threads} threads, {items} keys per thread"),
            )?;
        }
    }
    Ok(())
}

/// With a spin limit of 0, workgroups recount predecessor tiles instead of polling for them.
fn look_back_without_polling_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    for (m, look_back_tiles) in gpu.cases([(2, 4), (33, 1), (256, 3)]) {
        let policy = Policy { spin_limit: 0, look_back_tiles, ..gpu.policy() };
        case(gpu, &policy, Method::OneSweep, Kind::Pairs, m, 100_000, Distribution::Uniform)?;
    }
    Ok(())
}

/// The split has 256 buckets.
fn split_histogram_takes_at_most_2_percent_of_the_input(gpu: &Gpu) -> Result<()> {
    let n = 1u64 << 24;
    let mut graph = Graph::new("split");
    let keys = graph.import::<u32>("keys", n);
    let out = graph.import::<u32>("out", n);
    let offsets = graph.import::<u32>("offsets", 257);
    let buckets = Buckets::<u32>::delta_over_domain(256).method(Method::Block);
    let buffers = SplitBuffers::keys(keys, out, offsets);
    split(&mut graph, &gpu.policy(), &buckets, &buffers)?;
    let plan = graph.compile(&gpu.limits())?;
    let histogram = plan.buffers().iter().find(|b| b.name == "multisplit.histogram");
    let bytes = histogram.context("the plan has no histogram buffer")?.size;
    ensure!(bytes * 50 <= n * 4, "the histogram takes {bytes} bytes for {} bytes of input", n * 4);
    Ok(())
}

fn empty_split_gives_zero_offsets(gpu: &Gpu) -> Result<()> {
    let buckets = Buckets::delta_over_domain(7);
    let result = gpu.split(&[0u32; 0], buckets.clone())?;
    expect_equal(&result.offsets, &[0; 8])?;
    ensure!(result.keys.is_empty());
    let values = uniform(100, 1);
    let result = gpu.split_pairs(&uniform(100, 2), &values, buckets)?;
    ensure!(result.offsets[7] == 100 && result.values.len() == 100);
    Ok(())
}

/// Each workgroup processes several tiles, the last of them partial. Values of 8 bytes are moved by
/// indices in shared memory.
fn wide_values_in_several_tiles_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let base = gpu.probed_policy()?;
    let size = base.facts.subgroup_size;
    let shapes = [(2, 1), (4, 2), (4, 1)];
    for ((subgroups, turns), m) in shapes.into_iter().zip([98, 213, 3]) {
        let (n, mut policy) = (7300 + 27 * m as usize, base);
        policy.split = policy.split.with_shape(TileShape::new(subgroups * size, 8).in_turns(turns));
        policy.split.max_buckets_direct = 0; // split labels by the block method
        policy.split.min_keys = 4096;
        for ranking in [Ranking::Ballots, base.split.ranking].into_iter().filter(|_| gpu.mine()) {
            policy.split.ranking = ranking;
            let (method, kind) = (Method::ReducedBitSort, Kind::Pairs);
            case(gpu, &policy, method, kind, m, n, Distribution::Binomial)
                .with_context(|| format!("{subgroups} subgroups, {turns} turns, {ranking:?}"))?;
        }
    }
    Ok(())
}

/// Splits with every kind of output. A workgroup counts one subproblem or several side by side, and
/// processes a tile in one or several turns. Pairs are also split by a reduced-bit sort, which
/// moves values of 8 bytes.
fn two_buckets_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let base = gpu.policy();
    let shapes = [(2, 4, 1), (1, 6, 2), (3, 2, 2), (4, 3, 1)];
    for ((subgroups, items, turns), side_by_side) in shapes.into_iter().zip(1..) {
        let mut policy = base;
        let shape = TileShape::new(subgroups * base.facts.subgroup_size, items).in_turns(turns);
        policy.split = policy.split.with_shape(shape);
        policy.split.side_by_side = side_by_side;
        policy.split.max_buckets_direct = 0;
        policy.split.min_keys = 300;
        let wide = (Method::ReducedBitSort, Kind::Pairs);
        for (method, kind) in KINDS.map(|kind| (Method::Block, kind)).into_iter().chain([wide]) {
            let sizes = [(2, 10_007), (1, 1 + 257 * subgroups as usize)];
            for (m, n) in sizes.into_iter().filter(|_| gpu.mine()) {
                case(gpu, &policy, method, kind, m, n, Distribution::Uniform)
                    .with_context(|| format!("{side_by_side} side by side"))?;
            }
        }
        let buckets = Buckets::delta_over_domain(2).method(Method::Block);
        let sorted = Distribution::Sorted.keys(5_003, 2, 7);
        gpu.case(|| check(gpu, &policy, &buckets, Kind::Pairs, &sorted, |key| key >> 31))?;
    }
    Ok(())
}
