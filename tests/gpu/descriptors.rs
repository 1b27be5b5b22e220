//! Tests without push descriptors. Updating a descriptor set invalidates recorded command buffers
//! that bind it, so a set that a recorded command buffer binds must not be updated.

use multisplit::requirements::Features;
use multisplit_tests::prelude::*;

use crate::replay::{step_graph, steps};

tests!(descriptors:
    consecutive_runs_are_correct, replay_stays_valid_after_other_recordings,
    concurrent_replays_are_correct,
);

const N: u64 = 10_000;
/// Number of runs: more than an executable has frames in flight.
const RUNS: u32 = 7;

/// Runs `body` on a device without push descriptors, and fails on any validation message.
fn without_push_descriptors(gpu: &Gpu, body: impl FnOnce(&Context) -> Result<()>) -> Result<()> {
    let without = Features { push_descriptor: true, ..Features::default() };
    let context = gpu.open_with(|config| config.without = without)?;
    ensure!(!context.features().push_descriptor);
    let result = body(&context);
    expect_no_messages(context)?;
    result
}

fn consecutive_runs_are_correct(gpu: &Gpu) -> Result<()> {
    without_push_descriptors(gpu, |context| {
        let (executable, data) = step_graph(context, &context.policy(), N)?;
        let mut expected = uniform(N as usize, 1);
        let buffer = context.upload(&expected)?;
        context.run_repeatedly(&executable, &[(data, &buffer)], RUNS)?;
        steps(&mut expected, RUNS);
        expect_equal(&context.download(&buffer)?, &expected).context("after run_repeatedly")?;
        let times = context.time_runs(&executable, &[(data, &buffer)], RUNS)?;
        expect_value("the number of times", &times.len(), &(RUNS as usize))?;
        steps(&mut expected, RUNS);
        expect_equal(&context.download(&buffer)?, &expected).context("after time_runs")
    })
}

fn replay_stays_valid_after_other_recordings(gpu: &Gpu) -> Result<()> {
    without_push_descriptors(gpu, |context| {
        let (executable, data) = step_graph(context, &context.policy(), N)?;
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

/// Replays one executable more often than it has frames in flight, without waiting.
fn concurrent_replays_are_correct(gpu: &Gpu) -> Result<()> {
    without_push_descriptors(gpu, |context| {
        let (executable, data) = step_graph(context, &context.policy(), N)?;
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
