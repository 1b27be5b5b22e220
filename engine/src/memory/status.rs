//! The status word of a device: a word in host memory that kernels set when they find that the device
//! does not do what they rely on. The host looks at it without a copy, a submission or a wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use ash::vk;

use super::host_buffer::HostBuffer;
use crate::device::attach::Attachment;
use crate::device::shared::Device;
use crate::error::{Error, Result};

/// Bytes of its buffer.
pub(crate) const STATUS_BYTES: u64 = 4;

/// The status word of a device. It is 0 until a kernel sets it, and stays set: whoever has relied on
/// lane order has to learn of it, however late it looks.
///
/// Its memory is not the heap's: it lives as long as the device, and counts as nobody's.
pub(crate) struct StatusWord {
    word: HostBuffer,
    /// Whether it was told to the log, and to the file on disk.
    told: AtomicBool,
}

impl StatusWord {
    /// That of a device.
    pub fn of(device: &Device) -> Result<Arc<Self>> {
        device.attached(Self::new)
    }

    fn new(device: &Device) -> Result<Self> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::UNIFORM_BUFFER;
        let word = HostBuffer::new(device, "multisplit.status", STATUS_BYTES, usage)?;
        Ok(Self { word, told: AtomicBool::new(false) })
    }

    /// Its buffer, of one word.
    pub fn buffer(&self) -> vk::Buffer {
        self.word.raw
    }

    fn atomic(&self) -> &AtomicU32 {
        // SAFETY: mapped and aligned for as long as this lives, and reached in this way alone.
        unsafe { AtomicU32::from_ptr(self.word.mapped().cast::<u32>().as_ptr()) }
    }

    /// As if no kernel had set it: for tests. No kernel that may set it is in flight.
    #[cfg(feature = "broken-plans")]
    pub fn clear(&self) {
        self.atomic().store(0, Ordering::Release);
        self.told.store(false, Ordering::Relaxed);
    }

    /// Whether a kernel has set it. The first time that it is, the log and the disk are told, so that
    /// no later process relies on lane order either.
    pub fn is_set(&self, device: &Device) -> bool {
        let word = self.atomic().load(Ordering::Acquire);
        if word != 0 && !self.told.swap(true, Ordering::Relaxed) {
            tracing::error!(device = %device.properties.name, "lane order was not kept; ranking by ballots from here on");
            if let Some(file) = device.verdict_file() {
                file.save(false);
            }
        }
        word != 0
    }
}

/// An error where work of a plan was not verified, and a kernel has found that the device does not keep
/// lane order. To be asked when what was submitted is done.
pub(crate) fn check_order(device: &Device, unverified: Option<Arc<str>>) -> Result<()> {
    match unverified {
        Some(plan) if StatusWord::of(device)?.is_set(device) => {
            Err(Error::LaneOrder { plan: plan.as_ref().to_owned() })
        }
        _ => Ok(()),
    }
}

impl Attachment for StatusWord {
    unsafe fn release(&self, device: &Device) {
        // What was found in the last run is still to be told.
        self.is_set(device);
        // SAFETY: by the caller's contract.
        unsafe { self.word.release(device) };
    }
}
