//! Processes arrays in consecutive parts if they exceed one plan or the device's memory. The results
//! of the parts are combined on the host.

use std::ops::Range;

use crate::device::Context;
use crate::error::{Error, Result};
use crate::memory::Input;
use crate::policy::MAX_ELEMENTS;

/// [`in_parts`] does not halve a part of at most this many elements. If it does not fit in memory, the call fails.
pub(super) const MIN_PART: u64 = 256;

/// Number of elements of an operation, and the device memory that they need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Footprint {
    pub elements: u64,
    /// Whether the elements are on the device.
    pub on_device: bool,
    /// Number of bytes per element, summed over all arrays.
    pub bytes_per_element: u64,
    /// Number of bytes per element of the array with the largest elements, which must fit in one
    /// storage binding. `None` if the operation itself divides arrays into several bindings.
    pub max_element_bytes: Option<u64>,
}

impl Footprint {
    /// Footprint of an operation on `input`. `arrays` contains the bytes per element of each array.
    pub fn new(input: Input<'_>, arrays: &[u64]) -> Self {
        let (elements, on_device) = (input.len(), input.is_borrowed());
        let bytes_per_element = arrays.iter().sum();
        let max_element_bytes = arrays.iter().copied().max();
        Self { elements, on_device, bytes_per_element, max_element_bytes }
    }

    /// Maximum number of elements of one plan, limited by the size of a storage binding.
    fn bindable(self, context: &Context) -> u64 {
        let Some(bytes) = self.max_element_bytes else { return u64::MAX };
        let policy = context.policy();
        (policy.facts.max_storage_range / bytes.max(1)).min(policy.max_elements).min(MAX_ELEMENTS)
    }

    /// Whether the elements are already on the device and fit one plan.
    pub fn is_one_plan(self, context: &Context) -> bool {
        self.on_device && self.elements <= self.bindable(context)
    }

    /// Maximum number of elements of one part, limited by the size of a storage binding and by the
    /// device's memory.
    pub fn max_part(self, context: &Context) -> u64 {
        let memory = context.properties().device_memory;
        let memory = context.device.memory_limit.map_or(memory, |limit| limit.min(memory));
        self.bindable(context).min(memory / self.bytes_per_element.max(1)).max(MIN_PART)
    }
}

/// Calls `each` with consecutive ranges of `0..n` that have at most `max` items. If a range does not
/// fit in memory and has more than `min` items, it is halved and retried. If `n` is 0, `each` is
/// called once, with an empty range.
pub(super) fn in_parts_of(
    n: u64,
    (min, max): (u64, u64),
    each: &mut dyn FnMut(Range<u64>) -> Result<()>,
) -> Result<()> {
    let (mut begin, mut part) = (0u64, max.max(1));
    loop {
        let end = n.min(begin.saturating_add(part));
        match each(begin..end) {
            Err(error) if is_out_of_memory(&error) && end - begin > min => {
                part = (end - begin).div_ceil(2);
                tracing::debug!(%error, part, "a part did not fit in memory; continuing with smaller parts");
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

/// Like [`in_parts_of`], with a minimum of [`MIN_PART`] elements.
pub(super) fn in_parts(
    n: u64,
    max: u64,
    each: &mut dyn FnMut(Range<u64>) -> Result<()>,
) -> Result<()> {
    in_parts_of(n, (MIN_PART, max), each)
}

/// Returns the end of the longest group of consecutive segments that begins at `segments.start` and
/// has at most `max` elements. A group has at least one segment, even if it exceeds `max`. Segment s
/// begins at element `bound(s)`.
pub(super) fn group_end(
    segments: Range<usize>,
    max: usize,
    bound: impl Fn(usize) -> usize,
) -> usize {
    let first = bound(segments.start);
    let (mut low, mut high) = (segments.start + 1, segments.end);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if bound(middle) - first <= max {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// Whether processing a smaller part may avoid the error.
pub(super) fn is_out_of_memory(error: &Error) -> bool {
    matches!(error, Error::OutOfMemory { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Error {
        Error::OutOfMemory { name: "keys".into(), size: 1, reason: "full".into() }
    }

    #[test]
    fn parts_cover_all_elements_in_order() {
        for (n, max, expected) in
            [(0, 5, &[(0, 0)][..]), (7, 3, &[(0, 3), (3, 6), (6, 7)]), (7, 9, &[(0, 7)])]
        {
            let mut parts = Vec::new();
            let outcome = in_parts(n, max, &mut |part| {
                parts.push((part.start, part.end));
                Ok(())
            });
            assert!(outcome.is_ok());
            assert_eq!(parts, expected);
        }
    }

    #[test]
    fn segment_groups_have_at_most_the_maximum_length_or_one_segment() {
        let bounds = [0, 3, 3, 5, 20, 21];
        let end = |segments| group_end(segments, 5, |segment| bounds[segment]);
        assert_eq!([end(0..5), end(0..2), end(1..5), end(3..5), end(4..5)], [3, 2, 3, 4, 5]);
    }

    #[test]
    fn parts_are_halved_until_they_fit_in_memory() {
        let mut done = 0;
        let outcome = in_parts(10_000, 9000, &mut |part| {
            if part.end - part.start > 3000 {
                return Err(full());
            }
            assert_eq!(part.start, done);
            done = part.end;
            Ok(())
        });
        assert!(outcome.is_ok());
        assert_eq!(done, 10_000);
        let never_fits = in_parts(10_000, 9000, &mut |_| Err(full()));
        assert!(never_fits.is_err(), "the call succeeded although no part fits");
    }
}
