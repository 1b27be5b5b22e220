//! What do the kernels rely on where lanes diverge? All of them are right on a device that
//! reconverges at the end of constructs that a whole subgroup entered
//! (`VK_KHR_shader_subgroup_uniform_control_flow`); what Vulkan promises without an extension is
//! less, and which kernels need more than that is listed.

mod common;

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use common::all::{Seen, full, kernels, sample};
use common::case::run;
use common::primitives::Device;
use multisplit_machine::{Options, PlanOptions, Reconvergence, Schedule};

/// Cases of each width.
const SAMPLE: usize = 20;

struct Wrong {
    /// The cases that are wrong, with the first line of what is.
    problems: Vec<String>,
    /// The kernels that are named first there, and how often.
    kernels: BTreeMap<String, usize>,
    runs: usize,
}

fn wrong(reconvergence: Reconvergence, widths: &[u32], count: usize) -> Result<Wrong> {
    let mut wrong = Wrong { problems: Vec::new(), kernels: BTreeMap::new(), runs: 0 };
    for (number, &width) in widths.iter().enumerate() {
        let device = Device { width, lane_order: false };
        let cases = sample(device, &mut Seen::default(), 31 * number + 17, count)?;
        for (k, case) in cases.iter().enumerate() {
            let schedule = if k % 2 == 0 { Schedule::Reversed } else { Schedule::Random };
            let options = Options { schedule, ..Options::new(width) };
            let usual = run(case, &options, PlanOptions::default(), &[])?;
            // Lanes that never meet again take several times the steps; those that wait for what
            // never comes, any number.
            let budget = 8 * usual.steps + 10_000_000;
            let options = Options { reconvergence, budget, ..options };
            let outcome = run(case, &options, PlanOptions::default(), &[])?;
            wrong.runs += 1;
            if let Some(problem) = outcome.problem {
                let first = problem.lines().next().unwrap_or_default();
                wrong.problems.push(format!("{}: {first}", case.name));
                let named = kernels(case).into_iter().find(|k| first.contains(&format!("{k} Op")));
                *wrong.kernels.entry(named.unwrap_or_default()).or_default() += 1;
            }
        }
    }
    Ok(wrong)
}

const SOME_WIDTHS: [u32; 2] = [16, 64];

#[test]
fn subgroups_that_enter_together_are_enough() -> Result<()> {
    let widths = if full() { &common::all::WIDTHS[..] } else { &SOME_WIDTHS };
    let Wrong { problems, runs, .. } = wrong(Reconvergence::SubgroupUniform, widths, SAMPLE)?;
    ensure!(problems.is_empty(), "{} of {runs} runs:\n{}", problems.len(), problems.join("\n"));
    Ok(())
}

#[test]
fn what_needs_more_than_the_specification_promises() -> Result<()> {
    let (widths, count) = if full() { (&common::all::WIDTHS[..], SAMPLE) } else { (&[16][..], 1) };
    let Wrong { problems, kernels, runs } = wrong(Reconvergence::WorkgroupUniform, widths, count)?;
    println!(
        "{} of {runs} runs are wrong without an extension; kernels: {kernels:#?}",
        problems.len()
    );
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("reconvergence.txt");
    std::fs::write(path, problems.join("\n"))?;
    Ok(())
}
