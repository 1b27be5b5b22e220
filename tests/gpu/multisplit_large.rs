//! More buckets than one split can have: two rounds, or any number, or labels.

use anyhow::{Context as _, Result, ensure};
use multisplit::Error;
use multisplit::graph::Graph;
use multisplit::primitives::multisplit::{
    Bucket, KeyType, MAX_BUCKETS, Method, Split, SplitBuffers, SplitOutput, UserBucket, add,
};
use multisplit_tests::generate::{Distribution, Rng, uniform};
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::{reference, tests};

use crate::multisplit_cases::{self, KINDS, Kind, METHODS, case, sizes};
use crate::multisplit_keys::check_by;

tests!(multisplit_large:
    product_of_cases, ranges_in_global_memory, wide_keys, wide_pairs, users_functions_by_labels,
    ids_out_of_range, choices, too_many_and_none,
);

const BUCKETS: [u32; 3] = [257, 1000, 65_536];

/// The whole product in a full run; else every m with every method, and the rest in turn.
fn product_of_cases(gpu: &Gpu) -> Result<()> {
    let policy = gpu.context.policy();
    let sizes = sizes(gpu, gpu.full);
    if gpu.full {
        let mut mine = gpu.mine();
        for (m, method) in BUCKETS.into_iter().flat_map(|m| METHODS.map(|method| (m, method))) {
            for (kind, &n) in
                KINDS.into_iter().flat_map(|kind| sizes.iter().map(move |n| (kind, n)))
            {
                for distribution in Distribution::ALL.into_iter().filter(|_| mine()) {
                    case(gpu, &policy, method, kind, m, n, distribution)?;
                }
            }
        }
        return Ok(());
    }
    for (row, &m) in BUCKETS.iter().enumerate() {
        for (column, method) in METHODS.into_iter().enumerate() {
            let n = sizes[sizes.len() - 1 - (row + 2 * column) % sizes.len()];
            let kind = KINDS[(row + column) % KINDS.len()];
            let distribution = Distribution::ALL[(2 * row + column) % Distribution::ALL.len()];
            case(gpu, &policy, method, kind, m, n, distribution)?;
        }
    }
    case(gpu, &policy, Method::Auto, Kind::Pairs, 1000, (1 << 20) + 3, Distribution::Uniform)
}

/// Splitters that do not fit into shared memory, nor into one update of a buffer.
fn ranges_in_global_memory(gpu: &Gpu) -> Result<()> {
    let keys = uniform(20_011, 1);
    for m in [300usize, 65_536] {
        let mut splitters = uniform(m - 1, 2);
        splitters[..m / 2].copy_from_slice(&uniform(m / 2, 1)[..m / 2]);
        splitters.sort_unstable();
        let split = Split::new(KeyType::U32, m as u32, Bucket::range(&splitters));
        let bucket_of = |key: u32| splitters.partition_point(|&s| s <= key) as u32;
        check_by(gpu, &[Method::Direct, Method::ReducedBitSort], &split, &keys, bucket_of)?;
    }
    Ok(())
}

fn wide_keys(gpu: &Gpu) -> Result<()> {
    let mut rng = Rng::new(3);
    let keys: Vec<f64> = (0..10_007).map(|_| f64::from_bits(rng.next_u64())).collect();
    let mut splitters: Vec<f64> = keys[..9_999].to_vec();
    splitters.sort_by(f64::total_cmp);
    let bucket_of = |key: f64| splitters.partition_point(|s| s.total_cmp(&key).is_le()) as u32;
    let split = Split::new(KeyType::F64, 10_000, Bucket::range(&splitters));
    let methods = [Method::Direct, Method::ScanSplit, Method::ReducedBitSort];
    check_by(gpu, &methods, &split, &keys, bucket_of)
}

/// Wide keys and values do not fit together: the reduced-bit sort fetches them by index.
fn wide_pairs(gpu: &Gpu) -> Result<()> {
    let mut rng = Rng::new(4);
    let keys: Vec<u64> = (0..5003).map(|_| rng.next_u64()).collect();
    let values: Vec<[u32; 4]> = (0..5003).map(|i| [i, !i, i * 3, 7]).collect();
    for (method, shift, bits) in [
        (Method::ReducedBitSort, 51, 12),
        (Method::ReducedBitSort, 40, 5),
        (Method::ScanSplit, 40, 5),
        (Method::Direct, 51, 12),
    ] {
        let split = Split::new(KeyType::U64, 1 << bits, Bucket::Digit { shift, bits }).by(method);
        let result = gpu.context.split_pairs(&split, &keys, &values)?;
        let bucket_of = |i: usize| (keys[i] >> shift) as u32 & ((1 << bits) - 1);
        let (order, offsets) = reference::split(keys.len(), 1 << bits, bucket_of);
        let keys: Vec<u64> = order.iter().map(|&i| keys[i as usize]).collect();
        let values: Vec<[u32; 4]> = order.iter().map(|&i| values[i as usize]).collect();
        expect_equal(&result.offsets, &offsets).with_context(|| format!("{method:?}, offsets"))?;
        expect_equal(&result.keys, &keys).with_context(|| format!("{method:?}, keys"))?;
        expect_equal(&result.values, &values).with_context(|| format!("{method:?}, values"))?;
    }
    Ok(())
}

