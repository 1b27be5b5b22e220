//! Tests of the canary. Ranking by lane order relies on shared-memory atomics that take effect in
//! the order of the lanes of a subgroup, which Vulkan does not guarantee. Therefore sorts and
//! splits that rank this way verify some of their tiles (canaries). If a tile violates the order,
//! one-call functions repeat the operation by ballots, and all other calls return a typed error.

use multisplit::operations::split::{Method, Ranking};
use multisplit_tests::harness::WithPolicy;
use multisplit_tests::prelude::*;

use crate::probe::probe_file;

tests!(canary:
    verification_accepts_a_device_that_keeps_lane_order,
    reversed_lane_order_is_detected_in_every_sort, one_call_sorts_recover_from_reversed_lanes,
    one_call_splits_recover_from_reversed_lanes,
    small_and_segmented_sorts_recover_from_reversed_lanes,
    recorded_work_returns_a_lane_order_error, work_without_wait_returns_a_lane_order_error,
    embedded_runs_return_a_lane_order_error, ranking_by_ballots_is_not_verified,
    lane_order_violation_is_stored_on_disk,
);

/// A policy that ranks keys by lane order and sorts in one sweep. (Sorts by rounds of direct
/// multisplits do not rank by lane order.) On a software driver, small tiles compile quickly.
fn by_lane_order(context: &Context) -> Result<Policy> {
    let mut policy = context.probed_policy(11)?;
    ensure!(policy.split.ranking == Ranking::LaneOrder, "the device does not keep lane order");
    policy.sort.auto = SortMethod::OneSweep;
    policy.split.canary_period = 256;
    if context.properties().device_type == vk::PhysicalDeviceType::CPU {
        policy.sort = policy.sort.with_shape(TileShape::new(128, 4));
        policy.sort.small = TileShape::new(128, 4);
    }
    Ok(policy)
}

/// A context whose kernels rank keys as if lanes executed in reverse order.
fn reversed(gpu: &Gpu) -> Result<WithPolicy<'_>> {
    let mut policy = by_lane_order(gpu)?;
    policy.split.ranking = Ranking::ReversedLanes;
    gpu.with_policy(policy)
}

/// Checks that the context no longer relies on lane order and ranks by ballots.
fn expect_switch_to_ballots(context: &Context) -> Result<()> {
    ensure!(!context.keeps_lane_order());
    ensure!(context.policy().split.ranking == Ranking::Ballots);
    Ok(())
}

/// With a canary period of 1, every tile is verified.
fn verification_accepts_a_device_that_keeps_lane_order(gpu: &Gpu) -> Result<()> {
    let mut policy = by_lane_order(gpu)?;
    policy.split.canary_period = 1;
    let context = gpu.with_policy(policy)?;
    for n in gpu.cases([1, 2, 2047, 2049, 70_001]) {
        let keys = uniform(n, n as u64);
        ensure!(context.sort(&keys)? == reference::sorted(&keys), "wrong result for n = {n}");
        context.split(&keys, Buckets::delta_over_domain(200).method(Method::Block))?;
    }
    ensure!(context.keeps_lane_order());
    Ok(())
}

/// Each sort has different keys. The canary period is the default, so only some of the tiles are
/// verified.
fn reversed_lane_order_is_detected_in_every_sort(gpu: &Gpu) -> Result<()> {
    let is_short = gpu.is_software() && !gpu.full;
    let (sorts, n) = if is_short { (5, 1 << 14) } else { (100, 1 << 20) };
    for seed in 0..sorts {
        let context = reversed(gpu)?;
        let keys = uniform(n, 77 + seed);
        let mut graph = Graph::new("canary");
        let import = graph.import::<u32>("keys", n as u64);
        sort(&mut graph, &context.policy(), &Sort::ascending(), &SortBuffers::keys(import))?;
        let executable = context.instantiate(graph.compile(&context.limits())?)?;
        ensure!(executable.relies_on_lane_order());
        let array = context.upload(&keys)?;
        let outcome = context.run(&executable, &[(import, &array)]);
        let case = format!("sort {seed} of {sorts}");
        expect_error!(outcome, LaneOrder { plan } if plan == "canary", "{case}");
        expect_switch_to_ballots(&context)?;
    }
    Ok(())
}

