//! Transfers between arrays and the host. Each transfer is divided into chunks, which one or more threads pass through
//! staging memory. While the device copies some chunks, the host fills or drains others.

use std::collections::VecDeque;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use ash::vk;
use bytemuck::Pod;

use super::array::{AnyArray, AnyOutput, Array, Input, zeroed};
use super::buffer::Buffer;
use super::staging::{CallbackGuard, Direction, Slot, Staging};
use super::status::check_order;
use crate::device::{Context, Device, RecordingId};
use crate::error::{Error, Result};
use crate::lock::lock;

/// Maximum number of threads per transfer. More threads would not be faster, because the bus bandwidth is the limit.
const MAX_THREADS: usize = 8;
/// Number of slots per thread: one is filled while the other is copied.
const SLOTS_PER_THREAD: usize = 2;
/// Minimum number of chunks per thread; with fewer, starting a thread costs more than it saves.
const CHUNKS_PER_THREAD: u64 = 2;

impl Context {
    /// Creates an array in device memory with the contents of `data`.
    pub fn upload<T: Pod>(&self, data: &[T]) -> Result<Array<T>> {
        Input::host(data).on_device(self, "array").map(Array::of)
    }

    /// Creates an array of `len` elements that `fill` writes in chunks. `fill` receives the index of the first element
    /// and the chunk to write. Several threads call it concurrently and in any order, for example to read a file
    /// directly into staging memory.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// let squares = gpu.upload_with(1_000, |first, chunk: &mut [u64]| {
    ///     for (i, square) in (first..).zip(chunk) {
    ///         *square = i * i;
    ///     }
    ///     Ok::<(), multisplit::Error>(())
    /// })?;
    /// assert_eq!(gpu.download(&squares)?[30], 900);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn upload_with<T: Pod, E: From<Error> + Send>(
        &self,
        len: u64,
        fill: impl Fn(u64, &mut [T]) -> Result<(), E> + Sync,
    ) -> Result<Array<T>, E> {
        let array = Array::uninit(self, "array", len)?;
        let each = size_of::<T>() as u64;
        let transfer = Transfer::new(self, array.buffer(), 0, len * each, each)?;
        let failure = Failure::default();
        let outcome = transfer
            .upload(&|at, chunk| failure.keep(fill(at / each, bytemuck::cast_slice_mut(chunk))));
        failure.or(outcome)?;
        Ok(array)
    }

    /// Copies `data` into `array`, starting at element `first`, and waits. Other elements are unchanged.
    pub fn write<T: Pod>(&self, array: &Array<T>, first: u64, data: &[T]) -> Result<()> {
        check_elements(array.len(), first, data.len() as u64)?;
        let offset = first * size_of::<T>() as u64;
        self.write_bytes(array.buffer(), offset, bytemuck::cast_slice(data))
    }

    pub(super) fn write_bytes(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<()> {
        let transfer = Transfer::new(self, buffer, offset, bytes.len() as u64, 1)?;
        let outcome = transfer.upload(&|at, chunk| {
            chunk.copy_from_slice(&bytes[at as usize..][..chunk.len()]);
            Ok(())
        });
        Failure::default().or(outcome)
    }

    /// Returns the elements of `array`.
    pub fn download<T: Pod>(&self, array: &Array<T>) -> Result<Vec<T>> {
        self.download_range(array, 0..array.len())
    }

    /// Returns a range of the elements of `array`.
    pub fn download_range<T: Pod>(&self, array: &Array<T>, range: Range<u64>) -> Result<Vec<T>> {
        let len = range.end.saturating_sub(range.start);
        check_elements(array.len(), range.start, len)?;
        let mut data = zeroed(array.buffer().name(), len)?;
        let offset = range.start * size_of::<T>() as u64;
        self.read_bytes(array.buffer(), offset, bytemuck::cast_slice_mut(&mut data))?;
        Ok(data)
    }

    /// Copies the elements of `array` into `data`, which must have the same length.
    pub fn download_into<T: Pod>(&self, array: &Array<T>, data: &mut [T]) -> Result<()> {
        check_lengths("data", data.len() as u64, "array", array.len())?;
        self.read_bytes(array.buffer(), 0, bytemuck::cast_slice_mut(data))
    }

    /// Returns a range of the elements of `array` as bytes.
    pub(crate) fn read_range(&self, array: &AnyArray, range: Range<u64>) -> Result<Vec<u8>> {
        let (each, len) = (array.element_bytes(), range.end.saturating_sub(range.start));
        check_elements(array.len(), range.start, len)?;
        let mut bytes = zeroed(array.buffer().name(), len * each)?;
        self.read_bytes(array.buffer(), range.start * each, &mut bytes)?;
        Ok(bytes)
    }

    /// Appends the elements of `array` to the elements of `output` on the host. If this fails, `output` does not
    /// change.
    pub(crate) fn append(&self, array: &AnyArray, output: &mut dyn AnyOutput) -> Result<()> {
        let begin = output.bytes().len();
        output.grow(array.buffer().name(), array.len() * array.element_bytes())?;
        let read = self.read_bytes(array.buffer(), 0, &mut output.bytes()[begin..]);
        read.inspect_err(|_| output.truncate(begin))
    }

    /// Passes a range of `array` to `drain` in chunks. `drain` receives the index of the first element and the chunk.
    /// Several threads call it concurrently and in any order, for example to write a file directly from staging memory.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// let (array, sum) = (gpu.upload(&[1u64, 2, 3])?, AtomicU64::new(0));
    /// gpu.download_with(&array, 0..3, |_, chunk| {
    ///     sum.fetch_add(chunk.iter().sum(), Ordering::Relaxed);
    ///     Ok::<(), multisplit::Error>(())
    /// })?;
    /// assert_eq!(sum.into_inner(), 6);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn download_with<T: Pod, E: From<Error> + Send>(
        &self,
        array: &Array<T>,
        range: Range<u64>,
        drain: impl Fn(u64, &[T]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let len = range.end.saturating_sub(range.start);
        check_elements(array.len(), range.start, len)?;
        let each = size_of::<T>() as u64;
        let transfer = Transfer::new(self, array.buffer(), range.start * each, len * each, each)?;
        let failure = Failure::default();
        let outcome = transfer.download(&|at, chunk| {
            failure.keep(drain(range.start + at / each, bytemuck::cast_slice(chunk)))
        });
        failure.or(outcome)
    }

    pub(crate) fn read_bytes(&self, buffer: &Buffer, offset: u64, bytes: &mut [u8]) -> Result<()> {
        let transfer = Transfer::new(self, buffer, offset, bytes.len() as u64, 1)?;
        // Each chunk of `bytes` is locked by the one thread that copies it, so the locks never block.
        let parts: Vec<_> = bytes.chunks_mut(transfer.chunk as usize).map(Mutex::new).collect();
        let outcome = transfer.download(&|at, chunk| {
            let part = &parts[(at / transfer.chunk) as usize];
            lock(part).copy_from_slice(chunk);
            Ok(())
        });
        Failure::default().or(outcome)
    }
}

