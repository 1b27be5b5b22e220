//! Histograms: invalid arguments are rejected with a typed error before anything runs.

use multisplit::operations::histogram::{Bin, HistogramMethod, HistogramTuning, Layout};
use multisplit_tests::prelude::*;

use crate::histogram_run::{Input, run_all};
use crate::soundness::expect_mismatch;

tests!(histogram:
    invalid_histograms_are_rejected, unsupported_array_types_are_rejected,
    invalid_histogram_policies_are_rejected, too_small_histogram_buffers_are_rejected,
    unsupported_64_bit_samples_are_rejected, glsl_bin_errors_show_the_users_line,
    one_call_histogram_rejects_accumulation,
);

/// Adds a histogram of eight samples, with buffers that `change` returns. Returns the result.
fn outcome(
    gpu: &Gpu,
    bins: &Bins,
    change: fn(HistogramBuffers, &mut Graph) -> HistogramBuffers,
) -> Result<(), Error> {
    let mut graph = Graph::new("refused");
    let samples = graph.import_array("samples", ElementType::from(bins.sample()), 64);
    let counts = graph.import::<u32>("counts", 4 << 20);
    let buffers = change(HistogramBuffers::new(samples, counts).count(8), &mut graph);
    histogram(&mut graph, &gpu.policy(), bins, &buffers).map(|_| ())
}

fn invalid_histograms_are_rejected(gpu: &Gpu) -> Result<()> {
    let even = |m| Bins::even(0.0f32..1.0, m).untyped();
    let nan = f32::NAN;
    let lists = [
        ("no bins", even(0)),
        ("no splitters", Bins::<f32>::range(&[]).untyped()),
        ("one splitter", Bins::range(&[1.0f32]).untyped()),
        ("unsorted", Bins::range(&[1.0f32, 3.0, 2.0]).untyped()),
        ("unsorted signed", Bins::range(&[1i32, -3, 2]).untyped()),
        ("NaN", Bins::range(&[1.0f32, nan, 2.0]).untyped()),
        ("NaN of f64", Bins::range(&[1.0f64, f64::NAN]).untyped()),
        ("empty", Bins::even(1.0f32..1.0, 4).untyped()),
        ("backwards", Bins::of(KeyType::U32, 4, Bin::Even { lo: 2, hi: 1 })),
        ("lo is NaN", Bins::even(nan..1.0, 4).untyped()),
        ("infinite", Bins::even(0.0..f32::INFINITY, 4).untyped()),
        ("identity of floats", Bins::<f32>::identity(4).untyped()),
        ("too few edges", Bins::of(KeyType::U32, 3, Bin::Range(vec![1, 2, 3]))),
        ("no channels", even(4).layout(Layout::interleaved(0, 0))),
        ("five channels", even(4).layout(Layout::interleaved(5, 1))),
        ("no such channel", even(4).layout(Layout::interleaved(2, 0b100))),
        ("no active channel", even(4).layout(Layout::interleaved(2, 0))),
        ("overlapping", even(4).layout(Layout::strided(0, 3))),
        ("misaligned", even(4).layout(Layout::strided(2, 8))),
    ];
    for (name, bins) in lists {
        let result = outcome(gpu, &bins, |buffers, _| buffers);
        expect_error!(result, Histogram { .. }, "{name}");
    }
    let result = outcome(gpu, &even(4), |_, graph| {
        let samples = graph.import::<f32>("more", 64);
        let (counts, sums) = (graph.import::<u64>("wide", 4), graph.import::<u32>("sums", 4));
        HistogramBuffers::new(samples, counts).cumulative(sums)
    });
    expect_error!(result, Histogram { .. }, "cumulative wide counts");
    let by_ballots = even(257).method(HistogramMethod::Ballots);
    expect_errors! {
        outcome(gpu, &even((1 << 20) + 1), |buffers, _| buffers) => TooLarge { .. },
        outcome(gpu, &by_ballots, |buffers, _| buffers) => Method { .. },
    }
    Ok(())
}

