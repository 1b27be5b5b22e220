//! Which memory barriers an access is ordered, or made available, before.
//!
//! Barrier `j` chains on barrier `i` when some stage that waited for `i` is waited for by `j`; the
//! closure of this relation is all there is to Vulkan's execution and memory dependencies, as
//! long as stages are taken literally.

use multisplit_graph::{Access as A, Stages as S};

/// A memory barrier with its broad bits spelled out.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    pub time: usize,
    pub src_stages: u64,
    pub src_access: u64,
    pub dst_stages: u64,
    pub dst_access: u64,
}

/// Memory barriers, and which of them chain on which.
pub struct Chains {
    memory: Vec<Memory>,
    /// By barrier: it, and all that chain on it directly or not.
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

    /// The barriers that an access at `time` in `stage` is ordered before; for `Some(writes)`,
    /// those that it has been made available before.
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

    pub fn executes(&self, reached: &[bool], time: usize, stage: u64) -> bool {
        let mut before =
            self.memory.iter().zip(reached).filter(|(memory, _)| memory.time < 2 * time);
        before.any(|(memory, reached)| *reached && memory.dst_stages & stage != 0)
    }

    pub fn shows(&self, reached: &[bool], time: usize, stage: u64, access: u64) -> bool {
        bits(access).all(|bit| {
            let mut before =
                self.memory.iter().zip(reached).filter(|(memory, _)| memory.time < 2 * time);
            before.any(|(m, reached)| {
                *reached && m.dst_stages & stage != 0 && m.dst_access & bit != 0
            })
        })
    }
}

pub fn bits(mask: u64) -> impl Iterator<Item = u64> {
    (0..64).map(|bit| 1 << bit).filter(move |bit| mask & bit != 0)
}

/// Which accesses a stage can make (Vulkan's table of supported access types).
pub fn makes(stage: S) -> A {
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

pub fn broad_stages(stages: S) -> u64 {
    let host = S::HOST.bits();
    if stages.contains(S::ALL_COMMANDS) { stages.bits() | !host } else { stages.bits() }
}

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
