//! The one-sweep sort for small arrays, which has no pass that clears the tile status. In its first
//! pass, each workgroup counts the digits of one part of the array. Covers sizes around tiles and
//! parts, digits that are equal in all keys of a part, repeated runs with device counts, and the
//! maximum size.

use std::sync::Arc;

use multisplit_tests::prelude::*;

use crate::narrow::NARROW;
use crate::sort_run::{KEYS, Keys, Order, PAYLOADS, Payload, case, check, quick_policy};

tests!(sort:
    small_one_sweep_sorts_match_the_cpu;
    in turn: replayed_small_one_sweep_sorts_match_the_cpu,
    small_one_sweep_sorts_of_narrow_keys_match_the_cpu,
    small_one_sweep_sorts_by_bit_ranges_match_the_cpu,
    small_one_sweep_sorts_of_common_digits_match_the_cpu,
    small_one_sweep_sorts_without_polling_match_the_cpu,
    small_one_sweep_sorts_in_2d_dispatches_match_the_cpu, large_sorts_have_a_clearing_pass
);

/// Keys per tile under `quick_policy` on a software driver.
const TILE: usize = 512;
/// The number of keys in a part is a multiple of this under `quick_policy` on a software driver.
const PART: usize = 1024;

/// A policy that uses the small one-sweep sort up to 2^18 keys. `turn` selects whether tiles are
/// taken by ticket, the number of counting workgroups, and the number of tiles per look-back step.
fn small_sorts(policy: Policy, turn: usize) -> Policy {
    let mut policy = Policy { tickets: turn % 2 == 1, ..policy };
    policy.sort.few_keys = 1 << 18;
    policy.sort.few_keys_groups = [4, 8, 32][turn % 3];
    policy.sort.few_keys_look_back = [1, 5, 16, 32][turn % 4];
    policy
}

/// A full run tests every 32-bit and 64-bit key type, kind of value and direction. A plain run
/// takes its sample from two cases for each key type, with and without values. Sizes and
/// distributions alternate. All cases of the sample with the same key type and kind of value run at
/// the same subgroup width.
fn small_one_sweep_sorts_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let quick = quick_policy(gpu);
    let around = [TILE, 2 * TILE, 4 * PART, 5 * PART, 8 * PART].map(|n| [n - 1, n, n + 1]);
    let sizes = [&[0, 1, 2, 255, 257, 20_011][..], &around.concat()].concat();
    let mut turn = 0;
    for (kind, key) in KeyType::WIDE.into_iter().enumerate() {
        let payloads =
            if gpu.full { &PAYLOADS[..] } else { &[PAYLOADS[0], PAYLOADS[1 + kind % 4]] };
        for (number, &payload) in payloads.iter().enumerate() {
            let directions: &[bool] = if gpu.full { &[false, true] } else { &[kind % 2 == 0] };
            for &descending in directions.iter().filter(|_| gpu.mine()) {
                let policy = small_sorts(quick, kind + number);
                let order = Order { descending, ..Order::one_sweep(key) };
                for _ in 0..if gpu.full { sizes.len() } else { KEYS.len() } {
                    turn += 1;
                    let (n, keys) = (sizes[turn % sizes.len()], KEYS[turn % KEYS.len()]);
                    case(gpu, &policy, &order, payload, keys, n)?;
                }
            }
        }
    }
    Ok(())
}

/// Bit ranges that need an odd number of rounds, after which the result is copied back, and bit
/// ranges with digits of fewer than eight bits.
fn small_one_sweep_sorts_by_bit_ranges_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = small_sorts(quick_policy(gpu), 2);
    let all = [0..24, 3..11, 7..9, 8..16, 31..32, 5..29, 12..12];
    for (turn, bits) in all.into_iter().enumerate().filter(|_| gpu.mine()) {
        let descending = turn % 2 == 0;
        let order = Order { descending, bits, ..Order::one_sweep(KeyType::U32) };
        case(gpu, &policy, &order, Payload::Indices, KEYS[turn], 3_001)?;
    }
    for bits in [0..40, 30..64, 60..64].into_iter().filter(|_| gpu.mine()) {
        let order = Order { bits, ..Order::one_sweep(KeyType::F64) };
        case(gpu, &policy, &order, Payload::Bytes(4), Keys::Uniform, 2_500)?;
    }
    Ok(())
}

