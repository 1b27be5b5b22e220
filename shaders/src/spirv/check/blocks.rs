//! Checks the memory layout of blocks (the structures of buffers and push constants).

use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Word};

use super::error::{CheckError, declaration, invalid};
use crate::spirv::ids::{Ids, Shape, literal};

/// Checks that the members of a block do not overlap. Only the last member may be an unsized array, and only if
/// `may_end_unsized` is set.
pub(super) fn check(
    ids: &Ids,
    name: &str,
    block: Word,
    may_end_unsized: bool,
) -> Result<(), CheckError> {
    let refuse = |problem: &str| Err(declaration(name, problem));
    let Shape::Struct(members) = ids.shape(block) else {
        return refuse("is not a block; arrays of buffers, images and samplers are not allowed");
    };
    if !ids.has(block, Decoration::Block) {
        return refuse("is not decorated as a block");
    }
    let mut end = 0;
    for (index, ty) in (0u32..).zip(&members) {
        let label = ids.member_name(block, index);
        let name = &format!("{name}.{label}");
        let member = Member { ids, structure: block, index, name };
        let Some(offset) = member.offset() else {
            return Err(invalid(format!("`{name}` has no offset")));
        };
        if offset < end {
            return refuse(&format!("has members that overlap or are out of order at `{label}`"));
        }
        let last = index as usize + 1 == members.len();
        let bytes = match ids.shape(*ty) {
            Shape::RuntimeArray { element } if last && may_end_unsized => {
                member.stride(*ty, element)?
            }
            Shape::RuntimeArray { .. } => {
                return refuse(&format!(
                    "has an array without a length, `{label}`, that is not the last member of a storage buffer"
                ));
            }
            _ => member.bytes(*ty)?,
        };
        end = offset.saturating_add(bytes);
    }
    if end > u64::from(u32::MAX) {
        return refuse("has 4 GiB or more");
    }
    Ok(())
}

/// A member of a structure in a block. If it contains matrices, even in arrays, its decorations describe their
/// layout.
#[derive(Clone, Copy)]
struct Member<'m> {
    ids: &'m Ids,
    structure: Word,
    index: u32,
    /// Name for messages: the member of the block that this member is part of (`block.member`).
    name: &'m str,
}

impl Member<'_> {
    fn decoration(&self, what: Decoration) -> Option<&[Operand]> {
        self.ids.member_decoration(self.structure, self.index, what)
    }

    fn offset(&self) -> Option<u64> {
        literal(self.decoration(Decoration::Offset)).map(u64::from)
    }

    /// The stride of an array, which must be at least the element size.
    fn stride(&self, array: Word, element: Word) -> Result<u64, CheckError> {
        let bytes = self.bytes(element)?;
        let stride = literal(self.ids.decoration(array, Decoration::ArrayStride));
        let stride = stride.unwrap_or(0).into();
        if stride == 0 || stride < bytes {
            let name = self.name;
            return Err(invalid(format!("the elements of `{name}` overlap or have no stride")));
        }
        Ok(stride)
    }

    /// Number of bytes from the first to the last element of a matrix.
    fn matrix_bytes(&self, column: Word, columns: u32) -> Result<u64, CheckError> {
        let wrong = |problem: &str| invalid(format!("the matrix `{}` {problem}", self.name));
        let Shape::Vector { component, count: rows } = self.ids.shape(column) else {
            return Err(wrong("has columns that are not vectors"));
        };
        let row_major = self.decoration(Decoration::RowMajor).is_some();
        let (vectors, components) = if row_major { (rows, columns) } else { (columns, rows) };
        let vector = self.bytes(component)? * u64::from(components);
        let stride = literal(self.decoration(Decoration::MatrixStride));
        let stride = u64::from(stride.ok_or_else(|| wrong("has no MatrixStride"))?);
        if stride < vector {
            return Err(wrong("has rows or columns that overlap"));
        }
        Ok(stride * u64::from(vectors.saturating_sub(1)) + vector)
    }

    /// Size in bytes of a type with an explicit layout.
    fn bytes(&self, ty: Word) -> Result<u64, CheckError> {
        let refuse = |problem: &str| Err(declaration(self.name, problem));
        Ok(match self.ids.shape(ty) {
            Shape::Int { bits, .. } | Shape::Float { bits } => u64::from(bits / 8),
            Shape::Vector { component, count } => self.bytes(component)? * u64::from(count),
            Shape::Matrix { column, count } => self.matrix_bytes(column, count)?,
            Shape::Array { element, length } => {
                let Some(length) = self.ids.constant(length) else {
                    return refuse(
                        "is an array in a block, and its length is a specialization constant; only shared \
                         and local arrays may have such a length",
                    );
                };
                self.stride(ty, element)?.saturating_mul(length)
            }
            Shape::Struct(members) => {
                let mut end = 0;
                for (index, inner) in (0u32..).zip(members) {
                    let member = Self { structure: ty, index, ..*self };
                    let Some(offset) = member.offset().filter(|offset| *offset >= end) else {
                        let name = self.name;
                        return Err(invalid(format!(
                            "members of `{name}` overlap or have no offset"
                        )));
                    };
                    end = offset + member.bytes(inner)?;
                }
                end
            }
            _ => {
                return refuse(
                    "is not plain data; use numbers, vectors, matrices, arrays or structures",
                );
            }
        })
    }
}
