//! Parameters to tune: a size of the policy, its candidates, and the benchmarks that measure them.

use std::collections::HashSet;

use super::subject::{Operation, Subject};
use crate::policy::method::{Method, ScanMethod, SortMethod, ValuesAfter};
use crate::policy::tile::TileShape;
use crate::policy::{Field, Policy};

/// Number of elements that represents small sorts. The tile tables have an entry for it.
pub(super) const SMALL: u64 = 1 << 20;

/// Functions that read, set or change part of a policy, or copy it from another policy.
type Get<T> = Box<dyn Fn(&Policy) -> T>;
type Set<T> = Box<dyn Fn(&mut Policy, T)>;
type Edit = Box<dyn Fn(&mut Policy)>;
type Take = Box<dyn Fn(&mut Policy, &Policy)>;

/// Source of the candidates.
pub(super) enum Candidates {
    /// Tile shapes: first a grid, then the neighbours of the best one.
    Tile {
        get: Get<TileShape>,
        set: Set<TileShape>,
        /// Bits of a bucket id and bytes of a key. They determine the shared memory of the kernel.
        bits: u32,
        key_bytes: u32,
        /// Tiles of the same table, which are candidates too.
        same_table: Get<Vec<TileShape>>,
        tried: HashSet<[u32; 3]>,
    },
    /// Changes of a policy, one per candidate.
    List(Vec<Edit>),
    /// Candidates from the table of sizes.
    Table(&'static Field<Policy>),
}

/// One size, or several that are tuned together.
pub(super) struct Knob {
    pub name: String,
    /// Whether each ranking has a separate value.
    pub of_ranking: bool,
    pub subjects: Vec<Subject>,
    pub candidates: Candidates,
    /// Whether the parameter has an effect with a given policy.
    pub matters: Get<bool>,
    /// Copies the parameter from another policy.
    pub revert: Take,
}

impl Knob {
    /// A tile shape.
    fn tile(
        name: String,
        subject: Subject,
        get: impl Fn(&Policy) -> TileShape + Clone + 'static,
        set: impl Fn(&mut Policy, TileShape) + Clone + 'static,
        same_table: impl Fn(&Policy) -> Vec<TileShape> + 'static,
        (bits, key_bytes): (u32, u32),
    ) -> Self {
        let (getting, setting) = (get.clone(), set.clone());
        let candidates = Candidates::Tile {
            get: Box::new(get),
            set: Box::new(set),
            bits,
            key_bytes,
            same_table: Box::new(same_table),
            tried: HashSet::new(),
        };
        Self {
            name,
            of_ranking: true,
            subjects: vec![subject],
            candidates,
            matters: Box::new(|_| true),
            revert: Box::new(move |to, from| setting(to, getting(from))),
        }
    }

    /// A size with the candidates of the table.
    fn size(field: &'static Field<Policy>, subjects: Vec<Subject>) -> Self {
        let name = field.name.to_owned();
        let candidates = Candidates::Table(field);
        let (matters, revert) = (Box::new(|_: &_| true), Box::new(field.copy));
        Self { name, of_ranking: field.per_ranking, subjects, candidates, matters, revert }
    }

    /// Part of a size, with a list of candidates.
    fn list<T: Copy + 'static>(
        name: &str,
        subjects: Vec<Subject>,
        values: &[T],
        part: impl Fn(&mut Policy) -> &mut T + Copy + 'static,
    ) -> Self {
        let edit = |&value: &T| -> Edit { Box::new(move |policy| *part(policy) = value) };
        Self {
            name: name.to_owned(),
            of_ranking: false,
            subjects,
            candidates: Candidates::List(values.iter().map(edit).collect()),
            matters: Box::new(|_| true),
            revert: Box::new(move |to, from| {
                let mut from = *from;
                *part(to) = *part(&mut from);
            }),
        }
    }

    fn only_if(self, matters: impl Fn(&Policy) -> bool + 'static) -> Self {
        Self { matters: Box::new(matters), ..self }
    }

    fn of_ranking(self) -> Self {
        Self { of_ranking: true, ..self }
    }

