//! Tests of `Work` and `Frame`: passes on arrays are declared once, recorded once, and submitted
//! many times with values that change between submissions.

use multisplit::Frame;
use multisplit_tests::prelude::*;

tests!(work:
    push_constants_can_change_between_runs, submissions_in_flight_are_ordered,
    counts_can_change_between_runs, primitives_in_one_recording_match_the_cpu,
    pairs_and_permutations_match_the_cpu, calls_and_submissions_are_ordered,
    frames_keep_their_arrays_alive, indirect_dispatches_are_clamped, invalid_values_are_rejected,
    frames_with_imports_are_rejected, operations_are_limited_to_the_first_elements,
    empty_arrays_of_wide_elements_are_accepted, many_arrays_are_bound,
);

const N: u64 = 10_000;

/// An operation on the first elements of an array either does not access the other elements or
/// returns an error.
fn operations_are_limited_to_the_first_elements(gpu: &Gpu) -> Result<()> {
    let (a, b) = (gpu.upload(&[1u32, 2, 3, 4, 5])?, gpu.upload(&[9u32; 5])?);
    let bytes = [gpu.upload(&[1u8, 2, 3, 4, 5])?, gpu.upload(&[9u8; 7])?];
    let run = |declare: &dyn Fn(&mut Work) -> Result<(), Error>| -> Result<(), Error> {
        let mut work = gpu.work("first");
        declare(&mut work)?;
        run_once(work)
    };
    run(&|work| work.fill(b.first(2), 7))?;
    expect_equal(&gpu.download(&b)?, &[7, 7, 9, 9, 9])?;
    run(&|work| work.copy(a.first(3), &b))?;
    expect_equal(&gpu.download(&b)?, &[1, 2, 3, 9, 9])?;
    run(&|work| work.copy(a.first(1), b.first(1)))?;
    run(&|work| {
        let n = work.count_in(&a, 5); // `a[0]` is 1
        work.fill(b.first(n), 8)
    })?;
    expect_equal(&gpu.download(&b)?, &[8, 2, 3, 9, 9])?;
    run(&|work| work.fill(bytes[1].first(4), 0x0404_0404))?;
    expect_equal(&gpu.download(&bytes[1])?, &[4u8, 4, 4, 4, 9, 9, 9])?;
    // Only these elements are bound, so for the shader the array ends after them.
    let add = |work: &mut Work| -> Result<(), Error> {
        let pass = work.glsl("add", ADD)?.bind("data", b.first(2)).push(&10u32);
        pass.dispatch(threads(5, 64));
        Ok(())
    };
    run(&add)?;
    expect_equal(&gpu.download(&b)?, &[8, 12, 3, 9, 9])?;

    let fill_counted = |work: &mut Work| {
        let n = work.count_in(&a, 5);
        work.fill(bytes[0].first(n), 0)
    };
    let (up, how) = (Sort::ascending(), Scan::default());
    expect_errors! {
        run(&|work| work.copy(&bytes[0], &bytes[1])) => LengthMismatch { .. },
        run(&|work| work.copy(&a, b.first(2))) => LengthMismatch { .. },
        run(&|work| work.copy(a.first(2), b.first(3))) => LengthMismatch { .. },
        run(&|work| work.sort_pairs(&a, b.first(3), &up)) => LengthMismatch { .. },
        run(&|work| work.scan_by_key(a.first(2), &b, &b, &how)) => LengthMismatch { .. },
        run(&|work| work.fill(bytes[0].first(3), 0)) => Operand { .. },
        run(&fill_counted) => Operand { .. },
    }
    expect_equal(&gpu.download(&a)?, &[1, 2, 3, 4, 5])?;
    expect_equal(&gpu.download(&b)?, &[8, 12, 3, 9, 9])
}

