//! Where the time of a command goes: phases of the host, and how long the device ran in each.

use std::cell::RefCell;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use multisplit_bench::figures;

/// When the program began.
static START: OnceLock<Instant> = OnceLock::new();
/// In the order in which they began.
static PHASES: Mutex<Vec<Phase>> = Mutex::new(Vec::new());

thread_local! {
    /// The phases that this thread is in, and the time of the phases inside each of them.
    static OPEN: RefCell<Vec<(&'static str, Duration)>> = const { RefCell::new(Vec::new()) };
}

/// A phase so far: phases of the same name are added up, also those of several threads.
struct Phase {
    name: &'static str,
    time: Duration,
    /// Kernel time, by the device's timestamps; `None` if no kernel was timed.
    device: Option<Duration>,
}

/// The program begins.
pub fn begin() {
    START.get_or_init(Instant::now);
}

/// Runs `body`, which is the phase `name` or a part of it, and adds its time, without the time of the phases
/// inside it.
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

/// Adds kernel time to the phase that this thread is in.
pub fn add_device_time(nanoseconds: f64) {
    let name = OPEN.with_borrow(|open| open.last().map_or("other kernels", |(name, _)| name));
    let time = Duration::from_secs_f64(nanoseconds.max(0.0) / 1e9);
    with(name, |phase| phase.device = Some(phase.device.unwrap_or_default() + time));
}

fn with(name: &'static str, change: impl FnOnce(&mut Phase)) {
    let mut phases = PHASES.lock().unwrap_or_else(PoisonError::into_inner);
    let found = phases.iter().position(|phase| phase.name == name);
    let index = found.unwrap_or_else(|| {
        phases.push(Phase { name, time: Duration::ZERO, device: None });
        // Whoever waits for a long job sees how far it is.
        tracing::info!("{name}");
        phases.len() - 1
    });
    change(&mut phases[index]);
}

/// How long the phase `name` has taken so far.
pub fn taken(name: &str) -> Duration {
    let phases = PHASES.lock().unwrap_or_else(PoisonError::into_inner);
    phases.iter().find(|phase| phase.name == name).map_or(Duration::ZERO, |phase| phase.time)
}

/// The time of an operation, for its summary: that of its kernels, or if no kernel was timed (the device has no
/// timestamps, or there was nothing to do) that of the phase `name`.
pub fn of_kernels(name: &str) -> String {
    let phases = PHASES.lock().unwrap_or_else(PoisonError::into_inner);
    let device = phases.iter().filter_map(|phase| phase.device).reduce(|a, b| a + b);
    drop(phases);
    match device {
        Some(time) => format!("{} of device time", shown(time)),
        None => shown(taken(name)),
    }
}

/// How long the program has run.
pub fn total() -> String {
    shown(START.get().map_or(Duration::ZERO, Instant::elapsed))
}

/// Each phase and how long it took, and what is left of the time. A phase in which kernels ran is split into their
/// time and the rest: transfers, and work on the host.
pub fn list() -> String {
    let phases = PHASES.lock().unwrap_or_else(PoisonError::into_inner);
    let each = phases.iter().map(|Phase { name, time, device }| match device {
        None => format!("{name} {}", shown(*time)),
        Some(device) => {
            let rest = shown(time.saturating_sub(*device));
            format!(
                "{name} {} (kernels {}, transfers and host {rest})",
                shown(*time),
                shown(*device)
            )
        }
    });
    let total = START.get().map_or(Duration::ZERO, Instant::elapsed);
    let rest = total.saturating_sub(phases.iter().map(|phase| phase.time).sum());
    each.chain([format!("other {}", shown(rest))]).collect::<Vec<_>>().join(", ")
}

/// A time with a unit.
pub fn shown(time: Duration) -> String {
    figures::time(time.as_secs_f64() * 1e9)
}

#[cfg(test)]
mod tests {
    use super::{add_device_time, list, of_kernels, taken, timed};
    use std::time::Duration;

    /// One test, because the phases are those of the whole process.
    #[test]
    fn phases_exclude_the_phases_inside_them() {
        let pause = Duration::from_millis(20);
        timed("outer of a test", || {
            timed("inner of a test", || std::thread::sleep(pause));
            add_device_time(3e6);
        });
        assert!(taken("inner of a test") >= pause);
        assert!(taken("outer of a test") < pause);
        assert_eq!(of_kernels("outer of a test"), "3.00 ms of device time");
        assert!(list().contains("(kernels 3.00 ms, transfers and host "), "{}", list());
    }
}
