//! Operations with hostile values in device memory: counts, offsets, flags, indices and unsorted
//! arrays. Results must be defined, and only the caller's arrays may be read or written.

use anyhow::{Result, ensure};
use multisplit::primitives::histogram::HistogramMethod;
use multisplit::primitives::multisplit::Method;
use multisplit::primitives::sort::SortMethod;
use multisplit::primitives::topk::TopKMethod;
use multisplit::primitives::{
    Count, HistogramBuffers, Merge, MergeBuffers, Policy, ReduceBuffers, ReduceByKeyBuffers,
    ScanBuffers, ScanMethod, Search, SearchBuffers, SegmentedReduceBuffers, SelectBuffers,
    SortBuffers, SplitBuffers, TopKBuffers, bounded_groups, copy_first, fill_first, histogram,
    merge, reduce, reduce_by_key, reduce_segments, scan, search, select, sort, split, topk,
};
use multisplit::{Bins, Buckets, Glsl, Operator, Scan, Select, Sort, TopK};
use multisplit_tests::generate::Rng;
use multisplit_tests::harness::Gpu;
use multisplit_tests::{reference, terms, tests};

use crate::hostile_rig::Expected::{Any, Exactly};
use crate::hostile_rig::{
    BOUND, Expected, Memory, Rig, Words, elements, expect_no_poison, hostile_offsets, poison_pools,
    runs,
};

tests!(hostile:
    falling_offsets_give_defined_results, named_count_without_segments_can_be_set,
    scans_tolerate_hostile_counts, segmented_scans_tolerate_hostile_counts,
    reductions_tolerate_hostile_counts, reductions_by_key_tolerate_hostile_counts,
    segmented_reductions_tolerate_hostile_offsets, row_reductions_tolerate_hostile_counts,
    selections_tolerate_hostile_values, run_lengths_tolerate_hostile_counts,
    sorts_tolerate_hostile_counts, segmented_sorts_tolerate_hostile_offsets,
    splits_tolerate_hostile_ids, histograms_tolerate_hostile_samples, topk_tolerates_hostile_counts,
    merges_tolerate_unsorted_arrays, searches_tolerate_unsorted_arrays,
    fills_and_copies_tolerate_hostile_counts, found_counts_chain_without_the_host,
    indirect_dispatches_are_clamped,
);

/// Element counts of plans.
const SIZES: [usize; 3] = [40, 700, 6_000];

/// All plans of an operation in a full run, every second one in a plain run.
fn sample<T>(gpu: &Gpu, plans: impl IntoIterator<Item = T>) -> Vec<T> {
    plans.into_iter().step_by(if gpu.full { 1 } else { 2 }).collect()
}

/// A policy with small workgroups, so that a few hundred elements are several tiles.
fn narrow(gpu: &Gpu) -> Policy {
    let policy = gpu.context.policy();
    let threads = 2 * policy.facts.subgroup_size;
    Policy { threads, spine_threads: threads, by_key_threads: threads, ..policy }
}

/// Offsets of 5,000 and 50,000 segments; every second offset falls to 0.
fn falling_offsets_give_defined_results(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    for n in [5_000u32, 50_000] {
        let src = context.upload(&vec![1u32; n as usize])?;
        let offsets: Vec<u32> = (0..=n).map(|k| if k % 2 == 0 { n - k } else { 0 }).collect();
        let device_offsets = context.upload(&offsets)?;
        for operator in [Operator::Sum, Operator::Max] {
            poison_pools(context)?;
            let found =
                context.download(&context.reduce_segments(&src, &device_offsets, operator)?)?;
            expect_no_poison(&found)?;
            for (pair, &found) in offsets.windows(2).zip(&found) {
                let most = if pair[1] <= pair[0] { 0 } else { n };
                ensure!(found <= most, "{pair:?} of {n}: {found}");
            }
        }
    }
    Ok(())
}

