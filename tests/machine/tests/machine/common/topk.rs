//! Plans of top-k, with inputs and expected outputs.

use std::sync::Arc;

use anyhow::Result;
use multisplit::graph::ElementType;
use multisplit::operations::topk::TopKMethod;
use multisplit::operations::{TopKBuffers, topk};
use multisplit::{KeyType, TopK};
use multisplit_machine::Rng;

use super::case::{Case, Verify};
use super::moves::{image, words_of};
use super::primitives::{Device, policy_of};
use super::setup::{Parameters, Setup};

/// Distribution of the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopKData {
    Any,
    /// Few distinct keys, so that many keys are equal to the k-th key.
    Few,
    /// All keys are equal, so no threshold separates the first k keys from the others.
    Same,
    /// Keys that differ only in their last ten bits.
    Near,
}

#[derive(Clone, Copy, Debug)]
pub struct TopKCase {
    pub key: KeyType,
    pub method: TopKMethod,
    pub rows: u64,
    pub length: u64,
    pub k: u64,
    pub smallest: bool,
    pub sorted: bool,
    pub on_device: bool,
    pub data: TopKData,
    /// Number of subgroups per workgroup; `None` for the usual size.
    pub subgroups: Option<u32>,
    /// Elements per part of a row; 0 if rows are not divided.
    pub part: u64,
}

impl TopKCase {
    /// Parameters of a top-1 of one empty row.
    pub fn new(key: KeyType, method: TopKMethod) -> Self {
        Self {
            key,
            method,
            rows: 1,
            length: 0,
            k: 1,
            smallest: false,
            sorted: true,
            on_device: false,
            data: TopKData::Any,
            subgroups: None,
            part: 0,
        }
    }
}

fn keys_of(of: &TopKCase, n: u64) -> Vec<u64> {
    let mut rng = Rng::new(n * 7 + of.k);
    let mask = u64::MAX >> (64 - of.key.bits());
    let few: Vec<u64> = (0..4).map(|_| rng.next_u64() & mask).collect();
    (0..n)
        .map(|_| match of.data {
            TopKData::Any => rng.next_u64() & mask,
            TopKData::Few => few[rng.below(4) as usize],
            TopKData::Same => few[0],
            TopKData::Near => few[0] ^ rng.below(1 << 10),
        })
        .collect()
}

impl Parameters for TopKCase {
    fn case(&self, device: Device) -> Result<Case> {
        let Self { key, rows, length, k, .. } = *self;
        let mut policy = policy_of(device, self.subgroups);
        if self.subgroups.is_some() {
            policy.spine_threads = policy.threads;
        }
        // Few workgroups, with several tiles each, and few groups of samples, so that a group has
        // the samples of several threads.
        policy.topk.groups = 5;
        policy.topk.filter_tiles = 2;
        policy.topk.maxima = 64;
        (policy.topk.row_elements, policy.topk.part_elements) = (self.part, self.part);
        let mut setup = Setup::new(device, "topk");
        let (max, count) = setup.count(rows * length, self.on_device);
        let input = setup.buffer("keys", key, key.array_len(max));
        let keys_out = setup.buffer("keys_out", key, key.array_len(rows * k));
        let indices_out = setup.buffer("indices_out", ElementType::U32, rows * k);
        let mut how = if self.smallest { TopK::smallest(k) } else { TopK::largest(k) };
        if rows > 1 {
            how = how.rows(length);
        }
        if !self.sorted {
            how = how.unsorted();
        }
        let buffers = TopKBuffers::new(input, keys_out, indices_out).count(count);
        topk(&mut setup.graph, &policy, &how.method(self.method), &buffers)?;

        let keys = keys_of(self, max);
        let mut found = Vec::new();
        for row in keys[..(rows * length) as usize].chunks(length as usize) {
            let rank = |i: u32| {
                let number = image(key, row[i as usize]);
                if self.smallest { number } else { !number }
            };
            let mut order: Vec<u32> = (0..length as u32).collect();
            order.sort_by_key(|&i| rank(i));
            found.extend(order[..k as usize].iter().map(|&i| (row[i as usize], i)));
        }
        let (bits, indices): (Vec<u64>, Vec<u32>) = found.into_iter().unzip();
        let mut verify: Option<Verify> = None;
        if self.sorted {
            setup.expect("keys_out", words_of(key, bits));
            setup.expect("indices_out", indices);
        } else {
            // Results are compared as sets: each row must contain the same indices in any order.
            let in_order = move |mut all: Vec<u32>| {
                all.chunks_mut(k as usize).for_each(<[u32]>::sort_unstable);
                all
            };
            let expected = in_order(indices);
            verify = Some(Arc::new(move |found: &dyn Fn(&str) -> Vec<u32>| {
                let same = in_order(found("indices_out")) == expected;
                (!same).then(|| {
                    "a row of `indices_out` does not contain the expected indices".to_owned()
                })
            }));
        }
        setup.set("keys", words_of(key, keys));
        // The kernel reads and rewrites the word with the last key, so the output must be
        // initialized.
        setup.set("keys_out", words_of(key, vec![0; (rows * k) as usize]));
        // Keys are ranked only by the sort of the results.
        let lane_order = device.lane_order && self.sorted && self.method == TopKMethod::Select;
        Ok(Case { lane_order, verify, ..setup.finish(self)? })
    }
}
