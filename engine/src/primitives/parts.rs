//! Arrays that one plan cannot hold, or that do not fit the device's memory with their results: they are
//! processed in consecutive parts, whose results are combined on the host.

use std::ops::Range;

use super::policy::MAX_ELEMENTS;
use crate::device::context::Context;
use crate::error::{Error, Result};

/// Minimum elements of a part. A part of this size that does not fit the memory is an error.
const MIN_PART: u64 = 256;

/// Device memory per element of an operation's arrays.
#[derive(Clone, Copy, Debug)]
pub(in crate::primitives) struct Footprint {
    /// Bytes per element in all arrays together.
    pub total: u64,
    /// Bytes per element in the widest array. `None` if the operation binds arrays of any size.
    pub widest: Option<u64>,
}

impl Context {
    /// Maximum elements of one part: what a storage binding and the memory hold.
    pub(in crate::primitives) fn part_elements(&self, footprint: Footprint) -> u64 {
        let policy = self.policy();
        let bindable = footprint.widest.map_or(u64::MAX, |bytes| {
            (policy.max_storage_range / bytes.max(1)).min(policy.max_elements).min(MAX_ELEMENTS)
        });
        let memory = self.properties().device_memory;
        let memory = self.device.memory_limit.map_or(memory, |limit| limit.min(memory));
        bindable.min(memory / footprint.total.max(1)).max(MIN_PART)
    }
}

/// Calls `each` with consecutive ranges of `0..n` of at most `max` items. A range that does not fit the
/// memory is halved and tried again, unless it has at most `min` items. `n == 0` is one empty range.
pub(in crate::primitives) fn in_parts_of(
    n: u64,
    (min, max): (u64, u64),
    mut each: impl FnMut(Range<u64>) -> Result<()>,
) -> Result<()> {
    let (mut begin, mut part) = (0u64, max.max(1));
    loop {
        let end = n.min(begin.saturating_add(part));
        match each(begin..end) {
            Err(error) if is_out_of_memory(&error) && end - begin > min => {
                part = (end - begin).div_ceil(2);
                tracing::debug!(%error, part, "smaller parts");
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

/// The same for elements, of which there is a minimum.
pub(in crate::primitives) fn in_parts(
    n: u64,
    max: u64,
    each: impl FnMut(Range<u64>) -> Result<()>,
) -> Result<()> {
    in_parts_of(n, (MIN_PART, max), each)
}

/// Appends the result of a part. The result of the first part is moved.
pub(in crate::primitives) fn append<T>(all: &mut Vec<T>, mut part: Vec<T>) {
    if all.is_empty() {
        *all = part;
    } else {
        all.append(&mut part);
    }
}

/// Whether a smaller part may succeed.
pub(in crate::primitives) fn is_out_of_memory(error: &Error) -> bool {
    matches!(error, Error::OutOfMemory { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Error {
        Error::OutOfMemory { name: "keys".into(), size: 1, reason: "full".into() }
    }

    #[test]
    fn parts_cover_everything_in_order() {
        for (n, max, expected) in
            [(0, 5, vec![0..0]), (7, 3, vec![0..3, 3..6, 6..7]), (7, 9, vec![0..7])]
        {
            let mut parts = Vec::new();
            let outcome = in_parts(n, max, |part| {
                parts.push(part);
                Ok(())
            });
            assert!(outcome.is_ok());
            assert_eq!(parts, expected);
        }
    }

    #[test]
    fn parts_shrink_until_they_fit() {
        let mut done = 0;
        let outcome = in_parts(10_000, 9000, |part| {
            if part.end - part.start > 3000 {
                return Err(full());
            }
            assert_eq!(part.start, done);
            done = part.end;
            Ok(())
        });
        assert!(outcome.is_ok());
        assert_eq!(done, 10_000);
        assert!(in_parts(10_000, 9000, |_| Err(full())).is_err(), "nothing ever fits");
    }
}
