//! Converts Vulkan's masks to scopes, and scopes to barriers.

use ash::vk;
use multisplit_graph::{Access, Scope, Stages};

use crate::device::memory_barrier;

/// Converts stages and accesses to a scope. Masks that [`Scope`] cannot represent are widened: copies and clears become
/// transfers, tessellation becomes all graphics, ray tracing becomes all commands. An empty access mask (an execution
/// dependency) becomes reads. A barrier with the resulting scope may cover more than requested, but never less.
pub fn scope(stages: vk::PipelineStageFlags2, access: vk::AccessFlags2) -> Scope {
    use vk::PipelineStageFlags2 as Stage;
    let transfer = Stage::COPY | Stage::RESOLVE | Stage::BLIT | Stage::CLEAR | Stage::TRANSFER;
    let vertex_input = Stage::INDEX_INPUT | Stage::VERTEX_ATTRIBUTE_INPUT | Stage::VERTEX_INPUT;
    let graphics = Stage::PRE_RASTERIZATION_SHADERS
        | Stage::TESSELLATION_CONTROL_SHADER
        | Stage::TESSELLATION_EVALUATION_SHADER
        | Stage::GEOMETRY_SHADER
        | Stage::TASK_SHADER_EXT
        | Stage::MESH_SHADER_EXT
        | Stage::EARLY_FRAGMENT_TESTS
        | Stage::LATE_FRAGMENT_TESTS
        | Stage::COLOR_ATTACHMENT_OUTPUT;
    let table = [
        (transfer, Stages::TRANSFER),
        (vertex_input, Stages::VERTEX_INPUT),
        (graphics, Stages::ALL_GRAPHICS),
    ];
    let mut known = Stages::from_bits_truncate(stages.as_raw());
    let mut left = stages & !Stage::from_raw(Stages::all().bits());
    for (from, to) in table {
        if left.intersects(from) {
            known |= to;
        }
        left &= !from;
    }
    if !left.is_empty() {
        known |= Stages::ALL_COMMANDS;
    }
    // An execution dependency without accesses is treated as a read: it makes later writes wait, and needs no memory
    // dependency.
    let access = if access.is_empty() { Access::MEMORY_READ } else { accesses(access) };
    Scope::new(known, access)
}

fn accesses(access: vk::AccessFlags2) -> Access {
    use vk::AccessFlags2 as Flag;
    let mut known = Access::from_bits_truncate(access.as_raw());
    let mut left = access & !Flag::from_raw(Access::all().bits());
    let shader_reads =
        Access::UNIFORM_READ | Access::SHADER_SAMPLED_READ | Access::SHADER_STORAGE_READ;
    let table =
        [(Flag::SHADER_READ, shader_reads), (Flag::SHADER_WRITE, Access::SHADER_STORAGE_WRITE)];
    for (from, to) in table {
        if left.contains(from) {
            known |= to;
        }
        left &= !from;
    }
    if !left.is_empty() {
        known |= Access::MEMORY_READ | Access::MEMORY_WRITE;
    }
    known
}

/// The stage and access masks of a scope. [`Scope`] stores the same bits as Vulkan.
pub fn stages_and_access(scope: Scope) -> (vk::PipelineStageFlags2, vk::AccessFlags2) {
    let stages = vk::PipelineStageFlags2::from_raw(scope.stages.bits());
    (stages, vk::AccessFlags2::from_raw(scope.access.bits()))
}

/// Creates a memory barrier with `before` as its first and `after` as its second synchronization scope.
pub fn barrier(before: Scope, after: Scope) -> vk::MemoryBarrier2<'static> {
    memory_barrier(before, after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk::AccessFlags2 as A;
    use vk::PipelineStageFlags2 as S;

    #[test]
    fn supported_masks_are_preserved() {
        let scope = scope(S::COMPUTE_SHADER | S::HOST, A::SHADER_STORAGE_WRITE | A::HOST_READ);
        assert_eq!(scope.stages, Stages::COMPUTE_SHADER | Stages::HOST);
        assert_eq!(scope.access, Access::SHADER_STORAGE_WRITE | Access::HOST_READ);
        let barrier = barrier(Scope::TRANSFER_WRITE, scope);
        assert_eq!(barrier.src_stage_mask, S::TRANSFER);
        assert_eq!(barrier.dst_access_mask, A::SHADER_STORAGE_WRITE | A::HOST_READ);
    }

    #[test]
    fn execution_dependencies_become_reads() {
        let scope = scope(S::FRAGMENT_SHADER, A::NONE);
        assert_eq!(scope, Scope::new(Stages::FRAGMENT_SHADER, Access::MEMORY_READ));
    }

    #[test]
    fn unsupported_masks_are_widened() {
        let mesh = Scope::new(Stages::ALL_GRAPHICS, Access::SHADER_STORAGE_READ);
        let compute = Scope::new(Stages::COMPUTE_SHADER, Access::SHADER_STORAGE_WRITE);
        for (stages, access, expected) in [
            (S::COPY, A::TRANSFER_WRITE, Scope::TRANSFER_WRITE),
            (S::INDEX_INPUT, A::INDEX_READ, Scope::INDEX_READ),
            (S::MESH_SHADER_EXT, A::SHADER_STORAGE_READ, mesh),
            (S::RAY_TRACING_SHADER_KHR, A::ACCELERATION_STRUCTURE_READ_KHR, Scope::ANYTHING),
            (S::COMPUTE_SHADER, A::SHADER_WRITE, compute),
        ] {
            assert_eq!(scope(stages, access), expected);
        }
    }
}
