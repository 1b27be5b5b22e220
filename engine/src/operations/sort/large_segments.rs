//! Segments larger than a tile: all of them go through the rounds of a one-sweep sort together.
//!
//! Each segment has its own tiles and histograms. A look-back ends at the first tile of its segment. The number
//! of tiles is a device count.

use multisplit_graph::Groups;
use multisplit_shaders::builtin::SORT_SEGMENTS_SPREAD;
use multisplit_shaders::builtin::variants::{SORT_SEGMENTS_HISTOGRAM, SORT_SEGMENTS_ROUND};
use multisplit_shaders::push_constants;

use super::pass::{BUCKETS, SortPasses, Work, bind_halves, variant};
use super::segments::{Found, SegmentPasses};
use super::{DIGIT_BITS, KeyedSort, SortBuffers, SortValues};
use crate::error::Result;
use crate::execute::own_pass::OwnPasses;
use crate::operations::shared::count::{Length, Lengths};
use crate::operations::shared::fill::Filling;
use crate::operations::shared::pieces::single;
use crate::operations::split::{BucketWords, SplitBy, TileShape};
use crate::policy::Policy;

push_constants! {
    struct SpreadPush {
        groups: u32,
        large_tile: u32,
        histogram_words: u32,
    }
}

/// Words before the tile states in the status: the tickets of the rounds. Must match `tile_lookback.glsl`.
const STATUS_HEAD: u64 = 16;
/// Maximum number of workgroups of the pass that lists the tiles of large segments.
const SPREAD_GROUPS: u64 = 1024;

/// Sizes of the passes over large segments.
pub(super) struct Large {
    /// Shape of the tiles.
    pub shape: TileShape,
    /// Number of rounds: even, so that the result is in the input buffers. If the number of digits is odd, the
    /// last round only copies the elements back.
    rounds: u32,
    /// Maximum number of large segments, and of their tiles.
    pub max_segments: u64,
    max_tiles: u64,
}

impl Large {
    /// `tile` is the maximum length of a segment that is not large.
    pub fn new(policy: &Policy, sort: &KeyedSort, buffers: &SortBuffers, tile: u64) -> Self {
        let pairs = !matches!(buffers.values, SortValues::None);
        let n = buffers.n.max();
        let shape = policy.sort_tile(sort.key, pairs, n);
        let digits = sort.digits(DIGIT_BITS).count() as u32;
        let rounds = digits.next_multiple_of(2).max(2);
        let max_segments = n / (tile + 1);
        let max_tiles = n / u64::from(shape.tile()) + max_segments;
        Self { shape, rounds, max_segments, max_tiles }
    }

    /// Adds the passes.
    pub fn add(self, job: SegmentPasses<'_>, found: Found) -> Result<()> {
        if self.max_segments == 0 {
            return Ok(());
        }
        let SegmentPasses { graph, policy, sort, buffers, .. } = job;
        let (shape, rounds) = (self.shape, self.rounds);
        let row = u64::from(rounds * BUCKETS);
        let (mut lengths, tiles) = Lengths::new(found.large_tiles(self.max_tiles))?;
        let words = lengths.scaled(tiles, row, STATUS_HEAD)?;
        let clear = Filling::plan(policy, &mut lengths, words)?;
        let prepared = lengths.prepare(graph, policy, "sort.segments.prepare")?;
        let status = graph.transient::<u32>("sort.segments.status", words.max);
        clear.add(graph, policy, prepared, "sort.segments.clear", status, 0)?;
        let histograms =
            graph.transient::<u32>("sort.segments.histograms", self.max_segments * row);
        let list = graph.transient::<[u32; 4]>("sort.segments.tiles", self.max_tiles);
        let groups = self.max_segments.min(SPREAD_GROUPS);
        let push = SpreadPush {
            groups: groups as u32,
            large_tile: shape.tile(),
            histogram_words: row as u32,
        };
        graph
            .own_pass(SORT_SEGMENTS_SPREAD.label(), &SORT_SEGMENTS_SPREAD.kernel()?)
            .push(&push)
            .specialize("local_size_x", policy.threads)
            .bind("found", found.counts())
            .bind("large", found.large)
            .bind("tiles", list)
            .bind("histogram", single(histograms.into(), policy)?)
            .dispatch(Groups::linear(groups));

        let n = Length::known(buffers.n.max());
        let mut job = SortPasses { graph, policy, sort, buffers, shape, n, prepared };
        let keys = buffers.keys.range(0, n.max * u64::from(sort.key.bytes()));
        let work = Work { subproblems: tiles, parts: 1, round: 0, by: job.all_digits() };
        let label = "sort.segments.histogram";
        let pass = job.pass(label, SORT_SEGMENTS_HISTOGRAM, &work, &[("ROUNDS", rounds)])?;
        let pass = pass.bind("keys", keys).bind("histogram", histograms).bind("tiles", list);
        prepared.dispatch(prepared.bind(pass, keys), tiles);

        let halves = job.halves();
        let digits: Vec<_> = sort.digits(DIGIT_BITS).collect();
        for round in 0..rounds {
            let (kind, digit) = match digits.get(round as usize) {
                Some(&(shift, bits)) => job.digit(shift, bits)?,
                None => (0, BucketWords::default()),
            };
            let by = SplitBy::Round { digit, pair: 0, noop_rounds: 0 };
            let work = Work { subproblems: tiles, parts: rounds, round, by };
            let counted = round == 0 && matches!(buffers.values, SortValues::Indices(_));
            let constants = [("BUCKET_KIND", kind), ("COUNTED_VALUES", u32::from(counted))];
            let kernels = variant(buffers.values, SORT_SEGMENTS_ROUND);
            let pass = job.pass("sort.segments.round", kernels, &work, &constants)?;
            let pass =
                pass.bind("histogram", histograms).bind("tiles", list).bind("status", status);
            let pass = bind_halves(pass, (sort, buffers.values, n.max), &halves, round);
            prepared.dispatch(prepared.bind(pass, histograms.into()), tiles);
        }
        Ok(())
    }
}
