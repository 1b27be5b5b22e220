//! `multisplit bench paper`: runs the experiments of the paper, and prints its tables with the figures of the
//! paper's device and of this one.

mod options;
mod published;
mod table;
mod tables;

pub use options::PaperOptions;
pub use table::Table;

use std::io::Write as _;

use anyhow::{Context as _, Result, ensure};
use clap::ValueEnum as _;
use multisplit::Context;

use self::options::PaperTable;
use self::published::{BUCKETS, MAX_WARP, N, SPREAD_BUCKETS, SPREADS, STAGE_BUCKETS};
use self::tables::Measured;
use crate::choice::or_default;
use crate::figures::distinct;
use crate::html::Points;
use crate::options::{self as bench, Options, is_software};
use crate::output::Output;
use crate::progress::Bars;
use crate::size;
use crate::sssp;
use crate::subjects::sssp::SearchOptions;

/// Element count on a software driver.
const SOFTWARE_N: u64 = 1 << 16;

/// Runs the benchmarks that the tables need, and prints and returns the tables.
pub fn measure(
    options: &Options,
    context: &Context,
    bars: Bars,
    output: &mut Output,
) -> Result<Vec<Table>> {
    let default = if is_software(context) { SOFTWARE_N } else { N };
    let n = options.n.first().copied().unwrap_or(default);
    let asked = |m: &u32| options.m.is_empty() || options.m.contains(m);
    let buckets: Vec<u32> = BUCKETS.into_iter().filter(asked).collect();
    ensure!(!buckets.is_empty(), "with `paper`, --m must be 2, 4, 8, 16, 32, 64, 128 or 256");
    let chosen = or_default(&options.paper.table, PaperTable::value_variants());

    // The plots show the rate of the copy kernel as the ceiling.
    let copy = std::iter::once("copy".to_owned());
    let runs = distinct(copy.chain(chosen.iter().flat_map(|which| which.runs(&buckets))));
    let timing = options.timing(context);
    let timing = format!("--reps {} --warmup {}", timing.runs, timing.warmup_ms);
    let bar = bars.elements("measuring", runs.len() as u64);
    for run in &runs {
        bench::measure(&format!("{run} --n {n} {timing}"), context, output)
            .with_context(|| format!("bench {run}"))?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    if chosen.contains(&PaperTable::Sssp) {
        let graph = options.sssp.graphs(is_software(context))?;
        // All methods except Bellman-Ford: those of the paper's table, and the one of this library.
        let search = sssp::device_methods()[1..].to_vec();
        let searches = SearchOptions { graph, search, ..SearchOptions::default() };
        searches.measure(&options.bench(context, output)?)?;
    }

    let points = Points::parse(output.text())?;
    let measured = Measured { points: &points, n, buckets: &buckets };
    let tables: Vec<Table> = chosen.iter().map(|which| which.table(&measured)).collect();
    let mut out = std::io::stdout().lock();
    let (device, shown) = (&context.properties().name, size::show(n));
    writeln!(out, "here: {device}, n = {shown}; the paper: GeForce GTX 1080, n = 2^25")?;
    for table in &tables {
        write!(out, "\n{}", table.text())?;
    }
    Ok(tables)
}

impl PaperTable {
    /// Arguments of the benchmarks for this table.
    fn runs(self, buckets: &[u32]) -> Vec<String> {
        let delta = |&m: &u32| {
            let methods = if m > MAX_WARP { "" } else { "direct,warp," };
            format!("{DELTA} --m {m} --method {methods}block,reduced-bit")
        };
        let bits = |&m: &u32| {
            let methods = if m > MAX_WARP { "" } else { "warp," };
            let ops = "split_identity_keys,split_identity_pairs";
            format!("split --op {ops} --m {m} --method {methods}block,onesweep")
        };
        match self {
            Self::Reference => {
                vec![SORT.to_owned(), format!("{DELTA} --m 2 --method scan-split")]
            }
            Self::Stages => {
                let asked = STAGE_BUCKETS.iter().filter(|m| buckets.contains(m));
                asked.map(delta).collect()
            }
            Self::Delta => {
                let mut runs = vec![SORT.to_owned()];
                runs.extend(buckets.iter().map(delta));
                runs
            }
            Self::Distribution => {
                let uneven = |spread: &&str| {
                    let rest = format!("--distribution {spread}");
                    format!("{} {rest}", delta(&SPREAD_BUCKETS))
                };
                let even = std::iter::once(delta(&SPREAD_BUCKETS));
                even.chain(SPREADS[1..].iter().map(uneven)).collect()
            }
            Self::Bits => buckets.iter().map(bits).collect(),
            Self::Sort => vec![SORT.to_owned(), format!("{SORT} --sort-by r4,r5,r6,r7,r8")],
            // Networks may be files. Their names may contain spaces, which separate arguments.
            Self::Sssp => Vec::new(),
            Self::Histogram => {
                let bins = buckets.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
                let ops = "histogram_even,histogram_range";
                vec![format!("histogram --histograms {ops} --m {bins} --count-by ballots,auto")]
            }
        }
    }

    fn table(self, measured: &Measured<'_>) -> Table {
        match self {
            Self::Reference => measured.reference(),
            Self::Stages => measured.stages(),
            Self::Delta => measured.delta(),
            Self::Distribution => measured.distribution(),
            Self::Bits => measured.bits(),
            Self::Sort => measured.sorts(),
            Self::Sssp => measured.searches(),
            Self::Histogram => measured.histograms(),
        }
    }
}

const SORT: &str = "sort --sorts sort_keys_u32,sort_pairs_u32_u32";
const DELTA: &str = "split --op split_delta_keys,split_delta_pairs";

#[cfg(test)]
mod tests {
    use super::published::{BUCKETS, N, SPREADS};
    use super::tables::Measured;
    use super::{PaperTable, Table};
    use crate::html::Points;
    use crate::options::tests::parses;
    use clap::ValueEnum as _;

    #[test]
    fn every_experiment_has_valid_arguments() {
        for run in PaperTable::value_variants().iter().flat_map(|which| which.runs(&BUCKETS)) {
            assert!(parses(&run), "invalid arguments: {run}");
        }
    }

    #[test]
    fn methods_run_up_to_the_papers_bucket_limits() {
        let runs = PaperTable::Delta.runs(&[32, 64]);
        assert_eq!(runs.len(), 3);
        assert!(runs[1].ends_with("direct,warp,block,reduced-bit"), "{}", runs[1]);
        assert!(runs[2].ends_with("--m 64 --method block,reduced-bit"), "{}", runs[2]);
    }

    /// JSON lines of all measurements that the tables need. Sorts have a rate of 1, splits and
    /// histograms a rate of 2.
    fn lines() -> String {
        let mut text = String::new();
        let mut line = |op: &str, m: u32, method: &str, gps: u32, rest: &str| {
            let head = format!(r#""op":"{op}","m":{m},"method":"{method}","ms":2,"gps":{gps}"#);
            text += &format!("{{{head}{rest}}}\n");
        };
        for kind in ["keys", "pairs"] {
            let op = if kind == "keys" { "sort_keys_u32" } else { "sort_pairs_u32_u32" };
            for method in ["onesweep", "r4", "r5", "r6", "r7", "r8"] {
                line(op, 0, method, 1, "");
            }
            for m in BUCKETS {
                for method in ["direct", "warp", "block", "reduced-bit-sort", "scan-split"] {
                    let stages = r#","prescan_ms":1,"scan_ms":1,"postscan_ms":2,"labels_ms":1"#;
                    for spread in SPREADS {
                        let rest = format!(r#"{stages},"distribution":"{spread}""#);
                        line(&format!("split_delta_{kind}"), m, method, 2, &rest);
                    }
                }
                for method in ["warp", "block", "onesweep"] {
                    let op = format!("split_identity_{kind}");
                    line(&op, m, method, 2, r#","distribution":"uniform""#);
                }
            }
        }
        for m in BUCKETS {
            for method in ["ballots", "shared"] {
                line("histogram_even", m, method, 2, "");
                line("histogram_range", m, method, 2, "");
            }
        }
        for method in ["near-far", "bucketing", "multisplit-passes", "multisplit"] {
            line("sssp", 0, method, 0, r#","graph":"grid","mteps":7"#);
            line("sssp", 0, method, 0, r#","graph":"of my own","mteps":7"#);
        }
        text
    }

    fn tables() -> Vec<Table> {
        let points = Points::parse(&lines()).expect("the lines are valid");
        let measured = Measured { points: &points, n: N, buckets: &BUCKETS };
        PaperTable::value_variants().iter().map(|which| which.table(&measured)).collect()
    }

    #[test]
    fn every_table_has_rows_for_both_devices() {
        for table in tables() {
            for row in &table.rows {
                assert_eq!(row.cells.len(), table.columns.len(), "{}: {row:?}", table.title);
            }
            let of = |device| table.rows.iter().filter(move |row| row.device == device).count();
            // The paper has four networks; the lines have two.
            let not_measured = if table.columns[0] == "near-far" { 2 } else { 0 };
            assert_eq!(of("GTX 1080"), of("here") + not_measured, "{}", table.title);
        }
    }

    #[test]
    fn cells_show_rates_and_ratios() {
        let cell = |table: &Table, what: &str, device: &str, column: usize| {
            let row = table.rows.iter().find(|row| row.what == what && row.device == device);
            row.unwrap_or_else(|| panic!("no {what} in {}", table.text())).cells[column].clone()
        };
        let [reference, stages, delta, distribution, bits, sort, sssp, histogram] = &tables()[..]
        else {
            panic!("there must be eight tables")
        };
        assert_eq!(cell(reference, "keys, scan-based split", "GTX 1080", 0), "8.44 (2.48x)");
        assert_eq!(cell(reference, "pairs, scan-based split", "here", 0), "2.00 (2.00x)");
        assert_eq!(cell(stages, "keys, RB-sort sort", "here", 2), "4.00 (80%)");
        assert_eq!(cell(stages, "pairs, BMS total", "GTX 1080", 2), "3.04 (100%)");
        assert_eq!(cell(delta, "keys, DMS", "GTX 1080", 5), "-");
        assert_eq!(cell(delta, "pairs, BMS", "GTX 1080", 7), "5.85 (3.08x)");
        assert_eq!(cell(delta, "keys, RB-sort", "here", 7), "2.00 (2.00x)");
        assert_eq!(cell(distribution, "pairs, BMS", "GTX 1080", 2), "7.28 (1.24x)");
        assert_eq!(cell(bits, "keys, BMS", "GTX 1080", 0), "19.4 (1.18x)");
        assert_eq!(cell(sort, "pairs", "GTX 1080", 3), "2.10 (1.10x)");
        assert_eq!(cell(sort, "keys", "here", 5), "1.00");
        assert_eq!(cell(sssp, "flickr", "GTX 1080", 4), "1.83x");
        assert_eq!(cell(sssp, "grid", "here", 5), "1.00x");
        assert_eq!(cell(sssp, "of my own", "here", 3), "7.00");
        assert_eq!(cell(histogram, "histogram_range, by ballots", "GTX 1080", 7), "20.0 (1.35x)");
    }
}
