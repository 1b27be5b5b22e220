//! Device counts: zero, one, odd counts, the capacity, and counts above it. Each plan is run with
//! one count after another.

use anyhow::{Context as _, Result, ensure};
use multisplit::Policy;
use multisplit::graph::{Graph, Limits};
use multisplit::operations::split::Method;
use multisplit::operations::{
    Count, ScanBuffers, ScanMethod, SplitBuffers, copy_first, fill_first, scan, split,
};
use multisplit::{Buckets, Error, Glsl, Scan};
use multisplit_tests::generate::{Rng, uniform};
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::{reference, tests};

use crate::multisplit_cases::{KINDS, Kind, METHODS};

tests!(counts:
    scans_use_the_device_count, folded_and_multi_level_scans_use_the_device_count,
    fills_and_copies_use_the_device_count, splits_use_the_device_count,
    folded_splits_use_the_device_count, offset_of_a_split_is_the_count_of_another,
    replay_updates_its_own_count, splits_have_one_barrier_for_indirect_dispatches,
    invalid_device_counts_are_rejected,
);

/// The count lies among other words, without alignment.
const WORDS: u64 = 100;
const INDEX: u64 = 71;
const UNTOUCHED: u32 = 0xDEAD_BEEF;

/// Counts to try for a capacity of `max` elements.
fn numbers(max: u64) -> [u32; 7] {
    let max = max as u32;
    [max, 0, 1, 2, (max / 3) | 1, max + 1, u32::MAX]
}

/// Words with this count at `INDEX`.
fn words(number: u32) -> Vec<u32> {
    let mut words = uniform(WORDS as usize, u64::from(number));
    words[INDEX as usize] = number;
    words
}

/// Checks the first elements, and that the elements beyond them are unchanged.
fn expect_first(got: &[u32], expected: &[u32]) -> Result<()> {
    let (first, rest) = got.split_at(expected.len());
    expect_equal(first, expected)?;
    ensure!(rest.iter().all(|&word| word == UNTOUCHED), "written past the end");
    Ok(())
}

/// Compiles a plan from `src` to `dst` and runs it with every count.
fn check(
    gpu: &Gpu,
    limits: &Limits,
    max: u64,
    declare: impl Fn(&mut Graph, [multisplit::graph::Buffer; 2], Count) -> Result<()>,
    expected: impl Fn(&[u32]) -> Vec<u32>,
) -> Result<()> {
    let context = &gpu.context;
    let mut graph = Graph::new("counted");
    let (src, dst) = (graph.import::<u32>("src", max), graph.import::<u32>("dst", max));
    let buffer = graph.import::<u32>("words", WORDS);
    declare(&mut graph, [src, dst], Count::Device { buffer, index: INDEX, max })?;
    let executable = context.instantiate(graph.compile(limits)?)?;
    let input = uniform(max as usize, max);
    let source = context.upload(&input)?;
    let output = context.zeroed::<u32>(max + 64)?;
    let device_words = context.zeroed::<u32>(WORDS)?;
    for number in numbers(max) {
        context.write(&device_words, 0, &words(number))?;
        context.write(&output, 0, &vec![UNTOUCHED; max as usize + 64])?;
        context.run(&executable, &[(src, &source), (dst, &output), (buffer, &device_words)])?;
        let n = u64::from(number).min(max) as usize;
        expect_first(&context.download(&output)?, &expected(&input[..n]))
            .with_context(|| format!("{number} of {max}"))?;
    }
    Ok(())
}

fn scans_use_the_device_count(gpu: &Gpu) -> Result<()> {
    for method in [ScanMethod::ReduceThenScan, ScanMethod::LookBack] {
        let policy = Policy { scan: method, ..gpu.context.policy() };
        let limits = gpu.context.limits();
        let tile = u64::from(policy.threads) * 16;
        for max in [1, 77, tile, 3 * tile + 7, 9 * tile + 1] {
            check(
                gpu,
                &limits,
                max,
                |graph, [src, dst], n| {
                    Ok(scan(
                        graph,
                        &policy,
                        &Scan::default(),
                        &ScanBuffers::new(src, dst).count(n),
                    )?)
                },
                reference::exclusive_scan,
            )
            .with_context(|| format!("{method:?}"))?;
        }
    }
    Ok(())
}

