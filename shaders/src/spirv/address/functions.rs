//! Rewrites function bodies to use pointers instead of buffer variables.

use std::collections::HashMap;

use rspirv::dr::{Block, Instruction, Operand};
use rspirv::spirv::{MemoryAccess, Op, Word};

use super::layouts::{Place, chain};
use super::{AddressError, Rewrite, unsupported};
use crate::spirv::ids::{id_operands, operand};

/// A pointer into a buffer.
#[derive(Clone, Copy)]
struct Reached {
    place: Place,
    volatile: bool,
}

impl Rewrite {
    pub(super) fn change_functions(&mut self) -> Result<(), AddressError> {
        let mut functions = std::mem::take(&mut self.editor.module.functions);
        for function in &mut functions {
            let mut pointers = HashMap::new();
            for block in &mut function.blocks {
                self.change_bases(block, &mut pointers)?;
            }
            let mut reached = HashMap::new();
            for block in &mut function.blocks {
                self.change_accesses(block, &pointers, &mut reached)?;
            }
            if let Some(first) = function.blocks.first_mut() {
                self.load_addresses(first, &pointers);
            }
        }
        self.editor.module.functions = functions;
        Ok(())
    }

    /// Replaces buffer variables by pointers, and the push-constant variable by the new one. Allocates an id per
    /// pointer: `pointers` maps buffer variables to these ids.
    fn change_bases(
        &mut self,
        block: &mut Block,
        pointers: &mut HashMap<Word, Word>,
    ) -> Result<(), AddressError> {
        for instruction in &mut block.instructions {
            let op = instruction.class.opcode;
            let is_chain = matches!(op, Op::AccessChain | Op::InBoundsAccessChain);
            for (at, operand) in instruction.operands.iter_mut().enumerate() {
                let Some(id) = operand.id_ref_any_mut() else { continue };
                let is_push = Some(*id) == self.push;
                if !is_push && !self.buffers.contains_key(id) {
                    continue;
                }
                if !(is_chain && at == 0) {
                    let problem = format!("it passes a buffer or the push constants to Op{op:?}");
                    return Err(unsupported(problem));
                }
                *id = match is_push {
                    true => self.new_push,
                    false => *pointers.entry(*id).or_insert_with(|| self.editor.fresh()),
                };
            }
        }
        Ok(())
    }

    /// Adds the alignment, and the volatile flag if required, to loads and stores by address. `reached` contains the
    /// pointers into buffers that were found so far in the function.
    fn change_accesses(
        &self,
        block: &mut Block,
        pointers: &HashMap<Word, Word>,
        reached: &mut HashMap<Word, Reached>,
    ) -> Result<(), AddressError> {
        let whole_buffer = |base: Word| {
            let (id, _) = pointers.iter().find(|(_, pointer)| **pointer == base)?;
            let buffer = self.buffers.get(id)?;
            Some(Reached { place: Place::buffer(buffer.block), volatile: buffer.volatile })
        };
        for instruction in &mut block.instructions {
            let Some(base) = operand(instruction, 0) else { continue };
            let op = instruction.class.opcode;
            match (op, instruction.result_id, instruction.result_type) {
                (Op::AccessChain | Op::InBoundsAccessChain, Some(id), Some(pointer_type)) => {
                    let Some(&largest) = self.types.pointers.get(&pointer_type) else { continue };
                    let base = reached.get(&base).copied().or_else(|| whole_buffer(base));
                    let indices: Vec<Word> = id_operands(instruction).skip(1).collect();
                    let pointer = base.and_then(|base| {
                        let mut place = chain(&self.editor.ids, base.place, &indices)?;
                        place.alignment = place.alignment.min(largest);
                        Some(Reached { place, ..base })
                    });
                    let pointer =
                        pointer.ok_or_else(|| unsupported("it has an access without a layout"))?;
                    reached.insert(id, pointer);
                }
                (Op::Load | Op::Store, ..) => {
                    let at = if op == Op::Load { 1 } else { 2 };
                    if let Some(pointer) = reached.get(&base) {
                        access(instruction, at, *pointer);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Loads the addresses that a function uses, at its start.
    fn load_addresses(&mut self, block: &mut Block, pointers: &HashMap<Word, Word>) {
        let mut used: Vec<_> = pointers.iter().collect();
        // The order is fixed, so that the output is reproducible.
        used.sort_unstable();
        let mut loads = Vec::new();
        for (variable, pointer) in used {
            let Some(&buffer) = self.buffers.get(variable) else { continue };
            let member = self.types.members.get(buffer.place as usize).copied().unwrap_or(0);
            let (at, pair) = (self.editor.fresh(), self.editor.fresh());
            let new = |op, result_type, id, operands: &[Word]| {
                let operands = operands.iter().map(|&o| Operand::IdRef(o)).collect();
                Instruction::new(op, Some(result_type), Some(id), operands)
            };
            let place = self.types.pointer_to_pair;
            loads.push(new(Op::AccessChain, place, at, &[self.new_push, member]));
            loads.push(new(Op::Load, self.types.pair, pair, &[at]));
            loads.push(new(Op::Bitcast, buffer.pointer_type, *pointer, &[pair]));
        }
        // SPIR-V requires that the variables of a function come first.
        let is_variable = |i: &Instruction| i.class.opcode == Op::Variable;
        let after = block.instructions.iter().rposition(is_variable).map_or(0, |at| at + 1);
        block.instructions.splice(after..after, loads);
    }
}

/// Adds the memory operands that an access by address needs. The memory operands of the instruction begin at index
/// `at`.
fn access(instruction: &mut Instruction, at: usize, pointer: Reached) {
    let had = match instruction.operands.get(at) {
        Some(Operand::MemoryAccess(had)) => *had,
        _ => MemoryAccess::NONE,
    };
    if had.contains(MemoryAccess::ALIGNED) {
        return;
    }
    let mut mask = had | MemoryAccess::ALIGNED;
    if pointer.volatile {
        mask |= MemoryAccess::VOLATILE;
    }
    let mut new = vec![Operand::MemoryAccess(mask), Operand::LiteralBit32(pointer.place.alignment)];
    // Operands follow in the order of the mask bits, and alignment is the lowest bit with an operand.
    new.extend(instruction.operands.get(at + 1..).unwrap_or_default().iter().cloned());
    instruction.operands.truncate(at);
    instruction.operands.extend(new);
}
