//! Runs one top-k, with guard words around its outputs, and compares it with a CPU reference.

use multisplit::operations::topk::TopKMethod;
use multisplit_tests::prelude::*;

use crate::sort_run::{Keys, image, import_keys, keys_of_words, make_keys};

pub const METHODS: [TopKMethod; 4] =
    [TopKMethod::Auto, TopKMethod::Rows, TopKMethod::Filter, TopKMethod::Select];

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

    /// The expected keys (as bits) and indices of each row, one row after another.
    pub fn expected(&self, keys: &[u64]) -> (Vec<u64>, Vec<u32>) {
        let of_row = |row: &[u64]| {
            let images: Vec<u64> = row.iter().map(|&bits| image(self.key, bits)).collect();
            let mut places = reference::sort(&images, 0..64, !self.smallest);
            places.truncate(self.k);
            places.into_iter().map(|i| (row[i as usize], i)).collect::<Vec<_>>()
        };
        keys.chunks(self.length.max(1)).flat_map(of_row).unzip()
    }

    /// The bits of the keys in these words.
    pub fn bits(&self, words: &[u32]) -> Vec<u64> {
        keys_of_words(self.key, words, words.len() * 4 / self.key.bytes() as usize)
    }

    /// The keys and indices. If the case has unsorted results, they are sorted by key and index.
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

/// Runs one case and compares the results with the CPU. Returns the chosen method.
pub fn check(gpu: &Gpu, policy: &Policy, case: &Case) -> Result<TopKMethod> {
    run(gpu, policy, case).with_context(|| format!("{case:?}"))
}

fn run(gpu: &Gpu, policy: &Policy, case: &Case) -> Result<TopKMethod> {
    let (n, found) = (case.rows * case.length, case.rows * case.k);
    let keys = make_keys(case.key, case.keys, n, (n * 31 + case.k) as u64);
    let mut setup = Setup::new(gpu, "topk");
    let input = import_keys(&mut setup, "keys", case.key, &keys);
    let len = case.key.array_len(found.max(1) as u64);
    let keys_out = setup.array("keys_out", case.key.into(), len, &[]);
    let indices_out = setup.output::<u32>("indices_out", found);
    let buffers = TopKBuffers::new(input, keys_out, indices_out).count(n as u64);
    let added = topk(&mut setup.graph, policy, &case.described(), &buffers)?;
    if n == 0 || found == 0 {
        return Ok(added.method);
    }
    setup.run()?;
    let words = setup.found::<u32>(keys_out)?;
    // The bytes after the last key must not change.
    let before = case.bits(&vec![GUARD_WORD; words.len()]);
    let mut out = case.bits(&words);
    ensure!(out[found..] == before[found..], "bytes after the last key have changed");
    out.truncate(found);
    let (out, indices) = case.ordered(&out, &setup.found::<u32>(indices_out)?);
    let (expected_keys, expected_indices) = case.expected(&keys);
    expect_equal(&indices, &expected_indices).context("indices differ")?;
    expect_equal(&out, &expected_keys).context("keys differ")?;
    setup.expect_unchanged(input).context("the input has changed")?;
    Ok(added.method)
}

/// The device's policy, but a single workgroup processes only rows of at most 4,096 elements
/// unless there are many rows.
pub fn quick_policy(gpu: &Gpu) -> Policy {
    let mut policy = gpu.policy();
    policy.topk.row_elements = 4096;
    policy
}

/// Number of elements that a workgroup of the filter reads at a time.
pub fn tile(policy: &Policy, key: KeyType) -> usize {
    (policy.threads * 64 / key.bytes()) as usize
}
