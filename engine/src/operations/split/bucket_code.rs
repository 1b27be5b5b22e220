//! Encodes bucket functions for the kernels: specialization constants, push constants and tables.

use std::sync::Arc;

use multisplit_graph::{Buffer, Graph};
use multisplit_shaders::Kernel;
use multisplit_shaders::builtin::Builtin;

use super::description::{Bucket, MAX_BUCKETS_OF_ROUND, Split};
use super::push::{BucketWords, SplitBy};
use crate::elements::key::KeyType;
use crate::error::{Error, Result};
#[cfg(feature = "glsl")]
use crate::operations::shared::glsl::{self, Glsl};
use crate::operations::shared::{Cells, EdgeValues, EvenFloats, ScaledParts, halves};
use crate::policy::Policy;
use crate::policy::method::Method;

impl Bucket {
    /// Parameters of the equal parts, if the function is [`Even`](Self::Even).
    fn even_parts(&self, key: KeyType, parts: u32) -> Option<EvenFloats> {
        let Self::Even { lo, hi } = *self else { return None };
        let sample = if key.bits() == 64 { KeyType::F64 } else { KeyType::F32 };
        let [lo, hi] = [lo, hi].map(|end| sample.float_bits(end));
        Some(EvenFloats { sample, lo, hi, parts })
    }

    /// Scale of [`Even`](Self::Even), if kernels can multiply a key by a scale to find its part. `None` for 64-bit
    /// keys: kernels search the edges instead, because 64-bit floats are slow on most devices and missing on some.
    fn even_scaled(&self, key: KeyType, parts: u32) -> Option<ScaledParts> {
        let parts = self.even_parts(key, parts)?;
        if key.bits() == 64 { None } else { parts.scaled() }
    }

    /// Whether the function is so expensive that the block-level method stores its results as labels. This applies to
    /// a search among splitters, and to user functions, whose cost is unknown.
    pub(super) fn is_costly(&self, key: KeyType, buckets: u32) -> bool {
        match self {
            Self::Range(_) => true,
            Self::Even { .. } => self.even_scaled(key, buckets).is_none(),
            _ => self.is_user_defined(),
        }
    }

    /// Maximum number of words of shared memory for the cells of the lookup table; 0 if the function has no splitters.
    pub(super) fn cells(&self, policy: &Policy, key: KeyType, buckets: u32) -> u32 {
        match self {
            Self::Range(splitters) => cells_of(policy, splitters.len() as u32 + 1) + 1,
            Self::Even { .. } if self.even_scaled(key, buckets).is_none() => {
                cells_of(policy, u32::MAX) + 1
            }
            _ => 0,
        }
    }
}

/// Lookup table of a bucket function with splitters.
pub(in crate::operations) struct Table {
    /// Value of the specialization constant CELLS.
    pub cells: u32,
    /// Words of the cells, followed by the splitters.
    pub words: Vec<u32>,
}

/// Minimum number of buckets for a search with cells. With fewer, a binary search among all splitters is faster:
/// seven steps for 128 buckets, measured on an H200.
const MIN_BUCKETS_BY_CELLS: u32 = 129;
/// Number of cells per bucket. At this number, splitters at random positions rarely share a cell.
const CELLS_OF_BUCKET: u32 = 8;

/// Number of cells for `buckets` buckets; 1 if the search does not use cells. Cells use at most a sixth of shared
/// memory, because they reduce the room for tiles.
fn cells_of(policy: &Policy, buckets: u32) -> u32 {
    if buckets < MIN_BUCKETS_BY_CELLS {
        return 1;
    }
    Cells::count(buckets, CELLS_OF_BUCKET, policy.facts.shared_memory / 24 / 2 * 2)
}

/// A bucket function as parameters of the kernels.
#[derive(Default)]
pub(in crate::operations) struct BucketCode {
    /// Value of the specialization constant BUCKET_KIND.
    pub kind: u32,
    pub words: BucketWords,
    /// Cells and splitters, if the function has splitters.
    pub table: Option<Table>,
    #[cfg(feature = "glsl")]
    user: Option<Glsl>,
}

/// Label of the table.
pub(super) const TABLE: &str = "multisplit.splitters";

// Values of BUCKET_KIND; must match `split_constants.glsl`.
const DIGIT: u32 = 0;
const DELTA: u32 = 1;
const EVEN: u32 = 2;
const RANGE: u32 = 3;
const IDENTITY: u32 = 4;
const ORDERED: u32 = 5;
const EVEN_RANGE: u32 = 6;

