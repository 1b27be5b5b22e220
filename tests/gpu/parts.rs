//! Operations on arrays that exceed a storage binding or the memory: they are processed in parts. A policy with
//! a small binding, or a small memory limit, makes small arrays take this path.

use std::fmt::Debug;

use anyhow::{Context as _, Result, bail, ensure};
use bytemuck::pod_read_unaligned;
use multisplit::half::f16;
use multisplit::operations::Merge;
use multisplit::{Context, Error, GlslOperator, Key, Operator, Scan, Select, Sort, TopK};
use multisplit_tests::generate::Rng;
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::tests;

use crate::large::Lowered;
use crate::sort_run::image;

tests!(parts:
    topk_beyond_a_binding_matches_the_cpu, topk_of_rows_beyond_a_binding_matches_the_cpu,
    searches_beyond_a_binding_match_the_cpu, selections_beyond_a_binding_match_the_cpu,
    runs_join_across_parts, scans_by_key_beyond_a_binding_match_the_cpu,
    reductions_by_key_beyond_a_binding_match_the_cpu,
    segmented_reductions_beyond_a_binding_match_the_cpu, merges_beyond_a_binding_match_the_cpu,
    segmented_sorts_beyond_a_binding_match_the_cpu, device_arrays_beyond_a_binding_match_the_cpu,
    insufficient_memory_is_reported, operations_stay_within_a_memory_limit,
);

/// Size of a storage binding in bytes.
const RANGE: u64 = 32 << 10;

fn lowered(gpu: &Gpu) -> Result<Lowered<'_>> {
    Lowered::with(gpu, gpu.context.policy().lowered(|facts| facts.max_storage_range = RANGE))
}

/// Number of elements per part, if the widest array has elements of `bytes` bytes.
const fn part(bytes: usize) -> usize {
    RANGE as usize / bytes
}

/// Array lengths around multiples of a part.
fn lengths(part: usize) -> [usize; 5] {
    [0, part, part + 1, 2 * part, 3 * part + 77]
}

/// Keys with few distinct values, so that equal keys lie in different parts, including NaN, zeros
/// and extremes.
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

fn rank<K: Key>(key: K) -> u64 {
    image(K::TYPE, key.key_bits())
}

fn sorted<K: Key>(mut keys: Vec<K>) -> Vec<K> {
    keys.sort_by_key(|&key| rank(key));
    keys
}

/// Compares bits, since NaN is not equal to itself.
fn expect_keys<K: Key>(got: &[K], expected: &[K]) -> Result<()> {
    let bits = |keys: &[K]| keys.iter().map(|key| key.key_bits()).collect::<Vec<_>>();
    expect_equal(&bits(got), &bits(expected))
}

fn expected_topk<K: Key>(keys: &[K], k: usize, smallest: bool) -> (Vec<K>, Vec<u32>) {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    let flip = if smallest { 0 } else { u64::MAX };
    order.sort_by_key(|&index| rank(keys[index as usize]) ^ flip);
    order.truncate(k);
    (order.iter().map(|&index| keys[index as usize]).collect(), order)
}

fn check_topk<K: Key>(context: &Context, keys: &[K], k: usize, smallest: bool) -> Result<()> {
    let how = if smallest { TopK::smallest(k as u64) } else { TopK::largest(k as u64) };
    let found = context.topk(keys, &how)?;
    let (expected, indices) = expected_topk(keys, k, smallest);
    expect_keys(&found.keys, &expected)?;
    expect_equal(&found.indices, &indices)
}

