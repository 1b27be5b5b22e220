//! Keeps the device clock at its maximum during measurements.
//!
//! GPUs may lower their clock to a quarter or less if they are idle for more than half of the time, as they are if the
//! host waits for each short submission. Therefore a long job is submitted first, and the measurement is recorded
//! and queued while that job runs. The time of a fixed reference sort shows whether the clock is at its maximum.

use std::cell::{Cell, RefCell};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use multisplit::{Array, Context, Executable, Replay};

use crate::figures::median;
use crate::plans::{Planned, Target};
use crate::sort::{self, Method, Op};

/// Key count of the reference sort: small, so that its time depends on the clock and not on memory.
const REFERENCE_KEYS: u64 = 1 << 18;
/// Reference runs per measurement.
const REFERENCE_RUNS: u32 = 20;
/// Key count of the sort that keeps the device busy.
const BUSY_KEYS: u64 = 1 << 22;
/// Approximate duration of the busy work: much longer than the host needs between two submissions.
const BUSY_NANOSECONDS: f64 = 8e6;
const MAX_BUSY_RUNS: f64 = 200.0;

/// The clock counts as being at its maximum if the reference sort takes at most this many times its best time.
const TOLERANCE: f64 = 1.04;
/// If the best time of the reference sort has not improved for this long, it is assumed to be the best possible time.
const STEADY: Duration = Duration::from_millis(400);
/// Maximum time to wait until the clock is at its maximum.
const PATIENCE: Duration = Duration::from_secs(3);

/// NVIDIA's vendor id.
const NVIDIA: u32 = 0x10de;
/// Columns of the output that [`clocks`] parses.
const CLOCKS: &str = "name,clocks.sm,clocks.max.sm,clocks.mem,clocks.max.mem";

/// Keeps the device clock at its maximum, and checks whether it is.
pub struct Clock {
    reference: (Executable, Planned, Array<u32>),
    busy: RefCell<Replay>,
    busy_runs: Cell<u32>,
    /// Best time of the reference sort, in nanoseconds.
    best: Cell<f64>,
    /// Whether `best` is assumed to be the best possible time.
    known: Cell<bool>,
}

impl Clock {
    /// Prepares the reference sort and the busy work.
    pub fn new(context: &Context) -> Result<Self> {
        let sort = |n| -> Result<_> {
            let (op, method) = (Op::default().value, Method::default().value);
            let sort = sort::plan(&Target::context(context), op, method, n)?;
            Ok((context.instantiate(sort.plan.clone())?, sort, context.zeroed(n)?))
        };
        let (busy, plan, keys) = sort(BUSY_KEYS)?;
        let busy = context.replay(Arc::new(busy), &plan.bind(&[&keys]))?;
        Ok(Self {
            reference: sort(REFERENCE_KEYS)?,
            busy: RefCell::new(busy),
            busy_runs: Cell::new(1),
            best: Cell::new(f64::INFINITY),
            known: Cell::new(false),
        })
    }

    /// Submits work that keeps the device busy while the host records the next measurement.
    pub fn keep_busy(&self) -> Result<()> {
        let mut busy = self.busy.borrow_mut();
        busy.wait()?;
        Ok(busy.submit(self.busy_runs.get())?)
    }

    /// Keeps the device busy until its clock is at its maximum or a timeout expires.
    /// [`is_at_maximum`](Self::is_at_maximum) reports which.
    pub fn wait(&self, context: &Context) -> Result<()> {
        let (start, mut improved) = (Instant::now(), Instant::now());
        while start.elapsed() < PATIENCE {
            let before = self.best.get();
            let up = self.is_at_maximum(context)?;
            if self.best.get() * TOLERANCE < before {
                improved = Instant::now();
            }
            if up && (self.known.get() || improved.elapsed() > STEADY) {
                break;
            }
        }
        self.known.set(true);
        Ok(())
    }

    /// Clocks under load, as reported by `nvidia-smi`. `None` for other vendors, or if the tool fails or repeats the name.
    pub fn reported(&self, context: &Context) -> Option<String> {
        if context.properties().vendor_id != NVIDIA {
            return None;
        }
        self.wait(context).ok()?;
        let mut tool = Command::new("nvidia-smi")
            .args([&format!("--query-gpu={CLOCKS}"), "--format=csv,noheader"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let start = Instant::now();
        while tool.try_wait().ok()?.is_none() && start.elapsed() < PATIENCE {
            self.keep_busy().ok()?;
        }
        // Has no effect if the tool has already exited.
        let _ = tool.kill();
        let output = tool.wait_with_output().ok()?;
        clocks(&String::from_utf8_lossy(&output.stdout), &context.properties().name)
    }

    /// Whether the clock is at its maximum now. Runs the reference sort.
    pub fn is_at_maximum(&self, context: &Context) -> Result<bool> {
        self.keep_busy()?;
        let (executable, plan, keys) = &self.reference;
        let bound = plan.bind(&[keys]);
        let time = median(context.time_runs(executable, &bound, REFERENCE_RUNS)?);
        self.best.set(self.best.get().min(time));
        // The time of a sort grows more slowly than its key count, so divide the estimate by 4.
        let busy_run = time * (BUSY_KEYS / REFERENCE_KEYS) as f64 / 4.0;
        self.busy_runs.set((BUSY_NANOSECONDS / busy_run).clamp(1.0, MAX_BUSY_RUNS).ceil() as u32);
        Ok(time <= self.best.get() * TOLERANCE)
    }
}

/// The clocks of the device with this name, from the output of `nvidia-smi` for [`CLOCKS`]. `None` if several devices
/// have that name, because the output does not identify the one in use.
fn clocks(csv: &str, device: &str) -> Option<String> {
    let rows = csv.lines().map(|line| line.split(", ").collect::<Vec<_>>());
    let mut same = rows.filter(|row| row.first() == Some(&device));
    let (Some(row), None) = (same.next(), same.next()) else { return None };
    let [_, sm, max_sm, memory, max_memory] = row[..] else { return None };
    Some(format!("SM {sm} (maximum {max_sm}), memory {memory} (maximum {max_memory})"))
}

#[cfg(test)]
mod tests {
    use super::clocks;

    #[test]
    fn clocks_are_parsed_for_the_named_device() {
        let csv = "NVIDIA A, 345 MHz, 1980 MHz, 810 MHz, 2619 MHz\nNVIDIA B, 1, 2, 3, 4\n";
        let found = "SM 345 MHz (maximum 1980 MHz), memory 810 MHz (maximum 2619 MHz)";
        assert_eq!(clocks(csv, "NVIDIA A").as_deref(), Some(found));
        assert_eq!(clocks(csv, "NVIDIA C"), None);
        assert_eq!(clocks("NVIDIA A, no clocks\n", "NVIDIA A"), None);
        assert_eq!(clocks(&csv.replace('B', "A"), "NVIDIA A"), None, "two devices of that name");
    }
}
