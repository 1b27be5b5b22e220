//! Splits of 8-bit and 16-bit keys, compared with a CPU reference: the bucket functions of every
//! type, every kind of output, arrays larger than a plan, and device counts.

use multisplit::half::{bf16, f16};
use multisplit::operations::split::{Bucket, Method};
use multisplit_tests::prelude::*;

use crate::large::Lowered;
use crate::multisplit_cases::{KINDS, Kind, METHODS};
use crate::multisplit_keys::check_by;
use crate::sort_run::{Keys, image, import_keys, key_bytes, key_words, make_keys, rank};

tests!(narrow_splits:
    digit_identity_and_range_buckets_match_the_cpu, delta_even_and_glsl_buckets_match_the_cpu,
    full_sorts_match_the_cpu, every_output_matches_the_cpu, arrays_larger_than_a_plan_match_the_cpu,
    invalid_splits_are_rejected,
);

const N: usize = 2_003;

fn random_keys<K: Key>(n: usize, seed: u64) -> Vec<K> {
    let uniform = make_keys(K::TYPE, Keys::Uniform, n, seed);
    let special = make_keys(K::TYPE, Keys::Special, n / 8, seed + 1);
    let bits: Vec<u64> = special.into_iter().chain(uniform).take(n).collect();
    let mut keys: Vec<K> = bytemuck::pod_collect_to_vec(&key_words(K::TYPE, &bits));
    keys.truncate(n);
    keys
}

fn methods(gpu: &Gpu) -> &'static [Method] {
    if gpu.full { &METHODS } else { &[Method::Direct] }
}

fn check_digit_identity_and_range<K: Key>(gpu: &Gpu) -> Result<()> {
    let (keys, bits) = (random_keys::<K>(N, 5), K::TYPE.bits());
    let check = |buckets: Buckets<K>, bucket_of: &dyn Fn(K) -> u32| {
        check_by(gpu, methods(gpu), &buckets, &keys, bucket_of)
            .with_context(|| format!("{buckets:?}"))
    };
    check(Buckets::digit(2..7), &|key| (key.key_bits() >> 2) as u32 & 31)?;
    check(Buckets::digit(bits - 1..bits), &|key| (key.key_bits() >> (bits - 1)) as u32)?;
    for descending in [false, true] {
        let flip = if descending { 31 } else { 0 };
        let digit = |key: K| (rank(key) >> (bits - 5)) as u32 ^ flip;
        check(Buckets::ordered_digit(bits - 5..bits, descending), &digit)?;
    }
    let ids = 1 << bits;
    check(Buckets::identity(ids), &|key| key.key_bits() as u32)?;
    let mut splitters = random_keys::<K>(90, 8);
    splitters.sort_by_key(|&key| rank(key));
    let below = |key: K| splitters.partition_point(|&s| rank(s) <= rank(key)) as u32;
    check(Buckets::range(&splitters), &below)?;
    check(Buckets::range(&splitters[..1]), &|key| (rank(splitters[0]) <= rank(key)) as u32)
}

fn digit_identity_and_range_buckets_match_the_cpu(gpu: &Gpu) -> Result<()> {
    check_digit_identity_and_range::<u8>(gpu)?;
    check_digit_identity_and_range::<i8>(gpu)?;
    check_digit_identity_and_range::<u16>(gpu)?;
    check_digit_identity_and_range::<i16>(gpu)?;
    check_digit_identity_and_range::<f16>(gpu)?;
    check_digit_identity_and_range::<bf16>(gpu)
}

/// Delta buckets over the whole range and from a minimum, even buckets, and a GLSL function.
fn check_integer_keys<K: Key>(
    gpu: &Gpu,
    min: K,
    max: K,
    from: i64,
    number: impl Fn(K) -> i64,
) -> Result<()> {
    let keys = random_keys::<K>(N, 6);
    let least = number(min);
    for m in [1, 2, 7, 64] {
        let width = ((1i64 << K::TYPE.bits()) + m - 1) / m;
        let bucket = |key: K| (((number(key) - least) / width) as u32).min(m as u32 - 1);
        check_by(gpu, methods(gpu), &Buckets::delta_over_domain(m as u32), &keys, bucket)?;
    }
    let start = keys.iter().copied().find(|&key| number(key) >= from);
    let start = start.context("no key reaches the minimum")?;
    let bucket = |key: K| ((number(key) - number(start)).max(0) / 3).min(9) as u32;
    check_by(gpu, methods(gpu), &Buckets::delta(start, 3, 10), &keys, bucket)?;
    // Even buckets that do not all contain the same number of integers.
    let (span, m) = (number(max) - least, 11);
    let bucket = |key: K| {
        let begins = (1..m).map(|k| least + (k * span + m - 1) / m);
        begins.filter(|&begin| begin <= number(key)).count() as u32
    };
    check_by(gpu, methods(gpu), &Buckets::even(min..max, 11), &keys, bucket)?;
    let name = if least < 0 { "int" } else { "uint" };
    let source = format!("uint bucket_of({name} key) {{ return uint(key * 3) % 5u; }}");
    let bucket = |key: K| (number(key) * 3) as u32 % 5;
    check_by(gpu, methods(gpu), &Buckets::glsl(5, source.as_str()), &keys, bucket)
}