fn topk_beyond_a_binding_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    fn of_type<K: Key>(gpu: &Gpu, mine: &mut impl FnMut() -> bool) -> Result<()> {
        let context = lowered(gpu)?;
        let part = part(size_of::<K>().max(4));
        let long = 3 * part + 77;
        // Each k needs separate pipelines.
        for (n, k) in [(0, 0), (part + 1, 100), (2 * part, 100), (long, 100), (long, part + 5)] {
            if mine() {
                let keys = if k == 100 { few(n, n as u64) } else { random(n, n as u64) };
                check_topk::<K>(&context, &keys, k, n == 2 * part)
                    .with_context(|| format!("{}: {k} of {n}", K::TYPE))?;
            }
        }
        context.check_guards()
    }
    let mut mine = gpu.mine();
    of_type::<f32>(gpu, &mut mine)?;
    of_type::<i64>(gpu, &mut mine)?;
    of_type::<f16>(gpu, &mut mine)?;
    let context = lowered(gpu)?;
    let unsorted = context.topk(&random::<u32>(20_000, 9), &TopK::largest(100).unsorted())?;
    let (expected, _) = expected_topk(&random::<u32>(20_000, 9), 100, false);
    let mut keys = unsorted.keys;
    keys.sort_by_key(|&key| std::cmp::Reverse(key));
    expect_equal(&keys, &expected)?;
    match context.topk(&random::<u32>(20_000, 9), &TopK::largest(20_001)) {
        Err(Error::TooLarge { asked: 20_001, limit: 20_000, .. }) => Ok(()),
        other => bail!("{other:?}"),
    }
}

fn topk_of_rows_beyond_a_binding_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    let mut mine = gpu.mine();
    // Many short rows, and rows longer than a part.
    for (rows, length, k) in [(500, 50, 3), (3, 20_000, 100)] {
        if !mine() {
            continue;
        }
        let keys: Vec<f32> = few(rows * length, (rows + k) as u64);
        let found = context.topk(&keys, &TopK::largest(k as u64).rows(length as u64))?;
        let expected = keys.chunks(length).map(|row| expected_topk(row, k, false));
        let (expected, indices): (Vec<_>, Vec<_>) = expected.unzip();
        expect_keys(&found.keys, &expected.concat())
            .with_context(|| format!("rows of {length}"))?;
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

fn searches_beyond_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    fn of_type<K: Key>(gpu: &Gpu, mine: &mut impl FnMut() -> bool) -> Result<()> {
        let context = lowered(gpu)?;
        let part = part(size_of::<K>());
        for n in lengths(part) {
            for needles in [0, 1, part + 1] {
                if mine() {
                    let (keys, needles) = (sorted(few::<K>(n, 1)), few::<K>(needles, 1));
                    check_search(&context, &keys, &needles)
                        .with_context(|| format!("{} among {n}", needles.len()))?;
                }
            }
        }
        context.check_guards()
    }
    let mut mine = gpu.mine();
    of_type::<u32>(gpu, &mut mine)?;
    of_type::<f64>(gpu, &mut mine)?;
    let context = lowered(gpu)?;
    check_search::<i32>(&context, &sorted(random(30_000, 3)), &random(20_000, 4))
}

/// The first key and the length of each run of keys with equal bits.
fn runs<K: Key>(keys: &[K]) -> (Vec<K>, Vec<u32>) {
    keys.chunk_by(|a, b| a.key_bits() == b.key_bits()).map(|run| (run[0], run.len() as u32)).unzip()
}

fn selections_beyond_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    fn of_type<K: Key>(gpu: &Gpu, mine: &mut impl FnMut() -> bool) -> Result<()> {
        let context = lowered(gpu)?;
        for (turn, n) in lengths(part(size_of::<K>())).into_iter().enumerate() {
            if !mine() {
                continue;
            }
            let keys: Vec<K> = few(n, turn as u64);
            let limit: K = key(0x4000_0000_4000_0000);
            let (low, high): (Vec<K>, Vec<K>) =
                keys.iter().partition(|&&one| rank(one) <= rank(limit));
            expect_keys(&context.select(&keys, &Select::at_most(limit))?, &low)?;
            let (selected, rejected) = context.partition(&keys, &Select::at_most(limit))?;
            expect_keys(&selected, &low)?;
            expect_keys(&rejected, &high)?;
            let flags: Vec<u32> = random::<u32>(n, 5).iter().map(|bits| bits % 3).collect();
            let flagged = keys.iter().zip(&flags).filter(|&(_, &flag)| flag != 0);
            let flagged: Vec<K> = flagged.map(|(&key, _)| key).collect();
            expect_keys(&context.select_flagged(&keys, &flags)?, &flagged)?;
        }
        context.check_guards()
    }
    let mut mine = gpu.mine();
    of_type::<f64>(gpu, &mut mine)
}

