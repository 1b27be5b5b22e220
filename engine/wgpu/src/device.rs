//! How the device of a wgpu program is adopted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use multisplit::ash::{self, vk};
use multisplit::{
    AdoptOptions, AdoptedDevice, Context, DeviceProperties, Features, PipelineCache, ProfileChoice,
    RankingChoice, Requirements,
};
use wgpu::hal::api::Vulkan;

use crate::commands::{Commands, Touch};
use crate::error::{Error, Result};

/// A wgpu program's device, on which operations are made. Clones share it.
#[derive(Clone)]
pub struct Multisplit {
    pub(crate) shared: Arc<Shared>,
}

/// What operations and commands have in common. Fields go in this order: what is multisplit's before
/// wgpu's device.
pub(crate) struct Shared {
    pub context: Context,
    /// The handle, which no other living device has. (Those of two instances may be equal to wgpu.)
    pub raw: vk::Device,
    touches: Mutex<HashMap<usize, Arc<Touch>>>,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
}

impl Multisplit {
    /// For a device that was requested in any way, and its queue. It needs Vulkan 1.2 and subgroups of
    /// 4 to 128 lanes; an error names what is missing.
    ///
    /// [`Error::NotVulkan`] where the backend is another.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<Self> {
        let (context, raw) = adopt(device)?;
        let (touches, device, queue) = (Mutex::default(), device.clone(), queue.clone());
        Ok(Self { shared: Arc::new(Shared { context, raw, touches, device, queue }) })
    }

    /// Commands of the program's and of operations, to be submitted together.
    pub fn commands(&self, label: &str) -> Commands {
        Commands::new(&self.shared, label)
    }

    /// What the engine knows of the device.
    pub fn properties(&self) -> &DeviceProperties {
        self.shared.context.properties()
    }
}

impl Shared {
    /// How wgpu is told that so many buffers are used.
    pub fn touch(&self, buffers: usize) -> Arc<Touch> {
        let mut touches = self.touches.lock().unwrap_or_else(PoisonError::into_inner);
        let made = touches.entry(buffers);
        made.or_insert_with(|| Arc::new(Touch::new(&self.device, buffers))).clone()
    }
}

fn adopt(device: &wgpu::Device) -> Result<(Context, vk::Device)> {
    let other = || Error::NotVulkan { backend: device.adapter_info().backend };
    // SAFETY: nothing of the device is destroyed here.
    let hal = unsafe { device.as_hal::<Vulkan>() }.ok_or_else(other)?;
    let instance = hal.shared_instance();
    let (raw, physical) = (instance.raw_instance(), hal.raw_physical_device());
    // wgpu asks for 1.3 at most.
    let api_version = instance.instance_api_version().min(vk::API_VERSION_1_3);
    // SAFETY: the physical device is the instance's, and both are alive.
    let (offered, properties) = unsafe {
        let offered = Requirements::for_version(raw, physical, api_version);
        (offered, raw.get_physical_device_properties(physical))
    };
    let is_enabled = |name| hal.enabled_device_extensions().contains(&name);
    // What wgpu enables, in whatever way the device was requested; more is not known of it.
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
        // The queue is wgpu's, which does not know of a lock of ours: nothing may be submitted.
        ranking: RankingChoice::Promised,
        profile: ProfileChoice::BuiltIn,
    };
    let options = AdoptOptions::default().without_synchronization2();
    // SAFETY: these are the handles of one device, made with these features. `Shared` drops the context
    // before its clone of wgpu's device, and so does whatever wgpu holds for a submission (`operation`).
    // With `RankingChoice::Promised` the context submits nothing that this crate does not ask for; it asks
    // for nothing, and hands the context to nobody.
    let context = unsafe { Context::adopt_with(adopted, options)? };
    Ok((context, hal.raw_device().handle()))
}
