//! Bucket functions of the library and of users (GLSL), compared with the same function on the CPU
//! for several key types.

use multisplit::operations::split::{Bucket, Method};
use multisplit_tests::prelude::*;

use crate::multisplit_cases::METHODS;
use crate::multisplit_keys::check_by;

tests!(multisplit:
    delta_buckets_from_a_minimum_match_the_cpu, delta_buckets_of_signed_keys_match_the_cpu,
    digit_buckets_match_the_cpu, identity_buckets_match_the_cpu,
    even_float_buckets_match_the_documented_edges, range_buckets_match_the_cpu,
    float_range_buckets_match_the_cpu, splits_of_64_bit_keys_match_the_cpu,
    wide_values_match_the_cpu, glsl_function_separates_primes,
    glsl_function_reads_its_table_and_parameters, out_of_range_ids_are_counted_and_reported,
    invalid_bucket_functions_are_rejected, glsl_bucket_errors_show_the_users_line,
);

const N: usize = 30_011;

/// Methods to test a bucket function with. All methods include the same code for it, so a plain run
/// uses one method that splits by subgroups and one that splits by workgroups.
fn methods(gpu: &Gpu) -> &'static [Method] {
    if gpu.full { &METHODS } else { &[Method::Warp, Method::OneSweep] }
}

fn check<K: Key>(
    gpu: &Gpu,
    buckets: &Buckets<K>,
    keys: &[K],
    bucket_of: impl Fn(K) -> u32,
) -> Result<()> {
    check_by(gpu, methods(gpu), buckets, keys, bucket_of)
}

fn delta_buckets_from_a_minimum_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let cases = [
        (1000u32, 77u64, 50u32),
        (0, 1, 256),
        (5, 1 << 20, 3),
        (1 << 31, 3, 7),
        (0, (1 << 31) + 1, 3),
    ];
    for (min, width, m) in cases.into_iter().filter(|_| gpu.mine()) {
        let mut rng = Rng::new(width);
        let keys: Vec<u32> = (0..N)
            .map(|i| match i % 5 {
                0 => rng.next_u32(),
                _ => min.wrapping_add(rng.below(width * u64::from(m)) as u32),
            })
            .collect();
        let buckets = Buckets::delta(min, width, m);
        let bucket_of =
            |key: u32| (u64::from(key.saturating_sub(min)) / width).min(u64::from(m - 1)) as u32;
        check(gpu, &buckets, &keys, bucket_of)?;
    }
    Ok(())
}

fn delta_buckets_of_signed_keys_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys: Vec<i32> = uniform(N, 4).into_iter().map(|k| k as i32).collect();
    let buckets = Buckets::delta_over_domain(10);
    let width = (1i64 << 32).div_euclid(10) + 1;
    check(gpu, &buckets, &keys, |key| ((i64::from(key) + (1 << 31)) / width) as u32)
}

fn digit_buckets_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys = uniform(N, 5);
    for (shift, bits) in [(0, 8), (24, 8), (13, 5), (31, 1)].into_iter().filter(|_| gpu.mine()) {
        let buckets = Buckets::digit(shift..shift + bits);
        check(gpu, &buckets, &keys, |key| (key >> shift) & ((1 << bits) - 1))?;
    }
    Ok(())
}

fn identity_buckets_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys: Vec<u32> = uniform(N, 6).into_iter().map(|k| k % 100).collect();
    check(gpu, &Buckets::identity(100), &keys, |key| key)
}

fn even_float_buckets_match_the_documented_edges(gpu: &Gpu) -> Result<()> {
    let mut rng = Rng::new(7);
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0, 8.0, -8.0, 1e-30];
    let keys: Vec<f32> = (0..N)
        .map(|i| match i % 16 {
            0 => special[rng.below(8) as usize],
            _ => (rng.next_u32() as f32 / u32::MAX as f32) * 20.0 - 10.0,
        })
        .collect();
    // The last three ranges are subnormal, narrow but far from zero, and so wide that the width
    // overflows a float.
    for (lo, hi, m) in gpu.cases([
        (-8.0, 8.0, 3),
        (-8.0, 8.0, 16),
        (-8.1, 8.3, 200),
        (-3e-44, 1e-43, 5),
        (1e6, 1e6 + 1.0, 200),
        (f32::MIN, f32::MAX, 7),
    ]) {
        // A histogram of even bins has the same documented edges.
        let edges: Vec<f32> =
            Bins::even(lo..hi, m).edges().iter().map(|&edge| edge as f32).collect();
        let mut keys = keys.clone();
        for (i, key) in keys.iter_mut().enumerate().filter(|(i, _)| i % 2 == 1) {
            let edge = edges[rng.below(edges.len() as u64) as usize];
            *key = [edge, edge.next_down(), edge.next_up()][i / 2 % 3];
        }
        let bucket_of = |key: f32| match key.is_nan() {
            true => m - 1,
            false => edges[1..m as usize].partition_point(|&edge| edge <= key) as u32,
        };
        check(gpu, &Buckets::even(lo..hi, m), &keys, bucket_of)
            .with_context(|| format!("{m} buckets from {lo:e} to {hi:e}"))?;
    }
    Ok(())
}

