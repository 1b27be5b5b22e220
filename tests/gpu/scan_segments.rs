//! Scans of rows and of segments given by offsets, compared with a CPU reference. Cases combine
//! element type, operator, inclusive or exclusive, rows or offsets, method, size, and the location
//! of counts and offsets (host or device).

use std::sync::Arc;

use multisplit_tests::prelude::*;

use crate::hostile_rig::Expected::Exactly;
use crate::hostile_rig::{Rig, elements, hostile_offsets, narrow};
use crate::large::Lowered;

tests!(scan_segments:
    #[every_type] combinations_of_options_match_the_cpu;
    in turn: segments_of_any_length_match_the_cpu, float_sums_are_reproducible,
    noncommutative_operators_match_the_cpu, one_call_functions_match_the_cpu,
    recorded_scans_match_the_cpu, replay_by_address_matches_the_cpu, arrays_larger_than_a_binding_match_the_cpu,
    arbitrary_device_offsets_give_defined_results, invalid_segments_are_rejected
);

const METHODS: [ScanMethod; 2] = [ScanMethod::LookBack, ScanMethod::ReduceThenScan];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Rows,
    HostOffsets,
    DeviceOffsets,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    operator: Operator,
    inclusive: bool,
    by: By,
    /// Whether the counts of elements and segments are on the device.
    on_device: bool,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for operator in Operator::ALL {
        for inclusive in [false, true] {
            for by in [By::Rows, By::HostOffsets, By::DeviceOffsets] {
                for on_device in [false, true] {
                    if (by, on_device) != (By::HostOffsets, true) {
                        cases.push(Case { operator, inclusive, by, on_device });
                    }
                }
            }
        }
    }
    cases
}

/// Offsets of segments of `n` elements with an average length of `length`. Some segments are empty.
fn offsets(n: usize, length: usize, seed: u64) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    let mut all = vec![0; 1 + rng.below(3) as usize];
    for at in 1..n as u32 {
        if rng.below(length as u64) == 0 {
            all.extend(vec![at; 1 + rng.below(9) as usize / 6]);
        }
    }
    all.push(n as u32);
    all
}

/// Offsets of rows.
fn row_offsets(n: usize, length: usize) -> Vec<u32> {
    (0..=n / length).map(|row| (row * length) as u32).collect()
}

/// A flag for each of `n` elements: whether it is at an offset.
fn heads(n: usize, offsets: &[u32]) -> Vec<bool> {
    let mut heads = vec![false; n];
    for &at in offsets.iter().filter(|&&at| (at as usize) < n) {
        heads[at as usize] = true;
    }
    heads
}

/// Runs a case on `n` elements, in segments or rows of about `length` elements.
fn check<T: Term>(
    gpu: &Gpu,
    policy: &Policy,
    case: Case,
    (n, length): (usize, usize),
) -> Result<()> {
    let Case { operator, inclusive, by, on_device } = case;
    let spare = if on_device { SPARE } else { 0 };
    let (n, len) = match by {
        By::Rows if on_device => (n, (n + spare).next_multiple_of(length)),
        By::Rows => (n.next_multiple_of(length), n.next_multiple_of(length)),
        _ => (n, n + spare),
    };
    let input: Vec<T> = terms::input(operator, len, n as u64 + 3);
    let mut setup = Setup::new(gpu, "segments");
    let (src, dst) = (setup.input("src", &input), setup.output::<T>("dst", len));
    let count = setup.count(on_device, n as u32, len);
    let (mut how, mut buffers) =
        (terms::scan_of(operator, inclusive), ScanBuffers::new(src, dst).count(count));
    let given = match by {
        By::Rows => row_offsets(n, length),
        _ => offsets(n, length, n as u64),
    };
    match by {
        By::Rows => how = how.rows(length as u64),
        By::HostOffsets => how = how.segments(&given),
        By::DeviceOffsets => {
            // Offsets that the count of segments does not include.
            let all = [&given[..], &vec![1; spare]].concat();
            let max = all.len() - 1;
            let segments = setup.count(on_device, given.len() as u32 - 1, max);
            buffers = buffers.segments(setup.input("offsets", &all), segments);
        }
    }
    scan(&mut setup.graph, policy, &how, &buffers)?;
    setup.run_by(policy)?;
    let expected = terms::scan_segments(operator, inclusive, &input[..n], &heads(n, &given));
    setup
        .expect::<T>(dst, &expected)
        .with_context(|| format!("{}, {case:?}, {n} by {length}, {:?}", T::TYPE, policy.scan))
}

