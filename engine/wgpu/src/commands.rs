//! Commands of wgpu's and of operations, in the order in which they were encoded; and how wgpu is told what
//! operations use.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as Polling, Poll, Waker};

use multisplit::ash::vk;
use wgpu::hal::api::Vulkan;

use crate::device::Shared;
use crate::error::{Error, Result};

/// Commands of a program's and of operations, in the order in which they are encoded.
///
/// What is dropped without being submitted does nothing.
pub struct Commands {
    label: String,
    /// Takes commands of wgpu's, once one is wanted.
    open: Option<wgpu::CommandEncoder>,
    done: Vec<wgpu::CommandBuffer>,
    /// Last: what operations have lent to the commands goes before wgpu's device.
    shared: Arc<Shared>,
}

impl Commands {
    pub(crate) fn new(shared: &Arc<Shared>, label: &str) -> Self {
        let (open, done) = (None, Vec::new());
        Self { shared: shared.clone(), label: label.to_owned(), open, done }
    }

    /// Whether they are for the device of `shared`.
    pub(crate) fn are_for(&self, shared: &Shared) -> bool {
        self.shared.raw == shared.raw
    }

    /// Where commands of the program's own go. After an operation it is another encoder than before it, so
    /// ask for it again.
    pub fn encoder(&mut self) -> &mut wgpu::CommandEncoder {
        let (device, label) = (&self.shared.device, &self.label);
        self.open.get_or_insert_with(|| new_encoder(device, label))
    }

    /// Submits everything in one submission.
    pub fn submit(self) -> wgpu::SubmissionIndex {
        self.submit_between([], [])
    }

    /// Submits everything in one submission, after some command buffers of the program's and before
    /// others.
    pub fn submit_between(
        mut self,
        before: impl IntoIterator<Item = wgpu::CommandBuffer>,
        after: impl IntoIterator<Item = wgpu::CommandBuffer>,
    ) -> wgpu::SubmissionIndex {
        self.close();
        let own = std::mem::take(&mut self.done);
        // Together: what wgpu was told of the buffers, and the commands that use them.
        self.shared.queue.submit(before.into_iter().chain(own).chain(after))
    }

    fn close(&mut self) {
        self.done.extend(self.open.take().map(wgpu::CommandEncoder::finish));
    }

    /// Tells wgpu that these bytes of buffers are read and written next; then lets `record` write Vulkan's
    /// commands, which do so. `until_done` is dropped when they have run, or will never.
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
        // SAFETY: nothing is destroyed, and the command buffer is left recording.
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

/// A compute pass that binds buffers as storage and does nothing. wgpu does for it what it does for any
/// pass: barriers before it and after it, buffers that stay alive until the submission is done, and zeros
/// where nothing was ever written.
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

    /// The buffers together; an error where wgpu would not let a pass bind them.
    fn group(
        &self,
        device: &wgpu::Device,
        buffers: &[(&wgpu::Buffer, u64)],
    ) -> Result<wgpu::BindGroup> {
        let entries = (0..).zip(buffers.iter().copied()).map(|(binding, (buffer, bytes))| {
            // Bindings are of whole words, and of one at least.
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
        // Where wgpu runs on this machine, the answer is there at once.
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
