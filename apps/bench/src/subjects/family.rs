//! `multisplit bench family`: scans, reductions, selections and segmented sorts of several types, with the inputs and
//! names of other benchmark programs.

use anyhow::{Result, ensure};
use clap::Args;
use clap::builder::PossibleValuesParser;
use multisplit::graph::Graph;
use multisplit::operations::{
    self, ReduceBuffers, ReduceByKeyBuffers, ScanBuffers, SegmentedReduceBuffers, SelectBuffers,
};
use multisplit::{Array, Bound, Key, Operator, Scan, Select};

use super::segments::{self, ROWS};
use crate::data::{self, mixed};
use crate::measure::{Bench, Case};

/// Selections keep the keys below this bound, which are about half of all keys.
const HALF: u32 = 1 << 31;
/// Maximum relative difference between sums of up to 2^28 floats and those computed in f64.
const NEAR: f64 = 1e-3;

const SUM_OF_ROWS: &str = "segmented_reduce_sum_f32";
const SUM_BY_OFFSETS: &str = "segmented_reduce_sum_f32_offsets";
/// Scans of rows, given by row length and by offsets.
const SCANS_OF_WORDS: [&str; 2] = ["segmented_scan_sum_u32", "segmented_scan_sum_u32_offsets"];
const SCANS_OF_FLOATS: [&str; 2] = ["segmented_scan_sum_f32", "segmented_scan_sum_f32_offsets"];
const REDUCE_BY_KEY: &str = "reduce_by_key_u32";
const SCAN_BY_KEY: &str = "scan_inclusive_by_key_u32";

type Group = (&'static [&'static str], fn(&Family<'_, '_>) -> Result<()>);

/// Operations that share an input, and the function that measures them.
const GROUPS: [Group; 7] = [
    (&["reduce_sum_u32", "scan_inclusive_u32", "select_if_u32"], |family| family.words()),
    (&["reduce_max_f32", SUM_OF_ROWS, SUM_BY_OFFSETS, "scan_inclusive_f32"], |family| {
        family.floats()
    }),
    (&["scan_inclusive_u64"], |family| family.wide()),
    (&SCANS_OF_WORDS, |family| family.scans_of_words()),
    (&SCANS_OF_FLOATS, |family| family.scans_of_floats()),
    (&["unique_u32", "run_length_encode_u32", REDUCE_BY_KEY, SCAN_BY_KEY], |family| family.runs()),
    (&segments::OPS, |family| {
        segments::measure(family.bench, family.n, |op| family.options.is_selected(op))
    }),
];

/// Arguments for the subject `family`.
#[derive(Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Options of family")]
pub struct FamilyOptions {
    /// Operations, separated by commas [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = PossibleValuesParser::new(operations()))]
    family: Vec<String>,
}

fn operations() -> Vec<&'static str> {
    GROUPS.iter().flat_map(|(ops, _)| *ops).copied().collect()
}

impl FamilyOptions {
    fn is_selected(&self, op: &str) -> bool {
        self.family.is_empty() || self.family.iter().any(|wanted| wanted == op)
    }

    /// Measures the requested operations on `n` elements.
    pub fn measure(&self, bench: &Bench<'_>, n: u64) -> Result<()> {
        let family = Family { bench, options: self, n };
        for (ops, measure) in GROUPS {
            if ops.iter().any(|op| self.is_selected(op)) {
                measure(&family)?;
            }
        }
        Ok(())
    }
}

struct Family<'b, 'c> {
    bench: &'b Bench<'c>,
    options: &'b FamilyOptions,
    n: u64,
}

impl Family<'_, '_> {
    /// Measures a graph if the operation was requested. `m` is the row length, or 0 if there are no rows.
    fn measure(
        &self,
        op: &'static str,
        m: u64,
        graph: Graph,
        bound: Vec<Bound<'_>>,
        check: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if !self.options.is_selected(op) {
            return Ok(());
        }
        let plan = self.bench.target.plan(graph)?;
        let labels: Vec<_> = plan.steps().iter().map(|step| step.pass.label.as_str()).collect();
        let method = match () {
            () if labels.iter().any(|label| label.starts_with("select.")) => "lookback",
            () if labels.iter().any(|label| label.contains(".lookback")) => "lookback",
            () if labels.contains(&"scan.open_totals") => "reduce-then-scan",
            () if m > 0 && labels == ["scan.spine"] => "rows",
            () if labels.contains(&"reduce.rows") => "rows",
            () if labels.contains(&"reduce.segments") => "tiles",
            () if labels.contains(&"reduce.polled_segments") => "polled",
            () if labels.contains(&"reduce.long_segments") => "segments",
            () if labels.contains(&"scan.reduce") => "reduce-then-scan",
            () if labels.contains(&"reduce") => "one-pass",
            () => "one-workgroup",
        };
        let case = Case { m, ..Case::new(op, method, self.n, bound) };
        self.bench.measure(&case, &plan, check)
    }

