//! Sorts of 8-bit and 16-bit keys, compared with a CPU reference. Keys lie between guard bytes.
//! Covers every method, segments, arrays larger than a plan, double buffers and device counts.

use multisplit::half::{bf16, f16};
use multisplit_tests::prelude::*;

use crate::large::{self, Lowered};
use crate::sort_run::{
    KEYS, Keys, Order, PAYLOADS, Payload, case, import_keys, key_bytes, key_words, make_keys,
    quick_policy, tile,
};
use crate::sort_segments::{Given, check_segments, random, small_tiles, tile_of};

tests!(narrow:
    sorts_match_the_cpu;
    in turn: counting_sorts_match_the_cpu, sorts_by_bit_ranges_match_the_cpu,
    device_count_limits_the_sort, double_buffered_sorts_match_the_cpu,
    segments_and_rows_match_the_cpu, arrays_larger_than_a_plan_match_the_cpu,
    one_call_functions_match_the_cpu, recorded_sort_is_correct_when_run_twice,
    invalid_sorts_are_rejected
);

pub const NARROW: [KeyType; 6] =
    [KeyType::U8, KeyType::I8, KeyType::U16, KeyType::I16, KeyType::F16, KeyType::Bf16];

/// Sizes around 4 and 16 keys (a word and a four-word vector of 8-bit keys), around the tile of one
/// workgroup, and around 16 and 64 keys per thread.
fn sizes(policy: &Policy, key: KeyType) -> Result<Vec<usize>> {
    let (tile, pass) = (tile(policy, key)?, policy.threads as usize * 16);
    let around = [4, 16, tile, pass, 4 * pass].into_iter().flat_map(|n| [n - 1, n, n + 1]);
    Ok([0, 1, 2, 65_539].into_iter().chain(around).collect())
}

/// A full run tests every combination except of methods, which alternate. A plain run takes its
/// sample from two cases for each key type, direction and kind of value; the rest alternates.
fn sorts_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let mut turn = 0;
    for key in NARROW {
        let sizes = sizes(&policy, key)?;
        for payload in PAYLOADS {
            for descending in [false, true] {
                let all = if gpu.full { sizes.len() * KEYS.len() } else { 2 };
                for _ in 0..all {
                    turn += 1;
                    let (n, keys) = (sizes[turn % sizes.len()], KEYS[turn % KEYS.len()]);
                    let method = match turn % 4 {
                        0 if gpu.full => SortMethod::OneSweep,
                        1 if gpu.full => SortMethod::Multisplit { radix_bits: 5 },
                        _ => SortMethod::Auto,
                    };
                    let order = Order { descending, method, ..Order::of(key) };
                    gpu.case(|| case(gpu, &policy, &order, payload, keys, n))?;
                }
            }
        }
    }
    let one_sweep = [(KeyType::U8, Payload::Bytes(4)), (KeyType::F16, Payload::Indices)];
    for (key, payload) in one_sweep.into_iter().filter(|_| gpu.mine()) {
        let order = Order { descending: true, ..Order::one_sweep(key) };
        case(gpu, &policy, &order, payload, Keys::Uniform, 5_003)?;
    }
    Ok(())
}

/// A full run tests every size and distribution. Some inputs have more than 65,535 equal keys,
/// which would overflow a 16-bit counter.
fn counting_sorts_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut policy = gpu.policy();
    let mut turn = 0;
    for key in NARROW {
        let mut sizes = sizes(&policy, key)?;
        sizes.push(300_001);
        for n in sizes {
            let all = if gpu.full { &KEYS[..] } else { &[KEYS[(turn + n) % KEYS.len()]] };
            for &keys in all {
                turn += 1;
                // Divides the keys among at most one, three or 64 workgroups.
                policy.sort.histogram_groups = [1, 3, 64][turn % 3];
                let (descending, method) = (turn % 2 == 0, SortMethod::Counting);
                let order = Order { descending, method, ..Order::of(key) };
                gpu.case(|| case(gpu, &policy, &order, Payload::Nothing, keys, n))?;
            }
        }
    }
    for keys in [Keys::AllEqual, Keys::FewDistinct] {
        let order = Order { method: SortMethod::Counting, ..Order::of(KeyType::I16) };
        policy.sort.histogram_groups = 1;
        case(gpu, &policy, &order, Payload::Nothing, keys, 300_001)?;
    }
    // With less shared memory, the counters are divided into slices whose size is not a power of
    // two.
    let policy = policy.lowered(|facts| facts.shared_memory = 16 << 10);
    let order = Order { method: SortMethod::Counting, ..Order::of(KeyType::F16) };
    case(gpu, &policy, &order, Payload::Nothing, Keys::Uniform, 20_011)
}

