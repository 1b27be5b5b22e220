//! The cases of all primitives for a device, except edge cases (`edges.rs`).

use multisplit::KeyType;
use multisplit::operations::histogram::HistogramMethod;
use multisplit::operations::sort::SortMethod;
use multisplit::operations::split::Method;
use multisplit::operations::topk::TopKMethod;

use super::bounds::bounds_cases;
use super::case::Case;
use super::labels::labels;
use super::merges::merge_cases;
use super::moves::{Function, Payload, SortCase, SplitCase, SplitOutput};
use super::narrow::narrow;
use super::others::{
    HistogramCase, Weighted, barrier_probe_case, device_probe_case, groups_case, memory_case,
    probe_case,
};
use super::pieces::PiecesCase;
use super::primitives::{Device, ITEMS};
use super::search_list::searches;
use super::segments::segments_cases;
use super::selects::select_cases;
use super::setup::{Cases, Maker};
use super::sort_segments::sort_segments_cases;
use super::terms::{sum_scan, term_cases};
use super::topk::{TopKCase, TopKData};

pub const WIDTHS: [u32; 6] = [4, 8, 16, 32, 64, 128];

fn sizes(tile: u64) -> [u64; 5] {
    // With the last size, dispatches on devices with few workgroups per row have several rows, and
    // the last row has a workgroup without a tile.
    [1, tile - 1, tile, tile + 1, 4 * tile + 5]
}

/// A workgroup size that exceeds the 256 values of a digit.
pub const MANY_THREADS: u32 = 384;

fn sorts(all: &mut Cases) {
    let keys = [KeyType::U32, KeyType::I32, KeyType::F32, KeyType::U64, KeyType::F64];
    let methods = [
        (SortMethod::OneSweep, false),
        (SortMethod::Multisplit { radix_bits: 6 }, false),
        (SortMethod::Small, false),
        (SortMethod::Small, true),
        (SortMethod::OneSweep, true),
    ];
    let (mut kind, mut number) = (0, 0);
    for key in keys {
        for payload in Payload::ALL {
            for (method, segments) in methods {
                kind += 1;
                // In some cases, a workgroup has more threads than a digit has values.
                let many = method == SortMethod::OneSweep
                    && (payload == Payload::Nothing) == (key == KeyType::U32);
                let threads = if many { MANY_THREADS } else { all.device.threads() };
                let tile = u64::from(threads * ITEMS);
                for n in some_sizes(sizes(tile), 3, kind) {
                    number += 1;
                    let n = match method {
                        SortMethod::Small if !segments => n.min(tile),
                        _ => n,
                    };
                    all.add(SortCase {
                        descending: number % 2 == 0,
                        n,
                        turns: 1 << (number % 3),
                        segments,
                        on_device: number % 4 == 1 && !segments && method != SortMethod::Small,
                        few_bits: number % 7 == 3,
                        small_sort: number / 4 % 2 == 0,
                        ..SortCase::new(method, key, payload, threads)
                    });
                }
            }
        }
    }
}

/// Maximum number of buckets that a lane counts by votes.
const MAX_VOTED_PER_LANE: u32 = 32;

/// Whether a method ranks whole tiles, by ballots or by lane order.
fn ranks_tiles(method: Method) -> bool {
    !matches!(method, Method::Direct | Method::Warp | Method::ScanSplit)
}

/// Picks `count` of the sizes, depending on the number `kind`. Five consecutive numbers cover all
/// sizes.
fn some_sizes(sizes: [u64; 5], count: usize, kind: usize) -> impl Iterator<Item = u64> {
    (0..count).map(move |k| sizes[(kind + 2 * k) % sizes.len()])
}

