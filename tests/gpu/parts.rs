//! Operations on arrays that exceed a storage binding or the memory limit are processed in parts.
//! The tests use small limits, so that small arrays are divided.

use std::fmt::Debug;

use bytemuck::pod_read_unaligned;
use multisplit::half::f16;
use multisplit_tests::prelude::*;

use crate::large::Lowered;
use crate::sort_run::rank;

tests!(parts:
    topk_larger_than_a_binding_matches_the_cpu,
    topk_of_rows_larger_than_one_binding_matches_the_cpu,
    searches_larger_than_a_binding_match_the_cpu, selections_larger_than_a_binding_match_the_cpu,
    runs_across_part_boundaries_are_joined, scans_by_key_larger_than_a_binding_match_the_cpu,
    reductions_by_key_larger_than_a_binding_match_the_cpu,
    segmented_reductions_larger_than_a_binding_match_the_cpu,
    merges_larger_than_a_binding_match_the_cpu, segmented_sorts_larger_than_a_binding_match_the_cpu,
    device_arrays_larger_than_a_binding_match_the_cpu, insufficient_memory_is_reported,
    operations_stay_within_a_memory_limit, rows_are_not_divided_if_memory_is_short,
);

/// Maximum size of a storage binding in bytes, so that small arrays have several parts.
const RANGE: u64 = 32 << 10;

fn lowered(gpu: &Gpu) -> Result<Lowered<'_>> {
    Lowered::with(gpu, gpu.policy().lowered(|facts| facts.max_storage_range = RANGE))
}

/// Number of elements per part, if the widest array has elements of `bytes` bytes.
const fn part(bytes: usize) -> usize {
    RANGE as usize / bytes
}

/// Array lengths around multiples of a part.
fn lengths(part: usize) -> [usize; 5] {
    [0, part, part + 1, 2 * part, 3 * part + 77]
}

/// Keys with few distinct values, including NaN, zeros and extremes. Equal keys lie in different
/// parts.
fn few<K: Key>(n: usize, seed: u64) -> Vec<K> {
    let mut rng = Rng::new(seed);
    let special = [0, 1, 1 << 63, u64::MAX, u64::MAX >> 1, 0x7FC0_0000_7FC0_7FC0, 0xBF80_0000];
    let mut values: Vec<u64> = (0..20).map(|_| rng.next_u64()).collect();
    values.extend(special);
    values.extend(special.map(|bits: u64| bits >> 32));
    (0..n).map(|_| key(values[rng.below(values.len() as u64) as usize])).collect()
}

fn random<K: Key>(n: usize, seed: u64) -> Vec<K> {
    let mut rng = Rng::new(seed);
    (0..n).map(|_| key(rng.next_u64())).collect()
}

fn key<K: Key>(bits: u64) -> K {
    pod_read_unaligned(&bits.to_le_bytes()[..size_of::<K>()])
}

fn sorted<K: Key>(mut keys: Vec<K>) -> Vec<K> {
    keys.sort_by_key(|&key| rank(key));
    keys
}

fn expected_topk<K: Key>(keys: &[K], k: usize, smallest: bool) -> (Vec<K>, Vec<u32>) {
    let flip = if smallest { 0 } else { u64::MAX };
    let mut order = reference::order_by(keys.len(), |index| rank(keys[index]) ^ flip);
    order.truncate(k);
    (reference::pick(keys, &order), order)
}

fn sum(elements: &[u32]) -> u32 {
    terms::reduce(Operator::Sum, elements)
}

fn check_topk<K: Key>(context: &Context, keys: &[K], k: usize, smallest: bool) -> Result<()> {
    let how = if smallest { TopK::smallest(k as u64) } else { TopK::largest(k as u64) };
    let found = context.topk(keys, &how)?;
    let (expected, indices) = expected_topk(keys, k, smallest);
    expect_keys(&found.keys, &expected)?;
    expect_equal(&found.indices, &indices)
}

