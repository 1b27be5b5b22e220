//! Options of radix sorts: double buffers, device counts, digits that are equal in all keys,
//! replays, memory use, and rejected arguments.

use std::sync::Arc;

use multisplit_tests::prelude::*;

use crate::sort_run::{Order, Payload, check, quick_policy, tile};

tests!(sort:
    double_buffer_reports_which_buffer_has_the_result, device_count_limits_the_sort,
    rounds_with_equal_digits_match_the_cpu, thousand_replays_are_correct, sort_workspace_is_bounded,
    invalid_sorts_are_rejected, too_small_sort_buffers_are_rejected, one_call_sorts_slices,
    one_call_sorts_device_arrays,
);

fn places(keys: &[u32], order: &Order) -> Vec<u32> {
    order.expected(&keys.iter().map(|&key| u64::from(key)).collect::<Vec<_>>())
}

/// Double-buffered keys and values.
struct Doubled {
    keys: [Buffer; 2],
    values: [Buffer; 2],
    half: Buffer,
}

impl Doubled {
    fn new(graph: &mut Graph, n: u64) -> Self {
        let mut import = |name| graph.import::<u32>(name, n);
        let keys = [import("keys"), import("keys.other")];
        let values = [import("values"), import("values.other")];
        Self { keys, values, half: graph.import::<u32>("half", 1) }
    }

    /// Imports the keys and values, the initial contents of the other buffers, and the word `half`.
    fn filled(
        setup: &mut Setup<'_>,
        given: [&[u32]; 2],
        others: [&[u32]; 2],
        half: &[u32],
    ) -> Self {
        let keys = [setup.input("keys", given[0]), setup.input("keys.other", others[0])];
        let values = [setup.input("values", given[1]), setup.input("values.other", others[1])];
        Self { keys, values, half: setup.input("half", half) }
    }

    /// Compares the result with the CPU reference and checks the guard words of the other buffers.
    /// Returns which buffer holds the result.
    fn check(&self, setup: &Setup<'_>, given: [&[u32]; 2], places: &[u32]) -> Result<u32> {
        let half = setup.found::<u32>(self.half)?[0];
        ensure!(half < 2, "`half` is {half}, expected 0 or 1");
        for (halves, input) in [self.keys, self.values].into_iter().zip(given) {
            setup
                .expect(halves[half as usize], &reference::pick(input, places))
                .with_context(|| format!("`half` is {half}"))?;
            setup.found::<u32>(halves[1 - half as usize])?;
        }
        Ok(half)
    }

    fn in_place(&self) -> SortBuffers {
        SortBuffers::keys(self.keys[0]).values(self.values[0])
    }

    fn doubled(&self) -> SortBuffers {
        self.in_place().between(self.keys[1], Some(self.values[1]), self.half)
    }
}

fn doubled(gpu: &Gpu, policy: &Policy, order: &Order, keys: &[u32]) -> Result<u32> {
    let mut setup = Setup::new(gpu, "doubled");
    let values: Vec<u32> = (0..keys.len() as u32).map(|i| i ^ 0x5555).collect();
    let (given, other) = ([keys, &values], vec![7; keys.len()]);
    let declared = Doubled::filled(&mut setup, given, [&other, &other], &[]);
    let buffers = declared.doubled().count(keys.len() as u64);
    sort(&mut setup.graph, policy, &order.sort(), &buffers)?;
    setup.run()?;
    declared.check(&setup, given, &places(keys, order))
}

/// The word `half` reports which of the two buffers holds the result. This depends only on the
/// number of rounds, even if all keys have equal digits in some of them.
fn double_buffer_reports_which_buffer_has_the_result(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let uniform_keys = uniform(3_000, 1);
    let small_keys: Vec<u32> = uniform_keys.iter().map(|key| key >> 25).collect();
    let equal_keys = vec![0x1234_5678; 3_000];
    for keys in [&uniform_keys, &small_keys, &equal_keys] {
        for (bits, half) in [(0..32, 0), (0..24, 1), (8..16, 1), (0..10, 0), (5..5, 0)] {
            // The expected half depends on the number of rounds, so the method must not be `Auto`.
            let order = Order { bits, ..Order::one_sweep(KeyType::U32) };
            let got = doubled(gpu, &policy, &order, keys).with_context(|| format!("{order:?}"))?;
            ensure!(got == half, "{order:?}: `half` is {got}, expected {half}");
        }
    }
    let order = Order::of(KeyType::U32);
    let method = SortMethod::Multisplit { radix_bits: 8 };
    let rounds = Order { bits: 0..24, method, ..order.clone() };
    ensure!(doubled(gpu, &policy, &rounds, &uniform_keys)? == 1);
    for n in [0, 1, 100] {
        ensure!(doubled(gpu, &policy, &order, &uniform_keys[..n])? == 0, "n = {n}");
    }
    Ok(())
}

