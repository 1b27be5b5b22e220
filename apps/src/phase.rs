//! Where the time of a command went: what its summary says, and with -v each phase.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::figures;

/// When the program began.
static START: OnceLock<Instant> = OnceLock::new();
/// What took how long; phases of the same name one after another, those beside each other each.
static PHASES: Mutex<Vec<(&'static str, Duration)>> = Mutex::new(Vec::new());

/// The program begins.
pub fn begin() {
    START.get_or_init(Instant::now);
}

/// Runs `body`, which is the phase `name` or a part of it, and remembers how long it took.
pub fn timed<T>(name: &'static str, body: impl FnOnce() -> T) -> T {
    add(name, Duration::ZERO);
    let start = Instant::now();
    let result = body();
    add(name, start.elapsed());
    result
}

fn add(name: &'static str, took: Duration) {
    let mut phases = PHASES.lock().unwrap_or_else(PoisonError::into_inner);
    match phases.iter_mut().find(|(known, _)| *known == name) {
        Some((_, time)) => *time += took,
        None => {
            phases.push((name, took));
            // Whoever waits for a long job sees how far it is.
            tracing::info!("{name}");
        }
    }
}

/// How long the phase `name` has taken so far.
pub fn taken(name: &str) -> Duration {
    let phases = PHASES.lock().unwrap_or_else(PoisonError::into_inner);
    phases.iter().find(|(known, _)| *known == name).map_or(Duration::ZERO, |(_, time)| *time)
}

/// How long the program has run.
pub fn total() -> String {
    shown(START.get().map_or(Duration::ZERO, Instant::elapsed))
}

/// Each phase and how long it took, and what is left of the time.
pub fn list() -> String {
    let phases = PHASES.lock().unwrap_or_else(PoisonError::into_inner);
    let each = phases.iter().map(|(name, time)| format!("{name} {}", shown(*time)));
    let total = START.get().map_or(Duration::ZERO, Instant::elapsed);
    let rest = total.saturating_sub(phases.iter().map(|(_, time)| *time).sum());
    each.chain([format!("other {}", shown(rest))]).collect::<Vec<_>>().join(", ")
}

fn shown(time: Duration) -> String {
    figures::time(time.as_secs_f64() * 1e9)
}
