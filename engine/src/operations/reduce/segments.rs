//! Segmented reductions: reduces each segment of an array. Segments are specified by offsets and
//! may have any length, or are the rows of a matrix. Each workgroup processes one tile of elements
//! rather than one segment, so performance does not depend on the lengths of the segments.

use multisplit_graph::{Buffer, ElementType, Graph, Groups, PassBuilder, View};
use multisplit_shaders::builtin::variants::{REDUCE_JOIN, REDUCE_ROWS, REDUCE_SEGMENTS};
use multisplit_shaders::push_constants;

use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::execute::own_pass::OwnPasses;
use crate::operations::Count;
use crate::operations::scan::tile_elements;
use crate::operations::shared::checks::{check_element, check_rows, check_size};
use crate::operations::shared::count::{Length, Lengths, OtherCount, Prepared};
use crate::operations::shared::operator::AnyOperator;
use crate::operations::shared::pieces::single;
use crate::operations::shared::specialize::specialize;
use crate::operations::shared::terms::Terms;
use crate::policy::Policy;

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
/// Maximum number of workgroups that write the identity for segments that no tile has found. There
/// are such segments only if offsets decrease. Must match `join.comp`.
const MAX_FINDERS: u64 = 64;
/// Segments per thread of these workgroups before another workgroup is added.
const FINDER_SEGMENTS: u64 = 1 << 10;
/// Bytes that a lane loads at a time.
pub(super) const ROW_BYTES: u64 = 16;
/// Shared memory in addition to the elements of a tile, in bytes.
const OTHER_SHARED: u64 = 4 << 10;

/// Arrays of a segmented reduction in a graph. They must not overlap.
#[derive(Clone, Copy, Debug)]
pub struct SegmentedReduceBuffers {
    segments: Count,
    src: Buffer,
    cut: Cut,
    dst: Buffer,
    elements: Count,
}

/// Definition of the segments.
#[derive(Clone, Copy, Debug)]
enum Cut {
    Offsets(Buffer),
    Rows(u64),
}

impl SegmentedReduceBuffers {
    /// Reduces each segment of `src`. Segment s begins at `offsets[s]` and ends before `offsets[s +
    /// 1]`; its result is written to `dst[s]`. `offsets` is an array of `u32` with one more element
    /// than there are segments. The result of an empty segment is the identity of the operator: 0
    /// for a sum, the last value in sort order for a minimum, the first for a maximum. `src` and
    /// `dst` are arrays of `u32`, `i32`, `f32`, `u64`, `i64` or `f64`.
    ///
    /// Offsets are clamped to the number of elements. A segment that ends at or before its
    /// beginning is empty. Every result is written. If an offset is less than the previous one, the
    /// result of a segment that is not empty is the combination of some elements of `src`, or the
    /// identity, and may vary between runs. All accesses stay within the arrays.
    pub fn new(src: Buffer, offsets: Buffer, dst: Buffer) -> Self {
        let segments = Count::Host(offsets.len().saturating_sub(1));
        Self { segments, src, cut: Cut::Offsets(offsets), dst, elements: Count::Host(src.len()) }
    }

    /// Reduces each row of a matrix and writes the result of row r to `dst[r]`. The rows of `src`
    /// have `length` elements. `length` must divide the number of elements, or the maximum of a
    /// device count. The supported types are those of [`new`](Self::new).
    pub fn rows(src: Buffer, length: u64, dst: Buffer) -> Self {
        let rows = Count::Host(src.len() / length.max(1));
        Self { segments: rows, src, cut: Cut::Rows(length), dst, elements: Count::Host(src.len()) }
    }

    /// Reduces only the first `segments` segments. `segments` is a host count or a device count.
    /// Rows without elements are allowed.
    #[must_use]
    pub fn count(self, segments: impl Into<Count>) -> Self {
        Self { segments: segments.into(), ..self }
    }

    /// Uses only the first `n` elements of `src`. `n` is a host count or a device count. Offsets
    /// past `n` are clamped to `n`; rows past `n` are empty or cut off at `n`.
    #[must_use]
    pub fn elements(self, n: impl Into<Count>) -> Self {
        Self { elements: n.into(), ..self }
    }
}

/// Adds the passes of a segmented reduction to the graph: one over the elements and, if there is
/// more than one tile, one that joins segments across tiles. If segments are long on average, each
/// has a subgroup or a workgroup instead, and long segments are shared between several. Short rows
/// whose length is a power of two are reduced by a few lanes each, in one pass. Each array must fit
/// one storage binding.
pub fn reduce_segments(
    graph: &mut Graph,
    policy: &Policy,
    operator: impl Into<AnyOperator>,
    buffers: &SegmentedReduceBuffers,
) -> Result<()> {
    policy.check()?;
    graph.sized_for_subgroups(policy.facts.subgroup_size);
    let &SegmentedReduceBuffers { segments, src, cut, dst, elements } = buffers;
    let key = KeyType::wide_of("src", src)?;
    check_element("dst", dst, key.into())?;
    let operator = operator.into();
    let terms = Terms::new(key, &operator)?;
    let (max_segments, max_elements) = (segments.max(), elements.max());
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
    let end = max_segments.saturating_mul(row_length);
    let (asked, limit) = (max_segments.max(max_elements).max(end), u64::from(u32::MAX));
    if asked > limit {
        let what = "number of elements or segments of a reduction (offsets have 32 bits)";
        return Err(Error::TooLarge { what, asked, limit });
    }
    check_size("reduce_segments.src", src, max_elements.saturating_mul(terms.bytes))?;
    check_size("reduce_segments.dst", dst, max_segments.saturating_mul(terms.bytes))?;
    if max_segments == 0 {
        return Ok(());
    }
    let source = (max_elements * terms.bytes).max(terms.bytes);
    let src = single(src.range(0, source), policy)?;
    let offsets = match cut {
        Cut::Offsets(offsets) => {
            let needed = max_segments.saturating_add(1).saturating_mul(WORD);
            check_size("reduce_segments.offsets", offsets, needed)?;
            single(offsets.range(0, needed), policy)?
        }
        // Bound, but not accessed.
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
        dst: single(dst.range(0, max_segments * terms.bytes), policy)?,
        elements: OtherCount::new(elements)?,
    };
    job.add(graph)
}

