//! Descriptions of splits: bucket function, number of buckets, and method.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use crate::elements::key::{Key, KeyType, SIGNED};
#[cfg(feature = "glsl")]
use crate::operations::shared::glsl::Glsl;
use crate::policy::method::Method;

/// Maximum number of buckets.
pub const MAX_BUCKETS: u32 = 1 << 16;
/// Maximum number of buckets of one round. Except by `ScanSplit` and `FullSort`, a split into more takes two rounds.
pub const MAX_BUCKETS_OF_ROUND: u32 = 256;

/// A bucket function for keys whose type is known only at run time. Parameters are given as the bits of keys.
/// [`Buckets`] is the typed form.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Bucket {
    /// For integers: buckets of equal width that start at a minimum. Keys below the minimum belong to the first
    /// bucket, keys past the end to the last.
    Delta {
        /// First key of the first bucket, as the bits of a key ([`Key::key_bits`]).
        min: u64,
        /// Number of key values per bucket; not zero.
        width: u64,
    },
    /// The bucket id is the key. For floats and signed keys, it is the bits of the key.
    Identity,
    /// The bucket id is `bits` bits of the key, starting at bit `shift`.
    Digit {
        /// Lowest bit.
        shift: u32,
        /// Number of bits.
        bits: u32,
    },
    /// Like `Digit`, but with the bits of an unsigned number that has the same order as the keys. Radix sorts use
    /// this for signed and float keys. An unsigned key is its own number.
    OrderedDigit {
        /// Lowest bit.
        shift: u32,
        /// Number of bits.
        bits: u32,
        /// Whether the largest digit belongs to the first bucket.
        descending: bool,
    },
    /// m equal parts of the floats from `lo` to `hi`. [`Buckets::even`] documents their edges. Keys below `lo` belong
    /// to the first bucket; keys above `hi` and NaN belong to the last. `lo` and `hi` are rounded to the key type (to
    /// `f32` for `f16` and `bf16`).
    Even {
        /// Lower edge of the first bucket.
        lo: f64,
        /// Upper edge of the last bucket.
        hi: f64,
    },
    /// m - 1 splitters in ascending order, as the bits of keys ([`Bucket::range`] takes keys). The bucket id of a key
    /// is the number of splitters at or below it.
    Range(Vec<u64>),
    /// A user's function in GLSL.
    #[cfg(feature = "glsl")]
    Glsl(Glsl),
}

impl Bucket {
    /// [`Delta`](Self::Delta) buckets that cover all values of an integer key type.
    pub fn delta_over_domain(key: KeyType, buckets: u32) -> Self {
        let width = (1u128 << key.bits()).div_ceil(u128::from(buckets.max(1)));
        // Only a single bucket can have a width of more than 64 bits.
        let width = u64::try_from(width).unwrap_or(u64::MAX);
        let signed = key.kind() == SIGNED;
        Self::Delta { min: if signed { 1 << (key.bits() - 1) } else { 0 }, width }
    }

    /// Divides the keys from `start` to `end` into `buckets` equal parts. If the width of an integer range is not
    /// divisible by the number of parts, splitters are used.
    pub fn even<K: Key>(start: K, end: K, buckets: u32) -> Self {
        let (lo, hi) = (start.key_bits(), end.key_bits());
        if K::TYPE.is_float() {
            return Self::Even { lo: K::TYPE.float(lo), hi: K::TYPE.float(hi) };
        }
        let (first, last) = (K::TYPE.ordered(lo), K::TYPE.ordered(hi));
        let (span, m) = (u128::from(last.saturating_sub(first)), u128::from(buckets.max(1)));
        // An empty range leads to a width of zero, which is rejected later.
        if span.is_multiple_of(m) {
            return Self::Delta { min: lo, width: (span / m) as u64 };
        }
        let splitter = |k: u128| K::TYPE.unordered(first + (k * span).div_ceil(m) as u64);
        Self::Range((1..m).map(splitter).collect())
    }

    /// [`Range`](Self::Range) buckets with these splitters.
    pub fn range<K: Key>(splitters: &[K]) -> Self {
        Self::Range(splitters.iter().map(|splitter| splitter.key_bits()).collect())
    }

    /// Whether this is a user's function in GLSL.
    pub(super) fn is_user_defined(&self) -> bool {
        #[cfg(feature = "glsl")]
        return matches!(self, Self::Glsl(_));
        #[cfg(not(feature = "glsl"))]
        false
    }
}

/// Description of a split whose key type is known only at run time.
#[derive(Clone, Debug)]
#[must_use]
pub(crate) struct Split {
    pub key: KeyType,
    /// The number of buckets, m.
    pub buckets: u32,
    pub bucket: Bucket,
    pub method: Method,
    /// Whether recordings may set other edges.
    pub settable: bool,
}

impl Split {
    pub fn new(key: KeyType, buckets: u32, bucket: Bucket) -> Self {
        Self { key, buckets, bucket, method: Method::Auto, settable: false }
    }

    pub fn by(self, method: Method) -> Self {
        Self { method, ..self }
    }
}

/// Marker type for keys or samples whose type is known only at run time.
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
#[must_use]
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

    /// Divides a range into `buckets` equal parts. Keys below the range belong to the first bucket; keys above it and
    /// NaN belong to the last.
    ///
    /// Part k begins at edge k. For integers, edge k is `start + k * (end - start) / buckets`, rounded up. For
    /// floats, edge k is `k * ((end - start) / buckets) + start`. Each operation is rounded to the key type (to `f32`
    /// for `f16` and `bf16`), as in NumPy's `linspace`, and intermediate results do not overflow. Edges are clamped
    /// to `end`. [`Bins::even`](crate::Bins::even) has the same edges.
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

    /// Defines `buckets` buckets of `width` integer keys each, starting at `min`. Keys below `min` belong to the
    /// first bucket, keys past the end to the last.
    pub fn delta(min: K, width: u64, buckets: u32) -> Self {
        Self::new(buckets, Bucket::Delta { min: min.key_bits(), width })
    }

    /// [`delta`](Self::delta) buckets that cover all values of an integer key type.
    pub fn delta_over_domain(buckets: u32) -> Self {
        Self::new(buckets, Bucket::delta_over_domain(K::TYPE, buckets))
    }

    /// The bucket id is the key. For floats and signed keys, it is the bits of the key.
    pub fn identity(buckets: u32) -> Self {
        Self::new(buckets, Bucket::Identity)
    }

    /// Splits by these bits of the key, into 2^bits buckets.
    pub fn digit(bits: Range<u32>) -> Self {
        let (shift, bits) = (bits.start, bits.end.saturating_sub(bits.start));
        Self::new(count_of(bits), Bucket::Digit { shift, bits })
    }

    /// Splits by these bits of an unsigned number that has the same order as the keys, as a radix sort does. If
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

    /// Converts to buckets whose key type is known only at run time.
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
    /// Sets the method. The default is `Auto`.
    pub fn method(self, method: Method) -> Self {
        self.split.by(method).into()
    }

    /// Allows each recording to set other edges ([`edge_values`](Self::edge_values)). For delta, even and range
    /// buckets, of which there may be at most 256. Splits by splitters then find the bucket of a key by a binary
    /// search, which for more than 128 buckets is slower than the usual search. The methods `ScanSplit`,
    /// `ReducedBitSort` and `FullSort` are not supported.
    pub fn settable(mut self) -> Self {
        self.split.settable = true;
        self
    }

    /// The number of buckets, m.
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
