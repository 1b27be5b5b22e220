//! Segmented reductions, compared with a CPU reference. Outputs lie between guard words. Cases
//! combine element type, operator, segment lengths, and the location of the counts (host or
//! device).

use multisplit_tests::prelude::*;

tests!(reduce_segments:
    #[every_type] combinations_of_options_match_the_cpu, #[every_type] rows_match_the_cpu,
    row_counts_above_and_below_the_elements_match_the_cpu, #[every_type] long_segments_match_the_cpu,
    segments_of_many_tiles_match_the_cpu, empty_segments_give_the_identity,
    two_dimensional_dispatches_match_the_cpu, elements_outside_of_segments_are_ignored,
    invalid_device_offsets_give_defined_results, float_sums_are_reproducible,
);

/// Number of additional elements, which the device count excludes: more than a tile.
const PAST: usize = 9_000;

/// With this chunk size, segments are reduced by tiles if the policy has no loop limit.
const ALWAYS_TILES: u32 = 1 << 31;
/// With this chunk size, segments with an average length of at least 4 have one worker each.
const SMALL_CHUNK: u32 = 128;

/// A policy that reduces segments of any length by tiles. The loop limit of a software driver would
/// limit the chunk size, so that only shorter segments would be reduced by tiles.
fn always_tiles(gpu: &Gpu, policy: &Policy) -> Policy {
    let mut properties = gpu.properties().clone();
    properties.device_type = vk::PhysicalDeviceType::DISCRETE_GPU;
    let facts = Policy::for_device(&properties).facts;
    let tiles = Policy { facts, segment_chunk: ALWAYS_TILES, ..*policy };
    tiles.lowered(|facts| facts.max_groups = policy.facts.max_groups)
}

/// A policy that always reduces by tiles, and one that assigns a subgroup or workgroup to each
/// segment.
fn both_ways(gpu: &Gpu, policy: &Policy) -> [Policy; 2] {
    [always_tiles(gpu, policy), Policy { segment_chunk: SMALL_CHUNK, ..*policy }]
}

/// Segment lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lengths {
    Rows(usize),
    /// Tiny, huge and empty segments.
    Mixed,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    operator: Operator,
    lengths: Lengths,
    on_device: bool,
}

/// Offsets of random segments of `n` elements, including the end of the last one.
fn offsets(lengths: Lengths, n: usize, seed: u64) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    let mut all = vec![0];
    let mut at = 0;
    while at < n {
        let length = match lengths {
            Lengths::Rows(length) => length as u64,
            Lengths::Mixed => match rng.below(8) {
                0 => 0,
                1 => rng.below(300),
                2 => rng.below(10_000),
                _ => rng.below(9),
            },
        };
        at = (at + length as usize).min(n);
        all.push(at as u32);
    }
    all
}

/// Description of the segments of a graph: by offsets, or as rows of equal length.
#[derive(Clone, Copy)]
enum Cut<'c> {
    Offsets(&'c [u32]),
    Rows { length: usize, capacity: usize },
}

