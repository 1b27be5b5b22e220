//! Device-wide exclusive scan (prefix sum) of u32, modulo 2^32.

use multisplit_graph::{Buffer, Graph, Groups, View};
use multisplit_shaders::builtin::{self, Builtin};
use multisplit_shaders::push_constants;

use super::pieces::pieces;
use super::{Policy, ScanMethod};
use crate::context::Context;
use crate::error::{Error, Result};

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

/// Adds passes that write to `dst` the exclusive prefix sums of the first `n` elements of `src`.
/// The two must not overlap. `n = 0` adds none.
pub fn exclusive(
    graph: &mut Graph,
    policy: &Policy,
    src: Buffer,
    dst: Buffer,
    n: u64,
) -> Result<()> {
    policy.check()?;
    let (asked, limit) = (n, u64::MAX / WORD);
    let too_large = Error::TooLarge { what: "length of a scan", asked, limit };
    let needed = n.checked_mul(WORD).ok_or(too_large)?;
    for (name, buffer) in [("scan.src", src), ("scan.dst", dst)] {
        if needed > buffer.size() {
            let (name, size) = (name.to_owned(), buffer.size());
            return Err(Error::BufferTooSmall { name, size, needed });
        }
    }
    let (src, dst) = (src.elements::<u32>(0, n), dst.elements::<u32>(0, n));
    let tile = tile_elements(&builtin::SCAN_SPINE, policy);
    let single = n <= spine_elements(policy) && src.size <= policy.max_storage_range;
    match policy.scan.for_length(n) {
        _ if n == 0 => Ok(()),
        // One workgroup takes a tile at a time: worth it while its passes are fewer than another
        // method's.
        _ if n <= tile => spine(graph, policy, src, dst),
        ScanMethod::ReduceThenScan if single && n <= 4 * tile => spine(graph, policy, src, dst),
        ScanMethod::ReduceThenScan => reduce_then_scan(graph, policy, src, dst),
        _ => look_back(graph, policy, src, dst),
    }
}

/// Elements that one workgroup of `kernel` takes at a time.
fn tile_elements(kernel: &Builtin, policy: &Policy) -> u64 {
    u64::from(policy.threads) * u64::from(kernel.define("ROWS").unwrap_or(1)) * ROW
}

/// The longest array that one workgroup scans on its own.
fn spine_elements(policy: &Policy) -> u64 {
    let tiles = u64::from(policy.spine_tiles.max(1));
    tile_elements(&builtin::SCAN_SPINE, policy).saturating_mul(tiles)
}

/// A part of the arrays that one pass works on.
struct Piece {
    src: View,
    dst: View,
    tiles: u64,
    first_tile: u32,
}

/// Cuts both arrays into pieces, each but the last a multiple of `granule` tiles.
fn cut(src: View, dst: View, tile: u64, granule: u64, policy: &Policy) -> Result<Vec<Piece>> {
    let tiles = (src.size / WORD).div_ceil(tile);
    // Kernels number tiles in 32 bits.
    let limit = u64::from(u32::MAX);
    if tiles > limit {
        return Err(Error::TooLarge { what: "number of tiles of a scan", asked: tiles, limit });
    }
    let granule = granule * tile * WORD;
    let pairs = pieces(src, granule, policy)?.into_iter().zip(pieces(dst, granule, policy)?);
    let mut first_tile = 0;
    let piece = |(src, dst): (View, View)| {
        let tiles = (src.size / WORD).div_ceil(tile);
        let piece = Piece { src, dst, tiles, first_tile };
        first_tile += tiles as u32;
        piece
    };
    Ok(pairs.map(piece).collect())
}

fn spine(graph: &mut Graph, policy: &Policy, src: View, dst: View) -> Result<()> {
    graph
        .pass("scan.spine", builtin::SCAN_SPINE.kernel()?)
        .bind("src", src)
        .bind("dst", dst)
        .push(&SpinePush { count: count(src) })
        .specialize("local_size_x", policy.threads)
        .dispatch(Groups::linear(1));
    Ok(())
}

