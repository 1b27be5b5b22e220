//! Samples on and next to the edges of even bins, compared with the documented edges.

use multisplit::operations::histogram::{HistogramMethod, Layout};
use multisplit_tests::histogram::{Reference, count};
use multisplit_tests::prelude::*;

use crate::histogram_run::{Input, run};

tests!(histogram:
    edges_belong_to_the_bin_they_begin, integer_edges_are_exact,
    samples_rounded_to_the_end_are_in_the_last_bin, samples_near_edges_match_the_documented_edges,
    samples_between_edges_match_the_documented_edges, many_even_bins_match_the_documented_edges,
    channels_of_many_even_bins_match_the_documented_edges
);

/// If edges are representable and steps are powers of two, each edge is in the bin that it begins,
/// and the largest value below an edge is in the previous bin.
fn edges_belong_to_the_bin_they_begin(gpu: &Gpu) -> Result<()> {
    let m = 256u32;
    let edges: Vec<f32> = (0..=m).map(|k| k as f32 * 4.0).collect();
    let samples: Vec<f32> = edges.iter().flat_map(|&e| [e, e.next_down()]).collect();
    let result = gpu.histogram(&samples, Bins::even(0.0..1024.0, m))?;
    expect_equal(&result.counts, &vec![2; m as usize])?;
    expect_equal(&result.out_of_range, &[2])?;
    let result = gpu.histogram(&samples, Bins::range(&edges))?;
    expect_equal(&result.counts, &vec![2; m as usize])
}

/// Counts the first value of each bin and the last value of the previous bin. Floats of the same
/// size cannot represent most of these integers.
fn integer_edges_are_exact(gpu: &Gpu) -> Result<()> {
    fn check<S: Reference>(gpu: &Gpu, m: u32, value: impl Fn(u128) -> S) -> Result<()> {
        let (lo, hi) = S::domain();
        let span = u128::from(
            hi.key_bits().wrapping_sub(lo.key_bits()) & (u64::MAX >> (64 - 8 * size_of::<S>())),
        );
        let first = |k: u32| (u128::from(k) * span).div_ceil(m.into());
        let samples: Vec<S> = (1..=m).flat_map(|k| [first(k) - 1, first(k)]).map(value).collect();
        let result = gpu.histogram(&samples, Bins::even(lo..hi, m))?;
        let (counts, out_of_range) =
            count(samples.len(), m, |i| samples[i].even_bin(lo, hi, m), |_| 1);
        expect_equal(&result.counts, &counts).with_context(|| format!("{:?}", S::TYPE))?;
        expect_equal(&result.out_of_range, &[out_of_range])
    }
    let unsigned = |above: u128| (u128::from(u64::domain().0) + above) as u64;
    gpu.run_or_refuse(|| check(gpu, 99_991, unsigned))?;
    check(gpu, 99_991, |above| u32::domain().0 + above as u32)?;
    let signed = |above: u128| (i128::from(i64::domain().0) + above as i128) as i64;
    gpu.run_or_refuse(|| check(gpu, 99_991, signed))?;
    check(gpu, 50_021, |above| (i64::from(i32::domain().0) + above as i64) as i32)
}

/// A float just below the last edge belongs to the last bin, although its computed bin index rounds
/// up to m.
fn samples_rounded_to_the_end_are_in_the_last_bin(gpu: &Gpu) -> Result<()> {
    let rounded = |lo: f32, hi: f32, m: u32| (hi.next_down() - lo) * (m as f32 / (hi - lo));
    let mut rng = Rng::new(3);
    let mut found = 0;
    while found < 3 {
        let (lo, m) = (rng.below(1000) as f32 / 7.0, 2 + rng.below(500) as u32);
        let hi = lo + 0.3 + rng.below(100) as f32 / 9.0;
        if rounded(lo, hi, m) < m as f32 {
            continue;
        }
        found += 1;
        let samples = [hi.next_down(), hi, lo, lo.next_down()];
        let result = gpu.histogram(&samples, Bins::even(lo..hi, m))?;
        let ends = (result.counts[0], result.counts[m as usize - 1]);
        ensure!(
            ends == (1, 1) && result.out_of_range == [2],
            "{m} bins from {lo} to {hi}: expected 1 sample in each end bin, found {result:?}"
        );
    }
    Ok(())
}

