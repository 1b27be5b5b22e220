//! The way in: a device with a queue and an allocator, and how one is opened.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ash::vk;
use multisplit_graph::Limits;

use crate::cache_file::CacheFile;
use crate::device::{Device, DeviceParts, Handles};
use crate::error::{Error, Result, VkResultExt};
use crate::instance::{self, Instance};
use crate::observe::Observer;
use crate::primitives::Policy;
use crate::primitives::multisplit::SplitTuning;
use crate::probe;
use crate::properties::DeviceProperties;
use crate::requirements::{Features, Requirements};
use crate::select::{self, DeviceChoice, DeviceEntry};
use crate::statistics::{self, PipelineStatistic};
use crate::validation::{Messages, ValidationConfig};

/// A Vulkan device with a queue and an allocator: what everything else is made from.
///
/// Clones share the device. Buffers and executables keep it alive; it is torn down when the last
/// of them goes.
#[derive(Clone)]
pub struct Context {
    pub(crate) device: Arc<Device>,
    /// Whether atomics go in the order of lanes; probed only where the policy would rely on it.
    lane_order: bool,
}

/// How a device is opened.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Which device.
    pub device: DeviceChoice,
    /// Turns the validation layers on.
    pub validation: Option<ValidationConfig>,
    /// Where their messages go. Keep a clone to see what they say even where opening fails;
    /// contexts opened with clones of one configuration share it.
    pub messages: Messages,
    /// Where compiled pipelines are kept between runs.
    pub pipeline_cache: PipelineCache,
    /// Keeps the driver's statistics of each pipeline (registers, spills).
    pub pipeline_statistics: bool,
    /// Most bytes that the context's buffers may take together, staging included; past it,
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub memory_limit: Option<u64>,
    /// Is told of every run: for traces.
    pub observer: Option<Observer>,
    /// Features to leave out although the device has them: tests of the paths without them.
    pub without: Features,
}

/// Where compiled pipelines are kept between runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PipelineCache {
    /// In the user's cache folder.
    #[default]
    UserFolder,
    /// In this folder.
    Folder(PathBuf),
    /// Nowhere.
    Off,
}

impl Config {
    /// What is to be enabled on a device.
    fn wanted(
        &self,
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
    ) -> Result<Requirements> {
        let mut wanted = Requirements::of(instance, physical)?;
        wanted.leave_out(&self.without);
        if !self.pipeline_statistics {
            wanted.leave_out(&Features { pipeline_executable_info: true, ..Features::default() });
        }
        Ok(wanted)
    }

    fn instance(&self) -> Result<Instance> {
        Instance::create(self.validation, self.messages.clone())
    }
}

impl PipelineCache {
    pub(crate) fn file(&self, properties: &DeviceProperties) -> Option<CacheFile> {
        let folder = match self {
            Self::UserFolder => CacheFile::default_folder()?,
            Self::Folder(folder) => folder.clone(),
            Self::Off => return None,
        };
        Some(CacheFile::new(&folder, properties))
    }
}

/// How much device memory there is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryReport {
    /// Live allocations.
    pub allocations: usize,
    /// Their bytes.
    pub allocated_bytes: u64,
    /// Bytes taken from the driver to serve them.
    pub reserved_bytes: u64,
}

impl Context {
    /// Opens the device that `config` chooses.
    pub fn open(config: &Config) -> Result<Self> {
        let _span = tracing::debug_span!("context.open").entered();
        let instance = config.instance()?;
        let devices = select::list(&instance.raw, |p| config.wanted(&instance.raw, p))?;
        let chosen = config.device.pick(&devices)?;
        let (physical, properties) = (chosen.physical, chosen.properties.clone());
        let wanted = config.wanted(&instance.raw, physical)?;
        let queue_family = properties.compute_family.unwrap_or(0);
        let raw = create_device(&instance.raw, physical, queue_family, &wanted)?;
        let handles = Handles { raw, instance };
        // SAFETY: the family was asked for with one queue.
        let queue = unsafe { handles.raw.get_device_queue(queue_family, 0) };
        tracing::info!(device = %properties.name, driver = %properties.driver, "opened");
        let device = Device::new(DeviceParts {
            handles,
            physical,
            queue,
            queue_family,
            api_version: instance::API_VERSION.min(properties.api_version),
            cache_file: config.pipeline_cache.file(&properties),
            properties,
            features: wanted.features,
            memory_limit: config.memory_limit,
            observer: config.observer.clone(),
        })?;
        Self::new(device)
    }

