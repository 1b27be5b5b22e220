//! Recorded work that is submitted any number of times, with several submissions in flight and
//! values that may change between them.

use std::sync::Arc;

use ash::vk;
use bytemuck::NoUninit;
use multisplit_graph::Plan;

use super::GivenArray;
use crate::device::commands::Commands;
use crate::device::context::Context;
use crate::error::{Error, Result};
use crate::execute::descriptors::Sets;
use crate::execute::executable::Executable;
use crate::execute::import::{BufferAt, imports};
use crate::execute::profiler::Timing;
use crate::execute::recorder::PassValue;
use crate::memory::{Buffer, Location};

/// Recorded work. Submitting it again costs one `vkQueueSubmit`, and allocates nothing.
///
/// Submissions are ordered by the library: each sees what earlier ones, and earlier calls of the
/// context, have written.
pub struct Frame {
    /// Dropped first, and so waited for before anything that they refer to goes.
    turns: Vec<Turn>,
    next: usize,
    /// What was set, by the label of the pass.
    values: Vec<(String, Vec<u8>)>,
    /// Counts up when a value is set.
    version: u64,
    executable: Arc<Executable>,
    arrays: Vec<GivenArray>,
}

/// One of the submissions in flight.
struct Turn {
    commands: Commands,
    _sets: Option<Sets>,
    workspace: Option<Buffer>,
    /// The version of the values that it was recorded with.
    version: u64,
}

impl Frame {
    pub(super) fn new(
        context: &Context,
        executable: Executable,
        arrays: Vec<GivenArray>,
        submissions: usize,
    ) -> Result<Self> {
        // Buffers of this very device that are large enough, as recordings rely on.
        let given: Vec<_> = arrays.iter().map(GivenArray::bound).collect();
        imports(&context.device, &given)?;
        let executable = Arc::new(executable);
        let size = executable.plan().workspace().size;
        let mut frame =
            Self { turns: Vec::new(), next: 0, values: Vec::new(), version: 0, executable, arrays };
        for number in 0..submissions.max(1) {
            let name = format!("{}.workspace.{number}", frame.plan().name());
            let workspace = match size {
                0 => None,
                _ => Some(Buffer::new(&context.device, &name, size, Location::Device)?),
            };
            let mut turn = Turn {
                commands: Commands::new(&context.device)?,
                _sets: None,
                workspace,
                version: 0,
            };
            frame.record(&mut turn)?;
            frame.turns.push(turn);
        }
        Ok(frame)
    }

    /// The plan that was recorded.
    pub fn plan(&self) -> &Plan {
        self.executable.plan()
    }

    /// Sets the push constants of the pass with this label, or a count that was declared under this
    /// name, from the next submission on.
    pub fn set<T: NoUninit>(&mut self, name: &str, value: &T) -> Result<()> {
        let bytes = bytemuck::bytes_of(value);
        self.executable.check_values(&[PassValue { pass: name, bytes }])?;
        match self.values.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = bytes.to_vec(),
            None => self.values.push((name.to_owned(), bytes.to_vec())),
        }
        self.version += 1;
        Ok(())
    }

    /// Submits the work, and returns without waiting for it. A download of its arrays waits, and reports
    /// what [`wait`](Self::wait) would. Where as many submissions are in flight
    /// as there may be, it first waits for the oldest. Nothing is submitted once a run is known to have
    /// found that the device does not keep lane order ([`Error::LaneOrder`]).
    pub fn submit(&mut self) -> Result<()> {
        let at = self.next;
        let count = self.turns.len();
        let Some(mut turn) = (at < count).then(|| self.turns.remove(at)) else {
            return Err(Error::NoSuchFrame { frame: at, frames: count });
        };
        let submitted = self.submit_turn(&mut turn);
        self.turns.insert(at, turn);
        self.next = (at + 1) % count;
        submitted
    }

    fn submit_turn(&self, turn: &mut Turn) -> Result<()> {
        turn.commands.wait()?;
        self.executable.check_lane_order()?;
        if turn.version != self.version {
            self.record(turn)?;
        }
        let buffers = self.arrays.iter().map(|array| &array.buffer);
        self.executable.submit_unverified(&buffers, || turn.commands.submit(1))
    }

    /// Waits until everything that was submitted is done. An [`Error::LaneOrder`] where a submission
    /// may have given a wrong order: the work is then to be declared again.
    pub fn wait(&mut self) -> Result<()> {
        self.turns.iter_mut().try_for_each(|turn| turn.commands.wait())?;
        self.executable.verify(self.arrays.iter().map(|array| &array.buffer))
    }

    /// Records the work with the values of now. Nothing of the turn is in flight.
    fn record(&self, turn: &mut Turn) -> Result<()> {
        let at = |buffer: &Buffer, offset| BufferAt::new(buffer.raw(), offset);
        let given = |array: &GivenArray| (array.import, at(&array.buffer, array.offset));
        let imports: Vec<_> = self.arrays.iter().map(given).collect();
        let workspace = turn.workspace.as_ref().map(|buffer| at(buffer, 0));
        let prepared = self.executable.prepare(&imports, workspace)?;
        let values: Vec<_> =
            self.values.iter().map(|(pass, bytes)| PassValue { pass, bytes }).collect();
        turn.commands.reset()?;
        turn.commands.record(vk::CommandBufferUsageFlags::empty(), |raw| {
            // SAFETY: recording; sizes were checked, and the frame holds what it refers to.
            unsafe { prepared.record_with(raw, Timing::None, &values) };
            Ok(())
        })?;
        turn._sets = prepared.into_sets();
        turn.version = self.version;
        Ok(())
    }
}
