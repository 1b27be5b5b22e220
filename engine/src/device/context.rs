//! The way in: a device with a queue and an allocator, and how one is opened.

use std::path::PathBuf;
use std::sync::Arc;

use ash::vk;
use multisplit_graph::Limits;

use crate::device::hooks::Hooks;
use crate::device::instance::{self, Instance};
use crate::device::observer::Observer;
use crate::device::profile_choice::ProfileChoice;
use crate::device::properties::DeviceProperties;
use crate::device::ranking::RankingChoice;
use crate::device::requirements::{Features, Requirements};
use crate::device::selection::{self, DeviceChoice, DeviceEntry};
use crate::device::shared::{Device, DeviceParts, Handles};
use crate::device::user_folder::UserFolder;
use crate::device::validation::{Messages, ValidationConfig};
use crate::error::{Result, VkResultExt};

/// A Vulkan device with a queue and an allocator: what everything else is made from.
///
/// Clones share the device. Buffers and executables keep it alive; it is torn down when the last
/// of them goes.
#[derive(Clone)]
pub struct Context {
    pub(crate) device: Arc<Device>,
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
    /// Where compiled pipelines, and what was found out about the device, are kept between runs.
    pub pipeline_cache: PipelineCache,
    /// Whether ranking may rely on what the device was seen to do, or only on what Vulkan promises.
    pub ranking: RankingChoice,
    /// Where the sizes of kernels that were tuned for the device come from.
    pub profile: ProfileChoice,
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

/// Where compiled pipelines, and what was found out about the device, are kept between runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PipelineCache {
    /// In the user's cache folder.
    #[default]
    UserFolder,
    /// In this folder.
    Folder(PathBuf),
    /// Nowhere: no file is read or written.
    Off,
}

impl PipelineCache {
    /// The folder, where there is one.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        match self {
            Self::UserFolder => UserFolder::Cache.path(),
            Self::Folder(folder) => Some(folder.clone()),
            Self::Off => None,
        }
    }
}

/// A validation layer of an earlier version takes the extension, and modules that use it, for mistakes.
const KNOWS_MAXIMAL_RECONVERGENCE: u32 = vk::make_api_version(0, 1, 3, 274);

impl Config {
    /// What is to be enabled on a device.
    fn wanted(&self, instance: &Instance, physical: vk::PhysicalDevice) -> Result<Requirements> {
        // SAFETY: one that the instance has listed.
        let mut wanted = unsafe { Requirements::of(&instance.raw, physical) }?;
        wanted.leave_out(&self.without);
        if instance.layer_version.is_some_and(|version| version < KNOWS_MAXIMAL_RECONVERGENCE) {
            let unknown = Features { shader_maximal_reconvergence: true, ..Features::default() };
            wanted.leave_out(&unknown);
        }
        // Under GPU-assisted validation the layer takes pushed descriptors for uninitialized ones, and skips accesses.
        if self.validation.is_some_and(|validation| validation.gpu_assisted) {
            wanted.leave_out(&Features { push_descriptor: true, ..Features::default() });
        }
        if !self.pipeline_statistics {
            wanted.leave_out(&Features { pipeline_executable_info: true, ..Features::default() });
        }
        Ok(wanted)
    }

    fn instance(&self) -> Result<Instance> {
        Instance::create(self.validation, self.messages.clone())
    }
}

impl Context {
    /// Opens the device that `config` chooses; its profile is for a layer above to read.
    pub(crate) fn open_device(config: &Config) -> Result<Self> {
        let _span = tracing::debug_span!("context.open").entered();
        let probed_behaviour = config.ranking.allows_probed()?;
        let instance = config.instance()?;
        let devices = selection::list(&instance.raw, |p| config.wanted(&instance, p))?;
        let chosen = config.device.pick(&devices)?;
        let (physical, properties) = (chosen.physical, chosen.properties.clone());
        let wanted = config.wanted(&instance, physical)?;
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
            pipeline_cache: config.pipeline_cache.clone(),
            properties,
            features: wanted.features,
            probed_behaviour,
            memory_limit: config.memory_limit,
            observer: config.observer.clone(),
            fail_on_error: config.validation.is_some_and(|validation| validation.fail_on_error),
            hooks: Hooks::default(),
        })?;
        Ok(Self { device: Arc::new(device) })
    }

    /// Every device that Vulkan lists, usable or not.
    pub fn devices() -> Result<Vec<DeviceEntry>> {
        Self::devices_for(&Config::default())
    }

    /// Like [`devices`](Self::devices), as [`open`](Self::open) with this configuration sees
    /// them; `config.device.pick` then says which of them it opens.
    pub fn devices_for(config: &Config) -> Result<Vec<DeviceEntry>> {
        let instance = config.instance()?;
        selection::list(&instance.raw, |physical| config.wanted(&instance, physical))
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

    /// What the validation layers say; the handle stays valid after the context is gone.
    pub fn messages(&self) -> Messages {
        self.device.messages().clone()
    }

    /// The raw device, for code that records around the engine's commands.
    pub fn raw_device(&self) -> &ash::Device {
        &self.device.raw
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
