//! The status word of a device: a word in host memory that kernels set when they find that the device
//! does not do what they rely on. The host looks at it without a copy, a submission or a wait.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use ash::vk;

use crate::device::attach::Attachment;
use crate::device::shared::Device;
use crate::error::{Error, Result, VkResultExt};

/// Bytes of its buffer.
pub(crate) const STATUS_BYTES: u64 = 4;

/// The status word of a device. It is 0 until a kernel sets it, and stays set: whoever has relied on
/// lane order has to learn of it, however late it looks.
///
/// Its memory is not the heap's: it lives as long as the device, and counts as nobody's.
pub(crate) struct StatusWord {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    mapped: NonNull<u32>,
    /// Whether it was told to the log, and to the file on disk.
    told: AtomicBool,
}

// SAFETY: the mapped word is only read, as an atomic.
unsafe impl Send for StatusWord {}
// SAFETY: as above.
unsafe impl Sync for StatusWord {}

impl StatusWord {
    /// That of a device.
    pub fn of(device: &Device) -> Result<Arc<Self>> {
        device.attached(Self::new)
    }

    fn new(device: &Device) -> Result<Self> {
        let mut usage = vk::BufferUsageFlags::STORAGE_BUFFER;
        if device.features.buffer_device_address {
            usage |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        }
        let info = vk::BufferCreateInfo::default().size(STATUS_BYTES).usage(usage);
        // SAFETY: a live device.
        let buffer = unsafe { device.raw.create_buffer(&info, None) }.during("vkCreateBuffer")?;
        match memory(device, buffer) {
            Ok((memory, mapped)) => {
                device.name_object(buffer, "multisplit.status");
                Ok(Self { buffer, memory, mapped, told: AtomicBool::new(false) })
            }
            Err(error) => {
                // SAFETY: just created, used by nothing.
                unsafe { device.raw.destroy_buffer(buffer, None) };
                Err(error)
            }
        }
    }

    /// Its buffer, of one word.
    pub fn buffer(&self) -> vk::Buffer {
        self.buffer
    }

    /// As if no kernel had set it: for tests. No kernel that may set it is in flight.
    #[cfg(feature = "broken-plans")]
    pub fn clear(&self) {
        // SAFETY: as below; the device does not write to it now.
        unsafe { AtomicU32::from_ptr(self.mapped.as_ptr()) }.store(0, Ordering::Release);
        self.told.store(false, Ordering::Relaxed);
    }

    /// Whether a kernel has set it. The first time that it is, the log and the disk are told, so that
    /// no later process relies on lane order either.
    pub fn is_set(&self, device: &Device) -> bool {
        // SAFETY: mapped and aligned for as long as this lives; only the device writes to it.
        let word = unsafe { AtomicU32::from_ptr(self.mapped.as_ptr()) }.load(Ordering::Acquire);
        if word != 0 && !self.told.swap(true, Ordering::Relaxed) {
            tracing::error!(device = %device.properties.name, "lane order was not kept; ranking by ballots from here on");
            if let Some(file) = device.verdict_file() {
                file.save(false);
            }
        }
        word != 0
    }
}

/// Mapped memory for `buffer`, zeroed.
fn memory(device: &Device, buffer: vk::Buffer) -> Result<(vk::DeviceMemory, NonNull<u32>)> {
    let no_memory = || Error::OutOfMemory {
        name: "multisplit.status".to_owned(),
        size: STATUS_BYTES,
        reason: "the device has no memory that the host sees".to_owned(),
    };
    // SAFETY: a live buffer of this device.
    let needed = unsafe { device.raw.get_buffer_memory_requirements(buffer) };
    // SAFETY: the device's own physical device.
    let all = unsafe { device.instance().get_physical_device_memory_properties(device.physical) };
    let suits = |flags: vk::MemoryPropertyFlags| {
        let suits = |(index, kind): (u32, &vk::MemoryType)| {
            let there = needed.memory_type_bits & 1 << index != 0;
            (there && kind.property_flags.contains(flags)).then_some(index)
        };
        (0..).zip(all.memory_types_as_slice()).find_map(suits)
    };
    let visible = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    // The host reads it often, and the device writes it hardly ever.
    let kind = suits(visible | vk::MemoryPropertyFlags::HOST_CACHED).or_else(|| suits(visible));
    let mut flags = vk::MemoryAllocateFlagsInfo::default();
    if device.features.buffer_device_address {
        flags = flags.flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
    }
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(needed.size)
        .memory_type_index(kind.ok_or_else(no_memory)?)
        .push_next(&mut flags);
    // SAFETY: a type that the device has.
    let memory = unsafe { device.raw.allocate_memory(&info, None) }.during("vkAllocateMemory")?;
    let mapped = || {
        // SAFETY: memory of the right requirements, bound once, and mapped once.
        let at = unsafe {
            device.raw.bind_buffer_memory(buffer, memory, 0).during("vkBindBufferMemory")?;
            let whole = vk::MemoryMapFlags::empty();
            device.raw.map_memory(memory, 0, vk::WHOLE_SIZE, whole).during("vkMapMemory")?
        };
        let at = NonNull::new(at.cast::<u32>()).ok_or_else(no_memory)?;
        // SAFETY: mapped, and the device does not use it yet.
        unsafe { at.write(0) };
        Ok(at)
    };
    mapped().map(|at| (memory, at)).inspect_err(|_| {
        // SAFETY: the buffer that may be bound to it is destroyed by the caller, unused.
        unsafe { device.raw.free_memory(memory, None) };
    })
}

impl Attachment for StatusWord {
    unsafe fn release(&self, device: &Device) {
        // What was found in the last run is still to be told.
        self.is_set(device);
        // SAFETY: by the caller's contract. Freeing unmaps.
        unsafe {
            device.raw.destroy_buffer(self.buffer, None);
            device.raw.free_memory(self.memory, None);
        }
    }
}
