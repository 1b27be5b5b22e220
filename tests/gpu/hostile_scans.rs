//! Scans, reductions and selections with arbitrary counts, offsets and flags in device memory.
//! Results must be defined, and no access may leave the caller's arrays.

use multisplit_tests::prelude::*;

use crate::hostile_rig::Expected::{Any, Exactly};
use crate::hostile_rig::{
    BOUND, Expected, Rig, Words, elements, expect_no_poison, hostile_offsets, narrow, poison_pools,
    runs, sample,
};

tests!(hostile:
    descending_offsets_give_defined_results, count_of_sort_with_zero_segments_can_be_set,
    scans_tolerate_arbitrary_device_counts, segmented_scans_tolerate_arbitrary_device_counts,
    reductions_tolerate_arbitrary_device_counts, reductions_by_key_tolerate_arbitrary_device_counts,
    segmented_reductions_tolerate_arbitrary_offsets,
    row_reductions_tolerate_arbitrary_device_counts, selections_tolerate_arbitrary_counts_and_flags,
    run_lengths_tolerate_arbitrary_device_counts
);

/// Every second offset is 0, so half of the segments end before they begin and are empty.
fn descending_offsets_give_defined_results(gpu: &Gpu) -> Result<()> {
    for n in [5_000u32, 50_000] {
        let src = gpu.upload(&vec![1u32; n as usize])?;
        let offsets: Vec<u32> = (0..=n).map(|k| if k % 2 == 0 { n - k } else { 0 }).collect();
        let device_offsets = gpu.upload(&offsets)?;
        for operator in [Operator::Sum, Operator::Max] {
            poison_pools(gpu)?;
            let found = gpu.download(&gpu.reduce_segments(&src, &device_offsets, operator)?)?;
            expect_no_poison(&found)?;
            for (pair, &found) in offsets.windows(2).zip(&found) {
                let max = if pair[1] <= pair[0] { 0 } else { n };
                ensure!(found <= max, "segment {pair:?} of {n} elements: {found} exceeds {max}");
            }
        }
    }
    Ok(())
}

/// A segmented sort with a capacity of zero segments does not read its device count. A recording
/// can still set that count by name.
fn count_of_sort_with_zero_segments_can_be_set(gpu: &Gpu) -> Result<()> {
    let (keys, offsets) = (gpu.upload(&[3u32, 1, 2])?, gpu.upload(&[0u32])?);
    let mut work = gpu.work("no segments");
    let n = work.count("n", 3);
    work.sort_segments(keys.first(n), (&offsets, 0), &Sort::ascending())?;
    let mut frame = work.record()?;
    frame.set("n", &3u32)?;
    frame.submit()?;
    frame.wait()?;
    ensure!(gpu.download(&keys)? == [3, 1, 2], "the keys have changed");
    expect_errors! {
        frame.set("n", &3u64) => ValueOfPass { .. },
        frame.set("m", &3u32) => UnknownPass { .. },
    }
    Ok(())
}

fn scans_tolerate_arbitrary_device_counts(gpu: &Gpu) -> Result<()> {
    for (method, max) in [
        (ScanMethod::ReduceThenScan, 700),
        (ScanMethod::LookBack, 700),
        (ScanMethod::LookBack, 6_000),
        (ScanMethod::ReduceThenScan, 40),
    ] {
        let mut rig = Rig::new(gpu);
        let [src, dst] = ["src", "dst"].map(|name| rig.array(name, max));
        let buffers = ScanBuffers::new(src.import, dst.import).count(rig.count(0, max));
        let policy = Policy { scan: method, ..narrow(gpu) };
        scan(&mut rig.graph, &policy, &Scan::inclusive(Operator::Sum), &buffers)?;
        rig.run(4, |rng, memory| {
            let input = elements(memory.set_count(rng, 0, max), rng);
            memory.set(src, &input);
            vec![Exactly(dst, terms::scan(Operator::Sum, true, &input))]
        })?;
    }
    Ok(())
}

