//! Sorts arrays that do not fit in device memory. Each element is uploaded and downloaded at most once, unless the sort
//! of its bucket has to be repeated.
//!
//! While the input is read, the host splits it into buckets on all cores, by splitters from a sample. Each bucket is
//! then sorted on the device and written to its place in the output while the next one is uploaded. A bucket that is
//! still too large is split again. Splitters cannot divide equal keys, so a very frequent key gets a separate bucket.
//! A bucket of equal keys is not sorted, because the split is already stable.

use std::ops::Range;

use anyhow::{Context as _, Result};
use bytemuck::Pod;
use multisplit::Context;
use multisplit_bench::data::{SplitMix64, below};
use multisplit_bench::host_memory;
use rayon::prelude::*;

use super::direct::{Prepared, retry_with_ballots};
use super::request::{SortRequest, max_elements};
use crate::formats::Data;
use crate::inputs::Elements;
use crate::number::Number;
use crate::on_device::{DeviceArray as _, Drain, by_value_bytes, elements_of};
use crate::parts::{Resources, by_workers, is_out_of_memory};
use crate::phase;

/// Samples per bucket: enough for similar bucket sizes.
const SAMPLES_PER_BUCKET: usize = 32;
/// The bucket count is this many times the required minimum, so that few buckets are too large.
const SPARE: usize = 2;
/// Upper bound of the bucket count. Quantiles of the sample give at most half as many buckets; frequent keys and the
/// smallest sampled key get separate buckets.
const MAX_BUCKETS: usize = 1024;
const SEED: u64 = 0x736f_7274;
/// Elements that one thread splits at a time.
const CHUNK: usize = 1 << 18;
/// Buckets in flight: one is sorted while another is uploaded or downloaded.
const WORKERS: usize = 2;

/// Destinations of sorted keys and values.
#[derive(Clone, Copy)]
pub struct Target<'t> {
    pub keys: &'t Drain<'t>,
    pub values: &'t Drain<'t>,
}

/// Sorts `keys` and the optional values into `target`; stable.
pub fn sort_streamed<K: Number>(
    resources: &Resources<'_>,
    request: SortRequest,
    keys: &Elements,
    values: Option<&Elements>,
    target: Target<'_>,
) -> Result<()> {
    if keys.len() == 0 {
        return Ok(());
    }
    let value_bytes = values.map_or(0, Elements::element_bytes);
    let bytes = keys.len() * (size_of::<K>() + value_bytes);
    host_memory::check("the copy of the input", bytes as u64)?;
    let bar = resources.bars.elements("sorting", keys.len() as u64);
    let max = max_elements::<K>(resources, value_bytes) / WORKERS;
    let sort = Streamed { context: resources.context, request, target, bar: &bar };
    by_value_bytes!(value_bytes, V => sort.sort::<K, V>(keys, values, 0, max))?;
    bar.finish_and_clear();
    Ok(())
}

#[derive(Clone, Copy)]
struct Streamed<'s> {
    context: &'s Context,
    request: SortRequest,
    target: Target<'s>,
    bar: &'s indicatif::ProgressBar,
}

/// A chunk of the input, grouped by bucket.
struct Piece<K, V> {
    keys: Vec<K>,
    /// Empty if only keys are sorted.
    values: Vec<V>,
    /// Start of each bucket, followed by the length.
    begins: Vec<u32>,
}

impl<K, V> Piece<K, V> {
    fn range(&self, bucket: usize) -> Range<usize> {
        self.begins[bucket] as usize..self.begins[bucket + 1] as usize
    }
}

/// One bucket across all pieces.
struct Bucket<'b, K, V> {
    pieces: &'b [Piece<K, V>],
    number: usize,
    /// Start of each piece's part in the bucket, followed by the length of the bucket.
    starts: Vec<u64>,
}