/// A range and the number of even bins in it.
type Even<S> = (S, S, u32);

/// Method and options of a count of samples near edges.
#[derive(Clone, Copy, Debug)]
struct Counted {
    method: HistogramMethod,
    closed: bool,
    layout: Layout,
}

const OPEN: Counted =
    Counted { method: HistogramMethod::Auto, closed: false, layout: Layout::PACKED };
const CLOSED: Counted = Counted { closed: true, ..OPEN };

/// Counts `samples` in even bins and compares the counts with those between the documented edges.
fn check_edges<S: Near>(
    gpu: &Gpu,
    (lo, hi, m): Even<S>,
    counted: Counted,
    samples: impl FnOnce(&[f64]) -> Vec<S>,
) -> Result<()> {
    let Counted { method, closed, layout } = counted;
    let bins = Bins::even(lo..hi, m).method(method);
    let edges = bins.edges();
    let bins = if closed { bins.closed() } else { bins };
    let samples = samples(&edges);
    let bin_of = |sample: S| {
        let x = sample.into();
        let below = || edges[..m as usize].partition_point(|&edge| edge <= x) as u32;
        let in_range = lo <= sample && (sample < hi || closed && sample == hi);
        in_range.then(|| below() - 1)
    };
    let channels = layout.channels as usize;
    let n = samples.len() / channels;
    let active = (0..channels).filter(|channel| layout.active >> channel & 1 != 0);
    let of_channel =
        |channel: usize| count(n, m, |i| bin_of(samples[i * channels + channel]), |_| 1);
    let (counts, out_of_range): (Vec<_>, Vec<_>) = active.map(of_channel).unzip();

    let input = Input { layout, ..Input::default() };
    let bytes = bytemuck::cast_slice(&samples);
    let found = run(gpu, &gpu.policy(), &bins, bytes, n as u64, input)?;
    let name = || format!("{m} bins from {lo:?} to {hi:?}, {counted:?}");
    expect_equal(&found.counts, &counts.concat()).with_context(name)?;
    expect_equal(&found.out_of_range, &out_of_range).with_context(name)
}

/// A float type.
trait Near: Reference + PartialOrd + Into<f64> {
    /// The number rounded to this type, and the next smaller and next larger value of the type.
    fn near(number: f64) -> [Self; 3];

    /// Both zeros and a subnormal number.
    fn around_zero() -> [Self; 3];
}

macro_rules! near {
    ($($type:ty: $subnormal:expr;)*) => {
        $(impl Near for $type {
            fn near(number: f64) -> [Self; 3] {
                let number = number as Self;
                [number, number.next_down(), number.next_up()]
            }

            fn around_zero() -> [Self; 3] {
                [0.0, -0.0, $subnormal]
            }
        })*
    };
}

near! { f32: 1e-40; f64: 1e-310; }

/// Samples on, just below and just above each edge, and around zero.
fn near_edges<S: Near>(edges: &[f64]) -> Vec<S> {
    edges.iter().flat_map(|&edge| S::near(edge)).chain(S::around_zero()).collect()
}

/// Counts samples on, just below and just above each edge. Some edges are so close that they are
/// rounded to the same value.
fn samples_near_edges_match_the_documented_edges(gpu: &Gpu) -> Result<()> {
    for range in gpu.cases([
        (0.0, 1.0, 100),
        (-1.0, 1.0, 3),
        (-0.7, 0.3, 1000),
        (1e6, 1e6 + 1.0, 100),
        (-3.3e-29, 1e-29, 77),
        (0.1, 1e9, 65_536),
        (-3.1, 3.1, 1 << 20),
        // Subnormal ranges, a wide range, and a range whose width overflows.
        (0.0, 1e-38, 4),
        (f32::from_bits(0x8000_0003), f32::from_bits(14), 7),
        (-1e30, 1e31, 33),
        (f32::MIN, f32::MAX, 10),
    ]) {
        check_edges::<f32>(gpu, range, OPEN, near_edges)?;
    }
    for range in gpu.cases([
        (0.0, 1.0, 100),
        (-0.7, 0.3, 1000),
        (1e15, 1e15 + 20.0, 77),
        (0.0, 1e-320, 9),
        (-1.0, 1e31, 100),
        (f64::MIN, f64::MAX, 10),
    ]) {
        gpu.run_or_refuse(|| check_edges::<f64>(gpu, range, OPEN, near_edges))?;
    }
    Ok(())
}

