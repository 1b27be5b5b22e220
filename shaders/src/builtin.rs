//! The kernels that ship with the library, as constants: `builtin::SCAN_REDUCE`.

use std::sync::{Arc, OnceLock};

use crate::kernel::Kernel;
use crate::reflect::ReflectError;

pub use crate::generated::*;

/// A kernel whose SPIR-V is part of the library. It is reflected when first asked for.
pub struct Builtin {
    label: &'static str,
    file: &'static str,
    defines: &'static [(&'static str, &'static str)],
    spirv: &'static [u8],
    kernel: OnceLock<Arc<Kernel>>,
}

impl Builtin {
    pub(crate) const fn new(
        label: &'static str,
        file: &'static str,
        defines: &'static [(&'static str, &'static str)],
        spirv: &'static [u8],
    ) -> Self {
        Self { label, file, defines, spirv, kernel: OnceLock::new() }
    }

    /// The dotted lower-case label.
    pub fn label(&self) -> &'static str {
        self.label
    }

    /// The file of its GLSL, below `glsl/`.
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// The preprocessor definitions that make this variant of the file.
    pub fn defines(&self) -> &'static [(&'static str, &'static str)] {
        self.defines
    }

    /// The number that this variant was compiled with for the preprocessor definition `name`:
    /// the host sizes its dispatches by it, so that the two cannot disagree.
    pub fn define(&self, name: &str) -> Option<u32> {
        self.defines.iter().find(|(n, _)| *n == name).and_then(|(_, value)| value.parse().ok())
    }

    /// The checked-in SPIR-V, as bytes.
    pub fn spirv_bytes(&self) -> &'static [u8] {
        self.spirv
    }

    /// The kernel with its interface; the same one every time.
    pub fn kernel(&self) -> Result<Arc<Kernel>, ReflectError> {
        if let Some(kernel) = self.kernel.get() {
            return Ok(kernel.clone());
        }
        // The bytes of an included file have no alignment, so the words are copied out once.
        let words = |b: &[u8]| b.iter().rev().fold(0u32, |w, &byte| (w << 8) | u32::from(byte));
        let spirv: Vec<u32> = self.spirv.chunks_exact(4).map(words).collect();
        let kernel = Kernel::built_in(self.label, spirv)?;
        Ok(self.kernel.get_or_init(|| kernel).clone())
    }
}
