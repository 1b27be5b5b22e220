//! Tests of the binary as a process: results, exit statuses, messages.
//!
//! Some commands run with `--validate`, so that any message of the validation layer fails them.
#![allow(clippy::expect_used, reason = "in a test a panic is the report")]

mod common;

use common::{list, multisplit, run, run_line, without_driver};
use serde_json::Value;

#[test]
fn devices_shows_the_selected_device_and_reason() {
    let ran = run(multisplit(), &["devices", "--validate"]).expect(0);
    let ran = ran.expect_out(&["* ", "driver ", "Vulkan ", "subgroup size ", "shared memory "]);
    let ran = ran.expect_out(&["would be used "]);
    assert!(ran.err.is_empty(), "expected no messages, found: {}", ran.err);
}

#[test]
fn devices_json_marks_the_chosen_device() {
    let chosen = |line: &str| -> Value {
        let devices = run_line(multisplit(), line).expect(0).json();
        let mut chosen = list(&devices).iter().filter(|device| device["chosen"] == true);
        let (first, second) = (chosen.next(), chosen.next());
        assert_eq!(second, None, "{devices}");
        first.expect("a device is chosen").clone()
    };
    let device = chosen("devices --json");
    assert_eq!(device["usable"], true);
    assert!(device["reason"].is_string());
    assert!(device["subgroup_size"].as_u64() >= Some(4));
    assert!(device["limits"]["max_storage_buffer_range"].as_u64() >= Some(1 << 27));
    let index = device["index"].to_string();
    let device = chosen(&format!("devices --json --device {index}"));
    assert_eq!(device["reason"], format!("selected by --device `{index}`"));
}

#[test]
fn sort_graph_shows_workspace_savings() {
    let ran = run_line(without_driver(), "graph sort --n 2^20").expect(0);
    ran.expect_out(&["graph sort: ", "multisplit.postscan", "barrier", "workspace", "% saved"]);
    let drawn = run_line(without_driver(), "graph sort --format svg").expect(0);
    assert!(drawn.out.starts_with("<svg "), "{}", drawn.out);
}

/// Every operation with both size options (`--n` and `--m`), in every format.
#[test]
fn graph_accepts_sizes_and_formats() {
    for (command, m) in [("sort", "256"), ("split", "10"), ("histogram", "10"), ("sssp", "9000")] {
        for (format, begin) in
            [("text", "graph "), ("dot", "digraph"), ("svg", "<svg "), ("json", "{")]
        {
            let line = format!("graph {command} --n 3000 --m {m} --format {format}");
            let ran = run_line(without_driver(), &line).expect(0);
            assert!(ran.out.starts_with(begin), "{line}: {}", ran.out);
        }
    }
    run_line(without_driver(), "graph sort --m 10").expect(2);
    run_line(without_driver(), "graph sssp --n 10 --graph rmat").expect(2);
}

#[test]
fn histogram_graph_lists_its_passes() {
    let ran = run_line(multisplit(), "graph histogram --n 2^20 --op histogram_range").expect(0);
    ran.expect_out(&["histogram.clear", "histogram.table", "histogram.count"]);
}

#[test]
fn oversized_demo_is_reported() {
    for n in ["2^50", "2^63"] {
        let ran = run(multisplit(), &["demo", "--n", n]).expect(1);
        assert!(ran.error_line().ends_with("try a smaller --n"), "{}", ran.err);
    }
}

#[test]
fn unknown_device_error_lists_known_devices() {
    for command in ["devices", "demo", "bench"] {
        let mut ran = run(multisplit(), &[command, "--device", "no such device"]).expect(1);
        for part in ["matches `no such device`", "found: 0 `", "--device"] {
            ran = ran.expect_error_line(part);
        }
    }
    let ran = run(multisplit(), &["graph", "scan", "--device", "no such device"]).expect(1);
    ran.expect_error_line("found: 0 `");
}

