//! Are the device's clocks up? A GPU lowers its clock, to a quarter and less, not only when it has nothing
//! to do but also while it is busy for less than half of the time, as with short submissions and a host
//! that waits for each. So something long is submitted ahead of every measurement, which is recorded
//! meanwhile and queued behind it; and a sort that is always the same tells how fast the clock is.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use multisplit::{Array, Context, Executable, Replay};

use crate::figures::median;
use crate::plans::Target;
use crate::sort::{Method, Op, SortPlan};

/// Keys that the reference sorts: few, so that the clock matters and memory does not.
const REFERENCE_KEYS: u64 = 1 << 18;
/// Runs of it at a time.
const REFERENCE_RUNS: u32 = 20;
/// Keys that are sorted to keep the device busy.
const BUSY_KEYS: u64 = 1 << 22;
/// For how long, about: much longer than the host needs from the end of one submission to the next.
const BUSY_NANOSECONDS: f64 = 8e6;
const MAX_BUSY_RUNS: f64 = 200.0;

/// Clocks are up where the reference takes at most this much longer than it ever took.
const TOLERANCE: f64 = 1.04;
/// The shortest time counts as the device's best when it has been it for so long.
const STEADY: Duration = Duration::from_millis(400);
/// Clocks that are not up by then do not come up.
const PATIENCE: Duration = Duration::from_secs(3);

/// What keeps the clock up, and what reads it.
pub struct Clock {
    reference: (Executable, SortPlan, Array<u32>),
    busy: RefCell<Replay>,
    busy_runs: Cell<u32>,
    /// The fewest nanoseconds that the reference took.
    best: Cell<f64>,
    /// Whether that is the device's best.
    known: Cell<bool>,
}

impl Clock {
    /// The clock of a device.
    pub fn new(context: &Context) -> Result<Self> {
        let sort = |n| -> Result<_> {
            let target = Target::context(context);
            let plan = SortPlan::new(&target, Op::KeysU32, Method::Auto, n, true)?;
            Ok((context.instantiate(plan.plan.clone())?, plan, context.zeroed(n)?))
        };
        let (busy, plan, keys) = sort(BUSY_KEYS)?;
        let busy = context.replay(Arc::new(busy), &plan.bind::<u32>(&keys, None))?;
        Ok(Self {
            reference: sort(REFERENCE_KEYS)?,
            busy: RefCell::new(busy),
            busy_runs: Cell::new(1),
            best: Cell::new(f64::INFINITY),
            known: Cell::new(false),
        })
    }

    /// Gives the device something to do until what is measured next has been recorded.
    pub fn keep_busy(&self) -> Result<()> {
        let mut busy = self.busy.borrow_mut();
        busy.wait()?;
        Ok(busy.submit(self.busy_runs.get())?)
    }

    /// Keeps the device busy until its clocks are up. They may not come up: [`is_up`](Self::is_up)
    /// tells.
    pub fn wait(&self, context: &Context) -> Result<()> {
        let (start, mut improved) = (Instant::now(), Instant::now());
        while start.elapsed() < PATIENCE {
            let before = self.best.get();
            let up = self.is_up(context)?;
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

    /// Whether they are up now.
    pub fn is_up(&self, context: &Context) -> Result<bool> {
        self.keep_busy()?;
        let (executable, plan, keys) = &self.reference;
        let bound = plan.bind(keys, None);
        let time = median(context.time_runs(executable, &bound, REFERENCE_RUNS)?);
        self.best.set(self.best.get().min(time));
        // A sort of so many more keys takes less than so much longer.
        let busy_run = time * (BUSY_KEYS / REFERENCE_KEYS) as f64 / 4.0;
        self.busy_runs.set((BUSY_NANOSECONDS / busy_run).clamp(1.0, MAX_BUSY_RUNS).ceil() as u32);
        Ok(time <= self.best.get() * TOLERANCE)
    }
}
