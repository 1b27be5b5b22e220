//! The engine's own two compute passes: one computes the depths of particles, the other uses their sorted
//! order. In a game these would be a simulation and a draw call.

use multisplit::ash::vk;
use multisplit::shaders::compile::{Source, compile};

use super::host::{Host, HostBuffer, Result};

const DEPTHS: &str = "#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Depths { float at[]; } depths;
layout(set = 0, binding = 1) buffer Order { uint at[]; } order;
layout(set = 0, binding = 2) buffer Picture { uint at[]; } picture;
layout(push_constant) uniform Push { uint count; uint frame; } push;
uint hash(uint x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < push.count) depths.at[i] = float(hash(i ^ (push.frame << 20)) >> 16);
}";

const PICTURE: &str = "#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Depths { float at[]; } depths;
layout(set = 0, binding = 1) readonly buffer Order { uint at[]; } order;
layout(set = 0, binding = 2) writeonly buffer Picture { uint at[]; } picture;
layout(push_constant) uniform Push { uint count; uint frame; } push;
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < push.count) {
        picture.at[2 * i] = order.at[i];
        picture.at[2 * i + 1] = floatBitsToUint(depths.at[order.at[i]]);
    }
}";

/// Number of buffers bound to a pass.
const BINDINGS: u32 = 3;
const PUSH_BYTES: u32 = 8;
const WORKGROUP: u32 = 64;

/// The depth of particle `i` in a frame, as computed by the first pass.
pub fn depth(i: u32, frame: u32) -> f32 {
    let mut x = i ^ (frame << 20);
    x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    ((x ^ (x >> 16)) >> 16) as f32
}

/// The engine's passes.
#[derive(Clone, Copy)]
pub enum Pass {
    Depths,
    Picture,
}

/// Pipelines, and a descriptor set for each frame in flight.
pub struct Passes {
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipelines: [vk::Pipeline; 2],
    pool: vk::DescriptorPool,
    sets: Vec<vk::DescriptorSet>,
}

impl Passes {
    /// # Safety
    /// The buffers of each frame (depths, order, picture) must live as long as the returned value.
    pub unsafe fn new(host: &Host, frames: &[[&HostBuffer; 3]]) -> Result<Self> {
        let device = &host.device;
        let (kind, stage) = (vk::DescriptorType::STORAGE_BUFFER, vk::ShaderStageFlags::COMPUTE);
        // SAFETY: plain Vulkan set-up with valid structures throughout.
        unsafe {
            let bindings: Vec<_> = (0..BINDINGS)
                .map(|binding| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(binding)
                        .descriptor_type(kind)
                        .descriptor_count(1)
                        .stage_flags(stage)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let set_layout = device.create_descriptor_set_layout(&info, None)?;
            let layouts = [set_layout];
            let ranges = [vk::PushConstantRange::default().stage_flags(stage).size(PUSH_BYTES)];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&layouts)
                .push_constant_ranges(&ranges);
            let layout = device.create_pipeline_layout(&info, None)?;
            let pipelines = [
                pipeline(host, layout, "depths.comp", DEPTHS)?,
                pipeline(host, layout, "picture.comp", PICTURE)?,
            ];

            let count = frames.len() as u32;
            let sizes =
                [vk::DescriptorPoolSize::default().ty(kind).descriptor_count(BINDINGS * count)];
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(count).pool_sizes(&sizes);
            let pool = device.create_descriptor_pool(&info, None)?;
            let layouts = vec![set_layout; frames.len()];
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(&layouts);
            let sets = device.allocate_descriptor_sets(&info)?;
            for (set, buffers) in sets.iter().zip(frames) {
                for (binding, buffer) in buffers.iter().enumerate() {
                    let info = [vk::DescriptorBufferInfo::default()
                        .buffer(buffer.raw)
                        .range(vk::WHOLE_SIZE)];
                    let write = vk::WriteDescriptorSet::default()
                        .dst_set(*set)
                        .dst_binding(binding as u32)
                        .descriptor_type(kind)
                        .buffer_info(&info);
                    device.update_descriptor_sets(&[write], &[]);
                }
            }
            Ok(Self { set_layout, layout, pipelines, pool, sets })
        }
    }

    /// # Safety
    /// `commands` must be in the recording state, and the device must have finished the previous use of frame slot
    /// `index`.
    pub unsafe fn record(
        &self,
        host: &Host,
        commands: vk::CommandBuffer,
        pass: Pass,
        index: usize,
        [count, frame]: [u32; 2],
    ) {
        let (device, point) = (&host.device, vk::PipelineBindPoint::COMPUTE);
        let push: Vec<u8> = [count, frame].iter().flat_map(|w| w.to_ne_bytes()).collect();
        // SAFETY: by the caller's contract.
        unsafe {
            device.cmd_bind_pipeline(commands, point, self.pipelines[pass as usize]);
            let sets = &self.sets[index..=index];
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, sets, &[]);
            let stage = vk::ShaderStageFlags::COMPUTE;
            device.cmd_push_constants(commands, self.layout, stage, 0, &push);
            device.cmd_dispatch(commands, count.div_ceil(WORKGROUP), 1, 1);
        }
    }

    /// # Safety
    /// The device must have finished using the passes.
    pub unsafe fn destroy(&self, host: &Host) {
        // SAFETY: by the caller's contract.
        unsafe {
            host.device.destroy_descriptor_pool(self.pool, None);
            for pipeline in self.pipelines {
                host.device.destroy_pipeline(pipeline, None);
            }
            host.device.destroy_pipeline_layout(self.layout, None);
            host.device.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

unsafe fn pipeline(
    host: &Host,
    layout: vk::PipelineLayout,
    name: &str,
    glsl: &str,
) -> Result<vk::Pipeline> {
    let code = compile(&Source::new(name, glsl))?;
    // SAFETY: SPIR-V that was just compiled, and a matching layout.
    unsafe {
        let info = vk::ShaderModuleCreateInfo::default().code(&code);
        let module = host.device.create_shader_module(&info, None)?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
        let cache = vk::PipelineCache::null();
        let made = host.device.create_compute_pipelines(cache, &[info], None);
        host.device.destroy_shader_module(module, None);
        let pipelines = made.map_err(|(_, result)| result)?;
        Ok(pipelines.first().copied().unwrap_or_default())
    }
}
