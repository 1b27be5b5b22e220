//! All pipelines of a device, the driver's pipeline cache with its file, and statistics.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ash::vk;
use multisplit_shaders::Kernel;

use crate::device::{Attachment, Context, Device, DeviceProperties, hex, write_whole};
use crate::error::{Result, VkResultExt};
use crate::execute::kernel_check::value_of;
use crate::execute::{Adaptation, Pipeline};
use crate::lock::lock;

/// If the store has at least this many pipelines, adding one destroys the unused ones, unless their statistics were
/// requested. Without a limit, a program that creates bucket functions at run time would use more and more memory: about
/// 1.6 MB per pipeline with a software driver.
const MAX_KEPT: usize = 256;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    kernel: usize,
    specialization: Vec<(u32, u32)>,
    adaptation: Adaptation,
}

pub(crate) struct PipelineStore {
    cache: vk::PipelineCache,
    /// Whether the cache belongs to the caller.
    is_callers: bool,
    file: Option<CacheFile>,
    pipelines: Mutex<HashMap<Key, Arc<Pipeline>>>,
    /// Total time that the driver took to create pipelines, in nanoseconds.
    nanoseconds: AtomicU64,
}

impl PipelineStore {
    pub fn of(device: &Device) -> Result<Arc<Self>> {
        device.attached(Self::new)
    }

    fn new(device: &Device) -> Result<Self> {
        let (pipelines, nanoseconds) = (Mutex::default(), AtomicU64::new(0));
        if let Some(cache) = device.hooks.pipeline_cache {
            return Ok(Self { cache, file: None, is_callers: true, pipelines, nanoseconds });
        }
        let folder = device.pipeline_cache.folder();
        let file = folder.map(|folder| CacheFile::new(&folder, &device.properties));
        let initial = file.as_ref().map(CacheFile::load).unwrap_or_default();
        let create = |initial| {
            let info = vk::PipelineCacheCreateInfo::default().initial_data(initial);
            // SAFETY: the device is alive, and the data was checked to belong to this driver.
            unsafe { device.raw.create_pipeline_cache(&info, device.callbacks()) }
        };
        // If the driver rejects its own data, start with an empty cache.
        let cache = create(&initial).or_else(|_| create(&[])).during("vkCreatePipelineCache")?;
        Ok(Self { cache, file, is_callers: false, pipelines, nanoseconds })
    }

    /// Writes the pipeline cache to its file, if it has one.
    pub fn save(&self, device: &Device) {
        let Some(file) = &self.file else { return };
        // SAFETY: a live cache of this device.
        let data = unsafe { device.raw.get_pipeline_cache_data(self.cache) };
        file.save(&data.unwrap_or_default());
    }

    /// The pipeline of `kernel` with these specialization constants, created on first use.
    pub fn get(
        &self,
        device: &Device,
        kernel: &Arc<Kernel>,
        specialization: &[(u32, u32)],
        adaptation: Adaptation,
    ) -> Result<Arc<Pipeline>> {
        let key = Key {
            kernel: Arc::as_ptr(kernel).addr(),
            specialization: specialization.to_vec(),
            adaptation,
        };
        #[cfg(feature = "broken-plans")]
        super::failing_pipelines::check(device, kernel, specialization)?;
        if let Some(pipeline) = lock(&self.pipelines).get(&key) {
            return Ok(pipeline.clone());
        }
        // The lock is not held, so that threads can compile concurrently.
        let span = tracing::debug_span!("pipeline.create", kernel = kernel.label());
        let create = || Pipeline::create(device, kernel, specialization, adaptation, self.cache);
        let (pipeline, elapsed) = span.in_scope(create)?;
        let nanoseconds = elapsed.as_nanos().try_into().unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        let mut pipelines = lock(&self.pipelines);
        if pipelines.len() >= MAX_KEPT && !device.keeps_pipelines {
            forget_unused(device, &mut pipelines);
        }
        match pipelines.entry(key) {
            Entry::Vacant(entry) => Ok(entry.insert(Arc::new(pipeline)).clone()),
            Entry::Occupied(entry) => {
                // Another thread has created the same pipeline first.
                // SAFETY: the pipeline is newly created and not in use.
                unsafe { pipeline.destroy(device) };
                Ok(entry.get().clone())
            }
        }
    }
}

