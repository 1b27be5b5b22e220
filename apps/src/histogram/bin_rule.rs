//! Bins for samples of one type: as given on the command line, as passed to the device, and as edges.

use anyhow::{Context as _, Result, bail};
use multisplit::Bins;
use multisplit::operations::histogram::MAX_BINS;

use crate::edges::{self, Edge};
use crate::formats::Array;
use crate::glsl_file::GlslFile;
use crate::number::{Number, edges_of};

/// Bins as requested on the command line.
pub struct HistogramRequest<'w> {
    /// Number of bins; ignored for splitters.
    pub bins: u32,
    pub function: Function<'w>,
    /// Whether the last bin includes its upper edge.
    pub closed: bool,
}

/// Function that maps samples to bins.
pub enum Function<'w> {
    /// Bins of equal width over the given range, or from the smallest to the largest finite sample.
    Even(Option<(&'w str, &'w str)>),
    /// Bins whose edges have equal ratios, over the given range, or that of the positive finite samples.
    Logarithmic(Option<(&'w str, &'w str)>),
    /// Bins between adjacent numbers of this array, which may have another type than the samples.
    Splitters(&'w Array),
    /// The sample is the index of its bin.
    Identity,
    /// The user's function `uint bucket_of(K sample)`.
    Glsl(&'w GlslFile),
}

/// Bins for samples of type `N`.
pub struct BinRule<'b, N> {
    /// Bin edges: one more than the number of bins.
    pub edges: Vec<Edge>,
    kind: Kind<'b>,
    /// The upper edge of the last bin, if that bin includes it and the sample type can represent
    /// it.
    pub last: Option<N>,
}

enum Kind<'b> {
    Even,
    Range,
    Identity,
    Glsl(&'b GlslFile),
}

impl<'b, N: Number> BinRule<'b, N> {
    /// Creates the bins. `ends` is the result of [`HistogramRequest::ends`]; required if the range is automatic.
    pub fn new(request: &HistogramRequest<'b>, ends: Option<(N, N)>) -> Result<Self> {
        let m = request.bins;
        if m > MAX_BINS {
            bail!("--bins {m} is more than {MAX_BINS}, the maximum");
        }
        let (edges, kind, closed) = match request.function {
            Function::Even(range) => {
                let (lo, hi, closed) = range_of(range, ends)?;
                (N::even_edges(lo, hi, m), Kind::Even, closed)
            }
            Function::Logarithmic(range) => {
                let (lo, hi, closed) = range_of(range, ends)?;
                if let (None, Some((only, _)), true) = (range, ends, lo.value() <= 0.0) {
                    let only = only.edge();
                    bail!(
                        "--log: all positive samples are {only}, so there is no range; give --range"
                    );
                }
                if lo.value() <= 0.0 {
                    bail!("--log: the range must begin above 0, but it begins at {lo}");
                }
                if !hi.value().is_finite() {
                    bail!("--log: the range must be finite, but it ends at {hi}");
                }
                (edges::logarithmic(lo, hi, m, N::rounded), Kind::Range, closed)
            }
            Function::Splitters(array) => (splitters(array)?, Kind::Range, false),
            Function::Identity => (numbered(m), Kind::Identity, false),
            Function::Glsl(file) => (numbered(m), Kind::Glsl(file), false),
        };
        let closed = (request.closed || closed) && matches!(kind, Kind::Even | Kind::Range);
        let last = edges.last().filter(|_| closed).and_then(|&hi| N::exactly(hi));
        Ok(Self { edges, kind, last })
    }

