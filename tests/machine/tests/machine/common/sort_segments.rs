//! Plans of segmented sorts, with offsets on the host or on the device, or with rows.

use anyhow::Result;
use multisplit::Policy;
use multisplit::graph::{ElementType, Graph};
use multisplit::operations::split::TileShape;
use multisplit::operations::{Count, SortBuffers, sort};
use multisplit::{KeyType, Sort};
use multisplit_machine::Rng;

use super::case::{Case, Output};
use super::moves::Payload;
use super::primitives::{Device, ITEMS, count_words, counted, limits, policy_of};

/// Source of the segment offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    Rows(u64),
    Host,
    /// Offsets, and the counts of segments and keys, on the device.
    Device,
    /// The same with offsets that are not monotonic.
    Falling,
}

/// Parameters of a segmented sort.
#[derive(Clone, Debug)]
pub struct SortSegmentsCase {
    /// Keys of type `u64` instead of `f32`.
    pub wide: bool,
    pub given: Given,
    pub lengths: Vec<u64>,
    pub payload: Payload,
    pub descending: bool,
    pub tiles: Tiles,
}

/// Workgroup sizes and tile sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiles {
    Usual,
    /// Workgroups of two subgroups.
    Narrow,
    /// Threads, items per thread and turns, for segments that do not fit a tile of two subgroups.
    Large(u32, u32, u32),
}

impl Tiles {
    fn policy(self, device: Device) -> Policy {
        let narrow = TileShape::new(2 * device.width, ITEMS);
        let shape = match self {
            Self::Usual => return policy_of(device, None),
            Self::Narrow => narrow,
            Self::Large(threads, items, turns) => TileShape::new(threads, items).in_turns(turns),
        };
        let mut policy = policy_of(device, Some(2));
        policy.sort.small = narrow;
        policy.sort.keys = policy.sort.keys.map(|(n, _)| (n, shape));
        policy.sort.wide_keys = policy.sort.wide_keys.map(|(n, _)| (n, shape));
        policy.sort.pairs = policy.sort.pairs.map(|(n, _)| (n, shape));
        policy
    }
}

impl SortSegmentsCase {
    fn words(&self, keys: impl Iterator<Item = u64>) -> Vec<u32> {
        let words = |key: u64| match self.wide {
            false => vec![key as u32],
            true => vec![key as u32, (key >> 32) as u32],
        };
        keys.flat_map(words).collect()
    }

    /// An integer that compares like the key.
    fn image(&self, key: u64) -> u64 {
        match self.wide {
            true => key,
            false if key >> 31 == 1 => !key & 0xFFFF_FFFF,
            false => key | 1 << 31,
        }
    }
}

