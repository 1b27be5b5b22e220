//! `--json`, `--html` and `--against`: the files that a measurement leaves behind.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;

use super::paper::Table;
use crate::device::Devices;
use crate::html::{self, Points};
use crate::outputs::{OutputId, Outputs};
use crate::report;

/// Arguments about files.
#[derive(Debug, Args)]
pub struct FileOptions {
    /// Write the JSON lines to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a report with plots: one HTML file that needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Draw the figures of this file of JSON lines in the report too, for example CUB's
    #[arg(long, value_name = "FILE", requires = "html")]
    against: Vec<PathBuf>,
}

/// Files that will be written.
pub struct Files {
    outputs: Outputs,
    json: Option<OutputId>,
    html: Option<OutputId>,
    others: Points,
}

impl FileOptions {
    /// Begins the files, before anything is measured for them.
    pub fn begin(&self, devices: &Devices) -> Result<Files> {
        let mut texts = String::new();
        for path in &self.against {
            let problem = || format!("cannot read {}", path.display());
            texts += &std::fs::read_to_string(path).with_context(problem)?;
            texts.push('\n');
        }
        let others = Points::parse(&texts).context("--against is to name JSON lines")?;
        let mut outputs = devices.outputs();
        let json = outputs.begin_if(self.json.as_deref())?;
        let html = outputs.begin_if(self.html.as_deref())?;
        Ok(Files { outputs, json, html, others })
    }
}

impl Files {
    /// Whether the JSON lines go to a file.
    pub fn has_json(&self) -> bool {
        self.json.is_some()
    }

    /// Whether there will be a report.
    pub fn has_html(&self) -> bool {
        self.html.is_some()
    }

    /// Writes the JSON lines, and the report of them with these tables.
    pub fn write(mut self, lines: &str, tables: &[Table]) -> Result<()> {
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