fn sorts_by_bit_ranges_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let cases = [
        (KeyType::U8, 0..3),
        (KeyType::I8, 7..8),
        (KeyType::U16, 4..12),
        (KeyType::I16, 8..16),
        (KeyType::F16, 10..16),
        (KeyType::Bf16, 3..3),
    ];
    for (turn, (key, bits)) in cases.into_iter().enumerate() {
        for payload in [Payload::Nothing, Payload::Indices] {
            let order = Order { bits: bits.clone(), descending: turn % 2 == 0, ..Order::of(key) };
            case(gpu, &policy, &order, payload, Keys::Uniform, 1_001)?;
        }
    }
    Ok(())
}

/// Keys after the device count do not change, even if they share a word with a sorted key.
fn device_count_limits_the_sort(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    const MAX: usize = 3_001;
    for (turn, key) in gpu.cases(NARROW.into_iter().enumerate()) {
        for payload in [Payload::Nothing, Payload::Bytes(4)] {
            let order = Order { descending: turn % 2 == 1, ..Order::of(key) };
            let bits = make_keys(key, Keys::Uniform, MAX, turn as u64);
            let mut setup = Setup::new(gpu, "counted");
            let keys = import_keys(&mut setup, "keys", key, &bits);
            let values = setup.input("values", &(0..MAX as u32).collect::<Vec<_>>());
            let count = setup.count(true, 0, MAX);
            let buffers = payload.buffers(keys, values).count(count);
            sort(&mut setup.graph, &policy, &order.sort(), &buffers)?;
            let executable = setup.executable()?;
            for n in [0, 1, 2, 5, 1_022, 2_999, MAX as u32, u32::MAX] {
                setup.set_count(count, n)?;
                setup.run_on(&executable)?;
                let places = order.expected(&bits[..(n as usize).min(MAX)]);
                let say = || format!("{order:?}, {payload:?}, n = {n}");
                let sorted = key_bytes(key, &reference::pick(&bits, &places));
                setup.expect(keys, &sorted).with_context(say)?;
                let moved = if payload == Payload::Nothing { &[][..] } else { &places };
                setup.expect(values, moved).with_context(say)?;
            }
        }
    }
    Ok(())
}

/// The word `half` reports which buffer holds the result: the second one after an odd number of
/// rounds.
fn double_buffered_sorts_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    const N: usize = 2_003;
    let cases = [
        (KeyType::U8, Payload::Bytes(4), 0..8, SortMethod::OneSweep),
        (KeyType::I16, Payload::Bytes(4), 0..16, SortMethod::OneSweep),
        (KeyType::U16, Payload::Nothing, 3..9, SortMethod::Multisplit { radix_bits: 6 }),
        (KeyType::F16, Payload::Nothing, 0..16, SortMethod::Auto),
    ];
    for (key, payload, bits, method) in gpu.cases(cases) {
        let order = Order { bits, method, ..Order::of(key) };
        let made = make_keys(key, Keys::Uniform, N, 9);
        let mut setup = Setup::new(gpu, "between");
        let keys = [("keys", &made), ("other", &vec![0; N])]
            .map(|(name, bits)| import_keys(&mut setup, name, key, bits));
        let numbers: Vec<u32> = (0..N as u32).collect();
        let values = [setup.input("values", &numbers), setup.output::<u32>("values.other", N)];
        let half = setup.output::<u32>("half", 1);
        let others = (payload != Payload::Nothing).then_some(values[1]);
        let buffers = payload.buffers(keys[0], values[0]).count(N as u64);
        let buffers = buffers.between(keys[1], others, half);
        sort(&mut setup.graph, &policy, &order.sort(), &buffers)?;
        setup.run()?;
        let half = setup.found::<u32>(half)?[0] as usize;
        ensure!(half < 2, "{order:?}: `half` is {half}, expected 0 or 1");
        let places = order.expected(&made);
        let sorted = key_words(key, &reference::pick(&made, &places));
        setup.expect(keys[half], &sorted).with_context(|| format!("{order:?}"))?;
        if payload != Payload::Nothing {
            setup.expect(values[half], &places)?;
        }
    }
    Ok(())
}

