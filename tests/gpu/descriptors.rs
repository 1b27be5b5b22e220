//! Devices without push descriptors: a recording is valid only as long as the descriptor sets it
//! binds are not updated.

use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use multisplit::graph::{Buffer, Graph};
use multisplit::operations::{ScanBuffers, copy, fill, scan};
use multisplit::requirements::Features;
use multisplit::{Context, Executable, Scan};
use multisplit_tests::generate::uniform;
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::{reference, tests};

tests!(descriptors:
    consecutive_runs_are_correct, replay_stays_valid_after_other_recordings,
    concurrent_replays_are_correct,
);

const N: u64 = 10_000;
/// More than the frames in flight of an executable.
const RUNS: u32 = 7;

/// Runs `body` on a device without push descriptors, and fails on any validation message.
fn without_push_descriptors(gpu: &Gpu, body: impl FnOnce(&Context) -> Result<()>) -> Result<()> {
    let without = Features { push_descriptor: true, ..Features::default() };
    let context = gpu.open_with(|config| config.without = without)?;
    ensure!(!context.features().push_descriptor);
    let result = body(&context);
    let messages = context.messages();
    drop(context);
    let reported = messages.take();
    ensure!(reported.is_empty(), "{} validation messages: {}", reported.len(), reported[0].text);
    result
}

/// Each run replaces `data` by its exclusive scan, plus one in the first element.
fn step_graph(context: &Context) -> Result<(Arc<Executable>, Buffer)> {
    let policy = context.policy();
    let mut graph = Graph::new("step");
    let data = graph.import::<u32>("data", N);
    let sums = graph.transient::<u32>("sums", N);
    scan(&mut graph, &policy, &Scan::default(), &ScanBuffers::new(data, sums))?;
    fill(&mut graph, &policy, "one", sums.elements::<u32>(0, 1), 1)?;
    copy(&mut graph, &policy, "copy", sums, data)?;
    graph.replayable();
    let plan = graph.compile(&context.limits())?;
    Ok((Arc::new(context.instantiate(plan)?), data))
}

fn steps(data: &mut Vec<u32>, times: u32) {
    for _ in 0..times {
        *data = reference::exclusive_scan(data);
        data[0] = 1;
    }
}

fn consecutive_runs_are_correct(gpu: &Gpu) -> Result<()> {
    without_push_descriptors(gpu, |context| {
        let (executable, data) = step_graph(context)?;
        let mut expected = uniform(N as usize, 1);
        let buffer = context.upload(&expected)?;
        context.run_repeatedly(&executable, &[(data, &buffer)], RUNS)?;
        steps(&mut expected, RUNS);
        expect_equal(&context.download(&buffer)?, &expected).context("run_repeatedly")?;
        let times = context.time_runs(&executable, &[(data, &buffer)], RUNS)?;
        ensure!(times.len() == RUNS as usize, "{} times", times.len());
        steps(&mut expected, RUNS);
        expect_equal(&context.download(&buffer)?, &expected).context("time_runs")
    })
}

fn replay_stays_valid_after_other_recordings(gpu: &Gpu) -> Result<()> {
    without_push_descriptors(gpu, |context| {
        let (executable, data) = step_graph(context)?;
        let mut expected = uniform(N as usize, 2);
        let buffer = context.upload(&expected)?;
        let mut replay = context.replay(executable.clone(), &[(data, &buffer)])?;
        for seed in 0..u64::from(RUNS) {
            let mut other = uniform(N as usize, seed);
            let other_buffer = context.upload(&other)?;
            context.run(&executable, &[(data, &other_buffer)])?;
            steps(&mut other, 1);
            expect_equal(&context.download(&other_buffer)?, &other)?;
        }
        drop(executable);
        replay.submit(RUNS)?;
        replay.wait()?;
        steps(&mut expected, RUNS);
        expect_equal(&context.download(&buffer)?, &expected)
    })
}

/// More replays of one executable than it has frames, all in flight at the same time.
fn concurrent_replays_are_correct(gpu: &Gpu) -> Result<()> {
    without_push_descriptors(gpu, |context| {
        let (executable, data) = step_graph(context)?;
        let inputs: Vec<_> = (0..5).map(|seed| uniform(N as usize, seed)).collect();
        let upload = |input: &Vec<u32>| context.upload(input);
        let buffers = inputs.iter().map(upload).collect::<multisplit::Result<Vec<_>>>()?;
        let record = |buffer| context.replay(executable.clone(), &[(data, buffer)]);
        let mut replays = buffers.iter().map(record).collect::<multisplit::Result<Vec<_>>>()?;
        replays.iter_mut().try_for_each(|replay| replay.submit(2))?;
        replays.iter_mut().try_for_each(|replay| replay.wait())?;
        for (mut expected, buffer) in inputs.into_iter().zip(&buffers) {
            steps(&mut expected, 2);
            expect_equal(&context.download(buffer)?, &expected)?;
        }
        Ok(())
    })
}
