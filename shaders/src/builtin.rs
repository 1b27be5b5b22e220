//! The kernels that ship with the library, as constants: `builtin::SCAN_REDUCE`.

use std::sync::{Arc, OnceLock};

use crate::kernel::Kernel;
use crate::reflect::ReflectError;

pub use crate::generated::*;

/// The compressed module of a file below `spv/`.
macro_rules! packed {
    ($file:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $file))
    };
}
pub(crate) use packed;

/// A kernel whose SPIR-V is part of the library. It is reflected when first asked for.
pub struct Builtin {
    label: &'static str,
    file: &'static str,
    defines: &'static [(&'static str, &'static str)],
    /// Its SPIR-V, compressed by the build script.
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

    /// The checked-in SPIR-V. It is unpacked at each call.
    pub fn spirv(&self) -> Vec<u32> {
        // What the build script has packed can be unpacked; no words would be no module.
        let bytes = miniz_oxide::inflate::decompress_to_vec(self.packed).unwrap_or_default();
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |w, &b| (w << 8) | u32::from(b));
        bytes.chunks_exact(4).map(word).collect()
    }

    /// The kernel with its interface; the same one every time.
    pub fn kernel(&self) -> Result<Arc<Kernel>, ReflectError> {
        if let Some(kernel) = self.kernel.get() {
            return Ok(kernel.clone());
        }
        let kernel = Kernel::built_in(self.label, self.spirv())?;
        Ok(self.kernel.get_or_init(|| kernel).clone())
    }
}
