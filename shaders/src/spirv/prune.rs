//! Removes code that is unreachable with the specialization constants of a pipeline.
//!
//! One module can contain several variants of a kernel, such as both ranking methods. A pipeline uses only one variant,
//! but a driver translates the whole module before it removes the others. This code therefore resolves branches on
//! specialization constants and removes unreachable blocks before the driver receives the module. The constants
//! themselves remain, and are passed to the driver as before.
//!
//! It works directly on the words of the module, because parsing them into a data structure would take longer than
//! the removal itself.

use std::collections::{HashMap, HashSet};

use rspirv::spirv::{Decoration, Op};

use super::fold::{Folded, fold, mask};
use super::words::{Instruction, header, instruction, instructions};

/// Removes the blocks of `spirv` that are unreachable with these specialization constants. `value_of` maps a
/// `constant_id` to its value, or to `None` for the default. Returns the words unchanged if they are not a module, or
/// if a function cannot be pruned, for example because the continue target of a loop is unreachable.
pub fn pruned(spirv: &[u32], value_of: impl Fn(u32) -> Option<u32>) -> Vec<u32> {
    prune(spirv, &value_of).unwrap_or_else(|| spirv.to_vec())
}

fn prune(spirv: &[u32], value_of: &dyn Fn(u32) -> Option<u32>) -> Option<Vec<u32>> {
    let instructions = instructions(spirv)?;
    let first_function = instructions.iter().position(|i| i.is(Op::Function))?;
    let (globals, bodies) = instructions.split_at(first_function);
    let constants = Constants::evaluate(globals, value_of);

    let described: HashSet<u32> =
        globals.iter().filter(|global| global.describes()).filter_map(|i| i.word(1)).collect();
    let mut removed = Removed { described, ids: HashSet::new() };
    let mut functions = Vec::new();
    for body in bodies.split_inclusive(|i| i.is(Op::FunctionEnd)) {
        functions.push(Function::new(body, &constants)?.pruned(&mut removed)?);
    }
    let mut words = header(spirv)?.to_vec();
    for global in globals {
        if !(global.describes() && removed.ids.contains(&global.word(1)?)) {
            words.extend_from_slice(global.words);
        }
    }
    words.extend(functions.into_iter().flatten());
    Some(words)
}

/// Collects the ids that are removed together with their names and decorations.
struct Removed {
    /// All ids of the module that have a name or a decoration.
    described: HashSet<u32>,
    /// The removed ids among these, and the labels of removed blocks.
    ids: HashSet<u32>,
}

impl Removed {
    /// Adds the result id of a removed instruction.
    fn add(&mut self, instruction: Instruction<'_>) {
        // This check comes first, because looking up a result in the grammar is slow.
        let may_be = |at| instruction.word(at).is_some_and(|id| self.described.contains(&id));
        if may_be(1) || may_be(2) {
            self.ids.extend(instruction.result());
        }
    }
}

/// The known values of scalar constants: integers and booleans.
#[derive(Default)]
pub(crate) struct Constants {
    pub values: HashMap<u32, u64>,
    /// Number of bits of each integer or boolean type.
    pub bits: HashMap<u32, u32>,
    /// The type of each value.
    types: HashMap<u32, u32>,
}

