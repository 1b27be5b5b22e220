//! Recorded command buffers that are submitted repeatedly.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use multisplit::graph::PingPong;
use multisplit_tests::counting;
use multisplit_tests::prelude::*;

tests!(replay:
    thousand_runs_are_correct_and_do_not_allocate, runs_submitted_without_waiting_are_ordered,
    ping_pong_buffers_keep_data_between_runs, plans_that_are_not_replayable_are_rejected,
);

/// A graph that replaces `data` by its exclusive scan and its first element by 1, using a transient
/// buffer.
pub fn step_graph(context: &Context, policy: &Policy, n: u64) -> Result<(Arc<Executable>, Buffer)> {
    let mut graph = Graph::new("step");
    let data = graph.import::<u32>("data", n);
    let sums = graph.transient::<u32>("sums", n);
    scan(&mut graph, policy, &Scan::default(), &ScanBuffers::new(data, sums))?;
    fill(&mut graph, policy, "one", sums.elements::<u32>(0, 1), 1)?;
    copy(&mut graph, policy, "copy", sums, data)?;
    graph.replayable();
    let plan = graph.compile(&context.limits())?;
    Ok((Arc::new(context.instantiate(plan)?), data))
}

/// Applies the graph `times` times on the CPU.
pub fn steps(data: &mut Vec<u32>, times: u32) {
    for _ in 0..times {
        *data = reference::exclusive_scan(data);
        data[0] = 1;
    }
}

fn thousand_runs_are_correct_and_do_not_allocate(gpu: &Gpu) -> Result<()> {
    for method in [ScanMethod::ReduceThenScan, ScanMethod::LookBack] {
        let policy = Policy { scan: method, threads: 32, ..gpu.policy() };
        let mut expected = uniform(1111, 8);
        let (executable, data) = step_graph(gpu, &policy, expected.len() as u64)?;
        let buffer = gpu.upload(&expected)?;
        let mut replay = gpu.replay(executable, &[(data, &buffer)])?;
        // The first download of a context allocates memory that later downloads reuse.
        gpu.download(&buffer)?;
        let (report, pipelines) = (gpu.memory_report(), gpu.pipeline_count());
        for run in 0..1000 {
            let before = counting::ALLOCATIONS.load(Ordering::Relaxed);
            replay.submit(1)?;
            replay.wait()?;
            let allocated = counting::ALLOCATIONS.load(Ordering::Relaxed) - before;
            // The counter includes only Rust code, not layers and drivers.
            ensure!(run == 0 || allocated == 0, "run {run} made {allocated} allocations");
            ensure!(gpu.memory_report() == report, "run {run} allocated device memory");
            steps(&mut expected, 1);
            // Downloads are slow, so only every tenth run is checked.
            if run % 10 == 9 {
                expect_equal(&gpu.download(&buffer)?, &expected)
                    .with_context(|| format!("{method:?}, run {run}"))?;
            }
        }
        ensure!(gpu.pipeline_count() == pipelines);
    }
    Ok(())
}

/// Submits runs without waiting in between. Only the barriers in the recording separate them.
fn runs_submitted_without_waiting_are_ordered(gpu: &Gpu) -> Result<()> {
    let mut expected = uniform(30_000, 4);
    let (executable, data) = step_graph(gpu, &gpu.policy(), 30_000)?;
    let buffer = gpu.upload(&expected)?;
    let mut replay = gpu.replay(executable, &[(data, &buffer)])?;
    replay.submit(50)?;
    replay.wait()?;
    steps(&mut expected, 50);
    expect_equal(&gpu.download(&buffer)?, &expected)
}

fn ping_pong_buffers_keep_data_between_runs(gpu: &Gpu) -> Result<()> {
    let n = 10_000u64;
    let policy = gpu.policy();
    let mut graph = Graph::new("rounds");
    let data = graph.import::<u32>("data", n);
    let mut halves = PingPong::new(data, graph.persistent::<u32>("data.other", n));
    for _ in 0..4 {
        let buffers = ScanBuffers::new(halves.front(), halves.back());
        scan(&mut graph, &policy, &Scan::default(), &buffers)?;
        fill(&mut graph, &policy, "one", halves.back().elements::<u32>(0, 1), 1)?;
        halves.swap();
    }
    graph.carry(&halves);
    graph.replayable();
    let executable = gpu.instantiate(graph.compile(&gpu.limits())?)?;
    let mut expected = uniform(n as usize, 5);
    let buffer = gpu.upload(&expected)?;
    let mut replay = gpu.replay(Arc::new(executable), &[(data, &buffer)])?;
    replay.submit(5)?;
    replay.wait()?;
    steps(&mut expected, 20);
    expect_equal(&gpu.download(&buffer)?, &expected)
}

fn plans_that_are_not_replayable_are_rejected(gpu: &Gpu) -> Result<()> {
    let mut graph = Graph::new("once");
    let data = graph.import::<u32>("data", 100);
    fill(&mut graph, &gpu.policy(), "fill", data, 0)?;
    let executable = gpu.instantiate(graph.compile(&gpu.limits())?)?;
    let buffer = gpu.zeroed::<u32>(100)?;
    let executable = Arc::new(executable);
    expect_errors! {
        gpu.replay(executable, &[(data, &buffer)]) =>
            NotReplayable { plan } if plan == "once",
    }
    Ok(())
}