fn reduce_then_scan(graph: &mut Graph, policy: &Policy, src: View, dst: View) -> Result<()> {
    let tile = tile_elements(&builtin::SCAN_REDUCE, policy);
    // Pieces that write words of their own do not wait for each other.
    let apart = ALIGNED_TILES * tile * WORD <= policy.max_storage_range;
    let pieces = cut(src, dst, tile, if apart { ALIGNED_TILES } else { 1 }, policy)?;
    let tiles = pieces.iter().map(|piece| piece.tiles).sum();
    let sums = graph.transient::<u32>("scan.sums", tiles);
    let offsets = graph.transient::<u32>("scan.offsets", tiles);
    let words = |all: Buffer, piece: &Piece| match apart {
        true => (all.elements::<u32>(piece.first_tile.into(), piece.tiles), 0),
        false => (all.into(), piece.first_tile),
    };

    let reduce = builtin::SCAN_REDUCE.kernel()?;
    for piece in &pieces {
        let (sums, first_tile) = words(sums, piece);
        graph
            .pass("scan.reduce", &reduce)
            .bind("src", piece.src)
            .bind("sums", sums)
            .push(&TilesPush { count: count(piece.src), first_tile })
            .specialize("local_size_x", policy.threads)
            .dispatch(Groups::linear(piece.tiles));
    }

    // The sums of an array too long for one workgroup are scanned the same way.
    if tiles <= spine_elements(policy) {
        spine(graph, policy, sums.into(), offsets.into())?;
    } else {
        reduce_then_scan(graph, policy, sums.into(), offsets.into())?;
    }

    let downsweep = builtin::SCAN_DOWNSWEEP.kernel()?;
    for piece in &pieces {
        let (offsets, first_tile) = words(offsets, piece);
        graph
            .pass("scan.downsweep", &downsweep)
            .bind("src", piece.src)
            .bind("dst", piece.dst)
            .bind("offsets", offsets)
            .push(&TilesPush { count: count(piece.src), first_tile })
            .specialize("local_size_x", policy.threads)
            .dispatch(Groups::linear(piece.tiles));
    }
    Ok(())
}

fn look_back(graph: &mut Graph, policy: &Policy, src: View, dst: View) -> Result<()> {
    let tile = tile_elements(&builtin::SCAN_LOOKBACK, policy);
    // Each piece goes on from the tickets and sums of the one before.
    let pieces = cut(src, dst, tile, 1, policy)?;
    let tiles: u64 = pieces.iter().map(|piece| piece.tiles).sum();
    // The ticket and its padding, then two words a tile.
    let status = graph.transient::<[u32; 2]>("scan.status", 1 + tiles);
    super::fill(graph, policy, "scan.clear", status, 0)?;
    let kernel = builtin::SCAN_LOOKBACK.kernel()?;
    for Piece { src, dst, tiles, first_tile } in pieces {
        graph
            .pass("scan.lookback", &kernel)
            .bind("src", src)
            .bind("dst", dst)
            .bind("status", status)
            .push(&TilesPush { count: count(src), first_tile })
            .specialize("local_size_x", policy.threads)
            .specialize("SPIN_LIMIT", policy.spin_limit)
            .dispatch(Groups::linear(tiles));
    }
    Ok(())
}

fn count(view: View) -> u32 {
    // A piece is at most maxStorageBufferRange bytes, which is a 32-bit number.
    (view.size / WORD) as u32
}

impl Context {
    /// The exclusive prefix sums of `input`, modulo 2^32: uploads it, scans it on the device,
    /// and downloads the result.
    pub fn exclusive_scan(&self, input: &[u32]) -> Result<Vec<u32>> {
        if input.is_empty() {
            return Ok(Vec::new());
        }
        let n = input.len() as u64;
        let mut graph = Graph::new("scan");
        let src = graph.import::<u32>("src", n);
        let dst = graph.import::<u32>("dst", n);
        exclusive(&mut graph, &self.policy(), src, dst, n)?;
        let executable = self.instantiate(graph.compile(&self.limits())?)?;
        let (input, output) = (self.upload("src", input)?, self.buffer::<u32>("dst", n)?);
        self.run(&executable, &[(src, &input), (dst, &output)])?;
        self.download(&output)
    }
}
