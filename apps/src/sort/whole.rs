//! Sorts an array in memory, or each of its rows: in one piece if it fits in device memory,
//! otherwise in parts.

use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result, bail};

use super::request::{SortRequest, Sorted, indices, max_elements};
use super::streamed::{Target, sort_streamed};
use crate::formats::Data;
use crate::inputs::Elements;
use crate::number::Number;
use crate::on_device::by_value_bytes;
use crate::parts::{Resources, in_order, is_out_of_memory};

const NO_MEMORY: &str = "not enough memory for the result";

/// Sorts `keys` and the optional values; stable. With `order`, also returns the original index of each element,
/// relative to its row if there are rows.
pub fn sort<K: Number>(
    resources: &Resources<'_>,
    request: SortRequest,
    keys: &[K],
    values: Option<&Data>,
    order: bool,
) -> Result<Sorted<K>> {
    let sorting = Sorting { resources, request, order };
    match request.rows {
        Some(length) => sorting.rows(length as usize, keys, values),
        None => sorting.array(keys, values),
    }
}

/// Parameters of a sort.
#[derive(Clone, Copy)]
struct Sorting<'s> {
    resources: &'s Resources<'s>,
    request: SortRequest,
    order: bool,
}

impl Sorting<'_> {
    fn array<K: Number>(&self, keys: &[K], values: Option<&Data>) -> Result<Sorted<K>> {
        if keys.len() <= max_elements::<K>(self.resources, self.value_bytes(values)) {
            match self.at_once(keys, values) {
                Err(error) if is_out_of_memory(&error) => {}
                other => return other,
            }
        }
        let payload = match self.order {
            true => Some(Data::Bytes4(indices(keys.len())?)),
            false => values.cloned(),
        };
        let (keys, payload) = self.in_parts(Data::of(keys.to_vec()), payload)?;
        match payload {
            Some(Data::Bytes4(found)) if self.order => {
                let values = gathered(values, &found)?;
                Ok(Sorted { keys, values, order: Some(found), whole: false })
            }
            values => Ok(Sorted { keys, values, order: None, whole: false }),
        }
    }

    /// Bytes per element that move with the keys.
    fn value_bytes(&self, values: Option<&Data>) -> usize {
        if self.order { size_of::<u32>() } else { values.map_or(0, Data::element_bytes) }
    }

    fn at_once<K: Number>(&self, keys: &[K], values: Option<&Data>) -> Result<Sorted<K>> {
        let (context, sort) = (self.resources.context, &self.request.sort());
        if self.order {
            let order = context.argsort_with(keys, sort)?;
            let places = self.request.in_whole(&order);
            let values = gathered(values, &places)?;
            let keys = places.iter().map(|&index| keys[index as usize]).collect();
            drop(places);
            return Ok(Sorted { keys, values, order: Some(order), whole: true });
        }
        let (keys, values) = match values {
            None => (context.sort_with(keys, sort)?, None),
            Some(values) => by_value_bytes!(values.element_bytes(), V => {
                let values: &[V] = bytemuck::cast_slice(values.bytes());
                let (keys, values) = context.sort_pairs_with(keys, values, sort)?;
                (keys, Some(Data::of(values)))
            }),
        };
        Ok(Sorted { keys, values, order: None, whole: true })
    }

    /// Sorts each row of `keys` and the optional values. The row length divides the number of keys.
    fn rows<K: Number>(
        &self,
        length: usize,
        keys: &[K],
        values: Option<&Data>,
    ) -> Result<Sorted<K>> {
        let value_bytes = self.value_bytes(values);
        // Sort rounds alternate between two buffers. Reserve as much as a third one for row offsets and workspace.
        let (bytes, widest) = (3 * (size_of::<K>() + value_bytes), size_of::<K>().max(value_bytes));
        let max = self.resources.max_elements(bytes as u64, widest as u64);
        let mut all = Sorted {
            keys: Vec::with_capacity(keys.len()),
            values: values.map(|values| Data::empty(values.element_bytes())),
            order: self.order.then(Vec::new),
            whole: true,
        };
        let (n, rows_at_once) = (keys.len(), max / length.max(1));
        in_order(n / length.max(1), rows_at_once.max(1), |rows| {
            let range = rows.start * length..rows.end * length;
            let part = |values: &Data| values.part(range.clone()).context(NO_MEMORY);
            let values = values.map(part).transpose()?;
            let (keys, values) = (&keys[range.clone()], values.as_ref());
            let sorted = match rows_at_once {
                // A row that does not fit is sorted as a separate array.
                0 => {
                    let request = SortRequest { rows: None, ..self.request };
                    Sorting { request, ..*self }.array(keys, values)?
                }
                _ => self.at_once(keys, values)?,
            };
            all.whole &= sorted.whole && keys.len() == n;
            join(&mut all, sorted)
        })?;
        Ok(all)
    }

    /// Sorts keys and values that do not fit in device memory.
    fn in_parts<K: Number>(
        &self,
        keys: Data,
        values: Option<Data>,
    ) -> Result<(Vec<K>, Option<Data>)> {
        let zeroed =
            |data: &Data| Data::zeroed(data.element_bytes(), data.len()).context(NO_MEMORY);
        let sorted = Mutex::new(zeroed(&keys)?);
        let moved = Mutex::new(values.as_ref().map_or(Ok(Data::empty(1)), zeroed)?);
        let target = Target {
            keys: &|first, bytes| put(&sorted, first, bytes),
            values: &|first, bytes| put(&moved, first, bytes),
        };
        let (keys, values) = (Elements::Memory(keys), values.map(Elements::Memory));
        sort_streamed::<K>(self.resources, self.request, &keys, values.as_ref(), target)?;
        let [sorted, moved] =
            [sorted, moved].map(|data| data.into_inner().unwrap_or_else(PoisonError::into_inner));
        Ok((K::from_data(&sorted)?.to_vec(), values.map(|_| moved)))
    }
}

fn gathered(values: Option<&Data>, order: &[u32]) -> Result<Option<Data>> {
    values.map(|values| values.gathered(order).context(NO_MEMORY)).transpose()
}

fn join<K>(all: &mut Sorted<K>, more: Sorted<K>) -> Result<()> {
    all.keys.extend(more.keys);
    if let (Some(all), Some(more)) = (&mut all.order, more.order) {
        all.extend(more);
    }
    if let (Some(all), Some(more)) = (&mut all.values, more.values)
        && !all.append(&more)
    {
        bail!(NO_MEMORY);
    }
    Ok(())
}

/// Copies elements into an array, starting at element `first`.
fn put(data: &Mutex<Data>, first: u64, bytes: &[u8]) -> Result<()> {
    let mut data = data.lock().unwrap_or_else(PoisonError::into_inner);
    let begin = first as usize * data.element_bytes();
    data.bytes_mut()[begin..begin + bytes.len()].copy_from_slice(bytes);
    Ok(())
}