/// Counts are zero, one, odd, equal to the capacity, and above it. Elements after the count must
/// not change, in place or in a double buffer.
fn device_count_limits_the_sort(gpu: &Gpu) -> Result<()> {
    for (bits, doubled) in [(0..32, false), (0..24, false), (0..24, true)] {
        let order = Order { bits, ..Order::of(KeyType::U32) };
        device_count(gpu, &order, 3_001, doubled)
            .with_context(|| format!("{order:?}, doubled: {doubled}"))?;
    }
    Ok(())
}

fn device_count(gpu: &Gpu, order: &Order, max: u32, doubled: bool) -> Result<()> {
    let mut setup = Setup::new(gpu, "counted");
    let (keys, values) = (uniform(max as usize, 3), uniform(max as usize, 4));
    let given: [&[u32]; 2] = [&keys, &values];
    // Elements after the count are the same in both buffers.
    let declared = Doubled::filled(&mut setup, given, given, &[0]);
    let count = setup.count(true, max, max as usize);
    let buffers = if doubled { declared.doubled() } else { declared.in_place() };
    sort(&mut setup.graph, &quick_policy(gpu), &order.sort(), &buffers.count(count))?;
    let executable = setup.executable()?;
    for number in [max, 0, 1, 2, (max / 3) | 1, max - 1, max + 1, u32::MAX] {
        setup.set_count(count, number)?;
        setup.run_on(&executable)?;
        let places = places(&keys[..number.min(max) as usize], order);
        declared
            .check(&setup, given, &places)
            .with_context(|| format!("count {number}, capacity {max}"))?;
    }
    Ok(())
}

/// In some rounds, all keys have the same digit: keys differ in one digit only or not at all, or
/// are 64-bit keys with small values.
fn rounds_with_equal_digits_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let one_digit = |digits: u32, digit: u32| -> Vec<u64> {
        let mut rng = Rng::new(u64::from(digit));
        let base = rng.next_u64() & (u64::MAX >> (64 - 8 * digits));
        (0..2_500).map(|_| base ^ (rng.below(256) << (8 * digit))).collect()
    };
    let order = Order::one_sweep(KeyType::U32);
    let floats = Order::one_sweep(KeyType::F32);
    for digit in gpu.cases(0..4) {
        check(gpu, &policy, &order, Payload::Bytes(4), &one_digit(4, digit))?;
        check(gpu, &policy, &floats, Payload::Indices, &one_digit(4, digit))?;
        // After an odd number of rounds, the result is copied back.
        let three = Order { bits: 0..24, ..order.clone() };
        check(gpu, &policy, &three, Payload::Bytes(4), &one_digit(4, digit))?;
        let three = Order { bits: 0..24, ..floats.clone() };
        check(gpu, &policy, &three, Payload::Indices, &one_digit(4, digit))?;
    }
    let equal = [77u64; 2_500];
    check(gpu, &policy, &order, Payload::Bytes(4), &equal)?;
    check(gpu, &policy, &floats, Payload::Indices, &equal)?;
    check(gpu, &policy, &Order { bits: 0..8, ..floats }, Payload::Indices, &equal)?;
    let wide = Order::one_sweep(KeyType::U64);
    for limit in gpu.cases([2, 300, 70_000, 1 << 33]) {
        let mut rng = Rng::new(limit);
        let keys: Vec<u64> = (0..2_500).map(|_| rng.below(limit)).collect();
        let say = || format!("keys below {limit}");
        gpu.run_or_refuse(|| {
            check(gpu, &policy, &wide, Payload::Bytes(8), &keys).with_context(say)
        })?;
    }
    Ok(())
}

