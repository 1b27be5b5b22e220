//! Compiles every kernel of `glsl/kernels.txt` and writes the checked-in files: `spv/*.spv`, `spv/sources.txt` and the
//! generated Rust constants. With `--check`, writes nothing and fails if any of these files is outdated. With
//! `--debug FOLDER`, writes only modules with debug information, into another folder; see "Debugging kernels" in
//! docs/testing.md.
//!
//! Different compiler versions emit different SPIR-V for the same GLSL. `spv/sources.txt` therefore contains a hash
//! of each kernel's GLSL, which can be checked on any machine, and a fingerprint of the compiler. If the current
//! compiler has the same fingerprint, modules are compared byte for byte. Otherwise, the GLSL must compile to the
//! same interface.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use multisplit_shaders::compile::{CompileError, Source, compile, compile_with_debug_info};
use multisplit_shaders::manifest::{self, Entry, Family};
use multisplit_shaders::reflect::reflect;

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let families = manifest::families()?;
    let entries: Vec<Entry> = families.iter().flat_map(|family| family.kernels.clone()).collect();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let checks = match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--check"] => true,
        ["--debug", folder] => return write_debug_modules(root, &entries, Path::new(folder)),
        _ => bail!("usage: compile-kernels [--check | --debug FOLDER]"),
    };
    let texts = vec![
        ("src/kernels/generated.rs".to_owned(), generated_constants(root, &families, &entries)?),
        ("spv/sources.txt".to_owned(), source_hashes(root, &entries)?),
    ];
    let modules: Vec<(String, Vec<u8>)> = entries
        .iter()
        .map(|e| Ok((format!("spv/{}", e.spirv_file()), spirv_of(root, e, compile)?)))
        .collect::<Result<_>>()?;
    let files = Files { texts, modules, stale: stale_modules(root, &entries)? };
    if checks { check(root, &files) } else { write(root, &files) }
}

