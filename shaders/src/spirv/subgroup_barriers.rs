//! Replaces subgroup barriers for drivers on which they do not work.
//!
//! llvmpipe of Mesa 25 treats `subgroupBarrier()` as a workgroup barrier. Such a barrier can pair with a `barrier()` of
//! another subgroup, so that shared memory is read too early. If the lanes of a subgroup run in lockstep, a memory
//! barrier is sufficient, so each subgroup barrier of a module can be replaced by a memory barrier.

use std::collections::HashMap;

use rspirv::spirv::{Op, Scope};

use super::words::{header, instruction, instructions};

/// Whether the module contains a control barrier of subgroup scope.
pub fn has_subgroup_barriers(spirv: &[u32]) -> bool {
    with_memory_barriers(spirv).is_some()
}

/// Replaces each control barrier of subgroup scope by a memory barrier with its memory scope and semantics, or removes
/// it if it has no semantics. `None` if the module has no such barrier or is malformed.
pub fn with_memory_barriers(spirv: &[u32]) -> Option<Vec<u32>> {
    let mut constants = HashMap::new();
    let mut words = header(spirv)?.to_vec();
    let mut replaced = false;
    for old in instructions(spirv)? {
        match *old.words {
            // Constants precede all functions.
            [_, _, id, value] if old.is(Op::Constant) => {
                constants.insert(id, value);
            }
            [_, execution, memory, semantics]
                if old.is(Op::ControlBarrier)
                    && constants.get(&execution) == Some(&(Scope::Subgroup as u32)) =>
            {
                replaced = true;
                // A barrier without memory semantics orders no accesses, and a memory barrier without semantics is
                // invalid, so nothing replaces it.
                if constants.get(&semantics) != Some(&0) {
                    words.extend(instruction(Op::MemoryBarrier, &[memory, semantics]));
                }
                continue;
            }
            _ => {}
        }
        words.extend_from_slice(old.words);
    }
    replaced.then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::builtin;

    /// Number of control barriers of a module, and of all its barriers.
    fn barriers(spirv: &[u32]) -> (usize, usize) {
        let count = |op| instructions(spirv).expect("a module").iter().filter(|i| i.is(op)).count();
        let control = count(Op::ControlBarrier);
        (control, control + count(Op::MemoryBarrier))
    }

    #[test]
    fn each_subgroup_barrier_becomes_a_memory_barrier() {
        let kernel = builtin::MULTISPLIT_WARP_POSTSCAN_KEYS.kernel().expect("a kernel");
        let replaced = with_memory_barriers(kernel.spirv()).expect("it has subgroup barriers");
        let (control, all) = barriers(kernel.spirv());
        // Two barriers have subgroup scope, one has workgroup scope.
        assert_eq!((control, barriers(&replaced)), (3, (1, all)));
        assert_eq!(kernel.spirv().len() - replaced.len(), 2);
        assert!(!has_subgroup_barriers(&replaced));
    }

    #[test]
    fn malformed_modules_and_those_without_subgroup_barriers_are_not_rewritten() {
        let kernel = builtin::SCAN_REDUCE.kernel().expect("a kernel");
        assert_eq!(with_memory_barriers(kernel.spirv()), None);
        assert_eq!(with_memory_barriers(&[]), None);
        let cut_off =
            [header(kernel.spirv()).expect("a header"), &[9 << 16 | Op::Nop as u32]].concat();
        assert_eq!(with_memory_barriers(&cut_off), None);
        let empty = [header(kernel.spirv()).expect("a header"), &[0]].concat();
        assert_eq!(with_memory_barriers(&empty), None);
    }
}
