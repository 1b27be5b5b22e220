//! Radix sorts, compared with a stable sort on the CPU. Keys and values lie between guard words.
//! Cases combine key type, kind of values, direction, size, distribution and method.

use multisplit::operations::split::Ranking;
use multisplit_tests::prelude::*;

use crate::sort_run::{KEYS, Keys, Order, PAYLOADS, Payload, case, quick_policy, tile};

tests!(sort:
    combinations_of_options_match_the_cpu, sorts_by_requested_methods_match_the_cpu;
    in turn: every_size_from_one_to_two_tiles_matches_the_cpu, sorts_by_bit_ranges_match_the_cpu,
    look_back_without_polling_matches_the_cpu, random_tile_shapes_match_the_cpu
);

fn sizes(policy: &Policy, key: KeyType) -> Result<Vec<usize>> {
    let tile = tile(policy, key)?;
    Ok(vec![0, 1, 2, 255, 256, 257, tile - 1, tile, tile + 1, 65_537])
}

fn combinations_of_options_match_the_cpu(gpu: &Gpu) -> Result<()> {
    if gpu.full { all_combinations(gpu) } else { sampled_combinations(gpu) }
}

fn all_combinations(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    for key in KeyType::WIDE {
        let mut sizes = sizes(&policy, key)?;
        sizes.push(gpu.large_length());
        for ((payload, descending), (n, keys)) in
            pairs(&pairs(&PAYLOADS, &[false, true]), &pairs(&sizes, &KEYS))
        {
            // Test one-sweep explicitly, because `Auto` does not choose it on every device.
            for method in [SortMethod::Auto, SortMethod::OneSweep] {
                let order = Order { descending, method, ..Order::of(key) };
                gpu.case(|| case(gpu, &policy, &order, payload, keys, n))?;
            }
        }
    }
    Ok(())
}

const BOTH: &[bool] = &[false, true];
/// Key types, kinds of values and directions of the sample for one-sweep sorts. Compiling their
/// pipelines takes most of the time of a test. Unsigned keys, for which each direction needs its
/// own pipelines, are sorted in one direction only.
const ONE_SWEEP: [(KeyType, Payload, &[bool]); 10] = [
    (KeyType::U32, Payload::Nothing, &[false]),
    (KeyType::I32, Payload::Nothing, BOTH),
    (KeyType::F32, Payload::Nothing, BOTH),
    (KeyType::U64, Payload::Nothing, &[true]),
    (KeyType::I64, Payload::Nothing, BOTH),
    (KeyType::F64, Payload::Nothing, BOTH),
    (KeyType::U32, Payload::Bytes(4), &[false]),
    (KeyType::U64, Payload::Bytes(8), &[false]),
    (KeyType::I32, Payload::Bytes(16), BOTH),
    (KeyType::F32, Payload::Indices, BOTH),
];
/// Key types and kinds of values of the sample for sorts by a single workgroup. One pipeline sorts
/// in both directions.
const SMALL: [(KeyType, Payload); 7] = [
    (KeyType::U32, Payload::Indices),
    (KeyType::I32, Payload::Bytes(4)),
    (KeyType::F32, Payload::Nothing),
    (KeyType::F32, Payload::Bytes(8)),
    (KeyType::U64, Payload::Nothing),
    (KeyType::I64, Payload::Indices),
    (KeyType::F64, Payload::Bytes(16)),
];

/// Sorts a sample of the combinations in `SMALL` and `ONE_SWEEP`, each with every distribution;
/// sizes alternate. Each combination and direction runs at only one subgroup width.
fn sampled_combinations(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let mut turn = 0;
    for (key, payload) in SMALL.into_iter().filter(|_| gpu.mine()) {
        let mut small = sizes(&policy, key)?;
        let tile = tile(&policy, key)?;
        small.retain(|&n| n <= tile);
        for &descending in BOTH {
            let order = Order { descending, ..Order::of(key) };
            for keys in KEYS {
                case(gpu, &policy, &order, payload, keys, small[turn % small.len()])?;
                turn += 1;
            }
        }
    }
    for (key, payload, directions) in ONE_SWEEP {
        let sizes = sizes(&policy, key)?;
        for &descending in directions.iter().filter(|_| gpu.mine()) {
            let order = Order { descending, ..Order::one_sweep(key) };
            for keys in KEYS {
                let n = match sizes[turn % sizes.len()] {
                    65_537 if turn % 3 > 0 => 5_000,
                    n => n,
                };
                case(gpu, &policy, &order, payload, keys, n)?;
                turn += 1;
            }
        }
    }
    case(gpu, &policy, &Order::of(KeyType::U32), Payload::Bytes(4), Keys::Uniform, (1 << 20) + 3)
}

