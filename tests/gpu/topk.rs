//! Top-k, compared with a stable sort on the CPU. Outputs lie between guard words. Cases combine
//! key type, number of rows, k, direction, distribution and method. Other tests of this file cover
//! device counts and rejected arguments.

use multisplit::operations::topk::TopKMethod;
use multisplit_tests::prelude::*;

use crate::sort_run::{KEYS, Keys, import_keys, key_words, make_keys};
use crate::topk_run::{Case, METHODS, check, quick_policy, tile};

tests!(topk:
    combinations_of_options_match_the_cpu;
    in turn: rows_match_the_cpu, wrong_threshold_estimates_give_correct_results,
    topk_of_rows_divided_into_parts_matches_the_cpu, ties_return_the_first_elements,
    device_count_limits_the_elements, one_call_functions_match_the_cpu,
    recorded_topk_uses_the_count_of_each_run, invalid_topk_is_rejected
);

fn combinations_of_options_match_the_cpu(gpu: &Gpu) -> Result<()> {
    if gpu.full { all_combinations(gpu) } else { sampled_combinations(gpu) }
}

fn sizes(policy: &Policy, key: KeyType) -> Vec<usize> {
    let tile = tile(policy, key);
    vec![0, 1, 2, 255, 257, tile - 1, tile, tile + 1, 3 * tile + 5, 40_003]
}

fn all_combinations(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let mut turn = 0;
    for key in KeyType::WIDE {
        let mut sizes = sizes(&policy, key);
        sizes.push((1 << 20) + 3);
        for (method, (keys, smallest)) in pairs(&METHODS, &pairs(&KEYS, &[false, true])) {
            for &n in &sizes {
                let max_k = if method == TopKMethod::Select { 20_000 } else { 1000 };
                let all = [1, 2, 31, 200, 1000, n / 3, n];
                for k in all.into_iter().filter(|&k| k <= n.min(max_k)) {
                    turn += 1;
                    let sorted = turn % 3 != 0;
                    let case = Case { keys, smallest, sorted, ..Case::of(key, n, k, method) };
                    gpu.case(|| gpu.run_or_refuse(|| check(gpu, &policy, &case).map(drop)))?;
                }
            }
        }
    }
    Ok(())
}

/// The sample: key type, method, k, and whether results are sorted. The sample is small because
/// compiling pipelines takes most of the time of a test: each entry needs one pipeline per pass,
/// and the pass that sorts results needs one for each power of two to which k is rounded up.
const SAMPLED: [(KeyType, TopKMethod, usize, bool); 2] =
    [(KeyType::F32, TopKMethod::Rows, 200, true), (KeyType::F32, TopKMethod::Filter, 200, true)];

/// Sizes alternate. `Filter` also runs the passes of `Select`.
fn sampled_combinations(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let mut turn = 0;
    for (key, method, k, sorted) in SAMPLED {
        let sizes = sizes(&policy, key);
        for (keys, smallest) in KEYS.into_iter().flat_map(|keys| [(keys, false), (keys, true)]) {
            turn += 1;
            let n = sizes[turn % sizes.len()];
            // Other values of k within the same power of two share the pipelines.
            let k = if n >= k { k - turn % (k / 4) } else { 0 };
            let case = Case { keys, smallest, sorted, ..Case::of(key, n, k, method) };
            gpu.case(|| check(gpu, &policy, &case).map(drop))?;
        }
    }
    Ok(())
}

/// Uses 1 to 300 rows, with lengths from one element to several tiles.
fn rows_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = quick_policy(gpu);
    let shapes = [(3, 1usize), (5, 7), (300, 13), (2, 4097), (7, 5003), (16, 10_000), (1, 30_001)];
    let keys = if gpu.full { &KeyType::WIDE[..] } else { &[KeyType::F32] };
    for &key in keys {
        for (turn, (rows, length)) in shapes.into_iter().enumerate() {
            for method in &METHODS[1..] {
                for k in [1, length.div_ceil(2), 200] {
                    // In a plain run, long rows have only k = 200, and short rows only half of
                    // their length.
                    let short = length < 14 && k > length / 2 && *method == TopKMethod::Rows;
                    if k > length.min(1000) || !(gpu.full || k == 200 || short) || !gpu.mine() {
                        continue;
                    }
                    let case = Case {
                        rows,
                        sorted: gpu.full || *method != TopKMethod::Select,
                        smallest: turn % 2 == 0,
                        keys: KEYS[(turn + k) % KEYS.len()],
                        ..Case::of(key, length, k, *method)
                    };
                    gpu.run_or_refuse(|| check(gpu, &policy, &case).map(drop))?;
                }
            }
        }
    }
    if !gpu.full {
        return Ok(());
    }
    // k is so large that the results of each row are sorted by a segmented sort.
    let case = Case { rows: 3, ..Case::of(KeyType::U32, 9_001, 3_000, TopKMethod::Select) };
    check(gpu, &policy, &case).map(drop)
}