/// Runs a case. Returns the output.
fn run<'g, T: Term>(
    gpu: &'g Gpu,
    policy: &Policy,
    (operator, on_device): (Operator, bool),
    (input, cut): (&[T], Cut<'_>),
    segments: usize,
) -> Result<(Setup<'g>, Buffer)> {
    let (max_segments, cuts, length) = match cut {
        Cut::Offsets(cuts) => (cuts.len() - 1, cuts, 1),
        Cut::Rows { length, capacity } => (capacity, &[0][..], length),
    };
    let mut setup = Setup::new(gpu, "reduce segments");
    let n = input.len();
    // Elements after the device count must be ignored. They complete the last row.
    let past = if on_device { (n + PAST).next_multiple_of(length) - n } else { 0 };
    let mut source = input.to_vec();
    source.resize(n + past, T::LAST);
    let (src, dst) = (setup.input("src", &source), setup.output::<T>("dst", max_segments));
    let offsets = setup.input("offsets", cuts);
    let count = setup.count(on_device, segments as u32, max_segments);
    let elements = setup.count(on_device, n as u32, n + past);
    let buffers = match cut {
        Cut::Offsets(_) => SegmentedReduceBuffers::new(src, offsets, dst),
        Cut::Rows { length, .. } => SegmentedReduceBuffers::rows(src, length as u64, dst),
    };
    let buffers = buffers.count(count).elements(elements);
    reduce_segments(&mut setup.graph, policy, operator, &buffers)?;
    if policy.segment_chunk == ALWAYS_TILES {
        let plan = setup.graph.compile(&gpu.limits())?;
        let labels: Vec<&str> = plan.steps().iter().map(|step| &*step.pass.label).collect();
        let has_join = labels.iter().any(|label| label.starts_with("reduce.join"));
        ensure!(has_join, "the segments are not reduced by several tiles: {labels:?}");
    }
    setup.run_by(policy)?;
    Ok((setup, dst))
}

fn check_cuts<T: Term>(
    gpu: &Gpu,
    policy: &Policy,
    (operator, on_device): (Operator, bool),
    (input, cuts): (&[T], &[u32]),
    segments: usize,
) -> Result<()> {
    let cut = Cut::Offsets(cuts);
    let (setup, dst) = run(gpu, policy, (operator, on_device), (input, cut), segments)?;
    let n = input.len();
    let of = |pair: &[u32]| {
        let [begin, end] = [pair[0], pair[1]].map(|at| (at as usize).min(n));
        terms::reduce(operator, &input[begin..end.max(begin)])
    };
    let expected: Vec<T> = cuts.windows(2).take(segments).map(of).collect();
    setup.expect(dst, &expected).with_context(|| {
        format!("{} {operator:?}, {segments} segments of {n}, device: {on_device}", T::TYPE)
    })
}

fn check<T: Term>(gpu: &Gpu, policy: &Policy, case: Case, n: usize) -> Result<()> {
    let input: Vec<T> = terms::input(case.operator, n, n as u64 + 3);
    let cuts = offsets(case.lengths, n, n as u64);
    let max_segments = cuts.len() - 1;
    // With a device count, only the first 80% of the segments are reduced.
    let segments = if case.on_device { max_segments - max_segments / 5 } else { max_segments };
    let how = (case.operator, case.on_device);
    check_cuts(gpu, policy, how, (&input, &cuts), segments).with_context(|| format!("{case:?}"))
}

fn combinations_of_options_match_the_cpu<T: Term>(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let tile = policy.threads as usize * 16;
    let mut number = 5 * T::TYPE as usize;
    for operator in Operator::ALL {
        for on_device in [false, true] {
            number += 1;
            let all = [1, 3, 16, 64, 1000, tile, 3 * tile + 5].map(Lengths::Rows);
            let all = all.into_iter().chain([Lengths::Mixed]);
            let cases = all.map(|lengths| Case { operator, lengths, on_device });
            if gpu.full {
                for case in cases {
                    for n in [1, 5, tile - 1, tile, tile + 1, 9 * tile + 7, 40 * tile] {
                        gpu.case(|| gpu.run_or_refuse(|| check::<T>(gpu, &policy, case, n)))?;
                    }
                }
            // All sizes share the pipelines of a case. On a software driver, compiling them takes
            // most of the time.
            } else if number.is_multiple_of(12) && gpu.mine() {
                for (case, n) in
                    cases.zip([1, tile, tile - 1, tile + 1, 5 * tile + 7].iter().cycle())
                {
                    gpu.run_or_refuse(|| check::<T>(gpu, &policy, case, *n))?;
                }
                let case = Case { operator, lengths: Lengths::Mixed, on_device };
                gpu.run_or_refuse(|| check::<T>(gpu, &policy, case, 9 * tile + 7))?;
            }
        }
    }
    Ok(())
}

