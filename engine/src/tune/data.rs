//! Input arrays for measurements, and reference results computed on the CPU.

use std::collections::HashMap;

use super::subject::{Operation, Subject};
use crate::device::context::Context;
use crate::error::Result;
use crate::memory::Array;

/// Upper end of the range of histogram samples.
pub(super) const SAMPLE_END: f32 = 1024.0;
/// Number of edges of the histogram with bins of unequal width.
pub(super) const EDGES: usize = 257;
/// Capacity for offsets and counts.
const WORDS: u64 = 512;

/// Random input and output arrays on the device.
pub(super) struct Data {
    pub keys: Array<u32>,
    pub keys_out: Array<u32>,
    /// Indices of the elements.
    pub values: Array<u32>,
    pub values_out: Array<u32>,
    pub wide_keys: Array<u64>,
    pub wide_keys_out: Array<u64>,
    pub samples: Array<f32>,
    /// Offsets and counts.
    pub words: Array<u32>,
    pub edges: Vec<f32>,
}

/// Device memory per element, for all arrays and a sort of pairs.
pub(super) const BYTES_PER_ELEMENT: u64 = 6 * 4 + 3 * 8 + 8;

impl Data {
    /// Creates arrays of `n` elements.
    pub fn new(context: &Context, n: u64) -> Result<Self> {
        let all = |of: fn(u64) -> u32| -> Vec<u32> { (0..n).map(of).collect() };
        let wide: Vec<u64> = (0..n).map(mixed).collect();
        let samples: Vec<f32> = (0..n).map(sample).collect();
        let keys = all(key);
        Ok(Self {
            keys_out: context.upload(&keys)?,
            keys: context.upload(&keys)?,
            values: context.upload(&all(|index| index as u32))?,
            values_out: context.upload(&keys)?,
            wide_keys_out: context.upload(&wide)?,
            wide_keys: context.upload(&wide)?,
            samples: context.upload(&samples)?,
            words: Array::uninit(context, "tune.words", WORDS)?,
            // Bins of increasing width: 0, 1/64, 4/64, ... 1024.
            edges: (0..EDGES).map(|k| (k * k) as f32 / 64.0).collect(),
        })
    }
}

/// Pseudo-random number for an index (SplitMix64).
fn mixed(index: u64) -> u64 {
    let x = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

fn key(index: u64) -> u32 {
    (mixed(index) >> 32) as u32
}

/// A sample with 24 random bits, which `f32` represents exactly.
fn sample(index: u64) -> f32 {
    (key(index) >> 8) as f32 / (1 << 24) as f32 * SAMPLE_END
}

/// Splitters of `m` buckets of random width.
pub(super) fn splitters(m: u32) -> Vec<u32> {
    let width = u32::MAX / m;
    (1..m).map(|k| k * width + key(k.into()) % (width / 2)).collect()
}

/// The right result of a subject.
#[derive(PartialEq)]
enum Expected {
    Words(Vec<Vec<u32>>),
    Wide(Vec<u64>),
}

/// Reference results, each computed once.
#[derive(Default)]
pub(super) struct References(HashMap<Subject, Expected>);

impl References {
    /// Whether the arrays contain the right result of `subject`, which has just run.
    pub fn is_right(&mut self, context: &Context, data: &Data, subject: Subject) -> Result<bool> {
        let found = downloaded(context, data, subject)?;
        let expected = self.0.entry(subject).or_insert_with(|| expected(data, subject));
        Ok(found == *expected)
    }
}

fn downloaded(context: &Context, data: &Data, subject: Subject) -> Result<Expected> {
    let n = subject.n;
    let keys = || context.download_range(&data.keys_out, 0..n);
    let values = || context.download_range(&data.values_out, 0..n);
    let words = |count: u64| context.download_range(&data.words, 0..count);
    Ok(Expected::Words(match subject.operation {
        Operation::SortWideKeys => {
            return Ok(Expected::Wide(context.download_range(&data.wide_keys_out, 0..n)?));
        }
        Operation::SortKeys | Operation::Scan => vec![keys()?],
        Operation::SortPairs => vec![keys()?, values()?],
        Operation::SplitKeys(m) | Operation::SplitRange(m) => {
            vec![words(u64::from(m) + 1)?, keys()?]
        }
        Operation::SplitPairs(m) => vec![words(u64::from(m) + 1)?, keys()?, values()?],
        Operation::HistogramEven(m) => vec![words(m.into())?],
        Operation::HistogramRange => vec![words(EDGES as u64 - 1)?],
    }))
}

fn expected(data: &Data, subject: Subject) -> Expected {
    let n = subject.n;
    let keys: Vec<u32> = (0..n).map(key).collect();
    let by = |rank: &dyn Fn(u32) -> u32| -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&index| rank(keys[index as usize]));
        order
    };
    let taken = |order: &[u32]| order.iter().map(|&index| keys[index as usize]).collect();
    Expected::Words(match subject.operation {
        Operation::SortWideKeys => {
            let mut keys: Vec<u64> = (0..n).map(mixed).collect();
            keys.sort_unstable();
            return Expected::Wide(keys);
        }
        Operation::SortKeys => {
            let mut sorted = keys;
            sorted.sort_unstable();
            vec![sorted]
        }
        Operation::SortPairs => {
            let order = by(&|key| key);
            vec![taken(&order), order]
        }
        Operation::SplitKeys(m) | Operation::SplitPairs(m) | Operation::SplitRange(m) => {
            let splitters = splitters(m);
            let bucket = |key: u32| match subject.operation {
                Operation::SplitRange(_) => splitters.partition_point(|&s| s <= key) as u32,
                _ => ((u64::from(key) * u64::from(m)) >> 32) as u32,
            };
            let order = by(&bucket);
            let moved: Vec<u32> = taken(&order);
            let begin = |id: u32| moved.partition_point(|&key| bucket(key) < id) as u32;
            let offsets = (0..=m).map(begin).collect();
            match subject.operation {
                Operation::SplitPairs(_) => vec![offsets, moved, order],
                _ => vec![offsets, moved],
            }
        }
        Operation::HistogramEven(m) => {
            vec![counted(m as usize, n, |x| (x * (m as f32 / SAMPLE_END)) as usize)]
        }
        Operation::HistogramRange => {
            let bin = |x| data.edges.partition_point(|&edge| edge <= x) - 1;
            vec![counted(EDGES - 1, n, bin)]
        }
        Operation::Scan => {
            let before = |sum: &mut u32, key: u32| {
                let before = *sum;
                *sum = sum.wrapping_add(key);
                Some(before)
            };
            vec![keys.into_iter().scan(0, before).collect()]
        }
    })
}

fn counted(bins: usize, n: u64, bin: impl Fn(f32) -> usize) -> Vec<u32> {
    let mut counts = vec![0; bins];
    for index in 0..n {
        if let Some(count) = counts.get_mut(bin(sample(index))) {
            *count += 1;
        }
    }
    counts
}