fn range_buckets_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys = uniform(N, 8);
    for m in [1usize, 2, 5, 31, 256].into_iter().filter(|_| gpu.mine()) {
        let mut splitters: Vec<u32> = keys[..m - 1].to_vec(); // splitters that are equal to some keys
        splitters.sort_unstable();
        let buckets = Buckets::range(&splitters);
        check(gpu, &buckets, &keys, |key| splitters.partition_point(|&s| s <= key) as u32)?;
    }
    Ok(())
}

fn float_range_buckets_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let splitters = [f32::NEG_INFINITY, -1.5, -0.0, 0.0, 2.5, f32::INFINITY];
    let mut keys: Vec<f32> = uniform(N, 9).into_iter().map(f32::from_bits).collect();
    keys[..splitters.len()].copy_from_slice(&splitters);
    let buckets = Buckets::range(&splitters);
    let bucket_of =
        |key: f32| splitters.iter().filter(|s| s.total_cmp(&key).is_le()).count() as u32;
    check(gpu, &buckets, &keys, bucket_of)
}

fn splits_of_64_bit_keys_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut rng = Rng::new(10);
    let keys: Vec<u64> = (0..N).map(|_| rng.next_u64()).collect();
    for (shift, bits) in [(0, 8), (29, 7), (60, 4)].into_iter().filter(|_| gpu.mine()) {
        let buckets = Buckets::digit(shift..shift + bits);
        let bucket_of = |key: u64| (key >> shift) as u32 & ((1 << bits) - 1);
        gpu.run_or_refuse(|| check(gpu, &buckets, &keys, bucket_of))?;
    }
    Ok(())
}

fn wide_values_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys = uniform(N, 11);
    let buckets = Buckets::delta_over_domain(20);
    let width = (1u64 << 32).div_ceil(20);
    let (order, _) = reference::split(N, 20, |i| (u64::from(keys[i]) / width) as u32);
    let two: Vec<[u32; 2]> = (0..N as u32).map(|i| [i, !i]).collect();
    let four: Vec<[u32; 4]> = (0..N as u32).map(|i| [i, !i, i * 3, 7]).collect();
    for &method in methods(gpu) {
        let buckets = buckets.clone().method(method);
        let result = gpu.split_pairs(&keys, &two, buckets.clone())?;
        expect_equal(&result.values, &reference::pick(&two, &order))
            .with_context(|| format!("{method:?}, 8 bytes"))?;
        let result = gpu.split_pairs(&keys, &four, buckets)?;
        expect_equal(&result.values, &reference::pick(&four, &order))
            .with_context(|| format!("{method:?}, 16 bytes"))?;
    }
    Ok(())
}

/// The example from the GPU Multisplit paper: bucket 0 contains the primes, bucket 1 all other
/// keys.
fn glsl_function_separates_primes(gpu: &Gpu) -> Result<()> {
    let source = "uint bucket_of(uint key) {
    if (key < 2u) return 1u;
    uint composite = 0u;
    for (uint d = 2u; d * d <= key; ++d)
        if (key % d == 0u) composite = 1u;
    return composite;
}";
    let is_composite =
        |key: u32| key < 2 || (2..).take_while(|d| d * d <= key).any(|d| key.is_multiple_of(d));
    let keys: Vec<u32> = uniform(5000, 12).into_iter().map(|k| k % 1000).collect();
    check(gpu, &Buckets::glsl(2, source), &keys, |key| u32::from(is_composite(key)))
}

fn glsl_function_reads_its_table_and_parameters(gpu: &Gpu) -> Result<()> {
    let source = "uint bucket_of(float key) { return table.at[uint(key) % push.parameter_1] + push.parameter_0; }";
    let table: Vec<u32> = vec![3, 0, 2, 1, 3];
    let keys: Vec<f32> = (0..4000).map(|i| (i * 37 % 1000) as f32).collect();
    let mut setup = Setup::new(gpu, "table");
    let (keys_in, words) = (setup.input("keys", &keys), setup.input("table", &table));
    let out = setup.output::<f32>("out", keys.len());
    let offsets = setup.output::<u32>("offsets", 6);
    let function = Glsl::new(source).parameters([1, 5, 0]).table_buffer(words);
    let buckets = Buckets::<f32>::glsl(5, function).method(Method::Block);
    let buffers = SplitBuffers::keys(keys_in, out, offsets);
    split(&mut setup.graph, &gpu.policy(), &buckets, &buffers)?;
    setup.run()?;
    let bucket_of = |i: usize| table[keys[i] as usize % 5] + 1;
    let (order, expected_offsets) = reference::split(keys.len(), 5, bucket_of);
    setup.expect(offsets, &expected_offsets)?;
    setup.expect(out, &reference::pick(&keys, &order))
}