fn check_float_keys<K: Key>(
    gpu: &Gpu,
    [low, high]: [K; 2],
    number: impl Fn(K) -> f32,
) -> Result<()> {
    let keys = random_keys::<K>(N, 7);
    let m = 12;
    let step = (number(high) - number(low)) / m as f32;
    let even = |key: K| match number(key) {
        number if number.is_nan() => m - 1,
        key => (1..m).filter(|&k| k as f32 * step + number(low) <= key).count() as u32,
    };
    check_by(gpu, methods(gpu), &Buckets::even(low..high, m), &keys, even)?;
    // A device may flush subnormal floats to zero, so the function does not compare with zero.
    let source = "uint bucket_of(float key) {
        if (isnan(key)) return 3u;
        return key < -1e-20 ? 0u : (key <= 1.0 ? 1u : 2u);
    }";
    let bucket = |key: K| match number(key) {
        x if x.is_nan() => 3,
        x if x < -1e-20 => 0,
        x if x <= 1.0 => 1,
        _ => 2,
    };
    check_by(gpu, methods(gpu), &Buckets::glsl(4, source), &keys, bucket)
}

fn delta_even_and_glsl_buckets_match_the_cpu(gpu: &Gpu) -> Result<()> {
    check_integer_keys::<u8>(gpu, 0, u8::MAX, 20, i64::from)?;
    check_integer_keys::<i8>(gpu, i8::MIN, i8::MAX, -5, i64::from)?;
    check_integer_keys::<u16>(gpu, 0, u16::MAX, 2_000, i64::from)?;
    check_integer_keys::<i16>(gpu, i16::MIN, i16::MAX, -300, i64::from)?;
    check_float_keys::<f16>(gpu, [-1.5, 100.0].map(f16::from_f32), f16::to_f32)?;
    check_float_keys::<bf16>(gpu, [-8.0, 1e6].map(bf16::from_f32), bf16::to_f32)
}

fn check_full_sort<K: Key>(gpu: &Gpu, splitters: &[K]) -> Result<()> {
    let keys = random_keys::<K>(N, 9);
    let result = gpu.split(&keys, Buckets::range(splitters).method(Method::FullSort))?;
    let mut expected = keys.clone();
    expected.sort_by_key(|&key| rank(key));
    expect_keys(&result.keys, &expected)?;
    let below = |key: K| splitters.partition_point(|&s| rank(s) <= rank(key)) as u32;
    let (_, offsets) = reference::split(N, splitters.len() as u32 + 1, |i| below(keys[i]));
    expect_equal(&result.offsets, &offsets)
}

fn full_sorts_match_the_cpu(gpu: &Gpu) -> Result<()> {
    check_full_sort(gpu, &[3u8, 77])?;
    check_full_sort(gpu, &[-300i16, 0, 9])?;
    check_full_sort(gpu, &[f16::from_f32(-1.0), f16::ZERO])
}

/// Splits keys and pairs and writes permutations, with and without a device count; key types
/// alternate. Bytes after the last key must not change, even in the same word.
fn every_output_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let types = [KeyType::U8, KeyType::I16, KeyType::Bf16];
    for (turn, kind) in KINDS.into_iter().cycle().take(9).enumerate() {
        let key = types[turn / 3];
        for n in [0, 1, 3, 1_001] {
            let on_device = turn % 2 == 0;
            let max = n.max(1) + if on_device { 2 } else { 0 };
            let made = make_keys(key, Keys::Uniform, max, 3 + n as u64);
            let mut setup = Setup::new(gpu, "split");
            let keys = import_keys(&mut setup, "keys", key, &made);
            let out = setup.array("out", key.into(), key.array_len(max as u64), &[]);
            let values = setup.input("values", &(0..max as u32).collect::<Vec<_>>());
            let [values_out, places] =
                ["values.out", "places"].map(|name| setup.output::<u32>(name, max));
            let offsets = setup.output::<u32>("offsets", 33);
            let buffers = match kind {
                Kind::Keys => SplitBuffers::keys(keys, out, offsets),
                Kind::Pairs => SplitBuffers::pairs((keys, values), (out, values_out), offsets),
                Kind::Permutation => SplitBuffers::permutation(keys, places, offsets),
            };
            let buffers = buffers.count(setup.count(on_device, n as u32, max));
            let bucket = Bucket::OrderedDigit { shift: 3, bits: 5, descending: false };
            let buckets = Buckets::of(key, 32, bucket);
            split(&mut setup.graph, &gpu.policy(), &buckets, &buffers)?;
            setup.run()?;
            let digit = |i: usize| (image(key, made[i]) >> 3) as u32 & 31;
            let (order, begins) = reference::split(n, 32, digit);
            let say = || format!("{key}, {kind:?}, n = {n}, device count: {on_device}");
            setup.expect(offsets, &begins).with_context(say)?;
            setup.expect_unchanged(keys).with_context(say)?;
            if kind == Kind::Permutation {
                setup.expect(places, &reference::places(&order)).with_context(say)?;
            } else {
                let moved = key_bytes(key, &reference::pick(&made, &order));
                setup.expect(out, &moved).with_context(say)?;
            }
            if kind == Kind::Pairs {
                setup.expect(values_out, &order).with_context(say)?;
            }
        }
    }
    Ok(())
}

