//! `multisplit bench sort`: every operation and method, each run on unsorted data.

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use multisplit::Buffer;
use multisplit::graph::{self, Graph};
use multisplit::primitives::copy;

use super::measure::Bench;
use super::output::{Figure, Output};
use crate::data;
use crate::figures::{elements_per_nanosecond, median};
use crate::jobs::Target;
use crate::sort::{Job, Method, OPS, Op};
use crate::{passes, size};

/// Arguments of `multisplit bench sort` alone.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of sort")]
pub struct SortOptions {
    /// Which sorts; several, separated by commas [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    sorts: Vec<Op>,
    /// By which methods; several, separated by commas [default: auto]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    sort_by: Vec<Method>,
}

impl SortOptions {
    /// Whether any was given.
    pub fn any(&self) -> bool {
        !self.sorts.is_empty() || !self.sort_by.is_empty()
    }

    /// Measures sorts of `n` elements.
    pub fn measure(&self, bench: &Bench<'_>, n: u64, output: &mut Output) -> Result<()> {
        let ops = if self.sorts.is_empty() { &OPS[..] } else { &self.sorts };
        let methods = if self.sort_by.is_empty() { &[Method::Auto][..] } else { &self.sort_by };
        for &op in ops {
            let input = Input::new(bench, op, n)?;
            for &method in methods {
                input.measure(method, output).with_context(|| {
                    format!("{} ({method:?}), n = {}", op.name(), size::show(n))
                })?;
            }
        }
        Ok(())
    }
}

/// The elements of one sort, on both sides.
struct Input<'i> {
    bench: &'i Bench<'i>,
    op: Op,
    n: u64,
    words: Vec<u32>,
    /// Keys as they are at first, and where they are sorted.
    unsorted: Buffer,
    keys: Buffer,
    values: Option<Buffer>,
}

impl<'i> Input<'i> {
    fn new(bench: &'i Bench<'i>, op: Op, n: u64) -> Result<Self> {
        let words = n * u64::from(op.key().bytes() / 4);
        // Device memory first: what does not fit there need not be made on the host.
        let unsorted = bench.context.buffer::<u32>("bench.unsorted", words)?;
        let keys = bench.context.buffer::<u32>("bench.keys", words)?;
        let values = match op {
            Op::PairsU32 => Some(bench.context.buffer::<u32>("bench.values", n)?),
            _ => None,
        };
        let words = data::random_words(words, data::SEED)?;
        bench.context.write(&unsorted, &words)?;
        Ok(Self { bench, op, n, words, unsorted, keys, values })
    }

    fn measure(&self, method: Method, output: &mut Output) -> Result<()> {
        let (context, timing) = (self.bench.context, self.bench.timing);
        let target = Target::context(context);
        let job = Job::new(&target, self.op, method, self.n, true)?;
        let executable = context.instantiate(job.plan.clone())?;
        let bound = job.bind(&self.keys, self.values.as_ref());
        if let Some(values) = &self.values {
            context.write(values, &data::words(self.n, |i| i as u32)?)?;
        }
        let restore = self.restore(&target)?;
        let restore = |runs: u32| -> Result<()> {
            let (executable, [from, to]) = &restore;
            let bound = [(*from, &self.unsorted), (*to, &self.keys)];
            (0..runs).try_for_each(|_| Ok(context.run(executable, &bound)?))
        };
        restore(1)?;
        context.run(&executable, &bound)?;
        self.check()?;

        // Data that is sorted already is sorted a little faster, so every run gets it unsorted. The
        // copies besides keep the clocks up where a sort is too short to.
        self.bench.time(&executable, &bound)?;
        let mut times = Vec::new();
        for _ in 0..timing.runs {
            restore(1)?;
            times.extend(context.time_runs(&executable, &bound, 1)?);
        }
        let nanoseconds = median(times);
        output.figure(Figure {
            op: self.op.name(),
            n: self.n,
            m: 0,
            ms: nanoseconds / 1e6,
            gps: elements_per_nanosecond(self.n, nanoseconds),
            method: job.method,
            split: None,
        })?;
        if timing.passes {
            restore(1)?;
            output.passes(&passes::times(context, &executable, &bound, timing.runs)?);
        }
        Ok(())
    }

    /// A copy that makes the keys unsorted again.
    fn restore(&self, target: &Target) -> Result<(multisplit::Executable, [graph::Buffer; 2])> {
        let mut graph = Graph::new("restore");
        let words = self.words.len() as u64;
        let (from, to) = (graph.import::<u32>("from", words), graph.import::<u32>("to", words));
        copy(&mut graph, &target.policy, "memory.copy", from, to)?;
        Ok((self.bench.context.instantiate(graph.compile(&target.limits)?)?, [from, to]))
    }

    /// The keys are in order, and the same as before; values say where each was, equal keys in the
    /// order they had.
    fn check(&self) -> Result<()> {
        let got = self.bench.context.download::<u32>(&self.keys)?;
        let per_key = (self.op.key().bytes() / 4) as usize;
        let image = |key: &[u32]| match self.op {
            Op::KeysU64 => u64::from(key[1]) << 32 | u64::from(key[0]),
            Op::KeysF32 if key[0] >> 31 == 1 => u64::from(!key[0]),
            Op::KeysF32 => u64::from(key[0] | 1 << 31),
            _ => u64::from(key[0]),
        };
        let in_order = got.chunks(per_key).map(image).is_sorted();
        ensure!(in_order, "the keys are not in order");
        // The same keys have the same sum, and other keys hardly ever.
        let mixed = |words: &[u32]| {
            let mix = |key| data::SplitMix64::after(image(key), 0).next();
            words.chunks(per_key).map(mix).fold(0u64, u64::wrapping_add)
        };
        ensure!(mixed(&got) == mixed(&self.words), "these are other keys");
        let Some(values) = &self.values else { return Ok(()) };
        let values = self.bench.context.download::<u32>(values)?;
        let belongs = |(&key, &value): (&u32, &u32)| self.words.get(value as usize) == Some(&key);
        ensure!(got.iter().zip(&values).all(belongs), "a value is with the wrong key");
        let pairs = got.windows(2).zip(values.windows(2));
        let mut stable = pairs.map(|(keys, values)| keys[0] != keys[1] || values[0] < values[1]);
        ensure!(stable.all(|right| right), "equal keys have changed places");
        Ok(())
    }
}
