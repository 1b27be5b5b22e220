//! Plans of sorts and splits, with inputs and expected outputs.

use anyhow::Result;
use multisplit::graph::ElementType;
use multisplit::half::{bf16, f16};
use multisplit::operations::sort::SortMethod;
use multisplit::operations::split::{Bucket, Method, TileShape};
use multisplit::operations::{SortBuffers, SplitBuffers, sort, split};
use multisplit::{Buckets, Glsl, KeyType, Policy, Sort};
use multisplit_machine::Rng;

use super::case::Case;
use super::narrow::put_on_slice_edges;
use super::primitives::{
    Device, ITEMS, SHARED_MEMORY, limits, policy, random_words, set_sort_tiles, set_split_tiles,
};
use super::setup::{Parameters, Setup};

/// Values that are moved with the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    Nothing,
    /// A value of 1, 2 or 4 words.
    Words(usize),
    Indices,
}

impl Payload {
    pub const ALL: [Self; 5] =
        [Self::Nothing, Self::Words(1), Self::Words(2), Self::Words(4), Self::Indices];

    /// Declares the values of a sort of `max` keys.
    pub fn declare(self, setup: &mut Setup, buffers: SortBuffers, max: u64) -> SortBuffers {
        match self {
            Self::Nothing => buffers,
            Self::Words(words) => buffers.values(setup.buffer("values", value_type(words), max)),
            Self::Indices => buffers.indices(setup.buffer("values", ElementType::U32, max)),
        }
    }

    /// Sorts each segment of the keys by `rank`. Sets the input values and the expected values.
    /// Returns the order.
    pub fn expect_sorted(
        self,
        setup: &mut Setup,
        keys: &[u64],
        offsets: &[u32],
        rank: impl Fn(u64) -> u64,
    ) -> Vec<usize> {
        let (mut order, mut numbers) = (Vec::new(), Vec::new());
        for pair in offsets.windows(2) {
            let mut part: Vec<usize> = (pair[0] as usize..pair[1] as usize).collect();
            part.sort_by_key(|&i| rank(keys[i]));
            numbers.extend(part.iter().map(|&i| i as u32 - pair[0]));
            order.extend(part);
        }
        match self {
            Self::Nothing => {}
            Self::Indices => setup.expect("values", numbers),
            Self::Words(words) => {
                let values = random_words((keys.len() * words) as u64, order.len() as u64 ^ 5);
                setup.expect("values", gathered(&values, words, &order));
                setup.set("values", values);
            }
        }
        order
    }
}

/// The element type of values with this number of words.
pub fn value_type(words: usize) -> ElementType {
    ElementType::Other(4 * words as u32)
}

/// Maps the bits of a key to an unsigned integer that compares like the key.
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
pub fn words_of(key: KeyType, keys: impl IntoIterator<Item = u64>) -> Vec<u32> {
    let bytes = |k: u64| k.to_le_bytes().into_iter().take(key.bytes() as usize);
    packed(&keys.into_iter().flat_map(bytes).collect::<Vec<u8>>())
}

/// Packs bytes into words.
pub fn packed(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|word| word.iter().rev().fold(0, |w, &b| w << 8 | u32::from(b))).collect()
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
    /// Number of turns, each of which moves a part of a tile through shared memory.
    pub turns: u32,
    /// Whether each third of a tile is sorted as a separate segment.
    pub segments: bool,
    pub on_device: bool,
    /// Whether to sort by three bits only.
    pub few_bits: bool,
    /// Whether a one-sweep sort uses its variant for small arrays.
    pub small_sort: bool,
    /// Whether keys differ only in their second digit, and all keys of a part that a workgroup of
    /// the first pass counts are equal.
    pub parts_alike: bool,
}

/// The bits that `few_bits` sorts compare.
const FEW_BITS: std::ops::Range<u32> = 5..8;

impl SortCase {
    /// An ascending sort of no keys.
    pub fn new(method: SortMethod, key: KeyType, payload: Payload, threads: u32) -> Self {
        Self {
            key,
            payload,
            method,
            descending: false,
            n: 0,
            threads,
            items: ITEMS,
            turns: 1,
            segments: false,
            on_device: false,
            few_bits: false,
            small_sort: false,
            parts_alike: false,
        }
    }
}