/// The threshold is estimated from too many samples, from too few, or from one part of the array
/// only. Even if the estimate is wrong, the results must be correct.
fn wrong_threshold_estimates_give_correct_results(gpu: &Gpu) -> Result<()> {
    for (samples, maxima) in [(1, 1), (1 << 20, 16), (1 << 20, 1 << 16), (4096, 64)] {
        let mut policy = quick_policy(gpu);
        (policy.topk.samples, policy.topk.maxima) = (samples, maxima);
        for keys in [Keys::Uniform, Keys::Sorted, Keys::Reversed, Keys::AllEqual] {
            let case = Case { keys, ..Case::of(KeyType::F32, 70_001, 250, TopKMethod::Filter) };
            gpu.case(|| check(gpu, &policy, &case).map(drop))?;
        }
    }
    // Use one workgroup for all tiles, and one workgroup per tile.
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

/// Rows are divided among several workgroups. The last part of a row is short, and in some cases
/// there are more candidates than one workgroup can hold.
fn topk_of_rows_divided_into_parts_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut policy = quick_policy(gpu);
    policy.topk.row_elements = 500;
    let kinds = [Keys::Uniform, Keys::FewDistinct, Keys::AllEqual, Keys::Reversed];
    let shapes =
        [(2_000, 3, 9_001, 40), (2_500, 1, 40_003, 900), (400, 1, 501, 3), (2_000, 2, 2_600, 1)];
    let shapes = if gpu.full { &shapes[..] } else { &shapes[..2] };
    for &(part, rows, length, k) in gpu.cases(shapes) {
        policy.topk.part_elements = part;
        for (turn, keys) in kinds.into_iter().enumerate() {
            let key = if turn == 1 && gpu.full { KeyType::F64 } else { KeyType::F32 };
            let of = Case::of(key, length, k, TopKMethod::Rows);
            let case = Case { rows, keys, smallest: turn % 2 == 0, ..of };
            gpu.run_or_refuse(|| check(gpu, &policy, &case).map(drop))?;
        }
    }
    counted(gpu, &policy, TopKMethod::Rows)
}

/// Each part has more elements equal to the k-th one than needed. The first of them are returned.
fn ties_return_the_first_elements(gpu: &Gpu) -> Result<()> {
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

/// Tests each method but `Auto` with a device count. A plain run leaves out `Rows` as well.
fn device_count_limits_the_elements(gpu: &Gpu) -> Result<()> {
    for &method in &METHODS[1..] {
        if (gpu.full || method != TopKMethod::Rows) && gpu.mine() {
            counted(gpu, &quick_policy(gpu), method)?;
        }
    }
    Ok(())
}

fn counted(gpu: &Gpu, policy: &Policy, method: TopKMethod) -> Result<()> {
    const MAX: u32 = 20_000;
    const K: usize = 200;
    let keys = make_keys(KeyType::F32, Keys::Uniform, MAX as usize, 11);
    let mut setup = Setup::new(gpu, "counted");
    let input = import_keys(&mut setup, "keys", KeyType::F32, &keys);
    let keys_out = setup.output::<f32>("keys_out", K);
    let indices_out = setup.output::<u32>("indices_out", K);
    let n = setup.count(true, MAX, MAX as usize);
    let buffers = TopKBuffers::new(input, keys_out, indices_out).count(n);
    let sorted = gpu.full || method != TopKMethod::Select;
    let how = Case { sorted, ..Case::of(KeyType::F32, MAX as usize, K, method) }.described();
    topk(&mut setup.graph, policy, &how, &buffers)?;
    let executable = setup.executable()?;
    let any = Rng::new(3).below(u64::from(MAX)) as u32;
    for count in [MAX, 0, 1, 199, 200, 201, any, MAX + 1, u32::MAX] {
        let held = count.min(MAX) as usize;
        let case = Case { sorted, ..Case::of(KeyType::F32, held, K.min(held), method) };
        setup.set_count(n, count)?;
        setup.run_on(&executable)?;
        let (expected, places) = case.expected(&keys[..held]);
        let [out, indices] = [setup.found::<u32>(keys_out)?, setup.found(indices_out)?];
        let context = || format!("{method:?}, count = {count}");
        let mut rest = out[case.k..].iter().chain(&indices[case.k..]);
        let is_unchanged = rest.all(|&word| word == GUARD_WORD);
        ensure!(is_unchanged, "{}: words after the results have changed", context());
        let found = case.ordered(&case.bits(&out[..case.k]), &indices[..case.k]);
        expect_equal(&found.1, &places).with_context(context)?;
        expect_equal(&found.0, &expected).with_context(context)?;
    }
    Ok(())
}

/// Searches arrays on the host and on the device, empty arrays, and several rows.
fn one_call_functions_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys = [0.0f32, -0.0, f32::NAN, 1.5, f32::NEG_INFINITY, 1.5, -f32::NAN];
    let largest = gpu.topk(&keys, &TopK::largest(4))?;
    expect_equal(&largest.indices, &[2, 3, 5, 0])?;
    let smallest = gpu.topk(&gpu.upload(&keys)?, &TopK::smallest(4))?;
    expect_equal(&gpu.download(&smallest.indices)?, &[6, 4, 1, 0])?;
    for k in [0, 7] {
        let all = gpu.topk(&keys, &TopK::largest(k))?;
        ensure!(all.keys.len() as u64 == k && all.indices.len() as u64 == k);
    }
    ensure!(gpu.topk(&[0u64; 0], &TopK::smallest(0))?.keys.is_empty());
    ensure!(gpu.topk(&[0u64; 0], &TopK::smallest(3).rows(5))?.keys.is_empty());
    let rows = gpu.topk(&[3i64, 1, 2, -7, -7, 9], &TopK::smallest(2).rows(3))?;
    expect_equal(&rows.keys, &[1, 2, -7, -7])?;
    expect_equal(&rows.indices, &[1, 2, 0, 1])
}

