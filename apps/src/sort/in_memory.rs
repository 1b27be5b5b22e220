//! Sorts arrays in host memory that do not fit the device.

use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result};

use super::request::SortRequest;
use super::streamed::{Target, sort_streamed};
use crate::file_key::FileKey;
use crate::formats::Data;
use crate::inputs::Elements;
use crate::parts::Resources;

/// Destination arrays.
struct InMemory {
    keys: Mutex<Data>,
    values: Mutex<Data>,
}

impl Target for InMemory {
    fn keys(&self, first: u64, bytes: &[u8]) -> Result<()> {
        put(&self.keys, first, bytes);
        Ok(())
    }

    fn values(&self, first: u64, bytes: &[u8]) -> Result<()> {
        put(&self.values, first, bytes);
        Ok(())
    }
}

fn put(data: &Mutex<Data>, first: u64, bytes: &[u8]) {
    let mut data = data.lock().unwrap_or_else(PoisonError::into_inner);
    let begin = first as usize * data.element_bytes();
    data.bytes_mut()[begin..begin + bytes.len()].copy_from_slice(bytes);
}

/// Returns sorted keys and values; stable.
pub fn sort<K: FileKey>(
    resources: &Resources<'_>,
    request: SortRequest,
    keys: Data,
    values: Option<Data>,
) -> Result<(Vec<K>, Option<Data>)> {
    let no_memory = "not enough memory for the result";
    let (n, value_bytes) = (keys.len(), values.as_ref().map_or(0, Data::element_bytes));
    let keys = Elements::Memory(keys);
    let values = values.map(Elements::Memory);
    let value_len = if values.is_some() { n } else { 0 };
    let target = InMemory {
        keys: Mutex::new(Data::zeroed(size_of::<K>(), n).context(no_memory)?),
        values: Mutex::new(Data::zeroed(value_bytes, value_len).context(no_memory)?),
    };
    sort_streamed::<K>(resources, request, &keys, values.as_ref(), &target)?;
    let sorted = target.keys.into_inner().unwrap_or_else(PoisonError::into_inner);
    let sorted = K::from_data(&sorted).context("keys of another size")?.to_vec();
    let moved = target.values.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((sorted, values.map(|_| moved)))
}
