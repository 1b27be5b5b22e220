//! An optional limit on the total size of a context's buffers.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// The number of bytes that remain under the limit.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    limit: Option<u64>,
    left: Arc<AtomicU64>,
}

/// Bytes reserved from a budget; returned on drop.
#[derive(Debug)]
pub(crate) struct Reservation {
    left: Arc<AtomicU64>,
    bytes: u64,
}

impl Budget {
    pub fn new(limit: Option<u64>) -> Self {
        Self { limit, left: Arc::new(AtomicU64::new(limit.unwrap_or(u64::MAX))) }
    }

    pub fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// Reserves `bytes` for the buffer called `name`. Fails if they exceed the remaining bytes.
    pub fn take(&self, name: &str, bytes: u64) -> Result<Reservation> {
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes))
            .map(|_| Reservation { left: self.left.clone(), bytes })
            .map_err(|left| {
                let reason = format!("only {left} bytes of the memory limit are left");
                out_of_memory(name, bytes, &reason)
            })
    }
}

pub(super) fn out_of_memory(name: &str, size: u64, reason: &dyn Display) -> Error {
    Error::OutOfMemory { name: name.to_owned(), size, reason: reason.to_string() }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.left.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Error};

    #[test]
    fn dropped_reservations_return_their_bytes_to_the_budget() {
        let budget = Budget::new(Some(100));
        let reservation = budget.take("keys", 60).expect("60 of 100 bytes can be reserved");
        let Err(Error::OutOfMemory { name, size: 41, reason }) = budget.take("keys", 41) else {
            panic!("expected OutOfMemory: 41 bytes requested, 40 left");
        };
        assert_eq!(name, "keys");
        assert!(reason.contains("only 40 bytes"), "expected `only 40 bytes` in: {reason}");
        drop(reservation);
        assert!(budget.take("keys", 100).is_ok());
        assert!(Budget::new(None).take("keys", 1 << 60).is_ok());
    }
}