fn combinations_of_options_match_the_cpu<T: Term>(gpu: &Gpu) -> Result<()> {
    for (number, case) in cases().into_iter().enumerate() {
        for (k, method) in METHODS.into_iter().enumerate() {
            let policy = Policy { scan: method, ..gpu.policy() };
            let vectors = if T::TYPE.bits() == 64 { 2 } else { 4 };
            let tile = policy.threads as usize * 4 * vectors;
            let few = [
                (1, 1),
                (3, 2),
                (tile - 1, 3),
                (tile, 4),
                (tile + 1, 700),
                (5 * tile + 7, 2 * tile + 5),
                (2 * tile + 2, 17),
            ];
            let more = [(5, 5), (2 * tile, 1), (17 * tile, tile), ((1 << 20) - 5, 3000)];
            let is_sampled = (2 * number + k + 19 * T::TYPE as usize).is_multiple_of(47);
            for size in gpu.sizes(is_sampled, &few, &more) {
                gpu.run_or_refuse(|| check::<T>(gpu, &policy, case, size))?;
            }
        }
    }
    Ok(())
}

/// Rows and segments of one element, a few elements, a tile and the whole array, by look-back
/// without polling and by reduce-then-scan.
fn segments_of_any_length_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let tile = gpu.policy().threads as usize * 16;
    for scan in METHODS {
        let policy = Policy { scan, spin_limit: 0, ..gpu.policy() };
        for (by, on_device) in [(By::Rows, false), (By::DeviceOffsets, true)] {
            let case = Case { operator: Operator::Sum, inclusive: true, by, on_device };
            for length in [1, 2, tile, 6 * tile + 5] {
                check::<u32>(gpu, &policy, case, (6 * tile + 5, length))?;
            }
        }
    }
    Ok(())
}

fn float_sums_are_reproducible(gpu: &Gpu) -> Result<()> {
    let input = fractions(300_000, 5);
    let how = Scan::inclusive(Operator::Sum);
    let row = gpu.max_scan_row() as usize + 60_000;
    for cut in [row_offsets(input.len(), 20), offsets(input.len(), 900, 1), vec![0, 300_000]] {
        let found = gpu.scan_segments(&input, &cut, &how)?;
        expect_sums(&found, &input, &cut)?;
        for _ in 0..3 {
            expect_equal(&gpu.scan_segments(&input, &cut, &how)?, &found)?;
        }
    }
    let n = input.len() / row * row;
    let found = gpu.scan_rows(&input[..n], row as u64, &how)?;
    expect_sums(&found, &input[..n], &row_offsets(n, row))
}

/// Compares sums of floats with sums in f64.
fn expect_sums(found: &[f32], input: &[f32], offsets: &[u32]) -> Result<()> {
    for of in offsets.windows(2) {
        let (range, mut sum) = (of[0] as usize..of[1] as usize, 0.0);
        for at in range {
            sum += f64::from(input[at]);
            expect_near(found[at], sum, 1e-4).with_context(|| format!("element {at}"))?;
        }
    }
    Ok(())
}

fn noncommutative_operators_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let how = Scan::inclusive(terms::last_nonzero());
    let n = 50_000;
    let input: Vec<u32> = uniform(n, 3).iter().map(|x| if x % 7 == 0 { *x } else { 0 }).collect();
    let scanned = |offsets: &[u32]| -> Vec<u32> {
        let latest = |so_far: &mut u32, &x: &u32| {
            *so_far = if x == 0 { *so_far } else { x };
            Some(*so_far)
        };
        reference::segments(&input, offsets).flat_map(|of| of.iter().scan(0, latest)).collect()
    };
    for length in [10, 125, 25_000] {
        let found = gpu.scan_rows(&input, length as u64, &how)?;
        expect_equal(&found, &scanned(&row_offsets(n, length)))?;
        let cut = offsets(n, length, 8);
        expect_equal(&gpu.scan_segments(&input, &cut, &how)?, &scanned(&cut))?;
    }
    Ok(())
}

fn one_call_functions_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let (values, cuts) = ([3i32, -1, 4, 1, -5, 9], [0, 2, 2, 6]);
    let how = Scan::inclusive(Operator::Sum);
    let expected = [3, 2, 4, 5, 0, 9];
    expect_equal(&gpu.scan_segments(&values, &cuts, &how)?, &expected)?;
    let (array, offsets) = (gpu.upload(&values)?, gpu.upload(&cuts)?);
    for found in [
        gpu.scan_segments(&array, &offsets, &how)?,
        gpu.scan_segments(&array, &cuts, &how)?,
        gpu.scan_with(&array, &how.clone().segments(&cuts))?,
    ] {
        expect_equal(&gpu.download(&found)?, &expected)?;
    }
    expect_equal(&gpu.scan_segments(&values, &offsets, &how)?, &expected)?;
    let rows = gpu.scan_rows(&values, 2, &Scan::exclusive(Operator::Min))?;
    expect_equal(&rows, &[i32::MAX, 3, i32::MAX, 4, i32::MAX, -5])?;
    let rows = gpu.scan_rows(&array, 3, &how)?;
    expect_equal(&gpu.download(&rows)?, &[3, 2, 6, 1, -4, 5])?;
    ensure!(gpu.scan_rows(&[0f64; 0], 7, &how)?.is_empty());
    ensure!(gpu.scan_segments(&[0u32; 0], &[0, 0], &how)?.is_empty());
    ensure!(gpu.scan_segments(&gpu.upload(&[0u32; 0])?, &[0], &how)?.is_empty());
    Ok(())
}

