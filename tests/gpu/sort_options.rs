//! Radix sort: double buffers, numbers of elements on the device, idle rounds, replays, memory, and
//! what is refused.

use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use multisplit::Error;
use multisplit::graph::{Buffer, Graph};
use multisplit::primitives::multisplit::{KeyType, TileShape};
use multisplit::primitives::sort::{Sort, SortBuffers, SortMethod, SortPlace, SortValues, add};
use multisplit::primitives::{Count, Policy, copy};
use multisplit_tests::generate::{Rng, uniform};
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::{reference, tests};

use crate::sort_cases::{Along, check, quick_policy, tile};

tests!(sort:
    double_buffers, numbers_on_the_device, idle_rounds, a_thousand_replays, memory_is_bounded,
    refused, too_small, one_call,
);

const UNTOUCHED: u32 = 0xDEAD_BEEF;

fn order(keys: &[u32], sort: &Sort) -> Vec<u32> {
    let images: Vec<u64> = keys.iter().map(|&key| u64::from(key)).collect();
    reference::sort(&images, sort.bits.clone().unwrap_or(0..32), sort.descending)
}

fn pick(from: &[u32], order: &[u32]) -> Vec<u32> {
    order.iter().map(|&i| from[i as usize]).collect()
}

/// Pairs of words in a double buffer, with words behind each half that must stay as they are.
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

    fn buffers(&self, n: Count) -> SortBuffers {
        let values = SortValues::Values { buffer: self.values[0], bytes: 4 };
        let place = SortPlace::DoubleBuffer {
            keys: self.keys[1],
            values: Some(self.values[1]),
            half: self.half,
        };
        SortBuffers { n, keys: self.keys[0], values, place }
    }
}

fn doubled(gpu: &Gpu, policy: &Policy, sort: &Sort, keys: &[u32]) -> Result<u32> {
    let context = &gpu.context;
    let n = keys.len() as u64;
    let mut graph = Graph::new("doubled");
    let declared = Doubled::new(&mut graph, n.max(1));
    add(&mut graph, policy, sort, &declared.buffers(n.into()))?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let guarded = |words: &[u32]| context.upload("guarded", &[words, &[UNTOUCHED; 64]].concat());
    let values: Vec<u32> = (0..n as u32).map(|i| i ^ 0x5555).collect();
    let other = vec![7; n as usize];
    let device_keys = [guarded(keys)?, guarded(&other)?];
    let device_values = [guarded(&values)?, guarded(&other)?];
    let half = context.upload("half", &[UNTOUCHED])?;
    let mut bound = vec![(declared.half, &half)];
    for k in 0..2 {
        bound.push((declared.keys[k], &device_keys[k]));
        bound.push((declared.values[k], &device_values[k]));
    }
    context.run(&executable, &bound)?;
    let half = context.download::<u32>(&half)?[0];
    ensure!(half < 2, "half {half}");
    let order = order(keys, sort);
    for (device, expected) in
        [(&device_keys, pick(keys, &order)), (&device_values, pick(&values, &order))]
    {
        for (k, buffer) in device.iter().enumerate() {
            let got = context.download::<u32>(buffer)?;
            let (first, rest) = got.split_at(keys.len());
            ensure!(rest.iter().all(|&word| word == UNTOUCHED), "written past the end of half {k}");
            if k as u32 == half {
                expect_equal(first, &expected).with_context(|| format!("half {half}"))?;
            }
        }
    }
    Ok(half)
}

/// The word says where the result is: by how many rounds there are, and idle ones do not change it.
fn double_buffers(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let uniform_keys = uniform(3_000, 1);
    let small_keys: Vec<u32> = uniform_keys.iter().map(|key| key >> 25).collect();
    let equal_keys = vec![0x1234_5678; 3_000];
    let sort = Sort::new(KeyType::U32);
    for keys in [&uniform_keys, &small_keys, &equal_keys] {
        for (bits, half) in [(0..32, 0), (0..24, 1), (8..16, 1), (0..10, 0), (5..5, 0)] {
            // By name, because the half depends on the number of rounds.
            let sort = sort.clone().by_bits(bits).by(SortMethod::OneSweep);
            let got = doubled(gpu, &policy, &sort, keys).with_context(|| format!("{sort:?}"))?;
            ensure!(got == half, "{sort:?}: half {got}");
        }
    }
    let rounds = sort.clone().by_bits(0..24).by(SortMethod::Multisplit { radix_bits: 8 });
    ensure!(doubled(gpu, &policy, &rounds, &uniform_keys)? == 1);
    for n in [0, 1, 100] {
        ensure!(doubled(gpu, &policy, &sort, &uniform_keys[..n])? == 0, "n = {n}");
    }
    Ok(())
}

