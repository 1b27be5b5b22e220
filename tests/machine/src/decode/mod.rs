//! Decodes SPIR-V into a [`Program`]: types, constants with their specialization, variables, then
//! functions.

mod constants;
mod emit;
mod functions;
mod groups;
mod live;
mod pointers;

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rspirv::dr::{Instruction, Module, Operand, load_words};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, Op, StorageClass, Word};

use crate::code::{Address, Descriptor, INPUTS, OFFSET_BITS, Origin, Program, Reg, Space};
use crate::error::{MachineError, Result};
use crate::types::{Layout, Qualifiers, Types};

/// Decodes `spirv` with the given specialization constants, by `constant_id`.
pub(crate) fn decode(label: &str, spirv: &[u32], specialization: &[(u32, u32)]) -> Result<Program> {
    // rspirv panics on some malformed streams.
    let module = catch_unwind(AssertUnwindSafe(|| load_words(spirv)))
        .map_err(|_| MachineError::module(label, "it cannot be parsed"))?
        .map_err(|state| MachineError::module(label, state))?;
    let program = Program { label: label.to_owned(), ..Program::default() };
    let mut decoder = Decoder { specialization, program, ..Decoder::default() };
    decoder.declarations(&module)?;
    decoder.note_uses(&module);
    decoder.functions(&module)?;
    decoder.finish(&module)
}

/// The memory that a pointer id refers to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer {
    pub space: Space,
    pub at: Address,
    pub how: Qualifiers,
}

/// Entry block and registers of a function, for its callers.
#[derive(Clone)]
pub(super) struct Signature {
    pub block: u32,
    pub parameters: Vec<Reg>,
    pub result: Reg,
}

/// Phi inputs of each edge, by the labels of its blocks: destination register, value, number of
/// scalars.
pub(super) type Phis = HashMap<(Word, Word), Vec<(Reg, Word, u32)>>;

#[derive(Default)]
pub(super) struct Decoder<'s> {
    specialization: &'s [(u32, u32)],
    program: Program,
    types: Types,
    names: HashMap<Word, String>,
    decorations: HashMap<Word, Vec<(Decoration, u32)>>,
    /// Scalars of each constant.
    constants: HashMap<Word, Vec<u64>>,
    /// Values that are used by an instruction of a function.
    used: HashSet<Word>,
    /// The type of each value.
    value_types: HashMap<Word, Word>,
    registers: HashMap<Word, Reg>,
    pointers: HashMap<Word, Pointer>,
    glsl: Option<Word>,
    /// Registers of inputs, and of variables that are accessed by computed addresses.
    computed: Vec<Range<Reg>>,
    /// Registers whose values are not shared between blocks.
    scratch: Vec<Range<Reg>>,
    block_of: HashMap<Word, u32>,
    /// Entry block, parameter registers and result register of each function.
    function_of: HashMap<Word, Signature>,
    phis: Phis,
    /// Label of the block that is being decoded.
    label: Word,
    /// The instruction that is being decoded.
    origin: Origin,
}

/// The id at this operand; 0 if there is none.
fn id_at(instruction: &Instruction, at: usize) -> Word {
    instruction.operands.get(at).and_then(Operand::id_ref_any).unwrap_or(0)
}

/// The number at this operand; 0 if there is none.
fn number_at(instruction: &Instruction, at: usize) -> u64 {
    match instruction.operands.get(at) {
        Some(Operand::LiteralBit32(value)) => u64::from(*value),
        Some(Operand::LiteralBit64(value)) => *value,
        _ => 0,
    }
}

