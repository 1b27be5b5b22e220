//! Checks that generated files are up to date (the C header, and the SPIR-V of the passes of the examples), and that
//! the guide and the C tests match the header.
//!
//! `MULTISPLIT_BLESS=1 cargo test -p multisplit-c --test generated` rewrites the generated files.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use multisplit_shaders::compile::{Source, compile};
use multisplit_shaders::reflect::reflect;

/// Environment variable; if set and not empty, the generated files are rewritten instead of only compared.
const BLESS: &str = "MULTISPLIT_BLESS";

/// Names in the guide that belong to build systems and are not in the header.
const BUILD_WORDS: [&str; 3] = ["MULTISPLIT_GLSL", "MULTISPLIT_0", "multisplit_GLSL"];

/// The files of the interface. Their order is the order of their items in the header.
const HEADER_FILES: &str = "version result requirements memory context types sort split topk histogram combine \
                            segments select search merge values planned operation sssp short log";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn blesses() -> bool {
    std::env::var_os(BLESS).is_some_and(|value| !value.is_empty())
}

fn expect_fresh(path: &Path, fresh: bool) -> Result<()> {
    let path = path.display();
    ensure!(
        fresh,
        "{path} is out of date: run {BLESS}=1 cargo test -p multisplit-c --test generated"
    );
    Ok(())
}

#[test]
fn header_matches_the_sources() -> Result<()> {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml"));
    let config = config.map_err(anyhow::Error::msg)?;
    let mut builder = cbindgen::Builder::new().with_config(config);
    for name in HEADER_FILES.split_whitespace() {
        builder = builder.with_src(root().join(format!("src/{name}.rs")));
    }
    let mut header = Vec::new();
    builder.generate()?.write(&mut header);
    let header = for_c(&String::from_utf8(header)?);
    let path = root().join("include/multisplit.h");
    if blesses() {
        fs::write(&path, &header)?;
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    expect_fresh(&path, there == header)
}

/// Every exported function is declared in the header, and called in one of five files of C tests.
#[test]
fn every_exported_function_is_declared_and_tested() -> Result<()> {
    let header = fs::read_to_string(root().join("include/multisplit.h"))?;
    let tests = ["abi", "misuse", "misuse_family", "short", "hooks"]
        .map(|name| fs::read_to_string(root().join(format!("tests/{name}.c"))));
    let tests = tests.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    let mut count = 0;
    for file in fs::read_dir(root().join("src"))? {
        let file = file?.path();
        if file.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = fs::read_to_string(&file)?;
        for rest in text.split("extern \"C\" fn ").skip(1) {
            let name = format!("{}(", rest.split('(').next().unwrap_or_default());
            ensure!(
                header.contains(&name),
                "the header does not declare {name}), which {} defines",
                file.display()
            );
            ensure!(
                tests.contains(&name),
                "none of the searched C tests calls {name}), which {} defines",
                file.display()
            );
            count += 1;
        }
    }
    ensure!(count >= 20, "found only {count} exported functions; expected at least 20");
    Ok(())
}

/// Every multisplit name in the guide is declared in the header.
#[test]
fn guide_names_only_declared_items() -> Result<()> {
    let header = fs::read_to_string(root().join("include/multisplit.h"))?;
    let guide = fs::read_to_string(root().join("../../docs/embedding-c.md"))?;
    let words = guide.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    // Words that end in an underscore are prefixes of several names, and `BLESS` belongs to the tests.
    let named = words.filter(|word| {
        ["multisplit_", "MULTISPLIT_", "Multisplit"].iter().any(|start| word.starts_with(start))
            && !word.ends_with('_')
            && *word != BLESS
            && !BUILD_WORDS.contains(word)
    });
    for word in named {
        ensure!(header.contains(word), "the guide names {word}, which the header does not have");
    }
    Ok(())
}

/// Adapts the generated header: replaces the heading "Safety", a Rust convention, and adds the functions that
/// are written in C.
fn for_c(header: &str) -> String {
    let header = header.replace("/// # Safety\n", "/// The caller guarantees:\n");
    let functions = include_str!("../include/numbers.h.in");
    let end = "#ifdef __cplusplus\n}  // extern \"C\"";
    header.replace(end, &format!("{functions}{end}"))
}

#[test]
fn example_spirv_matches_its_source() -> Result<()> {
    for name in ["depths", "draw", "cull"] {
        let glsl = fs::read_to_string(root().join(format!("examples/{name}.comp")))?;
        let compiled = compile(&Source::new(name, &glsl))?;
        let path = root().join(format!("examples/{name}.spv.h"));
        if blesses() {
            fs::write(&path, array(name, &glsl, &compiled)?)?;
        }
        let there = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let recorded = words(&there);
        // Another compiler version may emit different words for the same source, so interfaces are compared.
        let same = reflect(&recorded)? == reflect(&compiled)?;
        expect_fresh(&path, same && there.contains(&hash_line(&glsl)))?;
    }
    Ok(())
}

/// SPIR-V as a C array, with a hash of its source.
fn array(name: &str, glsl: &str, spirv: &[u32]) -> Result<String> {
    let mut text = format!("/* Generated from {name}.comp. */\n{}\n", hash_line(glsl));
    writeln!(text, "static const uint32_t {name}_spirv[{}] = {{", spirv.len())?;
    for line in spirv.chunks(8) {
        let line: Vec<String> = line.iter().map(|word| format!("{word:#010x}")).collect();
        writeln!(text, "    {},", line.join(", "))?;
    }
    text += "};\n";
    Ok(text)
}

fn words(array: &str) -> Vec<u32> {
    let words = array.split_ascii_whitespace().filter_map(|word| word.strip_prefix("0x"));
    words.filter_map(|word| u32::from_str_radix(word.trim_end_matches(','), 16).ok()).collect()
}

/// Hashes the source by FNV-1a, as the build of the kernels does.
fn hash_line(glsl: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("/* source {:016x} */", glsl.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}
