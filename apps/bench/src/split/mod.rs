//! Split benchmarks: operations, methods, plans, and bucket functions with their evaluation on the CPU.

mod expected;
mod keys;

pub use expected::Expected;
pub use keys::{Distribution, Recipe};

use anyhow::Result;
use multisplit::Buckets;
use multisplit::graph::Graph;
use multisplit::operations::split as engine;
use multisplit::operations::{self, SplitBuffers};

use self::Function::{Delta, Identity, Range};
use crate::choice::{Choice, Named, choice, name};
use crate::data::{self, SplitMix64};
use crate::plans::{Planned, Target};

/// Bucket function and elements of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The bucket function.
    pub function: Function,
    /// Whether each key has a value.
    pub pairs: bool,
}

/// Command-line name of a kind of split. Other benchmark programs use the same names.
pub type Op = Choice<Split>;

impl Named for Split {
    const CHOICES: &'static [Op] = &[
        choice(keys(Delta), "split_delta_keys")
            .help("Keys, by buckets of equal width over the whole domain"),
        choice(pairs(Delta), "split_delta_pairs").help("Pairs, by the same buckets"),
        choice(keys(Identity), "split_identity_keys")
            .help("Keys, by their low bits; by the key itself if m is not a power of two"),
        choice(pairs(Identity), "split_identity_pairs").help("Pairs, by the same buckets"),
        choice(keys(Range), "split_range_keys").help("Keys, by m - 1 random splitters"),
    ];
}

const fn keys(function: Function) -> Split {
    Split { function, pairs: false }
}

const fn pairs(function: Function) -> Split {
    Split { function, pairs: true }
}

/// Kinds of bucket functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Buckets of equal width.
    Delta,
    /// Low bits of the key, or the key itself.
    Identity,
    /// Buckets between splitters.
    Range,
}

impl Function {
    pub(crate) const ALL: [Self; 3] = [Delta, Identity, Range];
}

/// A bucket function of u32 keys, for the device and the CPU.
pub struct Rule {
    pub(crate) function: Function,
    pub(crate) buckets: u32,
    splitters: Vec<u32>,
}

/// Seed of the splitters, which differs from that of the keys so that they are independent.
const SPLITTER_SEED: u64 = 0x0073_706c_6974;
/// One more than the largest key.
const DOMAIN: u64 = 1 << 32;

impl Rule {
    /// Creates a bucket function with this many buckets.
    pub fn new(function: Function, buckets: u32) -> Self {
        let mut generator = SplitMix64::after(SPLITTER_SEED, 0);
        let count = if function == Range { buckets.saturating_sub(1) } else { 0 };
        let mut splitters: Vec<_> = (0..count).map(|_| (generator.draw() >> 32) as u32).collect();
        splitters.sort_unstable();
        Self { function, buckets, splitters }
    }

    /// Converts the bucket function to the engine's type.
    pub fn device_buckets(&self) -> Buckets<u32> {
        match self.function {
            Delta => Buckets::delta_over_domain(self.buckets),
            // Equivalent to a sort on log2 m bits, for any keys.
            Identity if self.is_digit() => Buckets::digit(0..self.buckets.ilog2()),
            Identity => Buckets::identity(self.buckets),
            Range => Buckets::range(&self.splitters),
        }
    }

    /// The bucket of `key`.
    pub fn id(&self, key: u32) -> u32 {
        match self.function {
            Delta => (u64::from(key) / self.width()) as u32,
            Identity if self.is_digit() => key & (self.buckets - 1),
            Identity => key,
            Range => self.splitters.partition_point(|&splitter| splitter <= key) as u32,
        }
    }

    /// A random key of bucket `id`.
    pub fn key(&self, id: u32, random: u64) -> u32 {
        match self.function {
            Identity if self.is_digit() => {
                data::below(random, DOMAIN) as u32 & !(self.buckets - 1) | id
            }
            Identity => id,
            Delta | Range => {
                let (first, end) = (self.first(id), self.first(id + 1));
                (first + data::below(random, end.saturating_sub(first))) as u32
            }
        }
    }

