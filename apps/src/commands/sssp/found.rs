//! Results and timings of a shortest-path search, as text and as JSON.

use std::time::Duration;

use multisplit_bench::network::{Loaded, WeightOrigin};
use multisplit_bench::sssp::Source;
use multisplit_bench::{figures, size};
use multisplit_sssp::Statistics;
use multisplit_sssp::network::{Distance, Network, ShortestPaths, WeightKind};
use serde::Serialize;

/// Results and timings of one shortest-path search.
#[derive(Debug, Serialize)]
pub struct Found {
    graph: String,
    vertices: u32,
    edges: u64,
    /// Origin of the weights.
    weights: String,
    source: u32,
    method: String,
    device: String,
    reached: u64,
    /// Sum of the distances of the reached vertices; an integer if weights are integers.
    sum: serde_json::Number,
    max: serde_json::Number,
    checksum: String,
    ms: f64,
    mteps: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relaxations: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rerelaxations: Option<u64>,
    /// The path, if one was requested; its inner value is `None` if the vertex cannot be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Option<Vec<u32>>>,
}

impl Found {
    /// Summarizes `paths`. The search took `time`.
    pub fn new(graph: &Source, loaded: &Loaded, paths: &ShortestPaths, time: Duration) -> Self {
        let network = &loaded.network;
        let summary = paths.summary();
        let (sum, max) = sum_and_max(network, paths);
        let seconds = time.as_secs_f64().max(f64::MIN_POSITIVE);
        Self {
            graph: graph.name(),
            vertices: network.vertices(),
            edges: network.edges(),
            weights: match loaded.weights {
                WeightOrigin::File => "file".to_owned(),
                WeightOrigin::Ones => "1".to_owned(),
                WeightOrigin::Hashed(max) => format!("hash, 0 to {max}"),
            },
            source: paths.source,
            method: String::new(),
            device: String::new(),
            reached: summary.reached,
            sum,
            max,
            checksum: format!("{:016x}", summary.hash),
            // Rounded to 0.1 us.
            ms: (seconds * 1e7).round() / 1e4,
            mteps: (network.arcs().len() as f64 / seconds / 1e3).round() / 1e3,
            rounds: None,
            relaxations: None,
            rerelaxations: None,
            path: None,
        }
    }

    /// Sets the method, the device and the work counters.
    pub fn by(self, method: &str, device: &str, statistics: Option<Statistics>) -> Self {
        Self {
            method: method.to_owned(),
            device: device.to_owned(),
            rounds: statistics.map(|s| s.rounds),
            relaxations: statistics.map(|s| s.relaxations),
            rerelaxations: statistics.map(|s| s.rerelaxations),
            ..self
        }
    }

    /// Two lines of text for people.
    pub fn text(&self) -> String {
        let Self { graph, source, sum, max, checksum, method, device, mteps, .. } = self;
        let (reached, vertices) =
            (size::grouped(self.reached), size::grouped(self.vertices.into()));
        let time = figures::time(self.ms * 1e6);
        let work = match (self.rounds, self.relaxations, self.rerelaxations) {
            (Some(rounds), Some(all), Some(again)) => {
                let plural = if rounds == 1 { "" } else { "s" };
                let [rounds, all, again] = [rounds.into(), all, again].map(size::grouped);
                format!(
                    "; {rounds} round{plural}, {all} relaxations, of which {again} were repeated"
                )
            }
            _ => String::new(),
        };
        let weights = match self.weights.as_str() {
            "file" => "from the file".to_owned(),
            "1" => "all 1".to_owned(),
            hash => format!("by {hash}"),
        };
        format!(
            "{graph} from {source}: {reached} of {vertices} vertices reached, sum {sum}, max {max}, \
             checksum {checksum}\n  weights {weights}; {method} on {device} in {time}, {mteps:.1} MTEPS{work}"
        )
    }
}

/// Whether sums of these weights are exact in 32-bit floats, up to the largest distance. They are if all
/// weights are multiples of the same power of two and every distance is less than 2^24 times that power.
pub fn is_exact(network: &Network, paths: &ShortestPaths) -> bool {
    if paths.kind == WeightKind::U32 {
        return true;
    }
    let weights = network.arcs().iter().map(|arc| f32::from_bits(arc.weight));
    let lowest = |weight: f32| {
        let fraction = weight.to_bits() & 0x7f_ffff | 0x80_0000;
        let exponent = (weight.to_bits() >> 23) as i32 - 150;
        exponent + fraction.trailing_zeros() as i32
    };
    let unit = weights.filter(|&weight| weight > 0.0).map(lowest).min().unwrap_or(0);
    let distances = (0..network.vertices()).filter_map(|vertex| paths.distance(vertex));
    let max = distances.fold(0f64, |max, distance| match distance {
        Distance::F32(distance) => max.max(distance.into()),
        Distance::U32(_) => max,
    });
    // A distance equal to the bound may itself be rounded, so it must be strictly less.
    max < 2f64.powi(unit + 24)
}

fn sum_and_max(
    network: &Network,
    paths: &ShortestPaths,
) -> (serde_json::Number, serde_json::Number) {
    let distances = (0..network.vertices()).filter_map(|vertex| paths.distance(vertex));
    let (mut sum, mut max) = (0u64, 0u32);
    let (mut float_sum, mut float_max) = (0f64, 0f64);
    let mut floats = false;
    for distance in distances {
        match distance {
            Distance::U32(distance) => {
                sum += u64::from(distance);
                max = max.max(distance);
            }
            Distance::F32(distance) => {
                floats = true;
                float_sum += f64::from(distance);
                float_max = float_max.max(distance.into());
            }
        }
    }
    let float = |value: f64| serde_json::Number::from_f64(value).unwrap_or_else(|| 0.into());
    if floats { (float(float_sum), float(float_max)) } else { (sum.into(), max.into()) }
}

pub fn path_text(paths: &ShortestPaths, to: u32, path: Option<&[u32]>) -> String {
    match (path, paths.distance(to)) {
        (Some(path), Some(distance)) => {
            let vertices: Vec<_> = path.iter().map(u32::to_string).collect();
            let edges = path.len().saturating_sub(1);
            let plural = if edges == 1 { "" } else { "s" };
            format!("to {to}: {distance}, over {edges} edge{plural}\n{}", vertices.join(" "))
        }
        _ => format!("to {to}: no path"),
    }
}
