//! Builds the examples and the C tests against the installed library, as a user would, and runs them on a
//! driver with the validation layer.

mod toolchain;

use anyhow::{Context as _, Result, ensure};
use toolchain::{Installed, Library, Program, text};

/// Exit status of the examples if the only problem is a message of the validation layer.
const MESSAGES: i32 = 3;

/// The C example that sorts particles between its own two passes, and records its own barriers.
const PARTICLES: &[&str] = &["examples/particles.c", "examples/host.c"];

/// Builds a program and runs it at each width. It must print `expected` exactly `count` times.
fn prints(program: &Program<'_>, expected: &str, count: usize) -> Result<()> {
    let installed = Installed::get()?;
    let program = installed.build(program)?;
    for width in installed.widths() {
        let output = installed.run_well(&program, width)?;
        ensure!(
            output.matches(expected).count() == count,
            "expected {count} times `{expected}`, found {output}"
        );
    }
    Ok(())
}

#[test]
fn c_example_sorts_between_its_own_passes() -> Result<()> {
    prints(&Program::new("particles", PARTICLES), "back to front", 3)
}

/// Both barriers required by the contract are necessary: the layer reports an error if either is omitted.
#[test]
fn missing_barrier_is_reported_by_validation() -> Result<()> {
    let installed = Installed::get()?;
    for (name, flag) in [("no-entry", "-DENTRY_BARRIER=0"), ("no-exit", "-DEXIT_BARRIER=0")] {
        let program = Program { flags: &[flag], ..Program::new(name, PARTICLES) };
        let program = installed.build(&program)?;
        let output = installed.run(&program, installed.widths()[0])?;
        let stderr = text(&output.stderr);
        ensure!(
            output.status.code() == Some(MESSAGES),
            "{flag}: expected status {MESSAGES}, found {}\n{stderr}",
            output.status
        );
        ensure!(
            stderr.contains("SYNC-HAZARD-READ-AFTER-WRITE"),
            "{flag}: no SYNC-HAZARD-READ-AFTER-WRITE in {stderr}"
        );
        let all_of_a_kind = stderr.lines().filter(|line| line.starts_with("validation: "));
        ensure!(
            all_of_a_kind.clone().all(|line| line.contains("SYNC-HAZARD")),
            "{flag}: a message is not about a hazard: {stderr}"
        );
    }
    Ok(())
}

/// The C++ example, linked with the static library. The operations record the barriers.
#[test]
fn cpp_example_counts_and_splits_between_its_own_passes() -> Result<()> {
    let sources = &["examples/particles.cpp", "examples/host.c"];
    let program = Program { library: Library::Static, ..Program::new("particles-cpp", sources) };
    prints(&program, "counted 1, parted 1, ordered 1", 1)
}

/// The selection writes the count of the sort and the arguments of the pass that follows.
#[test]
fn c_example_selects_sorts_and_dispatches_without_the_host() -> Result<()> {
    prints(&Program::new("cull", &["examples/cull.c", "examples/host.c"]), "in order", 3)
}

/// Incorrect calls return error codes, and correct calls return correct results.
#[test]
fn c_api_survives_misuse_under_asan() -> Result<()> {
    let flags = [SANITIZED[0], SANITIZED[1], VERSION];
    let widths = Installed::get()?.widths();
    // The sanitizer makes drivers compile several times more slowly. The first program leaves its kernels in Mesa's
    // cache for the second one, which runs at one vector width only, because its checks do not depend on the width.
    checks_succeed(&abi("abi", &[VERSION]), widths)?;
    checks_succeed(&abi("abi-sanitized", &flags), &widths[..1])
}

/// Compiles and runs the programs printed in the guide.
#[test]
fn programs_in_the_guide_sort_their_keys() -> Result<()> {
    let installed = Installed::get()?;
    for name in ["short.c", "counted.c", "wrapper.cpp"] {
        let source = installed.guide_program(name)?;
        let source = source.to_str().context("the path of the program is not UTF-8")?;
        let (name_of_program, sources) = (format!("guide-{name}"), [source, "examples/host.c"]);
        let program = installed.build(&Program::new(&name_of_program, &sources))?;
        let output = installed.run_well(&program, installed.widths()[0])?;
        ensure!(output == "sorted\n", "{name}: expected `sorted`, found {output}");
    }
    // The second program makes the four calls that the guide counts, in a few lines.
    let text = std::fs::read_to_string(installed.guide_program("counted.c")?)?;
    let parts = text.split("/* multisplit: begin */").skip(1);
    let part: String =
        parts.filter_map(|part| Some(part.split_once("/* multisplit: end */")?.0)).collect();
    let lines = part.lines().filter(|line| !line.trim().is_empty()).count();
    let calls = part.matches("MS(multisplit_").count();
    ensure!(
        calls == 4 && lines <= 13,
        "{lines} lines and {calls} calls; expected exactly 4 calls in at most 13 lines"
    );
    Ok(())
}

/// Builds a program of C tests and runs it at each width. All its checks must succeed.
fn checks_succeed(program: &Program<'_>, widths: &[&str]) -> Result<()> {
    let installed = Installed::get()?;
    let program = installed.build(program)?;
    for width in widths {
        let output = installed.run_well(&program, width)?;
        ensure!(
            output.ends_with(" checks, 0 failed\n"),
            "expected 0 failed checks, found {output}"
        );
    }
    Ok(())
}

