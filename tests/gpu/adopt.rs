//! Tests of `Context::adopt`: the application creates the Vulkan device, and the engine records its
//! passes into the application's command buffer, between commands of the application.

use std::ffi::{CStr, c_void};
use std::sync::Mutex;

use multisplit::ash;
use multisplit::graph::Scope;
use multisplit::requirements::{Features, Requirements};
use multisplit::{AdoptOptions, AdoptedDevice, DeviceProperties, ProfileChoice, RankingChoice};
use multisplit_tests::prelude::*;

tests!(adopt:
    scan_between_the_callers_commands_needs_only_contract_barriers,
    sort_between_the_callers_commands_needs_only_contract_barriers, vulkan_1_2_instance_is_adopted,
    vulkan_1_1_instance_is_rejected, vulkan_1_3_without_full_subgroups_is_adopted,
    vulkan_1_2_without_full_subgroups_is_rejected, record_only_contexts_do_not_use_the_queue,
);

const N: u64 = 30_000;
/// Maximum number of words written by one `vkCmdUpdateBuffer`.
const MAX_UPDATE: usize = 16_384;

/// A minimal Vulkan application that creates its own device. The engine adopts that device.
struct Host {
    entry: ash::Entry,
    instance: ash::Instance,
    api_version: u32,
    physical: vk::PhysicalDevice,
    device: ash::Device,
    queue: vk::Queue,
    family: u32,
    requirements: Requirements,
    /// `vkCmdPipelineBarrier2`, from Vulkan 1.3 or from the extension.
    pipeline_barrier: vk::PFN_vkCmdPipelineBarrier2,
    messenger: (ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT),
    reported: &'static Mutex<Vec<String>>,
}

unsafe extern "system" fn on_message(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: all pointers are valid during the callback, and layers always set the id of the
    // violated rule.
    let (reported, id, text) = unsafe {
        let [id, text] = [(*data).p_message_id_name, (*data).p_message]
            .map(|s| CStr::from_ptr(s).to_string_lossy());
        (&*user_data.cast::<Mutex<Vec<String>>>(), id, text)
    };
    reported.lock().unwrap().push(format!("{id}: {text}"));
    vk::FALSE
}

