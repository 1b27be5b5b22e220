//! Selections, scans, reductions, searches, merges, top-k and segmented sorts in one recording,
//! which is submitted a thousand times with different data.

use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use multisplit::graph::{Buffer, Graph};
use multisplit::operations::{
    Count, Merge, MergeBuffers, ReduceBuffers, ReduceByKeyBuffers, ScanBuffers, Search,
    SearchBuffers, SegmentedReduceBuffers, SelectBuffers, SortBuffers, TopKBuffers, copy, merge,
    reduce, reduce_by_key, reduce_segments, scan, search, select, sort, topk,
};
use multisplit::{Array, Bound, Operator, Scan, Select, Sort, TopK};
use multisplit_tests::generate::uniform;
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::tests;

tests!(replay_family: thousand_runs_of_all_operations_are_correct);

const N: u64 = 3001;
const K: u64 = 7;
/// Segment offsets: one segment is empty, and one is longer than all others together.
const OFFSETS: [u32; 6] = [0, 3, 3, 40, 2900, 3001];

/// Data with few distinct values, in runs of about four.
fn runs(seed: u64) -> Vec<u32> {
    let mut value = 0;
    let step = |word: u32| {
        if word.is_multiple_of(4) {
            value = (word >> 8) % 50;
        }
        value
    };
    uniform(N as usize, seed).into_iter().map(step).collect()
}

/// The expected contents of the arrays that a run writes, by name.
fn expected(data: &[u32], needles: &[u32]) -> Vec<(&'static str, Vec<u32>)> {
    let of_runs: Vec<&[u32]> = data.chunk_by(|a, b| a == b).collect();
    let firsts: Vec<u32> = of_runs.iter().map(|run| run[0]).collect();
    let lengths: Vec<u32> = of_runs.iter().map(|run| run.len() as u32).collect();
    let before = |total: &mut u32, &length: &u32| {
        let begin = *total;
        *total += length;
        Some(begin)
    };
    let begins: Vec<u32> = lengths.iter().scan(0, before).collect();
    let sums = of_runs.iter().map(|run| run.iter().sum()).collect();
    let of_segments = |of: &dyn Fn(&[u32]) -> Vec<u32>| -> Vec<u32> {
        OFFSETS.windows(2).flat_map(|s| of(&data[s[0] as usize..s[1] as usize])).collect()
    };
    let in_order = |segment: &[u32]| {
        let mut keys = segment.to_vec();
        keys.sort_unstable();
        keys
    };
    let mut places: Vec<u32> = (0..data.len() as u32).collect();
    places.sort_by_key(|&i| (u32::MAX - data[i as usize], i));
    places.truncate(K as usize);
    let largest = places.iter().map(|&i| data[i as usize]).collect();
    let positions = needles.iter().map(|needle| begins.partition_point(|x| x < needle) as u32);
    let mut merged = [&begins[..], &begins[..]].concat();
    merged.sort_unstable();
    vec![
        ("found", vec![firsts.len() as u32]),
        ("greatest", vec![data.iter().copied().max().unwrap_or(0)]),
        ("of_segments", of_segments(&|segment| vec![segment.iter().sum()])),
        ("segments", of_segments(&in_order)),
        ("largest", largest),
        ("places", places),
        ("positions", positions.collect()),
        ("merged", merged),
        ("keys", firsts.clone()),
        ("sums", sums),
        ("firsts", firsts),
        ("lengths", lengths),
        ("begins", begins),
    ]
}

/// The capacity of each array.
fn output_len(name: &str, needles: u64) -> u64 {
    match name {
        "found" | "greatest" => 1,
        "of_segments" => OFFSETS.len() as u64 - 1,
        "largest" | "places" => K,
        "positions" => needles,
        "merged" => 2 * N,
        _ => N,
    }
}

