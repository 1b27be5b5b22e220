//! Contexts, which wrap the caller's device.

use std::ffi::c_char;
use std::mem::{MaybeUninit, offset_of};
use std::sync::Arc;

use multisplit::ash::vk::Handle as _;
use multisplit::{
    AdoptOptions, AdoptedDevice, Context, PipelineCache, ProfileChoice, RankingChoice,
};

use crate::handle::Registry;
use crate::memory::{self, MultisplitMemoryFunctions};
use crate::read::{self, Out, Sized32};
use crate::requirements::features_of;
use crate::result::{Failure, MultisplitResult, Outcome, guard};
use crate::types::choice;
use crate::version;
use crate::vulkan::{
    self, PFN_vkGetInstanceProcAddr, VkAllocationCallbacks, VkBool32, VkDevice, VkInstance,
    VkPhysicalDevice, VkPipelineCache, VkQueue,
};

/// The caller's device, from which all other objects are created. May be used from any number of threads.
pub struct MultisplitContext;

/// Device behaviour that the kernels of sorts and splits may rely on. The choice affects only performance, unless
/// the device later violates the probed behaviour.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitRanking {
    /// The value of the environment variable `MULTISPLIT_RANKING`, `promised` or `probed`; if it is not set,
    /// same as `MULTISPLIT_RANKING_PROBED`.
    Auto = 0,
    /// Only behaviour that Vulkan guarantees. No probe runs.
    Promised = 1,
    /// Behaviour that Vulkan guarantees, and on NVIDIA GPUs lane order, if a probe finds that the device preserves
    /// it. Lane order means that atomics on shared memory by one instruction of a subgroup take effect in the order
    /// of the lanes; ranking by lane order is faster. `multisplit_context_lane_order` reports violations.
    Probed = 2,
}
choice!(MultisplitRanking => RankingChoice: Auto, Promised, Probed);

/// The device for which a context is created. The library does not destroy any of these objects.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitContextInfo {
    /// `sizeof(MultisplitContextInfo)`.
    pub struct_size: u32,
    /// `MULTISPLIT_VERSION`.
    pub version: u32,
    /// The Vulkan loader's `vkGetInstanceProcAddr`.
    pub get_instance_proc_addr: PFN_vkGetInstanceProcAddr,
    /// The instance.
    pub instance: VkInstance,
    /// The physical device.
    pub physical_device: VkPhysicalDevice,
    /// The device.
    pub device: VkDevice,
    /// A queue with compute support. Creating a context and recording do not use it. Creating the first
    /// operation may submit to it and wait, unless `ranking` prevents that; `multisplit_operation_warm_up` may
    /// too, and shortest paths do. The caller must not use the queue during those calls.
    pub queue: VkQueue,
    /// Family of the queue.
    pub queue_family: u32,
    /// The `apiVersion` that the instance was created with: 1.2 or later.
    pub api_version: u32,
    /// Features and extensions enabled on the device: bits of `MultisplitFeature`.
    pub features: u32,
    /// Whether `VK_EXT_debug_utils` is enabled on the instance; if so, passes are labelled.
    pub debug_utils: VkBool32,
    /// Folder for storing compiled pipelines between runs; `NULL`: they are not stored. The path is copied.
    pub pipeline_cache: *const c_char,
    /// Device behaviour that ranking may rely on. Unless it is `MULTISPLIT_RANKING_PROMISED`, creating the
    /// first operation of a context may submit a probe to the queue and wait for it; if `pipeline_cache` is
    /// set, the result is stored, so each device and driver is probed only once.
    pub ranking: MaybeUninit<MultisplitRanking>,
    /// Must be 0.
    pub reserved: u32,
    /// A profile: the text written by `multisplit tune`, with the fastest kernel sizes for this device;
    /// `NULL`: the built-in sizes. Copied. A profile that is damaged or made for another device or driver is
    /// rejected with `MULTISPLIT_ERROR_PROFILE`. Profiles never affect results.
    pub profile: *const u8,
    /// Size of the profile in bytes: at most 2^20.
    pub profile_size: u64,
    /// The caller's pipeline cache, used to create pipelines; it must outlive the context. `VK_NULL_HANDLE`:
    /// the context creates one. Must not be combined with `pipeline_cache`.
    pub vulkan_pipeline_cache: VkPipelineCache,
    /// Host memory allocation callbacks for Vulkan objects other than those of `vkAllocateMemory`; `NULL`:
    /// the driver's. `pfnAllocation`, `pfnReallocation` and `pfnFree` are required. The structure is copied;
    /// its functions may be called from any thread that calls the library, and must not call the library.
    pub allocation_callbacks: *const VkAllocationCallbacks,
    /// The caller's device memory allocator, for buffers of the library that the host does not access; `NULL`:
    /// the library's. The structure is copied, and used until the context is destroyed.
    pub memory_functions: *const MultisplitMemoryFunctions,
    /// For `multisplit_device_create`: features not to enable even if the device supports them, as in
    /// `MultisplitRequirementsInfo`.
    pub leave_out: u32,
    /// Must be 0.
    pub reserved_too: u32,
}

