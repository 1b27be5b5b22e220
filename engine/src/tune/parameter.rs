//! Parameters to tune. A parameter is a size of the policy, with its candidate values and the benchmarks that measure
//! it.

use std::collections::HashSet;

use super::benchmark::{Benchmark, Operation, benchmarks};
use super::data::MANY_BINS;
use crate::policy::method::{Method, ScanMethod, SortMethod, ValuesAfter};
use crate::policy::tile::{TileShape, TileShapes};
use crate::policy::{Field, Policy};

/// Number of elements of the smaller of two benchmarked sorts. The tile tables for GPUs have an entry for it.
pub(super) const SMALL: u64 = 1 << 20;

type Get<T> = Box<dyn Fn(&Policy) -> T>;
/// Copies a value to the first policy from the second.
type CopyValue = Box<dyn Fn(&mut Policy, &Policy)>;

/// Source of the candidate values of a parameter.
pub(super) enum Candidates {
    /// Tile shapes: a grid, or the neighbours of the best shape so far.
    Tile {
        shape: Box<dyn Fn(&mut Policy) -> &mut TileShape>,
        /// Bits of a bucket id, and bytes of a key. Both determine the shared memory of the kernel.
        bits: u32,
        key_bytes: u32,
        /// Other tiles of the same table, which are candidates too.
        same_table: Get<Vec<TileShape>>,
        tried: HashSet<[u32; 3]>,
    },
    /// Modified copies of a policy, one per candidate.
    List(Get<Vec<Policy>>),
}

/// One size, or several that are tuned together.
pub(super) struct Parameter {
    pub name: &'static str,
    /// Whether there is a separate value for each ranking method.
    pub per_ranking: bool,
    pub benchmarks: Vec<Benchmark>,
    pub candidates: Candidates,
    /// Whether the parameter affects the plans of a given policy.
    pub has_effect: Get<bool>,
    /// Restores the value from another policy.
    pub revert: CopyValue,
}

impl Parameter {
    fn new(
        name: &'static str,
        benchmarks: Vec<Benchmark>,
        candidates: Candidates,
        revert: impl Fn(&mut Policy, &Policy) + 'static,
    ) -> Self {
        let per_ranking = Policy::sizes().any(|field| field.name == name && field.per_ranking);
        let (has_effect, revert) = (Box::new(|_: &_| true), Box::new(revert));
        Self { name, per_ranking, benchmarks, candidates, has_effect, revert }
    }

    fn tile(
        name: &'static str,
        benchmark: Benchmark,
        shape: impl Fn(&mut Policy) -> &mut TileShape + Copy + 'static,
        same_table: impl Fn(&Policy) -> Vec<TileShape> + 'static,
        bits: u32,
    ) -> Self {
        let candidates = Candidates::Tile {
            shape: Box::new(shape),
            bits,
            key_bytes: if benchmark.operation == Operation::SortWideKeys { 8 } else { 4 },
            same_table: Box::new(same_table),
            tried: HashSet::new(),
        };
        let revert = move |to: &mut Policy, from: &Policy| *shape(to) = *shape(&mut { *from });
        Self::new(name, vec![benchmark], candidates, revert)
    }

    /// Creates a parameter for a size, with the candidates that the table of sizes lists.
    fn size(field: &'static Field<Policy>, benchmarks: Vec<Benchmark>) -> Self {
        let candidates =
            Candidates::List(Box::new(move |best| (field.candidates)(best, &best.facts)));
        Self::new(field.name, benchmarks, candidates, field.copy)
    }

