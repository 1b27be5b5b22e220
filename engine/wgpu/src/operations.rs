//! The operations and their buffers.

use std::marker::PhantomData;

use multisplit::operations::Count as EngineCount;
use multisplit::{Bins, Buckets, Key, Sample, Scan, Select, Sort, TopK, Value, Work, WorkArray};

use crate::commands::Commands;
use crate::device::Multisplit;
use crate::error::Result;
use crate::operation::{Count, Declared, Operation};

/// Declares the type of an operation, and its `encode` method if its buffers are listed.
macro_rules! operation {
    (
        $(#[$doc:meta])*
        $name:ident<$($type:ident: $bound:ident),*> {
            $(#[$encode_doc:meta])*
            encode($($buffer:ident),*)
        }
    ) => {
        operation! {
            $(#[$doc])*
            $name<$($type: $bound),*> {}
        }

        impl<$($type: $bound),*> $name<$($type),*> {
            $(#[$encode_doc])*
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
    ($(#[$doc:meta])* $name:ident<$($type:ident: $bound:ident),*> {}) => {
        $(#[$doc])*
        pub struct $name<$($type = u32),*> {
            operation: Operation,
            types: PhantomData<fn($($type),*)>,
        }

        impl<$($type),*> $name<$($type),*> {
            fn new(
                gpu: &Multisplit,
                name: &'static str,
                max: u64,
                declare: impl Fn(&mut Work, EngineCount) -> Declared + Send + Sync + 'static,
            ) -> Result<Self> {
                let operation = Operation::new(&gpu.shared, name, max, declare)?;
                Ok(Self { operation, types: PhantomData })
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

operation! {
    /// An in-place sort of keys. Created by [`Multisplit::sort`].
    KeySort<K: Key> {
        /// Sorts `keys` in place.
        encode(keys)
    }
}

operation! {
    /// An in-place sort of keys with values. Created by [`Multisplit::sort_pairs`].
    PairSort<K: Key, V: Value> {
        /// Sorts `keys` in place, and moves `values` with them.
        encode(keys, values)
    }
}

operation! {
    /// Finds the order that sorts keys, without changing them. Created by [`Multisplit::argsort`].
    ArgSort<K: Key> {
        /// Writes the input index of each sorted key to `order`. Does not change `keys`.
        encode(keys, order)
    }
}

operation! {
    /// A split of keys into buckets. Created by [`Multisplit::split`].
    Split<K: Key> {
        /// Writes `keys` to `keys_out` in bucket order, and to `offsets` the start of each bucket followed by the
        /// count: one word more than there are buckets.
        encode(keys, keys_out, offsets)
    }
}

operation! {
    /// A split of keys with values into buckets. Created by [`Multisplit::split_pairs`].
    PairSplit<K: Key, V: Value> {}
}

operation! {
    /// A histogram. Created by [`Multisplit::histogram`].
    Histogram<S: Sample> {
        /// Writes the number of `samples` in each bin to `counts`. With [`Bins::accumulate`], adds it to the
        /// previous contents of `counts` instead.
        encode(samples, counts)
    }
}

operation! {
    /// Finds the largest or smallest keys. Created by [`Multisplit::topk`].
    TopKeys<K: Key> {
        /// Writes the k keys to `keys_out`, and their indices in `keys` to `indices`. If the count is less than k,
        /// writes only that many keys and indices. Does not change `keys`.
        encode(keys, keys_out, indices)
    }
}

operation! {
    /// A stable selection of elements. Created by [`Multisplit::select`].
    Selection<K: Key> {
        /// Writes the selected elements of `src` to the front of `dst`, and their number to `selected`, which can be
        /// the [`Count::Buffer`] of another operation.
        encode(src, dst, selected)
    }
}

operation! {
    /// A sort of segments whose offsets are in a buffer. Created by [`Multisplit::sort_segments`].
    SegmentSort<K: Key> {
        /// Sorts each segment of `keys` in place. Word s of `offsets` is the index of the first key of
        /// segment s, and word s + 1 is the index after its last key.
        encode(keys, offsets)
    }
}

operation! {
    /// A scan of an array or of its rows. Created by [`Multisplit::scan`].
    PrefixScan<K: Key> {
        /// Writes the scan of `src` to `dst`.
        encode(src, dst)
    }
}

operation! {
    /// A scan of segments whose offsets are in a buffer. Created by [`Multisplit::scan_segments`].
    SegmentScan<K: Key> {
        /// Writes the scan of each segment of `src` to `dst`. Word s of `offsets` is the index of the first element
        /// of segment s, and word s + 1 is the index after its last element.
        encode(src, offsets, dst)
    }
}

/// Imports an array of `max` keys, padded to whole words.
fn import_keys<K: Key>(work: &mut Work, name: &str, max: u64) -> WorkArray<K> {
    work.import(name, K::TYPE.array_len(max))
}

impl Multisplit {
    /// Creates a sort of at most `max` keys.
    pub fn sort<K: Key>(&self, max: u64, sort: &Sort) -> Result<KeySort<K>> {
        let sort = sort.clone();
        KeySort::new(self, "sort", max, move |work, count| {
            let keys = import_keys::<K>(work, "keys", max);
            work.sort(keys.first(count), &sort)?;
            Ok(vec![keys.buffer()])
        })
    }

    /// Creates a sort of at most `max` keys, each with a value of 4, 8 or 16 bytes.
    pub fn sort_pairs<K: Key, V: Value>(&self, max: u64, sort: &Sort) -> Result<PairSort<K, V>> {
        let sort = sort.clone();
        PairSort::new(self, "sort_pairs", max, move |work, count| {
            let (keys, values) =
                (import_keys::<K>(work, "keys", max), work.import::<V>("values", max));
            work.sort_pairs(keys.first(count), values.first(count), &sort)?;
            Ok(vec![keys.buffer(), values.buffer()])
        })
    }

    /// Creates a sort of at most `max` keys that returns the input index of each sorted key, and does not change
    /// the keys.
    pub fn argsort<K: Key>(&self, max: u64, sort: &Sort) -> Result<ArgSort<K>> {
        let sort = sort.clone();
        ArgSort::new(self, "argsort", max, move |work, count| {
            let (keys, order) =
                (import_keys::<K>(work, "keys", max), work.import::<u32>("order", max));
            work.argsort(keys.first(count), order.first(count), &sort)?;
            Ok(vec![keys.buffer(), order.buffer()])
        })
    }

    /// Creates a split of at most `max` keys into buckets. Keys keep their order within a bucket.
    pub fn split<K: Key>(&self, max: u64, buckets: &Buckets<K>) -> Result<Split<K>> {
        let buckets = buckets.clone();
        Split::new(self, "split", max, move |work, count| {
            let (keys, out) =
                (import_keys::<K>(work, "keys", max), import_keys::<K>(work, "keys.out", max));
            let offsets = work.import::<u32>("offsets", u64::from(buckets.count()) + 1);
            work.split(keys.first(count), out, offsets, &buckets)?;
            Ok(vec![keys.buffer(), out.buffer(), offsets.buffer()])
        })
    }

    /// Creates a split of at most `max` keys, each with a value of 4, 8 or 16 bytes.
    pub fn split_pairs<K: Key, V: Value>(
        &self,
        max: u64,
        buckets: &Buckets<K>,
    ) -> Result<PairSplit<K, V>> {
        let buckets = buckets.clone();
        PairSplit::new(self, "split_pairs", max, move |work, count| {
            let (keys, values) =
                (import_keys::<K>(work, "keys", max), work.import::<V>("values", max));
            let keys_out = import_keys::<K>(work, "keys.out", max);
            let values_out = work.import::<V>("values.out", max);
            let offsets = work.import::<u32>("offsets", u64::from(buckets.count()) + 1);
            let from = (keys.first(count), values.first(count));
            work.split_pairs(from, (keys_out, values_out), offsets, &buckets)?;
            let all = [keys.buffer(), values.buffer(), keys_out.buffer(), values_out.buffer()];
            Ok(all.into_iter().chain([offsets.buffer()]).collect())
        })
    }

    /// Creates a histogram of at most `max` elements with 32-bit counts. Elements are samples unless
    /// [`Bins::layout`] specifies another layout.
    pub fn histogram<S: Sample>(&self, max: u64, bins: &Bins<S>) -> Result<Histogram<S>> {
        let bins = bins.clone();
        Histogram::new(self, "histogram", max, move |work, count| {
            let samples = work.import::<S>("samples", bins.input_len(max));
            let counts = work.import::<u32>("counts", bins.output_len());
            work.histogram(samples.first(count), counts, &bins)?;
            Ok(vec![samples.buffer(), counts.buffer()])
        })
    }

    /// Creates a search for the k largest or smallest of at most `max` keys, with their indices.
    pub fn topk<K: Key>(&self, max: u64, topk: &TopK) -> Result<TopKeys<K>> {
        let topk = *topk;
        TopKeys::new(self, "topk", max, move |work, count| {
            let keys = import_keys::<K>(work, "keys", max);
            let found = topk.output_len(max)?;
            let keys_out = import_keys::<K>(work, "keys.out", found);
            let indices = work.import::<u32>("indices", found);
            work.topk(keys.first(count), keys_out, indices, &topk)?;
            Ok(vec![keys.buffer(), keys_out.buffer(), indices.buffer()])
        })
    }

    /// Creates a selection from at most `max` elements of 4 or 8 bytes. Does not support [`Select::flagged`].
    pub fn select<K: Key>(&self, max: u64, which: &Select<K>) -> Result<Selection<K>> {
        let which = which.clone();
        Selection::new(self, "select", max, move |work, count| {
            let (src, dst) = (work.import::<K>("src", max), work.import::<K>("dst", max));
            let selected = work.import::<u32>("selected", 1);
            work.select(src.first(count), dst, selected, &which)?;
            Ok(vec![src.buffer(), dst.buffer(), selected.buffer()])
        })
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
        SegmentSort::new(self, "sort_segments", max, move |work, count| {
            let keys = import_keys::<K>(work, "keys", max);
            let offsets = work.import::<u32>("offsets", u64::from(segments) + 1);
            work.sort_segments(keys.first(count), (offsets, u64::from(segments)), &sort)?;
            Ok(vec![keys.buffer(), offsets.buffer()])
        })
    }

    /// Creates a scan of at most `max` elements of 4 or 8 bytes. With [`Scan::rows`], it scans each row on its own, and
    /// the row length must divide `max`.
    pub fn scan<K: Key>(&self, max: u64, scan: &Scan) -> Result<PrefixScan<K>> {
        let scan = scan.clone();
        PrefixScan::new(self, "scan", max, move |work, count| {
            let (src, dst) = (work.import::<K>("src", max), work.import::<K>("dst", max));
            work.scan(src.first(count), dst, &scan)?;
            Ok(vec![src.buffer(), dst.buffer()])
        })
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
        SegmentScan::new(self, "scan_segments", max, move |work, count| {
            let (src, dst) = (work.import::<K>("src", max), work.import::<K>("dst", max));
            let offsets = work.import::<u32>("offsets", u64::from(segments) + 1);
            work.scan_segments(src.first(count), (offsets, u64::from(segments)), dst, &scan)?;
            Ok(vec![src.buffer(), offsets.buffer(), dst.buffer()])
        })
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
