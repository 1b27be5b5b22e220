//! `multisplit bench sort`: the requested operations and methods, each run on unsorted data.

use std::ops::Range;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use multisplit::operations::sort::SortMethod;
use multisplit::{Array, Bound, Key, KeyType};

use crate::choice::{Named as _, or_default};
use crate::key_order::rank;
use crate::measure::{Bench, Case};
use crate::sort::{Method, Op, Sorted, plan};
use crate::{data, size};

/// Arguments for the subject `sort`.
#[derive(Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Options of sort")]
pub struct SortOptions {
    /// Sorts, separated by commas [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    sorts: Vec<Op>,
    /// Methods, separated by commas [default: auto]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    sort_by: Vec<Method>,
}

impl SortOptions {
    /// Measures sorts of `n` elements.
    pub fn measure(&self, bench: &Bench<'_>, n: u64) -> Result<()> {
        let methods = or_default(&self.sort_by, &SortMethod::CHOICES[..1]);
        for &op in or_default(&self.sorts, Sorted::CHOICES) {
            match op.value.key {
                KeyType::U32 => Input::<u32>::new(bench, op, n)?.measure(methods),
                KeyType::U64 => Input::<u64>::new(bench, op, n)?.measure(methods),
                KeyType::F32 => Input::<f32>::new(bench, op, n)?.measure(methods),
                KeyType::U8 => Input::<u8>::new(bench, op, n)?.measure(methods),
                KeyType::U16 => Input::<u16>::new(bench, op, n)?.measure(methods),
                key => bail!("the benchmark does not support keys of type {key}"),
            }?;
        }
        Ok(())
    }
}

/// The elements of one sort, on the host and the device.
struct Input<'b, 'c, K> {
    bench: &'b Bench<'c>,
    op: Op,
    n: u64,
    host_keys: Vec<K>,
    /// The original keys. They are copied to `keys` before each run.
    unsorted: Array<K>,
    /// The keys that are sorted in place.
    keys: Array<K>,
    values: Option<Array<u32>>,
}

impl<'b, 'c, K: Key + Sync> Input<'b, 'c, K> {
    fn new(bench: &'b Bench<'c>, op: Op, n: u64) -> Result<Self> {
        // Allocate device memory first, so that a size that does not fit fails before generating the input.
        let unsorted = bench.context.zeroed(n)?;
        let keys = bench.context.zeroed(n)?;
        let values = op.value.pairs.then(|| bench.context.zeroed(n)).transpose()?;
        let host_keys = data::random_keys(n, data::SEED)?;
        bench.context.write(&unsorted, 0, &host_keys)?;
        Ok(Self { bench, op, n, host_keys, unsorted, keys, values })
    }

    /// Measures the sort by each of `methods`.
    fn measure(&self, methods: &[Method]) -> Result<()> {
        for method in methods {
            self.measure_by(method.value).with_context(|| {
                format!("{} ({}), n = {}", self.op.name, method.name, size::show(self.n))
            })?;
        }
        Ok(())
    }

    fn measure_by(&self, method: SortMethod) -> Result<()> {
        let sort = plan(&self.bench.target, self.op.value, method, self.n)?;
        let mut bound: Vec<Bound<'_>> = vec![(sort.imports[0], &self.keys).into()];
        if let Some(values) = &self.values {
            bound.push((sort.imports[1], values).into());
            self.bench.context.write(values, 0, &data::words(self.n, |i| i as u32)?)?;
        }
        let restore = self.bench.restoring(&self.unsorted, &self.keys)?;
        let case = Case::new(self.op.name, sort.method, self.n, bound);
        let case = Case { restore: Some(&restore), ..case };
        self.bench.measure(&case, &sort.plan, || self.check())
    }

    /// Checks that the keys are sorted and the same as before. The values must be the original positions of their
    /// keys, ascending for equal keys.
    fn check(&self) -> Result<()> {
        let (n, input) = (self.host_keys.len(), &self.host_keys[..]);
        let got = self.bench.context.download(&self.keys)?;
        // Consecutive ranges overlap by one element, so that each pair of neighbours is in one of them.
        let with_next = |range: Range<usize>| range.start..n.min(range.end + 1);
        let all = |check: &(dyn Fn(Range<usize>) -> bool + Sync)| {
            data::per_core(n, check).into_iter().all(|right| right)
        };
        ensure!(
            all(&|range| got[with_next(range)].is_sorted_by_key(|&key| rank(key))),
            "the sort is wrong: the keys are not sorted"
        );
        // The sum of the hashes of all keys does not depend on their order, and almost certainly
        // differs for other keys.
        let mix = |&key: &K| data::SplitMix64::after(key.key_bits(), 0).draw();
        let mixed = |keys: &[K]| {
            let sums = data::per_core(n, |range| {
                keys[range].iter().map(mix).fold(0u64, u64::wrapping_add)
            });
            sums.into_iter().fold(0u64, u64::wrapping_add)
        };
        ensure!(
            got.len() == n && mixed(&got) == mixed(input),
            "the sort is wrong: the sorted keys differ from the input keys"
        );
        let Some(values) = &self.values else { return Ok(()) };
        let values = self.bench.context.download(values)?;
        let same = |a: K, b: K| a.key_bits() == b.key_bits();
        let belongs = |index: usize| {
            input.get(values[index] as usize).is_some_and(|&key| same(key, got[index]))
        };
        ensure!(
            all(&|mut range| range.all(belongs)),
            "the sort is wrong: a value has moved to another key"
        );
        let stable = |range: Range<usize>| {
            let range = with_next(range);
            let mut pairs = got[range.clone()].windows(2).zip(values[range].windows(2));
            pairs.all(|(keys, values)| !same(keys[0], keys[1]) || values[0] < values[1])
        };
        ensure!(all(&stable), "the sort is wrong: equal keys are not in their original order");
        Ok(())
    }
}