    /// Creates a parameter for part of a size, with the given candidates.
    fn list<T: Copy + 'static>(
        name: &'static str,
        benchmarks: Vec<Benchmark>,
        values: &[T],
        part: impl Fn(&mut Policy) -> &mut T + Copy + 'static,
    ) -> Self {
        let values = values.to_vec();
        let candidates = Candidates::List(Box::new(move |best| {
            values.iter().map(|value| with(best, part, *value)).collect()
        }));
        Self::new(name, benchmarks, candidates, move |to, from| *part(to) = *part(&mut { *from }))
    }

    fn only_if(self, has_effect: impl Fn(&Policy) -> bool + 'static) -> Self {
        Self { has_effect: Box::new(has_effect), ..self }
    }

    /// Candidates that differ from the best policy so far in this parameter. For tiles, these are a grid of shapes if
    /// `wide`, or otherwise the neighbours of the best shape. Each shape is returned only once.
    pub fn around(&mut self, best: &Policy, wide: bool, software: bool) -> Vec<Policy> {
        match &mut self.candidates {
            Candidates::List(changed) => {
                changed(best).into_iter().filter(|policy| policy != best).collect()
            }
            Candidates::Tile { shape: part, bits, key_bytes, same_table, tried } => {
                let now = *part(&mut { *best });
                tried.insert([now.threads, now.items, now.turns]);
                let shapes = match wide {
                    true => grid(software),
                    false => {
                        let near = neighbours(now, best.facts.subgroup_size, software);
                        [same_table(best), near].concat()
                    }
                };
                let n = self.benchmarks.iter().map(|benchmark| benchmark.n).max().unwrap_or(0);
                let mut policies = Vec::new();
                for shape in shapes {
                    let fits = shape.is_sound()
                        && best.fit_tile(shape, *bits, *key_bytes, |_| 0) == shape
                        && u64::from(shape.tile()) <= n;
                    if fits && tried.insert([shape.threads, shape.items, shape.turns]) {
                        policies.push(with(best, &*part, shape));
                    }
                }
                policies
            }
        }
    }
}

/// A copy of `policy` with another value of `part`.
fn with<T>(policy: &Policy, part: impl Fn(&mut Policy) -> &mut T, value: T) -> Policy {
    let mut changed = *policy;
    *part(&mut changed) = value;
    changed
}

/// A coarse grid of tile shapes, the most promising first. Larger tiles write longer runs of keys per bucket, but
/// fewer workgroups fit on a multiprocessor. Large tiles pass through shared memory in several turns.
fn grid(software: bool) -> Vec<TileShape> {
    if software {
        // Kernels unroll loops over the keys of a thread. Software drivers take longer to compile such code than to
        // run it, so these tiles have few keys per thread.
        let sizes = [(256, 4), (256, 8), (128, 4), (64, 4), (128, 8), (64, 8), (256, 2)];
        return sizes.map(|(threads, items)| TileShape::new(threads, items)).to_vec();
    }
    let mut shapes = Vec::new();
    for items in [16, 24, 12, 8, 20, 28] {
        for threads in [384, 512, 256, 768, 192, 1024, 128] {
            // At most 8,192 keys per turn.
            let turns = (1..=4).find(|turns| items % turns == 0 && threads * items / turns <= 8192);
            shapes.extend(turns.map(|turns| TileShape::new(threads, items).in_turns(turns)));
        }
    }
    shapes
}

/// Shapes that differ by one or two steps in keys per thread or in threads, or that differ in turns.
fn neighbours(now: TileShape, subgroup_size: u32, software: bool) -> Vec<TileShape> {
    let TileShape { threads, items, turns } = now;
    let step = subgroup_size.max(64);
    let mut shapes = Vec::new();
    let mut add = |threads: u32, items: u32, turns: u32| {
        if threads > 0 && items > 0 {
            shapes.push(TileShape { threads, items, turns });
        }
    };
    let items_step = turns.max(if software { 1 } else { 2 });
    for steps in 1..=2 {
        add(threads, items + steps * items_step, turns);
        add(threads, items.saturating_sub(steps * items_step), turns);
        add(threads + steps * step, items, turns);
        add(threads.saturating_sub(steps * step), items, turns);
        for other in (1..=4).filter(|other| steps == 1 && *other != turns && items % other == 0) {
            add(threads, items, other);
        }
    }
    // Another shape with about the same number of keys.
    add(threads + step, items.saturating_sub(items_step), turns);
    add(threads.saturating_sub(step), items + items_step, turns);
    shapes
}

const DIGIT_BITS: u32 = 8;

fn is_one_sweep(policy: &Policy) -> bool {
    policy.sort.auto == SortMethod::OneSweep
}

/// Tile parameters of a sort: one for each table entry that applies to at most `largest` elements, in descending order
/// of the number of elements.
pub(super) fn sort_tiles(operation: Operation, policy: &Policy, largest: u64) -> Vec<Parameter> {
    let Some((name, table)) = operation.sort_table() else { return Vec::new() };
    let counts: Vec<u64> = table(&mut { *policy }).iter().map(|(max, _)| *max).collect();
    let mut parameters = Vec::new();
    for (index, max) in counts.iter().enumerate().rev() {
        let n = largest.min(*max);
        // Skip table entries that do not apply to this number of elements.
        if counts.iter().position(|max| n <= *max) != Some(index) {
            continue;
        }
        let parameter = Parameter::tile(
            name,
            Benchmark { operation, n },
            move |policy| &mut table(policy)[index].1,
            move |policy| table(&mut { *policy }).iter().map(|(_, shape)| *shape).collect(),
            DIGIT_BITS,
        );
        parameters.push(parameter.only_if(is_one_sweep));
    }
    parameters
}