fn topk_larger_than_a_binding_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    fn of_type<K: Key>(gpu: &Gpu) -> Result<()> {
        let context = lowered(gpu)?;
        let part = part(size_of::<K>().max(4));
        let long = 3 * part + 77;
        // Few values of k, because each needs its own pipelines.
        for (n, k) in [(0, 0), (part + 1, 100), (2 * part, 100), (long, 100), (long, part + 5)] {
            if gpu.mine() {
                let keys: Vec<K> = if k == 100 { few(n, n as u64) } else { random(n, n as u64) };
                let smallest = n == 2 * part;
                let say = || format!("{}, k = {k}, n = {n}", K::TYPE);
                gpu.run_or_refuse(|| check_topk(&context, &keys, k, smallest).with_context(say))?;
            }
        }
        context.check_guards()
    }
    of_type::<f32>(gpu)?;
    of_type::<i64>(gpu)?;
    of_type::<f16>(gpu)?;
    let context = lowered(gpu)?;
    let unsorted = context.topk(&random::<u32>(20_000, 9), &TopK::largest(100).unsorted())?;
    let (expected, _) = expected_topk(&random::<u32>(20_000, 9), 100, false);
    let mut keys = unsorted.keys;
    keys.sort_by_key(|&key| std::cmp::Reverse(key));
    expect_equal(&keys, &expected)?;
    expect_errors! {
        context.topk(&random::<u32>(20_000, 9), &TopK::largest(20_001)) =>
            TooLarge { asked: 20_001, limit: 20_000, .. },
    }
    Ok(())
}

fn topk_of_rows_larger_than_one_binding_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    // Many short rows, and rows longer than a part.
    for (rows, length, k) in gpu.cases([(500, 50, 3), (3, 20_000, 100)]) {
        let keys: Vec<f32> = few(rows * length, (rows + k) as u64);
        let found = context.topk(&keys, &TopK::largest(k as u64).rows(length as u64))?;
        let expected = keys.chunks(length).map(|row| expected_topk(row, k, false));
        let (expected, indices): (Vec<_>, Vec<_>) = expected.unzip();
        expect_keys(&found.keys, &expected.concat())
            .with_context(|| format!("rows of {length} elements"))?;
        expect_equal(&found.indices, &indices.concat())?;
    }
    context.check_guards()
}

fn check_search<K: Key>(context: &Context, sorted: &[K], needles: &[K]) -> Result<()> {
    let less = |needle: K| sorted.partition_point(|&one| rank(one) < rank(needle)) as u32;
    let at_most = |needle: K| sorted.partition_point(|&one| rank(one) <= rank(needle)) as u32;
    let expected: Vec<u32> = needles.iter().map(|&needle| less(needle)).collect();
    expect_equal(&context.lower_bound(sorted, needles)?, &expected)?;
    let expected: Vec<u32> = needles.iter().map(|&needle| at_most(needle)).collect();
    expect_equal(&context.upper_bound(sorted, needles)?, &expected)
}

fn searches_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    fn of_type<K: Key>(gpu: &Gpu) -> Result<()> {
        let context = lowered(gpu)?;
        let part = part(size_of::<K>());
        for n in lengths(part) {
            for needles in [0, 1, part + 1] {
                if gpu.mine() {
                    let (keys, needles) = (sorted(few::<K>(n, 1)), few::<K>(needles, 1));
                    let say = || format!("{} needles in {n} elements", needles.len());
                    gpu.run_or_refuse(|| {
                        check_search(&context, &keys, &needles).with_context(say)
                    })?;
                }
            }
        }
        context.check_guards()
    }
    of_type::<u32>(gpu)?;
    of_type::<f64>(gpu)?;
    let context = lowered(gpu)?;
    check_search::<i32>(&context, &sorted(random(30_000, 3)), &random(20_000, 4))
}

/// The first key and the length of each run of keys with equal bits.
fn runs<K: Key>(keys: &[K]) -> (Vec<K>, Vec<u32>) {
    keys.chunk_by(|a, b| a.key_bits() == b.key_bits()).map(|run| (run[0], run.len() as u32)).unzip()
}

