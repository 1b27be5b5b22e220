//! What a kernel is: SPIR-V together with the interface that was reflected from it.
//!
//! Everything the scheduler and the engine know about a shader (binding names, who reads and who
//! writes, the push-constant layout, the workgroup size) comes from here, and so from the SPIR-V:
//! it is never typed a second time in Rust, where it could disagree.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::reflect::{self, ReflectError};

/// A compute shader ready to become a pipeline, with its reflected [`Interface`].
pub struct Kernel {
    label: Cow<'static, str>,
    spirv: Cow<'static, [u32]>,
    interface: Interface,
}

impl Kernel {
    /// Reflects `spirv` into a kernel. `label` is the dotted lower-case name (`scan.reduce`) that
    /// passes, debug labels, tracing spans and error messages share.
    pub fn new(
        label: impl Into<Cow<'static, str>>,
        spirv: impl Into<Cow<'static, [u32]>>,
    ) -> Result<Arc<Self>, ReflectError> {
        let spirv = spirv.into();
        let interface = reflect::reflect(&spirv)?;
        Ok(Arc::new(Self { label: label.into(), spirv, interface }))
    }

    /// The dotted lower-case name.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The SPIR-V words, as handed to the driver.
    pub fn spirv(&self) -> &[u32] {
        &self.spirv
    }

    /// What the shader expects from the host.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel")
            .field("label", &self.label)
            .field("words", &self.spirv.len())
            .field("interface", &self.interface)
            .finish()
    }
}

/// What a shader expects from the host, as reflected from its SPIR-V.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Name of the compute entry point.
    pub entry_point: String,
    /// Buffer bindings, ordered by set and then by binding number.
    pub bindings: Vec<Binding>,
    /// The push-constant block, if there is one.
    pub push_constants: Option<PushBlock>,
    /// Specialization constants that have a `constant_id`, ordered by it.
    pub spec_constants: Vec<SpecConstant>,
    /// Workgroup size in x, y and z.
    pub local_size: [Dimension; 3],
    /// SPIR-V capabilities the module declares, by their SPIR-V names, sorted.
    pub capabilities: Vec<String>,
}

impl Interface {
    /// The binding called `name`.
    pub fn binding(&self, name: &str) -> Option<&Binding> {
        self.bindings.iter().find(|b| b.name == name)
    }

    /// The specialization constant called `name`.
    pub fn spec_constant(&self, name: &str) -> Option<&SpecConstant> {
        self.spec_constants.iter().find(|c| c.name == name)
    }

    /// The workgroup size once specialization constants have been given: `value_of` maps a
    /// `constant_id` to its value, or to `None` for the default.
    pub fn workgroup_size(&self, value_of: impl Fn(u32) -> Option<u32>) -> [u32; 3] {
        self.local_size.map(|dimension| match dimension {
            Dimension::Fixed(size) => size,
            Dimension::Specialized { id, default } => value_of(id).unwrap_or(default),
        })
    }
}

/// One buffer binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The GLSL instance name. Where several blocks share one binding number (views of the same
    /// memory as `uint` and as `uvec4`), the shortest of their names.
    pub name: String,
    /// Descriptor set.
    pub set: u32,
    /// Binding number within the set.
    pub binding: u32,
    /// Storage or uniform buffer.
    pub kind: BindingKind,
    /// What the shader may do with it, from `readonly` and `writeonly`.
    pub access: BindingAccess,
    /// Bytes before the unsized array (all of the block where there is none).
    pub fixed_size: u32,
    /// Stride in bytes of the trailing unsized array, if the block ends in one. Where several
    /// blocks share the binding, the smallest.
    pub element_stride: Option<u32>,
}

/// The kind of descriptor a binding needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingKind {
    /// `buffer`: a storage buffer.
    Storage,
    /// `uniform`: a uniform buffer, always read-only.
    Uniform,
}

/// What a shader may do with a binding. `Write` never means "fully overwritten": a scatter
/// writes a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingAccess {
    /// `readonly` on every member (or a uniform buffer).
    Read,
    /// `writeonly` on every member.
    Write,
    /// Anything else, atomics included.
    ReadWrite,
}

impl BindingAccess {
    /// Whether the shader may read.
    pub fn reads(self) -> bool {
        !matches!(self, Self::Write)
    }

    /// Whether the shader may write.
    pub fn writes(self) -> bool {
        !matches!(self, Self::Read)
    }

    /// What both together may do.
    pub fn union(self, other: Self) -> Self {
        if self == other { self } else { Self::ReadWrite }
    }
}

/// The push-constant block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushBlock {
    /// Size in bytes, rounded up to a multiple of four.
    pub size: u32,
    /// Members in declaration order.
    pub members: Vec<PushMember>,
}

/// One member of a push-constant block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushMember {
    /// GLSL name.
    pub name: String,
    /// Offset in bytes.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
}

/// One specialization constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecConstant {
    /// GLSL name.
    pub name: String,
    /// `constant_id`.
    pub id: u32,
    /// Default value as its 32-bit pattern (booleans are 0 and 1).
    pub default: u32,
}

/// One dimension of the workgroup size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Written in the shader.
    Fixed(u32),
    /// Given by a specialization constant (`local_size_x_id`).
    Specialized {
        /// The constant's id.
        id: u32,
        /// Its default.
        default: u32,
    },
}

impl Default for Dimension {
    fn default() -> Self {
        Self::Fixed(1)
    }
}
