//! Runs the command-line tools of SPIRV-Tools on modules.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use std::io::Write as _;
use std::process::{Command, Stdio};

/// The words of each instruction of a module.
pub fn instructions(spirv: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = spirv.get(5..).unwrap_or_default();
    std::iter::from_fn(move || {
        let first = rest.first()?;
        let (instruction, after) = rest.split_at(((first >> 16) as usize).clamp(1, rest.len()));
        rest = after;
        Some(instruction)
    })
}

/// Returns the output of a tool for a module, or its error message.
pub fn tool(program: &str, arguments: &[&str], spirv: &[u32]) -> Result<String, String> {
    let mut child = Command::new(program)
        .args(arguments)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot run {program} (package spirv-tools): {error}"));
    child.stdin.take().unwrap().write_all(bytemuck::cast_slice(spirv)).unwrap();
    let done = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if done.status.success() { Ok(text(&done.stdout)) } else { Err(text(&done.stderr)) }
}

/// Validates a module for Vulkan 1.2.
pub fn validate(spirv: &[u32]) -> Result<String, String> {
    tool("spirv-val", &["--target-env", "vulkan1.2"], spirv)
}

/// Panics if a module is not valid for Vulkan 1.2.
pub fn expect_valid(name: &str, spirv: &[u32]) {
    validate(spirv).unwrap_or_else(|problem| panic!("{name}: {problem}"));
}

pub fn disassembly(spirv: &[u32]) -> String {
    tool("spirv-dis", &["--no-color", "--no-header"], spirv).unwrap()
}
