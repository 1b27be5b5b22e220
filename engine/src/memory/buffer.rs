//! What a buffer is: a Vulkan buffer with its memory, shared by its clones.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};

use super::budget::Share;
use super::heap::Heap;
use super::staging::Staging;
use crate::device::hooks::{MemoryAllocator, MemoryPiece};
use crate::device::shared::Device;
use crate::error::{Error, Result, VkResultExt};

/// Where a buffer lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// Fast for the GPU; the host reaches it through staging copies.
    Device,
    /// Mapped, for reading by the host.
    Readback,
    /// Mapped, written by the host once and read by the GPU: fast for it where the host reaches such memory.
    Constant,
}

/// A storage buffer with its memory. Clones share it; the last one frees it.
#[derive(Clone)]
pub(crate) struct Buffer(Arc<Inner>);

struct Inner {
    /// Dropped before the device, which ends the heap.
    heap: Arc<Heap>,
    device: Arc<Device>,
    raw: vk::Buffer,
    allocation: Option<Allocation>,
    /// Memory of the allocator that the caller of an adopted device brings, instead.
    piece: Option<MemoryPiece>,
    size: u64,
    name: String,
    unverified: Mutex<Option<Arc<str>>>,
    _share: Share,
}

impl Buffer {
    pub(crate) fn new(
        device: &Arc<Device>,
        name: &str,
        size: u64,
        location: Location,
    ) -> Result<Self> {
        if size == 0 {
            return Err(Error::EmptyBuffer { name: name.to_owned() });
        }
        let out_of_memory =
            |reason: String| Error::OutOfMemory { name: name.to_owned(), size, reason };
        // Past these, creating the buffer would break a VUID rather than fail.
        let limit = device.properties.max_buffer_size.min(device.properties.device_memory);
        if size > limit {
            return Err(out_of_memory(format!("the device allows {limit} bytes")));
        }
        let heap = Heap::of(device)?;
        let _share = heap.budget.take(size).or_else(|_| {
            Staging::of(device)?.trim(device);
            let left = |left| out_of_memory(format!("the memory limit leaves {left} bytes"));
            heap.budget.take(size).map_err(left)
        })?;
        let mut usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        if device.features.buffer_device_address {
            usage |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        }
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: a live device and a size within its limits.
        let raw = unsafe { device.raw.create_buffer(&info, device.callbacks()) }
            .map_err(|result| out_of_memory(result.to_string()))?;
        // From here on, dropping `inner` destroys the buffer and frees its memory.
        let name_kept = name.to_owned();
        let mut inner = Inner {
            heap,
            device: device.clone(),
            raw,
            allocation: None,
            piece: None,
            size,
            name: name_kept,
            unverified: Mutex::default(),
            _share,
        };
        // SAFETY: just created.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        if let (Some(allocator), Location::Device) = (&device.hooks.memory, location) {
            inner.place_by(&**allocator, &requirements)?;
            device.name_object(raw, name);
            return Ok(Self(Arc::new(inner)));
        }
        let allocation = inner.heap.allocate(&AllocationCreateDesc {
            name,
            requirements,
            location: match location {
                Location::Device => MemoryLocation::GpuOnly,
                Location::Readback => MemoryLocation::GpuToCpu,
                Location::Constant => MemoryLocation::CpuToGpu,
            },
            linear: true,
            allocation_scheme: match inner.heap.budget.limit() {
                None => AllocationScheme::GpuAllocatorManaged,
                // A block to take pieces of would be larger than many a limit.
                Some(_) => AllocationScheme::DedicatedBuffer(raw),
            },
        })?;
        // SAFETY: only its handle is used, and only while the allocation lives.
        let (memory, offset) = (unsafe { allocation.memory() }, allocation.offset());
        inner.allocation = Some(allocation);
        // SAFETY: memory of the right requirements, bound once.
        unsafe { device.raw.bind_buffer_memory(raw, memory, offset) }
            .during("vkBindBufferMemory")?;
        device.name_object(raw, name);
        Ok(Self(Arc::new(inner)))
    }

    /// A buffer that never changes, with what it holds from some bytes on.
    pub(crate) fn constant<'c>(
        device: &Arc<Device>,
        name: &str,
        size: u64,
        contents: impl Iterator<Item = (u64, &'c [u8])>,
    ) -> Result<Self> {
        let mut buffer = Self::new(device, name, size, Location::Constant)?;
        let inner = Arc::get_mut(&mut buffer.0);
        let mapped = inner.and_then(|inner| inner.allocation.as_mut()?.mapped_slice_mut());
        let mapped = mapped.unwrap_or_default();
        for (offset, bytes) in contents {
            let begin = offset as usize;
            let there = mapped.get_mut(begin..begin.saturating_add(bytes.len()));
            let there = there.ok_or_else(|| Error::OutOfMemory {
                name: name.to_owned(),
                size,
                reason: "memory that the host can write is not mapped".to_owned(),
            })?;
            there.copy_from_slice(bytes);
        }
        Ok(buffer)
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// The name it was made with.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The Vulkan handle; valid while this buffer or a clone of it lives.
    pub fn raw(&self) -> vk::Buffer {
        self.0.raw
    }

    /// Whether it is the same memory. (Buffers of two devices may have the same handle.)
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Marks it: work of this plan, which ranks by lane order, uses it and has not been waited for. Only the
    /// status word says whether its contents are in order.
    pub(crate) fn set_unverified(&self, plan: &Arc<str>) {
        *self.unverified_plan() = Some(plan.clone());
    }

    /// The plan that it is marked with.
    pub(crate) fn unverified(&self) -> Option<Arc<str>> {
        self.unverified_plan().clone()
    }

    /// The same, and removes the mark: the caller looks at the status word and reports what it says.
    pub(crate) fn take_unverified(&self) -> Option<Arc<str>> {
        self.unverified_plan().take()
    }

    fn unverified_plan(&self) -> MutexGuard<'_, Option<Arc<str>>> {
        self.0.unverified.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// There are `size` bytes from byte `offset` on.
    pub(crate) fn check_range(&self, offset: u64, size: u64) -> Result<()> {
        let needed = offset.saturating_add(size);
        if needed <= self.size() {
            return Ok(());
        }
        Err(Error::BufferTooSmall { name: self.name().to_owned(), size: self.size(), needed })
    }

    /// Vulkan leaves undefined what a device does with another one's buffers.
    pub(crate) fn check_device(&self, device: &Arc<Device>) -> Result<()> {
        if Arc::ptr_eq(&self.0.device, device) {
            return Ok(());
        }
        Err(Error::OtherContext { name: self.name().to_owned() })
    }

    /// The words of a buffer for reading back, as they are now.
    pub(crate) fn mapped_words(&self) -> Vec<u32> {
        let words = self.mapped().unwrap_or_default().chunks_exact(size_of::<u32>());
        words.map(bytemuck::pod_read_unaligned).collect()
    }

    /// The mapped bytes of a readback buffer.
    pub(super) fn mapped(&self) -> Option<&[u8]> {
        self.0.allocation.as_ref().and_then(Allocation::mapped_slice)
    }
}

