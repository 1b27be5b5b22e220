//! Segmented scans and reductions as single calls and as recorded work, and rejected arguments.
//! These tests do not depend on the subgroup width.

use std::sync::Arc;

use multisplit_tests::prelude::*;

tests!(segments_calls:
    one_call_operations_by_key_match_the_cpu, one_call_segmented_operations_match_the_cpu,
    later_passes_use_the_found_count, replay_by_address_matches_the_cpu,
    invalid_operations_by_key_are_rejected, invalid_segments_are_rejected,
);

fn one_call_operations_by_key_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let (keys, values) = ([3u64, 3, 3, 1 << 40, 1 << 40, 3], [1i64, 2, 3, -4, -5, -6]);
    let how = Scan::exclusive(Operator::Sum);
    expect_equal(&gpu.scan_by_key(&keys, &values, &how)?, &[0, 1, 3, 0, -4, 0])?;
    let (array, key_array) = (gpu.upload(&values)?, gpu.upload(&keys)?);
    let found = gpu.scan_by_key(&key_array, &array, &Scan::inclusive(Operator::Min))?;
    expect_equal(&gpu.download(&found)?, &[1, 1, 1, -4, -5, -6])?;
    let found = gpu.scan_by_heads(&[0, 0, 7, 0, 0, 1], &values, &how)?;
    expect_equal(&found, &[0, 1, 0, 3, -1, 0])?;
    let (found_keys, found) = gpu.reduce_by_key(&keys, &values, Operator::Max)?;
    expect_equal(&found_keys, &[3, 1 << 40, 3])?;
    expect_equal(&found, &[3, -4, -6])?;
    let (found_keys, found) = gpu.reduce_by_key(&key_array, &array, Operator::Sum)?;
    expect_equal(&gpu.download(&found_keys)?, &[3, 1 << 40, 3])?;
    expect_equal(&gpu.download(&found)?, &[6, -9, -6])?;
    let (found_keys, found) = gpu.reduce_by_key(&[0f32; 0], &[0f64; 0], Operator::Sum)?;
    ensure!(found_keys.is_empty() && found.is_empty());
    ensure!(gpu.scan_by_key(&[0u32; 0], &[0f64; 0], &how)?.is_empty());
    Ok(())
}

fn one_call_segmented_operations_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let (values, cuts) = ([3i32, -1, 4, 1], [0, 2, 2, 4]);
    expect_equal(&gpu.reduce_segments(&values, &cuts, Operator::Sum)?, &[2, 0, 5])?;
    let (array, offsets) = (gpu.upload(&values)?, gpu.upload(&cuts)?);
    let found = gpu.reduce_segments(&array, &offsets, Operator::Min)?;
    expect_equal(&gpu.download(&found)?, &[-1, i32::MAX, 1])?;
    let of_rows = gpu.reduce_rows(&[3u32, 1, 4, 1, 5, 9], 2, Operator::Sum)?;
    expect_equal(&of_rows, &[4, 5, 14])?;
    ensure!(gpu.reduce_rows(&[0f64; 0], 7, Operator::Max)?.is_empty());
    for length in [0, 4] {
        expect_errors! {
            gpu.reduce_rows(&[1u32; 6], length, Operator::Sum) => Rows { n: 6, .. },
        }
    }
    ensure!(gpu.reduce_segments(&values, &[0; 0], Operator::Sum)?.is_empty());
    ensure!(gpu.reduce_segments(&values, &[4], Operator::Sum)?.is_empty());
    expect_equal(&gpu.reduce_segments(&[0f32; 0], &[0, 0], Operator::Sum)?, &[0.0])?;
    let dst = gpu.zeroed::<i32>(3)?;
    let mut work = gpu.work("segments");
    work.reduce_segments(&array, &offsets, &dst, Operator::Max)?;
    let of_rows = gpu.zeroed::<i32>(2)?;
    work.reduce_rows(&array, 2, &of_rows, Operator::Sum)?;
    work.record()?.submit()?;
    expect_equal(&gpu.download(&of_rows)?, &[2, 5])?;
    expect_equal(&gpu.download(&dst)?, &[3, i32::MIN, 4])
}

