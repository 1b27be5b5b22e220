//! Segmented reductions: reduce each segment of an array. Segments are defined by offsets, or are the rows of a
//! matrix. In general, each workgroup processes one tile of elements rather than one segment, so that segments of very
//! different lengths do not leave workgroups idle.

use multisplit_graph::{ElementType, Graph, Groups, PassBuilder, View};
use multisplit_shaders::builtin::Builtin;
use multisplit_shaders::builtin::variants::{REDUCE_JOIN, REDUCE_ROWS, REDUCE_SEGMENTS};

use super::description::{Cut, SegmentedReduceBuffers};
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::shared::{
    AnyOperator, Constants, LOAD_BYTES, Length, Lengths, OtherCount, Prepared, Terms, WORD, begin,
    check_arrays, check_limit, check_rows, first_elements, halved_while, push_words, tile_elements,
};
use crate::policy::Policy;

/// Maximum number of workgroups that write the identity for segments that no tile has processed. Such segments exist
/// only if offsets decrease. Must match `join.comp`.
const MAX_FINDERS: u64 = 64;
/// Number of segments that each thread of these workgroups checks before another workgroup is added.
const FINDER_SEGMENTS: u64 = 1 << 10;
/// Shared memory for variables other than the elements of a tile, in bytes.
const OTHER_SHARED: u64 = 4 << 10;

/// Adds the passes of a segmented reduction to the graph. Each array must fit one storage binding.
///
/// - In general, one pass reduces tiles of elements. If there are several tiles, a second pass combines the parts of
///   segments that span tiles.
/// - If segments are long on average, each one is reduced by a subgroup or a workgroup of its own, and very long
///   segments are divided between several.
/// - Rows of at least 16 bytes whose length is a power of two are reduced by one or more lanes of a subgroup each, in a
///   single pass, if each lane loads at most 16 bytes of a row.
pub fn reduce_segments(
    graph: &mut Graph,
    policy: &Policy,
    operator: impl Into<AnyOperator>,
    buffers: &SegmentedReduceBuffers,
) -> Result<()> {
    begin(graph, policy)?;
    let &SegmentedReduceBuffers { segments, src, cut, dst, elements } = buffers;
    let key = KeyType::wide_of("src", src)?;
    let operator = operator.into();
    let terms = Terms::new(key, &operator)?;
    let (max_segments, max_elements) = (segments.max(), elements.max());
    let (offsets, row_length) = match cut {
        Cut::Offsets(offsets) => (Some(offsets), 0),
        Cut::Rows(length) => {
            check_rows(max_elements, length)?;
            (None, length.max(1))
        }
    };
    let end = max_segments.saturating_mul(row_length);
    let what = "number of elements or segments of a segmented reduction, or rows times row length";
    check_limit(what, max_segments.max(max_elements).max(end), u32::MAX)?;
    // Kernels read one offset more than there are segments, but none if there are no segments.
    let offset_count = if max_segments > 0 { max_segments + 1 } else { 0 };
    let arrays = [
        ("src", Some(src), key.into(), max_elements),
        ("dst", Some(dst), key.into(), max_segments),
        ("offsets", offsets, ElementType::U32, offset_count),
    ];
    check_arrays("reduce_segments", &arrays)?;
    if max_segments == 0 {
        return Ok(());
    }
    let src = first_elements(src, max_elements, terms.bytes, policy)?;
    let view = |offsets| first_elements(offsets, offset_count, WORD, policy);
    // The kernels declare this binding, but do not read it if segments are rows.
    let offsets = offsets.map_or(Ok(src), view)?;
    let (lengths, segments) = Lengths::new(segments)?;
    let prepared = lengths.prepare(graph, policy, "reduce.segments.prepare")?;
    let passes = SegmentPasses {
        policy,
        prepared,
        terms,
        segments,
        row_length: row_length as u32,
        src,
        offsets,
        dst: first_elements(dst, max_segments, terms.bytes, policy)?,
        elements: OtherCount::new(elements)?,
    };
    passes.add(graph)
}

