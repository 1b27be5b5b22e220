//! Mutations of declarations: subgroup size, buffer qualifiers, initial values.

use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Operand, load_words};
use rspirv::spirv::{BuiltIn, Decoration, Op, Word};

use super::describe::Names;
use super::{Mutant, MutantKind, Original, constant};

/// The module with an initial value of zero for `variable`. `None` if there is no such variable.
pub fn initialized(spirv: &[u32], variable: &str) -> Option<Vec<u32>> {
    let mut module = load_words(spirv).ok()?;
    let names = Names::new(&module);
    let header = module.header.as_mut()?;
    let zero = header.bound;
    header.bound += 1;
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
    Some(module.assemble())
}

/// The id that an annotation refers to.
fn target(annotation: &Instruction) -> Option<Word> {
    annotation.operands.first().and_then(Operand::id_ref_any)
}

impl Original {
    pub(super) fn fix_subgroup_size(&self, all: &mut Vec<Mutant>) {
        let mut add = |place: &str, words| {
            let (kind, place) = (MutantKind::SubgroupSizeFixed, place.to_owned());
            all.push(Mutant { kind, place, block: None, words });
        };
        let built_in = Operand::BuiltIn(BuiltIn::SubgroupSize);
        for annotation in self.module.annotations.iter().filter(|a| a.operands.contains(&built_in))
        {
            let Some(variable) = target(annotation) else { continue };
            let words = self.changed(|module, next| {
                let id = *next;
                *next += 1;
                let mut of = 0;
                for instruction in module.all_inst_iter_mut() {
                    let loads = instruction.class.opcode == Op::Load
                        && instruction.operands.first() == Some(&Operand::IdRef(variable));
                    if loads {
                        of = instruction.result_type.unwrap_or(0);
                        let (of, result) = (instruction.result_type, instruction.result_id);
                        let operands = vec![Operand::IdRef(id)];
                        *instruction = Instruction::new(Op::CopyObject, of, result, operands);
                    }
                }
                module.types_global_values.push(constant(of, id, 32));
            });
            add("gl_SubgroupSize", words);
        }
        for global in &self.module.types_global_values {
            let Some(id) = global.result_id.filter(|_| global.class.opcode == Op::SpecConstant)
            else {
                continue;
            };
            if self.names.name(id) != "SUBGROUP_SIZE" || !self.is_used(id) {
                continue;
            }
            let words = self.changed(|module, _| {
                let globals = module.types_global_values.iter_mut();
                for global in globals.filter(|global| global.result_id == Some(id)) {
                    *global = constant(global.result_type.unwrap_or(0), id, 32);
                }
                module.annotations.retain(|annotation| target(annotation) != Some(id));
            });
            add("SUBGROUP_SIZE", words);
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
        let mut blocks: Vec<Word> =
            self.module.annotations.iter().filter(|a| qualifies(a)).filter_map(target).collect();
        blocks.sort_unstable();
        blocks.dedup();
        for block in blocks {
            let words = self.changed(|module, _| {
                module.annotations.retain(|a| !(qualifies(a) && target(a) == Some(block)));
            });
            let (kind, place) = (MutantKind::QualifierRemoved, self.names.name(block).to_owned());
            all.push(Mutant { kind, place, block: None, words });
        }
    }
}
