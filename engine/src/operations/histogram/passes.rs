//! The passes of a histogram: clear the counts, then count each piece of the samples once per window of bins.

use multisplit_graph::{Buffer, Graph, Groups, View};
use multisplit_shaders::{builtin, push_constants};

use super::bins::{BinCode, Search};
use super::layout::Piece;
use super::{Counted, Histogram, HistogramMethod, HistogramSizes, WORD, Weight};
use crate::error::Result;
use crate::execute::own_pass::OwnPasses;
use crate::operations::shared::specialize::specialize;
use crate::operations::{Count, fill};
use crate::policy::Policy;

push_constants! {
    struct CountPush {
        index: u32,
        count: u32,
        piece_start: u32,
        bins: u32,
        first_bin: u32,
        window: u32,
        stride: u32,
        first_byte: u32,
        origin_low: u32,
        origin_high: u32,
        min_low: u32,
        min_high: u32,
        span_low: u32,
        span_high: u32,
        scale_low: u32,
        scale_high: u32,
        bits: u32,
        parameter_0: u32,
        parameter_1: u32,
        parameter_2: u32,
    }
}

push_constants! {
    struct ArgumentsPush {
        index: u32,
        count: u32,
        piece_start: u32,
        tile: u32,
        tiles: u32,
        min_groups: u32,
        max_groups: u32,
    }
}

/// Workgroups in x that every device supports.
const MAX_GROUPS: u32 = 65_535;
/// Maximum offset alignment that Vulkan allows a device to require.
const ALIGNMENT: u64 = 256;

/// State for adding the passes of one histogram.
pub(super) struct HistogramPasses<'j> {
    pub graph: &'j mut Graph,
    pub policy: &'j Policy,
    pub histogram: &'j Histogram,
    pub buffers: &'j Counted,
    pub code: BinCode,
    pub method: HistogramMethod,
    pub sizes: HistogramSizes,
}