impl Constants {
    /// Evaluates the constants of a module. `value_of` maps a `constant_id` to its value, or to `None` for the default.
    pub fn evaluate(globals: &[Instruction<'_>], value_of: &dyn Fn(u32) -> Option<u32>) -> Self {
        let mut this = Self::default();
        let mut ids = HashMap::new();
        for global in globals {
            match (Op::from_u32(global.op()), global.operands(1)) {
                (Some(Op::Decorate), &[target, decoration, id])
                    if decoration == Decoration::SpecId as u32 =>
                {
                    ids.insert(target, id);
                }
                (Some(Op::TypeBool), &[ty]) => {
                    this.bits.insert(ty, 1);
                }
                (Some(Op::TypeInt), &[ty, bits, _]) => {
                    this.bits.insert(ty, bits);
                }
                (Some(op), &[ty, id, ref operands @ ..]) => {
                    let given = ids.get(&id).and_then(|id| value_of(*id)).map(u64::from);
                    this.add(op, (ty, id), operands, given);
                }
                _ => {}
            }
        }
        this
    }

    fn add(&mut self, op: Op, (ty, id): (u32, u32), operands: &[u32], given: Option<u64>) {
        let value = match (op, operands) {
            (Op::ConstantTrue, _) => Some(1),
            (Op::ConstantFalse, _) => Some(0),
            (Op::SpecConstantTrue, _) => Some(u64::from(given != Some(0))),
            (Op::SpecConstantFalse, _) => Some(u64::from(given.unwrap_or(0) != 0)),
            (Op::Constant, &[low]) => Some(u64::from(low)),
            (Op::Constant, &[low, high]) => Some(u64::from(low) | u64::from(high) << 32),
            (Op::SpecConstant, &[default]) => Some(given.unwrap_or(u64::from(default))),
            (Op::SpecConstantOp, &[op, ref operands @ ..]) => self.operation(op, operands),
            _ => None,
        };
        value.and_then(|value| self.insert((ty, id), value));
    }

    /// Sets the value of `id`. `None` if its type is neither integer nor boolean.
    pub fn insert(&mut self, (ty, id): (u32, u32), value: u64) -> Option<()> {
        let bits = *self.bits.get(&ty)?;
        self.values.insert(id, value & mask(bits));
        self.types.insert(id, ty);
        Some(())
    }

    /// Evaluates an operation. `None` if the result is not known here; the driver may still know it.
    pub fn operation(&self, op: u32, operands: &[u32]) -> Option<u64> {
        let op = Op::from_u32(op)?;
        // The operand that is not selected may be unknown.
        if let (Op::Select, [condition, yes, no]) = (op, operands) {
            let chosen = if *self.values.get(condition)? != 0 { yes } else { no };
            return self.values.get(chosen).copied();
        }
        let value = |at: usize| operands.get(at).map(|id| self.values.get(id).copied());
        let values = [value(0)??, value(1).unwrap_or(Some(0))?];
        let typed = operands.first()?;
        let bits = *self.bits.get(self.types.get(typed)?)?;
        match (op, fold(op, values, bits)) {
            (Op::CompositeExtract, _) => None,
            (_, Folded::Value(value)) => Some(value),
            _ => None,
        }
    }
}

/// A function as a list of blocks.
struct Function<'m> {
    /// Instructions before the first block.
    head: &'m [Instruction<'m>],
    blocks: Vec<Block<'m>>,
    end: Instruction<'m>,
}

struct Block<'m> {
    label: u32,
    /// All instructions except the merge and the terminator.
    body: &'m [Instruction<'m>],
    merge: Option<Instruction<'m>>,
    terminator: Vec<u32>,
    targets: Vec<u32>,
}

impl<'m> Function<'m> {
    fn new(body: &'m [Instruction<'m>], constants: &Constants) -> Option<Self> {
        let first = body.iter().position(|i| i.is(Op::Label)).unwrap_or(body.len() - 1);
        let (head, rest) = body.split_at(first);
        let (end, rest) = rest.split_last()?;
        let mut blocks = Vec::new();
        let mut start = 0;
        for (at, instruction) in rest.iter().enumerate().skip(1) {
            if instruction.is(Op::Label) {
                blocks.push(Block::new(rest.get(start..at)?, constants)?);
                start = at;
            }
        }
        if !rest.is_empty() {
            blocks.push(Block::new(rest.get(start..)?, constants)?);
        }
        Some(Self { head, blocks, end: *end })
    }

    /// Returns the words of the function without unreachable blocks, and adds the removed ids to `removed`. `None` if
    /// the function cannot be pruned.
    fn pruned(&self, removed: &mut Removed) -> Option<Vec<u32>> {
        let by_label: HashMap<u32, &Block<'_>> =
            self.blocks.iter().map(|block| (block.label, block)).collect();
        let mut reached = HashSet::new();
        let mut next: Vec<u32> = self.blocks.first().map(|block| block.label).into_iter().collect();
        while let Some(label) = next.pop() {
            if reached.insert(label) {
                next.extend(&by_label.get(&label)?.targets);
            }
        }
        let live = || self.blocks.iter().filter(|block| reached.contains(&block.label));
        let merges: HashSet<u32> = live().filter_map(|block| block.merge?.word(1)).collect();
        // A loop must declare its continue target even if its body never reaches it.
        let unreached_continue = live()
            .filter_map(|block| block.merge.filter(|merge| merge.is(Op::LoopMerge))?.word(2))
            .any(|label| !reached.contains(&label));
        if unreached_continue {
            return None;
        }
        let mut predecessors: HashMap<u32, HashSet<u32>> = HashMap::new();
        for block in live() {
            for target in &block.targets {
                predecessors.entry(*target).or_default().insert(block.label);
            }
        }
        let mut words: Vec<u32> = self.head.iter().flat_map(|i| i.words).copied().collect();
        for block in &self.blocks {
            if reached.contains(&block.label) {
                block.write(predecessors.get(&block.label), &mut words);
                continue;
            }
            block.body.iter().for_each(|inside| removed.add(*inside));
            if merges.contains(&block.label) {
                // A construct must declare its merge block even if it is unreachable.
                words.extend(instruction(Op::Label, &[block.label]));
                words.extend(instruction(Op::Unreachable, &[]));
            } else {
                removed.ids.insert(block.label);
            }
        }
        words.extend_from_slice(self.end.words);
        Some(words)
    }
}

