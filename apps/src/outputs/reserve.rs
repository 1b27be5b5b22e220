//! Room on the disk for an output whose size is known, taken while the work is done: a full disk is
//! then found early, and writing finds its pages there.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Taken at a time, between two looks at whether it is still wanted.
#[cfg(target_os = "linux")]
const STEP_BYTES: u64 = 64 << 20;

/// A thread that takes room; dropping stops it.
pub struct Reserving {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Reserving {
    /// Begins to take room for so many bytes. The size of the file stays what it is.
    pub fn begin(file: File, bytes: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let take = move || reserve(&file, bytes, &stopped);
        Self { stop, thread: std::thread::Builder::new().spawn(take).ok() }
    }

    /// Stops; an error where the disk is full.
    pub fn finish(mut self) -> io::Result<()> {
        self.end()
    }

    fn end(&mut self) -> io::Result<()> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().map_or(Ok(()), |thread| thread.join().unwrap_or(Ok(())))
    }
}

impl Drop for Reserving {
    fn drop(&mut self) {
        // Nobody writes to it any more.
        let _ = self.end();
    }
}

#[cfg(target_os = "linux")]
fn reserve(file: &File, bytes: u64, stopped: &AtomicBool) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::Errno;
    // What cannot be had is not taken, not even for a moment: others write to the disk too.
    if let Ok(disk) = rustix::fs::fstatvfs(file)
        && disk.f_bavail.saturating_mul(disk.f_frsize) < bytes
    {
        return Err(Errno::NOSPC.into());
    }
    let mut at = 0;
    while at < bytes && !stopped.load(Ordering::Relaxed) {
        let step = STEP_BYTES.min(bytes - at);
        match fallocate(file, FallocateFlags::KEEP_SIZE, at, step) {
            Ok(()) => at += step,
            Err(Errno::INTR) => {}
            Err(full @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) => return Err(full.into()),
            // Some file systems cannot; then writing tells.
            Err(_) => break,
        }
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn reserve(_: &File, _: u64, _: &AtomicBool) -> io::Result<()> {
    Ok(())
}
