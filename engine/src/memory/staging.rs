//! Staging memory: what transfers between host and device go through. It is made when it is first
//! needed, mapped once, and kept for the transfers that follow.

use std::cell::Cell;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ash::vk;

use super::budget::Share;
use super::heap::Heap;
use super::host_buffer::HostBuffer;
use crate::device::attach::Attachment;
use crate::device::commands::CommandSlot;
use crate::device::order::RecordingId;
use crate::device::shared::Device;
use crate::error::{Error, Result};

/// Bytes of a slot: long enough that a submission for each costs little, short enough that filling
/// one and copying another overlap.
const SLOT_BYTES: u64 = 4 << 20;
/// Bytes of a slot for short transfers, which are most of those of small jobs.
const SHORT_BYTES: u64 = 64 << 10;
/// Slots of a size, at most.
const MAX_SLOTS: usize = 32;

/// How long a transfer waits for slots of others before it makes one besides, for itself.
const PATIENCE: Duration = Duration::from_millis(200);

/// Under a memory limit, all slots together take at most this part of it; one is never shorter than
/// a page.
const LIMIT_SHARE: u64 = 8;
const LIMITED_SLOTS: u64 = 4;
const MIN_SLOT_BYTES: u64 = 4 << 10;

/// The staging memory of a device.
pub(super) struct Staging {
    /// Slots for short transfers, and for all others.
    pools: [Pool; 2],
}

/// Slots of one size.
struct Pool {
    slot_bytes: u64,
    max_slots: usize,
    slots: Mutex<Slots>,
    /// A slot has been given back.
    returned: Condvar,
}

#[derive(Default)]
struct Slots {
    free: Vec<Slot>,
    /// How many there are, those in use included.
    made: usize,
}

/// Which way a copy goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Direction {
    /// From a slot to a buffer of the device.
    Upload,
    /// From a buffer of the device to a slot.
    Download,
}

/// Mapped memory, and the commands that copy from or to it.
pub(super) struct Slot {
    memory: HostBuffer,
    commands: CommandSlot,
    _share: Share,
}

impl Staging {
    /// That of a device.
    pub fn of(device: &Device) -> Result<Arc<Self>> {
        device.attached(Self::new)
    }

    fn new(device: &Device) -> Result<Self> {
        let pool = |slot_bytes, max_slots| Pool {
            slot_bytes,
            max_slots,
            slots: Mutex::default(),
            returned: Condvar::new(),
        };
        // The heap's budget is asked for slots; attached first, it ends last.
        let heap = Heap::of(device)?;
        let pools = match heap.budget.limit() {
            None => [pool(SHORT_BYTES, MAX_SLOTS), pool(SLOT_BYTES, MAX_SLOTS)],
            Some(limit) => {
                let bytes = limit / LIMIT_SHARE / (LIMITED_SLOTS + 1);
                let bytes =
                    (bytes / MIN_SLOT_BYTES * MIN_SLOT_BYTES).clamp(MIN_SLOT_BYTES, SLOT_BYTES);
                [pool(bytes.min(SHORT_BYTES), 1), pool(bytes, LIMITED_SLOTS as usize)]
            }
        };
        Ok(Self { pools })
    }

    /// Frees the slots that are not in use: under a memory limit they give way to arrays.
    pub fn trim(&self, device: &Device) {
        for pool in &self.pools {
            let mut slots = pool.lock();
            slots.made -= slots.free.len();
            for slot in slots.free.drain(..) {
                // SAFETY: slots that are free are not in use.
                unsafe { slot.release(device) };
            }
        }
    }

    /// Which slots a transfer of so many bytes goes through.
    fn pool(&self, bytes: u64) -> &Pool {
        let [short, long] = &self.pools;
        if bytes <= short.slot_bytes { short } else { long }
    }

    /// Bytes of a slot for a transfer of so many.
    pub fn slot_bytes(&self, bytes: u64) -> u64 {
        self.pool(bytes).slot_bytes
    }

    /// At least one slot, and at most `wanted`, for a transfer of so many bytes.
    pub fn take(
        self: &Arc<Self>,
        device: &Arc<Device>,
        bytes: u64,
        wanted: usize,
    ) -> Result<Taken> {
        let pool = self.pool(bytes);
        let nested = Working::is_under_way();
        let mut taken = Taken {
            device: device.clone(),
            staging: self.clone(),
            bytes,
            slots: Vec::with_capacity(wanted),
        };
        let mut slots = pool.lock();
        loop {
            let from = slots.free.len().saturating_sub(wanted);
            taken.slots.extend(slots.free.drain(from..));
            let room = pool.max_slots.saturating_sub(slots.made);
            let mut make = (wanted - taken.slots.len()).min(room);
            if make == 0 && taken.slots.is_empty() {
                let waited = pool.returned.wait_timeout(slots, PATIENCE);
                let (again, waited) = waited.unwrap_or_else(PoisonError::into_inner);
                slots = again;
                if !slots.free.is_empty() || !(nested || waited.timed_out()) {
                    continue;
                }
                // Whoever has the slots may wait for this very transfer, in a callback.
                make = 1;
            }
            slots.made += make;
            drop(slots);
            let failure = taken.make(pool, make).err();
            if !taken.slots.is_empty() {
                return Ok(taken);
            }
            slots = pool.lock();
            match failure {
                // Others give theirs back, in the end.
                Some(error) if nested || slots.made == 0 => return Err(error),
                _ => {}
            }
        }
    }
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attachment for Staging {
    unsafe fn release(&self, device: &Device) {
        self.trim(device);
    }
}

/// Slots that a transfer uses; dropping gives them back.
pub(super) struct Taken {
    device: Arc<Device>,
    staging: Arc<Staging>,
    /// Of the transfer.
    bytes: u64,
    pub slots: Vec<Slot>,
}

thread_local! {
    /// Transfers that this thread works for.
    static TRANSFERS: Cell<u32> = const { Cell::new(0) };
}

/// A thread works for a transfer as long as it has this: one that it begins meanwhile, in a callback, does
/// not wait for slots, which may be those of the first.
pub(super) struct Working;

impl Working {
    pub fn begin() -> Self {
        TRANSFERS.set(TRANSFERS.get() + 1);
        Self
    }

