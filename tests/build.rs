//! Turns the Rust blocks of the README into functions. All are compiled unchanged, and those
//! without `no_run` are run.
#![allow(clippy::expect_used)]

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// Variables that the README's code blocks use but do not define.
const GIVEN: &str = "
    let keys = vec![0.5f32, 0.25, 0.75, 0.125];
    let values = vec![0u32, 1, 2, 3];
    let samples = keys.clone();
    let gpu = Context::new()?;
    let commands = ash::vk::CommandBuffer::null();
    let (depths, order, frame) = (ash::vk::Buffer::null(), ash::vk::Buffer::null(), 0);
";

fn main() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    println!("cargo::rerun-if-changed={}", readme.display());
    let text = fs::read_to_string(readme).expect("README.md is readable");
    let mut code = String::new();
    let mut run = Vec::new();
    for (index, block) in text.split("```rust").skip(1).enumerate() {
        let (info, rest) = block.split_once('\n').expect("a code block has more than one line");
        let body = rest.split("```").next().unwrap_or_default();
        let name = format!("block_{index}");
        writeln!(
            code,
            "#[allow(unused, clippy::all)]\nfn {name}() -> Result<(), multisplit::Error> {{\n\
             use multisplit::{{Context, ash}};{GIVEN}{{\n{body}\n}}\nOk(())\n}}"
        )
        .expect("writing to a string cannot fail");
        if !info.contains("no_run") {
            run.push(name);
        }
    }
    let list = run.iter().map(|name| format!("(\"{name}\", {name})")).collect::<Vec<_>>();
    writeln!(
        code,
        "/// The blocks that run, in order.\npub const BLOCKS: &[(&str, fn() -> Result<(), multisplit::Error>)] = &[{}];",
        list.join(", ")
    )
    .expect("writing to a string cannot fail");
    let out = Path::new(&env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("readme.rs");
    fs::write(out, code).expect("OUT_DIR is writable");
}