fn splits(all: &mut Cases) {
    let device = all.device;
    let functions = [
        (KeyType::U32, Function::Delta, 2),
        (KeyType::U32, Function::Range, 14),
        (KeyType::U64, Function::Delta, 40),
        (KeyType::U32, Function::Digit, 256),
        (KeyType::F32, Function::Even, 9),
        (KeyType::U32, Function::Glsl, 30),
        (KeyType::U64, Function::Range, 5),
        (KeyType::U32, Function::Identity, 100),
        (KeyType::F32, Function::OrderedDigit, 16),
        (KeyType::U64, Function::Digit, 2),
        (KeyType::U32, Function::Delta, 300),
        (KeyType::U64, Function::Delta, 300),
        (KeyType::F64, Function::Even, 8),
        (KeyType::F64, Function::Even, 2),
        (KeyType::U32, Function::Range, 2),
        (KeyType::U64, Function::Range, 2),
        (KeyType::F32, Function::Even, 2),
        (KeyType::I32, Function::OrderedDigit, 2),
        (KeyType::I64, Function::OrderedDigit, 64),
        (KeyType::U32, Function::Identity, 2),
        (KeyType::U64, Function::Identity, 33),
        (KeyType::U32, Function::OutOfRange, 20),
        (KeyType::U64, Function::OutOfRange, 2),
    ];
    let (mut kind, mut number) = (0, 0);
    for method in Method::ALL.into_iter().chain([Method::FullSort]) {
        for output in SplitOutput::ALL {
            for (key, function, buckets) in functions {
                kind += 1;
                let ordered = matches!(function, Function::Delta | Function::Range);
                if method == Method::FullSort && !ordered {
                    continue;
                }
                // Cases with wide values, and cases on devices with lane order whose method does
                // not rank by it, test nothing specific to the bucket function, so they run only
                // with every third function.
                let wide = matches!(output, SplitOutput::Pairs(2 | 4));
                if (wide || device.lane_order && !ranks_tiles(method)) && kind % 3 != 0 {
                    continue;
                }
                for n in some_sizes(sizes(device.tile()), 2, kind) {
                    number += 1;
                    all.add(SplitCase {
                        output,
                        n,
                        turns: 1 << (number % 3),
                        on_device: number % 4 == 1 && method != Method::FullSort,
                        // A lane votes once for each of its buckets, so a case with many buckets
                        // would take minutes.
                        by_votes: number % 2 == 0 && buckets <= MAX_VOTED_PER_LANE * device.width,
                        ..SplitCase::new(method, key, function, buckets)
                    });
                }
            }
        }
    }
}

/// Cases with large tiles, up to the maximum. Kernels unroll the loops over the keys of a thread,
/// and only the largest tiles execute the last iterations.
pub fn large_tiles(device: Device) -> Vec<Maker> {
    let mut all = Cases::new(device);
    let threads = device.threads();
    // Each bucket count is combined with both tile shapes.
    let shape =
        |number: usize| if (number + number / 4).is_multiple_of(2) { (32, 4) } else { (22, 2) };
    let mut number = 0;
    for method in [Method::Block, Method::OneSweep] {
        for output in [
            SplitOutput::Keys,
            SplitOutput::Pairs(1),
            SplitOutput::Pairs(4),
            SplitOutput::Permutation,
        ] {
            for (key, function) in [
                (KeyType::U32, Function::Delta),
                (KeyType::U64, Function::Delta),
                (KeyType::U32, Function::Glsl),
            ] {
                for buckets in [2, 6, 40, 250] {
                    number += 1;
                    let (items, turns) = shape(number);
                    let n = u64::from(threads * items) + number as u64 % 3;
                    let of = SplitCase::new(method, key, function, buckets);
                    all.add(SplitCase { output, n, items, turns, by_votes: true, ..of });
                }
            }
        }
    }
    for key in [KeyType::U32, KeyType::U64] {
        for payload in [Payload::Nothing, Payload::Words(1), Payload::Words(2), Payload::Words(4)] {
            for few_bits in [false, true] {
                for small in [false, true] {
                    number += 1;
                    // A small sort keeps its whole tile in shared memory.
                    let (items, turns) =
                        if small { (24 * 128 / threads, 1) } else { shape(number) };
                    let method = if small { SortMethod::Small } else { SortMethod::OneSweep };
                    let n = u64::from(threads * items) - number as u64 % 2;
                    let of = SortCase::new(method, key, payload, threads);
                    let descending = number % 4 == 1;
                    all.add(SortCase { descending, n, items, turns, few_bits, ..of });
                }
            }
        }
    }
    all.makers
}

