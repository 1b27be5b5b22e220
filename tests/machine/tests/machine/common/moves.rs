//! Plans of sorts and splits, with inputs and expected outputs.

use anyhow::Result;
use multisplit::Policy;
use multisplit::graph::{Buffer, Graph};
use multisplit::half::{bf16, f16};
use multisplit::operations::sort::SortMethod;
use multisplit::operations::split::{Bucket, Method, TileShape};
use multisplit::operations::{SortBuffers, SplitBuffers, sort, split};
use multisplit::{Buckets, KeyType, Sort};
use multisplit_machine::Rng;

use super::case::{Case, Output};
use super::narrow::put_on_slice_edges;
use super::primitives::{
    Device, ITEMS, SHARED_MEMORY, count_words, counted, limits, policy, random_words,
};

/// Values that are moved with the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    Nothing,
    /// A value of 1, 2 or 4 words.
    Words(usize),
    Indices,
}

fn import_key(graph: &mut Graph, name: &str, key: KeyType, n: u64) -> Buffer {
    graph.import_array(name, key.into(), key.array_len(n))
}

fn import_value(graph: &mut Graph, name: &str, words: usize, n: u64) -> Buffer {
    match words {
        1 => graph.import::<u32>(name, n),
        2 => graph.import::<[u32; 2]>(name, n),
        _ => graph.import::<[u32; 4]>(name, n),
    }
}

/// The bits of a key as an unsigned integer that compares like the key.
pub fn image(key: KeyType, bits: u64) -> u64 {
    let top = 1u64 << (key.bits() - 1);
    match key {
        KeyType::U8 | KeyType::U16 | KeyType::U32 | KeyType::U64 => bits,
        key if key.is_float() && bits & top != 0 => bits ^ (u64::MAX >> (64 - key.bits())),
        _ => bits ^ top,
    }
}

fn random_keys(key: KeyType, n: u64, seed: u64) -> Vec<u64> {
    let mut rng = Rng::new(seed ^ 0x5EED);
    let mask = u64::MAX >> (64 - key.bits());
    // Some keys are equal, so that an unstable order is detected.
    let few = n / 2 + 1;
    (0..n).map(|_| Rng::new(rng.below(few)).next_u64() & mask).collect()
}

/// The keys as words; the last word of narrow keys is padded with zeros.
pub fn words_of(key: KeyType, keys: impl Iterator<Item = u64>) -> Vec<u32> {
    let bytes = |k: u64| k.to_le_bytes().into_iter().take(key.bytes() as usize);
    let all: Vec<u8> = keys.flat_map(bytes).collect();
    all.chunks(4).map(|word| word.iter().rev().fold(0, |w, &b| w << 8 | u32::from(b))).collect()
}

/// The words of each element, in the given order.
fn gathered(words: &[u32], size: usize, order: &[usize]) -> Vec<u32> {
    order.iter().flat_map(|&i| words[i * size..(i + 1) * size].to_vec()).collect()
}

/// A sort of a whole array.
#[derive(Clone, Copy, Debug)]
pub struct SortCase {
    pub key: KeyType,
    pub payload: Payload,
    pub method: SortMethod,
    pub descending: bool,
    pub n: u64,
    /// Threads per tile, and keys per thread.
    pub threads: u32,
    pub items: u32,
    /// Number of turns in which a tile passes through shared memory.
    pub turns: u32,
    /// Whether each third of a tile is sorted as a separate segment.
    pub segments: bool,
    pub on_device: bool,
    /// Whether to sort by three bits only.
    pub few_bits: bool,
    /// Whether a one-sweep sort uses its variant for few keys.
    pub small_sort: bool,
    /// Keys that differ only in their second digit, and only between parts of the first pass.
    pub parts_alike: bool,
}

/// The bits compared by `few_bits` sorts.
const FEW_BITS: std::ops::Range<u32> = 5..8;

