//! A sort of more than the device holds: split by splitters from a sample, then each bucket on its
//! own.
//!
//! The device splits a part at a time; the host puts the buckets of all parts together. A bucket
//! that is still too large is split again, over the narrower range of its own keys. Keys that are
//! so frequent that no splitter divides their bucket get one to themselves, and a bucket of equal
//! keys is sorted as it is: splits are stable, so equal keys are in their order already.

use anyhow::Result;
use multisplit::{Buckets, Key};

use super::{SortRequest, indices};
use crate::data::{SplitMix64, below};
use crate::parts::{self, Room, no_room};

/// Drawn for each bucket: so many that buckets differ little in size.
const SAMPLES_PER_BUCKET: usize = 32;
/// With twice as many buckets as are needed, few come out too large.
const SPARE: usize = 2;
const MAX_BUCKETS: usize = 256;
const SEED: u64 = 0x736f_7274;

/// Sorts `keys`, at most `max` on the device at a time. The second array says where each one came
/// from, if `wanted`; else it is empty.
pub fn sort<K: Key>(
    room: &Room<'_>,
    request: SortRequest,
    max: usize,
    keys: &[K],
    wanted: bool,
) -> Result<(Vec<K>, Vec<u32>)> {
    let bar = room.bars.elements("sorting", keys.len() as u64);
    let order = if wanted { indices(keys.len())? } else { Vec::new() };
    let mut large = LargeSort { room, request, max, bar: &bar };
    let mut elements = Elements { keys: keys.to_vec(), order };
    large.sort(&mut elements)?;
    bar.finish_and_clear();
    Ok((elements.keys, elements.order))
}

/// Keys, and where they came from.
struct Elements<K> {
    keys: Vec<K>,
    /// Empty where nobody wants to know.
    order: Vec<u32>,
}

/// A sort under way.
struct LargeSort<'l> {
    room: &'l Room<'l>,
    request: SortRequest,
    /// Elements that fit the device.
    max: usize,
    bar: &'l indicatif::ProgressBar,
}

/// How the keys between two of them are told apart by 32 bits.
#[derive(Clone, Copy, Debug)]
struct Prefix {
    min: u64,
    shift: u32,
    /// That of the largest key.
    last: u32,
}

impl Prefix {
    fn new(min: u64, max: u64) -> Self {
        let span = max - min;
        let shift = (u64::BITS - span.leading_zeros()).saturating_sub(u32::BITS);
        Self { min, shift, last: (span >> shift) as u32 }
    }

    fn of(self, key: u64) -> u32 {
        ((key - self.min) >> self.shift) as u32
    }
}

