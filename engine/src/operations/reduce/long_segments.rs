//! Segmented reductions for long segments. A worker is a subgroup or a workgroup. Each segment has one worker. The
//! array is also divided into chunks with one worker each; these reduce the remainder of segments that exceed one
//! chunk. If the rows of a matrix are short or many, there are no chunks, and each row is reduced by its one worker.
//!
//! The totals of chunks are combined by another pass, or by the workers of the segments, which then wait for the workers
//! of the chunks.

use multisplit_graph::{Graph, Groups};
use multisplit_shaders::builtin::variants::{
    REDUCE_LONG_JOIN, REDUCE_LONG_SEGMENTS, REDUCE_POLLED_SEGMENTS,
};

use super::segments::SegmentPasses;
use crate::error::Result;
use crate::fallback::PlanForm;
use crate::operations::shared::{Constants, LOAD_BYTES, push_words};
use crate::policy::Policy;

/// Segments count as long if their average length is at least `max_chunk` divided by `SUBGROUP_DIVISOR`. If workers
/// are workgroups, the divisor is `WORKGROUP_DIVISOR`.
const SUBGROUP_DIVISOR: u32 = 128;
const WORKGROUP_DIVISOR: u32 = 32;
/// If workers are workgroups, and there are at least `min_subgroup_workers / HALF_SIZE_DIVISOR` of them, the workgroup
/// size is halved if possible, so that more of them run at the same time.
const HALF_SIZE_DIVISOR: u64 = 4;
/// Maximum number of 16-byte loads that a lane issues at a time.
const MAX_LOADED_ROWS: u64 = 8;
/// Maximum number of chunks. A single segment may span all of them, and one worker combines their totals.
const MAX_CHUNKS: u64 = 1 << 12;
/// With at least `min_subgroup_workers / WHOLE_ROWS_DIVISOR` rows, each row has exactly one worker, unless a row exceeds
/// the device's loop limit.
const WHOLE_ROWS_DIVISOR: u64 = 8;

/// Maximum number of workers that wait for one another. Each workgroup then increments a counter, which delays runs with
/// many workgroups (NVIDIA H200, 2^26 elements in segments of 256: 69 us with another pass, 81 us without).
const MAX_POLLING_WORKERS: u64 = 1 << 17;

