//! Tests of `multisplit check`: its output, its report, its result with a broken kernel, and compilation for AMD GPUs.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{RunOutput, is_full, list, multisplit, run, run_line};
#[cfg(target_os = "linux")]
use crate::swiftshader::on_swiftshader;

/// In a plain run, tests of the output check only the operations whose name contains this.
const SAMPLE: &str = "reduction of";

/// Runs `check` with `arguments`. In a plain run, only operations or kernels whose name contains `sample` are checked.
#[track_caller]
fn check(command: Command, arguments: &[&str], sample: &str) -> RunOutput {
    let only: &[&str] = if is_full() { &[] } else { &["--only", sample] };
    run(command, &[&["check"], arguments, only].concat()).expect(0)
}

/// A number in the report of a pipeline.
fn number(pipeline: &Value, name: &str) -> u64 {
    pipeline[name].as_u64().unwrap_or_else(|| panic!("`{name}` is missing: {pipeline}"))
}

/// An issue about a device needs all of this information.
#[test]
fn check_reports_device_probes_kernels_and_results() {
    let ran = check(multisplit(), &["--json"], SAMPLE);
    assert!(ran.err.is_empty(), "expected no messages, found: {}", ran.err);
    let report = ran.json();
    assert_eq!(report["check"], "results");
    assert_eq!(report["right"], true);
    assert_eq!(report["wrong"], 0);
    assert!(report["seconds"].as_f64() > Some(0.0));
    let device = &report["device"];
    for text in ["name", "driver", "api_version", "type"] {
        assert!(
            device[text].as_str().is_some_and(|text| !text.is_empty()),
            "no {text} in {device}"
        );
    }
    for number in ["subgroup_size", "shared_memory", "device_memory"] {
        assert!(device[number].as_u64() > Some(0), "no {number} in {device}");
    }
    assert!(device["limits"]["max_workgroup_invocations"].as_u64() >= Some(128), "{device}");
    assert!(!list(&report["features"]).is_empty());
    let probe = &report["probes"]["device"];
    assert_eq!(probe["result"], "passed");
    for time in ["seconds", "seconds_if_stored"] {
        assert!(probe[time].as_f64() > Some(0.0), "no {time} in {probe}");
    }
    assert_eq!(report["pipeline_failures"], Value::Array(Vec::new()));
    assert!(report["probes"]["subgroup_barriers"].is_string());
    assert!(report["probes"]["lane_order"].is_boolean());
    let (sizes, all) = (list(&report["sizes"]).len(), list(&report["operations"]));
    assert_eq!(report["cases"].as_u64(), Some((sizes * all.len()) as u64));
    for operation in all {
        assert_eq!(operation["result"], "right", "{operation}");
        assert_eq!(operation["cases"].as_u64(), Some(sizes as u64), "{operation}");
        assert!(operation["seconds"].as_f64() > Some(0.0), "no time in {operation}");
    }
    let pipelines = list(&report["pipelines"]);
    let constants = |pipeline: &Value| pipeline["constants"]["local_size_x"].as_u64();
    assert!(pipelines.iter().all(|pipeline| pipeline["kernel"].is_string()));
    assert!(pipelines.iter().any(|pipeline| constants(pipeline) > Some(0)), "{pipelines:?}");
}

#[test]
fn check_prints_a_line_per_operation_and_a_verdict() {
    let ran = check(multisplit(), &[], SAMPLE);
    assert!(ran.err.is_empty(), "expected no messages, found: {}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    let [device, probe, operations @ .., verdict] = &lines[..] else {
        panic!("expected a device, a probe, operations and a verdict:\n{}", ran.out)
    };
    assert!(device.contains("software driver") || device.contains(", "), "{device}");
    assert!(probe.starts_with("  device probe ") && probe.contains("  passed; "), "{probe}");
    assert!(operations.len() >= 4, "expected at least 4 operations:\n{}", ran.out);
    assert!(operations.iter().all(|line| line.ends_with(" right")), "{}", ran.out);
    let cases =
        format!("all right: {} cases of {} operations in ", 3 * operations.len(), operations.len());
    assert!(verdict.starts_with(&cases), "expected `{cases}`, found `{verdict}`");
}