/// Parameters of splits into up to 2^(class + 1) buckets. The first is the tile. The second is the number of keys per
/// subproblem or, for pairs, the stage at which values are loaded.
pub(super) fn split(of: fn(u32) -> Operation, class: usize, n: u64) -> [Parameter; 2] {
    const STRIPS: [u32; 8] = [0, 2048, 4096, 6144, 9216, 12_288, 16_384, 30_720];
    const VALUES_AFTER: [ValuesAfter; 3] =
        [ValuesAfter::Loading, ValuesAfter::Ranking, ValuesAfter::Ordering];
    let m = 2 << class;
    let operation = of(m);
    let benchmark = Benchmark { operation, n };
    let strips = |name, strips: fn(&mut Policy) -> &mut [u32; 8]| {
        Parameter::list(name, vec![benchmark], &STRIPS, move |policy| &mut strips(policy)[class])
    };
    let is_labelled = matches!(operation, Operation::SplitRange(_));
    let (name, tiles, second): (_, fn(&mut Policy) -> &mut TileShapes, _) = match operation {
        Operation::SplitPairs(_) => (
            "split.block_pairs",
            |policy| &mut policy.split.block_pairs,
            Parameter::list("split.values_after", vec![benchmark], &VALUES_AFTER, move |policy| {
                &mut policy.split.values_after[class]
            }),
        ),
        Operation::SplitRange(_) => (
            "split.labelled_keys",
            |policy| &mut policy.split.labelled_keys,
            strips("split.labelled_strips", |policy| &mut policy.split.labelled_strips),
        ),
        _ => (
            "split.block_keys",
            |policy| &mut policy.split.block_keys,
            strips("split.block_strips", |policy| &mut policy.split.block_strips),
        ),
    };
    let tile = Parameter::tile(
        name,
        benchmark,
        move |policy| &mut tiles(policy)[class],
        move |policy| tiles(&mut { *policy }).to_vec(),
        class as u32 + 1,
    );
    let is_used = move |policy: &Policy| {
        m > policy.split.max_buckets_direct
            && (!is_labelled || m >= policy.split.min_buckets_labelled)
    };
    [tile, second].map(|parameter| parameter.only_if(is_used))
}

