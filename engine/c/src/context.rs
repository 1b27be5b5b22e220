//! The caller's device, from which everything else is made.

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

/// The caller's device, from which everything else is created. Any number of threads may use it.
pub struct MultisplitContext;

/// What the kernels of sorts and splits may rely on. Results never depend on it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitRanking {
    /// What the environment variable `MULTISPLIT_RANKING` says, `promised` or `probed`; where it is not
    /// set, as `MULTISPLIT_RANKING_PROBED`.
    Auto = 0,
    /// Only what Vulkan promises. Nothing is tried out.
    Promised = 1,
    /// Also what the device was seen to do, where a probe has shown it; it is faster. What
    /// the probe finds: `multisplit_context_lane_order`.
    Probed = 2,
}
choice!(MultisplitRanking: Auto, Promised, Probed);

impl From<MultisplitRanking> for RankingChoice {
    fn from(ranking: MultisplitRanking) -> Self {
        match ranking {
            MultisplitRanking::Auto => Self::Auto,
            MultisplitRanking::Promised => Self::Promised,
            MultisplitRanking::Probed => Self::Probed,
        }
    }
}

/// The device that a context is created for. The library destroys none of it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitContextInfo {
    /// `sizeof(MultisplitContextInfo)`.
    pub struct_size: u32,
    /// `MULTISPLIT_VERSION`.
    pub version: u32,
    /// That of the Vulkan loader.
    pub get_instance_proc_addr: PFN_vkGetInstanceProcAddr,
    /// The instance.
    pub instance: VkInstance,
    /// The physical device.
    pub physical_device: VkPhysicalDevice,
    /// The device.
    pub device: VkDevice,
    /// A queue with compute. Creating a context and recording do not use it. Creating the first operation
    /// may submit to it and wait, which `ranking` can forbid; shortest paths submit and wait. Nobody
    /// else may use the queue during those calls.
    pub queue: VkQueue,
    /// Its family.
    pub queue_family: u32,
    /// The `apiVersion` that the instance was created with: 1.2 or later.
    pub api_version: u32,
    /// What is enabled on the device, extensions included: bits of `MultisplitFeature`.
    pub features: u32,
    /// Whether `VK_EXT_debug_utils` is enabled on the instance: passes then have labels.
    pub debug_utils: VkBool32,
    /// A folder in which compiled pipelines are kept between runs; `NULL`: they are not. It is
    /// copied.
    pub pipeline_cache: *const c_char,
    /// What ranking may rely on. To find out what the device does, creating the first operation of a
    /// context may submit to the queue and wait, once for a device and its driver where `pipeline_cache`
    /// names a folder. `MULTISPLIT_RANKING_PROMISED` forbids it: then only shortest paths submit.
    pub ranking: MaybeUninit<MultisplitRanking>,
    /// Must be 0.
    pub reserved: u32,
    /// A profile: the text that `multisplit tune` writes, with the sizes of kernels that are the fastest
    /// on this device; `NULL`: the built-in sizes. It is copied. One that is damaged or of another device
    /// or driver is `MULTISPLIT_ERROR_PROFILE`. Results never depend on it.
    pub profile: *const u8,
    /// Its bytes.
    pub profile_size: u64,
    /// The caller's pipeline cache, with which pipelines are created; it outlives the context.
    /// `VK_NULL_HANDLE`: one of the context's own. Not together with `pipeline_cache`.
    pub vulkan_pipeline_cache: VkPipelineCache,
    /// What host memory of the Vulkan objects is allocated with, that of `vkAllocateMemory` excepted; `NULL`:
    /// by the driver. It is copied; its functions may be called from any thread that calls the library.
    pub allocation_callbacks: *const VkAllocationCallbacks,
    /// The caller's allocator of device memory, for the scratch memory of operations that have their own;
    /// `NULL`: the library's. It is copied, and used until the context is destroyed.
    pub memory_functions: *const MultisplitMemoryFunctions,
    /// For `multisplit_device_create`: features that are left out although the device has them, as of
    /// `MultisplitRequirementsInfo`.
    pub leave_out: u32,
    /// Must be 0.
    pub reserved_too: u32,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitContextInfo {
    const NAME: &'static str = "MultisplitContextInfo";
    const REQUIRED: usize = offset_of!(Self, debug_utils);
}

