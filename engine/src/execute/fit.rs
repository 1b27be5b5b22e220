//! Whether a plan fits the device that is to run it. Plans are plain data, and can be made for
//! other limits or changed by hand: what Vulkan leaves undefined is refused here, by name.

use multisplit_graph::{GraphError, Limits, PassKernel, Plan, PlannedPass, PlannedView, Work};
use multisplit_shaders::BindingKind;

use crate::error::{Error, Result};
use crate::execute::import::MAX_IMPORTS;

/// What `vkCmdDispatchIndirect` reads.
const INDIRECT_BYTES: u64 = 12;

pub(crate) fn check(plan: &Plan, limits: &Limits) -> Result<()> {
    at_most(&plan.name, "imports of a plan", plan.imports().count() as u64, MAX_IMPORTS as u64)?;
    for buffer in &plan.buffers {
        let end = buffer.workspace_offset().map_or(0, |offset| offset.saturating_add(buffer.size));
        at_most(&buffer.name, "bytes of the workspace", end, plan.workspace.size)?;
    }
    plan.steps.iter().try_for_each(|step| Pass { plan, limits, pass: &step.pass }.check())
}

struct Pass<'p> {
    plan: &'p Plan,
    limits: &'p Limits,
    pass: &'p PlannedPass,
}

impl Pass<'_> {
    fn check(&self) -> Result<()> {
        for binding in &self.pass.bindings {
            let (alignment, limit, max) = match binding.kind {
                BindingKind::Storage => (
                    self.limits.storage_alignment,
                    "maxStorageBufferRange",
                    self.limits.max_storage_range,
                ),
                BindingKind::Uniform => (
                    self.limits.uniform_alignment,
                    "maxUniformBufferRange",
                    self.limits.max_uniform_range,
                ),
            };
            at_most(&self.pass.label, limit, binding.size, max)?;
            let (buffer, offset, size) = (binding.buffer, binding.offset, binding.size);
            self.inside(PlannedView { buffer, offset, size }, alignment)?;
        }
        let push = self.pass.push.len() as u64;
        at_most(&self.pass.label, "maxPushConstantsSize", push, self.limits.max_push_bytes.into())?;
        self.work()?;
        self.pass.kernel.as_ref().map_or(Ok(()), |kernel| self.kernel(kernel))
    }

    fn work(&self) -> Result<()> {
        // Of words, for every transfer but a copy.
        const WORD: u64 = 4;
        match &self.pass.work {
            Work::Dispatch(groups) => {
                let limit = "maxComputeWorkGroupCount";
                groups.iter().zip(self.limits.max_workgroup_count).try_for_each(|(&count, max)| {
                    at_most(&self.pass.label, limit, count.into(), max.into())
                })
            }
            Work::DispatchIndirect { buffer, offset } => {
                let (buffer, offset, size) = (*buffer, *offset, INDIRECT_BYTES);
                self.inside(PlannedView { buffer, offset, size }, WORD)
            }
            Work::Fill { view, .. } => self.inside(*view, WORD),
            Work::Update { view, bytes } => {
                self.inside(PlannedView { size: bytes.len() as u64, ..*view }, WORD)
            }
            Work::Copy { src, dst } => {
                self.inside(*src, 1)?;
                self.inside(PlannedView { size: src.size, ..*dst }, 1)
            }
        }
    }

    fn kernel(&self, kernel: &PassKernel) -> Result<()> {
        let refuse = |problem: &str| {
            let (kernel, problem) = (kernel.label().to_owned(), problem.to_owned());
            Err(Error::Kernel { kernel, problem })
        };
        let interface = kernel.interface();
        let ours = self.pass.bindings.iter().map(|b| (b.set, b.binding, b.kind));
        if !ours.eq(interface.bindings.iter().map(|b| (b.set, b.binding, b.kind))) {
            return refuse("has other bindings than the plan");
        }
        let push = interface.push_constants.as_ref().map_or(0, |block| block.size);
        if self.pass.push.len() as u64 != u64::from(push) {
            return refuse("has other push constants than the plan");
        }
        let values = &self.pass.specialization;
        let value_of = |id| values.iter().find(|(other, _)| *other == id).map(|(_, value)| *value);
        let size = interface.workgroup_size(value_of).map(u64::from);
        if size.contains(&0) {
            return refuse("has workgroups of no threads");
        }
        for (size, max) in size.into_iter().zip(self.limits.max_workgroup_size) {
            at_most(&self.pass.label, "maxComputeWorkGroupSize", size, max.into())?;
        }
        let threads = size.into_iter().fold(1, u64::saturating_mul);
        let max = self.limits.max_workgroup_invocations;
        at_most(&self.pass.label, "maxComputeWorkGroupInvocations", threads, max.into())
    }

    /// The view lies in its buffer, at an offset that is a multiple of `alignment` in memory too.
    fn inside(&self, view: PlannedView, alignment: u64) -> Result<()> {
        let PlannedView { buffer, offset, size } = view;
        let pass = self.pass.label.clone();
        let Some(planned) = self.plan.buffers.get(buffer) else {
            return Err(GraphError::ForeignBuffer { at: pass }.into());
        };
        let (name, buffer_size) = (planned.name.clone(), planned.size);
        // A transient without a place in the workspace is one that no pass was to use.
        let placed = planned.contract().is_some() || planned.workspace_offset().is_some();
        if !placed || offset.checked_add(size).is_none_or(|end| end > buffer_size) {
            let buffer = name;
            let error = GraphError::ViewOutOfBounds { pass, buffer, offset, size, buffer_size };
            return Err(error.into());
        }
        let value = planned.workspace_offset().unwrap_or(0).saturating_add(offset);
        if !value.is_multiple_of(alignment.max(1)) {
            let (buffer, what) = (name, "offset");
            return Err(GraphError::Misaligned { pass, buffer, what, value, alignment }.into());
        }
        Ok(())
    }
}

