//! Limits the size of the kernels: the table `sizes.txt` has the figures of each, and none may grow.
//!
//! `MULTISPLIT_BLESS=1 cargo test -p multisplit-shaders --test sizes` writes the table.
#![allow(clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

use multisplit_shaders::manifest;

/// Figures of a kernel, in the order of the columns of the table.
const FIGURES: [&str; 6] = ["includes", "lines", "constants", "switches", "macros", "variables"];
type Sizes = [usize; FIGURES.len()];

/// Kernels with limits that cannot be raised by writing the table anew: the block-level postscan and
/// one-sweep.
const LIMITED: [&str; 5] = [
    "multisplit/block_postscan.comp",
    "multisplit/block_postscan_labels.comp",
    "multisplit/onesweep.comp",
    "sort/onesweep.comp",
    "sort/segment_onesweep.comp",
];
/// The limits. A figure that is still above its limit must not exceed the one in the table.
const LIMITS: Sizes = [12, 1000, usize::MAX, 6, 6, 6];

const HEADER: &str = "\
# Sizes of the kernels. Written by: MULTISPLIT_BLESS=1 cargo test -p multisplit-shaders --test sizes
#
#   includes   files that the kernel includes, directly or indirectly
#   lines      lines of the kernel and its includes
#   constants  specialization constants
#   switches   macros that #if, #ifdef, #ifndef or #elif test, except include guards
#   macros     macros with parameters
#   variables  variables at file scope, except constants, shared memory, buffers and push constants
#
# All figures count every branch of the preprocessor, so they are the same for all variants of a kernel.

";

/// A table of the sizes of all kernels, by file.
type Table = BTreeMap<String, Sizes>;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Removes comments, and joins lines that end with a backslash.
fn code_of(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(begin) = rest.find("/*") {
        code += &rest[..begin];
        rest = rest[begin..].split_once("*/").map_or("", |(_, after)| after);
    }
    code += rest;
    let without_comments = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    let lines: Vec<String> = code.lines().map(without_comments).collect();
    lines.join("\n").replace("\\\n", " ")
}

/// Splits a preprocessor directive into its name and the rest of the line.
fn directive(line: &str) -> Option<(&str, &str)> {
    let text = line.trim().strip_prefix('#')?.trim_start();
    Some(text.split_at(text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len())))
}

/// Identifiers in a text.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Adds the names of the variables that a declaration at file scope declares. Text inside brackets is already removed.
fn add_declared(declaration: &str, variables: &mut BTreeSet<String>) {
    let text = declaration.trim();
    let first = identifiers(text).next().unwrap_or_default();
    let is_prototype = text.split('=').next().unwrap_or_default().contains('(');
    if ["layout", "struct", "const", "shared", ""].contains(&first) || is_prototype {
        return;
    }
    for declarator in text.split(',') {
        let name = identifiers(declarator.split('=').next().unwrap_or_default()).last();
        variables.extend(name.map(str::to_owned));
    }
}

/// Names of the variables that `code` declares at file scope.
fn variables(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut depth = 0;
    let mut item = String::new(); // declaration or definition so far, without the text inside brackets
    let lines = code.lines().filter(|line| directive(line).is_none());
    for c in lines.flat_map(|line| line.chars().chain(['\n'])) {
        match c {
            '(' | '[' | '{' => {
                if depth == 0 {
                    item.push(c);
                }
                depth += 1;
            }
            ')' | ']' | '}' => {
                depth -= 1;
                let first = identifiers(&item).next().unwrap_or_default();
                if depth == 0 && c == '}' && !["layout", "struct"].contains(&first) {
                    item.clear(); // end of a function
                }
            }
            ';' if depth == 0 => {
                add_declared(&item, &mut found);
                item.clear();
            }
            _ if depth == 0 => item.push(c),
            _ => {}
        }
    }
    found
}

/// Names that a kernel and its includes use.
#[derive(Default)]
struct Names {
    includes: BTreeSet<String>,
    constants: BTreeSet<String>,
    switches: BTreeSet<String>,
    macros: BTreeSet<String>,
    variables: BTreeSet<String>,
}

impl Names {
    /// Adds the names in a file, except for the files that it includes.
    fn add(&mut self, file: &str, code: &str) {
        let guard = file.replace('.', "_").to_uppercase();
        for (name, rest) in code.lines().filter_map(directive) {
            if ["if", "ifdef", "ifndef", "elif"].contains(&name) {
                let tested = identifiers(rest).filter(|name| *name != "defined" && *name != guard);
                self.switches.extend(tested.map(str::to_owned));
            } else if name == "define" {
                let defined = identifiers(rest).next().unwrap_or_default();
                if rest.trim_start().strip_prefix(defined).is_some_and(|v| v.starts_with('(')) {
                    self.macros.insert(defined.to_owned());
                }
            }
        }
        for id in ["constant_id =", "local_size_x_id ="] {
            let numbers = code.split(id).skip(1).filter_map(|rest| identifiers(rest).next());
            self.constants.extend(numbers.map(str::to_owned));
        }
        self.variables.append(&mut variables(code));
    }
}

