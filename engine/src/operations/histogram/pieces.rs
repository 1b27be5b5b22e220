//! Divides the samples into pieces, each of which fits one storage binding.

use multisplit_graph::{Buffer, View};

use super::description::{Histogram, HistogramBuffers};
use super::layout::reject;
use crate::error::Result;
use crate::operations::shared::{ALIGNMENT, Count, WORD, check_limit, check_word};
use crate::policy::Policy;

/// Maximum number of elements per piece. Kernels use 32-bit indices, which may slightly exceed the end of a piece.
const MAX_OF_PIECE: u64 = 1 << 31;
/// Maximum number of pieces. Larger inputs cause an error instead of a huge plan.
const MAX_PIECES: u64 = 1024;

/// Part of the input that one dispatch processes.
pub(super) struct Piece {
    pub samples: View,
    pub weights: Option<View>,
    /// Offset of the first element in the view, in bytes.
    pub first_byte: u32,
    pub start: u32,
    pub count: u32,
}

/// Divides the input into pieces that fit into storage bindings.
pub(super) fn pieces(
    policy: &Policy,
    histogram: &Histogram,
    count: Count,
    buffers: &HistogramBuffers,
) -> Result<Vec<Piece>> {
    let (layout, sample) = (&histogram.layout, histogram.sample);
    let (n, stride) = (count.max(), u64::from(layout.stride(sample)));
    let base = layout.offset / ALIGNMENT * ALIGNMENT;
    let first_byte = layout.offset - base;
    let bindable = policy.facts.max_storage_range.saturating_sub(first_byte) / stride.max(WORD);
    // The number of elements per piece is a multiple of `ALIGNMENT`, so that pieces of samples and of weights begin at
    // valid binding offsets.
    let max_len = bindable.min(MAX_OF_PIECE) / ALIGNMENT * ALIGNMENT;
    let mut limit = max_len.saturating_mul(MAX_PIECES);
    if let Count::Device { .. } = count {
        limit = limit.min(u32::MAX.into());
    }
    check_limit("number of elements of a histogram", n, limit)?;
    if let Count::Device { buffer, index, .. } = count {
        check_word(buffer, index)?;
    }
    check_samples(histogram, n, buffers)?;
    let last = |count: u64| (count - 1) * stride + u64::from(layout.element(sample));
    let piece = |k: u64| {
        let (start, count) = (k * max_len, max_len.min(n - k * max_len));
        let bytes = (first_byte + last(count)).next_multiple_of(WORD);
        Piece {
            samples: buffers.samples.range(base + start * stride, bytes),
            weights: buffers.weights.map(|w| w.range(start * WORD, count * WORD)),
            first_byte: first_byte as u32,
            // Kernels read the start of a piece only with a device count, which has 32 bits.
            start: start as u32,
            count: count as u32,
        }
    };
    Ok((0..n.div_ceil(max_len.max(1))).map(piece).collect())
}

/// Rejects arrays that are shorter than the count. Kernels read samples of `u8` and `u16` as words of 4 bytes, so the
/// last word must be complete.
fn check_samples(histogram: &Histogram, n: u64, buffers: &HistogramBuffers) -> Result<()> {
    let (layout, sample) = (&histogram.layout, histogram.sample);
    let (size, needed) = (buffers.samples.size(), layout.bytes(sample, n));
    if size < needed {
        let fitting = layout.elements(sample, size);
        let problem = match layout.channels {
            _ if fitting >= n => format!(
                "the array has {size} bytes, which is not a multiple of 4; pad it to {needed} bytes"
            ),
            1 => format!("the array has {fitting} samples, but {n} are to be counted"),
            channels => format!(
                "the array has {fitting} elements of {channels} channels, but {n} are to be counted"
            ),
        };
        return reject(sample, problem);
    }
    match buffers.weights.map(Buffer::len) {
        Some(weights) if weights < n => reject(
            sample,
            format!("the array of weights has {weights} elements, but {n} are needed"),
        ),
        _ => Ok(()),
    }
}
