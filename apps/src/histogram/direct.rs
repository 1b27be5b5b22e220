//! Histogram of a plain file without keeping its samples on the host. Ranges of the file are read directly
//! into staging memory. Unless the bins depend on the samples, each range is counted while the next one is read.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use indicatif::ProgressBar;
use multisplit::operations::histogram::HistogramMethod;
use multisplit::{Array, Bins, Context};

use super::bin_rule::{BinRule, HistogramRequest, union};
use super::counted::{Counted, Counts, OutOfRange};
use crate::inputs::PlainFile;
use crate::number::Number;
use crate::parts::{Resources, by_workers, is_out_of_memory};
use crate::phase;

/// Bytes per part: large enough to amortise the fixed cost of a part, and small enough that large files have several.
const PART_BYTES: usize = 64 << 20;
/// Parts in flight: one is counted while another is uploaded.
const WORKERS: usize = 2;

/// Counts the samples of `file`. `None` if there are no samples, if they need conversion on the host, or if device
/// memory is insufficient.
pub fn count<'w, N: Number>(
    resources: &Resources<'_>,
    request: &HistogramRequest<'w>,
    file: &PlainFile,
) -> Result<Option<(BinRule<'w, N>, Counted)>> {
    let bytes = size_of::<N>();
    if !N::SAME_BYTES || file.element_bytes() != bytes || file.len() == 0 {
        return Ok(None);
    }
    let counted = if request.is_automatic() {
        if file.len() as u64 > resources.max_in_memory(bytes as u64) {
            return Ok(None);
        }
        all_at_once(resources.context, request, file)
    } else {
        let max = resources.max_elements(bytes as u64, bytes as u64) / WORKERS;
        let part = max.min(PART_BYTES / bytes).max(1);
        BinRule::new(request, None).and_then(|rule| {
            let bar = resources.bars.elements("counting", file.len() as u64);
            let counting = Counting::new(resources.context, &rule, file)?;
            let counted = counting.by_parts(part, &bar).map_err(|error| rule.named(error))?;
            bar.finish_and_clear();
            Ok((rule, counted))
        })
    };
    match counted {
        Err(error) if is_out_of_memory(&error) => Ok(None),
        other => other.map(Some),
    }
}

/// Counts with an automatic range. The bins are known only after all samples have been read, so the samples
/// stay on the device until then.
fn all_at_once<'w, N: Number>(
    context: &Context,
    request: &HistogramRequest<'w>,
    file: &PlainFile,
) -> Result<(BinRule<'w, N>, Counted)> {
    let ends = Mutex::new(None);
    let array = upload::<N>(context, file, 0..file.len(), |samples| {
        let found = request.ends(samples);
        let mut ends = ends.lock().unwrap_or_else(PoisonError::into_inner);
        *ends = match (*ends, found) {
            (Some(ends), Some(found)) => Some(union(ends, found)),
            (ends, found) => ends.or(found),
        };
    })?;
    let rule = BinRule::new(request, ends.into_inner().unwrap_or_else(PoisonError::into_inner))?;
    let counted = Counting::new(context, &rule, file)?.count(&array)?;
    Ok((rule, counted))
}

struct Counting<'c, N: Number> {
    context: &'c Context,
    rule: &'c BinRule<'c, N>,
    bins: Bins<N::Device>,
    file: &'c PlainFile,
}

impl<'c, N: Number> Counting<'c, N> {
    fn new(context: &'c Context, rule: &'c BinRule<'c, N>, file: &'c PlainFile) -> Result<Self> {
        Ok(Self { context, rule, bins: rule.device_bins()?, file })
    }

    /// Uploads and counts at most `part` samples at a time.
    fn by_parts(&self, part: usize, bar: &ProgressBar) -> Result<Counted> {
        let (n, all) = (self.file.len(), Mutex::new(self.empty()));
        by_workers(WORKERS, n.div_ceil(part), |index| {
            let range = index * part..n.min((index + 1) * part);
            let len = range.len() as u64;
            let samples = upload::<N>(self.context, self.file, range, |_| ())?;
            let counted = self.count(&samples)?;
            all.lock().unwrap_or_else(PoisonError::into_inner).add(&counted);
            bar.inc(len);
            Ok(())
        })?;
        Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn empty(&self) -> Counted {
        let edges = self.rule.edges.clone();
        let counts = Counts::Whole(vec![0; edges.len() - 1]);
        let (out_of_range, method) = (OutOfRange::default(), HistogramMethod::Auto);
        Counted { counts, edges, out_of_range, method }
    }

    fn count(&self, samples: &Array<N::Device>) -> Result<Counted> {
        let context = self.context;
        let _span = tracing::info_span!("count", n = samples.len()).entered();
        phase::timed("counting", || {
            let found = context.histogram(samples, self.bins.clone())?;
            let out_of_range: u64 = context.download(&found.out_of_range)?.iter().sum();
            let mut counts = context.download(&found.counts)?;
            counts.resize(self.rule.edges.len() - 1, 0);
            Ok(Counted {
                counts: Counts::Whole(counts),
                out_of_range: self.out_of_range(samples, out_of_range)?,
                method: found.method,
                ..self.empty()
            })
        })
    }

    /// Counts the samples below and above the bins, and those out of range for other reasons, such as NaN. `all` is the
    /// number of all samples out of range.
    fn out_of_range(&self, samples: &Array<N::Device>, all: u64) -> Result<OutOfRange> {
        if all == 0 || self.rule.glsl().is_some() {
            return Ok(OutOfRange { other: all, ..OutOfRange::default() });
        }
        let found = self.context.histogram(samples, self.rule.device_sides())?;
        let below = self.context.download(&found.counts)?[0];
        let other: u64 = self.context.download(&found.out_of_range)?.iter().sum();
        Ok(OutOfRange { below, above: all.saturating_sub(below + other), other })
    }
}

/// Uploads a range of the file. Passes all its samples to `inspect`, in chunks and from several threads.
fn upload<N: Number>(
    context: &Context,
    file: &PlainFile,
    range: Range<usize>,
    inspect: impl Fn(&[N]) + Sync,
) -> Result<Array<N::Device>> {
    let _span = tracing::info_span!("upload", elements = range.len() as u64).entered();
    phase::timed("reading and uploading", || {
        context.upload_with(range.len() as u64, |first, chunk: &mut [N::Device]| {
            let samples: &mut [N] = bytemuck::cast_slice_mut(chunk);
            file.read(range.start as u64 + first, bytemuck::cast_slice_mut(samples))?;
            inspect(samples);
            Ok(())
        })
    })
}
