//! Without a driver or a validation layer, the test run must fail instead of skipping tests.

use std::process::Command;

use multisplit_tests::prelude::*;

tests!(environment: missing_driver_fails_the_run, missing_validation_layer_fails_the_run);

/// Runs one quick test of this binary with these environment variables set to a path that does not
/// exist. Checks that the run fails with `message`.
fn fails_without(variables: &[&str], message: &str) -> Result<()> {
    let mut child = Command::new(std::env::current_exe()?);
    child.args(["scan::one_call_functions_match_the_cpu"]).env_remove("MULTISPLIT_TEST_CHILD");
    let run = child.envs(variables.iter().map(|name| (name, "/nonexistent"))).output()?;
    let stderr = String::from_utf8_lossy(&run.stderr);
    ensure!(
        !run.status.success(),
        "the run passed although {variables:?} were set to a path that does not exist"
    );
    ensure!(stderr.contains(message), "expected the message `{message}`, found: {stderr}");
    Ok(())
}

fn missing_driver_fails_the_run(_: &Gpu) -> Result<()> {
    fails_without(&["VK_ICD_FILENAMES", "VK_DRIVER_FILES"], "no Vulkan device was found")
}

fn missing_validation_layer_fails_the_run(_: &Gpu) -> Result<()> {
    fails_without(&["VK_LAYER_PATH"], "validation layer is not installed")
}