/// Parameters of the passes of one segmented reduction. Each array fits one binding, so 32-bit indices suffice for
/// elements, segments and tiles.
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
    /// Workgroup size, and number of elements per tile. Each element of a tile takes one word of shared memory.
    fn workgroup(&self) -> (u32, u64) {
        let tile = |threads| tile_elements(REDUCE_SEGMENTS[0], &Policy { threads, ..*self.policy });
        let available = u64::from(self.policy.facts.shared_memory).saturating_sub(OTHER_SHARED);
        let exceeds = |threads| tile(threads) * WORD > available;
        let threads = halved_while(self.policy, self.policy.threads, exceeds);
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
        // Enough workgroups for all elements and for all segments, which may be empty.
        let groups = check_indices(tiles.max(self.segments.max.div_ceil(tile)).max(1), tile)?;
        let parts = graph.transient::<[u32; 8]>("reduce.segments.parts", tiles.max(1));
        let falls = graph.transient::<u32>("reduce.segments.falls", groups);
        self.pass(graph, &REDUCE_SEGMENTS, &[("local_size_x", threads), ("INCLUSIVE", 1)])?
            .bind("src", self.src)
            .bind("parts", parts)
            .bind("falls", falls)
            .push(&push_words! {
                segments: self.prepared.pushed(self.segments),
                elements: self.elements.max,
                elements_index: self.elements.index,
                groups: groups as u32,
                row_length: self.row_length,
            })
            .dispatch(Groups::linear(groups));
        // With a single tile, the first pass completes all segments.
        if tiles <= 1 {
            return Ok(());
        }
        let threads = u64::from(self.policy.threads);
        let finders = self.segments.max.div_ceil(FINDER_SEGMENTS * threads).min(MAX_FINDERS);
        self.pass(graph, &REDUCE_JOIN, &[("local_size_x", self.policy.threads)])?
            .bind("parts", parts)
            .bind("falls", falls)
            .push(&push_words! {
                segments: self.prepared.pushed(self.segments),
                groups: groups as u32,
                tile: tile as u32,
                elements: self.elements.max,
                elements_index: self.elements.index,
                row_length: self.row_length,
            })
            .dispatch(Groups::linear(tiles.div_ceil(threads).max(finders)));
        Ok(())
    }

    /// Number of lanes that reduce one row together, with 16 bytes per lane. `None` if the row length is not a power
    /// of two, if a row has less than 16 bytes, or if a subgroup has too few lanes for a row.
    fn row_lanes(&self) -> Option<u32> {
        let lanes = u64::from(self.row_length) * self.terms.bytes / LOAD_BYTES;
        let fits = (1..=u64::from(self.policy.facts.subgroup_size)).contains(&lanes);
        (self.row_length.is_power_of_two() && fits).then_some(lanes as u32)
    }

    fn add_short_rows(&self, graph: &mut Graph, lanes: u32) -> Result<()> {
        let tile = tile_elements(REDUCE_ROWS[0], self.policy);
        let groups = (self.segments.max * u64::from(self.row_length)).div_ceil(tile);
        let groups = check_indices(groups, tile)?;
        let constants = [("local_size_x", self.policy.threads), ("ROW_LANES", lanes)];
        let pass = self
            .terms
            .pass(graph, &REDUCE_ROWS, &constants)?
            .bind("src", self.src)
            .bind("dst", self.dst)
            .push(&push_words! {
                rows: self.prepared.pushed(self.segments),
                elements: self.elements.max,
                elements_index: self.elements.index,
                groups: groups as u32,
            });
        let pass = self.elements.bind(pass, self.src);
        self.prepared.bind(pass, self.src).dispatch(Groups::linear(groups));
        Ok(())
    }

    /// Starts a pass with the bindings and constants that are common to the kernels of this module (except that of
    /// short rows) and of `long_segments`.
    pub(super) fn pass<'g>(
        &self,
        graph: &'g mut Graph,
        kernels: &[&'static Builtin],
        constants: &Constants<'_>,
    ) -> Result<PassBuilder<'g>> {
        let of_rows = ("OF_ROWS", u32::from(self.row_length > 0));
        let pass = self
            .terms
            .pass(graph, kernels, &[constants, &[of_rows]].concat())?
            .bind("offsets", self.offsets)
            .bind("dst", self.dst);
        Ok(self.prepared.bind(self.elements.bind(pass, self.offsets), self.offsets))
    }
}

/// Returns `groups`, or an error if the elements of these workgroups cannot be indexed with 32 bits.
///
/// `tile` is the number of elements per workgroup.
fn check_indices(groups: u64, tile: u64) -> Result<u64> {
    check_limit(
        "number of elements of a segmented reduction, rounded up to whole tiles",
        groups.saturating_mul(tile),
        u32::MAX,
    )?;
    Ok(groups)
}
