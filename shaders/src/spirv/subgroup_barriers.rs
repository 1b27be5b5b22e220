//! Replacement of subgroup barriers for drivers on which they do not work.
//!
//! llvmpipe of Mesa 25 treats `subgroupBarrier()` as a barrier of the workgroup: it matches another
//! subgroup's `barrier()`, and shared memory is read too early. If the lanes of a subgroup run in lockstep, a
//! memory barrier is sufficient, so each subgroup barrier of a module can be replaced by its memory barrier.

use std::collections::HashMap;

use rspirv::spirv::{Op, Scope};

/// Words before the first instruction.
const HEADER_WORDS: usize = 5;

/// Whether the module contains a control barrier of subgroup scope.
pub fn has_subgroup_barriers(spirv: &[u32]) -> bool {
    with_memory_barriers(spirv).is_some()
}

/// Replaces each control barrier of subgroup scope by a memory barrier of the same scope and semantics.
/// `None` if the module has no such barrier or is malformed.
pub fn with_memory_barriers(spirv: &[u32]) -> Option<Vec<u32>> {
    let mut constants = HashMap::new();
    let mut words = spirv.get(..HEADER_WORDS)?.to_vec();
    let mut rest = spirv.get(HEADER_WORDS..)?;
    let mut replaced = false;
    while let Some(first) = rest.first() {
        let (instruction, after) = rest.split_at_checked((first >> 16) as usize)?;
        rest = after;
        let op = first & 0xFFFF;
        match *instruction {
            [] => return None,
            // Constants precede all functions.
            [_, _, id, value] if op == Op::Constant as u32 => {
                constants.insert(id, value);
            }
            [_, execution, memory, semantics]
                if op == Op::ControlBarrier as u32
                    && constants.get(&execution) == Some(&(Scope::Subgroup as u32)) =>
            {
                replaced = true;
                // Without semantics there is nothing to order, and a memory barrier requires some.
                if constants.get(&semantics) != Some(&0) {
                    words.extend([3 << 16 | Op::MemoryBarrier as u32, memory, semantics]);
                }
                continue;
            }
            _ => {}
        }
        words.extend_from_slice(instruction);
    }
    replaced.then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::builtin;

    fn barriers(spirv: &[u32]) -> Vec<(u32, usize)> {
        let (mut at, mut found) = (HEADER_WORDS, Vec::new());
        while at < spirv.len() {
            let op = spirv[at] & 0xFFFF;
            if [Op::ControlBarrier as u32, Op::MemoryBarrier as u32].contains(&op) {
                found.push((op, (spirv[at] >> 16) as usize));
            }
            at += (spirv[at] >> 16) as usize;
        }
        found
    }

    #[test]
    fn each_subgroup_barrier_becomes_a_memory_barrier() {
        let kernel = builtin::MULTISPLIT_WARP_POSTSCAN_KEYS.kernel().expect("a kernel");
        let before = barriers(kernel.spirv());
        let replaced = with_memory_barriers(kernel.spirv()).expect("it has subgroup barriers");
        let after = barriers(&replaced);
        let control = |list: &[(u32, usize)]| {
            list.iter().filter(|(op, _)| *op == Op::ControlBarrier as u32).count()
        };
        assert_eq!(before.len(), after.len());
        // Two barriers have subgroup scope, one has workgroup scope.
        assert_eq!((control(&before), control(&after)), (3, 1));
        assert_eq!(kernel.spirv().len() - replaced.len(), 2);
        assert!(!has_subgroup_barriers(&replaced));
    }

    #[test]
    fn modules_without_subgroup_barriers_are_unchanged() {
        let kernel = builtin::SCAN_REDUCE.kernel().expect("a kernel");
        assert_eq!(with_memory_barriers(kernel.spirv()), None);
        assert_eq!(with_memory_barriers(&[]), None);
        let cut_off = [&kernel.spirv()[..HEADER_WORDS], &[9 << 16 | Op::Nop as u32]].concat();
        assert_eq!(with_memory_barriers(&cut_off), None);
        let empty = [&kernel.spirv()[..HEADER_WORDS], &[0]].concat();
        assert_eq!(with_memory_barriers(&empty), None);
    }
}