/// Parameters of the passes of one segmented reduction. Each array has a single binding, so
/// elements, segments and tiles have 32-bit indices.
pub(super) struct SegmentPasses<'j> {
    pub policy: &'j Policy,
    pub prepared: Prepared,
    pub terms: Terms<'j>,
    pub segments: Length,
    pub elements: OtherCount,
    /// Length of a row if segments are rows of a matrix; otherwise 0.
    pub row_length: u32,
    pub src: View,
    pub offsets: View,
    pub dst: View,
}

impl SegmentPasses<'_> {
    /// Workgroup size and tile size. Each element of a tile takes one word of shared memory.
    fn workgroup(&self) -> (u32, u64) {
        let tile = |threads| tile_elements(REDUCE_SEGMENTS[0], &Policy { threads, ..*self.policy });
        let available = u64::from(self.policy.facts.shared_memory).saturating_sub(OTHER_SHARED);
        // Multiples of the subgroup size, which is a power of two.
        let mut threads = self.policy.threads;
        while threads.is_multiple_of(2 * self.policy.facts.subgroup_size)
            && tile(threads) * WORD > available
        {
            threads /= 2;
        }
        (threads, tile(threads))
    }

    fn add(&self, graph: &mut Graph) -> Result<()> {
        if let Some(lanes) = self.row_lanes() {
            return self.add_short_rows(graph, lanes);
        }
        let (threads, tile) = self.workgroup();
        let tiles = u64::from(self.elements.max).div_ceil(tile);
        if tiles > 1 && self.are_long() {
            return self.add_long(graph);
        }
        // Empty segments need workgroups too.
        let groups = numbered(tiles.max(self.segments.max.div_ceil(tile)).max(1), tile)?;
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
                elements: self.elements.max,
                elements_index: self.elements.index,
                groups: groups as u32,
                row_length: self.row_length,
            })
            .specialize("local_size_x", threads)
            .specialize("INCLUSIVE", 1);
        let pass = self.bind(pass, &kernel);
        self.prepared.bind(pass, self.offsets).dispatch(Groups::linear(groups));
        // With a single tile, all segments are complete.
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
                elements: self.elements.max,
                elements_index: self.elements.index,
                row_length: self.row_length,
            })
            .specialize("local_size_x", self.policy.threads);
        let threads = u64::from(self.policy.threads);
        let finders = self.segments.max.div_ceil(FINDER_SEGMENTS * threads).min(MAX_FINDERS);
        let groups = tiles.div_ceil(threads).max(finders);
        let pass = self.prepared.bind(self.bind(pass, &kernel), self.offsets);
        pass.dispatch(Groups::linear(groups));
        Ok(())
    }

    /// Number of lanes that hold a row, with 16 bytes each. `None` if the row length is not a power
    /// of two, or if a row does not fit one subgroup.
    fn row_lanes(&self) -> Option<u32> {
        let lanes = u64::from(self.row_length) * self.terms.bytes / ROW_BYTES;
        let fits = (1..=u64::from(self.policy.facts.subgroup_size)).contains(&lanes);
        (self.row_length.is_power_of_two() && fits).then_some(lanes as u32)
    }

    fn add_short_rows(&self, graph: &mut Graph, lanes: u32) -> Result<()> {
        let tile = tile_elements(REDUCE_ROWS[0], self.policy);
        let groups = (self.segments.max * u64::from(self.row_length)).div_ceil(tile);
        let groups = numbered(groups, tile)?;
        let kernel = self.terms.kernel(&REDUCE_ROWS)?;
        let pass = graph
            .own_pass(REDUCE_ROWS[0].label(), &kernel)
            .bind("src", self.src)
            .bind("dst", self.dst)
            .push(&RowsPush {
                rows: self.prepared.pushed(self.segments),
                elements: self.elements.max,
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

/// Returns `groups`, or an error if the elements of their tiles exceed 32-bit indices.
fn numbered(groups: u64, tile: u64) -> Result<u64> {
    let (asked, limit) = (groups.saturating_mul(tile), u64::from(u32::MAX));
    if asked > limit {
        return Err(Error::TooLarge { what: "length of a reduction", asked, limit });
    }
    Ok(groups)
}
