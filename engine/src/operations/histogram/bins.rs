//! Bin functions, as callers describe them and as kernels receive them.

use std::sync::Arc;

use multisplit_graph::{Buffer, Graph};
use multisplit_shaders::Kernel;
use multisplit_shaders::builtin::{self, Builtin};

use super::Histogram;
use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::operations::shared::even_parts::{EvenFloats, ScaledParts};
use crate::operations::shared::lookup_table::{CellFormat, CellMap, Cells};
#[cfg(feature = "glsl")]
use crate::operations::split::Glsl;
use crate::policy::Policy;

/// A bin function in untyped form, with edges as the bits of samples. [`Bins`] is the typed form.
///
/// [`Bins`]: super::Bins
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Bin {
    /// m equal parts of [lo, hi), with the edges that [`Bins::even`](super::Bins::even) documents.
    Even {
        /// Lower edge of the first bin.
        lo: u64,
        /// Upper edge of the last bin.
        hi: u64,
    },
    /// m + 1 sorted splitters. Bin k contains the samples at or above splitter k and below splitter k + 1. The bin
    /// between two equal splitters is empty.
    Range(Vec<u64>),
    /// The sample itself is its bin.
    Identity,
    /// A user's GLSL function `uint bucket_of(K sample)`. K is the GLSL type of the samples: `uint`, `int`,
    /// `float`, `uint64_t`, `int64_t` or `double`. Samples with an id of m or more are out of range.
    #[cfg(feature = "glsl")]
    Glsl(Glsl),
}

/// Search for a range bin: values of the specialization constant SEARCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    Binary = 0,
    Lookup = 1,
    Registers = 2,
}

/// A bin function in the form that the kernels use.
pub(super) struct BinCode {
    pub kind: u32,
    pub origin: u64,
    pub min: u64,
    pub span: u64,
    pub scale: u64,
    pub shift: u32,
    pub parameters: [u32; 3],
    pub range: Option<RangeCode>,
    #[cfg(feature = "glsl")]
    user: Option<Glsl>,
}

/// Additional parameters of range bins.
pub(super) struct RangeCode {
    pub search: Search,
    /// Value of the specialization constant CELLS.
    pub cells: u32,
    pub affine: bool,
    pub format: CellFormat,
    /// Number of inner splitters, including padding.
    pub splitters: u32,
    /// Cells, then splitters.
    pub table: Vec<u32>,
}

const IDENTITY: u32 = 0;
const EVEN_FLOAT: u32 = 1;
const EVEN_INTEGER: u32 = 2;
const EVEN_SHIFT: u32 = 3;
const RANGE: u32 = 4;

impl BinCode {
    pub fn new(histogram: &Histogram, policy: &Policy) -> Result<Self> {
        let sample = histogram.sample;
        match &histogram.function {
            Bin::Identity if sample.is_float() => {
                refuse(sample, "identity bins need integer samples; use even or range bins")
            }
            Bin::Even { .. } | Bin::Range(_) => Self::by_edges(histogram, policy),
            _ if histogram.closed => refuse(
                sample,
                "only even and range bins can be closed, because other bins have no last edge",
            ),
            Bin::Identity => Ok(Self::plain(IDENTITY)),
            #[cfg(feature = "glsl")]
            Bin::Glsl(user) => Ok(Self {
                parameters: user.parameters,
                user: Some(user.clone()),
                ..Self::plain(IDENTITY)
            }),
        }
    }

    fn by_edges(histogram: &Histogram, policy: &Policy) -> Result<Self> {
        let (sample, bins) = (histogram.sample, histogram.bins);
        let mut code = match &histogram.function {
            Bin::Even { lo, hi } => even(sample, *lo, *hi, histogram, policy)?,
            Bin::Range(splitters) => range(sample, splitters, bins, histogram.closed, policy)?,
            _ => return refuse(sample, "no edges"),
        };
        // An edge at zero is the lower of the two zeros. A closed range that ends there contains both.
        let zero = sample.is_float() && code.span + code.min == sample.ordered_edge(0);
        code.span += u64::from(histogram.closed && zero);
        Ok(code)
    }

    fn plain(kind: u32) -> Self {
        Self {
            kind,
            origin: 0,
            min: 0,
            span: 0,
            scale: 0,
            shift: 0,
            parameters: [0; 3],
            range: None,
            #[cfg(feature = "glsl")]
            user: None,
        }
    }

    /// Code for the range between two edges, given as the bits of samples.
    fn between(kind: u32, sample: KeyType, lo: u64, hi: u64) -> Self {
        let (min, end) = (sample.ordered_edge(lo), sample.ordered_edge(hi));
        Self { origin: lo, min, span: end - min, ..Self::plain(kind) }
    }

    /// Declares the buffer that a user's function reads, if any.
    #[cfg_attr(not(feature = "glsl"), expect(unused_variables, reason = "only GLSL has one"))]
    pub fn user_table(&self, graph: &mut Graph) -> Option<Buffer> {
        #[cfg(feature = "glsl")]
        if let Some(user) = &self.user {
            return user.declare_table(graph);
        }
        None
    }

