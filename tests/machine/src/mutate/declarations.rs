//! Mutations of declarations: subgroup size, buffer qualifiers, initial values.

use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Operand, load_words};
use rspirv::spirv::{BuiltIn, Decoration, Op, Word};

use super::describe::Names;
use super::{Mutant, MutantKind, Original};

/// The module with its variable `variable` initialized to zero; `None` if it has no such variable.
pub fn initialized(spirv: &[u32], variable: &str) -> Option<Vec<u32>> {
    let mut module = load_words(spirv).ok()?;
    let names = Names::new(&module);
    let mut next = module.header.as_ref()?.bound;
    let zero = next;
    next += 1;
    let globals = &mut module.types_global_values;
    let at = globals.iter().position(|global| {
        global.class.opcode == Op::Variable
            && global.result_id.is_some_and(|id| names.name(id) == variable)
    })?;
    let pointer = globals[at].result_type;
    let pointee = globals.iter().find(|global| global.result_id == pointer)?;
    let pointee = pointee.operands.get(1).and_then(Operand::id_ref_any);
    globals[at].operands.push(Operand::IdRef(zero));
    globals.insert(at, Instruction::new(Op::ConstantNull, pointee, Some(zero), Vec::new()));
    module.header.as_mut()?.bound = next;
    Some(module.assemble())
}

impl Original {
    pub(super) fn fix_subgroup_size(&self, all: &mut Vec<Mutant>) {
        let decorated = |what: Decoration, value: u32| {
            let found = self.module.annotations.iter().filter(move |a| {
                a.operands.get(1) == Some(&Operand::Decoration(what))
                    && match a.operands.get(2) {
                        Some(Operand::BuiltIn(b)) => *b as u32 == value,
                        _ => false,
                    }
            });
            found.filter_map(|a| a.operands.first().and_then(Operand::id_ref_any))
        };
        for variable in decorated(Decoration::BuiltIn, BuiltIn::SubgroupSize as u32) {
            let mut module = self.module.clone();
            let mut next = module.header.as_ref().map_or(0, |header| header.bound);
            let constant = next;
            next += 1;
            let mut of = 0;
            for instruction in module.all_inst_iter_mut() {
                let loads = instruction.class.opcode == Op::Load
                    && instruction.operands.first() == Some(&Operand::IdRef(variable));
                if loads {
                    of = instruction.result_type.unwrap_or(0);
                    let operands = vec![Operand::IdRef(constant)];
                    let (of, id) = (instruction.result_type, instruction.result_id);
                    *instruction = Instruction::new(Op::CopyObject, of, id, operands);
                }
            }
            let value = vec![Operand::LiteralBit32(32)];
            let fixed = Instruction::new(Op::Constant, Some(of), Some(constant), value);
            module.types_global_values.push(fixed);
            if let Some(header) = &mut module.header {
                header.bound = next;
            }
            all.push(Mutant {
                kind: MutantKind::SubgroupSizeFixed,
                place: "gl_SubgroupSize".to_owned(),
                block: None,
                words: module.assemble(),
            });
        }
        let named = |global: &&Instruction| {
            let name = global.result_id.map_or("", |id| self.names.name(id));
            global.class.opcode == Op::SpecConstant && name == "SUBGROUP_SIZE"
        };
        for constant in self.module.types_global_values.iter().filter(named) {
            let mut module = self.module.clone();
            let id = constant.result_id;
            if !id.is_some_and(|id| self.is_used(id)) {
                continue;
            }
            for global in module.types_global_values.iter_mut().filter(|g| g.result_id == id) {
                let value = vec![Operand::LiteralBit32(32)];
                *global = Instruction::new(Op::Constant, global.result_type, id, value);
            }
            module.annotations.retain(|a| a.operands.first().and_then(Operand::id_ref_any) != id);
            all.push(Mutant {
                kind: MutantKind::SubgroupSizeFixed,
                place: "SUBGROUP_SIZE".to_owned(),
                block: None,
                words: module.assemble(),
            });
        }
    }

    /// Whether any instruction of a function depends on a constant.
    fn is_used(&self, constant: Word) -> bool {
        let takes = |i: &Instruction, id: Word| {
            i.operands.iter().any(|operand| operand.id_ref_any() == Some(id))
        };
        let mut ids = vec![constant];
        while let Some(id) = ids.pop() {
            if self.module.functions.iter().any(|f| f.all_inst_iter().any(|i| takes(i, id))) {
                return true;
            }
            let globals = self.module.types_global_values.iter().filter(|g| takes(g, id));
            ids.extend(globals.filter_map(|g| g.result_id));
        }
        false
    }

    pub(super) fn remove_qualifiers(&self, all: &mut Vec<Mutant>) {
        let qualifies = |a: &Instruction| {
            a.operands.contains(&Operand::Decoration(Decoration::Volatile))
                || a.operands.contains(&Operand::Decoration(Decoration::Coherent))
        };
        let target = |a: &Instruction| a.operands.first().and_then(Operand::id_ref_any);
        let mut blocks: Vec<Word> =
            self.module.annotations.iter().filter(|a| qualifies(a)).filter_map(target).collect();
        blocks.sort_unstable();
        blocks.dedup();
        for block in blocks {
            let mut module = self.module.clone();
            module.annotations.retain(|a| !(qualifies(a) && target(a) == Some(block)));
            let place = self.names.name(block).to_owned();
            let (kind, words) = (MutantKind::QualifierRemoved, module.assemble());
            all.push(Mutant { kind, place, block: None, words });
        }
    }
}
