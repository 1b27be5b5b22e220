//! What can be tuned: a size of the policy, its candidates, and what they are measured on.

use std::collections::HashSet;

use super::subject::{Subject, What};
use crate::policy::method::{Method, ScanMethod, SortMethod, ValuesAfter};
use crate::policy::tile::TileShape;
use crate::policy::{Field, Policy};

/// Number of elements that represents small sorts. The tile tables have an entry for it.
pub(super) const SMALL: u64 = 1 << 20;

/// Reads, sets and changes a policy, and takes something of another one.
type Get<T> = Box<dyn Fn(&Policy) -> T>;
type Set<T> = Box<dyn Fn(&mut Policy, T)>;
type Edit = Box<dyn Fn(&mut Policy)>;
type Take = Box<dyn Fn(&mut Policy, &Policy)>;

/// How candidates are found.
pub(super) enum Candidates {
    /// Shapes of a tile: first a grid, then the neighbours of the best.
    Tile {
        get: Get<TileShape>,
        set: Set<TileShape>,
        /// Bits of a bucket id, and bytes of a key: what decides of shared memory.
        bits: u32,
        key_bytes: u32,
        /// The tiles of the same table, which may suit here too.
        others: Get<Vec<TileShape>>,
        tried: HashSet<[u32; 3]>,
    },
    /// These changes, one after the other.
    List(Vec<Edit>),
    /// Those of the table of sizes.
    Table(&'static Field<Policy>),
}

/// One size, or several that go together.
pub(super) struct Knob {
    pub name: String,
    /// Whether each ranking has one of its own.
    pub of_ranking: bool,
    pub subjects: Vec<Subject>,
    pub candidates: Candidates,
    /// Whether it makes a difference.
    pub matters: Get<bool>,
    /// Takes it from another policy.
    pub revert: Take,
}

impl Knob {
    /// A tile.
    fn tile(
        name: String,
        subject: Subject,
        get: impl Fn(&Policy) -> TileShape + Clone + 'static,
        set: impl Fn(&mut Policy, TileShape) + Clone + 'static,
        others: impl Fn(&Policy) -> Vec<TileShape> + 'static,
        (bits, key_bytes): (u32, u32),
    ) -> Self {
        let (getting, setting) = (get.clone(), set.clone());
        let candidates = Candidates::Tile {
            get: Box::new(get),
            set: Box::new(set),
            bits,
            key_bytes,
            others: Box::new(others),
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

    /// A size whose candidates are those of the table.
    fn size(field: &'static Field<Policy>, subjects: Vec<Subject>) -> Self {
        let name = field.name.to_owned();
        let candidates = Candidates::Table(field);
        let (matters, revert) = (Box::new(|_: &_| true), Box::new(field.copy));
        Self { name, of_ranking: field.per_ranking, subjects, candidates, matters, revert }
    }

    /// A part of a size with a list of candidates.
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

    fn where_(self, matters: impl Fn(&Policy) -> bool + 'static) -> Self {
        Self { matters: Box::new(matters), ..self }
    }

    fn of_ranking(self) -> Self {
        Self { of_ranking: true, ..self }
    }

    /// The candidates around what is best so far: of tiles a grid (`wide`) or the neighbours. Each is
    /// given once.
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
            Candidates::Tile { get, set, bits, key_bytes, others, tried } => {
                let now = get(best);
                tried.insert([now.threads, now.items, now.turns]);
                let shapes = match wide {
                    true => grid(software),
                    false => {
                        let near = neighbours(now, best.facts.subgroup_size, software);
                        [others(best), near].concat()
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

/// Tiles that are far apart, the likeliest first. The more keys a tile has, the longer its runs, and
/// the fewer workgroups fit a multiprocessor; a large one goes through shared memory in turns.
fn grid(software: bool) -> Vec<TileShape> {
    if software {
        // What is unrolled takes a software driver longer to compile than to run.
        let sizes = [(256, 4), (256, 8), (128, 4), (64, 4), (128, 8), (64, 8), (256, 2)];
        return sizes.map(|(threads, items)| TileShape::new(threads, items)).to_vec();
    }
    let mut shapes = Vec::new();
    for items in [16, 24, 12, 8, 20, 28] {
        for threads in [384, 512, 256, 768, 192, 1024, 128] {
            // A turn of up to 8,192 keys.
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
    // About as many keys, otherwise cut.
    add(threads + step, items.saturating_sub(items_step), turns);
    add(threads.saturating_sub(step), items + items_step, turns);
    shapes
}

/// Bits of a digit of a sort.
const DIGIT_BITS: u32 = 8;

/// The tiles of one table of sorts: one for each number of elements that has a tile of its own.
macro_rules! sort_tiles {
    ($name:ident, $what:ident, $table:ident, $key_bytes:literal) => {
        /// A tile of this table for each number of elements that has one, the largest first.
        pub(super) fn $name(policy: &Policy, largest: u64) -> Vec<Knob> {
            let table = policy.sort.$table;
            let mut knobs = Vec::new();
            for index in (0..table.len()).rev() {
                let n = table[index].0.min(largest);
                // Not where another entry is taken for as many elements.
                if table.iter().position(|(most, _)| n <= *most) != Some(index) {
                    continue;
                }
                let knob = Knob::tile(
                    concat!("sort.", stringify!($table)).to_owned(),
                    Subject { what: What::$what, n },
                    move |policy| policy.sort.$table[index].1,
                    move |policy, shape| policy.sort.$table[index].1 = shape,
                    |policy| policy.sort.$table.map(|(_, shape)| shape).to_vec(),
                    (DIGIT_BITS, $key_bytes),
                );
                knobs.push(knob.where_(|policy| policy.sort.auto == SortMethod::OneSweep));
            }
            knobs
        }
    };
}

sort_tiles!(sort_keys, SortKeys, keys, 4);
sort_tiles!(sort_pairs, SortPairs, pairs, 4);
sort_tiles!(sort_wide_keys, SortWideKeys, wide_keys, 8);

/// What splits of keys have one of for each 2^(class + 1) buckets.
macro_rules! split_of_keys {
    ($name:ident, $what:ident, $tiles:ident, $strips:ident, $taken:expr) => {
        /// The tile of these splits into 2^(class + 1) buckets, and after it how much one workgroup takes.
        pub(super) fn $name(class: usize, n: u64) -> [Knob; 2] {
            let m = 2 << class;
            let subject = Subject { what: What::$what(m), n };
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
            let is_taken: fn(u32, &Policy) -> bool = $taken;
            [tile, strip].map(|knob| knob.where_(move |policy| is_taken(m, policy)))
        }
    };
}

split_of_keys!(split_keys, SplitKeys, block_keys, block_strips, |m, policy| {
    m > policy.split.max_buckets_direct
});
split_of_keys!(split_range, SplitRange, labelled_keys, labelled_strips, |m, policy| {
    m > policy.split.max_buckets_direct && m >= policy.split.min_buckets_labelled
});

/// Sizes of the table by their names, measured on these subjects.
fn sizes(names: &[&str], subjects: &[Subject]) -> Vec<Knob> {
    let find = |name: &&str| Policy::sizes().find(|field| field.name == *name);
    let fields = names.iter().filter_map(find);
    fields.map(|field| Knob::size(field, subjects.to_vec())).collect()
}

/// From how many buckets on splits by splitters write labels down.
pub(super) fn labels(n: u64) -> Vec<Knob> {
    let subjects = [8, 16, 32, 64, 256].map(|m| Subject { what: What::SplitRange(m), n });
    sizes(&["split.min_buckets_labelled"], &subjects)
}

/// The tile of a split of pairs, and after it when its values are loaded.
pub(super) fn split_pairs(class: usize, n: u64) -> [Knob; 2] {
    let m = 2 << class;
    let subject = Subject { what: What::SplitPairs(m), n };
    let tile = Knob::tile(
        "split.block_pairs".to_owned(),
        subject,
        move |policy| policy.split.block_pairs[class],
        move |policy, shape| policy.split.block_pairs[class] = shape,
        |policy| policy.split.block_pairs.to_vec(),
        (class as u32 + 1, 4),
    );
    let moments = [ValuesAfter::Loading, ValuesAfter::Ranking, ValuesAfter::Ordering];
    let moment = Knob::list("split.values_after", vec![subject], &moments, move |policy| {
        &mut policy.split.values_after[class]
    })
    .of_ranking();
    [tile, moment].map(|knob| knob.where_(move |policy| m > policy.split.max_buckets_direct))
}

/// How sorts and splits are carried out.
pub(super) fn methods(n: u64) -> Vec<Knob> {
    let sorts = [What::SortKeys, What::SortPairs].map(|what| Subject { what, n });
    let splits = |m: &[u32]| -> Vec<Subject> {
        let keys = m.iter().map(|&m| Subject { what: What::SplitKeys(m), n });
        keys.chain(m.iter().map(|&m| Subject { what: What::SplitPairs(m), n })).collect()
    };
    let by_multisplit = |policy: &Policy| matches!(policy.sort.auto, SortMethod::Multisplit { .. });
    let warp = |policy: &Policy| {
        policy.split.max_buckets_direct > 0 || policy.sort.rounds != Method::Block
    };
    let mut knobs = sizes(&["sort.auto"], &sorts);
    let rounds = sizes(&["sort.rounds"], &sorts);
    knobs.extend(rounds.into_iter().map(|knob| knob.where_(by_multisplit)));
    knobs.extend(sizes(&["split.max_buckets_direct"], &splits(&[2, 8, 32, 256])));
    let threads = [64, 128, 256, 512];
    let tile = Knob::list("split.warp", splits(&[8]), &threads, |p| &mut p.split.warp.threads);
    knobs.push(tile.where_(warp));
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
    let both = |n| [What::SortKeys, What::SortPairs].map(|what| Subject { what, n });
    let mut sorts: Vec<_> = sizes.into_iter().flat_map(both).collect();
    sorts.dedup();
    sorts
}

/// What sorts share besides tiles.
pub(super) fn sorting(n: u64) -> Vec<Knob> {
    // Small sorts pay for a histogram's shape that large ones hardly notice.
    let sorts = sorts([n, n.min(SMALL)]);
    let knobs = sizes(&["look_back_tiles", "sort.histogram", "sort.histogram_groups"], &sorts);
    knobs.into_iter().map(|knob| knob.where_(is_one_sweep)).collect()
}

/// Sorts of few keys: up to how many, and how the first pass and the rounds of one are cut.
pub(super) fn few_keys(largest: u64) -> Vec<Knob> {
    let lengths = [1 << 14, 1 << 16, 1 << 17, 1 << 18];
    let sorts = sorts(lengths.into_iter().filter(|n| *n <= largest));
    let few = |policy: &Policy| is_one_sweep(policy) && policy.sort.few_keys > 0;
    let most = sizes(&["sort.few_keys"], &sorts);
    let cut = sizes(&["sort.few_keys_groups", "sort.few_keys_look_back"], &sorts);
    let most = most.into_iter().map(|knob| knob.where_(is_one_sweep));
    most.chain(cut.into_iter().map(|knob| knob.where_(few))).collect()
}

/// The sort by one workgroup: the more it takes, the later other methods begin.
pub(super) fn small_sort() -> Vec<Knob> {
    sizes(&["sort.small"], &[1024, 4096, 8192].map(|n| Subject { what: What::SortKeys, n }))
}

/// The sizes of the histogram.
pub(super) fn histograms(n: u64) -> Vec<Knob> {
    let even = [8, 256].map(|m| Subject { what: What::HistogramEven(m), n });
    let range = [Subject { what: What::HistogramRange, n }];
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
    let scans: Vec<_> = lengths.iter().map(|&n| Subject { what: What::Scan, n }).collect();
    // A split has a scan within.
    let split = Subject { what: What::SplitKeys(256), n: largest };
    let with_split = [scans.clone(), vec![split]].concat();
    let small: Vec<_> = scans.iter().copied().take(2).collect();
    let mut methods = vec![ScanMethod::LookBack, ScanMethod::ReduceThenScan];
    methods.extend(lengths.iter().map(|&n| ScanMethod::LookBackUpTo(n)));
    let mut knobs = sizes(&["threads"], &with_split);
    knobs.push(Knob::list("scan", scans, &methods, |p| &mut p.scan));
    knobs.extend(sizes(&["spine_threads", "single_group_tiles"], &small));
    knobs
}

/// Sizes of the table that have candidates and no knob yet, measured on their operation.
pub(super) fn others(policy: &Policy, named: &[Knob], n: u64) -> Vec<Knob> {
    let mut knobs = Vec::new();
    for field in Policy::sizes() {
        let known = named.iter().any(|knob| knob.name == field.name);
        if known || (field.candidates)(policy, &policy.facts).is_empty() {
            continue;
        }
        let what = match field.name.split_once('.').map(|(operation, _)| operation) {
            Some("sort") => vec![What::SortKeys, What::SortPairs],
            Some("split") => [8, 256].map(What::SplitKeys).to_vec(),
            Some("histogram") => vec![What::HistogramEven(256), What::HistogramRange],
            None => vec![What::Scan],
            // What is not measured is not tuned.
            Some(_) => continue,
        };
        let subjects = what.into_iter().map(|what| Subject { what, n }).collect();
        knobs.push(Knob::size(field, subjects));
    }
    knobs
}
