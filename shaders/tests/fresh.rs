//! Tests that the checked-in SPIR-V matches the GLSL.
#![cfg(feature = "compile")]
#![allow(clippy::panic, clippy::expect_used)]

mod common;

use std::process::Command;

use common::instructions;
use multisplit_shaders::compile::{Source, compile_with_debug_info};
use multisplit_shaders::{builtin, sources};

/// Opcodes of instructions with debug information: OpSourceContinued, OpSource, OpSourceExtension, OpString, OpLine,
/// OpNoLine and OpModuleProcessed.
const DEBUG: [u32; 7] = [2, 3, 4, 7, 8, 317, 330];
/// OpLine.
const LINE: u32 = 8;

/// Opcodes of the instructions of a module.
fn opcodes(words: &[u32]) -> Vec<u32> {
    instructions(words).map(|instruction| instruction[0] & 0xFFFF).collect()
}

/// Bytes of a module, for searches for text.
fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn debug_info_adds_source_and_lines_but_keeps_the_instructions() {
    let builtin = &builtin::SORT_ROUND_KEYS;
    let text = "// One round of a one-sweep radix sort";
    let has_text = |words: &[u32]| bytes(words).windows(text.len()).any(|at| at == text.as_bytes());
    let kernel = builtin.kernel().expect("built-in");
    let glsl = sources::kernel(builtin.file()).expect("built-in");
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let defines: Vec<(String, String)> = builtin.defines().iter().map(owned).collect();
    let source = Source { defines: &defines, ..Source::new(builtin.file(), glsl) };
    let debug = compile_with_debug_info(&source).expect("compiles");
    let (plain, with_lines) = (opcodes(kernel.spirv()), opcodes(&debug));
    let has_debug_info = plain.contains(&LINE) || has_text(kernel.spirv());
    assert!(
        !has_debug_info,
        "the checked-in module contains debug information (line numbers or GLSL text)"
    );
    assert!(with_lines.contains(&LINE), "the module with debug information has no lines");
    assert!(has_text(&debug), "the module with debug information does not contain the GLSL");
    let code =
        |all: Vec<u32>| -> Vec<u32> { all.into_iter().filter(|op| !DEBUG.contains(op)).collect() };
    assert_eq!(code(plain), code(with_lines));
}

#[test]
fn checked_in_modules_match_the_glsl_and_are_valid() {
    let run = Command::new(env!("CARGO_BIN_EXE_compile-kernels")).arg("--check").output();
    let run = run.expect("compile-kernels runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}
