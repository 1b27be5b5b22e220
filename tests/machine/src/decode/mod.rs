//! Decodes SPIR-V into a [`Program`]: types, constants with their specialization, variables, then
//! functions.

mod constants;
mod emit;
mod functions;
mod groups;
mod live;
mod pointers;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rspirv::dr::{Instruction, Module, Operand, load_words};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, Op, StorageClass, Word};

use crate::code::{
    Address, Block, Code, Descriptor, Input, OFFSET_BITS, Origin, Program, Reg, Space,
};
use crate::error::MachineError;
use crate::types::{Layout, Qualifiers, Types};

/// Decodes `spirv` with the given specialization constants, by `constant_id`.
pub fn decode(
    label: &str,
    spirv: &[u32],
    specialization: &[(u32, u32)],
) -> Result<Program, MachineError> {
    let malformed = |problem: String| MachineError::Module { kernel: label.to_owned(), problem };
    // rspirv panics on some malformed streams.
    let module = catch_unwind(AssertUnwindSafe(|| load_words(spirv)))
        .map_err(|_| malformed("the parser gave up".to_owned()))?
        .map_err(|state| malformed(state.to_string()))?;
    let mut decoder = Decoder::new(label, specialization);
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

pub(super) struct Decoder<'s> {
    label: String,
    specialization: &'s [(u32, u32)],
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
    next_register: Reg,
    filled: Vec<(Reg, u64)>,
    /// Registers of variables that are accessed by computed addresses.
    computed: Vec<Range<Reg>>,
    /// Registers that each block uses separately.
    scratch: Vec<Range<Reg>>,
    inputs: Vec<(Input, Reg)>,
    shared_bytes: u32,
    shared: Vec<(String, u32, u32)>,
    descriptors: Vec<Descriptor>,
    code: Vec<Code>,
    origins: Vec<Origin>,
    blocks: Vec<Block>,
    block_of: HashMap<Word, u32>,
    function_names: Vec<String>,
    /// Entry block, parameter registers and result register of each function.
    function_of: HashMap<Word, functions::Signature>,
    line: u32,
    opcode: Op,
    function: u32,
    block: u32,
}

impl<'s> Decoder<'s> {
    fn new(label: &str, specialization: &'s [(u32, u32)]) -> Self {
        Self {
            label: label.to_owned(),
            specialization,
            types: Types::default(),
            names: HashMap::new(),
            decorations: HashMap::new(),
            constants: HashMap::new(),
            used: HashSet::new(),
            value_types: HashMap::new(),
            registers: HashMap::new(),
            pointers: HashMap::new(),
            glsl: None,
            next_register: 0,
            filled: Vec::new(),
            computed: Vec::new(),
            scratch: Vec::new(),
            inputs: Vec::new(),
            shared_bytes: 0,
            shared: Vec::new(),
            descriptors: Vec::new(),
            code: Vec::new(),
            origins: Vec::new(),
            blocks: Vec::new(),
            block_of: HashMap::new(),
            function_names: Vec::new(),
            function_of: HashMap::new(),
            line: 0,
            opcode: Op::Nop,
            function: 0,
            block: 0,
        }
    }

    pub(super) fn unknown(&self, what: impl Into<String>) -> MachineError {
        MachineError::Unknown { kernel: self.label.clone(), what: what.into() }
    }

    pub(super) fn malformed(&self, problem: impl Into<String>) -> MachineError {
        MachineError::Module { kernel: self.label.clone(), problem: problem.into() }
    }

    fn decoration(&self, id: Word, wanted: Decoration) -> Option<u32> {
        self.decorations.get(&id)?.iter().find(|(what, _)| *what == wanted).map(|(_, v)| *v)
    }

    fn note_uses(&mut self, module: &Module) {
        let instructions = module.functions.iter().flat_map(|function| function.all_inst_iter());
        let operands = instructions.flat_map(|instruction| &instruction.operands);
        self.used = operands.filter_map(Operand::id_ref_any).collect();
    }