/// A sort with a capacity of zero segments does not read its count, but the named count still
/// exists.
fn named_count_without_segments_can_be_set(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let (keys, offsets) = (context.upload(&[3u32, 1, 2])?, context.upload(&[0u32])?);
    let mut work = context.work("no segments");
    let n = work.count("n", 3);
    work.sort_segments(keys.first(n), (&offsets, 0), &Sort::ascending())?;
    let mut frame = work.record()?;
    frame.set("n", &3u32)?;
    frame.submit()?;
    frame.wait()?;
    ensure!(context.download(&keys)? == [3, 1, 2]);
    let refused = frame.set("n", &3u64);
    ensure!(matches!(refused, Err(multisplit::Error::ValueOfPass { .. })), "{refused:?}");
    let refused = frame.set("m", &3u32);
    ensure!(matches!(refused, Err(multisplit::Error::UnknownPass { .. })), "{refused:?}");
    Ok(())
}

fn scans_tolerate_hostile_counts(gpu: &Gpu) -> Result<()> {
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

fn segmented_scans_tolerate_hostile_counts(gpu: &Gpu) -> Result<()> {
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
            let begins = |at: usize| match by_heads {
                true => cuts[at] != 0,
                false => at == 0 || cuts[at] != cuts[at - 1],
            };
            let heads: Vec<bool> = (0..n).map(begins).collect();
            memory.set(src, &input);
            memory.set(cut, &cuts);
            let scanned = terms::scan_segments(Operator::Max, false, &input, &heads);
            vec![Exactly(dst, scanned)]
        })?;
    }
    Ok(())
}

fn reductions_tolerate_hostile_counts(gpu: &Gpu) -> Result<()> {
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
            if indexed {
                expected.push(Exactly(index, vec![terms::index(operator, &input)]));
            }
            expected
        })?;
    }
    Ok(())
}

/// The first element and the length of each run of equal neighbours.
fn runs_of(keys: &[u32]) -> Vec<(u32, usize)> {
    keys.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect()
}

fn reductions_by_key_tolerate_hostile_counts(gpu: &Gpu) -> Result<()> {
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
            let all = runs_of(&key);
            let mut rest = &value[..];
            let sum = |&(_, len): &(u32, usize)| {
                let (run, after) = rest.split_at(len);
                rest = after;
                run.iter().sum()
            };
            vec![
                Exactly(found, vec![all.len() as u32]),
                Exactly(values_out, all.iter().map(sum).collect()),
                Exactly(keys_out, all.iter().map(|run| run.0).collect()),
            ]
        })?;
    }
    Ok(())
}

/// The expected results of a segmented reduction for arbitrary offsets: exact results if they
/// ascend, otherwise results of some elements, and the identity for segments whose end is not above
/// their beginning.
fn reduced_segments(dst: Words, operator: Operator, input: &[u32], offsets: &[u32]) -> Expected {
    let n = input.len();
    let clamped: Vec<usize> = offsets.iter().map(|&at| n.min(at as usize)).collect();
    let exact = |pair: &[usize]| terms::reduce(operator, &input[pair[0]..pair[1].max(pair[0])]);
    if clamped.is_sorted() {
        return Exactly(dst, clamped.windows(2).map(exact).collect());
    }
    // Chunks of long segments may count elements twice.
    let most = match operator {
        Operator::Sum => 2 * input.iter().sum::<u32>(),
        _ => BOUND as u32,
    };
    let check = move |found: &[u32]| {
        for (pair, &found) in clamped.windows(2).zip(found) {
            let is_empty = pair[1] <= pair[0];
            ensure!(if is_empty { found == 0 } else { found <= most }, "{pair:?}: {found}");
        }
        Ok(())
    };
    Any(dst, offsets.len() - 1, Box::new(check))
}

