//! Selections, compared with a CPU reference. Outputs lie between guard words. Cases combine
//! element type, condition, optional outputs, input size, and the location of the count (host or
//! device).

use multisplit_tests::prelude::*;

tests!(select:
    #[every_type] combinations_of_options_match_the_cpu;
    in turn: all_or_no_elements_are_selected, runs_across_tiles_match_the_cpu,
    look_back_with_few_polls_matches_the_cpu, two_dimensional_dispatches_match_the_cpu,
    device_counts_above_the_array_length_are_clamped, every_comparison_matches_the_cpu,
    later_passes_use_the_found_count, one_call_functions_match_the_cpu,
    invalid_selections_are_rejected
);

/// The condition: a flag per element, a bound, or whether the element begins a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Flags,
    Range,
    Heads,
}

/// Output in addition to the selected elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Also {
    Nothing,
    Rejected,
    Lengths,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    by: By,
    also: Also,
    on_device: bool,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for on_device in [false, true] {
        for by in [By::Flags, By::Range, By::Heads] {
            for also in [Also::Nothing, Also::Rejected, Also::Lengths] {
                if also != Also::Lengths || by == By::Heads {
                    cases.push(Case { by, also, on_device });
                }
            }
        }
    }
    cases
}

/// Elements in runs of about four equal elements.
fn input<T: Term>(n: usize, seed: u64) -> Vec<T> {
    let mut all: Vec<T> = terms::input(Operator::Max, n, seed);
    for at in 1..n {
        if !all[at].key_bits().is_multiple_of(4) {
            all[at] = all[at - 1];
        }
    }
    all
}

/// The selected elements, the rejected elements, and the length of each run.
fn expected<T: Term>(by: By, limit: T, flags: &[u32], input: &[T]) -> (Vec<T>, Vec<T>, Vec<u32>) {
    let (mut selected, mut rejected, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
    for (at, &x) in input.iter().enumerate() {
        let head = at == 0 || input[at - 1].key_bits() != x.key_bits();
        let is_selected = match by {
            By::Flags => flags[at] != 0,
            By::Range => x.order(&limit).is_lt(),
            By::Heads => head,
        };
        if is_selected {
            selected.push(x);
        } else {
            rejected.push(x);
        }
        if head {
            lengths.push(0);
        }
        if let Some(last) = lengths.last_mut() {
            *last += 1;
        }
    }
    (selected, rejected, lengths)
}

fn check_input<T: Term>(
    gpu: &Gpu,
    policy: &Policy,
    case: Case,
    (input, flags): (&[T], &[u32]),
    n: u32,
) -> Result<()> {
    let len = input.len();
    let limit = terms::input::<T>(Operator::Max, 2, 8)[1];
    let mut setup = Setup::new(gpu, "select");
    let (src, flag) = (setup.input("src", input), setup.input("flags", flags));
    let [dst, rejected] = ["dst", "rejected"].map(|name| setup.output::<T>(name, len));
    let lengths = setup.output::<u32>("lengths", len);
    let selected = setup.output::<u32>("selected", 1);
    let count = setup.count(case.on_device, n, len);
    let mut buffers = SelectBuffers::new(src, dst, selected).count(count);
    let which = match case.by {
        By::Flags => {
            buffers = buffers.flags(flag);
            Select::<T>::flagged()
        }
        By::Range => Select::less_than(limit),
        By::Heads => Select::first_of_runs(),
    };
    let counted = &input[..(n as usize).min(len)];
    let (kept, mut others, mut runs) = expected(case.by, limit, flags, counted);
    match case.also {
        Also::Rejected => buffers = buffers.rejected(rejected),
        _ => others.clear(),
    }
    match case.also {
        Also::Lengths => buffers = buffers.run_lengths(lengths),
        _ => runs.clear(),
    }
    select(&mut setup.graph, policy, &which, &buffers)?;
    setup.run_by(policy)?;
    let say = || format!("{}, {case:?}, n = {n} of {len}", T::TYPE);
    setup.expect(selected, &[kept.len() as u32]).with_context(say)?;
    setup.expect(dst, &kept).with_context(say)?;
    setup.expect(rejected, &others).with_context(say)?;
    setup.expect(lengths, &runs).with_context(say)
}

fn check<T: Term>(gpu: &Gpu, policy: &Policy, case: Case, n: usize) -> Result<()> {
    let len = (n + if case.on_device { SPARE } else { 0 }).max(1);
    let flags: Vec<u32> = terms::input(Operator::Sum, len, 5);
    let flags: Vec<u32> = flags.iter().map(|flag| flag >> 31).collect();
    check_input(gpu, policy, case, (&input::<T>(len, n as u64 + 3), &flags), n as u32)
}

/// Number of elements in a tile of a large selection, for elements of `bits` bits.
fn tile(policy: &Policy, bits: u32, also: Also) -> usize {
    let (threads, items) = match (also, bits) {
        (Also::Lengths, _) => (policy.threads, 20),
        (_, 64) => (policy.select_threads, 16),
        _ => (policy.select_threads, 32),
    };
    threads as usize * items
}

fn combinations_of_options_match_the_cpu<T: Term>(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    for (number, case) in cases().into_iter().enumerate() {
        let tile = tile(&policy, T::TYPE.bits(), case.also);
        let few = [1, 3, tile - 1, tile, tile + 1, 5 * tile + 7];
        let more = [0, 2, 4, 5, 2 * tile, 17 * tile, (1 << 20) - 5];
        let is_sampled = (number + 3 * T::TYPE as usize).is_multiple_of(5);
        for n in gpu.sizes(is_sampled, &few, &more) {
            gpu.run_or_refuse(|| check::<T>(gpu, &policy, case, n))?;
        }
    }
    Ok(())
}

/// The condition holds for all elements or for none. The count is the array length or 0.
fn all_or_no_elements_are_selected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let n = 3 * tile(&policy, 32, Also::Nothing) + 5;
    let keys: Vec<u32> = input(n, 4);
    let also = Also::Rejected;
    for flag in [0, 1, u32::MAX] {
        for on_device in [false, true] {
            let case = Case { by: By::Flags, also, on_device };
            let flags = vec![flag; n];
            check_input(gpu, &policy, case, (&keys, &flags), n as u32)?;
            check_input(gpu, &policy, case, (&keys, &flags), 0)?;
        }
    }
    Ok(())
}

