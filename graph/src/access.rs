//! Pipeline stages and memory accesses of barriers.
//!
//! The numeric values are those of `VkPipelineStageFlagBits2` and `VkAccessFlagBits2`, so an
//! executor can pass the bits to Vulkan without a conversion table.

use std::fmt;

use bitflags::bitflags;

bitflags! {
    /// Pipeline stages, with the bits of `VkPipelineStageFlagBits2`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Stages: u64 {
        /// Fetching the parameters of an indirect dispatch or draw.
        const DRAW_INDIRECT = 0x2;
        /// Fetching vertices and indices.
        const VERTEX_INPUT = 0x4;
        /// Vertex shaders.
        const VERTEX_SHADER = 0x8;
        /// Fragment shaders.
        const FRAGMENT_SHADER = 0x80;
        /// Compute shaders.
        const COMPUTE_SHADER = 0x800;
        /// Transfer commands, such as fills, updates and copies.
        const TRANSFER = 0x1000;
        /// The host. Not part of [`Stages::ALL_COMMANDS`].
        const HOST = 0x4000;
        /// Every graphics stage.
        const ALL_GRAPHICS = 0x8000;
        /// Every stage of every command, for callers that cannot be more specific. On an NVIDIA
        /// H200, a barrier with this stage takes more than twice as long as a compute-to-compute
        /// barrier.
        const ALL_COMMANDS = 0x1_0000;
    }
}

bitflags! {
    /// Kinds of memory access, with the bits of `VkAccessFlagBits2`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Access: u64 {
        /// Reading the parameters of an indirect dispatch or draw.
        const INDIRECT_COMMAND_READ = 0x1;
        /// Reading an index buffer.
        const INDEX_READ = 0x2;
        /// Reading a vertex buffer.
        const VERTEX_ATTRIBUTE_READ = 0x4;
        /// Reading a uniform buffer.
        const UNIFORM_READ = 0x8;
        /// Reading as the source of a copy.
        const TRANSFER_READ = 0x800;
        /// Writing by a fill, an update or a copy.
        const TRANSFER_WRITE = 0x1000;
        /// Reading by the host.
        const HOST_READ = 0x2000;
        /// Writing by the host.
        const HOST_WRITE = 0x4000;
        /// Every kind of read.
        const MEMORY_READ = 0x8000;
        /// Every kind of write.
        const MEMORY_WRITE = 0x1_0000;
        /// Reading a uniform texel buffer.
        const SHADER_SAMPLED_READ = 0x1_0000_0000;
        /// Reading a storage buffer.
        const SHADER_STORAGE_READ = 0x2_0000_0000;
        /// Writing a storage buffer, atomics included.
        const SHADER_STORAGE_WRITE = 0x4_0000_0000;
    }
}

impl Stages {
    /// Adds the individual stages that [`Stages::ALL_COMMANDS`] and [`Stages::ALL_GRAPHICS`] stand
    /// for. These two bits stay set, because they also stand for stages without a bit here, so a
    /// mask of all individual stages must not contain them.
    pub(crate) fn expanded(self) -> Self {
        let graphics = Self::DRAW_INDIRECT
            | Self::VERTEX_INPUT
            | Self::VERTEX_SHADER
            | Self::FRAGMENT_SHADER
            | Self::ALL_GRAPHICS;
        if self.contains(Self::ALL_COMMANDS) {
            self | Self::all().difference(Self::HOST)
        } else if self.contains(Self::ALL_GRAPHICS) {
            self | graphics
        } else {
            self
        }
    }

    /// All accesses that at least one of these stages supports.
    pub(crate) fn supported_access(self) -> Access {
        let shader = Access::UNIFORM_READ
            | Access::SHADER_SAMPLED_READ
            | Access::SHADER_STORAGE_READ
            | Access::SHADER_STORAGE_WRITE;
        let table = [
            (Self::DRAW_INDIRECT, Access::INDIRECT_COMMAND_READ),
            (Self::VERTEX_INPUT, Access::INDEX_READ | Access::VERTEX_ATTRIBUTE_READ),
            (Self::VERTEX_SHADER | Self::FRAGMENT_SHADER | Self::COMPUTE_SHADER, shader),
            (Self::TRANSFER, Access::TRANSFER_READ | Access::TRANSFER_WRITE),
            (Self::HOST, Access::HOST_READ | Access::HOST_WRITE),
        ];
        let any = Access::MEMORY_READ | Access::MEMORY_WRITE;
        let stages = self.expanded();
        table
            .iter()
            .filter(|(stage, _)| stages.intersects(*stage))
            .fold(any, |all, (_, access)| all | *access)
    }
}

impl Access {
    /// The read bits of this mask.
    pub fn reads(self) -> Self {
        self.difference(self.writes())
    }