fn segmented_reductions_tolerate_hostile_offsets(gpu: &Gpu) -> Result<()> {
    // By tiles, and with a subgroup or a workgroup per segment.
    let policy = narrow(gpu);
    let tiles = Policy { segment_chunk: 1 << 31, ..policy };
    let by_workgroups = Policy { segment_chunk: 64, subgroup_takers: u32::MAX, ..policy };
    let by_subgroups = Policy { segment_chunk: 64, subgroup_takers: 1, ..policy };
    let plans = [
        (tiles, 40, 90),
        (tiles, 700, 300),
        (tiles, 6_000, 3_000),
        // More segments than a tile steps over one by one, in one tile and in several.
        (tiles, 50, 5_000),
        (tiles, 2_000, 9_000),
        (by_workgroups, 3_000, 40),
        (by_subgroups, 3_000, 300),
    ];
    for (number, (policy, max, most)) in plans.into_iter().enumerate() {
        let mut rig = Rig::new(gpu);
        let (src, dst) = (rig.array("src", max), rig.array("dst", most));
        let offsets = rig.array("offsets", most + 1);
        let buffers = SegmentedReduceBuffers::new(src.import, offsets.import, dst.import)
            .elements(rig.count(0, max))
            .count(rig.count(1, most));
        let operator = [Operator::Max, Operator::Sum][number % 2];
        reduce_segments(&mut rig.graph, &policy, operator, &buffers)?;
        rig.run(plans.len(), |rng, memory| {
            let n = memory.set_count(rng, 0, max);
            let segments = memory.set_count(rng, 1, most);
            let (input, cuts) = (elements(n, rng), hostile_offsets(rng, n, most + 1));
            memory.set(src, &input);
            memory.set(offsets, &cuts);
            vec![reduced_segments(dst, operator, &input, &cuts[..=segments])]
        })?;
    }
    Ok(())
}

fn row_reductions_tolerate_hostile_counts(gpu: &Gpu) -> Result<()> {
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

fn selections_tolerate_hostile_values(gpu: &Gpu) -> Result<()> {
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
            let mut expected = vec![Exactly(selected, vec![kept.len() as u32])];
            expected.push(Exactly(dst, first(kept)));
            if kept_both {
                expected.push(Exactly(others, first(rejected)));
            }
            expected
        })?;
    }
    Ok(())
}

fn run_lengths_tolerate_hostile_counts(gpu: &Gpu) -> Result<()> {
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
            let all = runs_of(&input);
            let mut expected = vec![Exactly(selected, vec![all.len() as u32])];
            expected.push(Exactly(dst, all.iter().map(|run| run.0).collect()));
            if with_lengths {
                expected.push(Exactly(lengths, all.iter().map(|run| run.1 as u32).collect()));
            }
            expected
        })?;
    }
    Ok(())
}

/// Values that are sorted with the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Along {
    Nothing,
    Values,
    Indices,
}

impl Along {
    fn buffers(self, keys: Words, values: Words) -> SortBuffers {
        let buffers = SortBuffers::keys(keys.import);
        match self {
            Self::Nothing => buffers,
            Self::Values => buffers.values(values.import),
            Self::Indices => buffers.indices(values.import),
        }
    }

    /// The expected keys and values after sorting each segment between consecutive `cuts`.
    fn sorted(
        self,
        keys: &[u32],
        cuts: &[usize],
        arrays: [Words; 2],
        memory: &mut Memory,
    ) -> Vec<Expected> {
        let numbers: Vec<u32> = (0..keys.len() as u32).map(|i| i ^ 0x5A5A).collect();
        memory.set(arrays[0], keys);
        memory.set(arrays[1], &numbers);
        let (mut sorted, mut values) = (keys.to_vec(), numbers.clone());
        for pair in cuts.windows(2) {
            let mut order: Vec<usize> = (pair[0]..pair[1]).collect();
            order.sort_by_key(|&i| keys[i]);
            for (&from, to) in order.iter().zip(pair[0]..) {
                sorted[to] = keys[from];
                values[to] = match self {
                    Self::Nothing => numbers[to],
                    Self::Values => numbers[from],
                    Self::Indices => (from - pair[0]) as u32,
                };
            }
        }
        vec![Exactly(arrays[0], sorted), Exactly(arrays[1], values)]
    }
}

fn small_tiles(gpu: &Gpu) -> Policy {
    crate::sort_segments::small_tiles(gpu)
}

