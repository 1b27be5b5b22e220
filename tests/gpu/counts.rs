//! Numbers of elements that only the device knows: none, one, odd ones, all that there is room
//! for, and more than that. One plan each, run with one number after another.

use anyhow::{Context as _, Result, ensure};
use multisplit::Error;
use multisplit::graph::{Graph, Limits};
use multisplit::primitives::multisplit::{
    Bucket, KeyType, Method, Split, SplitBuffers, SplitOutput, UserBucket, add,
};
use multisplit::primitives::{Count, Policy, ScanMethod, copy_first, fill_first, scan};
use multisplit_tests::generate::{Rng, uniform};
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::{reference, tests};

use crate::multisplit_cases::{KINDS, Kind, METHODS};

tests!(counts:
    scans, scans_in_rows_and_levels, fills_and_copies, splits, splits_in_rows, a_split_of_a_split,
    fewer_from_run_to_run,
    one_barrier_for_indirect_dispatches, refused,
);

/// The number is among others, off any alignment.
const WORDS: u64 = 100;
const INDEX: u64 = 71;
const UNTOUCHED: u32 = 0xDEAD_BEEF;

/// Numbers to try where there is room for `most` elements.
fn numbers(most: u64) -> [u32; 7] {
    let most = most as u32;
    [most, 0, 1, 2, (most / 3) | 1, most + 1, u32::MAX]
}

/// Words with this one number that counts.
fn words(number: u32) -> Vec<u32> {
    let mut words = uniform(WORDS as usize, u64::from(number));
    words[INDEX as usize] = number;
    words
}

/// The first elements are as expected; what lies past them is as it was.
fn expect_first(got: &[u32], expected: &[u32]) -> Result<()> {
    let (first, rest) = got.split_at(expected.len());
    expect_equal(first, expected)?;
    ensure!(rest.iter().all(|&word| word == UNTOUCHED), "written past the end");
    Ok(())
}

/// A plan from `src` to `dst`, run with every number.
fn check(
    gpu: &Gpu,
    limits: &Limits,
    most: u64,
    declare: impl Fn(&mut Graph, [multisplit::graph::Buffer; 2], Count) -> Result<()>,
    expected: impl Fn(&[u32]) -> Vec<u32>,
) -> Result<()> {
    let context = &gpu.context;
    let mut graph = Graph::new("counted");
    let (src, dst) = (graph.import::<u32>("src", most), graph.import::<u32>("dst", most));
    let buffer = graph.import::<u32>("words", WORDS);
    declare(&mut graph, [src, dst], Count::Device { buffer, index: INDEX, most })?;
    let executable = context.instantiate(graph.compile(limits)?)?;
    let input = uniform(most as usize, most);
    let source = context.upload("src", &input)?;
    let output = context.buffer::<u32>("dst", most + 64)?;
    let device_words = context.buffer::<u32>("words", WORDS)?;
    for number in numbers(most) {
        context.write(&device_words, &words(number))?;
        context.write(&output, &vec![UNTOUCHED; most as usize + 64])?;
        context.run(&executable, &[(src, &source), (dst, &output), (buffer, &device_words)])?;
        let n = u64::from(number).min(most) as usize;
        expect_first(&context.download::<u32>(&output)?, &expected(&input[..n]))
            .with_context(|| format!("{number} of {most}"))?;
    }
    Ok(())
}

fn scans(gpu: &Gpu) -> Result<()> {
    for method in [ScanMethod::ReduceThenScan, ScanMethod::LookBack] {
        let policy = Policy { scan: method, ..gpu.context.policy() };
        let limits = gpu.context.limits();
        let tile = u64::from(policy.threads) * 16;
        for most in [1, 77, tile, 3 * tile + 7, 9 * tile + 1] {
            check(
                gpu,
                &limits,
                most,
                |graph, [src, dst], n| Ok(scan::exclusive(graph, &policy, src, dst, n)?),
                reference::exclusive_scan,
            )
            .with_context(|| format!("{method:?}"))?;
        }
    }
    Ok(())
}

/// Sums of sums, and workgroups in many rows.
fn scans_in_rows_and_levels(gpu: &Gpu) -> Result<()> {
    let threads = gpu.context.properties().subgroup_size;
    let limits = Limits { max_workgroup_count: [7, 65535, 65535], ..gpu.context.limits() };
    let scan = ScanMethod::ReduceThenScan;
    let base = Policy { scan, max_groups: 7, ..gpu.context.policy() };
    for policy in [base, Policy { threads, spine_threads: threads, spine_tiles: 1, ..base }] {
        let tile = u64::from(policy.threads) * 16;
        check(
            gpu,
            &limits,
            (tile * tile + 100).min(300_000),
            |graph, [src, dst], n| Ok(scan::exclusive(graph, &policy, src, dst, n)?),
            reference::exclusive_scan,
        )?;
    }
    Ok(())
}