/// If the driver fails for large workgroups, the check uses small tiles, succeeds, and reports the
/// failures.
#[test]
fn check_command_succeeds_with_small_tiles_if_large_workgroups_fail() {
    let failing = |max_threads: &str| {
        let mut command = multisplit();
        command.env("MULTISPLIT_FAILING_PIPELINES", max_threads);
        command
    };
    let report = check(failing(">128"), &["--json"], "scan of u32").json();
    assert_eq!(report["right"], true);
    let failures = list(&report["pipeline_failures"]);
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0]["plans_since"], "small tiles");
    let pipelines = list(&report["pipelines"]);
    assert!(!pipelines.is_empty());
    // The hook does not apply to probes, which run before.
    let is_probe = |one: &&Value| one["kernel"].to_string().starts_with("\"probe.");
    for pipeline in pipelines.iter().filter(|one| !is_probe(one)) {
        let threads = number(pipeline, "threads");
        assert!((1..=128).contains(&threads), "expected 1 to 128 threads: {pipeline}");
    }
    let ran = run_line(failing(">128"), "check --only fill").expect(0);
    assert!(ran.out.contains("could not create the pipeline of memory."), "{}", ran.out);
    assert!(ran.out.contains("; small tiles since then\n"), "{}", ran.out);
    let mut off = failing(">128");
    off.env("MULTISPLIT_PIPELINE_FALLBACK", "off");
    let ran = run_line(off, "check --only fill").expect(1);
    assert!(ran.out.contains("WRONG") && ran.out.contains("update the driver"), "{}", ran.out);
    let mut wrong = multisplit();
    wrong.env("MULTISPLIT_PIPELINE_FALLBACK", "maybe");
    let ran = run_line(wrong, "check --only fill").expect(1);
    ran.expect_error_line(
        "unknown choice `maybe` for the fallback of pipelines; use `on` or `off`",
    );
}

/// Maximum workgroup sizes of small devices, and their limits as values of `MULTISPLIT_LOWERED_LIMITS`.
const SMALL_DEVICES: [(u32, &str); 2] = [
    (128, "threads=128 shared=16384 range=134217728 push=128 int64=0"),
    (256, "threads=256 shared=16384 range=134217728 push=128 int64=0"),
];

/// Runs the check within the limits of a small device. All results are right, 64-bit operations are refused, and the
/// pipelines stay within the limits.
fn check_within(max_threads: u32, limits: &str, mut command: Command) {
    command.env("MULTISPLIT_LOWERED_LIMITS", limits);
    let report = check(command, &["--json"], "scan").json();
    assert_eq!(report["device"]["limits"]["max_workgroup_invocations"], max_threads);
    let results: Vec<_> =
        list(&report["operations"]).iter().map(|one| one["result"].as_str()).collect();
    let refused = results.iter().filter(|result| **result == Some("not supported")).count();
    let right = results.iter().filter(|result| **result == Some("right")).count();
    assert_eq!(right + refused, results.len(), "{report}");
    assert!(
        refused > 0 && right > refused,
        "{refused} of {} operations were refused, expected some, but fewer than half",
        results.len()
    );
    let pipelines = list(&report["pipelines"]);
    assert!(pipelines.len() > right);
    for pipeline in pipelines {
        assert!((1..=max_threads.into()).contains(&number(pipeline, "threads")), "{pipeline}");
        assert!(number(pipeline, "shared_bytes") <= 16 << 10, "more than 16 KiB: {pipeline}");
        assert!(number(pipeline, "push_bytes") <= 128, "more than 128 bytes: {pipeline}");
    }
}