/// Reduces rows of `length` elements. Only the first `rows` rows have elements.
fn check_rows<T: Term>(
    gpu: &Gpu,
    policy: &Policy,
    how: (Operator, bool),
    (rows, length): (usize, usize),
    asked: (usize, usize),
) -> Result<()> {
    check_elements::<T>(gpu, policy, how, (rows * length, length), asked)
}

/// Reduces `n` elements as rows of `length` elements.
fn check_elements<T: Term>(
    gpu: &Gpu,
    policy: &Policy,
    how: (Operator, bool),
    (n, length): (usize, usize),
    (capacity, segments): (usize, usize),
) -> Result<()> {
    let input: Vec<T> = terms::input(how.0, n, (n + length) as u64);
    let cut = Cut::Rows { length, capacity };
    let (setup, dst) = run(gpu, policy, how, (&input, cut), segments)?;
    let row = |row: usize| {
        let elements = input.chunks(length).nth(row).unwrap_or_default();
        terms::reduce(how.0, elements)
    };
    let expected: Vec<T> = (0..segments).map(row).collect();
    setup.expect(dst, &expected).with_context(|| {
        format!("{} {how:?}, {n} elements in {segments} rows of {length}", T::TYPE)
    })
}

/// Covers rows that are so short that a subgroup reduces several, rows that are reduced by tiles,
/// and rows that get one subgroup or workgroup each, which reduces the row whole or in chunks.
fn rows_match_the_cpu<T: Term>(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let lanes = policy.facts.subgroup_size as usize;
    // Number of elements that a lane loads at once.
    let per_load = 16 / size_of::<T>();
    let tile = policy.threads as usize * 16;
    let by_workers = Policy { segment_chunk: SMALL_CHUNK, min_subgroup_workers: 64, ..policy };
    let chunk = SMALL_CHUNK as usize;
    let cases = [
        (&policy, 5 * tile + 3, 1),
        (&policy, tile + 7, per_load / 2),
        (&policy, tile - 1, per_load),
        (&policy, tile + 1, 2 * per_load),
        (&policy, 3 * lanes + 1, lanes * per_load),
        (&policy, 700, 24),
        (&policy, 70, 2 * lanes * per_load),
        (&by_workers, 300, chunk - 1),
        (&by_workers, 60, chunk),
        // A workgroup reduces a row whole if there are many rows, and in chunks if there are few.
        (&by_workers, 9, 5 * chunk + 3),
        (&by_workers, 3, 40 * chunk + 1),
        (&by_workers, 1, tile + 9),
    ];
    for (number, operator) in Operator::ALL.into_iter().enumerate() {
        for (k, (policy, rows, length)) in cases.into_iter().enumerate() {
            let of_sample = (number + k + T::TYPE as usize).is_multiple_of(12);
            for on_device in [false, true].into_iter().filter(|_| gpu.full || of_sample) {
                if gpu.mine() {
                    let asked = if on_device { (rows + 4, rows - rows / 5) } else { (rows, rows) };
                    let how = (operator, on_device);
                    gpu.run_or_refuse(|| check_rows::<T>(gpu, policy, how, (rows, length), asked))?;
                }
            }
        }
    }
    Ok(())
}

/// Row counts are zero, below, and above the number of rows that have elements.
fn row_counts_above_and_below_the_elements_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let by_workers = Policy { segment_chunk: SMALL_CHUNK, min_subgroup_workers: 64, ..policy };
    let tile = policy.threads as usize * 16;
    for (policy, length) in
        gpu.cases([(&policy, 8), (&policy, 24), (&by_workers, 200), (&by_workers, 3000)])
    {
        let rows = 3 * tile / length + 1;
        for (on_device, segments) in [(true, 0), (true, rows + 9), (false, rows + 9), (false, 2)] {
            let asked = (rows + 9, segments);
            let capacity = if on_device { asked } else { (segments, segments) };
            check_rows::<i32>(gpu, policy, (Operator::Min, on_device), (rows, length), capacity)?;
        }
        // The last row may be partial, and may end just before, at or just after a tile's end.
        for n in [1, length - 1, tile - 6, tile, 2 * tile - 2, 2 * tile + 3] {
            let capacity = 3 * tile / length + 2;
            let (how, asked) = ((Operator::Sum, true), (capacity, capacity));
            check_elements::<u32>(gpu, policy, how, (n, length), asked)?;
        }
        let folded = few_groups(*policy);
        let rows = 9 * tile / length;
        let (how, all) = ((Operator::Sum, false), (rows, rows));
        gpu.run_or_refuse(|| check_rows::<u64>(gpu, &folded, how, (rows, length), all))?;
    }
    Ok(())
}