fn recorded_scans_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let n = 10_000usize;
    let input: Vec<u64> = terms::input(Operator::Max, n, 4);
    let cuts = offsets(n, 30, 2);
    let (src, offsets) = (gpu.upload(&input)?, gpu.upload(&cuts)?);
    let dst = [gpu.zeroed::<u64>(n as u64)?, gpu.zeroed::<u64>(n as u64)?];
    let (max, how) = (cuts.len() as u64 - 1, Scan::inclusive(Operator::Max));
    let mut work = gpu.work("segments");
    let segments = work.count("segments", max);
    work.scan_segments(&src, (&offsets, segments), &dst[0], &how)?;
    let elements = work.count("elements", n as u64);
    work.scan_rows(src.first(elements), 50, &dst[1], &how)?;
    let mut frame = work.record()?;
    for (segments, elements) in [(max, n), (max / 2, 77), (max, 1), (max, n)] {
        frame.set("segments", &(segments as u32))?;
        frame.set("elements", &(elements as u32))?;
        gpu.write(&dst[1], 0, &vec![7u64; n])?;
        frame.submit()?;
        frame.wait()?;
        let heads = heads(n, &cuts[..=segments as usize]);
        let expected = terms::scan_segments(Operator::Max, true, &input, &heads);
        expect_equal(&gpu.download(&dst[0])?, &expected)?;
        let rows = input[..elements].chunks(50);
        let mut expected: Vec<u64> =
            rows.flat_map(|row| terms::scan(Operator::Max, true, row)).collect();
        expected.resize(n, 7);
        expect_equal(&gpu.download(&dst[1])?, &expected)?;
    }
    Ok(())
}

/// One recording runs repeatedly, by device address if the device supports it.
fn replay_by_address_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let n = 9000;
    let (input, cuts) = (terms::input::<f32>(Operator::Sum, n, 6), offsets(n, 70, 3));
    let mut setup = Setup::new(gpu, "again");
    let (src, by_offsets) = (setup.input("src", &input), setup.input("offsets", &cuts));
    let [segments, rows] = ["segments", "rows"].map(|name| setup.output::<f32>(name, n));
    let (policy, how) = (gpu.policy(), Scan::inclusive(Operator::Sum));
    let buffers = ScanBuffers::new(src, segments).segments(by_offsets, cuts.len() as u64 - 1);
    scan(&mut setup.graph, &policy, &how, &buffers)?;
    // Rows whose length is not a multiple of 16 bytes.
    let of_rows = ScanBuffers::new(src, rows);
    scan(&mut setup.graph, &policy, &how.clone().rows(75), &of_rows)?;
    setup.graph.replayable();
    let by_address = gpu.features().buffer_device_address;
    let options = ExecutableOptions { by_address, ..ExecutableOptions::default() };
    let plan = setup.graph.compile(&gpu.limits())?;
    let executable = Arc::new(gpu.instantiate_with(plan, options)?);
    let mut replay = gpu.replay(executable, &setup.upload()?)?;
    let scanned =
        |offsets: &[u32]| terms::scan_segments(Operator::Sum, true, &input, &heads(n, offsets));
    for _ in 0..3 {
        replay.submit(1)?;
        replay.wait()?;
        setup.expect(segments, &scanned(&cuts))?;
        setup.expect(rows, &scanned(&row_offsets(n, 75)))?;
    }
    Ok(())
}

