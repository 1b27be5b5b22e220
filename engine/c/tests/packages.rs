//! Tests the installed package from the point of view of other projects: CMake projects with the shared and
//! the static library, with and without GLSL; pkg-config; exported symbols, library size and licences.

mod toolchain;

use std::path::Path;

use anyhow::{Result, ensure};
use toolchain::{Installed, Library, Program};

/// Builds and runs a CMake project with each library: the last via `FetchContent`, the others via `find_package`.
fn consumers(installed: &Installed, expected: &str) -> Result<()> {
    for (library, fetched) in [
        ("multisplit::shared", false),
        ("multisplit::static", false),
        ("multisplit::multisplit", true),
    ] {
        let program = installed.build_with_cmake(library, fetched)?;
        let output = installed.run_well(&program, installed.widths()[0])?;
        ensure!(output == expected, "{library}: expected {expected:?}, found {output:?}");
    }
    Ok(())
}

#[test]
fn cmake_projects_build_and_run() -> Result<()> {
    consumers(Installed::get()?, "sorted, with GLSL\n")
}

/// Maximum size of the shared library without GLSL.
const MAX_LIBRARY_BYTES: u64 = 3_900_000;
/// Maximum size of a program that only sorts, linked with the static library without GLSL.
const MAX_SORTS_BYTES: u64 = 3_100_000;

/// Tests the libraries built by `./x install-c --no-glsl`.
#[test]
fn library_without_glsl_is_small_and_complete() -> Result<()> {
    let installed = Installed::without_glsl()?;
    consumers(&installed, "sorted, without GLSL\n")?;
    // No C++ library is needed, neither for linking nor at run time.
    let needs = installed.pkg_config_of("multisplit-static", &["--libs"])?;
    ensure!(
        !needs.iter().any(|flag| flag.contains("stdc++")),
        "a C++ library is needed: {needs:?}"
    );
    let sources = &["tests/cmake/consumer.c", "examples/host.c"];
    let program = Program { library: Library::Static, ..Program::new("plain-c", sources) };
    installed.run_well(&installed.build(&program)?, installed.widths()[0])?;
    visible_symbols(&installed)?;
    let size = installed.bytes("lib/libmultisplit.so")?;
    ensure!(
        size <= MAX_LIBRARY_BYTES,
        "the library has {size} bytes, expected at most {MAX_LIBRARY_BYTES}"
    );
    let sorts = installed.bytes_of_sorts()?;
    ensure!(
        sorts <= MAX_SORTS_BYTES,
        "a program that only sorts has {sorts} bytes, expected at most {MAX_SORTS_BYTES}"
    );
    println!("library: {size} bytes; a program that only sorts: {sorts} bytes");
    // Panic messages contain the names of source files, but not their absolute paths on this machine.
    for library in ["lib/libmultisplit.so", "lib/libmultisplit.a"] {
        let home = std::env::var("HOME")?;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
        for folder in [home, root.display().to_string()] {
            ensure!(
                !installed.contains(library, &format!("{folder}/"))?,
                "{library} contains the path {folder}/"
            );
        }
    }
    Ok(())
}

/// A CMake project for Windows links the DLL through its import library, and the static library.
#[test]
#[ignore = "needs mingw-w64 and the Rust target x86_64-pc-windows-gnu; `./x test --full` runs it if both are there"]
fn cmake_project_for_windows_links() -> Result<()> {
    let installed = Installed::for_windows()?;
    for library in ["multisplit::shared", "multisplit::static"] {
        let program = installed.build_for_windows(library)?;
        let imports = installed.imports_of(&program)?;
        let is_shared = library.ends_with("shared");
        ensure!(
            imports.contains("DLL Name: multisplit.dll") == is_shared,
            "{library}: only a program with the shared library must import multisplit.dll: {imports}"
        );
    }
    let exports = installed.imports_of(&installed.path("bin/multisplit.dll"))?;
    ensure!(
        exports.contains("multisplit_sort_pairs_create"),
        "multisplit.dll does not export multisplit_sort_pairs_create: {exports}"
    );
    Ok(())
}

#[test]
fn licences_are_installed() -> Result<()> {
    let installed = Installed::get()?;
    for (name, words) in
        [("LICENSE-MIT", "Permission is hereby granted"), ("LICENSE-APACHE", "Apache License")]
    {
        ensure!(
            installed.contains(&format!("share/licenses/multisplit/{name}"), words)?,
            "{name} does not contain `{words}`"
        );
    }
    Ok(())
}

