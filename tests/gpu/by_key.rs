//! Scans and reductions by key, compared with the CPU between guard words: type x operator x
//! segment heads (flags or keys) x method x size x location of the count.

use anyhow::{Context as _, Result, ensure};
use multisplit::Policy;
use multisplit::graph::{ElementType, Graph, Limits};
use multisplit::operations::{
    Count, ReduceByKeyBuffers, ScanBuffers, ScanMethod, reduce_by_key, scan,
};
use multisplit::{Array, Bound, Operator, Scan};
use multisplit_tests::generate::Rng;
use multisplit_tests::harness::{Gpu, expect_equal, few_groups};
use multisplit_tests::of_every_type;
use multisplit_tests::terms::{self, Term, bits};
use multisplit_tests::tests;

tests!(by_key:
    product_of_cases_matches_the_cpu;
    in turn: runs_of_any_length_match_the_cpu, look_back_without_polling_recomputes_tiles,
    folded_dispatch_matches_the_cpu, device_counts_are_clamped, float_sums_are_reproducible
);

/// Number of guard elements around the outputs; 64 satisfies any offset alignment.
const GUARD: usize = 64;
const GUARD_BITS: u64 = 0xDEAD_BEEF_DEAD_BEEF;
/// Number of array elements beyond a device count.
const SPARE: usize = 77;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Flags,
    Keys,
    WideKeys,
}

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

/// Random segment heads with an average segment length of `length`.
fn heads(n: usize, length: u64, seed: u64) -> Vec<bool> {
    let mut rng = Rng::new(seed);
    (0..n).map(|at| at == 0 || rng.below(length) == 0).collect()
}

/// Flags, or keys that change at segment heads in the low or the high word, as words.
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

fn guarded<T: Term>(found: &[T], capacity: usize) -> Vec<u64> {
    let guard = T::from_key_bits(GUARD_BITS).key_bits();
    let mut all = vec![guard; GUARD];
    all.extend(bits(found));
    all.resize(capacity + 2 * GUARD, guard);
    all
}

fn guarded_array<T: Term>(gpu: &Gpu, len: usize) -> Result<Array<T>> {
    Ok(gpu.context.upload(&vec![T::from_key_bits(GUARD_BITS); len + 2 * GUARD])?)
}

