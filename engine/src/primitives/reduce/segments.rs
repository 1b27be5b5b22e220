//! Segmented reduce: what the elements of each segment combine to, where offsets cut an array into segments of
//! any length, or into rows of one length. Workgroups take tiles of elements and not segments, so that no length
//! is worse than another.

use multisplit_graph::{Buffer, ElementType, Graph, Groups, PassBuilder, View};
use multisplit_shaders::builtin::variants::{REDUCE_JOIN, REDUCE_ROWS, REDUCE_SEGMENTS};
use multisplit_shaders::push_constants;

use crate::error::{Error, Result};
use crate::execute::own_pass::OwnPasses;
use crate::primitives::arrays::{check_element, check_room, check_rows};
use crate::primitives::constants::specialize;
use crate::primitives::count::{Length, Lengths, OtherCount, Prepared};
use crate::primitives::key::KeyType;
use crate::primitives::operator::AnyOperator;
use crate::primitives::pieces::single;
use crate::primitives::scan::tile_elements;
use crate::primitives::term::Terms;
use crate::primitives::{Count, Policy};

push_constants! {
    struct SegmentsPush {
        segments: u32,
        elements: u32,
        elements_index: u32,
        groups: u32,
        row_length: u32,
    }
}

push_constants! {
    struct RowsPush {
        rows: u32,
        elements: u32,
        elements_index: u32,
        groups: u32,
    }
}

push_constants! {
    struct JoinPush {
        segments: u32,
        groups: u32,
        tile: u32,
        elements: u32,
        elements_index: u32,
        row_length: u32,
    }
}

const WORD: u64 = 4;
/// Maximum number of workgroups that look for segments no tile has found; the kernel has the same.
const MAX_FINDERS: u64 = 64;
/// Segments that each of their threads examines before there are more of them.
const FINDER_SEGMENTS: u64 = 1 << 10;
/// What a lane loads at a time.
pub(super) const ROW_BYTES: u64 = 16;
/// Bytes of shared memory beside what elements of a tile take.
const OTHER_SHARED: u64 = 4 << 10;

/// Where the arrays of a segmented reduction are in a graph. They must not overlap.
#[derive(Clone, Copy, Debug)]
pub struct SegmentedReduceBuffers {
    segments: Count,
    src: Buffer,
    cut: Cut,
    dst: Buffer,
    elements: Count,
}

/// Where segments begin.
#[derive(Clone, Copy, Debug)]
enum Cut {
    Offsets(Buffer),
    Rows(u64),
}

impl SegmentedReduceBuffers {
    /// Element s of `dst` gets what the elements of `src` from `offsets[s]` up to, but not including,
    /// `offsets[s + 1]` combine to. There is one offset, a `u32`, more than there are segments. Of no
    /// elements that is what changes nothing: 0 of a sum, the last value in order of a minimum, the first
    /// of a maximum. `src` and `dst` are arrays of `u32`, `i32`, `f32`, `u64`, `i64` or `f64`.
    ///
    /// Offsets are clamped to the number of elements. A segment that ends at or before its beginning is
    /// empty. Every result is written. If an offset is below the one before it, the result of a segment
    /// that is not empty is a combination of some elements of `src`, or the result of no elements; which
    /// of them may change from run to run. Nothing else is read or written.
    pub fn new(src: Buffer, offsets: Buffer, dst: Buffer) -> Self {
        let segments = Count::Host(offsets.len().saturating_sub(1));
        Self { segments, src, cut: Cut::Offsets(offsets), dst, elements: Count::Host(src.len()) }
    }

    /// Element r of `dst` gets what row r of a matrix combines to: the elements of `src` are cut into rows of
    /// `length`, which has to divide their number, or the most there can be. The types are those of
    /// [`new`](Self::new).
    pub fn rows(src: Buffer, length: u64, dst: Buffer) -> Self {
        let rows = Count::Host(src.len() / length.max(1));
        Self { segments: rows, src, cut: Cut::Rows(length), dst, elements: Count::Host(src.len()) }
    }

    /// The first `segments`, by a host count or a device count. There may be more rows than have elements.
    #[must_use]
    pub fn count(self, segments: impl Into<Count>) -> Self {
        Self { segments: segments.into(), ..self }
    }

