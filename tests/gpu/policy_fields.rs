//! Every field of a policy, and how a test draws it.

use anyhow::{Result, bail, ensure};
use multisplit::Policy;
use multisplit::primitives::ScanMethod;
use multisplit::primitives::multisplit::{Method, TileShape, ValuesAfter};
use multisplit::primitives::sort::SortMethod;
use multisplit_tests::generate::Rng;

/// Any number: often an edge case, often one that is accepted.
pub fn number(rng: &mut Rng) -> u32 {
    match rng.below(8) {
        0 => 0,
        1 => u32::MAX,
        2 => rng.below(1 << 32) as u32,
        3 => 1 << rng.below(32),
        4 | 5 => 4 << rng.below(9),
        _ => 1 + rng.below(40) as u32,
    }
}

pub fn pick<T: Copy>(rng: &mut Rng, choices: &[T]) -> T {
    choices[rng.below(choices.len() as u64) as usize]
}

/// Draws values of fields.
pub struct Draw<'r> {
    pub rng: &'r mut Rng,
    /// Whether values may be ones that a policy must not have.
    pub anything: bool,
    /// Elements that the policy is used for.
    pub n: u64,
    /// The device's own policy.
    pub device: Policy,
}

impl Draw<'_> {
    /// A number from `low` to `high`: often one of them, else one with a uniform logarithm.
    fn size(&mut self, low: u64, high: u64) -> u64 {
        if self.anything {
            return number(self.rng).into();
        }
        let bits = |x: u64| u64::from(64 - x.leading_zeros());
        match self.rng.below(6) {
            0 => low,
            1 => high,
            _ => {
                let width = bits(low) + self.rng.below(bits(high) - bits(low) + 1);
                let value = self.rng.next_u64() >> (64 - width.max(1)) | 1 << width.max(1) >> 1;
                value.clamp(low, high)
            }
        }
    }

    /// Any number of 32 bits.
    fn word(&mut self) -> u64 {
        self.size(0, u32::MAX.into())
    }

    /// A multiple of `unit`.
    fn multiple(&mut self, unit: u64, low: u64, high: u64) -> u64 {
        if self.anything { self.size(low, high) } else { self.size(low, high / unit) * unit }
    }

    /// A workgroup size.
    fn threads(&mut self) -> u64 {
        self.multiple(self.device.subgroup_size.into(), 1, self.device.max_threads.into())
    }

    fn shape(&mut self, max_turns: u64) -> TileShape {
        if self.anything {
            let rng = &mut *self.rng;
            let turns = if rng.below(4) == 0 { number(rng) } else { 1 + rng.below(3) as u32 };
            let (threads, items) = match rng.below(3) {
                0 => (number(rng), number(rng)),
                _ => (4 << rng.below(8), turns.saturating_mul(1 + rng.below(4) as u32)),
            };
            return TileShape::new(threads, items).in_turns(turns);
        }
        let (threads, turns) = (self.threads(), self.size(1, max_turns));
        let most = (((1 << 16) - 1) / threads).min(32).max(turns);
        let items = self.multiple(turns, 1, most);
        TileShape::new(threads as u32, items as u32).in_turns(turns as u32)
    }

    fn shapes(&mut self) -> [TileShape; 8] {
        [(); 8].map(|()| self.shape(4))
    }

    /// Shapes by the number of elements.
    fn table<const N: usize>(&mut self) -> [(u64, TileShape); N] {
        let mut index = 0;
        [(); N].map(|()| {
            index += 1;
            (if index == N { u64::MAX } else { 1 << (index * 5) }, self.shape(4))
        })
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        pick(self.rng, choices)
    }
}

/// A field's name, and a function that draws it.
pub type Field = (&'static str, fn(&mut Policy, &mut Draw<'_>));

