//! How a module says where the lanes of a subgroup come together again after a branch: an execution
//! mode is added to its SPIR-V, since the compiler of GLSL may not know the attribute.
//!
//! Kernels keep subgroup operations in uniform control flow, but some of them follow a branch that
//! only a part of the lanes took. Without a mode, Vulkan does not promise that the lanes have come
//! together by then.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Operand, load_words};
use rspirv::spirv::{ExecutionMode, Op};

use crate::reflect::ReflectError;

/// What a device promises of lanes that took different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reconvergence {
    /// They come together where the structure of the source suggests it
    /// (`VK_KHR_shader_maximal_reconvergence`).
    Maximal,
    /// They do so where all lanes of the subgroup entered the branch together
    /// (`VK_KHR_shader_subgroup_uniform_control_flow`).
    UniformControlFlow,
}

impl Reconvergence {
    fn extension(self) -> &'static str {
        match self {
            Self::Maximal => "SPV_KHR_maximal_reconvergence",
            Self::UniformControlFlow => "SPV_KHR_subgroup_uniform_control_flow",
        }
    }

    fn mode(self) -> ExecutionMode {
        match self {
            Self::Maximal => ExecutionMode::MaximallyReconvergesKHR,
            Self::UniformControlFlow => ExecutionMode::SubgroupUniformControlFlowKHR,
        }
    }
}

/// `spirv`, with every entry point stating `reconvergence`. A module that states it already is
/// returned as it is.
pub fn with_reconvergence(
    spirv: &[u32],
    reconvergence: Reconvergence,
) -> Result<Vec<u32>, ReflectError> {
    // rspirv panics on some malformed streams.
    let mut module = catch_unwind(AssertUnwindSafe(|| load_words(spirv)))
        .map_err(|_| ReflectError::Malformed("the parser gave up".to_owned()))?
        .map_err(|state| ReflectError::Malformed(state.to_string()))?;
    let mode = Operand::ExecutionMode(reconvergence.mode());
    let states = |entry: &Operand, modes: &[Instruction]| {
        modes.iter().any(|i| i.operands.first() == Some(entry) && i.operands.get(1) == Some(&mode))
    };
    let entries: Vec<Operand> = module
        .entry_points
        .iter()
        .filter_map(|entry| entry.operands.get(1).cloned())
        .filter(|entry| !states(entry, &module.execution_modes))
        .collect();
    if entries.is_empty() {
        return Ok(spirv.to_vec());
    }
    let name = Operand::LiteralString(reconvergence.extension().to_owned());
    if !module.extensions.iter().any(|i| i.operands.first() == Some(&name)) {
        module.extensions.push(Instruction::new(Op::Extension, None, None, vec![name]));
    }
    for entry in entries {
        let operands = vec![entry, mode.clone()];
        module.execution_modes.push(Instruction::new(Op::ExecutionMode, None, None, operands));
    }
    Ok(module.assemble())
}
