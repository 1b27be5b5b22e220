//! Parameters of the passes of one split, shared by all methods.

use std::sync::Arc;

use multisplit_graph::{Buffer, Graph, PassBuilder, View};
use multisplit_shaders::Kernel;
use multisplit_shaders::builtin::Builtin;

use super::bucket_code::{BucketCode, TABLE};
use super::buffers::{SplitBuffers, SplitOutput, SplitSizes};
use super::description::Split;
use super::method::bucket_bits;
use super::push::SplitPush;
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::execute::executable::LANE_ORDER_STATUS;
use crate::operations::shared::{
    Constants, Length, Lengths, LookBackCost, Prepared, edge_table, start_pass,
};
use crate::policy::Policy;
use crate::policy::tile::TileShape;

/// A bucket function whose table has been declared in a graph.
#[derive(Clone, Copy)]
pub(super) struct Function<'j> {
    pub code: &'j BucketCode,
    /// The splitters, or the table of a user's function.
    table: Option<Buffer>,
    /// Number of bucket ids. In a split with two rounds, this exceeds the number of buckets of a round.
    pub ids: u32,
}

impl<'j> Function<'j> {
    /// Declares the table, if the function has one.
    pub fn declare(graph: &mut Graph, code: &'j BucketCode, split: &Split) -> Result<Self> {
        let table = match &code.table {
            Some(table) => Some(edge_table(graph, TABLE, &table.words, split.settable)?),
            None => code.user_table(graph),
        };
        Ok(Self { code, table, ids: split.buckets })
    }

    /// Values of the constants ID_BITS and CELLS. Only functions with splitters depend on them. All other functions
    /// use the same values, so that they share pipelines.
    fn id_bits_and_cells(&self) -> (u32, u32) {
        const ANY: (u32, u32) = (8, 1);
        self.code.table.as_ref().map_or(ANY, |table| (bucket_bits(self.ids), table.cells))
    }
}

/// Buffer for the number of keys out of range. If the caller did not request this number, the kernels do not count
/// these keys, and the buffer is scratch memory.
#[derive(Clone, Copy)]
pub(super) struct OutOfRange {
    buffer: Buffer,
    counted: bool,
}

impl OutOfRange {
    pub fn new(requested: Option<Buffer>, otherwise: impl FnOnce() -> Buffer) -> Self {
        Self { buffer: requested.unwrap_or_else(otherwise), counted: requested.is_some() }
    }

    pub fn bind(self, pass: PassBuilder<'_>) -> PassBuilder<'_> {
        match self.counted {
            true => pass.bind("out_of_range", self.buffer),
            false => pass.scratch("out_of_range", self.buffer),
        }
    }
}

/// Parameters of the passes of one split, shared by all methods.
pub(super) struct SplitPasses<'j> {
    pub graph: &'j mut Graph,
    pub policy: &'j Policy,
    pub split: &'j Split,
    pub buffers: &'j SplitBuffers,
    pub function: Function<'j>,
    /// Index of the lowest bucket-id bit by which this round splits. `None` if it splits by the whole id.
    pub part_shift: Option<u32>,
    pub sizes: SplitSizes,
    /// Number of subproblems that a prescan workgroup counts side by side, if more than one.
    pub side_by_side: Option<u32>,
    pub out_of_range: OutOfRange,
    pub n: Length,
    /// Records (number and dispatch arguments) of `n` and of the lengths derived from it; none for a host count. Set
    /// by [`SplitPasses::prepare`].
    pub prepared: Prepared,
}

