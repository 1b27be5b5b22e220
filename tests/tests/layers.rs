//! Imports go one way: between the folders of a crate there is no circle, and the engine's layers
//! import downwards only.
#![allow(clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The engine's layers, the lowest first. `error` is data that all may know.
const ENGINE_LAYERS: [&str; 9] =
    ["error", "device", "memory", "execute", "primitives", "tune", "work", "call", "embed"];

const CRATES: [&str; 10] = [
    "shaders",
    "graph",
    "engine",
    "engine/c",
    "engine/python",
    "engine/sssp",
    "engine/wgpu",
    "apps",
    "tests",
    "tests/machine",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every source file below a folder, with its path in modules: `execute/pipeline.rs` is
/// `[execute, pipeline]`, `execute/mod.rs` is `[execute]`.
fn modules(folder: &Path) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    let mut open = vec![(folder.to_owned(), Vec::new())];
    while let Some((folder, at)) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources").flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let below = |name: &str| [at.clone(), vec![name.to_owned()]].concat();
            if path.is_dir() {
                open.push((path, below(&name)));
            } else if let Some(stem) = name.strip_suffix(".rs") {
                let module = match stem {
                    "mod" | "lib" | "main" => at.clone(),
                    _ => below(stem),
                };
                found.push((module, fs::read_to_string(&path).expect("a source file")));
            }
        }
    }
    found
}

/// The modules of the same crate that a source names: `crate::a::b` and `super::a`, as paths.
fn named(module: &[String], source: &str, is_module_file: bool) -> Vec<Vec<String>> {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let code: Vec<&str> =
        source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let mut found = Vec::new();
    for line in code {
        let words = |text: &str| -> Vec<String> {
            let path = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            let path = path.into_iter().next().unwrap_or_default();
            path.split("::").filter(|w| !w.is_empty()).map(str::to_owned).collect()
        };
        for (at, _) in line.match_indices("crate::") {
            found.push(words(&line[at + "crate::".len()..]));
        }
        for (at, _) in line.match_indices("super::") {
            if at >= 7 && line[..at].ends_with("super::") {
                continue;
            }
            let mut rest = &line[at..];
            let mut base = module.to_vec();
            if !is_module_file && base.is_empty() {
                continue;
            }
            while let Some(after) = rest.strip_prefix("super::") {
                base.pop();
                rest = after;
            }
            found.push([base, words(rest)].concat());
        }
    }
    found
}

/// The folders below `folder`, as paths.
fn folders(modules: &[(Vec<String>, String)]) -> BTreeSet<Vec<String>> {
    let mut all = BTreeSet::new();
    for (module, _) in modules {
        for depth in 1..module.len() {
            all.insert(module[..depth].to_vec());
        }
    }
    all
}

/// Which folder imports which of its siblings, with one module that does.
fn edges(source: &Path) -> BTreeMap<(Vec<String>, Vec<String>), String> {
    let modules = modules(source);
    let folders = folders(&modules);
    let mut edges = BTreeMap::new();
    for (module, text) in &modules {
        for target in named(module, text, folders.contains(module)) {
            let shared = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
            let (Some(from), Some(to)) = (module.get(..=shared), target.get(..=shared)) else {
                continue;
            };
            if from != to && folders.contains(from) && folders.contains(to) {
                edges.entry((from.to_vec(), to.to_vec())).or_insert_with(|| module.join("::"));
            }
        }
    }
    edges
}

/// A circle of folders, if there is one.
fn circle(edges: &BTreeMap<(Vec<String>, Vec<String>), String>) -> Option<Vec<String>> {
    let nodes: BTreeSet<_> = edges.keys().flat_map(|(from, to)| [from, to]).collect();
    for start in nodes {
        let mut open = vec![vec![start]];
        let mut seen = BTreeSet::new();
        while let Some(path) = open.pop() {
            let last = path[path.len() - 1];
            for (from, to) in edges.keys() {
                if from == last && to == start {
                    return Some(path.iter().map(|node| node.join("/")).collect());
                }
                if from == last && seen.insert(to) {
                    open.push([path.clone(), vec![to]].concat());
                }
            }
        }
    }
    None
}

#[test]
fn no_circle_between_folders() {
    for name in CRATES {
        let edges = edges(&root().join(name).join("src"));
        if let Some(circle) = circle(&edges) {
            let links: Vec<_> = edges
                .iter()
                .filter(|((from, to), _)| {
                    circle.contains(&from.join("/")) && circle.contains(&to.join("/"))
                })
                .map(|((from, to), module)| {
                    format!("{} -> {} ({module})", from.join("/"), to.join("/"))
                })
                .collect();
            panic!("{name}: a circle of folders {circle:?}\n{}", links.join("\n"));
        }
    }
}

#[test]
fn the_layers_of_the_engine_import_downwards() {
    let layer = |name: &str| ENGINE_LAYERS.iter().position(|layer| *layer == name);
    for (module, text) in modules(&root().join("engine/src")) {
        let Some(own) = module.first().and_then(|name| layer(name)) else { continue };
        for target in named(&module, &text, false) {
            let Some(other) = target.first().and_then(|name| layer(name)) else { continue };
            assert!(other <= own, "{} imports {}", module.join("::"), target.join("::"));
        }
    }
}

#[test]
fn a_circle_is_found() {
    let edge = |from: &str, to: &str| ((vec![from.to_owned()], vec![to.to_owned()]), String::new());
    let edges = BTreeMap::from([edge("a", "b"), edge("b", "c"), edge("c", "a"), edge("c", "d")]);
    assert!(circle(&edges).is_some());
    let edges = BTreeMap::from([edge("a", "b"), edge("b", "c"), edge("a", "c")]);
    assert!(circle(&edges).is_none());
}
