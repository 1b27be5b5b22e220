//! Policies that are set at random: each gives right results or a typed error, and never a signal.

use anyhow::{Context as _, Result, bail, ensure};
use multisplit::graph::Graph;
use multisplit::network::{Direction, EdgeList, EdgeWeights, Network};
use multisplit::primitives::multisplit::{Method, TileShape, ValuesAfter};
use multisplit::primitives::sort::SortMethod;
use multisplit::primitives::sssp::SsspOptions;
use multisplit::primitives::{
    HistogramBuffers, ScanBuffers, ScanMethod, SegmentedReduceBuffers, SortBuffers, SplitBuffers,
    TopKBuffers, histogram, reduce_segments, scan, sort, split, topk,
};
use multisplit::{Bins, Buckets, Error, Operator, Policy, Scan, Sort, TopK};
use multisplit_tests::generate::Rng;
use multisplit_tests::harness::Gpu;
use multisplit_tests::{reference, tests};

tests!(policies: random_policies, random_edits_of_descriptions);

/// Any number, often one at an edge, often one that makes sense.
fn number(rng: &mut Rng) -> u32 {
    match rng.below(8) {
        0 => 0,
        1 => u32::MAX,
        2 => rng.below(1 << 32) as u32,
        3 => 1 << rng.below(32),
        4 | 5 => 4 << rng.below(9),
        _ => 1 + rng.below(40) as u32,
    }
}

fn pick<T: Copy>(rng: &mut Rng, choices: &[T]) -> T {
    choices[rng.below(choices.len() as u64) as usize]
}

fn shape(rng: &mut Rng) -> TileShape {
    let turns = if rng.below(4) == 0 { number(rng) } else { 1 + rng.below(3) as u32 };
    let (threads, items) = match rng.below(3) {
        0 => (number(rng), number(rng)),
        _ => (4 << rng.below(8), turns.saturating_mul(1 + rng.below(4) as u32)),
    };
    TileShape::new(threads, items).in_turns(turns)
}

const METHODS: [Method; 8] = [
    Method::Auto,
    Method::Direct,
    Method::Warp,
    Method::Block,
    Method::OneSweep,
    Method::ScanSplit,
    Method::ReducedBitSort,
    Method::FullSort,
];

/// Sets one size to anything.
fn edit(policy: &mut Policy, rng: &mut Rng) {
    let any = number(rng);
    match rng.below(58) {
        0 => policy.threads = any,
        1 => policy.spine_threads = any,
        2 => policy.spine_tiles = any,
        3 => policy.single_group_tiles = any,
        4 => policy.spin_limit = any,
        5 => policy.look_back_tiles = any,
        6 => policy.max_storage_range = any.into(),
        7 => policy.max_groups = any,
        8 => policy.subgroup_size = any,
        9 => policy.shared_memory = any,
        10 => policy.max_threads = any,
        11 => {
            let methods =
                [ScanMethod::LookBack, ScanMethod::ReduceThenScan, ScanMethod::LookBackUpTo(100)];
            policy.scan = pick(rng, &methods);
        }
        12 => policy.split.warp = shape(rng),
        13 => policy.split.block_keys = [shape(rng); 8],
        14 => policy.split.block_pairs = [shape(rng); 8],
        15 => policy.split.onesweep = [shape(rng); 8],
        16 => {
            let moments = [ValuesAfter::Loading, ValuesAfter::Ranking, ValuesAfter::Ordering];
            policy.split.values_after = [pick(rng, &moments); 8];
        }
        17 => policy.split.min_keys = any,
        18 => policy.split.block_strips = [any; 8],
        19 => policy.split.side_by_side = any,
        20 => policy.split.histogram_parts = any,
        21 => policy.split.max_buckets_by_ballots = any,
        22 => policy.split.counter_copies = any,
        23 => policy.split.max_loop_rounds = any,
        24 => policy.split.max_buckets_direct = any,
        25 => policy.histogram.threads = any,
        26 => policy.histogram.loads = any,
        27 => policy.histogram.tiles = any,
        28 => policy.histogram.min_groups = any,
        29 => policy.histogram.copies = any,
        30 => policy.histogram.copies_bytes = any,
        31 => policy.histogram.max_bins_by_ballots = any,
        32 => policy.histogram.max_passes = any,
        33 => policy.histogram.register_bins = any,
        34 => policy.histogram.cells_per_bin = any,
        35 => policy.histogram.cells = any,
        36 => policy.histogram.lookup_threads = any,
        37 => policy.sort.small = shape(rng),
        38 => policy.sort = policy.sort.with_shape(shape(rng)),
        39 => policy.sort.histogram = shape(rng),
        40 => policy.sort.histogram_groups = any.into(),
        41 => policy.sort.rounds = pick(rng, &METHODS),
        42 => {
            let radix_bits = rng.below(10) as u32;
            let methods =
                [SortMethod::OneSweep, SortMethod::Small, SortMethod::Multisplit { radix_bits }];
            policy.sort.auto = pick(rng, &methods);
        }
        44 => policy.select_threads = any,
        45 => policy.tickets = rng.below(2) == 0,
        46 => policy.by_key_threads = any,
        47 => policy.segment_chunk = any,
        48 => policy.subgroup_takers = any,
        49 => policy.sort.min_counting = any.into(),
        50 => policy.split.min_buckets_labelled = any,
        51 => policy.split.labelled_keys = [shape(rng); 8],
        52 => policy.split.labelled_strips = [any; 8],
        53 => policy.sort.few_keys = any.into(),
        54 => policy.sort.few_keys_groups = any,
        55 => policy.sort.few_keys_look_back = any,
        56 | 57 => edit_topk(policy, rng, any),
        _ => edit_search(policy, rng, any),
    }
}

