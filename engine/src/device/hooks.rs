//! Options for adopting a device: objects that the embedder provides (pipeline cache, allocation callbacks, device
//! memory allocator), and whether `synchronization2` may be missing.

use std::sync::Arc;

use ash::vk;

/// Options of [`Context::adopt_with`](crate::Context::adopt_with).
#[derive(Clone, Default)]
pub struct AdoptOptions {
    pub(crate) without_synchronization2: bool,
    pub(crate) record_only: bool,
    pub(crate) hooks: Hooks,
}

/// Objects that the owner of an adopted device provides.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub pipeline_cache: Option<vk::PipelineCache>,
    pub allocation_callbacks: Option<Callbacks>,
    pub memory: Option<Arc<dyn MemoryAllocator>>,
}

/// A range of device memory returned by a [`MemoryAllocator`].
#[derive(Clone, Copy, Debug)]
pub struct MemoryPiece {
    /// The memory.
    pub memory: vk::DeviceMemory,
    /// Offset of the range within `memory`, a multiple of the requested alignment.
    pub offset: u64,
    /// A value that the allocator may use to identify the range.
    pub cookie: usize,
}

/// A device memory allocator of the embedding program. It provides the memory of workspaces, state and device arrays.
/// It may be called from any thread.
///
/// # Safety
/// The memory returned by [`allocate`](Self::allocate) belongs to the device, has an allowed memory type and at least
/// the requested size and alignment, and is not used for anything else until it is freed.
pub unsafe trait MemoryAllocator: Send + Sync {
    /// Allocates memory for a buffer, device-local if possible. The memory must be allocated with `flags`.
    fn allocate(
        &self,
        wanted: &vk::MemoryRequirements,
        flags: vk::MemoryAllocateFlags,
    ) -> Result<MemoryPiece, vk::Result>;

    /// Frees a range. Called exactly once for each range.
    fn free(&self, piece: MemoryPiece);
}

/// Allocation callbacks of the caller, which Vulkan calls from any thread.
#[derive(Clone, Copy)]
pub(crate) struct Callbacks(pub vk::AllocationCallbacks<'static>);

// SAFETY: the caller of `allocation_callbacks` guarantees that they may be called from any thread.
unsafe impl Send for Callbacks {}
// SAFETY: as above.
unsafe impl Sync for Callbacks {}

impl AdoptOptions {
    /// Accepts a device that was created without `synchronization2`, as wgpu does. On such a device, the engine
    /// records Vulkan 1.0 barriers. These have one pair of stage masks for all buffers at a pass boundary and do not
    /// distinguish sampled from storage reads, so they may wait for more work than necessary.
    #[must_use]
    pub fn without_synchronization2(self) -> Self {
        Self { without_synchronization2: true, ..self }
    }

    /// The context never uses the queue, for programs that cannot lock it for the engine. Whatever would submit
    /// returns [`Error::RecordOnly`](crate::Error::RecordOnly). The state of a plan is cleared by each recording instead of
    /// once.
    #[must_use]
    pub fn record_only(self) -> Self {
        Self { record_only: true, ..self }
    }

    /// Creates pipelines with the embedding program's pipeline cache. The program keeps ownership of the cache. No file
    /// of compiled pipelines is read or written.
    ///
    /// # Safety
    /// `cache` belongs to the device, was not created with `EXTERNALLY_SYNCHRONIZED`, and outlives the context and
    /// everything created from it.
    #[must_use]
    pub unsafe fn pipeline_cache(self, cache: vk::PipelineCache) -> Self {
        let pipeline_cache = (cache != vk::PipelineCache::null()).then_some(cache);
        Self { hooks: Hooks { pipeline_cache, ..self.hooks }, ..self }
    }

    /// Allocates workspaces, state and device arrays with the embedding program's allocator. The context itself still
    /// allocates host-visible memory: for transfers, constants, [`Readback`](crate::Readback)s and the status word.
    #[must_use]
    pub fn memory_allocator(self, allocator: Arc<dyn MemoryAllocator>) -> Self {
        Self { hooks: Hooks { memory: Some(allocator), ..self.hooks }, ..self }
    }

    /// Uses the embedding program's host allocation callbacks for the Vulkan objects that the context creates. The
    /// engine's own allocator for device memory calls `vkAllocateMemory` without them.
    ///
    /// # Safety
    /// The callbacks meet Vulkan's requirements, may be called from any thread, and remain valid until the context and
    /// everything created from it have been dropped.
    #[must_use]
    pub unsafe fn allocation_callbacks(self, callbacks: vk::AllocationCallbacks<'static>) -> Self {
        let allocation_callbacks = Some(Callbacks(callbacks));
        Self { hooks: Hooks { allocation_callbacks, ..self.hooks }, ..self }
    }
}