fn sorts_tolerate_hostile_counts(gpu: &Gpu) -> Result<()> {
    let plans = sample(
        gpu,
        [
            (SortMethod::Auto, Along::Values, 300),
            (SortMethod::OneSweep, Along::Nothing, 700),
            (SortMethod::OneSweep, Along::Values, 6_000),
            (SortMethod::OneSweep, Along::Indices, 700),
            (SortMethod::Multisplit { radix_bits: 8 }, Along::Values, 700),
        ],
    );
    for &(method, along, max) in &plans {
        let mut rig = Rig::new(gpu);
        let arrays = ["keys", "values"].map(|name| rig.array(name, max));
        let buffers = along.buffers(arrays[0], arrays[1]).count(rig.count(0, max));
        let how = Sort::ascending().method(method);
        sort(&mut rig.graph, &small_tiles(gpu), &how, &buffers)?;
        rig.run(plans.len(), |rng, memory| {
            let keys = elements(memory.set_count(rng, 0, max), rng);
            along.sorted(&keys, &[0, keys.len()], arrays, memory)
        })?;
    }
    Ok(())
}

fn segmented_sorts_tolerate_hostile_offsets(gpu: &Gpu) -> Result<()> {
    let plans = sample(
        gpu,
        [
            (Along::Nothing, 300, 100),
            (Along::Values, 3_000, 40),
            (Along::Indices, 3_000, 900),
            (Along::Values, 700, 3_000),
        ],
    );
    for &(along, max, most) in &plans {
        let mut rig = Rig::new(gpu);
        let arrays = ["keys", "values"].map(|name| rig.array(name, max));
        let offsets = rig.array("offsets", most + 1);
        let buffers = along.buffers(arrays[0], arrays[1]).count(rig.count(0, max));
        let buffers = buffers.segments(offsets.import, rig.count(1, most));
        sort(&mut rig.graph, &small_tiles(gpu), &Sort::ascending(), &buffers)?;
        rig.run(plans.len(), |rng, memory| {
            let n = memory.set_count(rng, 0, max);
            let segments = memory.set_count(rng, 1, most);
            let (keys, given) = (elements(n, rng), hostile_offsets(rng, n, most + 1));
            memory.set(offsets, &given);
            // An offset below an earlier one counts as the earlier one.
            let mut end = 0;
            let cuts = given[..=segments].iter().map(|&at| {
                end = n.min(at as usize).max(end);
                end
            });
            along.sorted(&keys, &cuts.collect::<Vec<_>>(), arrays, memory)
        })?;
    }
    Ok(())
}

/// Keys are bucket ids: out-of-range ids are put into the last bucket and counted.
fn splits_tolerate_hostile_ids(gpu: &Gpu) -> Result<()> {
    let identity = "uint bucket_of(uint key) { return key; }";
    let plans = sample(gpu, Method::ALL.into_iter().zip([10, 10, 100, 10, 10, 10]));
    for &(method, m) in &plans {
        let (mut rig, max) = (Rig::new(gpu), 700);
        let [keys, out] = ["keys", "out"].map(|name| rig.array(name, max));
        let [values, values_out] = ["values", "values_out"].map(|name| rig.array(name, max));
        let (offsets, outside) = (rig.array("offsets", m + 1), rig.array("out_of_range", 1));
        let from = (keys.import, values.import);
        let buffers = SplitBuffers::pairs(from, (out.import, values_out.import), offsets.import)
            .out_of_range(outside.import)
            .count(rig.count(0, max));
        let buckets = Buckets::<u32>::glsl(m as u32, Glsl::new(identity)).method(method);
        split(&mut rig.graph, &gpu.context.policy(), &buckets, &buffers)?;
        rig.run(plans.len(), |rng, memory| {
            let n = memory.set_count(rng, 0, max);
            let bound = if rng.below(2) == 0 { m as u64 } else { BOUND };
            let key: Vec<u32> = (0..n)
                .map(|_| if rng.below(60) == 0 { u32::MAX } else { rng.below(bound) as u32 })
                .collect();
            let numbers = elements(n, rng);
            memory.set(keys, &key);
            memory.set(values, &numbers);
            let past = key.iter().filter(|key| **key >= m as u32).count() as u32;
            let (order, begins) = reference::split(n, m as u32, |i| key[i].min(m as u32 - 1));
            let moved = |of: &[u32]| order.iter().map(|&i| of[i as usize]).collect::<Vec<_>>();
            if past > 0 {
                // The output is undefined in this case.
                let any = || Box::new(|_: &[u32]| Ok(())) as Box<dyn Fn(&[u32]) -> Result<()>>;
                return vec![
                    Any(offsets, m + 1, any()),
                    Any(out, n, any()),
                    Any(values_out, n, any()),
                    Exactly(outside, vec![past]),
                ];
            }
            vec![
                Exactly(offsets, begins),
                Exactly(out, moved(&key)),
                Exactly(values_out, moved(&numbers)),
                Exactly(outside, vec![past]),
            ]
        })?;
    }
    Ok(())
}