fn runs_join_across_parts(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    let part = part(4);
    let mut mine = gpu.mine();
    for n in lengths(part) {
        // No runs, a single run, runs that end at, before and after a boundary, NaN, and random
        // keys.
        let all: [Vec<f32>; 5] = [
            (0..n).map(|i| i as f32).collect(),
            vec![f32::NAN; n],
            (0..n).map(|i| (i / part) as f32).collect(),
            (0..n).map(|i| ((i + 1) / part) as f32).collect(),
            sorted(few(n, 6)),
        ];
        for (which, keys) in all.iter().enumerate() {
            if !mine() {
                continue;
            }
            let (firsts, expected) = runs(keys);
            let (found, lengths) = context.run_lengths(keys)?;
            let case = || format!("{which}, {n} keys");
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

/// Scans each segment; `begins` reports whether a segment begins at an index.
fn scanned<T: Copy>(
    values: &[T],
    identity: T,
    inclusive: bool,
    begins: impl Fn(usize) -> bool,
    combined: impl Fn(T, T) -> T,
) -> Vec<T> {
    let mut total = identity;
    let step = |(at, &value): (usize, &T)| {
        let before = if begins(at) { identity } else { total };
        total = if begins(at) { value } else { combined(before, value) };
        if inclusive { total } else { before }
    };
    values.iter().enumerate().map(step).collect()
}

/// Keys in runs of at most `longest`.
fn runs_of(n: usize, longest: u64, seed: u64) -> Vec<u64> {
    let mut rng = Rng::new(seed);
    let run = |run: u64| (run % 3, 1 + rng.below(longest) as usize);
    let keys = (0..).map(run).flat_map(|(key, length)| vec![key << 40; length]);
    keys.take(n).collect()
}

fn scans_by_key_beyond_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    let part = part(8);
    let mut mine = gpu.mine();
    for n in lengths(part) {
        for (inclusive, longest) in [(true, 10), (false, 9000)] {
            if !mine() {
                continue;
            }
            let keys = runs_of(n, longest, n as u64);
            let values: Vec<u32> = random(n, 7);
            let begins = |at: usize| at == 0 || keys[at] != keys[at - 1];
            let expected = scanned(&values, 0, inclusive, begins, u32::wrapping_add);
            let sum = |inclusive| match inclusive {
                true => Scan::inclusive(Operator::Sum),
                false => Scan::exclusive(Operator::Sum),
            };
            let case = || format!("{n}, runs of up to {longest}");
            let found = context.scan_by_key(&keys, &values, &sum(inclusive))?;
            expect_equal(&found, &expected).with_context(case)?;
            let heads: Vec<u32> = (0..n).map(|at| u32::from(at > 0 && begins(at))).collect();
            let found = context.scan_by_heads(&heads, &values, &sum(inclusive))?;
            expect_equal(&found, &expected).with_context(case)?;
        }
    }
    context.check_guards()
}

fn reductions_by_key_beyond_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    let part = part(8);
    let mut mine = gpu.mine();
    let last = GlslOperator::new("uint combined(uint a, uint b) { return b != 0u ? b : a; }", 0u32);
    for n in lengths(part) {
        for longest in [10, 9000] {
            if !mine() {
                continue;
            }
            let keys = runs_of(n, longest, n as u64);
            let values: Vec<u32> = random::<u32>(n, 7).iter().map(|x| x & 0xFFF00).collect();
            let (expected_keys, lengths) = runs(&keys);
            let mut rest = &values[..];
            let mut totals = Vec::new();
            let mut lasts = Vec::new();
            for length in lengths {
                let (run, after) = rest.split_at(length as usize);
                totals.push(run.iter().sum::<u32>());
                lasts.push(run.iter().rev().copied().find(|&value| value != 0).unwrap_or(0));
                rest = after;
            }
            let case = || format!("{n}, runs of up to {longest}");
            let (found, sums) = context.reduce_by_key(&keys, &values, Operator::Sum)?;
            expect_equal(&found, &expected_keys).with_context(case)?;
            expect_equal(&sums, &totals).with_context(case)?;
            let (_, found) = context.reduce_by_key(&keys, &values, &last)?;
            expect_equal(&found, &lasts).with_context(case)?;
        }
    }
    context.check_guards()
}

fn segmented_reductions_beyond_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    let part = part(4);
    let mut mine = gpu.mine();
    let sum = |elements: &[u32]| elements.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
    for n in [0, part + 1, 3 * part + 77] {
        let values: Vec<u32> = random(n, 8);
        // One segment, none, many empty ones, short ones, and some longer than a part.
        let mut rng = Rng::new(n as u64);
        let mut drawn: Vec<u32> = (0..2 * part).map(|_| rng.below(n as u64 + 1) as u32).collect();
        drawn.sort_unstable();
        let end = n as u32;
        let long = [0, end / 5, end / 5, end - end / 4, end, end].to_vec();
        for offsets in [vec![0, end], vec![], vec![end / 2], vec![0; 3 * part], drawn, long] {
            if !mine() {
                continue;
            }
            let pairs = offsets.windows(2);
            let expected: Vec<u32> =
                pairs.map(|ends| sum(&values[ends[0] as usize..ends[1] as usize])).collect();
            let found = context.reduce_segments(&values, &offsets, Operator::Sum)?;
            expect_equal(&found, &expected)
                .with_context(|| format!("{n} elements, {} offsets", offsets.len()))?;
        }
    }
    for (rows, length) in [(3, 10_000), (3000, 7)] {
        if mine() {
            let values: Vec<u32> = random(rows * length, 9);
            let expected: Vec<u32> = values.chunks(length).map(sum).collect();
            let found = context.reduce_rows(&values, length as u64, Operator::Sum)?;
            expect_equal(&found, &expected).with_context(|| format!("rows of {length}"))?;
        }
    }
    context.check_guards()
}