fn segmented_scans_tolerate_arbitrary_device_counts(gpu: &Gpu) -> Result<()> {
    let plans = sample(
        gpu,
        [
            (ScanMethod::ReduceThenScan, true, 700),
            (ScanMethod::ReduceThenScan, false, 6_000),
            (ScanMethod::LookBack, false, 6_000),
            (ScanMethod::LookBack, true, 700),
        ],
    );
    for &(method, by_heads, max) in &plans {
        let mut rig = Rig::new(gpu);
        let [src, cut, dst] = ["src", "cut", "dst"].map(|name| rig.array(name, max));
        let buffers = ScanBuffers::new(src.import, dst.import).count(rig.count(0, max));
        let buffers = if by_heads { buffers.heads(cut.import) } else { buffers.keys(cut.import) };
        let policy = Policy { scan: method, ..narrow(gpu) };
        scan(&mut rig.graph, &policy, &Scan::exclusive(Operator::Max), &buffers)?;
        rig.run(plans.len(), |rng, memory| {
            let n = memory.set_count(rng, 0, max);
            let (input, mut cuts) = (elements(n, rng), runs(n, rng));
            if by_heads {
                let flag = |rng: &mut Rng| if rng.below(9) < 7 { 0 } else { rng.next_u32() };
                cuts.fill_with(|| flag(rng));
            }
            let heads = match by_heads {
                true => cuts.iter().map(|&flag| flag != 0).collect(),
                false => terms::heads(&cuts),
            };
            memory.set(src, &input);
            memory.set(cut, &cuts);
            let scanned = terms::scan_segments(Operator::Max, false, &input, &heads);
            vec![Exactly(dst, scanned)]
        })?;
    }
    Ok(())
}

fn reductions_tolerate_arbitrary_device_counts(gpu: &Gpu) -> Result<()> {
    for (indexed, max) in [(false, 40), (false, 6_000), (true, 700), (true, 6_000)] {
        let mut rig = Rig::new(gpu);
        let (src, dst, index) = (rig.array("src", max), rig.array("dst", 1), rig.array("index", 1));
        let buffers = ReduceBuffers::new(src.import, dst.import).count(rig.count(0, max));
        let buffers = if indexed { buffers.index(index.import) } else { buffers };
        let operator = if indexed { Operator::Max } else { Operator::Sum };
        reduce(&mut rig.graph, &narrow(gpu), operator, &buffers)?;
        rig.run(4, |rng, memory| {
            let input = elements(memory.set_count(rng, 0, max), rng);
            memory.set(src, &input);
            let mut expected = vec![Exactly(dst, vec![terms::reduce(operator, &input)])];
            let at = vec![terms::index(operator, &input)];
            expected.extend(indexed.then(|| Exactly(index, at)));
            expected
        })?;
    }
    Ok(())
}

fn reductions_by_key_tolerate_arbitrary_device_counts(gpu: &Gpu) -> Result<()> {
    for (method, max) in [
        (ScanMethod::ReduceThenScan, 700),
        (ScanMethod::LookBack, 700),
        (ScanMethod::LookBack, 6_000),
    ] {
        let mut rig = Rig::new(gpu);
        let [keys, values] = ["keys", "values"].map(|name| rig.array(name, max));
        let [keys_out, values_out] = ["keys_out", "values_out"].map(|name| rig.array(name, max));
        let found = rig.array("found", 1);
        let buffers = ReduceByKeyBuffers::new(
            (keys.import, values.import),
            (keys_out.import, values_out.import),
            found.import,
        );
        let (buffers, policy) =
            (buffers.count(rig.count(0, max)), Policy { scan: method, ..narrow(gpu) });
        reduce_by_key(&mut rig.graph, &policy, Operator::Sum, &buffers)?;
        rig.run(3, |rng, memory| {
            let n = memory.set_count(rng, 0, max);
            let (key, value) = (runs(n, rng), elements(n, rng));
            memory.set(keys, &key);
            memory.set(values, &value);
            let (firsts, lengths) = reference::runs(&key);
            let sums = reference::segments(&value, &reference::offsets(lengths))
                .map(|run| run.iter().sum())
                .collect();
            vec![
                Exactly(found, vec![firsts.len() as u32]),
                Exactly(values_out, sums),
                Exactly(keys_out, firsts),
            ]
        })?;
    }
    Ok(())
}

