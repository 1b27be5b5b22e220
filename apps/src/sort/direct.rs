//! A sort whose elements nobody on the host looks at: from the input to the device, and from there to
//! the output.

use anyhow::{Result, bail};
use bytemuck::Pod;
use multisplit::{Context, Value};

use super::{SortRequest, max_elements};
use crate::file_key::FileKey;
use crate::inputs::Elements;
use crate::on_device::{Moved, upload};
use crate::parts::{Room, no_room};

/// Sorted elements, on the device.
pub struct Direct {
    pub keys: Moved,
    pub values: Option<Moved>,
}

/// Sorts `keys`, and the values where there are any; stable. None where they do not fit the device.
pub fn sort_direct<K: FileKey>(
    room: &Room<'_>,
    request: SortRequest,
    keys: &Elements,
    values: Option<&Elements>,
) -> Result<Option<Direct>> {
    let value_bytes = values.map_or(0, Elements::element_bytes);
    if keys.len() > max_elements::<K>(room, value_bytes) {
        return Ok(None);
    }
    let context = room.context;
    let sorted = match (values, value_bytes) {
        (None, _) => keys_alone::<K>(context, request, keys),
        (Some(values), 4) => pairs::<K, u32>(context, request, keys, values),
        (Some(values), 8) => pairs::<K, u64>(context, request, keys, values),
        (Some(values), 16) => pairs::<K, [u32; 4]>(context, request, keys, values),
        _ => bail!("values have 4, 8 or 16 bytes"),
    };
    match sorted {
        Err(error) if no_room(&error) => Ok(None),
        other => other.map(Some),
    }
}

fn keys_alone<K: FileKey>(
    context: &Context,
    request: SortRequest,
    keys: &Elements,
) -> Result<Direct> {
    let mut keys = upload::<K>(context, keys)?;
    {
        let _span = tracing::info_span!("sort", n = keys.len()).entered();
        context.sort_in_place(&mut keys, &request.sort())?;
    }
    Ok(Direct { keys: Moved::device(context, keys), values: None })
}

fn pairs<K: FileKey, V: Pod + Value>(
    context: &Context,
    request: SortRequest,
    keys: &Elements,
    values: &Elements,
) -> Result<Direct> {
    let (keys, values) = (upload::<K>(context, keys)?, upload::<V>(context, values)?);
    let (keys, values) = {
        let _span = tracing::info_span!("sort", n = keys.len()).entered();
        context.sort_pairs_with(&keys, &values, &request.sort())?
    };
    Ok(Direct { keys: Moved::device(context, keys), values: Some(Moved::device(context, values)) })
}
