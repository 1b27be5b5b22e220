//! A histogram of arrays of any type and size: part by part where they do not fit the device.

use anyhow::{Context as _, Result, bail};
use multisplit::Bins;
use multisplit::primitives::histogram::HistogramMethod;

use super::number::{Number, range_bin};
use crate::files::{Array, Data, Element};
use crate::parts::{self, Room};

/// Which bins there are, as the command line says it.
pub enum Wanted<'w> {
    /// m equal parts of the numbers from one text to another
    Even { bins: u32, lo: &'w str, hi: &'w str },
    /// Between each two of these, which are of the type of the samples
    Splitters(&'w Array),
    /// `uint bucket_of(K sample)` of the user's
    Glsl { bins: u32, source: &'w str },
}

/// What was counted.
#[derive(Debug)]
pub struct Counted {
    pub counts: Vec<u64>,
    /// One more than there are bins.
    pub edges: Vec<f64>,
    /// How many samples are in no bin.
    pub out_of_range: u64,
    pub method: HistogramMethod,
}

/// Counts `samples`; `verify` compares with the CPU.
pub fn count(
    room: &Room<'_>,
    wanted: &Wanted<'_>,
    samples: &Array,
    verify: bool,
) -> Result<Counted> {
    let of_type = match samples.element() {
        Element::U8 => counted::<u8>,
        Element::U16 => counted::<u16>,
        Element::U32 => counted::<u32>,
        Element::I32 => counted::<i32>,
        Element::F32 => counted::<f32>,
        Element::U64 => counted::<u64>,
        Element::I64 => counted::<i64>,
        Element::F64 => counted::<f64>,
        Element::Bytes16 => bail!("{} cannot be counted", samples.element()),
    };
    of_type(room, wanted, samples.data(), verify)
}

fn counted<N: Number>(
    room: &Room<'_>,
    wanted: &Wanted<'_>,
    samples: &Data,
    verify: bool,
) -> Result<Counted> {
    let samples = N::from_data(samples).context("samples of another size")?;
    let rule = BinRule::<N>::new(wanted)?;
    let bins = rule.device_bins();
    let bytes = size_of::<N>() as u64;
    let bar = room.bars.elements("counting", samples.len() as u64);
    let mut counts = vec![0; bins.count() as usize];
    let (mut out_of_range, mut method) = (0, HistogramMethod::Auto);
    parts::in_order(samples.len(), room.max_elements(bytes, bytes), |part| {
        let end = part.end as u64;
        let part = room.context.histogram(&*N::to_device(&samples[part]), bins.clone())?;
        counts.iter_mut().zip(&part.counts).for_each(|(all, count)| *all += count);
        out_of_range += part.out_of_range.iter().sum::<u64>();
        method = part.method;
        bar.set_position(end);
        Ok(())
    })?;
    bar.finish_and_clear();
    let counted = Counted { counts, edges: rule.edges(), out_of_range, method };
    if verify {
        rule.verify(samples, &counted)?;
    }
    Ok(counted)
}

/// Which bin a sample of one type belongs to, for the device and for the CPU.
enum BinRule<'b, N> {
    Even { bins: u32, lo: N, hi: N },
    Range(Vec<N>),
    Glsl { bins: u32, source: &'b str },
}

impl<'b, N: Number> BinRule<'b, N> {
    fn new(wanted: &Wanted<'b>) -> Result<Self> {
        let number = |text: &str| {
            let number = text.parse::<N>().ok();
            number.with_context(|| format!("--range: `{text}` is not a number of type {}", N::NAME))
        };
        Ok(match *wanted {
            Wanted::Even { bins, lo, hi } => Self::Even { bins, lo: number(lo)?, hi: number(hi)? },
            Wanted::Splitters(array) => {
                let splitters = N::from_data(array.data());
                Self::Range(splitters.context("splitters of another type")?.to_vec())
            }
            Wanted::Glsl { bins, source } => Self::Glsl { bins, source },
        })
    }

    /// What the device is told.
    fn device_bins(&self) -> Bins<N::Device> {
        match *self {
            Self::Even { bins, lo, hi } => Bins::even(lo.on_device()..hi.on_device(), bins),
            Self::Range(ref splitters) => Bins::range(&N::to_device(splitters)),
            Self::Glsl { bins, source } => Bins::glsl(bins, source),
        }
    }

    /// Where bins begin, and where the last one ends, for an axis.
    fn edges(&self) -> Vec<f64> {
        match self {
            Self::Even { bins, lo, hi } => {
                let (lo, hi) = (lo.value(), hi.value());
                (0..=*bins).map(|k| lo + (hi - lo) * f64::from(k) / f64::from(*bins)).collect()
            }
            Self::Range(splitters) => splitters.iter().map(|splitter| splitter.value()).collect(),
            Self::Glsl { bins, .. } => (0..=*bins).map(f64::from).collect(),
        }
    }

    /// Compares with what the CPU counts. Of a function that only the device knows, that no sample
    /// is lost or counted twice.
    fn verify(&self, samples: &[N], counted: &Counted) -> Result<()> {
        let total = counted.counts.iter().sum::<u64>() + counted.out_of_range;
        if total != samples.len() as u64 {
            bail!("the histogram is wrong: {total} samples were counted, of {}", samples.len());
        }
        let bin = |sample: N| match self {
            Self::Even { bins, lo, hi } => sample.even_bin(*lo, *hi, *bins),
            Self::Range(splitters) => range_bin(sample, splitters),
            Self::Glsl { .. } => None,
        };
        if let Self::Glsl { .. } = self {
            return Ok(());
        }
        let mut counts = vec![0u64; counted.counts.len()];
        for bin in samples.iter().filter_map(|&sample| bin(sample)) {
            if let Some(count) = counts.get_mut(bin) {
                *count += 1;
            }
        }
        let differs = |(_, (found, expected)): &(usize, (&u64, &u64))| found != expected;
        if let Some((bin, (found, expected))) =
            counted.counts.iter().zip(&counts).enumerate().find(differs)
        {
            bail!("the histogram is wrong: bin {bin} has {found}, the CPU says {expected}");
        }
        Ok(())
    }
}
