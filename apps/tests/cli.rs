//! Tests of the binary as a process: results, exit statuses, messages.
//!
//! Commands that use a device run with validation, so that any message fails them.
#![allow(clippy::expect_used, reason = "in a test a panic is the report")]

mod common;

use common::{multisplit, run, without_driver};
use serde_json::Value;

#[test]
fn devices_shows_the_selected_device_and_reason() {
    let ran = run(multisplit(), &["devices", "--validate"]).expect(0);
    for part in ["* ", "driver ", "Vulkan ", "subgroup size ", "shared memory ", "would be used "] {
        assert!(ran.out.contains(part), "no `{part}` in\n{}", ran.out);
    }
    assert!(ran.err.is_empty(), "{}", ran.err);
}

#[test]
fn devices_json_marks_the_chosen_device() {
    let ran = run(multisplit(), &["devices", "--json"]).expect(0);
    let list: Vec<Value> = serde_json::from_str(&ran.out).expect("a JSON array");
    let chosen: Vec<_> = list.iter().filter(|device| device["chosen"] == true).collect();
    assert_eq!(chosen.len(), 1, "{}", ran.out);
    assert_eq!(chosen[0]["usable"], true);
    assert!(chosen[0]["reason"].is_string());
    assert!(chosen[0]["subgroup_size"].as_u64() >= Some(4));
    assert!(chosen[0]["limits"]["max_storage_buffer_range"].as_u64() >= Some(1 << 27));

    let index = chosen[0]["index"].to_string();
    let by_index = run(multisplit(), &["devices", "--json", "--device", &index]).expect(0);
    let list: Vec<Value> = serde_json::from_str(&by_index.out).expect("a JSON array");
    let chosen = list.iter().find(|device| device["chosen"] == true).expect("a choice");
    assert_eq!(chosen["reason"], format!("--device asks for `{index}`"));
}

#[test]
fn sort_graph_shows_workspace_savings() {
    let ran = run(without_driver(), &["graph", "sort", "--n", "2^20"]).expect(0);
    for part in ["graph sort: ", "multisplit.postscan", "barrier", "workspace", "% saved"] {
        assert!(ran.out.contains(part), "no `{part}` in\n{}", ran.out);
    }
    let drawn = run(without_driver(), &["graph", "sort", "--format", "svg"]).expect(0);
    assert!(drawn.out.starts_with("<svg "), "{}", drawn.out);
}

/// Every command in every format, with both size options.
#[test]
fn graph_accepts_sizes_and_formats() {
    for (command, m) in [("sort", "256"), ("split", "10"), ("histogram", "10"), ("sssp", "9000")] {
        for (format, begin) in
            [("text", "graph "), ("dot", "digraph"), ("svg", "<svg "), ("json", "{")]
        {
            let arguments = ["graph", command, "--n", "3000", "--m", m, "--format", format];
            let ran = run(without_driver(), &arguments).expect(0);
            assert!(ran.out.starts_with(begin), "{arguments:?}: {}", ran.out);
        }
    }
    run(without_driver(), &["graph", "sort", "--m", "10"]).expect(2);
    run(without_driver(), &["graph", "sssp", "--n", "10", "--graph", "rmat"]).expect(2);
}

#[test]
fn histogram_graph_lists_its_passes() {
    let arguments = ["graph", "histogram", "--n", "2^20", "--op", "histogram_range"];
    let ran = run(multisplit(), &arguments).expect(0);
    for label in ["histogram.clear", "histogram.table", "histogram.count"] {
        assert!(ran.out.contains(label), "{}", ran.out);
    }
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
        let ran = run(multisplit(), &[command, "--device", "no such device"]).expect(1);
        let error_line = ran.error_line();
        for part in ["matches `no such device`", "found: 0 `", "--device"] {
            assert!(error_line.contains(part), "no `{part}` in {error_line}");
        }
    }
    let ran = run(multisplit(), &["graph", "scan", "--device", "no such device"]).expect(1);
    assert!(ran.error_line().contains("found: 0 `"), "{}", ran.err);
}

