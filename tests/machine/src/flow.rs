//! Control flow of a subgroup: the tangles (sets of lanes that execute together), the constructs
//! they are in, and the reconvergence of diverged lanes.

use crate::code::Program;
use crate::options::Reconvergence;

/// A set of lanes, one bit per lane.
pub(crate) type Mask = u128;

pub(crate) fn lanes(mask: Mask) -> impl Iterator<Item = usize> {
    let of_half = |half: u64, first: usize| {
        let mut left = half;
        std::iter::from_fn(move || {
            let lane = left.trailing_zeros();
            (lane < u64::BITS).then(|| {
                left &= left - 1;
                first + lane as usize
            })
        })
    };
    of_half(mask as u64, 0).chain(of_half((mask >> 64) as u64, 64))
}

/// The first `count` lanes.
pub(crate) fn first_lanes(count: usize) -> Mask {
    Mask::MAX.checked_shr(Mask::BITS - count as u32).unwrap_or(0)
}

/// The lanes of a set for which a condition holds.
pub(crate) fn lanes_where(mask: Mask, holds: impl Fn(usize) -> bool) -> Mask {
    lanes(mask).filter(|&lane| holds(lane)).fold(0, |all, lane| all | 1 << lane)
}

/// Lanes that execute together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tangle {
    pub mask: Mask,
    pub pc: u32,
    /// The innermost construct.
    pub node: usize,
    /// Whether the lanes wait at a barrier.
    pub waits: bool,
    /// Whether all invocations of the workgroup took this path, as far as is known.
    pub uniform: bool,
    /// Number of lanes, cached because it is needed for every instruction.
    pub count: u32,
}

impl Tangle {
    fn new(mask: Mask, pc: u32, node: usize, uniform: bool) -> Self {
        Self { mask, pc, node, waits: false, uniform, count: mask.count_ones() }
    }
}

/// The construct index of lanes outside of all constructs.
pub(crate) const ROOT: usize = usize::MAX;
const NO_BLOCK: u32 = u32::MAX;

/// A place where the lanes of a construct wait for each other, in the order in which they are released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The continue target of a loop.
    Continue,
    /// The header of a loop.
    Header,
    /// The merge block, or the instruction after a call.
    End,
}

impl Place {
    const ALL: [Self; 3] = [Self::Continue, Self::Header, Self::End];
}

/// One execution of a selection, a loop or a call.
#[derive(Clone, Copy, Debug)]
struct Node {
    parent: usize,
    /// The block of each [`Place`], if the construct has it. For a call, the block of `Place::End`
    /// is the index of the instruction after the call.
    blocks: [u32; 3],
    is_call: bool,
    /// Whether lanes are guaranteed to reconverge at the end of the construct.
    promised: bool,
    uniform: bool,
    /// Lanes inside the construct.
    inside: Mask,
    /// Lanes that wait at each [`Place`].
    waiting: [Mask; 3],
}

/// The control flow of a subgroup.
#[derive(Debug)]
pub(crate) struct Flow {
    pub tangles: Vec<Tangle>,
    nodes: Vec<Node>,
    free: Vec<usize>,
    /// Scratch list of constructs that lanes are leaving, reused to avoid allocations.
    left: Vec<usize>,
    /// All lanes of the subgroup.
    pub full: Mask,
    /// Lanes that have not ended.
    pub live: Mask,
    reconvergence: Reconvergence,
}

impl Flow {
    pub fn new(full: Mask, pc: u32, reconvergence: Reconvergence) -> Self {
        Self {
            tangles: vec![Tangle::new(full, pc, ROOT, true)],
            nodes: Vec::new(),
            free: Vec::new(),
            left: Vec::new(),
            full,
            live: full,
            reconvergence,
        }
    }

