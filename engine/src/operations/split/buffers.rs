//! The arrays of a split in a graph, and the results of splits.

use bytemuck::Pod;
use multisplit_graph::{Buffer, ElementType, View};

use super::description::{MAX_BUCKETS, Split};
use crate::elements::key::value_bytes;
use crate::error::{Error, Result};
use crate::memory::Place;
use crate::operations::shared::{Count, WORD, check_element, check_limit, check_size};
use crate::policy::MAX_ELEMENTS;
use crate::policy::method::Method;

/// Arrays of a split in a graph. No output may overlap an input.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct SplitBuffers {
    pub(in crate::operations) n: Count,
    pub(in crate::operations) keys: Buffer,
    pub(in crate::operations) output: SplitOutput,
    pub(in crate::operations) offsets: Buffer,
    pub(in crate::operations) out_of_range: Option<Buffer>,
}

impl SplitBuffers {
    /// Splits keys without values. `keys_out` receives the keys in bucket order. `offsets` is an array of m + 1 `u32`
    /// for m buckets; it receives the offset of each bucket, then n.
    pub fn keys(keys: Buffer, keys_out: Buffer, offsets: Buffer) -> Self {
        Self::new(keys, SplitOutput::Keys(keys_out), offsets)
    }

    /// Splits pairs, like [`keys`](Self::keys()). `values_out` receives the values in the order of the keys.
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

    /// Computes the destination of each element without moving elements. Word i of `permutation` receives the
    /// destination index of element i.
    pub fn permutation(keys: Buffer, permutation: Buffer, offsets: Buffer) -> Self {
        Self::new(keys, SplitOutput::Permutation(permutation), offsets)
    }

    fn new(keys: Buffer, output: SplitOutput, offsets: Buffer) -> Self {
        Self { n: Count::Host(keys.len()), keys, output, offsets, out_of_range: None }
    }

    /// Splits only the first `n` elements. `n` is a host count or a device count.
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// Writes the number of keys whose bucket id is m or more to the first word of `number`. Such keys are moved to
    /// the last bucket. If the number is not zero, the output is invalid.
    pub fn out_of_range(self, number: Buffer) -> Self {
        Self { out_of_range: Some(number), ..self }
    }

    /// View of the offsets of m buckets.
    pub(in crate::operations) fn offsets_of(&self, buckets: u32) -> View {
        self.offsets.elements::<u32>(0, u64::from(buckets) + 1)
    }

    /// Checks the element types of all arrays.
    pub(in crate::operations) fn check_types(&self) -> Result<()> {
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

    /// Checks the number of buckets, the count, and the sizes of all arrays.
    pub(super) fn check_sizes(&self, split: &Split) -> Result<()> {
        if split.buckets == 0 {
            return Err(Error::NoBuckets);
        }
        check_limit("number of buckets of a split", split.buckets.into(), MAX_BUCKETS)?;
        let n = self.n.max();
        check_limit("number of elements of a split", n, MAX_ELEMENTS)?;
        let check = |name: &str, buffer: Buffer, bytes: u64| {
            check_size(&format!("multisplit.{name}"), buffer, bytes)
        };
        let key_bytes = split.key.array_bytes(n);
        check("keys", self.keys, key_bytes)?;
        check("offsets", self.offsets, WORD * (u64::from(split.buckets) + 1))?;
        if let Some(out_of_range) = self.out_of_range {
            check("out_of_range", out_of_range, WORD)?;
        }
        match self.output {
            SplitOutput::Keys(keys) => check("keys_out", keys, key_bytes),
            SplitOutput::Permutation(words) => check("permutation", words, WORD * n),
            SplitOutput::Pairs { keys, values_in, values, value_bytes } => {
                let size = u64::from(value_bytes) * n;
                check("keys_out", keys, key_bytes)?;
                check("values", values_in, size)?;
                check("values_out", values, size)
            }
        }
    }
}

/// Output arrays of a split. For pairs, this also contains the input values.
#[derive(Clone, Copy, Debug)]
pub(in crate::operations) enum SplitOutput {
    Keys(Buffer),
    Pairs { keys: Buffer, values_in: Buffer, values: Buffer, value_bytes: u32 },
    Permutation(Buffer),
}

impl SplitOutput {
    /// Size of a value in bytes; `None` unless pairs are split.
    pub fn value_bytes(self) -> Option<u32> {
        match self {
            Self::Pairs { value_bytes, .. } => Some(value_bytes),
            _ => None,
        }
    }
}

/// The method and sizes of an added split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedSplit {
    /// The method. Never `Auto`.
    pub method: Method,
    /// Number of consecutive splits. Each of them moves every element. For `FullSort`: the bytes of a key, at least 4.
    pub rounds: u32,
    /// The sizes. With several rounds, these are approximately the sizes of the round with the most buckets.
    pub sizes: SplitSizes,
}

/// The sizes of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitSizes {
    /// Workgroup size.
    pub threads: u32,
    /// Number of keys per thread and tile. For `Direct`, a tile is one subgroup of keys (a window), so this is one.
    pub items: u32,
    /// Number of steps in which the keys of a tile pass through shared memory.
    pub turns: u32,
    /// Number of tiles per subproblem.
    pub parts: u32,
    /// Whether `Block` and `OneSweep` count keys by atomics in shared memory instead of by ballots.
    pub count_by_atomics: bool,
    /// Number of copies of the counters, if keys are counted by atomics.
    pub counter_copies: u32,
    /// Whether the prescan stores the bucket id of each key as a label, which the postscan reads.
    pub labels: bool,
}

impl SplitSizes {
    /// Number of keys per subproblem of the block-level method, whose tiles belong to a whole workgroup.
    pub(super) fn keys_of_block_subproblem(&self) -> u32 {
        self.threads * self.items * self.parts
    }
}

/// Result of a split of keys: `Vec`s if the keys were on the host, device arrays if they were on the device.
#[derive(Debug)]
pub struct SplitKeys<P: Place, K: Pod> {
    /// The keys in bucket order. Keys keep their input order within a bucket, unless `Method::FullSort` sorted them.
    pub keys: P::Array<K>,
    /// Offset of each bucket, then n.
    pub offsets: P::Array<u32>,
    /// The method used.
    pub method: Method,
}

/// Result of a split of key-value pairs.
#[derive(Debug)]
pub struct SplitPairs<P: Place, K: Pod, V: Pod> {
    /// The keys in bucket order. Keys keep their input order within a bucket, unless `Method::FullSort` sorted them.
    pub keys: P::Array<K>,
    /// The values in the order of the keys.
    pub values: P::Array<V>,
    /// Offset of each bucket, then n.
    pub offsets: P::Array<u32>,
    /// The method used.
    pub method: Method,
}

/// Result of a split that computes the permutation and does not move elements.
#[derive(Debug)]
pub struct SplitPermutation<P: Place> {
    /// Destination index of each element.
    pub permutation: P::Array<u32>,
    /// Offset of each bucket, then n.
    pub offsets: P::Array<u32>,
    /// The method used.
    pub method: Method,
}
