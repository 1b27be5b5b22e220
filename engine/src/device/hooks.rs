//! What an engine may bring when its device is adopted: its pipeline cache, its allocation callbacks, its
//! allocator of device memory, and whether it does without `synchronization2`.

use std::sync::Arc;

use ash::vk;

/// How a device is adopted ([`Context::adopt_with`](crate::Context::adopt_with)), besides what it is.
#[derive(Clone, Default)]
pub struct AdoptOptions {
    pub(crate) without_synchronization2: bool,
    pub(crate) hooks: Hooks,
}

/// What the caller of an adopted device brings.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub pipeline_cache: Option<vk::PipelineCache>,
    pub allocation_callbacks: Option<Callbacks>,
    pub memory: Option<Arc<dyn MemoryAllocator>>,
}

/// A piece of device memory that an engine's allocator has given.
#[derive(Clone, Copy, Debug)]
pub struct MemoryPiece {
    /// The memory.
    pub memory: vk::DeviceMemory,
    /// Where in it the piece begins: a multiple of the alignment that was asked for.
    pub offset: u64,
    /// What the allocator knows the piece by; nobody else looks at it.
    pub cookie: usize,
}

/// An engine's allocator of device memory, which workspaces and arrays on the device are placed by. It may
/// be called from any thread.
///
/// # Safety
/// What [`allocate`](Self::allocate) gives is memory of the device, of a type that is allowed, as large and
/// as aligned as was asked for, and nobody else's until it is given back.
pub unsafe trait MemoryAllocator: Send + Sync {
    /// Memory for a buffer, on the device where there is some. `flags` are those that the memory has to be
    /// allocated with.
    fn allocate(
        &self,
        wanted: &vk::MemoryRequirements,
        flags: vk::MemoryAllocateFlags,
    ) -> Result<MemoryPiece, vk::Result>;

    /// Takes a piece back, once.
    fn free(&self, piece: MemoryPiece);
}

/// Functions of the caller's, which Vulkan calls from any thread.
#[derive(Clone, Copy)]
pub(crate) struct Callbacks(pub vk::AllocationCallbacks<'static>);

// SAFETY: whoever gives them promises that they may be called from any thread.
unsafe impl Send for Callbacks {}
// SAFETY: as above.
unsafe impl Sync for Callbacks {}

impl AdoptOptions {
    /// The device may have been created without `synchronization2`, as engines do that leave it to others
    /// (wgpu). Where its features do not have it, barriers are those of Vulkan 1.0: one pair of stages
    /// for all buffers of a boundary, and shader accesses of every kind, so they wait for as much or more.
    #[must_use]
    pub fn without_synchronization2(self) -> Self {
        Self { without_synchronization2: true, ..self }
    }

    /// Pipelines are created with the engine's own cache, which the engine keeps, and no file is read or
    /// written for them.
    ///
    /// # Safety
    /// It is a cache of the device, was not created to be synchronised by its users, and outlives the
    /// context and everything made from it.
    #[must_use]
    pub unsafe fn pipeline_cache(self, cache: vk::PipelineCache) -> Self {
        let pipeline_cache = (cache != vk::PipelineCache::null()).then_some(cache);
        Self { hooks: Hooks { pipeline_cache, ..self.hooks }, ..self }
    }

    /// Workspaces and arrays on the device lie in memory of the engine's allocator. Memory that the host
    /// sees, for transfers, constants and a status word, does not.
    #[must_use]
    pub fn memory_allocator(self, allocator: Arc<dyn MemoryAllocator>) -> Self {
        Self { hooks: Hooks { memory: Some(allocator), ..self.hooks }, ..self }
    }

    /// Host memory of the Vulkan objects that the context creates is the engine's; that of blocks of
    /// device memory (`vkAllocateMemory`) excepted.
    ///
    /// # Safety
    /// The functions are what Vulkan asks of them, may be called from any thread, and stay what they are
    /// until the context and everything made from it are gone.
    #[must_use]
    pub unsafe fn allocation_callbacks(self, callbacks: vk::AllocationCallbacks<'static>) -> Self {
        let allocation_callbacks = Some(Callbacks(callbacks));
        Self { hooks: Hooks { allocation_callbacks, ..self.hooks }, ..self }
    }
}
