//! Bucket functions: which bucket a key belongs to, and how the kernels are told.

use std::sync::Arc;

use multisplit_graph::Buffer;
use multisplit_shaders::Kernel;
use multisplit_shaders::builtin::Builtin;

use super::Split;
use crate::error::{Error, Result};

/// What a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyType {
    /// Unsigned 32-bit.
    U32,
    /// Signed 32-bit.
    I32,
    /// 32-bit float.
    F32,
    /// Unsigned 64-bit.
    U64,
}

impl KeyType {
    /// Bytes of a key.
    pub fn bytes(self) -> u32 {
        if self == Self::U64 { 8 } else { 4 }
    }

    /// What a user's function in GLSL takes.
    #[cfg(feature = "glsl")]
    fn glsl(self) -> &'static str {
        match self {
            Self::U32 => "uint",
            Self::I32 => "int",
            Self::F32 => "float",
            Self::U64 => "uint64_t",
        }
    }

    /// The kernels' KEY_KIND.
    pub(super) fn kind(self) -> u32 {
        match self {
            Self::U32 | Self::U64 => 0,
            Self::I32 => 1,
            Self::F32 => 2,
        }
    }

    /// The bits of a 32-bit key as an unsigned number that compares like the key, floats in the
    /// order of `f32::total_cmp`.
    fn ordered(self, bits: u32) -> u32 {
        match self {
            Self::I32 => bits ^ 0x8000_0000,
            Self::F32 if bits >> 31 == 1 => !bits,
            Self::F32 => bits | 0x8000_0000,
            Self::U32 | Self::U64 => bits,
        }
    }
}

/// Which bucket a key belongs to.
#[derive(Clone, Debug)]
pub enum Bucket {
    /// Buckets of equal width from a minimum on. Keys below the minimum belong to the first, keys
    /// past the end to the last.
    Delta {
        /// The first key of the first bucket, as the bits of a key.
        min: u32,
        /// How many keys a bucket spans; not zero.
        width: u64,
    },
    /// The key is the number of its bucket.
    Identity,
    /// `bits` bits of the key from bit `shift` on.
    Digit {
        /// The lowest bit.
        shift: u32,
        /// How many.
        bits: u32,
    },
    /// m equal parts of the floats from `lo` to `hi`. Keys below belong to the first, keys above
    /// and NaN to the last.
    Even {
        /// Where the first bucket begins.
        lo: f32,
        /// Where the last bucket ends.
        hi: f32,
    },
    /// m - 1 sorted splitters, as the bits of keys: a key belongs to the bucket whose number is
    /// how many splitters are at or below it.
    Range(Vec<u32>),
    /// A GLSL function of the user's.
    #[cfg(feature = "glsl")]
    Glsl(super::glsl::UserBucket),
}

impl Bucket {
    /// [`Delta`](Self::Delta) over the whole domain of a 32-bit integer key.
    pub fn delta_over_domain(key: KeyType, buckets: u32) -> Self {
        let width = (1u64 << 32).div_ceil(u64::from(buckets.max(1)));
        Self::Delta { min: if key == KeyType::I32 { 0x8000_0000 } else { 0 }, width }
    }
}

/// A bucket function as the kernels see it.
pub(super) struct BucketCode {
    kind: u32,
    parameters: [u32; 3],
    splitters: Option<Vec<u32>>,
    #[cfg(feature = "glsl")]
    user: Option<super::glsl::UserBucket>,
}

const DIGIT: u32 = 0;
const DELTA: u32 = 1;
const EVEN: u32 = 2;
const RANGE: u32 = 3;

