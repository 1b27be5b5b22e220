//! What the commands run: a primitive over imports of the right size, planned for a device or for
//! any device.

use anyhow::{Context as _, Result, bail};
use clap::ValueEnum;
use multisplit::graph::{self, Graph, Limits, Plan};
use multisplit::primitives::{self, Policy, ScanMethod};
use multisplit::{Buffer, Context};

use crate::figures;
use crate::size;

/// How a scan is to be carried out, on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// What suits the device
    #[default]
    Auto,
    /// One pass with decoupled look-back
    Lookback,
    /// Three passes: reduce, scan the sums, scan the tiles
    ReduceThenScan,
}

/// What jobs are planned for.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub limits: Limits,
    pub policy: Policy,
}

/// A plan, and its imports.
pub struct Job {
    pub plan: Plan,
    src: Option<graph::Buffer>,
    dst: graph::Buffer,
}

impl Target {
    /// The device of `context`.
    pub fn context(context: &Context) -> Self {
        Self { limits: context.limits(), policy: context.policy() }
    }

    /// Any device that Vulkan allows: the plan then runs anywhere, if not at its best.
    pub fn any() -> Self {
        Self { limits: Limits::default(), policy: Policy::default() }
    }

    /// The same with another way to scan.
    pub fn with_method(mut self, method: Method) -> Self {
        self.policy.scan = match method {
            Method::Auto => self.policy.scan,
            Method::Lookback => ScanMethod::LookBack,
            Method::ReduceThenScan => ScanMethod::ReduceThenScan,
        };
        self
    }

    /// The exclusive scan of `n` words.
    pub fn scan(&self, n: u64, replayable: bool) -> Result<Job> {
        let (mut graph, src, dst) = self.imports("scan", n)?;
        primitives::scan::exclusive(&mut graph, &self.policy, src, dst, n)?;
        self.compile(graph, Some(src), dst, replayable)
    }

    /// A copy of `n` words, by the kernel.
    pub fn copy(&self, n: u64) -> Result<Job> {
        let (mut graph, src, dst) = self.imports("copy", n)?;
        primitives::copy(&mut graph, &self.policy, "memory.copy", src, dst)?;
        self.compile(graph, Some(src), dst, true)
    }

    /// `n` words set to `value`, by the kernel.
    pub fn fill(&self, n: u64, value: u32) -> Result<Job> {
        self.check_size(n)?;
        let mut graph = Graph::new("fill");
        let dst = graph.import::<u32>("dst", n);
        primitives::fill(&mut graph, &self.policy, "memory.fill", dst, value)?;
        self.compile(graph, None, dst, true)
    }

    fn imports(&self, name: &str, n: u64) -> Result<(Graph, graph::Buffer, graph::Buffer)> {
        self.check_size(n)?;
        let mut graph = Graph::new(name);
        let src = graph.import::<u32>("src", n);
        let dst = graph.import::<u32>("dst", n);
        Ok((graph, src, dst))
    }

    /// An array past the largest buffer would be planned in more pieces than a plan can hold.
    pub fn check_size(&self, n: u64) -> Result<()> {
        let (needed, limit) = (bytes_of(n), self.limits.max_buffer_size);
        if needed > limit {
            let (n, needed, limit) = (size::show(n), figures::bytes(needed), figures::bytes(limit));
            bail!("{n} words take {needed}, the largest buffer has {limit}; try a smaller --n");
        }
        Ok(())
    }

    fn compile(
        &self,
        mut graph: Graph,
        src: Option<graph::Buffer>,
        dst: graph::Buffer,
        replayable: bool,
    ) -> Result<Job> {
        if replayable {
            graph.replayable();
        }
        let plan = graph.compile(&self.limits).context("the graph cannot be planned")?;
        Ok(Job { plan, src, dst })
    }
}

impl Job {
    /// The imports, bound to these buffers.
    pub fn bind<'b>(&self, src: &'b Buffer, dst: &'b Buffer) -> Vec<(graph::Buffer, &'b Buffer)> {
        self.src.map(|import| (import, src)).into_iter().chain([(self.dst, dst)]).collect()
    }
}

/// How the passes of a planned scan go about it; small scans take one workgroup whatever was
/// asked for.
pub fn scan_method(plan: &Plan) -> &'static str {
    let has = |label: &str| plan.steps().iter().any(|step| step.pass.label == label);
    match () {
        () if has("scan.lookback") => "lookback",
        () if has("scan.reduce") => "reduce-then-scan",
        () => "one-workgroup",
    }
}

/// Bytes of `n` words.
pub fn bytes_of(n: u64) -> u64 {
    n.saturating_mul(size_of::<u32>() as u64)
}

#[cfg(test)]
mod tests {
    use super::{Method, Target, scan_method};

    #[test]
    fn methods_are_told_by_their_passes() {
        let target = Target::any();
        for (method, name) in
            [(Method::Lookback, "lookback"), (Method::ReduceThenScan, "reduce-then-scan")]
        {
            let target = target.with_method(method);
            let job = target.scan(1 << 24, false).expect("a plan");
            assert_eq!(scan_method(&job.plan), name);
            assert_eq!(scan_method(&target.scan(1, false).expect("a plan").plan), "one-workgroup");
        }
    }

    #[test]
    fn sizes_past_the_largest_buffer_are_refused() {
        for n in [1 << 29, u64::MAX] {
            let problem = Target::any().scan(n, false).map(|_| ()).expect_err("too large");
            assert!(problem.to_string().contains("try a smaller --n"), "{problem}");
        }
    }
}
