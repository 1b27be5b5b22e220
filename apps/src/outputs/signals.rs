//! What becomes of unfinished files when the program is told to stop.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use multisplit_bench::console;
use tempfile::NamedTempFile;

/// Files that must not outlive the program unless they are finished.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// Held while files take their names, so that a signal finds all of them named or none.
static NAMING: Mutex<()> = Mutex::new(());
/// How long a program that was told to stop may still take to say so.
#[cfg(unix)]
const MAX_TELLING: std::time::Duration = std::time::Duration::from_secs(2);

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a file by `create`; from the moment it is there, it is removed should the program be
/// interrupted.
pub fn begin(create: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<NamedTempFile> {
    static WATCH: Once = Once::new();
    WATCH.call_once(watch);
    // An interruption waits for the lock, and so sees every file that there is.
    let mut unfinished = unfinished();
    let file = create()?;
    unfinished.push(file.path().to_owned());
    Ok(file)
}

/// Runs `finish`, after which `path` is gone. An interruption waits for it.
pub fn finished<T>(path: &Path, finish: impl FnOnce() -> T) -> T {
    let mut unfinished = unfinished();
    unfinished.retain(|other| other != path);
    finish()
}

/// The file has another name, by which it stays.
pub fn forget(path: &Path) {
    unfinished().retain(|other| other != path);
}

/// Runs `name`, for the end of which an interruption waits.
pub fn uninterrupted<T>(name: impl FnOnce() -> T) -> T {
    let _naming = NAMING.lock().unwrap_or_else(PoisonError::into_inner);
    name()
}

/// A thread of its own waits for signals: within a handler nothing could be removed.
#[cfg(unix)]
fn watch() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::{flag, low_level};

    // Past a limit on file sizes the writing fails then, where it would end the program.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let ignored = ignored_signals();
    // What the user has told the program to ignore, as nohup does, stays ignored.
    let heeded = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];
    let heeded = heeded.into_iter().filter(|signal| ignored & 1 << (signal - 1) == 0);
    // Without the watch an interruption leaves a hidden file: no reason to stop.
    let Ok(mut signals) = Signals::new(heeded) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            // Never unlocked again: nobody may begin, finish or name a file from here on.
            let _naming = NAMING.lock().unwrap_or_else(PoisonError::into_inner);
            let unfinished = unfinished();
            for path in unfinished.iter() {
                let _ = std::fs::remove_file(path);
            }
            let what = if unfinished.is_empty() { "" } else { "; no output was written" };
            let name = low_level::signal_name(signal).unwrap_or("a signal");
            tell(format!("multisplit: stopped by {name}{what}"));
            // Ends the program as the signal would have, so that a shell sees it.
            let _ = low_level::emulate_default_handler(signal);
        }
    });
}

/// Says something, but waits for nobody who does not read it.
#[cfg(unix)]
fn tell(text: String) {
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        console::say(text);
        let _ = done.send(());
    });
    let _ = is_done.recv_timeout(MAX_TELLING);
}

/// The signals that are ignored, a bit each; none where the system does not say.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(not(unix))]
fn watch() {}
