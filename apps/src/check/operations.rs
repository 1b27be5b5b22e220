//! Operations that `multisplit check` runs: each generates data, runs on the device, and verifies every element of the
//! result against the CPU.

use std::fmt::Debug;
use std::iter::zip;

use anyhow::{Result, bail, ensure};
use multisplit::operations::histogram::HistogramMethod;
use multisplit::operations::sort::SortMethod;
use multisplit::operations::split::Method;
use multisplit::operations::{Merge, Search};
use multisplit::{Bins, Buckets, Context, Key, Operator, Scan, Select, Sort, TopK};
use multisplit_bench::data::{self, SEED, mixed, random_offsets};
use multisplit_bench::histogram::{self, Op, Spread};
use multisplit_bench::key_order::rank;
use multisplit_bench::network::{Rmat, Weighting, dijkstra};
use multisplit_bench::split::{Distribution, Expected, Function, Recipe, Rule};
use multisplit_sssp::network::{Network, ShortestPaths, UNREACHED};
use multisplit_sssp::{DeviceNetwork, Method as SearchMethod, Options, Solver};

use crate::formats::Data;
use crate::number::Number;
use crate::segments::Segments;
use crate::sort::{self, SortRequest, Sorted};
use crate::sorted::{verify_merge, verify_search};
use crate::terms::{Term, verify_index, verify_reduction, verify_scan};

/// An operation, and the function that checks it on arrays of about the given length, or on a network (`VERTICES`).
pub struct Operation {
    pub name: &'static str,
    pub check: fn(&Context, usize) -> Result<()>,
}

const fn operation(name: &'static str, check: fn(&Context, usize) -> Result<()>) -> Operation {
    Operation { name, check }
}

/// The operations, beginning with the simplest.
pub const OPERATIONS: &[Operation] = &[
    operation("fill and copy", fill_and_copy),
    operation("scan of u32", |gpu, n| scans(gpu, &keys::<u32>(n)?)),
    operation("scan of f32", |gpu, n| scans(gpu, &floats(n)?)),
    operation("scan of u64", |gpu, n| scans(gpu, &keys::<u64>(n)?)),
    operation("scan by key", scan_by_key),
    operation("scan of segments", scan_segments),
    operation("scan of rows", scan_rows),
    operation("reduction of u32", |gpu, n| reductions(gpu, &keys::<u32>(n)?)),
    operation("reduction of f32", |gpu, n| reductions(gpu, &floats(n)?)),
    operation("reduction of i64", |gpu, n| reductions(gpu, &keys::<i64>(n)?)),
    operation("reduction by key", reduce_by_key),
    operation("reduction of segments", reduce_segments),
    operation("reduction of rows", reduce_rows),
    operation("selection and partition", select),
    operation("run lengths", run_lengths),
    operation("binary search of u32", search::<u32>),
    operation("binary search of f64", search::<f64>),
    operation("merge of keys", merge::<u32>),
    operation("merge of 64-bit keys", merge::<u64>),
    operation("sort of u32", sort::<u32>),
    operation("sort of f32", sort::<f32>),
    operation("sort of u64", sort::<u64>),
    operation("sort of u8", sort::<u8>),
    operation("sort of u16", sort::<u16>),
    operation("sort of pairs", sort_pairs),
    operation("sort by multisplit", |gpu, n| {
        sort_keys::<u32>(gpu, n, false, SortMethod::Multisplit { radix_bits: 8 })
    }),
    operation("argsort", argsort),
    operation("sort of segments", sort_segments),
    operation("sort of rows", sort_rows),
    operation("split, direct", |gpu, n| splits(gpu, n, Method::Direct)),
    operation("split, warp", |gpu, n| splits(gpu, n, Method::Warp)),
    operation("split, block", |gpu, n| splits(gpu, n, Method::Block)),
    operation("split, one-sweep", |gpu, n| splits(gpu, n, Method::OneSweep)),
    operation("split, reduced-bit sort", |gpu, n| splits(gpu, n, Method::ReducedBitSort)),
    operation("split of 64-bit keys", split_wide),
    operation("split by GLSL", split_by_glsl),
    operation("histogram by ballots", |gpu, n| histograms(gpu, n, HistogramMethod::Ballots)),
    operation("histogram in shared memory", |gpu, n| histograms(gpu, n, HistogramMethod::Shared)),
    operation("histogram by global atomics", |gpu, n| histograms(gpu, n, HistogramMethod::Global)),
    operation("histogram of ranges", histogram_of_ranges),
    operation("weighted histogram", weighted_histogram),
    operation("top-k", top_k::<f32>),
    operation("top-k of 64-bit keys", top_k::<u64>),
    operation("top-k of rows", top_k_of_rows),
    operation("shortest paths, multisplit", |gpu, n| paths(gpu, n, SearchMethod::Multisplit)),
    operation("shortest paths, near-far", |gpu, n| paths(gpu, n, SearchMethod::NearFar)),
    operation("shortest paths, bucketing", |gpu, n| paths(gpu, n, SearchMethod::MultisplitPasses)),
];

