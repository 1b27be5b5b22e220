//! A Vulkan buffer with its memory, shared by its clones.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};

use super::budget::{Reservation, out_of_memory};
use super::heap::Heap;
use super::staging::Staging;
use crate::device::{Device, MemoryAllocator, MemoryPiece};
use crate::error::{Error, Result, VkResultExt};
use crate::lock::lock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// Device-local memory. The host accesses it through staging buffers.
    Device,
    /// Mapped memory that the host reads.
    Readback,
    /// Mapped memory that the host writes once and the GPU reads. Device-local if the host can map device-local
    /// memory.
    Constant,
}

/// A storage buffer with its memory, which is freed with the last clone.
#[derive(Clone)]
pub(crate) struct Buffer(Arc<Inner>);

struct Inner {
    /// Must be dropped before `device`, which releases the heap.
    heap: Arc<Heap>,
    device: Arc<Device>,
    raw: vk::Buffer,
    allocation: Option<Allocation>,
    /// Memory from the external allocator of an adopted device, used instead of `allocation`.
    piece: Option<MemoryPiece>,
    size: u64,
    name: String,
    /// Name of the plan that marked this buffer as unverified; see [`Buffer::set_unverified`].
    unverified: Mutex<Option<Arc<str>>>,
    _reservation: Reservation,
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
        // Vulkan does not require an error for a buffer that exceeds `maxBufferSize`: requesting one is invalid usage
        // (VUID-VkBufferCreateInfo-size-06409).
        let limit = device.properties.max_buffer_size.min(device.properties.device_memory);
        if size > limit {
            let reason = format!("the device allows at most {limit} bytes");
            return Err(out_of_memory(name, size, &reason));
        }
        let heap = Heap::of(device)?;
        let _reservation = heap.budget.take(name, size).or_else(|_| {
            Staging::of(device)?.trim(device);
            heap.budget.take(name, size)
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
            .map_err(|result| out_of_memory(name, size, &result))?;
        // From here on, dropping `inner` destroys the buffer and frees its memory.
        let mut inner = Inner {
            heap,
            device: device.clone(),
            raw,
            allocation: None,
            piece: None,
            size,
            name: name.to_owned(),
            unverified: Mutex::default(),
            _reservation,
        };
        // SAFETY: the buffer is newly created.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        let (memory, offset) = match (&device.hooks.memory, location) {
            (Some(allocator), Location::Device) => inner.place_by(&**allocator, &requirements)?,
            _ => inner.place(requirements, location)?,
        };
        // SAFETY: the allocators return memory that meets the buffer's requirements; it is bound once.
        unsafe { device.raw.bind_buffer_memory(raw, memory, offset) }
            .during("vkBindBufferMemory")?;
        device.name_object(raw, name);
        Ok(Self(Arc::new(inner)))
    }

