//! Element counts in device memory: zero, one, two, an odd count, the capacity, and counts above
//! it. The same plan runs with each count.

use multisplit::operations::split::Method;
use multisplit_tests::prelude::*;

use crate::multisplit_cases::{Arrays, KINDS, Kind, METHODS};

tests!(counts:
    scans_use_the_device_count, recursive_scans_in_2d_dispatches_use_the_device_count,
    fills_and_copies_use_the_device_count, splits_use_the_device_count,
    splits_in_2d_dispatches_use_the_device_count,
    offset_of_a_split_can_be_the_count_of_another_split,
    replayed_split_uses_the_count_of_the_previous_run,
    splits_have_one_barrier_for_indirect_dispatches, invalid_device_counts_are_rejected,
);

/// Counts to try for a capacity of `max` elements.
fn numbers(max: u64) -> [u32; 7] {
    let max = max as u32;
    [max, 0, 1, 2, (max / 3) | 1, max + 1, u32::MAX]
}

/// Compiles a plan from `src` to `dst` and runs it with every count.
fn check(
    gpu: &Gpu,
    limits: &Limits,
    max: u64,
    declare: impl Fn(&mut Graph, [Buffer; 2], Count) -> multisplit::Result<()>,
    expected: impl Fn(&[u32]) -> Vec<u32>,
) -> Result<()> {
    let input = uniform(max as usize, max);
    let mut setup = Setup::new(gpu, "counted");
    let (src, dst) = (setup.input("src", &input), setup.output::<u32>("dst", max as usize));
    let count = setup.count(true, 0, max as usize);
    declare(&mut setup.graph, [src, dst], count)?;
    let executable = gpu.instantiate(setup.graph.compile(limits)?)?;
    for number in numbers(max) {
        setup.set_count(count, number)?;
        setup.run_on(&executable)?;
        let n = u64::from(number).min(max) as usize;
        setup
            .expect(dst, &expected(&input[..n]))
            .with_context(|| format!("count {number}, capacity {max}"))?;
    }
    Ok(())
}

/// Calls [`check`] for a scan that is declared with `policy`.
fn check_scan(gpu: &Gpu, policy: &Policy, limits: &Limits, max: u64) -> Result<()> {
    let declare = |graph: &mut Graph, [src, dst]: [Buffer; 2], n: Count| {
        scan(graph, policy, &Scan::default(), &ScanBuffers::new(src, dst).count(n))
    };
    check(gpu, limits, max, declare, reference::exclusive_scan)
        .with_context(|| format!("{:?}", policy.scan))
}

fn scans_use_the_device_count(gpu: &Gpu) -> Result<()> {
    for scan in [ScanMethod::ReduceThenScan, ScanMethod::LookBack] {
        let policy = Policy { scan, ..gpu.policy() };
        let tile = u64::from(policy.threads) * 16;
        for max in [1, 77, tile, 3 * tile + 7, 9 * tile + 1] {
            check_scan(gpu, &policy, &gpu.limits(), max)?;
        }
    }
    Ok(())
}

/// A policy with at most `max_groups` workgroups per row of a dispatch.
fn in_rows(gpu: &Gpu, max_groups: u32) -> Policy {
    gpu.policy().lowered(|facts| facts.max_groups = max_groups)
}

/// With the second policy and subgroups of up to 32 lanes, there are more tile sums than elements
/// in a tile, so the sums are scanned in tiles as well. Dispatches are two-dimensional.
fn recursive_scans_in_2d_dispatches_use_the_device_count(gpu: &Gpu) -> Result<()> {
    let threads = gpu.properties().subgroup_size;
    let limits = Limits { max_workgroup_count: [7, 65535, 65535], ..gpu.limits() };
    let method = ScanMethod::ReduceThenScan;
    let base = Policy { scan: method, ..in_rows(gpu, 7) };
    for policy in [base, Policy { threads, spine_threads: threads, spine_tiles: 1, ..base }] {
        let tile = u64::from(policy.threads) * 16;
        check_scan(gpu, &policy, &limits, (tile * tile + 100).min(300_000))?;
    }
    Ok(())
}

