//! Plans of segmented sorts, with offsets on the host or on the device, or of equal rows.

use anyhow::Result;
use multisplit::operations::split::TileShape;
use multisplit::operations::{Count, SortBuffers, sort};
use multisplit::{KeyType, Policy, Sort};
use multisplit_machine::Rng;

use super::case::Case;
use super::moves::{Payload, image, words_of};
use super::primitives::{Device, ITEMS, policy_of, set_sort_tiles};
use super::setup::{Parameters, Setup};

/// Source of the segment offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    Rows(u64),
    Host,
    /// Offsets, and the counts of segments and keys, on the device.
    Device,
    /// Like `Device`, with offsets that are not ascending.
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
    /// Threads, items per thread and turns of the tiles for large segments. Small segments use two
    /// subgroups.
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
        set_sort_tiles(&mut policy, shape);
        policy
    }
}

impl Parameters for SortSegmentsCase {
    fn case(&self, device: Device) -> Result<Case> {
        let mut setup = Setup::new(device, "segments");
        let n: u64 = self.lengths.iter().sum();
        let on_device = matches!(self.given, Given::Device | Given::Falling);
        let (max, count) = setup.count(n, on_device);
        let mut offsets = vec![0u32];
        for length in &self.lengths {
            offsets.push(offsets[offsets.len() - 1] + *length as u32);
        }
        let (key, shift) = if self.wide { (KeyType::U64, 33) } else { (KeyType::F32, 25) };
        let mut rng = Rng::new(n);
        // Some keys are equal, and others have equal digits.
        let random = |_| ((rng.next_u64() % 90) << shift) | (rng.next_u64() % 2);
        let keys: Vec<u64> = (0..max).map(random).collect();
        let buffers = SortBuffers::keys(setup.buffer("keys", key, max)).count(count);
        let buffers = self.payload.declare(&mut setup, buffers, max);
        let how = if self.descending { Sort::descending() } else { Sort::ascending() };
        let mut ascending = offsets.clone();
        let (how, buffers) = match self.given {
            Given::Rows(length) => (how.rows(length), buffers),
            Given::Host => (how.segments(&offsets), buffers),
            Given::Device | Given::Falling => {
                if self.given == Given::Falling {
                    offsets.iter_mut().skip(2).step_by(3).for_each(|offset| *offset /= 2);
                    offsets[self.lengths.len()] = n as u32;
                    // Each offset counts as the maximum of itself and all earlier offsets.
                    ascending.clone_from(&offsets);
                    for k in 1..ascending.len() {
                        ascending[k] = ascending[k].max(ascending[k - 1]);
                    }
                }
                let (segments, spare) = (self.lengths.len() as u64, 9);
                offsets.resize(offsets.len() + spare, 3);
                let offsets = setup.words("offsets", offsets);
                let buffer = setup.words("segments", vec![segments as u32]);
                let segments = Count::Device { buffer, index: 0, max: segments + spare as u64 };
                (how, buffers.segments(offsets, segments))
            }
        };
        sort(&mut setup.graph, &self.tiles.policy(device), &how, &buffers)?;
        let rank = |bits| if self.descending { !image(key, bits) } else { image(key, bits) };
        let order = self.payload.expect_sorted(&mut setup, &keys, &ascending, rank);
        setup.expect("keys", words_of(key, order.iter().map(|&i| keys[i])));
        setup.set("keys", words_of(key, keys));
        Ok(Case { lane_order: device.lane_order, ..setup.finish(self)? })
    }
}

/// Tiny segments, segments of half a tile, a whole tile, and several tiles. `tile` is the tile size
/// for small segments.
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
                // If all segments fit a tile, cases with device offsets are tested only with 32-bit
                // keys.
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
                let descending = wide;
                all.push(SortSegmentsCase { wide, given, lengths, payload, descending, tiles });
            }
        }
    }
    all
}