/// None, one, odd numbers, all that there is room for, and more than that; nothing past the number
/// is touched, in place and not.
fn numbers_on_the_device(gpu: &Gpu) -> Result<()> {
    let most = 3_001u64;
    for (bits, doubled) in [(0..32, false), (0..24, false), (0..24, true)] {
        let sort = Sort::new(KeyType::U32).by_bits(bits);
        number_on_the_device(gpu, &sort, most, doubled)
            .with_context(|| format!("{sort:?}, doubled: {doubled}"))?;
    }
    Ok(())
}

fn number_on_the_device(gpu: &Gpu, sort: &Sort, most: u64, doubled: bool) -> Result<()> {
    const INDEX: u64 = 71;
    let context = &gpu.context;
    let mut graph = Graph::new("counted");
    let declared = Doubled::new(&mut graph, most);
    let words = graph.import::<u32>("words", 100);
    let mut buffers = declared.buffers(Count::Device { buffer: words, index: INDEX, most });
    if !doubled {
        buffers.place = SortPlace::InPlace;
    }
    add(&mut graph, &quick_policy(gpu), sort, &buffers)?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let (keys, values) = (uniform(most as usize, 3), uniform(most as usize, 4));
    let device = [(); 4].map(|()| context.buffer::<u32>("data", most));
    let [device_keys, other_keys, device_values, other_values] = device;
    let device_keys = [device_keys?, other_keys?];
    let device_values = [device_values?, other_values?];
    let half = context.buffer::<u32>("half", 1)?;
    let device_words = context.buffer::<u32>("words", 100)?;
    let most = most as u32;
    for number in [most, 0, 1, 2, (most / 3) | 1, most - 1, most + 1, u32::MAX] {
        let mut all = uniform(100, u64::from(number));
        all[INDEX as usize] = number;
        context.write(&device_words, &all)?;
        context.write(&half, &[0u32])?;
        for k in 0..2 {
            context.write(&device_keys[k], &keys)?;
            context.write(&device_values[k], &values)?;
        }
        let mut bound = vec![(words, &device_words), (declared.half, &half)];
        for k in 0..2 {
            bound.push((declared.keys[k], &device_keys[k]));
            bound.push((declared.values[k], &device_values[k]));
        }
        context.run(&executable, &bound)?;
        let half = context.download::<u32>(&half)?[0] as usize;
        let n = number.min(most) as usize;
        let order = order(&keys[..n], sort);
        for (buffers, input) in [(&device_keys, &keys), (&device_values, &values)] {
            let expected = [pick(input, &order), input[n..].to_vec()].concat();
            expect_equal(&context.download::<u32>(&buffers[half])?, &expected)
                .with_context(|| format!("{number} of {most}"))?;
        }
    }
    Ok(())
}

/// Keys that differ in one digit, or in none; wide keys that are small.
fn idle_rounds(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let one_digit = |digits: u32, digit: u32| -> Vec<u64> {
        let mut rng = Rng::new(u64::from(digit));
        let base = rng.next_u64() & (u64::MAX >> (64 - 8 * digits));
        (0..2_500).map(|_| base ^ (rng.below(256) << (8 * digit))).collect()
    };
    let sort = Sort::new(KeyType::U32).by(SortMethod::OneSweep);
    let floats = Sort::new(KeyType::F32).by(SortMethod::OneSweep);
    for digit in 0..4 {
        check(gpu, &policy, &sort, Along::Bytes(4), &one_digit(4, digit))?;
        check(gpu, &policy, &floats, Along::Indices, &one_digit(4, digit))?;
        // An odd number of rounds, so that one more brings the result home.
        let three = sort.clone().by_bits(0..24);
        check(gpu, &policy, &three, Along::Bytes(4), &one_digit(4, digit))?;
        let three = floats.clone().by_bits(0..24);
        check(gpu, &policy, &three, Along::Indices, &one_digit(4, digit))?;
    }
    let equal = [77u64; 2_500];
    check(gpu, &policy, &sort, Along::Bytes(4), &equal)?;
    check(gpu, &policy, &floats, Along::Indices, &equal)?;
    check(gpu, &policy, &floats.by_bits(0..8), Along::Indices, &equal)?;
    let wide = Sort::new(KeyType::U64).by(SortMethod::OneSweep);
    for most in [2, 300, 70_000, 1 << 33] {
        let mut rng = Rng::new(most);
        let keys: Vec<u64> = (0..2_500).map(|_| rng.below(most)).collect();
        check(gpu, &policy, &wide, Along::Bytes(8), &keys).with_context(|| format!("{most}"))?;
    }
    Ok(())
}

