//! What becomes of unfinished files when the program is told to stop.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

use tempfile::NamedTempFile;

/// Files that must not outlive the program unless they are finished.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Makes a file by `create`; from the moment it is there, it is removed should the program be
/// interrupted.
pub fn begin(create: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<NamedTempFile> {
    static WATCH: Once = Once::new();
    WATCH.call_once(watch);
    // An interruption waits for the lock, and so sees every file that there is.
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    let file = create()?;
    unfinished.push(file.path().to_owned());
    Ok(file)
}

/// Runs `finish`, after which `path` is there to stay or is gone. An interruption waits for it.
pub fn finished<T>(path: &Path, finish: impl FnOnce() -> T) -> T {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    unfinished.retain(|other| other != path);
    finish()
}

/// A thread of its own waits for signals: within a handler nothing could be removed.
#[cfg(unix)]
fn watch() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::{flag, low_level};

    // Past a limit on file sizes the writing fails then, where it would end the program.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    // Without the watch an interruption leaves a hidden file: no reason to stop.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            // Never unlocked again: nobody may begin or finish a file from here on.
            let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            for path in unfinished.iter() {
                let _ = std::fs::remove_file(path);
            }
            // Ends the program as the signal would have, so that a shell sees it.
            let _ = low_level::emulate_default_handler(signal);
        }
    });
}

#[cfg(not(unix))]
fn watch() {}
