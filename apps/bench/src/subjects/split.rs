//! `multisplit bench split`: all operations, bucket counts and methods, with the time of each stage.

use anyhow::{Context as _, Result};
use clap::Args;
use multisplit::Context;

use crate::figures;
use crate::measure::{Bench, too_large};
use crate::output::{Figure, Output, SplitFigure};
use crate::plans::{Target, WordPlan, bytes_of};
use crate::split::{Arrays, Distribution, Expected, Function, Method, Op, Recipe, Rule, SplitPlan};
use crate::stages::Stages;
use crate::subjects::cases::POISON;
use crate::{console, data, passes, size};

/// Arguments of `multisplit bench split` alone. None has a default that clap knows, so that one
/// given to another subject can be refused.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of split")]
pub struct SplitOptions {
    /// Operations, separated by commas [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    op: Vec<Op>,
    /// Methods, separated by commas [default: direct,warp,block,onesweep]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    method: Vec<Method>,
    /// Distribution of the keys over the buckets [default: uniform]
    #[arg(long, value_enum)]
    distribution: Option<Distribution>,
}

const BUCKETS: [u32; 8] = [2, 4, 8, 16, 32, 64, 128, 256];
/// Few bucket counts, because a software driver compiles kernels for each.
const SOFTWARE_BUCKETS: [u32; 2] = [8, 64];
const OPS: [Op; 5] =
    [Op::DeltaKeys, Op::DeltaPairs, Op::IdentityKeys, Op::IdentityPairs, Op::RangeKeys];
const METHODS: [Method; 4] = [Method::Direct, Method::Warp, Method::Block, Method::Onesweep];
/// Input and output, of keys and values.
const PAIR_ARRAYS: u64 = 4;

impl SplitOptions {
    /// Whether any option was given.
    pub fn any(&self) -> bool {
        !self.op.is_empty() || !self.method.is_empty() || self.distribution.is_some()
    }

    /// Measures splits of `n` elements into `m` buckets.
    pub fn measure(&self, bench: &Bench<'_>, n: u64, m: &[u32], output: &mut Output) -> Result<()> {
        let context = bench.context;
        if let Some(reason) = too_wide(context, n) {
            console::note(format_args!("n = {} skipped: {reason}", size::show(n)));
            return Ok(());
        }
        let mut ops = or_all(&self.op, &OPS).to_vec();
        if ops.iter().any(|op| op.pairs())
            && let Some(reason) = too_large(context, n, PAIR_ARRAYS)
        {
            console::note(format_args!("pairs, n = {} skipped: {reason}", size::show(n)));
            ops.retain(|op| !op.pairs());
        }
        if ops.is_empty() {
            return Ok(());
        }
        let distribution = self.distribution.unwrap_or_default();
        let mut splits = Splits::new(bench, n, distribution, ops.iter().any(|op| op.pairs()))?;
        let default = if bench.software { &SOFTWARE_BUCKETS[..] } else { &BUCKETS };
        for &m in or_all(m, default) {
            for function in Function::ALL {
                let ops: Vec<_> =
                    ops.iter().copied().filter(|op| op.function() == function).collect();
                if !ops.is_empty() {
                    let rule = Rule::new(function, m);
                    splits.measure(&rule, &ops, or_all(&self.method, &METHODS), output)?;
                }
            }
        }
        Ok(())
    }
}

fn or_all<'l, T>(asked: &'l [T], all: &'l [T]) -> &'l [T] {
    if asked.is_empty() { all } else { asked }
}

/// Reason why `n` words exceed the storage range of a kernel, if they do. Splits need whole arrays.
fn too_wide(context: &Context, n: u64) -> Option<String> {
    let (array, max) = (bytes_of(n), context.limits().max_storage_range);
    (array > max).then(|| {
        let (array, max) = (figures::bytes(array), figures::bytes(max));
        format!("an array needs {array}, but a kernel can access at most {max}")
    })
}

/// Splits of one size and distribution.
struct Splits<'b> {
    bench: &'b Bench<'b>,
    target: Target,
    n: u64,
    distribution: Distribution,
    arrays: Arrays,
    poison: WordPlan,
    /// Host copy of the keys on the device.
    keys: Option<(Recipe, Vec<u32>)>,
}

