//! Plan targets, and plans of primitives on arrays of words: scan, copy, fill.

use anyhow::{Context as _, Result, bail};
use multisplit::ash::vk;
use multisplit::graph::{self, Graph, Limits, Plan};
use multisplit::operations::{self, ScanBuffers, ScanMethod};
use multisplit::{Array, Bound, Context, DeviceProperties, Key, Policy, Scan};
use multisplit_sssp::Tuning;

use crate::choice::{Choice, Named, choice};
use crate::figures;
use crate::size;

/// Command-line name of a scan method; `None` selects the best one for the device.
pub type Method = Choice<Option<ScanMethod>>;

impl Named for Option<ScanMethod> {
    const CHOICES: &'static [Method] = &[
        choice(None, "auto").help("Best method for the device"),
        choice(Some(ScanMethod::LookBack), "lookback").help("One pass with decoupled look-back"),
        choice(Some(ScanMethod::ReduceThenScan), "reduce-then-scan")
            .help("Three passes: reduce, scan the sums, scan the tiles"),
    ];
}

/// Device limits and policies for planning.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub(crate) limits: Limits,
    pub(crate) policy: Policy,
    /// Tuning of shortest-path searches.
    pub(crate) search: Tuning,
    /// Whether plans can be run repeatedly.
    pub replayable: bool,
}

/// A plan, its method, and its imports (the buffers that the caller provides).
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// The name of the method in figures.
    pub method: &'static str,
    /// The imports: inputs, then outputs, unless the function that makes the plan documents another order.
    pub imports: Vec<graph::Buffer>,
}

impl Target {
    /// The target of `context`'s device.
    pub fn context(context: &Context) -> Self {
        let (limits, policy) = (context.limits(), context.policy());
        let search = Tuning::for_device(context.properties());
        Self { limits, policy, search, replayable: true }
    }

    /// A generic target for plans without a device: conservative limits, and subgroups of 32 lanes.
    pub fn any() -> Self {
        // Most GPUs support this subgroup size.
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
        // The speed of look-back depends on forward progress of other workgroups, which Vulkan does
        // not guarantee.
        policy.scan = ScanMethod::ReduceThenScan;
        Self { limits, policy, search: Tuning::for_device(&properties), replayable: true }
    }

    /// The same target with another scan method.
    pub fn with_method(mut self, method: Option<ScanMethod>) -> Self {
        self.policy.scan = method.unwrap_or(self.policy.scan);
        self
    }

    /// Plans the exclusive scan of `n` words. Small scans always use one workgroup.
    pub fn scan(&self, n: u64) -> Result<Planned> {
        let mut graph = Graph::new("scan");
        let imports @ [src, dst] = self.imports(&mut graph, ["src", "dst"], n)?;
        operations::scan(&mut graph, &self.policy, &Scan::default(), &ScanBuffers::new(src, dst))?;
        let plan = self.plan(graph)?;
        let method = method(&plan, 0);
        Ok(Planned { plan, method, imports: imports.to_vec() })
    }

    /// Plans a copy of `n` words with the copy kernel.
    pub fn copy(&self, n: u64) -> Result<Planned> {
        let mut graph = Graph::new("copy");
        let imports @ [src, dst] = self.imports(&mut graph, ["src", "dst"], n)?;
        operations::copy(&mut graph, &self.policy, "memory.copy", src, dst)?;
        Ok(Planned { plan: self.plan(graph)?, method: "kernel", imports: imports.to_vec() })
    }

    /// Plans filling `n` words with `value`.
    pub fn fill(&self, n: u64, value: u32) -> Result<Planned> {
        let mut graph = Graph::new("fill");
        let imports @ [dst] = self.imports(&mut graph, ["dst"], n)?;
        operations::fill(&mut graph, &self.policy, "memory.fill", dst, value)?;
        Ok(Planned { plan: self.plan(graph)?, method: "kernel", imports: imports.to_vec() })
    }