    /// The first `n` elements of `src`, by a host count or a device count: offsets past them count as `n`, rows
    /// past them are empty, and a row in which they end has those before.
    #[must_use]
    pub fn elements(self, n: impl Into<Count>) -> Self {
        Self { elements: n.into(), ..self }
    }
}

/// Adds the passes of a segmented reduction to the graph: one over the elements and, where they are more than
/// a tile, one that joins segments across tiles. Segments that are long on average have a subgroup or a
/// workgroup each instead, and share what is left of the longest. Short rows, whose length is a power of two, have
/// some lanes each, and take one pass. Arrays are at most as long as one binding can be.
pub fn reduce_segments(
    graph: &mut Graph,
    policy: &Policy,
    operator: impl Into<AnyOperator>,
    buffers: &SegmentedReduceBuffers,
) -> Result<()> {
    policy.check()?;
    graph.sized_for_subgroups(policy.subgroup_size);
    let &SegmentedReduceBuffers { segments, src, cut, dst, elements } = buffers;
    let key = KeyType::wide_of("src", src)?;
    check_element("dst", dst, key.into())?;
    let operator = operator.into();
    let terms = Terms::new(key, &operator)?;
    let (most, max_elements) = (segments.max(), elements.max());
    let row_length = match cut {
        Cut::Offsets(offsets) => {
            check_element("offsets", offsets, ElementType::U32)?;
            0
        }
        Cut::Rows(length) => {
            check_rows(max_elements, length)?;
            length.max(1)
        }
    };
    let end = most.saturating_mul(row_length);
    let (asked, limit) = (most.max(max_elements).max(end), u64::from(u32::MAX));
    if asked > limit {
        let what = "number of elements or segments of a reduction (offsets have 32 bits)";
        return Err(Error::TooLarge { what, asked, limit });
    }
    check_room("reduce_segments.src", src, max_elements.saturating_mul(terms.bytes))?;
    check_room("reduce_segments.dst", dst, most.saturating_mul(terms.bytes))?;
    if most == 0 {
        return Ok(());
    }
    let source = (max_elements * terms.bytes).max(terms.bytes);
    let src = single(src.range(0, source), policy)?;
    let offsets = match cut {
        Cut::Offsets(offsets) => {
            let needed = most.saturating_add(1).saturating_mul(WORD);
            check_room("reduce_segments.offsets", offsets, needed)?;
            single(offsets.range(0, needed), policy)?
        }
        // Not looked at.
        Cut::Rows(_) => src,
    };
    let (lengths, segments) = Lengths::new(segments)?;
    let prepared = lengths.prepare(graph, policy, "reduce.segments.prepare")?;
    let job = SegmentPasses {
        policy,
        prepared,
        terms,
        segments,
        row_length: row_length as u32,
        src,
        offsets,
        dst: single(dst.range(0, most * terms.bytes), policy)?,
        elements: OtherCount::new(elements)?,
    };
    job.add(graph)
}

/// One segmented reduction on its way into the graph. Everything is in one binding each, so that numbers of
/// elements, segments and tiles have 32 bits.
pub(super) struct SegmentPasses<'j> {
    pub policy: &'j Policy,
    pub prepared: Prepared,
    pub terms: Terms<'j>,
    pub segments: Length,
    pub elements: OtherCount,
    /// Of the rows, where segments are rows of a matrix, else 0.
    pub row_length: u32,
    pub src: View,
    pub offsets: View,
    pub dst: View,
}

