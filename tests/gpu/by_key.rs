//! Scans and reductions by key, compared with a CPU reference. Outputs lie between guard words.
//! Cases combine element type, operator, segment heads (flags or keys), method, size, and the
//! location of the count (host or device).

use multisplit_tests::prelude::*;

tests!(by_key:
    #[every_type] combinations_of_options_match_the_cpu;
    in turn: segments_of_any_length_match_the_cpu, look_back_with_few_polls_matches_the_cpu,
    two_dimensional_dispatches_match_the_cpu, device_counts_above_the_array_length_are_clamped,
    float_sums_are_reproducible
);

const METHODS: [ScanMethod; 2] = [ScanMethod::LookBack, ScanMethod::ReduceThenScan];

/// The array that marks segment heads: flags, or keys, which differ between adjacent segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Flags,
    Keys,
    WideKeys,
}

/// The operation on each segment: an exclusive scan, an inclusive scan, or a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Exclusive,
    Inclusive,
    Reduce,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    operator: Operator,
    by: By,
    how: How,
    on_device: bool,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for operator in Operator::ALL {
        for by in [By::Flags, By::Keys, By::WideKeys] {
            for how in [How::Exclusive, How::Inclusive, How::Reduce] {
                for on_device in [false, true] {
                    if (by, how) != (By::Flags, How::Reduce) {
                        cases.push(Case { operator, by, how, on_device });
                    }
                }
            }
        }
    }
    cases
}

/// Random head flags of segments with an average length of `length`.
fn heads(n: usize, length: u64, seed: u64) -> Vec<bool> {
    let mut rng = Rng::new(seed);
    (0..n).map(|at| at == 0 || rng.below(length) == 0).collect()
}

/// Returns head flags or keys that define these segments, as 32-bit words. Adjacent segments have
/// different keys; 64-bit keys differ in the low word or in both words.
fn key_words(by: By, heads: &[bool]) -> Vec<u32> {
    let mut key = 5u64;
    let mut words = Vec::new();
    for (at, &head) in heads.iter().enumerate() {
        if head {
            key = if at % 2 == 0 { key.wrapping_add(1) } else { key ^ (1 << 40) ^ 1 << 31 };
        }
        match by {
            By::Flags => words.push(if head { 1 << (at % 32) } else { 0 }),
            By::Keys => words.push((key ^ key >> 40) as u32),
            By::WideKeys => words.extend([key as u32, (key >> 32) as u32]),
        }
    }
    words
}

/// Runs a case. Returns the buffers of the output elements, the output keys and the segment count.
fn run<'g, T: Term>(
    gpu: &'g Gpu,
    policy: &Policy,
    case: Case,
    (input, keys): (&[T], &[u32]),
    n: u32,
) -> Result<(Setup<'g>, [Buffer; 3])> {
    let len = input.len();
    let key = if case.by == By::WideKeys { ElementType::U64 } else { ElementType::U32 };
    let mut setup = Setup::new(gpu, "by key");
    let (src, dst) = (setup.input("src", input), setup.output::<T>("dst", len));
    let from = setup.array("keys", key, len as u64, keys);
    let to = setup.array("keys_out", key, len as u64, &[]);
    let found = setup.output::<u32>("found", 4);
    let count = setup.count(case.on_device, n, len);
    if case.how == How::Reduce {
        let buffers = ReduceByKeyBuffers::new((from, src), (to, dst), found).count(count);
        reduce_by_key(&mut setup.graph, policy, case.operator, &buffers)?;
    } else {
        let how = match case.how {
            How::Inclusive => Scan::inclusive(case.operator),
            _ => Scan::exclusive(case.operator),
        };
        let buffers = ScanBuffers::new(src, dst).count(count);
        let buffers = if case.by == By::Flags { buffers.heads(from) } else { buffers.keys(from) };
        scan(&mut setup.graph, policy, &how, &buffers)?;
    }
    setup.run_by(policy)?;
    Ok((setup, [dst, to, found]))
}

