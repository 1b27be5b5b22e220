//! Common implementation of all operations. For each kind of count, an operation has a work description and a
//! pool of executables, so that each recording has its own scratch memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use multisplit::graph;
use multisplit::operations::Count as EngineCount;
use multisplit::{
    BufferAt, Executable, ExecutableOptions, Import, PassValue, RecordOptions, Work, WorkArray,
};
use wgpu::hal::api::Vulkan;

use crate::commands::Commands;
use crate::device::Shared;
use crate::error::{Error, Result};
use crate::touch::bound_bytes;

/// The number of elements that an operation processes. Buffers must always be large enough for the
/// operation's maximum.
#[derive(Clone, Copy, Debug)]
pub enum Count<'b> {
    /// The operation's maximum.
    All,
    /// A number from the host.
    Host(u32),
    /// A word of a buffer, read when the commands execute, so that an earlier pass can write it. Values above
    /// the operation's maximum are clamped to it.
    Buffer {
        /// A buffer with `BufferUsages::STORAGE`.
        buffer: &'b wgpu::Buffer,
        /// Index of the word.
        word: u32,
    },
}

/// The properties of a count that a plan depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    All,
    Host,
    Buffer { word: u32 },
}

impl From<Count<'_>> for Kind {
    fn from(count: Count<'_>) -> Self {
        match count {
            Count::All => Self::All,
            Count::Host(_) => Self::Host,
            Count::Buffer { word, .. } => Self::Buffer { word },
        }
    }
}

/// Name of a host count in the work description, which is the label of the pass that writes it.
const COUNT: &str = "count";

/// The buffers of an operation, in the order in which `encode` expects them.
pub(crate) type Declared = multisplit::Result<Vec<graph::Buffer>>;

/// Declares the passes of an operation.
type Declare = dyn Fn(&mut Work, EngineCount) -> Declared + Send + Sync;

/// An operation. Fields are dropped in this order: objects of the device before the device.
pub(crate) struct Operation {
    pools: Mutex<HashMap<Kind, Arc<Pool>>>,
    name: &'static str,
    max: u64,
    declare: Box<Declare>,
    shared: Arc<Shared>,
}

/// The work description for one kind of count, and its executables that are not in use.
struct Pool {
    free: Mutex<Vec<Executable>>,
    buffers: Vec<graph::Buffer>,
    work: Work,
}

/// An executable, with workspace and descriptors, reserved for one recording until it has finished.
///
/// wgpu owns this object until the submission has finished. The object contains objects of the engine, but none of
/// wgpu. This avoids a reference cycle, which would leak if the program exited without polling again. When the
/// queue is dropped, wgpu waits for its work, drops this object, and then drops the device.
struct Lent {
    executable: Option<Executable>,
    pool: Weak<Pool>,
}

impl Lent {
    /// Number of bytes that the executable accesses in a buffer.
    fn bytes(&self, buffer: graph::Buffer) -> u64 {
        let contract = self.executable.as_ref().and_then(|made| made.contract(buffer));
        contract.map_or(0, |contract| contract.bytes)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let (Some(pool), Some(executable)) = (self.pool.upgrade(), self.executable.take()) {
            pool.free.lock().unwrap_or_else(PoisonError::into_inner).push(executable);
        }
    }
}

impl Pool {
    /// Takes an unused executable, or creates one.
    fn lend(self: &Arc<Self>) -> Result<Lent> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let executable = match free {
            Some(executable) => executable,
            None => self.work.executable(ExecutableOptions::default())?,
        };
        Ok(Lent { executable: Some(executable), pool: Arc::downgrade(self) })
    }
}

impl Operation {
    /// Declares an operation on at most `max` elements. Unsupported parameters are reported here.
    pub fn new(
        shared: &Arc<Shared>,
        name: &'static str,
        max: u64,
        declare: impl Fn(&mut Work, EngineCount) -> Declared + Send + Sync + 'static,
    ) -> Result<Self> {
        let (pools, declare) = (Mutex::default(), Box::new(declare));
        let this = Self { pools, name, max, declare, shared: shared.clone() };
        // Creates the pipelines now instead of in a frame.
        let pool = this.pool(Kind::All)?;
        let lent = pool.lend()?;
        pool.buffers.iter().try_for_each(|&buffer| this.check_limit(lent.bytes(buffer)))?;
        drop(lent);
        Ok(this)
    }

    /// Creates a plan and an executable for this kind of count, unless an unused one exists.
    pub fn warm_up(&self, count: Count<'_>) -> Result<()> {
        self.pool(count.into())?.lend().map(drop)
    }

