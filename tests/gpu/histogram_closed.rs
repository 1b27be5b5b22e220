//! Histograms whose last bin includes its upper edge, compared with a CPU reference.

use multisplit::operations::histogram::{HistogramCounts, HistogramMethod};
use multisplit::place::Host;
use multisplit_tests::histogram::{Reference, Spread, count, even_edges, range_bin, splitters};
use multisplit_tests::prelude::*;

use crate::histogram_cases::searching;
use crate::histogram_run::{Input, run_all};

tests!(histogram:
    closed_bins_of_every_type_match_the_cpu, closed_bins_by_every_search_match_the_cpu,
    closed_bins_include_the_ends_of_types, closed_bins_include_both_zeros,
    bins_without_edges_cannot_be_closed,
);

/// Counts bin edges and special values. The bins cover the domain of the sample type and are even
/// bins if `even` is set, otherwise range bins.
fn check<S: Reference>(gpu: &Gpu, policy: &Policy, m: u32, even: bool) -> Result<()> {
    let (lo, hi) = S::domain();
    let mut edges: Vec<S> = if even { even_edges(m) } else { splitters(m, 9) };
    // The last bin begins at its upper edge, so it contains only samples equal to that edge.
    if m > 2 && !even {
        edges[m as usize - 2] = hi;
        edges[m as usize - 1] = hi;
    }
    let bins = if even { Bins::even(lo..hi, m) } else { Bins::range(&edges) };
    let samples: Vec<S> = Spread::Edges.samples(3001, m, &edges, 4);
    let bin_of = |i: usize| match samples[i] {
        x if x == hi => Some(m - 1),
        x if even => x.even_bin(lo, hi, m),
        x => range_bin(x, &edges),
    };
    let expected = count(samples.len(), m, bin_of, |_| 1);
    ensure!(expected.0[m as usize - 1] > 0, "no sample is on the upper edge");
    run_all(gpu, policy, &bins.closed(), &samples, Input::default())
        .and_then(|got| got.expect(&expected))
        .with_context(|| format!("{:?}, {m} bins, even: {even}", S::TYPE))
}

fn closed_bins_of_every_type_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    for (turn, check) in of_every_sample!(check).into_iter().enumerate() {
        let some = [[1, 33], [257, 8], [100, 2]];
        let bins: &[u32] = if gpu.full { &[1, 2, 8, 33, 100, 257] } else { &some[turn % 3] };
        for &m in bins {
            for even in [true, false] {
                gpu.case(|| gpu.run_or_refuse(|| check(gpu, &policy, m, even)))?;
            }
        }
    }
    Ok(())
}

/// Closed range bins are found by splitters in registers, by binary search and by lookup table.
/// Closed even bins are counted by ballots.
fn closed_bins_by_every_search_match_the_cpu(gpu: &Gpu) -> Result<()> {
    for (register_bins, cells, m) in [(32, 0, 9), (0, 0, 33), (0, 16, 33), (0, 1024, 33)] {
        let policy = searching(gpu, register_bins, cells);
        if gpu.mine() {
            check::<f32>(gpu, &policy, m, false).with_context(|| format!("{cells} cells"))?;
            check::<u32>(gpu, &policy, m, false).with_context(|| format!("{cells} cells"))?;
        }
    }
    let bins = Bins::even(0u32..6, 3).closed().method(HistogramMethod::Ballots);
    let found = gpu.histogram(&[0u32, 1, 2, 5, 6, 7], bins)?;
    expect_counts(&found, &[2, 1, 2], 1)
}

fn expect_counts(found: &HistogramCounts<Host>, counts: &[u64], out_of_range: u64) -> Result<()> {
    expect_equal(&found.counts, counts)?;
    expect_equal(&found.out_of_range, &[out_of_range])
}

/// Bins cover the whole range of a type: the first edge is its smallest value, the last edge its
/// largest.
fn closed_bins_include_the_ends_of_types(gpu: &Gpu) -> Result<()> {
    let words = [0, 1, u32::MAX / 2, u32::MAX - 1, u32::MAX, u32::MAX];
    let even = gpu.histogram(&words, Bins::even(0..u32::MAX, 3).closed())?;
    expect_counts(&even, &[2, 1, 3], 0)?;
    for edges in [vec![0, 7, u32::MAX], (0..33).chain([u32::MAX]).collect()] {
        let range = gpu.histogram(&words, Bins::range(&edges).closed())?;
        let inside: u64 = range.counts.iter().sum();
        ensure!(
            inside == 6 && range.counts[edges.len() - 2] == 4,
            "expected 6 samples in range and 4 in the last bin, found {range:?}"
        );
    }
    let signed = [i32::MIN, -1, 0, i32::MAX];
    let even = gpu.histogram(&signed, Bins::even(i32::MIN..i32::MAX, 2).closed())?;
    expect_counts(&even, &[2, 2], 0)?;
    let bytes: Vec<u8> = (0..=255).collect();
    let even = gpu.histogram(&bytes, Bins::even(0..255, 255).closed())?;
    ensure!(
        even.counts[254] == 2 && even.counts.iter().sum::<u64>() == 256,
        "expected 256 samples in range and 2 in the last bin, found {even:?}"
    );
    let floats = [f32::NEG_INFINITY, 0.0, f32::MAX, f32::INFINITY, f32::NAN, -f32::NAN];
    let all = Bins::range(&[f32::NEG_INFINITY, 0.0, f32::INFINITY]).closed();
    let range = gpu.histogram(&floats, all)?;
    expect_counts(&range, &[1, 3], 2)?;
    let wide = [0, u64::MAX - 1, u64::MAX];
    let even = gpu.histogram(&wide, Bins::even(0..u64::MAX, 5).closed())?;
    expect_counts(&even, &[1, 0, 0, 0, 2], 0)
}

/// If the last edge is zero, both +0 and -0 are in the last bin.
fn closed_bins_include_both_zeros(gpu: &Gpu) -> Result<()> {
    let samples = [-2.0f32, -1.0, -f32::MIN_POSITIVE, -0.0, 0.0, f32::from_bits(1), 1.0];
    let many: Vec<f32> = (0..=40).map(|k| (k as f32 - 40.0) / 20.0).collect();
    for bins in [Bins::even(-2.0..0.0, 2), Bins::range(&[-2.0, -1.0, 0.0]), Bins::range(&many)] {
        let found = gpu.histogram(&samples, bins.clone().closed())?;
        let inside: u64 = found.counts.iter().sum();
        ensure!(
            inside == 5 && found.out_of_range == [2],
            "{bins:?}: expected 5 samples in range and 2 outside, found {found:?}"
        );
        let open = gpu.histogram(&samples, bins)?;
        ensure!(open.out_of_range == [4], "expected 4 samples out of range, found {open:?}");
    }
    Ok(())
}

/// Only even and range bins have an upper edge to include.
fn bins_without_edges_cannot_be_closed(gpu: &Gpu) -> Result<()> {
    for bins in
        [Bins::<u32>::identity(4), Bins::glsl(4, "uint bucket_of(uint sample_) { return 0; }")]
    {
        let found = gpu.histogram(&[1u32], bins.closed());
        expect_errors! { found => Histogram { .. } }
    }
    Ok(())
}
