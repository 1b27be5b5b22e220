//! Sorts arrays that exceed one plan.
//!
//! The pieces of the array are split by the top digit of the keys, and the buckets of all pieces
//! are concatenated. Neighbouring buckets that together are at most as long as a piece are then
//! sorted in place. A longer bucket is split again by the next digit. A split writes to a second
//! array of the same size, and concatenating the buckets moves the elements back.

use std::ops::Range;

use super::bucket_layout::{BucketLayout, copy_unaligned};
use super::pieces::{Destination, SplitPiece};
use super::{ALIGNMENT, Extent, Owned, Records};
use crate::call::Caller;
use crate::error::Result;
use crate::operations::copy;
use crate::operations::sort::{
    DIGIT_BITS, KeyedSort, Sort, SortBuffers, SortMethod, check_bits, check_policy, sort,
};
use crate::operations::split::{Bucket, Buckets};

/// Sorts arrays of any length in place. Values of equal keys keep their order.
pub(in crate::call) fn sort_large(
    caller: Caller<'_>,
    records: Records<'_>,
    how: &Sort,
) -> Result<()> {
    let keyed = how.keyed(records.key);
    check_bits(&keyed)?;
    check_policy(caller.policy)?;
    let n = records.keys.len();
    let spare = Owned::like(caller, "sort", records, n)?;
    let head = || Owned::like(caller, "sort", records, ALIGNMENT);
    let heads = [head()?, head()?];
    let sort = LargeSort {
        caller,
        how,
        keyed: &keyed,
        extent: Extent::of(caller.policy, records.max_element_bytes()),
        records,
        spare: spare.records(),
        heads: heads.each_ref().map(Owned::records),
    };
    tracing::debug!(n, extent = ?sort.extent, "sorting in pieces");
    sort.region(0..n, keyed.bits())
}

/// Parameters and temporary arrays of a sort in pieces.
struct LargeSort<'a> {
    caller: Caller<'a>,
    how: &'a Sort,
    keyed: &'a KeyedSort,
    extent: Extent,
    records: Records<'a>,
    /// A second set of arrays, of the same length as `records`.
    spare: Records<'a>,
    /// Arrays for the head of a region: its elements before the first index at which a storage
    /// binding may begin. The head is copied to the first array, and split into the second.
    heads: [Records<'a>; 2],
}

impl LargeSort<'_> {
    /// Sorts a region whose keys differ only in `bits`. All elements before the region are already
    /// sorted, and precede those of the region in the sort order.
    fn region(&self, region: Range<u64>, mut bits: Range<u32>) -> Result<()> {
        while !bits.is_empty() {
            if region.end - region.start <= self.extent.piece {
                return self.part(region);
            }
            let digit = bits.end.saturating_sub(DIGIT_BITS).max(bits.start)..bits.end;
            bits.end = digit.start;
            let (shift, bits_of_digit) = (digit.start, digit.end - digit.start);
            let descending = self.keyed.descending;
            let digit = Bucket::OrderedDigit { shift, bits: bits_of_digit, descending };
            let buckets = Buckets::of(self.keyed.key, 1 << bits_of_digit, digit);
            let pieces = self.split(region.clone(), &buckets)?;
            let layout = BucketLayout::new(&pieces, buckets.count(), region.start);
            if layout.is_one_bucket() {
                continue;
            }
            layout.move_all(self.caller, &pieces, self.records)?;
            drop(pieces);
            for group in groups(&layout.offsets, self.extent.piece) {
                match group {
                    Group::Bucket(range) => self.region(range, bits.clone())?,
                    Group::Several(range) => self.part(range)?,
                }
            }
            return Ok(());
        }
        Ok(())
    }

    /// Splits the head of a region into `heads[1]`, and its pieces into the spare arrays.
    fn split(&self, region: Range<u64>, buckets: &Buckets) -> Result<Vec<SplitPiece<'_>>> {
        let caller = self.caller;
        let mut pieces = Vec::new();
        let begin = region.start.next_multiple_of(ALIGNMENT).min(region.end);
        let head = begin - region.start;
        if head > 0 {
            let [given, split] = self.heads;
            copy_unaligned(caller, self.records.from(region.start), given, head)?;
            let split = Destination::Elements(split);
            pieces.push(SplitPiece::new(caller, given, split, head, buckets)?);
        }
        for piece in self.extent.pieces(begin..region.end) {
            let from = self.records.from(piece.start);
            let to = Destination::Elements(self.spare.from(piece.start));
            let len = piece.end - piece.start;
            pieces.push(SplitPiece::new(caller, from, to, len, buckets)?);
        }
        Ok(pieces)
    }

    /// Sorts a range that fits in one plan, in place. Uses the spare arrays as second buffers.
    ///
    /// The storage binding may have to begin a few elements before the range. These elements are
    /// already sorted, and precede those of the range in the sort order. The sort compares all
    /// bits of `how`, and therefore leaves them in place.
    fn part(&self, part: Range<u64>) -> Result<()> {
        if part.end - part.start < 2 {
            return Ok(());
        }
        let begin = part.start / ALIGNMENT * ALIGNMENT;
        let len = part.end - begin;
        let (records, spare) = (self.records, self.spare);
        self.caller.call("sort", |work| {
            let [keys, other] = [records, spare].map(|part| work.slice(part.keys, begin, len));
            let [values, other_values] = [records, spare]
                .map(|part| part.values.map(|values| work.slice(values, begin, len)));
            let (graph, policy) = work.parts();
            let half = graph.transient::<u32>("sort.half", 1);
            let mut buffers = SortBuffers::keys(keys).between(other, other_values, half);
            if let Some(values) = values {
                buffers = buffers.values(values);
            }
            let added = sort(graph, policy, self.how, &buffers)?;
            if added.method != SortMethod::Small && added.rounds % 2 == 1 {
                copy(graph, policy, "sort.back", other, keys)?;
                if let (Some(other), Some(values)) = (other_values, values) {
                    copy(graph, policy, "sort.back", other, values)?;
                }
            }
            Ok(())
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Group {
    /// One bucket of any size.
    Bucket(Range<u64>),
    /// Several buckets that fit one plan together.
    Several(Range<u64>),
}

/// Groups neighbouring buckets. A group of several buckets has at most `max` elements. Empty
/// buckets are skipped.
fn groups(offsets: &[u64], max: u64) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for ends in offsets.windows(2).filter(|ends| ends[0] < ends[1]) {
        let bucket = ends[0]..ends[1];
        match groups.last_mut() {
            Some(Group::Bucket(last) | Group::Several(last)) if bucket.end - last.start <= max => {
                let range = last.start..bucket.end;
                groups.pop();
                groups.push(Group::Several(range));
            }
            _ => groups.push(Group::Bucket(bucket)),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_buckets_are_grouped_if_they_fit() {
        use Group::{Bucket, Several};
        assert_eq!(groups(&[0, 0, 0], 10), []);
        assert_eq!(groups(&[0, 4, 4, 10, 11], 10), [Several(0..10), Bucket(10..11)]);
        assert_eq!(
            groups(&[5, 30, 31, 40, 41], 10),
            [Bucket(5..30), Several(30..40), Bucket(40..41)]
        );
        assert_eq!(groups(&[0, 10, 20], 10), [Bucket(0..10), Bucket(10..20)]);
    }
}