/// One recording, run again and again on data that changes now and then.
fn a_thousand_replays(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let policy = quick_policy(gpu);
    let n = 1_500u64;
    let mut graph = Graph::new("replayed");
    let mut import = |name| graph.import::<u32>(name, n);
    let [source, keys, values] = ["source", "keys", "values"].map(&mut import);
    copy(&mut graph, &policy, "copy", source, keys)?;
    copy(&mut graph, &policy, "copy", source, values)?;
    let pairs = SortValues::Values { buffer: values, bytes: 4 };
    let place = SortPlace::InPlace;
    let sort = Sort::new(KeyType::U32).by_bits(8..24).by(SortMethod::OneSweep);
    add(&mut graph, &policy, &sort, &SortBuffers { n: n.into(), keys, values: pairs, place })?;
    graph.replayable();
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let device = ["source", "keys", "values"].map(|name| context.buffer::<u32>(name, n));
    let [device_source, device_keys, device_values] = device;
    let (device_source, device_keys, device_values) =
        (device_source?, device_keys?, device_values?);
    let bound = [(source, &device_source), (keys, &device_keys), (values, &device_values)];
    let mut replay = context.replay(Arc::new(executable), &bound)?;
    for batch in 0..20 {
        let data = uniform(n as usize, batch);
        context.write(&device_source, &data)?;
        replay.submit(50)?;
        replay.wait()?;
        let expected = pick(&data, &order(&data, &sort));
        for buffer in [&device_keys, &device_values] {
            expect_equal(&context.download::<u32>(buffer)?, &expected)
                .with_context(|| format!("after {} runs", 50 * (batch + 1)))?;
        }
    }
    Ok(())
}

/// In place: the other half, and little besides. In a double buffer: only that little.
fn memory_is_bounded(gpu: &Gpu) -> Result<()> {
    let policy = gpu.context.policy();
    // Few elements are cut into small tiles on GPUs, so that there is one for every core.
    let sizes = if gpu.is_software() { [1u64 << 20, (1 << 22) + 1] } else { [1 << 25, 1 << 28] };
    for n in sizes {
        let input = 8 * n;
        let mut graph = Graph::new("memory");
        let declared = Doubled::new(&mut graph, n);
        let mut buffers = declared.buffers(n.into());
        let workspace = |graph: &mut Graph, buffers: &SortBuffers| -> Result<u64> {
            add(graph, &policy, &Sort::new(KeyType::U32), buffers)?;
            Ok(graph.compile(&gpu.context.limits())?.workspace().size)
        };
        let doubled = workspace(&mut graph, &buffers)?;
        ensure!(10 * doubled <= input, "{doubled} bytes beside two halves of {input}");
        let mut graph = Graph::new("memory");
        buffers = Doubled::new(&mut graph, n).buffers(n.into());
        buffers.place = SortPlace::InPlace;
        let in_place = workspace(&mut graph, &buffers)?;
        ensure!(10 * in_place <= 11 * input, "{in_place} bytes for {input} of input");
    }
    Ok(())
}

fn outcome(policy: &Policy, sort: &Sort, change: impl Fn(&mut SortBuffers)) -> Result<(), Error> {
    let mut graph = Graph::new("refused");
    let mut buffers = Doubled::new(&mut graph, 5_000).buffers(5_000.into());
    change(&mut buffers);
    add(&mut graph, policy, sort, &buffers).map(|_| ())
}

