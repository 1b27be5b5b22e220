//! Adoption of devices that other code created.

use std::sync::Arc;

use ash::vk;

use crate::device::instance::Instance;
use crate::device::requirements::{Features, Requirements};
use crate::device::shared::{DeviceParts, Handles};
use crate::device::{
    AdoptOptions, Context, Device, DeviceProperties, FaultyDevices, PipelineCache,
    PipelineFallback, ProfileChoice, RankingChoice,
};
use crate::error::Result;

/// A device that other code created. The engine uses it but never destroys it.
pub struct AdoptedDevice {
    /// The loaded entry points.
    pub entry: ash::Entry,
    /// The instance.
    pub instance: ash::Instance,
    /// The `apiVersion` that the instance was created with. If it is below 1.3, `features` must come from
    /// [`Requirements::for_version`].
    pub api_version: u32,
    /// The physical device.
    pub physical: vk::PhysicalDevice,
    /// The device.
    pub device: ash::Device,
    /// A queue that supports compute. Calls that submit work use it; recording does not. The lane-order probe may
    /// also submit to it; see `ranking`.
    pub queue: vk::Queue,
    /// The family of `queue`.
    pub queue_family: u32,
    /// The features of [`Requirements::of`] that are enabled on the device, as returned by
    /// [`Requirements::check_create_info`].
    pub features: Features,
    /// Whether `VK_EXT_debug_utils` is enabled on the instance.
    pub debug_utils: bool,
    /// Folder for compiled pipelines and probe results.
    pub pipeline_cache: PipelineCache,
    /// Whether kernels may rely on device behaviour that Vulkan does not guarantee, but that a probe has observed. On
    /// some devices, the first [`Context::work`] or [`Context::policy`] submits this probe to the queue and waits for
    /// it ([`probe`](crate::operations::probe)). [`RankingChoice::Promised`] disables the probe.
    pub ranking: RankingChoice,
    /// Source of kernel sizes that were tuned for the device.
    pub profile: ProfileChoice,
}

/// Raw handles of a device that other code created, for callers that do not use `ash`.
#[derive(Clone, Copy)]
pub struct RawDevice {
    /// The loader's `vkGetInstanceProcAddr`.
    pub get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// The instance.
    pub instance: vk::Instance,
    /// The physical device.
    pub physical: vk::PhysicalDevice,
    /// The device.
    pub device: vk::Device,
    /// A queue that supports compute.
    pub queue: vk::Queue,
    /// The family of `queue`.
    pub queue_family: u32,
}

impl RawDevice {
    /// Loads the instance's functions.
    ///
    /// # Safety
    /// `get_instance_proc_addr` belongs to a Vulkan loader or driver, and the instance is alive.
    pub unsafe fn instance(&self) -> (ash::Entry, ash::Instance) {
        let get_instance_proc_addr = self.get_instance_proc_addr;
        // SAFETY: the caller guarantees that the function belongs to a loader or driver and that the instance is alive.
        unsafe {
            let functions = ash::StaticFn { get_instance_proc_addr };
            let instance = ash::Instance::load(&functions, self.instance);
            (ash::Entry::from_static_fn(functions), instance)
        }
    }

    /// Loads the device's functions. `api_version` is the version that the instance was created with.
    ///
    /// # Safety
    /// The requirements of [`instance`](Self::instance). The other handles are alive and belong to the
    /// instance.
    pub unsafe fn adopted(&self, api_version: u32, features: Features) -> AdoptedDevice {
        // SAFETY: the caller guarantees the requirements of `instance`.
        let (entry, instance) = unsafe { self.instance() };
        // SAFETY: the caller guarantees that the device is alive and belongs to the instance.
        let device = unsafe { ash::Device::load(instance.fp_v1_0(), self.device) };
        AdoptedDevice {
            entry,
            instance,
            api_version,
            physical: self.physical,
            device,
            queue: self.queue,
            queue_family: self.queue_family,
            features,
            debug_utils: false,
            pipeline_cache: PipelineCache::UserFolder,
            ranking: RankingChoice::Auto,
            profile: ProfileChoice::UserFolder,
        }
    }
}

impl Context {
    /// Wraps a device that other code created. Does not load the profile; the caller does.
    ///
    /// # Safety
    /// The requirements of [`adopt`](Self::adopt).
    pub(crate) unsafe fn adopt_device(
        adopted: AdoptedDevice,
        options: AdoptOptions,
    ) -> Result<Self> {
        let AdoptedDevice { entry, instance, physical, queue_family, api_version, .. } = adopted;
        // The probe would use the queue, which a record-only context must not.
        let probed_behaviour = adopted.ranking.allows_probed()? && !options.record_only;
        let refuses_faults = FaultyDevices::Auto.are_refused()?;
        let pipeline_fallback = PipelineFallback::Auto.is_on()?;
        let features = &adopted.features;
        // SAFETY: the caller guarantees that the instance is alive and that the physical device belongs to it.
        let (check, properties) = unsafe {
            let check =
                Requirements::check(&instance, physical, api_version, features, queue_family);
            (check, DeviceProperties::query(&instance, physical))
        };
        let mut check = check?;
        if options.without_synchronization2 {
            check.allow_without_synchronization2();
        }
        check.into_result()?;
        let properties = properties.with_family(&instance, physical, queue_family);
        let instance = Instance::adopt(entry, instance, adopted.debug_utils);
        let device = Device::new(DeviceParts {
            handles: Handles { raw: adopted.device, instance },
            physical,
            queue: adopted.queue,
            queue_family,
            api_version: api_version.min(properties.api_version),
            pipeline_cache: adopted.pipeline_cache,
            properties,
            features: adopted.features,
            probed_behaviour,
            refuses_faults,
            pipeline_fallback,
            keeps_pipelines: false,
            memory_limit: None,
            observer: None,
            fail_on_error: false,
            record_only: options.record_only,
            hooks: options.hooks,
        })?;
        Ok(Self { device: Arc::new(device) })
    }
}