/// Either all keys of a part have the same digit, and the next part has the same or a different
/// digit; or a single key at the beginning or end of a part or of the array has a different digit.
fn small_one_sweep_sorts_of_common_digits_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let n = 3 * PART + 77;
    let alike = vec![0x0102_0304_u64; n];
    let mut all = vec![alike.clone()];
    for digit in 0..4 {
        let other = 0x0102_0304 ^ (0xFE << (8 * digit));
        for at in [0, PART - 1, PART, 3 * PART - 1, 3 * PART, n - 1] {
            let mut keys = alike.clone();
            keys[at] = other;
            all.push(keys);
        }
        // All keys of a part are equal, and different parts have different keys.
        all.push((0..n as u64).map(|i| 0x0102_0304 ^ ((i / PART as u64) << (8 * digit))).collect());
    }
    for (bits, payload) in gpu.cases([
        (0..32, Payload::Indices),
        (0..24, Payload::Bytes(4)),
        (0..32, Payload::Nothing),
    ]) {
        // One policy for all keys, so that they share pipelines.
        let policy = small_sorts(quick_policy(gpu), 0);
        let order = Order { bits, ..Order::one_sweep(KeyType::U32) };
        for (number, keys) in all.iter().enumerate() {
            check(gpu, &policy, &order, payload, keys)
                .with_context(|| format!("{order:?}, {payload:?}, keys {number}"))?;
        }
    }
    // 64-bit keys that differ in only one digit: in all other rounds, the digits are equal.
    let order = Order::one_sweep(KeyType::U64);
    for digit in gpu.cases([0, 4, 5, 7]) {
        let keys: Vec<u64> = (0..n as u64).rev().map(|i| (i % 256) << (8 * digit)).collect();
        let policy = small_sorts(quick_policy(gpu), 0);
        gpu.run_or_refuse(|| check(gpu, &policy, &order, Payload::Bytes(8), &keys))?;
    }
    Ok(())
}

fn small_one_sweep_sorts_of_narrow_keys_match_the_cpu(gpu: &Gpu) -> Result<()> {
    for (turn, key) in NARROW.into_iter().enumerate().filter(|_| gpu.mine()) {
        let policy = small_sorts(quick_policy(gpu), turn);
        let order = Order { descending: turn % 2 == 0, ..Order::one_sweep(key) };
        let payload = [Payload::Bytes(4), Payload::Indices, Payload::Bytes(8)][turn % 3];
        for (n, keys) in
            [(1, Keys::Uniform), (5_003, Keys::Uniform), (4_097, Keys::OneDigitDiffers)]
        {
            case(gpu, &policy, &order, payload, keys, n)?;
        }
    }
    Ok(())
}

/// With a spin limit of 0, workgroups recount predecessor tiles instead of polling for them.
fn small_one_sweep_sorts_without_polling_match_the_cpu(gpu: &Gpu) -> Result<()> {
    for turn in gpu.cases(0..4) {
        let policy = Policy { spin_limit: 0, ..small_sorts(quick_policy(gpu), turn) };
        let order = Order::one_sweep(KeyType::U32);
        case(gpu, &policy, &order, Payload::Bytes(4), Keys::Uniform, 30_000)?;
    }
    Ok(())
}

/// The last row of the dispatch may have workgroups without a tile.
fn small_one_sweep_sorts_in_2d_dispatches_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = small_sorts(few_groups(quick_policy(gpu)), 1);
    let limits = gpu.limits();
    let limits = Limits { max_workgroup_count: [3, 65_535, 65_535], ..limits };
    let mut given = uniform(5_001, 6);
    let mut setup = Setup::new(gpu, "rows");
    let keys = setup.input("keys", &given);
    let how = Sort::ascending().method(SortMethod::OneSweep);
    sort(&mut setup.graph, &policy, &how, &SortBuffers::keys(keys))?;
    setup.run_within(&limits)?;
    given.sort_unstable();
    setup.expect(keys, &given)
}