const SQUARES: &str = "uint bucket_of(uint key) { return key * key % 1009u; }";

fn users_functions_by_labels(gpu: &Gpu) -> Result<()> {
    let keys: Vec<u32> = uniform(10_007, 5).into_iter().map(|key| key % 60_000).collect();
    let split = Split::new(KeyType::U32, 1009, Bucket::Glsl(UserBucket::new(SQUARES)));
    let (order, offsets) = reference::split(keys.len(), 1009, |i| keys[i] * keys[i] % 1009);
    let expected: Vec<u32> = order.iter().map(|&i| keys[i as usize]).collect();
    let result = gpu.context.split(&split, &keys)?;
    ensure!(result.method == Method::ReducedBitSort, "{:?}", result.method);
    expect_equal(&result.offsets, &offsets)?;
    expect_equal(&result.keys, &expected)?;
    // Two rounds are right too, where they are asked for.
    let result = gpu.context.split(&split.by(Method::Direct), &keys)?;
    expect_equal(&result.keys, &expected)
}

/// Held against m itself, not against what a round has.
fn ids_out_of_range(gpu: &Gpu) -> Result<()> {
    let keys: Vec<u32> = (0..3000).collect();
    for method in [Method::Direct, Method::ScanSplit, Method::ReducedBitSort] {
        for m in [100, 1000, 2999, 3000] {
            let split = Split::new(KeyType::U32, m, Bucket::Identity).by(method);
            match gpu.context.split(&split, &keys) {
                Err(Error::BucketOutOfRange { keys, buckets }) => {
                    let right = buckets == m && keys == u64::from(3000 - m);
                    ensure!(right, "{method:?}, m = {m}: {keys} keys");
                }
                result => ensure!(m == 3000 && result.is_ok(), "{method:?}, m = {m}: {result:?}"),
            }
        }
        // No write out of bounds: the guard words of the cases' check.
        let split = Split::new(KeyType::U32, 1000, Bucket::Identity).by(method);
        let policy = gpu.context.policy();
        multisplit_cases::check(gpu, &policy, &split, Kind::Pairs, &keys, |key| key)?;
    }
    Ok(())
}

/// What was chosen is known without running it.
fn choices(gpu: &Gpu) -> Result<()> {
    let chosen = |m, bucket, method| -> Result<_> {
        let mut graph = Graph::new("split");
        let (keys, out) = (graph.import::<u32>("keys", 1000), graph.import::<u32>("out", 1000));
        let offsets = graph.import::<u32>("offsets", u64::from(m) + 1);
        let output = SplitOutput::Keys(out);
        let buffers = SplitBuffers { n: 1000.into(), keys, output, offsets, outside: None };
        let split = Split::new(KeyType::U32, m, bucket).by(method);
        let added = add(&mut graph, &gpu.context.policy(), &split, &buffers)?;
        Ok((added.method, added.rounds))
    };
    let user = || Bucket::Glsl(UserBucket::new(SQUARES));
    let small = chosen(256, Bucket::Identity, Method::Auto)?;
    ensure!(small == (chosen(257, Bucket::Identity, Method::Auto)?.0, 1));
    ensure!(chosen(257, Bucket::Identity, Method::Auto)?.1 == 2);
    ensure!(chosen(256, user(), Method::Auto)? == small);
    ensure!(chosen(257, user(), Method::Auto)? == (Method::ReducedBitSort, 2));
    ensure!(chosen(257, user(), Method::Block)? == (Method::Block, 2));
    ensure!(chosen(1000, Bucket::Identity, Method::ScanSplit)? == (Method::ScanSplit, 10));
    ensure!(chosen(2, Bucket::Identity, Method::ReducedBitSort)? == (Method::ReducedBitSort, 1));
    Ok(())
}

fn too_many_and_none(gpu: &Gpu) -> Result<()> {
    for method in METHODS {
        let split = |m| Split::new(KeyType::U32, m, Bucket::Identity).by(method);
        let result = gpu.context.split(&split(0), &[1u32]);
        ensure!(matches!(result, Err(Error::NoBuckets)), "{method:?}: {result:?}");
        let result = gpu.context.split(&split(MAX_BUCKETS + 1), &[1u32]);
        ensure!(matches!(result, Err(Error::TooLarge { .. })), "{method:?}: {result:?}");
        let result = gpu.context.split::<u32>(&split(MAX_BUCKETS), &[])?;
        ensure!(result.offsets == vec![0; MAX_BUCKETS as usize + 1]);
    }
    Ok(())
}
