//! Bucket functions for keys of any type: in the engine's form, and evaluated on the CPU.

use anyhow::{Result, anyhow, bail};
use multisplit::{Buckets, Error, Key};
use multisplit_bench::key_order::rank;
use multisplit_bench::split::Method;

use crate::glsl_file::GlslFile;

/// A bucket function for keys of type `K`.
#[derive(Clone, Debug)]
pub struct KeyRule<K> {
    pub buckets: u32,
    pub function: KeyFunction<K>,
}

/// Kinds of bucket functions.
#[derive(Clone, Debug)]
pub enum KeyFunction<K> {
    /// Buckets of equal width over all numbers of the type.
    Delta,
    /// The key is the index of its bucket.
    Identity,
    /// The bucket index is the number of splitters at or below the key.
    Splitters(Vec<K>),
    /// The user's function `uint bucket_of(K key)`.
    Glsl(Box<GlslFile>),
}

impl<K: Key> KeyRule<K> {
    /// Converts the bucket function to the engine's type.
    pub fn device_buckets(&self, method: Method) -> Result<Buckets<K>> {
        let m = self.buckets;
        let buckets = match &self.function {
            KeyFunction::Delta | KeyFunction::Identity if K::TYPE.is_float() => {
                let key = K::TYPE;
                bail!(
                    "--by without --range supports only integer keys, but the keys have type {key}; use --by delta \
                     --range LO HI, --splitters or --glsl"
                )
            }
            KeyFunction::Delta => Buckets::delta_over_domain(m),
            KeyFunction::Identity => Buckets::identity(m),
            KeyFunction::Splitters(splitters) => Buckets::range(splitters),
            KeyFunction::Glsl(file) => Buckets::glsl(m, file.function()),
        };
        Ok(buckets.method(method.value))
    }

    /// The user's function, which only the device can evaluate.
    pub fn glsl(&self) -> Option<&GlslFile> {
        match &self.function {
            KeyFunction::Glsl(file) => Some(file),
            _ => None,
        }
    }

    /// Adds the name of the user's GLSL file to an error of the device, or explains keys that exceed --buckets.
    pub fn named(&self, error: anyhow::Error) -> anyhow::Error {
        match (&self.function, error.downcast_ref()) {
            (KeyFunction::Glsl(file), _) => file.named(error),
            (KeyFunction::Identity, Some(Error::BucketOutOfRange { keys, buckets })) => anyhow!(
                "{keys} of the keys are {buckets} or more, or negative; with --by identity a key is the number of its \
                 bucket, so keys must be from 0 to --buckets minus 1"
            ),
            _ => error,
        }
    }

    /// Index of the bucket of a key; `None` if only the device can evaluate the function.
    pub fn id(&self, key: K) -> Option<u64> {
        match &self.function {
            KeyFunction::Delta => Some((u128::from(rank(key)) / self.width()) as u64),
            KeyFunction::Identity => Some(key.key_bits()),
            KeyFunction::Splitters(splitters) => {
                let rank_of_key = rank(key);
                Some(splitters.partition_point(|&splitter| rank(splitter) <= rank_of_key) as u64)
            }
            KeyFunction::Glsl(_) => None,
        }
    }

    /// Number of distinct keys per bucket; the last buckets may have fewer.
    fn width(&self) -> u128 {
        (1u128 << K::TYPE.bits()).div_ceil(u128::from(self.buckets.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<K: Key>(first: K, last: K) {
        for buckets in [1, 2, 10, 256] {
            let rule = KeyRule { buckets, function: KeyFunction::Delta };
            assert_eq!(rule.id(first), Some(0));
            assert_eq!(rule.id(last), Some(u64::from(buckets) - 1), "{}, {buckets}", K::TYPE);
        }
    }

    #[test]
    fn delta_function_maps_first_and_last_key_to_first_and_last_bucket() {
        check(0, u32::MAX);
        check(i64::MIN, i64::MAX);
    }
}