// SAFETY: satisfies the requirements of the trait.
unsafe impl Sized32 for MultisplitContextInfo {
    const NAME: &'static str = "MultisplitContextInfo";
    const REQUIRED: usize = offset_of!(Self, debug_utils);
}

impl MultisplitContextInfo {
    /// Options that do not describe the device itself.
    ///
    /// # Safety
    /// Pointers and handles are null or valid for the lifetime of the context.
    unsafe fn options(&self) -> Outcome<AdoptOptions> {
        if !self.vulkan_pipeline_cache.is_null() && !self.pipeline_cache.is_null() {
            let text = "pipeline_cache and vulkan_pipeline_cache are both given; give one of them";
            return Err(Failure::invalid(text));
        }
        // SAFETY: by the caller's contract.
        unsafe {
            let options = AdoptOptions::default().pipeline_cache(self.vulkan_pipeline_cache);
            let options = match vulkan::callbacks(self.allocation_callbacks)? {
                Some(&callbacks) => options.allocation_callbacks(callbacks),
                None => options,
            };
            Ok(match self.memory_functions.as_ref() {
                Some(functions) => options.memory_allocator(memory::allocator(functions)?),
                None => options,
            })
        }
    }
}

/// Maximum size of a profile; those that `multisplit tune` writes have a few kilobytes.
const MAX_PROFILE_BYTES: u64 = 1 << 20;

/// Rejects sizes that no profile has, before the profile is read.
fn check_profile_size(size: u64) -> Outcome {
    if size <= MAX_PROFILE_BYTES {
        return Ok(());
    }
    let text = format!("profile_size is {size}; a profile has at most {MAX_PROFILE_BYTES} bytes");
    Err(Failure::new(MultisplitResult::MultisplitErrorTooLarge, text))
}

pub(crate) static CONTEXTS: Registry<MultisplitContext, ContextObject> = Registry::new("context");

/// The object behind a context handle.
pub(crate) struct ContextObject {
    pub engine: Context,
}

