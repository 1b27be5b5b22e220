//! Plans in their other forms: kernels that take addresses, plans that are submitted again, plans
//! without one of their barriers, subgroups that are partly filled.

mod common;

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use common::all::kernels;
use common::case::{Case, run};
use common::networks::Kind;
use common::primitives::{Device, scan_case};
use common::sampling::{Seen, Size, sample};
use common::search_list::search;
use common::searches::{SsspCase, sssp_case};
use multisplit::primitives::sssp::SsspMethod;
use multisplit::shaders::address::by_address;
use multisplit::shaders::builtin;
use multisplit_machine::{Options, PlanOptions, Schedule};

const DEVICE: Device = Device { width: 32, lane_order: false };

fn options() -> Options {
    Options { schedule: Schedule::Random, ..Options::new(DEVICE.width) }
}

/// Whether every kernel of a case has a form that takes addresses: searches ask for the length of a
/// buffer, which an address does not tell.
fn takes_addresses(case: &Case) -> bool {
    let kernels = case.plan.steps().iter().filter_map(|step| step.pass.kernel.as_ref()?.kernel());
    kernels.into_iter().all(|kernel| by_address(kernel.spirv(), kernel.interface()).is_ok())
}

#[test]
fn kernels_that_take_addresses_give_the_same() -> Result<()> {
    let by_address = PlanOptions { by_address: true, ..PlanOptions::default() };
    let mut cases = sample(DEVICE, &mut Seen::default(), 5, Size { each: 1, count: 20 })?;
    cases.retain(takes_addresses);
    let mut run_so = BTreeSet::new();
    for case in cases {
        run_so.extend(kernels(&case));
        let outcome = run(&case, &options(), by_address, &[])?;
        ensure!(outcome.problem.is_none(), "{}: {:?}", case.name, outcome.problem);
    }
    ensure!(run_so.iter().any(|label| label.ends_with(".user")), "no kernel with a user's GLSL");
    // Kernels of searches come together with some that have no such form.
    let built_in = builtin::ALL.iter().map(|b| b.label()).filter(|b| !b.starts_with("sssp."));
    let missing: Vec<_> = built_in.filter(|label| !run_so.contains(*label)).collect();
    ensure!(missing.is_empty(), "not run by address: {missing:?}");
    Ok(())
}

#[test]
fn a_search_is_submitted_again() -> Result<()> {
    let search = search(SsspMethod::Multisplit, Kind::Random);
    let of = SsspCase { vertices: 120, rounds: 60, ..search };
    let again = PlanOptions { runs: 2, ..PlanOptions::default() };
    let outcome = run(&sssp_case(DEVICE, of)?, &options(), again, &[])?;
    ensure!(outcome.problem.is_none(), "{:?}", outcome.problem);
    Ok(())
}

/// Whichever barrier of a plan is taken away, the machine notices.
#[test]
fn every_barrier_of_a_plan_is_needed() -> Result<()> {
    for look_back in [false, true] {
        let whole = scan_case(DEVICE, look_back, false, 9000)?;
        let barriers: Vec<usize> = whole.plan.barriers().map(|(step, _)| step).collect();
        ensure!(!barriers.is_empty(), "a scan has barriers");
        for step in barriers {
            let broken = Case { plan: whole.plan.without_barrier(step), ..whole.clone() };
            let outcome = run(&broken, &options(), PlanOptions::default(), &[])?;
            let problem = outcome.problem.unwrap_or_default();
            ensure!(problem.contains("data race"), "without barrier {step}: {problem:?}");
        }
    }
    Ok(())
}