    fn declarations(&mut self, module: &Module) -> Result<(), MachineError> {
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

    fn annotate(&mut self, annotation: &Instruction) -> Result<(), MachineError> {
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

    fn global(&mut self, global: &Instruction) -> Result<(), MachineError> {
        match global.class.opcode {
            Op::Variable => self.variable(global),
            Op::Line | Op::NoLine => Ok(()),
            Op::TypeVoid
            | Op::TypeBool
            | Op::TypeInt
            | Op::TypeFloat
            | Op::TypeVector
            | Op::TypeArray
            | Op::TypeRuntimeArray
            | Op::TypeStruct
            | Op::TypePointer
            | Op::TypeForwardPointer
            | Op::TypeFunction => self.declare_type(global),
            _ => self.constant(global),
        }
    }

    /// Declares a variable of module scope.
    fn variable(&mut self, variable: &Instruction) -> Result<(), MachineError> {
        let (Some(id), Some(pointer_type)) = (variable.result_id, variable.result_type) else {
            return Err(self.malformed("a variable without a type"));
        };
        let Some((class, pointee)) = self.types.pointee(pointer_type) else {
            return Err(self.malformed("a variable that is no pointer"));
        };
        self.value_types.insert(id, pointer_type);
        let fixed = |base| Address { base, reg: None };
        let how = Qualifiers {
            coherent: self.decoration(id, Decoration::Coherent).is_some(),
            volatile: self.decoration(id, Decoration::Volatile).is_some(),
        };
        let (space, base) = match class {
            StorageClass::Private | StorageClass::Input => {
                let first = self.allocate(self.types.slots(pointee));
                if class == StorageClass::Input {
                    let input = self.input(id)?;
                    self.inputs.push((input, first));
                    self.computed.push(first..self.next_register);
                }
                if let Some(Operand::IdRef(initial)) = variable.operands.get(1) {
                    let values = self.constants.get(initial).cloned().unwrap_or_default();
                    self.filled.extend((first..).zip(values));
                }
                (Space::Private, u64::from(first))
            }
            StorageClass::Workgroup => {
                let (begin, bytes) = (self.shared_bytes, self.types.bytes(pointee, Layout::Packed));
                self.shared_bytes += bytes;
                let name = self.names.get(&id).cloned().unwrap_or_default();
                self.shared.push((name, begin, bytes));
                (Space::Shared, u64::from(begin))
            }
            StorageClass::StorageBuffer | StorageClass::Uniform => {
                let of = |what| self.decoration(id, what).unwrap_or(0);
                let (set, binding) = (of(Decoration::DescriptorSet), of(Decoration::Binding));
                let same = |d: &Descriptor| (d.set, d.binding) == (set, binding);
                let place = self.descriptors.iter().position(same).unwrap_or_else(|| {
                    self.descriptors.push(Descriptor { set, binding });
                    self.descriptors.len() - 1
                });
                (Space::Buffer, (place as u64) << OFFSET_BITS)
            }
            StorageClass::PushConstant => (Space::Push, 0),
            other => return Err(self.unknown(format!("a variable of storage class {other:?}"))),
        };
        self.pointers.insert(id, Pointer { space, at: fixed(base), how });
        Ok(())
    }

    fn input(&self, id: Word) -> Result<Input, MachineError> {
        let builtin = self.decoration(id, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
        Ok(match builtin {
            Some(BuiltIn::WorkgroupId) => Input::WorkgroupId,
            Some(BuiltIn::NumWorkgroups) => Input::NumWorkgroups,
            Some(BuiltIn::WorkgroupSize) => Input::WorkgroupSize,
            Some(BuiltIn::LocalInvocationId) => Input::LocalInvocationId,
            Some(BuiltIn::LocalInvocationIndex) => Input::LocalInvocationIndex,
            Some(BuiltIn::GlobalInvocationId) => Input::GlobalInvocationId,
            Some(BuiltIn::SubgroupSize) => Input::SubgroupSize,
            Some(BuiltIn::NumSubgroups) => Input::NumSubgroups,
            Some(BuiltIn::SubgroupId) => Input::SubgroupId,
            Some(BuiltIn::SubgroupLocalInvocationId) => Input::SubgroupInvocation,
            Some(BuiltIn::SubgroupEqMask) => Input::SubgroupEqMask,
            Some(BuiltIn::SubgroupGeMask) => Input::SubgroupGeMask,
            Some(BuiltIn::SubgroupGtMask) => Input::SubgroupGtMask,
            Some(BuiltIn::SubgroupLeMask) => Input::SubgroupLeMask,
            Some(BuiltIn::SubgroupLtMask) => Input::SubgroupLtMask,
            other => return Err(self.unknown(format!("the input {other:?}"))),
        })
    }

    /// Allocates `count` consecutive registers.
    pub(super) fn allocate(&mut self, count: u32) -> Reg {
        let first = self.next_register;
        self.next_register += count;
        first
    }

    /// The workgroup size. The built-in constant takes precedence over the execution mode, as
    /// SPIR-V requires.
    fn local_size(&self, module: &Module) -> [u32; 3] {
        let is_size = |id: &&Word| {
            self.decoration(**id, Decoration::BuiltIn) == Some(BuiltIn::WorkgroupSize as u32)
        };
        if let Some(size) =
            self.constants.keys().find(is_size).and_then(|id| self.constants.get(id))
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

    fn finish(mut self, module: &Module) -> Result<Program, MachineError> {
        let [entry] = module.entry_points.as_slice() else {
            return Err(self.malformed("not one entry point"));
        };
        let entry = entry.operands.get(1).and_then(Operand::id_ref_any);
        let entry = entry.and_then(|id| self.function_of.get(&id)).map(|s| s.block);
        let Some(entry) = entry else { return Err(self.malformed("no entry point")) };
        let local_size = self.local_size(module);
        let registers = live::Registers {
            count: self.next_register,
            filled: &self.filled,
            anything: &self.computed,
            scratch: &self.scratch,
        };
        let (live, ways) = live::live(&self.code, &self.blocks, entry, &registers);
        functions::shorten(&mut self.code, &self.blocks, &ways);
        Ok(Program {
            label: self.label,
            code: self.code,
            origins: self.origins,
            blocks: self.blocks,
            functions: self.function_names,
            entry,
            registers: self.next_register,
            constants: self.filled,
            inputs: self.inputs,
            shared_bytes: self.shared_bytes,
            shared: self.shared,
            descriptors: self.descriptors,
            local_size,
            live,
        })
    }
}
