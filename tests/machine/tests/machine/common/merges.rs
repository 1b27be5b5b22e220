//! Plans of merges of two arrays, sorted or unsorted.

use std::sync::Arc;

use anyhow::Result;
use multisplit::KeyType;
use multisplit::graph::{ElementType, Graph};
use multisplit::operations::{Count, Merge, MergeBuffers, merge};
use multisplit_machine::Rng;

use super::case::{Case, Output, Verify};
use super::primitives::{Device, count_words, counted, limits, policy_of};

/// Parameters of a merge.
#[derive(Clone, Copy, Debug)]
pub struct MergeCase {
    /// Keys of type `u64` instead of `i32`.
    pub wide: bool,
    /// Words per value; 0 without values.
    pub words: usize,
    pub descending: bool,
    /// Whether both counts are on the device.
    pub on_device: bool,
    pub sizes: [u64; 2],
    /// Number of subgroups per workgroup; `None` for the usual size.
    pub subgroups: Option<u32>,
    /// If false, the arrays are unsorted, and each result need only be some element of them.
    pub is_sorted: bool,
}

impl MergeCase {
    fn key_words(self, keys: &[i64]) -> Vec<u32> {
        let words = |&key: &i64| match self.wide {
            false => vec![key as i32 as u32],
            // Biased by 2^63, so that all keys are unsigned.
            true => vec![key as u32, ((key >> 32) as u32).wrapping_add(1 << 31)],
        };
        keys.iter().flat_map(words).collect()
    }
}

pub fn merge_case(device: Device, of: MergeCase) -> Result<Case> {
    let mut graph = Graph::new("merge");
    let (max, first_count) = counted(&mut graph, of.sizes[0], of.on_device);
    let spare = if of.on_device { 30 } else { 0 };
    let second_max = of.sizes[1] + spare;
    let second_words = graph.import::<u32>("second_count", 3);
    let second_count = match of.on_device {
        false => Count::Host(of.sizes[1]),
        true => Count::Device { buffer: second_words, index: 1, max: second_max },
    };
    let mut rng = Rng::new(of.sizes[0] + 3 * of.sizes[1]);
    // About half as many distinct keys as elements, of both signs.
    let range = (of.sizes[0] + of.sizes[1]) / 2 + 2;
    let mut keys = |n: u64| -> Vec<i64> {
        let mut all: Vec<i64> =
            (0..n).map(|_| (rng.next_u64() % range) as i64 - range as i64 / 2).collect();
        if of.is_sorted {
            all.sort_unstable();
        }
        if of.descending {
            all.reverse();
        }
        all
    };
    let arrays = of.sizes.map(&mut keys);
    let value =
        |array: usize, i: usize| (0..of.words).map(move |w| (array << 20 | w << 16 | i) as u32);
    let mut merged: Vec<(i64, usize, usize)> = Vec::new();
    for (array, keys) in arrays.iter().enumerate() {
        merged.extend(keys.iter().enumerate().map(|(i, &key)| (key, array, i)));
    }
    merged.sort_by_key(|&(key, ..)| if of.descending { -key } else { key });
    let sorted: Vec<i64> = merged.iter().map(|&(key, ..)| key).collect();
    let element = ElementType::from(if of.wide { KeyType::U64 } else { KeyType::I32 });
    let first = graph.import_array("first", element, max);
    let second = graph.import_array("second", element, second_max);
    let out = graph.import_array("out", element, max + second_max);
    let mut buffers = MergeBuffers::keys(first, second, out).counts(first_count, second_count);
    let given = |keys: &[i64], len: u64| {
        let mut words = of.key_words(keys);
        words.resize(len as usize * if of.wide { 2 } else { 1 }, 5);
        words
    };
    let mut inputs = vec![
        ("first", given(&arrays[0], max)),
        ("second", given(&arrays[1], second_max)),
        ("second_count", vec![7, of.sizes[1] as u32, 7]),
        count_words(of.sizes[0]),
    ];
    let mut outputs = vec![Output { name: "out", expected: of.key_words(&sorted) }];
    if of.words > 0 {
        let value_type = ElementType::Other(4 * of.words as u32);
        let first = graph.import_array("first_values", value_type, max);
        let second = graph.import_array("second_values", value_type, second_max);
        let out = graph.import_array("values_out", value_type, max + second_max);
        buffers = buffers.values(first, second, out);
        let all = |array, len: u64| (0..len as usize).flat_map(|i| value(array, i)).collect();
        inputs.push(("first_values", all(0, max)));
        inputs.push(("second_values", all(1, second_max)));
        let expected = merged.iter().flat_map(|&(_, array, i)| value(array, i)).collect();
        outputs.push(Output { name: "values_out", expected });
    }
    let how = if of.descending { Merge::Descending } else { Merge::Ascending };
    merge(&mut graph, &policy_of(device, of.subgroups), how, &buffers)?;
    let mut verify: Option<Verify> = None;
    if !of.is_sorted {
        let known = [&arrays[0][..], &arrays[1]].concat();
        let width = if of.wide { 2 } else { 1 };
        outputs.clear();
        verify = Some(Arc::new(move |words| {
            let found = words("out");
            let is_known = |at: &usize| {
                let key = &found[at * width..][..width];
                known.iter().any(|&one| of.key_words(&[one]) == key)
            };
            let wrong = (0..known.len()).find(|at| !is_known(at))?;
            Some(format!("element {wrong} of `out` is in no array"))
        }));
    }
    Ok(Case {
        name: format!("{of:?}, for {device:?}"),
        plan: graph.compile(&limits(device))?,
        outputs,
        inputs,
        lane_order: false,
        may_give_up: None,
        verify,
        steady: Vec::new(),
    })
}

/// Several tiles of both arrays, and tiles with elements of only one array.
pub fn merge_cases(tile: u64) -> Vec<MergeCase> {
    let mut all = Vec::new();
    for wide in [false, true] {
        for words in [0, 1, 2, 4] {
            for sizes in [[tile + 5, tile / 2], [1, tile - 1], [9, 2]] {
                let (descending, on_device) = (all.len() % 2 == 1, all.len() % 3 == 1);
                let (subgroups, is_sorted) = (None, true);
                let of =
                    MergeCase { wide, words, descending, on_device, sizes, subgroups, is_sorted };
                all.push(of);
            }
        }
    }
    all
}
