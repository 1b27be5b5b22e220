//! The interface between a shader and the host, and the errors of its reflection.

/// The interface between a shader and the host, reflected from its SPIR-V.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Name of the compute entry point.
    pub entry_point: String,
    /// Buffer bindings, ordered by set and then by binding number.
    pub bindings: Vec<Binding>,
    /// The push-constant block, if there is one.
    pub push_constants: Option<PushBlock>,
    /// Specialization constants that have a `constant_id`, sorted by it.
    pub spec_constants: Vec<SpecConstant>,
    /// Workgroup size in x, y and z.
    pub local_size: [Dimension; 3],
    /// SPIR-V names of the capabilities that the module declares, sorted.
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

    /// The workgroup size with these specialization constants: `value_of` maps a `constant_id` to its value,
    /// or to `None` for the default.
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
    /// The GLSL instance name, or the block's name if it has none. Several blocks may share one binding number (views
    /// of the same memory as `uint` and as `uvec4`); this is then the shortest of their names.
    pub name: String,
    /// Descriptor set.
    pub set: u32,
    /// Binding number within the set.
    pub binding: u32,
    /// Storage or uniform buffer.
    pub kind: BindingKind,
    /// Access by the shader, according to `readonly` and `writeonly`.
    pub access: BindingAccess,
    /// Offset in bytes of the unsized array at the end, or the size of the whole block if there is none. If several
    /// blocks share the binding, this is the largest value.
    pub fixed_size: u32,
    /// Stride in bytes of the unsized array at the end, if there is one. If several blocks share the binding, this is
    /// the smallest stride.
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

/// Access to a binding by a shader. `Write` does not imply that the whole buffer is overwritten: a scatter writes
/// only parts of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingAccess {
    /// `readonly` on the block or on every member, or a uniform buffer.
    Read,
    /// `writeonly` on the block or on every member.
    Write,
    /// Anything else, including atomics.
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

    /// The combined access.
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
    /// GLSL name; for a dimension of the workgroup size, `local_size_x`, `_y` or `_z`; for others without a name in
    /// the module, `spec_` and the `constant_id`.
    pub name: String,
    /// `constant_id`.
    pub id: u32,
    /// Default value as a 32-bit pattern. Booleans are 0 or 1.
    pub default: u32,
}

/// One dimension of the workgroup size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// A constant in the shader.
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

/// Reasons why SPIR-V could not be turned into a kernel.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReflectError {
    /// The words are not a well-formed SPIR-V module.
    #[error("malformed SPIR-V: {0}")]
    Malformed(String),
    /// The module has no compute entry point, or more than one.
    #[error("the SPIR-V has {0} compute entry points, but exactly one is needed")]
    EntryPoints(usize),
    /// A resource that the engine does not support (images, samplers, arrays of buffers).
    #[error(
        "binding `{name}` (set {set}, binding {binding}) must be a single storage or uniform buffer; images, samplers and arrays of buffers are not supported"
    )]
    UnsupportedResource {
        /// Name in the shader.
        name: String,
        /// Descriptor set.
        set: u32,
        /// Binding number.
        binding: u32,
    },
}
