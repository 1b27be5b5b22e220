//! Histograms compared with a CPU reference. Cases combine sample type, kind of bins, number of
//! bins, input size, distribution and method.

use multisplit::operations::histogram::HistogramMethod;
use multisplit_tests::histogram::{Reference, Spread, count, even_edges, range_bin, splitters};
use multisplit_tests::prelude::*;

use crate::histogram_run::{Input, run_all};

tests!(histogram:
    combinations_of_options_match_the_cpu, every_method_matches_the_cpu;
    in turn: every_bin_search_matches_the_cpu, unusual_splitters_match_the_cpu,
    random_cases_match_the_cpu, bins_beyond_shared_memory_match_the_cpu,
    few_samples_per_bin_take_fewer_passes, maximum_bin_count_matches_the_cpu,
    samples_larger_than_a_binding_match_the_cpu
);

const BINS: [u32; 9] = [1, 2, 3, 32, 33, 256, 257, 4096, 65_536];
const METHODS: [HistogramMethod; 3] =
    [HistogramMethod::Ballots, HistogramMethod::Shared, HistogramMethod::Global];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Even,
    Range,
    Identity,
}
const KINDS: [Kind; 3] = [Kind::Even, Kind::Range, Kind::Identity];

#[derive(Clone, Copy, Debug)]
struct Case {
    kind: Kind,
    m: u32,
    n: usize,
    spread: Spread,
    method: HistogramMethod,
}

/// Runs one case, unless it has identity bins of floats. Returns the number of passes, or 0.
fn check<S: Reference>(gpu: &Gpu, policy: &Policy, case: Case) -> Result<u32> {
    let Case { kind, m, n, spread, method } = case;
    if kind == Kind::Identity && S::TYPE.is_float() {
        return Ok(0);
    }
    let (lo, hi) = S::domain();
    let seed = (n as u64) << 20 | u64::from(m);
    let splitters: Vec<S> = splitters(m, seed);
    let (bins, edges) = match kind {
        Kind::Even => (Bins::even(lo..hi, m), even_edges(m)),
        Kind::Range => (Bins::range(&splitters), splitters.clone()),
        Kind::Identity => (Bins::identity(m), even_edges(m)),
    };
    let samples: Vec<S> = spread.samples(n, m, &edges, seed + 1);
    // `range_bin` compares each sample with every splitter. With many bins, use binary search.
    let fast = |x: S| splitters.partition_point(|&s| s <= x) as u32;
    let bin_of = |i: usize| match kind {
        Kind::Even => samples[i].even_bin(lo, hi, m),
        Kind::Range if m <= 64 => range_bin(samples[i], &splitters),
        Kind::Range => (lo <= samples[i] && samples[i] < hi).then(|| fast(samples[i]) - 1),
        Kind::Identity => samples[i].identity_bin(m),
    };
    let expected = count(n, m, bin_of, |_| 1);
    let name = || format!("{:?}, {case:?}", S::TYPE);
    let got = run_all(gpu, policy, &bins.method(method), &samples, Input::default())
        .with_context(name)?;
    got.expect(&expected).with_context(name)?;
    if method != HistogramMethod::Auto {
        expect_value("the method", &got.method, &method)?;
    }
    Ok(got.passes)
}

/// Runs a case for one of the eight sample types, given by its index.
fn check_type(gpu: &Gpu, policy: &Policy, sample: usize, case: Case) -> Result<()> {
    let check = of_every_sample!(check)[sample % TYPES];
    gpu.run_or_refuse(|| check(gpu, policy, case).map(|_| ()))
}
const TYPES: usize = 8;

/// Input sizes around a four-element vector and around a tile.
fn sizes(gpu: &Gpu) -> Vec<usize> {
    let tuned = gpu.policy().histogram;
    let tile = (tuned.threads * tuned.loads) as usize * 4;
    vec![0, 1, 3, tile - 1, tile + 1, 7 * tile + 13]
}

