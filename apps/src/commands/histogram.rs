//! `multisplit histogram`: counts the numbers of a file that fall into each bin.

use std::io::{self, Write as _};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{ArgGroup, Args};
use multisplit_bench::choice::name;
use multisplit_bench::plot::HistogramPlot;
use multisplit_bench::size;
use serde::Serialize;

use crate::device::Devices;
use crate::edges::Edge;
use crate::formats::{Array, Element, Place};
use crate::glsl_file::{GlslFile, GlslOptions};
use crate::histogram::{Counted, Counts, Function, HistogramRequest, chart, count};
use crate::inputs::{InputOptions, Shape, read_or, read_splitters};
use crate::job::Job;
use crate::report;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("function"), group = ArgGroup::new("count"))]
pub struct Options {
    #[command(flatten)]
    input: InputOptions,
    /// Number of bins
    #[arg(long, value_name = "M", value_parser = size::parse_count, group = "count",
          required_unless_present = "splitters")]
    bins: Option<u32>,
    /// Bins of equal width from LO (included) to HI (excluded) [default: the range of the samples]
    #[arg(long, num_args = 2, value_names = ["LO", "HI"], allow_negative_numbers = true, group = "function")]
    range: Option<Vec<String>>,
    /// Use bins whose edges have equal ratios, instead of bins of equal width
    #[arg(long, conflicts_with_all = ["splitters", "glsl", "identity"])]
    log: bool,
    /// File of M + 1 sorted numbers, the edges of M bins; a .npy file may have another type than the samples
    #[arg(long, value_name = "FILE", group = "function", conflicts_with = "bins")]
    splitters: Option<PathBuf>,
    /// Use one bin for each number from 0 to M - 1
    #[arg(long, group = "function")]
    identity: bool,
    #[command(flatten)]
    glsl: GlslOptions,
    /// Include the upper edge in the last bin, as in NumPy
    #[arg(long, conflicts_with_all = ["glsl", "identity"])]
    closed: bool,
    /// File of weights (u32 or f32), one per sample, to add up instead of counting
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Print one JSON object: counts, edges, out_of_range and more
    #[arg(long)]
    json: bool,
    /// Write lines `lo,hi,count` for each bin, and for the samples below, above and otherwise out of range
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a drawing (SVG)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw counts on a logarithmic scale
    #[arg(long, requires = "svg")]
    log_counts: bool,
    /// Draw densities: counts divided by the widths of their bins
    #[arg(long, requires = "svg")]
    density: bool,
    /// Axis label in the drawing
    #[arg(long, value_name = "TEXT", requires = "svg")]
    label: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  multisplit histogram samples.npy --bins 20
  multisplit histogram samples.npy --bins 20 --range -4 4
  multisplit histogram sales.csv --column price --bins 12 --log
  multisplit histogram pixels.bin --type u8 --bins 256 --range 0 256 --svg pixels.svg
  multisplit histogram times.csv --type f64 --splitters decades.csv --csv counts.csv
  multisplit histogram samples.npy --bins 256 --range 0 1024 --json | jq .out_of_range

A bin contains its lower edge but not its upper edge. Samples below the first edge, samples at or \
above the last edge (above it with --closed) and NaN are out of range; their count is printed. \
Without --range, the bins go from the smallest to the largest finite sample (with --log, of the \
positive ones), and the last bin contains the largest. Without --json, --csv or --svg a chart is \
printed. A GLSL function gets the sample as uint (u8, u16, u32), int (i8, i16, i32), float (f16, bf16, \
f32), uint64_t, int64_t or double.";

pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let mut outputs = devices.outputs();
    let csv_out = outputs.begin_if(options.csv.as_deref())?;
    let svg_out = outputs.begin_if(options.svg.as_deref())?;
    let opening = devices.begin_opening();
    // With weights, keep the samples in row order, so that samples and weights correspond.
    let shape = if options.weights.is_some() { Shape::Rows } else { Shape::Any };
    let input = options.input.open_one_for("histogram", "not counted", shape, devices.bars())?;
    let (samples, missing) = (input.numbers, input.missing);
    let (len, element) = (samples.len(), samples.element);
    let more_inputs = MoreInputs::read(options, element, devices)?;
    let job = Job::new(devices, opening)?;
    let counted = {
        let _span = tracing::info_span!("histogram", n = len as u64).entered();
        let (resources, request) = (job.resources(), more_inputs.request(options)?);
        count(&resources, &request, samples, more_inputs.weights.as_ref(), devices.common.verify)?
    };
    if let Some(id) = csv_out {
        outputs.bytes(id, csv(&counted).as_bytes())?;
    }
    if let Some(id) = svg_out {
        outputs.bytes(id, options.drawing(&counted)?.as_bytes())?;
    }
    outputs.finish()?;
    options.show((len, element), missing, &counted)?;
    let n = size::grouped(len as u64);
    let (out_of_range, bins) = (size::grouped(counted.out_of_range.all()), counted.counts.len());
    let plural = if bins == 1 { "" } else { "s" };
    let checked = match (devices.common.verify, &more_inputs.function) {
        (false, _) => "",
        (true, Some(_)) => "; not verified, because only the device can run the GLSL function",
        (true, None) => ", verified against the CPU",
    };
    let what = format!("counted {n} {element} in {bins} bin{plural}, {out_of_range} out of range,");
    report::done(job.summary_with(what, "counting", checked));
    Ok(())
}

