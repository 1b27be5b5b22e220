//! Prepares modules for drivers that take too long to compile kernels in their original form.
//!
//! A driver is expected to apply specialization constants before it optimises a module. SwiftShader applies
//! them after inlining and scalar replacement: arrays whose length is a specialization constant stay in
//! memory, and every branch on such a constant is translated. If the constants are replaced by plain
//! constants, SwiftShader unrolls all loops that have an unroll hint, and the time of its passes grows
//! exponentially with the trip counts of nested loops. In both cases, some kernels took minutes and gigabytes
//! to compile. With plain constants and without unroll hints, each kernel takes seconds at most.
//!
//! This code works directly on the words of the module, like [`prune`](crate::prune).

use std::collections::{HashMap, HashSet};

use rspirv::spirv::{Decoration, LoopControl, Op};

use super::prune::Constants;
use super::words::{Instruction, header, instruction, instructions};

/// Removes the unroll hints from `spirv`. Returns the words unchanged if they are not a module.
pub fn rolled(spirv: &[u32]) -> Vec<u32> {
    let Some(instructions) = instructions(spirv) else { return spirv.to_vec() };
    let mut words = spirv.to_vec();
    let mut at = spirv.len() - instructions.iter().map(|i| i.words.len()).sum::<usize>();
    for instruction in instructions {
        // The loop control follows the merge block and the continue target.
        if let (true, Some(control)) = (instruction.is(Op::LoopMerge), words.get_mut(at + 3)) {
            *control &= !LoopControl::UNROLL.bits();
        }
        at += instruction.words.len();
    }
    words
}

/// Replaces the specialization constants of `spirv` by their values: `value_of` maps a `constant_id` to its
/// value, or to `None` for the default. Returns the words unchanged if they are not a module.
pub fn frozen(spirv: &[u32], value_of: impl Fn(u32) -> Option<u32>) -> Vec<u32> {
    freeze(spirv, &value_of).unwrap_or_else(|| spirv.to_vec())
}

fn freeze(spirv: &[u32], value_of: &dyn Fn(u32) -> Option<u32>) -> Option<Vec<u32>> {
    let instructions = instructions(spirv)?;
    let first_function = instructions.iter().position(|i| i.is(Op::Function))?;
    let (globals, functions) = instructions.split_at(first_function);
    let mut frozen =
        Frozen { constants: Constants::evaluate(globals, value_of), ..Frozen::default() };
    globals.iter().for_each(|global| frozen.add(*global));
    let mut words = header(spirv)?.to_vec();
    for global in globals {
        let described = global.word(1).filter(|_| is_spec_id(*global));
        if described.is_some_and(|id| !frozen.open.contains(&id)) {
            continue;
        }
        match global
            .word(2)
            .and_then(|id| frozen.plain.get(&id))
            .filter(|_| is_specialized(*global))
        {
            Some(plain) => words.extend_from_slice(plain),
            None => words.extend_from_slice(global.words),
        }
    }
    words.extend(functions.iter().flat_map(|i| i.words).copied());
    Some(words)
}

/// Replacements for the specialization constants of a module.
#[derive(Default)]
struct Frozen {
    constants: Constants,
    /// The constituents of each composite.
    composites: HashMap<u32, Vec<u32>>,
    /// The declaration that replaces each constant.
    plain: HashMap<u32, Vec<u32>>,
    /// Specialization constants that keep their declaration because their value is not known, such as floats.
    open: HashSet<u32>,
}

/// Whether the instruction declares a specialization constant.
fn is_specialized(global: Instruction<'_>) -> bool {
    let ops =
        [Op::SpecConstantTrue, Op::SpecConstantFalse, Op::SpecConstant, Op::SpecConstantComposite];
    ops.into_iter().chain([Op::SpecConstantOp]).any(|op| global.is(op))
}

/// Whether the instruction assigns a `constant_id`.
fn is_spec_id(global: Instruction<'_>) -> bool {
    global.is(Op::Decorate) && global.word(2) == Some(Decoration::SpecId as u32)
}

impl Frozen {
    /// Adds the replacement of a declaration, if it is a specialization constant.
    fn add(&mut self, global: Instruction<'_>) {
        let &[ty, id, ref operands @ ..] = global.operands(1) else { return };
        if global.is(Op::ConstantComposite) || global.is(Op::SpecConstantComposite) {
            self.composites.insert(id, operands.to_vec());
        }
        if !is_specialized(global) {
            return;
        }
        match self.plain_words(global, (ty, id), operands) {
            Some(words) => {
                self.plain.insert(id, words);
            }
            None => {
                self.open.insert(id);
            }
        }
    }

    /// The words of the declaration that replaces a specialization constant; `None` if its value is not known.
    fn plain_words(
        &mut self,
        global: Instruction<'_>,
        (ty, id): (u32, u32),
        operands: &[u32],
    ) -> Option<Vec<u32>> {
        if global.is(Op::SpecConstantComposite) {
            let closed = operands.iter().all(|id| !self.open.contains(id));
            return closed.then(|| instruction(Op::ConstantComposite, global.operands(1)));
        }
        if global.is(Op::SpecConstantOp) && !self.constants.values.contains_key(&id) {
            let value = match *operands {
                [op, composite, index] if op == Op::CompositeExtract as u32 => {
                    let part = self.composites.get(&composite)?.get(index as usize)?;
                    *self.constants.values.get(part)?
                }
                // `Constants::evaluate` cannot evaluate operands that were extracted from composites, but their values
                // are known by now.
                [op, ref operands @ ..] => self.constants.operation(op, operands)?,
                [] => return None,
            };
            self.constants.insert((ty, id), value)?;
        }
        let value = *self.constants.values.get(&id)?;
        match *self.constants.bits.get(&ty)? {
            1 if value != 0 => Some(instruction(Op::ConstantTrue, &[ty, id])),
            1 => Some(instruction(Op::ConstantFalse, &[ty, id])),
            32 => Some(instruction(Op::Constant, &[ty, id, value as u32])),
            64 => Some(instruction(Op::Constant, &[ty, id, value as u32, (value >> 32) as u32])),
            _ => None,
        }
    }
}