fn combinations_of_options_match_the_cpu(gpu: &Gpu) -> Result<()> {
    if gpu.full { all_combinations(gpu) } else { sampled_combinations(gpu) }
}

/// Takes the sample from two cases for each sample type and kind of bins; the other parameters
/// alternate.
fn sampled_combinations(gpu: &Gpu) -> Result<()> {
    let (policy, sizes) = (gpu.policy(), sizes(gpu));
    let mut turn = 0;
    for sample in 0..TYPES {
        for (column, kind) in KINDS.into_iter().enumerate() {
            // Only two bin counts per type and kind, because each bin count needs its own
            // pipelines.
            for row in 0..2 {
                let m = BINS[(3 * sample + 2 * column + 4 * row) % BINS.len()];
                let n = sizes[(turn + row) % sizes.len()];
                let spread = Spread::ALL[(turn + sample) % Spread::ALL.len()];
                let method = HistogramMethod::Auto;
                gpu.case(|| check_type(gpu, &policy, sample, Case { kind, m, n, spread, method }))?;
                turn += 1;
            }
        }
    }
    let (n, spread, method) = ((1 << 20) + 3, Spread::Normal, HistogramMethod::Auto);
    let large = Case { kind: Kind::Even, m: 256, n, spread, method };
    check_type(gpu, &policy, 0, large)?;
    check_type(gpu, &policy, 0, Case { kind: Kind::Range, ..large })
}

fn all_combinations(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let mut sizes = sizes(gpu);
    sizes.push((1 << 20) + 3);
    for (sample, kind) in (0..TYPES).flat_map(|sample| KINDS.map(|kind| (sample, kind))) {
        for ((m, n), spread) in pairs(&pairs(&BINS, &sizes), &Spread::ALL) {
            if gpu.mine() {
                let method = HistogramMethod::Auto;
                check_type(gpu, &policy, sample, Case { kind, m, n, spread, method })?;
            }
        }
    }
    Ok(())
}

fn every_method_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let bins: &[u32] = if gpu.full { &BINS[..6] } else { &[3, 33, 256] };
    for (turn, &m) in bins.iter().enumerate() {
        for (row, method) in METHODS.into_iter().enumerate() {
            let spread = Spread::ALL[(turn + row) % Spread::ALL.len()];
            let case = Case { kind: Kind::Even, m, n: 20_011, spread, method };
            gpu.case(|| check::<f32>(gpu, &policy, case).map(drop))?;
            if gpu.full {
                (0..TYPES).try_for_each(|sample| {
                    KINDS.into_iter().filter(|_| gpu.mine()).try_for_each(|kind| {
                        check_type(gpu, &policy, sample, Case { kind, ..case })
                    })
                })?;
            }
        }
    }
    Ok(())
}

/// A policy for range bins: with at most `register_bins` bins, splitters are compared in registers;
/// with more bins, by a lookup table of `cells` cells, or by binary search if `cells` is 0.
pub fn searching(gpu: &Gpu, register_bins: u32, cells: u32) -> Policy {
    let mut policy = gpu.policy();
    policy.histogram.register_bins = register_bins;
    policy.histogram.cells_per_bin = 1024;
    policy.histogram.cells = cells;
    policy
}

/// Range bins are found by splitters in registers, by binary search, and by lookup tables; in the
/// smallest table, many bins share a cell.
fn every_bin_search_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    for (register_bins, cells) in [(32, 0), (0, 0), (0, 16), (0, 1024)] {
        let policy = searching(gpu, register_bins, cells);
        let bins: &[u32] = match register_bins {
            0 if gpu.full => &BINS,
            0 => &[33, 257],
            _ => &[1, 2, 3, 9, 32],
        };
        for &m in bins {
            for spread in [Spread::Uniform, Spread::Edges] {
                let method = HistogramMethod::Shared;
                let case = Case { kind: Kind::Range, m, n: 10_007, spread, method };
                gpu.case(|| {
                    check::<f32>(gpu, &policy, case)
                        .with_context(|| format!("{cells} cells"))
                        .map(drop)
                })?;
                if gpu.full {
                    let mut types = (1..TYPES).filter(|_| gpu.mine());
                    types.try_for_each(|sample| check_type(gpu, &policy, sample, case))?;
                }
            }
        }
    }
    Ok(())
}

