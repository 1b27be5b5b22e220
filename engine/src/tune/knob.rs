//! What can be tuned: a size of the policy, its candidates, and what they are measured on.

use std::collections::HashSet;

use super::search::SMALL;
use super::subject::{Subject, What};
use crate::primitives::Policy;
use crate::primitives::ScanMethod;
use crate::primitives::multisplit::{Method, TileShape, ValuesAfter};
use crate::primitives::sort::SortMethod;

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

    /// A size with a list of candidates.
    fn list<T: Copy + 'static>(
        name: &str,
        subjects: Vec<Subject>,
        values: &[T],
        field: fn(&mut Policy) -> &mut T,
    ) -> Self {
        let edit = |&value: &T| -> Edit { Box::new(move |policy| *field(policy) = value) };
        Self {
            name: name.to_owned(),
            of_ranking: false,
            subjects,
            candidates: Candidates::List(values.iter().map(edit).collect()),
            matters: Box::new(|_| true),
            revert: Box::new(move |to, from| {
                let mut from = *from;
                *field(to) = *field(&mut from);
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
            Candidates::Tile { get, set, bits, key_bytes, others, tried } => {
                let now = get(best);
                tried.insert([now.threads, now.items, now.turns]);
                let shapes = match wide {
                    true => grid(software),
                    false => {
                        let near = neighbours(now, best.subgroup_size, software);
                        [others(best), near].concat()
                    }
                };
                let n = self.subjects.iter().map(|subject| subject.n).max().unwrap_or(0);
                let mut policies = Vec::new();
                for shape in shapes {
                    let fits = shape.is_sound()
                        && shape.within(best, *bits, *key_bytes, 0) == shape
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
            let edit = |strip: u32| -> Edit { Box::new(move |p| p.split.$strips[class] = strip) };
            let strip = Knob {
                name: concat!("split.", stringify!($strips)).to_owned(),
                of_ranking: true,
                subjects: vec![subject],
                candidates: Candidates::List(strips.into_iter().map(edit).collect()),
                matters: Box::new(|_| true),
                revert: Box::new(move |to, from| {
                    to.split.$strips[class] = from.split.$strips[class];
                }),
            };
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

/// From how many buckets on splits by splitters write labels down.
pub(super) fn labels(n: u64) -> Knob {
    let subjects = [8, 16, 32, 64, 256].map(|m| Subject { what: What::SplitRange(m), n }).to_vec();
    let least = [5, 9, 17, 33, 65, u32::MAX];
    Knob::list("split.min_buckets_labelled", subjects, &least, |p| {
        &mut p.split.min_buckets_labelled
    })
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
    let edit =
        |after: ValuesAfter| -> Edit { Box::new(move |p| p.split.values_after[class] = after) };
    let moment = Knob {
        name: "split.values_after".to_owned(),
        of_ranking: true,
        subjects: vec![subject],
        candidates: Candidates::List(moments.into_iter().map(edit).collect()),
        matters: Box::new(|_| true),
        revert: Box::new(move |to, from| {
            to.split.values_after[class] = from.split.values_after[class];
        }),
    };
    [tile, moment].map(|knob| knob.where_(move |policy| m > policy.split.max_buckets_direct))
}

/// How sorts and splits are carried out.
pub(super) fn methods(n: u64, software: bool) -> Vec<Knob> {
    let sorts = vec![Subject { what: What::SortKeys, n }, Subject { what: What::SortPairs, n }];
    let by = |radix_bits| SortMethod::Multisplit { radix_bits };
    let methods: &[SortMethod] = match software {
        true => &[by(8), by(7), by(6), by(5), by(4)],
        false => &[SortMethod::OneSweep, by(8), by(6)],
    };
    let splits = |m: &[u32]| -> Vec<Subject> {
        let keys = m.iter().map(|&m| Subject { what: What::SplitKeys(m), n });
        keys.chain(m.iter().map(|&m| Subject { what: What::SplitPairs(m), n })).collect()
    };
    let by_multisplit = |policy: &Policy| matches!(policy.sort.auto, SortMethod::Multisplit { .. });
    let warp = |policy: &Policy| {
        policy.split.max_buckets_direct > 0 || policy.sort.rounds != Method::Block
    };
    let direct: &[u32] = if software { &[32, 64, 256] } else { &[0, 2, 8, 32] };
    vec![
        Knob::list("sort.auto", sorts.clone(), methods, |p| &mut p.sort.auto),
        Knob::list("sort.rounds", sorts.clone(), &[Method::Direct, Method::Warp], |p| {
            &mut p.sort.rounds
        })
        .where_(by_multisplit),
        Knob::list("split.max_buckets_direct", splits(&[2, 8, 32, 256]), direct, |p| {
            &mut p.split.max_buckets_direct
        }),
        Knob::list("split.warp", splits(&[8]), &[64, 128, 256, 512], |p| &mut p.split.warp.threads)
            .where_(warp),
        Knob::list("split.min_keys", splits(&[8, 256]), &[512, 1024, 2048, 4096, 8192], |p| {
            &mut p.split.min_keys
        }),
        Knob::list("split.max_buckets_by_ballots", splits(&[8, 32]), &[0, 8, 32], |p| {
            &mut p.split.max_buckets_by_ballots
        }),
        Knob::list("split.counter_copies", splits(&[8, 256]), &[1, 2, 4], |p| {
            &mut p.split.counter_copies
        }),
    ]
}

/// What sorts share besides tiles.
pub(super) fn sorting(n: u64) -> Vec<Knob> {
    // Small sorts pay for a histogram's shape that large ones hardly notice.
    let sizes = [n, n.min(SMALL)];
    let both = |n| [What::SortKeys, What::SortPairs].map(|what| Subject { what, n });
    let mut sorts = sizes.map(both).concat();
    sorts.dedup();
    let one_sweep = |policy: &Policy| policy.sort.auto == SortMethod::OneSweep;
    let shapes = [(256, 8), (256, 16), (512, 8), (512, 16), (1024, 8), (1024, 16), (512, 32)];
    let shapes = shapes.map(|(threads, items)| TileShape::new(threads, items));
    let groups = [128, 256, 512, 1056, 2112, 4224];
    vec![
        Knob::list("look_back_tiles", sorts.clone(), &[1, 2, 4, 8, 16], |p| &mut p.look_back_tiles)
            .where_(one_sweep),
        Knob::list("sort.histogram", sorts.clone(), &shapes, |p| &mut p.sort.histogram)
            .where_(one_sweep),
        Knob::list("sort.histogram_groups", sorts, &groups, |p| &mut p.sort.histogram_groups)
            .where_(one_sweep),
    ]
}

/// Sorts of few keys: up to how many, and how the first pass and the rounds of one are cut.
pub(super) fn few_keys(largest: u64) -> Vec<Knob> {
    let sizes = [1 << 14, 1 << 16, 1 << 17, 1 << 18];
    let both = |n| [What::SortKeys, What::SortPairs].map(|what| Subject { what, n });
    let sizes = sizes.into_iter().filter(|n| *n <= largest);
    let sorts: Vec<_> = sizes.flat_map(both).collect();
    let most = [0, 1 << 14, 1 << 16, 1 << 17, 1 << 18];
    let one_sweep = |policy: &Policy| policy.sort.auto == SortMethod::OneSweep;
    let few = move |policy: &Policy| one_sweep(policy) && policy.sort.few_keys > 0;
    vec![
        Knob::list("sort.few_keys", sorts.clone(), &most, |p| &mut p.sort.few_keys)
            .where_(one_sweep),
        Knob::list("sort.few_keys_groups", sorts.clone(), &[4, 8, 16, 32], |p| {
            &mut p.sort.few_keys_groups
        })
        .where_(few),
        Knob::list("sort.few_keys_look_back", sorts, &[1, 2, 4, 8, 16], |p| {
            &mut p.sort.few_keys_look_back
        })
        .where_(few),
    ]
}

/// The sort by one workgroup: the more it takes, the later other methods begin.
pub(super) fn small_sort() -> Knob {
    let subjects = [1024, 4096, 8192].map(|n| Subject { what: What::SortKeys, n }).to_vec();
    let shapes = [(256, 4), (256, 8), (512, 4), (512, 8), (512, 16), (1024, 4), (1024, 8)];
    let shapes = shapes.map(|(threads, items)| TileShape::new(threads, items));
    Knob::list("sort.small", subjects, &shapes, |p| &mut p.sort.small).of_ranking()
}

/// The sizes of the histogram.
pub(super) fn histograms(n: u64, software: bool) -> Vec<Knob> {
    let even = [8, 256].map(|m| Subject { what: What::HistogramEven(m), n }).to_vec();
    let range = vec![Subject { what: What::HistogramRange, n }];
    let all = [even.clone(), range.clone()].concat();
    let loads: &[u32] = if software { &[1, 2] } else { &[1, 2, 4, 8] };
    let groups: &[u32] = if software { &[8, 16, 32] } else { &[128, 264, 528, 1056, 2112] };
    vec![
        Knob::list("histogram.threads", even.clone(), &[64, 128, 256, 512, 1024], |p| {
            &mut p.histogram.threads
        }),
        Knob::list("histogram.loads", all.clone(), loads, |p| &mut p.histogram.loads),
        Knob::list("histogram.copies", even.clone(), &[1, 2, 4, 8], |p| &mut p.histogram.copies),
        Knob::list("histogram.tiles", all.clone(), &[4, 8, 16, 32, 64], |p| &mut p.histogram.tiles),
        Knob::list("histogram.min_groups", all, groups, |p| &mut p.histogram.min_groups),
        Knob::list("histogram.max_bins_by_ballots", even, &[0, 8, 32], |p| {
            &mut p.histogram.max_bins_by_ballots
        }),
        Knob::list("histogram.cells", range.clone(), &[0, 256, 1024, 2048, 4096, 8192], |p| {
            &mut p.histogram.cells
        }),
        Knob::list("histogram.lookup_threads", range, &[128, 256, 512, 1024], |p| {
            &mut p.histogram.lookup_threads
        }),
    ]
}

/// The sizes of the scan.
pub(super) fn scans(largest: u64) -> Vec<Knob> {
    let sizes = [1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, largest];
    let mut sizes: Vec<u64> = sizes.into_iter().filter(|n| *n <= largest).collect();
    sizes.dedup();
    let scans: Vec<_> = sizes.iter().map(|&n| Subject { what: What::Scan, n }).collect();
    // A split has a scan within.
    let split = Subject { what: What::SplitKeys(256), n: largest };
    let with_split = [scans.clone(), vec![split]].concat();
    let small: Vec<_> = scans.iter().copied().take(2).collect();
    let mut methods = vec![ScanMethod::LookBack, ScanMethod::ReduceThenScan];
    methods.extend(sizes.iter().map(|&n| ScanMethod::LookBackUpTo(n)));
    vec![
        Knob::list("threads", with_split, &[64, 128, 256, 512, 1024], |p| &mut p.threads),
        Knob::list("scan", scans, &methods, |p| &mut p.scan),
        Knob::list("spine_threads", small.clone(), &[256, 512, 1024], |p| &mut p.spine_threads),
        Knob::list("single_group_tiles", small, &[1, 2, 4], |p| &mut p.single_group_tiles),
    ]
}
