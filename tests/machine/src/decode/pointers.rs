//! Decodes pointers: address spaces, access chains, loads, stores and atomics.

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{MemoryAccess, Op, StorageClass, Word};

use super::{Decoder, Pointer, id_at, number_at};
use crate::alu::Kind;
use crate::code::{Address, Code, OFFSET_BITS, Reg, Scope, Semantics, Space, Term};
use crate::error::Result;
use crate::eval::eval_atomic;
use crate::types::{Layout, Leaf, Qualifiers, Type};

impl Decoder<'_> {
    pub(super) fn space_of(&self, class: StorageClass) -> Result<Space> {
        Ok(match class {
            StorageClass::Function | StorageClass::Private | StorageClass::Input => Space::Private,
            StorageClass::Workgroup => Space::Shared,
            StorageClass::StorageBuffer
            | StorageClass::Uniform
            | StorageClass::PhysicalStorageBuffer => Space::Buffer,
            StorageClass::PushConstant => Space::Push,
            other => return Err(self.unknown(format!("storage class {other:?}"))),
        })
    }

    pub(super) fn register(&self, id: Word) -> Result<Reg> {
        let register = self.registers.get(&id).copied();
        register.ok_or_else(|| self.malformed(format!("undefined value {id}")))
    }

    /// The register of a value; for a pointer, a register that holds the address.
    pub(super) fn value(&mut self, id: Word) -> Result<Reg> {
        let Some(pointer) = self.pointers.get(&id).copied() else { return self.register(id) };
        self.note_computed(id);
        match pointer.at {
            Address { base: 0, reg: Some(reg) } => Ok(reg),
            Address { base, reg } => {
                let constant = self.allocate(1);
                self.program.constants.push((constant, base));
                let Some(reg) = reg else { return Ok(constant) };
                let dst = self.allocate(1);
                self.simple(Kind::IAdd, true, dst, reg, constant, 1);
                Ok(dst)
            }
        }
    }

    /// Records that a variable's address is used in a computation, so any of its registers may be
    /// accessed.
    fn note_computed(&mut self, id: Word) {
        let pointer = self.pointers.get(&id);
        let pointee = self.value_types.get(&id).and_then(|of| self.types.pointee(*of));
        if let (
            Some(Pointer { space: Space::Private, at: Address { base, reg: None }, .. }),
            Some((_, pointee)),
        ) = (pointer, pointee)
        {
            let first = *base as Reg;
            self.computed.push(first..first + self.types.slots(pointee));
        }
    }

    pub(super) fn operand(&mut self, i: &Instruction, at: usize) -> Result<Reg> {
        match id_at(i, at) {
            0 => Err(self.malformed(format!("Op{:?} lacks an operand", i.class.opcode))),
            id => self.value(id),
        }
    }

    pub(super) fn pointer(&self, i: &Instruction, at: usize) -> Result<(Pointer, Word)> {
        let id = id_at(i, at);
        let pointer = self.pointers.get(&id).copied();
        let pointee = self.value_types.get(&id).and_then(|of| self.types.pointee(*of));
        match (pointer, pointee) {
            (Some(pointer), Some((_, pointee))) => Ok((pointer, pointee)),
            _ => Err(self.malformed(format!("{id} is not a pointer"))),
        }
    }

    fn layout(space: Space) -> Layout {
        if space == Space::Shared { Layout::Packed } else { Layout::Decorated }
    }

    /// Distance between array elements, in bytes or registers.
    fn stride(&self, of: Word, element: Word, space: Space) -> u32 {
        match space {
            Space::Private => self.types.slots(element),
            _ => self.types.stride(of, Self::layout(space)),
        }
    }

    fn member(&self, of: Word, members: &[Word], member: u32, space: Space) -> u32 {
        match space {
            Space::Private => self.slots_before(members, member),
            _ => self.types.offset(of, member, Self::layout(space)),
        }
    }

    /// Number of scalars of the structure members before `member`.
    pub(super) fn slots_before(&self, members: &[Word], member: u32) -> u32 {
        members.iter().take(member as usize).map(|m| self.types.slots(*m)).sum()
    }

    pub(super) fn chain(&mut self, i: &Instruction) -> Result<()> {
        let (mut pointer, mut of) = self.pointer(i, 0)?;
        let mut terms = Vec::new();
        let indices: Vec<Word> =
            i.operands.iter().skip(1).filter_map(Operand::id_ref_any).collect();
        for index in indices {
            let known = self.constants.get(&index).and_then(|c| c.first()).copied();
            let (element, len) = match self.types.get(of).cloned() {
                Some(Type::Struct { members }) => {
                    let member = known.unwrap_or(0) as u32;
                    let Some(&next) = members.get(member as usize) else {
                        return Err(self.malformed("undefined structure member"));
                    };
                    pointer.at.base += u64::from(self.member(of, &members, member, pointer.space));
                    let how = self.types.member_qualifiers.get(&(of, member));
                    pointer.how = pointer.how.union(how.copied().unwrap_or_default());
                    of = next;
                    continue;
                }
                Some(Type::Array { element, len } | Type::Vector { element, len }) => {
                    (element, Some(len))
                }
                Some(Type::RuntimeArray { element }) => (element, None),
                _ => return Err(self.malformed("an index into a type that is not a composite")),
            };
            let stride = self.stride(of, element, pointer.space);
            match known {
                Some(k) if len.is_none_or(|len| k < u64::from(len)) => {
                    pointer.at.base += k * u64::from(stride);
                }
                _ => terms.push(Term { index: self.register(index)?, stride, len }),
            }
            of = element;
        }
        let Some(id) = i.result_id else { return Ok(()) };
        if !terms.is_empty() {
            self.note_computed(id_at(i, 0));
            let dst = self.register(id)?;
            self.emit(Code::Chain { dst, base: pointer.at, terms: terms.into() });
            pointer.at = Address { base: 0, reg: Some(dst) };
        }
        self.pointers.insert(id, pointer);
        Ok(())
    }

    fn access(i: &Instruction, at: usize, how: Qualifiers) -> Qualifiers {
        let volatile = matches!(
            i.operands.get(at),
            Some(Operand::MemoryAccess(mask)) if mask.contains(MemoryAccess::VOLATILE)
        );
        how.union(Qualifiers { coherent: false, volatile })
    }

    /// Splits a volatile access of several words into one access per word, since other lanes may
    /// run in between.
    fn pieces(leaves: Vec<Leaf>, how: Qualifiers) -> Vec<(u32, Box<[Leaf]>)> {
        if how.volatile {
            (0..).zip(leaves).map(|(k, leaf)| (k, Box::from([leaf]))).collect()
        } else {
            vec![(0, leaves.into())]
        }
    }

    pub(super) fn load(&mut self, i: &Instruction) -> Result<()> {
        let (pointer, of) = self.pointer(i, 0)?;
        let (dst, result_type, _) = self.result(i)?;
        self.bind_value(i.result_id.unwrap_or(0), result_type, dst)?;
        let n = self.types.slots(of);
        match (pointer.space, pointer.at) {
            (Space::Private, Address { base, reg: None }) => {
                self.emit(Code::Copy { dst, src: base as Reg, n });
            }
            (Space::Private, at) => self.emit(Code::LoadPrivate { dst, at, n }),
            (space, at) => {
                let how = Self::access(i, 1, pointer.how);
                let leaves = self.types.leaves(of, Self::layout(space));
                for (k, leaves) in Self::pieces(leaves, how) {
                    self.emit(Code::Load { space, dst: dst + k, at, leaves, how });
                }
            }
        }
        Ok(())
    }

    pub(super) fn store(&mut self, i: &Instruction) -> Result<()> {
        let (pointer, of) = self.pointer(i, 0)?;
        let src = self.operand(i, 1)?;
        let n = self.types.slots(of);
        match (pointer.space, pointer.at) {
            (Space::Private, Address { base, reg: None }) => {
                self.emit(Code::Copy { dst: base as Reg, src, n });
            }
            (Space::Private, at) => self.emit(Code::StorePrivate { at, src, n }),
            (space, at) => {
                let how = Self::access(i, 2, pointer.how);
                let leaves = self.types.leaves(of, Self::layout(space));
                for (k, leaves) in Self::pieces(leaves, how) {
                    self.emit(Code::Store { space, at, src: src + k, leaves, how });
                }
            }
        }
        Ok(())
    }

    pub(super) fn array_length(&mut self, i: &Instruction) -> Result<()> {
        let (pointer, of) = self.pointer(i, 0)?;
        let member = number_at(i, 1) as u32;
        let array = match self.types.get(of) {
            Some(Type::Struct { members }) => members.get(member as usize).copied(),
            _ => None,
        };
        let (Some(array), Some(id), None) = (array, i.result_id, pointer.at.reg) else {
            return Err(self.unknown("OpArrayLength of a computed pointer"));
        };
        let offset = self.types.offset(of, member, Layout::Decorated);
        let stride = self.types.stride(array, Layout::Decorated);
        let range = (pointer.at.base >> OFFSET_BITS) as u32;
        let dst = self.register(id)?;
        self.emit(Code::ArrayLength { dst, range, offset, stride });
        Ok(())
    }

    fn literal(&self, i: &Instruction, at: usize) -> u32 {
        let constant = self.constants.get(&id_at(i, at));
        constant.and_then(|scalars| scalars.first()).copied().unwrap_or(0) as u32
    }

    pub(super) fn scope(&self, i: &Instruction, at: usize) -> Result<Scope> {
        Ok(match self.literal(i, at) {
            0 | 1 | 5 => Scope::Device,
            2 => Scope::Workgroup,
            3 => Scope::Subgroup,
            4 => Scope::Invocation,
            other => return Err(self.unknown(format!("scope {other}"))),
        })
    }

    pub(super) fn semantics(&self, i: &Instruction, scope: usize, at: usize) -> Result<Semantics> {
        const ORDERED: u32 = 0x2 | 0x4 | 0x8 | 0x10;
        const UNIFORM_MEMORY: u32 = 0x40;
        const WORKGROUP_MEMORY: u32 = 0x100;
        let bits = self.literal(i, at);
        let orders = |memory: u32| bits & ORDERED != 0 && bits & memory != 0;
        Ok(Semantics {
            scope: self.scope(i, scope)?,
            shared: orders(WORKGROUP_MEMORY),
            buffer: orders(UNIFORM_MEMORY),
        })
    }

    /// Decodes an atomic. Returns whether `i` is one.
    pub(super) fn atomic(&mut self, i: &Instruction) -> Result<bool> {
        let op = i.class.opcode;
        if eval_atomic(op, false, 0, [0, 0]).is_none() {
            return Ok(false);
        }
        let (pointer, of) = self.pointer(i, 0)?;
        let Some(scalar) = self.types.scalar(of) else {
            return Err(self.malformed("an atomic on a type that is not a scalar"));
        };
        let semantics = self.semantics(i, 1, 2)?;
        let args = match op {
            Op::AtomicCompareExchange => [self.operand(i, 4)?, self.operand(i, 5)?],
            Op::AtomicLoad | Op::AtomicIIncrement | Op::AtomicIDecrement => [0, 0],
            _ => [self.operand(i, 3)?, 0],
        };
        let dst = i.result_id.filter(|id| self.used.contains(id));
        let dst = dst.map(|id| self.register(id)).transpose()?;
        let (space, at, wide) = (pointer.space, pointer.at, scalar.wide());
        if space != Space::Shared && space != Space::Buffer {
            return Err(self.unknown("an atomic on private memory"));
        }
        // An atomic with stronger semantics than relaxed becomes a relaxed atomic between two
        // memory barriers.
        let ordered = semantics.shared || semantics.buffer;
        if ordered {
            self.emit(Code::MemoryBarrier(semantics));
        }
        self.emit(Code::Atomic { op, space, dst, at, args, wide });
        if ordered {
            self.emit(Code::MemoryBarrier(semantics));
        }
        Ok(true)
    }
}
