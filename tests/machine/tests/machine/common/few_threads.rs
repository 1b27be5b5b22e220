//! Cases with small workgroups, so that few elements make many tiles: workgroups loop over several
//! tiles, segments span many tiles, and dispatches have several rows, the last of which has a
//! workgroup without work.

use multisplit::operations::topk::TopKMethod;
use multisplit::{KeyType, Operator};

use super::all::MANY_THREADS;
use super::bounds::BoundsCase;
use super::merges::MergeCase;
use super::moves::Payload;
use super::primitives::Device;
use super::segments::{self, CHUNK, EVEN_LENGTH, SegmentsCase, Way};
use super::selects::{self, Also, SelectCase};
use super::setup::{Cases, Maker};
use super::sort_segments::{Given, SortSegmentsCase, Tiles};
use super::terms::{ElementOrder, How, TERMS, TermCase, is_rounded};
use super::topk::{TopKCase, TopKData};

/// Maximum subgroup width of these cases; wider subgroups would need many more elements.
const MAX_LANES: u32 = 16;

fn sweeps(all: &mut Cases) {
    let lanes = u64::from(all.device.width);
    for term in TERMS {
        let narrow = term.0.bits() == 32;
        let tile = if narrow { 16 * lanes } else { 8 * lanes };
        // Tile size of a workgroup of one subgroup. Reductions of 32-bit elements with look-back
        // have fewer elements per thread.
        let tile_of = |way| match way {
            Way::Reduce { look_back: true } if narrow => 12 * lanes,
            _ => tile,
        };
        // Number of tiles whose totals the single-workgroup pass combines per iteration: four for
        // each thread of two subgroups.
        let round = 8 * lanes;
        for look_back in [false, true] {
            if look_back && is_rounded(term) {
                continue;
            }
            let mut add = |way, by, tiles: u64, length, on_device, rising: bool| {
                // Cases with many tiles use workgroups of one subgroup. The number of tiles is odd,
                // and the last tile has three elements.
                let subgroups = if tiles < 9 { 2 } else { 1 };
                let n = tiles / 2 * 2 * tile_of(way) * u64::from(subgroups) + 3;
                let order = if rising { ElementOrder::Rising } else { ElementOrder::Any };
                let of = SegmentsCase { way, length, on_device, ..SegmentsCase::new(term, by) };
                all.add(SegmentsCase { n, order, subgroups: Some(subgroups), ..of });
            };
            let scan = Way::Scan { inclusive: true, look_back };
            let reduce = Way::Reduce { look_back };
            for by in [segments::By::Keys, segments::By::WideKeys, segments::By::Flags] {
                add(scan, by, 5, 3, false, false);
                if by != segments::By::Flags {
                    add(reduce, by, 5, 3, false, false);
                }
            }
            // The last segment ends in the last vector of the array, which is partial.
            add(scan, segments::By::WideKeys, 5, 4 * tile, false, false);
            let exclusive = Way::Scan { inclusive: false, look_back };
            for (way, by, keys) in [
                (exclusive, segments::By::Flags, segments::By::WideKeys),
                (reduce, segments::By::Keys, segments::By::Keys),
            ] {
                if look_back {
                    for rising in [false, true] {
                        add(way, by, 9, 4 * tile, true, rising);
                        add(way, by, 9, 20 * tile, false, rising);
                    }
                    add(reduce, keys, 9, 5, true, false);
                } else {
                    add(way, by, round + 7, 3 * tile, true, false);
                    add(way, by, round + 7, 20 * tile, false, true);
                }
            }
        }
    }
}

