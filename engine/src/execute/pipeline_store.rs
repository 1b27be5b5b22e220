//! All pipelines of a device, with the driver's pipeline cache.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ash::vk;
use multisplit_shaders::Kernel;

use crate::device::shared::Attachment;
use crate::device::context::Context;
use crate::device::shared::Device;
use crate::error::{Result, VkResultExt};
use crate::execute::cache_file::CacheFile;
use crate::execute::pipeline::{Form, Pipeline};

/// Number of pipelines from which unused ones are destroyed. Without a limit, a program that creates bucket functions
/// at run time would use more and more memory.
const MAX_KEPT: usize = 1024;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    kernel: usize,
    specialization: Vec<(u32, u32)>,
    form: Form,
}

/// All pipelines of a device.
pub(crate) struct PipelineStore {
    cache: vk::PipelineCache,
    /// Whether the cache belongs to the caller.
    is_callers: bool,
    file: Option<CacheFile>,
    pipelines: Mutex<HashMap<Key, Arc<Pipeline>>>,
    /// Total time that the driver took to create pipelines.
    nanoseconds: AtomicU64,
}

impl PipelineStore {
    /// Returns the pipelines of a device.
    pub fn of(device: &Device) -> Result<Arc<Self>> {
        device.attached(Self::new)
    }

    fn new(device: &Device) -> Result<Self> {
        if let Some(cache) = device.hooks.pipeline_cache {
            let (pipelines, nanoseconds) = (Mutex::default(), AtomicU64::new(0));
            return Ok(Self { cache, file: None, is_callers: true, pipelines, nanoseconds });
        }
        let folder = device.pipeline_cache.folder();
        let file = folder.map(|folder| CacheFile::new(&folder, &device.properties));
        let initial = file.as_ref().map(CacheFile::load).unwrap_or_default();
        let create = |initial| {
            let info = vk::PipelineCacheCreateInfo::default().initial_data(initial);
            // SAFETY: a live device; the data was checked to belong to this driver.
            unsafe { device.raw.create_pipeline_cache(&info, device.callbacks()) }
        };
        // If the driver rejects its own data, start with an empty cache.
        let cache = create(&initial).or_else(|_| create(&[])).during("vkCreatePipelineCache")?;
        let (pipelines, nanoseconds) = (Mutex::default(), AtomicU64::new(0));
        Ok(Self { cache, file, is_callers: false, pipelines, nanoseconds })
    }

    /// Writes the pipeline cache to its file, if it has one.
    pub fn save(&self, device: &Device) {
        let Some(file) = &self.file else { return };
        // SAFETY: a live cache of this device.
        let data = unsafe { device.raw.get_pipeline_cache_data(self.cache) };
        file.save(&data.unwrap_or_default());
    }

    /// Total time that the driver took to create pipelines, in all threads.
    pub fn creation_time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }

    /// Number of pipelines.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// The pipeline of `kernel` with these specialization constants, created on first use.
    pub fn get(
        &self,
        device: &Device,
        kernel: &Arc<Kernel>,
        specialization: &[(u32, u32)],
        form: Form,
    ) -> Result<Arc<Pipeline>> {
        let key = Key {
            kernel: Arc::as_ptr(kernel).addr(),
            specialization: specialization.to_vec(),
            form,
        };
        if let Some(pipeline) = self.lock().get(&key) {
            return Ok(pipeline.clone());
        }
        // Compile without the lock, so that threads can compile concurrently.
        let span = tracing::debug_span!("pipeline.create", kernel = kernel.label());
        let create = || Pipeline::create(device, kernel, specialization, form, self.cache);
        let (pipeline, elapsed) = span.in_scope(create)?;
        let nanoseconds = elapsed.as_nanos().try_into().unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        let mut pipelines = self.lock();
        if pipelines.len() >= MAX_KEPT {
            forget_unused(device, &mut pipelines);
        }
        match pipelines.entry(key) {
            Entry::Vacant(entry) => Ok(entry.insert(Arc::new(pipeline)).clone()),
            Entry::Occupied(entry) => {
                // Another thread created it first.
                // SAFETY: newly created and not in use.
                unsafe { pipeline.destroy(device) };
                Ok(entry.get().clone())
            }
        }
    }

    /// Calls `body` for every pipeline.
    pub fn for_each(&self, body: impl FnMut(&Arc<Pipeline>)) {
        self.lock().values().for_each(body);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<Pipeline>>> {
        self.pipelines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Destroys pipelines that no executable uses. They are recreated from the driver's cache on their next use.
fn forget_unused(device: &Device, pipelines: &mut HashMap<Key, Arc<Pipeline>>) {
    pipelines.retain(|_, pipeline| {
        // Executables hold clones, and new clones are created only under the lock.
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
        for (_, pipeline) in self.lock().drain() {
            // SAFETY: by the caller's contract.
            unsafe { pipeline.destroy(device) };
        }
        if !self.is_callers {
            // SAFETY: by the caller's contract.
            unsafe { device.raw.destroy_pipeline_cache(self.cache, device.callbacks()) };
        }
    }
}

impl Context {
    /// Number of pipelines that have been created and are still kept.
    pub fn pipeline_count(&self) -> usize {
        PipelineStore::of(&self.device).map_or(0, |pipelines| pipelines.len())
    }

    /// Total time that the driver took to create pipelines, in all threads.
    pub fn pipeline_creation_time(&self) -> Duration {
        PipelineStore::of(&self.device)
            .map_or(Duration::ZERO, |pipelines| pipelines.creation_time())
    }
}
