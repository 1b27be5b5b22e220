//! Selects the passes of a scan before they are added to the graph. If the count is on the device, a single preparation
//! pass computes all lengths that an operation derives from the count, including those of its scans.

use multisplit_shaders::builtin::Builtin;
use multisplit_shaders::builtin::variants::{SCAN_LOOKBACK, SCAN_LOOKBACK_SMALL, SCAN_REDUCE};

use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::ScanMethod;
use crate::operations::shared::{
    LOAD_BYTES, Length, Lengths, LookBack, LookBackCost, Operator, Terms, TileStatus, WORD,
    max_single_group_elements, spine_elements, spine_tile, tile_elements,
};
use crate::policy::Policy;

/// Maximum number of tiles for which a single workgroup is preferred to reduce-then-scan.
const SPINE_TILES: u64 = 4;

/// A scan whose passes are selected, but not yet added to a graph.
pub(in crate::operations) struct ScanPlan<'o> {
    pub(super) n: Length,
    pub(super) terms: Terms<'o>,
    pub(super) inclusive: bool,
    pub(super) algorithm: Algorithm<'o>,
}

pub(super) enum Algorithm<'o> {
    Nothing,
    /// One workgroup processes the array tile by tile.
    Spine,
    ReduceThenScan {
        tiles: Length,
        of_sums: Box<ScanPlan<'o>>,
    },
    LookBack(OnePass),
}

/// A scan in one pass, with look-back.
#[derive(Clone, Copy)]
pub(super) struct OnePass {
    /// Kernels, indexed by [`Terms::variant`].
    pub kernels: &'static [&'static Builtin],
    pub threads: u32,
    /// Elements per tile.
    pub tile: u64,
    pub tiles: Length,
    pub status: TileStatus,
    pub settings: LookBack,
}

/// Maximum length of a row that a single workgroup scans. Arrays of at most this length are also scanned by a single
/// workgroup. The result of a row therefore has the same bits as a scan of that row alone, even if it depends on the
/// order in which terms are combined.
pub(crate) fn max_row(policy: &Policy) -> u64 {
    max_single_group_elements(policy)
}

impl<'o> ScanPlan<'o> {
    /// Plans an exclusive prefix sum of `u32` elements, modulo 2^32.
    pub fn of_words(policy: &Policy, lengths: &mut Lengths, n: Length) -> Result<Self> {
        Self::new(policy, lengths, n, (Terms::of(KeyType::U32, Operator::Sum), false))
    }

    /// Selects the passes for `n` elements. For a device count, the selection depends on its upper bound.
    pub fn new(
        policy: &Policy,
        lengths: &mut Lengths,
        n: Length,
        (terms, inclusive): (Terms<'o>, bool),
    ) -> Result<Self> {
        let tile = spine_tile(policy);
        let bindable = n.max.saturating_mul(terms.bytes) <= policy.facts.max_storage_range;
        let single = n.max <= spine_elements(policy) && bindable;
        let algorithm = match policy.scan.for_length(n.max) {
            _ if n.max == 0 => Algorithm::Nothing,
            // For short arrays, a single workgroup is faster: it needs fewer passes than
            // reduce-then-scan, and no look-back.
            _ if n.max <= max_single_group_elements(policy) && single => Algorithm::Spine,
            ScanMethod::ReduceThenScan if single && n.max <= SPINE_TILES * tile => Algorithm::Spine,
            ScanMethod::ReduceThenScan => reduce_then_scan(policy, lengths, n, terms)?,
            _ => match one_pass(policy, lengths, n, terms)? {
                Some(one_pass) => Algorithm::LookBack(one_pass),
                None => reduce_then_scan(policy, lengths, n, terms)?,
            },
        };
        Ok(Self { n, terms, inclusive, algorithm })
    }
}

/// Number of tiles that each lane combines in a look-back whose order of combination is fixed. Must match
/// `ordered_lookback.glsl`.
const LANE_TILES: u64 = 4;
/// Assumed maximum number of blocks of tiles whose published totals such a look-back combines a second time. Tiles
/// that it recomputes are not included.
const FIXED_BLOCKS: u64 = 8;

/// A look-back over `n` elements; `None` if it would exceed the loop limit of the device.
fn one_pass(
    policy: &Policy,
    lengths: &mut Lengths,
    n: Length,
    terms: Terms<'_>,
) -> Result<Option<OnePass>> {
    let (kernels, threads): (&[_], _) = match n.max <= policy.small_scans_up_to.into() {
        true => (&SCAN_LOOKBACK_SMALL, policy.small_threads),
        false => (&SCAN_LOOKBACK, policy.threads),
    };
    let tile = tile_elements(kernels[terms.variant], &Policy { threads, ..*policy });
    let lanes = u64::from(policy.facts.subgroup_size);
    let rows = tile.div_ceil(lanes * LOAD_BYTES / terms.bytes);
    let subgroups = u64::from(threads) / lanes;
    // If there is no subgroup operation for the terms, a loop of log2(subgroup size) iterations combines them.
    let is_loop = terms.bytes == 8 || terms.depend_on_order();
    let combine = if is_loop { 1 + u64::from(lanes.ilog2()) } else { 1 };
    let (fixed, row) = match terms.depend_on_order() {
        true => (FIXED_BLOCKS * LANE_TILES * lanes, 1 + combine),
        false => (0, 1),
    };
    let recompute = 1 + rows * row + subgroups * (1 + 2 * combine);
    let cost = LookBackCost { fixed, poll: 1 + combine, recompute };
    let Some(settings) = policy.look_back(n.max.div_ceil(tile), cost) else { return Ok(None) };
    let tiles = lengths.parts(n, tile)?;
    let is_one_dispatch = n.max.saturating_mul(terms.bytes) <= policy.facts.max_storage_range;
    // The status of a tile has two words for each word of a term.
    let status = TileStatus::plan(policy, lengths, tiles, 2 * terms.bytes / WORD, is_one_dispatch)?;
    Ok(Some(OnePass { kernels, threads, tile, tiles, status, settings }))
}

/// Plans a reduce-then-scan: compute a sum per tile, scan the sums, then scan each tile. If one
/// workgroup cannot scan all the sums, they are scanned by another reduce-then-scan.
fn reduce_then_scan<'o>(
    policy: &Policy,
    lengths: &mut Lengths,
    n: Length,
    terms: Terms<'o>,
) -> Result<Algorithm<'o>> {
    let terms = terms.partial().of_partial();
    let tiles = lengths.parts(n, tile_elements(SCAN_REDUCE[0], policy))?;
    let algorithm = match tiles.max <= spine_elements(policy) {
        true => Algorithm::Spine,
        false => reduce_then_scan(policy, lengths, tiles, terms)?,
    };
    let of_sums = Box::new(ScanPlan { n: tiles, terms, inclusive: false, algorithm });
    Ok(Algorithm::ReduceThenScan { tiles, of_sums })
}