/// Runs a case. Returns the elements, keys and count with their guards.
fn run<T: Term>(
    gpu: &Gpu,
    policy: &Policy,
    case: Case,
    (input, keys): (&[T], &[u32]),
    n: u32,
) -> Result<(Vec<T>, Vec<u32>, Vec<u32>)> {
    let (context, len) = (&gpu.context, input.len());
    let per_key = if case.by == By::WideKeys { 2 } else { 1 };
    let key = if per_key == 2 { ElementType::U64 } else { ElementType::U32 };
    let mut graph = Graph::new("by key");
    let [src, dst] = ["src", "dst"].map(|name| graph.import::<T>(name, len as u64));
    let [from, to] = ["keys", "keys_out"].map(|name| graph.import_array(name, key, len as u64));
    let [words, found] = ["words", "found"].map(|name| graph.import::<u32>(name, 4));
    let count = match case.on_device {
        true => Count::Device { buffer: words, index: 1, max: len as u64 },
        false => Count::Host(n.into()),
    };
    if case.how == How::Reduce {
        let buffers = ReduceByKeyBuffers::new((from, src), (to, dst), found).count(count);
        reduce_by_key(&mut graph, policy, case.operator, &buffers)?;
    } else {
        let how = match case.how {
            How::Inclusive => Scan::inclusive(case.operator),
            _ => Scan::exclusive(case.operator),
        };
        let buffers = ScanBuffers::new(src, dst).count(count);
        let buffers = if case.by == By::Flags { buffers.heads(from) } else { buffers.keys(from) };
        scan(&mut graph, policy, &how, &buffers)?;
    }
    let limits =
        Limits { max_workgroup_count: [policy.facts.max_groups, 65535, 65535], ..context.limits() };
    let executable = context.instantiate(graph.compile(&limits)?)?;
    let (source, output) = (context.upload(input)?, guarded_array::<T>(gpu, len)?);
    let (key_array, key_output) = (context.upload(keys)?, guarded_array::<u32>(gpu, keys.len())?);
    let found_array = guarded_array::<u32>(gpu, 1)?;
    let counts = context.upload(&[9, n, 9, 9])?;
    let at = GUARD as u64 * size_of::<T>() as u64;
    let words_at = GUARD as u64 * 4;
    let bound: [Bound<'_>; 6] = [
        (src, &source, 0).into(),
        (dst, &output, at).into(),
        Bound::untyped(from, &key_array, 0),
        Bound::untyped(to, &key_output, words_at),
        (words, &counts, 0).into(),
        (found, &found_array, words_at).into(),
    ];
    context.run(&executable, &bound)?;
    let keys = context.download(&key_output)?;
    Ok((context.download(&output)?, keys, context.download(&found_array)?))
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
    let (got, got_keys, found) = run(gpu, policy, case, (input, &keys), n)?;
    let counted = (n as usize).min(len);
    let (first, heads) = (&input[..counted], &heads[..counted]);
    let say = |what| format!("{what}: {}, {case:?}, n = {n} of {len}, {:?}", T::TYPE, policy.scan);
    let (mut expected_keys, mut count) = (Vec::new(), GUARD_BITS as u32);
    let expected = match case.how {
        How::Reduce => {
            let per_key = if case.by == By::WideKeys { 2 } else { 1 };
            let of_heads = (0..counted).filter(|&at| heads[at]);
            let words = of_heads.flat_map(|at| keys[per_key * at..per_key * (at + 1)].to_vec());
            expected_keys = words.collect();
            let segments = terms::segments(first, heads);
            count = segments.len() as u32;
            segments.iter().map(|of| terms::reduce(case.operator, of)).collect()
        }
        how => terms::scan_segments(case.operator, how == How::Inclusive, first, heads),
    };
    expect_equal(&bits(&got), &guarded(&expected, len)).with_context(|| say("elements"))?;
    expect_equal(&bits(&got_keys), &guarded(&expected_keys, keys.len()))
        .with_context(|| say("keys"))?;
    expect_equal(&bits(&found), &guarded(&[count], 1)).with_context(|| say("count"))
}

fn check<T: Term>(gpu: &Gpu, policy: &Policy, case: Case, (n, length): (usize, u64)) -> Result<()> {
    let len = (n + if case.on_device { SPARE } else { 0 }).max(1);
    let input: Vec<T> = terms::input(case.operator, len, n as u64 + 3);
    check_input(gpu, policy, case, (&input, &heads(len, length, n as u64)), n as u32)
}

fn policy(gpu: &Gpu, scan: ScanMethod) -> Policy {
    Policy { scan, ..gpu.context.policy() }
}

fn product_of_type<T: Term>(gpu: &Gpu, mine: &mut dyn FnMut() -> bool) -> Result<()> {
    for (number, case) in cases().into_iter().enumerate() {
        for (k, method) in
            [ScanMethod::LookBack, ScanMethod::ReduceThenScan].into_iter().enumerate()
        {
            let policy = policy(gpu, method);
            // Scans also use tiles of 16 elements per thread, which end in the middle of these.
            let rows = match (method, T::TYPE.bits()) {
                (_, 64) => 2,
                (ScanMethod::LookBack, _) => 3,
                _ => 4,
            };
            let tile = policy.threads as usize * 4 * rows;
            let few = [1, 3, tile - 1, tile, tile + 1, 5 * tile + 7];
            if gpu.full {
                let more = [0, 2, 5, 2 * tile, 17 * tile, (1 << 20) - 5];
                for n in few.into_iter().chain(more) {
                    for length in [1, 4, 3000].into_iter().filter(|_| mine()) {
                        check::<T>(gpu, &policy, case, (n, length))?;
                    }
                }
            // On a software driver, pipeline compilation dominates the cost of a case, so all sizes
            // share the pipelines of a case.
            } else if (2 * number + k + 19 * T::TYPE as usize).is_multiple_of(61) && mine() {
                for (n, length) in few.into_iter().zip([1, 2, 5, 700, 4, 3000]) {
                    check::<T>(gpu, &policy, case, (n, length))?;
                }
            }
        }
    }
    Ok(())
}

