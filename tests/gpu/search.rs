//! Searches in sorted arrays, compared with a CPU reference. Outputs lie between guard words. Cases
//! combine element type, lower or upper bound, sizes, and the location of the counts (host or
//! device).

use multisplit_tests::prelude::*;

tests!(search:
    #[every_type] combinations_of_options_match_the_cpu, two_dimensional_dispatches_match_the_cpu,
    device_counts_above_the_array_length_are_clamped, one_call_functions_match_the_cpu,
    search_uses_a_sorted_device_array, invalid_searches_are_rejected,
);

/// Number of elements that the kernel copies to shared memory as the top of the search tree.
const TOP: usize = 1024;

#[derive(Clone, Copy, Debug)]
struct Case {
    how: Search,
    /// Whether the counts of the sorted array and of the needles are on the device.
    on_device: [bool; 2],
}

/// Sorted elements, most of them repeated.
fn sorted<T: Term>(n: usize, seed: u64) -> Vec<T> {
    let mut all: Vec<T> = terms::input(Operator::Max, n, seed);
    for at in 1..n {
        if all[at].key_bits() % 4 > 1 {
            all[at] = all[at - 1];
        }
    }
    all.sort_by(T::order);
    all
}

/// Elements of the array, random elements, and the first and last value of the type.
fn needles<T: Term>(sorted: &[T], n: usize, seed: u64) -> Vec<T> {
    let others: Vec<T> = terms::input(Operator::Max, n, seed);
    let pick = |(at, &other): (usize, &T)| match at % 5 {
        0 => T::FIRST,
        1 => T::LAST,
        2 | 3 if !sorted.is_empty() => sorted[at * 31 % sorted.len()],
        _ => other,
    };
    others.iter().enumerate().map(pick).collect()
}

fn expected<T: Term>(how: Search, sorted: &[T], needles: &[T]) -> Vec<u32> {
    let find = |needle: &T| match how {
        Search::LowerBound => sorted.partition_point(|x| x.order(needle).is_lt()),
        Search::UpperBound => sorted.partition_point(|x| x.order(needle).is_le()),
    };
    needles.iter().map(|needle| find(needle) as u32).collect()
}

/// Searches with the element and needle counts `given_counts`, which are clamped to the lengths of
/// the arrays.
fn check_input<T: Term>(
    gpu: &Gpu,
    policy: &Policy,
    case: Case,
    (elements, needles): (&[T], &[T]),
    given_counts: [u32; 2],
) -> Result<()> {
    let mut setup = Setup::new(gpu, "search");
    let (within, of) = (setup.input("sorted", elements), setup.input("needles", needles));
    let to = setup.output::<u32>("positions", needles.len());
    let buffers = SearchBuffers::new(within, of, to)
        .sorted_count(setup.count(case.on_device[0], given_counts[0], elements.len()))
        .count(setup.count(case.on_device[1], given_counts[1], needles.len()));
    search(&mut setup.graph, policy, case.how, &buffers)?;
    setup.run_by(policy)?;
    let n = (given_counts[0] as usize).min(elements.len());
    let asked = (given_counts[1] as usize).min(needles.len());
    setup
        .expect(to, &expected(case.how, &elements[..n], &needles[..asked]))
        .with_context(|| format!("{}, {case:?}, {given_counts:?}", T::TYPE))
}

fn check<T: Term>(gpu: &Gpu, policy: &Policy, case: Case, [n, m]: [usize; 2]) -> Result<()> {
    let spare = case.on_device.map(|on_device| if on_device { SPARE } else { 0 });
    // Elements after the device count are not sorted, and must be ignored.
    let mut elements = sorted::<T>(n, n as u64 + 3);
    elements.extend(terms::input::<T>(Operator::Max, spare[0], 4));
    let needles = needles(&elements[..n], m + spare[1], m as u64);
    check_input(gpu, policy, case, (&elements, &needles), [n as u32, m as u32])
}

fn combinations_of_options_match_the_cpu<T: Term>(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let sizes = [
        [0, 3],
        [1, 5],
        [2, 100],
        [TOP - 1, 7],
        [TOP, 4095],
        [TOP + 1, 4096],
        [5 * TOP + 77, 4097],
        [77, 20_000],
    ];
    let mut number = T::TYPE as usize;
    for on_device in [[false, false], [true, true], [true, false], [false, true]] {
        for how in [Search::LowerBound, Search::UpperBound] {
            number += 1;
            // A plain run takes its sample from one of the eight cases of each type.
            let taken = gpu.full || number.is_multiple_of(8);
            if !taken || !gpu.mine() {
                continue;
            }
            for size in sizes.into_iter().chain(gpu.full.then_some([(1 << 20) - 5, 1 << 18])) {
                gpu.run_or_refuse(|| check::<T>(gpu, &policy, Case { how, on_device }, size))?;
            }
        }
    }
    Ok(())
}

