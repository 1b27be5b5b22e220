//! Plan targets, and plans of primitives on arrays of words: scan, copy, fill.

use anyhow::{Context as _, Result, bail};
use clap::ValueEnum;
use multisplit::ash::vk;
use multisplit::graph::{self, Graph, Limits, Plan};
use multisplit::operations::{self, ScanBuffers, ScanMethod};
use multisplit::{Array, Bound, Context, DeviceProperties, Policy, Scan};
use multisplit_sssp::Tuning;

use crate::figures;
use crate::size;

/// Command-line name of a scan method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Best method for the device
    #[default]
    Auto,
    /// One pass with decoupled look-back
    Lookback,
    /// Three passes: reduce, scan the sums, scan the tiles
    ReduceThenScan,
}

/// Device limits and policy for which plans are made.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub(crate) limits: Limits,
    pub(crate) policy: Policy,
    /// Tuning of shortest-path searches.
    pub(crate) search: Tuning,
}

/// A plan from words to words, and its imports.
pub struct WordPlan {
    /// The plan.
    pub plan: Plan,
    src: Option<graph::Buffer>,
    dst: graph::Buffer,
}

impl Target {
    /// The target of `context`'s device.
    pub fn context(context: &Context) -> Self {
        let (limits, policy) = (context.limits(), context.policy());
        Self { limits, policy, search: Tuning::for_device(context.properties()) }
    }

    /// A generic target for any Vulkan device. The plan runs anywhere, but not at full speed.
    pub fn any() -> Self {
        // The subgroup size of most GPUs.
        let limits = Limits { subgroup_size: 32, ..Limits::default() };
        let properties = DeviceProperties {
            // The most conservative device type.
            device_type: vk::PhysicalDeviceType::CPU,
            subgroup_size: limits.subgroup_size,
            shared_memory: 16 << 10,
            limits: vk::PhysicalDeviceLimits {
                max_compute_work_group_invocations: limits.max_workgroup_invocations,
                max_compute_work_group_count: limits.max_workgroup_count,
                max_storage_buffer_range: u32::try_from(limits.max_storage_range)
                    .unwrap_or(u32::MAX),
                ..vk::PhysicalDeviceLimits::default()
            },
            ..DeviceProperties::default()
        };
        let mut policy = Policy::for_device(&properties);
        // Reduce-then-scan needs no guarantees beyond barriers.
        policy.scan = ScanMethod::ReduceThenScan;
        Self { limits, policy, search: Tuning::for_device(&properties) }
    }

    /// The same target with another scan method.
    pub fn with_method(mut self, method: Method) -> Self {
        self.policy.scan = match method {
            Method::Auto => self.policy.scan,
            Method::Lookback => ScanMethod::LookBack,
            Method::ReduceThenScan => ScanMethod::ReduceThenScan,
        };
        self
    }

    /// Plans the exclusive scan of `n` words.
    pub fn scan(&self, n: u64, replayable: bool) -> Result<WordPlan> {
        let (mut graph, src, dst) = self.imports("scan", n)?;
        operations::scan(&mut graph, &self.policy, &Scan::default(), &ScanBuffers::new(src, dst))?;
        self.word_plan(graph, Some(src), dst, replayable)
    }

    /// Plans a copy of `n` words with the copy kernel.
    pub fn copy(&self, n: u64) -> Result<WordPlan> {
        let (mut graph, src, dst) = self.imports("copy", n)?;
        operations::copy(&mut graph, &self.policy, "memory.copy", src, dst)?;
        self.word_plan(graph, Some(src), dst, true)
    }

    /// Plans filling `n` words with `value`.
    pub fn fill(&self, n: u64, value: u32) -> Result<WordPlan> {
        self.check_size(n)?;
        let mut graph = Graph::new("fill");
        let dst = graph.import::<u32>("dst", n);
        operations::fill(&mut graph, &self.policy, "memory.fill", dst, value)?;
        self.word_plan(graph, None, dst, true)
    }

    fn imports(&self, name: &str, n: u64) -> Result<(Graph, graph::Buffer, graph::Buffer)> {
        self.check_size(n)?;
        let mut graph = Graph::new(name);
        let src = graph.import::<u32>("src", n);
        let dst = graph.import::<u32>("dst", n);
        Ok((graph, src, dst))
    }

    /// Rejects arrays that exceed the largest buffer, because a plan cannot hold all their pieces.
    pub fn check_size(&self, n: u64) -> Result<()> {
        let (needed, limit) = (bytes_of(n), self.limits.max_buffer_size);
        if needed > limit {
            let (n, needed, limit) = (size::show(n), figures::bytes(needed), figures::bytes(limit));
            bail!(
                "{n} elements need {needed}, but a buffer has at most {limit}; try a smaller --n"
            );
        }
        Ok(())
    }

    /// Plans a graph; a `replayable` plan can be run repeatedly.
    pub fn plan(&self, mut graph: Graph, replayable: bool) -> Result<Plan> {
        if replayable {
            graph.replayable();
        }
        graph.compile(&self.limits).context("the graph cannot be planned")
    }

    fn word_plan(
        &self,
        graph: Graph,
        src: Option<graph::Buffer>,
        dst: graph::Buffer,
        replayable: bool,
    ) -> Result<WordPlan> {
        Ok(WordPlan { plan: self.plan(graph, replayable)?, src, dst })
    }
}

impl WordPlan {
    /// Binds the imports to these arrays.
    pub fn bind<'b>(&self, src: &'b Array<u32>, dst: &'b Array<u32>) -> Vec<Bound<'b>> {
        let src = self.src.map(|import| (import, src).into());
        src.into_iter().chain([(self.dst, dst).into()]).collect()
    }
}

/// The method of a planned scan. Small scans always use one workgroup.
pub fn scan_method(plan: &Plan) -> &'static str {
    let has = |label: &str| plan.steps().iter().any(|step| step.pass.label == label);
    match () {
        () if has("scan.lookback") => "lookback",
        () if has("scan.reduce") => "reduce-then-scan",
        () => "one-workgroup",
    }
}

/// Size of `n` words in bytes.
pub fn bytes_of(n: u64) -> u64 {
    n.saturating_mul(size_of::<u32>() as u64)
}

#[cfg(test)]
mod tests {
    use super::{Method, Target, scan_method};

    #[test]
    fn scan_method_is_derived_from_passes() {
        let target = Target::any();
        for (method, name) in
            [(Method::Lookback, "lookback"), (Method::ReduceThenScan, "reduce-then-scan")]
        {
            let target = target.with_method(method);
            let scan = target.scan(1 << 24, false).expect("a plan");
            assert_eq!(scan_method(&scan.plan), name);
            assert_eq!(scan_method(&target.scan(1, false).expect("a plan").plan), "one-workgroup");
        }
    }

    #[test]
    fn sizes_exceeding_the_largest_buffer_are_rejected() {
        for n in [1 << 29, u64::MAX] {
            let problem = Target::any().scan(n, false).map(|_| ()).expect_err("too large");
            assert!(problem.to_string().contains("try a smaller --n"), "{problem}");
        }
    }
}