impl Streamed<'_> {
    /// Sorts elements, in buckets of at most `max` elements, and writes them to the output, starting at `first`.
    fn sort<K: Number, V: Pod + Send + Sync>(
        &self,
        keys: &Elements,
        values: Option<&Elements>,
        first: u64,
        max: usize,
    ) -> Result<()> {
        let splitters = self.splitters::<K>(keys, max)?;
        let pieces =
            phase::timed("reading and splitting", || self.split::<K, V>(keys, values, &splitters))?;
        let mut begins = vec![first];
        let buckets: Vec<Bucket<'_, K, V>> = (0..=splitters.len())
            .map(|number| {
                let bucket = Bucket::new(&pieces, number);
                begins.push(begins[number] + bucket.len());
                bucket
            })
            .collect();
        by_workers(WORKERS, buckets.len(), |number| {
            self.finish(&buckets[number], begins[number], max)
        })
    }

    /// Returns the splitters: the ranks at which the buckets after the first begin. The smallest sampled key gets its
    /// own bucket, so that every other bucket is smaller than the input even if the sample is unrepresentative.
    fn splitters<K: Number>(&self, keys: &Elements, max: usize) -> Result<Vec<u64>> {
        let buckets = (SPARE * keys.len().div_ceil(max.max(1))).clamp(2, MAX_BUCKETS / 2);
        let mut random = SplitMix64::after(SEED, 0);
        let mut sample = (0..buckets * SAMPLES_PER_BUCKET)
            .map(|_| {
                let index = below(random.draw(), keys.len() as u64);
                Ok(self.request.rank(elements_of::<K>(keys, index, 1)?[0]))
            })
            .collect::<Result<Vec<u64>>>()?;
        sample.sort_unstable();
        let quantiles = sample.iter().skip(SAMPLES_PER_BUCKET).step_by(SAMPLES_PER_BUCKET);
        let mut splitters: Vec<u64> = quantiles.copied().collect();
        // If adjacent quantiles are equal, one key would fill a whole bucket. End that bucket after the key.
        let frequent: Vec<u64> = splitters
            .windows(2)
            .filter(|pair| pair[0] == pair[1])
            .filter_map(|pair| pair[0].checked_add(1))
            .collect();
        splitters.extend(frequent);
        let smallest = sample[0];
        splitters.extend([Some(smallest), smallest.checked_add(1)].into_iter().flatten());
        splitters.sort_unstable();
        splitters.dedup();
        // Ranks start at 0, so a splitter of 0 would only create an empty bucket.
        splitters.retain(|&splitter| splitter > 0);
        Ok(splitters)
    }

    /// Splits the input into pieces, each grouped by bucket.
    fn split<K: Number, V: Pod + Send + Sync>(
        &self,
        keys: &Elements,
        values: Option<&Elements>,
        splitters: &[u64],
    ) -> Result<Vec<Piece<K, V>>> {
        let _span = tracing::info_span!("split on the host", n = keys.len() as u64).entered();
        (0..keys.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|index| {
                let begin = index * CHUNK;
                let len = CHUNK.min(keys.len() - begin);
                let keys = elements_of::<K>(keys, begin as u64, len)?;
                let values = match values {
                    Some(values) => elements_of::<V>(values, begin as u64, len)?,
                    None => Vec::new(),
                };
                Ok(self.split_chunk(&keys, &values, splitters))
            })
            .collect()
    }

    fn split_chunk<K: Number, V: Pod>(
        &self,
        keys: &[K],
        values: &[V],
        splitters: &[u64],
    ) -> Piece<K, V> {
        let bucket_of = |&key: &K| {
            let rank = self.request.rank(key);
            splitters.partition_point(|&splitter| splitter <= rank) as u16
        };
        let buckets: Vec<u16> = keys.iter().map(bucket_of).collect();
        let mut begins = vec![0u32; splitters.len() + 2];
        for &bucket in &buckets {
            begins[usize::from(bucket) + 1] += 1;
        }
        for bucket in 1..begins.len() {
            begins[bucket] += begins[bucket - 1];
        }
        let mut next = begins.clone();
        let mut piece = Piece { keys: keys.to_vec(), values: values.to_vec(), begins };
        for (index, &bucket) in buckets.iter().enumerate() {
            let place = next[usize::from(bucket)] as usize;
            next[usize::from(bucket)] += 1;
            piece.keys[place] = keys[index];
            if let Some(&value) = values.get(index) {
                piece.values[place] = value;
            }
        }
        piece
    }

    /// Sorts a bucket and writes it to the output, starting at `first`.
    fn finish<K: Number, V: Pod + Send + Sync>(
        &self,
        bucket: &Bucket<'_, K, V>,
        first: u64,
        max: usize,
    ) -> Result<()> {
        let n = bucket.len();
        if n == 0 {
            return Ok(());
        }
        if bucket.is_constant(self.request) {
            self.bar.inc(n);
            return bucket.pass_on(first, self.target);
        }
        if n <= max as u64 {
            match retry_with_ballots(|| self.on_device(bucket, first)) {
                // Less memory is available than expected; split the bucket instead.
                Err(error) if is_out_of_memory(&error) && n > 2 => {}
                other => {
                    self.bar.inc(n);
                    return other;
                }
            }
        }
        let (keys, values) = bucket.gathered()?;
        self.sort::<K, V>(&keys, values.as_ref(), first, max.min(n as usize / 2).max(1))
    }

    /// Sorts a bucket on the device and writes it to the output, starting at `first`.
    fn on_device<K: Number, V: Pod + Send + Sync>(
        &self,
        bucket: &Bucket<'_, K, V>,
        first: u64,
    ) -> Result<()> {
        let (context, n) = (self.context, bucket.len());
        let sort = self.request.sort();
        let keys = context.upload_with(n, |at, chunk: &mut [K]| {
            bucket.copy(at, chunk, |piece| &piece.keys);
            anyhow::Ok(())
        })?;
        let upload_values = || {
            context.upload_with(n, |at, chunk: &mut [V]| {
                bucket.copy(at, chunk, |piece| &piece.values);
                anyhow::Ok(())
            })
        };
        let values = bucket.has_values().then(upload_values).transpose()?;
        let prepared = Prepared::new::<K, V>(context, &sort, n, values.is_some())?;
        prepared.run(context, &keys, values.as_ref())?;
        keys.drain(context, &|at, bytes| (self.target.keys)(first + at, bytes))?;
        values.map_or(Ok(()), |values| {
            values.drain(context, &|at, bytes| (self.target.values)(first + at, bytes))
        })
    }
}

