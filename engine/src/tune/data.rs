//! Input and output arrays for measurements.

use crate::device::Context;
use crate::error::Result;
use crate::memory::Array;

/// Upper end of the range of histogram samples.
pub(super) const SAMPLE_END: f32 = 1024.0;
/// Number of edges of the histogram with bins of increasing width.
pub(super) const EDGES: usize = 257;
/// Length of the array for offsets and counts: the bins of the largest histogram, which have more elements than the
/// offsets of any split.
pub(super) const WORDS: u64 = MANY_BINS as u64;
/// Number of bins of the histogram with the most bins.
pub(super) const MANY_BINS: u32 = 4096;

/// Arrays on the device: random inputs, and outputs.
pub(super) struct Data {
    pub context: Context,
    pub keys: Array<u32>,
    pub keys_out: Array<u32>,
    /// Indices of the elements.
    pub values: Array<u32>,
    pub values_out: Array<u32>,
    pub wide_keys: Array<u64>,
    pub wide_keys_out: Array<u64>,
    pub samples: Array<f32>,
    /// Offsets and counts.
    pub words: Array<u32>,
    pub edges: Vec<f32>,
}

/// Upper bound on the device memory per element in bytes, for all arrays and the workspace of a sort.
pub(super) const BYTES_PER_ELEMENT: u64 = 6 * 4 + 3 * 8 + 8;

impl Data {
    pub fn new(context: &Context, n: u64) -> Result<Self> {
        let all = |of: fn(u64) -> u32| -> Vec<u32> { (0..n).map(of).collect() };
        let wide: Vec<u64> = (0..n).map(mixed).collect();
        let samples: Vec<f32> = (0..n).map(sample).collect();
        let keys = all(key);
        Ok(Self {
            context: context.clone(),
            keys_out: context.upload(&keys)?,
            keys: context.upload(&keys)?,
            values: context.upload(&all(|index| index as u32))?,
            values_out: context.upload(&keys)?,
            wide_keys_out: context.upload(&wide)?,
            wide_keys: context.upload(&wide)?,
            samples: context.upload(&samples)?,
            words: Array::uninit(context, "tune.words", WORDS)?,
            // Edges of bins of increasing width: 0, 1/64, 4/64, 9/64, ..., 1024.
            edges: (0..EDGES).map(|k| (k * k) as f32 / 64.0).collect(),
        })
    }
}

/// Pseudo-random number for an index (SplitMix64).
pub(super) fn mixed(index: u64) -> u64 {
    let x = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

pub(super) fn key(index: u64) -> u32 {
    (mixed(index) >> 32) as u32
}

/// A sample with 24 random bits, which `f32` represents exactly.
pub(super) fn sample(index: u64) -> f32 {
    (key(index) >> 8) as f32 / (1 << 24) as f32 * SAMPLE_END
}

/// Splitters of `m` buckets with random widths.
pub(super) fn splitters(m: u32) -> Vec<u32> {
    let width = u32::MAX / m;
    (1..m).map(|k| k * width + key(k.into()) % (width / 2)).collect()
}