fn every_size_from_one_to_two_tiles_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut policy = gpu.policy();
    let shape = TileShape::new(policy.facts.subgroup_size * 2, 2).in_turns(2);
    policy.sort = policy.sort.with_shape(shape);
    let tile = shape.tile() as usize;
    let order = Order::one_sweep(KeyType::U32);
    for n in (tile..=2 * tile).filter(|_| gpu.mine()) {
        case(gpu, &policy, &order, Payload::Bytes(4), Keys::FewDistinct, n)?;
    }
    Ok(())
}

fn sorts_by_bit_ranges_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let mut rng = Rng::new(5);
    for turn in 0..if gpu.full { 200 } else { 12 } {
        let key = KeyType::WIDE[turn % 6];
        // The bits outside of the range already show whether keys with equal digits keep their
        // order, so most types need no indices.
        let payload =
            if gpu.full || key == KeyType::F32 { Payload::Indices } else { Payload::Nothing };
        let start = rng.below(u64::from(key.bits()) + 1) as u32;
        let end = start + rng.below(u64::from(key.bits() - start) + 1) as u32;
        let n = [500, 3_000][turn / 6 % 2];
        let descending = key == KeyType::U64 || turn % 4 > 1;
        let order = Order { descending, bits: start..end, ..Order::of(key) };
        gpu.case(|| case(gpu, &policy, &order, payload, Keys::Uniform, n))?;
    }
    Ok(())
}

/// Sorts by multisplits of 4 to 8 bits per digit, and one-sweep sorts of few keys.
fn sorts_by_requested_methods_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    for radix_bits in (4..=8).filter(|_| gpu.mine()) {
        let method = SortMethod::Multisplit { radix_bits };
        let order = Order { method, ..Order::of(KeyType::F32) };
        case(gpu, &policy, &order, Payload::Indices, Keys::Uniform, 3_001)?;
    }
    let method = SortMethod::Multisplit { radix_bits: 7 };
    let order = Order { method, ..Order::of(KeyType::U64) };
    case(gpu, &policy, &order, Payload::Bytes(8), Keys::Uniform, 2_000)?;
    for n in [1, 2, 300] {
        let order = Order { descending: true, ..Order::one_sweep(KeyType::I32) };
        case(gpu, &policy, &order, Payload::Bytes(4), Keys::Uniform, n)?;
    }
    Ok(())
}

/// With a spin limit of 0, workgroups recount predecessor tiles instead of polling for them.
fn look_back_without_polling_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let order = Order::one_sweep(KeyType::U32);
    for look_back_tiles in [1, 4] {
        let policy = Policy { spin_limit: 0, look_back_tiles, ..gpu.policy() };
        case(gpu, &policy, &order, Payload::Bytes(4), Keys::Uniform, 60_000)?;
    }
    Ok(())
}

fn random_tile_shapes_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut rng = Rng::new(77);
    let base = gpu.probed_policy()?;
    let ranking = [Ranking::Ballots, base.split.ranking];
    for _ in 0..if gpu.full { 100 } else { 6 } {
        let mut policy = base;
        let threads = policy.facts.subgroup_size << rng.below(4);
        let turns = 1 + rng.below(3) as u32;
        let items = turns * (1 + rng.below(3) as u32);
        policy.sort = policy.sort.with_shape(TileShape::new(threads, items).in_turns(turns));
        policy.spin_limit = rng.below(3) as u32;
        policy.look_back_tiles = 1 + rng.below(5) as u32;
        policy.sort.few_keys = rng.below(20_000);
        policy.sort.few_keys_groups = 4 << rng.below(4);
        policy.sort.few_keys_look_back = 1 + rng.below(5) as u32;
        policy.tickets = rng.below(2) == 0;
        policy.split.ranking = ranking[rng.below(2) as usize];
        let key = KeyType::WIDE[rng.below(6) as usize];
        let payload = PAYLOADS[rng.below(5) as usize];
        let order = Order::one_sweep(key);
        let (keys, n) = (KEYS[rng.below(7) as usize], rng.below(20_000) as usize);
        gpu.case(|| {
            case(gpu, &policy, &order, payload, keys, n).with_context(|| {
                format!("{threads} threads, {items} keys per thread, {turns} turns")
            })
        })?;
    }
    Ok(())
}
