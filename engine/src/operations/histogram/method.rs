//! Chooses the method of a histogram and its sizes.

use super::bins::{BinCode, Search};
use super::description::{AddedHistogram, Histogram, HistogramMethod, HistogramSizes, Weight};
use crate::error::{Error, Result};
use crate::policy::Policy;

/// Maximum number of bins that ballots support. More would exceed the available registers.
const MAX_BY_BALLOTS: u32 = 256;
/// Shared memory reserved for variables other than counters and tables, in bytes.
const SHARED_SLACK: u32 = 256;
/// Number of elements per thread and tile if elements are read one by one.
const ELEMENTS: u32 = 4;
/// A workgroup loads tables when it starts and adds its counters to the output when it ends. Each of these words
/// should be shared by at least this many samples.
const SAMPLES_PER_WORD: u32 = 32;
/// Loop iterations assumed for adding an `f32` to shared memory. The addition is a compare-and-swap loop, which
/// repeats if lanes of a subgroup add to the same bin.
const FLOAT_ROUNDS: u32 = 8;

pub(super) fn choose(
    policy: &Policy,
    histogram: &Histogram,
    code: &BinCode,
) -> Result<AddedHistogram> {
    let tuned = &policy.histogram;
    let ballots_apply = histogram.bins <= MAX_BY_BALLOTS
        && histogram.layout.active_channels() == 1
        && histogram.weight == Weight::None;
    let shared = shared_sizes(policy, histogram, code);
    // The kernel has no 64-bit counters for sums of weights in shared memory.
    let wide_sums = histogram.wide && histogram.weight == Weight::U32;
    let refuse = |problem| Err(Error::Method { problem });
    let method = match histogram.method {
        HistogramMethod::Auto if ballots_apply && histogram.bins <= tuned.max_bins_by_ballots => {
            HistogramMethod::Ballots
        }
        HistogramMethod::Auto if wide_sums || shared.passes > tuned.max_passes => {
            HistogramMethod::Global
        }
        HistogramMethod::Auto => HistogramMethod::Shared,
        HistogramMethod::Ballots if !ballots_apply => {
            return refuse(
                "HistogramMethod::Ballots supports at most 256 bins of one channel, without weights; use Auto",
            );
        }
        HistogramMethod::Shared if wide_sums => {
            return refuse(
                "HistogramMethod::Shared does not support 64-bit sums of weights; use Global or Auto",
            );
        }
        method => method,
    };
    let one_pass = HistogramSizes { window: histogram.bins, passes: 1, copies: 1, ..shared };
    let sizes = match method {
        HistogramMethod::Global => HistogramSizes { counters: 1, ..one_pass },
        HistogramMethod::Ballots => HistogramSizes { counters: MAX_BY_BALLOTS, ..one_pass },
        _ => shared,
    };
    Ok(AddedHistogram { method, sizes })
}

/// Sizes of the passes that count in shared memory.
fn shared_sizes(policy: &Policy, histogram: &Histogram, code: &BinCode) -> HistogramSizes {
    let tuned = &policy.histogram;
    let (bins, channels) = (histogram.bins, histogram.layout.active_channels());
    let words = policy.facts.shared_memory.saturating_sub(SHARED_SLACK) / 4;
    let (splitters, table) = staged(histogram, code, words / 2);
    let left = (words.saturating_sub(table) / channels).max(2);
    let max_counters = rounded_down(left);
    let passes = bins.div_ceil(max_counters - 1);
    let window = bins.div_ceil(passes);
    let counters = rounded_up(window + 1).min(max_counters);
    let copies_words = (tuned.copies_bytes / 4).min(left * channels);
    let copies = tuned.copies.min(copies_words / (counters * channels)).max(1);

    let looks_up = code.range.as_ref().is_some_and(|range| range.search == Search::Lookup);
    let threads = if looks_up { tuned.lookup_threads } else { tuned.threads };
    let min_threads = u64::from(tuned.min_groups) * u64::from(tuned.threads);
    let min_groups = (min_threads / u64::from(threads.max(1))) as u32;
    let vectors = histogram.reads_vectors();
    let loads = if vectors { tuned.loads.max(1) } else { 0 };
    let samples = if vectors {
        loads * 16 / histogram.sample.bytes()
    } else {
        ELEMENTS * histogram.layout.channels
    };
    let tile = threads * samples / histogram.layout.channels;
    let words = (window + 1) * channels + table;
    let target_tiles = (SAMPLES_PER_WORD * words).div_ceil(tile).max(tuned.tiles);
    let rounds = if histogram.weight == Weight::F32 { FLOAT_ROUNDS } else { 1 };
    let max_tiles = policy.facts.max_samples / (samples * rounds);
    let tiles = target_tiles.min(max_tiles).max(1);
    HistogramSizes {
        threads,
        loads,
        copies,
        window,
        passes,
        tile,
        tiles,
        min_groups,
        splitters,
        counters,
    }
}

/// Returns the capacity for splitters in shared memory, and the total words of the table there. Kernels read the
/// number of splitters from the push constants.
fn staged(histogram: &Histogram, code: &BinCode, max_words: u32) -> (u32, u32) {
    let Some(range) = &code.range else { return (1, 2) };
    let cells = range.cells + 1;
    let words = histogram.sample.bytes().div_ceil(4);
    let max_splitters = max_words.saturating_sub(cells) / words;
    match range.search {
        Search::Registers => (range.splitters, cells + 2),
        _ if range.splitters <= max_splitters => {
            let capacity = rounded_up(range.splitters).min(max_splitters).max(1);
            (capacity, cells + capacity * words)
        }
        _ => (1, cells + 2),
    }
}

/// Rounds up to one of a few sizes, so that a few pipelines serve all numbers of bins.
fn rounded_up(counters: u32) -> u32 {
    if counters <= 512 {
        counters.next_power_of_two().max(64)
    } else {
        counters.next_multiple_of(1024)
    }
}

/// Rounds down to a number of counters that fits in `words` words. Large numbers are multiples of 1,024, as in
/// `rounded_up`.
fn rounded_down(words: u32) -> u32 {
    if words >= 1024 { words / 1024 * 1024 } else { words }
}
