//! Adds an execution mode to a module. The mode specifies where the lanes of a subgroup reconverge after a branch. The
//! GLSL compiler may not support the corresponding attribute.
//!
//! Some subgroup operations of the built-in kernels follow a branch that only part of the lanes took. Without an
//! execution mode, Vulkan does not guarantee that the lanes have reconverged there.

use rspirv::spirv::{ExecutionMode, Op};

use super::interface::ReflectError;
use super::words::{HEADER_WORDS, MAGIC, instruction};

/// A device's guarantee for the reconvergence of diverged lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reconvergence {
    /// Lanes reconverge as the structure of the source suggests (`VK_KHR_shader_maximal_reconvergence`).
    Maximal,
    /// Lanes reconverge if all lanes of the subgroup entered the branch together
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

/// Adds the execution mode of `reconvergence` to every entry point of `spirv`. Returns a module that already has this
/// mode unchanged.
///
/// Only the first sections of the module are parsed, and the rest is copied, because this code may run for every
/// pipeline.
pub fn with_reconvergence(
    spirv: &[u32],
    reconvergence: Reconvergence,
) -> Result<Vec<u32>, ReflectError> {
    let malformed = |problem: &str| ReflectError::Malformed(problem.to_owned());
    if spirv.first() != Some(&MAGIC) || spirv.len() < HEADER_WORDS {
        return Err(malformed("the words have no SPIR-V header"));
    }
    let extension = extension_words(reconvergence.extension());
    let mode = reconvergence.mode() as u32;
    let (mut extended, mut entries, mut stating) = (false, Vec::new(), Vec::new());
    // `extensions_end` becomes the place to insert an extension, `at` the end of the last execution mode.
    let (mut extensions_end, mut at) = (HEADER_WORDS, HEADER_WORDS);
    while let Some(&first) = spirv.get(at) {
        let length = (first >> 16) as usize;
        let words = spirv.get(at..at + length).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| malformed("an instruction has an invalid length"))?;
        match Op::from_u32(first & 0xFFFF) {
            Some(Op::Capability) => extensions_end = at + length,
            Some(Op::Extension) => {
                extended |= words == extension;
                extensions_end = at + length;
            }
            Some(Op::EntryPoint) => entries.extend(words.get(2)),
            Some(Op::ExecutionMode) if words.get(2) == Some(&mode) => {
                stating.extend(words.get(1));
            }
            Some(Op::ExtInstImport | Op::MemoryModel | Op::ExecutionMode | Op::ExecutionModeId) => {
            }
            _ => break,
        }
        at += length;
    }
    if entries.is_empty() {
        return Err(malformed("the module has no entry point"));
    }
    entries.retain(|entry| !stating.contains(entry));
    if entries.is_empty() {
        return Ok(spirv.to_vec());
    }
    let mut stated = Vec::with_capacity(spirv.len() + extension.len() + 3 * entries.len());
    stated.extend(&spirv[..extensions_end]);
    if !extended {
        stated.extend(&extension);
    }
    stated.extend(&spirv[extensions_end..at]);
    stated.extend(entries.iter().flat_map(|&entry| instruction(Op::ExecutionMode, &[entry, mode])));
    stated.extend(&spirv[at..]);
    Ok(stated)
}

/// Returns the words of an `OpExtension`. The name is zero-terminated and padded to whole words.
fn extension_words(name: &str) -> Vec<u32> {
    let mut bytes = name.as_bytes().to_vec();
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let text = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    instruction(Op::Extension, &text.collect::<Vec<_>>())
}