/// One recording runs repeatedly, by device address if the device supports it. The results of each
/// run are checked.
fn replay_by_address_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let n = 9000;
    let keys: Vec<u32> = (0..n as u32).map(|at| at / 70 * 3).collect();
    let values: Vec<u32> = terms::input(Operator::Sum, n, 6);
    let offsets = [0, 7, 7, 8000, 9000];
    let mut setup = Setup::new(gpu, "again");
    let (from, src) = (setup.input("keys", &keys), setup.input("src", &values));
    let [scanned, out, sums] = ["scanned", "out", "sums"].map(|name| setup.output::<u32>(name, n));
    let (cuts, of_cuts) = (setup.input("cuts", &offsets), setup.output::<u32>("of_cuts", 4));
    let found = setup.output::<u32>("found", 1);
    let policy = gpu.policy();
    let how = Scan::inclusive(Operator::Sum);
    scan(&mut setup.graph, &policy, &how, &ScanBuffers::new(src, scanned).keys(from))?;
    let buffers = ReduceByKeyBuffers::new((from, scanned), (out, sums), found);
    reduce_by_key(&mut setup.graph, &policy, Operator::Max, &buffers)?;
    let buffers = SegmentedReduceBuffers::new(scanned, cuts, of_cuts);
    reduce_segments(&mut setup.graph, &policy, Operator::Max, &buffers)?;
    // Short rows, several of which share a subgroup, and long rows with one worker each.
    let rows =
        [8, 3000].map(|length| (length, setup.output::<u32>(&format!("of_{length}"), n / length)));
    for (length, of_rows) in rows {
        let buffers = SegmentedReduceBuffers::rows(scanned, length as u64, of_rows);
        reduce_segments(&mut setup.graph, &policy, Operator::Max, &buffers)?;
    }
    setup.graph.replayable();
    let by_address = gpu.features().buffer_device_address;
    let options = ExecutableOptions { by_address, ..ExecutableOptions::default() };
    let plan = setup.graph.compile(&gpu.limits())?;
    let executable = Arc::new(gpu.instantiate_with(plan, options)?);
    let mut replay = gpu.replay(executable, &setup.upload()?)?;
    let runs = reference::offsets(keys.chunk_by(|a, b| a == b).map(|run| run.len() as u32));
    let runs = reference::segments(&values, &runs);
    let expected: Vec<_> = runs.map(|run| terms::scan(Operator::Sum, true, run)).collect();
    let top = |of: &[u32]| terms::reduce(Operator::Max, of);
    let tops: Vec<u32> = expected.iter().map(|of| top(of)).collect();
    let all = expected.concat();
    let tops_of_cuts: Vec<u32> = reference::segments(&all, &offsets).map(top).collect();
    for _ in 0..if gpu.full { 1000 } else { 30 } {
        replay.submit(1)?;
        replay.wait()?;
        setup.expect(scanned, &all)?;
        setup.expect(sums, &tops)?;
        setup.expect(found, &[tops.len() as u32])?;
        setup.expect(of_cuts, &tops_of_cuts)?;
        for (length, of_rows) in rows {
            setup.expect(of_rows, &all.chunks(length).map(top).collect::<Vec<u32>>())?;
        }
    }
    Ok(())
}

