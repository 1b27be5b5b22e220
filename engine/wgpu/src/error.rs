//! What can go wrong.

/// Everything that this crate reports.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The device is not one of Vulkan's.
    #[error(
        "multisplit runs on wgpu's Vulkan backend, and this device is of {backend:?}: ask for an adapter of wgpu::Backends::VULKAN"
    )]
    NotVulkan {
        /// What it is of.
        backend: wgpu::Backend,
    },
    /// A buffer without the usage that is needed.
    #[error("buffer `{name}` was created with {usage:?}; it needs BufferUsages::STORAGE")]
    Usage {
        /// What it is to the operation.
        name: &'static str,
        /// What it was created with.
        usage: wgpu::BufferUsages,
    },
    /// A buffer that is too small.
    #[error("buffer `{name}` has {size} bytes, {needed} are needed")]
    BufferTooSmall {
        /// What it is to the operation.
        name: &'static str,
        /// The bytes that it has.
        size: u64,
        /// The bytes that it needs.
        needed: u64,
    },
    /// More elements than the operation was made for.
    #[error("a count of {count}, but the operation was made for {max} elements at most")]
    CountTooLarge {
        /// What was given.
        count: u64,
        /// What is allowed.
        max: u64,
    },
    /// An operation was encoded into the commands of another device.
    #[error(
        "the {operation} was made for another device than these commands; make both from the same device"
    )]
    OtherDevice {
        /// What was encoded.
        operation: &'static str,
    },
    /// wgpu refused one of the buffers, one of another device for instance.
    #[error("wgpu refused the buffers: {0}")]
    Wgpu(wgpu::Error),
    /// What the engine reports.
    #[error(transparent)]
    Multisplit(#[from] multisplit::Error),
}

/// What most functions give.
pub type Result<T, E = Error> = std::result::Result<T, E>;
