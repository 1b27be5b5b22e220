//! GPU times of passes and whole runs, measured with timestamps.

use std::sync::Arc;

use ash::vk;

use crate::device::commands::Commands;
use crate::device::context::Context;
use crate::device::observer::PassTime;
use crate::device::order::Order;
use crate::device::shared::Device;
use crate::error::{Error, Result, VkResultExt};
use crate::execute::executable::Executable;
use crate::execute::import::Bound;
use crate::execute::replay::Replay;

/// Timestamps around the passes of a recording, for one recording at a time.
///
/// A timestamp is written when all earlier commands have finished. The time of a pass therefore includes the barrier
/// before it, and the times of passes that overlap cannot be separated.
pub struct Profiler {
    queries: Timestamps,
    labels: Vec<String>,
}

/// Timestamp queries in the caller's pool, which the caller resets before the recording runs and reads afterwards.
///
/// Query `first` is written when all commands before the recording have finished, and the next query when the recording
/// has finished. With `each_pass`, a query is written after each pass. [`Executable::timestamp_count`] returns their
/// number.
#[derive(Clone, Copy, Debug)]
pub struct TimestampQueries {
    /// A pool of timestamp queries.
    pub pool: vk::QueryPool,
    /// The first query to write.
    pub first: u32,
    /// Whether to write a timestamp after each pass.
    pub each_pass: bool,
}

/// Destination of a recording's timestamps.
#[derive(Clone, Copy, Default)]
pub enum Timing<'p> {
    /// No timestamps.
    #[default]
    None,
    /// A profiler created for the executable.
    Profiler(&'p Profiler),
    /// Queries in the caller's pool.
    Queries(TimestampQueries),
}

impl Timing<'_> {
    /// # Safety
    /// `commands` is recording on `device`. The queries exist, and those of the caller are reset.
    pub(crate) unsafe fn begin(self, device: &ash::Device, commands: vk::CommandBuffer) {
        match self {
            Self::None => {}
            // SAFETY: by the caller's contract.
            Self::Profiler(profiler) => unsafe {
                profiler.queries.reset(commands);
                profiler.queries.write(commands, 0);
            },
            // SAFETY: by the caller's contract.
            Self::Queries(queries) => unsafe {
                write(device, commands, queries.pool, queries.first);
            },
        }
    }

    /// # Safety
    /// The requirements of [`begin`](Self::begin), which has been called.
    pub(crate) unsafe fn after_pass(
        self,
        device: &ash::Device,
        commands: vk::CommandBuffer,
        pass: usize,
    ) {
        match self {
            // SAFETY: by the caller's contract.
            Self::Profiler(profiler) => unsafe {
                profiler.queries.write(commands, pass as u32 + 1);
            },
            Self::Queries(queries) if queries.each_pass => {
                let query = queries.first + 1 + pass as u32;
                // SAFETY: by the caller's contract.
                unsafe { write(device, commands, queries.pool, query) };
            }
            _ => {}
        }
    }

    /// # Safety
    /// The requirements of [`begin`](Self::begin), which has been called.
    pub(crate) unsafe fn end(self, device: &ash::Device, commands: vk::CommandBuffer) {
        if let Self::Queries(queries) = self
            && !queries.each_pass
        {
            // SAFETY: by the caller's contract.
            unsafe { write(device, commands, queries.pool, queries.first + 1) };
        }
    }
}

/// # Safety
/// `commands` is recording. The query belongs to the pool and is reset.
unsafe fn write(
    device: &ash::Device,
    commands: vk::CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
) {
    let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
    // SAFETY: by the caller's contract.
    unsafe { device.cmd_write_timestamp(commands, stage, pool, query) };
}

impl Profiler {
    /// Creates a profiler for recordings of `executable`.
    pub fn new(executable: &Executable) -> Result<Self> {
        let labels: Vec<String> =
            executable.plan().steps().iter().map(|s| s.pass.label.clone()).collect();
        let queries = Timestamps::new(executable.device(), labels.len() as u32 + 1)?;
        Ok(Self { queries, labels })
    }

    /// Returns the times of the last submitted recording. Waits for it.
    ///
    /// # Safety
    /// A recording with this profiler has been submitted. Otherwise, the call waits forever.
    pub unsafe fn read(&self) -> Result<Vec<PassTime>> {
        // SAFETY: by the caller's contract.
        unsafe { self.read_with_begin() }.map(|(_, times)| times)
    }

    /// Like [`read`](Self::read), with the timestamp of the first pass.
    ///
    /// # Safety
    /// The requirements of [`read`](Self::read).
    pub(crate) unsafe fn read_with_begin(&self) -> Result<(u64, Vec<PassTime>)> {
        // SAFETY: by the caller's contract.
        let ticks = unsafe { self.queries.ticks() }?;
        let pairs = self.queries.intervals(&ticks).into_iter().zip(&self.labels);
        let times = pairs
            .map(|(nanoseconds, label)| PassTime { label: label.clone(), nanoseconds })
            .collect();
        Ok((ticks.first().copied().unwrap_or(0), times))
    }
}