/// Each error contains the array's name and the required type.
fn unsupported_array_types_are_rejected(gpu: &Gpu) -> Result<()> {
    type Change = fn(HistogramBuffers, &mut Graph) -> HistogramBuffers;
    fn of<S: bytemuck::Pod, C: bytemuck::Pod>(
        _: HistogramBuffers,
        g: &mut Graph,
    ) -> HistogramBuffers {
        HistogramBuffers::new(g.import::<S>("a", 8), g.import::<C>("b", 4))
    }
    let changes: [(&str, &str, &str, Change); 8] = [
        ("samples", "u32", "f32", of::<u32, u32>),
        ("samples", "i16", "u8, u16, u32, i32, u64, i64, f32 or f64", of::<i16, u32>),
        ("counts", "i32", "u32 or u64", of::<f32, i32>),
        ("counts", "f32", "u32 or u64", of::<f32, f32>),
        ("counts", "u32", "f32", |buffers, g| buffers.weights(g.import::<f32>("a", 8))),
        ("weights", "u64", "u32 or f32", |buffers, g| buffers.weights(g.import::<u64>("a", 8))),
        ("out_of_range", "u64", "u32", |buffers, g| buffers.out_of_range(g.import::<u64>("a", 1))),
        ("cumulative", "f32", "u32", |buffers, g| buffers.cumulative(g.import::<f32>("a", 4))),
    ];
    for (array, is, needed, change) in changes {
        let result = outcome(gpu, &Bins::even(0.0f32..1.0, 4).untyped(), change);
        expect_mismatch(result, (array, is, needed))?;
    }
    Ok(())
}

/// An invalid policy field is rejected, or it does not affect the counts.
fn invalid_histogram_policies_are_rejected(gpu: &Gpu) -> Result<()> {
    type Change = fn(&mut HistogramTuning);
    let splitters: Vec<f32> = (0..=40).map(|k| k as f32).collect();
    let bins = Bins::range(&splitters);
    let count = |change: Change| {
        let mut policy = gpu.policy();
        change(&mut policy.histogram);
        let samples: Vec<f32> = (0..4000).map(|i| (i % 40) as f32).collect();
        run_all(gpu, &policy, &bins, &samples, Input::default()).map(|got| got.counts)
    };
    let refused: [(&str, Change); 9] = [
        ("`histogram.threads`", |t| t.threads = 0),
        ("`histogram.threads`", |t| t.threads += 1),
        ("`histogram.table_threads`", |t| t.table_threads = 1),
        ("`histogram.loads`", |t| t.loads = u32::MAX),
        ("`histogram.tiles`", |t| t.tiles = u32::MAX),
        ("`histogram.copies`", |t| t.copies = 99),
        ("`histogram.min_groups`", |t| t.min_groups = 0),
        ("`histogram.register_bins`", |t| t.register_bins = u32::MAX),
        ("`histogram.cells`", |t| (t.cells, t.register_bins) = (u32::MAX, 0)),
    ];
    for (named, change) in refused {
        let text = count(change).err().map(|error| error.to_string()).unwrap_or_default();
        ensure!(text.starts_with("policy: ") && text.contains(named), "{named}: {text}");
    }
    let harmless: [Change; 3] = [
        |t| (t.loads, t.tiles, t.copies, t.copies_bytes) = (0, 0, 0, 0),
        |t| (t.cells, t.cells_per_bin, t.register_bins) = (1 << 16, 1 << 16, 0),
        |t| (t.cells, t.cells_per_bin, t.register_bins) = (1, 0, 0),
    ];
    for change in harmless {
        expect_equal(&count(change)?, &[100; 40])?;
    }
    Ok(())
}

