//! Passes of a histogram: clear the counts, then count each piece of the samples once per window of bins.

use multisplit_graph::{Buffer, Graph, Groups, View};
use multisplit_shaders::{PushConstants, builtin};

use super::bins::{BinCode, Search, TABLE, check_bins};
use super::description::{
    AddedHistogram, Bins, Histogram, HistogramBuffers, HistogramMethod, HistogramSizes, Weight,
    mismatch,
};
use super::layout::reject;
use super::method::choose;
use super::pieces::{Piece, pieces};
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::scan::exclusive_sum;
use crate::operations::shared::{
    Count, WORD, around, begin, builtin_pass, check_size, edge_table, fill, push_words, start_pass,
};
use crate::policy::Policy;

/// Maximum number of workgroups per dispatch: the limit in x that every Vulkan device supports.
const MAX_GROUPS: u32 = 65_535;

/// Adds the passes of a histogram to the graph.
pub fn histogram<S>(
    graph: &mut Graph,
    policy: &Policy,
    bins: &Bins<S>,
    buffers: &HistogramBuffers,
) -> Result<AddedHistogram> {
    let sample = KeyType::sample_of("samples", buffers.samples)?;
    let (weight, wide) = buffers.weight()?;
    let histogram = &Histogram { weight, wide, ..bins.histogram().clone() };
    if sample != histogram.sample {
        return Err(mismatch("samples", sample.to_string(), &histogram.sample.to_string()));
    }
    begin(graph, policy)?;
    policy.histogram.check_on(&policy.facts)?;
    histogram.layout.check(sample)?;
    let elements = histogram.layout.elements(sample, buffers.samples.size());
    let n = buffers.n.unwrap_or(Count::Host(elements));
    check(histogram, buffers)?;
    let code = BinCode::new(histogram, policy)?;
    let pieces = pieces(policy, histogram, n, buffers)?;
    let added = choose(policy, histogram, &code, n.max())?;
    let AddedHistogram { method, sizes } = added;
    tracing::debug!(?method, ?sizes, ?n, m = histogram.bins, "histogram");
    let device_count = match n {
        Count::Host(_) => None,
        Count::Device { buffer, index, .. } => Some(around(buffer, index)),
    };
    let passes = HistogramPasses { policy, histogram, buffers, code, method, sizes, device_count };
    passes.clear(graph)?;
    passes.count(graph, &pieces)?;
    if let Some(cumulative) = buffers.cumulative {
        exclusive_sum(graph, policy, buffers.counts, cumulative, u64::from(histogram.bins))?;
    }
    Ok(added)
}

fn check(histogram: &Histogram, buffers: &HistogramBuffers) -> Result<()> {
    check_bins(histogram)?;
    let channels = u64::from(histogram.layout.active_channels());
    let plain = channels == 1 && !histogram.wide && histogram.weight != Weight::F32;
    if buffers.cumulative.is_some() && !plain {
        return reject(
            histogram.sample,
            "cumulative counts are supported only for one channel and 32-bit integer counts",
        );
    }
    let m = u64::from(histogram.bins);
    let count = WORD * histogram.count_words();
    let outputs = [
        ("counts", Some(buffers.counts), m * channels * count),
        ("out_of_range", buffers.out_of_range, channels * count),
        ("cumulative", buffers.cumulative, m * WORD),
    ];
    for (name, buffer, needed) in outputs {
        buffer.map_or(Ok(()), |buffer| check_size(name, buffer, needed))?;
    }
    Ok(())
}

/// Parameters of the passes of one histogram.
struct HistogramPasses<'j> {
    policy: &'j Policy,
    histogram: &'j Histogram,
    buffers: &'j HistogramBuffers,
    code: BinCode,
    method: HistogramMethod,
    sizes: HistogramSizes,
    /// Buffer range that contains the device count, and the index of the count in this range. `None` for a host count.
    device_count: Option<(View, u32)>,
}

