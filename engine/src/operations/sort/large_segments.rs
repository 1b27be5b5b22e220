//! Sorts segments that are larger than a tile. Each round of a one-sweep sort processes all of these segments.
//!
//! Each segment has its own tiles and histograms. A look-back ends at the first tile of its segment. The device
//! computes the number of tiles.

use multisplit_graph::{Buffer, Graph, Groups, View};
use multisplit_shaders::builtin::SORT_SEGMENTS_SPREAD;
use multisplit_shaders::builtin::variants::{SORT_SEGMENTS_HISTOGRAM, SORT_SEGMENTS_ROUND};

use super::description::DIGIT_BITS;
use super::parameters::{BUCKETS, SortPasses, Work, variant};
use crate::error::Result;
use crate::operations::shared::{
    ALIGNMENT, Count, Filling, Lengths, WORD, builtin_pass, push_words, single,
};
use crate::operations::split::{BucketWords, SplitBy};
use crate::policy::tile::TileShape;

/// Number of words of `Found` in `segments.glsl`, and the index of its word `large_tiles`.
const FOUND_WORDS: u64 = 3;
const FOUND_TILES: u64 = 1;
/// Number of words that precede the tile states: the ticket counters of the rounds. Must match
/// `sort/segment_onesweep.comp`.
const STATUS_HEAD: u64 = 16;
/// Maximum number of workgroups of the pass that lists the tiles of large segments.
const SPREAD_GROUPS: u64 = 1024;

/// Buffers that describe the segments that the device has found.
#[derive(Clone, Copy)]
pub(super) struct Found {
    /// Head bits, followed by the words of `Found` (`segments.glsl`). There is one head bit per element, which is set
    /// for the first element of a segment.
    pub scratch: Buffer,
    words: u64,
    /// Index of the first word of `Found`.
    counts: u64,
    /// List of large segments.
    pub large: Buffer,
}

impl Found {
    /// Declares the buffers, with `words` words of head bits.
    pub fn declare(graph: &mut Graph, words: u64, large: &Large) -> Self {
        let counts = words.next_multiple_of(ALIGNMENT / WORD);
        let scratch = graph.transient::<u32>("sort.segments.heads", counts + FOUND_WORDS);
        let capacity = large.max_segments.max(1);
        let large = graph.transient::<[u32; 4]>("sort.segments.large", capacity);
        Self { scratch, words, counts, large }
    }

    pub fn heads(self) -> View {
        self.scratch.elements::<u32>(0, self.words)
    }

    pub fn counts(self) -> View {
        self.scratch.elements::<u32>(self.counts, FOUND_WORDS)
    }
}

/// Sizes of the passes over large segments.
pub(super) struct Large {
    pub shape: TileShape,
    /// Number of rounds. It is even, so that the result is in the input buffers. If the number of digits is odd, the
    /// last round only copies the elements back.
    rounds: u32,
    /// Maximum number of large segments.
    max_segments: u64,
    /// Maximum number of tiles of all large segments.
    max_tiles: u64,
}

impl Large {
    /// Plans the passes. `tile` is the maximum length of a segment that is not large.
    pub fn new(passes: &SortPasses<'_>, tile: u64) -> Self {
        let n = passes.n.max;
        let shape = passes.policy.sort_tile(passes.sort.key, passes.buffers);
        let digits = passes.sort.digits(DIGIT_BITS).count() as u32;
        let rounds = digits.next_multiple_of(2).max(2);
        let max_segments = n / (tile + 1);
        let max_tiles = n / u64::from(shape.tile()) + max_segments;
        Self { shape, rounds, max_segments, max_tiles }
    }

    pub fn add(self, mut passes: SortPasses<'_>, found: Found) -> Result<()> {
        if self.max_segments == 0 {
            return Ok(());
        }
        let (graph, policy, values) = (&mut *passes.graph, passes.policy, passes.buffers.values);
        let (shape, rounds) = (self.shape, self.rounds);
        // Counters of all digits, per tile and per segment.
        let counters = u64::from(rounds * BUCKETS);
        let (buffer, index) = (found.scratch, found.counts + FOUND_TILES);
        let tiles = Count::Device { buffer, index, max: self.max_tiles };
        let (mut lengths, tiles) = Lengths::new(tiles)?;
        let words = lengths.scaled(tiles, counters, STATUS_HEAD)?;
        let clear = Filling::plan(policy, &mut lengths, words)?;
        let prepared = lengths.prepare(graph, policy, "sort.segments.prepare")?;
        let status = graph.transient::<u32>("sort.segments.status", words.max);
        clear.add(graph, policy, prepared, "sort.segments.clear", status, 0)?;
        let histograms =
            graph.transient::<u32>("sort.segments.histograms", self.max_segments * counters);
        let list = graph.transient::<[u32; 4]>("sort.segments.tiles", self.max_tiles);
        let groups = self.max_segments.min(SPREAD_GROUPS);
        let push = push_words! {
            groups: groups as u32,
            large_tile: shape.tile(),
            histogram_words: counters as u32,
        };
        builtin_pass(graph, &SORT_SEGMENTS_SPREAD, &[("local_size_x", policy.threads)])?
            .push(&push)
            .bind("found", found.counts())
            .bind("large", found.large)
            .bind("tiles", list)
            .bind("histogram", single(histograms.into(), policy)?)
            .dispatch(Groups::linear(groups));

        (passes.shape, passes.prepared) = (shape, prepared);
        let keys = passes.keys();
        let work = Work { subproblems: tiles, parts: 1, round: 0, by: passes.all_digits() };
        let label = "sort.segments.histogram";
        let pass = passes.pass(label, SORT_SEGMENTS_HISTOGRAM, &work, &[("ROUNDS", rounds)])?;
        let pass = pass.bind("keys", keys).bind("histogram", histograms).bind("tiles", list);
        prepared.dispatch(prepared.bind(pass, keys), tiles);

        let halves = passes.halves();
        let digits: Vec<_> = passes.sort.digits(DIGIT_BITS).collect();
        for round in 0..rounds {
            let (kind, digit) = match digits.get(round as usize) {
                Some(&(shift, bits)) => passes.digit(shift, bits)?,
                None => (0, BucketWords::default()),
            };
            let by = SplitBy::Round { digit, pair: 0, noop_rounds: 0 };
            let work = Work { subproblems: tiles, parts: rounds, round, by };
            let counted = round == 0 && values.are_indices();
            let constants = [("BUCKET_KIND", kind), ("COUNTED_VALUES", u32::from(counted))];
            let kernels = variant(values, SORT_SEGMENTS_ROUND);
            let pass = passes.pass("sort.segments.round", kernels, &work, &constants)?;
            let pass =
                pass.bind("histogram", histograms).bind("tiles", list).bind("status", status);
            let pass = prepared.bind(halves.bind(pass, round), histograms.into());
            prepared.dispatch(pass, tiles);
        }
        Ok(())
    }
}
