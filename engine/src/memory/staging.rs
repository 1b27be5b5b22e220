//! Staging memory for transfers between host and device. Slots are created on first use, mapped once, and reused by
//! later transfers.

use std::cell::Cell;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use ash::vk;

use super::budget::Reservation;
use super::heap::Heap;
use super::host_buffer::HostBuffer;
use crate::device::{Attachment, CommandSlot, Device, RecordingId};
use crate::error::{Error, Result};
use crate::lock::lock;

/// Size of a slot in bytes. Large enough to amortize a submission, and small enough that filling one slot overlaps
/// with copying another.
const SLOT_BYTES: u64 = 4 << 20;
/// Size in bytes of a slot for short transfers.
const SHORT_BYTES: u64 = 64 << 10;
/// Maximum number of slots per size.
const MAX_SLOTS: usize = 32;

/// Maximum time that a transfer waits for slots that other transfers use. After this time, it creates an additional
/// slot.
const MAX_WAIT: Duration = Duration::from_millis(200);

/// With a memory limit, all slots together use at most `1 / LIMIT_DIVISOR` of it, except for slots of the minimum size
/// and additional slots (see `MAX_WAIT`).
const LIMIT_DIVISOR: u64 = 8;
/// Maximum number of slots for long transfers, with a memory limit.
const LIMITED_SLOTS: u64 = 4;
/// Minimum size of a slot in bytes, with a memory limit.
const MIN_SLOT_BYTES: u64 = 4 << 10;

/// The staging memory of a device, divided into slots.
pub(super) struct Staging {
    /// Slots for short transfers, then slots for all others.
    pools: [Pool; 2],
}

/// Slots of equal size.
struct Pool {
    slot_bytes: u64,
    max_slots: usize,
    slots: Mutex<Slots>,
    /// Notified when a transfer returns a slot.
    returned: Condvar,
}

#[derive(Default)]
struct Slots {
    free: Vec<Slot>,
    /// Number of slots that exist, including those in use.
    made: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Direction {
    /// From a slot to a device buffer.
    Upload,
    /// From a device buffer to a slot.
    Download,
}

/// Mapped memory with the command buffer that copies from or to it.
pub(super) struct Slot {
    memory: HostBuffer,
    commands: CommandSlot,
    _reservation: Reservation,
}

impl Staging {
    pub fn of(device: &Device) -> Result<Arc<Self>> {
        device.attached(Self::new)
    }

    fn new(device: &Device) -> Result<Self> {
        let pool = |slot_bytes, max_slots| {
            let (slots, returned) = (Mutex::default(), Condvar::new());
            Pool { slot_bytes, max_slots, slots, returned }
        };
        // Slots reserve bytes from the memory limit of the heap, so the heap must outlive them. Attachments are
        // released in reverse order of creation.
        let heap = Heap::of(device)?;
        let pools = match heap.budget.limit() {
            None => [pool(SHORT_BYTES, MAX_SLOTS), pool(SLOT_BYTES, MAX_SLOTS)],
            Some(limit) => {
                let bytes = limit / LIMIT_DIVISOR / (LIMITED_SLOTS + 1);
                let bytes =
                    (bytes / MIN_SLOT_BYTES * MIN_SLOT_BYTES).clamp(MIN_SLOT_BYTES, SLOT_BYTES);
                [pool(bytes.min(SHORT_BYTES), 1), pool(bytes, LIMITED_SLOTS as usize)]
            }
        };
        Ok(Self { pools })
    }

    /// Frees all unused slots, to make room for arrays under a memory limit.
    pub fn trim(&self, device: &Device) {
        for pool in &self.pools {
            let mut slots = lock(&pool.slots);
            slots.made -= slots.free.len();
            for slot in slots.free.drain(..) {
                // SAFETY: free slots are not in use.
                unsafe { slot.release(device) };
            }
        }
    }

    /// The pool of slots for a transfer of `bytes` bytes.
    fn pool(&self, bytes: u64) -> &Pool {
        let [short, long] = &self.pools;
        if bytes <= short.slot_bytes { short } else { long }
    }

