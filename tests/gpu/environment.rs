//! On a machine without a driver or validation layer the test run must fail, not skip.

use std::process::{Command, Output};

use anyhow::{Result, ensure};
use multisplit_tests::harness::Gpu;
use multisplit_tests::tests;

tests!(environment: missing_driver_fails_the_run, missing_validation_layer_fails_the_run);

/// Runs one quick test in this test binary, with the given environment variables pointing nowhere.
fn run_without(variables: &[&str]) -> Result<Output> {
    let mut child = Command::new(std::env::current_exe()?);
    child.args(["scan::one_call_matches_the_cpu"]).env_remove("MULTISPLIT_TEST_CHILD");
    for variable in variables {
        child.env(variable, "/nonexistent");
    }
    Ok(child.output()?)
}

fn missing_driver_fails_the_run(_: &Gpu) -> Result<()> {
    let run = run_without(&["VK_ICD_FILENAMES", "VK_DRIVER_FILES"])?;
    let stderr = String::from_utf8_lossy(&run.stderr);
    ensure!(!run.status.success(), "the run passed without a driver");
    ensure!(stderr.contains("no Vulkan device was found"), "{stderr}");
    Ok(())
}

fn missing_validation_layer_fails_the_run(_: &Gpu) -> Result<()> {
    let run = run_without(&["VK_LAYER_PATH"])?;
    let stderr = String::from_utf8_lossy(&run.stderr);
    ensure!(!run.status.success(), "the run passed without validation");
    ensure!(stderr.contains("validation layer is not installed"), "{stderr}");
    Ok(())
}
