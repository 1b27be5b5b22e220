//! Segmented sorts, compared with a stable sort of each segment on the CPU. Cases combine segment
//! sizes, key types, values and directions.

use multisplit::operations::sort::AddedSort;
use multisplit_tests::prelude::*;

use crate::sort_run::{
    Keys, Order, PAYLOADS, Payload, import_keys, key_words, make_keys, quick_policy, value_words,
};

tests!(sort_segments:
    small_segments_match_the_cpu, mixed_segments_match_the_cpu;
    in turn: segments_around_a_tile_match_the_cpu, every_type_matches_the_cpu, rows_match_the_cpu,
    sorts_by_bit_ranges_match_the_cpu, invalid_device_offsets_are_clamped,
    recording_uses_the_offsets_of_each_run, one_call_functions_match_the_cpu,
    invalid_segmented_sorts_are_rejected
);

/// The offsets of segments with these lengths.
fn offsets(lengths: impl IntoIterator<Item = usize>) -> Vec<u32> {
    reference::offsets(lengths.into_iter().map(|length| length as u32))
}

/// Source of the segment offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    Host,
    /// Rows: all segments have the length of the first.
    Rows,
    /// Offsets in device memory. With `Counted`, the numbers of segments and keys are in device
    /// memory as well.
    Device,
    Counted,
}

/// Number of additional keys and offsets, which device counts exclude.
const SPARE: u64 = 40;

/// Sorts the segments of `n` keys. Offsets in device memory may be invalid.
fn check(
    gpu: &Gpu,
    policy: &Policy,
    order: &Order,
    (payload, kind, given): (Payload, Keys, Given),
    (n, offsets): (u64, &[u32]),
) -> Result<AddedSort> {
    let segments = offsets.len().saturating_sub(1) as u64;
    // Elements after the device count must not change.
    let spare = if given == Given::Counted { SPARE } else { 0 };
    let keys = make_keys(order.key, kind, (n + spare) as usize, n);
    let mut setup = Setup::new(gpu, "segments");
    let keys_buffer = import_keys(&mut setup, "keys", order.key, &keys);
    let numbers = 0..(n + spare) as u32;
    let given_values: Vec<u32> = numbers.clone().flat_map(|i| value_words(payload, i)).collect();
    let values_buffer = setup.array("values", payload.element(), (n + spare).max(1), &given_values);
    let offsets_buffer = setup.input("offsets", &[offsets, &vec![7; spare as usize]].concat());
    let buffers = payload.buffers(keys_buffer, values_buffer).count(n);
    let (how, buffers) = match given {
        Given::Host => (order.sort().segments(offsets), buffers),
        Given::Rows => (order.sort().rows(offsets[1].into()), buffers),
        Given::Device => (order.sort(), buffers.segments(offsets_buffer, segments)),
        Given::Counted => {
            let count = setup.count(true, n as u32, (n + spare) as usize);
            let number = setup.count(true, segments as u32, (segments + spare - 1) as usize);
            (order.sort(), buffers.count(count).segments(offsets_buffer, number))
        }
    };
    let added = sort(&mut setup.graph, policy, &how, &buffers)?;
    setup.run()?;

    // Offsets that descend or exceed the array are clamped. Elements outside of all segments keep
    // their position.
    let mut places: Vec<u32> = numbers.collect();
    let mut indices: Vec<u32> = given_values.iter().copied().take(places.len()).collect();
    let mut begin = offsets.first().map_or(0, |&first| first.min(n as u32));
    for &offset in offsets.iter().skip(1) {
        let end = offset.min(n as u32).max(begin);
        let range = begin as usize..end as usize;
        let sorted = order.expected(&keys[range.clone()]);
        places[range.clone()]
            .copy_from_slice(&sorted.iter().map(|i| i + begin).collect::<Vec<_>>());
        if payload == Payload::Indices {
            indices[range].copy_from_slice(&sorted);
        }
        begin = end;
    }
    let sorted: Vec<u64> = places.iter().map(|&i| keys[i as usize]).collect();
    let say = || format!("{order:?}, {payload:?}, {kind:?}, {given:?}");
    setup.expect(keys_buffer, &key_words(order.key, &sorted)).with_context(say)?;
    let expected: Vec<u32> = match payload {
        Payload::Nothing => given_values,
        Payload::Bytes(_) => places.iter().flat_map(|&i| value_words(payload, i)).collect(),
        Payload::Indices => indices,
    };
    setup.expect(values_buffer, &expected).with_context(say)?;
    Ok(added)
}