fn edit_topk(policy: &mut Policy, rng: &mut Rng, any: u32) {
    let topk = &mut policy.topk;
    let sizes = [
        &mut topk.row_elements,
        &mut topk.part_elements,
        &mut topk.many_rows,
        &mut topk.groups,
        &mut topk.filter_tiles,
        &mut topk.samples,
        &mut topk.maxima,
    ];
    *pick_mut(rng, sizes) = any.into();
}

fn pick_mut<'a, T, const N: usize>(rng: &mut Rng, choices: [&'a mut T; N]) -> &'a mut T {
    let at = rng.below(N as u64) as usize;
    choices.into_iter().nth(at).expect("below N")
}

fn edit_search(policy: &mut Policy, rng: &mut Rng, any: u32) {
    let sssp = &mut policy.sssp;
    let sizes = [
        &mut sssp.threads,
        &mut sssp.max_groups,
        &mut sssp.residents.groups,
        &mut sssp.residents.threads,
        &mut sssp.spin_limit,
        &mut sssp.resident_rounds,
        &mut sssp.batch_rounds,
        &mut sssp.batch_piles,
        &mut sssp.stage,
        &mut sssp.spread_degree,
        &mut sssp.spread_degree_even,
        &mut sssp.wide_degree,
        &mut sssp.merge_entries,
        &mut sssp.tail_entries,
        &mut sssp.hub_degree,
        &mut sssp.piece,
        &mut sssp.local_hops,
        &mut sssp.local_entries,
        &mut sssp.queue_percent,
        &mut sssp.delta_scale,
        &mut sssp.max_delta,
        &mut sssp.delta_even,
    ];
    *pick_mut(rng, sizes) = any;
}

/// Runs a primitive, and says whether the result is right.
fn is_right(gpu: &Gpu, policy: &Policy, rng: &mut Rng) -> multisplit::Result<bool> {
    let n = 1 + rng.below(9_000);
    let keys: Vec<u32> = (0..n).map(|_| rng.below(1 << 32) as u32).collect();
    match rng.below(7) {
        0 => sorts(gpu, policy, rng, &keys),
        1 => scans(gpu, policy, &keys),
        2 => splits(gpu, policy, rng, &keys),
        3 => counts(gpu, policy, rng, &keys),
        4 => bests(gpu, policy, rng, &keys),
        5 => reductions(gpu, policy, rng, &keys),
        _ => searches(gpu, policy, rng),
    }
}

fn sorts(gpu: &Gpu, policy: &Policy, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let (context, n) = (&gpu.context, keys.len() as u64);
    let methods =
        [SortMethod::Auto, SortMethod::OneSweep, SortMethod::Multisplit { radix_bits: 5 }];
    let mut graph = Graph::new("sort");
    let [from, order] = ["keys", "order"].map(|name| graph.import::<u32>(name, n));
    let how = Sort::ascending().method(pick(rng, &methods));
    sort(&mut graph, policy, &how, &SortBuffers::keys(from).indices(order))?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let (device_keys, device_order) = (context.upload(keys)?, context.zeroed::<u32>(n)?);
    context.run(&executable, &[(from, &device_keys), (order, &device_order)])?;
    let mut expected: Vec<u32> = (0..n as u32).collect();
    expected.sort_by_key(|&i| keys[i as usize]);
    Ok(context.download(&device_order)? == expected)
}