/// About half of the random words are below this number.
const HALF: u32 = 1 << 31;

fn keys<K: Key>(n: usize) -> Result<Vec<K>> {
    data::random_keys(n as u64, SEED)
}

/// Floats from -1 to 1.
fn floats(n: usize) -> Result<Vec<f32>> {
    Ok(keys::<i32>(n)?.into_iter().map(|word| word as f32 / HALF as f32).collect())
}

/// Ascending numbers in runs with an average length of four.
fn runs(n: usize) -> Result<Vec<u32>> {
    let mut run = 0;
    data::words(n as u64, |index| {
        run += u32::from(mixed(index, 7).is_multiple_of(4));
        run
    })
}

fn indices(n: usize) -> Result<Vec<u32>> {
    data::words(n as u64, |index| index as u32)
}

/// Returns an error unless both arrays have the same elements, bit by bit.
fn equal<T: bytemuck::Pod + Debug>(what: &str, found: &[T], expected: &[T]) -> Result<()> {
    let (n, right) = (found.len(), expected.len());
    ensure!(n == right, "{what} has {n} elements, but {right} on the CPU");
    let differ = |(a, b): (&T, &T)| bytemuck::bytes_of::<T>(a) != bytemuck::bytes_of::<T>(b);
    let Some(at) = zip(found, expected).position(differ) else { return Ok(()) };
    bail!("{what}: element {at} of {n} is {:?}, but {:?} on the CPU", found[at], expected[at])
}

fn fill_and_copy(gpu: &Context, n: usize) -> Result<()> {
    const VALUE: u32 = 0x1234_5678;
    let words = keys::<u32>(n)?;
    let from = gpu.upload(&words)?;
    let [filled, copied] = [gpu.zeroed::<u32>(n as u64)?, gpu.zeroed::<u32>(n as u64)?];
    let mut recorded = gpu.with_fallback(|| {
        let mut work = gpu.work("check");
        work.fill(&filled, VALUE)?;
        work.copy(&from, &copied)?;
        work.record()
    })?;
    recorded.submit()?;
    equal("the fill", &gpu.download(&filled)?, &vec![VALUE; n])?;
    equal("the copy", &gpu.download(&copied)?, &words)
}

fn scans<T: Term>(gpu: &Context, input: &[T]) -> Result<()> {
    scan_each(gpu, &Segments::Whole, input)
}

/// Checks the exclusive sums and the inclusive maxima of each segment.
fn scan_each<T: Term>(gpu: &Context, segments: &Segments, input: &[T]) -> Result<()> {
    for (operator, inclusive) in [(Operator::Sum, false), (Operator::Max, true)] {
        let how = match inclusive {
            true => Scan::inclusive(operator),
            false => Scan::exclusive(operator),
        };
        let found = gpu.scan_with(input, &segments.of(how))?;
        verify_scan(operator, inclusive, segments.ranges(input.len()), input, &found)?;
    }
    Ok(())
}

