//! Sorts, splits, histograms and scans, recorded into an application's command buffer: with counts
//! set on the host, at recording time or on the device; with workspaces of engine or caller. Words
//! of the caller's buffers outside of the expected outputs must not change.

use multisplit_tests::prelude::*;

use crate::embedding_cases::{Case, Counted, Declare, MAX, N, checked};

tests!(embedding_primitives:
    recorded_primitives_match_the_cpu, unset_count_is_zero_and_large_count_is_clamped,
);

const BUCKETS: u32 = 8;
const BUCKET_OF: &str = "uint bucket_of(uint key) { return table.at[key & 15u] & 7u; }";

fn sorts() -> Vec<Case> {
    let (keys, values) = (uniform(N, 1), uniform(N, 2));
    let order = reference::sort(&keys, 0..32, false);
    let falling = reference::sort(&keys, 0..32, true);
    let sort_pairs: Declare = |work, n| {
        let [keys, values] = ["keys", "values"].map(|name| work.import::<u32>(name, n.max()));
        work.sort_pairs(keys.first(n), values, &Sort::ascending())?;
        Ok(vec![keys.buffer(), values.buffer()])
    };
    let argsort: Declare = |work, n| {
        let [keys, order] = ["keys", "order"].map(|name| work.import::<u32>(name, n.max()));
        work.argsort(keys.first(n), order, &Sort::descending())?;
        Ok(vec![keys.buffer(), order.buffer()])
    };
    vec![
        Case::new("sort_pairs", sort_pairs, &[("keys", &keys), ("values", &values)])
            .expect("keys", reference::pick(&keys, &order))
            .expect("values", reference::pick(&values, &order)),
        Case::new("argsort", argsort, &[("keys", &keys)])
            .expect("keys", keys.clone())
            .expect("order", falling),
    ]
}

fn splits() -> Vec<Case> {
    let (keys, values, table) = (uniform(N, 3), uniform(N, 4), uniform(16, 5));
    let (order, offsets) = reference::split(N, BUCKETS, |i| keys[i] >> 5 & 7);
    let (user_order, user_offsets) =
        reference::split(N, BUCKETS, |i| table[keys[i] as usize & 15] & 7);

    let split_pairs: Declare = |work, n| {
        let (graph, policy) = work.parts();
        let [keys, values, keys_out, values_out] = ["keys", "values", "keys.out", "values.out"]
            .map(|name| graph.import::<u32>(name, n.max()));
        let offsets = graph.import::<u32>("offsets", u64::from(BUCKETS) + 1);
        let out_of_range = graph.import::<u32>("out_of_range", 1);
        let buffers = SplitBuffers::pairs((keys, values), (keys_out, values_out), offsets);
        let buffers = buffers.count(n).out_of_range(out_of_range);
        split(graph, policy, &Buckets::<u32>::digit(5..8), &buffers)?;
        Ok(vec![keys, values, keys_out, values_out, offsets, out_of_range])
    };
    let split_permutation: Declare = |work, n| {
        let (graph, policy) = work.parts();
        let [keys, permutation] =
            ["keys", "permutation"].map(|name| graph.import::<u32>(name, n.max()));
        let offsets = graph.import::<u32>("offsets", u64::from(BUCKETS) + 1);
        let table = graph.import::<u32>("table", 16);
        let buckets = Buckets::<u32>::glsl(BUCKETS, Glsl::new(BUCKET_OF).table_buffer(table));
        let buffers = SplitBuffers::permutation(keys, permutation, offsets).count(n);
        split(graph, policy, &buckets, &buffers)?;
        Ok(vec![keys, permutation, offsets, table])
    };
    vec![
        Case::new("split_pairs", split_pairs, &[("keys", &keys), ("values", &values)])
            .expect("keys.out", reference::pick(&keys, &order))
            .expect("values.out", reference::pick(&values, &order))
            .expect("offsets", offsets)
            .expect("out_of_range", vec![0]),
        Case::new(
            "split_permutation by a GLSL function",
            split_permutation,
            &[("keys", &keys), ("table", &table)],
        )
        .expect("permutation", reference::places(&user_order))
        .expect("offsets", user_offsets),
    ]
}

fn others() -> Vec<Case> {
    let samples: Vec<u32> = uniform(N, 6).iter().map(|x| x % 20).collect();
    let mut counts = vec![0; 16];
    let mut out_of_range = 0;
    for &sample in &samples {
        counts.get_mut(sample as usize).map_or_else(|| out_of_range += 1, |count| *count += 1);
    }
    let count: Declare = |work, n| {
        let (graph, policy) = work.parts();
        let samples = graph.import::<u32>("samples", n.max());
        let [counts, cumulative] =
            ["counts", "cumulative"].map(|name| graph.import::<u32>(name, 16));
        let out_of_range = graph.import::<u32>("out_of_range", 1);
        let buffers = HistogramBuffers::new(samples, counts).count(n);
        let buffers = buffers.out_of_range(out_of_range).cumulative(cumulative);
        histogram(graph, policy, &Bins::<u32>::identity(16), &buffers)?;
        Ok(vec![samples, counts, cumulative, out_of_range])
    };
    let numbers = uniform(N, 7);
    vec![
        Case::new("histogram", count, &[("samples", &samples)])
            .expect("cumulative", reference::exclusive_scan(&counts))
            .expect("counts", counts)
            .expect("out_of_range", vec![out_of_range]),
        Case::new("scan", scan, &[("src", &numbers)])
            .expect("dst", reference::exclusive_scan(&numbers)),
    ]
}

fn scan(work: &mut Work, n: Count) -> multisplit::Result<Vec<Buffer>> {
    let [src, dst] = ["src", "dst"].map(|name| work.import::<u32>(name, n.max()));
    work.scan(src.first(n), dst, &Scan::default())?;
    Ok(vec![src.buffer(), dst.buffer()])
}

fn recorded_primitives_match_the_cpu(gpu: &Gpu) -> Result<()> {
    checked(gpu, |checks| {
        let ways = [Counted::Host, Counted::Recording, Counted::Device];
        for (way, counted) in ways.into_iter().enumerate() {
            for (k, case) in [sorts(), splits(), others()].into_iter().flatten().enumerate() {
                // In a plain run, each case gets its count in one of the ways.
                if !gpu.full && k % ways.len() != way {
                    continue;
                }
                for by_address in [false, true] {
                    if by_address && !checks.context.features().buffer_device_address {
                        continue;
                    }
                    let own_workspace = (way + k).is_multiple_of(2);
                    let options = ExecutableOptions { own_workspace, frames: 2, by_address };
                    let what =
                        || format!("{}, count: {counted:?}, by address: {by_address}", case.name);
                    checks.run(&case, counted, Some(N as u32), options).with_context(what)?;
                }
            }
        }
        Ok(())
    })
}

/// One recording does not set the count, one sets it to 0, and one sets it above the capacity.
fn unset_count_is_zero_and_large_count_is_clamped(gpu: &Gpu) -> Result<()> {
    let numbers = uniform(MAX as usize, 8);
    let sums = reference::exclusive_scan(&numbers);
    let options = ExecutableOptions::default().frames(2);
    checked(gpu, |checks| {
        for (given, scanned) in [(None, 0), (Some(0), 0), (Some(u32::MAX), MAX as usize)] {
            let case =
                Case::new("scan", scan, &[("src", &numbers)]).expect("dst", sums[..scanned].into());
            checks
                .run(&case, Counted::Recording, given, options)
                .with_context(|| format!("{given:?}"))?;
        }
        Ok(())
    })
}
