//! Simulates devices that deviate from Vulkan or from the properties that they report. The device
//! probe must name the fault. Without the probe, at least one operation must give a wrong result,
//! which shows that the probe is needed.

use crate::common::case::{Case, check, run};
use crate::common::moves::{Function, Payload, SortCase, SplitCase};
use crate::common::others::{HistogramCase, device_probe_case};
use crate::common::primitives::Device;
use crate::common::setup::Parameters as _;
use crate::common::terms::{How, TermCase, sum_scan};
use crate::common::topk::TopKCase;
use anyhow::{Context as _, Result, ensure};
use multisplit::operations::histogram::HistogramMethod;
use multisplit::operations::sort::SortMethod;
use multisplit::operations::split::Method;
use multisplit::operations::topk::TopKMethod;
use multisplit::{KeyType, Operator};
use multisplit_machine::{Faults, Options, PlanOptions, Schedule};

/// A faulty device.
struct Faulty {
    name: &'static str,
    /// Subgroup width that the driver reports.
    reported: u32,
    /// Actual subgroup width.
    width: u32,
    faults: Faults,
    /// Text that the probe's message must contain.
    expected: &'static str,
}

fn faulty_devices() -> Vec<Faulty> {
    let none = Faults::default();
    let mut all = Vec::new();
    for (name, reported, width, expected) in [
        ("64 lanes reported, 32 run", 64, 32, "run 32 lanes, but the driver reports 64"),
        ("32 lanes reported, 8 run", 32, 8, "run 8 lanes, but the driver reports 32"),
        ("32 lanes reported, 16 run", 32, 16, "run 16 lanes, but the driver reports 32"),
    ] {
        all.push(Faulty { name, reported, width, faults: none, expected });
        // A second variant, in which `gl_SubgroupSize` has the reported value as well.
        let faults = Faults { subgroup_size: Some(reported), ..none };
        all.push(Faulty { name, reported, width, faults, expected });
    }
    for (name, faults, expected) in [
        (
            "wrong subgroup arithmetic",
            Faults { halved_arithmetic: true, ..none },
            "subgroup sums, minima, maxima, ands or ors differ",
        ),
        (
            "lost shared atomics",
            Faults { lost_atomics: true, ..none },
            "atomics on one word of shared memory",
        ),
    ] {
        all.push(Faulty { name, reported: 32, width: 32, faults, expected });
    }
    // The simulated lanes of a subgroup run in lockstep, so a missing barrier has an effect only in
    // workgroups of several subgroups.
    all.push(Faulty {
        name: "no barriers in workgroups of up to 32 threads",
        reported: 8,
        width: 8,
        faults: Faults { ignored_barriers_up_to: 32, ..none },
        expected: "before barrier() are not visible",
    });
    all
}

/// Operations, with their names.
fn operations(device: Device) -> Result<Vec<(&'static str, Case)>> {
    let n = 1501;
    let threads = device.threads();
    let reduce = TermCase { how: How::Reduce, n, ..TermCase::new(KeyType::U32, Operator::Sum) };
    let sort =
        |method| SortCase { n, ..SortCase::new(method, KeyType::U32, Payload::Words(1), threads) };
    let split =
        |method| SplitCase { n, ..SplitCase::new(method, KeyType::U32, Function::Delta, 13) };
    let histogram =
        HistogramCase { n, bins: 7, ..HistogramCase::new(KeyType::U32, HistogramMethod::Shared) };
    let topk =
        TopKCase { rows: 3, length: 701, k: 33, ..TopKCase::new(KeyType::U32, TopKMethod::Rows) };
    let small =
        TermCase { subgroups: Some((32 / device.width).max(1)), ..sum_scan(false, false, n) };
    Ok(vec![
        ("scan", sum_scan(false, false, n).case(device)?),
        ("scan, small workgroups", small.case(device)?),
        ("reduction", reduce.case(device)?),
        ("sort", sort(SortMethod::OneSweep).case(device)?),
        ("split, direct", split(Method::Direct).case(device)?),
        ("split, warp", split(Method::Warp).case(device)?),
        ("split, block", split(Method::Block).case(device)?),
        ("histogram", histogram.case(device)?),
        ("top-k", topk.case(device)?),
    ])
}

/// Maximum number of instructions of a run. A faulty device may loop forever.
const BUDGET: u64 = 10_000_000;

/// Describes the first wrong word of a result, if any. Findings alone do not make a result wrong.
fn wrong_result(case: &Case, options: &Options) -> Result<Option<String>> {
    let outcome = run(case, options, PlanOptions::default(), &[])?;
    let is_wrong = |line: &&str| line.contains(", expected 0x") || line.starts_with("its ");
    Ok(outcome.problem.and_then(|text| text.lines().find(is_wrong).map(str::to_owned)))
}

#[test]
fn probe_names_each_fault_that_makes_results_wrong() -> Result<()> {
    for Faulty { name, reported, width, faults, expected } in faulty_devices() {
        let device = Device { width: reported, lane_order: false };
        for schedule in [Schedule::InOrder, Schedule::Random] {
            let options = Options { schedule, faults, budget: BUDGET, ..Options::new(width) };
            let probe = run(&device_probe_case(device)?, &options, PlanOptions::default(), &[])?;
            let problem = probe.problem.unwrap_or_default();
            ensure!(
                problem.contains(expected),
                "{name}, {schedule:?}: expected the probe to report {expected:?}, found {problem:?}"
            );
        }
        let options =
            Options { schedule: Schedule::Random, faults, budget: BUDGET, ..Options::new(width) };
        let mut wrong = Vec::new();
        for (operation, case) in operations(device)? {
            if wrong_result(&case, &options)?.is_some() {
                wrong.push(operation);
            }
        }
        println!("{name}, gl_SubgroupSize {:?}: wrong: {}", faults.subgroup_size, wrong.join("; "));
        ensure!(!wrong.is_empty(), "{name}: expected at least one operation with a wrong result");
    }
    Ok(())
}

/// Control: without faults, the probe passes and all results are right.
#[test]
fn probe_passes_and_operations_are_right_without_faults() -> Result<()> {
    for width in [8, 32, 64] {
        let device = Device { width, lane_order: false };
        let options = Options { schedule: Schedule::Random, ..Options::new(width) };
        let probe = [("probe", device_probe_case(device)?)];
        for (operation, case) in operations(device)?.into_iter().chain(probe) {
            check(&case, &options).with_context(|| format!("{operation} at width {width}"))?;
        }
    }
    Ok(())
}
