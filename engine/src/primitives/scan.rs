//! Device-wide exclusive scan (prefix sum) of u32, modulo 2^32.

use multisplit_graph::{Buffer, ElementType, Graph, Groups, PassBuilder, View};
use multisplit_shaders::builtin::{self, Builtin};
use multisplit_shaders::push_constants;

use super::count::{Length, Lengths, Prepared};
use super::key::check_element;
use super::memory::Filling;
use super::pieces::{pieces, single};
use super::{Count, Policy, ScanMethod};
use crate::device::context::Context;
use crate::error::{Error, Result};
use crate::execute::own_pass::OwnPasses;
use crate::memory::{Array, Elements, Place};

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

const WORD: u64 = size_of::<u32>() as u64;
/// Elements of one row of a thread: a `uvec4`.
const ROW: u64 = 4;
/// Where a piece of the input begins at a multiple of so many tiles, its words in an array with
/// one word a tile begin at a multiple of 256 bytes: the largest offset alignment that Vulkan
/// lets a device ask for.
const ALIGNED_TILES: u64 = 64;

/// Where the arrays of a scan are in a graph. They must not overlap.
#[derive(Clone, Copy, Debug)]
pub struct ScanBuffers {
    n: Count,
    src: Buffer,
    dst: Buffer,
}

impl ScanBuffers {
    /// `dst` gets, for each element of `src`, the sum of those before it.
    pub fn new(src: Buffer, dst: Buffer) -> Self {
        Self { n: Count::Host(src.len()), src, dst }
    }

    /// The first `n` elements, by a host count or a device count.
    #[must_use]
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }
}

/// Adds the passes of an exclusive scan of u32, modulo 2^32, to the graph. A count of 0 adds none.
pub fn scan(graph: &mut Graph, policy: &Policy, buffers: &ScanBuffers) -> Result<()> {
    check_element("src", buffers.src, ElementType::U32)?;
    check_element("dst", buffers.dst, ElementType::U32)?;
    exclusive(graph, policy, buffers.src, buffers.dst, buffers.n)
}

pub(in crate::primitives) fn exclusive(
    graph: &mut Graph,
    policy: &Policy,
    src: Buffer,
    dst: Buffer,
    n: impl Into<Count>,
) -> Result<()> {
    policy.check()?;
    graph.sized_for_subgroups(policy.subgroup_size);
    let (mut lengths, n) = Lengths::new(n.into())?;
    let scan = Scan::plan(policy, &mut lengths, n)?;
    let prepared = match n.most {
        0 => Prepared::default(),
        _ => lengths.prepare(graph, policy, "scan.prepare")?,
    };
    scan.add(graph, policy, prepared, src, dst)
}

/// A scan whose passes are known, but not yet part of a graph.
pub(crate) struct Scan {
    n: Length,
    way: Way,
}

enum Way {
    Nothing,
    /// One workgroup takes a tile at a time.
    Spine,
    ReduceThenScan {
        tiles: Length,
        of_sums: Box<Scan>,
    },
    LookBack {
        tiles: Length,
        clear: Filling,
    },
}

impl Scan {
    /// Chooses how `n` elements are scanned; by the most that they can be, where that is all that
    /// is known.
    pub fn plan(policy: &Policy, lengths: &mut Lengths, n: Length) -> Result<Self> {
        let tile = spine_tile(policy);
        let bindable = n.most.saturating_mul(WORD) <= policy.max_storage_range;
        let single = n.most <= spine_elements(policy) && bindable;
        let way = match policy.scan.for_length(n.most) {
            _ if n.most == 0 => Way::Nothing,
            // One workgroup is worth it while its passes are fewer than another method's.
            _ if n.most <= lone_elements(policy) && single => Way::Spine,
            ScanMethod::ReduceThenScan if single && n.most <= 4 * tile => Way::Spine,
            ScanMethod::ReduceThenScan => reduce_then_scan(policy, lengths, n)?,
            _ => {
                let tiles = lengths.parts(n, tile_elements(&builtin::SCAN_LOOKBACK, policy))?;
                // The ticket and its padding, then two words a tile.
                let words = lengths.scaled(tiles, 2, 2)?;
                Way::LookBack { tiles, clear: Filling::plan(policy, lengths, words)? }
            }
        };
        Ok(Self { n, way })
    }

