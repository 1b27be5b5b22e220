//! Sorts of many segments: sizes, types, values and directions, against a stable sort of each
//! segment on the CPU.

use anyhow::{Context as _, Result, ensure};
use multisplit::graph::{ElementType, Graph};
use multisplit::primitives::sort::SortMethod;
use multisplit::primitives::{Count, Policy, SortBuffers, sort};
use multisplit::{Bound, Error, KeyType, Sort};
use multisplit_tests::generate::Rng;
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::tests;

use crate::sort_run::{Along, Keys, Order, key_words, make_keys, quick_policy, tile, value_words};

tests!(sort_segments: small, around_a_tile, mixed, one_call, refused);

const UNTOUCHED: [u32; 64] = [0xDEAD_BEEF; 64];

/// Where segments of these lengths begin and end.
fn offsets(lengths: impl IntoIterator<Item = usize>) -> Vec<u32> {
    let mut end = 0;
    let ends = lengths.into_iter().map(|length| {
        end += length as u32;
        end
    });
    std::iter::once(0).chain(ends).collect()
}

/// The order that sorts each segment, counted from the beginning of the array.
fn expected(order: &Order, keys: &[u64], offsets: &[u32]) -> Vec<u32> {
    let sorted = |both: &[u32]| {
        let places = order.expected(&keys[both[0] as usize..both[1] as usize]);
        places.into_iter().map(|i| i + both[0]).collect::<Vec<_>>()
    };
    offsets.windows(2).flat_map(sorted).collect()
}

fn check(
    gpu: &Gpu,
    policy: &Policy,
    order: &Order,
    (along, kind): (Along, Keys),
    offsets: &[u32],
) -> Result<SortMethod> {
    let context = &gpu.context;
    let n = u64::from(offsets[offsets.len() - 1]);
    let keys = make_keys(order.key, kind, n as usize, n);
    let mut graph = Graph::new("segments");
    let len = n.max(1);
    let keys_buffer = graph.import_array("keys", ElementType::from(order.key), len);
    let values_buffer = graph.import_array("values", along.element(), len);
    let buffers = along.buffers(keys_buffer, values_buffer).count(n);
    let added = sort(&mut graph, policy, &order.sort().segments(offsets), &buffers)?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let guarded = |words: &[u32]| context.upload(&[words, &UNTOUCHED].concat());
    let device_keys = guarded(&key_words(order.key, &keys))?;
    let given: Vec<u32> = (0..n as u32).flat_map(|i| value_words(along, i)).collect();
    let device_values = guarded(&given)?;
    let words = |import, array| Bound::untyped(import, array, 0);
    let bound = [words(keys_buffer, &device_keys), words(values_buffer, &device_values)];
    context.run(&executable, &bound)?;

    let places = expected(order, &keys, offsets);
    let sorted: Vec<u64> = places.iter().map(|&i| keys[i as usize]).collect();
    let expected = [&key_words(order.key, &sorted)[..], &UNTOUCHED].concat();
    expect_equal(&context.download(&device_keys)?, &expected).context("keys")?;
    let segments = offsets.windows(2).flat_map(|both| (both[0]..both[1]).map(|_| both[0]));
    let expected: Vec<u32> = match along {
        Along::Nothing => given,
        Along::Bytes(_) => places.iter().flat_map(|&i| value_words(along, i)).collect(),
        Along::Indices => places.iter().zip(segments).map(|(&i, begin)| i - begin).collect(),
    };
    let expected = [&expected[..], &UNTOUCHED].concat();
    expect_equal(&context.download(&device_values)?, &expected).context("values")?;
    Ok(added.method)
}

/// Segments that all fit a tile, none and one element among them: one dispatch for ten thousand.
fn small(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let mut rng = Rng::new(3);
    let many = offsets((0..10_000).map(|_| rng.below(4) as usize));
    let some = offsets((0..60).map(|_| rng.below(200) as usize));
    let none = offsets([0, 0, 0]);
    let cases = [
        (KeyType::U32, Along::Bytes(4), &many),
        (KeyType::F32, Along::Indices, &some),
        (KeyType::I64, Along::Nothing, &some),
        (KeyType::U32, Along::Bytes(4), &some),
        (KeyType::U32, Along::Bytes(4), &none),
    ];
    let mut mine = gpu.mine();
    for (key, along, offsets) in cases.into_iter().filter(|_| mine()) {
        for (kind, descending) in [(Keys::Uniform, false), (Keys::FewDistinct, true)] {
            let order = Order { descending, ..Order::of(key) };
            let method = check(gpu, &policy, &order, (along, kind), offsets)
                .with_context(|| format!("{order:?}, {along:?}"))?;
            ensure!(method == SortMethod::Small);
        }
    }
    Ok(())
}