/// Runs a case on the first `n` elements, with a count that may exceed the array, and compares the
/// results with the CPU.
fn check_input<T: Term>(
    gpu: &Gpu,
    policy: &Policy,
    case: Case,
    (input, heads): (&[T], &[bool]),
    n: u32,
) -> Result<()> {
    let len = input.len();
    let keys = key_words(case.by, heads);
    let (setup, [dst, to, found]) = run(gpu, policy, case, (input, &keys), n)?;
    let counted = (n as usize).min(len);
    let (first, heads) = (&input[..counted], &heads[..counted]);
    let say = |what| format!("{what}: {}, {case:?}, n = {n} of {len}, {:?}", T::TYPE, policy.scan);
    let (mut expected_keys, mut count) = (Vec::new(), Vec::new());
    let expected = match case.how {
        How::Reduce => {
            let per_key = if case.by == By::WideKeys { 2 } else { 1 };
            let of_heads = (0..counted).filter(|&at| heads[at]);
            let words = of_heads.flat_map(|at| keys[per_key * at..per_key * (at + 1)].to_vec());
            expected_keys = words.collect::<Vec<u32>>();
            let segments = terms::segments(first, heads);
            count = vec![segments.len() as u32];
            segments.iter().map(|of| terms::reduce(case.operator, of)).collect()
        }
        how => terms::scan_segments(case.operator, how == How::Inclusive, first, heads),
    };
    setup.expect::<T>(dst, &expected).with_context(|| say("elements differ"))?;
    setup.expect(to, &expected_keys).with_context(|| say("keys differ"))?;
    setup.expect(found, &count).with_context(|| say("segment counts differ"))
}

fn check<T: Term>(gpu: &Gpu, policy: &Policy, case: Case, (n, length): (usize, u64)) -> Result<()> {
    let len = (n + if case.on_device { SPARE } else { 0 }).max(1);
    let input: Vec<T> = terms::input(case.operator, len, n as u64 + 3);
    check_input(gpu, policy, case, (&input, &heads(len, length, n as u64)), n as u32)
}

fn policy(gpu: &Gpu, scan: ScanMethod) -> Policy {
    Policy { scan, ..gpu.policy() }
}

fn combinations_of_options_match_the_cpu<T: Term>(gpu: &Gpu) -> Result<()> {
    for (number, case) in cases().into_iter().enumerate() {
        for (k, method) in METHODS.into_iter().enumerate() {
            let policy = policy(gpu, method);
            // Number of four-element vectors that a thread processes in a tile of a reduction.
            // Tiles of scans may be larger: up to 16 elements per thread.
            let vectors = match (method, T::TYPE.bits()) {
                (_, 64) => 2,
                (ScanMethod::LookBack, _) => 3,
                _ => 4,
            };
            let tile = policy.threads as usize * 4 * vectors;
            let few = [1, 3, tile - 1, tile, tile + 1, 5 * tile + 7];
            let more = [0, 2, 5, 2 * tile, 17 * tile, (1 << 20) - 5];
            let with_lengths = |n| [1, 4, 3000].map(|length| (n, length));
            let sizes: Vec<(usize, u64)> = match gpu.full {
                true => few.into_iter().chain(more).flat_map(with_lengths).collect(),
                false => few.into_iter().zip([1, 2, 5, 700, 4, 3000]).collect(),
            };
            let is_sampled = (2 * number + k + 19 * T::TYPE as usize).is_multiple_of(61);
            for size in gpu.sizes(is_sampled, &sizes, &[]) {
                gpu.run_or_refuse(|| check::<T>(gpu, &policy, case, size))?;
            }
        }
    }
    Ok(())
}

