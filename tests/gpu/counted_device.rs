//! A device whose function table counts calls that create objects or allocate memory, for tests
//! that limit the number of such calls.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use multisplit::ash::{self, vk};

type Create = unsafe extern "system" fn(
    vk::Device,
    *const c_void,
    *const vk::AllocationCallbacks<'_>,
    *mut c_void,
) -> vk::Result;
type Allocate = unsafe extern "system" fn(vk::Device, *const c_void, *mut c_void) -> vk::Result;
type CreatePipelines = vk::PFN_vkCreateComputePipelines;

/// Names of `vkCreate*` functions and of `vkAllocateMemory`, which have the same signature.
const CREATES: [&CStr; 14] = [
    c"vkAllocateMemory",
    c"vkCreateBuffer",
    c"vkCreateBufferView",
    c"vkCreateCommandPool",
    c"vkCreateDescriptorPool",
    c"vkCreateDescriptorSetLayout",
    c"vkCreateEvent",
    c"vkCreateFence",
    c"vkCreateImage",
    c"vkCreatePipelineCache",
    c"vkCreatePipelineLayout",
    c"vkCreateQueryPool",
    c"vkCreateSemaphore",
    c"vkCreateShaderModule",
];
const ALLOCATES: [&CStr; 2] = [c"vkAllocateCommandBuffers", c"vkAllocateDescriptorSets"];
const PIPELINES: &CStr = c"vkCreateComputePipelines";

static CREATED: [AtomicPtr<c_void>; CREATES.len()] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; CREATES.len()];
static ALLOCATED: [AtomicPtr<c_void>; ALLOCATES.len()] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; ALLOCATES.len()];
static PIPELINE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static CALLS: AtomicU64 = AtomicU64::new(0);

/// Number of calls of the counted functions, on all counted devices.
pub fn calls() -> u64 {
    CALLS.load(Ordering::Relaxed)
}

unsafe extern "system" fn create<const AT: usize>(
    device: vk::Device,
    info: *const c_void,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut c_void,
) -> vk::Result {
    CALLS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the pointer is the driver's function of this signature; `counted` stored it before it
    // returned this wrapper.
    unsafe {
        let call: Create = std::mem::transmute(CREATED[AT].load(Ordering::Relaxed));
        call(device, info, callbacks, out)
    }
}

unsafe extern "system" fn allocate<const AT: usize>(
    device: vk::Device,
    info: *const c_void,
    out: *mut c_void,
) -> vk::Result {
    CALLS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: as above.
    unsafe {
        let call: Allocate = std::mem::transmute(ALLOCATED[AT].load(Ordering::Relaxed));
        call(device, info, out)
    }
}

unsafe extern "system" fn create_pipelines(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::ComputePipelineCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Pipeline,
) -> vk::Result {
    CALLS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: as above.
    unsafe {
        let call: CreatePipelines = std::mem::transmute(PIPELINE.load(Ordering::Relaxed));
        call(device, cache, count, infos, callbacks, out)
    }
}

/// The wrappers of a function for these indices.
macro_rules! shims {
    ($function:ident: $($at:literal)*) => { [$($function::<$at>),*] };
}
const CREATE_SHIMS: [Create; CREATES.len()] = shims!(create: 0 1 2 3 4 5 6 7 8 9 10 11 12 13);
const ALLOCATE_SHIMS: [Allocate; ALLOCATES.len()] = shims!(allocate: 0 1);

/// Loads the functions of a device. Those in `CREATES` and `ALLOCATES`, and `PIPELINES`, are
/// replaced by wrappers that count calls.
///
/// # Safety
/// The device must be alive. All counted devices of a process must have the same driver and layers,
/// because they share the stored function pointers.
pub unsafe fn counted(instance: &ash::Instance, device: vk::Device) -> ash::Device {
    let get = instance.fp_v1_0().get_device_proc_addr;
    let load = |name: &CStr| {
        // SAFETY: a live device.
        let found = unsafe { get(device, name.as_ptr()) };
        let found = found.map_or(std::ptr::null(), |f| f as *const c_void);
        let place = |names: &[&CStr]| names.iter().position(|n| *n == name);
        if let Some(at) = place(&CREATES) {
            CREATED[at].store(found.cast_mut(), Ordering::Relaxed);
            CREATE_SHIMS[at] as *const c_void
        } else if let Some(at) = place(&ALLOCATES) {
            ALLOCATED[at].store(found.cast_mut(), Ordering::Relaxed);
            ALLOCATE_SHIMS[at] as *const c_void
        } else if name == PIPELINES {
            PIPELINE.store(found.cast_mut(), Ordering::Relaxed);
            create_pipelines as *const c_void
        } else {
            found
        }
    };
    // SAFETY: functions of this device, or wrappers that call them.
    unsafe { ash::Device::load_with(load, device) }
}
