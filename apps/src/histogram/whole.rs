//! Histograms of arrays of any type and size: directly from a plain file, or from memory, in parts
//! if they do not fit in device memory.

use std::borrow::Cow;

use anyhow::{Result, bail};
use multisplit::operations::histogram::HistogramMethod;
use rayon::prelude::*;

use super::bin_rule::{BinRule, HistogramRequest, union};
use super::counted::{Counted, Counts, OutOfRange};
use super::direct;
use crate::formats::{Array, Data, Element, with_type};
use crate::inputs::{Elements, Numbers};
use crate::number::Number;
use crate::parts::{self, Resources};
use crate::wide_keys::widened;
use crate::{phase, report};

/// Maximum difference between a float sum and the CPU's sum, relative to the sum of magnitudes. The device adds in
/// another order than the CPU, and rounds each addition to 24 bits.
const TOLERANCE: f64 = 1e-4;
/// Samples that one thread processes at a time.
const CHUNK: usize = 1 << 16;

/// Weights of the samples, 32 bits each.
#[derive(Clone, Copy)]
enum Weights<'w> {
    None,
    Whole(&'w [u32]),
    Real(&'w [f32]),
}

impl<'w> Weights<'w> {
    fn new(weights: Option<&'w Array>, samples: usize) -> Result<Self> {
        let Some(array) = weights else { return Ok(Self::None) };
        let n = array.len();
        if n != samples {
            bail!(
                "--weights has {n} numbers, but there are {samples} samples; give one weight per sample"
            );
        }
        match (array.element(), array.data()) {
            (Element::U32, Data::Bytes4(words)) => Ok(Self::Whole(words)),
            (Element::F32, Data::Bytes4(words)) => Ok(Self::Real(bytemuck::cast_slice(words))),
            (other, _) => bail!("--weights has type {other}; weights must be u32 or f32"),
        }
    }

    fn at(self, index: usize) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Whole(weights) => weights[index].into(),
            Self::Real(weights) => weights[index].into(),
        }
    }
}

/// Counts `samples`, or adds up their weights. With `verify`, compares the result with the CPU.
pub fn count(
    resources: &Resources<'_>,
    request: &HistogramRequest<'_>,
    samples: Numbers,
    weights: Option<&Array>,
    verify: bool,
) -> Result<Counted> {
    let weights = Weights::new(weights, samples.len())?;
    let counting = Counting { resources, request, weights, verify };
    match samples.element {
        // 16-bit floats are counted as 32-bit floats.
        Element::F16 | Element::Bf16 => counting.counted::<f32>(samples),
        Element::Time(_) => counting.times(samples),
        other => with_type!(other, N => counting.counted::<N>(samples)),
    }
}

/// "Not a time", the lowest value of dates and time differences.
const NOT_A_TIME: i64 = i64::MIN;

/// Returns the values except those whose time is "not a time".
fn of_times<T: Copy>(times: &[i64], values: &[T]) -> Vec<T> {
    let pairs = times.iter().zip(values);
    pairs.filter(|(time, _)| **time != NOT_A_TIME).map(|(_, value)| *value).collect()
}

#[derive(Clone, Copy)]
struct Counting<'c> {
    resources: &'c Resources<'c>,
    request: &'c HistogramRequest<'c>,
    weights: Weights<'c>,
    verify: bool,
}