fn refused(gpu: &Gpu) -> Result<()> {
    let policy = gpu.context.policy();
    let sort = Sort::new(KeyType::U32);
    let too_large = |result: &Result<(), Error>| matches!(result, Err(Error::TooLarge { .. }));
    for n in [1 << 30, 1 << 32, u64::MAX] {
        let result = outcome(&policy, &sort, |buffers| buffers.n = n.into());
        ensure!(too_large(&result), "{n} elements: {result:?}");
    }
    for wrong in [0, 1, 5, 12, 32] {
        let result = outcome(&policy, &sort, |buffers| {
            let SortValues::Values { bytes, .. } = &mut buffers.values else { return };
            *bytes = wrong;
        });
        ensure!(too_large(&result), "{wrong} bytes: {result:?}");
    }
    for radix_bits in [0, 3, 9, 32] {
        let sort = sort.clone().by(SortMethod::Multisplit { radix_bits });
        let result = outcome(&policy, &sort, |_| ());
        ensure!(too_large(&result), "{radix_bits} bits: {result:?}");
    }
    let small = sort.clone().by(SortMethod::Small);
    let tile = tile(&policy, KeyType::U32)? as u64;
    ensure!(outcome(&policy, &small, |buffers| buffers.n = tile.into()).is_ok());
    let result = outcome(&policy, &small, |buffers| buffers.n = (tile + 1).into());
    ensure!(too_large(&result), "one more than a tile: {result:?}");
    let result = outcome(&policy, &small, |buffers| {
        let buffer = buffers.keys;
        buffers.n = Count::Device { buffer, index: 0, most: 10 };
    });
    ensure!(matches!(result, Err(Error::Policy { .. })), "small on the device: {result:?}");
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
    for bits in [0..33, 33..40, 8..7, 0..u32::MAX] {
        let result = outcome(&policy, &sort.clone().by_bits(bits.clone()), |_| ());
        ensure!(matches!(result, Err(Error::Bucket { .. })), "bits {bits:?}: {result:?}");
    }
    let absurd = Policy { sort: policy.sort.with_shape(TileShape::new(0, 0)), ..policy };
    ensure!(outcome(&absurd, &sort, |_| ()).is_err(), "an absurd shape");
    Ok(())
}

fn too_small(gpu: &Gpu) -> Result<()> {
    let policy = gpu.context.policy();
    let sort = Sort::new(KeyType::U32);
    let wide = Sort::new(KeyType::U64);
    let wide_values = |buffers: &mut SortBuffers| {
        let SortValues::Values { bytes, .. } = &mut buffers.values else { return };
        *bytes = 8;
    };
    let no_other_values = |buffers: &mut SortBuffers| {
        let SortPlace::DoubleBuffer { values, .. } = &mut buffers.place else { return };
        *values = None;
    };
    let results = [
        ("keys", outcome(&policy, &sort, |buffers| buffers.n = 5_001.into())),
        ("wide keys", outcome(&policy, &wide, |_| ())),
        ("values", outcome(&policy, &sort, wide_values)),
        ("other values", outcome(&policy, &sort, no_other_values)),
    ];
    for (name, result) in results {
        ensure!(matches!(result, Err(Error::BufferTooSmall { .. })), "{name}: {result:?}");
    }
    Ok(())
}

fn one_call(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let sort = Sort::new(KeyType::F32);
    let keys = [2.0f32, -1.0, 0.5, -0.0];
    expect_equal(&context.sort(&sort, &keys)?, &[-1.0, -0.0, 0.5, 2.0])?;
    expect_equal(&context.argsort(&sort, &keys)?, &[1, 3, 2, 0])?;
    ensure!(context.sort::<f32>(&sort, &[])?.is_empty());
    let down = Sort::new(KeyType::F32).descending();
    let (sorted, values) = context.sort_pairs(&down, &keys, &[1u32, 2, 3, 4])?;
    expect_equal(&sorted, &[2.0, 0.5, -0.0, -1.0])?;
    expect_equal(&values, &[1, 3, 4, 2])?;
    ensure!(matches!(context.sort(&sort, &[1u64]), Err(Error::BufferTooSmall { .. })));
    let missing = context.sort_pairs(&sort, &keys, &[1u32]);
    ensure!(matches!(missing, Err(Error::BufferTooSmall { .. })));
    Ok(())
}
