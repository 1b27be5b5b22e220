//! Splits arrays of any size: in one piece if they fit in device memory, otherwise in parts.
//!
//! Each part is split on the device. Its buckets are then appended to those of the earlier parts, so that the
//! result is byte-identical to a split at once.

use anyhow::Result;
use bytemuck::Pod;
use multisplit::operations::split::Method;
use multisplit::operations::split::SplitPairs;
use multisplit::place::Host;
use multisplit::{Buckets, Key};

use super::Split;
use crate::formats::Data;
use crate::on_device::{MovedPairs, by_value_bytes};
use crate::parts::{self, Resources};

/// Result of a split in host memory.
pub struct Whole<K> {
    pub keys: Vec<K>,
    pub values: Option<Data>,
    /// Start of each bucket, followed by n.
    pub offsets: Vec<u64>,
    pub method: Method,
    /// Number of parts that were split one after another; 1 if the input was split at once.
    pub parts: usize,
}

impl<K: Pod> From<Whole<K>> for Split {
    fn from(whole: Whole<K>) -> Self {
        let Whole { keys, values, offsets, method, parts } = whole;
        Self { moved: MovedPairs::host(keys, values), offsets, method, parts }
    }
}

/// Splits `keys` and the optional values.
pub fn split<K: Key>(
    resources: &Resources<'_>,
    buckets: &Buckets<K>,
    keys: &[K],
    values: Option<&Data>,
) -> Result<Whole<K>> {
    by_value_bytes!(values.map_or(0, Data::element_bytes), V => {
        let values = values.map(|values| bytemuck::cast_slice::<u8, V>(values.bytes()));
        in_parts(resources, buckets, keys, values)
    })
}

/// A part that was split on the device. `values` is empty if only keys are split.
type Piece<K, V> = SplitPairs<Host, K, V>;

/// Maximum number of keys and values of these sizes that can be split at once.
fn max_elements(resources: &Resources<'_>, key_bytes: usize, value_bytes: usize) -> usize {
    // Input and output buffers.
    let bytes = 2 * (key_bytes + value_bytes);
    resources.max_elements(bytes as u64, key_bytes.max(value_bytes) as u64)
}

fn in_parts<K: Key, V: Pod>(
    resources: &Resources<'_>,
    buckets: &Buckets<K>,
    keys: &[K],
    values: Option<&[V]>,
) -> Result<Whole<K>> {
    let value_bytes = if values.is_some() { size_of::<V>() } else { 0 };
    let max = max_elements(resources, size_of::<K>().max(size_of::<u32>()), value_bytes);
    let bar = resources.bars.elements("splitting", keys.len() as u64);
    let mut pieces: Vec<Piece<K, V>> = Vec::new();
    parts::in_order(keys.len(), max, |part| {
        let end = part.end as u64;
        let keys = &keys[part.clone()];
        pieces.push(match values {
            Some(values) => resources.context.split_pairs(keys, &values[part], buckets.clone())?,
            None => {
                let split = resources.context.split(keys, buckets.clone())?;
                let (keys, offsets, method) = (split.keys, split.offsets, split.method);
                Piece { keys, values: Vec::new(), offsets, method }
            }
        });
        bar.set_position(end);
        Ok(())
    })?;
    bar.finish_and_clear();
    Ok(joined(pieces, buckets.count() as usize, values.is_some()))
}

/// Concatenates the pieces of each bucket, one bucket after another.
fn joined<K: Pod, V: Pod>(
    mut pieces: Vec<Piece<K, V>>,
    buckets: usize,
    has_values: bool,
) -> Whole<K> {
    let parts = pieces.len();
    let method = pieces.first().map_or(Method::Auto, |piece| piece.method);
    if let [_] = pieces[..]
        && let Some(Piece { keys, values, offsets, .. }) = pieces.pop()
    {
        let offsets = offsets.into_iter().map(u64::from).collect();
        let values = has_values.then(|| Data::of(values));
        return Whole { keys, values, offsets, method, parts };
    }
    let len = |of: fn(&Piece<K, V>) -> usize| pieces.iter().map(of).sum();
    let mut keys = Vec::with_capacity(len(|piece| piece.keys.len()));
    let mut values = Vec::with_capacity(len(|piece| piece.values.len()));
    let mut offsets = vec![0];
    for bucket in 0..buckets {
        for piece in &pieces {
            let range = piece.offsets[bucket] as usize..piece.offsets[bucket + 1] as usize;
            // `piece.values` is empty if only keys are split.
            values.extend_from_slice(piece.values.get(range.clone()).unwrap_or_default());
            keys.extend_from_slice(&piece.keys[range]);
        }
        offsets.push(keys.len() as u64);
    }
    let values = has_values.then(|| Data::of(values));
    Whole { keys, values, offsets, method, parts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_of_pieces_are_joined_in_order() {
        let piece = |keys: &[u32], offsets: &[u32]| Piece {
            keys: keys.to_vec(),
            values: keys.iter().map(|key| key * 10).collect(),
            offsets: offsets.to_vec(),
            method: Method::Direct,
        };
        let pieces = vec![piece(&[1, 2, 7], &[0, 2, 2, 3]), piece(&[0, 5, 8, 9], &[0, 1, 2, 4])];
        let whole = joined(pieces, 3, true);
        assert_eq!(whole.keys, [1, 2, 0, 5, 7, 8, 9]);
        assert_eq!(whole.values, Some(Data::Bytes4(vec![10, 20, 0, 50, 70, 80, 90])));
        assert_eq!(whole.offsets, [0, 3, 4, 7]);
        assert_eq!(whole.parts, 2);
    }
}
