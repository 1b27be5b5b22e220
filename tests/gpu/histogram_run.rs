//! Runs one histogram between guard words, with initial contents in the outputs.

use anyhow::{Context as _, Result, ensure};
use multisplit::Policy;
use multisplit::graph::{ElementType, Graph, Limits};
use multisplit::operations::histogram::{HistogramMethod, Layout};
use multisplit::operations::{Count, HistogramBuffers, histogram};
use multisplit::{Bins, Bound, Sample};
use multisplit_tests::harness::Gpu;

/// Number of guard words before and after each output.
const GUARD: usize = 64;
const GUARD_WORD: u32 = 0xDEAD_BEEF;

/// Options and inputs besides the samples.
#[derive(Clone, Copy, Debug)]
pub struct Input<'i> {
    pub layout: Layout,
    pub weights: Weights<'i>,
    /// Whether counts have 64 bits.
    pub wide: bool,
    /// Initial value of the counts.
    pub before: u64,
    /// The device count, if any; the buffer is longer.
    pub on_device: Option<u32>,
    pub cumulative: bool,
}

/// The weight of each sample.
#[derive(Clone, Copy, Debug)]
pub enum Weights<'i> {
    One,
    U32(&'i [u32]),
    F32(&'i [f32]),
}

impl Default for Input<'_> {
    fn default() -> Self {
        Self {
            layout: Layout::PACKED,
            weights: Weights::One,
            wide: false,
            before: 0,
            on_device: None,
            cumulative: false,
        }
    }
}

/// Outputs; sums of floats as bits.
pub struct Output {
    pub counts: Vec<u64>,
    pub out_of_range: Vec<u64>,
    pub cumulative: Vec<u32>,
    pub method: HistogramMethod,
    /// Number of passes over the samples.
    pub passes: u32,
}

/// Counts `n` elements in `bytes`.
pub fn run<S: Sample>(
    gpu: &Gpu,
    policy: &Policy,
    bins: &Bins<S>,
    bytes: &[u8],
    n: u64,
    input: Input<'_>,
) -> Result<Output> {
    let context = &gpu.context;
    let bins = bins.clone().layout(input.layout);
    let channels = input.layout.active.count_ones() as usize;
    let m = bins.count() as usize;
    let (element, weights) = match input.weights {
        Weights::One => (ElementType::U32, None),
        Weights::U32(weights) => (ElementType::U32, Some((ElementType::U32, weights.to_vec()))),
        Weights::F32(weights) => {
            let bits = weights.iter().map(|weight| weight.to_bits()).collect();
            (ElementType::F32, Some((ElementType::F32, bits)))
        }
    };
    let (element, words) = if input.wide { (ElementType::U64, 2) } else { (element, 1) };
    let sample = size_of::<S>();
    let mut data = bytes.to_vec();
    data.resize(bytes.len().max(1).next_multiple_of(sample.max(4)), 0);

    let mut graph = Graph::new("histogram");
    let samples = graph.import::<S>("samples", (data.len() / sample) as u64);
    let counts = graph.import_array("counts", element, (m * channels) as u64);
    let out_of_range = graph.import_array("out_of_range", element, channels as u64);
    let word = graph.import::<u32>("count", 71);
    let sums = graph.import::<u32>("cumulative", m as u64);
    let mut buffers = HistogramBuffers::new(samples, counts).out_of_range(out_of_range).count(
        match input.on_device {
            Some(_) => Count::Device { buffer: word, index: 70, max: n },
            None => Count::Host(n),
        },
    );
    if input.cumulative {
        buffers = buffers.cumulative(sums);
    }
    let weights = weights.map(|(element, bits)| {
        let import = graph.import_array("weights", element, bits.len().max(1) as u64);
        buffers = buffers.weights(import);
        (import, bits)
    });
    let added = histogram(&mut graph, policy, &bins, &buffers)?;
    let limits = Limits { max_storage_range: policy.facts.max_storage_range, ..context.limits() };
    let executable = context.instantiate(graph.compile(&limits)?)?;

    let guarded = |words: usize, value: &[u32]| {
        let mut all = vec![GUARD_WORD; GUARD];
        all.extend((0..words).map(|i| value[i % value.len()]));
        all.extend([GUARD_WORD; GUARD]);
        context.upload(&all)
    };
    let before = [input.before as u32, (input.before >> 32) as u32];
    let device_samples = context.upload(&data)?;
    let device_counts = guarded(m * channels * words, &before[..words])?;
    let device_out_of_range = guarded(channels * words, &before[..words])?;
    let device_word =
        context.upload(&[vec![9; 70], vec![input.on_device.unwrap_or(0)]].concat())?;
    let device_sums = guarded(m, &[7])?;
    let at = 4 * GUARD as u64;
    let mut bound: Vec<Bound<'_>> = vec![
        Bound::untyped(samples, &device_samples, 0),
        Bound::untyped(counts, &device_counts, at),
        Bound::untyped(out_of_range, &device_out_of_range, at),
        (word, &device_word).into(),
        (sums, &device_sums, at).into(),
    ];
    let device_weights = match &weights {
        Some((import, bits)) => Some((*import, context.upload(bits)?)),
        None => None,
    };
    if let Some((import, array)) = &device_weights {
        bound.push(Bound::untyped(*import, array, 0));
    }
    context.run(&executable, &bound)?;

    let inside = |array, words: usize| -> Result<Vec<u32>> {
        let all = context.download(array)?;
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
        out_of_range: joined(
            inside(&device_out_of_range, channels * words).context("out of range")?,
        ),
        cumulative: inside(&device_sums, m).context("cumulative")?,
        method: added.method,
        passes: added.sizes.passes,
    })
}