/// Graphs do not support empty buffers, so an empty array is bound as an array of one element.
fn empty_arrays_of_wide_elements_are_accepted(gpu: &Gpu) -> Result<()> {
    let none = gpu.upload::<[u32; 64]>(&[])?;
    let mut work = gpu.work("wide");
    work.fill(&none, 7)?;
    run_once(work)?;
    ensure!(gpu.download(&none)?.is_empty());
    Ok(())
}

/// A shader that adds `addend` times the index to each word.
pub const ADD: &str = "#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint at[]; } data;
layout(push_constant) uniform Push { uint addend; } push;
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < data.at.length()) data.at[i] += push.addend * i;
}";

/// Applies [`ADD`] on the CPU.
pub fn add(words: &mut [u32], addend: u32) {
    words
        .iter_mut()
        .zip(0u32..)
        .for_each(|(word, i)| *word = word.wrapping_add(addend.wrapping_mul(i)));
}

fn adding(gpu: &Gpu, array: &Array<u32>, addend: u32, in_flight: usize) -> Result<Frame> {
    let mut work = gpu.work("add");
    work.glsl("add", ADD)?.bind("data", array).push(&addend).dispatch(threads(array.len(), 64));
    Ok(work.record_in_flight(in_flight)?)
}

/// Each submission uses the values set before it, even if earlier submissions are in flight.
fn push_constants_can_change_between_runs(gpu: &Gpu) -> Result<()> {
    for in_flight in [1, 2, 3, 0] {
        let mut expected = uniform(N as usize, 1);
        let array = gpu.upload(&expected)?;
        let mut frame = adding(gpu, &array, 5, in_flight)?;
        frame.submit()?;
        add(&mut expected, 5);
        for value in [7u32, 7, 1 << 20, 0, 3] {
            frame.set("add", &value)?;
            frame.submit()?;
            add(&mut expected, value);
        }
        // A value stays until another value is set. Setting a value again before a submission
        // replaces it.
        frame.set("add", &99u32)?;
        frame.set("add", &4u32)?;
        for _ in 0..4 {
            frame.submit()?;
            add(&mut expected, 4);
        }
        expect_equal(&gpu.download(&array)?, &expected)
            .with_context(|| format!("{in_flight} in flight"))?;
    }
    Ok(())
}

/// Runs use a transient buffer, of which each submission in flight has its own copy. Each run reads
/// the output of the previous run.
fn submissions_in_flight_are_ordered(gpu: &Gpu) -> Result<()> {
    let mut expected = uniform(N as usize, 2);
    let array = gpu.upload(&expected)?;
    let mut work = gpu.work("step");
    let sums = work.transient::<u32>("sums", N);
    work.scan(&array, sums, &Scan::default())?;
    work.glsl("add", ADD)?.bind("data", sums).push(&1u32).dispatch(threads(N, 64));
    work.copy(sums, &array)?;
    let mut frame = work.record_in_flight(3)?;
    let allocated = gpu.memory_report();
    for _ in 0..20 {
        frame.submit()?;
        expected = reference::exclusive_scan(&expected);
        add(&mut expected, 1);
    }
    frame.wait()?;
    ensure!(gpu.memory_report() == allocated, "a submission allocated memory");
    expect_equal(&gpu.download(&array)?, &expected)?;
    // Dropping a frame waits for its submissions.
    frame.submit()?;
    drop(frame);
    expected = reference::exclusive_scan(&expected);
    add(&mut expected, 1);
    expect_equal(&gpu.download(&array)?, &expected)
}