fn histograms(all: &mut Cases) {
    let methods = [HistogramMethod::Ballots, HistogramMethod::Shared, HistogramMethod::Global];
    let kinds = [
        (Weighted::No, false, false),
        (Weighted::Words, false, false),
        (Weighted::Floats, false, false),
        (Weighted::No, true, false),
        (Weighted::Words, true, false),
        (Weighted::No, false, true),
    ];
    let mut number = 0;
    for sample in KeyType::SAMPLES {
        for method in methods {
            for (weighted, wide, channels) in kinds {
                for (range, bins) in [(false, 7), (true, 7), (false, 100), (true, 100)] {
                    number += 1;
                    let votable = weighted == Weighted::No && !channels;
                    let wide_sums = wide && weighted != Weighted::No;
                    if method == HistogramMethod::Ballots && !votable
                        || method == HistogramMethod::Shared && wide_sums
                    {
                        continue;
                    }
                    all.add(HistogramCase {
                        range,
                        bins,
                        weighted,
                        wide,
                        channels: if channels { 3 } else { 1 },
                        on_device: number % 3 == 1,
                        n: 500 + 300 * (number % 5),
                        cells: 64 * (number as u32 % 2),
                        ..HistogramCase::new(sample, method)
                    });
                }
            }
        }
    }
}

fn topks(all: &mut Cases) {
    let shapes =
        [(1, 3000, 40), (1, 700, 700), (3, 701, 33), (2, 5, 2), (1, 2600, 1), (1, 600, 256)];
    let mut number = 0;
    let narrow = [KeyType::I8, KeyType::F16];
    for key in KeyType::WIDE.into_iter().chain(narrow) {
        for method in [TopKMethod::Rows, TopKMethod::Filter, TopKMethod::Select] {
            for (rows, length, k) in shapes {
                number += 1;
                let of = TopKCase {
                    rows,
                    length,
                    k,
                    smallest: number % 2 == 0,
                    // With `Select`, a separate sort orders the results, so most cases skip it.
                    sorted: method != TopKMethod::Select || number % 4 == 0,
                    on_device: rows == 1 && number % 3 == 0,
                    data: [TopKData::Any, TopKData::Few, TopKData::Same][number / 2 % 3],
                    ..TopKCase::new(key, method)
                };
                all.add(of);
                if method == TopKMethod::Rows {
                    all.add(TopKCase { part: 400, ..of });
                }
            }
        }
    }
}

/// All cases for a device, except those of `edges.rs`.
pub fn all(device: Device) -> Vec<Maker> {
    let mut all = Cases::new(device);
    all.add_made(device_probe_case);
    all.add_made(probe_case);
    all.add_made(|device| barrier_probe_case(device, false));
    for on_device in [false, true] {
        all.add_made(move |device| groups_case(device, on_device));
        for n in sizes(device.tile()) {
            all.add_made(move |device| memory_case(device, n + 3, on_device));
            for look_back in [false, true] {
                // Lengths that are multiples of the vector size, and lengths that are not.
                let n = 4 * n + if on_device { 3 } else { 0 };
                all.add(sum_scan(look_back, on_device, n));
            }
        }
    }
    // `tile` has 16 elements per thread. Tiles of selections have 32, those of merges 8.
    let tile = 16 * u64::from(device.threads());
    all.add_all(term_cases(&[4 * tile + 5, tile - 3, 2 * tile + 1]));
    all.add_all(select_cases(2 * tile));
    all.add_all(segments_cases(tile));
    all.add_all(merge_cases(tile / 2));
    all.add_all(bounds_cases());
    searches(&mut all);
    topks(&mut all);
    histograms(&mut all);
    splits(&mut all);
    labels(&mut all);
    sorts(&mut all);
    narrow(&mut all);
    // Tiles of eight elements per thread.
    all.add_all(sort_segments_cases(tile / 2));
    all.makers.extend(large_tiles(device));
    for (n, buckets) in sizes(device.tile()).into_iter().zip([1, 2, 3, 40, 300]) {
        for words in [1, 2, 4] {
            all.add(PiecesCase { n: n as u32, buckets, words, all_fit: false });
        }
    }
    all.makers
}

/// Labels of the kernels that a case runs.
pub fn kernels(case: &Case) -> Vec<String> {
    let steps = case.plan.steps().iter();
    steps.filter_map(|s| Some(s.pass.kernel.as_ref()?.label().to_owned())).collect()
}