/// The expected results of a segmented reduction. If the offsets ascend, results are exact.
/// Otherwise, segments that end at or before their beginning give 0, and each other segment may
/// give the reduction of any elements of the array.
fn reduced_segments(dst: Words, operator: Operator, input: &[u32], offsets: &[u32]) -> Expected {
    let n = input.len();
    let clamped: Vec<usize> = offsets.iter().map(|&at| n.min(at as usize)).collect();
    let exact = |pair: &[usize]| terms::reduce(operator, &input[pair[0]..pair[1].max(pair[0])]);
    if clamped.is_sorted() {
        return Exactly(dst, clamped.windows(2).map(exact).collect());
    }
    // For descending offsets, elements of long segments may be reduced twice.
    let max = match operator {
        Operator::Sum => 2 * input.iter().sum::<u32>(),
        _ => BOUND as u32,
    };
    let check = move |found: &[u32]| {
        for (pair, &found) in clamped.windows(2).zip(found) {
            let is_empty = pair[1] <= pair[0];
            let limit = if is_empty { 0 } else { max };
            ensure!(found <= limit, "segment {pair:?}: {found} exceeds {limit}");
        }
        Ok(())
    };
    Any(dst, offsets.len() - 1, Box::new(check))
}

fn segmented_reductions_tolerate_arbitrary_offsets(gpu: &Gpu) -> Result<()> {
    // Policies that reduce segments by tiles, with one workgroup per segment, and with one subgroup
    // per segment.
    let policy = narrow(gpu);
    let tiles = Policy { segment_chunk: 1 << 31, ..policy };
    let by_workgroups = Policy { segment_chunk: 64, min_subgroup_workers: u32::MAX, ..policy };
    let by_subgroups = Policy { segment_chunk: 64, min_subgroup_workers: 1, ..policy };
    let plans = [
        (tiles, 40, 90),
        (tiles, 700, 300),
        (tiles, 6_000, 3_000),
        // With subgroups of up to 32 lanes, a tile has more empty segments than the kernel visits
        // one by one.
        (tiles, 50, 5_000),
        (tiles, 2_000, 9_000),
        (by_workgroups, 3_000, 40),
        (by_subgroups, 3_000, 300),
    ];
    for (number, (policy, max, max_segments)) in plans.into_iter().enumerate() {
        let mut rig = Rig::new(gpu);
        let (src, dst) = (rig.array("src", max), rig.array("dst", max_segments));
        let offsets = rig.array("offsets", max_segments + 1);
        let buffers = SegmentedReduceBuffers::new(src.import, offsets.import, dst.import)
            .elements(rig.count(0, max))
            .count(rig.count(1, max_segments));
        let operator = [Operator::Max, Operator::Sum][number % 2];
        reduce_segments(&mut rig.graph, &policy, operator, &buffers)?;
        rig.run(plans.len(), |rng, memory| {
            let n = memory.set_count(rng, 0, max);
            let segments = memory.set_count(rng, 1, max_segments);
            let (input, cuts) = (elements(n, rng), hostile_offsets(rng, n, max_segments + 1));
            memory.set(src, &input);
            memory.set(offsets, &cuts);
            vec![reduced_segments(dst, operator, &input, &cuts[..=segments])]
        })?;
    }
    Ok(())
}

