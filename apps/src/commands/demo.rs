//! `multisplit demo`: one job from the beginning to the end, with everything there is to see of it.

use std::io::{self, Write};

use anyhow::Result;
use clap::Args;
use multisplit::{Context, PassTime};

use crate::device::Devices;
use crate::figures::{self, median};
use crate::jobs::{Job, Target, scan_method};
use crate::{check, data, passes, size};

/// Arguments of `multisplit demo`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// How many numbers to scan
    #[arg(long, value_name = "N", value_parser = size::parse, default_value = "2^24")]
    n: u64,
}

const EXAMPLES: &str = "\
Examples:
  multisplit demo
  multisplit demo --n 2^20 --validate
  multisplit demo --device 1";

/// Runs that the times are medians of. Odd, so that a median is one of them.
const RUNS: u32 = 9;

/// Scans, checks, and shows.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let mut out = io::stdout().lock();
    let context = devices.open()?;
    let head = Head { device: device_line(&context), amount: amount_line(options.n) };
    writeln!(out, "device  {}", head.device)?;
    writeln!(out, "job     exclusive scan of {} (seed {})\n", head.amount, data::SEED)?;

    let job = Target::context(&context).scan(options.n, true)?;
    writeln!(out, "{}", job.plan.to_text())?;

    let outcome = scan(&context, &job, options.n)?;
    writeln!(out, "time of each pass, barriers included\n{}", passes::table(&outcome.passes))?;
    write_summary(&mut out, &head, &job, options.n, outcome.nanoseconds)?;
    Ok(())
}

struct Head {
    device: String,
    amount: String,
}

fn device_line(context: &Context) -> String {
    let properties = context.properties();
    format!("{}: {}, {}", properties.name, properties.kind(), properties.driver)
}

fn amount_line(n: u64) -> String {
    match size::show(n) {
        power if power.contains('^') => format!("{power} = {} random numbers", size::grouped(n)),
        plain => format!("{plain} random numbers"),
    }
}

struct Outcome {
    passes: Vec<PassTime>,
    /// Of a whole run.
    nanoseconds: f64,
}

/// Runs the job over random input: once to check it, then to time it.
fn scan(context: &Context, job: &Job, n: u64) -> Result<Outcome> {
    // Device memory first: what does not fit there need not be made on the host.
    let src = context.buffer::<u32>("src", n)?;
    let dst = context.buffer::<u32>("dst", n)?;
    let input = data::random_words(n, data::SEED)?;
    context.write(&src, &input)?;
    let buffers = job.bind(&src, &dst);
    let executable = context.instantiate(job.plan.clone())?;

    context.run(&executable, &buffers)?;
    check::scanned(&input, &context.download(&dst)?)?;

    let nanoseconds = median(context.time_runs(&executable, &buffers, RUNS)?);
    let passes = passes::times(context, &executable, &buffers, RUNS)?;
    Ok(Outcome { passes, nanoseconds })
}

fn write_summary(
    out: &mut impl Write,
    head: &Head,
    job: &Job,
    n: u64,
    nanoseconds: f64,
) -> io::Result<()> {
    let plan = &job.plan;
    let rate = figures::elements_per_nanosecond(n, nanoseconds);
    // What any scan has to move: each number is read once, and each sum written once.
    let bandwidth = rate * 2.0 * size_of::<u32>() as f64;
    let (passes, barriers) = (plan.steps.len(), plan.barriers().count());
    let workspace = figures::bytes(plan.workspace.size);
    let time = figures::time(nanoseconds);
    writeln!(out, "summary")?;
    writeln!(out, "  device    {}", head.device)?;
    writeln!(out, "  scan      {}, method {}", head.amount, scan_method(plan))?;
    writeln!(out, "  plan      passes: {passes}, barriers: {barriers}, workspace: {workspace}")?;
    writeln!(out, "  GPU time  {time}, median of {RUNS} runs in a row")?;
    writeln!(out, "  rate      {}, {bandwidth:.1} GB/s in and out", figures::rate(rate))?;
    writeln!(out, "  check     every sum is the CPU's")
}