fn too_small_histogram_buffers_are_rejected(gpu: &Gpu) -> Result<()> {
    let (policy, bins) = (gpu.policy(), Bins::even(0.0f32..1.0, 4));
    for n in [65, 1 << 40, u64::MAX] {
        let mut graph = Graph::new("small");
        let samples = graph.import::<f32>("samples", 64);
        let counts = graph.import::<u32>("counts", 4);
        let buffers = HistogramBuffers::new(samples, counts);
        let result = histogram(&mut graph, &policy, &bins, &buffers.count(n));
        let small = matches!(result, Err(Error::Histogram { .. } | Error::TooLarge { .. }));
        ensure!(small, "n = {n}: {result:?}");
        let n = Count::Device { buffer: counts, index: 0, max: n };
        let result = histogram(&mut graph, &policy, &bins, &buffers.count(n));
        ensure!(result.is_err(), "with a device count: {result:?}");
    }
    let too_small = |buffers: HistogramBuffers, graph: &mut Graph| {
        let result = histogram(graph, &policy, &bins, &buffers);
        matches!(result, Err(Error::BufferTooSmall { .. }))
    };
    let mut graph = Graph::new("small");
    let mut import = |name, len| graph.import::<u32>(name, len);
    let (three, four) = (import("three", 3), import("four", 4));
    let samples = graph.import::<f32>("samples", 64);
    let few = too_small(HistogramBuffers::new(samples, three), &mut graph);
    ensure!(few, "too few counts were accepted");
    let buffers = HistogramBuffers::new(samples, four);
    let few = too_small(buffers.cumulative(three), &mut graph);
    ensure!(few, "too few cumulative counts were accepted");
    let few = too_small(buffers.out_of_range(three), &mut graph);
    ensure!(!few, "an out-of-range buffer of three words was rejected");
    // Kernels read 8-bit samples in whole words, so their buffer must be a multiple of four bytes.
    let mut graph = Graph::new("small");
    let samples = graph.import::<u8>("samples", 5);
    let buffers = HistogramBuffers::new(samples, graph.import::<u32>("counts", 4));
    let result = histogram(&mut graph, &policy, &Bins::even(0u8..100, 4), &buffers);
    expect_message(result, "pad it to 8 bytes")?;
    // With channels, errors report elements and channels instead of samples.
    let mut graph = Graph::new("pixels");
    let samples = graph.import::<u8>("samples", 8);
    let buffers = HistogramBuffers::new(samples, graph.import::<u32>("counts", 16)).count(8);
    let pixels = Bins::<u8>::identity(4).layout(Layout::interleaved(4, 0b1111));
    let result = histogram(&mut graph, &policy, &pixels, &buffers);
    expect_message(result, "the array has 2 elements of 4 channels, but 8 are to be counted")?;
    let far = Bins::<u8>::identity(4).layout(Layout::strided(u64::MAX - 1, 2));
    expect_errors! { histogram(&mut graph, &policy, &far, &buffers) => Histogram { .. } }
    let weights = graph.import::<u32>("weights", 1);
    let buffers = buffers.count(2).weights(weights);
    let result = histogram(&mut graph, &policy, &pixels, &buffers);
    expect_message(result, "the array of weights has 1 elements, but 2 are needed")
}

/// A device without 64-bit types rejects 64-bit samples, names the missing feature, and still
/// counts other samples.
fn unsupported_64_bit_samples_are_rejected(gpu: &Gpu) -> Result<()> {
    let context = gpu.open_with(|config| config.without.shader_float64 = true)?;
    expect_message(context.histogram(&[0.5f64], Bins::even(0.0..1.0, 4)), "Float64")?;
    let counts = context.histogram(&[0.5f32], Bins::even(0.0..1.0, 4))?.counts;
    expect_equal(&counts, &[0, 0, 1, 0])?;
    let context = gpu.open_with(|config| config.without.shader_int64 = true)?;
    expect_message(context.histogram(&[-5i64], Bins::identity(4)), "Int64")?;
    let counts = context.histogram(&[-5i32, 3], Bins::identity(4))?.counts;
    expect_equal(&counts, &[0, 0, 0, 1])
}

fn glsl_bin_errors_show_the_users_line(gpu: &Gpu) -> Result<()> {
    let source = "uint bucket_of(uint key) {\n  return kye;\n}";
    let result = gpu.histogram(&[1u32], Bins::glsl(4, source));
    expect_compile_error(result, &["user_bucket.glsl:2", "return kye;"])
}

/// A one-call histogram returns new counts, so it cannot add to existing ones.
fn one_call_histogram_rejects_accumulation(gpu: &Gpu) -> Result<()> {
    expect_errors! {
        gpu.histogram(&[1u32], Bins::identity(4).accumulate()) => Histogram { .. },
    }
    Ok(())
}
