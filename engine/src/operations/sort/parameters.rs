//! Code that the sort methods share: tile shapes, kernel variants, push constants, and specialization constants.

use multisplit_graph::{Buffer, Graph, PassBuilder, View};

use super::description::{DIGIT_BITS, KeyedSort, SortBuffers, SortValues};
use super::sizes::UpTo;
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::shared::{Constants, Length, Lengths, Prepared};
use crate::operations::split::{
    Bucket, BucketCode, BucketWords, Kernels, Split, SplitBy, SplitPush, ranking_constants,
    ranking_pass,
};
use crate::policy::Policy;
use crate::policy::method::ValuesAfter;
use crate::policy::tile::TileShape;

/// Number of buckets per round.
pub(super) const BUCKETS: u32 = 1 << DIGIT_BITS;

impl Policy {
    /// Tile shape of a one-sweep sort. Depends on the key size, the values, and the number of elements.
    pub(super) fn sort_tile(&self, key: KeyType, buffers: &SortBuffers) -> TileShape {
        let all: &[UpTo] = match (key.bits(), buffers.values) {
            (64, _) => &self.sort.wide_keys,
            (_, SortValues::None) => &self.sort.keys,
            _ => &self.sort.pairs,
        };
        let suited = all.iter().find(|(max, _)| buffers.n.max() <= *max).map(|(_, shape)| *shape);
        let shape = suited.unwrap_or(TileShape::new(self.threads, 4));
        self.fit_tile(shape, DIGIT_BITS, key.bytes(), |_| 0)
    }

    /// Tile shape of the single-workgroup sort.
    pub(super) fn small_sort_tile(&self, key: KeyType) -> TileShape {
        self.fit_tile(self.sort.small, DIGIT_BITS, key.bytes(), |_| 0)
    }
}

/// Selects the kernel variant: for keys, or for pairs of keys and values.
pub(super) fn variant(values: SortValues, [keys, pairs]: [Kernels; 2]) -> Kernels {
    if values.is_none() { keys } else { pairs }
}

/// An array of 8-bit or 16-bit keys, packed several to a word. The first round reads it directly. Later rounds use
/// one word per key; the last round may write packed keys again.
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

    /// Whether the last of `rounds` rounds writes packed keys. It does so for 16-bit keys if the number of rounds is
    /// even: the result then belongs in the array that the first round read.
    pub fn packs_last(self, rounds: u32) -> bool {
        self.key.bits() == 16 && rounds > 0 && rounds.is_multiple_of(2)
    }

    /// Specialization constants for packed keys; all zero if keys are not packed.
    pub fn constants(packed: Option<Self>) -> [(&'static str, u32); 2] {
        let (bits, kind) = packed.map_or((0, 0), |packed| (packed.key.bits(), packed.key.kind()));
        [("NARROW_BITS", bits), ("NARROW_KIND", kind)]
    }
}

/// The two sets of buffers (halves) between which the rounds move the elements.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    /// Packed keys that the first round reads instead of the first half.
    pub packed: Option<Packed>,
    /// Index of the round that writes packed keys instead of words, if any.
    pub packing: Option<u32>,
    pub keys: [Buffer; 2],
    pub values: Option<[Buffer; 2]>,
    n: u64,
    /// Size of all keys in bytes.
    key_bytes: u64,
    /// The values that move along with the keys.
    moved: SortValues,
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
    /// Number of workgroups: one per tile or part.
    pub subproblems: Length,
    /// Number of tiles per workgroup. Exception: in a pass that sorts large segments by one digit, the number of
    /// rounds.
    pub parts: u32,
    /// Index of the round. Exceptions: in the sort by a single workgroup, the number of digits; in the histogram pass
    /// of a one-sweep sort, the number of 16-byte vectors of the status buffer to clear.
    pub round: u32,
    /// Digit or digits to sort by.
    pub by: SplitBy,
}

impl<'j> SortPasses<'j> {
    /// Creates the parameters. For a device count, [`prepare`](Self::prepare) must be called next.
    pub fn new(
        graph: &'j mut Graph,
        policy: &'j Policy,
        sort: &'j KeyedSort,
        buffers: &'j SortBuffers,
        shape: TileShape,
    ) -> Self {
        let (n, prepared) = (Length::known(buffers.n.max()), Prepared::default());
        Self { graph, policy, sort, buffers, shape, n, prepared }
    }

