//! Sorts each segment of an array independently. The same passes sort all segments.
//!
//! Segments that fit in a tile are sorted in shared memory, several per tile. Larger segments are divided into tiles
//! and go through the rounds of a one-sweep sort together. The device determines which segments are large. If the host
//! knows the lengths, passes without work are omitted, and rows that fit in a tile are sorted by a pass of their own.

use std::sync::Arc;

use multisplit_graph::{Buffer, ElementType, Graph, View};
use multisplit_shaders::builtin::SORT_SEGMENTS_HEADS;
use multisplit_shaders::builtin::variants::SORT_SEGMENTS_TILES;

use super::description::{AddedSort, DIGIT_BITS, KeyedSort, SortBuffers, check_policy};
use super::large_segments::{Found, Large};
use super::parameters::{SortPasses, variant};
use super::segment_rows::RowTiles;
use crate::error::{Error, Result};
use crate::operations::scan::{Scan, ScanBuffers, scan};
use crate::operations::shared::{
    Count, Cut, Lengths, Operator, OtherCount, WORD, builtin_pass, check_element, check_limit,
    check_rows, check_size, fill, halves, keyed_pass, planned_for, push_words, segment_lengths,
    single,
};
use crate::policy::Policy;
use crate::policy::method::SortMethod;
use crate::policy::tile::TileShape;

/// Number of elements per thread and tile. Must match ITEMS of the kernel.
const ITEMS: u32 = 8;
/// Number of segments per thread of the pass that finds segment heads. Must match the kernel.
const SEGMENTS_PER_THREAD: u64 = 4;
/// Number of elements per word of head bits. The bit of an element is set if a segment begins there.
const BITS_PER_WORD: u64 = 32;
/// Shared memory for variables other than the elements of a tile, in bytes: head bits of at most 2^13 elements, and a
/// few words.
const OTHER_SHARED: u64 = 2 << 10;

/// Adds the passes of a segmented sort to the graph. The method is `Small` if the host knows that every segment fits
/// in a tile, and otherwise `OneSweep`. Returns an error if the requested method is `Small` and a segment is too long or
/// the offsets are on the device, or if it is `Multisplit` or `Counting`.
pub(super) fn add(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
    cut: &Cut,
) -> Result<AddedSort> {
    check_policy(policy)?;
    planned_for(graph, policy);
    if buffers.other.is_some() {
        return Err(Error::Segments {
            problem: "segments can only be sorted in place; do not give other buffers for the result",
        });
    }
    buffers.check_sizes(sort)?;
    let segments = Segments::new(cut, buffers)?;
    let rows = match segments.row_length {
        0 => None,
        length => RowTiles::new(policy, sort, buffers.values, length),
    };
    let shape = rows.map_or_else(|| shape(policy, sort, buffers), |rows| rows.shape);
    let method = choose(sort, &segments, shape)?;
    let rounds = sort.digits(DIGIT_BITS).count() as u32;
    let added = AddedSort { method, rounds, shape };
    tracing::debug!(?added, n = ?buffers.n, segments = ?segments.count, "segmented sort");
    if buffers.n.max() == 0 || segments.count.max() == 0 {
        return Ok(added);
    }
    // If there are no bits to sort by, elements do not move; only indices must be written.
    if sort.bits().is_empty() && !buffers.values.are_indices() {
        return Ok(added);
    }
    let passes = SortPasses::new(graph, policy, sort, buffers, shape);
    match rows {
        Some(rows) => rows.add(passes)?,
        None => add_by_length(passes, &segments)?,
    }
    Ok(added)
}

fn choose(sort: &KeyedSort, segments: &Segments, shape: TileShape) -> Result<SortMethod> {
    let tile = u64::from(shape.tile());
    match (sort.method, segments.lengths) {
        (SortMethod::Multisplit { .. } | SortMethod::Counting, _) => Err(Error::Method {
            problem: "segments can only be sorted by SortMethod::Auto, Small or OneSweep",
        }),
        (SortMethod::Small, None) => Err(Error::Method {
            problem: "SortMethod::Small does not support offsets on the device; use Auto or OneSweep",
        }),
        (_, Some([_, longest])) if longest <= tile => Ok(SortMethod::Small),
        (SortMethod::Small, Some([_, longest])) => {
            let what = "length of the longest segment for SortMethod::Small";
            Err(Error::TooLarge { what, asked: longest, limit: tile })
        }
        _ => Ok(SortMethod::OneSweep),
    }
}

