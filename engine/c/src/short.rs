//! Short functions: a device, a sort and its recording in one call each, with what most callers choose.

use std::mem::MaybeUninit;

use multisplit::Requirements;
use multisplit::ash::vk::{self, Handle as _};

use crate::context::{CONTEXTS, MultisplitContext, MultisplitContextInfo};
use crate::operation::{self, MultisplitOperation};
use crate::read::{self, Out};
use crate::requirements::{bits_of, optional};
use crate::result::{Failure, MultisplitResult, Outcome, guard};
use crate::sort::{self, MultisplitSortInfo, MultisplitSortValues};
use crate::types::{MultisplitBarriers, MultisplitKeyType};
use crate::version;
use crate::vulkan::{self, VkBuffer, VkCommandBuffer, VkDeviceCreateInfo};

/// Creates the caller's device, with what multisplit needs added to how the caller wants it, and sets
/// `device`, `features` and `queue` of `info`: the first queue of `queue_family`. The other members of
/// `info` are set before, as for `multisplit_context_create`. The device is the caller's to destroy, with
/// `allocation_callbacks` where they are given.
///
/// `create_info` is how the caller would create the device; `NULL`: with one queue of `queue_family`, and
/// nothing else. Features are set in the structures that its chain has; nothing else of it is changed.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitContextInfo` that may be written, whose handles, but for
/// the device and the queue, are `NULL` or alive and belong together. `create_info` is `NULL` or one that
/// `vkCreateDevice` would accept, and its chain may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_device_create(
    info: *mut MultisplitContextInfo,
    create_info: *const VkDeviceCreateInfo,
) -> MultisplitResult {
    guard(|| {
        // SAFETY: by the caller's contract.
        unsafe {
            let given = read::info(info)?;
            let (device, features) = create_device(&given, create_info.as_ref())?;
            // Within what every caller has of the structure, so its size has been looked at.
            (*info).device = device.handle();
            (*info).features = features;
            (*info).queue = device.get_device_queue(given.queue_family, 0);
        }
        Ok(())
    })
}

/// # Safety
/// As for [`multisplit_device_create`].
unsafe fn create_device(
    info: &MultisplitContextInfo,
    own: Option<&VkDeviceCreateInfo>,
) -> Outcome<(multisplit::ash::Device, u32)> {
    version::check(info.version)?;
    // SAFETY: by the caller's contract.
    let (_, instance) = unsafe { vulkan::instance(info.get_instance_proc_addr, info.instance)? };
    let (physical, api_version) = (info.physical_device, info.api_version);
    if physical.is_null() {
        return Err(Failure::null("physical_device"));
    }
    // SAFETY: by the caller's contract; alive, and of this instance.
    let (wanted, families) = unsafe {
        let mut wanted = Requirements::for_version(&instance, physical, api_version)?;
        wanted.leave_out(&optional(info.leave_out)?);
        (wanted, instance.get_physical_device_queue_family_properties(physical))
    };
    if info.queue_family as usize >= families.len() {
        let (given, count) = (info.queue_family, families.len());
        let text = format!("queue_family is {given}; the device has {count} families");
        return Err(Failure::invalid(text));
    }
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(info.queue_family)
        .queue_priorities(&[1.0])];
    let plain = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    let own = match own {
        Some(own) => *own,
        None => plain,
    };
    check_queue(&own, info.queue_family)?;
    let mut chain = wanted.feature_chain();
    // SAFETY: by the caller's contract.
    unsafe {
        let count = own.enabled_extension_count.into();
        let names = read::slice("ppEnabledExtensionNames", own.pp_enabled_extension_names, count)?;
        if names.iter().any(|name| name.is_null()) {
            return Err(Failure::null("one of ppEnabledExtensionNames"));
        }
        let extensions = wanted.extensions_with(names);
        let merged = chain.merge_into(own.enabled_extension_names(&extensions));
        let check = Requirements::check_create_info(&instance, physical, api_version, &merged)?;
        let features = bits_of(check.into_result()?);
        let device = instance.create_device(physical, &merged, info.allocation_callbacks.as_ref());
        let device = device.map_err(|result| Failure::vulkan("vkCreateDevice", result))?;
        Ok((device, features))
    }
}

