//! Turns the Rust blocks of the README into functions, so that they are compiled and run unchanged.
#![allow(clippy::expect_used)]

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// Variables that the blocks of the README use without declaring them.
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
    let text = fs::read_to_string(readme).expect("the README");
    let mut code = String::new();
    let mut run = Vec::new();
    for (index, block) in text.split("```rust").skip(1).enumerate() {
        let (info, rest) = block.split_once('\n').expect("a block");
        let body = rest.split("```").next().unwrap_or_default();
        let name = format!("block_{index}");
        writeln!(
            code,
            "#[allow(unused, clippy::all)]\nfn {name}() -> Result<(), multisplit::Error> {{\n\
             use multisplit::{{Context, ash}};{GIVEN}{{\n{body}\n}}\nOk(())\n}}"
        )
        .expect("a string");
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
    .expect("a string");
    let out = Path::new(&env::var_os("OUT_DIR").expect("a folder")).join("readme.rs");
    fs::write(out, code).expect("written");
}