    /// Enters a construct with these [`Node::blocks`].
    fn enter(&mut self, tangle: usize, blocks: [u32; 3], is_call: bool) {
        let Tangle { mask, node: parent, uniform, .. } = self.tangles[tangle];
        let promised = match self.reconvergence {
            Reconvergence::Maximal => true,
            Reconvergence::SubgroupUniform => mask == self.full,
            Reconvergence::WorkgroupUniform => mask == self.full && uniform,
        };
        let (inside, waiting) = (mask, [0; 3]);
        let node = Node { parent, blocks, is_call, promised, uniform, inside, waiting };
        self.tangles[tangle].node = match self.free.pop() {
            Some(at) => {
                self.nodes[at] = node;
                at
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        };
    }

    pub fn begin_selection(&mut self, tangle: usize, merge: u32) {
        self.enter(tangle, [NO_BLOCK, NO_BLOCK, merge], false);
    }

    /// Enters a loop at its header. Lanes that come from a previous iteration stay in the loop.
    pub fn begin_loop(&mut self, tangle: usize, header: u32, merge: u32, next: u32) {
        let own = self.nodes.get(self.tangles[tangle].node);
        if own.is_none_or(|node| node.blocks[Place::Header as usize] != header) {
            self.enter(tangle, [next, header, merge], false);
        }
    }

    pub fn begin_call(&mut self, tangle: usize, callee: u32, back: u32) {
        self.enter(tangle, [NO_BLOCK, NO_BLOCK, back], true);
        self.tangles[tangle].pc = callee;
    }

    /// Moves all lanes of a tangle to a block.
    pub fn jump(&mut self, program: &Program, tangle: usize, block: u32) {
        let to = &program.blocks[block as usize];
        if to.joins {
            let moved = self.tangles.swap_remove(tangle);
            self.arrive(program, moved, block);
        } else {
            self.tangles[tangle].pc = to.pc;
        }
    }

    /// Splits a tangle whose lanes take different branches.
    pub fn split(&mut self, program: &Program, tangle: usize, ways: &[(Mask, u32)]) {
        let whole = self.tangles.swap_remove(tangle);
        for &(mask, block) in ways {
            if mask != 0 {
                let uniform = whole.uniform && mask == whole.mask;
                let part = Tangle::new(mask, whole.pc, whole.node, uniform);
                self.arrive(program, part, block);
            }
        }
    }

    /// Ends all lanes.
    pub fn end(&mut self) {
        self.tangles.clear();
        self.live = 0;
    }

    /// Returns from a function, or ends the lanes if they are outside of all calls.
    pub fn finish(&mut self, program: &Program, tangle: usize) {
        let moved = self.tangles.swap_remove(tangle);
        let mut at = moved.node;
        while at != ROOT && !self.nodes[at].is_call {
            at = self.nodes[at].parent;
        }
        if at == ROOT {
            self.live &= !moved.mask;
        }
        self.leave(program, moved, at, Place::End);
    }

    fn arrive(&mut self, program: &Program, tangle: Tangle, block: u32) {
        let to = &program.blocks[block as usize];
        if to.joins {
            let mut at = tangle.node;
            while at != ROOT && !self.nodes[at].is_call {
                let node = &self.nodes[at];
                let is_it = |place: &Place| node.blocks[*place as usize] == block;
                if let Some(place) = Place::ALL.into_iter().find(is_it) {
                    return self.leave(program, tangle, at, place);
                }
                at = node.parent;
            }
        }
        self.tangles.push(Tangle { pc: to.pc, ..tangle });
    }

    /// Moves lanes out of all constructs that are nested in `target`. The lanes then wait at
    /// `place` of `target`, unless it is `ROOT`.
    fn leave(&mut self, program: &Program, tangle: Tangle, target: usize, place: Place) {
        let mut at = tangle.node;
        let mut left = std::mem::take(&mut self.left);
        while at != target && at != ROOT {
            self.nodes[at].inside &= !tangle.mask;
            left.push(at);
            at = self.nodes[at].parent;
        }
        if target != ROOT {
            let node = &mut self.nodes[target];
            node.inside &= !tangle.mask;
            node.waiting[place as usize] |= tangle.mask;
            left.push(target);
        }
        for &at in &left {
            self.release_lanes(program, at);
        }
        left.clear();
        self.left = left;
    }

    /// Continues lanes that wait at the end, continue target or header of construct `at`, unless
    /// they are guaranteed to reconverge with lanes that are still inside.
    fn release_lanes(&mut self, program: &Program, at: usize) {
        let node = self.nodes[at];
        if node.promised && node.inside != 0 {
            return;
        }
        for place in Place::ALL {
            let mask = std::mem::take(&mut self.nodes[at].waiting[place as usize]);
            if mask == 0 {
                continue;
            }
            let uniform = node.promised && node.uniform && mask == self.full;
            let to = node.blocks[place as usize];
            let pc = if node.is_call { to } else { program.blocks[to as usize].pc };
            let next_node = if place == Place::End { node.parent } else { at };
            self.tangles.push(Tangle::new(mask, pc, next_node, uniform));
            if place != Place::End {
                self.nodes[at].inside |= mask;
                if node.promised {
                    return;
                }
            }
        }
        if self.nodes[at].inside == 0 {
            self.free.push(at);
        }
    }

    /// Whether any tangle can continue.
    pub fn can_run(&self) -> bool {
        self.tangles.iter().any(|t| !t.waits)
    }

    /// Number of lanes that wait at a barrier.
    pub fn waiting(&self) -> u32 {
        self.tangles.iter().filter(|t| t.waits).map(|t| t.count).sum()
    }

    /// Whether branches must be recorded: reconvergence then depends on whether the whole workgroup
    /// took the same path.
    pub fn notes_branches(&self) -> bool {
        self.reconvergence == Reconvergence::WorkgroupUniform
    }
}

/// The block of an instruction.
pub(crate) fn block_of(program: &Program, pc: u32) -> u32 {
    program.origins[pc as usize].block
}