fn product_of_cases_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let mine = &mut gpu.mine();
    of_every_type!(product_of_type(gpu, mine))
}

/// Runs that end at a tile boundary, runs of several tiles, and a single run.
fn runs_of_any_length_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let tile = gpu.context.policy().threads as usize * 16;
    let lengths = [tile, 1, tile - 1, 3 * tile + 2, 1, 1, 2 * tile - 1, 5, tile / 2];
    let some: Vec<bool> = lengths.iter().flat_map(|&n| (0..n).map(|at| at == 0)).collect();
    let one: Vec<bool> = (0..6 * tile + 5).map(|at| at == 0).collect();
    let mut mine = gpu.mine();
    for how in [How::Inclusive, How::Reduce] {
        for method in [ScanMethod::LookBack, ScanMethod::ReduceThenScan] {
            let case = Case { operator: Operator::Sum, by: By::Keys, how, on_device: false };
            for heads in [&some, &one].into_iter().filter(|_| mine()) {
                let input: Vec<i32> = terms::input(case.operator, heads.len(), 6);
                let n = heads.len() as u32;
                check_input(gpu, &policy(gpu, method), case, (&input, heads), n)?;
            }
        }
    }
    Ok(())
}

/// Without polling, every missing tile is recomputed by the workgroup that needs it.
fn look_back_without_polling_recomputes_tiles(gpu: &Gpu) -> Result<()> {
    for (spin_limit, tickets, how) in [(0, true, How::Exclusive), (5, false, How::Reduce)] {
        let policy = Policy { spin_limit, tickets, ..policy(gpu, ScanMethod::LookBack) };
        let n = 30 * policy.threads as usize * 16 + 9;
        let case = Case { operator: Operator::Max, by: By::Keys, how, on_device: false };
        check::<i32>(gpu, &policy, case, (n, 9000))?;
    }
    Ok(())
}

/// More workgroups than fit in x, with partial rows.
fn folded_dispatch_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut mine = gpu.mine();
    for method in [ScanMethod::LookBack, ScanMethod::ReduceThenScan] {
        let policy = few_groups(policy(gpu, method));
        for (how, on_device) in [(How::Inclusive, true), (How::Reduce, false)] {
            let case = Case { operator: Operator::Sum, by: By::Keys, how, on_device };
            if mine() {
                check::<u32>(gpu, &policy, case, (20 * policy.threads as usize * 16 - 3, 40))?;
            }
        }
    }
    Ok(())
}

/// A device count beyond the array is clamped to its length; with a count of zero only the count is
/// written.
fn device_counts_are_clamped(gpu: &Gpu) -> Result<()> {
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

/// Rounded sums differ slightly from the CPU's, but are identical in every run and by every method.
fn float_sums_are_reproducible(gpu: &Gpu) -> Result<()> {
    let n = 20 * gpu.context.policy().threads as usize * 16 + 5;
    let mut rng = Rng::new(5);
    let input: Vec<f32> = (0..n).map(|_| rng.next_u32() as f32 / 4e9).collect();
    let heads = heads(n, 20_000, 3);
    let keys = key_words(By::Keys, &heads);
    for how in [How::Inclusive, How::Reduce] {
        let case = Case { operator: Operator::Sum, by: By::Keys, how, on_device: false };
        let mut first: Option<Vec<u64>> = None;
        for method in [ScanMethod::LookBack, ScanMethod::ReduceThenScan] {
            let policy = policy(gpu, method);
            let (got, ..) = run(gpu, &policy, case, (&input, &keys), n as u32)?;
            let found = bits(&got);
            expect_equal(&found, first.get_or_insert_with(|| found.clone()))?;
            let mut at = GUARD;
            for segment in terms::segments(&input, &heads) {
                let sum: f64 = segment.iter().map(|&x| f64::from(x)).sum();
                at += if how == How::Reduce { 1 } else { segment.len() };
                let found = f64::from(got[at - 1]);
                ensure!((found - sum).abs() <= 1e-4 * sum.max(1.0), "{found}, near {sum}");
            }
        }
    }
    Ok(())
}
