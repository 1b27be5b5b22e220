//! Merges of two sorted arrays, compared with a stable sort on the CPU. Outputs lie between guard
//! words. Cases combine element type, value size, array sizes, and the location of the counts (host
//! or device).

use multisplit_tests::prelude::*;

tests!(merge:
    #[every_type] combinations_of_options_match_the_cpu, two_dimensional_dispatches_match_the_cpu,
    device_counts_above_the_array_length_are_clamped, one_call_functions_match_the_cpu,
    recorded_merge_uses_the_counts_of_each_run, invalid_merges_are_rejected,
);

#[derive(Clone, Copy, Debug)]
struct Case {
    how: Merge,
    /// Words per value; 0 without values.
    words: usize,
    on_device: [bool; 2],
}

/// Sorted elements, most of them repeated.
fn sorted<T: Term>(how: Merge, n: usize, seed: u64) -> Vec<T> {
    let all: Vec<T> = terms::input(Operator::Max, n, seed);
    // At most 50 distinct elements, so that both arrays contain the same ones.
    let few: Vec<T> = terms::input(Operator::Max, 50, 1);
    let pick = |(at, &x): (usize, &T)| if at % 3 == 0 { x } else { few[at * 7 % few.len()] };
    let mut all: Vec<T> = all.iter().enumerate().map(pick).collect();
    match how {
        Merge::Ascending => all.sort_by(T::order),
        Merge::Descending => all.sort_by(|a, b| b.order(a)),
    }
    all
}

/// The value of element `i` of array number `array`.
fn value_words(words: usize, array: usize, i: usize) -> impl Iterator<Item = u32> {
    (0..words).map(move |w| ((w * 2 + array) << 24 | i) as u32)
}

/// Merges with counts of `given_counts` elements, which are clamped to the lengths of the arrays.
fn check_input<T: Term>(
    gpu: &Gpu,
    policy: &Policy,
    case: Case,
    arrays: [&[T]; 2],
    given_counts: [u32; 2],
) -> Result<()> {
    let lens = arrays.map(|array| array.len().max(1));
    let all = lens[0] + lens[1];
    let mut setup = Setup::new(gpu, "merge");
    let (first, second) = (setup.input("first", arrays[0]), setup.input("second", arrays[1]));
    let out = setup.output::<T>("out", all);
    let per_value = case.words.max(1);
    let value = ElementType::Other(4 * per_value as u32);
    let mut values = |name, array: usize| {
        let words = (0..lens[array]).flat_map(|i| value_words(per_value, array, i));
        setup.array(name, value, lens[array] as u64, &words.collect::<Vec<u32>>())
    };
    let (first_values, second_values) = (values("first_values", 0), values("second_values", 1));
    let values_out = setup.array("values_out", value, all as u64, &[]);
    let [n, m] = [0, 1].map(|which: usize| {
        setup.count(case.on_device[which], given_counts[which], arrays[which].len())
    });
    let mut buffers = MergeBuffers::keys(first, second, out).counts(n, m);
    if case.words > 0 {
        buffers = buffers.values(first_values, second_values, values_out);
    }
    merge(&mut setup.graph, policy, case.how, &buffers)?;
    setup.run_by(policy)?;

    let mut merged: Vec<(T, usize, usize)> = Vec::new();
    for (array, keys) in arrays.into_iter().enumerate() {
        let n = (given_counts[array] as usize).min(keys.len());
        merged.extend(keys[..n].iter().enumerate().map(|(i, &key)| (key, array, i)));
    }
    match case.how {
        Merge::Ascending => merged.sort_by(|a, b| a.0.order(&b.0)),
        Merge::Descending => merged.sort_by(|a, b| b.0.order(&a.0)),
    }
    let say = || format!("{}, {case:?}, {given_counts:?}", T::TYPE);
    let keys: Vec<T> = merged.iter().map(|(key, ..)| *key).collect();
    setup.expect(out, &keys).with_context(say)?;
    let words = merged.iter().flat_map(|&(_, array, i)| value_words(case.words, array, i));
    setup.expect(values_out, &words.collect::<Vec<u32>>()).with_context(say)
}

fn check<T: Term>(gpu: &Gpu, policy: &Policy, case: Case, sizes: [usize; 2]) -> Result<()> {
    let array = |which: usize| {
        let mut all = sorted::<T>(case.how, sizes[which], (sizes[which] + 5 * which) as u64 + 3);
        // Elements after the device count are not sorted, and must be ignored.
        let spare = if case.on_device[which] { SPARE } else { 0 };
        all.extend(terms::input::<T>(Operator::Max, spare, 4));
        all
    };
    let arrays = [array(0), array(1)];
    check_input(gpu, policy, case, [&arrays[0], &arrays[1]], sizes.map(|n| n as u32))
}

fn combinations_of_options_match_the_cpu<T: Term>(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let tile = 8 * policy.threads.min(256) as usize;
    let sizes = [
        [1, 0],
        [0, 3],
        [5, 7],
        [tile - 1, 1],
        [0, tile],
        [tile, 1],
        [tile / 2, tile],
        [3 * tile + 5, 2 * tile - 9],
    ];
    let mut number = T::TYPE as usize;
    for on_device in [[false, false], [true, true], [true, false], [false, true]] {
        for words in [0, 1, 2, 4] {
            number += 1;
            // A plain run takes its sample from one of the sixteen cases of each type.
            let taken = gpu.full || number.is_multiple_of(16);
            if !taken || !gpu.mine() {
                continue;
            }
            let how = if number.is_multiple_of(2) { Merge::Ascending } else { Merge::Descending };
            let case = Case { how, words, on_device };
            for size in sizes.into_iter().chain(gpu.full.then_some([1 << 18, 99_999])) {
                gpu.run_or_refuse(|| check::<T>(gpu, &policy, case, size))?;
            }
        }
    }
    Ok(())
}