/// Sizes of a kernel with this text. `include` returns the text of an include, or `None` if it is not a file: users'
/// functions are not.
fn sizes(kernel: &str, include: impl Fn(&str) -> Option<String>) -> Sizes {
    let mut names = Names::default();
    let mut lines = 0;
    let mut texts = vec![(String::new(), kernel.to_owned())];
    while let Some((file, text)) = texts.pop() {
        lines += text.lines().count();
        let code = code_of(&text);
        names.add(&file, &code);
        for (_, rest) in code.lines().filter_map(directive).filter(|(name, _)| *name == "include") {
            let name = rest.trim().trim_matches('"');
            if let Some(text) = include(name).filter(|_| !names.includes.contains(name)) {
                names.includes.insert(name.to_owned());
                texts.push((name.to_owned(), text));
            }
        }
    }
    let Names { includes, constants, switches, macros, variables } = names;
    [includes.len(), lines, constants.len(), switches.len(), macros.len(), variables.len()]
}

/// The table for the checked-in kernels.
fn current() -> Table {
    let families = manifest::families().expect("kernels.txt is well-formed");
    let files = families.into_iter().flat_map(|family| family.kernels).map(|kernel| kernel.file);
    let glsl = folder("glsl");
    let include = |name: &str| fs::read_to_string(glsl.join("include").join(name)).ok();
    let of_file = |file: String| {
        let text = fs::read_to_string(glsl.join(&file)).expect("the kernel is readable");
        let sizes = sizes(&text, include);
        (file, sizes)
    };
    files.collect::<BTreeSet<_>>().into_iter().map(of_file).collect()
}

/// Parses a table. Lines that begin with `#` are comments.
fn parse(text: &str) -> Table {
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).skip(1);
    let parsed = rows.map(|row| {
        let mut words = row.split_whitespace();
        let file = words.next().expect("a file").to_owned();
        let figures: Vec<usize> = words.map(|word| word.parse().expect("a number")).collect();
        (file, figures.try_into().expect("one number per column"))
    });
    parsed.collect()
}

fn text_of(table: &Table) -> String {
    let row = |file: &str, figures: [String; FIGURES.len()]| {
        let cells: String = figures.iter().map(|figure| format!("{figure:>11}")).collect();
        format!("{file:<36}{cells}\n")
    };
    let rows: String =
        table.iter().map(|(file, sizes)| row(file, sizes.map(|n| n.to_string()))).collect();
    HEADER.to_owned() + &row("file", FIGURES.map(str::to_owned)) + &rows
}

/// Describes the figures of `now` that are above their bounds.
fn excesses(file: &str, now: &Sizes, bounds: &Sizes) -> Vec<String> {
    let all = FIGURES.iter().zip(now).zip(bounds);
    let above = all.filter(|((_, now), bound)| now > bound);
    above.map(|((name, now), bound)| format!("{file}: {now} {name}, but at most {bound}")).collect()
}

#[test]
fn no_kernel_grows() {
    let path = folder("tests/sizes.txt");
    let recorded = parse(&fs::read_to_string(&path).unwrap_or_default());
    let now = current();
    let mut problems = Vec::new();
    for file in LIMITED {
        let mut bounds = LIMITS;
        for (bound, recorded) in bounds.iter_mut().zip(recorded.get(file).into_iter().flatten()) {
            *bound = (*bound).max(*recorded);
        }
        problems.extend(excesses(file, &now[file], &bounds));
    }
    if env::var_os("MULTISPLIT_BLESS").is_some_and(|value| !value.is_empty()) {
        assert!(problems.is_empty(), "above the limits:\n{}", problems.join("\n"));
        fs::write(&path, text_of(&now)).expect("the table is writable");
        return;
    }
    for (file, sizes) in &now {
        match recorded.get(file) {
            Some(bounds) => problems.extend(excesses(file, sizes, bounds)),
            None => problems.push(format!("{file}: not in the table")),
        }
    }
    let removed = recorded.keys().filter(|file| !now.contains_key(*file));
    problems.extend(removed.map(|file| format!("{file}: there is no such kernel")));
    assert!(
        problems.is_empty(),
        "{}\nif this is intended, run MULTISPLIT_BLESS=1 cargo test -p multisplit-shaders --test sizes",
        problems.join("\n")
    );
}

#[test]
fn every_branch_of_a_kernel_is_counted() {
    let kernel = "#version 460
#include \"part.glsl\" // again below
#include \"user_function.glsl\"
layout(local_size_x = 64, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(set = 0, binding = 0) buffer Dst { uint at[]; } dst;
shared uint pool[4];
uint a, b[2] = uint[2](1, 2);
uint prototype(uint x);
void main() {
    uint local = 0;
    /* uint removed; */
}
#include \"part.glsl\"
";
    let part = "// A part.
#ifndef PART_GLSL
#define PART_GLSL
layout(constant_id = WIDE_ID) const uint WIDE = 0;
#if defined(WIDE_KEYS) && \\
    KEY_BITS == 64
uvec2 key;
#elif !defined(NARROW)
uint key;
#endif
#define TWICE(x) (2 * (x))
#define PLAIN (1)
struct State { uint first; };
State state;
#endif
";
    let include = |name: &str| (name == "part.glsl").then(|| part.to_owned());
    let lines = kernel.lines().count() + part.lines().count();
    // Constants: workgroup size, WIDE. Switches: WIDE_KEYS, KEY_BITS, NARROW. Variables: a, b, key, state.
    assert_eq!(sizes(kernel, include), [1, lines, 2, 3, 1, 4]);
}

#[test]
fn tables_are_parsed_as_written() {
    let table = Table::from([("scan/reduce.comp".to_owned(), [1, 20, 3, 4, 5, 6])]);
    assert_eq!(parse(&text_of(&table)), table);
}
