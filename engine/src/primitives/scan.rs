//! Device-wide exclusive scan (prefix sum) of u32, modulo 2^32.

use multisplit_graph::{Buffer, Graph, Groups, View};
use multisplit_shaders::builtin::{self, Builtin};
use multisplit_shaders::{PushConstants as _, push_constants};

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

/// Adds passes that write to `dst` the exclusive prefix sums of the first `n` elements of `src`.
/// The two must not overlap. `n = 0` adds none.
pub fn exclusive(
    graph: &mut Graph,
    policy: &Policy,
    src: Buffer,
    dst: Buffer,
    n: u64,
) -> Result<()> {
    for (name, buffer) in [("scan.src", src), ("scan.dst", dst)] {
        if n.saturating_mul(WORD) > buffer.size() {
            let (name, size) = (name.to_owned(), buffer.size());
            return Err(Error::BufferTooSmall { name, size, needed: n.saturating_mul(WORD) });
        }
    }
    let (src, dst) = (src.elements::<u32>(0, n), dst.elements::<u32>(0, n));
    let tile = tile_elements(&builtin::SCAN_SPINE, policy);
    let single = n <= tile * u64::from(policy.spine_tiles) && src.size <= policy.max_storage_range;
    match policy.scan {
        _ if n == 0 => Ok(()),
        // One workgroup takes a tile at a time: worth it while its passes are fewer than another
        // method's.
        _ if n <= tile => spine(graph, policy, src, dst),
        ScanMethod::ReduceThenScan if single && n <= 4 * tile => spine(graph, policy, src, dst),
        ScanMethod::ReduceThenScan => reduce_then_scan(graph, policy, src, dst),
        ScanMethod::LookBack => look_back(graph, policy, src, dst),
    }
}

/// Elements that one workgroup of `kernel` takes at a time.
fn tile_elements(kernel: &Builtin, policy: &Policy) -> u64 {
    u64::from(policy.threads) * u64::from(kernel.define("ROWS").unwrap_or(1)) * ROW
}

fn spine(graph: &mut Graph, policy: &Policy, src: View, dst: View) -> Result<()> {
    graph
        .pass("scan.spine", builtin::SCAN_SPINE.kernel()?)
        .bind("src", src)
        .bind("dst", dst)
        .push_bytes(&SpinePush { count: count(src) }.to_bytes())
        .specialize("local_size_x", policy.threads)
        .dispatch(Groups::linear(1));
    Ok(())
}

fn reduce_then_scan(graph: &mut Graph, policy: &Policy, src: View, dst: View) -> Result<()> {
    let tile = tile_elements(&builtin::SCAN_REDUCE, policy);
    let tiles = (src.size / WORD).div_ceil(tile);
    let spine_limit = tile_elements(&builtin::SCAN_SPINE, policy) * u64::from(policy.spine_tiles);
    let sums = graph.transient::<u32>("scan.sums", tiles);
    let offsets = graph.transient::<u32>("scan.offsets", tiles);

    let reduce = builtin::SCAN_REDUCE.kernel()?;
    let mut first_tile = 0;
    for src in pieces(src, tile * WORD, policy)? {
        let piece_tiles = (src.size / WORD).div_ceil(tile);
        graph
            .pass("scan.reduce", &reduce)
            .bind("src", src)
            .bind("sums", sums)
            .push_bytes(&TilesPush { count: count(src), first_tile }.to_bytes())
            .specialize("local_size_x", policy.threads)
            .dispatch(Groups::linear(piece_tiles));
        first_tile += piece_tiles as u32;
    }

    // The sums of an array too long for one workgroup are scanned the same way.
    if tiles <= spine_limit {
        spine(graph, policy, sums.into(), offsets.into())?;
    } else {
        reduce_then_scan(graph, policy, sums.into(), offsets.into())?;
    }

    let downsweep = builtin::SCAN_DOWNSWEEP.kernel()?;
    let mut first_tile = 0;
    let pairs =
        pieces(src, tile * WORD, policy)?.into_iter().zip(pieces(dst, tile * WORD, policy)?);
    for (src, dst) in pairs {
        let piece_tiles = (src.size / WORD).div_ceil(tile);
        graph
            .pass("scan.downsweep", &downsweep)
            .bind("src", src)
            .bind("dst", dst)
            .bind("offsets", offsets)
            .push_bytes(&TilesPush { count: count(src), first_tile }.to_bytes())
            .specialize("local_size_x", policy.threads)
            .dispatch(Groups::linear(piece_tiles));
        first_tile += piece_tiles as u32;
    }
    Ok(())
}

fn look_back(graph: &mut Graph, policy: &Policy, src: View, dst: View) -> Result<()> {
    let tile = tile_elements(&builtin::SCAN_LOOKBACK, policy);
    let tiles = (src.size / WORD).div_ceil(tile);
    // The ticket and its padding, then two words a tile.
    let status = graph.transient::<[u32; 2]>("scan.status", 1 + tiles);
    super::fill(graph, policy, "scan.clear", status, 0)?;
    let kernel = builtin::SCAN_LOOKBACK.kernel()?;
    let mut first_tile = 0;
    let pairs =
        pieces(src, tile * WORD, policy)?.into_iter().zip(pieces(dst, tile * WORD, policy)?);
    for (src, dst) in pairs {
        let piece_tiles = (src.size / WORD).div_ceil(tile);
        graph
            .pass("scan.lookback", &kernel)
            .bind("src", src)
            .bind("dst", dst)
            .bind("status", status)
            .push_bytes(&TilesPush { count: count(src), first_tile }.to_bytes())
            .specialize("local_size_x", policy.threads)
            .specialize("SPIN_LIMIT", policy.spin_limit)
            .dispatch(Groups::linear(piece_tiles));
        first_tile += piece_tiles as u32;
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