impl Context {
    /// Runs `executable` `runs` times and returns the GPU time of each run in nanoseconds. There are no pauses between
    /// runs, so clocks do not drop. The plan must be replayable.
    pub fn time_runs<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
        runs: u32,
    ) -> Result<Vec<f64>> {
        executable.check_replayable()?;
        let queries = Timestamps::around(&self.device, runs)?;
        self.run_prepared(executable, buffers, |commands, prepared| {
            // SAFETY: recording; the referenced objects are kept alive until it has run.
            unsafe {
                queries.reset(commands);
                queries.write(commands, 0);
                for run in 0..runs {
                    prepared.record(commands, Timing::None);
                    queries.write(commands, run + 1);
                }
            }
        })?;
        // SAFETY: the timestamps have been written.
        let ticks = unsafe { queries.ticks() }?;
        Ok(queries.intervals(&ticks))
    }

    /// Returns the GPU times of `runs` runs in nanoseconds. Each run submits `first` once and `then` `times` times,
    /// without waiting on the host in between. Apart from the list of command buffers, memory use does not depend on
    /// `times`.
    pub fn time_replays(
        &self,
        first: &mut Replay,
        then: &mut Replay,
        times: u32,
        runs: u32,
    ) -> Result<Vec<f64>> {
        let queries = Timestamps::around(&self.device, runs)?;
        let stamp = |query: u32| {
            let commands = Commands::new(&self.device)?;
            commands.record(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT, |raw| {
                // SAFETY: recording; the first one resets all queries. The queries outlive all submissions.
                unsafe {
                    if query == 0 {
                        queries.reset(raw);
                    }
                    queries.write(raw, query);
                }
                Ok(())
            })?;
            Ok(commands)
        };
        let stamps = (0..runs).map(stamp).collect::<Result<Vec<_>>>()?;
        let mut last = stamp(runs)?;
        first.wait()?;
        then.wait()?;
        let order = self.device.attached(Order::new)?.commands();
        let mut row = vec![order];
        for stamp in &stamps {
            row.extend([stamp.raw(), first.raw(), order]);
            row.extend(std::iter::repeat_n(then.raw(), times as usize));
            row.push(order);
        }
        let at = row.len().saturating_sub(1) / MAX_SUBMITTED * MAX_SUBMITTED;
        let (before, rest) = row.split_at(at);
        // SAFETY: all submissions are waited for below, also after an error. Replays allow simultaneous use.
        let submitted = before
            .chunks(MAX_SUBMITTED)
            .try_for_each(|chunk| unsafe { self.device.submit_together(chunk, vk::Fence::null()) })
            // SAFETY: as above.
            .and_then(|()| unsafe { last.submit_after(rest) })
            .and_then(|()| last.wait());
        if submitted.is_err() {
            self.device.wait_idle()?;
        }
        submitted?;
        first.wait()?;
        then.wait()?;
        // SAFETY: the timestamps have been written.
        let ticks = unsafe { queries.ticks() }?;
        Ok(queries.intervals(&ticks))
    }
}

/// Maximum number of command buffers per submission. The first ones run while the rest are being submitted.
const MAX_SUBMITTED: usize = 1024;

/// A pool of timestamp queries.
pub(super) struct Timestamps {
    device: Arc<Device>,
    pool: vk::QueryPool,
    count: u32,
}

impl Timestamps {
    /// Creates timestamps before, between and after `runs` runs.
    fn around(device: &Arc<Device>, runs: u32) -> Result<Self> {
        let (asked, limit) = (runs.into(), u64::from(u32::MAX - 1));
        let count = runs.checked_add(1).ok_or(Error::TooLarge { what: "runs", asked, limit })?;
        Self::new(device, count)
    }

    pub(super) fn new(device: &Arc<Device>, count: u32) -> Result<Self> {
        if device.properties.timestamp_bits == 0 {
            return Err(Error::NoTimestamps { device: device.properties.name.clone() });
        }
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(count);
        // SAFETY: a live device.
        let pool = unsafe { device.raw.create_query_pool(&info, device.callbacks()) };
        let pool = pool.during("vkCreateQueryPool")?;
        device.name_object(pool, "multisplit.timestamps");
        Ok(Self { pool, device: device.clone(), count })
    }

    /// # Safety
    /// `commands` is recording.
    pub(super) unsafe fn reset(&self, commands: vk::CommandBuffer) {
        // SAFETY: by the caller's contract.
        unsafe { self.device.raw.cmd_reset_query_pool(commands, self.pool, 0, self.count) };
    }

    /// # Safety
    /// `commands` is recording, after [`reset`](Self::reset).
    pub(super) unsafe fn write(&self, commands: vk::CommandBuffer, query: u32) {
        // SAFETY: by the caller's contract.
        unsafe { write(&self.device.raw, commands, self.pool, query) };
    }

    /// Returns the timestamps. Waits for them.
    ///
    /// # Safety
    /// Commands that write all timestamps have been submitted.
    pub(super) unsafe fn ticks(&self) -> Result<Vec<u64>> {
        let mut ticks = vec![0u64; self.count as usize];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: there are as many results as queries, and every query has been or will be written.
        unsafe { self.device.raw.get_query_pool_results(self.pool, 0, &mut ticks, flags) }
            .during("vkGetQueryPoolResults")?;
        Ok(ticks)
    }

    /// Nanoseconds between successive timestamps.
    pub(super) fn intervals(&self, ticks: &[u64]) -> Vec<f64> {
        // Timestamps wrap at the queue's valid bits.
        let bits = self.device.properties.timestamp_bits.min(64);
        let mask = u64::MAX >> (64 - bits);
        let period = f64::from(self.device.properties.limits.timestamp_period);
        let elapsed = |pair: &[u64]| (pair[1].wrapping_sub(pair[0]) & mask) as f64 * period;
        ticks.windows(2).map(elapsed).collect()
    }
}

impl Drop for Timestamps {
    fn drop(&mut self) {
        // SAFETY: recordings that use the pool have completed.
        unsafe { self.device.raw.destroy_query_pool(self.pool, self.device.callbacks()) };
    }
}