/// Host arrays are scanned in parts, which begin anywhere in a row or segment.
fn arrays_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    fn check<T: Key + Term>(context: &Context, n: usize, length: usize) -> Result<()> {
        for (operator, inclusive) in [(Operator::Sum, true), (Operator::Max, false)] {
            let (input, how) =
                (terms::input::<T>(operator, n, 9), terms::scan_of(operator, inclusive));
            let of = |offsets: &[u32]| {
                terms::scan_segments(operator, inclusive, &input, &heads(n, offsets))
            };
            let cut = offsets(n, length, 6);
            expect_keys(&context.scan_segments(&input, &cut, &how)?, &of(&cut))?;
            if n.is_multiple_of(length) {
                let found = context.scan_rows(&input, length as u64, &how)?;
                expect_keys(&found, &of(&row_offsets(n, length)))?;
            }
        }
        Ok(())
    }
    let range = 32 << 10;
    let policy = gpu.policy().lowered(|facts| facts.max_storage_range = range);
    let lowered = Lowered::with(gpu, policy)?;
    let part = range as usize / 4;
    for (n, length) in [
        (0, 5),
        (part, part),
        (3 * part, 3 * part),
        (5 * part, 10),
        (9 * 3000, 9000),
        (part + 1, 9),
    ] {
        let say = || format!("{n} elements, length {length}");
        check::<u32>(&lowered, n, length).with_context(say)?;
        gpu.run_or_refuse(|| check::<f64>(&lowered, n, length).with_context(say))?;
    }
    let limited = gpu.open_with(|config| config.memory_limit = Some(160 << 10))?;
    gpu.run_or_refuse(|| check::<i64>(&limited, 60_000, 7))?;
    check::<f32>(&limited, 60_000, 30_000)
}

/// Offsets on the device may decrease and exceed the array: a segment begins at each offset that
/// lies in the array.
fn arbitrary_device_offsets_give_defined_results(gpu: &Gpu) -> Result<()> {
    let plans = [
        (ScanMethod::ReduceThenScan, 40, 90),
        (ScanMethod::LookBack, 700, 300),
        (ScanMethod::LookBack, 6_000, 3_000),
        (ScanMethod::ReduceThenScan, 6_000, 40),
    ];
    for (method, max, max_segments) in plans {
        let mut rig = Rig::new(gpu);
        let [src, dst] = ["src", "dst"].map(|name| rig.array(name, max));
        let cuts = rig.array("offsets", max_segments + 1);
        let buffers = ScanBuffers::new(src.import, dst.import)
            .count(rig.count(0, max))
            .segments(cuts.import, rig.count(1, max_segments));
        let policy = Policy { scan: method, ..narrow(gpu) };
        scan(&mut rig.graph, &policy, &Scan::exclusive(Operator::Max), &buffers)?;
        rig.run(plans.len(), |rng, memory| {
            let n = memory.set_count(rng, 0, max);
            let segments = memory.set_count(rng, 1, max_segments);
            let (input, offsets) = (elements(n, rng), hostile_offsets(rng, n, max_segments + 1));
            memory.set(src, &input);
            memory.set(cuts, &offsets);
            let heads = heads(n, &offsets[..=segments]);
            vec![Exactly(dst, terms::scan_segments(Operator::Max, false, &input, &heads))]
        })?;
    }
    Ok(())
}

fn invalid_segments_are_rejected(gpu: &Gpu) -> Result<()> {
    let (values, how) = ([1u32; 8], Scan::default());
    let none = gpu.upload(&[0u32; 0])?;
    let of = |offsets: &[u32]| gpu.scan_segments(&values, offsets, &how);
    let rows = how.clone().rows(4);
    expect_errors! {
        of(&[]) => Segments { .. },
        of(&[1, 8]) => Segments { .. },
        of(&[0, 5, 4, 8]) => Segments { .. },
        of(&[0, 7]) => Segments { .. },
        of(&[0, 9]) => Segments { .. },
        gpu.scan_segments(&values, &none, &how) => Segments { .. },
        gpu.scan_segments(&values, &[0, 8], &rows) => Segments { .. },
        gpu.scan_rows(&values, 2, &rows) => Segments { .. },
        gpu.scan_by_key(&values, &values, &rows) => Segments { .. },
        gpu.scan_rows(&values, 3, &how) => Rows { n: 8, length: 3 },
        gpu.scan_rows(&values, 0, &how) => Rows { n: 8, length: 0 },
    }
    let policy = gpu.policy();
    let mut graph = Graph::new("refused");
    let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, 8));
    let (floats, huge) = (graph.import::<f32>("floats", 9), graph.import::<u32>("huge", 1 << 33));
    let good = ScanBuffers::new(src, dst);
    let count = Count::Device { buffer: src, index: 0, max: 8 };
    let mut add = |how: &Scan, buffers| scan(&mut graph, &policy, how, &buffers);
    expect_errors! {
        add(&how, good.segments(floats, 8)) => KeyTypeMismatch { name: "offsets", .. },
        add(&how, good.segments(src, 8)) => BufferTooSmall { .. },
        add(&how, good.segments(huge, 1 << 32)) => TooLarge { .. },
        add(&how, ScanBuffers::new(huge, huge).segments(src, 7)) => TooLarge { .. },
        add(&rows, good.segments(src, 7)) => Segments { .. },
        add(&how.clone().segments(&[0, 8]), good.count(count)) => Segments { .. },
        add(&how.clone().rows(4), ScanBuffers::new(huge, huge)) => TooLarge { .. },
    }
    Ok(())
}
