//! Tests that the checked-in SPIR-V matches the GLSL.
#![cfg(feature = "compile")]
#![allow(clippy::panic, clippy::expect_used)]

use std::process::Command;

#[test]
fn checked_in_modules_match_the_glsl_and_are_valid() {
    let run = Command::new(env!("CARGO_BIN_EXE_compile-kernels")).arg("--check").output();
    let run = run.expect("compile-kernels runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}
