//! Kernels whose SPIR-V is embedded in the library.

use std::sync::{Arc, OnceLock};

use super::packed::{Relative, unpack};
use crate::spirv::interface::ReflectError;
use crate::spirv::kernel::Kernel;

/// The packed modules, written by the build script. Each kernel has a constant with the name of its [`Builtin`].
pub(crate) mod packs {
    use super::Packed;

    include!(concat!(env!("OUT_DIR"), "/packs.rs"));
}

/// A module in a group of packed modules.
#[derive(Clone, Copy)]
pub(crate) struct Packed {
    group: &'static &'static [u8],
    index: usize,
}

/// Declares a static for each built-in kernel, with its label, file and preprocessor definitions, and lists of all
/// kernels and labels.
macro_rules! builtins {
    ($($name:ident: $label:literal, $file:literal, [$($define:ident = $value:literal),*];)*) => {
        $(
            #[doc = concat!("`", $label, "`: `glsl/", $file, "`.")]
            pub static $name: Builtin = Builtin::new(
                $label,
                $file,
                &[$((stringify!($define), $value)),*],
                super::embedded::packs::$name,
            );
        )*

        /// Every built-in kernel, in the order of `glsl/kernels.txt`.
        pub static ALL: &[&Builtin] = &[$(&$name),*];

        /// The labels of [`ALL`]. A program that uses only this list does not contain the SPIR-V of all kernels.
        pub static LABELS: &[&str] = &[$($label),*];
    };
}
pub(crate) use builtins;

/// Declares a static for each table of kernel variants, with the label of their family.
macro_rules! variants {
    ($($name:ident: $label:literal, $type:ty = $table:expr;)*) => {
        $(
            #[doc = concat!("`", $label, "`.")]
            pub static $name: $type = $table;
        )*
    };
}
pub(crate) use variants;

/// A kernel whose SPIR-V is embedded in the library. It is reflected on first use.
pub struct Builtin {
    label: &'static str,
    file: &'static str,
    defines: &'static [(&'static str, &'static str)],
    /// SPIR-V, packed by the build script.
    packed: Packed,
    kernel: OnceLock<Arc<Kernel>>,
}

impl Builtin {
    pub(crate) const fn new(
        label: &'static str,
        file: &'static str,
        defines: &'static [(&'static str, &'static str)],
        packed: Packed,
    ) -> Self {
        Self { label, file, defines, packed, kernel: OnceLock::new() }
    }

    /// Dotted lower-case label.
    pub fn label(&self) -> &'static str {
        self.label
    }

    /// Path of the GLSL file, relative to `glsl/`.
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// Preprocessor definitions of this variant.
    pub fn defines(&self) -> &'static [(&'static str, &'static str)] {
        self.defines
    }

    /// The preprocessor definition `name` of this variant, if it is a number. The host computes some tile sizes from
    /// it, so that host and kernel agree.
    pub fn define(&self, name: &str) -> Option<u32> {
        self.defines.iter().find(|(n, _)| *n == name).and_then(|(_, value)| value.parse().ok())
    }

    /// The embedded SPIR-V. It is unpacked on each call.
    pub fn spirv(&self) -> Vec<u32> {
        // Unpacking cannot fail, because the build script has already unpacked the same data. An empty result would be
        // rejected as a module.
        let relative = Relative::new(packs::RELATIVE);
        let modules = unpack(self.packed.group, &relative, self.packed.index);
        modules.and_then(|mut modules| modules.pop()).unwrap_or_default()
    }

    /// The kernel with its reflected interface. It is cached.
    pub fn kernel(&self) -> Result<Arc<Kernel>, ReflectError> {
        if let Some(kernel) = self.kernel.get() {
            return Ok(kernel.clone());
        }
        let kernel = Kernel::built_in(self.label, self.spirv())?;
        Ok(self.kernel.get_or_init(|| kernel).clone())
    }
}
