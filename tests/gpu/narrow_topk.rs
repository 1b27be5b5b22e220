//! Top-k of 8-bit and 16-bit keys, compared with a CPU reference: by every method in a full run, by
//! `Auto` in a plain run, and with device counts.

use multisplit::operations::topk::TopKMethod;
use multisplit_tests::prelude::*;

use crate::narrow::NARROW;
use crate::sort_run::{KEYS, Keys, Order, import_keys, key_bytes, make_keys};
use crate::topk_run;

tests!(narrow_topk: every_method_matches_the_cpu);

fn every_method_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = topk_run::quick_policy(gpu);
    let mut turn = 0;
    for key in gpu.cases(NARROW) {
        let methods = if gpu.full { &topk_run::METHODS[..] } else { &[TopKMethod::Auto] };
        for &method in methods {
            for (rows, length, k) in [(1, 300, 7), (5, 13, 3), (1, 9_001, 201), (3, 5_003, 200)] {
                turn += 1;
                let case = topk_run::Case {
                    rows,
                    smallest: turn % 2 == 0,
                    sorted: turn % 3 > 0,
                    keys: KEYS[turn % KEYS.len()],
                    ..topk_run::Case::of(key, length, k, method)
                };
                if gpu.full || length < 1000 || key.bytes() as usize == 1 + rows % 2 {
                    topk_run::check(gpu, &policy, &case)?;
                }
            }
        }
    }
    check_counts_below_k(gpu, &policy)
}

/// If the device count is below k, only that many results are written.
fn check_counts_below_k(gpu: &Gpu, policy: &Policy) -> Result<()> {
    let (key, max, k) = (KeyType::I8, 500, 9);
    let made = make_keys(key, Keys::Uniform, max, 6);
    let mut setup = Setup::new(gpu, "topk");
    let keys = import_keys(&mut setup, "keys", key, &made);
    let keys_out = setup.array("keys_out", key.into(), key.array_len(k), &[]);
    let indices = setup.output::<u32>("indices", k as usize);
    let count = setup.count(true, 0, max);
    let buffers = TopKBuffers::new(keys, keys_out, indices).count(count);
    topk(&mut setup.graph, policy, &TopK::smallest(k), &buffers)?;
    let executable = setup.executable()?;
    for n in [0, 2, 5, 400] {
        setup.set_count(count, n)?;
        setup.run_on(&executable)?;
        let mut places = Order::of(key).expected(&made[..n as usize]);
        places.truncate(k as usize);
        setup.expect(keys_out, &key_bytes(key, &reference::pick(&made, &places)))?;
        setup.expect(indices, &places)?;
    }
    Ok(())
}
