//! Top-k of 8-bit and 16-bit keys, compared with the CPU: by every method and with device counts.

use anyhow::Result;
use multisplit::Policy;
use multisplit::graph::Graph;
use multisplit::operations::topk::TopKMethod;
use multisplit::operations::{Count, TopKBuffers, topk};
use multisplit::{Bound, KeyType, TopK};
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::tests;

use crate::narrow::NARROW;
use crate::sort_run::{KEYS, Keys, Order, key_words, keys_of_words, make_keys};
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
    fewer_than_k(gpu, &policy)
}

/// With a device count below k, only that many results are written.
fn fewer_than_k(gpu: &Gpu, policy: &Policy) -> Result<()> {
    let context = &gpu.context;
    let (key, max, k) = (KeyType::I8, 500u64, 9);
    let mut graph = Graph::new("topk");
    let keys = graph.import_array("keys", key.into(), key.array_len(max));
    let keys_out = graph.import_array("keys_out", key.into(), key.array_len(k));
    let indices = graph.import::<u32>("indices", k);
    let count = graph.import::<u32>("count", 1);
    let n = Count::Device { buffer: count, index: 0, max };
    let buffers = TopKBuffers::new(keys, keys_out, indices).count(n);
    topk(&mut graph, policy, &TopK::smallest(k), &buffers)?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let made = make_keys(key, Keys::Uniform, max as usize, 6);
    for n in [0u32, 2, 5, 400] {
        let words = [key_words(key, &made), vec![7; 3], vec![8; k as usize], vec![n]];
        let arrays: Vec<_> =
            words.iter().map(|words| context.upload(words)).collect::<multisplit::Result<_>>()?;
        let imports = [keys, keys_out, indices, count];
        let bound: Vec<_> =
            imports.iter().zip(&arrays).map(|(&i, array)| Bound::untyped(i, array, 0)).collect();
        context.run(&executable, &bound)?;
        let found = (n as usize).min(k as usize);
        let places = Order::of(key).expected(&made[..n as usize]);
        let mut expected = keys_of_words(key, &[7; 3], 12);
        expected[..found].iter_mut().zip(&places).for_each(|(to, &i)| *to = made[i as usize]);
        expect_equal(&keys_of_words(key, &context.download(&arrays[1])?, 12), &expected)?;
        let rest = &[8; 9][found..];
        expect_equal(&context.download(&arrays[2])?, &[&places[..found], rest].concat())?;
    }
    Ok(())
}
