//! Histogram plans with their imports and bindings.

use anyhow::Result;
use clap::ValueEnum;
use multisplit::graph::{self, Graph, Plan};
use multisplit::operations::histogram::HistogramMethod;
use multisplit::operations::{self, HistogramBuffers};
use multisplit::{Array, Bound};

use super::Op;
use crate::plans::{Target, bytes_of};

/// Command-line name of a histogram method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Best method for the device
    #[default]
    Auto,
    /// Ballots, with counts in registers, as in the paper
    Ballots,
    /// Counters in shared memory, in several passes if necessary
    Shared,
    /// Atomic operations on the output
    Global,
}

impl Method {
    fn engine(self) -> HistogramMethod {
        match self {
            Self::Auto => HistogramMethod::Auto,
            Self::Ballots => HistogramMethod::Ballots,
            Self::Shared => HistogramMethod::Shared,
            Self::Global => HistogramMethod::Global,
        }
    }
}

/// The plan of a histogram and its imports.
pub struct HistogramPlan {
    /// The plan.
    pub plan: Plan,
    /// The method that was chosen.
    pub method: &'static str,
    samples: graph::Buffer,
    counts: graph::Buffer,
}

impl HistogramPlan {
    /// Plans a histogram of `n` elements, with m = `bins`.
    pub fn new(
        target: &Target,
        op: Op,
        bins: u32,
        method: Method,
        n: u64,
        replayable: bool,
    ) -> Result<Self> {
        target.check_size(op.words(n))?;
        let bins = op.device_bins(bins).method(method.engine());
        let mut graph = Graph::new("histogram");
        // Whole words, because samples are read by words.
        let len = bytes_of(op.words(n)) / u64::from(bins.sample().bytes());
        let samples = graph.import_array("samples", bins.sample().into(), len);
        let counts = u64::from(bins.count()) * u64::from(op.channels());
        let counts = graph.import::<u32>("counts", counts);
        let buffers = HistogramBuffers::new(samples, counts).count(n);
        let added = operations::histogram(&mut graph, &target.policy, &bins, &buffers)?;
        let plan = target.plan(graph, replayable)?;
        Ok(Self { plan, method: name(added.method), samples, counts })
    }

    /// Binds the imports to these arrays. Samples of every type are stored as words.
    pub fn bind<'b>(&self, samples: &'b Array<u32>, counts: &'b Array<u32>) -> [Bound<'b>; 2] {
        [Bound::untyped(self.samples, samples, 0), (self.counts, counts).into()]
    }
}

/// The name of a method in figures.
pub fn name(method: HistogramMethod) -> &'static str {
    match method {
        HistogramMethod::Auto => "auto",
        HistogramMethod::Ballots => "ballots",
        HistogramMethod::Shared => "shared",
        HistogramMethod::Global => "global",
    }
}
