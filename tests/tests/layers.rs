//! Checks imports: the files and folders of a crate do not import each other in cycles, and each
//! layer of the engine imports only itself and lower layers.
#![allow(clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Layers of the engine, lowest first. The `sizes.rs` of each operation counts as part of `policy`.
const ENGINE_LAYERS: [&str; 11] = [
    "error",
    "elements",
    "device",
    "memory",
    "execute",
    "policy",
    "operations",
    "tune",
    "work",
    "call",
    "embed",
];

/// Every crate.
const CRATES: [&str; 11] = [
    "shaders",
    "graph",
    "engine",
    "engine/c",
    "engine/python",
    "engine/sssp",
    "engine/wgpu",
    "apps",
    "apps/bench",
    "tests",
    "tests/machine",
];

/// Path of a module: `execute/pipeline.rs` is `[execute, pipeline]`, `execute/mod.rs` is
/// `[execute]`.
type Module = Vec<String>;

/// Pairs of modules: the first one imports the second one.
type Edges = BTreeSet<(Module, Module)>;

fn source_of(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src")
}

/// Text of every source file below a folder, except `main.rs`, which is not part of the library.
fn files(folder: &Path) -> BTreeMap<Module, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![(folder.to_owned(), Vec::new())];
    while let Some((folder, at)) = open.pop() {
        for entry in fs::read_dir(&folder).expect("the source folder is readable").flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let below = |name: &str| [at.clone(), vec![name.to_owned()]].concat();
            if path.is_dir() {
                open.push((path, below(&name)));
            } else if let Some(stem) = name.strip_suffix(".rs").filter(|stem| *stem != "main") {
                let module = if matches!(stem, "mod" | "lib") { at.clone() } else { below(stem) };
                found.insert(
                    module,
                    fs::read_to_string(&path).expect("the source file is readable"),
                );
            }
        }
    }
    found
}

/// Tokens of a source file, without comments, strings and characters. `::` is one token.
fn tokens(source: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = source;
    let end_of = |rest: &str, end: &str| rest.find(end).map_or(rest.len(), |at| at + end.len());
    let word = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(first) = rest.chars().next() {
        let hashes = rest.trim_start_matches('r').trim_start_matches('#');
        let raw = rest.starts_with('r') && hashes.starts_with('"') && !rest.starts_with("rr");
        let length = match first {
            _ if rest.starts_with("//") => end_of(rest, "\n"),
            _ if rest.starts_with("/*") => end_of(rest, "*/"),
            _ if raw => {
                let end = format!("\"{}", "#".repeat(rest.len() - hashes.len() - 1));
                let begin = rest.len() - hashes.len() + 1;
                begin + end_of(&rest[begin..], &end)
            }
            '"' => {
                let mut escaped = false;
                let ends = |c: char| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                };
                rest[1..].find(ends).map_or(rest.len(), |at| at + 2)
            }
            '\'' => match rest[1..].chars().next() {
                Some('\\') => 3 + rest[3..].find('\'').map_or(0, |at| at + 1),
                Some(c) if rest[1 + c.len_utf8()..].starts_with('\'') => 2 + c.len_utf8(),
                _ => 1,
            },
            c if word(c) => {
                let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
                found.push(&rest[..length]);
                length
            }
            c => {
                let length = if rest.starts_with("::") { 2 } else { c.len_utf8() };
                if !c.is_whitespace() {
                    found.push(&rest[..length]);
                }
                length
            }
        };
        rest = &rest[length..];
    }
    found
}

/// Names that a file uses from its crate, or defines.
#[derive(Default)]
struct Names {
    /// Paths that the file uses, and whether it re-exports them.
    used: Vec<(Module, bool)>,
    /// Imported names with their paths. The name of a glob import is `*`.
    imported: Vec<(String, Module)>,
    /// Items that the file defines.
    defined: BTreeSet<String>,
}