    /// Adds the passes.
    pub fn add(
        &self,
        graph: &mut Graph,
        policy: &Policy,
        prepared: Prepared,
        src: Buffer,
        dst: Buffer,
    ) -> Result<()> {
        let (asked, limit) = (self.n.most, u64::MAX / WORD);
        let too_large = Error::TooLarge { what: "length of a scan", asked, limit };
        let needed = asked.checked_mul(WORD).ok_or(too_large)?;
        for (name, buffer) in [("scan.src", src), ("scan.dst", dst)] {
            if needed > buffer.size() {
                let (name, size) = (name.to_owned(), buffer.size());
                return Err(Error::BufferTooSmall { name, size, needed });
            }
        }
        let job = ScanPasses {
            policy,
            prepared,
            n: self.n,
            src: src.range(0, needed),
            dst: dst.range(0, needed),
        };
        match &self.way {
            Way::Nothing => Ok(()),
            Way::Spine => job.spine(graph),
            Way::ReduceThenScan { tiles, of_sums } => job.reduce_then_scan(graph, *tiles, of_sums),
            Way::LookBack { tiles, clear } => job.look_back(graph, *tiles, *clear),
        }
    }
}

/// The sums of an array too long for one workgroup are scanned the same way.
fn reduce_then_scan(policy: &Policy, lengths: &mut Lengths, n: Length) -> Result<Way> {
    let tiles = lengths.parts(n, tile_elements(&builtin::SCAN_REDUCE, policy))?;
    let way = match tiles.most <= spine_elements(policy) {
        true => Way::Spine,
        false => reduce_then_scan(policy, lengths, tiles)?,
    };
    Ok(Way::ReduceThenScan { tiles, of_sums: Box::new(Scan { n: tiles, way }) })
}

/// Elements that one workgroup of `kernel` takes at a time.
fn tile_elements(kernel: &Builtin, policy: &Policy) -> u64 {
    u64::from(policy.threads) * u64::from(kernel.define("ROWS").unwrap_or(1)) * ROW
}

/// The longest array that one workgroup scans on its own.
fn spine_elements(policy: &Policy) -> u64 {
    spine_tile(policy).saturating_mul(u64::from(policy.spine_tiles.max(1)))
}

/// Elements up to which one workgroup is the quickest.
pub(super) fn lone_elements(policy: &Policy) -> u64 {
    (spine_tile(policy) * u64::from(policy.single_group_tiles.max(1))).min(spine_elements(policy))
}

/// Its threads for `n` elements: half as many, or a quarter, where those take all at a time.
fn spine_threads(policy: &Policy, n: u64) -> u32 {
    const LEAST: u32 = 256;
    let mut threads = policy.spine_threads;
    while threads.is_multiple_of(2 * policy.subgroup_size)
        && threads / 2 >= LEAST
        && n <= spine_tile(&Policy { spine_threads: threads / 2, ..*policy })
    {
        threads /= 2;
    }
    threads
}

/// Elements that this one workgroup takes at a time.
fn spine_tile(policy: &Policy) -> u64 {
    tile_elements(&builtin::SCAN_SPINE, &Policy { threads: policy.spine_threads, ..*policy })
}

/// A part of the arrays that one pass works on.
struct Piece {
    src: View,
    dst: View,
    count: Length,
    tiles: Length,
    first_tile: u32,
}

/// One scan on its way into the graph.
struct ScanPasses<'j> {
    policy: &'j Policy,
    prepared: Prepared,
    n: Length,
    src: View,
    dst: View,
}