impl BucketCode {
    pub fn new(policy: &Policy, split: &Split) -> Result<Self> {
        let (key, m) = (split.key, split.buckets);
        let refuse = |problem: &str| {
            Err(Error::Bucket { key: key.to_string(), problem: problem.to_owned() })
        };
        let fits = |bits: u64| key.bits() == 64 || bits >> key.bits() == 0;
        if split.settable
            && let Some(problem) = unsettable(split)
        {
            return refuse(problem);
        }
        match &split.bucket {
            Bucket::Identity => Ok(Self { kind: IDENTITY, ..Self::default() }),
            Bucket::Digit { shift, bits } | Bucket::OrderedDigit { shift, bits, .. }
                if *bits == 0
                    || *bits > 32
                    || shift.checked_add(*bits).is_none_or(|end| end > key.bits()) =>
            {
                refuse("the digit must have 1 to 32 bits, all of them within the key")
            }
            Bucket::Digit { shift, bits } => Ok(Self::digit(DIGIT, *shift, *bits, false)),
            Bucket::OrderedDigit { shift, bits, descending } => {
                let kind = if key.kind() == 0 && !descending { DIGIT } else { ORDERED };
                Ok(Self::digit(kind, *shift, *bits, *descending))
            }
            #[cfg(feature = "glsl")]
            Bucket::Glsl(user) => {
                Ok(Self { kind: DIGIT, user: Some(user.clone()), ..Self::default() })
            }
            Bucket::Delta { .. } if key.is_float() => {
                refuse("delta buckets support only integer keys; use even or range buckets")
            }
            Bucket::Delta { width: 0, .. } => {
                refuse("the bucket width is 0, or the range is empty; the width must be at least 1")
            }
            Bucket::Delta { min, .. } if !fits(*min) => refuse(
                "the minimum is not a value of the key type; choose one that fits in the key type",
            ),
            Bucket::Delta { min, width } => Ok(delta(split, *min, *width)),
            Bucket::Even { .. } if !key.is_float() => refuse(
                "Bucket::Even supports only float keys; use Buckets::even, or delta or range buckets",
            ),
            Bucket::Even { .. } => match even(policy, split) {
                Some(code) => Ok(code),
                None => refuse(
                    "the range must have finite ends, and its lower end must be less than its upper end",
                ),
            },
            Bucket::Range(splitters) if splitters.len() as u64 + 1 != u64::from(m) => {
                refuse("the number of splitters must be one less than the number of buckets")
            }
            Bucket::Range(splitters) if !splitters.iter().all(|&s| fits(s)) => refuse(
                "a splitter is not a value of the key type; choose splitters that fit in the key type",
            ),
            Bucket::Range(splitters) => {
                let ordered: Vec<u64> = splitters.iter().map(|&s| key.ordered(s)).collect();
                if !ordered.is_sorted() {
                    return refuse("the splitters are not sorted; sort them in ascending order");
                }
                Ok(Self::by_splitters(RANGE, policy, split, &ordered))
            }
        }
    }

    fn digit(kind: u32, shift: u32, bits: u32, flipped: bool) -> Self {
        let flip = if flipped { u32::MAX } else { 0 };
        let words = BucketWords {
            shift_or_min: shift,
            mask_or_width_high: u32::MAX >> (32 - bits),
            flip_or_reciprocal: flip,
            ..BucketWords::default()
        };
        Self { kind, words, ..Self::default() }
    }

    /// Encodes splitters, given as unsigned numbers with the order of the keys ([`KeyType::ordered`]). The table
    /// contains the cells, then the splitters.
    fn by_splitters(kind: u32, policy: &Policy, split: &Split, ordered: &[u64]) -> Self {
        let wide = split.key.bits() == 64;
        let words = ordered.iter().flat_map(|&splitter| halves(splitter));
        let splitters = words.step_by(if wide { 1 } else { 2 });
        // A search without cells stays within the table whatever splitters a recording sets.
        let count = if split.settable { 1 } else { cells_of(policy, split.buckets) };
        if count == 1 {
            // Padding, because a single bucket has no splitters, and a buffer cannot be empty.
            let words = splitters.chain([0, 0]).collect();
            let table = Some(Table { cells: count, words });
            return Self { kind, table, ..Self::default() };
        }
        let sample = if wide { KeyType::U64 } else { KeyType::U32 };
        // The cells span all splitters: from one below the first to one above the last, clamped to the range of
        // these numbers.
        let min = ordered.first().map_or(0, |first| first.saturating_sub(1));
        let end = if wide { u64::MAX } else { u32::MAX.into() };
        let past = ordered.last().map_or(end, |last| last.saturating_add(1).min(end));
        let edges: Vec<u64> = [min].iter().chain(ordered).chain([&past]).copied().collect();
        let cells = Cells::new(sample, &edges, count, true);
        let ([min_low, min_high], [span_low, span_high]) = (halves(min), halves(past - min));
        let words = BucketWords {
            shift_or_min: min_low,
            min_high,
            width_or_scale: span_low,
            mask_or_width_high: span_high,
            flip_or_reciprocal: cells.format.bits(cells.map.shift()),
        };
        // The word 0 aligns 64-bit splitters.
        let table = cells.words.into_iter().chain([0]).chain(splitters).collect();
        let code = Self { kind, words, ..Self::default() };
        Self { table: Some(Table { cells: count, words: table }), ..code }
    }

