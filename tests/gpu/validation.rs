//! Contexts with validation enabled by the caller: results do not change, and a run returns an
//! error if the layer reports one.

use std::sync::Arc;

use multisplit::ValidationConfig;
use multisplit_tests::prelude::*;

use crate::synchronization::{N, Work, two_copies};

tests!(validation: gpu_assisted_validation_keeps_results, validation_errors_fail_the_run);

fn open(gpu: &Gpu, validation: ValidationConfig) -> Result<Context> {
    gpu.open_with(|config| config.validation = Some(validation))
}

fn gpu_assisted_validation_keeps_results(gpu: &Gpu) -> Result<()> {
    let context = open(gpu, ValidationConfig { gpu_assisted: true, ..Default::default() })?;
    ensure!(!context.features().push_descriptor, "push descriptors are enabled");
    // The plan consists of copies, because the layer instruments and compiles the copy kernel
    // fastest.
    let Work { plan, src, dst } = two_copies(&context, true)?;
    let (input, output) = (context.upload(&[7u32; N as usize])?, context.zeroed::<u32>(N)?);
    context.run(&context.instantiate(plan)?, &[(src, &input), (dst, &output)])?;
    expect_equal(&context.download(&output)?, &[7; N as usize])?;
    let mut messages = context.messages().take();
    // The layer warns about its own settings and, without 64-bit integers, about one of its checks.
    let without_int64 = !context.features().shader_int64;
    messages.retain(|message| {
        let id = &message.id;
        !(id.starts_with("WARNING-")
            || id == "VALIDATION-SETTINGS"
            || without_int64 && id == "UNASSIGNED-GPU-Assisted Validation Warning")
    });
    ensure!(messages.is_empty(), "unexpected messages of the layer: {messages:?}");
    Ok(())
}

fn validation_errors_fail_the_run(gpu: &Gpu) -> Result<()> {
    for fail_on_error in [true, false] {
        let context = open(gpu, ValidationConfig { fail_on_error, ..Default::default() })?;
        // Without the barrier between the copies, the layer reports a hazard.
        let Work { plan, src, dst } = two_copies(&context, true)?;
        let step = plan.barriers().map(|(step, _)| step).last();
        let broken = plan.without_barrier(step.expect("the copies need a barrier"));
        let input = context.upload(&[7u32; N as usize])?;
        let output = context.zeroed::<u32>(N)?;
        let buffers = [(src, &input), (dst, &output)];
        let executable = Arc::new(context.instantiate(broken)?);
        let run = context.run(&executable, &buffers);
        let replayed = context.replay(executable, &buffers).and_then(|mut replay| {
            replay.submit(1)?;
            replay.wait()
        });
        for outcome in [run, replayed] {
            let failed = match outcome {
                Ok(()) => false,
                Err(Error::Validation { id, text }) => {
                    id.starts_with("SYNC-HAZARD") && text.to_lowercase().contains("hazard")
                }
                Err(error) => return Err(error.into()),
            };
            ensure!(failed == fail_on_error, "fail_on_error: {fail_on_error}, failed: {failed}");
        }
        ensure!(!context.messages().take().is_empty(), "the layer did not report the hazard");
        // A later run of a correct plan does not return the error.
        context.run(&context.instantiate(plan)?, &buffers)?;
        expect_equal(&context.download(&output)?, &[7; N as usize])?;
    }
    Ok(())
}