/// Inputs besides the samples: splitters, GLSL function and weights.
struct MoreInputs {
    splitters: Option<Array>,
    function: Option<GlslFile>,
    weights: Option<Array>,
}

impl MoreInputs {
    fn read(options: &Options, element: Element, devices: &Devices) -> Result<Self> {
        let bars = devices.bars();
        let of_samples = |path| read_splitters(&Place::new(path), element, bars);
        let splitters = options.splitters.as_deref().map(of_samples).transpose()?;
        // Weights from text and raw files, which do not store a type, are u32.
        let whole = |path| read_or(&Place::new(path), Element::U32, Shape::Line, bars);
        let weights = options.weights.as_deref().map(whole).transpose()?;
        Ok(Self { splitters, function: options.glsl.read()?, weights })
    }

    fn request<'m>(&'m self, options: &'m Options) -> Result<HistogramRequest<'m>> {
        let range = match options.range.as_deref() {
            Some([lo, hi]) => Some((lo.as_str(), hi.as_str())),
            _ => None,
        };
        let function = match (&self.splitters, &self.function) {
            (Some(array), _) => Function::Splitters(array),
            (_, Some(file)) => Function::Glsl(file),
            _ if options.identity => Function::Identity,
            _ if options.log => Function::Logarithmic(range),
            _ => Function::Even(range),
        };
        Ok(HistogramRequest { bins: options.bins.unwrap_or(1), function, closed: options.closed })
    }
}

/// Output of `--json`.
#[derive(Serialize)]
struct Object<'o> {
    n: usize,
    r#type: String,
    bins: usize,
    counts: &'o Counts,
    edges: &'o [Edge],
    out_of_range: u64,
    below: u64,
    above: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<usize>,
    method: &'static str,
}

impl Options {
    /// Whether the last bin includes its upper edge.
    fn is_closed(&self) -> bool {
        let automatic = self.range.is_none() && self.splitters.is_none();
        self.closed || automatic && !self.identity && !self.glsl.is_given()
    }

    fn show(
        &self,
        (n, element): (usize, Element),
        missing: Option<usize>,
        counted: &Counted,
    ) -> Result<()> {
        let mut out = io::stdout().lock();
        let out_of_range = counted.out_of_range;
        if self.json {
            let object = Object {
                n,
                r#type: element.to_string(),
                bins: counted.counts.len(),
                counts: &counted.counts,
                edges: &counted.edges,
                out_of_range: out_of_range.all(),
                below: out_of_range.below,
                above: out_of_range.above,
                missing,
                method: name(counted.method),
            };
            writeln!(out, "{}", serde_json::to_string(&object)?)?;
        } else if self.csv.is_none() && self.svg.is_none() {
            write!(out, "{}", chart(&counted.counts, &counted.edges, self.is_closed()))?;
            writeln!(out, "out of range: {}", size::grouped(out_of_range.all()))?;
        }
        Ok(())
    }

    fn drawing(&self, counted: &Counted) -> Result<String> {
        let name = self.input.input.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = match (name.filter(|name| name != "-"), self.input.column.first()) {
            (None, _) => "standard input".to_owned(),
            (Some(name), None) => name,
            (Some(name), Some(column)) => format!("{name}: {column}"),
        };
        let edges: Vec<f64> = counted.edges.iter().map(|edge| edge.value()).collect();
        let plot = HistogramPlot {
            title: &name,
            x_label: self.label.as_deref().or(self.input.column.first().map(String::as_str)),
            heights: &counted.counts.heights(),
            edges: &edges,
            out_of_range: counted.out_of_range.all(),
            weighted: self.weights.is_some(),
            log: self.log_counts,
            density: self.density,
            log_axis: self.log,
        };
        plot.svg().context("--svg")
    }
}

/// CSV rows: samples below the range, each bin, samples above it, and samples such as NaN if there are any.
fn csv(counted: &Counted) -> String {
    let mut text = "lo,hi,count\n".to_owned();
    let out_of_range = counted.out_of_range;
    let (first, last) = (counted.edges[0], counted.edges[counted.edges.len() - 1]);
    text += &format!("-inf,{first},{}\n", out_of_range.below);
    let heights: Vec<String> = match &counted.counts {
        Counts::Whole(counts) => counts.iter().map(u64::to_string).collect(),
        Counts::Real(sums) => sums.iter().map(f64::to_string).collect(),
    };
    for (ends, count) in counted.edges.windows(2).zip(heights) {
        text += &format!("{},{},{count}\n", ends[0], ends[1]);
    }
    text += &format!("{last},inf,{}\n", out_of_range.above);
    if out_of_range.other > 0 {
        text += &format!("nan,nan,{}\n", out_of_range.other);
    }
    text
}