    /// Returns the bins to count on the device. Omits bins above the largest number of the type, because they are
    /// empty.
    pub fn device_bins(&self) -> Result<Bins<N::Device>> {
        let m = (self.edges.len() - 1) as u32;
        let (first, last) = (self.edges[0], self.edges[self.edges.len() - 1]);
        let bins = match (&self.kind, N::exactly(first), N::exactly(last)) {
            (Kind::Identity, ..) => Bins::identity(m),
            (Kind::Glsl(file), ..) => Bins::glsl(m, file.function()),
            (Kind::Even, Some(lo), Some(hi)) => Bins::even(lo.on_device()..hi.on_device(), m),
            _ => {
                let known = self.edges.iter().map_while(|&edge| N::at_or_above(edge));
                let mut edges: Vec<N::Device> = known.map(N::on_device).collect();
                let largest = N::MAX.on_device();
                match edges.len() {
                    all if all == self.edges.len() => Bins::range(&edges),
                    // All bins are above the range of the type, so they are empty.
                    0 => Bins::range(&[largest, largest]),
                    // The bin that contains the type's largest number includes that number. All later bins
                    // are empty.
                    _ => {
                        edges.push(largest);
                        return Ok(Bins::range(&edges).closed());
                    }
                }
            }
        };
        Ok(if self.last.is_some() { bins.closed() } else { bins })
    }

    /// Two bins for the device: samples below the first edge, and all other samples except NaN. If the type has no
    /// number at or above that edge, the second bin is omitted.
    pub fn device_sides(&self) -> Bins<N::Device> {
        let (lowest, highest) = (N::MIN.on_device(), N::MAX.on_device());
        match N::at_or_above(self.edges[0]) {
            Some(first) => Bins::range(&[lowest, first.on_device(), highest]).closed(),
            None => Bins::range(&[lowest, highest]).closed(),
        }
    }

    /// The user's function, which only the device can evaluate.
    pub fn glsl(&self) -> Option<&GlslFile> {
        match self.kind {
            Kind::Glsl(file) => Some(file),
            _ => None,
        }
    }

    /// Adds the name of the user's GLSL file to an error, if the bins are defined by one.
    pub fn named(&self, error: anyhow::Error) -> anyhow::Error {
        match self.glsl() {
            Some(file) => file.named(error),
            None => error,
        }
    }

    /// Finds the bin of a sample by comparing it with the edges. `None` if it is outside all bins.
    pub fn bin(&self, sample: N) -> Option<usize> {
        let edge = sample.edge();
        if self.last == Some(sample) {
            return Some(self.edges.len() - 2);
        }
        let inside = self.edges.last().is_some_and(|last| edge < *last);
        let at_or_below = self.edges.partition_point(|splitter| *splitter <= edge);
        if inside { at_or_below.checked_sub(1) } else { None }
    }
}

/// The edges of m bins that contain one number each, from 0 to m - 1.
fn numbered(m: u32) -> Vec<Edge> {
    (0..=i128::from(m)).map(Edge::Whole).collect()
}

impl HistogramRequest<'_> {
    /// Whether the range is determined by the samples.
    pub fn is_automatic(&self) -> bool {
        matches!(self.function, Function::Even(None) | Function::Logarithmic(None))
    }

    /// The smallest and the largest finite sample. For logarithmic bins, only positive samples count. `None` if no
    /// sample qualifies.
    pub fn ends<N: Number>(&self, samples: &[N]) -> Option<(N, N)> {
        let positive = matches!(self.function, Function::Logarithmic(_));
        let is_candidate = |sample: &N| sample.is_finite() && (!positive || *sample > N::zeroed());
        let ends = samples.iter().copied().filter(is_candidate).map(|sample| (sample, sample));
        ends.reduce(union)
    }
}

pub fn union<N: Number>((lo, hi): (N, N), (a, b): (N, N)) -> (N, N) {
    (if a < lo { a } else { lo }, if b > hi { b } else { hi })
}

/// Returns the ends of the range, as requested or from the samples, and whether the last bin includes the upper end.
fn range_of<N: Number>(
    asked: Option<(&str, &str)>,
    ends: Option<(N, N)>,
) -> Result<(Edge, Edge, bool)> {
    if let Some((lo, hi)) = asked {
        let edge = |text: &str| {
            let edge = N::parse_edge(text);
            edge.with_context(|| {
                format!("--range: `{text}` is not a number (for integer samples: an integer from -2^64 to 2^64)")
            })
        };
        let (lo, hi) = (edge(lo)?, edge(hi)?);
        if lo >= hi {
            bail!("--range {lo} {hi} is empty; LO must be less than HI");
        }
        if !lo.value().is_finite() || !hi.value().is_finite() {
            bail!("--range {lo} {hi} must be finite");
        }
        return Ok((lo, hi, false));
    }
    let ends = ends.map(|(lo, hi)| (lo.edge(), hi.edge()));
    let (lo, hi) = ends.context(
        "no sample can determine the range (only finite samples count, and with --log only positive ones); give --range",
    )?;
    if lo < hi {
        return Ok((lo, hi, true));
    }
    // All samples that count are equal. Like NumPy, extend the range by 0.5 on both sides; for integers, by 1 at the
    // upper end.
    Ok(match lo {
        Edge::Whole(only) => (lo, Edge::Whole(only + 1), false),
        Edge::Real(only) => (Edge::Real(only - 0.5), Edge::Real(only + 0.5), true),
    })
}