/// The kernels of one pass: for 32-bit and for 64-bit keys.
pub(in crate::operations) type Kernels = [&'static Builtin; 2];

impl<'j> SplitPasses<'j> {
    pub fn new(
        graph: &'j mut Graph,
        policy: &'j Policy,
        split: &'j Split,
        buffers: &'j SplitBuffers,
        function: Function<'j>,
        sizes: SplitSizes,
    ) -> Self {
        let uncounted = || graph.transient::<u32>("multisplit.out_of_range", 1);
        let out_of_range = OutOfRange::new(buffers.out_of_range, uncounted);
        let (n, prepared) = (Length::known(buffers.n.max()), Prepared::default());
        Self {
            graph,
            policy,
            split,
            buffers,
            function,
            part_shift: None,
            sizes,
            side_by_side: None,
            out_of_range,
            n,
            prepared,
        }
    }

    /// Parameters for a split of other buffers by the same function.
    pub fn with<'k>(
        &'k mut self,
        split: &'k Split,
        buffers: &'k SplitBuffers,
        sizes: SplitSizes,
    ) -> SplitPasses<'k> {
        SplitPasses::new(self.graph, self.policy, split, buffers, self.function, sizes)
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
        self.prepared = lengths.prepare(self.graph, self.policy, "multisplit.prepare")?;
        Ok(derived)
    }

    /// Starts a pass with the bindings and constants that the kernels of all methods share.
    pub fn pass(
        &mut self,
        label: &str,
        kernels: Kernels,
        subproblems: Length,
        parts: u64,
    ) -> Result<PassBuilder<'_>> {
        self.pass_of(label, kernels, self.sizes.threads, subproblems, parts)
    }

    /// Like [`pass`](Self::pass), with workgroups of `threads` threads.
    pub fn pass_of(
        &mut self,
        label: &str,
        kernels: Kernels,
        threads: u32,
        subproblems: Length,
        parts: u64,
    ) -> Result<PassBuilder<'_>> {
        let wide = usize::from(self.split.key.bits() == 64);
        let (kernel, by) = self.function.code.kernel(kernels[wide], self.split.key)?;
        let keys = self.buffers.keys.range(0, self.n.max * u64::from(self.split.key.bytes()));
        let table = self.function.table.map_or(keys, View::from);
        let push = SplitPush {
            count: self.prepared.pushed(self.n),
            buckets: self.split.buckets,
            ids: self.function.ids,
            part_shift: self.part_shift.unwrap_or(0),
            subproblems: self.prepared.pushed(subproblems),
            parts: parts as u32,
            round: 0,
        };
        let bits = bucket_bits(self.split.buckets);
        let (id_bits, cells) = self.function.id_bits_and_cells();
        // VALUES_AFTER has no effect in kernels for more than 256 buckets, so they use the last entry.
        let values_after = &self.policy.split.values_after;
        let values_after = values_after[values_after.len().min(bits as usize) - 1];
        // Recomputing a key takes at most 10 iterations, including a binary search among 2^8 splitters.
        let shape = TileShape::new(threads, self.sizes.items).in_turns(self.sizes.turns);
        let ranking = ranking_constants(self.policy, self.split.key, bits, shape, 10);
        let constants = [
            ("BUCKET_KIND", self.function.code.kind),
            ("ID_BITS", id_bits),
            ("CELLS", cells),
            ("BY_PART", u32::from(self.part_shift.is_some())),
            ("VALUES_AFTER", values_after as u32),
            ("COUNT_BY_ATOMICS", u32::from(self.sizes.count_by_atomics)),
            ("COUNTER_COPIES", self.sizes.counter_copies),
            ("VALUE_WORDS", self.buffers.output.value_bytes().unwrap_or(4) / 4),
            ("SUBPROBLEM", self.side_by_side.map_or(0, |_| self.sizes.keys_of_block_subproblem())),
            ("SIDE_BY_SIDE", self.side_by_side.unwrap_or(1)),
            ("COUNT_OUT_OF_RANGE", u32::from(self.buffers.out_of_range.is_some())),
        ];
        let constants = [&ranking[..], &constants].concat();
        let pass = ranking_pass(self.graph, self.policy, label, &kernel, &constants);
        let mut pass = push.push(self.prepared.bind(pass, keys), by);
        for (name, view) in [("keys", keys), ("table", table)] {
            if kernel.interface().binding(name).is_some() {
                pass = pass.bind(name, view);
            }
        }
        Ok(pass)
    }
}