    fn reduction<K: Key>(
        &self,
        op: &'static str,
        operator: Operator,
        src: &Array<K>,
        expected: K,
    ) -> Result<()> {
        let context = self.bench.context;
        let dst = context.zeroed::<K>(1)?;
        let mut graph = Graph::new("reduce");
        let (from, to) = (graph.import::<K>("src", self.n), graph.import::<K>("dst", 1));
        let buffers = ReduceBuffers::new(from, to);
        operations::reduce(&mut graph, &self.bench.target.policy, operator, &buffers)?;
        self.measure(op, 0, graph, vec![(from, src).into(), (to, &dst).into()], || {
            let same = context.download(&dst)?.first().map(|x| x.key_bits());
            ensure!(
                same == Some(expected.key_bits()),
                "the reduction differs from the CPU's result"
            );
            Ok(())
        })
    }

    /// Measures an inclusive scan of `src`. With `keys`, scans each run of equal keys separately.
    fn sums<K: Key>(
        &self,
        op: &'static str,
        src: &Array<K>,
        keys: Option<&Array<u32>>,
        check: impl FnOnce(&[K]) -> bool,
    ) -> Result<()> {
        let context = self.bench.context;
        let dst = context.zeroed::<K>(self.n)?;
        let mut graph = Graph::new("scan");
        let [from, to] = ["src", "dst"].map(|name| graph.import::<K>(name, self.n));
        let (how, mut buffers) = (Scan::inclusive(Operator::Sum), ScanBuffers::new(from, to));
        let mut bound: Vec<Bound<'_>> = vec![(from, src).into(), (to, &dst).into()];
        if let Some(keys) = keys {
            let import = graph.import::<u32>("keys", self.n);
            buffers = buffers.keys(import);
            bound.push((import, keys).into());
        }
        operations::scan(&mut graph, &self.bench.target.policy, &how, &buffers)?;
        self.measure(op, 0, graph, bound, || {
            ensure!(check(&context.download(&dst)?), "the scan differs from the CPU's result");
            Ok(())
        })
    }

    /// Measures a selection from `src` and checks that it selects `keys`. With `lengths`, also writes run lengths and
    /// checks that they equal `lengths`.
    fn selection(
        &self,
        op: &'static str,
        condition: &Select<u32>,
        src: &Array<u32>,
        keys: &[u32],
        lengths: Option<&[u32]>,
    ) -> Result<()> {
        let context = self.bench.context;
        let (dst, found) = (context.zeroed::<u32>(self.n)?, context.zeroed::<u32>(1)?);
        let counts = context.zeroed::<u32>(if lengths.is_some() { self.n } else { 1 })?;
        let mut graph = Graph::new("select");
        let [from, to] = ["src", "dst"].map(|name| graph.import::<u32>(name, self.n));
        let selected = graph.import::<u32>("selected", 1);
        let mut buffers = SelectBuffers::new(from, to, selected);
        let mut bound: Vec<Bound<'_>> =
            vec![(from, src).into(), (to, &dst).into(), (selected, &found).into()];
        if lengths.is_some() {
            let import = graph.import::<u32>("lengths", self.n);
            buffers = buffers.run_lengths(import);
            bound.push((import, &counts).into());
        }
        operations::select(&mut graph, &self.bench.target.policy, condition, &buffers)?;
        self.measure(op, 0, graph, bound, || {
            let kept = keys.len() as u64;
            ensure!(
                context.download(&found)? == [kept as u32],
                "the number of selected elements differs from the CPU's result"
            );
            ensure!(
                context.download_range(&dst, 0..kept)? == keys,
                "the selected elements differ from the CPU's result"
            );
            if let Some(lengths) = lengths {
                let found = context.download_range(&counts, 0..kept)?;
                ensure!(found == lengths, "the run lengths differ from the CPU's result");
            }
            Ok(())
        })
    }

    fn words(&self) -> Result<()> {
        let words = data::words(self.n, |index| mixed(index, 1))?;
        let src = self.bench.context.upload(&words)?;
        let sum = words.iter().copied().fold(0, u32::wrapping_add);
        self.reduction("reduce_sum_u32", Operator::Sum, &src, sum)?;
        self.sums("scan_inclusive_u32", &src, None, |found| {
            let mut sum = 0u32;
            words.iter().zip(found).all(|(&word, &found)| {
                sum = sum.wrapping_add(word);
                found == sum
            })
        })?;
        let below: Vec<u32> = words.into_iter().filter(|&word| word < HALF).collect();
        self.selection("select_if_u32", &Select::less_than(HALF), &src, &below, None)
    }