pub fn sort_case(device: Device, of: SortCase) -> Result<Case> {
    let SortCase {
        key, payload, method, descending, n, turns, segments, on_device, few_bits, ..
    } = of;
    let mut policy = policy(device);
    policy.sort.few_keys = if of.small_sort { policy.max_elements.min(1 << 20) } else { 0 };
    let turned = TileShape::new(of.threads, of.items).in_turns(turns);
    policy.sort.small = TileShape::new(of.threads, of.items);
    policy.sort.keys = policy.sort.keys.map(|(n, _)| (n, turned));
    policy.sort.wide_keys = policy.sort.wide_keys.map(|(n, _)| (n, turned));
    policy.sort.pairs = policy.sort.pairs.map(|(n, _)| (n, turned));
    let mut graph = Graph::new("sort");
    let (max, count) = counted(&mut graph, n, on_device);
    let keys = import_key(&mut graph, "keys", key, max);
    let mut buffers = SortBuffers::keys(keys).count(count);
    buffers = match payload {
        Payload::Nothing => buffers,
        Payload::Words(words) => buffers.values(import_value(&mut graph, "values", words, max)),
        Payload::Indices => buffers.indices(graph.import::<u32>("values", max)),
    };
    let mut how = if descending { Sort::descending() } else { Sort::ascending() };
    how = how.method(method);
    if few_bits {
        how = how.bits(FEW_BITS);
    }
    let mut begins = vec![0, n as usize];
    if segments {
        let step = (of.threads * of.items / 3) as usize;
        begins = (0..n as usize).step_by(step).chain([n as usize]).collect();
        let offsets: Vec<u32> = begins.iter().map(|&b| b as u32).collect();
        how = how.segments(&offsets);
    }
    sort(&mut graph, &policy, &how, &buffers)?;

    let mut input = random_keys(key, max, n ^ 77);
    if of.parts_alike {
        let part = u64::from(device.threads() * ITEMS);
        input = (0..max)
            .map(|i| (0x0101 ^ (i / part) << 8) & (u64::MAX >> (64 - key.bits())))
            .collect();
    }
    let plan = graph.compile(&limits(device))?;
    if method == SortMethod::Counting {
        put_on_slice_edges(&plan, key, descending, &mut input[..n as usize]);
    }
    let compared = |bits: u64| {
        let image = image(key, bits);
        let image = if few_bits { image >> FEW_BITS.start & 7 } else { image };
        if descending { !image } else { image }
    };
    let mut order = Vec::new();
    let mut numbers = Vec::new();
    for pair in begins.windows(2) {
        let mut part: Vec<usize> = (pair[0]..pair[1]).collect();
        part.sort_by_key(|&i| compared(input[i]));
        numbers.extend(part.iter().map(|&i| (i - pair[0]) as u32));
        order.extend(part);
    }
    let mut inputs = vec![("keys", words_of(key, input.iter().copied())), count_words(n)];
    // Keys beyond a device count stay in place, even within the same word.
    let sorted = order.iter().map(|&i| input[i]).chain(input[n as usize..].iter().copied());
    let mut outputs = vec![Output { name: "keys", expected: words_of(key, sorted) }];
    match payload {
        Payload::Nothing => {}
        Payload::Indices => outputs.push(Output { name: "values", expected: numbers }),
        Payload::Words(words) => {
            let values: Vec<u32> = random_words(max * words as u64, n ^ 5);
            outputs.push(Output { name: "values", expected: gathered(&values, words, &order) });
            inputs.push(("values", values));
        }
    }
    Ok(Case {
        name: format!("{of:?} for {device:?}"),
        plan,
        inputs,
        outputs,
        lane_order: device.lane_order,
        may_give_up: None,
        verify: None,
        steady: Vec::new(),
    })
}

/// Outputs of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    Keys,
    Pairs(usize),
    Permutation,
}

/// Bucket function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Delta,
    Digit,
    OrderedDigit,
    Even,
    Range,
    /// Splitters in groups of four close ones, so that lookup cells contain several.
    Crowded,
    Identity,
    /// Identity, with most keys out of range.
    OutOfRange,
    Glsl,
}

#[derive(Clone, Copy, Debug)]
pub struct SplitCase {
    pub key: KeyType,
    pub gives: Gives,
    pub method: Method,
    pub function: Function,
    pub buckets: u32,
    pub n: u64,
    /// Keys per thread in a tile.
    pub items: u32,
    pub turns: u32,
    pub on_device: bool,
    /// Whether buckets are counted by votes instead of atomics.
    pub by_votes: bool,
}

/// The bucket in an even range, by comparison with every edge.
fn even_part(x: f32, lo: f32, hi: f32, m: u64) -> u64 {
    let step = (hi - lo) / m as f32;
    if x.is_nan() { m - 1 } else { (1..m).filter(|&k| k as f32 * step + lo <= x).count() as u64 }
}

