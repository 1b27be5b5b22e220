//! What an engine may bring when its device is adopted: its pipeline cache, its allocation callbacks, and
//! whether it does without `synchronization2`.

use ash::vk;

/// How a device is adopted ([`Context::adopt_with`](crate::Context::adopt_with)), besides what it is.
#[derive(Clone, Copy, Default)]
pub struct AdoptOptions {
    pub(crate) without_synchronization2: bool,
    pub(crate) hooks: Hooks,
}

/// What the caller of an adopted device brings.
#[derive(Clone, Copy, Default)]
pub(crate) struct Hooks {
    pub pipeline_cache: Option<vk::PipelineCache>,
    pub allocation_callbacks: Option<Callbacks>,
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
