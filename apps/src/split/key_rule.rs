//! Which bucket a key of any type belongs to: the function that a command line asks for, as the
//! device is told it, and as the CPU computes it.
//!
//! The engine has functions for 32-bit keys. For 64-bit keys the same ones are written as GLSL.

use anyhow::{Result, bail};
use multisplit::primitives::multisplit::{Bucket, KeyType, Split, UserBucket};

use super::Method;
use crate::files::Element;
use crate::word::ordered;

/// A bucket function for keys of any type.
#[derive(Clone, Debug)]
pub struct KeyRule {
    pub element: Element,
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
        let wide = self.element.bytes() == 8;
        let float = matches!(self.element, Element::F32 | Element::F64);
        let bucket = match &self.function {
            KeyFunction::Delta | KeyFunction::Identity if float => {
                bail!("floats are split by --splitters or --glsl, not --by delta or identity")
            }
            KeyFunction::Glsl(source) => glsl(self.user_source(source)),
            KeyFunction::Delta if wide => glsl(self.wide_delta()),
            KeyFunction::Identity if wide => glsl(self.wide_identity()),
            KeyFunction::Splitters(splitters) if wide => glsl(self.wide_splitters(splitters)),
            KeyFunction::Delta => Bucket::delta_over_domain(self.key_type(), self.buckets),
            KeyFunction::Identity => Bucket::Identity,
            KeyFunction::Splitters(splitters) => {
                Bucket::Range(splitters.iter().map(|&bits| bits as u32).collect())
            }
        };
        Ok(Split::new(self.key_type(), self.buckets, bucket).by(method.engine()))
    }

    /// The bucket of the key of these bits; None where only the device knows.
    pub fn id(&self, bits: u64) -> Option<u64> {
        let key = ordered(self.element, bits);
        match &self.function {
            KeyFunction::Delta => Some((u128::from(key) / self.width()) as u64),
            KeyFunction::Identity => Some(bits),
            KeyFunction::Splitters(splitters) => {
                let before = |&splitter: &u64| ordered(self.element, splitter) <= key;
                Some(splitters.partition_point(before) as u64)
            }
            KeyFunction::Glsl(_) => None,
        }
    }

    /// Keys of 64 bits are bits to the engine.
    fn key_type(&self) -> KeyType {
        match self.element {
            Element::I32 => KeyType::I32,
            Element::F32 => KeyType::F32,
            element if element.bytes() == 8 => KeyType::U64,
            _ => KeyType::U32,
        }
    }

    /// How many numbers a bucket spans.
    fn width(&self) -> u128 {
        (1u128 << (8 * self.element.bytes())).div_ceil(u128::from(self.buckets.max(1)))
    }

    fn wide_delta(&self) -> String {
        match u64::try_from(self.width()) {
            // One bucket takes all.
            Err(_) => "uint bucket_of(uint64_t key) { return 0u; }".to_owned(),
            Ok(width) => self.wide(&format!("uint(key / 0x{width:x}ul)")),
        }
    }

    fn wide_identity(&self) -> String {
        let m = self.buckets;
        format!("uint bucket_of(uint64_t key) {{ return key < {m}ul ? uint(key) : 0xffffffffu; }}")
    }

    /// A tree of comparisons: the numbers are part of the code, so nothing has to be bound.
    fn wide_splitters(&self, splitters: &[u64]) -> String {
        let ordered: Vec<_> = splitters.iter().map(|&bits| ordered(self.element, bits)).collect();
        self.wide(&tree(&ordered, 0))
    }

    /// A function whose `key` compares as the numbers do.
    fn wide(&self, result: &str) -> String {
        let sign = "0x8000000000000000ul";
        let order = match self.element {
            Element::I64 => format!("key ^= {sign};"),
            Element::F64 => format!("key = (key & {sign}) != 0ul ? ~key : key | {sign};"),
            _ => String::new(),
        };
        format!("uint bucket_of(uint64_t key) {{ {order} return {result}; }}")
    }

    /// Signed 64-bit keys reach a function of the user's as such. 64-bit floats stay bits: few
    /// devices compute with them.
    fn user_source(&self, source: &str) -> String {
        if self.element != Element::I64 {
            return source.to_owned();
        }
        format!(
            "#define bucket_of bucket_of_signed\n#line 1\n{source}\n#undef bucket_of\n\
             uint bucket_of(uint64_t key) {{ return bucket_of_signed(int64_t(key)); }}\n"
        )
    }
}

fn glsl(source: String) -> Bucket {
    Bucket::Glsl(UserBucket::new(source))
}

/// How many of `splitters` are at or below `key`, and `before` more.
fn tree(splitters: &[u64], before: usize) -> String {
    let middle = splitters.len() / 2;
    let Some(splitter) = splitters.get(middle) else { return format!("{before}u") };
    let below = tree(&splitters[..middle], before);
    let above = tree(&splitters[middle + 1..], before + middle + 1);
    format!("(key < 0x{splitter:x}ul ? {below} : {above})")
}

#[cfg(test)]
mod tests {
    use super::{KeyFunction, KeyRule, tree};
    use crate::files::Element;

    #[test]
    fn trees_count_splitters() {
        assert_eq!(tree(&[], 0), "0u");
        assert_eq!(tree(&[7], 0), "(key < 0x7ul ? 0u : 1u)");
        assert_eq!(tree(&[1, 7], 0), "(key < 0x7ul ? (key < 0x1ul ? 0u : 1u) : 2u)");
    }

    #[test]
    fn every_bucket_of_delta_is_reached() {
        for (element, first, last) in [
            (Element::U32, 0, u64::from(u32::MAX)),
            (Element::I64, i64::MIN.cast_unsigned(), i64::MAX.cast_unsigned()),
        ] {
            for buckets in [1, 2, 10, 256] {
                let rule = KeyRule { element, buckets, function: KeyFunction::Delta };
                assert_eq!(rule.id(first), Some(0));
                assert_eq!(rule.id(last), Some(u64::from(buckets) - 1), "{element}, {buckets}");
            }
        }
    }
}