/// Samples are bin indices, some of them beyond the last bin.
fn histograms_tolerate_hostile_samples(gpu: &Gpu) -> Result<()> {
    let methods = [
        (HistogramMethod::Ballots, 30, false),
        (HistogramMethod::Shared, 200, true),
        (HistogramMethod::Global, 3_000, false),
        (HistogramMethod::Global, 3_000, true),
    ];
    for (method, m, weighted) in methods {
        let (mut rig, max) = (Rig::new(gpu), 3_000);
        let [samples, weights] = ["samples", "weights"].map(|name| rig.array(name, max));
        let (counts, outside) = (rig.array("bins", m), rig.array("out_of_range", 1));
        let mut buffers = HistogramBuffers::new(samples.import, counts.import)
            .out_of_range(outside.import)
            .count(rig.count(0, max));
        if weighted {
            buffers = buffers.weights(weights.import);
        }
        let bins = Bins::<u32>::identity(m as u32).method(method);
        histogram(&mut rig.graph, &gpu.context.policy(), &bins, &buffers)?;
        rig.run(methods.len(), |rng, memory| {
            let n = memory.set_count(rng, 0, max);
            let sample: Vec<u32> = (0..n)
                .map(|_| match rng.below(9) {
                    0 => rng.next_u32(),
                    1 => m as u32,
                    _ => rng.below(m as u64) as u32,
                })
                .collect();
            let weight = elements(n, rng);
            memory.set(samples, &sample);
            memory.set(weights, &weight);
            let (mut expected, mut past) = (vec![0; m], 0);
            for (&sample, weight) in sample.iter().zip(weight) {
                match expected.get_mut(sample as usize) {
                    Some(sum) => *sum += if weighted { weight } else { 1 },
                    None => past += 1,
                }
            }
            vec![Exactly(counts, expected), Exactly(outside, vec![past])]
        })?;
    }
    Ok(())
}

fn topk_tolerates_hostile_counts(gpu: &Gpu) -> Result<()> {
    let methods = [
        (TopKMethod::Rows, 10, 700),
        (TopKMethod::Rows, 40, 6_000),
        (TopKMethod::Filter, 30, 6_000),
        (TopKMethod::Select, 500, 3_000),
    ];
    for (method, k, max) in methods {
        let mut rig = Rig::new(gpu);
        let keys = rig.array("keys", max);
        let [out, indices] = ["out", "indices"].map(|name| rig.array(name, k));
        let buffers =
            TopKBuffers::new(keys.import, out.import, indices.import).count(rig.count(0, max));
        let how = TopK::largest(k as u64).method(method);
        topk(&mut rig.graph, &gpu.context.policy(), &how, &buffers)?;
        rig.run(methods.len(), |rng, memory| {
            let input = elements(memory.set_count(rng, 0, max), rng);
            memory.set(keys, &input);
            let mut order: Vec<u32> = (0..input.len() as u32).collect();
            order.sort_by_key(|&i| std::cmp::Reverse(input[i as usize]));
            order.truncate(k);
            let top = order.iter().map(|&i| input[i as usize]).collect();
            vec![Exactly(out, top), Exactly(indices, order)]
        })?;
    }
    Ok(())
}

