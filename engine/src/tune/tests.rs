//! Tests of candidates, without a device: they are valid and unique.

use super::knob::{self, Candidates, Knob};
use super::*;
use crate::device::properties::DeviceProperties;
use crate::policy::test_properties;
use crate::policy::tile::TileShape;

fn policy(subgroup_size: u32) -> Policy {
    let properties = test_properties(subgroup_size, 1024);
    Policy::for_device(&DeviceProperties { shared_memory: 32 << 10, ..properties })
}

fn all(policy: &Policy) -> Vec<Knob> {
    let sorts = [Operation::SortKeys, Operation::SortPairs, Operation::SortWideKeys].into_iter();
    let mut knobs: Vec<_> =
        sorts.flat_map(|operation| knob::sort_tiles(operation, policy, LARGEST)).collect();
    for class in 0..8 {
        for of in [Operation::SplitKeys, Operation::SplitPairs, Operation::SplitRange] {
            knobs.extend(knob::split(of, class, LARGEST));
        }
    }
    knobs.extend(knob::other_knobs(policy, LARGEST, false));
    knobs
}

#[test]
fn candidates_are_unique_and_differ_in_one_knob() {
    for subgroup_size in [8, 16, 32, 64] {
        let best = policy(subgroup_size);
        for mut knob in all(&best) {
            let mut seen = vec![best];
            for wide in [true, false] {
                for candidate in knob.around(&best, wide, false) {
                    // Lists may repeat candidates; tiles do not.
                    let tile = matches!(knob.candidates, Candidates::Tile { .. });
                    let again = tile && seen.contains(&candidate);
                    assert!(!again && candidate != best, "{}: {candidate:?}", knob.name);
                    let mut reverted = candidate;
                    (knob.revert)(&mut reverted, &best);
                    assert_eq!(reverted, best, "{}", knob.name);
                    seen.push(candidate);
                }
            }
            assert!(seen.len() > 1, "{} has no candidates", knob.name);
        }
    }
}

#[test]
fn sizes_with_candidates_are_tuned() {
    let policy = policy(32);
    let knobs = all(&policy);
    for field in Policy::sizes() {
        let has = !(field.candidates)(&policy, &policy.facts).is_empty();
        let count = knobs.iter().filter(|knob| knob.name == field.name).count();
        assert!(!has || count == 1, "{}: {count} knobs", field.name);
    }
}

/// Each element count in a table is measured with its own tile.
#[test]
fn every_table_entry_is_measured_at_its_own_size() {
    let best = policy(32);
    let sizes = |operation, largest| -> Vec<u64> {
        let knobs = knob::sort_tiles(operation, &best, largest);
        knobs.iter().flat_map(|knob| knob.subjects.iter().map(|subject| subject.n)).collect()
    };
    let keys = sizes(Operation::SortKeys, LARGEST);
    assert_eq!(keys, [1 << 25, 1 << 22, 1 << 20, 1 << 19, 1 << 17]);
    // Sizes above the largest measured count are not tuned.
    assert_eq!(sizes(Operation::SortKeys, 1 << 20), [1 << 20, 1 << 19, 1 << 17]);
    assert_eq!(sizes(Operation::SortPairs, 1 << 18), [1 << 18, 1 << 17]);
}

#[test]
fn tables_keep_tiles_and_get_built_in_element_counts() {
    let built_in = policy(32);
    let mut changed = built_in;
    let shape = TileShape::new(64, 4);
    changed.sort = changed.sort.with_shape(shape);
    with_counts_of(&mut changed, &built_in);
    assert!(changed.sort.keys.iter().all(|(_, tile)| *tile == shape));
    let counts = |policy: &Policy| policy.sort.pairs.map(|(max, _)| max);
    assert_eq!(counts(&changed), counts(&built_in));
    let mut same = built_in;
    with_counts_of(&mut same, &built_in);
    assert_eq!(same, built_in);
}