impl Host {
    /// Creates the device without the features in `left_out`.
    fn new(wanted: &DeviceProperties, api_version: u32, left_out: &Features) -> Result<Self> {
        // SAFETY: plain Vulkan set-up with valid structures.
        unsafe {
            let entry = ash::Entry::load()?;
            let layers = [c"VK_LAYER_KHRONOS_validation".as_ptr()];
            let extensions = [ash::ext::debug_utils::NAME.as_ptr()];
            let application = vk::ApplicationInfo::default().api_version(api_version);
            let enables = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
            let mut features =
                vk::ValidationFeaturesEXT::default().enabled_validation_features(&enables);
            let info = vk::InstanceCreateInfo::default()
                .application_info(&application)
                .enabled_layer_names(&layers)
                .enabled_extension_names(&extensions)
                .push_next(&mut features);
            let instance = entry.create_instance(&info, None)?;
            let reported: &'static Mutex<Vec<String>> = Box::leak(Box::default());
            let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
                .message_severity(
                    vk::DebugUtilsMessageSeverityFlagsEXT::WARNING
                        | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
                )
                .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
                .pfn_user_callback(Some(on_message))
                .user_data(std::ptr::from_ref(reported).cast_mut().cast());
            let functions = ash::ext::debug_utils::Instance::new(&entry, &instance);
            let messenger = functions.create_debug_utils_messenger(&info, None)?;

            let same =
                |p: &vk::PhysicalDevice| DeviceProperties::query(&instance, *p).name == wanted.name;
            let physical = instance.enumerate_physical_devices()?.into_iter().find(same);
            let physical = physical.context("the device under test was not found")?;
            let mut requirements = Requirements::for_version(&instance, physical, api_version)?;
            let layers = entry.enumerate_instance_layer_properties()?;
            let layer = layers
                .iter()
                .find(|l| l.layer_name_as_c_str() == Ok(c"VK_LAYER_KHRONOS_validation"));
            // Older validation layers do not know VK_KHR_shader_maximal_reconvergence and report
            // its use as an error.
            if layer.is_some_and(|l| l.spec_version < vk::make_api_version(0, 1, 3, 274)) {
                requirements.leave_out(&Features {
                    shader_maximal_reconvergence: true,
                    ..Features::default()
                });
            }
            requirements.leave_out(left_out);
            let family = wanted.compute_family.context("the device has no compute queue")?;
            let queues = [vk::DeviceQueueCreateInfo::default()
                .queue_family_index(family)
                .queue_priorities(&[1.0])];
            let extensions: Vec<_> = requirements.extensions.iter().map(|e| e.as_ptr()).collect();
            let mut chain = requirements.feature_chain();
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&extensions);
            let device = instance.create_device(physical, &chain.push_onto(info), None)?;
            let queue = device.get_device_queue(family, 0);
            let messenger = (functions, messenger);
            let pipeline_barrier = if api_version < vk::API_VERSION_1_3 {
                let extension = ash::khr::synchronization2::Device::new(&instance, &device);
                extension.fp().cmd_pipeline_barrier2_khr
            } else {
                device.fp_v1_3().cmd_pipeline_barrier2
            };
            Ok(Self {
                entry,
                instance,
                api_version,
                physical,
                device,
                queue,
                family,
                requirements,
                pipeline_barrier,
                messenger,
                reported,
            })
        }
    }

    fn adopted(&self) -> AdoptedDevice {
        AdoptedDevice {
            entry: self.entry.clone(),
            instance: self.instance.clone(),
            api_version: self.api_version,
            physical: self.physical,
            device: self.device.clone(),
            queue: self.queue,
            queue_family: self.family,
            features: self.requirements.features,
            debug_utils: true,
            pipeline_cache: PipelineCache::Off,
            ranking: RankingChoice::Auto,
            profile: ProfileChoice::BuiltIn,
        }
    }

    fn take_messages(&self) -> Vec<String> {
        std::mem::take(&mut *self.reported.lock().unwrap())
    }

    fn expect_silence(&self) -> Result<()> {
        let reported = self.take_messages();
        ensure!(reported.is_empty(), "{}", reported[0]);
        Ok(())
    }

    /// Creates a host-visible buffer and maps its memory.
    fn buffer(&self, size: u64) -> Result<(vk::Buffer, vk::DeviceMemory, *mut u32)> {
        // SAFETY: plain Vulkan calls with an allowed memory type.
        unsafe {
            let info = vk::BufferCreateInfo::default().size(size).usage(
                vk::BufferUsageFlags::STORAGE_BUFFER
                    | vk::BufferUsageFlags::TRANSFER_SRC
                    | vk::BufferUsageFlags::TRANSFER_DST,
            );
            let buffer = self.device.create_buffer(&info, None)?;
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let types = self.instance.get_physical_device_memory_properties(self.physical);
            let visible =
                vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let index = types
                .memory_types_as_slice()
                .iter()
                .enumerate()
                .position(|(i, t)| {
                    needs.memory_type_bits & (1 << i) != 0 && t.property_flags.contains(visible)
                })
                .context("there is no host-visible memory type")?;
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size)
                .memory_type_index(index as u32);
            let memory = self.device.allocate_memory(&info, None)?;
            self.device.bind_buffer_memory(buffer, memory, 0)?;
            let flags = vk::MemoryMapFlags::empty();
            let mapped = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags)?;
            Ok((buffer, memory, mapped.cast()))
        }
    }
}

/// Calls `body` with an application whose device lacks the features in `left_out`. Then destroys the
/// device; `body` must destroy everything that it creates from it.
fn with_host(
    gpu: &Gpu,
    api_version: u32,
    left_out: &Features,
    body: impl FnOnce(&Host) -> Result<()>,
) -> Result<()> {
    let host = Host::new(gpu.properties(), api_version, left_out)?;
    body(&host)?;
    // SAFETY: all work on the device has completed, and its other objects were destroyed.
    unsafe {
        host.device.destroy_device(None);
        host.messenger.0.destroy_debug_utils_messenger(host.messenger.1, None);
        host.instance.destroy_instance(None);
    }
    host.expect_silence().context("after the device was destroyed")
}

/// The operation recorded between the caller's commands.
#[derive(Clone, Copy)]
enum Operation {
    /// `dst` is the scan of `src`.
    Scan,
    /// `dst` is the permutation that sorts `src`, and `src` is sorted.
    Sort,
}

/// Compiles a plan that reads `src` and writes `dst`. If `with_scopes` is set, the plan itself
/// contains the barriers against the caller's transfer commands before and after it.
fn plan(context: &Context, operation: Operation, with_scopes: bool) -> Result<(Plan, [Buffer; 2])> {
    let mut graph = Graph::new("embedded");
    let src = graph.import::<u32>("src", N);
    let dst = graph.import::<u32>("dst", N);
    if with_scopes {
        graph.entry(src, Scope::TRANSFER_WRITE);
        graph.exit(dst, Scope::TRANSFER_READ);
    }
    match operation {
        Operation::Scan => {
            scan(&mut graph, &context.policy(), &Scan::default(), &ScanBuffers::new(src, dst))?;
        }
        Operation::Sort => {
            let buffers = SortBuffers::keys(src).indices(dst);
            // Use small tiles: every context compiles its own pipelines, and small tiles compile
            // quickly.
            let mut policy = context.policy();
            policy.sort = policy.sort.with_shape(TileShape::new(128, 1));
            sort(&mut graph, &policy, &Sort::ascending(), &buffers)?;
        }
    }
    Ok((graph.compile(&context.limits())?, [src, dst]))
}