impl<'b, K: Number, V: Pod + Send + Sync> Bucket<'b, K, V> {
    fn new(pieces: &'b [Piece<K, V>], number: usize) -> Self {
        let mut starts = vec![0];
        for piece in pieces {
            starts.push(starts[starts.len() - 1] + piece.range(number).len() as u64);
        }
        Self { pieces, number, starts }
    }

    fn len(&self) -> u64 {
        self.starts[self.pieces.len()]
    }

    fn has_values(&self) -> bool {
        self.pieces.iter().any(|piece| !piece.values.is_empty())
    }

    /// Whether all keys are equal.
    fn is_constant(&self, request: SortRequest) -> bool {
        let mut ranks = self.pieces.iter().flat_map(|piece| {
            piece.keys[piece.range(self.number)].iter().map(|&key| request.rank(key))
        });
        let first = ranks.next();
        ranks.all(|rank| Some(rank) == first)
    }

    /// Fills `chunk` with elements, starting at element `at` of the bucket.
    fn copy<T: Copy>(&self, at: u64, chunk: &mut [T], of: impl Fn(&Piece<K, V>) -> &[T]) {
        let (mut at, mut rest) = (at, chunk);
        let mut index = self.starts.partition_point(|&start| start <= at) - 1;
        while !rest.is_empty() && index < self.pieces.len() {
            let part = &of(&self.pieces[index])[self.pieces[index].range(self.number)];
            let part = &part[(at - self.starts[index]) as usize..];
            let len = part.len().min(rest.len());
            let (now, later) = rest.split_at_mut(len);
            now.copy_from_slice(&part[..len]);
            (rest, at, index) = (later, at + len as u64, index + 1);
        }
    }

    /// Writes all elements to `target` without sorting.
    fn pass_on(&self, first: u64, target: Target<'_>) -> Result<()> {
        for (piece, start) in self.pieces.iter().zip(&self.starts) {
            let range = piece.range(self.number);
            (target.keys)(first + start, bytemuck::cast_slice(&piece.keys[range.clone()]))?;
            if !piece.values.is_empty() {
                (target.values)(first + start, bytemuck::cast_slice(&piece.values[range]))?;
            }
        }
        Ok(())
    }

    /// Copies all elements of the bucket into contiguous arrays.
    fn gathered(&self) -> Result<(Elements, Option<Elements>)> {
        let len = usize::try_from(self.len())
            .context("there are more elements than this system can address")?;
        let mut keys = vec![K::zeroed(); len];
        self.copy(0, &mut keys, |piece| &piece.keys);
        let values = self.has_values().then(|| {
            let mut values = vec![V::zeroed(); len];
            self.copy(0, &mut values, |piece| &piece.values);
            Elements::Memory(Data::of(values))
        });
        Ok((Elements::Memory(Data::of(keys)), values))
    }
}