fn row_reductions_tolerate_arbitrary_device_counts(gpu: &Gpu) -> Result<()> {
    let policy = narrow(gpu);
    let long = Policy { segment_chunk: 64, ..policy };
    for (policy, length, rows) in
        [(policy, 16, 50), (policy, 7, 900), (long, 500, 12), (long, 5_000, 2)]
    {
        let mut rig = Rig::new(gpu);
        let max = length * rows;
        let (src, dst) = (rig.array("src", max), rig.array("dst", rows));
        let buffers = SegmentedReduceBuffers::rows(src.import, length as u64, dst.import)
            .elements(rig.count(0, max))
            .count(rig.count(1, rows));
        reduce_segments(&mut rig.graph, &policy, Operator::Sum, &buffers)?;
        rig.run(4, |rng, memory| {
            let input = elements(memory.set_count(rng, 0, max), rng);
            let counted = memory.set_count(rng, 1, rows);
            memory.set(src, &input);
            let row = |r: usize| input.iter().skip(r * length).take(length).sum();
            vec![Exactly(dst, (0..counted).map(row).collect())]
        })?;
    }
    Ok(())
}

fn selections_tolerate_arbitrary_counts_and_flags(gpu: &Gpu) -> Result<()> {
    for (flagged, kept_both, max) in
        [(false, false, 700), (true, false, 6_000), (false, true, 6_000), (true, true, 40)]
    {
        let mut rig = Rig::new(gpu);
        let [src, dst, flags] = ["src", "dst", "flags"].map(|name| rig.array(name, max));
        let (others, selected) = (rig.array("others", max), rig.array("selected", 1));
        let mut buffers =
            SelectBuffers::new(src.import, dst.import, selected.import).count(rig.count(0, max));
        if flagged {
            buffers = buffers.flags(flags.import);
        }
        if kept_both {
            buffers = buffers.rejected(others.import);
        }
        let limit = BOUND as u32 / 3;
        let how = if flagged { Select::flagged() } else { Select::less_than(limit) };
        select::<u32>(&mut rig.graph, &narrow(gpu), &how, &buffers)?;
        rig.run(4, |rng, memory| {
            let input = elements(memory.set_count(rng, 0, max), rng);
            let words: Vec<u32> =
                input.iter().map(|_| rng.next_u32() >> (rng.below(2) * 31 + 1).min(31)).collect();
            memory.set(src, &input);
            memory.set(flags, &words);
            let pairs = input.iter().zip(&words);
            let (kept, rejected): (Vec<_>, Vec<_>) =
                pairs.partition(|(x, flag)| if flagged { **flag != 0 } else { **x < limit });
            let first = |pairs: Vec<(&u32, &u32)>| pairs.iter().map(|pair| *pair.0).collect();
            let count = kept.len() as u32;
            let mut expected = vec![Exactly(selected, vec![count]), Exactly(dst, first(kept))];
            expected.extend(kept_both.then(|| Exactly(others, first(rejected))));
            expected
        })?;
    }
    Ok(())
}

fn run_lengths_tolerate_arbitrary_device_counts(gpu: &Gpu) -> Result<()> {
    for (with_lengths, max) in [(false, 700), (true, 700), (true, 6_000), (false, 6_000)] {
        let mut rig = Rig::new(gpu);
        let [src, dst, lengths] = ["src", "dst", "lengths"].map(|name| rig.array(name, max));
        let selected = rig.array("selected", 1);
        let mut buffers =
            SelectBuffers::new(src.import, dst.import, selected.import).count(rig.count(0, max));
        if with_lengths {
            buffers = buffers.run_lengths(lengths.import);
        }
        let how = Select::<u32>::first_of_runs();
        select(&mut rig.graph, &narrow(gpu), &how, &buffers)?;
        rig.run(4, |rng, memory| {
            let input = runs(memory.set_count(rng, 0, max), rng);
            memory.set(src, &input);
            let (firsts, of_runs) = reference::runs(&input);
            let count = firsts.len() as u32;
            let mut expected = vec![Exactly(selected, vec![count]), Exactly(dst, firsts)];
            expected.extend(with_lengths.then(|| Exactly(lengths, of_runs)));
            expected
        })?;
    }
    Ok(())
}
