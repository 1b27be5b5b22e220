//! `multisplit bench sssp`: complete shortest-path searches, by network, method and bucket width.

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use multisplit::PassTime;
use multisplit_sssp::network::Summary;
use multisplit_sssp::{DEFAULT_BUCKETS, DeviceNetwork, Options, Solver, Tuning};
use serde::Serialize;

use crate::choice::or_default;
use crate::console;
use crate::figures::six_digits;
use crate::measure::Bench;
use crate::network::dijkstra;
use crate::output::{ANCHOR, Timed, is_true};
use crate::sssp::{self, Method, Source};
use crate::tune::Tune;

/// Arguments for the subject `sssp`.
#[derive(Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Options of sssp")]
pub struct SearchOptions {
    /// Networks, separated by commas: rmat, rmat:VERTICES:EDGES, grid, grid:VERTICES,
    /// or files [default: rmat,grid; on a software driver rmat:5000:30000,grid:3000]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub graph: Vec<Source>,
    /// Methods, separated by commas [default: all that run on the device]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    pub search: Vec<Method>,
    /// Bucket widths (ranges of distances), separated by commas [default: derived from weights and degrees]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub delta: Vec<f64>,
    /// Source vertices, separated by commas [default: four for well-known networks, else 0]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub source: Vec<u32>,
    /// Number of buckets, for methods with buckets
    #[arg(long, value_name = "M")]
    pub search_buckets: Option<u32>,
    /// Run many rounds per dispatch [default: true if the device is known to support it]
    #[arg(long, value_name = "BOOL")]
    pub resident: Option<bool>,
    /// Override tuning parameters, e.g. local_hops=16,stage=4; lists separated by semicolons are
    /// measured one after another
    #[arg(long, value_name = "LISTS", value_delimiter = ';')]
    pub tune_search: Vec<Tune<Tuning>>,
}

/// One JSON line.
#[derive(Serialize)]
struct Line {
    anchor: &'static str,
    op: &'static str,
    graph: String,
    n: u32,
    edges: u64,
    method: &'static str,
    resident: bool,
    delta: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    tune: Option<String>,
    /// GPU time of a complete search, averaged over the sources.
    ms: f64,
    /// Whether all times are reliable; see [`Timed::settled`]. Written only if false.
    #[serde(skip_serializing_if = "is_true")]
    settled: bool,
    /// Millions of arcs per second. The paper computes 2 x edges / time, which is the same for undirected
    /// networks.
    mteps: f64,
    rounds: u32,
    splits: u32,
    relaxations: u64,
    rerelaxations: u64,
    /// Share of the time spent in bucketing, for methods with separate bucketing passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    bucketing_share: Option<f64>,
}

/// Default networks: a scale-free one as in the GPU Multisplit paper, and a road-like one. Software
/// drivers get small networks.
const GRAPHS: [&str; 2] = ["rmat", "grid"];
const SOFTWARE_GRAPHS: [&str; 2] = ["rmat:5000:30000", "grid:3000"];

/// Source vertices, and the expected result for each.
type Expected = Vec<(u32, Summary)>;

impl SearchOptions {
    /// The requested networks, or the defaults for the device.
    pub fn graphs(&self, software: bool) -> Result<Vec<Source>> {
        if !self.graph.is_empty() {
            return Ok(self.graph.clone());
        }
        let default = if software { SOFTWARE_GRAPHS } else { GRAPHS };
        let parse = |name: &str| name.parse().map_err(anyhow::Error::msg);
        default.into_iter().map(parse).collect()
    }

    /// Measures all networks.
    pub fn measure(&self, bench: &Bench<'_>) -> Result<()> {
        for graph in &self.graphs(bench.is_software())? {
            self.measure_graph(bench, graph).with_context(|| graph.name())?;
        }
        Ok(())
    }

    fn measure_graph(&self, bench: &Bench<'_>, graph: &Source) -> Result<()> {
        let network = graph.network()?;
        let sources = if self.source.is_empty() { graph.sources() } else { self.source.clone() };
        let expected = |&source: &u32| Ok((source, dijkstra(&network, source)?.summary()));
        let expected: Expected = sources.iter().map(expected).collect::<Result<_>>()?;
        let on_device = DeviceNetwork::upload(bench.context, &network)?;
        drop(network);
        let deltas: Vec<_> = self.delta.iter().copied().map(Some).collect();
        let tunes: Vec<_> = self.tune_search.iter().map(Some).collect();
        let methods = or_default(&self.search, sssp::device_methods());
        for method in methods.iter().filter_map(|method| method.value) {
            for &tune in or_default(&tunes, &[None]) {
                let search = Search { graph, network: &on_device, tune, expected: &expected };
                for &delta in or_default(&deltas, &[None]) {
                    let options = Options {
                        method,
                        delta,
                        buckets: self.search_buckets.unwrap_or(DEFAULT_BUCKETS),
                        resident: self.resident,
                        ..Options::default()
                    };
                    search.measure(bench, options)?;
                }
            }
        }
        Ok(())
    }
}

