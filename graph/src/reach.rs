//! Determines, for one access, which later accesses the barriers in between synchronise with it.
//!
//! This implements Vulkan's dependency rules for global memory barriers. A barrier orders an access
//! before the accesses in its second synchronization scope if the access is in its first scope, or
//! in the first scope of an earlier barrier that chains into it. Two barriers chain if the
//! destination stages of the first intersect the source stages of the second. A barrier makes a
//! write available if its source masks contain the stage and the access of the write. The write is
//! then visible to the second scopes of this barrier and of all barriers that chain from it.
//!
//! Vulkan adds logically earlier stages to the first synchronization scope: waiting for the compute
//! stage includes waiting for the indirect fetch before it. This model does not, so a barrier lists
//! every stage that is involved in a dependency.

use crate::access::{Access, Stages};
use crate::sync::MemoryBarrier;

/// The earlier access of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// A single stage.
    pub stage: Stages,
    /// The access bit of a write. Empty for a read, because reads do not need to be made available.
    pub write: Access,
}

/// The later access of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// A single stage.
    pub stage: Stages,
    /// The access bit to which the earlier write must be visible. Empty for an execution
    /// dependency.
    pub access: Access,
}

/// The stages and accesses that the barriers after an access synchronise with it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// Stages that wait for the access.
    ordered: Stages,
    /// Stages that wait until the write is available.
    available: Stages,
    /// Stages and accesses to which the write is visible.
    visible: Vec<(Stages, Access)>,
}

impl Reach {
    /// Returns the state after one more barrier call. The memory barriers of one call are
    /// unordered, so they do not chain with each other.
    #[must_use]
    pub fn after(&self, source: Source, call: &[MemoryBarrier]) -> Self {
        let mut next = self.clone();
        for barrier in call {
            let waited = barrier.src_stages.expanded();
            let direct = waited.contains(source.stage);
            if direct || waited.intersects(self.ordered) {
                next.ordered |= barrier.dst_stages.expanded();
            }
            let named = direct && barrier.src_access.expanded().contains(source.write);
            if !source.write.is_empty() && (named || waited.intersects(self.available)) {
                next.available |= barrier.dst_stages.expanded();
                next.add_visible(barrier.dst_stages.expanded(), barrier.dst_access.expanded());
            }
        }
        next
    }

    /// Adds an entry to `visible`, unless an existing entry contains it. Without this check, the
    /// list of an old write would grow with every barrier.
    fn add_visible(&mut self, stages: Stages, access: Access) {
        let known = |seen: &(Stages, Access)| seen.0.contains(stages) && seen.1.contains(access);
        if !self.visible.iter().any(known) {
            self.visible.push((stages, access));
        }
    }

    /// Whether the barriers so far synchronize the access with `target`.
    pub fn covers(&self, target: Target) -> bool {
        if target.access.is_empty() {
            return self.ordered.contains(target.stage);
        }
        let contains_target = |(stages, access): &(Stages, Access)| {
            stages.contains(target.stage) && access.contains(target.access)
        };
        self.visible.iter().any(contains_target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::barrier::tests::{C, I, NONE, R, T, W, barrier};

    fn covers(
        source: (Stages, Access),
        calls: &[&[MemoryBarrier]],
        target: (Stages, Access),
    ) -> bool {
        let source = Source { stage: source.0, write: source.1 };
        let reach = calls.iter().fold(Reach::default(), |reach, call| reach.after(source, call));
        reach.covers(Target { stage: target.0, access: target.1 })
    }

    #[test]
    fn barrier_covers_only_its_own_masks() {
        let call = [barrier(C, W, C, R)];
        assert!(covers((C, W), &[&call], (C, R)));
        assert!(covers((C, NONE), &[&call], (C, NONE)));
        assert!(!covers((C, W), &[&call], (C, W)));
        assert!(!covers((C, W), &[&call], (I, NONE)));
        assert!(!covers((T, NONE), &[&call], (C, NONE)));
    }

    #[test]
    fn execution_barrier_does_not_make_writes_visible() {
        let call = [barrier(C, NONE, C, NONE)];
        assert!(covers((C, W), &[&call], (C, NONE)));
        assert!(!covers((C, W), &[&call], (C, R)));
    }

    #[test]
    fn chained_barriers_keep_a_write_available() {
        let (first, second) = ([barrier(T, Access::TRANSFER_WRITE, C, W)], [barrier(C, W, C, R)]);
        assert!(covers((T, Access::TRANSFER_WRITE), &[&first, &second], (C, R)));
        let broken = [barrier(I, NONE, C, R)];
        assert!(!covers((T, Access::TRANSFER_WRITE), &[&first, &broken], (C, R)));
        let never_available = [barrier(T, NONE, C, NONE)];
        assert!(!covers((T, Access::TRANSFER_WRITE), &[&never_available, &second], (C, R)));
    }

    #[test]
    fn barriers_of_one_call_do_not_chain() {
        let call = [
            barrier(T, Access::TRANSFER_WRITE, C, W),
            barrier(C, W, I, Access::INDIRECT_COMMAND_READ),
        ];
        assert!(!covers((T, Access::TRANSFER_WRITE), &[&call], (I, NONE)));
    }

    #[test]
    fn broad_stage_and_access_bits_include_the_specific_bits() {
        let call = [barrier(Stages::ALL_COMMANDS, Access::MEMORY_WRITE, C, Access::MEMORY_READ)];
        assert!(covers((T, Access::TRANSFER_WRITE), &[&call], (C, R)));
        assert!(!covers((Stages::HOST, Access::HOST_WRITE), &[&call], (C, R)));
        let narrow = [barrier(C, W, C, R)];
        assert!(!covers((Stages::ALL_COMMANDS, Access::MEMORY_WRITE), &[&narrow], (C, R)));
    }
}
