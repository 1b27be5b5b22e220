//! `multisplit bench family`: scans, reductions, selections and segmented sorts of several types, with the inputs and
//! names of other benchmark programs.

use anyhow::{Result, ensure};
use clap::Args;
use clap::builder::PossibleValuesParser;
use multisplit::operations::{
    self, ReduceBuffers, ReduceByKeyBuffers, ScanBuffers, SegmentedReduceBuffers, SelectBuffers,
};
use multisplit::{Array, Key, Operator, Scan, Select};

use super::segments::{self, ROWS};
use crate::data::{self, mixed};
use crate::measure::{Bench, Case};
use crate::plans::{BoundGraph, method};

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

/// The parts of an array that are scanned separately.
#[derive(Clone, Copy)]
enum Parts<'a> {
    Whole,
    /// Runs of equal keys.
    Keys(&'a Array<u32>),
    /// Rows of this length.
    Rows(u64),
    /// Rows of this length, given by their offsets.
    Offsets(u64, &'a Array<u32>),
}

impl Family<'_, '_> {
    /// Measures a graph if the operation was requested. `m` is the row length, or 0 if there are no rows.
    fn measure(
        &self,
        op: &'static str,
        m: u64,
        run: BoundGraph<'_>,
        check: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if !self.options.is_selected(op) {
            return Ok(());
        }
        let plan = self.bench.target.plan(run.graph)?;
        let method = method(&plan, m);
        let case = Case { m, ..Case::new(op, method, self.n, run.bound) };
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
        let mut run = BoundGraph::new("reduce");
        let buffers = ReduceBuffers::new(run.import("src", src), run.import("dst", &dst));
        operations::reduce(&mut run.graph, &self.bench.target.policy, operator, &buffers)?;
        self.measure(op, 0, run, || {
            let same = context.download(&dst)?.first().map(|x| x.key_bits());
            verify(same == Some(expected.key_bits()), "the reduction differs")
        })
    }

    /// Measures an inclusive scan of `src`, or of each of its parts.
    fn sums<K: Key>(
        &self,
        op: &'static str,
        src: &Array<K>,
        parts: Parts<'_>,
        is_right: impl FnOnce(&[K]) -> bool,
    ) -> Result<()> {
        let context = self.bench.context;
        let dst = context.zeroed::<K>(self.n)?;
        let mut run = BoundGraph::new("scan");
        let mut how = Scan::inclusive(Operator::Sum);
        let mut buffers = ScanBuffers::new(run.import("src", src), run.import("dst", &dst));
        let mut row_length = 0;
        match parts {
            Parts::Whole => {}
            Parts::Keys(keys) => buffers = buffers.keys(run.import("keys", keys)),
            Parts::Rows(m) => (how, row_length) = (how.rows(m), m),
            Parts::Offsets(m, offsets) => {
                buffers = buffers.segments(run.import("offsets", offsets), self.n / m);
                row_length = m;
            }
        }
        operations::scan(&mut run.graph, &self.bench.target.policy, &how, &buffers)?;
        self.measure(op, row_length, run, || {
            verify(is_right(&context.download(&dst)?), "the scan differs")
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
        let counts = lengths.map(|_| context.zeroed::<u32>(self.n)).transpose()?;
        let mut run = BoundGraph::new("select");
        let (from, to) = (run.import("src", src), run.import("dst", &dst));
        let mut buffers = SelectBuffers::new(from, to, run.import("selected", &found));
        if let Some(counts) = &counts {
            buffers = buffers.run_lengths(run.import("lengths", counts));
        }
        operations::select(&mut run.graph, &self.bench.target.policy, condition, &buffers)?;
        self.measure(op, 0, run, || {
            let kept = keys.len() as u64;
            let count = context.download(&found)?;
            verify(count == [kept as u32], "the number of selected elements differs")?;
            let selected = context.download_range(&dst, 0..kept)?;
            verify(selected == keys, "the selected elements differ")?;
            let Some((counts, lengths)) = counts.as_ref().zip(lengths) else { return Ok(()) };
            verify(context.download_range(counts, 0..kept)? == lengths, "the run lengths differ")
        })
    }

    fn words(&self) -> Result<()> {
        let words = data::words(self.n, |index| mixed(index, 1))?;
        let src = self.bench.context.upload(&words)?;
        let sum = words.iter().copied().fold(0, u32::wrapping_add);
        self.reduction("reduce_sum_u32", Operator::Sum, &src, sum)?;
        self.sums("scan_inclusive_u32", &src, Parts::Whole, |found| word_sums(&words, found))?;
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
        self.sums("scan_inclusive_f32", &src, Parts::Whole, |found| float_sums(floats, found))
    }

    fn wide(&self) -> Result<()> {
        let words = data::words(2 * self.n, |index| mixed(index, 3))?;
        let pairs = words.chunks_exact(2);
        let wide: Vec<u64> =
            pairs.map(|pair| u64::from(pair[1]) << 32 | u64::from(pair[0])).collect();
        let src = self.bench.context.upload(&wide)?;
        self.sums("scan_inclusive_u64", &src, Parts::Whole, |found| {
            are_sums(&wide, found, u64::wrapping_add, |found, sum| found == sum)
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
        let mut run = BoundGraph::new("reduce by key");
        let input = (run.import("keys", src), run.import("values", &of_values));
        let output = (run.import("keys_out", &keys_out), run.import("dst", &dst));
        let buffers = ReduceByKeyBuffers::new(input, output, run.import("found", &found));
        let policy = &self.bench.target.policy;
        operations::reduce_by_key(&mut run.graph, policy, Operator::Sum, &buffers)?;
        self.measure(REDUCE_BY_KEY, 0, run, || {
            let runs = sums.len() as u64;
            verify(context.download(&found)? == [runs as u32], "the number of runs differs")?;
            verify(context.download_range(&dst, 0..runs)? == sums, "the sums differ")
        })?;
        self.sums(SCAN_BY_KEY, &of_values, Parts::Keys(src), |found| found == scanned)
    }

    /// The lengths in [`ROWS`] that divide the array length.
    fn row_lengths(&self) -> impl Iterator<Item = u64> {
        let n = self.n;
        ROWS.into_iter().filter(move |&m| n.is_multiple_of(m))
    }

    /// The offsets of rows of length `m`.
    fn offsets(&self, m: u64) -> Result<Array<u32>> {
        let words = data::words(self.n / m + 1, |index| (index as u64 * m) as u32)?;
        Ok(self.bench.context.upload(&words)?)
    }

    /// Measures sums of rows, which are given either by row length or by offsets.
    fn rows(&self, floats: &[f32], src: &Array<f32>) -> Result<()> {
        let context = self.bench.context;
        for (op, m) in self.row_lengths().flat_map(|m| [(SUM_OF_ROWS, m), (SUM_BY_OFFSETS, m)]) {
            let dst = context.zeroed::<f32>(self.n / m)?;
            let mut run = BoundGraph::new("reduce segments");
            let (from, to) = (run.import("src", src), run.import("dst", &dst));
            let offsets;
            let buffers = if op == SUM_BY_OFFSETS {
                offsets = self.offsets(m)?;
                SegmentedReduceBuffers::new(from, run.import("offsets", &offsets), to)
            } else {
                SegmentedReduceBuffers::rows(from, m, to)
            };
            let policy = &self.bench.target.policy;
            operations::reduce_segments(&mut run.graph, policy, Operator::Sum, &buffers)?;
            self.measure(op, m, run, || {
                let found = context.download(&dst)?;
                let sums =
                    floats.chunks(m as usize).map(|row| row.iter().map(|&x| f64::from(x)).sum());
                let are_near = found.iter().zip(sums).all(|(&found, sum)| is_near(found, sum));
                verify(are_near, "the sums of rows differ")
            })?;
        }
        Ok(())
    }

    fn scans_of_words(&self) -> Result<()> {
        let words = data::words(self.n, |index| mixed(index, 1))?;
        self.scans_of_rows(SCANS_OF_WORDS, &words, word_sums)
    }

    fn scans_of_floats(&self) -> Result<()> {
        let bits = data::float_bits(self.n)?;
        self.scans_of_rows(SCANS_OF_FLOATS, bytemuck::cast_slice(&bits), float_sums)
    }

    /// Measures inclusive sums of rows, given by row length and by offsets. `is_right` checks the result of one row.
    fn scans_of_rows<K: Key>(
        &self,
        [by_length, by_offsets]: [&'static str; 2],
        values: &[K],
        is_right: fn(&[K], &[K]) -> bool,
    ) -> Result<()> {
        let src = self.bench.context.upload(values)?;
        for m in self.row_lengths() {
            let all_right = |found: &[K]| {
                let mut rows = values.chunks(m as usize).zip(found.chunks(m as usize));
                rows.all(|(row, found)| is_right(row, found))
            };
            self.sums(by_length, &src, Parts::Rows(m), all_right)?;
            self.sums(by_offsets, &src, Parts::Offsets(m, &self.offsets(m)?), all_right)?;
        }
        Ok(())
    }
}

/// Returns an error unless `is_right`; `wrong` names what differs.
fn verify(is_right: bool, wrong: &str) -> Result<()> {
    ensure!(is_right, "{wrong} from the CPU's result");
    Ok(())
}

/// Whether `found` has the inclusive sums of `values`: `add` computes them, `equal` compares each with the one found.
fn are_sums<K: Copy, S: Copy + Default>(
    values: &[K],
    found: &[K],
    add: impl Fn(S, K) -> S,
    equal: impl Fn(K, S) -> bool,
) -> bool {
    let mut sum = S::default();
    values.iter().zip(found).all(|(&value, &found)| {
        sum = add(sum, value);
        equal(found, sum)
    })
}

fn word_sums(words: &[u32], found: &[u32]) -> bool {
    are_sums(words, found, u32::wrapping_add, |found, sum| found == sum)
}

fn float_sums(floats: &[f32], found: &[f32]) -> bool {
    are_sums(floats, found, |sum, x| sum + f64::from(x), is_near)
}

/// Whether a sum of floats is close enough to the one computed in f64.
fn is_near(found: f32, sum: f64) -> bool {
    (f64::from(found) - sum).abs() <= NEAR * sum
}
