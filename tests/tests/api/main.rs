//! Compares the public API with the snapshots in `tests/api/*.txt`, which have one line per public
//! item.
//!
//! A reviewer sees every API change as a difference of these files. After an intended change,
//! update them with `MULTISPLIT_BLESS=1 cargo test -p multisplit-tests --test api`.

#![forbid(unsafe_code)]

mod items;
mod signature;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

/// Environment variable: overwrite outdated snapshots instead of failing.
const BLESS: &str = "MULTISPLIT_BLESS";
/// Maximum number of differing lines in a failure message.
const SHOWN: usize = 40;

#[test]
fn shaders_api_matches_its_snapshot() -> Result<()> {
    expect_unchanged("multisplit-shaders", "compile")
}

#[test]
fn graph_api_matches_its_snapshot() -> Result<()> {
    expect_unchanged("multisplit-graph", "")
}

#[test]
fn engine_api_matches_its_snapshot() -> Result<()> {
    expect_unchanged("multisplit", "glsl,tuning")
}

#[test]
fn sssp_api_matches_its_snapshot() -> Result<()> {
    expect_unchanged("multisplit-sssp", "")
}

/// An incomplete list would hide API changes.
#[test]
fn api_lists_contain_the_main_entry_points() -> Result<()> {
    for (package, start) in [
        ("multisplit-shaders", "fn multisplit_shaders::reflect::reflect("),
        ("multisplit-graph", "fn multisplit_graph::Graph::compile(&self"),
        ("multisplit", "fn multisplit::Context::open("),
        ("multisplit-sssp", "fn multisplit_sssp::Solver::solve("),
    ] {
        let path = snapshot(package);
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let found = text.lines().any(|line| line.contains(start));
        ensure!(found, "{} has no line with '{start}'", path.display());
    }
    Ok(())
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("api")
}

fn snapshot(package: &str) -> PathBuf {
    folder().join(format!("{package}.txt"))
}

fn expect_unchanged(package: &str, features: &str) -> Result<()> {
    let api = items::list(&json(package, features)?)?;
    let path = snapshot(package);
    if env::var_os(BLESS).is_some_and(|value| !value.is_empty()) {
        fs::write(&path, &api)?;
    }
    let recorded = fs::read_to_string(&path).unwrap_or_default();
    if recorded == api {
        return Ok(());
    }
    bail!(
        "the public API of {package} differs from {}.\n{}\
         If the change is intended, update the file: {BLESS}=1 cargo test -p multisplit-tests --test api",
        path.display(),
        difference(&recorded, &api),
    )
}

/// Returns the rustdoc JSON of a package. Takes only seconds if `cargo clippy` or `cargo doc` has
/// already checked the dependencies.
fn json(package: &str, features: &str) -> Result<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target =
        Path::new(env!("CARGO_TARGET_TMPDIR")).parent().context("there is no target folder")?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(&root)
        .env("RUSTDOC", folder().join("rustdoc-json"))
        .env_remove("RUSTDOCFLAGS")
        .args(["rustdoc", "--quiet", "--lib", "--no-default-features", "--features", features])
        .arg("--target-dir")
        .arg(target)
        .args(["-p", package, "--", "-Zunstable-options", "--output-format=json"])
        .output()
        .context("cannot start cargo")?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "rustdoc fails on {package}:\n{stderr}");
    let path = target.join("doc").join(format!("{}.json", package.replace('-', "_")));
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    Ok(serde_json::from_str(&text)?)
}

/// Removed and added lines.
fn difference(before: &str, after: &str) -> String {
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) =
        (before.lines().collect(), after.lines().collect());
    let gone = old.difference(&new).map(|line| format!("- {line}\n"));
    let lines: Vec<String> =
        gone.chain(new.difference(&old).map(|line| format!("+ {line}\n"))).collect();
    let rest = lines.len().saturating_sub(SHOWN);
    let mut text: String = lines.into_iter().take(SHOWN).collect();
    if rest > 0 {
        text += &format!("and {rest} more lines\n");
    }
    text
}

#[test]
fn difference_lists_removed_and_added_lines() {
    assert_eq!(difference("a\nb\n", "b\nc\n"), "- a\n+ c\n");
}