/// A recording runs repeatedly, on data that the test sometimes replaces.
fn thousand_replays_are_correct(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let n = 1_500u64;
    let mut graph = Graph::new("replayed");
    let mut import = |name| graph.import::<u32>(name, n);
    let [source, keys, values] = ["source", "keys", "values"].map(&mut import);
    copy(&mut graph, &policy, "copy", source, keys)?;
    copy(&mut graph, &policy, "copy", source, values)?;
    let order = Order { bits: 8..24, ..Order::one_sweep(KeyType::U32) };
    sort(&mut graph, &policy, &order.sort(), &SortBuffers::keys(keys).values(values))?;
    graph.replayable();
    let executable = gpu.instantiate(graph.compile(&gpu.limits())?)?;
    let [device_source, device_keys, device_values] =
        [gpu.zeroed::<u32>(n)?, gpu.zeroed(n)?, gpu.zeroed(n)?];
    let bound = [(source, &device_source), (keys, &device_keys), (values, &device_values)];
    let mut replay = gpu.replay(Arc::new(executable), &bound)?;
    for batch in 0..20 {
        let data = uniform(n as usize, batch);
        gpu.write(&device_source, 0, &data)?;
        replay.submit(50)?;
        replay.wait()?;
        let expected = reference::pick(&data, &places(&data, &order));
        for buffer in [&device_keys, &device_values] {
            expect_equal(&gpu.download(buffer)?, &expected)
                .with_context(|| format!("after {} runs", 50 * (batch + 1)))?;
        }
    }
    Ok(())
}

/// The workspace of an in-place sort is a second buffer plus a small overhead; with a double
/// buffer, it is only the overhead.
fn sort_workspace_is_bounded(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    // GPUs use small tiles for small inputs, so that each core gets one; their overhead is only
    // bounded for large inputs.
    let sizes = if gpu.is_software() { [1u64 << 20, (1 << 22) + 1] } else { [1 << 25, 1 << 28] };
    for n in sizes {
        let input = 8 * n;
        let mut graph = Graph::new("memory");
        let declared = Doubled::new(&mut graph, n);
        let workspace = |graph: &mut Graph, buffers: &SortBuffers| -> Result<u64> {
            sort(graph, &policy, &Sort::ascending(), buffers)?;
            Ok(graph.compile(&gpu.limits())?.workspace().size)
        };
        let doubled = workspace(&mut graph, &declared.doubled())?;
        let what = format!("bytes of workspace for {input} bytes of input");
        ensure!(10 * doubled <= input, "{doubled} {what} in a double buffer");
        let mut graph = Graph::new("memory");
        let declared = Doubled::new(&mut graph, n);
        let in_place = workspace(&mut graph, &declared.in_place())?;
        ensure!(10 * in_place <= 11 * input, "{in_place} {what}");
    }
    Ok(())
}

/// Adds a sort of the buffers that `change` makes of arrays of 5,000 elements. Returns the result.
fn outcome(
    policy: &Policy,
    order: &Sort,
    change: impl Fn(Doubled) -> SortBuffers,
) -> Result<(), Error> {
    let mut graph = Graph::new("refused");
    let declared = Doubled::new(&mut graph, 5_000);
    sort(&mut graph, policy, order, &change(declared)).map(|_| ())
}

fn invalid_sorts_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let order = Sort::ascending();
    for n in [1 << 30, 1 << 32, u64::MAX] {
        let result = outcome(&policy, &order, |declared| declared.doubled().count(n));
        expect_error!(result, TooLarge { .. }, "{n} elements");
    }
    for wrong in [0, 1, 5, 12, 32] {
        let result = outcome(&policy, &order, |declared| {
            declared.in_place().values(declared.values[0].reinterpret(ElementType::Other(wrong)))
        });
        expect_error!(result, ValueSize { bytes } if bytes == wrong, "values of {wrong} bytes");
    }
    for radix_bits in [0, 3, 9, 32] {
        let rounds = order.clone().method(SortMethod::Multisplit { radix_bits });
        let result = outcome(&policy, &rounds, |declared| declared.doubled());
        expect_error!(result, Method { .. }, "digits of {radix_bits} bits");
    }
    let small = order.clone().method(SortMethod::Small);
    let tile = tile(&policy, KeyType::U32)? as u64;
    ensure!(outcome(&policy, &small, |declared| declared.doubled().count(tile)).is_ok());
    let result = outcome(&policy, &small, |declared| declared.doubled().count(tile + 1));
    expect_error!(result, TooLarge { .. }, "a small sort of one key more than a tile");
    let result = outcome(&policy, &small, |declared| {
        let buffer = declared.keys[0];
        declared.doubled().count(Count::Device { buffer, index: 0, max: 10 })
    });
    expect_error!(result, Method { .. }, "small sort with a device count");
    #[expect(clippy::reversed_empty_ranges, reason = "reversed ranges must be rejected")]
    for bits in [0..33, 33..40, 8..7, 0..u32::MAX] {
        let by_bits = order.clone().bits(bits.clone());
        let result = outcome(&policy, &by_bits, |declared| declared.doubled());
        expect_error!(
            result,
            SortBits { key, key_bits: 32, start, end } if key == "u32" && (start..end) == bits,
            "bits {bits:?}"
        );
    }
    let absurd = Policy { sort: policy.sort.with_shape(TileShape::new(0, 0)), ..policy };
    let result = outcome(&absurd, &order, |declared| declared.doubled());
    ensure!(result.is_err(), "an empty tile was accepted");
    Ok(())
}

