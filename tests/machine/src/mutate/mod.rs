//! Mutants: kernels with one change that resembles a programming mistake. Tests must detect them.

mod declarations;
mod describe;

use std::collections::HashMap;

use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Module, Operand, load_words};
use rspirv::spirv::{Op, StorageClass, Word};

pub use self::declarations::initialized;
use self::describe::{DEPTH, Names};
use crate::error::{MachineError, Result};

/// Kind of a mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MutantKind {
    /// A control or memory barrier is removed.
    BarrierRemoved,
    /// An atomic is replaced by a load, an operation and a store.
    AtomicMadePlain,
    /// A strict comparison is replaced by a non-strict one, or the reverse.
    ComparisonShifted,
    /// The last index of an access to shared memory or a buffer is increased by one.
    IndexShifted,
    /// The lane index, mask or offset of a shuffle is increased by one.
    ShuffleShifted,
    /// The subgroup size is assumed to be 32.
    SubgroupSizeFixed,
    /// The `volatile` and `coherent` qualifiers of a buffer are removed.
    QualifierRemoved,
}

/// A kernel that is changed in one place.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Kind of the mutation.
    pub kind: MutantKind,
    /// Location of the mutation: the function and the expression, with the names of the GLSL
    /// source.
    pub place: String,
    /// Index of the changed block in the module; `None` for a declaration.
    pub block: Option<usize>,
    /// The mutated module.
    pub words: Vec<u32>,
}

/// Location of an instruction: function, block, instruction.
type At = (usize, usize, usize);

/// The unchanged module with its names and types.
struct Original {
    module: Module,
    names: Names,
    types: HashMap<Word, Word>,
    /// Storage classes of pointer types.
    classes: HashMap<Word, StorageClass>,
}

/// Every mutant of a kernel.
pub fn mutants(label: &str, spirv: &[u32]) -> Result<Vec<Mutant>> {
    let module = load_words(spirv).map_err(|state| MachineError::module(label, state))?;
    let original = Original::new(module);
    let mut all = Vec::new();
    original.change_instructions(&mut all);
    original.fix_subgroup_size(&mut all);
    original.remove_qualifiers(&mut all);
    Ok(all)
}

impl Original {
    fn new(module: Module) -> Self {
        let names = Names::new(&module);
        let mut types = HashMap::new();
        let mut classes = HashMap::new();
        for instruction in module.all_inst_iter() {
            if let (Some(id), Some(of)) = (instruction.result_id, instruction.result_type) {
                types.insert(id, of);
            }
            if let (Op::TypePointer, Some(id), Some(Operand::StorageClass(class))) =
                (instruction.class.opcode, instruction.result_id, instruction.operands.first())
            {
                classes.insert(id, *class);
            }
        }
        Self { module, names, types, classes }
    }

    fn change_instructions(&self, all: &mut Vec<Mutant>) {
        let mut number = 0;
        for (f, function) in self.module.functions.iter().enumerate() {
            let name = function.def_id().map_or("", |id| self.names.name(id));
            let mut places = HashMap::<String, u32>::new();
            for (b, block) in function.blocks.iter().enumerate() {
                for (i, instruction) in block.instructions.iter().enumerate() {
                    if let Some((kind, words)) = self.change(instruction, (f, b, i)) {
                        let mut place = format!("{name}: {}", self.names.spell(instruction, DEPTH));
                        let again = places.entry(place.clone()).or_default();
                        *again += 1;
                        if *again > 1 {
                            place = format!("{place} #{again}");
                        }
                        all.push(Mutant { kind, place, block: Some(number), words });
                    }
                }
                number += 1;
            }
        }
    }

