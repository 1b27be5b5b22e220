//! The report of a check as JSON, which can be attached to an issue.

use std::time::Duration;

use multisplit::{Context, PipelineStatistics, SubgroupBarriers};
use multisplit_bench::spilled;
use serde_json::{Map, Value, json};

use super::kernels::Compiled;
use super::runner::{Checked, Outcome};
use crate::device_details::{details, enabled_names};

/// Results of a self-test.
pub enum Results<'r> {
    Ran(&'r [Checked], &'r [usize]),
    Compiled(&'r Compiled),
}

/// Formats the report: device, results of probes, pipelines, and results of the check.
pub fn report(gpu: &Context, results: &Results<'_>, is_right: bool, time: Duration) -> Value {
    let pipelines = gpu.pipeline_statistics();
    let spilling = pipelines.iter().filter(|pipeline| spills(pipeline) > 0).count();
    let mut report = json!({
        "multisplit": env!("CARGO_PKG_VERSION"),
        "check": if matches!(results, Results::Ran(..)) { "results" } else { "compilation" },
        "right": is_right,
        "seconds": time.as_secs_f64(),
        "device": details(gpu.properties()),
        "features": enabled_names(gpu.features()),
        "probes": {
            "device": device_probe(gpu, results),
            "subgroup_barriers": barriers(gpu.subgroup_barriers()),
            "lane_order": gpu.policy().facts.lane_order,
        },
        "spilling_pipelines": spilling,
        "pipelines": pipelines.iter().map(pipeline).collect::<Vec<_>>(),
    });
    let more = match results {
        Results::Ran(checked, sizes) => json!({
            "sizes": sizes,
            "cases": checked.iter().map(|one| one.cases).sum::<usize>(),
            "wrong": checked.iter().filter(|one| one.is_wrong()).count(),
            "operations": checked.iter().map(operation).collect::<Vec<_>>(),
        }),
        Results::Compiled(compiled) => json!({
            "unsupported": compiled.unsupported,
            "failures": compiled.failures.iter().map(|failure| {
                json!({ "kernel": failure.kernel, "problem": failure.problem })
            }).collect::<Vec<_>>(),
        }),
    };
    if let (Some(report), Value::Object(more)) = (report.as_object_mut(), more) {
        report.extend(more);
    }
    report
}

/// Result of the device probe: `passed`, the fault that was found, or the error. `None` if kernels were only compiled.
fn device_probe(gpu: &Context, results: &Results<'_>) -> Option<String> {
    if matches!(results, Results::Compiled(_)) {
        return None;
    }
    Some(match gpu.probe_device() {
        Ok(None) => "passed".to_owned(),
        Ok(Some(fault)) => fault.to_string(),
        Err(error) => format!("failed: {error}"),
    })
}

/// Number of registers, or of bytes, that a pipeline spills to memory.
pub fn spills(pipeline: &PipelineStatistics) -> u64 {
    pipeline.values.iter().map(|(name, value)| spilled(name, value)).sum()
}

fn barriers(barriers: SubgroupBarriers) -> &'static str {
    match barriers {
        SubgroupBarriers::Kept => "kept",
        SubgroupBarriers::Replaced => "replaced by memory barriers",
        SubgroupBarriers::Refused => "refused",
    }
}

fn operation(checked: &Checked) -> Value {
    let (result, problem) = match &checked.outcome {
        Outcome::Right => ("right", None),
        Outcome::Unsupported(reason) => ("not supported", Some(reason)),
        Outcome::Wrong(problem) => ("wrong", Some(problem)),
    };
    json!({
        "operation": checked.name,
        "result": result,
        "problem": problem,
        "cases": checked.cases,
        "seconds": checked.time.as_secs_f64(),
    })
}

fn pipeline(pipeline: &PipelineStatistics) -> Value {
    let constants: Map<_, _> = pipeline
        .specialization
        .iter()
        .map(|(name, value)| (name.clone(), (*value).into()))
        .collect();
    // Most statistics are numbers. Others remain text.
    let number = |value: &String| value.parse::<i64>().map_or_else(|_| json!(value), Value::from);
    let statistics: Map<_, _> =
        pipeline.values.iter().map(|(name, value)| (name.clone(), number(value))).collect();
    json!({ "kernel": pipeline.kernel, "constants": constants, "statistics": statistics })
}
