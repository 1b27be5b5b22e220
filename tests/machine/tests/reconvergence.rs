//! What do the kernels rely on where lanes diverge? All of them are right on a device that
//! reconverges at the end of constructs that a whole subgroup entered
//! (`VK_KHR_shader_subgroup_uniform_control_flow`); what Vulkan promises without an extension is
//! less, and which kernels need more than that is listed.

mod common;

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use common::all::{Seen, full, kernels, sample};
use common::case::run;
use common::primitives::Device;
use multisplit_machine::{Options, PlanOptions, Reconvergence, Schedule};

/// Cases of each width.
const SAMPLE: usize = 60;

/// The cases that are wrong, with the first line of what is; and the kernels that they run.
fn wrong(reconvergence: Reconvergence) -> Result<(Vec<String>, BTreeSet<String>, usize)> {
    let (mut problems, mut labels, mut runs) = (Vec::new(), BTreeSet::new(), 0);
    let widths = if full() { &[4, 8, 16, 32, 64, 128][..] } else { &[16, 64] };
    for (number, &width) in widths.iter().enumerate() {
        let device = Device { width, lane_order: false };
        for (k, case) in
            sample(device, &mut Seen::default(), 31 * number + 17, SAMPLE)?.iter().enumerate()
        {
            let schedule = if k % 2 == 0 { Schedule::Reversed } else { Schedule::Random };
            let options =
                Options { schedule, reconvergence, budget: 400_000_000, ..Options::new(width) };
            let outcome = run(case, &options, PlanOptions::default(), &[])?;
            runs += 1;
            if let Some(problem) = outcome.problem {
                let first = problem.lines().next().unwrap_or_default();
                problems.push(format!("{}: {first}", case.name));
                // The kernel of a finding, else any of the case's.
                let named = kernels(case).into_iter().find(|k| first.contains(&format!("{k} Op")));
                labels.extend(named);
            }
        }
    }
    Ok((problems, labels, runs))
}

#[test]
#[ignore = "not settled for ranking loops that are written out: docs/testing.md"]
fn subgroups_that_enter_together_are_enough() -> Result<()> {
    let (problems, _, runs) = wrong(Reconvergence::SubgroupUniform)?;
    ensure!(problems.is_empty(), "{} of {runs} runs:\n{}", problems.len(), problems.join("\n"));
    Ok(())
}

#[test]
#[ignore = "not settled for ranking loops that are written out: docs/testing.md"]
fn what_needs_more_than_the_specification_promises() -> Result<()> {
    // Kernels that wait for lanes which never come run until their budget ends: too slow for a sample.
    if !full() {
        return Ok(());
    }
    let (problems, labels, runs) = wrong(Reconvergence::WorkgroupUniform)?;
    println!(
        "{} of {runs} runs are wrong without an extension; kernels: {labels:#?}",
        problems.len()
    );
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("reconvergence.txt");
    std::fs::write(path, problems.join("\n"))?;
    Ok(())
}