fn two_dimensional_dispatches_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = few_groups(gpu.policy());
    let case = Case { how: Merge::Ascending, words: 1, on_device: [false, true] };
    check::<u32>(gpu, &policy, case, [20_000, 3_001])
}

fn device_counts_above_the_array_length_are_clamped(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let arrays = [sorted::<u32>(Merge::Ascending, 3000, 5), sorted(Merge::Ascending, 700, 6)];
    let case = Case { how: Merge::Ascending, words: 1, on_device: [true; 2] };
    for given_counts in [[3001, 701], [u32::MAX, 0], [0, u32::MAX], [0, 0]] {
        check_input(gpu, &policy, case, [&arrays[0], &arrays[1]], given_counts)?;
    }
    Ok(())
}

fn one_call_functions_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let (a, b) = ([1u32, 4, 4, 9], [0u32, 4, 10]);
    let merged = [0, 1, 4, 4, 4, 9, 10];
    expect_equal(&gpu.merge(&a, &b)?, &merged)?;
    let (first, second) = (gpu.upload(&a)?, gpu.upload(&b)?);
    expect_equal(&gpu.download(&gpu.merge(&first, &second)?)?, &merged)?;
    let (keys, values) = gpu.merge_pairs((&a, &[0u32, 1, 2, 3]), (&b, &[10u32, 11, 12]))?;
    expect_equal(&keys, &merged)?;
    expect_equal(&values, &[10, 0, 1, 2, 11, 3, 12])?;
    let (falling, other) = ([9i32, 4, -4], [10i32, 4]);
    let merged = gpu.merge_with(&falling, &other, Merge::Descending)?;
    expect_equal(&merged, &[10, 9, 4, 4, -4])?;
    let pairs = ((&falling, &[0u32, 1, 2]), (&other, &[10u32, 11]));
    let (_, values) = gpu.merge_pairs_with(pairs.0, pairs.1, Merge::Descending)?;
    expect_equal(&values, &[10, 0, 1, 11, 2])?;
    ensure!(gpu.merge(&[0f64; 0], &[0f64; 0])?.is_empty());
    expect_errors! {
        gpu.merge_pairs((&a, &[0u32, 1]), (&b, &[10u32, 11, 12])) => LengthMismatch { .. },
    }
    Ok(())
}

fn recorded_merge_uses_the_counts_of_each_run(gpu: &Gpu) -> Result<()> {
    let (a, b): (Vec<u32>, Vec<u32>) = ((0..3000).map(|i| 2 * i).collect(), (0..2000).collect());
    let (first, second) = (gpu.upload(&a)?, gpu.upload(&b)?);
    let out = gpu.zeroed::<u32>(5000)?;
    let mut work = gpu.work("merge");
    let (n, m) = (work.count("n", 3000), work.count("m", 2000));
    work.merge(first.first(n), second.first(m), &out, Merge::Ascending)?;
    let mut frame = work.record()?;
    for (n, m) in [(3000u32, 2000u32), (10, 0), (1234, 987)] {
        frame.set("n", &n)?;
        frame.set("m", &m)?;
        frame.submit()?;
        let mut expected = [&a[..n as usize], &b[..m as usize]].concat();
        expected.sort_unstable();
        let found = gpu.download(&out)?;
        expect_equal(&found[..expected.len()], &expected)?;
    }
    Ok(())
}

fn invalid_merges_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let mut graph = Graph::new("refused");
    let [first, second] = ["first", "second"].map(|name| graph.import::<u32>(name, 8));
    let out = graph.import::<u32>("out", 16);
    let floats = graph.import::<f32>("floats", 16);
    let odd = graph.import_array("odd", ElementType::Other(12), 16);
    let huge = graph.import::<u32>("huge", 1 << 33);
    let mut add = |buffers| merge(&mut graph, &policy, Merge::Ascending, &buffers);
    let good = MergeBuffers::keys(first, second, out);
    let long = MergeBuffers::keys(huge, huge, huge);
    let word = Count::Device { buffer: out, index: 16, max: 8 };
    expect_errors! {
        add(MergeBuffers::keys(first, floats, out)) => KeyTypeMismatch { name: "second", .. },
        add(MergeBuffers::keys(first, second, floats)) => KeyTypeMismatch { name: "out", .. },
        add(good.counts(9, 1)) => BufferTooSmall { .. },
        add(good.counts(1, 9)) => BufferTooSmall { .. },
        add(good.counts(word, 8)) => BufferTooSmall { .. },
        add(good.counts(8, word)) => BufferTooSmall { .. },
        add(good.values(first, second, first)) => BufferTooSmall { .. },
        add(MergeBuffers::keys(first, second, first)) => BufferTooSmall { .. },
        add(good.values(odd, odd, odd)) => ValueSize { .. },
        add(good.values(first, floats, out)) => KeyTypeMismatch { .. },
        add(long.counts(u64::from(u32::MAX), 1)) => TooLarge { .. },
        add(long.counts(u64::MAX, u64::MAX)) => TooLarge { .. },
    }
    Ok(())
}
