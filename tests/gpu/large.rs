//! Sorts of arrays that are larger than one plan supports. A policy lowers the capacity of plans,
//! so that small arrays exceed it.

use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex};

use bytemuck::{Pod, cast_slice, pod_collect_to_vec};
use multisplit::Observer;
use multisplit::half::{bf16, f16};
use multisplit::operations::split::Ranking;
use multisplit_tests::harness::WithPolicy;
use multisplit_tests::prelude::*;

use crate::sort_run::{KEYS, Keys, Order, PAYLOADS, Payload, key_words, make_keys, value_words};

tests!(large:
    sizes_around_plan_and_piece_limits_match_the_cpu, every_key_and_value_type_matches_the_cpu,
    sorts_by_bit_ranges_match_the_cpu, skewed_keys_match_the_cpu,
    bucket_larger_than_a_plan_matches_the_cpu, pieces_larger_than_a_binding_match_the_cpu,
    one_sweep_and_multisplit_sorts_in_pieces_match_the_cpu, device_arrays_are_not_modified,
    sort_in_place_matches_the_cpu, only_arrays_larger_than_a_plan_run_in_pieces,
    large_sorts_and_splits_recover_from_reversed_lanes, invalid_options_and_limits_are_rejected,
);

/// A context whose plans have a lowered capacity until this value is dropped.
pub struct Lowered<'g> {
    gpu: WithPolicy<'g>,
    /// Arrays allocated next to those of the tests. Their contents must not change.
    guards: Vec<Array<u32>>,
}

impl<'g> Lowered<'g> {
    /// Limits plans to `max_elements` elements.
    pub fn new(gpu: &'g Gpu, max_elements: u64) -> Result<Self> {
        Self::with(gpu, Policy { max_elements, ..gpu.policy() })
    }

    pub fn with(gpu: &'g Gpu, policy: Policy) -> Result<Self> {
        let guard = |_| gpu.upload(&[GUARD_WORD; 64]);
        let guards = (0..4).map(guard).collect::<multisplit::Result<_>>()?;
        Ok(Self { gpu: gpu.with_policy(policy)?, guards })
    }

    /// Allocates another array whose contents must not change.
    pub fn guard(&mut self) -> Result<()> {
        self.guards.push(self.gpu.upload(&[GUARD_WORD; 64])?);
        Ok(())
    }

    /// Checks that all guard words are unchanged.
    pub fn check_guards(&self) -> Result<()> {
        for guard in &self.guards {
            let words = self.gpu.download(guard)?;
            ensure!(words.iter().all(|&word| word == GUARD_WORD), "guard words have changed");
        }
        Ok(())
    }
}

impl Deref for Lowered<'_> {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.gpu
    }
}

/// Capacity of a plan in elements. Larger arrays are processed in pieces of 448 elements: half the
/// capacity, rounded down to the alignment of bindings.
const MAX_ELEMENTS: u64 = 1000;
const PIECE: usize = 448;

/// Sorts keys (given as bits) and compares every byte with the CPU reference.
pub fn check(context: &Context, order: &Order, payload: Payload, keys: &[u64]) -> Result<()> {
    let run = match order.key {
        KeyType::U8 => check_keys::<u8>,
        KeyType::I8 => check_keys::<i8>,
        KeyType::U16 => check_keys::<u16>,
        KeyType::I16 => check_keys::<i16>,
        KeyType::F16 => check_keys::<f16>,
        KeyType::Bf16 => check_keys::<bf16>,
        KeyType::U32 => check_keys::<u32>,
        KeyType::I32 => check_keys::<i32>,
        KeyType::F32 => check_keys::<f32>,
        KeyType::U64 => check_keys::<u64>,
        KeyType::I64 => check_keys::<i64>,
        KeyType::F64 => check_keys::<f64>,
    };
    run(context, order, payload, keys)
        .with_context(|| format!("{order:?}, {payload:?}, {} keys", keys.len()))
}

fn check_keys<K: Key>(
    context: &Context,
    order: &Order,
    payload: Payload,
    bits: &[u64],
) -> Result<()> {
    let mut keys: Vec<K> = pod_collect_to_vec(&key_words(order.key, bits));
    keys.truncate(bits.len());
    match payload {
        Payload::Nothing => {
            let sorted = context.sort_with(&keys, &order.sort())?;
            expect_sorted(order, bits, &sorted)
        }
        Payload::Indices => {
            let indices = context.argsort_with(&keys, &order.sort())?;
            expect_equal(&indices, &order.expected(bits))
        }
        Payload::Bytes(4) => check_pairs::<K, u32>(context, order, payload, (&keys, bits)),
        Payload::Bytes(8) => check_pairs::<K, [u32; 2]>(context, order, payload, (&keys, bits)),
        Payload::Bytes(_) => check_pairs::<K, [u32; 4]>(context, order, payload, (&keys, bits)),
    }
}

