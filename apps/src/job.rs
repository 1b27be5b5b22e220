//! State of a running command: its options and its device.

use std::fmt::Display;

use anyhow::Result;
use multisplit::Context;

use crate::device::Devices;
use crate::opening::Opening;
use crate::parts::Resources;
use crate::{phase, report};

/// A command whose device is open.
pub struct Job<'d> {
    pub devices: &'d Devices,
    pub context: Context,
}

impl<'d> Job<'d> {
    /// Waits until the device is open.
    pub fn new(devices: &'d Devices, opening: Opening) -> Result<Self> {
        Ok(Self { devices, context: opening.finish()? })
    }

    pub fn resources(&self) -> Resources<'_> {
        self.devices.resources(&self.context)
    }

    /// Runs `check`, which compares a result with the CPU's, if `--verify` is given.
    pub fn verify_by(&self, check: impl FnOnce() -> Result<()>) -> Result<()> {
        if !self.devices.common.verify {
            return Ok(());
        }
        let _span = tracing::info_span!("verify").entered();
        phase::timed(report::VERIFYING, check)
    }

    /// Formats the summary of the command: `what` it did, the device, and the device time. If no kernel was timed, the
    /// time of `phase` replaces the device time.
    pub fn summary(&self, what: impl Display, phase: &str) -> String {
        let checked = if self.devices.common.verify { ", verified against the CPU" } else { "" };
        self.summary_with(what, phase, checked)
    }

    /// Like [`summary`](Self::summary); `checked` is the remark about verification.
    pub fn summary_with(&self, what: impl Display, phase: &str, checked: &str) -> String {
        let device = &self.context.properties().name;
        format!("{what} in {} on {device}{checked}", phase::of_kernels(phase))
    }
}
