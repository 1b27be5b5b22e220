//! Sweeps over segmented elements: one pass over all tiles. Each tile needs the aggregate of the preceding tiles, back
//! to the start of the segment. The pass finds it by look-back, or two preceding passes compute it for all tiles.

use multisplit_graph::{Buffer, ElementType, Graph, Groups, PassBuilder, View};
use multisplit_shaders::builtin::variants::{SCAN_OPEN_SPINE, SCAN_OPEN_TOTALS};
use multisplit_shaders::builtin::{Builtin, SCAN_SEGMENTS_HEADS};

use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::ScanMethod;
use crate::operations::shared::{
    Constants, Count, ELEMENTS_PER_THREAD, LOAD_BYTES, Length, Lengths, LookBack, LookBackCost,
    Prepared, Terms, TileStatus, WORD, builtin_pass, check_element, check_limit, check_rows,
    check_size, fill, first_elements, push_words, tile_elements,
};
use crate::policy::Policy;

/// Size of a tile aggregate in bytes.
const AGGREGATE_BYTES: u64 = 16;
/// Number of tile aggregates that a thread of the spine (the single-workgroup scan of the aggregates) loads per
/// iteration. Must match the kernel.
const SPINE_TILES: u64 = 4;
/// Maximum number of iterations of the spine's outer loop. Software drivers end all loops of an invocation after
/// 65,535 iterations in total, including those of inner loops.
const MAX_SPINE_ROUNDS: u64 = 8192;

/// Values of the specialization constant HEADS, in addition to those of keys; must match `heads.glsl`.
const FLAGS: u32 = 0;
const EQUAL_ROWS: u32 = 3;
const BITS: u32 = 4;
/// Number of elements per word of head bits.
const BITS_PER_WORD: u64 = 32;

/// Specifies the head (first element) of each segment. Element 0 is always a head.
#[derive(Clone, Copy, Debug)]
pub enum Heads {
    /// Elements whose flag is not zero are heads.
    Flags(Buffer),
    /// Elements whose key differs from the preceding key are heads.
    Keys(Buffer, KeyType),
    /// The first element of each row of this many elements is a head.
    Rows(u64),
    /// Elements at offsets are heads. There is one offset more than this number of segments. Offsets may have any
    /// value.
    Offsets(Buffer, Count),
}

impl Heads {
    /// Heads from keys: each run of equal keys is a segment.
    pub fn of_keys(keys: Buffer) -> Result<Self> {
        Ok(Self::Keys(keys, KeyType::wide_of("keys", keys)?))
    }

    /// Checks the types and sizes of the arrays of heads of `n` elements, and the row length.
    pub fn check(self, operation: &str, n: u64) -> Result<()> {
        let (buffer, len, bytes, name) = match self {
            Self::Flags(flags) => {
                check_element("heads", flags, ElementType::U32)?;
                (flags, n, WORD, "heads")
            }
            Self::Keys(keys, key) => (keys, n, key.bytes().into(), "keys"),
            Self::Rows(length) => return check_rows(n, length),
            Self::Offsets(offsets, segments) => {
                check_element("offsets", offsets, ElementType::U32)?;
                check_limit("number of segments", segments.max(), u32::MAX - 1)?;
                (offsets, segments.max() + 1, WORD, "offsets")
            }
        };
        check_size(&format!("{operation}.{name}"), buffer, len.saturating_mul(bytes))
    }
}

/// Parameters of one sweep.
pub struct SegmentSweep<'j> {
    pub policy: &'j Policy,
    /// Prefix of the labels of buffers and auxiliary passes (prepare, clear).
    pub name: &'static str,
    pub n: Length,
    pub terms: Terms<'j>,
    pub src: Buffer,
    pub heads: Heads,
    /// Kernel for each kind of term, if the aggregates of preceding tiles are read from a buffer.
    pub downsweep: &'j [&'static Builtin],
    /// Kernel for each kind of term, if the aggregates are found by look-back. Not used for terms whose result
    /// depends on the order of combination.
    pub lookback: &'j [&'static Builtin],
    /// Workgroup size of these kernels.
    pub threads: u32,
}

