//! Results do not depend on the policy: with random policies, operations return correct results or
//! typed errors.

use std::time::Instant;

use multisplit::operations::split::Method;
use multisplit_tests::prelude::*;

use crate::policy_fields::{Draw, edit, number, pick};

tests!(policies:
    random_policies_give_correct_results_for_large_arrays,
    look_back_works_within_the_driver_loop_limit, random_policies_give_correct_results_or_errors,
    random_call_options_give_correct_results_or_errors,
);

/// Length of a large array: a workgroup that polled for all of its tiles would exceed the loop
/// limit of a software driver.
const LARGE: u64 = 3_000_000;

/// Runs an operation on these keys. Returns whether its result is correct.
type Operation = fn(&Context, &mut Rng, &[u32]) -> multisplit::Result<bool>;

/// Operations in order of run time, the slowest last.
const OPERATIONS: [(&str, Operation); 17] = [
    ("scan", scans),
    ("scan of u64", wide_scans),
    ("scan by key", scans_by_key),
    ("reduction by key", reductions_by_key),
    ("reduction of segments", segment_reductions),
    ("reduction of rows", row_reductions),
    ("select", selections),
    ("top-k", smallest_elements),
    ("split", splits),
    ("unique", uniques),
    ("run lengths", run_lengths),
    ("histogram", histograms),
    ("sort", sorts),
    ("sort of u64", wide_sorts),
    ("sort of u16", narrow_sorts),
    ("argsort", argsorts),
    ("sort of segments", segment_sorts),
];

fn sorts(gpu: &Context, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let methods =
        [SortMethod::Auto, SortMethod::OneSweep, SortMethod::Multisplit { radix_bits: 5 }];
    let sorted = gpu.sort_with(keys, &Sort::ascending().method(pick(rng, &methods)))?;
    Ok(sorted == reference::sorted(keys))
}

fn wide_sorts(gpu: &Context, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let methods = [SortMethod::Auto, SortMethod::OneSweep];
    let mut keys: Vec<u64> = keys.iter().map(|&key| u64::from(key).reverse_bits() | 5).collect();
    let how = Sort::ascending().bits(24..40).method(pick(rng, &methods));
    let sorted = gpu.sort_with(&keys, &how)?;
    keys.sort_by_key(|key| key >> 24 & 0xFFFF);
    Ok(sorted == keys)
}

fn narrow_sorts(gpu: &Context, _: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let keys: Vec<u16> = keys.iter().map(|&key| key as u16).collect();
    Ok(gpu.sort(&keys)? == reference::sorted(&keys))
}

fn argsorts(gpu: &Context, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let methods = [SortMethod::Auto, SortMethod::OneSweep];
    let how = Sort::ascending().bits(0..16).method(pick(rng, &methods));
    Ok(gpu.argsort_with(keys, &how)? == reference::order_by(keys.len(), |i| keys[i] as u16))
}

/// Ascending offsets of segments, including the end of the last one.
fn offsets(rng: &mut Rng, n: usize, segments: u64) -> Vec<u32> {
    let mut ends: Vec<u32> = (1..segments).map(|_| rng.below(n as u64 + 1) as u32).collect();
    ends.extend([0, n as u32]);
    ends.sort_unstable();
    ends
}

fn segment_sorts(gpu: &Context, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let segments = 1 + rng.below(40);
    let offsets = offsets(rng, keys.len(), segments);
    let sorted = gpu.sort_with(keys, &Sort::ascending().segments(&offsets))?;
    Ok(sorted == reference::sorted_segments(keys, &offsets))
}

fn scans(gpu: &Context, _: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    Ok(gpu.scan(keys)? == reference::exclusive_scan(keys))
}

fn wide_scans(gpu: &Context, _: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let values: Vec<u64> = keys.iter().map(|&key| u64::from(key) << 7).collect();
    let found = gpu.scan_with(&values, &Scan::inclusive(Operator::Sum))?;
    Ok(found == terms::scan(Operator::Sum, true, &values))
}

