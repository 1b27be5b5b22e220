//! `multisplit bench`: opens the device for each ranking, measures, and writes the output files.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use multisplit::requirements::Features;
use multisplit::{Config, Context, PipelineFallback, RankingChoice};
use multisplit_bench::html::{self, Points};
use multisplit_bench::paper::{self, Table};
use multisplit_bench::publish::{self, Publisher, Results};
use multisplit_bench::ranking::Ranking;
use multisplit_bench::{FileOptions, Options, Output, console};

use crate::device::Devices;
use crate::outputs::{OutputId, Outputs};
use crate::report;

pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    if let Err(text) = options.check() {
        report::usage_error(text);
    }
    let rankings = devices.rankings();
    let (of_paper, published) = (options.is_paper(), options.is_publish());
    let old = options.publish.compare.as_deref().map(results).transpose()?;
    if let Some(path) = &options.publish.from {
        let (new, others) = (results(path)?, others(&options.files)?);
        return report_results(&new, old.as_ref(), &others);
    }
    let choices: Vec<RankingChoice> = match rankings.len() {
        0 if published => vec![RankingChoice::Probed, RankingChoice::Promised],
        0 => vec![RankingChoice::Auto],
        _ if of_paper => vec![devices.one_ranking()],
        _ => rankings.iter().map(|&ranking| ranking.into()).collect(),
    };
    let open = |ranking| {
        let off = options.without_reconvergence;
        let without = Features {
            shader_maximal_reconvergence: off,
            shader_subgroup_uniform_control_flow: off,
            ..Features::default()
        };
        // Measure the usual plans or fail, because figures do not say how plans were simplified. Always collect
        // pipeline statistics, so that register spills in ranking kernels are reported.
        let pipeline_fallback = PipelineFallback::Off;
        let config = Config {
            pipeline_statistics: true,
            ranking,
            without,
            pipeline_fallback,
            ..Config::default()
        };
        devices.open_ranking(config)
    };
    let [first, others @ ..] = choices.as_slice() else { return Ok(()) };
    let mut context = open(*first)?;
    let files = Files::begin(&options.files, devices)?;
    // Standard output receives either tables for people or JSON lines for programs, never both.
    let kept = files.json.is_some() || of_paper || old.is_some();
    let mut output = if kept { Output::kept() } else { Output::printed() };
    if published {
        output = output.with_samples();
    } else {
        output.device(&context, None)?;
    }
    output.rank(Ranking::of(&context));
    let printed = options.statistics || devices.common.verbose > 0;
    let mut publisher = Publisher::default();
    let mut measure = |context: &Context, output: &mut Output| match published {
        true => publisher.measure(options, context, devices.bars(), output),
        false => options.measure(context, files.html.is_some(), output),
    };
    let tables = if of_paper {
        paper::measure(options, &context, devices.bars(), &mut output)?
    } else {
        measure(&context, &mut output)?;
        Vec::new()
    };
    let mut statistics = vec![(Ranking::of(&context), context.pipeline_statistics())];
    for &other in others {
        // Drop the first context before opening the second, so that its resources are free.
        drop(context);
        context = open(other)?;
        let ranking = Ranking::of(&context);
        if statistics.iter().any(|(measured, _)| *measured == ranking) {
            console::note(
                "--ranking probed gives the same kernels as promised on this device, so only promised is measured",
            );
            continue;
        }
        output.rank(ranking);
        measure(&context, &mut output)?;
        statistics.push((ranking, context.pipeline_statistics()));
    }
    if output.is_empty() {
        bail!("nothing was measured, because every size was skipped; give another --n");
    }
    if !of_paper && !published {
        output.table();
    }
    if published {
        output.end()?;
        let others = files.others.clone();
        files.write(output.text(), &tables)?;
        let new = Results::parse(output.text())?;
        return if kept { report_results(&new, old.as_ref(), &others) } else { Ok(()) };
    }
    for (ranking, figures) in &statistics {
        output.rank(*ranking);
        output.statistics(figures, printed)?;
    }
    files.write(output.text(), &tables)
}

/// Reads a file of `multisplit bench publish`.
fn results(path: &Path) -> Result<Results> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    Results::parse(&text).with_context(|| format!("cannot use {name}"))
}

/// Prints the comparison with `old`, or the tables if `old` is `None`. Returns an error if cells became slower.
fn report_results(new: &Results, old: Option<&Results>, others: &Points) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let Some(old) = old else {
        return Ok(out.write_all(publish::tables(new, others, &[])?.as_bytes())?);
    };
    let compared = new.compare(old)?;
    out.write_all(compared.text.as_bytes())?;
    match compared.slower {
        0 => Ok(()),
        1 => bail!("1 cell became slower"),
        slower => bail!("{slower} cells became slower"),
    }
}

/// Reads the files of `--against`.
fn others(options: &FileOptions) -> Result<Points> {
    let mut texts = String::new();
    for path in &options.against {
        let problem = || format!("cannot read {}", path.display());
        texts += &fs::read_to_string(path).with_context(problem)?;
        texts.push('\n');
    }
    Points::parse(&texts).context("--against needs a file of JSON lines from `multisplit bench`")
}

struct Files {
    outputs: Outputs,
    json: Option<OutputId>,
    html: Option<OutputId>,
    others: Points,
}

impl Files {
    /// Reads the files of `--against` and opens the output files, before measuring.
    fn begin(options: &FileOptions, devices: &Devices) -> Result<Self> {
        let others = others(options)?;
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
