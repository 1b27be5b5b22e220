//! Bucket functions: which bucket a key belongs to, and how the kernels are told.

use std::sync::Arc;

use multisplit_graph::{Buffer, Graph};
use multisplit_shaders::Kernel;
use multisplit_shaders::builtin::Builtin;

use super::Split;
use super::push::{BucketWords, SplitBy};
use crate::error::{Error, Result};
use crate::primitives::Policy;
use crate::primitives::cells::Cells;
use crate::primitives::even::{EvenFloats, ScaledParts};
use crate::primitives::key::{Key, KeyType, SIGNED};
use crate::primitives::sample::SampleType;

/// Which bucket a key belongs to: the untyped form, with parameters as bits. [`Buckets`] is the typed
/// one.
///
/// [`Buckets`]: super::Buckets
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Bucket {
    /// Buckets of equal width from a minimum on, for integers. Keys below the minimum belong to
    /// the first, keys past the end to the last.
    Delta {
        /// The first key of the first bucket, as the bits of a key ([`Key::key_bits`]).
        min: u64,
        /// How many keys a bucket spans; not zero.
        width: u64,
    },
    /// The key (of floats and of signed keys, its bits) is the number of its bucket.
    Identity,
    /// `bits` bits of the key from bit `shift` on.
    Digit {
        /// The lowest bit.
        shift: u32,
        /// How many.
        bits: u32,
    },
    /// The same of the unsigned number that compares like the key: what a radix sort of signed
    /// keys and of floats goes by. For unsigned keys that is the key itself.
    OrderedDigit {
        /// The lowest bit.
        shift: u32,
        /// How many.
        bits: u32,
        /// Whether the largest digit is the first bucket.
        descending: bool,
    },
    /// m equal parts of the floats from `lo` to `hi`, divided as
    /// [`Buckets::even`](super::Buckets::even) documents. Keys below belong to the first, keys above
    /// and NaN to the last. `lo` and `hi` are rounded to the type of the keys.
    Even {
        /// Where the first bucket begins.
        lo: f64,
        /// Where the last bucket ends.
        hi: f64,
    },
    /// m - 1 sorted splitters, as the bits of keys ([`Bucket::range`] takes keys): a key belongs
    /// to the bucket whose number is how many splitters are at or below it.
    Range(Vec<u64>),
    /// A GLSL function of the user's.
    #[cfg(feature = "glsl")]
    Glsl(super::glsl::Glsl),
}

impl Bucket {
    /// [`Delta`](Self::Delta) over the whole domain of an integer key.
    pub fn delta_over_domain(key: KeyType, buckets: u32) -> Self {
        let width = (1u128 << key.bits()).div_ceil(u128::from(buckets.max(1)));
        // The only width that does not fit is that of a single bucket.
        let width = u64::try_from(width).unwrap_or(u64::MAX);
        let signed = key.kind() == SIGNED;
        Self::Delta { min: if signed { 1 << (key.bits() - 1) } else { 0 }, width }
    }

    /// `buckets` equal parts of the keys from `start` to `end`: scaled where keys are floats, and by
    /// splitters where they are integers and no width is the same for all parts.
    pub fn even<K: Key>(start: K, end: K, buckets: u32) -> Self {
        let (lo, hi) = (start.key_bits(), end.key_bits());
        if K::TYPE.is_float() {
            return Self::Even { lo: K::TYPE.float(lo), hi: K::TYPE.float(hi) };
        }
        let (first, last) = (K::TYPE.ordered(lo), K::TYPE.ordered(hi));
        let (span, m) = (u128::from(last.saturating_sub(first)), u128::from(buckets.max(1)));
        // An empty range is refused as a width of zero.
        if span.is_multiple_of(m) {
            return Self::Delta { min: lo, width: (span / m) as u64 };
        }
        let splitter = |k: u128| K::TYPE.unordered(first + (k * span).div_ceil(m) as u64);
        Self::Range((1..m).map(splitter).collect())
    }

