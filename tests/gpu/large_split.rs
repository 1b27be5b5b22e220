//! Splits and histograms of arrays larger than a plan or a binding. A policy lowers both limits.

use std::fmt::Debug;

use bytemuck::{Pod, cast_slice};
use multisplit::operations::histogram::Layout;
use multisplit::operations::split::Method;
use multisplit_tests::generate::Distribution;
use multisplit_tests::histogram;
use multisplit_tests::prelude::*;

use crate::large::Lowered;

tests!(large_split:
    sizes_around_the_limits_match_the_cpu, every_distribution_matches_the_cpu,
    values_of_every_size_match_the_cpu, every_key_type_matches_the_cpu, many_buckets_match_the_cpu,
    pieces_larger_than_a_binding_match_the_cpu, every_method_matches_the_cpu,
    full_sort_splits_sort_within_buckets, device_arrays_are_not_modified,
    out_of_range_keys_of_all_pieces_are_counted, histogram_counts_of_pieces_are_summed,
);

/// Capacity of a plan, and the length of a piece, in elements; see `large.rs`.
const MAX_ELEMENTS: u64 = 1000;
const PIECE: usize = 448;

/// Splits keys, key-value pairs, and into a permutation, and compares the results with the CPU
/// reference.
fn check<K: Key + Debug, V: Pod + PartialEq + Debug>(
    context: &Context,
    keys: &[K],
    buckets: &Buckets<K>,
    (bucket_of, value_of): (impl Fn(K) -> u32, impl Fn(u32) -> V),
) -> Result<()> {
    let (order, offsets) = reference::split(keys.len(), buckets.count(), |i| bucket_of(keys[i]));
    let expected = reference::pick(keys, &order);
    let split = context.split(keys, buckets.clone())?;
    expect_equal(&split.offsets, &offsets).context("offsets differ")?;
    expect_equal::<u32>(cast_slice(&split.keys), cast_slice(&expected)).context("keys differ")?;

    let values: Vec<V> = (0..keys.len() as u32).map(&value_of).collect();
    let split = context.split_pairs(keys, &values, buckets.clone())?;
    expect_equal(&split.offsets, &offsets).context("offsets differ for pairs")?;
    expect_equal::<u32>(cast_slice(&split.keys), cast_slice(&expected))
        .context("keys of pairs differ")?;
    expect_equal(&split.values, &reference::pick(&values, &order)).context("values differ")?;

    let split = context.split_permutation(keys, buckets.clone())?;
    expect_equal(&split.offsets, &offsets).context("offsets differ for a permutation")?;
    expect_equal(&split.permutation, &reference::places(&order)).context("the permutation differs")
}

/// Buckets of equal width over the range of u32, and the same function on the CPU.
fn by_value(m: u32) -> (Buckets<u32>, impl Fn(u32) -> u32) {
    let width = (1u64 << 32).div_ceil(m.into());
    (Buckets::delta(0, width, m), move |key| (u64::from(key) / width) as u32)
}

fn sizes_around_the_limits_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut context = Lowered::new(gpu, MAX_ELEMENTS)?;
    let max = MAX_ELEMENTS as usize;
    let sizes =
        [0, 1, max, max + 1, 3 * PIECE - 1, 3 * PIECE, 3 * PIECE + 1, 4 * PIECE + 65, 10_007];
    for n in sizes {
        let (buckets, bucket_of) = by_value(13);
        check(&context, &uniform(n, n as u64), &buckets, (bucket_of, |i| i ^ 0x55))
            .with_context(|| format!("n = {n}"))?;
        context.guard()?;
    }
    context.check_guards()
}

fn every_distribution_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, MAX_ELEMENTS)?;
    for (index, distribution) in gpu.cases(Distribution::ALL.into_iter().enumerate()) {
        let m = [1, 2, 33, 256, 100, 7][index];
        let (buckets, bucket_of) = by_value(m);
        let keys = distribution.keys(3_001, m, index as u64);
        check(&context, &keys, &buckets, (bucket_of, |i| i))
            .with_context(|| format!("{distribution:?}, m = {m}"))?;
    }
    Ok(())
}

fn values_of_every_size_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, MAX_ELEMENTS)?;
    let keys = uniform(2_222, 8);
    let (buckets, bucket_of) = by_value(16);
    check(&context, &keys, &buckets, (&bucket_of, |i| [i, !i]))?;
    check(&context, &keys, &buckets, (&bucket_of, |i| [i, !i, i * 3, 7]))
}

fn every_key_type_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, MAX_ELEMENTS)?;
    let mut rng = Rng::new(3);
    let mut bits = || rng.next_u64();
    let keys: Vec<f32> = (0..2_000).map(|_| (bits() >> 40) as f32 / 16_777_216.0).collect();
    let eighth = |key: f32| (key * 8.0) as u32;
    check(&context, &keys, &Buckets::even(0.0..1.0, 8), (eighth, |i| i))?;
    let keys: Vec<i64> = (0..2_000).map(|_| bits() as i64).collect();
    let splitters = [i64::MIN / 2, -1, 0, 1 << 40];
    let bucket_of = |key: i64| splitters.partition_point(|&s| s <= key) as u32;
    check(&context, &keys, &Buckets::range(&splitters), (bucket_of, |i| [i; 4]))?;
    let keys: Vec<u64> = (0..2_000).map(|_| bits()).collect();
    let digit = |key: u64| (key >> 33) as u32 & 31;
    check(&context, &keys, &Buckets::digit(33..38), (digit, |i| [i; 2]))?;
    let function = "uint bucket_of(double key) { return key < 0.0 ? 1u : 0u; }";
    let keys: Vec<f64> = (0..2_000).map(|_| bits() as i64 as f64).collect();
    check(&context, &keys, &Buckets::glsl(2, function), (|key| u32::from(key < 0.0), |i| i))
}

