//! A sort of arrays of any size: in one go where they fit the device, else by splitters.

mod job;
mod large;
mod verify;

pub use job::{Job, Method, OPS, Op};
pub use verify::verify;

use anyhow::{Context as _, Result, bail};
use bytemuck::Pod;
use multisplit::primitives::sort::Sort;

use crate::files::Data;
use crate::parts::{Room, no_room};
use crate::word::Word;

/// What comes out.
pub struct Sorted<K> {
    pub keys: Vec<K>,
    pub values: Option<Data>,
    /// Where each element came from, if that was asked for.
    pub order: Option<Vec<u32>>,
    /// Whether it was done in one go.
    pub whole: bool,
}

/// Sorts `keys`, and the values where there are any; stable. `order` asks for where each element
/// came from.
pub fn sort<K: Word>(
    room: &Room<'_>,
    sort: &Sort,
    keys: &[K],
    values: Option<&Data>,
    order: bool,
) -> Result<Sorted<K>> {
    let value_bytes = if order { size_of::<u32>() } else { values.map_or(0, Data::element_bytes) };
    let most = most_elements::<K>(room, value_bytes);
    let fits = keys.len() <= most;
    if fits {
        match in_one_go(room, sort, keys, values, order) {
            Err(error) if no_room(&error) => {}
            other => return other,
        }
    }
    let most = if fits { keys.len() / 2 } else { most };
    let wanted = order || values.is_some();
    let (keys, order_found) = large::sort(room, sort, most, keys, wanted)?;
    let values = values.map(|values| gathered_data(values, &order_found)).transpose()?;
    let order = order.then_some(order_found);
    Ok(Sorted { keys, values, order, whole: false })
}

/// How many keys with values of so many bytes fit.
fn most_elements<K>(room: &Room<'_>, value_bytes: usize) -> usize {
    let key_bytes = size_of::<K>();
    // Rounds go from one buffer to another.
    let bytes = 2 * (key_bytes + value_bytes);
    room.most_elements(bytes as u64, key_bytes.max(value_bytes) as u64)
}

fn in_one_go<K: Word>(
    room: &Room<'_>,
    sort: &Sort,
    keys: &[K],
    values: Option<&Data>,
    order: bool,
) -> Result<Sorted<K>> {
    let context = room.context;
    if order {
        let order = context.argsort(sort, keys)?;
        let values = values.map(|values| gathered_data(values, &order)).transpose()?;
        let keys = gathered(keys, &order);
        return Ok(Sorted { keys, values, order: Some(order), whole: true });
    }
    let (keys, values) = match values {
        None => (context.sort(sort, keys)?, None),
        Some(Data::Bytes4(values)) => {
            let (keys, values) = context.sort_pairs(sort, keys, values)?;
            (keys, Some(Data::Bytes4(values)))
        }
        Some(Data::Bytes8(values)) => {
            let (keys, values) = context.sort_pairs(sort, keys, values)?;
            (keys, Some(Data::Bytes8(values)))
        }
        Some(Data::Bytes16(values)) => {
            let (keys, values) = context.sort_pairs(sort, keys, values)?;
            (keys, Some(Data::Bytes16(values)))
        }
        Some(_) => bail!("values have 4, 8 or 16 bytes"),
    };
    Ok(Sorted { keys, values, order: None, whole: true })
}

/// 0 to n - 1.
fn indices(n: usize) -> Result<Vec<u32>> {
    let n = u32::try_from(n).context("more elements than 32 bits can number")?;
    Ok((0..n).collect())
}

/// The elements of `data` in this order.
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