/// Shape of the tiles in which segments are sorted.
fn shape(policy: &Policy, sort: &KeyedSort, buffers: &SortBuffers) -> TileShape {
    let source = if buffers.values.is_none() { 0 } else { WORD };
    let element = u64::from(sort.key.bytes()) + source;
    let available = u64::from(policy.facts.shared_memory).saturating_sub(OTHER_SHARED);
    // In shared memory, every 32 elements are padded by one, to avoid bank conflicts.
    let needed = |threads: u32| u64::from(threads * ITEMS) * element * 33 / 32;
    // Half a tile must be a multiple of 32 elements, because a word has 32 head bits.
    let min_threads = policy.facts.subgroup_size.max(8);
    let mut threads = policy.small_sort_tile(sort.key).threads / min_threads * min_threads;
    while threads > min_threads && needed(threads) > available {
        threads = (threads / 2) / min_threads * min_threads;
    }
    TileShape::new(threads.max(min_threads), ITEMS)
}

/// The segments: their count, their offsets or row length, and their lengths if the host knows them.
struct Segments {
    count: Count,
    /// Maximum number of elements.
    elements: u64,
    /// Length of a row; 0 if segments have offsets.
    row_length: u64,
    /// Length of the shortest non-empty segment, then of the longest segment. `None` if the host does not know them.
    lengths: Option<[u64; 2]>,
    offsets: Offsets,
}

enum Offsets {
    None,
    Host(Arc<[u32]>),
    /// In device memory, with arbitrary values.
    Device(Buffer),
}

impl Segments {
    fn new(cut: &Cut, buffers: &SortBuffers) -> Result<Self> {
        let elements = buffers.n.max();
        let refuse = |problem| Err(Error::Segments { problem });
        let (count, row_length, lengths, offsets) = match (cut, buffers.segments) {
            (Cut::Whole, Some((offsets, count))) => {
                check_element("offsets", offsets, ElementType::U32)?;
                check_limit("number of segments", count.max(), u32::MAX - 1)?;
                check_size("sort.offsets", offsets, (count.max() + 1) * WORD)?;
                (count, 0, None, Offsets::Device(offsets))
            }
            (_, Some(_)) => {
                return refuse(
                    "segments are given both in Sort and in SortBuffers::segments; remove one of them",
                );
            }
            (Cut::Rows(_), None) if !matches!(buffers.n, Count::Host(_)) => {
                return Err(Error::RowsOfDeviceCount);
            }
            (&Cut::Rows(length), None) => {
                check_rows(elements, length)?;
                let rows = Count::Host(elements / length.max(1));
                (rows, length.max(1), Some([length; 2]), Offsets::None)
            }
            (Cut::Offsets(offsets), None) => {
                let lengths = segment_lengths(offsets, buffers.n)?;
                let count = Count::Host(offsets.len() as u64 - 1);
                (count, 0, Some(lengths), Offsets::Host(offsets.clone()))
            }
            (Cut::Whole, None) => {
                return refuse(
                    "no segments are given; set them in Sort or in SortBuffers::segments",
                );
            }
        };
        Ok(Self { count, elements, row_length, lengths, offsets })
    }
}

/// Adds the passes for segments that fit in a tile, and those for larger segments. Omits passes if the host knows
/// that there are no such segments.
fn add_by_length(mut passes: SortPasses<'_>, segments: &Segments) -> Result<()> {
    let tile = u64::from(passes.shape.tile());
    let large = Large::new(&passes, tile);
    let found = find(&mut passes, segments, &large)?;
    if segments.lengths.is_none_or(|[shortest, _]| shortest <= tile) {
        sort_in_tiles(&mut passes, found)?;
    }
    let any_large = segments.lengths.is_none_or(|[_, longest]| longest > tile);
    if any_large { large.add(passes, found) } else { Ok(()) }
}