impl Inner {
    /// Binds the buffer to memory of the caller's allocator.
    fn place_by(
        &mut self,
        allocator: &dyn MemoryAllocator,
        requirements: &vk::MemoryRequirements,
    ) -> Result<()> {
        let flags = match self.device.features.buffer_device_address {
            true => vk::MemoryAllocateFlags::DEVICE_ADDRESS,
            false => vk::MemoryAllocateFlags::empty(),
        };
        let fail = |reason: String| Error::OutOfMemory {
            name: self.name.clone(),
            size: self.size,
            reason,
        };
        let piece = allocator.allocate(requirements, flags);
        let piece = piece.map_err(|result| fail(format!("the engine's allocator: {result}")))?;
        // From here on, dropping this gives it back.
        self.piece = Some(piece);
        if piece.memory == vk::DeviceMemory::null()
            || !piece.offset.is_multiple_of(requirements.alignment.max(1))
        {
            let (offset, alignment) = (piece.offset, requirements.alignment);
            return Err(Error::OutOfMemory {
                name: self.name.clone(),
                size: self.size,
                reason: format!(
                    "the engine's allocator gave no memory, or at {offset}, which is no multiple of {alignment}"
                ),
            });
        }
        // SAFETY: memory of the right requirements, by the allocator's contract, bound once.
        unsafe { self.device.raw.bind_buffer_memory(self.raw, piece.memory, piece.offset) }
            .during("vkBindBufferMemory")
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: the last reference; executables and replays hold clones of what they use.
        unsafe { self.device.raw.destroy_buffer(self.raw, self.device.callbacks()) };
        if let Some(allocation) = self.allocation.take() {
            self.heap.free(allocation);
        }
        if let (Some(piece), Some(allocator)) = (self.piece.take(), &self.device.hooks.memory) {
            allocator.free(piece);
        }
    }
}
