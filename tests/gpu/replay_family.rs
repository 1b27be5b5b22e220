//! One recording of selections, scans, reductions, searches, merges, top-k and segmented sorts. It
//! is submitted many times with different data.

use std::sync::Arc;

use multisplit_tests::generate::runs;
use multisplit_tests::prelude::*;

tests!(replay_family: repeated_runs_with_changing_data_match_the_cpu);

const N: u64 = 3001;
const K: u64 = 7;
/// Segment offsets: one segment is empty, and one is longer than all others together.
const OFFSETS: [u32; 6] = [0, 3, 3, 40, 2900, 3001];

/// Number of elements to search for.
const NEEDLES: usize = 333;

/// The arrays that a run writes: name and capacity.
const OUTPUTS: [(&str, u64); 13] = [
    ("found", 1),
    ("greatest", 1),
    ("of_segments", OFFSETS.len() as u64 - 1),
    ("segments", N),
    ("largest", K),
    ("places", K),
    ("positions", NEEDLES as u64),
    ("merged", 2 * N),
    ("keys", N),
    ("sums", N),
    ("firsts", N),
    ("lengths", N),
    ("begins", N),
];

/// The expected contents of the arrays that a run writes, by name.
fn expected(data: &[u32], needles: &[u32]) -> Vec<(&'static str, Vec<u32>)> {
    let (firsts, lengths) = reference::runs(data);
    let begins = reference::exclusive_scan(&lengths);
    let sum = |elements: &[u32]| elements.iter().sum::<u32>();
    let mut places = reference::order_by(data.len(), |i| u32::MAX - data[i]);
    places.truncate(K as usize);
    let positions = needles.iter().map(|needle| begins.partition_point(|x| x < needle) as u32);
    let merged = reference::sorted(&[&begins[..], &begins[..]].concat());
    vec![
        ("found", vec![firsts.len() as u32]),
        ("greatest", vec![data.iter().copied().max().unwrap_or(0)]),
        ("of_segments", reference::segments(data, &OFFSETS).map(sum).collect()),
        ("segments", reference::sorted_segments(data, &OFFSETS)),
        ("largest", reference::pick(data, &places)),
        ("places", places),
        ("positions", positions.collect()),
        ("merged", merged),
        ("keys", firsts.clone()),
        ("sums", data.chunk_by(u32::eq).map(sum).collect()),
        ("firsts", firsts),
        ("lengths", lengths),
        ("begins", begins),
    ]
}

fn repeated_runs_with_changing_data_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = &gpu.policy();
    let needles: Vec<u32> = uniform(NEEDLES, 5).into_iter().map(|word| word % 3100).collect();
    let mut setup = Setup::new(gpu, "family");
    let (src, sought) =
        (setup.input("data", &runs(N as usize, 50, 0)), setup.input("needles", &needles));
    let cuts = setup.input("offsets", &OFFSETS);
    let outputs = OUTPUTS.map(|(name, len)| (name, setup.output::<u32>(name, len as usize)));
    let out = |name| -> Result<Buffer> {
        let found = outputs.iter().find(|output| output.0 == name);
        Ok(found.with_context(|| format!("there is no output `{name}`"))?.1)
    };
    let graph = &mut setup.graph;
    let found = Count::Device { buffer: out("found")?, index: 0, max: N };
    let segments = OFFSETS.len() as u64 - 1;

    let selection = SelectBuffers::new(src, out("firsts")?, out("found")?);
    let selection = selection.run_lengths(out("lengths")?);
    select(graph, policy, &Select::<u32>::first_of_runs(), &selection)?;
    let sums = ScanBuffers::new(out("lengths")?, out("begins")?).count(found);
    scan(graph, policy, &Scan::default(), &sums)?;
    let total = graph.transient::<u32>("runs", 1);
    let by_key = ReduceByKeyBuffers::new((src, src), (out("keys")?, out("sums")?), total);
    reduce_by_key(graph, policy, Operator::Sum, &by_key)?;
    reduce(graph, policy, Operator::Max, &ReduceBuffers::new(src, out("greatest")?))?;
    let of_segments = SegmentedReduceBuffers::new(src, cuts, out("of_segments")?);
    reduce_segments(graph, policy, Operator::Sum, &of_segments.count(segments))?;
    copy(graph, policy, "copy", src, out("segments")?)?;
    let keys = SortBuffers::keys(out("segments")?).segments(cuts, segments);
    sort(graph, policy, &Sort::default(), &keys)?;
    let largest = TopKBuffers::new(src, out("largest")?, out("places")?);
    topk(graph, policy, &TopK::largest(K), &largest)?;
    let bounds = SearchBuffers::new(out("begins")?, sought, out("positions")?).sorted_count(found);
    search(graph, policy, Search::LowerBound, &bounds)?;
    let both = MergeBuffers::keys(out("begins")?, out("begins")?, out("merged")?);
    merge(graph, policy, Merge::default(), &both.counts(found, found))?;
    graph.replayable();

    let executable = Arc::new(setup.executable()?);
    let mut replay = gpu.replay(executable, &setup.upload()?)?;
    let memory = gpu.memory_report();
    for run in 0..if gpu.full { 1000 } else { 200 } {
        let now = runs(N as usize, 50, run);
        setup.write(src, &now)?;
        replay.submit(1)?;
        replay.wait()?;
        ensure!(gpu.memory_report() == memory || run == 0, "run {run} allocated memory");
        // Downloading all outputs takes longer than a run, so a plain run checks the first three
        // runs and then every twentieth.
        if !gpu.full && run % 20 != 19 && run > 2 {
            continue;
        }
        for (name, values) in expected(&now, &needles) {
            let got: Vec<u32> = setup.found(out(name)?)?;
            expect_equal(&got[..values.len()], &values)
                .with_context(|| format!("{name}, run {run}"))?;
        }
    }
    Ok(())
}
