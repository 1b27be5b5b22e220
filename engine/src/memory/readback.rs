//! Arrays in host memory that passes write and the host reads directly, without a transfer.

use std::fmt;
use std::marker::PhantomData;

use bytemuck::Pod;

use super::budget::out_of_memory;
use super::buffer::{Buffer, Location};
use crate::device::Context;
use crate::error::Result;

/// A small array of `T` in memory that is mapped for the host. A plan that runs repeatedly can write results to it that
/// the host reads after each run, such as whether an algorithm has converged. The plan declares the array as an import
/// whose exit scope is [`Scope::HOST_READ`](multisplit_graph::Scope::HOST_READ).
///
/// ```
/// use std::sync::Arc;
/// use multisplit::graph::{Graph, Scope};
/// use multisplit::{Bound, Context, Readback};
///
/// let gpu = Context::new()?;
/// let (source, report) = (gpu.upload(&[1u32, 2, 3])?, Readback::<u32>::new(&gpu, "report", 3)?);
/// let mut graph = Graph::new("copy");
/// let (from, to) = (graph.import::<u32>("from", 3), graph.import::<u32>("to", 3));
/// graph.copy("copy", from, to);
/// graph.exit(to, Scope::HOST_READ);
/// graph.replayable();
/// let executable = Arc::new(gpu.instantiate(graph.compile(&gpu.limits())?)?);
/// let arrays = [Bound::from((from, &source)), Bound::from((to, &report))];
/// let mut replay = gpu.replay(executable, &arrays)?;
/// replay.submit(1)?;
/// replay.wait()?;
/// assert_eq!(report.read(), [1, 2, 3]);
/// # Ok::<(), multisplit::Error>(())
/// ```
pub struct Readback<T> {
    buffer: Buffer,
    len: usize,
    elements: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for Readback<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Readback<{}>({})", std::any::type_name::<T>(), self.len)
    }
}

impl<T: Pod> Readback<T> {
    /// Creates an array of `len` elements, at least one. The name appears in errors and debuggers.
    pub fn new(context: &Context, name: &str, len: u64) -> Result<Self> {
        let size = len.saturating_mul(size_of::<T>() as u64);
        let buffer = Buffer::new(&context.device, name, size, Location::Readback)?;
        if buffer.mapped().is_none() {
            let reason = "the driver did not map memory for host reads";
            return Err(out_of_memory(name, size, &reason));
        }
        Ok(Self { buffer, len: len as usize, elements: PhantomData })
    }

    /// Returns the current elements. They include the writes of all runs that the host has waited for. While a run is
    /// in flight, elements that it writes may have any value.
    pub fn read(&self) -> Vec<T> {
        let Some(mapped) = self.buffer.mapped().map(|at| at.cast::<u8>()) else {
            return Vec::new();
        };
        let mut elements = vec![T::zeroed(); self.len];
        for (at, byte) in bytemuck::cast_slice_mut::<T, u8>(&mut elements).iter_mut().enumerate() {
            // SAFETY: the buffer is mapped for its whole lifetime, and has at least as many bytes as the elements. The
            // device may write them meanwhile, so the read is volatile.
            *byte = unsafe { mapped.add(at).read_volatile() };
        }
        elements
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }
}
