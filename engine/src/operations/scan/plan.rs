//! Selects the passes of a scan. This happens before passes are added to the graph, because one
//! pass computes the device counts of several primitives.

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

/// Up to this many tiles, a single workgroup is preferred to reduce-then-scan.
const SPINE_TILES: u64 = 4;

/// A scan whose passes have been selected, but not yet added to a graph.
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

/// Maximum length of a row. A single workgroup scans arrays of up to this length whose result depends on the order
/// in which terms are combined, so rows and separate arrays have the same bits.
pub(crate) fn max_row(policy: &Policy) -> u64 {
    max_single_group_elements(policy)
        .max(SPINE_TILES * spine_tile(policy))
        .min(spine_elements(policy))
}

impl<'o> ScanPlan<'o> {
    /// An exclusive prefix sum of words, modulo 2^32.
    pub fn of_words(policy: &Policy, lengths: &mut Lengths, n: Length) -> Result<Self> {
        Self::new(policy, lengths, n, (Terms::of(KeyType::U32, Operator::Sum), false))
    }

    /// Selects the passes for `n` elements. If `n` is a device count, its maximum decides.
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
            // Look-back combines terms in an order that depends on timing.
            _ if terms.depend_on_order() => ScanMethod::ReduceThenScan,
            method => method,
        };
        let algorithm = match method {
            _ if n.max == 0 => Algorithm::Nothing,
            // A single workgroup needs fewer passes than the other methods, so it is faster for
            // short arrays.
            _ if n.max <= max_single_group_elements(policy) && single => Algorithm::Spine,
            ScanMethod::ReduceThenScan if single && n.max <= SPINE_TILES * tile => Algorithm::Spine,
            ScanMethod::ReduceThenScan => reduce_then_scan(policy, lengths, n, terms)?,
            _ => match look_back(policy, n, terms) {
                Some(settings) => {
                    let tile = tile_elements(SCAN_LOOKBACK[terms.variant], policy);
                    let tiles = lengths.parts(n, tile)?;
                    // Two words of state for each word of a term. The ticket and its padding
                    // precede the states.
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
    // The 64-bit terms of the lanes are combined in a loop.
    let poll = if terms.bytes == 8 { 1 + u64::from(policy.facts.subgroup_size.ilog2()) } else { 1 };
    let row = u64::from(policy.facts.subgroup_size) * ROW_BYTES / terms.bytes;
    let cost = LookBackCost { fixed: 0, poll, recompute: tile.div_ceil(row) + poll };
    policy.look_back(n.max.div_ceil(tile), cost)
}

/// Selects the passes of a reduce-then-scan. If there are too many tile sums for one workgroup,
/// they are scanned in the same way.
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
