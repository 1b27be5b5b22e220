//! Code shared by the passes of all sort methods: kernel variants, push constants, specialization constants.

use multisplit_graph::{Buffer, Graph, PassBuilder, View};

use super::{KeyedSort, SortBuffers, SortValues};
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::execute::own_pass::OwnPasses;
use crate::operations::shared::count::{Length, Prepared};
use crate::operations::shared::look_back::LookBackCost;
use crate::operations::shared::specialize::specialize;
use crate::operations::split::{
    BucketCode, BucketWords, Kernels, SplitBy, SplitPush, TileShape, ValuesAfter, order_status,
};
use crate::policy::Policy;

/// Buckets per round.
pub(super) const BUCKETS: u32 = 1 << super::DIGIT_BITS;

/// Selects the kernel variant for keys or for pairs.
pub(super) fn variant(values: SortValues, [keys, pairs]: [Kernels; 2]) -> Kernels {
    if matches!(values, SortValues::None) { keys } else { pairs }
}

/// Narrow keys, several per word, that the first round reads directly. Later rounds use words; the last round
/// may write packed keys again.
#[derive(Clone, Copy)]
pub(super) struct Packed {
    pub key: KeyType,
    pub keys: Buffer,
}

impl Packed {
    /// The first `n` keys.
    pub fn view(self, n: u64) -> View {
        self.keys.range(0, self.key.array_bytes(n))
    }

    /// Whether the last of `rounds` rounds writes packed keys. This is the case for 16-bit keys if the number
    /// of rounds is even, so that the result belongs in the array that the first round read.
    pub fn packs_last(self, rounds: u32) -> bool {
        self.key.bits() == 16 && rounds > 0 && rounds.is_multiple_of(2)
    }

    /// Specialization constants for packed keys; zeros for `None`.
    pub fn constants(packed: Option<Self>) -> [(&'static str, u32); 2] {
        let (bits, kind) = packed.map_or((0, 0), |packed| (packed.key.bits(), packed.key.kind()));
        [("NARROW_BITS", bits), ("NARROW_KIND", kind)]
    }
}

/// The two halves between which rounds move the data.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    /// Keys that the first round reads instead of the first half.
    pub packed: Option<Packed>,
    /// Round that writes packed keys to `packed` instead of words to a half.
    pub packing: Option<u32>,
    pub keys: [Buffer; 2],
    pub values: Option<[Buffer; 2]>,
}

/// Parameters of the passes of one sort.
pub(super) struct SortPasses<'j> {
    pub graph: &'j mut Graph,
    pub policy: &'j Policy,
    pub sort: &'j KeyedSort,
    pub buffers: &'j SortBuffers,
    pub shape: TileShape,
    pub n: Length,
    pub prepared: Prepared,
}

/// Parameters of one pass.
pub(super) struct Work {
    /// Number of tiles, parts or segments, one per workgroup.
    pub subproblems: Length,
    /// Tiles per workgroup; in rounds over large segments, the number of rounds.
    pub parts: u32,
    /// Index of the digit. In a small sort, the number of digits; in a histogram pass, the number of vectors to
    /// clear.
    pub round: u32,
    /// Digit or digits to sort by.
    pub by: SplitBy,
}

