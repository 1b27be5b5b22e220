//! Sorts each segment of an array independently, all segments in one recording.
//!
//! Segments that fit in a tile are sorted in shared memory, several per tile. Larger segments have their own
//! tiles and go through the rounds of a one-sweep sort together. The device finds out which segments are large.
//! Knowledge of the host is only used to omit passes without work, and to sort equal rows that fit in a tile
//! with a dedicated pass.

use std::sync::Arc;

use multisplit_graph::{Buffer, ElementType, Graph, View};
use multisplit_shaders::builtin::SORT_SEGMENTS_HEADS;
use multisplit_shaders::builtin::variants::SORT_SEGMENTS_TILES;
use multisplit_shaders::push_constants;

use super::large_segments::Large;
use super::pass::variant;
use super::segment_rows::RowTiles;
use super::{AddedSort, DIGIT_BITS, KeyedSort, SortBuffers, SortMethod, SortPlace, SortValues};
use super::{check, check_policy};
use crate::error::{Error, Result};
use crate::execute::own_pass::OwnPasses;
use crate::operations::scan::Scan;
use crate::operations::shared::checks::{check_element, check_rows, check_size};
use crate::operations::shared::count::{Count, Lengths, OtherCount};
use crate::operations::shared::pieces::single;
use crate::operations::shared::specialize::specialize;
use crate::operations::shared::terms::Operator;
use crate::operations::split::TileShape;
use crate::operations::{ScanBuffers, fill, scan};
use crate::policy::Policy;

push_constants! {
    struct HeadsPush {
        count: u32,
        elements: u32,
        elements_index: u32,
        row_length: u32,
        max_tile: u32,
        large_tile: u32,
    }
}

push_constants! {
    struct TilesPush {
        count: u32,
        stride: u32,
        mask: [u32; 2],
        descending: u32,
    }
}

const WORD: u64 = 4;
/// Elements per thread of a tile. Must match ITEMS of the kernel.
const ITEMS: u32 = 8;
/// Words of `Found` in `segments.glsl`, and the index of the tile count of large segments.
const FOUND_WORDS: u64 = 3;
const FOUND_TILES: u64 = 1;
/// Segments per thread of the pass that finds segment heads. Must match the kernel.
const HEADS_EACH: u64 = 4;
/// Largest offset alignment that Vulkan allows a device to require, in words.
const ALIGNMENT: u64 = 64;
/// Elements per word of head bits.
const HEADS: u64 = 32;
/// Shared memory in addition to the elements of a tile, in bytes: head bits of at most 2^13 elements, and a few
/// words.
const OTHER_SHARED: u64 = 2 << 10;

/// Division of an array into segments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cut {
    #[default]
    Whole,
    Offsets(Arc<[u32]>),
    Rows(u64),
}

/// Adds the passes of a segmented sort to the graph. The method is `Small` if the host knows that every segment
/// fits in a tile, and `OneSweep` otherwise. Returns an error if the requested method is not possible.
pub(super) fn add(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
    cut: &Cut,
) -> Result<AddedSort> {
    check_policy(policy)?;
    graph.sized_for_subgroups(policy.facts.subgroup_size);
    if !matches!(buffers.place, SortPlace::InPlace) {
        return Err(Error::Segments {
            problem: "segments can only be sorted in place, not between two buffers",
        });
    }
    check(sort, buffers)?;
    let segments = Segments::new(cut, buffers)?;
    let rows = match segments.row_length {
        0 => None,
        length => RowTiles::new(policy, sort, buffers.values, length),
    };
    let shape = rows.map_or_else(|| shape(policy, sort, buffers.values), |rows| rows.shape);
    let method = choose(sort, &segments, shape)?;
    let rounds = sort.digits(DIGIT_BITS).count() as u32;
    let added = AddedSort { method, rounds, shape };
    tracing::debug!(?added, n = ?buffers.n, segments = ?segments.count, "segmented sort");
    if buffers.n.max() == 0 || segments.count.max() == 0 {
        return Ok(added);
    }
    // Without bits to sort by, elements stay in place, and only indices are written.
    let indices = matches!(buffers.values, SortValues::Indices(_));
    if sort.bits().is_empty() && !indices {
        return Ok(added);
    }
    match rows {
        Some(rows) => rows.add(graph, policy, sort, buffers)?,
        None => SegmentPasses { graph, policy, sort, buffers, shape, segments: &segments }.add()?,
    }
    Ok(added)
}

