//! Recorded work that is submitted repeatedly. Several submissions can be in flight, and some
//! values can change between submissions.

use std::sync::Arc;

use ash::vk;
use bytemuck::NoUninit;
use multisplit_graph::Plan;

use super::GivenArray;
use crate::device::{Commands, Context};
use crate::error::{Error, Result};
use crate::execute::{BufferAt, Executable, PassValue, Sets, Timing, imports};
use crate::memory::{Buffer, Location};

/// Recorded work. Each submission calls `vkQueueSubmit` once and does not allocate memory. Exceptions are the first
/// submissions after [`set`](Self::set), which record the work again.
///
/// Submissions are ordered: each observes the writes of earlier submissions and of earlier calls of
/// the context.
pub struct Frame {
    /// Must be the first field. Dropping the recordings waits for their submissions, before the
    /// objects that these use are dropped.
    recordings: Vec<Recording>,
    /// Index of the recording that the next submission uses.
    next: usize,
    /// Values that the caller has set, by pass label.
    values: Vec<(String, Vec<u8>)>,
    /// Incremented when a value is set.
    version: u64,
    executable: Arc<Executable>,
    arrays: Vec<GivenArray>,
}

/// A recording with its own resources, so that it can be in flight together with the others.
struct Recording {
    commands: Commands,
    _sets: Option<Sets>,
    workspace: Option<Buffer>,
    /// Version of the values that were recorded.
    version: u64,
}

impl Frame {
    pub(super) fn new(
        context: &Context,
        executable: Executable,
        arrays: Vec<GivenArray>,
        submissions: usize,
    ) -> Result<Self> {
        // Checks that the buffers belong to this device and are large enough, as recording requires.
        let given: Vec<_> = arrays.iter().map(GivenArray::bound).collect();
        imports(&context.device, &given)?;
        let (executable, recordings, values) = (Arc::new(executable), Vec::new(), Vec::new());
        let size = executable.plan().workspace().size;
        let mut frame = Self { recordings, next: 0, values, version: 0, executable, arrays };
        for number in 0..submissions.max(1) {
            let name = format!("{}.workspace.{number}", frame.plan().name());
            let workspace = match size {
                0 => None,
                _ => Some(Buffer::new(&context.device, &name, size, Location::Device)?),
            };
            let commands = Commands::new(&context.device)?;
            let mut recording = Recording { commands, _sets: None, workspace, version: 0 };
            frame.record(&mut recording)?;
            frame.recordings.push(recording);
        }
        Ok(frame)
    }

    /// The recorded plan.
    pub fn plan(&self) -> &Plan {
        self.executable.plan()
    }

    /// Sets the push constants of your pass with this label, or the count that was declared with
    /// this name. Takes effect with the next submission. The push constants of operations cannot be
    /// set.
    pub fn set<T: NoUninit>(&mut self, name: &str, value: &T) -> Result<()> {
        let bytes = bytemuck::bytes_of(value);
        self.executable.check_value_of_user(PassValue { pass: name, bytes })?;
        match self.values.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = bytes.to_vec(),
            None => self.values.push((name.to_owned(), bytes.to_vec())),
        }
        self.version += 1;
        Ok(())
    }

    /// Submits the work without waiting for it. If the maximum number of submissions is in flight,
    /// first waits for the oldest one. Downloads of the arrays wait for the work and report the
    /// same errors as [`wait`](Self::wait). If an earlier run found that the device does not keep
    /// lane order, returns [`Error::LaneOrder`] without submitting.
    pub fn submit(&mut self) -> Result<()> {
        let at = self.next;
        let count = self.recordings.len();
        let Some(mut recording) = (at < count).then(|| self.recordings.remove(at)) else {
            return Err(Error::NoSuchFrame { frame: at, frames: count });
        };
        let submitted = self.submit_recording(&mut recording);
        self.recordings.insert(at, recording);
        self.next = (at + 1) % count;
        submitted
    }

    fn submit_recording(&self, recording: &mut Recording) -> Result<()> {
        recording.commands.wait()?;
        self.executable.check_lane_order()?;
        if recording.version != self.version {
            self.record(recording)?;
        }
        let buffers = self.arrays.iter().map(|array| &array.buffer);
        self.executable.submit_unverified(&buffers, || recording.commands.submit(1))
    }

    /// Waits until all submissions are complete. Returns [`Error::LaneOrder`] if a result may be in
    /// the wrong order; the work must then be declared again.
    pub fn wait(&mut self) -> Result<()> {
        self.recordings.iter_mut().try_for_each(|recording| recording.commands.wait())?;
        self.executable.verify(self.arrays.iter().map(|array| &array.buffer))
    }

    /// Records the work with the current values. The recording must not be in flight.
    fn record(&self, recording: &mut Recording) -> Result<()> {
        let at = |buffer: &Buffer, offset| BufferAt::new(buffer.raw(), offset);
        let given = |array: &GivenArray| (array.import, at(&array.buffer, array.offset));
        let imports: Vec<_> = self.arrays.iter().map(given).collect();
        let workspace = recording.workspace.as_ref().map(|buffer| at(buffer, 0));
        let prepared = self.executable.prepare(&imports, workspace)?;
        let values: Vec<_> =
            self.values.iter().map(|(pass, bytes)| PassValue { pass, bytes }).collect();
        recording.commands.reset()?;
        recording.commands.record(vk::CommandBufferUsageFlags::empty(), |raw| {
            // SAFETY: the command buffer is recording; sizes were checked, and the frame keeps all
            // referenced objects alive.
            unsafe { prepared.record(raw, Timing::None, &values) };
            Ok(())
        })?;
        recording._sets = prepared.into_sets();
        recording.version = self.version;
        Ok(())
    }
}