impl SortPasses<'_> {
    /// Starts a pass with its kernel and constants. The caller binds the buffers.
    pub fn pass(
        &mut self,
        label: &str,
        kernels: Kernels,
        work: &Work,
        constants: &[(&str, u32)],
    ) -> Result<PassBuilder<'_>> {
        let wide = usize::from(self.sort.key.bits() == 64);
        let kernel = kernels[wide].kernel()?;
        let push = SplitPush {
            count: self.prepared.pushed(self.n),
            buckets: BUCKETS,
            ids: BUCKETS,
            part_shift: 0,
            subproblems: self.prepared.pushed(work.subproblems),
            parts: work.parts,
            round: work.round,
        };
        let indices = matches!(self.buffers.values, SortValues::Indices(_));
        let cost = LookBackCost::of_buckets(BUCKETS, self.shape, 1, 1);
        let spins = self.policy.ticket_spins(cost);
        let common = [
            ("local_size_x", self.shape.threads),
            ("SUBGROUP_SIZE", self.policy.facts.subgroup_size),
            ("BUCKET_BITS", super::DIGIT_BITS),
            ("KEY_KIND", self.sort.key.kind()),
            ("ITEMS", self.shape.items),
            ("SPIN_LIMIT", spins),
            ("TILES_AT_A_TIME", self.policy.look_back_tiles),
            ("VALUE_WORDS", self.buffers.values.bytes().unwrap_or(4) / 4),
            ("COUNTED_VALUES", u32::from(indices)),
            ("RANKING", u32::from(self.policy.split.ranking.is_by_lane_order())),
            ("REVERSED_LANES", u32::from(self.policy.split.ranking.is_reversed())),
            ("CANARY_PERIOD", self.policy.split.canary_period),
            ("TURNS", self.shape.turns),
            // Registers limit the size of tiles, so values are loaded late (docs/performance.md).
            ("VALUES_AFTER", ValuesAfter::Ordering as u32),
        ];
        let given = |name: &str| constants.iter().any(|(other, _)| *other == name);
        let status = order_status(self.graph, self.policy, &kernel);
        let mut pass = push.push(self.graph.own_pass(label, &kernel), work.by);
        if let Some((name, word)) = status {
            pass = pass.bind(name, word);
        }
        let all: Vec<_> =
            common.iter().filter(|(name, _)| !given(name)).chain(constants).copied().collect();
        Ok(specialize(pass, &kernel, &all))
    }

    /// Kind and parameters of the bucket function of one round.
    pub fn digit(&self, shift: u32, bits: u32) -> Result<(u32, BucketWords)> {
        let sort = self.sort;
        let code =
            BucketCode::ordered_digit(self.policy, sort.key, (shift, bits), sort.descending)?;
        Ok((code.kind(), code.words()))
    }

    /// Parameters of all digits, for `digits.glsl`.
    pub fn all_digits(&self) -> SplitBy {
        let bits = self.sort.bits();
        let (first_bit, bit_count) = (bits.start, bits.end - bits.start);
        SplitBy::Digits { first_bit, bit_count, descending: self.sort.descending }
    }

    /// Returns the halves. Declares transient buffers for the second half unless the caller provides one.
    pub fn halves(&mut self) -> Halves {
        let n = self.n.max;
        let key_bytes = u64::from(self.sort.key.bytes());
        let other = match self.buffers.place {
            super::SortPlace::DoubleBuffer { keys, values, .. } => Some((keys, values)),
            super::SortPlace::InPlace => None,
        };
        let other_keys = match other {
            Some((keys, _)) => keys,
            None => self.graph.transient_bytes("sort.keys", n * key_bytes),
        };
        let values = self.buffers.values.buffer().map(|(values, bytes)| {
            let other_values = match other {
                Some((_, Some(values))) => values,
                _ => self.graph.transient_bytes("sort.values", n * u64::from(bytes)),
            };
            [values, other_values]
        });
        Halves { packed: None, packing: None, keys: [self.buffers.keys, other_keys], values }
    }
}

/// Binds the half that a round reads, and the half that it writes.
pub(super) fn bind_halves<'g>(
    pass: PassBuilder<'g>,
    job: (&KeyedSort, SortValues, u64),
    halves: &Halves,
    round: u32,
) -> PassBuilder<'g> {
    let (sort, values, n) = job;
    let (from, to) = (round as usize % 2, (round as usize + 1) % 2);
    let key_bytes = n * u64::from(sort.key.bytes());
    let read_keys = match halves.packed.filter(|_| round == 0) {
        Some(packed) => packed.view(n),
        None => halves.keys[from].range(0, key_bytes),
    };
    let written_keys = match halves.packed.filter(|_| halves.packing == Some(round)) {
        Some(packed) => packed.view(n),
        None => halves.keys[to].range(0, key_bytes),
    };
    let pass = pass.bind("keys", read_keys).bind("keys_out", written_keys);
    match (halves.values, values.bytes()) {
        (Some(both), Some(bytes)) => {
            let size = n * u64::from(bytes);
            // The first round generates the indices. It binds the keys as a placeholder, because the indices
            // may be uninitialized.
            let counted = round == 0 && matches!(values, SortValues::Indices(_));
            let read = if counted { read_keys } else { both[from].range(0, size) };
            pass.bind("values", read).bind("values_out", both[to].range(0, size))
        }
        _ => pass,
    }
}