/// The bucket function, and its reference for the bits of a key.
fn bucket_of(of: &SplitCase) -> (Bucket, Box<dyn Fn(u64) -> u64>) {
    let m = u64::from(of.buckets);
    let key = of.key;
    let bits = of.buckets.next_power_of_two().trailing_zeros().max(1);
    match of.function {
        Function::Delta => {
            let width = (1u128 << key.bits()).div_ceil(u128::from(m)) as u64;
            (Bucket::Delta { min: 0, width }, Box::new(move |k| (k / width).min(m - 1)))
        }
        Function::Digit => {
            let shift = 3;
            let function = Bucket::Digit { shift, bits };
            (function, Box::new(move |k| (k >> shift) & ((1 << bits) - 1)))
        }
        Function::OrderedDigit => {
            let shift = key.bits() - bits;
            let function = Bucket::OrderedDigit { shift, bits, descending: false };
            (function, Box::new(move |k| image(key, k) >> shift))
        }
        Function::Even if key == KeyType::F16 => {
            let (lo, hi) = (-2.0f32, 30.0f32);
            let own = move |k: u64| even_part(f16::from_bits(k as u16).to_f32(), lo, hi, m);
            (Bucket::Even { lo: lo.into(), hi: hi.into() }, Box::new(own))
        }
        Function::Even if key == KeyType::F64 => {
            // Exact if m is a power of two.
            let (lo, hi) = (0.0, (1u64 << 40) as f64);
            let own = move |k: u64| {
                let x = f64::from_bits(k);
                match x {
                    x if x.is_nan() || x >= hi => m - 1,
                    x if x < lo => 0,
                    x => (x / (hi / m as f64)) as u64,
                }
            };
            (Bucket::Even { lo, hi }, Box::new(own))
        }
        Function::Even => {
            let (lo, hi) = (0.0f32, 1e9f32);
            let own = move |k: u64| even_part(f32::from_bits(k as u32), lo, hi, m);
            (Bucket::Even { lo: lo.into(), hi: hi.into() }, Box::new(own))
        }
        Function::Range | Function::Crowded => {
            let domain = u64::MAX >> (64 - key.bits());
            let crowded = of.function == Function::Crowded;
            // Place the last splitters in the last lookup cell; the number of cells is set in
            // `bucket.rs`.
            let crowded_end = domain / 2048 * (u64::from(SHARED_MEMORY) / 48 * 2);
            let splitter = |k| match crowded {
                true if k + 4 > m => crowded_end - (m - k) * 3,
                true => crowded_end / m * (k / 4 * 4) + k % 4 * 3,
                false => domain / m * k + k % 3,
            };
            let splitters: Vec<u64> = (1..m).map(splitter).collect();
            let own = splitters.clone();
            (Bucket::Range(splitters), Box::new(move |k| own.partition_point(|s| *s <= k) as u64))
        }
        Function::Identity | Function::OutOfRange => (Bucket::Identity, Box::new(move |k| k)),
        Function::Glsl if key == KeyType::I8 => {
            let glsl = format!("uint bucket_of(int key) {{ return uint(key + 200) % {m}u; }}");
            let own = move |k: u64| (i64::from(k as i8) + 200) as u64 % m;
            (Bucket::Glsl(multisplit::Glsl::new(glsl)), Box::new(own))
        }
        Function::Glsl if key == KeyType::Bf16 => {
            let glsl =
                format!("uint bucket_of(float key) {{ return key < 1.0 ? 0u : {m}u - 1u; }}");
            let own =
                move |k: u64| if bf16::from_bits(k as u16).to_f32() < 1.0 { 0 } else { m - 1 };
            (Bucket::Glsl(multisplit::Glsl::new(glsl)), Box::new(own))
        }
        Function::Glsl => {
            let glsl = format!("uint bucket_of(uint key) {{ return (key ^ key >> 7) % {m}u; }}");
            let own = move |k: u64| (k as u32 ^ (k as u32 >> 7)) as u64 % m;
            (Bucket::Glsl(multisplit::Glsl::new(glsl)), Box::new(own))
        }
    }
}

/// Keys on the edges of buckets.
fn edges(of: &SplitCase) -> Vec<u64> {
    let float = |x: f32| match of.key {
        KeyType::F16 => u64::from(f16::from_f32(x).to_bits()),
        KeyType::F64 => f64::from(x).to_bits(),
        _ => u64::from(x.to_bits()),
    };
    match (of.function, bucket_of(of).0) {
        (_, Bucket::Range(splitters)) => {
            // From both ends, so that even a few keys include the edges of the first and last cell.
            let (ends, begins) = (splitters.iter().rev(), splitters.iter());
            let all = ends.zip(begins).flat_map(|(end, begin)| [*end, *begin]);
            all.flat_map(|s| [s, s.saturating_sub(1)]).collect()
        }
        (_, Bucket::Delta { width, .. }) => vec![0, width, width - 1],
        (Function::OutOfRange, _) => vec![u64::from(of.buckets), u64::from(of.buckets) - 1],
        (Function::Even, _) => {
            let hi = if of.key == KeyType::F64 { (1u64 << 40) as f32 } else { 1e9 };
            let infinite = [f32::INFINITY, f32::NEG_INFINITY].map(float);
            // The last one is the smallest 16-bit float.
            let finite =
                [0.0, -0.0, hi, -1.0, hi / 2.0, f32::NAN, 1.0 / (1 << 24) as f32].map(float);
            [&finite[..], &infinite].concat()
        }
        _ => Vec::new(),
    }
}

