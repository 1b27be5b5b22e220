//! Plans of top-k, with inputs and expected outputs.

use std::sync::Arc;

use anyhow::Result;
use multisplit::graph::{ElementType, Graph};
use multisplit::operations::topk::TopKMethod;
use multisplit::operations::{TopKBuffers, topk};
use multisplit::{KeyType, TopK};
use multisplit_machine::Rng;

use super::case::{Case, Output};
use super::moves::{image, words_of};
use super::primitives::{Device, count_words, counted, limits, policy_of};

/// Distribution of the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopKData {
    Any,
    /// Few distinct keys, so that many are equal to the k-th.
    Few,
    /// All keys are equal, so that no estimated threshold is right.
    Same,
    /// Keys that differ only in their last bits.
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
    /// Elements per part, for rows that are divided.
    pub part: u64,
}

fn words(key: KeyType, bits: &[u64]) -> Vec<u32> {
    words_of(key, bits.iter().copied())
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

pub fn topk_case(device: Device, of: TopKCase) -> Result<Case> {
    let TopKCase { key, rows, length, k, .. } = of;
    let mut policy = policy_of(device, of.subgroups);
    if of.subgroups.is_some() {
        policy.spine_threads = policy.threads;
    }
    // A few workgroups of several tiles, and groups of samples that span several threads.
    policy.topk.groups = 5;
    policy.topk.filter_tiles = 2;
    policy.topk.maxima = 64;
    (policy.topk.row_elements, policy.topk.part_elements) = (of.part, of.part);
    let mut graph = Graph::new("topk");
    let (max, count) = counted(&mut graph, rows * length, of.on_device);
    let element = ElementType::from(key);
    let input = graph.import_array("keys", element, key.array_len(max));
    let keys_out = graph.import_array("keys_out", element, key.array_len(rows * k));
    let indices_out = graph.import::<u32>("indices_out", rows * k);
    let mut how = if of.smallest { TopK::smallest(k) } else { TopK::largest(k) };
    if rows > 1 {
        how = how.rows(length);
    }
    if !of.sorted {
        how = how.unsorted();
    }
    let buffers = TopKBuffers::new(input, keys_out, indices_out).count(count);
    topk(&mut graph, &policy, &how.method(of.method), &buffers)?;

    let keys = keys_of(&of, max);
    let mut found = Vec::new();
    for row in keys[..(rows * length) as usize].chunks(length as usize) {
        let rank = |i: u32| {
            let number = image(key, row[i as usize]);
            if of.smallest { number } else { !number }
        };
        let mut order: Vec<u32> = (0..length as u32).collect();
        order.sort_by_key(|&i| rank(i));
        found.extend(order[..k as usize].iter().map(|&i| (row[i as usize], i)));
    }
    let (bits, indices): (Vec<u64>, Vec<u32>) = found.into_iter().unzip();
    let mut outputs = Vec::new();
    let mut verify: Option<super::case::Verify> = None;
    if of.sorted {
        outputs.push(Output { name: "keys_out", expected: words(key, &bits) });
        outputs.push(Output { name: "indices_out", expected: indices });
    } else {
        // The same indices in each row, in any order.
        let in_order = move |mut all: Vec<u32>| {
            all.chunks_mut(k as usize).for_each(<[u32]>::sort_unstable);
            all
        };
        let expected = in_order(indices);
        verify = Some(Arc::new(move |found: &dyn Fn(&str) -> Vec<u32>| {
            let same = in_order(found("indices_out")) == expected;
            (!same).then(|| "other elements were found".to_owned())
        }));
    }
    Ok(Case {
        name: format!("{of:?}, for {device:?}"),
        plan: graph.compile(&limits(device))?,
        // The bytes beyond the last narrow key in its word are read and written back.
        inputs: vec![
            ("keys", words(key, &keys)),
            ("keys_out", words(key, &vec![0; (rows * k) as usize])),
            count_words(rows * length),
        ],
        outputs,
        // Only a sort ranks.
        lane_order: device.lane_order && of.sorted && of.method == TopKMethod::Select,
        may_give_up: None,
        verify,
        steady: Vec::new(),
    })
}
