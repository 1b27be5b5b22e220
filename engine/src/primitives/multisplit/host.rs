//! Splits of host data in one call.

use bytemuck::Pod;
use multisplit_graph::Graph;

use super::{Method, Split, SplitBuffers, SplitOutput, add};
use crate::device::context::Context;
use crate::error::{Error, Result};

/// What a split gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitResult<K, V = ()> {
    /// The keys, in the order of their buckets.
    pub keys: Vec<K>,
    /// The values, in the order of the keys; empty where there were none.
    pub values: Vec<V>,
    /// Where each bucket begins, and n.
    pub offsets: Vec<u32>,
    /// How it was done.
    pub method: Method,
}

impl Context {
    /// Splits `keys`: uploads them, splits them on the device, downloads the result.
    pub fn split<K: Pod>(&self, split: &Split, keys: &[K]) -> Result<SplitResult<K>> {
        let result = self.split_any::<K, u32>(split, keys, None)?;
        let SplitResult { keys, offsets, method, .. } = result;
        Ok(SplitResult { keys, values: Vec::new(), offsets, method })
    }

    /// Splits `keys`, each of which takes its value along.
    pub fn split_pairs<K: Pod, V: Pod>(
        &self,
        split: &Split,
        keys: &[K],
        values: &[V],
    ) -> Result<SplitResult<K, V>> {
        self.split_any(split, keys, Some(values))
    }

    fn split_any<K: Pod, V: Pod>(
        &self,
        split: &Split,
        keys: &[K],
        values: Option<&[V]>,
    ) -> Result<SplitResult<K, V>> {
        let n = keys.len() as u64;
        if size_of::<K>() != split.key.bytes() as usize {
            let (size, needed) = (size_of::<K>() as u64, u64::from(split.key.bytes()));
            return Err(Error::BufferTooSmall { name: "key".into(), size, needed });
        }
        if let Some(values) = values
            && values.len() != keys.len()
        {
            let (size, needed) = (values.len() as u64, n);
            return Err(Error::BufferTooSmall { name: "values".into(), size, needed });
        }
        let mut graph = Graph::new("split");
        // Vulkan has no empty buffers; a split of nothing touches only the offsets.
        let len = n.max(1);
        let keys_in = graph.import::<K>("keys", len);
        let keys_out = graph.import::<K>("keys.out", len);
        let offsets = graph.import::<u32>("offsets", u64::from(split.buckets) + 1);
        let outside = graph.import::<u32>("outside", 1);
        let value_buffers = values
            .map(|_| (graph.import::<V>("values", len), graph.import::<V>("values.out", len)));
        let output = match value_buffers {
            Some((values_in, values)) => {
                let value_bytes = size_of::<V>() as u32;
                SplitOutput::Pairs { keys: keys_out, values_in, values, value_bytes }
            }
            None => SplitOutput::Keys(keys_out),
        };
        let buffers =
            SplitBuffers { n: n.into(), keys: keys_in, output, offsets, outside: Some(outside) };
        let added = add(&mut graph, &self.policy(), split, &buffers)?;
        let executable = self.instantiate(graph.compile(&self.limits())?)?;

        let device_keys = self.buffer::<K>("keys", len)?;
        self.write(&device_keys, keys)?;
        let device_keys_out = self.buffer::<K>("keys.out", len)?;
        let device_offsets = self.buffer::<u32>("offsets", u64::from(split.buckets) + 1)?;
        let device_outside = self.upload("outside", &[0u32])?;
        let mut bound = vec![
            (keys_in, &device_keys),
            (keys_out, &device_keys_out),
            (offsets, &device_offsets),
            (outside, &device_outside),
        ];
        let device_values = match values {
            Some(values) => {
                let input = self.buffer::<V>("values", len)?;
                self.write(&input, values)?;
                Some((input, self.buffer::<V>("values.out", len)?))
            }
            None => None,
        };
        if let (Some((input, output)), Some((from, to))) = (&device_values, value_buffers) {
            bound.extend([(from, input), (to, output)]);
        }
        self.run(&executable, &bound)?;
        let out_of_range = self.download::<u32>(&device_outside)?.first().copied().unwrap_or(0);
        if out_of_range > 0 {
            return Err(Error::BucketOutOfRange {
                keys: u64::from(out_of_range),
                buckets: split.buckets,
            });
        }
        Ok(SplitResult {
            keys: self.download_first(&device_keys_out, n)?,
            values: match &device_values {
                Some((_, output)) => self.download_first(output, n)?,
                None => Vec::new(),
            },
            offsets: self.download(&device_offsets)?,
            method: added.method,
        })
    }
}
