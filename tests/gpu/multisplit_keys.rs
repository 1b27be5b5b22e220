//! Bucket functions of 32-bit and 64-bit key types respect the order, width and sign of keys.

use multisplit::operations::split::Method;
use multisplit_tests::prelude::*;

use crate::multisplit_cases::METHODS;

tests!(multisplit:
    ordered_digit_buckets_match_the_cpu, splits_by_ordered_digits_sort,
    delta_buckets_of_64_bit_keys_match_the_cpu, range_buckets_of_64_bit_keys_match_the_cpu,
    even_buckets_of_64_bit_keys_match_the_cpu, identity_buckets_check_both_halves_of_64_bit_keys,
    glsl_functions_of_64_bit_keys_match_the_cpu,
);

const N: usize = 5003;

/// All methods share the code of a bucket function, so a plain run uses the method that compiles
/// fastest.
fn methods(gpu: &Gpu) -> &'static [Method] {
    if gpu.full { &METHODS } else { &[Method::Direct] }
}

/// Splits `keys` with each method and compares the results with the CPU.
pub fn check_by<K: Key>(
    gpu: &Gpu,
    methods: &[Method],
    buckets: &Buckets<K>,
    keys: &[K],
    bucket_of: impl Fn(K) -> u32,
) -> Result<()> {
    let (order, offsets) = reference::split(keys.len(), buckets.count(), |i| bucket_of(keys[i]));
    let expected = reference::pick(keys, &order);
    for &method in methods {
        let buckets = buckets.clone().method(method);
        let result = gpu.split(keys, buckets).with_context(|| format!("{method:?}"))?;
        expect_equal(&result.offsets, &offsets)
            .with_context(|| format!("{method:?}: offsets differ"))?;
        expect_keys(&result.keys, &expected).with_context(|| format!("{method:?}: keys differ"))?;
        ensure!(result.method == method);
    }
    Ok(())
}

fn check<K: Key>(
    gpu: &Gpu,
    buckets: &Buckets<K>,
    keys: &[K],
    bucket_of: impl Fn(K) -> u32,
) -> Result<()> {
    check_by(gpu, methods(gpu), buckets, keys, bucket_of).with_context(|| format!("{buckets:?}"))
}

fn random_u64(seed: u64) -> Vec<u64> {
    let mut rng = Rng::new(seed);
    // Keys of all magnitudes: the upper halves of some keys are 0, and those of others are not.
    (0..N).map(|_| rng.next_u64() >> rng.below(64)).collect()
}

fn random_f64(seed: u64) -> Vec<f64> {
    let mut keys: Vec<f64> = random_u64(seed).into_iter().map(|k| f64::from_bits(!k)).collect();
    let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN, 1.0, -1.0];
    keys[..special.len()].copy_from_slice(&special);
    keys
}

/// Splits by digits of the ordered keys. `rank` maps a key to an unsigned integer that compares
/// like the key.
fn digits_of<K: Key>(gpu: &Gpu, keys: &[K], rank: impl Fn(K) -> u64) -> Result<()> {
    let digits: &[(u32, u32)] = if K::TYPE.bits() == 64 { &[(57, 7), (28, 7)] } else { &[(25, 7)] };
    for &(shift, bits) in digits {
        for descending in [false, true] {
            let mask = (1 << bits) - 1;
            let digit =
                |key: K| ((rank(key) >> shift) as u32 ^ if descending { mask } else { 0 }) & mask;
            let buckets = Buckets::ordered_digit(shift..shift + bits, descending);
            check(gpu, &buckets, keys, digit)?;
        }
    }
    Ok(())
}

fn ordered_digit_buckets_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let narrow = uniform(N, 1);
    digits_of(gpu, &narrow, u64::from)?;
    let signed: Vec<i32> = narrow.iter().map(|&k| k as i32).collect();
    digits_of(gpu, &signed, |k| (i64::from(k) + (1 << 31)) as u64)?;
    // Defining the rank as the number of smaller keys would be simpler, but slow.
    let floats: Vec<f32> = narrow.iter().map(|&k| f32::from_bits(k)).collect();
    digits_of(gpu, &floats, |k| match k.is_sign_negative() {
        true => u64::from(u32::MAX - k.to_bits()),
        false => u64::from(k.to_bits()) + (1 << 31),
    })?;
    digits_of(gpu, &random_u64(2), |k| k)?;
    let signed: Vec<i64> = random_u64(3).into_iter().map(|k| !k as i64).collect();
    digits_of(gpu, &signed, |k| (i128::from(k) + (1 << 63)) as u64)?;
    digits_of(gpu, &random_f64(4), |k| match k.is_sign_negative() {
        true => u64::MAX - k.to_bits(),
        false => k.to_bits() + (1 << 63),
    })
}

