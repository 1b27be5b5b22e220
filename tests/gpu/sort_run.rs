//! Runs one sort and compares it with a CPU reference. Keys of any type are given as bits. Keys and
//! values lie between guard words.

use std::ops::Range;

use multisplit_tests::prelude::*;

/// The parameters of a sort, for the engine and for the CPU.
#[derive(Clone, Debug)]
pub struct Order {
    pub key: KeyType,
    pub descending: bool,
    pub bits: Range<u32>,
    pub method: SortMethod,
}

impl Order {
    /// Ascending order by all bits.
    pub fn of(key: KeyType) -> Self {
        Self { key, descending: false, bits: 0..key.bits(), method: SortMethod::Auto }
    }

    /// Ascending order by all bits, with the one-sweep method.
    pub fn one_sweep(key: KeyType) -> Self {
        Self { method: SortMethod::OneSweep, ..Self::of(key) }
    }

    pub fn sort(&self) -> Sort {
        let sort = if self.descending { Sort::descending() } else { Sort::ascending() };
        sort.bits(self.bits.clone()).method(self.method)
    }

    /// The indices of these keys (given as bits) in stable sorted order.
    pub fn expected(&self, keys: &[u64]) -> Vec<u32> {
        let images: Vec<u64> = keys.iter().map(|&bits| image(self.key, bits)).collect();
        reference::sort(&images, self.bits.clone(), self.descending)
    }
}

/// Values that are sorted with the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    Nothing,
    Bytes(u32),
    Indices,
}

impl Payload {
    /// The element type of the values.
    pub fn element(self) -> ElementType {
        match self {
            Self::Bytes(bytes) => ElementType::Other(bytes),
            Self::Nothing | Self::Indices => ElementType::U32,
        }
    }

    /// The buffers of a sort of `keys` with these values.
    pub fn buffers(self, keys: Buffer, values: Buffer) -> SortBuffers {
        let buffers = SortBuffers::keys(keys);
        match self {
            Self::Nothing => buffers,
            Self::Bytes(_) => buffers.values(values),
            Self::Indices => buffers.indices(values),
        }
    }
}

pub const PAYLOADS: [Payload; 5] =
    [Payload::Nothing, Payload::Bytes(4), Payload::Bytes(8), Payload::Bytes(16), Payload::Indices];

/// Distribution of the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    Uniform,
    FewDistinct,
    Sorted,
    Reversed,
    AllEqual,
    OneDigitDiffers,
    /// NaN, infinities, both zeros and subnormals; for integers, edge cases such as 0 and all ones.
    Special,
}
pub const KEYS: [Keys; 7] = [
    Keys::Uniform,
    Keys::FewDistinct,
    Keys::Sorted,
    Keys::Reversed,
    Keys::AllEqual,
    Keys::OneDigitDiffers,
    Keys::Special,
];

/// Maps a key (given as bits) to an unsigned integer that compares like the key does in Rust, or by
/// `total_cmp` for floats.
pub fn image(key: KeyType, bits: u64) -> u64 {
    let low = bits as u32;
    match key {
        KeyType::U8 | KeyType::U16 | KeyType::U32 | KeyType::U64 => bits,
        KeyType::I8 => u64::from((low as i8).wrapping_sub(i8::MIN) as u8),
        KeyType::I16 => u64::from((low as i16).wrapping_sub(i16::MIN) as u16),
        KeyType::F16 | KeyType::Bf16 => {
            let signed = low as i16 ^ (((low as i16 >> 15) as u16) >> 1) as i16;
            u64::from(signed.wrapping_sub(i16::MIN) as u16)
        }
        KeyType::I32 => u64::from((low as i32).wrapping_sub(i32::MIN) as u32),
        KeyType::I64 => (bits as i64).wrapping_sub(i64::MIN) as u64,
        // The same steps as `total_cmp`.
        KeyType::F32 => {
            let signed = low as i32 ^ (((low as i32 >> 31) as u32) >> 1) as i32;
            u64::from(signed.wrapping_sub(i32::MIN) as u32)
        }
        KeyType::F64 => {
            let signed = bits as i64 ^ (((bits as i64 >> 63) as u64) >> 1) as i64;
            signed.wrapping_sub(i64::MIN) as u64
        }
    }
}

/// The [`image`] of a key.
pub fn rank<K: Key>(key: K) -> u64 {
    image(K::TYPE, key.key_bits())
}

fn special(key: KeyType, rng: &mut Rng) -> u64 {
    const F16: [u64; 10] = [0x7E00, 0xFE01, 0x7C00, 0xFC00, 0, 0x8000, 1, 0x83FF, 0x7BFF, 0xBE00];
    const BF16: [u64; 10] = [0x7FC0, 0xFFC1, 0x7F80, 0xFF80, 0, 0x8000, 1, 0x807F, 0x7F7F, 0xBFC0];
    const INTEGERS: [u64; 10] =
        [0, 1, u64::MAX, u64::MAX - 1, 1 << 31, (1 << 31) - 1, 1 << 63, (1 << 63) - 1, 255, 256];
    let pick = rng.below(10) as usize;
    match key {
        // The last pattern is -1.5.
        KeyType::F16 => F16[pick],
        KeyType::Bf16 => BF16[pick],
        KeyType::F32 => {
            let (nan, max) = (f32::NAN, f32::INFINITY);
            let all = [nan, -nan, max, -max, 0.0, -0.0, 1e-40, -1e-40, f32::MAX, -1.5];
            u64::from(all[pick].to_bits())
        }
        KeyType::F64 => {
            let (nan, max) = (f64::NAN, f64::INFINITY);
            let all = [nan, -nan, max, -max, 0.0, -0.0, 1e-310, -1e-310, f64::MAX, -1.5];
            all[pick].to_bits()
        }
        _ => INTEGERS[pick],
    }
}

