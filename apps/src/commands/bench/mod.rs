//! `multisplit bench`: what is measured, on which sizes, and where the figures go.

mod measure;
mod output;
mod subjects;

use anyhow::{Result, bail};
use clap::{Args, value_parser};
use multisplit::{Config, Context, Error};

use self::measure::{Bench, Timing};
use self::output::Output;
use self::subjects::Subject;
use crate::device::Devices;
use crate::jobs::bytes_of;
use crate::{figures, report, size};

/// Arguments of `multisplit bench`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// What is measured
    #[arg(value_enum, default_value_t)]
    subject: Subject,
    /// How many elements; several, separated by commas
    #[arg(
        long,
        value_name = "LIST",
        value_parser = size::parse,
        value_delimiter = ',',
        default_value = "2^16,2^20,2^22,2^25,2^28"
    )]
    n: Vec<u64>,
    /// Runs that each figure is the median of
    #[arg(long, value_name = "K", value_parser = value_parser!(u32).range(1..=10_000), default_value_t = 20)]
    reps: u32,
    /// Milliseconds of running before each measurement, so that the clocks are up
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(..=60_000), default_value_t = 500)]
    warmup: u64,
    /// Write the JSON lines to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    json: Option<std::path::PathBuf>,
    /// Print the time of each pass, on standard error
    #[arg(long)]
    passes: bool,
    /// Print what the driver says of each pipeline (registers, spills), on standard error
    #[arg(long)]
    statistics: bool,
}

const EXAMPLES: &str = "\
Examples:
  multisplit bench > ours.jsonl
  multisplit bench scan --n 2^25,2^28 --passes
  multisplit bench copy --reps 100 --json copy.jsonl
  multisplit bench scan --n 2^20 --statistics

Each line has anchor, op, n, m (0: no buckets), ms (GPU time), gps (10^9 elements a second) and
method; the first one names the device. Every configuration is checked against the CPU once.
Sizes that the device cannot hold are left out, with a note. A small scan takes one workgroup
whatever it is asked to take; its method is then `one-workgroup`.";

/// Measures, and prints the figures as they come.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let config = Config { pipeline_statistics: options.statistics, ..Config::default() };
    let context = devices.open_with(config)?;
    let mut output = Output::create(options.json.as_deref())?;
    output.device(context.properties())?;
    let timing = Timing { runs: options.reps, warmup_ms: options.warmup, passes: options.passes };
    let bench = Bench { context: &context, timing };
    for &n in &options.n {
        if let Some(reason) = too_large(&context, n) {
            report::note(format_args!("n = {} left out: {reason}", size::show(n)));
            continue;
        }
        match bench.measure(options.subject, n, &mut output) {
            // Another process may hold what the device has.
            Err(error) if is_out_of_memory(&error) => {
                report::note(format_args!("n = {} left out: {error:#}", size::show(n)));
            }
            other => other?,
        }
    }
    if output.is_empty() {
        bail!("nothing was measured: no size fits the device; try a smaller --n");
    }
    output.table();
    if options.statistics {
        output::statistics(&context.pipeline_statistics());
    }
    Ok(())
}

/// Why two arrays of `n` words do not fit the device.
fn too_large(context: &Context, n: u64) -> Option<String> {
    let properties = context.properties();
    let array = bytes_of(n);
    if array > properties.max_allocation {
        let (array, most) = (figures::bytes(array), figures::bytes(properties.max_allocation));
        return Some(format!("an array takes {array}, an allocation {most} at most"));
    }
    // A tenth is left for the workspace, for staging, and for others.
    let (both, room) = (array.saturating_mul(2), properties.device_memory / 10 * 9);
    (both > room).then(|| {
        let memory = figures::bytes(properties.device_memory);
        format!("input and output take {}, the device has {memory}", figures::bytes(both))
    })
}

fn is_out_of_memory(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::OutOfMemory { .. }))
}