fn scan_segments(gpu: &Context, n: usize) -> Result<()> {
    let segments = Segments::Offsets(random_offsets(n as u64));
    scan_each(gpu, &segments, &keys::<u32>(n)?)?;
    scan_each(gpu, &segments, &floats(n)?)
}

fn scan_rows(gpu: &Context, n: usize) -> Result<()> {
    for length in ROWS {
        let (n, rows) = (n.next_multiple_of(length), Segments::Rows(length as u64));
        scan_each(gpu, &rows, &keys::<u32>(n)?)?;
        scan_each(gpu, &rows, &floats(n)?)?;
    }
    Ok(())
}

/// For each run of equal keys, its key and its range of indices.
fn ranges(runs: &[u32]) -> impl Iterator<Item = (u32, std::ops::Range<usize>)> {
    runs.chunk_by(|a, b| a == b).scan(0, |end, run| {
        let begin = *end;
        *end += run.len();
        Some((run[0], begin..*end))
    })
}

fn sum(words: &[u32]) -> u32 {
    words.iter().copied().fold(0, u32::wrapping_add)
}

fn scan_by_key(gpu: &Context, n: usize) -> Result<()> {
    let (runs, words) = (runs(n)?, keys::<u32>(n)?);
    let found = gpu.scan_by_key(&runs, &words, &Scan::inclusive(Operator::Sum))?;
    let segments = ranges(&runs).map(|(_, range)| range);
    verify_scan(Operator::Sum, true, segments, &words, &found)
}

fn reductions<T: Term>(gpu: &Context, input: &[T]) -> Result<()> {
    for operator in [Operator::Sum, Operator::Min] {
        verify_reduction(operator, input, Some(gpu.reduce(input, operator)?))?;
    }
    let found = gpu.argmax(input)?.map(|(index, value)| (index as usize, value));
    verify_index(Operator::Max, input, found)
}

fn reduce_by_key(gpu: &Context, n: usize) -> Result<()> {
    let (runs, words) = (runs(n)?, keys::<u32>(n)?);
    let expected = ranges(&runs).map(|(key, range)| (key, sum(&words[range])));
    let (keys, sums): (Vec<u32>, Vec<u32>) = expected.unzip();
    let found = gpu.reduce_by_key(&runs, &words, Operator::Sum)?;
    equal("the keys", &found.0, &keys)?;
    equal("the sums", &found.1, &sums)
}

fn reduce_segments(gpu: &Context, n: usize) -> Result<()> {
    let (offsets, words) = (random_offsets(n as u64), keys::<u32>(n)?);
    let of_segment = |both: &[u32]| sum(&words[both[0] as usize..both[1] as usize]);
    let expected: Vec<u32> = offsets.windows(2).map(of_segment).collect();
    equal("the sums", &gpu.reduce_segments(&words, &offsets, Operator::Sum)?, &expected)
}

/// Row lengths: shorter and longer than a workgroup.
const ROWS: [usize; 2] = [37, 1500];

fn reduce_rows(gpu: &Context, n: usize) -> Result<()> {
    for length in ROWS {
        let words = keys::<u32>(n.next_multiple_of(length))?;
        let greatest = |row: &[u32]| row.iter().copied().max().unwrap_or_default();
        let expected: Vec<u32> = words.chunks(length).map(greatest).collect();
        equal("the maxima", &gpu.reduce_rows(&words, length as u64, Operator::Max)?, &expected)?;
    }
    Ok(())
}

fn select(gpu: &Context, n: usize) -> Result<()> {
    let words = keys::<u32>(n)?;
    let (low, high): (Vec<u32>, Vec<u32>) = words.iter().partition(|&&word| word < HALF);
    let condition = Select::less_than(HALF);
    equal("the selection", &gpu.select(&words, &condition)?, &low)?;
    let found = gpu.partition(&words, &condition)?;
    equal("the first part", &found.0, &low)?;
    equal("the second part", &found.1, &high)
}