    pub(crate) fn new(device: Device) -> Result<Self> {
        Self { device: Arc::new(device), lane_order: false }.probed()
    }

    /// Every device that Vulkan lists, usable or not.
    pub fn devices() -> Result<Vec<DeviceEntry>> {
        Self::devices_for(&Config::default())
    }

    /// Like [`devices`](Self::devices), as [`open`](Self::open) with this configuration sees
    /// them; `config.device.pick` then says which of them it opens.
    pub fn devices_for(config: &Config) -> Result<Vec<DeviceEntry>> {
        let instance = config.instance()?;
        select::list(&instance.raw, |physical| config.wanted(&instance.raw, physical))
    }

    /// What the device says of itself.
    pub fn properties(&self) -> &DeviceProperties {
        &self.device.properties
    }

    /// What is enabled on it.
    pub fn features(&self) -> &Features {
        &self.device.features
    }

    /// The limits to compile graphs with.
    pub fn limits(&self) -> Limits {
        self.device.properties.graph_limits()
    }

    /// The sizes and methods that suit this device.
    pub fn policy(&self) -> Policy {
        let mut policy = Policy::for_device(&self.device.properties);
        if self.lane_order {
            policy.split = policy.split.by_lane_order();
            policy.sort = policy.sort.by_lane_order();
        }
        policy
    }

    /// The same once it is known whether the device does what ranking would like to rely on.
    fn probed(mut self) -> Result<Self> {
        const SEED: u32 = 1;
        if SplitTuning::may_have_lane_order(&self.device.properties) {
            self.lane_order = match probe::lane_order(&self, SEED) {
                Ok(ordered) => ordered,
                // A lost device is lost; anything else, too little memory say, is no reason not to
                // go on without.
                Err(Error::Vulkan { call, result: result @ vk::Result::ERROR_DEVICE_LOST }) => {
                    return Err(Error::Vulkan { call, result });
                }
                Err(error) => {
                    tracing::warn!(%error, "the order of atomics could not be tried out");
                    false
                }
            };
            tracing::debug!(lane_order = self.lane_order, "probed");
        }
        Ok(self)
    }

    /// What the validation layers say; the handle stays valid after the context is gone.
    pub fn messages(&self) -> Messages {
        self.device.messages().clone()
    }

    /// The raw device, for code that records around the engine's commands.
    pub fn raw_device(&self) -> &ash::Device {
        &self.device.raw
    }

    /// How many pipelines have been created.
    pub fn pipeline_count(&self) -> usize {
        self.device.pipelines.len()
    }

    /// How long the driver has taken to create them, all threads together.
    pub fn pipeline_creation_time(&self) -> Duration {
        self.device.pipelines.creation_time()
    }

    /// The driver's statistics of every pipeline; empty unless
    /// [`Config::pipeline_statistics`] was set and the device has them.
    pub fn pipeline_statistics(&self) -> Vec<PipelineStatistic> {
        statistics::statistics(&self.device)
    }

    /// How much device memory buffers of this context take.
    pub fn memory_report(&self) -> MemoryReport {
        let report = self.device.allocator().generate_report();
        MemoryReport {
            allocations: report.allocations.len(),
            allocated_bytes: report.total_allocated_bytes,
            reserved_bytes: report.total_capacity_bytes,
        }
    }

    /// Waits until everything submitted to the context's queue is done.
    pub fn wait_idle(&self) -> Result<()> {
        self.device.wait_idle()
    }
}

fn create_device(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    family: u32,
    wanted: &Requirements,
) -> Result<ash::Device> {
    let queues =
        [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
    let extensions: Vec<_> = wanted.extensions.iter().map(|e| e.as_ptr()).collect();
    let mut chain = wanted.feature_chain();
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions);
    let info = chain.push_onto(info);
    // SAFETY: extensions and features are ones the device reported.
    unsafe { instance.create_device(physical, &info, None) }.during("vkCreateDevice")
}
