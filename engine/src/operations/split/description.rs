//! Description of a split, and the method and sizes chosen for it.

use super::{Bucket, Method, SplitSizes};
use crate::elements::key::KeyType;

/// Maximum number of buckets.
pub const MAX_BUCKETS: u32 = 1 << 16;
/// Maximum number of buckets of one round. More buckets take two rounds.
pub const MAX_BUCKETS_OF_ROUND: u32 = 256;

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

/// The method and sizes that [`split`](crate::operations::split()) chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedSplit {
    /// The method; never `Auto`.
    pub method: Method,
    /// Number of consecutive splits, each moving every element.
    pub rounds: u32,
    /// Sizes. With several rounds, those of the round with the most buckets.
    pub sizes: SplitSizes,
}