impl Decoder<'_> {
    pub(super) fn unknown(&self, what: impl Display) -> MachineError {
        MachineError::unknown(&self.program.label, what)
    }

    pub(super) fn malformed(&self, problem: impl Display) -> MachineError {
        MachineError::module(&self.program.label, problem)
    }

    fn decoration(&self, id: Word, wanted: Decoration) -> Option<u32> {
        self.decorations.get(&id)?.iter().find(|(what, _)| *what == wanted).map(|(_, v)| *v)
    }

    fn note_uses(&mut self, module: &Module) {
        let instructions = module.functions.iter().flat_map(|function| function.all_inst_iter());
        let operands = instructions.flat_map(|instruction| &instruction.operands);
        self.used = operands.filter_map(Operand::id_ref_any).collect();
    }

    fn declarations(&mut self, module: &Module) -> Result<()> {
        for name in &module.debug_names {
            if let (Op::Name, [Operand::IdRef(id), Operand::LiteralString(text)]) =
                (name.class.opcode, name.operands.as_slice())
            {
                self.names.insert(*id, text.clone());
            }
        }
        for annotation in &module.annotations {
            self.annotate(annotation)?;
        }
        for import in &module.ext_inst_imports {
            match import.operands.first() {
                Some(Operand::LiteralString(name)) if name == "GLSL.std.450" => {
                    self.glsl = import.result_id;
                }
                other => return Err(self.unknown(format!("the instruction set {other:?}"))),
            }
        }
        for global in &module.types_global_values {
            self.global(global)?;
        }
        Ok(())
    }

    fn annotate(&mut self, annotation: &Instruction) -> Result<()> {
        let value = |rest: &[Operand]| match rest.first() {
            Some(Operand::LiteralBit32(value)) => *value,
            Some(Operand::BuiltIn(builtin)) => *builtin as u32,
            _ => 0,
        };
        match (annotation.class.opcode, annotation.operands.as_slice()) {
            (Op::Decorate, [Operand::IdRef(id), Operand::Decoration(what), rest @ ..]) => {
                if *what == Decoration::ArrayStride {
                    self.types.strides.insert(*id, value(rest));
                }
                self.decorations.entry(*id).or_default().push((*what, value(rest)));
            }
            (
                Op::MemberDecorate,
                [
                    Operand::IdRef(id),
                    Operand::LiteralBit32(member),
                    Operand::Decoration(what),
                    rest @ ..,
                ],
            ) => {
                let key = (*id, *member);
                let flags = self.types.member_qualifiers.entry(key).or_default();
                match what {
                    Decoration::Coherent => flags.coherent = true,
                    Decoration::Volatile => flags.volatile = true,
                    Decoration::Offset => {
                        self.types.offsets.insert(key, value(rest));
                    }
                    _ => {}
                }
            }
            (op, _) => return Err(self.unknown(format!("Op{op:?}"))),
        }
        Ok(())
    }

    fn global(&mut self, global: &Instruction) -> Result<()> {
        match global.class.opcode {
            Op::Variable => self.variable(global),
            Op::Line | Op::NoLine => Ok(()),
            _ if self.declare_type(global)? => Ok(()),
            _ => self.constant(global),
        }
    }

    /// Declares a variable of module scope.
    fn variable(&mut self, variable: &Instruction) -> Result<()> {
        let (Some(id), Some(pointer_type)) = (variable.result_id, variable.result_type) else {
            return Err(self.malformed("a variable without a type"));
        };
        let Some((class, pointee)) = self.types.pointee(pointer_type) else {
            return Err(self.malformed("a variable whose type is not a pointer"));
        };
        self.value_types.insert(id, pointer_type);
        let how = Qualifiers {
            coherent: self.decoration(id, Decoration::Coherent).is_some(),
            volatile: self.decoration(id, Decoration::Volatile).is_some(),
        };
        let (space, base) = match class {
            StorageClass::Private | StorageClass::Input => {
                let first = self.allocate(self.types.slots(pointee));
                if class == StorageClass::Input {
                    let (input, registers) = (self.input(id)?, first..self.program.registers);
                    self.program.inputs.push((input, registers.clone()));
                    self.computed.push(registers);
                }
                if let Some(Operand::IdRef(initial)) = variable.operands.get(1) {
                    let values = self.constants.get(initial).cloned().unwrap_or_default();
                    self.program.constants.extend((first..).zip(values));
                }
                (Space::Private, u64::from(first))
            }
            StorageClass::Workgroup => {
                let bytes = self.types.bytes(pointee, Layout::Packed);
                let begin = self.program.shared_bytes;
                self.program.shared_bytes += bytes;
                let name = self.names.get(&id).cloned().unwrap_or_default();
                self.program.shared.push((name, begin, bytes));
                (Space::Shared, u64::from(begin))
            }
            StorageClass::StorageBuffer | StorageClass::Uniform => {
                let of = |what| self.decoration(id, what).unwrap_or(0);
                let (set, binding) = (of(Decoration::DescriptorSet), of(Decoration::Binding));
                let known = &mut self.program.descriptors;
                let same = |d: &Descriptor| (d.set, d.binding) == (set, binding);
                let place = known.iter().position(same).unwrap_or_else(|| {
                    known.push(Descriptor { set, binding });
                    known.len() - 1
                });
                (Space::Buffer, (place as u64) << OFFSET_BITS)
            }
            StorageClass::PushConstant => (Space::Push, 0),
            other => return Err(self.unknown(format!("a variable of storage class {other:?}"))),
        };
        let at = Address { base, reg: None };
        self.pointers.insert(id, Pointer { space, at, how });
        Ok(())
    }

    fn input(&self, id: Word) -> Result<BuiltIn> {
        let builtin = self.decoration(id, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
        let known = builtin.filter(|builtin| INPUTS.contains(builtin));
        known.ok_or_else(|| self.unknown(format!("the input {builtin:?}")))
    }

    /// Allocates `count` consecutive registers.
    pub(super) fn allocate(&mut self, count: u32) -> Reg {
        self.program.registers += count;
        self.program.registers - count
    }

    /// The workgroup size. The built-in constant takes precedence over the execution mode, as
    /// SPIR-V requires.
    fn local_size(&self, module: &Module) -> [u32; 3] {
        let is_size = |id: Word| {
            self.decoration(id, Decoration::BuiltIn) == Some(BuiltIn::WorkgroupSize as u32)
        };
        let size = self.constants.iter().find(|(id, _)| is_size(**id));
        if let Some((_, size)) = size
            && let [x, y, z] = size.as_slice()
        {
            return [*x as u32, *y as u32, *z as u32];
        }
        let mode = module.execution_modes.iter().find_map(|mode| match mode.operands.as_slice() {
            [
                _,
                Operand::ExecutionMode(ExecutionMode::LocalSize),
                Operand::LiteralBit32(x),
                Operand::LiteralBit32(y),
                Operand::LiteralBit32(z),
            ] => Some([*x, *y, *z]),
            _ => None,
        });
        mode.unwrap_or([1; 3])
    }

    fn finish(self, module: &Module) -> Result<Program> {
        let [entry] = module.entry_points.as_slice() else {
            return Err(self.malformed("expected exactly one entry point"));
        };
        let entry = self.function_of.get(&id_at(entry, 1)).map(|signature| signature.block);
        let Some(entry) = entry else {
            return Err(self.malformed("the entry point is not a function"));
        };
        let local_size = self.local_size(module);
        let mut program = self.program;
        let (live, ways) = live::live(&program, entry, &self.computed, &self.scratch);
        live::shorten(&mut program.code, &program.blocks, &ways);
        Ok(Program { entry, local_size, live, ..program })
    }
}
