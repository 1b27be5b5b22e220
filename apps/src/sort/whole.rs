//! Sorts an array in memory, or each of its rows: at once if it fits the device, otherwise in parts.

use std::ops::Range;

use anyhow::{Result, bail};
use bytemuck::Pod;

use super::in_memory;
use super::request::{SortRequest, Sorted, indices, max_elements};
use crate::file_key::FileKey;
use crate::formats::Data;
use crate::parts::{Resources, in_order, is_out_of_memory};

/// Sorts `keys` and the optional values; stable. With `order`, also returns the original index of each
/// element.
pub fn sort<K: FileKey>(
    resources: &Resources<'_>,
    request: SortRequest,
    keys: &[K],
    values: Option<&Data>,
    order: bool,
) -> Result<Sorted<K>> {
    if let Some(length) = request.rows {
        return sort_rows(resources, (request, length as usize), keys, values, order);
    }
    let value_bytes = if order { size_of::<u32>() } else { values.map_or(0, Data::element_bytes) };
    let max = max_elements::<K>(resources, value_bytes);
    if keys.len() <= max {
        match sort_at_once(resources, request, keys, values, order) {
            Err(error) if is_out_of_memory(&error) => {}
            other => return other,
        }
    }
    let along = match (order, values) {
        (true, _) => Some(Data::Bytes4(indices(keys.len())?)),
        (false, values) => values.cloned(),
    };
    let (keys, along) =
        in_memory::sort::<K>(resources, request, K::into_data(keys.to_vec()), along)?;
    match along {
        Some(Data::Bytes4(found)) if order => {
            let values = values.map(|values| gathered_data(values, &found)).transpose()?;
            Ok(Sorted { keys, values, order: Some(found), whole: false })
        }
        values => Ok(Sorted { keys, values, order: None, whole: false }),
    }
}

fn sort_at_once<K: FileKey>(
    resources: &Resources<'_>,
    request: SortRequest,
    keys: &[K],
    values: Option<&Data>,
    order: bool,
) -> Result<Sorted<K>> {
    let (context, sort) = (resources.context, &request.sort());
    if order {
        let order = context.argsort_with(keys, sort)?;
        let places = request.in_whole(&order);
        let values = values.map(|values| gathered_data(values, &places)).transpose()?;
        let keys = gathered(keys, &places);
        drop(places);
        return Ok(Sorted { keys, values, order: Some(order), whole: true });
    }
    let (keys, values) = match values {
        None => (context.sort_with(keys, sort)?, None),
        Some(Data::Bytes4(values)) => {
            let (keys, values) = context.sort_pairs_with(keys, values, sort)?;
            (keys, Some(Data::Bytes4(values)))
        }
        Some(Data::Bytes8(values)) => {
            let (keys, values) = context.sort_pairs_with(keys, values, sort)?;
            (keys, Some(Data::Bytes8(values)))
        }
        Some(Data::Bytes16(values)) => {
            let (keys, values) = context.sort_pairs_with(keys, values, sort)?;
            (keys, Some(Data::Bytes16(values)))
        }
        Some(_) => bail!("values have 4, 8 or 16 bytes"),
    };
    Ok(Sorted { keys, values, order: None, whole: true })
}

/// Gathers the elements of `data` in this order.
fn gathered_data(data: &Data, order: &[u32]) -> Result<Data> {
    Ok(match data {
        Data::Bytes4(values) => Data::Bytes4(gathered(values, order)),
        Data::Bytes8(values) => Data::Bytes8(gathered(values, order)),
        Data::Bytes16(values) => Data::Bytes16(gathered(values, order)),
        _ => bail!("values have 4, 8 or 16 bytes"),
    })
}

fn gathered<V: Pod>(values: &[V], order: &[u32]) -> Vec<V> {
    order.iter().map(|&index| values[index as usize]).collect()
}

/// Sorts each row of `keys` and the optional values; stable. `length` is the row length, which divides the
/// number of keys. With `order`, also returns the original index of each element in its row.
fn sort_rows<K: FileKey>(
    resources: &Resources<'_>,
    (request, length): (SortRequest, usize),
    keys: &[K],
    values: Option<&Data>,
    order: bool,
) -> Result<Sorted<K>> {
    let value_bytes = if order { size_of::<u32>() } else { values.map_or(0, Data::element_bytes) };
    // Sort rounds alternate between two buffers. Row offsets and workspace take less than a third of the
    // total.
    let (bytes, widest) = (3 * (size_of::<K>() + value_bytes), size_of::<K>().max(value_bytes));
    let max = resources.max_elements(bytes as u64, widest as u64);
    let mut all = Sorted {
        keys: Vec::with_capacity(keys.len()),
        values: values.map(|values| Data::empty(values.element_bytes())),
        order: order.then(Vec::new),
        whole: true,
    };
    // A row that does not fit is sorted as a separate array.
    let (each, request) = match max / length.max(1) {
        0 => (1, SortRequest { rows: None, ..request }),
        rows => (rows, request),
    };
    let n = keys.len();
    in_order(n / length.max(1), each, |rows| {
        let range = rows.start * length..rows.end * length;
        let values = values.map(|values| part(values, range.clone())).transpose()?;
        let (keys, values) = (&keys[range.clone()], values.as_ref());
        let sorted = match request.rows {
            None => sort(resources, request, keys, values, order)?,
            Some(_) => sort_at_once(resources, request, keys, values, order)?,
        };
        all.whole &= sorted.whole && keys.len() == n;
        join(&mut all, sorted)
    })?;
    Ok(all)
}

fn part(values: &Data, range: Range<usize>) -> Result<Data> {
    Ok(match values {
        Data::Bytes4(values) => Data::Bytes4(values[range].to_vec()),
        Data::Bytes8(values) => Data::Bytes8(values[range].to_vec()),
        Data::Bytes16(values) => Data::Bytes16(values[range].to_vec()),
        _ => bail!("values have 4, 8 or 16 bytes"),
    })
}

fn join<K>(all: &mut Sorted<K>, more: Sorted<K>) -> Result<()> {
    all.keys.extend(more.keys);
    if let (Some(all), Some(more)) = (&mut all.order, more.order) {
        all.extend(more);
    }
    match (&mut all.values, more.values) {
        (Some(Data::Bytes4(all)), Some(Data::Bytes4(more))) => all.extend(more),
        (Some(Data::Bytes8(all)), Some(Data::Bytes8(more))) => all.extend(more),
        (Some(Data::Bytes16(all)), Some(Data::Bytes16(more))) => all.extend(more),
        (None, None) => {}
        _ => bail!("values have 4, 8 or 16 bytes"),
    }
    Ok(())
}