impl ScanPasses<'_> {
    /// Cuts both arrays into pieces, each but the last a multiple of `granule` tiles.
    fn cut(&self, tiles: Length, tile: u64, granule: u64) -> Result<Vec<Piece>> {
        // Kernels number tiles in 32 bits.
        let (asked, limit) = (tiles.most, u64::from(u32::MAX));
        if asked > limit {
            return Err(Error::TooLarge { what: "number of tiles of a scan", asked, limit });
        }
        if !self.n.is_known() {
            let (src, dst) = (single(self.src, self.policy)?, single(self.dst, self.policy)?);
            return Ok(vec![Piece { src, dst, count: self.n, tiles, first_tile: 0 }]);
        }
        let granule = granule * tile * WORD;
        let sources = pieces(self.src, granule, self.policy)?;
        let pairs = sources.into_iter().zip(pieces(self.dst, granule, self.policy)?);
        let mut first_tile = 0;
        let piece = |(src, dst): (View, View)| {
            let count = src.size / WORD;
            let (count, tiles) = (Length::known(count), Length::known(count.div_ceil(tile)));
            let piece = Piece { src, dst, count, tiles, first_tile };
            first_tile += tiles.most as u32;
            piece
        };
        Ok(pairs.map(piece).collect())
    }

    /// Begins a pass over one piece.
    fn pass<'g>(
        &self,
        graph: &'g mut Graph,
        kernel: &Builtin,
        piece: &Piece,
        first_tile: u32,
    ) -> Result<PassBuilder<'g>> {
        let push = TilesPush { count: self.prepared.pushed(piece.count), first_tile };
        let pass = graph
            .own_pass(kernel.label(), &kernel.kernel()?)
            .bind("src", piece.src)
            .push(&push)
            .specialize("local_size_x", self.policy.threads);
        Ok(self.prepared.bind(pass, piece.src))
    }

    fn spine(&self, graph: &mut Graph) -> Result<()> {
        let pass = graph
            .own_pass("scan.spine", &builtin::SCAN_SPINE.kernel()?)
            .bind("src", self.src)
            .bind("dst", self.dst)
            .push(&SpinePush { count: self.prepared.pushed(self.n) })
            .specialize("local_size_x", spine_threads(self.policy, self.n.most));
        self.prepared.bind(pass, self.src).dispatch(Groups::linear(1));
        Ok(())
    }

    fn reduce_then_scan(&self, graph: &mut Graph, tiles: Length, of_sums: &Scan) -> Result<()> {
        let tile = tile_elements(&builtin::SCAN_REDUCE, self.policy);
        // Pieces that write words of their own do not wait for each other.
        let apart = ALIGNED_TILES * tile * WORD <= self.policy.max_storage_range;
        let pieces = self.cut(tiles, tile, if apart { ALIGNED_TILES } else { 1 })?;
        let sums = graph.transient::<u32>("scan.sums", tiles.most);
        let offsets = graph.transient::<u32>("scan.offsets", tiles.most);
        let words = |all: Buffer, piece: &Piece| match apart {
            true => (all.elements::<u32>(piece.first_tile.into(), piece.tiles.most), 0),
            false => (all.into(), piece.first_tile),
        };
        for piece in &pieces {
            let (sums, first_tile) = words(sums, piece);
            let pass = self.pass(graph, &builtin::SCAN_REDUCE, piece, first_tile)?;
            self.prepared.dispatch(pass.bind("sums", sums), piece.tiles);
        }
        of_sums.add(graph, self.policy, self.prepared, sums, offsets)?;
        for piece in &pieces {
            let (offsets, first_tile) = words(offsets, piece);
            let pass = self.pass(graph, &builtin::SCAN_DOWNSWEEP, piece, first_tile)?;
            let pass = pass.bind("dst", piece.dst).bind("offsets", offsets);
            self.prepared.dispatch(pass, piece.tiles);
        }
        Ok(())
    }

    fn look_back(&self, graph: &mut Graph, tiles: Length, clear: Filling) -> Result<()> {
        let tile = tile_elements(&builtin::SCAN_LOOKBACK, self.policy);
        // Each piece goes on from the tickets and sums of the one before.
        let pieces = self.cut(tiles, tile, 1)?;
        let status = graph.transient::<[u32; 2]>("scan.status", 1 + tiles.most);
        clear.add(graph, self.policy, self.prepared, "scan.clear", status, 0)?;
        for piece in pieces {
            let pass = self.pass(graph, &builtin::SCAN_LOOKBACK, &piece, piece.first_tile)?;
            let pass = pass
                .bind("dst", piece.dst)
                .bind("status", status)
                .specialize("SPIN_LIMIT", self.policy.spins());
            self.prepared.dispatch(pass, piece.tiles);
        }
        Ok(())
    }
}

impl Context {
    /// The exclusive prefix sums of `input`, modulo 2^32.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.scan(&[3, 1, 4, 1, 5])?, [0, 3, 4, 8, 9]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn scan<A>(&self, input: &A) -> Result<<A::Place as Place>::Array<u32>>
    where
        A: Elements<Item = u32> + ?Sized,
    {
        let n = input.count();
        let (input, output) = (input.on_device(self, "src")?, Array::uninit(self, "dst", n)?);
        if n > 0 {
            let mut graph = Graph::new("scan");
            let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, n));
            scan(&mut graph, &self.policy(), &ScanBuffers::new(src, dst))?;
            let executable = self.instantiate(graph.compile(&self.limits())?)?;
            self.run(&executable, &[(src, &input), (dst, &output)])?;
        }
        A::Place::take(self, output)
    }
}