/// A policy with rows of at most `max_groups` workgroups.
fn in_rows(gpu: &Gpu, max_groups: u32) -> Policy {
    gpu.context.policy().lowered(|facts| facts.max_groups = max_groups)
}

/// Sums of sums, and workgroups in many rows.
fn folded_and_multi_level_scans_use_the_device_count(gpu: &Gpu) -> Result<()> {
    let threads = gpu.context.properties().subgroup_size;
    let limits = Limits { max_workgroup_count: [7, 65535, 65535], ..gpu.context.limits() };
    let method = ScanMethod::ReduceThenScan;
    let base = Policy { scan: method, ..in_rows(gpu, 7) };
    for policy in [base, Policy { threads, spine_threads: threads, spine_tiles: 1, ..base }] {
        let tile = u64::from(policy.threads) * 16;
        check(
            gpu,
            &limits,
            (tile * tile + 100).min(300_000),
            |graph, [src, dst], n| {
                Ok(scan(graph, &policy, &Scan::default(), &ScanBuffers::new(src, dst).count(n))?)
            },
            reference::exclusive_scan,
        )?;
    }
    Ok(())
}

fn fills_and_copies_use_the_device_count(gpu: &Gpu) -> Result<()> {
    let policy = gpu.context.policy();
    for max in [3, 1000, 40_003] {
        let limits = gpu.context.limits();
        check(
            gpu,
            &limits,
            max,
            |graph, [_, dst], n| Ok(fill_first(graph, &policy, "fill", dst, n, 7)?),
            |input| vec![7; input.len()],
        )?;
        check(
            gpu,
            &limits,
            max,
            |graph, [src, dst], n| Ok(copy_first(graph, &policy, "copy", src, dst, n)?),
            <[u32]>::to_vec,
        )?;
    }
    // The same functions with a host count.
    let mut graph = Graph::new("known");
    let (src, dst) = (graph.import::<u32>("src", 50), graph.import::<u32>("dst", 50));
    copy_first(&mut graph, &policy, "copy", src, dst, 41)?;
    fill_first(&mut graph, &policy, "fill", dst, 17, 3)?;
    let executable = gpu.context.instantiate(graph.compile(&gpu.context.limits())?)?;
    let input = uniform(50, 3);
    let source = gpu.context.upload(&input)?;
    let output = gpu.context.upload(&[UNTOUCHED; 50])?;
    gpu.context.run(&executable, &[(src, &source), (dst, &output)])?;
    let expected = [&[3; 17][..], &input[17..41]].concat();
    expect_first(&gpu.context.download(&output)?, &expected)
}