fn check_selections(context: &Context, keys: &[f64]) -> Result<()> {
    let limit: f64 = key(0x4000_0000_4000_0000);
    let (low, high): (Vec<f64>, Vec<f64>) = keys.iter().partition(|&&one| rank(one) <= rank(limit));
    expect_keys(&context.select(keys, &Select::at_most(limit))?, &low)?;
    let (selected, rejected) = context.partition(keys, &Select::at_most(limit))?;
    expect_keys(&selected, &low)?;
    expect_keys(&rejected, &high)?;
    let flags: Vec<u32> = random::<u32>(keys.len(), 5).iter().map(|bits| bits % 3).collect();
    let flagged = keys.iter().zip(&flags).filter(|&(_, &flag)| flag != 0);
    let flagged: Vec<f64> = flagged.map(|(&key, _)| key).collect();
    expect_keys(&context.select_flagged(keys, &flags)?, &flagged)
}

fn selections_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    for (turn, n) in gpu.cases(lengths(part(8)).into_iter().enumerate()) {
        let keys: Vec<f64> = few(n, turn as u64);
        gpu.run_or_refuse(|| check_selections(&context, &keys))?;
    }
    context.check_guards()
}

fn runs_across_part_boundaries_are_joined(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    let part = part(4);
    for n in lengths(part) {
        // Distinct keys, a single run of NaN, runs that end at a part boundary or one key before,
        // and sorted keys with few distinct values.
        let all: [Vec<f32>; 5] = [
            (0..n).map(|i| i as f32).collect(),
            vec![f32::NAN; n],
            (0..n).map(|i| (i / part) as f32).collect(),
            (0..n).map(|i| ((i + 1) / part) as f32).collect(),
            sorted(few(n, 6)),
        ];
        for (which, keys) in all.iter().enumerate().filter(|_| gpu.mine()) {
            let (firsts, expected) = runs(keys);
            let (found, lengths) = context.run_lengths(keys)?;
            let case = || format!("{n} keys, case {which}");
            expect_keys(&found, &firsts).with_context(case)?;
            expect_equal(&lengths, &expected).with_context(case)?;
            expect_keys(&context.unique(keys)?, &firsts).with_context(case)?;
            let (found, rejects) = context.partition(keys, &Select::first_of_runs())?;
            let rejected = keys.chunk_by(|a, b| a.to_bits() == b.to_bits());
            let rejected: Vec<f32> = rejected.flat_map(|run| run[1..].to_vec()).collect();
            expect_keys(&found, &firsts).with_context(case)?;
            expect_keys(&rejects, &rejected).with_context(case)?;
        }
    }
    context.check_guards()
}

/// Keys in runs of at most `longest` equal keys.
fn runs_of(n: usize, longest: u64, seed: u64) -> Vec<u64> {
    let mut rng = Rng::new(seed);
    let run = |run: u64| (run % 3, 1 + rng.below(longest) as usize);
    let keys = (0..).map(run).flat_map(|(key, length)| vec![key << 40; length]);
    keys.take(n).collect()
}

fn scans_by_key_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    for n in lengths(part(8)) {
        for (inclusive, longest) in [(true, 10), (false, 9000)].into_iter().filter(|_| gpu.mine()) {
            let keys = runs_of(n, longest, n as u64);
            let values: Vec<u32> = random(n, 7);
            let begins = terms::heads(&keys);
            let expected = terms::scan_segments(Operator::Sum, inclusive, &values, &begins);
            let sum = terms::scan_of(Operator::Sum, inclusive);
            let case = || format!("{n} elements, runs of up to {longest}");
            let found = context.scan_by_key(&keys, &values, &sum)?;
            expect_equal(&found, &expected).with_context(case)?;
            let flags: Vec<u32> = (0..n).map(|at| u32::from(at > 0 && begins[at])).collect();
            let found = context.scan_by_heads(&flags, &values, &sum)?;
            expect_equal(&found, &expected).with_context(case)?;
        }
    }
    context.check_guards()
}