fn run_lengths(gpu: &Context, n: usize) -> Result<()> {
    let words = runs(n)?;
    let expected = ranges(&words).map(|(key, range)| (key, range.len() as u32));
    let (keys, lengths): (Vec<u32>, Vec<u32>) = expected.unzip();
    let found = gpu.run_lengths(&words)?;
    equal("the keys", &found.0, &keys)?;
    equal("the lengths", &found.1, &lengths)
}

fn sorted_keys<K: Key>(n: usize, seed: u64) -> Result<Vec<K>> {
    let mut keys = data::random_keys::<K>(n as u64, seed)?;
    keys.sort_unstable_by_key(|&key| rank(key));
    Ok(keys)
}

fn search<K: Number>(gpu: &Context, n: usize) -> Result<()> {
    let (sorted, needles) = (sorted_keys::<K>(n, SEED)?, keys::<K>(n)?);
    let found = gpu.lower_bound(&sorted, &needles)?;
    verify_search(Search::LowerBound, &sorted, &needles, &found)?;
    let found = gpu.upper_bound(&sorted, &needles)?;
    verify_search(Search::UpperBound, &sorted, &needles, &found)
}

fn merge<K: Number>(gpu: &Context, n: usize) -> Result<()> {
    let [first, second] = [sorted_keys::<K>(n, SEED)?, sorted_keys::<K>(n / 3 + 1, SEED + 1)?];
    verify_merge(Merge::Ascending, &first, &second, &gpu.merge(&first, &second)?)?;
    let both = [&first[..], &second].concat();
    let values = indices(both.len())?;
    let found = gpu.merge_pairs((&first, &values[..n]), (&second, &values[n..]))?;
    verify_merge(Merge::Ascending, &first, &second, &found.0)?;
    let mut order = values;
    order.sort_by_key(|&index| rank(both[index as usize]));
    equal("the values", &found.1, &order)
}

fn sort<K: Number>(gpu: &Context, n: usize) -> Result<()> {
    sort_keys::<K>(gpu, n, false, SortMethod::Auto)?;
    sort_keys::<K>(gpu, n, true, SortMethod::Auto)
}

fn sort_keys<K: Number>(
    gpu: &Context,
    n: usize,
    descending: bool,
    method: SortMethod,
) -> Result<()> {
    let request = SortRequest { descending, method, rows: None };
    let input = keys::<K>(n)?;
    let keys = gpu.sort_with(&input, &request.sort())?;
    let sorted = Sorted { keys, values: None, order: None, whole: true };
    sort::verify(request, &input, None, &sorted)
}

/// An ascending sort, and keys with many duplicates, so that an unstable sort is detected.
fn repeated(n: usize) -> Result<(SortRequest, Vec<u32>)> {
    let keys = keys::<u32>(n)?.into_iter().map(|key| (key % 1000) << 16);
    Ok((SortRequest::default(), keys.collect()))
}

fn sort_pairs(gpu: &Context, n: usize) -> Result<()> {
    let (request, input) = repeated(n)?;
    let indices = indices(n)?;
    let (keys, values) = gpu.sort_pairs(&input, &indices)?;
    let values = Some(Data::of(values));
    let sorted = Sorted { keys, values, order: None, whole: true };
    sort::verify(request, &input, Some(&Data::of(indices)), &sorted)
}

fn argsort(gpu: &Context, n: usize) -> Result<()> {
    let (_, input) = repeated(n)?;
    let mut order = indices(n)?;
    order.sort_by_key(|&index| input[index as usize]);
    equal("the order", &gpu.argsort(&input)?, &order)
}

fn sort_segments(gpu: &Context, n: usize) -> Result<()> {
    let (offsets, words) = (random_offsets(n as u64), keys::<u32>(n)?);
    let mut expected = words.clone();
    for both in offsets.windows(2) {
        expected[both[0] as usize..both[1] as usize].sort_unstable();
    }
    equal("the segments", &gpu.sort_with(&words, &Sort::ascending().segments(&offsets))?, &expected)
}

