//! Selects the passes of a scan before they are added to the graph. If the count is on the device,
//! a single preparation pass computes all lengths that an operation derives from the count,
//! including those of its scans.

use multisplit_shaders::builtin::variants::{SCAN_LOOKBACK, SCAN_REDUCE};

use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::ScanMethod;
use crate::operations::shared::count::{Length, Lengths};
use crate::operations::shared::fill::Filling;
use crate::operations::shared::look_back::{LookBack, LookBackCost};
use crate::operations::shared::operator::Operator;
use crate::operations::shared::pieces::WORD;
use crate::operations::shared::terms::Terms;
use crate::operations::shared::tiles::{
    ROW_BYTES, max_single_group_elements, spine_elements, spine_tile, tile_elements,
};
use crate::policy::Policy;

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
    LookBack {
        tiles: Length,
        clear: Filling,
        settings: LookBack,
    },
}

impl<'o> ScanPlan<'o> {
    /// Plans an exclusive prefix sum of `u32` elements, modulo 2^32.
    pub fn of_words(policy: &Policy, lengths: &mut Lengths, n: Length) -> Result<Self> {
        Self::new(policy, lengths, n, (Terms::of(KeyType::U32, Operator::Sum), false))
    }

    /// Selects the passes for `n` elements. For a device count, the selection depends on its upper
    /// bound.
    pub fn new(
        policy: &Policy,
        lengths: &mut Lengths,
        n: Length,
        (terms, inclusive): (Terms<'o>, bool),
    ) -> Result<Self> {
        let tile = spine_tile(policy);
        let bindable = n.max.saturating_mul(terms.bytes) <= policy.facts.max_storage_range;
        let single = n.max <= spine_elements(policy) && bindable;
        let method = match policy.scan.for_length(n.max) {
            // Look-back combines terms in an order that varies between runs. Float sums and results
            // of user operators would vary too.
            _ if terms.depend_on_order() => ScanMethod::ReduceThenScan,
            method => method,
        };
        let algorithm = match method {
            _ if n.max == 0 => Algorithm::Nothing,
            // A single workgroup needs fewer passes than the other methods, so it is faster for
            // short arrays.
            _ if n.max <= max_single_group_elements(policy) && single => Algorithm::Spine,
            ScanMethod::ReduceThenScan if single && n.max <= 4 * tile => Algorithm::Spine,
            ScanMethod::ReduceThenScan => reduce_then_scan(policy, lengths, n, terms)?,
            _ => match look_back(policy, n, terms) {
                Some(settings) => {
                    let tile = tile_elements(SCAN_LOOKBACK[terms.variant], policy);
                    let tiles = lengths.parts(n, tile)?;
                    // Each tile state has two words for each word of a term. The ticket counter,
                    // padded to the size of a state, precedes the states.
                    let words = 2 * terms.bytes / WORD;
                    let words = lengths.scaled(tiles, words, words)?;
                    let clear = Filling::plan(policy, lengths, words)?;
                    Algorithm::LookBack { tiles, clear, settings }
                }
                None => reduce_then_scan(policy, lengths, n, terms)?,
            },
        };
        Ok(Self { n, terms, inclusive, algorithm })
    }
}

/// Look-back settings for `n` elements; `None` if it would exceed the loop limit of the device.
fn look_back(policy: &Policy, n: Length, terms: Terms<'_>) -> Option<LookBack> {
    let tile = tile_elements(SCAN_LOOKBACK[terms.variant], policy);
    // 64-bit kernels combine the terms of a subgroup's lanes in a loop of log2(subgroup size)
    // iterations.
    let poll = if terms.bytes == 8 { 1 + u64::from(policy.facts.subgroup_size.ilog2()) } else { 1 };
    let row = u64::from(policy.facts.subgroup_size) * ROW_BYTES / terms.bytes;
    let cost = LookBackCost { fixed: 0, poll, recompute: tile.div_ceil(row) + poll };
    policy.look_back(n.max.div_ceil(tile), cost)
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
