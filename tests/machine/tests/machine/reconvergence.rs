//! Tests the reconvergence that kernels rely on. All kernels must be correct on a device that
//! reconverges at the end of constructs that a whole subgroup entered
//! (`VK_KHR_shader_subgroup_uniform_control_flow`). Without extensions, Vulkan guarantees less; the
//! second test lists the kernels that fail in this case.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::common::all::{WIDTHS, kernels};
use crate::common::case::{Case, run};
use crate::common::primitives::Device;
use crate::common::progress::{for_each, full, lock, write_report};
use crate::common::sampling::{Seen, Size, sample};
use anyhow::{Result, ensure};
use multisplit_machine::{Options, PlanOptions, Reconvergence, Schedule};

/// Size of the sample for each width. A plain run has two widths, each with another half of the kernels.
const SAMPLE: Size = Size { each: 1, one_in: 2, count: 12 };

#[derive(Default)]
struct Wrong {
    /// The failed cases, with the first line of each problem.
    problems: Vec<String>,
    /// Kernels in the problems, with their number of occurrences.
    kernels: BTreeMap<String, usize>,
    /// Cases that did not run because of an error in the machine or the case.
    failed: Vec<String>,
}

impl Wrong {
    fn add(&mut self, case: &Case, problem: &str) {
        let first = problem.lines().next().unwrap_or_default();
        self.problems.push(format!("{}: {first}", case.name));
        let named = kernels(case).into_iter().find(|k| first.contains(&format!("{k} Op")));
        *self.kernels.entry(named.unwrap_or_default()).or_default() += 1;
    }
}

/// Instruction budget of a case. Without guaranteed reconvergence, lanes may execute several times
/// as many instructions as usual, or wait forever. Returns `None` for cases that a plain run skips:
/// if their lanes run one by one, they take minutes.
fn budget(case: &Case, options: &Options) -> Result<Option<u64>> {
    if options.reconvergence == Reconvergence::SubgroupUniform {
        return Ok(Some(options.budget));
    }
    let usual = Options { reconvergence: Reconvergence::Maximal, ..*options };
    let steps = run(case, &usual, PlanOptions::default(), &[])?.steps;
    Ok((full() || steps <= LONG).then_some(8 * steps + 10_000_000))
}

/// Cases with more instructions than this are long.
const LONG: u64 = 4_000_000;

/// Runs every `every`th sampled case. Returns their number and the failures.
fn wrong(reconvergence: Reconvergence, widths: &[u32], every: usize) -> Result<(usize, Wrong)> {
    let mut cases = Vec::new();
    for (number, &width) in widths.iter().enumerate() {
        let device = Device { width, lane_order: false };
        let here = sample(device, &mut Seen::default(), 31 * number + 17, SAMPLE)?;
        cases.extend(here.into_iter().enumerate().step_by(every).map(|(k, c)| (width, k, c)));
    }
    let wrong = Mutex::new(Wrong::default());
    for_each(&cases, "cases", |(width, k, case)| {
        let schedule = if k % 2 == 0 { Schedule::Reversed } else { Schedule::Random };
        let options = Options { schedule, reconvergence, ..Options::new(*width) };
        let problem = budget(case, &options).and_then(|budget| {
            let Some(budget) = budget else { return Ok(None) };
            Ok(run(case, &Options { budget, ..options }, PlanOptions::default(), &[])?.problem)
        });
        let mut wrong = lock(&wrong);
        match problem {
            Ok(None) => {}
            Ok(Some(problem)) => wrong.add(case, &problem),
            Err(error) => wrong.failed.push(format!("{}: {error:#}", case.name)),
        }
    });
    let wrong = wrong.into_inner().unwrap_or_else(PoisonError::into_inner);
    ensure!(wrong.failed.is_empty(), "{}", wrong.failed.join("\n"));
    Ok((cases.len(), wrong))
}

const SOME_WIDTHS: [u32; 2] = [16, 64];

/// A plain run executes every `FEW`th of the cases whose failures are only reported.
const FEW: usize = 9;

#[test]
fn kernels_need_only_subgroup_uniform_reconvergence() -> Result<()> {
    let widths = if full() { &WIDTHS[..] } else { &SOME_WIDTHS };
    let (runs, Wrong { problems, .. }) = wrong(Reconvergence::SubgroupUniform, widths, 1)?;
    ensure!(
        problems.is_empty(),
        "{} of {runs} cases failed:\n{}",
        problems.len(),
        problems.join("\n")
    );
    Ok(())
}

#[test]
fn kernels_that_fail_without_extensions_are_reported() -> Result<()> {
    let (widths, every) = if full() { (&WIDTHS[..], 1) } else { (&[16][..], FEW) };
    let (runs, wrong) = wrong(Reconvergence::WorkgroupUniform, widths, every)?;
    let Wrong { problems, kernels, .. } = wrong;
    println!("{} of {runs} cases fail without an extension; kernels: {kernels:#?}", problems.len());
    write_report("reconvergence.txt", &problems.join("\n"))?;
    Ok(())
}
