//! Computes where each bucket of each piece goes in the whole array, and adds the passes that move
//! the elements there.

use multisplit_graph::{Buffer, Graph, Groups};
use multisplit_shaders::{builtin as kernels, push_constants};

use super::pieces::SplitPiece;
use super::{ALIGNMENT, Extent, Records};
use crate::call::Caller;
use crate::error::Result;
use crate::execute::OwnPasses;
use crate::memory::AnyArray;
use crate::operations::shared::each::ELEMENTS_PER_THREAD;
use crate::policy::Policy;

push_constants! {
    struct MovePush {
        first: u32,
        count: u32,
        buckets: u32,
        first_step: u32,
        origin: u32,
        room: u32,
    }
}

push_constants! {
    struct PlacePush {
        count: u32,
        buckets: u32,
        first_step: u32,
    }
}

push_constants! {
    struct NumberPush {
        first: u32,
        count: u32,
    }
}

const WORD: u64 = 4;

/// Destination of each bucket of each piece in the whole array.
#[derive(Debug)]
pub(super) struct BucketLayout {
    /// Start of each bucket in the whole array, followed by the end of the last bucket.
    pub offsets: Vec<u64>,
    /// For each piece, the destinations of its buckets.
    destinations: Vec<Vec<u64>>,
}

impl BucketLayout {
    /// Computes destinations that start at `begin`. They are ordered by bucket, and within a bucket
    /// by piece.
    pub fn new(pieces: &[SplitPiece<'_>], buckets: u32, begin: u64) -> Self {
        let offsets = pieces.iter().map(|piece| piece.offsets.as_slice());
        Self::of_offsets(&offsets.collect::<Vec<_>>(), buckets, begin)
    }

    fn of_offsets(pieces: &[&[u32]], buckets: u32, begin: u64) -> Self {
        let mut offsets = vec![begin];
        let mut destinations = vec![Vec::with_capacity(buckets as usize); pieces.len()];
        let mut end = begin;
        for bucket in 0..buckets as usize {
            for (piece, destination) in pieces.iter().zip(&mut destinations) {
                destination.push(end);
                end += bucket_len(piece, bucket);
            }
            offsets.push(end);
        }
        Self { offsets, destinations }
    }

    /// Whether one bucket contains all elements, so that no element has to move.
    pub fn is_one_bucket(&self) -> bool {
        self.offsets.windows(2).filter(|ends| ends[0] < ends[1]).count() <= 1
    }

    /// Moves the elements of all pieces to their destinations in `to`.
    pub fn move_all(
        &self,
        caller: Caller<'_>,
        pieces: &[SplitPiece<'_>],
        to: Records<'_>,
    ) -> Result<()> {
        let extent = Extent::of(caller.policy, to.max_element_bytes());
        for (piece, destinations) in pieces.iter().zip(&self.destinations) {
            let spans = spans(&piece.offsets, destinations, extent.window);
            move_piece(caller, piece, destinations, (&spans, extent.window), to)?;
        }
        Ok(())
    }

    /// Converts `permutation` from destinations within each piece to destinations in the whole
    /// array.
    pub fn place_all(
        &self,
        caller: Caller<'_>,
        pieces: &[SplitPiece<'_>],
        permutation: &AnyArray,
    ) -> Result<()> {
        for (piece, destinations) in pieces.iter().zip(&self.destinations) {
            caller.call("pieces.place", |work| {
                let words = work.slice(permutation, piece.elements.begin, piece.len);
                let (graph, policy) = work.parts();
                let table = piece_table(graph, &piece.offsets, destinations);
                let (count, buckets) = (piece.len as u32, piece.buckets());
                graph
                    .own_pass("pieces.place", &kernels::PIECES_PLACE.kernel()?)
                    .bind("permutation", words)
                    .bind("table", table)
                    .push(&PlacePush { count, buckets, first_step: first_step(buckets) })
                    .specialize("local_size_x", policy.threads)
                    .dispatch(groups(policy, piece.len));
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Copies `count` elements from `from` to the start of `to`. Used if a binding cannot begin at the
/// first element of `from`, because its offset is not aligned.
pub(super) fn copy_unaligned(
    caller: Caller<'_>,
    from: Records<'_>,
    to: Records<'_>,
    count: u64,
) -> Result<()> {
    let begin = from.begin / ALIGNMENT * ALIGNMENT;
    let (first, len) = (from.begin - begin, from.begin - begin + count);
    let piece = SplitPiece::of_one_bucket(from.from(begin), len);
    let span = Span { window: 0, first, count };
    // Destinations are computed modulo 2^32, so the destination `-first` moves element `first` of
    // the piece to index 0.
    let destinations = [0u64.wrapping_sub(first)];
    move_piece(caller, &piece, &destinations, (&[span], ALIGNMENT), to)
}

fn bucket_len(offsets: &[u32], bucket: usize) -> u64 {
    let at = |index| offsets.get(index).copied().unwrap_or(0);
    at(bucket + 1).saturating_sub(at(bucket)).into()
}

/// Consecutive elements of a piece that are moved to the same window. A window is a part of the
/// destination array that fits in a storage binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    /// Index of the first element of the window in the destination array.
    window: u64,
    /// Index of the first of these elements in the piece.
    first: u64,
    /// Number of these elements.
    count: u64,
}

/// Divides the elements of a piece into spans, one for each destination window of `window`
/// elements. Buckets have the same order in the piece and in the destination array, so the elements
/// that are moved to one window are contiguous in the piece.
fn spans(offsets: &[u32], destinations: &[u64], window: u64) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (bucket, &destination) in destinations.iter().enumerate() {
        let (mut at, end) = (destination, destination + bucket_len(offsets, bucket));
        while at < end {
            let begin = at / window * window;
            let count = end.min(begin + window) - at;
            match spans.last_mut() {
                Some(span) if span.window == begin => span.count += count,
                last => {
                    let first = last.map_or(0, |span| span.first + span.count);
                    spans.push(Span { window: begin, first, count });
                }
            }
            at += count;
        }
    }
    spans
}

/// Moves the elements of a piece to the windows of `to`, one dispatch per span and array.
fn move_piece(
    caller: Caller<'_>,
    piece: &SplitPiece<'_>,
    destinations: &[u64],
    (spans, window): (&[Span], u64),
    to: Records<'_>,
) -> Result<()> {
    let arrays = [Some((piece.elements.keys, to.keys)), piece.elements.values.zip(to.values)];
    let buckets = piece.buckets();
    caller.call("pieces.move", |work| {
        let table = piece_table(work.parts().0, &piece.offsets, destinations);
        let kernel = kernels::PIECES_MOVE.kernel()?;
        for (src, dst) in arrays.into_iter().flatten() {
            let bytes = src.element_bytes();
            let src = work.slice(src, piece.elements.begin, piece.len);
            let (all, len) = (work.array(dst), dst.len());
            let (graph, policy) = work.parts();
            for span in spans {
                let available = window.min(len - span.window);
                graph
                    .own_pass("pieces.move", &kernel)
                    .bind("src", src)
                    .bind("dst", all.range(span.window * bytes, available * bytes))
                    .bind("table", table)
                    .push(&MovePush {
                        first: span.first as u32,
                        count: span.count as u32,
                        buckets,
                        first_step: first_step(buckets),
                        // The high bits are not needed: the kernel computes destinations modulo 2^32.
                        origin: span.window as u32,
                        room: available as u32,
                    })
                    .specialize("local_size_x", policy.threads)
                    .specialize("VALUE_WORDS", (bytes / WORD) as u32)
                    .dispatch(groups(policy, span.count * bytes / WORD));
            }
        }
        Ok(())
    })
}

/// Creates the table that `bucket_places.glsl` reads: the bucket offsets of the piece, then, for
/// each bucket, the number to add to an element's index in the piece to get its destination.
fn piece_table(graph: &mut Graph, offsets: &[u32], destinations: &[u64]) -> Buffer {
    let added = destinations.iter().zip(offsets).map(|(&destination, &begin)| {
        // Computed modulo 2^32. The kernel subtracts the start of the window afterwards.
        destination.wrapping_sub(u64::from(begin)) as u32
    });
    let words: Vec<u32> = offsets.iter().copied().chain(added).collect();
    graph.constant("pieces.table", &words)
}

/// First step of a binary search over the buckets: the largest power of two below `buckets`, or 0
/// for one bucket.
fn first_step(buckets: u32) -> u32 {
    buckets.next_power_of_two() / 2
}

fn groups(policy: &Policy, count: u64) -> Groups {
    Groups::linear(count.div_ceil(ELEMENTS_PER_THREAD * u64::from(policy.threads)))
}

/// Writes 0, 1, 2, and so on to an array.
pub(in crate::call) fn fill_with_indices(caller: Caller<'_>, numbers: &AnyArray) -> Result<()> {
    caller.call("pieces.number", |work| {
        let words = work.array(numbers);
        let (graph, policy) = work.parts();
        let kernel = kernels::PIECES_NUMBER.kernel()?;
        for piece in Extent::of(policy, WORD).pieces(0..numbers.len()) {
            let count = piece.end - piece.start;
            graph
                .own_pass("pieces.number", &kernel)
                .bind("numbers", words.elements::<u32>(piece.start, count))
                .push(&NumberPush { first: piece.start as u32, count: count as u32 })
                .specialize("local_size_x", policy.threads)
                .dispatch(groups(policy, count));
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_of_all_pieces_are_concatenated() {
        let (first, second) = ([0u32, 2, 2, 5], [0u32, 1, 4, 4]);
        let layout = BucketLayout::of_offsets(&[&first, &second], 3, 100);
        assert_eq!(layout.offsets, [100, 103, 106, 109]);
        assert_eq!(layout.destinations, [[100, 103, 106], [102, 103, 109]]);
        assert!(!layout.is_one_bucket());
        assert!(BucketLayout::of_offsets(&[&[0, 0, 7], &[0, 0, 3]], 2, 0).is_one_bucket());
        assert!(BucketLayout::of_offsets(&[], 2, 0).is_one_bucket());
    }

    #[test]
    fn elements_of_one_window_form_one_span() {
        let offsets = [0u32, 2, 2, 5];
        let span = |(window, first, count)| Span { window, first, count };
        let expect = |offsets: &[u32], destinations: &[u64], expected: &[(u64, u64, u64)]| {
            let expected: Vec<_> = expected.iter().copied().map(span).collect();
            assert_eq!(spans(offsets, destinations, 64), expected);
        };
        // The destinations of the buckets are 6..8, 20..20 (empty) and 62..65.
        expect(&offsets, &[6, 20, 62], &[(0, 0, 4), (64, 4, 1)]);
        let far = 1 << 33;
        expect(&offsets, &[0, 2, far], &[(0, 0, 2), (far, 2, 3)]);
        // One bucket spans several windows.
        let windows = [(0, 0, 4), (64, 4, 64), (128, 68, 64), (192, 132, 64), (256, 196, 4)];
        expect(&[0, 200], &[60], &windows);
    }

    #[test]
    fn first_step_is_the_largest_power_of_two_below_the_bucket_count() {
        for (buckets, expected) in
            [(1, 0), (2, 1), (3, 2), (4, 2), (5, 4), (256, 128), (65_536, 32_768)]
        {
            assert_eq!(first_step(buckets), expected);
        }
    }
}