/// A tile, one less and one more: past it all segments go another way.
fn around_a_tile(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let key = KeyType::U32;
    let tile = tile(&policy, key)?;
    for (longest, expected) in
        [(tile - 1, SortMethod::Small), (tile, SortMethod::Small), (tile + 1, policy.sort.auto)]
    {
        let offsets = offsets([3, longest, 0, 1, longest, 20]);
        let kinds = (Along::Bytes(4), Keys::FewDistinct);
        let method = check(gpu, &policy, &Order::of(key), kinds, &offsets)?;
        ensure!(method == expected, "{longest}: {method:?}");
    }
    Ok(())
}

/// Large and small segments, and empty ones at both ends.
fn mixed(gpu: &Gpu) -> Result<()> {
    let mut policy = quick_policy(gpu);
    policy.sort.small.items = 2; // so that 3,000 are more than one workgroup sorts
    let cut = offsets([0, 0, 5_000, 1, 0, 2, 700, 3_000, 0, 0, 17, 0]);
    let many = offsets((0..700).map(|k| if k == 350 { 3_000 } else { k % 7 }).chain([0]));
    let one = offsets([3_000]);
    let cases = [
        (KeyType::F32, Along::Nothing, &cut),
        (KeyType::F32, Along::Indices, &many),
        (KeyType::F32, Along::Indices, &cut),
        (KeyType::F32, Along::Bytes(16), &one),
        (KeyType::I64, Along::Bytes(8), &cut),
    ];
    let mut mine = gpu.mine();
    for (key, along, offsets) in cases.into_iter().filter(|_| mine()) {
        for (kind, descending) in [(Keys::Special, key.bits() == 64), (Keys::FewDistinct, false)] {
            let order = Order { descending, ..Order::of(key) };
            let method = check(gpu, &policy, &order, (along, kind), offsets)
                .with_context(|| format!("{order:?}, {along:?}"))?;
            ensure!(method == policy.sort.auto);
        }
    }
    let order = Order { bits: 0..0, ..Order::of(KeyType::F32) };
    check(gpu, &policy, &order, (Along::Indices, Keys::Uniform), &cut)?;
    Ok(())
}

fn one_call(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let keys = [3.0f32, 1.0, 2.0, -1.0, -2.0];
    let sort = Sort::ascending().segments(&[0, 3, 3, 5]);
    expect_equal(&context.sort_with(&keys, &sort)?, &[1.0, 2.0, 3.0, -2.0, -1.0])?;
    expect_equal(&context.argsort_with(&keys, &sort)?, &[1, 2, 0, 1, 0])?;
    let (sorted, values) = context.sort_pairs_with(&keys, &[10u32, 11, 12, 13, 14], &sort)?;
    expect_equal(&sorted, &[1.0, 2.0, 3.0, -2.0, -1.0])?;
    expect_equal(&values, &[11, 12, 10, 14, 13])?;
    ensure!(context.sort_with(&[0.0f32; 0], &Sort::ascending().segments(&[0]))?.is_empty());
    let short = context.sort_with(&keys, &Sort::ascending().segments(&[0, 3]));
    ensure!(matches!(short, Err(Error::Segments { .. })), "{short:?}");
    Ok(())
}

fn refused(gpu: &Gpu) -> Result<()> {
    let policy = gpu.context.policy();
    let outcome = |how: Sort, offsets: &[u32]| {
        let mut graph = Graph::new("refused");
        let n = offsets.last().copied().unwrap_or(0);
        let buffers = SortBuffers::keys(graph.import::<u32>("keys", 100_000)).count(u64::from(n));
        sort(&mut graph, &policy, &how.segments(offsets), &buffers)
    };
    for offsets in [&[][..], &[1, 2], &[0, 3, 2], &[0, 5, 4, 6]] {
        let result = outcome(Sort::ascending(), offsets);
        ensure!(matches!(result, Err(Error::Segments { .. })), "{offsets:?}: {result:?}");
    }
    let result = outcome(Sort::ascending(), &[0, 100_001]);
    ensure!(matches!(result, Err(Error::BufferTooSmall { .. })), "{result:?}");
    let result = outcome(Sort::ascending(), &[0, u32::MAX]);
    ensure!(matches!(result, Err(Error::TooLarge { .. })), "{result:?}");
    let result = outcome(Sort::ascending().method(SortMethod::Small), &[0, 100_000]);
    ensure!(matches!(result, Err(Error::TooLarge { .. })), "{result:?}");
    let rounds = SortMethod::Multisplit { radix_bits: 8 };
    let result = outcome(Sort::ascending().method(rounds), &[0, 5]);
    ensure!(matches!(result, Err(Error::Policy { .. })), "{result:?}");
    // What only a whole array can have.
    let mut graph = Graph::new("refused");
    let mut import = |name| graph.import::<u32>(name, 5);
    let (keys, other, word) = (import("keys"), import("other"), import("word"));
    let segments = Sort::ascending().segments(&[0, 2, 5]);
    let counted = SortBuffers::keys(keys).count(Count::Device { buffer: word, index: 0, max: 5 });
    for buffers in [counted, SortBuffers::keys(keys).between(other, None, word)] {
        let result = sort(&mut graph, &policy, &segments, &buffers);
        ensure!(matches!(result, Err(Error::Segments { .. })), "{result:?}");
    }
    Ok(())
}
