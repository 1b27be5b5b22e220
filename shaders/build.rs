//! Packs the SPIR-V of the built-in kernels (`src/kernels/packed.rs`), whose variants are nearly equal, to a tenth
//! of its size. The library unpacks a kernel on first use. Also lists the GLSL sources (`src/sources.rs`).

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "src/kernels/packed.rs"]
mod packed;

use packed::{MIN_REPEAT, POSITIONS, Relative, result_position, unpack};

/// Environment variable that names a folder with other modules than those checked in, such as modules with debug
/// information. Empty counts as unset.
const MODULES: &str = "MULTISPLIT_SPIRV";
/// Maximum deflate level. Compressing all kernels takes about a second per build.
const LEVEL: u8 = 10;
/// Every `SAMPLED`-th module is read to decide which operands are stored relative to a result id. A sample is
/// sufficient, and faster.
const SAMPLED: usize = 8;
/// Number of bytes that are hashed to find the start of a repetition.
const HASHED: usize = 8;
/// Number of bits of a hash.
const HASH_BITS: u32 = 18;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/kernels/packed.rs");
    println!("cargo::rerun-if-changed=glsl");
    println!("cargo::rerun-if-env-changed={MODULES}");
    let to = PathBuf::from(env::var("OUT_DIR")?);
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    fs::write(to.join("sources.rs"), sources(&root.join("glsl"))?)?;
    let checked_in = root.join("spv");
    let named = env::var_os(MODULES).filter(|folder| !folder.is_empty());
    let from = named.map_or(checked_in, PathBuf::from);
    println!("cargo::rerun-if-changed={}", from.display());
    let groups = groups(&from)?;
    let rows = id_operands(groups.values().flatten().map(|(_, words)| words).step_by(SAMPLED));
    let relative = Relative::new(&rows);
    fs::write(to.join("relative"), &rows)?;
    let include = |file: &str| format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{file}\"))");
    let mut code = format!("pub static RELATIVE: &[u8] = {};\n", include("relative"));
    for (group, modules) in &groups {
        let packed = pack(modules.iter().map(|(_, words)| words.as_slice()), &relative);
        let unpacked = unpack(&packed, &relative, modules.len() - 1).unwrap_or_default();
        if !modules.iter().map(|(_, words)| words).eq(&unpacked) {
            return Err(format!("unpacking the kernels `{group}` does not restore them").into());
        }
        let (name, file) = (constant(group), format!("{group}.pack"));
        writeln!(code, "static GROUP_{name}: &[u8] = {};", include(&file))?;
        for (index, (label, _)) in modules.iter().enumerate() {
            let value = format!("Packed {{ group: &GROUP_{name}, index: {index} }}");
            writeln!(code, "pub const {}: Packed = {value};", constant(label))?;
        }
        fs::write(to.join(file), packed)?;
    }
    fs::write(to.join("packs.rs"), code)?;
    Ok(())
}

/// Returns the files in a folder, sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let files = fs::read_dir(folder)?.map(|file| Ok(file?.path()));
    let mut files = files.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    files.sort();
    Ok(files)
}

/// Generates two lists of names and texts: the includes, and the kernels in the other folders of `glsl`.
fn sources(glsl: &Path) -> Result<String, Box<dyn Error>> {
    let (mut includes, mut kernels) = (String::new(), String::new());
    for folder in files(glsl)?.into_iter().filter(|path| path.is_dir()) {
        let folder = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for file in files(&glsl.join(&folder))? {
            let file = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let path = format!("{folder}/{file}");
            let text =
                format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/glsl/{path}\"))");
            if folder == "include" && file.ends_with(".glsl") {
                writeln!(includes, "({file:?}, {text}),")?;
            } else if file.ends_with(".comp") {
                writeln!(kernels, "({path:?}, {text}),")?;
            }
        }
    }
    let list = |name, files| format!("static {name}: &[(&str, &str)] = &[\n{files}];\n");
    Ok(list("INCLUDES", includes) + &list("KERNELS", kernels))
}

/// Returns the name of the Rust constant for a label.
fn constant(label: &str) -> String {
    label.to_uppercase().replace('.', "_")
}

type Module = (String, Vec<u32>);

/// Reads all modules, grouped by the first two parts of their labels, which the variants of a kernel share.
fn groups(from: &Path) -> Result<BTreeMap<String, Vec<Module>>, Box<dyn Error>> {
    let mut groups = BTreeMap::<_, Vec<_>>::new();
    for path in files(from)?.iter().filter(|path| path.extension().is_some_and(|e| e == "spv")) {
        let label = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let group = label.split('.').take(2).collect::<Vec<_>>().join(".");
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |w, &b| (w << 8) | u32::from(b));
        let words = fs::read(path)?.chunks_exact(4).map(word).collect();
        groups.entry(group).or_default().push((label, words));
    }
    Ok(groups)
}