/// Destroys pipelines that no executable uses. If they are needed again, they are created from the driver's cache.
fn forget_unused(device: &Device, pipelines: &mut HashMap<Key, Arc<Pipeline>>) {
    pipelines.retain(|_, pipeline| {
        // Executables hold clones. New clones are created only while the lock is held.
        let used = Arc::strong_count(pipeline) > 1;
        if !used {
            // SAFETY: this is the last reference, and executables hold the pipelines of their recordings.
            unsafe { pipeline.destroy(device) };
        }
        used
    });
}

impl Attachment for PipelineStore {
    unsafe fn release(&self, device: &Device) {
        self.save(device);
        for (_, pipeline) in lock(&self.pipelines).drain() {
            // SAFETY: the device releases its attachments once, when no pipeline is in use.
            unsafe { pipeline.destroy(device) };
        }
        if !self.is_callers {
            // SAFETY: as above.
            unsafe { device.raw.destroy_pipeline_cache(self.cache, device.callbacks()) };
        }
    }
}

impl Context {
    /// Number of pipelines that have been created and are still kept.
    pub fn pipeline_count(&self) -> usize {
        PipelineStore::of(&self.device).map_or(0, |store| lock(&store.pipelines).len())
    }

    /// Total time that the driver took to create pipelines, summed over all threads.
    pub fn pipeline_creation_time(&self) -> Duration {
        let store = PipelineStore::of(&self.device);
        store.map_or(Duration::ZERO, |store| {
            Duration::from_nanos(store.nanoseconds.load(Ordering::Relaxed))
        })
    }

    /// All pipelines that have been created and are still kept, with the driver's statistics, such as registers, spills
    /// and shared memory. The statistics are empty unless
    /// [`Config::pipeline_statistics`](crate::Config::pipeline_statistics) was set and the device supports
    /// `VK_KHR_pipeline_executable_properties`.
    pub fn pipeline_statistics(&self) -> Vec<PipelineStatistics> {
        let Ok(store) = PipelineStore::of(&self.device) else { return Vec::new() };
        let pipelines = lock(&store.pipelines);
        let mut all: Vec<_> =
            pipelines.iter().map(|(key, one)| statistics(&self.device, key, one)).collect();
        all.sort_by(|a, b| (&a.kernel, &a.specialization).cmp(&(&b.kernel, &b.specialization)));
        all
    }
}

/// A pipeline with the driver's statistics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineStatistics {
    /// Label of the kernel.
    pub kernel: String,
    /// Specialization constants and their values.
    pub specialization: Vec<(String, u32)>,
    /// Workgroup size.
    pub threads: u32,
    /// Bytes of shared memory that the kernel declares. Drivers may need more.
    pub shared_bytes: u64,
    /// Bytes of push constants.
    pub push_bytes: u32,
    /// Statistics and their values, as reported by the driver.
    pub values: Vec<(String, String)>,
}

fn statistics(device: &Device, key: &Key, pipeline: &Pipeline) -> PipelineStatistics {
    let constants = &pipeline.kernel.interface().spec_constants;
    let constant = |&(id, value): &(u32, u32)| {
        let name = constants.iter().find(|constant| constant.id == id);
        (name.map_or_else(|| id.to_string(), |constant| constant.name.clone()), value)
    };
    let (kernel, value_of) = (&pipeline.kernel, |id| value_of(&key.specialization, id));
    PipelineStatistics {
        threads: kernel.interface().workgroup_size(value_of).into_iter().product(),
        // The pipeline would not exist if its shared memory were unknown.
        shared_bytes: kernel.shared_bytes(value_of).unwrap_or_default(),
        push_bytes: key.adaptation.access.push_bytes(kernel.interface()),
        kernel: pipeline.kernel.label().to_owned(),
        specialization: key.specialization.iter().map(constant).collect(),
        values: values(device, pipeline),
    }
}