    /// Creates an immutable buffer. `contents` yields pairs of offset and bytes.
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
            let target = mapped.get_mut(begin..begin.saturating_add(bytes.len()));
            let target = target.ok_or_else(|| {
                out_of_memory(name, size, &"the driver did not map memory for host writes")
            })?;
            target.copy_from_slice(bytes);
        }
        Ok(buffer)
    }

    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// The name that the buffer was created with.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The Vulkan handle; valid until the buffer and all its clones are dropped.
    pub fn raw(&self) -> vk::Buffer {
        self.0.raw
    }

    /// Whether both are the same buffer. Buffers of different devices may have equal handles.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Marks the buffer as unverified: work of `plan` that ranks by lane order uses it, and the host has not waited
    /// for this work yet. The contents are valid only if the lane-order status word is clear afterwards.
    pub(crate) fn set_unverified(&self, plan: &Arc<str>) {
        *lock(&self.0.unverified) = Some(plan.clone());
    }

    /// Name of the plan that marked the buffer as unverified, if any.
    pub(crate) fn unverified(&self) -> Option<Arc<str>> {
        lock(&self.0.unverified).clone()
    }

    /// Like [`unverified`](Self::unverified), and removes the mark. The caller must check the status word.
    pub(crate) fn take_unverified(&self) -> Option<Arc<str>> {
        lock(&self.0.unverified).take()
    }

    /// Checks that the buffer contains `size` bytes at `offset`.
    pub(crate) fn check_range(&self, offset: u64, size: u64) -> Result<()> {
        let needed = offset.saturating_add(size);
        if needed <= self.size() {
            return Ok(());
        }
        Err(Error::BufferTooSmall { name: self.name().to_owned(), size: self.size(), needed })
    }

    /// Checks that the buffer belongs to `device`. Using a buffer of another device is undefined behaviour in Vulkan.
    pub(crate) fn check_device(&self, device: &Arc<Device>) -> Result<()> {
        if Arc::ptr_eq(&self.0.device, device) {
            return Ok(());
        }
        Err(Error::OtherContext { name: self.name().to_owned() })
    }

    /// The mapped memory of a readback buffer.
    pub(super) fn mapped(&self) -> Option<NonNull<c_void>> {
        self.0.allocation.as_ref().and_then(Allocation::mapped_ptr)
    }
}

impl Inner {
    /// Allocates memory from the heap. Returns the memory and the offset of the buffer.
    fn place(
        &mut self,
        requirements: vk::MemoryRequirements,
        location: Location,
    ) -> Result<(vk::DeviceMemory, u64)> {
        let allocation = self.heap.allocate(&AllocationCreateDesc {
            name: &self.name,
            requirements,
            location: match location {
                Location::Device => MemoryLocation::GpuOnly,
                Location::Readback => MemoryLocation::GpuToCpu,
                Location::Constant => MemoryLocation::CpuToGpu,
            },
            linear: true,
            allocation_scheme: match self.heap.budget.limit() {
                None => AllocationScheme::GpuAllocatorManaged,
                // A memory block for several buffers could exceed the limit, so each buffer gets an allocation of its
                // own.
                Some(_) => AllocationScheme::DedicatedBuffer(self.raw),
            },
        })?;
        let allocation = self.allocation.insert(allocation);
        // SAFETY: only the handle is used, and only while the allocation is alive.
        Ok((unsafe { allocation.memory() }, allocation.offset()))
    }

    /// Allocates memory from the external allocator. Returns the memory and the offset of the buffer.
    fn place_by(
        &mut self,
        allocator: &dyn MemoryAllocator,
        requirements: &vk::MemoryRequirements,
    ) -> Result<(vk::DeviceMemory, u64)> {
        let flags = match self.device.features.buffer_device_address {
            true => vk::MemoryAllocateFlags::DEVICE_ADDRESS,
            false => vk::MemoryAllocateFlags::empty(),
        };
        let piece = allocator.allocate(requirements, flags).map_err(|result| {
            let reason = format!("the application's allocator failed: {result}");
            out_of_memory(&self.name, self.size, &reason)
        })?;
        // From here on, dropping `self` frees the memory.
        self.piece = Some(piece);
        if piece.memory == vk::DeviceMemory::null()
            || !piece.offset.is_multiple_of(requirements.alignment.max(1))
        {
            let (offset, alignment) = (piece.offset, requirements.alignment);
            let reason = format!(
                "the application's allocator returned no memory, or an offset ({offset}) that is not a multiple \
                 of {alignment}"
            );
            return Err(out_of_memory(&self.name, self.size, &reason));
        }
        Ok((piece.memory, piece.offset))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: this is the last reference; executables and replays hold clones of the buffers they use.
        unsafe { self.device.raw.destroy_buffer(self.raw, self.device.callbacks()) };
        if let Some(allocation) = self.allocation.take() {
            self.heap.free(allocation);
        }
        if let (Some(piece), Some(allocator)) = (self.piece.take(), &self.device.hooks.memory) {
            allocator.free(piece);
        }
    }
}