impl<'b> Splits<'b> {
    fn new(bench: &'b Bench<'b>, n: u64, distribution: Distribution, pairs: bool) -> Result<Self> {
        let target = bench.target();
        // Allocate device memory first, so that a size that does not fit fails before generating the input.
        let arrays = Arrays::new(bench.context, n, pairs)?;
        if let Some((values, _)) = &arrays.values {
            bench.context.write(values, 0, &data::words(n, |index| index as u32)?)?;
        }
        let poison = target.fill(n, POISON)?;
        Ok(Self { bench, target, n, distribution, arrays, poison, keys: None })
    }

    /// Measures each of `ops`, which share the bucket function `rule`, by each of `methods`.
    fn measure(
        &mut self,
        rule: &Rule,
        ops: &[Op],
        methods: &[Method],
        output: &mut Output,
    ) -> Result<()> {
        let recipe = Recipe::new(rule, self.distribution);
        let keys = match self.keys.take() {
            Some((made, keys)) if made == recipe => keys,
            // Free the old keys before generating new ones.
            other => {
                drop(other);
                let keys = recipe.make(self.n)?;
                self.bench.context.write(&self.arrays.keys, 0, &keys)?;
                keys
            }
        };
        let expected = Expected::new(rule, &keys)?;
        for &op in ops {
            let mut done = Vec::new();
            for &method in methods {
                let split = SplitPlan::new(&self.target, rule, method, op.pairs(), self.n, true)?;
                // `auto` selects one of the other methods.
                if done.contains(&split.method) {
                    continue;
                }
                done.push(split.method);
                self.measure_plan(rule, op, &split, &keys, &expected, output).with_context(
                    || {
                        let (op, n) = (op.name(), size::show(self.n));
                        format!("{op} ({}), n = {n}, m = {}", split.method, rule.buckets)
                    },
                )?;
            }
        }
        self.keys = Some((recipe, keys));
        Ok(())
    }

    fn measure_plan(
        &self,
        rule: &Rule,
        op: Op,
        split: &SplitPlan,
        keys: &[u32],
        expected: &Expected,
        output: &mut Output,
    ) -> Result<()> {
        let Bench { context, timing, .. } = self.bench;
        let executable = context.instantiate(split.plan.clone())?;
        let bound = split.bind(&self.arrays);

        self.poison(op)?;
        context.run(&executable, &bound)?;
        let ends = 0..u64::from(rule.buckets) + 1;
        let offsets = context.download_range(&self.arrays.offsets, ends)?;
        let values = match &self.arrays.values {
            Some((_, values)) if op.pairs() => Some(context.download(values)?),
            _ => None,
        };
        let keys_out = context.download(&self.arrays.keys_out)?;
        expected.check(keys, &offsets, &keys_out, values.as_deref())?;

        let time = self.bench.time(&executable, &bound)?;
        let times = passes::times(context, &executable, &bound, timing.runs)?;
        let (distribution, stages) = (self.distribution.name(), Stages::of(&times));
        output.figure(Figure {
            split: Some(SplitFigure { distribution, stages }),
            ..Figure::new((op.name(), split.method), self.n, rule.buckets.into(), time)
        })?;
        if timing.passes {
            output.passes(&times);
        }
        Ok(())
    }

    /// Overwrites the output of an earlier split, so that it cannot pass the check.
    fn poison(&self, op: Op) -> Result<()> {
        let (context, arrays) = (self.bench.context, &self.arrays);
        let fill = context.instantiate(self.poison.plan.clone())?;
        context.run(&fill, &self.poison.bind(&arrays.keys, &arrays.keys_out))?;
        if let (true, Some((from, to))) = (op.pairs(), &arrays.values) {
            context.run(&fill, &self.poison.bind(from, to))?;
        }
        let poison = data::words(arrays.offsets.len(), |_| POISON)?;
        Ok(context.write(&arrays.offsets, 0, &poison)?)
    }
}