    /// The mutant of one instruction, if any.
    fn change(&self, instruction: &Instruction, at: At) -> Option<(MutantKind, Vec<u32>)> {
        let op = instruction.class.opcode;
        let last = instruction.operands.len().saturating_sub(1);
        Some(match op {
            // A control barrier of a subgroup also orders memory, so a memory barrier right before
            // it is redundant.
            Op::MemoryBarrier if self.precedes_subgroup_barrier(at) => return None,
            Op::ControlBarrier | Op::MemoryBarrier => {
                (MutantKind::BarrierRemoved, self.with(at, |_, _| Vec::new()))
            }
            Op::GroupNonUniformShuffle
            | Op::GroupNonUniformShuffleXor
            | Op::GroupNonUniformShuffleUp
            | Op::GroupNonUniformShuffleDown => (MutantKind::ShuffleShifted, self.one_more(at, 2)),
            Op::AccessChain if self.leads_to_memory(instruction) => {
                (MutantKind::IndexShifted, self.one_more(at, last))
            }
            _ if is_atomic(op) => (MutantKind::AtomicMadePlain, self.made_plain(at)),
            _ => {
                let shifted = shifted(op)?;
                let words = self.with(at, |old, _| {
                    let (of, id) = (old.result_type, old.result_id);
                    vec![Instruction::new(shifted, of, id, old.operands.clone())]
                });
                (MutantKind::ComparisonShifted, words)
            }
        })
    }

    /// Whether the next instruction is a control barrier of the subgroup, which orders all memory.
    fn precedes_subgroup_barrier(&self, (f, b, i): At) -> bool {
        let next = self.module.functions[f].blocks[b].instructions.get(i + 1);
        let Some(next) = next.filter(|next| next.class.opcode == Op::ControlBarrier) else {
            return false;
        };
        let scope = next.operands.first().and_then(Operand::id_ref_any);
        let subgroup = self.module.types_global_values.iter().find(|g| g.result_id == scope);
        const SUBGROUP: Operand = Operand::LiteralBit32(3);
        subgroup.is_some_and(|constant| constant.operands.first() == Some(&SUBGROUP))
    }

    /// Whether the instruction is an access chain into shared memory or a storage buffer, and the
    /// last index of the chain is not a constant.
    fn leads_to_memory(&self, instruction: &Instruction) -> bool {
        let class = instruction.result_type.and_then(|of| self.classes.get(&of));
        let last = instruction.operands.last().and_then(Operand::id_ref_any).unwrap_or(0);
        let constant =
            self.module.types_global_values.iter().any(|global| global.result_id == Some(last));
        matches!(class, Some(StorageClass::Workgroup | StorageClass::StorageBuffer)) && !constant
    }

    /// The module with one instruction replaced by the result of `change`. `change` receives the
    /// next unused id.
    fn with(
        &self,
        (f, b, i): At,
        change: impl FnOnce(&Instruction, &mut Word) -> Vec<Instruction>,
    ) -> Vec<u32> {
        self.changed(|module, next| {
            let instructions = &mut module.functions[f].blocks[b].instructions;
            let new = change(&instructions[i], next);
            instructions.splice(i..=i, new);
        })
    }

    /// The module after `change`, which receives the next unused id.
    fn changed(&self, change: impl FnOnce(&mut Module, &mut Word)) -> Vec<u32> {
        let mut module = self.module.clone();
        let mut next = module.header.as_ref().map_or(0, |header| header.bound);
        change(&mut module, &mut next);
        if let Some(header) = &mut module.header {
            header.bound = next;
        }
        module.assemble()
    }

    /// The module with operand `operand` of an instruction increased by one.
    fn one_more(&self, (f, b, i): At, operand: usize) -> Vec<u32> {
        self.changed(|module, next| {
            let (one, sum) = (*next, *next + 1);
            *next += 2;
            let instructions = &mut module.functions[f].blocks[b].instructions;
            let index = instructions[i].operands[operand].id_ref_any().unwrap_or(0);
            let of = self.types.get(&index).copied().unwrap_or(0);
            instructions[i].operands[operand] = Operand::IdRef(sum);
            let operands = vec![Operand::IdRef(index), Operand::IdRef(one)];
            instructions.insert(i, Instruction::new(Op::IAdd, Some(of), Some(sum), operands));
            module.types_global_values.push(constant(of, one, 1));
        })
    }

