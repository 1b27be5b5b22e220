//! Reference results, computed on the CPU.

use std::collections::HashMap;

use super::benchmark::{Benchmark, Operation};
use super::data::{Data, EDGES, SAMPLE_END, key, mixed, sample, splitters};
use crate::error::Result;

/// Contents of the output arrays as 32-bit words, one vector per array.
type Outputs = Vec<Vec<u32>>;

/// Reference results. Each is computed once.
#[derive(Default)]
pub(super) struct References(HashMap<Benchmark, Outputs>);

impl References {
    /// Whether the arrays contain the right result of `benchmark`. No other benchmark may have run
    /// since.
    pub fn is_right(&mut self, data: &Data, benchmark: Benchmark) -> Result<bool> {
        let found = downloaded(data, benchmark)?;
        let expected = self.0.entry(benchmark).or_insert_with(|| expected(data, benchmark));
        Ok(found == *expected)
    }
}

fn downloaded(data: &Data, benchmark: Benchmark) -> Result<Outputs> {
    let (context, n) = (&data.context, benchmark.n);
    let keys = || context.download_range(&data.keys_out, 0..n);
    let values = || context.download_range(&data.values_out, 0..n);
    let words = |count: u64| context.download_range(&data.words, 0..count);
    Ok(match benchmark.operation {
        Operation::SortWideKeys => {
            vec![bytemuck::cast_slice(&context.download_range(&data.wide_keys_out, 0..n)?).to_vec()]
        }
        Operation::SortKeys | Operation::Scan => vec![keys()?],
        Operation::SortPairs => vec![keys()?, values()?],
        Operation::SplitKeys(m) | Operation::SplitRange(m) => {
            vec![words(u64::from(m) + 1)?, keys()?]
        }
        Operation::SplitPairs(m) => vec![words(u64::from(m) + 1)?, keys()?, values()?],
        Operation::HistogramEven(m) => vec![words(m.into())?],
        Operation::HistogramRange => vec![words(EDGES as u64 - 1)?],
    })
}

fn expected(data: &Data, benchmark: Benchmark) -> Outputs {
    let n = benchmark.n;
    let keys: Vec<u32> = (0..n).map(key).collect();
    let by = |rank: &dyn Fn(u32) -> u32| -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&index| rank(keys[index as usize]));
        order
    };
    let taken = |order: &[u32]| order.iter().map(|&index| keys[index as usize]).collect();
    match benchmark.operation {
        Operation::SortWideKeys => {
            let mut keys: Vec<u64> = (0..n).map(mixed).collect();
            keys.sort_unstable();
            vec![bytemuck::cast_slice(&keys).to_vec()]
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
            let bucket = |key: u32| match benchmark.operation {
                Operation::SplitRange(_) => splitters.partition_point(|&s| s <= key) as u32,
                _ => ((u64::from(key) * u64::from(m)) >> 32) as u32,
            };
            let order = by(&bucket);
            let moved: Vec<u32> = taken(&order);
            let begin = |id: u32| moved.partition_point(|&key| bucket(key) < id) as u32;
            let offsets = (0..=m).map(begin).collect();
            match benchmark.operation {
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
    }
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