impl MultisplitContextInfo {
    /// What the caller brings besides its device.
    ///
    /// # Safety
    /// Pointers and handles are null or what they say they are, for as long as the context lives.
    unsafe fn options(&self) -> Outcome<AdoptOptions> {
        if !self.vulkan_pipeline_cache.is_null() && !self.pipeline_cache.is_null() {
            let text = "pipeline_cache and vulkan_pipeline_cache are both given; give one of them";
            return Err(Failure::invalid(text));
        }
        // SAFETY: by the caller's contract.
        unsafe {
            let options = AdoptOptions::default().pipeline_cache(self.vulkan_pipeline_cache);
            let options = match self.allocation_callbacks.as_ref() {
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

pub(crate) static CONTEXTS: Registry<MultisplitContext, ContextObject> = Registry::new("context");

/// What a handle of a context stands for.
pub(crate) struct ContextObject {
    pub engine: Context,
}

impl ContextObject {
    /// # Safety
    /// The handles of `info`, where they are not null, are what [`multisplit_context_create`] says.
    unsafe fn new(info: &MultisplitContextInfo) -> Outcome<Self> {
        version::check(info.version)?;
        read::reserved(MultisplitContextInfo::NAME, info.reserved)?;
        read::reserved(MultisplitContextInfo::NAME, info.reserved_too)?;
        let features = features_of(info.features)?;
        let ranking = read::choice(info.ranking)?;
        // SAFETY: by the caller's contract.
        let (entry, instance, folder, profile) = unsafe {
            let (entry, instance) = vulkan::instance(info.get_instance_proc_addr, info.instance)?;
            let folder = read::text("pipeline_cache", info.pipeline_cache)?;
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

    /// Nothing that was made from it is there, and no call has it at hand.
    fn check_unused(self: &Arc<Self>) -> Outcome {
        match Arc::strong_count(self) - 1 {
            0 => Ok(()),
            left => {
                let text = format!(
                    "{left} objects that were created from the context, or calls, still use it; destroy or await them first"
                );
                Err(Failure::new(MultisplitResult::MultisplitErrorInUse, text))
            }
        }
    }
}

/// Creates a context for the caller's device. An error names everything that the device lacks, functions
/// that it does not have included. Nothing is submitted.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitContextInfo`. Handles in it are `NULL` or alive, belong
/// together, and outlive the context. The instance was created with `api_version`, the device with
/// `features`, and the queue is one of `queue_family`. `context` is `NULL` or may be written.
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

/// Whether the device has kept lane order, which Vulkan does not promise, wherever a sort or a split
/// relied on it: one tile in 256 looks, and sets the status word of the context. Reading it is a look at
/// host memory, which neither submits nor waits. It tells of a recording once the fence of its
/// submission was waited for.
///
/// Where `kept` is `VK_FALSE`, results of operations that were created before may be in the wrong order.
/// Those created from then on do not rely on it: destroy the others, and create them again. It stays
/// `VK_TRUE` with `MULTISPLIT_RANKING_PROMISED`.
///
/// # Safety
/// `kept` is `NULL` or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_context_lane_order(
    context: *const MultisplitContext,
    kept: *mut VkBool32,
) -> MultisplitResult {
    guard(|| {
        let context = CONTEXTS.get(context)?;
        // SAFETY: by the caller's contract.
        let out = unsafe { Out::new("kept", kept)? };
        out.set(VkBool32::from(context.engine.keeps_lane_order()));
        Ok(())
    })
}

/// Destroys a context, not the device. `MULTISPLIT_ERROR_IN_USE` while objects that were created from
/// it exist. `NULL` is allowed and does nothing.
///
/// # Safety
/// The device is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_context_destroy(
    context: *mut MultisplitContext,
) -> MultisplitResult {
    guard(|| CONTEXTS.remove(context, ContextObject::check_unused))
}