fn fills_and_copies_use_the_device_count(gpu: &Gpu) -> Result<()> {
    let (policy, limits) = (gpu.policy(), gpu.limits());
    for max in [3, 1000, 40_003] {
        let fill = |graph: &mut Graph, [_, dst]: [Buffer; 2], n: Count| {
            fill_first(graph, &policy, "fill", dst, n, 7)
        };
        check(gpu, &limits, max, fill, |input| vec![7; input.len()])?;
        let copy = |graph: &mut Graph, [src, dst]: [Buffer; 2], n: Count| {
            copy_first(graph, &policy, "copy", src, dst, n)
        };
        check(gpu, &limits, max, copy, <[u32]>::to_vec)?;
    }
    // The same functions with a host count.
    let input = uniform(50, 3);
    let mut setup = Setup::new(gpu, "known");
    let (src, dst) = (setup.input("src", &input), setup.output::<u32>("dst", 50));
    copy_first(&mut setup.graph, &policy, "copy", src, dst, 41)?;
    fill_first(&mut setup.graph, &policy, "fill", dst, 17, 3)?;
    setup.run()?;
    setup.expect(dst, &[&[3; 17][..], &input[17..41]].concat())
}

/// Compiles a plan of a split and runs it with every count.
fn check_split(
    gpu: &Gpu,
    policy: &Policy,
    limits: &Limits,
    (method, kind, m): (Method, Kind, u32),
    max: u64,
) -> Result<()> {
    let (keys, values) = (uniform(max as usize, max), (0..max as u32).collect::<Vec<_>>());
    let mut setup = Setup::new(gpu, "split");
    let arrays = Arrays::new(&mut setup, &keys, &values, m);
    let count = setup.count(true, 0, max as usize);
    let buckets = Buckets::<u32>::delta_over_domain(m).method(method);
    split(&mut setup.graph, policy, &buckets, &arrays.buffers(kind).count(count))?;
    let executable = gpu.instantiate(setup.graph.compile(limits)?)?;
    let width = (1u64 << 32).div_ceil(u64::from(m));
    for number in numbers(max) {
        setup.set_count(count, number)?;
        setup.run_on(&executable)?;
        let n = u64::from(number).min(max) as usize;
        arrays.check(&setup, kind, (n, m), |key| (u64::from(key) / width) as u32).with_context(
            || format!("{method:?}, {kind:?}, m = {m}, count {number}, capacity {max}"),
        )?;
    }
    Ok(())
}

fn splits_use_the_device_count(gpu: &Gpu) -> Result<()> {
    let (policy, limits) = (gpu.policy(), gpu.limits());
    let mut rng = Rng::new(31);
    for (method, turn) in METHODS.into_iter().zip(0..) {
        for kind in
            if gpu.full { KINDS.to_vec() } else { vec![KINDS[turn % 3], KINDS[(turn + 1) % 3]] }
        {
            // Each bucket count needs separate pipelines, so a plain run uses only one here.
            for &m in if gpu.full { &[1, 2, 10, 256, 257, 1000][..] } else { &[10] } {
                let max = 1 + rng.below(20_000);
                gpu.case(|| check_split(gpu, &policy, &limits, (method, kind, m), max))?;
            }
        }
    }
    let others = [
        (Method::Block, Kind::Pairs, 2),
        (Method::Direct, Kind::Permutation, 1000),
        (Method::ReducedBitSort, Kind::Pairs, 1000),
    ];
    for case in others.into_iter().filter(|_| gpu.mine()) {
        check_split(gpu, &policy, &limits, case, 5003)?;
    }
    Ok(())
}

fn splits_in_2d_dispatches_use_the_device_count(gpu: &Gpu) -> Result<()> {
    let limits = Limits { max_workgroup_count: [3, 65535, 65535], ..gpu.limits() };
    let policy = in_rows(gpu, 3);
    for method in gpu.cases(METHODS) {
        check_split(gpu, &policy, &limits, (method, Kind::Keys, 10), 30_011)?;
    }
    check_split(gpu, &policy, &limits, (Method::Block, Kind::Keys, 2), 60_011)
}

/// The first split writes its bucket offsets to device memory. The second split takes the end of
/// the first bucket as its element count, so it splits only that bucket.
fn offset_of_a_split_can_be_the_count_of_another_split(gpu: &Gpu) -> Result<()> {
    let (policy, n) = (gpu.policy(), 20_011);
    let input = uniform(n, 5);
    let mut setup = Setup::new(gpu, "twice");
    let (keys, out) = (setup.input("keys", &input), setup.output::<u32>("out", n));
    let [first, second] =
        [("first", 3), ("second", 9)].map(|(name, len)| setup.output::<u32>(name, len));
    let halves = setup.graph.transient::<u32>("halves", n as u64);
    let buffers = SplitBuffers::keys(keys, halves, first);
    split(&mut setup.graph, &policy, &Buckets::<u32>::digit(31..32), &buffers)?;
    let count = Count::Device { buffer: first, index: 1, max: n as u64 };
    let buffers = SplitBuffers::keys(halves, out, second).count(count);
    split(&mut setup.graph, &policy, &Buckets::<u32>::digit(0..3), &buffers)?;
    setup.run()?;
    let low: Vec<u32> = input.into_iter().filter(|key| key >> 31 == 0).collect();
    let (order, expected) = reference::split(low.len(), 8, |i| low[i] & 7);
    setup.expect(second, &expected)?;
    setup.expect(out, &reference::pick(&low, &order))
}

