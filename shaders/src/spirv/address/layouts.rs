//! Computes the alignment of addresses from the offsets and strides of types in buffers.

use rspirv::spirv::{Decoration, Word};

use crate::spirv::ids::{Ids, Shape, literal};

/// Required alignment of addresses, so that kernels may read 16 bytes at a time.
pub const ADDRESS_ALIGNMENT: u32 = 16;
/// Size of a word in bytes, which is also the alignment assumed for unknown types.
const WORD: u32 = 4;

/// A location in a buffer that a pointer refers to.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub pointee: Word,
    /// Alignment of the location's address, in bytes.
    pub alignment: u32,
    /// The innermost structure member on the path: a structure and a member index. Its decorations describe the layout
    /// of matrices.
    member: Option<(Word, u32)>,
}

impl Place {
    /// The start of a buffer whose type is `block`.
    pub fn buffer(block: Word) -> Self {
        Self { pointee: block, alignment: ADDRESS_ALIGNMENT, member: None }
    }
}

/// Maximum alignment, in bytes, that loads and stores of a type can declare. For a vector, this is its size (at most
/// [`ADDRESS_ALIGNMENT`]), or the component size if the vector size is not a power of two; for other types, the
/// size of the largest scalar.
pub(super) fn alignment(ids: &Ids, ty: Word) -> u32 {
    match ids.shape(ty) {
        Shape::Int { bits, .. } | Shape::Float { bits } => bits / 8,
        Shape::Vector { component, count } => {
            let component = alignment(ids, component);
            let bytes = component * count;
            if bytes.is_power_of_two() { bytes.min(ADDRESS_ALIGNMENT) } else { component }
        }
        Shape::Matrix { column: inner, .. }
        | Shape::Array { element: inner, .. }
        | Shape::RuntimeArray { element: inner } => largest_scalar(ids, inner),
        Shape::Struct(members) => {
            members.iter().map(|&member| largest_scalar(ids, member)).max().unwrap_or(WORD)
        }
        _ => WORD,
    }
}

/// Size of the largest scalar in a type, in bytes.
fn largest_scalar(ids: &Ids, ty: Word) -> u32 {
    match ids.shape(ty) {
        Shape::Vector { component, .. } => alignment(ids, component),
        _ => alignment(ids, ty),
    }
}

/// The location that an access chain through `indices` refers to; `None` if the layout is incomplete.
///
/// The alignment follows from offsets and strides: in the `scalar` layout a `vec4` may be at any multiple of
/// 4, and so may each column of a row-major matrix.
pub(super) fn chain(ids: &Ids, from: Place, indices: &[Word]) -> Option<Place> {
    let mut place = from;
    for &index in indices {
        let ty = place.pointee;
        let (inner, step) = match ids.shape(ty) {
            Shape::Struct(members) => {
                let member = u32::try_from(ids.constant(index)?).ok()?;
                place.member = Some((ty, member));
                let offset = literal(ids.member_decoration(ty, member, Decoration::Offset))?;
                (*members.get(member as usize)?, offset)
            }
            Shape::Array { element, .. } | Shape::RuntimeArray { element } => {
                (element, literal(ids.decoration(ty, Decoration::ArrayStride))?)
            }
            Shape::Matrix { column, .. } => {
                let (structure, member) = place.member?;
                let decoration = |what| ids.member_decoration(structure, member, what);
                let step = match decoration(Decoration::RowMajor) {
                    Some(_) => largest_scalar(ids, column),
                    None => literal(decoration(Decoration::MatrixStride))?,
                };
                (column, step)
            }
            Shape::Vector { component, .. } => (component, alignment(ids, component)),
            _ => return None,
        };
        // The alignment of a step is its lowest set bit. A step of 0 does not reduce the alignment.
        let step = 1u32.checked_shl(step.trailing_zeros()).unwrap_or(place.alignment);
        place = Place { pointee: inner, alignment: place.alignment.min(step), ..place };
    }
    Some(place)
}