fn segments_and_rows_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = small_tiles(gpu);
    let mut rng = Rng::new(8);
    let kinds = [Given::Host, Given::Device, Given::Counted];
    let few = [KeyType::I8, KeyType::F16];
    for (turn, &key) in if gpu.full { &NARROW[..] } else { &few }.iter().enumerate() {
        for payload in if gpu.full { &PAYLOADS[..] } else { &[Payload::Nothing, Payload::Indices] }
        {
            let tile = tile_of(gpu, &policy, key, *payload)?;
            let offsets = random(&mut rng, tile, 4_000);
            let order = Order { descending: turn % 2 == 0, ..Order::of(key) };
            for given in kinds.into_iter().filter(|_| gpu.mine()) {
                let case = (*payload, Keys::FewDistinct, given);
                check_segments(gpu, &policy, &order, case, &offsets)?;
            }
            let rows: Vec<u32> = (0..40).map(|row| row * 13).collect();
            let case = (*payload, Keys::Uniform, Given::Rows);
            check_segments(gpu, &policy, &order, case, &rows)?;
        }
    }
    Ok(())
}

fn arrays_larger_than_a_plan_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let context = Lowered::new(gpu, 1000)?;
    for (turn, key) in gpu.cases(NARROW.into_iter().enumerate()) {
        for (column, payload) in PAYLOADS.into_iter().enumerate() {
            if !gpu.full && (turn + column) % 3 > 0 {
                continue;
            }
            let order = Order { descending: (turn + column) % 2 == 0, ..Order::of(key) };
            let made = make_keys(key, KEYS[(turn + column) % KEYS.len()], 2_501 + turn, 3);
            large::check(&context, &order, payload, &made)?;
        }
    }
    let order = Order { bits: 2..7, ..Order::of(KeyType::U8) };
    let made = make_keys(KeyType::U8, Keys::Uniform, 2_003, 4);
    large::check(&context, &order, Payload::Indices, &made)?;
    context.check_guards()
}

/// Sorts the keys that `key_of` makes of random words by every one-call function. The keys have the
/// order of their numbers.
fn check_calls<K: Key>(
    gpu: &Gpu,
    key_of: impl Fn(u32) -> K,
    number: impl Fn(K) -> f64,
) -> Result<()> {
    let keys: Vec<K> = uniform(1_003, 12).into_iter().map(key_of).collect();
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    let number_at = |i: u32| number(keys[i as usize]);
    order.sort_by(|&a, &b| number_at(a).total_cmp(&number_at(b)));
    let expected = reference::pick(&keys, &order);
    let reversed: Vec<K> = expected.iter().rev().copied().collect();
    expect_keys(&gpu.sort(&keys)?, &expected)?;
    let mut array = gpu.upload(&keys)?;
    let on_device = gpu.sort(&array)?;
    expect_keys(&gpu.download(&on_device)?, &expected)?;
    expect_keys(&gpu.download(&array)?, &keys).context("the input has changed")?;
    gpu.sort_in_place(&mut array, &Sort::descending())?;
    expect_keys(&gpu.download(&array)?, &reversed)?;
    expect_equal(&gpu.argsort(&keys)?, &order)?;
    let values: Vec<u64> = (0..keys.len() as u64).map(|i| i << 33).collect();
    let (pairs, payload) = gpu.sort_pairs(&keys, &values)?;
    expect_keys(&pairs, &expected)?;
    expect_equal(&payload, &reference::pick(&values, &order))?;
    let best = gpu.topk(&keys, &TopK::largest(5))?;
    expect_keys(&best.keys, &reversed[..5])
}