    /// Slot size for a transfer of `bytes` bytes.
    pub fn slot_bytes(&self, bytes: u64) -> u64 {
        self.pool(bytes).slot_bytes
    }

    /// Takes between one and `max_count` slots for a transfer of `bytes` bytes.
    pub fn take(
        self: &Arc<Self>,
        device: &Arc<Device>,
        bytes: u64,
        max_count: usize,
    ) -> Result<TakenSlots> {
        let pool = self.pool(bytes);
        let nested = CallbackGuard::is_active();
        let mut taken = TakenSlots {
            device: device.clone(),
            staging: self.clone(),
            bytes,
            slots: Vec::with_capacity(max_count),
        };
        let mut slots = lock(&pool.slots);
        loop {
            let from = slots.free.len().saturating_sub(max_count);
            taken.slots.extend(slots.free.drain(from..));
            let remaining = pool.max_slots.saturating_sub(slots.made);
            let mut make = (max_count - taken.slots.len()).min(remaining);
            if make == 0 && taken.slots.is_empty() {
                let waited = pool.returned.wait_timeout(slots, MAX_WAIT);
                let (again, waited) = waited.unwrap_or_else(PoisonError::into_inner);
                slots = again;
                if !slots.free.is_empty() || !(nested || waited.timed_out()) {
                    continue;
                }
                // The transfer that holds the slots may be waiting for this transfer in a callback. An additional
                // slot avoids the deadlock.
                make = 1;
            }
            slots.made += make;
            drop(slots);
            let failure = taken.make(pool, make).err();
            if !taken.slots.is_empty() {
                return Ok(taken);
            }
            slots = lock(&pool.slots);
            match failure {
                // No slot could be created. The loop waits for another transfer to return a slot, unless no slots
                // exist, or this transfer runs in a callback of another.
                Some(error) if nested || slots.made == 0 => return Err(error),
                _ => {}
            }
        }
    }
}

impl Attachment for Staging {
    unsafe fn release(&self, device: &Device) {
        self.trim(device);
    }
}

/// The slots that a transfer uses. They are returned on drop.
pub(super) struct TakenSlots {
    device: Arc<Device>,
    staging: Arc<Staging>,
    bytes: u64,
    pub slots: Vec<Slot>,
}

thread_local! {
    /// Number of transfers whose callbacks run on this thread.
    static TRANSFERS: Cell<u32> = const { Cell::new(0) };
}

/// Marks the current thread as running callbacks of a transfer. If a callback starts another transfer on this thread,
/// that transfer waits for slots only once and then creates one, because the outer transfer may hold all slots.
pub(super) struct CallbackGuard;

impl CallbackGuard {
    pub fn begin() -> Self {
        TRANSFERS.set(TRANSFERS.get() + 1);
        Self
    }