    /// The write bits of this mask.
    pub fn writes(self) -> Self {
        self & (Self::TRANSFER_WRITE
            | Self::HOST_WRITE
            | Self::MEMORY_WRITE
            | Self::SHADER_STORAGE_WRITE)
    }

    /// Adds the individual accesses that [`Access::MEMORY_READ`] and [`Access::MEMORY_WRITE`] stand
    /// for. These two bits stay set, because they also stand for accesses without a bit here, so a
    /// mask of all individual accesses must not contain them.
    pub(crate) fn expanded(self) -> Self {
        let mut expanded = self;
        if self.contains(Self::MEMORY_READ) {
            expanded |= Self::all().reads();
        }
        if self.contains(Self::MEMORY_WRITE) {
            expanded |= Self::all().writes();
        }
        expanded
    }
}

impl fmt::Display for Stages {
    /// Formats the stages as lower-case names, such as `compute` or `transfer|host`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        join(f, self.iter_names().map(|(name, _)| name.trim_end_matches("_SHADER")))
    }
}

impl fmt::Display for Access {
    /// Formats the accesses as lower-case names, such as `storage_read|storage_write`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        join(f, self.iter_names().map(|(name, _)| name.trim_start_matches("SHADER_")))
    }
}

/// Writes the names in lower case, separated by `|`; `none` if there are no names.
fn join<'a>(f: &mut fmt::Formatter<'_>, names: impl Iterator<Item = &'a str>) -> fmt::Result {
    let names: Vec<_> = names.map(str::to_ascii_lowercase).collect();
    f.write_str(if names.is_empty() { "none" } else { "" })?;
    f.write_str(&names.join("|"))
}

/// A synchronisation scope: pipeline stages, and the accesses they make to a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scope {
    /// The stages.
    pub stages: Stages,
    /// The accesses that these stages make.
    pub access: Access,
}

impl Scope {
    /// A compute shader reads a storage buffer.
    pub const COMPUTE_READ: Self = Self::new(Stages::COMPUTE_SHADER, Access::SHADER_STORAGE_READ);
    /// A compute shader writes a storage buffer.
    pub const COMPUTE_WRITE: Self = Self::new(Stages::COMPUTE_SHADER, Access::SHADER_STORAGE_WRITE);
    /// A compute shader reads and writes a storage buffer.
    pub const COMPUTE_READ_WRITE: Self = Self::new(
        Stages::COMPUTE_SHADER,
        Access::SHADER_STORAGE_READ.union(Access::SHADER_STORAGE_WRITE),
    );
    /// A compute shader reads a uniform buffer.
    pub const COMPUTE_UNIFORM_READ: Self = Self::new(Stages::COMPUTE_SHADER, Access::UNIFORM_READ);
    /// An indirect dispatch or draw reads its parameters.
    pub const INDIRECT_READ: Self = Self::new(Stages::DRAW_INDIRECT, Access::INDIRECT_COMMAND_READ);
    /// A copy reads its source.
    pub const TRANSFER_READ: Self = Self::new(Stages::TRANSFER, Access::TRANSFER_READ);
    /// A fill, an update or a copy writes its destination.
    pub const TRANSFER_WRITE: Self = Self::new(Stages::TRANSFER, Access::TRANSFER_WRITE);
    /// The host reads, after it has waited for the device.
    pub const HOST_READ: Self = Self::new(Stages::HOST, Access::HOST_READ);
    /// The host writes. A queue submission makes earlier host writes visible to the device. As an
    /// entry scope, this is needed only if the host writes after the submission and synchronizes by
    /// an event.
    pub const HOST_WRITE: Self = Self::new(Stages::HOST, Access::HOST_WRITE);
    /// A draw reads a vertex buffer.
    pub const VERTEX_READ: Self = Self::new(Stages::VERTEX_INPUT, Access::VERTEX_ATTRIBUTE_READ);
    /// A draw reads an index buffer.
    pub const INDEX_READ: Self = Self::new(Stages::VERTEX_INPUT, Access::INDEX_READ);
    /// Every access in every stage except the host. Always correct on the device, but slow.
    pub const ANYTHING: Self =
        Self::new(Stages::ALL_COMMANDS, Access::MEMORY_READ.union(Access::MEMORY_WRITE));

    /// Creates a scope from stages and accesses.
    pub const fn new(stages: Stages, access: Access) -> Self {
        Self { stages, access }
    }

    /// Splits the scope into single stages, each with the accesses of the scope that the stage
    /// supports.
    pub(crate) fn parts(self) -> Vec<(Stages, Access)> {
        self.stages.iter().map(|stage| (stage, self.access & stage.supported_access())).collect()
    }

    /// The stages and accesses of both scopes.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self { stages: self.stages.union(other.stages), access: self.access.union(other.access) }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.stages, self.access)
    }
}
