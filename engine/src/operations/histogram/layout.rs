//! Memory layout of the samples, and the pieces in which they are bound.

use multisplit_graph::{Buffer, View};

use super::{Counted, Histogram};
use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::operations::Count;
use crate::operations::shared::checks::check_size;
use crate::policy::Policy;

/// Memory layout of the samples in their buffer. An element consists of one sample per channel, stored
/// contiguously. Each counted channel has separate bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes before the first element.
    pub offset: u64,
    /// Bytes from the start of an element to the start of the next; `None` if elements are contiguous.
    pub stride: Option<u32>,
    /// Samples per element, 1 to 4.
    pub channels: u32,
    /// Bit mask of the counted channels.
    pub active: u32,
}

impl Layout {
    /// Contiguous samples of one channel.
    pub const PACKED: Self = Self { offset: 0, stride: None, channels: 1, active: 1 };

    /// Contiguous elements of `channels` samples. `active` is the bit mask of the counted channels:
    /// `Layout::interleaved(4, 0b0111)` counts red, green and blue of RGBA pixels.
    pub const fn interleaved(channels: u32, active: u32) -> Self {
        Self { offset: 0, stride: None, channels, active }
    }

    /// One sample per `stride` bytes, the first at byte `offset`.
    pub const fn strided(offset: u64, stride: u32) -> Self {
        Self { offset, stride: Some(stride), channels: 1, active: 1 }
    }

    /// Number of counted channels.
    pub fn active_channels(&self) -> u32 {
        self.active.count_ones()
    }

    /// Bytes of a buffer with `n` elements, rounded up to whole words because kernels read words.
    pub fn bytes(&self, sample: KeyType, n: u64) -> u64 {
        let stride = u64::from(self.stride(sample));
        let last = n.saturating_sub(1).saturating_mul(stride);
        let end = last.saturating_add(self.element(sample).into()).saturating_add(self.offset);
        if n == 0 { 0 } else { end.checked_next_multiple_of(WORD).unwrap_or(u64::MAX) }
    }

    /// Number of elements in `bytes` bytes. The gap after the last element may be missing.
    pub(super) fn elements(&self, sample: KeyType, bytes: u64) -> u64 {
        let (stride, element) = (u64::from(self.stride(sample)), u64::from(self.element(sample)));
        let gap = stride.saturating_sub(element);
        bytes.saturating_add(gap).saturating_sub(self.offset) / stride.max(1)
    }

    fn element(&self, sample: KeyType) -> u32 {
        self.channels.saturating_mul(sample.bytes())
    }

    pub(super) fn stride(&self, sample: KeyType) -> u32 {
        self.stride.unwrap_or(self.element(sample))
    }

    /// Whether whole elements can be read 16 bytes at a time.
    pub(super) fn reads_vectors(&self, sample: KeyType) -> bool {
        let element = self.element(sample);
        self.stride(sample) == element && 16 % element == 0 && self.offset.is_multiple_of(ALIGNMENT)
    }

    pub(crate) fn check(&self, sample: KeyType) -> Result<()> {
        let refuse = |problem: &str| {
            Err(Error::Histogram { sample: sample.to_string(), problem: problem.to_owned() })
        };
        if !(1..=MAX_CHANNELS).contains(&self.channels) {
            return refuse("elements must have 1 to 4 channels");
        }
        if self.active == 0 || self.active >> self.channels != 0 {
            return refuse("the active channels must be a non-empty subset of the channels");
        }
        let alignment = sample.bytes().min(WORD as u32);
        let aligned = self.stride(sample).is_multiple_of(alignment)
            && self.offset.is_multiple_of(alignment.into());
        if self.stride(sample) < self.element(sample) || !aligned {
            return refuse(
                "the stride must be at least the element size, and stride and offset must be multiples of the \
                 sample size (at most 4)",
            );
        }
        Ok(())
    }
}

