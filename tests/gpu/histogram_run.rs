//! Runs one histogram. Its outputs lie between guard words and have initial values.

use multisplit::Sample;
use multisplit::operations::histogram::{HistogramMethod, Layout};
use multisplit_tests::prelude::*;

/// Options of the histogram, and inputs other than the samples.
#[derive(Clone, Copy, Debug)]
pub struct Input<'i> {
    pub layout: Layout,
    pub weights: Weights<'i>,
    /// Whether counts are 64-bit integers.
    pub wide: bool,
    /// Value of each count before the run.
    pub before: u64,
    /// The device count, if any. It may exceed the number of samples.
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

/// The outputs. Float sums are given as bits.
pub struct Output {
    pub counts: Vec<u64>,
    pub out_of_range: Vec<u64>,
    pub cumulative: Vec<u32>,
    pub method: HistogramMethod,
    /// Number of passes over the samples.
    pub passes: u32,
}

impl Output {
    /// Compares the counts with those of the CPU.
    pub fn expect(&self, (counts, out_of_range): &(Vec<u64>, u64)) -> Result<()> {
        expect_equal(&self.counts, counts)?;
        expect_equal(&self.out_of_range, &[*out_of_range]).context("the out-of-range count differs")
    }
}

pub fn run_all<S: Sample>(
    gpu: &Gpu,
    policy: &Policy,
    bins: &Bins<S>,
    samples: &[S],
    input: Input<'_>,
) -> Result<Output> {
    run(gpu, policy, bins, bytemuck::cast_slice(samples), samples.len() as u64, input)
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
    let data: Vec<S> = bytemuck::pod_collect_to_vec(&data);

    let mut setup = Setup::new(gpu, "histogram");
    let samples = setup.input("samples", &data);
    let before = [input.before as u32, (input.before >> 32) as u32];
    let mut initial =
        |name, len: usize| setup.array(name, element, len as u64, &before[..words].repeat(len));
    let (counts, out_of_range) =
        (initial("counts", m * channels), initial("out_of_range", channels));
    let sums = setup.output::<u32>("cumulative", m);
    let mut buffers = HistogramBuffers::new(samples, counts).out_of_range(out_of_range).count(
        match input.on_device {
            Some(number) => setup.count(true, number, n as usize),
            None => Count::Host(n),
        },
    );
    if input.cumulative {
        buffers = buffers.cumulative(sums);
    }
    if let Some((element, bits)) = weights {
        let len = bits.len().max(1) as u64;
        buffers = buffers.weights(setup.array("weights", element, len, &bits));
    }
    let added = histogram(&mut setup.graph, policy, &bins, &buffers)?;
    setup.run_by(policy)?;

    let joined = |import| -> Result<Vec<u64>> {
        let join = |pair: &[u32]| pair.iter().rev().fold(0, |sum, &w| sum << 32 | u64::from(w));
        Ok(setup.found::<u32>(import)?.chunks(words).map(join).collect())
    };
    Ok(Output {
        counts: joined(counts)?,
        out_of_range: joined(out_of_range)?,
        cumulative: setup.found(sums)?,
        method: added.method,
        passes: added.sizes.passes,
    })
}