fn scan_between_the_callers_commands_needs_only_contract_barriers(gpu: &Gpu) -> Result<()> {
    check_contract_barriers(gpu, Operation::Scan)
}

fn sort_between_the_callers_commands_needs_only_contract_barriers(gpu: &Gpu) -> Result<()> {
    check_contract_barriers(gpu, Operation::Sort)
}

fn check_contract_barriers(gpu: &Gpu, operation: Operation) -> Result<()> {
    // Either the plan contains the barriers against the caller's commands, or the caller records
    // the barriers that the contract requires. With neither, the validation layer must report a
    // hazard.
    with_host(gpu, vk::API_VERSION_1_3, &Features::default(), |host| {
        for (scopes, barriers) in [(true, false), (false, true)] {
            embed(host, operation, scopes, barriers)?;
            host.expect_silence()
                .with_context(|| format!("scopes {scopes}, barriers {barriers}"))?;
        }
        embed(host, operation, false, false)?;
        let is_reported = host.take_messages().iter().any(|s| s.contains("SYNC-HAZARD"));
        ensure!(is_reported, "the layer did not report the missing barrier");
        Ok(())
    })
}

/// If the instance was created for Vulkan 1.2, functions that became core in 1.3 must be loaded
/// from extensions, even if the device supports 1.3.
fn vulkan_1_2_instance_is_adopted(gpu: &Gpu) -> Result<()> {
    with_host(gpu, vk::API_VERSION_1_2, &Features::default(), |host| {
        let extensions = &host.requirements.extensions;
        let has_extension = extensions.contains(&ash::khr::synchronization2::NAME);
        ensure!(has_extension, "synchronization2 is not among the extensions {extensions:?}");
        embed(host, Operation::Scan, true, true)
    })
}

fn vulkan_1_1_instance_is_rejected(gpu: &Gpu) -> Result<()> {
    with_host(gpu, vk::API_VERSION_1_3, &Features::default(), |host| {
        let adopted = AdoptedDevice { api_version: vk::API_VERSION_1_1, ..host.adopted() };
        // SAFETY: the call is rejected before anything is created.
        let refused = unsafe { Context::adopt(adopted) };
        expect_errors! { refused => MissingRequirements { .. } }
        Ok(())
    })
}

fn full_subgroups() -> Features {
    Features { compute_full_subgroups: true, ..Features::default() }
}

/// The device was created without `computeFullSubgroups`. From Vulkan 1.3 on, SPIR-V 1.6 guarantees
/// full subgroups without that feature.
fn vulkan_1_3_without_full_subgroups_is_adopted(gpu: &Gpu) -> Result<()> {
    with_host(gpu, vk::API_VERSION_1_3, &full_subgroups(), |host| {
        ensure!(!host.requirements.features.compute_full_subgroups);
        for operation in [Operation::Scan, Operation::Sort] {
            embed(host, operation, true, true)?;
            host.expect_silence()?;
        }
        Ok(())
    })
}

/// Before Vulkan 1.3, only `computeFullSubgroups` guarantees full subgroups.
fn vulkan_1_2_without_full_subgroups_is_rejected(gpu: &Gpu) -> Result<()> {
    with_host(gpu, vk::API_VERSION_1_2, &full_subgroups(), |host| {
        // SAFETY: the call is rejected before anything is created.
        let refused = unsafe { Context::adopt(host.adopted()) };
        expect_message(refused, "computeFullSubgroups")
    })
}

/// The contexts get a null queue, whose use would crash or be reported by the validation layer. The
/// plan of the scan has state, which must be cleared without the queue.
fn record_only_contexts_do_not_use_the_queue(gpu: &Gpu) -> Result<()> {
    with_host(gpu, vk::API_VERSION_1_3, &Features::default(), |host| {
        let adopt = || {
            let adopted = AdoptedDevice { queue: vk::Queue::null(), ..host.adopted() };
            // SAFETY: the handles belong together and outlive the context, which does not use the
            // queue.
            unsafe { Context::adopt_with(adopted, AdoptOptions::default().record_only()) }
        };
        for operation in [Operation::Scan, Operation::Sort] {
            embed_in(adopt()?, host, operation, true, true)?;
            host.expect_silence()?;
        }
        let context = adopt()?;
        let mut graph = Graph::new("fill");
        let dst = graph.import::<u32>("dst", 16);
        fill(&mut graph, &context.policy(), "fill", dst, 1)?;
        let executable = context.instantiate(graph.compile(&context.limits())?)?;
        let array = Array::<u32>::uninit(&context, "dst", 16)?;
        expect_errors! { context.run(&executable, &[(dst, &array)]) => RecordOnly }
        Ok(context.wait_idle()?)
    })
}

