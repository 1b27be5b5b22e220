//! Describes the location of a mutation by its GLSL expression and variable names.

use std::collections::HashMap;

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Op, Word};

/// Maximum nesting depth to which expressions are written out.
pub(super) const DEPTH: u32 = 5;

/// Names and definitions of a module.
pub(super) struct Names {
    names: HashMap<Word, String>,
    members: HashMap<(Word, u32), String>,
    definitions: HashMap<Word, Instruction>,
}

impl Names {
    pub fn new(module: &Module) -> Self {
        let (mut names, mut members) = (HashMap::new(), HashMap::new());
        for name in &module.debug_names {
            match name.operands.as_slice() {
                [Operand::IdRef(id), Operand::LiteralString(text)] => {
                    names.insert(*id, text.clone());
                }
                [
                    Operand::IdRef(id),
                    Operand::LiteralBit32(member),
                    Operand::LiteralString(text),
                ] => {
                    members.insert((*id, *member), text.clone());
                }
                _ => {}
            }
        }
        let with_result = module.all_inst_iter().filter_map(|i| Some((i.result_id?, i.clone())));
        Self { names, members, definitions: with_result.collect() }
    }

    /// The name in the GLSL source; for a function, without its parameters.
    pub fn name(&self, id: Word) -> &str {
        let name = self.names.get(&id).map_or("", String::as_str);
        name.split('(').next().unwrap_or(name)
    }

    fn value(&self, id: Word, depth: u32) -> String {
        match self.definitions.get(&id) {
            Some(definition) if depth > 0 => self.spell(definition, depth - 1),
            _ if self.names.contains_key(&id) => self.name(id).to_owned(),
            _ => "_".to_owned(),
        }
    }

    fn operands(&self, instruction: &Instruction, first: usize, depth: u32) -> Vec<String> {
        let ids = instruction.operands.iter().skip(first).filter_map(Operand::id_ref_any);
        ids.map(|id| self.value(id, depth)).collect()
    }

    /// The expression that an instruction computes.
    pub fn spell(&self, instruction: &Instruction, depth: u32) -> String {
        let own_name = instruction.result_id.map_or("", |id| self.name(id));
        let first = |at: usize| instruction.operands.get(at).and_then(Operand::id_ref_any);
        match instruction.class.opcode {
            Op::Variable | Op::FunctionParameter => own_name.to_owned(),
            Op::Constant | Op::SpecConstant => match instruction.operands.first() {
                _ if !own_name.is_empty() => own_name.to_owned(),
                Some(Operand::LiteralBit32(value)) => value.to_string(),
                Some(Operand::LiteralBit64(value)) => value.to_string(),
                _ => "_".to_owned(),
            },
            Op::SpecConstantOp => match instruction.operands.first() {
                _ if !own_name.is_empty() => own_name.to_owned(),
                Some(Operand::LiteralSpecConstantOpInteger(op)) => {
                    joined(*op, &self.operands(instruction, 1, depth))
                }
                _ => "_".to_owned(),
            },
            Op::Load => first(0).map(|id| self.value(id, depth)).unwrap_or_default(),
            Op::AccessChain => self.chain(instruction, depth),
            Op::FunctionCall => format!("{}()", first(0).map_or("", |id| self.name(id))),
            Op::CompositeExtract => {
                let part = instruction.operands.last();
                let part = if let Some(Operand::LiteralBit32(k)) = part { *k } else { 0 };
                format!("{}.{part}", first(0).map(|id| self.value(id, depth)).unwrap_or_default())
            }
            op => joined(op, &self.operands(instruction, 0, depth)),
        }
    }

    fn chain(&self, instruction: &Instruction, depth: u32) -> String {
        let ids: Vec<Word> = instruction.operands.iter().filter_map(Operand::id_ref_any).collect();
        let Some((&base, indices)) = ids.split_first() else { return String::new() };
        let mut text = self.value(base, depth);
        let mut of = self.definitions.get(&base).and_then(|d| d.result_type);
        of = of.and_then(|id| self.part(id, 1));
        for &index in indices {
            let Some(whole) = of else { return text };
            let literal = match self.definitions.get(&index).map(|d| d.operands.as_slice()) {
                Some([Operand::LiteralBit32(k)]) => *k,
                _ => 0,
            };
            let is_struct =
                self.definitions.get(&whole).is_some_and(|d| d.class.opcode == Op::TypeStruct);
            if is_struct {
                let member = self.members.get(&(whole, literal));
                text = format!("{text}.{}", member.map_or("", String::as_str));
                of = self.part(whole, literal as usize);
            } else {
                text = format!("{text}[{}]", self.value(index, depth));
                of = self.part(whole, 0);
            }
        }
        text
    }

    /// The type that is operand `at` of another type.
    fn part(&self, id: Word, at: usize) -> Option<Word> {
        self.definitions.get(&id)?.operands.get(at).and_then(Operand::id_ref_any)
    }
}

fn joined(op: Op, operands: &[String]) -> String {
    let sign = match op {
        Op::IAdd | Op::FAdd => "+",
        Op::ISub | Op::FSub => "-",
        Op::IMul | Op::FMul => "*",
        Op::UDiv | Op::SDiv | Op::FDiv => "/",
        Op::UMod => "%",
        Op::BitwiseAnd => "&",
        Op::BitwiseOr => "|",
        Op::BitwiseXor => "^",
        Op::ShiftLeftLogical => "<<",
        Op::ShiftRightLogical => ">>",
        Op::ULessThan | Op::SLessThan | Op::FOrdLessThan => "<",
        Op::ULessThanEqual | Op::SLessThanEqual | Op::FOrdLessThanEqual => "<=",
        Op::UGreaterThan | Op::SGreaterThan | Op::FOrdGreaterThan => ">",
        Op::UGreaterThanEqual | Op::SGreaterThanEqual | Op::FOrdGreaterThanEqual => ">=",
        _ => return format!("{op:?}({})", operands.join(", ")),
    };
    format!("({})", operands.join(&format!(" {sign} ")))
}
