//! A sort of more than the device holds: split by splitters from a sample, then each bucket on its
//! own.
//!
//! The device splits a part at a time; the host puts the buckets of all parts together. A bucket
//! that is still too large is split again, over the narrower range of its own keys. Keys that are
//! so frequent that no splitter divides their bucket get one to themselves, and a bucket of equal
//! keys is sorted as it is: splits are stable, so equal keys are in their order already.

use anyhow::Result;
use multisplit::primitives::multisplit::{Bucket, KeyType, Split};
use multisplit::primitives::sort::Sort;

use super::indices;
use crate::data::{SplitMix64, below};
use crate::parts::{self, Room, no_room};
use crate::word::{Word, ordered};

/// Drawn for each bucket: so many that buckets differ little in size.
const SAMPLES_PER_BUCKET: usize = 32;
/// With twice as many buckets as are needed, few come out too large.
const SPARE: usize = 2;
const MOST_BUCKETS: usize = 256;
const SEED: u64 = 0x736f_7274;

/// Sorts `keys`, at most `most` on the device at a time. The second array says where each one came
/// from, if `wanted`; else it is empty.
pub fn sort<K: Word>(
    room: &Room<'_>,
    sort: &Sort,
    most: usize,
    keys: &[K],
    wanted: bool,
) -> Result<(Vec<K>, Vec<u32>)> {
    let bar = room.bars.elements("sorting", keys.len() as u64);
    let order = if wanted { indices(keys.len())? } else { Vec::new() };
    let mut job = Large { room, sort, most, bar: &bar };
    let mut elements = Elements { keys: keys.to_vec(), order };
    job.sort(&mut elements)?;
    bar.finish_and_clear();
    Ok((elements.keys, elements.order))
}

/// Keys, and where they came from.
struct Elements<K> {
    keys: Vec<K>,
    /// Empty where nobody wants to know.
    order: Vec<u32>,
}

struct Large<'l> {
    room: &'l Room<'l>,
    sort: &'l Sort,
    /// Elements that fit the device.
    most: usize,
    bar: &'l indicatif::ProgressBar,
}

/// How the keys between two of them are told apart by 32 bits.
#[derive(Clone, Copy, Debug)]
struct Prefix {
    least: u64,
    shift: u32,
    /// That of the greatest key.
    last: u32,
}

impl Prefix {
    fn new(least: u64, greatest: u64) -> Self {
        let span = greatest - least;
        let shift = (u64::BITS - span.leading_zeros()).saturating_sub(u32::BITS);
        Self { least, shift, last: (span >> shift) as u32 }
    }

    fn of(self, key: u64) -> u32 {
        ((key - self.least) >> self.shift) as u32
    }
}

impl Large<'_> {
    /// Compares as the sort does.
    fn rank<K: Word>(&self, key: K) -> u64 {
        let rank = ordered(self.sort.key, key.bits());
        if self.sort.descending { !rank } else { rank }
    }

    fn sort<K: Word>(&mut self, elements: &mut Elements<K>) -> Result<()> {
        let n = elements.keys.len();
        let ranks = elements.keys.iter().map(|&key| self.rank(key));
        let (least, greatest) = ranks.fold((u64::MAX, 0), |(l, g), r| (l.min(r), g.max(r)));
        if n <= 1 || least == greatest {
            self.bar.inc(n as u64);
            return Ok(());
        }
        if n <= self.most {
            match self.sort_one(elements) {
                // There is less room than was thought.
                Err(error) if no_room(&error) && n > 2 => self.most = n / 2,
                other => {
                    self.bar.inc(n as u64);
                    return other;
                }
            }
        }
        let prefix = Prefix::new(least, greatest);
        let splitters = self.splitters(prefix, &elements.keys);
        for bucket in self.split(prefix, &splitters, elements)? {
            let mut part = elements.part(bucket.clone());
            self.sort(&mut part)?;
            elements.put(bucket.start, &part);
        }
        Ok(())
    }

    /// Sorts what fits the device.
    fn sort_one<K: Word>(&self, elements: &mut Elements<K>) -> Result<()> {
        let (context, Elements { keys, order }) = (self.room.context, &mut *elements);
        if order.is_empty() {
            *keys = context.sort(self.sort, keys)?;
        } else {
            (*keys, *order) = context.sort_pairs(self.sort, keys, order)?;
        }
        Ok(())
    }

    /// Prefixes at which buckets begin; there is one between the least and the greatest key, so
    /// that every split gets somewhere.
    fn splitters<K: Word>(&self, prefix: Prefix, keys: &[K]) -> Vec<u32> {
        let buckets = (SPARE * keys.len().div_ceil(self.most)).clamp(2, MOST_BUCKETS / 2);
        let mut random = SplitMix64::after(SEED, 0);
        let mut draw = || {
            let index = below(random.next(), keys.len().min(1 << 32) as u64);
            prefix.of(self.rank(keys[index as usize]))
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
    fn split<K: Word>(
        &mut self,
        prefix: Prefix,
        splitters: &[u32],
        elements: &mut Elements<K>,
    ) -> Result<Vec<std::ops::Range<usize>>> {
        let buckets = splitters.len() + 1;
        let split = Split::new(KeyType::U32, buckets as u32, Bucket::range(splitters));
        let word = size_of::<u32>() as u64;
        let most = self.room.most_elements(4 * word, word);
        // For each part where it begins, its indices bucket by bucket, and where the buckets begin.
        let mut pieces = Vec::new();
        parts::in_order(elements.keys.len(), most, |part| {
            let begin = part.start;
            let keys = &elements.keys[part];
            let prefixes: Vec<u32> = keys.iter().map(|&key| prefix.of(self.rank(key))).collect();
            let result =
                self.room.context.split_pairs(&split, &prefixes, &indices(prefixes.len())?)?;
            pieces.push((begin, result.values, result.offsets));
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

impl<K: Word> Elements<K> {
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
        for (least, greatest) in [(0, 1), (5, 5 + u64::from(u32::MAX)), (0, u64::MAX), (7, 1 << 40)]
        {
            let prefix = Prefix::new(least, greatest);
            assert_eq!(prefix.of(least), 0);
            assert_eq!(prefix.of(greatest), prefix.last);
            assert!(prefix.last > 0, "{prefix:?}");
            let middle = least + (greatest - least) / 2;
            assert!(prefix.of(middle) <= prefix.last);
        }
    }
}
