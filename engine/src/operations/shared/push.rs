//! Push constants of kernels.

/// Push constants: a struct with a `u32` for each name, or an array of two for `name[2]`. `Graph::compile` compares it
/// with the kernel's block. A name without a value takes the value of the variable with this name.
macro_rules! push_words {
    (@member) => { u32 };
    (@member $len:literal) => { [u32; $len] };
    ($($name:ident $([$len:literal])? $(: $value:expr)?),* $(,)?) => {{
        multisplit_shaders::push_constants! {
            struct Words {
                $($name: $crate::operations::shared::push_words!(@member $($len)?)),*
            }
        }
        Words { $($name $(: $value)?),* }
    }};
}
pub(in crate::operations) use push_words;

/// Low and high word of a number.
pub fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}