/// Parameters other than the tiles of splits and of large sorts. For software drivers, those of the one-sweep sort and
/// of stored labels are left out, because their plans use neither.
pub(super) fn other_parameters(policy: &Policy, largest: u64, software: bool) -> Vec<Parameter> {
    let n = largest;
    let any = |_: &Policy| true;
    let by_multisplit = |policy: &Policy| matches!(policy.sort.auto, SortMethod::Multisplit { .. });
    let has_small_sorts = |policy: &Policy| is_one_sweep(policy) && policy.sort.few_keys > 0;
    let uses_warp = |policy: &Policy| {
        policy.split.max_buckets_direct > 0 || policy.sort.rounds != Method::Block
    };
    // Creates a parameter for the size with this name.
    let size = |name: &str, benchmarks: &[Benchmark], has_effect: fn(&Policy) -> bool| {
        let field = Policy::sizes().find(|field| field.name == name)?;
        Some(Parameter::size(field, benchmarks.to_vec()).only_if(has_effect))
    };
    let up_to_largest = |lengths: &[u64]| -> Vec<u64> {
        let mut lengths: Vec<u64> = lengths.iter().copied().filter(|n| *n <= largest).collect();
        lengths.dedup();
        lengths
    };
    let sorts = |lengths: &[u64]| -> Vec<Benchmark> {
        let both = |n| benchmarks([Operation::SortKeys, Operation::SortPairs], n);
        let mut sorts: Vec<_> = lengths.iter().flat_map(|&n| both(n)).collect();
        sorts.dedup();
        sorts
    };
    let splits = |m: &[u32]| -> Vec<Benchmark> {
        let both = [Operation::SplitKeys, Operation::SplitPairs];
        benchmarks(both.into_iter().flat_map(|of| m.iter().copied().map(of)), n)
    };
    // The workgroup shape of the histogram pass affects small sorts much more than large ones.
    let large_and_small = sorts(&[n, n.min(SMALL)]);
    let few = sorts(&up_to_largest(&[1 << 14, 1 << 16, 1 << 17, 1 << 18]));
    let by_range = benchmarks([8, 16, 32, 64, 256].map(Operation::SplitRange), n);
    let of_gpus = [
        size("look_back_tiles", &large_and_small, is_one_sweep),
        size("sort.histogram", &large_and_small, is_one_sweep),
        size("sort.histogram_groups", &large_and_small, is_one_sweep),
        size("sort.few_keys", &few, is_one_sweep),
        size("sort.few_keys_groups", &few, has_small_sorts),
        size("sort.few_keys_look_back", &few, has_small_sorts),
        // This is the minimum number of buckets for which splits by splitters store labels.
        size("split.min_buckets_labelled", &by_range, any),
    ];
    let even = benchmarks([8, 256].map(Operation::HistogramEven), n);
    let range = benchmarks([Operation::HistogramRange], n);
    let histograms = [&even[..], &range].concat();
    let many_bins = benchmarks([Operation::HistogramEven(MANY_BINS)], n);
    let tables = [&range[..], &many_bins].concat();
    let lengths = up_to_largest(&[1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, largest]);
    let scans: Vec<_> =
        lengths.iter().map(|&n| Benchmark { operation: Operation::Scan, n }).collect();
    // A split scans its bucket counts, so it depends on the scan sizes as well.
    let scans_and_split = [&scans[..], &benchmarks([Operation::SplitKeys(256)], n)].concat();
    let small_scans = &scans[..scans.len().min(2)];
    let mut methods = vec![ScanMethod::LookBack, ScanMethod::ReduceThenScan];
    methods.extend(lengths.iter().map(|&n| ScanMethod::LookBackUpTo(n)));
    let small_sorts = [1024, 4096, 8192].map(|n| Benchmark { operation: Operation::SortKeys, n });
    let warp = Parameter::list("split.warp", splits(&[8]), &[64, 128, 256, 512], |policy| {
        &mut policy.split.warp.threads
    });
    let of_all = [
        size("sort.auto", &sorts(&[n]), any),
        size("sort.rounds", &sorts(&[n]), by_multisplit),
        size("split.max_buckets_direct", &splits(&[2, 8, 32, 256]), any),
        Some(warp.only_if(uses_warp)),
        size("split.min_keys", &splits(&[8, 256]), any),
        size("split.max_buckets_by_ballots", &splits(&[8, 32]), any),
        size("split.counter_copies", &splits(&[8, 256]), any),
        size("histogram.threads", &even, any),
        size("histogram.loads", &histograms, any),
        size("histogram.copies", &even, any),
        size("histogram.tiles", &histograms, any),
        size("histogram.min_groups", &histograms, any),
        size("histogram.max_bins_by_ballots", &even, any),
        size("histogram.cells", &range, any),
        size("histogram.table_threads", &tables, any),
        size("threads", &scans_and_split, any),
        Some(Parameter::list("scan", scans.clone(), &methods, |policy| &mut policy.scan)),
        size("spine_threads", small_scans, any),
        size("single_group_tiles", small_scans, any),
        // The tile of the single-workgroup sort is also the maximum number of elements for which it is used.
        size("sort.small", &small_sorts, any),
    ];
    let gpu_count = of_gpus.iter().flatten().count();
    let mut all: Vec<Parameter> = of_gpus.into_iter().chain(of_all).flatten().collect();
    all.extend(remaining_sizes(policy, &all, largest));
    if software {
        all.drain(..gpu_count);
    }
    all
}

/// Creates parameters for all sizes that have candidates but are not in `named`. Each is measured by the benchmarks of
/// its operation.
fn remaining_sizes(policy: &Policy, named: &[Parameter], n: u64) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for field in Policy::sizes() {
        let known = named.iter().any(|parameter| parameter.name == field.name);
        if known || (field.candidates)(policy, &policy.facts).is_empty() {
            continue;
        }
        let operations = match field.name.split_once('.').map(|(operation, _)| operation) {
            Some("sort") => vec![Operation::SortKeys, Operation::SortPairs],
            Some("split") => [8, 256].map(Operation::SplitKeys).to_vec(),
            Some("histogram") => vec![Operation::HistogramEven(256), Operation::HistogramRange],
            None => vec![Operation::Scan],
            // Operations without a benchmark are not tuned.
            Some(_) => continue,
        };
        parameters.push(Parameter::size(field, benchmarks(operations, n)));
    }
    parameters
}
