//! Control flow of a function: its blocks, and the branches that decide whether a block runs.

use std::collections::HashMap;

use rspirv::dr::{Function, Instruction, Operand};
use rspirv::spirv::{Op, Word};

use super::error::{CheckError, invalid};

/// The control-flow graph of a function. Blocks are identified by their index in the function.
pub(super) struct Flow {
    successors: Vec<Vec<usize>>,
    reachable: Vec<bool>,
    /// Block indices by label.
    places: HashMap<Word, usize>,
}

impl Flow {
    pub fn new(function: &Function) -> Result<Self, CheckError> {
        let mut places = HashMap::new();
        for (place, block) in function.blocks.iter().enumerate() {
            if let Some(label) = block.label.as_ref().and_then(|l| l.result_id) {
                places.insert(label, place);
            }
        }
        let mut successors = Vec::new();
        for block in &function.blocks {
            let last =
                block.instructions.last().ok_or_else(|| invalid("a block has no instructions"))?;
            let targets = targets(last).into_iter().map(|label| {
                places
                    .get(&label)
                    .copied()
                    .ok_or_else(|| invalid("a branch leads to another function"))
            });
            successors.push(targets.collect::<Result<Vec<_>, _>>()?);
        }
        let mut reachable = vec![false; successors.len()];
        let mut open: Vec<usize> = if reachable.is_empty() { vec![] } else { vec![0] };
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut reachable[block], true) {
                open.extend(&successors[block]);
            }
        }
        Ok(Self { successors, reachable, places })
    }

    pub fn is_reachable(&self, block: usize) -> bool {
        self.reachable[block]
    }

    /// The index of the block with this label.
    pub fn place(&self, label: Word) -> Option<usize> {
        self.places.get(&label).copied()
    }

    /// Returns, for each block, the blocks whose branches decide whether it runs, or runs again. `None` if this is
    /// unknown: for unreachable blocks, and for all blocks if the function contains an infinite loop.
    pub fn dependences(&self) -> Vec<Option<Vec<usize>>> {
        let exit = self.successors.len();
        let next = self.post_dominators(exit);
        if (0..exit).any(|block| self.reachable[block] && next[block].is_none()) {
            return vec![None; exit];
        }
        let mut depends: Vec<Option<Vec<usize>>> =
            next.iter().take(exit).map(|n| n.map(|_| Vec::new())).collect();
        for (block, targets) in self.successors.iter().enumerate() {
            if targets.len() < 2 || !self.reachable[block] {
                continue;
            }
            for &target in targets {
                let mut at = target;
                // Continue up to the block where all paths from the branch meet.
                while at != exit && Some(at) != next[block] {
                    let Some(list) = &mut depends[at] else { break };
                    if !list.contains(&block) {
                        list.push(block);
                    }
                    let Some(up) = next[at] else { break };
                    at = up;
                }
            }
        }
        depends
    }

    /// Returns the immediate post-dominator of each block: the first later block that is on all paths to `exit`. `None`
    /// if the block is unreachable, or if the exit is not reachable from it.
    fn post_dominators(&self, exit: usize) -> Vec<Option<usize>> {
        let order = self.order_from_exit(exit);
        let mut rank = vec![usize::MAX; exit + 1];
        for (place, &block) in order.iter().enumerate() {
            rank[block] = place;
        }
        let mut next: Vec<Option<usize>> = vec![None; exit + 1];
        next[exit] = Some(exit);
        let mut changed = true;
        while changed {
            changed = false;
            for &block in order.iter().skip(1) {
                let mut common: Option<usize> = None;
                for target in self.ways(block, exit) {
                    if next[target].is_none() {
                        continue;
                    }
                    common = Some(common.map_or(target, |c| meet(c, target, &next, &rank)));
                }
                if common.is_some() && next[block] != common {
                    next[block] = common;
                    changed = true;
                }
            }
        }
        next
    }

    /// The successors of a block; for a block that ends the function, the exit.
    fn ways(&self, block: usize, exit: usize) -> Vec<usize> {
        match self.successors[block].as_slice() {
            [] => vec![exit],
            some => some.to_vec(),
        }
    }

    /// Returns the blocks from which the exit is reachable, in an order in which each block follows one of its
    /// successors. The exit is first.
    fn order_from_exit(&self, exit: usize) -> Vec<usize> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); exit + 1];
        for block in (0..exit).filter(|b| self.reachable[*b]) {
            for target in self.ways(block, exit) {
                before[target].push(block);
            }
        }
        let mut seen = vec![false; exit + 1];
        let mut order = Vec::new();
        let mut stack = vec![(exit, 0)];
        seen[exit] = true;
        while let Some((block, child)) = stack.pop() {
            match before[block].get(child) {
                Some(&other) => {
                    stack.push((block, child + 1));
                    if !std::mem::replace(&mut seen[other], true) {
                        stack.push((other, 0));
                    }
                }
                None => order.push(block),
            }
        }
        order.reverse();
        order
    }
}

/// Returns the nearest common post-dominator of two blocks.
fn meet(a: usize, b: usize, next: &[Option<usize>], rank: &[usize]) -> usize {
    let (mut a, mut b) = (a, b);
    while a != b {
        let later = if rank[a] > rank[b] { &mut a } else { &mut b };
        match next[*later] {
            Some(up) => *later = up,
            None => return a.min(b),
        }
    }
    a
}

/// The branch targets of a block's last instruction, without duplicates.
fn targets(last: &Instruction) -> Vec<Word> {
    let ids = |operands: &[Operand]| -> Vec<Word> {
        let mut found: Vec<Word> = operands.iter().filter_map(Operand::id_ref_any).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    match last.class.opcode {
        Op::Branch => ids(&last.operands),
        Op::BranchConditional => ids(last.operands.get(1..3).unwrap_or_default()),
        Op::Switch => ids(last.operands.get(1..).unwrap_or_default()),
        _ => Vec::new(),
    }
}
