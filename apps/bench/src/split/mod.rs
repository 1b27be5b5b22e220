//! Split benchmarks: operations, bucket functions, and their evaluation on the CPU.

mod expected;
mod keys;
mod plan;

pub use plan::{Method, SplitPlan, name};

pub(crate) use expected::Expected;
pub(crate) use keys::{Distribution, Recipe};
pub(crate) use plan::Arrays;

use clap::ValueEnum;
use multisplit::Buckets;

use crate::data::{self, SplitMix64};

/// An operation, by the name that figures of other programs go by too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Op {
    /// Keys, by buckets of equal width over the whole domain
    #[value(name = "split_delta_keys")]
    DeltaKeys,
    /// Pairs, by the same buckets
    #[value(name = "split_delta_pairs")]
    DeltaPairs,
    /// Keys, by their low bits; by the key itself if m is not a power of two
    #[value(name = "split_identity_keys")]
    IdentityKeys,
    /// Pairs, by the same buckets
    #[value(name = "split_identity_pairs")]
    IdentityPairs,
    /// Keys, by m - 1 random splitters
    #[value(name = "split_range_keys")]
    RangeKeys,
}

impl Op {
    /// The name on the command line and in figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::DeltaKeys => "split_delta_keys",
            Self::DeltaPairs => "split_delta_pairs",
            Self::IdentityKeys => "split_identity_keys",
            Self::IdentityPairs => "split_identity_pairs",
            Self::RangeKeys => "split_range_keys",
        }
    }

    /// Whether each key has a value.
    pub fn pairs(self) -> bool {
        matches!(self, Self::DeltaPairs | Self::IdentityPairs)
    }

    /// The bucket function.
    pub fn function(self) -> Function {
        match self {
            Self::DeltaKeys | Self::DeltaPairs => Function::Delta,
            Self::IdentityKeys | Self::IdentityPairs => Function::Identity,
            Self::RangeKeys => Function::Range,
        }
    }
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
    pub(crate) const ALL: [Self; 3] = [Self::Delta, Self::Identity, Self::Range];
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
    /// `function` with m = `buckets`.
    pub fn new(function: Function, buckets: u32) -> Self {
        let mut generator = SplitMix64::after(SPLITTER_SEED, 0);
        let count = if function == Function::Range { buckets.saturating_sub(1) } else { 0 };
        let mut splitters: Vec<_> = (0..count).map(|_| (generator.draw() >> 32) as u32).collect();
        splitters.sort_unstable();
        Self { function, buckets, splitters }
    }

    /// The bucket function in the engine's form.
    pub fn device_buckets(&self) -> Buckets<u32> {
        match self.function {
            Function::Delta => Buckets::delta_over_domain(self.buckets),
            // Equivalent to a sort on log2 m bits, for any keys.
            Function::Identity if self.is_digit() => Buckets::digit(0..self.buckets.ilog2()),
            Function::Identity => Buckets::identity(self.buckets),
            Function::Range => Buckets::range(&self.splitters),
        }
    }

    /// The bucket of `key`.
    pub fn id(&self, key: u32) -> u32 {
        match self.function {
            Function::Delta => (u64::from(key) / self.width()) as u32,
            Function::Identity if self.is_digit() => key & (self.buckets - 1),
            Function::Identity => key,
            Function::Range => self.splitters.partition_point(|&splitter| splitter <= key) as u32,
        }
    }

    /// A random key of bucket `id`.
    pub fn key(&self, id: u32, random: u64) -> u32 {
        match self.function {
            Function::Identity if self.is_digit() => {
                data::below(random, DOMAIN) as u32 & !(self.buckets - 1) | id
            }
            Function::Identity => id,
            Function::Delta | Function::Range => {
                let (first, end) = (self.first(id), self.first(id + 1));
                (first + data::below(random, end.saturating_sub(first))) as u32
            }
        }
    }

    /// Whether every key has a bucket. Otherwise keys must be generated for the function.
    pub fn takes_any_key(&self) -> bool {
        self.function != Function::Identity || self.is_digit()
    }

    fn is_digit(&self) -> bool {
        // A digit has at least one bit.
        self.buckets.is_power_of_two() && self.buckets > 1
    }

    fn width(&self) -> u64 {
        DOMAIN.div_ceil(u64::from(self.buckets.max(1)))
    }

    /// The smallest key of a bucket that is an interval, or the end of the domain.
    fn first(&self, id: u32) -> u64 {
        match (self.function, id) {
            (Function::Range, 0) => 0,
            (Function::Range, id) => {
                self.splitters.get(id as usize - 1).map_or(DOMAIN, |&splitter| splitter.into())
            }
            _ => (u64::from(id) * self.width()).min(DOMAIN),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Function, Op, Rule};
    use clap::ValueEnum as _;

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

    #[test]
    fn operation_names_match_the_command_line() {
        for op in Op::value_variants() {
            let value = op.to_possible_value().expect("a value");
            assert_eq!(value.get_name(), op.name());
        }
    }
}
