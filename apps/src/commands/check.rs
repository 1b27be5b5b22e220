//! `multisplit check`: runs operations of every kind on a device and verifies the results against the CPU, or compiles
//! every kernel.

use std::io::Write as _;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use multisplit::{
    Config, Context, FaultyDevices, PipelineCache, PipelineFailure, PipelineStatistics,
};
use multisplit_bench::figures;

use crate::check::{
    Checked, Compiled, Failure, OPERATIONS, Outcome, Probed, Results, check, compile_all, probe,
    report, sizes, spills,
};
use crate::device::Devices;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Compile every kernel with the sizes for this device, and run nothing
    #[arg(long)]
    compile_only: bool,
    /// Check only operations (with --compile-only: kernels) whose name contains NAME
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Print a report as JSON: device, limits, operations, kernels with the driver's statistics
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  multisplit check                            about a minute
  multisplit check --only sort
  multisplit check --json > report.json       attach it to an issue
  multisplit check --compile-only --json | jq '.pipelines[] | {kernel, statistics}'

Every operation runs on arrays of several lengths, and every element of every result is verified \
against the CPU. The exit status is 0 only if all results are right. An operation that needs a \
feature which the device lacks, such as 64-bit integers, is refused; this is not a failure. \
--compile-only also works with a driver that has no hardware, such as Mesa's RADV with \
RADV_FORCE_FAMILY.";

/// Returns an error if anything is wrong.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let begin = Instant::now();
    // Without the cache, kernels are compiled now. A device that fails its probe is used anyway, so that the report
    // shows which results are wrong.
    let config = Config {
        pipeline_statistics: true,
        pipeline_cache: PipelineCache::Off,
        faulty_devices: FaultyDevices::Used,
        ..Config::default()
    };
    let gpu = devices.open_with(config)?;
    if !options.json {
        let properties = gpu.properties();
        print(&format!("{}: {}, {}\n", properties.name, properties.kind(), properties.driver))?;
    }
    match options.compile_only {
        true => compile(options, &gpu, begin),
        false => run_operations(options, &gpu, devices, begin),
    }
}

fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Runs the operations that `--only` selects. Prints a line for each, or a report with `--json`.
fn run_operations(
    options: &Options,
    gpu: &Context,
    devices: &Devices,
    begin: Instant,
) -> Result<()> {
    let sizes = sizes(gpu);
    let mut all: Vec<Checked> = Vec::new();
    let only = options.only.as_deref().unwrap_or_default();
    let chosen: Vec<_> = OPERATIONS.iter().filter(|one| one.name.contains(only)).collect();
    if chosen.is_empty() {
        let names: Vec<_> = OPERATIONS.iter().map(|one| one.name).collect();
        bail!("no operation name contains `{only}`; the operations are: {}", names.join("; "));
    }
    let probed = probe(devices)?;
    if !options.json {
        print(&probe_line(&probed))?;
    }
    let bar = devices.bars().elements("checking", chosen.len() as u64);
    for operation in chosen {
        let checked = check(gpu, operation, &sizes);
        bar.inc(1);
        if !options.json {
            bar.suspend(|| print(&line(&checked)))?;
        }
        all.push(checked);
    }
    bar.finish_and_clear();
    let fault = probed.fault;
    if !options.json {
        print(&failure_lines(gpu))?;
    }
    let wrong: Vec<&str> = all.iter().filter(|one| one.is_wrong()).map(|one| one.name).collect();
    let time = begin.elapsed();
    if options.json {
        let (results, right) =
            (Results::Ran(&all, &sizes, &probed), wrong.is_empty() && fault.is_none());
        print(&format!("{:#}\n", report(gpu, &results, right, time)))?;
    }
    let (count, names) = (wrong.len(), wrong.join(", "));
    if let Some(fault) = fault {
        let found = match count {
            0 => format!("none of the {} checked operations is wrong", all.len()),
            _ => format!("{count} of {} operations are wrong: {names}", all.len()),
        };
        bail!("the device is faulty: {fault}; {found}");
    }
    if count > 0 {
        bail!("{count} of {} operations are wrong on this device: {names}", all.len());
    }
    if !options.json {
        let cases: usize = all.iter().map(|one| one.cases).sum();
        let time = figures::time(time.as_secs_f64() * 1e9);
        print(&format!("all right: {cases} cases of {} operations in {time}\n", all.len()))?;
    }
    Ok(())
}

fn probe_line(probed: &Probed) -> String {
    let result = probed.fault.map_or_else(|| "passed".to_owned(), |fault| fault.to_string());
    let [time, stored] =
        [probed.time, probed.stored_time].map(|time| figures::time(time.as_secs_f64() * 1e9));
    format!("  {:28}  {time:>10}  {result}; {stored} if the result is stored\n", "device probe")
}

/// One line for each pipeline that could not be created.
fn failure_lines(gpu: &Context) -> String {
    let line = |failure: &PipelineFailure| {
        let PipelineFailure { kernel, result, form } = failure;
        format!(
            "  the driver could not create the pipeline of {kernel} ({result}); {form} since then\n"
        )
    };
    gpu.pipeline_failures().iter().map(line).collect()
}

fn line(checked: &Checked) -> String {
    let name = checked.name;
    let result = match &checked.outcome {
        Outcome::Right => "right".to_owned(),
        Outcome::Unsupported(reason) => format!("not supported: {reason}"),
        Outcome::Wrong(problem) => format!("WRONG: {problem}"),
    };
    format!("  {name:28}  {:>10}  {result}\n", figures::time(checked.time.as_secs_f64() * 1e9))
}

/// Compiles the kernels that `--only` selects. Prints a line for each, or a report with `--json`.
fn compile(options: &Options, gpu: &Context, begin: Instant) -> Result<()> {
    let compiled = compile_all(gpu, options.only.as_deref().unwrap_or_default())?;
    let is_right = compiled.failures.is_empty();
    if options.json {
        let report = report(gpu, &Results::Compiled(&compiled), is_right, begin.elapsed());
        print(&format!("{report:#}\n"))?;
    } else {
        print(&table(&compiled, &gpu.pipeline_statistics()))?;
    }
    let [Failure { kernel, problem }, ..] = &compiled.failures[..] else { return Ok(()) };
    let count = compiled.failures.len();
    bail!(
        "{count} pipelines could not be created; the first one is for kernel {kernel}: {problem}"
    );
}

/// Formats one line for each compiled kernel, unsupported kernel and failure, and the total number of pipelines.
fn table(compiled: &Compiled, pipelines: &[PipelineStatistics]) -> String {
    let mut text = String::new();
    for of_kernel in pipelines.chunk_by(|a, b| a.kernel == b.kernel) {
        let Some(first) = of_kernel.first() else { continue };
        let spilling = of_kernel.iter().filter(|pipeline| spills(pipeline) > 0).count();
        let spilling = match (first.values.is_empty(), spilling) {
            (true, _) => "no statistics".to_owned(),
            (false, 0) => "no spills".to_owned(),
            (false, count) => format!("{count} of them spill registers"),
        };
        text += &format!("  {:44}  {:>4}  {spilling}\n", first.kernel, of_kernel.len());
    }
    for (kernel, reason) in &compiled.unsupported {
        text += &format!("  {kernel:44}     0  not supported: {reason}\n");
    }
    for Failure { kernel, problem } in &compiled.failures {
        text += &format!("  {kernel:44}  FAILED: {problem}\n");
    }
    text + &format!("{} pipelines\n", pipelines.len())
}
