//! Block-level splits by labels: the prescan stores the bucket of every key, and the postscan does
//! not evaluate the bucket function. Used for expensive functions with any number of buckets.

use multisplit::KeyType;
use multisplit::Policy;
use multisplit::operations::split::Method;

use super::all::Maker;
use super::moves::{Function, Gives, SplitCase, split_case_with};
use super::primitives::{Device, ITEMS};

const KEYS: [KeyType; 2] = [KeyType::U32, KeyType::U64];
const GIVES: [Gives; 5] =
    [Gives::Keys, Gives::Pairs(1), Gives::Pairs(2), Gives::Pairs(4), Gives::Permutation];

fn by_function(function: Function, buckets: u32) -> SplitCase {
    SplitCase {
        key: KeyType::U32,
        gives: Gives::Keys,
        method: Method::Block,
        function,
        buckets,
        n: 0,
        items: ITEMS,
        turns: 1,
        on_device: false,
        by_votes: false,
    }
}

/// The same functions without labels, counted by atomics. Other cases with as many buckets use
/// labels.
fn unlabelled(device: Device, all: &mut Vec<Maker>) {
    let of = SplitCase { n: tile(device, ITEMS) + 1, ..by_function(Function::Range, 100) };
    for key in KEYS {
        for of in [
            SplitCase { key, ..of },
            SplitCase { key, gives: Gives::Pairs(1), function: Function::Crowded, ..of },
        ] {
            let never = |policy: &mut Policy| policy.split.min_buckets_labelled = u32::MAX;
            all.push(Box::new(move || split_case_with(device, of, never)));
        }
    }
}

fn tile(device: Device, items: u32) -> u64 {
    u64::from(device.threads() * items)
}

/// All such cases for a device.
pub fn labels(device: Device, all: &mut Vec<Maker>) {
    unlabelled(device, all);
    let tile = |items| tile(device, items);
    let mut add = |of: SplitCase| {
        let always = |policy: &mut Policy| policy.split.min_buckets_labelled = 1;
        all.push(Box::new(move || split_case_with(device, of, always)));
    };
    for key in KEYS {
        for gives in GIVES {
            let of = |function, buckets| SplitCase { key, gives, ..by_function(function, buckets) };
            // Three subproblems; the last one has fewer tiles.
            add(SplitCase { n: 4 * tile(4) + 5, turns: 2, ..of(Function::Range, 13) });
            // Partially filled words of labels.
            add(SplitCase { n: 4 * tile(5) - 1, items: 5, ..of(Function::Range, 33) });
            add(SplitCase { n: 0, on_device: true, ..of(Function::Range, 9) });
            add(SplitCase { n: 3 * tile(4), on_device: true, ..of(Function::Range, 2) });
            // Lookup cells, and many buckets with few nonempty ones.
            let n = 5 * tile(18) / 2;
            add(SplitCase { n, items: 18, turns: 2, ..of(Function::Range, 250) });
            add(SplitCase { n: tile(4) + 1, ..of(Function::Crowded, 256) });
        }
    }
    for gives in [Gives::Keys, Gives::Pairs(1), Gives::Permutation] {
        let of = SplitCase { gives, ..by_function(Function::Glsl, 40) };
        add(SplitCase { n: 5 * tile(4) + 1, on_device: true, ..of });
        let of = SplitCase { key: KeyType::F64, gives, ..by_function(Function::Even, 16) };
        add(SplitCase { n: 2 * tile(6) + 1, items: 6, turns: 3, ..of });
        let of = SplitCase { gives, ..by_function(Function::Range, 6) };
        add(SplitCase { n: tile(32) + 1, items: 32, turns: 4, ..of });
    }
}
