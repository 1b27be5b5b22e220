//! The example runs, with right results and without a word of the validation layer; and the layer has
//! a word where the example leaves out one of the barriers around the sort.
#![allow(clippy::expect_used, reason = "in a test a panic is the report")]

use std::process::Command;

/// Runs it with the layer on, synchronization validation included, between command buffers too.
/// Gives what it, and the layer, printed.
fn run(arguments: &[&str]) -> String {
    let checks = [
        "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT",
        "VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT",
    ];
    let binary = std::env::var_os("MULTISPLIT_EXAMPLE_WGPU");
    let binary = binary.unwrap_or_else(|| env!("CARGO_BIN_EXE_multisplit-example-wgpu").into());
    let output = Command::new(binary)
        .args(arguments)
        .env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation")
        .env("VK_LAYER_ENABLES", checks.join(":"))
        // Mesa's cache mixes up the code for different subgroup sizes; and a Wayland library minds
        // where this is not set.
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .env("XDG_RUNTIME_DIR", std::env::temp_dir())
        .output()
        .expect("the example starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let printed = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{printed}");
    printed
}

#[test]
fn particles_are_in_order_and_the_layer_is_silent() {
    let printed = run(&[]);
    assert!(printed.starts_with("20000 particles in order"), "{printed}");
    assert_eq!(printed.lines().count(), 1, "{printed}");
}

#[test]
fn a_missing_barrier_is_noticed() {
    let entry = run(&["--without-entry"]);
    assert!(entry.contains("SYNC-HAZARD-READ-AFTER-WRITE"), "{entry}");
    let exit = run(&["--without-exit"]);
    assert!(exit.contains("SYNC-HAZARD-READ-AFTER-WRITE"), "{exit}");
}
