//! Rewrites the SPIR-V of a kernel to access storage buffers by address instead of bindings. Both forms of a kernel
//! thus have the same source.
//!
//! Buffer variables are removed. Each function that used one loads an address from the push constants instead, and
//! converts it to a pointer. The addresses follow the kernel's own push constants. There, an address is a pair of
//! 32-bit words, not a typed pointer: variables of different types may share a binding and thus an address, and
//! 64-bit integers are not required.

mod functions;
mod layouts;

use std::collections::{HashMap, HashSet};

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{AddressingModel, Capability, Decoration, Op, StorageClass, Word};

use super::editor::{Editor, plain};
use super::ids::{Ids, literal, operand};
use super::interface::{BindingKind, Interface, ReflectError};
use super::reflect::parse;
use layouts::alignment;

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
    /// The kernel does something that requires a bound buffer.
    #[error("{0}")]
    Unsupported(String),
}

fn unsupported(problem: impl Into<String>) -> AddressError {
    AddressError::Unsupported(problem.into())
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

/// Rewrites `spirv`, which has this interface, to use an address instead of each binding. Fails, for
/// example, if the kernel reads a uniform buffer, queries the length of a buffer, or passes a buffer to a function.
pub fn by_address(spirv: &[u32], interface: &Interface) -> Result<Vec<u32>, AddressError> {
    if interface.bindings.iter().any(|b| b.kind == BindingKind::Uniform) {
        return Err(unsupported("it reads a uniform buffer"));
    }
    let module = parse(spirv)?;
    let ids = Ids::new(&module);
    let mut rewrite = Rewrite::new(Editor::new(module, ids), interface)?;
    rewrite.change_declarations();
    rewrite.change_functions()?;
    Ok(rewrite.editor.finish())
}

/// A variable for a storage buffer.
#[derive(Clone, Copy)]
struct Buffer {
    pointer_type: Word,
    /// Type of its contents.
    block: Word,
    /// Index of its address among the addresses in the push constants.
    place: u32,
    /// Whether accesses to the buffer are volatile.
    volatile: bool,
}

struct Rewrite {
    editor: Editor,
    buffers: HashMap<Word, Buffer>,
    /// The push-constant variable, if there is one.
    push: Option<Word>,
    new_push: Word,
    /// Member types of the kernel's own push-constant block.
    own_members: Vec<Word>,
    /// Byte offset of the first address in the push constants.
    first_address: u32,
    /// Number of addresses.
    places: u32,
    types: Types,
}

/// Ids of types used by rewritten functions.
#[derive(Default)]
struct Types {
    /// The type of an address in the push constants: a vector of two 32-bit words.
    pair: Word,
    pointer_to_pair: Word,
    /// For each push-constant member that is an address, the id of its index constant.
    members: Vec<Word>,
    /// Pointer types into buffers, and the alignment of their pointees.
    pointers: HashMap<Word, u32>,
}

impl Rewrite {
    fn new(editor: Editor, interface: &Interface) -> Result<Self, AddressError> {
        let (mut buffers, mut push, mut own_members) = (HashMap::new(), None, Vec::new());
        let variables = editor.module.types_global_values.iter();
        for variable in variables.filter(|i| i.class.opcode == Op::Variable) {
            let (Some(id), Some(pointer_type)) = (variable.result_id, variable.result_type) else {
                continue;
            };
            match editor.ids.pointer(id) {
                Some((StorageClass::StorageBuffer, block)) => {
                    let place = place(&editor.ids, id, interface)
                        .ok_or_else(|| unsupported("it has a buffer without a binding"))?;
                    let volatile = is_volatile(&editor, id, block);
                    buffers.insert(id, Buffer { pointer_type, block, place, volatile });
                }
                Some((StorageClass::PushConstant, block)) => {
                    own_members = editor.ids.members(block).unwrap_or_default();
                    push = Some(id);
                }
                _ => {}
            }
        }
        Ok(Self {
            editor,
            buffers,
            push,
            new_push: 0,
            own_members,
            first_address: address_offset(interface),
            places: interface.bindings.len() as u32,
            types: Types::default(),
        })
    }

    fn change_declarations(&mut self) {
        self.alter_pointers();
        let module = &mut self.editor.module;
        let addresses = Operand::Capability(Capability::PhysicalStorageBufferAddresses);
        module.capabilities.push(plain(Op::Capability, vec![addresses]));
        if let Some(model) = &mut module.memory_model
            && let Some(addressing) = model.operands.first_mut()
        {
            *addressing = Operand::AddressingModel(AddressingModel::PhysicalStorageBuffer64);
        }
        self.declare_push();
        self.remove_variables();
    }

    /// Converts pointers into bound buffers to physical storage pointers.
    fn alter_pointers(&mut self) {
        let mut pointers = Vec::new();
        for global in &mut self.editor.module.types_global_values {
            let bound = Operand::StorageClass(StorageClass::StorageBuffer);
            if global.class.opcode == Op::TypePointer
                && let [class, Operand::IdRef(pointee)] = global.operands.as_mut_slice()
                && *class == bound
            {
                *class = Operand::StorageClass(StorageClass::PhysicalStorageBuffer);
                pointers.extend(global.result_id.map(|id| (id, *pointee)));
            }
        }
        let aligned = |(id, pointee)| (id, alignment(&self.editor.ids, pointee));
        self.types.pointers = pointers.into_iter().map(aligned).collect();
    }

    /// Declares the push-constant block with the addresses after its existing members.
    fn declare_push(&mut self) {
        let editor = &mut self.editor;
        let class = Operand::StorageClass(StorageClass::PushConstant);
        let word = editor.int(32, false);
        let pair = vec![Operand::IdRef(word), Operand::LiteralBit32(2)];
        let pair = editor.declare(Op::TypeVector, None, pair);
        let pointer = vec![class.clone(), Operand::IdRef(pair)];
        let pointer_to_pair = editor.declare(Op::TypePointer, None, pointer);
        let own = self.own_members.len() as u32;
        let members = (own..own + self.places).map(|k| editor.splat(word, k.into())).collect();
        let pointers = std::mem::take(&mut self.types.pointers);
        self.types = Types { pair, pointer_to_pair, members, pointers };

        // Declares a new structure in any case, because equal structures may have different decorations.
        let addresses = (0..self.places).map(|_| pair);
        let members = self.own_members.iter().copied().chain(addresses).map(Operand::IdRef);
        let block = editor.add(Op::TypeStruct, None, members.collect());
        self.decorate_block(block);
        let pointer = vec![class.clone(), Operand::IdRef(block)];
        let pointer = self.editor.declare(Op::TypePointer, None, pointer);
        self.new_push = self.editor.add(Op::Variable, Some(pointer), vec![class]);
    }

    /// Decorates the new push-constant block: copies the decorations of existing members, and adds the offsets of the
    /// addresses.
    fn decorate_block(&mut self, block: Word) {
        let old = self.push.and_then(|id| self.editor.ids.pointer(id)).map(|(_, block)| block);
        let annotations = &mut self.editor.module.annotations;
        let of_old =
            |i: &&Instruction| i.class.opcode == Op::MemberDecorate && operand(i, 0) == old;
        let mut copies: Vec<_> = annotations.iter().filter(of_old).cloned().collect();
        for copy in &mut copies {
            if let Some(target) = copy.operands.first_mut() {
                *target = Operand::IdRef(block);
            }
        }
        annotations.extend(copies);
        let own = self.own_members.len() as u32;
        for place in 0..self.places {
            let operands = vec![
                Operand::IdRef(block),
                Operand::LiteralBit32(own + place),
                Operand::Decoration(Decoration::Offset),
                Operand::LiteralBit32(self.first_address + ADDRESS_BYTES * place),
            ];
            annotations.push(plain(Op::MemberDecorate, operands));
        }
        let operands = vec![Operand::IdRef(block), Operand::Decoration(Decoration::Block)];
        annotations.push(plain(Op::Decorate, operands));
    }

    /// Removes the buffer variables and the old push-constant variable.
    fn remove_variables(&mut self) {
        let gone: HashSet<Word> = self.buffers.keys().copied().chain(self.push).collect();
        let is_gone = |i: &Instruction| operand(i, 0).is_some_and(|id| gone.contains(&id));
        let module = &mut self.editor.module;
        module.annotations.retain(|i| !is_gone(i));
        module.debug_names.retain(|i| !is_gone(i));
        module.types_global_values.retain(|i| !i.result_id.is_some_and(|id| gone.contains(&id)));
        for entry in &mut module.entry_points {
            entry.operands.retain(|o| !o.id_ref_any().is_some_and(|id| gone.contains(&id)));
            entry.operands.push(Operand::IdRef(self.new_push));
        }
    }
}

/// The index of a variable's address, which is the index of its binding in the interface.
fn place(ids: &Ids, variable: Word, interface: &Interface) -> Option<u32> {
    let decorated = |what| literal(ids.decoration(variable, what));
    let (set, binding) = (decorated(Decoration::DescriptorSet)?, decorated(Decoration::Binding)?);
    let place = interface.bindings.iter().position(|b| (b.set, b.binding) == (set, binding))?;
    Some(place as u32)
}

/// Whether accesses to a buffer are volatile. GLSL compilers decorate the members of the block, or the variable.
fn is_volatile(editor: &Editor, variable: Word, block: Word) -> bool {
    editor.module.annotations.iter().any(|i| {
        let target = operand(i, 0);
        (target == Some(variable) || target == Some(block))
            && i.operands.contains(&Operand::Decoration(Decoration::Volatile))
    })
}