fn reductions_by_key_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    let last = terms::last_nonzero();
    for n in lengths(part(8)) {
        for longest in [10, 9000].into_iter().filter(|_| gpu.mine()) {
            let keys = runs_of(n, longest, n as u64);
            let values: Vec<u32> = random::<u32>(n, 7).iter().map(|x| x & 0xFFF00).collect();
            let (expected_keys, lengths) = runs(&keys);
            let offsets = reference::offsets(lengths);
            let total = |run: &[u32]| run.iter().sum::<u32>();
            let last_of = |run: &[u32]| run.iter().copied().rfind(|&x| x != 0).unwrap_or(0);
            let totals: Vec<u32> = reference::segments(&values, &offsets).map(total).collect();
            let lasts: Vec<u32> = reference::segments(&values, &offsets).map(last_of).collect();
            let case = || format!("{n} elements, runs of up to {longest}");
            let (found, sums) = context.reduce_by_key(&keys, &values, Operator::Sum)?;
            expect_equal(&found, &expected_keys).with_context(case)?;
            expect_equal(&sums, &totals).with_context(case)?;
            let (_, found) = context.reduce_by_key(&keys, &values, &last)?;
            expect_equal(&found, &lasts).with_context(case)?;
        }
    }
    context.check_guards()
}

fn segmented_reductions_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    let part = part(4);
    for n in [0, part + 1, 3 * part + 77] {
        let values: Vec<u32> = random(n, 8);
        // One segment, no segment, many empty segments, short segments, and segments longer than a
        // part.
        let mut rng = Rng::new(n as u64);
        let mut drawn: Vec<u32> = (0..2 * part).map(|_| rng.below(n as u64 + 1) as u32).collect();
        drawn.sort_unstable();
        let end = n as u32;
        let long = [0, end / 5, end / 5, end - end / 4, end, end].to_vec();
        let all = [vec![0, end], vec![], vec![end / 2], vec![0; 3 * part], drawn, long];
        for offsets in all.into_iter().filter(|_| gpu.mine()) {
            let expected: Vec<u32> = reference::segments(&values, &offsets).map(sum).collect();
            let found = context.reduce_segments(&values, &offsets, Operator::Sum)?;
            expect_equal(&found, &expected)
                .with_context(|| format!("{n} elements, {} offsets", offsets.len()))?;
        }
    }
    for (rows, length) in [(3, 10_000), (3000, 7)] {
        if gpu.mine() {
            let values: Vec<u32> = random(rows * length, 9);
            let expected: Vec<u32> = values.chunks(length).map(sum).collect();
            let found = context.reduce_rows(&values, length as u64, Operator::Sum)?;
            expect_equal(&found, &expected)
                .with_context(|| format!("rows of {length} elements"))?;
        }
    }
    context.check_guards()
}

fn merges_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    let part = part(4);
    let cases = [(0, part + 1), (part, 1), (part / 2, part / 2), (2 * part + 1, part + 76)];
    for (a, b) in cases {
        for how in [Merge::Ascending, Merge::Descending].into_iter().filter(|_| gpu.mine()) {
            let make = |n, seed| {
                let mut keys: Vec<f32> = sorted(few(n, seed));
                if how == Merge::Descending {
                    keys.reverse();
                }
                keys
            };
            let (first, second) = (make(a, 1), make(b, 2));
            let mut pairs: Vec<(f32, u32)> =
                first.iter().chain(&second).copied().zip(0..).collect();
            let flip = if how == Merge::Descending { u64::MAX } else { 0 };
            pairs.sort_by_key(|&(key, _)| rank(key) ^ flip);
            let (expected, places): (Vec<f32>, Vec<u32>) = pairs.into_iter().unzip();
            expect_keys(&context.merge_with(&first, &second, how)?, &expected)?;
            let numbers: Vec<u32> = (0..(a + b) as u32).collect();
            let (ones, others) = numbers.split_at(a);
            let (keys, values) =
                context.merge_pairs_with((&first, ones), (&second, others), how)?;
            let case = || format!("arrays of {a} and {b} elements");
            expect_keys(&keys, &expected).with_context(case)?;
            expect_equal(&values, &places).with_context(case)?;
        }
    }
    context.check_guards()
}