/// Sorted and unsorted arrays. For unsorted arrays, every result must be an element of an array
/// with its value.
fn merges_tolerate_unsorted_arrays(gpu: &Gpu) -> Result<()> {
    for (pairs, max) in [(false, [700, 40]), (true, [3_000, 2_000]), (true, [40, 700])] {
        let mut rig = Rig::new(gpu);
        let keys = [rig.array("first", max[0]), rig.array("second", max[1])];
        let values = [rig.array("first_values", max[0]), rig.array("second_values", max[1])];
        let [out, values_out] = ["out", "values_out"].map(|name| rig.array(name, max[0] + max[1]));
        let mut buffers = MergeBuffers::keys(keys[0].import, keys[1].import, out.import)
            .counts(rig.count(0, max[0]), rig.count(1, max[1]));
        if pairs {
            let [first, second] = values.map(|array| array.import);
            buffers = buffers.values(first, second, values_out.import);
        }
        merge(&mut rig.graph, &narrow(gpu), Merge::Ascending, &buffers)?;
        rig.run(3, |rng, memory| {
            let is_sorted = rng.below(2) == 0;
            let mut all = Vec::new();
            for k in 0..2 {
                let mut key = elements(memory.set_count(rng, k, max[k]), rng);
                match rng.below(3) {
                    _ if is_sorted => key.sort_unstable(),
                    0 => key.sort_unstable_by(|a, b| b.cmp(a)),
                    _ => {}
                }
                // Values are the indices of their keys among all keys.
                let value: Vec<u32> = (0..key.len()).map(|i| (all.len() + i) as u32).collect();
                memory.set(keys[k], &key);
                memory.set(values[k], &value);
                all.extend(key);
            }
            let n = all.len();
            let mut order: Vec<u32> = (0..n as u32).collect();
            order.sort_by_key(|&i| all[i as usize]);
            let sorted = order.iter().map(|&i| all[i as usize]).collect();
            let mut expected = Vec::new();
            if is_sorted {
                expected.push(Exactly(out, sorted));
                expected.extend(pairs.then(|| Exactly(values_out, order)));
            } else {
                let known = move |key: &u32| all.contains(key);
                let check = move |found: &[u32]| {
                    ensure!(n > 700 || found.iter().all(&known), "an element of no array");
                    Ok(())
                };
                expected.push(Any(out, n, Box::new(check)));
                let check = move |found: &[u32]| {
                    ensure!(found.iter().all(|&at| (at as usize) < n), "a value of no array");
                    Ok(())
                };
                expected.extend(pairs.then(|| Any(values_out, n, Box::new(check))));
            }
            expected
        })?;
    }
    Ok(())
}

fn searches_tolerate_unsorted_arrays(gpu: &Gpu) -> Result<()> {
    for (how, max) in [
        (Search::LowerBound, [700, 300]),
        (Search::UpperBound, [6_000, 700]),
        (Search::LowerBound, [40, 3_000]),
    ] {
        let mut rig = Rig::new(gpu);
        let (sorted, needles) = (rig.array("sorted", max[0]), rig.array("needles", max[1]));
        let positions = rig.array("positions", max[1]);
        let buffers = SearchBuffers::new(sorted.import, needles.import, positions.import)
            .sorted_count(rig.count(0, max[0]))
            .count(rig.count(1, max[1]));
        search(&mut rig.graph, &narrow(gpu), how, &buffers)?;
        rig.run(3, |rng, memory| {
            let mut within = elements(memory.set_count(rng, 0, max[0]), rng);
            let wanted = elements(memory.set_count(rng, 1, max[1]), rng);
            let is_sorted = rng.below(2) == 0;
            if is_sorted {
                within.sort_unstable();
            }
            memory.set(sorted, &within);
            memory.set(needles, &wanted);
            if is_sorted {
                let position = |needle: &u32| match how {
                    Search::LowerBound => within.partition_point(|x| x < needle) as u32,
                    Search::UpperBound => within.partition_point(|x| x <= needle) as u32,
                };
                return vec![Exactly(positions, wanted.iter().map(position).collect())];
            }
            let n = within.len() as u32;
            let check = move |found: &[u32]| {
                ensure!(found.iter().all(|&at| at <= n), "a position past the end");
                Ok(())
            };
            vec![Any(positions, wanted.len(), Box::new(check))]
        })?;
    }
    Ok(())
}

