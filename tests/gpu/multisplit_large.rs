//! Splits into more buckets than one round supports: in two rounds, in several rounds, or by
//! labels.

use multisplit::operations::split::{MAX_BUCKETS, Method};
use multisplit_tests::generate::Distribution;
use multisplit_tests::prelude::*;

use crate::multisplit_cases::{self, KINDS, Kind, METHODS, case, sizes};
use crate::multisplit_keys::check_by;

tests!(multisplit_large:
    combinations_of_options_match_the_cpu, splitters_outside_of_shared_memory_match_the_cpu,
    splits_of_64_bit_keys_match_the_cpu, wide_pairs_match_the_cpu, glsl_functions_match_the_cpu,
    out_of_range_ids_are_counted, chosen_method_depends_on_buckets_and_function,
    zero_and_too_many_buckets_are_rejected,
);

const BUCKETS: [u32; 3] = [257, 1000, 65_536];

/// A full run tests every combination; a plain run takes its sample from one case for each bucket
/// count and method; the other parameters alternate.
fn combinations_of_options_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let sizes = sizes(gpu, gpu.full);
    if gpu.full {
        for (m, (method, kind)) in pairs(&BUCKETS, &pairs(&METHODS, &KINDS)) {
            for (n, distribution) in pairs(&sizes, &Distribution::ALL) {
                gpu.case(|| case(gpu, &policy, method, kind, m, n, distribution))?;
            }
        }
        return Ok(());
    }
    for (row, &m) in BUCKETS.iter().enumerate() {
        for (column, method) in METHODS.into_iter().enumerate() {
            let n = sizes[sizes.len() - 1 - (row + 2 * column) % sizes.len()];
            let kind = KINDS[(row + column) % KINDS.len()];
            let distribution = Distribution::ALL[(2 * row + column) % Distribution::ALL.len()];
            gpu.case(|| case(gpu, &policy, method, kind, m, n, distribution))?;
        }
    }
    let large = (1 << 20) + 3;
    gpu.case(|| case(gpu, &policy, Method::Auto, Kind::Pairs, 1000, large, Distribution::Uniform))
}

/// With more than 256 buckets, splitters are not kept in shared memory. Those of 65,536 buckets are
/// uploaded by several update commands.
fn splitters_outside_of_shared_memory_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys = uniform(20_011, 1);
    for m in [300usize, 65_536] {
        let mut splitters = uniform(m - 1, 2);
        splitters[..m / 2].copy_from_slice(&uniform(m / 2, 1)[..m / 2]);
        splitters.sort_unstable();
        let buckets = Buckets::range(&splitters);
        let bucket_of = |key: u32| splitters.partition_point(|&s| s <= key) as u32;
        check_by(gpu, &[Method::Direct, Method::ReducedBitSort], &buckets, &keys, bucket_of)?;
    }
    Ok(())
}

fn splits_of_64_bit_keys_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut rng = Rng::new(3);
    let keys: Vec<f64> = (0..10_007).map(|_| f64::from_bits(rng.next_u64())).collect();
    let mut splitters: Vec<f64> = keys[..9_999].to_vec();
    splitters.sort_by(f64::total_cmp);
    let bucket_of = |key: f64| splitters.partition_point(|s| s.total_cmp(&key).is_le()) as u32;
    let buckets = Buckets::range(&splitters);
    let methods = [Method::Direct, Method::ScanSplit, Method::ReducedBitSort];
    check_by(gpu, &methods, &buckets, &keys, bucket_of)
}

/// Pairs of 64-bit keys and wide values do not fit in shared memory, so the reduced-bit sort
/// gathers them by index.
fn wide_pairs_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut rng = Rng::new(4);
    let keys: Vec<u64> = (0..5003).map(|_| rng.next_u64()).collect();
    let values: Vec<[u32; 4]> = (0..5003).map(|i| [i, !i, i * 3, 7]).collect();
    for (method, shift, bits) in [
        (Method::ReducedBitSort, 51, 12),
        (Method::ReducedBitSort, 40, 5),
        (Method::ScanSplit, 40, 5),
        (Method::Direct, 51, 12),
    ] {
        let buckets = Buckets::digit(shift..shift + bits).method(method);
        let result = gpu.split_pairs(&keys, &values, buckets)?;
        let bucket_of = |i: usize| (keys[i] >> shift) as u32 & ((1 << bits) - 1);
        let (order, offsets) = reference::split(keys.len(), 1 << bits, bucket_of);
        let (keys, values) = (reference::pick(&keys, &order), reference::pick(&values, &order));
        let say = || format!("{method:?}, {bits} bits");
        expect_equal(&result.offsets, &offsets).context("offsets differ").with_context(say)?;
        expect_equal(&result.keys, &keys).context("keys differ").with_context(say)?;
        expect_equal(&result.values, &values).context("values differ").with_context(say)?;
    }
    Ok(())
}