    /// The parts of [`Even`](Self::Even).
    fn even_parts(&self, key: KeyType, parts: u32) -> Option<EvenFloats> {
        let Self::Even { lo, hi } = *self else { return None };
        Some(match key.bits() {
            64 => EvenFloats { sample: SampleType::F64, lo: lo.to_bits(), hi: hi.to_bits(), parts },
            _ => {
                let [lo, hi] = [lo, hi].map(|end| u64::from((end as f32).to_bits()));
                EvenFloats { sample: SampleType::F32, lo, hi, parts }
            }
        })
    }

    /// How keys are scaled to the parts of [`Even`](Self::Even). Few devices are good at 64-bit
    /// arithmetic, and some have none, so 64-bit keys are compared with all edges instead.
    fn even_scaled(&self, key: KeyType, parts: u32) -> Option<ScaledParts> {
        let parts = self.even_parts(key, parts)?;
        if key.bits() == 64 { None } else { parts.scaled() }
    }

    /// Whether it is GLSL of the user's.
    pub(super) fn is_users(&self) -> bool {
        #[cfg(feature = "glsl")]
        return matches!(self, Self::Glsl(_));
        #[cfg(not(feature = "glsl"))]
        false
    }

    /// Whether it costs so much that the block-level method may write down what it gives: a search among
    /// splitters, or who knows what.
    pub(super) fn is_costly(&self, key: KeyType, buckets: u32) -> bool {
        match self {
            Self::Range(_) => true,
            Self::Even { .. } => self.even_scaled(key, buckets).is_none(),
            _ => self.is_users(),
        }
    }

    /// [`Range`](Self::Range) with these splitters.
    pub fn range<K: Key>(splitters: &[K]) -> Self {
        Self::Range(splitters.iter().map(|splitter| splitter.key_bits()).collect())
    }
}

/// What a bucket function by splitters looks into.
pub(in crate::primitives) struct Table {
    /// The kernels' CELLS.
    pub cells: u32,
    /// Those of the cells, then the splitters.
    pub words: Vec<u32>,
}

/// Fewer splitters are searched at once: seven steps for 128 buckets were faster on an H200.
const MIN_BUCKETS_BY_CELLS: u32 = 129;
/// Cells per bucket: with this many, few random splitters share one.
const CELLS_OF_BUCKET: u32 = 8;

/// The count of cells for this many buckets; 1 if there is no table of cells. They take up to a sixth of
/// shared memory, which tiles cannot use then.
fn cells_of(policy: &Policy, buckets: u32) -> u32 {
    if buckets < MIN_BUCKETS_BY_CELLS {
        return 1;
    }
    Cells::count(buckets, CELLS_OF_BUCKET, policy.facts.shared_memory / 24 / 2 * 2)
}

