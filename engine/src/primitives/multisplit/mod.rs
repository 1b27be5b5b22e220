//! Multisplit: reorders keys or key-value pairs into m contiguous buckets, or computes the permutation that does
//! so. A function of the key selects its bucket. The result is in bucket order and stable within a bucket.
//!
//! [`split`](super::split()) declares the passes of one split in a graph. [`Buckets`] describes the split, and
//! [`SplitBuffers`] its arrays. [`Context::split`](crate::Context::split) and related methods do everything in one
//! call.

mod bucket;
mod buckets;
mod chain;
mod find_offsets;
#[cfg(feature = "glsl")]
pub(super) mod glsl;
mod job;
mod method;
mod onesweep;
mod push;
mod reduced_bit;
mod scan_split;
pub(crate) mod sizes;
mod stages;
mod two_level;

pub use crate::policy::method::{Method, Ranking, ValuesAfter};
pub use crate::policy::tile::{TileShape, TileShapes};
pub use bucket::Bucket;
pub(in crate::primitives) use bucket::BucketCode;
pub use buckets::{AnyType, Buckets};
pub(crate) use chain::EACH;
pub(in crate::primitives) use chain::{each, number_elements};
#[cfg(feature = "glsl")]
pub use glsl::Glsl;
pub(in crate::primitives) use job::{Kernels, order_status};
pub use method::SplitSizes;
pub(in crate::primitives) use push::{BucketWords, SplitBy, SplitPush};
pub use sizes::SplitTuning;

use multisplit_graph::{Buffer, ElementType, Graph, View};

use super::arrays::{check_element, check_size};
use super::key::{KeyType, value_bytes};
use super::{Count, Policy};
use crate::error::{Error, Result};
use crate::policy::MAX_ELEMENTS;
use job::{Function, SplitPasses, bind_out_of_range, bind_output, variant};

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

/// The arrays of a split in a graph. No output may overlap an input.
#[derive(Clone, Copy, Debug)]
pub struct SplitBuffers {
    pub(in crate::primitives) n: Count,
    pub(in crate::primitives) keys: Buffer,
    pub(in crate::primitives) output: SplitOutput,
    pub(in crate::primitives) offsets: Buffer,
    pub(in crate::primitives) out_of_range: Option<Buffer>,
}

impl SplitBuffers {
    /// `keys_out` receives the keys in bucket order. `offsets` (m + 1 words) receives the offset of each bucket,
    /// then n.
    pub fn keys(keys: Buffer, keys_out: Buffer, offsets: Buffer) -> Self {
        Self::new(keys, SplitOutput::Keys(keys_out), offsets)
    }

    /// Like [`keys`](Self::keys()); `values_out` receives the values in the order of the keys.
    pub fn pairs(
        (keys, values): (Buffer, Buffer),
        (keys_out, values_out): (Buffer, Buffer),
        offsets: Buffer,
    ) -> Self {
        let value_bytes = values.element().bytes().unwrap_or(0);
        let output = SplitOutput::Pairs {
            keys: keys_out,
            values_in: values,
            values: values_out,
            value_bytes,
        };
        Self::new(keys, output, offsets)
    }

    /// Word i of `permutation` receives the destination index of element i. No element is moved.
    pub fn permutation(keys: Buffer, permutation: Buffer, offsets: Buffer) -> Self {
        Self::new(keys, SplitOutput::Permutation(permutation), offsets)
    }

    fn new(keys: Buffer, output: SplitOutput, offsets: Buffer) -> Self {
        Self { n: Count::Host(keys.len()), keys, output, offsets, out_of_range: None }
    }

    /// Limits the split to the first `n` elements, given as a host count or a device count.
    #[must_use]
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// Sets a buffer of one word that receives the number of keys whose bucket id is m or more. Such keys are put
    /// into the last bucket. If the number is not zero, the output is invalid.
    #[must_use]
    pub fn out_of_range(self, keys: Buffer) -> Self {
        Self { out_of_range: Some(keys), ..self }
    }

    /// Checks the element types of all arrays.
    pub(in crate::primitives) fn check_types(&self) -> Result<()> {
        let words = |name, buffer| check_element(name, buffer, ElementType::U32);
        words("offsets", self.offsets)?;
        self.out_of_range.map_or(Ok(()), |buffer| words("out_of_range", buffer))?;
        let key = self.keys.element();
        match self.output {
            SplitOutput::Keys(out) => check_element("keys.out", out, key),
            SplitOutput::Permutation(out) => words("permutation", out),
            SplitOutput::Pairs { keys, values_in, values, .. } => {
                check_element("keys.out", keys, key)?;
                value_bytes(values_in)?;
                check_element("values.out", values, values_in.element())
            }
        }
    }
}

/// Output arrays of a split; for pairs, also the input values.
#[derive(Clone, Copy, Debug)]
pub(in crate::primitives) enum SplitOutput {
    Keys(Buffer),
    Pairs { keys: Buffer, values_in: Buffer, values: Buffer, value_bytes: u32 },
    Permutation(Buffer),
}

