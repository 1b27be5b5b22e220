//! Encodes bin functions as the parameters and tables that the counting kernel reads.

use std::sync::Arc;

use multisplit_graph::{Buffer, Graph};
use multisplit_shaders::Kernel;
use multisplit_shaders::builtin::{self, Builtin};

use super::description::{Bin, Bins, Histogram, MAX_BINS};
use super::layout::reject;
use crate::elements::key::KeyType;
use crate::error::Result;
#[cfg(feature = "glsl")]
use crate::operations::shared::glsl::Glsl;
use crate::operations::shared::{
    CellFormat, CellMap, Cells, EdgeValues, EvenFloats, ScaledParts, check_limit, halves,
};
use crate::policy::Policy;

/// Search method for range bins. The discriminants are values of the specialization constant SEARCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    Binary = 0,
    Lookup = 1,
    Registers = 2,
}

/// A bin function as parameters of the counting kernel.
#[derive(Default)]
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

/// Parameters that only range bins have.
pub(super) struct RangeCode {
    pub search: Search,
    /// Value of the specialization constant CELLS.
    pub cells: u32,
    pub affine: bool,
    pub format: CellFormat,
    /// Number of inner splitters (all but the first and the last), including padding.
    pub splitters: u32,
    /// Words of the lookup table, if there is one, followed by the inner splitters.
    pub table: Vec<u32>,
}

/// Label of the table.
pub(super) const TABLE: &str = "histogram.table";

// Kinds of bin functions: values of the specialization constant BIN_KIND. The value 0 is the identity.
const EVEN_FLOAT: u32 = 1;
const EVEN_INTEGER: u32 = 2;
const EVEN_SHIFT: u32 = 3;
const RANGE: u32 = 4;

/// Maximum number of range bins whose splitters the kernel keeps in registers.
const MAX_IN_REGISTERS: u32 = 32;

/// Rejects histograms without bins or with too many.
pub(super) fn check_bins(histogram: &Histogram) -> Result<()> {
    if histogram.bins == 0 {
        return reject(histogram.sample, "it has no bins; use at least one bin");
    }
    check_limit("number of bins", histogram.bins.into(), MAX_BINS)
}

impl BinCode {
    pub fn new(histogram: &Histogram, policy: &Policy) -> Result<Self> {
        let sample = histogram.sample;
        let mut code = match &histogram.function {
            Bin::Even { lo, hi } => even(histogram, policy, *lo, *hi)?,
            Bin::Range(splitters) => range(histogram, policy, splitters)?,
            Bin::Identity if sample.is_float() => {
                return reject(
                    sample,
                    "identity bins support only integer samples; use even or range bins",
                );
            }
            _ if histogram.settable => {
                return reject(sample, "only even and range bins can have settable edges");
            }
            _ if histogram.closed => {
                return reject(
                    sample,
                    "closed bins must be even or range bins, because other bins have no upper edge",
                );
            }
            Bin::Identity => return Ok(Self::default()),
            #[cfg(feature = "glsl")]
            Bin::Glsl(user) => {
                let (parameters, user) = (user.parameters, Some(user.clone()));
                return Ok(Self { parameters, user, ..Self::default() });
            }
        };
        // A floating-point edge at zero is -0, the lower of the two zeros. A closed range that ends at zero must also
        // contain +0.
        let zero = sample.is_float() && code.span + code.min == sample.ordered_edge(0);
        code.span += u64::from(histogram.closed && zero);
        Ok(code)
    }

    /// Parameters of a bin function over the range between two edges. The edges are given as the bits of samples.
    fn between(kind: u32, sample: KeyType, lo: u64, hi: u64) -> Self {
        let (min, end) = (sample.ordered_edge(lo), sample.ordered_edge(hi));
        Self { kind, origin: lo, min, span: end - min, ..Self::default() }
    }

    /// Both words of the origin, the minimum, the span and the scale.
    pub fn halves(&self) -> [[u32; 2]; 4] {
        [self.origin, self.min, self.span, self.scale].map(halves)
    }

    /// The push constant `bits`: the shift, and the format of the cells of range bins.
    pub fn bits(&self) -> u32 {
        self.range.as_ref().map_or(self.shift, |range| range.format.bits(self.shift))
    }

    /// The parameters that depend on the edges: the push constants from `origin_low` on, and the table.
    pub fn edge_values(&self) -> EdgeValues {
        let words = [self.halves().as_flattened(), &[self.bits()], &self.parameters].concat();
        let table = self.range.as_ref().map(|range| (TABLE, range.table.clone()));
        EdgeValues { kind: self.kind, push: Some(("origin_low", words)), table }
    }

    /// Upper bound on the rounding error of a sample's position, in units of bins. `None` unless the kernel finds the
    /// bin by scaling a float.
    pub fn margin(&self) -> Option<f32> {
        (self.kind == EVEN_FLOAT).then(|| f32::from_bits(self.parameters[2]))
    }