    fn is_under_way() -> bool {
        TRANSFERS.get() > 0
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        TRANSFERS.set(TRANSFERS.get() - 1);
    }
}

impl Taken {
    /// Makes slots of a pool, which counts them already, until one cannot be made.
    fn make(&mut self, pool: &Pool, count: usize) -> Result<()> {
        for made in 0..count {
            match Slot::new(&self.device, pool.slot_bytes) {
                Ok(slot) => self.slots.push(slot),
                Err(error) => {
                    pool.lock().made -= count - made;
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let pool = self.staging.pool(self.bytes);
        let mut slots = pool.lock();
        for mut slot in self.slots.drain(..) {
            match slot.commands.wait(&self.device) {
                // A lost device cannot be waited for; then nothing is pending either.
                Ok(()) | Err(Error::Vulkan { result: vk::Result::ERROR_DEVICE_LOST, .. }) => {}
                // What may be in use is left alone.
                Err(error) => {
                    tracing::warn!(%error, "staging memory is lost");
                    slots.made -= 1;
                    continue;
                }
            }
            if slots.made > pool.max_slots {
                slots.made -= 1;
                // SAFETY: taken out, and nothing is pending.
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
        let share = Heap::of(device)?.budget.take(bytes).map_err(|left| Error::OutOfMemory {
            name: name.to_owned(),
            size: bytes,
            reason: format!("the memory limit leaves {left} bytes"),
        })?;
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let memory = HostBuffer::new(device, name, bytes, usage)?;
        match CommandSlot::new(device) {
            Ok(commands) => Ok(Self { memory, commands, _share: share }),
            Err(error) => {
                // SAFETY: just made, used by nothing.
                unsafe { memory.release(device) };
                Err(error)
            }
        }
    }

    /// The first `len` bytes, to be written: once the copy from them, if any, is done.
    pub fn bytes_mut(&mut self, device: &Device, len: usize) -> Result<&mut [u8]> {
        self.commands.wait(device)?;
        Ok(&mut self.memory.bytes_mut()[..len])
    }

    /// The first `len` bytes, once the copy to them is done.
    pub fn bytes(&mut self, device: &Device, len: usize) -> Result<&[u8]> {
        self.commands.wait(device)?;
        Ok(&self.memory.bytes()[..len])
    }

    /// Submits a copy between the first bytes and that range of `buffer`, as a part of `transfer`.
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
            // What earlier submissions did with the buffers is ordered before this one, and the
            // chunks of a transfer are apart. The host has waited for the last copy of this slot,
            // which validation layers lose sight of where several threads wait: it is said once
            // more.
            let copies = vk::AccessFlags2::TRANSFER_READ | vk::AccessFlags2::TRANSFER_WRITE;
            let before = vk::MemoryBarrier2::default()
                .src_stage_mask(vk::PipelineStageFlags2::COPY)
                .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                .dst_stage_mask(vk::PipelineStageFlags2::COPY)
                .dst_access_mask(copies);
            // The host reads what was copied for it.
            let after = vk::MemoryBarrier2::default()
                .src_stage_mask(vk::PipelineStageFlags2::COPY)
                .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                .dst_stage_mask(vk::PipelineStageFlags2::HOST)
                .dst_access_mask(vk::AccessFlags2::HOST_READ);
            // SAFETY: recording; the buffers live until the wait that comes before the slot's next
            // use and before its transfer ends.
            unsafe {
                device.pipeline_barrier(commands, &[before]);
                device.raw.cmd_copy_buffer(commands, src, dst, &[region]);
                device.pipeline_barrier(commands, &[after]);
            }
            Ok(())
        })?;
        self.commands.submit(device, transfer, 1)
    }

    /// Waits until what was submitted is done.
    pub fn wait(&mut self, device: &Device) -> Result<()> {
        self.commands.wait(device)
    }

    /// # Safety
    /// Called once; it is not in use.
    unsafe fn release(&self, device: &Device) {
        // SAFETY: by the caller's contract.
        unsafe {
            self.commands.release(device);
            self.memory.release(device);
        }
    }
}
