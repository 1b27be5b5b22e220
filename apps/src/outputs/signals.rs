//! Removes unfinished files when a signal interrupts the program (on Unix).

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use multisplit_bench::console;
use tempfile::NamedTempFile;

/// Unfinished files, which must be removed if the program is interrupted.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// Held while files are renamed, so that a signal finds either all or none of them renamed.
static NAMING: Mutex<()> = Mutex::new(());
/// Maximum time to print a message after an interruption.
#[cfg(unix)]
const PRINT_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(2);

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a file with `create` and registers it. An interruption removes the file until it is unregistered.
pub fn begin(create: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<NamedTempFile> {
    static WATCH: Once = Once::new();
    WATCH.call_once(watch);
    // The signal thread waits for this lock, so it finds every file that exists.
    let mut unfinished = unfinished();
    let file = create()?;
    unfinished.push(file.path().to_owned());
    Ok(file)
}

/// Unregisters `path` and runs `finish`, which removes the file. An interruption waits until it returns.
pub fn finished<T>(path: &Path, finish: impl FnOnce() -> T) -> T {
    let mut unfinished = unfinished();
    unfinished.retain(|other| other != path);
    finish()
}

/// Unregisters a file that has been renamed and must be kept.
pub fn forget(path: &Path) {
    unfinished().retain(|other| other != path);
}

/// Runs `rename`. An interruption waits until it returns.
pub fn uninterrupted<T>(rename: impl FnOnce() -> T) -> T {
    let _naming = NAMING.lock().unwrap_or_else(PoisonError::into_inner);
    rename()
}

/// Starts a thread that waits for signals, because a signal handler cannot safely remove files.
#[cfg(unix)]
fn watch() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::{flag, low_level};

    // With a handler for SIGXFSZ, a write beyond the file size limit fails instead of ending the program.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let ignored = ignored_signals();
    // Signals that were ignored at start, for example by nohup, stay ignored.
    let handled = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];
    let handled = handled.into_iter().filter(|signal| ignored & 1 << (signal - 1) == 0);
    // Without the thread, an interruption leaves a hidden file, which is harmless.
    let Ok(mut signals) = Signals::new(handled) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            // The locks are held until the process ends, so no file can be created, finished or renamed from here on.
            let _naming = NAMING.lock().unwrap_or_else(PoisonError::into_inner);
            let unfinished = unfinished();
            for path in unfinished.iter() {
                let _ = std::fs::remove_file(path);
            }
            let what = if unfinished.is_empty() { "" } else { "; no output file was written" };
            let name = low_level::signal_name(signal).unwrap_or("a signal");
            print(format!("multisplit: stopped by {name}{what}"));
            // Terminate with the default action of the signal, so that the shell can report the signal.
            let _ = low_level::emulate_default_handler(signal);
        }
    });
}

/// Prints a message. If standard error blocks, gives up after [`PRINT_TIMEOUT`].
#[cfg(unix)]
fn print(text: String) {
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        console::say(text);
        let _ = done.send(());
    });
    let _ = is_done.recv_timeout(PRINT_TIMEOUT);
}

/// Bit mask of ignored signals; 0 if the system does not report it.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(not(unix))]
fn watch() {}