impl Parameters for SortCase {
    fn case(&self, device: Device) -> Result<Case> {
        let Self { key, payload, method, descending, n, few_bits, .. } = *self;
        let mut policy = policy(device);
        policy.sort.few_keys = if self.small_sort { policy.max_elements.min(1 << 20) } else { 0 };
        let shape = TileShape::new(self.threads, self.items);
        policy.sort.small = shape;
        set_sort_tiles(&mut policy, shape.in_turns(self.turns));
        let mut setup = Setup::new(device, "sort");
        let (max, count) = setup.count(n, self.on_device);
        let keys = setup.buffer("keys", key, key.array_len(max));
        let buffers = payload.declare(&mut setup, SortBuffers::keys(keys).count(count), max);
        let mut how = if descending { Sort::descending() } else { Sort::ascending() };
        how = how.method(method);
        if few_bits {
            how = how.bits(FEW_BITS);
        }
        let mut begins = vec![0, n as u32];
        if self.segments {
            let step = (self.threads * self.items / 3) as usize;
            begins = (0..n as u32).step_by(step).chain([n as u32]).collect();
            how = how.segments(&begins);
        }
        sort(&mut setup.graph, &policy, &how, &buffers)?;

        let mut input = random_keys(key, max, n ^ 77);
        if self.parts_alike {
            let part = u64::from(device.threads() * ITEMS);
            let all = u64::MAX >> (64 - key.bits());
            input = (0..max).map(|i| (0x0101 ^ (i / part) << 8) & all).collect();
        }
        if method == SortMethod::Counting {
            let plan = setup.graph.compile(&limits(device))?;
            put_on_slice_edges(&plan, key, descending, &mut input[..n as usize]);
        }
        let rank = |bits: u64| {
            let image = image(key, bits);
            let image = if few_bits { image >> FEW_BITS.start & 7 } else { image };
            if descending { !image } else { image }
        };
        let order = payload.expect_sorted(&mut setup, &input, &begins, rank);
        // Keys beyond a device count stay in place, even within the same word.
        let sorted = order.iter().map(|&i| input[i]).chain(input[n as usize..].iter().copied());
        setup.set("keys", words_of(key, input.iter().copied()));
        setup.expect("keys", words_of(key, sorted));
        Ok(Case { lane_order: device.lane_order, ..setup.finish(self)? })
    }
}

/// Outputs of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitOutput {
    Keys,
    Pairs(usize),
    Permutation,
}

impl SplitOutput {
    pub const ALL: [Self; 5] =
        [Self::Keys, Self::Pairs(1), Self::Pairs(2), Self::Pairs(4), Self::Permutation];
}

/// Bucket function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Delta,
    Digit,
    OrderedDigit,
    Even,
    Range,
    /// Splitters in groups of four close values, so that lookup cells contain several splitters.
    Crowded,
    Identity,
    /// Identity buckets, with most keys out of range.
    OutOfRange,
    Glsl,
}

#[derive(Clone, Copy, Debug)]
pub struct SplitCase {
    pub key: KeyType,
    pub output: SplitOutput,
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

/// The bucket of `x` in an even range, by comparison with each edge.
fn even_part(x: f32, lo: f32, hi: f32, m: u64) -> u64 {
    let step = (hi - lo) / m as f32;
    if x.is_nan() { m - 1 } else { (1..m).filter(|&k| k as f32 * step + lo <= x).count() as u64 }
}

/// A bucket function, and a host function that computes the expected bucket from the bits of a key.
type BucketOf = (Bucket, Box<dyn Fn(u64) -> u64>);

impl SplitCase {
    /// A split of no keys, without values.
    pub fn new(method: Method, key: KeyType, function: Function, buckets: u32) -> Self {
        let (output, items, turns) = (SplitOutput::Keys, ITEMS, 1);
        let (n, on_device, by_votes) = (0, false, false);
        Self { key, output, method, function, buckets, n, items, turns, on_device, by_votes }
    }

