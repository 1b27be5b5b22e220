//! Tests of usage errors, help, and options that all commands support.

use serde_json::Value;

use crate::arrays::{Keys, words};
use crate::common::{list, multisplit, run, run_line, with_binary_environment};
use crate::workdir::Workdir;

#[test]
fn usage_errors_exit_with_status_2() {
    let workdir = Workdir::new();
    workdir.write("in.bin", words([1]));
    for line in [
        "sort",
        "sort in.bin",
        "sort in.bin -o o --type u13",
        "sort in.bin -o o --format zip",
        "sort in.bin -o o --separator , --type u32",
        "sort in.bin -o o --keys-only --type u32",
        "sort in.bin -o o --type u32 --radix-bits 3",
        "sort in.bin -o o --type u32 --method onesweep --radix-bits 4",
        "sort in.bin -o o --type u32 --method quick",
        "sort in.bin -o o --type u32 --values v",
        "sort in.bin -o o --type u32 --values v --values-out w --value-bytes 17",
        "sort in.bin -o o --type u32 --memory-limit much",
        "sort in.bin -o o --type u32 --quiet -v",
        "split in.bin -o o --type u32 --buckets 2",
        "split in.bin -o o --type u32 --by delta",
        "split in.bin -o o --type u32 --by delta --buckets 0",
        "split in.bin -o o --type u32 --by delta --glsl f --buckets 2",
        "split in.bin -o o --type u32 --by magic --buckets 2",
        "completions",
        "completions cmd.exe",
    ] {
        let ran = workdir.run(line).expect(2);
        assert!(!ran.err.is_empty() && ran.out.is_empty(), "{line}: expected only an error");
        assert_eq!(workdir.names(), ["in.bin"], "{line}");
    }
}

#[test]
fn help_contains_examples() {
    let commands = "sort split topk histogram scan reduce unique search merge sssp completions man";
    for command in commands.split(' ') {
        let ran = run(multisplit(), &[command, "--help"]).expect(0);
        let ran =
            ran.expect_out(&["Examples:\n  ", "--device", "--validate", "--verify", "--trace"]);
        let ran = ran.expect_out(&["--memory-limit", "--quiet"]);
        let wide = ran.out.lines().find(|line| line.chars().count() > 110);
        assert_eq!(wide, None, "too wide for a terminal");
    }
}

#[test]
fn completions_and_man_pages_are_printed() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = run(multisplit(), &["completions", shell]).expect(0);
        ran.expect_out(&["memory-limit", "argsort"]);
    }
    run(multisplit(), &["man"]).expect(0).expect_out(&[".TH multisplit 1", "Examples:"]);
    run(multisplit(), &["man", "sort"]).expect(0).expect_out(&["argsort"]);
    run(multisplit(), &["man", "no-such-command"]).expect(1);
}

#[test]
fn trace_has_host_and_device_on_one_time_axis() {
    let workdir = Workdir::new();
    workdir.write("in.bin", Keys::of("u32", 5000, 50).raw);
    workdir.job("split in.bin -o out.bin --type u32 --buckets 8 --by delta --trace trace.json");
    let trace: Value =
        serde_json::from_slice(&workdir.read("trace.json")).expect("the text is JSON");
    let events = list(&trace["traceEvents"]);
    let number = |event: &Value, key: &str| event[key].as_f64().expect("the value is a number");
    let one = |name: &str| {
        let found = events.iter().find(|event| event["name"] == name);
        let event = found.unwrap_or_else(|| panic!("no {name} in {trace:#}"));
        (event["pid"].as_u64(), number(event, "ts"), number(event, "ts") + number(event, "dur"))
    };
    let (host, begin, end) = one("split");
    for name in ["read", "context.open", "upload", "run", "download", "write"] {
        assert_eq!(one(name).0, host, "{name}");
    }
    let (_, run_begin, run_end) = one("run");
    assert!(begin <= run_begin && run_end <= end);
    // The clock offset is accurate to about the time of a submission.
    let slack = 2000.0;
    for name in ["multisplit.prescan", "multisplit.postscan"] {
        let (device, pass_begin, pass_end) = one(name);
        assert_ne!(device, host, "{name} is in the timeline of the host");
        assert!(
            run_begin - slack <= pass_begin && pass_end <= run_end + slack,
            "{name}: {trace:#}"
        );
    }
}

#[test]
fn trace_is_written_only_on_success() {
    let workdir = Workdir::new();
    workdir.fails("sort none.bin -o out.bin --type u32 --trace trace.json", "none.bin");
    workdir.run("devices --trace trace.json").expect(0);
    assert_eq!(workdir.names(), ["trace.json"]);
}

/// `script` runs a command on a pseudoterminal. On systems without terminals (a container without /dev/pts),
/// only the unit tests of the bars cover terminal output.
#[test]
fn progress_is_shown_only_on_a_terminal() {
    let workdir = Workdir::new();
    // Large enough that reading takes longer than the delay of a progress bar.
    workdir.write("in.bin", vec![0; 64 << 20]);
    let line = "histogram in.bin --type u32 --bins 2 --range 0 9";
    let ran = workdir.job(line);
    assert_eq!(ran.error_line().find("reading"), None, "{}", ran.err);
    let script = |command: &str| {
        let mut terminal = workdir.command(with_binary_environment("script"));
        // With TERM unset or `dumb`, no bar is drawn.
        terminal.env("TERM", "xterm");
        run(terminal, &["-qec", command, "/dev/null"])
    };
    if script("true").status != Some(0) {
        eprintln!("`script` found no terminal, so the output on a terminal was not tested");
        return;
    }
    let binary = multisplit();
    let command = |line: &str| format!("'{}' {line}", binary.get_program().display());
    let shown = |line: &str| script(&command(line)).expect(0).out;
    assert!(shown(line).contains("reading in.bin"));
    assert!(!shown(&format!("{line} --quiet")).contains("reading"));
}

/// Checks that a validation message fails a command. With best practices enabled, the validation layer always reports
/// one.
#[test]
fn validation_messages_of_a_job_exit_with_status_3() {
    let workdir = Workdir::new();
    workdir.write("in.bin", words([2, 1]));
    let mut command = workdir.command(multisplit());
    command.env("VK_LAYER_ENABLES", "VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT");
    let ran = run_line(command, "sort in.bin -o out.bin --type u32 --validate");
    ran.expect(3).expect_err("validation: ");
}