impl Default for Layout {
    fn default() -> Self {
        Self::PACKED
    }
}

const WORD: u64 = 4;
const MAX_CHANNELS: u32 = 4;
/// Maximum offset alignment that Vulkan allows a device to require.
const ALIGNMENT: u64 = 256;
/// Maximum elements per piece. Kernels index elements, and a few past the end, with 32 bits.
const MAX_OF_PIECE: u64 = 1 << 31;
/// Maximum number of pieces. Sizes beyond the memory of any device cause an error instead of a huge plan.
const MAX_PIECES: u64 = 1024;

/// Part of the input that one dispatch can bind.
pub(super) struct Piece {
    pub samples: View,
    pub weights: Option<View>,
    /// Offset of the first element in the view.
    pub first_byte: u32,
    pub start: u32,
    pub count: u32,
}

/// Divides the input into pieces that fit into storage bindings.
pub(super) fn pieces(
    policy: &Policy,
    histogram: &Histogram,
    buffers: &Counted,
) -> Result<Vec<Piece>> {
    let (layout, sample) = (&histogram.layout, histogram.sample);
    let (n, stride) = (buffers.n.max(), u64::from(layout.stride(sample)));
    let base = layout.offset / ALIGNMENT * ALIGNMENT;
    let first_byte = layout.offset - base;
    let bindable = policy.facts.max_storage_range.saturating_sub(first_byte) / stride.max(WORD);
    // A multiple of the alignment, so that the pieces of samples and of weights start at valid binding offsets.
    let max_len = bindable.min(MAX_OF_PIECE) / ALIGNMENT * ALIGNMENT;
    let limit = match buffers.n {
        Count::Host(_) => max_len.saturating_mul(MAX_PIECES),
        Count::Device { .. } => max_len.saturating_mul(MAX_PIECES).min(u32::MAX.into()),
    };
    if n > limit {
        return Err(Error::TooLarge { what: "number of elements", asked: n, limit });
    }
    if let Count::Device { buffer, index, .. } = buffers.n {
        check_size("count", buffer, index.saturating_add(1).saturating_mul(WORD))?;
    }
    let last = |count: u64| (count - 1) * stride + u64::from(layout.element(sample));
    check_samples(histogram, buffers)?;
    let piece = |k: u64| {
        let (start, count) = (k * max_len, max_len.min(n - k * max_len));
        let bytes = (first_byte + last(count)).next_multiple_of(WORD);
        Piece {
            samples: buffers.samples.range(base + start * stride, bytes),
            weights: buffers.weights.map(|w| w.range(start * WORD, count * WORD)),
            first_byte: first_byte as u32,
            // Read only with a device count, which has 32 bits.
            start: start as u32,
            count: count as u32,
        }
    };
    Ok((0..n.div_ceil(max_len.max(1))).map(piece).collect())
}

/// Rejects arrays with fewer elements than the count. Narrow samples are read as words, so the last word must be
/// complete.
fn check_samples(histogram: &Histogram, buffers: &Counted) -> Result<()> {
    let (layout, sample, n) = (&histogram.layout, histogram.sample, buffers.n.max());
    let refuse = |problem| Err(Error::Histogram { sample: sample.to_string(), problem });
    let (size, needed) = (buffers.samples.size(), layout.bytes(sample, n));
    if size < needed {
        let fitting = layout.elements(sample, size);
        return refuse(match layout.channels {
            _ if fitting >= n => format!(
                "the array has {size} bytes, which is not a multiple of 4; pad it to {needed} bytes"
            ),
            1 => format!("{n} samples are to be counted, but the array has {fitting}"),
            channels => format!(
                "{n} elements of {channels} channels are to be counted, but the array has {fitting}"
            ),
        });
    }
    match buffers.weights.map(Buffer::len) {
        Some(weights) if weights < n => {
            refuse(format!("{n} elements need {n} weights, but {weights} were given"))
        }
        _ => Ok(()),
    }
}