fn fills_and_copies(gpu: &Gpu) -> Result<()> {
    let policy = gpu.context.policy();
    for most in [3, 1000, 40_003] {
        let limits = gpu.context.limits();
        check(
            gpu,
            &limits,
            most,
            |graph, [_, dst], n| Ok(fill_first(graph, &policy, "fill", dst, n, 7)?),
            |input| vec![7; input.len()],
        )?;
        check(
            gpu,
            &limits,
            most,
            |graph, [src, dst], n| Ok(copy_first(graph, &policy, "copy", src, dst, n)?),
            <[u32]>::to_vec,
        )?;
    }
    // The same functions for a number that the host knows.
    let mut graph = Graph::new("known");
    let (src, dst) = (graph.import::<u32>("src", 50), graph.import::<u32>("dst", 50));
    copy_first(&mut graph, &policy, "copy", src, dst, 41)?;
    fill_first(&mut graph, &policy, "fill", dst, 17, 3)?;
    let executable = gpu.context.instantiate(graph.compile(&gpu.context.limits())?)?;
    let input = uniform(50, 3);
    let source = gpu.context.upload("src", &input)?;
    let output = gpu.context.upload("dst", &[UNTOUCHED; 50])?;
    gpu.context.run(&executable, &[(src, &source), (dst, &output)])?;
    let expected = [&[3; 17][..], &input[17..41]].concat();
    expect_first(&gpu.context.download::<u32>(&output)?, &expected)
}

/// One plan of a split, run with every number.
fn check_split(
    gpu: &Gpu,
    policy: &Policy,
    limits: &Limits,
    method: Method,
    kind: Kind,
    m: u32,
    most: u64,
) -> Result<()> {
    let context = &gpu.context;
    let mut graph = Graph::new("split");
    let mut import = |name: &str| graph.import::<u32>(name, most);
    let (keys_in, out) = (import("keys"), import("out"));
    let (values_in, values) = (import("values"), import("values.out"));
    let offsets = graph.import::<u32>("offsets", u64::from(m) + 1);
    let buffer = graph.import::<u32>("words", WORDS);
    let output = match kind {
        Kind::Keys => SplitOutput::Keys(out),
        Kind::Pairs => SplitOutput::Pairs { keys: out, values_in, values, value_bytes: 4 },
        Kind::Permutation => SplitOutput::Permutation(out),
    };
    let n = Count::Device { buffer, index: INDEX, most };
    let split = Split::new(KeyType::U32, m, Bucket::delta_over_domain(KeyType::U32, m)).by(method);
    add(
        &mut graph,
        policy,
        &split,
        &SplitBuffers { n, keys: keys_in, output, offsets, outside: None },
    )?;
    let executable = context.instantiate(graph.compile(limits)?)?;

    let keys = uniform(most as usize, most);
    let width = (1u64 << 32).div_ceil(u64::from(m));
    let device = |name: &str, data: &[u32]| context.upload(name, data);
    let (device_keys, device_values) =
        (device("keys", &keys)?, device("values", &(0..most as u32).collect::<Vec<_>>())?);
    let untouched = vec![UNTOUCHED; most as usize + 64];
    let (device_out, device_values_out) =
        (device("out", &untouched)?, device("values.out", &untouched)?);
    let device_offsets = device("offsets", &vec![0; m as usize + 1 + 64])?;
    let device_words = device("words", &[0; WORDS as usize])?;
    let bound = [
        (keys_in, &device_keys),
        (out, &device_out),
        (values_in, &device_values),
        (values, &device_values_out),
        (offsets, &device_offsets),
        (buffer, &device_words),
    ];
    for number in numbers(most) {
        context.write(&device_words, &words(number))?;
        context.write(&device_out, &untouched)?;
        context.write(&device_values_out, &untouched)?;
        context.write(&device_offsets, &vec![UNTOUCHED; m as usize + 1 + 64])?;
        context.run(&executable, &bound)?;
        let n = u64::from(number).min(most) as usize;
        let (order, expected_offsets) =
            reference::split(n, m, |i| (u64::from(keys[i]) / width) as u32);
        let at = || format!("{method:?}, {kind:?}, m = {m}, {number} of {most}");
        expect_first(&context.download::<u32>(&device_offsets)?, &expected_offsets)
            .with_context(|| format!("{}: offsets", at()))?;
        let expected: Vec<u32> = match kind {
            Kind::Permutation => {
                let mut places = vec![0; n];
                order.iter().zip(0..).for_each(|(&i, place)| places[i as usize] = place);
                places
            }
            _ => order.iter().map(|&i| keys[i as usize]).collect(),
        };
        expect_first(&context.download::<u32>(&device_out)?, &expected).with_context(at)?;
        let moved = if kind == Kind::Pairs { &order[..] } else { &[] };
        expect_first(&context.download::<u32>(&device_values_out)?, moved)
            .with_context(|| format!("{}: values", at()))?;
    }
    Ok(())
}

