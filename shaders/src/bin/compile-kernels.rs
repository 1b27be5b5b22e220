//! Compiles every kernel of `glsl/kernels.txt`, and writes what is checked in: `spv/*.spv` and
//! `src/generated.rs`. `--check` writes nothing and fails when anything is not fresh.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use multisplit_shaders::compile::{Source, compile};
use multisplit_shaders::manifest::{self, Entry};

fn main() -> Result<()> {
    let check = std::env::args().any(|a| a == "--check");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = manifest::entries();
    let mut outputs = vec![
        ("src/generated.rs".to_owned(), generated_constants(&entries).into_bytes()),
        ("src/generated_includes.rs".to_owned(), generated_includes(root)?.into_bytes()),
    ];
    for entry in &entries {
        outputs.push((format!("spv/{}", entry.spirv_file()), spirv_of(root, entry)?));
    }
    let stale = unwanted_modules(root, &entries)?;
    let fresh =
        |(path, bytes): &(String, Vec<u8>)| fs::read(root.join(path)).is_ok_and(|f| f == *bytes);
    if check {
        let old: Vec<_> =
            outputs.iter().filter(|o| !fresh(o)).map(|o| &o.0).chain(&stale).collect();
        if !old.is_empty() {
            bail!("not fresh: {old:?}; run cargo run -p multisplit-shaders --bin compile-kernels");
        }
        return Ok(());
    }
    for path in stale {
        fs::remove_file(root.join(path))?;
    }
    for (path, bytes) in outputs.iter().filter(|o| !fresh(o)) {
        fs::write(root.join(path), bytes).with_context(|| path.clone())?;
        println!("{path}: {} bytes", bytes.len());
    }
    Ok(())
}

fn spirv_of(root: &Path, entry: &Entry) -> Result<Vec<u8>> {
    let path = root.join("glsl").join(&entry.file);
    let glsl = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let includes = include_texts(root)?;
    let includes: Vec<(&str, &str)> = includes.iter().map(|(n, t)| (&**n, &**t)).collect();
    let source =
        Source { name: &entry.file, glsl: &glsl, defines: &entry.defines, includes: &includes };
    let words = compile(&source).with_context(|| format!("kernel {}", entry.label))?;
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    validate(&entry.label, &bytes)?;
    Ok(bytes)
}

/// spirv-val is the judge of what is checked in; without it nothing is written.
fn validate(label: &str, bytes: &[u8]) -> Result<()> {
    let file = std::env::temp_dir().join(format!("multisplit-{}-{label}.spv", std::process::id()));
    fs::write(&file, bytes)?;
    let run = Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&file).output();
    let _ = fs::remove_file(&file);
    let run = run.context("spirv-val (package spirv-tools) is needed")?;
    if !run.status.success() {
        bail!("{label}: {}", String::from_utf8_lossy(&run.stderr));
    }
    Ok(())
}

/// Names and texts of `glsl/include/*.glsl`, sorted.
fn include_texts(root: &Path) -> Result<Vec<(String, String)>> {
    let mut texts = Vec::new();
    for file in fs::read_dir(root.join("glsl/include"))? {
        let path = file?.path();
        let name = path.file_name().and_then(|n| n.to_str()).context("odd file name")?.to_owned();
        texts.push((name, fs::read_to_string(&path)?));
    }
    texts.sort();
    Ok(texts)
}

fn unwanted_modules(root: &Path, entries: &[Entry]) -> Result<Vec<String>> {
    let mut unwanted = Vec::new();
    for file in fs::read_dir(root.join("spv"))? {
        let name = file?.file_name().to_string_lossy().into_owned();
        if !entries.iter().any(|e| e.spirv_file() == name) {
            unwanted.push(format!("spv/{name}"));
        }
    }
    Ok(unwanted)
}

const HEADER: &str = "// Written by compile-kernels; do not edit.\n";

fn generated_constants(entries: &[Entry]) -> String {
    let mut text = format!("{HEADER}\nuse crate::builtin::Builtin;\n\n");
    for entry in entries {
        let list = |show: fn(&(String, String)) -> String| {
            entry.defines.iter().map(show).collect::<Vec<_>>().join(", ")
        };
        let variant = match list(|(name, value)| format!("`{name}={value}`")) {
            none if none.is_empty() => none,
            some => format!(" with {some}"),
        };
        text += &format!(
            "/// `{label}`: `glsl/{file}`{variant}.\n\
             pub static {constant}: Builtin =\n    \
             Builtin::new(\"{label}\", &[{defines}], include_bytes!(\"../spv/{spv}\"));\n\n",
            label = entry.label,
            file = entry.file,
            constant = entry.constant(),
            defines = list(|(name, value)| format!("(\"{name}\", \"{value}\")")),
            spv = entry.spirv_file(),
        );
    }
    text += "/// Every built-in kernel, in the order of `glsl/kernels.txt`.\n";
    text += "pub static ALL: &[&Builtin] = &[\n";
    for entry in entries {
        text += &format!("    &{},\n", entry.constant());
    }
    text + "];\n"
}

fn generated_includes(root: &Path) -> Result<String> {
    let mut text = format!("{HEADER}\npub(super) static INCLUDES: &[(&str, &str)] = &[\n");
    for (name, _) in include_texts(root)? {
        text += &format!("    (\"{name}\", include_str!(\"../glsl/include/{name}\")),\n");
    }
    Ok(text + "];\n")
}
