//! Division of an array into segments that the host knows: rows of one length, or offsets.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::operations::shared::Count;

/// Division of an array into segments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Cut {
    /// The array is one segment.
    #[default]
    Whole,
    /// Start of each segment, and the end of the last one.
    Offsets(Arc<[u32]>),
    /// Rows of this length.
    Rows(u64),
}

/// Problem of an empty array of offsets.
pub const NO_OFFSETS: &str = "there are no offsets; give one more offset than there are segments";

/// Checks that the segments begin with the first of `n` elements and end with the last one. Returns the lengths of the
/// shortest non-empty segment and of the longest segment.
pub fn segment_lengths(offsets: &[u32], n: Count) -> Result<[u64; 2]> {
    let refuse = |problem| Err(Error::Segments { problem });
    let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else {
        return refuse(NO_OFFSETS);
    };
    if first != 0 {
        return refuse("the first offset must be 0");
    }
    if !offsets.is_sorted() {
        return refuse("an offset is less than the previous one; sort the offsets");
    }
    if n != Count::Host(last.into()) {
        return refuse(
            "offsets on the host need a host count of elements, equal to the last offset",
        );
    }
    let lengths = offsets.windows(2).map(|both| u64::from(both[1] - both[0]));
    let longest = lengths.clone().max().unwrap_or(0);
    let shortest = lengths.filter(|&length| length > 0).min().unwrap_or(0);
    Ok([shortest, longest])
}