/// Splitters are infinite, equal, adjacent, or so small that a device may flush them to zero.
/// Samples lie close to every splitter.
fn unusual_splitters_match_the_cpu(gpu: &Gpu) -> Result<()> {
    const M: usize = 33;
    let tiny = f32::from_bits(1);
    let least = f32::MIN_POSITIVE;
    let infinite = [f32::NEG_INFINITY, f32::MIN, -1.0, -1e-40, -0.0, 0.0, tiny, 1e-40, least, 1.0]
        .into_iter()
        .chain([1.0 + f32::EPSILON, 3.0, 1e30, f32::MAX, f32::INFINITY]);
    let around_zero = [-1.0, -1e-33, -least, 0.0, least, 1e-33, 1e-10, 0.25, 0.5, 1.0];
    let close = [100.0f32, 100.00001, 100.00002, 100.5, 700.0, 700.1, 701.0, 990.0, 1024.0];
    let lists: [Vec<f32>; 6] = [
        infinite.collect(),
        (0..=M as u32).map(|k| f32::from_bits(k * 3)).collect(),
        around_zero.to_vec(),
        close.to_vec(),
        (0..=M).map(|k| k as f32 * 31.0 - 500.0).collect(),
        (0..=M).map(|k| -1e-32 + k as f32 * 1e-29).collect(),
    ];
    for splitters in lists {
        // Pads the list with duplicates: lists of equal length share their pipelines.
        let mut splitters = splitters;
        while splitters.len() <= M {
            splitters.insert(4, splitters[4]);
        }
        let around = |&s: &f32| [s, s.next_up(), s.next_down(), s * 1.001, -s, s / 3.0];
        let mut samples: Vec<f32> = splitters.iter().flat_map(around).collect();
        samples.extend([f32::NAN, -f32::NAN, 0.0, -0.0, tiny, -tiny, least, -least, 1e-39, -1e-39]);
        let (lo, hi) = (f64::from(splitters[0]), f64::from(splitters[M]));
        samples.extend((0..3000).map(|i| (lo + (hi - lo) * f64::from(i) / 3000.0) as f32));
        let bin_of = |i: usize| range_bin(samples[i], &splitters);
        let expected = count(samples.len(), M as u32, bin_of, |_| 1);
        for cells in [16, 1024] {
            let policy = searching(gpu, 0, cells);
            let bins = Bins::range(&splitters).method(HistogramMethod::Shared);
            run_all(gpu, &policy, &bins, &samples, Input::default())?
                .expect(&expected)
                .with_context(|| format!("{cells} cells, {splitters:?}"))?;
        }
    }
    Ok(())
}

fn random_cases_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut rng = Rng::new(5);
    let base = gpu.policy();
    for _ in 0..if gpu.full { 400 } else { 10 } {
        let mut policy = base;
        let tuned = &mut policy.histogram;
        tuned.threads = base.facts.subgroup_size << rng.below(4);
        tuned.table_threads = base.facts.subgroup_size << rng.below(4);
        tuned.loads = 1 + rng.below(3) as u32;
        tuned.tiles = 1 + rng.below(5) as u32;
        tuned.min_groups = 1 + rng.below(5) as u32;
        tuned.copies = 1 + rng.below(4) as u32;
        tuned.max_bins_by_ballots = [0, 64][rng.below(2) as usize];
        tuned.register_bins = [0, 20][rng.below(2) as usize];
        tuned.cells_per_bin = 1 + rng.below(20) as u32;
        tuned.cells = [0, 37, 500][rng.below(3) as usize];
        let max_bins = [10, 300, 3000][rng.below(3) as usize];
        let case = Case {
            kind: KINDS[rng.below(3) as usize],
            m: 1 + rng.below(max_bins) as u32,
            n: rng.below(30_000) as usize,
            spread: Spread::ALL[rng.below(5) as usize],
            method: HistogramMethod::Auto,
        };
        let sample = rng.below(TYPES as u64) as usize;
        gpu.case(|| {
            check_type(gpu, &policy, sample, case)
                .with_context(|| format!("{:?}", policy.histogram))
        })?;
    }
    Ok(())
}