    /// The module with an atomic replaced by plain instructions.
    fn made_plain(&self, at: At) -> Vec<u32> {
        let mut types = self.module.types_global_values.iter();
        let boolean = types.find(|g| g.class.opcode == Op::TypeBool).and_then(|g| g.result_id);
        self.with(at, |old, next| {
            let pointer = old.operands[0].clone();
            let held = Operand::IdRef(old.result_id.unwrap_or(0));
            let of = old.result_type;
            let mut all =
                vec![Instruction::new(Op::Load, of, old.result_id, vec![pointer.clone()])];
            let mut add = |op: Op, of: Option<Word>, operands: Vec<Operand>| {
                let id = *next;
                *next += 1;
                all.push(Instruction::new(op, of, Some(id), operands));
                Operand::IdRef(id)
            };
            let value = old.operands[3].clone();
            let new = match old.class.opcode {
                Op::AtomicExchange => value,
                Op::AtomicCompareExchange => {
                    let compare = old.operands[5].clone();
                    let same = add(Op::IEqual, boolean, vec![held.clone(), compare]);
                    let value = old.operands[4].clone();
                    add(Op::Select, of, vec![same, value, held])
                }
                Op::AtomicUMin | Op::AtomicUMax | Op::AtomicSMin | Op::AtomicSMax => {
                    let less = match old.class.opcode {
                        Op::AtomicUMin => Op::ULessThan,
                        Op::AtomicUMax => Op::UGreaterThan,
                        Op::AtomicSMin => Op::SLessThan,
                        _ => Op::SGreaterThan,
                    };
                    let stays = add(less, boolean, vec![held.clone(), value.clone()]);
                    add(Op::Select, of, vec![stays, held, value])
                }
                op => add(plain(op), of, vec![held, value]),
            };
            all.push(Instruction::new(Op::Store, None, None, vec![pointer, new]));
            all
        })
    }
}

fn constant(of: Word, id: Word, value: u32) -> Instruction {
    Instruction::new(Op::Constant, Some(of), Some(id), vec![Operand::LiteralBit32(value)])
}

/// Pairs of comparisons that give different results only for equal operands.
const COMPARISONS: [[Op; 2]; 6] = [
    [Op::ULessThan, Op::ULessThanEqual],
    [Op::UGreaterThan, Op::UGreaterThanEqual],
    [Op::SLessThan, Op::SLessThanEqual],
    [Op::SGreaterThan, Op::SGreaterThanEqual],
    [Op::FOrdLessThan, Op::FOrdLessThanEqual],
    [Op::FOrdGreaterThan, Op::FOrdGreaterThanEqual],
];

/// The other comparison of the pair in [`COMPARISONS`]; `None` for other instructions.
fn shifted(op: Op) -> Option<Op> {
    COMPARISONS.iter().find_map(|&[strict, other]| match op {
        _ if op == strict => Some(other),
        _ if op == other => Some(strict),
        _ => None,
    })
}

fn is_atomic(op: Op) -> bool {
    plain(op) != op
        || matches!(
            op,
            Op::AtomicExchange
                | Op::AtomicCompareExchange
                | Op::AtomicUMin
                | Op::AtomicUMax
                | Op::AtomicSMin
                | Op::AtomicSMax
        )
}

/// The plain operation of an atomic.
fn plain(op: Op) -> Op {
    match op {
        Op::AtomicIAdd => Op::IAdd,
        Op::AtomicISub => Op::ISub,
        Op::AtomicOr => Op::BitwiseOr,
        Op::AtomicAnd => Op::BitwiseAnd,
        Op::AtomicXor => Op::BitwiseXor,
        other => other,
    }
}
