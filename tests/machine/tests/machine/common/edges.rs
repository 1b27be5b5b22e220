//! Edge cases that a sample of all cases rarely contains: counts near a limit, ids and keys on a
//! bucket edge, dispatches whose last row has workgroups without work, and unrolled loops that
//! execute all iterations.

use multisplit::KeyType;
use multisplit::operations::histogram::HistogramMethod;
use multisplit::operations::sort::SortMethod;
use multisplit::operations::split::Method;

use super::all::MANY_THREADS;
use super::few_threads::few_threads;
use super::moves::{Function, Payload, SortCase, SplitCase, SplitOutput};
use super::narrow::full_counters_case;
use super::others::{EDGE_BINS, HistogramCase, MANY_EDGE_BINS, Weighted};
use super::pieces::PiecesCase;
use super::primitives::{Device, ITEMS};
use super::search_list::special_searches;
use super::setup::{Cases, Maker};
use super::terms::{TermCase, sum_scan};

fn split(
    output: SplitOutput,
    method: Method,
    key: KeyType,
    function: Function,
    buckets: u32,
) -> SplitCase {
    SplitCase { output, by_votes: true, ..SplitCase::new(method, key, function, buckets) }
}

const KEYS: [KeyType; 2] = [KeyType::U32, KeyType::U64];

fn splits(all: &mut Cases) {
    let device = all.device;
    let tile = device.tile();
    let mut add = |of: SplitCase| all.add(of);
    let output = [SplitOutput::Keys, SplitOutput::Pairs(1), SplitOutput::Permutation];
    for key in KEYS {
        // Bucket ids just beyond the last bucket.
        for (method, buckets) in [
            (Method::Block, 2),
            (Method::Block, 20),
            (Method::Direct, 20),
            (Method::OneSweep, 20),
            (Method::OneSweep, 300),
            (Method::ReducedBitSort, 20),
        ] {
            for output in [SplitOutput::Keys, SplitOutput::Pairs(1), SplitOutput::Pairs(2)] {
                let of = split(output, method, key, Function::OutOfRange, buckets);
                add(SplitCase { n: tile + 1, ..of });
            }
        }
        for output in output {
            for method in [Method::Block, Method::OneSweep] {
                // Five tiles, or three subproblems of at most two tiles. With two workgroups per
                // row of the dispatch, the last row has a surplus workgroup. There are more buckets
                // than threads, except with the widest subgroups.
                let of = split(output, method, key, Function::Digit, 256);
                add(SplitCase { n: 4 * tile + 5, ..of });
                add(SplitCase { n: 4 * tile + 5, by_votes: false, turns: 2, ..of });
                // Splitters are in shared memory. A search reads one past the last splitter before it
                // has found the bucket, because there are 14.
                let of = split(output, method, key, Function::Range, 14);
                add(SplitCase { n: 5 * tile - 1, ..of });
            }
            let of = split(output, Method::Warp, key, Function::Range, 14);
            add(SplitCase { n: 2 * tile + 1, ..of });
        }
        // For kernels that label keys with buckets: splitters in shared memory, and keys on the
        // edge of the last bucket.
        for (key, function) in [(key, Function::Range), (KeyType::F32, Function::Even)] {
            let of = split(SplitOutput::Pairs(1), Method::ReducedBitSort, key, function, 14);
            add(SplitCase { n: tile + 1, ..of });
        }
        // Covers kernels that count four adjacent subproblems together.
        let of = split(SplitOutput::Keys, Method::Block, key, Function::Delta, 2);
        add(SplitCase { n: 17 * tile + 3, ..of });
    }
    // Two and a half tiles of many keys per thread, in several turns. With 32 keys, unrolled loops
    // execute all iterations.
    let large = |output, method, key, buckets, items, turns| {
        let n = u64::from(device.threads() * items) * 5 / 2;
        SplitCase { n, items, turns, ..split(output, method, key, Function::Delta, buckets) }
    };
    for method in [Method::Block, Method::OneSweep] {
        for output in SplitOutput::ALL {
            add(large(output, method, KeyType::U32, 250, 22, 2));
            add(large(output, method, KeyType::U32, 3, 32, 4));
        }
        for output in [SplitOutput::Keys, SplitOutput::Permutation] {
            add(large(output, method, KeyType::U32, 250, 32, 4));
        }
        for words in [2, 4] {
            add(large(SplitOutput::Pairs(words), method, KeyType::U64, 250, 22, 2));
        }
    }
}