fn check_pairs<K: Key, V: Pod>(
    context: &Context,
    order: &Order,
    payload: Payload,
    (keys, bits): (&[K], &[u64]),
) -> Result<()> {
    let words = |i: u32| value_words(payload, i);
    let given: Vec<u32> = (0..keys.len() as u32).flat_map(words).collect();
    let values: Vec<V> = pod_collect_to_vec(&given);
    let (sorted, values) = context.sort_pairs_with(keys, &values, &order.sort())?;
    expect_sorted(order, bits, &sorted)?;
    let expected: Vec<u32> = order.expected(bits).into_iter().flat_map(words).collect();
    expect_equal(cast_slice::<V, u32>(&values), &expected).context("values differ")
}

fn expect_sorted<K: Key>(order: &Order, given: &[u64], sorted: &[K]) -> Result<()> {
    let expected = reference::pick(given, &order.expected(given));
    expect_equal(&bits(sorted), &expected).context("keys differ")
}

/// Sizes are just below, at and just above the capacity of a plan, three pieces, and four pieces
/// plus the alignment of bindings (64 elements).
fn sizes_around_plan_and_piece_limits_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut context = Lowered::new(gpu, MAX_ELEMENTS)?;
    let max = MAX_ELEMENTS as usize;
    let sizes = [max, 3 * PIECE, 4 * PIECE + 64].map(|n| [n - 1, n, n + 1]).concat();
    for (index, n) in gpu.cases(sizes.into_iter().chain([10_007]).enumerate()) {
        let payload = PAYLOADS[index % PAYLOADS.len()];
        let key = [KeyType::U32, KeyType::F64][index % 2];
        let keys = make_keys(key, Keys::Uniform, n, n as u64);
        gpu.run_or_refuse(|| check(&context, &Order::of(key), payload, &keys))?;
        context.guard()?;
    }
    context.check_guards()
}

/// A full run tests every combination; a plain run takes its sample from one case for each key type
/// and kind of value; directions and distributions alternate.
fn every_key_and_value_type_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, MAX_ELEMENTS)?;
    for (row, key) in KeyType::WIDE.into_iter().enumerate() {
        for (column, payload) in PAYLOADS.into_iter().enumerate() {
            let some = [KEYS[(row + 3 * column) % KEYS.len()]];
            let all = if gpu.full { &KEYS[..] } else { &some[..] };
            for &keys in all {
                for descending in [false, true] {
                    if !gpu.full && descending != ((row + column) % 2 == 0) || !gpu.mine() {
                        continue;
                    }
                    let n = 2_500 + 100 * row + column;
                    let order = Order { descending, ..Order::of(key) };
                    let made = make_keys(key, keys, n, 31 * row as u64 + column as u64);
                    let say = || format!("{keys:?}");
                    gpu.run_or_refuse(|| {
                        check(&context, &order, payload, &made).with_context(say)
                    })?;
                }
            }
        }
    }
    Ok(())
}

/// Bits outside of the sorted range are ignored: keys that are equal in that range keep their
/// order.
fn sorts_by_bit_ranges_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, MAX_ELEMENTS)?;
    let cases: [(KeyType, Range<u32>); 7] = [
        (KeyType::U32, 0..0),
        (KeyType::U32, 31..32),
        (KeyType::U32, 5..16),
        (KeyType::I32, 0..3),
        (KeyType::F32, 20..32),
        (KeyType::U64, 30..41),
        (KeyType::F64, 40..64),
    ];
    for (index, (key, bits)) in gpu.cases(cases.into_iter().enumerate()) {
        let order = Order { bits, descending: index % 2 == 1, ..Order::of(key) };
        let keys = make_keys(key, Keys::Uniform, 3_001, index as u64);
        for payload in [Payload::Indices, Payload::Bytes(8)] {
            gpu.run_or_refuse(|| check(&context, &order, payload, &keys))?;
        }
    }
    Ok(())
}

/// Keys have a Zipf-like distribution (half of them are 0x0101, a third of the rest are 0x0202, and
/// so on), or equal top digits.
fn skewed_keys_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, MAX_ELEMENTS)?;
    let mut rng = Rng::new(17);
    let zipf: Vec<u64> = (0..6_000)
        .map(|_| {
            let share = rng.below(1 << 20).max(1);
            (1 << 20) / share * 0x0101
        })
        .collect();
    let narrow: Vec<u64> = (0..6_000).map(|_| 0xABCD_0000_0000 + rng.below(40_000)).collect();
    for (key, keys) in
        gpu.cases([(KeyType::U32, &zipf), (KeyType::U64, &zipf), (KeyType::I64, &narrow)])
    {
        for descending in [false, true] {
            let order = Order { descending, ..Order::of(key) };
            for payload in [Payload::Indices, Payload::Bytes(16)] {
                gpu.run_or_refuse(|| check(&context, &order, payload, keys))?;
            }
        }
    }
    Ok(())
}