fn segmented_sorts_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    let part = part(4);
    let n = 3 * part + 77;
    let keys: Vec<f32> = few(n, 15);
    let numbers: Vec<u32> = (0..n as u32).collect();
    let end = n as u32;
    // Many short segments, and one segment longer than a part.
    let mut offsets: Vec<u32> = (0..end / 3).step_by(500).collect();
    offsets.extend([end / 3, end - 5, end]);
    let sort = Sort::ascending().segments(&offsets);
    let mut expected = numbers.clone();
    for ends in offsets.windows(2) {
        let segment = &mut expected[ends[0] as usize..ends[1] as usize];
        segment.sort_by_key(|&index| rank(keys[index as usize]));
    }
    let moved = reference::pick(&keys, &expected);
    expect_keys(&context.sort_with(&keys, &sort)?, &moved)?;
    let (found, values) = context.sort_pairs_with(&keys, &numbers, &sort)?;
    expect_keys(&found, &moved)?;
    expect_equal(&values, &expected)?;
    let mut places = context.argsort_with(&keys, &sort)?;
    for ends in offsets.windows(2) {
        let segment = &mut places[ends[0] as usize..ends[1] as usize];
        segment.iter_mut().for_each(|place| *place += ends[0]);
    }
    expect_equal(&places, &expected)?;
    let rows: Vec<u32> = random(20 * 1000, 16);
    let expected: Vec<u32> = rows.chunks(1000).flat_map(reference::sorted).collect();
    let mut out = vec![0; rows.len()];
    context.sort_into(&rows, &Sort::ascending().rows(1000), &mut out)?;
    expect_equal(&out, &expected)?;
    context.check_guards()
}

fn device_arrays_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    let n = 2 * part(4) + 1;
    let (keys, needles) = (sorted(few::<f32>(n, 10)), few::<f32>(n, 11));
    let (array, wanted) = (context.upload(&keys)?, context.upload(&needles)?);
    let found = context.topk(&array, &TopK::largest(1000))?;
    let (expected, indices) = expected_topk(&keys, 1000, false);
    expect_keys(&context.download(&found.keys)?, &expected)?;
    expect_equal(&context.download(&found.indices)?, &indices)?;
    let (firsts, expected) = runs(&keys);
    let (found, lengths) = context.run_lengths(&array)?;
    expect_keys(&context.download(&found)?, &firsts)?;
    expect_equal(&context.download(&lengths)?, &expected)?;
    let positions = context.download(&context.lower_bound(&array, &wanted)?)?;
    expect_equal(&positions, &context.lower_bound(&keys, &needles)?)
}

fn insufficient_memory_is_reported(gpu: &Gpu) -> Result<()> {
    let limited = gpu.open_with(|config| config.memory_limit = Some(1000))?;
    let outcome = limited.topk(&[7u32; 5000], &TopK::largest(3));
    expect_message(outcome, "of the memory limit are left")
}