fn splits(gpu: &Gpu) -> Result<()> {
    let policy = gpu.context.policy();
    let mut rng = Rng::new(31);
    let limits = gpu.context.limits();
    for (method, turn) in METHODS.into_iter().zip(0..) {
        for kind in
            if gpu.full { KINDS.to_vec() } else { vec![KINDS[turn % 3], KINDS[(turn + 1) % 3]] }
        {
            // Few numbers of buckets, since each takes pipelines of its own.
            for &m in if gpu.full { &[1, 2, 10, 256, 257, 1000][..] } else { &[10] } {
                check_split(gpu, &policy, &limits, method, kind, m, 1 + rng.below(20_000))?;
            }
        }
    }
    check_split(gpu, &policy, &limits, Method::Block, Kind::Pairs, 2, 5003)?;
    check_split(gpu, &policy, &limits, Method::Direct, Kind::Permutation, 1000, 5003)?;
    check_split(gpu, &policy, &limits, Method::ReducedBitSort, Kind::Pairs, 1000, 5003)
}

fn splits_in_rows(gpu: &Gpu) -> Result<()> {
    let limits = Limits { max_workgroup_count: [3, 65535, 65535], ..gpu.context.limits() };
    let policy = Policy { max_groups: 3, ..gpu.context.policy() };
    for method in METHODS {
        check_split(gpu, &policy, &limits, method, Kind::Keys, 10, 30_011)?;
    }
    check_split(gpu, &policy, &limits, Method::Block, Kind::Keys, 2, 60_011)
}

/// The second split takes the first bucket of the first: its number of elements is an offset that
/// the first one wrote.
fn a_split_of_a_split(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let (policy, n) = (context.policy(), 20_011);
    let mut graph = Graph::new("twice");
    let mut import = |name: &str, len: u64| graph.import::<u32>(name, len);
    let (keys, out) = (import("keys", n), import("out", n));
    let (first, second) = (import("first", 3), import("second", 9));
    let halves = graph.transient::<u32>("halves", n);
    let split = |m, shift, bits| Split::new(KeyType::U32, m, Bucket::Digit { shift, bits });
    let buffers = SplitBuffers {
        n: n.into(),
        keys,
        output: SplitOutput::Keys(halves),
        offsets: first,
        outside: None,
    };
    add(&mut graph, &policy, &split(2, 31, 1), &buffers)?;
    let count = Count::Device { buffer: first, index: 1, most: n };
    let output = SplitOutput::Keys(out);
    let buffers = SplitBuffers { n: count, keys: halves, output, offsets: second, outside: None };
    add(&mut graph, &policy, &split(8, 0, 3), &buffers)?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let input = uniform(n as usize, 5);
    let device_keys = context.upload("keys", &input)?;
    let device_out = context.upload("out", &vec![UNTOUCHED; n as usize])?;
    let offsets = [context.buffer::<u32>("first", 3)?, context.buffer::<u32>("second", 9)?];
    let bound =
        [(keys, &device_keys), (out, &device_out), (first, &offsets[0]), (second, &offsets[1])];
    context.run(&executable, &bound)?;
    let low: Vec<u32> = input.into_iter().filter(|key| key >> 31 == 0).collect();
    let (order, expected) = reference::split(low.len(), 8, |i| low[i] & 7);
    expect_equal(&context.download::<u32>(&offsets[1])?, &expected)?;
    let sorted: Vec<u32> = order.iter().map(|&i| low[i as usize]).collect();
    expect_first(&context.download::<u32>(&device_out)?, &sorted)
}

