//! Descriptions of splits: bucket function, number of buckets, method.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use crate::elements::key::{Key, KeyType, SIGNED};
#[cfg(feature = "glsl")]
use crate::operations::shared::glsl::Glsl;
use crate::policy::method::Method;

/// Maximum number of buckets.
pub const MAX_BUCKETS: u32 = 1 << 16;
/// Maximum number of buckets of one round. More buckets take two rounds.
pub const MAX_BUCKETS_OF_ROUND: u32 = 256;

/// A bucket function in untyped form, with parameters as bits. [`Buckets`] is the typed form.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Bucket {
    /// Buckets of equal width, starting at a minimum; for integers. Keys below the minimum belong to the first
    /// bucket, keys past the end to the last.
    Delta {
        /// First key of the first bucket, as the bits of a key ([`Key::key_bits`]).
        min: u64,
        /// Number of key values per bucket; not zero.
        width: u64,
    },
    /// The key itself is its bucket id. For floats and signed keys, the id is the bits of the key.
    Identity,
    /// `bits` bits of the key, starting at bit `shift`.
    Digit {
        /// Lowest bit.
        shift: u32,
        /// Number of bits.
        bits: u32,
    },
    /// `bits` bits of the unsigned number that compares like the key, as a radix sort uses them for signed keys
    /// and floats. For unsigned keys this is the key itself.
    OrderedDigit {
        /// Lowest bit.
        shift: u32,
        /// Number of bits.
        bits: u32,
        /// Whether the largest digit belongs to the first bucket.
        descending: bool,
    },
    /// m equal parts of the floats from `lo` to `hi`, with the edges that [`Buckets::even`]
    /// documents. Keys below `lo` belong to the first bucket; keys above `hi` and NaN belong to the last. `lo` and
    /// `hi` are rounded to the key type.
    Even {
        /// Lower edge of the first bucket.
        lo: f64,
        /// Upper edge of the last bucket.
        hi: f64,
    },
    /// m - 1 sorted splitters, as the bits of keys ([`Bucket::range`] takes keys). The bucket of a key is the
    /// number of splitters at or below it.
    Range(Vec<u64>),
    /// A user's function in GLSL.
    #[cfg(feature = "glsl")]
    Glsl(Glsl),
}

impl Bucket {
    /// [`Delta`](Self::Delta) over the whole domain of an integer key.
    pub fn delta_over_domain(key: KeyType, buckets: u32) -> Self {
        let width = (1u128 << key.bits()).div_ceil(u128::from(buckets.max(1)));
        // Only the width of a single bucket can exceed 64 bits.
        let width = u64::try_from(width).unwrap_or(u64::MAX);
        let signed = key.kind() == SIGNED;
        Self::Delta { min: if signed { 1 << (key.bits() - 1) } else { 0 }, width }
    }

    /// `buckets` equal parts of the keys from `start` to `end`. Integer ranges that are not divisible into parts
    /// of equal width use splitters.
    pub fn even<K: Key>(start: K, end: K, buckets: u32) -> Self {
        let (lo, hi) = (start.key_bits(), end.key_bits());
        if K::TYPE.is_float() {
            return Self::Even { lo: K::TYPE.float(lo), hi: K::TYPE.float(hi) };
        }
        let (first, last) = (K::TYPE.ordered(lo), K::TYPE.ordered(hi));
        let (span, m) = (u128::from(last.saturating_sub(first)), u128::from(buckets.max(1)));
        // An empty range has a width of zero, which is rejected later.
        if span.is_multiple_of(m) {
            return Self::Delta { min: lo, width: (span / m) as u64 };
        }
        let splitter = |k: u128| K::TYPE.unordered(first + (k * span).div_ceil(m) as u64);
        Self::Range((1..m).map(splitter).collect())
    }

    /// [`Range`](Self::Range) with these splitters.
    pub fn range<K: Key>(splitters: &[K]) -> Self {
        Self::Range(splitters.iter().map(|splitter| splitter.key_bits()).collect())
    }

    /// Whether the function is user GLSL.
    pub(super) fn is_users(&self) -> bool {
        #[cfg(feature = "glsl")]
        return matches!(self, Self::Glsl(_));
        #[cfg(not(feature = "glsl"))]
        false
    }
}

/// Description of a split, with the key type as a value.
#[derive(Clone, Debug)]
pub(crate) struct Split {
    pub key: KeyType,
    /// m, the number of buckets.
    pub buckets: u32,
    pub bucket: Bucket,
    pub method: Method,
}

impl Split {
    pub fn new(key: KeyType, buckets: u32, bucket: Bucket) -> Self {
        Self { key, buckets, bucket, method: Method::Auto }
    }

    #[must_use]
    pub fn by(self, method: Method) -> Self {
        Self { method, ..self }
    }
}

/// Marker for keys or samples whose type is known only at run time.
#[derive(Clone, Copy, Debug)]
pub enum AnyType {}