impl LargeSort<'_> {
    fn sort<K: Key>(&mut self, elements: &mut Elements<K>) -> Result<()> {
        let n = elements.keys.len();
        let ranks = elements.keys.iter().map(|&key| self.request.rank(key));
        let (min, max) =
            ranks.fold((u64::MAX, 0), |(min, max), rank| (min.min(rank), max.max(rank)));
        if n <= 1 || min == max {
            self.bar.inc(n as u64);
            return Ok(());
        }
        if n <= self.max {
            match self.sort_one(elements) {
                // There is less room than was thought.
                Err(error) if no_room(&error) && n > 2 => self.max = n / 2,
                other => {
                    self.bar.inc(n as u64);
                    return other;
                }
            }
        }
        let prefix = Prefix::new(min, max);
        let splitters = self.splitters(prefix, &elements.keys);
        for bucket in self.split(prefix, &splitters, elements)? {
            let mut part = elements.part(bucket.clone());
            self.sort(&mut part)?;
            elements.put(bucket.start, &part);
        }
        Ok(())
    }

    /// Sorts what fits the device.
    fn sort_one<K: Key>(&self, elements: &mut Elements<K>) -> Result<()> {
        let (context, Elements { keys, order }) = (self.room.context, &mut *elements);
        if order.is_empty() {
            *keys = context.sort_with(keys, &self.request.sort())?;
        } else {
            (*keys, *order) = context.sort_pairs_with(keys, order, &self.request.sort())?;
        }
        Ok(())
    }

    /// Prefixes at which buckets begin; there is one between the smallest and the largest key, so
    /// that every split gets somewhere.
    fn splitters<K: Key>(&self, prefix: Prefix, keys: &[K]) -> Vec<u32> {
        let buckets = (SPARE * keys.len().div_ceil(self.max)).clamp(2, MAX_BUCKETS / 2);
        let mut random = SplitMix64::after(SEED, 0);
        let mut draw = || {
            let index = below(random.next(), keys.len().min(1 << 32) as u64);
            prefix.of(self.request.rank(keys[index as usize]))
        };
        let mut sample: Vec<u32> = (0..buckets * SAMPLES_PER_BUCKET).map(|_| draw()).collect();
        sample.sort_unstable();
        let quantiles: Vec<u32> =
            sample.iter().copied().skip(SAMPLES_PER_BUCKET).step_by(SAMPLES_PER_BUCKET).collect();
        let mut splitters = quantiles.clone();
        // Two quantiles in one place: that key alone fills a bucket, which then ends after it.
        let frequent = quantiles.windows(2).filter(|pair| pair[0] == pair[1]);
        splitters.extend(frequent.filter_map(|pair| pair[0].checked_add(1)));
        splitters.sort_unstable();
        splitters.dedup();
        splitters.retain(|splitter| (1..=prefix.last).contains(splitter));
        if splitters.is_empty() {
            splitters.push(prefix.last.div_ceil(2));
        }
        splitters
    }

    /// Puts the elements into the buckets that these splitters make, in order, and says where the
    /// buckets are.
    fn split<K: Key>(
        &mut self,
        prefix: Prefix,
        splitters: &[u32],
        elements: &mut Elements<K>,
    ) -> Result<Vec<std::ops::Range<usize>>> {
        let buckets = splitters.len() + 1;
        let word = size_of::<u32>() as u64;
        let max = self.room.max_elements(4 * word, word);
        // For each part where it begins, its indices bucket by bucket, and where the buckets begin.
        let mut pieces = Vec::new();
        parts::in_order(elements.keys.len(), max, |part| {
            let begin = part.start;
            let keys = &elements.keys[part];
            let prefixes: Vec<u32> =
                keys.iter().map(|&key| prefix.of(self.request.rank(key))).collect();
            let indices = indices(prefixes.len())?;
            let split =
                self.room.context.split_pairs(&prefixes, &indices, Buckets::range(splitters))?;
            pieces.push((begin, split.values, split.offsets));
            Ok(())
        })?;
        let mut moved = Elements {
            keys: Vec::with_capacity(elements.keys.len()),
            order: Vec::with_capacity(elements.order.len()),
        };
        let mut ranges = Vec::new();
        for bucket in 0..buckets {
            let first = moved.keys.len();
            for (begin, indices, offsets) in &pieces {
                let range = offsets[bucket] as usize..offsets[bucket + 1] as usize;
                let sources = indices[range].iter().map(|&index| begin + index as usize);
                moved.keys.extend(sources.clone().map(|source| elements.keys[source]));
                if !elements.order.is_empty() {
                    moved.order.extend(sources.map(|source| elements.order[source]));
                }
            }
            ranges.push(first..moved.keys.len());
        }
        *elements = moved;
        Ok(ranges)
    }
}

impl<K: Key> Elements<K> {
    fn part(&self, range: std::ops::Range<usize>) -> Self {
        let order = self.order.get(range.clone()).unwrap_or_default().to_vec();
        Self { keys: self.keys[range].to_vec(), order }
    }

    fn put(&mut self, first: usize, part: &Self) {
        self.keys[first..first + part.keys.len()].copy_from_slice(&part.keys);
        if !part.order.is_empty() {
            self.order[first..first + part.order.len()].copy_from_slice(&part.order);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Prefix;

    #[test]
    fn prefixes_keep_the_order_and_tell_apart() {
        for (min, max) in [(0, 1), (5, 5 + u64::from(u32::MAX)), (0, u64::MAX), (7, 1 << 40)] {
            let prefix = Prefix::new(min, max);
            assert_eq!(prefix.of(min), 0);
            assert_eq!(prefix.of(max), prefix.last);
            assert!(prefix.last > 0, "{prefix:?}");
            let middle = min + (max - min) / 2;
            assert!(prefix.of(middle) <= prefix.last);
        }
    }
}
