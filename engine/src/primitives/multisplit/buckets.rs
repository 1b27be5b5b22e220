//! How keys are split: the bucket function with its parameters, the number of buckets, the method.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use super::{Bucket, Method, Split};
use crate::primitives::key::{Key, KeyType};

/// The type of keys or samples that is known only when the program runs.
#[derive(Clone, Copy, Debug)]
pub enum AnyType {}

/// How an array is split: which bucket a key of type `K` belongs to, how many buckets there are,
/// and by which method.
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
/// Parameters of another type than the keys do not compile:
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

    /// `buckets` equal parts of a range. Keys below belong to the first bucket; keys above, and NaN,
    /// to the last.
    ///
    /// Part k begins at edge k. Edge k of integers is `start + k * (end - start) / buckets`, rounded up.
    /// Edge k of floats is `k * ((end - start) / buckets) + start`, with every operation rounded to
    /// the type (to `f32` for `f16` and `bf16`), as in NumPy's `linspace`; it is `end` where that is
    /// less, and no operation overflows. [`Bins::even`](crate::Bins::even) has the same edges.
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

    /// `buckets` buckets of `width` keys each, the first one from `min` on. Keys below belong to the
    /// first bucket, keys past the end to the last. For integers.
    pub fn delta(min: K, width: u64, buckets: u32) -> Self {
        Self::new(buckets, Bucket::Delta { min: min.key_bits(), width })
    }

    /// [`delta`](Self::delta) over all the values that an integer key can have.
    pub fn delta_over_domain(buckets: u32) -> Self {
        Self::new(buckets, Bucket::delta_over_domain(K::TYPE, buckets))
    }

    /// The key (of floats and of signed keys, its bits) is the number of its bucket.
    pub fn identity(buckets: u32) -> Self {
        Self::new(buckets, Bucket::Identity)
    }

    /// These bits of the key: 2^bits buckets.
    pub fn digit(bits: Range<u32>) -> Self {
        let (shift, bits) = (bits.start, bits.end.saturating_sub(bits.start));
        Self::new(count_of(bits), Bucket::Digit { shift, bits })
    }

    /// These bits of the unsigned number that compares like the key, which is what a radix sort goes
    /// by; in descending order the largest digit is the first bucket.
    pub fn ordered_digit(bits: Range<u32>, descending: bool) -> Self {
        let (shift, bits) = (bits.start, bits.end.saturating_sub(bits.start));
        Self::new(count_of(bits), Bucket::OrderedDigit { shift, bits, descending })
    }

    /// Between sorted splitters: a key belongs to the bucket whose number is how many splitters are
    /// at or below it. There is one bucket more than there are splitters.
    pub fn range(splitters: &[K]) -> Self {
        let buckets = u32::try_from(splitters.len()).unwrap_or(u32::MAX).saturating_add(1);
        Self::new(buckets, Bucket::range(splitters))
    }

    /// A GLSL function `uint bucket_of(K key)`; K is `uint`, `int`, `float`, `uint64_t`, `int64_t` or
    /// `double` after the type of the keys, of which those of 8 and 16 bits come as numbers of 32.
    #[cfg(feature = "glsl")]
    pub fn glsl(buckets: u32, function: impl Into<super::Glsl>) -> Self {
        Self::new(buckets, Bucket::Glsl(function.into()))
    }

    /// The same for keys whose type is known only when the program runs.
    pub fn untyped(self) -> Buckets {
        self.split.into()
    }
}

impl Buckets {
    /// `buckets` buckets of keys of a type that is known only when the program runs.
    pub fn of(key: KeyType, buckets: u32, function: Bucket) -> Self {
        Split::new(key, buckets, function).into()
    }

    /// What a key is.
    pub fn key(&self) -> KeyType {
        self.split.key
    }
}

impl<K> Buckets<K> {
    /// By this method instead of the one that suits.
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