/// Keys in at most 30 runs of equal keys.
fn runs(rng: &mut Rng, n: usize) -> Vec<u32> {
    let cuts = 1 + rng.below(30);
    let offsets = offsets(rng, n, cuts);
    let mut keys = vec![0; n];
    for (run, ends) in offsets.windows(2).enumerate() {
        keys[ends[0] as usize..ends[1] as usize].fill(run as u32 * 7);
    }
    keys
}

fn sum(elements: &[u32]) -> u32 {
    terms::reduce(Operator::Sum, elements)
}

/// The key of each run, and the sum of its values.
fn sums_of_runs(keys: &[u32], values: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let segments = terms::segments(values, &terms::heads(keys));
    (reference::runs(keys).0, segments.into_iter().map(sum).collect())
}

fn scans_by_key(gpu: &Context, rng: &mut Rng, values: &[u32]) -> multisplit::Result<bool> {
    let keys = runs(rng, values.len());
    let expected = terms::scan_segments(Operator::Sum, true, values, &terms::heads(&keys));
    Ok(gpu.scan_by_key(&keys, values, &Scan::inclusive(Operator::Sum))? == expected)
}

fn reductions_by_key(gpu: &Context, rng: &mut Rng, values: &[u32]) -> multisplit::Result<bool> {
    let keys = runs(rng, values.len());
    let reduced = gpu.reduce_by_key(&keys, values, Operator::Sum)?;
    Ok(reduced == sums_of_runs(&keys, values))
}

fn segment_reductions(gpu: &Context, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let segments = 1 + rng.below(40);
    let offsets = offsets(rng, keys.len(), segments);
    let expected: Vec<u32> = reference::segments(keys, &offsets).map(sum).collect();
    Ok(gpu.reduce_segments(keys, &offsets, Operator::Sum)? == expected)
}

fn row_reductions(gpu: &Context, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let length = keys.len() / (1 + rng.below(3) as usize);
    let keys = &keys[..keys.len() / length * length];
    let expected: Vec<u32> = keys.chunks(length).map(sum).collect();
    Ok(gpu.reduce_rows(keys, length as u64, Operator::Sum)? == expected)
}

fn selections(gpu: &Context, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let limit = number(rng).max(2);
    let (chosen, others) = gpu.partition(keys, &Select::less_than(limit))?;
    let expected: (Vec<u32>, Vec<u32>) = keys.iter().partition(|&&key| key < limit);
    Ok((chosen, others) == expected)
}

fn uniques(gpu: &Context, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let keys = runs(rng, keys.len());
    let mut expected = keys.clone();
    expected.dedup();
    Ok(gpu.unique(&keys)? == expected)
}

fn run_lengths(gpu: &Context, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let keys = runs(rng, keys.len());
    Ok(gpu.run_lengths(&keys)? == sums_of_runs(&keys, &vec![1; keys.len()]))
}

fn splits(gpu: &Context, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let m = 1 + rng.below(600);
    let methods = [Method::Auto, Method::Direct, Method::Warp, Method::Block, Method::OneSweep];
    let buckets = Buckets::<u32>::delta_over_domain(m as u32).method(pick(rng, &methods));
    let split = gpu.split(keys, buckets)?;
    let width = (1u64 << 32).div_ceil(m);
    let mut expected = keys.to_vec();
    expected.sort_by_key(|&key| (u64::from(key) / width).min(m - 1));
    Ok(split.keys == expected)
}

fn histograms(gpu: &Context, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let m = 1 + rng.below(3_000);
    let edges: Vec<u32> = (0..=m).map(|k| (k * u64::from(u32::MAX) / m) as u32).collect();
    let counted = gpu.histogram(keys, Bins::range(&edges))?;
    let mut expected = vec![0; m as usize];
    for &key in keys.iter().filter(|&&key| key < u32::MAX) {
        expected[edges.partition_point(|&edge| edge <= key) - 1] += 1;
    }
    Ok(counted.counts == expected)
}

