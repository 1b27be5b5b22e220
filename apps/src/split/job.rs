//! A planned split: its passes, its imports, and the buffers they are bound to.

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use multisplit::graph::{self, Graph, Plan};
use multisplit::primitives::multisplit::{self as engine, Split, SplitBuffers, SplitOutput};
use multisplit::{Buffer, Context};

use super::{KEY, Rule};
use crate::jobs::Target;

/// How a split is to be carried out, on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// What suits the device
    #[default]
    Auto,
    /// A subproblem a subgroup, no reordering (the paper's DMS)
    Direct,
    /// Tiles reordered within a subgroup (the paper's WMS)
    Warp,
    /// Tiles reordered across a workgroup (the paper's BMS)
    Block,
    /// One histogram, then a single pass with decoupled look-back
    Onesweep,
    /// A scan of flags for each bit of the bucket ids (what the paper compares with)
    ScanSplit,
    /// Labels sorted on as many bits as the bucket ids have (what the paper compares with)
    #[value(name = "reduced-bit", alias = "reduced-bit-sort")]
    ReducedBitSort,
}

impl Method {
    /// What the library calls it.
    pub fn engine(self) -> engine::Method {
        match self {
            Self::Auto => engine::Method::Auto,
            Self::Direct => engine::Method::Direct,
            Self::Warp => engine::Method::Warp,
            Self::Block => engine::Method::Block,
            Self::Onesweep => engine::Method::OneSweep,
            Self::ScanSplit => engine::Method::ScanSplit,
            Self::ReducedBitSort => engine::Method::ReducedBitSort,
        }
    }
}

/// Bytes of a value: values are indices.
const VALUE_BYTES: u32 = 4;

/// A plan, and its imports.
pub struct Job {
    pub plan: Plan,
    /// The method that was chosen.
    pub method: &'static str,
    buffers: SplitBuffers,
}

impl Job {
    /// A split of `n` keys or pairs by `rule`.
    pub fn new(
        target: &Target,
        rule: &Rule,
        method: Method,
        pairs: bool,
        n: u64,
        replayable: bool,
    ) -> Result<Self> {
        target.check_size(n)?;
        let mut graph = Graph::new("split");
        let mut import = |name: &str| graph.import::<u32>(name, n);
        let (keys, keys_out) = (import("keys"), import("keys.out"));
        let output = if pairs {
            let (values_in, values) = (import("values"), import("values.out"));
            SplitOutput::Pairs { keys: keys_out, values_in, values, value_bytes: VALUE_BYTES }
        } else {
            SplitOutput::Keys(keys_out)
        };
        let offsets = graph.import::<u32>("offsets", u64::from(rule.buckets) + 1);
        // None of these bucket functions gives an id out of range.
        let buffers = SplitBuffers { n: n.into(), keys, output, offsets, outside: None };
        let split = Split::new(KEY, rule.buckets, rule.bucket()).by(method.engine());
        let added = engine::add(&mut graph, &target.policy, &split, &buffers)?;
        if replayable {
            graph.replayable();
        }
        let plan = graph.compile(&target.limits).context("the graph cannot be planned")?;
        Ok(Self { plan, method: name(added.method), buffers })
    }

    /// The imports, bound to these buffers. Pairs need arrays with values; a job for keys leaves
    /// them alone.
    pub fn bind<'b>(&self, arrays: &'b Arrays) -> Vec<(graph::Buffer, &'b Buffer)> {
        let SplitBuffers { keys, output, offsets, .. } = self.buffers;
        let mut bound = vec![(keys, &arrays.keys), (offsets, &arrays.offsets)];
        match (output, &arrays.values) {
            (SplitOutput::Pairs { keys, values_in, values, .. }, Some((from, to))) => {
                bound.extend([(keys, &arrays.keys_out), (values_in, from), (values, to)]);
            }
            (SplitOutput::Pairs { keys: out, .. }, None)
            | (SplitOutput::Keys(out) | SplitOutput::Permutation(out), _) => {
                bound.push((out, &arrays.keys_out));
            }
        }
        bound
    }
}

/// The device's arrays for splits of one size.
pub struct Arrays {
    pub keys: Buffer,
    pub keys_out: Buffer,
    /// In and out, where there are pairs.
    pub values: Option<(Buffer, Buffer)>,
    /// Room for any number of buckets.
    pub offsets: Buffer,
}

impl Arrays {
    /// For `n` keys or pairs; contents undefined.
    pub fn new(context: &Context, n: u64, pairs: bool) -> Result<Self> {
        let array = |name: &str| context.buffer::<u32>(name, n);
        Ok(Self {
            keys: array("bench.keys")?,
            keys_out: array("bench.keys.out")?,
            values: match pairs {
                true => Some((array("bench.values")?, array("bench.values.out")?)),
                false => None,
            },
            offsets: context.buffer::<u32>("bench.offsets", u64::from(engine::MAX_BUCKETS) + 1)?,
        })
    }
}

/// The name of a method of the library's.
pub fn name(method: engine::Method) -> &'static str {
    match method {
        engine::Method::Auto => "auto",
        engine::Method::Direct => "direct",
        engine::Method::Warp => "warp",
        engine::Method::Block => "block",
        engine::Method::OneSweep => "onesweep",
        engine::Method::ScanSplit => "scan-split",
        engine::Method::ReducedBitSort => "reduced-bit-sort",
        engine::Method::FullSort => "full-sort",
    }
}
