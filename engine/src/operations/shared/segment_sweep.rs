//! Sweeps over segmented elements: one pass over all tiles. Each tile needs the aggregate of the preceding tiles,
//! back to the start of the segment. The pass finds it by look-back, or two preceding passes compute it for all
//! tiles.

use multisplit_graph::{Buffer, ElementType, Graph, Groups, PassBuilder, View};
use multisplit_shaders::builtin::Builtin;
use multisplit_shaders::builtin::variants::{SCAN_OPEN_SPINE, SCAN_OPEN_TOTALS};
use multisplit_shaders::push_constants;

use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::ScanMethod;
use crate::operations::shared::checks::{check_element, check_size};
use crate::operations::shared::count::{Length, Lengths, Prepared};
use crate::operations::shared::declare::{Constants, check_limit, first_elements};
use crate::operations::shared::look_back::{LookBack, LookBackCost, TileStatus};
use crate::operations::shared::pieces::WORD;
use crate::operations::shared::terms::Terms;
use crate::operations::shared::tiles::{ROW_BYTES, tile_elements};
use crate::policy::Policy;

push_constants! {
    /// Push constants of the kernels that process segmented tiles. Must match `heads.glsl`.
    struct SweepPush {
        count: u32,
    }
}

push_constants! {
    struct SpinePush {
        tiles: u32,
    }
}

/// Size of a tile aggregate in bytes.
const AGGREGATE_BYTES: u64 = 16;
/// Number of tile aggregates that a thread of the spine (the single-workgroup scan of the aggregates) loads per
/// iteration. Must match the kernel.
const SPINE_TILES: u64 = 4;
/// Maximum number of iterations of the spine's outer loop. Software drivers end all loops of an invocation after
/// 65,535 iterations in total, including those of inner loops.
const MAX_SPINE_ROUNDS: u64 = 8192;

/// Specifies the head (first element) of each segment.
#[derive(Clone, Copy, Debug)]
pub(in crate::operations) enum Heads {
    /// Elements whose flag is not zero are heads.
    Flags(Buffer),
    /// Elements whose key differs from the preceding key are heads.
    Keys(Buffer, KeyType),
}

impl Heads {
    /// Heads from keys: each run of equal keys is a segment.
    pub fn of_keys(keys: Buffer) -> Result<Self> {
        Ok(Self::Keys(keys, KeyType::wide_of("keys", keys)?))
    }

    /// Checks that the array of keys or flags has the right type, and at least `n` elements.
    pub fn check(self, operation: &str, n: u64) -> Result<()> {
        let (buffer, bytes, name) = match self {
            Self::Flags(flags) => {
                check_element("heads", flags, ElementType::U32)?;
                (flags, WORD, "heads")
            }
            Self::Keys(keys, key) => (keys, key.bytes().into(), "keys"),
        };
        check_size(&format!("{operation}.{name}"), buffer, n.saturating_mul(bytes))
    }

    /// The array of flags or keys, and its bytes per element.
    fn array(self) -> (Buffer, u64) {
        match self {
            Self::Flags(flags) => (flags, WORD),
            Self::Keys(keys, key) => (keys, key.bytes().into()),
        }
    }

    /// Value of the specialization constant HEADS; must match `heads.glsl`.
    fn constant(self) -> u32 {
        match self {
            Self::Flags(_) => 0,
            Self::Keys(_, key) => key.bits() / 32,
        }
    }
}

