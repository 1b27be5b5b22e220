//! One-call histograms, compared with a CPU reference. Cases combine sample type, kind of bins,
//! layout and weights.

use multisplit::operations::histogram::Layout;
use multisplit_tests::histogram::{Reference, Spread, range_bin};
use multisplit_tests::prelude::*;

tests!(histogram:
    one_call_combinations_match_the_cpu, narrow_signed_and_half_samples_are_rejected,
    recorded_histogram_counts_pixels_instead_of_samples,
);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Even,
    Range,
    Log,
    Identity,
    Glsl,
}
const KINDS: [Kind; 5] = [Kind::Even, Kind::Range, Kind::Log, Kind::Identity, Kind::Glsl];

#[derive(Clone, Copy, Debug)]
enum Placing {
    Packed,
    Strided,
    Interleaved,
}
const PLACINGS: [Placing; 3] = [Placing::Packed, Placing::Strided, Placing::Interleaved];

#[derive(Clone, Copy, Debug)]
enum Weighting {
    One,
    Words,
    Floats,
}
const WEIGHTINGS: [Weighting; 3] = [Weighting::One, Weighting::Words, Weighting::Floats];

/// Number of elements per case.
const N: usize = 701;

/// The bins, and a CPU function that returns the bin of a sample.
type Rule<S> = (Bins<S>, Box<dyn Fn(S) -> Option<u32>>);

fn rule<S: Reference>(kind: Kind) -> Rule<S> {
    let (lo, hi) = S::domain();
    match kind {
        Kind::Even => (Bins::even(lo..hi, 33), Box::new(move |x: S| x.even_bin(lo, hi, 33))),
        Kind::Range => {
            let edges = [0.0, 0.1, 0.1, 0.35, 0.5, 0.9].map(S::at);
            (Bins::range(&edges), Box::new(move |x| range_bin(x, &edges)))
        }
        Kind::Log => {
            let edges = [1, 2, 4, 8, 16, 32, 64, 128].map(S::small);
            (Bins::range(&edges), Box::new(move |x| range_bin(x, &edges)))
        }
        Kind::Identity => (Bins::identity(100), Box::new(|x: S| x.identity_bin(100))),
        Kind::Glsl => {
            let name = S::GLSL;
            let source = format!(
                "uint bucket_of({name} x) {{ return x < {name}(0) ? 7u : x < {name}(99) ? 4u : 25u; }}"
            );
            let bin = |x: S| match x {
                x if x < S::small(0) => Some(7),
                x if x < S::small(99) => Some(4),
                _ => None,
            };
            (Bins::glsl(20, source.as_str()), Box::new(bin))
        }
    }
}

/// Returns the layout, the distance between elements (in samples), and the counted channels.
fn layout<S>(placing: Placing) -> (Layout, usize, Vec<usize>) {
    let size = size_of::<S>();
    match placing {
        Placing::Packed => (Layout::PACKED, 1, vec![0]),
        Placing::Strided => (Layout::strided(size as u64, 3 * size as u32), 3, vec![1]),
        Placing::Interleaved => (Layout::interleaved(3, 0b101), 3, vec![0, 2]),
    }
}

/// Compares one case with the CPU reference, or expects the error that the case must return.
fn check<S: Reference>(
    gpu: &Gpu,
    kind: Kind,
    placing: Placing,
    weighting: Weighting,
) -> Result<()> {
    let (bins, bin_of) = rule::<S>(kind);
    let (layout, stride, channels) = layout::<S>(placing);
    let m = bins.count() as usize;
    let bins = bins.layout(layout);
    let mut samples: Vec<S> = Spread::Uniform.samples(stride * N, 1, &[S::at(0.0)], 5);
    let (special, mut rng) = (S::special(), Rng::new(7));
    for (i, sample) in samples.iter_mut().enumerate() {
        match i % 4 {
            0 => *sample = special[rng.below(special.len() as u64) as usize],
            1 => *sample = S::small(rng.below(200) as u8),
            _ => {}
        }
    }
    let weights: Vec<u32> = (0..N).map(|_| rng.below(1000) as u32).collect();
    let floats: Vec<f32> = weights.iter().map(|&weight| weight as f32).collect();
    let (counts, out_of_range) = match weighting {
        Weighting::One => {
            let found = gpu.histogram(&samples, bins);
            let Some(found) = refused::<S, _>(kind, found)? else { return Ok(()) };
            (found.counts, found.out_of_range)
        }
        Weighting::Words => {
            let found = gpu.histogram_weighted(&samples, &weights, bins);
            let Some(found) = refused::<S, _>(kind, found)? else { return Ok(()) };
            (found.counts, found.out_of_range)
        }
        Weighting::Floats => {
            let found = gpu.histogram_weighted_f32(&samples, &floats, bins);
            let Some(found) = refused::<S, _>(kind, found)? else { return Ok(()) };
            let whole = |sums: Vec<f32>| sums.iter().map(|&sum| sum as u64).collect::<Vec<u64>>();
            (whole(found.counts), whole(found.out_of_range))
        }
    };
    let (mut expected, mut missed) = (vec![0; m * channels.len()], vec![0; channels.len()]);
    for element in 0..N {
        let weight = if matches!(weighting, Weighting::One) { 1 } else { weights[element] };
        for (row, channel) in channels.iter().enumerate() {
            match bin_of(samples[element * stride + channel]) {
                Some(bin) => expected[row * m + bin as usize] += u64::from(weight),
                None => missed[row] += 1,
            }
        }
    }
    expect_equal(&counts, &expected)?;
    expect_equal(&out_of_range, &missed).context("the out-of-range count differs")
}

