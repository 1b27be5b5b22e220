//! Networks and methods for shortest-path searches, as named on the command line.

use std::path::Path;
use std::str::FromStr;

use anyhow::{Context as _, Result};
use multisplit::graph::Plan;
use multisplit_sssp as engine;
use multisplit_sssp::network::Network;

use crate::choice::{self, Choice, Named, choice};
use crate::console::plain;
use crate::network::{Format, Grid, LoadOptions, Loaded, Progress, Rmat, Weighting, load, read};
use crate::plans::Target;
use crate::progress::Bars;
use crate::size;

/// Command-line name of a search method; `None` is Dijkstra's algorithm, which runs on the CPU.
pub type Method = Choice<Option<engine::Method>>;

impl Named for Option<engine::Method> {
    const CHOICES: &'static [Method] = &[
        choice(Some(engine::Method::Auto), "auto").help("Best method for the network"),
        choice(Some(engine::Method::BellmanFord), "bellman-ford")
            .help("Bellman-Ford: every improved vertex is expanded in the next round"),
        choice(Some(engine::Method::NearFar), "near-far")
            .help("A near set, and a far set that is split when the near set is exhausted"),
        choice(Some(engine::Method::Bucketing), "bucketing")
            .help("Ten buckets by radix sort: the slow baseline of the GPU Multisplit paper"),
        choice(Some(engine::Method::MultisplitPasses), "multisplit-passes").help(
            "Ten buckets by passes of multisplit: Multisplit-SSSP of the GPU Multisplit paper",
        ),
        choice(Some(engine::Method::Multisplit), "multisplit")
            .help("Ten buckets by ballots in the kernel that relaxes arcs"),
        choice(None, "dijkstra").help("Dijkstra's algorithm on the CPU"),
    ];
}

/// All methods that run on the device: the choices between `auto` and `dijkstra`.
pub(crate) fn device_methods() -> &'static [Method] {
    let choices = <Option<engine::Method>>::CHOICES;
    &choices[1..choices.len() - 1]
}

/// Name of the method in the benchmark results.
pub fn name(method: engine::Method) -> &'static str {
    choice::name(Some(method))
}

/// A network, by name or by file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A generated scale-free network.
    Rmat(Rmat),
    /// A generated road-like network.
    Grid(Grid),
    /// A file, or `-` for standard input.
    File(String),
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let kind = parts.next().unwrap_or_default();
        if !matches!(kind, "rmat" | "grid") {
            return Ok(Self::File(text.to_owned()));
        }
        let sizes: Result<Vec<u32>, _> = parts.map(size::parse_count).collect();
        let sizes = sizes.map_err(|error| format!("{text}: {error}"))?;
        match (kind, sizes.as_slice()) {
            ("rmat", []) => Ok(Self::Rmat(Rmat::default())),
            ("rmat", &[vertices, edges]) => Ok(Self::Rmat(Rmat::of_size(vertices, edges))),
            ("rmat", &[vertices, edges, seed]) => {
                Ok(Self::Rmat(Rmat { seed: seed.into(), ..Rmat::of_size(vertices, edges) }))
            }
            ("grid", []) => Ok(Self::Grid(Grid::default())),
            ("grid", &[vertices]) if vertices < MIN_GRID => {
                Err(format!("{text}: a grid has at least {MIN_GRID} vertices"))
            }
            ("grid", &[vertices]) => Ok(Self::Grid(Grid::of_size(vertices))),
            _ => Err(format!(
                "{text} is not a network; use rmat, rmat:VERTICES:EDGES[:SEED], grid, grid:VERTICES or a file"
            )),
        }
    }
}

/// Minimum number of vertices of a grid: two junctions per side.
const MIN_GRID: u32 = 4;

/// Source vertices for well-known graphs. Other benchmark programs use the same ones.
const SOURCES: [(&str, [u32; 4]); 7] = [
    ("rmat", [0, 649_276, 689_047, 553_487]),
    ("grid", [0, 179_614, 432_195, 951_811]),
    ("slashdot0902", [0, 34_493, 70_818, 35_552]),
    ("usa_ny", [0, 40_775, 169_728, 124_214]),
    ("usa_ne", [0, 31_807, 1_425_649, 1_039_742]),
    ("wave", [0, 117_102, 65_332, 66_672]),
    ("delaunay_n20", [0, 722_405, 726_154, 272_624]),
];

