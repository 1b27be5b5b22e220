//! Sorts, splits, histograms and top-k with arbitrary counts, offsets and keys in device memory.
//! Results must be defined, and no access may leave the caller's arrays.

use multisplit::operations::histogram::HistogramMethod;
use multisplit::operations::split::Method;
use multisplit::operations::topk::TopKMethod;
use multisplit_tests::prelude::*;

use crate::hostile_rig::Expected::{Any, Exactly};
use crate::hostile_rig::{BOUND, Expected, Memory, Rig, Words, elements, hostile_offsets, sample};
use crate::sort_segments::small_tiles;

tests!(hostile:
    sorts_tolerate_arbitrary_device_counts, segmented_sorts_tolerate_arbitrary_offsets,
    splits_tolerate_out_of_range_ids, histograms_tolerate_out_of_range_samples,
    topk_tolerates_arbitrary_device_counts
);

/// Values that are sorted with the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Payload {
    Nothing,
    Values,
    Indices,
}

impl Payload {
    fn buffers(self, keys: Words, values: Words) -> SortBuffers {
        let buffers = SortBuffers::keys(keys.import);
        match self {
            Self::Nothing => buffers,
            Self::Values => buffers.values(values.import),
            Self::Indices => buffers.indices(values.import),
        }
    }

    /// Sets the input arrays. Returns the expected keys and values: each segment between
    /// consecutive offsets in `cuts` is sorted.
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

fn sorts_tolerate_arbitrary_device_counts(gpu: &Gpu) -> Result<()> {
    let plans = sample(
        gpu,
        [
            (SortMethod::Auto, Payload::Values, 300),
            (SortMethod::OneSweep, Payload::Nothing, 700),
            (SortMethod::OneSweep, Payload::Values, 6_000),
            (SortMethod::OneSweep, Payload::Indices, 700),
            (SortMethod::Multisplit { radix_bits: 8 }, Payload::Values, 700),
        ],
    );
    for &(method, payload, max) in &plans {
        let mut rig = Rig::new(gpu);
        let arrays = ["keys", "values"].map(|name| rig.array(name, max));
        let buffers = payload.buffers(arrays[0], arrays[1]).count(rig.count(0, max));
        let how = Sort::ascending().method(method);
        sort(&mut rig.graph, &small_tiles(gpu), &how, &buffers)?;
        rig.run(plans.len(), |rng, memory| {
            let keys = elements(memory.set_count(rng, 0, max), rng);
            payload.sorted(&keys, &[0, keys.len()], arrays, memory)
        })?;
    }
    Ok(())
}

fn segmented_sorts_tolerate_arbitrary_offsets(gpu: &Gpu) -> Result<()> {
    let plans = sample(
        gpu,
        [
            (Payload::Nothing, 300, 100),
            (Payload::Values, 3_000, 40),
            (Payload::Indices, 3_000, 900),
            (Payload::Values, 700, 3_000),
        ],
    );
    for &(payload, max, max_segments) in &plans {
        let mut rig = Rig::new(gpu);
        let arrays = ["keys", "values"].map(|name| rig.array(name, max));
        let offsets = rig.array("offsets", max_segments + 1);
        let buffers = payload.buffers(arrays[0], arrays[1]).count(rig.count(0, max));
        let buffers = buffers.segments(offsets.import, rig.count(1, max_segments));
        sort(&mut rig.graph, &small_tiles(gpu), &Sort::ascending(), &buffers)?;
        rig.run(plans.len(), |rng, memory| {
            let n = memory.set_count(rng, 0, max);
            let segments = memory.set_count(rng, 1, max_segments);
            let (keys, given) = (elements(n, rng), hostile_offsets(rng, n, max_segments + 1));
            memory.set(offsets, &given);
            // A segment cannot begin or end before an earlier offset, so offsets are replaced by
            // their running maximum.
            let mut end = 0;
            let cuts = given[..=segments].iter().map(|&at| {
                end = n.min(at as usize).max(end);
                end
            });
            payload.sorted(&keys, &cuts.collect::<Vec<_>>(), arrays, memory)
        })?;
    }
    Ok(())
}

/// Keys are bucket ids. The number of out-of-range ids is reported.
fn splits_tolerate_out_of_range_ids(gpu: &Gpu) -> Result<()> {
    let identity = "uint bucket_of(uint key) { return key; }";
    let plans = sample(gpu, Method::ALL.into_iter().zip([10, 10, 100, 10, 10, 10]));
    for &(method, m) in &plans {
        let (mut rig, max) = (Rig::new(gpu), 700);
        let [keys, out] = ["keys", "out"].map(|name| rig.array(name, max));
        let [values, values_out] = ["values", "values_out"].map(|name| rig.array(name, max));
        let (offsets, out_of_range) = (rig.array("offsets", m + 1), rig.array("out_of_range", 1));
        let from = (keys.import, values.import);
        let buffers = SplitBuffers::pairs(from, (out.import, values_out.import), offsets.import)
            .out_of_range(out_of_range.import)
            .count(rig.count(0, max));
        let buckets = Buckets::<u32>::glsl(m as u32, Glsl::new(identity)).method(method);
        split(&mut rig.graph, &gpu.policy(), &buckets, &buffers)?;
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
            let moved = |of: &[u32]| reference::pick(of, &order);
            let outputs = [(offsets, begins), (out, moved(&key)), (values_out, moved(&numbers))];
            let outputs = outputs.into_iter().map(|(array, words)| match past {
                0 => Exactly(array, words),
                // If ids are out of range, the output arrays have undefined contents.
                _ => Any(array, words.len(), Box::new(|_| Ok(()))),
            });
            outputs.chain([Exactly(out_of_range, vec![past])]).collect()
        })?;
    }
    Ok(())
}

/// Samples are bin indices. Some exceed the last bin.
fn histograms_tolerate_out_of_range_samples(gpu: &Gpu) -> Result<()> {
    let methods = [
        (HistogramMethod::Ballots, 30, false),
        (HistogramMethod::Shared, 200, true),
        (HistogramMethod::Global, 3_000, false),
        (HistogramMethod::Global, 3_000, true),
    ];
    for (method, m, weighted) in methods {
        let (mut rig, max) = (Rig::new(gpu), 3_000);
        let [samples, weights] = ["samples", "weights"].map(|name| rig.array(name, max));
        let (counts, out_of_range) = (rig.array("bins", m), rig.array("out_of_range", 1));
        let mut buffers = HistogramBuffers::new(samples.import, counts.import)
            .out_of_range(out_of_range.import)
            .count(rig.count(0, max));
        if weighted {
            buffers = buffers.weights(weights.import);
        }
        let bins = Bins::<u32>::identity(m as u32).method(method);
        histogram(&mut rig.graph, &gpu.policy(), &bins, &buffers)?;
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
            vec![Exactly(counts, expected), Exactly(out_of_range, vec![past])]
        })?;
    }
    Ok(())
}

fn topk_tolerates_arbitrary_device_counts(gpu: &Gpu) -> Result<()> {
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
        topk(&mut rig.graph, &gpu.policy(), &how, &buffers)?;
        rig.run(methods.len(), |rng, memory| {
            let input = elements(memory.set_count(rng, 0, max), rng);
            memory.set(keys, &input);
            let mut order = reference::order_by(input.len(), |i| std::cmp::Reverse(input[i]));
            order.truncate(k);
            vec![Exactly(out, reference::pick(&input, &order)), Exactly(indices, order)]
        })?;
    }
    Ok(())
}