/// Calls [`check`] with valid offsets.
pub fn check_segments(
    gpu: &Gpu,
    policy: &Policy,
    order: &Order,
    kinds: (Payload, Keys, Given),
    offsets: &[u32],
) -> Result<AddedSort> {
    let n = offsets.last().copied().unwrap_or(0);
    check(gpu, policy, order, kinds, (n.into(), offsets))
}

/// A policy with small tiles for segments of any size, so that few elements make many tiles.
pub fn small_tiles(gpu: &Gpu) -> Policy {
    let mut policy = quick_policy(gpu);
    policy.sort.small.threads = 64;
    policy
}

/// Number of elements in a tile.
pub fn tile_of(gpu: &Gpu, policy: &Policy, key: KeyType, payload: Payload) -> Result<usize> {
    let kinds = (payload, Keys::Uniform, Given::Host);
    Ok(check_segments(gpu, policy, &Order::of(key), kinds, &[0, 1])?.shape.tile() as usize)
}

/// Offsets of segments with random lengths, from tiny to several tiles. Some segments are empty.
pub fn random(rng: &mut Rng, tile: usize, elements: usize) -> Vec<u32> {
    let (mut all, mut sum) = (Vec::new(), 0);
    while sum < elements {
        let max = [1, 3, 9, 40, tile / 2, tile, tile + 2, 3 * tile][rng.below(8) as usize];
        let length = rng.below(max as u64 + 1) as usize;
        // Short segments come in groups.
        let times = if max <= 40 { 1 + rng.below(60) as usize } else { 1 };
        sum += times * length;
        all.extend(std::iter::repeat_n(length, times));
    }
    offsets(all)
}

const PAIRS: Payload = Payload::Bytes(4);