fn too_small_sort_buffers_are_rejected(gpu: &Gpu) -> Result<()> {
    let outcome =
        |change: fn(Doubled) -> SortBuffers| outcome(&gpu.policy(), &Sort::ascending(), change);
    let results = [
        ("keys", outcome(|declared| declared.doubled().count(5_001))),
        (
            "wide keys",
            outcome(|declared| {
                SortBuffers::keys(declared.keys[0].reinterpret(ElementType::U64)).count(5_000)
            }),
        ),
        (
            "wide values",
            outcome(|declared| {
                let values = declared.values[0].reinterpret(ElementType::U64);
                SortBuffers::keys(declared.keys[0]).values(values)
            }),
        ),
        (
            "other values",
            outcome(|declared| declared.in_place().between(declared.keys[1], None, declared.half)),
        ),
    ];
    for (name, result) in results {
        expect_error!(result, BufferTooSmall { .. }, "{name}");
    }
    Ok(())
}

fn one_call_sorts_slices(gpu: &Gpu) -> Result<()> {
    let keys = [2.0f32, -1.0, 0.5, -0.0];
    expect_equal(&gpu.sort(&keys)?, &[-1.0, -0.0, 0.5, 2.0])?;
    expect_equal(&gpu.argsort(&keys)?, &[1, 3, 2, 0])?;
    ensure!(gpu.sort(&[0.0f32; 0])?.is_empty());
    let down = Sort::descending();
    let (sorted, values) = gpu.sort_pairs_with(&keys, &[1u32, 2, 3, 4], &down)?;
    expect_equal(&sorted, &[2.0, 0.5, -0.0, -1.0])?;
    expect_equal(&values, &[1, 3, 4, 2])?;
    expect_errors! {
        gpu.sort_pairs(&keys, &[1u32]) => LengthMismatch { len: 1, other_len: 4, .. },
    }
    Ok(())
}

/// Makes one-call sorts of device arrays, and of slices with slices as outputs. Only in-place sorts
/// change their input.
fn one_call_sorts_device_arrays(gpu: &Gpu) -> Result<()> {
    let keys: Vec<i64> =
        uniform(2_000, 5).into_iter().map(|key| i64::from(key) - (1 << 31)).collect();
    let values: Vec<[u32; 2]> = (0..2_000).map(|i| [i, !i]).collect();
    let order = Order { descending: true, bits: 8..24, ..Order::of(KeyType::I64) };
    let places = order.expected(&keys.iter().map(|&key| key as u64).collect::<Vec<_>>());
    let (sorted, moved) = (reference::pick(&keys, &places), reference::pick(&values, &places));
    let sort = order.sort();

    let (mut on_device, device_values) = (gpu.upload(&keys)?, gpu.upload(&values)?);
    expect_equal(&gpu.download(&gpu.sort_with(&on_device, &sort)?)?, &sorted)?;
    expect_equal(&gpu.download(&gpu.argsort_with(&on_device, &sort)?)?, &places)?;
    let (keys_out, values_out) = gpu.sort_pairs_with(&on_device, &device_values, &sort)?;
    expect_equal(&gpu.download(&keys_out)?, &sorted)?;
    expect_equal(&gpu.download(&values_out)?, &moved)?;
    expect_equal(&gpu.download(&on_device)?, &keys).context("the input has changed")?;
    expect_equal(&gpu.download(&device_values)?, &values).context("the input has changed")?;
    gpu.sort_in_place(&mut on_device, &sort)?;
    expect_equal(&gpu.download(&on_device)?, &sorted)?;

    let (mut keys_out, mut values_out) = (vec![0; 2_000], vec![[0; 2]; 2_000]);
    gpu.sort_into(&keys, &sort, &mut keys_out)?;
    expect_equal(&keys_out, &sorted)?;
    keys_out.fill(0);
    gpu.sort_pairs_into((&keys, &values), &sort, (&mut keys_out, &mut values_out))?;
    expect_equal(&keys_out, &sorted)?;
    expect_equal(&values_out, &moved)?;
    let short = gpu.sort_into(&keys, &sort, &mut keys_out[1..]);
    expect_errors! { short => LengthMismatch { len: 1_999, other_len: 2_000, .. } }
    Ok(())
}
