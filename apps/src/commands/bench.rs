//! `multisplit bench`: opens the devices, measures, and writes the output files.

use anyhow::{Context as _, Result, bail};
use multisplit::requirements::Features;
use multisplit::{Config, RankingChoice};
use multisplit_bench::html::{self, Points};
use multisplit_bench::paper::{self, Table};
use multisplit_bench::ranking::Ranking;
use multisplit_bench::{FileOptions, Options, Output, console};

use crate::device::Devices;
use crate::outputs::{OutputId, Outputs};
use crate::report;

/// Runs the benchmarks and prints each result as soon as it is available.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    if let Err(text) = options.check() {
        report::usage_error(text);
    }
    let rankings = devices.rankings();
    let of_paper = options.is_paper();
    let choices: Vec<RankingChoice> = match rankings.len() {
        0 => vec![RankingChoice::Auto],
        _ if of_paper => vec![devices.one_ranking()],
        _ => rankings.iter().map(|&ranking| ranking.into()).collect(),
    };
    let open = |ranking| {
        // Always collect pipeline statistics, so that register spills in ranking kernels are reported.
        let off = options.without_reconvergence;
        let without = Features {
            shader_maximal_reconvergence: off,
            shader_subgroup_uniform_control_flow: off,
            ..Features::default()
        };
        let config = Config { pipeline_statistics: true, ranking, without, ..Config::default() };
        devices.open_ranking(config)
    };
    let [first, others @ ..] = choices.as_slice() else { return Ok(()) };
    let mut context = open(*first)?;
    let files = Files::begin(&options.files, devices)?;
    // Standard output receives either tables for people or JSON lines for programs, never both.
    let kept = files.json.is_some() || of_paper;
    let mut output = if kept { Output::kept() } else { Output::printed() };
    output.device(&context)?;
    output.rank(Ranking::of(&context));
    let printed = options.statistics || devices.common.verbose > 0;
    let tables = if of_paper {
        paper::measure(options, &context, devices.bars(), &mut output)?
    } else {
        options.measure(&context, files.html.is_some(), &mut output)?;
        Vec::new()
    };
    let mut measured = vec![Ranking::of(&context)];
    let mut statistics = vec![(Ranking::of(&context), context.pipeline_statistics())];
    for &other in others {
        // Drop the first context before opening the second, so that its resources are free.
        drop(context);
        context = open(other)?;
        let ranking = Ranking::of(&context);
        if measured.contains(&ranking) {
            console::note(
                "--ranking probed gives the same kernels as promised on this device, so only promised is measured",
            );
            continue;
        }
        output.rank(ranking);
        options.measure(&context, files.html.is_some(), &mut output)?;
        measured.push(ranking);
        statistics.push((ranking, context.pipeline_statistics()));
    }
    if output.is_empty() {
        bail!("nothing was measured: no size fits the device; try a smaller --n");
    }
    if !of_paper {
        output.table();
    }
    for (ranking, figures) in &statistics {
        output.rank(*ranking);
        output.statistics(figures, printed)?;
    }
    files.write(output.text(), &tables)
}

/// Output files of the command.
struct Files {
    outputs: Outputs,
    json: Option<OutputId>,
    html: Option<OutputId>,
    others: Points,
}

impl Files {
    /// Reads the files of `--against` and opens the output files, before measuring.
    fn begin(options: &FileOptions, devices: &Devices) -> Result<Self> {
        let mut texts = String::new();
        for path in &options.against {
            let problem = || format!("cannot read {}", path.display());
            texts += &std::fs::read_to_string(path).with_context(problem)?;
            texts.push('\n');
        }
        let others = Points::parse(&texts)
            .context("--against needs a file of JSON lines from `multisplit bench`")?;
        let mut outputs = devices.outputs();
        let json = outputs.begin_if(options.json.as_deref())?;
        let html = outputs.begin_if(options.html.as_deref())?;
        Ok(Self { outputs, json, html, others })
    }

    /// Writes the JSON lines and the HTML report, which includes `tables`.
    fn write(mut self, lines: &str, tables: &[Table]) -> Result<()> {
        if let Some(id) = self.json {
            self.outputs.bytes(id, lines.as_bytes())?;
        }
        if let Some(id) = self.html {
            let tables: String = tables.iter().map(Table::html).collect();
            let points = Points::parse(lines)?;
            let page = html::page(&points, &self.others, &tables, &report::command());
            self.outputs.bytes(id, page.as_bytes())?;
        }
        Ok(self.outputs.finish()?)
    }
}