macro_rules! fields {
    ($($($path:ident).+ = |$draw:ident| $value:expr;)*) => {
        &[$((stringify!($($path).+), |policy, $draw| policy.$($path).+ = $value as _)),*]
    };
    (values $($($path:ident).+ = |$draw:ident| $value:expr;)*) => {
        &[$((stringify!($($path).+), |policy, $draw| policy.$($path).+ = $value)),*]
    };
}

const NUMBERS: &[Field] = fields! {
    threads = |d| d.threads();
    select_threads = |d| d.threads();
    by_key_threads = |d| d.threads();
    segment_chunk = |d| d.multiple(4, 1, u32::MAX.into());
    subgroup_takers = |d| d.word();
    spine_threads = |d| d.threads();
    spine_tiles = |d| d.size(1, 1024);
    single_group_tiles = |d| d.word();
    spin_limit = |d| d.size(0, 1 << 22);
    look_back_tiles = |d| d.size(1, 32);
    max_storage_range = |d| d.size(1 << 10, d.device.max_storage_range);
    // Fewer than that are as many pieces, which take long.
    max_elements = |d| d.size((d.n / 16).max(128), (1 << 30) - 1);
    max_groups = |d| d.size(1, d.device.max_groups.into());
    subgroup_size = |d| d.size(d.device.subgroup_size.into(), d.device.subgroup_size.into());
    shared_memory = |d| d.size(8 << 10, d.device.shared_memory.into());
    max_threads = |d| d.size(d.device.subgroup_size.into(), d.device.max_threads.into());
    split.min_keys = |d| d.size(0, 1 << 24);
    split.side_by_side = |d| d.size(0, d.device.max_threads.into());
    split.min_buckets_labelled = |d| d.word();
    split.histogram_parts = |d| d.size(1, 1 << 14);
    split.max_buckets_by_ballots = |d| d.word();
    split.counter_copies = |d| d.size(1, 32);
    split.canary_period = |d| d.word();
    split.max_loop_rounds = |d| d.size(4096, d.device.split.max_loop_rounds.into());
    split.max_buckets_direct = |d| d.word();
    histogram.threads = |d| d.threads();
    histogram.loads = |d| d.size(0, 16);
    histogram.tiles = |d| d.size(0, 1 << 16);
    histogram.min_groups = |d| d.size(1, d.device.max_groups.into());
    histogram.copies = |d| d.size(0, 32);
    histogram.copies_bytes = |d| d.word();
    histogram.max_bins_by_ballots = |d| d.word();
    histogram.max_passes = |d| d.word();
    histogram.register_bins = |d| d.size(0, 32);
    histogram.cells_per_bin = |d| d.size(0, 1 << 16);
    histogram.cells = |d| d.size(0, 1 << 16);
    histogram.lookup_threads = |d| d.threads();
    histogram.max_samples = |d| d.size(256, d.device.histogram.max_samples.into());
    sort.histogram_groups = |d| d.size(1, d.device.max_groups.into());
    sort.few_keys = |d| d.size(0, 1 << 20);
    sort.few_keys_groups = |d| d.multiple(4, 1, 32);
    sort.few_keys_look_back = |d| d.size(1, 32);
    sort.min_counting = |d| d.word();
    topk.row_elements = |d| d.word();
    topk.many_rows = |d| d.size(1, u32::MAX.into());
    topk.part_elements = |d| d.word();
    topk.groups = |d| d.size(1, 1 << 16);
    topk.filter_tiles = |d| d.size(1, u32::MAX.into());
    topk.samples = |d| d.size(1, 1 << 24);
    topk.maxima = |d| d.size(1, 1 << 16);
};

