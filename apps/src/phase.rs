//! Times the phases of a command on the host, and the kernels that ran in each.

use std::cell::RefCell;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use multisplit_bench::figures;

static START: OnceLock<Instant> = OnceLock::new();
/// Phases, ordered by their first start.
static PHASES: Mutex<Vec<Phase>> = Mutex::new(Vec::new());

thread_local! {
    /// For each open phase of this thread, its name and the time spent in nested phases.
    static OPEN: RefCell<Vec<(&'static str, Duration)>> = const { RefCell::new(Vec::new()) };
}

/// Accumulated time of all phases with the same name, on all threads.
struct Phase {
    name: &'static str,
    time: Duration,
    /// Kernel time, by the device's timestamps; `None` if no kernel was timed.
    device: Option<Duration>,
}

/// Records the start time of the program.
pub fn begin() {
    START.get_or_init(Instant::now);
}

/// Runs `body`, and adds its time to the phase `name`, except the time of nested phases. Returns the result of `body`.
pub fn timed<T>(name: &'static str, body: impl FnOnce() -> T) -> T {
    with(name, |_| ());
    OPEN.with_borrow_mut(|open| open.push((name, Duration::ZERO)));
    let start = Instant::now();
    let result = body();
    let took = start.elapsed();
    let inside = OPEN.with_borrow_mut(|open| {
        let inside = open.pop().map_or(Duration::ZERO, |(_, inside)| inside);
        if let Some((_, outer)) = open.last_mut() {
            *outer += took;
        }
        inside
    });
    with(name, |phase| phase.time += took.saturating_sub(inside));
    result
}

/// Adds kernel time to the current phase of this thread.
pub fn add_device_time(nanoseconds: f64) {
    let name = OPEN.with_borrow(|open| open.last().map_or("other kernels", |(name, _)| name));
    let time = Duration::from_secs_f64(nanoseconds.max(0.0) / 1e9);
    with(name, |phase| phase.device = Some(phase.device.unwrap_or_default() + time));
}

/// Calls `change` with the phase `name`, which is created if it does not exist.
fn with(name: &'static str, change: impl FnOnce(&mut Phase)) {
    let mut phases = PHASES.lock().unwrap_or_else(PoisonError::into_inner);
    let found = phases.iter().position(|phase| phase.name == name);
    let index = found.unwrap_or_else(|| {
        phases.push(Phase { name, time: Duration::ZERO, device: None });
        // Log the start of a phase, to show the progress of a long job.
        tracing::info!("{name}");
        phases.len() - 1
    });
    change(&mut phases[index]);
}

/// Time that the phase `name` has taken so far.
pub fn time_of(name: &str) -> Duration {
    let phases = PHASES.lock().unwrap_or_else(PoisonError::into_inner);
    phases.iter().find(|phase| phase.name == name).map_or(Duration::ZERO, |phase| phase.time)
}

/// Formats the time of an operation for its summary: the time of all kernels so far, or of the phase `name` if no
/// kernel was timed, because the device has no timestamps or the input is empty.
pub fn of_kernels(name: &str) -> String {
    let phases = PHASES.lock().unwrap_or_else(PoisonError::into_inner);
    let device = phases.iter().filter_map(|phase| phase.device).reduce(|a, b| a + b);
    drop(phases);
    match device {
        Some(time) => format!("{} of device time", format_time(time)),
        None => format_time(time_of(name)),
    }
}

/// Formats the elapsed time of the program.
pub fn total() -> String {
    format_time(START.get().map_or(Duration::ZERO, Instant::elapsed))
}

/// Lists the time of each phase and the remaining time. A phase with kernels is split into kernel time and
/// the rest, which is transfers and host work.
pub fn list() -> String {
    let phases = PHASES.lock().unwrap_or_else(PoisonError::into_inner);
    let each = phases.iter().map(|Phase { name, time, device }| {
        let phase = format!("{name} {}", format_time(*time));
        let Some(device) = device else { return phase };
        let rest = format_time(time.saturating_sub(*device));
        format!("{phase} (kernels {}, transfers and host {rest})", format_time(*device))
    });
    let total = START.get().map_or(Duration::ZERO, Instant::elapsed);
    let rest = total.saturating_sub(phases.iter().map(|phase| phase.time).sum());
    each.chain([format!("other {}", format_time(rest))]).collect::<Vec<_>>().join(", ")
}

/// Formats a time with a unit.
pub fn format_time(time: Duration) -> String {
    figures::time(time.as_secs_f64() * 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, because the phases are global to the process.
    #[test]
    fn phase_times_exclude_nested_phases() {
        let pause = Duration::from_millis(20);
        timed("outer of a test", || {
            timed("inner of a test", || std::thread::sleep(pause));
            add_device_time(3e6);
        });
        assert!(time_of("inner of a test") >= pause);
        assert!(time_of("outer of a test") < pause);
        assert_eq!(of_kernels("outer of a test"), "3.00 ms of device time");
        assert!(list().contains("(kernels 3.00 ms, transfers and host "), "{}", list());
    }
}
