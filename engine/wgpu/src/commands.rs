//! Recording of wgpu's commands and of operations in order, and declaration of their buffer accesses to wgpu.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as Polling, Poll, Waker};

use multisplit::ash::vk;
use wgpu::hal::api::Vulkan;

use crate::device::Shared;
use crate::error::{Error, Result};

/// Commands of a program and of operations, in encoding order.
///
/// Commands that are dropped without being submitted have no effect.
pub struct Commands {
    label: String,
    /// Receives wgpu commands; created on demand.
    open: Option<wgpu::CommandEncoder>,
    done: Vec<wgpu::CommandBuffer>,
    /// Declared last: resources that operations lend to the commands must be dropped before wgpu's device.
    shared: Arc<Shared>,
}

impl Commands {
    pub(crate) fn new(shared: &Arc<Shared>, label: &str) -> Self {
        let (open, done) = (None, Vec::new());
        Self { shared: shared.clone(), label: label.to_owned(), open, done }
    }

    /// Whether the commands are for the device of `shared`.
    pub(crate) fn are_for(&self, shared: &Shared) -> bool {
        self.shared.raw == shared.raw
    }

    /// The encoder for the program's own commands. Each operation replaces it, so call this again after
    /// encoding one.
    pub fn encoder(&mut self) -> &mut wgpu::CommandEncoder {
        let (device, label) = (&self.shared.device, &self.label);
        self.open.get_or_insert_with(|| new_encoder(device, label))
    }

    /// Submits everything in one submission.
    pub fn submit(self) -> wgpu::SubmissionIndex {
        self.submit_between([], [])
    }

    /// Submits everything in one submission, between other command buffers of the program.
    pub fn submit_between(
        mut self,
        before: impl IntoIterator<Item = wgpu::CommandBuffer>,
        after: impl IntoIterator<Item = wgpu::CommandBuffer>,
    ) -> wgpu::SubmissionIndex {
        self.close();
        let own = std::mem::take(&mut self.done);
        // One submission contains both the pass that declares the buffer accesses and the commands that use
        // the buffers.
        self.shared.queue.submit(before.into_iter().chain(own).chain(after))
    }

    fn close(&mut self) {
        self.done.extend(self.open.take().map(wgpu::CommandEncoder::finish));
    }

    /// Declares to wgpu that these bytes of the buffers are read and written, then lets `record` add Vulkan
    /// commands that access them. `until_done` is dropped when the commands have finished or can no longer
    /// run.
    pub(crate) fn record<G: Send + 'static>(
        &mut self,
        label: &str,
        buffers: &[(&wgpu::Buffer, u64)],
        until_done: G,
        record: impl FnOnce(&G, vk::CommandBuffer) -> Result<()>,
    ) -> Result<()> {
        let touch = self.shared.touch(buffers.len());
        let group = touch.group(&self.shared.device, buffers)?;
        touch.encode(self.encoder(), &group);
        self.close();
        let mut encoder = new_encoder(&self.shared.device, label);
        // SAFETY: nothing is destroyed, and the command buffer stays in the recording state.
        let recorded = unsafe {
            encoder.as_hal_mut::<Vulkan, _, _>(|encoder| {
                let Some(encoder) = encoder else {
                    let backend = self.shared.device.adapter_info().backend;
                    return Err(Error::NotVulkan { backend });
                };
                record(&until_done, encoder.raw_handle())
            })
        };
        recorded?;
        encoder.on_submitted_work_done(move || drop(until_done));
        self.done.push(encoder.finish());
        Ok(())
    }
}

fn new_encoder(device: &wgpu::Device, label: &str) -> wgpu::CommandEncoder {
    device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some(label) })
}

/// An empty compute pass that binds buffers as storage. wgpu treats it like any pass: it records barriers
/// before and after, keeps the buffers alive until the submission is done, and clears uninitialised memory.
pub(crate) struct Touch {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
}

impl Touch {
    pub fn new(device: &wgpu::Device, buffers: usize) -> Self {
        let label = Some("multisplit.touch");
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
        let description = wgpu::BindGroupLayoutDescriptor { label, entries: &entries };
        let layout = device.create_bind_group_layout(&description);
        let source = "@compute @workgroup_size(1) fn main() {}";
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&layout)],
            ..wgpu::PipelineLayoutDescriptor::default()
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { layout, pipeline }
    }

    /// Binds the buffers; fails if wgpu does not allow a pass to bind them.
    fn group(
        &self,
        device: &wgpu::Device,
        buffers: &[(&wgpu::Buffer, u64)],
    ) -> Result<wgpu::BindGroup> {
        let entries = (0..).zip(buffers.iter().copied()).map(|(binding, (buffer, bytes))| {
            // Bindings consist of whole words, at least one.
            let size = wgpu::BufferSize::new(bytes.max(4).next_multiple_of(4));
            let binding_of = wgpu::BufferBinding { buffer, offset: 0, size };
            wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::Buffer(binding_of) }
        });
        let entries: Vec<_> = entries.collect();
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("multisplit.touch"),
            layout: &self.layout,
            entries: &entries,
        });
        // On native platforms the result is available immediately.
        let mut answer = pin!(scope.pop());
        match answer.as_mut().poll(&mut Polling::from_waker(Waker::noop())) {
            Poll::Ready(None) => Ok(group),
            Poll::Ready(Some(error)) => Err(Error::Wgpu(error)),
            Poll::Pending => {
                let backend = device.adapter_info().backend;
                Err(Error::NotVulkan { backend })
            }
        }
    }

    fn encode(&self, encoder: &mut wgpu::CommandEncoder, group: &wgpu::BindGroup) {
        let label = Some("multisplit.touch");
        let description = wgpu::ComputePassDescriptor { label, timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&description);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.dispatch_workgroups(0, 0, 0);
    }
}