const VALUES: &[Field] = fields! { values
    tickets = |d| d.rng.below(2) == 0;
    scan = |d| {
        let length = d.word();
        d.pick(&[ScanMethod::LookBack, ScanMethod::ReduceThenScan, ScanMethod::LookBackUpTo(length)])
    };
    split.warp = |d| d.shape(4);
    split.block_keys = |d| d.shapes();
    split.labelled_keys = |d| d.shapes();
    split.block_pairs = |d| d.shapes();
    split.onesweep = |d| d.shapes();
    split.values_after = |d| [(); 8].map(|()| {
        d.pick(&[ValuesAfter::Loading, ValuesAfter::Ranking, ValuesAfter::Ordering])
    });
    split.block_strips = |d| [(); 8].map(|()| d.size(0, 1 << 24) as u32);
    split.labelled_strips = |d| [(); 8].map(|()| d.size(0, 1 << 24) as u32);
    split.label_user_buckets = |d| d.rng.below(2) == 0;
    sort.small = |d| d.shape(1);
    sort.keys = |d| d.table();
    sort.wide_keys = |d| d.table();
    sort.pairs = |d| d.table();
    sort.histogram = |d| match d.anything {
        true => d.shape(4),
        false => TileShape::new(d.size(1, 4096) as u32, d.size(1, 64) as u32),
    };
    sort.auto = |d| {
        let radix_bits = if d.anything { d.rng.below(10) } else { 4 + d.rng.below(5) } as u32;
        d.pick(&[SortMethod::OneSweep, SortMethod::Multisplit { radix_bits }])
    };
    sort.rounds = |d| match d.anything {
        true => d.pick(&METHODS),
        false => d.pick(&[Method::Direct, Method::Warp, Method::Block]),
    };
};

pub const METHODS: [Method; 8] = [
    Method::Auto,
    Method::Direct,
    Method::Warp,
    Method::Block,
    Method::OneSweep,
    Method::ScanSplit,
    Method::ReducedBitSort,
    Method::FullSort,
];

/// What a device has or was seen to do is not drawn.
const FACTS: [&str; 2] = ["facts", "split.ranking"];

pub fn fields() -> impl Iterator<Item = &'static Field> {
    NUMBERS.iter().chain(VALUES)
}

/// Sets one field.
pub fn edit(policy: &mut Policy, draw: &mut Draw<'_>) {
    let count = fields().count() as u64;
    let field = fields().nth(draw.rng.below(count) as usize);
    field.expect("one of them").1(policy, draw);
}

/// Fails if a policy has a field that is not drawn.
pub fn check_fields(policy: &Policy) -> Result<()> {
    let known = |path: &str| {
        let drawn = fields().any(|(name, _)| name.replace(' ', "") == path);
        drawn || FACTS.contains(&path)
    };
    let (mut names, mut skipped, mut found) = (Vec::new(), usize::MAX, 0);
    for line in format!("{policy:#?}").lines() {
        let depth = (line.len() - line.trim_start().len()) / 4;
        if depth > skipped {
            continue;
        }
        skipped = usize::MAX;
        let Some((name, value)) = line.trim().split_once(": ") else { continue };
        names.truncate(depth - 1);
        names.push(name);
        let path = names.join(".");
        if known(&path) {
            (skipped, found) = (depth, found + 1);
        } else if !value.ends_with('{') {
            bail!("policies are not tested with other values of `{path}`");
        }
    }
    ensure!(found == fields().count() + FACTS.len(), "a field is drawn that policies do not have");
    Ok(())
}

/// Lowers what other fields limit, so that most of the policies that are drawn are accepted.
pub fn keep_limits(policy: &mut Policy) {
    let whole = policy.max_threads.max(policy.subgroup_size) / policy.subgroup_size;
    let most = whole * policy.subgroup_size;
    let Policy { histogram, sort, max_groups, .. } = policy;
    for threads in [
        &mut policy.threads,
        &mut policy.select_threads,
        &mut policy.by_key_threads,
        &mut policy.spine_threads,
        &mut histogram.threads,
        &mut histogram.lookup_threads,
        &mut policy.split.side_by_side,
    ] {
        *threads = (*threads).min(most);
    }
    histogram.min_groups = histogram.min_groups.min(*max_groups);
    sort.histogram_groups = sort.histogram_groups.min((*max_groups).into());
}