fn fills_and_copies_tolerate_hostile_counts(gpu: &Gpu) -> Result<()> {
    for max in SIZES {
        let mut rig = Rig::new(gpu);
        let [src, dst, filled] = ["src", "dst", "filled"].map(|name| rig.array(name, max));
        let (policy, n) = (narrow(gpu), [rig.count(0, max), rig.count(1, max)]);
        copy_first(&mut rig.graph, &policy, "copy", src.import, dst.import, n[0])?;
        fill_first(&mut rig.graph, &policy, "fill", filled.import, n[1], 7)?;
        rig.run(SIZES.len(), |rng, memory| {
            let input = elements(memory.set_count(rng, 0, max), rng);
            let words = memory.set_count(rng, 1, max);
            memory.set(src, &input);
            vec![Exactly(dst, input), Exactly(filled, vec![7; words])]
        })?;
    }
    Ok(())
}

/// The count found by a selection is the count of a sort, a scan and a selection.
fn found_counts_chain_without_the_host(gpu: &Gpu) -> Result<()> {
    let plans = sample(gpu, SIZES.into_iter().rev());
    for &max in &plans {
        let mut rig = Rig::new(gpu);
        let [src, kept, sums, once] =
            ["src", "kept", "sums", "once"].map(|name| rig.array(name, max));
        let [found, distinct] = ["found", "distinct"].map(|name| rig.array(name, 1));
        let (policy, limit) = (narrow(gpu), BOUND as u32 / 2);
        let buffers =
            SelectBuffers::new(src.import, kept.import, found.import).count(rig.count(0, max));
        select(&mut rig.graph, &policy, &Select::less_than(limit), &buffers)?;
        let n = Count::Device { buffer: found.import, index: 0, max: max as u64 };
        let buffers = SortBuffers::keys(kept.import).count(n);
        sort(&mut rig.graph, &small_tiles(gpu), &Sort::ascending(), &buffers)?;
        let buffers = ScanBuffers::new(kept.import, sums.import).count(n);
        scan(&mut rig.graph, &policy, &Scan::inclusive(Operator::Sum), &buffers)?;
        let buffers = SelectBuffers::new(kept.import, once.import, distinct.import).count(n);
        select(&mut rig.graph, &policy, &Select::<u32>::first_of_runs(), &buffers)?;
        rig.run(plans.len(), |rng, memory| {
            let input = elements(memory.set_count(rng, 0, max), rng);
            memory.set(src, &input);
            let mut sorted: Vec<u32> = input.into_iter().filter(|x| *x < limit).collect();
            sorted.sort_unstable();
            let once_each: Vec<u32> = runs_of(&sorted).iter().map(|run| run.0).collect();
            vec![
                Exactly(found, vec![sorted.len() as u32]),
                Exactly(sums, terms::scan(Operator::Sum, true, &sorted)),
                Exactly(distinct, vec![once_each.len() as u32]),
                Exactly(kept, sorted),
                Exactly(once, once_each),
            ]
        })?;
    }
    Ok(())
}

/// Workgroup counts from arbitrary words are clamped to the device limit in each dimension. One
/// dimension is zero, since the maximum number of workgroups would take too long.
fn indirect_dispatches_are_clamped(gpu: &Gpu) -> Result<()> {
    let limits = gpu.context.limits();
    let mut rig = Rig::new(gpu);
    let (words, out) = (rig.array("words", 3), rig.array("groups", 3));
    let groups = bounded_groups(&mut rig.graph, &limits, words.import)?;
    rig.graph.copy("groups", groups, out.import);
    rig.run(1, |rng, memory| {
        let given = [0; 3].map(|_| rng.next_u32() >> rng.below(32));
        memory.set(words, &given);
        let most = limits.max_workgroup_count;
        vec![Exactly(out, (0..3).map(|k| given[k].min(most[k])).collect())]
    })
}
