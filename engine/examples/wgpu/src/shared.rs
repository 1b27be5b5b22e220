//! How a wgpu program and multisplit come to use one Vulkan device, and how a sort gets into a
//! submission of wgpu's.

use anyhow::{Context as _, Result};
use multisplit::ash::{self, vk};
use multisplit::graph::Scope;
use multisplit::{
    AdoptedDevice, BufferAt, Context, Executable, ExecutableOptions, Features, PipelineCache,
    ProfileChoice, RankingChoice, Requirements, Sort, WorkArray,
};
use wgpu::hal::api::Vulkan;
use wgpu::hal::vulkan::CreateDeviceCallback;

/// A device that both use. Fields go in this order: what is multisplit's before wgpu's device.
pub struct Shared {
    pub context: Context,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
}

impl Shared {
    /// Opens wgpu's device with what multisplit needs enabled on it besides, and lets multisplit
    /// adopt it.
    pub fn open(adapter: &wgpu::Adapter) -> Result<Self> {
        // Keys of 64 bits need it; what wgpu knows by a name is asked of wgpu.
        let features = adapter.features() & wgpu::Features::SHADER_INT64;
        // SAFETY: nothing of the adapter is destroyed here.
        let hal = unsafe { adapter.as_hal::<Vulkan>() }.context("no Vulkan adapter")?;
        let (instance, physical) = (hal.shared_instance(), hal.raw_physical_device());
        // wgpu asks for 1.3 at most.
        let api_version = instance.instance_api_version().min(vk::API_VERSION_1_3);
        // SAFETY: the physical device is the instance's.
        let mut wanted =
            unsafe { Requirements::for_version(instance.raw_instance(), physical, api_version)? };
        // Their features are not enabled below, so neither are the extensions.
        wanted.leave_out(&Features {
            shader_maximal_reconvergence: true,
            shader_subgroup_uniform_control_flow: true,
            ..Features::default()
        });

        let mut synchronization2 =
            vk::PhysicalDeviceSynchronization2Features::default().synchronization2(true);
        let synchronization2 = &mut synchronization2;
        let enable: Box<CreateDeviceCallback<'_>> = Box::new(|arguments| {
            for extension in wanted.extensions {
                // Those of subgroup size control may be there already; each may be named once.
                if !arguments.extensions.contains(&extension) {
                    arguments.extensions.push(extension);
                }
            }
            // wgpu gives `pEnabledFeatures` and structures of its own, among them that of subgroup
            // size control. So neither `Requirements::feature_chain`, which begins with
            // `VkPhysicalDeviceFeatures2`, nor a second structure of a type may be chained
            // (VUID-VkDeviceCreateInfo-pNext-00373, -sType-unique): only what wgpu does not know.
            *arguments.create_info = arguments.create_info.push_next(synchronization2);
        });
        let (limits, memory) = (adapter.limits(), wgpu::MemoryHints::default());
        // SAFETY: everything that is added is supported, by `Requirements`; nothing is taken away.
        let open = unsafe { hal.open_with_callback(features, &limits, &memory, Some(enable))? };
        let description = wgpu::DeviceDescriptor {
            label: Some("shared"),
            required_features: features,
            required_limits: limits,
            memory_hints: memory,
            ..wgpu::DeviceDescriptor::default()
        };
        // SAFETY: it was opened from this adapter, with these features.
        let (device, queue) = unsafe { adapter.create_device_from_hal(open, &description)? };

        let enabled = Features {
            synchronization2: true,
            push_descriptor: wanted.features.push_descriptor,
            // wgpu turns it on wherever Vulkan 1.3 is there, without `computeFullSubgroups`.
            subgroup_size_control: hal.physical_device_capabilities().properties().api_version
                >= vk::API_VERSION_1_3
                && wanted.features.subgroup_size_control,
            shader_int64: features.contains(wgpu::Features::SHADER_INT64),
            ..Features::default()
        };
        let context = adopt(&hal, &device, api_version, enabled)?;
        Ok(Self { context, device, queue })
    }
}

