//! Gaussian splats, as in renderers of radiance fields: a WGSL pass computes depth keys, a sort orders them
//! from far to near, and a draw call blends them in this order. Headless; writes a PPM file.
//!
//!   cargo run -p multisplit-wgpu --example splats -- splats.ppm
//!
//! The splats overlap and are translucent, so a wrong order produces a wrong picture.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use multisplit_wgpu::{Count, Multisplit, Sort};
use wgpu::BufferUsages;

/// Number of splats.
pub const SPLATS: u32 = 6000;
/// Side length of the picture in pixels.
pub const SIDE: u32 = 256;

/// A splat: position, radius and colour, all derived from its index.
const SPLAT: &str = "
struct Splat { center: vec3f, radius: f32, color: vec4f }

fn hash(x: u32) -> u32 {
    var h = x * 747796405u + 2891336453u;
    h = ((h >> ((h >> 28u) + 4u)) ^ h) * 277803737u;
    return (h >> 22u) ^ h;
}

fn part(i: u32, k: u32) -> f32 { return f32(hash(i * 8u + k) >> 8u) / 16777216.0; }

fn splat(i: u32) -> Splat {
    let center = vec3f(part(i, 0u), part(i, 1u), part(i, 2u)) * 2.0 - 1.0;
    let color = vec4f(part(i, 3u), part(i, 4u), part(i, 5u), 0.5 + 0.4 * part(i, 6u));
    return Splat(center, 0.03 + 0.05 * part(i, 7u), color);
}
";

/// Before the sort: computes the distance of each splat.
const DEPTHS: &str = "
@group(0) @binding(0) var<storage, read_write> depths: array<f32>;

@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&depths) { depths[id.x] = splat(id.x).center.z; }
}";

/// After the sort: draws one square per splat in sorted order, blended over the previous ones.
const DRAW: &str = "
@group(0) @binding(0) var<storage, read> order: array<u32>;

struct Corner { @builtin(position) position: vec4f, @location(0) at: vec2f, @location(1) color: vec4f }

@vertex fn corner(@builtin(vertex_index) k: u32, @builtin(instance_index) place: u32) -> Corner {
    let s = splat(order[place]);
    let at = vec2f(f32(k & 1u), f32(k >> 1u)) * 2.0 - 1.0;
    return Corner(vec4f(s.center.xy + s.radius * 2.0 * at, 0.5, 1.0), at, s.color);
}

@fragment fn shade(it: Corner) -> @location(0) vec4f {
    return vec4f(it.color.rgb, it.color.a * exp(-4.0 * dot(it.at, it.at)));
}";

fn main() -> Result<()> {
    let path = std::env::args().nth(1).context("usage: splats FILE.ppm")?;
    let pixels = render(true)?;
    let mut file = std::fs::File::create(&path)?;
    write!(file, "P6\n{SIDE} {SIDE}\n255\n")?;
    for pixel in pixels.chunks_exact(4) {
        file.write_all(&pixel[..3])?;
    }
    println!("{SPLATS} splats, far to near, in {path}");
    Ok(())
}

/// Renders the picture as RGBA bytes. Without the sort, splats are drawn in index order.
pub fn render(sorted: bool) -> Result<Vec<u8>> {
    let (device, queue) = open()?;
    let gpu = Multisplit::new(&device, &queue)?;
    let sort = gpu.argsort::<f32>(SPLATS.into(), &Sort::descending())?;
    let storage = |label| {
        let (size, usage) = (4 * u64::from(SPLATS), BufferUsages::STORAGE | BufferUsages::COPY_DST);
        let description =
            wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        device.create_buffer(&description)
    };
    let (depths, order) = (storage("depths"), storage("order"));
    let numbers: Vec<u32> = (0..SPLATS).collect();
    queue.write_buffer(&order, 0, bytemuck::cast_slice(&numbers));
    let picture = picture(&device);

    let mut commands = gpu.commands("frame");
    write_depths(&device, commands.encoder(), &depths);
    if sorted {
        sort.encode(&mut commands, &depths, &order, Count::All)?;
    }
    draw(&device, commands.encoder(), &order, &picture);
    let read = copy_out(&device, commands.encoder(), &picture);
    commands.submit();

    read.map_async(wgpu::MapMode::Read, .., |_| {});
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let bytes = read.get_mapped_range(..)?;
    Ok(bytes.to_vec())
}

fn open() -> Result<(wgpu::Device, wgpu::Queue)> {
    let description = wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    };
    let instance = wgpu::Instance::new(description);
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    let adapter = adapters.into_iter().next().context("no Vulkan device was found")?;
    Ok(pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))?)
}

fn module(device: &wgpu::Device, source: &str) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(format!("{SPLAT}{source}").into()),
    })
}

fn group(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    buffer: &wgpu::Buffer,
) -> wgpu::BindGroup {
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout,
        entries: &[wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }],
    })
}

fn write_depths(device: &wgpu::Device, encoder: &mut wgpu::CommandEncoder, depths: &wgpu::Buffer) {
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("depths"),
        layout: None,
        module: &module(device, DEPTHS),
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let group = group(device, &pipeline.get_bind_group_layout(0), depths);
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(SPLATS.div_ceil(64), 1, 1);
}

fn picture(device: &wgpu::Device) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d { width: SIDE, height: SIDE, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

fn draw(
    device: &wgpu::Device,
    encoder: &mut wgpu::CommandEncoder,
    order: &wgpu::Buffer,
    picture: &wgpu::Texture,
) {
    let module = module(device, DRAW);
    let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("splats"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState {
            topology: wgpu::PrimitiveTopology::TriangleStrip,
            ..wgpu::PrimitiveState::default()
        },
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format: wgpu::TextureFormat::Rgba8Unorm,
                blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    });
    let group = group(device, &pipeline.get_bind_group_layout(0), order);
    let view = picture.create_view(&wgpu::TextureViewDescriptor::default());
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("splats"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                store: wgpu::StoreOp::Store,
            },
        })],
        ..wgpu::RenderPassDescriptor::default()
    });
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.draw(0..4, 0..SPLATS);
}

fn copy_out(
    device: &wgpu::Device,
    encoder: &mut wgpu::CommandEncoder,
    picture: &wgpu::Texture,
) -> wgpu::Buffer {
    let read = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read"),
        size: u64::from(4 * SIDE * SIDE),
        usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    encoder.copy_texture_to_buffer(
        picture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &read,
            // `bytes_per_row` is a multiple of 256, as wgpu requires for copies.
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(4 * SIDE),
                rows_per_image: None,
            },
        },
        picture.size(),
    );
    read
}
