//! A sort of each row of an array of any size: whole rows at a time, as many as fit the device.

use std::ops::Range;

use anyhow::{Result, bail};

use super::{SortRequest, Sorted, in_one_go};
use crate::file_key::FileKey;
use crate::formats::Data;
use crate::parts::{Room, in_order};

/// Sorts each row of `keys`, and the values where there are any; stable. Rows have `length` elements, which
/// divides how many there are. `order` asks for where in its row each element came from.
pub fn sort<K: FileKey>(
    room: &Room<'_>,
    (request, length): (SortRequest, usize),
    keys: &[K],
    values: Option<&Data>,
    order: bool,
) -> Result<Sorted<K>> {
    let value_bytes = if order { size_of::<u32>() } else { values.map_or(0, Data::element_bytes) };
    // Rounds go from one buffer to another; what is found of rows, and their offsets, is less than a third.
    let (bytes, widest) = (3 * (size_of::<K>() + value_bytes), size_of::<K>().max(value_bytes));
    let max = room.max_elements(bytes as u64, widest as u64);
    let mut all = Sorted {
        keys: Vec::with_capacity(keys.len()),
        values: values.map(|values| Data::empty(values.element_bytes())),
        order: order.then(Vec::new),
        whole: true,
    };
    // A row that does not fit is sorted as an array of its own.
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
            None => super::sort(room, request, keys, values, order)?,
            Some(_) => in_one_go(room, request, keys, values, order)?,
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
