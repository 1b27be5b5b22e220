//! Runs one top-k between guard words and compares it with the CPU.

use anyhow::{Context as _, Result, ensure};
use multisplit::Policy;
use multisplit::graph::{ElementType, Graph};
use multisplit::operations::topk::TopKMethod;
use multisplit::operations::{TopKBuffers, topk};
use multisplit::{Bound, KeyType, TopK};
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::reference;

use crate::sort_run::{Keys, image, key_words, keys_of_words, make_keys};

pub const METHODS: [TopKMethod; 4] =
    [TopKMethod::Auto, TopKMethod::Rows, TopKMethod::Filter, TopKMethod::Select];
pub const GUARD: [u32; 64] = [0xDEAD_BEEF; 64];

/// The parameters of a top-k, for the engine and for the CPU.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub key: KeyType,
    pub rows: usize,
    pub length: usize,
    pub k: usize,
    pub smallest: bool,
    pub sorted: bool,
    pub method: TopKMethod,
    pub keys: Keys,
}

impl Case {
    pub fn of(key: KeyType, length: usize, k: usize, method: TopKMethod) -> Self {
        let (smallest, sorted) = (false, true);
        Self { key, rows: 1, length, k, smallest, sorted, method, keys: Keys::Uniform }
    }

    pub fn described(&self) -> TopK {
        let k = self.k as u64;
        let mut how = if self.smallest { TopK::smallest(k) } else { TopK::largest(k) };
        if self.rows != 1 {
            how = how.rows(self.length as u64);
        }
        if !self.sorted {
            how = how.unsorted();
        }
        how.method(self.method)
    }

    /// The expected keys (as bits) and indices, row by row.
    pub fn expected(&self, keys: &[u64]) -> (Vec<u64>, Vec<u32>) {
        let of_row = |row: &[u64]| {
            let images: Vec<u64> = row.iter().map(|&bits| image(self.key, bits)).collect();
            let mut places = reference::sort(&images, 0..64, !self.smallest);
            places.truncate(self.k);
            places.into_iter().map(|i| (row[i as usize], i)).collect::<Vec<_>>()
        };
        keys.chunks(self.length.max(1)).flat_map(of_row).unzip()
    }

    /// The keys in these words, as bits.
    pub fn bits(&self, words: &[u32]) -> Vec<u64> {
        keys_of_words(self.key, words, words.len() * 4 / self.key.bytes() as usize)
    }

    /// Results in sorted order.
    pub fn ordered(&self, keys: &[u64], indices: &[u32]) -> (Vec<u64>, Vec<u32>) {
        let mut pairs: Vec<(u64, u32)> =
            keys.iter().copied().zip(indices.iter().copied()).collect();
        if !self.sorted {
            for row in pairs.chunks_mut(self.k.max(1)) {
                row.sort_by_key(|&(bits, index)| {
                    let number = image(self.key, bits);
                    (if self.smallest { number } else { !number }, index)
                });
            }
        }
        pairs.into_iter().unzip()
    }
}

pub fn guarded(gpu: &Gpu, words: usize) -> Result<multisplit::Array<u32>> {
    Ok(gpu.context.upload(&[&GUARD[..], &vec![7; words], &GUARD].concat())?)
}

pub fn inside(gpu: &Gpu, array: &multisplit::Array<u32>, words: usize) -> Result<Vec<u32>> {
    let all = gpu.context.download(array)?;
    let (before, rest) = all.split_at(GUARD.len());
    let (found, after) = rest.split_at(words);
    ensure!(before == GUARD && after == GUARD, "guard words");
    Ok(found.to_vec())
}

/// Runs one case and compares everything with the CPU.
pub fn check(gpu: &Gpu, policy: &Policy, case: &Case) -> Result<TopKMethod> {
    run(gpu, policy, case).with_context(|| format!("{case:?}"))
}

fn run(gpu: &Gpu, policy: &Policy, case: &Case) -> Result<TopKMethod> {
    let context = &gpu.context;
    let (n, found) = (case.rows * case.length, case.rows * case.k);
    let keys = make_keys(case.key, case.keys, n, (n * 31 + case.k) as u64);
    let (element, len) =
        (ElementType::from(case.key), |n: usize| case.key.array_len(n.max(1) as u64));
    let words_out = key_words(case.key, &vec![0; found]).len();
    let mut graph = Graph::new("topk");
    let input = graph.import_array("keys", element, len(n));
    let keys_out = graph.import_array("keys_out", element, len(found));
    let indices_out = graph.import::<u32>("indices_out", found.max(1) as u64);
    let buffers = TopKBuffers::new(input, keys_out, indices_out).count(n as u64);
    let added = topk(&mut graph, policy, &case.described(), &buffers)?;
    if n == 0 || found == 0 {
        return Ok(added.method);
    }
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let device_keys = context.upload(&key_words(case.key, &keys))?;
    let (out, indices) = (guarded(gpu, words_out)?, guarded(gpu, found)?);
    let at = 4 * GUARD.len() as u64;
    context.run(
        &executable,
        &[
            Bound::untyped(input, &device_keys, 0),
            Bound::untyped(keys_out, &out, at),
            Bound::untyped(indices_out, &indices, at),
        ],
    )?;
    let words = inside(gpu, &out, words_out)?;
    // The bytes after the last key must not change.
    let before = case.bits(&vec![7; words_out]);
    let mut out = case.bits(&words);
    ensure!(out[found..] == before[found..], "behind the last key");
    out.truncate(found);
    let (out, indices) = case.ordered(&out, &inside(gpu, &indices, found)?);
    let (expected_keys, expected_indices) = case.expected(&keys);
    expect_equal(&indices, &expected_indices).context("indices")?;
    expect_equal(&out, &expected_keys).context("keys")?;
    expect_equal(&context.download(&device_keys)?, &key_words(case.key, &keys)).context("input")?;
    Ok(added.method)
}

/// The device's policy, with a low limit for long rows.
pub fn quick_policy(gpu: &Gpu) -> Policy {
    let mut policy = gpu.context.policy();
    policy.topk.row_elements = 4096;
    policy
}

/// Number of elements that a workgroup of the filter reads at a time.
pub fn tile(policy: &Policy, key: KeyType) -> usize {
    (policy.threads * 64 / key.bytes()) as usize
}
