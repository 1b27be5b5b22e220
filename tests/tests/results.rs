//! Checks that the generated tables in the documentation match the files in `docs/results`.
//!
//! `MULTISPLIT_BLESS=1 cargo test -p multisplit-tests --test results` updates the tables.
#![allow(clippy::expect_used)]

use std::path::Path;
use std::{env, fs};

use anyhow::Context as _;
use multisplit_bench::publish::filled;

const PAGES: [&str; 4] = ["docs/performance.md", "docs/sort.md", "docs/histogram.md", "README.md"];

#[test]
fn tables_match_the_result_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = root.join("docs/results");
    let mut pages = String::new();
    for name in PAGES {
        let path = root.join(name);
        let page = fs::read_to_string(&path).expect("the page is readable");
        let read =
            |file: &str| fs::read_to_string(folder.join(file)).with_context(|| file.to_owned());
        let fresh = filled(&page, read).expect("the markers and result files are valid");
        if env::var_os("MULTISPLIT_BLESS").is_some_and(|value| !value.is_empty()) {
            fs::write(&path, &fresh).expect("the page is writable");
        } else {
            assert!(
                page == fresh,
                "{name} differs from docs/results: run MULTISPLIT_BLESS=1 cargo test -p multisplit-tests --test results"
            );
        }
        pages += &fresh;
    }
    for file in fs::read_dir(folder).expect("docs/results is readable").flatten() {
        let name = file.file_name().into_string().expect("the file name is UTF-8");
        assert!(pages.contains(&name), "no page has a table of {name}");
    }
}
