//! Passes of a scan, for each method.

use multisplit_graph::{Buffer, Graph, Groups, PassBuilder, View};
use multisplit_shaders::builtin::Builtin;
use multisplit_shaders::builtin::variants::{
    SCAN_BY_KEY_DOWNSWEEP, SCAN_BY_KEY_LOOKBACK, SCAN_DOWNSWEEP, SCAN_REDUCE, SCAN_SPINE,
};

use super::description::{GIVEN_TWICE, Scan, ScanBuffers, Segments};
use super::plan::{Algorithm, OnePass, ScanPlan, max_row};
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::shared::{
    Count, Cut, Heads, LOAD_BYTES, Length, Lengths, Operator, Prepared, SegmentSweep, Terms, begin,
    check_element, check_limit, check_rows, check_size, pieces, push_words, row_threads,
    segment_lengths, single, spine_threads, tile_elements,
};
use crate::policy::Policy;

/// Pieces of a reduce-then-scan begin at multiples of this many tiles, if such pieces fit one binding. In an array with
/// one `u32` per tile, each piece then begins at a multiple of 256 bytes: the largest offset alignment that Vulkan
/// allows a device to require.
const ALIGNED_TILES: u64 = 64;

/// Part of the arrays that one dispatch processes. Each of its views fits one storage binding.
struct Piece {
    src: View,
    dst: View,
    count: Length,
    tiles: Length,
    first_tile: u32,
}

/// Adds the passes of a scan to the graph. Does not add passes if the count is 0.
pub fn scan(graph: &mut Graph, policy: &Policy, scan: &Scan, buffers: &ScanBuffers) -> Result<()> {
    let key = KeyType::wide_of("src", buffers.src)?;
    check_element("dst", buffers.dst, key.into())?;
    let terms = Terms::new(key, &scan.operator)?;
    begin(graph, policy)?;
    let how = (terms, scan.inclusive);
    let heads = match (buffers.segments, &scan.cut) {
        (None, Cut::Whole) => return add(graph, policy, how, buffers),
        // A segmented scan combines terms in an order that depends on the position of the row in the array.
        (None, &Cut::Rows(length)) if terms.depend_on_order() && length <= max_row(policy) => {
            return add_rows(graph, policy, how, length, buffers);
        }
        (None, &Cut::Rows(length)) => Heads::Rows(length),
        (None, Cut::Offsets(offsets)) => {
            segment_lengths(offsets, buffers.n)?;
            let constant = graph.constant("scan.segments.offsets", offsets);
            Heads::Offsets(constant, Count::Host(offsets.len() as u64 - 1))
        }
        (Some(_), Cut::Rows(_) | Cut::Offsets(_)) => return Err(GIVEN_TWICE),
        (Some(Segments::Keys(keys)), Cut::Whole) => Heads::of_keys(keys)?,
        (Some(Segments::Heads(flags)), Cut::Whole) => Heads::Flags(flags),
        (Some(Segments::Offsets(offsets, segments)), Cut::Whole) => {
            Heads::Offsets(offsets, segments)
        }
    };
    add_segments(graph, policy, how, heads, buffers)
}

/// Adds the passes of an exclusive prefix sum of `n` elements of type `u32`, modulo 2^32. The caller must have
/// validated the policy.
pub(in crate::operations) fn exclusive_sum(
    graph: &mut Graph,
    policy: &Policy,
    src: Buffer,
    dst: Buffer,
    n: u64,
) -> Result<()> {
    let terms = Terms::of(KeyType::U32, Operator::Sum);
    add(graph, policy, (terms, false), &ScanBuffers::new(src, dst).count(n))
}