impl BucketCode {
    pub fn new(split: &Split) -> Result<Self> {
        let key = split.key;
        let plain = |kind, parameters| Ok(Self::plain(kind, parameters));
        let refuse = |problem: &str| {
            Err(Error::Bucket { key: format!("{key:?}"), problem: problem.to_owned() })
        };
        match &split.bucket {
            Bucket::Identity => plain(DIGIT, [0, u32::MAX, 0]),
            Bucket::Digit { shift, bits } => {
                if shift + bits > 8 * key.bytes() || *bits == 0 || *bits > 32 {
                    return refuse("the digit lies outside the key");
                }
                plain(DIGIT, [*shift, u32::MAX >> (32 - bits), 0])
            }
            #[cfg(feature = "glsl")]
            Bucket::Glsl(user) => {
                Ok(Self { user: Some(user.clone()), ..Self::plain(DIGIT, user.parameters) })
            }
            _ if key == KeyType::U64 => refuse("64-bit keys are split by digit or by GLSL"),
            Bucket::Delta { .. } if key == KeyType::F32 => refuse("floats are split by Even"),
            Bucket::Delta { width: 0, .. } => refuse("a width of zero"),
            Bucket::Delta { min, width } => Ok(delta(key, *min, *width, split.buckets)),
            Bucket::Even { .. } if key != KeyType::F32 => refuse("only floats are split by Even"),
            Bucket::Even { lo, hi } => {
                if !(lo < hi && lo.is_finite() && hi.is_finite()) {
                    return refuse("the range is empty or not finite");
                }
                let scale = split.buckets as f32 / (hi - lo);
                plain(EVEN, [lo.to_bits(), scale.to_bits(), 0])
            }
            Bucket::Range(splitters) => {
                if splitters.len() as u64 + 1 != u64::from(split.buckets) {
                    return refuse("m buckets have m - 1 splitters");
                }
                let mut words: Vec<u32> = splitters.iter().map(|&s| key.ordered(s)).collect();
                if !words.is_sorted() {
                    return refuse("the splitters are not sorted");
                }
                words.push(u32::MAX); // so that a table of one bucket is not empty
                Ok(Self { splitters: Some(words), ..Self::plain(RANGE, [0; 3]) })
            }
        }
    }

    fn plain(kind: u32, parameters: [u32; 3]) -> Self {
        Self {
            kind,
            parameters,
            splitters: None,
            #[cfg(feature = "glsl")]
            user: None,
        }
    }

    pub fn kind(&self) -> u32 {
        self.kind
    }

    pub fn parameters(&self) -> [u32; 3] {
        self.parameters
    }

    pub fn splitters(&self) -> Option<&[u32]> {
        self.splitters.as_deref()
    }

    /// The buffer that a user's function reads.
    pub fn user_table(&self) -> Option<Buffer> {
        #[cfg(feature = "glsl")]
        if let Some(user) = &self.user {
            return user.table;
        }
        None
    }

    /// The kernel with this bucket function in it.
    #[cfg_attr(not(feature = "glsl"), expect(unused_variables, reason = "only GLSL depends on it"))]
    pub fn kernel(&self, builtin: &Builtin, key: KeyType) -> Result<Arc<Kernel>> {
        #[cfg(feature = "glsl")]
        if let Some(user) = &self.user {
            return super::glsl::kernel(builtin, key.glsl(), &user.source);
        }
        Ok(builtin.kernel()?)
    }
}

/// A width that is a power of two over the whole domain is a digit: a shift is cheaper than a
/// division.
fn delta(key: KeyType, min: u32, width: u64, buckets: u32) -> BucketCode {
    let plain = BucketCode::plain;
    let min = key.ordered(min);
    let whole = min == 0 && width.saturating_mul(u64::from(buckets)) >= 1 << 32;
    match u32::try_from(width) {
        // One bucket takes all.
        Err(_) => plain(DIGIT, [0, 0, 0]),
        Ok(width) if whole && width.is_power_of_two() && key == KeyType::U32 => {
            plain(DIGIT, [width.trailing_zeros(), u32::MAX, 0])
        }
        Ok(width) => plain(DELTA, [min, width, (1.0 / width as f32).to_bits()]),
    }
}