impl HistogramPasses<'_> {
    /// Clears the outputs, unless the histogram accumulates.
    fn clear(&self, graph: &mut Graph) -> Result<()> {
        if self.histogram.accumulate {
            return Ok(());
        }
        fill(graph, self.policy, "histogram.clear", self.counts(), 0)?;
        if let Some(out_of_range) = self.out_of_range() {
            fill(graph, self.policy, "histogram.clear.out_of_range", out_of_range, 0)?;
        }
        Ok(())
    }

    /// Counts every piece once per window of bins.
    fn count(&self, graph: &mut Graph, pieces: &[Piece]) -> Result<()> {
        if pieces.is_empty() {
            return Ok(());
        }
        let table = match &self.code.range {
            Some(range) => Some(edge_table(graph, TABLE, &range.table, self.histogram.settable)?),
            None => self.code.user_table(graph),
        };
        let requested = self.out_of_range();
        let out_of_range = requested.unwrap_or_else(|| {
            graph.transient::<u32>("histogram.out_of_range", self.channel_words()).into()
        });
        let kernel = self.code.kernel(self.histogram.sample)?;
        let constants = self.constants();
        for piece in pieces {
            let samples = piece.samples;
            let (elements, index) = self.device_count.unwrap_or((samples, 0));
            let arguments = self.arguments(graph, piece)?;
            for pass in 0..self.sizes.passes {
                let pass = start_pass(graph, "histogram.count", &kernel, &constants)
                    .bind("samples", samples)
                    .bind("table", table.map_or(samples, View::from))
                    .bind("weights", piece.weights.unwrap_or(samples))
                    .bind("elements", elements)
                    .bind("counts", self.counts())
                    .push(&self.push(piece, pass * self.sizes.window, index));
                // If the caller did not request this count, no later pass reads it.
                let pass = match requested {
                    Some(_) => pass.bind("out_of_range", out_of_range),
                    None => pass.scratch("out_of_range", out_of_range),
                };
                match arguments {
                    Some(arguments) => pass.dispatch_indirect(arguments),
                    None => pass.dispatch(Groups::linear(self.groups(piece.count).into())),
                };
            }
        }
        Ok(())
    }

    /// For a device count, adds the pass that computes the workgroup counts of an indirect dispatch over this piece.
    fn arguments(&self, graph: &mut Graph, piece: &Piece) -> Result<Option<Buffer>> {
        let Some((elements, index)) = self.device_count else { return Ok(None) };
        let arguments = graph.transient::<u32>("histogram.arguments", 3);
        builtin_pass(graph, &builtin::HISTOGRAM_ARGUMENTS, &[])?
            .bind("elements", elements)
            .bind("arguments", arguments)
            .push(&push_words! {
                index,
                count: piece.count,
                piece_start: piece.start,
                tile: self.sizes.tile,
                tiles: self.sizes.tiles,
                min_groups: self.sizes.min_groups,
                max_groups: MAX_GROUPS,
            })
            .dispatch(Groups::linear(1));
        Ok(Some(arguments))
    }

    /// Push constants of the counting kernel.
    fn push(&self, piece: &Piece, first_bin: u32, index: u32) -> impl PushConstants {
        let [origin, [min_low, min_high], [span_low, span_high], [scale_low, scale_high]] =
            self.code.halves();
        let [origin_low, origin_high] = origin;
        let [parameter_0, parameter_1, parameter_2] = self.code.parameters;
        push_words! {
            index,
            count: piece.count,
            piece_start: piece.start,
            bins: self.histogram.bins,
            first_bin,
            window: self.sizes.window.min(self.histogram.bins - first_bin),
            stride: self.histogram.layout.stride(self.histogram.sample),
            first_byte: piece.first_byte,
            origin_low, origin_high, min_low, min_high, span_low, span_high, scale_low, scale_high,
            bits: self.code.bits(),
            parameter_0, parameter_1, parameter_2,
        }
    }

    fn constants(&self) -> [(&'static str, u32); 23] {
        let Self { histogram, sizes, code, .. } = self;
        let ballots = self.method == HistogramMethod::Ballots;
        let shared = self.method == HistogramMethod::Shared;
        let method = match self.method {
            HistogramMethod::Ballots => 1,
            HistogramMethod::Global => 2,
            HistogramMethod::Auto | HistogramMethod::Shared => 0,
        };
        let bits = histogram.bins.next_power_of_two().trailing_zeros().max(1);
        let whole = shared && sizes.passes == 1 && histogram.weight == Weight::None;
        let range = code.range.as_ref();
        [
            ("local_size_x", sizes.threads),
            ("SUBGROUP_SIZE", self.policy.facts.subgroup_size),
            ("BUCKET_BITS", if ballots { bits } else { 1 }),
            ("METHOD", method),
            ("BIN_KIND", code.kind),
            ("SAMPLE_KIND", histogram.sample.kind()),
            ("SAMPLE_BYTES", histogram.sample.bytes()),
            ("CHANNELS", histogram.layout.channels),
            ("ACTIVE", histogram.layout.active),
            ("PACKED", u32::from(sizes.loads > 0)),
            ("LOADS", sizes.loads.max(1)),
            ("ROOM", sizes.counters),
            ("COPIES", sizes.copies),
            ("WEIGHT", histogram.weight as u32),
            ("WIDE", u32::from(histogram.wide)),
            ("COUNT_ON_DEVICE", u32::from(self.device_count.is_some())),
            ("SEARCH", range.map_or(Search::Binary, |range| range.search) as u32),
            ("CELLS", range.map_or(1, |range| range.cells)),
            ("SPLITTERS", sizes.splitters),
            ("AFFINE", u32::from(range.is_some_and(|range| range.affine))),
            ("CLOSED", u32::from(histogram.closed)),
            ("WHOLE", u32::from(whole)),
            ("EXACT", u32::from(sizes.exact)),
        ]
    }

    /// Number of workgroups for `count` elements. Must match the computation in `arguments.comp`.
    fn groups(&self, count: u32) -> u32 {
        let tiles = count.div_ceil(self.sizes.tile);
        let min_groups = tiles.min(self.sizes.min_groups);
        tiles.div_ceil(self.sizes.tiles).max(min_groups).min(MAX_GROUPS)
    }

    /// Number of words for one count of every counted channel.
    fn channel_words(&self) -> u64 {
        u64::from(self.histogram.layout.active_channels()) * self.histogram.count_words()
    }

    fn out_of_range(&self) -> Option<View> {
        self.buffers.out_of_range.map(|counts| counts.range(0, self.channel_words() * WORD))
    }

    fn counts(&self) -> View {
        let words = self.channel_words() * u64::from(self.histogram.bins);
        self.buffers.counts.range(0, words * WORD)
    }
}