/// Out-of-range bucket ids are counted and reported, and cause no write outside of the outputs.
fn out_of_range_ids_are_counted_and_reported(gpu: &Gpu) -> Result<()> {
    let keys: Vec<u32> = (0..10_000).collect();
    let wild = |m| Buckets::glsl(m, "uint bucket_of(uint key) { return key % 1000u * 7919u; }");
    let offending = |m: u32| keys.iter().filter(|&&k| k % 1000 * 7919 >= m).count() as u64;
    for &method in methods(gpu) {
        let cases = [
            (Buckets::identity(33), 10_000 - 33),
            (wild(10), offending(10)),
            (wild(256), offending(256)),
        ];
        for (buckets, expected) in cases.into_iter().filter(|_| gpu.mine()) {
            let m = buckets.count();
            let outcome = gpu.split(&keys, buckets.method(method));
            expect_error!(
                outcome,
                BucketOutOfRange { keys, buckets } if (keys, buckets) == (expected, m),
                "{method:?}, {expected} keys outside of {m} buckets"
            );
        }
    }
    // `multisplit_cases::check` compares guard words, so it detects out-of-bounds writes.
    for &method in methods(gpu).iter().filter(|_| gpu.mine()) {
        let buckets = wild(10).method(method);
        let policy = gpu.policy();
        let kind = crate::multisplit_cases::Kind::Pairs;
        crate::multisplit_cases::check(gpu, &policy, &buckets, kind, &keys, |k| k % 1000 * 7919)?;
    }
    Ok(())
}

fn invalid_bucket_functions_are_rejected(gpu: &Gpu) -> Result<()> {
    let refused = |what: &str, key, m, bucket| {
        let mut graph = Graph::new("refused");
        let [keys, out] =
            ["keys", "out"].map(|name| graph.import_array(name, ElementType::from(key), 1));
        let offsets = graph.import::<u32>("offsets", 10);
        let buffers = SplitBuffers::keys(keys, out, offsets);
        let buckets = Buckets::of(key, m, bucket);
        let result = split(&mut graph, &gpu.policy(), &buckets, &buffers);
        let refused =
            matches!(result, Err(Error::Bucket { .. } | Error::NoBuckets | Error::TooLarge { .. }));
        ensure!(refused, "{what}: unexpected result {result:?}");
        Ok(())
    };
    let even = |lo, hi| Bucket::Even { lo, hi };
    let delta = |min, width| Bucket::Delta { min, width };
    refused("unsorted splitters", KeyType::U32, 4, Bucket::Range(vec![3, 2, 1]))?;
    refused("too few splitters", KeyType::U32, 4, Bucket::Range(vec![1, 2]))?;
    refused("even buckets of integers", KeyType::U32, 4, even(0.0, 1.0))?;
    refused("an empty range", KeyType::F32, 4, even(1.0, 1.0))?;
    refused("NaN", KeyType::F32, 4, even(f64::NAN, 1.0))?;
    refused("a width of zero", KeyType::U32, 4, delta(0, 0))?;
    refused("a digit beyond the key", KeyType::U32, 4, Bucket::Digit { shift: 30, bits: 3 })?;
    refused("delta of floats", KeyType::F64, 4, delta(0, 5))?;
    refused("a minimum beyond the key type", KeyType::U32, 4, delta(1 << 32, 5))?;
    refused("a splitter beyond the key type", KeyType::U32, 2, Bucket::range(&[1u64 << 40]))?;
    refused("an infinite range", KeyType::F64, 4, even(0.0, f64::INFINITY))?;
    let digit = Bucket::OrderedDigit { shift: u32::MAX, bits: 2, descending: false };
    refused("an ordered digit beyond the key", KeyType::I64, 4, digit)?;
    refused("no buckets", KeyType::U32, 0, Bucket::Identity)
}

fn glsl_bucket_errors_show_the_users_line(gpu: &Gpu) -> Result<()> {
    let source = "uint bucket_of(uint key) {\n  return kye;\n}";
    let result = gpu.split(&[1u32, 2], Buckets::glsl(2, source));
    expect_compile_error(result, &["user_bucket.glsl:2", "return kye;"])
}
