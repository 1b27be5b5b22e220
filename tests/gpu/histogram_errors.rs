//! Histogram: what makes no sense is refused by a typed error, before anything runs.

use anyhow::{Result, ensure};
use multisplit::Error;
use multisplit::graph::Graph;
use multisplit::primitives::histogram::{
    Histogram, HistogramBuffers, HistogramMethod, HistogramTuning, Layout, Length, SampleType,
    Weight, add,
};
use multisplit::primitives::multisplit::UserBucket;
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::tests;

use crate::histogram_run::{Input, run};

tests!(histogram: refused, absurd_policies, too_small, without_features, glsl_errors_are_the_users);

fn outcome(
    gpu: &Gpu,
    histogram: &Histogram,
    change: fn(&mut HistogramBuffers),
) -> Result<(), Error> {
    let mut graph = Graph::new("refused");
    let samples = graph.import::<u32>("samples", 64);
    let counts = graph.import::<u32>("counts", 4 << 20);
    let mut buffers = HistogramBuffers::new(8, samples, counts);
    change(&mut buffers);
    add(&mut graph, &gpu.context.policy(), histogram, &buffers).map(|_| ())
}

fn refused(gpu: &Gpu) -> Result<()> {
    let even = |m| Histogram::even(m, 0.0f32, 1.0);
    let nan = f32::NAN;
    let histograms = [
        ("no bins", even(0)),
        ("no splitters", Histogram::range::<f32>(&[])),
        ("one splitter", Histogram::range(&[1.0f32])),
        ("unsorted", Histogram::range(&[1.0f32, 3.0, 2.0])),
        ("unsorted signed", Histogram::range(&[1i32, -3, 2])),
        ("NaN", Histogram::range(&[1.0f32, nan, 2.0])),
        ("NaN of f64", Histogram::range(&[1.0f64, f64::NAN])),
        ("empty", Histogram::even(4, 1.0f32, 1.0)),
        ("backwards", Histogram::even(4, 2u32, 1)),
        ("lo is NaN", Histogram::even(4, nan, 1.0)),
        ("infinite", Histogram::even(4, 0.0f32, f32::INFINITY)),
        ("too narrow", Histogram::even(4, 0.0f32, 1e-38)),
        ("identity of floats", Histogram::identity(SampleType::F32, 4)),
        ("no channels", even(4).laid_out(Layout::interleaved(0, 0))),
        ("five channels", even(4).laid_out(Layout::interleaved(5, 1))),
        ("no such channel", even(4).laid_out(Layout::interleaved(2, 0b100))),
        ("no active channel", even(4).laid_out(Layout::interleaved(2, 0))),
        ("overlapping", even(4).laid_out(Layout::strided(0, 3))),
        ("misaligned", even(4).laid_out(Layout::strided(2, 8))),
        ("no weights", even(4).weighted(Weight::U32)),
    ];
    for (name, histogram) in histograms {
        let result = outcome(gpu, &histogram, |_| ());
        ensure!(matches!(result, Err(Error::Histogram { .. })), "{name}: {result:?}");
    }
    let mut wrong = Histogram::range(&[1.0f32, 2.0, 3.0]);
    wrong.bins = 3;
    ensure!(matches!(outcome(gpu, &wrong, |_| ()), Err(Error::Histogram { .. })));
    let with_weights = |b: &mut HistogramBuffers| b.weights = Some(b.samples);
    let result = outcome(gpu, &even(4), with_weights);
    ensure!(matches!(result, Err(Error::Histogram { .. })), "weights nobody asked for");
    let with_sums = |b: &mut HistogramBuffers| b.cumulative = Some(b.samples);
    let result = outcome(gpu, &even(4).wide(), with_sums);
    ensure!(matches!(result, Err(Error::Histogram { .. })), "cumulative wide counts");
    let result = outcome(gpu, &even((1 << 20) + 1), |_| ());
    ensure!(matches!(result, Err(Error::TooLarge { .. })), "{result:?}");
    let result = outcome(gpu, &even(257).by(HistogramMethod::Votes), |_| ());
    ensure!(matches!(result, Err(Error::Policy { .. })), "{result:?}");
    Ok(())
}