#[test]
fn convenience_functions_survive_misuse() -> Result<()> {
    let sources = &["tests/short.c", "tests/suite.c", "examples/host.c"];
    checks_succeed(&Program::new("short", sources), Installed::get()?.widths())
}

#[test]
fn cpp_wrapper_works_with_and_without_exceptions() -> Result<()> {
    let installed = Installed::get()?;
    for (name, flags) in [("throws", &["-O1"][..]), ("returns", &["-O1", "-fno-exceptions"])] {
        let sources = &["tests/wrapper.cpp", "examples/host.c"];
        let program = Program { flags, ..Program::new(name, sources) };
        let output = installed.run_well(&installed.build(&program)?, installed.widths()[0])?;
        ensure!(output == "0 failed\n", "{name}: expected `0 failed`, found {output}");
    }
    Ok(())
}

/// Moves, copies, swaps and destroys objects. AddressSanitizer reports leaked host memory, and the validation
/// layer reports leaked Vulkan objects when the device is destroyed.
#[test]
fn cpp_special_members_leak_nothing() -> Result<()> {
    let installed = Installed::get()?;
    let sources = &["tests/members.cpp", "examples/host.c"];
    let program = Program { flags: &SANITIZED, ..Program::new("members", sources) };
    let output = installed.run(&installed.build(&program)?, installed.widths()[0])?;
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    ensure!(output.status.success(), "{}\n{stdout}{stderr}", output.status);
    ensure!(
        stdout == "0 failed, 0 messages\n",
        "expected `0 failed, 0 messages`, found {stdout}{stderr}"
    );
    ensure!(!stderr.contains("libmultisplit"), "the library leaks: {stderr}");
    Ok(())
}

/// The program supplies its own pipeline cache, allocators, compile threads and log.
#[test]
fn caller_supplied_cache_memory_threads_and_log_are_used() -> Result<()> {
    let sources = &["tests/hooks.c", "tests/suite.c", "examples/host.c"];
    // `aligned_alloc` requires C11.
    let flags = &["-std=c11", "-D_GNU_SOURCE"];
    let program = Program { flags, ..Program::new("hooks", sources) };
    checks_succeed(&program, &Installed::get()?.widths()[..1])
}

/// Covers devices that do not match their description, and a second copy of the library.
#[test]
fn devices_are_checked_before_they_are_used() -> Result<()> {
    let installed = Installed::get()?;
    let second = format!("-DSECOND_COPY=\"{}\"", installed.second_copy()?.display());
    let sources = &["tests/adopted.c", "tests/suite.c", "examples/host.c"];
    let program = Program { flags: &[&second], ..Program::new("adopted", sources) };
    checks_succeed(&program, &installed.widths()[..1])
}

const SANITIZED: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
const VERSION: &str = concat!("-DEXPECTED_VERSION=\"", env!("CARGO_PKG_VERSION"), "\"");

fn abi<'p>(name: &'p str, flags: &'p [&'p str]) -> Program<'p> {
    let sources = &[
        "tests/abi.c",
        "tests/edges.c",
        "tests/misuse.c",
        "tests/misuse_family.c",
        "tests/ranges.c",
        "tests/results.c",
        "tests/results_family.c",
        "tests/results_segments.c",
        "tests/running.c",
        "tests/threads.c",
        "tests/suite.c",
        "examples/host.c",
    ];
    Program { flags, ..Program::new(name, sources) }
}

/// Operands of comparisons have an element type: in C, they are of type `MultisplitNumber`; in C++, they have one of
/// the types that `multisplit::number` accepts. Other operands do not compile.
#[test]
fn untyped_operands_do_not_compile() -> Result<()> {
    let installed = Installed::get()?;
    let c = |value: &str| {
        format!(
            "#include <multisplit.h>\nvoid f(MultisplitSelectInfo *s) {{ s->first = {value}; }}\n"
        )
    };
    let cpp = |value: &str| {
        let call = format!("multisplit::select_info(9, MULTISPLIT_CONDITION_LESS_THAN, {value})");
        format!("#include <multisplit.hpp>\nMultisplitSelectInfo s = {call};\n")
    };
    for (name, text, compiles) in [
        ("typed.c", c("multisplit_f32(0.5f)"), true),
        ("float.c", c("0.5f"), false),
        ("integer.c", c("7"), false),
        ("typed.cpp", cpp("0.5f"), true),
        ("bool.cpp", cpp("true"), false),
        ("character.cpp", cpp("'a'"), false),
    ] {
        let compiled = installed.compiles(name, &text)?;
        ensure!(compiled == compiles, "{name}: compiled {compiled}, expected {compiles}: {text}");
    }
    Ok(())
}

#[test]
fn headers_compile_without_warnings_in_several_standards() -> Result<()> {
    let installed = Installed::get()?;
    for standard in ["c99", "c11", "c17", "c++11", "c++14", "c++17", "c++20"] {
        installed.check_header("multisplit.h", standard)?;
    }
    for standard in ["c++17", "c++20"] {
        installed.check_header("multisplit.hpp", standard)?;
    }
    Ok(())
}
