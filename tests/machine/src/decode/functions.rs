//! Functions of a module: register assignment, blocks, and branch targets.

use std::collections::{HashMap, HashSet};

use rspirv::dr::{Block as SpirvBlock, Function, Instruction, Module, Operand};
use rspirv::spirv::{Op, Word};

use super::{Decoder, Pointer};
use crate::code::{Address, Block, Code, Edge, Origin, Reg, Space};
use crate::error::MachineError;
use crate::types::{Qualifiers, Type};

/// Entry block and registers of a function, for its callers.
pub(super) struct Signature {
    pub block: u32,
    pub parameters: Vec<Reg>,
    pub result: Reg,
}

/// Phi inputs of each block: predecessor, destination register, value, number of scalars.
pub(super) type Phis = HashMap<Word, Vec<(Word, Reg, Word, u32)>>;

impl Decoder<'_> {
    pub(super) fn functions(&mut self, module: &Module) -> Result<(), MachineError> {
        for (index, function) in (0..).zip(&module.functions) {
            self.declare_function(function, index)?;
        }
        for (index, function) in (0..).zip(&module.functions) {
            self.function = index;
            self.assign_registers(function);
            let phis = self.phis(function)?;
            for block in &function.blocks {
                self.emit_block(block, &phis)?;
            }
        }
        Ok(())
    }

    fn declare_function(&mut self, function: &Function, index: u32) -> Result<(), MachineError> {
        let id = function.def_id().unwrap_or(0);
        let name = self.names.get(&id).cloned().unwrap_or_else(|| format!("function {id}"));
        self.function_names.push(name);
        let first = self.blocks.len() as u32;
        for block in &function.blocks {
            let label = block.label_id().unwrap_or(0);
            self.block_of.insert(label, self.blocks.len() as u32);
            self.blocks.push(Block { pc: 0, function: index, joins: false });
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

    /// Assigns a register to a value. The value of a pointer is an address.
    pub(super) fn bind_value(&mut self, id: Word, of: Word, at: Reg) -> Result<(), MachineError> {
        self.registers.insert(id, at);
        if let Some(Type::Pointer { class, .. }) = self.types.get(of) {
            let space = self.space_of(*class)?;
            let at = Address { base: 0, reg: Some(at) };
            self.pointers.insert(id, Pointer { space, at, how: Qualifiers::default() });
        }
        Ok(())
    }

    /// Assigns registers to the values of a function. Values that are used only in their own block
    /// share registers with those of other blocks, since a lane is in one block at a time.
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

    fn phis(&mut self, function: &Function) -> Result<Phis, MachineError> {
        let mut phis = Phis::new();
        for block in &function.blocks {
            let label = block.label_id().unwrap_or(0);
            for phi in block.instructions.iter().filter(|i| i.class.opcode == Op::Phi) {
                let (Some(id), Some(of)) = (phi.result_id, phi.result_type) else { continue };
                let register = self.registers.get(&id).copied().unwrap_or(0);
                self.bind_value(id, of, register)?;
                let slots = self.types.slots(of);
                for pair in phi.operands.chunks_exact(2) {
                    if let [Operand::IdRef(value), Operand::IdRef(from)] = pair {
                        phis.entry(label).or_default().push((*from, register, *value, slots));
                    }
                }
            }
        }
        Ok(phis)
    }

    fn emit_block(&mut self, block: &SpirvBlock, phis: &Phis) -> Result<(), MachineError> {
        let label = block.label_id().unwrap_or(0);
        self.block = self.block_of.get(&label).copied().unwrap_or(0);
        let pc = self.code.len() as u32;
        if let Some(own) = self.blocks.get_mut(self.block as usize) {
            own.pc = pc;
        }
        for instruction in &block.instructions {
            self.opcode = instruction.class.opcode;
            match self.opcode {
                Op::Line => {
                    if let Some(Operand::LiteralBit32(line)) = instruction.operands.get(1) {
                        self.line = *line;
                    }
                }
                Op::NoLine => self.line = 0,
                Op::Phi | Op::Nop => {}
                _ => {
                    if !self.terminate(instruction, label, phis)? {
                        self.instruction(instruction)?;
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn emit(&mut self, code: Code) {
        self.code.push(code);
        self.origins.push(Origin {
            function: self.function,
            block: self.block,
            opcode: self.opcode,
            line: self.line,
        });
    }

    fn block_at(&mut self, operand: Option<&Operand>, joins: bool) -> Result<u32, MachineError> {
        let id = operand.and_then(Operand::id_ref_any).unwrap_or(0);
        let Some(&block) = self.block_of.get(&id) else {
            return Err(self.malformed(format!("no block {id}")));
        };
        if let Some(block) = self.blocks.get_mut(block as usize) {
            block.joins |= joins;
        }
        Ok(block)
    }

    fn edge(
        &mut self,
        operand: Option<&Operand>,
        from: Word,
        phis: &Phis,
    ) -> Result<Edge, MachineError> {
        let block = self.block_at(operand, false)?;
        let to = operand.and_then(Operand::id_ref_any).unwrap_or(0);
        let mut copies = Vec::new();
        for (pred, register, value, slots) in phis.get(&to).into_iter().flatten() {
            if *pred == from {
                copies.push((*register, self.value(*value)?, *slots));
            }
        }
        Ok(Edge { block, copies: copies.into() })
    }

    /// Decodes control flow. Returns whether the instruction was control flow.
    fn terminate(
        &mut self,
        instruction: &Instruction,
        label: Word,
        phis: &Phis,
    ) -> Result<bool, MachineError> {
        let operands = &instruction.operands;
        let code = match instruction.class.opcode {
            Op::SelectionMerge => Code::Selection { merge: self.block_at(operands.first(), true)? },
            Op::LoopMerge => {
                if let Some(own) = self.blocks.get_mut(self.block as usize) {
                    own.joins = true;
                }
                let merge = self.block_at(operands.first(), true)?;
                Code::Loop { merge, next: self.block_at(operands.get(1), true)? }
            }
            Op::Branch => Code::Jump(self.edge(operands.first(), label, phis)?),
            Op::BranchConditional => {
                let condition = self.operand(instruction, 0)?;
                let yes = self.edge(operands.get(1), label, phis)?;
                Code::Branch { condition, yes, no: self.edge(operands.get(2), label, phis)? }
            }
            Op::Switch => {
                let selector = self.operand(instruction, 0)?;
                let other = self.edge(operands.get(1), label, phis)?;
                let mut cases = Vec::new();
                for pair in operands.get(2..).unwrap_or_default().chunks_exact(2) {
                    let value = match pair.first() {
                        Some(Operand::LiteralBit32(value)) => u64::from(*value),
                        Some(Operand::LiteralBit64(value)) => *value,
                        _ => return Err(self.malformed("a case without a value")),
                    };
                    cases.push((value, self.edge(pair.get(1), label, phis)?));
                }
                Code::Switch { selector, cases: cases.into(), other }
            }
            Op::Return => Code::Return,
            Op::ReturnValue => {
                let value = self.operand(instruction, 0)?;
                let id = instruction.operands.first().and_then(Operand::id_ref_any).unwrap_or(0);
                let slots = self.value_types.get(&id).map_or(0, |of| self.types.slots(*of));
                let function = self.function_of.values().find(|s| {
                    self.blocks.get(s.block as usize).is_some_and(|b| b.function == self.function)
                });
                let dst = function.map_or(0, |s| s.result);
                self.emit(Code::Copy { dst, src: value, n: slots });
                Code::Return
            }
            Op::Unreachable => Code::Unreachable,
            _ => return Ok(false),
        };
        self.emit(code);
        Ok(true)
    }

    pub(super) fn call(&mut self, instruction: &Instruction) -> Result<(), MachineError> {
        let id = instruction.operands.first().and_then(Operand::id_ref_any).unwrap_or(0);
        let Some(signature) = self.function_of.get(&id) else {
            return Err(self.malformed("a call of no function"));
        };
        let (block, result) = (signature.block, signature.result);
        let parameters = signature.parameters.clone();
        for (at, parameter) in (1..).zip(parameters) {
            let src = self.operand(instruction, at)?;
            let argument = instruction.operands.get(at).and_then(Operand::id_ref_any).unwrap_or(0);
            if let Some(pointer) = self.pointers.get(&argument)
                && pointer.space != Space::Private
            {
                return Err(self.unknown("a pointer into memory as an argument"));
            }
            let n = self.value_types.get(&argument).map_or(0, |of| self.types.slots(*of));
            self.emit(Code::Copy { dst: parameter, src, n });
        }
        self.emit(Code::Call { block });
        if let (Some(id), Some(of)) = (instruction.result_id, instruction.result_type) {
            let (dst, n) = (self.register(id)?, self.types.slots(of));
            if n > 0 {
                self.emit(Code::Copy { dst, src: result, n });
            }
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
                // A phi reads its value at the end of the predecessor block.
                let user = if phi { ids.get(at + 1).copied().unwrap_or(0) } else { label };
                if block_of.get(id).is_some_and(|own| *own != user) {
                    found.insert(*id);
                }
            }
        }
    }
    found
}

/// Replaces branches on known conditions by jumps. If the branch skips its selection, the selection
/// is removed too. Otherwise the selection is kept, since lanes that diverge in it reconverge at
/// its end.
pub(super) fn shorten(code: &mut [Code], blocks: &[Block], ways: &[Option<bool>]) {
    for at in 0..code.len() {
        let (Some(Some(taken)), Some(Code::Branch { yes, no, .. })) = (ways.get(at), code.get(at))
        else {
            continue;
        };
        let edge = if *taken { yes.clone() } else { no.clone() };
        let begins = at > 0 && blocks.iter().all(|block| block.pc as usize != at);
        if begins
            && let Some(Code::Selection { merge }) = code.get(at - 1)
            && *merge == edge.block
        {
            code[at - 1] = Code::Jump(edge.clone());
        }
        code[at] = Code::Jump(edge);
    }
}