/// Compiles a plan of a split and runs it with every count.
fn check_split(
    gpu: &Gpu,
    policy: &Policy,
    limits: &Limits,
    method: Method,
    kind: Kind,
    m: u32,
    max: u64,
) -> Result<()> {
    let context = &gpu.context;
    let mut graph = Graph::new("split");
    let mut import = |name: &str| graph.import::<u32>(name, max);
    let (keys_in, out) = (import("keys"), import("out"));
    let (values_in, values) = (import("values"), import("values.out"));
    let offsets = graph.import::<u32>("offsets", u64::from(m) + 1);
    let buffer = graph.import::<u32>("words", WORDS);
    let buffers = match kind {
        Kind::Keys => SplitBuffers::keys(keys_in, out, offsets),
        Kind::Pairs => SplitBuffers::pairs((keys_in, values_in), (out, values), offsets),
        Kind::Permutation => SplitBuffers::permutation(keys_in, out, offsets),
    };
    let n = Count::Device { buffer, index: INDEX, max };
    let buckets = Buckets::<u32>::delta_over_domain(m).method(method);
    split(&mut graph, policy, &buckets, &buffers.count(n))?;
    let executable = context.instantiate(graph.compile(limits)?)?;

    let keys = uniform(max as usize, max);
    let width = (1u64 << 32).div_ceil(u64::from(m));
    let (device_keys, device_values) =
        (context.upload(&keys)?, context.upload(&(0..max as u32).collect::<Vec<_>>())?);
    let untouched = vec![UNTOUCHED; max as usize + 64];
    let (device_out, device_values_out) =
        (context.upload(&untouched)?, context.upload(&untouched)?);
    let device_offsets = context.zeroed::<u32>(u64::from(m) + 1 + 64)?;
    let device_words = context.zeroed::<u32>(WORDS)?;
    let bound = [
        (keys_in, &device_keys),
        (out, &device_out),
        (values_in, &device_values),
        (values, &device_values_out),
        (offsets, &device_offsets),
        (buffer, &device_words),
    ];
    for number in numbers(max) {
        context.write(&device_words, 0, &words(number))?;
        context.write(&device_out, 0, &untouched)?;
        context.write(&device_values_out, 0, &untouched)?;
        context.write(&device_offsets, 0, &vec![UNTOUCHED; m as usize + 1 + 64])?;
        context.run(&executable, &bound)?;
        let n = u64::from(number).min(max) as usize;
        let (order, expected_offsets) =
            reference::split(n, m, |i| (u64::from(keys[i]) / width) as u32);
        let at = || format!("{method:?}, {kind:?}, m = {m}, {number} of {max}");
        expect_first(&context.download(&device_offsets)?, &expected_offsets)
            .with_context(|| format!("{}: offsets", at()))?;
        let expected: Vec<u32> = match kind {
            Kind::Permutation => {
                let mut places = vec![0; n];
                order.iter().zip(0..).for_each(|(&i, place)| places[i as usize] = place);
                places
            }
            _ => order.iter().map(|&i| keys[i as usize]).collect(),
        };
        expect_first(&context.download(&device_out)?, &expected).with_context(at)?;
        let moved = if kind == Kind::Pairs { &order[..] } else { &[] };
        expect_first(&context.download(&device_values_out)?, moved)
            .with_context(|| format!("{}: values", at()))?;
    }
    Ok(())
}

fn splits_use_the_device_count(gpu: &Gpu) -> Result<()> {
    let (policy, limits) = (gpu.context.policy(), gpu.context.limits());
    let (mut rng, mut mine) = (Rng::new(31), gpu.mine());
    for (method, turn) in METHODS.into_iter().zip(0..) {
        for kind in
            if gpu.full { KINDS.to_vec() } else { vec![KINDS[turn % 3], KINDS[(turn + 1) % 3]] }
        {
            // Few bucket counts, since each needs separate pipelines.
            for &m in if gpu.full { &[1, 2, 10, 256, 257, 1000][..] } else { &[10] } {
                let max = 1 + rng.below(20_000);
                if mine() {
                    check_split(gpu, &policy, &limits, method, kind, m, max)?;
                }
            }
        }
    }
    let others = [
        (Method::Block, Kind::Pairs, 2),
        (Method::Direct, Kind::Permutation, 1000),
        (Method::ReducedBitSort, Kind::Pairs, 1000),
    ];
    for (method, kind, m) in others.into_iter().filter(|_| mine()) {
        check_split(gpu, &policy, &limits, method, kind, m, 5003)?;
    }
    Ok(())
}

fn folded_splits_use_the_device_count(gpu: &Gpu) -> Result<()> {
    let limits = Limits { max_workgroup_count: [3, 65535, 65535], ..gpu.context.limits() };
    let policy = in_rows(gpu, 3);
    for method in gpu.cases(METHODS) {
        check_split(gpu, &policy, &limits, method, Kind::Keys, 10, 30_011)?;
    }
    check_split(gpu, &policy, &limits, Method::Block, Kind::Keys, 2, 60_011)
}