impl Source {
    /// Loads or generates the network. Unweighted edges get hashed weights, as in the GPU
    /// Multisplit paper.
    pub fn network(&self) -> Result<Network> {
        Ok(self.load(Weighting::Own, None, Bars::none())?.network)
    }

    /// Like [`network`](Self::network), with progress bars, and also returns the origin of the weights.
    /// `format` is the file format; by default, the name or the first lines determine it.
    pub fn load(&self, weighting: Weighting, format: Option<Format>, bars: Bars) -> Result<Loaded> {
        let generated = |network| Loaded { network, weights: weighting.origin(false) };
        let path = match self {
            Self::Rmat(rmat) => return rmat.generate(weighting).context("rmat").map(generated),
            Self::Grid(grid) => return grid.generate(weighting).context("grid").map(generated),
            Self::File(path) => path,
        };
        let bar = bars.bytes(&format!("reading {path}"), Some(0));
        let progress = |at: Progress| {
            bar.set_length(at.all_bytes);
            bar.set_position(at.bytes);
        };
        let progress: Option<&dyn Fn(Progress)> = Some(&progress);
        let options = LoadOptions { weighting, format, progress };
        let loaded = match path.as_str() {
            "-" => read("-", std::io::stdin().lock(), &options)?,
            path => load(path, &options)?,
        };
        bar.finish_and_clear();
        Ok(loaded)
    }

    /// The name in figures.
    pub fn name(&self) -> String {
        match self {
            Self::Rmat(rmat) if *rmat == Rmat::default() => "rmat".to_owned(),
            Self::Rmat(rmat) => format!("rmat:{}:{}", rmat.vertices, rmat.edges),
            Self::Grid(grid) if *grid == Grid::default() => "grid".to_owned(),
            Self::Grid(grid) => format!("grid:{}", grid.vertices),
            Self::File(path) if path == "-" => "standard input".to_owned(),
            Self::File(path) => {
                let file = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
                plain(file.split('.').next().unwrap_or_default())
            }
        }
    }

    /// Default source vertices of the benchmarks for this network.
    pub fn sources(&self) -> Vec<u32> {
        let known = SOURCES.iter().find(|(name, _)| *name == self.name());
        known.map_or(vec![0], |(_, sources)| sources.to_vec())
    }
}

/// Plans a search in this network.
pub fn plan(target: &Target, graph: &Source, method: Method, rounds: u32) -> Result<Plan> {
    let method = method
        .value
        .context("--method dijkstra runs on the CPU, so it has no plan; use another method")?;
    let tuning = Some(target.search);
    let options =
        engine::Options { method, resident: Some(false), tuning, ..engine::Options::default() };
    let network = graph.network()?;
    Ok(engine::plan(&network, &options, &target.policy, &target.limits, rounds)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_parsed_by_name_or_file() {
        let name = |text: &str| text.parse::<Source>().map(|source| source.name());
        assert_eq!(name("rmat"), Ok("rmat".to_owned()));
        assert_eq!(name("rmat:100:200"), Ok("rmat:100:200".to_owned()));
        assert_eq!(name("rmat:800000:4800000:1"), Ok("rmat".to_owned()), "the default's seed");
        assert_eq!(name("grid:400"), Ok("grid:400".to_owned()));
        assert_eq!(name("roads/usa_ny.gr.gz"), Ok("usa_ny".to_owned()));
        assert!(name("rmat:1").is_err() && name("grid:x").is_err());
        assert!(name("grid:0").is_err() && name("grid:3").is_err());
        assert_eq!(name("grid:2^10"), Ok("grid:1024".to_owned()));
        let sources = |text: &str| text.parse::<Source>().map(|source| source.sources());
        assert_eq!(sources("usa_ny.gr.gz"), Ok(vec![0, 40_775, 169_728, 124_214]));
        assert_eq!(sources("else.el"), Ok(vec![0]));
    }
}
