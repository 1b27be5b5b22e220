//! Sorts of many segments: sizes, types, values and directions, against a stable sort of each
//! segment on the CPU.

use anyhow::{Context as _, Result, ensure};
use multisplit::Error;
use multisplit::graph::Graph;
use multisplit::primitives::Policy;
use multisplit::primitives::multisplit::KeyType;
use multisplit::primitives::sort::{SegmentedBuffers, Sort, SortMethod, SortValues, add_segmented};
use multisplit_tests::generate::Rng;
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::{reference, tests};

use crate::sort_cases::{
    Along, Keys, image, key_words, make_keys, quick_policy, tile, value_words,
};

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
fn order(sort: &Sort, keys: &[u64], offsets: &[u32]) -> Vec<u32> {
    let images: Vec<u64> = keys.iter().map(|&bits| image(sort.key, bits)).collect();
    let bits = sort.bits.clone().unwrap_or(0..sort.key.bits());
    let sorted = |both: &[u32]| {
        let segment = &images[both[0] as usize..both[1] as usize];
        let order = reference::sort(segment, bits.clone(), sort.descending);
        order.into_iter().map(|i| i + both[0]).collect::<Vec<_>>()
    };
    offsets.windows(2).flat_map(sorted).collect()
}

fn check(
    gpu: &Gpu,
    policy: &Policy,
    sort: &Sort,
    (along, kind): (Along, Keys),
    offsets: &[u32],
) -> Result<SortMethod> {
    let context = &gpu.context;
    let n = u64::from(offsets[offsets.len() - 1]);
    let keys = make_keys(sort.key, kind, n as usize, n);
    let value_bytes = if let Along::Bytes(bytes) = along { bytes } else { 4 };
    let mut graph = Graph::new("segments");
    let len = n.max(1);
    let keys_buffer = graph.import_bytes("keys", len * u64::from(sort.key.bytes()));
    let buffer = graph.import_bytes("values", len * u64::from(value_bytes));
    let values = match along {
        Along::Nothing => SortValues::None,
        Along::Bytes(bytes) => SortValues::Values { buffer, bytes },
        Along::Indices => SortValues::Indices(buffer),
    };
    let buffers = SegmentedBuffers { keys: keys_buffer, values, offsets };
    let added = add_segmented(&mut graph, policy, sort, &buffers)?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let guarded = |words: &[u32]| context.upload("guarded", &[words, &UNTOUCHED].concat());
    let device_keys = guarded(&key_words(sort.key, &keys))?;
    let given: Vec<u32> = (0..n as u32).flat_map(|i| value_words(along, i)).collect();
    let device_values = guarded(&given)?;
    context.run(&executable, &[(keys_buffer, &device_keys), (buffer, &device_values)])?;

    let order = order(sort, &keys, offsets);
    let sorted: Vec<u64> = order.iter().map(|&i| keys[i as usize]).collect();
    let expected = [&key_words(sort.key, &sorted)[..], &UNTOUCHED].concat();
    expect_equal(&context.download::<u32>(&device_keys)?, &expected).context("keys")?;
    let segments = offsets.windows(2).flat_map(|both| (both[0]..both[1]).map(|_| both[0]));
    let expected: Vec<u32> = match along {
        Along::Nothing => given,
        Along::Bytes(_) => order.iter().flat_map(|&i| value_words(along, i)).collect(),
        Along::Indices => order.iter().zip(segments).map(|(&i, begin)| i - begin).collect(),
    };
    let expected = [&expected[..], &UNTOUCHED].concat();
    expect_equal(&context.download::<u32>(&device_values)?, &expected).context("values")?;
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
    for (key, along, offsets) in cases {
        for (kind, descending) in [(Keys::Uniform, false), (Keys::FewDistinct, true)] {
            let sort = Sort { descending, ..Sort::new(key) };
            let method = check(gpu, &policy, &sort, (along, kind), offsets)
                .with_context(|| format!("{sort:?}, {along:?}"))?;
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
        let method = check(gpu, &policy, &Sort::new(key), kinds, &offsets)?;
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
    for (key, along, offsets) in cases {
        for (kind, descending) in [(Keys::Special, key.bits() == 64), (Keys::FewDistinct, false)] {
            let sort = Sort { descending, ..Sort::new(key) };
            let method = check(gpu, &policy, &sort, (along, kind), offsets)
                .with_context(|| format!("{sort:?}, {along:?}"))?;
            ensure!(method == policy.sort.auto);
        }
    }
    let sort = Sort::new(KeyType::F32).by_bits(0..0);
    check(gpu, &policy, &sort, (Along::Indices, Keys::Uniform), &cut)?;
    Ok(())
}

fn one_call(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let sort = Sort::new(KeyType::F32);
    let (keys, offsets) = ([3.0f32, 1.0, 2.0, -1.0, -2.0], [0, 3, 3, 5]);
    let sorted = context.sort_segments(&sort, &keys, &offsets)?;
    expect_equal(&sorted, &[1.0, 2.0, 3.0, -2.0, -1.0])?;
    expect_equal(&context.argsort_segments(&sort, &keys, &offsets)?, &[1, 2, 0, 1, 0])?;
    let (sorted, values) =
        context.sort_segments_pairs(&sort, &keys, &[10u32, 11, 12, 13, 14], &offsets)?;
    expect_equal(&sorted, &[1.0, 2.0, 3.0, -2.0, -1.0])?;
    expect_equal(&values, &[11, 12, 10, 14, 13])?;
    ensure!(context.sort_segments::<f32>(&sort, &[], &[0])?.is_empty());
    let short = context.sort_segments(&sort, &keys, &[0, 3]);
    ensure!(matches!(short, Err(Error::Segments { .. })), "{short:?}");
    Ok(())
}

fn refused(gpu: &Gpu) -> Result<()> {
    let policy = gpu.context.policy();
    let outcome = |sort: &Sort, offsets: &[u32]| {
        let mut graph = Graph::new("refused");
        let keys = graph.import::<u32>("keys", 100_000);
        let buffers = SegmentedBuffers { keys, values: SortValues::None, offsets };
        add_segmented(&mut graph, &policy, sort, &buffers)
    };
    let sort = Sort::new(KeyType::U32);
    for offsets in [&[][..], &[1, 2], &[0, 3, 2], &[0, 5, 4, 6]] {
        let result = outcome(&sort, offsets);
        ensure!(matches!(result, Err(Error::Segments { .. })), "{offsets:?}: {result:?}");
    }
    ensure!(matches!(outcome(&sort, &[0, 100_001]), Err(Error::BufferTooSmall { .. })));
    ensure!(matches!(outcome(&sort, &[0, u32::MAX]), Err(Error::TooLarge { .. })));
    let small = sort.clone().by(SortMethod::Small);
    ensure!(matches!(outcome(&small, &[0, 100_000]), Err(Error::TooLarge { .. })));
    let rounds = sort.by(SortMethod::Multisplit { radix_bits: 8 });
    ensure!(matches!(outcome(&rounds, &[0, 5]), Err(Error::Policy { .. })));
    Ok(())
}