    /// The parameters that depend on the edges.
    pub fn edge_values(&self) -> EdgeValues {
        let table = self.table.as_ref().map(|table| (TABLE, table.words.clone()));
        let words: [u32; 5] = bytemuck::cast(self.words);
        let push = table.is_none().then(|| ("shift_or_min", words.to_vec()));
        EdgeValues { kind: self.kind, push, table }
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

    /// Returns the kernel with this bucket function, and the parameters to push.
    #[cfg_attr(not(feature = "glsl"), expect(unused_variables, reason = "only GLSL uses the type"))]
    pub fn kernel(&self, builtin: &Builtin, key: KeyType) -> Result<(Arc<Kernel>, SplitBy)> {
        let kernel = builtin.kernel()?;
        // Kernels that only move elements do not evaluate the bucket function.
        #[cfg(feature = "glsl")]
        if let (Some(user), Some(_)) = (&self.user, kernel.interface().binding("table")) {
            let role = multisplit_shaders::UserFunction::Bucket;
            let kernel = glsl::kernel(builtin, role, key.glsl(), &user.source)?;
            return Ok((kernel, SplitBy::Function(user.parameters)));
        }
        Ok((kernel, SplitBy::Bucket(self.words)))
    }
}

/// Relative amount by which the reciprocal of a width is reduced. It exceeds the rounding error of the quotient that
/// kernels estimate with it, so the estimate is never too large.
const RECIPROCAL_MARGIN: f64 = 1.0 / (1 << 21) as f64;

/// Encodes [`Bucket::Delta`]. If the width is a power of two, the buckets cover all key values, and the edges are not
/// settable, the bucket is a digit of the key, because a shift is cheaper than a division.
fn delta(split: &Split, min: u64, width: u64) -> BucketCode {
    let (key, buckets) = (split.key, split.buckets);
    let min = key.ordered(min);
    let domain = 1u128 << key.bits();
    let whole = min == 0 && u128::from(width) * u128::from(buckets) >= domain;
    if u128::from(width) >= domain {
        // All keys belong to the first bucket.
        return BucketCode { kind: DIGIT, ..BucketCode::default() };
    }
    if whole && width.is_power_of_two() && !split.settable {
        let kind = if key.kind() == 0 { DIGIT } else { ORDERED };
        return BucketCode::digit(kind, width.trailing_zeros(), 32, false);
    }
    let reciprocal = ((1.0 - RECIPROCAL_MARGIN) / width as f64) as f32;
    let ([min, min_high], [width, width_high]) = (halves(min), halves(width));
    let words = BucketWords {
        shift_or_min: min,
        min_high,
        width_or_scale: width,
        mask_or_width_high: width_high,
        flip_or_reciprocal: reciprocal.to_bits(),
    };
    BucketCode { kind: DELTA, words, ..BucketCode::default() }
}

/// Encodes [`Bucket::Even`]. `None` if the range is empty or not finite.
fn even(policy: &Policy, split: &Split) -> Option<BucketCode> {
    let Split { key, buckets, bucket, .. } = split;
    let (key, buckets) = (*key, *buckets);
    let parts = bucket.even_parts(key, buckets).filter(EvenFloats::is_valid)?;
    if let Some(scaled) = bucket.even_scaled(key, buckets) {
        let words = BucketWords {
            shift_or_min: parts.lo as u32,
            width_or_scale: scaled.scale as u32,
            mask_or_width_high: scaled.step as u32,
            ..BucketWords::default()
        };
        return Some(BucketCode { kind: EVEN, words, ..BucketCode::default() });
    }
    let edges = parts.edges();
    let inner = edges[1..buckets as usize].iter();
    let splitters: Vec<u64> = inner.map(|&edge| parts.sample.ordered_edge(edge)).collect();
    Some(BucketCode::by_splitters(EVEN_RANGE, policy, split, &splitters))
}

/// The reason why recordings cannot set the edges of a split, if they cannot.
fn unsettable(split: &Split) -> Option<&'static str> {
    let has_edges =
        matches!(split.bucket, Bucket::Delta { .. } | Bucket::Even { .. } | Bucket::Range(_));
    match split.method {
        _ if !has_edges => Some("only delta, even and range buckets can have settable edges"),
        _ if split.buckets > MAX_BUCKETS_OF_ROUND => {
            Some("splits with settable edges have at most 256 buckets")
        }
        Method::ScanSplit | Method::ReducedBitSort | Method::FullSort => Some(
            "ScanSplit, ReducedBitSort and FullSort do not support settable edges; use Method::Auto",
        ),
        _ => None,
    }
}
