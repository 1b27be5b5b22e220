//! Split plans with their imports and bindings.

use anyhow::Result;
use clap::ValueEnum;
use multisplit::graph::{self, Graph, Plan};
use multisplit::operations::split as engine;
use multisplit::operations::{self, SplitBuffers};
use multisplit::{Array, Bound, Context};

use super::Rule;
use crate::plans::Target;

/// Command-line name of a split method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Best method for the device
    #[default]
    Auto,
    /// One subproblem per subgroup, no reordering (the paper's DMS)
    Direct,
    /// Tiles reordered within a subgroup (the paper's WMS)
    Warp,
    /// Tiles reordered across a workgroup (the paper's BMS)
    Block,
    /// One histogram, then a single pass with decoupled look-back
    Onesweep,
    /// One scan of flags per bit of the bucket ids (a baseline of the paper)
    ScanSplit,
    /// Radix sort of labels on the bits of the bucket ids (a baseline of the paper)
    #[value(name = "reduced-bit", alias = "reduced-bit-sort")]
    ReducedBitSort,
}

impl Method {
    /// The engine's method.
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

/// The plan of a split and its imports.
pub struct SplitPlan {
    /// The plan.
    pub plan: Plan,
    /// The method that was chosen.
    pub method: &'static str,
    keys: [graph::Buffer; 2],
    /// Input and output, if there are pairs.
    values: Option<[graph::Buffer; 2]>,
    offsets: graph::Buffer,
}

impl SplitPlan {
    /// Plans a split of `n` keys or pairs by `rule`.
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
        let keys = ["keys", "keys.out"].map(&mut import);
        let values = pairs.then(|| ["values", "values.out"].map(&mut import));
        let offsets = graph.import::<u32>("offsets", u64::from(rule.buckets) + 1);
        let [from, to] = keys;
        // None of these bucket functions returns an index out of range.
        let buffers = match values {
            Some([values, out]) => SplitBuffers::pairs((from, values), (to, out), offsets),
            None => SplitBuffers::keys(from, to, offsets),
        };
        let buckets = rule.device_buckets().method(method.engine());
        let added = operations::split(&mut graph, &target.policy, &buckets, &buffers)?;
        let plan = target.plan(graph, replayable)?;
        Ok(Self { plan, method: name(added.method), keys, values, offsets })
    }

    /// Binds the imports to these arrays. A plan for pairs needs arrays with values; a plan for keys ignores
    /// them.
    pub fn bind<'b>(&self, arrays: &'b Arrays) -> Vec<Bound<'b>> {
        let [keys, keys_out] = self.keys;
        let mut bound = vec![
            (keys, &arrays.keys),
            (keys_out, &arrays.keys_out),
            (self.offsets, &arrays.offsets),
        ];
        if let (Some([values, out]), Some((from, to))) = (self.values, &arrays.values) {
            bound.extend([(values, from), (out, to)]);
        }
        bound.into_iter().map(Bound::from).collect()
    }
}

/// Device arrays for splits of one size.
pub struct Arrays {
    pub keys: Array<u32>,
    pub keys_out: Array<u32>,
    /// Input and output, if there are pairs.
    pub values: Option<(Array<u32>, Array<u32>)>,
    /// Large enough for any number of buckets.
    pub offsets: Array<u32>,
}

impl Arrays {
    /// Allocates arrays for `n` keys or pairs.
    pub fn new(context: &Context, n: u64, pairs: bool) -> Result<Self> {
        Ok(Self {
            keys: context.zeroed(n)?,
            keys_out: context.zeroed(n)?,
            values: match pairs {
                true => Some((context.zeroed(n)?, context.zeroed(n)?)),
                false => None,
            },
            offsets: context.zeroed(u64::from(engine::MAX_BUCKETS) + 1)?,
        })
    }
}

/// The name of an engine method.
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
