//! The status word of a device. Kernels set it if they find that the device does not keep lane order. A device keeps
//! lane order if the lanes of a subgroup execute the shared-memory atomics of one instruction in order of their index.
//! The word is in host memory, so the host reads it without a copy, submission or wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use ash::vk;

use super::host_buffer::HostBuffer;
use crate::device::{Attachment, Context, Device};
use crate::error::{Error, Result};

pub(crate) const STATUS_BYTES: u64 = 4;

/// The status word of a device. It is 0 until a kernel sets it, and then stays set. All later checks of results that
/// relied on lane order therefore return an error.
///
/// Its memory is not part of the heap and does not count against the memory limit.
pub(crate) struct StatusWord {
    word: HostBuffer,
    /// Whether the failure has been logged and stored on disk.
    reported: AtomicBool,
}

impl StatusWord {
    pub fn of(device: &Device) -> Result<Arc<Self>> {
        device.attached(Self::new)
    }

    fn new(device: &Device) -> Result<Self> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::UNIFORM_BUFFER;
        let word = HostBuffer::new(device, "multisplit.status", STATUS_BYTES, usage)?;
        Ok(Self { word, reported: AtomicBool::new(false) })
    }

    pub fn buffer(&self) -> vk::Buffer {
        self.word.raw
    }

    fn atomic(&self) -> &AtomicU32 {
        // SAFETY: the word is mapped and aligned for the lifetime of `self`, and the host accesses it only here.
        unsafe { AtomicU32::from_ptr(self.word.mapped().cast::<u32>().as_ptr()) }
    }

    /// Resets the word, for tests. No kernel that may set it may be in flight.
    #[cfg(feature = "broken-plans")]
    pub fn clear(&self) {
        self.atomic().store(0, Ordering::Release);
        self.reported.store(false, Ordering::Relaxed);
    }

    /// Whether a kernel has set the word. The first call that observes this logs the failure and stores it on disk,
    /// so that later processes do not rely on lane order either.
    pub fn is_set(&self, device: &Device) -> bool {
        let word = self.atomic().load(Ordering::Acquire);
        if word != 0 && !self.reported.swap(true, Ordering::Relaxed) {
            tracing::error!(
                device = %device.properties.name,
                "the device did not execute shared-memory atomics in lane order; new plans rank keys by ballots"
            );
            if let Some(file) = device.verdict_file() {
                file.save(false);
            }
        }
        word != 0
    }
}

impl Context {
    /// Returns false once a kernel of this context has found that the device does not keep lane order
    /// ([`RankingChoice::Probed`](crate::RankingChoice::Probed)). By default, kernels that rank by lane order check one
    /// tile in 256. Reads a word in host memory, without submitting or waiting.
    ///
    /// The answer applies to a recording after it has run and the host has waited for its fence. If it is false,
    /// results of executables that [rely on lane order](crate::Executable::relies_on_lane_order) may be in the wrong
    /// order. Plans that are built from then on rank by ballots.
    pub fn keeps_lane_order(&self) -> bool {
        StatusWord::of(&self.device).map_or(true, |word| !word.is_set(&self.device))
    }
}

/// Returns an error if `unverified` names a plan and a kernel has found that the device does not keep lane order.
/// Must be called after the plan's work has completed.
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
        // Logs and stores a failure that the last run has found.
        self.is_set(device);
        // SAFETY: the device releases its attachments once, when no kernel uses the word.
        unsafe { self.word.release(device) };
    }
}