fn scans(gpu: &Gpu, policy: &Policy, keys: &[u32]) -> multisplit::Result<bool> {
    let (context, n) = (&gpu.context, keys.len() as u64);
    let mut graph = Graph::new("scan");
    let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, n));
    scan(&mut graph, policy, &Scan::default(), &ScanBuffers::new(src, dst))?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let (input, output) = (context.upload(keys)?, context.zeroed::<u32>(n)?);
    context.run(&executable, &[(src, &input), (dst, &output)])?;
    Ok(context.download(&output)? == reference::exclusive_scan(keys))
}

fn splits(gpu: &Gpu, policy: &Policy, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let (context, n) = (&gpu.context, keys.len() as u64);
    let m = 1 + rng.below(600);
    let buckets = Buckets::<u32>::delta_over_domain(m as u32).method(pick(rng, &METHODS[..5]));
    let mut graph = Graph::new("split");
    let [from, to] = ["keys", "keys.out"].map(|name| graph.import::<u32>(name, n));
    let offsets = graph.import::<u32>("offsets", m + 1);
    split(&mut graph, policy, &buckets, &SplitBuffers::keys(from, to, offsets))?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let (input, output) = (context.upload(keys)?, context.zeroed::<u32>(n)?);
    let ends = context.zeroed::<u32>(m + 1)?;
    context.run(&executable, &[(from, &input), (to, &output), (offsets, &ends)])?;
    let width = (1u64 << 32).div_ceil(m);
    let mut expected = keys.to_vec();
    expected.sort_by_key(|&key| (u64::from(key) / width).min(m - 1));
    Ok(context.download(&output)? == expected)
}

fn counts(gpu: &Gpu, policy: &Policy, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let (context, n) = (&gpu.context, keys.len() as u64);
    let m = 1 + rng.below(3_000);
    let edges: Vec<u32> = (0..=m).map(|k| (k * u64::from(u32::MAX) / m) as u32).collect();
    let mut graph = Graph::new("histogram");
    let (samples, bins) = (graph.import::<u32>("samples", n), graph.import::<u32>("counts", m));
    let how = Bins::range(&edges);
    histogram(&mut graph, policy, &how, &HistogramBuffers::new(samples, bins))?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let (input, output) = (context.upload(keys)?, context.zeroed::<u32>(m)?);
    context.run(&executable, &[(samples, &input), (bins, &output)])?;
    let mut expected = vec![0u32; m as usize];
    for &key in keys.iter().filter(|&&key| key < u32::MAX) {
        expected[edges.partition_point(|&edge| edge <= key) - 1] += 1;
    }
    Ok(context.download(&output)? == expected)
}

fn bests(gpu: &Gpu, policy: &Policy, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let (context, n) = (&gpu.context, keys.len() as u64);
    let k = 1 + rng.below(n.min(300));
    let mut graph = Graph::new("best");
    let from = graph.import::<u32>("keys", n);
    let [found, places] = ["found", "places"].map(|name| graph.import::<u32>(name, k));
    topk(&mut graph, policy, &TopK::smallest(k), &TopKBuffers::new(from, found, places))?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let input = context.upload(keys)?;
    let [best, indices] = [context.zeroed::<u32>(k)?, context.zeroed::<u32>(k)?];
    context.run(&executable, &[(from, &input), (found, &best), (places, &indices)])?;
    let mut expected: Vec<u32> = (0..n as u32).collect();
    expected.sort_by_key(|&i| keys[i as usize]);
    expected.truncate(k as usize);
    Ok(context.download(&indices)? == expected)
}

fn reductions(gpu: &Gpu, policy: &Policy, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let (context, n) = (&gpu.context, keys.len() as u64);
    let segments = 1 + rng.below(40);
    let mut ends: Vec<u32> = (0..=segments).map(|_| rng.below(n + 1) as u32).collect();
    ends.sort_unstable();
    let mut graph = Graph::new("segments");
    let (src, dst) = (graph.import::<u32>("src", n), graph.import::<u32>("dst", segments));
    let offsets = graph.import::<u32>("offsets", segments + 1);
    let buffers = SegmentedReduceBuffers::new(src, offsets, dst);
    reduce_segments(&mut graph, policy, Operator::Max, &buffers)?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let (input, cuts) = (context.upload(keys)?, context.upload(&ends)?);
    let output = context.zeroed::<u32>(segments)?;
    context.run(&executable, &[(src, &input), (offsets, &cuts), (dst, &output)])?;
    let largest = |cut: &[u32]| keys[cut[0] as usize..cut[1] as usize].iter().max().copied();
    let expected: Vec<u32> = ends.windows(2).map(|cut| largest(cut).unwrap_or(0)).collect();
    Ok(context.download(&output)? == expected)
}

