//! The examples, and the tests that are written in C: built against the installed library as a user
//! builds them, and run on a driver, where any message of the validation layer fails them.

mod toolchain;

use anyhow::{Context as _, Result, ensure};
use toolchain::{Installed, Library, Program, text};

/// What the examples exit with where the validation layer has spoken, and nothing else is wrong.
const MESSAGES: i32 = 3;

/// A program in C that sorts particles between its own two passes, with barriers of its own.
fn particles<'p>(name: &'p str, flags: &'p [&'p str]) -> Program<'p> {
    let sources = &["examples/particles.c", "examples/host.c"];
    Program { name, sources, flags, library: Library::Shared }
}

#[test]
fn a_c_engine_sorts_between_its_own_passes() -> Result<()> {
    let installed = Installed::get()?;
    let program = installed.build(&particles("particles", &[]))?;
    for width in installed.widths() {
        let said = installed.run_well(&program, width)?;
        ensure!(said.matches("back to front").count() == 3, "{said}");
    }
    Ok(())
}

/// Either barrier that the contract names is needed: the layer objects where it is left out.
#[test]
fn a_c_engine_that_leaves_out_a_barrier_is_noticed() -> Result<()> {
    let installed = Installed::get()?;
    for (name, flag) in [("no-entry", "-DENTRY_BARRIER=0"), ("no-exit", "-DEXIT_BARRIER=0")] {
        let program = installed.build(&particles(name, &[flag]))?;
        let output = installed.run(&program, installed.widths()[0])?;
        let said = text(&output.stderr);
        ensure!(output.status.code() == Some(MESSAGES), "{flag}: {}\n{said}", output.status);
        ensure!(said.contains("SYNC-HAZARD-READ-AFTER-WRITE"), "{flag}: {said}");
        let all_of_a_kind = said.lines().filter(|line| line.starts_with("validation: "));
        ensure!(all_of_a_kind.clone().all(|line| line.contains("SYNC-HAZARD")), "{flag}: {said}");
    }
    Ok(())
}

/// The same engine in C++, with barriers that the operations record, and the static library.
#[test]
fn a_cpp_engine_counts_and_splits_between_its_own_passes() -> Result<()> {
    let installed = Installed::get()?;
    let sources = &["examples/particles.cpp", "examples/host.c"];
    let library = Library::Static;
    let program = Program { name: "particles-cpp", sources, flags: &[], library };
    let program = installed.build(&program)?;
    for width in installed.widths() {
        let said = installed.run_well(&program, width)?;
        ensure!(said.contains("counted 1, parted 1, ordered 1"), "{said}");
    }
    Ok(())
}

/// Callers that are wrong get error codes, and callers that are right get right results.
#[test]
fn the_interface_bears_anything_under_address_sanitizer() -> Result<()> {
    let installed = Installed::get()?;
    let flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", VERSION];
    let sanitized = installed.build(&abi("abi-sanitized", &flags))?;
    let plain = installed.build(&abi("abi", &[VERSION]))?;
    for (count, width) in installed.widths().iter().enumerate() {
        // The sanitizer makes drivers that compile slow: what it looks at has no width.
        let program = if count == 0 { &sanitized } else { &plain };
        let said = installed.run_well(program, width)?;
        ensure!(said.ends_with(" checks, 0 failed\n"), "{said}");
    }
    Ok(())
}

/// The programs in the guide, as they are printed there.
#[test]
fn the_programs_in_the_guide_sort() -> Result<()> {
    let installed = Installed::get()?;
    for name in ["short.c", "wrapper.cpp"] {
        let source = installed.guide_program(name)?;
        let source = source.to_str().context("a path that is text")?;
        let program = Program {
            name: &format!("guide-{name}"),
            sources: &[source, "examples/host.c"],
            flags: &[],
            library: Library::Shared,
        };
        let said = installed.run_well(&installed.build(&program)?, installed.widths()[0])?;
        ensure!(said == "sorted\n", "{name}: {said}");
    }
    Ok(())
}

#[test]
fn the_short_way_bears_anything_too() -> Result<()> {
    let installed = Installed::get()?;
    let sources = &["tests/short.c", "tests/suite.c", "examples/host.c"];
    let program = Program { name: "short", sources, flags: &[], library: Library::Shared };
    let program = installed.build(&program)?;
    for width in installed.widths() {
        let said = installed.run_well(&program, width)?;
        ensure!(said.ends_with(" checks, 0 failed\n"), "{said}");
    }
    Ok(())
}

#[test]
fn the_classes_work_with_exceptions_and_without() -> Result<()> {
    let installed = Installed::get()?;
    for (name, flags) in [("throws", &["-O1"][..]), ("returns", &["-O1", "-fno-exceptions"])] {
        let sources = &["tests/wrapper.cpp", "examples/host.c"];
        let program = Program { name, sources, flags, library: Library::Shared };
        let said = installed.run_well(&installed.build(&program)?, installed.widths()[0])?;
        ensure!(said == "0 failed\n", "{name}: {said}");
    }
    Ok(())
}

/// What an engine brings along is used, and nothing else of the kind.
#[test]
fn an_engine_brings_its_cache_its_memory_its_threads_and_its_log() -> Result<()> {
    let installed = Installed::get()?;
    let sources = &["tests/hooks.c", "tests/suite.c", "examples/host.c"];
    // Memory with an alignment came to C in 2011.
    let flags = &["-std=c11", "-D_GNU_SOURCE"];
    let program = Program { name: "hooks", sources, flags, library: Library::Shared };
    let said = installed.run_well(&installed.build(&program)?, installed.widths()[0])?;
    ensure!(said.ends_with(" checks, 0 failed\n"), "{said}");
    Ok(())
}

/// Devices that are not quite what they are said to be, and another copy of the library.
#[test]
fn devices_are_checked_before_they_are_used() -> Result<()> {
    let installed = Installed::get()?;
    let second = format!("-DSECOND_COPY=\"{}\"", installed.second_copy()?.display());
    let sources = &["tests/adopted.c", "tests/suite.c", "examples/host.c"];
    let flags = [second.as_str()];
    let program = Program { name: "adopted", sources, flags: &flags, library: Library::Shared };
    let said = installed.run_well(&installed.build(&program)?, installed.widths()[0])?;
    ensure!(said.ends_with(" checks, 0 failed\n"), "{said}");
    Ok(())
}

const VERSION: &str = concat!("-DEXPECTED_VERSION=\"", env!("CARGO_PKG_VERSION"), "\"");

fn abi<'p>(name: &'p str, flags: &'p [&'p str]) -> Program<'p> {
    let sources = &[
        "tests/abi.c",
        "tests/misuse.c",
        "tests/misuse_family.c",
        "tests/ranges.c",
        "tests/results.c",
        "tests/results_family.c",
        "tests/running.c",
        "tests/threads.c",
        "tests/suite.c",
        "examples/host.c",
    ];
    Program { name, sources, flags, library: Library::Shared }
}

#[test]
fn the_header_is_clean_in_every_standard() -> Result<()> {
    let installed = Installed::get()?;
    for standard in ["c99", "c11", "c17", "c++11", "c++14", "c++17", "c++20"] {
        installed.check_header("multisplit.h", standard)?;
    }
    for standard in ["c++17", "c++20"] {
        installed.check_header("multisplit.hpp", standard)?;
    }
    Ok(())
}