impl SegmentSweep<'_> {
    /// View of the first n values of a buffer. The passes do not access values past these.
    pub fn view(&self, buffer: Buffer, bytes: u64) -> Result<View> {
        first_elements(buffer, self.n.max, bytes, self.policy)
    }

    /// Adds the passes. `outputs` binds the output buffers of the last pass.
    pub fn add(
        &self,
        graph: &mut Graph,
        mut lengths: Lengths,
        outputs: impl for<'g> FnOnce(PassBuilder<'g>) -> PassBuilder<'g>,
    ) -> Result<()> {
        let threads = self.threads;
        let of_threads = Policy { threads, ..*self.policy };
        let look_back = self.look_back(&of_threads);
        let kernels = if look_back.is_some() { self.lookback } else { self.downsweep };
        // At least one tile, so that an empty input still writes its results.
        let tiles = lengths
            .at_least_one_part(self.n, tile_elements(kernels[self.terms.variant], &of_threads))?;
        let src = self.view(self.src, self.terms.bytes)?;
        if let Some(settings) = look_back {
            let words = AGGREGATE_BYTES / WORD;
            let status = TileStatus::plan(self.policy, &mut lengths, tiles, words, true)?;
            let passes = self.passes(graph, lengths, src)?;
            let constants = [&settings.constants()[..], &[status.constant()]].concat();
            let status = status.add(graph, self.policy, passes.prepared, self.name)?;
            let pass = passes.pass(graph, self.lookback, (threads, &constants))?;
            passes.prepared.dispatch(outputs(pass.bind("status", status)), tiles);
            return Ok(());
        }
        let max_tiles = SPINE_TILES * u64::from(self.policy.spine_threads) * MAX_SPINE_ROUNDS;
        check_limit(
            "number of tiles of a segmented scan or a reduction by key (elements divided by the tile size)",
            tiles.max,
            max_tiles,
        )?;
        let passes = self.passes(graph, lengths, src)?;
        let totals = graph.transient::<[u32; 4]>(self.label("totals"), tiles.max);
        let before = graph.transient::<[u32; 4]>(self.label("before"), tiles.max);
        let pass = passes.pass(graph, &SCAN_OPEN_TOTALS, (threads, &[]))?;
        passes.prepared.dispatch(pass.bind("totals", totals), tiles);
        passes.spine(graph, tiles, (totals, before))?;
        let pass = passes.pass(graph, self.downsweep, (threads, &[]))?;
        passes.prepared.dispatch(outputs(pass.bind("before_tiles", before)), tiles);
        Ok(())
    }

    fn label(&self, what: &str) -> String {
        format!("{}.{what}", self.name)
    }

    /// Adds the passes that compute the counts and, for offsets, the head bits.
    fn passes(&self, graph: &mut Graph, lengths: Lengths, src: View) -> Result<SweepPasses<'_>> {
        let prepared = lengths.prepare(graph, self.policy, &self.label("prepare"))?;
        let (form, row_length, heads) = match self.heads {
            Heads::Flags(flags) => (FLAGS, 0, self.view(flags, WORD)?),
            Heads::Keys(keys, key) => (key.bits() / 32, 0, self.view(keys, key.bytes().into())?),
            // The kernels declare the binding of the keys, but do not read it. The length divides the number of
            // elements, which fits in 32 bits.
            Heads::Rows(length) => (EQUAL_ROWS, length as u32, src),
            Heads::Offsets(offsets, segments) => {
                (BITS, 0, self.head_bits(graph, offsets, segments)?.into())
            }
        };
        Ok(SweepPasses { sweep: self, prepared, src, form, row_length, heads })
    }

    /// Adds the passes that set the bit of each element at an offset.
    fn head_bits(&self, graph: &mut Graph, offsets: Buffer, segments: Count) -> Result<Buffer> {
        let (policy, elements) = (self.policy, self.n.max);
        let words = elements.div_ceil(BITS_PER_WORD);
        let bits = graph.transient::<u32>(self.label("heads"), words);
        fill(graph, policy, &self.label("clear"), bits, 0)?;
        let offsets = first_elements(offsets, segments.max() + 1, WORD, policy)?;
        let (mut lengths, segments) = Lengths::new(segments)?;
        let count = lengths.scaled(segments, 1, 1)?;
        let groups = lengths.parts(count, ELEMENTS_PER_THREAD * u64::from(policy.threads))?;
        let prepared = lengths.prepare(graph, policy, &self.label("prepare"))?;
        let threads = [("local_size_x", policy.threads)];
        let pass = builtin_pass(graph, &SCAN_SEGMENTS_HEADS, &threads)?
            .bind("offsets", offsets)
            .bind("heads", bits)
            // The array fits one binding, so its elements have 32-bit indices.
            .push(&push_words! { count: prepared.pushed(count), elements: elements as u32 });
        prepared.dispatch(prepared.bind(pass, offsets), groups);
        Ok(bits)
    }

    /// Look-back settings. `None` if the policy selects another method, if the result depends on the order of
    /// combination (which varies between runs), or if the device's loop limit is too low.
    fn look_back(&self, of_threads: &Policy) -> Option<LookBack> {
        let method = self.policy.scan.for_length(self.n.max);
        if self.terms.depend_on_order() || method != ScanMethod::LookBack {
            return None;
        }
        let tile = tile_elements(self.lookback[self.terms.variant], of_threads);
        let lanes = self.policy.facts.subgroup_size;
        // The terms of a subgroup's lanes are combined in a loop of log2(subgroup size) iterations.
        let combine = 1 + u64::from(lanes.ilog2());
        let rows = tile.div_ceil(u64::from(lanes) * LOAD_BYTES / self.terms.bytes);
        let cost = LookBackCost { fixed: 0, poll: combine, recompute: rows * combine };
        self.policy.look_back(self.n.max.div_ceil(tile), cost)
    }
}

