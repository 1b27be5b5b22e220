//! How work that does not fit the device's memory, or the limit on it, is cut into parts.

use std::ops::Range;

use anyhow::Result;
use multisplit::{Context, Error};
use multisplit_bench::progress::Bars;

/// A part is at least so many elements: with less room than they take, it is an error.
const MIN_PART: usize = 256;
/// Of the memory, the arrays get three quarters; the rest is for workspace and staging.
const ARRAYS: (u64, u64) = (3, 4);
/// Kernels count elements in 30 bits.
const MAX_ELEMENTS: u64 = (1 << 30) - 1;

/// Where work is done, and with how much memory.
pub struct Room<'c> {
    pub context: &'c Context,
    /// Bytes of the device's memory that it may take.
    pub memory: u64,
    pub bars: Bars,
}

impl Room<'_> {
    /// How many elements fit, where an element takes `bytes` in all arrays together and `widest`
    /// in the widest one.
    pub fn max_elements(&self, bytes: u64, widest: u64) -> usize {
        let max = self.max_of_plan(widest).min(self.max_in_memory(bytes));
        usize::try_from(max).unwrap_or(usize::MAX).max(MIN_PART)
    }

    /// How many elements fit the memory, where an element takes `bytes` in all arrays together.
    pub fn max_in_memory(&self, bytes: u64) -> u64 {
        self.memory / ARRAYS.1 * ARRAYS.0 / bytes
    }

    /// How many elements one plan takes, of `widest` bytes in the widest array.
    pub fn max_of_plan(&self, widest: u64) -> u64 {
        let limits = self.context.limits();
        let array = limits.max_storage_range.min(limits.max_buffer_size);
        (array / widest).min(MAX_ELEMENTS)
    }
}

/// Gives `each` the parts of `n` elements in order, at most `max` at a time; fewer once memory
/// turns out not to suffice. There is one part of nothing where `n` is zero.
pub fn in_order(
    n: usize,
    max: usize,
    mut each: impl FnMut(Range<usize>) -> Result<()>,
) -> Result<()> {
    let (mut begin, mut part) = (0usize, max);
    loop {
        let end = n.min(begin.saturating_add(part));
        match each(begin..end) {
            Err(error) if no_room(&error) && end - begin > MIN_PART => part = (end - begin) / 2,
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

/// Whether `error` is one that a smaller part does not have.
pub fn no_room(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::OutOfMemory { .. }))
}

#[cfg(test)]
mod tests {
    use super::in_order;
    use anyhow::Result;
    use multisplit::Error;

    fn full() -> Error {
        Error::OutOfMemory { name: "keys".into(), size: 1, reason: "full".into() }
    }

    #[test]
    fn parts_cover_everything_in_order() -> Result<()> {
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
        assert!(in_order(10_000, 9000, |_| Err(full().into())).is_err(), "nothing ever fits");
    }
}