fn sorts(all: &mut Cases) {
    let device = all.device;
    let mut add = |of: SortCase| all.add(of);
    let threads = device.threads();
    let payloads = [Payload::Nothing, Payload::Words(1), Payload::Words(2), Payload::Words(4)];
    let mut number = 0;
    for key in KEYS {
        for payload in payloads {
            let of = SortCase::new(SortMethod::Small, key, payload, threads);
            let small = SortCase { n: 2, ..of };
            for segments in [false, true] {
                for descending in [false, true] {
                    add(SortCase { segments, descending, ..small });
                }
                // A partial tile in a workgroup with more threads than a digit has values.
                let n = u64::from(MANY_THREADS * ITEMS) - 3;
                // Skip narrow subgroups: the counters of so many subgroups do not fit in shared
                // memory.
                if device.width > 4 {
                    add(SortCase { segments, threads: MANY_THREADS, n, ..small });
                }
            }
            number += 1;
            let descending = number % 2 == 0;
            let sweep = SortCase { method: SortMethod::OneSweep, descending, ..small };
            let n = u64::from(MANY_THREADS * ITEMS) * 4 + 5;
            add(SortCase { threads: MANY_THREADS, n, ..sweep });
            // Two and a half tiles with the maximum number of keys per thread.
            let n = u64::from(threads * 32) * 5 / 2;
            add(SortCase { items: 32, turns: 4, n, ..sweep });
            // The small one-sweep sort, whose first pass counts parts of `part` keys: exactly four
            // parts, one key more, and fewer keys.
            let part = u64::from(threads * ITEMS);
            let base = SortCase { small_sort: true, ..sweep };
            let on_device = number % 3 == 1;
            add(SortCase { n: 4 * part, on_device, ..base });
            add(SortCase { n: 4 * part + 1, parts_alike: true, on_device: !on_device, ..base });
            add(SortCase {
                n: 3 * part - 1,
                parts_alike: true,
                small_sort: number % 4 < 2,
                ..base
            });
            // All keys are equal.
            add(SortCase { n: part - 1, parts_alike: true, few_bits: number % 3 == 2, ..base });
            // A sort of a single tile, which stays in shared memory.
            if key == KeyType::U32 && payload == Payload::Nothing && threads == 128 {
                let n = u64::from(threads * 32) - 1;
                add(SortCase { items: 32, n, ..small });
            }
        }
    }
}

fn histograms(all: &mut Cases) {
    let mut number = 0;
    for sample in KeyType::SAMPLES {
        for method in [HistogramMethod::Ballots, HistogramMethod::Shared, HistogramMethod::Global] {
            number += 1;
            let on_device = number % 2 == 0;
            let of = HistogramCase { on_device, ..HistogramCase::new(sample, method) };
            let mut add = |of: HistogramCase| all.add(of);
            add(HistogramCase { wide: true, ..of });
            if method != HistogramMethod::Ballots {
                add(HistogramCase { channels: 4, ..of });
            }
            if method == HistogramMethod::Global {
                // Sums that reach and exceed 2^32 - 1.
                add(HistogramCase { weighted: Weighted::Large, wide: true, ..of });
            }
            let large = matches!(sample, KeyType::U32 | KeyType::U64 | KeyType::F64);
            if method == HistogramMethod::Shared && large {
                // More bins than fit in shared memory, which take several passes.
                add(HistogramCase { bins: MANY_BINS, weighted: Weighted::Words, ..of });
            }
            if sample.is_float() {
                add(HistogramCase { bins: EDGE_BINS, ..of });
                if method != HistogramMethod::Ballots {
                    add(HistogramCase { bins: EDGE_BINS, weighted: Weighted::Words, ..of });
                    add(HistogramCase { bins: MANY_EDGE_BINS, ..of });
                }
            }
        }
    }
}

/// A bin count that needs several passes if the bins are in shared memory.
const MANY_BINS: u32 = 9000;

/// All edge cases for a device.
pub fn edges(device: Device) -> Vec<Maker> {
    let mut all = Cases::new(device);
    let tile = device.tile();
    for look_back in [false, true] {
        // Except for 4, the array lengths are not multiples of the vector size.
        for n in [3, 4, 4 * tile - 1, 4 * tile + 6, 17 * tile + 1] {
            all.add(sum_scan(look_back, false, n));
        }
    }
    // A scan by one workgroup, which loops over several tiles of 16 elements per thread.
    let several = sum_scan(true, false, 4 * (4 * tile) * 2 / 3);
    all.add(TermCase { single_group: true, ..several });
    all.add_all(special_searches(device));
    all.makers.extend(few_threads(device));
    splits(&mut all);
    sorts(&mut all);
    all.add_made(full_counters_case);
    histograms(&mut all);
    for words in [1, 2] {
        all.add(PiecesCase { n: 300, buckets: 5, words, all_fit: true });
    }
    all.makers
}
