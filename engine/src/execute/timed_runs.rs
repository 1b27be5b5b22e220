//! Calls that measure the GPU time of runs and passes, and report it to the context's observer.

use std::time::Instant;

use ash::vk;

use crate::device::{Commands, Context, PassTime, Run, SubmissionBarrier};
use crate::error::{Error, Result};
use crate::execute::timing::{Times, Timestamps};
use crate::execute::{Bound, Executable, PassTimer, Replay, Timing};

/// Maximum number of command buffers per submission, not counting the last timestamp. If there are several submissions,
/// the device already runs the first one while the host submits the others.
const MAX_SUBMITTED: usize = 1024;

impl Context {
    /// Runs `executable` once and reports its times to the observer. If there is no observer, or if the device does
    /// not support timestamps, returns false without running it.
    pub(crate) fn run_observed<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
    ) -> Result<bool> {
        let Some(observer) = &self.device.observer else { return Ok(false) };
        let _span = tracing::debug_span!("run", plan = %executable.plan().name()).entered();
        let timer = match PassTimer::with(executable, observer.each_pass) {
            Err(Error::NoTimestamps { .. }) => return Ok(false),
            other => other?,
        };
        let mut before = Instant::now();
        self.run_prepared(executable, buffers, |raw, prepared| {
            // SAFETY: the command buffer is recording; the referenced objects are kept alive until it has run.
            unsafe { prepared.record(raw, Timing::Passes(&timer), &[]) };
            before = Instant::now();
        })?;
        let after = Instant::now();
        // SAFETY: the recording has run.
        let Times { begin: begin_ticks, nanoseconds, passes } = unsafe { timer.read_all() }?;
        let tick_nanoseconds = f64::from(self.device.properties.limits.timestamp_period);
        let plan = executable.plan().name().to_owned();
        let run = Run { plan, before, after, begin_ticks, tick_nanoseconds, nanoseconds, passes };
        observer.report(run);
        Ok(true)
    }

    /// Like [`run`](Self::run), and returns the time of each pass.
    pub fn time_passes<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
    ) -> Result<Vec<PassTime>> {
        let timer = PassTimer::new(executable)?;
        self.run_prepared(executable, buffers, |raw, prepared| {
            // SAFETY: the command buffer is recording; the referenced objects are kept alive until it has run.
            unsafe { prepared.record(raw, Timing::Passes(&timer), &[]) };
        })?;
        // SAFETY: the recording has run.
        unsafe { timer.read() }
    }

    /// Runs `executable` `runs` times and returns the GPU time of each run in nanoseconds. There are no pauses
    /// between runs, so the device does not lower its clocks. The plan must be replayable.
    pub fn time_runs<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
        runs: u32,
    ) -> Result<Vec<f64>> {
        self.time_batches(executable, buffers, runs, 1)
    }

    /// Runs `executable` in `batches` batches of `runs` runs, and returns the GPU time of each batch in nanoseconds.
    /// Writing a timestamp takes a few microseconds on some devices, so the times of short plans are more accurate in
    /// batches. The plan must be replayable.
    pub fn time_batches<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
        batches: u32,
        runs: u32,
    ) -> Result<Vec<f64>> {
        executable.check_replayable()?;
        let timestamps = Timestamps::around(&self.device, batches)?;
        self.run_prepared(executable, buffers, |commands, prepared| {
            // SAFETY: the command buffer is recording; the referenced objects are kept alive until it has run.
            unsafe {
                timestamps.reset(commands);
                timestamps.write(commands, 0);
                for batch in 0..batches {
                    (0..runs).for_each(|_| prepared.record(commands, Timing::None, &[]));
                    timestamps.write(commands, batch + 1);
                }
            }
        })?;
        // SAFETY: the timestamps have been written.
        let ticks = unsafe { timestamps.ticks() }?;
        Ok(timestamps.intervals(&ticks))
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
        let timestamps = Timestamps::around(&self.device, runs)?;
        let stamp = |query: u32| {
            let commands = Commands::new(&self.device)?;
            commands.record(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT, |raw| {
                // SAFETY: the command buffer is recording. The commands for query 0 reset all queries. The queries
                // outlive all submissions.
                unsafe {
                    if query == 0 {
                        timestamps.reset(raw);
                    }
                    timestamps.write(raw, query);
                }
                Ok(())
            })?;
            Ok(commands)
        };
        let stamps = (0..runs).map(stamp).collect::<Result<Vec<_>>>()?;
        let mut last = stamp(runs)?;
        first.wait()?;
        then.wait()?;
        let barrier = self.device.attached(SubmissionBarrier::new)?.commands();
        let mut commands = vec![barrier];
        for stamp in &stamps {
            commands.extend([stamp.raw(), first.raw(), barrier]);
            commands.extend(std::iter::repeat_n(then.raw(), times as usize));
            commands.push(barrier);
        }
        let at = commands.len().saturating_sub(1) / MAX_SUBMITTED * MAX_SUBMITTED;
        let (before, rest) = commands.split_at(at);
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
        let ticks = unsafe { timestamps.ticks() }?;
        Ok(timestamps.intervals(&ticks))
    }
}