    /// Candidates near the best policy so far. For tiles, a grid (`wide`) or the neighbours; each tile is
    /// returned only once.
    pub fn around(&mut self, best: &Policy, wide: bool, software: bool) -> Vec<Policy> {
        match &mut self.candidates {
            Candidates::List(edits) => {
                let edited = edits.iter().map(|edit| {
                    let mut policy = *best;
                    edit(&mut policy);
                    policy
                });
                edited.filter(|policy| policy != best).collect()
            }
            Candidates::Table(field) => {
                let changed = (field.candidates)(best, &best.facts);
                changed.into_iter().filter(|policy| policy != best).collect()
            }
            Candidates::Tile { get, set, bits, key_bytes, same_table, tried } => {
                let now = get(best);
                tried.insert([now.threads, now.items, now.turns]);
                let shapes = match wide {
                    true => grid(software),
                    false => {
                        let near = neighbours(now, best.facts.subgroup_size, software);
                        [same_table(best), near].concat()
                    }
                };
                let n = self.subjects.iter().map(|subject| subject.n).max().unwrap_or(0);
                let mut policies = Vec::new();
                for shape in shapes {
                    let fits = shape.is_sound()
                        && best.fit_tile(shape, *bits, *key_bytes, |_| 0) == shape
                        && u64::from(shape.tile()) <= n;
                    if fits && tried.insert([shape.threads, shape.items, shape.turns]) {
                        let mut policy = *best;
                        set(&mut policy, shape);
                        policies.push(policy);
                    }
                }
                policies
            }
        }
    }
}

