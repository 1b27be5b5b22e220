//! Tests the installed package from the point of view of other projects: CMake projects with the shared and
//! the static library, with and without GLSL; pkg-config; exported symbols and library size.

mod toolchain;

use std::path::Path;

use anyhow::{Result, ensure};
use toolchain::{Installed, Library, Program};

/// Builds a CMake project with each library, via `find_package` and via `FetchContent`.
fn consumers(installed: &Installed, expected: &str) -> Result<()> {
    for (library, fetched) in [
        ("multisplit::shared", false),
        ("multisplit::static", false),
        ("multisplit::multisplit", true),
    ] {
        let program = installed.build_with_cmake(library, fetched)?;
        let output = installed.run_well(&program, installed.widths()[0])?;
        ensure!(output == expected, "{library}: {output}");
    }
    Ok(())
}

#[test]
fn cmake_projects_build_and_run() -> Result<()> {
    consumers(Installed::get()?, "sorted, with GLSL\n")
}

#[test]
#[ignore = "builds all that the library is made of once more; `./x test --full` runs it"]
fn cmake_projects_build_and_run_without_glsl() -> Result<()> {
    let installed = Installed::without_glsl()?;
    consumers(&installed, "sorted, without GLSL\n")?;
    // No C++ library is needed, neither for linking nor at run time.
    let needs = installed.pkg_config_of("multisplit-static", &["--libs"])?;
    ensure!(!needs.iter().any(|flag| flag.contains("stdc++")), "{needs:?}");
    let program = Program {
        name: "plain-c",
        sources: &["tests/cmake/consumer.c", "examples/host.c"],
        flags: &[],
        library: Library::Static,
    };
    installed.run_well(&installed.build(&program)?, installed.widths()[0])?;
    visible_symbols(&installed)?;
    // Size of the library as shipped.
    let size = installed.bytes("lib/libmultisplit.so")?;
    ensure!(size < 5_000_000, "{size} bytes");
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
        ensure!(names.len() >= 25, "{names:?}");
        for name in names.iter().filter(|name| **name != version) {
            let (name, at) = name.split_once('@').unwrap_or((name, ""));
            ensure!(header.contains(&format!("{name}(")), "{name} is visible");
            ensure!(at.is_empty() || at.trim_start_matches('@') == version, "{name}@{at}");
        }
    }
    ensure!(shared.iter().any(|name| name.ends_with(&format!("@@{version}"))), "{shared:?}");
    Ok(())
}

/// The major and minor version.
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION").rsplit_once('.').map_or("", |(version, _)| version)
}

#[test]
fn pkg_config_reports_version_and_both_libraries() -> Result<()> {
    let installed = Installed::get()?;
    ensure!(installed.pkg_config(&["--modversion"])? == [env!("CARGO_PKG_VERSION")]);
    let whole = installed.pkg_config_of("multisplit-static", &["--libs"])?;
    ensure!(whole.iter().any(|flag| flag.ends_with("/libmultisplit.a")), "{whole:?}");
    ensure!(!whole.iter().any(|flag| flag == "-lmultisplit"), "{whole:?}");
    Ok(())
}