/// Each segment gets one subgroup or workgroup. Segments are empty, shorter than a chunk, one
/// chunk, or several chunks long; some offsets are multiples of four elements.
fn long_segments_match_the_cpu<T: Term>(gpu: &Gpu) -> Result<()> {
    const CHUNK: u32 = SMALL_CHUNK;
    // Of the segment lists below, `short` needs more workers than this limit, `mixed` fewer than a
    // quarter of it, and `medium` a number in between.
    let min_subgroup_workers = 500;
    let policy = Policy { segment_chunk: CHUNK, min_subgroup_workers, ..gpu.policy() };
    // Inputs of at most one tile do not use the passes for long segments.
    let n = policy.threads * 16 + 40 * CHUNK + 7;
    let lengths =
        [1, CHUNK - 1, CHUNK, CHUNK + 1, 0, 3 * CHUNK + 2, 0, 9 * CHUNK, 6, 12 * CHUNK + 3];
    let begins = lengths.iter().scan(0, |at, length| {
        *at += length;
        Some(*at)
    });
    let mixed: Vec<u32> = [0].into_iter().chain(begins).chain([n - 5]).collect();
    let medium: Vec<u32> = (0..=n).step_by(CHUNK as usize / 2).chain([n]).collect();
    let short: Vec<u32> = (0..=n).step_by(CHUNK as usize / 8).chain([n]).collect();
    let one = vec![3, n];
    for (number, operator) in Operator::ALL.into_iter().enumerate() {
        for (k, cuts) in [&mixed, &medium, &short, &one].into_iter().enumerate() {
            let of_sample = (number + k + T::TYPE as usize).is_multiple_of(9);
            for on_device in [false, true].into_iter().filter(|_| gpu.full || of_sample) {
                if gpu.mine() {
                    let input: Vec<T> = terms::input(operator, n as usize, 8);
                    let how = (operator, on_device);
                    let say = || format!("{operator:?}, offsets {k}, device count: {on_device}");
                    gpu.run_or_refuse(|| {
                        check_cuts(gpu, &policy, how, (&input, cuts), cuts.len() - 1)
                            .with_context(say)
                    })?;
                }
            }
        }
    }
    Ok(())
}

/// A segment has more tiles than a workgroup has threads.
fn segments_of_many_tiles_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let threads = gpu.properties().subgroup_size;
    let policy = Policy { threads, ..always_tiles(gpu, &gpu.policy()) };
    let tile = threads as usize * 16;
    let n = 11 * threads as usize * tile + 3;
    let input: Vec<u32> = terms::input(Operator::Sum, n, 8);
    let long = 5 * threads as usize * tile + 17;
    for cuts in [vec![0, n], vec![5, long, long + 3, n - 1], vec![0, tile, 2 * tile, n]] {
        let cuts: Vec<u32> = cuts.iter().map(|&at| at as u32).collect();
        check_cuts(gpu, &policy, (Operator::Sum, false), (&input, &cuts), cuts.len() - 1)?;
    }
    Ok(())
}