impl SegmentPasses<'_> {
    /// Threads of a workgroup, and elements of its tile, which take a word of shared memory each.
    fn workgroup(&self) -> (u32, u64) {
        let tile = |threads| tile_elements(REDUCE_SEGMENTS[0], &Policy { threads, ..*self.policy });
        let room = u64::from(self.policy.shared_memory).saturating_sub(OTHER_SHARED);
        // Multiples of the subgroup size, which is a power of two.
        let mut threads = self.policy.threads;
        while threads.is_multiple_of(2 * self.policy.subgroup_size) && tile(threads) * WORD > room {
            threads /= 2;
        }
        (threads, tile(threads))
    }

    fn add(&self, graph: &mut Graph) -> Result<()> {
        if let Some(lanes) = self.row_lanes() {
            return self.add_short_rows(graph, lanes);
        }
        let (threads, tile) = self.workgroup();
        let tiles = u64::from(self.elements.most).div_ceil(tile);
        if tiles > 1 && self.are_long() {
            return self.add_long(graph);
        }
        // Segments without elements need workgroups too.
        let groups = numbered(tiles.max(self.segments.most.div_ceil(tile)).max(1), tile)?;
        let parts = graph.transient::<[u32; 8]>("reduce.segments.parts", tiles.max(1));
        let falls = graph.transient::<u32>("reduce.segments.falls", groups);
        let kernel = self.terms.kernel(&REDUCE_SEGMENTS)?;
        let pass = graph
            .own_pass(REDUCE_SEGMENTS[0].label(), &kernel)
            .bind("src", self.src)
            .bind("parts", parts)
            .bind("falls", falls)
            .push(&SegmentsPush {
                segments: self.prepared.pushed(self.segments),
                elements: self.elements.most,
                elements_index: self.elements.index,
                groups: groups as u32,
                row_length: self.row_length,
            })
            .specialize("local_size_x", threads)
            .specialize("INCLUSIVE", 1);
        let pass = self.bind(pass, &kernel);
        self.prepared.bind(pass, self.offsets).dispatch(Groups::linear(groups));
        // The segments of one tile are whole.
        if tiles <= 1 {
            return Ok(());
        }
        let kernel = self.terms.kernel(&REDUCE_JOIN)?;
        let pass = graph
            .own_pass(REDUCE_JOIN[0].label(), &kernel)
            .bind("parts", parts)
            .bind("falls", falls)
            .push(&JoinPush {
                segments: self.prepared.pushed(self.segments),
                groups: groups as u32,
                tile: tile as u32,
                elements: self.elements.most,
                elements_index: self.elements.index,
                row_length: self.row_length,
            })
            .specialize("local_size_x", self.policy.threads);
        let threads = u64::from(self.policy.threads);
        let finders = self.segments.most.div_ceil(FINDER_SEGMENTS * threads).min(MAX_FINDERS);
        let groups = tiles.div_ceil(threads).max(finders);
        let pass = self.prepared.bind(self.bind(pass, &kernel), self.offsets);
        pass.dispatch(Groups::linear(groups));
        Ok(())
    }

    /// How many lanes of a subgroup hold a row, 16 bytes each, where they do.
    fn row_lanes(&self) -> Option<u32> {
        let lanes = u64::from(self.row_length) * self.terms.bytes / ROW_BYTES;
        let fits = (1..=u64::from(self.policy.subgroup_size)).contains(&lanes);
        (self.row_length.is_power_of_two() && fits).then_some(lanes as u32)
    }

    fn add_short_rows(&self, graph: &mut Graph, lanes: u32) -> Result<()> {
        let tile = tile_elements(REDUCE_ROWS[0], self.policy);
        let groups = (self.segments.most * u64::from(self.row_length)).div_ceil(tile);
        let groups = numbered(groups, tile)?;
        let kernel = self.terms.kernel(&REDUCE_ROWS)?;
        let pass = graph
            .own_pass(REDUCE_ROWS[0].label(), &kernel)
            .bind("src", self.src)
            .bind("dst", self.dst)
            .push(&RowsPush {
                rows: self.prepared.pushed(self.segments),
                elements: self.elements.most,
                elements_index: self.elements.index,
                groups: groups as u32,
            })
            .specialize("local_size_x", self.policy.threads)
            .specialize("ROW_LANES", lanes);
        let pass = self.elements.bind(pass, self.src);
        let pass = specialize(pass, &kernel, &self.terms.constants());
        self.prepared.bind(pass, self.src).dispatch(Groups::linear(groups));
        Ok(())
    }

    pub(super) fn bind<'g>(
        &self,
        pass: PassBuilder<'g>,
        kernel: &multisplit_shaders::Kernel,
    ) -> PassBuilder<'g> {
        let pass = pass.bind("offsets", self.offsets).bind("dst", self.dst);
        let pass = self.elements.bind(pass, self.offsets);
        let pass = pass.specialize("OF_ROWS", (self.row_length > 0).into());
        specialize(pass, kernel, &self.terms.constants())
    }
}

/// As many workgroups, if kernels can number the elements of their tiles.
fn numbered(groups: u64, tile: u64) -> Result<u64> {
    let (asked, limit) = (groups.saturating_mul(tile), u64::from(u32::MAX));
    if asked > limit {
        return Err(Error::TooLarge { what: "length of a reduction", asked, limit });
    }
    Ok(groups)
}
