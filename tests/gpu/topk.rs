//! Top-k: key types x rows x k x directions x distributions x methods, against a stable sort on the CPU,
//! between guard words; counts on the device; what is refused.

use anyhow::{Context as _, Result, ensure};
use multisplit::graph::{ElementType, Graph};
use multisplit::primitives::topk::TopKMethod;
use multisplit::primitives::{Count, Policy, TopKBuffers, topk};
use multisplit::{Bound, Error, KeyType, TopK};
use multisplit_tests::generate::Rng;
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::{reference, tests};

use crate::sort_run::{KEYS, Keys, image, key_words, make_keys};

tests!(topk:
    product_of_cases, rows, guesses, many_equal, device_counts, one_call, recorded, refused,
);

const METHODS: [TopKMethod; 4] =
    [TopKMethod::Auto, TopKMethod::Rows, TopKMethod::Filter, TopKMethod::Select];
const GUARD: [u32; 64] = [0xDEAD_BEEF; 64];

/// One top-k: what is told to the engine, and to the CPU.
#[derive(Clone, Copy, Debug)]
struct Case {
    key: KeyType,
    rows: usize,
    length: usize,
    k: usize,
    smallest: bool,
    sorted: bool,
    method: TopKMethod,
    keys: Keys,
}

impl Case {
    fn of(key: KeyType, length: usize, k: usize, method: TopKMethod) -> Self {
        let (smallest, sorted) = (false, true);
        Self { key, rows: 1, length, k, smallest, sorted, method, keys: Keys::Uniform }
    }

    fn described(&self) -> TopK {
        let k = self.k as u64;
        let mut how = if self.smallest { TopK::smallest(k) } else { TopK::largest(k) };
        if self.rows != 1 {
            how = how.rows(self.length as u64);
        }
        if !self.sorted {
            how = how.unsorted();
        }
        how.method(self.method)
    }

    /// The bits and the indices of the elements wanted, row after row.
    fn expected(&self, keys: &[u64]) -> (Vec<u64>, Vec<u32>) {
        let of_row = |row: &[u64]| {
            let images: Vec<u64> = row.iter().map(|&bits| image(self.key, bits)).collect();
            let mut places = reference::sort(&images, 0..64, !self.smallest);
            places.truncate(self.k);
            places.into_iter().map(|i| (row[i as usize], i)).collect::<Vec<_>>()
        };
        keys.chunks(self.length.max(1)).flat_map(of_row).unzip()
    }

    /// Keys of 32 bits have their words, those of 64 bits two each, as numbers again.
    fn bits(&self, words: &[u32]) -> Vec<u64> {
        let bytes = self.key.bytes() as usize / 4;
        words
            .chunks(bytes)
            .map(|w| w.iter().rev().fold(0, |n, &w| n << 32 | u64::from(w)))
            .collect()
    }

    /// Results in the order that sorted ones have.
    fn ordered(&self, keys: &[u64], indices: &[u32]) -> (Vec<u64>, Vec<u32>) {
        let mut pairs: Vec<(u64, u32)> =
            keys.iter().copied().zip(indices.iter().copied()).collect();
        if !self.sorted {
            for row in pairs.chunks_mut(self.k.max(1)) {
                row.sort_by_key(|&(bits, index)| {
                    let number = image(self.key, bits);
                    (if self.smallest { number } else { !number }, index)
                });
            }
        }
        pairs.into_iter().unzip()
    }
}

fn guarded(gpu: &Gpu, words: usize) -> Result<multisplit::Array<u32>> {
    Ok(gpu.context.upload(&[&GUARD[..], &vec![7; words], &GUARD].concat())?)
}

fn inside(gpu: &Gpu, array: &multisplit::Array<u32>, words: usize) -> Result<Vec<u32>> {
    let all = gpu.context.download(array)?;
    let (before, rest) = all.split_at(GUARD.len());
    let (found, after) = rest.split_at(words);
    ensure!(before == GUARD && after == GUARD, "guard words");
    Ok(found.to_vec())
}

