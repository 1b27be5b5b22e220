//! Records wgpu commands and multisplit operations, in the order in which the program encodes them.

use std::sync::Arc;

use multisplit::ash::vk;
use wgpu::hal::api::Vulkan;

use crate::device::{Multisplit, Shared};
use crate::error::{Error, Result};
use crate::touch::max_buffers;

/// A list of wgpu commands of the program and of multisplit operations, in encoding order.
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

impl Multisplit {
    /// Creates an empty list of commands of the program and of operations, which are submitted together.
    pub fn commands(&self, label: &str) -> Commands {
        let (label, shared) = (label.to_owned(), self.shared.clone());
        Commands { label, open: None, done: Vec::new(), shared }
    }
}

impl Commands {
    /// Whether the commands are for the device of `shared`.
    pub(crate) fn are_for(&self, shared: &Shared) -> bool {
        self.shared.raw == shared.raw
    }

    /// The encoder for the program's own commands. Encoding an operation ends this encoder, so call this
    /// method again afterwards.
    pub fn encoder(&mut self) -> &mut wgpu::CommandEncoder {
        let (device, label) = (&self.shared.device, &self.label);
        self.open.get_or_insert_with(|| new_encoder(device, label))
    }

    /// Submits everything in one submission. As for [`wgpu::Queue::submit`], wgpu reports errors, such as buffers that
    /// were destroyed in the meantime, to the device's error handler.
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
        // If one pass cannot bind all buffers, several passes declare them.
        let shared = self.shared.clone();
        let parts = buffers.chunks(max_buffers(&shared.device).max(1)).map(|part| {
            let touch = shared.touch(part.len())?;
            let group = touch.group(&shared.device, part)?;
            Ok((touch, group))
        });
        for (touch, group) in parts.collect::<Result<Vec<_>>>()? {
            touch.encode(self.encoder(), &group);
        }
        self.close();
        let mut encoder = new_encoder(&self.shared.device, label);
        // SAFETY: nothing is destroyed, and the command buffer stays in the recording state.
        let recorded = unsafe {
            encoder.as_hal_mut::<Vulkan, _, _>(|encoder| {
                // wgpu refuses access to encoders of a lost device.
                record(&until_done, encoder.ok_or(Error::DeviceLost)?.raw_handle())
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