/// Each run splits the elements that the previous run kept, and keeps the first bucket. The number
/// of kept elements is the count of the next run, and a factor in its bucket function.
fn replayed_split_uses_the_count_of_the_previous_run(gpu: &Gpu) -> Result<()> {
    const SOURCE: &str = "uint bucket_of(uint key) { return (key * table.at[0]) >> 31; }";
    let (policy, max) = (gpu.policy(), 20_011);
    for method in [Method::Direct, Method::OneSweep] {
        let mut graph = Graph::new("fewer");
        let (keys, number) = (graph.import::<u32>("keys", max), graph.import::<u32>("number", 1));
        let (kept, offsets) =
            (graph.transient::<u32>("kept", max), graph.transient::<u32>("offsets", 3));
        let n = Count::Device { buffer: number, index: 0, max };
        let buckets = Buckets::<u32>::glsl(2, Glsl::new(SOURCE).table_buffer(number));
        let buffers = SplitBuffers::keys(keys, kept, offsets).count(n);
        split(&mut graph, &policy, &buckets.method(method), &buffers)?;
        copy_first(&mut graph, &policy, "keep", kept, keys, n)?;
        graph.copy("number", offsets.elements::<u32>(1, 1), number);
        graph.replayable();
        let executable = gpu.instantiate(graph.compile(&gpu.limits())?)?;

        let mut expected = uniform(max as usize, 6);
        let device_keys = gpu.upload(&expected)?;
        let device_number = gpu.upload(&[max as u32])?;
        let bound = [(keys, &device_keys), (number, &device_number)];
        let mut replay = gpu.replay(executable.into(), &bound)?;
        for runs in [1, 2, 1, 30] {
            replay.submit(runs)?;
            replay.wait()?;
            for _ in 0..runs {
                let factor = expected.len() as u32;
                expected.retain(|key| key.wrapping_mul(factor) >> 31 == 0);
            }
            let left = gpu.download(&device_number)?[0] as usize;
            expect_value(format!("{method:?}: the number of keys left"), &left, &expected.len())?;
            expect_equal(&gpu.download(&device_keys)?[..left], &expected)?;
        }
    }
    Ok(())
}

/// A barrier for the indirect-command stage takes about twice as long as other barriers, so a plan
/// should have only one.
fn splits_have_one_barrier_for_indirect_dispatches(gpu: &Gpu) -> Result<()> {
    for (method, m) in METHODS.into_iter().flat_map(|method| [(method, 256u32), (method, 4096)]) {
        let mut graph = Graph::new("split");
        let max = 1 << 22;
        let (keys, out) = (graph.import::<u32>("keys", max), graph.import::<u32>("out", max));
        let offsets = graph.import::<u32>("offsets", u64::from(m) + 1);
        let buffer = graph.import::<u32>("words", 1);
        let buckets = Buckets::<u32>::digit(0..m.ilog2()).method(method);
        let n = Count::Device { buffer, index: 0, max };
        let buffers = SplitBuffers::keys(keys, out, offsets).count(n);
        split(&mut graph, &gpu.policy(), &buckets, &buffers)?;
        let text = graph.compile(&gpu.limits())?.to_text();
        let barriers = text.matches("draw_indirect:indirect_command_read").count();
        ensure!(
            barriers == 1,
            "{method:?}, m = {m}: {barriers} barriers for indirect dispatches, expected 1:\n{text}"
        );
    }
    Ok(())
}

fn invalid_device_counts_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy().lowered(|facts| facts.max_storage_range = 4000);
    let mut graph = Graph::new("refused");
    let (src, dst) = (graph.import::<u32>("src", 5000), graph.import::<u32>("dst", 5000));
    let buffer = graph.import::<u32>("words", 2);
    let count = |index, max| Count::Device { buffer, index, max };
    let by = |n| ScanBuffers::new(src, dst).count(n);
    let how = Scan::default();
    expect_errors! {
        // Scans and fills process arrays larger than a binding in pieces, which need a host count.
        scan(&mut graph, &policy, &how, &by(count(0, 5000))) => TooLarge { .. },
        fill_first(&mut graph, &policy, "fill", dst, count(0, 5000), 0) => TooLarge { .. },
        // A count outside its buffer, and a capacity above the length of the array.
        scan(&mut graph, &policy, &how, &by(count(2, 100))) => BufferTooSmall { .. },
        fill_first(&mut graph, &policy, "fill", dst, count(0, 5001), 0) => BufferTooSmall { .. },
    }
    Ok(())
}
