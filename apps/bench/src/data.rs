//! Generates input data from seeds, so that every run has the same input.

use std::ops::Range;
use std::thread;

use anyhow::{Context as _, Result};
use multisplit::Key;
use multisplit_sssp::network::mix64;

/// Seed of the demo and the benchmarks.
pub const SEED: u64 = 1;

/// `n` keys with uniformly distributed bits.
pub fn random_keys<K: Key>(n: u64, seed: u64) -> Result<Vec<K>> {
    let (mut keys, length) = reserve_elements(n)?;
    keys.resize(length, K::zeroed());
    let mut generator = SplitMix64(seed);
    for word in bytemuck::cast_slice_mut::<K, u8>(&mut keys).chunks_mut(size_of::<u32>()) {
        let random = (generator.draw() >> 32) as u32;
        word.copy_from_slice(&random.to_ne_bytes()[..word.len()]);
    }
    Ok(keys)
}

/// `n` numbers; `word` computes each from its index.
pub fn words(n: u64, word: impl FnMut(usize) -> u32) -> Result<Vec<u32>> {
    let (mut words, length) = reserve_elements(n)?;
    words.extend((0..length).map(word));
    Ok(words)
}

/// Bits of `n` pseudorandom floats in [0, 1024). Other benchmark programs generate the same floats.
pub(crate) fn float_bits(n: u64) -> Result<Vec<u32>> {
    words(n, |index| ((mixed(index, 1) >> 8) as f32 * (1024.0 / 16_777_216.0)).to_bits())
}

/// Number of CPU cores.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Elements per core if all cores share `length` elements.
pub(crate) fn share(length: usize) -> usize {
    length.div_ceil(cores()).max(1)
}

/// Divides `0..length` into a range per CPU core, and applies `work` to all of them at the same time. Returns the results
/// in order.
pub(crate) fn per_core<R: Send>(length: usize, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    let share = share(length);
    let ranges = (0..length).step_by(share).map(|start| start..length.min(start + share));
    let mut results: Vec<(Range<usize>, Option<R>)> = ranges.map(|range| (range, None)).collect();
    thread::scope(|scope| {
        for (range, result) in &mut results {
            let work = &work;
            scope.spawn(move || *result = Some(work(range.clone())));
        }
    });
    results.into_iter().filter_map(|(_, result)| result).collect()
}

/// An empty vector with capacity for `n` elements, and `n` as a `usize`.
fn reserve_elements<T>(n: u64) -> Result<(Vec<T>, usize)> {
    let too_large = || format!("not enough host memory for {n} numbers; try a smaller --n");
    let length = usize::try_from(n).with_context(too_large)?;
    let mut elements = Vec::new();
    elements.try_reserve_exact(length).with_context(too_large)?;
    Ok((elements, length))
}

/// Maps 64 random bits to a number below `end`, which is at most 2^32.
pub fn below(random: u64, end: u64) -> u64 {
    ((random >> 32) * end) >> 32
}

/// Steele, Lea and Flood's generator ("Fast splittable pseudorandom number generators", 2014).
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// 2^64 divided by the golden ratio.
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    /// The generator of `seed` after `draws` draws, so that each thread can start at its place in the sequence.
    pub fn after(seed: u64, draws: u64) -> Self {
        Self(seed.wrapping_add(draws.wrapping_mul(Self::STEP)))
    }

    /// The next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Self::STEP);
        mix64(self.0)
    }
}

/// Hashes an index to a pseudorandom number. Other benchmark programs use the same hash.
pub fn mixed(index: usize, seed: u64) -> u32 {
    let z = (index as u64 + 1).wrapping_mul(SplitMix64::STEP).wrapping_add(seed);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z >> 32) as u32 ^ z as u32
}

/// Maximum bits of a segment length in [`random_offsets`].
const MAX_BITS: u32 = 17;

/// Offsets that divide `n` elements into segments. Lengths have a log-uniform distribution: most
/// segments are much shorter than the mean, and most elements are in large ones.
pub fn random_offsets(n: u64) -> Vec<u32> {
    let mut offsets = vec![0];
    let mut end = 0;
    while end < n {
        let drawn = mixed(offsets.len(), 11);
        let length = u64::from(drawn >> 8) % (1 << (drawn % (MAX_BITS + 1)));
        end = (end + length).min(n);
        offsets.push(end as u32);
    }
    offsets
}

#[cfg(test)]
mod tests {
    use super::{SplitMix64, mixed, per_core, random_keys, random_offsets};

    #[test]
    fn generator_matches_published_values() {
        let mut generator = SplitMix64(1_234_567);
        assert_eq!(generator.draw(), 6_457_827_717_110_365_317);
        assert_eq!(generator.draw(), 3_203_168_211_198_807_973);
        assert_eq!(SplitMix64::after(1_234_567, 1).draw(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn sizes_exceeding_memory_are_rejected() {
        assert!(random_keys::<u32>(u64::MAX / 8, 1).is_err());
    }

    #[test]
    fn ranges_of_cores_cover_all_elements_in_order() {
        for length in [0, 1, 1000] {
            let indices = per_core(length, |range| range.collect::<Vec<usize>>()).concat();
            assert!(indices.into_iter().eq(0..length));
        }
    }

    #[test]
    fn hashes_match_other_benchmark_programs() {
        assert_eq!(mixed(0, 0), 0x5d7c_35e6);
        assert_eq!([mixed(0, 1), mixed(41, 7)], [974_924_535, 4_040_906_548]);
    }

    #[test]
    fn random_segments_cover_all_elements() {
        let offsets = random_offsets(1 << 20);
        assert!(offsets.is_sorted());
        assert_eq!(offsets.last(), Some(&(1 << 20)));
        assert!(offsets.len() > 100, "{} offsets, expected more than 100", offsets.len());
    }
}
