//! Selection of kernels and mutants, parallel jobs with progress messages, and reports.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Environment variable: labels of the kernels to test, separated by commas (`scan` includes all
/// labels that begin with `scan.`).
const KERNELS: &str = "MULTISPLIT_KERNELS";
/// Environment variable: texts separated by semicolons. Only mutants whose place contains at least
/// one of these texts are tried.
const PLACES: &str = "MULTISPLIT_PLACES";
/// Environment variable: set to 1 to try only mutants that are listed as equivalent.
const LISTED: &str = "MULTISPLIT_LISTED";
/// Environment variable: the folder for reports.
const REPORTS: &str = "MULTISPLIT_REPORTS";
/// Interval of progress messages.
const EVERY: Duration = Duration::from_secs(10);

/// Whether to run every case instead of a sample.
pub fn full() -> bool {
    std::env::var("MULTISPLIT_FULL").is_ok_and(|v| !v.is_empty() && v != "0")
}

/// Number of worker threads: one per core.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// The index of the part to run and the number of parts, from `MULTISPLIT_PART=K/N`. K counts from
/// 1, the index from 0. Runs that are not full have one part.
pub fn part() -> (usize, usize) {
    let given = std::env::var("MULTISPLIT_PART").ok().filter(|_| full());
    let parsed = given.and_then(|text| {
        let (part, parts) = text.split_once('/')?;
        Some((part.parse::<usize>().ok()?.checked_sub(1)?, parts.parse().ok()?))
    });
    parsed.unwrap_or((0, 1))
}

/// Whether a kernel is selected. Without a selection, all kernels are.
pub fn is_kernel_selected(label: &str) -> bool {
    let kernels = std::env::var(KERNELS).unwrap_or_default();
    let is_it = |k: &str| label == k || label.strip_prefix(k).is_some_and(|l| l.starts_with('.'));
    kernels.is_empty() || kernels.split(',').any(is_it)
}

/// Whether the place of a mutant is selected.
pub fn is_place_selected(place: &str) -> bool {
    let text = std::env::var(PLACES).unwrap_or_default();
    text.split(';').any(|text| place.contains(text))
}

/// Whether kernels or places are selected.
pub fn selected() -> bool {
    [KERNELS, PLACES].iter().any(|name| std::env::var(name).is_ok())
}

/// Whether only the mutants that are listed as equivalent are tried.
pub fn listed() -> bool {
    std::env::var(LISTED).is_ok_and(|v| !v.is_empty() && v != "0")
}

/// Whether all selected mutants are tried, instead of a sample.
pub fn all_mutants() -> bool {
    full() || selected() || listed()
}

/// Writes a report and returns its path. The folder is `MULTISPLIT_REPORTS` if set, else cargo's
/// temporary folder if it exists, else the current folder.
pub fn write_report(name: &str, text: &str) -> Result<PathBuf> {
    let of_cargo = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = match std::env::var_os(REPORTS) {
        Some(folder) => PathBuf::from(folder),
        None if of_cargo.is_dir() => of_cargo.to_owned(),
        None => PathBuf::from("."),
    };
    let path = folder.join(name);
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// Prints a progress line, bypassing the capture of test output, unless only a sample is tested.
pub fn say(line: &str) {
    if all_mutants() {
        // The run continues even if stderr is closed.
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

/// Runs `work`. Returns its result and its processor time, or its wall-clock time if the system
/// does not report processor time.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begin = Instant::now();
    let now = || {
        let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let nanoseconds = schedstat.and_then(|text| text.split(' ').next()?.parse().ok());
        nanoseconds.map_or_else(|| begin.elapsed(), Duration::from_nanos)
    };
    let before = now();
    let result = work();
    (result, now().saturating_sub(before))
}

/// Locks a mutex, even if another thread panicked.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs all jobs in parallel on all cores, and prints progress.
pub fn for_each<T: Sync>(jobs: &[T], what: &str, job: impl Fn(&T) + Sync) {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let begin = Instant::now();
    let last_report = Mutex::new(begin);
    let count_done = || {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        let mut last_report = lock(&last_report);
        if last_report.elapsed() >= EVERY || done == jobs.len() {
            *last_report = Instant::now();
            let seconds = begin.elapsed().as_secs();
            say(&format!("{done} of {} {what}, {seconds} s", jobs.len()));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads() {
            scope.spawn(|| {
                while let Some(one) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    job(one);
                    count_done();
                }
            });
        }
    });
}