/// There are more buckets than one round supports. The tables for 65,536 buckets are so large that
/// they are written by several update commands.
fn many_buckets_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, MAX_ELEMENTS)?;
    for m in [257, 65_536] {
        let keys: Vec<u32> = uniform(3_003, 5).into_iter().map(|key| key % m).collect();
        check(&context, &keys, &Buckets::identity(m), (|key| key, |i| i))
            .with_context(|| format!("m = {m}"))?;
    }
    Ok(())
}

fn pieces_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy().lowered(|facts| facts.max_storage_range = 2048);
    let context = Lowered::with(gpu, policy)?;
    for m in [1, 5, 200] {
        let (buckets, bucket_of) = by_value(m);
        check(&context, &uniform(2_345, 6), &buckets, (bucket_of, |i| [i, 1, 2, !i]))
            .with_context(|| format!("m = {m}"))?;
    }
    Ok(())
}

fn every_method_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, MAX_ELEMENTS)?;
    let keys = uniform(1_555, 2);
    for method in gpu.cases(Method::ALL) {
        let (buckets, bucket_of) = by_value(20);
        let buckets = buckets.method(method);
        check(&context, &keys, &buckets, (bucket_of, |i| i))
            .with_context(|| format!("{method:?}"))?;
        ensure!(context.split(&keys, buckets)?.method == method);
    }
    Ok(())
}

fn full_sort_splits_sort_within_buckets(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, MAX_ELEMENTS)?;
    let keys: Vec<u32> = uniform(3_000, 4).into_iter().map(|key| key >> 8 << 8).collect();
    let values: Vec<u32> = (0..3_000).collect();
    let (buckets, bucket_of) = by_value(20);
    let buckets = buckets.method(Method::FullSort);
    let order = reference::order_by(keys.len(), |i| keys[i]);
    let sorted = reference::pick(&keys, &order);
    let (_, offsets) = reference::split(keys.len(), 20, |i| bucket_of(keys[i]));
    let split = context.split(&keys, buckets.clone())?;
    ensure!(split.method == Method::FullSort);
    expect_equal(&split.offsets, &offsets)?;
    expect_equal(&split.keys, &sorted)?;
    let split = context.split_pairs(&keys, &values, buckets.clone())?;
    expect_equal(&split.offsets, &offsets)?;
    expect_equal(&split.keys, &sorted)?;
    expect_equal(&split.values, &order)?;
    expect_errors! {
        context.split_permutation(&keys, buckets) => TooLarge { asked: 3_000, .. },
    }
    Ok(())
}

fn device_arrays_are_not_modified(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, MAX_ELEMENTS)?;
    let (keys, values) = (uniform(2_500, 1), uniform(2_500, 2));
    let (device_keys, device_values) = (context.upload(&keys)?, context.upload(&values)?);
    let on_host = context.split_pairs(&keys, &values, by_value(9).0)?;
    let split = context.split_pairs(&device_keys, &device_values, by_value(9).0)?;
    expect_equal(&context.download(&split.keys)?, &on_host.keys)?;
    expect_equal(&context.download(&split.values)?, &on_host.values)?;
    expect_equal(&context.download(&split.offsets)?, &on_host.offsets)?;
    let split = context.split(&device_keys, by_value(9).0)?;
    expect_equal(&context.download(&split.keys)?, &on_host.keys)?;
    expect_equal(&context.download(&device_keys)?, &keys)?;
    expect_equal(&context.download(&device_values)?, &values)
}

fn out_of_range_keys_of_all_pieces_are_counted(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, MAX_ELEMENTS)?;
    let keys: Vec<u32> = (0..3_000).collect();
    expect_errors! {
        context.split(&keys, Buckets::identity(100)) =>
            BucketOutOfRange { keys: 2_900, buckets: 100 },
    }
    context.split(&keys, Buckets::identity(3_000)).map(drop)?;
    Ok(())
}

/// Covers 8-bit samples, samples with channels, and samples with weights.
fn histogram_counts_of_pieces_are_summed(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy().lowered(|facts| facts.max_storage_range = 4096);
    let context = Lowered::with(gpu, policy)?;
    let bytes: Vec<u8> = uniform(30_001, 3).into_iter().map(|word| (word >> 24) as u8).collect();
    let found = context.histogram(&bytes, Bins::identity(200))?;
    let bin_of = |i: usize| Some(u32::from(bytes[i])).filter(|&bin| bin < 200);
    let (counts, out_of_range) = histogram::count(bytes.len(), 200, bin_of, |_| 1);
    expect_equal(&found.counts, &counts)?;
    expect_equal(&found.out_of_range, &[out_of_range])?;

    let pixels = &bytes[..30_000];
    let layout = Layout::interleaved(4, 0b0101);
    let found = context.histogram(pixels, Bins::identity(256).layout(layout))?;
    let mut expected = Vec::new();
    for channel in [0, 2] {
        let bin_of = |i: usize| Some(u32::from(pixels[4 * i + channel]));
        expected.extend(histogram::count(pixels.len() / 4, 256, bin_of, |_| 1).0);
    }
    expect_equal(&found.counts, &expected)?;

    let (samples, weights) = (uniform(5_003, 7), uniform(5_003, 8));
    let found = context.histogram_weighted(&samples, &weights, Bins::even(0..1 << 31, 16))?;
    let bin_of = |i: usize| Some(samples[i] >> 27).filter(|&bin| bin < 16);
    let (counts, _) = histogram::count(samples.len(), 16, bin_of, |i| u64::from(weights[i]));
    expect_equal(&found.counts, &counts)
}