#[test]
fn usage_errors_exit_with_status_2() {
    for line in [
        "",
        "no-such-command",
        "devices --no-such-option",
        "demo --n many",
        "demo --n 0",
        "bench --reps 0",
        "bench --n 2^16,",
        "bench no-such-subject",
        "bench scan --m 2",
        "bench split --m 65537",
        "bench split --distribution normal",
        "graph",
        "graph scan --format png",
        "graph scan --method onesweep",
        "graph split --method lookback",
    ] {
        let ran = run_line(multisplit(), line).expect(2);
        assert!(!ran.err.is_empty() && ran.out.is_empty(), "{line}: expected only an error");
    }
}

#[test]
fn help_contains_examples() {
    for command in ["", "devices", "demo", "bench", "graph"] {
        let ran = run_line(multisplit(), &format!("{command} --help")).expect(0);
        let ran = ran.expect_out(&["Examples:\n  multisplit "]);
        let wide = ran.out.lines().find(|line| line.chars().count() > 100);
        assert_eq!(wide, None, "too wide for a terminal");
    }
}

#[test]
fn missing_driver_error_gives_advice() {
    for command in ["devices", "demo", "bench"] {
        let mut ran = run(without_driver(), &[command]).expect(1);
        for part in ["no Vulkan device was found", "mesa-vulkan-drivers", "VK_DRIVER_FILES"] {
            ran = ran.expect_error_line(part);
        }
    }
}

#[test]
fn graph_works_without_driver() {
    let scan = |options: &str| run_line(without_driver(), &format!("graph scan {options}"));
    let text = scan("--n 2^20").expect(0);
    assert!(text.out.starts_with("graph scan: 3 passes"), "{}", text.out);
    assert!(text.error_line().starts_with("note: "), "{}", text.err);
    let dot = scan("--format dot").expect(0);
    assert!(dot.out.starts_with("digraph"), "{}", dot.out);
    let svg = scan("--format svg").expect(0);
    assert!(svg.out.starts_with("<svg ") && svg.out.trim_end().ends_with("</svg>"), "{}", svg.out);
    let plan = scan("--format json --method lookback --replay").expect(0).json();
    assert_eq!(plan["replayable"], true);
    let steps = list(&plan["steps"]);
    assert!(steps.iter().any(|step| step["pass"]["label"] == "scan.lookback"), "{plan}");
    scan("--n 2^63").expect(1).expect_err("try a smaller --n");
    // A device named on the command line must exist.
    scan("--device 0").expect(1);
}

#[test]
fn split_graph_works_without_driver() {
    for (method, passes) in [
        ("direct", ["multisplit.prescan", "multisplit.postscan"]),
        ("warp", ["multisplit.prescan", "multisplit.postscan"]),
        ("block", ["multisplit.prescan", "multisplit.postscan"]),
        ("onesweep", ["multisplit.histogram", "multisplit.onesweep"]),
        ("scan-split", ["multisplit.flags", "multisplit.scatter"]),
        ("reduced-bit-sort", ["multisplit.labels", "multisplit.postscan"]),
    ] {
        let line = format!("graph split --n 2^20 --m 10 --method {method}");
        let ran = run_line(without_driver(), &line).expect(0).expect_out(&passes);
        assert!(ran.out.starts_with("graph split: "), "{}", ran.out);
    }
    let line = "graph split --op split_range_keys --format json --replay";
    assert_eq!(run_line(without_driver(), line).expect(0).json()["replayable"], true);
}

#[test]
fn graph_is_planned_for_the_available_device() {
    let ran = run(multisplit(), &["graph", "scan", "--validate"]).expect(0);
    assert!(ran.out.starts_with("graph scan: "), "{}", ran.out);
    assert!(ran.err.is_empty(), "expected no messages, found: {}", ran.err);
}

/// Checks that a validation message fails a command. With best practices enabled, the validation layer always reports
/// one.
#[test]
fn validation_messages_exit_with_status_3() {
    let mut command = multisplit();
    command.env("VK_LAYER_ENABLES", "VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT");
    let ran = run(command, &["devices", "--validate"]).expect(3).expect_err("validation: ");
    ran.expect_err("multisplit: the validation layers reported ");
}

#[test]
fn verbose_logs_the_opened_device() {
    run(multisplit(), &["-v", "graph", "scan"]).expect(0).expect_err("opened");
}
