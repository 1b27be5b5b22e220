//! Tests the candidates of the tuner without a device.

use super::parameter::{self, Candidates, Parameter};
use super::*;
use crate::device::DeviceProperties;
use crate::policy::test_properties;
use crate::policy::tile::TileShape;

fn policy(subgroup_size: u32) -> Policy {
    let properties = test_properties(subgroup_size, 1024);
    Policy::for_device(&DeviceProperties { shared_memory: 32 << 10, ..properties })
}

fn all(policy: &Policy) -> Vec<Parameter> {
    let sorts = [Operation::SortKeys, Operation::SortPairs, Operation::SortWideKeys].into_iter();
    let mut parameters: Vec<_> =
        sorts.flat_map(|operation| parameter::sort_tiles(operation, policy, LARGEST)).collect();
    for class in 0..8 {
        for of in [Operation::SplitKeys, Operation::SplitPairs, Operation::SplitRange] {
            parameters.extend(parameter::split(of, class, LARGEST));
        }
    }
    parameters.extend(parameter::other_parameters(policy, LARGEST, false));
    parameters
}

#[test]
fn candidates_change_one_parameter_and_tiles_are_unique() {
    for subgroup_size in [8, 16, 32, 64] {
        let best = policy(subgroup_size);
        for mut parameter in all(&best) {
            let (name, mut seen) = (parameter.name, vec![best]);
            for wide in [true, false] {
                for candidate in parameter.around(&best, wide, false) {
                    // Lists of values may contain a candidate twice; tile candidates are unique.
                    let tile = matches!(parameter.candidates, Candidates::Tile { .. });
                    let again = tile && seen.contains(&candidate);
                    assert!(!again && candidate != best, "{name}: not new: {candidate:?}");
                    let mut reverted = candidate;
                    (parameter.revert)(&mut reverted, &best);
                    assert_eq!(reverted, best, "`{name}` changes another size");
                    seen.push(candidate);
                }
            }
            assert!(seen.len() > 1, "{name} has no candidates");
        }
    }
}

#[test]
fn offsets_and_counts_of_all_benchmarks_fit_the_array_of_words() {
    for parameter in all(&policy(32)) {
        for benchmark in &parameter.benchmarks {
            let words = match benchmark.operation {
                Operation::SplitKeys(m) | Operation::SplitPairs(m) | Operation::SplitRange(m) => {
                    u64::from(m) + 1
                }
                Operation::HistogramEven(m) => m.into(),
                Operation::HistogramRange => data::EDGES as u64 - 1,
                _ => 0,
            };
            let (name, max) = (parameter.name, data::WORDS);
            assert!(words <= max, "{name}: {words} words, but the array has {max}");
        }
    }
}

#[test]
fn every_size_with_candidates_is_tuned_once() {
    let policy = policy(32);
    let parameters = all(&policy);
    for field in Policy::sizes() {
        let has = !(field.candidates)(&policy, &policy.facts).is_empty();
        let count = parameters.iter().filter(|parameter| parameter.name == field.name).count();
        assert!(!has || count == 1, "{}: expected 1 parameter, found {count}", field.name);
    }
}

#[test]
fn tile_table_entries_are_measured_at_their_element_counts() {
    let best = policy(32);
    let sizes = |operation, largest| -> Vec<u64> {
        let parameters = parameter::sort_tiles(operation, &best, largest);
        let benchmarks = parameters.iter().flat_map(|parameter| &parameter.benchmarks);
        benchmarks.map(|benchmark| benchmark.n).collect()
    };
    let keys = sizes(Operation::SortKeys, LARGEST);
    assert_eq!(keys, [1 << 25, 1 << 22, 1 << 20, 1 << 19, 1 << 17]);
    // Table entries that apply only above the largest measured number of elements are not tuned.
    assert_eq!(sizes(Operation::SortKeys, 1 << 20), [1 << 20, 1 << 19, 1 << 17]);
    assert_eq!(sizes(Operation::SortPairs, 1 << 18), [1 << 18, 1 << 17]);
}

#[test]
fn start_profiles_get_built_in_element_counts() {
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