#[test]
fn usage_errors_exit_with_status_2() {
    for arguments in [
        &[][..],
        &["no-such-command"],
        &["devices", "--no-such-option"],
        &["demo", "--n", "many"],
        &["demo", "--n", "0"],
        &["bench", "--reps", "0"],
        &["bench", "--n", "2^16,"],
        &["bench", "no-such-subject"],
        &["bench", "scan", "--m", "2"],
        &["bench", "split", "--m", "65537"],
        &["bench", "split", "--distribution", "normal"],
        &["graph"],
        &["graph", "scan", "--format", "png"],
        &["graph", "scan", "--method", "onesweep"],
        &["graph", "split", "--method", "lookback"],
    ] {
        let ran = run(multisplit(), arguments).expect(2);
        assert!(!ran.err.is_empty() && ran.out.is_empty(), "{arguments:?}");
    }
}

#[test]
fn help_contains_examples() {
    for command in [&[][..], &["devices"], &["demo"], &["bench"], &["graph"]] {
        let ran = run(multisplit(), &[command, &["--help"]].concat()).expect(0);
        assert!(ran.out.contains("Examples:\n  multisplit "), "{}", ran.out);
        let wide = ran.out.lines().find(|line| line.chars().count() > 100);
        assert_eq!(wide, None, "too wide for a terminal");
    }
}

#[test]
fn missing_driver_error_gives_advice() {
    for command in ["devices", "demo", "bench"] {
        let ran = run(without_driver(), &[command]).expect(1);
        let error_line = ran.error_line();
        for part in ["no Vulkan device was found", "mesa-vulkan-drivers", "VK_DRIVER_FILES"] {
            assert!(error_line.contains(part), "no `{part}` in {error_line}");
        }
    }
}

#[test]
fn graph_works_without_driver() {
    let text = run(without_driver(), &["graph", "scan", "--n", "2^20"]).expect(0);
    assert!(text.out.starts_with("graph scan: 3 passes"), "{}", text.out);
    assert!(text.error_line().starts_with("note: "), "{}", text.err);

    let dot = run(without_driver(), &["graph", "scan", "--format", "dot"]).expect(0);
    assert!(dot.out.starts_with("digraph"), "{}", dot.out);

    let svg = run(without_driver(), &["graph", "scan", "--format", "svg"]).expect(0);
    assert!(svg.out.starts_with("<svg ") && svg.out.trim_end().ends_with("</svg>"), "{}", svg.out);

    let arguments = ["graph", "scan", "--format", "json", "--method", "lookback", "--replay"];
    let json = run(without_driver(), &arguments).expect(0);
    let plan: Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(plan["replayable"], true);
    let steps = plan["steps"].as_array().expect("steps");
    assert!(steps.iter().any(|step| step["pass"]["label"] == "scan.lookback"), "{}", json.out);

    let ran = run(without_driver(), &["graph", "scan", "--n", "2^63"]).expect(1);
    assert!(ran.err.contains("try a smaller --n"), "{}", ran.err);
    // A device named on the command line must exist.
    run(without_driver(), &["graph", "scan", "--device", "0"]).expect(1);
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
        let arguments = ["graph", "split", "--n", "2^20", "--m", "10", "--method", method];
        let ran = run(without_driver(), &arguments).expect(0);
        assert!(ran.out.starts_with("graph split: "), "{}", ran.out);
        for pass in passes {
            assert!(ran.out.contains(pass), "no `{pass}` in\n{}", ran.out);
        }
    }
    let arguments = ["graph", "split", "--op", "split_range_keys", "--format", "json", "--replay"];
    let json = run(without_driver(), &arguments).expect(0);
    let plan: Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(plan["replayable"], true);
}

#[test]
fn graph_is_planned_for_the_available_device() {
    let ran = run(multisplit(), &["graph", "scan", "--validate"]).expect(0);
    assert!(ran.out.starts_with("graph scan: "), "{}", ran.out);
    assert!(ran.err.is_empty(), "{}", ran.err);
}

/// A positive control: with best practices enabled, the layer warns that validation is on.
#[test]
fn validation_messages_exit_with_status_3() {
    let mut command = multisplit();
    command.env("VK_LAYER_ENABLES", "VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT");
    let ran = run(command, &["devices", "--validate"]).expect(3);
    assert!(ran.err.contains("validation: "), "{}", ran.err);
    assert!(ran.err.contains("multisplit: the validation layers reported "), "{}", ran.err);
}

#[test]
fn verbose_logs_the_opened_device() {
    let ran = run(multisplit(), &["-v", "graph", "scan"]).expect(0);
    assert!(ran.err.contains("opened"), "{}", ran.err);
}
