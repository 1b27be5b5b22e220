//! Multisplit: keys, key-value pairs or a permutation, put into m contiguous buckets that a
//! function of the key chooses. Ordered by bucket, stable within a bucket.
//!
//! [`split`](super::split()) declares the passes of one split in a graph: [`Buckets`] says how,
//! [`SplitBuffers`] where. [`Context::split`](crate::Context::split) and its kin do everything in
//! one call.

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

use super::arrays::{check_element, check_room};
use super::key::{KeyType, value_bytes};
use super::{Count, Policy};
use crate::error::{Error, Result};
use crate::policy::MAX_ELEMENTS;
use job::{Function, SplitPasses, bind_out_of_range, bind_output, variant};

/// The most buckets.
pub const MAX_BUCKETS: u32 = 1 << 16;
/// The most buckets that one round splits into; more take two rounds.
pub const MAX_BUCKETS_OF_ROUND: u32 = 256;

/// A split of keys of a type.
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

/// Where the arrays of a split are in a graph. None of the outputs may overlap an input.
#[derive(Clone, Copy, Debug)]
pub struct SplitBuffers {
    pub(in crate::primitives) n: Count,
    pub(in crate::primitives) keys: Buffer,
    pub(in crate::primitives) output: SplitOutput,
    pub(in crate::primitives) offsets: Buffer,
    pub(in crate::primitives) out_of_range: Option<Buffer>,
}

impl SplitBuffers {
    /// `keys_out` gets the keys in the order of their buckets, `offsets` (m + 1 words) where each
    /// bucket begins, and n.
    pub fn keys(keys: Buffer, keys_out: Buffer, offsets: Buffer) -> Self {
        Self::new(keys, SplitOutput::Keys(keys_out), offsets)
    }

    /// The same; `values_out` gets the values in the order of the keys.
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

    /// Word i of `permutation` gets where element i would go.
    pub fn permutation(keys: Buffer, permutation: Buffer, offsets: Buffer) -> Self {
        Self::new(keys, SplitOutput::Permutation(permutation), offsets)
    }

    fn new(keys: Buffer, output: SplitOutput, offsets: Buffer) -> Self {
        Self { n: Count::Host(keys.len()), keys, output, offsets, out_of_range: None }
    }

    /// The first `n` elements, by a host count or a device count.
    #[must_use]
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// One word, which gets the number of keys whose bucket function gave an id of m or more. They
    /// are put into the last bucket; where this is not zero, the output means nothing.
    #[must_use]
    pub fn out_of_range(self, keys: Buffer) -> Self {
        Self { out_of_range: Some(keys), ..self }
    }

    /// Every array is of the type that it has to be.
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

/// What a split gives.
#[derive(Clone, Copy, Debug)]
pub(in crate::primitives) enum SplitOutput {
    Keys(Buffer),
    Pairs { keys: Buffer, values_in: Buffer, values: Buffer, value_bytes: u32 },
    Permutation(Buffer),
}

/// What [`split`](super::split()) chose.
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

/// Adds the passes of a split of keys of a type; of a full sort only what comes before it.
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
        // A sort, which is built on this; then the offsets are found.
        Method::FullSort => {}
        _ if added.rounds > 1 => two_level::add(&mut job, method)?,
        _ => one_round(&mut job, method)?,
    }
    Ok(added)
}

/// Adds the pass that finds the offsets, and how many ids are out of range, in keys that are sorted: those
/// of `sorted`.
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

/// A split by one of the methods that take one round.
fn one_round(job: &mut SplitPasses<'_>, method: Method) -> Result<()> {
    match method {
        Method::OneSweep => onesweep::add(job),
        _ => stages::add(job, method),
    }
}

/// The bucket function is one of these keys, with parameters that make sense.
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
        check_room(&format!("multisplit.{name}"), buffer, element * count)
    };
    check_room("multisplit.keys", buffers.keys, key_bytes)?;
    large_enough("offsets", buffers.offsets, WORD, u64::from(split.buckets) + 1)?;
    if let Some(out_of_range) = buffers.out_of_range {
        large_enough("out_of_range", out_of_range, WORD, 1)?;
    }
    match buffers.output {
        SplitOutput::Keys(keys) => check_room("multisplit.keys_out", keys, key_bytes),
        SplitOutput::Permutation(words) => large_enough("permutation", words, WORD, n),
        SplitOutput::Pairs { keys, values_in, values, value_bytes } => {
            let value = u64::from(value_bytes);
            check_room("multisplit.keys_out", keys, key_bytes)?;
            large_enough("values", values_in, value, n)?;
            large_enough("values_out", values, value, n)
        }
    }
}

fn offsets(split: &Split, buffers: &SplitBuffers) -> View {
    buffers.offsets.elements::<u32>(0, u64::from(split.buckets) + 1)
}