impl SegmentPasses<'_> {
    fn max_elements(&self) -> u64 {
        self.elements.max.into()
    }

    /// Average length of a segment.
    fn average(&self) -> u64 {
        match self.row_length {
            0 => self.max_elements() / self.segments.max.max(1),
            length => length.into(),
        }
    }

    /// Whether each row is reduced by exactly one worker, without chunks. This is the case if a row is at most one
    /// chunk long, or if there are enough rows to fill the device and a row stays within the device's loop limit.
    fn are_whole_rows(&self) -> bool {
        let length = u64::from(self.row_length);
        if length == 0 || length <= self.max_chunk() {
            return length > 0;
        }
        let rows = self.segments.max.min(self.max_elements() / length);
        let min_rows = u64::from(self.policy.min_subgroup_workers) / WHOLE_ROWS_DIVISOR;
        let rounds = length / u64::from(self.policy.facts.subgroup_size);
        rows >= min_rows.max(1) && rounds <= self.policy.facts.max_loop_rounds.into()
    }

    /// Number of elements per chunk. If there are no chunks: the length of a row, rounded up to a multiple of four.
    fn chunk(&self) -> u64 {
        if self.are_whole_rows() {
            return u64::from(self.row_length).next_multiple_of(4);
        }
        self.max_elements().div_ceil(MAX_CHUNKS).next_multiple_of(4).max(self.max_chunk())
    }

    /// Number of elements per chunk, unless the array would have too many chunks: `segment_chunk`, or less if the
    /// device's loop limit requires it.
    fn max_chunk(&self) -> u64 {
        let Policy { segment_chunk, facts, .. } = self.policy;
        let rounds = u64::from(facts.max_loop_rounds) * u64::from(facts.subgroup_size);
        u64::from(*segment_chunk).min(rounds / 4 * 4)
    }

    /// Number of chunks, which is also the number of workers that reduce chunks.
    fn chunks(&self) -> u64 {
        if self.are_whole_rows() { 0 } else { self.max_elements().div_ceil(self.chunk()) }
    }

    /// Total number of workers: one for each segment and each chunk.
    fn workers(&self) -> u64 {
        self.segments.max + self.chunks()
    }

    /// Whether there are enough workers to fill the device if each is a subgroup.
    fn by_subgroups(&self) -> bool {
        self.workers() >= self.policy.min_subgroup_workers.into()
    }

    /// Whether segments are long on average, and all indices fit in 32 bits. The average is computed from upper
    /// bounds if the counts are on the device.
    pub fn are_long(&self) -> bool {
        let last = self.max_elements() + 2 * self.chunk() + self.segments.max;
        let divisor = if self.by_subgroups() { SUBGROUP_DIVISOR } else { WORKGROUP_DIVISOR };
        let long = (self.max_chunk() / u64::from(divisor)).max(1);
        self.average() >= long && last <= u64::from(u32::MAX)
    }

    /// Number of 16-byte loads that each lane issues at a time if a worker has `subgroups` subgroups. Enough to load
    /// a short segment at once. More would use more registers and reduce occupancy.
    fn loaded_rows(&self, subgroups: u64) -> u32 {
        let row = u64::from(self.policy.facts.subgroup_size) * LOAD_BYTES / self.terms.bytes;
        let loaded = self.average().min(self.chunk());
        let rows = loaded.div_ceil(subgroups * row).next_power_of_two();
        rows.clamp(2, MAX_LOADED_ROWS) as u32
    }

    /// Adds the pass of all workers, and, if the workers do not combine the results of chunks, a pass that does.
    pub fn add_long(&self, graph: &mut Graph) -> Result<()> {
        let (max_segments, chunk) = (self.segments.max, self.chunk());
        let (chunk_count, workers) = (self.chunks(), self.workers());
        let (threads, lanes) = (self.policy.threads, self.policy.facts.subgroup_size);
        let min_workers = u64::from(self.policy.min_subgroup_workers);
        let by_subgroups = self.by_subgroups();
        let is_half_size =
            workers >= min_workers / HALF_SIZE_DIVISOR && threads.is_multiple_of(2 * lanes);
        let (group_size, in_group) = match (by_subgroups, is_half_size) {
            (true, _) => (threads, threads / lanes),
            (false, true) => (threads / 2, 1),
            (false, false) => (threads, 1),
        };
        let groups = workers.div_ceil(u64::from(in_group));
        let constants = [
            ("local_size_x", group_size),
            ("BY_SUBGROUPS", by_subgroups.into()),
            ("LOADED_ROWS", self.loaded_rows(u64::from(group_size / lanes / in_group))),
        ];
        let facts = &self.policy.facts;
        // Recomputing missing totals may exceed a loop limit. In the staged form, workers do not wait.
        let may_poll = facts.loop_limit.is_none() && facts.form != PlanForm::Staged;
        if chunk_count > 0 && workers <= MAX_POLLING_WORKERS && may_poll {
            return self.add_polled(graph, chunk_count, groups, &constants);
        }
        // The kernel binds this buffer even if it does not use it, and Vulkan buffers cannot be empty.
        let len = if chunk_count > 0 { workers } else { 1 };
        let chunks = graph.transient::<[u32; 2]>("reduce.long_segments.chunks", len);
        let push = push_words! {
            segments: self.prepared.pushed(self.segments),
            max_chunks: chunk_count as u32,
            elements: self.elements.max,
            elements_index: self.elements.index,
            chunk: chunk as u32,
            row_length: self.row_length,
        };
        self.pass(graph, &REDUCE_LONG_SEGMENTS, &constants)?
            .bind("src", self.src)
            .bind("chunks", chunks)
            .push(&push)
            .dispatch(Groups::linear(groups));
        if chunk_count == 0 {
            return Ok(());
        }
        let by_subgroups = max_segments < min_workers;
        let constants = [("local_size_x", threads), ("BY_SUBGROUPS", by_subgroups.into())];
        let in_group = if by_subgroups { threads / lanes } else { threads };
        self.pass(graph, &REDUCE_LONG_JOIN, &constants)?
            .bind("chunks", chunks)
            .push(&push)
            .dispatch(Groups::linear(max_segments.div_ceil(u64::from(in_group))));
        Ok(())
    }

    /// Adds the only pass of a reduction whose workers wait for one another.
    fn add_polled(
        &self,
        graph: &mut Graph,
        chunk_count: u64,
        groups: u64,
        constants: &Constants<'_>,
    ) -> Result<()> {
        // The number of workgroups that have started is padded to the size of a total.
        let (name, len) = ("reduce.polled_segments.status", 1 + chunk_count);
        let status = match self.terms.bytes {
            4 => graph.state::<[u32; 2]>(name, len),
            _ => graph.state::<[u32; 4]>(name, len),
        };
        let push = push_words! {
            segments: self.prepared.pushed(self.segments),
            groups: groups as u32,
            max_chunks: chunk_count as u32,
            elements: self.elements.max,
            elements_index: self.elements.index,
            chunk: self.chunk() as u32,
            row_length: self.row_length,
        };
        let polling = [("SPIN_LIMIT", self.policy.spin_limit), ("KEEPS_STATUS", 1)];
        self.pass(graph, &REDUCE_POLLED_SEGMENTS, &[constants, &polling].concat())?
            .bind("src", self.src)
            .bind("status", status)
            .push(&push)
            .dispatch(Groups::linear(groups));
        Ok(())
    }
}
