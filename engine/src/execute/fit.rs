//! Checks whether a plan may run on a device. Plans cannot be modified after compilation, so it is sufficient to
//! check the device limits for which they were compiled.

use ash::vk;
use multisplit_graph::{GraphError, Limits, Plan, Stages};
use multisplit_shaders::address::ADDRESS_ALIGNMENT;

use crate::error::{Error, Result};

/// Rejects a plan that was compiled for limits that the device does not meet.
pub(crate) fn check(plan: &Plan, device: &Limits) -> Result<()> {
    match plan.limits().exceeded_on(device) {
        None => Ok(()),
        Some(limit) => Err(Error::OtherLimits { plan: plan.name().to_owned(), limit }),
    }
}

/// Rejects entry and exit scopes with stages that the queue does not support.
pub(crate) fn check_stages(plan: &Plan, queue: vk::QueueFlags) -> Result<()> {
    const GRAPHICS: Stages = Stages::VERTEX_INPUT
        .union(Stages::VERTEX_SHADER)
        .union(Stages::FRAGMENT_SHADER)
        .union(Stages::ALL_GRAPHICS);
    if queue.contains(vk::QueueFlags::GRAPHICS) {
        return Ok(());
    }
    let barriers = plan.steps().iter().filter_map(|step| step.barrier.as_ref()).chain(plan.exit());
    let all = barriers.flat_map(|barrier| &barrier.memory);
    let used = all.fold(Stages::empty(), |so_far, one| so_far | one.src_stages | one.dst_stages);
    match used & GRAPHICS {
        none if none.is_empty() => Ok(()),
        stages => {
            Err(Error::QueueStages { plan: plan.name().to_owned(), stages: stages.to_string() })
        }
    }
}

/// Rejects misaligned views in executables that access buffers by address. Kernels read up to 16 bytes at a time, and
/// only descriptors enforce an alignment.
pub(crate) fn check_addresses(plan: &Plan) -> Result<()> {
    let alignment = u64::from(ADDRESS_ALIGNMENT);
    for pass in plan.steps().iter().map(|step| &step.pass) {
        for binding in &pass.bindings {
            let base = plan.buffers().get(binding.buffer).and_then(|b| b.workspace_offset());
            let value = base.unwrap_or(0).saturating_add(binding.offset);
            if !value.is_multiple_of(alignment) {
                let (pass, buffer) = (pass.label.clone(), binding.name.clone());
                let what = "offset";
                return Err(GraphError::Misaligned { pass, buffer, what, value, alignment }.into());
            }
        }
    }
    Ok(())
}
