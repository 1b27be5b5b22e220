//! A buffer in host memory that the device can access. It is mapped for its whole lifetime. It does not keep the device
//! alive: its owner is an attachment of the device.

use std::fmt::Display;
use std::ptr::NonNull;

use ash::vk;

use super::budget::out_of_memory;
use crate::device::Device;
use crate::error::{Error, Result, VkResultExt};

/// A mapped buffer. The owner must release it before the device is destroyed.
pub(super) struct HostBuffer {
    pub raw: vk::Buffer,
    memory: vk::DeviceMemory,
    mapped: NonNull<u8>,
    size: usize,
}

// SAFETY: the mapped memory is accessed only through methods, which follow the borrowing rules.
unsafe impl Send for HostBuffer {}
// SAFETY: as above.
unsafe impl Sync for HostBuffer {}

impl HostBuffer {
    /// Creates a buffer of `size` bytes, initialized to zero.
    pub fn new(
        device: &Device,
        name: &str,
        size: u64,
        usage: vk::BufferUsageFlags,
    ) -> Result<Self> {
        let (raw, memory) = (vk::Buffer::null(), vk::DeviceMemory::null());
        let mut this = Self { raw, memory, mapped: NonNull::dangling(), size: size as usize };
        let filled = this.fill(device, name, usage);
        if filled.is_err() {
            // SAFETY: the object is newly created and not in use. Destroying a null handle is a no-op.
            unsafe { this.release(device) };
        }
        filled.map(|()| this)
    }

    fn fill(&mut self, device: &Device, name: &str, mut usage: vk::BufferUsageFlags) -> Result<()> {
        if device.features.buffer_device_address {
            usage |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        }
        let info = vk::BufferCreateInfo::default().size(self.size as u64).usage(usage);
        // SAFETY: the device is alive.
        let raw = unsafe { device.raw.create_buffer(&info, device.callbacks()) };
        self.raw = raw.during("vkCreateBuffer")?;
        self.memory = self.allocate(device, name)?;
        // SAFETY: the memory meets the buffer's requirements; it is bound and mapped once.
        let at = unsafe {
            device.raw.bind_buffer_memory(self.raw, self.memory, 0).during("vkBindBufferMemory")?;
            let whole = vk::MemoryMapFlags::empty();
            device.raw.map_memory(self.memory, 0, vk::WHOLE_SIZE, whole).during("vkMapMemory")?
        };
        self.mapped = NonNull::new(at.cast())
            .ok_or_else(|| self.out_of_memory(name, &"the driver did not map the memory"))?;
        // SAFETY: the mapping has `size` bytes, and the device does not use it yet.
        unsafe { self.mapped.write_bytes(0, self.size) };
        device.name_object(self.raw, name);
        Ok(())
    }

    fn allocate(&self, device: &Device, name: &str) -> Result<vk::DeviceMemory> {
        // SAFETY: a live buffer of this device.
        let needed = unsafe { device.raw.get_buffer_memory_requirements(self.raw) };
        // SAFETY: the physical device belongs to this instance.
        let all =
            unsafe { device.instance().get_physical_device_memory_properties(device.physical) };
        let suits = |flags: vk::MemoryPropertyFlags| {
            let suits = |(index, kind): (u32, &vk::MemoryType)| {
                let allowed = needed.memory_type_bits & 1 << index != 0;
                (allowed && kind.property_flags.contains(flags)).then_some(index)
            };
            (0..).zip(all.memory_types_as_slice()).find_map(suits)
        };
        let visible =
            vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // Host-cached memory is preferred, because the host reads uncached memory several times as slowly.
        let kind = suits(visible | vk::MemoryPropertyFlags::HOST_CACHED).or_else(|| suits(visible));
        let kind = kind.ok_or_else(|| {
            self.out_of_memory(name, &"the device has no memory that the host can access")
        })?;
        let mut flags = vk::MemoryAllocateFlagsInfo::default();
        if device.features.buffer_device_address {
            flags = flags.flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        }
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needed.size)
            .memory_type_index(kind)
            .push_next(&mut flags);
        // SAFETY: a memory type of the device.
        unsafe { device.raw.allocate_memory(&info, device.callbacks()) }
            .map_err(|result| self.out_of_memory(name, &result))
    }

    fn out_of_memory(&self, name: &str, reason: &dyn Display) -> Error {
        out_of_memory(name, self.size as u64, reason)
    }

    /// Address of the mapping.
    pub fn mapped(&self) -> NonNull<u8> {
        self.mapped
    }

    /// The contents. The device must not write to them meanwhile.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: mapped for the lifetime of the buffer, and initialized on creation.
        unsafe { std::slice::from_raw_parts(self.mapped.as_ptr(), self.size) }
    }

    /// The contents, for writing. The device must not access them meanwhile.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the mutable reference is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.mapped.as_ptr(), self.size) }
    }

    /// Destroys the buffer and frees its memory.
    ///
    /// # Safety
    /// Called once; the buffer is no longer in use.
    pub unsafe fn release(&self, device: &Device) {
        // SAFETY: the caller guarantees a single call and that the buffer is no longer in use. Freeing the memory unmaps
        // it.
        unsafe {
            device.raw.destroy_buffer(self.raw, device.callbacks());
            device.raw.free_memory(self.memory, device.callbacks());
        }
    }
}
