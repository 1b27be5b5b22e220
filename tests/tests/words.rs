//! Checks that README, docs, names, comments, errors and help do not contain phrases that are hard
//! to understand (CONTRIBUTING.md).
#![allow(clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// Banned phrases and names, in lower case.
const BANNED: [&str; 28] = [
    "so many as",
    "so much as",
    "by so much",
    "in vain",
    "is told",
    "are told",
    "such a one",
    "left to others",
    "where there is none",
    "three are well",
    "values set out",
    "values that set out",
    "as the cpu does",
    "without words",
    "abreast",
    "brings_home",
    "brings the result home",
    "lone_tiles",
    "struct job ",
    "struct job;",
    "more workgroups than fit in x",
    "beyond_the_x_limit",
    "beyond_a_binding",
    "is no number",
    "of such operands",
    "is not here",
    "nobody wrote",
    "quick shape",
];

/// Words with which a comment must not begin, because it would not name the thing it describes.
const UNNAMED: [&str; 6] = ["What ", "Which ", "How ", "So many ", "Where ", "Whose "];

const FOLDERS: [&str; 7] =
    ["docs", "engine", "graph", "shaders/src", "shaders/glsl", "apps", "tests"];

const TEXTS: [&str; 8] = ["md", "rs", "glsl", "comp", "h", "c", "txt", "html"];

/// Paths that are not checked: the performance log keeps the names that were used at the time, and
/// this file lists the phrases.
const UNCHECKED: [&str; 3] = ["performance-log.md", "target", "tests/words.rs"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is readable").flatten() {
        let path = entry.path();
        if UNCHECKED.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ext| TEXTS.iter().any(|text| ext == *text)) {
            found.push(path);
        }
    }
}

#[test]
fn texts_do_not_contain_banned_phrases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = vec![root.join("README.md"), root.join("x")];
    for folder in FOLDERS {
        files(&root.join(folder), &mut found);
    }
    assert!(found.len() > 200, "found only {} files to check, expected more than 200", found.len());
    let mut problems = Vec::new();
    for path in found {
        let text = fs::read_to_string(&path).expect("the file is readable UTF-8");
        let mut in_comment = false;
        for (number, line) in text.lines().enumerate() {
            let comment =
                ["///", "//!", "//"].iter().find_map(|mark| line.trim().strip_prefix(mark));
            let begins = comment.filter(|text| !in_comment && !text.trim().is_empty());
            let place = || format!("{}:{}", path.display(), number + 1);
            let begins = begins.unwrap_or_default().trim();
            for word in UNNAMED.iter().filter(|word| begins.starts_with(**word)) {
                problems.push(format!("{}: a comment begins with \"{word}\"", place()));
            }
            in_comment = comment.is_some_and(|text| !text.trim().is_empty());
            let line = line.to_lowercase();
            for word in BANNED.iter().filter(|word| line.contains(**word)) {
                problems.push(format!("{}: \"{word}\"", place()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