/// Inputs with runs that end at a tile boundary, with runs of several tiles, and with a single run.
fn runs_across_tiles_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let tile = tile(&policy, 32, Also::Lengths);
    let case = Case { by: By::Heads, also: Also::Lengths, on_device: false };
    let lengths = [tile, 1, tile - 1, 3 * tile + 2, 1, 1, 2 * tile - 1, 5, tile / 2];
    let runs = lengths.iter().zip(7..).flat_map(|(&n, key)| std::iter::repeat_n(key, n));
    let keys: Vec<u32> = runs.collect();
    for n in [keys.len(), tile, tile + 1, 5 * tile] {
        check_input(gpu, &policy, case, (&keys[..n], &vec![0; n]), n as u32)?;
    }
    let same = vec![7u32; 5 * tile + 3];
    check_input(gpu, &policy, case, (&same, &same), same.len() as u32)
}

/// With a spin limit of 0, workgroups recount predecessor tiles instead of polling for them.
fn look_back_with_few_polls_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    for (spin_limit, tickets) in [(0, true), (5, false)] {
        let policy = Policy { spin_limit, tickets, ..gpu.policy() };
        let n = 20 * tile(&policy, 32, Also::Nothing) + 9;
        for (by, also) in [(By::Range, Also::Rejected), (By::Heads, Also::Lengths)] {
            check::<u32>(gpu, &policy, Case { by, also, on_device: false }, n)?;
        }
    }
    Ok(())
}

fn two_dimensional_dispatches_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = few_groups(gpu.policy());
    for on_device in [false, true] {
        let case = Case { by: By::Heads, also: Also::Nothing, on_device };
        check::<u32>(gpu, &policy, case, 20 * tile(&policy, 32, Also::Nothing) - 3)?;
    }
    Ok(())
}

fn device_counts_above_the_array_length_are_clamped(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let keys: Vec<u32> = input(2 * tile(&policy, 32, Also::Nothing) + 1, 9);
    let case = Case { by: By::Range, also: Also::Nothing, on_device: true };
    for n in [keys.len() as u32 + 1, u32::MAX] {
        check_input(gpu, &policy, case, (&keys, &vec![0; keys.len()]), n)?;
    }
    Ok(())
}

/// Compares with the smallest, the largest and other values of the type, by every comparison
/// operator.
fn every_comparison_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys: Vec<f32> = [1.0, -0.0, 0.0, f32::NAN, -f32::NAN, f32::INFINITY, -1.0, 1.0].to_vec();
    let first = f32::from_bits(u32::MAX);
    for limit in [0.0, 1.0, first, f32::from_bits(u32::MAX >> 1)] {
        let same = |x: &f32| x.to_bits() == limit.to_bits();
        let less = |x: &f32| x.total_cmp(&limit).is_lt();
        type Test<'t> = &'t dyn Fn(&f32) -> bool;
        let all: [(Select<f32>, Test<'_>); 6] = [
            (Select::less_than(limit), &less),
            (Select::at_most(limit), &|x| less(x) || same(x)),
            (Select::greater_than(limit), &|x| !less(x) && !same(x)),
            (Select::at_least(limit), &|x| !less(x)),
            (Select::equal_to(limit), &same),
            (Select::not_equal_to(limit), &|x| !same(x)),
        ];
        for (which, test) in all {
            let kept: Vec<f32> = keys.iter().copied().filter(test).collect();
            let found = gpu.select(&keys, &which)?;
            expect_equal(&bits(&found), &bits(&kept)).with_context(|| format!("{which:?}"))?;
        }
    }
    let found = gpu.select(&[5i64, -7, 0, 9], &Select::within(-7..=5))?;
    expect_equal(&found, &[5, -7, 0])?;
    // A range that ends before it begins selects nothing.
    let (begin, end) = (5, -7);
    expect_equal(&gpu.select(&[5i64, -7, 0], &Select::within(begin..=end))?, &[])
}

