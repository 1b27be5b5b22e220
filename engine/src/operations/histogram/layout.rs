//! Memory layout of the samples.

use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::operations::shared::{ALIGNMENT, WORD};

/// Memory layout of the samples in their buffer. An element consists of one sample per channel, such as the red,
/// green and blue values of a pixel; its samples are contiguous. Each counted channel has counts of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes before the first element.
    pub offset: u64,
    /// Distance in bytes between the starts of adjacent elements. `None` if elements are contiguous.
    pub stride: Option<u32>,
    /// Number of samples per element, 1 to 4.
    pub channels: u32,
    /// Counted channels as a bit mask.
    pub active: u32,
}

impl Layout {
    /// Contiguous samples of one channel.
    pub const PACKED: Self = Self { offset: 0, stride: None, channels: 1, active: 1 };

    /// Contiguous elements of `channels` samples. `active` is the bit mask of the counted channels. For example,
    /// `Layout::interleaved(4, 0b0111)` counts the red, green and blue samples of RGBA pixels.
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

    /// Size in bytes of a buffer with `n` elements. Rounded up to a multiple of 4, because kernels read words of 4
    /// bytes.
    pub fn bytes(&self, sample: KeyType, n: u64) -> u64 {
        let stride = u64::from(self.stride(sample));
        let last = n.saturating_sub(1).saturating_mul(stride);
        let end = last.saturating_add(self.element(sample).into()).saturating_add(self.offset);
        if n == 0 { 0 } else { end.checked_next_multiple_of(WORD).unwrap_or(u64::MAX) }
    }

    /// Number of elements in `bytes` bytes. The buffer may end directly after the last element, without the gap up to
    /// the next one.
    pub(super) fn elements(&self, sample: KeyType, bytes: u64) -> u64 {
        let (stride, element) = (u64::from(self.stride(sample)), u64::from(self.element(sample)));
        let gap = stride.saturating_sub(element);
        bytes.saturating_add(gap).saturating_sub(self.offset) / stride.max(1)
    }

    pub(super) fn element(&self, sample: KeyType) -> u32 {
        self.channels.saturating_mul(sample.bytes())
    }

    pub(super) fn stride(&self, sample: KeyType) -> u32 {
        self.stride.unwrap_or(self.element(sample))
    }

    /// Whether the kernel can read the samples with 16-byte loads, each of which contains whole elements.
    pub(super) fn reads_vectors(&self, sample: KeyType) -> bool {
        let element = self.element(sample);
        self.stride(sample) == element && 16 % element == 0 && self.offset.is_multiple_of(ALIGNMENT)
    }

    pub(crate) fn check(&self, sample: KeyType) -> Result<()> {
        if !(1..=MAX_CHANNELS).contains(&self.channels) {
            return reject(sample, "the layout must have 1 to 4 channels");
        }
        if self.active == 0 || self.active >> self.channels != 0 {
            return reject(
                sample,
                "`active` must select at least one channel, and only channels of the layout",
            );
        }
        let alignment = sample.bytes().min(WORD as u32);
        let aligned = self.stride(sample).is_multiple_of(alignment)
            && self.offset.is_multiple_of(alignment.into());
        if self.stride(sample) < self.element(sample) || !aligned {
            return reject(
                sample,
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

const MAX_CHANNELS: u32 = 4;

/// Returns an error about a histogram of samples of this type.
pub(super) fn reject<T>(sample: KeyType, problem: impl Into<String>) -> Result<T> {
    Err(Error::Histogram { sample: sample.to_string(), problem: problem.into() })
}