fn choose(sort: &KeyedSort, segments: &Segments, shape: TileShape) -> Result<SortMethod> {
    let tile = u64::from(shape.tile());
    let fits = segments.longest.is_some_and(|longest| longest <= tile);
    match sort.method {
        SortMethod::Small if !fits => {
            let what = "length of the longest segment for SortMethod::Small";
            let asked = segments.longest.unwrap_or(segments.elements);
            Err(Error::TooLarge { what, asked, limit: tile })
        }
        SortMethod::Multisplit { .. } | SortMethod::Counting => Err(Error::Method {
            problem: "a segmented sort needs SortMethod::Auto, Small or OneSweep",
        }),
        _ if fits => Ok(SortMethod::Small),
        _ => Ok(SortMethod::OneSweep),
    }
}

/// Shape of a tile of segments that fit in it.
fn shape(policy: &Policy, sort: &KeyedSort, values: SortValues) -> TileShape {
    let element =
        u64::from(sort.key.bytes()) + if matches!(values, SortValues::None) { 0 } else { WORD };
    let available = u64::from(policy.facts.shared_memory).saturating_sub(OTHER_SHARED);
    // Every 32 elements are padded by one element.
    let needed = |threads: u32| u64::from(threads * ITEMS) * element * 33 / 32;
    // Tiles and half tiles are multiples of a word of head bits.
    let min_threads = policy.facts.subgroup_size.max(8);
    let mut threads = policy.small_sort_tile(sort.key).threads / min_threads * min_threads;
    while threads > min_threads && needed(threads) > available {
        threads = (threads / 2) / min_threads * min_threads;
    }
    TileShape::new(threads.max(min_threads), ITEMS)
}

/// Location of the segments, and their properties as far as the host knows them.
struct Segments {
    count: Count,
    /// Maximum number of elements.
    elements: u64,
    /// Length of a row; 0 if segments have offsets.
    row_length: u64,
    longest: Option<u64>,
    shortest: Option<u64>,
    offsets: Offsets,
}

enum Offsets {
    None,
    Host(Arc<[u32]>),
    /// On the device, with arbitrary values.
    Device(Buffer),
}

impl Segments {
    fn new(cut: &Cut, buffers: &SortBuffers) -> Result<Self> {
        let elements = buffers.n.max();
        let refuse = |problem| Err(Error::Segments { problem });
        match (cut, buffers.segments) {
            (Cut::Whole, Some((offsets, count))) => Self::on_device(offsets, count, elements),
            (_, Some(_)) => {
                refuse("they are given twice: in the sort and in SortBuffers::segments")
            }
            (Cut::Rows(_), None) if !matches!(buffers.n, Count::Host(_)) => {
                Err(Error::RowsOfDeviceCount)
            }
            (&Cut::Rows(length), None) => {
                check_rows(elements, length)?;
                let count = Count::Host(elements / length.max(1));
                let (longest, offsets) = (Some(length), Offsets::None);
                let row_length = length.max(1);
                Ok(Self { count, elements, row_length, longest, shortest: longest, offsets })
            }
            (Cut::Offsets(offsets), None) => {
                let (last, longest, shortest) = lengths(offsets)?;
                if buffers.n != Count::Host(last) {
                    return refuse(
                        "offsets on the host need a host count of keys that is equal to the last offset",
                    );
                }
                let count = Count::Host(offsets.len() as u64 - 1);
                let (longest, shortest) = (Some(longest), Some(shortest));
                let offsets = Offsets::Host(offsets.clone());
                Ok(Self { count, elements, row_length: 0, longest, shortest, offsets })
            }
            (Cut::Whole, None) => {
                refuse("none are given; set them in the sort or in SortBuffers::segments")
            }
        }
    }