fn merges_beyond_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    let part = part(4);
    let mut mine = gpu.mine();
    let cases = [(0, part + 1), (part, 1), (part / 2, part / 2), (2 * part + 1, part + 76)];
    for (a, b) in cases {
        for how in [Merge::Ascending, Merge::Descending] {
            if !mine() {
                continue;
            }
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
            expect_keys(&keys, &expected).with_context(|| format!("{a} and {b}"))?;
            expect_equal(&values, &places).with_context(|| format!("{a} and {b}"))?;
        }
    }
    context.check_guards()
}

fn segmented_sorts_beyond_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = lowered(gpu)?;
    let part = part(4);
    let n = 3 * part + 77;
    let keys: Vec<f32> = few(n, 15);
    let numbers: Vec<u32> = (0..n as u32).collect();
    let end = n as u32;
    // Short segments, several of which form a group, and one longer than a part.
    let mut offsets: Vec<u32> = (0..end / 3).step_by(500).collect();
    offsets.extend([end / 3, end - 5, end]);
    let sort = Sort::ascending().segments(&offsets);
    let mut expected = numbers.clone();
    for ends in offsets.windows(2) {
        let segment = &mut expected[ends[0] as usize..ends[1] as usize];
        segment.sort_by_key(|&index| rank(keys[index as usize]));
    }
    let moved: Vec<f32> = expected.iter().map(|&index| keys[index as usize]).collect();
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
    let mut expected = rows.clone();
    expected.chunks_mut(1000).for_each(<[u32]>::sort_unstable);
    let mut out = vec![0; rows.len()];
    context.sort_into(&rows, &Sort::ascending().rows(1000), &mut out)?;
    expect_equal(&out, &expected)?;
    context.check_guards()
}

