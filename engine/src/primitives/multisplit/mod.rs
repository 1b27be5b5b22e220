//! Multisplit: keys, key-value pairs or a permutation, put into m contiguous buckets that a
//! function of the key chooses. Ordered by bucket, stable within a bucket.
//!
//! [`add`] declares the passes of one split in a graph. [`Split`] says what is split how;
//! [`SplitBuffers`] where it is.

mod bucket;
#[cfg(feature = "glsl")]
mod glsl;
mod host;
mod key;
mod method;
mod onesweep;
mod stages;
mod tuning;

pub use bucket::Bucket;
#[cfg(feature = "glsl")]
pub use glsl::UserBucket;
pub use host::SplitResult;
pub use key::{Key, KeyType};
pub use method::{Method, SplitSizes};
pub use tuning::{SplitTuning, TileShape, TileShapes};

use multisplit_graph::{Buffer, Graph, PassBuilder, View};
use multisplit_shaders::builtin::Builtin;
use multisplit_shaders::push_constants;

use super::count::{Length, Lengths, Prepared};
use super::{Count, Policy};
use crate::error::{Error, Result};
use bucket::BucketCode;

/// Most buckets that are split in one go.
pub const MAX_BUCKETS: u32 = 256;

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
    /// Its sizes.
    pub sizes: SplitSizes,
}

push_constants! {
    struct SplitPush {
        count: u32,
        buckets: u32,
        ids: u32,
        subproblems: u32,
        parts: u32,
        parameter_a: u32,
        parameter_b: u32,
        parameter_c: u32,
        parameter_d: u32,
        parameter_e: u32,
    }
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
    let code = BucketCode::new(split)?;
    let method = method::choose(policy, split);
    let sizes = method::sizes(policy, method, split, buffers);
    tracing::debug!(?method, ?sizes, n = ?buffers.n, m = split.buckets, "multisplit");
    if buffers.n.most() == 0 {
        super::fill(graph, policy, "multisplit.empty", offsets(split, buffers), 0)?;
        return Ok(AddedSplit { method, sizes });
    }
    let mut job = Job::new(graph, policy, split, buffers, code, sizes)?;
    match method {
        Method::OneSweep => onesweep::add(&mut job)?,
        _ => stages::add(&mut job, method)?,
    }
    Ok(AddedSplit { method, sizes })
}

