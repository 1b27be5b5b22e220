//! Multisplit: keys, key-value pairs or a permutation, put into m contiguous buckets that a
//! function of the key chooses. Ordered by bucket, stable within a bucket.
//!
//! [`add`] declares the passes of one split in a graph. [`Split`] says what is split how;
//! [`SplitBuffers`] where it is.

mod bucket;
mod chain;
mod counting;
mod full_sort;
#[cfg(feature = "glsl")]
pub(super) mod glsl;
mod host;
mod job;
mod key;
mod method;
mod onesweep;
mod reduced_bit;
mod scan_split;
mod stages;
mod tuning;
mod two_level;

pub use bucket::Bucket;
pub(in crate::primitives) use bucket::BucketCode;
pub(in crate::primitives) use chain::{EACH, number_elements};
#[cfg(feature = "glsl")]
pub use glsl::UserBucket;
pub use host::SplitResult;
pub(in crate::primitives) use job::{SplitPush, table};
pub use key::{Key, KeyType};
pub use method::{Method, SplitSizes};
pub use tuning::{Lockstep, SplitTuning, TileShape, TileShapes, ValuesAfter};

use multisplit_graph::{Buffer, Graph, View};

use super::{Count, Policy};
use crate::error::{Error, Result};
use job::{Function, Job, Kernels, bind_output, bind_outside, variant};

/// Most buckets.
pub const MAX_BUCKETS: u32 = 1 << 16;
/// Most buckets that are split in one go; more take two rounds.
pub const MAX_BUCKETS_OF_ROUND: u32 = 256;

/// What is split, and how.
#[derive(Clone, Debug)]
pub struct Split {
    /// What a key is.
    pub key: KeyType,
    /// m, the number of buckets.
    pub buckets: u32,
    /// Which bucket a key belongs to.
    pub bucket: Bucket,
    /// Which algorithm; `Auto` lets the policy choose.
    pub method: Method,
}

impl Split {
    /// A split of `key`s into `buckets` buckets by `bucket`, by the method that suits.
    pub fn new(key: KeyType, buckets: u32, bucket: Bucket) -> Self {
        Self { key, buckets, bucket, method: Method::Auto }
    }

    /// The same by another method.
    #[must_use]
    pub fn by(self, method: Method) -> Self {
        Self { method, ..self }
    }
}

/// The buffers of a split. None of the outputs may overlap an input.
#[derive(Clone, Copy, Debug)]
pub struct SplitBuffers {
    /// n, the number of elements.
    pub n: Count,
    /// The keys; only read.
    pub keys: Buffer,
    /// What comes out.
    pub output: SplitOutput,
    /// m + 1 words: where each bucket begins, and n.
    pub offsets: Buffer,
    /// One word, which gets the number of keys whose bucket function gave an id of m or more.
    /// They are treated as of the last bucket; where this is not zero, the output means nothing.
    pub outside: Option<Buffer>,
}

/// What a split gives.
#[derive(Clone, Copy, Debug)]
pub enum SplitOutput {
    /// The keys, in the order of their buckets.
    Keys(Buffer),
    /// Keys and values.
    Pairs {
        /// The keys, in the order of their buckets.
        keys: Buffer,
        /// One value for each key.
        values_in: Buffer,
        /// The values, in the order of the keys.
        values: Buffer,
        /// Size of a value: 4, 8 or 16.
        value_bytes: u32,
    },
    /// Word i says where element i goes.
    Permutation(Buffer),
}

/// What [`add`] chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedSplit {
    /// The method; never `Auto`.
    pub method: Method,
    /// How many splits follow each other: each moves every element.
    pub rounds: u32,
    /// Its sizes: where there are several rounds, those of the one with the most buckets.
    pub sizes: SplitSizes,
}

const WORD: u64 = 4;
/// Look-back keeps its state in the two top bits of a count.
const MAX_ELEMENTS: u64 = (1 << 30) - 1;

