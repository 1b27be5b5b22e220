//! Sorts of arrays that one plan cannot hold.
//!
//! The pieces of the array are split by the top digit of the keys, and the buckets of all pieces are
//! put next to each other. Buckets that fit a plan together are then sorted where they are; one that
//! does not fit alone is split by the next digit. All this goes to and fro between the array and a
//! second one of its size.

use std::ops::Range;

use bytemuck::Pod;

use super::places::{Places, set_apart};
use super::split::{SplitPiece, split_piece};
use super::{ALIGNMENT, Extent, Owned, Records};
use crate::call::Caller;
use crate::call::split::Output;
use crate::error::Result;
use crate::primitives::copy;
use crate::primitives::key::Key;
use crate::primitives::multisplit::Buckets;
use crate::primitives::sort::{
    DIGIT_BITS, KeyedSort, Sort, SortBuffers, SortMethod, check_bits, check_policy, sort,
};

/// Sorts arrays of any length where they are. Values of equal keys keep their order.
pub(in crate::call) fn sort_large<K: Key, V: Pod>(
    caller: Caller<'_>,
    records: Records<'_, K, V>,
    how: &Sort,
) -> Result<()> {
    let keyed = how.keyed(K::TYPE);
    check_bits(&keyed)?;
    check_policy(caller.policy)?;
    let n = records.keys.len();
    let spare = Owned::like(caller, "sort", records, n)?;
    let heads = [
        Owned::like(caller, "sort", records, ALIGNMENT)?,
        Owned::like(caller, "sort", records, ALIGNMENT)?,
    ];
    let sort = LargeSort {
        caller,
        how,
        keyed: &keyed,
        extent: Extent::of(caller.policy, records.widest()),
        records,
        spare: spare.records(),
        heads: heads.each_ref().map(Owned::records),
    };
    tracing::debug!(n, extent = ?sort.extent, "sort in pieces");
    sort.region(0..n, keyed.bits())
}

struct LargeSort<'a, K, V> {
    caller: Caller<'a>,
    how: &'a Sort,
    keyed: &'a KeyedSort,
    extent: Extent,
    records: Records<'a, K, V>,
    /// As long as the records.
    spare: Records<'a, K, V>,
    /// Room for what lies in front of the first element of a region where a binding may begin: as it
    /// was, and split.
    heads: [Records<'a, K, V>; 2],
}

impl<K: Key, V: Pod> LargeSort<'_, K, V> {
    /// Sorts a region whose keys differ in these bits only, of those that count. What lies before it
    /// is sorted already, and nothing of it is as large as the keys of the region.
    fn region(&self, region: Range<u64>, mut bits: Range<u32>) -> Result<()> {
        while !bits.is_empty() {
            if region.end - region.start <= self.extent.piece {
                return self.part(region);
            }
            let digit = bits.end.saturating_sub(DIGIT_BITS).max(bits.start)..bits.end;
            bits.end = digit.start;
            let buckets = Buckets::ordered_digit(digit, self.keyed.descending);
            let pieces = self.split(region.clone(), &buckets)?;
            let places = Places::new(&pieces, buckets.count(), region.start);
            if places.is_one_bucket() {
                continue;
            }
            places.move_all(self.caller, &pieces, self.records)?;
            drop(pieces);
            for group in groups(&places.offsets, self.extent.piece) {
                match group {
                    Group::Bucket(range) => self.region(range, bits.clone())?,
                    Group::Several(range) => self.part(range)?,
                }
            }
            return Ok(());
        }
        Ok(())
    }

    /// Splits the pieces of a region, into the spare arrays.
    fn split(&self, region: Range<u64>, buckets: &Buckets<K>) -> Result<Vec<SplitPiece<'_, K, V>>> {
        let caller = self.caller;
        let mut pieces = Vec::new();
        let begin = region.start.next_multiple_of(ALIGNMENT).min(region.end);
        let head = begin - region.start;
        if head > 0 {
            let [given, split] = self.heads;
            set_apart(caller, self.records.from(region.start), given, head)?;
            pieces.push(split_piece(caller, given, Output::Elements(split), head, buckets)?);
        }
        for piece in self.extent.pieces(begin..region.end) {
            let (from, to) = (self.records.from(piece.start), self.spare.from(piece.start));
            let len = piece.end - piece.start;
            pieces.push(split_piece(caller, from, Output::Elements(to), len, buckets)?);
        }
        Ok(pieces)
    }

    /// Sorts what fits a plan, where it is; the spare arrays are its second half.
    ///
    /// A binding may have to begin a few elements earlier. These are smaller than all others and in
    /// order, so that a sort by all the bits that count leaves them where they are.
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

/// Neighbouring buckets.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Group {
    /// One, which may be of any size.
    Bucket(Range<u64>),
    /// Some that fit a plan together.
    Several(Range<u64>),
}

/// Puts as many neighbouring buckets together as have at most `max` elements. Empty ones are left out.
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
    fn neighbours_are_sorted_together_where_they_fit() {
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