impl<'m> Block<'m> {
    fn new(instructions: &'m [Instruction<'m>], constants: &Constants) -> Option<Self> {
        let (label, rest) = instructions.split_first()?;
        let (terminator, rest) = rest.split_last()?;
        let is_merge = |i: &&Instruction<'_>| i.is(Op::SelectionMerge) || i.is(Op::LoopMerge);
        let merge = rest.last().filter(is_merge).copied();
        let body = rest.get(..rest.len() - usize::from(merge.is_some()))?;
        let block = |merge, terminator, targets| {
            Some(Self { label: label.word(1)?, body, merge, terminator, targets })
        };
        let unchanged = |targets| block(merge, terminator.words.to_vec(), targets);
        let known = |id: u32| constants.values.get(&id).copied();
        let is_loop = merge.is_some_and(|merge| merge.is(Op::LoopMerge));
        match (Op::from_u32(terminator.op())?, terminator.operands(1)) {
            (Op::Branch, &[target]) => unchanged(vec![target]),
            (Op::BranchConditional, &[condition, yes, no, ..]) => match known(condition) {
                Some(value) if !is_loop => {
                    let target = if value != 0 { yes } else { no };
                    block(None, instruction(Op::Branch, &[target]), vec![target])
                }
                _ => unchanged(vec![yes, no]),
            },
            (Op::Switch, &[selector, default, ref cases @ ..]) => {
                let mut cases =
                    cases.chunks_exact(2).filter_map(|case| Some((case.first()?, case.get(1)?)));
                match known(selector) {
                    // The construct remains, because a `break` in it branches to its merge block.
                    Some(value) => {
                        let case = cases.find(|(literal, _)| u64::from(**literal) == value);
                        let target = case.map_or(default, |(_, target)| *target);
                        block(merge, instruction(Op::Switch, &[selector, target]), vec![target])
                    }
                    None => unchanged(cases.map(|(_, target)| *target).chain([default]).collect()),
                }
            }
            (Op::Return | Op::ReturnValue | Op::Unreachable | Op::Kill, _) => unchanged(Vec::new()),
            _ => None,
        }
    }

    /// Appends the words of the block to `words`. `predecessors` are the remaining blocks that branch to it; phi
    /// operands from other blocks are dropped.
    fn write(&self, predecessors: Option<&HashSet<u32>>, words: &mut Vec<u32>) {
        words.extend(instruction(Op::Label, &[self.label]));
        for inside in self.body {
            let &[_, ty, result, ref pairs @ ..] = inside.words else {
                words.extend_from_slice(inside.words);
                continue;
            };
            if !inside.is(Op::Phi) {
                words.extend_from_slice(inside.words);
                continue;
            }
            let comes = |pair: &&[u32]| {
                pair.get(1).is_some_and(|from| predecessors.is_some_and(|all| all.contains(from)))
            };
            let pairs = pairs.chunks_exact(2).filter(comes).flatten().copied();
            let operands: Vec<u32> = [ty, result].into_iter().chain(pairs).collect();
            words.extend(instruction(Op::Phi, &operands));
        }
        words.extend(self.merge.iter().flat_map(|merge| merge.words));
        words.extend_from_slice(&self.terminator);
    }
}