#[test]
fn check_command_succeeds_with_small_device_limits() {
    for (max_threads, limits) in SMALL_DEVICES {
        check_within(max_threads, limits, multisplit());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn check_command_succeeds_with_small_device_limits_on_swiftshader() {
    let devices = if is_full() { &SMALL_DEVICES[..] } else { &SMALL_DEVICES[..1] };
    for &(max_threads, limits) in devices {
        if let Some(command) = on_swiftshader(multisplit()) {
            check_within(max_threads, limits, command);
        }
    }
}

/// Runs the binary while the engine replaces the kernel `label` with one that does nothing.
fn with_broken_kernel(label: &str, line: &str) -> RunOutput {
    let mut command = multisplit();
    command.env("MULTISPLIT_BROKEN_KERNEL", label);
    run_line(command, line)
}

#[test]
fn broken_kernel_fails_the_check_and_names_the_operation() {
    let line = "check --only scan";
    let ran = with_broken_kernel("scan.segments.heads", line).expect(1);
    let wrong = "1 of 6 operations are wrong on this device: scan of segments";
    assert!(ran.error_line().contains(wrong), "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().filter(|line| line.contains("WRONG")).collect();
    assert!(lines.len() == 1 && lines[0].contains("scan of segments"), "{}", ran.out);
    assert!(lines[0].contains("on the CPU"), "{}", ran.out);
    let ran = with_broken_kernel("scan.segments.heads", "check --only segments --json").expect(1);
    let report = ran.json();
    assert_eq!((&report["right"], &report["wrong"]), (&false.into(), &1.into()));
    let wrong: Vec<&Value> =
        list(&report["operations"]).iter().filter(|one| one["result"] == "wrong").collect();
    assert_eq!(wrong.len(), 1, "{report}");
    assert_eq!(wrong[0]["operation"], "scan of segments");
    assert!(wrong[0]["problem"].as_str().is_some_and(|text| text.contains("on the CPU")));
}

#[test]
fn check_of_an_unknown_operation_lists_all_operations() {
    let ran = run_line(multisplit(), "check --only nonsense").expect(1);
    let ran = ran.expect_error_line("no operation name contains `nonsense`");
    assert!(ran.err.contains("; top-k of rows; "), "{}", ran.err);
    let ran = run_line(multisplit(), "check --compile-only --only nonsense").expect(1);
    ran.expect_error_line("no kernel name contains `nonsense`");
}

/// Manifest of Mesa's driver for AMD GPUs. It can compile kernels without a GPU.
const RADV: &str = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json";

/// GPU families of AMD with the subgroup size that pipelines request, and the part of the kernels that a plain run
/// compiles. RDNA (here the second and the third generation) has subgroups of 64 or 32 lanes, GCN (`vega20`) of 64.
const FAMILIES: [(&str, u32, &str); 5] = [
    ("navi21", 64, "sort.histogram"),
    ("navi21", 32, "merge"),
    ("gfx1100", 64, "reduce.segments"),
    ("gfx1100", 32, "scan.spine"),
    ("vega20", 64, "select"),
];

/// For GFX1100, Mesa 22.3 spills 26 registers of this kernel (docs/portability.md).
const SPILLING_ON_GFX1100: &str = "sort.segments.rows.pairs.key64";

/// Every kernel, in a plain run a part of them, compiles for AMD GPUs, and none but the one above spills
/// registers.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn kernels_compile_for_amd_without_spills() {
    assert!(Path::new(RADV).exists(), "install mesa-vulkan-drivers");
    for (family, lanes, sample) in FAMILIES {
        let mut command = multisplit();
        command.env("VK_ICD_FILENAMES", RADV).env("VK_DRIVER_FILES", RADV);
        command.env_remove("VK_ADD_DRIVER_FILES").env_remove("MULTISPLIT_DEVICE");
        command.env("RADV_FORCE_FAMILY", family);
        command.env("MULTISPLIT_LOWERED_LIMITS", format!("subgroup={lanes}"));
        let ran = check(command, &["--compile-only", "--json"], sample);
        // The compiler prints an error if it cannot generate code for a kernel.
        assert!(ran.err.is_empty(), "{family}: expected no messages, found: {}", ran.err);
        let report = ran.json();
        assert_eq!((&report["check"], &report["right"]), (&"compilation".into(), &true.into()));
        let name = report["device"]["name"].as_str().unwrap_or_default().to_lowercase();
        assert!(name.contains("null hardware") && name.contains(family), "{name}");
        assert_eq!(report["device"]["subgroup_size"], lanes, "{family}");
        assert_eq!(report["failures"], Value::Array(Vec::new()));
        let pipelines = list(&report["pipelines"]);
        let least = if is_full() { 600 } else { 2 };
        assert!(
            pipelines.len() >= least,
            "{family}: {} pipelines, expected at least {least}",
            pipelines.len()
        );
        for pipeline in pipelines {
            let statistics = &pipeline["statistics"];
            let kernel = pipeline["kernel"].as_str().unwrap_or_default();
            let may_spill = match family {
                "gfx1100" => kernel == SPILLING_ON_GFX1100,
                // This probe runs on NVIDIA GPUs only.
                _ => kernel == "probe.lane_order",
            };
            assert!(may_spill || statistics["Spilled VGPRs"] == 0, "{family}: {pipeline}");
            assert!(may_spill || statistics["Spilled SGPRs"] == 0, "{family}: {pipeline}");
            assert!(statistics["VGPRs"].as_u64() > Some(0), "no count of VGPRs in {pipeline}");
        }
    }
}