/// A recording that is submitted again and again. Each run keeps the first bucket of what the run
/// before kept, by a function that depends on how many those are.
fn fewer_from_run_to_run(gpu: &Gpu) -> Result<()> {
    const SOURCE: &str = "uint bucket_of(uint key) { return (key * table.at[0]) >> 31; }";
    let context = &gpu.context;
    let (policy, most) = (context.policy(), 20_011);
    for method in [Method::Direct, Method::OneSweep] {
        let mut graph = Graph::new("fewer");
        let (keys, number) = (graph.import::<u32>("keys", most), graph.import::<u32>("number", 1));
        let (kept, offsets) =
            (graph.transient::<u32>("kept", most), graph.transient::<u32>("offsets", 3));
        let n = Count::Device { buffer: number, index: 0, most };
        let bucket = Bucket::Glsl(UserBucket::new(SOURCE).with_table(number));
        let output = SplitOutput::Keys(kept);
        let buffers = SplitBuffers { n, keys, output, offsets, outside: None };
        add(&mut graph, &policy, &Split::new(KeyType::U32, 2, bucket).by(method), &buffers)?;
        copy_first(&mut graph, &policy, "keep", kept, keys, n)?;
        graph.copy("number", offsets.elements::<u32>(1, 1), number);
        graph.replayable();
        let executable = context.instantiate(graph.compile(&context.limits())?)?;

        let mut expected = uniform(most as usize, 6);
        let device_keys = context.upload("keys", &expected)?;
        let device_number = context.upload("number", &[most as u32])?;
        let bound = [(keys, &device_keys), (number, &device_number)];
        let mut replay = context.replay(executable.into(), &bound)?;
        for runs in [1, 2, 1, 30] {
            replay.submit(runs)?;
            replay.wait()?;
            for _ in 0..runs {
                let factor = expected.len() as u32;
                expected.retain(|key| key.wrapping_mul(factor) >> 31 == 0);
            }
            let left = context.download::<u32>(&device_number)?[0] as usize;
            ensure!(left == expected.len(), "{method:?}: {left}, expected {}", expected.len());
            expect_equal(&context.download::<u32>(&device_keys)?[..left], &expected)?;
        }
    }
    Ok(())
}

/// Such a barrier takes twice the time of one without.
fn one_barrier_for_indirect_dispatches(gpu: &Gpu) -> Result<()> {
    for (method, m) in METHODS.into_iter().flat_map(|method| [(method, 256), (method, 4096)]) {
        let mut graph = Graph::new("split");
        let most = 1 << 22;
        let (keys, out) = (graph.import::<u32>("keys", most), graph.import::<u32>("out", most));
        let offsets = graph.import::<u32>("offsets", u64::from(m) + 1);
        let buffer = graph.import::<u32>("words", 1);
        let split =
            Split::new(KeyType::U32, m, Bucket::Digit { shift: 0, bits: m.ilog2() }).by(method);
        let (n, output) = (Count::Device { buffer, index: 0, most }, SplitOutput::Keys(out));
        let buffers = SplitBuffers { n, keys, output, offsets, outside: None };
        add(&mut graph, &gpu.context.policy(), &split, &buffers)?;
        let text = graph.compile(&gpu.context.limits())?.to_text();
        let barriers = text.matches("draw_indirect:indirect_command_read").count();
        ensure!(barriers == 1, "{method:?}, m = {m}, has {barriers}:\n{text}");
    }
    Ok(())
}

fn refused(gpu: &Gpu) -> Result<()> {
    let policy = Policy { max_storage_range: 4000, ..gpu.context.policy() };
    let mut graph = Graph::new("refused");
    let (src, dst) = (graph.import::<u32>("src", 5000), graph.import::<u32>("dst", 5000));
    let buffer = graph.import::<u32>("words", 2);
    let count = |index, most| Count::Device { buffer, index, most };
    let result = scan::exclusive(&mut graph, &policy, src, dst, count(0, 5000));
    ensure!(matches!(result, Err(Error::TooLarge { .. })), "pieces: {result:?}");
    let result = scan::exclusive(&mut graph, &policy, src, dst, count(2, 100));
    ensure!(matches!(result, Err(Error::BufferTooSmall { .. })), "no such word: {result:?}");
    let result = fill_first(&mut graph, &policy, "fill", dst, count(0, 5001), 0);
    ensure!(matches!(result, Err(Error::BufferTooSmall { .. })), "too many: {result:?}");
    let result = fill_first(&mut graph, &policy, "fill", dst, count(0, 5000), 0);
    ensure!(matches!(result, Err(Error::TooLarge { .. })), "pieces: {result:?}");
    Ok(())
}
