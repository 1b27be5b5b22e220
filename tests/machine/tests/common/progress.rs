//! Which kernels and places a run is asked for, how it says how far it is, and where its reports go.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::all::{full, threads};

/// Kernels that alone are wanted, by their labels (`scan` stands for all that begin with `scan.`).
const KERNELS: &str = "MULTISPLIT_KERNELS";
/// Texts of which one is in the place of every mutant that is wanted.
const PLACES: &str = "MULTISPLIT_PLACES";
/// Whether the mutants that mean the same are tried, and no others.
const LISTED: &str = "MULTISPLIT_LISTED";
/// The folder of reports.
const REPORTS: &str = "MULTISPLIT_REPORTS";
/// How often a long run says how far it is.
const EVERY: Duration = Duration::from_secs(10);

/// Whether a kernel is asked for: all are, unless some are named.
pub fn asked_kernel(label: &str) -> bool {
    let kernels = std::env::var(KERNELS).unwrap_or_default();
    let is_it = |k: &str| label == k || label.strip_prefix(k).is_some_and(|l| l.starts_with('.'));
    kernels.is_empty() || kernels.split(',').any(is_it)
}

/// The same of the place of a mutant.
pub fn asked_place(place: &str) -> bool {
    let text = std::env::var(PLACES).unwrap_or_default();
    text.split(';').any(|text| place.contains(text))
}

/// Whether some are named.
pub fn selected() -> bool {
    [KERNELS, PLACES].iter().any(|name| std::env::var(name).is_ok())
}

/// Whether those that mean the same are tried instead of all others.
pub fn listed() -> bool {
    std::env::var(LISTED).is_ok_and(|value| value == "1")
}

/// Whether every mutant of a kernel is tried.
pub fn all_mutants() -> bool {
    full() || selected() || listed()
}

/// Writes a report and says where: in the folder that is named, else in cargo's, and where the tests were
/// built elsewhere in the current one.
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

/// A line of a long run, past the capture of test output.
pub fn say(line: &str) {
    if all_mutants() {
        // Whoever does not listen need not stop the run.
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

/// What this thread has had of a core so far; where the system does not tell, what the clock says.
pub fn processor_time(begin: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| begin.elapsed(), Duration::from_nanos)
}

/// Does all jobs, as many at a time as there are cores, and says how far it is.
pub fn for_each<T: Sync>(jobs: &[T], what: &str, job: impl Fn(&T) + Sync) {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let begin = Instant::now();
    let said = Mutex::new(begin);
    let tell = || {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        let mut said = said.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if said.elapsed() >= EVERY || done == jobs.len() {
            *said = Instant::now();
            let seconds = begin.elapsed().as_secs();
            say(&format!("{done} of {} {what}, {seconds} s", jobs.len()));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads() {
            scope.spawn(|| {
                while let Some(one) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    job(one);
                    tell();
                }
            });
        }
    });
}