fn sort_rows(gpu: &Context, n: usize) -> Result<()> {
    for length in ROWS {
        let words = keys::<u32>(n.next_multiple_of(length))?;
        let mut expected = words.clone();
        expected.chunks_mut(length).for_each(<[u32]>::sort_unstable);
        let sort = Sort::ascending().rows(length as u64);
        equal("the rows", &gpu.sort_with(&words, &sort)?, &expected)?;
    }
    Ok(())
}

fn splits(gpu: &Context, n: usize, method: Method) -> Result<()> {
    // Each number of buckets needs pipelines of its own, so it is tried either with values or without.
    for (function, m, pairs) in
        [(Function::Delta, 2, true), (Function::Range, 13, false), (Function::Identity, 200, true)]
    {
        let rule = Rule::new(function, m);
        let keys = Recipe::new(&rule, Distribution::Uniform).make(n as u64)?;
        let expected = Expected::new(&rule, &keys)?;
        let buckets = rule.device_buckets().method(method);
        if pairs {
            let found = gpu.split_pairs(&keys, &indices(n)?, buckets)?;
            expected.check(&keys, &found.offsets, &found.keys, Some(&found.values))?;
        } else {
            let found = gpu.split(&keys, buckets)?;
            expected.check(&keys, &found.offsets, &found.keys, None)?;
        }
    }
    Ok(())
}

/// Compares a split of `keys` with a stable sort by bucket.
fn check_split<K: Key + Debug>(
    keys: &[K],
    (found, offsets): (&[K], &[u32]),
    bucket_of: impl Fn(K) -> u32,
) -> Result<()> {
    let mut expected = keys.to_vec();
    expected.sort_by_key(|&key| bucket_of(key));
    let begin = |bucket| expected.partition_point(|&key| bucket_of(key) < bucket) as u32;
    let begins: Vec<u32> = (0..offsets.len() as u32).map(begin).collect();
    equal("the offsets", offsets, &begins)?;
    equal("the split", found, &expected)
}

fn split_wide(gpu: &Context, n: usize) -> Result<()> {
    let keys = keys::<u64>(n)?;
    for m in [4, 32] {
        let found = gpu.split(&keys, Buckets::delta_over_domain(m).method(Method::Block))?;
        let shift = u64::BITS - m.ilog2();
        check_split(&keys, (&found.keys, &found.offsets), |key| (key >> shift) as u32)?;
    }
    Ok(())
}

fn split_by_glsl(gpu: &Context, n: usize) -> Result<()> {
    let keys = keys::<u32>(n)?;
    let buckets = Buckets::glsl(7, "uint bucket_of(uint key) { return key % 7u; }");
    let found = gpu.split(&keys, buckets)?;
    check_split(&keys, (&found.keys, &found.offsets), |key| key % 7)
}

fn counts(what: &str, found: &[u64], expected: &[u32]) -> Result<()> {
    let expected: Vec<u64> = expected.iter().map(|&count| count.into()).collect();
    equal(what, found, &expected)
}

fn histograms(gpu: &Context, n: usize, method: HistogramMethod) -> Result<()> {
    let words = histogram::samples(true, Spread::Uniform, n as u64)?;
    let samples: &[f32] = bytemuck::cast_slice(&words);
    for m in [16, 256] {
        let found = gpu.histogram(samples, Bins::even(0.0..1024.0, m).method(method))?;
        counts("f32", &found.counts, &histogram::expected(Op::Even, m, &words, n as u64))?;
        equal("the count out of range", &found.out_of_range, &[0])?;
    }
    let words = histogram::samples(false, Spread::Uniform, Op::Bytes.words(n as u64))?;
    let bytes: &[u8] = bytemuck::cast_slice(&words);
    let found = gpu.histogram(&bytes[..n], Bins::identity(256).method(method))?;
    counts("u8", &found.counts, &histogram::expected(Op::Bytes, 256, &words, n as u64))
}

