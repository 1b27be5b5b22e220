//! Passes of a scan, for each method.

use multisplit_graph::{Buffer, Graph, Groups, PassBuilder, View};
use multisplit_shaders::builtin::Builtin;
use multisplit_shaders::builtin::variants::{
    SCAN_DOWNSWEEP, SCAN_LOOKBACK, SCAN_REDUCE, SCAN_SPINE,
};
use multisplit_shaders::push_constants;

use super::plan::{ScanPlan, spine_threads, tile_elements};
use crate::error::{Error, Result};
use crate::execute::own_pass::OwnPasses;
use crate::operations::shared::count::{Length, Prepared};
use crate::operations::shared::fill::Filling;
use crate::operations::shared::look_back::LookBack;
use crate::operations::shared::pieces::{pieces, single};
use crate::operations::shared::specialize::specialize;
use crate::operations::shared::terms::Terms;
use crate::policy::Policy;

push_constants! {
    struct TilesPush {
        count: u32,
        first_tile: u32,
    }
}

push_constants! {
    struct SpinePush {
        count: u32,
    }
}

/// Pieces begin at multiples of this many tiles. In an array with one word per tile, the words of a
/// piece then begin at a multiple of 256 bytes, the largest offset alignment that Vulkan allows a
/// device to require.
const ALIGNED_TILES: u64 = 64;

/// Part of the arrays that one pass processes.
struct Piece {
    src: View,
    dst: View,
    count: Length,
    tiles: Length,
    first_tile: u32,
}

/// Parameters of the passes of one scan.
pub(super) struct ScanPasses<'j> {
    pub policy: &'j Policy,
    pub prepared: Prepared,
    pub n: Length,
    pub terms: Terms<'j>,
    pub inclusive: bool,
    pub src: View,
    pub dst: View,
}

impl ScanPasses<'_> {
    /// Divides both arrays into pieces. All pieces except the last are a multiple of `granule`
    /// tiles.
    fn cut(&self, tiles: Length, tile: u64, granule: u64) -> Result<Vec<Piece>> {
        // Kernels use 32-bit tile indices.
        let (asked, limit) = (tiles.max, u64::from(u32::MAX));
        if asked > limit {
            return Err(Error::TooLarge { what: "number of tiles of a scan", asked, limit });
        }
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

    /// Starts a pass over one piece. Its label is that of the first kernel variant.
    fn pass<'g>(
        &self,
        graph: &'g mut Graph,
        kernels: &[&'static Builtin],
        piece: &Piece,
        first_tile: u32,
    ) -> Result<PassBuilder<'g>> {
        let push = TilesPush { count: self.prepared.pushed(piece.count), first_tile };
        let pass =
            self.begin(graph, kernels, self.policy.threads)?.bind("src", piece.src).push(&push);
        Ok(self.prepared.bind(pass, piece.src))
    }

    fn begin<'g>(
        &self,
        graph: &'g mut Graph,
        kernels: &[&'static Builtin],
        threads: u32,
    ) -> Result<PassBuilder<'g>> {
        let kernel = self.terms.kernel(kernels)?;
        let pass = graph.own_pass(kernels[0].label(), &kernel).specialize("local_size_x", threads);
        let inclusive = [("INCLUSIVE", u32::from(self.inclusive))];
        Ok(specialize(pass, &kernel, &[&self.terms.constants()[..], &inclusive].concat()))
    }

    pub fn spine(&self, graph: &mut Graph) -> Result<()> {
        let pass = self
            .begin(graph, &SCAN_SPINE, spine_threads(self.policy, self.n.max))?
            .bind("src", self.src)
            .bind("dst", self.dst)
            .push(&SpinePush { count: self.prepared.pushed(self.n) });
        self.prepared.bind(pass, self.src).dispatch(Groups::linear(1));
        Ok(())
    }

    pub fn reduce_then_scan(
        &self,
        graph: &mut Graph,
        tiles: Length,
        of_sums: &ScanPlan<'_>,
    ) -> Result<()> {
        let bytes = self.terms.bytes;
        let tile = tile_elements(SCAN_REDUCE[0], self.policy);
        // Pieces that write disjoint ranges do not wait for each other.
        let apart = ALIGNED_TILES * tile * bytes <= self.policy.facts.max_storage_range;
        let pieces = self.cut(tiles, tile, if apart { ALIGNED_TILES } else { 1 })?;
        let sums = self.terms.transient(graph, "scan.sums", tiles.max);
        let offsets = self.terms.transient(graph, "scan.offsets", tiles.max);
        let words = |all: Buffer, piece: &Piece| match apart {
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

    pub fn look_back(
        &self,
        graph: &mut Graph,
        tiles: Length,
        clear: Filling,
        settings: LookBack,
    ) -> Result<()> {
        let tile = tile_elements(SCAN_LOOKBACK[self.terms.variant], self.policy);
        // Each piece continues with the tickets and sums of the previous piece.
        let pieces = self.cut(tiles, tile, 1)?;
        let states = 1 + tiles.max;
        let status = match self.terms.bytes {
            4 => graph.transient::<[u32; 2]>("scan.status", states),
            _ => graph.transient::<[u32; 4]>("scan.status", states),
        };
        clear.add(graph, self.policy, self.prepared, "scan.clear", status, 0)?;
        for piece in pieces {
            let pass = self.pass(graph, &SCAN_LOOKBACK, &piece, piece.first_tile)?;
            let pass = pass.bind("dst", piece.dst).bind("status", status);
            let [spins, tickets] = settings.constants();
            let pass = pass.specialize(spins.0, spins.1).specialize(tickets.0, tickets.1);
            self.prepared.dispatch(pass, piece.tiles);
        }
        Ok(())
    }
}
