//! Splits without loading the elements into host memory: from the input to the device, and from there to the
//! output.

use anyhow::{Context as _, Result};
use bytemuck::Pod;
use multisplit::operations::split::Method;
use multisplit::{Array, Buckets, Context, Value};

use crate::file_key::FileKey;
use crate::inputs::Elements;
use crate::on_device::{Moved, upload};
use crate::parts::{Resources, is_out_of_memory};
use crate::phase;
use crate::value_type::by_value_bytes;

/// Elements grouped by bucket, on the device.
pub struct Direct {
    pub keys: Moved,
    pub values: Option<Moved>,
    /// Start of each bucket, followed by n.
    pub offsets: Vec<u64>,
    pub method: Method,
}

/// Splits `keys` and the optional values. `None` if they do not fit the device.
pub fn split_direct<K: FileKey>(
    resources: &Resources<'_>,
    buckets: &Buckets<K>,
    keys: &Elements,
    values: Option<&Elements>,
) -> Result<Option<Direct>> {
    let value_bytes = values.map_or(0, Elements::element_bytes);
    // Narrow keys are split as 32-bit words.
    let bytes = 2 * (size_of::<K>() + value_bytes)
        + if K::TYPE.is_narrow() { 2 * size_of::<u32>() } else { 0 };
    if keys.len() as u64 > resources.max_in_memory(bytes as u64) {
        return Ok(None);
    }
    let context = resources.context;
    let split = by_value_bytes!(
        value_bytes,
        keys_alone(context, buckets, keys),
        V => pairs::<K, V>(context, buckets, keys, values)
    );
    match split {
        Err(error) if is_out_of_memory(&error) => Ok(None),
        other => other.map(Some),
    }
}

fn keys_alone<K: FileKey>(
    context: &Context,
    buckets: &Buckets<K>,
    keys: &Elements,
) -> Result<Direct> {
    let keys = upload::<K>(context, keys)?;
    let _span = tracing::info_span!("split", n = keys.len()).entered();
    let split = phase::timed("splitting", || context.split(&keys, buckets.clone()))?;
    Ok(Direct {
        keys: Moved::device(context, split.keys),
        values: None,
        offsets: offsets(context, &split.offsets)?,
        method: split.method,
    })
}

fn pairs<K: FileKey, V: Pod + Value>(
    context: &Context,
    buckets: &Buckets<K>,
    keys: &Elements,
    values: Option<&Elements>,
) -> Result<Direct> {
    let values = values.context("a split of pairs without values")?;
    let (keys, values) = (upload::<K>(context, keys)?, upload::<V>(context, values)?);
    let _span = tracing::info_span!("split", n = keys.len()).entered();
    let split = phase::timed("splitting", || context.split_pairs(&keys, &values, buckets.clone()))?;
    Ok(Direct {
        keys: Moved::device(context, split.keys),
        values: Some(Moved::device(context, split.values)),
        offsets: offsets(context, &split.offsets)?,
        method: split.method,
    })
}

fn offsets(context: &Context, offsets: &Array<u32>) -> Result<Vec<u64>> {
    Ok(context.download(offsets)?.into_iter().map(u64::from).collect())
}