fn reductions(all: &mut Cases) {
    let lanes = u64::from(all.device.width);
    for term in TERMS {
        let mut add = |by, n, length, subgroups, order| {
            let on_device = by == segments::By::Offsets && length < 3;
            let of = SegmentsCase { length, on_device, n, ..SegmentsCase::new(term, by) };
            all.add(SegmentsCase { order, subgroups: Some(subgroups), ..of });
        };
        let tile = 16 * lanes;
        use ElementOrder::{Any, Falling, Rising};
        add(segments::By::Offsets, 2 * tile + 9, 2, 2, Any);
        add(segments::By::ManyOffsets, 3 * tile + 9, 9, 1, Any);
        add(segments::By::ManyOffsets, tile - 9, 9, 1, Any);
        for n in [6 * tile + 9, 6 * tile + 8, tile - 9, tile] {
            use segments::UnsortedMethod::{Searched, Walked, Workers};
            for how in [Walked, Searched, Workers] {
                add(segments::By::UnsortedOffsets(how), n, 40, 1, Any);
            }
        }
        // The pass that combines tiles has three workgroups, in which each thread gets one tile.
        add(segments::By::Offsets, 2 * tile * 4 * lanes + 1, 4 * tile, 2, Rising);
        add(segments::By::Offsets, 2 * tile * 4 * lanes + 2 * tile, 4 * lanes * tile, 2, Falling);
        // Segments with more chunks than their workgroup or subgroup has threads.
        for by_subgroups in [false, true] {
            let length = 5 * CHUNK * lanes;
            let by = segments::By::WorkerOffsets { by_subgroups };
            for n in [2 * length + 9, 2 * length + CHUNK + 3] {
                add(by, n, length, 1, Any);
                add(by, n, length, 4, Rising);
            }
        }
        // A subgroup searches the offsets in steps. Each step divides the remaining offsets into
        // `lanes + 1` parts. With this number of offsets, all parts of a step have equal lengths.
        let offsets = (lanes + 2) * (lanes + 1);
        add(segments::By::EvenOffsets, (offsets - 1) * EVEN_LENGTH, EVEN_LENGTH, 2, Any);
    }
}

fn terms(all: &mut Cases) {
    let lanes = u64::from(all.device.width);
    let mut add = |of: TermCase| all.add(of);
    for (key, operator) in TERMS {
        let of = TermCase { subgroups: Some(1), ..TermCase::new(key, operator) };
        let scan = |look_back| How::Scan { inclusive: operator == Operator::Sum, look_back };
        // Two tiles and several, with a partial vector at the end. Rounded sums need more tiles:
        // their look-back combines blocks of `4 * lanes` tiles.
        let words = u64::from(key.bits() / 32);
        let tiles = if is_rounded((key, operator)) { 4 * lanes + 4 } else { 6 };
        for (small, tile) in [(false, 40 * lanes / (words * words)), (true, 16 * lanes / words)] {
            for n in [tile + 1, tiles * tile + 4 / words - 1] {
                let how = How::Scan { inclusive: n > tile + 1, look_back: true };
                let order = ElementOrder::Rising;
                for subgroups in [1, 2] {
                    let n = (n - 1) * u64::from(subgroups) + 1;
                    add(TermCase { how, n, small, order, subgroups: Some(subgroups), ..of });
                }
            }
        }
        // Several tiles; the last one is partial.
        let n = 8 * 32 * lanes + 3;
        for order in [ElementOrder::Any, ElementOrder::Rising, ElementOrder::Falling] {
            let subgroups = Some(if order == ElementOrder::Rising { 1 } else { 2 });
            let of = TermCase { n, order, subgroups, ..of };
            add(TermCase { how: scan(false), ..of });
            if !is_rounded((key, operator)) {
                add(TermCase { how: scan(true), ..of });
            }
        }
        // One workgroup of two subgroups that loops over tiles of 16 elements per thread.
        let single_group = TermCase { n: 4 * 32 * lanes - 5, single_group: true, ..of };
        for on_device in [false, true] {
            add(TermCase { how: scan(false), on_device, ..single_group });
        }
        add(TermCase { how: How::Reduce, ..single_group });
        // Empty inputs.
        let nothing = TermCase { on_device: true, n: 0, ..of };
        add(nothing);
        if operator != Operator::Sum {
            add(TermCase { how: How::ReduceWithIndex, ..nothing });
            let key = if key.bits() == 64 { KeyType::U64 } else { KeyType::F32 };
            add(TermCase { how: How::ReduceWithIndex, key, ..single_group });
        }
    }
}