    fn on_device(offsets: Buffer, count: Count, elements: u64) -> Result<Self> {
        check_element("offsets", offsets, ElementType::U32)?;
        let (asked, limit) = (count.max(), u64::from(u32::MAX) - 1);
        if asked > limit {
            return Err(Error::TooLarge { what: "number of segments", asked, limit });
        }
        check_size("sort.offsets", offsets, (asked + 1) * WORD)?;
        let (longest, shortest, offsets) = (None, None, Offsets::Device(offsets));
        Ok(Self { count, elements, row_length: 0, longest, shortest, offsets })
    }
}

/// Number of elements, length of the longest segment, and length of the shortest segment that is not empty.
fn lengths(offsets: &[u32]) -> Result<(u64, u64, u64)> {
    let refuse = |problem| Err(Error::Segments { problem });
    let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else {
        return refuse("there are no offsets; give one more offset than there are segments");
    };
    if first != 0 {
        return refuse("the first offset must be 0");
    }
    if !offsets.is_sorted() {
        return refuse("an offset is less than the previous one; sort the offsets");
    }
    let lengths = offsets.windows(2).map(|both| u64::from(both[1] - both[0]));
    let longest = lengths.clone().max().unwrap_or(0);
    let shortest = lengths.filter(|&length| length > 0).min().unwrap_or(0);
    Ok((last.into(), longest, shortest))
}

/// Parameters of the passes of one segmented sort.
pub(super) struct SegmentPasses<'j> {
    pub graph: &'j mut Graph,
    pub policy: &'j Policy,
    pub sort: &'j KeyedSort,
    pub buffers: &'j SortBuffers,
    /// Shape of a tile of segments that fit in it.
    shape: TileShape,
    segments: &'j Segments,
}

/// Buffers with the segments that the device has found.
#[derive(Clone, Copy)]
pub(super) struct Found {
    scratch: Buffer,
    /// Words of head bits at the start of `scratch`. The counts begin at word `counts`.
    words: u64,
    counts: u64,
    pub large: Buffer,
}

impl Found {
    fn heads(self) -> View {
        self.scratch.elements::<u32>(0, self.words)
    }

    pub fn counts(self) -> View {
        self.scratch.elements::<u32>(self.counts, FOUND_WORDS)
    }

    /// Number of tiles of all large segments, at most `max`.
    pub fn large_tiles(self, max: u64) -> Count {
        Count::Device { buffer: self.scratch, index: self.counts + FOUND_TILES, max }
    }
}