/// The method and sizes that [`split`](super::split()) chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedSplit {
    /// The method; never `Auto`.
    pub method: Method,
    /// Number of consecutive splits, each moving every element.
    pub rounds: u32,
    /// Sizes. With several rounds, those of the round with the most buckets.
    pub sizes: SplitSizes,
}

const WORD: u64 = 4;

/// Adds the passes of a split. For a full sort, adds only the passes that precede the sort.
pub(in crate::primitives) fn add(
    graph: &mut Graph,
    policy: &Policy,
    split: &Split,
    buffers: &SplitBuffers,
) -> Result<AddedSplit> {
    check(split, buffers)?;
    policy.check()?;
    policy.split.check_on(&policy.facts)?;
    graph.sized_for_subgroups(policy.facts.subgroup_size);
    let code = BucketCode::new(policy, split)?;
    let method = method::choose(policy, split);
    let added = AddedSplit {
        method,
        rounds: method::rounds(method, split),
        sizes: method::sizes(policy, method, split, buffers),
    };
    tracing::debug!(?added, n = ?buffers.n, m = split.buckets, "multisplit");
    if let Some(out_of_range) = buffers.out_of_range {
        super::fill(
            graph,
            policy,
            "multisplit.clear.out_of_range",
            out_of_range.elements::<u32>(0, 1),
            0,
        )?;
    }
    if buffers.n.max() == 0 {
        super::fill(graph, policy, "multisplit.empty", offsets(split, buffers), 0)?;
        return Ok(added);
    }
    let function = Function::declare(graph, &code, split.buckets);
    let mut job = SplitPasses::new(graph, policy, split, buffers, function, added.sizes);
    match method {
        Method::ScanSplit => scan_split::add(&mut job)?,
        Method::ReducedBitSort => reduced_bit::add(&mut job)?,
        // The caller adds the sort, which is built on this module, and then the offsets.
        Method::FullSort => {}
        _ if added.rounds > 1 => two_level::add(&mut job, method)?,
        _ => one_round(&mut job, method)?,
    }
    Ok(added)
}

/// Adds the pass that finds the offsets, and the number of ids out of range, in the sorted keys of `sorted`.
pub(in crate::primitives) fn add_offsets(
    graph: &mut Graph,
    policy: &Policy,
    split: &Split,
    sorted: &SplitBuffers,
) -> Result<()> {
    let code = BucketCode::new(policy, split)?;
    let function = Function::declare(graph, &code, split.buckets);
    let sizes = method::sizes(policy, split.method, split, sorted);
    find_offsets::add(&mut SplitPasses::new(graph, policy, split, sorted, function, sizes))
}

/// Adds a split by a method that takes one round.
fn one_round(job: &mut SplitPasses<'_>, method: Method) -> Result<()> {
    match method {
        Method::OneSweep => onesweep::add(job),
        _ => stages::add(job, method),
    }
}

/// Rejects bucket functions that do not support the key type or whose parameters are invalid.
pub(crate) fn check_function(policy: &Policy, split: &Split) -> Result<()> {
    BucketCode::new(policy, split).map(drop)
}

pub(in crate::primitives) fn check(split: &Split, buffers: &SplitBuffers) -> Result<()> {
    if split.buckets == 0 {
        return Err(Error::NoBuckets);
    }
    if split.buckets > MAX_BUCKETS {
        let (asked, limit) = (u64::from(split.buckets), u64::from(MAX_BUCKETS));
        return Err(Error::TooLarge { what: "number of buckets", asked, limit });
    }
    let n = buffers.n.max();
    if n > MAX_ELEMENTS {
        let (asked, limit) = (n, MAX_ELEMENTS);
        return Err(Error::TooLarge { what: "number of elements", asked, limit });
    }
    let key_bytes = split.key.array_bytes(n);
    let large_enough = |name: &str, buffer: Buffer, element: u64, count: u64| {
        check_size(&format!("multisplit.{name}"), buffer, element * count)
    };
    check_size("multisplit.keys", buffers.keys, key_bytes)?;
    large_enough("offsets", buffers.offsets, WORD, u64::from(split.buckets) + 1)?;
    if let Some(out_of_range) = buffers.out_of_range {
        large_enough("out_of_range", out_of_range, WORD, 1)?;
    }
    match buffers.output {
        SplitOutput::Keys(keys) => check_size("multisplit.keys_out", keys, key_bytes),
        SplitOutput::Permutation(words) => large_enough("permutation", words, WORD, n),
        SplitOutput::Pairs { keys, values_in, values, value_bytes } => {
            let value = u64::from(value_bytes);
            check_size("multisplit.keys_out", keys, key_bytes)?;
            large_enough("values", values_in, value, n)?;
            large_enough("values_out", values, value, n)
        }
    }
}

fn offsets(split: &Split, buffers: &SplitBuffers) -> View {
    buffers.offsets.elements::<u32>(0, u64::from(split.buckets) + 1)
}