impl HistogramPasses<'_> {
    /// Clears the outputs, unless the histogram accumulates.
    pub fn clear(&mut self) -> Result<()> {
        if self.histogram.accumulate {
            return Ok(());
        }
        fill(self.graph, self.policy, "histogram.clear", self.counts(), 0)?;
        if let Some(out_of_range) = self.buffers.out_of_range {
            let view = self.out_of_range(out_of_range);
            fill(self.graph, self.policy, "histogram.clear.out_of_range", view, 0)?;
        }
        Ok(())
    }

    /// Counts every piece once per window of bins.
    pub fn count(&mut self, pieces: &[Piece]) -> Result<()> {
        if pieces.is_empty() {
            return Ok(());
        }
        let range = self.code.range.as_ref();
        let table = range.map(|range| self.graph.constant("histogram.table", &range.table));
        let table = table.or_else(|| self.code.user_table(self.graph));
        let unused = match self.buffers.out_of_range {
            Some(_) => None,
            None => {
                let words = self.channels() * self.histogram.count_words();
                Some(self.graph.transient::<u32>("histogram.out_of_range", words))
            }
        };
        for piece in pieces {
            let arguments = match self.buffers.n {
                Count::Host(_) => None,
                Count::Device { buffer, index, .. } => Some(self.arguments(buffer, index, piece)?),
            };
            for pass in 0..self.sizes.passes {
                self.count_piece(piece, pass * self.sizes.window, table, unused, arguments)?;
            }
        }
        Ok(())
    }

    /// Adds the pass that computes the number of workgroups for a piece from a device count.
    fn arguments(&mut self, buffer: Buffer, index: u64, piece: &Piece) -> Result<Buffer> {
        let (around, index) = word(buffer, index);
        let arguments = self.graph.transient::<u32>("histogram.arguments", 3);
        self.graph
            .own_pass("histogram.arguments", &builtin::HISTOGRAM_ARGUMENTS.kernel()?)
            .bind("elements", around)
            .bind("arguments", arguments)
            .push(&ArgumentsPush {
                index,
                count: piece.count,
                piece_start: piece.start,
                tile: self.sizes.tile,
                tiles: self.sizes.tiles,
                min_groups: self.sizes.min_groups,
                max_groups: MAX_GROUPS,
            })
            .dispatch(Groups::linear(1));
        Ok(arguments)
    }

    fn count_piece(
        &mut self,
        piece: &Piece,
        first_bin: u32,
        table: Option<Buffer>,
        unused: Option<Buffer>,
        arguments: Option<Buffer>,
    ) -> Result<()> {
        let kernel = self.code.kernel(self.histogram.sample)?;
        let samples = piece.samples;
        let table = table.map_or(samples, View::from);
        let (elements, index) = match self.buffers.n {
            Count::Host(_) => (samples, 0),
            Count::Device { buffer, index, .. } => word(buffer, index),
        };
        let (push, constants) = (self.push(piece, first_bin, index), self.constants());
        let counts = self.counts();
        let out_of_range = self.buffers.out_of_range.map(|buffer| self.out_of_range(buffer));
        let groups = self.groups(piece.count);
        let pass = self
            .graph
            .own_pass("histogram.count", &kernel)
            .bind("samples", samples)
            .bind("table", table)
            .bind("weights", piece.weights.unwrap_or(samples))
            .bind("elements", elements)
            .bind("counts", counts)
            .push(&push);
        let pass = specialize(pass, &kernel, &constants);
        // If the caller did not request the count, no pass reads it.
        let pass = match (out_of_range, unused) {
            (Some(wanted), _) => pass.bind("out_of_range", wanted),
            (None, Some(unused)) => pass.scratch("out_of_range", unused),
            (None, None) => pass,
        };
        match arguments {
            Some(arguments) => pass.dispatch_indirect(arguments),
            None => pass.dispatch(Groups::linear(groups.into())),
        };
        Ok(())
    }

    fn push(&self, piece: &Piece, first_bin: u32, index: u32) -> CountPush {
        let BinCode { origin, min, span, scale, shift, parameters, .. } = self.code;
        let format = self.code.range.as_ref().map(|range| range.format);
        let low = |value: u64| value as u32;
        let high = |value: u64| (value >> 32) as u32;
        CountPush {
            index,
            count: piece.count,
            piece_start: piece.start,
            bins: self.histogram.bins,
            first_bin,
            window: self.sizes.window.min(self.histogram.bins - first_bin),
            stride: self.histogram.layout.stride(self.histogram.sample),
            first_byte: piece.first_byte,
            origin_low: low(origin),
            origin_high: high(origin),
            min_low: low(min),
            min_high: high(min),
            span_low: low(span),
            span_high: high(span),
            scale_low: low(scale),
            scale_high: high(scale),
            // Each of the packed numbers is at most 63.
            bits: format.map_or(shift, |format| format.bits(shift)),
            parameter_0: parameters[0],
            parameter_1: parameters[1],
            parameter_2: parameters[2],
        }
    }

    fn constants(&self) -> [(&'static str, u32); 22] {
        let Self { histogram, sizes, code, .. } = self;
        let ballots = self.method == HistogramMethod::Ballots;
        let shared = self.method == HistogramMethod::Shared;
        let bits = histogram.bins.next_power_of_two().trailing_zeros().max(1);
        let whole = shared && sizes.passes == 1 && histogram.weight == Weight::None;
        let range = code.range.as_ref();
        [
            ("local_size_x", sizes.threads),
            ("SUBGROUP_SIZE", self.policy.facts.subgroup_size),
            ("BUCKET_BITS", if ballots { bits } else { 1 }),
            ("METHOD", method_code(self.method)),
            ("BIN_KIND", code.kind),
            ("SAMPLE_KIND", histogram.sample.kind()),
            ("SAMPLE_BYTES", histogram.sample.bytes()),
            ("CHANNELS", histogram.layout.channels),
            ("ACTIVE", histogram.layout.active),
            ("PACKED", u32::from(sizes.loads > 0)),
            ("LOADS", sizes.loads.max(1)),
            ("ROOM", sizes.counters),
            ("COPIES", sizes.copies),
            ("WEIGHT", weight_code(histogram.weight)),
            ("WIDE", u32::from(histogram.wide)),
            ("COUNT_ON_DEVICE", u32::from(matches!(self.buffers.n, Count::Device { .. }))),
            ("SEARCH", range.map_or(Search::Binary, |range| range.search) as u32),
            ("CELLS", range.map_or(1, |range| range.cells)),
            ("SPLITTERS", sizes.splitters),
            ("AFFINE", u32::from(range.is_some_and(|range| range.affine))),
            ("CLOSED", u32::from(histogram.closed)),
            ("WHOLE", u32::from(whole)),
        ]
    }

    /// Number of workgroups for `count` elements; must match `arguments.comp`.
    fn groups(&self, count: u32) -> u32 {
        let tiles = count.div_ceil(self.sizes.tile);
        let min_groups = tiles.min(self.sizes.min_groups);
        tiles.div_ceil(self.sizes.tiles).max(min_groups).min(MAX_GROUPS)
    }

    fn channels(&self) -> u64 {
        self.histogram.layout.active_channels().into()
    }

    fn counts(&self) -> View {
        let words = self.channels() * u64::from(self.histogram.bins) * self.histogram.count_words();
        self.buffers.counts.range(0, words * WORD)
    }

    fn out_of_range(&self, buffer: Buffer) -> View {
        buffer.range(0, self.channels() * self.histogram.count_words() * WORD)
    }
}

/// Value of the specialization constant METHOD.
fn method_code(method: HistogramMethod) -> u32 {
    match method {
        HistogramMethod::Ballots => 1,
        HistogramMethod::Global => 2,
        HistogramMethod::Auto | HistogramMethod::Shared => 0,
    }
}

/// Value of the specialization constant WEIGHT.
fn weight_code(weight: Weight) -> u32 {
    match weight {
        Weight::None => 0,
        Weight::U32 => 1,
        Weight::F32 => 2,
    }
}

/// Returns an aligned view that contains the word, and the index of the word in the view.
fn word(buffer: Buffer, index: u64) -> (View, u32) {
    let begin = index * WORD / ALIGNMENT * ALIGNMENT;
    let view = buffer.range(begin, ALIGNMENT.min(buffer.size() - begin));
    (view, (index - begin / WORD) as u32)
}
