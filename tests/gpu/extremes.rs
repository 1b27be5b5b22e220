//! Counts, offsets and lengths from 2^45 up to 2^64 - 1 return errors and never panic. Only imports
//! may have any size.

use std::panic::{AssertUnwindSafe, catch_unwind};

use multisplit::operations::histogram::Layout;
use multisplit_tests::prelude::*;

tests!(extremes: operations_reject_extreme_sizes, arrays_reject_extreme_sizes);

const SIZES: [u64; 7] =
    [u64::MAX, u64::MAX - 1, u64::MAX - 3, 1 << 63, (1 << 63) - 1, 1 << 62, 1 << 45];
/// Length of each array.
const LEN: u64 = 64;

/// Declares an operation on three `u32` arrays with an invalid count, offset or length.
type Declare = fn(&mut Graph, &Policy, [Buffer; 3], u64) -> multisplit::Result<()>;

const OPERATIONS: &[(&str, Declare)] = &[
    ("scan", |g, p, [a, b, _], n| scan(g, p, &Scan::default(), &ScanBuffers::new(a, b).count(n))),
    ("reduce", |g, p, [a, b, _], n| {
        reduce(g, p, Operator::Sum, &ReduceBuffers::new(a, b).count(n))
    }),
    ("rows of a reduction", |g, p, [a, b, _], n| {
        reduce_segments(g, p, Operator::Sum, &SegmentedReduceBuffers::rows(a, n, b))
    }),
    ("segments", |g, p, [a, b, c], n| {
        let buffers = SegmentedReduceBuffers::new(a, b, c).count(n);
        reduce_segments(g, p, Operator::Sum, &buffers)
    }),
    ("sort", |g, p, [a, ..], n| {
        sort(g, p, &Sort::ascending(), &SortBuffers::keys(a).count(n)).map(drop)
    }),
    ("rows of a sort", |g, p, [a, ..], n| {
        sort(g, p, &Sort::ascending().rows(n), &SortBuffers::keys(a)).map(drop)
    }),
    ("top-k", |g, p, [a, b, c], n| {
        topk(g, p, &TopK::largest(2), &TopKBuffers::new(a, b, c).count(n)).map(drop)
    }),
    ("k", |g, p, [a, b, c], n| topk(g, p, &TopK::largest(n), &TopKBuffers::new(a, b, c)).map(drop)),
    ("k of rows", |g, p, [a, b, c], n| {
        let rows = TopK::largest(n).rows(n);
        topk(g, p, &rows, &TopKBuffers::new(a, b, c).count(n)).map(drop)
    }),
    ("split", |g, p, [a, b, c], n| {
        let buffers = SplitBuffers::keys(a, b, c).count(n);
        split(g, p, &Buckets::<u32>::identity(4), &buffers).map(drop)
    }),
    ("select", |g, p, [a, b, c], n| {
        let buffers = SelectBuffers::new(a, b, c).count(n);
        select(g, p, &Select::less_than(3u32), &buffers)
    }),
    ("merge", |g, p, [a, b, c], n| {
        let buffers = MergeBuffers::keys(a, b, c).counts(n, n);
        merge(g, p, Merge::Ascending, &buffers)
    }),
    ("search", |g, p, [a, b, c], n| {
        let buffers = SearchBuffers::new(a, b, c).count(n).sorted_count(n);
        search(g, p, Search::LowerBound, &buffers)
    }),
    ("fill", |g, p, [a, ..], n| fill_first(g, p, "fill", a, n, 1)),
    ("copy", |g, p, [a, b, _], n| copy_first(g, p, "copy", a, b, n)),
    ("histogram", |g, p, [a, b, _], n| {
        let buffers = HistogramBuffers::new(a, b).count(n);
        histogram(g, p, &Bins::<u32>::identity(8), &buffers).map(drop)
    }),
    ("offset of samples", |g, p, [a, b, _], n| {
        let bins = Bins::<u32>::identity(8).layout(Layout::strided(n & !3, 4));
        histogram(g, p, &bins, &HistogramBuffers::new(a, b).count(3)).map(drop)
    }),
    ("index of a count", |g, p, [a, b, c], n| {
        let n = Count::Device { buffer: c, index: n, max: LEN };
        scan(g, p, &Scan::default(), &ScanBuffers::new(a, b).count(n))
    }),
    ("bound of a count", |g, p, [a, b, c], n| {
        let n = Count::Device { buffer: c, index: 0, max: n };
        scan(g, p, &Scan::default(), &ScanBuffers::new(a, b).count(n))
    }),
    ("view", |g, p, [a, ..], n| fill(g, p, "fill", a.range(n & !3, 8), 1)),
    ("size of a view", |g, p, [a, ..], n| fill(g, p, "fill", a.range(4, n & !3), 1)),
    ("elements", |g, p, [a, ..], n| fill(g, p, "fill", a.elements::<u64>(n, n), 1)),
];

fn operations_reject_extreme_sizes(gpu: &Gpu) -> Result<()> {
    let (policy, limits) = (gpu.policy(), gpu.limits());
    for (name, declare) in OPERATIONS {
        for size in SIZES {
            let compiled = catch_unwind(AssertUnwindSafe(|| -> multisplit::Result<()> {
                let mut graph = Graph::new("extremes");
                let arrays = ["a", "b", "c"].map(|array| graph.import::<u32>(array, LEN));
                declare(&mut graph, &policy, arrays, size)?;
                graph.compile(&limits)?;
                Ok(())
            }));
            match compiled {
                Ok(outcome) => ensure!(outcome.is_err(), "{name}: size {size} was accepted"),
                Err(_) => bail!("{name}: panicked for size {size}"),
            }
        }
    }
    Ok(())
}

fn arrays_reject_extreme_sizes(gpu: &Gpu) -> Result<()> {
    let array = gpu.zeroed::<u32>(LEN)?;
    for size in SIZES {
        ensure!(gpu.zeroed::<u64>(size).is_err(), "an array of {size} elements was created");
        let ranges = [size..u64::MAX, size - 1..size, 1..size];
        for range in ranges.into_iter().filter(|range| !range.is_empty()) {
            let outcome = gpu.download_range(&array, range.clone());
            ensure!(outcome.is_err(), "the range {range:?} was accepted");
        }
        threads(size, 1);
        // An import may be declared with any size, because it needs no memory. Compilation may
        // fail, but must not panic.
        let mut graph = Graph::new("extremes");
        let import = graph.import::<u64>("import", size);
        fill(&mut graph, &gpu.policy(), "fill", import.range(0, 64), 1)?;
        let _ = graph.compile(&gpu.limits());
    }
    Ok(())
}
