//! Controls for the other tests: the validation layer reports missing barriers, so the absence of
//! messages shows that no barrier is missing.
//!
//! Layer 1.3.239 reports hazards between a read and a write, in either order. It does not report
//! two writes to a storage buffer; the planner's model tests cover those.

use std::sync::Arc;

use multisplit_tests::prelude::*;

tests!(synchronization:
    removing_any_barrier_of_a_scan_is_reported, missing_barrier_between_runs_is_reported,
    consecutive_scans_have_no_hazards, submissions_in_flight_have_no_hazards,
);

/// A plan with an input and an output.
pub struct Work {
    pub plan: Plan,
    pub src: Buffer,
    pub dst: Buffer,
}

pub const N: u64 = 40_000;
const METHODS: [ScanMethod; 2] = [ScanMethod::ReduceThenScan, ScanMethod::LookBack];

fn plan(
    context: &Context,
    replayable: bool,
    add: impl FnOnce(&mut Graph, Buffer, Buffer) -> Result<()>,
) -> Result<Work> {
    let mut graph = Graph::new("work");
    let src = graph.import::<u32>("src", N);
    let dst = graph.import::<u32>("dst", N);
    add(&mut graph, src, dst)?;
    if replayable {
        graph.replayable();
    }
    Ok(Work { plan: graph.compile(&context.limits())?, src, dst })
}

fn scan_plan(gpu: &Gpu, method: ScanMethod, replayable: bool) -> Result<Work> {
    let policy = gpu.policy();
    // By this policy, the array is too long for a single workgroup.
    let policy =
        Policy { scan: method, spine_threads: policy.threads, single_group_tiles: 1, ..policy };
    plan(gpu, replayable, |graph, src, dst| {
        Ok(scan(graph, &policy, &Scan::default(), &ScanBuffers::new(src, dst))?)
    })
}

/// Two copies, through a transient that the next run overwrites.
pub fn two_copies(context: &Context, replayable: bool) -> Result<Work> {
    let policy = context.policy();
    plan(context, replayable, |graph, src, dst| {
        let between = graph.transient::<u32>("between", N);
        copy(graph, &policy, "copy.in", src, between)?;
        Ok(copy(graph, &policy, "copy.out", between, dst)?)
    })
}

/// Records `plan` `times` times into one command buffer and submits it. Returns the hazards that
/// the layer reports.
fn hazards(gpu: &Gpu, work: &Work, plan: Plan, times: u32) -> Result<Vec<String>> {
    let executable = gpu.instantiate(plan)?;
    let source = gpu.upload(&uniform(N as usize, 1))?;
    let output = gpu.zeroed::<u32>(N)?;
    let buffers = [(work.src, &source), (work.dst, &output)];
    let reported =
        gpu.expect_messages(|| Ok(gpu.run_repeatedly(&executable, &buffers, times)?))?;
    expect_only_hazards(&reported)?;
    Ok(reported)
}

/// Fails if the ids of violated rules contain others than hazards.
pub fn expect_only_hazards(reported: &[String]) -> Result<()> {
    let are_hazards = reported.iter().all(|id| id.starts_with("SYNC-HAZARD"));
    ensure!(are_hazards, "the layer reported other messages: {reported:?}");
    Ok(())
}

fn removing_any_barrier_of_a_scan_is_reported(gpu: &Gpu) -> Result<()> {
    let scan = scan_plan(gpu, ScanMethod::ReduceThenScan, false)?;
    ensure!(hazards(gpu, &scan, scan.plan.clone(), 1)?.is_empty());
    let barriers: Vec<usize> = scan.plan.barriers().map(|(step, _)| step).collect();
    ensure!(barriers.len() == 2, "the plan has {} barriers, expected 2", barriers.len());
    for step in barriers {
        let broken = scan.plan.without_barrier(step);
        let reported = hazards(gpu, &scan, broken, 1)?;
        let is_reported = !reported.is_empty();
        ensure!(is_reported, "the layer did not report the missing barrier before step {step}");
    }
    Ok(())
}

fn missing_barrier_between_runs_is_reported(gpu: &Gpu) -> Result<()> {
    let again = two_copies(gpu, true)?;
    ensure!(hazards(gpu, &again, again.plan.clone(), 3)?.is_empty());
    // The same plan without barriers between runs, but marked as replayable.
    let once = two_copies(gpu, false)?;
    let claiming = once.plan.broken_by(|plan| *plan.replayable = true);
    let reported = hazards(gpu, &once, claiming, 3)?;
    ensure!(!reported.is_empty(), "the layer did not report the missing barrier between runs");
    Ok(())
}

fn consecutive_scans_have_no_hazards(gpu: &Gpu) -> Result<()> {
    for method in METHODS {
        let again = scan_plan(gpu, method, true)?;
        ensure!(hazards(gpu, &again, again.plan.clone(), 3)?.is_empty());
    }
    Ok(())
}

/// The test does not wait between submissions: a replayable recording is ordered after its own
/// earlier submissions.
fn submissions_in_flight_have_no_hazards(gpu: &Gpu) -> Result<()> {
    for work in [
        scan_plan(gpu, METHODS[0], true)?,
        scan_plan(gpu, METHODS[1], true)?,
        two_copies(gpu, true)?,
    ] {
        let executable = Arc::new(gpu.instantiate(work.plan.clone())?);
        let source = gpu.upload(&uniform(N as usize, 1))?;
        let output = gpu.zeroed::<u32>(N)?;
        let buffers = [(work.src, &source), (work.dst, &output)];
        let mut replay = gpu.replay(executable, &buffers)?;
        replay.submit(3)?;
        replay.wait()?;
    }
    Ok(())
}
