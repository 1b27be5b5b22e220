//! `multisplit bench family`: segmented sorts, of rows of equal length and of segments of random lengths. Each run
//! sorts unsorted data.

use anyhow::{Result, ensure};
use multisplit::operations::{self, SortBuffers};
use multisplit::{Array, Sort};

use crate::data::{self, random_offsets};
use crate::measure::{Bench, Case};
use crate::plans::BoundGraph;

/// Row lengths that other benchmark programs use.
pub const ROWS: [u64; 7] = [16, 64, 256, 1024, 4096, 1 << 16, 1 << 20];

/// Names of the operations.
pub const OPS: [&str; 5] = [
    "segmented_sort_keys_f32",
    "segmented_argsort_f32",
    "segmented_sort_keys_f32_offsets",
    "segmented_sort_random_f32",
    "segmented_argsort_random_f32",
];

/// Measures the requested segmented sorts of `n` floats. Skips all of them if no row length divides `n`.
pub fn measure(bench: &Bench<'_>, n: u64, is_selected: impl Fn(&str) -> bool) -> Result<()> {
    let [keys_by_rows, argsort_by_rows, keys_by_offsets, keys_of_random, argsort_of_random] = OPS;
    if !ROWS.iter().any(|&length| n.is_multiple_of(length)) {
        return Ok(());
    }
    let floats: Vec<f32> = data::float_bits(n)?.into_iter().map(f32::from_bits).collect();
    let unsorted = bench.context.upload(&floats)?;
    let (keys, order) = (bench.context.zeroed(n)?, bench.context.zeroed(n)?);
    let segments = Segments { bench, floats, unsorted, keys, order };
    for length in ROWS.into_iter().filter(|length| n.is_multiple_of(*length)) {
        let offsets: Vec<u32> = (0..=n / length).map(|row| (row * length) as u32).collect();
        for (op, indices, by_rows) in [
            (keys_by_rows, false, true),
            (argsort_by_rows, true, true),
            (keys_by_offsets, false, false),
        ] {
            if is_selected(op) {
                segments.measure(&Segmented { op, length, by_rows, indices }, &offsets)?;
            }
        }
    }
    let offsets = random_offsets(n);
    for (op, indices) in [(keys_of_random, false), (argsort_of_random, true)] {
        if is_selected(op) {
            let sort = Segmented { op, length: 0, by_rows: false, indices };
            segments.measure(&sort, &offsets)?;
        }
    }
    Ok(())
}

/// A segmented sort.
struct Segmented {
    op: &'static str,
    /// Length of all segments, or 0 if they differ.
    length: u64,
    /// Whether the sort takes a row length instead of offsets.
    by_rows: bool,
    /// Whether the sort also writes indices.
    indices: bool,
}

struct Segments<'b, 'c> {
    bench: &'b Bench<'c>,
    floats: Vec<f32>,
    unsorted: Array<f32>,
    keys: Array<f32>,
    order: Array<u32>,
}

impl Segments<'_, '_> {
    fn measure(&self, sort: &Segmented, offsets: &[u32]) -> Result<()> {
        let (context, target) = (self.bench.context, &self.bench.target);
        let (n, segments) = (self.unsorted.len(), offsets.len() as u64 - 1);
        let on_device = context.upload(offsets)?;
        let mut run = BoundGraph::new("segments");
        let mut how = Sort::ascending();
        let mut buffers = SortBuffers::keys(run.import("keys", &self.keys));
        if sort.indices {
            buffers = buffers.indices(run.import("order", &self.order));
        }
        if sort.by_rows {
            how = how.rows(sort.length);
        } else {
            buffers = buffers.segments(run.import("offsets", &on_device), segments);
        }
        operations::sort(&mut run.graph, &target.policy, &how, &buffers)?;
        let restore = self.bench.restoring(&self.unsorted, &self.keys)?;
        let method = if sort.by_rows { "rows" } else { "offsets" };
        let case = Case::new(sort.op, method, n, run.bound);
        let case = Case { m: sort.length, restore: Some(&restore), ..case };
        self.bench.measure(&case, &target.plan(run.graph)?, || self.check(offsets, sort.indices))
    }

    /// Checks that each segment contains its original elements, sorted, and, with `indices`, that each index refers to
    /// its element.
    fn check(&self, offsets: &[u32], indices: bool) -> Result<()> {
        let (context, floats) = (self.bench.context, &self.floats);
        let sorted = context.download(&self.keys)?;
        let order = if indices { context.download(&self.order)? } else { Vec::new() };
        let check_one = |both: &[u32]| {
            let range = both[0] as usize..both[1] as usize;
            let given = &floats[range.clone()];
            let mut expected = given.to_vec();
            expected.sort_unstable_by(f32::total_cmp);
            ensure!(
                sorted[range.clone()] == expected,
                "the sort is wrong: a segment is not sorted"
            );
            if indices {
                let named = order[range].iter().map(|&i| given.get(i as usize).copied());
                ensure!(
                    named.eq(expected.into_iter().map(Some)),
                    "the sort is wrong: the indices do not match the sorted elements"
                );
            }
            Ok(())
        };
        let checked = data::per_core(offsets.len() - 1, |range| {
            offsets[range.start..=range.end].windows(2).try_for_each(check_one)
        });
        checked.into_iter().collect()
    }
}
