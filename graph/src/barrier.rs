//! Finds minimal barrier calls that cover a set of dependencies.

use crate::access::Access;
use crate::hazard::{Dependency, Record};
use crate::sync::MemoryBarrier;

/// Returns the memory barriers that a call must contain, in addition to `given`, to cover
/// `dependencies`. The result is minimal: if any of its bits were missing, a dependency would not
/// be covered.
pub(crate) fn cover(
    records: &[Record],
    dependencies: &[Dependency],
    given: &[MemoryBarrier],
) -> Vec<MemoryBarrier> {
    let uncovered: Vec<Dependency> = dependencies
        .iter()
        .filter(|dependency| !is_covered(records, dependency, given))
        .copied()
        .collect();
    let mut added = merged(
        uncovered.iter().map(|dependency| barrier_for(&records[dependency.record], dependency)),
    );
    // The barrier of one dependency can also cover a second one, for example if the write of the
    // second one is already available in a stage that the barrier waits for. Remove the barriers
    // and bits that this makes redundant.
    let holds = |added: &[MemoryBarrier]| {
        let call = merged(given.iter().chain(added).copied());
        uncovered.iter().all(|dependency| is_covered(records, dependency, &call))
    };
    prune(&mut added, holds);
    added
}

/// Removes every barrier, and then every access bit, that can be removed while `holds` returns
/// true. A single sweep is sufficient, because removing bits never makes a required bit redundant.
pub(crate) fn prune(
    barriers: &mut Vec<MemoryBarrier>,
    mut holds: impl FnMut(&[MemoryBarrier]) -> bool,
) {
    let mut index = 0;
    while index < barriers.len() {
        let removed = barriers.remove(index);
        if !holds(barriers) {
            barriers.insert(index, removed);
            index += 1;
        }
    }
    for index in 0..barriers.len() {
        for bit in barriers[index].src_access {
            barriers[index].src_access.remove(bit);
            let needed = !holds(barriers);
            barriers[index].src_access.set(bit, needed);
        }
        for bit in barriers[index].dst_access {
            barriers[index].dst_access.remove(bit);
            let needed = !holds(barriers);
            barriers[index].dst_access.set(bit, needed);
        }
    }
}

/// Merges barriers with equal stage masks, and drops barriers that another one contains.
pub(crate) fn merged(barriers: impl Iterator<Item = MemoryBarrier>) -> Vec<MemoryBarrier> {
    let mut all: Vec<MemoryBarrier> = Vec::new();
    for barrier in barriers {
        let same = |other: &&mut MemoryBarrier| {
            (other.src_stages, other.dst_stages) == (barrier.src_stages, barrier.dst_stages)
        };
        match all.iter_mut().find(same) {
            Some(other) => {
                other.src_access |= barrier.src_access;
                other.dst_access |= barrier.dst_access;
            }
            None => all.push(barrier),
        }
    }
    all.sort_unstable();
    let contained = |index: usize| {
        (0..all.len()).any(|other| other != index && is_contained(&all[index], &all[other]))
    };
    (0..all.len()).filter(|&index| !contained(index)).map(|index| all[index]).collect()
}

/// Joins pairs of barriers that differ only in their source stages, or only in their destination
/// stages. The joined barrier is equivalent to the pair.
pub(crate) fn joined(mut barriers: Vec<MemoryBarrier>) -> Vec<MemoryBarrier> {
    while let Some((one, two)) = joinable(&barriers) {
        let other = barriers.remove(two);
        barriers[one].src_stages |= other.src_stages;
        barriers[one].dst_stages |= other.dst_stages;
    }
    barriers
}

/// The indices of two barriers that [`joined`] can join.
fn joinable(barriers: &[MemoryBarrier]) -> Option<(usize, usize)> {
    let access = |barrier: &MemoryBarrier| (barrier.src_access, barrier.dst_access);
    let pairs = (0..barriers.len()).flat_map(|two| (0..two).map(move |one| (one, two)));
    pairs.into_iter().find(|&(one, two)| {
        let (one, two) = (&barriers[one], &barriers[two]);
        access(one) == access(two)
            && (one.src_stages == two.src_stages || one.dst_stages == two.dst_stages)
    })
}

/// The barrier that covers a single dependency.
pub(crate) fn barrier_for(record: &Record, dependency: &Dependency) -> MemoryBarrier {
    let execution_only = dependency.target.access.is_empty();
    MemoryBarrier {
        src_stages: record.source.stage,
        src_access: if execution_only { Access::empty() } else { record.source.write },
        dst_stages: dependency.target.stage,
        dst_access: dependency.target.access,
    }
}

/// Whether the barriers so far, followed by `call`, cover the dependency.
fn is_covered(records: &[Record], dependency: &Dependency, call: &[MemoryBarrier]) -> bool {
    let record = &records[dependency.record];
    record.reach.after(record.source, call).covers(dependency.target)
}

/// Whether the expanded masks of `outer` contain those of `inner`.
fn is_contained(inner: &MemoryBarrier, outer: &MemoryBarrier) -> bool {
    outer.src_stages.expanded().contains(inner.src_stages.expanded())
        && outer.dst_stages.expanded().contains(inner.dst_stages.expanded())
        && outer.src_access.expanded().contains(inner.src_access.expanded())
        && outer.dst_access.expanded().contains(inner.dst_access.expanded())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::access::Stages;

    pub const C: Stages = Stages::COMPUTE_SHADER;
    pub const T: Stages = Stages::TRANSFER;
    pub const I: Stages = Stages::DRAW_INDIRECT;
    pub const R: Access = Access::SHADER_STORAGE_READ;
    pub const W: Access = Access::SHADER_STORAGE_WRITE;
    pub const NONE: Access = Access::empty();

    pub fn barrier(
        src_stages: Stages,
        src_access: Access,
        dst_stages: Stages,
        dst_access: Access,
    ) -> MemoryBarrier {
        MemoryBarrier { src_stages, src_access, dst_stages, dst_access }
    }

    #[test]
    fn barriers_with_equal_stages_are_merged() {
        let all = [
            barrier(C, W, C, R),
            barrier(C, NONE, C, NONE),
            barrier(C, W, C, W),
            barrier(T, NONE, C, NONE),
        ];
        assert_eq!(merged(all.into_iter()), [barrier(C, W, C, R | W), barrier(T, NONE, C, NONE)]);
    }

    #[test]
    fn barriers_contained_in_others_are_dropped() {
        let broad = barrier(Stages::ALL_COMMANDS, Access::MEMORY_WRITE, C, R);
        assert_eq!(merged([barrier(C, W, C, R), broad].into_iter()), [broad]);
    }

    #[test]
    fn barriers_that_differ_in_one_stage_mask_are_joined() {
        let all =
            vec![barrier(C, NONE, C, NONE), barrier(I, NONE, C, NONE), barrier(T, NONE, I, NONE)];
        assert_eq!(joined(all), [barrier(C | I, NONE, C, NONE), barrier(T, NONE, I, NONE)]);
    }

    #[test]
    fn prune_keeps_only_required_barriers_and_access_bits() {
        let mut all = vec![barrier(C, W, C, R | W), barrier(T, NONE, C, NONE)];
        prune(&mut all, |remaining| remaining.iter().any(|barrier| barrier.dst_access.contains(R)));
        assert_eq!(all, [barrier(C, NONE, C, R)]);
    }
}
