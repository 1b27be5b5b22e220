//! Data of a histogram drawing, and its bars.

/// Data and options of a histogram drawing.
#[derive(Clone, Debug)]
pub struct HistogramPlot<'p> {
    /// Title of the drawing.
    pub title: &'p str,
    /// Label of the sample axis.
    pub x_label: Option<&'p str>,
    /// One height per bin.
    pub heights: &'p [f64],
    /// Ascending edges: one more than the number of bins. Infinite edges are drawn near the others, and
    /// marked.
    pub edges: &'p [f64],
    /// Number of samples outside all bins, shown below the title.
    pub out_of_range: u64,
    /// Whether heights are sums of weights instead of counts.
    pub weighted: bool,
    /// Whether heights are drawn on a logarithmic scale.
    pub log: bool,
    /// Whether heights are divided by the widths of the bins.
    pub density: bool,
    /// Whether the sample axis is logarithmic. It also is if bin widths are very uneven.
    pub log_axis: bool,
}

/// Width in pixels.
pub const WIDTH: f64 = 860.0;
/// If the widest bin is this many times as wide as the narrowest and all edges are positive, the axis is
/// logarithmic, so that the narrow bins are visible.
const UNEVEN: f64 = 50.0;
/// Approximate width of the labels on each side of the plot.
const LABELS: f64 = 64.0;

impl HistogramPlot<'_> {
    /// Label of the vertical axis.
    pub fn y_label(&self) -> &'static str {
        match (self.weighted, self.density) {
            (false, false) => "samples per bin",
            (false, true) => "samples per unit",
            (true, false) => "weight per bin",
            (true, true) => "weight per unit",
        }
    }
}

/// A bar, in the units of the axes.
pub struct Bar {
    pub from: f64,
    pub to: f64,
    pub height: f64,
    /// Height of the largest bin, if several share the bar.
    pub peak: f64,
    /// Sum of the counts.
    pub count: f64,
}

/// The bars, and the range of the horizontal axis.
pub struct Bars {
    pub all: Vec<Bar>,
    pub lo: f64,
    pub hi: f64,
    /// The largest height.
    pub top: f64,
    /// Whether the axis of the samples is logarithmic.
    pub log_axis: bool,
    pub merged: usize,
}

impl Bars {
    /// The bars of `plot`.
    pub fn new(plot: &HistogramPlot<'_>) -> Self {
        let log_axis = is_logarithmic(plot);
        let edges = finite(plot.edges, log_axis);
        let (lo, hi) = (edges[0], edges[edges.len() - 1]);
        let pixels = (WIDTH - 2.0 * LABELS) as usize;
        let merged = plot.heights.len().div_ceil(pixels).max(1);
        // Use the original edges: a bin with an infinite edge has no density.
        let height = |bin: usize| match plot.edges[bin + 1] - plot.edges[bin] {
            _ if !plot.density => plot.heights[bin],
            width if width > 0.0 => plot.heights[bin] / width,
            _ => 0.0,
        };
        let bar = |index: usize| {
            let bins = index * merged..((index + 1) * merged).min(plot.heights.len());
            let count: f64 = plot.heights[bins.clone()].iter().sum();
            let heights = bins.clone().map(height);
            Bar {
                from: edges[bins.start],
                to: edges[bins.end],
                height: heights.clone().sum::<f64>() / bins.len() as f64,
                peak: heights.fold(0.0, f64::max),
                count,
            }
        };
        let all: Vec<Bar> = (0..plot.heights.len().div_ceil(merged)).map(bar).collect();
        let top = all.iter().fold(0.0f64, |top, bar| top.max(bar.peak));
        let top = if plot.density && top > 0.0 { top } else { top.max(1.0) };
        Self { all, lo, hi, top, log_axis, merged }
    }
}

fn is_logarithmic(plot: &HistogramPlot<'_>) -> bool {
    let inside: Vec<f64> = plot.edges.iter().copied().filter(|edge| edge.is_finite()).collect();
    let positive = inside.first().is_some_and(|&first| first > 0.0) && inside.len() > 1;
    let widths = inside.windows(2).map(|pair| pair[1] - pair[0]).filter(|&width| width > 0.0);
    let (min, max) =
        widths.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), w| (a.min(w), b.max(w)));
    positive && (plot.log_axis || max > UNEVEN * min)
}

/// Replaces infinite edges by finite ones nearby, and widens an empty range.
fn finite(edges: &[f64], log_axis: bool) -> Vec<f64> {
    let mut edges = edges.to_vec();
    let last = edges.len() - 1;
    let inside: Vec<f64> = edges.iter().copied().filter(|edge| edge.is_finite()).collect();
    let (first, end) = match (inside.first(), inside.last()) {
        (Some(&first), Some(&end)) => (first, end),
        _ => (0.0, 0.0),
    };
    // A tenth of the axis.
    let (below, above) = match (end > first, log_axis) {
        (true, true) => {
            let factor = (end / first).powf(0.1);
            (first / factor, end * factor)
        }
        (true, false) => (first - (end - first) / 10.0, end + (end - first) / 10.0),
        (false, _) => (first - 1.0, end + 1.0),
    };
    if edges[0].is_infinite() || first == end {
        edges[0] = below;
    }
    if edges[last].is_infinite() || first == end {
        edges[last] = above;
    }
    edges
}