/// Adds the passes of `split` to the graph. `n = 0` adds one that writes the offsets.
pub fn add(
    graph: &mut Graph,
    policy: &Policy,
    split: &Split,
    buffers: &SplitBuffers,
) -> Result<AddedSplit> {
    check(split, buffers)?;
    policy.check()?;
    policy.split.check()?;
    let code = BucketCode::new(split)?;
    let method = method::choose(policy, split);
    if method == Method::FullSort {
        full_sort::descending(split, buffers.n)?;
    }
    let added = AddedSplit {
        method,
        rounds: method::rounds(method, split),
        sizes: method::sizes(policy, method, split, buffers),
    };
    tracing::debug!(?added, n = ?buffers.n, m = split.buckets, "multisplit");
    if let Some(outside) = buffers.outside {
        super::fill(graph, policy, "multisplit.clear.outside", outside.elements::<u32>(0, 1), 0)?;
    }
    if buffers.n.most() == 0 {
        super::fill(graph, policy, "multisplit.empty", offsets(split, buffers), 0)?;
        return Ok(added);
    }
    let function = Function::declare(graph, &code, split.buckets);
    let mut job = Job::new(graph, policy, split, buffers, function, added.sizes);
    match method {
        Method::ScanSplit => scan_split::add(&mut job)?,
        Method::ReducedBitSort => reduced_bit::add(&mut job)?,
        Method::FullSort => full_sort::add(&mut job)?,
        _ if added.rounds > 1 => two_level::add(&mut job, method)?,
        _ => one_round(&mut job, method)?,
    }
    Ok(added)
}

/// A split by one of the methods that take one round.
fn one_round(job: &mut Job<'_>, method: Method) -> Result<()> {
    match method {
        Method::OneSweep => onesweep::add(job),
        _ => stages::add(job, method),
    }
}

fn check(split: &Split, buffers: &SplitBuffers) -> Result<()> {
    if split.buckets == 0 {
        return Err(Error::NoBuckets);
    }
    if split.buckets > MAX_BUCKETS {
        let (asked, limit) = (u64::from(split.buckets), u64::from(MAX_BUCKETS));
        return Err(Error::TooLarge { what: "number of buckets", asked, limit });
    }
    let n = buffers.n.most();
    if n > MAX_ELEMENTS {
        let (asked, limit) = (n, MAX_ELEMENTS);
        return Err(Error::TooLarge { what: "number of elements", asked, limit });
    }
    let key = u64::from(split.key.bytes());
    let large_enough = |name: &str, buffer: Buffer, element: u64, count: u64| {
        let (size, needed) = (buffer.size(), element * count);
        if size >= needed {
            return Ok(());
        }
        Err(Error::BufferTooSmall { name: format!("multisplit.{name}"), size, needed })
    };
    large_enough("keys", buffers.keys, key, n)?;
    large_enough("offsets", buffers.offsets, WORD, u64::from(split.buckets) + 1)?;
    if let Some(outside) = buffers.outside {
        large_enough("outside", outside, WORD, 1)?;
    }
    match buffers.output {
        SplitOutput::Keys(keys) => large_enough("keys_out", keys, key, n),
        SplitOutput::Permutation(words) => large_enough("permutation", words, WORD, n),
        SplitOutput::Pairs { keys, values_in, values, value_bytes } => {
            if ![4, 8, 16].contains(&value_bytes) {
                let (asked, limit) = (u64::from(value_bytes), 16);
                return Err(Error::TooLarge {
                    what: "bytes of a value (4, 8 or 16)",
                    asked,
                    limit,
                });
            }
            let value = u64::from(value_bytes);
            large_enough("keys_out", keys, key, n)?;
            large_enough("values", values_in, value, n)?;
            large_enough("values_out", values, value, n)
        }
    }
}

fn offsets(split: &Split, buffers: &SplitBuffers) -> View {
    buffers.offsets.elements::<u32>(0, u64::from(split.buckets) + 1)
}
