//! Multisplit by sorting the whole keys: elements are also sorted within buckets, offsets equal
//! those of other methods, and buckets that are not in key order are rejected.

use multisplit::operations::split::{Bucket, Method};
use multisplit_tests::prelude::*;

use crate::sort_run::{image, quick_policy};

tests!(multisplit:
    full_sort_orders_within_buckets, full_sort_writes_a_permutation,
    full_sort_rejects_unordered_buckets,
);

/// Splits pairs, and compares the result with a sort of the keys and with the buckets of
/// `bucket_of`.
fn check<K: Key + PartialEq + std::fmt::Debug>(
    gpu: &Gpu,
    buckets: Buckets<K>,
    keys: &[K],
    descending: bool,
    bucket_of: impl Fn(K) -> u32,
) -> Result<()> {
    let values: Vec<u32> = (0..keys.len() as u32).collect();
    let m = buckets.count();
    let result = gpu.split_pairs(keys, &values, buckets.method(Method::FullSort))?;
    ensure!(result.method == Method::FullSort);
    let images: Vec<u64> = keys.iter().map(|key| image(K::TYPE, key.key_bits())).collect();
    let order = reference::sort(&images, 0..K::TYPE.bits(), descending);
    expect_equal(&result.values, &order).context("values differ")?;
    expect_keys(&result.keys, &reference::pick(keys, &order)).context("keys differ")?;
    let (_, offsets) = reference::split(keys.len(), m, |i| bucket_of(keys[i]));
    expect_equal(&result.offsets, &offsets).context("offsets differ")
}

fn full_sort_orders_within_buckets(gpu: &Gpu) -> Result<()> {
    let words = uniform(3_000, 9);
    // In most cases, one workgroup sorts all keys, because that kernel compiles faster.
    for (m, words) in [(10, &words[..]), (300, &words[..400])] {
        let width = (1u64 << 32).div_ceil(u64::from(m));
        let buckets = Buckets::delta_over_domain(m);
        check(gpu, buckets, words, false, |key| (u64::from(key) / width) as u32)?;
    }
    check(gpu, Buckets::identity(8), &[5u32, 1, 7, 1, 0], false, |key| key)?;
    let floats: Vec<f32> = words[..400].iter().map(|&bits| f32::from_bits(bits)).collect();
    let splitters = [-1e10f32, -0.0, 0.0, 1.0];
    let below = |key: f32| splitters.iter().filter(|s| s.total_cmp(&key).is_le()).count() as u32;
    check(gpu, Buckets::range(&splitters), &floats, false, below)?;
    let from_top = |key: f32| 15 - (image(KeyType::F32, key.key_bits()) >> 28) as u32;
    check(gpu, Buckets::ordered_digit(28..32, true), &floats, true, from_top)
}

/// The keys do not move; each element gets its destination index.
fn full_sort_writes_a_permutation(gpu: &Gpu) -> Result<()> {
    let keys = uniform(700, 2);
    let mut setup = Setup::new(gpu, "permutation");
    let (input, output) = (setup.input("keys", &keys), setup.output::<u32>("out", keys.len()));
    let offsets = setup.output::<u32>("offsets", 11);
    let buckets = Buckets::<u32>::delta_over_domain(10).method(Method::FullSort);
    let buffers = SplitBuffers::permutation(input, output, offsets);
    split(&mut setup.graph, &quick_policy(gpu), &buckets, &buffers)?;
    setup.run()?;
    setup.expect(output, &reference::places(&reference::sort(&keys, 0..32, false)))?;
    setup.expect_unchanged(input).context("the input has changed")
}

fn full_sort_rejects_unordered_buckets(gpu: &Gpu) -> Result<()> {
    let outcome = |buckets: &Buckets, on_device: bool| {
        let mut graph = Graph::new("refused");
        let key = ElementType::from(buckets.key());
        let keys = graph.import_array("keys", key, 100);
        let out = graph.import_array("out", key, 100);
        let offsets = graph.import::<u32>("offsets", 300);
        let device = Count::Device { buffer: offsets, index: 0, max: 100 };
        let n = if on_device { device } else { 100.into() };
        let buffers = SplitBuffers::keys(keys, out, offsets).count(n);
        split(&mut graph, &gpu.policy(), buckets, &buffers)
    };
    let digit = |shift| Bucket::Digit { shift, bits: 4 };
    let unordered = [
        (KeyType::U32, digit(0)),
        (KeyType::I32, digit(28)),
        (KeyType::I32, Bucket::Identity),
        (KeyType::F32, Bucket::Even { lo: 0.0, hi: 1.0 }),
        (KeyType::U64, Bucket::OrderedDigit { shift: 28, bits: 4, descending: false }),
    ];
    for (key, bucket) in unordered {
        let buckets = Buckets::of(key, 16, bucket).method(Method::FullSort);
        expect_error!(outcome(&buckets, false), Bucket { .. }, "{buckets:?}");
    }
    let delta = Buckets::<u32>::delta_over_domain(10).method(Method::FullSort).untyped();
    ensure!(outcome(&delta, false)?.rounds == 4);
    expect_errors! { outcome(&delta, true) => Method { .. } }
    Ok(())
}
