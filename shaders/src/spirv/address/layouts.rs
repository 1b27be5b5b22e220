//! Alignment of addresses, from offsets and strides of the types in buffers.

use std::collections::HashMap;

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op, Word};

/// Required alignment of addresses, so that kernels may read 16 bytes at a time.
pub const ADDRESS_ALIGNMENT: u32 = 16;
/// Bytes per word: the alignment assumed for unknown types.
const WORD: u32 = 4;

/// A type, or a member of a structure type.
type Target = (Word, Option<u32>);

/// Types, constants and decorations of a module, by id.
pub(super) struct Layouts {
    globals: HashMap<Word, Instruction>,
    /// By type or variable, and for members also by index.
    decorations: HashMap<Target, Vec<(Decoration, u32)>>,
}

/// A location in a buffer that a pointer refers to.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub pointee: Word,
    /// Alignment of the address.
    pub alignment: u32,
    /// The innermost structure member on the path, which has the matrix layout.
    member: Option<(Word, u32)>,
}

impl Place {
    /// The start of a buffer that contains a `block`.
    pub fn buffer(block: Word) -> Self {
        Self { pointee: block, alignment: ADDRESS_ALIGNMENT, member: None }
    }
}

impl Layouts {
    pub fn new(module: &Module) -> Self {
        let globals = module.types_global_values.iter();
        let globals = globals.filter_map(|i| Some((i.result_id?, i.clone()))).collect();
        let mut decorations: HashMap<_, Vec<_>> = HashMap::new();
        for instruction in &module.annotations {
            let (target, rest) = match (instruction.class.opcode, &instruction.operands[..]) {
                (Op::Decorate, [Operand::IdRef(id), rest @ ..]) => ((*id, None), rest),
                (
                    Op::MemberDecorate,
                    [Operand::IdRef(id), Operand::LiteralBit32(member), rest @ ..],
                ) => ((*id, Some(*member)), rest),
                _ => continue,
            };
            if let Some(Operand::Decoration(what)) = rest.first() {
                let value = literal(rest.get(1)).unwrap_or(0);
                decorations.entry(target).or_default().push((*what, value));
            }
        }
        Self { globals, decorations }
    }

    /// The operand of a decoration, or 0 if it has no operand. `None` if there is no such decoration.
    pub fn decoration(&self, of: Word, member: Option<u32>, what: Decoration) -> Option<u32> {
        let list = self.decorations.get(&(of, member))?;
        list.iter().find(|(decoration, _)| *decoration == what).map(|(_, value)| *value)
    }

    /// The largest alignment used for values of a type: that of a whole vector, or of the largest scalar in
    /// other types.
    pub fn alignment(&self, of: Word) -> u32 {
        let Some(global) = self.globals.get(&of) else { return WORD };
        let mut inner = global.operands.iter().filter_map(Operand::id_ref_any);
        match global.class.opcode {
            Op::TypeInt | Op::TypeFloat => literal(global.operands.first()).unwrap_or(0) / 8,
            Op::TypeVector => {
                let component = inner.next().map_or(WORD, |id| self.alignment(id));
                let bytes = component * literal(global.operands.get(1)).unwrap_or(0);
                if bytes.is_power_of_two() { bytes.min(ADDRESS_ALIGNMENT) } else { component }
            }
            Op::TypeMatrix | Op::TypeArray | Op::TypeRuntimeArray => {
                inner.next().map_or(WORD, |id| self.largest_number(id))
            }
            Op::TypeStruct => inner.map(|id| self.largest_number(id)).max().unwrap_or(WORD),
            _ => WORD,
        }
    }

    /// Bytes of the largest scalar in a type.
    fn largest_number(&self, of: Word) -> u32 {
        let component = self.globals.get(&of).filter(|i| i.class.opcode == Op::TypeVector);
        let component = component.and_then(|i| i.operands.first()?.id_ref_any());
        self.alignment(component.unwrap_or(of))
    }

    /// The location that an access chain through `indices` refers to; `None` if the layout is incomplete.
    ///
    /// The alignment follows from offsets and strides: in the `scalar` layout a `vec4` may be at any multiple
    /// of 4, and so may each column of a row-major matrix.
    pub fn chain(&self, from: Place, indices: &[Word]) -> Option<Place> {
        let mut place = from;
        for index in indices {
            let ty = place.pointee;
            let global = self.globals.get(&ty)?;
            let first = global.operands.first().and_then(Operand::id_ref_any);
            let (inner, step) = match global.class.opcode {
                Op::TypeStruct => {
                    let member = literal(self.globals.get(index)?.operands.first())?;
                    place.member = Some((ty, member));
                    let offset = self.decoration(ty, Some(member), Decoration::Offset)?;
                    (global.operands.get(member as usize)?.id_ref_any()?, offset)
                }
                Op::TypeArray | Op::TypeRuntimeArray => {
                    (first?, self.decoration(ty, None, Decoration::ArrayStride)?)
                }
                Op::TypeMatrix => {
                    let (structure, member) = place.member?;
                    let decoration = |what| self.decoration(structure, Some(member), what);
                    let step = match decoration(Decoration::RowMajor) {
                        Some(_) => self.largest_number(first?),
                        None => decoration(Decoration::MatrixStride)?,
                    };
                    (first?, step)
                }
                Op::TypeVector => (first?, self.alignment(first?)),
                _ => return None,
            };
            // A step of 0 has no lowest set bit, and keeps the alignment.
            let step = 1u32.checked_shl(step.trailing_zeros()).unwrap_or(place.alignment);
            place = Place { pointee: inner, alignment: place.alignment.min(step), ..place };
        }
        Some(place)
    }
}

fn literal(operand: Option<&Operand>) -> Option<u32> {
    match operand {
        Some(Operand::LiteralBit32(value)) => Some(*value),
        _ => None,
    }
}