/// The second split processes the first bucket of the first split, with an offset written by the
/// first one as its count.
fn offset_of_a_split_is_the_count_of_another(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let (policy, n) = (context.policy(), 20_011);
    let mut graph = Graph::new("twice");
    let mut import = |name: &str, len: u64| graph.import::<u32>(name, len);
    let (keys, out) = (import("keys", n), import("out", n));
    let (first, second) = (import("first", 3), import("second", 9));
    let halves = graph.transient::<u32>("halves", n);
    let buffers = SplitBuffers::keys(keys, halves, first);
    split(&mut graph, &policy, &Buckets::<u32>::digit(31..32), &buffers)?;
    let count = Count::Device { buffer: first, index: 1, max: n };
    let buffers = SplitBuffers::keys(halves, out, second).count(count);
    split(&mut graph, &policy, &Buckets::<u32>::digit(0..3), &buffers)?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let input = uniform(n as usize, 5);
    let device_keys = context.upload(&input)?;
    let device_out = context.upload(&vec![UNTOUCHED; n as usize])?;
    let offsets = [context.zeroed::<u32>(3)?, context.zeroed::<u32>(9)?];
    let bound =
        [(keys, &device_keys), (out, &device_out), (first, &offsets[0]), (second, &offsets[1])];
    context.run(&executable, &bound)?;
    let low: Vec<u32> = input.into_iter().filter(|key| key >> 31 == 0).collect();
    let (order, expected) = reference::split(low.len(), 8, |i| low[i] & 7);
    expect_equal(&context.download(&offsets[1])?, &expected)?;
    let sorted: Vec<u32> = order.iter().map(|&i| low[i as usize]).collect();
    expect_first(&context.download(&device_out)?, &sorted)
}

/// A recording that is submitted repeatedly. Each run keeps the first bucket of the elements kept
/// by the previous run, with a bucket function that depends on their number.
fn replay_updates_its_own_count(gpu: &Gpu) -> Result<()> {
    const SOURCE: &str = "uint bucket_of(uint key) { return (key * table.at[0]) >> 31; }";
    let context = &gpu.context;
    let (policy, max) = (context.policy(), 20_011);
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
        let executable = context.instantiate(graph.compile(&context.limits())?)?;

        let mut expected = uniform(max as usize, 6);
        let device_keys = context.upload(&expected)?;
        let device_number = context.upload(&[max as u32])?;
        let bound = [(keys, &device_keys), (number, &device_number)];
        let mut replay = context.replay(executable.into(), &bound)?;
        for runs in [1, 2, 1, 30] {
            replay.submit(runs)?;
            replay.wait()?;
            for _ in 0..runs {
                let factor = expected.len() as u32;
                expected.retain(|key| key.wrapping_mul(factor) >> 31 == 0);
            }
            let left = context.download(&device_number)?[0] as usize;
            ensure!(left == expected.len(), "{method:?}: {left}, expected {}", expected.len());
            expect_equal(&context.download(&device_keys)?[..left], &expected)?;
        }
    }
    Ok(())
}

/// Such a barrier takes twice as long as one without the indirect stage.
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
        split(&mut graph, &gpu.context.policy(), &buckets, &buffers)?;
        let text = graph.compile(&gpu.context.limits())?.to_text();
        let barriers = text.matches("draw_indirect:indirect_command_read").count();
        ensure!(barriers == 1, "{method:?}, m = {m}, has {barriers}:\n{text}");
    }
    Ok(())
}

fn invalid_device_counts_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.context.policy().lowered(|facts| facts.max_storage_range = 4000);
    let mut graph = Graph::new("refused");
    let (src, dst) = (graph.import::<u32>("src", 5000), graph.import::<u32>("dst", 5000));
    let buffer = graph.import::<u32>("words", 2);
    let count = |index, max| Count::Device { buffer, index, max };
    let result = scan(
        &mut graph,
        &policy,
        &Scan::default(),
        &ScanBuffers::new(src, dst).count(count(0, 5000)),
    );
    ensure!(matches!(result, Err(Error::TooLarge { .. })), "pieces: {result:?}");
    let result = scan(
        &mut graph,
        &policy,
        &Scan::default(),
        &ScanBuffers::new(src, dst).count(count(2, 100)),
    );
    ensure!(matches!(result, Err(Error::BufferTooSmall { .. })), "no such word: {result:?}");
    let result = fill_first(&mut graph, &policy, "fill", dst, count(0, 5001), 0);
    ensure!(matches!(result, Err(Error::BufferTooSmall { .. })), "too many: {result:?}");
    let result = fill_first(&mut graph, &policy, "fill", dst, count(0, 5000), 0);
    ensure!(matches!(result, Err(Error::TooLarge { .. })), "pieces: {result:?}");
    Ok(())
}
