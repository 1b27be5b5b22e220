//! A sort of arrays of any size: in one go where they fit the device, else bucket by bucket.

mod direct;
mod in_memory;
mod plan;
mod rows;
mod streamed;
mod verify;

pub use direct::sort_direct;
pub use plan::{Method, OPS, Op, SortPlan};
pub use streamed::{Target, sort_streamed};
pub use verify::verify;

use std::borrow::Cow;

use anyhow::{Context as _, Result, bail};
use bytemuck::Pod;
use multisplit::primitives::sort::SortMethod;
use multisplit::{Key, Sort};

use crate::file_key::{FileKey, rank};
use crate::formats::Data;
use crate::parts::{Room, no_room};

/// How keys are to be sorted, as the command line says it.
#[derive(Clone, Copy, Debug)]
pub struct SortRequest {
    pub descending: bool,
    pub method: SortMethod,
    /// The length of a row, where each row is sorted on its own. It divides how many keys there are.
    pub rows: Option<u64>,
}

impl SortRequest {
    /// What the engine is asked for.
    fn sort(self) -> Sort {
        let sort = if self.descending { Sort::descending() } else { Sort::ascending() };
        let sort = sort.method(self.method);
        self.rows.map_or(sort.clone(), |length| sort.rows(length))
    }

    /// Which elements of the whole array an order takes, whose indices count from where rows begin.
    fn in_whole(self, order: &[u32]) -> Cow<'_, [u32]> {
        let Some(length) = self.rows else { return order.into() };
        let begin = |place: usize| (place as u64 / length * length) as u32;
        order.iter().enumerate().map(|(place, &index)| begin(place) + index).collect()
    }

    /// An unsigned number that compares as the keys are sorted.
    fn rank<K: Key>(self, key: K) -> u64 {
        if self.descending { !rank(key) } else { rank(key) }
    }
}

/// What comes out.
pub struct Sorted<K> {
    pub keys: Vec<K>,
    pub values: Option<Data>,
    /// Where each element came from, in its row where there are rows, if that was asked for.
    pub order: Option<Vec<u32>>,
    /// Whether it was done in one go.
    pub whole: bool,
}

/// Sorts `keys`, and the values where there are any; stable. `order` asks for where each element
/// came from.
pub fn sort<K: FileKey>(
    room: &Room<'_>,
    request: SortRequest,
    keys: &[K],
    values: Option<&Data>,
    order: bool,
) -> Result<Sorted<K>> {
    if let Some(length) = request.rows {
        return rows::sort(room, (request, length as usize), keys, values, order);
    }
    let value_bytes = if order { size_of::<u32>() } else { values.map_or(0, Data::element_bytes) };
    let max = max_elements::<K>(room, value_bytes);
    if keys.len() <= max {
        match in_one_go(room, request, keys, values, order) {
            Err(error) if no_room(&error) => {}
            other => return other,
        }
    }
    let along = match (order, values) {
        (true, _) => Some(Data::Bytes4(indices(keys.len())?)),
        (false, values) => values.cloned(),
    };
    let (keys, along) = in_memory::sort::<K>(room, request, K::into_data(keys.to_vec()), along)?;
    match along {
        Some(Data::Bytes4(found)) if order => {
            let values = values.map(|values| gathered_data(values, &found)).transpose()?;
            Ok(Sorted { keys, values, order: Some(found), whole: false })
        }
        values => Ok(Sorted { keys, values, order: None, whole: false }),
    }
}

/// How many keys with values of so many bytes fit.
fn max_elements<K>(room: &Room<'_>, value_bytes: usize) -> usize {
    let (key_bytes, narrow) = key_bytes::<K>();
    // Rounds go from one buffer to another.
    let bytes = 2 * (key_bytes + value_bytes) + narrow;
    room.max_elements(bytes as u64, key_bytes.max(value_bytes) as u64)
}

/// Bytes of a key while it is sorted; and, of narrow ones, which are sorted as words, of itself.
fn key_bytes<K>() -> (usize, usize) {
    let (bytes, word) = (size_of::<K>(), size_of::<u32>());
    (bytes.max(word), if bytes < word { bytes } else { 0 })
}

fn in_one_go<K: FileKey>(
    room: &Room<'_>,
    request: SortRequest,
    keys: &[K],
    values: Option<&Data>,
    order: bool,
) -> Result<Sorted<K>> {
    let (context, sort) = (room.context, &request.sort());
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