    /// Imports arrays of `n` words.
    pub(crate) fn imports<const COUNT: usize>(
        &self,
        graph: &mut Graph,
        names: [&str; COUNT],
        n: u64,
    ) -> Result<[graph::Buffer; COUNT]> {
        self.check_size(n)?;
        Ok(names.map(|name| graph.import::<u32>(name, n)))
    }

    /// Rejects arrays that exceed the maximum buffer size.
    pub fn check_size(&self, n: u64) -> Result<()> {
        let (needed, limit) = (bytes_of(n), self.limits.max_buffer_size);
        if needed > limit {
            let (n, needed, limit) = (size::show(n), figures::bytes(needed), figures::bytes(limit));
            bail!(
                "{n} words of 4 bytes need {needed}, but a buffer has at most {limit}; try a smaller --n"
            );
        }
        Ok(())
    }

    /// Plans a graph.
    pub(crate) fn plan(&self, mut graph: Graph) -> Result<Plan> {
        if self.replayable {
            graph.replayable();
        }
        graph.compile(&self.limits).context("the graph cannot be planned")
    }
}

impl Planned {
    /// Binds the imports to arrays of words.
    pub(crate) fn bind<'b>(&self, arrays: &[&'b Array<u32>]) -> Vec<Bound<'b>> {
        self.imports.iter().zip(arrays).map(|(&import, &array)| (import, array).into()).collect()
    }
}

/// A graph whose imports are bound to arrays.
pub(crate) struct BoundGraph<'b> {
    pub graph: Graph,
    pub bound: Vec<Bound<'b>>,
}

impl<'b> BoundGraph<'b> {
    pub fn new(name: &str) -> Self {
        Self { graph: Graph::new(name), bound: Vec::new() }
    }

    /// Imports an array.
    pub fn import<K: Key>(&mut self, name: &str, array: &'b Array<K>) -> graph::Buffer {
        let import = self.graph.import::<K>(name, array.len());
        self.bound.push((import, array).into());
        import
    }
}

/// The name in figures of the method of a plan, derived from its passes. `m` is the row length, or 0 if there are no
/// rows.
pub(crate) fn method(plan: &Plan, m: u64) -> &'static str {
    let labels: Vec<_> = plan.steps().iter().map(|step| step.pass.label.as_str()).collect();
    match () {
        () if labels.iter().any(|label| label.starts_with("select.")) => "lookback",
        () if labels.iter().any(|label| label.contains(".lookback")) => "lookback",
        () if labels.contains(&"scan.open_totals") => "reduce-then-scan",
        () if m > 0 && labels == ["scan.spine"] => "rows",
        () if labels.contains(&"reduce.rows") => "rows",
        () if labels.contains(&"reduce.segments") => "tiles",
        () if labels.contains(&"reduce.polled_segments") => "polled",
        () if labels.contains(&"reduce.long_segments") => "segments",
        () if labels.contains(&"scan.reduce") => "reduce-then-scan",
        () if labels.contains(&"reduce") => "one-pass",
        () => "one-workgroup",
    }
}

/// Size of `n` words in bytes.
pub fn bytes_of(n: u64) -> u64 {
    n.saturating_mul(size_of::<u32>() as u64)
}

#[cfg(test)]
mod tests {
    use multisplit::operations::ScanMethod;

    use super::Target;
    use crate::choice::name;

    #[test]
    fn scan_method_is_derived_from_passes() {
        for method in [ScanMethod::LookBack, ScanMethod::ReduceThenScan].map(Some) {
            let target = Target::any().with_method(method);
            assert_eq!(target.scan(1 << 24).expect("the plan compiles").method, name(method));
            assert_eq!(target.scan(1).expect("the plan compiles").method, "one-workgroup");
        }
    }

    #[test]
    fn sizes_exceeding_the_largest_buffer_are_rejected() {
        for n in [1 << 29, u64::MAX] {
            let problem =
                Target::any().scan(n).map(|_| ()).expect_err("a size above the limit was accepted");
            assert!(problem.to_string().contains("try a smaller --n"), "{problem}");
        }
    }
}