fn recorded_topk_uses_the_count_of_each_run(gpu: &Gpu) -> Result<()> {
    const MAX: u64 = 9_000;
    const K: u64 = 200;
    for method in [TopKMethod::Filter, TopKMethod::Select] {
        let keys = gpu.zeroed::<f32>(MAX)?;
        let (out, indices) = (gpu.zeroed::<f32>(K)?, gpu.zeroed::<u32>(K)?);
        let mut work = gpu.work("best");
        work.set_policy(quick_policy(gpu));
        let count = work.count("count", MAX);
        let case = |n| Case {
            smallest: true,
            sorted: gpu.full || method != TopKMethod::Select,
            ..Case::of(KeyType::F32, n, K as usize, method)
        };
        work.topk(keys.first(count), &out, &indices, &case(0).described())?;
        let mut frame = work.record()?;
        for turn in 0..if gpu.full { 1000 } else { 12 } {
            let n = K as usize + (turn * 977) % (MAX - K) as usize;
            let bits = make_keys(KeyType::F32, KEYS[turn % KEYS.len()], MAX as usize, turn as u64);
            gpu.write(&keys, 0, bytemuck::cast_slice(&key_words(KeyType::F32, &bits)))?;
            frame.set("count", &(n as u32))?;
            frame.submit()?;
            let (expected, places) = case(n).expected(&bits[..n]);
            let out: Vec<u32> = gpu.download(&out)?.iter().map(|key| key.to_bits()).collect();
            let out = case(n).bits(&out);
            let found = case(n).ordered(&out, &gpu.download(&indices)?);
            expect_equal(&found.1, &places).with_context(|| format!("run {turn}"))?;
            expect_equal(&found.0, &expected).with_context(|| format!("run {turn}"))?;
        }
    }
    Ok(())
}

/// Errors describe the invalid argument, and the context remains usable.
fn invalid_topk_is_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let keys = [1u32, 2, 3, 4, 5, 6];
    expect_errors! {
        gpu.topk(&keys, &TopK::largest(7)) => TooLarge { asked: 7, limit: 6, .. },
        gpu.topk(&keys, &TopK::largest(4).rows(3)) => TooLarge { asked: 4, limit: 3, .. },
    }
    for length in [0, 4, 7] {
        let rows = gpu.topk(&keys, &TopK::largest(1).rows(length));
        expect_error!(rows, Rows { n: 6, .. }, "rows of {length} elements");
    }
    let mut graph = Graph::new("refused");
    let keys = graph.import::<u32>("keys", 100_000);
    let (out, wide) = (graph.import::<u32>("out", 50_000), graph.import::<u64>("wide", 50_000));
    let short = graph.import::<u32>("short", 4);
    let mut add = |how: &TopK, buffers: &TopKBuffers| topk(&mut graph, &policy, how, buffers);
    let five = TopK::largest(5);
    let n = Count::Device { buffer: short, index: 0, max: 100 };
    let good = TopKBuffers::new(keys, out, out);
    expect_errors! {
        add(&five, &TopKBuffers::new(keys, short, out)) => BufferTooSmall { .. },
        add(&five, &TopKBuffers::new(keys, out, short)) => BufferTooSmall { .. },
        add(&five, &good.count(100_001)) => BufferTooSmall { .. },
        add(&five, &TopKBuffers::new(keys, wide, out)) => KeyTypeMismatch { .. },
        add(&five.rows(10), &good.count(n)) => RowsOfDeviceCount,
    }
    for method in [TopKMethod::Rows, TopKMethod::Filter] {
        let many = TopK::largest(50_000).method(method);
        expect_errors! { add(&many, &good) => TooLarge { asked: 50_000, .. } }
    }
    expect_equal(&gpu.topk(&[1u32, 9], &TopK::largest(1))?.indices, &[1])
}