fn bins_beyond_shared_memory_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut policy = gpu.policy().lowered(|facts| facts.shared_memory = 16 << 10);
    policy.histogram.max_passes = u32::MAX;
    for kind in KINDS {
        let method = HistogramMethod::Auto;
        let case = Case { kind, m: 10_000, n: 30_001, spread: Spread::Uniform, method };
        let passes = check::<u32>(gpu, &policy, case)?;
        ensure!(passes > 1, "{passes} passes, expected more than 1");
    }
    Ok(())
}

/// With fewer than 512 samples per bin, a histogram may take only half of `max_passes`, rounded up,
/// because clearing and merging the counters takes a large part of each pass. A histogram that
/// would need more passes uses the global method.
fn few_samples_per_bin_take_fewer_passes(gpu: &Gpu) -> Result<()> {
    const M: u32 = 10_000;
    let mut policy = gpu.policy().lowered(|facts| facts.shared_memory = 16 << 10);
    let chosen = |policy: &Policy, n: u64| -> Result<(HistogramMethod, u32)> {
        let mut graph = Graph::new("histogram");
        let samples = graph.import::<u32>("samples", n);
        let counts = graph.import::<u32>("counts", M.into());
        let buffers = HistogramBuffers::new(samples, counts);
        let added = histogram(&mut graph, policy, &Bins::<u32>::identity(M), &buffers)?;
        Ok((added.method, added.sizes.passes))
    };
    let many = 512 * u64::from(M);
    policy.histogram.max_passes = u32::MAX;
    let (_, passes) = chosen(&policy, many)?;
    ensure!(passes > 2, "{passes} passes, expected more than 2");
    let (shared, global) = ((HistogramMethod::Shared, passes), (HistogramMethod::Global, 1));
    for (max_passes, few, enough) in [
        (passes - 1, global, global),
        (passes, global, shared),
        (2 * passes - 2, global, shared),
        (2 * passes - 1, shared, shared),
    ] {
        policy.histogram.max_passes = max_passes;
        let found = (chosen(&policy, many - 1)?, chosen(&policy, many)?);
        let what = format!("with at most {max_passes} passes, the pair of choices");
        expect_value(what, &found, &(few, enough))?;
    }
    Ok(())
}

fn maximum_bin_count_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let (n, spread, method) = (50_003, Spread::Uniform, HistogramMethod::Global);
    let case = Case { kind: Kind::Even, m: 1 << 20, n, spread, method };
    check::<f32>(gpu, &policy, case)?;
    check::<f32>(gpu, &policy, Case { kind: Kind::Range, ..case })?;
    check::<u32>(gpu, &policy, case).map(|_| ())
}

/// Samples that exceed `maxStorageBufferRange` are counted in pieces. The test lowers the limit.
fn samples_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy().lowered(|facts| facts.max_storage_range = 20_000);
    for n in [4095, 5000, 30_011] {
        let method = HistogramMethod::Auto;
        let case = Case { kind: Kind::Even, m: 256, n, spread: Spread::Uniform, method };
        check::<f32>(gpu, &policy, case)?;
        check::<u8>(gpu, &policy, case)?;
    }
    Ok(())
}