/// A count is 0 until it is set, and is clamped to the declared maximum.
fn counts_can_change_between_runs(gpu: &Gpu) -> Result<()> {
    let max = 3_001u32;
    let keys = uniform(max as usize, 3);
    let (array, offsets) = (gpu.upload(&keys)?, gpu.zeroed::<u32>(5)?);
    let out = gpu.zeroed::<u32>(max.into())?;
    let mut work = gpu.work("counted");
    let count = work.count("count", max.into());
    work.sort(array.first(count), &Sort::ascending())?;
    work.split(array.first(count), &out, &offsets, &Buckets::digit(0..2))?;
    let mut frame = work.record()?;
    for number in
        [None, Some(max), Some(1), Some((max / 3) | 1), Some(0), Some(max + 1), Some(u32::MAX)]
    {
        gpu.write(&array, 0, &keys)?;
        if let Some(number) = number {
            frame.set("count", &number)?;
        }
        frame.submit()?;
        let n = number.unwrap_or(0).min(max) as usize;
        let mut expected = keys.clone();
        expected[..n].sort_unstable();
        let at = || format!("{number:?} of {max}");
        expect_equal(&gpu.download(&array)?, &expected).with_context(at)?;
        let (order, ends) = reference::split(n, 4, |i| expected[i] & 3);
        let moved = reference::pick(&expected, &order);
        expect_equal(&gpu.download(&offsets)?, &ends).with_context(at)?;
        expect_equal(&gpu.download_range(&out, 0..n as u64)?, &moved).with_context(at)?;
    }
    Ok(())
}

/// One recording fills, copies, splits, counts and scans arrays and transient buffers.
fn primitives_in_one_recording_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys = uniform(N as usize, 4);
    let array = gpu.upload(&keys)?;
    let (out, offsets) = (gpu.zeroed::<u32>(N)?, gpu.zeroed::<u32>(9)?);
    let (narrow, wide) = (gpu.zeroed::<u32>(8)?, gpu.zeroed::<u64>(8)?);
    let (sums, filled) = (gpu.zeroed::<u32>(8)?, gpu.zeroed::<u32>(70)?);
    let mut work = gpu.work("everything");
    let copied = work.transient::<u32>("copied", N);
    work.copy(&array, copied)?;
    let function = Glsl::new("uint bucket_of(uint k) { return k & 7u; }");
    work.split(copied, &out, &offsets, &Buckets::glsl(8, function.clone()))?;
    let bins = Bins::glsl(8, function);
    work.histogram(&array, &narrow, &bins)?;
    work.histogram(copied, &wide, &bins)?;
    work.scan(&narrow, &sums, &Scan::default())?;
    work.fill(&filled, 7)?;
    let mut frame = work.record()?;
    for _ in 0..3 {
        frame.submit()?;
    }
    let (order, expected) = reference::split(keys.len(), 8, |i| keys[i] & 7);
    expect_equal(&gpu.download(&out)?, &reference::pick(&keys, &order))?;
    expect_equal(&gpu.download(&offsets)?, &expected)?;
    let counts: Vec<u32> = expected.windows(2).map(|both| both[1] - both[0]).collect();
    expect_equal(&gpu.download(&narrow)?, &counts)?;
    let counts: Vec<u64> = counts.into_iter().map(u64::from).collect();
    expect_equal(&gpu.download(&wide)?, &counts)?;
    expect_equal(&gpu.download(&sums)?, &expected[..8])?;
    expect_equal(&gpu.download(&filled)?, &[7; 70])?;
    expect_equal(&gpu.download(&array)?, &keys).context("the input has changed")
}

