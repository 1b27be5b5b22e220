//! Scans and reductions as single calls, and rejected arguments. These tests do not depend on the
//! subgroup width.

use multisplit_tests::prelude::*;

tests!(terms_calls:
    special_floats_follow_total_order, one_call_scans_match_the_cpu,
    one_call_reductions_match_the_cpu, invalid_scans_are_rejected, invalid_reductions_are_rejected,
);

/// Floats are ordered as by `total_cmp`: NaN is the largest value, -NaN the smallest, and -0 is
/// less than +0.
fn special_floats_follow_total_order(gpu: &Gpu) -> Result<()> {
    let nan = f32::NAN;
    let input = [1.0, 0.0, -0.0, f32::NEG_INFINITY, -nan, nan, 2.0];
    let scanned = gpu.scan_with(&input, &Scan::inclusive(Operator::Min))?;
    let low = f32::NEG_INFINITY;
    expect_equal(&bits(&scanned), &bits(&[1.0, 0.0, -0.0, low, -nan, -nan, -nan]))?;
    let scanned = gpu.scan_with(&input, &Scan::inclusive(Operator::Max))?;
    expect_equal(&bits(&scanned), &bits(&[1.0, 1.0, 1.0, 1.0, 1.0, nan, nan]))?;
    let scanned = gpu.scan_with(&input[..2], &Scan::exclusive(Operator::Min))?;
    expect_equal(&bits(&scanned), &bits(&[f32::LAST, 1.0]))
}

fn one_call_scans_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let input: Vec<i64> = terms::input(Operator::Min, 10_000, 7);
    let how = Scan::inclusive(Operator::Min);
    expect_equal(&gpu.scan_with(&input, &how)?, &terms::scan(Operator::Min, true, &input))?;
    let array = gpu.upload(&input)?;
    let scanned = gpu.download(&gpu.scan_with(&array, &how)?)?;
    expect_equal(&scanned, &terms::scan(Operator::Min, true, &input))?;
    expect_equal(&gpu.scan(&input)?, &terms::scan(Operator::Sum, false, &input))?;
    expect_equal(&gpu.scan(&[0f64; 0])?, &[])
}

fn one_call_reductions_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let input: Vec<f64> = terms::input(Operator::Min, 10_000, 7);
    let array = gpu.upload(&input)?;
    for operator in [Operator::Min, Operator::Max] {
        let expected = terms::reduce(operator, &input);
        let index = terms::index(operator, &input);
        let got = [gpu.reduce(&input, operator)?, gpu.reduce(&array, operator)?];
        expect_equal(&bits(&got), &bits(&[expected; 2]))?;
        let found = match operator {
            Operator::Min => [gpu.argmin(&input)?, gpu.argmin(&array)?],
            _ => [gpu.argmax(&input)?, gpu.argmax(&array)?],
        };
        for (at, value) in found.into_iter().flatten() {
            let is_right = at == index && value.to_bits() == expected.to_bits();
            ensure!(is_right, "found {value} at index {at}, expected {expected} at {index}");
        }
        ensure!(found.iter().all(Option::is_some), "no element was found");
    }
    ensure!(gpu.reduce(&[0i32; 0], Operator::Sum)? == 0);
    ensure!(gpu.reduce(&[0i32; 0], Operator::Min)? == i32::MAX);
    ensure!(gpu.argmin(&[0i32; 0])?.is_none() && gpu.argmax(&[0f32; 0])?.is_none());
    ensure!(gpu.reduce(&[3u32, u32::MAX], Operator::Sum)? == 2);
    Ok(())
}

fn invalid_scans_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let mut graph = Graph::new("refused");
    let (words, floats) = (graph.import::<u32>("words", 8), graph.import::<f32>("floats", 8));
    let bytes = graph.import::<u8>("bytes", 8);
    let doubles = graph.import::<f64>("doubles", 4);
    let mut refused = |src, dst, n: u64| {
        let buffers = ScanBuffers::new(src, dst).count(n);
        scan(&mut graph, &policy, &Scan::inclusive(Operator::Max), &buffers)
    };
    expect_errors! {
        refused(words, floats, 8) => KeyTypeMismatch { name: "dst", .. },
        refused(bytes, bytes, 8) => KeyTypeMismatch { name: "src", .. },
        refused(doubles, doubles, 5) => BufferTooSmall { .. },
    }
    Ok(())
}

fn invalid_reductions_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let mut graph = Graph::new("refused");
    let (words, floats) = (graph.import::<u32>("words", 8), graph.import::<f32>("floats", 8));
    let bytes = graph.import::<u8>("bytes", 8);
    let huge = graph.import::<u32>("huge", 1 << 33);
    // More elements than fit in the memory of any device.
    let absurd = graph.import::<u32>("absurd", u64::MAX);
    let mut add = |buffers, operator| reduce(&mut graph, &policy, operator, &buffers);
    let (of, sum) = (ReduceBuffers::new, Operator::Sum);
    expect_errors! {
        add(of(words, floats), sum) => KeyTypeMismatch { name: "dst", .. },
        add(of(bytes, bytes), sum) => KeyTypeMismatch { name: "src", .. },
        add(of(floats, floats).index(floats), Operator::Min) => KeyTypeMismatch { name: "index", .. },
        add(of(words, words).count(9), sum) => BufferTooSmall { .. },
        add(of(huge, words).index(words), Operator::Max) => TooLarge { .. },
        add(of(absurd, words), sum) => TooLarge { .. },
        add(of(words, words).index(words), sum) => IndexOfSum,
    }
    for n in [1 << 50, 1 << 62, u64::MAX] {
        let result = add(of(huge, words).count(n), Operator::Max);
        ensure!(result.is_err(), "n = {n}: {result:?}");
    }
    Ok(())
}