/// A shared library that links the static archive does not export the functions of multisplit, so calls
/// cannot be redirected to another copy in the process.
#[test]
fn functions_of_the_static_library_cannot_be_interposed() -> Result<()> {
    let installed = Installed::get()?;
    let source =
        "#include <multisplit.h>\nunsigned plugin(void) { return multisplit_version(); }\n";
    installed.link_source("plugin", source, &["-shared", "-fPIC"], "multisplit-static", &[])?;
    let names = installed.symbols("plugin", &["--dynamic", "--defined-only"])?;
    ensure!(names.iter().any(|name| name == "plugin"), "plugin is not exported: {names:?}");
    ensure!(
        !names.iter().any(|name| name.starts_with("multisplit_")),
        "functions of multisplit are exported: {names:?}"
    );
    Ok(())
}

#[test]
fn fully_static_program_links_and_runs() -> Result<()> {
    let installed = Installed::get()?;
    let source = "#include <multisplit.h>\n#include <stdio.h>\n\
        int main(void) {\n  MultisplitResult result = multisplit_context_create(NULL, NULL);\n\
        printf(\"%s %s\\n\", multisplit_version_string(), multisplit_result_name(result));\n}\n";
    let program =
        installed.link_source("whole", source, &["-static"], "multisplit", &["--static"])?;
    let output = std::process::Command::new(program).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(
        text == format!("{} MULTISPLIT_ERROR_NULL\n", env!("CARGO_PKG_VERSION")),
        "expected the version and MULTISPLIT_ERROR_NULL, found {output:?}"
    );
    Ok(())
}

/// Different folders of a CMake project may use different installations, but one folder cannot use two.
#[test]
fn cmake_project_may_use_two_prefixes_but_not_mix_them() -> Result<()> {
    let installed = Installed::get()?;
    let (folders, mixed) = (installed.configure_two("OFF")?, installed.configure_two("ON")?);
    ensure!(folders.status.success(), "two prefixes in two folders must work: {folders:?}");
    let text = String::from_utf8_lossy(&folders.stdout);
    ensure!(
        text.contains("one: ") && text.contains("/second-prefix/lib/libmultisplit.so"),
        "the libraries of both prefixes must be reported: {text}"
    );
    let text = String::from_utf8_lossy(&mixed.stderr);
    ensure!(
        !mixed.status.success() && text.contains("multisplit was already found in"),
        "two prefixes in one folder must be rejected: {text}"
    );
    Ok(())
}

#[test]
fn libraries_export_only_declared_functions() -> Result<()> {
    visible_symbols(Installed::get()?)
}

fn visible_symbols(installed: &Installed) -> Result<()> {
    let header = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("include/multisplit.h"),
    )?;
    let version = format!("MULTISPLIT_{}", version());
    let archive = installed.symbols("lib/libmultisplit.a", &["--extern-only", "--defined-only"])?;
    let shared = installed.symbols("lib/libmultisplit.so", &["--dynamic", "--defined-only"])?;
    for names in [&archive, &shared] {
        ensure!(names.len() >= 25, "expected at least 25 symbols, found {names:?}");
        for name in names.iter().filter(|name| **name != version) {
            let (name, at) = name.split_once('@').unwrap_or((name, ""));
            ensure!(
                header.contains(&format!("{name}(")),
                "{name} is exported but not declared in the header"
            );
            ensure!(
                at.is_empty() || at.trim_start_matches('@') == version,
                "{name} has the symbol version `{at}`, expected `{version}`"
            );
        }
    }
    ensure!(
        shared.iter().any(|name| name.ends_with(&format!("@@{version}"))),
        "no symbol has the version {version}: {shared:?}"
    );
    Ok(())
}

/// The major and minor version.
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION").rsplit_once('.').map_or("", |(version, _)| version)
}

#[test]
fn pkg_config_reports_version_and_static_library() -> Result<()> {
    let installed = Installed::get()?;
    ensure!(installed.pkg_config(&["--modversion"])? == [env!("CARGO_PKG_VERSION")]);
    let whole = installed.pkg_config_of("multisplit-static", &["--libs"])?;
    ensure!(
        whole.iter().any(|flag| flag.ends_with("/libmultisplit.a")),
        "the flags lack the static library: {whole:?}"
    );
    ensure!(
        !whole.iter().any(|flag| flag == "-lmultisplit"),
        "the flags contain the shared library: {whole:?}"
    );
    Ok(())
}
