//! The device shared by all objects: handles, function tables, attachments and destruction order.

use std::any::Any;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use ash::vk;

use crate::device::barriers::Barriers;
use crate::device::functions::Functions;
use crate::device::hooks::Hooks;
use crate::device::instance::Instance;
use crate::device::requirements::Features;
use crate::device::{
    DeviceProperties, ErrorWatch, Messages, Observer, PipelineCache, ProbeResult, VerdictFile,
};
use crate::error::{Error, Result, VkResultExt};
use crate::lock::lock;

/// An instance and its device. Dropping this destroys the device, then the instance, unless the caller owns them. It
/// also cleans up if a later step of opening the device fails.
pub(crate) struct Handles {
    pub raw: ash::Device,
    pub instance: Instance,
}

impl Drop for Handles {
    fn drop(&mut self) {
        if self.instance.owned {
            // SAFETY: the owner drops the handles after all objects created from them.
            unsafe { self.raw.destroy_device(None) };
        }
    }
}

/// Identifies a recording. No barrier is inserted between consecutive submissions of the same recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordingId(u64);

impl RecordingId {
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The queue and the recording that was last submitted to it.
pub(super) struct Queue {
    pub raw: vk::Queue,
    pub last: Option<RecordingId>,
}

/// An object that other modules attach to a device for its lifetime, such as the memory heap or the pipeline cache.
/// The device does not know its type. It releases the object before the Vulkan device is destroyed.
pub(crate) trait Attachment: Any + Send + Sync {
    /// Destroys the Vulkan objects that the attachment holds.
    ///
    /// # Safety
    /// Called once, by the device, when no other code uses the attachment's objects.
    unsafe fn release(&self, _: &Device) {}
}

fn find<T: Attachment>(attachments: &[Arc<dyn Attachment>]) -> Option<Arc<T>> {
    attachments.iter().find_map(|one| {
        let any: Arc<dyn Any + Send + Sync> = one.clone();
        any.downcast().ok()
    })
}

/// A Vulkan device. All objects created from it hold a reference, so it outlives them.
pub(crate) struct Device {
    pub raw: ash::Device,
    /// Capabilities of the queue family.
    pub queue_flags: vk::QueueFlags,
    pub push_descriptor: Option<ash::khr::push_descriptor::Device>,
    pub debug_utils: Option<ash::ext::debug_utils::Device>,
    pub executables: Option<ash::khr::pipeline_executable_properties::Device>,
    attachments: Mutex<Vec<Arc<dyn Attachment>>>,
    locked_queue: Mutex<Queue>,
    barriers: Barriers,
    /// Destroys the device and the instance. Must be the last field, because fields are dropped in declaration order.
    parts: DeviceParts,
}

/// Handles and settings of a [`Device`], which provides them as if they were its own fields.
pub(crate) struct DeviceParts {
    pub physical: vk::PhysicalDevice,
    /// Used only through `locked_queue`.
    pub(super) queue: vk::Queue,
    pub queue_family: u32,
    /// The lower of the instance's and the device's API version.
    pub api_version: u32,
    pub properties: DeviceProperties,
    pub features: Features,
    /// Folder for compiled pipelines and probe results.
    pub pipeline_cache: PipelineCache,
    /// Whether kernels may rely on probed device behaviour.
    pub probed_behaviour: bool,
    /// Whether plans are refused if the device fails the device probe.
    pub refuses_faults: bool,
    /// Whether the context falls back to simpler plans if the driver cannot create a pipeline.
    pub pipeline_fallback: bool,
    /// Whether pipelines that nothing uses are kept, so that their statistics can be read.
    pub keeps_pipelines: bool,
    /// Maximum total size of buffers in bytes.
    pub memory_limit: Option<u64>,
    pub observer: Option<Observer>,
    /// Whether calls that instantiate or run work fail if a validation layer reports an error.
    pub fail_on_error: bool,
    /// Whether the queue must not be used.
    pub record_only: bool,
    /// Objects that the owner of an adopted device provides.
    pub hooks: Hooks,
    /// Must be the last field, like [`Device::parts`].
    pub handles: Handles,
}

impl Deref for Device {
    type Target = DeviceParts;

    fn deref(&self) -> &DeviceParts {
        &self.parts
    }
}

impl Device {
    pub fn new(parts: DeviceParts) -> Result<Self> {
        let DeviceParts { features, handles: Handles { raw, instance: owner }, .. } = &parts;
        let instance = &owner.raw;
        let functions = Functions::new(instance, raw.handle());
        let missing = functions.missing(features, owner.debug_utils);
        if !missing.is_empty() {
            let missing = missing.iter().map(ToString::to_string).collect();
            return Err(Error::MissingRequirements { device: parts.properties.name, missing });
        }
        let barriers = match features.synchronization2 {
            true => Barriers::new(instance, raw, functions.barrier2(), parts.api_version),
            false => Barriers::Legacy,
        };
        let push_descriptor =
            features.push_descriptor.then(|| ash::khr::push_descriptor::Device::new(instance, raw));
        let executables = features
            .pipeline_executable_info
            .then(|| ash::khr::pipeline_executable_properties::Device::new(instance, raw));
        let debug_utils =
            owner.debug_utils.then(|| ash::ext::debug_utils::Device::new(instance, raw));
        // SAFETY: the physical device is the instance's, and both are alive.
        let families =
            unsafe { instance.get_physical_device_queue_family_properties(parts.physical) };
        let family = families.get(parts.queue_family as usize);
        Ok(Self {
            raw: raw.clone(),
            queue_flags: family.map_or(vk::QueueFlags::COMPUTE, |family| family.queue_flags),
            push_descriptor,
            debug_utils,
            executables,
            attachments: Mutex::default(),
            locked_queue: Mutex::new(Queue { raw: parts.queue, last: None }),
            barriers,
            parts,
        })
    }