/// Index after the bracket that closes the one at `open`.
fn past(tokens: &[&str], open: usize) -> usize {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match *token {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// Collects the paths of a `use`, each with its local name.
fn leaves(tokens: &[&str], before: &[&str], found: &mut Vec<(Module, String)>) {
    let mut path: Vec<&str> = before.to_vec();
    let mut at = 0;
    while let Some(&token) = tokens.get(at) {
        match token {
            "::" => {}
            "{" => {
                let inner = &tokens[at + 1..past(tokens, at) - 1];
                let mut begin = 0;
                while begin < inner.len() {
                    let mut end = begin;
                    while end < inner.len() && inner[end] != "," {
                        end = if inner[end] == "{" { past(inner, end) } else { end + 1 };
                    }
                    leaves(&inner[begin..end], &path, found);
                    begin = end + 1;
                }
                return;
            }
            "as" => break,
            word => path.push(word),
        }
        at += 1;
    }
    if path.len() > 1 && path.last() == Some(&"self") {
        path.pop();
    }
    let Some(last) = path.last() else { return };
    let name = if tokens.get(at) == Some(&"as") { tokens[at + 1] } else { last };
    found.push((path.iter().map(|&word| word.to_owned()).collect(), name.to_owned()));
}

/// Collects the names of a file. Skips tests, which may import anything.
fn names(module: &Module, source: &str, all: &BTreeSet<Module>) -> Names {
    let tokens = tokens(source);
    let mut names = Names::default();
    // Inline modules around the current token, each with the index of its end.
    let mut inside: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        inside.retain(|(end, _)| at < *end);
        let mut here = module.clone();
        here.extend(inside.iter().map(|(_, name)| (*name).to_owned()));
        let absolute = |path: &[String]| -> Option<Module> {
            let mut base = here.clone();
            let mut rest = path;
            match path.first()?.as_str() {
                "crate" => (base, rest) = (Vec::new(), &path[1..]),
                "self" => rest = &path[1..],
                "super" => {
                    while rest.first().is_some_and(|word| word == "super") {
                        base.pop();
                        rest = &rest[1..];
                    }
                }
                child => {
                    let below = [base.as_slice(), &[child.to_owned()]].concat();
                    all.contains(&below).then_some(())?;
                }
            }
            Some([base.as_slice(), rest].concat())
        };
        let rest = &tokens[at..];
        match rest {
            ["#", "[", "cfg", "(", "test", ")", "]", item @ ..] => {
                let open = item.iter().position(|token| matches!(*token, "{" | ";")).unwrap_or(0);
                at += 7 + if item[open] == "{" { past(item, open) } else { open + 1 };
                continue;
            }
            ["mod", name, "{", ..] => inside.push((past(&tokens, at + 2), name)),
            ["use", ..] => {
                let end = at + rest.iter().position(|token| *token == ";").unwrap_or(rest.len());
                let public = at > 0 && matches!(tokens[at - 1], "pub" | ")");
                let mut found = Vec::new();
                leaves(&tokens[at + 1..end], &[], &mut found);
                for (path, name) in found {
                    if let Some(path) = absolute(&path) {
                        names.used.push((path.clone(), public));
                        names.imported.push((name, path));
                    }
                }
                at = end;
                continue;
            }
            ["fn" | "struct" | "enum" | "trait" | "type" | "const" | "static", name, ..]
            | ["macro_rules", "!", name, ..] => {
                names.defined.insert((*name).to_owned());
            }
            [first, "::", ..] if at == 0 || !matches!(tokens[at - 1], "::" | ".") => {
                let mut path = vec![(*first).to_owned()];
                let mut next = 1;
                while let Some(["::", word]) = rest.get(next..next + 2) {
                    path.push((*word).to_owned());
                    next += 2;
                }
                if let Some(path) = absolute(&path) {
                    names.used.push((path, false));
                }
                at += next;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    names
}

/// Files of a crate with their names.
struct Crate(BTreeMap<Module, Names>);

impl Crate {
    fn new(files: &BTreeMap<Module, String>) -> Self {
        let all = files.keys().cloned().collect();
        let names = files.iter().map(|(file, text)| (file.clone(), names(file, text, &all)));
        Self(names.collect())
    }

    /// File that defines the item at `path`. Follows re-exports.
    fn defining_module(&self, path: &[String], depth: usize) -> Module {
        let length = (0..=path.len()).rev().find(|&length| self.0.contains_key(&path[..length]));
        let file = path[..length.unwrap_or(0)].to_vec();
        let (Some(names), Some(item)) = (self.0.get(&file), path.get(file.len())) else {
            return file;
        };
        if depth == 0 || names.defined.contains(item) {
            return file;
        }
        for (name, target) in &names.imported {
            if name == item && target.as_slice() != path {
                return self
                    .defining_module(&[target, &path[file.len() + 1..]].concat(), depth - 1);
            }
            if let Some((_, from)) = target.split_last().filter(|_| name == "*") {
                let defining_module =
                    self.defining_module(&[from, &path[file.len()..]].concat(), depth - 1);
                if self.0.get(&defining_module).is_some_and(|names| names.defined.contains(item)) {
                    return defining_module;
                }
            }
        }
        file
    }

    /// Imports between files. A module that declares a child or re-exports its items does not
    /// import it.
    fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        for (file, names) in &self.0 {
            for (path, public) in &names.used {
                let target = self.defining_module(path, 8);
                if target != *file && !(*public && target.starts_with(file)) {
                    edges.insert((file.clone(), target));
                }
            }
        }
        edges
    }
}

/// Maps the `sizes.rs` of an operation to the policy; other modules stay as they are.
fn counted_as(module: Module) -> Module {
    match module.as_slice() {
        [first, operation, last] if first == "operations" && last == "sizes" => {
            ["policy", "sizes", operation].map(str::to_owned).to_vec()
        }
        _ => module,
    }
}

/// Modules that import themselves, directly or indirectly.
fn modules_in_cycles(edges: &Edges) -> BTreeSet<&Module> {
    let circular = |start: &&Module| {
        let mut open = vec![*start];
        let mut seen = BTreeSet::new();
        while let Some(node) = open.pop() {
            for (_, to) in edges.iter().filter(|(from, _)| from == node) {
                if to == *start {
                    return true;
                }
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        false
    };
    let importing: BTreeSet<&Module> = edges.iter().map(|(from, _)| from).collect();
    importing.into_iter().filter(circular).collect()
}

/// Panics if modules are in cycles. The message lists the imports between them.
fn check(what: &str, edges: &Edges) {
    let circular = modules_in_cycles(edges);
    let inside = edges.iter().filter(|(from, to)| circular.contains(from) && circular.contains(to));
    let list: String =
        inside.map(|(from, to)| format!("{} -> {}\n", from.join("/"), to.join("/"))).collect();
    assert!(list.is_empty(), "{what} import each other in a cycle:\n{list}");
}

#[test]
fn files_do_not_import_each_other_in_cycles() {
    for name in CRATES {
        check(&format!("files of {name}"), &Crate::new(&files(&source_of(name))).edges());
    }
}

#[test]
fn folders_do_not_import_each_other_in_cycles() {
    for name in CRATES {
        let files = files(&source_of(name));
        let counted: Vec<Module> = files.keys().cloned().map(counted_as).collect();
        let is_folder = |module: &[String]| {
            counted.iter().any(|file| file.len() > module.len() && file.starts_with(module))
        };
        let mut edges = Edges::new();
        for (file, target) in Crate::new(&files).edges() {
            let (file, target) = (counted_as(file), counted_as(target));
            let shared = file.iter().zip(&target).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (file.get(..=shared), target.get(..=shared))
                && is_folder(from)
                && is_folder(to)
            {
                edges.insert((from.to_vec(), to.to_vec()));
            }
        }
        check(&format!("folders of {name}"), &edges);
    }
}

#[test]
fn engine_layers_import_only_lower_layers() {
    let layer = |module: &Module| {
        let folder = module.first()?;
        ENGINE_LAYERS.iter().position(|layer| layer == folder)
    };
    for (file, target) in Crate::new(&files(&source_of("engine"))).edges() {
        let (file, target) = (counted_as(file), counted_as(target));
        if let (Some(own), Some(other)) = (layer(&file), layer(&target)) {
            assert!(
                other <= own,
                "{} imports {}, which is in a higher layer",
                file.join("::"),
                target.join("::")
            );
        }
    }
}

/// Imports between files that are given as paths and texts.
fn edges_of(files: &[(&str, &str)]) -> Vec<String> {
    let module = |path: &str| -> Module {
        path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let files = files.iter().map(|(path, text)| (module(path), (*text).to_owned())).collect();
    let edges = Crate::new(&files).edges();
    edges.iter().map(|(from, to)| format!("{} -> {}", from.join("/"), to.join("/"))).collect()
}

#[test]
fn imports_resolve_to_the_defining_file() {
    let library = ("", "mod a; mod b; pub use a::{Thing, c};");
    let folder = ("a", "mod c; mod d; pub use c::Thing; pub use d::*; pub struct Own;");
    let others = [
        ("a/c", "pub struct Thing; #[cfg(test)]\nmod tests { use crate::b; }"),
        ("a/d", "pub fn dug() {} // crate::b\nconst TEXT: &str = \"crate::b\";"),
    ];
    let imports = |text| edges_of(&[&[library, folder, ("b", text)], &others[..]].concat());
    assert_eq!(imports("use crate::a::Thing;"), ["b -> a/c"]);
    assert_eq!(imports("use crate::{Thing as That};"), ["b -> a/c"]);
    assert_eq!(imports("fn f() { super::a::dug(); }"), ["b -> a/d"]);
    assert_eq!(imports("use super::a::{self, Own};"), ["b -> a"]);
    assert_eq!(imports("mod inner { use super::super::a::{Own, d}; }"), ["b -> a", "b -> a/d"]);
    assert!(imports("use std::a::Thing; fn f<'a>(_: &'a str) -> char { ':' }").is_empty());
}

#[test]
fn import_cycle_is_detected() {
    let edge = |from: &str, to: &str| (vec![from.to_owned()], vec![to.to_owned()]);
    let edges = BTreeSet::from([edge("a", "b"), edge("b", "c"), edge("c", "a"), edge("c", "d")]);
    assert_eq!(modules_in_cycles(&edges).len(), 3);
    let edges = BTreeSet::from([edge("a", "b"), edge("b", "c"), edge("a", "c")]);
    assert!(modules_in_cycles(&edges).is_empty());
}