/// Declares the buffers of `Found` and adds the passes that fill them.
fn find(passes: &mut SortPasses<'_>, segments: &Segments, large: &Large) -> Result<Found> {
    let (graph, policy) = (&mut *passes.graph, passes.policy);
    let found = Found::declare(graph, segments.elements.div_ceil(BITS_PER_WORD), large);
    fill(graph, policy, "sort.segments.clear", found.scratch, 0)?;
    let [begins, offsets] = match &segments.offsets {
        // Rows have no offsets. The kernel does not read this binding.
        Offsets::None => [graph.constant("sort.segments.offsets", &[0u32]).into(); 2],
        Offsets::Host(offsets) => [graph.constant("sort.segments.offsets", offsets).into(); 2],
        &Offsets::Device(offsets) => ascending(graph, policy, offsets, segments.count)?,
    };
    let (mut lengths, count) = Lengths::new(segments.count)?;
    let groups = lengths.parts(count, SEGMENTS_PER_THREAD * u64::from(policy.threads))?;
    let prepared = lengths.prepare(graph, policy, "sort.segments.prepare")?;
    let n = OtherCount::new(passes.buffers.n)?;
    let push = push_words! {
        count: prepared.pushed(count),
        elements: n.max,
        elements_index: n.index,
        row_length: segments.row_length as u32,
        max_tile: passes.shape.tile(),
        large_tile: large.shape.tile(),
    };
    let pass = builtin_pass(graph, &SORT_SEGMENTS_HEADS, &[("local_size_x", policy.threads)])?
        .push(&push)
        .bind("heads", found.heads())
        .bind("found", found.counts())
        .bind("large", found.large)
        .bind("begins", begins)
        .bind("offsets", offsets);
    prepared.dispatch(prepared.bind(n.bind(pass, offsets), offsets), groups);
    Ok(found)
}

/// Adds the pass that sorts segments that fit in a tile.
fn sort_in_tiles(passes: &mut SortPasses<'_>, found: Found) -> Result<()> {
    let keys = single(passes.keys(), passes.policy)?;
    let (graph, policy, sort) = (&mut *passes.graph, passes.policy, passes.sort);
    // A workgroup sorts the segments that begin in its `stride` elements (half a tile). Together they fit in a tile,
    // unless the last segment is too long. In that case, the workgroup sorts the last segment separately, or not at all
    // if it is large.
    let stride = u64::from(passes.shape.tile()) / 2 / BITS_PER_WORD * BITS_PER_WORD;
    let (mut lengths, n) = Lengths::new(passes.buffers.n)?;
    let groups = lengths.parts(n, stride)?;
    let prepared = lengths.prepare(graph, policy, "sort.segments.prepare")?;
    let push = push_words! {
        count: prepared.pushed(n),
        stride: stride as u32,
        mask[2]: halves(sort.mask()),
        descending: sort.descending.into(),
    };
    let values = passes.buffers.values;
    let kernels = variant(values, SORT_SEGMENTS_TILES);
    let constants = [
        ("local_size_x", passes.shape.threads),
        ("ALL_BITS", sort.by_all_bits().into()),
        ("VALUE_WORDS", values.bytes().unwrap_or(4) / 4),
        ("COUNTED_VALUES", values.are_indices().into()),
    ];
    let pass = keyed_pass(graph, "sort.segments.tiles", kernels, sort.key, &constants)?
        .push(&push)
        .bind("keys", keys)
        .bind("heads", found.heads())
        .bind("found", found.counts());
    let pass = values.bind(prepared.bind(pass, found.heads()), policy, n.max)?;
    prepared.dispatch(pass, groups);
    Ok(())
}

/// Returns the starts of the segments in ascending order, and the original offsets. Offsets in device memory may
/// decrease. An offset below a preceding one is raised to it, so that segments do not overlap.
fn ascending(
    graph: &mut Graph,
    policy: &Policy,
    offsets: Buffer,
    segments: Count,
) -> Result<[View; 2]> {
    let max = segments.max();
    let begins = graph.transient::<u32>("sort.segments.begins", max);
    let buffers = ScanBuffers::new(offsets, begins).count(segments);
    scan(graph, policy, &Scan::inclusive(Operator::Max), &buffers)?;
    Ok([begins.into(), single(offsets.elements::<u32>(0, max + 1), policy)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::sort::{Sort, sort};
    use crate::policy::test_policy;

    #[test]
    fn small_method_rejects_device_offsets_and_long_segments() {
        let mut graph = Graph::new("refused");
        let (keys, offsets) =
            (graph.import::<u32>("keys", 1 << 20), graph.import::<u32>("offsets", 3));
        let (small, policy) = (Sort::ascending().method(SortMethod::Small), test_policy(32, 256));
        let short = SortBuffers::keys(keys).count(100).segments(offsets, 2);
        let refused = sort(&mut graph, &policy, &small, &short);
        let is_named = |problem: &str| problem.contains("offsets on the device");
        assert!(
            matches!(refused, Err(Error::Method { problem }) if is_named(problem)),
            "{refused:?}"
        );
        let long = small.segments(&[0, 1 << 20]);
        let refused = sort(&mut graph, &policy, &long, &SortBuffers::keys(keys));
        assert!(matches!(refused, Err(Error::TooLarge { asked, .. }) if asked == 1 << 20));
    }
}
