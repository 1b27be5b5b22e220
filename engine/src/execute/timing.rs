//! Timestamps around passes and whole runs.

use std::sync::Arc;

use ash::vk;

use crate::device::{Device, PassTime};
use crate::error::{Error, Result, VkResultExt};
use crate::execute::Executable;

/// Timestamps around the passes of a recording. Only one recording at a time may use a timer.
///
/// A timestamp is written when all earlier commands have finished. The time of a pass therefore includes the barrier
/// before it. If passes overlap, their times cannot be separated.
pub struct PassTimer {
    timestamps: Timestamps,
    /// Labels of the passes; empty if only the whole recording is timed.
    labels: Vec<String>,
    each_pass: bool,
}

/// Timestamp queries in a pool of the caller. The caller resets them before the recording runs, and reads them
/// afterwards.
///
/// Query `first` is written when all commands before the recording have finished. The next query is written when the
/// recording has finished; with `each_pass`, one query is written after each pass instead.
/// [`Executable::timestamp_count`] returns the number of queries.
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
    /// A timer created for the executable.
    Passes(&'p PassTimer),
    /// Queries in the caller's pool.
    Queries(TimestampQueries),
}

impl Timing<'_> {
    fn queries(self) -> Option<TimestampQueries> {
        match self {
            Self::None => None,
            Self::Passes(PassTimer { timestamps, each_pass, .. }) => {
                Some(TimestampQueries { pool: timestamps.pool, first: 0, each_pass: *each_pass })
            }
            Self::Queries(queries) => Some(queries),
        }
    }

    /// Records the first timestamp.
    ///
    /// # Safety
    /// `commands` is recording on `device`. The queries exist, and those of the caller are reset.
    pub(crate) unsafe fn begin(self, device: &ash::Device, commands: vk::CommandBuffer) {
        if let Self::Passes(timer) = self {
            // SAFETY: the caller guarantees that `commands` is recording.
            unsafe { timer.timestamps.reset(commands) };
        }
        if let Some(queries) = self.queries() {
            // SAFETY: as above. A timer's queries were just reset; the caller guarantees that its own are reset.
            unsafe { write(device, commands, queries.pool, queries.first) };
        }
    }

    /// Records the timestamp after the pass with this index, if each pass is timed.
    ///
    /// # Safety
    /// The requirements of [`begin`](Self::begin), which has been called.
    pub(crate) unsafe fn after_pass(
        self,
        device: &ash::Device,
        commands: vk::CommandBuffer,
        pass: usize,
    ) {
        if let Some(queries) = self.queries().filter(|queries| queries.each_pass) {
            // SAFETY: the caller guarantees that `commands` is recording and that `begin` has been called.
            unsafe { write(device, commands, queries.pool, queries.first + 1 + pass as u32) };
        }
    }

    /// Records the timestamp after the last pass, if only the whole recording is timed.
    ///
    /// # Safety
    /// The requirements of [`begin`](Self::begin), which has been called.
    pub(crate) unsafe fn end(self, device: &ash::Device, commands: vk::CommandBuffer) {
        if let Some(queries) = self.queries().filter(|queries| !queries.each_pass) {
            // SAFETY: the caller guarantees that `commands` is recording and that `begin` has been called.
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
    // SAFETY: the caller guarantees that `commands` is recording and that the query is in the pool and reset.
    unsafe { device.cmd_write_timestamp(commands, stage, pool, query) };
}

pub(super) struct Times {
    /// The first timestamp.
    pub begin: u64,
    /// Total time in nanoseconds.
    pub nanoseconds: f64,
    pub passes: Vec<PassTime>,
}

impl PassTimer {
    /// Creates a timer for recordings of `executable`.
    pub fn new(executable: &Executable) -> Result<Self> {
        Self::with(executable, true)
    }

    /// Creates a timer for each pass, or for the whole recording.
    pub(super) fn with(executable: &Executable, each_pass: bool) -> Result<Self> {
        let count = executable.timestamp_count(each_pass);
        let timestamps = Timestamps::new(executable.device(), count)?;
        let steps = executable.plan().steps().iter().filter(|_| each_pass);
        let labels = steps.map(|step| step.pass.label.clone()).collect();
        Ok(Self { timestamps, labels, each_pass })
    }

    /// Returns the times of the last submitted recording. Waits for it.
    ///
    /// # Safety
    /// A recording with this timer has been submitted. Otherwise, the call waits forever.
    pub unsafe fn read(&self) -> Result<Vec<PassTime>> {
        // SAFETY: `read_all` has the same requirements as this function.
        unsafe { self.read_all() }.map(|times| times.passes)
    }

    /// Like [`read`](Self::read), with the times of the whole recording.
    ///
    /// # Safety
    /// The requirements of [`read`](Self::read).
    pub(super) unsafe fn read_all(&self) -> Result<Times> {
        // SAFETY: the caller guarantees that a recording with this timer, which writes all timestamps, has been submitted.
        let ticks = unsafe { self.timestamps.ticks() }?;
        let intervals = self.timestamps.intervals(&ticks);
        let nanoseconds = intervals.iter().sum();
        let pass =
            |(nanoseconds, label): (f64, &String)| PassTime { label: label.clone(), nanoseconds };
        let passes = intervals.into_iter().zip(&self.labels).map(pass).collect();
        Ok(Times { begin: ticks.first().copied().unwrap_or(0), nanoseconds, passes })
    }
}

pub(super) struct Timestamps {
    device: Arc<Device>,
    pool: vk::QueryPool,
    count: u32,
}

impl Timestamps {
    /// Creates timestamps before, between and after `runs` runs.
    pub(super) fn around(device: &Arc<Device>, runs: u32) -> Result<Self> {
        let (asked, limit) = (runs.into(), u64::from(u32::MAX - 1));
        let count =
            runs.checked_add(1).ok_or(Error::TooLarge { what: "number of runs", asked, limit })?;
        Self::new(device, count)
    }

    pub(super) fn new(device: &Arc<Device>, count: u32) -> Result<Self> {
        if device.properties.timestamp_bits == 0 {
            return Err(Error::NoTimestamps { device: device.properties.name.clone() });
        }
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(count);
        // SAFETY: the device is alive.
        let pool = unsafe { device.raw.create_query_pool(&info, device.callbacks()) };
        let pool = pool.during("vkCreateQueryPool")?;
        device.name_object(pool, "multisplit.timestamps");
        Ok(Self { pool, device: device.clone(), count })
    }

    /// # Safety
    /// `commands` is recording.
    pub(super) unsafe fn reset(&self, commands: vk::CommandBuffer) {
        // SAFETY: the caller guarantees that `commands` is recording.
        unsafe { self.device.raw.cmd_reset_query_pool(commands, self.pool, 0, self.count) };
    }

    /// # Safety
    /// `commands` is recording, after [`reset`](Self::reset).
    pub(super) unsafe fn write(&self, commands: vk::CommandBuffer, query: u32) {
        // SAFETY: the caller guarantees that `commands` is recording and that the queries are reset.
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
        // Only `timestamp_bits` bits of a timestamp are valid, so it wraps around.
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
