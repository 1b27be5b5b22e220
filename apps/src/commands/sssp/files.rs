//! Output files of searches: distances, predecessors, path and plot of each source.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use multisplit_sssp::network::{ShortestPaths, UNREACHED, WeightKind};

use super::Options;
use crate::device::Devices;
use crate::formats::{Array, Data, Element, Format};
use crate::outputs::{OutputId, Outputs};

/// Output files that have been opened.
pub struct SearchFiles {
    outputs: Outputs,
    /// One entry per source.
    files: Vec<Files>,
}

#[derive(Clone, Copy)]
struct Files {
    distances: Option<OutputId>,
    predecessors: Option<OutputId>,
    path: Option<OutputId>,
    plot: Option<OutputId>,
}

impl SearchFiles {
    /// Opens the files of every source before the first search.
    pub fn begin(options: &Options, devices: &Devices) -> Result<Self> {
        let mut outputs = devices.outputs();
        let mut files = Vec::new();
        for &source in &options.source {
            let mut begin = |file: &Option<PathBuf>| {
                let name = file.as_deref().map(|file| of_source(file, source));
                outputs.begin_if(name.as_deref())
            };
            files.push(Files {
                distances: begin(&options.output)?,
                predecessors: begin(&options.predecessors)?,
                path: begin(&options.path)?,
                plot: begin(&options.plot)?,
            });
        }
        Ok(Self { outputs, files })
    }

    /// Writes the requested files of one source, except the plot.
    pub fn write(&mut self, index: usize, paths: &ShortestPaths, to: Option<u32>) -> Result<()> {
        let Files { distances, predecessors, path, .. } = self.files[index];
        if let Some(id) = distances {
            self.array(id, &distances_of(paths)?)?;
        }
        if let Some(id) = predecessors {
            self.array(id, &Array::words(paths.predecessors.clone()))?;
        }
        if let Some((id, to)) = path.zip(to) {
            self.array(id, &Array::words(paths.path_to(to).unwrap_or_default()))?;
        }
        Ok(())
    }

    fn array(&mut self, id: OutputId, array: &Array) -> Result<()> {
        Ok(self.outputs.array(id, array, Format::Text)?)
    }

    /// Whether any source has a plot.
    pub fn has_plot(&self) -> bool {
        self.files.iter().any(|files| files.plot.is_some())
    }

    /// Writes the plot of one source.
    pub fn write_plot(&mut self, index: usize, drawing: &str) -> Result<()> {
        let plot = self.files[index].plot;
        plot.map_or(Ok(()), |id| Ok(self.outputs.bytes(id, drawing.as_bytes())?))
    }

    /// Renames all files to their final names.
    pub fn finish(self) -> Result<()> {
        Ok(self.outputs.finish()?)
    }
}

/// Replaces `{}` in the file name with the source.
fn of_source(file: &Path, source: u32) -> PathBuf {
    match file.to_str() {
        Some(name) => name.replace("{}", &source.to_string()).into(),
        None => file.to_owned(),
    }
}

fn distances_of(paths: &ShortestPaths) -> Result<Array> {
    let (element, nowhere) = match paths.kind {
        WeightKind::U32 => (Element::U32, UNREACHED),
        WeightKind::F32 => (Element::F32, f32::INFINITY.to_bits()),
    };
    let word = |&bits: &u32| if bits == UNREACHED { nowhere } else { bits };
    let words = paths.distances.iter().map(word).collect();
    Array::new(element, Data::Bytes4(words)).context("distances of 4 bytes")
}
