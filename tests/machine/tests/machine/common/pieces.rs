//! Plans of the kernels for arrays that are processed in pieces: they move elements to their places
//! in the whole output, convert the permutation of a piece, and write indices. Only the engine's
//! one-call functions use them (`engine/src/call/large`).

use anyhow::Result;
use multisplit::graph::Groups;
use multisplit::shaders::builtin;
use multisplit_machine::Rng;

use super::case::Case;
use super::primitives::{Device, random_words};
use super::setup::{Parameters, Setup, push_bytes};

#[derive(Clone, Copy, Debug)]
pub struct PiecesCase {
    /// Number of elements of the piece.
    pub n: u32,
    pub buckets: u32,
    /// Words per element.
    pub words: u32,
    /// Whether the destination has room for all moved elements.
    pub all_fit: bool,
}

/// Elements per thread.
const EACH: u64 = 4;
/// A value that no element has.
const UNTOUCHED: u32 = 0xDEAD_BEEF;

impl PiecesCase {
    /// The offsets of each bucket in the piece and in the array. In the array, elements of other
    /// pieces lie between the buckets.
    fn buckets(&self) -> (Vec<u32>, Vec<u32>) {
        let mut rng = Rng::new(u64::from(self.n * 31 + self.buckets));
        let mut offsets: Vec<u32> =
            (1..self.buckets).map(|_| rng.below(u64::from(self.n) + 1) as u32).collect();
        offsets.sort_unstable();
        offsets.insert(0, 0);
        // Destinations are in the middle of the array, so that `origin` is not zero.
        let mut place = 1000;
        let mut shares = Vec::new();
        for bucket in 0..offsets.len() {
            let end = offsets.get(bucket + 1).copied().unwrap_or(self.n);
            place += rng.below(4) as u32;
            shares.push(place);
            place += end - offsets[bucket];
        }
        offsets.push(self.n);
        (offsets, shares)
    }
}

impl Parameters for PiecesCase {
    /// Moves some elements of a piece into a part of an array, converts a whole permutation, and
    /// writes consecutive numbers.
    fn case(&self, device: Device) -> Result<Case> {
        let Self { n, buckets, words, .. } = *self;
        let (offsets, shares) = self.buckets();
        let place_of = |element: u32| {
            let bucket = (0..buckets as usize).rfind(|&b| offsets[b] <= element).unwrap_or(0);
            shares[bucket] + (element - offsets[bucket])
        };
        // With `all_fit`, the destination ends well after the last element, otherwise before it
        // (unless there is only one element).
        let (first, count) = (n / 5, n - n / 5);
        let room = if self.all_fit { 3 + 2 * count } else { 3 + count * 3 / 4 + 1 };
        let origin = place_of(first) - 3;
        let elements = random_words(u64::from(n * words), n.into());
        let mut moved = vec![UNTOUCHED; (room * words) as usize];
        for element in first..n {
            let to = place_of(element) - origin;
            for word in (0..words).filter(|_| to < room) {
                moved[(to * words + word) as usize] = elements[(element * words + word) as usize];
            }
        }
        let mut rng = Rng::new(n.into());
        let given: Vec<u32> = (0..n).map(|_| rng.below(n.into()) as u32).collect();
        let added = shares.iter().zip(&offsets).map(|(share, begin)| share.wrapping_sub(*begin));

        let mut setup = Setup::new(device, "pieces");
        setup.expect("permutation", given.iter().map(|&element| place_of(element)).collect());
        setup.expect("numbers", (77..77 + n).collect());
        let src = setup.words("src", elements);
        let dst = setup.words("dst", vec![UNTOUCHED; moved.len()]);
        setup.expect("dst", moved);
        let permutation = setup.words("permutation", given);
        let numbers = setup.words("numbers", vec![UNTOUCHED; n as usize]);
        let table = setup.words("table", offsets.iter().copied().chain(added).collect());
        let first_step = buckets.next_power_of_two() / 2;
        let groups = |threads: u32| {
            Groups::linear(u64::from(threads).div_ceil(EACH * u64::from(device.threads())))
        };
        let graph = &mut setup.graph;
        graph
            .pass("pieces.move", &builtin::PIECES_MOVE.kernel()?)
            .bind("src", src)
            .bind("dst", dst)
            .bind("table", table)
            .push_bytes(&push_bytes(&[first, count, buckets, first_step, origin, room]))
            .specialize("local_size_x", device.threads())
            .specialize("VALUE_WORDS", words)
            .dispatch(groups(count * words));
        graph
            .pass("pieces.place", &builtin::PIECES_PLACE.kernel()?)
            .bind("permutation", permutation)
            .bind("table", table)
            .push_bytes(&push_bytes(&[n, buckets, first_step]))
            .specialize("local_size_x", device.threads())
            .dispatch(groups(n));
        graph
            .pass("pieces.number", &builtin::PIECES_NUMBER.kernel()?)
            .bind("numbers", numbers)
            .push_bytes(&push_bytes(&[77, n]))
            .specialize("local_size_x", device.threads())
            .dispatch(groups(n));
        setup.finish(self)
    }
}