fn thousand_runs_of_all_operations_are_correct(gpu: &Gpu) -> Result<()> {
    let (context, policy) = (&gpu.context, &gpu.context.policy());
    let needles: Vec<u32> = uniform(333, 5).into_iter().map(|word| word % 3100).collect();
    let data = context.upload(&runs(0))?;
    let (device_needles, offsets) = (context.upload(&needles)?, context.upload(&OFFSETS)?);

    let mut graph = Graph::new("family");
    let src = graph.import::<u32>("data", N);
    let sought = graph.import::<u32>("needles", needles.len() as u64);
    let cuts = graph.import::<u32>("offsets", OFFSETS.len() as u64);
    let mut outputs: Vec<(&str, Buffer, Array<u32>)> = Vec::new();
    for (name, _) in expected(&runs(0), &needles) {
        let elements = output_len(name, needles.len() as u64);
        outputs.push((name, graph.import::<u32>(name, elements), context.zeroed(elements)?));
    }
    let out = |name| -> Result<Buffer> {
        let found = outputs.iter().find(|output| output.0 == name);
        Ok(found.with_context(|| format!("no output {name}"))?.1)
    };
    let found = Count::Device { buffer: out("found")?, index: 0, max: N };
    let segments = OFFSETS.len() as u64 - 1;

    let selection = SelectBuffers::new(src, out("firsts")?, out("found")?);
    let selection = selection.run_lengths(out("lengths")?);
    select(&mut graph, policy, &Select::<u32>::first_of_runs(), &selection)?;
    let sums = ScanBuffers::new(out("lengths")?, out("begins")?).count(found);
    scan(&mut graph, policy, &Scan::default(), &sums)?;
    let total = graph.transient::<u32>("runs", 1);
    let by_key = ReduceByKeyBuffers::new((src, src), (out("keys")?, out("sums")?), total);
    reduce_by_key(&mut graph, policy, Operator::Sum, &by_key)?;
    reduce(&mut graph, policy, Operator::Max, &ReduceBuffers::new(src, out("greatest")?))?;
    let of_segments = SegmentedReduceBuffers::new(src, cuts, out("of_segments")?);
    reduce_segments(&mut graph, policy, Operator::Sum, &of_segments.count(segments))?;
    copy(&mut graph, policy, "copy", src, out("segments")?)?;
    let keys = SortBuffers::keys(out("segments")?).segments(cuts, segments);
    sort(&mut graph, policy, &Sort::default(), &keys)?;
    let largest = TopKBuffers::new(src, out("largest")?, out("places")?);
    topk(&mut graph, policy, &TopK::largest(K), &largest)?;
    let bounds = SearchBuffers::new(out("begins")?, sought, out("positions")?).sorted_count(found);
    search(&mut graph, policy, Search::LowerBound, &bounds)?;
    let both = MergeBuffers::keys(out("begins")?, out("begins")?, out("merged")?);
    merge(&mut graph, policy, Merge::default(), &both.counts(found, found))?;
    graph.replayable();

    let executable = Arc::new(context.instantiate(graph.compile(&context.limits())?)?);
    let mut bound: Vec<Bound<'_>> =
        vec![(src, &data).into(), (sought, &device_needles).into(), (cuts, &offsets).into()];
    bound.extend(outputs.iter().map(|(_, buffer, array)| Bound::from((*buffer, array))));
    let mut replay = context.replay(executable, &bound)?;
    let memory = context.memory_report();
    for run in 0..1000 {
        let now = runs(run);
        context.write(&data, 0, &now)?;
        replay.submit(1)?;
        replay.wait()?;
        ensure!(context.memory_report() == memory || run == 0, "run {run} allocated memory");
        // Reading everything takes longer than the run, so a plain run checks the first few and
        // every twentieth run.
        if !gpu.full && run % 20 != 19 && run > 2 {
            continue;
        }
        for (name, values) in expected(&now, &needles) {
            let array = outputs.iter().find(|output| output.0 == name).context("an output")?;
            let got = context.download_range(&array.2, 0..values.len() as u64)?;
            expect_equal(&got, &values).with_context(|| format!("{name}, run {run}"))?;
        }
    }
    Ok(())
}