    /// Calls `derive`, which computes lengths from the number of elements, and returns its result. For a device count,
    /// adds the pass that computes these lengths on the device. Must be called before the first pass that uses them.
    pub fn prepare<T>(
        &mut self,
        derive: impl FnOnce(&Self, &mut Lengths, Length) -> Result<T>,
    ) -> Result<T> {
        let (mut lengths, n) = Lengths::new(self.buffers.n)?;
        let derived = derive(self, &mut lengths, n)?;
        self.n = n;
        self.prepared = lengths.prepare(self.graph, self.policy, "sort.prepare")?;
        Ok(derived)
    }

    pub fn keys(&self) -> View {
        self.buffers.keys.range(0, self.n.max * u64::from(self.sort.key.bytes()))
    }

    /// Starts a pass with its kernel and constants. The caller binds the buffers.
    pub fn pass(
        &mut self,
        label: &str,
        kernels: Kernels,
        work: &Work,
        constants: &Constants<'_>,
    ) -> Result<PassBuilder<'_>> {
        let kernel = kernels[usize::from(self.sort.key.bits() == 64)].kernel()?;
        let push = SplitPush {
            count: self.prepared.pushed(self.n),
            buckets: BUCKETS,
            ids: BUCKETS,
            part_shift: 0,
            subproblems: self.prepared.pushed(work.subproblems),
            parts: work.parts,
            round: work.round,
        };
        let ranking = ranking_constants(self.policy, self.sort.key, DIGIT_BITS, self.shape, 1);
        let common = [
            ("VALUE_WORDS", self.buffers.values.bytes().unwrap_or(4) / 4),
            ("COUNTED_VALUES", self.buffers.values.are_indices().into()),
            // The size of tiles is limited by registers, so values are loaded late (docs/performance.md).
            ("VALUES_AFTER", ValuesAfter::Ordering as u32),
        ];
        // Constants of the caller override the others.
        let constants = [&ranking[..], &common, constants].concat();
        let pass = ranking_pass(self.graph, self.policy, label, &kernel, &constants);
        Ok(push.push(pass, work.by))
    }

    /// Kind and parameters of the bucket function for one digit.
    pub fn digit(&self, shift: u32, bits: u32) -> Result<(u32, BucketWords)> {
        let bucket = Bucket::OrderedDigit { shift, bits, descending: self.sort.descending };
        let split = Split::new(self.sort.key, 1 << bits, bucket);
        let code = BucketCode::new(self.policy, &split)?;
        Ok((code.kind, code.words))
    }

    /// Parameters for kernels that process all digits (`digits.glsl`).
    pub fn all_digits(&self) -> SplitBy {
        let bits = self.sort.bits();
        let (first_bit, bit_count) = (bits.start, bits.end - bits.start);
        SplitBy::Digits { first_bit, bit_count, descending: self.sort.descending }
    }

    /// Returns the halves. Declares transient buffers for the second half, unless the caller provides them.
    pub fn halves(&mut self) -> Halves {
        let (n, other) = (self.n.max, self.buffers.other);
        let mut scratch = |name: &str, given: Option<Buffer>, bytes: u64| {
            given.unwrap_or_else(|| self.graph.transient_bytes(name, bytes))
        };
        let key_bytes = n * u64::from(self.sort.key.bytes());
        let other_keys = scratch("sort.keys", other.map(|other| other.keys), key_bytes);
        let values = self.buffers.values.buffer().map(|(values, bytes)| {
            let given = other.and_then(|other| other.values);
            [values, scratch("sort.values", given, n * u64::from(bytes))]
        });
        let (keys, moved) = ([self.buffers.keys, other_keys], self.buffers.values);
        Halves { packed: None, packing: None, keys, values, n, key_bytes, moved }
    }
}

impl Halves {
    /// Binds the half that round `round` reads, and the half that it writes.
    pub fn bind<'g>(&self, pass: PassBuilder<'g>, round: u32) -> PassBuilder<'g> {
        let (from, to) = (round as usize % 2, (round as usize + 1) % 2);
        let half = |half: usize, is_packed: bool| match self.packed.filter(|_| is_packed) {
            Some(packed) => packed.view(self.n),
            None => self.keys[half].range(0, self.key_bytes),
        };
        let read_keys = half(from, round == 0);
        let pass = pass.bind("keys", read_keys);
        let pass = pass.bind("keys_out", half(to, self.packing == Some(round)));
        let (Some(both), Some(bytes)) = (self.values, self.moved.bytes()) else { return pass };
        let size = self.n * u64::from(bytes);
        // The first round generates the indices and does not read this binding. The keys are bound instead, because
        // the indices may be uninitialized.
        let generated = round == 0 && self.moved.are_indices();
        let read = if generated { read_keys } else { both[from].range(0, size) };
        pass.bind("values", read).bind("values_out", both[to].range(0, size))
    }
}