/// Starts a pass with these constants. If its kernel ranks keys, binds the status word that the kernel sets when it
/// detects a violation of lane order.
pub(in crate::operations) fn ranking_pass<'g>(
    graph: &'g mut Graph,
    policy: &Policy,
    label: &str,
    kernel: &Arc<Kernel>,
    constants: &Constants<'_>,
) -> PassBuilder<'g> {
    const BINDING: &str = "lane_order";
    if kernel.interface().binding(BINDING).is_none() {
        return start_pass(graph, label, kernel, constants);
    }
    // The kernel never sets the word if it ranks by ballots, but the binding must be valid.
    let by_lane_order = policy.split.ranking.is_by_lane_order();
    let name = if by_lane_order { LANE_ORDER_STATUS } else { "multisplit.no_status" };
    let word = graph.status_word(name);
    start_pass(graph, label, kernel, constants).bind(BINDING, word)
}

/// Specialization constants of all kernels that rank keys, in splits and sorts. Recomputing a missing tile takes
/// `item_rounds` loop iterations per key.
pub(in crate::operations) fn ranking_constants(
    policy: &Policy,
    key: KeyType,
    bucket_bits: u32,
    shape: TileShape,
    item_rounds: u64,
) -> [(&'static str, u32); 11] {
    let cost = LookBackCost::of_buckets(1 << bucket_bits.min(8), shape, item_rounds, 1);
    let (ranking, canary_period) = (policy.split.ranking, policy.split.canary_period);
    [
        ("local_size_x", shape.threads),
        ("SUBGROUP_SIZE", policy.facts.subgroup_size),
        ("BUCKET_BITS", bucket_bits),
        ("KEY_KIND", key.kind()),
        ("ITEMS", shape.items),
        ("TURNS", shape.turns),
        ("SPIN_LIMIT", policy.ticket_spins(cost)),
        ("TILES_AT_A_TIME", policy.look_back_tiles),
        ("RANKING", ranking.is_by_lane_order().into()),
        ("REVERSED_LANES", ranking.is_reversed().into()),
        ("CANARY_PERIOD", canary_period),
    ]
}

/// Selects the variant of a kernel that moves elements.
pub(super) fn variant(output: &SplitOutput, [keys, pairs, permutation]: [Kernels; 3]) -> Kernels {
    match output {
        SplitOutput::Keys(_) => keys,
        SplitOutput::Pairs { .. } => pairs,
        SplitOutput::Permutation(_) => permutation,
    }
}

/// Binds the bucket offsets and the output elements.
pub(super) fn bind_output<'g>(
    pass: PassBuilder<'g>,
    split: &Split,
    buffers: &SplitBuffers,
) -> PassBuilder<'g> {
    bind_elements(pass.bind("offsets", buffers.offsets_of(split.buckets)), split, buffers)
}

/// Binds the output elements, for kernels that do not write offsets.
pub(super) fn bind_elements<'g>(
    pass: PassBuilder<'g>,
    split: &Split,
    buffers: &SplitBuffers,
) -> PassBuilder<'g> {
    let n = buffers.n.max();
    let key_bytes = u64::from(split.key.bytes());
    match buffers.output {
        SplitOutput::Keys(keys) => pass.bind("keys_out", keys.range(0, n * key_bytes)),
        SplitOutput::Permutation(words) => pass.bind("permutation", words.elements::<u32>(0, n)),
        SplitOutput::Pairs { keys, values_in, values, value_bytes } => {
            let size = n * u64::from(value_bytes);
            pass.bind("keys_out", keys.range(0, n * key_bytes))
                .bind("values", values_in.range(0, size))
                .bind("values_out", values.range(0, size))
        }
    }
}
