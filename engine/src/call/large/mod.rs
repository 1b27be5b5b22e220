//! Sorts and splits arrays that exceed one plan: they have more elements than kernels can index, or
//! more bytes than a storage binding can have. Such an array is divided into pieces, and each piece
//! is split into buckets. The buckets are then concatenated in order. Within a bucket, the elements
//! of the first piece come first, then those of the second piece, and so on.
//!
//! All elements stay on the device. The host reads only bucket offsets and error counts.

mod bucket_layout;
mod narrow;
mod pieces;
mod sort;
mod split;

pub(super) use bucket_layout::fill_with_indices;
pub(super) use narrow::{narrow_array, widen_array};
pub(super) use pieces::{Destination, split_plan};
pub(super) use sort::sort_large;
pub(super) use split::split_large;

use std::ops::Range;

use super::Caller;
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::memory::AnyArray;
use crate::policy::Policy;

/// Pieces begin at multiples of this many elements. For 4-byte elements this is 256 bytes, the
/// largest offset alignment that Vulkan allows a device to require.
const ALIGNMENT: u64 = 64;

/// Keys and optional values, from element `begin` of their arrays to the end.
#[derive(Clone, Copy)]
pub(super) struct Records<'a> {
    pub key: KeyType,
    pub keys: &'a AnyArray,
    pub values: Option<&'a AnyArray>,
    pub begin: u64,
}

impl<'a> Records<'a> {
    /// Creates records from whole arrays.
    pub fn new(key: KeyType, keys: &'a AnyArray, values: Option<&'a AnyArray>) -> Self {
        Self { key, keys, values, begin: 0 }
    }

    /// The same arrays, starting at another element.
    pub fn from(self, begin: u64) -> Self {
        Self { begin, ..self }
    }

    /// Whether one plan can process all records. Keys of 8 and 16 bits are processed as 32-bit
    /// words.
    pub fn fit_one_plan(self, policy: &Policy) -> bool {
        Extent::fits(policy, self.keys.len(), self.max_element_bytes().max(4))
    }

    /// Size in bytes of a key or a value, whichever is larger.
    pub fn max_element_bytes(self) -> u64 {
        self.keys.element_bytes().max(self.values.map_or(0, AnyArray::element_bytes))
    }
}

/// Temporary arrays for keys and optional values.
struct Owned {
    key: KeyType,
    keys: AnyArray,
    values: Option<AnyArray>,
}

impl Owned {
    /// Allocates `len` elements, with values if `records` has values.
    fn like(caller: Caller<'_>, name: &str, records: Records<'_>, len: u64) -> Result<Self> {
        let like = |array: &AnyArray, part: &str| {
            AnyArray::uninit(caller.context, &format!("{name}.{part}"), array.element(), len)
        };
        let keys = like(records.keys, "keys")?;
        let values = records.values.map(|values| like(values, "values")).transpose()?;
        Ok(Self { key: records.key, keys, values })
    }

    fn records(&self) -> Records<'_> {
        Records::new(self.key, &self.keys, self.values.as_ref())
    }
}

/// Maximum lengths of the pieces of an array and of storage bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Maximum number of elements of a piece: half of what a plan can process, so that the plan
    /// needs less scratch memory.
    pub piece: u64,
    /// Maximum number of elements of a storage binding.
    pub window: u64,
}

impl Extent {
    /// Computes the lengths for arrays whose elements have at most `max_element_bytes` bytes.
    pub fn of(policy: &Policy, max_element_bytes: u64) -> Self {
        let window = policy.facts.max_storage_range / max_element_bytes.max(1);
        let piece = window.min(policy.max_elements) / 2;
        let aligned = |elements: u64| (elements / ALIGNMENT * ALIGNMENT).max(ALIGNMENT);
        Self { piece: aligned(piece), window: aligned(window) }
    }

    /// Maximum number of elements of one plan.
    pub fn of_plan(policy: &Policy, max_element_bytes: u64) -> u64 {
        policy.max_elements.min(policy.facts.max_storage_range / max_element_bytes.max(1))
    }

    /// Whether `n` elements fit one plan.
    pub fn fits(policy: &Policy, n: u64, max_element_bytes: u64) -> bool {
        n <= Self::of_plan(policy, max_element_bytes)
    }

    /// Divides a range of elements into pieces. The range must begin at a multiple of
    /// [`ALIGNMENT`].
    pub fn pieces(self, range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let begins = range.clone().step_by(usize::try_from(self.piece).unwrap_or(usize::MAX));
        begins.map(move |begin| begin..(begin + self.piece).min(range.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::test_policy;

    fn policy(max_elements: u64, max_storage_range: u64) -> Policy {
        let policy = Policy { max_elements, ..test_policy(32, 256) };
        policy.with_facts(|facts| facts.max_storage_range = max_storage_range)
    }

    #[test]
    fn pieces_and_windows_are_aligned_and_within_the_limits() {
        let max_elements = (1 << 30) - 1;
        for range in [1 << 10, 1 << 27, (1 << 30) - 1, u64::from(u32::MAX)] {
            for max_element_bytes in [4, 8, 16] {
                let policy = policy(max_elements, range);
                let Extent { piece, window } = Extent::of(&policy, max_element_bytes);
                assert!(piece > 0 && piece.is_multiple_of(ALIGNMENT) && piece <= window);
                assert!(window * max_element_bytes <= range && window.is_multiple_of(ALIGNMENT));
                assert!(
                    range == 1 << 10 || Extent::fits(&policy, piece + ALIGNMENT, max_element_bytes)
                );
                assert!(!Extent::fits(&policy, window + ALIGNMENT, max_element_bytes));
            }
        }
        assert!(Extent::fits(&policy(1000, 1 << 20), 1000, 4));
        assert!(!Extent::fits(&policy(1000, 1 << 20), 1001, 4));
        assert!(!Extent::fits(&policy(max_elements, u64::from(u32::MAX)), u64::MAX, 16));
        assert_eq!(Extent::of_plan(&policy(1000, 1 << 20), 4), 1000);
        assert_eq!(Extent::of_plan(&policy(1000, 1 << 10), 4), 256);
    }

    #[test]
    fn pieces_cover_the_range() {
        let extent = Extent::of(&policy(1000, 1 << 20), 8);
        let pieces = |range: Range<u64>| extent.pieces(range).collect::<Vec<_>>();
        assert_eq!(extent.piece, 448);
        assert_eq!(pieces(0..0), []);
        assert_eq!(pieces(64..65), vec![64..65; 1]);
        assert_eq!(pieces(0..448), vec![0..448; 1]);
        assert_eq!(pieces(64..1000), [64..512, 512..960, 960..1000]);
    }
}