/// A sweep whose counts and heads are available.
struct SweepPasses<'s> {
    sweep: &'s SegmentSweep<'s>,
    prepared: Prepared,
    src: View,
    /// Value of HEADS.
    form: u32,
    row_length: u32,
    /// The flags, keys or bits.
    heads: View,
}

impl SweepPasses<'_> {
    /// Adds the pass of a single workgroup that computes, from the aggregates of all tiles, the aggregate that precedes
    /// each tile.
    fn spine(
        &self,
        graph: &mut Graph,
        tiles: Length,
        (totals, before): (Buffer, Buffer),
    ) -> Result<()> {
        let Self { sweep, prepared, .. } = *self;
        let threads = [("local_size_x", sweep.policy.spine_threads)];
        let pass = sweep
            .terms
            .pass(graph, &SCAN_OPEN_SPINE, &threads)?
            .bind("totals", totals)
            .bind("before", before)
            .push(&push_words! { tiles: prepared.pushed(tiles) });
        prepared.bind(pass, totals.into()).dispatch(Groups::linear(1));
        Ok(())
    }

    /// Starts a pass with one workgroup per tile. The caller dispatches it.
    fn pass<'g>(
        &self,
        graph: &'g mut Graph,
        kernels: &[&'static Builtin],
        (threads, constants): (u32, &Constants<'_>),
    ) -> Result<PassBuilder<'g>> {
        let Self { sweep, prepared, src, .. } = *self;
        let common = [("local_size_x", threads), ("HEADS", self.form)];
        let push = push_words! { count: prepared.pushed(sweep.n), row_length: self.row_length };
        let pass = sweep
            .terms
            .pass(graph, kernels, &[&common[..], constants].concat())?
            .bind("src", src)
            .bind("keys", self.heads)
            .push(&push);
        Ok(prepared.bind(pass, src))
    }
}