/// Runs one case, and compares everything with the CPU.
fn check(gpu: &Gpu, policy: &Policy, case: &Case) -> Result<TopKMethod> {
    run(gpu, policy, case).with_context(|| format!("{case:?}"))
}

fn run(gpu: &Gpu, policy: &Policy, case: &Case) -> Result<TopKMethod> {
    let context = &gpu.context;
    let (n, found) = (case.rows * case.length, case.rows * case.k);
    let keys = make_keys(case.key, case.keys, n, (n * 31 + case.k) as u64);
    let (element, word_count) = (ElementType::from(case.key), case.key.bytes() as usize / 4);
    let mut graph = Graph::new("topk");
    let input = graph.import_array("keys", element, n.max(1) as u64);
    let keys_out = graph.import_array("keys_out", element, found.max(1) as u64);
    let indices_out = graph.import::<u32>("indices_out", found.max(1) as u64);
    let buffers = TopKBuffers::new(input, keys_out, indices_out).count(n as u64);
    let added = topk(&mut graph, policy, &case.described(), &buffers)?;
    if n == 0 || found == 0 {
        return Ok(added.method);
    }
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let device_keys = context.upload(&key_words(case.key, &keys))?;
    let (out, indices) = (guarded(gpu, found * word_count)?, guarded(gpu, found)?);
    let at = 4 * GUARD.len() as u64;
    context.run(
        &executable,
        &[
            Bound::untyped(input, &device_keys, 0),
            Bound::untyped(keys_out, &out, at),
            Bound::untyped(indices_out, &indices, at),
        ],
    )?;
    let out = case.bits(&inside(gpu, &out, found * word_count)?);
    let (out, indices) = case.ordered(&out, &inside(gpu, &indices, found)?);
    let (expected_keys, expected_indices) = case.expected(&keys);
    expect_equal(&indices, &expected_indices).context("indices")?;
    expect_equal(&out, &expected_keys).context("keys")?;
    expect_equal(&context.download(&device_keys)?, &key_words(case.key, &keys)).context("input")?;
    Ok(added.method)
}

/// The device's policy, with rows that are long soon, and few elements in each workgroup.
fn quick_policy(gpu: &Gpu) -> Policy {
    let mut policy = gpu.context.policy();
    policy.topk.row_elements = 4096;
    policy
}

/// What one workgroup of the filter reads at a time.
fn tile(policy: &Policy, key: KeyType) -> usize {
    (policy.threads * 64 / key.bytes()) as usize
}

/// The whole product in a full run, a sample of it otherwise.
fn product_of_cases(gpu: &Gpu) -> Result<()> {
    if gpu.full { whole_product(gpu) } else { sampled_product(gpu) }
}

fn sizes(policy: &Policy, key: KeyType) -> Vec<usize> {
    let tile = tile(policy, key);
    vec![0, 1, 2, 255, 257, tile - 1, tile, tile + 1, 3 * tile + 5, 40_003]
}