fn values(device: &Device, pipeline: &Pipeline) -> Vec<(String, String)> {
    let Some(functions) = &device.executables else { return Vec::new() };
    let info = vk::PipelineInfoKHR::default().pipeline(pipeline.raw);
    // SAFETY: a live pipeline, on a device with the extension.
    let parts = unsafe { functions.get_pipeline_executable_properties(&info) }.unwrap_or_default();
    let figures = (0..parts.len() as u32).flat_map(|part| {
        let info =
            vk::PipelineExecutableInfoKHR::default().pipeline(pipeline.raw).executable_index(part);
        // SAFETY: the pipeline was created with CAPTURE_STATISTICS and has this many executables.
        unsafe { functions.get_pipeline_executable_statistics(&info) }.unwrap_or_default()
    });
    let named = |figure: vk::PipelineExecutableStatisticKHR<'_>| {
        let name = figure.name_as_c_str().map(|name| name.to_string_lossy().into_owned());
        (name.unwrap_or_default(), value(&figure))
    };
    figures.map(named).collect()
}

fn value(figure: &vk::PipelineExecutableStatisticKHR<'_>) -> String {
    // SAFETY: `format` identifies the valid member of the union.
    unsafe {
        match figure.format {
            vk::PipelineExecutableStatisticFormatKHR::BOOL32 => (figure.value.b32 != 0).to_string(),
            vk::PipelineExecutableStatisticFormatKHR::INT64 => figure.value.i64.to_string(),
            vk::PipelineExecutableStatisticFormatKHR::UINT64 => figure.value.u64.to_string(),
            vk::PipelineExecutableStatisticFormatKHR::FLOAT64 => figure.value.f64.to_string(),
            _ => String::new(),
        }
    }
}

// A cache file contains MAGIC, the checksum of the data (8 bytes, little-endian), and the driver's cache data.
const MAGIC: [u8; 8] = *b"MSPIPE01";
const HEADER: usize = MAGIC.len() + 8;

/// The cache file for one device and driver. A file that is damaged or belongs to another driver is ignored and
/// replaced.
struct CacheFile {
    path: PathBuf,
    /// Expected fields of the Vulkan cache header: vendor, device and driver build.
    identity: Vec<u8>,
}

impl CacheFile {
    /// The cache file in `folder` for a device. Its name contains the subgroup size, because a software driver can run
    /// at several subgroup sizes with the same device id.
    fn new(folder: &Path, properties: &DeviceProperties) -> Self {
        let DeviceProperties { vendor_id, device_id, subgroup_size, .. } = properties;
        let uuid = properties.pipeline_cache_uuid;
        let name =
            format!("{vendor_id:04x}-{device_id:04x}-{}-{subgroup_size}.pipelines", hex(&uuid));
        let identity = [&vendor_id.to_le_bytes()[..], &device_id.to_le_bytes(), &uuid].concat();
        Self { path: folder.join(name), identity }
    }

    /// The cached data; empty if the file is missing, damaged, or belongs to another driver.
    fn load(&self) -> Vec<u8> {
        let Ok(file) = fs::read(&self.path) else { return Vec::new() };
        match self.checked(&file) {
            Some(data) => data.to_vec(),
            None => {
                tracing::warn!(path = %self.path.display(), "pipeline cache ignored: damaged, or from another driver");
                Vec::new()
            }
        }
    }

    /// The data of a file; `None` if the file is damaged or belongs to another driver.
    fn checked<'a>(&self, file: &'a [u8]) -> Option<&'a [u8]> {
        let data = file.get(HEADER..)?;
        let checksum = file.get(MAGIC.len()..HEADER)?;
        let intact = file.starts_with(&MAGIC) && checksum == fnv1a(data).to_le_bytes();
        // Layout of `VkPipelineCacheHeaderVersionOne`: length, version, vendor, device, UUID.
        let same_driver = data.get(8..8 + self.identity.len())? == self.identity;
        (intact && same_driver).then_some(data)
    }

    /// Saves the cache. Errors are only logged, since pipelines can be compiled again.
    fn save(&self, data: &[u8]) {
        if data.is_empty() {
            return;
        }
        let file = [&MAGIC[..], &fnv1a(data).to_le_bytes(), data].concat();
        if fs::read(&self.path).is_ok_and(|old| old == file) {
            return;
        }
        if let Err(error) = write_whole(&self.path, &file) {
            tracing::warn!(path = %self.path.display(), %error, "cannot save the pipeline cache");
        }
    }
}

/// FNV-1a hash, which is sufficient to detect a damaged file.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
