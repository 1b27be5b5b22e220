//! Tests of `multisplit check`: its output, its report, its result with a broken kernel, and compilation for AMD GPUs.

use std::path::Path;

use serde_json::Value;

use crate::common::{RunOutput, is_full, multisplit, run, run_line};

/// Part of the names of the operations that are checked unless all cases are tested.
const SAMPLE: &str = "reduction of";

/// Runs `check` with `arguments`, on all operations in a full run and otherwise on the sample.
fn check(arguments: &[&str]) -> RunOutput {
    let only: &[&str] = if is_full() { &[] } else { &["--only", SAMPLE] };
    run(multisplit(), &[&["check"], arguments, only].concat())
}

/// The operations in a report.
fn operations(report: &Value) -> &[Value] {
    report["operations"].as_array().expect("a list")
}

/// An issue about a device needs all of this information.
#[test]
fn check_reports_device_probes_kernels_and_results() {
    let ran = check(&["--json"]).expect(0);
    assert!(ran.err.is_empty(), "{}", ran.err);
    let report = ran.json();
    assert_eq!(report["check"], "results");
    assert_eq!(report["right"], true);
    assert_eq!(report["wrong"], 0);
    assert!(report["seconds"].as_f64() > Some(0.0));
    let device = &report["device"];
    for text in ["name", "driver", "api_version", "type"] {
        assert!(device[text].as_str().is_some_and(|text| !text.is_empty()), "{text}: {device}");
    }
    for number in ["subgroup_size", "shared_memory", "device_memory"] {
        assert!(device[number].as_u64() > Some(0), "{number}: {device}");
    }
    assert!(device["limits"]["max_workgroup_invocations"].as_u64() >= Some(128), "{device}");
    assert!(!report["features"].as_array().expect("a list").is_empty());
    assert_eq!(report["probes"]["device"], "passed");
    assert!(report["probes"]["subgroup_barriers"].is_string());
    assert!(report["probes"]["lane_order"].is_boolean());
    let (sizes, all) = (report["sizes"].as_array().expect("a list").len(), operations(&report));
    assert_eq!(report["cases"].as_u64(), Some((sizes * all.len()) as u64));
    for operation in all {
        assert_eq!(operation["result"], "right", "{operation}");
        assert_eq!(operation["cases"].as_u64(), Some(sizes as u64), "{operation}");
        assert!(operation["seconds"].as_f64() > Some(0.0), "{operation}");
    }
    let pipelines = report["pipelines"].as_array().expect("a list");
    let constants = |pipeline: &Value| pipeline["constants"]["local_size_x"].as_u64();
    assert!(pipelines.iter().all(|pipeline| pipeline["kernel"].is_string()));
    assert!(pipelines.iter().any(|pipeline| constants(pipeline) > Some(0)), "{pipelines:?}");
}

#[test]
fn check_prints_a_line_per_operation_and_a_verdict() {
    let ran = check(&[]).expect(0);
    assert!(ran.err.is_empty(), "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    let [device, operations @ .., verdict] = &lines[..] else { panic!("{}", ran.out) };
    assert!(device.contains("software driver") || device.contains(", "), "{device}");
    assert!(operations.len() >= 4, "{}", ran.out);
    assert!(operations.iter().all(|line| line.ends_with(" right")), "{}", ran.out);
    let cases =
        format!("all right: {} cases of {} operations in ", 3 * operations.len(), operations.len());
    assert!(verdict.starts_with(&cases), "{verdict}");
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
    let ran = with_broken_kernel("scan.by_key.lookback", line).expect(1);
    let wrong = "1 of 4 operations are wrong on this device: scan by key";
    assert!(ran.error_line().contains(wrong), "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().filter(|line| line.contains("WRONG")).collect();
    assert!(lines.len() == 1 && lines[0].contains("scan by key"), "{}", ran.out);
    assert!(lines[0].contains("on the CPU"), "{}", ran.out);
    let ran = with_broken_kernel("scan.by_key.lookback", &format!("{line} --json")).expect(1);
    let report = ran.json();
    assert_eq!((&report["right"], &report["wrong"]), (&false.into(), &1.into()));
    let wrong: Vec<&Value> =
        operations(&report).iter().filter(|one| one["result"] == "wrong").collect();
    assert_eq!(wrong.len(), 1, "{report}");
    assert_eq!(wrong[0]["operation"], "scan by key");
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

/// GPU families of RDNA 2, RDNA 3 and GCN, and for each, part of the names of the kernels that are compiled unless all
/// cases are tested.
const FAMILIES: [(&str, &str); 3] =
    [("navi21", "sssp"), ("gfx1100", "reduce.segments"), ("vega20", "select")];

/// Every kernel compiles for AMD GPUs, and none spills registers.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn kernels_compile_for_amd_without_spills() {
    assert!(Path::new(RADV).exists(), "install mesa-vulkan-drivers");
    for (family, sample) in FAMILIES {
        let mut command = multisplit();
        command.env("VK_ICD_FILENAMES", RADV).env("VK_DRIVER_FILES", RADV);
        command.env_remove("VK_ADD_DRIVER_FILES").env_remove("MULTISPLIT_DEVICE");
        command.env("RADV_FORCE_FAMILY", family);
        let only: &[&str] = if is_full() { &[] } else { &["--only", sample] };
        let ran = run(command, &[&["check", "--compile-only", "--json"], only].concat()).expect(0);
        // The compiler prints an error if it cannot generate code for a kernel.
        assert!(ran.err.is_empty(), "{family}: {}", ran.err);
        let report = ran.json();
        assert_eq!((&report["check"], &report["right"]), (&"compilation".into(), &true.into()));
        let name = report["device"]["name"].as_str().unwrap_or_default().to_lowercase();
        assert!(name.contains("null hardware") && name.contains(family), "{name}");
        assert_eq!(report["failures"], Value::Array(Vec::new()));
        assert_eq!(report["spilling_pipelines"], 0, "{family}");
        let pipelines = report["pipelines"].as_array().expect("a list");
        assert!(pipelines.len() >= if is_full() { 600 } else { 5 }, "{}", pipelines.len());
        for pipeline in pipelines {
            let statistics = &pipeline["statistics"];
            assert_eq!(statistics["Spilled VGPRs"], 0, "{pipeline}");
            assert_eq!(statistics["Spilled SGPRs"], 0, "{pipeline}");
            assert!(statistics["VGPRs"].as_u64() > Some(0), "{pipeline}");
        }
    }
}
