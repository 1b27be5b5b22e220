//! Sorts and splits of 8-bit and 16-bit keys.

use anyhow::Result;
use multisplit::graph::Plan;
use multisplit::operations::sort::SortMethod;
use multisplit::operations::split::Method;
use multisplit::operations::{Count, SortBuffers, sort};
use multisplit::{KeyType, Sort};

use super::all::MANY_THREADS;
use super::case::{Case, specialized};
use super::moves::{Function, Payload, SortCase, SplitCase, SplitOutput, image, words_of};
use super::primitives::{Device, ITEMS, policy};
use super::setup::{Cases, Setup};

/// If the plan is a counting sort, replaces some keys by the first and last values of slices. (Such
/// a sort divides the range of values into slices, and each workgroup counts the values of one
/// slice.) The last key gets the value that is first in sorted order, so that a kernel that counts
/// it twice is detected.
pub fn put_on_slice_edges(plan: &Plan, key: KeyType, descending: bool, keys: &mut [u64]) {
    let Some(slice) = specialized(plan, "ROOM").next().map(u64::from) else { return };
    let last = (1u64 << key.bits()) - 1;
    let value = |bits: u64| if descending { last - image(key, bits) } else { image(key, bits) };
    let is_edge = |bits: &u64| [0, slice - 1].contains(&(value(*bits) % slice));
    let mut edges = (0..=last).filter(is_edge).collect::<Vec<_>>();
    edges.sort_by_key(|bits| value(*bits));
    let some = keys.iter_mut().skip(2).step_by(5);
    some.zip(edges.iter().cycle()).for_each(|(key, edge)| *key = *edge);
    if let Some(key) = keys.last_mut() {
        *key = edges[0];
    }
}

/// Approximate number of keys that a workgroup counts between two checks for counters that might
/// overflow.
const CHUNK: u64 = 49_152;
/// Keys per thread in a batch. A chunk consists of whole batches.
const BATCH_KEYS: u64 = 32;

/// A counting sort in which one value occurs more often than a 16-bit counter can count. In the
/// first chunk and one more batch, only every fourth key has this value, so the first check finds
/// that the counter cannot overflow in the next chunk. All later keys have this value, so the
/// counter overflows unless the kernel checks it again.
pub fn full_counters_case(device: Device) -> Result<Case> {
    const COMMON: u64 = 0xC0DE;
    let mut policy = policy(device);
    // One workgroup per slice.
    policy.sort.histogram_groups = 1;
    let batch = BATCH_KEYS * u64::from(device.threads());
    let half = CHUNK / batch * batch + batch;
    let n = 2 * half + 7;
    let mut keys: Vec<u64> =
        (0..n).map(|i| if i < half && i % 4 != 0 { i } else { COMMON }).collect();
    let mut setup = Setup::new(device, "sort");
    let key = KeyType::U16;
    let buffers = SortBuffers::keys(setup.buffer("keys", key, key.array_len(n)));
    let how = Sort::ascending().method(SortMethod::Counting);
    sort(&mut setup.graph, &policy, &how, &buffers.count(Count::Host(n)))?;
    setup.set("keys", words_of(key, keys.iter().copied()));
    keys.sort_unstable();
    setup.expect("keys", words_of(key, keys));
    let name = format_args!("sort by counting of {n} keys");
    Ok(Case { lane_order: device.lane_order, ..setup.finish(name)? })
}

/// Sorts of 8-bit and 16-bit keys by counting and by one-sweep, which widens keys to words, and
/// splits.
pub fn narrow(all: &mut Cases) {
    let threads = all.device.threads();
    // A batch has 64 bytes per counting thread.
    let batch = 64 * u64::from(threads);
    for (number, (key, n)) in [
        (KeyType::U8, 3),
        (KeyType::I8, batch + 5),
        (KeyType::U16, batch / 2 + 7),
        (KeyType::I16, 33),
        (KeyType::F16, batch + 9),
        // The keys fill whole words, but the last vector is partial.
        (KeyType::U16, 34),
    ]
    .into_iter()
    .enumerate()
    {
        let (descending, on_device) = (number % 2 == 0, number % 3 == 1);
        let of = SortCase::new(SortMethod::Counting, key, Payload::Nothing, threads);
        all.add(SortCase { descending, on_device, n, ..of });
    }
    // With `many` keys, several workgroups widen the keys and narrow them again.
    let many = 16 * u64::from(threads) + 301;
    for (key, payload, n, few_bits) in [
        (KeyType::I8, Payload::Words(1), many, false),
        (KeyType::U16, Payload::Indices, 702, false),
        (KeyType::Bf16, Payload::Nothing, 203, true),
        (KeyType::F16, Payload::Words(2), 1, false),
    ] {
        for small_sort in [false, true] {
            let of = SortCase::new(SortMethod::OneSweep, key, payload, threads);
            all.add(SortCase { n, few_bits, on_device: n % 2 == 1, small_sort, ..of });
        }
    }
    // Two rounds. The last round stores two keys in each word, which come from adjacent lanes, from
    // two turns, or from two tiles. In short arrays, all keys have the same upper digit.
    for (number, (key, payload, n, turns)) in [
        (KeyType::U16, Payload::Nothing, 703, 2),
        (KeyType::I16, Payload::Nothing, many, 1),
        (KeyType::F16, Payload::Words(1), many + 1, 2),
        (KeyType::Bf16, Payload::Indices, 101, 1),
        (KeyType::U16, Payload::Nothing, 103, 4),
        (KeyType::I16, Payload::Nothing, 102, 4),
    ]
    .into_iter()
    .enumerate()
    {
        let (descending, on_device, parts_alike) = (number % 2 == 0, number % 3 == 1, n < 500);
        for small_sort in [false, true] {
            let of = SortCase::new(SortMethod::OneSweep, key, payload, threads);
            let of = SortCase { n, turns, descending, on_device, ..of };
            all.add(SortCase { small_sort, parts_alike, ..of });
        }
    }
    // More threads than a digit has values, and many keys per thread in several turns.
    for (threads, items, turns) in [(MANY_THREADS, ITEMS, 1), (threads, 32, 4), (threads, 22, 2)] {
        // Skip narrow subgroups: the counters of so many subgroups do not fit in shared memory.
        if threads == MANY_THREADS && all.device.width == 4 {
            continue;
        }
        let n = u64::from(threads * items) * 5 / 2 + 1;
        for payload in [Payload::Nothing, Payload::Words(1), Payload::Words(2)] {
            let of = SortCase::new(SortMethod::OneSweep, KeyType::U16, payload, threads);
            all.add(SortCase { items, turns, n, ..of });
        }
    }
    for (number, (key, function, buckets)) in [
        (KeyType::U8, Function::Range, 5),
        (KeyType::U16, Function::Digit, 8),
        (KeyType::I8, Function::Glsl, 6),
        (KeyType::F16, Function::Even, 9),
        (KeyType::Bf16, Function::Glsl, 3),
        (KeyType::I16, Function::OrderedDigit, 16),
        (KeyType::U8, Function::Glsl, 30),
    ]
    .into_iter()
    .enumerate()
    {
        let output =
            [SplitOutput::Keys, SplitOutput::Pairs(1), SplitOutput::Permutation][number % 3];
        let of = SplitCase::new(Method::Direct, key, function, buckets);
        all.add(SplitCase { output, n: 401 + number as u64, ..of });
    }
}