fn pairs_and_permutations_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys = uniform(2_000, 5);
    let values: Vec<[u32; 2]> = (0..2_000).map(|i| [i, !i]).collect();
    let upload = || gpu.upload(&keys);
    let (sorted, ordered, pairs) = (upload()?, upload()?, gpu.upload(&values)?);
    let (order, moved) = (gpu.zeroed::<u32>(2_000)?, gpu.upload(&values)?);
    let (halves, half_values) = (gpu.zeroed::<u32>(2_000)?, gpu.upload(&values)?);
    let offsets = gpu.zeroed::<u32>(3)?;
    let mut work = gpu.work("pairs");
    let split_keys = upload()?;
    let buckets = Buckets::digit(31..32);
    work.split_pairs((&split_keys, &pairs), (&halves, &half_values), &offsets, &buckets)?;
    work.sort_pairs(&sorted, &moved, &Sort::descending())?;
    work.argsort(&ordered, &order, &Sort::ascending().bits(8..24))?;
    work.record()?.submit()?;
    let down = reference::sort(&keys, 0..32, true);
    expect_equal(&gpu.download(&moved)?, &reference::pick(&values, &down))?;
    expect_equal(&gpu.download(&order)?, &reference::sort(&keys, 8..24, false))?;
    expect_equal(&gpu.download(&ordered)?, &keys)?;
    let (by_half, ends) = reference::split(keys.len(), 2, |i| keys[i] >> 31);
    expect_equal(&gpu.download(&half_values)?, &reference::pick(&values, &by_half))?;
    expect_equal(&gpu.download(&offsets)?, &ends)
}

/// A call is ordered after earlier submissions and before later ones. Two frames that use the same
/// array are ordered as well.
fn calls_and_submissions_are_ordered(gpu: &Gpu) -> Result<()> {
    let mut expected = uniform(N as usize, 6);
    let mut array = gpu.upload(&expected)?;
    let (mut ones, mut tens) = (adding(gpu, &array, 1, 2)?, adding(gpu, &array, 10, 2)?);
    for round in 0..5 {
        ones.submit()?;
        tens.submit()?;
        ones.submit()?;
        add(&mut expected, 12);
        gpu.sort_in_place(&mut array, &Sort::ascending())?;
        expected.sort_unstable();
        tens.submit()?;
        add(&mut expected, 10);
        gpu.write(&array, 17, &[round])?;
        expected[17] = round;
        ones.submit()?;
        add(&mut expected, 1);
        let sums = gpu.scan(&array)?;
        expect_equal(&gpu.download(&sums)?, &reference::exclusive_scan(&expected))?;
    }
    expect_equal(&gpu.download(&array)?, &expected)
}

fn frames_keep_their_arrays_alive(gpu: &Gpu) -> Result<()> {
    let out = gpu.zeroed::<u32>(N)?;
    let input = uniform(N as usize, 7);
    let mut frame = {
        let array = gpu.upload(&input)?;
        let mut work: Work = gpu.work("copy");
        work.copy(&array, &out)?;
        work.record()?
    };
    let others = [gpu.upload(&vec![1u32; N as usize])?, gpu.zeroed::<u32>(N)?];
    frame.submit()?;
    drop(others);
    expect_equal(&gpu.download(&out)?, &input)
}

/// Like [`ADD`], but only the first 16 workgroups write. In the largest dispatch, the global thread
/// index may wrap around, and later workgroups would then write the same words again.
const ADD_BY_SOME: &str = "#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint at[]; } data;
layout(push_constant) uniform Push { uint addend; } push;
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (gl_WorkGroupID.x < 16 && i < data.at.length()) data.at[i] += push.addend * i;
}";

/// The workgroup counts of the dispatch are in device memory.
fn indirect_dispatches_are_clamped(gpu: &Gpu) -> Result<()> {
    let (array, groups) = (gpu.zeroed::<u32>(1000)?, gpu.upload(&[3u32, 1, 1])?);
    let mut work = gpu.work("indirect");
    work.glsl("add", ADD_BY_SOME)?.bind("data", &array).push(&1u32).dispatch_indirect(&groups)?;
    let mut frame = work.record()?;
    let mut expected = vec![0; 1000];
    // The last count exceeds the limit of every device, and is clamped to it.
    for count in [3u32, 0, 16, u32::MAX] {
        gpu.write(&groups, 0, &[count])?;
        frame.submit()?;
        let seen = (64 * u64::from(count)).min(1000) as usize;
        add(&mut expected[..seen], 1);
        expect_equal(&gpu.download(&array)?, &expected)?;
    }
    Ok(())
}