/// A recording runs many times with different keys and counts. No run may depend on the state that
/// the previous run left, even if that run had more tiles.
fn replayed_small_one_sweep_sorts_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let max = 6 * TILE + 9;
    for turn in 0..2 {
        let policy = small_sorts(quick_policy(gpu), turn);
        let mut setup = Setup::new(gpu, "few");
        let [source, keys, values] =
            ["source", "keys", "values"].map(|name| setup.output::<u32>(name, max));
        let count = setup.count(true, 0, max);
        copy(&mut setup.graph, &policy, "copy", source, keys)?;
        copy(&mut setup.graph, &policy, "copy", source, values)?;
        let order = Order { bits: 0..24, ..Order::one_sweep(KeyType::U32) };
        let buffers = SortBuffers::keys(keys).values(values).count(count);
        sort(&mut setup.graph, &policy, &order.sort(), &buffers)?;
        setup.graph.replayable();
        let executable = Arc::new(setup.executable()?);
        let mut replay = gpu.replay(executable, &setup.upload()?)?;
        let mut rng = Rng::new(9);
        for batch in 0..if gpu.full { 200 } else { 24 } {
            // The count is that of all keys, zero, one, above the capacity, or random.
            let number = match batch % 6 {
                0 => max as u32,
                1 => 0,
                2 => 1,
                3 => u32::MAX,
                _ => rng.below(max as u64 + 1) as u32,
            };
            let data: Vec<u32> = uniform(max, batch)
                .into_iter()
                .map(|key| if batch % 4 == 3 { key & 0xFF00 } else { key })
                .collect();
            setup.write(source, &data)?;
            setup.set_count(count, number)?;
            replay.submit(3)?;
            replay.wait()?;
            let (sorted, rest) = data.split_at((number as usize).min(max));
            let bits: Vec<u64> = sorted.iter().map(|&key| key.into()).collect();
            let sorted = order.expected(&bits).into_iter().map(|i| sorted[i as usize]);
            let expected: Vec<u32> = sorted.chain(rest.iter().copied()).collect();
            for import in [keys, values] {
                setup
                    .expect(import, &expected)
                    .with_context(|| format!("batch {batch}: {number} keys, turn {turn}"))?;
            }
        }
    }
    Ok(())
}

/// The number of clearing passes, and the total number of passes.
fn passes(gpu: &Gpu, policy: &Policy, n: u64, bits: u32) -> Result<(usize, usize)> {
    let mut graph = Graph::new("passes");
    let keys = graph.import::<u32>("keys", n);
    let how = Sort::ascending().bits(0..bits).method(SortMethod::OneSweep);
    sort(&mut graph, policy, &how, &SortBuffers::keys(keys))?;
    let plan = graph.compile(&gpu.limits())?;
    let clears = plan.steps().iter().filter(|step| step.pass.label == "sort.clear").count();
    Ok((clears, plan.steps().len()))
}

/// Sorts of more keys than the policy allows for small sorts have a clearing pass, as do sorts
/// whose tile status exceeds a binding.
fn large_sorts_have_a_clearing_pass(gpu: &Gpu) -> Result<()> {
    let mut policy = small_sorts(quick_policy(gpu), 0);
    policy.sort = policy.sort.with_shape(TileShape::new(256, 2));
    policy.sort.few_keys = 10_000;
    ensure!(passes(gpu, &policy, 10_000, 32)? == (0, 5));
    // A sort that copies its result back has no other passes.
    ensure!(passes(gpu, &policy, 10_000, 24)? == (0, 5));
    ensure!(passes(gpu, &policy, 10_001, 32)? == (1, 6));
    let order = Order::one_sweep(KeyType::U32);
    for n in [10_000, 10_001] {
        case(gpu, &policy, &order, Payload::Nothing, Keys::Uniform, n)?;
    }
    // The tile status for four rounds of 20 tiles takes 81 KiB.
    for (max_storage_range, clears) in [(64 << 10, true), (96 << 10, false)] {
        let policy = policy.lowered(|facts| facts.max_storage_range = max_storage_range);
        let (passes, _) = passes(gpu, &policy, 10_000, 32)?;
        let what = format!("whether a sort with bindings of {max_storage_range} bytes clears");
        expect_value(what, &(passes > 0), &clears)?;
    }
    Ok(())
}