/// Counts samples between edges. With few bins, the kernel compares a sample with an edge only if
/// it is near that edge.
fn samples_between_edges_match_the_documented_edges(gpu: &Gpu) -> Result<()> {
    const STEPS: u32 = 1 << 16;
    for (lo, hi, m) in [(-1.0f32, 1.0, 7), (0.0, 1.0, 1000), (100.0, 101.0, 5000)] {
        let sample = |i: u32| lo + (hi - lo) * (f64::from(i) / f64::from(STEPS)) as f32;
        check_edges(gpu, (lo, hi, m), OPEN, |_| (0..STEPS).map(sample).collect())?;
    }
    Ok(())
}

/// The method that is used for few bins of many samples, and the one that is used for many bins.
const METHODS: [HistogramMethod; 2] = [HistogramMethod::Shared, HistogramMethod::Global];

/// Checks the ranges with both methods; open and closed ranges alternate. With more than 10,000
/// bins, the shared-memory method needs many passes, so it gets only samples near some of the
/// edges.
fn check_many<S: Near>(gpu: &Gpu, ranges: impl IntoIterator<Item = Even<S>>) -> Result<()> {
    for (turn, range) in ranges.into_iter().enumerate() {
        for method in METHODS {
            let is_thinned = method == HistogramMethod::Shared && range.2 > 10_000;
            let step = if is_thinned { range.2 as usize / 3000 } else { 1 };
            let edges = |edges: &[f64]| -> Vec<f64> {
                let last = edges.len() - 1;
                edges[..last].iter().step_by(step).chain(&edges[last..]).copied().collect()
            };
            let counted = if turn % 2 == 0 { OPEN } else { CLOSED };
            let counted = Counted { method, ..counted };
            gpu.run_or_refuse(|| check_edges(gpu, range, counted, |all| near_edges(&edges(all))))?;
        }
    }
    Ok(())
}

/// Kernels compare each sample with its nearest edge if there are many bins, or if bins are hardly
/// wider than the distance between two floats.
fn many_even_bins_match_the_documented_edges(gpu: &Gpu) -> Result<()> {
    check_many::<f32>(
        gpu,
        gpu.cases([
            (0.0, 1.0, 510),
            (-3.7, 1020.3, 511),
            (-0.7, 0.3, 512),
            (0.0, 1.0, 5000),
            (100.0, 101.0, 5000),
            (-1e3, 7.7, 65_536),
            (0.1, 1e9, 65_536),
            (0.0, 1024.0, 1 << 20),
            (-3.1, 3.1, 1 << 20),
            (1e-3, 1.0, 999_983),
            // Adjacent floats differ by 1/8 here, and bins are hardly wider.
            (1_048_576.0, 1_048_589.3, 100),
            (-1_048_703.0, -1_048_576.0, 950),
        ]),
    )?;
    check_many::<f64>(
        gpu,
        gpu.cases([
            (0.0, 1.0, 512),
            (0.0, 1.0, 5000),
            (-0.1, 0.7, 65_536),
            (-1e3, 1e3, 1 << 20),
            // Adjacent floats differ by 1/4 here.
            (2e15, 2e15 + 2000.0, 5000),
        ]),
    )
}

/// Each channel has its own counters. Channels that are not counted have other samples.
fn channels_of_many_even_bins_match_the_documented_edges(gpu: &Gpu) -> Result<()> {
    let layouts = [Layout::interleaved(2, 0b11), Layout::interleaved(4, 0b0111)];
    for (layout, method) in gpu.cases(layouts.into_iter().zip(METHODS)) {
        for m in [512, 5000] {
            let counted = Counted { method, layout, ..CLOSED };
            check_edges::<f32>(gpu, (0.0, 1.0, m), counted, near_edges)?;
        }
    }
    Ok(())
}