/// Adopts the host's device, records the operation between transfers of the host, and runs it.
/// Compares the result with the CPU if there are barriers, from the plan's scopes or the host.
fn embed(host: &Host, operation: Operation, scopes: bool, barriers: bool) -> Result<()> {
    // SAFETY: the handles belong together and outlive the context.
    let context = unsafe { Context::adopt(host.adopted())? };
    embed_in(context, host, operation, scopes, barriers)
}

/// Like [`embed`], with a context that has adopted the host's device. The commands are submitted
/// twice, one after the other.
fn embed_in(
    context: Context,
    host: &Host,
    operation: Operation,
    with_scopes: bool,
    with_barriers: bool,
) -> Result<()> {
    let data = uniform(N as usize, 12);
    // SAFETY: the handles belong together and outlive the context, and recording is in order.
    unsafe {
        let (plan, [src, dst]) = plan(&context, operation, with_scopes)?;
        let contract = |name| *plan.import(name).expect("the plan has this import");
        let (first, last) = (contract("src").first_use, contract("dst").last_use);
        let workspace_size = plan.workspace().size.max(16);
        let options = ExecutableOptions::default().without_workspace();
        let executable = context.instantiate_with(plan, options)?;

        let device = &host.device;
        let buffers = [4 * N, 4 * N, 4 * N, workspace_size].map(|size| host.buffer(size));
        let [input, output, result, workspace] = buffers;
        let (input, output, result, workspace) = (input?, output?, result?, workspace?);

        let pool = device.create_command_pool(
            &vk::CommandPoolCreateInfo::default().queue_family_index(host.family),
            None,
        )?;
        let info =
            vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = device.allocate_command_buffers(&info)?[0];
        device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
        for (k, words) in data.chunks(MAX_UPDATE).enumerate() {
            let (_, bytes, _) = words.align_to::<u8>();
            device.cmd_update_buffer(commands, input.0, (4 * k * MAX_UPDATE) as u64, bytes);
        }
        let barrier = |from: Scope, to: Scope| {
            let memory = [vk::MemoryBarrier2::default()
                .src_stage_mask(vk::PipelineStageFlags2::from_raw(from.stages.bits()))
                .src_access_mask(vk::AccessFlags2::from_raw(from.access.bits()))
                .dst_stage_mask(vk::PipelineStageFlags2::from_raw(to.stages.bits()))
                .dst_access_mask(vk::AccessFlags2::from_raw(to.access.bits()))];
            let info = vk::DependencyInfo::default().memory_barriers(&memory);
            (host.pipeline_barrier)(commands, &info);
        };
        if with_barriers {
            barrier(Scope::TRANSFER_WRITE, first.context("the plan does not read `src`")?);
        }
        let imports = [(src, BufferAt::new(input.0, 0)), (dst, BufferAt::new(output.0, 0))];
        let scratch = Some(BufferAt::new(workspace.0, 0));
        let options = RecordOptions { workspace: scratch, ..RecordOptions::default() };
        executable.record_with(commands, &imports, &options)?;
        if with_barriers {
            barrier(last.context("the plan does not write `dst`")?, Scope::TRANSFER_READ);
        }
        let region = vk::BufferCopy::default().size(4 * N);
        device.cmd_copy_buffer(commands, output.0, result.0, &[region]);
        barrier(Scope::TRANSFER_WRITE, Scope::HOST_READ);
        device.end_command_buffer(commands)?;

        let submitted = [commands];
        let info = vk::SubmitInfo::default().command_buffers(&submitted);
        for _ in 0..2 {
            device.queue_submit(host.queue, &[info], vk::Fence::null())?;
            device.device_wait_idle()?;
        }
        if with_scopes || with_barriers {
            let got = std::slice::from_raw_parts(result.2, N as usize);
            let expected = match operation {
                Operation::Scan => reference::exclusive_scan(&data),
                Operation::Sort => {
                    let keys: Vec<u64> = data.iter().map(|&key| u64::from(key)).collect();
                    reference::sort(&keys, 0..32, false)
                }
            };
            expect_equal(got, &expected)?;
        }
        drop(executable);
        drop(context);
        device.destroy_command_pool(pool, None);
        for (buffer, memory, _) in [input, output, result, workspace] {
            device.destroy_buffer(buffer, None);
            device.free_memory(memory, None);
        }
        Ok(())
    }
}
