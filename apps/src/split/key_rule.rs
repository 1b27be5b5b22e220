//! Which bucket a key of any type belongs to: the function that a command line asks for, as the
//! device is told it, and as the CPU computes it.

use anyhow::{Result, bail};
use multisplit::primitives::multisplit::{Bucket, KeyType, Split, UserBucket};

use super::Method;
use crate::word::ordered;

/// A bucket function for keys of any type.
#[derive(Clone, Debug)]
pub struct KeyRule {
    pub key: KeyType,
    pub buckets: u32,
    pub function: KeyFunction,
}

/// A family of such functions.
#[derive(Clone, Debug)]
pub enum KeyFunction {
    /// m buckets of equal width over all numbers of the type
    Delta,
    /// The key is the number of its bucket
    Identity,
    /// These, as bits: a key belongs to the bucket whose number is how many are at or below it
    Splitters(Vec<u64>),
    /// `uint bucket_of(K key)` of the user's
    Glsl(String),
}

impl KeyRule {
    /// What the engine is asked for.
    pub fn split(&self, method: Method) -> Result<Split> {
        let key = self.key;
        let bucket = match &self.function {
            KeyFunction::Delta | KeyFunction::Identity if key.is_float() => {
                bail!("floats are split by --splitters or --glsl, not --by delta or identity")
            }
            KeyFunction::Delta => Bucket::delta_over_domain(key, self.buckets),
            KeyFunction::Identity => Bucket::Identity,
            KeyFunction::Splitters(splitters) => Bucket::Range(splitters.clone()),
            KeyFunction::Glsl(source) => Bucket::Glsl(UserBucket::new(source.as_str())),
        };
        Ok(Split::new(key, self.buckets, bucket).by(method.engine()))
    }

    /// The bucket of the key of these bits; None where only the device knows.
    pub fn id(&self, bits: u64) -> Option<u64> {
        let key = ordered(self.key, bits);
        match &self.function {
            KeyFunction::Delta => Some((u128::from(key) / self.width()) as u64),
            KeyFunction::Identity => Some(bits),
            KeyFunction::Splitters(splitters) => {
                let before = |&splitter: &u64| ordered(self.key, splitter) <= key;
                Some(splitters.partition_point(before) as u64)
            }
            KeyFunction::Glsl(_) => None,
        }
    }

    /// How many numbers a bucket spans.
    fn width(&self) -> u128 {
        (1u128 << self.key.bits()).div_ceil(u128::from(self.buckets.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::{KeyFunction, KeyRule};
    use multisplit::primitives::multisplit::KeyType;

    #[test]
    fn every_bucket_of_delta_is_reached() {
        for (key, first, last) in [
            (KeyType::U32, 0, u64::from(u32::MAX)),
            (KeyType::I64, i64::MIN.cast_unsigned(), i64::MAX.cast_unsigned()),
        ] {
            for buckets in [1, 2, 10, 256] {
                let rule = KeyRule { key, buckets, function: KeyFunction::Delta };
                assert_eq!(rule.id(first), Some(0));
                assert_eq!(rule.id(last), Some(u64::from(buckets) - 1), "{key:?}, {buckets}");
            }
        }
    }
}