/// Parameters of one sweep.
pub(in crate::operations) struct SegmentSweep<'j> {
    pub policy: &'j Policy,
    /// Prefix of the pass labels.
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
    /// View of the first n values of a buffer. The passes do not access any others.
    pub fn view(&self, buffer: Buffer, bytes: u64) -> Result<View> {
        first_elements(buffer, self.n.max, bytes, self.policy)
    }

    /// Adds the passes. `outputs` binds the output buffers of the last pass.
    pub fn add(
        &self,
        graph: &mut Graph,
        mut lengths: Lengths,
        outputs: impl for<'g> FnOnce(PassBuilder<'g>) -> Result<PassBuilder<'g>>,
    ) -> Result<()> {
        let threads = self.threads;
        let of_threads = Policy { threads, ..*self.policy };
        let look_back = self.look_back(&of_threads);
        let kernels = if look_back.is_some() { self.lookback } else { self.downsweep };
        // At least one tile, so that an empty input still writes its results.
        let tiles = lengths
            .at_least_one_part(self.n, tile_elements(kernels[self.terms.variant], &of_threads))?;
        let label = |what| format!("{}.{what}", self.name);
        if let Some(settings) = look_back {
            let words = AGGREGATE_BYTES / WORD;
            let status = TileStatus::plan(self.policy, &mut lengths, tiles, words, true)?;
            let prepared = lengths.prepare(graph, self.policy, &label("prepare"))?;
            let constants = [&settings.constants()[..], &[status.constant()]].concat();
            let status = status.add(graph, self.policy, prepared, self.name)?;
            let pass = self.pass(graph, prepared, self.lookback, (threads, &constants))?;
            prepared.dispatch(outputs(pass.bind("status", status))?, tiles);
            return Ok(());
        }
        let max_tiles = SPINE_TILES * u64::from(self.policy.spine_threads) * MAX_SPINE_ROUNDS;
        check_limit(
            "number of tiles of a scan or reduction by key (elements divided by the tile size)",
            tiles.max,
            max_tiles,
        )?;
        let prepared = lengths.prepare(graph, self.policy, &label("prepare"))?;
        let totals = graph.transient::<[u32; 4]>(label("totals"), tiles.max);
        let before = graph.transient::<[u32; 4]>(label("before"), tiles.max);
        let pass = self.pass(graph, prepared, &SCAN_OPEN_TOTALS, (threads, &[]))?;
        prepared.dispatch(pass.bind("totals", totals), tiles);
        self.spine(graph, prepared, tiles, (totals, before))?;
        let pass = self.pass(graph, prepared, self.downsweep, (threads, &[]))?;
        prepared.dispatch(outputs(pass.bind("before_tiles", before))?, tiles);
        Ok(())
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
        let rows = tile.div_ceil(u64::from(lanes) * ROW_BYTES / self.terms.bytes);
        let cost = LookBackCost { fixed: 0, poll: combine, recompute: rows * combine };
        self.policy.look_back(self.n.max.div_ceil(tile), cost)
    }

    /// Adds the pass of a single workgroup that computes, from the aggregates of all tiles, the aggregate that precedes
    /// each tile.
    fn spine(
        &self,
        graph: &mut Graph,
        prepared: Prepared,
        tiles: Length,
        (totals, before): (Buffer, Buffer),
    ) -> Result<()> {
        let threads = [("local_size_x", self.policy.spine_threads)];
        let pass = self
            .terms
            .pass(graph, &SCAN_OPEN_SPINE, &threads)?
            .bind("totals", totals)
            .bind("before", before)
            .push(&SpinePush { tiles: prepared.pushed(tiles) });
        prepared.bind(pass, totals.into()).dispatch(Groups::linear(1));
        Ok(())
    }

    /// Starts a pass with one workgroup per tile. The caller dispatches it.
    fn pass<'g>(
        &self,
        graph: &'g mut Graph,
        prepared: Prepared,
        kernels: &[&'static Builtin],
        (threads, constants): (u32, &Constants<'_>),
    ) -> Result<PassBuilder<'g>> {
        let (keys, bytes) = self.heads.array();
        let src = self.view(self.src, self.terms.bytes)?;
        let common = [("local_size_x", threads), ("HEADS", self.heads.constant())];
        let pass = self
            .terms
            .pass(graph, kernels, &[&common[..], constants].concat())?
            .bind("src", src)
            .bind("keys", self.view(keys, bytes)?)
            .push(&SweepPush { count: prepared.pushed(self.n) });
        Ok(prepared.bind(pass, src))
    }
}
