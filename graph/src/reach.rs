//! How far an access has been synchronised: which later accesses the barriers since then cover.
//!
//! This is Vulkan's model of dependencies, reduced to global memory barriers. A barrier orders an
//! access before a later one when the access is in its first scope, or in the first scope of an
//! earlier barrier that chains into it (the stages that waited for the one are among the stages
//! that the other waits for). A write is made available by a barrier that names it directly, and
//! from there on visible to what the barriers along the chain name as their second scope.
//!
//! Stages are taken literally: that waiting for compute also waits for the indirect fetch before
//! it is not used, so that every stage that takes part in a dependency is named.

use crate::access::{Access, Stages};
use crate::plan::MemoryBarrier;

/// Who made an access: a single stage, and for a write its access bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    pub stage: Stages,
    /// Empty for a read: nothing has to be made available after it.
    pub write: Access,
}

/// Who comes later: a single stage, and the access bit that must see an earlier write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub stage: Stages,
    /// Empty where only execution has to be ordered.
    pub access: Access,
}

/// What the barriers since an access have done for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// Stages that run after the access.
    ordered: Stages,
    /// Stages that run after the write was made available.
    available: Stages,
    /// The stages and accesses that see the write.
    visible: Vec<(Stages, Access)>,
}

impl Reach {
    /// After one more barrier call. Its memory barriers do not chain with each other: nothing
    /// orders them within the call.
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
                next.show(barrier.dst_stages.expanded(), barrier.dst_access.expanded());
            }
        }
        next
    }

    /// Only what is new: an old write that is read in every round would otherwise gather an entry
    /// from every barrier.
    fn show(&mut self, stages: Stages, access: Access) {
        let known = |seen: &(Stages, Access)| seen.0.contains(stages) && seen.1.contains(access);
        if !self.visible.iter().any(known) {
            self.visible.push((stages, access));
        }
    }

    /// Whether the barriers so far cover `target`.
    pub fn covers(&self, target: Target) -> bool {
        if target.access.is_empty() {
            return self.ordered.contains(target.stage);
        }
        let sees = |(stages, access): &(Stages, Access)| {
            stages.contains(target.stage) && access.contains(target.access)
        };
        self.visible.iter().any(sees)
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
    fn one_barrier_covers_what_it_names() {
        let call = [barrier(C, W, C, R)];
        assert!(covers((C, W), &[&call], (C, R)));
        assert!(covers((C, NONE), &[&call], (C, NONE)));
        assert!(!covers((C, W), &[&call], (C, W)));
        assert!(!covers((C, W), &[&call], (I, NONE)));
        assert!(!covers((T, NONE), &[&call], (C, NONE)));
    }

    #[test]
    fn execution_alone_shows_no_write() {
        let call = [barrier(C, NONE, C, NONE)];
        assert!(covers((C, W), &[&call], (C, NONE)));
        assert!(!covers((C, W), &[&call], (C, R)));
    }

    #[test]
    fn availability_carries_along_a_chain() {
        let (first, second) = ([barrier(T, Access::TRANSFER_WRITE, C, W)], [barrier(C, W, C, R)]);
        assert!(covers((T, Access::TRANSFER_WRITE), &[&first, &second], (C, R)));
        let broken = [barrier(I, NONE, C, R)];
        assert!(!covers((T, Access::TRANSFER_WRITE), &[&first, &broken], (C, R)));
        let never_available = [barrier(T, NONE, C, NONE)];
        assert!(!covers((T, Access::TRANSFER_WRITE), &[&never_available, &second], (C, R)));
    }

    #[test]
    fn the_barriers_of_one_call_do_not_chain() {
        let call = [
            barrier(T, Access::TRANSFER_WRITE, C, W),
            barrier(C, W, I, Access::INDIRECT_COMMAND_READ),
        ];
        assert!(!covers((T, Access::TRANSFER_WRITE), &[&call], (I, NONE)));
    }

    #[test]
    fn the_broad_bits_stand_for_the_others() {
        let call = [barrier(Stages::ALL_COMMANDS, Access::MEMORY_WRITE, C, Access::MEMORY_READ)];
        assert!(covers((T, Access::TRANSFER_WRITE), &[&call], (C, R)));
        assert!(!covers((Stages::HOST, Access::HOST_WRITE), &[&call], (C, R)));
        let narrow = [barrier(C, W, C, R)];
        assert!(!covers((Stages::ALL_COMMANDS, Access::MEMORY_WRITE), &[&narrow], (C, R)));
    }
}
