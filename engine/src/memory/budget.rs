//! An optional limit on the total size of a context's buffers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes that remain under the limit.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    limit: Option<u64>,
    left: Arc<AtomicU64>,
}

/// Bytes reserved from a budget; returned on drop.
#[derive(Debug)]
pub(crate) struct Share {
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

    /// Reserves `bytes`. If they exceed the remaining bytes, returns those as the error.
    pub fn take(&self, bytes: u64) -> Result<Share, u64> {
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes))
            .map(|_| Share { left: self.left.clone(), bytes })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.left.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;

    #[test]
    fn dropped_shares_return_their_bytes() {
        let budget = Budget::new(Some(100));
        let share = budget.take(60).expect("a share");
        assert_eq!(budget.take(41).map(|_| ()), Err(40));
        drop(share);
        assert!(budget.take(100).is_ok());
        assert!(Budget::new(None).take(1 << 60).is_ok());
    }
}