fn one_call_functions_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let float = |word: u32| (f64::from(word as i32) / 65536.0) as f32;
    let checks: [&dyn Fn() -> Result<()>; 6] = [
        &|| check_calls(gpu, |word| word as u8, f64::from),
        &|| check_calls(gpu, |word| word as i8, f64::from),
        &|| check_calls(gpu, |word| word as u16, f64::from),
        &|| check_calls(gpu, |word| word as i16, f64::from),
        &|| check_calls(gpu, |word| f16::from_f32(float(word)), f16::to_f64),
        &|| check_calls(gpu, |word| bf16::from_f32(float(word)), bf16::to_f64),
    ];
    gpu.cases(checks).try_for_each(|check| check())
}

fn recorded_sort_is_correct_when_run_twice(gpu: &Gpu) -> Result<()> {
    let keys: Vec<i16> = (0..1_001i32).map(|i| (i * 7919 % 3001 - 1500) as i16).collect();
    let (device, order) = (gpu.upload(&keys)?, gpu.zeroed::<u32>(1_001)?);
    let (best, places) = (gpu.zeroed::<i16>(3)?, gpu.zeroed::<u32>(3)?);
    let mut work = gpu.work("narrow");
    work.topk(&device, &best, &places, &TopK::largest(3))?;
    work.argsort(&device, &order, &Sort::ascending())?;
    work.sort(device.first(500), &Sort::descending())?;
    let mut frame = work.record()?;
    let mut expected = keys.clone();
    for _ in 0..2 {
        frame.submit()?;
        let mut indices: Vec<u32> = (0..1_001).collect();
        indices.sort_by_key(|&i| expected[i as usize]);
        let top: Vec<i16> = indices.iter().rev().take(3).map(|&i| expected[i as usize]).collect();
        expected[..500].sort_unstable_by(|a, b| b.cmp(a));
        expect_equal(&gpu.download(&order)?, &indices)?;
        expect_equal(&gpu.download(&device)?, &expected)?;
        expect_equal(&gpu.download(&best)?, &top)?;
    }
    Ok(())
}

fn invalid_sorts_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let mut graph = Graph::new("refused");
    // The size of the buffer must be a multiple of a word.
    let keys = graph.import::<u8>("keys", 5);
    let error = sort(&mut graph, &policy, &Sort::ascending(), &SortBuffers::keys(keys));
    expect_errors! { error => BufferTooSmall { size: 5, needed: 8, .. } }
    let keys = graph.import::<u16>("more", 6);
    let values = graph.import::<u32>("values", 6);
    for (how, buffers) in [
        (Sort::ascending(), SortBuffers::keys(keys).values(values)),
        (Sort::ascending().bits(0..8), SortBuffers::keys(keys)),
        (Sort::ascending(), SortBuffers::keys(values)),
    ] {
        let by_counting = how.method(SortMethod::Counting);
        expect_errors! { sort(&mut graph, &policy, &by_counting, &buffers) => Method { .. } }
    }
    let by_bits = Sort::ascending().bits(0..17);
    expect_errors! {
        sort(&mut graph, &policy, &by_bits, &SortBuffers::keys(keys)) =>
            SortBits { key_bits: 16, .. },
    }
    let refused = |result: multisplit::Result<()>| -> Result<()> {
        expect_errors! {
            result => KeyTypeMismatch { expected, .. }
                if expected.contains("u32, i32, f32, u64, i64 or f64"),
        }
        Ok(())
    };
    let other = graph.import::<u16>("other", 6);
    refused(scan(&mut graph, &policy, &Scan::default(), &ScanBuffers::new(keys, other)))?;
    refused(gpu.select(&[1u8, 2], &Select::less_than(2)).map(drop))?;
    refused(gpu.merge(&[1i8], &[2i8]).map(drop))?;
    refused(gpu.lower_bound(&[f16::ONE], &[f16::ONE]).map(drop))?;
    refused(gpu.reduce(&[1u8, 2], Operator::Sum).map(drop))
}