/// All segments fit in a tile; some are empty or have one element.
fn small_segments_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = small_tiles(gpu);
    let mut rng = Rng::new(3);
    let many = offsets((0..10_000).map(|_| rng.below(4) as usize));
    let some = offsets((0..60).map(|_| rng.below(200) as usize));
    let none = offsets([0, 0, 0]);
    let cases = [
        (KeyType::U32, PAIRS, &many),
        (KeyType::I64, Payload::Nothing, &some),
        (KeyType::U32, PAIRS, &none),
    ];
    for (key, payload, offsets) in cases {
        for (kind, descending) in [(Keys::Uniform, false), (Keys::FewDistinct, true)] {
            let order = Order { descending, ..Order::of(key) };
            let kinds = (payload, kind, Given::Host);
            gpu.run_or_refuse(|| {
                let added = check_segments(gpu, &policy, &order, kinds, offsets)?;
                ensure!(added.method == SortMethod::Small);
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// Segments have sizes around a tile and around half a tile. A workgroup sorts the small segments
/// that begin in its half of a tile.
fn segments_around_a_tile_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = small_tiles(gpu);
    let tile = tile_of(gpu, &policy, KeyType::U32, PAIRS)?;
    for (longest, method) in [
        (tile - 1, SortMethod::Small),
        (tile, SortMethod::Small),
        (tile + 1, SortMethod::OneSweep),
        (tile / 2 + 1, SortMethod::Small),
    ] {
        let offsets = offsets([3, longest, 0, 1, longest, 20, tile / 2 - 1, tile / 2]);
        for given in [Given::Host, Given::Counted] {
            let kinds = (PAIRS, Keys::FewDistinct, given);
            let added = check_segments(gpu, &policy, &Order::of(KeyType::U32), kinds, &offsets)?;
            let is_right = added.method == method || given != Given::Host;
            ensure!(is_right, "longest segment {longest}: {added:?}");
        }
    }
    Ok(())
}

/// Segments are large, small or empty. In most cases, the first and the last segment are empty.
fn mixed_segments_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = small_tiles(gpu);
    let cut = offsets([0, 0, 5_000, 1, 0, 2, 700, 3_000, 0, 0, 17, 0]);
    let many = offsets((0..700).map(|k| if k == 350 { 3_000 } else { k % 7 }).chain([0]));
    let one = offsets([3_000]);
    let random = random(&mut Rng::new(8), 512, 20_000);
    let few = [
        (KeyType::U32, PAIRS, &cut, Given::Device),
        (KeyType::U32, PAIRS, &random, Given::Counted),
        (KeyType::F64, Payload::Indices, &many, Given::Host),
    ];
    let more = [
        (KeyType::F32, Payload::Nothing, &cut, Given::Device),
        (KeyType::F32, Payload::Indices, &many, Given::Device),
        (KeyType::F32, Payload::Bytes(16), &one, Given::Host),
        (KeyType::I64, Payload::Bytes(8), &cut, Given::Counted),
    ];
    let all = few.into_iter().chain(more.into_iter().filter(|_| gpu.full));
    for (key, payload, offsets, given) in all.filter(|_| gpu.mine()) {
        for (kind, descending) in [(Keys::Special, key.bits() == 64), (Keys::FewDistinct, false)] {
            let order = Order { descending, ..Order::of(key) };
            gpu.run_or_refuse(|| {
                let added = check_segments(gpu, &policy, &order, (payload, kind, given), offsets)?;
                ensure!(added.method == SortMethod::OneSweep);
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// Sorts by bit ranges with an odd number of digits, and by an empty bit range.
fn sorts_by_bit_ranges_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = small_tiles(gpu);
    let cut = offsets([0, 1_500, 1, 0, 200, 600, 3]);
    let few = [(8..16, PAIRS)];
    let more = [(0..0, PAIRS), (3..22, PAIRS), (0..0, Payload::Indices)];
    for (bits, payload) in few.into_iter().chain(more.into_iter().filter(|_| gpu.full)) {
        let order = Order { bits, ..Order::of(KeyType::U32) };
        check_segments(gpu, &policy, &order, (payload, Keys::FewDistinct, Given::Device), &cut)?;
    }
    Ok(())
}

/// In a full run, sorts every 32-bit and 64-bit key type with every payload, with the default tile
/// sizes.
fn every_type_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    if !gpu.full {
        return Ok(());
    }
    let policy = gpu.policy();
    let mut rng = Rng::new(5);
    for key in KeyType::WIDE {
        for payload in PAYLOADS {
            gpu.run_or_refuse(|| {
                let tile = tile_of(gpu, &policy, key, payload)?;
                let random = random(&mut rng, tile, 200_000);
                let kinds = [Given::Host, Given::Device, Given::Counted];
                for given in kinds.into_iter().filter(|_| gpu.mine()) {
                    for kind in [Keys::Uniform, Keys::FewDistinct] {
                        let order = Order { descending: kind == Keys::Uniform, ..Order::of(key) };
                        check_segments(gpu, &policy, &order, (payload, kind, given), &random)?;
                    }
                }
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// Rows fit in one lane, several lanes, a subgroup or several subgroups, or exceed a tile.
/// Covers every kind of value, sorts by all bits and by some bits, and full and partial tiles.
fn rows_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = small_tiles(gpu);
    let subgroup = 8 * policy.facts.subgroup_size as usize;
    let lengths = [1, 2, 7, 8, 9, 16, 64, 100, 129, 256, 512, 1_000, 1_024, 5_000, 40_000];
    let around = [subgroup - 1, subgroup, subgroup + 1, 2 * subgroup, 4 * subgroup + 1];
    for (turn, length) in lengths.into_iter().chain(around).enumerate() {
        let offsets = offsets(std::iter::repeat_n(length, (3_000 / length).max(2) + 1));
        let sampled = |k: usize| gpu.full || turn % 3 == k % 3;
        let payloads = PAYLOADS.into_iter().enumerate().filter(|(k, _)| sampled(*k));
        for (k, payload) in payloads.filter(|_| gpu.mine()) {
            let key = KeyType::WIDE[(turn + k) % KeyType::WIDE.len()];
            let bits = if (turn + k) % 4 == 3 { 3..key.bits() - 5 } else { 0..key.bits() };
            let order = Order { descending: k % 2 == 0, bits, ..Order::of(key) };
            let kind = if k % 3 == 0 { Keys::Special } else { Keys::FewDistinct };
            gpu.run_or_refuse(|| {
                let kinds = (payload, kind, Given::Rows);
                let added = check_segments(gpu, &policy, &order, kinds, &offsets)?;
                let fits = length <= added.shape.tile() as usize;
                let what = format!("rows of {length} elements, {added:?}: whether they are small");
                expect_value(what, &(added.method == SortMethod::Small), &fits)?;
                ensure!(fits || length > 500, "rows of {length} elements do not fit: {added:?}");
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// Offsets in device memory descend or exceed the array.
fn invalid_device_offsets_are_clamped(gpu: &Gpu) -> Result<()> {
    let policy = small_tiles(gpu);
    let n = 5_000;
    let all: [&[u32]; 9] = [
        &[],
        &[5],
        &[100, 300, 200, 700],
        &[0, 3_000, 100, u32::MAX, 4_000],
        &[u32::MAX, 0, 10],
        &[10, 10, 10],
        &[n - 1, n, n + 1],
        &[0, n - 1, 3],
        &[2_000, 100, 50, 4_990],
    ];
    for offsets in all {
        for given in [Given::Device, Given::Counted] {
            let kinds = (PAIRS, Keys::FewDistinct, given);
            check(gpu, &policy, &Order::of(KeyType::U32), kinds, (n.into(), offsets))
                .with_context(|| format!("{offsets:?}"))?;
        }
    }
    Ok(())
}

fn recording_uses_the_offsets_of_each_run(gpu: &Gpu) -> Result<()> {
    let (keys, values) = (gpu.zeroed::<u32>(8_000)?, gpu.zeroed::<u32>(8_000)?);
    let offsets_array = gpu.zeroed::<u32>(101)?;
    let mut work = gpu.work("segments");
    work.set_policy(small_tiles(gpu));
    let segments = work.count("segments", 100);
    let how = Sort::ascending();
    work.sort_segments_pairs(&keys, &values, (&offsets_array, segments), &how)?;
    let mut frame = work.record()?;
    let mut rng = Rng::new(9);
    for lengths in [vec![80; 100], vec![8_000], vec![7_000, 0, 1, 999], vec![3; 17]] {
        let offsets = offsets(lengths);
        let given: Vec<u32> = (0..8_000).map(|_| rng.next_u64() as u32 % 50).collect();
        let numbers: Vec<u32> = (0..8_000).collect();
        gpu.write(&keys, 0, &given)?;
        gpu.write(&values, 0, &numbers)?;
        gpu.write(&offsets_array, 0, &offsets)?;
        frame.set("segments", &(offsets.len() as u32 - 1))?;
        frame.submit()?;
        let mut expected = numbers;
        for both in offsets.windows(2) {
            expected[both[0] as usize..both[1] as usize].sort_by_key(|&i| given[i as usize]);
        }
        expect_equal(&gpu.download(&values)?, &expected)?;
        let sorted: Vec<u32> = expected.iter().map(|&i| given[i as usize]).collect();
        expect_equal(&gpu.download(&keys)?, &sorted)?;
    }
    Ok(())
}

fn one_call_functions_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys = [3.0f32, 1.0, 2.0, -1.0, -2.0];
    let sort = Sort::ascending().segments(&[0, 3, 3, 5]);
    expect_equal(&gpu.sort_with(&keys, &sort)?, &[1.0, 2.0, 3.0, -2.0, -1.0])?;
    expect_equal(&gpu.argsort_with(&keys, &sort)?, &[1, 2, 0, 1, 0])?;
    let (sorted, values) = gpu.sort_pairs_with(&keys, &[10u32, 11, 12, 13, 14], &sort)?;
    expect_equal(&sorted, &[1.0, 2.0, 3.0, -2.0, -1.0])?;
    expect_equal(&values, &[11, 12, 10, 14, 13])?;
    ensure!(gpu.sort_with(&[0.0f32; 0], &Sort::ascending().segments(&[0]))?.is_empty());
    let rows = Sort::descending().rows(5);
    expect_equal(&gpu.sort_with(&keys, &rows)?, &[3.0, 2.0, 1.0, -1.0, -2.0])?;
    ensure!(gpu.sort_with(&[0u32; 0], &rows)?.is_empty());
    for length in [2, 0] {
        expect_errors! {
            gpu.sort_with(&keys, &Sort::ascending().rows(length)) => Rows { n: 5, .. },
        }
    }
    if gpu.full {
        let offsets = gpu.upload(&[0u32, 3, 3, 5])?;
        let how = Sort::ascending();
        let sorted = gpu.sort_segments(&keys, &offsets, &how)?;
        expect_equal(&sorted, &[1.0, 2.0, 3.0, -2.0, -1.0])?;
        expect_equal(&gpu.argsort_segments(&keys, &offsets, &how)?, &[1, 2, 0, 1, 0])?;
        let (_, values) = gpu.sort_segments_pairs(&keys, &[0u32, 1, 2, 3, 4], &offsets, &how)?;
        expect_equal(&values, &[1, 2, 0, 4, 3])?;
    }
    let short = gpu.sort_with(&keys, &Sort::ascending().segments(&[0, 3]));
    expect_errors! { short => Segments { .. } }
    Ok(())
}

fn invalid_segmented_sorts_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let outcome = |how: Sort, offsets: &[u32]| {
        let mut graph = Graph::new("refused");
        let n = offsets.last().copied().unwrap_or(0);
        let buffers = SortBuffers::keys(graph.import::<u32>("keys", 100_000)).count(u64::from(n));
        sort(&mut graph, &policy, &how.segments(offsets), &buffers)
    };
    for offsets in [&[][..], &[1, 2], &[0, 3, 2], &[0, 5, 4, 6]] {
        expect_error!(outcome(Sort::ascending(), offsets), Segments { .. }, "{offsets:?}");
    }
    let by = |method| Sort::ascending().method(method);
    let rounds = SortMethod::Multisplit { radix_bits: 8 };
    expect_errors! {
        outcome(Sort::ascending(), &[0, 100_001]) => BufferTooSmall { .. },
        outcome(Sort::ascending(), &[0, u32::MAX]) => TooLarge { .. },
        outcome(by(SortMethod::Small), &[0, 100_000]) => TooLarge { .. },
        outcome(by(rounds), &[0, 5]) => Method { .. },
    }
    // Device counts and double buffers are not supported with segments given by the host.
    let mut graph = Graph::new("refused");
    let mut import = |name| graph.import::<u32>(name, 5);
    let (keys, other, word) = (import("keys"), import("other"), import("word"));
    let segments = Sort::ascending().segments(&[0, 2, 5]);
    let counted = SortBuffers::keys(keys).count(Count::Device { buffer: word, index: 0, max: 5 });
    for buffers in [counted, SortBuffers::keys(keys).between(other, None, word)] {
        expect_errors! { sort(&mut graph, &policy, &segments, &buffers) => Segments { .. } }
    }
    Ok(())
}
