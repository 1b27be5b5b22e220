//! Rewrites the SPIR-V of a kernel that binds storage buffers to use their addresses instead, so that each
//! kernel has both forms but only one source.
//!
//! Buffer variables are removed. Each function that used one instead loads an address from the push
//! constants, which follow the kernel's own, and converts it to a pointer. The address is a pair of 32-bit
//! words, so that two views of one binding can share it and 64-bit integers are not required.

mod functions;
mod layouts;

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Module, Operand, load_words};
use rspirv::spirv::{AddressingModel, Capability, Decoration, Op, StorageClass, Word};

use crate::spirv::interface::{BindingKind, Interface, ReflectError};
use layouts::Layouts;

pub use layouts::ADDRESS_ALIGNMENT;

/// Bytes per address.
const ADDRESS_BYTES: u32 = 8;

/// Reasons why a kernel cannot use addresses.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The words are not a well-formed SPIR-V module.
    #[error(transparent)]
    Module(#[from] ReflectError),
    /// It does something that requires a bound buffer.
    #[error("{0}, which needs a bound buffer")]
    Unsupported(String),
}

/// Offset of the addresses in the push constants of the rewritten kernel.
pub fn address_offset(interface: &Interface) -> u32 {
    let push = interface.push_constants.as_ref().map_or(0, |block| block.size);
    push.next_multiple_of(ADDRESS_BYTES)
}

/// Size of the push constants of the rewritten kernel: its own, followed by one address per binding, in
/// order.
pub fn push_bytes(interface: &Interface) -> u32 {
    address_offset(interface) + ADDRESS_BYTES * interface.bindings.len() as u32
}

/// Rewrites `spirv`, which has this interface, to use an address instead of each binding.
pub fn by_address(spirv: &[u32], interface: &Interface) -> Result<Vec<u32>, AddressError> {
    if interface.bindings.iter().any(|b| b.kind == BindingKind::Uniform) {
        return Err(AddressError::Unsupported("it reads a uniform buffer".to_owned()));
    }
    let malformed = |what: String| AddressError::Module(ReflectError::Malformed(what));
    // rspirv panics on some malformed streams; reflection has at least checked the framing.
    let module = catch_unwind(AssertUnwindSafe(|| load_words(spirv)))
        .map_err(|_| malformed("the parser gave up".to_owned()))?
        .map_err(|state| malformed(state.to_string()))?;
    let mut rewrite = Rewrite::new(module, interface)?;
    rewrite.change_declarations();
    rewrite.change_functions()?;
    Ok(rewrite.finish())
}

/// A variable for a storage buffer.
#[derive(Clone, Copy)]
struct Buffer {
    pointer_type: Word,
    /// Index of its address.
    place: u32,
    /// Whether accesses are volatile.
    volatile: bool,
}

struct Rewrite {
    module: Module,
    layouts: Layouts,
    next_id: Word,
    buffers: HashMap<Word, Buffer>,
    /// The push-constant variable, if there is one.
    push: Option<Word>,
    new_push: Word,
    /// Members of the kernel's own block, and the offset of the addresses.
    own_members: Vec<Operand>,
    first_address: u32,
    places: u32,
    types: Types,
}

/// Ids of types used by rewritten functions.
#[derive(Default)]
struct Types {
    pair: Word,
    pointer_to_pair: Word,
    /// The index constant of each member that is an address.
    members: Vec<Word>,
    /// Pointer types into buffers, and the alignment of their pointees.
    pointers: HashMap<Word, u32>,
}

