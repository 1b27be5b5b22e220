//! Segments that are long on average: a taker for each, and for each chunk of the array, which helps with a
//! segment that is longer than a chunk. Rows of a matrix, if there are many, have one taker each instead.

use multisplit_graph::{Graph, Groups};
use multisplit_shaders::builtin::variants::{REDUCE_LONG_JOIN, REDUCE_LONG_SEGMENTS};
use multisplit_shaders::push_constants;

use super::segments::{ROW_BYTES, SegmentPasses};
use crate::error::Result;
use crate::execute::own_pass::OwnPasses;
use crate::primitives::Policy;

push_constants! {
    struct LongPush {
        segments: u32,
        max_chunks: u32,
        elements: u32,
        elements_index: u32,
        chunk: u32,
        row_length: u32,
    }
}

/// What part of a chunk a segment has to be on average for a subgroup of its own, and for a workgroup.
const SUBGROUP_SHARE: u32 = 128;
const WORKGROUP_SHARE: u32 = 32;
/// What part of the takers that are subgroups are workgroups of half the size: they all run at a time.
const SMALL_SHARE: u64 = 4;
const MAX_LOADED_ROWS: u64 = 8;
/// Chunks of the array at most, which may all be those of one segment.
const MAX_CHUNKS: u64 = 1 << 12;
/// So many rows as this part of the takers that are subgroups, and each has one taker, however long they are.
const WHOLE_ROWS_SHARE: u64 = 8;

impl SegmentPasses<'_> {
    fn max_elements(&self) -> u64 {
        self.elements.most.into()
    }

    fn average(&self) -> u64 {
        match self.row_length {
            0 => self.max_elements() / self.segments.most.max(1),
            length => length.into(),
        }
    }

    /// Whether segments are rows that are not cut into chunks: short ones, or so many that their takers fill the
    /// device, unless a taker would go through more rounds than loops have.
    fn are_whole_rows(&self) -> bool {
        let length = u64::from(self.row_length);
        if length == 0 || length <= self.max_chunk() {
            return length > 0;
        }
        let rows = self.segments.most.min(self.max_elements() / length);
        let enough = u64::from(self.policy.subgroup_takers) / WHOLE_ROWS_SHARE;
        let rounds = length / u64::from(self.policy.subgroup_size);
        rows >= enough.max(1) && rounds <= self.policy.split.max_loop_rounds.into()
    }

    fn chunk(&self) -> u64 {
        if self.are_whole_rows() {
            return u64::from(self.row_length).next_multiple_of(4);
        }
        self.max_elements().div_ceil(MAX_CHUNKS).next_multiple_of(4).max(self.max_chunk())
    }

    /// Maximum number of elements that a worker keeps: the policy's, or as many as loops have rounds for.
    fn max_chunk(&self) -> u64 {
        let Policy { segment_chunk, subgroup_size, split, .. } = self.policy;
        let rounds = u64::from(split.max_loop_rounds) * u64::from(*subgroup_size);
        u64::from(*segment_chunk).min(rounds / 4 * 4)
    }

    /// Chunks that help with longer segments.
    fn chunks(&self) -> u64 {
        if self.are_whole_rows() { 0 } else { self.max_elements().div_ceil(self.chunk()) }
    }

    /// Segments and chunks.
    fn takers(&self) -> u64 {
        self.segments.most + self.chunks()
    }

    /// Whether there are enough takers for subgroups to be.
    fn by_subgroups(&self) -> bool {
        self.takers() >= self.policy.subgroup_takers.into()
    }

    /// Whether segments are long, as far as the host knows, and everything has a number of 32 bits.
    pub fn are_long(&self) -> bool {
        let last = self.max_elements() + 2 * self.chunk() + self.segments.most;
        let share = if self.by_subgroups() { SUBGROUP_SHARE } else { WORKGROUP_SHARE };
        let long = (self.max_chunk() / u64::from(share)).max(1);
        self.average() >= long && last <= u64::from(u32::MAX)
    }

    /// Rows of 16 bytes that each lane loads at a time, where so many subgroups are a taker: all of a short segment, but
    /// no more, because more registers are fewer subgroups side by side.
    fn loaded_rows(&self, subgroups: u64) -> u32 {
        let row = u64::from(self.policy.subgroup_size) * ROW_BYTES / self.terms.bytes;
        let taken = self.average().min(self.chunk());
        let rows = taken.div_ceil(subgroups * row).next_power_of_two();
        rows.clamp(2, MAX_LOADED_ROWS) as u32
    }

    pub fn add_long(&self, graph: &mut Graph) -> Result<()> {
        let (most, chunk) = (self.segments.most, self.chunk());
        let (chunk_count, takers) = (self.chunks(), self.takers());
        let (threads, lanes) = (self.policy.threads, self.policy.subgroup_size);
        let many = u64::from(self.policy.subgroup_takers);
        let by_subgroups = self.by_subgroups();
        let is_small = takers >= many / SMALL_SHARE && threads.is_multiple_of(2 * lanes);
        let (taker, in_group) = match (by_subgroups, is_small) {
            (true, _) => (threads, threads / lanes),
            (false, true) => (threads / 2, 1),
            (false, false) => (threads, 1),
        };
        // Bound in any case.
        let parts = if chunk_count > 0 { takers } else { 1 };
        let chunks = graph.transient::<[u32; 2]>("reduce.long_segments.chunks", parts);
        let push = LongPush {
            segments: self.prepared.pushed(self.segments),
            max_chunks: chunk_count as u32,
            elements: self.elements.most,
            elements_index: self.elements.index,
            chunk: chunk as u32,
            row_length: self.row_length,
        };
        let kernel = self.terms.kernel(&REDUCE_LONG_SEGMENTS)?;
        let pass = graph
            .own_pass(REDUCE_LONG_SEGMENTS[0].label(), &kernel)
            .bind("src", self.src)
            .bind("chunks", chunks)
            .push(&push)
            .specialize("local_size_x", taker)
            .specialize("BY_SUBGROUPS", by_subgroups.into())
            .specialize("LOADED_ROWS", self.loaded_rows(u64::from(taker / lanes / in_group)));
        let groups = takers.div_ceil(u64::from(in_group));
        let pass = self.prepared.bind(self.bind(pass, &kernel), self.offsets);
        pass.dispatch(Groups::linear(groups));
        if chunk_count == 0 {
            return Ok(());
        }

        let kernel = self.terms.kernel(&REDUCE_LONG_JOIN)?;
        let pass = graph
            .own_pass(REDUCE_LONG_JOIN[0].label(), &kernel)
            .bind("chunks", chunks)
            .push(&push)
            .specialize("local_size_x", threads)
            .specialize("BY_SUBGROUPS", (most < many).into());
        let pass = self.prepared.bind(self.bind(pass, &kernel), self.offsets);
        let in_group = if most < many { threads / lanes } else { threads };
        pass.dispatch(Groups::linear(most.div_ceil(u64::from(in_group))));
        Ok(())
    }
}