impl Counting<'_> {
    /// Counts dates or time differences. "Not a time" is out of range, like NaN.
    fn times(&self, samples: Numbers) -> Result<Counted> {
        let array = phase::timed("reading", || samples.load())?;
        let all = i64::from_data(array.data())?;
        let times = of_times(all, all);
        let (whole, real);
        let weights = match self.weights {
            Weights::None => Weights::None,
            Weights::Whole(weights) => {
                whole = of_times(all, weights);
                Weights::Whole(&whole)
            }
            Weights::Real(weights) => {
                real = of_times(all, weights);
                Weights::Real(&real)
            }
        };
        let counting = Counting { weights, ..*self };
        let mut counted = phase::timed("counting", || counting.in_memory(&times))?;
        counted.out_of_range.other += (all.len() - times.len()) as u64;
        Ok(counted)
    }

    fn counted<N: Number>(&self, samples: Numbers) -> Result<Counted> {
        if let (Elements::File(file), Weights::None) = (&samples.elements, self.weights)
            && let Some((rule, counted)) = direct::count::<N>(self.resources, self.request, file)?
        {
            if self.verify {
                phase::timed(report::VERIFYING, || {
                    let data = file.load()?;
                    verify(&rule, N::from_data(&data)?, Weights::None, &counted)
                })?;
            }
            return Ok(counted);
        }
        let array = phase::timed("reading", || samples.load())?;
        let data = match array.element() {
            Element::F16 | Element::Bf16 => widened(&array),
            _ => Cow::Borrowed(array.data()),
        };
        let samples = N::from_data(&data)?;
        phase::timed("counting", || self.in_memory(samples))
    }

    fn in_memory<N: Number>(&self, samples: &[N]) -> Result<Counted> {
        let Self { resources, request, weights, .. } = *self;
        let parts = samples.par_chunks(CHUNK).filter_map(|part| request.ends(part));
        let ends = if request.is_automatic() { parts.reduce_with(union) } else { None };
        let rule = BinRule::<N>::new(request, ends)?;
        let bins = rule.device_bins()?;
        let bytes = size_of::<N::Device>() as u64 + 4;
        let bar = resources.bars.elements("counting", samples.len() as u64);
        let m = rule.edges.len() - 1;
        let mut counts = match weights {
            Weights::Real(_) => Counts::Real(vec![0.0; m]),
            _ => Counts::Whole(vec![0; m]),
        };
        let mut method = HistogramMethod::Auto;
        let max = resources.max_elements(bytes, bytes);
        let counted = parts::in_order(samples.len(), max, |part| {
            let end = part.end as u64;
            let device = N::to_device(&samples[part.clone()]);
            let (context, bins) = (resources.context, bins.clone());
            let found;
            (found, method) = match weights {
                Weights::None => {
                    let found = context.histogram(&*device, bins)?;
                    (Counts::Whole(found.counts), found.method)
                }
                Weights::Whole(weights) => {
                    let found = context.histogram_weighted(&*device, &weights[part], bins)?;
                    (Counts::Whole(found.counts), found.method)
                }
                Weights::Real(weights) => {
                    let found = context.histogram_weighted_f32(&*device, &weights[part], bins)?;
                    let sums = found.counts.into_iter().map(f64::from);
                    (Counts::Real(sums.collect()), found.method)
                }
            };
            counts.add(&found);
            bar.set_position(end);
            Ok(())
        });
        counted.map_err(|error| rule.named(error))?;
        bar.finish_and_clear();
        let outside = match (&counts, weights) {
            (Counts::Whole(counts), Weights::None) => {
                Some((samples.len() as u64).saturating_sub(counts.iter().sum()))
            }
            _ => None,
        };
        let out_of_range = match (outside, rule.glsl()) {
            (_, Some(_)) => OutOfRange { other: outside.unwrap_or(0), ..OutOfRange::default() },
            // If all samples are in bins, none has to be classified on the host.
            (Some(0), None) => OutOfRange::default(),
            _ => out_of_range(&rule, samples),
        };
        let counted = Counted { counts, edges: rule.edges.clone(), out_of_range, method };
        if self.verify {
            let check = || verify(&rule, samples, weights, &counted);
            phase::timed(report::VERIFYING, check)?;
        }
        Ok(counted)
    }
}

fn out_of_range<N: Number>(rule: &BinRule<'_, N>, samples: &[N]) -> OutOfRange {
    let (first, last) = (rule.edges[0], rule.edges[rule.edges.len() - 1]);
    let count = |mut out_of_range: OutOfRange, &sample: &N| {
        let edge = sample.edge();
        match () {
            () if edge < first => out_of_range.below += 1,
            () if edge >= last && rule.last != Some(sample) => out_of_range.above += 1,
            () if edge.value().is_nan() => out_of_range.other += 1,
            () => {}
        }
        out_of_range
    };
    samples
        .par_iter()
        .fold(OutOfRange::default, count)
        .reduce(OutOfRange::default, OutOfRange::plus)
}

/// Compares the counts with the CPU's, computed from the edges. Does nothing for a user's GLSL function, which only
/// the device can run.
fn verify<N: Number>(
    rule: &BinRule<'_, N>,
    samples: &[N],
    weights: Weights<'_>,
    counted: &Counted,
) -> Result<()> {
    if rule.glsl().is_some() {
        return Ok(());
    }
    // For each bin, the sum of the weights and the sum of their magnitudes.
    let bins = rule.edges.len() - 1;
    let share = samples.len().div_ceil(rayon::current_num_threads()).max(1);
    let count = |(part, samples): (usize, &[N])| {
        let mut sums = vec![[0f64; 2]; bins];
        for (index, &sample) in (part * share..).zip(samples) {
            if let Some(bin) = rule.bin(sample) {
                sums[bin][0] += weights.at(index);
                sums[bin][1] += weights.at(index).abs();
            }
        }
        sums
    };
    let add = |mut all: Vec<[f64; 2]>, part: Vec<[f64; 2]>| {
        let pairs = all.iter_mut().zip(part);
        pairs.for_each(|(all, part)| *all = [all[0] + part[0], all[1] + part[1]]);
        all
    };
    let parts = samples.par_chunks(share).enumerate().map(count);
    let expected = parts.reduce(|| vec![[0f64; 2]; bins], add);
    let found = counted.counts.heights();
    let slack = if matches!(counted.counts, Counts::Real(_)) { TOLERANCE } else { 0.0 };
    for (bin, (found, [expected, magnitude])) in found.iter().zip(&expected).enumerate() {
        if (found - expected).abs() > slack * magnitude {
            bail!("the histogram is wrong: bin {bin} has {found}, but {expected} on the CPU");
        }
    }
    Ok(())
}
