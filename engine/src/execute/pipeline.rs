//! How a kernel becomes a compute pipeline, once for each specialization.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::CString;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ash::vk;
use multisplit_shaders::address::by_address;
use multisplit_shaders::freeze::{frozen, rolled};
use multisplit_shaders::prune::pruned;
use multisplit_shaders::reconvergence::{Reconvergence, with_reconvergence};
use multisplit_shaders::subgroup_barriers::with_memory_barriers;
use multisplit_shaders::{BindingKind, Kernel};

use crate::device::attach::Attachment;
use crate::device::context::Context;
use crate::device::shared::Device;
use crate::error::{Error, Result, VkResultExt};
use crate::execute::cache_file::CacheFile;
use crate::execute::layout::{BufferAccess, Layouts};
use crate::execute::subgroup_barriers::SubgroupBarriers;
use crate::words;

/// Most bindings a kernel may have; descriptor writes are then recorded from the stack. Vulkan
/// guarantees as many push descriptors.
pub(crate) const MAX_BINDINGS: usize = 32;

/// Pipelines that are kept although nothing uses them. A program that makes bucket functions as it
/// goes would otherwise fill its memory with them.
const MAX_KEPT: usize = 1024;

/// The vendor of SwiftShader, which takes minutes to compile some kernels as they are.
const GOOGLE: u32 = 0x1AE0;

/// A compute pipeline with its layouts. Owned by the [`PipelineStore`].
pub(crate) struct Pipeline {
    pub raw: vk::Pipeline,
    pub layout: vk::PipelineLayout,
    pub set_layout: vk::DescriptorSetLayout,
    /// Keeps the address, which is the key in the store, from being used again.
    pub kernel: Arc<Kernel>,
}

impl Pipeline {
    /// # Safety
    /// Nothing uses it any more.
    unsafe fn destroy(&self, device: &Device) {
        let callbacks = device.callbacks();
        // SAFETY: by the caller's contract.
        unsafe {
            device.raw.destroy_pipeline(self.raw, callbacks);
            device.raw.destroy_pipeline_layout(self.layout, callbacks);
            device.raw.destroy_descriptor_set_layout(self.set_layout, callbacks);
        }
    }
}

/// The form of a kernel that a device gets.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    pub access: BufferAccess,
    pub barriers: SubgroupBarriers,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    kernel: usize,
    specialization: Vec<(u32, u32)>,
    form: Form,
}

/// Every pipeline of a device.
pub(crate) struct PipelineStore {
    cache: vk::PipelineCache,
    /// Whether the cache belongs to who created the device.
    is_callers: bool,
    file: Option<CacheFile>,
    pipelines: Mutex<HashMap<Key, Arc<Pipeline>>>,
    /// Nanoseconds that the driver has taken to create pipelines.
    nanoseconds: AtomicU64,
}