/// Description of a split: the bucket function for keys of type `K`, the number of buckets, and the method.
///
/// ```
/// use multisplit::Buckets;
///
/// let by_value = Buckets::even(0.0f32..1.0, 8);
/// let by_splitters = Buckets::range(&[10u32, 20, 50]); // four buckets
/// let by_bits = Buckets::<u64>::digit(32..40); // 256 buckets
/// # let _ = (by_value, by_splitters, by_bits);
/// ```
///
/// Parameters whose type differs from the key type do not compile:
/// ```compile_fail,E0271
/// # let gpu = multisplit::Context::new()?;
/// gpu.split(&[0.5f32, 1.5], multisplit::Buckets::range(&[2u32]))?;
/// # Ok::<(), multisplit::Error>(())
/// ```
pub struct Buckets<K = AnyType> {
    split: Split,
    key: PhantomData<fn(K)>,
}

impl<K> fmt::Debug for Buckets<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Buckets").field(&self.split).finish()
    }
}

impl<K> Clone for Buckets<K> {
    fn clone(&self) -> Self {
        Self::from(self.split.clone())
    }
}

impl<K> From<Split> for Buckets<K> {
    fn from(split: Split) -> Self {
        Self { split, key: PhantomData }
    }
}

impl<K: Key> Buckets<K> {
    fn new(buckets: u32, bucket: Bucket) -> Self {
        Split::new(K::TYPE, buckets, bucket).into()
    }

    /// `buckets` equal parts of a range. Keys below the range belong to the first bucket; keys above it and NaN
    /// belong to the last.
    ///
    /// Part k begins at edge k. For integers, edge k is `start + k * (end - start) / buckets`, rounded up. For
    /// floats, edge k is `k * ((end - start) / buckets) + start`, with every operation rounded to the type (to
    /// `f32` for `f16` and `bf16`), as in NumPy's `linspace`. Edges are clamped to `end`, and no operation
    /// overflows. [`Bins::even`](crate::Bins::even) has the same edges.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// // 3 * 0.1 is the double above 0.3, so 0.3 lies in part 2 of ten.
    /// let split = gpu.split(&[0.3, 3.0 * 0.1], multisplit::Buckets::even(0.0..1.0, 10))?;
    /// assert_eq!(split.offsets[2..5], [0, 1, 2]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn even(range: Range<K>, buckets: u32) -> Self {
        Self::new(buckets, Bucket::even(range.start, range.end, buckets))
    }

    /// `buckets` buckets of `width` integer keys each, starting at `min`. Keys below `min` belong to the first
    /// bucket, keys past the end to the last.
    pub fn delta(min: K, width: u64, buckets: u32) -> Self {
        Self::new(buckets, Bucket::Delta { min: min.key_bits(), width })
    }

    /// [`delta`](Self::delta) over all values of an integer key type.
    pub fn delta_over_domain(buckets: u32) -> Self {
        Self::new(buckets, Bucket::delta_over_domain(K::TYPE, buckets))
    }

    /// The key itself is its bucket id. For floats and signed keys, the id is the bits of the key.
    pub fn identity(buckets: u32) -> Self {
        Self::new(buckets, Bucket::Identity)
    }

    /// Splits by these bits of the key, into 2^bits buckets.
    pub fn digit(bits: Range<u32>) -> Self {
        let (shift, bits) = (bits.start, bits.end.saturating_sub(bits.start));
        Self::new(count_of(bits), Bucket::Digit { shift, bits })
    }

    /// Splits by these bits of the unsigned number that compares like the key, as a radix sort does. If
    /// `descending` is set, the largest digit belongs to the first bucket.
    pub fn ordered_digit(bits: Range<u32>, descending: bool) -> Self {
        let (shift, bits) = (bits.start, bits.end.saturating_sub(bits.start));
        Self::new(count_of(bits), Bucket::OrderedDigit { shift, bits, descending })
    }

    /// Splits by sorted splitters. The bucket of a key is the number of splitters at or below it, so there is one
    /// bucket more than there are splitters.
    pub fn range(splitters: &[K]) -> Self {
        let buckets = u32::try_from(splitters.len()).unwrap_or(u32::MAX).saturating_add(1);
        Self::new(buckets, Bucket::range(splitters))
    }

    /// Splits by a GLSL function `uint bucket_of(K key)`. K is the GLSL type of the keys: `uint`, `int`, `float`,
    /// `uint64_t`, `int64_t` or `double`. Keys of 8 and 16 bits are converted to 32 bits.
    #[cfg(feature = "glsl")]
    pub fn glsl(buckets: u32, function: impl Into<Glsl>) -> Self {
        Self::new(buckets, Bucket::Glsl(function.into()))
    }

    /// Drops the static key type.
    pub fn untyped(self) -> Buckets {
        self.split.into()
    }
}

impl Buckets {
    /// Describes a split of keys whose type is known only at run time.
    pub fn of(key: KeyType, buckets: u32, function: Bucket) -> Self {
        Split::new(key, buckets, function).into()
    }

    /// The key type.
    pub fn key(&self) -> KeyType {
        self.split.key
    }
}

impl<K> Buckets<K> {
    /// Uses this method instead of `Auto`.
    #[must_use]
    pub fn method(self, method: Method) -> Self {
        self.split.by(method).into()
    }

    /// m, the number of buckets.
    pub fn count(&self) -> u32 {
        self.split.buckets
    }

    pub(crate) fn split(&self) -> &Split {
        &self.split
    }
}

fn count_of(bits: u32) -> u32 {
    1u32.checked_shl(bits).unwrap_or(u32::MAX)
}