fn adopt(
    adapter: &wgpu::hal::vulkan::Adapter,
    device: &wgpu::Device,
    api_version: u32,
    features: Features,
) -> Result<Context> {
    let instance = adapter.shared_instance();
    // SAFETY: nothing of the device is destroyed here.
    let hal = unsafe { device.as_hal::<Vulkan>() }.context("no Vulkan device")?;
    let adopted = AdoptedDevice {
        entry: instance.entry().clone(),
        instance: instance.raw_instance().clone(),
        api_version,
        physical: adapter.raw_physical_device(),
        device: hal.raw_device().clone(),
        queue: hal.raw_queue(),
        queue_family: hal.queue_family_index(),
        features,
        debug_utils: instance.extensions().contains(&ash::ext::debug_utils::NAME),
        pipeline_cache: PipelineCache::Off,
        ranking: RankingChoice::Auto,
        profile: ProfileChoice::BuiltIn,
    };
    // SAFETY: these are the handles of one device, made with these features. `Shared` drops the
    // context before the device, and its user waits for the device before that. The context submits
    // only while the sort is declared (on some GPUs it then tries something out), when wgpu does not
    // use the queue.
    Ok(unsafe { Context::adopt(adopted)? })
}

/// A sort of floats with u32 as values, on buffers of wgpu's.
pub struct DepthSort {
    executable: Executable,
    keys: WorkArray<f32>,
    values: WorkArray<u32>,
}

impl DepthSort {
    /// Declares it for `n` elements and makes its pipelines. A program that is right has a barrier at
    /// its `entry` and at its `exit`.
    ///
    /// wgpu makes its own commands wait for each other by what it knows they use. Of the sort it
    /// knows nothing: it puts no barrier before it, and the one that it puts after it waits for
    /// whoever wgpu believes has written last. So the sort is told what was done with the buffers
    /// before, and what is done with them next.
    pub fn new(context: &Context, n: u64, entry: bool, exit: bool) -> Result<Self> {
        let mut work = context.work("depth");
        let keys = work.import::<f32>("keys", n);
        let values = work.import::<u32>("values", n);
        work.sort_pairs(keys, values, &Sort::ascending())?;
        if entry {
            work.entry(keys, Scope::TRANSFER_WRITE);
            work.entry(values, Scope::COMPUTE_WRITE);
        }
        if exit {
            work.exit(keys, Scope::TRANSFER_READ);
            work.exit(values, Scope::COMPUTE_READ);
        }
        let executable = work.executable(ExecutableOptions::default())?;
        Ok(Self { executable, keys, values })
    }

    /// The sort as a command buffer of wgpu's, to be submitted between others.
    ///
    /// An encoder takes either wgpu's commands or raw ones, so the sort has one of its own. Command
    /// buffers of one submission begin in their order, and barriers reach across them.
    ///
    /// # Safety
    /// The buffers are of the size and the device that the sort was planned for, and have storage
    /// usage. Another command buffer of the submission uses them too, which makes wgpu keep them.
    /// The sort lives until the commands have run.
    pub unsafe fn encode(
        &self,
        device: &wgpu::Device,
        keys: &wgpu::Buffer,
        values: &wgpu::Buffer,
    ) -> Result<wgpu::CommandBuffer> {
        let description = wgpu::CommandEncoderDescriptor { label: Some("depth sort") };
        let mut encoder = device.create_command_encoder(&description);
        // SAFETY: no handle is destroyed, and the command buffer is left recording.
        unsafe {
            let keys = keys.as_hal::<Vulkan>().context("no Vulkan buffer")?.raw_handle();
            let values = values.as_hal::<Vulkan>().context("no Vulkan buffer")?.raw_handle();
            let imports =
                [self.keys.at(BufferAt::new(keys, 0)), self.values.at(BufferAt::new(values, 0))];
            encoder.as_hal_mut::<Vulkan, _, Result<()>>(|encoder| {
                let commands = encoder.context("no Vulkan encoder")?.raw_handle();
                Ok(self.executable.record(commands, &imports)?)
            })?;
        }
        Ok(encoder.finish())
    }
}
