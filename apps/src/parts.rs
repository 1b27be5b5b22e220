//! Splits work that does not fit in device memory, or within its limit (`--memory-limit`), into
//! parts.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::Result;
use multisplit::{Context, Error};
use multisplit_bench::progress::Bars;

/// Parts of at most this many elements are not divided. If memory is insufficient for one, the operation fails.
const MIN_PART: usize = 256;
/// Fraction of memory for arrays (numerator and denominator); the rest is for workspace and staging.
const ARRAYS: (u64, u64) = (3, 4);
/// Kernels use 30-bit element counts.
const MAX_ELEMENTS: u64 = (1 << 30) - 1;

/// Device and memory budget for an operation.
pub struct Resources<'c> {
    pub context: &'c Context,
    /// Device memory that may be used, in bytes.
    pub memory: u64,
    pub bars: Bars,
}

impl Resources<'_> {
    /// Maximum number of elements per part. An element takes `bytes` in all arrays together and `widest` in
    /// the widest one.
    pub fn max_elements(&self, bytes: u64, widest: u64) -> usize {
        let max = self.max_of_plan(widest).min(self.max_in_memory(bytes));
        usize::try_from(max).unwrap_or(usize::MAX).max(MIN_PART)
    }

    /// Maximum number of elements that fit in the memory budget. An element takes `bytes` in all
    /// arrays together.
    pub fn max_in_memory(&self, bytes: u64) -> u64 {
        self.memory / ARRAYS.1 * ARRAYS.0 / bytes
    }

    /// Maximum number of elements of one plan, whose widest array has elements of `widest` bytes.
    pub fn max_of_plan(&self, widest: u64) -> u64 {
        let limits = self.context.limits();
        let array = limits.max_storage_range.min(limits.max_buffer_size);
        (array / widest).min(MAX_ELEMENTS)
    }
}

/// Calls `each` with ranges that cover `n` elements in order, of at most `max` elements. Retries with smaller
/// ranges if memory is insufficient. If `n` is zero, calls `each` once with an empty range.
pub fn in_order(
    n: usize,
    max: usize,
    mut each: impl FnMut(Range<usize>) -> Result<()>,
) -> Result<()> {
    let (mut begin, mut part) = (0usize, max);
    loop {
        let end = n.min(begin.saturating_add(part));
        match each(begin..end) {
            Err(error) if is_out_of_memory(&error) && end - begin > MIN_PART => {
                part = (end - begin) / 2;
            }
            other => {
                other?;
                begin = end;
            }
        }
        if begin == n {
            return Ok(());
        }
    }
}

/// Calls `each` with every number below `count`, from at most `workers` threads. After an error, the threads stop and
/// the error is returned.
pub fn by_workers(
    workers: usize,
    count: usize,
    each: impl Fn(usize) -> Result<()> + Sync,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<()> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return Ok(());
            }
            each(index).inspect_err(|_| next.store(count, Ordering::Relaxed))?;
        }
    };
    thread::scope(|scope| {
        let handles: Vec<_> = (1..workers.min(count)).map(|_| scope.spawn(work)).collect();
        let mut outcome = work();
        for handle in handles {
            outcome = outcome.and(handle.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        outcome
    })
}

/// Whether `error` reports insufficient memory, so that a smaller part may succeed.
pub fn is_out_of_memory(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::OutOfMemory { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Error {
        Error::OutOfMemory { name: "keys".into(), size: 1, reason: "full".into() }
    }

    #[test]
    fn parts_cover_all_elements_in_order() -> Result<()> {
        for (n, max, expected) in
            [(0, 5, vec![(0, 0)]), (7, 3, vec![(0, 3), (3, 6), (6, 7)]), (7, 9, vec![(0, 7)])]
        {
            let mut parts = Vec::new();
            in_order(n, max, |part| {
                parts.push((part.start, part.end));
                Ok(())
            })?;
            assert_eq!(parts, expected);
        }
        Ok(())
    }

    #[test]
    fn parts_shrink_until_they_fit() {
        let mut done = 0;
        let outcome = in_order(10_000, 9000, |part| {
            if part.len() > 3000 {
                return Err(full().into());
            }
            assert_eq!(part.start, done);
            done = part.end;
            Ok(())
        });
        assert!(outcome.is_ok());
        assert_eq!(done, 10_000);
        let outcome = in_order(10_000, 9000, |_| Err(full().into()));
        assert!(outcome.is_err(), "no part fits, but no error was returned");
    }
}
