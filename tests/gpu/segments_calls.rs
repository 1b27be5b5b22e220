//! Segmented scans and reductions in one call and as work, and rejected arguments. These tests do
//! not depend on the subgroup width.

use std::sync::Arc;

use anyhow::{Result, ensure};
use multisplit::graph::Graph;
use multisplit::operations::{
    ReduceByKeyBuffers, ScanBuffers, SegmentedReduceBuffers, reduce_by_key, reduce_segments, scan,
};
use multisplit::{Bound, Error, ExecutableOptions, Operator, Scan};
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::terms;
use multisplit_tests::tests;

tests!(segments_calls:
    calls_by_key_match_the_cpu, segmented_calls_match_the_cpu, later_passes_use_the_found_count,
    replay_by_address_matches_the_cpu, invalid_calls_by_key_are_rejected,
    invalid_segments_are_rejected,
);

fn calls_by_key_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let (keys, values) = ([3u64, 3, 3, 1 << 40, 1 << 40, 3], [1i64, 2, 3, -4, -5, -6]);
    let how = Scan::exclusive(Operator::Sum);
    expect_equal(&context.scan_by_key(&keys, &values, &how)?, &[0, 1, 3, 0, -4, 0])?;
    let (array, key_array) = (context.upload(&values)?, context.upload(&keys)?);
    let found = context.scan_by_key(&key_array, &array, &Scan::inclusive(Operator::Min))?;
    expect_equal(&context.download(&found)?, &[1, 1, 1, -4, -5, -6])?;
    let found = context.scan_by_heads(&[0, 0, 7, 0, 0, 1], &values, &how)?;
    expect_equal(&found, &[0, 1, 0, 3, -1, 0])?;
    let (found_keys, found) = context.reduce_by_key(&keys, &values, Operator::Max)?;
    expect_equal(&found_keys, &[3, 1 << 40, 3])?;
    expect_equal(&found, &[3, -4, -6])?;
    let (found_keys, found) = context.reduce_by_key(&key_array, &array, Operator::Sum)?;
    expect_equal(&context.download(&found_keys)?, &[3, 1 << 40, 3])?;
    expect_equal(&context.download(&found)?, &[6, -9, -6])?;
    let (found_keys, found) = context.reduce_by_key(&[0f32; 0], &[0f64; 0], Operator::Sum)?;
    ensure!(found_keys.is_empty() && found.is_empty());
    ensure!(context.scan_by_key(&[0u32; 0], &[0f64; 0], &how)?.is_empty());
    Ok(())
}

fn segmented_calls_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let (values, cuts) = ([3i32, -1, 4, 1], [0, 2, 2, 4]);
    expect_equal(&context.reduce_segments(&values, &cuts, Operator::Sum)?, &[2, 0, 5])?;
    let (array, offsets) = (context.upload(&values)?, context.upload(&cuts)?);
    let found = context.reduce_segments(&array, &offsets, Operator::Min)?;
    expect_equal(&context.download(&found)?, &[-1, i32::MAX, 1])?;
    let of_rows = context.reduce_rows(&[3u32, 1, 4, 1, 5, 9], 2, Operator::Sum)?;
    expect_equal(&of_rows, &[4, 5, 14])?;
    ensure!(context.reduce_rows(&[0f64; 0], 7, Operator::Max)?.is_empty());
    for length in [0, 4] {
        let result = context.reduce_rows(&[1u32; 6], length, Operator::Sum);
        ensure!(matches!(result, Err(Error::Rows { n: 6, .. })), "{result:?}");
    }
    ensure!(context.reduce_segments(&values, &[0; 0], Operator::Sum)?.is_empty());
    ensure!(context.reduce_segments(&values, &[4], Operator::Sum)?.is_empty());
    expect_equal(&context.reduce_segments(&[0f32; 0], &[0, 0], Operator::Sum)?, &[0.0])?;
    let dst = context.zeroed::<i32>(3)?;
    let mut work = context.work("segments");
    work.reduce_segments(&array, &offsets, &dst, Operator::Max)?;
    let of_rows = context.zeroed::<i32>(2)?;
    work.reduce_rows(&array, 2, &of_rows, Operator::Sum)?;
    work.record()?.submit()?;
    expect_equal(&context.download(&of_rows)?, &[2, 5])?;
    expect_equal(&context.download(&dst)?, &[3, i32::MIN, 4])
}