fn two_dimensional_dispatches_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = few_groups(gpu.policy());
    for on_device in [[false; 2], [true; 2]] {
        let case = Case { how: Search::LowerBound, on_device };
        check::<u32>(gpu, &policy, case, [3000, 33_000])?;
    }
    Ok(())
}

fn device_counts_above_the_array_length_are_clamped(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let elements = sorted::<u32>(3000, 5);
    let needles = needles(&elements, 700, 6);
    let case = Case { how: Search::UpperBound, on_device: [true; 2] };
    for given_counts in [[3001, 701], [u32::MAX, 700], [3000, u32::MAX]] {
        check_input(gpu, &policy, case, (&elements, &needles), given_counts)?;
    }
    Ok(())
}

fn one_call_functions_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let elements = sorted::<f64>(2000, 1);
    let needles = needles(&elements, 900, 2);
    let [lower, upper] =
        [Search::LowerBound, Search::UpperBound].map(|how| expected(how, &elements, &needles));
    expect_equal(&gpu.lower_bound(&elements, &needles)?, &lower)?;
    let (array, wanted) = (gpu.upload(&elements)?, gpu.upload(&needles)?);
    expect_equal(&gpu.download(&gpu.upper_bound(&array, &wanted)?)?, &upper)?;
    // If the sorted array is on the device and the needles on the host, the result is on the host.
    expect_equal(&gpu.upper_bound(&array, &needles)?, &upper)?;
    ensure!(gpu.lower_bound(&elements, &[0f64; 0])?.is_empty());
    expect_equal(&gpu.upper_bound(&[0i32; 0], &[1, 2])?, &[0, 0])
}

/// The result of a sort with a device count is searched without copying it to the host.
fn search_uses_a_sorted_device_array(gpu: &Gpu) -> Result<()> {
    let keys: Vec<i32> = terms::input(Operator::Max, 5000, 8);
    let wanted = [i32::MIN, -5, 0, 77, i32::MAX];
    let (src, needles) = (gpu.upload(&keys)?, gpu.upload(&wanted)?);
    let lower = gpu.zeroed::<u32>(5)?;
    let upper = gpu.zeroed::<u32>(5)?;
    let mut work = gpu.work("sort and search");
    let n = work.count("elements", 5000);
    work.sort(src.first(n), &Sort::ascending())?;
    work.lower_bound(src.first(n), &needles, &lower)?;
    work.upper_bound(src.first(n), &needles, &upper)?;
    let mut frame = work.record()?;
    frame.set("elements", &4321u32)?;
    frame.submit()?;
    let mut sorted = keys[..4321].to_vec();
    sorted.sort_unstable();
    let found = |how| expected(how, &sorted, &wanted);
    expect_equal(&gpu.download(&lower)?, &found(Search::LowerBound))?;
    expect_equal(&gpu.download(&upper)?, &found(Search::UpperBound))
}

fn invalid_searches_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let mut graph = Graph::new("refused");
    let [elements, needles, positions] =
        ["sorted", "needles", "positions"].map(|name| graph.import::<u32>(name, 8));
    let floats = graph.import::<f32>("floats", 8);
    let huge = graph.import::<u32>("huge", 1 << 33);
    let mut add = |buffers| search(&mut graph, &policy, Search::LowerBound, &buffers);
    let good = SearchBuffers::new(elements, needles, positions);
    let long = SearchBuffers::new(huge, needles, positions);
    let word = Count::Device { buffer: positions, index: 8, max: 8 };
    expect_errors! {
        add(SearchBuffers::new(elements, floats, positions)) => KeyTypeMismatch { name: "needles", .. },
        add(SearchBuffers::new(elements, needles, floats)) => KeyTypeMismatch { name: "positions", .. },
        add(good.count(9)) => BufferTooSmall { .. },
        add(good.sorted_count(9)) => BufferTooSmall { .. },
        add(good.count(word)) => BufferTooSmall { .. },
        add(good.sorted_count(word)) => BufferTooSmall { .. },
        add(long) => TooLarge { .. },
        add(long.sorted_count(u64::MAX)) => TooLarge { .. },
        add(long.sorted_count(u64::from(u32::MAX))) => TooLarge { .. },
    }
    Ok(())
}