    /// Returns the counting kernel with this function.
    pub fn kernel(&self, sample: KeyType) -> Result<Arc<Kernel>> {
        let builtin: &Builtin = match sample {
            KeyType::U64 | KeyType::I64 => &builtin::HISTOGRAM_COUNT_WIDE,
            KeyType::F64 => &builtin::HISTOGRAM_COUNT_DOUBLE,
            _ => &builtin::HISTOGRAM_COUNT,
        };
        #[cfg(feature = "glsl")]
        if let Some(user) = &self.user {
            let source = &user.source;
            let role = multisplit_shaders::check::UserFunction::Bucket;
            return crate::operations::shared::glsl::kernel(builtin, role, sample.glsl(), source);
        }
        Ok(builtin.kernel()?)
    }
}

fn refuse<T>(sample: KeyType, problem: &str) -> Result<T> {
    Err(Error::Histogram { sample: sample.to_string(), problem: problem.to_owned() })
}

fn even(
    sample: KeyType,
    lo: u64,
    hi: u64,
    histogram: &Histogram,
    policy: &Policy,
) -> Result<BinCode> {
    let bins = histogram.bins;
    if sample.is_float() {
        let parts = EvenFloats { sample, lo, hi, parts: bins };
        return even_float(&parts, histogram.closed, policy);
    }
    if sample.ordered_edge(lo) >= sample.ordered_edge(hi) {
        return refuse(sample, "the range is empty; its lower end must be less than its upper end");
    }
    let code = BinCode::between(EVEN_INTEGER, sample, lo, hi);
    let width = code.span / u64::from(bins);
    if code.span.is_multiple_of(bins.into()) && width.is_power_of_two() {
        return Ok(BinCode { kind: EVEN_SHIFT, shift: width.trailing_zeros(), ..code });
    }
    let scale = (f64::from(bins) / code.span as f64) as f32;
    Ok(BinCode { scale: scale.to_bits().into(), ..code })
}

fn even_float(parts: &EvenFloats, closed: bool, policy: &Policy) -> Result<BinCode> {
    let EvenFloats { sample, lo, hi, parts: bins } = *parts;
    if !parts.is_valid() {
        return refuse(
            sample,
            "the range is empty or not finite; both ends must be finite, and the lower one smaller",
        );
    }
    let Some(scaled) = parts.scaled() else {
        return range(sample, &parts.edges(), bins, closed, policy);
    };
    let ScaledParts { scale, step, margin } = scaled;
    let parameters = [step as u32, (step >> 32) as u32, margin.to_bits()];
    Ok(BinCode { scale, parameters, ..BinCode::between(EVEN_FLOAT, sample, lo, hi) })
}

fn range(
    sample: KeyType,
    splitters: &[u64],
    bins: u32,
    closed: bool,
    policy: &Policy,
) -> Result<BinCode> {
    let tuning = &policy.histogram;
    if splitters.len() as u64 != u64::from(bins) + 1 {
        return refuse(sample, "m range bins need m + 1 splitters");
    }
    if sample.is_float() && splitters.iter().any(|&s| sample.float(s).is_nan()) {
        return refuse(sample, "a splitter is NaN");
    }
    let ordered: Vec<u64> = splitters.iter().map(|&s| sample.ordered_edge(s)).collect();
    if !ordered.is_sorted() {
        return refuse(sample, "the splitters are not sorted; sort them in ascending order");
    }
    let (lo, hi) = (splitters[0], splitters[bins as usize]);
    let mut code = BinCode::between(RANGE, sample, lo, hi);
    let mut inner = ordered[1..bins as usize].to_vec();
    let mut range = RangeCode {
        search: Search::Binary,
        cells: 1,
        affine: false,
        format: CellFormat { bin_bits: 1, fraction_bits: 1 },
        splitters: inner.len() as u32,
        table: Vec::new(),
    };
    if bins <= tuning.register_bins.min(MAX_IN_REGISTERS) {
        range.search = Search::Registers;
        // The search halves a power of two of bins, so the splitters are padded with the largest number. Only the
        // largest sample can reach the padding, and the kernels clamp its bin.
        range.splitters = bins.next_power_of_two().max(2) - 1;
    } else if tuning.cells > 0 {
        range.search = Search::Lookup;
        // At most a third of shared memory, regardless of the policy.
        let max_cells = tuning.cells.min(policy.facts.shared_memory / 12);
        range.cells = Cells::count(bins, tuning.cells_per_bin, max_cells);
        let cells = Cells::new(sample, splitters, range.cells, closed);
        range.affine = matches!(cells.map, CellMap::Affine(_));
        match cells.map {
            CellMap::Affine(scale) => code.scale = scale,
            CellMap::Shift(shift) => code.shift = shift,
        }
        range.format = cells.format;
        range.table = cells.words;
    }
    inner.resize(inner.len().max(range.splitters as usize).max(1), u64::MAX);
    for splitter in inner {
        range.table.push(splitter as u32);
        if sample.bytes() == 8 {
            range.table.push((splitter >> 32) as u32);
        }
    }
    code.range = Some(range);
    Ok(code)
}

/// Maximum number of range bins whose splitters are kept in registers.
const MAX_IN_REGISTERS: u32 = 32;