/// A coarse grid of tiles, the most promising first. Larger tiles have longer runs, but fewer workgroups fit on
/// a multiprocessor. Large tiles pass through shared memory in several turns.
fn grid(software: bool) -> Vec<TileShape> {
    if software {
        // Unrolled code takes software drivers longer to compile than to run.
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

/// One step in each direction: keys per thread, threads, turns.
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
    for items in [items + items_step, items.saturating_sub(items_step)] {
        add(threads, items, turns);
    }
    for threads in [threads + step, threads.saturating_sub(step)] {
        add(threads, items, turns);
    }
    for other in (1..=4).filter(|&other| other != turns && items % other == 0) {
        add(threads, items, other);
    }
    for items in [items + 2 * items_step, items.saturating_sub(2 * items_step)] {
        add(threads, items, turns);
    }
    for threads in [threads + 2 * step, threads.saturating_sub(2 * step)] {
        add(threads, items, turns);
    }
    // About the same number of keys in another shape.
    add(threads + step, items.saturating_sub(items_step), turns);
    add(threads.saturating_sub(step), items + items_step, turns);
    shapes
}

/// Bits per digit of a sort.
const DIGIT_BITS: u32 = 8;

/// Declares the tile parameters of one table of the sort.
macro_rules! sort_tiles {
    ($name:ident, $what:ident, $table:ident, $key_bytes:literal) => {
        /// Tile parameters of this table, one per entry, largest number of elements first.
        pub(super) fn $name(policy: &Policy, largest: u64) -> Vec<Knob> {
            let table = policy.sort.$table;
            let mut knobs = Vec::new();
            for index in (0..table.len()).rev() {
                let n = table[index].0.min(largest);
                // Skip entries that do not apply to this number of elements.
                if table.iter().position(|(max, _)| n <= *max) != Some(index) {
                    continue;
                }
                let knob = Knob::tile(
                    concat!("sort.", stringify!($table)).to_owned(),
                    Subject { operation: Operation::$what, n },
                    move |policy| policy.sort.$table[index].1,
                    move |policy, shape| policy.sort.$table[index].1 = shape,
                    |policy| policy.sort.$table.map(|(_, shape)| shape).to_vec(),
                    (DIGIT_BITS, $key_bytes),
                );
                knobs.push(knob.only_if(|policy| policy.sort.auto == SortMethod::OneSweep));
            }
            knobs
        }
    };
}

sort_tiles!(sort_keys, SortKeys, keys, 4);
sort_tiles!(sort_pairs, SortPairs, pairs, 4);
sort_tiles!(sort_wide_keys, SortWideKeys, wide_keys, 8);

/// Declares the parameters of splits of keys into 2^(class + 1) buckets.
macro_rules! split_of_keys {
    ($name:ident, $what:ident, $tiles:ident, $strips:ident, $taken:expr) => {
        /// The tile of splits into 2^(class + 1) buckets, followed by the keys per subproblem.
        pub(super) fn $name(class: usize, n: u64) -> [Knob; 2] {
            let m = 2 << class;
            let subject = Subject { operation: Operation::$what(m), n };
            let tile = Knob::tile(
                concat!("split.", stringify!($tiles)).to_owned(),
                subject,
                move |policy| policy.split.$tiles[class],
                move |policy, shape| policy.split.$tiles[class] = shape,
                |policy| policy.split.$tiles.to_vec(),
                (class as u32 + 1, 4),
            );
            let strips = [0, 2048, 4096, 6144, 9216, 12_288, 16_384, 30_720];
            let strip = Knob::list(
                concat!("split.", stringify!($strips)),
                vec![subject],
                &strips,
                move |policy| &mut policy.split.$strips[class],
            )
            .of_ranking();
            let is_used: fn(u32, &Policy) -> bool = $taken;
            [tile, strip].map(|knob| knob.only_if(move |policy| is_used(m, policy)))
        }
    };
}

split_of_keys!(split_keys, SplitKeys, block_keys, block_strips, |m, policy| {
    m > policy.split.max_buckets_direct
});
split_of_keys!(split_range, SplitRange, labelled_keys, labelled_strips, |m, policy| {
    m > policy.split.max_buckets_direct && m >= policy.split.min_buckets_labelled
});

/// Sizes of the table by name, with the benchmarks that measure them.
fn sizes(names: &[&str], subjects: &[Subject]) -> Vec<Knob> {
    let find = |name: &&str| Policy::sizes().find(|field| field.name == *name);
    let fields = names.iter().filter_map(find);
    fields.map(|field| Knob::size(field, subjects.to_vec())).collect()
}

/// Minimum number of buckets for which splits by splitters store labels.
pub(super) fn labels(n: u64) -> Vec<Knob> {
    let subjects = [8, 16, 32, 64, 256].map(|m| Subject { operation: Operation::SplitRange(m), n });
    sizes(&["split.min_buckets_labelled"], &subjects)
}

/// The tile of splits of pairs, followed by the point at which values are loaded.
pub(super) fn split_pairs(class: usize, n: u64) -> [Knob; 2] {
    let m = 2 << class;
    let subject = Subject { operation: Operation::SplitPairs(m), n };
    let tile = Knob::tile(
        "split.block_pairs".to_owned(),
        subject,
        move |policy| policy.split.block_pairs[class],
        move |policy, shape| policy.split.block_pairs[class] = shape,
        |policy| policy.split.block_pairs.to_vec(),
        (class as u32 + 1, 4),
    );
    let choices = [ValuesAfter::Loading, ValuesAfter::Ranking, ValuesAfter::Ordering];
    let values_after = Knob::list("split.values_after", vec![subject], &choices, move |policy| {
        &mut policy.split.values_after[class]
    })
    .of_ranking();
    [tile, values_after].map(|knob| knob.only_if(move |policy| m > policy.split.max_buckets_direct))
}

/// Methods of sorts and splits.
pub(super) fn methods(n: u64) -> Vec<Knob> {
    let sorts =
        [Operation::SortKeys, Operation::SortPairs].map(|operation| Subject { operation, n });
    let splits = |m: &[u32]| -> Vec<Subject> {
        let keys = m.iter().map(|&m| Subject { operation: Operation::SplitKeys(m), n });
        keys.chain(m.iter().map(|&m| Subject { operation: Operation::SplitPairs(m), n })).collect()
    };
    let by_multisplit = |policy: &Policy| matches!(policy.sort.auto, SortMethod::Multisplit { .. });
    let warp = |policy: &Policy| {
        policy.split.max_buckets_direct > 0 || policy.sort.rounds != Method::Block
    };
    let mut knobs = sizes(&["sort.auto"], &sorts);
    let rounds = sizes(&["sort.rounds"], &sorts);
    knobs.extend(rounds.into_iter().map(|knob| knob.only_if(by_multisplit)));
    knobs.extend(sizes(&["split.max_buckets_direct"], &splits(&[2, 8, 32, 256])));
    let threads = [64, 128, 256, 512];
    let tile = Knob::list("split.warp", splits(&[8]), &threads, |p| &mut p.split.warp.threads);
    knobs.push(tile.only_if(warp));
    knobs.extend(sizes(&["split.min_keys"], &splits(&[8, 256])));
    knobs.extend(sizes(&["split.max_buckets_by_ballots"], &splits(&[8, 32])));
    knobs.extend(sizes(&["split.counter_copies"], &splits(&[8, 256])));
    knobs
}

fn is_one_sweep(policy: &Policy) -> bool {
    policy.sort.auto == SortMethod::OneSweep
}

/// Sorts of keys and of pairs.
fn sorts(sizes: impl IntoIterator<Item = u64>) -> Vec<Subject> {
    let both =
        |n| [Operation::SortKeys, Operation::SortPairs].map(|operation| Subject { operation, n });
    let mut sorts: Vec<_> = sizes.into_iter().flat_map(both).collect();
    sorts.dedup();
    sorts
}

/// Sizes that all sorts share, except tiles.
pub(super) fn sorting(n: u64) -> Vec<Knob> {
    // The shape of the histogram pass affects small sorts much more than large ones.
    let sorts = sorts([n, n.min(SMALL)]);
    let knobs = sizes(&["look_back_tiles", "sort.histogram", "sort.histogram_groups"], &sorts);
    knobs.into_iter().map(|knob| knob.only_if(is_one_sweep)).collect()
}

/// Small sorts: their maximum size, and the sizes of their passes.
pub(super) fn small_one_sweep(largest: u64) -> Vec<Knob> {
    let lengths = [1 << 14, 1 << 16, 1 << 17, 1 << 18];
    let sorts = sorts(lengths.into_iter().filter(|n| *n <= largest));
    let has_small_sorts = |policy: &Policy| is_one_sweep(policy) && policy.sort.few_keys > 0;
    let limits = sizes(&["sort.few_keys"], &sorts);
    let cut = sizes(&["sort.few_keys_groups", "sort.few_keys_look_back"], &sorts);
    let limits = limits.into_iter().map(|knob| knob.only_if(is_one_sweep));
    limits.chain(cut.into_iter().map(|knob| knob.only_if(has_small_sorts))).collect()
}

/// Tile of the single-workgroup sort. A larger tile raises the size from which other methods are used.
pub(super) fn small_sort() -> Vec<Knob> {
    sizes(
        &["sort.small"],
        &[1024, 4096, 8192].map(|n| Subject { operation: Operation::SortKeys, n }),
    )
}

/// The sizes of the histogram.
pub(super) fn histograms(n: u64) -> Vec<Knob> {
    let even = [8, 256].map(|m| Subject { operation: Operation::HistogramEven(m), n });
    let range = [Subject { operation: Operation::HistogramRange, n }];
    let all = [&even[..], &range].concat();
    let mut knobs = Vec::new();
    for (name, subjects) in [
        ("histogram.threads", &even[..]),
        ("histogram.loads", &all),
        ("histogram.copies", &even),
        ("histogram.tiles", &all),
        ("histogram.min_groups", &all),
        ("histogram.max_bins_by_ballots", &even),
        ("histogram.cells", &range),
        ("histogram.lookup_threads", &range),
    ] {
        knobs.extend(sizes(&[name], subjects));
    }
    knobs
}

/// The sizes of the scan.
pub(super) fn scans(largest: u64) -> Vec<Knob> {
    let lengths = [1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, largest];
    let mut lengths: Vec<u64> = lengths.into_iter().filter(|n| *n <= largest).collect();
    lengths.dedup();
    let scans: Vec<_> =
        lengths.iter().map(|&n| Subject { operation: Operation::Scan, n }).collect();
    // A split includes a scan.
    let split = Subject { operation: Operation::SplitKeys(256), n: largest };
    let with_split = [scans.clone(), vec![split]].concat();
    let small: Vec<_> = scans.iter().copied().take(2).collect();
    let mut methods = vec![ScanMethod::LookBack, ScanMethod::ReduceThenScan];
    methods.extend(lengths.iter().map(|&n| ScanMethod::LookBackUpTo(n)));
    let mut knobs = sizes(&["threads"], &with_split);
    knobs.push(Knob::list("scan", scans, &methods, |p| &mut p.scan));
    knobs.extend(sizes(&["spine_threads", "single_group_tiles"], &small));
    knobs
}

/// Sizes of the table that have candidates but are not in `named`, each measured on its operation.
pub(super) fn remaining_sizes(policy: &Policy, named: &[Knob], n: u64) -> Vec<Knob> {
    let mut knobs = Vec::new();
    for field in Policy::sizes() {
        let known = named.iter().any(|knob| knob.name == field.name);
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
        let subjects = operations.into_iter().map(|operation| Subject { operation, n }).collect();
        knobs.push(Knob::size(field, subjects));
    }
    knobs
}
