//! Splits files without loading their elements into host memory: from the file to the device, and from there to the
//! output.

use anyhow::Result;
use bytemuck::Pod;
use multisplit::{Buckets, Context};

use super::Split;
use crate::inputs::Elements;
use crate::number::Number;
use crate::on_device::{MovedPairs, by_value_bytes, upload};
use crate::parts::{Resources, is_out_of_memory};
use crate::phase;

/// Splits `keys` and the optional values. `None` if they do not fit in device memory.
pub fn split_direct<K: Number>(
    resources: &Resources<'_>,
    buckets: &Buckets<K>,
    keys: &Elements,
    values: Option<&Elements>,
) -> Result<Option<Split>> {
    let value_bytes = values.map_or(0, Elements::element_bytes);
    // Narrow keys are split as 32-bit words.
    let bytes = 2 * (size_of::<K>() + value_bytes)
        + if K::TYPE.is_narrow() { 2 * size_of::<u32>() } else { 0 };
    if keys.len() as u64 > resources.max_in_memory(bytes as u64) {
        return Ok(None);
    }
    let context = resources.context;
    match by_value_bytes!(value_bytes, V => on_device::<K, V>(context, buckets, keys, values)) {
        Err(error) if is_out_of_memory(&error) => Ok(None),
        other => other.map(Some),
    }
}

fn on_device<K: Number, V: Pod>(
    context: &Context,
    buckets: &Buckets<K>,
    keys: &Elements,
    values: Option<&Elements>,
) -> Result<Split> {
    let keys = upload::<K>(context, keys)?;
    let values = values.map(|values| upload::<V>(context, values)).transpose()?;
    let _span = tracing::info_span!("split", n = keys.len()).entered();
    let (moved, offsets, method) = phase::timed("splitting", || match values {
        None => {
            let split = context.split(&keys, buckets.clone())?;
            let moved = MovedPairs::device::<K, V>(context, split.keys, None);
            anyhow::Ok((moved, split.offsets, split.method))
        }
        Some(values) => {
            let split = context.split_pairs(&keys, &values, buckets.clone())?;
            let moved = MovedPairs::device(context, split.keys, Some(split.values));
            Ok((moved, split.offsets, split.method))
        }
    })?;
    let offsets = context.download(&offsets)?.into_iter().map(u64::from).collect();
    Ok(Split { moved, offsets, method, parts: 1 })
}