impl Bucket {
    /// Words of shared memory for cells.
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

/// A bucket function as the kernels see it.
pub(in crate::primitives) struct BucketCode {
    kind: u32,
    words: BucketWords,
    table: Option<Table>,
    #[cfg(feature = "glsl")]
    user: Option<super::glsl::Glsl>,
}

// The kernels have the same numbers.
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
        match &split.bucket {
            Bucket::Identity => Ok(Self::plain(IDENTITY, BucketWords::default())),
            Bucket::Digit { shift, bits } | Bucket::OrderedDigit { shift, bits, .. }
                if *bits == 0
                    || *bits > 32
                    || shift.checked_add(*bits).is_none_or(|end| end > key.bits()) =>
            {
                refuse("the digit lies outside the key")
            }
            Bucket::Digit { shift, bits } => Ok(Self::digit(DIGIT, *shift, *bits, false)),
            Bucket::OrderedDigit { shift, bits, descending } => {
                let kind = if key.kind() == 0 && !descending { DIGIT } else { ORDERED };
                Ok(Self::digit(kind, *shift, *bits, *descending))
            }
            #[cfg(feature = "glsl")]
            Bucket::Glsl(user) => {
                let words = BucketWords::default();
                Ok(Self { user: Some(user.clone()), ..Self::plain(DIGIT, words) })
            }
            Bucket::Delta { .. } if key.is_float() => refuse("floats are split by Even"),
            Bucket::Delta { width: 0, .. } => refuse("a width of zero"),
            Bucket::Delta { min, .. } if !fits(*min) => refuse("the minimum is no such key"),
            Bucket::Delta { min, width } => Ok(delta(key, *min, *width, m)),
            Bucket::Even { .. } if !key.is_float() => refuse("only floats are split by Even"),
            Bucket::Even { .. } => match even(policy, key, &split.bucket, m) {
                Some(code) => Ok(code),
                None => refuse("the range is empty or not finite"),
            },
            Bucket::Range(splitters) if splitters.len() as u64 + 1 != u64::from(m) => {
                refuse("m buckets have m - 1 splitters")
            }
            Bucket::Range(splitters) if !splitters.iter().all(|&s| fits(s)) => {
                refuse("a splitter is no such key")
            }
            Bucket::Range(splitters) => {
                let ordered: Vec<u64> = splitters.iter().map(|&s| key.ordered(s)).collect();
                if !ordered.is_sorted() {
                    return refuse("the splitters are not sorted");
                }
                Ok(Self::by_splitters(RANGE, policy, key, &ordered))
            }
        }
    }

    /// A round of a radix sort.
    pub fn ordered_digit(
        policy: &Policy,
        key: KeyType,
        (shift, bits): (u32, u32),
        descending: bool,
    ) -> Result<Self> {
        let bucket = Bucket::OrderedDigit { shift, bits, descending };
        Self::new(policy, &Split::new(key, 1 << bits.min(16), bucket))
    }

    fn plain(kind: u32, words: BucketWords) -> Self {
        Self {
            kind,
            words,
            table: None,
            #[cfg(feature = "glsl")]
            user: None,
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
        Self::plain(kind, words)
    }

    /// With splitters that are already numbers that compare like keys: the table that the kernels look
    /// into, cells first.
    fn by_splitters(kind: u32, policy: &Policy, key: KeyType, ordered: &[u64]) -> Self {
        let wide = key.bits() == 64;
        let halves = |x: u64| [x as u32, (x >> 32) as u32];
        let words = ordered.iter().flat_map(|&splitter| halves(splitter));
        let splitters = words.step_by(if wide { 1 } else { 2 });
        let count = cells_of(policy, ordered.len() as u32 + 1);
        if count == 1 {
            // A word more, so that a table of one bucket is not empty.
            let words = splitters.chain([0, 0]).collect();
            let table = Some(Table { cells: count, words });
            return Self { table, ..Self::plain(kind, BucketWords::default()) };
        }
        let sample = if wide { SampleType::U64 } else { SampleType::U32 };
        // All splitters lie between what is less than them and what is past them, where numbers go so far.
        let least = ordered.first().map_or(0, |first| first.saturating_sub(1));
        let end = if wide { u64::MAX } else { u32::MAX.into() };
        let past = ordered.last().map_or(end, |last| last.saturating_add(1).min(end));
        let edges: Vec<u64> = [least].iter().chain(ordered).chain([&past]).copied().collect();
        let cells = Cells::new(sample, &edges, count, true);
        let ([least_low, least_high], [span_low, span_high]) =
            (halves(least), halves(past - least));
        let words = BucketWords {
            shift_or_min: least_low,
            min_high: least_high,
            width_or_scale: span_low,
            mask_or_width_high: span_high,
            flip_or_reciprocal: cells.format.bits(cells.map.shift()),
        };
        let mut table = cells.words;
        table.push(0); // so that splitters of two words begin at an even one
        table.extend(splitters);
        Self { table: Some(Table { cells: count, words: table }), ..Self::plain(kind, words) }
    }

    pub fn kind(&self) -> u32 {
        self.kind
    }

    pub fn words(&self) -> BucketWords {
        self.words
    }

    /// Cells and splitters, where there are any.
    pub fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// The buffer that a user's function reads.
    #[cfg_attr(not(feature = "glsl"), expect(unused_variables, reason = "only GLSL has one"))]
    pub fn user_table(&self, graph: &mut Graph) -> Option<Buffer> {
        #[cfg(feature = "glsl")]
        if let Some(user) = &self.user {
            return user.declare_table(graph);
        }
        None
    }

    /// The kernel with this bucket function in it, and what it goes by.
    #[cfg_attr(not(feature = "glsl"), expect(unused_variables, reason = "only GLSL depends on it"))]
    pub fn kernel(&self, builtin: &Builtin, key: KeyType) -> Result<(Arc<Kernel>, SplitBy)> {
        let kernel = builtin.kernel()?;
        // Kernels that only move elements ask for no bucket.
        #[cfg(feature = "glsl")]
        if let (Some(user), Some(_)) = (&self.user, kernel.interface().binding("table")) {
            let kernel = super::glsl::kernel(
                builtin,
                multisplit_shaders::check::UserFunction::Bucket,
                key.glsl(),
                &user.source,
            )?;
            return Ok((kernel, SplitBy::Function(user.parameters)));
        }
        Ok((kernel, SplitBy::Bucket(self.words)))
    }
}

