//! A planned histogram: its passes, its imports, and the buffers they are bound to.

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use multisplit::Buffer;
use multisplit::graph::{self, Graph, Plan};
use multisplit::primitives::histogram::{HistogramBuffers, HistogramMethod, add};

use super::Op;
use crate::jobs::Target;

/// How samples are to be counted, on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// What suits the device
    #[default]
    Auto,
    /// Ballots, with counts in registers (the paper's)
    Votes,
    /// Counters in shared memory, in as many passes as they need
    Shared,
    /// Atomic operations on the output
    Global,
}

impl Method {
    fn engine(self) -> HistogramMethod {
        match self {
            Self::Auto => HistogramMethod::Auto,
            Self::Votes => HistogramMethod::Votes,
            Self::Shared => HistogramMethod::Shared,
            Self::Global => HistogramMethod::Global,
        }
    }
}

/// A plan, and its imports.
pub struct Job {
    pub plan: Plan,
    /// The method that was chosen.
    pub method: &'static str,
    samples: graph::Buffer,
    counts: graph::Buffer,
}

impl Job {
    /// A histogram of `n` elements, with m = `bins`.
    pub fn new(
        target: &Target,
        op: Op,
        bins: u32,
        method: Method,
        n: u64,
        replayable: bool,
    ) -> Result<Self> {
        target.check_size(op.words(n))?;
        let histogram = op.histogram(bins).by(method.engine());
        let mut graph = Graph::new("histogram");
        let samples = graph.import::<u32>("samples", op.words(n));
        let counts = u64::from(histogram.bins) * u64::from(op.channels());
        let counts = graph.import::<u32>("counts", counts);
        let buffers = HistogramBuffers::new(n, samples, counts);
        let added = add(&mut graph, &target.policy, &histogram, &buffers)?;
        if replayable {
            graph.replayable();
        }
        let plan = graph.compile(&target.limits).context("the graph cannot be planned")?;
        Ok(Self { plan, method: name(added.method), samples, counts })
    }

    /// The imports, bound to these buffers.
    pub fn bind<'b>(
        &self,
        samples: &'b Buffer,
        counts: &'b Buffer,
    ) -> [(graph::Buffer, &'b Buffer); 2] {
        [(self.samples, samples), (self.counts, counts)]
    }
}

fn name(method: HistogramMethod) -> &'static str {
    match method {
        HistogramMethod::Auto => "auto",
        HistogramMethod::Votes => "votes",
        HistogramMethod::Shared => "shared",
        HistogramMethod::Global => "global",
    }
}
