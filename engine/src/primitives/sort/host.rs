//! Sorts of host data in one call.

use bytemuck::Pod;
use multisplit_graph::Graph;

use super::{SegmentedBuffers, Sort, SortBuffers, SortPlace, SortValues, add, add_segmented};
use crate::device::context::Context;
use crate::error::{Error, Result};

impl Context {
    /// Sorts `keys`: uploads them, sorts them on the device, downloads the result.
    pub fn sort<K: Pod>(&self, sort: &Sort, keys: &[K]) -> Result<Vec<K>> {
        Ok(self.sort_any::<K, u32>(sort, keys, None, Along::Nothing)?.0)
    }

    /// Sorts `keys`, each of which takes its value along.
    pub fn sort_pairs<K: Pod, V: Pod>(
        &self,
        sort: &Sort,
        keys: &[K],
        values: &[V],
    ) -> Result<(Vec<K>, Vec<V>)> {
        self.sort_any(sort, keys, None, Along::Values(values))
    }

    /// The order that sorts `keys`: for each place, which key comes there.
    pub fn argsort<K: Pod>(&self, sort: &Sort, keys: &[K]) -> Result<Vec<u32>> {
        Ok(self.sort_any::<K, u32>(sort, keys, None, Along::Indices)?.1)
    }

    /// Sorts each of the segments of `keys`: `offsets` are where each begins, the first at 0, and
    /// the number of keys.
    pub fn sort_segments<K: Pod>(
        &self,
        sort: &Sort,
        keys: &[K],
        offsets: &[u32],
    ) -> Result<Vec<K>> {
        Ok(self.sort_any::<K, u32>(sort, keys, Some(offsets), Along::Nothing)?.0)
    }

    /// Sorts each of the segments of `keys`, each key taking its value along.
    pub fn sort_segments_pairs<K: Pod, V: Pod>(
        &self,
        sort: &Sort,
        keys: &[K],
        values: &[V],
        offsets: &[u32],
    ) -> Result<(Vec<K>, Vec<V>)> {
        self.sort_any(sort, keys, Some(offsets), Along::Values(values))
    }

    /// The order that sorts each of the segments of `keys`, counted from where the segment begins.
    pub fn argsort_segments<K: Pod>(
        &self,
        sort: &Sort,
        keys: &[K],
        offsets: &[u32],
    ) -> Result<Vec<u32>> {
        Ok(self.sort_any::<K, u32>(sort, keys, Some(offsets), Along::Indices)?.1)
    }

    fn sort_any<K: Pod, V: Pod>(
        &self,
        sort: &Sort,
        keys: &[K],
        offsets: Option<&[u32]>,
        along: Along<'_, V>,
    ) -> Result<(Vec<K>, Vec<V>)> {
        let n = keys.len() as u64;
        if size_of::<K>() != sort.key.bytes() as usize {
            let (size, needed) = (size_of::<K>() as u64, u64::from(sort.key.bytes()));
            return Err(Error::BufferTooSmall { name: "key".into(), size, needed });
        }
        if let Along::Values(values) = along
            && values.len() != keys.len()
        {
            let (size, needed) = (values.len() as u64, n);
            return Err(Error::BufferTooSmall { name: "values".into(), size, needed });
        }
        if offsets.is_some_and(|offsets| offsets.last().is_some_and(|&end| u64::from(end) != n)) {
            return Err(Error::Segments { problem: "the last one does not end where the keys do" });
        }
        if keys.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let mut graph = Graph::new("sort");
        let keys_buffer = graph.import::<K>("keys", n);
        let values_buffer = match along {
            Along::Nothing => None,
            _ => Some(graph.import::<V>("values", n)),
        };
        let values = match (values_buffer, along) {
            (None, _) | (_, Along::Nothing) => SortValues::None,
            (Some(buffer), Along::Indices) => SortValues::Indices(buffer),
            (Some(buffer), Along::Values(_)) => {
                SortValues::Values { buffer, bytes: size_of::<V>() as u32 }
            }
        };
        if let Some(offsets) = offsets {
            let buffers = SegmentedBuffers { keys: keys_buffer, values, offsets };
            add_segmented(&mut graph, &self.policy(), sort, &buffers)?;
        } else {
            let buffers =
                SortBuffers { n: n.into(), keys: keys_buffer, values, place: SortPlace::InPlace };
            add(&mut graph, &self.policy(), sort, &buffers)?;
        }
        let executable = self.instantiate(graph.compile(&self.limits())?)?;
        let device_keys = self.upload("keys", keys)?;
        let device_values = match along {
            Along::Nothing => None,
            Along::Indices => Some(self.buffer::<V>("values", n)?),
            Along::Values(values) => Some(self.upload("values", values)?),
        };
        let mut bound = vec![(keys_buffer, &device_keys)];
        if let (Some(buffer), Some(device)) = (values_buffer, &device_values) {
            bound.push((buffer, device));
        }
        self.run(&executable, &bound)?;
        let values = match &device_values {
            Some(device) => self.download_first(device, n)?,
            None => Vec::new(),
        };
        Ok((self.download_first(&device_keys, n)?, values))
    }
}

/// What keys take along.
#[derive(Clone, Copy)]
enum Along<'v, V> {
    Nothing,
    Values(&'v [V]),
    /// Their numbers; `V` is `u32`.
    Indices,
}