fn one_call_sorts_recover_from_reversed_lanes(gpu: &Gpu) -> Result<()> {
    let n = 30_011;
    // Few distinct keys: only equal keys reveal an unstable sort.
    let keys: Vec<u32> = uniform(n, 5).iter().map(|key| key % 500).collect();
    let order = reference::order_by(n, |i| keys[i]);
    let values: Vec<u32> = (0..n as u32).map(|i| i ^ 0x5555).collect();
    let input = (keys.clone(), values.clone());
    let expected = (reference::pick(&keys, &order), reference::pick(&values, &order));
    let of_arrays = |gpu: &Context| -> Result<bool> {
        let (array, taken) = (gpu.upload(&keys)?, gpu.upload(&values)?);
        let (by, payload) = gpu.sort_pairs(&array, &taken)?;
        let found = (gpu.download(&by)?, gpu.download(&payload)?);
        Ok(found == expected && (gpu.download(&array)?, gpu.download(&taken)?) == input)
    };
    let in_place = |gpu: &Context| -> Result<bool> {
        let mut array = gpu.upload(&keys)?;
        gpu.sort_in_place(&mut array, &Sort::ascending())?;
        Ok(gpu.download(&array)? == expected.0)
    };
    type Call<'c> = &'c dyn Fn(&Context) -> Result<bool>;
    let calls: [(&str, Call<'_>); 5] = [
        ("sort", &|gpu| Ok(gpu.sort(&keys)? == expected.0)),
        ("sort_pairs", &|gpu| Ok(gpu.sort_pairs(&keys, &values)? == expected)),
        ("argsort", &|gpu| Ok(gpu.argsort(&keys)? == order)),
        ("sort_pairs of device arrays", &of_arrays),
        ("sort_in_place", &in_place),
    ];
    for (name, call) in calls.iter().filter(|_| gpu.mine()) {
        let context = reversed(gpu)?;
        ensure!(call(&context).context(*name)?, "{name}: wrong result");
        expect_switch_to_ballots(&context).context(*name)?;
        // The context now ranks by ballots, so calls are not repeated.
        ensure!(call(&context)?, "{name}: wrong result when ranking by ballots");
    }
    expect_ballots_for_in_place_bit_ranges(gpu)
}

/// An in-place sort by some of the bits overwrites its input, so it cannot be repeated. Such sorts
/// never rank by lane order.
fn expect_ballots_for_in_place_bit_ranges(gpu: &Gpu) -> Result<()> {
    let context = reversed(gpu)?;
    let keys = uniform(20_000, 9);
    let mut expected = keys.clone();
    expected.sort_by_key(|key| key & 0xFF);
    let mut array = context.upload(&keys)?;
    context.sort_in_place(&mut array, &Sort::ascending().bits(0..8))?;
    ensure!(context.download(&array)? == expected);
    ensure!(context.keeps_lane_order(), "the sort ranked by lane order");
    Ok(())
}

fn one_call_splits_recover_from_reversed_lanes(gpu: &Gpu) -> Result<()> {
    let n = 30_011;
    // Only eight buckets, so that lanes of the same subgroup often share a bucket, even if a
    // subgroup has only four lanes.
    let keys: Vec<u32> = uniform(n, 15).iter().map(|key| key & 0x07FF_FFFF).collect();
    let values: Vec<u32> = (0..n as u32).collect();
    let order = reference::order_by(n, |i| keys[i] >> 24);
    let expected = reference::pick(&keys, &order);
    let buckets = |method| Buckets::<u32>::digit(24..32).method(method);
    if gpu.mine() {
        let context = reversed(gpu)?;
        let split = context.split_pairs(&keys, &values, buckets(Method::Block))?;
        ensure!(split.keys == expected && split.values == order, "the split of pairs is wrong");
        expect_switch_to_ballots(&context)?;
    }
    if gpu.mine() {
        let context = reversed(gpu)?;
        let split = context.split_permutation(&keys, buckets(Method::OneSweep))?;
        expect_equal(&split.permutation, &reference::places(&order))?;
        expect_switch_to_ballots(&context)?;
    }
    Ok(())
}

fn small_and_segmented_sorts_recover_from_reversed_lanes(gpu: &Gpu) -> Result<()> {
    let keys: Vec<u32> = uniform(900, 3).iter().map(|key| key & 0x0F0F).collect();
    let context = reversed(gpu)?;
    let order = context.argsort(&keys)?;
    expect_equal(&order, &reference::order_by(keys.len(), |i| keys[i]))?;
    expect_switch_to_ballots(&context)?;

    let context = reversed(gpu)?;
    // Keys are ranked by lane order only in segments larger than a tile.
    let keys: Vec<u32> = uniform(6000, 3).iter().map(|key| key & 0x0F0F).collect();
    let sorted = context.sort_with(&keys, &Sort::ascending().segments(&[0, 300, 6000]))?;
    expect_equal(&sorted, &reference::sorted_segments(&keys, &[0, 300, 6000]))?;
    expect_switch_to_ballots(&context)
}

fn recorded_work_returns_a_lane_order_error(gpu: &Gpu) -> Result<()> {
    let context = reversed(gpu)?;
    let keys = uniform(30_000, 21);
    let array = context.upload(&keys)?;
    let mut work = context.work("frame");
    work.sort(&array, &Sort::ascending())?;
    let mut frame = work.record()?;
    frame.submit()?;
    expect_errors! {
        frame.wait() => LaneOrder { plan } if plan == "frame",
        frame.submit() => LaneOrder { .. },
    }
    expect_switch_to_ballots(&context)?;
    // Work that is declared after the violation ranks by ballots.
    context.write(&array, 0, &keys)?;
    let mut work = context.work("again");
    work.sort(&array, &Sort::ascending())?;
    run_once(work)?;
    ensure!(context.download(&array)? == reference::sorted(&keys));
    Ok(())
}

/// If the caller does not wait for work, the next call that reads or uses its result returns the
/// error.
fn work_without_wait_returns_a_lane_order_error(gpu: &Gpu) -> Result<()> {
    let keys = uniform(30_000, 22);
    let is_reported = |outcome: Result<(), Error>| -> Result<()> {
        expect_errors! { outcome => LaneOrder { plan } if plan == "frame" }
        Ok(())
    };
    let submitted = |context: &Context| -> Result<_> {
        let array = context.upload(&keys)?;
        let mut work = context.work("frame");
        work.sort(&array, &Sort::ascending())?;
        let mut frame = work.record()?;
        frame.submit()?;
        Ok((array, frame))
    };
    let context = reversed(gpu)?;
    let (array, _frame) = submitted(&context)?;
    is_reported(context.download(&array).map(drop))?;
    // Only the first download returns the error. The contents are undefined.
    context.download(&array)?;

    let context = reversed(gpu)?;
    let (array, _frame) = submitted(&context)?;
    is_reported(context.scan(&array).map(drop))?;
    is_reported(context.scan(&array).map(drop))?;

    let context = reversed(gpu)?;
    let (array, _frame) = submitted(&context)?;
    let sums = context.zeroed::<u32>(keys.len() as u64)?;
    let mut work = context.work("sums");
    work.scan(&array, &sums, &Scan::default())?;
    let mut after = work.record()?;
    after.submit()?;
    is_reported(context.download(&sums).map(drop))?;
    is_reported(after.wait())
}

/// `Context::run` waits for the run and returns its error. Buffers are bound by descriptor or by
/// address.
fn embedded_runs_return_a_lane_order_error(gpu: &Gpu) -> Result<()> {
    for by_address in [false, true] {
        let context = reversed(gpu)?;
        if by_address && !context.features().buffer_device_address {
            continue;
        }
        let options = ExecutableOptions { by_address, ..ExecutableOptions::default() };
        let n = 20_000u64;
        let mut work = context.work("embedded");
        let import = work.import::<u32>("keys", n);
        work.sort(import, &Sort::ascending())?;
        let executable = work.executable(options)?;
        ensure!(executable.relies_on_lane_order() && context.keeps_lane_order());
        // Tiles report violations in a status word, which is not an import of the caller's plan.
        ensure!(executable.plan().imports().count() == 1);
        let array = context.upload(&uniform(n as usize, 4))?;
        let bound = [(import.buffer(), &array)];
        expect_errors! { context.run(&executable, &bound) => LaneOrder { .. } }
        ensure!(!context.keeps_lane_order());
    }
    Ok(())
}

fn ranking_by_ballots_is_not_verified(gpu: &Gpu) -> Result<()> {
    let mut graph = Graph::new("promised");
    let import = graph.import::<u32>("keys", 10_000);
    let mut policy = gpu.promised_policy();
    policy.sort.auto = SortMethod::OneSweep;
    sort(&mut graph, &policy, &Sort::ascending(), &SortBuffers::keys(import))?;
    let executable = gpu.instantiate(graph.compile(&gpu.limits())?)?;
    ensure!(!executable.relies_on_lane_order());
    Ok(())
}

/// The stored result lets later processes rank by ballots from the start.
fn lane_order_violation_is_stored_on_disk(gpu: &Gpu) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let cache = PipelineCache::Folder(folder.path().to_owned());
    let context = gpu.open_with(|config| config.pipeline_cache = cache)?;
    let mut policy = by_lane_order(&context)?;
    policy.split.ranking = Ranking::ReversedLanes;
    context.replace_policy(Some(policy))?;
    let keys: Vec<u32> = uniform(400, 8).iter().map(|key| key & 0xFF).collect();
    context.sort(&keys)?;
    expect_switch_to_ballots(&context)?;
    let text = std::fs::read_to_string(probe_file(folder.path(), "probe")?)?;
    ensure!(text.ends_with("lane order not kept\n"), "the stored result is: {text}");
    expect_no_messages(context)
}