fn smallest_elements(gpu: &Context, rng: &mut Rng, keys: &[u32]) -> multisplit::Result<bool> {
    let k = 1 + rng.below((keys.len() as u64).min(300));
    let found = gpu.topk(keys, &TopK::smallest(k))?;
    let mut expected = reference::order_by(keys.len(), |i| keys[i]);
    expected.truncate(k as usize);
    Ok(found.indices == expected)
}

/// Number of correct results, and number of errors.
#[derive(Clone, Copy, Default)]
pub struct Outcomes {
    pub right: u64,
    pub refused: u64,
}

impl Outcomes {
    /// Counts an outcome. Fails if the result is wrong, or if the error comes from the driver.
    pub fn add(&mut self, outcome: multisplit::Result<bool>) -> Result<()> {
        match outcome {
            Ok(true) => self.right += 1,
            Ok(false) => bail!("wrong result"),
            Err(error @ (Error::Vulkan { .. } | Error::Pipeline { .. })) => {
                return Err(error.into());
            }
            Err(error) => {
                ensure!(!error.to_string().is_empty(), "the error has no message");
                self.refused += 1;
            }
        }
        Ok(())
    }
}

/// One or two fields or device limits of the policy get arbitrary values. Arrays have up to 9,000
/// elements. A full run tries 2,000 policies.
fn random_policies_give_correct_results_or_errors(gpu: &Gpu) -> Result<()> {
    let device = gpu.policy();
    let mut outcomes = Outcomes::default();
    for seed in 0..if gpu.full { 2_000 } else { 8 } {
        let mut rng = Rng::new(seed * 7919 + u64::from(device.facts.subgroup_size));
        let n = 1 + rng.below(9_000);
        let mut policy = device;
        let mut draw = Draw { rng: &mut rng, anything: true, n };
        let mut edits = (0..=draw.rng.below(2)).map(|_| edit(&mut policy, &mut draw));
        let is_read = edits.all(|edited| edited.is_ok());
        if gpu.full && !gpu.mine() {
            continue;
        }
        if !is_read {
            outcomes.refused += 1;
            continue;
        }
        let keys = uniform(n as usize, rng.next_u64());
        let (name, run) = pick(&mut rng, &OPERATIONS);
        let got = run(&*gpu.with_policy(policy)?, &mut rng, &keys);
        let case = || format!("seed {seed}, {name} of {n} with {policy:?}");
        outcomes.add(got).with_context(case)?;
    }
    let Outcomes { right, refused } = outcomes;
    let is_mixed = right > 0 && refused > 0;
    ensure!(
        is_mixed,
        "{right} correct results and {refused} errors; expected at least one of each"
    );
    Ok(())
}

/// Several fields or device limits of the policy get values that are allowed. Arrays have 3,000,000
/// elements. A full run tries 12 policies for each operation; a plain run takes its sample from one
/// for each of the nine fastest operations.
fn random_policies_give_correct_results_for_large_arrays(gpu: &Gpu) -> Result<()> {
    let device = gpu.policy();
    let keys = uniform(LARGE as usize, 3);
    let mut outcomes = Outcomes::default();
    let (policies, operations) = if gpu.full { (12, OPERATIONS.len()) } else { (1, 9) };
    for round in 0..policies {
        let all = OPERATIONS.iter().take(operations).enumerate();
        for (index, (name, run)) in all.filter(|_| gpu.mine()) {
            let seed = (round * OPERATIONS.len() + index) as u64;
            let mut rng = Rng::new(seed * 6271 + u64::from(device.facts.subgroup_size));
            let mut policy = device;
            let mut draw = Draw { rng: &mut rng, anything: false, n: LARGE };
            let edits: &[u32] = if gpu.full { &[2, 10, 80] } else { &[2, 10] };
            for _ in 0..pick(draw.rng, edits) {
                edit(&mut policy, &mut draw).map_err(anyhow::Error::msg)?;
            }
            let begin = Instant::now();
            let got = run(&*gpu.with_policy(policy)?, &mut rng, &keys);
            outcomes.add(got).with_context(|| format!("seed {seed}, {name} with {policy:?}"))?;
            if gpu.full {
                let Outcomes { right, refused } = outcomes;
                let seconds = begin.elapsed().as_secs_f32();
                eprintln!(
                    "{name}, seed {seed}: {seconds:.1} s; {right} correct results, {refused} errors"
                );
            }
        }
    }
    let Outcomes { right, refused } = outcomes;
    ensure!(
        right > refused,
        "{right} correct results and {refused} errors; expected fewer errors than results"
    );
    Ok(())
}

