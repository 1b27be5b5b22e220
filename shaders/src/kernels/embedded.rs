//! Kernels whose SPIR-V is embedded in the library.

use std::sync::{Arc, OnceLock};

use crate::spirv::interface::ReflectError;
use crate::spirv::kernel::Kernel;

/// Declares the built-in kernels, with their labels, files and preprocessor definitions, and a list of all of them.
macro_rules! builtins {
    ($($name:ident: $label:literal, $file:literal, [$($define:ident = $value:literal),*];)*) => {
        $(
            #[doc = concat!("`", $label, "`: `glsl/", $file, "`.")]
            pub static $name: Builtin = Builtin::new(
                $label,
                $file,
                &[$((stringify!($define), $value)),*],
                include_bytes!(concat!(env!("OUT_DIR"), "/", $label, ".spv")),
            );
        )*

        /// Every built-in kernel, in the order of `glsl/kernels.txt`.
        pub static ALL: &[&Builtin] = &[$(&$name),*];
    };
}
pub(crate) use builtins;

/// A kernel whose SPIR-V is embedded in the library. It is reflected on first use.
pub struct Builtin {
    label: &'static str,
    file: &'static str,
    defines: &'static [(&'static str, &'static str)],
    /// SPIR-V, compressed by the build script.
    packed: &'static [u8],
    kernel: OnceLock<Arc<Kernel>>,
}

impl Builtin {
    pub(crate) const fn new(
        label: &'static str,
        file: &'static str,
        defines: &'static [(&'static str, &'static str)],
        packed: &'static [u8],
    ) -> Self {
        Self { label, file, defines, packed, kernel: OnceLock::new() }
    }

    /// Dotted lower-case label.
    pub fn label(&self) -> &'static str {
        self.label
    }

    /// Path of its GLSL below `glsl/`.
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// Preprocessor definitions of this variant.
    pub fn defines(&self) -> &'static [(&'static str, &'static str)] {
        self.defines
    }

    /// The value of the preprocessor definition `name` in this variant. The host uses it to compute workgroup counts,
    /// so that host and kernel always agree.
    pub fn define(&self, name: &str) -> Option<u32> {
        self.defines.iter().find(|(n, _)| *n == name).and_then(|(_, value)| value.parse().ok())
    }

    /// The checked-in SPIR-V. It is decompressed on each call.
    pub fn spirv(&self) -> Vec<u32> {
        // Decompression cannot fail, because the build script has compressed the data. An empty result would be
        // rejected as a module.
        let bytes = miniz_oxide::inflate::decompress_to_vec(self.packed).unwrap_or_default();
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |w, &b| (w << 8) | u32::from(b));
        bytes.chunks_exact(4).map(word).collect()
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
