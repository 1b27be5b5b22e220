//! `multisplit bench split`: the requested operations, bucket counts and methods, with the time of each stage.

use anyhow::{Context as _, Result};
use clap::Args;
use multisplit::operations::split as engine;
use multisplit::{Array, Context};

use crate::choice::{Choice, Named as _, or_default};
use crate::figures;
use crate::measure::{Bench, Case, too_large};
use crate::plans::{Planned, bytes_of};
use crate::split::{Distribution, Expected, Function, Method, Op, Recipe, Rule, Split, plan};
use crate::subjects::words::POISON;
use crate::{console, data, size};

/// Arguments for the subject `split`. No option has a default in clap, so that options
/// given for another subject can be rejected.
#[derive(Debug, Default, PartialEq, Args)]
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
    distribution: Option<Choice<Distribution>>,
}

const BUCKETS: [u32; 8] = [2, 4, 8, 16, 32, 64, 128, 256];
/// Only a few bucket counts, because a software driver compiles kernels for each count.
const SOFTWARE_BUCKETS: [u32; 2] = [8, 64];
/// Number of arrays of a split of pairs: input keys and values, output keys and values.
const PAIR_ARRAYS: u64 = 4;

impl SplitOptions {
    /// Measures splits of `n` elements into `m` buckets.
    pub fn measure(&self, bench: &Bench<'_>, n: u64, m: &[u32]) -> Result<()> {
        let context = bench.context;
        if let Some(reason) = too_wide(context, n) {
            console::note(format_args!("n = {} skipped: {reason}", size::show(n)));
            return Ok(());
        }
        let mut ops = or_default(&self.op, Split::CHOICES).to_vec();
        if ops.iter().any(|op| op.value.pairs)
            && let Some(reason) = too_large(context, n, PAIR_ARRAYS)
        {
            console::note(format_args!("pairs, n = {} skipped: {reason}", size::show(n)));
            ops.retain(|op| !op.value.pairs);
        }
        if ops.is_empty() {
            return Ok(());
        }
        // By default direct, warp, block and onesweep.
        let methods = or_default(&self.method, &engine::Method::CHOICES[1..5]);
        let distribution = self.distribution.unwrap_or_default();
        let pairs = ops.iter().any(|op| op.value.pairs);
        let mut splits = Splits::new(bench, n, distribution, pairs)?;
        let default = if bench.is_software() { &SOFTWARE_BUCKETS[..] } else { &BUCKETS };
        for &m in or_default(m, default) {
            for function in Function::ALL {
                let of_function = |op: &Op| op.value.function == function;
                let ops: Vec<_> = ops.iter().copied().filter(of_function).collect();
                if !ops.is_empty() {
                    splits.measure(&Rule::new(function, m), &ops, methods)?;
                }
            }
        }
        Ok(())
    }
}

/// Reason why `n` words exceed the range that a kernel can access; `None` if they do not. Kernels of splits access
/// whole arrays.
fn too_wide(context: &Context, n: u64) -> Option<String> {
    let (array, max) = (bytes_of(n), context.limits().max_storage_range);
    (array > max).then(|| {
        let (array, max) = (figures::bytes(array), figures::bytes(max));
        format!("an array needs {array}, but a kernel can access at most {max}")
    })
}

/// Splits of one size and distribution.
struct Splits<'b, 'c> {
    bench: &'b Bench<'c>,
    n: u64,
    distribution: Choice<Distribution>,
    /// Input keys and output keys.
    keys: [Array<u32>; 2],
    /// Input values and output values; `None` if no pairs are split.
    values: Option<[Array<u32>; 2]>,
    /// Bucket offsets, with capacity for the maximum bucket count.
    offsets: Array<u32>,
    /// Host copy of the input keys, and the recipe that generated them.
    host_keys: Option<(Recipe, Vec<u32>)>,
}

impl<'b, 'c> Splits<'b, 'c> {
    fn new(
        bench: &'b Bench<'c>,
        n: u64,
        distribution: Choice<Distribution>,
        pairs: bool,
    ) -> Result<Self> {
        let context = bench.context;
        // Allocate device memory first, so that a size that does not fit fails before generating the input.
        let both = || -> Result<[_; 2]> { Ok([context.zeroed(n)?, context.zeroed(n)?]) };
        let (keys, values) = (both()?, if pairs { Some(both()?) } else { None });
        let offsets = context.zeroed(u64::from(engine::MAX_BUCKETS) + 1)?;
        if let Some([values, _]) = &values {
            context.write(values, 0, &data::words(n, |index| index as u32)?)?;
        }
        Ok(Self { bench, n, distribution, keys, values, offsets, host_keys: None })
    }

    /// Measures each of `ops`, which share the bucket function `rule`, by each of `methods`.
    fn measure(&mut self, rule: &Rule, ops: &[Op], methods: &[Method]) -> Result<()> {
        let recipe = Recipe::new(rule, self.distribution.value);
        let keys = match self.host_keys.take() {
            Some((made, keys)) if made == recipe => keys,
            // Free the old keys before generating new ones.
            other => {
                drop(other);
                let keys = recipe.make(self.n)?;
                self.bench.context.write(&self.keys[0], 0, &keys)?;
                keys
            }
        };
        let expected = Expected::new(rule, &keys)?;
        for op in ops {
            let mut done = Vec::new();
            for method in methods {
                let (target, pairs) = (&self.bench.target, op.value.pairs);
                let split = plan(target, rule, method.value, pairs, self.n)?;
                // `auto` may select a method that has been measured already.
                if done.contains(&split.method) {
                    continue;
                }
                done.push(split.method);
                self.measure_plan(op, &split, rule.buckets, &keys, &expected).with_context(
                    || {
                        let (n, m) = (size::show(self.n), rule.buckets);
                        format!("{} ({}), n = {n}, m = {m}", op.name, split.method)
                    },
                )?;
            }
        }
        self.host_keys = Some((recipe, keys));
        Ok(())
    }

    fn measure_plan(
        &self,
        op: &Op,
        split: &Planned,
        buckets: u32,
        input: &[u32],
        expected: &Expected,
    ) -> Result<()> {
        let context = self.bench.context;
        let values = self.values.as_ref().filter(|_| op.value.pairs);
        self.poison()?;
        let [keys, keys_out] = &self.keys;
        let mut arrays = vec![keys, keys_out, &self.offsets];
        arrays.extend(values.into_iter().flatten());
        let case = Case {
            m: buckets.into(),
            distribution: Some(self.distribution.name),
            ..Case::new(op.name, split.method, self.n, split.bind(&arrays))
        };
        self.bench.measure(&case, &split.plan, || {
            let offsets = context.download_range(&self.offsets, 0..u64::from(buckets) + 1)?;
            let values = values.map(|[_, values]| context.download(values)).transpose()?;
            expected.check(input, &offsets, &context.download(keys_out)?, values.as_deref())
        })
    }

    /// Overwrites the output of an earlier split, so that it cannot pass the check.
    fn poison(&self) -> Result<()> {
        let context = self.bench.context;
        let poison = self.bench.target.fill(self.n, POISON)?;
        let fill = context.instantiate(poison.plan.clone())?;
        for [_, out] in [&self.keys].into_iter().chain(&self.values) {
            context.run(&fill, &poison.bind(&[out]))?;
        }
        let poison = data::words(self.offsets.len(), |_| POISON)?;
        Ok(context.write(&self.offsets, 0, &poison)?)
    }
}