    /// Returns the number of executables that are not in use.
    pub fn idle(&self) -> usize {
        let pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        pools.values().map(|p| p.free.lock().unwrap_or_else(PoisonError::into_inner).len()).sum()
    }

    /// Checks that a pass of wgpu can bind this many bytes.
    fn check_limit(&self, bytes: u64) -> Result<()> {
        let (needed, limits) = (bound_bytes(bytes), self.shared.device.limits());
        let allowed = limits.max_storage_buffer_binding_size;
        if needed > allowed {
            let what = format!("the operation {} of at most {} elements", self.name, self.max);
            let limit = "max_storage_buffer_binding_size";
            return Err(Error::Limit { what, limit, needed, allowed });
        }
        Ok(())
    }

    fn pool(&self, kind: Kind) -> Result<Arc<Pool>> {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&kind) {
            return Ok(pool.clone());
        }
        let mut work = self.shared.context.work(self.name);
        let (count, counted) = self.count(&mut work, kind);
        let mut buffers = (self.declare)(&mut work, count)?;
        buffers.extend(counted);
        let pool = Arc::new(Pool { free: Mutex::default(), buffers, work });
        pools.insert(kind, pool.clone());
        Ok(pool)
    }

    /// The count and, for a device count, its buffer.
    fn count(&self, work: &mut Work, kind: Kind) -> (EngineCount, Option<graph::Buffer>) {
        let max = self.max;
        match kind {
            Kind::All => (EngineCount::Host(max), None),
            Kind::Host => (work.count(COUNT, max), None),
            Kind::Buffer { word } => {
                let index = u64::from(word);
                let words: WorkArray<u32> = work.import("count", index + 1);
                let buffer = words.buffer();
                (EngineCount::Device { buffer, index, max }, Some(buffer))
            }
        }
    }

    /// Encodes the operation on these buffers; the names are for error messages.
    pub fn encode(
        &self,
        commands: &mut Commands,
        given: &[(&'static str, &wgpu::Buffer)],
        count: Count<'_>,
    ) -> Result<()> {
        if !commands.are_for(&self.shared) {
            return Err(Error::OtherDevice { operation: self.name });
        }
        let mut given = given.to_vec();
        let mut value = None;
        match count {
            Count::All => {}
            Count::Host(count) if u64::from(count) > self.max => {
                return Err(Error::CountTooLarge { count: count.into(), max: self.max });
            }
            Count::Host(count) => value = Some(count.to_ne_bytes()),
            Count::Buffer { buffer, .. } => given.push(("count", buffer)),
        }
        let pool = self.pool(count.into())?;
        let lent = pool.lend()?;
        let mut used = Vec::with_capacity(given.len());
        for (&(name, buffer), &planned) in given.iter().zip(&pool.buffers) {
            let bytes = lent.bytes(planned);
            check(name, buffer, bytes)?;
            self.check_limit(bytes)?;
            used.push((buffer, bytes));
        }
        let imports = pool.buffers.iter().zip(&given).map(|(&planned, &(name, buffer))| {
            // SAFETY: the handle is used only while wgpu keeps the buffer alive, which `record` below
            // ensures.
            let raw = unsafe { buffer.as_hal::<Vulkan>().map(|buffer| buffer.raw_handle()) };
            raw.map(|raw| (planned, BufferAt::new(raw, 0))).ok_or(Error::BufferDestroyed { name })
        });
        let imports = imports.collect::<Result<Vec<Import>>>()?;
        // A plan for at most 0 elements does not contain the pass that writes the count.
        let value = value.as_ref().filter(|_| self.max > 0);
        let values = value.map(|bytes| PassValue { pass: COUNT, bytes });
        commands.record(self.name, &used, lent, |lent, raw| {
            let options = RecordOptions { values: values.as_slice(), ..RecordOptions::default() };
            let Some(executable) = &lent.executable else { return Ok(()) };
            // SAFETY: wgpu's command buffer is recording, outside a pass. A pass of the same submission binds
            // the buffers as storage, so wgpu has checked that they belong to its device, which is also the
            // executable's, keeps them alive, and synchronises: all accesses here are by compute shaders. The
            // executable is reserved for this recording until the commands have finished.
            unsafe { executable.record_with(raw, &imports, &options)? };
            Ok(())
        })
    }
}

fn check(name: &'static str, buffer: &wgpu::Buffer, needed: u64) -> Result<()> {
    let (usage, size) = (buffer.usage(), buffer.size());
    if !usage.contains(wgpu::BufferUsages::STORAGE) {
        return Err(Error::Usage { name, usage });
    }
    if size < needed {
        return Err(Error::BufferTooSmall { name, size, needed });
    }
    Ok(())
}