/// Outcome of a transfer. `Err(None)` means that a callback failed; its error is stored in a [`Failure`].
type Outcome = Result<(), Option<Error>>;

/// The first error of the callbacks of a transfer.
struct Failure<E>(Mutex<Option<E>>);

impl<E> Default for Failure<E> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<E: From<Error>> Failure<E> {
    fn keep(&self, outcome: Result<(), E>) -> Outcome {
        outcome.map_err(|error| {
            lock(&self.0).get_or_insert(error);
            None
        })
    }

    /// Returns the error of a callback, if there is one, or otherwise the outcome of the transfer.
    fn or(self, outcome: Outcome) -> Result<(), E> {
        let failure = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        match (failure, outcome) {
            (Some(error), _) => Err(error),
            (None, Err(Some(error))) => Err(error.into()),
            (None, _) => Ok(()),
        }
    }
}

/// A transfer between the host and a range of a buffer.
struct Transfer<'t> {
    device: &'t Arc<Device>,
    buffer: &'t Buffer,
    offset: u64,
    size: u64,
    staging: Arc<Staging>,
    /// Chunk size in bytes.
    chunk: u64,
}

/// State shared by the threads of a transfer.
struct Chunks<'t> {
    transfer: &'t Transfer<'t>,
    /// All submissions of a transfer use the same recording id, so that no barriers are inserted between them. None are
    /// needed, because chunks do not overlap.
    recording: RecordingId,
    /// Number of bytes that threads have claimed so far.
    claimed: AtomicU64,
    /// Set when a thread fails, so that the others stop.
    failed: AtomicBool,
}

impl<'t> Transfer<'t> {
    /// Creates a transfer whose chunks contain whole elements of `each` bytes.
    fn new(
        context: &'t Context,
        buffer: &'t Buffer,
        offset: u64,
        size: u64,
        each: u64,
    ) -> Result<Self> {
        let device = &context.device;
        buffer.check_device(device)?;
        buffer.check_range(offset, size)?;
        let staging = Staging::of(device)?;
        let slot = staging.slot_bytes(size);
        let chunk = slot / each.max(1) * each.max(1);
        if chunk == 0 {
            let what = "element size in bytes";
            return Err(Error::TooLarge { what, asked: each, limit: slot });
        }
        Ok(Self { device, buffer, offset, size, staging, chunk })
    }

    fn upload(&self, fill: &(dyn Fn(u64, &mut [u8]) -> Outcome + Sync)) -> Outcome {
        let (buffer, bytes) = (self.buffer.name(), self.size);
        let _span = tracing::debug_span!("upload", buffer, bytes).entered();
        self.on_threads(&|chunks, slots| chunks.fill(slots, fill))
    }