fn splitters(array: &Array) -> Result<Vec<Edge>> {
    let edges = edges_of(array)?;
    let (n, max) = (edges.len(), MAX_BINS as usize + 1);
    if n < 2 {
        bail!("--splitters has {n} numbers, but a histogram needs at least 2");
    }
    if n > max {
        bail!("--splitters has {n} numbers, but at most {max} are supported");
    }
    if edges.iter().any(|edge| edge.value().is_nan()) || !edges.is_sorted() {
        bail!("the numbers of --splitters must be sorted in ascending order, without NaN");
    }
    Ok(edges)
}

#[cfg(test)]
mod tests {
    use super::{BinRule, Function, HistogramRequest};

    fn rule<N: super::Number>(
        bins: u32,
        range: Option<(&str, &str)>,
        samples: &[N],
    ) -> Vec<Option<usize>> {
        let request = HistogramRequest { bins, function: Function::Even(range), closed: false };
        let rule = BinRule::<N>::new(&request, request.ends(samples)).expect("the bins are valid");
        samples.iter().map(|&sample| rule.bin(sample)).collect()
    }

    #[test]
    fn bins_include_their_lower_edge() {
        let found = rule(2, Some(("5", "9")), &[4u8, 5, 6, 7, 8, 9]);
        assert_eq!(found, [None, Some(0), Some(0), Some(1), Some(1), None]);
        assert_eq!(rule(4, Some(("0", "1")), &[f32::NAN, 0.25]), [None, Some(1)]);
        assert_eq!(rule(20, Some(("-10", "10")), &[-1i64]), [Some(9)]);
        assert_eq!(rule(100, Some(("0", "1")), &[0.29f64]), [Some(29)]);
        // The ranges exceed the type.
        assert_eq!(rule(2, Some(("-10", "1000")), &[0u8, 255]), [Some(0), Some(0)]);
        assert_eq!(rule(2, Some(("-10", "20")), &[4u64, 5, 20]), [Some(0), Some(1), None]);
    }

    #[test]
    fn largest_number_of_the_type_can_be_in_a_bin() {
        assert_eq!(rule(256, Some(("0", "256")), &[0u8, 255]), [Some(0), Some(255)]);
        assert_eq!(rule(1, Some(("0", "2^64")), &[u64::MAX]), [Some(0)]);
        // Empty bins above the largest number do not receive it.
        assert_eq!(rule(3, None, &[255u8, 255]), [Some(0), Some(0)]);
        assert_eq!(rule(512, Some(("0", "256")), &[255u8]), [Some(510)]);
        // An automatic range includes all finite samples.
        assert_eq!(rule(2, None, &[1u8, 2, 255]), [Some(0), Some(0), Some(1)]);
        assert_eq!(rule(2, None, &[7.0f64, 7.0]), [Some(1), Some(1)]);
        assert_eq!(rule(3, None, &[-1.0f32, f32::INFINITY, 1.0]), [Some(0), None, Some(2)]);
    }

    #[test]
    fn invalid_bins_are_rejected() {
        let refused = |bins, function| {
            let request = HistogramRequest { bins, function, closed: false };
            BinRule::<u32>::new(&request, None).is_err()
        };
        assert!(refused(u32::MAX, Function::Identity));
        assert!(refused(2, Function::Even(None)));
        assert!(refused(2, Function::Even(Some(("3", "3")))));
        assert!(refused(2, Function::Even(Some(("0", "2^65")))));
        assert!(refused(2, Function::Logarithmic(Some(("0", "8")))));
    }
}