    fn bucket_of(&self) -> BucketOf {
        let m = u64::from(self.buckets);
        let key = self.key;
        let bits = self.buckets.next_power_of_two().trailing_zeros().max(1);
        let even = |lo: f32, hi: f32, float: fn(u64) -> f32| -> BucketOf {
            let own = move |k| even_part(float(k), lo, hi, m);
            (Bucket::Even { lo: lo.into(), hi: hi.into() }, Box::new(own))
        };
        match self.function {
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
                even(-2.0, 30.0, |k| f16::from_bits(k as u16).to_f32())
            }
            Function::Even if key == KeyType::F64 => {
                // The edges are exact if m is a power of two.
                let (lo, hi) = (0.0, (1u64 << 40) as f64);
                let own = move |k: u64| match f64::from_bits(k) {
                    x if x.is_nan() || x >= hi => m - 1,
                    x if x < lo => 0,
                    x => (x / (hi / m as f64)) as u64,
                };
                (Bucket::Even { lo, hi }, Box::new(own))
            }
            Function::Even => even(0.0, 1e9, |k| f32::from_bits(k as u32)),
            Function::Range | Function::Crowded => {
                let domain = u64::MAX >> (64 - key.bits());
                let crowded = self.function == Function::Crowded;
                // The last splitters are in the last lookup cell. `bucket_code.rs` in the engine
                // defines the number of cells.
                let crowded_end = domain / 2048 * (u64::from(SHARED_MEMORY) / 48 * 2);
                let splitter = |k| match crowded {
                    true if k + 4 > m => crowded_end - (m - k) * 3,
                    true => crowded_end / m * (k / 4 * 4) + k % 4 * 3,
                    false => domain / m * k + k % 3,
                };
                let splitters: Vec<u64> = (1..m).map(splitter).collect();
                let own = splitters.clone();
                let own = move |k| own.partition_point(|s| *s <= k) as u64;
                (Bucket::Range(splitters), Box::new(own))
            }
            Function::Identity | Function::OutOfRange => (Bucket::Identity, Box::new(|k| k)),
            Function::Glsl => {
                let (parameter, result, own): (_, _, Box<dyn Fn(u64) -> u64>) = match key {
                    KeyType::I8 => (
                        "int",
                        format!("uint(key + 200) % {m}u"),
                        Box::new(move |k: u64| (i64::from(k as i8) + 200) as u64 % m),
                    ),
                    KeyType::Bf16 => {
                        let below = |k: u64| bf16::from_bits(k as u16).to_f32() < 1.0;
                        let own = move |k| if below(k) { 0 } else { m - 1 };
                        ("float", format!("key < 1.0 ? 0u : {m}u - 1u"), Box::new(own))
                    }
                    _ => (
                        "uint",
                        format!("(key ^ key >> 7) % {m}u"),
                        Box::new(move |k: u64| (k as u32 ^ (k as u32 >> 7)) as u64 % m),
                    ),
                };
                let glsl = format!("uint bucket_of({parameter} key) {{ return {result}; }}");
                (Bucket::Glsl(Glsl::new(glsl)), own)
            }
        }
    }

