//! Checks that the paths and the names of items in `docs/adding-an-operation.md` exist.
#![allow(clippy::expect_used)]

use std::collections::HashSet;
use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../../docs/adding-an-operation.md");

/// The text between pairs of backticks.
fn code() -> impl Iterator<Item = &'static str> {
    PAGE.split('`').skip(1).step_by(2)
}

fn is_path(code: &str) -> bool {
    let ends = [".rs", ".c", ".h", ".hpp", ".md", ".txt", ".comp", ".glsl", ".py", ".pyi"];
    !code.contains(char::is_whitespace)
        && (code.contains('/') || ends.iter().any(|end| code.ends_with(end)))
}

#[test]
fn guide_names_only_existing_files_and_items() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut texts = String::new();
    for path in code().filter(|code| code.contains('/') && is_path(code)) {
        let path = root.join(path);
        assert!(path.exists(), "{} does not exist", path.display());
        if path.is_file() {
            texts += &fs::read_to_string(path).expect("the file is readable UTF-8");
        }
    }
    let words: HashSet<_> = texts.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()).collect();
    let mut count = 0;
    for name in code().filter(|code| !is_path(code)) {
        let is_word = |c: char| c == '_' || c == ':' || c == '!' || c.is_ascii_alphanumeric();
        // Commands and options are not names.
        if !name.chars().all(is_word) {
            continue;
        }
        for part in name.trim_end_matches('!').split("::") {
            assert!(words.contains(part), "no file that the guide names contains `{part}`");
            count += 1;
        }
    }
    assert!(count > 60, "found only {count} names in the guide, expected more than 60");
}