/// Eight stable splits, by descending ordered digits from lowest to highest, sort the keys in
/// descending `total_cmp` order.
fn splits_by_ordered_digits_sort(gpu: &Gpu) -> Result<()> {
    let mut keys = random_f64(5);
    let mut expected = keys.clone();
    expected.sort_by(|a, b| b.total_cmp(a));
    for shift in (0..64).step_by(8) {
        let buckets = Buckets::ordered_digit(shift..shift + 8, true).method(Method::Direct);
        keys = gpu.split(&keys, buckets)?.keys;
    }
    expect_keys(&keys, &expected)
}

fn delta_buckets_of_64_bit_keys_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys = random_u64(6);
    for (min, width, m) in [
        (0, (1 << 63) + 1, 3),
        (1 << 40, 77 << 33, 200),
        (3, 1, 256),
        (u64::MAX - 10, 3, 7),
        (5, (1 << 33) + 5, 256),
    ] {
        let bucket_of = |key: u64| (key.saturating_sub(min) / width).min(u64::from(m - 1)) as u32;
        check(gpu, &Buckets::delta(min, width, m), &keys, bucket_of)?;
    }
    let signed: Vec<i64> =
        keys.iter().zip(0..).map(|(&k, i)| if i % 2 == 0 { k as i64 } else { !k as i64 }).collect();
    for m in [1u32, 2, 10, 256] {
        let width = (1i128 << 64) / i128::from(m) + i128::from((1i128 << 64) % i128::from(m) != 0);
        let bucket_of = |key: i64| ((i128::from(key) + (1 << 63)) / width) as u32;
        check(gpu, &Buckets::delta_over_domain(m), &signed, bucket_of)?;
    }
    check(gpu, &Buckets::delta(-100, 21, 10), &signed, |key| {
        ((i128::from(key) + 100) / 21).clamp(0, 9) as u32
    })
}

fn range_buckets_of_64_bit_keys_match_the_cpu(gpu: &Gpu) -> Result<()> {
    for m in [2usize, 100] {
        let keys = random_u64(7);
        let mut splitters = keys[..m - 1].to_vec(); // splitters that are equal to some keys
        splitters.sort_unstable();
        let at_or_below = |key: u64| splitters.partition_point(|&s| s <= key) as u32;
        check(gpu, &Buckets::range(&splitters), &keys, at_or_below)?;
        let keys: Vec<i64> = keys.into_iter().map(|k| !k as i64).collect();
        let mut splitters = keys[..m - 1].to_vec();
        splitters.sort_unstable();
        let at_or_below = |key: i64| splitters.partition_point(|&s| s <= key) as u32;
        check(gpu, &Buckets::range(&splitters), &keys, at_or_below)?;
        let keys = random_f64(8);
        let mut splitters = keys[..m - 1].to_vec();
        splitters.sort_by(f64::total_cmp);
        let at_or_below =
            |key: f64| splitters.partition_point(|s| s.total_cmp(&key).is_le()) as u32;
        check(gpu, &Buckets::range(&splitters), &keys, at_or_below)?;
    }
    Ok(())
}

fn even_buckets_of_64_bit_keys_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut rng = Rng::new(9);
    let mut keys = random_f64(10);
    for key in &mut keys[8..] {
        *key = (rng.next_u64() as f64 / u64::MAX as f64) * 20.0 - 10.0;
    }
    for m in [1u32, 4, 199] {
        let begin = |k: u32| f64::from(k) * (16.0 / f64::from(m)) - 8.0;
        let bucket_of = |key: f64| match key.is_nan() {
            true => m - 1,
            false => (1..m).filter(|&k| begin(k) <= key).count() as u32,
        };
        check(gpu, &Buckets::even(-8.0..8.0, m), &keys, bucket_of)?;
    }
    Ok(())
}

/// A 64-bit key is out of range even if its lower half alone would be a valid bucket.
fn identity_buckets_check_both_halves_of_64_bit_keys(gpu: &Gpu) -> Result<()> {
    let keys: Vec<u64> = random_u64(11).into_iter().map(|k| k % 100).collect();
    check(gpu, &Buckets::identity(100), &keys, |key| key as u32)?;
    let buckets = Buckets::identity(100).method(Method::Direct);
    let keys = [5i64, 1 << 32, -1, (1 << 32) + 7, 99, 100];
    expect_errors! {
        gpu.split(&keys, buckets) => BucketOutOfRange { keys: 4, buckets: 100 },
    }
    Ok(())
}

fn glsl_functions_of_64_bit_keys_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys: Vec<i64> = random_u64(12).into_iter().map(|k| !k as i64).collect();
    let sign = "uint bucket_of(int64_t key) { return key < 0 ? 0u : 1u; }";
    check(gpu, &Buckets::glsl(2, sign), &keys, |key| u32::from(key >= 0))?;
    let small = "uint bucket_of(double key) { return abs(key) < 1e-200lf ? 1u : 0u; }";
    check(gpu, &Buckets::glsl(2, small), &random_f64(13), |key| u32::from(key.abs() < 1e-200))
}
