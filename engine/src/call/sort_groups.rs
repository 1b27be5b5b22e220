//! Divides segmented sorts of host arrays that exceed one plan into groups of whole segments.

use std::ops::Range;

use super::large::Extent;
use super::parts::group_end;
use crate::operations::shared::cut::Cut;
use crate::operations::sort::Sort;
use crate::policy::Policy;

/// Divides the segments of a sort of `n` keys into groups. Returns the range of keys and the sort
/// options of each group. `max_element_bytes` is the size of a key or a value, whichever is larger.
/// Returns `None` if the sort has no segments, if it fits in one plan, or if its segments are
/// invalid; in the last case, the plan reports the error.
pub(super) fn sort_groups(
    policy: &Policy,
    sort: &Sort,
    n: u64,
    max_element_bytes: u64,
) -> Option<Vec<(Range<u64>, Sort)>> {
    // Keys of 8 and 16 bits are sorted as 32-bit words.
    let max_element_bytes = max_element_bytes.max(4);
    if Extent::fits(policy, n, max_element_bytes) {
        return None;
    }
    let n = n as usize;
    let max =
        (policy.facts.max_storage_range / max_element_bytes).min(policy.max_elements) as usize;
    let (segments, bound): (usize, Box<dyn Fn(usize) -> usize>) = match &sort.cut {
        Cut::Whole => return None,
        Cut::Offsets(offsets) => {
            let ends = (offsets.first().copied(), offsets.last().map(|&end| end as usize));
            if !offsets.is_sorted() || ends != (Some(0), Some(n)) {
                return None;
            }
            (offsets.len() - 1, Box::new(|segment| offsets[segment] as usize))
        }
        Cut::Rows(length) => {
            let length = usize::try_from(*length).ok()?;
            if length == 0 || !n.is_multiple_of(length) {
                return None;
            }
            (n / length, Box::new(move |segment| segment * length))
        }
    };
    let (mut groups, mut begin) = (Vec::new(), 0);
    while begin < segments {
        // The offsets of a group must also fit in one plan. There is one more offset than segments.
        let last = segments.min(begin.saturating_add(max.saturating_sub(1).max(1)));
        let end = group_end(begin..last, max, &bound);
        let range = bound(begin) as u64..bound(end) as u64;
        let cut = match &sort.cut {
            _ if end == begin + 1 => Cut::Whole,
            Cut::Offsets(offsets) => {
                let group = &offsets[begin..=end];
                Cut::Offsets(group.iter().map(|&offset| offset - group[0]).collect())
            }
            other => other.clone(),
        };
        groups.push((range, Sort { cut, ..sort.clone() }));
        begin = end;
    }
    Some(groups)
}
