//! Block-level splits by labels: the prescan stores the bucket of each key, so the postscan does
//! not evaluate the bucket function again.

use multisplit::KeyType;
use multisplit::operations::split::Method;

use super::moves::{Function, SplitCase, SplitOutput};
use super::primitives::ITEMS;
use super::setup::Cases;

/// Adds a split that uses labels with at least this many buckets.
fn add(all: &mut Cases, of: SplitCase, min_buckets_labelled: u32) {
    all.add_made(move |device| {
        of.case_with(device, |policy| policy.split.min_buckets_labelled = min_buckets_labelled)
    });
}

/// All cases of splits by labels for a device.
pub fn labels(all: &mut Cases) {
    let threads = all.device.threads();
    let tile = |items: u32| u64::from(threads * items);
    let keys = [KeyType::U32, KeyType::U64];
    // Splits that count by atomics, without labels. All other cases below use labels.
    for key in keys {
        for (output, function) in
            [(SplitOutput::Keys, Function::Range), (SplitOutput::Pairs(1), Function::Crowded)]
        {
            let of = SplitCase::new(Method::Block, key, function, 100);
            add(all, SplitCase { output, n: tile(ITEMS) + 1, ..of }, u32::MAX);
        }
    }
    let mut add = |of: SplitCase| add(all, of, 1);
    for key in keys {
        for output in SplitOutput::ALL {
            let of = |function, buckets| {
                let of = SplitCase::new(Method::Block, key, function, buckets);
                SplitCase { output, ..of }
            };
            // Three subproblems; the last one has fewer tiles.
            add(SplitCase { n: 4 * tile(4) + 5, turns: 2, ..of(Function::Range, 14) });
            // The labels do not fill the last word.
            add(SplitCase { n: 4 * tile(5) - 1, items: 5, ..of(Function::Range, 33) });
            add(SplitCase { n: 0, on_device: true, ..of(Function::Range, 9) });
            add(SplitCase { n: 3 * tile(4), on_device: true, ..of(Function::Range, 2) });
            // Enough splitters for a lookup table with cells: first spread evenly, then in tight
            // groups, which leave most buckets nearly empty.
            let n = 5 * tile(18) / 2;
            add(SplitCase { n, items: 18, turns: 2, ..of(Function::Range, 250) });
            add(SplitCase { n: tile(4) + 1, ..of(Function::Crowded, 256) });
        }
    }
    for output in [SplitOutput::Keys, SplitOutput::Pairs(1), SplitOutput::Permutation] {
        for (key, function, buckets, n, items, turns) in [
            (KeyType::U32, Function::Glsl, 40, 5 * tile(4) + 1, ITEMS, 1),
            (KeyType::F64, Function::Even, 16, 2 * tile(6) + 1, 6, 3),
            (KeyType::U32, Function::Range, 6, tile(32) + 1, 32, 4),
        ] {
            let of = SplitCase::new(Method::Block, key, function, buckets);
            let on_device = function == Function::Glsl;
            add(SplitCase { output, n, items, turns, on_device, ..of });
        }
    }
}