impl Rewrite {
    fn new(module: Module, interface: &Interface) -> Result<Self, AddressError> {
        let next_id = module.header.as_ref().map_or(0, |header| header.bound);
        let mut this = Self {
            layouts: Layouts::new(&module),
            module,
            next_id,
            buffers: HashMap::new(),
            push: None,
            new_push: 0,
            own_members: Vec::new(),
            first_address: address_offset(interface),
            places: interface.bindings.len() as u32,
            types: Types::default(),
        };
        let globals = &this.module.types_global_values;
        let variables = globals.iter().filter(|i| i.class.opcode == Op::Variable);
        let mut found = Vec::new();
        for variable in variables {
            let (Some(id), Some(pointer_type)) = (variable.result_id, variable.result_type) else {
                continue;
            };
            match variable.operands.first() {
                Some(Operand::StorageClass(StorageClass::StorageBuffer)) => {
                    let place = this.place(id, interface).ok_or_else(|| {
                        AddressError::Unsupported("it has a buffer without a binding".to_owned())
                    })?;
                    let volatile = this.is_volatile(id, pointer_type);
                    found.push((id, Buffer { pointer_type, place, volatile }));
                }
                Some(Operand::StorageClass(StorageClass::PushConstant)) => {
                    let block = this.pointee(pointer_type);
                    this.own_members = block
                        .and_then(|b| this.global(b))
                        .map_or(Vec::new(), |b| b.operands.clone());
                    this.push = Some(id);
                }
                _ => {}
            }
        }
        this.buffers = found.into_iter().collect();
        Ok(this)
    }

    fn fresh(&mut self) -> Word {
        self.next_id += 1;
        self.next_id - 1
    }

    fn global(&self, id: Word) -> Option<&Instruction> {
        self.module.types_global_values.iter().find(|i| i.result_id == Some(id))
    }

    /// The pointee of a pointer type.
    fn pointee(&self, pointer_type: Word) -> Option<Word> {
        self.global(pointer_type)?.operands.get(1)?.id_ref_any()
    }

    /// The index of a variable's address, which is that of its binding.
    fn place(&self, variable: Word, interface: &Interface) -> Option<u32> {
        let decorated = |what| self.layouts.decoration(variable, None, what);
        let (set, binding) =
            (decorated(Decoration::DescriptorSet)?, decorated(Decoration::Binding)?);
        let place = interface.bindings.iter().position(|b| (b.set, b.binding) == (set, binding))?;
        Some(place as u32)
    }

    /// GLSL's `volatile` decorates members of the block; some compilers decorate the variable.
    fn is_volatile(&self, variable: Word, pointer_type: Word) -> bool {
        let block = self.pointee(pointer_type);
        self.module.annotations.iter().any(|i| {
            let target = i.operands.first().and_then(Operand::id_ref_any);
            (target == Some(variable) || target == block)
                && i.operands.contains(&Operand::Decoration(Decoration::Volatile))
        })
    }

    /// Returns the id of a type or constant, and adds it if necessary.
    fn declare(&mut self, op: Op, result_type: Option<Word>, operands: Vec<Operand>) -> Word {
        let same = |i: &&Instruction| {
            (i.class.opcode, i.result_type) == (op, result_type) && i.operands == operands
        };
        let found = self.module.types_global_values.iter().find(same).and_then(|i| i.result_id);
        found.unwrap_or_else(|| {
            let id = self.fresh();
            let instruction = Instruction::new(op, result_type, Some(id), operands);
            self.module.types_global_values.push(instruction);
            id
        })
    }

    fn change_declarations(&mut self) {
        self.alter_pointers();
        self.module.capabilities.push(Instruction::new(
            Op::Capability,
            None,
            None,
            vec![Operand::Capability(Capability::PhysicalStorageBufferAddresses)],
        ));
        if let Some(model) = &mut self.module.memory_model
            && let Some(addressing) = model.operands.first_mut()
        {
            *addressing = Operand::AddressingModel(AddressingModel::PhysicalStorageBuffer64);
        }
        self.declare_push();
        self.forget_variables();
    }

    /// Converts pointers into bound buffers to physical storage pointers.
    fn alter_pointers(&mut self) {
        let mut pointers = Vec::new();
        for global in &mut self.module.types_global_values {
            let bound = Operand::StorageClass(StorageClass::StorageBuffer);
            if global.class.opcode == Op::TypePointer
                && let [class, Operand::IdRef(pointee)] = global.operands.as_mut_slice()
                && *class == bound
            {
                *class = Operand::StorageClass(StorageClass::PhysicalStorageBuffer);
                pointers.extend(global.result_id.map(|id| (id, *pointee)));
            }
        }
        self.types.pointers = pointers
            .into_iter()
            .map(|(id, pointee)| (id, self.layouts.alignment(pointee)))
            .collect();
    }