/// `n` keys of this distribution, as bits.
pub fn make_keys(key: KeyType, keys: Keys, n: usize, seed: u64) -> Vec<u64> {
    let mut rng = Rng::new(seed);
    let mask = u64::MAX >> (64 - key.bits());
    let base = rng.next_u64();
    let digit = 8 * rng.below(u64::from(key.bits() / 8));
    let mut made: Vec<u64> = (0..n)
        .map(|_| match keys {
            Keys::Uniform | Keys::Sorted | Keys::Reversed => rng.next_u64(),
            Keys::FewDistinct => base.wrapping_mul(1 + rng.below(5)),
            Keys::AllEqual => base,
            Keys::OneDigitDiffers => base ^ (rng.below(256) << digit),
            Keys::Special => special(key, &mut rng),
        } & mask)
        .collect();
    match keys {
        Keys::Sorted => made.sort_by_key(|&bits| image(key, bits)),
        Keys::Reversed => made.sort_by_key(|&bits| std::cmp::Reverse(image(key, bits))),
        _ => {}
    }
    made
}

/// Fills the last word after the last 8-bit or 16-bit key.
const BEHIND: u8 = 0xA5;

/// The keys as bytes.
pub fn key_bytes(key: KeyType, bits: &[u64]) -> Vec<u8> {
    let bytes = |bits: &u64| bits.to_le_bytes().into_iter().take(key.bytes() as usize);
    bits.iter().flat_map(bytes).collect()
}

/// The keys as words; the last word is padded if necessary.
pub fn key_words(key: KeyType, bits: &[u64]) -> Vec<u32> {
    let mut all = key_bytes(key, bits);
    all.resize(all.len().next_multiple_of(4), BEHIND);
    bytemuck::pod_collect_to_vec(&all)
}

/// Imports keys that are given as bits.
pub fn import_keys(setup: &mut Setup<'_>, name: &str, key: KeyType, bits: &[u64]) -> Buffer {
    let len = key.array_len(bits.len().max(1) as u64);
    setup.array(name, key.into(), len, &key_words(key, bits))
}

/// The bits of the first `n` keys in these words.
pub fn keys_of_words(key: KeyType, words: &[u32], n: usize) -> Vec<u64> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let number = |key: &[u8]| key.iter().rev().fold(0, |bits, &b| bits << 8 | u64::from(b));
    bytes.chunks(key.bytes() as usize).take(n).map(number).collect()
}

/// The words of the value of element `i`.
pub fn value_words(payload: Payload, i: u32) -> Vec<u32> {
    let words = match payload {
        Payload::Bytes(bytes) => bytes / 4,
        _ => 1,
    };
    (0..words).map(|k| i.wrapping_mul(0x9E37_79B9) ^ (k * 77)).collect()
}

/// Sorts in place and compares the result with the CPU reference. The values show whether equal
/// keys keep their order.
pub fn check(
    gpu: &Gpu,
    policy: &Policy,
    order: &Order,
    payload: Payload,
    keys: &[u64],
) -> Result<()> {
    let n = keys.len() as u64;
    let mut setup = Setup::new(gpu, "sort");
    let keys_buffer = import_keys(&mut setup, "keys", order.key, keys);
    let given: Vec<u32> = (0..n as u32).flat_map(|i| value_words(payload, i)).collect();
    let values_buffer = setup.array("values", payload.element(), n.max(1), &given);
    let buffers = payload.buffers(keys_buffer, values_buffer).count(n);
    sort(&mut setup.graph, policy, &order.sort(), &buffers)?;
    setup.run()?;
    let places = order.expected(keys);
    setup.expect(keys_buffer, &key_words(order.key, &reference::pick(keys, &places)))?;
    match payload {
        Payload::Nothing => setup.expect_unchanged(values_buffer),
        Payload::Indices => setup.expect(values_buffer, &places),
        Payload::Bytes(_) => {
            let moved: Vec<u32> = places.iter().flat_map(|&i| value_words(payload, i)).collect();
            setup.expect(values_buffer, &moved)
        }
    }
}

/// Sorts `n` keys of a distribution and compares with the CPU reference.
pub fn case(
    gpu: &Gpu,
    policy: &Policy,
    order: &Order,
    payload: Payload,
    keys: Keys,
    n: usize,
) -> Result<()> {
    let made = make_keys(order.key, keys, n, n as u64 + 31);
    let say = || format!("{order:?}, {payload:?}, n = {n}, {keys:?}, {:?}", policy.sort);
    gpu.run_or_refuse(|| check(gpu, policy, order, payload, &made).with_context(say))
}

/// Number of keys that one workgroup sorts: set by the policy, limited by shared memory.
pub fn tile(policy: &Policy, key: KeyType) -> Result<usize> {
    let mut graph = Graph::new("tile");
    let buffers = SortBuffers::keys(graph.import_array("keys", key.into(), key.array_len(1)));
    let buffers = buffers.count(1);
    let small = Sort::ascending().method(SortMethod::Small);
    Ok(sort(&mut graph, policy, &small, &buffers)?.shape.tile() as usize)
}

/// The device's policy. For software drivers, with smaller tiles, which compile faster.
pub fn quick_policy(gpu: &Gpu) -> Policy {
    let mut policy = gpu.policy();
    if gpu.is_software() {
        policy.sort = policy.sort.with_shape(TileShape::new(256, 2));
        policy.sort.small.items = 2;
    }
    policy
}
