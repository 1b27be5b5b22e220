//! Parses JSON lines with benchmark figures, from this or another program.

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::figures::distinct;

/// One measurement, from one JSON line.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// The program that measured it.
    pub anchor: String,
    /// The operation.
    pub op: String,
    /// The method.
    pub method: String,
    /// Number of elements.
    pub n: f64,
    /// Bucket count, bin count, row length or k, depending on the operation; 0 if it has none.
    pub m: f64,
    /// Milliseconds of GPU time.
    pub ms: f64,
    /// Rate in 10^9 elements per second.
    pub gps: f64,
    /// Milliseconds of each stage, by name.
    pub stages: Vec<(String, f64)>,
    /// The graph of a shortest-path figure.
    pub graph: Option<String>,
    /// Number of rounds of a search.
    pub rounds: f64,
    /// Rate of a search, in millions of arcs per second.
    pub mteps: f64,
    /// Key distribution of a split; empty if not specified.
    pub distribution: String,
    /// Ranking; empty if the operation does not rank keys, or if the file has only one ranking.
    pub ranking: String,
}

impl Point {
    /// The fields that identify what was measured. Repeated measurements have equal fields.
    fn case(&self) -> ([&str; 5], Option<&str>, [f64; 2]) {
        let Self { anchor, op, method, distribution, ranking, .. } = self;
        ([anchor, op, method, distribution, ranking], self.graph.as_deref(), [self.n, self.m])
    }

    /// The operation, with the graph of a search.
    pub fn subject(&self) -> String {
        match &self.graph {
            Some(graph) => format!("{} {graph}", self.op),
            None => self.op.clone(),
        }
    }

    /// The method, with the key distribution unless it is uniform, and the ranking if there are several.
    pub fn description(&self) -> String {
        let mut description = self.method.clone();
        for more in [&self.distribution, &self.ranking] {
            if !more.is_empty() && more != "uniform" {
                description = format!("{description}, {more}");
            }
        }
        description
    }
}

/// Figures parsed from JSON lines.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// The first device that the lines name.
    pub device: Option<String>,
    /// The figures.
    pub all: Vec<Point>,
}

/// Suffix of the JSON keys of stage times.
const STAGE: &str = "_ms";

/// Profile name that stands for the built-in kernel sizes; reports do not show it.
const BUILT_IN: &str = "built-in";

impl Points {
    /// Parses JSON lines. Skips lines that are not figures.
    pub fn parse(text: &str) -> Result<Self> {
        let mut points = Self::default();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let value: Value =
                serde_json::from_str(line).with_context(|| format!("line {}", index + 1))?;
            if let Some(device) = value["device"].as_str() {
                let driver = value["driver"].as_str().unwrap_or_default();
                let device = format!("{device}, {driver}");
                let mut device = device.trim_end_matches([',', ' ']).to_owned();
                if let Some(profile) = value["profile"].as_str().filter(|name| *name != BUILT_IN) {
                    device += &format!(", kernel sizes of {profile}");
                }
                points.device.get_or_insert(device);
            }
            points.all.extend(point(&value));
        }
        points.keep_best();
        points.name_ranking();
        Ok(points)
    }

    /// Keeps only the fastest of repeated measurements. The copy kernel, for example, is measured repeatedly.
    fn keep_best(&mut self) {
        let mut best: Vec<Point> = Vec::new();
        for point in self.all.drain(..) {
            match best.iter_mut().find(|known| known.case() == point.case()) {
                Some(known) if known.ms <= point.ms => {}
                Some(known) => *known = point,
                None => best.push(point),
            }
        }
        self.all = best;
    }

    /// If all figures with a ranking have the same one, moves it to the device name. Otherwise each
    /// figure keeps its ranking.
    fn name_ranking(&mut self) {
        let rankings = self.distinct(|point| point.ranking.clone());
        let mut named = rankings.iter().filter(|ranking| !ranking.is_empty());
        let (Some(ranking), None) = (named.next(), named.next()) else { return };
        if let Some(device) = &mut self.device {
            *device += &format!(", ranking {ranking}");
        }
        self.all.iter_mut().for_each(|point| point.ranking.clear());
    }

    /// The distinct values of `key`, in order of first occurrence.
    pub fn distinct<T: PartialEq>(&self, key: impl Fn(&Point) -> T) -> Vec<T> {
        distinct(self.all.iter().map(key))
    }
}

fn point(value: &Value) -> Option<Point> {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let number = |key: &str| value[key].as_f64().unwrap_or(0.0);
    let op = value["op"].as_str()?.to_owned();
    let ms = value["ms"].as_f64()?;
    let object = value.as_object()?;
    let stage = |(key, value): (&String, &Value)| {
        Some((key.strip_suffix(STAGE)?.to_owned(), value.as_f64()?))
    };
    Some(Point {
        anchor: text("anchor"),
        op,
        method: text("method"),
        n: number("n"),
        m: number("m"),
        ms,
        gps: number("gps"),
        stages: object.iter().filter_map(stage).collect(),
        graph: value["graph"].as_str().map(str::to_owned),
        rounds: number("rounds"),
        mteps: number("mteps"),
        distribution: text("distribution"),
        ranking: text("ranking"),
    })
}

#[cfg(test)]
mod tests {
    use super::Points;

    #[test]
    fn json_lines_of_every_record_kind_are_parsed() {
        let text = r#"{"anchor":"multisplit","device":"llvmpipe","driver":"Mesa","version":"0"}
{"anchor":"multisplit","op":"split_delta_keys","n":1024,"m":8,"ms":1.5,"gps":2.0,"method":"warp","prescan_ms":0.5}

{"anchor":"cub","op":"sort_keys_u32","n":1024,"m":0,"ms":1,"gps":3}
{"anchor":"multisplit","op":"sssp","graph":"rmat","method":"near-far","ms":2,"mteps":9,"rounds":12}"#;
        let points = Points::parse(text).expect("the lines are valid");
        assert_eq!(points.device.as_deref(), Some("llvmpipe, Mesa"));
        assert_eq!(points.all.len(), 3);
        assert_eq!(points.all[0].stages, [("prescan".to_owned(), 0.5)]);
        assert_eq!(points.all[2].rounds, 12.0);
        assert_eq!(points.distinct(|point| point.anchor.clone()), ["multisplit", "cub"]);
        assert!(Points::parse("no JSON").is_err());
        // Measured three times: the best one is kept.
        let line = |ms: u32| format!(r#"{{"anchor":"a","op":"copy","n":8,"ms":{ms},"gps":1}}"#);
        let points =
            Points::parse(&[line(3), line(2), line(4)].join("\n")).expect("the lines are valid");
        assert_eq!(points.all.iter().map(|point| point.ms).collect::<Vec<_>>(), [2.0]);
    }
}
