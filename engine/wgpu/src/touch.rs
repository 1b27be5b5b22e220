//! An empty pass that declares the buffer accesses of an operation to wgpu.

use std::future::Future;
use std::pin::pin;
use std::task::{Context as Polling, Poll, Waker};

use crate::error::{Error, Result};

const LABEL: Option<&str> = Some("multisplit.touch");

/// An empty compute pass that binds buffers as storage. wgpu treats it like any pass: it records barriers
/// before and after, keeps the buffers alive until the submission is done, and clears uninitialised memory.
pub(crate) struct Touch {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
}

impl Touch {
    /// Creates the pass for `buffers` buffers, which the limits of the device must allow.
    pub fn new(device: &wgpu::Device, buffers: usize) -> Result<Self> {
        let entry = |binding| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only: false },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let entries: Vec<_> = (0..buffers as u32).map(entry).collect();
        checked(device, || {
            let description = wgpu::BindGroupLayoutDescriptor { label: LABEL, entries: &entries };
            let layout = device.create_bind_group_layout(&description);
            let source = "@compute @workgroup_size(1) fn main() {}";
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: LABEL,
                source: wgpu::ShaderSource::Wgsl(source.into()),
            });
            let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: LABEL,
                bind_group_layouts: &[Some(&layout)],
                ..wgpu::PipelineLayoutDescriptor::default()
            });
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: LABEL,
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: None,
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            });
            Self { layout, pipeline }
        })
    }

    /// Creates a bind group of the buffers. Fails if wgpu does not allow a pass to bind them.
    pub fn group(
        &self,
        device: &wgpu::Device,
        buffers: &[(&wgpu::Buffer, u64)],
    ) -> Result<wgpu::BindGroup> {
        let entries = (0..).zip(buffers.iter().copied()).map(|(binding, (buffer, bytes))| {
            let size = wgpu::BufferSize::new(bound_bytes(bytes));
            let binding_of = wgpu::BufferBinding { buffer, offset: 0, size };
            wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::Buffer(binding_of) }
        });
        let entries: Vec<_> = entries.collect();
        let description =
            wgpu::BindGroupDescriptor { label: LABEL, layout: &self.layout, entries: &entries };
        checked(device, || device.create_bind_group(&description))
    }

    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, group: &wgpu::BindGroup) {
        let description = wgpu::ComputePassDescriptor { label: LABEL, timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&description);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.dispatch_workgroups(0, 0, 0);
    }
}

/// Size of a binding for `bytes` bytes: whole words, at least one.
pub(crate) fn bound_bytes(bytes: u64) -> u64 {
    bytes.max(4).next_multiple_of(4)
}

/// Maximum number of buffers that one pass can bind.
pub(crate) fn max_buffers(device: &wgpu::Device) -> usize {
    let limits = device.limits();
    limits.max_storage_buffers_per_shader_stage.min(limits.max_bindings_per_bind_group) as usize
}

/// Runs `make` in an error scope of wgpu. Returns the error that wgpu reports, if any; without the scope,
/// wgpu would panic by default.
fn checked<T>(device: &wgpu::Device, make: impl FnOnce() -> T) -> Result<T> {
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let made = make();
    // On native platforms the result is available immediately.
    let mut answer = pin!(scope.pop());
    match answer.as_mut().poll(&mut Polling::from_waker(Waker::noop())) {
        Poll::Ready(None) => Ok(made),
        Poll::Ready(Some(error)) => Err(Error::Wgpu(error)),
        Poll::Pending => Err(Error::DeviceLost),
    }
}