fn device_arrays_beyond_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
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
    let error = limited.topk(&[7u32; 5000], &TopK::largest(3)).err();
    let message = error.map(|error| error.to_string()).unwrap_or_default();
    ensure!(message.contains("of the memory limit are left"), "{message}");
    Ok(())
}

/// Every operation with a memory limit below the size of its input.
fn operations_stay_within_a_memory_limit(gpu: &Gpu) -> Result<()> {
    fn same<T: PartialEq + Debug>(what: &str, got: &[T], expected: &[T]) -> Result<()> {
        expect_equal(got, expected).with_context(|| what.to_owned())
    }
    let context = gpu.open_with(|config| config.memory_limit = Some(160 << 10))?;
    let n = 60_000;
    let values: Vec<u32> = random(n, 12);
    let keys = runs_of(n, 1000, 13);
    check_topk(&context, &values, 100, false).context("topk")?;
    check_search(&context, &sorted(values.clone()), &random(40_000, 14)).context("search")?;
    let expected: Vec<u32> = values.iter().copied().filter(|&value| value < 1 << 30).collect();
    same("select", &context.select(&values, &Select::less_than(1 << 30))?, &expected)?;
    same("run lengths", &context.run_lengths(&keys)?.1, &runs(&keys).1)?;

    let total = values.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
    same("reduce", &[context.reduce(&values, Operator::Sum)?], &[total])?;
    let least = values.iter().zip(0u32..).min().map(|(&value, index)| (index, value));
    ensure!(context.argmin(&values)? == least, "argmin");
    let greatest = values.iter().zip((0..n as u32).rev()).max();
    let greatest = greatest.map(|(&value, index)| (n as u32 - 1 - index, value));
    ensure!(context.argmax(&values)? == greatest, "argmax");
    let sums = |inclusive| scanned(&values, 0, inclusive, |at| at == 0, u32::wrapping_add);
    same("scan", &context.scan(&values)?, &sums(false))?;
    let found = context.scan_with(&values, &Scan::inclusive(Operator::Sum))?;
    same("inclusive scan", &found, &sums(true))?;
    let last = GlslOperator::new("uint combined(uint a, uint b) { return b != 0u ? b : a; }", 0u32);
    let sparse: Vec<u32> =
        values.iter().map(|&value| if value % 20_000 == 0 { value } else { 0 }).collect();
    let latest = |a, b| if b == 0 { a } else { b };
    let expected = scanned(&sparse, 0, false, |at| at == 0, latest);
    let found = context.scan_with(&sparse, &Scan::exclusive(&last))?;
    same("scan by GLSL", &found, &expected)?;
    let begins = |at: usize| at == 0 || keys[at] != keys[at - 1];
    let expected = scanned(&values, 0, false, begins, u32::wrapping_add);
    same("scan by key", &context.scan_by_key(&keys, &values, &Scan::default())?, &expected)?;
    let sums_of = |elements: &[u32]| elements.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
    let mut ends = vec![0];
    ends.extend(runs(&keys).1.iter().scan(0, |end, length| {
        *end += length;
        Some(*end)
    }));
    let expected: Vec<u32> =
        ends.windows(2).map(|ends| sums_of(&values[ends[0] as usize..ends[1] as usize])).collect();
    same("by key", &context.reduce_by_key(&keys, &values, Operator::Sum)?.1, &expected)?;
    same("segments", &context.reduce_segments(&values, &ends, Operator::Sum)?, &expected)?;
    let expected: Vec<u32> = values.chunks(30_000).map(sums_of).collect();
    same("rows", &context.reduce_rows(&values, 30_000, Operator::Sum)?, &expected)?;
    let (first, second) = values.split_at(n / 3);
    let (first, second) = (sorted(first.to_vec()), sorted(second.to_vec()));
    same("merge", &context.merge(&first, &second)?, &sorted(values.clone()))
}