fn searches(gpu: &Gpu, policy: &Policy, rng: &mut Rng) -> multisplit::Result<bool> {
    const VERTICES: u64 = 200;
    let mut edges = EdgeList::weighted();
    for _ in 0..900 {
        let mut vertex = || rng.below(VERTICES) as u32;
        let (from, to) = (vertex(), vertex());
        edges.push(from, to, rng.below(50) as u32);
    }
    let network = Network::new(VERTICES, Direction::Directed, &edges)?;
    let on_device = gpu.context.upload_network(&network)?;
    let mut solver = gpu.context.sssp_with(&on_device, &SsspOptions::default(), policy)?;
    let found = solver.solve(0)?;
    let EdgeWeights::U32(weights) = &edges.weights else { return Ok(false) };
    let mut distances = vec![u64::from(u32::MAX); VERTICES as usize];
    distances[0] = 0;
    for _ in 0..VERTICES {
        for ((&from, &to), &weight) in edges.from.iter().zip(&edges.to).zip(weights) {
            let through = distances[from as usize].saturating_add(weight.into());
            distances[to as usize] = distances[to as usize].min(through);
        }
    }
    Ok(found.paths.distances.iter().zip(&distances).all(|(&got, &want)| u64::from(got) == want))
}

/// 2,000 in a full run.
fn random_policies(gpu: &Gpu) -> Result<()> {
    let (mut right, mut refused, mut mine) = (0, 0, gpu.mine());
    for seed in 0..if gpu.full { 2_000 } else { 48 } {
        let mut rng = Rng::new(seed * 7919 + u64::from(gpu.context.properties().subgroup_size));
        let mut policy = gpu.context.policy();
        for _ in 0..=rng.below(2) {
            edit(&mut policy, &mut rng);
        }
        if !mine() {
            continue;
        }
        match is_right(gpu, &policy, &mut rng) {
            Ok(true) => right += 1,
            Ok(false) => bail!("seed {seed}: a wrong result by {policy:?}"),
            Err(Error::Vulkan { call, result }) => bail!("seed {seed}: {call} failed: {result}"),
            Err(_) => refused += 1,
        }
    }
    ensure!(right > 0 && refused > 0, "{right} right, {refused} refused: nothing was tried");
    Ok(())
}

/// Descriptions and counts through public doors: a right result or a typed error, 2,000 times in a
/// full run.
fn random_edits_of_descriptions(gpu: &Gpu) -> Result<()> {
    let (context, mut mine) = (&gpu.context, gpu.mine());
    for seed in 0..if gpu.full { 2_000 } else { 48 } {
        let mut rng = Rng::new(seed * 104_729 + 3);
        let n = rng.below(700);
        let keys: Vec<u32> = (0..n).map(|_| rng.below(1 << 32) as u32).collect();
        if !mine() {
            continue;
        }
        let outcome = match rng.below(4) {
            0 => {
                let (start, end) = (number(&mut rng) % 40, number(&mut rng) % 40);
                let how = Sort::descending().bits(start..end);
                context.sort_with(&keys, &how).map(|sorted| {
                    let mask = |key: u32| (u64::from(key) >> start) & ((1 << (end - start)) - 1);
                    let mut expected = keys.clone();
                    expected.sort_by_key(|&key| std::cmp::Reverse(mask(key)));
                    sorted == expected
                })
            }
            1 => {
                let offsets: Vec<u32> =
                    (0..rng.below(5)).map(|_| rng.below(n + 2) as u32).collect();
                context.sort_with(&keys, &Sort::ascending().segments(&offsets)).map(|sorted| {
                    let mut expected = keys.clone();
                    for ends in offsets.windows(2) {
                        expected[ends[0] as usize..ends[1] as usize].sort_unstable();
                    }
                    sorted == expected
                })
            }
            2 => {
                let (width, m) = (u64::from(number(&mut rng)), number(&mut rng) % 5_000);
                let buckets = Buckets::delta(number(&mut rng), width, m);
                context.split(&keys, buckets).map(|split| {
                    split.keys.len() == keys.len() && split.offsets.last() == Some(&(n as u32))
                })
            }
            _ => {
                let (start, end) = (number(&mut rng), number(&mut rng));
                let m = number(&mut rng) % 5_000;
                context.histogram(&keys, Bins::even(start..end, m)).map(|counted| {
                    let inside = keys.iter().filter(|key| (start..end).contains(key)).count();
                    counted.counts.iter().sum::<u64>() == inside as u64
                })
            }
        };
        match outcome {
            Ok(true) => {}
            Ok(false) => bail!("seed {seed}: a wrong result"),
            Err(Error::Vulkan { call, result }) => bail!("seed {seed}: {call} failed: {result}"),
            Err(error) => ensure!(!error.to_string().is_empty(), "seed {seed}: no message"),
        }
    }
    context.wait_idle().context("the device still works")
}