/// The queue that is asked for after is one that is made.
fn check_queue(info: &vk::DeviceCreateInfo<'_>, family: u32) -> Outcome {
    // SAFETY: the caller's own, which `vkCreateDevice` would accept.
    let queues = unsafe {
        let count = info.queue_create_info_count.into();
        read::slice("pQueueCreateInfos", info.p_queue_create_infos, count)?
    };
    if queues.iter().any(|queue| queue.queue_family_index == family && queue.queue_count > 0) {
        return Ok(());
    }
    Err(Failure::invalid(format!(
        "pQueueCreateInfos has no queue of family {family}, which is queue_family of the context"
    )))
}

/// A sort of n pairs in ascending order: keys of a type, and a value of 4 bytes for each. It is warmed
/// up, has its own scratch memory for two frames in flight, and records the barriers against everything
/// before and after. `multisplit_record_sort` records it, as does `multisplit_record`; its roles are `KEYS`
/// and `VALUES`. `multisplit_sort_create` makes any other sort.
///
/// # Safety
/// `operation` is `NULL` or may be written. Unless the context was created with
/// `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_sort_pairs_create(
    context: *const MultisplitContext,
    key_type: MaybeUninit<MultisplitKeyType>,
    n: u64,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    guard(|| unsafe { create(context, key_type, MultisplitSortValues::Values, n, operation) })
}

/// A sort of n keys in ascending order, otherwise like `multisplit_sort_pairs_create`.
///
/// # Safety
/// As for `multisplit_sort_pairs_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_sort_keys_create(
    context: *const MultisplitContext,
    key_type: MaybeUninit<MultisplitKeyType>,
    n: u64,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    guard(|| unsafe { create(context, key_type, MultisplitSortValues::None, n, operation) })
}

/// # Safety
/// `operation` is null or may be written.
unsafe fn create(
    context: *const MultisplitContext,
    key_type: MaybeUninit<MultisplitKeyType>,
    values: MultisplitSortValues,
    n: u64,
    operation: *mut *mut MultisplitOperation,
) -> Outcome {
    // SAFETY: by the caller's contract.
    let out = unsafe { Out::handle("operation", operation)? };
    let context = CONTEXTS.get(context)?;
    let mut info: MultisplitSortInfo = read::zeroed();
    info.key_type = key_type;
    info.values = MaybeUninit::new(values);
    info.common.n = n;
    info.common.barriers = MaybeUninit::new(MultisplitBarriers::Full);
    // SAFETY: it has no pointers.
    let made = unsafe {
        let declaration = sort::declare(&context.engine, &info)?;
        operation::create_ready(&context, &info.common, declaration)?
    };
    out.set(made);
    Ok(())
}

/// Records a sort of `multisplit_sort_pairs_create` or `multisplit_sort_keys_create`, of the buffers from
/// their beginning on. `values` is `VK_NULL_HANDLE` for keys alone. Frames in flight take turns: when a
/// sort is recorded the third time, the commands of the first have run.
///
/// # Safety
/// As for `multisplit_record`. The buffers were created with `VK_BUFFER_USAGE_STORAGE_BUFFER_BIT`, are on no
/// other queue meanwhile, and hold n keys and n values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_record_sort(
    operation: *const MultisplitOperation,
    commands: VkCommandBuffer,
    keys: VkBuffer,
    values: VkBuffer,
) -> MultisplitResult {
    guard(|| {
        let operation = operation::get(operation)?;
        if commands.is_null() {
            return Err(Failure::null("commands"));
        }
        // SAFETY: by the caller's contract.
        unsafe { operation.record_sort(commands, keys, values) }
    })
}