fn add(
    graph: &mut Graph,
    policy: &Policy,
    how: (Terms<'_>, bool),
    &ScanBuffers { n, src, dst, .. }: &ScanBuffers,
) -> Result<()> {
    let (mut lengths, n) = Lengths::new(n)?;
    let scan = ScanPlan::new(policy, &mut lengths, n, how)?;
    let prepared = match n.max {
        0 => Prepared::default(),
        _ => lengths.prepare(graph, policy, "scan.prepare")?,
    };
    scan.add(graph, policy, prepared, src, dst)
}

/// Adds the pass that scans each row of `length` elements with one workgroup.
fn add_rows(
    graph: &mut Graph,
    policy: &Policy,
    (terms, inclusive): (Terms<'_>, bool),
    length: u64,
    &ScanBuffers { n, src, dst, .. }: &ScanBuffers,
) -> Result<()> {
    let (lengths, n) = Lengths::new(n)?;
    check_rows(n.max, length)?;
    let needed = n.max.saturating_mul(terms.bytes);
    check_size("scan.src", src, needed)?;
    check_size("scan.dst", dst, needed)?;
    if n.max == 0 {
        return Ok(());
    }
    let prepared = lengths.prepare(graph, policy, "scan.prepare")?;
    let (src, dst) = (single(src.range(0, needed), policy)?, single(dst.range(0, needed), policy)?);
    ScanPasses { policy, prepared, n, terms, inclusive, src, dst }.spine(graph, length)
}

/// Adds the passes of a segmented scan. Each head begins a new segment.
fn add_segments(
    graph: &mut Graph,
    policy: &Policy,
    (terms, inclusive): (Terms<'_>, bool),
    heads: Heads,
    &ScanBuffers { n, src, dst, .. }: &ScanBuffers,
) -> Result<()> {
    let (lengths, n) = Lengths::new(n)?;
    let needed = n.max.saturating_mul(terms.bytes);
    check_size("scan.src", src, needed)?;
    check_size("scan.dst", dst, needed)?;
    heads.check("scan", n.max)?;
    if n.max == 0 {
        return Ok(());
    }
    let sweep = SegmentSweep {
        policy,
        name: match heads {
            Heads::Flags(_) | Heads::Keys(..) => "scan.by_key",
            Heads::Rows(_) | Heads::Offsets(..) => "scan.segments",
        },
        n,
        terms,
        src,
        heads,
        downsweep: &SCAN_BY_KEY_DOWNSWEEP,
        lookback: &SCAN_BY_KEY_LOOKBACK,
        threads: policy.threads,
    };
    let dst = sweep.view(dst, terms.bytes)?;
    sweep.add(graph, lengths, |pass| {
        pass.bind("dst", dst).specialize("INCLUSIVE", u32::from(inclusive))
    })
}

impl ScanPlan<'_> {
    pub fn add(
        &self,
        graph: &mut Graph,
        policy: &Policy,
        prepared: Prepared,
        src: Buffer,
        dst: Buffer,
    ) -> Result<()> {
        let Self { n, terms, inclusive, .. } = *self;
        check_limit("length of a scan", n.max, u64::MAX / terms.bytes)?;
        let needed = n.max * terms.bytes;
        check_size("scan.src", src, needed)?;
        check_size("scan.dst", dst, needed)?;
        let (src, dst) = (src.range(0, needed), dst.range(0, needed));
        let passes = ScanPasses { policy, prepared, n, terms, inclusive, src, dst };
        match &self.algorithm {
            Algorithm::Nothing => Ok(()),
            Algorithm::Spine => passes.spine(graph, n.max),
            Algorithm::ReduceThenScan { tiles, of_sums } => {
                passes.reduce_then_scan(graph, *tiles, of_sums)
            }
            Algorithm::LookBack(one_pass) => passes.look_back(graph, one_pass),
        }
    }
}

/// Parameters of the passes of one scan.
struct ScanPasses<'j> {
    policy: &'j Policy,
    prepared: Prepared,
    n: Length,
    terms: Terms<'j>,
    inclusive: bool,
    src: View,
    dst: View,
}

impl ScanPasses<'_> {
    /// Divides both arrays into pieces that fit one storage binding each. All pieces except the last consist of a
    /// multiple of `granule` tiles.
    fn cut(&self, tiles: Length, tile: u64, granule: u64) -> Result<Vec<Piece>> {
        // Kernels use 32-bit tile indices.
        check_limit(
            "number of tiles of a scan (elements divided by the tile size)",
            tiles.max,
            u32::MAX,
        )?;
        if !self.n.is_known() {
            let (src, dst) = (single(self.src, self.policy)?, single(self.dst, self.policy)?);
            return Ok(vec![Piece { src, dst, count: self.n, tiles, first_tile: 0 }]);
        }
        let granule = granule * tile * self.terms.bytes;
        let sources = pieces(self.src, granule, self.policy)?;
        let pairs = sources.into_iter().zip(pieces(self.dst, granule, self.policy)?);
        let mut first_tile = 0;
        let piece = |(src, dst): (View, View)| {
            let count = src.size / self.terms.bytes;
            let (count, tiles) = (Length::known(count), Length::known(count.div_ceil(tile)));
            let piece = Piece { src, dst, count, tiles, first_tile };
            first_tile += tiles.max as u32;
            piece
        };
        Ok(pairs.map(piece).collect())
    }

    /// Starts a pass over one piece.
    fn pass<'g>(
        &self,
        graph: &'g mut Graph,
        kernels: &[&'static Builtin],
        piece: &Piece,
        first_tile: u32,
    ) -> Result<PassBuilder<'g>> {
        let push = push_words! { count: self.prepared.pushed(piece.count), first_tile };
        let pass = self.start(graph, kernels, self.policy.threads)?.bind("src", piece.src);
        Ok(self.prepared.bind(pass.push(&push), piece.src))
    }

    fn start<'g>(
        &self,
        graph: &'g mut Graph,
        kernels: &[&'static Builtin],
        threads: u32,
    ) -> Result<PassBuilder<'g>> {
        let constants = [("local_size_x", threads), ("INCLUSIVE", u32::from(self.inclusive))];
        self.terms.pass(graph, kernels, &constants)
    }

    /// Scans each row of `length` elements with one workgroup.
    fn spine(&self, graph: &mut Graph, length: u64) -> Result<()> {
        let rows = self.n.max.div_ceil(length);
        let threads = if rows > 1 { row_threads } else { spine_threads };
        let unaligned = rows > 1 && !(length * self.terms.bytes).is_multiple_of(LOAD_BYTES);
        let pass = self
            .start(graph, &SCAN_SPINE, threads(self.policy, length))?
            .specialize("UNALIGNED_ROWS", u32::from(unaligned))
            .bind("src", self.src)
            .bind("dst", self.dst)
            // The array fits one binding, so it has fewer than 2^32 elements.
            .push(&push_words! {
                count: self.prepared.pushed(self.n),
                row_length: length as u32,
                rows: rows as u32,
            });
        self.prepared.bind(pass, self.src).dispatch(Groups::linear(rows));
        Ok(())
    }

    fn reduce_then_scan(
        &self,
        graph: &mut Graph,
        tiles: Length,
        of_sums: &ScanPlan<'_>,
    ) -> Result<()> {
        let bytes = self.terms.bytes;
        let tile = tile_elements(SCAN_REDUCE[0], self.policy);
        // If pieces write disjoint ranges of the sums, the scheduler adds no barriers between them.
        let disjoint = ALIGNED_TILES * tile * bytes <= self.policy.facts.max_storage_range;
        let pieces = self.cut(tiles, tile, if disjoint { ALIGNED_TILES } else { 1 })?;
        let sums = self.terms.transient(graph, "scan.sums", tiles.max);
        let offsets = self.terms.transient(graph, "scan.offsets", tiles.max);
        let words = |all: Buffer, piece: &Piece| match disjoint {
            true => (all.range(u64::from(piece.first_tile) * bytes, piece.tiles.max * bytes), 0),
            false => (all.into(), piece.first_tile),
        };
        for piece in &pieces {
            let (sums, first_tile) = words(sums, piece);
            let pass = self.pass(graph, &SCAN_REDUCE, piece, first_tile)?;
            self.prepared.dispatch(pass.bind("sums", sums), piece.tiles);
        }
        of_sums.add(graph, self.policy, self.prepared, sums, offsets)?;
        for piece in &pieces {
            let (offsets, first_tile) = words(offsets, piece);
            let pass = self.pass(graph, &SCAN_DOWNSWEEP, piece, first_tile)?;
            let pass = pass.bind("dst", piece.dst).bind("offsets", offsets);
            self.prepared.dispatch(pass, piece.tiles);
        }
        Ok(())
    }

    fn look_back(&self, graph: &mut Graph, one_pass: &OnePass) -> Result<()> {
        let &OnePass { kernels, threads, tile, tiles, status, settings } = one_pass;
        // The tickets and the sums of each piece continue those of the previous piece.
        let pieces = self.cut(tiles, tile, 1)?;
        let keeps_status = status.constant();
        let status = status.add(graph, self.policy, self.prepared, "scan")?;
        for piece in pieces {
            let pass = self
                .pass(graph, kernels, &piece, piece.first_tile)?
                .bind("dst", piece.dst)
                .bind("status", status);
            let constants = [("local_size_x", threads), keeps_status];
            let constants = settings.constants().into_iter().chain(constants);
            let pass = constants.fold(pass, |pass, (name, value)| pass.specialize(name, value));
            self.prepared.dispatch(pass, piece.tiles);
        }
        Ok(())
    }
}