fn selections(all: &mut Cases) {
    for wide in [false, true] {
        // Selections with run lengths have 20 elements per lane.
        let items = if wide { 16 } else { 32 };
        let key = 7 + (u64::from(wide) << 35);
        for (by, also, items) in [
            (selects::By::LessThan(key + 9), Also::Nothing, items),
            (selects::By::NotEqual(key), Also::Rejected, items),
            // Selects nothing.
            (selects::By::LessThan(0), Also::Rejected, items),
            (selects::By::NotEqual(key), Also::Nothing, items),
            (selects::By::Heads, Also::Nothing, items),
            (selects::By::Heads, Also::Rejected, items),
            (selects::By::Flags, Also::Nothing, items),
            (selects::By::Flags, Also::Rejected, items),
            (selects::By::Heads, Also::Lengths, 20),
        ] {
            let lanes = u64::from(all.device.width);
            let tile = items * lanes;
            for (n, on_device) in [(4 * tile + 1, false), (4 * tile + 3, true)] {
                let subgroups = Some(if on_device { 2 } else { 1 });
                let of = SelectCase { wide, on_device, n, ..SelectCase::new(by, also) };
                let of = SelectCase { subgroups, ..of };
                all.add(of);
                if also != Also::Rejected && !on_device {
                    all.add(SelectCase { small: true, n: 6 * 8 * lanes + 1, ..of });
                }
            }
        }
    }
}

fn merges(all: &mut Cases) {
    let tile = 8 * u64::from(all.device.width);
    for wide in [false, true] {
        for words in [0, 1, 2, 4] {
            for (on_device, subgroups, sizes) in
                [(false, 1, [5 * tile + 5, 5 * tile + 3]), (true, 2, [2 * tile + 7, 6 * tile])]
            {
                let (descending, subgroups) = (on_device != wide, Some(subgroups));
                let of = MergeCase { descending, on_device, sizes, ..MergeCase::new(wide, words) };
                for is_sorted in [true, false] {
                    all.add(MergeCase { subgroups, is_sorted, ..of });
                }
            }
        }
    }
}

fn bounds(all: &mut Cases) {
    for key in KeyType::WIDE {
        for (upper, on_device, subgroups, sorted) in
            [(false, false, 1, 1021), (true, true, 2, 2603)]
        {
            // Three workgroups with 16 needles per lane.
            let n = 2 * 16 * u64::from(subgroups * all.device.width) + 5;
            let subgroups = Some(subgroups);
            all.add(BoundsCase { key, upper, on_device, sorted, n, subgroups });
        }
    }
}