/// One bucket exceeds the capacity of a plan. It is at the beginning, in the middle, or at the end
/// of the sorted array, and its keys are equal or differ in lower digits.
fn bucket_larger_than_a_plan_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut context = Lowered::new(gpu, MAX_ELEMENTS)?;
    let mut rng = Rng::new(29);
    for huge in [0u64, 0x80, 0xFF] {
        for spread in [1, 256, 1 << 24] {
            let keys: Vec<u64> = (0..5_000)
                .map(|_| match rng.below(10) {
                    0 => u64::from(rng.next_u32()),
                    _ => huge << 24 | rng.below(spread),
                })
                .collect();
            check(&context, &Order::of(KeyType::U32), Payload::Indices, &keys)
                .with_context(|| format!("bucket {huge:x}, keys spread over {spread}"))?;
            context.guard()?;
        }
    }
    context.check_guards()
}

/// Both the array and the array to which its buckets are moved exceed a storage binding.
fn pieces_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy().lowered(|facts| facts.max_storage_range = 4096);
    let context = Lowered::with(gpu, policy)?;
    for (key, payload) in gpu.cases([
        (KeyType::U32, Payload::Nothing),
        (KeyType::U32, Payload::Bytes(16)),
        (KeyType::F64, Payload::Bytes(4)),
        (KeyType::I32, Payload::Indices),
    ]) {
        for keys in [Keys::Uniform, Keys::FewDistinct, Keys::OneDigitDiffers] {
            let made = make_keys(key, keys, 3_333, 41);
            let (order, say) = (Order::of(key), || format!("{keys:?}"));
            gpu.run_or_refuse(|| check(&context, &order, payload, &made).with_context(say))?;
        }
    }
    Ok(())
}

/// Sorts with the default method of GPUs, and sorts with an odd number of rounds, which copy the
/// result back.
fn one_sweep_and_multisplit_sorts_in_pieces_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut policy = crate::sort_run::quick_policy(gpu);
    policy.max_elements = 10_000;
    let context = Lowered::with(gpu, policy)?;
    for (method, bits) in [
        (SortMethod::OneSweep, 0..32),
        (SortMethod::OneSweep, 8..32),
        (SortMethod::Multisplit { radix_bits: 8 }, 4..28),
    ] {
        let order = Order { method, bits, ..Order::of(KeyType::U32) };
        for keys in [Keys::Uniform, Keys::FewDistinct] {
            let made = make_keys(KeyType::U32, keys, 30_011, 5);
            check(&context, &order, Payload::Indices, &made)?;
            check(&context, &order, Payload::Nothing, &made)?;
        }
    }
    Ok(())
}

fn device_arrays_are_not_modified(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, MAX_ELEMENTS)?;
    let keys = uniform(4_321, 3);
    let values: Vec<u32> = (0..4_321).collect();
    let (on_device, device_values) = (context.upload(&keys)?, context.upload(&values)?);
    let expected = reference::sorted(&keys);
    let sorted = context.sort(&on_device)?;
    expect_equal(&context.download(&sorted)?, &expected)?;
    let order = context.argsort(&on_device)?;
    let (sorted, moved) = context.sort_pairs(&on_device, &device_values)?;
    expect_equal(&context.download(&sorted)?, &expected)?;
    expect_equal(&context.download(&moved)?, &context.download(&order)?)?;
    let mut into = vec![0; keys.len()];
    context.sort_into(&keys, &Sort::ascending(), &mut into)?;
    expect_equal(&into, &expected)?;
    expect_equal(&context.download(&on_device)?, &keys)?;
    expect_equal(&context.download(&device_values)?, &values)
}

fn sort_in_place_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, MAX_ELEMENTS)?;
    let keys = uniform(4_001, 9);
    let bits: Vec<u64> = keys.iter().map(|&key| u64::from(key)).collect();
    for order in [
        Order::of(KeyType::U32),
        Order { descending: true, ..Order::of(KeyType::U32) },
        Order { bits: 3..19, ..Order::of(KeyType::U32) },
    ] {
        let mut array = context.upload(&keys)?;
        context.sort_in_place(&mut array, &order.sort())?;
        expect_sorted(&order, &bits, &context.download(&array)?)?;
    }
    Ok(())
}