pub fn sort_segments_case(device: Device, of: &SortSegmentsCase) -> Result<Case> {
    let mut graph = Graph::new("segments");
    let n: u64 = of.lengths.iter().sum();
    let on_device = matches!(of.given, Given::Device | Given::Falling);
    let (max, count) = counted(&mut graph, n, on_device);
    let mut offsets = vec![0u32];
    for length in &of.lengths {
        offsets.push(offsets[offsets.len() - 1] + *length as u32);
    }
    let mut rng = Rng::new(n);
    // Some keys are equal, and others share digits.
    let keys: Vec<u64> = (0..max)
        .map(|_| ((rng.next_u64() % 90) << if of.wide { 33 } else { 25 }) | (rng.next_u64() % 2))
        .collect();
    let element = ElementType::from(if of.wide { KeyType::U64 } else { KeyType::F32 });
    let keys_buffer = graph.import_array("keys", element, max);
    let spare = if on_device { 9 } else { 0 };
    let segments = of.lengths.len() as u64;
    let offsets_buffer = graph.import::<u32>("offsets", segments + 1 + spare);
    let segment_count = graph.import::<u32>("segments", 1);
    let buffers = SortBuffers::keys(keys_buffer).count(count);
    let buffers = match of.payload {
        Payload::Nothing => buffers,
        Payload::Words(words) => {
            let element = ElementType::Other(4 * words as u32);
            buffers.values(graph.import_array("values", element, max))
        }
        Payload::Indices => buffers.indices(graph.import::<u32>("values", max)),
    };
    let how = if of.descending { Sort::descending() } else { Sort::ascending() };
    let (how, buffers) = match of.given {
        Given::Rows(length) => (how.rows(length), buffers),
        Given::Host => (how.segments(&offsets), buffers),
        Given::Device | Given::Falling => {
            let segments = Count::Device { buffer: segment_count, index: 0, max: segments + spare };
            (how, buffers.segments(offsets_buffer, segments))
        }
    };
    sort(&mut graph, &of.tiles.policy(device), &how, &buffers)?;
    let mut ascending = offsets.clone();
    if of.given == Given::Falling {
        offsets.iter_mut().skip(2).step_by(3).for_each(|offset| *offset /= 2);
        offsets[of.lengths.len()] = n as u32;
        // An offset below an earlier one counts as the earlier one.
        ascending.clone_from(&offsets);
        for k in 1..ascending.len() {
            ascending[k] = ascending[k].max(ascending[k - 1]);
        }
    }
    let (mut order, mut numbers) = (Vec::new(), Vec::new());
    for both in ascending.windows(2) {
        let mut part: Vec<u32> = (both[0]..both[1]).collect();
        let key = |&i: &u32| of.image(keys[i as usize]);
        match of.descending {
            true => part.sort_by_key(|i| std::cmp::Reverse(key(i))),
            false => part.sort_by_key(key),
        }
        numbers.extend(part.iter().map(|i| i - both[0]));
        order.extend(part);
    }
    let sorted = of.words(order.iter().map(|&i| keys[i as usize]));
    let value = |i: u32, words: usize| (0..words as u32).map(move |w| (i ^ 0x5555) | w << 28);
    let mut outputs = vec![Output { name: "keys", expected: sorted }];
    offsets.resize(offsets.len() + spare as usize, 3);
    let mut inputs = vec![("keys", of.words(keys.iter().copied())), count_words(n)];
    inputs.push(("offsets", offsets));
    inputs.push(("segments", vec![segments as u32]));
    match of.payload {
        Payload::Nothing => {}
        Payload::Indices => outputs.push(Output { name: "values", expected: numbers }),
        Payload::Words(words) => {
            let moved = order.iter().flat_map(|&i| value(i, words)).collect();
            outputs.push(Output { name: "values", expected: moved });
            inputs.push(("values", (0..max as u32).flat_map(|i| value(i, words)).collect()));
        }
    }
    Ok(Case {
        name: format!("{of:?}, for {device:?}"),
        plan: graph.compile(&limits(device))?,
        outputs,
        inputs,
        lane_order: device.lane_order,
        may_give_up: None,
        verify: None,
        steady: Vec::new(),
    })
}

/// Tiny segments, segments of half a tile and a whole tile, and segments of several tiles; `tile`
/// is the tile size of small segments.
pub fn sort_segments_cases(tile: u64) -> Vec<SortSegmentsCase> {
    let tiny: Vec<u64> =
        (0..tile / 4).map(|k| [3, 0, 7, 1, 30, 2, 11, 5][k as usize % 8]).collect();
    let half = vec![5, tile / 2 + 3, tile / 2 - 9, 2, tile, 0, 40, tile - 1];
    let large = vec![0, 3, 2 * tile + 5, 1, 0, tile + 1, 9, 17, 0];
    let (mut all, tiles) = (Vec::new(), Tiles::Usual);
    for wide in [false, true] {
        for (which, lengths) in [&tiny, &half, &large].into_iter().enumerate() {
            for given in [Given::Host, Given::Device, Given::Falling] {
                let descending = all.len() % 3 == 1;
                let payload = match given {
                    Given::Device | Given::Falling => Payload::Words(1),
                    _ if which == 0 => Payload::Indices,
                    _ => Payload::Nothing,
                };
                // If all segments fit a tile, only the source of the offsets would differ.
                if which < 2 && wide && given != Given::Host {
                    continue;
                }
                let lengths = lengths.clone();
                all.push(SortSegmentsCase { wide, given, lengths, payload, descending, tiles });
            }
        }
        for (length, rows) in [(7, tile / 5), (16, 77), (tile / 4, 9), (2 * tile + 1, 2)] {
            for payload in [Payload::Nothing, Payload::Indices] {
                let (given, lengths) = (Given::Rows(length), vec![length; rows as usize]);
                all.push(SortSegmentsCase {
                    wide,
                    given,
                    lengths,
                    payload,
                    descending: wide,
                    tiles,
                });
            }
        }
    }
    all
}
