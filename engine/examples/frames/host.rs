//! A minimal engine: instance, device, queue and buffers, created with plain Vulkan calls. The requirements
//! of multisplit are merged with those of the engine.

use std::error::Error;
use std::ffi::{CStr, c_void};
use std::sync::Mutex;

use multisplit::ash::{self, vk};
use multisplit::requirements::{Check, Features, InstanceRequirements, Requirements};
use multisplit::{AdoptedDevice, DeviceProperties, PipelineCache, ProfileChoice, RankingChoice};

/// Result with any error.
pub type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

const API_VERSION: u32 = vk::API_VERSION_1_3;

/// The engine's objects.
pub struct Host {
    pub entry: ash::Entry,
    pub instance: ash::Instance,
    pub physical: vk::PhysicalDevice,
    pub device: ash::Device,
    pub queue: vk::Queue,
    pub family: u32,
    /// Result of multisplit's check of the device creation parameters.
    pub check: Check,
    messenger: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    /// Messages of the validation layer. Boxed, because the messenger keeps a pointer to the mutex.
    messages: Box<Mutex<Vec<String>>>,
}

/// A buffer and its memory.
pub struct HostBuffer {
    pub raw: vk::Buffer,
    memory: vk::DeviceMemory,
    /// Null if the memory is not host-visible.
    pub mapped: *mut u32,
}

impl HostBuffer {
    /// The first `len` words of mapped memory.
    ///
    /// # Safety
    /// The buffer must be mapped and have at least `len` words, and the device must not write to it at the same time.
    pub unsafe fn words(&self, len: usize) -> &[u32] {
        // SAFETY: by the caller's contract.
        unsafe { std::slice::from_raw_parts(self.mapped, len) }
    }
}

unsafe extern "system" fn on_message(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    messages: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: all are valid during the callback. The layer always names the rule that was broken.
    let (messages, rule, text) = unsafe {
        let [rule, text] =
            [(*data).p_message_id_name, (*data).p_message].map(|s| CStr::from_ptr(s));
        (&*messages.cast::<Mutex<Vec<String>>>(), rule, text)
    };
    if let Ok(mut messages) = messages.lock() {
        messages.push(format!("{}: {}", rule.to_string_lossy(), text.to_string_lossy()));
    }
    vk::FALSE
}

impl Host {
    /// Creates an engine on the first device that meets multisplit's requirements and, if `name` is given, has this
    /// name.
    ///
    /// # Safety
    /// The installed Vulkan loader must be valid. Like this function, nearly all Vulkan calls are `unsafe`.
    pub unsafe fn new(name: Option<&str>, validate: bool) -> Result<Self> {
        // SAFETY: plain Vulkan set-up with valid structures throughout.
        unsafe {
            let entry = ash::Entry::load()?;
            let messages: Box<Mutex<Vec<String>>> = Box::default();
            let instance = instance(&entry, validate)?;
            let messenger =
                if validate { Some(messenger(&entry, &instance, &messages)?) } else { None };

            let usable = |&physical: &vk::PhysicalDevice| {
                let found = DeviceProperties::query(&instance, physical).name;
                name.is_none_or(|name| name == found)
                    && Requirements::for_version(&instance, physical, API_VERSION).is_ok()
            };
            let physical = instance.enumerate_physical_devices()?.into_iter().find(usable);
            let physical = physical.ok_or("no Vulkan device meets the requirements")?;
            let family = DeviceProperties::query(&instance, physical).compute_family;
            let family = family.ok_or("the device has no queue family for compute")?;
            let unknown = if validate { unknown_to_layer(&entry)? } else { Features::default() };
            let (device, check) = device(&instance, physical, family, &unknown)?;
            let queue = device.get_device_queue(family, 0);
            Ok(Self {
                entry,
                instance,
                physical,
                device,
                queue,
                family,
                check,
                messenger,
                messages,
            })
        }
    }

    /// The description of this device for [`Context::adopt`](multisplit::Context::adopt).
    pub fn adopted(&self, pipeline_cache: PipelineCache) -> AdoptedDevice {
        AdoptedDevice {
            entry: self.entry.clone(),
            instance: self.instance.clone(),
            api_version: API_VERSION,
            physical: self.physical,
            device: self.device.clone(),
            queue: self.queue,
            queue_family: self.family,
            features: self.check.features,
            debug_utils: true,
            pipeline_cache,
            ranking: RankingChoice::Auto,
            profile: ProfileChoice::BuiltIn,
        }
    }

    /// Messages of the validation layer since the last call.
    pub fn take_messages(&self) -> Vec<String> {
        self.messages.lock().map(|mut messages| std::mem::take(&mut *messages)).unwrap_or_default()
    }