fn at_most(at: &str, limit: &'static str, value: u64, max: u64) -> Result<()> {
    if value <= max {
        return Ok(());
    }
    Err(GraphError::LimitExceeded { at: format!("`{at}`"), limit, value, max }.into())
}

#[cfg(test)]
mod tests {
    use multisplit_graph::{BufferPlacement, Graph};

    use super::*;

    /// A copy through a transient.
    fn plan() -> Plan {
        let mut graph = Graph::new("copies");
        let src = graph.import::<u32>("src", 256);
        let dst = graph.import::<u32>("dst", 256);
        let between = graph.transient::<u32>("between", 256);
        graph.copy("in", src, between);
        graph.copy("out", between, dst);
        graph.compile(&Limits::default()).expect("a plan")
    }

    fn refused(change: impl FnOnce(&mut Plan)) -> GraphError {
        let mut plan = plan();
        check(&plan, &Limits::default()).expect("a plan as it was made");
        change(&mut plan);
        match check(&plan, &Limits::default()) {
            Err(Error::Graph(error)) => error,
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn views_past_their_buffer_are_refused() {
        let error = refused(|plan| plan.buffers[0].size -= 4);
        assert!(matches!(error, GraphError::ViewOutOfBounds { pass, .. } if pass == "in"));
        let error = refused(|plan| plan.workspace.size -= 4);
        assert!(matches!(error, GraphError::LimitExceeded { at, .. } if at == "`between`"));
        let error = refused(|plan| {
            plan.buffers[2].placement = BufferPlacement::Transient { offset: None };
        });
        assert!(matches!(error, GraphError::ViewOutOfBounds { .. }));
        let error = refused(|plan| plan.buffers.truncate(1));
        assert!(matches!(error, GraphError::ForeignBuffer { at } if at == "in"));
    }

    /// A kernel that fills.
    fn fill() -> Plan {
        let mut graph = Graph::new("fill");
        let dst = graph.import::<u32>("dst", 1 << 20);
        let policy = crate::primitives::Policy::default();
        crate::primitives::fill(&mut graph, &policy, "fill", dst, 1).expect("passes");
        graph.compile(&Limits::default()).expect("a plan")
    }

    #[test]
    fn limits_of_another_device_are_noticed() {
        for (limits, name) in [
            (Limits { max_storage_range: 1024, ..Limits::default() }, "maxStorageBufferRange"),
            (
                Limits { max_workgroup_count: [9; 3], ..Limits::default() },
                "maxComputeWorkGroupCount",
            ),
            (
                Limits { max_workgroup_size: [64; 3], ..Limits::default() },
                "maxComputeWorkGroupSize",
            ),
            (Limits { max_push_bytes: 4, ..Limits::default() }, "maxPushConstantsSize"),
        ] {
            let result = check(&fill(), &limits);
            assert!(
                matches!(&result, Err(Error::Graph(GraphError::LimitExceeded { limit, .. }))
                    if *limit == name),
                "{result:?}"
            );
        }
    }

    #[test]
    fn passes_bind_what_their_kernel_expects() {
        let changes: [fn(&mut PlannedPass); 4] = [
            |pass| pass.bindings.clear(),
            |pass| pass.bindings[0].binding = 7,
            |pass| pass.push.clear(),
            |pass| pass.specialization = vec![(0, 0)],
        ];
        for change in changes {
            let mut plan = fill();
            change(&mut plan.steps[0].pass);
            let result = check(&plan, &Limits::default());
            assert!(matches!(&result, Err(Error::Kernel { .. })), "{result:?}");
        }
    }
}