/// Only arrays with more elements than a plan can sort are processed in pieces, and only buckets
/// with more elements than that are split again.
fn only_arrays_larger_than_a_plan_run_in_pieces(gpu: &Gpu) -> Result<()> {
    let runs: Arc<Mutex<Vec<String>>> = Arc::default();
    let observed = runs.clone();
    let observer =
        Observer::new(move |run| observed.lock().expect("no thread panicked").push(run.plan));
    let context = gpu.open_with(|config| config.observer = Some(observer))?;
    context.replace_policy(Some(Policy { max_elements: MAX_ELEMENTS, ..context.policy() }))?;
    let plans = |keys: &[u32]| -> Result<[usize; 3]> {
        context.sort(keys)?;
        let runs = std::mem::take(&mut *runs.lock().expect("no thread panicked"));
        Ok(["split.piece", "pieces.move", "sort"]
            .map(|plan| runs.iter().filter(|name| name.as_str() == plan).count()))
    };
    let keys = uniform(4 * PIECE, 9);
    ensure!(plans(&keys[..MAX_ELEMENTS as usize])? == [0, 0, 1]);
    let [splits, moves, sorts] = plans(&keys)?;
    expect_value("the pair of splits and moves", &(splits, moves), &(4, 4))?;
    ensure!((4..10).contains(&sorts), "{sorts} sorts, expected 4 to 9");
    // If all keys are equal, elements are counted for each digit, but nothing is moved or sorted.
    ensure!(plans(&vec![7; 4 * PIECE])? == [16, 0, 0]);
    // The second bucket has more elements than a plan can sort, and begins at element 1, which is
    // not aligned for a binding. The 63 elements before the next aligned offset are a separate
    // piece.
    let mut skewed: Vec<u32> = keys.iter().map(|key| 1 << 24 | key >> 8).collect();
    skewed[0] = 0;
    let [splits, moves, _] = plans(&skewed)?;
    expect_value("the pair of splits and moves", &(splits, moves), &(4 + 5, 4 + 1 + 5))
}

/// With [`Ranking::ReversedLanes`], a lane-order violation is detected in the middle of a sort or
/// split, which is then repeated.
fn large_sorts_and_splits_recover_from_reversed_lanes(gpu: &Gpu) -> Result<()> {
    let mut policy = gpu.probed_policy()?;
    ensure!(policy.split.ranking == Ranking::LaneOrder, "the device does not keep lane order");
    policy.split.ranking = Ranking::ReversedLanes;
    policy.split.canary_period = 1;
    policy.sort.auto = SortMethod::OneSweep;
    policy.max_elements = 5_000;
    if gpu.is_software() {
        policy.sort = policy.sort.with_shape(TileShape::new(128, 4));
        policy.sort.small = TileShape::new(128, 4);
    }
    let keys = uniform(12_345, 23);
    let bits: Vec<u64> = keys.iter().map(|&key| u64::from(key >> 20)).collect();
    let order = Order::of(KeyType::U32);
    // With 256, pieces are split by the direct method, which ranks by ballots, so only the sorts of
    // buckets detect the violation. With 0, the splits detect it as well.
    for max_buckets_direct in gpu.cases([256, 0]) {
        policy.split.max_buckets_direct = max_buckets_direct;
        let context = Lowered::with(gpu, policy)?;
        check(&context, &order, Payload::Indices, &bits)?;
        ensure!(!context.keeps_lane_order());
        drop(context);
        if gpu.full {
            let context = Lowered::with(gpu, policy)?;
            let mut array = context.upload(&keys)?;
            context.sort_in_place(&mut array, &Sort::ascending())?;
            expect_equal(&context.download(&array)?, &reference::sorted(&keys))?;
        }
    }
    policy.split.max_buckets_direct = 0;
    let context = Lowered::with(gpu, policy)?;
    let values: Vec<u32> = (0..keys.len() as u32).collect();
    let split = context.split_pairs(&keys, &values, Buckets::digit(24..32))?;
    ensure!(!context.keeps_lane_order());
    let (order, _) = reference::split(keys.len(), 256, |i| keys[i] >> 24);
    expect_equal(&split.values, &order)
}

fn invalid_options_and_limits_are_rejected(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, MAX_ELEMENTS)?;
    let keys = uniform(2_000, 1);
    let up = Sort::ascending;
    let radix = SortMethod::Multisplit { radix_bits: 9 };
    expect_errors! {
        context.sort_with(&keys, &up().bits(20..33)) => SortBits { start: 20, end: 33, .. },
        context.sort_with(&keys, &up().method(radix)) => Method { .. },
    }
    drop(context);
    for max_elements in [0, 127, 1 << 30] {
        let context = Lowered::new(gpu, max_elements)?;
        let outcome = context.sort(&keys);
        expect_error!(outcome, Policy { .. }, "max_elements = {max_elements}");
    }
    Ok(())
}
