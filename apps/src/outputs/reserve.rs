//! On Linux, reserves disk space for an output of known size in the background. A full disk is detected early, and
//! writing is faster because the space is already allocated.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Bytes to reserve between two checks of the stop flag.
#[cfg(target_os = "linux")]
const STEP_BYTES: u64 = 64 << 20;

/// A thread that reserves space; dropping it stops the thread.
pub struct Reserving {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Reserving {
    /// Starts to reserve `bytes` bytes. The size of the file does not change.
    pub fn begin(file: File, bytes: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let take = move || reserve(&file, bytes, &stopped);
        Self { stop, thread: std::thread::Builder::new().spawn(take).ok() }
    }

    /// Stops the thread. Returns an error if the disk or a quota is full, or if the file would be too large.
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
        // The output is abandoned, so errors do not matter.
        let _ = self.end();
    }
}

#[cfg(target_os = "linux")]
fn reserve(file: &File, bytes: u64, stopped: &AtomicBool) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::Errno;
    // Reserve nothing if there is too little space, because other programs write to the disk too.
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
            // Some file systems do not support this. Writing then detects a full disk.
            Err(_) => break,
        }
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn reserve(_: &File, _: u64, _: &AtomicBool) -> io::Result<()> {
    Ok(())
}
