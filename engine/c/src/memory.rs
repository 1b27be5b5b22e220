//! The caller's allocator of device memory.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use multisplit::ash::vk;
use multisplit::{MemoryAllocator, MemoryPiece};

use crate::result::{Failure, Outcome};
use crate::vulkan::{
    VkDeviceMemory, VkDeviceSize, VkMemoryAllocateFlags, VkMemoryRequirements, VkResult,
};

/// A piece of device memory that the caller's allocator has given.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MultisplitMemory {
    /// The memory.
    pub memory: VkDeviceMemory,
    /// Where in it the piece begins: a multiple of the alignment that was asked for.
    pub offset: VkDeviceSize,
    /// What the allocator knows the piece by; the library gives it back as it is.
    pub cookie: *mut c_void,
}

/// Gives memory for a buffer, on the device where there is some, as large and aligned as `requirements` say
/// and allocated with `flags`, or an error of Vulkan's. It may be called from any thread that calls the
/// library.
pub type MultisplitAllocateFunction = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        requirements: *const VkMemoryRequirements,
        flags: VkMemoryAllocateFlags,
        memory: *mut MultisplitMemory,
    ) -> VkResult,
>;

/// Takes a piece back.
pub type MultisplitFreeFunction =
    Option<unsafe extern "C" fn(user: *mut c_void, memory: *const MultisplitMemory)>;

/// The caller's allocator of device memory: operations that have their own scratch memory place it there.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitMemoryFunctions {
    /// What the functions are given first.
    pub user: *mut c_void,
    /// Gives memory.
    pub allocate: MultisplitAllocateFunction,
    /// Takes it back.
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

// SAFETY: whoever gives them promises that they may be called from any thread.
unsafe impl Send for Functions {}
// SAFETY: as above.
unsafe impl Sync for Functions {}

/// The allocator that these functions are.
pub(crate) fn allocator(given: &MultisplitMemoryFunctions) -> Outcome<Arc<dyn MemoryAllocator>> {
    let allocate = given.allocate.ok_or_else(|| Failure::null("memory_functions.allocate"))?;
    let free = given.free.ok_or_else(|| Failure::null("memory_functions.free"))?;
    Ok(Arc::new(Functions { user: given.user, allocate, free }))
}

// SAFETY: the caller of `multisplit_context_create` promises it of its functions.
unsafe impl MemoryAllocator for Functions {
    fn allocate(
        &self,
        wanted: &vk::MemoryRequirements,
        flags: vk::MemoryAllocateFlags,
    ) -> Result<MemoryPiece, vk::Result> {
        let memory = vk::DeviceMemory::null();
        let mut piece = MultisplitMemory { memory, offset: 0, cookie: ptr::null_mut() };
        // SAFETY: by the contract of whoever gave them.
        let result = unsafe { (self.allocate)(self.user, wanted, flags.as_raw(), &mut piece) };
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
        // SAFETY: by the contract of whoever gave them.
        unsafe { (self.free)(self.user, &MultisplitMemory { memory, offset, cookie }) };
    }
}
