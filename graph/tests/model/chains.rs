//! Dependency chains between memory barriers.
//!
//! Barrier `j` chains on an earlier barrier `i` if the destination stages of `i` intersect the
//! source stages of `j`. The transitive closure of this relation gives Vulkan's execution and
//! memory dependencies, without the implied logically earlier and later stages.

use multisplit_graph::{Access as A, Stages as S};

/// A memory barrier. Broad bits of its masks are expanded to the individual bits that they include.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Twice the time of the barrier call. Odd times are for the caller's own calls.
    pub time: usize,
    pub src_stages: u64,
    pub src_access: u64,
    pub dst_stages: u64,
    pub dst_access: u64,
}

/// Memory barriers and their dependency chains.
pub struct Chains {
    memory: Vec<Memory>,
    /// For each barrier, flags itself and all barriers that chain on it directly or indirectly.
    closure: Vec<Vec<bool>>,
}

impl Chains {
    pub fn new(memory: Vec<Memory>) -> Self {
        let count = memory.len();
        let mut closure = vec![vec![false; count]; count];
        for i in (0..count).rev() {
            closure[i][i] = true;
            for j in i + 1..count {
                if memory[j].time > memory[i].time
                    && memory[i].dst_stages & memory[j].src_stages != 0
                {
                    let further = closure[j].clone();
                    closure[i].iter_mut().zip(further).for_each(|(mine, theirs)| *mine |= theirs);
                }
            }
        }
        Self { memory, closure }
    }

    /// Flags the barriers that wait for an access at `time` in `stage`, directly or through other
    /// barriers. If `writes` is given, the first barrier on the way makes these writes available.
    pub fn from(&self, time: usize, stage: u64, writes: Option<u64>) -> Vec<bool> {
        let mut reached = vec![false; self.memory.len()];
        for (memory, closure) in self.memory.iter().zip(&self.closure) {
            let named = writes.is_none_or(|writes| writes & !memory.src_access == 0);
            if memory.time > 2 * time && memory.src_stages & stage != 0 && named {
                reached.iter_mut().zip(closure).for_each(|(mine, theirs)| *mine |= theirs);
            }
        }
        reached
    }

    /// Whether one of the `reached` barriers makes `stage` wait, before accesses at `time`.
    pub fn executes(&self, reached: &[bool], time: usize, stage: u64) -> bool {
        let mut before =
            self.memory.iter().zip(reached).filter(|(memory, _)| memory.time < 2 * time);
        before.any(|(memory, reached)| *reached && memory.dst_stages & stage != 0)
    }

    /// Whether the `reached` barriers make data visible to all bits of `access` in `stage`, before
    /// accesses at `time`.
    pub fn makes_visible(&self, reached: &[bool], time: usize, stage: u64, access: u64) -> bool {
        bits(access).all(|bit| {
            let mut before =
                self.memory.iter().zip(reached).filter(|(memory, _)| memory.time < 2 * time);
            before.any(|(m, reached)| {
                *reached && m.dst_stages & stage != 0 && m.dst_access & bit != 0
            })
        })
    }
}

/// The single bits of a mask.
pub fn bits(mask: u64) -> impl Iterator<Item = u64> {
    (0..64).map(|bit| 1 << bit).filter(move |bit| mask & bit != 0)
}

/// The accesses that a stage supports, from Vulkan's table of supported access types. The tests do
/// not use `ALL_GRAPHICS`.
pub fn supported_access(stage: S) -> A {
    let all = A::MEMORY_READ | A::MEMORY_WRITE;
    let shader =
        A::UNIFORM_READ | A::SHADER_SAMPLED_READ | A::SHADER_STORAGE_READ | A::SHADER_STORAGE_WRITE;
    all | match stage {
        S::DRAW_INDIRECT => A::INDIRECT_COMMAND_READ,
        S::VERTEX_INPUT => A::INDEX_READ | A::VERTEX_ATTRIBUTE_READ,
        S::VERTEX_SHADER | S::FRAGMENT_SHADER | S::COMPUTE_SHADER => shader,
        S::TRANSFER => A::TRANSFER_READ | A::TRANSFER_WRITE,
        S::HOST => A::HOST_READ | A::HOST_WRITE,
        S::ALL_COMMANDS => A::all() - A::HOST_READ - A::HOST_WRITE,
        _ => A::empty(),
    }
}

/// The bits of `stages`, and all stages that `ALL_COMMANDS` includes.
pub fn broad_stages(stages: S) -> u64 {
    let host = S::HOST.bits();
    if stages.contains(S::ALL_COMMANDS) { stages.bits() | !host } else { stages.bits() }
}

/// The bits of `access`, and all accesses that `MEMORY_READ` and `MEMORY_WRITE` include.
pub fn broad_access(access: A) -> u64 {
    let mut bits = access.bits();
    if access.contains(A::MEMORY_READ) {
        bits |= A::all().reads().bits();
    }
    if access.contains(A::MEMORY_WRITE) {
        bits |= A::all().writes().bits();
    }
    bits
}
