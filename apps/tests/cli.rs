//! What the built binary does, seen from outside: results, exit statuses, messages.
//!
//! Commands that touch a device run with validation on, so that any message fails them.
#![allow(clippy::expect_used, reason = "in a test a panic is the report")]

mod common;

use common::{multisplit, run, temporary, without_driver};
use serde_json::Value;

/// The device line and the figures of JSON lines.
fn figures(text: &str) -> (Value, Vec<Value>) {
    let mut lines = text.lines().map(|line| serde_json::from_str(line).expect("a JSON line"));
    let first = lines.next().expect("a first line");
    (first, lines.collect())
}

#[test]
fn devices_says_which_one_and_why() {
    let ran = run(multisplit(), &["devices", "--validate"]).expect(0);
    for part in ["* ", "driver ", "Vulkan ", "subgroup size ", "shared memory ", "would be used "] {
        assert!(ran.out.contains(part), "no `{part}` in\n{}", ran.out);
    }
    assert!(ran.err.is_empty(), "{}", ran.err);
}

#[test]
fn devices_as_json_has_one_that_is_chosen() {
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
fn demo_measures_everything_and_writes_a_report() {
    let file = temporary("demo.html");
    let path = file.to_str().expect("a path that is text");
    let arguments = ["demo", "--n", "3000", "--validate", "--html", path];
    // The report of another demonstration is replaced, another file is not.
    std::fs::write(&file, "mine").expect("a file");
    let ran = run(multisplit(), &arguments).expect(1);
    assert!(ran.complaint().contains("--force"), "{}", ran.err);
    std::fs::write(&file, r#"<meta name="generator" content="multisplit">"#).expect("a file");
    let ran = run(multisplit(), &arguments).expect(0);
    for part in ["copy_kernel_u32", "sort_keys_u32", "split_delta_pairs", "histogram_even", "sssp"]
    {
        assert!(ran.out.contains(part), "no `{part}` in\n{}", ran.out);
    }
    assert!(ran.out.contains("each checked against the CPU"), "{}", ran.out);
    let page = std::fs::read_to_string(&file).expect("the report");
    for part in ["rate against n", "rate against m", "shares of the stages", ": rounds"] {
        assert!(page.contains(part), "no `{part}` in the report");
    }
    let _ = std::fs::remove_file(file);
}

#[test]
fn bench_prints_json_lines() {
    let arguments = ["bench", "--n", "1000,2^16", "--reps", "2", "--warmup", "0", "--validate"];
    let ran = run(multisplit(), &arguments).expect(0);
    let (first, lines) = figures(&ran.out);
    assert_eq!(first["anchor"], "multisplit");
    assert!(first["device"].is_string());

    let mut seen = Vec::new();
    for line in &lines {
        let keys: Vec<_> =
            line.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(keys, ["anchor", "gps", "m", "method", "ms", "n", "op"], "{line}");
        assert_eq!((&line["anchor"], &line["m"]), (&"multisplit".into(), &0.into()));
        let (n, ms) = (line["n"].as_f64().expect("n"), line["ms"].as_f64().expect("ms"));
        let gps = line["gps"].as_f64().expect("gps");
        assert!((gps * ms * 1e6 / n - 1.0).abs() < 1e-4, "{line}");
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        seen.push((n as u64, text("op"), text("method")));
    }
    let expected = [
        (1000, "copy_kernel_u32", "kernel"),
        (1000, "fill_u32", "kernel"),
        (1000, "scan_exclusive_u32", "one-workgroup"),
        (65536, "copy_kernel_u32", "kernel"),
        (65536, "fill_u32", "kernel"),
        (65536, "scan_exclusive_u32", "lookback"),
        (65536, "scan_exclusive_u32", "reduce-then-scan"),
    ];
    let expected: Vec<_> =
        expected.iter().map(|(n, op, method)| (*n, (*op).into(), (*method).into())).collect();
    assert_eq!(seen, expected);
}

#[test]
fn bench_prints_the_stages_of_splits() {
    let arguments = ["bench", "split", "--n", "5000", "--m", "2,10", "--reps", "2"];
    // A software driver compiles for seconds: each function once, keys and pairs.
    let ops = "split_delta_keys,split_identity_pairs,split_range_keys";
    let more = ["--warmup", "0", "--distribution", "binomial", "--validate", "--op", ops];
    let ran = run(multisplit(), &[&arguments[..], &more[..]].concat()).expect(0);
    let (_, lines) = figures(&ran.out);
    // Three operations by four methods, each checked.
    assert_eq!(lines.len(), 2 * 3 * 4, "{}", ran.out);
    for line in &lines {
        assert_eq!(line["distribution"], "binomial", "{line}");
        let stages = match line["method"].as_str() {
            Some("onesweep") => &["histogram_ms", "sweep_ms", "clear_ms"][..],
            Some("direct" | "warp" | "block") => {
                &["prescan_ms", "scan_ms", "postscan_ms", "clear_ms"]
            }
            _ => &["a method"],
        };
        for key in [&["ms", "gps", "n", "m"], stages].concat() {
            assert!(line[key].is_number(), "no {key} in {line}");
        }
        let times = line.as_object().expect("an object").keys().filter(|k| k.ends_with("_ms"));
        assert_eq!(times.count(), stages.len(), "{line}");
    }
    let points: Vec<_> = lines.iter().map(|l| (&l["op"], &l["m"], &l["method"])).collect();
    for (index, point) in points.iter().enumerate() {
        assert!(!points[..index].contains(point), "twice: {point:?}");
    }
}

#[test]
fn bench_counts_what_is_asked_for() {
    let arguments = ["bench", "histogram", "--n", "5001", "--bins", "2,100", "--reps", "1"];
    let more = ["--warmup", "0", "--validate", "--tune", "cells=64,registers=4"];
    let ran = run(multisplit(), &[&arguments[..], &more[..]].concat()).expect(0);
    let (_, lines) = figures(&ran.out);
    let seen: Vec<_> = lines.iter().map(|l| (l["op"].as_str(), l["m"].as_u64())).collect();
    let (even, range) = (Some("histogram_even"), Some("histogram_range"));
    let (bytes, pixels) = (Some("histogram_u8"), Some("histogram_rgba8"));
    let (two, many, all) = (Some(2), Some(100), Some(256));
    let wanted =
        [(even, two), (even, many), (range, two), (range, many), (bytes, all), (pixels, all)];
    assert_eq!(seen, wanted);
    let ran = run(multisplit(), &["bench", "histogram", "--tune", "speed=9"]).expect(2);
    assert!(ran.err.contains("there is no size `speed`"), "{}", ran.err);
    let ran = run(multisplit(), &["bench", "scan", "--bins", "9"]).expect(2);
    assert!(ran.err.contains("bench histogram"), "{}", ran.err);
}

#[test]
fn graphs_of_histograms_have_their_passes() {
    let arguments = ["graph", "histogram", "--n", "2^20", "--op", "histogram_range"];
    let ran = run(multisplit(), &arguments).expect(0);
    for label in ["histogram.clear", "histogram.table", "histogram.count"] {
        assert!(ran.out.contains(label), "{}", ran.out);
    }
}

#[test]
fn bench_splits_what_is_asked_for() {
    let arguments = ["bench", "split", "--n", "3000,2^50", "--m", "256", "--reps", "1"];
    let more =
        ["--warmup", "0", "--op", "split_identity_pairs", "--method", "auto,direct,onesweep,block"];
    let ran = run(multisplit(), &[&arguments[..], &more[..]].concat()).expect(0);
    assert!(ran.complaint().starts_with("note: n = 2^50 left out"), "{}", ran.err);
    let (_, lines) = figures(&ran.out);
    assert_eq!(lines.len(), 3, "auto is one of the others: {}", ran.out);
    assert!(lines.iter().all(|line| line["op"] == "split_identity_pairs" && line["m"] == 256));
    assert!(lines.iter().all(|line| line["distribution"] == "uniform"));
}

#[test]
fn bench_splits_into_many_buckets() {
    let arguments = ["bench", "split", "--n", "3000", "--m", "1000", "--reps", "1", "--warmup"];
    let methods = "auto,scan-split,reduced-bit-sort";
    let more = ["0", "--op", "split_delta_pairs", "--method", methods];
    let ran = run(multisplit(), &[&arguments[..], &more[..]].concat()).expect(0);
    let (_, lines) = figures(&ran.out);
    assert_eq!(lines.len(), 3, "{}", ran.out);
    let stages = |method: &str| lines.iter().find(|line| line["method"] == method);
    let by_flags = stages("scan-split").expect("a scan-based split");
    assert!(by_flags["flags_ms"].is_number() && by_flags["scatter_ms"].is_number());
    let by_labels = stages("reduced-bit-sort").expect("a reduced-bit sort");
    assert!(by_labels["labels_ms"].is_number() && by_labels["unpack_ms"].is_number());
}

#[test]
fn bench_writes_to_a_file_and_shows_passes() {
    let file = temporary("bench.jsonl");
    let path = file.to_str().expect("a path that is text");
    let arguments = ["bench", "copy", "--n", "64", "--reps", "1", "--warmup", "0"];
    let more = ["--json", path, "--passes", "--statistics"];
    let ran = run(multisplit(), &[&arguments[..], &more[..]].concat()).expect(0);
    assert!(ran.out.is_empty(), "{}", ran.out);
    assert!(ran.err.contains("memory.copy"), "{}", ran.err);
    let (_, lines) = figures(&std::fs::read_to_string(&file).expect("the file is there"));
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["op"], "copy_kernel_u32");
    let _ = std::fs::remove_file(file);
}

#[test]
fn bench_leaves_out_what_does_not_fit() {
    let arguments = ["bench", "fill", "--n", "2^50,64", "--reps", "1", "--warmup", "0"];
    let ran = run(multisplit(), &arguments).expect(0);
    assert!(ran.complaint().starts_with("note: n = 2^50 left out"), "{}", ran.err);
    assert_eq!(figures(&ran.out).1.len(), 1);

    let ran = run(multisplit(), &["bench", "--n", "2^50"]).expect(1);
    assert!(ran.err.contains("nothing was measured"), "{}", ran.err);

    let nowhere = "/nonexistent/folder/bench.jsonl";
    let ran = run(multisplit(), &["bench", "--n", "64", "--json", nowhere]).expect(1);
    assert!(ran.complaint().contains(nowhere), "{}", ran.err);
}

#[test]
fn a_demo_that_does_not_fit_says_so() {
    for n in ["2^50", "2^63"] {
        let ran = run(multisplit(), &["demo", "--n", n]).expect(1);
        assert!(ran.complaint().ends_with("try a smaller --n"), "{}", ran.err);
    }
}

#[test]
fn an_unknown_device_is_answered_with_the_known_ones() {
    for command in ["devices", "demo", "bench"] {
        let ran = run(multisplit(), &[command, "--device", "no such device"]).expect(1);
        let complaint = ran.complaint();
        for part in ["matches `no such device`", "found: 0 `", "--device"] {
            assert!(complaint.contains(part), "no `{part}` in {complaint}");
        }
    }
    let ran = run(multisplit(), &["graph", "scan", "--device", "no such device"]).expect(1);
    assert!(ran.complaint().contains("found: 0 `"), "{}", ran.err);
}

#[test]
fn wrong_usage_has_status_2() {
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
fn help_has_examples() {
    for command in [&[][..], &["devices"], &["demo"], &["bench"], &["graph"]] {
        let ran = run(multisplit(), &[command, &["--help"]].concat()).expect(0);
        assert!(ran.out.contains("Examples:\n  multisplit "), "{}", ran.out);
        let wide = ran.out.lines().find(|line| line.chars().count() > 100);
        assert_eq!(wide, None, "too wide for a terminal");
    }
}

#[test]
fn without_a_driver_it_says_what_to_do() {
    for command in ["devices", "demo", "bench"] {
        let ran = run(without_driver(), &[command]).expect(1);
        let complaint = ran.complaint();
        for part in ["no Vulkan device was found", "mesa-vulkan-drivers", "VK_DRIVER_FILES"] {
            assert!(complaint.contains(part), "no `{part}` in {complaint}");
        }
    }
}

#[test]
fn graphs_need_no_driver() {
    let text = run(without_driver(), &["graph", "scan", "--n", "2^20"]).expect(0);
    assert!(text.out.starts_with("graph scan: 3 passes"), "{}", text.out);
    assert!(text.complaint().starts_with("note: "), "{}", text.err);

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
    // A device that is asked for has to be there.
    run(without_driver(), &["graph", "scan", "--device", "0"]).expect(1);
}

#[test]
fn graphs_of_splits_need_no_driver() {
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
fn graphs_are_planned_for_the_device_there_is() {
    let ran = run(multisplit(), &["graph", "scan", "--validate"]).expect(0);
    assert!(ran.out.starts_with("graph scan: "), "{}", ran.out);
    assert!(ran.err.is_empty(), "{}", ran.err);
}

/// A positive control: with best practices on, the layer minds that the layers are on.
#[test]
fn a_validation_message_has_status_3() {
    let mut command = multisplit();
    command.env("VK_LAYER_ENABLES", "VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT");
    let ran = run(command, &["devices", "--validate"]).expect(3);
    assert!(ran.err.contains("validation: "), "{}", ran.err);
    assert!(ran.err.contains("multisplit: the validation layers have "), "{}", ran.err);
}

#[test]
fn verbose_tells_which_device_was_opened() {
    let ran = run(multisplit(), &["-v", "graph", "scan"]).expect(0);
    assert!(ran.err.contains("opened"), "{}", ran.err);
}
