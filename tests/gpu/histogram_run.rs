//! How the tests run one histogram: between guard words, over what the outputs held before.

use anyhow::{Context as _, Result, ensure};
use multisplit::graph::Graph;
use multisplit::primitives::Policy;
use multisplit::primitives::histogram::{
    Histogram, HistogramBuffers, HistogramMethod, Length, add,
};
use multisplit_tests::harness::Gpu;

/// Words before and after each output that must stay as they are.
const GUARD: usize = 64;
const GUARD_WORD: u32 = 0xDEAD_BEEF;

/// What goes in besides the samples.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input<'i> {
    pub weights: Option<&'i [u32]>,
    /// What the counts hold before.
    pub before: u64,
    /// The number of elements is on the device: this one, and the buffer has more.
    pub on_device: Option<u32>,
    pub cumulative: bool,
}

/// What came out.
pub struct Output {
    pub counts: Vec<u64>,
    pub dropped: Vec<u64>,
    pub cumulative: Vec<u32>,
    pub method: HistogramMethod,
    /// Passes over the samples.
    pub passes: u32,
}

/// Runs `histogram` over `n` elements in `bytes`.
pub fn run(
    gpu: &Gpu,
    policy: &Policy,
    histogram: &Histogram,
    bytes: &[u8],
    n: u64,
    input: Input<'_>,
) -> Result<Output> {
    let context = &gpu.context;
    let words = if histogram.wide { 2 } else { 1 };
    let channels = histogram.layout.active.count_ones() as usize;
    let m = histogram.bins as usize;
    let mut data = bytes.to_vec();
    data.resize(bytes.len().max(1).next_multiple_of(4), 0);

    let mut graph = Graph::new("histogram");
    let samples = graph.import_bytes("samples", data.len() as u64);
    let counts = graph.import::<u32>("counts", (m * channels * words) as u64);
    let dropped = graph.import::<u32>("dropped", (channels * words) as u64);
    let word = graph.import::<u32>("length", 1);
    let sums = graph.import::<u32>("cumulative", m as u64);
    let weights = input.weights.map(|w| graph.import::<u32>("weights", w.len().max(1) as u64));
    let n = match input.on_device {
        Some(_) => Length::Device { word, most: n },
        None => Length::Host(n),
    };
    let cumulative = input.cumulative.then_some(sums);
    let dropped_too = Some(dropped);
    let buffers =
        HistogramBuffers { n, samples, weights, counts, dropped: dropped_too, cumulative };
    let added = add(&mut graph, policy, histogram, &buffers)?;
    let limits = multisplit::graph::Limits {
        max_storage_range: policy.max_storage_range,
        ..context.limits()
    };
    let executable = context.instantiate(graph.compile(&limits)?)?;

    let guarded = |words: usize, value: &[u32]| {
        let mut all = vec![GUARD_WORD; GUARD];
        all.extend((0..words).map(|i| value[i % value.len()]));
        all.extend([GUARD_WORD; GUARD]);
        context.upload("guarded", &all)
    };
    let before = [input.before as u32, (input.before >> 32) as u32];
    let device_samples = context.upload("samples", &data)?;
    let device_counts = guarded(m * channels * words, &before[..words])?;
    let device_dropped = guarded(channels * words, &before[..words])?;
    let device_word = context.upload("length", &[input.on_device.unwrap_or(0)])?;
    let device_sums = guarded(m, &[7])?;
    let at = 4 * GUARD as u64;
    let mut bound = vec![
        (samples, &device_samples, 0),
        (counts, &device_counts, at),
        (dropped, &device_dropped, at),
        (word, &device_word, 0),
        (sums, &device_sums, at),
    ];
    let device_weights = match input.weights {
        Some([]) => Some(context.upload("weights", &[0u32])?),
        Some(words) => Some(context.upload("weights", words)?),
        None => None,
    };
    if let (Some(import), Some(buffer)) = (weights, &device_weights) {
        bound.push((import, buffer, 0));
    }
    context.run(&executable, &bound)?;

    let inside = |buffer, words: usize| -> Result<Vec<u32>> {
        let all = context.download::<u32>(buffer)?;
        ensure!(all[..GUARD].iter().all(|&w| w == GUARD_WORD), "guard words before");
        ensure!(all[GUARD + words..].iter().all(|&w| w == GUARD_WORD), "guard words after");
        Ok(all[GUARD..GUARD + words].to_vec())
    };
    let joined = |all: Vec<u32>| -> Vec<u64> {
        let join = |pair: &[u32]| pair.iter().rev().fold(0, |sum, &w| sum << 32 | u64::from(w));
        all.chunks(words).map(join).collect()
    };
    Ok(Output {
        counts: joined(inside(&device_counts, m * channels * words).context("counts")?),
        dropped: joined(inside(&device_dropped, channels * words).context("dropped")?),
        cumulative: inside(&device_sums, m).context("cumulative")?,
        method: added.method,
        passes: added.sizes.passes,
    })
}