    /// The file that stores the result of a probe. `None` if there is no cache folder.
    pub fn verdict_file<R: ProbeResult>(&self) -> Option<VerdictFile<R>> {
        let folder = self.pipeline_cache.folder()?;
        Some(VerdictFile::new(&folder, &self.properties))
    }

    pub fn messages(&self) -> &Messages {
        self.handles.instance.messages()
    }

    /// Starts watching for errors of the validation layers. If `fail_on_error` is not set, returns a watch that never
    /// reports an error.
    pub fn watch_errors(&self) -> ErrorWatch {
        if self.fail_on_error { self.messages().watch() } else { ErrorWatch::default() }
    }

    pub fn instance(&self) -> &ash::Instance {
        &self.handles.instance.raw
    }

    /// Host allocation callbacks for Vulkan objects.
    pub fn callbacks(&self) -> Option<&vk::AllocationCallbacks<'static>> {
        self.hooks.allocation_callbacks.as_ref().map(|callbacks| &callbacks.0)
    }

    /// Whether other code created the device.
    pub fn is_adopted(&self) -> bool {
        !self.handles.instance.owned
    }

    /// Returns the error for an operation that needs a feature that is not supported or not enabled.
    pub fn missing_feature(&self, operation: String, feature: String) -> Error {
        let (device, enabled) = (self.properties.name.clone(), !self.is_adopted());
        Error::MissingFeature { operation, feature, device, enabled }
    }

    /// Records one pipeline barrier.
    ///
    /// # Safety
    /// `commands` is recording.
    pub unsafe fn pipeline_barrier(
        &self,
        commands: vk::CommandBuffer,
        memory: &[vk::MemoryBarrier2<'_>],
    ) {
        // SAFETY: the caller guarantees that `commands` is recording.
        unsafe { self.barriers.record(&self.raw, commands, memory) };
    }

    /// Returns the attachment of this type. Creates it with `make` on first use. The lock is not held while `make`
    /// runs, because `make` may request other attachments.
    pub fn attached<T: Attachment>(&self, make: impl FnOnce(&Self) -> Result<T>) -> Result<Arc<T>> {
        if let Some(found) = find(&lock(&self.attachments)) {
            return Ok(found);
        }
        let made = make(self)?;
        let mut all = lock(&self.attachments);
        if let Some(found) = find(&all) {
            // Another thread created the attachment first.
            drop(all);
            // SAFETY: the object is newly created and not in use.
            unsafe { made.release(self) };
            return Ok(found);
        }
        let made = Arc::new(made);
        all.push(made.clone());
        Ok(made)
    }

    /// Waits for all work on the queue. Does not use `vkDeviceWaitIdle`, which would require the owner of an adopted
    /// device to stop using all of its queues.
    pub fn wait_idle(&self) -> Result<()> {
        if self.record_only {
            return Ok(());
        }
        let queue = self.queue()?;
        // SAFETY: the queue is alive.
        unsafe { self.raw.queue_wait_idle(queue.raw) }.during("vkQueueWaitIdle")
    }

    /// Locks the queue: Vulkan requires external synchronization of queues. Fails if the device only records.
    pub(super) fn queue(&self) -> Result<MutexGuard<'_, Queue>> {
        match self.record_only {
            true => Err(Error::RecordOnly),
            false => Ok(lock(&self.locked_queue)),
        }
    }

    /// Names an object for validation layers and debuggers, if `VK_EXT_debug_utils` is enabled.
    pub fn name_object<T: vk::Handle>(&self, handle: T, name: &str) {
        let Some(functions) = &self.debug_utils else { return };
        let Ok(name) = std::ffi::CString::new(name) else { return };
        let info =
            vk::DebugUtilsObjectNameInfoEXT::default().object_handle(handle).object_name(&name);
        // Names are optional, so errors are ignored.
        // SAFETY: a live object of this device.
        let _ = unsafe { functions.set_debug_utils_object_name(&info) };
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // A driver that runs without its GPU (RADV with RADV_FORCE_FAMILY) reports no device memory. No work can have
        // been submitted, and waiting would fail.
        if self.handles.instance.owned && self.properties.device_memory > 0 {
            // Waiting for a lost device fails, but its work has ended.
            let _ = self.wait_idle();
        }
        let mut attachments = std::mem::take(&mut *lock(&self.attachments));
        // Release attachments in reverse order of creation.
        while let Some(one) = attachments.pop() {
            // SAFETY: this is the last reference, so the attachments are not in use. The owner of an adopted device
            // guarantees that all recorded work has completed.
            unsafe { one.release(self) };
        }
    }
}