    fn download(&self, drain: &(dyn Fn(u64, &[u8]) -> Outcome + Sync)) -> Outcome {
        let (buffer, bytes) = (self.buffer.name(), self.size);
        let _span = tracing::debug_span!("download", buffer, bytes).entered();
        let unverified = self.buffer.take_unverified();
        self.on_threads(&|chunks, slots| chunks.drain(slots, drain))?;
        // The copies and all work submitted before them have completed.
        Ok(check_order(self.device, unverified)?)
    }

    /// Runs `body` on the calling thread, and also on other threads if the transfer is large enough. Each thread has
    /// its own slots.
    fn on_threads(&self, body: &(dyn Fn(&Chunks<'_>, &mut [Slot]) -> Outcome + Sync)) -> Outcome {
        if self.size == 0 {
            return Ok(());
        }
        let chunks = self.size.div_ceil(self.chunk);
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.min(MAX_THREADS).min((chunks / CHUNKS_PER_THREAD).max(1) as usize);
        let slots = (threads * SLOTS_PER_THREAD).min(chunks as usize);
        let mut taken = self.staging.take(self.device, self.size, slots)?;
        let shared = Chunks {
            transfer: self,
            recording: RecordingId::new(),
            claimed: AtomicU64::new(0),
            failed: AtomicBool::new(false),
        };
        let run = |slots: &mut [Slot]| {
            let _in_callbacks = CallbackGuard::begin();
            body(&shared, slots).inspect_err(|_| shared.failed.store(true, Ordering::Relaxed))
        };
        let slots_each = taken.slots.len().div_ceil(threads);
        thread::scope(|scope| {
            let mut parts = taken.slots.chunks_mut(slots_each);
            // The calling thread uses the first slots itself.
            let own = parts.next().unwrap_or_default();
            let (run, mut handles) = (&run, Vec::new());
            for part in parts {
                // If a thread cannot be started, the other threads process its chunks.
                handles.extend(thread::Builder::new().spawn_scoped(scope, move || run(part)));
            }
            let mut outcome = run(own);
            for handle in handles {
                outcome = outcome.and(handle.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            outcome
        })
    }
}

impl Chunks<'_> {
    /// Claims the next chunk. `None` if all chunks are claimed or a thread has failed.
    fn next(&self) -> Option<Range<u64>> {
        let Transfer { size, chunk, .. } = *self.transfer;
        if self.failed.load(Ordering::Relaxed) {
            return None;
        }
        let begin = self.claimed.fetch_add(chunk, Ordering::Relaxed);
        (begin < size).then(|| begin..size.min(begin + chunk))
    }

    /// The buffer, and the range of the chunk within it.
    fn in_buffer(&self, chunk: &Range<u64>) -> (vk::Buffer, Range<u64>) {
        let Transfer { buffer, offset, .. } = *self.transfer;
        (buffer.raw(), offset + chunk.start..offset + chunk.end)
    }

    /// Uploads chunks until none is left.
    fn fill(&self, slots: &mut [Slot], fill: &dyn Fn(u64, &mut [u8]) -> Outcome) -> Outcome {
        let (device, count) = (self.transfer.device, slots.len());
        let mut next_slot = 0;
        while let Some(chunk) = self.next() {
            let slot = &mut slots[next_slot];
            next_slot = (next_slot + 1) % count;
            fill(chunk.start, slot.bytes_mut(device, (chunk.end - chunk.start) as usize)?)?;
            slot.copy(device, self.recording, Direction::Upload, self.in_buffer(&chunk))?;
        }
        for slot in slots {
            slot.wait(device)?;
        }
        Ok(())
    }

    /// Downloads chunks until none is left.
    fn drain(&self, slots: &mut [Slot], drain: &dyn Fn(u64, &[u8]) -> Outcome) -> Outcome {
        let (device, count) = (self.transfer.device, slots.len());
        let mut in_flight: VecDeque<(usize, Range<u64>)> = VecDeque::with_capacity(count);
        let mut next_slot = 0;
        loop {
            while in_flight.len() < count
                && let Some(chunk) = self.next()
            {
                let from = self.in_buffer(&chunk);
                slots[next_slot].copy(device, self.recording, Direction::Download, from)?;
                in_flight.push_back((next_slot, chunk));
                next_slot = (next_slot + 1) % count;
            }
            let Some((slot, chunk)) = in_flight.pop_front() else { return Ok(()) };
            let bytes = slots[slot].bytes(device, (chunk.end - chunk.start) as usize)?;
            drain(chunk.start, bytes)?;
        }
    }
}

/// Checks that an array of `array` elements has `len` elements starting at `first`.
fn check_elements(array: u64, first: u64, len: u64) -> Result<()> {
    match first.checked_add(len) {
        Some(end) if end <= array => Ok(()),
        _ => Err(Error::OutOfBounds { first, len, array }),
    }
}

/// Checks that two related arrays have the same length.
pub(crate) fn check_lengths(
    name: &'static str,
    len: u64,
    other: &'static str,
    other_len: u64,
) -> Result<()> {
    if len == other_len {
        return Ok(());
    }
    Err(Error::LengthMismatch { name, len, other, other_len })
}
