//! A histogram of arrays of any type and size: part by part where they do not fit the device.

use anyhow::{Context as _, Result, bail};
use multisplit::primitives::histogram::{Histogram, HistogramMethod};
use multisplit::primitives::multisplit::UserBucket;

use super::number::{Number, Signed, range_bin};
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
    pub outside: u64,
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
        Element::I64 => counted::<Signed>,
        Element::F64 => counted::<f64>,
        Element::Bytes16 => bail!("{} are not counted", samples.element()),
    };
    of_type(room, wanted, samples.data(), verify)
}

fn counted<S: Number>(
    room: &Room<'_>,
    wanted: &Wanted<'_>,
    samples: &Data,
    verify: bool,
) -> Result<Counted> {
    let samples = S::from_data(samples).context("samples of another size")?;
    let bins = Bins::<S>::new(wanted)?;
    let histogram = bins.histogram();
    let bytes = size_of::<S>() as u64;
    let bar = room.bars.elements("counting", samples.len() as u64);
    let mut counts = vec![0; histogram.bins as usize];
    let (mut outside, mut method) = (0, HistogramMethod::Auto);
    parts::in_order(samples.len(), room.most_elements(bytes, bytes), |part| {
        let end = part.end as u64;
        let result = room.context.histogram(&histogram, &samples[part])?;
        counts.iter_mut().zip(&result.counts).for_each(|(all, count)| *all += count);
        outside += result.dropped.iter().sum::<u64>();
        method = result.method;
        bar.set_position(end);
        Ok(())
    })?;
    bar.finish_and_clear();
    let counted = Counted { counts, edges: bins.edges(), outside, method };
    if verify {
        bins.verify(&samples, &counted)?;
    }
    Ok(counted)
}

/// Bins of samples of one type.
enum Bins<'b, S> {
    Even { bins: u32, lo: S, hi: S },
    Range(Vec<S>),
    Glsl { bins: u32, source: &'b str },
}

impl<'b, S: Number> Bins<'b, S> {
    fn new(wanted: &Wanted<'b>) -> Result<Self> {
        let number = |text: &str| {
            text.parse::<S>().ok().with_context(|| format!("--range: `{text}` is no {}", S::NAME))
        };
        Ok(match *wanted {
            Wanted::Even { bins, lo, hi } => Self::Even { bins, lo: number(lo)?, hi: number(hi)? },
            Wanted::Splitters(array) => {
                Self::Range(S::from_data(array.data()).context("splitters of another type")?)
            }
            Wanted::Glsl { bins, source } => Self::Glsl { bins, source },
        })
    }

    fn histogram(&self) -> Histogram {
        match self {
            Self::Even { bins, lo, hi } => Histogram::even(*bins, *lo, *hi),
            Self::Range(splitters) => Histogram::range(splitters),
            Self::Glsl { bins, source } => {
                Histogram::glsl(S::TYPE, *bins, UserBucket::new(*source))
            }
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
    fn verify(&self, samples: &[S], counted: &Counted) -> Result<()> {
        let total = counted.counts.iter().sum::<u64>() + counted.outside;
        if total != samples.len() as u64 {
            bail!("the histogram is wrong: {total} samples were counted, of {}", samples.len());
        }
        let bin = |sample: S| match self {
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