    /// Declares the table of a user's function, if it has one.
    #[cfg_attr(not(feature = "glsl"), expect(unused_variables, reason = "only GLSL has tables"))]
    pub fn user_table(&self, graph: &mut Graph) -> Option<Buffer> {
        #[cfg(feature = "glsl")]
        if let Some(user) = &self.user {
            return user.declare_table(graph);
        }
        None
    }

    /// Returns the counting kernel for this bin function.
    pub fn kernel(&self, sample: KeyType) -> Result<Arc<Kernel>> {
        let builtin: &Builtin = match sample {
            KeyType::U64 | KeyType::I64 => &builtin::HISTOGRAM_COUNT_WIDE,
            KeyType::F64 => &builtin::HISTOGRAM_COUNT_DOUBLE,
            _ => &builtin::HISTOGRAM_COUNT,
        };
        #[cfg(feature = "glsl")]
        if let Some(user) = &self.user {
            let source = &user.source;
            let role = multisplit_shaders::UserFunction::Bucket;
            return crate::operations::shared::glsl::kernel(builtin, role, sample.glsl(), source);
        }
        Ok(builtin.kernel()?)
    }
}

impl<S> Bins<S> {
    /// The values with which a plan for other settable bins is recorded to count these bins. Both must agree in
    /// everything but the edges, and the policy must be the same.
    pub fn edge_values(&self, policy: &Policy) -> Result<EdgeValues> {
        let histogram = self.histogram();
        check_bins(histogram)?;
        Ok(BinCode::new(histogram, policy)?.edge_values())
    }
}

fn even(histogram: &Histogram, policy: &Policy, lo: u64, hi: u64) -> Result<BinCode> {
    let (sample, bins) = (histogram.sample, histogram.bins);
    if sample.is_float() {
        let parts = EvenFloats { sample, lo, hi, parts: bins };
        if !parts.is_valid() {
            return reject(
                sample,
                "the range must have finite ends, and its lower end must be less than its upper end",
            );
        }
        let Some(ScaledParts { scale, step, margin }) = parts.scaled() else {
            return range(histogram, policy, &parts.edges());
        };
        let parameters = [step as u32, (step >> 32) as u32, margin.to_bits()];
        return Ok(BinCode { scale, parameters, ..BinCode::between(EVEN_FLOAT, sample, lo, hi) });
    }
    if sample.ordered_edge(lo) >= sample.ordered_edge(hi) {
        return reject(sample, "the lower end of the range must be less than its upper end");
    }
    let code = BinCode::between(EVEN_INTEGER, sample, lo, hi);
    let width = code.span / u64::from(bins);
    let is_shift = code.span.is_multiple_of(bins.into()) && width.is_power_of_two();
    if is_shift && !histogram.settable {
        return Ok(BinCode { kind: EVEN_SHIFT, shift: width.trailing_zeros(), ..code });
    }
    let scale = (f64::from(bins) / code.span as f64) as f32;
    Ok(BinCode { scale: scale.to_bits().into(), ..code })
}

fn range(histogram: &Histogram, policy: &Policy, splitters: &[u64]) -> Result<BinCode> {
    let (sample, bins, tuning) = (histogram.sample, histogram.bins, &policy.histogram);
    if splitters.len() as u64 != u64::from(bins) + 1 {
        return reject(sample, "the number of splitters must be one more than the number of bins");
    }
    if sample.is_float() && splitters.iter().any(|&s| sample.float(s).is_nan()) {
        return reject(sample, "a splitter is NaN; remove it");
    }
    let ordered: Vec<u64> = splitters.iter().map(|&s| sample.ordered_edge(s)).collect();
    if !ordered.is_sorted() {
        return reject(sample, "the splitters are not sorted; sort them in ascending order");
    }
    let (lo, hi) = (splitters[0], splitters[bins as usize]);
    let mut code = BinCode::between(RANGE, sample, lo, hi);
    let mut inner = ordered[1..bins as usize].to_vec();
    // A binary search stays within the table, whatever splitters a recording sets.
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
        // The binary search needs a power-of-two number of bins, so the splitters are padded with the largest number.
        // Only the largest sample value can reach the padding; the kernel clamps its bin.
        range.splitters = bins.next_power_of_two().max(2) - 1;
    } else if tuning.cells > 0 && !histogram.settable {
        range.search = Search::Lookup;
        // The table may use at most a third of the shared memory, even if the policy allows more.
        let max_cells = tuning.cells.min(policy.facts.shared_memory / 12);
        range.cells = Cells::count(bins, tuning.cells_per_bin, max_cells);
        let cells = Cells::new(sample, splitters, range.cells, histogram.closed);
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
