//! The report of a check as JSON, which can be attached to an issue.

use std::time::Duration;

use multisplit::{Context, PipelineFailure, PipelineStatistics, SubgroupBarriers};
use multisplit_bench::spilled;
use serde_json::{Map, Value, json};

use super::kernels::Compiled;
use super::probe::Probed;
use super::runner::{Checked, Outcome};
use crate::device_details::{details, enabled_names};

pub enum Results<'r> {
    Ran(&'r [Checked], &'r [usize], &'r Probed),
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
            "device": device_probe(results),
            "subgroup_barriers": barriers(gpu.subgroup_barriers()),
            "lane_order": gpu.policy().facts.lane_order,
        },
        "pipeline_failures": gpu.pipeline_failures().iter().map(failure).collect::<Vec<_>>(),
        "spilling_pipelines": spilling,
        "pipelines": pipelines.iter().map(pipeline).collect::<Vec<_>>(),
    });
    let more = match results {
        Results::Ran(checked, sizes, _) => json!({
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

/// Result of the device probe: the fault that it found, or "passed", and times. `None` if only
/// kernels were compiled.
fn device_probe(results: &Results<'_>) -> Option<Value> {
    let Results::Ran(_, _, probed) = results else { return None };
    Some(json!({
        "result": probed.fault.map_or_else(|| "passed".to_owned(), |fault| fault.to_string()),
        "seconds": probed.time.as_secs_f64(),
        "seconds_if_stored": probed.stored_time.as_secs_f64(),
    }))
}

/// A pipeline that the driver could not create, and the form of plans since then.
fn failure(failure: &PipelineFailure) -> Value {
    json!({
        "kernel": failure.kernel,
        "result": failure.result.to_string(),
        "plans_since": failure.form.to_string(),
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
    json!({
        "kernel": pipeline.kernel,
        "constants": constants,
        "threads": pipeline.threads,
        "shared_bytes": pipeline.shared_bytes,
        "push_bytes": pipeline.push_bytes,
        "statistics": statistics,
    })
}