/// Calls `body` with the opcode and the operands of each instruction.
fn instructions(words: &[u32], mut body: impl FnMut(u32, &[u32])) {
    let mut rest = words.get(5..).unwrap_or_default();
    while let Some(first) = rest.first() {
        let (instruction, after) = rest.split_at(((first >> 16) as usize).clamp(1, rest.len()));
        body(first & 0xFFFF, &instruction[1..]);
        rest = after;
    }
}

/// Finds the operands that take fewer bits if they are stored relative to the latest result id. Returns 4 bytes for
/// each opcode with such operands: the opcode, and a mask with one bit per operand position.
fn id_operands<'w>(modules: impl Iterator<Item = &'w Vec<u32>>) -> Vec<u8> {
    let mut values = BTreeMap::<(u32, usize), [HashMap<u32, u32>; 2]>::new();
    for words in modules {
        let mut latest = 0;
        instructions(words, |op, operands| {
            for (position, &word) in operands.iter().enumerate() {
                if result_position(op) == Some(position) {
                    latest = word;
                    continue;
                }
                let [plain, relative] =
                    values.entry((op, position.min(POSITIONS - 1))).or_default();
                *plain.entry(word).or_default() += 1;
                *relative.entry(word.wrapping_sub(latest)).or_default() += 1;
            }
        });
    }
    let mut rows = BTreeMap::<u32, u16>::new();
    for ((op, position), [plain, relative]) in &values {
        if bits(relative) < bits(plain) {
            *rows.entry(*op).or_default() |= 1 << position;
        }
    }
    rows.iter()
        .flat_map(|(op, bits)| [(*op as u16).to_le_bytes(), bits.to_le_bytes()].concat())
        .collect()
}

/// Size in bits of an ideal entropy code for a sequence of numbers, with 8 bits per distinct number for the code table.
/// `counts` contains the number of occurrences of each number. The counts are sorted, so that rounding does not depend
/// on the order of the map.
fn bits(counts: &HashMap<u32, u32>) -> u64 {
    let mut counts: Vec<f64> = counts.values().map(|&count| f64::from(count)).collect();
    counts.sort_by(f64::total_cmp);
    let all: f64 = counts.iter().sum();
    counts.iter().map(|count| 8.0 - count * (count / all).log2()).sum::<f64>() as u64
}

/// Appends a number, seven bits per byte, low bits first.
fn number(mut number: u32, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Appends a signed difference, with its sign in the lowest bit.
fn difference(difference: u32, to: &mut Vec<u8>) {
    let sign = 0u32.wrapping_sub(difference >> 31);
    number(difference << 1 ^ sign, to);
}

/// Appends a module, whose instructions are encoded as `unpack` expects.
fn module(words: &[u32], relative: &Relative, to: &mut Vec<u8>) {
    number(words.len() as u32, to);
    words.iter().take(5).for_each(|&word| number(word, to));
    let mut latest = 0u32;
    instructions(words, |op, operands| {
        number(op, to);
        number(operands.len() as u32, to);
        for (position, &word) in operands.iter().enumerate() {
            if result_position(op) == Some(position) {
                difference(word.wrapping_sub(latest), to);
                latest = word;
            } else if relative.is(op, position) {
                difference(latest.wrapping_sub(word), to);
            } else {
                number(word, to);
            }
        }
    });
}

/// Packs the modules of a group.
fn pack<'w>(modules: impl Iterator<Item = &'w [u32]>, relative: &Relative) -> Vec<u8> {
    let mut bytes = Vec::new();
    modules.for_each(|words| module(words, relative, &mut bytes));
    let (references, literals) = repetitions(&bytes);
    let mut all = Vec::new();
    number(references.len() as u32, &mut all);
    all.extend(references);
    all.extend(literals);
    miniz_oxide::deflate::compress_to_vec(&all, LEVEL)
}

/// Splits `bytes` into references to repeated bytes, and the other bytes.
fn repetitions(bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (mut references, mut literals) = (Vec::new(), Vec::new());
    // The latest position with each hash.
    let mut known = vec![None; 1 << HASH_BITS];
    let hash = |at: usize| {
        let bytes = bytes[at..at + HASHED].iter().fold(0, |all, &byte| all << 8 | u64::from(byte));
        (bytes.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - HASH_BITS)) as usize
    };
    let (mut at, mut done) = (0, 0);
    while at + HASHED <= bytes.len() {
        let earlier: Option<usize> = known[hash(at)].replace(at);
        let repeated = |from: usize| {
            bytes[from..].iter().zip(&bytes[at..]).take_while(|(one, other)| one == other).count()
        };
        let length = earlier.map_or(0, repeated);
        if length < MIN_REPEAT {
            at += 1;
            continue;
        }
        literals.extend(&bytes[done..at]);
        number((at - done) as u32, &mut references);
        number((length - MIN_REPEAT) as u32, &mut references);
        number((at - earlier.unwrap_or_default()) as u32, &mut references);
        done = at + length;
        for inside in at + 1..done.min(bytes.len() - HASHED + 1) {
            known[hash(inside)] = Some(inside);
        }
        at = done;
    }
    literals.extend(&bytes[done..]);
    number((bytes.len() - done) as u32, &mut references);
    (references, literals)
}