    fn floats(&self) -> Result<()> {
        let bits = data::float_bits(self.n)?;
        let floats: &[f32] = bytemuck::cast_slice(&bits);
        let src = self.bench.context.upload(floats)?;
        let greatest = floats.iter().copied().fold(0.0, f32::max);
        self.reduction("reduce_max_f32", Operator::Max, &src, greatest)?;
        self.rows(floats, &src)?;
        self.sums("scan_inclusive_f32", &src, None, |found| {
            let mut sum = 0.0;
            floats.iter().zip(found).all(|(&x, &found)| {
                sum += f64::from(x);
                (f64::from(found) - sum).abs() <= NEAR * sum
            })
        })
    }

    fn wide(&self) -> Result<()> {
        let words = data::words(2 * self.n, |index| mixed(index, 3))?;
        let pairs = words.chunks_exact(2);
        let wide: Vec<u64> =
            pairs.map(|pair| u64::from(pair[1]) << 32 | u64::from(pair[0])).collect();
        let src = self.bench.context.upload(&wide)?;
        self.sums("scan_inclusive_u64", &src, None, |found| {
            let mut sum = 0u64;
            wide.iter().zip(found).all(|(&x, &found)| {
                sum = sum.wrapping_add(x);
                found == sum
            })
        })
    }

    /// Measures operations on runs of equal words with an average length of four.
    fn runs(&self) -> Result<()> {
        let mut run = 0;
        let words = data::words(self.n, |index| {
            run += u32::from(mixed(index, 7).is_multiple_of(4));
            run
        })?;
        let src = self.bench.context.upload(&words)?;
        let (mut keys, mut lengths): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for of_run in words.chunk_by(|a, b| a == b) {
            keys.push(of_run[0]);
            lengths.push(of_run.len() as u32);
        }
        let first = Select::first_of_runs();
        self.selection("unique_u32", &first, &src, &keys, None)?;
        self.selection("run_length_encode_u32", &first, &src, &keys, Some(&lengths))?;
        if [REDUCE_BY_KEY, SCAN_BY_KEY].iter().any(|op| self.options.is_selected(op)) {
            self.by_key(&words, &src)?;
        }
        Ok(())
    }

    /// Measures the sum of the values of each run of equal keys, and the inclusive scan of the values of each run.
    fn by_key(&self, keys: &[u32], src: &Array<u32>) -> Result<()> {
        let (context, n) = (self.bench.context, self.n);
        let values = data::words(n, |index| mixed(index, 2))?;
        let of_values = context.upload(&values)?;
        let (mut sums, mut scanned): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for (at, &value) in values.iter().enumerate() {
            if at == 0 || keys[at] != keys[at - 1] {
                sums.push(0);
            }
            if let Some(sum) = sums.last_mut() {
                *sum = sum.wrapping_add(value);
                scanned.push(*sum);
            }
        }
        let (dst, found) = (context.zeroed::<u32>(n)?, context.zeroed::<u32>(1)?);
        let keys_out = context.zeroed::<u32>(n)?;
        let mut graph = Graph::new("reduce by key");
        let [from, with, out, to] =
            ["keys", "values", "keys_out", "dst"].map(|name| graph.import::<u32>(name, n));
        let count = graph.import::<u32>("found", 1);
        let buffers = ReduceByKeyBuffers::new((from, with), (out, to), count);
        operations::reduce_by_key(&mut graph, &self.bench.target.policy, Operator::Sum, &buffers)?;
        let arrays =
            [(from, src), (with, &of_values), (out, &keys_out), (to, &dst), (count, &found)];
        let bound = arrays.map(Bound::from).to_vec();
        self.measure(REDUCE_BY_KEY, 0, graph, bound, || {
            let runs = sums.len() as u64;
            ensure!(
                context.download(&found)? == [runs as u32],
                "the number of runs differs from the CPU's result"
            );
            ensure!(
                context.download_range(&dst, 0..runs)? == sums,
                "the sums differ from the CPU's result"
            );
            Ok(())
        })?;
        self.sums(SCAN_BY_KEY, &of_values, Some(src), |found| found == scanned)
    }