fn sorts_of_segments(all: &mut Cases) {
    let width = all.device.width;
    let mut add = |wide, given, lengths: &[u64], payload, tiles| {
        let (lengths, descending) = (lengths.to_vec(), payload == Payload::Nothing);
        all.add(SortSegmentsCase { wide, given, lengths, payload, descending, tiles });
    };
    let lanes = u64::from(width);
    let small = 8 * 2 * lanes;
    // Tiles of large segments have fewer elements per thread.
    let (threads, large) = (2 * width, 4 * 2 * lanes);
    for wide in [false, true] {
        for payload in Payload::ALL {
            let narrow = Tiles::Narrow;
            // Some segments share a tile, and others have a tile of their own. Head flags fill
            // whole 32-bit words, and the flags of the last tile begin in the middle of a word.
            let mixed = [5, small / 2 + 3, small / 2 - 9, 2, small, 0, 40, small - 1, 24];
            add(wide, Given::Host, &mixed, payload, narrow);
            add(wide, Given::Device, &mixed, payload, narrow);
            // Full tiles and full words of head flags.
            add(wide, Given::Host, &[small, small], payload, narrow);
            add(wide, Given::Host, &[small, 32], payload, narrow);
            // Two segments of one workgroup; the first one is sorted without a merge.
            add(wide, Given::Host, &[5, small - 1], payload, narrow);
            for (length, rows) in [(7, small / 5), (small / 4, 9), (small, 3)] {
                let lengths = vec![length; rows as usize];
                add(wide, Given::Rows(length), &lengths, payload, narrow);
            }
        }
        // There are enough segments for several workgroups of the pass that finds segment heads.
        let tiny: Vec<u64> = (0..9 * lanes).map(|k| [3, 0, 7, 1, 30][k as usize % 5]).collect();
        add(wide, Given::Host, &tiny, Payload::Nothing, Tiles::Narrow);
        // Segments of an odd number of tiles.
        let several = [27 * large - 3, 5, 3 * large - 7];
        for payload in [Payload::Nothing, Payload::Words(1)] {
            add(wide, Given::Host, &several, payload, Tiles::Narrow);
            add(wide, Given::Device, &several, payload, Tiles::Narrow);
            // More threads than a digit has values, and below, many keys per thread.
            let n = u64::from(MANY_THREADS) * 4 * 4 + 5;
            // Skip narrow subgroups: the counters of so many subgroups do not fit in shared memory.
            if width > 4 {
                for given in [Given::Host, Given::Device] {
                    add(wide, given, &[n, 3], payload, Tiles::Large(MANY_THREADS, 4, 1));
                }
            }
            let n = u64::from(threads) * 32 * 5 / 2;
            add(wide, Given::Host, &[n, 3], payload, Tiles::Large(threads, 32, 4));
            add(wide, Given::Host, &[3, n], payload, Tiles::Large(threads, 22, 2));
        }
    }
}

/// Workgroups of three subgroups, so that bins are not evenly divided among threads.
fn topks(all: &mut Cases) {
    for (key, items) in [(KeyType::I32, 16), (KeyType::F64, 8)] {
        let tile = 3 * u64::from(all.device.width) * items;
        for method in [TopKMethod::Rows, TopKMethod::Filter, TopKMethod::Select] {
            // Rows of six tiles (with `Select`, for five workgroups), several shorter rows, and a
            // row shorter than a tile.
            let shapes = [
                (1, 6 * tile, 40, TopKData::Any),
                (1, 6 * tile, 33, TopKData::Near),
                (3, 2 * tile + 5, tile, TopKData::Near),
                (1, tile - 60, 7, TopKData::Any),
                (1, 6 * tile, 40, TopKData::Few),
                // k is one less than the length, so the k-th element is in one of the last bins.
                (1, tile + 5, tile + 4, TopKData::Near),
            ];
            for (number, (rows, length, k, data)) in shapes.into_iter().enumerate() {
                let (smallest, on_device) = (number % 2 == 1, number == 3);
                let sorted = method != TopKMethod::Select || on_device;
                let of = TopKCase { rows, length, k, data, ..TopKCase::new(key, method) };
                let of = TopKCase { smallest, sorted, on_device, subgroups: Some(3), ..of };
                all.add(of);
                if method == TopKMethod::Rows {
                    all.add(TopKCase { part: tile, ..of });
                }
            }
        }
    }
}

/// All cases with small workgroups for a device.
pub fn few_threads(device: Device) -> Vec<Maker> {
    let mut all = Cases::new(device);
    if device.width <= MAX_LANES {
        sweeps(&mut all);
        reductions(&mut all);
        terms(&mut all);
        selections(&mut all);
        merges(&mut all);
        bounds(&mut all);
        sorts_of_segments(&mut all);
        topks(&mut all);
    }
    all.makers
}