/// One recording that is run repeatedly, by address if the device supports it; the results of each
/// run are checked.
fn replay_by_address_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let (context, n) = (&gpu.context, 9000u64);
    let keys: Vec<u32> = (0..n as u32).map(|at| at / 70 * 3).collect();
    let values: Vec<u32> = terms::input(Operator::Sum, n as usize, 6);
    let offsets: Vec<u32> = [0, 7, 7, 8000, 9000].to_vec();
    let mut graph = Graph::new("again");
    let [from, src, scanned, out, sums] =
        ["keys", "src", "scanned", "out", "sums"].map(|name| graph.import::<u32>(name, n));
    let (cuts, of_cuts) = (graph.import::<u32>("cuts", 5), graph.import::<u32>("of_cuts", 4));
    let found = graph.import::<u32>("found", 1);
    let policy = context.policy();
    let how = Scan::inclusive(Operator::Sum);
    scan(&mut graph, &policy, &how, &ScanBuffers::new(src, scanned).keys(from))?;
    let buffers = ReduceByKeyBuffers::new((from, scanned), (out, sums), found);
    reduce_by_key(&mut graph, &policy, Operator::Max, &buffers)?;
    let buffers = SegmentedReduceBuffers::new(scanned, cuts, of_cuts);
    reduce_segments(&mut graph, &policy, Operator::Max, &buffers)?;
    // Rows that share a subgroup, and rows with one worker each.
    let rows =
        [8, 3000].map(|length| (length, graph.import::<u32>(format!("of_{length}"), n / length)));
    for (length, of_rows) in rows {
        let buffers = SegmentedReduceBuffers::rows(scanned, length, of_rows);
        reduce_segments(&mut graph, &policy, Operator::Max, &buffers)?;
    }
    graph.replayable();
    let by_address = context.features().buffer_device_address;
    let options = ExecutableOptions { by_address, ..ExecutableOptions::default() };
    let plan = graph.compile(&context.limits())?;
    let executable = Arc::new(context.instantiate_with(plan, options)?);
    let [keys_in, values_in] = [context.upload(&keys)?, context.upload(&values)?];
    let results = [(); 3].map(|()| context.zeroed::<u32>(n));
    let [of_scan, of_keys, of_sums] = results;
    let (of_scan, of_keys, of_sums) = (of_scan?, of_keys?, of_sums?);
    let (offsets_in, totals) = (context.upload(&offsets)?, context.zeroed::<u32>(4)?);
    let count = context.zeroed::<u32>(1)?;
    let [of_short, of_long] = rows.map(|(length, _)| context.zeroed::<u32>(n / length));
    let (of_short, of_long) = (of_short?, of_long?);
    let bound: [Bound<'_>; 10] = [
        (rows[0].1, &of_short).into(),
        (rows[1].1, &of_long).into(),
        (from, &keys_in).into(),
        (src, &values_in).into(),
        (scanned, &of_scan).into(),
        (out, &of_keys).into(),
        (sums, &of_sums).into(),
        (cuts, &offsets_in).into(),
        (of_cuts, &totals).into(),
        (found, &count).into(),
    ];
    let mut replay = context.replay(executable, &bound)?;
    let runs = keys.chunk_by(|a, b| a == b).map(<[u32]>::len);
    let mut begin = 0;
    let mut expected = Vec::new();
    for length in runs {
        expected.push(terms::scan(Operator::Sum, true, &values[begin..begin + length]));
        begin += length;
    }
    let tops: Vec<u32> = expected.iter().map(|of| terms::reduce(Operator::Max, of)).collect();
    let all = expected.concat();
    let of = |pair: &[u32]| terms::reduce(Operator::Max, &all[pair[0] as usize..pair[1] as usize]);
    let of_cuts: Vec<u32> = offsets.windows(2).map(of).collect();
    for _ in 0..if gpu.full { 1000 } else { 30 } {
        replay.submit(1)?;
        replay.wait()?;
        expect_equal(&context.download(&of_scan)?, &all)?;
        expect_equal(&context.download(&of_sums)?[..tops.len()], &tops)?;
        expect_equal(&context.download(&count)?, &[tops.len() as u32])?;
        expect_equal(&context.download(&totals)?, &of_cuts)?;
        for (length, found) in [(8, &of_short), (3000, &of_long)] {
            let rows = all.chunks(length).map(|row| terms::reduce(Operator::Max, row));
            expect_equal(&context.download(found)?, &rows.collect::<Vec<u32>>())?;
        }
    }
    Ok(())
}

/// The passes after a reduction use the count it found, without the host.
fn later_passes_use_the_found_count(gpu: &Gpu) -> Result<()> {
    let (context, n) = (&gpu.context, 10_000);
    let values = terms::input::<u64>(Operator::Max, n, 4);
    let keys: Vec<u32> = (0..n as u32).map(|at| at * at / 17 % 1000).collect();
    let heads: Vec<bool> = (0..n).map(|at| at == 0 || keys[at] != keys[at - 1]).collect();
    let expected: Vec<u64> = terms::segments(&values, &heads)
        .iter()
        .map(|of| terms::reduce(Operator::Max, of))
        .collect();
    let (keys, values) = (context.upload(&keys)?, context.upload(&values)?);
    let (out, tops) = (context.zeroed::<u32>(n as u64)?, context.zeroed::<u64>(n as u64)?);
    let (found, sums) = (context.zeroed::<u32>(1)?, context.zeroed::<u64>(n as u64)?);
    let mut work = context.work("reduce by key and scan");
    work.reduce_by_key((&keys, &values), (&out, &tops), &found, Operator::Max)?;
    let runs = work.count_in(&found, n as u64);
    work.scan_by_key(&out, tops.first(runs), &sums, &Scan::inclusive(Operator::Sum))?;
    work.record()?.submit()?;
    // Adjacent runs have different keys, so each run is a segment.
    let mut all = expected.clone();
    all.resize(n, 0);
    expect_equal(&context.download(&sums)?, &all)?;
    expect_equal(&context.download(&found)?, &[expected.len() as u32])
}

