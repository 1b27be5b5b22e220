//! Errors.

/// All errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The device does not use the Vulkan backend.
    #[error(
        "multisplit needs wgpu's Vulkan backend, but this device uses {backend:?}; request an adapter of wgpu::Backends::VULKAN"
    )]
    NotVulkan {
        /// The backend of the device.
        backend: wgpu::Backend,
    },
    /// A buffer lacks a required usage.
    #[error("buffer `{name}` was created with {usage:?}, but it needs BufferUsages::STORAGE")]
    Usage {
        /// The buffer's role in the operation.
        name: &'static str,
        /// Its usage flags.
        usage: wgpu::BufferUsages,
    },
    /// A buffer is too small.
    #[error("buffer `{name}` has {size} bytes, but at least {needed} are needed")]
    BufferTooSmall {
        /// The buffer's role in the operation.
        name: &'static str,
        /// Its size in bytes.
        size: u64,
        /// The required size in bytes.
        needed: u64,
    },
    /// The device was requested with a limit that is too low.
    #[error(
        "{what} needs {limit} of at least {needed}, but the device was requested with {allowed}"
    )]
    Limit {
        /// The operation that exceeds the limit, or `multisplit`.
        what: String,
        /// The name of the limit in [`wgpu::Limits`].
        limit: &'static str,
        /// The smallest sufficient limit.
        needed: u64,
        /// The limit of the device.
        allowed: u64,
    },
    /// A buffer was destroyed, or belongs to a device of another backend.
    #[error(
        "buffer `{name}` was destroyed (wgpu::Buffer::destroy), or belongs to a device of another backend"
    )]
    BufferDestroyed {
        /// The buffer's role in the operation.
        name: &'static str,
    },
    /// The device was destroyed or lost.
    #[error("the wgpu device was lost or destroyed (wgpu::Device::destroy)")]
    DeviceLost,
    /// The count exceeds the maximum of the operation.
    #[error("the count is {count}, but the operation was created for at most {max} elements")]
    CountTooLarge {
        /// The given count.
        count: u64,
        /// The maximum.
        max: u64,
    },
    /// An operation was encoded into the commands of another device.
    #[error(
        "the {operation} was created for another device than these commands; create both from the same device"
    )]
    OtherDevice {
        /// The name of the operation.
        operation: &'static str,
    },
    /// wgpu rejected one of the buffers, for example because it belongs to another device.
    #[error("wgpu rejected the buffers: {0}")]
    Wgpu(wgpu::Error),
    /// An error of the engine.
    #[error(transparent)]
    Multisplit(#[from] multisplit::Error),
}

/// Result with an error of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
