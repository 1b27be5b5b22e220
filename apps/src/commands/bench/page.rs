//! `--html` and `--against`: the report of a measurement.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;

use crate::device::Devices;
use crate::files::{OutputId, Outputs, Place};
use crate::html::{self, Points};

/// Arguments about the report.
#[derive(Debug, Args)]
pub struct PageOptions {
    /// Write a report with plots: one HTML file that needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Draw the figures of this file of JSON lines in the report too, for example CUB's
    #[arg(long, value_name = "FILE", requires = "html")]
    against: Vec<PathBuf>,
}

/// A report that will be written.
pub struct Page {
    outputs: Outputs,
    output: OutputId,
    others: Points,
}

impl PageOptions {
    /// Begins the report, before anything is measured for it.
    pub fn begin(&self, devices: &Devices) -> Result<Option<Page>> {
        let Some(path) = &self.html else { return Ok(None) };
        let mut texts = String::new();
        for path in &self.against {
            let problem = || format!("cannot read {}", path.display());
            texts += &std::fs::read_to_string(path).with_context(problem)?;
            texts.push('\n');
        }
        let others = Points::parse(&texts).context("--against is to name JSON lines")?;
        let mut outputs = devices.outputs();
        let output = outputs.begin(&Place::new(path))?;
        Ok(Some(Page { outputs, output, others }))
    }
}

impl Page {
    /// Writes the report of these JSON lines.
    pub fn write(mut self, lines: &str) -> Result<()> {
        let page = html::page(&Points::parse(lines)?, &self.others);
        self.outputs.bytes(self.output, page.as_bytes())?;
        Ok(self.outputs.finish()?)
    }
}