/// Runs operations with a memory limit below the size of their input.
fn operations_stay_within_a_memory_limit(gpu: &Gpu) -> Result<()> {
    fn same<T: PartialEq + Debug>(what: &str, got: &[T], expected: &[T]) -> Result<()> {
        expect_equal(got, expected).with_context(|| what.to_owned())
    }
    let context = gpu.open_with(|config| config.memory_limit = Some(160 << 10))?;
    let n = 60_000;
    let values: Vec<u32> = random(n, 12);
    let keys = runs_of(n, 1000, 13);
    check_topk(&context, &values, 100, false).context("top-k")?;
    check_search(&context, &sorted(values.clone()), &random(40_000, 14)).context("search")?;
    let expected: Vec<u32> = values.iter().copied().filter(|&value| value < 1 << 30).collect();
    same("select", &context.select(&values, &Select::less_than(1 << 30))?, &expected)?;
    gpu.run_or_refuse(|| same("run lengths", &context.run_lengths(&keys)?.1, &runs(&keys).1))?;

    same("reduce", &[context.reduce(&values, Operator::Sum)?], &[sum(&values)])?;
    let least = values.iter().zip(0u32..).min().map(|(&value, index)| (index, value));
    ensure!(context.argmin(&values)? == least, "argmin is wrong");
    let greatest = values.iter().zip((0..n as u32).rev()).max();
    let greatest = greatest.map(|(&value, index)| (n as u32 - 1 - index, value));
    ensure!(context.argmax(&values)? == greatest, "argmax is wrong");
    let sums = |inclusive| terms::scan(Operator::Sum, inclusive, &values);
    same("scan", &context.scan(&values)?, &sums(false))?;
    let found = context.scan_with(&values, &Scan::inclusive(Operator::Sum))?;
    same("inclusive scan", &found, &sums(true))?;
    let last = terms::last_nonzero();
    let sparse: Vec<u32> =
        values.iter().map(|&value| if value % 20_000 == 0 { value } else { 0 }).collect();
    let latest = |so_far: &mut u32, &value: &u32| {
        let before = *so_far;
        *so_far = if value == 0 { before } else { value };
        Some(before)
    };
    let expected: Vec<u32> = sparse.iter().scan(0, latest).collect();
    let found = context.scan_with(&sparse, &Scan::exclusive(&last))?;
    same("scan by GLSL", &found, &expected)?;
    let expected = terms::scan_segments(Operator::Sum, false, &values, &terms::heads(&keys));
    same("scan by key", &context.scan_by_key(&keys, &values, &Scan::default())?, &expected)?;
    let ends = reference::offsets(runs(&keys).1);
    let expected: Vec<u32> = reference::segments(&values, &ends).map(sum).collect();
    same("by key", &context.reduce_by_key(&keys, &values, Operator::Sum)?.1, &expected)?;
    same("segments", &context.reduce_segments(&values, &ends, Operator::Sum)?, &expected)?;
    let expected: Vec<u32> = values.chunks(30_000).map(sum).collect();
    same("rows", &context.reduce_rows(&values, 30_000, Operator::Sum)?, &expected)?;
    let (first, second) = values.split_at(n / 3);
    let (first, second) = (sorted(first.to_vec()), sorted(second.to_vec()));
    same("merge", &context.merge(&first, &second)?, &sorted(values.clone()))
}

/// Rows of floats have the same bits as with enough memory, because parts consist of whole rows.
fn rows_are_not_divided_if_memory_is_short(gpu: &Gpu) -> Result<()> {
    let limited = gpu.open_with(|config| config.memory_limit = Some(160 << 10))?;
    // The size of a part is chosen for the whole limit, and halved until it fits in the rest.
    let _held = limited.zeroed::<u32>(24 << 10)?;
    // 15 rows fit in the limit, with their results.
    let length = 1300;
    ensure!(length <= gpu.max_scan_row(), "the rows are too long");
    let input = fractions(60 * length as usize, 17);
    let add = GlslOperator::new("float combined(float a, float b) { return a + b; }", 0f32);
    for how in [
        Scan::inclusive(Operator::Sum),
        Scan::exclusive(Operator::Sum),
        Scan::inclusive(&add),
        Scan::exclusive(&add),
    ] {
        let expected = gpu.scan_rows(&input, length, &how)?;
        expect_keys(&limited.scan_rows(&input, length, &how)?, &expected)
            .with_context(|| format!("{how:?}"))?;
        let first = limited.scan_with(&input[..length as usize], &how)?;
        expect_keys(&first, &expected[..length as usize])?;
    }
    Ok(())
}