    /// Declares the push-constant block with the addresses after its existing members.
    fn declare_push(&mut self) {
        let bits = |value| Operand::LiteralBit32(value);
        let word = self.declare(Op::TypeInt, None, vec![bits(32), bits(0)]);
        let pair = self.declare(Op::TypeVector, None, vec![Operand::IdRef(word), bits(2)]);
        let class = || Operand::StorageClass(StorageClass::PushConstant);
        let pointer_to_pair =
            self.declare(Op::TypePointer, None, vec![class(), Operand::IdRef(pair)]);
        let own = self.own_members.len() as u32;
        let members =
            (own..own + self.places).map(|k| self.declare(Op::Constant, Some(word), vec![bits(k)]));
        let members: Vec<_> = members.collect();
        let pointers = std::mem::take(&mut self.types.pointers);
        self.types = Types { pair, pointer_to_pair, members, pointers };

        // Always a new structure, because equal structures may have different decorations.
        let block = self.fresh();
        let mut operands = self.own_members.clone();
        operands.extend((0..self.places).map(|_| Operand::IdRef(pair)));
        let globals = &mut self.module.types_global_values;
        globals.push(Instruction::new(Op::TypeStruct, None, Some(block), operands));
        self.decorate_block(block);
        let pointer = self.declare(Op::TypePointer, None, vec![class(), Operand::IdRef(block)]);
        self.new_push = self.fresh();
        self.module.types_global_values.push(Instruction::new(
            Op::Variable,
            Some(pointer),
            Some(self.new_push),
            vec![class()],
        ));
    }

    fn decorate_block(&mut self, block: Word) {
        let old = self.push.and_then(|id| self.global(id)?.result_type);
        let old = old.and_then(|pointer| self.pointee(pointer));
        let of_old = |i: &&Instruction| {
            i.class.opcode == Op::MemberDecorate
                && i.operands.first().and_then(Operand::id_ref_any) == old
        };
        let mut copies: Vec<_> = self.module.annotations.iter().filter(of_old).cloned().collect();
        for copy in &mut copies {
            if let Some(target) = copy.operands.first_mut() {
                *target = Operand::IdRef(block);
            }
        }
        self.module.annotations.extend(copies);
        let own = self.own_members.len() as u32;
        for place in 0..self.places {
            self.module.annotations.push(Instruction::new(
                Op::MemberDecorate,
                None,
                None,
                vec![
                    Operand::IdRef(block),
                    Operand::LiteralBit32(own + place),
                    Operand::Decoration(Decoration::Offset),
                    Operand::LiteralBit32(self.first_address + ADDRESS_BYTES * place),
                ],
            ));
        }
        let operands = vec![Operand::IdRef(block), Operand::Decoration(Decoration::Block)];
        self.module.annotations.push(Instruction::new(Op::Decorate, None, None, operands));
    }

    fn forget_variables(&mut self) {
        let gone: HashSet<Word> = self.buffers.keys().copied().chain(self.push).collect();
        let is_gone = |i: &Instruction| {
            i.operands.first().and_then(Operand::id_ref_any).is_some_and(|id| gone.contains(&id))
        };
        let module = &mut self.module;
        module.annotations.retain(|i| !is_gone(i));
        module.debug_names.retain(|i| !is_gone(i));
        module.types_global_values.retain(|i| !i.result_id.is_some_and(|id| gone.contains(&id)));
        for entry in &mut module.entry_points {
            entry.operands.retain(|o| !o.id_ref_any().is_some_and(|id| gone.contains(&id)));
            entry.operands.push(Operand::IdRef(self.new_push));
        }
    }

    fn finish(mut self) -> Vec<u32> {
        if let Some(header) = &mut self.module.header {
            header.bound = self.next_id;
        }
        self.module.assemble()
    }
}
