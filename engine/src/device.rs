//! The device that everything shares: handles, function tables, the allocator, and the order in
//! which they are torn down.

use std::mem::ManuallyDrop;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ash::vk;
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};

use crate::cache_file::CacheFile;
use crate::error::{Error, Result, VkResultExt};
use crate::instance::Instance;
use crate::pipeline::PipelineStore;
use crate::requirements::{DeviceProperties, Features};
use crate::validation::Messages;

/// Synchronization2 came to core under another name.
pub(crate) enum Synchronization2 {
    Core,
    Extension(ash::khr::synchronization2::Device),
}

/// Shared by everything that holds a Vulkan object, so that none outlives the device.
pub(crate) struct Device {
    pub raw: ash::Device,
    pub queue: Mutex<vk::Queue>,
    pub queue_family: u32,
    pub properties: DeviceProperties,
    pub features: Features,
    pub push_descriptor: Option<ash::khr::push_descriptor::Device>,
    pub debug_utils: Option<ash::ext::debug_utils::Device>,
    pub executables: Option<ash::khr::pipeline_executable_properties::Device>,
    pub pipelines: PipelineStore,
    synchronization2: Synchronization2,
    allocator: ManuallyDrop<Mutex<Allocator>>,
    cache_file: Option<CacheFile>,
    /// Dropped last, after the device is destroyed.
    instance: Instance,
}

/// What a [`Device`] is made of.
pub(crate) struct DeviceParts {
    pub instance: Instance,
    pub physical: vk::PhysicalDevice,
    pub raw: ash::Device,
    pub queue: vk::Queue,
    pub queue_family: u32,
    pub features: Features,
    pub cache_file: Option<CacheFile>,
}

impl Device {
    pub fn new(parts: DeviceParts) -> Result<Self> {
        let DeviceParts { raw, features, .. } = &parts;
        let instance = &parts.instance.raw;
        let properties = DeviceProperties::query(instance, parts.physical);
        let core13 = properties.api_version >= vk::API_VERSION_1_3;
        let synchronization2 = if core13 {
            Synchronization2::Core
        } else {
            Synchronization2::Extension(ash::khr::synchronization2::Device::new(instance, raw))
        };
        let push_descriptor =
            features.push_descriptor.then(|| ash::khr::push_descriptor::Device::new(instance, raw));
        let executables = features
            .pipeline_executable_info
            .then(|| ash::khr::pipeline_executable_properties::Device::new(instance, raw));
        let debug_utils =
            parts.instance.debug_utils.then(|| ash::ext::debug_utils::Device::new(instance, raw));
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: instance.clone(),
            device: raw.clone(),
            physical_device: parts.physical,
            debug_settings: Default::default(),
            buffer_device_address: false,
            allocation_sizes: Default::default(),
        })
        .map_err(|e| Error::OutOfMemory {
            name: "allocator".into(),
            size: 0,
            reason: e.to_string(),
        })?;
        let initial = parts.cache_file.as_ref().map(CacheFile::load).unwrap_or_default();
        let pipelines = PipelineStore::new(raw, &initial)?;
        Ok(Self {
            queue: Mutex::new(parts.queue),
            queue_family: parts.queue_family,
            properties,
            features: parts.features,
            push_descriptor,
            debug_utils,
            executables,
            pipelines,
            synchronization2,
            allocator: ManuallyDrop::new(Mutex::new(allocator)),
            cache_file: parts.cache_file,
            raw: parts.raw,
            instance: parts.instance,
        })
    }

    pub fn messages(&self) -> &Messages {
        self.instance.messages()
    }

    pub fn allocator(&self) -> MutexGuard<'_, Allocator> {
        self.allocator.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One `vkCmdPipelineBarrier2`.
    ///
    /// # Safety
    /// `commands` is recording.
    pub unsafe fn pipeline_barrier(
        &self,
        commands: vk::CommandBuffer,
        memory: &[vk::MemoryBarrier2<'_>],
    ) {
        let info = vk::DependencyInfo::default().memory_barriers(memory);
        match &self.synchronization2 {
            // SAFETY: by the caller's contract.
            Synchronization2::Core => unsafe { self.raw.cmd_pipeline_barrier2(commands, &info) },
            // SAFETY: by the caller's contract.
            Synchronization2::Extension(functions) => unsafe {
                functions.cmd_pipeline_barrier2(commands, &info);
            },
        }
    }

    /// Submits one command buffer and signals `fence`.
    ///
    /// # Safety
    /// `commands` is executable and not pending (or was recorded for simultaneous use).
    pub unsafe fn submit(&self, commands: vk::CommandBuffer, fence: vk::Fence) -> Result<()> {
        let commands = [commands];
        let info = vk::SubmitInfo::default().command_buffers(&commands);
        // Queues are externally synchronized: the lock is held for the call.
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: by the caller's contract.
        unsafe { self.raw.queue_submit(*queue, &[info], fence) }.during("vkQueueSubmit")
    }

    /// Names an object for the layers and for debuggers, where debug-utils is on.
    pub fn name_object<T: vk::Handle>(&self, handle: T, name: &str) {
        let Some(functions) = &self.debug_utils else { return };
        let Ok(name) = std::ffi::CString::new(name) else { return };
        let info =
            vk::DebugUtilsObjectNameInfoEXT::default().object_handle(handle).object_name(&name);
        // A name is a convenience: failing to set one is no failure.
        // SAFETY: a live object of this device.
        let _ = unsafe { functions.set_debug_utils_object_name(&info) };
    }

    /// Writes the pipeline cache to its file, if it has one.
    pub fn save_pipeline_cache(&self) {
        if let Some(file) = &self.cache_file {
            file.save(&self.pipelines.cache_data(&self.raw));
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        self.save_pipeline_cache();
        // SAFETY: the last reference, so nothing else uses the objects. The order is: wait, what
        // the device owns, the allocator (it frees device memory), device; the instance follows.
        unsafe {
            if self.instance.owned {
                let _ = self.raw.device_wait_idle();
            }
            self.pipelines.destroy(&self.raw);
            ManuallyDrop::drop(&mut self.allocator);
            if self.instance.owned {
                self.raw.destroy_device(None);
            }
        }
    }
}
