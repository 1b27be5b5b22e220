//! The caller's device memory allocator.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use multisplit::ash::vk;
use multisplit::{MemoryAllocator, MemoryPiece};

use crate::result::{Failure, Outcome, call_back};
use crate::vulkan::{
    VkDeviceMemory, VkDeviceSize, VkMemoryAllocateFlags, VkMemoryRequirements, VkResult,
};

/// A device memory allocation made by the caller's allocator.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MultisplitMemory {
    /// The memory object.
    pub memory: VkDeviceMemory,
    /// Start of the allocation within the memory object: a multiple of the required alignment.
    pub offset: VkDeviceSize,
    /// The allocator's own identifier; the library passes it back unchanged.
    pub cookie: *mut c_void,
}

/// Allocates memory for a buffer, preferably device-local, with the size and alignment in `requirements` and
/// with `flags`. Returns a Vulkan error on failure. The function may be called from any thread that calls the
/// library, and must not call the library: such calls return `MULTISPLIT_ERROR_CALLBACK`.
pub type MultisplitAllocateFunction = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        requirements: *const VkMemoryRequirements,
        flags: VkMemoryAllocateFlags,
        memory: *mut MultisplitMemory,
    ) -> VkResult,
>;

/// Frees an allocation. Like `MultisplitAllocateFunction`, it must not call the library.
pub type MultisplitFreeFunction =
    Option<unsafe extern "C" fn(user: *mut c_void, memory: *const MultisplitMemory)>;

/// The caller's device memory allocator, for buffers of the library that the host does not access.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitMemoryFunctions {
    /// First argument of both functions.
    pub user: *mut c_void,
    /// Allocates memory.
    pub allocate: MultisplitAllocateFunction,
    /// Frees memory.
    pub free: MultisplitFreeFunction,
}

struct Functions {
    user: *mut c_void,
    allocate: unsafe extern "C" fn(
        *mut c_void,
        *const VkMemoryRequirements,
        VkMemoryAllocateFlags,
        *mut MultisplitMemory,
    ) -> VkResult,
    free: unsafe extern "C" fn(*mut c_void, *const MultisplitMemory),
}

// SAFETY: the caller of `multisplit_context_create` guarantees that the functions may be called from any
// thread.
unsafe impl Send for Functions {}
// SAFETY: as above.
unsafe impl Sync for Functions {}

/// Wraps the caller's functions as an allocator.
pub(crate) fn allocator(given: &MultisplitMemoryFunctions) -> Outcome<Arc<dyn MemoryAllocator>> {
    let allocate = given.allocate.ok_or_else(|| Failure::null("memory_functions.allocate"))?;
    let free = given.free.ok_or_else(|| Failure::null("memory_functions.free"))?;
    Ok(Arc::new(Functions { user: given.user, allocate, free }))
}

// SAFETY: the caller of `multisplit_context_create` guarantees that its functions satisfy the requirements of
// the trait.
unsafe impl MemoryAllocator for Functions {
    fn allocate(
        &self,
        wanted: &vk::MemoryRequirements,
        flags: vk::MemoryAllocateFlags,
    ) -> Result<MemoryPiece, vk::Result> {
        let memory = vk::DeviceMemory::null();
        let mut piece = MultisplitMemory { memory, offset: 0, cookie: ptr::null_mut() };
        // SAFETY: guaranteed by the caller of `multisplit_context_create`.
        let result =
            call_back(|| unsafe { (self.allocate)(self.user, wanted, flags.as_raw(), &mut piece) });
        match result {
            0 => Ok(MemoryPiece {
                memory: piece.memory,
                offset: piece.offset,
                cookie: piece.cookie.expose_provenance(),
            }),
            error => Err(vk::Result::from_raw(error)),
        }
    }

    fn free(&self, piece: MemoryPiece) {
        let MemoryPiece { memory, offset, cookie } = piece;
        let cookie = ptr::with_exposed_provenance_mut(cookie);
        let piece = MultisplitMemory { memory, offset, cookie };
        // SAFETY: guaranteed by the caller of `multisplit_context_create`.
        call_back(|| unsafe { (self.free)(self.user, &piece) });
    }
}