impl ContextObject {
    /// # Safety
    /// The handles of `info`, unless null, satisfy the contract of [`multisplit_context_create`].
    unsafe fn new(info: &MultisplitContextInfo) -> Outcome<Self> {
        version::check(info.version)?;
        read::reserved(MultisplitContextInfo::NAME, info.reserved)?;
        read::reserved(MultisplitContextInfo::NAME, info.reserved_too)?;
        let features = features_of("features", info.features)?;
        let ranking = read::choice(info.ranking)?;
        // SAFETY: by the caller's contract.
        let (entry, instance, folder, profile) = unsafe {
            let (entry, instance) = vulkan::instance(info.get_instance_proc_addr, info.instance)?;
            let folder = read::text("pipeline_cache", info.pipeline_cache)?;
            check_profile_size(info.profile_size)?;
            (entry, instance, folder, read::slice("profile", info.profile, info.profile_size)?)
        };
        if info.physical_device.is_null() {
            return Err(Failure::null("physical_device"));
        }
        if info.queue.is_null() {
            return Err(Failure::null("queue"));
        }
        // SAFETY: by the caller's contract.
        let device = unsafe { vulkan::device(&instance, info.device)? };
        let adopted = AdoptedDevice {
            entry,
            instance,
            api_version: info.api_version,
            physical: info.physical_device,
            device,
            queue: info.queue,
            queue_family: info.queue_family,
            features,
            debug_utils: info.debug_utils != 0,
            pipeline_cache: match folder {
                Some(folder) => PipelineCache::Folder(folder.into()),
                None => PipelineCache::Off,
            },
            ranking: RankingChoice::from(ranking),
            profile: match profile {
                [] => ProfileChoice::BuiltIn,
                bytes => ProfileChoice::Bytes(bytes.into()),
            },
        };
        // SAFETY: by the caller's contract.
        let engine = unsafe { Context::adopt_with(adopted, info.options()?)? };
        Ok(Self { engine })
    }

    /// Fails if objects created from the context exist, or if a call is using it.
    fn check_unused(self: &Arc<Self>) -> Outcome {
        match Arc::strong_count(self) - 1 {
            0 => Ok(()),
            left => {
                let text = format!(
                    "{left} objects or calls still use the context; destroy the objects, and wait for the calls \
                     to return"
                );
                Err(Failure::new(MultisplitResult::MultisplitErrorInUse, text))
            }
        }
    }
}

/// Creates a context for the caller's device. An error lists everything the device lacks, including missing
/// functions. Does not submit anything.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitContextInfo`. Its handles are `NULL` or valid, belong together,
/// and outlive the context. The instance was created with `api_version`, the device with `features`, and the
/// queue belongs to `queue_family`. `context` is `NULL` or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_context_create(
    info: *const MultisplitContextInfo,
    context: *mut *mut MultisplitContext,
) -> MultisplitResult {
    guard(|| {
        // SAFETY: by the caller's contract.
        unsafe {
            let out = Out::handle("context", context)?;
            let made = ContextObject::new(&read::info(info)?)?;
            out.set(CONTEXTS.insert(made)?);
        }
        Ok(())
    })
}

/// Reports whether the device has preserved lane order (see `MULTISPLIT_RANKING_PROBED`), which Vulkan does
/// not guarantee, in all tiles that checked it. At least one tile in 256 of the sorts and splits that rely on it
/// checks it, and sets the status word of the context on a violation. This call neither submits nor waits. Wait
/// for the fence of a recording first: only then is a violation in that recording reported.
///
/// If `kept` is `VK_FALSE`, results of existing operations may be in the wrong order. Operations created from
/// then on do not rely on lane order: destroy the existing ones and create them again. With
/// `MULTISPLIT_RANKING_PROMISED`, `kept` is always `VK_TRUE`.
///
/// # Safety
/// `kept` is `NULL` or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_context_lane_order(
    context: *const MultisplitContext,
    kept: *mut VkBool32,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe {
        CONTEXTS.query(context, "kept", kept, |context| {
            Ok(VkBool32::from(context.engine.keeps_lane_order()))
        })
    }
}

/// Destroys a context, but not the device. Fails with `MULTISPLIT_ERROR_IN_USE` while objects created from
/// the context exist, or another call uses it. `NULL` is allowed and ignored.
///
/// # Safety
/// The device is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_context_destroy(
    context: *mut MultisplitContext,
) -> MultisplitResult {
    guard(|| CONTEXTS.remove(context, ContextObject::check_unused))
}