fn histogram_of_ranges(gpu: &Context, n: usize) -> Result<()> {
    let samples = floats(n)?;
    let mut edges: Vec<f32> = (0..100).map(|k| mixed(k, 3) as f32 / HALF as f32 - 1.0).collect();
    edges.sort_by(f32::total_cmp);
    let mut expected = vec![0u64; edges.len() + 1];
    for sample in &samples {
        expected[edges.partition_point(|edge| edge <= sample)] += 1;
    }
    let found = gpu.histogram(&samples, Bins::range(&edges))?;
    equal("the counts", &found.counts, &expected[1..edges.len()])?;
    let outside = expected[0] + expected[edges.len()];
    equal("the count out of range", &found.out_of_range, &[outside])
}

fn weighted_histogram(gpu: &Context, n: usize) -> Result<()> {
    let (samples, weights) = (keys::<u8>(n)?, keys::<u32>(n)?);
    let mut expected = vec![0u64; 256];
    for (&sample, &weight) in zip(&samples, &weights) {
        expected[usize::from(sample)] += u64::from(weight);
    }
    let found = gpu.histogram_weighted(&samples, &weights, Bins::identity(256))?;
    equal("the sums", &found.counts, &expected)
}

/// Checks the `k` largest elements of each row.
fn largest<K: Number>(gpu: &Context, keys: &[K], k: usize, length: usize) -> Result<()> {
    let (mut values, mut order) = (Vec::new(), Vec::new());
    for row in keys.chunks(length) {
        let mut of_row = indices(row.len())?;
        of_row.sort_by_key(|&index| !rank(row[index as usize]));
        of_row.truncate(k);
        values.extend(of_row.iter().map(|&index| row[index as usize]));
        order.extend(of_row);
    }
    let mut how = TopK::largest(k as u64);
    if length < keys.len() {
        how = how.rows(length as u64);
    }
    let found = gpu.topk(keys, &how)?;
    equal("the indices", &found.indices, &order)?;
    equal("the elements", &found.keys, &values)
}

fn top_k<K: Number>(gpu: &Context, n: usize) -> Result<()> {
    let keys = keys::<K>(n)?;
    [10, 2000].into_iter().try_for_each(|k| largest(gpu, &keys, k.min(n), n))
}

fn top_k_of_rows(gpu: &Context, n: usize) -> Result<()> {
    ROWS.into_iter()
        .try_for_each(|length| largest(gpu, &keys::<u32>(n.next_multiple_of(length))?, 7, length))
}

/// Vertex counts of the smallest and the largest network.
const VERTICES: (usize, usize) = (100, 20_000);

fn paths(gpu: &Context, n: usize, method: SearchMethod) -> Result<()> {
    let vertices = n.clamp(VERTICES.0, VERTICES.1) as u32;
    let network = Rmat::of_size(vertices, 4 * vertices).generate(Weighting::Own)?;
    let on_device = DeviceNetwork::upload(gpu, &network)?;
    let options = Options { method, predecessors: true, ..Options::default() };
    let found = Solver::new(gpu, &on_device, &options)?.solve(0)?.paths;
    equal("the distances", &found.distances, &dijkstra(&network, 0)?.distances)?;
    check_predecessors(&network, &found)
}

/// Checks that each reached vertex except the source has an arc from its predecessor whose weight gives its distance.
fn check_predecessors(network: &Network, found: &ShortestPaths) -> Result<()> {
    let distance = |vertex: u32| found.distances.get(vertex as usize).copied();
    for vertex in (0..network.vertices()).filter(|&vertex| vertex != found.source) {
        let (Some(own), Some(&from)) = (distance(vertex), found.predecessors.get(vertex as usize))
        else {
            bail!("the result contains no distance or predecessor of vertex {vertex}");
        };
        let leads_there = network.arcs_of(from).iter().any(|arc| {
            arc.target == vertex
                && distance(from).and_then(|d| d.checked_add(arc.weight)) == Some(own)
        });
        ensure!(
            leads_there || own == UNREACHED && from == UNREACHED,
            "the predecessor of vertex {vertex} is {from}, but no arc from {from} gives the distance of {vertex}"
        );
    }
    Ok(())
}
