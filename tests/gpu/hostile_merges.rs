//! Merges and searches of unsorted arrays; fills, copies and dispatches with arbitrary counts in
//! device memory. Results must be defined, and no access may leave the caller's arrays.

use multisplit_tests::prelude::*;

use crate::hostile_rig::Expected::{Any, Exactly};
use crate::hostile_rig::{BOUND, Rig, SIZES, elements, narrow, sample};
use crate::sort_segments::small_tiles;

tests!(hostile:
    merges_tolerate_unsorted_arrays, searches_tolerate_unsorted_arrays,
    fills_and_copies_tolerate_arbitrary_device_counts,
    selected_count_feeds_later_operations_without_readback, indirect_workgroup_counts_are_clamped
);

/// Merges sorted and unsorted inputs. For unsorted inputs, each output key must be an input key,
/// and each output value an input value.
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
                // The value of a key is its index among the keys of both arrays.
                let value: Vec<u32> = (0..key.len()).map(|i| (all.len() + i) as u32).collect();
                memory.set(keys[k], &key);
                memory.set(values[k], &value);
                all.extend(key);
            }
            let n = all.len();
            let order = reference::order_by(n, |i| all[i]);
            let sorted = reference::pick(&all, &order);
            let mut expected = Vec::new();
            if is_sorted {
                expected.push(Exactly(out, sorted));
                expected.extend(pairs.then(|| Exactly(values_out, order)));
            } else {
                let known = move |key: &u32| all.contains(key);
                // Keys are checked only for small inputs, because this search is quadratic.
                let check = move |found: &[u32]| {
                    let is_right = n > 700 || found.iter().all(&known);
                    ensure!(is_right, "an output element is not in the inputs");
                    Ok(())
                };
                expected.push(Any(out, n, Box::new(check)));
                let check = move |found: &[u32]| {
                    let is_right = found.iter().all(|&at| (at as usize) < n);
                    ensure!(is_right, "an output value is not in the inputs");
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
                let is_right = found.iter().all(|&at| at <= n);
                ensure!(is_right, "a position is beyond the end of the array");
                Ok(())
            };
            vec![Any(positions, wanted.len(), Box::new(check))]
        })?;
    }
    Ok(())
}

fn fills_and_copies_tolerate_arbitrary_device_counts(gpu: &Gpu) -> Result<()> {
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

/// A selection writes the number of selected elements to device memory. A sort, a scan and another
/// selection use it as their count.
fn selected_count_feeds_later_operations_without_readback(gpu: &Gpu) -> Result<()> {
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
            let selected: Vec<u32> = input.into_iter().filter(|x| *x < limit).collect();
            let sorted = reference::sorted(&selected);
            let (once_each, _) = reference::runs(&sorted);
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

/// Indirect workgroup counts are arbitrary words, which are clamped to the device limit in each
/// dimension. Only the clamped words are compared; a dispatch of so many workgroups would take too
/// long.
fn indirect_workgroup_counts_are_clamped(gpu: &Gpu) -> Result<()> {
    let limits = gpu.limits();
    let mut rig = Rig::new(gpu);
    let (words, out) = (rig.array("words", 3), rig.array("groups", 3));
    let groups = bounded_groups(&mut rig.graph, &limits, words.import)?;
    rig.graph.copy("groups", groups, out.import);
    rig.run(1, |rng, memory| {
        let given = [0; 3].map(|_| rng.next_u32() >> rng.below(32));
        memory.set(words, &given);
        let max = limits.max_workgroup_count;
        vec![Exactly(out, (0..3).map(|k| given[k].min(max[k])).collect())]
    })
}
