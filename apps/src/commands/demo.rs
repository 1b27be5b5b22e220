//! `multisplit demo`: verifies and measures the main operations on generated data, and writes a report.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use multisplit::ash::vk::PhysicalDeviceType;
use multisplit::{Config, Context, PipelineFallback};
use multisplit_bench::html::{self, Point, Points};
use multisplit_bench::plans::Target;
use multisplit_bench::{Output, figures, size};

use crate::device::Devices;
use crate::formats::Place;
use crate::report;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Number of elements to sort, split and count [default: 2^24, on a software driver 2^16]
    #[arg(long, value_name = "N", value_parser = size::parse)]
    n: Option<u64>,
    /// File for the report; replaces the report of an earlier demo
    #[arg(long, value_name = "FILE", default_value = "multisplit-report.html")]
    html: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  multisplit demo
  multisplit demo --n 2^20 --validate
  multisplit demo --device 1 --html gpu.html";

/// Repetitions of every benchmark: enough for a median, and few enough for a software driver to finish in about a
/// minute.
const RUNS: &str = "--reps 5 --warmup 20";

pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let start = Instant::now();
    let mut out = io::stdout().lock();
    let mut outputs = devices.outputs();
    // Replace a report of an earlier demo; other files need `--force`.
    let ours = fs::read_to_string(&options.html).is_ok_and(|text| text.contains(html::MARK));
    let report_id = outputs.begin_with(&Place::new(&options.html), ours || devices.common.force)?;
    // Fail rather than measure simplified plans: as in `multisplit bench`, figures do not say how
    // plans were simplified.
    let pipeline_fallback = PipelineFallback::Off;
    let context = devices.open_with(Config { pipeline_fallback, ..Config::default() })?;
    let properties = context.properties();
    let software = properties.device_type == PhysicalDeviceType::CPU;
    let n = options.n.unwrap_or(if software { 1 << 16 } else { 1 << 24 });
    Target::context(&context).check_size(n)?;
    writeln!(out, "{}: {}, {}\n", properties.name, properties.kind(), properties.driver)?;

    let mut tour = Tour { context: &context, out: &mut out, output: Output::kept(), printed: 0 };
    tour.output.device(&context, None)?;
    // Two sizes, so that the plots show a line.
    let sizes = if n >= 8 { vec![n / 8, n] } else { vec![n] };
    let list = sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    tour.measure(
        "copy, the upper bound for operations that read and write each element",
        &format!("copy --n {list} {RUNS}"),
    )?;
    let sorts = "--sorts sort_keys_u32,sort_pairs_u32_u32";
    tour.measure("radix sort", &format!("sort --n {list} {sorts} {RUNS}"))?;
    let buckets = if software { "8,64" } else { "2,8,32,256" };
    let ops = "--op split_delta_keys,split_delta_pairs --method auto";
    tour.measure(
        "split into buckets of equal width",
        &format!("split --n {list} --m {buckets} {ops} {RUNS}"),
    )?;
    let bins = "--histograms histogram_even,histogram_range --bins 16,256";
    tour.measure("histogram of f32", &format!("histogram --n {list} {bins} {RUNS}"))?;
    let graphs = if software { "rmat:5000:30000,grid:3000" } else { "rmat,grid" };
    let searches = "--search near-far,multisplit --source 0";
    tour.measure("shortest paths", &format!("sssp --graph {graphs} {searches} {RUNS}"))?;

    let points = Points::parse(tour.output.text())?;
    let page = html::page(&points, &Points::default(), "", &report::command());
    outputs.bytes(report_id, page.as_bytes())?;
    outputs.finish()?;
    let time = figures::time(start.elapsed().as_secs_f64() * 1e9);
    writeln!(out, "\n{} figures, each verified against the CPU, in {time}", points.all.len())?;
    writeln!(out, "report: {}", options.html.display())?;
    Ok(())
}

/// The device, and the outputs of the measurements.
struct Tour<'t, W> {
    context: &'t Context,
    out: &'t mut W,
    output: Output,
    /// Length in bytes of the output that has already been printed.
    printed: usize,
}

impl<W: Write> Tour<'_, W> {
    /// Prints the heading, runs `multisplit bench` with these arguments, and prints the results.
    fn measure(&mut self, heading: &str, arguments: &str) -> Result<()> {
        writeln!(self.out, "{heading}")?;
        self.out.flush()?;
        multisplit_bench::measure(arguments, self.context, &mut self.output)?;
        let text = self.output.text();
        for point in Points::parse(&text[self.printed..])?.all {
            writeln!(self.out, "{}", line(&point))?;
        }
        self.printed = text.len();
        Ok(())
    }
}

/// Formats a measurement: operation, size, method, time and rate.
fn line(point: &Point) -> String {
    let what = match &point.graph {
        Some(graph) => format!("{} {graph}", point.op),
        None => format!("{}, n = {}", point.op, size::show(point.n as u64)),
    };
    let m = if point.m > 0.0 && point.graph.is_none() {
        format!(", m = {}", point.m)
    } else {
        String::new()
    };
    let rate = match &point.graph {
        Some(_) => format!("{} rounds", point.rounds),
        None => figures::rate(point.gps),
    };
    let time = figures::time(point.ms * 1e6);
    format!("  {:40}  {:12}  {time:>10}  {rate:>12}", what + &m, point.method)
}