    /// Measures sums of rows, which are given either by row length or by offsets, for each length in [`ROWS`] that
    /// divides the array length.
    fn rows(&self, floats: &[f32], src: &Array<f32>) -> Result<()> {
        let (context, n) = (self.bench.context, self.n);
        let all = ROWS.into_iter().filter(|m| n.is_multiple_of(*m));
        for (op, m) in all.flat_map(|m| [(SUM_OF_ROWS, m), (SUM_BY_OFFSETS, m)]) {
            let segments = n / m;
            let dst = context.zeroed::<f32>(segments)?;
            let mut graph = Graph::new("reduce segments");
            let (from, to) = (graph.import::<f32>("src", n), graph.import::<f32>("dst", segments));
            let mut bound: Vec<Bound<'_>> = vec![(from, src).into(), (to, &dst).into()];
            let offsets;
            let buffers = if op == SUM_BY_OFFSETS {
                let words = data::words(segments + 1, |index| (index as u64 * m) as u32)?;
                offsets = context.upload(&words)?;
                let cuts = graph.import::<u32>("offsets", segments + 1);
                bound.push((cuts, &offsets).into());
                SegmentedReduceBuffers::new(from, cuts, to)
            } else {
                SegmentedReduceBuffers::rows(from, m, to)
            };
            let policy = &self.bench.target.policy;
            operations::reduce_segments(&mut graph, policy, Operator::Sum, &buffers)?;
            self.measure(op, m, graph, bound, || {
                let found = context.download(&dst)?;
                let is_near = |(row, found): (&[f32], &f32)| {
                    let sum: f64 = row.iter().map(|&x| f64::from(x)).sum();
                    (f64::from(*found) - sum).abs() <= NEAR * sum
                };
                let all = floats.chunks(m as usize).zip(&found).all(is_near);
                ensure!(all, "the sums of rows differ from the CPU's result");
                Ok(())
            })?;
        }
        Ok(())
    }

    fn scans_of_words(&self) -> Result<()> {
        let words = data::words(self.n, |index| mixed(index, 1))?;
        let src = self.bench.context.upload(&words)?;
        self.scans_of_rows(SCANS_OF_WORDS, &src, |m, found| {
            words.chunks(m).zip(found.chunks(m)).all(|(row, found)| {
                let mut sum = 0u32;
                row.iter().zip(found).all(|(&word, &found)| {
                    sum = sum.wrapping_add(word);
                    found == sum
                })
            })
        })
    }

    fn scans_of_floats(&self) -> Result<()> {
        let bits = data::float_bits(self.n)?;
        let floats: &[f32] = bytemuck::cast_slice(&bits);
        let src = self.bench.context.upload(floats)?;
        self.scans_of_rows(SCANS_OF_FLOATS, &src, |m, found| {
            floats.chunks(m).zip(found.chunks(m)).all(|(row, found)| {
                let mut sum = 0.0;
                row.iter().zip(found).all(|(&x, &found)| {
                    sum += f64::from(x);
                    (f64::from(found) - sum).abs() <= NEAR * sum
                })
            })
        })
    }

    /// Measures inclusive sums of rows, given by row length and by offsets, for each length of [`ROWS`] that divides the
    /// array length. `is_right` compares the results for a row length.
    fn scans_of_rows<K: Key>(
        &self,
        [by_length, by_offsets]: [&'static str; 2],
        src: &Array<K>,
        is_right: impl Fn(usize, &[K]) -> bool,
    ) -> Result<()> {
        let (context, n) = (self.bench.context, self.n);
        let dst = context.zeroed::<K>(n)?;
        let all = ROWS.into_iter().filter(|m| n.is_multiple_of(*m));
        for (op, m) in all.flat_map(|m| [(by_length, m), (by_offsets, m)]) {
            let mut graph = Graph::new("scan segments");
            let [from, to] = ["src", "dst"].map(|name| graph.import::<K>(name, n));
            let mut bound: Vec<Bound<'_>> = vec![(from, src).into(), (to, &dst).into()];
            let (mut how, mut buffers) =
                (Scan::inclusive(Operator::Sum), ScanBuffers::new(from, to));
            let offsets;
            if op == by_offsets {
                let words = data::words(n / m + 1, |index| (index as u64 * m) as u32)?;
                offsets = context.upload(&words)?;
                let cuts = graph.import::<u32>("offsets", n / m + 1);
                bound.push((cuts, &offsets).into());
                buffers = buffers.segments(cuts, n / m);
            } else {
                how = how.rows(m);
            }
            operations::scan(&mut graph, &self.bench.target.policy, &how, &buffers)?;
            self.measure(op, m, graph, bound, || {
                let found = context.download(&dst)?;
                ensure!(is_right(m as usize, &found), "the scan differs from the CPU's result");
                Ok(())
            })?;
        }
        Ok(())
    }
}
