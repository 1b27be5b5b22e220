//! A wgpu program that sorts its particles by depth with multisplit, between commands of its own, on
//! its own device, in one submission.
//!
//! `--without-entry` and `--without-exit` leave out one of the two barriers around the sort, as a
//! program that is wrong would: the validation layer has to notice.

mod shared;

use anyhow::{Context as _, Result, ensure};
use shared::{DepthSort, Shared};
use wgpu::BufferUsages;

/// More than one workgroup sorts.
const N: u32 = 20_000;
const WORKGROUP: u32 = 64;
/// Bytes of a depth or an index, and of a place.
const WORD: u64 = 4;
const PLACE: u64 = 8;

/// Before the sort: every particle by its number.
const NUMBER: &str = "
@group(0) @binding(0) var<storage, read_write> order: array<u32>;

@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&order) {
        order[id.x] = id.x;
    }
}";

/// After it: where the particles are, nearest first.
const GATHER: &str = "
@group(0) @binding(0) var<storage, read> order: array<u32>;
@group(0) @binding(1) var<storage, read> places: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> drawn: array<vec2f>;

@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&order) {
        drawn[id.x] = places[order[id.x]];
    }
}";

/// Depths and places.
struct Particles {
    depths: Vec<f32>,
    places: Vec<[f32; 2]>,
}

fn main() -> Result<()> {
    let without = |option: &str| std::env::args().any(|argument| argument == option);
    let (entry, exit) = (!without("--without-entry"), !without("--without-exit"));
    let particles = Particles {
        // Some are as far away as others: those stay in their order.
        depths: (0..N).map(|i| (i.wrapping_mul(2_654_435_761) >> 19) as f32 - 100.0).collect(),
        places: (0..N).map(|i| [i as f32, -(i as f32)]).collect(),
    };
    let (name, drawn) = draw(&particles, entry, exit)?;
    // A program that is wrong may be lucky: it is the layer's part to notice.
    if entry && exit {
        let mut order: Vec<usize> = (0..N as usize).collect();
        order.sort_by(|&a, &b| particles.depths[a].total_cmp(&particles.depths[b]));
        let depths: Vec<f32> = order.iter().map(|&i| particles.depths[i]).collect();
        ensure!(drawn.depths == depths, "the depths are not in order");
        let places: Vec<_> = order.iter().map(|&i| particles.places[i]).collect();
        ensure!(drawn.places == places, "the particles are not in order");
        println!("{N} particles in order, nearest first, on {name}");
    }
    Ok(())
}

/// Brings the particles in order; gives the device's name too.
fn draw(particles: &Particles, entry: bool, exit: bool) -> Result<(String, Particles)> {
    let description = wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        // Layers come from the environment here, and print what they have to say themselves.
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    };
    let instance = wgpu::Instance::new(description);
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    let adapter = adapters.into_iter().next().context("no Vulkan device was found")?;
    let shared = Shared::open(&adapter)?;
    let Shared { context, device, queue } = &shared;

    let buffer = |label, each: u64, usage| {
        let (label, size, mapped_at_creation) = (Some(label), each * u64::from(N), false);
        device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation })
    };
    let (storage, from, to) =
        (BufferUsages::STORAGE, BufferUsages::COPY_SRC, BufferUsages::COPY_DST);
    let particle_depths = buffer("particles.depths", WORD, from | to);
    let places = buffer("particles.places", PLACE, storage | to);
    let depths = buffer("depths", WORD, storage | from | to);
    let order = buffer("order", WORD, storage);
    let drawn = buffer("drawn", PLACE, storage | from);
    let read = buffer("read", WORD + PLACE, BufferUsages::MAP_READ | to);
    queue.write_buffer(&particle_depths, 0, bytemuck::cast_slice(&particles.depths));
    queue.write_buffer(&places, 0, bytemuck::cast_slice(&particles.places));

    let sort = DepthSort::new(context, N.into(), entry, exit)?;
    let bytes = u64::from(N) * WORD;
    let before = commands(device, |encoder| {
        // The sort is in place, and the particles are to keep their depths.
        encoder.copy_buffer_to_buffer(&particle_depths, 0, &depths, 0, bytes);
        pass(device, encoder, NUMBER, &[&order]);
    });
    // SAFETY: the buffers are of this device and hold N elements; the commands before use both; `sort`
    // lives until the device has been waited for.
    let sorting = unsafe { sort.encode(device, &depths, &order)? };
    let after = commands(device, |encoder| {
        pass(device, encoder, GATHER, &[&order, &places, &drawn]);
        encoder.copy_buffer_to_buffer(&depths, 0, &read, 0, bytes);
        encoder.copy_buffer_to_buffer(&drawn, 0, &read, bytes, u64::from(N) * PLACE);
    });
    queue.submit([before, sorting, after]);

    read.map_async(wgpu::MapMode::Read, .., |_| {});
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let found = read.get_mapped_range(..)?;
    let (depths, places) = found.split_at(bytes as usize);
    let depths = bytemuck::cast_slice(depths).to_vec();
    let places = bytemuck::cast_slice(places).to_vec();
    Ok((adapter.get_info().name, Particles { depths, places }))
}

fn commands(
    device: &wgpu::Device,
    record: impl FnOnce(&mut wgpu::CommandEncoder),
) -> wgpu::CommandBuffer {
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    record(&mut encoder);
    encoder.finish()
}

/// A compute pass over N elements of these buffers.
fn pass(
    device: &wgpu::Device,
    encoder: &mut wgpu::CommandEncoder,
    source: &str,
    buffers: &[&wgpu::Buffer],
) {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let entry = |(binding, buffer)| {
        let resource = wgpu::Buffer::as_entire_binding(buffer);
        wgpu::BindGroupEntry { binding, resource }
    };
    let entries: Vec<_> = (0..).zip(buffers.iter().copied()).map(entry).collect();
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    compute.set_pipeline(&pipeline);
    compute.set_bind_group(0, &group, &[]);
    compute.dispatch_workgroups(N.div_ceil(WORKGROUP), 1, 1);
}