/// Writes every module with debug information into `folder`.
fn write_debug_modules(root: &Path, entries: &[Entry], folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for entry in entries {
        let path = folder.join(entry.spirv_file());
        fs::write(&path, spirv_of(root, entry, compile_with_debug_info)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    println!("{} modules with debug information in {}", entries.len(), folder.display());
    Ok(())
}

/// The checked-in files, with their paths and contents.
struct Files {
    texts: Vec<(String, String)>,
    modules: Vec<(String, Vec<u8>)>,
    /// Modules of kernels that no longer exist.
    stale: Vec<String>,
}

/// Writes the files whose contents have changed, and removes stale modules.
fn write(root: &Path, files: &Files) -> Result<()> {
    for path in &files.stale {
        fs::remove_file(root.join(path))?;
    }
    let texts = files.texts.iter().map(|(path, text)| (path, text.as_bytes()));
    let modules = files.modules.iter().map(|(path, bytes)| (path, bytes.as_slice()));
    for (path, bytes) in texts.chain(modules) {
        let fresh = fs::read(root.join(path)).is_ok_and(|old| old == bytes);
        if !fresh {
            fs::write(root.join(path), bytes).with_context(|| format!("cannot write {path}"))?;
            println!("{path}: {} bytes", bytes.len());
        }
    }
    Ok(())
}

/// Fails if a checked-in file is outdated, and lists all such files.
fn check(root: &Path, files: &Files) -> Result<()> {
    let mut outdated: Vec<&str> = files.stale.iter().map(String::as_str).collect();
    let recorded = fs::read_to_string(root.join("spv/sources.txt")).unwrap_or_default();
    let same_compiler = recorded.lines().any(|line| line == fingerprint_line());
    for (path, text) in &files.texts {
        let stored = fs::read_to_string(root.join(path)).unwrap_or_default();
        let lines = |text: &str| -> Vec<String> {
            text.lines().filter(|l| !l.starts_with("compiler ")).map(str::to_owned).collect()
        };
        if lines(&stored) != lines(text) {
            outdated.push(path);
        }
    }
    for (path, bytes) in &files.modules {
        let stored = fs::read(root.join(path)).unwrap_or_default();
        let same = if same_compiler {
            stored == *bytes
        } else {
            reflect(&words(&stored)).ok() == reflect(&words(bytes)).ok()
        };
        if !same {
            outdated.push(path);
        }
    }
    ensure!(
        outdated.is_empty(),
        "outdated: {outdated:?}; run `cargo run -p multisplit-shaders --bin compile-kernels`"
    );
    Ok(())
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// Contents of `spv/sources.txt`: the fingerprint of the compiler, then one line per kernel.
fn source_hashes(root: &Path, entries: &[Entry]) -> Result<String> {
    let mut text = format!("{}\n", fingerprint_line());
    for entry in entries {
        let glsl = fs::read_to_string(root.join("glsl").join(&entry.file))?;
        let mut hash = fnv1a(FNV_START, format!("{:?}", entry.defines).as_bytes());
        hash = fnv1a(hash, glsl.as_bytes());
        for name in included(root, &glsl)? {
            hash =
                fnv1a(hash, fs::read_to_string(root.join("glsl/include").join(name))?.as_bytes());
        }
        text += &format!("{} {hash:016x}\n", entry.label);
    }
    Ok(text)
}

/// Names of all direct and indirect includes of `glsl`.
fn included(root: &Path, glsl: &str) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut texts = vec![glsl.to_owned()];
    while let Some(text) = texts.pop() {
        let names = text.lines().filter_map(|line| line.trim().strip_prefix("#include \""));
        for name in names.filter_map(|rest| rest.split('"').next()) {
            // Includes for users' functions are not files.
            let path = root.join("glsl/include").join(name);
            if path.exists() && found.insert(name.to_owned()) {
                texts.push(fs::read_to_string(path)?);
            }
        }
    }
    Ok(found)
}

/// Initial value of a 64-bit FNV-1a hash.
const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// Continues a 64-bit FNV-1a hash with more bytes.
fn fnv1a(start: u64, bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(start, step)
}

/// A fingerprint of the compiler: the hash of its output for a shader that uses various features.
fn fingerprint_line() -> String {
    const PROBE: &str = "#version 460
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64, local_size_x_id = 0) in;
layout(constant_id = 1) const uint K = 3;
layout(set = 0, binding = 0) readonly buffer In { uint at[]; } src;
layout(set = 0, binding = 1) volatile buffer Out { uint head; uvec2 at[]; } dst;
layout(push_constant) uniform Push { uint count; } push;
shared uint pool[gl_WorkGroupSize.x];
uint pick(uint x, out uint y) { y = x * K; return x >> 1; }
void main() {
    uint rows[4], y, i = gl_GlobalInvocationID.x;
    [[unroll]] for (uint r = 0; r < 4; ++r) rows[r] = i + r < push.count ? src.at[i + r] : 0;
    pool[gl_LocalInvocationIndex] = subgroupInclusiveAdd(pick(rows[K], y));
    barrier();
    uvec4 votes = subgroupBallot(y > 7);
    if (subgroupElect()) atomicAdd(dst.head, bitCount(votes.x));
    dst.at[i] = uvec2(pool[0], y);
}";
    let words = compile(&Source::new("probe.comp", PROBE)).unwrap_or_default();
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    format!("compiler {:016x}", fnv1a(FNV_START, &bytes))
}

type Compile = fn(&Source<'_>) -> Result<Vec<u32>, CompileError>;

fn spirv_of(root: &Path, entry: &Entry, compile: Compile) -> Result<Vec<u8>> {
    let path = root.join("glsl").join(&entry.file);
    let glsl =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let includes = include_texts(root)?;
    let includes: Vec<(&str, &str)> = includes.iter().map(|(n, t)| (&**n, &**t)).collect();
    let source =
        Source { name: &entry.file, glsl: &glsl, defines: &entry.defines, includes: &includes };
    let words = compile(&source).with_context(|| format!("kernel {}", entry.label))?;
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    validate(&entry.label, &bytes)?;
    Ok(bytes)
}

/// Validates a module with spirv-val. Files are written only if this succeeds.
fn validate(label: &str, bytes: &[u8]) -> Result<()> {
    let file = std::env::temp_dir().join(format!("multisplit-{}-{label}.spv", std::process::id()));
    fs::write(&file, bytes)?;
    let run = Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&file).output();
    let _ = fs::remove_file(&file);
    let run = run.context("cannot run spirv-val; install the package spirv-tools")?;
    if !run.status.success() {
        bail!("spirv-val rejects kernel {label}: {}", String::from_utf8_lossy(&run.stderr));
    }
    Ok(())
}

/// Names and contents of `glsl/include/*.glsl`, sorted.
fn include_texts(root: &Path) -> Result<Vec<(String, String)>> {
    let mut texts = Vec::new();
    for file in fs::read_dir(root.join("glsl/include"))? {
        let path = file?.path();
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .context("the name of a file in glsl/include is not UTF-8")?
            .to_owned();
        texts.push((name, fs::read_to_string(&path)?));
    }
    texts.sort();
    Ok(texts)
}

/// Paths of the modules of kernels that no longer exist.
fn stale_modules(root: &Path, entries: &[Entry]) -> Result<Vec<String>> {
    let mut stale = Vec::new();
    for file in fs::read_dir(root.join("spv"))? {
        let name = file?.file_name().to_string_lossy().into_owned();
        if name != "sources.txt" && !entries.iter().any(|e| e.spirv_file() == name) {
            stale.push(format!("spv/{name}"));
        }
    }
    Ok(stale)
}

fn generated_constants(root: &Path, families: &[Family], entries: &[Entry]) -> Result<String> {
    let mut text = "// Written by compile-kernels; do not edit.\n\n\
                    use super::embedded::{Builtin, builtins};\n\nbuiltins! {\n"
        .to_owned();
    for entry in entries {
        let define = |(name, value): &(String, String)| format!("{name} = \"{value}\"");
        let defines = entry.defines.iter().map(define).collect::<Vec<_>>().join(", ");
        let (constant, label, file) = (entry.constant(), &entry.label, &entry.file);
        text += &format!("    {constant}: \"{label}\", \"{file}\", [{defines}];\n");
    }
    text += "}\n\n";
    text += &tables_of_variants(families);
    text += &constant_names(root)?;
    Ok(text)
}

/// Generates one table per family of kernels with axes, indexed by the choices of the axes.
fn tables_of_variants(families: &[Family]) -> String {
    let mut text = "/// Kernel variants: one table for each line of `glsl/kernels.txt` that has axes. The table is indexed by the\n\
                    /// number of the choice on each axis, in the order of the axes.\n\
                    pub mod variants {\n    use crate::kernels::embedded::{Builtin, variants};\n\n    variants! {\n"
        .to_owned();
    for family in families.iter().filter(|family| !family.axes.is_empty()) {
        let mut rows: Vec<String> =
            family.kernels.iter().map(|kernel| format!("&super::{}", kernel.constant())).collect();
        let mut of = "&Builtin".to_owned();
        for &choices in family.axes.iter().rev() {
            rows = rows.chunks(choices).map(|row| format!("[{}]", row.join(", "))).collect();
            of = format!("[{of}; {choices}]");
        }
        let (label, table) = (&family.label, rows.concat());
        let constant = manifest::constant(label);
        text += &format!("        {constant}: \"{label}\", {of} = {table};\n");
    }
    text + "    }\n}\n\n"
}

/// Generates the list of all specialization constants in `glsl/include/constant_ids.glsl`.
fn constant_names(root: &Path) -> Result<String> {
    let mut text =
        "/// Every specialization constant that a built-in kernel may have, with its number.\n\
                    pub static CONSTANT_IDS: &[(&str, u32)] = &[\n"
            .to_owned();
    let list = fs::read_to_string(root.join("glsl/include/constant_ids.glsl"))?;
    for line in list.lines().filter_map(|line| line.strip_prefix("#define ")) {
        let Some((name, id)) = line.split_once("_ID ") else { continue };
        let id: u32 = id.trim().parse().with_context(|| format!("constant_ids.glsl: {line}"))?;
        // The constant for the workgroup size has no name in a shader. Reflection names it after its layout qualifier.
        let name = if name == "LOCAL_SIZE_X" { "local_size_x" } else { name };
        text += &format!("    (\"{name}\", {id}),\n");
    }
    Ok(text + "];\n")
}