    /// Keys on the edges of buckets.
    fn edges(&self) -> Vec<u64> {
        let float = |x: f32| match self.key {
            KeyType::F16 => u64::from(f16::from_f32(x).to_bits()),
            KeyType::F64 => f64::from(x).to_bits(),
            _ => u64::from(x.to_bits()),
        };
        match (self.function, self.bucket_of().0) {
            (_, Bucket::Range(splitters)) => {
                // Alternate splitters from both ends, so that even few keys include the edges of
                // the first and last cell.
                let (ends, begins) = (splitters.iter().rev(), splitters.iter());
                let all = ends.zip(begins).flat_map(|(end, begin)| [*end, *begin]);
                all.flat_map(|s| [s, s.saturating_sub(1)]).collect()
            }
            (_, Bucket::Delta { width, .. }) => vec![0, width, width - 1],
            (Function::OutOfRange, _) => vec![u64::from(self.buckets), u64::from(self.buckets) - 1],
            (Function::Even, _) => {
                let hi = if self.key == KeyType::F64 { (1u64 << 40) as f32 } else { 1e9 };
                let least = 1.0 / (1 << 24) as f32;
                let (infinite, nan) = (f32::INFINITY, f32::NAN);
                // `least` is the smallest positive 16-bit float.
                let ends = [0.0, -0.0, hi, -1.0, hi / 2.0, nan, least, infinite, -infinite];
                // The edges of the first buckets of 32-bit floats.
                let inner = (1..self.buckets.min(5)).map(|k| k as f32 * (hi / self.buckets as f32));
                ends.into_iter().chain(inner).map(float).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Creates the case with a policy that `change` modifies.
    pub fn case_with(&self, device: Device, change: impl FnOnce(&mut Policy)) -> Result<Case> {
        let Self { key, output, method, buckets, n, .. } = *self;
        let mut policy = policy(device);
        let shape = TileShape::new(device.threads(), self.items).in_turns(self.turns);
        set_split_tiles(&mut policy, shape);
        policy.split.max_buckets_by_ballots = if self.by_votes { 256 } else { 0 };
        // Splits by labels never count by votes, so disable labels.
        if self.by_votes {
            policy.split.min_buckets_labelled = u32::MAX;
        }
        change(&mut policy);
        let (function, own) = self.bucket_of();
        let mut setup = Setup::new(device, "split");
        let (max, count) = setup.count(n, self.on_device);
        let keys = setup.buffer("keys", key, key.array_len(max));
        let offsets = setup.buffer("offsets", ElementType::U32, u64::from(buckets) + 1);
        let out_of_range = setup.buffer("out_of_range", ElementType::U32, 1);
        let keys_out = |setup: &mut Setup| setup.buffer("keys.out", key, key.array_len(max));
        let buffers = match output {
            SplitOutput::Keys => SplitBuffers::keys(keys, keys_out(&mut setup), offsets),
            SplitOutput::Permutation => {
                let permutation = setup.buffer("permutation", ElementType::U32, max);
                SplitBuffers::permutation(keys, permutation, offsets)
            }
            SplitOutput::Pairs(words) => {
                let values = setup.buffer("values", value_type(words), max);
                let values_out = setup.buffer("values.out", value_type(words), max);
                SplitBuffers::pairs((keys, values), (keys_out(&mut setup), values_out), offsets)
            }
        };
        let buffers = buffers.count(count).out_of_range(out_of_range);
        let how = Buckets::of(key, buckets, function).method(method);
        split(&mut setup.graph, &policy, &how, &buffers)?;

        let mut input = random_keys(key, max, n ^ 99);
        if self.function == Function::Identity {
            input.iter_mut().for_each(|k| *k %= u64::from(buckets));
        }
        // Some keys are on bucket edges, to detect comparisons that are off by one.
        let edges = self.edges();
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
        setup.set("keys", words_of(key, input.iter().copied()));
        if key.is_narrow() {
            // The kernel reads and rewrites the word with the last key, so the output must be
            // initialized.
            setup.set("keys.out", words_of(key, vec![0; max as usize]));
        }
        if let SplitOutput::Pairs(words) = output {
            let values = random_words(max * words as u64, n ^ 6);
            setup.expect("values.out", gathered(&values, words, &order));
            setup.set("values", values);
        }
        if output == SplitOutput::Permutation {
            let mut expected = vec![0; n as usize];
            order.iter().enumerate().for_each(|(place, &i)| expected[i] = place as u32);
            setup.expect("permutation", expected);
        } else {
            setup.expect("keys.out", words_of(key, order.iter().map(|&i| input[i])));
        }
        let below = |b: u64| ids.iter().filter(|id| **id < b).count() as u32;
        setup.expect("offsets", (0..=u64::from(buckets)).map(below).collect());
        let outside = n as u32 - below(u64::from(buckets));
        if outside > 0 {
            // If ids are out of range, the other outputs are undefined.
            setup.outputs.clear();
        }
        setup.expect("out_of_range", vec![outside]);
        Ok(Case { lane_order: device.lane_order, ..setup.finish(self)? })
    }
}

impl Parameters for SplitCase {
    fn case(&self, device: Device) -> Result<Case> {
        self.case_with(device, |_| {})
    }
}