impl PipelineStore {
    /// The pipelines of a device.
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
            // SAFETY: a live device; the data was checked to be this driver's.
            unsafe { device.raw.create_pipeline_cache(&info, device.callbacks()) }
        };
        // A driver that has no use for its own data must not keep pipelines from being made.
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

    /// How long the driver has taken to create pipelines, all threads together.
    pub fn creation_time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }

    /// How many pipelines there are.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// The pipeline of `kernel` with these specialization constants, made when first asked for.
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
        // Not under the lock, so that threads compile side by side.
        let span = tracing::debug_span!("pipeline.create", kernel = kernel.label());
        let pipeline = span.in_scope(|| create(device, kernel, specialization, form, self))?;
        let mut pipelines = self.lock();
        if pipelines.len() >= MAX_KEPT {
            forget_unused(device, &mut pipelines);
        }
        match pipelines.entry(key) {
            Entry::Vacant(entry) => Ok(entry.insert(Arc::new(pipeline)).clone()),
            Entry::Occupied(entry) => {
                // Another thread was faster.
                // SAFETY: just created, used by nothing.
                unsafe { pipeline.destroy(device) };
                Ok(entry.get().clone())
            }
        }
    }

    fn create_pipeline(
        &self,
        device: &Device,
        kernel: &Kernel,
        specialization: &[(u32, u32)],
        module: (vk::PipelineLayout, &[u32]),
    ) -> Result<vk::Pipeline> {
        let begin = Instant::now();
        let pipeline = create_pipeline(device, kernel, specialization, module, self.cache);
        let elapsed = begin.elapsed();
        let (kernel, words) = (kernel.label(), module.1.len());
        tracing::debug!(kernel, words, ?elapsed, "created pipeline");
        let nanoseconds = elapsed.as_nanos().try_into().unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        pipeline
    }

    /// Calls `body` with every pipeline.
    pub fn for_each(&self, body: impl FnMut(&Arc<Pipeline>)) {
        self.lock().values().for_each(body);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<Pipeline>>> {
        self.pipelines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Destroys what no executable uses. It is made again, from the cache, when it is asked for.
fn forget_unused(device: &Device, pipelines: &mut HashMap<Key, Arc<Pipeline>>) {
    pipelines.retain(|_, pipeline| {
        // Executables hold clones, and new ones are made only under the lock.
        let used = Arc::strong_count(pipeline) > 1;
        if !used {
            // SAFETY: nothing holds it; recordings are kept by executables that would.
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
    /// How many pipelines have been created.
    pub fn pipeline_count(&self) -> usize {
        PipelineStore::of(&self.device).map_or(0, |pipelines| pipelines.len())
    }

    /// How long the driver has taken to create them, all threads together.
    pub fn pipeline_creation_time(&self) -> Duration {
        PipelineStore::of(&self.device)
            .map_or(Duration::ZERO, |pipelines| pipelines.creation_time())
    }
}

fn create(
    device: &Device,
    kernel: &Arc<Kernel>,
    specialization: &[(u32, u32)],
    form: Form,
    store: &PipelineStore,
) -> Result<Pipeline> {
    check(device, kernel)?;
    check_subgroup_barriers(kernel, form.barriers)?;
    check_memory(device, kernel, specialization)?;
    let layouts = Layouts::new(device, kernel, form.access)?;
    let spirv = match form.access {
        BufferAccess::Addresses => Cow::Owned(rewritten(kernel)?),
        BufferAccess::Pushed | BufferAccess::Sets => Cow::Borrowed(kernel.spirv()),
    };
    let spirv = match kernel.is_foreign() {
        true => spirv,
        false => {
            let value_of = |id| value_of(specialization, id);
            let spirv = match device.properties.vendor_id {
                GOOGLE => Cow::Owned(rolled(&frozen(&spirv, value_of))),
                _ => spirv,
            };
            Cow::Owned(pruned(&spirv, value_of))
        }
    };
    let spirv = match form.barriers {
        SubgroupBarriers::Replaced => with_memory_barriers(&spirv).map_or(spirv, Cow::Owned),
        SubgroupBarriers::Kept | SubgroupBarriers::Refused => spirv,
    };
    let spirv = match reconvergence(device, kernel) {
        Some(stated) => Cow::Owned(state(kernel, &spirv, stated)?),
        None => spirv,
    };
    let raw = store.create_pipeline(device, kernel, specialization, (layouts.layout, &spirv))?;
    device.name_object(raw, kernel.label());
    let (layout, set_layout) = layouts.into_handles();
    Ok(Pipeline { raw, layout, set_layout, kernel: kernel.clone() })
}

/// The value that a specialization constant is given.
fn value_of(specialization: &[(u32, u32)], id: u32) -> Option<u32> {
    specialization.iter().find(|(given, _)| *given == id).map(|(_, value)| *value)
}

/// The kernel's module in the form that takes addresses.
fn rewritten(kernel: &Kernel) -> Result<Vec<u32>> {
    by_address(kernel.spirv_for_addresses(), kernel.interface()).map_err(|e| {
        let kernel = kernel.label().to_owned();
        Error::Kernel { kernel, problem: format!("cannot take addresses: {e}") }
    })
}

/// What a kernel states of where lanes come together. Foreign modules state it themselves.
fn reconvergence(device: &Device, kernel: &Kernel) -> Option<Reconvergence> {
    let features = &device.features;
    if kernel.is_foreign() || !uses_subgroups(kernel) {
        None
    } else if features.shader_maximal_reconvergence {
        Some(Reconvergence::Maximal)
    } else if features.shader_subgroup_uniform_control_flow {
        Some(Reconvergence::UniformControlFlow)
    } else {
        None
    }
}

fn state(kernel: &Kernel, spirv: &[u32], stated: Reconvergence) -> Result<Vec<u32>> {
    with_reconvergence(spirv, stated).map_err(|error| Error::Kernel {
        kernel: kernel.label().to_owned(),
        problem: format!("cannot state reconvergence: {error}"),
    })
}

fn uses_subgroups(kernel: &Kernel) -> bool {
    kernel.interface().capabilities.iter().any(|c| c.starts_with("GroupNonUniform"))
}

/// Refuses what the device or this engine cannot run, by name, before the driver sees it.
fn check(device: &Device, kernel: &Kernel) -> Result<()> {
    let refuse =
        |problem: String| Err(Error::Kernel { kernel: kernel.label().to_owned(), problem });
    let interface = kernel.interface();
    if let Some(binding) = interface.bindings.iter().find(|b| b.set != 0) {
        return refuse(format!(
            "binding `{}` is in set {}, only set 0 is bound",
            binding.name, binding.set
        ));
    }
    if interface.bindings.len() > MAX_BINDINGS {
        return refuse(format!("{} bindings, at most {MAX_BINDINGS}", interface.bindings.len()));
    }
    let limits = &device.properties.limits;
    for (kind, name, most) in [
        (BindingKind::Storage, "storage", limits.max_per_stage_descriptor_storage_buffers),
        (BindingKind::Uniform, "uniform", limits.max_per_stage_descriptor_uniform_buffers),
    ] {
        let count = interface.bindings.iter().filter(|b| b.kind == kind).count();
        if count > most as usize {
            return refuse(format!("{count} {name} buffers, the device binds {most} at most"));
        }
    }
    let operations = device.properties.subgroup_operations;
    for capability in &interface.capabilities {
        use vk::SubgroupFeatureFlags as Flags;
        let there = match capability.as_str() {
            "Int64" => device.features.shader_int64,
            "Float64" => device.features.shader_float64,
            "GroupNonUniform" => operations.contains(Flags::BASIC),
            "GroupNonUniformVote" => operations.contains(Flags::VOTE),
            "GroupNonUniformArithmetic" => operations.contains(Flags::ARITHMETIC),
            "GroupNonUniformBallot" => operations.contains(Flags::BALLOT),
            "GroupNonUniformShuffle" => operations.contains(Flags::SHUFFLE),
            "GroupNonUniformShuffleRelative" => operations.contains(Flags::SHUFFLE_RELATIVE),
            "GroupNonUniformClustered" => operations.contains(Flags::CLUSTERED),
            "GroupNonUniformQuad" => operations.contains(Flags::QUAD),
            "Shader" | "Matrix" => true,
            // What else our own kernels declare goes with what they were chosen for; what a foreign
            // module declares is its author's to answer for.
            _ => kernel.is_built_in() || kernel.is_foreign(),
        };
        if !there {
            let label = kernel.label();
            let operation = match kernel.is_built_in() {
                true if label.contains("64") => {
                    format!("{} of 64-bit elements", words::operation(label))
                }
                true => words::operation(label),
                false => format!("kernel `{label}`"),
            };
            return Err(Error::MissingFeature {
                operation,
                feature: words::feature(capability),
                device: device.properties.name.clone(),
                enabled: !device.is_adopted(),
            });
        }
    }
    Ok(())
}

/// Refuses a kernel that needs subgroup barriers on a device that has none.
fn check_subgroup_barriers(kernel: &Kernel, barriers: SubgroupBarriers) -> Result<()> {
    if barriers != SubgroupBarriers::Refused || !kernel.has_subgroup_barriers() {
        return Ok(());
    }
    let problem = "needs subgroupBarrier(), which this driver treats as a barrier of the whole workgroup: \
                   update the driver or use another device";
    Err(Error::Kernel { kernel: kernel.label().to_owned(), problem: problem.to_owned() })
}

/// Drivers do not check how much shared memory a pipeline takes, and the sizes of built-in kernels may
/// be those of a profile.
fn check_memory(device: &Device, kernel: &Kernel, specialization: &[(u32, u32)]) -> Result<()> {
    let refuse = |problem| Error::Kernel { kernel: kernel.label().to_owned(), problem };
    let bytes = kernel
        .shared_bytes(|id| value_of(specialization, id))
        .map_err(|e| refuse(e.to_string()))?;
    let max = u64::from(device.properties.shared_memory);
    if bytes <= max {
        return Ok(());
    }
    Err(refuse(format!("{bytes} bytes of shared memory, maxComputeSharedMemorySize is {max}")))
}

fn create_pipeline(
    device: &Device,
    kernel: &Kernel,
    specialization: &[(u32, u32)],
    (layout, spirv): (vk::PipelineLayout, &[u32]),
    cache: vk::PipelineCache,
) -> Result<vk::Pipeline> {
    let interface = kernel.interface();
    let workgroup = interface.workgroup_size(|id| value_of(specialization, id));
    check_subgroups(device, workgroup, kernel)?;
    let width = subgroup_control(device, workgroup, kernel)?;
    let versioned = width.full.is_by_module().then(|| full_subgroups_by_module(spirv));
    let module_info =
        vk::ShaderModuleCreateInfo::default().code(versioned.as_deref().unwrap_or(spirv));
    // SAFETY: SPIR-V that was reflected, so at least well framed.
    let module = unsafe { device.raw.create_shader_module(&module_info, device.callbacks()) }
        .during("vkCreateShaderModule")?;

    let entries: Vec<_> = specialization
        .iter()
        .enumerate()
        .map(|(index, (id, _))| {
            vk::SpecializationMapEntry::default().constant_id(*id).offset(4 * index as u32).size(4)
        })
        .collect();
    let data: Vec<u8> = specialization.iter().flat_map(|(_, value)| value.to_ne_bytes()).collect();
    let specialization_info = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
    let entry_point = CString::new(interface.entry_point.as_str()).unwrap_or_default();
    let mut required = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
        .required_subgroup_size(device.properties.subgroup_size);
    let mut stage = vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(module)
        .name(&entry_point)
        .flags(width.full.flags())
        .specialization_info(&specialization_info);
    if width.required {
        stage = stage.push_next(&mut required);
    }
    let flags = if device.executables.is_some() {
        vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR
    } else {
        vk::PipelineCreateFlags::empty()
    };
    let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout).flags(flags);
    // SAFETY: everything referred to is alive for the call.
    let created =
        unsafe { device.raw.create_compute_pipelines(cache, &[info], device.callbacks()) };
    // SAFETY: modules are not needed once pipelines are made.
    unsafe { device.raw.destroy_shader_module(module, device.callbacks()) };
    match created {
        Ok(pipelines) => Ok(pipelines.first().copied().unwrap_or_default()),
        Err((_, result)) => Err(Error::Vulkan { call: "vkCreateComputePipelines", result }),
    }
}

/// The engine's own kernels rely on full subgroups, and so on workgroups that are whole ones.
fn check_subgroups(device: &Device, workgroup: [u32; 3], kernel: &Kernel) -> Result<()> {
    let size = device.properties.subgroup_size;
    let own = kernel.is_built_in() && uses_subgroups(kernel);
    if !own || workgroup[0].is_multiple_of(size.max(1)) {
        return Ok(());
    }
    let problem = format!("{} threads are not whole subgroups of {size}", workgroup[0]);
    Err(Error::Kernel { kernel: kernel.label().to_owned(), problem })
}

/// How the width of subgroups is pinned down.
struct SubgroupControl {
    required: bool,
    full: FullSubgroups,
}

/// What promises that subgroups are full.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FullSubgroups {
    /// A flag of the pipeline: `computeFullSubgroups`.
    ByFlag,
    /// The module: from SPIR-V 1.6 on subgroups are full where the workgroup is a multiple of them.
    ByModule,
    /// Nothing, and nobody relies on it.
    No,
}

impl FullSubgroups {
    fn flags(self) -> vk::PipelineShaderStageCreateFlags {
        match self {
            Self::ByFlag => vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS,
            Self::ByModule | Self::No => vk::PipelineShaderStageCreateFlags::empty(),
        }
    }

    fn is_by_module(self) -> bool {
        self == Self::ByModule
    }
}

/// Asks for the device's usual subgroup size where it can be asked for, and for full subgroups. Kernels
/// work at any size; what built-in ones rely on is that subgroups are full.
fn subgroup_control(
    device: &Device,
    workgroup: [u32; 3],
    kernel: &Kernel,
) -> Result<SubgroupControl> {
    let (properties, features) = (&device.properties, &device.features);
    let uses_subgroups = uses_subgroups(kernel);
    let threads = workgroup.into_iter().fold(1, u32::saturating_mul);
    let required = uses_subgroups && properties.can_require_subgroup_size(features, threads);
    // Such modules also let subgroups vary in size, unless the device has one size or is told which.
    let (least, most) = properties.subgroup_size_range;
    let by_module = device.api_version >= vk::API_VERSION_1_3 && (required || least == most);
    // VUID-VkPipelineShaderStageCreateInfo-flags-02759 and pNext-02757: x is a multiple of the size.
    let whole = uses_subgroups && workgroup[0].is_multiple_of(properties.subgroup_size);
    let full = match whole {
        true if features.compute_full_subgroups => FullSubgroups::ByFlag,
        true if kernel.is_built_in() && by_module => FullSubgroups::ByModule,
        true if kernel.is_built_in() => {
            let problem =
                "relies on full subgroups, which nothing promises: enable computeFullSubgroups";
            let (kernel, problem) = (kernel.label().to_owned(), problem.to_owned());
            return Err(Error::Kernel { kernel, problem });
        }
        _ => FullSubgroups::No,
    };
    Ok(SubgroupControl { required, full })
}

/// The same module as one of SPIR-V 1.6, which has all that our kernels use of 1.5.
fn full_subgroups_by_module(spirv: &[u32]) -> Vec<u32> {
    const VERSION_1_6: u32 = 0x0001_0600;
    let mut words = spirv.to_vec();
    if let Some(version) = words.get_mut(1) {
        *version = VERSION_1_6.max(*version);
    }
    words
}
