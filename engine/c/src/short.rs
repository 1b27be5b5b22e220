//! Convenience functions with common defaults: device creation, sort creation and sort recording in one call
//! each.

use std::mem::MaybeUninit;

use multisplit::ash::vk::{self, Handle as _};
use multisplit::requirements::Requirements;

use crate::context::{CONTEXTS, MultisplitContext, MultisplitContextInfo};
use crate::operation::{self, MultisplitOperation};
use crate::read::{self, Out};
use crate::requirements::{self, bits_of};
use crate::result::{Failure, MultisplitResult, Outcome, guard};
use crate::sort::{MultisplitSortInfo, MultisplitSortValues};
use crate::types::{MultisplitBarriers, MultisplitCount, MultisplitKeyType, MultisplitRole};
use crate::version;
use crate::vulkan::{self, VkBuffer, VkCommandBuffer, VkDeviceCreateInfo};

/// Creates a device with the caller's features and extensions plus those required by multisplit, and sets
/// `device`, `features` and `queue` of `info`; the queue is the first of `queue_family`. All other members of
/// `info` must be set beforehand, as for `multisplit_context_create`. The caller destroys the device, using
/// `allocation_callbacks` if given.
///
/// `create_info` contains the caller's own creation parameters; `NULL`: one queue of `queue_family`, no
/// extensions and no features. Features are set in the structures of its chain; nothing else is changed.
///
/// # Safety
/// `info` is `NULL` or points to a writable `MultisplitContextInfo` whose handles, except the device and the
/// queue, are `NULL` or valid and belong together. `create_info` is `NULL` or acceptable to `vkCreateDevice`,
/// and its chain is writable.
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
            // These members are within the required size, which has been checked.
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
    // SAFETY: guaranteed by the caller.
    let (wanted, families) = unsafe {
        let wanted = requirements::of_device(&instance, physical, api_version, info.leave_out)?;
        (wanted, instance.get_physical_device_queue_family_properties(physical))
    };
    if info.queue_family as usize >= families.len() {
        let (given, count) = (info.queue_family, families.len());
        let text = format!(
            "queue_family is {given}, but the device has {count} queue families, numbered from 0"
        );
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
        let extensions = requirements::extensions_with(&wanted, &own)?;
        let merged = chain.merge_into(own.enabled_extension_names(&extensions));
        let check = Requirements::check_create_info(&instance, physical, api_version, &merged)?;
        let features = bits_of(check.into_result()?);
        let callbacks = vulkan::callbacks(info.allocation_callbacks)?;
        let device = instance.create_device(physical, &merged, callbacks);
        let device = device.map_err(|result| Failure::vulkan("vkCreateDevice", result))?;
        Ok((device, features))
    }
}

/// Checks that the device is created with a queue of `family`.
fn check_queue(info: &vk::DeviceCreateInfo<'_>, family: u32) -> Outcome {
    // SAFETY: the caller's structure, which is acceptable to `vkCreateDevice`.
    let queues = unsafe {
        let count = info.queue_create_info_count.into();
        read::slice("pQueueCreateInfos", info.p_queue_create_infos, count)?
    };
    if queues.iter().any(|queue| queue.queue_family_index == family && queue.queue_count > 0) {
        return Ok(());
    }
    Err(Failure::invalid(format!(
        "pQueueCreateInfos has no queue of family {family}, which is queue_family of the context; add one"
    )))
}

/// Creates an ascending sort of n pairs: keys of the given type with one 4-byte value each. The sort is
/// warmed up, allocates its own scratch memory for two frames in flight, and records full barriers before and
/// after. `count` is `MULTISPLIT_COUNT_FIXED` to sort exactly n pairs, or `MULTISPLIT_COUNT_DEVICE` to read the
/// number of pairs, at most n, from a word on the device. Record the sort with `multisplit_record_sort`, or with
/// `multisplit_record` and the roles `KEYS`, `VALUES` and `COUNT`. For other sorts, use `multisplit_sort_create`.
///
/// # Safety
/// `operation` is `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its
/// queue is not used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_sort_pairs_create(
    context: *const MultisplitContext,
    key_type: MaybeUninit<MultisplitKeyType>,
    n: u64,
    count: MaybeUninit<MultisplitCount>,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    let values = MultisplitSortValues::Values;
    // SAFETY: by the caller's contract.
    guard(|| unsafe { create(context, key_type, values, (n, count), operation) })
}

/// Creates an ascending sort of n keys, otherwise like `multisplit_sort_pairs_create`.
///
/// # Safety
/// As for `multisplit_sort_pairs_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_sort_keys_create(
    context: *const MultisplitContext,
    key_type: MaybeUninit<MultisplitKeyType>,
    n: u64,
    count: MaybeUninit<MultisplitCount>,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    let values = MultisplitSortValues::None;
    // SAFETY: by the caller's contract.
    guard(|| unsafe { create(context, key_type, values, (n, count), operation) })
}

/// # Safety
/// `operation` is null or writable.
unsafe fn create(
    context: *const MultisplitContext,
    key_type: MaybeUninit<MultisplitKeyType>,
    values: MultisplitSortValues,
    (n, count): (u64, MaybeUninit<MultisplitCount>),
    operation: *mut *mut MultisplitOperation,
) -> Outcome {
    // SAFETY: by the caller's contract.
    let out = unsafe { Out::handle("operation", operation)? };
    let context = CONTEXTS.get(context)?;
    let mut info: MultisplitSortInfo = read::zeroed();
    info.key_type = key_type;
    info.values = MaybeUninit::new(values);
    info.common.n = n;
    info.common.count = count;
    if read::choice(count)? == MultisplitCount::Recorded {
        let text = "MULTISPLIT_COUNT_RECORDED needs multisplit_sort_create and multisplit_record";
        return Err(Failure::invalid(text));
    }
    info.common.barriers = MaybeUninit::new(MultisplitBarriers::Full);
    // SAFETY: `info` contains no pointers.
    out.set(unsafe { operation::create_ready(&context, &info)? });
    Ok(())
}

/// Records a sort created by `multisplit_sort_pairs_create` or `multisplit_sort_keys_create`, from the start
/// of the buffers. `values` is `VK_NULL_HANDLE` for a sort of keys. `count` is the buffer whose first word is
/// the device count, or `VK_NULL_HANDLE` if the count is fixed. The two frames in flight alternate: before
/// recording n, recording n - 2 must have finished executing.
///
/// # Safety
/// As for `multisplit_record`. The buffers were created with `VK_BUFFER_USAGE_STORAGE_BUFFER_BIT`, are not
/// used on other queues at the same time, and contain n keys and n values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_record_sort(
    operation: *const MultisplitOperation,
    commands: VkCommandBuffer,
    keys: VkBuffer,
    values: VkBuffer,
    count: VkBuffer,
) -> MultisplitResult {
    guard(|| {
        let operation = operation::get(operation)?;
        if commands.is_null() {
            return Err(Failure::null("commands"));
        }
        let others = [(MultisplitRole::Values, values), (MultisplitRole::Count, count)];
        // SAFETY: by the caller's contract.
        unsafe { operation.record_sort(commands, keys, others) }
    })
}