/// A reduction by key writes its number of results to device memory, where later passes read it.
fn later_passes_use_the_found_count(gpu: &Gpu) -> Result<()> {
    let n = 10_000;
    let values = terms::input::<u64>(Operator::Max, n, 4);
    let keys: Vec<u32> = (0..n as u32).map(|at| at * at / 17 % 1000).collect();
    let heads = terms::heads(&keys);
    let expected: Vec<u64> = terms::segments(&values, &heads)
        .iter()
        .map(|of| terms::reduce(Operator::Max, of))
        .collect();
    let (keys, values) = (gpu.upload(&keys)?, gpu.upload(&values)?);
    let (out, tops) = (gpu.zeroed::<u32>(n as u64)?, gpu.zeroed::<u64>(n as u64)?);
    let (found, sums) = (gpu.zeroed::<u32>(1)?, gpu.zeroed::<u64>(n as u64)?);
    let mut work = gpu.work("reduce by key and scan");
    work.reduce_by_key((&keys, &values), (&out, &tops), &found, Operator::Max)?;
    let runs = work.count_in(&found, n as u64);
    work.scan_by_key(&out, tops.first(runs), &sums, &Scan::inclusive(Operator::Sum))?;
    work.record()?.submit()?;
    // Adjacent runs have different keys, so each output key is a segment of one element.
    let mut all = expected.clone();
    all.resize(n, 0);
    expect_equal(&gpu.download(&sums)?, &all)?;
    expect_equal(&gpu.download(&found)?, &[expected.len() as u32])
}

fn invalid_operations_by_key_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let mut graph = Graph::new("refused");
    let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, 8));
    let (short, bytes) = (graph.import::<u32>("short", 7), graph.import::<u8>("bytes", 8));
    let floats = graph.import::<f32>("floats", 8);
    let huge = graph.import::<u32>("huge", 1 << 33);
    let good = ScanBuffers::new(src, dst);
    let mut add = |buffers| scan(&mut graph, &policy, &Scan::default(), &buffers);
    expect_errors! {
        add(good.keys(short)) => BufferTooSmall { .. },
        add(good.keys(bytes)) => KeyTypeMismatch { name: "keys", .. },
        add(good.heads(floats)) => KeyTypeMismatch { name: "heads", .. },
        add(ScanBuffers::new(huge, huge).keys(huge)) => TooLarge { .. },
    }
    let mut add = |from, to| {
        let buffers = ReduceByKeyBuffers::new(from, to, short);
        reduce_by_key(&mut graph, &policy, Operator::Sum, &buffers)
    };
    expect_errors! {
        add((src, src), (floats, dst)) => KeyTypeMismatch { name: "keys_out", .. },
        add((src, src), (dst, floats)) => KeyTypeMismatch { name: "values_out", .. },
        add((src, src), (dst, short)) => BufferTooSmall { .. },
        add((huge, huge), (huge, huge)) => TooLarge { .. },
        gpu.reduce_by_key(&[1u32, 2], &[1u32], Operator::Sum) => LengthMismatch { .. },
        gpu.scan_by_key(&[1u32, 2], &[1u32], &Scan::default()) => LengthMismatch { .. },
    }
    Ok(())
}

fn invalid_segments_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    for cuts in [[0, 3, 2], [0, 1, 5]] {
        expect_errors! {
            gpu.reduce_segments(&[1u32, 2, 3, 4], &cuts, Operator::Sum) => Segments { .. },
        }
    }
    let mut graph = Graph::new("refused");
    let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, 8));
    let (short, floats) = (graph.import::<u32>("short", 7), graph.import::<f32>("floats", 9));
    let huge = graph.import::<u32>("huge", 1 << 33);
    let mut add = |buffers| reduce_segments(&mut graph, &policy, Operator::Sum, &buffers);
    let of = SegmentedReduceBuffers::new;
    expect_errors! {
        add(of(src, short, floats)) => KeyTypeMismatch { name: "dst", .. },
        add(of(src, floats, dst)) => KeyTypeMismatch { name: "offsets", .. },
        add(of(src, short, dst).count(7)) => BufferTooSmall { .. },
        add(of(src, short, dst).elements(9)) => BufferTooSmall { .. },
        add(of(huge, short, dst)) => TooLarge { .. },
        add(of(src, huge, huge)) => TooLarge { .. },
    }
    Ok(())
}