    /// Whether every key has a bucket. Otherwise keys must be generated for the function.
    pub fn takes_any_key(&self) -> bool {
        self.function != Identity || self.is_digit()
    }

    fn is_digit(&self) -> bool {
        // A digit has at least one bit.
        self.buckets.is_power_of_two() && self.buckets > 1
    }

    fn width(&self) -> u64 {
        DOMAIN.div_ceil(u64::from(self.buckets.max(1)))
    }

    /// The smallest key of bucket `id`, or the end of the domain if there is no such bucket. Not for identity buckets.
    fn first(&self, id: u32) -> u64 {
        match (self.function, id) {
            (Range, 0) => 0,
            (Range, id) => {
                self.splitters.get(id as usize - 1).map_or(DOMAIN, |&splitter| splitter.into())
            }
            _ => (u64::from(id) * self.width()).min(DOMAIN),
        }
    }
}

/// Command-line name of a split method.
pub type Method = Choice<engine::Method>;

impl Named for engine::Method {
    const CHOICES: &'static [Method] = &[
        choice(Self::Auto, "auto").help("Best method for the device"),
        choice(Self::Direct, "direct")
            .help("One subproblem per subgroup, no reordering (DMS in the GPU Multisplit paper)"),
        choice(Self::Warp, "warp")
            .help("Tiles reordered within a subgroup (WMS in the GPU Multisplit paper)"),
        choice(Self::Block, "block")
            .help("Tiles reordered across a workgroup (BMS in the GPU Multisplit paper)"),
        choice(Self::OneSweep, "onesweep")
            .help("One histogram, then a single pass with decoupled look-back"),
        choice(Self::ScanSplit, "scan-split").help(
            "One scan of flags per bit of the bucket ids (a baseline of the GPU Multisplit paper)",
        ),
        choice(Self::ReducedBitSort, "reduced-bit").help(
            "Radix sort of labels on the bits of the bucket ids (a baseline of the \
             GPU Multisplit paper)",
        ),
    ];
    const IN_FIGURES: &'static [(Self, &'static str)] =
        &[(Self::ReducedBitSort, "reduced-bit-sort"), (Self::FullSort, "full-sort")];
}

/// Plans a split of `n` keys or pairs by `rule`. The imports are the input keys, the output keys and the offsets,
/// followed by the input values and the output values if `pairs`.
pub fn plan(
    target: &Target,
    rule: &Rule,
    method: engine::Method,
    pairs: bool,
    n: u64,
) -> Result<Planned> {
    let mut graph = Graph::new("split");
    let [keys, keys_out] = target.imports(&mut graph, ["keys", "keys.out"], n)?;
    let values = pairs.then(|| ["values", "values.out"].map(|name| graph.import::<u32>(name, n)));
    let offsets = graph.import::<u32>("offsets", u64::from(rule.buckets) + 1);
    let mut imports = vec![keys, keys_out, offsets];
    // Every generated key has a bucket, so the plan has no buffer for the number of keys without a
    // bucket.
    let buffers = match values {
        Some([values, out]) => SplitBuffers::pairs((keys, values), (keys_out, out), offsets),
        None => SplitBuffers::keys(keys, keys_out, offsets),
    };
    imports.extend(values.into_iter().flatten());
    let buckets = rule.device_buckets().method(method);
    let added = operations::split(&mut graph, &target.policy, &buckets, &buffers)?;
    Ok(Planned { plan: target.plan(graph)?, method: name(added.method), imports })
}

#[cfg(test)]
mod tests {
    use super::{Function, Rule};

    #[test]
    fn generated_keys_belong_to_their_bucket() {
        for function in Function::ALL {
            for buckets in [1, 2, 3, 10, 64, 255, 256] {
                let rule = Rule::new(function, buckets);
                for id in 0..buckets {
                    for random in [0, 1 << 40, u64::MAX] {
                        let key = rule.key(id, random);
                        assert_eq!(rule.id(key), id, "{function:?}, m = {buckets}: {key}");
                    }
                }
            }
        }
    }
}
