//! Selects the passes of a scan. This happens before passes are added to the graph, because one
//! pass computes the device counts of several primitives.

use multisplit_graph::{Buffer, Graph};
use multisplit_shaders::builtin::Builtin;
use multisplit_shaders::builtin::variants::{SCAN_LOOKBACK, SCAN_REDUCE, SCAN_SPINE};

use super::passes::ScanPasses;
use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::operations::ScanMethod;
use crate::operations::shared::checks::check_size;
use crate::operations::shared::count::{Length, Lengths, Prepared};
use crate::operations::shared::fill::Filling;
use crate::operations::shared::look_back::{LookBack, LookBackCost};
use crate::operations::shared::operator::Operator;
use crate::operations::shared::terms::Terms;
use crate::policy::Policy;

/// Elements per row of a thread.
const ROW: u64 = 4;
const WORD: u64 = 4;
/// Bytes that a lane loads at a time.
const ROW_BYTES: u64 = 16;

/// A scan whose passes have been selected, but not yet added to a graph.
pub(in crate::operations) struct ScanPlan<'o> {
    n: Length,
    terms: Terms<'o>,
    inclusive: bool,
    algorithm: Algorithm<'o>,
}

enum Algorithm<'o> {
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
            ScanMethod::ReduceThenScan if single && n.max <= 4 * tile => Algorithm::Spine,
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

    /// Adds the passes to the graph.
    pub fn add(
        &self,
        graph: &mut Graph,
        policy: &Policy,
        prepared: Prepared,
        src: Buffer,
        dst: Buffer,
    ) -> Result<()> {
        let Self { n, terms, inclusive, .. } = *self;
        let (asked, limit) = (n.max, u64::MAX / terms.bytes);
        let too_large = Error::TooLarge { what: "length of a scan", asked, limit };
        let needed = asked.checked_mul(terms.bytes).ok_or(too_large)?;
        check_size("scan.src", src, needed)?;
        check_size("scan.dst", dst, needed)?;
        let (src, dst) = (src.range(0, needed), dst.range(0, needed));
        let job = ScanPasses { policy, prepared, n, terms, inclusive, src, dst };
        match &self.algorithm {
            Algorithm::Nothing => Ok(()),
            Algorithm::Spine => job.spine(graph),
            Algorithm::ReduceThenScan { tiles, of_sums } => {
                job.reduce_then_scan(graph, *tiles, of_sums)
            }
            Algorithm::LookBack { tiles, clear, settings } => {
                job.look_back(graph, *tiles, *clear, *settings)
            }
        }
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

/// Elements per tile of `kernel`. All variants of a kernel have the same tile size.
pub(in crate::operations) fn tile_elements(kernel: &Builtin, policy: &Policy) -> u64 {
    u64::from(policy.threads) * u64::from(kernel.define("ROWS").unwrap_or(1)) * ROW
}

/// Maximum number of elements that a single workgroup scans.
fn spine_elements(policy: &Policy) -> u64 {
    spine_tile(policy).saturating_mul(u64::from(policy.spine_tiles.max(1)))
}

/// Maximum number of elements for which a single workgroup is the fastest method.
pub(in crate::operations) fn max_single_group_elements(policy: &Policy) -> u64 {
    (spine_tile(policy) * u64::from(policy.single_group_tiles.max(1))).min(spine_elements(policy))
}

/// Workgroup size of a single-workgroup scan of `n` elements: halved while one tile still contains
/// all elements.
pub(in crate::operations) fn spine_threads(policy: &Policy, n: u64) -> u32 {
    const MIN_THREADS: u32 = 256;
    let mut threads = policy.spine_threads;
    while threads.is_multiple_of(2 * policy.facts.subgroup_size)
        && threads / 2 >= MIN_THREADS
        && n <= spine_tile(&Policy { spine_threads: threads / 2, ..*policy })
    {
        threads /= 2;
    }
    threads
}

/// Elements per tile of a single-workgroup scan.
pub(in crate::operations) fn spine_tile(policy: &Policy) -> u64 {
    tile_elements(SCAN_SPINE[0], &Policy { threads: policy.spine_threads, ..*policy })
}