/// Returns the result, or `None` if the case was rejected as required: identity bins do not support
/// floats.
fn refused<S: Reference, T>(kind: Kind, found: Result<T, Error>) -> Result<Option<T>> {
    if kind != Kind::Identity || !S::TYPE.is_float() {
        return Ok(Some(found?));
    }
    expect_message(found, "identity bins support only integer samples")?;
    Ok(None)
}

/// A full run tests every combination; a plain run takes its sample from half of the types for each
/// kind of bins, each with one layout and one kind of weights.
fn one_call_combinations_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let checks = of_every_sample!(check: u8, u16, u32, i32, u64, i64, f32, f64);
    for (row, check) in checks.into_iter().enumerate() {
        for (column, kind) in KINDS.into_iter().enumerate() {
            for (i, placing) in PLACINGS.into_iter().enumerate() {
                for (j, weighting) in WEIGHTINGS.into_iter().enumerate() {
                    let diagonal = i == (row + column) % 3 && j == (row + 2 * column) % 3;
                    let sampled = diagonal && (row + column).is_multiple_of(2);
                    if (gpu.full || sampled) && gpu.mine() {
                        let say =
                            || format!("sample type {row}, {kind:?}, {placing:?}, {weighting:?}");
                        gpu.run_or_refuse(|| {
                            check(gpu, kind, placing, weighting).with_context(say)
                        })?;
                    }
                }
            }
        }
    }
    // This case does not depend on the sample.
    gpu.run_or_refuse(|| check::<i64>(gpu, Kind::Identity, Placing::Packed, Weighting::One))
}

/// The error for an unsupported sample type lists the supported types.
fn narrow_signed_and_half_samples_are_rejected(gpu: &Gpu) -> Result<()> {
    for element in [ElementType::I8, ElementType::I16, ElementType::F16, ElementType::Bf16] {
        let mut graph = Graph::new("refused");
        let samples = graph.import_array("samples", element, 64);
        let counts = graph.import::<u32>("counts", 4);
        let buffers = HistogramBuffers::new(samples, counts);
        let bins = Bins::<u8>::identity(4);
        let found = histogram(&mut graph, &gpu.policy(), &bins, &buffers);
        expect_message(found, "u8, u16, u32, i32, u64, i64, f32 or f64")
            .with_context(|| format!("{element}"))?;
    }
    Ok(())
}

/// Without an explicit count, all pixels of the array are counted, not all samples.
fn recorded_histogram_counts_pixels_instead_of_samples(gpu: &Gpu) -> Result<()> {
    let pixels = gpu.upload(&[0u8, 1, 2, 3, 0, 0, 0, 3])?;
    let counts = gpu.zeroed::<u32>(16)?;
    let bins = Bins::identity(4).layout(Layout::interleaved(4, 0b1111));
    let mut work = gpu.work("pixels");
    work.histogram(&pixels, &counts, &bins)?;
    run_once(work)?;
    let expected = [2, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 2];
    expect_equal(&gpu.download(&counts)?, &expected)?;
    let refused = gpu.work("pixels").histogram(pixels.first(3), &counts, &bins);
    expect_message(refused, "the array has 2 elements of 4 channels, but 3 are to be counted")
}
