//! Sorts and splits of keys of 8 and 16 bits.

use multisplit::KeyType;
use multisplit::primitives::multisplit::Method;
use multisplit::primitives::sort::SortMethod;

use super::all::Maker;
use super::moves::{Along, Function, Gives, SortCase, SplitCase, sort_case, split_case};
use super::primitives::{Device, ITEMS};

/// Keys of 8 and 16 bits: by counting, and as words in every form that these have.
pub fn narrow(device: Device, all: &mut Vec<Maker>) {
    let threads = device.threads();
    let sort = SortCase {
        key: KeyType::U8,
        along: Along::Nothing,
        method: SortMethod::Counting,
        descending: false,
        n: 0,
        threads,
        items: ITEMS,
        turns: 1,
        segments: false,
        on_device: false,
        few_bits: false,
        few: false,
        parts_alike: false,
    };
    let (counting, sweep) = (SortMethod::Counting, SortMethod::OneSweep);
    // A batch of the threads that count has 64 bytes of each; and more than a counter of 16 bits holds.
    let batch = 64 * u64::from(threads);
    for (number, (key, n)) in [
        (KeyType::U8, 3),
        (KeyType::I8, batch + 5),
        (KeyType::U16, batch / 2 + 7),
        (KeyType::I16, 33),
        (KeyType::F16, batch + 9),
    ]
    .into_iter()
    .enumerate()
    {
        let (descending, on_device) = (number % 2 == 0, number % 3 == 1);
        let of = SortCase { key, method: counting, descending, on_device, n, ..sort };
        all.push(Box::new(move || sort_case(device, of)));
    }
    for (key, along, n, few_bits) in [
        (KeyType::I8, Along::Words(1), 301, false),
        (KeyType::U16, Along::Indices, 702, false),
        (KeyType::Bf16, Along::Nothing, 203, true),
        (KeyType::F16, Along::Words(2), 1, false),
    ] {
        let on_device = n % 2 == 1;
        for few in [false, true] {
            let of = SortCase { key, along, method: sweep, n, few_bits, on_device, few, ..sort };
            all.push(Box::new(move || sort_case(device, of)));
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
        let gives = [Gives::Keys, Gives::Pairs(1), Gives::Permutation][number % 3];
        let of = SplitCase {
            key,
            gives,
            method: Method::Direct,
            function,
            buckets,
            n: 401 + number as u64,
            items: ITEMS,
            turns: 1,
            on_device: false,
            by_votes: false,
        };
        all.push(Box::new(move || split_case(device, of)));
    }
}
