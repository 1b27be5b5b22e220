//! `multisplit bench sort`: every operation and method, each run on unsorted data.

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use multisplit::{Array, Key};

use crate::data;
use crate::key_order::rank;
use crate::measure::Bench;
use crate::output::Output;
use crate::size;
use crate::sort::{Method, OPS, Op, SortPlan};

/// Arguments of `multisplit bench sort` alone.
#[derive(Debug, Args)]
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
    /// Whether any option was given.
    pub fn any(&self) -> bool {
        !self.sorts.is_empty() || !self.sort_by.is_empty()
    }

    /// Measures sorts of `n` elements.
    pub fn measure(&self, bench: &Bench<'_>, n: u64, output: &mut Output) -> Result<()> {
        let ops = if self.sorts.is_empty() { &OPS[..] } else { &self.sorts };
        let methods = if self.sort_by.is_empty() { &[Method::Auto][..] } else { &self.sort_by };
        for &op in ops {
            match op {
                Op::KeysU32 | Op::PairsU32 => measure::<u32>(bench, op, n, methods, output),
                Op::KeysU64 => measure::<u64>(bench, op, n, methods, output),
                Op::KeysF32 => measure::<f32>(bench, op, n, methods, output),
                Op::KeysU8 => measure::<u8>(bench, op, n, methods, output),
                Op::KeysU16 | Op::PairsU16 => measure::<u16>(bench, op, n, methods, output),
            }?;
        }
        Ok(())
    }
}

/// Measures one operation with key type `K`, by each of `methods`.
fn measure<K: Key>(
    bench: &Bench<'_>,
    op: Op,
    n: u64,
    methods: &[Method],
    output: &mut Output,
) -> Result<()> {
    let input = Input::<K>::new(bench, op, n)?;
    for &method in methods {
        input
            .measure(method, output)
            .with_context(|| format!("{} ({method:?}), n = {}", op.name(), size::show(n)))?;
    }
    Ok(())
}

/// The elements of one sort, on the host and the device.
struct Input<'i, K> {
    bench: &'i Bench<'i>,
    op: Op,
    n: u64,
    host_keys: Vec<K>,
    /// The original keys, and the array in which they are sorted.
    unsorted: Array<K>,
    keys: Array<K>,
    values: Option<Array<u32>>,
}

impl<'i, K: Key> Input<'i, K> {
    fn new(bench: &'i Bench<'i>, op: Op, n: u64) -> Result<Self> {
        // Allocate device memory first, so that a size that does not fit fails before generating the input.
        let unsorted = bench.context.zeroed(n)?;
        let keys = bench.context.zeroed(n)?;
        let values = op.pairs().then(|| bench.context.zeroed(n)).transpose()?;
        let host_keys = data::random_keys(n, data::SEED)?;
        bench.context.write(&unsorted, 0, &host_keys)?;
        Ok(Self { bench, op, n, host_keys, unsorted, keys, values })
    }

    fn measure(&self, method: Method, output: &mut Output) -> Result<()> {
        let context = self.bench.context;
        let sort = SortPlan::new(&self.bench.target(), self.op, method, self.n, true)?;
        let executable = context.instantiate(sort.plan.clone())?;
        let bound = sort.bind(&self.keys, self.values.as_ref());
        if let Some(values) = &self.values {
            context.write(values, 0, &data::words(self.n, |i| i as u32)?)?;
        }
        let restore = self.bench.restoring(&self.unsorted, &self.keys)?;
        restore()?;
        context.run(&executable, &bound)?;
        self.check()?;
        let (names, run) = ((self.op.name(), sort.method), (&executable, &bound[..]));
        self.bench.figure_restoring(names, (self.n, 0), run, restore, output)
    }

    /// Checks that the keys are sorted and the same as before, and that values contain the original
    /// positions, in order for equal keys.
    fn check(&self) -> Result<()> {
        let got = self.bench.context.download(&self.keys)?;
        ensure!(got.is_sorted_by_key(|&key| rank(key)), "the keys are not in order");
        // A sum of hashes: equal for the same keys, and almost never for others.
        let mixed = |keys: &[K]| {
            let mix = |&key: &K| data::SplitMix64::after(key.key_bits(), 0).draw();
            keys.iter().map(mix).fold(0u64, u64::wrapping_add)
        };
        ensure!(mixed(&got) == mixed(&self.host_keys), "the keys have changed");
        let Some(values) = &self.values else { return Ok(()) };
        let values = self.bench.context.download(values)?;
        let same = |a: K, b: K| a.key_bits() == b.key_bits();
        let belongs = |(&key, &value): (&K, &u32)| {
            self.host_keys.get(value as usize).is_some_and(|&input| same(input, key))
        };
        ensure!(got.iter().zip(&values).all(belongs), "a value is with the wrong key");
        let pairs = got.windows(2).zip(values.windows(2));
        let mut stable =
            pairs.map(|(keys, values)| !same(keys[0], keys[1]) || values[0] < values[1]);
        ensure!(stable.all(|right| right), "equal keys have changed their order");
        Ok(())
    }
}