fn check(split: &Split, buffers: &SplitBuffers) -> Result<()> {
    if split.buckets == 0 || split.buckets > MAX_BUCKETS {
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

/// One split on its way into the graph: what the methods share.
struct Job<'j> {
    graph: &'j mut Graph,
    policy: &'j Policy,
    split: &'j Split,
    buffers: &'j SplitBuffers,
    code: BucketCode,
    sizes: SplitSizes,
    /// Splitters, where the bucket function has any.
    table: Option<Buffer>,
    /// Where keys out of range are counted.
    outside: Buffer,
    /// n.
    n: Length,
    /// How passes get n and what follows from it; set by [`Job::prepare`].
    prepared: Prepared,
}

/// The kernels of one stage: for 32-bit and for 64-bit keys.
type Kernels = [&'static Builtin; 2];

impl<'j> Job<'j> {
    /// Declares what every method needs: splitters, and the count of keys out of range.
    fn new(
        graph: &'j mut Graph,
        policy: &'j Policy,
        split: &'j Split,
        buffers: &'j SplitBuffers,
        code: BucketCode,
        sizes: SplitSizes,
    ) -> Result<Self> {
        let table = code.splitters().map(|words| {
            let table = graph.transient::<u32>("multisplit.splitters", words.len() as u64);
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
            graph.update("multisplit.splitters", table, &bytes);
            table
        });
        let outside = match buffers.outside {
            Some(outside) => {
                let word = outside.elements::<u32>(0, 1);
                super::fill(graph, policy, "multisplit.clear.outside", word, 0)?;
                outside
            }
            None => graph.transient::<u32>("multisplit.outside", 1),
        };
        let (n, prepared) = (Length::known(buffers.n.most()), Prepared::default());
        Ok(Self { graph, policy, split, buffers, code, sizes, table, outside, n, prepared })
    }

    /// Works out what follows from n, before the first pass that needs it.
    fn prepare<T>(
        &mut self,
        follow: impl FnOnce(&Self, &mut Lengths, Length) -> Result<T>,
    ) -> Result<T> {
        let (mut lengths, n) = Lengths::new(self.buffers.n)?;
        let follows = follow(self, &mut lengths, n)?;
        self.n = n;
        self.prepared = lengths.prepare(self.graph, self.policy, "multisplit.prepare")?;
        Ok(follows)
    }

    /// Begins a pass with everything that the kernels of all methods have in common.
    fn pass(
        &mut self,
        label: &str,
        kernels: Kernels,
        subproblems: Length,
        parts: u64,
    ) -> Result<PassBuilder<'_>> {
        let wide = usize::from(self.split.key.bits() == 64);
        let kernel = self.code.kernel(kernels[wide], self.split.key)?;
        let keys = self.buffers.keys.range(0, self.n.most * u64::from(self.split.key.bytes()));
        let table = self.table.or(self.code.user_table()).map_or(keys, View::from);
        let [parameter_a, parameter_b, parameter_c, parameter_d, parameter_e] =
            self.code.parameters();
        let push = SplitPush {
            count: self.prepared.pushed(self.n),
            buckets: self.split.buckets,
            ids: self.split.buckets,
            subproblems: self.prepared.pushed(subproblems),
            parts: parts as u32,
            parameter_a,
            parameter_b,
            parameter_c,
            parameter_d,
            parameter_e,
        };
        let has = |name: &str| kernel.interface().spec_constant(name).is_some();
        let constants = [
            ("local_size_x", self.sizes.threads),
            ("SUBGROUP_SIZE", self.policy.subgroup_size),
            ("BUCKET_BITS", method::bucket_bits(self.split.buckets)),
            ("BUCKET_KIND", self.code.kind()),
            ("ID_BITS", method::bucket_bits(self.split.buckets)),
            ("KEY_KIND", self.split.key.kind()),
            ("ITEMS", self.sizes.items),
            ("SPIN_LIMIT", self.policy.spin_limit),
            ("COUNT_BY_ATOMICS", u32::from(self.sizes.count_by_atomics)),
            ("COUNTER_COPIES", self.sizes.counter_copies),
            ("VALUE_WORDS", self.value_words()),
            ("LOCKSTEP", u32::from(self.policy.split.lockstep)),
        ];
        let constants: Vec<_> = constants.into_iter().filter(|(name, _)| has(name)).collect();
        let pass = self.graph.pass(label, &kernel).bind("keys", keys).bind("table", table);
        let mut pass = self.prepared.bind(pass, keys).push(&push);
        for (name, value) in constants {
            pass = pass.specialize(name, value);
        }
        Ok(pass)
    }

    fn value_words(&self) -> u32 {
        match self.buffers.output {
            SplitOutput::Pairs { value_bytes, .. } => value_bytes / 4,
            _ => 1,
        }
    }
}

/// Binds the count of keys out of range; where the caller does not want it, nobody reads it.
fn bind_outside<'g>(pass: PassBuilder<'g>, outside: Buffer, wanted: bool) -> PassBuilder<'g> {
    if wanted { pass.bind("outside", outside) } else { pass.scratch("outside", outside) }
}

/// Which of the three variants of a kernel that moves elements is needed.
fn variant(output: &SplitOutput, [keys, pairs, permutation]: [Kernels; 3]) -> Kernels {
    match output {
        SplitOutput::Keys(_) => keys,
        SplitOutput::Pairs { .. } => pairs,
        SplitOutput::Permutation(_) => permutation,
    }
}

/// Binds what comes out.
fn bind_output<'g>(
    pass: PassBuilder<'g>,
    split: &Split,
    buffers: &SplitBuffers,
) -> PassBuilder<'g> {
    let n = buffers.n.most();
    let key_bytes = u64::from(split.key.bytes());
    let pass = pass.bind("offsets", offsets(split, buffers));
    match buffers.output {
        SplitOutput::Keys(keys) => pass.bind("keys_out", keys.range(0, n * key_bytes)),
        SplitOutput::Permutation(words) => pass.bind("permutation", words.elements::<u32>(0, n)),
        SplitOutput::Pairs { keys, values_in, values, value_bytes } => {
            let size = n * u64::from(value_bytes);
            pass.bind("keys_out", keys.range(0, n * key_bytes))
                .bind("values", values_in.range(0, size))
                .bind("values_out", values.range(0, size))
        }
    }
}