/// Many empty segments begin at one offset, within a tile or at its ends: more than the kernel
/// visits one by one. Some arrays have only empty segments.
fn empty_segments_give_the_identity(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let tile = policy.threads as usize * 16;
    let input: Vec<i64> = terms::input(Operator::Min, 2 * tile + 9, 8);
    let how = (Operator::Min, false);
    for at in gpu.cases([0, 7, tile, 2 * tile + 9]) {
        let mut cuts = vec![0, at.min(3)];
        cuts.extend(vec![at; 5 * tile]);
        cuts.extend([at, (at + 2).min(input.len()), input.len()]);
        let cuts: Vec<u32> = cuts.iter().map(|&at| at as u32).collect();
        gpu.run_or_refuse(|| check_cuts(gpu, &policy, how, (&input, &cuts), cuts.len() - 1))?;
    }
    gpu.run_or_refuse(|| {
        check_cuts(gpu, &policy, how, (&input[..0], &[0; 100]), 99)?;
        check_cuts(gpu, &policy, how, (&input, &[0; 100]), 99)?;
        check_cuts(gpu, &policy, (Operator::Min, true), (&input, &[0; 100]), 0)
    })
}

fn two_dimensional_dispatches_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = few_groups(gpu.policy());
    let n = 20 * policy.threads as usize * 16 - 3;
    for policy in both_ways(gpu, &policy) {
        let case = Case { operator: Operator::Sum, lengths: Lengths::Mixed, on_device: false };
        check::<u32>(gpu, &policy, case, n)?;
    }
    Ok(())
}

/// The first segment begins after the first element, and the last one ends before the last element.
fn elements_outside_of_segments_are_ignored(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let tile = policy.threads as usize * 16;
    let input: Vec<f32> = terms::input(Operator::Sum, 4 * tile, 8);
    for (first, last) in [(5, 3 * tile), (tile, 2 * tile), (2 * tile + 1, 2 * tile + 9)] {
        let cuts = [first, first + 1, first + 1, (first + last) / 2, last].map(|at| at as u32);
        for policy in both_ways(gpu, &policy) {
            check_cuts(gpu, &policy, (Operator::Sum, false), (&input, &cuts), 4)?;
        }
    }
    Ok(())
}

/// Offsets beyond the array are clamped to its end. If offsets are not ascending, every result is
/// written, and no other word changes.
fn invalid_device_offsets_give_defined_results(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let n = 3 * policy.threads as usize * 16 + 5;
    let input: Vec<u32> = terms::input(Operator::Sum, n, 8);
    let past = [0, 7, n as u32 + 1, n as u32 + 500, u32::MAX, u32::MAX];
    let mut rng = Rng::new(4);
    let falling: Vec<u32> = (0..3000).map(|_| rng.below(2 * n as u64) as u32).collect();
    for policy in both_ways(gpu, &policy) {
        check_cuts(gpu, &policy, (Operator::Sum, true), (&input, &past), 5)?;
        let (setup, dst) =
            run(gpu, &policy, (Operator::Sum, true), (&input, Cut::Offsets(&falling)), 2999)?;
        let found: Vec<u32> = setup.found(dst)?;
        ensure!(found.iter().all(|&word| word != GUARD_WORD), "a result was not written");
    }
    Ok(())
}

/// Sums of floats differ from exact sums by rounding errors, but every run returns the same bits.
fn float_sums_are_reproducible(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let n = 20 * policy.threads as usize * 16 + 5;
    let input = fractions(n, 5);
    let cuts = [0, 3, 20_000, n as u32 - 7, n as u32];
    let how = (Operator::Sum, false);
    let cut = Cut::Offsets(&cuts);
    let (setup, dst) = run(gpu, &policy, how, (&input, cut), 4)?;
    let first: Vec<f32> = setup.found(dst)?;
    let (again, dst) = run(gpu, &policy, how, (&input, cut), 4)?;
    again.expect(dst, &first)?;
    for (of, found) in reference::segments(&input, &cuts).zip(&first) {
        let sum: f64 = of.iter().map(|&x| f64::from(x)).sum();
        expect_near(*found, sum, 1e-4)?;
    }
    Ok(())
}
