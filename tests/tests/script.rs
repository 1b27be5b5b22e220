//! The `x` script: the folders it creates and the location of its output. Cargo is replaced by a
//! stub.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

/// The stub for cargo. `cargo run` prints its arguments, and reports whether the folder of Mesa's
/// shader cache exists.
const CARGO: &str = r#"#!/bin/sh
case "$1" in
--version) echo "cargo 99.0.0" ;;
run) [ -d "$MESA_SHADER_CACHE_DIR" ] && echo "cache exists"; echo "cargo $*" ;;
esac
"#;

fn run(folder: &Path, arguments: &[&str]) -> String {
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(folder.join("x"));
    // If SHADERC_LIB_DIR is set, `x` does not search for the shaderc library.
    command.args(arguments).arg("--no-install").env("PATH", path).env("SHADERC_LIB_DIR", folder);
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn demo_uses_a_shader_cache_and_writes_reports_under_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root.join("x"), folder.path().join("x")).unwrap();
    fs::copy(root.join("Cargo.toml"), folder.path().join("Cargo.toml")).unwrap();
    let cargo = folder.path().join("cargo");
    fs::write(&cargo, CARGO).unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();

    let output = run(folder.path(), &["demo", "--n", "2^10"]);
    assert!(output.contains("cache exists"), "{output}");
    assert!(
        output.ends_with("-- demo --n 2^10 --html target/multisplit-report.html\n"),
        "{output}"
    );
    let output = run(folder.path(), &["demo", "--html=own.html"]);
    assert!(output.ends_with("-- demo --html=own.html\n"), "{output}");
    let output = run(folder.path(), &["bench", "sort"]);
    assert!(output.contains("cache exists") && output.ends_with("-- bench sort\n"), "{output}");
}
