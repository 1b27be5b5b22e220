//! Other ways to run plans: buffers by address, repeated submissions, a missing barrier, and
//! devices whose subgroup barriers act as workgroup barriers.

use std::collections::BTreeSet;

use crate::common::all::kernels;
use crate::common::case::{Case, run};
use crate::common::moves::{Function, SplitCase};
use crate::common::networks::Kind;
use crate::common::others::barrier_probe_case;
use crate::common::primitives::Device;
use crate::common::sampling::{Seen, Size, sample};
use crate::common::search_list::search;
use crate::common::searches::SsspCase;
use crate::common::setup::Parameters as _;
use crate::common::terms::sum_scan;
use crate::common::topk::TopKCase;
use anyhow::{Context as _, Result, ensure};
use multisplit::KeyType;
use multisplit::operations::split::Method;
use multisplit::operations::topk::TopKMethod;
use multisplit::shaders::address::by_address;
use multisplit::shaders::compile::{Source, compile};
use multisplit::shaders::{Kernel, builtin};
use multisplit_machine::{Machine, Options, PlanOptions, Schedule, SubgroupBarriers};
use multisplit_sssp as sssp;

const DEVICE: Device = Device { width: 32, lane_order: false };

fn options() -> Options {
    Options { schedule: Schedule::Random, ..Options::new(DEVICE.width) }
}

/// Whether every kernel of a case can access buffers by address. Some kernels of shortest-path
/// searches cannot, because they query the length of a buffer.
fn takes_addresses(case: &Case) -> bool {
    let kernels = case.plan.steps().iter().filter_map(|step| step.pass.kernel.as_ref()?.kernel());
    kernels.into_iter().all(|kernel| by_address(kernel.spirv(), kernel.interface()).is_ok())
}

#[test]
fn kernels_by_address_give_the_same_results() -> Result<()> {
    let by_address = PlanOptions { by_address: true, ..PlanOptions::default() };
    let mut cases = sample(DEVICE, &mut Seen::default(), 5, Size { each: 1, one_in: 1, count: 0 })?;
    cases.retain(takes_addresses);
    let mut executed = BTreeSet::new();
    for case in cases {
        executed.extend(kernels(&case));
        let outcome = run(&case, &options(), by_address, &[])?;
        ensure!(outcome.problem.is_none(), "{}: {:?}", case.name, outcome.problem);
    }
    ensure!(
        executed.iter().any(|label| label.ends_with(".user")),
        "no case runs a kernel with user GLSL"
    );
    let built_in = builtin::ALL.iter().map(|b| b.label()).filter(|b| !b.starts_with("sssp."));
    let missing: Vec<_> = built_in.filter(|label| !executed.contains(*label)).collect();
    ensure!(missing.is_empty(), "no case runs these kernels by address: {missing:?}");
    Ok(())
}

#[test]
fn shortest_path_search_can_be_submitted_twice() -> Result<()> {
    let search = search(sssp::Method::Multisplit, Kind::Random);
    let of = SsspCase { vertices: 120, rounds: 60, ..search };
    let again = PlanOptions { runs: 2, ..PlanOptions::default() };
    let outcome = run(&of.case(DEVICE)?, &options(), again, &[])?;
    ensure!(outcome.problem.is_none(), "submitted twice: {:?}", outcome.problem);
    Ok(())
}

/// If any single barrier of the plan is removed, the machine reports a data race.
#[test]
fn removing_any_barrier_of_a_scan_is_detected() -> Result<()> {
    for look_back in [false, true] {
        // Use a device count for look-back. With a host count, the scan would be a single pass
        // without barriers.
        let whole = sum_scan(look_back, look_back, 9000).case(DEVICE)?;
        let barriers: Vec<usize> = whole.plan.barriers().map(|(step, _)| step).collect();
        ensure!(!barriers.is_empty(), "expected a scan with barriers");
        for step in barriers {
            let broken = Case { plan: whole.plan.without_barrier(step), ..whole.clone() };
            let outcome = run(&broken, &options(), PlanOptions::default(), &[])?;
            let problem = outcome.problem.unwrap_or_default();
            ensure!(
                problem.contains("data race"),
                "without barrier {step}: expected a data race, found {problem:?}"
            );
        }
    }
    Ok(())
}

/// Options for llvmpipe of Mesa 25, with or without the engine's workaround.
fn mesa_25(width: u32, replaced: bool) -> Options {
    let subgroup_barriers = SubgroupBarriers::OfWorkgroup { replaced };
    Options { schedule: Schedule::Random, subgroup_barriers, ..Options::new(width) }
}

