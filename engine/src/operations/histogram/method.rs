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
/// Desired minimum of samples per workgroup, for each word that it loads or stores besides samples. These words are
/// its tables, loaded at the start, and its counters, added to the output at the end.
const SAMPLES_PER_WORD: u32 = 32;
/// Loop iterations assumed for adding an `f32` to shared memory. The addition is a compare-and-swap loop, which
/// repeats if lanes of a subgroup add to the same bin.
const FLOAT_ROUNDS: u32 = 8;
/// At or above this number of counters per channel, workgroups are large, so that more threads share one copy of the
/// counters. Samples of even float bins are then compared with the exact edges at once. With 1,024 bins, both are
/// faster on an H200.
const MANY_COUNTERS: u32 = 512;
/// Maximum margin of even float bins, in bins, for which only samples near an edge are compared with the exact edge,
/// in a second step. With a larger margin, more than one of 2,048 samples would need this step, and the other lanes of
/// its subgroup would wait for it. 512 bins of `f32` have about this margin.
const MAX_POSTPONED_MARGIN: f32 = 1.0 / 4096.0;
/// Below this number of samples per bin, a histogram may take only half of `max_passes`: clearing the counters and
/// adding them to the output takes a large part of the time of a pass.
const MIN_SAMPLES_PER_BIN: u64 = 512;

/// Chooses the method and the sizes for at most `n` elements.
pub(super) fn choose(
    policy: &Policy,
    histogram: &Histogram,
    code: &BinCode,
    n: u64,
) -> Result<AddedHistogram> {
    let tuned = &policy.histogram;
    let ballots_apply = histogram.bins <= MAX_BY_BALLOTS
        && histogram.layout.active_channels() == 1
        && histogram.weight == Weight::None;
    let windows = Windows::new(policy, histogram, code);
    let max_passes = match n < MIN_SAMPLES_PER_BIN * u64::from(histogram.bins) {
        true => tuned.max_passes.div_ceil(2),
        false => tuned.max_passes,
    };
    // The kernel has no 64-bit counters for sums of weights in shared memory.
    let wide_sums = histogram.wide && histogram.weight == Weight::U32;
    let refuse = |problem| Err(Error::Method { problem });
    let method = match histogram.method {
        HistogramMethod::Auto if ballots_apply && histogram.bins <= tuned.max_bins_by_ballots => {
            HistogramMethod::Ballots
        }
        HistogramMethod::Auto if wide_sums || windows.passes > max_passes => {
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
    Ok(AddedHistogram { method, sizes: sizes(policy, histogram, code, method, &windows) })
}

/// Windows of bins that are counted in shared memory, one per pass.
struct Windows {
    /// Number of bins per window.
    window: u32,
    passes: u32,
    /// Number of counters per channel.
    counters: u32,
    copies: u32,
    /// Capacity for splitters.
    splitters: u32,
    /// Number of words of the lookup table, including the splitters.
    table: u32,
}

impl Windows {
    fn new(policy: &Policy, histogram: &Histogram, code: &BinCode) -> Self {
        let tuned = &policy.histogram;
        let (bins, channels) = (histogram.bins, histogram.layout.active_channels());
        let words = policy.facts.shared_memory.saturating_sub(SHARED_SLACK) / 4;
        let (splitters, table) = shared_table(histogram, code, words / 2);
        let left = (words.saturating_sub(table) / channels).max(2);
        let max_counters = rounded_down(left);
        let passes = bins.div_ceil(max_counters - 1);
        let window = bins.div_ceil(passes);
        let counters = rounded_up(window + 1).min(max_counters);
        let copies_words = (tuned.copies_bytes / 4).min(left * channels);
        let copies = tuned.copies.min(copies_words / (counters * channels)).max(1);
        Self { window, passes, counters, copies, splitters, table }
    }

    /// Whether a workgroup has many counters: one per bin of the window, and one for samples out of range.
    fn are_large(&self) -> bool {
        self.window + 1 >= MANY_COUNTERS
    }
}

fn sizes(
    policy: &Policy,
    histogram: &Histogram,
    code: &BinCode,
    method: HistogramMethod,
    windows: &Windows,
) -> HistogramSizes {
    let tuned = &policy.histogram;
    let (bins, channels) = (histogram.bins, histogram.layout.active_channels());
    let (window, passes, copies, counters) = match method {
        HistogramMethod::Global => (bins, 1, 1, 1),
        HistogramMethod::Ballots => (bins, 1, 1, MAX_BY_BALLOTS),
        _ => (windows.window, windows.passes, windows.copies, windows.counters),
    };
    let has_many_counters = method == HistogramMethod::Shared && windows.are_large();
    let looks_up = code.range.as_ref().is_some_and(|range| range.search == Search::Lookup);
    let threads = if looks_up || has_many_counters { tuned.table_threads } else { tuned.threads };
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
    let words = (windows.window + 1) * channels + windows.table;
    let target_tiles = (SAMPLES_PER_WORD * words).div_ceil(tile).max(tuned.tiles);
    let rounds = if histogram.weight == Weight::F32 { FLOAT_ROUNDS } else { 1 };
    let max_tiles = policy.facts.max_samples / (samples * rounds);
    let tiles = target_tiles.min(max_tiles).max(1);
    let at_once = has_many_counters || method == HistogramMethod::Global;
    // The margin of settable edges is not known.
    let at_once = at_once || histogram.settable;
    let exact = code.margin().is_some_and(|margin| at_once || margin > MAX_POSTPONED_MARGIN);
    HistogramSizes {
        threads,
        loads,
        copies,
        window,
        passes,
        tile,
        tiles,
        min_groups,
        splitters: windows.splitters,
        counters,
        exact,
    }
}

/// Returns the capacity for splitters in shared memory or registers, and the total words of the lookup table in shared
/// memory. Kernels with splitters in shared memory derive their number from the push constants.
fn shared_table(histogram: &Histogram, code: &BinCode, max_words: u32) -> (u32, u32) {
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