    /// Creates a buffer in memory with these properties, and maps it if it is host-visible.
    ///
    /// # Safety
    /// The device must support buffers of this size.
    pub unsafe fn buffer(
        &self,
        size: u64,
        usage: vk::BufferUsageFlags,
        properties: vk::MemoryPropertyFlags,
    ) -> Result<HostBuffer> {
        // SAFETY: plain Vulkan calls; the memory type is one of the allowed ones.
        unsafe {
            let info = vk::BufferCreateInfo::default().size(size).usage(usage);
            let raw = self.device.create_buffer(&info, None)?;
            let needs = self.device.get_buffer_memory_requirements(raw);
            let types = self.instance.get_physical_device_memory_properties(self.physical);
            let suits = |(index, kind): (usize, &vk::MemoryType)| {
                needs.memory_type_bits & (1 << index) != 0
                    && kind.property_flags.contains(properties)
            };
            let index = types.memory_types_as_slice().iter().enumerate().position(suits);
            let mut flags = vk::MemoryAllocateFlagsInfo::default();
            if usage.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS) {
                flags = flags.flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            }
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size)
                .memory_type_index(index.ok_or("the device has no suitable memory type")? as u32)
                .push_next(&mut flags);
            let memory = self.device.allocate_memory(&info, None)?;
            self.device.bind_buffer_memory(raw, memory, 0)?;
            let mapped = if properties.contains(vk::MemoryPropertyFlags::HOST_VISIBLE) {
                let flags = vk::MemoryMapFlags::empty();
                self.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags)?.cast()
            } else {
                std::ptr::null_mut()
            };
            Ok(HostBuffer { raw, memory, mapped })
        }
    }

    /// # Safety
    /// The device must have finished using the buffer.
    pub unsafe fn free(&self, buffer: &HostBuffer) {
        // SAFETY: by the caller's contract.
        unsafe {
            self.device.destroy_buffer(buffer.raw, None);
            self.device.free_memory(buffer.memory, None);
        }
    }

    /// Destroys everything, and returns the last messages of the validation layer.
    ///
    /// # Safety
    /// All objects created from this device must have been destroyed.
    pub unsafe fn destroy(self) -> Vec<String> {
        // SAFETY: by the caller's contract.
        unsafe {
            self.device.destroy_device(None);
            if let Some((functions, messenger)) = &self.messenger {
                functions.destroy_debug_utils_messenger(*messenger, None);
            }
            self.instance.destroy_instance(None);
        }
        self.take_messages()
    }
}

unsafe fn instance(entry: &ash::Entry, validate: bool) -> Result<ash::Instance> {
    let wanted = InstanceRequirements::of(entry)?;
    let extensions: Vec<_> = wanted.extensions.iter().map(|e| e.as_ptr()).collect();
    let layers = [c"VK_LAYER_KHRONOS_validation".as_ptr()];
    let layers = if validate { &layers[..] } else { &[] };
    let application = vk::ApplicationInfo::default().api_version(API_VERSION);
    let enables = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
    let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enables);
    let mut info = vk::InstanceCreateInfo::default()
        .flags(wanted.flags)
        .application_info(&application)
        .enabled_layer_names(layers)
        .enabled_extension_names(&extensions);
    if validate {
        info = info.push_next(&mut features);
    }
    // SAFETY: all pointers in `info` are valid until after the call.
    Ok(unsafe { entry.create_instance(&info, None) }?)
}

unsafe fn messenger(
    entry: &ash::Entry,
    instance: &ash::Instance,
    messages: &Mutex<Vec<String>>,
) -> Result<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)> {
    let functions = ash::ext::debug_utils::Instance::new(entry, instance);
    let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(
            vk::DebugUtilsMessageSeverityFlagsEXT::WARNING
                | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
        )
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
        .pfn_user_callback(Some(on_message))
        .user_data(std::ptr::from_ref(messages).cast_mut().cast());
    // SAFETY: the messages are boxed, and are dropped after the messenger.
    let messenger = unsafe { functions.create_debug_utils_messenger(&info, None) }?;
    Ok((functions, messenger))
}

/// Features whose extension is newer than the installed validation layer, which would report them as errors.
unsafe fn unknown_to_layer(entry: &ash::Entry) -> Result<Features> {
    // SAFETY: no preconditions.
    let layers = unsafe { entry.enumerate_instance_layer_properties()? };
    let old = |layer: &vk::LayerProperties| {
        layer.layer_name_as_c_str() == Ok(c"VK_LAYER_KHRONOS_validation")
            && layer.spec_version < vk::make_api_version(0, 1, 3, 274)
    };
    let shader_maximal_reconvergence = layers.iter().any(old);
    Ok(Features { shader_maximal_reconvergence, ..Features::default() })
}

/// Creates the device with the engine's own features. The features that multisplit requires are merged into the same
/// structures.
unsafe fn device(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    family: u32,
    left_out: &Features,
) -> Result<(ash::Device, Check)> {
    // SAFETY: the physical device belongs to the instance.
    let mut wanted = unsafe { Requirements::for_version(instance, physical, API_VERSION)? };
    wanted.leave_out(left_out);
    let own_extensions = [];
    // SAFETY: the list is empty.
    let extensions = unsafe { wanted.extensions_with(&own_extensions) };
    let mut vulkan12 = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
    let mut vulkan13 = vk::PhysicalDeviceVulkan13Features::default().maintenance4(true);
    let queues =
        [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions)
        .push_next(&mut vulkan12)
        .push_next(&mut vulkan13);
    let mut chain = wanted.feature_chain();
    // SAFETY: a valid chain; the structures are local, and live until after the call.
    unsafe {
        let info = chain.merge_into(info);
        let check = Requirements::check_create_info(instance, physical, API_VERSION, &info)?;
        check.clone().into_result()?;
        Ok((instance.create_device(physical, &info, None)?, check))
    }
}