const SQUARES: &str = "uint bucket_of(uint key) { return key * key % 1009u; }";

fn glsl_functions_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys: Vec<u32> = uniform(10_007, 5).into_iter().map(|key| key % 60_000).collect();
    let buckets = Buckets::glsl(1009, SQUARES);
    let (order, offsets) = reference::split(keys.len(), 1009, |i| keys[i] * keys[i] % 1009);
    let expected = reference::pick(&keys, &order);
    let result = gpu.split(&keys, buckets.clone())?;
    expect_value("the method", &result.method, &Method::ReducedBitSort)?;
    expect_equal(&result.offsets, &offsets)?;
    expect_equal(&result.keys, &expected)?;
    // A caller can request the direct method, which then splits in two rounds.
    let result = gpu.split(&keys, buckets.method(Method::Direct))?;
    expect_equal(&result.keys, &expected)
}

/// Ids are compared with the total number of buckets, not with the number of buckets in a round.
fn out_of_range_ids_are_counted(gpu: &Gpu) -> Result<()> {
    let keys: Vec<u32> = (0..3000).collect();
    let methods = [Method::Direct, Method::ScanSplit, Method::ReducedBitSort];
    for method in methods.into_iter().filter(|_| gpu.mine()) {
        for m in [100, 1000, 2999, 3000] {
            let outcome = gpu.split(&keys, Buckets::identity(m).method(method));
            let past = u64::from(3000 - m);
            if past == 0 {
                outcome.with_context(|| format!("{method:?}"))?;
                continue;
            }
            expect_error!(
                outcome,
                BucketOutOfRange { keys, buckets } if (keys, buckets) == (past, m),
                "{method:?}, {past} keys outside of {m} buckets"
            );
        }
        // `multisplit_cases::check` compares guard words, so it detects out-of-bounds writes.
        let buckets = Buckets::identity(1000).method(method);
        let policy = gpu.policy();
        multisplit_cases::check(gpu, &policy, &buckets, Kind::Pairs, &keys, |key| key)?;
    }
    Ok(())
}

/// The caller can query the chosen method before the plan runs.
fn chosen_method_depends_on_buckets_and_function(gpu: &Gpu) -> Result<()> {
    let chosen = |buckets: Buckets<u32>| -> Result<_> {
        let mut graph = Graph::new("split");
        let (keys, out) = (graph.import::<u32>("keys", 1000), graph.import::<u32>("out", 1000));
        let offsets = graph.import::<u32>("offsets", u64::from(buckets.count()) + 1);
        let buffers = SplitBuffers::keys(keys, out, offsets);
        let added = split(&mut graph, &gpu.policy(), &buckets, &buffers)?;
        Ok((added.method, added.rounds))
    };
    let (identity, user) = (Buckets::identity, |m| Buckets::glsl(m, SQUARES));
    let small = chosen(identity(256))?;
    ensure!(small == (chosen(identity(257))?.0, 1));
    ensure!(chosen(identity(257))?.1 == 2);
    ensure!(chosen(user(256))? == small);
    ensure!(chosen(user(257))? == (Method::ReducedBitSort, 2));
    ensure!(chosen(user(257).method(Method::Block))? == (Method::Block, 2));
    for (m, method, rounds) in [(1000, Method::ScanSplit, 10), (2, Method::ReducedBitSort, 1)] {
        ensure!(chosen(identity(m).method(method))? == (method, rounds));
    }
    Ok(())
}

fn zero_and_too_many_buckets_are_rejected(gpu: &Gpu) -> Result<()> {
    for method in METHODS {
        let buckets = |m| Buckets::identity(m).method(method);
        let result = gpu.split(&[1u32], buckets(0));
        expect_error!(result, NoBuckets, "{method:?}");
        let result = gpu.split(&[1u32], buckets(MAX_BUCKETS + 1));
        expect_error!(result, TooLarge { .. }, "{method:?}");
        let result = gpu.split(&[0u32; 0], buckets(MAX_BUCKETS))?;
        ensure!(result.offsets == vec![0; MAX_BUCKETS as usize + 1]);
    }
    Ok(())
}
