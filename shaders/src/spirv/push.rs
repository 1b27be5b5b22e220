//! Compares a Rust struct of push constants with the block that a shader declares.

use crate::spirv::interface::PushBlock;

/// A plain struct of push constants, with the names and offsets of its fields. Implemented by
/// [`push_constants!`](crate::push_constants).
pub trait PushConstants {
    /// Fields in declaration order.
    const FIELDS: &'static [PushField];

    /// The bytes to push. Padding is zero.
    fn to_bytes(&self) -> Vec<u8>;
}

/// One field of a [`PushConstants`] struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PushField {
    /// Rust name. It equals the name of the shader's member.
    pub name: &'static str,
    /// Offset in bytes.
    pub offset: usize,
    /// Size in bytes.
    pub size: usize,
}

/// A mismatch between a Rust struct and a shader's push-constant block.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PushMismatch {
    /// The struct and the block have different numbers of members.
    #[error("the shader has {shader} push constants, but the Rust struct has {rust} fields")]
    Count {
        /// Members in the shader's block.
        shader: usize,
        /// Fields of the struct.
        rust: usize,
    },
    /// One member differs.
    #[error("the shader declares push constant `{shader}`, but the Rust struct has `{rust}`")]
    Member {
        /// Name, offset and size in the shader.
        shader: String,
        /// Name, offset and size in Rust.
        rust: String,
    },
}

/// Checks names, offsets and sizes, member by member.
pub fn check_layout(block: &PushBlock, fields: &[PushField]) -> Result<(), PushMismatch> {
    if block.members.len() != fields.len() {
        return Err(PushMismatch::Count { shader: block.members.len(), rust: fields.len() });
    }
    for (member, field) in block.members.iter().zip(fields) {
        let shader = (member.name.as_str(), member.offset as usize, member.size as usize);
        let rust = (field.name, field.offset, field.size);
        if shader != rust {
            let show = |(name, offset, size): (&str, usize, usize)| {
                format!("{name} at {offset}, {size} bytes")
            };
            return Err(PushMismatch::Member { shader: show(shader), rust: show(rust) });
        }
    }
    Ok(())
}

/// Declares a `#[repr(C)]` struct of push constants whose layout can be checked against a shader.
///
/// ```
/// multisplit_shaders::push_constants! {
///     /// Push constants of `scan.reduce`.
///     pub struct Reduce {
///         /// Number of elements.
///         pub n: u32,
///         /// First tile of this dispatch.
///         pub first_tile: u32,
///     }
/// }
/// use multisplit_shaders::PushConstants;
/// assert_eq!(Reduce::FIELDS[1].offset, 4);
/// assert_eq!(Reduce { n: 1, first_tile: 2 }.to_bytes(), [1, 0, 0, 0, 2, 0, 0, 0]);
/// ```
#[macro_export]
macro_rules! push_constants {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $( $(#[$field_meta:meta])* $field_vis:vis $field:ident : $ty:ty ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        $vis struct $name {
            $( $(#[$field_meta])* $field_vis $field: $ty, )*
        }

        impl $crate::PushConstants for $name {
            const FIELDS: &'static [$crate::PushField] = &[
                $( $crate::PushField {
                    name: stringify!($field),
                    offset: ::core::mem::offset_of!($name, $field),
                    size: ::core::mem::size_of::<$ty>(),
                }, )*
            ];

            fn to_bytes(&self) -> ::std::vec::Vec<u8> {
                let mut bytes = ::std::vec![0; ::core::mem::size_of::<Self>()];
                $( {
                    let field = $crate::bytemuck::bytes_of(&self.$field);
                    let offset = ::core::mem::offset_of!($name, $field);
                    bytes[offset..offset + field.len()].copy_from_slice(field);
                } )*
                bytes
            }
        }
    };
}
