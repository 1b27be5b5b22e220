//! Places buffers in memory. Transients that are not in use at the same time may share bytes.
//! Persistent buffers, constants and state never share bytes.

use crate::order::Schedule;
use crate::resource::{BufferDecl, Kind};
use crate::validate::Checked;

/// The first and the last level that use a buffer.
pub(crate) type Interval = (u32, u32);

/// Placement of buffers in the workspace.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Heap {
    /// Offsets by buffer; `None` if the buffer is not in the workspace or no live pass uses it.
    pub offsets: Vec<Option<u64>>,
    /// Workspace size in bytes.
    pub size: u64,
    /// Workspace size if buffers did not share bytes.
    pub unaliased_size: u64,
}

/// The levels during which each buffer is in use; `None` if no live pass uses it.
pub(crate) fn intervals(checked: &Checked, schedule: &Schedule) -> Vec<Option<Interval>> {
    let mut intervals: Vec<Option<Interval>> = vec![None; checked.buffers.len()];
    for (level, passes) in (0u32..).zip(&schedule.levels) {
        for used in passes.iter().flat_map(|&pass| &checked.passes[pass].uses) {
            let first = intervals[used.buffer].map_or(level, |(first, _)| first);
            intervals[used.buffer] = Some((first, level));
        }
    }
    intervals
}

/// Placement of the buffers of one kind that live passes use, one after another.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// Offsets by buffer; `None` if the buffer is of another kind or no live pass uses it.
    pub offsets: Vec<Option<u64>>,
    /// Total size in bytes.
    pub size: u64,
}

/// Places the buffers of a kind whose contents persist between runs. These buffers never share
/// bytes.
pub(crate) fn place_region(
    checked: &Checked,
    kind: Kind,
    intervals: &[Option<Interval>],
    alignment: u64,
) -> Region {
    let mut size = 0;
    let place = |(decl, interval): (&BufferDecl, &Option<Interval>)| {
        (decl.kind == kind && interval.is_some()).then(|| {
            let offset = align_up(size, alignment);
            size = offset.saturating_add(decl.size);
            offset
        })
    };
    let offsets = checked.buffers.iter().zip(intervals).map(place).collect();
    Region { offsets, size }
}

/// A buffer to be placed in the workspace.
struct Block {
    buffer: usize,
    size: u64,
    interval: Interval,
}

/// Places transient and persistent buffers in the workspace.
pub(crate) fn place(checked: &Checked, intervals: &[Option<Interval>], alignment: u64) -> Heap {
    let mut blocks = Vec::new();
    for (buffer, (decl, interval)) in checked.buffers.iter().zip(intervals).enumerate() {
        let interval = match decl.kind {
            Kind::Import | Kind::State | Kind::Constant | Kind::StatusWord => None,
            Kind::Transient => *interval,
            // The contents persist between runs, so no other buffer may use these bytes.
            Kind::Persistent => interval.map(|_| (0, u32::MAX)),
        };
        blocks.extend(interval.map(|interval| Block { buffer, size: decl.size, interval }));
    }
    let mut offsets = vec![None; checked.buffers.len()];
    let size = pack(&mut blocks, &mut offsets, alignment);
    let unaliased_size = blocks
        .iter()
        .fold(0, |end: u64, block| align_up(end, alignment).saturating_add(block.size));
    Heap { offsets, size, unaliased_size }
}

/// Places blocks by decreasing size, each in the lowest gap between the blocks that are in use at
/// the same time. Returns the total size.
fn pack(blocks: &mut [Block], offsets: &mut [Option<u64>], alignment: u64) -> u64 {
    blocks.sort_by_key(|block| (std::cmp::Reverse(block.size), block.buffer));
    let mut total = 0;
    for (index, block) in blocks.iter().enumerate() {
        let overlaps_in_time = |other: &&Block| {
            other.interval.0 <= block.interval.1 && block.interval.0 <= other.interval.1
        };
        let mut occupied: Vec<(u64, u64)> = blocks[..index]
            .iter()
            .filter(overlaps_in_time)
            .filter_map(|other| Some((offsets[other.buffer]?, other.size)))
            .collect();
        occupied.sort_unstable();
        let mut offset = 0u64;
        for (start, size) in occupied {
            if offset.saturating_add(block.size) <= start {
                break;
            }
            offset = offset.max(align_up(start.saturating_add(size), alignment));
        }
        offsets[block.buffer] = Some(offset);
        total = total.max(offset.saturating_add(block.size));
    }
    total
}

/// Rounds up to a multiple of `alignment`. Saturates on overflow; `compile` then reports that the
/// size exceeds the limit.
fn align_up(offset: u64, alignment: u64) -> u64 {
    offset.checked_next_multiple_of(alignment).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(blocks: &[(u64, Interval)]) -> (Vec<u64>, u64) {
        let mut offsets = vec![None; blocks.len()];
        let block = |(buffer, &(size, interval))| Block { buffer, size, interval };
        let mut blocks: Vec<_> = blocks.iter().enumerate().map(block).collect();
        let total = pack(&mut blocks, &mut offsets, 16);
        (offsets.into_iter().map(Option::unwrap_or_default).collect(), total)
    }

    #[test]
    fn disjoint_lifetimes_share_bytes() {
        assert_eq!(packed(&[(100, (0, 1)), (80, (2, 3)), (60, (4, 4))]), (vec![0, 0, 0], 100));
    }

    #[test]
    fn buffers_in_use_at_the_same_level_do_not_share_bytes() {
        assert_eq!(packed(&[(100, (0, 1)), (80, (1, 2))]), (vec![0, 112], 192));
    }

    #[test]
    fn blocks_are_placed_in_the_lowest_gap() {
        // The blocks of sizes 300 and 90 are always in use. Those of sizes 120, 100 and 80 share
        // the gap between them.
        let blocks = [(300, (0, 9)), (100, (0, 1)), (90, (0, 9)), (80, (2, 3)), (120, (4, 5))];
        assert_eq!(packed(&blocks), (vec![0, 304, 432, 304, 304], 522));
    }

    #[test]
    fn small_blocks_fill_gaps_below_larger_blocks() {
        let blocks = [(64, (0, 0)), (48, (0, 5)), (32, (1, 5)), (16, (1, 2)), (16, (3, 5))];
        assert_eq!(packed(&blocks), (vec![0, 64, 0, 32, 32], 112));
    }
}
