//! `multisplit histogram`: how many numbers of a file fall into each bin.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::{ArgGroup, Args, value_parser};
use serde::Serialize;

use crate::device::Devices;
use crate::files::{Array, Element, OutputId, Outputs, Place, read};
use crate::histogram::{Counted, Wanted, chart, count, name};
use crate::plot::HistogramPlot;
use crate::{figures, report, size};

/// Arguments of `multisplit histogram`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("function").required(true))]
pub struct Options {
    /// The samples
    input: PathBuf,
    /// How many bins
    #[arg(long, value_name = "M", value_parser = value_parser!(u32).range(1..), required_unless_present = "splitters")]
    bins: Option<u32>,
    /// M equal parts of the numbers from LO up to, and without, HI
    #[arg(long, num_args = 2, value_names = ["LO", "HI"], allow_negative_numbers = true, group = "function")]
    range: Option<Vec<String>>,
    /// Bins between sorted splitters, numbers of the type of the samples
    #[arg(long, value_name = "FILE", group = "function", conflicts_with = "bins")]
    splitters: Option<PathBuf>,
    /// A function of your own: GLSL with `uint bucket_of(K sample)`
    #[arg(long, value_name = "FILE", group = "function")]
    glsl: Option<PathBuf>,
    /// What the samples are, where the file does not say it
    #[arg(long = "type", value_name = "TYPE", value_parser = Element::sample_parser())]
    element: Option<Element>,
    /// Print one JSON object: counts, edges, out_of_range and more
    #[arg(long)]
    json: bool,
    /// Write a line `lo,hi,count` for each bin
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a drawing
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw counts on a logarithmic scale
    #[arg(long, requires = "svg")]
    log: bool,
}

const EXAMPLES: &str = "\
Examples:
  multisplit histogram samples.npy --bins 20 --range -4 4
  multisplit histogram pixels.bin --type u8 --bins 256 --range 0 255 --svg pixels.svg
  multisplit histogram times.csv --type f64 --splitters decades.csv --csv counts.csv
  multisplit histogram samples.npy --bins 256 --range 0 1024 --json | jq .out_of_range

A bin has its lower edge and not its upper one. Samples below the first edge, at or above the last,
and NaN are in no bin; how many there are is printed. Without --json, --csv or --svg a chart is
printed. In GLSL a sample is uint (u8, u16, u32), int, float, uint64_t or double; i64
has 2^63 added to it and is uint64_t.";

/// Reads, counts, shows.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let mut outputs = devices.outputs();
    let ids = OutputIds::begin(options, &mut outputs)?;
    let samples = {
        let _span = tracing::info_span!("read").entered();
        read(&Place::new(&options.input), options.element, devices.bars())?
    };
    let material = Material::read(options, &samples, devices)?;
    let context = devices.open()?;
    let start = Instant::now();
    let counted = {
        let _span = tracing::info_span!("histogram", n = samples.len() as u64).entered();
        count(&devices.room(&context), &material.wanted(options)?, &samples, devices.verify())?
    };
    let time = figures::time(start.elapsed().as_secs_f64() * 1e9);
    options.show(&samples, &counted)?;
    if let Some(id) = ids.csv {
        outputs.bytes(id, csv(&counted).as_bytes())?;
    }
    if let Some(id) = ids.svg {
        outputs.bytes(id, options.drawing(&counted)?.as_bytes())?;
    }
    outputs.finish()?;
    let (n, element) = (size::grouped(samples.len() as u64), samples.element());
    let (out_of_range, bins) = (size::grouped(counted.out_of_range), counted.counts.len());
    let checked = if devices.verify() { ", verified against the CPU" } else { "" };
    let device = &context.properties().name;
    report::summary(format_args!(
        "counted {n} {element} in {bins} bins, {out_of_range} out of range, in {time} on \
         {device}{checked}"
    ));
    Ok(())
}

struct OutputIds {
    csv: Option<OutputId>,
    svg: Option<OutputId>,
}

impl OutputIds {
    fn begin(options: &Options, outputs: &mut Outputs) -> Result<Self> {
        let csv = outputs.begin_if(options.csv.as_deref())?;
        Ok(Self { csv, svg: outputs.begin_if(options.svg.as_deref())? })
    }
}

/// What the bins are read from.
enum Material {
    None,
    Splitters(Array),
    Source(String),
}

impl Material {
    fn read(options: &Options, samples: &Array, devices: &Devices) -> Result<Self> {
        Ok(match (&options.splitters, &options.glsl) {
            (Some(path), _) => {
                let asked = Some(samples.element());
                Self::Splitters(read(&Place::new(path), asked, devices.bars())?)
            }
            (_, Some(path)) => {
                let text = std::fs::read_to_string(path);
                Self::Source(text.with_context(|| format!("cannot read {}", path.display()))?)
            }
            _ => Self::None,
        })
    }

    fn wanted<'m>(&'m self, options: &'m Options) -> Result<Wanted<'m>> {
        let bins = options.bins.unwrap_or(1);
        Ok(match (self, options.range.as_deref()) {
            (Self::Splitters(array), _) => Wanted::Splitters(array),
            (Self::Source(source), _) => Wanted::Glsl { bins, source },
            (Self::None, Some([lo, hi])) => Wanted::Even { bins, lo, hi },
            // clap has seen to it that there is one.
            _ => bail!("no bins"),
        })
    }
}

#[derive(Serialize)]
struct Object<'o> {
    n: usize,
    r#type: &'static str,
    bins: usize,
    counts: &'o [u64],
    edges: &'o [f64],
    out_of_range: u64,
    method: &'static str,
}

impl Options {
    /// What goes to standard output.
    fn show(&self, samples: &Array, counted: &Counted) -> Result<()> {
        let mut out = io::stdout().lock();
        if self.json {
            let object = Object {
                n: samples.len(),
                r#type: samples.element().name(),
                bins: counted.counts.len(),
                counts: &counted.counts,
                edges: &counted.edges,
                out_of_range: counted.out_of_range,
                method: name(counted.method),
            };
            writeln!(out, "{}", serde_json::to_string(&object)?)?;
        } else if self.csv.is_none() && self.svg.is_none() {
            write!(out, "{}", chart(&counted.counts, &counted.edges))?;
            writeln!(out, "out of range: {}", size::grouped(counted.out_of_range))?;
        }
        Ok(())
    }

    fn drawing(&self, counted: &Counted) -> Result<String> {
        let name = self.input.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_else(|| "standard input".to_owned());
        let plot = HistogramPlot {
            title: &name,
            counts: &counted.counts,
            edges: &counted.edges,
            out_of_range: counted.out_of_range,
            log: self.log,
        };
        plot.svg().context("--svg")
    }
}

fn csv(counted: &Counted) -> String {
    let mut text = "lo,hi,count\n".to_owned();
    for (ends, count) in counted.edges.windows(2).zip(&counted.counts) {
        text += &format!("{:?},{:?},{count}\n", ends[0], ends[1]);
    }
    text
}