fn invalid_calls_by_key_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.context.policy();
    let mut graph = Graph::new("refused");
    let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, 8));
    let (short, bytes) = (graph.import::<u32>("short", 7), graph.import::<u8>("bytes", 8));
    let floats = graph.import::<f32>("floats", 8);
    let huge = graph.import::<u32>("huge", 1 << 33);
    let good = ScanBuffers::new(src, dst);
    let mut add = |buffers| scan(&mut graph, &policy, &Scan::default(), &buffers);
    let result = add(good.keys(short));
    ensure!(matches!(result, Err(Error::BufferTooSmall { .. })), "{result:?}");
    let result = add(good.keys(bytes));
    ensure!(matches!(result, Err(Error::KeyTypeMismatch { name: "keys", .. })), "{result:?}");
    let result = add(good.heads(floats));
    ensure!(matches!(result, Err(Error::KeyTypeMismatch { name: "heads", .. })), "{result:?}");
    let result = add(ScanBuffers::new(huge, huge).keys(huge));
    ensure!(matches!(result, Err(Error::TooLarge { .. })), "{result:?}");
    let mut add = |buffers| reduce_by_key(&mut graph, &policy, Operator::Sum, &buffers);
    let result = add(ReduceByKeyBuffers::new((src, src), (floats, dst), short));
    ensure!(matches!(result, Err(Error::KeyTypeMismatch { name: "keys_out", .. })), "{result:?}");
    let result = add(ReduceByKeyBuffers::new((src, src), (dst, floats), short));
    ensure!(matches!(result, Err(Error::KeyTypeMismatch { name: "values_out", .. })), "{result:?}");
    let result = add(ReduceByKeyBuffers::new((src, src), (dst, short), short));
    ensure!(matches!(result, Err(Error::BufferTooSmall { .. })), "{result:?}");
    let result = add(ReduceByKeyBuffers::new((huge, huge), (huge, huge), short));
    ensure!(matches!(result, Err(Error::TooLarge { .. })), "{result:?}");
    let result = gpu.context.reduce_by_key(&[1u32, 2], &[1u32], Operator::Sum);
    ensure!(matches!(result, Err(Error::LengthMismatch { .. })), "{result:?}");
    let result = gpu.context.scan_by_key(&[1u32, 2], &[1u32], &Scan::default());
    ensure!(matches!(result, Err(Error::LengthMismatch { .. })), "{result:?}");
    Ok(())
}

fn invalid_segments_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.context.policy();
    for cuts in [[0, 3, 2], [0, 1, 5]] {
        let result = gpu.context.reduce_segments(&[1u32, 2, 3, 4], &cuts, Operator::Sum);
        ensure!(matches!(result, Err(Error::Segments { .. })), "{result:?}");
    }
    let mut graph = Graph::new("refused");
    let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, 8));
    let (short, floats) = (graph.import::<u32>("short", 7), graph.import::<f32>("floats", 9));
    let huge = graph.import::<u32>("huge", 1 << 33);
    let mut add = |buffers| reduce_segments(&mut graph, &policy, Operator::Sum, &buffers);
    let result = add(SegmentedReduceBuffers::new(src, short, floats));
    ensure!(matches!(result, Err(Error::KeyTypeMismatch { name: "dst", .. })), "{result:?}");
    let result = add(SegmentedReduceBuffers::new(src, floats, dst));
    ensure!(matches!(result, Err(Error::KeyTypeMismatch { name: "offsets", .. })), "{result:?}");
    let result = add(SegmentedReduceBuffers::new(src, short, dst).count(7));
    ensure!(matches!(result, Err(Error::BufferTooSmall { .. })), "{result:?}");
    let result = add(SegmentedReduceBuffers::new(src, short, dst).elements(9));
    ensure!(matches!(result, Err(Error::BufferTooSmall { .. })), "{result:?}");
    let result = add(SegmentedReduceBuffers::new(huge, short, dst));
    ensure!(matches!(result, Err(Error::TooLarge { .. })), "{result:?}");
    let result = add(SegmentedReduceBuffers::new(src, huge, huge));
    ensure!(matches!(result, Err(Error::TooLarge { .. })), "{result:?}");
    Ok(())
}