/// A policy is plain data: what makes no sense is an error or does not matter.
fn absurd_policies(gpu: &Gpu) -> Result<()> {
    let splitters: Vec<f32> = (0..=40).map(|k| k as f32).collect();
    let histogram = Histogram::range(&splitters);
    let count = |change: fn(&mut HistogramTuning)| {
        let mut policy = gpu.context.policy();
        change(&mut policy.histogram);
        let samples: Vec<f32> = (0..4000).map(|i| (i % 40) as f32).collect();
        let bytes = bytemuck::cast_slice(&samples);
        run(gpu, &policy, &histogram, bytes, 4000, Input::default()).map(|got| got.counts)
    };
    let threads: [fn(&mut HistogramTuning); 2] = [|t| t.threads = 0, |t| t.threads += 1];
    for threads in threads {
        let refused = count(threads);
        ensure!(refused.is_err_and(|e| e.to_string().contains("whole subgroups")));
    }
    let changes: [fn(&mut HistogramTuning); 4] = [
        |t| (t.loads, t.tiles, t.least_groups, t.copies, t.copies_bytes) = (0, 0, 0, 0, 0),
        |t| (t.cells, t.cells_per_bin, t.register_bins) = (u32::MAX, u32::MAX, 0),
        |t| (t.cells, t.cells_per_bin, t.register_bins) = (1, 0, 0),
        |t| {
            (t.tiles, t.least_groups, t.copies, t.register_bins) =
                (u32::MAX, u32::MAX, 99, u32::MAX);
        },
    ];
    for change in changes {
        expect_equal(&count(change)?, &[100; 40])?;
    }
    Ok(())
}

fn too_small(gpu: &Gpu) -> Result<()> {
    let histogram = Histogram::even(4, 0.0f32, 1.0);
    for n in [65, 1 << 40, u64::MAX] {
        let mut graph = Graph::new("small");
        let samples = graph.import::<u32>("samples", 64);
        let counts = graph.import::<u32>("counts", 4);
        let buffers = HistogramBuffers::new(n, samples, counts);
        let result = add(&mut graph, &gpu.context.policy(), &histogram, &buffers);
        let small = matches!(result, Err(Error::BufferTooSmall { .. } | Error::TooLarge { .. }));
        ensure!(small, "n = {n}: {result:?}");
        let n = Length::Device { word: counts, most: n };
        let buffers = HistogramBuffers { n, ..buffers };
        let result = add(&mut graph, &gpu.context.policy(), &histogram, &buffers);
        ensure!(result.is_err(), "on the device: {result:?}");
    }
    let result = outcome(gpu, &histogram, |b| b.dropped = Some(b.samples));
    ensure!(result.is_ok(), "{result:?}");
    let mut graph = Graph::new("small");
    let samples = graph.import::<u8>("samples", 5);
    let counts = graph.import::<u32>("counts", 4);
    let histogram = Histogram::even(4, 0u8, 100);
    let buffers = HistogramBuffers::new(5, samples, counts);
    // Narrow samples are read in words.
    let result = add(&mut graph, &gpu.context.policy(), &histogram, &buffers);
    ensure!(matches!(result, Err(Error::BufferTooSmall { needed: 8, .. })), "{result:?}");
    Ok(())
}

/// A device without 64-bit numbers refuses their samples, by name, and counts the others.
fn without_features(gpu: &Gpu) -> Result<()> {
    let context = gpu.open_with(|config| config.without.shader_float64 = true)?;
    let result = context.histogram(&Histogram::even(4, 0.0f64, 1.0), &[0.5f64]);
    let named = |error: &Error| error.to_string().contains("Float64");
    ensure!(result.as_ref().is_err_and(named), "{result:?}");
    let counts = context.histogram(&Histogram::even(4, 0.0f32, 1.0), &[0.5f32])?.counts;
    ensure!(counts == [0, 0, 1, 0], "{counts:?}");
    Ok(())
}

fn glsl_errors_are_the_users(gpu: &Gpu) -> Result<()> {
    let user = UserBucket::new("uint bucket_of(uint key) {\n  return kye;\n}");
    match gpu.context.histogram(&Histogram::glsl(SampleType::U32, 4, user), &[1u32]) {
        Err(Error::Compile(error)) => {
            let text = error.to_string();
            ensure!(text.contains("user_bucket.glsl:2") && text.contains("return kye;"), "{text}");
            Ok(())
        }
        other => anyhow::bail!("{other:?}"),
    }
}