/// Cases in which the subgroups of a workgroup execute different numbers of subgroup barriers.
fn uneven_cases(device: Device) -> Result<Vec<Case>> {
    let split = SplitCase::new(Method::Warp, KeyType::U32, Function::Delta, 9);
    let rows = TopKCase::new(KeyType::U32, TopKMethod::Rows);
    let select = TopKCase::new(KeyType::U32, TopKMethod::Select);
    Ok(vec![
        SplitCase { n: 5003, ..split }.case(device)?,
        TopKCase { rows: 3, length: 701, k: 33, ..rows }.case(device)?,
        TopKCase { length: 3000, k: 33, ..select }.case(device)?,
        search(sssp::Method::BellmanFord, Kind::Random).case(device)?,
        search(sssp::Method::Multisplit, Kind::Random).case(device)?,
    ])
}

/// Control test: without the engine's workaround, kernels fail on a device whose subgroup barriers
/// act as workgroup barriers.
#[test]
fn kernels_fail_if_subgroup_barriers_act_as_workgroup_barriers() -> Result<()> {
    let device = Device { width: 8, lane_order: false };
    for case in uneven_cases(device)? {
        let problem = |options: Options| -> Result<Option<String>> {
            let options = Options { budget: 100_000_000, ..options };
            Ok(run(&case, &options, PlanOptions::default(), &[])?.problem)
        };
        let replaced = problem(mesa_25(device.width, true))?;
        ensure!(replaced.is_none(), "{}: {replaced:?}", case.name);
        let written = Options { first_only: true, ..mesa_25(device.width, false) };
        ensure!(
            problem(written)?.is_some(),
            "{}: expected a problem without the workaround",
            case.name
        );
    }
    Ok(())
}

/// The page that describes Mesa 25's barriers, with a minimal kernel in which all subgroups but
/// the first pass barrier() too early if subgroupBarrier() counts as barrier().
const DOCUMENTATION: &str = include_str!("../../../../docs/testing.md");

#[test]
fn minimal_kernel_reproduces_the_barriers_of_mesa_25() -> Result<()> {
    let (_, section) = DOCUMENTATION
        .split_once("The minimal kernel")
        .context("the documentation has no section about these barriers")?;
    let glsl = section.split("```glsl\n").nth(1).and_then(|rest| rest.split("```").next());
    let glsl = glsl.context("the section contains no kernel")?;
    let kernel = Kernel::new("test.minimal", compile(&Source::new("minimal.comp", glsl))?)?;
    let run = |options: Options| -> Result<(bool, Vec<u32>)> {
        let mut machine = Machine::new(options);
        let dst = machine.buffer("dst", 32 * 4);
        machine.dispatch(&kernel, &[("dst", dst)], [1, 1, 1])?;
        Ok((machine.findings.is_empty(), machine.download(dst).to_vec()))
    };
    let kept = Options { schedule: Schedule::Random, ..Options::new(8) };
    for (name, options) in [("intact barriers", kept), ("the workaround", mesa_25(8, true))] {
        let found = run(options)?;
        ensure!(found == (true, vec![1; 32]), "with {name}, expected only ones: {found:?}");
    }
    let (clean, words) = run(mesa_25(8, false))?;
    // The first subgroup writes and reads 1. The others pass barrier() too early and read 0.
    ensure!(
        !clean && words[..8] == [1; 8] && words[8..] == [0; 24],
        "expected findings, and 8 ones before 24 zeros: {words:?}"
    );
    Ok(())
}

/// On a device whose subgroup barriers act as workgroup barriers, the engine's probe of subgroup
/// barriers fails, and its lockstep probe passes.
#[test]
fn probe_detects_subgroup_barriers_that_act_as_workgroup_barriers() -> Result<()> {
    for width in [4, 8, 16, 64] {
        let device = Device { width, lane_order: false };
        let wrong = |lockstep, options: Options| -> Result<Option<String>> {
            let case = barrier_probe_case(device, lockstep)?;
            Ok(run(&case, &options, PlanOptions::default(), &[])?.problem)
        };
        let kept = Options { schedule: Schedule::Random, ..Options::new(width) };
        ensure!(
            wrong(false, kept)?.is_none(),
            "width {width}, intact barriers: {:?}",
            wrong(false, kept)?
        );
        ensure!(wrong(false, mesa_25(width, false))?.is_some_and(|what| what.contains("failures")));
        let lockstep = wrong(true, mesa_25(width, false))?;
        ensure!(lockstep.is_none(), "width {width}, lockstep probe: {lockstep:?}");
        // Without lockstep, accesses of different lanes are not ordered.
        ensure!(
            wrong(true, kept)?.is_some_and(|what| what.contains("data race")),
            "width {width}: expected a data race of the lockstep probe"
        );
    }
    Ok(())
}
