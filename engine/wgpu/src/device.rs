//! Adoption of a wgpu program's device.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use multisplit::ash::{self, vk};
use multisplit::requirements::{Features, Requirements};
use multisplit::{
    AdoptOptions, AdoptedDevice, Context, DeviceProperties, PipelineCache, ProfileChoice,
    RankingChoice,
};
use wgpu::hal::api::Vulkan;

use crate::error::{Error, Result};
use crate::touch::Touch;

/// A wgpu program's device, on which operations are created. Clones share it.
#[derive(Clone)]
pub struct Multisplit {
    pub(crate) shared: Arc<Shared>,
}

/// State shared by operations and commands. Fields are dropped in this order: multisplit's objects before
/// wgpu's device.
pub(crate) struct Shared {
    pub context: Context,
    /// The Vulkan handle, which is unique among existing devices. (wgpu may consider devices of two instances
    /// equal.)
    pub raw: vk::Device,
    touches: Mutex<HashMap<usize, Arc<Touch>>>,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
}

impl Multisplit {
    /// Adopts a device and its queue. Requires Vulkan 1.2 and subgroups of 4 to 128 lanes; an error lists
    /// everything that is missing.
    ///
    /// Returns [`Error::NotVulkan`] for other backends, and [`Error::Limit`] if the device was requested without
    /// compute shaders, bind groups or storage buffers.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<Self> {
        let limits = device.limits();
        let needed = [
            ("max_storage_buffers_per_shader_stage", limits.max_storage_buffers_per_shader_stage),
            ("max_bindings_per_bind_group", limits.max_bindings_per_bind_group),
            ("max_bind_groups", limits.max_bind_groups),
            ("max_compute_invocations_per_workgroup", limits.max_compute_invocations_per_workgroup),
            ("max_compute_workgroup_size_x", limits.max_compute_workgroup_size_x),
        ];
        let (context, raw) = adopt(device)?;
        if is_lost(device) {
            return Err(Error::DeviceLost);
        }
        if let Some(&(limit, _)) = needed.iter().find(|(_, allowed)| *allowed == 0) {
            let what = "multisplit".to_owned();
            return Err(Error::Limit { what, limit, needed: 1, allowed: 0 });
        }
        let (touches, device, queue) = (Mutex::default(), device.clone(), queue.clone());
        Ok(Self { shared: Arc::new(Shared { context, raw, touches, device, queue }) })
    }

    /// Device properties used by the engine.
    pub fn properties(&self) -> &DeviceProperties {
        self.shared.context.properties()
    }
}

impl Shared {
    /// Returns the pass that declares accesses to `buffers` buffers to wgpu. Each such pass is created once.
    pub fn touch(&self, buffers: usize) -> Result<Arc<Touch>> {
        let mut touches = self.touches.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(touch) = touches.get(&buffers) {
            return Ok(touch.clone());
        }
        let touch = Arc::new(Touch::new(&self.device, buffers)?);
        touches.insert(buffers, touch.clone());
        Ok(touch)
    }
}

/// Whether the device was lost or destroyed. wgpu has no query for this, but gives no access to raw encoders
/// of such a device.
fn is_lost(device: &wgpu::Device) -> bool {
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    // SAFETY: the encoder is not used.
    unsafe { encoder.as_hal_mut::<Vulkan, _, _>(|encoder| encoder.is_none()) }
}

fn adopt(device: &wgpu::Device) -> Result<(Context, vk::Device)> {
    let other = || match device.adapter_info().backend {
        wgpu::Backend::Vulkan => Error::DeviceLost,
        backend => Error::NotVulkan { backend },
    };
    // SAFETY: the device is not destroyed here.
    let hal = unsafe { device.as_hal::<Vulkan>() }.ok_or_else(other)?;
    let instance = hal.shared_instance();
    let (raw, physical) = (instance.raw_instance(), hal.raw_physical_device());
    // wgpu requests Vulkan 1.3 at most.
    let api_version = instance.instance_api_version().min(vk::API_VERSION_1_3);
    // SAFETY: the physical device belongs to the instance, and both are valid.
    let (offered, properties) = unsafe {
        let offered = Requirements::for_version(raw, physical, api_version);
        (offered, raw.get_physical_device_properties(physical))
    };
    let is_enabled = |name| hal.enabled_device_extensions().contains(&name);
    // Lists only features that wgpu always enables if available, or whose state it reports.
    let size_control = is_enabled(ash::ext::subgroup_size_control::NAME)
        || properties.api_version.min(api_version) >= vk::API_VERSION_1_3;
    let features = Features {
        push_descriptor: is_enabled(ash::khr::push_descriptor::NAME),
        subgroup_size_control: size_control
            && offered.is_ok_and(|offered| offered.features.subgroup_size_control),
        shader_int64: device.features().contains(wgpu::Features::SHADER_INT64),
        shader_float64: device.features().contains(wgpu::Features::SHADER_F64),
        ..Features::default()
    };
    let adopted = AdoptedDevice {
        entry: instance.entry().clone(),
        instance: raw.clone(),
        api_version,
        physical,
        device: hal.raw_device().clone(),
        queue: hal.raw_queue(),
        queue_family: hal.queue_family_index(),
        features,
        debug_utils: instance.extensions().contains(&ash::ext::debug_utils::NAME),
        pipeline_cache: PipelineCache::Off,
        // The probe of lane order would submit.
        ranking: RankingChoice::Promised,
        profile: ProfileChoice::BuiltIn,
    };
    // wgpu owns the queue and does not share a lock, so the context must not use it.
    let options = AdoptOptions::default().without_synchronization2().record_only();
    // SAFETY: these are the handles of one device, created with these features. `Shared` drops the context
    // before its clone of wgpu's device. The engine's objects that wgpu holds for a submission (`operation`)
    // are also dropped before the device. The context does not use the queue.
    let context = unsafe { Context::adopt_with(adopted, options)? };
    Ok((context, hal.raw_device().handle()))
}
