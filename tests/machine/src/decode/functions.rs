//! Functions of a module: register assignment, blocks, and branch targets.

use std::collections::{HashMap, HashSet};

use rspirv::dr::{Block as SpirvBlock, Function, Instruction, Module, Operand};
use rspirv::spirv::{Op, Word};

use super::{Decoder, Pointer, Signature, id_at, number_at};
use crate::code::{Address, Block, Code, Edge, Reg, Space};
use crate::error::Result;
use crate::types::{Qualifiers, Type};

impl Decoder<'_> {
    pub(super) fn functions(&mut self, module: &Module) -> Result<()> {
        for (index, function) in (0..).zip(&module.functions) {
            self.declare_function(function, index)?;
        }
        for (index, function) in (0..).zip(&module.functions) {
            self.origin.function = index;
            self.assign_registers(function);
            self.declare_phis(function)?;
            for block in &function.blocks {
                self.emit_block(block)?;
            }
        }
        Ok(())
    }

    fn declare_function(&mut self, function: &Function, index: u32) -> Result<()> {
        let id = function.def_id().unwrap_or(0);
        let name = self.names.get(&id).cloned().unwrap_or_else(|| format!("function {id}"));
        self.program.functions.push(name);
        let first = self.program.blocks.len() as u32;
        for block in &function.blocks {
            let label = block.label_id().unwrap_or(0);
            self.block_of.insert(label, self.program.blocks.len() as u32);
            self.program.blocks.push(Block { pc: 0, function: index, joins: false });
        }
        let mut parameters = Vec::new();
        for parameter in &function.parameters {
            let (Some(id), Some(of)) = (parameter.result_id, parameter.result_type) else {
                return Err(self.malformed("a parameter without a type"));
            };
            let register = self.allocate(self.types.slots(of));
            self.value_types.insert(id, of);
            self.bind_value(id, of, register)?;
            parameters.push(register);
        }
        let returned = function.def.as_ref().and_then(|def| def.result_type).unwrap_or(0);
        let result = self.allocate(self.types.slots(returned));
        self.function_of.insert(id, Signature { block: first, parameters, result });
        Ok(())
    }

    /// Assigns a register to a value. For a pointer, the register holds the address.
    pub(super) fn bind_value(&mut self, id: Word, of: Word, at: Reg) -> Result<()> {
        self.registers.insert(id, at);
        if let Some(Type::Pointer { class, .. }) = self.types.get(of) {
            let space = self.space_of(*class)?;
            let at = Address { base: 0, reg: Some(at) };
            self.pointers.insert(id, Pointer { space, at, how: Qualifiers::default() });
        }
        Ok(())
    }

    /// Assigns registers to the values of a function. Values that are used only within their block
    /// share registers across blocks, since a lane is in one block at a time.
    fn assign_registers(&mut self, function: &Function) {
        let shared = used_elsewhere(function);
        let mut size = 0;
        let mut places = Vec::new();
        for block in &function.blocks {
            let mut next = 0;
            for instruction in &block.instructions {
                let (Some(id), Some(of)) = (instruction.result_id, instruction.result_type) else {
                    continue;
                };
                self.value_types.insert(id, of);
                let slots = match (instruction.class.opcode, self.types.pointee(of)) {
                    (Op::Variable, Some((_, pointee))) => self.types.slots(pointee),
                    _ => self.types.slots(of),
                };
                let phi_or_variable = matches!(instruction.class.opcode, Op::Phi | Op::Variable);
                if shared.contains(&id) || phi_or_variable {
                    let register = self.allocate(slots);
                    self.registers.insert(id, register);
                } else {
                    places.push((id, next));
                    next += slots;
                }
            }
            size = size.max(next);
        }
        let scratch = self.allocate(size);
        self.scratch.push(scratch..scratch + size);
        self.registers.extend(places.into_iter().map(|(id, at)| (id, scratch + at)));
    }

    fn declare_phis(&mut self, function: &Function) -> Result<()> {
        for block in &function.blocks {
            let label = block.label_id().unwrap_or(0);
            for phi in block.instructions.iter().filter(|i| i.class.opcode == Op::Phi) {
                let (Some(id), Some(of)) = (phi.result_id, phi.result_type) else { continue };
                let register = self.registers.get(&id).copied().unwrap_or(0);
                self.bind_value(id, of, register)?;
                let slots = self.types.slots(of);
                for pair in phi.operands.chunks_exact(2) {
                    if let [Operand::IdRef(value), Operand::IdRef(from)] = pair {
                        let input = (register, *value, slots);
                        self.phis.entry((*from, label)).or_default().push(input);
                    }
                }
            }
        }
        Ok(())
    }

    fn emit_block(&mut self, block: &SpirvBlock) -> Result<()> {
        self.label = block.label_id().unwrap_or(0);
        self.origin.block = self.block_of.get(&self.label).copied().unwrap_or(0);
        self.program.blocks[self.origin.block as usize].pc = self.program.code.len() as u32;
        for instruction in &block.instructions {
            self.origin.opcode = instruction.class.opcode;
            match instruction.class.opcode {
                Op::Line => self.origin.line = number_at(instruction, 1) as u32,
                Op::NoLine => self.origin.line = 0,
                Op::Phi | Op::Nop => {}
                _ => {
                    if !self.terminate(instruction)? {
                        self.instruction(instruction)?;
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn emit(&mut self, code: Code) {
        self.program.code.push(code);
        self.program.origins.push(self.origin);
    }

    /// The block whose id is this operand. Marks the block as one at which lanes join.
    fn join_at(&mut self, i: &Instruction, at: usize) -> Result<u32> {
        let block = self.block(id_at(i, at))?;
        self.program.blocks[block as usize].joins = true;
        Ok(block)
    }

    fn block(&self, id: Word) -> Result<u32> {
        let block = self.block_of.get(&id).copied();
        block.ok_or_else(|| self.malformed(format!("undefined block {id}")))
    }

    /// The edge from this block to the block whose id is this operand.
    fn edge(&mut self, i: &Instruction, at: usize) -> Result<Edge> {
        let to = id_at(i, at);
        let block = self.block(to)?;
        let phis = self.phis.get(&(self.label, to)).cloned().unwrap_or_default();
        let copies = phis
            .into_iter()
            .map(|(register, value, slots)| Ok((register, self.value(value)?, slots)));
        Ok(Edge { block, copies: copies.collect::<Result<_>>()? })
    }

    /// Decodes a control-flow instruction. Returns whether `i` is one.
    fn terminate(&mut self, i: &Instruction) -> Result<bool> {
        let code = match i.class.opcode {
            Op::SelectionMerge => Code::Selection { merge: self.join_at(i, 0)? },
            Op::LoopMerge => {
                self.program.blocks[self.origin.block as usize].joins = true;
                Code::Loop { merge: self.join_at(i, 0)?, next: self.join_at(i, 1)? }
            }
            Op::Branch => Code::Jump(self.edge(i, 0)?),
            Op::BranchConditional => {
                let condition = self.operand(i, 0)?;
                Code::Branch { condition, yes: self.edge(i, 1)?, no: self.edge(i, 2)? }
            }
            Op::Switch => {
                let selector = self.operand(i, 0)?;
                let other = self.edge(i, 1)?;
                let mut cases = Vec::new();
                for at in (2..i.operands.len()).step_by(2) {
                    if !matches!(
                        i.operands[at],
                        Operand::LiteralBit32(_) | Operand::LiteralBit64(_)
                    ) {
                        return Err(self.malformed("a switch case that is not a number"));
                    }
                    cases.push((number_at(i, at), self.edge(i, at + 1)?));
                }
                Code::Switch { selector, cases: cases.into(), other }
            }
            Op::Return => Code::Return,
            Op::ReturnValue => {
                let (src, n) = (self.operand(i, 0)?, self.operand_slots(i, 0));
                let is_own = |s: &&Signature| {
                    self.program.blocks[s.block as usize].function == self.origin.function
                };
                let dst = self.function_of.values().find(is_own).map_or(0, |s| s.result);
                self.emit(Code::Copy { dst, src, n });
                Code::Return
            }
            Op::Unreachable => Code::Unreachable,
            _ => return Ok(false),
        };
        self.emit(code);
        Ok(true)
    }

    pub(super) fn call(&mut self, i: &Instruction) -> Result<()> {
        let Some(signature) = self.function_of.get(&id_at(i, 0)) else {
            return Err(self.malformed("a call of an undefined function"));
        };
        let Signature { block, parameters, result } = signature.clone();
        for (at, dst) in (1..).zip(parameters) {
            let src = self.operand(i, at)?;
            let pointer = self.pointers.get(&id_at(i, at));
            if pointer.is_some_and(|pointer| pointer.space != Space::Private) {
                return Err(self.unknown("a pointer into memory as a function argument"));
            }
            let n = self.operand_slots(i, at);
            self.emit(Code::Copy { dst, src, n });
        }
        self.emit(Code::Call { block });
        let (dst, _, n) = self.result(i)?;
        if n > 0 {
            self.emit(Code::Copy { dst, src: result, n });
        }
        Ok(())
    }
}

/// Values that are used outside the block that defines them.
fn used_elsewhere(function: &Function) -> HashSet<Word> {
    let mut block_of = HashMap::new();
    for block in &function.blocks {
        let label = block.label_id().unwrap_or(0);
        block_of.extend(block.instructions.iter().filter_map(|i| Some((i.result_id?, label))));
    }
    let mut found = HashSet::new();
    for block in &function.blocks {
        let label = block.label_id().unwrap_or(0);
        for instruction in &block.instructions {
            let phi = instruction.class.opcode == Op::Phi;
            let ids: Vec<Word> =
                instruction.operands.iter().filter_map(Operand::id_ref_any).collect();
            for (at, id) in ids.iter().enumerate() {
                // A phi uses its operand at the end of the predecessor block.
                let user = if phi { ids.get(at + 1).copied().unwrap_or(0) } else { label };
                if block_of.get(id).is_some_and(|own| *own != user) {
                    found.insert(*id);
                }
            }
        }
    }
    found
}