pub fn split_case(device: Device, of: SplitCase) -> Result<Case> {
    split_case_with(device, of, |_| {})
}

/// Like `split_case`, with a modified policy.
pub fn split_case_with(
    device: Device,
    of: SplitCase,
    change: impl FnOnce(&mut Policy),
) -> Result<Case> {
    let SplitCase { key, gives, method, buckets, n, turns, on_device, .. } = of;
    let mut policy = policy(device);
    let turned = TileShape::new(device.threads(), of.items).in_turns(turns);
    policy.split.block_keys = [turned; 8];
    policy.split.labelled_keys = [turned; 8];
    policy.split.block_pairs = [turned; 8];
    policy.split.onesweep = [turned; 8];
    policy.split.max_buckets_by_ballots = if of.by_votes { 256 } else { 0 };
    // Labels are never counted by votes.
    if of.by_votes {
        policy.split.min_buckets_labelled = u32::MAX;
    }
    change(&mut policy);
    let (function, own) = bucket_of(&of);
    let mut graph = Graph::new("split");
    let (max, count) = counted(&mut graph, n, on_device);
    let keys = import_key(&mut graph, "keys", key, max);
    let offsets = graph.import::<u32>("offsets", u64::from(buckets) + 1);
    let buffers = match gives {
        Gives::Keys => {
            SplitBuffers::keys(keys, import_key(&mut graph, "keys.out", key, max), offsets)
        }
        Gives::Permutation => {
            SplitBuffers::permutation(keys, graph.import::<u32>("permutation", max), offsets)
        }
        Gives::Pairs(words) => {
            let values = import_value(&mut graph, "values", words, max);
            let keys_out = import_key(&mut graph, "keys.out", key, max);
            let values_out = import_value(&mut graph, "values.out", words, max);
            SplitBuffers::pairs((keys, values), (keys_out, values_out), offsets)
        }
    };
    let outside = graph.import::<u32>("out_of_range", 1);
    let buffers = buffers.count(count).out_of_range(outside);
    let how = Buckets::of(key, buckets, function).method(method);
    split(&mut graph, &policy, &how, &buffers)?;

    let mut input = random_keys(key, max, n ^ 99);
    if of.function == Function::Identity {
        input.iter_mut().for_each(|k| *k %= u64::from(buckets));
    }
    // Put keys on bucket edges, so that comparisons that are off by one are detected.
    let edges = edges(&of);
    for (k, key) in input.iter_mut().enumerate().filter(|(k, _)| k % 5 == 2) {
        *key = edges.get(k / 5 % (edges.len() + 1)).copied().unwrap_or(*key);
    }
    let ids: Vec<u64> = input.iter().take(n as usize).map(|&k| own(k)).collect();
    let mut order: Vec<usize> = (0..n as usize).collect();
    if method == Method::FullSort {
        order.sort_by_key(|&i| image(key, input[i]));
    } else {
        order.sort_by_key(|&i| ids[i]);
    }
    let begins: Vec<u32> =
        (0..=u64::from(buckets)).map(|b| ids.iter().filter(|id| **id < b).count() as u32).collect();
    let mut inputs = vec![("keys", words_of(key, input.iter().copied())), count_words(n)];
    if key.is_narrow() {
        // The bytes beyond the last key in its word are read and written back.
        inputs.push(("keys.out", words_of(key, vec![0; max as usize].into_iter())));
    }
    let mut outputs = vec![Output { name: "offsets", expected: begins }];
    let outside = ids.iter().filter(|id| **id >= u64::from(buckets)).count() as u32;
    if outside > 0 {
        outputs.clear();
    }
    outputs.push(Output { name: "out_of_range", expected: vec![outside] });
    let moved = words_of(key, order.iter().map(|&i| input[i]));
    match gives {
        _ if outside > 0 => {
            // The output is undefined.
            if let Gives::Pairs(words) = gives {
                inputs.push(("values", random_words(max * words as u64, n ^ 6)));
            }
        }
        Gives::Keys => outputs.push(Output { name: "keys.out", expected: moved }),
        Gives::Permutation => {
            let mut expected = vec![0; n as usize];
            order.iter().enumerate().for_each(|(place, &i)| expected[i] = place as u32);
            outputs.push(Output { name: "permutation", expected });
        }
        Gives::Pairs(words) => {
            let values = random_words(max * words as u64, n ^ 6);
            outputs.push(Output { name: "keys.out", expected: moved });
            outputs.push(Output { name: "values.out", expected: gathered(&values, words, &order) });
            inputs.push(("values", values));
        }
    }
    Ok(Case {
        name: format!("{of:?} for {device:?}"),
        plan: graph.compile(&limits(device))?,
        inputs,
        outputs,
        lane_order: device.lane_order,
        may_give_up: None,
        verify: None,
        steady: Vec::new(),
    })
}