/// By so much the reciprocal is too small, of which the kernels take a part: more than what
/// rounding adds to their estimate of a quotient, so that it is never too large.
const RECIPROCAL_MARGIN: f64 = 1.0 / (1 << 21) as f64;

/// A width that is a power of two over the whole domain is a digit: a shift is cheaper than a
/// division.
fn delta(key: KeyType, min: u64, width: u64, buckets: u32) -> BucketCode {
    let min = key.ordered(min);
    let domain = 1u128 << key.bits();
    let whole = min == 0 && u128::from(width) * u128::from(buckets) >= domain;
    if u128::from(width) >= domain {
        // One bucket takes all.
        return BucketCode::plain(DIGIT, BucketWords::default());
    }
    if whole && width.is_power_of_two() {
        let kind = if key.kind() == 0 { DIGIT } else { ORDERED };
        return BucketCode::digit(kind, width.trailing_zeros(), 32, false);
    }
    let reciprocal = ((1.0 - RECIPROCAL_MARGIN) / width as f64) as f32;
    let halves = |x: u64| (x as u32, (x >> 32) as u32);
    let ((min, min_high), (width, width_high)) = (halves(min), halves(width));
    let words = BucketWords {
        shift_or_min: min,
        min_high,
        width_or_scale: width,
        mask_or_width_high: width_high,
        flip_or_reciprocal: reciprocal.to_bits(),
    };
    BucketCode::plain(DELTA, words)
}

/// `None` if the range is empty or not finite.
fn even(policy: &Policy, key: KeyType, bucket: &Bucket, buckets: u32) -> Option<BucketCode> {
    let parts = bucket.even_parts(key, buckets).filter(EvenFloats::is_valid)?;
    if let Some(scaled) = bucket.even_scaled(key, buckets) {
        let words = BucketWords {
            shift_or_min: parts.lo as u32,
            width_or_scale: scaled.scale as u32,
            mask_or_width_high: scaled.step as u32,
            ..BucketWords::default()
        };
        return Some(BucketCode::plain(EVEN, words));
    }
    let edges = parts.edges();
    let inner = edges[1..buckets as usize].iter();
    let splitters: Vec<u64> = inner.map(|&edge| parts.sample.ordered_edge(edge)).collect();
    Some(BucketCode::by_splitters(EVEN_RANGE, policy, key, &splitters))
}