/// Inputs with segments that end at a tile boundary, with segments of several tiles, and with a
/// single segment.
fn segments_of_any_length_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let tile = gpu.policy().threads as usize * 16;
    let lengths = [tile, 1, tile - 1, 3 * tile + 2, 1, 1, 2 * tile - 1, 5, tile / 2];
    let some: Vec<bool> = lengths.iter().flat_map(|&n| (0..n).map(|at| at == 0)).collect();
    let one: Vec<bool> = (0..6 * tile + 5).map(|at| at == 0).collect();
    for how in [How::Inclusive, How::Reduce] {
        for method in METHODS {
            let case = Case { operator: Operator::Sum, by: By::Keys, how, on_device: false };
            for heads in [&some, &one].into_iter().filter(|_| gpu.mine()) {
                let input: Vec<i32> = terms::input(case.operator, heads.len(), 6);
                let n = heads.len() as u32;
                check_input(gpu, &policy(gpu, method), case, (&input, heads), n)?;
            }
        }
    }
    Ok(())
}

/// With a spin limit of 0, workgroups recompute predecessor tiles instead of polling for them.
fn look_back_with_few_polls_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    for (spin_limit, tickets, how) in [(0, true, How::Exclusive), (5, false, How::Reduce)] {
        let policy = Policy { spin_limit, tickets, ..policy(gpu, ScanMethod::LookBack) };
        let n = 30 * policy.threads as usize * 16 + 9;
        let case = Case { operator: Operator::Max, by: By::Keys, how, on_device: false };
        check::<i32>(gpu, &policy, case, (n, 9000))?;
    }
    Ok(())
}

fn two_dimensional_dispatches_match_the_cpu(gpu: &Gpu) -> Result<()> {
    for method in METHODS {
        let policy = few_groups(policy(gpu, method));
        for (how, on_device) in [(How::Inclusive, true), (How::Reduce, false)] {
            let case = Case { operator: Operator::Sum, by: By::Keys, how, on_device };
            gpu.case(|| {
                check::<u32>(gpu, &policy, case, (20 * policy.threads as usize * 16 - 3, 40))
            })?;
        }
    }
    Ok(())
}

/// Device counts that exceed the array length are clamped to that length. If the count is zero, no
/// element is written, but a reduction still writes its number of results.
fn device_counts_above_the_array_length_are_clamped(gpu: &Gpu) -> Result<()> {
    let policy = policy(gpu, ScanMethod::LookBack);
    let len = 2 * policy.threads as usize * 16 + 1;
    let (input, heads) = (terms::input::<u32>(Operator::Sum, len, 9), heads(len, 4, 2));
    for how in [How::Exclusive, How::Reduce] {
        let case = Case { operator: Operator::Sum, by: By::Keys, how, on_device: true };
        for n in [len as u32 + 1, u32::MAX, 0] {
            check_input(gpu, &policy, case, (&input, &heads), n)?;
        }
    }
    Ok(())
}

/// Sums of floats differ from exact sums by rounding errors, but both scan methods return the same
/// bits.
fn float_sums_are_reproducible(gpu: &Gpu) -> Result<()> {
    let n = 20 * gpu.policy().threads as usize * 16 + 5;
    let input = fractions(n, 5);
    let heads = heads(n, 20_000, 3);
    let keys = key_words(By::Keys, &heads);
    for how in [How::Inclusive, How::Reduce] {
        let case = Case { operator: Operator::Sum, by: By::Keys, how, on_device: false };
        let mut first: Option<Vec<u64>> = None;
        for method in METHODS {
            let policy = policy(gpu, method);
            let (setup, [dst, ..]) = run(gpu, &policy, case, (&input, &keys), n as u32)?;
            let got: Vec<f32> = setup.found(dst)?;
            let found = bits(&got);
            expect_equal(&found, first.get_or_insert_with(|| found.clone()))?;
            let mut at = 0;
            for segment in terms::segments(&input, &heads) {
                let sum: f64 = segment.iter().map(|&x| f64::from(x)).sum();
                at += if how == How::Reduce { 1 } else { segment.len() };
                expect_near(got[at - 1], sum, 1e-4)?;
            }
        }
    }
    Ok(())
}
