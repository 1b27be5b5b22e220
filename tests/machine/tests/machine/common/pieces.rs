//! Plans of the kernels that gather the buckets of the pieces of an array, with inputs and expected
//! outputs. The engine has no graph passes for these kernels; it runs them directly.

use anyhow::Result;
use multisplit::graph::{Graph, Groups};
use multisplit::shaders::{builtin, push_constants};
use multisplit_machine::Rng;

use super::case::{Case, Output};
use super::primitives::{Device, limits, random_words};

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

#[derive(Clone, Copy, Debug)]
pub struct PiecesCase {
    /// Number of elements of the piece.
    pub n: u32,
    pub buckets: u32,
    /// Words per element.
    pub words: u32,
    /// Whether the part has room for all moved elements.
    pub all_fit: bool,
}

/// Elements per thread.
const EACH: u64 = 4;
/// A value that no element has.
const UNTOUCHED: u32 = 0xDEAD_BEEF;

/// The offset of each bucket in the piece and in the array. In the array, elements of other pieces
/// lie between them.
fn buckets(of: PiecesCase) -> (Vec<u32>, Vec<u32>) {
    let mut rng = Rng::new(u64::from(of.n * 31 + of.buckets));
    let mut offsets: Vec<u32> =
        (1..of.buckets).map(|_| rng.below(u64::from(of.n) + 1) as u32).collect();
    offsets.sort_unstable();
    offsets.insert(0, 0);
    // Not at the beginning of the array: the difference that is added to an index wraps around if
    // it is negative.
    let mut place = 1000;
    let mut shares = Vec::new();
    for bucket in 0..offsets.len() {
        let end = offsets.get(bucket + 1).copied().unwrap_or(of.n);
        place += rng.below(4) as u32;
        shares.push(place);
        place += end - offsets[bucket];
    }
    offsets.push(of.n);
    (offsets, shares)
}

/// Moves some elements of a piece into a part of an array, places a whole permutation, and writes
/// as many consecutive numbers.
pub fn pieces_case(device: Device, of: PiecesCase) -> Result<Case> {
    let PiecesCase { n, words, .. } = of;
    let (offsets, shares) = buckets(of);
    let place_of = |element: u32| {
        let bucket = (0..of.buckets as usize).rfind(|&b| offsets[b] <= element).unwrap_or(0);
        shares[bucket] + (element - offsets[bucket])
    };
    // The part ends before the last elements, or well beyond them.
    let (first, count) = (n / 5, n - n / 5);
    let room = if of.all_fit { 3 + 2 * count } else { 3 + count * 3 / 4 + 1 };
    let origin = place_of(first) - 3;

    let mut graph = Graph::new("pieces");
    let src = graph.import::<u32>("src", u64::from(n * words));
    let dst = graph.import::<u32>("dst", u64::from(room * words));
    let permutation = graph.import::<u32>("permutation", n.into());
    let numbers = graph.import::<u32>("numbers", n.into());
    let table = graph.import::<u32>("table", u64::from(2 * of.buckets + 1));
    let first_step = of.buckets.next_power_of_two() / 2;
    let groups = |threads: u32| {
        Groups::linear(u64::from(threads).div_ceil(EACH * u64::from(device.threads())))
    };
    let buckets = of.buckets;
    graph
        .pass("pieces.move", &builtin::PIECES_MOVE.kernel()?)
        .bind("src", src)
        .bind("dst", dst)
        .bind("table", table)
        .push(&MovePush { first, count, buckets, first_step, origin, room })
        .specialize("local_size_x", device.threads())
        .specialize("VALUE_WORDS", words)
        .dispatch(groups(count * words));
    graph
        .pass("pieces.place", &builtin::PIECES_PLACE.kernel()?)
        .bind("permutation", permutation)
        .bind("table", table)
        .push(&PlacePush { count: n, buckets, first_step })
        .specialize("local_size_x", device.threads())
        .dispatch(groups(n));
    graph
        .pass("pieces.number", &builtin::PIECES_NUMBER.kernel()?)
        .bind("numbers", numbers)
        .push(&NumberPush { first: 77, count: n })
        .specialize("local_size_x", device.threads())
        .dispatch(groups(n));

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
    let placed = given.iter().map(|&element| place_of(element)).collect();
    let added = shares.iter().zip(&offsets).map(|(share, begin)| share.wrapping_sub(*begin));
    let table = offsets.iter().copied().chain(added).collect();
    Ok(Case {
        name: format!("pieces, {of:?}, for {device:?}"),
        plan: graph.compile(&limits(device))?,
        outputs: vec![
            Output { name: "dst", expected: moved.clone() },
            Output { name: "permutation", expected: placed },
            Output { name: "numbers", expected: (77..77 + n).collect() },
        ],
        inputs: vec![
            ("src", elements),
            ("dst", vec![UNTOUCHED; moved.len()]),
            ("permutation", given),
            ("numbers", vec![UNTOUCHED; n as usize]),
            ("table", table),
        ],
        lane_order: false,
        may_give_up: None,
        verify: None,
        steady: Vec::new(),
    })
}