impl SegmentPasses<'_> {
    fn add(mut self) -> Result<()> {
        let tile = u64::from(self.shape.tile());
        let segments = self.segments;
        let fit = segments.shortest.is_none_or(|shortest| shortest <= tile);
        let larger = segments.longest.is_none_or(|longest| longest > tile);
        let large = Large::new(self.policy, self.sort, self.buffers, tile);
        let found = self.find(&large)?;
        if fit {
            self.tiles(found)?;
        }
        if larger { large.add(self, found) } else { Ok(()) }
    }

    /// Declares the buffers of `Found` and adds the passes that fill them.
    fn find(&mut self, large: &Large) -> Result<Found> {
        let (graph, policy, segments) = (&mut *self.graph, self.policy, self.segments);
        let words = segments.elements.div_ceil(HEADS);
        let counts = words.next_multiple_of(ALIGNMENT);
        let scratch = graph.transient::<u32>("sort.segments.heads", counts + FOUND_WORDS);
        fill(graph, policy, "sort.segments.clear", scratch, 0)?;
        let capacity = large.max_segments.max(1);
        let list = graph.transient::<[u32; 4]>("sort.segments.large", capacity);
        let found = Found { scratch, words, counts, large: list };
        let [begins, offsets] = match &segments.offsets {
            // Rows do not use offsets. The kernel does not read this placeholder.
            Offsets::None => [graph.constant("sort.segments.offsets", &[0u32]).into(); 2],
            Offsets::Host(offsets) => [graph.constant("sort.segments.offsets", offsets).into(); 2],
            &Offsets::Device(offsets) => ascending(graph, policy, offsets, segments.count)?,
        };
        let (mut lengths, count) = Lengths::new(segments.count)?;
        let groups = lengths.parts(count, HEADS_EACH * u64::from(policy.threads))?;
        let prepared = lengths.prepare(graph, policy, "sort.segments.prepare")?;
        let n = OtherCount::new(self.buffers.n)?;
        let push = HeadsPush {
            count: prepared.pushed(count),
            elements: n.max,
            elements_index: n.index,
            row_length: segments.row_length as u32,
            max_tile: self.shape.tile(),
            large_tile: large.shape.tile(),
        };
        let kernel = SORT_SEGMENTS_HEADS.kernel()?;
        let pass = graph
            .own_pass(SORT_SEGMENTS_HEADS.label(), &kernel)
            .push(&push)
            .specialize("local_size_x", policy.threads)
            .bind("heads", found.heads())
            .bind("found", found.counts())
            .bind("large", list)
            .bind("begins", begins)
            .bind("offsets", offsets);
        prepared.dispatch(prepared.bind(n.bind(pass, offsets), offsets), groups);
        Ok(found)
    }

    /// Adds the pass that sorts segments that fit in a tile.
    fn tiles(&mut self, found: Found) -> Result<()> {
        let (graph, policy, sort) = (&mut *self.graph, self.policy, self.sort);
        // A workgroup sorts the segments that begin in its half of a tile. They fit in a tile, except that the
        // last one may be too long; the workgroup then sorts that one separately.
        let stride = u64::from(self.shape.tile()) / 2 / HEADS * HEADS;
        let (mut lengths, n) = Lengths::new(self.buffers.n)?;
        let groups = lengths.parts(n, stride)?;
        let prepared = lengths.prepare(graph, policy, "sort.segments.prepare")?;
        let mask = sort.mask();
        let push = TilesPush {
            count: prepared.pushed(n),
            stride: stride as u32,
            mask: [mask as u32, (mask >> 32) as u32],
            descending: sort.descending.into(),
        };
        let values = self.buffers.values;
        let kernels = variant(values, SORT_SEGMENTS_TILES);
        let kernel = kernels[usize::from(sort.key.bits() == 64)].kernel()?;
        let keys = self.buffers.keys.range(0, n.max * u64::from(sort.key.bytes()));
        let mut pass = graph
            .own_pass("sort.segments.tiles", &kernel)
            .push(&push)
            .bind("keys", single(keys, policy)?)
            .bind("heads", found.heads())
            .bind("found", found.counts());
        pass = prepared.bind(pass, found.heads());
        pass = values.bind(pass, policy, n.max)?;
        let constants = [
            ("local_size_x", self.shape.threads),
            ("KEY_KIND", sort.key.kind()),
            ("ALL_BITS", sort.by_all_bits().into()),
            ("VALUE_WORDS", values.bytes().unwrap_or(4) / 4),
            ("COUNTED_VALUES", u32::from(matches!(values, SortValues::Indices(_)))),
        ];
        let pass = specialize(pass, &kernel, &constants);
        prepared.dispatch(pass, groups);
        Ok(())
    }
}

/// Returns the start of each segment in ascending order, and the offsets. Offsets in device memory may
/// decrease. An offset below an earlier one is raised to that one, so that the segment in between is empty and
/// segments do not overlap.
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
