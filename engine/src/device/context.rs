//! [`Context`]: a device with a queue and an allocator, and the configuration it is opened with.

use std::sync::Arc;

use ash::vk;
use multisplit_graph::Limits;

use crate::device::hooks::Hooks;
use crate::device::instance::{self, Instance};
#[cfg(feature = "broken-plans")]
use crate::device::lowered_limits::LoweredLimits;
use crate::device::requirements::{Features, Requirements};
use crate::device::selection;
use crate::device::shared::{DeviceParts, Handles};
use crate::device::{
    Device, DeviceChoice, DeviceEntry, DeviceProperties, FaultyDevices, Messages, Observer,
    PipelineCache, PipelineFallback, ProfileChoice, RankingChoice, ValidationConfig,
};
use crate::error::{Result, VkResultExt};

/// A Vulkan device with a queue and an allocator. All other objects of the engine are created from it.
///
/// Clones share the device. Buffers and executables also keep the device alive; it is destroyed when all of them have
/// been dropped.
#[derive(Clone)]
pub struct Context {
    pub(crate) device: Arc<Device>,
}

/// Options of [`Context::open`].
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Device to open.
    pub device: DeviceChoice,
    /// Enables the validation layers.
    pub validation: Option<ValidationConfig>,
    /// Receives the messages of the validation layers. Keep a clone to read them even if opening fails. Contexts opened
    /// with clones of one configuration share one list of messages.
    pub messages: Messages,
    /// Folder for compiled pipelines and probe results.
    pub pipeline_cache: PipelineCache,
    /// Whether kernels may rely on probed behaviour of the device, or only on Vulkan's guarantees.
    pub ranking: RankingChoice,
    /// Whether plans are refused if the device fails the [device probe](Context::probe_device).
    pub faulty_devices: FaultyDevices,
    /// Whether the context falls back to simpler plans if the driver cannot create a pipeline.
    pub pipeline_fallback: PipelineFallback,
    /// Source of kernel sizes that were tuned for the device.
    pub profile: ProfileChoice,
    /// Collects the driver's statistics of each pipeline (registers, spills), and keeps all pipelines.
    pub pipeline_statistics: bool,
    /// Maximum total size of the context's buffers in bytes, including staging. Allocations beyond it fail with
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub memory_limit: Option<u64>,
    /// Receives the GPU timings of one-call functions and of [`Context::run`], for traces.
    pub observer: Option<Observer>,
    /// Features that stay disabled even if the device supports them, to test the fallback paths.
    pub without: Features,
}

/// Version of the first validation layer that supports `VK_KHR_shader_maximal_reconvergence`. Earlier layers report
/// its use as an error.
const MIN_LAYER_WITH_MAXIMAL_RECONVERGENCE: u32 = vk::make_api_version(0, 1, 3, 274);

impl Config {
    /// Features and extensions to enable on a device.
    fn requirements(
        &self,
        instance: &Instance,
        physical: vk::PhysicalDevice,
    ) -> Result<Requirements> {
        // SAFETY: this instance listed the physical device.
        let mut requirements = unsafe { Requirements::of(&instance.raw, physical) }?;
        let mut left_out = self.without;
        left_out.shader_maximal_reconvergence |= instance
            .layer_version
            .is_some_and(|version| version < MIN_LAYER_WITH_MAXIMAL_RECONVERGENCE);
        // GPU-assisted validation treats push descriptors as uninitialized and does not check accesses through them.
        left_out.push_descriptor |=
            self.validation.is_some_and(|validation| validation.gpu_assisted);
        left_out.pipeline_executable_info |= !self.pipeline_statistics;
        #[cfg(feature = "broken-plans")]
        LoweredLimits::of_environment()?.leave_out(&mut left_out);
        requirements.leave_out(&left_out);
        Ok(requirements)
    }

    fn instance(&self) -> Result<Instance> {
        Instance::create(self.validation, self.messages.clone())
    }
}

impl Context {
    /// Opens the device that `config` selects. The caller must load the profile.
    pub(crate) fn open_device(config: &Config) -> Result<Self> {
        let _span = tracing::debug_span!("context.open").entered();
        let probed_behaviour = config.ranking.allows_probed()?;
        let refuses_faults = config.faulty_devices.are_refused()?;
        let pipeline_fallback = config.pipeline_fallback.is_on()?;
        let instance = config.instance()?;
        let devices = selection::list(&instance.raw, |p| config.requirements(&instance, p))?;
        let chosen = config.device.pick(&devices)?;
        let (physical, properties) = (chosen.physical, chosen.properties.clone());
        #[cfg(feature = "broken-plans")]
        let properties = LoweredLimits::of_environment()?.lowered(properties);
        let requirements = config.requirements(&instance, physical)?;
        let queue_family = properties.compute_family.unwrap_or(0);
        let raw = create_device(&instance.raw, physical, queue_family, &requirements)?;
        let handles = Handles { raw, instance };
        // SAFETY: the device was created with one queue of this family.
        let queue = unsafe { handles.raw.get_device_queue(queue_family, 0) };
        tracing::info!(device = %properties.name, driver = %properties.driver, "opened the device");
        let device = Device::new(DeviceParts {
            handles,
            physical,
            queue,
            queue_family,
            api_version: instance::API_VERSION.min(properties.api_version),
            pipeline_cache: config.pipeline_cache.clone(),
            properties,
            features: requirements.features,
            probed_behaviour,
            refuses_faults,
            pipeline_fallback,
            keeps_pipelines: config.pipeline_statistics,
            memory_limit: config.memory_limit,
            observer: config.observer.clone(),
            fail_on_error: config.validation.is_some_and(|validation| validation.fail_on_error),
            record_only: false,
            hooks: Hooks::default(),
        })?;
        Ok(Self { device: Arc::new(device) })
    }

    /// Lists all Vulkan devices, including those that cannot run the kernels.
    pub fn devices() -> Result<Vec<DeviceEntry>> {
        Self::devices_for(&Config::default())
    }

    /// Like [`devices`](Self::devices), but checks the devices for this configuration. `config.device.pick` then
    /// returns the device that [`open`](Self::open) would use.
    pub fn devices_for(config: &Config) -> Result<Vec<DeviceEntry>> {
        let instance = config.instance()?;
        selection::list(&instance.raw, |physical| config.requirements(&instance, physical))
    }

    /// Device properties, as reported by the driver.
    pub fn properties(&self) -> &DeviceProperties {
        &self.device.properties
    }

    /// Features enabled on the device.
    pub fn features(&self) -> &Features {
        &self.device.features
    }

    /// Device limits for compiling graphs.
    pub fn limits(&self) -> Limits {
        self.device.properties.graph_limits()
    }

    /// Messages of the validation layers. The handle remains valid after the context is dropped.
    pub fn messages(&self) -> Messages {
        self.device.messages().clone()
    }

    /// The raw device, for code that records commands before or after those of the engine.
    pub fn raw_device(&self) -> &ash::Device {
        &self.device.raw
    }

    /// Waits until all work submitted to the context's queue has completed.
    pub fn wait_idle(&self) -> Result<()> {
        self.device.wait_idle()
    }
}

fn create_device(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    family: u32,
    requirements: &Requirements,
) -> Result<ash::Device> {
    let queues =
        [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
    let extensions: Vec<_> = requirements.extensions.iter().map(|e| e.as_ptr()).collect();
    let mut chain = requirements.feature_chain();
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions);
    let info = chain.push_onto(info);
    // SAFETY: the device reported all of these extensions and features.
    unsafe { instance.create_device(physical, &info, None) }.during("vkCreateDevice")
}