/// Runs look-back with several spin limits, with and without tickets. A software driver silently
/// ends loops after 65,535 iterations, so look-back must not rely on longer loops.
fn look_back_works_within_the_driver_loop_limit(gpu: &Gpu) -> Result<()> {
    const LOOKING_BACK: [Operation; 7] =
        [selections, scans, wide_scans, scans_by_key, reductions_by_key, uniques, run_lengths];
    let ones = vec![1u32; LARGE as usize];
    for (tickets, spin_limit, operations) in [
        (false, 256, &LOOKING_BACK[..]),
        (false, 32, &LOOKING_BACK[..1]),
        (true, 1 << 22, &LOOKING_BACK[1..2]),
    ] {
        let policy = Policy { tickets, spin_limit, ..gpu.policy() };
        let context = gpu.with_policy(policy)?;
        for (index, run) in operations.iter().enumerate().filter(|_| gpu.mine()) {
            gpu.run_or_refuse(|| {
                let case = || format!("operation {index}, tickets {tickets}, {spin_limit} polls");
                ensure!(run(&context, &mut Rng::new(1), &ones)?, "{}: wrong result", case());
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// Makes calls with arbitrary options and counts. A full run makes 2,000 calls.
fn random_call_options_give_correct_results_or_errors(gpu: &Gpu) -> Result<()> {
    for seed in 0..if gpu.full { 2_000 } else { 48 } {
        let mut rng = Rng::new(seed * 104_729 + 3);
        let n = rng.below(700);
        let keys: Vec<u32> = (0..n).map(|_| rng.below(1 << 32) as u32).collect();
        if !gpu.mine() {
            continue;
        }
        let outcome = match rng.below(4) {
            0 => {
                let (start, end) = (number(&mut rng) % 40, number(&mut rng) % 40);
                let how = Sort::descending().bits(start..end);
                gpu.sort_with(&keys, &how).map(|sorted| {
                    let mask = |key: u32| (u64::from(key) >> start) & ((1 << (end - start)) - 1);
                    let mut expected = keys.clone();
                    expected.sort_by_key(|&key| std::cmp::Reverse(mask(key)));
                    sorted == expected
                })
            }
            1 => {
                let offsets: Vec<u32> =
                    (0..rng.below(5)).map(|_| rng.below(n + 2) as u32).collect();
                gpu.sort_with(&keys, &Sort::ascending().segments(&offsets))
                    .map(|sorted| sorted == reference::sorted_segments(&keys, &offsets))
            }
            2 => {
                let (width, m) = (u64::from(number(&mut rng)), number(&mut rng) % 5_000);
                let buckets = Buckets::delta(number(&mut rng), width, m);
                gpu.split(&keys, buckets).map(|split| {
                    split.keys.len() == keys.len() && split.offsets.last() == Some(&(n as u32))
                })
            }
            _ => {
                let (start, end) = (number(&mut rng), number(&mut rng));
                let m = number(&mut rng) % 5_000;
                gpu.histogram(&keys, Bins::even(start..end, m)).map(|counted| {
                    let inside = keys.iter().filter(|key| (start..end).contains(key)).count();
                    counted.counts.iter().sum::<u64>() == inside as u64
                })
            }
        };
        Outcomes::default().add(outcome).with_context(|| format!("seed {seed}"))?;
    }
    gpu.wait_idle().context("the device no longer works")
}