/// A value can be set only for a pass of the caller, and only with the declared size. A rejected
/// value has no effect.
fn invalid_values_are_rejected(gpu: &Gpu) -> Result<()> {
    const WIDE: &str = "#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint at[]; } data;
layout(push_constant) uniform Push { uint a; uint b; } push;
void main() { if (gl_GlobalInvocationID.x == 0) data.at[0] += push.a + push.b; }";
    let mut expected = uniform(N as usize, 8);
    let array = gpu.upload(&expected)?;
    let mut work = gpu.work("values");
    let sums = work.transient::<u32>("sums", N);
    work.glsl("add", ADD)?.bind("data", &array).push(&2u32).dispatch(threads(N, 64));
    work.glsl("twice", ADD)?.bind("data", &array).dispatch(threads(N, 64));
    work.glsl("twice", WIDE)?.bind("data", &array).dispatch(threads(1, 64));
    work.scan(&array, sums, &Scan::default())?;
    work.copy(sums, &array)?;
    let mut frame = work.record()?;
    let inner: Vec<(String, usize)> = frame
        .plan()
        .steps()
        .iter()
        .map(|step| (step.pass.label.clone(), step.pass.push.len()))
        .filter(|(label, _)| !["add", "twice"].contains(&label.as_str()))
        .collect();
    ensure!(!inner.is_empty(), "the plan has no built-in passes");
    for (label, bytes) in &inner {
        let result = match bytes {
            4 => frame.set(label, &u32::MAX),
            8 => frame.set(label, &[u32::MAX; 2]),
            _ => frame.set(label, &[u32::MAX; 3]),
        };
        expect_error!(result, UnknownPass { .. }, "{label}");
    }
    // An unknown pass, and a label of two passes with different push constants.
    for label in ["none", "twice"] {
        expect_error!(
            frame.set(label, &1u32),
            UnknownPass { plan, pass } if plan == "values" && pass == label,
            "{label}"
        );
    }
    expect_errors! { frame.set("add", &1u64) => ValueOfPass { given: 8, needed: 4, .. } }
    frame.submit()?;
    // Push constants that were not set are zero.
    add(&mut expected, 2);
    expect_equal(&gpu.download(&array)?, &reference::exclusive_scan(&expected))
}

/// A frame is recorded immediately, so its work must not have imports, whose memory is known only
/// when a plan runs.
fn frames_with_imports_are_rejected(gpu: &Gpu) -> Result<()> {
    let begin = || -> Result<_> {
        let mut work = gpu.work("imported");
        let keys = work.import::<u32>("keys", 100);
        work.sort(keys, &Sort::ascending())?;
        Ok((work, keys))
    };
    expect_errors! {
        begin()?.0.record() =>
            ImportBinding { plan, name, .. } if plan == "imported" && name == "keys",
    }
    let (work, keys) = begin()?;
    let executable = work.executable(ExecutableOptions::default())?;
    let mut expected = uniform(100, 9);
    let array = gpu.upload(&expected)?;
    gpu.run(&executable, &[(keys.buffer(), &array)])?;
    expected.sort_unstable();
    expect_equal(&gpu.download(&array)?, &expected)
}

/// The work uses so many arrays that the library must allocate memory to look them up.
fn many_arrays_are_bound(gpu: &Gpu) -> Result<()> {
    let arrays: Vec<_> =
        (0..50u32).map(|i| gpu.upload(&[i; 10])).collect::<multisplit::Result<_>>()?;
    let copies: Vec<_> =
        (0..50).map(|_| gpu.upload(&[0u32; 10])).collect::<multisplit::Result<_>>()?;
    let mut work = gpu.work("many arrays");
    for (from, to) in arrays.iter().zip(&copies) {
        work.copy(from, to)?;
    }
    run_once(work)?;
    for (i, copy) in copies.iter().enumerate() {
        expect_equal(&gpu.download(copy)?, &[i as u32; 10])?;
    }
    Ok(())
}