fn whole_product(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let (mut turn, mut mine) = (0, gpu.mine());
    for key in KeyType::ALL {
        let mut sizes = sizes(&policy, key);
        sizes.push((1 << 20) + 3);
        for method in METHODS {
            for keys in KEYS {
                for smallest in [false, true] {
                    for &n in &sizes {
                        let most = if method == TopKMethod::Select { 20_000 } else { 1000 };
                        let all = [1, 2, 31, 200, 1000, n / 3, n];
                        for k in all.into_iter().filter(|&k| k <= n.min(most)) {
                            turn += 1;
                            let sorted = turn % 3 != 0;
                            let case =
                                Case { keys, smallest, sorted, ..Case::of(key, n, k, method) };
                            if mine() {
                                check(gpu, &policy, &case)?;
                            }
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// Each is as many pipelines as its method has passes, whose compilation is what a test of it costs; and
/// one more for each power of two that k is below, where a workgroup orders what it found.
const SAMPLED: [(KeyType, TopKMethod, usize, bool); 6] = [
    (KeyType::F32, TopKMethod::Rows, 200, true),
    (KeyType::I64, TopKMethod::Rows, 31, true),
    (KeyType::I32, TopKMethod::Filter, 1000, true),
    (KeyType::F64, TopKMethod::Filter, 200, false),
    (KeyType::U32, TopKMethod::Select, 300, false),
    (KeyType::U64, TopKMethod::Select, 31, false),
];

/// Every type and every method; sizes, distributions and directions in turn.
fn sampled_product(gpu: &Gpu) -> Result<()> {
    let (policy, mut mine) = (quick_policy(gpu), gpu.mine());
    let mut turn = 0;
    for (key, method, k, sorted) in SAMPLED {
        let sizes = sizes(&policy, key);
        for (keys, smallest) in KEYS.into_iter().flat_map(|keys| [(keys, false), (keys, true)]) {
            turn += 1;
            let n = sizes[turn % sizes.len()];
            // Within the power of two that is compiled anyway.
            let k = if n >= k { k - turn % (k / 4) } else { 0 };
            let case = Case { keys, smallest, sorted, ..Case::of(key, n, k, method) };
            if mine() {
                check(gpu, &policy, &case)?;
            }
        }
    }
    Ok(())
}

/// Rows of every length around a vector and a tile, few and many.
fn rows(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let mut mine = gpu.mine();
    let shapes = [(3, 1usize), (5, 7), (300, 13), (2, 4097), (7, 5003), (16, 10_000), (1, 30_001)];
    let keys = if gpu.full { &KeyType::ALL[..] } else { &[KeyType::F32] };
    for &key in keys {
        for (turn, (rows, length)) in shapes.into_iter().enumerate() {
            for method in &METHODS[1..] {
                for k in [1, length.div_ceil(2), 200] {
                    // The sample has one k for all.
                    if k > length.min(1000) || !(gpu.full || k == 200 || length < 14) || !mine() {
                        continue;
                    }
                    let case = Case {
                        rows,
                        smallest: turn % 2 == 0,
                        keys: KEYS[(turn + k) % KEYS.len()],
                        ..Case::of(key, length, k, *method)
                    };
                    check(gpu, &policy, &case)?;
                }
            }
        }
    }
    if !gpu.full {
        return Ok(());
    }
    // Rows whose results are sorted by segments.
    let case = Case { rows: 3, ..Case::of(KeyType::U32, 9_001, 3_000, TopKMethod::Select) };
    check(gpu, &policy, &case).map(drop)
}

/// Samples that say too much, too little, or are of one place only: guesses are wrong, results are not.
fn guesses(gpu: &Gpu) -> Result<()> {
    let mut mine = gpu.mine();
    for (samples, maxima) in [(1, 1), (1 << 20, 16), (1 << 20, 1 << 16), (4096, 64)] {
        let mut policy = quick_policy(gpu);
        (policy.topk.samples, policy.topk.maxima) = (samples, maxima);
        for keys in [Keys::Uniform, Keys::Sorted, Keys::Reversed, Keys::AllEqual] {
            let case = Case { keys, ..Case::of(KeyType::F32, 70_001, 250, TopKMethod::Filter) };
            if mine() {
                check(gpu, &policy, &case)?;
            }
        }
    }
    // One workgroup for all, and one for each tile.
    for groups in [1, 4096] {
        let mut policy = quick_policy(gpu);
        policy.topk.groups = groups;
        for method in [TopKMethod::Filter, TopKMethod::Select] {
            let case =
                Case { keys: Keys::FewDistinct, ..Case::of(KeyType::F32, 30_001, 200, method) };
            check(gpu, &policy, &case)?;
        }
    }
    Ok(())
}

/// More elements at the bound than are wanted, in every part: the first ones are taken.
fn many_equal(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    for method in &METHODS[1..] {
        for k in [129, 256] {
            for smallest in [false, true] {
                let case = Case {
                    keys: Keys::AllEqual,
                    smallest,
                    ..Case::of(KeyType::F32, 50_003, k, *method)
                };
                check(gpu, &policy, &case)?;
            }
        }
    }
    Ok(())
}

/// One plan each, run with one number after another.
fn device_counts(gpu: &Gpu) -> Result<()> {
    const MAX: u32 = 20_000;
    let (context, policy) = (&gpu.context, quick_policy(gpu));
    let keys = make_keys(KeyType::F32, Keys::Uniform, MAX as usize, 11);
    let device_keys = context.upload(&key_words(KeyType::F32, &keys))?;
    let (mut rng, mut mine) = (Rng::new(3), gpu.mine());
    for (method, k) in METHODS[1..].iter().map(|&method| (method, 200)) {
        if !mine() {
            continue;
        }
        let mut graph = Graph::new("counted");
        let input = graph.import::<f32>("keys", u64::from(MAX));
        let keys_out = graph.import::<f32>("keys_out", k as u64);
        let indices_out = graph.import::<u32>("indices_out", k as u64);
        let number = graph.import::<u32>("number", 8);
        let n = Count::Device { buffer: number, index: 3, max: u64::from(MAX) };
        let buffers = TopKBuffers::new(input, keys_out, indices_out).count(n);
        topk(&mut graph, &policy, &TopK::largest(k as u64).method(method), &buffers)?;
        let executable = context.instantiate(graph.compile(&context.limits())?)?;
        for count in [MAX, 0, 1, 199, 200, 201, rng.below(u64::from(MAX)) as u32, MAX + 1, u32::MAX]
        {
            let held = count.min(MAX) as usize;
            let case = Case::of(KeyType::F32, held, k.min(held), method);
            let words: Vec<u32> = (0..8).map(|i| if i == 3 { count } else { 5 }).collect();
            let number_array = context.upload(&words)?;
            let (out, indices) = (guarded(gpu, k)?, guarded(gpu, k)?);
            let at = 4 * GUARD.len() as u64;
            context.run(
                &executable,
                &[
                    Bound::untyped(input, &device_keys, 0),
                    Bound::untyped(keys_out, &out, at),
                    Bound::untyped(indices_out, &indices, at),
                    Bound::untyped(number, &number_array, 0),
                ],
            )?;
            let (expected, places) = case.expected(&keys[..held]);
            let rest = vec![7; k - case.k];
            let expected = [key_words(KeyType::F32, &expected), rest.clone()].concat();
            let context = || format!("{method:?}, k = {k}, count = {count}");
            expect_equal(&inside(gpu, &indices, k)?, &[places, rest].concat())
                .with_context(context)?;
            expect_equal(&inside(gpu, &out, k)?, &expected).with_context(context)?;
        }
    }
    Ok(())
}

/// Arrays on the host and on the device, none at all, and rows.
fn one_call(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let keys = [0.0f32, -0.0, f32::NAN, 1.5, f32::NEG_INFINITY, 1.5, -f32::NAN];
    let largest = context.topk(&keys, &TopK::largest(4))?;
    expect_equal(&largest.indices, &[2, 3, 5, 0])?;
    let smallest = context.topk(&context.upload(&keys)?, &TopK::smallest(4))?;
    expect_equal(&context.download(&smallest.indices)?, &[6, 4, 1, 0])?;
    for k in [0, 7] {
        let all = context.topk(&keys, &TopK::largest(k))?;
        ensure!(all.keys.len() as u64 == k && all.indices.len() as u64 == k);
    }
    ensure!(context.topk(&[0u64; 0], &TopK::smallest(0))?.keys.is_empty());
    ensure!(context.topk(&[0u64; 0], &TopK::smallest(3).rows(5))?.keys.is_empty());
    let rows = context.topk(&[3i64, 1, 2, -7, -7, 9], &TopK::smallest(2).rows(3))?;
    expect_equal(&rows.keys, &[1, 2, -7, -7])?;
    expect_equal(&rows.indices, &[1, 2, 0, 1])
}

/// Submitted many times, with another count and other data each time.
fn recorded(gpu: &Gpu) -> Result<()> {
    const MAX: u64 = 9_000;
    const K: u64 = 200;
    let context = &gpu.context;
    for method in [TopKMethod::Filter, TopKMethod::Select] {
        let keys = context.zeroed::<u32>(MAX)?;
        let (out, indices) = (context.zeroed::<u32>(K)?, context.zeroed::<u32>(K)?);
        let mut work = context.work("best");
        work.set_policy(quick_policy(gpu));
        let count = work.count("count", MAX);
        work.topk(keys.first(count), &out, &indices, &TopK::smallest(K).method(method))?;
        let mut frame = work.record()?;
        for turn in 0..if gpu.full { 1000 } else { 12 } {
            let n = K as usize + (turn * 977) % (MAX - K) as usize;
            let bits = make_keys(KeyType::U32, KEYS[turn % KEYS.len()], MAX as usize, turn as u64);
            context.write(&keys, 0, &key_words(KeyType::U32, &bits))?;
            frame.set("count", &(n as u32))?;
            frame.submit()?;
            let case = Case { smallest: true, ..Case::of(KeyType::U32, n, K as usize, method) };
            let (expected, places) = case.expected(&bits[..n]);
            expect_equal(&context.download(&indices)?, &places)
                .with_context(|| format!("{turn}"))?;
            expect_equal(&context.download(&out)?, &key_words(KeyType::U32, &expected))?;
        }
    }
    Ok(())
}

/// Bad input is an error that says what is wrong, and the context works afterwards.
fn refused(gpu: &Gpu) -> Result<()> {
    let (context, policy) = (&gpu.context, gpu.context.policy());
    let keys = [1u32, 2, 3, 4, 5, 6];
    let too_large = context.topk(&keys, &TopK::largest(7));
    ensure!(matches!(too_large, Err(Error::TooLarge { asked: 7, limit: 6, .. })));
    let too_large = context.topk(&keys, &TopK::largest(4).rows(3));
    ensure!(matches!(too_large, Err(Error::TooLarge { asked: 4, limit: 3, .. })));
    for length in [0, 4, 7] {
        let rows = context.topk(&keys, &TopK::largest(1).rows(length));
        ensure!(matches!(rows, Err(Error::Rows { n: 6, .. })), "{length}: {rows:?}");
    }
    let mut graph = Graph::new("refused");
    let keys = graph.import::<u32>("keys", 100_000);
    let (out, wide) = (graph.import::<u32>("out", 50_000), graph.import::<u64>("wide", 50_000));
    let short = graph.import::<u32>("short", 4);
    let mut add = |how: &TopK, buffers: &TopKBuffers| topk(&mut graph, &policy, how, buffers);
    let five = TopK::largest(5);
    let small = add(&five, &TopKBuffers::new(keys, short, out));
    ensure!(matches!(small, Err(Error::BufferTooSmall { .. })));
    let small = add(&five, &TopKBuffers::new(keys, out, short));
    ensure!(matches!(small, Err(Error::BufferTooSmall { .. })));
    let small = add(&five, &TopKBuffers::new(keys, out, out).count(100_001));
    ensure!(matches!(small, Err(Error::BufferTooSmall { .. })));
    let other = add(&five, &TopKBuffers::new(keys, wide, out));
    ensure!(matches!(other, Err(Error::KeyTypeMismatch { .. })));
    let n = Count::Device { buffer: short, index: 0, max: 100 };
    let counted = add(&five.rows(10), &TopKBuffers::new(keys, out, out).count(n));
    ensure!(matches!(counted, Err(Error::Policy { .. })));
    for method in [TopKMethod::Rows, TopKMethod::Filter] {
        let many = TopK::largest(50_000).method(method);
        let many = add(&many, &TopKBuffers::new(keys, out, out));
        ensure!(matches!(many, Err(Error::TooLarge { asked: 50_000, .. })), "{many:?}");
    }
    expect_equal(&context.topk(&[1u32, 9], &TopK::largest(1))?.indices, &[1])
}