/// A selection writes its number of elements to device memory, where later passes read it.
fn later_passes_use_the_found_count(gpu: &Gpu) -> Result<()> {
    let keys: Vec<u32> = input(10_000, 3);
    let kept: Vec<u32> = keys.iter().copied().filter(|&key| key < 1 << 30).collect();
    let (src, dst) = (gpu.upload(&keys)?, gpu.zeroed::<u32>(10_000)?);
    let (sums, count) = (gpu.zeroed::<u32>(10_000)?, gpu.zeroed::<u32>(1)?);
    let mut work = gpu.work("select and scan");
    work.select(&src, &dst, &count, &Select::less_than(1 << 30))?;
    let n = work.count_in(&count, 10_000);
    work.scan(dst.first(n), &sums, &Scan::default())?;
    work.record()?.submit()?;
    expect_equal(&gpu.download(&count)?, &[kept.len() as u32])?;
    let mut expected = terms::scan(Operator::Sum, false, &kept);
    expected.resize(10_000, 0);
    expect_equal(&gpu.download(&sums)?, &expected)
}

fn one_call_functions_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys: Vec<i32> = input(20_000, 6);
    let array = gpu.upload(&keys)?;
    let flags: Vec<u32> = keys.iter().map(|&key| (key % 3 == 0).into()).collect();
    let (kept, others, lengths) = expected(By::Range, 100, &flags, &keys);
    expect_equal(&gpu.select(&keys, &Select::less_than(100))?, &kept)?;
    let found = gpu.select(&array, &Select::less_than(100))?;
    ensure!(found.len() == kept.len() as u64);
    expect_equal(&gpu.download(&found)?, &kept)?;
    let (low, high) = gpu.partition(&keys, &Select::less_than(100))?;
    expect_equal(&low, &kept)?;
    expect_equal(&high, &others)?;
    let (kept, ..) = expected(By::Flags, 0, &flags, &keys);
    expect_equal(&gpu.select_flagged(&keys, &flags)?, &kept)?;
    let (kept, ..) = expected(By::Heads, 0, &flags, &keys);
    expect_equal(&gpu.unique(&keys)?, &kept)?;
    let (heads, found) = gpu.run_lengths(&array)?;
    expect_equal(&gpu.download(&heads)?, &kept)?;
    expect_equal(&gpu.download(&found)?, &lengths)?;
    ensure!(gpu.unique(&[0f64; 0])?.is_empty());
    let (heads, found) = gpu.run_lengths(&[0u32; 0])?;
    ensure!(heads.is_empty() && found.is_empty());
    Ok(())
}

fn invalid_selections_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let mut graph = Graph::new("refused");
    let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, 8));
    let one = graph.import::<u32>("one", 1);
    let floats = graph.import::<f32>("floats", 8);
    let huge = graph.import::<u32>("huge", 1 << 33);
    let mut add = |which: Select<u32>, buffers| select(&mut graph, &policy, &which, &buffers);
    let good = SelectBuffers::new(src, dst, one);
    let less = || Select::less_than(3);
    for (which, buffers) in [
        (Select::flagged(), good),
        (less(), good.flags(src)),
        (less(), good.run_lengths(src)),
        (Select::first_of_runs(), good.rejected(dst).run_lengths(dst)),
    ] {
        expect_error!(add(which.clone(), buffers), Selection { .. }, "{which:?}");
    }
    let long = SelectBuffers::new(huge, huge, one);
    expect_errors! {
        add(less(), SelectBuffers::new(src, floats, one)) => KeyTypeMismatch { name: "dst", .. },
        add(less(), SelectBuffers::new(floats, floats, one)) => KeyTypeMismatch { name: "src", .. },
        add(less(), good.count(9)) => BufferTooSmall { .. },
        add(Select::flagged(), good.flags(one)) => BufferTooSmall { .. },
        add(less(), long) => TooLarge { .. },
        add(less(), long.count(u64::MAX)) => TooLarge { .. },
        gpu.select_flagged(&[1u32, 2], &[1u32]) => Selection { .. },
    }
    Ok(())
}