fn arrays_larger_than_a_plan_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, 1000)?;
    let mut rng = Rng::new(4);
    let keys: Vec<i8> = (0..2_500).map(|_| rng.next_u64() as i8).collect();
    let values: Vec<u32> = (0..2_500).collect();
    let (order, offsets) = reference::split(2_500, 4, |i| ((i32::from(keys[i]) + 128) / 64) as u32);
    let pairs = context.split_pairs(&keys, &values, Buckets::delta_over_domain(4))?;
    expect_equal(&pairs.keys, &reference::pick(&keys, &order))?;
    expect_equal(&pairs.values, &order)?;
    expect_equal(&pairs.offsets, &offsets)?;
    let halves: Vec<f16> = (0..2_500).map(|i| f16::from_f32((i * 37 % 101) as f32)).collect();
    let even =
        context.split_permutation(&halves, Buckets::even(f16::ZERO..f16::from_f32(101.0), 3))?;
    let step = 101.0f32 / 3.0;
    let bucket =
        |i: usize| (1..3).filter(|&k| k as f32 * step <= halves[i].to_f32()).count() as u32;
    let (order, _) = reference::split(2_500, 3, bucket);
    expect_equal(&even.permutation, &reference::places(&order))?;
    let sign = Glsl::new("uint bucket_of(int key) { return key < 0 ? 0u : 1u; }");
    let device = context.upload(&keys)?;
    let signs = context.split(&device, Buckets::glsl(2, sign))?;
    let negative = keys.iter().filter(|&&key| key < 0).count() as u32;
    expect_equal(&context.download(&signs.offsets)?, &[0, negative, 2_500])?;
    let full = context.split(&keys, Buckets::range(&[0i8]).method(Method::FullSort))?;
    ensure!(full.keys.is_sorted());
    expect_equal(&full.offsets, &[0, negative, 2_500])?;
    context.check_guards()
}

fn invalid_splits_are_rejected(gpu: &Gpu) -> Result<()> {
    let bucket = |result: multisplit::Result<()>, text: &str| -> Result<()> {
        expect_errors! { result => ref error @ Bucket { .. } if error.to_string().contains(text) }
        Ok(())
    };
    let keys = [1u8, 2, 3];
    bucket(gpu.split(&keys, Buckets::digit(4..9)).map(drop), "within the key")?;
    bucket(gpu.split(&keys, Buckets::delta(0, 0, 3)).map(drop), "bucket width is 0")?;
    bucket(gpu.split(&keys, Buckets::range(&[9, 3])).map(drop), "not sorted")?;
    let floats = [f16::ONE; 3];
    bucket(
        gpu.split(&floats, Buckets::delta(f16::ONE, 1, 3)).map(drop),
        "support only integer keys",
    )?;
    let mut graph = Graph::new("refused");
    let keys = graph.import::<u8>("keys", 8);
    let offsets = graph.import::<u32>("offsets", 4);
    let policy = gpu.policy();
    let buffers = SplitBuffers::keys(keys, graph.import::<u8>("out", 8), offsets);
    let of = |bucket| Buckets::of(KeyType::U8, 3, bucket);
    let mut add = |bucket| split(&mut graph, &policy, &of(bucket), &buffers).map(drop);
    bucket(add(Bucket::Range(vec![3, 300])), "not a value of the key type")?;
    bucket(add(Bucket::Delta { min: 256, width: 1 }), "not a value of the key type")?;
    bucket(add(Bucket::Even { lo: 0.0, hi: 1.0 }), "supports only float keys")
}