/// A network with tuning parameters and expected results.
struct Search<'s> {
    graph: &'s Source,
    network: &'s DeviceNetwork,
    tune: Option<&'s Tune<Tuning>>,
    expected: &'s Expected,
}

impl Search<'_> {
    fn measure(&self, bench: &Bench<'_>, options: Options) -> Result<()> {
        let Self { graph, network, tune, expected } = *self;
        let mut tuning = bench.target.search;
        if let Some(tune) = tune {
            tune.apply(&mut tuning);
        }
        let options = Options { tuning: Some(tuning), ..options };
        let mut solver = Solver::new(bench.context, network, &options)?;
        let mut all = Vec::new();
        for &(source, summary) in expected {
            let found = solver.solve(source)?;
            let (method, got) = (sssp::name(solver.method()), found.paths.summary());
            ensure!(
                got == summary,
                "the search is wrong: {method} from vertex {source} has {got}, but {summary} on the CPU"
            );
            let time = bench.settled(|| Ok(solver.time_runs(source, bench.timing.runs)?))?;
            all.push((found.statistics, time));
        }
        let count = all.len().max(1);
        let mean = |of: &dyn Fn(&(_, Timed)) -> f64| all.iter().map(of).sum::<f64>() / count as f64;
        let ms = mean(&|(_, time)| time.nanoseconds / 1e6);
        let passes = match expected.first() {
            Some(&(source, _)) if solver.has_split_passes() => solver.time_passes(source)?,
            _ => Vec::new(),
        };
        if all.iter().any(|(statistics, _)| statistics.gave_up_residents) {
            console::note(
                "workgroups that ran several rounds per dispatch timed out, so rounds ran as separate dispatches",
            );
        }
        bench.output().line(&Line {
            anchor: ANCHOR,
            op: "sssp",
            graph: graph.name(),
            n: network.vertices(),
            edges: network.edges(),
            method: sssp::name(solver.method()),
            resident: solver.is_resident(),
            delta: solver.delta(),
            tune: tune.map(|tune| tune.tune.clone()),
            ms: six_digits(ms),
            settled: all.iter().all(|(_, time)| time.settled),
            mteps: six_digits(network.arcs() as f64 / (ms * 1e3).max(f64::MIN_POSITIVE)),
            rounds: mean(&|(statistics, _)| statistics.rounds.into()) as u32,
            splits: mean(&|(statistics, _)| statistics.splits.into()) as u32,
            relaxations: mean(&|(statistics, _)| statistics.relaxations as f64) as u64,
            rerelaxations: mean(&|(statistics, _)| statistics.rerelaxations as f64) as u64,
            bucketing_share: bucketing_share(&passes),
        })
    }
}

/// Fraction of the GPU time spent outside the search passes; `None` if `passes` is empty.
fn bucketing_share(passes: &[PassTime]) -> Option<f64> {
    let all: f64 = passes.iter().map(|pass| pass.nanoseconds).sum();
    let searching = ["sssp.clear", "sssp.begin", "sssp.round", "sssp.report"];
    let bucketing = passes.iter().filter(|pass| !searching.contains(&pass.label.as_str()));
    let bucketing: f64 = bucketing.map(|pass| pass.nanoseconds).sum();
    (all > 0.0).then(|| six_digits(bucketing / all))
}

#[cfg(test)]
mod tests {
    use super::bucketing_share;
    use multisplit::PassTime;

    #[test]
    fn bucketing_share_excludes_search_passes() {
        let time = |label: &str, nanoseconds| PassTime { label: label.to_owned(), nanoseconds };
        let passes = [time("sssp.round", 1.0), time("sssp.filter", 1.0), time("scan.reduce", 2.0)];
        assert_eq!(bucketing_share(&passes), Some(0.75));
        assert_eq!(bucketing_share(&[]), None);
    }
}
