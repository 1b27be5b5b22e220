//! The operations and their buffers.

use std::marker::PhantomData;

use multisplit::{Bins, Buckets, Key, Sample, Scan, Select, Sort, TopK, Value};

use crate::commands::Commands;
use crate::device::Multisplit;
use crate::error::Result;
use crate::operation::{Count, Operation};

macro_rules! operation {
    ($(#[$doc:meta])* $name:ident<$($type:ident),*>) => {
        $(#[$doc])*
        pub struct $name<$($type = u32),*> {
            operation: Operation,
            types: PhantomData<fn($($type),*)>,
        }

        impl<$($type),*> $name<$($type),*> {
            fn new(operation: Operation) -> Self {
                Self { operation, types: PhantomData }
            }

            /// Creates the plan, pipelines and scratch memory for this kind of count, so that the first
            /// encoding takes less time. Not necessary for [`Count::All`], for which this happens when the
            /// operation is created.
            pub fn warm_up(&self, count: Count<'_>) -> Result<()> {
                self.operation.warm_up(count)
            }

            /// Number of sets of scratch memory that no recording is using. Each kind of count has its own
            /// sets. A recording creates a new set if all are in use.
            pub fn idle(&self) -> usize {
                self.operation.idle()
            }
        }
    };
}

/// Implements `encode` for an operation on these buffers.
macro_rules! encode {
    ($(#[$doc:meta])* $name:ident<$($type:ident: $bound:ident),*>($($buffer:ident),*)) => {
        impl<$($type: $bound),*> $name<$($type),*> {
            $(#[$doc])*
            pub fn encode(
                &self,
                commands: &mut Commands,
                $($buffer: &wgpu::Buffer,)*
                count: Count<'_>,
            ) -> Result<()> {
                self.operation.encode(commands, &[$((stringify!($buffer), $buffer)),*], count)
            }
        }
    };
}

operation! {
    /// An in-place sort of keys. Created by [`Multisplit::sort`].
    KeySort<K>
}
encode! {
    /// Sorts `keys` in place.
    KeySort<K: Key>(keys)
}

operation! {
    /// An in-place sort of keys with values. Created by [`Multisplit::sort_pairs`].
    PairSort<K, V>
}
encode! {
    /// Sorts `keys` in place, and moves `values` with them.
    PairSort<K: Key, V: Value>(keys, values)
}

operation! {
    /// Finds the order that sorts keys, without changing them. Created by [`Multisplit::argsort`].
    ArgSort<K>
}
encode! {
    /// Writes the input index of each sorted key to `order`. Does not change `keys`.
    ArgSort<K: Key>(keys, order)
}

operation! {
    /// A split of keys into buckets. Created by [`Multisplit::split`].
    Split<K>
}
encode! {
    /// Writes `keys` to `keys_out` in bucket order, and to `offsets` the start of each bucket followed by the
    /// count: one word more than there are buckets.
    Split<K: Key>(keys, keys_out, offsets)
}

operation! {
    /// A split of keys with values into buckets. Created by [`Multisplit::split_pairs`].
    PairSplit<K, V>
}

operation! {
    /// A histogram. Created by [`Multisplit::histogram`].
    Histogram<S>
}
encode! {
    /// Writes the number of `samples` in each bin to `counts`. With [`Bins::accumulate`], adds it to the
    /// previous contents of `counts` instead.
    Histogram<S: Sample>(samples, counts)
}

operation! {
    /// Finds the largest or smallest keys. Created by [`Multisplit::topk`].
    TopKeys<K>
}
encode! {
    /// Writes the k keys to `keys_out`, and their indices in `keys` to `indices`. If the count is less than k, writes
    /// only that many keys and indices. Does not change `keys`.
    TopKeys<K: Key>(keys, keys_out, indices)
}

operation! {
    /// A stable selection of elements. Created by [`Multisplit::select`].
    Selection<K>
}
encode! {
    /// Writes the selected elements of `src` to the front of `dst`, and their number to `selected`, which can be the
    /// [`Count::Buffer`] of another operation.
    Selection<K: Key>(src, dst, selected)
}

operation! {
    /// A sort of segments whose offsets are in a buffer. Created by [`Multisplit::sort_segments`].
    SegmentSort<K>
}
encode! {
    /// Sorts each segment of `keys` in place. Word s of `offsets` is the index of the first key of
    /// segment s, and word s + 1 is the index after its last key.
    SegmentSort<K: Key>(keys, offsets)
}

operation! {
    /// A scan of an array or of its rows. Created by [`Multisplit::scan`].
    PrefixScan<K>
}
encode! {
    /// Writes the scan of `src` to `dst`.
    PrefixScan<K: Key>(src, dst)
}

operation! {
    /// A scan of segments whose offsets are in a buffer. Created by [`Multisplit::scan_segments`].
    SegmentScan<K>
}
encode! {
    /// Writes the scan of each segment of `src` to `dst`. Word s of `offsets` is the index of the first element of
    /// segment s, and word s + 1 is the index after its last element.
    SegmentScan<K: Key>(src, offsets, dst)
}

impl Multisplit {
    /// Creates a sort of at most `max` keys.
    pub fn sort<K: Key>(&self, max: u64, sort: &Sort) -> Result<KeySort<K>> {
        let sort = sort.clone();
        Operation::new(&self.shared, "sort", max, move |work, count| {
            let keys = work.import::<K>("keys", K::TYPE.array_len(max));
            work.sort(keys.first(count), &sort)?;
            Ok(vec![keys.buffer()])
        })
        .map(KeySort::new)
    }

    /// Creates a sort of at most `max` keys, each with a value of 4, 8 or 16 bytes.
    pub fn sort_pairs<K: Key, V: Value>(&self, max: u64, sort: &Sort) -> Result<PairSort<K, V>> {
        let sort = sort.clone();
        Operation::new(&self.shared, "sort_pairs", max, move |work, count| {
            let (keys, values) =
                (work.import::<K>("keys", K::TYPE.array_len(max)), work.import::<V>("values", max));
            work.sort_pairs(keys.first(count), values.first(count), &sort)?;
            Ok(vec![keys.buffer(), values.buffer()])
        })
        .map(PairSort::new)
    }

    /// Creates a sort of at most `max` keys that returns the input index of each sorted key, and does not change
    /// the keys.
    pub fn argsort<K: Key>(&self, max: u64, sort: &Sort) -> Result<ArgSort<K>> {
        let sort = sort.clone();
        Operation::new(&self.shared, "argsort", max, move |work, count| {
            let (keys, order) = (
                work.import::<K>("keys", K::TYPE.array_len(max)),
                work.import::<u32>("order", max),
            );
            work.argsort(keys.first(count), order.first(count), &sort)?;
            Ok(vec![keys.buffer(), order.buffer()])
        })
        .map(ArgSort::new)
    }

    /// Creates a split of at most `max` keys into buckets. Keys keep their order within a bucket.
    pub fn split<K: Key>(&self, max: u64, buckets: &Buckets<K>) -> Result<Split<K>> {
        let buckets = buckets.clone();
        Operation::new(&self.shared, "split", max, move |work, count| {
            let (keys, out) = (
                work.import::<K>("keys", K::TYPE.array_len(max)),
                work.import::<K>("keys.out", K::TYPE.array_len(max)),
            );
            let offsets = work.import::<u32>("offsets", u64::from(buckets.count()) + 1);
            work.split(keys.first(count), out, offsets, &buckets)?;
            Ok(vec![keys.buffer(), out.buffer(), offsets.buffer()])
        })
        .map(Split::new)
    }

    /// Creates a split of at most `max` keys, each with a value of 4, 8 or 16 bytes.
    pub fn split_pairs<K: Key, V: Value>(
        &self,
        max: u64,
        buckets: &Buckets<K>,
    ) -> Result<PairSplit<K, V>> {
        let buckets = buckets.clone();
        Operation::new(&self.shared, "split_pairs", max, move |work, count| {
            let (keys, values) =
                (work.import::<K>("keys", K::TYPE.array_len(max)), work.import::<V>("values", max));
            let keys_out = work.import::<K>("keys.out", K::TYPE.array_len(max));
            let values_out = work.import::<V>("values.out", max);
            let offsets = work.import::<u32>("offsets", u64::from(buckets.count()) + 1);
            let from = (keys.first(count), values.first(count));
            work.split_pairs(from, (keys_out, values_out), offsets, &buckets)?;
            let all = [keys.buffer(), values.buffer(), keys_out.buffer(), values_out.buffer()];
            Ok(all.into_iter().chain([offsets.buffer()]).collect())
        })
        .map(PairSplit::new)
    }

    /// Creates a histogram of at most `max` elements with 32-bit counts. Elements are samples unless
    /// [`Bins::layout`] specifies another layout.
    pub fn histogram<S: Sample>(&self, max: u64, bins: &Bins<S>) -> Result<Histogram<S>> {
        let bins = bins.clone();
        Operation::new(&self.shared, "histogram", max, move |work, count| {
            let samples = work.import::<S>("samples", bins.input_len(max));
            let counts = work.import::<u32>("counts", bins.output_len());
            work.histogram(samples.first(count), counts, &bins)?;
            Ok(vec![samples.buffer(), counts.buffer()])
        })
        .map(Histogram::new)
    }

    /// Creates a search for the k largest or smallest of at most `max` keys, with their indices.
    pub fn topk<K: Key>(&self, max: u64, topk: &TopK) -> Result<TopKeys<K>> {
        let topk = *topk;
        Operation::new(&self.shared, "topk", max, move |work, count| {
            let keys = work.import::<K>("keys", K::TYPE.array_len(max));
            let found = topk.output_len(max)?;
            let keys_out = work.import::<K>("keys.out", K::TYPE.array_len(found));
            let indices = work.import::<u32>("indices", found);
            work.topk(keys.first(count), keys_out, indices, &topk)?;
            Ok(vec![keys.buffer(), keys_out.buffer(), indices.buffer()])
        })
        .map(TopKeys::new)
    }

    /// Creates a selection from at most `max` elements of 4 or 8 bytes. Does not support [`Select::flagged`].
    pub fn select<K: Key>(&self, max: u64, which: &Select<K>) -> Result<Selection<K>> {
        let which = which.clone();
        Operation::new(&self.shared, "select", max, move |work, count| {
            let (src, dst) = (work.import::<K>("src", max), work.import::<K>("dst", max));
            let selected = work.import::<u32>("selected", 1);
            work.select(src.first(count), dst, selected, &which)?;
            Ok(vec![src.buffer(), dst.buffer(), selected.buffer()])
        })
        .map(Selection::new)
    }

    /// Creates a sort that orders each of `segments` segments on its own. The segments have at most `max` keys in
    /// total. Their offsets are read when the commands execute: one word per segment, and one more for the end of the
    /// last segment.
    pub fn sort_segments<K: Key>(
        &self,
        max: u64,
        segments: u32,
        sort: &Sort,
    ) -> Result<SegmentSort<K>> {
        let sort = sort.clone();
        Operation::new(&self.shared, "sort_segments", max, move |work, count| {
            let keys = work.import::<K>("keys", K::TYPE.array_len(max));
            let offsets = work.import::<u32>("offsets", u64::from(segments) + 1);
            work.sort_segments(keys.first(count), (offsets, u64::from(segments)), &sort)?;
            Ok(vec![keys.buffer(), offsets.buffer()])
        })
        .map(SegmentSort::new)
    }

    /// Creates a scan of at most `max` elements of 4 or 8 bytes. With [`Scan::rows`], it scans each row on its own, and
    /// the row length must divide `max`.
    pub fn scan<K: Key>(&self, max: u64, scan: &Scan) -> Result<PrefixScan<K>> {
        let scan = scan.clone();
        Operation::new(&self.shared, "scan", max, move |work, count| {
            let (src, dst) = (work.import::<K>("src", max), work.import::<K>("dst", max));
            work.scan(src.first(count), dst, &scan)?;
            Ok(vec![src.buffer(), dst.buffer()])
        })
        .map(PrefixScan::new)
    }

    /// Creates a scan of each of `segments` segments on its own. The segments have at most `max` elements of 4 or 8
    /// bytes in total. Their offsets are read when the commands execute: one word per segment, and one more for the end
    /// of the last segment.
    pub fn scan_segments<K: Key>(
        &self,
        max: u64,
        segments: u32,
        scan: &Scan,
    ) -> Result<SegmentScan<K>> {
        let scan = scan.clone();
        Operation::new(&self.shared, "scan_segments", max, move |work, count| {
            let (src, dst) = (work.import::<K>("src", max), work.import::<K>("dst", max));
            let offsets = work.import::<u32>("offsets", u64::from(segments) + 1);
            work.scan_segments(src.first(count), (offsets, u64::from(segments)), dst, &scan)?;
            Ok(vec![src.buffer(), offsets.buffer(), dst.buffer()])
        })
        .map(SegmentScan::new)
    }
}

impl<K: Key, V: Value> PairSplit<K, V> {
    /// Writes keys and values of `from` to `to` in bucket order, and to `offsets` the start of each bucket
    /// followed by the count: one word more than there are buckets.
    pub fn encode(
        &self,
        commands: &mut Commands,
        from: (&wgpu::Buffer, &wgpu::Buffer),
        to: (&wgpu::Buffer, &wgpu::Buffer),
        offsets: &wgpu::Buffer,
        count: Count<'_>,
    ) -> Result<()> {
        let given = [
            ("keys", from.0),
            ("values", from.1),
            ("keys_out", to.0),
            ("values_out", to.1),
            ("offsets", offsets),
        ];
        self.operation.encode(commands, &given, count)
    }
}
