//! Plans of merges of two arrays, sorted or unsorted.

use std::sync::Arc;

use anyhow::Result;
use multisplit::KeyType;
use multisplit::operations::{Merge, MergeBuffers, merge};
use multisplit_machine::Rng;

use super::case::{Case, Verify};
use super::moves::{value_type, words_of};
use super::primitives::{Device, policy_of};
use super::setup::{Parameters, Setup};

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
    /// If false, the arrays are unsorted, and each result may be any of their elements.
    pub is_sorted: bool,
}

impl MergeCase {
    /// An ascending merge of two sorted arrays without elements.
    pub fn new(wide: bool, words: usize) -> Self {
        let (descending, on_device, sizes, subgroups, is_sorted) =
            (false, false, [0; 2], None, true);
        Self { wide, words, descending, on_device, sizes, subgroups, is_sorted }
    }

    fn key(&self) -> KeyType {
        if self.wide { KeyType::U64 } else { KeyType::I32 }
    }

    fn key_words(&self, keys: &[i64]) -> Vec<u32> {
        // 64-bit keys are unsigned, so add 2^63 to make them positive.
        let bias = u64::from(self.wide) << 63;
        words_of(self.key(), keys.iter().map(|&key| (key as u64).wrapping_add(bias)))
    }
}

impl Parameters for MergeCase {
    fn case(&self, device: Device) -> Result<Case> {
        let of = *self;
        let mut setup = Setup::new(device, "merge");
        let (max, first_count) = setup.count(of.sizes[0], of.on_device);
        let spare = of.on_device.then_some(30);
        let (second_max, second_count) = setup.other_count("second_count", of.sizes[1], spare);
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
        let width = of.key().bytes() as usize / 4;
        let first = setup.buffer("first", of.key(), max);
        let second = setup.buffer("second", of.key(), second_max);
        let out = setup.buffer("out", of.key(), max + second_max);
        let mut buffers = MergeBuffers::keys(first, second, out).counts(first_count, second_count);
        for (name, keys, len) in [("first", &arrays[0], max), ("second", &arrays[1], second_max)] {
            let mut words = of.key_words(keys);
            words.resize(len as usize * width, 5);
            setup.set(name, words);
        }
        setup.expect("out", of.key_words(&sorted));
        if of.words > 0 {
            let value_type = value_type(of.words);
            let first = setup.buffer("first_values", value_type, max);
            let second = setup.buffer("second_values", value_type, second_max);
            let out = setup.buffer("values_out", value_type, max + second_max);
            buffers = buffers.values(first, second, out);
            let all = |array, len: u64| (0..len as usize).flat_map(|i| value(array, i)).collect();
            setup.set("first_values", all(0, max));
            setup.set("second_values", all(1, second_max));
            let expected = merged.iter().flat_map(|&(_, array, i)| value(array, i)).collect();
            setup.expect("values_out", expected);
        }
        let how = if of.descending { Merge::Descending } else { Merge::Ascending };
        merge(&mut setup.graph, &policy_of(device, of.subgroups), how, &buffers)?;
        let mut verify: Option<Verify> = None;
        if !of.is_sorted {
            let known = arrays.concat();
            setup.outputs.clear();
            verify = Some(Arc::new(move |words| {
                let found = words("out");
                let is_known = |at: &usize| {
                    let key = &found[at * width..][..width];
                    known.iter().any(|&one| of.key_words(&[one]) == key)
                };
                let wrong = (0..known.len()).find(|at| !is_known(at))?;
                Some(format!("element {wrong} of `out` is not an element of the inputs"))
            }));
        }
        Ok(Case { verify, ..setup.finish(self)? })
    }
}

/// Cases with two tiles, with exactly one tile, of which one array has a single element, and with
/// few elements. `tile` is the tile size of the kernels.
pub fn merge_cases(tile: u64) -> Vec<MergeCase> {
    let mut all = Vec::new();
    for wide in [false, true] {
        for words in [0, 1, 2, 4] {
            for sizes in [[tile + 5, tile / 2], [1, tile - 1], [9, 2]] {
                let (descending, on_device) = (all.len() % 2 == 1, all.len() % 3 == 1);
                all.push(MergeCase { descending, on_device, sizes, ..MergeCase::new(wide, words) });
            }
        }
    }
    all
}