    fn is_active() -> bool {
        TRANSFERS.get() > 0
    }
}

impl Drop for CallbackGuard {
    fn drop(&mut self) {
        TRANSFERS.set(TRANSFERS.get() - 1);
    }
}

impl TakenSlots {
    /// Creates `count` slots, which the caller has already added to `Slots::made`. Stops at the first failure, and
    /// subtracts the slots that were not created.
    fn make(&mut self, pool: &Pool, count: usize) -> Result<()> {
        for made in 0..count {
            match Slot::new(&self.device, pool.slot_bytes) {
                Ok(slot) => self.slots.push(slot),
                Err(error) => {
                    lock(&pool.slots).made -= count - made;
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

impl Drop for TakenSlots {
    fn drop(&mut self) {
        let pool = self.staging.pool(self.bytes);
        let mut slots = lock(&pool.slots);
        for mut slot in self.slots.drain(..) {
            match slot.commands.wait(&self.device) {
                // Waiting for a lost device fails, but its work is no longer pending.
                Ok(()) | Err(Error::Vulkan { result: vk::Result::ERROR_DEVICE_LOST, .. }) => {}
                // The slot may still be in use, so it is never destroyed.
                Err(error) => {
                    tracing::warn!(%error, "waiting for a copy failed; its staging memory may still be in use, so it is leaked");
                    slots.made -= 1;
                    continue;
                }
            }
            if slots.made > pool.max_slots {
                slots.made -= 1;
                // SAFETY: removed from the list, and no copy is pending.
                unsafe { slot.release(&self.device) };
            } else {
                slots.free.push(slot);
            }
        }
        drop(slots);
        pool.returned.notify_all();
    }
}

impl Slot {
    fn new(device: &Device, bytes: u64) -> Result<Self> {
        let name = "staging";
        let reservation = Heap::of(device)?.budget.take(name, bytes)?;
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let memory = HostBuffer::new(device, name, bytes, usage)?;
        match CommandSlot::new(device) {
            Ok(commands) => Ok(Self { memory, commands, _reservation: reservation }),
            Err(error) => {
                // SAFETY: the object is newly created and not in use.
                unsafe { memory.release(device) };
                Err(error)
            }
        }
    }

    /// The first `len` bytes for writing. Waits for the pending copy from them, if any.
    pub fn bytes_mut(&mut self, device: &Device, len: usize) -> Result<&mut [u8]> {
        self.commands.wait(device)?;
        Ok(&mut self.memory.bytes_mut()[..len])
    }

    /// The first `len` bytes. Waits for the pending copy to them, if any.
    pub fn bytes(&mut self, device: &Device, len: usize) -> Result<&[u8]> {
        self.commands.wait(device)?;
        Ok(&self.memory.bytes()[..len])
    }

    /// Submits a copy between the slot and `range` of `buffer`, as part of `transfer`.
    pub fn copy(
        &mut self,
        device: &Device,
        transfer: RecordingId,
        direction: Direction,
        (buffer, range): (vk::Buffer, Range<u64>),
    ) -> Result<()> {
        let region = vk::BufferCopy::default().size(range.end - range.start);
        let (src, dst, region) = match direction {
            Direction::Upload => (self.memory.raw, buffer, region.dst_offset(range.start)),
            Direction::Download => (buffer, self.memory.raw, region.src_offset(range.start)),
        };
        self.commands.wait(device)?;
        self.commands.reset(device)?;
        let usage = vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT;
        self.commands.record(device, usage, |commands| {
            // Earlier submissions that use the buffers are already ordered before this one, and the chunks of a
            // transfer do not overlap. The host has also waited for the last copy of this slot, but validation layers
            // do not recognize this if several threads wait. This barrier prevents their false reports.
            let copies = vk::AccessFlags2::TRANSFER_READ | vk::AccessFlags2::TRANSFER_WRITE;
            let before = vk::MemoryBarrier2::default()
                .src_stage_mask(vk::PipelineStageFlags2::COPY)
                .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                .dst_stage_mask(vk::PipelineStageFlags2::COPY)
                .dst_access_mask(copies);
            // Makes the copy visible to the host.
            let after = vk::MemoryBarrier2::default()
                .src_stage_mask(vk::PipelineStageFlags2::COPY)
                .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                .dst_stage_mask(vk::PipelineStageFlags2::HOST)
                .dst_access_mask(vk::AccessFlags2::HOST_READ);
            // SAFETY: the command buffer is recording. The buffers outlive the copy: the slot waits for it before its
            // next use and before the transfer ends.
            unsafe {
                device.pipeline_barrier(commands, &[before]);
                device.raw.cmd_copy_buffer(commands, src, dst, &[region]);
                device.pipeline_barrier(commands, &[after]);
            }
            Ok(())
        })?;
        self.commands.submit(device, transfer, 1)
    }

    /// Waits for the submitted copy.
    pub fn wait(&mut self, device: &Device) -> Result<()> {
        self.commands.wait(device)
    }

    /// # Safety
    /// Called once; the slot is not in use.
    unsafe fn release(&self, device: &Device) {
        // SAFETY: the caller guarantees a single call and that the slot is not in use.
        unsafe {
            self.commands.release(device);
            self.memory.release(device);
        }
    }
}
